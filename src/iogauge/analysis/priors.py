"""What is known of the variances of a group's pairs before it is measured: what pairs of this kind
were like in stored runs.

`python -m iogauge.analysis.priors RUN…` estimates it and prints `priors.toml`, which travels with
the package. A kind is a language, a cache state and a durability.
"""

from __future__ import annotations

import math
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from iogauge.analysis import data as grouped
from iogauge.model.errors import UserError
from iogauge.model.plan import Group, Plan
from iogauge.model.workload import Conditions
from iogauge.runfile import reading
from iogauge.runfile.run import Run
from iogauge.statistics import moderation
from iogauge.statistics.best import FEWEST_REPLICATES, pairs_of
from iogauge.statistics.moderation import Prior

_FILE = Path(__file__).with_name("priors.toml")
_LEAST_SPREAD = math.log(3)
"""However alike the groups of our machines are: another machine may be three times as noisy."""
_FEWEST_GROUPS = 4
_ANY = "any"
_HEAD = """\
# Typical variances of pairs between replicates, by kind; `python -m iogauge.analysis.priors RUN...`
# writes this file. log_variance: the log of the typical variance of a log ratio; spread: its SD from
# group to group; degrees: how alike pairs of one group are. "any" is all kinds together.
"""


class Kind(NamedTuple):
    """`language` is "any" for pairs of all languages."""

    language: str
    cache: str
    durability: str


class Found(NamedTuple):
    """The variances of the pairs of one language in one group, shape (P,), and their degrees."""

    variances: np.ndarray
    degrees: np.ndarray


def of_group(plan: Plan, group: Group) -> Prior | None:
    """The prior of a group: the mean of the logs of its languages' kinds, and the most careful
    spread and degrees among these. None as published, because authors had no prior.
    """
    if plan.published:
        return None
    languages = sorted({plan.cases[case].language for case in group.cases})
    found = [_known(each, group.conditions) for each in languages]
    return Prior(
        float(np.mean([each.log_variance for each in found])),
        max(each.spread for each in found),
        min(each.degrees for each in found),
    )


def _known(language: str, conditions: Conditions) -> Prior:
    """The prior of a kind; where that is not known, of its conditions, then of anything."""
    known = shipped()
    for kind in (
        Kind(language, conditions.cache, conditions.durability),
        Kind(_ANY, conditions.cache, conditions.durability),
        Kind(_ANY, _ANY, _ANY),
    ):
        if kind in known:
            return known[kind]
    raise LookupError(f"{_FILE.name} has nothing for any kind")


@cache
def shipped() -> dict[Kind, Prior]:
    """What priors.toml holds."""
    table = tomllib.loads(_FILE.read_text())
    return {
        Kind(each["language"], each["cache"], each["durability"]): Prior(
            each["log_variance"], each["spread"], each["degrees"]
        )
        for each in table["kind"]
    }


def estimate(runs: Iterable[Run]) -> dict[Kind, tuple[Prior, int]]:
    """The prior of each kind that enough groups of these runs have, and how many groups."""
    found: dict[Kind, list[Found]] = defaultdict(list)
    for run in runs:
        if run.plan.published:
            continue
        for data in grouped.all_data(run):
            conditions = data.group.conditions
            for language, pairs in _pairs_by_language(run, data).items():
                state = conditions.cache, conditions.durability
                for kind in (Kind(language, *state), Kind(_ANY, *state), Kind(_ANY, _ANY, _ANY)):
                    found[kind].append(pairs)
    return {
        kind: (_prior(groups), len(groups))
        for kind, groups in sorted(found.items())
        if len(groups) >= _FEWEST_GROUPS
    }


def _pairs_by_language(run: Run, data: grouped.GroupData) -> dict[str, Found]:
    """Of the pairs that have enough replicates, each once; the twin is a case like others."""
    columns: dict[str, list[int]] = defaultdict(list)
    for column, case in enumerate(data.group.cases):
        if column not in data.unusable:
            columns[run.plan.cases[case].language].append(column)
    found = {}
    for language, members in columns.items():
        if len(members) < 2 or len(data.log_ns) < FEWEST_REPLICATES:
            continue
        pairs = pairs_of(data.log_ns[:, :, members], None, None)
        once = np.tril(pairs.counts >= FEWEST_REPLICATES, -1)
        variances = pairs.standard_errors[once] ** 2 * pairs.counts[once]
        if (variances > 0).any():
            found[language] = Found(variances[variances > 0], pairs.degrees[once][variances > 0])
    return found


def _prior(groups: Sequence[Found]) -> Prior:
    """By the medians over the groups, and within them: outliers do not move these."""
    from scipy.special import digamma, polygamma

    logs = [
        np.log(each.variances) - digamma(each.degrees / 2) + np.log(each.degrees / 2)
        for each in groups
    ]
    levels = np.array([np.median(each) for each in logs])
    within = np.concatenate([each - np.median(each) for each in logs if len(each) > 2] or [[0.0]])
    sampling = np.concatenate([polygamma(1, each.degrees / 2) for each in groups])
    unlike = max(_robust_variance(within) - float(np.median(sampling)), 0.05)
    degrees = moderation.degrees_of(unlike)
    bias = float(digamma(degrees / 2) - math.log(degrees / 2))
    spread = max(_LEAST_SPREAD, math.sqrt(_robust_variance(levels - np.median(levels))))
    return Prior(float(np.median(levels)) + bias, spread, degrees)


def _robust_variance(deviations: np.ndarray) -> float:
    return float((1.4826 * np.median(np.abs(deviations))) ** 2)


def as_toml(found: dict[Kind, tuple[Prior, int]]) -> str:
    """The file that `shipped` reads."""
    return _HEAD + "".join(
        f"\n[[kind]]\n"
        f'language = "{kind.language}"\ncache = "{kind.cache}"\n'
        f'durability = "{kind.durability}"\nlog_variance = {prior.log_variance:.2f}\n'
        f"spread = {prior.spread:.2f}\ndegrees = {prior.degrees:.1f}\ngroups = {groups}\n"
        for kind, (prior, groups) in found.items()
    )


def main(paths: Sequence[str]) -> int:
    """Print priors.toml as these runs tell it. Returns the exit status."""
    try:
        print(as_toml(estimate(reading.read(Path(each)) for each in paths)), end="")
    except UserError as error:
        print(f"iogauge: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
