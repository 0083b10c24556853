"""Sweeps: cases that differ in one parameter only. Their knees, and parameters without effect."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from iogauge.advice.reasons import read_calls, write_calls
from iogauge.claims.comparable import Comparable, Entry

_FEWEST = 2  # values


@dataclass(frozen=True)
class Sweep:
    """One strategy in one setting, over the values of one parameter.

    `others` are the values of its other parameters. `values` are in ascending order; `cases` are
    the indexes of their entries.
    """

    strategy: str
    setting: str
    others: dict[str, int]
    parameter: str
    values: tuple[int, ...]
    cases: tuple[int, ...]


def sweeps(comparable: Comparable) -> list[Sweep]:
    """All sweeps of at least two values among the measured cases."""
    found: dict[tuple[str, str, str, tuple[tuple[str, int], ...]], list[tuple[int, int]]] = (
        defaultdict(list)
    )
    for index, entry in enumerate(comparable.entries):
        if not entry.usable or entry.measured is None:
            continue
        for parameter, value in entry.parameters.items():
            alike = entry.strategy, entry.setting or "", parameter
            found[*alike, entry.other_parameters(parameter)].append((value, index))
    return [
        Sweep(strategy, setting, dict(others), parameter, *zip(*sorted(cases), strict=True))
        for (strategy, setting, parameter, others), cases in found.items()
        if len(cases) >= _FEWEST
    ]


NEAR = 0.05
"""A value that is slower than the best by this share of the time is near enough for a knee."""


@dataclass(frozen=True)
class Knee:
    """What a sweep says of the best value of its parameter.

    `best` is the fastest value. `level` are all values that cannot be told apart from it, and
    itself. `near` is the smallest value that is surely within 5 % of the best; None if the
    intervals are too wide, or the noise is too large, to say. `others` are the values of the other
    parameters.
    """

    strategy: str
    setting: str
    others: dict[str, int]
    parameter: str
    values: tuple[int, ...]
    best: int
    level: tuple[int, ...]
    near: int | None


def knees(comparable: Comparable, floor: float | None = 0.0) -> list[Knee]:
    """The knee of each sweep.

    `floor` is the group's noise floor, a share of the time. If it is above 5 %, or not known, no
    value is surely within 5 % of another.
    """
    quiet = floor is not None and floor <= NEAR
    return [_knee(comparable, sweep, quiet) for sweep in sweeps(comparable)]


def _knee(comparable: Comparable, sweep: Sweep, quiet: bool) -> Knee:
    at = dict(zip(sweep.values, sweep.cases, strict=True))
    best = min(sweep.values, key=lambda value: comparable.ns(at[value]))
    level = [best]
    for value in sweep.values:
        if value != best:
            found = comparable.compare(at[value], at[best])
            if found is None or found.outcome != "slower":
                level.append(value)
    level.sort()
    near = (
        value
        for value in sweep.values
        if quiet and _is_near(comparable, at[value], [at[each] for each in level])
    )
    return Knee(
        sweep.strategy,
        sweep.setting,
        sweep.others,
        sweep.parameter,
        sweep.values,
        best,
        tuple(level),
        next(near, best if level == [best] else None),
    )


def _is_near(comparable: Comparable, case: int, others: list[int]) -> bool:
    """Whether a case is surely within 5 % of each of the others.

    The others are those that may be the best, so it is then within 5 % of the best, whichever that
    is.
    """
    compared = [comparable.compare(case, other) for other in others if other != case]
    return all(each is not None and each.hi <= 1 + NEAR for each in compared)


_SIZES = ("buffer", "piece")  # the buffer of the library decides the calls, where there is one
_SAME_CALLS = 0.01
_OWN = 32
"""So many calls, in all samples of a case, a runtime may have made for itself: it loads classes
during its first operations.
"""

_OVERRIDDEN = 1.5
"""An API overrides a size if it makes so many times the calls that pieces of this size need."""

_Alike = tuple[str, str, str, tuple[tuple[str, int], ...]]
"""Strategy, setting, parameter, and the values of the other parameters."""


@dataclass(frozen=True)
class ParameterWithoutEffect:
    """A parameter that changed neither the calls nor, beyond the run's precision, the time.

    With `seen`, the API overrides the parameter: its calls moved this many bytes each, fewer than
    any of these values. `others` are the values of the other parameters.
    """

    strategy: str
    setting: str
    others: dict[str, int]
    parameter: str
    values: tuple[int, ...]
    seen: float | None = None


def parameters_without_effect(comparable: Comparable) -> list[ParameterWithoutEffect]:
    """All parameters without effect of a group; the overridden ones come last."""
    overridden = _overridden(comparable)
    told = {
        (each.strategy, each.setting, each.parameter, tuple(each.others.items()))
        for each in overridden
    }
    found = [
        ParameterWithoutEffect(
            sweep.strategy, sweep.setting, sweep.others, sweep.parameter, sweep.values
        )
        for sweep in sweeps(comparable)
        if (sweep.strategy, sweep.setting, sweep.parameter, tuple(sweep.others.items())) not in told
        and _has_no_effect(comparable, sweep)
    ]
    return found + overridden


def _has_no_effect(comparable: Comparable, sweep: Sweep) -> bool:
    """Whether calls and times are the same for all values, though they ask for different calls.

    It is not enough that no difference was found: the times must be shown to be the same.
    """
    entries = [comparable.entries[case] for case in sweep.cases]
    calls = [_all_calls(entry) for entry in entries]
    known = [each for each in calls if each is not None]
    if len(known) < len(calls) or not _alike(known) or _alike(_pieces(sweep, entries[0])):
        return False
    compared = [comparable.compare(*pair) for pair in itertools.combinations(sweep.cases, 2)]
    return all(each and each.outcome == "same" for each in compared)


def _pieces(sweep: Sweep, entry: Entry) -> list[int]:
    """The number of pieces that each value cuts the file into; other parameters are counts already.

    Values that make equally many pieces ask for equally many calls. A block beyond the end of the
    file is the same block, however large.
    """
    if entry.measured is None or entry.measured.strategy.roles[sweep.parameter] not in _SIZES:
        return list(sweep.values)
    size = entry.measured.case.workload.size
    return [math.ceil(size / value) for value in sweep.values]


def _overridden(comparable: Comparable) -> list[ParameterWithoutEffect]:
    """Parameters for which the API makes calls of fewer bytes than it was asked for."""
    asked: dict[_Alike, list[tuple[float, int]]] = defaultdict(list)
    for entry in comparable.entries:
        parameter = _deciding(entry)
        per_call = _cut_to(entry, entry.parameters[parameter]) if parameter else None
        if parameter and per_call:
            alike = entry.strategy, entry.setting or "", parameter
            seen = per_call, entry.parameters[parameter]
            asked[*alike, entry.other_parameters(parameter)].append(seen)
    return [
        ParameterWithoutEffect(
            strategy,
            setting,
            dict(others),
            parameter,
            tuple(sorted({value for _, value in same})),
            same[0][0],
        )
        for (strategy, setting, parameter, others), seen in asked.items()
        for same in _stretches(sorted(seen))
    ]


def _deciding(entry: Entry) -> str | None:
    """The parameter that decides the size of calls; None without one."""
    roles = entry.measured.strategy.roles if entry.measured else {}
    return next((name for size in _SIZES for name in roles if roles[name] == size), None)


def _cut_to(entry: Entry, value: int) -> float | None:
    """The bytes per call, if the API cuts pieces of `value` bytes into smaller ones; else None."""
    measured, calls = entry.measured, _calls(entry)
    if not entry.usable or measured is None or measured.evidence is None or not calls:
        return None
    workload, evidence = measured.case.workload, measured.evidence
    if not measured.strategy.is_checked or workload.accesses or not workload.size:
        return None  # of a command, calls that load its program are among them
    piece = min(value, workload.size)
    due = math.ceil(workload.size / piece) + 1  # the last call finds the end
    moving = write_calls(measured) if workload.operation == "write" else read_calls(measured)
    per_call = moving.per_call if moving else None
    more_calls = calls > _OVERRIDDEN * due and (calls - due) * evidence.operations > _OWN
    return per_call if more_calls and per_call and per_call < piece / _OVERRIDDEN else None


def _stretches(seen: list[tuple[float, int]]) -> list[list[tuple[float, int]]]:
    """Groups of (bytes per call, value), sorted by bytes per call, whose bytes per call are the
    same: the API treats these values alike.
    """
    found: list[list[tuple[float, int]]] = []
    for each in seen:
        if found and each[0] <= found[-1][0][0] * (1 + _SAME_CALLS):
            found[-1].append(each)
        else:
            found.append([each])
    return found


def _alike(counts: Sequence[float]) -> bool:
    return max(counts) - min(counts) <= _SAME_CALLS * max(counts)


def _calls(entry: Entry) -> float | None:
    """System calls of one operation that read the file, or write it for a write.

    None if the kernel counts none (mapped memory), or there is no file.
    """
    measured = entry.measured
    if measured is None or measured.evidence is None or measured.case.workload.medium != "file":
        return None
    writes = measured.case.workload.operation == "write"
    evidence = measured.evidence
    return (evidence.write_calls_per_op if writes else evidence.read_calls_per_op) or None


def _all_calls(entry: Entry) -> float | None:
    """Like `_calls`; for a copy, the calls that read and those that write together.

    None if either number is not known.
    """
    measured = entry.measured
    if measured is None or measured.evidence is None or measured.case.workload.operation != "copy":
        return _calls(entry)
    reads, writes = measured.evidence.read_calls_per_op, measured.evidence.write_calls_per_op
    return None if reads is None or writes is None else reads + writes or None
