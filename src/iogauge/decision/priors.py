"""What is known of the variances of a group's pairs before it is measured: what pairs of this kind
were like in stored runs. `priors.toml` holds it; `analysis.priors` estimates it.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from iogauge.decision.shrinkage import Prior
from iogauge.model.plan import Group, Plan
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
    for kind in (kind_of(language, conditions), kind_of(ANY, conditions), EVERYTHING):
        if kind in known:
            return known[kind]
    raise LookupError(f"{_FILE.name} has nothing for any kind")


@cache
def shipped() -> dict[Kind, Prior]:
    """What priors.toml holds."""
    table = tomllib.loads(_FILE.read_text("utf-8"))
    return {
        Kind(each["language"], each["cache"], each["durability"]): Prior(
            each["log_variance"], each["spread"], each["degrees"]
        )
        for each in table["kind"]
    }
