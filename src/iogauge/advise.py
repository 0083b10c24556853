"""Runs → advice: for a workload the simplest way, and the smallest block or buffer, that is surely within 5 % of the best.

Where the intervals are too wide to be sure of any, it is the way that may lose least, and the advice says how much that is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from iogauge import explain, hints, numbers
from iogauge.ceilings import Ceiling
from iogauge.model import Cache, Case, Durability, Group, Operation, Plan, Runtime, Strategy
from iogauge.numbers import Table
from iogauge.report import CaseReport, GroupReport, Report
from iogauge.stats import Comparison
from iogauge.units import short_size, size

NEAR = 0.05  # so much slower than the best is near enough
DEFAULT_SIZE = 16 << 20
_LIKE = 2.0  # a file so many times as large, or as small, still tells
_FEWEST = 2  # ways that are compared
_BLOCKS, _LARGE_BUFFER = (8192, 131072), 65536
_KINDS = {"byte": ("byte",), "char": ("utf16", "codepoint"), "line": ("line-byte", "line-utf16", "line-codepoint")}
Unit = Literal["byte", "char", "line"]


@dataclass(frozen=True)
class Wanted:
    """A workload in plain options. `size` in bytes, None for any; `record` is how much the program hands over at a time, where that is given; `own` for a file of the
    user's. Of a language, or of all of them.
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
        pieces = f" in pieces of {size(self.record)}" if self.record else ""
        state = self.cache or (f"made durable by {self.durability}" if self.durability != "none" else "not made durable")
        return f"{self.operation} {file}{what}{pieces}, {state}" + (f", in {self.language}" if self.language else "")

    @property
    def options(self) -> str:
        """As they are given on the command line."""
        given = {"language": self.language, "operation": self.operation, "unit": self.unit, "cache": self.cache, "durability": self.durability}
        usual = {"operation": "read", "unit": "byte", "cache": "warm", "durability": "none"}
        words = [f"--{name} {value}" for name, value in given.items() if value and value != usual.get(name)]
        return " ".join(words + [f"--{name} {short_size(value)}" for name, value in (("size", self.size), ("record", self.record)) if value])


@dataclass(frozen=True)
class Advice:
    """`worst` is how many times the best's time the choice may take at most. `fastest` is set where another came out faster; `simpler` is the best of what takes less effort to
    write, `smaller` the choice with a smaller block or buffer; each with its time over the choice's.
    """

    group: GroupReport
    choice: CaseReport
    worst: float
    fastest: tuple[CaseReport, Comparison] | None
    simpler: tuple[CaseReport, Comparison] | None
    smaller: tuple[CaseReport, Comparison] | None
    reason: str | None
    ceiling: Ceiling | None
    hint: str

    @property
    def sure(self) -> bool:
        return self.worst <= 1 + NEAR


def distance(plan: Plan, runtimes: Sequence[Runtime], wanted: Wanted) -> float | None:
    """How far the nearest group of a plan is from what is wanted: the log of the ratio of sizes. None where it has none that covers it."""
    found = [_apart(group, wanted) for group in plan.groups if not plan.published and len(advisable(plan, group, runtimes, wanted)) >= _FEWEST]
    return min((each for each in found if each is not None), default=None)


def of_run(report: Report, wanted: Wanted) -> list[Advice]:
    """One piece of advice per language (or runtime) that is asked about, from the groups nearest to it; none where no verdict rests on them."""
    plan = report.run.plan
    found: dict[str, tuple[tuple[float, int], Advice]] = {}
    for group, planned, table in zip(report.groups, plan.groups, numbers.of_run(report), strict=True):
        apart = _apart(planned, wanted)
        if plan.published or group.suspended or apart is None:
            continue
        variants = {plan.cases[case].key for case in advisable(plan, planned, report.run.header.runtimes, wanted)}
        for name in dict.fromkeys(case.rank_set for case in group.cases):
            places = [
                place for place, entry in enumerate(table.entries)
                if entry.measured and entry.sound and not entry.failure and entry.measured.rank_set == name and entry.measured.case.key in variants
            ]  # fmt: skip
            rank = apart, -len(places)
            if len(places) >= _FEWEST and (name not in found or rank < found[name][0]):
                found[name] = rank, choose(group, table, places)
    return [advice for _, advice in found.values()]


def _apart(group: Group, wanted: Wanted) -> float | None:
    workload, conditions = group.workload, group.conditions
    asked = (wanted.operation, wanted.cache, wanted.durability)
    if (workload.operation, conditions.cache, conditions.durability) != asked or workload.medium != "file" or workload.accesses:
        return None
    if workload.operation == "read" and workload.consume == "none":  # nobody reads without looking at it
        return None
    if (workload.content == "own") != wanted.own or workload.content == "sparse":
        return None
    if wanted.size is None or workload.size == wanted.size:
        return 0.0
    if not workload.size or not wanted.size:
        return None
    apart = abs(math.log(workload.size / wanted.size))
    return apart if apart <= math.log(_LIKE) else None


def advisable(plan: Plan, group: Group, runtimes: Sequence[Runtime], wanted: Wanted) -> list[int]:
    """The cases of a group that do what is wanted and that may be advised."""
    named, known = hints.all_names(), {runtime.name: runtime.strategies for runtime in runtimes}
    return [
        number
        for number in group.cases
        if number != group.twin and plan.cases[number].strategy in named and _does(known[plan.cases[number].runtime][plan.cases[number].strategy], plan.cases[number], wanted)
    ]


def _does(strategy: Strategy, case: Case, wanted: Wanted) -> bool:
    if strategy.role != "contestant" or strategy.sums not in _KINDS[wanted.unit] or wanted.language not in (None, case.language):
        return False
    if not wanted.record:
        return True
    return case.parameters.get("block") == wanted.record if "block" in strategy.parameters else wanted.operation == "read"


def choose(group: GroupReport, table: Table, places: list[int]) -> Advice:
    """The simplest of those that are near enough, whichever is the best; among equally simple ones that with the smallest block or buffer."""
    worst = {place: max(_most(table.compare(place, other)) for other in places if other != place) for place in places}
    enough = max(1 + NEAR, min(worst.values()))
    case = {place: table.entries[place].measured for place in places}
    chosen = min((place for place in places if worst[place] <= enough), key=lambda place: (case[place].effort, sum(case[place].case.parameters.values()), worst[place]))

    def against(others: Iterable[int]) -> tuple[CaseReport, Comparison] | None:
        """The fastest of them that can be compared, with its time over that of the choice."""
        found = [(case[place], table.compare(place, chosen)) for place in sorted(others, key=lambda place: case[place].ns_per_op.center)]
        return next(((one, ratio) for one, ratio in found if ratio is not None), None)

    mine = case[chosen].case
    faster = [place for place in places if place != chosen and (_center(table.compare(place, chosen)) or 1.0) < 1]
    simpler = [place for place in places if case[place].effort < case[chosen].effort]
    smaller = [
        place for place in places
        if case[place].case.strategy == mine.strategy and place != chosen and all(value <= mine.parameters[name] for name, value in case[place].case.parameters.items())
    ]  # fmt: skip
    return Advice(
        group, case[chosen], worst[chosen], against(faster), against(simpler), against(smaller), explain.reason(case[chosen]), group.ceiling, hints.of(mine.strategy, mine.parameters)
    )  # fmt: skip


def _most(found: Comparison | None) -> float:
    return math.inf if found is None else found.hi


def _center(found: Comparison | None) -> float | None:
    return found.center if found else None


# ------------------------------------------------------------------------------------------------- what would tell


def study_text(wanted: Wanted, runtimes: Sequence[Runtime], budget: float) -> str | None:
    """A study that measures the ways that may be advised, as TOML; None where there are fewer than two."""
    length = DEFAULT_SIZE if wanted.size is None else wanted.size
    rows, named = [], hints.all_names()
    declared = {name: strategy for runtime in runtimes for name, strategy in runtime.strategies.items() if not strategy.unavailable}
    for name, strategy in sorted(declared.items()):
        if name not in named or strategy.operation != wanted.operation or wanted.language not in (None, strategy.language) or strategy.sums not in _KINDS[wanted.unit]:
            continue
        if wanted.operation == "write" and (wanted.durability not in ("none", *strategy.durabilities) or "truncate" not in strategy.modes):
            continue
        parameters = _values(strategy, wanted, length)
        if parameters is not None:
            inside = ", ".join(f"{key} = {values}" for key, values in parameters.items())
            rows.append((f'[[group.case]]\nstrategy = "{name}"\nparameters = {{ {inside} }}\n', math.prod(map(len, parameters.values()))))
    if sum(count for _, count in rows) < _FEWEST:
        return None
    content = "own" if wanted.own else "bytes" if wanted.unit == "byte" else "text"
    keys = [f'operation = "{wanted.operation}"', f"size = {length}", f'content = "{content}"']
    keys += [f'consume = "{"touch" if wanted.unit == "byte" else "sum"}"'] if wanted.operation == "read" else []
    keys += [f'{name} = "{value}"' for name, value in (("cache", wanted.cache), ("durability", wanted.durability)) if value]
    return "\n".join([
        'id = "advise"', f'title = "Which way to {wanted.title}"', f"budget = {budget:g}", 'precision = "5%"', "rounds = { warm = 8, cold = 3, write = 6 }", "",
        "[[group]]", 'id = "asked"', f'question = "Which way to {wanted.title}?"', *keys, "", *(row for row, _ in rows),
    ])  # fmt: skip


def _values(strategy: Strategy, wanted: Wanted, length: int) -> dict[str, list[int]] | None:
    """The parameters to try; None for what is no way to do it: a buffer before blocks that are large already, all at once where it comes in pieces."""
    found: dict[str, list[int]] = {}
    if "block" in strategy.parameters:
        if wanted.record is None and "buffer" in strategy.parameters:
            return None
        found["block"] = [wanted.record] if wanted.record else [value for value in _BLOCKS if value == _BLOCKS[0] or value <= length]
    elif wanted.record and wanted.operation != "read":
        return None
    if "buffer" in strategy.parameters:
        found["buffer"] = list(dict.fromkeys([strategy.parameters["buffer"].default, _LARGE_BUFFER]))
    return found
