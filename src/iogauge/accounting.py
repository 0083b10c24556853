"""What a run planned, measured and used, and why the rest was not used: nothing is dropped without a line here."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass

from iogauge import analysis
from iogauge.runfile import Run


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
    not_measured: tuple[Unused, ...]  # planned, and not measured, or not to the end; counted in replicates


def make(run: Run) -> Account:
    failed, used = run.failed(), 0
    complete = {(each["bundle"], each["replicate"], each["attempt"]) for each in run.replicates}
    why: Counter[tuple[str, str]] = Counter()
    for sample in run.samples:
        name = _name(run, sample["case"])
        if sample["void"]:
            why[name, f"void: {_without_numbers(sample['void'])}"] += 1
        elif (sample["bundle"], sample["replicate"], sample["attempt"]) not in complete:
            why[name, f"its replicate was cut short (session {sample['attempt'] + 1})"] += 1
        elif sample["case"] in failed:
            why[name, f"its case failed: {failed[sample['case']]}"] += 1
        else:
            used += 1
    return Account(
        samples=len(run.samples),
        used=used,
        forks=len(run.forks),
        unused_samples=tuple(Unused(name, count, reason) for (name, reason), count in sorted(why.items())),
        not_measured=tuple(_not_measured(run)),
    )


def _not_measured(run: Run) -> list[Unused]:
    """Cases that were not measured in each replicate of their group, or not at all."""
    measured: dict[int, int] = defaultdict(int)
    replicates: dict[int, int] = defaultdict(int)
    for record in run.replicates:
        for case in record["cases"]:
            measured[case] += 1
        for index in record["groups"]:
            replicates[index] += 1
    failed = run.failed()
    says = [Unused(each.what, 0, each.why) for each in run.plan.skipped]
    for index, data in enumerate(analysis.all_data(run)):
        judged = analysis.judge(run.plan, data, last=run.complete)
        for column, case in enumerate(data.group.cases):
            missed = replicates[index] - measured[case]
            if case in failed:
                says.append(Unused(_name(run, case), missed, f"failed: {failed[case]}"))
            elif missed:
                settled = "far behind in each of the first replicates" if column in judged.settled else "decided, or as precise as asked"
                says.append(Unused(_name(run, case), missed, settled))
    return says


def _name(run: Run, case: int) -> str:
    group = next(each.id for each in run.plan.groups if case in each.cases)
    found = run.plan.cases[case]
    return f"{group}: {found.label} @{found.setting}" + (" (A/A twin)" if found.twin else "")


def _without_numbers(reason: str) -> str:
    """So that samples void for one kind of reason are counted together."""
    return re.sub(r"\d[\d.]*", "…", reason)
