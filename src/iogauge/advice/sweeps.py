"""Sweeps: cases of a group that differ in one parameter only. Where the best begins, and which
parameters do nothing.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from iogauge.claims.numbers import Entry, Table
from iogauge.model.strategy import ParameterRole

NEAR = 0.05  # so much slower than the best is near enough for most
_FEWEST = 2  # values
_SIZES = ("buffer", "piece")  # the library's own buffer decides calls, where there is one
_SAME_CALLS = 0.01
# calls in all samples of a case that a runtime may have made for itself: its first operations load
# classes
_OWN = 32
_OVERRIDDEN = 1.5  # times as many calls as the pieces that were asked for would make


@dataclass(frozen=True)
class Knee:
    """Along a parameter: which values cannot be told from the best (`level`), and the smallest that
    is surely within 5 % of every other one.

    `others` are the values of the other parameters. `near` is None where the intervals are too
    wide, or the noise is too large, to say.
    """

    strategy: str
    setting: str
    others: dict[str, int]
    parameter: str
    values: tuple[int, ...]
    best: int
    level: tuple[int, ...]
    near: int | None


@dataclass(frozen=True)
class DeadKnob:
    """A parameter that changed neither the calls nor, beyond the precision of the run, the time
    over these values. With `seen`, one that the API overrides: it made calls of so many bytes,
    fewer than any of these values.
    """

    strategy: str
    setting: str
    others: dict[str, int]
    parameter: str
    values: tuple[int, ...]
    seen: float | None = None


@dataclass(frozen=True)
class _Sweep:
    strategy: str
    setting: str
    others: dict[str, int]
    parameter: str
    role: ParameterRole
    values: tuple[int, ...]  # ascending
    places: tuple[int, ...]  # of their entries


def knees(table: Table, floor: float | None = 0.0) -> list[Knee]:
    """`floor` is the group's noise floor, a share of the time: where it is above 5 %, or not known,
    nothing is surely within 5 % of another.
    """
    quiet, found = floor is not None and floor <= NEAR, []
    for sweep in _sweeps(table):
        at = dict(zip(sweep.values, sweep.places, strict=True))
        best = min(at, key=lambda value: table.entries[at[value]].ns)  # noqa: B023
        against = {
            value: table.compare(at[value], at[best]) for value in sweep.values if value != best
        }
        level = sorted(
            [
                best,
                *(
                    value
                    for value, each in against.items()
                    if not (each and each.outcome == "slower")
                ),
            ]
        )
        near = next(
            (
                value
                for value in sweep.values
                if quiet and _within(table, at[value], [at[each] for each in level])
            ),
            best if level == [best] else None,
        )
        found.append(
            Knee(
                sweep.strategy,
                sweep.setting,
                sweep.others,
                sweep.parameter,
                sweep.values,
                best,
                tuple(level),
                near,
            )
        )
    return found


def _within(table: Table, place: int, places: list[int]) -> bool:
    """Whether it is surely within 5 % of each of those that may be the best: of the best, then,
    whichever that is.
    """
    compared = [table.compare(place, other) for other in places if other != place]
    return all(each is not None and each.hi <= 1 + NEAR for each in compared)


def dead_knobs(table: Table) -> list[DeadKnob]:
    """Absence of a difference is not enough: the times have to be the same."""
    overridden = _overridden(table)
    told = {
        (each.strategy, each.setting, each.parameter, tuple(each.others.items()))
        for each in overridden
    }
    found = []
    for sweep in _sweeps(table):
        size = table.entries[sweep.places[0]].measured.case.workload.size
        calls = [_all_calls(table.entries[place]) for place in sweep.places]
        # As many pieces of a file are as many calls, whatever their size; beyond its end a block is
        # the same block.
        pieces = [
            math.ceil(size / value) if sweep.role in _SIZES else value for value in sweep.values
        ]
        if (
            (sweep.strategy, sweep.setting, sweep.parameter, tuple(sweep.others.items())) in told
            or None in calls
            or _alike(pieces)
            or not _alike(calls)
        ):
            continue
        compared = [table.compare(*pair) for pair in itertools.combinations(sweep.places, 2)]
        if all(each and each.outcome == "same" for each in compared):
            found.append(
                DeadKnob(sweep.strategy, sweep.setting, sweep.others, sweep.parameter, sweep.values)
            )
    return found + overridden


def _overridden(table: Table) -> list[DeadKnob]:
    """Calls of fewer bytes than the pieces that were asked for: the API cuts them."""
    asked: dict[tuple[str, str, str, tuple[tuple[str, int], ...]], list[tuple[float, int]]] = (
        defaultdict(list)
    )
    for entry in table.entries:
        if not entry.sound or entry.failure or entry.measured is None:
            continue
        parameter, calls = _deciding(entry), _calls(entry)
        if (
            parameter is None
            or not calls
            or entry.measured.case.workload.accesses
            or not entry.measured.case.workload.size
        ):
            continue
        workload = entry.measured.case.workload
        value = min(entry.parameters[parameter], workload.size)
        due = math.ceil(workload.size / value) + 1  # the last one finds the end
        evidence = entry.measured.evidence
        per_call = (
            evidence.bytes_per_write_call
            if workload.operation == "write"
            else evidence.bytes_per_read_call
        )
        if workload.operation != "write" and per_call and calls > 2:
            per_call *= calls / (calls - 1)  # but for the last one
        if (
            calls > _OVERRIDDEN * due
            and (calls - due) * evidence.operations > _OWN
            and per_call
            and per_call < value / _OVERRIDDEN
        ):
            others = tuple(
                sorted(
                    (name, other) for name, other in entry.parameters.items() if name != parameter
                )
            )
            asked[entry.strategy, entry.setting, parameter, others].append(
                (per_call, entry.parameters[parameter])
            )
    return [
        DeadKnob(
            strategy,
            setting,
            dict(others),
            parameter,
            tuple(sorted({value for _, value in alike})),
            alike[0][0],
        )
        for (strategy, setting, parameter, others), seen in asked.items()
        for alike in _runs(sorted(seen))
    ]


def _deciding(entry: Entry) -> str | None:
    """The parameter that decides the size of calls; None without one."""
    roles = entry.measured.roles
    return next((name for size in _SIZES for name in roles if roles[name] == size), None)


def _runs(seen: list[tuple[float, int]]) -> list[list[tuple[float, int]]]:
    """Stretches of ascending bytes per call that are the same: what the API makes of several
    values.
    """
    found: list[list[tuple[float, int]]] = []
    for each in seen:
        if found and each[0] <= found[-1][0][0] * (1 + _SAME_CALLS):
            found[-1].append(each)
        else:
            found.append([each])
    return found


def _alike(counts: Sequence[float | None]) -> bool:
    return max(counts) - min(counts) <= _SAME_CALLS * max(counts)


def _sweeps(table: Table) -> list[_Sweep]:
    found: dict[tuple[str, str, str, tuple[tuple[str, int], ...]], list[tuple[int, int]]] = (
        defaultdict(list)
    )
    for place, entry in enumerate(table.entries):
        if not entry.sound or entry.failure or entry.measured is None:
            continue
        for parameter, value in entry.parameters.items():
            others = tuple(
                sorted(
                    (name, other) for name, other in entry.parameters.items() if name != parameter
                )
            )
            found[entry.strategy, entry.setting, parameter, others].append((value, place))
    return [
        _Sweep(
            strategy,
            setting,
            dict(others),
            parameter,
            table.entries[cases[0][1]].measured.roles[parameter],
            *zip(*sorted(cases), strict=True),
        )
        for (strategy, setting, parameter, others), cases in found.items()
        if len(cases) >= _FEWEST
    ]


def _calls(entry: Entry) -> float | None:
    """System calls of an operation that read or write a file; None where the kernel counts none
    (mapped memory), or there is no file.
    """
    measured = entry.measured
    if measured is None or measured.evidence is None or measured.case.workload.medium != "file":
        return None
    writes = measured.case.workload.operation == "write"
    return (
        measured.evidence.write_calls_per_op if writes else measured.evidence.read_calls_per_op
    ) or None


def _all_calls(entry: Entry) -> float | None:
    """Of a copy, those that read and those that write; None where it is not known of one of them."""
    measured = entry.measured
    if measured is None or measured.evidence is None or measured.case.workload.operation != "copy":
        return _calls(entry)
    both = measured.evidence.read_calls_per_op, measured.evidence.write_calls_per_op
    return None if None in both else sum(both) or None
