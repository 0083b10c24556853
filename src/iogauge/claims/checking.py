"""Checks that the published numbers and claims of a study refer to cases that it has, and that the
numbers in a claim's sentence are those that its tests ask for: a claim of "about eight times" must
not hold because its test asks for four.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from iogauge.claims.comparable import Comparable, Entry, matches
from iogauge.claims.kinds import DEFAULT_MARGIN, QUOTED, compares
from iogauge.claims.printed import Cell, cells_of
from iogauge.claims.verdicts import asks
from iogauge.model.errors import UserError
from iogauge.model.plan import Plan
from iogauge.model.units import rounded, share
from iogauge.study.schema import METRICS, TEST_KEYS, Claim, ClaimTest, GroupTable, Study

_FEW = 4  # names that a message offers
_FROM_TWO = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_WORDS = {word: float(number) for number, word in enumerate(_FROM_TWO, 2)} | {
    "twelve": 12.0,
    "twenty": 20.0,
    "thirty": 30.0,
    "fifty": 50.0,
    "a hundred": 100.0,
    "a thousand": 1000.0,
}
_NUMBER = rf"(\d+(?:\.\d+)?|{'|'.join(_WORDS)})"
_TIMES = re.compile(
    rf"(?<![\w.]){_NUMBER}(?:\s*(?:to|or|-|–)\s*{_NUMBER})?(?:\s*×|[\s-]*(?:times|fold)\b|x\b)",
    re.IGNORECASE,
)
_TWICE = re.compile(r"\btwice\b", re.IGNORECASE)
_SHARE = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)\s*(?:%|per cent\b|percent\b)")
_TESTED = re.compile(r"\(Tested: ([^)]*)\)")
"""Says what is tested, where that differs from what the publication says."""

_CLOSE = 1.25
"""A bound of a test may differ from the number in the sentence by this factor."""
_WIDEST = 4.0
"""The upper bound of a test over its lower one: a number in between says that it is about so."""


def planned(plans: Iterable[Plan]) -> list[Comparable]:
    """The cases that runs of these plans will have, without times."""
    found = []
    for plan in plans:
        for group in plan.groups:
            cases = [plan.cases[number] for number in group.cases if number != group.control]
            entries = tuple(
                Entry(
                    each.variant,
                    each.strategy,
                    each.parameters,
                    1.0,
                    each.setting,
                    runtime=each.runtime,
                )
                for each in cases
            )
            found.append(Comparable(group.id, entries, lambda *pair: None))
    return found


def check(of: Study, name: str, comparables: list[Comparable]) -> None:
    """Checks every name in the published numbers and claims, that each test has something to
    compare, and that it asks for the numbers that the claim says.

    `comparables` are the cases that the study plans. `name` is how messages call the study. Raises
    UserError, which names the key.
    """
    names = _Names(
        {entry.variant: entry.strategy for each in comparables for entry in each.entries},
        {identifier for group in of.group for identifier in group.identifiers()},
    )
    for index, table in enumerate(of.published):
        group = next(each for each in of.group if each.id == table.group)
        for cell in cells_of(of, table):
            _check_cell(f"{name}: published[{index}].values", cell, group, names)
    for number, claim in enumerate(of.claim):
        where = f"{name}: claim[{number}]"
        for index, test in enumerate(claim.test):
            _check_test(f"{where}.test[{index}]", test, names, comparables)
        _check_texts(where, claim, names)
        if wrong := disagreement(claim):
            raise UserError(
                f"{where}.says: {wrong}; make them agree, or say what is tested: "
                '"… (Tested: 4 times.)"'
            )
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

    variants: Mapping[str, str]  # and the strategy of each
    groups: set[str]

    def must_match(self, where: str, key: str, patterns: list[str] | None) -> None:
        """Raises UserError for a pattern of a `key` of a test that names nothing."""
        of_groups = key in ("groups", "elsewhere")
        known = self.groups if of_groups else self.variants.keys()
        for pattern in patterns or []:
            if not any(matches(each, [pattern]) for each in known):
                what = "group" if of_groups else "case"
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
        close = {each for each, of in names.variants.items() if of == cell.strategy}
        raise UserError(
            f"{where}: {cell.variant} is no case of the study; {_among(close or names.variants)}"
        )


def _check_test(where: str, test: ClaimTest, names: _Names, comparables: list[Comparable]) -> None:
    for key in ("groups", "elsewhere", "cases", "than", "among"):
        names.must_match(f"{where}.{key}", key, getattr(test, key))
    on_one_runtime = not test.across and not test.options
    of_pairs = test.kind not in ("fails-with", "remark")
    if of_pairs and on_one_runtime and not asks([test], comparables):
        raise UserError(
            f"{where}: a test of the kind {test.kind} that has nothing to compare: "
            "no group has the cases, or values, that it names together; name cases of one group"
        )
    for key, patterns in (test.other or {}).items():
        names.must_match(f"{where}.other.{key}", key, patterns)


def _check_texts(where: str, claim: Claim, names: _Names) -> None:
    """Checks the figures inside the sentences of a claim."""
    texts = (claim.why, *(each for test in claim.test for each in (test.answer, test.why)))
    for figure in (found for text in texts for found in QUOTED.finditer(text or "")):
        what, variant, group = figure.groups()
        if what not in METRICS:
            raise UserError(
                f"{where}: {figure[0]}: {what!r} is no figure; there are: {', '.join(METRICS)}"
            )
        names.must_match(f"{where}: {figure[0]}", "cases", [variant])
        names.must_match(f"{where}: {figure[0]}", "groups", [group] if group else [])


def _among(names: Iterable[str]) -> str:
    return f"there are, among others: {', '.join(sorted(names)[:_FEW])}"


# numbers in sentences


def disagreement(claim: Claim) -> str | None:
    """What the sentence says that no test asks for, in a few words; None if they agree.

    Only ratios and shares are looked at: sizes in a sentence say of what it speaks. If the sentence
    has `(Tested: …)`, the numbers in there count, and no others. A claim whose tests are all
    answered in words has nothing to compare.
    """
    tests = [each for each in claim.test if compares(each)]
    found = _TESTED.search(claim.says)
    for said, number, is_share in _numbers(found[1] if found else claim.says) if tests else ():
        asks_for = _asks_for_share if is_share else _asks_for
        if not any(asks_for(test, number) for test in tests):
            return f"says {said!r}, but its tests ask for {_asked(tests) or 'no number'}"
    return None


def _numbers(text: str) -> Iterator[tuple[str, float, bool]]:
    """The numbers of a sentence, as it says them and as a ratio, or as a share."""
    for found in _TIMES.finditer(text):
        for each in filter(None, found.groups()):
            yield found[0], _WORDS.get(each.lower()) or float(each), False
    yield from ((found[0], 2.0, False) for found in _TWICE.finditer(text))
    yield from ((found[0], float(found[1]) / 100, True) for found in _SHARE.finditer(text))


def _asks_for(test: ClaimTest, ratio: float) -> bool:
    """Whether the factor of a test is this one, or has it between close bounds."""
    match test.factor:
        case [least]:
            return _is(least, ratio)
        case [least, most]:
            return least <= ratio <= most <= _WIDEST * least
    return _is(_margin(test), ratio - 1)


def _asks_for_share(test: ClaimTest, part: float) -> bool:
    """Whether a test has this share as its margin, its bound, or what its factor is above 1."""
    match test.factor:
        case [least, most] if least <= 1 + part <= most:
            return most <= _WIDEST * least
    gain = test.factor[0] - 1 if test.factor else None
    return any(_is(each, part) for each in (_margin(test), test.at_least, test.at_most, gain))


def _is(bound: float | None, value: float) -> bool:
    return bound is not None and value / _CLOSE <= bound <= value * _CLOSE


def _margin(test: ClaimTest) -> float | None:
    return test.margin or (DEFAULT_MARGIN if "margin" in TEST_KEYS[test.kind][1] else None)


def _asked(tests: list[ClaimTest]) -> str:
    """`a factor of 4`; `a factor of 2 to 5, a margin of 5 %`."""
    bounds = [each for test in tests for each in (test.at_least, test.at_most) if each is not None]
    asked = [
        *(f"a factor of {' to '.join(map(rounded, test.factor))}" for test in tests if test.factor),
        *(f"a margin of {share(found)}" for test in tests if (found := _margin(test))),
        *(f"a bound of {rounded(bound)}" for bound in bounds),
    ]
    return ", ".join(dict.fromkeys(asked))
