"""Runs → advice: for a workload the simplest way, and the smallest block or buffer, that is surely
within 5 % of the best of those compared.

Where the intervals are too wide to be sure of any, it is the fastest so far (or what is simpler and
hardly slower), and the advice says how much that may lose.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from iogauge.advice import explain
from iogauge.advice.sweeps import NEAR
from iogauge.analysis.analysis import CLEARS
from iogauge.analysis.report import CaseReport, GroupReport, Report
from iogauge.claims import numbers
from iogauge.claims.numbers import Table
from iogauge.model.case import Case
from iogauge.model.plan import Group, Plan
from iogauge.model.strategy import Runtime, Strategy
from iogauge.model.units import short_size, size
from iogauge.model.workload import Cache, Durability, Operation
from iogauge.runfile.runfile import Header
from iogauge.runners import hints
from iogauge.statistics.stats import (
    TOTAL_ERROR,
    Comparison,
    family_size,
    interval,
    paired_log_ratios,
)

DEFAULT_SIZE = 16 << 20
_LIKE = 2.0  # a file so many times as large, or as small, still tells
_FEWEST = 2  # ways that are compared
_LARGEST_LOG = 700.0
# times the fastest so far: where nothing is sure, what is simpler is preferred to less than that
_AS_GOOD = 1.02
# smaller ones are pieces that a program hands over: another workload, unless it is asked for
_SMALLEST_BLOCK = 4096
_BLOCKS, _LARGE_BUFFER = (8192, 131072), 65536
_MOST_MEMORY = (
    1 / 8
)  # of what is available, that a way may hold: two forks with twice as much fit into half of it
_KINDS = {
    "byte": ("byte",),
    "char": ("utf16", "codepoint"),
    "line": ("line-byte", "line-utf16", "line-codepoint"),
}
Unit = Literal["byte", "char", "line"]


@dataclass(frozen=True)
class Wanted:
    """A workload in plain options. `size` in bytes, None for any; `unit` is as what the program
    takes the data; `record` is how much it hands over at a time (bytes, or characters of text),
    where that is given; `own` for a file of the user's. Of a language, or of all of them.
    """

    language: str | None = None
    operation: Operation = "read"
    unit: Unit = "byte"
    size: int | None = None
    cache: Cache | None = None
    durability: Durability | None = None
    record: int | None = None
    own: bool = False

    @property
    def title(self) -> str:
        what = {"byte": "", "char": " as text", "line": " line by line"}[self.unit]
        length = f" of {size(self.size)}" if self.size is not None else ""
        file = f"{'your' if self.own else 'a'} file{length}"
        pieces = (
            f" in pieces of {f'{self.record} characters' if self.unit == 'char' else size(self.record)}"
            if self.record
            else ""
        )
        durable = (
            None
            if self.durability is None
            else "not made durable"
            if self.durability == "none"
            else f"made durable by {self.durability}"
        )
        return (
            f"{self.operation} {', '.join(filter(None, (f'{file}{what}{pieces}', self.cache, durable)))}"
            + (f", in {self.language}" if self.language else "")
        )

    @property
    def options(self) -> list[str]:
        """As they are given on the command line; an own file has its size from itself."""
        given = {
            "language": self.language,
            "operation": self.operation,
            "unit": self.unit,
            "cache": self.cache,
            "durability": self.durability,
        }
        usual = {"operation": "read", "unit": "byte", "cache": "warm", "durability": "none"}
        sizes = {"size": None if self.own else self.size, "record": self.record}
        named = {
            name: value for name, value in given.items() if value and value != usual.get(name)
        } | {name: short_size(value) for name, value in sizes.items() if value}
        return [word for name, value in named.items() for word in (f"--{name}", value)]


@dataclass(frozen=True)
class Advice:
    """`worst` is how many times the best's time the choice may take at most, of `among` cases that
    were compared. `fastest` is set where another came out faster; `simpler` is the best of what
    takes less effort to write, `smaller` the choice with a smaller block or buffer; each with its
    time over the choice's. `hint` is None where it would not do what was asked. `leads`: no other
    took less time in most replicates; `in_most`: the `fastest` did.
    """

    header: Header
    caveats: tuple[str, ...]  # of the run
    group: GroupReport
    choice: CaseReport
    among: int
    uncompared: int
    # ways left out since they seem to be faster than the machine: their time, or the ceiling, is
    # wrong
    beyond_ceiling: int
    worst: float
    leads: bool
    fastest: tuple[CaseReport, Comparison] | None
    in_most: bool
    simpler: tuple[CaseReport, Comparison] | None
    smaller: tuple[CaseReport, Comparison] | None
    reason: str | None
    hint: str | None
    runs: int  # that the comparisons rest on

    @property
    def sure(self) -> bool:
        """Within 5 %, in a finished group whose own noise is no larger than that."""
        floor = self.group.noise_floor
        return (
            self.worst <= 1 + NEAR
            and not self.group.provisional
            and floor is not None
            and floor <= NEAR
        )


def distance(plan: Plan, runtimes: Sequence[Runtime], wanted: Wanted) -> float | None:
    """How far the nearest group of a plan is from what is wanted: the log of the ratio of sizes.
    None where it has none that covers it.
    """
    apart = [
        _apart(group, wanted)
        for group in plan.groups
        if not plan.published and _rivals(plan, advisable(plan, group, runtimes, wanted))
    ]
    return min((each for each in apart if each is not None), default=None)


def _rivals(plan: Plan, cases: list[int]) -> bool:
    """Whether some language has two ways among these cases."""
    return max(Counter(plan.cases[case].language for case in cases).values(), default=0) >= _FEWEST


def of_run(report: Report, wanted: Wanted, others: Sequence[Report] = ()) -> dict[str, Advice]:
    """Advice per language (or runtime) that is asked about, from the group nearest to it with most
    ways; none where no verdict rests on it.

    Ways are compared by the replicates of this run and, where they measured the same, of `others`.
    """
    plan = report.run.plan
    found: dict[str, tuple[tuple[float, int], Advice]] = {}
    for group, planned, table in zip(
        report.groups, plan.groups, numbers.of_run(report), strict=True
    ):
        apart = _apart(planned, wanted)
        if plan.published or not group.has_verdicts or apart is None:
            continue
        keys = {
            plan.cases[case].key
            for case in advisable(plan, planned, report.run.header.runtimes, wanted)
        }
        same = [_Replicates.of(report, group), *_the_same(report, group, others)]
        table = _together(table, same) if len(same) > 1 else table
        for name in dict.fromkeys(case.rank_set for case in group.cases):
            places = [
                place
                for place, entry in enumerate(table.entries)
                if entry.measured
                and entry.ns is not None
                and not entry.failure
                and entry.measured.rank_set == name
                and entry.measured.case.key in keys
            ]
            beyond = [place for place in places if _beyond_ceiling(table.entries[place].measured)]
            places = [place for place in places if place not in beyond]
            rank = apart, -len({table.entries[place].strategy for place in places})
            if len(places) >= _FEWEST and (name not in found or rank < found[name][0]):
                found[name] = (
                    rank,
                    choose(
                        report, group, table, places, _medians(table, same), len(beyond), len(same)
                    ),
                )
    return {name: advice for name, (_, advice) in found.items()}


def _apart(group: Group, wanted: Wanted) -> float | None:
    workload, conditions = group.workload, group.conditions
    asked = (wanted.operation, wanted.cache, wanted.durability, wanted.own)
    if (
        workload.operation,
        conditions.cache,
        conditions.durability,
        workload.content == "own",
    ) != asked or workload.medium != "file":
        return None
    if (
        workload.accesses
        or workload.mode == "append"
        or workload.content == "sparse"
        or not workload.size
    ):
        return None
    if (
        workload.operation == "read" and workload.consume == "none"
    ):  # nobody reads without looking at it
        return None
    apart = 0.0 if wanted.size is None else abs(math.log(workload.size / wanted.size))
    return apart if apart <= math.log(_LIKE) else None


def advisable(plan: Plan, group: Group, runtimes: Sequence[Runtime], wanted: Wanted) -> list[int]:
    """The cases of a group that do what is wanted and that may be advised."""
    named, known = hints.all_names(), {runtime.name: runtime.strategies for runtime in runtimes}
    return [
        number
        for number in group.cases
        if number != group.twin
        and plan.cases[number].strategy in named
        and _does(
            known[plan.cases[number].runtime][plan.cases[number].strategy],
            plan.cases[number],
            wanted,
        )
    ]


def _does(strategy: Strategy, case: Case, wanted: Wanted) -> bool:
    if (
        strategy.role != "contestant"
        or strategy.sums not in _KINDS[wanted.unit]
        or wanted.language not in (None, case.language)
    ):
        return False
    block = strategy.value("piece", case.parameters, otherwise=None)
    if wanted.record:
        return wanted.operation == "read" if block is None else block == wanted.record
    return block is None or block >= min(_SMALLEST_BLOCK, case.workload.size)


def _beyond_ceiling(case: CaseReport) -> bool:
    """Advice is acted upon: 95 % are enough to leave out what a table calls impossible at 99 %."""
    return case.impossible or (case.of_ceiling is not None and case.of_ceiling.lo > CLEARS)


Typical = Callable[[int, int], float | None]
"""Time of an entry of a table over another's, in most replicates; None where they share none."""


def choose(
    report: Report,
    group: GroupReport,
    table: Table,
    places: list[int],
    typical: Typical,
    beyond_ceiling: int = 0,
    runs: int = 1,
) -> Advice:
    """The simplest of those that are near enough, whichever is the best; among equally simple ones
    that with the smallest block or buffer.

    What was settled early and is surely behind another is no choice. What could not be compared
    with any other (too few of its samples are valid) is left out. Where none is surely near enough
    it is the typically fastest so far, or what is simpler and hardly slower: how wide an interval
    is says nothing for a way.
    """
    case = {place: table.entries[place].measured for place in places}
    known = [
        place
        for place in places
        if any(table.compare(place, other) is not None for other in places if other != place)
    ] or places
    unsettled = [place for place in known if not case[place].settled]
    rivals = [
        place for place in known if not (case[place].settled and _behind(table, place, unsettled))
    ]
    worst = {
        place: max(
            [1.0, *(_most(table.compare(place, other)) for other in rivals if other != place)]
        )
        for place in rivals
    }
    near = [place for place in rivals if worst[place] <= 1 + NEAR]
    if near:
        chosen = min(
            near,
            key=lambda place: (
                case[place].effort,
                sum(case[place].case.parameters.values()),
                worst[place],
            ),
        )
    else:
        fastest_yet = _fastest(table, rivals, typical)
        behind = {
            place: 1.0 if place == fastest_yet else typical(place, fastest_yet) or math.inf
            for place in rivals
        }
        chosen = min(
            (place for place in rivals if behind[place] <= _AS_GOOD),
            key=lambda place: (case[place].effort, behind[place]),
        )

    def against(others: Iterable[int]) -> tuple[CaseReport, Comparison] | None:
        """The fastest of them, with its time over that of the choice."""
        found = [
            (case[place], ratio)
            for place in others
            if place != chosen and (ratio := table.compare(place, chosen)) is not None
        ]
        return min(found, key=lambda each: each[1].center, default=None)

    mine = case[chosen].case
    fastest = against(rivals)
    quicker = [
        case[place]
        for place in rivals
        if place != chosen and (typical(place, chosen) or math.inf) < 1
    ]
    smaller = [
        place
        for place in places
        if case[place].case.strategy == mine.strategy
        and all(
            value <= mine.parameters[name] for name, value in case[place].case.parameters.items()
        )
    ]
    return Advice(
        header=report.run.header,
        caveats=report.caveats,
        group=group,
        choice=case[chosen],
        among=len(known),
        uncompared=len(places) - len(known),
        beyond_ceiling=beyond_ceiling,
        worst=worst[chosen],
        leads=not quicker,
        fastest=fastest if fastest and fastest[1].center < 1 else None,
        in_most=fastest is not None and fastest[0] in quicker,
        simpler=against(place for place in places if case[place].effort < case[chosen].effort),
        smaller=against(smaller),
        reason=explain.reason(case[chosen]),
        hint=None if mine.conditions.durable else hints.of(mine.strategy, mine.parameters),
        runs=runs,
    )


@dataclass(frozen=True)
class _Replicates:
    """Of a group its log_ns, shape (R, K, C), the column of each case by its key, and that of its
    baseline.
    """

    log_ns: np.ndarray
    columns: dict[str, int]
    baseline: int

    @classmethod
    def of(
        cls, report: Report, group: GroupReport, builds: dict[str, str] | None = None
    ) -> _Replicates:
        """Without what may not be compared; of those builds of runners, where they are given."""
        data, cases = group.data, report.run.plan.cases
        built = _builds(report)
        usable = [
            case
            for case in data.group.cases
            if case != data.group.twin and data.column(case) not in data.unusable
        ]
        return cls(
            data.log_ns,
            {
                cases[case].key: data.column(case)
                for case in usable
                if builds is None or builds.get(cases[case].runtime) == built[cases[case].runtime]
            },
            data.column(data.group.baseline),
        )

    def log_ratios(self, case: str, reference: str) -> np.ndarray:
        """Those of a pair, one for each replicate that both have; none where one was not measured."""
        if not {case, reference} <= self.columns.keys():
            return np.array([])
        found = paired_log_ratios(
            self.log_ns, self.columns[case], self.columns[reference], self.baseline
        )
        return found[np.isfinite(found)]


def identity(header: Header) -> tuple[str, str, object]:
    """What copies of a run share, whatever their files are called."""
    return header.id, header.started, header.host.get("identity")


def _place(header: Header) -> tuple[str, str | None, str | None]:
    return header.iogauge, header.host.get("identity"), header.host.get("file_system")


def _builds(report: Report) -> dict[str, str]:
    return {runtime.name: runtime.build for runtime in report.run.header.runtimes}


def _the_same(report: Report, group: GroupReport, others: Sequence[Report]) -> list[_Replicates]:
    """The replicates of other runs in which the same cases were measured as in this group, on this
    machine and file system, by the same runners; of copies of a run only one.
    """
    asked, place = (group.workload, group.conditions), _place(report.run.header)
    distinct = {identity(each.run.header): each for each in reversed((report, *others))}
    return [
        found
        for other in reversed(distinct.values())
        if other is not report
        and not other.run.plan.published
        and None not in place
        and _place(other.run.header) == place
        for each in other.groups
        if (each.workload, each.conditions) == asked and each.has_verdicts
        if len((found := _Replicates.of(other, each, _builds(report))).columns) >= _FEWEST
    ]


def _together(table: Table, same: list[_Replicates]) -> Table:
    """A table whose pairs are compared by the replicates of several runs: a replicate's ratio is
    its own, whenever it was measured.

    With k of them each has the error of one run's pair divided by k (k + 1): however often a run is
    added and looked at, these looks together add half of what the first run alone may err.
    """
    pairs = family_size(len(same[0].columns))
    error = TOTAL_ERROR / pairs / len(same) / (len(same) + 1)
    keys = [entry.measured.case.key if entry.measured else "" for entry in table.entries]

    def of_pair(case: int, reference: int, comparisons: int) -> Comparison | None:
        alone = table.of_pair(case, reference, comparisons)
        ratios = np.concatenate([each.log_ratios(keys[case], keys[reference]) for each in same])
        if alone is None or alone.settled or len(ratios) <= alone.replicates:
            return alone
        found = interval(ratios, error)
        return Comparison(
            alone.case,
            alone.reference,
            *(math.exp(min(each, _LARGEST_LOG)) for each in (found.center, found.lo, found.hi)),
            found.n,
            "undecided",
            final=False,
        )

    return replace(table, of_pair=of_pair)


def _medians(table: Table, same: Sequence[_Replicates]) -> Typical:
    """Of all their replicates, and not the centre of the interval: that is a mean where they are
    few, and one replicate in which a way took four times as long decides it.
    """
    keys = [entry.measured.case.key if entry.measured else "" for entry in table.entries]

    def typical(case: int, reference: int) -> float | None:
        ratios = np.concatenate([each.log_ratios(keys[case], keys[reference]) for each in same])
        if len(ratios):
            return math.exp(min(float(np.median(ratios)), _LARGEST_LOG))
        found = table.compare(case, reference)  # too few samples of one are valid
        return None if found is None else found.center

    return typical


def _fastest(table: Table, places: list[int], typical: Typical) -> int:
    """By the replicates that a pair shares: a way that was measured in fewer of them may have met a
    quieter machine.
    """
    fastest, met = min(places, key=lambda place: table.entries[place].ns), set()
    while fastest not in met:
        met.add(fastest)
        faster = {
            place: found
            for place in places
            if place not in met and (found := typical(place, fastest)) is not None and found < 1
        }
        fastest = min(faster, key=lambda place: faster[place], default=fastest)
    return fastest


def _behind(table: Table, place: int, others: list[int]) -> bool:
    return any(
        (found := table.compare(place, other)) is not None and found.outcome == "slower"
        for other in others
    )


def _most(found: Comparison | None) -> float:
    return math.inf if found is None else found.hi


# what would tell


def study_text(
    wanted: Wanted, runtimes: Sequence[Runtime], memory: int, budget: float
) -> str | None:
    """A study that measures the ways that may be advised, as TOML; None where no language has two.
    What would need too much of the available `memory`, in bytes, is left out.
    """
    length = DEFAULT_SIZE if wanted.size is None else wanted.size
    declared = {
        name: strategy
        for runtime in runtimes
        for name, strategy in runtime.strategies.items()
        if not strategy.unavailable
    }
    tried = {
        name: values
        for name, strategy in sorted(declared.items())
        if name in hints.all_names()
        and _fits(strategy, wanted, length, memory)
        and (values := _values(strategy, wanted, length)) is not None
    }
    ways = Counter(
        {
            language: sum(
                math.prod(map(len, tried[name].values()))
                for name in tried
                if declared[name].language == language
            )
            for language in {each.language for each in declared.values()}
        }
    )
    rows = [
        f'[[group.case]]\nstrategy = "{name}"\nparameters = {{ {", ".join(f"{key} = {some}" for key, some in values.items())} }}\n'
        for name, values in tried.items()
        if ways[declared[name].language] >= _FEWEST
    ]
    if not rows:
        return None
    content = "own" if wanted.own else "bytes" if wanted.unit == "byte" else "text"
    keys = [f'operation = "{wanted.operation}"', f"size = {length}", f'content = "{content}"']
    keys += (
        [f'consume = "{"touch" if wanted.unit == "byte" else "sum"}"']
        if wanted.operation == "read"
        else []
    )
    keys += [
        f'{name} = "{value}"'
        for name, value in (("cache", wanted.cache), ("durability", wanted.durability))
        if value
    ]
    return "\n".join(
        [
            'id = "advise"',
            f'title = "Which way to {wanted.title}"',
            f"budget = {budget:g}",
            'precision = "2%"',
            "rounds = { warm = 8, cold = 12, write = 6 }",
            "",
            "[[group]]",
            'id = "asked"',
            f'question = "Which way to {wanted.title}?"',
            *keys,
            "",
            *rows,
        ]
    )


def _fits(strategy: Strategy, wanted: Wanted, length: int, memory: int) -> bool:
    if (
        strategy.operation != wanted.operation
        or wanted.language not in (None, strategy.language)
        or strategy.sums not in _KINDS[wanted.unit]
    ):
        return False
    if wanted.operation != "read" and "truncate" not in strategy.modes:
        return False
    if strategy.why_not_durable(wanted.durability):
        return False
    return strategy.needs.memory_per_file_byte * length <= _MOST_MEMORY * memory


def _values(strategy: Strategy, wanted: Wanted, length: int) -> dict[str, list[int]] | None:
    """The parameters to try; None for what is no way to do it: a buffer before blocks that are
    large already, all at once where it comes in pieces.
    """
    found: dict[str, list[int]] = {}
    piece, buffer = strategy.parameter("piece"), strategy.parameter("buffer")
    if piece:
        if wanted.record is None and buffer:
            return None
        found[piece] = (
            [wanted.record]
            if wanted.record
            else [value for value in _BLOCKS if value == _BLOCKS[0] or value <= length]
        )
    elif wanted.record and wanted.operation != "read":
        return None
    if buffer:
        found[buffer] = list(dict.fromkeys([strategy.parameters[buffer].default, _LARGE_BUFFER]))
    allowed = {
        name: [
            value
            for value in values
            if strategy.parameters[name].min <= value <= strategy.parameters[name].max
        ]
        for name, values in found.items()
    }
    return allowed if all(allowed.values()) else None
