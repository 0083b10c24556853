"""Two versions of a function, measured next to each other on one file: is the new one slower?"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from iogauge.advice import studies
from iogauge.api import code
from iogauge.api.code import Code
from iogauge.api.measuring import (
    Number,
    Words,
    begun,
    carried_out,
    new_file,
    own_runners,
    quiet,
    runtimes,
    said,
    text_of,
    words,
)
from iogauge.api.results import Results
from iogauge.commands import arguments as arg
from iogauge.commands import gating
from iogauge.commands.options import beside, budget_of, chosen_runtimes, one_of, parsed
from iogauge.corpus import content, store
from iogauge.corpus.own_file import OwnFile
from iogauge.decision.versions import GateKind
from iogauge.host import capacity
from iogauge.measuring import first_calls, session
from iogauge.measuring.first_calls import Choice, FirstCall
from iogauge.measuring.session import Prepared
from iogauge.model.errors import UserError
from iogauge.model.plan import Versions
from iogauge.model.strategy import Strategy
from iogauge.model.units import parse_size, parse_slowdown
from iogauge.model.workload import Cache
from iogauge.outputs import differences
from iogauge.outputs import versions as shown
from iogauge.outputs.differences import Difference
from iogauge.planning.options import Options
from iogauge.runners import own as own_code
from iogauge.runners.runtimes import Runtimes
from iogauge.study.schema import Study

OLD, NEW = "old", "new"
_SECONDS = 20.0
_SIZE = "4M"
DIFFERENT = (
    "old and new return different things (bytes, text, lines, or a result of their own), which "
    "cannot be compared; let both return the same"
)


class Compared(NamedTuple):
    """How new code compares with old code: `outcome` is `slower` (surely, than is allowed, or only
    the new one fails), `failed` (both do), `undecided`, or `not slower` (surely). `says`
    is the answer with a table, for people; `results` has everything. They are None where a function
    fails at its first call.
    """

    outcome: GateKind
    says: str
    results: Results | None


@dataclass(frozen=True)
class _Asked:
    """What is to be compared, and how."""

    file: OwnFile
    seconds: float
    caches: Sequence[Cache]


def compare(
    old: Code,
    new: Code,
    *,
    file: str | os.PathLike[str] | None = None,
    size: Number = None,
    max_slowdown: Number = "5%",
    budget: Number = None,
    cache: str = "warm",
    runtime: Words = None,
    own_flags: Words = None,
    own_path: Words = None,
    limit: Number = None,
    directory: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> Compared:
    """Measure two functions that read a file, in turns, and say whether the `new` one is surely
    slower than `max_slowdown` allows, surely not, or which cannot be told.

    Each is a function of this program that takes a path, or code as `--own` takes it. `file` is
    what they read; else a text of so much `size` is made (4M). `cache` is `warm`, `cold`, or
    `warm,cold`. `budget` is how long it may take (20 s; longer where their calls take long).

    Raises UserError where they cannot be compared, and KeyboardInterrupt.
    """
    if file is not None and size is not None:
        raise UserError("compare(): file is what is read, and size makes one; give one of them")
    allowed = parsed("max_slowdown", parse_slowdown, text_of(max_slowdown)) or 0.0
    versions = Versions(old=OLD, new=NEW, max_slowdown=allowed)
    seconds = parsed("budget", budget_of, text_of(budget))
    given = arg.Run(
        own=[f"{OLD}={code.word(old)}", f"{NEW}={code.word(new)}"],
        own_flags=words(own_flags),
        own_path=words(own_path),
        limit=text_of(limit),
    )
    caches = [one_of("cache", each.strip(), ("warm", "cold")) for each in cache.split(",")]
    say, path_of_run = said if progress else quiet, new_file(out)
    folder = session.data_folder(Path(directory) if directory else None)
    theirs = own_runners(given, say)
    chosen = code.interpreters(theirs, runtimes(runtime))
    with begun(), _file(folder, file, size) as path:
        here = session.found_here(chosen_runtimes(chosen), say, theirs)
        own = OwnFile(path)
        asked = _Asked(own, seconds or _SECONDS, _possible(caches, own))
        machine = session.machine(here.runtimes, here.missing)
        names = {each.name for each in own_code.strategies(here.runtimes) if each.is_own}
        with session.scratch(folder) as scratch:
            calls = first_calls.make(here.ready, machine, own, names, scratch, say)
        failed, _ = gating.failed_calls(calls, versions)
        if failed:
            return judged(None, versions, failed)
        prepared = _prepared(asked, here, calls, versions, beside(own, folder))
        measure = partial(carried_out, own=own, progress=progress, extends=seconds is None)
        return judged(measure(prepared, folder, {"file": ["YOUR-FILE"]}, path_of_run), versions)


def judged(
    results: Results | None, versions: Versions, failed: Sequence[Difference] = ()
) -> Compared:
    """What follows from a run of both versions, and from functions that `failed` before it. This is
    the one place that asks for a verdict. Raises UserError where nothing could be compared.
    """
    of_run = gating.of_document(results.document(0)) if results else None
    found = shown.with_failed(of_run, failed, versions)
    if found is None or found.gate is None or not found.questions:
        raise UserError(DIFFERENT)
    lines = [each.plain.rstrip() for each in differences.text(found)]
    return Compared(found.gate, "\n".join(lines).strip(), results)


def _possible(caches: Sequence[Cache], own: OwnFile) -> list[Cache]:
    """The states in which the file can be measured. Raises UserError where one cannot be had."""
    if "warm" in caches and own.size > capacity.available_memory() // 2:
        raise UserError(
            f"{own.given}: larger than half of the memory; give a part, or cache='cold'"
        )
    if "cold" in caches and (why := own.why_not_cold()):
        raise UserError(f"{own.given}: cannot be measured from disk: {why}; leave out cache='cold'")
    return [*dict.fromkeys(caches)]


def _make_alike(calls: Sequence[FirstCall], choice: Choice) -> None:
    """Of two functions that return different things (bytes, lines, a result), both are taken for
    what returns a result, as two versions of one function are. Raises UserError where one declares
    what it returns.
    """
    chosen = {each.runtime.name: _measured_as(each, choice) for each in calls}
    if len({each.is_checked and each.sums for each in chosen.values()}) == 1:
        return
    for each in calls:
        if not chosen[each.runtime.name].is_checked:
            continue
        if each.as_result is None:
            raise UserError(DIFFERENT)
        choice.left_out.add((each.runtime.name, each.function))
        choice.left_out.discard((each.runtime.name, each.as_result.name))


def _measured_as(call: FirstCall, choice: Choice) -> Strategy:
    left_out = (call.runtime.name, call.function) in choice.left_out
    return call.as_result if left_out and call.as_result else call.strategy


def _prepared(
    asked: _Asked,
    here: Runtimes,
    calls: Sequence[FirstCall],
    versions: Versions,
    place: Path | None,
) -> Prepared:
    choice, takes = first_calls.choose(calls, asked.file), first_calls.seconds(calls)
    _make_alike(calls, choice)
    here.leave_out(choice.left_out)
    mine = own_code.strategies(here.runtimes)
    own_code.must_be_alike(here.runtimes, mine)
    names = {each.name for each in mine}

    def study() -> Study:
        found = studies.own_study(
            asked.file,
            here.runtimes,
            names,
            asked.caches,
            capacity.available_memory(),
            asked.seconds,
        )
        if found is None:
            raise UserError(f"{asked.file.given}: old or new cannot read it as it is; give another")
        return found

    options = Options(seed=session.random_seed(), versions=versions)
    made = session.planned(study, "your-file", here, options, place)
    return Prepared(
        made.study, made.plan, made.ready, made.broken, choice.remarks, takes, tuple(choice.failed)
    )


@contextlib.contextmanager
def _file(folder: Path, file: str | os.PathLike[str] | None, size: Number) -> Iterator[Path]:
    """The file to read, or a text that is made for it, with a thousand lines in 64 KiB or so."""
    if file is not None:
        yield Path(file)
        return
    length = parsed("size", parse_size, text_of(size) or _SIZE) or 0
    if not length:
        raise UserError("size=0: at least 1 byte")
    with store.made_folder(folder) as place:
        path = place / f"text-{length}.txt"
        with path.open("wb") as out:
            for tile in content.tiles("text", length):
                out.write(np.ascontiguousarray(tile).data)
        yield path
