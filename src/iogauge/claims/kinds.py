"""The kinds of tests that a claim is made of.

A kind is a function of a test and of the cases that it may compare. It yields one finding for each
comparison. `KINDS` has all of them; docs/study-format.md describes them. The names and keys of the
kinds are declared in iogauge.study.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator

from iogauge.claims.comparable import Comparable, Entry
from iogauge.claims.figures import filled, metric, shown
from iogauge.claims.findings import Finding, decided, no_time, of_case, of_pair
from iogauge.claims.ratio_of_ratios import ratio_of_ratios
from iogauge.claims.selection import (
    by_setting,
    each_case,
    matching,
    on_several_runtimes,
    pairs,
    series,
)
from iogauge.claims.words import Answer
from iogauge.decision.comparison import Comparison, Outcome
from iogauge.study.publication import ClaimTest

Findings = Iterator[Finding]

DEFAULT_MARGIN = 0.05
"""The margin of a test that names none."""


def faster_than(test: ClaimTest, comparables: list[Comparable]) -> Findings:
    """Each of `cases` is faster than each of `than`.

    With a `factor`, it is faster by at least so much, or by between so much and so much. With
    `options`, the reference ran on the same runtime with these options.
    """

    def answer(found: Comparison) -> Answer:
        return _by_factor(found, test.factor) if test.factor else _faster(found)

    for pair in pairs(
        comparables, test.cases, test.than, same=test.same, options=test.options or []
    ):
        yield of_pair(*pair, answer)


def about_equal(test: ClaimTest, comparables: list[Comparable]) -> Findings:
    """The cases differ by no more than the margin.

    Each of `cases` is compared with each of `than`, or else with all other `cases`. With `across`,
    it is compared with itself on other runtimes.
    """
    margin = test.margin or DEFAULT_MARGIN

    def answer(found: Comparison) -> Answer:
        return decided(
            found.lo >= 1 / (1 + margin) and found.hi <= 1 + margin,
            found.lo > 1 + margin or found.hi < 1 / (1 + margin),
        )

    chosen = (
        on_several_runtimes(comparables, test.cases)
        if test.across
        else pairs(
            comparables,
            test.cases,
            test.than or test.cases,
            once=test.than is None,
            same=test.same,
        )
    )
    for pair in chosen:
        yield of_pair(*pair, answer)


def not_faster_than(test: ClaimTest, comparables: list[Comparable]) -> Findings:
    """None of `cases` is faster than one of `than` by more than the margin."""
    for pair in pairs(comparables, test.cases, test.than, same=test.same):
        yield of_pair(*pair, _no_gain(test))


def fastest(test: ClaimTest, comparables: list[Comparable]) -> Findings:
    """None of `among` is faster than the fastest of `cases`."""
    yield from _extreme(test, comparables, min, right="faster", wrong="slower")


def slowest(test: ClaimTest, comparables: list[Comparable]) -> Findings:
    """None of `among` is slower than the slowest of `cases`."""
    yield from _extreme(test, comparables, max, right="slower", wrong="faster")


def plateau(test: ClaimTest, comparables: list[Comparable]) -> Findings:
    """Values of a parameter `beyond` a certain one gain no more than the margin."""
    for comparable, values in series(comparables, test):
        start = [n for value, n in values if value == test.beyond]
        for value, n in values:
            if start and test.beyond is not None and value > test.beyond:
                yield of_pair(comparable, n, start[0], _no_gain(test))


def monotone(test: ClaimTest, comparables: list[Comparable]) -> Findings:
    """Each value of a parameter is at most slower by the margin than the next smaller value."""
    margin = test.margin or DEFAULT_MARGIN

    def answer(found: Comparison) -> Answer:
        return decided(found.hi <= 1 + margin, found.lo > 1 + margin)

    for comparable, values in series(comparables, test):
        for (_, smaller), (_, larger) in zip(values, values[1:], strict=False):
            yield of_pair(comparable, larger, smaller, answer)


def order_of(test: ClaimTest, comparables: list[Comparable]) -> Findings:
    """Each of `cases` is faster than the next one."""
    for one, next_one in zip(test.cases, test.cases[1:], strict=False):
        for pair in pairs(comparables, [one], [next_one]):
            yield of_pair(*pair, _faster)


def fails_with(test: ClaimTest, comparables: list[Comparable]) -> Findings:
    """The cases fail with a reason that matches. In the groups of `elsewhere` they do not fail.

    A failure for another reason does not count either way. Published numbers cannot tell.
    """
    there = [
        (comparable, n)
        for comparable, n in each_case(
            comparables, test.cases, inside=test.groups, outside=test.elsewhere
        )
        if _tried(comparable.entries[n])
    ]
    for comparable, n in there:
        entry = comparable.entries[n]
        says = f"{entry.variant}: {entry.failure or 'does not fail'}"
        yield of_case(comparable, n, _failed(entry, test.reason or "", "holds", "refuted"), says)
    for comparable, n in (
        each_case(comparables, test.cases, inside=test.elsewhere or []) if there else ()
    ):
        entry = comparable.entries[n]
        if _tried(entry):
            says = f"{entry.variant} in {comparable.group}: {entry.failure or 'works'}"
            answer = _failed(entry, test.reason or "", "refuted", "holds")
            yield of_case(comparable, n, answer, says)


def remark(test: ClaimTest, comparables: list[Comparable]) -> Findings:
    """An answer in words, with figures of the run. With a `metric`, its bounds decide instead."""
    if test.metric is None:
        text = filled(test.answer or "", comparables)
        if text is not None:
            yield Finding("answered", "", None, "", says=text)
        return
    for comparable, n in each_case(comparables, test.cases):
        entry = comparable.entries[n]
        value = metric(entry, test.metric)
        if value is None:
            if entry.measured:
                yield no_time(comparable, n)
            continue
        right = (test.at_least is None or value >= test.at_least) and (
            test.at_most is None or value <= test.at_most
        )
        says = f"{entry.variant}: {shown(test.metric, value)} {test.metric.replace('_', ' ')}"
        yield of_case(comparable, n, "holds" if right else "refuted", says)


KINDS: dict[str, Callable[[ClaimTest, list[Comparable]], Findings]] = {
    "faster-than": faster_than,
    "about-equal": about_equal,
    "not-faster-than": not_faster_than,
    "fastest": fastest,
    "slowest": slowest,
    "plateau": plateau,
    "monotone": monotone,
    "fails-with": fails_with,
    "order-of": order_of,
    "ratio-of-ratios": ratio_of_ratios,
    "remark": remark,
}


def _faster(found: Comparison) -> Answer:
    """`same` refutes it: such a small difference is none that anybody asked for."""
    return decided(found.outcome == "faster", found.outcome in ("slower", "same"))


def _by_factor(found: Comparison, factor: list[float]) -> Answer:
    """Whether the reference takes so many times the time of the case."""
    low, high = factor[0], factor[1] if len(factor) > 1 else math.inf
    lo, hi = (1 / each if each > 0 else math.inf for each in (found.hi, found.lo))
    return decided(low <= lo and hi <= high, hi < low or lo > high)


def _no_gain(test: ClaimTest) -> Callable[[Comparison], Answer]:
    least = 1 - (test.margin or DEFAULT_MARGIN)
    return lambda found: decided(found.lo >= least, found.hi < least)


def _extreme(
    test: ClaimTest,
    comparables: list[Comparable],
    choose: Callable[..., int],
    *,
    right: Outcome,
    wrong: Outcome,
) -> Findings:
    """The extreme one of `cases` is compared with each of `among`, in each setting."""

    def answer(found: Comparison) -> Answer:
        return decided(found.outcome in (right, "same"), found.outcome == wrong)

    for comparable, inside in by_setting(comparables):
        named = [n for n in matching(comparable, test.cases) if n in inside]
        timed = [n for n in named if comparable.entries[n].usable]
        yield from (no_time(comparable, n) for n in named if n not in timed)
        if timed:
            chosen = choose(timed, key=comparable.ns)
            for other in matching(comparable, test.among):
                if other in inside and other not in named:
                    yield of_pair(comparable, chosen, other, answer)


def _tried(entry: Entry) -> bool:
    """Whether a run got as far as this case, and its outcome can be believed."""
    return entry.failure is not None or (entry.sound and entry.measured is not None)


def _failed(entry: Entry, reason: str, if_so: Answer, if_not: Answer) -> Answer:
    """One answer if the case failed with the reason, another if it did not fail."""
    if entry.failure is None:
        return if_not
    return if_so if re.search(reason, entry.failure) else "not-testable"
