"""What the decision rule brought on stored runs: half-widths and decided questions, before and
after, of the same data.

    python benchmarks/decided.py RUN.jsonl...

The groups of the runs are cut to their first 4, 5 and 6 replicates, and judged by both rules. A
*half-width* is that of the log of a case's time over the time of the best of its language: 0.05
means from 5 % below to 5 % above. A *comparison* is decided if the case is slower than that best,
or good enough: within 3 % before, within the tolerance now. A *question* is one language of one
group. It was decided if all its comparisons were, and it is now if there is a recommendation.

The rule before is that of decision 0002: 1.25 % shared by all pairs of a group, without a prior.
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from iogauge.analysis import data as grouped
from iogauge.analysis import judging
from iogauge.analysis.data import GroupData
from iogauge.decision.group import GroupDecision
from iogauge.runfile import reading
from iogauge.runfile.run import Run
from iogauge.statistics.intervals import Interval, interval
from iogauge.statistics.paired import ratios_to

CUTS = (4, 5, 6)
ERROR = 0.0125
MARGIN = math.log(1.03)


@dataclass
class Rule:
    half_widths: list[float] = field(default_factory=list)
    comparisons: int = 0
    questions: int = 0


@dataclass
class Tally:
    before: Rule = field(default_factory=Rule)
    after: Rule = field(default_factory=Rule)
    comparisons: int = 0
    questions: int = 0


def judge_before(run: Run, data: GroupData, members: Sequence[int]) -> Iterator[tuple[float, bool]]:
    """Of each case but the best of a language: its half-width, and whether it was decided."""
    logs = data.log_ns
    pivot, control = data.group.cases.index(data.group.baseline), _column(data, data.group.control)
    cases = len(data.group.cases) - (control is not None)
    pairs = cases * (cases - 1) // 2

    def of(case: int, reference: int, error: float) -> Interval:
        ratios = ratios_to(logs, reference, pivot)[:, case]
        return interval(ratios[np.isfinite(ratios)], error)

    own = of(control, pivot, ERROR) if control is not None else None
    floor = max(-own.lo, own.hi) if own else 0.0
    told = own is None or own.lo <= 0 <= own.hi
    best = min(members, key=lambda case: of(case, pivot, ERROR).center if case != pivot else 0.0)
    for case in members:
        if case != best:
            found = of(case, best, ERROR / pairs)
            slower = told and found.lo > 0 and found.center > floor
            same = told and found.lo >= -MARGIN and found.hi <= MARGIN
            yield (found.hi - found.lo) / 2, slower or same


def _column(data: GroupData, case: int | None) -> int | None:
    return None if case is None else data.group.cases.index(case)


def add(tally: Tally, run: Run, data: GroupData, judged: GroupDecision) -> None:
    """Judge a group by the rule before, beside how it is `judged` by today's."""
    for answer in judged.answers.values():
        members = np.flatnonzero(np.isfinite(answer.costs.centers)).tolist()
        if len(members) < 2:
            continue
        tally.questions += 1
        tally.comparisons += len(members) - 1
        before = list(judge_before(run, data, members))
        tally.before.half_widths += [half for half, _ in before]
        tally.before.comparisons += sum(decided for _, decided in before)
        tally.before.questions += all(decided for _, decided in before)
        good = [case for case in members if answer.costs.hi[case] <= math.log1p(run.plan.tolerance)]
        for case in members:
            if case != answer.costs.best:
                lo, hi = judged.pairs.interval(
                    case, answer.costs.best, judged.comparisons_with_best
                )
                tally.after.half_widths.append((hi - lo) / 2)
                tally.after.comparisons += case in answer.surely_slower or case in good
        tally.after.questions += answer.recommended is not None and answer.decided


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="+", type=Path)
    tallies: dict[str, Tally] = defaultdict(Tally)
    for path in parser.parse_args().runs:
        run = reading.read(path)
        if run.plan.published:
            continue
        every = grouped.all_data(run)
        for cut in (*CUTS, None):
            least = cut or max(CUTS) + 1
            groups = [
                replace(each, log_ns=each.log_ns[:cut])
                for each in every
                if len(each.log_ns) >= least
            ]
            found = judging.decisions(run, groups, last=True)
            for data, judged in zip(groups, found, strict=True):
                add(tallies[str(cut) if cut else "all, more than 6"], run, data, judged)
    print(
        "| replicates | median half-width, before | after | comparisons decided, before | after |"
        " questions decided, before | after |\n|---|---|---|---|---|---|---|"
    )
    for name, each in tallies.items():
        half = [float(np.median(rule.half_widths)) for rule in (each.before, each.after)]
        print(
            f"| {name} | {half[0]:.3f} | {half[1]:.3f} | {each.before.comparisons} of"
            f" {each.comparisons} | {each.after.comparisons} | {each.before.questions} of"
            f" {each.questions} | {each.after.questions} |"
        )


if __name__ == "__main__":
    main()
