"""The header: the first line of a run file."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from iogauge.model import folders
from iogauge.model.case import Case
from iogauge.model.errors import UserError, first_problem
from iogauge.model.method import Method
from iogauge.model.plan import Plan
from iogauge.model.strategy import Runtime, Strategy
from iogauge.model.text import all_visible
from iogauge.runfile import format6

FORMAT = 7
BEGINNING = b'{"record":'
"""What a run file begins with, as we write it."""


class KnownCeiling(BaseModel):
    """The ceiling of a group as an earlier run `measured` it (when, in ISO 8601, UTC), with the
    `canary` at its end in ns. `ns_per_op` has a level for each of its replicates, by the key of
    the candidate.
    """

    model_config = ConfigDict(frozen=True)

    measured: str
    canary: dict[str, Annotated[float, Field(gt=0)]]
    ns_per_op: dict[str, list[Annotated[float, Field(gt=0)]]]

    def age(self, then: datetime.datetime) -> float:
        """Seconds from the measuring until `then`."""
        return (then - datetime.datetime.fromisoformat(self.measured)).total_seconds()


class Header(BaseModel):
    """All that is needed to understand, repeat or resume the run."""

    model_config = ConfigDict(frozen=True)

    record: Literal["header"] = "header"
    format: int = FORMAT
    iogauge: str
    id: str
    started: str  # ISO 8601, UTC
    study_source: str  # the study file's text
    options: dict[str, Any]  # as given: only, max_size, runtime, …
    method: Method
    plan: Plan
    runtimes: tuple[Runtime, ...]
    host: dict[str, Any]
    known_ceilings: dict[int, KnownCeiling] = {}  # by the index of the group
    imported: str | None = None  # "JMH JSON", where the run was read from such a file; never stored

    def declared(self, case: Case) -> Strategy:
        """The case's strategy, as its runner declared it."""
        return self.runtime(case.runtime).strategies[case.strategy]

    @property
    def identity(self) -> tuple[str, str, str | None]:
        """What all copies of the run have in common; the host is None where it is not known."""
        return self.id, self.started, self.host.get("identity")

    @property
    def place(self) -> tuple[str | None, str | None]:
        """The host's identity and the kind of the file system; None where it is not known."""
        return self.host.get("identity"), self.host.get("file_system")

    @property
    def builds(self) -> dict[str, str]:
        """The build of each runtime's runner, by the name of the runtime."""
        return {runtime.name: runtime.build for runtime in self.runtimes}

    @property
    def language_names(self) -> dict[str, str]:
        """What people call the languages, where that is not the word with a capital."""
        return {key: name for each in self.runtimes for key, name in each.language_names.items()}

    def threads_of(self, case: Case) -> int:
        """With how many threads a case works."""
        declared = self.declared(case)
        if declared.imported:
            return declared.imported.threads
        return declared.value("parallel", case.parameters, otherwise=1)

    def line(self) -> bytes:
        """The first line of the run file."""
        plain = self.model_dump(mode="json")
        return json.dumps(plain, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"

    def runtime(self, name: str) -> Runtime:
        """The runtime of the run with this name. Raises LookupError where the run has none."""
        for each in self.runtimes:
            if each.name == name:
                return each
        raise LookupError(f"no runtime {name}")


def of_line(path: Path, line: bytes) -> Header:
    """The header that the first line of the file holds. Raises UserError for anything else."""
    try:
        found = json.loads(line.decode())
        if isinstance(found, dict):
            # The study stays as it was: its parser refuses what a study may not hold.
            found = {**all_visible(line, found), "study_source": found.get("study_source")}
    except (ValueError, RecursionError):
        found = None
    if not line:
        raise UserError(f"{path}: not a run file: it is empty; name one that iogauge run wrote")
    if folders.watch(path):
        raise UserError(
            f"{path}: the record of a watch, not a run file; look at it with iogauge show or "
            "iogauge report"
        )
    if not isinstance(found, dict) or found.get("record") != "header":
        raise UserError(
            f"{path}: not a run file: its first line is no header; name one that iogauge run wrote"
        )
    if found.get("format") == format6.FORMAT:
        found = format6.renamed(found)
    elif found.get("format") != FORMAT:
        raise UserError(
            f"{path}: run file format {found.get('format')}; this iogauge reads formats "
            f"{format6.FORMAT} and {FORMAT}; use the iogauge that wrote it"
        )
    try:
        return Header.model_validate(found)
    except ValidationError as error:
        says = f"{path}: header: {first_problem(error)}"
        raise UserError(f"{says}; use the iogauge that wrote it, or measure anew") from None


def read_header(path: Path) -> Header:
    """The header of a run file, without its records. Raises UserError for what is no run file."""
    with opened(path) as file:
        return of_line(path, file.readline())


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A run file, to be read. Raises UserError where it cannot be read, also later."""
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise UserError(
            f"{path}: {error.strerror}; name a run file, or none for the newest"
        ) from None


def poolable_runtimes(one: Header, other: Header) -> frozenset[str]:
    """The runtimes whose replicates in two runs may be pooled, by name: those of the same build,
    where iogauge, the method and the place are the same; none where the place is not known.
    """
    if None in one.place or one.place != other.place:
        return frozenset()
    if (one.iogauge, one.method) != (other.iogauge, other.method):
        return frozenset()
    return frozenset(name for name, build in one.builds.items() if other.builds.get(name) == build)
