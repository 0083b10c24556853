"""Two versions of the same ways: which variant of the old one goes with which of the new one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from iogauge.model.case import Variant
from iogauge.model.plan import Versions
from iogauge.planning.draft import Draft
from iogauge.planning.options import Machine


@dataclass(frozen=True)
class Paired:
    """The variants that have two versions, and the indexes among them of each (old, new)."""

    variants: list[Variant]
    pairs: list[tuple[int, int]]


def paired(found: Sequence[Variant], draft: Draft, versions: Versions) -> Paired:
    """Of these variants. What is in one version only, or in none, is recorded as skipped."""
    sides: dict[str, dict[tuple[object, ...], Variant]] = {versions.old: {}, versions.new: {}}
    for each in found:
        side = _side(each, draft.machine, versions)
        if side is None:
            why = f"the question is {versions.new} against {versions.old}"
            draft.skip(f"{each.language}/*", why)
        else:
            sides[side][_key(each)] = each
    old, new = sides[versions.old], sides[versions.new]
    if len(old) == len(new) == 1:  # two functions, or two commands, whatever their names are
        both = [(*old.values(), *new.values())]
    else:
        both = [(one, new[key]) for key, one in old.items() if key in new]
        for here, there, name in ((old, new, versions.old), (new, old, versions.new)):
            for key in here.keys() - there.keys():
                draft.skip(here[key].variant, f"it is only in {name}")
    variants = [each for pair in both for each in pair]
    return Paired(variants, [(at, at + 1) for at in range(0, len(variants), 2)])


def _side(variant: Variant, machine: Machine, versions: Versions) -> str | None:
    """The name of the version that has it: of its runtime, or the strategy of a command."""
    runtime = machine.runtime(variant.runtime)
    names = {runtime.label, runtime.name, variant.strategy}
    return next((each for each in (versions.old, versions.new) if each in names), None)


def _key(variant: Variant) -> tuple[object, ...]:
    """What both versions of a variant have in common."""
    return variant.variant, variant.options
