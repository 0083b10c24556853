"""Claims → verdicts. Each kind of test is one function of tables of cases; the same functions judge
a run and the publication's own numbers.

A claim is about all the cases that its tests name: it holds if every comparison says so, is refuted
by one that surely says otherwise, and is undecided as long as one of them is. So the error is
shared by all comparisons (Bonferroni) where one of them refutes, and not where all of them must
agree: a claim that is wrong somewhere passes there no more often than a single comparison errs.
docs/study-format.md describes the kinds.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Literal, get_args

from iogauge.analysis import report
from iogauge.analysis.report import Report
from iogauge.claims import numbers
from iogauge.claims.numbers import Entry, Table
from iogauge.model.errors import UserError
from iogauge.model.plan import Group, Plan
from iogauge.model.units import count, duration, significant
from iogauge.runfile.run import Run
from iogauge.statistics.stats import Comparison
from iogauge.study import study
from iogauge.study.study import Claim, ClaimTest, Metric, Study

Answer = Literal["holds", "refuted", "undecided", "answered", "not-testable"]

_MARGIN = 0.05  # of plateaus and monotone series, where a test names none


@dataclass(frozen=True)
class Finding:
    """What one comparison says of a test: `ratio` is time(case) / time(reference); None where there
    is no such pair.
    """

    answer: Answer
    group: str
    setting: str | None
    case: str
    reference: str | None = None
    ratio: Comparison | None = None
    says: str = ""
    keys: tuple[str, ...] = ()

    @property
    def weight(self) -> float:
        """How much it says beside others with the same answer: how surely the two differ, or else
        how well their ratio is known.
        """
        if self.ratio is None or self.ratio.lo <= 0 or not math.isfinite(self.ratio.hi):
            bounds = (
                []
                if self.ratio is None
                else [math.log(each) for each in (self.ratio.lo, 1 / self.ratio.hi) if each > 0]
            )
            return max(bounds, default=-math.inf) if self.answer != "undecided" else -math.inf
        lo, hi = math.log(self.ratio.lo), math.log(self.ratio.hi)
        return lo - hi if self.answer == "undecided" or lo <= 0 <= hi else max(lo, -hi)


@dataclass(frozen=True)
class Verdict:
    """On one claim, from one source of numbers. `findings` are all comparisons that it rests on,
    the decisive ones first; `untested` says how many of its tests found nothing to go by, could not
    make all of their comparisons, or had too few runtimes: then it cannot hold. `deciding` is the
    first test that came out so.
    """

    answer: Answer
    findings: tuple[Finding, ...]
    untested: int = 0
    deciding: ClaimTest | None = None
    of_failing: tuple[
        str, ...
    ] = ()  # what its tests of failing found, where another kind of test decides

    @property
    def by_setting(self) -> dict[str, Answer]:
        """The answer per runtime with its options, where there are several."""
        found: dict[str, list[Finding]] = {}
        for each in self.findings:
            if each.setting:
                found.setdefault(each.setting, []).append(each)
        return {setting: _all(some) for setting, some in found.items()}

    @property
    def says(self) -> str:
        """The decisive comparison in words, and of how many it is one."""
        if not self.findings:
            return "nothing that it names was measured"
        in_words = [each.says for each in self.findings if each.answer == "answered"]
        if len(in_words) == len(self.findings):
            return "; ".join(in_words)
        alike = [each for each in self.findings if each.answer == self.findings[0].answer]
        others = len(self.findings) - len(alike)
        text = self.findings[0].says
        compared = len(self.findings) - len(in_words)
        if compared > 1:
            text += (
                f" ({len(alike)} of {compared} comparisons {_SAID[self.findings[0].answer]})"
                if others > len(in_words)
                else f" (all {compared} comparisons)"
            )
        if self.untested:
            missing = next(
                (
                    f" ({each.says})"
                    for each in self.findings
                    if each.answer == "not-testable" and each is not self.findings[0]
                ),
                "",
            )
            text += f"; {self.untested if self.untested > 1 else 'one'} of its tests could not be carried out as a whole{missing}"
        if self.answer == "not-testable" and "holds" in {each.answer for each in self.findings}:
            text += "; it takes more runtimes to say so"
        return "; ".join([text, *self.of_failing, *in_words])


_SAID = {
    "holds": "say so",
    "refuted": "speak against it",
    "undecided": "are undecided",
    "not-testable": "cannot be had",
}
_ORDER = ("refuted", "undecided", "holds", "answered", "not-testable")


@dataclass(frozen=True)
class Judged:
    """A claim with its verdict from a run, and the one from the publication's own numbers (None
    where it printed none).
    """

    claim: Claim
    measured: Verdict
    own: Verdict | None
    why: str | None  # why the run refutes it, where its evidence tells


@dataclass(frozen=True)
class Scored:
    """A run's report with its study, and the verdicts on the study's claims."""

    study: Study
    report: Report
    judged: tuple[Judged, ...]


def score(run: Run, by: Study | None = None) -> Scored:
    """Every claim of a run's study, or of a later version of it, `by`, that measures the same.
    Raises UserError where the study in the run file is none, or `by` measures something else.
    """
    found = study.parse(run.header.study_source, run.plan.study)
    if by is not None:
        if _measures(by, run) != _measures(found, run):
            raise UserError(
                f"--study {by.id}: measures something else than this run ({found.id}, {run.plan.protocol}); its claims and numbers may differ only"
            )
        found = by
    made = report.make(run)
    ours, theirs = numbers.of_run(made), numbers.of_publication(found)
    asked = {
        each
        for group in found.group
        if group.protocol == run.plan.protocol
        for each in group.identifiers()
    }
    printed = {table.group for table in theirs}
    return Scored(
        found, made, tuple(_judged(claim, ours, asked, theirs, printed) for claim in found.claim)
    )


def _measures(of: Study, run: Run) -> object:
    """What of a study decides what a run measures, under the run's protocol."""
    protocol = (
        of.published_protocol.model_dump(exclude={"caveats"})
        if of.published_protocol and run.plan.published
        else None
    )
    groups = [
        group.model_dump(exclude={"question"})
        for group in of.group
        if group.protocol == run.plan.protocol
    ]
    return of.id, protocol, groups, of.rounds.model_dump()


def _judged(
    claim: Claim, ours: list[Table], asked: set[str], theirs: list[Table], printed: set[str]
) -> Judged:
    measured = verdict(claim, ours, asked)
    own = verdict(claim, theirs, printed)
    own = None if own.answer in ("answered", "not-testable") else own
    reasons = (
        (measured.deciding.why if measured.deciding else None, claim.why)
        if measured.answer == "refuted"
        else ()
    )
    return Judged(
        claim,
        measured,
        own,
        next((said for why in reasons if why and (said := filled(why, ours))), None),
    )


def verdict(claim: Claim, tables: list[Table], groups: set[str]) -> Verdict:
    """What the tables say of a claim. `groups` are the ids of all that their source has, measured
    or not: tests of others are none of its business.

    The decisive comparisons come first, and of these the one that says most; the reason given is
    that of its test.
    """
    tests = [
        test
        for test in claim.test
        if any(fnmatchcase(group, pattern) for group in groups for pattern in test.groups)
    ]
    shared_by = _count(tests, tables)
    by_test = _findings(tests, [replace(table, comparisons=shared_by) for table in tables])
    answers = [_of_test(test, found) for test, found in zip(tests, by_test, strict=True)]
    untested = [
        found
        for test, answer, found in zip(tests, answers, by_test, strict=True)
        if not _in_words(test) and (answer == "not-testable" or _lacks(found))
    ]
    answer = next((each for each in _ORDER if each in answers), "not-testable")
    deciding = next(
        (test for test, each in zip(tests, answers, strict=True) if each == answer), None
    )
    if untested:
        answer = {"holds": "undecided", "answered": "not-testable"}.get(answer, answer)
    said = [
        (test, finding) for test, found in zip(tests, by_test, strict=True) for finding in found
    ]
    said.sort(
        key=lambda each: (each[1].answer != answer, _ORDER.index(each[1].answer), -each[1].weight)
    )
    if said and said[0][1].answer == answer:
        deciding = said[0][0]
    failing = [
        _of_failing(found, each)
        for test, each, found in zip(tests, answers, by_test, strict=True)
        if test.kind == "fails-with" and found
    ]
    beside = tuple(failing) if deciding and deciding.kind != "fails-with" else ()
    return Verdict(
        answer,
        tuple(finding for _, finding in said),
        len(untested) if answer == "undecided" else 0,
        deciding,
        beside,
    )


def _of_failing(found: list[Finding], answer: Answer) -> str:
    alike = [each for each in found if each.answer == answer]
    return (
        f"of failing, {answer}: {alike[0].says} ({len(alike)} of {len(found)} {_SAID[answer]})"
        if alike
        else f"of failing, {answer}"
    )


def _findings(tests: list[ClaimTest], tables: list[Table]) -> list[list[Finding]]:
    return [
        list(
            _KINDS[test.kind](
                test, tables if test.other or test.elsewhere else _in_groups(tables, test.groups)
            )
        )
        for test in tests
    ]


def _count(tests: list[ClaimTest], tables: list[Table]) -> int:
    """Comparisons that the tests ask for, one at least: by tables that only count."""
    return max(1, _asks(tests, tables))


def _asks(tests: list[ClaimTest], tables: list[Table]) -> int:
    asked: list[tuple[int, int, int]] = []
    _findings(tests, [replace(table, of_pair=lambda *pair: asked.append(pair)) for table in tables])
    return len(asked)


def _of_test(test: ClaimTest, found: list[Finding]) -> Answer:
    answer = _all(found)
    several = (
        len(
            {
                each.setting.partition(" ")[0]
                for each in found
                if each.setting and each.answer == "holds"
            }
        )
        >= test.runtimes
    )
    return answer if answer != "holds" or test.runtimes == 1 or several else "not-testable"


def _lacks(found: list[Finding]) -> bool:
    """Whether some of its comparisons could not be had: it may not say then that each of them
    holds.
    """
    return any(each.answer == "not-testable" for each in found)


def _in_words(test: ClaimTest) -> bool:
    return test.kind == "remark" and test.metric is None


def _all(findings: Iterable[Finding]) -> Answer:
    answers = {each.answer for each in findings}
    return next((each for each in _ORDER if each in answers), "not-testable")


def planned(plans: Iterable[Plan]) -> list[Table]:
    """The tables that runs of these plans will give, without a number in them: what tests would
    compare.
    """

    def entries(plan: Plan, group: Group) -> Iterator[Entry]:
        for case in (plan.cases[number] for number in group.cases if number != group.twin):
            yield Entry(case.variant, case.strategy, case.parameters, 1.0, case.setting)

    return [
        Table(group.id, tuple(entries(plan, group)), lambda *pair: None)
        for plan in plans
        for group in plan.groups
    ]


def check(of: Study, name: str, tables: list[Table]) -> None:
    """Everything that published numbers and claims name must be a case of the study, and each test
    must have something to compare: `tables` are those that it plans. `name` is what error messages
    call the study. Raises UserError, with the key.
    """
    variants = {entry.variant for table in tables for entry in table.entries}
    groups = {identifier for group in of.group for identifier in group.identifiers()}
    for index, table in enumerate(of.published):
        where, group = (
            f"{name}: published[{index}].values",
            next(each for each in of.group if each.id == table.group),
        )
        for cell in numbers.cells_of(of, table):
            if cell.size not in group.size:
                raise UserError(
                    f"{where}: {cell.size} is no size of the group {group.id}; allowed: {', '.join(map(str, group.size))}"
                )
            if cell.variant not in variants:
                close = sorted(
                    each for each in variants if each.startswith(cell.strategy)
                ) or sorted(variants)
                raise UserError(
                    f"{where}: {cell.variant} is no case of the study; there are, among others: {', '.join(close[:4])}"
                )
    for number, claim in enumerate(of.claim):
        for index, test in enumerate(claim.test):
            where = f"{name}: claim[{number}].test[{index}]"
            for key in ("groups", "elsewhere"):
                _must_match(f"{where}.{key}", getattr(test, key) or [], groups, "group")
            for key in ("cases", "than", "among"):
                _must_match(f"{where}.{key}", getattr(test, key) or [], variants, "case")
            if (
                test.kind not in ("fails-with", "remark")
                and not (test.across or test.options)
                and not _asks([test], tables)
            ):
                raise UserError(
                    f"{where}: a test of the kind {test.kind} that has nothing to compare: no group has the cases, or values, that it names together"
                )
            for key, patterns in (test.other or {}).items():
                _must_match(
                    f"{where}.other.{key}",
                    patterns,
                    groups if key == "groups" else variants,
                    key.removesuffix("s"),
                )
        for text in (claim.why, *(each for test in claim.test for each in (test.answer, test.why))):
            for place in _PLACE.finditer(text or ""):
                where = f"{name}: claim[{number}]: {place[0]}"
                if place[1] not in get_args(Metric):
                    raise UserError(
                        f"{where}: {place[1]!r} is no figure; there are: {', '.join(get_args(Metric))}"
                    )
                _must_match(where, [place[2]], variants, "case")
                _must_match(where, [place[3]] if place[3] else [], groups, "group")
    for index, names in enumerate(of.repeated):
        for each in names:
            if each not in variants:  # no pattern
                raise UserError(
                    f"{name}: repeated[{index}]: {each!r} names no case of this study; there are, among others: {', '.join(sorted(variants)[:4])}"
                )


def _must_match(where: str, patterns: list[str], names: set[str], what: str) -> None:
    for pattern in patterns:
        if not any(fnmatchcase(each, pattern) for each in names):
            shown = ", ".join(sorted(names)[:4])
            raise UserError(
                f"{where}: {pattern!r} names no {what} of this study; there are, among others: {shown}"
            )


# the kinds of test


def _faster_than(test: ClaimTest, tables: list[Table]) -> Iterator[Finding]:
    """Each of `cases` is faster than each of `than`: by a factor of at least so much, or from so
    much to so much, where one is given.

    With `options` each of `than` is taken on the same runtime with these.
    """
    for table, a, b in _pairs(
        tables, test.cases, test.than, same=test.same, options=test.options or []
    ):
        yield _of_pair(
            table,
            a,
            b,
            lambda found: _within(found, test.factor) if test.factor else _faster(found),
        )


def _about_equal(test: ClaimTest, tables: list[Table]) -> Iterator[Finding]:
    """The cases (each and each of `than`, or all among themselves) differ by no more than the
    margin, here or `across` runtimes.
    """
    margin = test.margin or _MARGIN

    def equal(found: Comparison) -> Answer:
        return _decided(
            found.lo >= 1 / (1 + margin) and found.hi <= 1 + margin,
            found.lo > 1 + margin or found.hi < 1 / (1 + margin),
        )

    if test.across:
        for table, a, b in _same_on_several(tables, test.cases):
            yield _of_pair(table, a, b, equal)
        return
    for table, a, b in _pairs(
        tables, test.cases, test.than or test.cases, once=test.than is None, same=test.same
    ):
        yield _of_pair(table, a, b, equal)


def _not_faster_than(test: ClaimTest, tables: list[Table]) -> Iterator[Finding]:
    """None of `cases` gains more than the margin against `than`."""
    for table, a, b in _pairs(tables, test.cases, test.than, same=test.same):
        yield _of_pair(table, a, b, _no_gain(test.margin or _MARGIN))


def _fastest(test: ClaimTest, tables: list[Table]) -> Iterator[Finding]:
    """None of `among` is faster than the best of the cases."""
    yield from _extreme(test, tables, -1)


def _slowest(test: ClaimTest, tables: list[Table]) -> Iterator[Finding]:
    yield from _extreme(test, tables, 1)


def _extreme(test: ClaimTest, tables: list[Table], sign: int) -> Iterator[Finding]:
    right, wrong = ("faster", "slower") if sign < 0 else ("slower", "faster")
    for table, entries in _by_setting(tables):
        named = [n for n in _matching(table, test.cases) if n in entries]
        mine = [n for n in named if _compared(table.entries[n])]
        yield from (_not_had(table, n) for n in named if n not in mine)
        if not mine:
            continue
        best = (min if sign < 0 else max)(mine, key=lambda n: table.entries[n].ns)
        for other in _matching(table, test.among):
            if other in entries and other not in named:
                yield _of_pair(
                    table,
                    best,
                    other,
                    lambda found: _decided(
                        found.outcome in (right, "same"), found.outcome == wrong
                    ),
                )


def _plateau(test: ClaimTest, tables: list[Table]) -> Iterator[Finding]:
    """Beyond a value of a parameter nothing gains more than the margin."""
    for table, series in _series(tables, test):
        start = [n for value, n in series if value == test.beyond]
        for value, n in series:
            if start and value > test.beyond:
                yield _of_pair(table, n, start[0], _no_gain(test.margin or _MARGIN))


def _monotone(test: ClaimTest, tables: list[Table]) -> Iterator[Finding]:
    """A larger value of a parameter is never slower than the next smaller one, beyond the margin."""
    margin = test.margin or _MARGIN

    def no_slower(found: Comparison) -> Answer:
        return _decided(found.hi <= 1 + margin, found.lo > 1 + margin)

    for table, series in _series(tables, test):
        for (_, smaller), (_, larger) in zip(series, series[1:], strict=False):
            yield _of_pair(table, larger, smaller, no_slower)


def _fails_with(test: ClaimTest, tables: list[Table]) -> Iterator[Finding]:
    """The cases fail, with a reason that matches; in the groups of `elsewhere` they do not. Only a
    run can tell.
    """
    there = [
        (table, n)
        for table, n in _each(tables, test.cases, inside=test.groups, outside=test.elsewhere)
        if _tried(table.entries[n])
    ]
    for table, n in there:
        entry = table.entries[n]
        right = entry.failure is not None and re.search(test.reason, entry.failure) is not None
        says = f"{entry.variant}: {entry.failure or 'does not fail'}"
        answer: Answer = (
            "holds" if right else "refuted" if entry.failure is None else "not-testable"
        )
        yield Finding(
            answer, table.group, entry.setting, entry.variant, says=says, keys=_keys(entry)
        )
    for table, n in _each(tables, test.cases, inside=test.elsewhere or []) if there else ():
        entry = table.entries[n]
        if _tried(entry):
            says = f"{entry.variant} in {table.group}: {entry.failure or 'works'}"
            other = (
                entry.failure is not None and re.search(test.reason, entry.failure) is None
            )  # of another kind than the claim speaks of
            yield Finding(
                "holds" if entry.failure is None else "not-testable" if other else "refuted",
                table.group,
                entry.setting,
                entry.variant,
                says=says,
                keys=_keys(entry),
            )


def _tried(entry: Entry) -> bool:
    """Whether a run got as far as this case, and what it did there can be believed."""
    return entry.failure is not None or (entry.sound and entry.measured is not None)


def _order_of(test: ClaimTest, tables: list[Table]) -> Iterator[Finding]:
    """The cases, as the patterns name them, from the fastest to the slowest."""
    for faster, slower in zip(test.cases, test.cases[1:], strict=False):
        for table, a, b in _pairs(tables, [faster], [slower]):
            yield _of_pair(table, a, b, _faster)


def _ratio_of_ratios(test: ClaimTest, tables: list[Table]) -> Iterator[Finding]:
    """`cases` over `than` is more than the same of `other` (with `either`, more or less; with a
    `margin`, less by no more than that), which names groups, cases and than of its own. Each pair
    is compared with every other pair of its runtime.
    """
    pairs = list(_pairs(_in_groups(tables, test.groups), test.cases, test.than))
    others = list(
        _pairs(
            _in_groups(tables, test.other.get("groups", ["*"])),
            test.other["cases"],
            test.other["than"],
        )
    )
    for pair in pairs:
        yield from (_of_pairs(test, pair, other) for other in _on_its_setting(pair, others))
    yield from (_without_another(pair) for pair in pairs if not _on_its_setting(pair, others))
    yield from (_without_another(other) for other in others if not _on_its_setting(other, pairs))


_Pair = tuple[Table, int, int]


def _on_its_setting(pair: _Pair, among: list[_Pair]) -> list[_Pair]:
    table, case, _ = pair
    return [
        each for each in among if each[0].entries[each[1]].setting == table.entries[case].setting
    ]


def _without_another(pair: _Pair) -> Finding:
    table, a, b = pair[0], pair[0].entries[pair[1]], pair[0].entries[pair[2]]
    says = f"{table.group}: {a.variant} and {b.variant}: nothing was measured that their ratio could be compared with"
    return Finding(
        "not-testable",
        table.group,
        a.setting,
        a.variant,
        b.variant,
        None,
        says,
        (*_keys(a), *_keys(b)),
    )


def _of_pairs(test: ClaimTest, pair: _Pair, other: _Pair) -> Finding:
    def answer(found: Comparison, beside: Comparison) -> Answer:
        least = 1 - (test.margin or 0.0)
        more, less = found.lo > beside.hi * least, found.hi < beside.lo * least
        return _decided(more or less, False) if test.either else _decided(more, less)

    (table, a, b), (elsewhere, c, d) = pair, other
    entry, keys = (
        table.entries[a],
        tuple(key for of, *both in (pair, other) for n in both for key in _keys(of.entries[n])),
    )
    lacking = next(
        (
            _not_had(of, n)
            for of, *both in (pair, other)
            for n in both
            if not _compared(of.entries[n])
        ),
        None,
    )
    found, beside = table.compare(a, b), elsewhere.compare(c, d)
    if lacking or found is None or beside is None:
        says = (
            lacking.says
            if lacking
            else f"{entry.variant} and {table.entries[b].variant}: nothing in common was measured"
        )
        return Finding(
            "not-testable",
            table.group,
            entry.setting,
            entry.variant,
            table.entries[b].variant,
            None,
            says,
            keys,
        )
    decided = answer(found, beside)
    alone = table.alone(a, b), elsewhere.alone(c, d)
    if decided == "undecided" and all(alone) and answer(*alone) == "holds":
        decided, (found, beside) = "holds", alone
    where = (
        elsewhere.group
        if elsewhere.group != table.group
        else f"{elsewhere.entries[c].variant} and {elsewhere.entries[d].variant}"
    )
    says = f"{table.group}: {_ratio_in_words(entry, table.entries[b], found)}, in the other pair ({where}) {_times(beside)}"
    return Finding(
        decided,
        table.group,
        entry.setting,
        entry.variant,
        table.entries[b].variant,
        found,
        says,
        keys,
    )


def _remark(test: ClaimTest, tables: list[Table]) -> Iterator[Finding]:
    """Answered in words, from the run's evidence; with `metric` and a bound it is decided by that."""
    if test.metric is None:
        text = filled(test.answer, tables)
        if text is not None:
            yield Finding("answered", "", None, "", says=text)
        return
    for table, n in _each(tables, test.cases):
        entry = table.entries[n]
        value = metric(entry, test.metric)
        if value is None:
            if entry.measured:
                yield _not_had(table, n)
            continue
        right = (test.at_least is None or value >= test.at_least) and (
            test.at_most is None or value <= test.at_most
        )
        says = f"{entry.variant}: {_shown(test.metric, value)} {test.metric.replace('_', ' ')}"
        yield Finding(
            "holds" if right else "refuted",
            table.group,
            entry.setting,
            entry.variant,
            says=says,
            keys=_keys(entry),
        )


_KINDS: dict[str, Callable[[ClaimTest, list[Table]], Iterator[Finding]]] = {
    "faster-than": _faster_than,
    "about-equal": _about_equal,
    "not-faster-than": _not_faster_than,
    "fastest": _fastest,
    "slowest": _slowest,
    "plateau": _plateau,
    "monotone": _monotone,
    "fails-with": _fails_with,
    "order-of": _order_of,
    "ratio-of-ratios": _ratio_of_ratios,
    "remark": _remark,
}


# from a comparison


def _decided(holds: bool, refuted: bool) -> Answer:
    return "holds" if holds else "refuted" if refuted else "undecided"


def _faster(found: Comparison) -> Answer:
    """`same` refutes it: the difference is smaller than anybody asked for."""
    return _decided(found.outcome == "faster", found.outcome in ("slower", "same"))


def _no_gain(margin: float) -> Callable[[Comparison], Answer]:
    return lambda found: _decided(found.lo >= 1 - margin, found.hi < 1 - margin)


def _within(found: Comparison, factor: list[float]) -> Answer:
    low, high = factor[0], factor[1] if len(factor) > 1 else math.inf
    lo, hi = 1 / found.hi if found.hi > 0 else math.inf, 1 / found.lo if found.lo > 0 else math.inf
    return _decided(low <= lo and hi <= high, hi < low or lo > high)


def _of_pair(
    table: Table, case: int, reference: int, says: Callable[[Comparison], Answer]
) -> Finding:
    a, b = table.entries[case], table.entries[reference]
    found = table.compare(case, reference)
    keys = (*_keys(a), *_keys(b))
    if found is None or a.failure or b.failure:
        reason = a.failure or b.failure or "nothing in common was measured"
        return Finding(
            "not-testable",
            table.group,
            a.setting,
            a.variant,
            b.variant,
            None,
            f"{table.group}: {a.variant} and {b.variant}: {reason}",
            keys,
        )
    answer = says(found)
    if answer == "undecided" and (alone := table.alone(case, reference)) and says(alone) == "holds":
        answer, found = "holds", alone
    return Finding(
        answer,
        table.group,
        a.setting,
        a.variant,
        b.variant,
        found,
        f"{table.group}: {_ratio_in_words(a, b, found)}",
        keys,
    )


def _compared(entry: Entry) -> bool:
    """Whether there is a time that others can be compared with."""
    return entry.sound and not entry.failure


def _not_had(table: Table, case: int) -> Finding:
    entry = table.entries[case]
    reason = entry.failure or (
        "it was not measured" if entry.sound or entry.ns is None else "its time cannot be"
    )
    return Finding(
        "not-testable",
        table.group,
        entry.setting,
        entry.variant,
        says=f"{table.group}: {entry.variant}: {reason}",
        keys=_keys(entry),
    )


def _ratio_in_words(a: Entry, b: Entry, found: Comparison) -> str:
    where = f" on {a.setting}" if a.setting and a.setting == b.setting else ""
    first, second = (
        f"{each.variant} on {each.setting}" if not where and each.setting else each.variant
        for each in (a, b)
    )
    return f"{first} takes {_times(found)} the time of {second}{where}"


def _times(found: Comparison) -> str:
    if math.isfinite(found.hi) and found.lo > 0:
        return (
            f"{significant(found.center)} times ({significant(found.lo)}–{significant(found.hi)})"
        )
    bound = (
        f"at least {significant(found.lo)}"
        if found.lo > 0
        else f"at most {significant(found.hi)}"
        if math.isfinite(found.hi)
        else "not known how sure"
    )
    return f"{significant(found.center)} times ({bound})"


def _keys(entry: Entry) -> tuple[str, ...]:
    return (entry.measured.case.key,) if entry.measured else ()


# finding


def _in_groups(tables: list[Table], patterns: list[str]) -> list[Table]:
    return [
        table for table in tables if any(fnmatchcase(table.group, pattern) for pattern in patterns)
    ]


def _matching(table: Table, patterns: list[str]) -> list[int]:
    return [
        n
        for n, entry in enumerate(table.entries)
        if any(fnmatchcase(entry.variant, pattern) for pattern in patterns)
    ]


def _each(
    tables: list[Table],
    patterns: list[str],
    *,
    inside: list[str] | None = None,
    outside: list[str] | None = None,
) -> Iterator[tuple[Table, int]]:
    for table in tables:
        if (
            inside is not None
            and not _in_groups([table], inside)
            or outside
            and _in_groups([table], outside)
        ):
            continue
        for n in _matching(table, patterns):
            yield table, n


def _by_setting(tables: list[Table]) -> Iterator[tuple[Table, set[int]]]:
    for table in tables:
        for setting in dict.fromkeys(entry.setting for entry in table.entries):
            yield table, {n for n, entry in enumerate(table.entries) if entry.setting == setting}


def _pairs(
    tables: list[Table],
    cases: list[str],
    than: list[str],
    *,
    once: bool = False,
    same: bool = False,
    options: Iterable[str] = (),
) -> Iterator[tuple[Table, int, int]]:
    """Pairs within one setting, or of one and the same with further `options`; `once` of (a, b) and
    (b, a) only one, with `same` those with the same values of parameters.
    """
    for table in tables:
        for a in _matching(table, cases):
            for b in _matching(table, than):
                first, second = table.entries[a], table.entries[b]
                if second.setting != (
                    " ".join([first.setting or "", *options]) if options else first.setting
                ) or not (a < b if once else a != b):
                    continue
                if not same or sorted(first.parameters.values()) == sorted(
                    second.parameters.values()
                ):
                    yield table, a, b


def _same_on_several(tables: list[Table], cases: list[str]) -> Iterator[tuple[Table, int, int]]:
    """A variant on a further runtime, and on the first that has it."""
    for table in tables:
        first: dict[str, int] = {}
        for n in _matching(table, cases):
            reference = first.setdefault(table.entries[n].variant, n)
            if reference != n:
                yield table, n, reference


def _series(tables: list[Table], test: ClaimTest) -> Iterator[tuple[Table, list[tuple[int, int]]]]:
    """Per strategy, other parameters and setting: (value of the parameter, index), ascending."""
    for table in tables:
        found: dict[tuple[object, ...], list[tuple[int, int]]] = {}
        for n in _matching(table, test.cases):
            entry = table.entries[n]
            if test.along in entry.parameters:
                others = tuple(
                    sorted(
                        (name, value)
                        for name, value in entry.parameters.items()
                        if name != test.along
                    )
                )
                found.setdefault((entry.setting, entry.strategy, others), []).append(
                    (entry.parameters[test.along], n)
                )
        for series in found.values():
            yield table, sorted(series)


# evidence

_PLACE = re.compile(r"\{([a-z_]+)\|([^|{}]+)(?:\|([^|{}]+))?\}")


def metric(entry: Entry, name: str) -> float | None:
    """A figure of a measured case: of its evidence, or `other_share`, `ns_per_op`."""
    found = entry.measured
    if found is None or found.failure or found.impossible:
        return None
    if name == "other_share":
        return found.other_work.share.center if found.other_work else None
    if name == "ns_per_op":
        return entry.ns
    return getattr(found.evidence, name, None) if found.evidence else None


def filled(text: str, tables: list[Table]) -> str | None:
    """A sentence with its figures: `{metric|pattern of a variant|pattern of a group}`. None where
    one of them was not measured.
    """
    missing = False

    def value(place: re.Match[str]) -> str:
        nonlocal missing
        name, variant, group = place[1], place[2], place[3] or "*"
        found = {}
        for table, n in _each(_in_groups(tables, [group]), [variant]):
            entry = table.entries[n]
            figure = metric(entry, name)
            if figure is not None:
                found.setdefault(entry.setting, figure)
        missing = missing or not found
        several = len(found) > 1
        return ", ".join(
            _shown(name, figure) + (f" ({setting})" if several else "")
            for setting, figure in found.items()
        )

    made = _PLACE.sub(value, text)
    return None if missing else made


def _shown(name: str, value: float) -> str:
    if name.endswith("ns_per_op"):
        return duration(value / 1e9)
    if name != "other_share":
        return count(value)
    return (
        f"{value:.0%}" if value < 1 else "about all"
    )  # measured alone it may take longer than inside the loop
