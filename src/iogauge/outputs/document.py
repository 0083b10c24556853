"""What outputs are made from: a run with everything that is known of it.

Outputs only write down what a Document holds. Every interval, comparison and verdict is made here
or further up, never in an output.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import stdev
from typing import TYPE_CHECKING

from iogauge.model.case import runtimes_differ
from iogauge.outputs.contract import Export
from iogauge.outputs.side_by_side import SideBySide, compared
from iogauge.runfile.run import Run
from iogauge.study.schema import Study

if TYPE_CHECKING:
    from iogauge.advice.choice import Advice
    from iogauge.advice.explanations import GroupExplained
    from iogauge.advice.wanted import Wanted
    from iogauge.analysis.accounting import Account
    from iogauge.analysis.casereport import CaseReport
    from iogauge.analysis.profile import Profile
    from iogauge.analysis.report import Report
    from iogauge.claims.printed import Cell
    from iogauge.claims.scoring import Scored
    from iogauge.measuring.trace import Trace
    from iogauge.outputs.differences import Difference


@dataclass(frozen=True)
class Beside:
    """A published number, and the cases of the run that measured the same, one per setting."""

    cell: Cell
    cases: tuple[CaseReport, ...]

    def in_unit(self, ns: float) -> float:
        """A time in the unit of the published number."""
        from iogauge.claims import printed

        return printed.in_unit(ns, self.cell.unit)


@dataclass(frozen=True)
class Explained:
    """Why the cases of a group take their time, and sentences on what their order in one process
    may have done.
    """

    found: GroupExplained
    order: tuple[str, ...]

    @property
    def sweeps(self) -> list[str]:
        """Sentences on what the sweeps show."""
        from iogauge.advice import explanations

        cases = [each.case.case for each in self.found.cases]
        several = runtimes_differ((case.language, case.setting) for case in cases)
        called = {each.case.case.strategy: each.case.strategy.known_as for each in self.found.cases}
        precision = self.found.group.precision
        return [
            *(explanations.of_knee(each, called, several) for each in self.found.knees),
            *(
                explanations.of_parameter_without_effect(each, precision, called, several)
                for each in self.found.without_effect
            ),
        ]


@dataclass(frozen=True)
class Document:
    """One run. Each part is worked out when an output first asks for it, and once only: the tables
    of a terminal need no verdicts, and a page needs them all.

    `judged_by` is a later version of the study whose claims replace those of the run. `traces` are
    system calls of single operations by the key of a case, where they were counted. `go_on` is the
    command that resumes the run, but for its budget. `unmeasured` are functions of which a version
    failed before anything was measured.
    """

    run: Run
    judged_by: Study | None = None
    traces: Mapping[str, Trace] = field(default_factory=dict)
    go_on: str = ""
    unmeasured: tuple[Difference, ...] = ()

    @cached_property
    def report(self) -> Report:
        from iogauge.analysis import report

        return report.make(self.run)

    @cached_property
    def account(self) -> Account:
        """What of the run was not used, and why."""
        from iogauge.analysis import accounting

        return accounting.make(self.run)

    @cached_property
    def profile(self) -> Profile:
        """What the time of the run went into."""
        from iogauge.analysis import profile

        return profile.of_run(self.run)

    @cached_property
    def scored(self) -> Scored:
        """The report with the verdicts on claims. Raises UserError if `judged_by` does not fit."""
        from iogauge.claims import scoring

        return scoring.score(self.run, self.judged_by)

    @cached_property
    def published(self) -> tuple[Beside, ...]:
        from iogauge.claims import measured, printed

        return tuple(
            Beside(cell, tuple(measured.measured_beside(cell, self.scored.report)))
            for cell in printed.cells(self.scored.study)
        )

    @cached_property
    def explained(self) -> tuple[Explained, ...]:
        from iogauge.advice import explanations
        from iogauge.claims import measured

        falling = explanations.falls(self.run)
        tables = zip(self.report.groups, measured.comparables(self.report), strict=True)
        return tuple(
            Explained(
                explanations.of_group(group, table),
                tuple(explanations.of_order(self.run, table, falling)),
            )
            for group, table in tables
        )

    def reason(self, case: CaseReport) -> str | None:
        """What takes most of the time of a case, in a sentence."""
        from iogauge.advice import reasons

        return reasons.first(case)

    def error_of_mean(self, values: Sequence[float], error: float) -> float:
        """Half of the interval of the mean of independent values, for programs that take them for
        such; NaN of a single one.
        """
        from iogauge.statistics.special import students_t

        if len(values) < 2:
            return math.nan
        return float(students_t(len(values) - 1, error)) * stdev(values) / math.sqrt(len(values))

    @cached_property
    def export(self) -> Export:
        """The run as the structures of the JSON export."""
        from iogauge.outputs import exporting

        return exporting.export(self.scored)


@dataclass(frozen=True)
class Source:
    """A run to show on a page: its export, and the run itself with the hash of its file. Both are
    None where only a stored summary is left.
    """

    export: Export
    run: Run | None = None
    sha256: str | None = None


@dataclass(frozen=True)
class Page:
    """Runs to show on one page."""

    sources: tuple[Source, ...]

    @cached_property
    def side_by_side(self) -> tuple[SideBySide, ...]:
        return compared([each.export for each in self.sources])


@dataclass(frozen=True)
class Advised:
    """What to use for a workload, one advice per language or runtime. `here` identifies this
    machine; it is None where that is not known. `not_considered` says by language which strategies
    are no ways to do it, and why. `whence` says from where it is known, if that is not plain, and
    `reason` why there is no advice.
    """

    wanted: Wanted
    advice: tuple[Advice, ...]
    here: str | None
    not_considered: Mapping[str | None, str | None] = field(default_factory=dict)
    whence: str | None = None
    reason: str | None = None
