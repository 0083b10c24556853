"""What is known of the variances of a group's pairs before it is measured: what pairs of this kind
were like in stored runs. `priors.toml` holds it; `benchmarks/priors.py` estimates it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from iogauge.decision.shrinkage import Prior
from iogauge.model.plan import Group, Plan
from iogauge.model.strategy import Strategy
from iogauge.model.workload import Conditions

ANY = "any"
_FILE, _NOT_APPLICABLE = Path(__file__).with_name("priors.toml"), "-"


class Kind(NamedTuple):
    """`language` is "any" for pairs of all languages. `durability` is "none" or "durable"; a
    condition that does not apply is "-".
    """

    language: str
    cache: str
    durability: str


def kind_of(language: str, conditions: Conditions) -> Kind:
    durable = "durable" if conditions.durable else conditions.durability
    return Kind(language, conditions.cache or _NOT_APPLICABLE, durable or _NOT_APPLICABLE)


EVERYTHING = Kind("any", "any", "any")


Way = Literal["plain", "allocating", "mapped", "decoding"]


def way_of(strategy: Strategy) -> Way:
    """How a way handles its data, which decides how much its forks differ."""
    if strategy.reads_mapped:
        return "mapped"
    if strategy.sums not in ("byte", "nothing"):
        return "decoding"
    return "allocating" if strategy.needs.memory_per_file_byte > 0 else "plain"


@dataclass(frozen=True, slots=True)
class Explained:
    """What the noise of rounds explains: `forks` has the log of the variance of forks by way, to
    which that noise is added `inflation` times, as rounds are not independent. `spread` and
    `degrees` are of what is left.
    """

    forks: Mapping[str, float]
    inflation: float
    spread: float
    degrees: float

    def of_forks(self, way: Way) -> float:
        """Of a way that is not known, as much as of the noisiest one."""
        return self.forks.get(way, max(self.forks.values()))


@dataclass(frozen=True, slots=True)
class Known:
    """What a kind of pairs was like in stored runs. What rounds explain is known of all languages
    together, and None where that is too little.
    """

    prior: Prior
    explained: Explained | None = None


def of_group(plan: Plan, group: Group) -> Prior | None:
    """The prior of a group without regard to its rounds: the mean of the logs of its languages'
    kinds, and the most careful spread and degrees among these. None as published, because authors
    had no prior, and of what another tool measured.
    """
    if plan.published or plan.protocol != "sound":
        return None
    found = [each.prior for each in _of_languages(plan, group)]
    return Prior(
        float(np.mean([each.log_variance for each in found])),
        max(each.spread for each in found),
        min(each.degrees for each in found),
    )


def with_rounds(plan: Plan, group: Group, ways: Sequence[Way]) -> Prior | None:
    """The prior of a group by the noise of its rounds, where stored runs show that this explains
    something under its conditions; `ways` are those of its cases.
    """
    prior, known = of_group(plan, group), shipped().get(kind_of(ANY, group.conditions))
    explained = known.explained if known else None
    if prior is None or explained is None:
        return prior
    variances = np.exp([explained.of_forks(way) for way in ways])
    return replace(
        prior,
        spread=explained.spread,
        degrees=explained.degrees,
        inflation=explained.inflation,
        forks=np.log((variances[:, None] + variances) / 2),
    )


def _of_languages(plan: Plan, group: Group) -> list[Known]:
    languages = sorted({plan.cases[case].language for case in group.cases})
    return [_known(each, group.conditions) for each in languages]


def _known(language: str, conditions: Conditions) -> Known:
    """A kind; where that is not known, its conditions, then anything."""
    known = shipped()
    for kind in (kind_of(language, conditions), kind_of(ANY, conditions), EVERYTHING):
        if kind in known:
            return known[kind]
    raise LookupError(f"{_FILE.name} has nothing for any kind")


@cache
def shipped() -> dict[Kind, Known]:
    """What priors.toml holds."""
    table = tomllib.loads(_FILE.read_text("utf-8"))
    return {
        Kind(each["language"], each["cache"], each["durability"]): Known(
            Prior(each["log_variance"], each["spread"], each["degrees"]),
            Explained(**each["explained"]) if "explained" in each else None,
        )
        for each in table["kind"]
    }
