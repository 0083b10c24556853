"""Why the cases of a group differ: figures and reasons; sweeps of one parameter, with their knees
and the parameters without effect; and the order in one process, for runs as published.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from iogauge.advice import reasons
from iogauge.advice.reasons import Difference, figures, read_calls, write_calls
from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.data import by_case
from iogauge.analysis.groupreport import GroupReport
from iogauge.claims.comparable import Comparable, Entry
from iogauge.model.units import duration, share, short_size, significant, size
from iogauge.runfile.run import Run

_FEWEST_VALUES = 2
NEAR = 0.05
"""A value that is slower than the best by this share of the time is near enough for a knee."""
_SIZES = ("buffer", "piece")  # the buffer of the library decides the calls, where there is one
_SAME_CALLS = 0.01
_OWN = 32
"""So many calls, in all samples of a case, a runtime may have made for itself: it loads classes
during its first operations.
"""
_OVERRIDDEN = 1.5
"""An API overrides a size if it makes so many times the calls that pieces of this size need."""

_Place = tuple[str, str, tuple[tuple[str, int], ...], str]
"""Of cases that differ in one parameter: strategy, setting, the other parameters, and this one."""


@dataclass(frozen=True)
class Sweep:
    """One strategy in one setting, over the `values` of one parameter, in ascending order. `others`
    are the values of its other parameters.
    """

    strategy: str
    setting: str
    others: dict[str, int]
    parameter: str
    values: tuple[int, ...]


@dataclass(frozen=True)
class Knee(Sweep):
    """What a sweep says of the best value of its parameter.

    `best` is the fastest value. `level` are all values that cannot be told apart from it, and
    itself. `near` is the smallest value that is surely within 5 % of the best; None if the
    intervals are too wide, or the noise is too large, to say.
    """

    best: int
    level: tuple[int, ...]
    near: int | None


@dataclass(frozen=True)
class ParameterWithoutEffect(Sweep):
    """A parameter that changed neither the calls nor, beyond the run's precision, the time.

    With `seen`, the API overrides the parameter: its calls moved this many bytes each, fewer than
    any of these values.
    """

    seen: float | None = None


@dataclass(frozen=True)
class Explanation:
    """A case with the reasons for its time, how much it reaches of what the machine can do, and its
    other figures, as (name, figure).
    """

    case: CaseReport
    figures: tuple[tuple[str, str], ...]
    says: tuple[str, ...]
    of_limit: str | None


@dataclass(frozen=True)
class GroupExplained:
    """A group with its cases explained, and by set why one takes longer than what to use. There are
    neither these nor knees without verdicts.
    """

    group: GroupReport
    cases: tuple[Explanation, ...]
    differences: Mapping[str, Difference]
    knees: tuple[Knee, ...]
    without_effect: tuple[ParameterWithoutEffect, ...]


def of_group(group: GroupReport, comparable: Comparable) -> GroupExplained:
    """Explains a group. Parameters without effect are named even without verdicts."""
    cases = tuple(of_case(case) for case in group.cases if case.ns_per_op and case.evidence)
    has_verdicts = group.has_verdicts and not group.provisional
    found = tuple(knees(comparable, group.noise_floor)) if has_verdicts else ()
    answers = group.answers.items() if group.has_verdicts else ()
    why = {name: each for name, answer in answers if (each := reasons.of_answer(answer))}
    return GroupExplained(group, cases, why, found, tuple(parameters_without_effect(comparable)))


def of_case(case: CaseReport) -> Explanation:
    """Explains one measured case."""
    found = reasons.of_case(case)
    told = {name for each in found for name in each.tells}
    others = tuple(each for each in figures(case) if each[0] not in told)
    says = tuple(each.says for each in found)
    return Explanation(case, others, says, reasons.of_limit(case))


def _place(entry: Entry, parameter: str) -> _Place:
    return entry.strategy, entry.setting or "", entry.other_parameters(parameter), parameter


def _sweeps(comparable: Comparable) -> dict[_Place, dict[int, int]]:
    """All sweeps of at least two values: the index of each entry by value, in ascending order."""
    found: defaultdict[_Place, dict[int, int]] = defaultdict(dict)
    for index, entry in enumerate(comparable.entries):
        if entry.usable and entry.measured:
            for parameter, value in entry.parameters.items():
                found[_place(entry, parameter)][value] = index
    return {
        place: dict(sorted(cases.items()))
        for place, cases in found.items()
        if len(cases) >= _FEWEST_VALUES
    }


def knees(comparable: Comparable, floor: float | None = 0.0) -> list[Knee]:
    """The knee of each sweep.

    `floor` is the group's noise floor, a share of the time. If it is above 5 %, or not known, no
    value is surely within 5 % of another.
    """
    quiet = floor is not None and floor <= NEAR
    return [_knee(comparable, *each, quiet) for each in _sweeps(comparable).items()]


def _knee(comparable: Comparable, place: _Place, at: dict[int, int], quiet: bool) -> Knee:
    strategy, setting, others, parameter = place
    best = min(at, key=lambda value: comparable.ns(at[value]))
    compared = {value: comparable.compare(at[value], at[best]) for value in at if value != best}
    slower = {value for value, ratio in compared.items() if ratio and ratio.outcome == "slower"}
    level = tuple(value for value in at if value not in slower)
    near = (
        value
        for value in at
        if quiet and _is_near(comparable, at[value], [at[each] for each in level])
    )
    surely = next(near, best if level == (best,) else None)
    return Knee(strategy, setting, dict(others), parameter, tuple(at), best, level, surely)


def _is_near(comparable: Comparable, case: int, others: list[int]) -> bool:
    """Whether a case is surely within 5 % of each of the others.

    The others are those that may be the best, so it is then within 5 % of the best, whichever that
    is.
    """
    compared = [comparable.compare(case, other) for other in others if other != case]
    return all(each is not None and each.hi <= 1 + NEAR for each in compared)


def parameters_without_effect(comparable: Comparable) -> list[ParameterWithoutEffect]:
    """All parameters without effect of a group; the overridden ones come last."""
    overridden = list(_overridden(comparable))
    told = {place for place, *_ in overridden}
    found = [
        (place, tuple(cases), None)
        for place, cases in _sweeps(comparable).items()
        if place not in told and _has_no_effect(comparable, place[-1], cases)
    ]
    return [
        ParameterWithoutEffect(strategy, setting, dict(others), parameter, values, seen)
        for (strategy, setting, others, parameter), values, seen in [*found, *overridden]
    ]


def _has_no_effect(comparable: Comparable, parameter: str, cases: dict[int, int]) -> bool:
    """Whether calls and times are the same for all values, though they ask for different calls.

    It is not enough that no difference was found: the times must be shown to be the same.
    """
    entries = [comparable.entries[case] for case in cases.values()]
    calls = (_calls(each, all_of_copy=True) for each in entries)
    known = [each for each in calls if each is not None]
    pieces = _pieces(entries[0], parameter, list(cases))
    if len(known) < len(entries) or not _alike(known) or _alike(pieces):
        return False
    compared = [comparable.compare(*pair) for pair in itertools.combinations(cases.values(), 2)]
    return all(each and each.outcome == "same" for each in compared)


def _pieces(entry: Entry, parameter: str, values: list[int]) -> list[int]:
    """The number of pieces that each value cuts the file into; other parameters are counts already.

    Values that make equally many pieces ask for equally many calls. A block beyond the end of the
    file is the same block, however large.
    """
    if entry.measured is None or entry.measured.strategy.roles[parameter] not in _SIZES:
        return values
    return [math.ceil(entry.measured.case.workload.size / value) for value in values]


def _overridden(comparable: Comparable) -> Iterator[tuple[_Place, tuple[int, ...], float]]:
    """Parameters for which the API makes calls of fewer bytes than it was asked for: the values
    that it treats alike, and the bytes of a call.
    """
    asked: defaultdict[_Place, list[tuple[float, int]]] = defaultdict(list)
    for entry in comparable.entries:
        roles = entry.measured.strategy.roles if entry.measured else {}
        deciding = (name for size in _SIZES for name in roles if roles[name] == size)
        if parameter := next(deciding, None):
            value = entry.parameters[parameter]
            if per_call := _cut_to(entry, value):
                asked[_place(entry, parameter)].append((per_call, value))
    for place, seen in asked.items():
        for same in _stretches(sorted(seen)):
            yield place, tuple(sorted({value for _, value in same})), same[0][0]


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


def _calls(entry: Entry, *, all_of_copy: bool = False) -> float | None:
    """System calls of one operation that read the file, or write it for a write; for a copy perhaps
    those that read and those that write together.

    None if the kernel counts none (mapped memory), if it is not known, or if there is no file.
    """
    measured = entry.measured
    if measured is None or measured.evidence is None or measured.case.workload.medium != "file":
        return None
    operation = measured.case.workload.operation
    reads, writes = measured.evidence.read_calls_per_op, measured.evidence.write_calls_per_op
    if operation == "copy" and all_of_copy:
        return None if reads is None or writes is None else reads + writes or None
    return (writes if operation == "write" else reads) or None


def of_knee(knee: Knee, called: Mapping[str, str], several: bool = False) -> str:
    """`FileInputStream: the best block is 1M, and 256K may be as good. The smallest that is surely
    within 5 % is 64K.`

    `called` has what users call a strategy. With `several` runtimes, it names the runtime.
    """
    others = ", ".join(short_size(value) for value in knee.level if value != knee.best)
    so_far = " so far" if knee.near is None else ""
    best = f"{_named(knee, called, several)}: the best {knee.parameter}{so_far} is "
    best += short_size(knee.best) + (f", and {others} may be as good" if others else "")
    if knee.near is None:
        return f"{best}. That is not sure yet."
    if not others and knee.near == knee.best:
        return f"{best}. No smaller one is surely within {share(NEAR)}."
    near = short_size(knee.near)
    return f"{best}. The smallest that is surely within {share(NEAR)} is {near}."


def of_parameter_without_effect(
    knob: ParameterWithoutEffect, precision: float, called: Mapping[str, str], several: bool = False
) -> str:
    """`FileWriter: buffer has no effect from 1K to 1M. …`

    `precision` is that of the run, a share of the time. `called` has what users call a strategy.
    With `several` runtimes, it names the runtime.
    """
    name = _named(knob, called, several)
    if knob.seen is not None:
        values = ", ".join(short_size(each) for each in knob.values)
        return (
            f"{name}: the API overrides {knob.parameter} {values}. "
            f"Its calls move {size(knob.seen)} each."
        )
    values = f"{short_size(knob.values[0])} to {short_size(knob.values[-1])}"
    return (
        f"{name}: {knob.parameter} has no effect from {values}. "
        f"The calls stay the same, and the time changes by {share(precision)} at most."
    )


def _named(sweep: Knee | ParameterWithoutEffect, called: Mapping[str, str], several: bool) -> str:
    inside = ", ".join(f"{name} {short_size(value)}" for name, value in sweep.others.items())
    return (
        called.get(sweep.strategy, sweep.strategy)
        + (f" ({inside})" if inside else "")
        + (f" on {sweep.setting}" if several else "")
    )


# In a run as published one process may serve several cases, one after another, and none is warmed
# up as long as it takes. So two cases that do the same may differ because of their order.
_APART = 2.0  # times the time, and the order is worth a word
_FELL = 1.5  # times as long in the first iteration as in the last one
_FEWEST_ITERATIONS = 3  # before their times can fall

Falls = Mapping[str, tuple[float, float]]
"""The time of the first and of the last iteration of a case (ns), by its key; falling ones only."""


def falls(run: Run) -> dict[str, tuple[float, float]]:
    """The cases of a run as published that still got faster while they were measured.

    It takes a protocol with iterations. The times are medians over repetitions of the procedure.
    """
    if not run.plan.published or run.plan.published.iterations < _FEWEST_ITERATIONS:
        return {}
    found = {}
    for case, rows in zip(run.plan.cases, by_case(run), strict=True):
        rounds, levels = run.columns.round[rows], run.columns.levels[rows]
        ends = [levels[rounds == each] for each in (0, rounds.max(initial=0))]
        if rounds.max(initial=0) + 1 >= _FEWEST_ITERATIONS and all(map(len, ends)):
            first, last = (float(np.median(each)) for each in ends)
            if first >= _FELL * last:
                found[case.key] = first, last
    return found


def of_order(run: Run, comparable: Comparable, falling: Falls) -> Iterator[str]:
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
            yield _of_place(comparable.entries, fast, slow)


def _of_place(entries: Sequence[Entry], fast: int, slow: dict[int, float]) -> str:
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
    mine, yours = _moving(a), _moving(b)
    return len(mine) == len(yours) > 0 and all(map(_alike, zip(mine, yours, strict=True)))


def _moving(case: CaseReport) -> list[float]:
    """How many calls move the data of an operation, and how many bytes each; empty if not known."""
    workload = case.case.workload
    ways = (workload.reads_file, read_calls), (workload.writes_file, write_calls)
    found = [calls_of(case) for does, calls_of in ways if does]
    if not all(found):
        return []
    return [figure for each in found if each for figure in (each.number, each.per_call)]
