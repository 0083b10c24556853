"""Whether the numbers in a claim's sentence are those that its tests ask for.

A claim of "about eight times" must not hold because its test asks for four.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iogauge.claims.kinds import DEFAULT_MARGIN
from iogauge.model.units import rounded, share
from iogauge.study.publication import TEST_KEYS, Claim, ClaimTest

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


def disagreement(claim: Claim) -> str | None:
    """What the sentence says that no test asks for, in a few words; None if they agree.

    Only ratios and shares are looked at: sizes in a sentence say of what it speaks. If the sentence
    has `(Tested: …)`, the numbers in there count, and no others. A claim whose tests are all
    answered in words has nothing to compare.
    """
    tests = [each for each in claim.test if each.kind != "remark" or each.metric]
    found = _TESTED.search(claim.says)
    text = found[1] if found else claim.says
    if not tests:
        return None
    for said, ratio in _ratios(text):
        if not any(_asks_for(test, ratio) for test in tests):
            return f"says {said!r}, but {_asked(tests)}"
    for said, part in _shares(text):
        if not any(_asks_for_share(test, part) for test in tests):
            return f"says {said!r}, but {_asked(tests)}"
    return None


def _ratios(text: str) -> Iterator[tuple[str, float]]:
    for found in _TIMES.finditer(text):
        yield from ((found[0], _value(each)) for each in found.groups() if each)
    yield from ((found[0], 2.0) for found in _TWICE.finditer(text))


def _shares(text: str) -> Iterator[tuple[str, float]]:
    yield from ((found[0], float(found[1]) / 100) for found in _SHARE.finditer(text))


def _value(text: str) -> float:
    return _WORDS[text.lower()] if text.lower() in _WORDS else float(text)


def _asks_for(test: ClaimTest, ratio: float) -> bool:
    """Whether the factor of a test is this one, or has it between close bounds."""
    match test.factor:
        case [least]:
            return ratio / _CLOSE <= least <= ratio * _CLOSE
        case [least, most]:
            return least <= ratio <= most <= _WIDEST * least
    return _is(_margin(test), ratio - 1)


def _asks_for_share(test: ClaimTest, part: float) -> bool:
    """Whether a test has this share as its margin, its bound, or what its factor is above 1."""
    gain = test.factor[0] - 1 if test.factor else None
    if test.factor and len(test.factor) > 1 and test.factor[0] <= 1 + part <= test.factor[1]:
        return test.factor[1] <= _WIDEST * test.factor[0]
    return any(_is(each, part) for each in (_margin(test), test.at_least, test.at_most, gain))


def _is(bound: float | None, value: float) -> bool:
    return bound is not None and value / _CLOSE <= bound <= value * _CLOSE


def _margin(test: ClaimTest) -> float | None:
    return test.margin or (DEFAULT_MARGIN if "margin" in TEST_KEYS[test.kind][1] else None)


def _asked(tests: list[ClaimTest]) -> str:
    """`its tests ask for a factor of 4`; `… for a factor of 2 to 5, a margin of 5 %`."""
    asked = [
        *(f"a factor of {' to '.join(map(rounded, test.factor))}" for test in tests if test.factor),
        *(f"a margin of {share(found)}" for test in tests if (found := _margin(test))),
        *(
            f"a bound of {rounded(bound)}"
            for test in tests
            for bound in (test.at_least, test.at_most)
            if bound is not None
        ),
    ]
    return (
        f"its tests ask for {', '.join(dict.fromkeys(asked))}"
        if asked
        else ("its tests ask for no number")
    )
