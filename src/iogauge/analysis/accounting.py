"""What a run planned, measured and used, and why the rest was not used: nothing is dropped without
a line here.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np

from iogauge.analysis import analysis
from iogauge.analysis.analysis import GroupData
from iogauge.runfile.runfile import Run
from iogauge.statistics.looks import LOOKS
from iogauge.statistics.sequential import Judgement


@dataclass(frozen=True)
class Unused:
    """Something that the estimates do not rest on: what, how many, why."""

    what: str
    count: int
    why: str


@dataclass(frozen=True)
class Account:
    """`samples` is what was measured: the `used` ones and those of `unused_samples` add up to it."""

    samples: int
    used: int
    forks: int
    unused_samples: tuple[Unused, ...]
    not_measured: tuple[
        Unused, ...
    ]  # planned, and not measured, or not to the end; counted in replicates


def make(run: Run) -> Account:
    failed, table, used = run.failed(), run.table, run.used()
    complete = run.complete_replicates
    why: Counter[tuple[int, str]] = Counter()
    for row in np.flatnonzero(~used):
        case, replicate = (
            int(table.case[row]),
            (int(table.bundle[row]), int(table.replicate[row]), int(table.attempt[row])),
        )
        if table.void[row]:
            why[case, f"void: {_without_numbers(table.reasons[table.void[row] - 1])}"] += 1
        elif replicate not in complete:
            why[case, f"its replicate was cut short (session {replicate[2] + 1})"] += 1
        else:
            why[case, f"its case failed: {failed[case]}"] += 1
    return Account(
        samples=len(table),
        used=int(used.sum()),
        forks=len(np.unique(table.fork)),
        unused_samples=tuple(
            Unused(_name(run, case), count, reason) for (case, reason), count in sorted(why.items())
        ),
        not_measured=tuple(_not_measured(run)),
    )


def _not_measured(run: Run) -> list[Unused]:
    """Cases without a sample in some replicate of their group, counted in replicates, and what was
    not planned.
    """
    measured: dict[int, set[int]] = defaultdict(set)
    complete = run.complete_replicates
    table = run.table
    for case, *place in np.unique(
        np.stack([table.case, table.bundle, table.replicate, table.attempt]), axis=1
    ).T.tolist():
        if tuple(place) in complete:
            measured[case].add(place[1])
    planned: dict[int, set[int]] = defaultdict(
        set
    )  # of cases, what the replicates set out to measure
    of_group: dict[int, set[int]] = defaultdict(set)
    for record in run.replicates:
        for case in record["cases"]:
            planned[case].add(record["replicate"])
        for index in record["groups"]:
            of_group[index].add(record["replicate"])
    failed = run.failed()
    says = [Unused(each.what, 0, each.why) for each in run.plan.skipped]
    for index, data in enumerate(analysis.all_data(run)):
        judged = analysis.judge(run.plan, data, last=run.complete)
        for column, case in enumerate(data.group.cases):
            left_out, lost = of_group[index] - planned[case], len(planned[case] - measured[case])
            if case in failed:
                says.append(
                    Unused(_name(run, case), len(left_out) + lost, f"failed: {failed[case]}")
                )
                continue
            if lost:
                says.append(Unused(_name(run, case), lost, "its fork could not go on"))
            if left_out:
                says.append(
                    Unused(
                        _name(run, case),
                        len(left_out),
                        _why_left_out(column, min(left_out), data, judged),
                    )
                )
    candidates = {case for group in run.plan.groups for case in group.ceilings}
    says += [
        Unused(_name(run, case), 0, f"no ceiling here: {reason}")
        for case, reason in failed.items()
        if case in candidates
    ]
    cut_short = {
        (fork["bundle"], fork["replicate"], fork["attempt"]) for fork in run.forks
    } - complete
    return says + [
        Unused(f"replicate {replicate + 1}", 1, f"cut short (session {attempt + 1})")
        for _, replicate, attempt in sorted(cut_short)
    ]


def _why_left_out(column: int, first: int, data: GroupData, judged: Judgement) -> str:
    """`first` is the first replicate without it: before the first look nothing is decided."""
    if column in data.impossible:
        return "faster than its ceiling, so nothing rests on it"
    if column in judged.settled:
        return "far behind in each of the first replicates"
    if first < LOOKS[0]:
        return "there was only time for what may be the best"
    return "decided, or as precise as asked"


def _name(run: Run, case: int) -> str:
    group = next(each.id for each in run.plan.groups if case in (*each.cases, *each.ceilings))
    found = run.plan.cases[case]
    return f"{group}: {found.label} @{found.setting}" + (" (A/A twin)" if found.twin else "")


def _without_numbers(reason: str) -> str:
    """So that samples void for one kind of reason are counted together."""
    return re.sub(r"\d[\d.]*", "…", reason)
