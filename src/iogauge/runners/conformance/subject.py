"""The runtime that is examined, and the few things that every check does with it."""

from __future__ import annotations

import os
import struct
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from iogauge.corpus.data_files import framed
from iogauge.host import evidence, pagecache, provable
from iogauge.model.strategy import Format, Strategy
from iogauge.model.workload import Consume, Durability, Mode
from iogauge.runners import wire
from iogauge.runners.fork import Fork
from iogauge.runners.preparing import Ready
from iogauge.runners.wire import Refusal, Spans, WireError

from . import data as material
from .data import Data, Due

_Thing = TypeVar("_Thing")

SECONDS = 60.0
VALUES = (1, 7, 64, 4096, 65536)  # of parameters that are sizes
_FEW = (0, 1, 2, 3)  # of others: threads, requests in flight, switches
_SIZES = ("bytes", "chars")
_TINY = 64  # values below this mean so many calls that large files are not worth the time


class Broken(Exception):
    """The runner does not keep the contract, and how."""


def must(kept: bool, otherwise: str) -> None:
    if not kept:
        raise Broken(otherwise)


def must_have(found: _Thing | None, otherwise: str) -> _Thing:
    """What was found. Raises Broken where it is None."""
    if found is None:
        raise Broken(otherwise)
    return found


@dataclass(frozen=True)
class Row:
    """Values of parameters: the `default` ones, or one or two of them changed, perhaps `tiny`."""

    parameters: dict[str, int]
    default: bool
    tiny: bool

    def __str__(self) -> str:
        values = [f"{name} = {value}" for name, value in self.parameters.items()]
        return ", ".join(values) or "no parameters"


def grid(strategy: Strategy) -> Iterator[Row]:
    """The defaults, then each parameter through its values with the others at their defaults; and
    again with the most of what there may be several of: threads, requests.
    """
    yield Row(strategy.defaults, default=True, tiny=False)
    few = {name: each for name, each in strategy.parameters.items() if each.unit not in _SIZES}
    most = [{name: max(_FEW)} for name, each in few.items() if each.max >= max(_FEW)]
    for name, limits in strategy.parameters.items():
        for fixed in ({}, *(each for each in most if name not in each)):
            for value in _FEW if name in few else VALUES:
                if limits.min <= value <= limits.max:
                    parameters = {**strategy.defaults, **fixed, name: value}
                    yield Row(parameters, False, tiny=name not in few and value < _TINY)


def writes_file(strategy: Strategy) -> bool:
    return strategy.operation != "read" and strategy.medium == "file"


def takes_payload(strategy: Strategy) -> bool:
    return strategy.operation != "read" or strategy.medium == "memory"


def one_by_one(strategy: Strategy) -> bool:
    """Whether it takes a call per byte or character: nothing for large files."""
    return strategy.unit in ("byte", "char")


class Subject:
    """The runtime that is examined: one fork, started anew when it is gone, and a folder for the
    files it works on.

    A fork serves many checks on purpose: a runner has to live on, whatever it was asked. Close it
    when done.
    """

    def __init__(self, ready: Ready):
        self.ready = ready
        # On the user's own disk: /tmp may be memory, which cannot be evicted.
        parent = os.environ.get("TMPDIR", "/var/tmp")
        self._folder = tempfile.TemporaryDirectory(prefix="iogauge-check-", dir=parent)
        self.folder = Path(self._folder.name).resolve()
        self._fork: Fork | None = None
        self._paths: dict[tuple[Data, Format], Path] = {}
        self._names = 0

    @property
    def strategies(self) -> list[Strategy]:
        return list(self.ready.runtime.strategies.values())

    @property
    def fork(self) -> Fork:
        if self._fork is None or not self._fork.alive:
            heap = self.ready.runtime.heap_minimum_mib
            self._fork = Fork(self.ready.launch, heap)
        return self._fork

    def close(self) -> None:
        if self._fork and self._fork.alive:
            self._fork.end()
        self._folder.cleanup()

    @cached_property
    def can_evict(self) -> bool:
        return provable.why_not_cold_in(self.folder) is None

    # files

    def path(self, data: Data, form: Format = "plain") -> Path:
        """A file of this format that holds the data; it is not to be changed."""
        key = data, form
        if key not in self._paths:
            path = self.folder / f"{data.name}{'' if form == 'plain' else f', {form}'}.data"
            content = np.frombuffer(data.in_format(form).content, np.uint8)
            path.write_bytes(b"".join(part.tobytes() for part in framed([content], form)))
            self._paths[key] = path
        return self._paths[key]

    def zeros(self, length: int) -> Path:
        """A sparse file of so many zeros; it is not to be changed. One for all strategies: what
        the first of them read, the others find in the page cache.
        """
        path = self.folder / f"{length} zeros"
        if not path.exists():
            with path.open("wb") as file:
                file.truncate(length)
        return path

    def new_path(self) -> Path:
        """Where nothing is yet."""
        self._names += 1
        return self.folder / f"file {self._names}"

    def offsets(self, positions: Sequence[int]) -> Path:
        path = self.new_path()
        path.write_bytes(struct.pack(f"<{len(positions)}q", *positions))
        return path

    # requests

    def opening(
        self,
        strategy: Strategy,
        consume: Consume | None = None,
        parameters: dict[str, int] | None = None,
        *,
        payload: Data | None = None,
        offsets: Path | None = None,
        mode: Mode | None = None,
        durability: Durability | None = None,
    ) -> dict[str, Any]:
        """A request to open it. What is not given is what the strategy needs: its last kind of
        consume, its first mode and so on.

        Nothing is made durable unless that is asked for: it takes a while.
        """
        if takes_payload(strategy):
            payload = payload or material.plain(strategy.sums, 65)
        if strategy.access == "random":
            offsets = offsets or self.offsets([0])
        durabilities = sorted(strategy.durabilities, key=lambda each: each != "none")
        return wire.open_strategy(
            strategy.name,
            strategy.defaults if parameters is None else parameters,
            strategy.operation,
            consume or strategy.consumes[-1],
            mode=mode or next(iter(strategy.modes), None),
            durability=durability or next(iter(durabilities), None),
            payload=str(self.path(payload)) if payload else None,
            offsets=str(offsets) if offsets else None,
        )

    def open(
        self,
        strategy: Strategy,
        consume: Consume | None = None,
        parameters: dict[str, int] | None = None,
        **more: Any,
    ) -> None:
        """Have it opened, as `opening` says."""
        self.fork.ask(self.opening(strategy, consume, parameters, **more), SECONDS)

    def sample(
        self,
        operations: int,
        paths: Sequence[Path],
        dues: Sequence[Due],
        what: str,
        *,
        spans: Sequence[str] = (),
        sums: bool = True,
        may_refuse: bool = False,
    ) -> None:
        """Have spans carried out, one for each due, and compare. `spans` are their names. Without
        `sums` counts only. With `may_refuse` the API may be unable: then a reason is given.
        """
        request = wire.sample(operations, len(dues), [str(path) for path in paths])
        try:
            reply: Spans = self.fork.ask(request, SECONDS)
        except Refusal as refusal:
            must(may_refuse, f"{what}: refused: {refusal}")
            must(len(str(refusal)) > 10, f"{what}: refused without a reason: {refusal}")
            return
        wire.check_spans(reply, operations, len(dues))
        for span, (count, total) in enumerate(dues):
            where = f"{what}, {spans[span] if spans else f'span {span}'}"
            counted = None if reply.count is None else reply.count[span]
            must(counted == count, f"{where}: count {counted}, {count} is right")
            said = None if reply.sum is None else reply.sum[span]
            must(not sums or said == total, f"{where}: sum {said}, {total} is right")

    def refused(self, request: dict[str, Any] | bytes, what: str, *names: str) -> str:
        """The reason of a refusal, with one of these names; the runner must stay usable."""
        try:
            self.fork.ask(request, SECONDS)
        except Refusal as refusal:
            reason = str(refusal)
            must(bool(reason.strip()), f"{what}: refused without a reason")
            named = not names or any(name in reason for name in names)
            must(named, f"{what}: the reason does not name {' or '.join(names)}: {reason}")
            self.fork.ask(wire.hello(), SECONDS)
            return reason
        except WireError as error:
            raise Broken(f"{what}: {error}") from None
        raise Broken(f"{what}: not refused")

    def let_go(self, *paths: Path) -> None:
        """Have all released; no file may be open or mapped then, and each can leave the cache."""
        self.fork.ask(wire.release(), SECONDS)
        held = evidence.held(self.fork.pid)
        for path in paths:
            problem = f"is {held[str(path)]}" if str(path) in held else None
            if not problem and self.can_evict and path.is_file():
                left = pagecache.evict(path)
                if left.pages:
                    problem = f"has {left.pages} of {left.of} pages in the cache"
            if problem:
                self.fork.end()  # what it holds must not be laid at another strategy's door
                raise Broken(f"{path.name} {problem} after release")

    def must_be_past_cache(self, path: Path) -> None:
        """Nothing of a file is in the page cache, where that can be seen, but perhaps its end: one
        that ends within a page is cut there by the cache.
        """
        if self.can_evict:
            left = pagecache.observe(path)
            pages = f"{left.pages} of {left.of} pages"
            must(left.pages <= 1, f"{pages} are in the cache that it is to bypass")
