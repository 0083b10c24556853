"""Two versions of the same ways: which variant of the old one goes with which of the new one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from iogauge.model.case import Variant
from iogauge.model.plan import Versions
from iogauge.planning.draft import Draft
from iogauge.planning.options import Machine

Key = tuple[object, ...]

MOST_ROUNDS = 24
"""per replicate. How many are worth their time follows from what was measured (`decision/rounds`).
Few ways are compared, and new forks take far longer than a round; where rounds are noisy, those of
a study would leave most of what could be known to chance.
"""


@dataclass(frozen=True)
class Paired:
    """The variants that have two versions, and the indexes among them of each (old, new)."""

    variants: list[Variant]
    pairs: list[tuple[int, int]]


def paired(found: Sequence[Variant], draft: Draft, versions: Versions) -> Paired:
    """Of these variants. What is in one version only, or in none, is recorded as skipped."""
    names = draft.options.sides or (versions.old, versions.new)
    sides: tuple[list[Variant], list[Variant]] = [], []
    for each in found:
        of = [name in _names(each, draft.machine) for name in names]
        if any(of):
            sides[of.index(True)].append(each)
        else:
            why = f"only what both {versions.old} and {versions.new} have is compared"
            draft.skip(f"{each.language}/*", why)
    # A function, or a command, may have another name in its new version.
    alone = all(len({each.strategy for each in side}) == 1 for side in sides)
    old, new = (_by_key(side, alone=alone) for side in sides)
    for here, there, name in ((old, new, versions.old), (new, old, versions.new)):
        for key in here.keys() - there.keys():
            draft.skip(_told(here[key], draft.machine), f"it is only in {name}")
    variants = [each for key, one in old.items() if key in new for each in (one, new[key])]
    return Paired(variants, [(at, at + 1) for at in range(0, len(variants), 2)])


def _told(variant: Variant, machine: Machine) -> str:
    """As people know it: `count(path)`, `FileInputStream block=65536`."""
    known = machine.runtime(variant.runtime).strategies[variant.strategy].known_as
    return " ".join([known, *(f"{name}={value}" for name, value in variant.parameters.items())])


def _names(variant: Variant, machine: Machine) -> set[str]:
    """All names that the version may have to which a variant belongs."""
    runtime = machine.runtime(variant.runtime)
    return {runtime.label, runtime.name, variant.strategy}


def _by_key(side: Iterable[Variant], *, alone: bool) -> Mapping[Key, Variant]:
    """The variants by what both versions have in common; of one strategy `alone` not its name."""
    return {
        ("" if alone else each.strategy, *each.parameters.items(), each.options): each
        for each in side
    }
