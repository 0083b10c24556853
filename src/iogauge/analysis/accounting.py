"""What a run planned, measured and used, and why the rest was not used: nothing is dropped without
a line here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from iogauge.analysis import data, judging, unread
from iogauge.model.plan import ReplicateId
from iogauge.runfile.run import Run

_MOST_REASONS = 3  # that samples of one case are void, each in a line of its own


@dataclass(frozen=True)
class Unused:
    """Something that the estimates do not rest on: what, how many, why."""

    what: str
    count: int
    why: str


@dataclass(frozen=True)
class Account:
    """`samples` is how many were measured: the `used` ones and those of `unused_samples` add up to
    it. `not_measured` was planned, and not measured or not to the end; it is counted in replicates.
    """

    samples: int
    used: int
    forks: int
    unused_samples: tuple[Unused, ...]
    not_measured: tuple[Unused, ...]


def make(run: Run) -> Account:
    """The account of a run, also of one that is not over."""
    failed, columns, used = run.failed(), run.columns, run.used()
    complete = run.complete_replicates
    why: Counter[tuple[int, str]] = Counter()
    voids: dict[int, Counter[str]] = defaultdict(Counter)
    for row in np.flatnonzero(~used):
        case = int(columns.case[row])
        replicate = ReplicateId(
            int(columns.bundle[row]), int(columns.replicate[row]), int(columns.attempt[row])
        )
        if columns.void[row]:
            voids[case][columns.reasons[columns.void[row] - 1]] += 1
        elif replicate not in complete:
            why[case, f"its replicate was cut short (session {replicate.attempt + 1})"] += 1
        else:
            why[case, f"its case failed: {failed[case]}"] += 1
    for case, reasons in voids.items():
        named = reasons.most_common(_MOST_REASONS)
        why.update({(case, f"void: {reason}"): count for reason, count in named})
        if rest := reasons.total() - sum(count for _, count in named):
            why[case, "void, for reasons like the others of this case"] = rest
    return Account(
        samples=len(columns),
        used=int(used.sum()),
        forks=len(np.unique(columns.fork)),
        unused_samples=tuple(
            Unused(_name(run, case), count, reason) for (case, reason), count in sorted(why.items())
        ),
        not_measured=tuple(_not_measured(run)),
    )


def _not_measured(run: Run) -> list[Unused]:
    """What was not planned, cases without a sample in some replicate of their group, and replicates
    that were cut short.
    """
    says = [Unused(each.what, 0, each.why) for each in run.plan.skipped]
    says += _cases_not_measured(run)
    candidates = {case for group in run.plan.groups for case in group.ceilings}
    says += [
        Unused(_name(run, case), 0, f"no ceiling here: {reason}")
        for case, reason in run.failed().items()
        if case in candidates
    ]
    cut_short = {fork.replicate_id for fork in run.forks} - run.complete_replicates
    return says + [
        Unused(f"replicate {each.number + 1}", 1, f"cut short (session {each.attempt + 1})")
        for each in sorted(cut_short)
    ]


def _cases_not_measured(run: Run) -> Iterator[Unused]:
    """Counted in replicates."""
    measured = _measured(run)
    planned: dict[int, set[int]] = defaultdict(set)  # by case, in which replicates
    of_group: dict[int, set[int]] = defaultdict(set)
    for record in run.replicates:
        for case in record.cases:
            planned[case].add(record.replicate)
        for index in record.groups:
            of_group[index].add(record.replicate)
    none = unread.cases(run)
    failed = {**none, **run.failed()}
    groups = data.all_data(run, none)
    decisions = judging.decisions(run, groups, last=run.complete)
    for index, (group, judged) in enumerate(zip(groups, decisions, strict=True)):
        for column, case in enumerate(group.group.cases):
            name = _name(run, case)
            left_out, lost = (
                len(of_group[index] - planned[case]),
                len(planned[case] - measured[case]),
            )
            if case in failed:
                yield Unused(name, left_out + lost, f"failed: {failed[case]}")
                continue
            if lost:
                yield Unused(name, lost, "its fork could not go on")
            why = "decided, or as precise as asked"
            if run.header.imported:
                why = "the file has fewer of it"
            if column in group.impossible:
                why = "faster than its ceiling, so nothing rests on it"
            elif column in judged.eliminated:
                why = "far behind, so not measured to the end"
            if left_out:
                yield Unused(name, left_out, why)


def _measured(run: Run) -> dict[int, set[int]]:
    """The complete replicates in which each case has a sample."""
    found: dict[int, set[int]] = defaultdict(set)
    columns, complete = run.columns, run.complete_replicates
    keys = np.stack([columns.case, columns.bundle, columns.replicate, columns.attempt])
    for case, *replicate in np.unique(keys, axis=1).T.tolist():
        where = ReplicateId(*replicate)
        if where in complete:
            found[case].add(where.number)
    return found


def _name(run: Run, case: int) -> str:
    group = next(each.id for each in run.plan.groups if case in (*each.cases, *each.ceilings))
    found = run.plan.cases[case]
    return f"{group}: {found.label} @{found.setting}" + (" (A/A control)" if found.control else "")
