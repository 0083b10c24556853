"""Estimates what `decision.priors` holds: what the variances of pairs were like in stored runs.

`python -m iogauge.analysis.priors RUN…` estimates it and prints `priors.toml`, which travels with
the package. A kind is a language, a cache state and a durability.
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from iogauge.analysis import data as grouped
from iogauge.decision import shrinkage
from iogauge.decision.best import pairs_of
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.decision.priors import ANY, EVERYTHING, Kind, kind_of
from iogauge.decision.shrinkage import Prior
from iogauge.model.errors import UserError
from iogauge.runfile import reading
from iogauge.runfile.run import Run
from iogauge.statistics.special import digamma, trigamma

_LEAST_SPREAD = math.log(3)
"""However alike the groups of our machines are: another machine may be three times as noisy."""
_FEWEST_GROUPS = 4
_UNKNOWN_UNLIKE = 1.6
"""Where no group has pairs that share no case: pairs are as unlike as two degrees make them."""
_HEAD = """\
# Typical variances of pairs between replicates, by kind; `python -m iogauge.analysis.priors RUN...`
# writes this file. log_variance: the log of the typical variance of a log ratio; spread: its SD
# from group to group; degrees: how alike pairs of one group are. "any" is all kinds together.
"""


class Found(NamedTuple):
    """The logs of the variances of pairs of one language in one group, freed of their bias; NaN
    where a pair has too few replicates. Shape (C, C), with `degrees` likewise.
    """

    logs: np.ndarray
    degrees: np.ndarray


def estimate(runs: Iterable[Run]) -> dict[Kind, tuple[Prior, int]]:
    """The prior of each kind that enough groups of these runs have, and how many groups."""
    found: dict[Kind, list[Found]] = defaultdict(list)
    for run in runs:
        if run.plan.published:
            continue
        for data in grouped.all_data(run):
            conditions = data.group.conditions
            for language, pairs in _pairs_by_language(run, data).items():
                for kind in (kind_of(language, conditions), kind_of(ANY, conditions), EVERYTHING):
                    found[kind].append(pairs)
    return {
        kind: (_prior(groups), len(groups))
        for kind, groups in sorted(found.items())
        if len(groups) >= _FEWEST_GROUPS
    }


def _pairs_by_language(run: Run, data: grouped.GroupData) -> dict[str, Found]:
    """Of the pairs that have enough replicates; the control is a case like others."""
    columns: dict[str, list[int]] = defaultdict(list)
    for column, case in enumerate(data.group.cases):
        if column not in data.unusable:
            columns[run.plan.cases[case].language].append(column)
    found = {}
    for language, members in columns.items():
        if len(members) < 2 or len(data.log_ns) < FEWEST_REPLICATES:
            continue
        pairs = pairs_of(data.log_ns[:, :, members], None, None)
        variances = pairs.standard_errors**2 * pairs.counts
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(variances) - digamma(pairs.degrees / 2) + np.log(pairs.degrees / 2)
        logs[(pairs.counts < FEWEST_REPLICATES) | ~np.isfinite(logs)] = np.nan
        if np.isfinite(logs).any():
            found[language] = Found(logs, pairs.degrees)
    return found


def _prior(groups: Sequence[Found]) -> Prior:
    """The level by the median over the groups, which outliers do not move."""
    levels = np.array([np.nanmedian(each.logs) for each in groups])
    degrees = shrinkage.degrees_of(_unlike(groups))
    bias = float(digamma(degrees / 2) - math.log(degrees / 2))
    spread = max(_LEAST_SPREAD, 1.4826 * float(np.median(np.abs(levels - np.median(levels)))))
    return Prior(float(np.median(levels)) + bias, spread, degrees)


def _unlike(groups: Sequence[Found]) -> float:
    """The variance of the logs of pairs' variances within a group, beyond that of estimating
    them; and its standard error on top, so that few groups say little.

    Pairs that share a case are alike. So each group is cut into pairs that share none, in all ways
    in which a round robin pairs its cases.
    """
    squares, sampling, free = 0.0, 0.0, 0
    for each in groups:
        ways = []
        for way in _round_robin(len(each.logs)):
            known = [at for at in way if np.isfinite(each.logs[at])]
            if len(known) > 1:
                rows, columns = np.transpose(known)
                expected = float(trigamma(each.degrees[rows, columns] / 2).mean())
                ways.append((float(each.logs[rows, columns].var(ddof=1)), expected, len(known) - 1))
        if ways:
            weight = max(count for _, _, count in ways)
            squares += weight * float(np.mean([found for found, _, _ in ways]))
            sampling += weight * float(np.mean([expected for _, expected, _ in ways]))
            free += weight
    if not free:
        return _UNKNOWN_UNLIKE
    total = squares / free
    return max(0.0, total - sampling / free) + total * math.sqrt(2 / free)


def _round_robin(cases: int) -> list[list[tuple[int, int]]]:
    """All ways of a round robin to pair the cases; where they are odd, one sits out."""
    players = list(range(cases)) + [-1] * (cases % 2)
    ways = []
    for _ in range(len(players) - 1):
        half = len(players) // 2
        pairs = zip(players[:half], reversed(players[half:]), strict=True)
        ways.append([pair for pair in pairs if -1 not in pair])
        players = [players[0], players[-1], *players[1:-1]]
    return ways


def as_toml(found: dict[Kind, tuple[Prior, int]], runs: Sequence[Run]) -> str:
    """The file that `shipped` reads, with the runs that it comes from."""
    headers = [run.header for run in runs]
    source = "".join(
        f"# from {each.id}, {each.host.get('processor')}, iogauge {each.iogauge}\n"
        for each in headers
    )
    return f"{_HEAD}{source}" + "".join(
        f"\n[[kind]]\n"
        f'language = "{kind.language}"\ncache = "{kind.cache}"\n'
        f'durability = "{kind.durability}"\nlog_variance = {round(prior.log_variance, 2)}\n'
        f"spread = {round(prior.spread, 2)}\ndegrees = {round(prior.degrees, 1)}\n"
        f"groups = {groups}\n"
        for kind, (prior, groups) in found.items()
    )


def main(paths: Sequence[str]) -> int:
    """Print priors.toml as these runs tell it. Returns the exit status."""
    try:
        runs = [reading.read(Path(each)) for each in paths]
        print(as_toml(estimate(runs), runs), end="")
    except UserError as error:
        print(f"iogauge: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
