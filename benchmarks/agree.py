"""Does an answer from few replicates agree with all the other replicates of a long run?

    python benchmarks/agree.py FOLDER

Each run of `noise.py` in FOLDER is cut into blocks of 3, 4 and 6 replicates. Each block is decided
by itself, with priors from the runs of the *other* machines, and is compared with all replicates
outside of it. An interval *misses* if it lies apart from the 95 % interval of the same ratio in the
others; a group misses if one of its intervals does. A *false alarm* is a case that is called slower
(or faster) than another one, although it takes as long or less (or more) by the median of the
others; how many were called at all is beside it. A *suspended* group has an A/A control that
differs. All is printed for the rule without the noise of rounds and for the rule with it.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from unittest import mock

import numpy as np
import priors as estimated
from ledger import share

from iogauge.analysis import data as grouped
from iogauge.analysis import judging
from iogauge.analysis.data import GroupData
from iogauge.decision import priors
from iogauge.decision.comparison import Comparison
from iogauge.decision.group import GroupDecision
from iogauge.runfile import reading
from iogauge.runfile.run import Run
from iogauge.statistics.intervals import Interval, interval
from iogauge.statistics.paired import paired_log_ratios

BLOCKS = (3, 4, 6)
RULES = {"without rounds": lambda run, group: priors.of_group(run.plan, group), "with rounds": None}


@dataclass
class Tally:
    """Of a rule and a length of blocks."""

    groups: int = 0
    missed: int = 0
    called: int = 0
    alarms: int = 0
    suspended: int = 0
    questions: int = 0
    decided: int = 0
    half_widths: list[float] = field(default_factory=list)


def blocks(run: Run, length: int) -> Iterator[tuple[list[GroupData], list[GroupData]]]:
    """The groups of a run cut to one block of replicates after another, and to all others."""
    groups = [each for each in grouped.all_data(run) if len(each.log_ns) >= 2 * length]
    most = min((len(each.log_ns) for each in groups), default=0)
    for first in range(0, most - length + 1, length):
        rows = np.arange(first, first + length)
        inside = [replace(each, log_ns=each.log_ns[rows]) for each in groups]
        outside = [replace(each, log_ns=np.delete(each.log_ns, rows, axis=0)) for each in groups]
        yield inside, outside


def look(tally: Tally, found: GroupDecision, others: GroupData) -> None:
    compared = [each for each in found.versus_best if each and each.hi < math.inf]
    tally.groups += 1
    tally.missed += any(apart(each, others) for each in compared)
    called = [each for each in compared if each.outcome in ("slower", "faster")]
    tally.called += len(called)
    tally.alarms += sum(false_alarm(each, others) for each in called)
    tally.suspended += bool(found.noise and found.noise.alarm)
    tally.half_widths += [math.log(each.hi / each.lo) / 2 for each in compared if each.lo > 0]
    tally.questions += len(found.answers)
    tally.decided += sum(each.decided for each in found.answers.values())


def in_others(each: Comparison, others: GroupData) -> Interval:
    """The same log ratio in the other replicates, at 95 %."""
    baseline = others.column(others.group.baseline)
    values = paired_log_ratios(others.log_ns, each.case, each.reference, baseline)
    return interval(values, 0.05)


def apart(each: Comparison, others: GroupData) -> bool:
    """A case may be the best in truth: a bound of 1 says that it costs nothing or less."""
    found = in_others(each, others)
    low = -math.inf if each.lo <= 1 else math.log(each.lo)
    return found.lo > math.log(each.hi) or found.hi < low


def false_alarm(each: Comparison, others: GroupData) -> bool:
    center = in_others(each, others).center
    return center <= 0 if each.outcome == "slower" else center >= 0


def judged(paths: Sequence[Path]) -> Iterator[tuple[str, int, Tally]]:
    runs = {path.stem: reading.read(path) for path in paths}
    rows = [row for name, run in runs.items() for row in estimated.rows(name, run)]
    unseen = {}
    for name in runs:
        of_others = estimated.estimate(row for row in rows if row.machine != name)
        unseen[name] = {kind: known for kind, (known, _) in of_others.items()}
    whole = judging.prior_of
    for rule, prior_of in RULES.items():
        for length in BLOCKS:
            tally = Tally()
            for name, run in runs.items():
                known = unseen[name]
                for inside, outside in blocks(run, length):
                    with (
                        mock.patch.object(priors, "shipped", lambda known=known: known),
                        mock.patch.object(judging, "prior_of", prior_of or whole),
                    ):
                        decisions = judging.decisions(run, inside, last=True)
                    for found, others in zip(decisions, outside, strict=True):
                        look(tally, found, others)
            yield rule, length, tally


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    print(
        "| rule | replicates | groups that miss | false alarms | suspended | answers decided |"
        " half-width, median |"
    )
    print("|---|---|---|---|---|---|---|")
    for rule, length, tally in judged(sorted(given.folder.glob("*.jsonl"))):
        width = statistics.median(tally.half_widths or [math.nan])
        print(
            f"| {rule} | {length} | {share(tally.missed, tally.groups)} | "
            f"{share(tally.alarms, tally.called)} | {share(tally.suspended, tally.groups)} | "
            f"{tally.decided} of {tally.questions} | "
            f"±{width:.1%} |"
        )


if __name__ == "__main__":
    main()
