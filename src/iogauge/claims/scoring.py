"""The claims of a study, judged by a run and by the publication's own numbers."""

from __future__ import annotations

from dataclasses import dataclass

from iogauge.analysis import report
from iogauge.analysis.report import Report
from iogauge.claims import measured, printed
from iogauge.claims.comparable import Comparable
from iogauge.claims.coverage import Coverage, coverage
from iogauge.claims.figures import filled
from iogauge.claims.verdicts import Verdict, verdict
from iogauge.model.errors import UserError
from iogauge.runfile.run import Run
from iogauge.study import loading
from iogauge.study.groups import GroupTable
from iogauge.study.publication import Claim
from iogauge.study.schema import Study


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
