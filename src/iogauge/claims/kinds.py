"""The kinds of tests that a claim is made of.

A kind is a function of a test and of the cases that it may compare. It yields one finding for each
comparison. `KINDS` has all of them; docs/study-format.md describes them. The names and keys of the
kinds are declared in iogauge.study.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator

from iogauge.claims.comparable import (
    Comparable,
    Entry,
    Two,
    by_setting,
    each_case,
    in_groups,
    matching,
    on_several_runtimes,
    pairs,
    series,
)
from iogauge.claims.findings import (
    Answer,
    Figure,
    Finding,
    Lacking,
    Remark,
    Seen,
    Tried,
    decided,
    no_pair,
    no_time,
    of_pair,
)
from iogauge.decision.comparison import Comparison, Outcome
from iogauge.model.figures import in_unit
from iogauge.study.schema import ClaimTest

Findings = Iterator[Finding]

DEFAULT_MARGIN = 0.05
"""The margin of a test that names none."""

QUOTED = re.compile(r"\{([a-z_]+)\|([^|{}]+)(?:\|([^|{}]+))?\}")
"""A figure inside a sentence: `{metric|pattern of a variant|pattern of a group}`."""


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
            comparables, test.cases, test.than or test.cases, once=test.than is None, same=test.same
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
        (comparable, comparable.entries[n])
        for comparable, n in each_case(
            comparables, test.cases, inside=test.groups, outside=test.elsewhere
        )
        if _tried(comparable.entries[n])
    ]
    for comparable, entry in there:
        answer = _failed(entry, test.reason or "", "holds", "refuted")
        yield Finding(answer, comparable.group, (entry,), Tried(entry.failure))
    for comparable, n in (
        each_case(comparables, test.cases, inside=test.elsewhere or []) if there else ()
    ):
        entry = comparable.entries[n]
        if _tried(entry):
            answer = _failed(entry, test.reason or "", "refuted", "holds")
            yield Finding(answer, comparable.group, (entry,), Tried(entry.failure, elsewhere=True))


def ratio_of_ratios(test: ClaimTest, comparables: list[Comparable]) -> Findings:
    """time(cases) / time(than) is larger than the same ratio of the other pairs.

    The other pairs are given by `other`, which has its own groups, cases and than. Each pair is
    compared with each other pair of its setting. With `either`, the ratio may also be smaller. With
    a `margin`, it may be smaller by that much.
    """
    other = test.other or {}
    found = list(pairs(in_groups(comparables, test.groups), test.cases, test.than))
    beside = list(
        pairs(in_groups(comparables, other.get("groups", ["*"])), other["cases"], other["than"])
    )
    for pair in found:
        yield from (_of_two_pairs(test, pair, each) for each in _of_its_setting(pair, beside))
    why = "nothing was measured that their ratio could be compared with"
    yield from (no_pair(*pair, why) for pair in found if not _of_its_setting(pair, beside))
    yield from (no_pair(*pair, why) for pair in beside if not _of_its_setting(pair, found))


def remark(test: ClaimTest, comparables: list[Comparable]) -> Findings:
    """An answer in words, with figures of the run. With a `metric`, its bounds decide instead."""
    if test.metric is None:
        text = filled(test.answer or "", comparables)
        if text is not None:
            yield Finding("answered", "", (), Remark(text))
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
        seen = Figure(test.metric, value)
        yield Finding("holds" if right else "refuted", comparable.group, (entry,), seen)


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


def _of_its_setting(pair: Two, among: list[Two]) -> list[Two]:
    comparable, case, _ = pair
    setting = comparable.entries[case].setting
    return [each for each in among if each[0].entries[each[1]].setting == setting]


def _of_two_pairs(test: ClaimTest, pair: Two, other: Two) -> Finding:
    """The finding about the first pair, which rests on the cases of both."""
    (here, a, b), (there, c, d) = pair, other
    cases, others = (here.entries[a], here.entries[b]), (there.entries[c], there.entries[d])

    def lacking(seen: Seen) -> Finding:
        return Finding(
            "not-testable",
            here.group,
            cases,
            seen,
            Finding("not-testable", there.group, others, seen),
        )

    for of, *both in (pair, other):
        for n in both:
            if not of.entries[n].usable:
                return lacking(no_time(of, n).seen)
    found, beside = here.compare(a, b), there.compare(c, d)
    if found is None or beside is None:
        names = (cases[0].variant, cases[1].variant)
        return lacking(Lacking(None, names, "nothing in common was measured"))
    said = _larger(test, found, beside)
    if said == "undecided":
        alone, alone_beside = here.alone(a, b), there.alone(c, d)
        if alone and alone_beside and _larger(test, alone, alone_beside) == "holds":
            said, found, beside = "holds", alone, alone_beside
    return Finding(said, here.group, cases, found, Finding(said, there.group, others, beside))


def _larger(test: ClaimTest, found: Comparison, beside: Comparison) -> Answer:
    """Whether the first ratio is larger than the one beside it."""
    least = 1 - (test.margin or 0.0)
    more, less = found.lo > beside.hi * least, found.hi < beside.lo * least
    return decided(more or less, False) if test.either else decided(more, less)


# figures of cases, alone and inside sentences of a study


def metric(entry: Entry, name: str) -> float | None:
    """A figure of a measured case: `ns_per_op`, `other_share`, or one of its evidence.

    None if it was not measured, if the case failed, or if its time is impossible.
    """
    found = entry.measured
    if found is None or found.failure or found.impossible:
        return None
    if name == "other_share":
        return found.compute.share.center if found.compute else None
    if name == "ns_per_op":
        return entry.ns
    return getattr(found.evidence, name, None) if found.evidence else None


def filled(text: str, comparables: list[Comparable]) -> str | None:
    """A sentence with its figures filled in. None if one of them was not measured."""
    missing = False

    def value(figure: re.Match[str]) -> str:
        nonlocal missing
        name, variant, group = figure[1], figure[2], figure[3] or "*"
        found: dict[str | None, float] = {}
        for comparable, n in each_case(in_groups(comparables, [group]), [variant]):
            entry = comparable.entries[n]
            measured = metric(entry, name)
            if measured is not None:
                found.setdefault(entry.setting, measured)
        missing = missing or not found
        several = len(found) > 1
        return ", ".join(
            in_unit(name, measured) + (f" ({setting})" if several else "")
            for setting, measured in found.items()
        )

    made = QUOTED.sub(value, text)
    return None if missing else made
