"""Checks that the published numbers and claims of a study refer to cases that it has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from iogauge.claims import numbers
from iogauge.claims.comparable import Comparable, Entry
from iogauge.claims.figures import FIGURE
from iogauge.claims.printed import Cell, cells_of
from iogauge.claims.selection import matches
from iogauge.claims.verdicts import asks
from iogauge.model.errors import UserError
from iogauge.model.plan import Plan
from iogauge.study.groups import GroupTable
from iogauge.study.publication import METRICS, Claim, ClaimTest
from iogauge.study.schema import Study

_FEW = 4  # names that a message offers


def planned(plans: Iterable[Plan]) -> list[Comparable]:
    """The cases that runs of these plans will have, without times."""
    return [
        Comparable(
            group.id,
            tuple(
                Entry(case.variant, case.strategy, case.parameters, 1.0, case.setting)
                for case in (
                    plan.cases[number] for number in group.cases if number != group.control
                )
            ),
            lambda *pair: None,
        )
        for plan in plans
        for group in plan.groups
    ]


def check(of: Study, name: str, comparables: list[Comparable]) -> None:
    """Checks every name in the published numbers and claims, that each test has something to
    compare, and that it asks for the numbers that the claim says.

    `comparables` are the cases that the study plans. `name` is how messages call the study. Raises
    UserError, which names the key.
    """
    names = _Names(
        {entry.variant for each in comparables for entry in each.entries},
        {identifier for group in of.group for identifier in group.identifiers()},
    )
    for index, table in enumerate(of.published):
        group = next(each for each in of.group if each.id == table.group)
        for cell in cells_of(of, table):
            _check_cell(f"{name}: published[{index}].values", cell, group, names)
    for number, claim in enumerate(of.claim):
        for index, test in enumerate(claim.test):
            _check_test(f"{name}: claim[{number}].test[{index}]", test, names, comparables)
        _check_texts(f"{name}: claim[{number}]", claim, names)
        _check_numbers(f"{name}: claim[{number}].says", claim)
    for index, alike in enumerate(of.repeated):
        for each in alike:
            if each not in names.variants:  # these are names, not patterns
                raise UserError(
                    f"{name}: repeated[{index}]: {each!r} names no case of this study; "
                    f"{_among(names.variants)}"
                )


@dataclass(frozen=True)
class _Names:
    """What claims may name."""

    variants: set[str]
    groups: set[str]

    def must_match(self, where: str, patterns: list[str] | None, what: str) -> None:
        """Raises UserError for a pattern without a match. `what` is "case" or "group"."""
        known = self.groups if what == "group" else self.variants
        for pattern in patterns or []:
            if not any(matches(each, [pattern]) for each in known):
                raise UserError(
                    f"{where}: {pattern!r} names no {what} of this study; {_among(known)}"
                )


def _check_cell(where: str, cell: Cell, group: GroupTable, names: _Names) -> None:
    if cell.size not in group.size:
        allowed = ", ".join(map(str, group.size))
        raise UserError(
            f"{where}: {cell.size} is no size of the group {group.id}; allowed: {allowed}"
        )
    if cell.variant not in names.variants:
        close = {each for each in names.variants if each.startswith(cell.strategy)}
        raise UserError(
            f"{where}: {cell.variant} is no case of the study; {_among(close or names.variants)}"
        )


def _check_test(where: str, test: ClaimTest, names: _Names, comparables: list[Comparable]) -> None:
    for key in ("groups", "elsewhere"):
        names.must_match(f"{where}.{key}", getattr(test, key), "group")
    for key in ("cases", "than", "among"):
        names.must_match(f"{where}.{key}", getattr(test, key), "case")
    on_one_runtime = not test.across and not test.options
    compares = test.kind not in ("fails-with", "remark")
    if compares and on_one_runtime and not asks([test], comparables):
        raise UserError(
            f"{where}: a test of the kind {test.kind} that has nothing to compare: "
            "no group has the cases, or values, that it names together; name cases of one group"
        )
    for key, patterns in (test.other or {}).items():
        names.must_match(f"{where}.other.{key}", patterns, "group" if key == "groups" else "case")


def _check_texts(where: str, claim: Claim, names: _Names) -> None:
    """Checks the figures inside the sentences of a claim."""
    texts = (claim.why, *(each for test in claim.test for each in (test.answer, test.why)))
    for figure in (found for text in texts for found in FIGURE.finditer(text or "")):
        what, variant, group = figure[1], figure[2], figure[3]
        if what not in METRICS:
            raise UserError(
                f"{where}: {figure[0]}: {what!r} is no figure; there are: {', '.join(METRICS)}"
            )
        names.must_match(f"{where}: {figure[0]}", [variant], "case")
        names.must_match(f"{where}: {figure[0]}", [group] if group else [], "group")


def _check_numbers(where: str, claim: Claim) -> None:
    """The sentence must not say another number than the tests ask for."""
    if wrong := numbers.disagreement(claim):
        raise UserError(
            f'{where}: {wrong}; make them agree, or say what is tested: "… (Tested: 4 times.)"'
        )


def _among(names: set[str]) -> str:
    return f"there are, among others: {', '.join(sorted(names)[:_FEW])}"
