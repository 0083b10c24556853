"""What separate runs are compared by: ratios to an anchor inside each run, and how much such ratios
differ between runs of the same.

`anchors.toml` holds the latter; `benchmarks/anchors.py` estimates it from stored runs.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import numpy as np

from iogauge.decision.priors import ANY, Way, kind_of
from iogauge.decision.shrinkage import Prior
from iogauge.model.workload import Conditions

Anchor = Literal[
    "baseline",  # of the group
    "ceiling",  # of the group, for one thread
    "canary",  # both kinds of fixed work, as their geometric mean
    "hashing",
    "copying",
]
ANCHORS: tuple[Anchor, ...] = get_args(Anchor)
FIXED_WORK: tuple[Anchor, ...] = ("canary", "hashing", "copying")
"""What goes through no runtime, no kernel and no device."""
_FILE = Path(__file__).with_name("anchors.toml")


class Kind(NamedTuple):
    """Of ratios to an anchor. `cache` and `durability` are as in `priors.Kind`; `way` is "any" for
    all ways together.
    """

    anchor: Anchor
    cache: str
    durability: str
    way: str


@dataclass(frozen=True, slots=True)
class Known:
    """What ratios of a kind are like from run to run. `log_variance` is the log of the variance
    between runs that the replicates do not explain, `spread` the SD of that log from plan to plan,
    `degrees` how alike it is for the ways of one group, and `common` which share of it all ways of
    a group have in common.
    """

    log_variance: float
    spread: float
    degrees: float
    common: float


def kind_for(anchor: Anchor, conditions: Conditions, way: str) -> Kind:
    known = kind_of(ANY, conditions)
    return Kind(anchor, known.cache, known.durability, way)


def known(anchor: Anchor, conditions: Conditions, way: Way) -> Known:
    """Of this kind; where that is not known, of all ways under its conditions, then of anything."""
    kinds = kind_for(anchor, conditions, way), kind_for(anchor, conditions, ANY)
    for kind in (*kinds, Kind(anchor, ANY, ANY, ANY)):
        if kind in shipped():
            return shipped()[kind]
    raise LookupError(f"{_FILE.name} has nothing for the {anchor}")


@cache
def shipped() -> dict[Kind, Known]:
    """What anchors.toml holds."""
    table = tomllib.loads(_FILE.read_text("utf-8"))
    return {
        Kind(each["anchor"], each["cache"], each["durability"], each["way"]): Known(
            each["log_variance"], each["spread"], each["degrees"], each["common"]
        )
        for each in table["kind"]
    }


def steadiest(
    allowed: Collection[Anchor],
    conditions: Conditions,
    ways: Iterable[tuple[Way, dict[Anchor, float]]],
) -> Anchor | None:
    """Which of these anchors to take for the ways of a group: that with the least variance between
    runs, by what stored runs were like, and by how well the runs that are compared know it. Their
    ratios themselves have no say: of several anchors one always looks steady by chance. `ways` has
    for each way its kind, and by anchor the variance of its ratio within a run.
    """
    ways = list(ways)
    best: tuple[float, Anchor] | None = None
    for anchor in (each for each in ANCHORS if each in allowed):
        variances = [
            np.exp(known(anchor, conditions, way).log_variance) + within[anchor]
            for way, within in ways
            if anchor in within
        ]
        found = float(np.median(variances)) if variances else np.inf
        if variances and (best is None or found < best[0]):
            best = found, anchor
    return best[1] if best else None


def prior_of(found: Iterable[Known]) -> tuple[Prior, float]:
    """What is known of the ways of a group together, for `shrinkage`, and the share in common: the
    most careful of each. Variances are expected to be those between runs plus those of replicates.
    """
    ways = list(found)
    forks = np.array([each.log_variance for each in ways])
    prior = Prior(
        float(np.mean(forks)),
        max(each.spread for each in ways),
        min(each.degrees for each in ways),
        inflation=1.0,
        forks=forks,
    )
    return prior, max(each.common for each in ways)
