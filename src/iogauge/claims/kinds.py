"""The kinds of tests that a claim is made of.

A kind is a function of a test and of the cases that it may compare. It yields one finding for each
comparison. `KINDS` has all of them; docs/study-format.md describes them. The names and keys of the
kinds are declared in iogauge.study. Most kinds compare pairs: `_PAIRS` says which of them, and
`judge` which ratio each kind asks for.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator

from iogauge.claims.comparable import Comparable, Entry, in_groups, matches
from iogauge.claims.findings import (
    Answer,
    Figure,
    Finding,
    Lacking,
    Remark,
    Tried,
    decided,
    lacking,
    no_time,
    of_pair,
)
from iogauge.decision.comparison import Comparison
from iogauge.model.figures import in_unit
from iogauge.study.schema import ClaimTest

Two = tuple[Comparable, int, int]
"""Where two cases are: the index of the case, then that of its reference."""
Kind = Callable[[ClaimTest, list[Comparable]], Iterator[Finding]]

DEFAULT_MARGIN = 0.05
"""The margin of a test that names none."""

QUOTED = re.compile(r"\{([a-z_]+)\|([^|{}]+)(?:\|([^|{}]+))?\}")
"""A figure inside a sentence: `{metric|pattern of a variant|pattern of a group}`."""


def compares(test: ClaimTest) -> bool:
    """Whether it is decided by what was measured, and not answered in words."""
    return test.kind != "remark" or test.metric is not None


def judge(test: ClaimTest, found: Comparison) -> Answer:
    """What a comparison says of a test that compares pairs."""
    margin, low, high = test.margin or DEFAULT_MARGIN, 0.0, math.inf
    match test.kind:
        case "fastest" | "slowest":
            right = "faster" if test.kind == "fastest" else "slower"
            return decided(found.outcome in (right, "same"), found.outcome != "undecided")
        case "about-equal":
            low, high = 1 / (1 + margin), 1 + margin
        case "monotone":  # at most slower by the margin
            high = 1 + margin
        case "not-faster-than" | "plateau":
            low = 1 - margin
        case _ if test.factor:  # the reference takes so many times the time of the case
            least, most = test.factor[0], test.factor[1] if len(test.factor) > 1 else math.inf
            low, high = 1 / most, 1 / least
        case _:  # `same` refutes it: such a small difference is none that anybody asked for
            return decided(found.outcome == "faster", found.outcome in ("slower", "same"))
    return decided(low <= found.lo and found.hi <= high, found.hi < low or found.lo > high)


# which pairs: of a case that nothing can be compared with a Finding says so


def _cases_and_than(test: ClaimTest, comparables: list[Comparable]) -> Iterator[Two]:
    """Each of `cases` with each of `than`, or else with all other `cases`. With `across`, each
    variant on a further runtime with the first runtime that has it.
    """
    if not test.across:
        yield from _pairs(comparables, test.cases, test.than, test)
        return
    for comparable in comparables:
        first: dict[str, int] = {}
        for n in comparable.matching(test.cases):
            reference = first.setdefault(comparable.entries[n].variant, n)
            if reference != n:
                yield comparable, n, reference


def _in_order(test: ClaimTest, comparables: list[Comparable]) -> Iterator[Two]:
    """Each of `cases` with the next one."""
    for one, following in itertools.pairwise(test.cases):
        yield from _pairs(comparables, [one], [following])


def _along(test: ClaimTest, comparables: list[Comparable]) -> Iterator[Two]:
    """Cases that differ only in the parameter `along`: those `beyond` a certain value with the one
    that has it, or else each with that of the next smaller value.
    """
    for comparable in comparables:
        found: dict[tuple[object, ...], list[tuple[int, int]]] = {}
        for n in comparable.matching(test.cases):
            entry = comparable.entries[n]
            if test.along is not None and test.along in entry.parameters:
                alike = entry.setting, entry.strategy, entry.other_parameters(test.along)
                found.setdefault(alike, []).append((entry.parameters[test.along], n))
        for values in map(sorted, found.values()):
            beyond = test.beyond
            if beyond is None:
                for (_, smaller), (_, larger) in itertools.pairwise(values):
                    yield comparable, larger, smaller
                continue
            start = next((n for value, n in values if value == beyond), None)
            if start is not None:
                yield from ((comparable, n, start) for value, n in values if value > beyond)


def _extreme(test: ClaimTest, comparables: list[Comparable]) -> Iterator[Two | Finding]:
    """The fastest, or slowest, of `cases` with each of `among`, in each setting."""
    choose = min if test.kind == "fastest" else max
    for comparable in comparables:
        entries = comparable.entries
        for setting in dict.fromkeys(entry.setting for entry in entries):
            inside = {n for n, entry in enumerate(entries) if entry.setting == setting}
            named = [n for n in comparable.matching(test.cases) if n in inside]
            timed = [n for n in named if entries[n].usable]
            yield from (no_time(comparable, entries[n]) for n in named if n not in timed)
            if timed:
                chosen = choose(timed, key=comparable.ns)
                others = inside.intersection(comparable.matching(test.among)).difference(named)
                yield from ((comparable, chosen, other) for other in sorted(others))


_PAIRS: dict[str, Callable[[ClaimTest, list[Comparable]], Iterator[Two | Finding]]] = {
    "faster-than": _cases_and_than,
    "about-equal": _cases_and_than,
    "not-faster-than": _cases_and_than,
    "fastest": _extreme,
    "slowest": _extreme,
    "plateau": _along,
    "monotone": _along,
    "order-of": _in_order,
}


def _of_pairs(test: ClaimTest, comparables: list[Comparable]) -> Iterator[Finding]:
    for found in _PAIRS[test.kind](test, comparables):
        if isinstance(found, Finding):
            yield found
        else:
            yield of_pair(*found, lambda comparison: judge(test, comparison))


def _pairs(
    comparables: list[Comparable],
    cases: list[str],
    than: list[str] | None,
    test: ClaimTest | None = None,
) -> Iterator[Two]:
    """Pairs of one of `cases` and one of `than` in the same group and setting. Without `than` both
    are `cases`, and of (a, b) and (b, a) only one is given. With `options`, the reference ran on
    the same runtime with these options added. With `same`, both have the same values of parameters,
    whatever these are called.
    """
    options, same = (test.options or [], test.same) if test else ([], False)
    for comparable in comparables:
        for a in comparable.matching(cases):
            for b in comparable.matching(than or cases):
                first, second = comparable.entries[a], comparable.entries[b]
                setting = " ".join([first.setting or "", *options]) if options else first.setting
                alike = sorted(first.parameters.values()) == sorted(second.parameters.values())
                once = a != b if than else a < b
                if once and second.setting == setting and (alike or not same):
                    yield comparable, a, b


# kinds that compare something else


def _fails_with(test: ClaimTest, comparables: list[Comparable]) -> Iterator[Finding]:
    """The cases fail with a reason that matches. In the groups of `elsewhere` they do not fail.

    A failure for another reason does not count either way. Published numbers cannot tell.
    """
    there = test.elsewhere or []
    elsewhere = in_groups(comparables, there)
    here = [each for each in in_groups(comparables, test.groups) if not matches(each.group, there)]
    for found in (here, elsewhere):
        tried = [
            (comparable.group, entry)
            for comparable, entry in _entries(found, test.cases)
            if entry.failure is not None or (entry.sound and entry.measured is not None)
        ]
        for group, entry in tried:
            failed = entry.failure is not None
            answer: Answer = "holds" if failed == (found is here) else "refuted"
            if failed and not re.search(test.reason or "", entry.failure or ""):
                answer = "not-testable"
            yield Finding(answer, group, (entry,), Tried(entry.failure, found is elsewhere))
        if not tried:
            return  # that it works elsewhere is half of it


def _ratio_of_ratios(test: ClaimTest, comparables: list[Comparable]) -> Iterator[Finding]:
    """time(cases) / time(than) is larger than the same ratio of the other pairs.

    The other pairs are given by `other`, which has its own groups, cases and than. Each pair is
    compared with each other pair of its setting. With `either`, the ratio may also be smaller. With
    a `margin`, it may be smaller by that much.
    """
    other = test.other or {}
    found = list(_pairs(in_groups(comparables, test.groups), test.cases, test.than))
    groups = in_groups(comparables, other.get("groups", ["*"]))
    beside = list(_pairs(groups, other["cases"], other["than"]))

    def of_setting(pair: Two, among: Iterable[Two]) -> list[Two]:
        return [each for each in among if _cases(each)[0].setting == _cases(pair)[0].setting]

    for pair in found:
        yield from (_of_two_pairs(test, pair, each) for each in of_setting(pair, beside))
    why = "nothing was measured that their ratio could be compared with"
    for some, others in ((found, beside), (beside, found)):
        for pair in some:
            if not of_setting(pair, others):
                yield lacking(pair[0], _cases(pair), why)


def _cases(of: Two) -> tuple[Entry, Entry]:
    comparable, case, reference = of
    return comparable.entries[case], comparable.entries[reference]


def _of_two_pairs(test: ClaimTest, pair: Two, other: Two) -> Finding:
    """The finding about the first pair, which rests on the cases of both."""
    (here, a, b), (there, c, d) = pair, other
    cases, others = _cases(pair), _cases(other)
    unusable = [
        no_time(of, entry).seen
        for of, some in ((here, cases), (there, others))
        for entry in some
        if not entry.usable
    ]
    found, beside = (None, None) if unusable else (here.compare(a, b), there.compare(c, d))
    if found is None or beside is None:
        names = (cases[0].variant, cases[1].variant)
        seen = next(iter(unusable), Lacking(None, names, "nothing in common was measured"))
        theirs = Finding("not-testable", there.group, others, seen)
        return Finding("not-testable", here.group, cases, seen, theirs)
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


def _remark(test: ClaimTest, comparables: list[Comparable]) -> Iterator[Finding]:
    """An answer in words, with figures of the run. With a `metric`, its bounds decide instead."""
    if test.metric is None:
        text = filled(test.answer or "", comparables)
        if text is not None:
            yield Finding("answered", "", (), Remark(text))
        return
    low = -math.inf if test.at_least is None else test.at_least
    high = math.inf if test.at_most is None else test.at_most
    for comparable, entry in _entries(comparables, test.cases):
        value = metric(entry, test.metric)
        if value is not None:
            answer: Answer = "holds" if low <= value <= high else "refuted"
            yield Finding(answer, comparable.group, (entry,), Figure(test.metric, value))
        elif entry.measured:
            yield no_time(comparable, entry)


KINDS: dict[str, Kind] = {
    **dict.fromkeys(_PAIRS, _of_pairs),
    "fails-with": _fails_with,
    "ratio-of-ratios": _ratio_of_ratios,
    "remark": _remark,
}


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
        for _, entry in _entries(in_groups(comparables, [group]), [variant]):
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


def _entries(
    comparables: Iterable[Comparable], patterns: list[str]
) -> Iterator[tuple[Comparable, Entry]]:
    """All matching cases."""
    for comparable in comparables:
        for n in comparable.matching(patterns):
            yield comparable, comparable.entries[n]
