"""The claims of a study, judged by a run and by the publication's own numbers, and how much of what
a claim is about the run measured: a verdict from one of ten sizes must not read like one from all.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from iogauge.analysis import report
from iogauge.analysis.report import Report
from iogauge.claims import measured, printed
from iogauge.claims.comparable import Comparable, matches, matching
from iogauge.claims.kinds import filled
from iogauge.claims.verdicts import Verdict, verdict
from iogauge.model.errors import UserError
from iogauge.runfile.run import Run
from iogauge.study import loading
from iogauge.study.schema import Claim, ClaimTest, GroupTable, Study


@dataclass(frozen=True)
class Coverage:
    """Of how many `sizes` or `groups` that a claim is about a verdict comes."""

    measured: int
    asked: int
    what: str

    @property
    def partial(self) -> bool:
        return self.measured < self.asked


@dataclass(frozen=True)
class Judged:
    """A claim and its verdicts.

    `measured` is the verdict of the run. `own` is that of the publication's own numbers; None if
    these cannot test the claim. `why` is the reason for a refutation; None unless the run refutes
    the claim and measured every figure of the reason. `coverage` says how much of what the claim is
    about the run measured; None for nothing of it.
    """

    claim: Claim
    measured: Verdict
    own: Verdict | None
    why: str | None
    coverage: Coverage | None


@dataclass(frozen=True)
class Scored:
    """The report of a run, its study, and the verdicts on the claims of the study."""

    study: Study
    report: Report
    judged: tuple[Judged, ...]


def score(run: Run, by: Study | None = None) -> Scored:
    """Judges every claim of a run's study, or of `by`, another version of this study.

    Raises UserError if the run file holds no valid study, or if `by` measures something else.
    """
    found = loading.parse(run.header.study_source, run.plan.study)
    if by is not None:
        if _measures(by, run) != _measures(found, run):
            raise UserError(
                f"--study {by.id}: measures something else than this run "
                f"({found.id}, {run.plan.protocol}); its claims and numbers may differ only"
            )
        found = by
    made = report.make(run)
    ours, theirs = measured.comparables(made), printed.comparables(found)
    tables = [group for group in found.group if group.protocol == run.plan.protocol]
    judged = tuple(_judged(claim, ours, tables, theirs) for claim in found.claim)
    return Scored(found, made, judged)


def _measures(of: Study, run: Run) -> object:
    """The parts of a study that decide what is measured under the run's protocol."""
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
    claim: Claim, ours: list[Comparable], tables: list[GroupTable], theirs: list[Comparable]
) -> Judged:
    """`tables` are the groups that the run was asked for, measured or not."""
    found = verdict(claim, ours, {each for table in tables for each in table.identifiers()})
    own = verdict(claim, theirs, {each.group for each in theirs})
    return Judged(
        claim,
        found,
        None if own.answer in ("answered", "not-testable") else own,
        _reason(claim, found, ours),
        coverage(claim, ours, tables),
    )


def _reason(claim: Claim, found: Verdict, ours: list[Comparable]) -> str | None:
    """The reason of the deciding test, or else that of the claim."""
    if found.answer != "refuted":
        return None
    reasons = (found.deciding.why if found.deciding else None, claim.why)
    told = (filled(why, ours) for why in reasons if why)
    return next((each for each in told if each), None)


def coverage(
    claim: Claim, comparables: list[Comparable], tables: Iterable[GroupTable]
) -> Coverage | None:
    """What a run measured of the groups of these tables that the tests of a claim name.

    In sizes if it left out some of these, else in groups. None if it measured nothing of them, or
    if no test compares anything.
    """
    size_of = {each: size for table in tables for each, size in _named(claim, table, comparables)}
    measured = {
        each.group
        for each in comparables
        for test in claim.test
        if each.group in size_of and _has_any(each, test)
    }
    sizes, every_size = {size_of[each] for each in measured}, set(size_of.values())
    if not measured:
        return None
    if len(sizes) < len(every_size):
        return Coverage(len(sizes), len(every_size), "sizes")
    return Coverage(len(measured), len(size_of), "groups")


def _named(
    claim: Claim, table: GroupTable, comparables: list[Comparable]
) -> Iterator[tuple[str, int]]:
    """The groups of a table that the claim is about, with their sizes."""
    identifiers = set(table.identifiers())
    planned = [each for each in comparables if each.group in identifiers]
    tests = [test for test in claim.test if _decides(test) and _has_cases(test, table, planned)]
    axes = table.axes()
    for values in itertools.product(*axes.values()):
        chosen = dict(zip(axes, values, strict=True))
        identifier = table.identifier(chosen)
        if any(matches(identifier, test.groups) for test in tests):
            yield identifier, chosen["size"]


def _decides(test: ClaimTest) -> bool:
    """Not one that is answered in words."""
    return test.kind != "remark" or test.metric is not None


def _has_cases(test: ClaimTest, table: GroupTable, planned: list[Comparable]) -> bool:
    """Whether a table has all that a test compares: as the groups that were planned from it say, or
    its strategies where none was.
    """
    needed = [patterns for patterns in (test.cases, test.than) if patterns]
    if planned:
        return any(all(matching(each, patterns) for patterns in needed) for each in planned)
    strategies = [name for row in table.case for name in row.strategy]
    return all(
        any(fnmatchcase(name, pattern.partition("(")[0]) for name in strategies for pattern in some)
        for some in needed
    )


def _has_any(comparable: Comparable, test: ClaimTest) -> bool:
    """Whether a case that the test names was measured in this group, or failed in it."""
    if not _decides(test) or not matches(comparable.group, test.groups):
        return False
    entries = (comparable.entries[n] for n in matching(comparable, test.cases))
    return any(entry.ns is not None or entry.failure for entry in entries)
