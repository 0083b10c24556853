"""What another tool measured, and the figures beside times that formats of others can hold."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Annotated, NamedTuple

from pydantic import Field

from iogauge.model.noun import Noun


class Imported(Noun):
    """How the tool that measured a case calls it: a benchmark (or a command), and `parameters` as
    it wrote them. `short` is enough of the name among those that it is compared with, and may be
    empty where they differ in parameters alone; with `named_by_parameters` these are in it.
    `apart` is what else tells it from others: `4 threads`.
    `threads` worked at a time. `figures` are those that it gave, by their names in
    model/figures.py, `about` what else it says of the benchmark; `exit_codes` and `memory` (bytes)
    are of each run of a command.
    """

    benchmark: Annotated[str, Field(min_length=1)]
    parameters: dict[str, str] = {}
    short: str = ""
    named_by_parameters: bool = False
    apart: str = ""
    threads: Annotated[int, Field(ge=1)] = 1
    figures: dict[str, float] = {}
    about: dict[str, str | int | tuple[str, ...]] = {}
    exit_codes: tuple[int | None, ...] = ()
    memory: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """`org.example.Reading.bytes size=1M`: no other case of the file is called so."""
        named = [self.benchmark, *self._told(self.parameters)]
        if self.named_by_parameters:
            named = [self.short or self.benchmark]
        return " ".join(named) + self._apart

    def display(self, shown: Collection[str]) -> str:
        """`bytes size=1M`, with the parameters that are to be shown."""
        named = [] if self.named_by_parameters else [*self._told(shown)]
        return (" ".join(filter(None, [self.short, *named])) or self.benchmark) + self._apart

    @property
    def _apart(self) -> str:
        return f", {self.apart}" if self.apart else ""

    def _told(self, names: Collection[str]) -> Iterator[str]:
        return (f"{name}={value}" for name, value in self.parameters.items() if name in names)


class Beside(NamedTuple):
    """A figure of a case that other formats hold beside its time: its `name` there and the unit as
    Go's benchmarks write it. An `exact` one does not vary with time.
    """

    name: str
    unit: str
    exact: bool


BESIDE = {
    "read_calls_per_op": Beside("read-calls", "read-calls/op", exact=True),
    "bytes_per_read_call": Beside("bytes-per-read-call", "B/read-call", exact=True),
    "write_calls_per_op": Beside("write-calls", "write-calls/op", exact=True),
    "bytes_per_write_call": Beside("bytes-per-write-call", "B/write-call", exact=True),
    "device_read_bytes_per_op": Beside("device-read-bytes", "device-read-B/op", exact=False),
    "allocated_bytes_per_op": Beside("allocated-bytes", "B/op", exact=False),
}
"""By the name of the figure in model/figures.py."""
