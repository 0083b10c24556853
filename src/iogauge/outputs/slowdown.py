"""Whether new code is slower than old code is allowed to be, in a sentence and a short table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport
from iogauge.decision.slowdown import Slowdown
from iogauge.model.ratios import either_way, over, up_to
from iogauge.model.units import duration, share
from iogauge.outputs import bars, headings
from iogauge.outputs.bars import Row
from iogauge.outputs.narrow import wrapped


@dataclass(frozen=True)
class Judged:
    """A group with the cases of both versions, how the new one compares, and what would decide
    what is open.
    """

    group: GroupReport
    old: CaseReport
    new: CaseReport
    found: Slowdown
    next_step: str | None = None


def sentence(each: Judged) -> str:
    """`new takes 1.4-1.7x as long as old, and 5 % more is allowed (read 4 MiB, cached)`."""
    where = headings.label(each.group)
    return f"{_said(each)} ({where[:1].lower()}{where[1:]})"


def _said(each: Judged) -> str:
    found, allowed = each.found, each.found.allowed
    limit = f"{share(allowed)} more is allowed" if allowed else "no more is allowed"
    longer = f"over {share(allowed)} longer" if allowed else "longer"
    if found.kind == "failed":
        return f"new fails, and old does not: {each.new.failure or 'no data'}"
    if found.kind == "slower":
        return f"new {_takes(found)}, and {limit}"
    if found.kind == "not slower":
        return f"new {_takes(found)}; {limit}"
    if found.suspended:
        return "not decided: identical code seemed to differ, so nothing is sure"
    return f"not decided whether new takes {longer}: it {_takes(found)}"


def _takes(found: Slowdown) -> str:
    pair = found.comparison
    if pair is None or (pair.lo <= 0 and math.isinf(pair.hi)):
        return "has too few repeats"
    if math.isinf(pair.hi):
        return f"takes {over(pair.lo)} as long as old"
    if pair.lo <= 0:
        return f"takes {up_to(pair.hi)} as long as old"
    return f"takes {either_way(pair.lo, pair.hi)} as long as old"


def text(every: Sequence[Judged]) -> str:
    """What is said of each group, with a table below it."""
    return "\n".join(line for each in every for line in _lines(each))


def _lines(each: Judged) -> Iterator[str]:
    yield sentence(each)
    values = [case.ns_per_op.center if case.ns_per_op else 0.0 for case in (each.old, each.new)]
    rows = [
        Row(
            name,
            each.group.name_of(case),
            duration(value / 1e9) if value else "failed" if case.failure else "no data",
            value / max(1.0, *values),
        )
        for name, case, value in zip(("old", "new"), (each.old, each.new), values, strict=True)
    ]
    layout = bars.layout([rows], blocks=False)
    yield from (layout.line(row).plain for row in rows)
    if each.found.kind == "undecided" and each.next_step:
        yield f"  {wrapped(each.next_step, 2)}"
    yield f"  {wrapped(headings.observed(each.group, 'sound'), 2)}"
