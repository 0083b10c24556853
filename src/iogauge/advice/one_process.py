"""What running in one process may have done to times: of runs as published.

There one process may serve several cases, one after another, and none of them is warmed up as long
as it takes. So two cases that do the same may take different times because of their order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from iogauge.advice.reasons import read_calls, write_calls
from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.data import by_case
from iogauge.claims.comparable import Comparable, Entry
from iogauge.model.units import duration, significant
from iogauge.runfile.run import Run

_APART = 2.0  # times the time, and the order is worth a word
_FELL = 1.5  # times as long in the first iteration as in the last one
_SAME_CALLS = 0.01
_FEWEST = 3  # iterations, before their times can fall

Falls = Mapping[str, tuple[float, float]]
"""The time of the first and of the last iteration of a case (ns), by its key; falling ones only."""


def falls(run: Run) -> dict[str, tuple[float, float]]:
    """The cases of a run as published that still got faster while they were measured.

    It takes a protocol with iterations. The times are medians over repetitions of the procedure.
    """
    if not run.plan.published or run.plan.published.iterations < _FEWEST:
        return {}
    found = {}
    for case, rows in zip(run.plan.cases, by_case(run), strict=True):
        rounds, levels = run.columns.round[rows], run.columns.levels[rows]
        ends = [levels[rounds == each] for each in (0, rounds.max(initial=0))]
        if rounds.max(initial=0) + 1 >= _FEWEST and all(map(len, ends)):
            first, last = (float(np.median(each)) for each in ends)
            if first >= _FELL * last:
                found[case.key] = first, last
    return found


def sentences(run: Run, comparable: Comparable, falling: Falls) -> Iterator[str]:
    """What is to be known of the order in a group, before its times are believed."""
    published = run.plan.published
    if published is None:
        return
    for entry in comparable.entries:
        if entry.usable and (fall := next((falling.get(key) for key in entry.keys), None)):
            first, last = (duration(each / 1e9) for each in fall)
            yield (
                f"{_name(entry)} got faster while it was measured: from {first} per operation in "
                f"its first iteration to {last} in its last."
            )
    if published.process != "each":
        for fast, slow in _alike_but_apart(comparable).items():
            yield _of_order(comparable.entries, fast, slow)


def _of_order(entries: Sequence[Entry], fast: int, slow: dict[int, float]) -> str:
    """`x/b, x/c take 3.9 to 4.9 times the time of x/a, though all make the same calls. …`"""
    names = ", ".join(_name(entries[each]) for each in slow)
    ratios = dict.fromkeys(
        significant(each, 2) for each in (min(slow.values()), max(slow.values()))
    )
    ran = [each for each, entry in enumerate(entries) if entry.setting == entries[fast].setting]
    places = ", ".join(f"{ran.index(each) + 1}" for each in slow)
    several = len(slow) > 1
    return (
        f"{names} take{'' if several else 's'} {' to '.join(ratios)} times the time of "
        f"{_name(entries[fast])}, though {'all' if several else 'both'} make the same calls. "
        f"One process ran them one after another, the fast one as number {ran.index(fast) + 1}, "
        f"{'the others' if several else 'the other'} as {places}: the order, or code that was not "
        "compiled yet, may be the reason."
    )


def _alike_but_apart(comparable: Comparable) -> dict[int, dict[int, float]]:
    """Cases that take much longer than one that does the same on their runtime.

    By the index of the fastest that does the same: the indexes of the slow ones, with their time
    over its. The entries are in the order in which they ran.
    """
    entries = comparable.entries
    found: dict[int, dict[int, float]] = defaultdict(dict)
    for slow, entry in enumerate(entries):
        alike = [each for each in range(len(entries)) if _do_the_same(entries[each], entry)]
        fast = min(alike, key=comparable.ns, default=slow)
        ratio = comparable.compare(slow, fast) if fast != slow else None
        if ratio is not None and ratio.center >= _APART:
            found[fast][slow] = ratio.center
    return found


def _name(entry: Entry) -> str:
    """As `explain` heads its figures: `java/file-input-stream 8K`."""
    return entry.measured.case.label if entry.measured else entry.variant


def _do_the_same(one: Entry, other: Entry) -> bool:
    """Whether two cases of one runtime make as many calls, of as many bytes."""
    a, b = one.measured, other.measured
    if one.setting != other.setting or not (one.usable and other.usable and a and b):
        return False
    mine, yours = _calls(a), _calls(b)
    return len(mine) == len(yours) > 0 and all(
        abs(x - y) <= _SAME_CALLS * max(x, y) for x, y in zip(mine, yours, strict=True)
    )


def _calls(case: CaseReport) -> list[float]:
    """How many calls move the data of an operation, and how many bytes each; empty if not known."""
    workload = case.case.workload
    ways = (
        (workload.reads_file, read_calls(case)),
        (workload.writes_file, write_calls(case)),
    )
    found = [calls for does, calls in ways if does]
    return (
        [figure for each in found if each for figure in (each.number, each.per_call)]
        if all(found)
        else []
    )
