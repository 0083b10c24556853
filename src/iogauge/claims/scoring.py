"""The claims of a study, judged by a run and by the publication's own numbers, and how much of what
a claim is about the run measured: a verdict from one of ten sizes must not read like one from all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from iogauge.analysis import report
from iogauge.analysis.report import Report
from iogauge.claims import measured, printed
from iogauge.claims.comparable import Comparable, matches
from iogauge.claims.kinds import compares, filled
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
    tables = _tables(found, run)
    return Scored(found, made, tuple(_judged(each, ours, tables, theirs) for each in found.claim))


def _tables(of: Study, run: Run) -> list[GroupTable]:
    """The groups that the run was asked for, measured or not."""
    return [group for group in of.group if group.protocol == run.plan.protocol]


def _measures(of: Study, run: Run) -> object:
    """The parts of a study that decide what is measured under the run's protocol."""
    protocol = of.published_protocol if run.plan.published else None
    groups = [group.model_dump(exclude={"question"}) for group in _tables(of, run)]
    of_authors = protocol and protocol.model_dump(exclude={"caveats"})
    return of.id, of_authors, groups, of.rounds.model_dump()


def _judged(
    claim: Claim, ours: list[Comparable], tables: list[GroupTable], theirs: list[Comparable]
) -> Judged:
    found = verdict(claim, ours, {each for table in tables for each in table.identifiers()})
    own = verdict(claim, theirs, {each.group for each in theirs})
    # The reason of the deciding test, or else that of the claim.
    reasons = (found.deciding.why if found.deciding else None, claim.why)
    told = (filled(why, ours) for why in reasons if why and found.answer == "refuted")
    return Judged(
        claim,
        found,
        None if own.answer in ("answered", "not-testable") else own,
        next((each for each in told if each), None),
        coverage(claim, ours, tables),
    )


def coverage(
    claim: Claim, comparables: list[Comparable], tables: Iterable[GroupTable]
) -> Coverage | None:
    """What a run measured of the groups of these tables that the tests of a claim name.

    In sizes if it left out some of these, else in groups. None if it measured nothing of them, or
    if no test compares anything.
    """
    tests = [test for test in claim.test if compares(test)]
    size_of: dict[str, int] = {}
    for table in tables:
        identifiers = set(table.identifiers())
        planned = [each for each in comparables if each.group in identifiers]
        asked = [test for test in tests if _has_cases(test, table, planned)]
        for chosen in table.combinations():
            identifier = table.identifier(chosen)
            if any(matches(identifier, test.groups) for test in asked):
                size_of[identifier] = chosen["size"]
    measured = {
        each.group
        for each in comparables
        for test in tests
        if each.group in size_of
        and matches(each.group, test.groups)
        and any(
            entry.ns is not None or entry.failure
            for entry in map(each.entries.__getitem__, each.matching(test.cases))
        )
    }
    if not measured:
        return None
    sizes, every_size = {size_of[each] for each in measured}, set(size_of.values())
    if len(sizes) < len(every_size):
        return Coverage(len(sizes), len(every_size), "sizes")
    return Coverage(len(measured), len(size_of), "groups")


def _has_cases(test: ClaimTest, table: GroupTable, planned: list[Comparable]) -> bool:
    """Whether a table has all that a test compares: as the groups that were planned from it say, or
    its strategies where none was.
    """
    needed = [patterns for patterns in (test.cases, test.than) if patterns]
    if planned:
        return any(all(map(each.matching, needed)) for each in planned)
    strategies = [name for row in table.case for name in row.strategy]
    return all(
        any(fnmatchcase(name, pattern.partition("(")[0]) for name in strategies for pattern in some)
        for some in needed
    )
