"""Separate runs, compared by ratios to anchors inside each: the values come from here, `decision`
decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from iogauge.analysis import anchored, unlike_runs
from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport
from iogauge.analysis.report import Report
from iogauge.analysis.unlike_runs import MACHINE, NO_ANCHOR, Differs, Matched
from iogauge.decision import anchors, separate
from iogauge.decision.anchors import ANCHORS, FIXED_WORK, Anchor
from iogauge.decision.priors import way_of
from iogauge.decision.separate import Level, SeparateDecision, SeparateQuestion, Series
from iogauge.decision.sets import Control
from iogauge.decision.versions import GateKind, VersionKind, gate_of, kind_with_failures
from iogauge.model.workload import Conditions, Workload


class GroupKey(NamedTuple):
    """Groups of several runs with the same are compared; `number` counts those of one run."""

    workload: Workload
    conditions: Conditions
    number: int


class WayKey(NamedTuple):
    variant: str
    options: tuple[str, ...]
    runtime: str


@dataclass(frozen=True)
class Way:
    """A way as one run measured it: its time as ratios to anchors, and without any."""

    group: GroupReport
    case: CaseReport
    levels: Mapping[Anchor, Level]
    absolute: Level | None


@dataclass(frozen=True)
class Measured:
    """A run, with all that is compared of it."""

    report: Report
    groups: Mapping[GroupKey, GroupReport]
    ways: Mapping[tuple[GroupKey, WayKey], Way]


@dataclass(frozen=True)
class Compared:
    """A way in the runs. `anchor` is None where there is none, and `controlled` says whether each
    run has a control of its group. `failure` says why it failed.
    """

    group: GroupReport  # of the new run
    case: CaseReport
    kind: VersionKind
    found: SeparateDecision
    anchor: Anchor | None
    controlled: bool
    failure: str = ""


@dataclass(frozen=True)
class Comparison:
    """Separate runs, compared. `differs` is what differs between them, the most important first,
    `runtimes` has which of these go together (of the last run of the base). `few` counts ways that
    no run of the base measured in enough replicates, and `suspended` has the runs, by their places,
    of which the control of a group differs. `gone` counts ways of the last run of the base that the
    new one does not have. `allowed` is a fraction.
    """

    bases: tuple[Report, ...]
    new: Report
    differs: tuple[Differs, ...]
    runtimes: Matched
    ways: tuple[Compared, ...]
    few: int
    suspended: Mapping[str, tuple[int, ...]]
    gone: int
    allowed: float | None

    @property
    def facts(self) -> set[str]:
        return {each.fact for each in self.differs}

    @property
    def may_decide(self) -> bool:
        """Whether enough is known for anything to be decided."""
        return len(self.bases) >= separate.FEWEST_BASES and not self.facts & NO_ANCHOR

    @property
    def gate(self) -> GateKind | None:
        """None where nobody asked by how much the new run may be slower."""
        if self.allowed is None:
            return None
        found = gate_of(each.kind for each in self.ways) if self.may_decide else "undecided"
        return "undecided" if self.gone and found == "not slower" else found


def of_report(report: Report) -> Measured:
    run, pace = report.run, anchored.pace(report.run)
    groups: dict[GroupKey, GroupReport] = {}
    ways: dict[tuple[GroupKey, WayKey], Way] = {}
    for group in report.groups:
        alike = sum(key[:2] == (group.workload, group.conditions) for key in groups)
        key = GroupKey(group.workload, group.conditions, alike)
        groups[key] = group
        levels = anchored.levels(run, group.data, pace)
        absolute = anchored.absolute(group.data)
        for each in group.cases:
            way = WayKey(each.case.variant, each.case.options, each.case.runtime)
            ways[key, way] = Way(group, each, levels[each.column], absolute[each.column])
    return Measured(report, groups, ways)


def compare(
    bases: Sequence[Measured], new: Measured, allowed: float | None, hosts: int = 1
) -> Comparison:
    """`hosts`: on so many hosts the same is asked; they share the error."""
    runs = [each.report.run for each in bases]
    differs = unlike_runs.all_of(runs, new.report.run)
    found = _Compare(bases, new, differs)
    return Comparison(
        tuple(each.report for each in bases),
        new.report,
        differs,
        unlike_runs.matched(runs[-1], new.report.run),
        tuple(found.decided(allowed, hosts)),
        found.few,
        found.suspended(),
        found.gone(),
        allowed,
    )


class _Together(NamedTuple):
    """A way in the new run, and in the runs of the base that have it."""

    key: GroupKey
    new: Way
    bases: list[Way]


class _Compare:
    def __init__(self, bases: Sequence[Measured], new: Measured, differs: Sequence[Differs]):
        self.bases, self.new = bases, new
        self._facts = {each.fact for each in differs}
        self._pairs = [
            {
                pair.new.name: pair
                for pair in unlike_runs.runtime_pairs(each.report.run, new.report.run)
            }
            for each in bases
        ]
        together = [*self._together()]
        enough = [each for each in together if _measured(each) or _fails(each)]
        self.few = len(together) - len(enough)
        self._all = enough

    def _together(self) -> Iterator[_Together]:
        for (key, way), new in self.new.ways.items():
            found = []
            for base, pairs in zip(self.bases, self._pairs, strict=True):
                if pair := pairs.get(way.runtime):
                    found.append(base.ways.get((key, way._replace(runtime=pair.base.name))))
            known = [each for each in found if each]
            if known:
                yield _Together(key, new, known)

    def gone(self) -> int:
        """How many ways of the last run of the base the new one does not have."""
        names = {each.base.name: each.new.name for each in self._pairs[-1].values()}
        return sum(
            (key, way._replace(runtime=names.get(way.runtime, ""))) not in self.new.ways
            for key, way in self.bases[-1].ways
        )

    def suspended(self) -> dict[str, tuple[int, ...]]:
        """By the id of the new run's group, in which runs its control differs; the last is the new
        one.
        """
        found = {}
        for key, group in self.new.groups.items():
            runs = [*(each.groups.get(key) for each in self.bases), group]
            differ = tuple(place for place, each in enumerate(runs) if each and each.suspended)
            if differ:
                found[group.id] = differ
        return found

    def decided(self, allowed: float | None, hosts: int) -> Iterator[Compared]:
        """Of all ways, in the order of the new run."""
        anchor_of = self._anchors()
        clusters: dict[tuple[GroupKey, Anchor | None], list[tuple[int, Series]]] = {}
        for place, each in enumerate(self._all):
            anchor = anchor_of[place]
            series = self._series(each, anchor)
            clusters.setdefault((each.key, anchor), []).append((place, series))
        question = SeparateQuestion(allowed, self.new.report.run.plan.precision, hosts)
        found = separate.decide(
            [[series for _, series in each] for each in clusters.values()], question
        )
        decisions = {
            place: decision
            for cluster, of_cluster in zip(clusters.values(), found, strict=True)
            for (place, _), decision in zip(cluster, of_cluster, strict=True)
        }
        for place, each in enumerate(self._all):
            yield self._compared(each, decisions[place], anchor_of[place])

    def _compared(
        self, each: _Together, found: SeparateDecision, anchor: Anchor | None
    ) -> Compared:
        old = all(one.case.failure for one in each.bases)
        new = each.new.case.failure
        kind = kind_with_failures(found.kind, old=old, new=bool(new))
        why = new or (each.bases[-1].case.failure if old else None) or ""
        controlled = None not in _controls(each)
        return Compared(each.new.group, each.new.case, kind, found, anchor, controlled, why)

    def _anchors(self) -> list[Anchor | None]:
        """Of each way: the steadiest of those that all ways of its group with the same choice may
        take.
        """
        choices: dict[tuple[GroupKey, frozenset[Anchor]], list[int]] = {}
        for place, each in enumerate(self._all):
            choices.setdefault((each.key, self._allowed(each)), []).append(place)
        found: list[Anchor | None] = [None] * len(self._all)
        for (key, allowed), places in choices.items():
            ways = [
                (
                    way_of(self._all[place].new.case.strategy),
                    {a: self._within(self._all[place], a) for a in allowed},
                )
                for place in places
            ]
            chosen = anchors.steadiest(allowed, key.conditions, ways)
            for place in places:
                found[place] = chosen
        return found

    def _allowed(self, each: _Together) -> frozenset[Anchor]:
        """What is in all runs, and is not what changed."""
        levels = [one.levels for one in (*_usable(each.bases), each.new) if one.levels]
        found = {anchor for anchor in ANCHORS if levels and all(anchor in of for of in levels)}
        if "Python" in self._facts:
            found -= set(FIXED_WORK)
        if self._facts & MACHINE:
            found &= set(FIXED_WORK)
        if not self._is_same_ceiling(each.key):
            found.discard("ceiling")
        if not (self._changed(each.new.case.case.runtime) and self._is_same_baseline(each.key)):
            found.discard("baseline")
        return frozenset(found)

    def _changed(self, runtime: str) -> bool:
        """Whether a runtime of the new run is another one in some run of the base."""
        return any(pairs[runtime].changed for pairs in self._pairs if runtime in pairs)

    def _is_same_baseline(self, key: GroupKey) -> bool:
        """Whether all runs have the same baseline, on a runtime that did not change."""
        mine = self._baseline(self.new, key)
        if mine is None or self._changed(mine.runtime):
            return False
        return all(
            (other := self._baseline(base, key)) is not None and other[:2] == mine[:2]
            for base in self.bases
        )

    def _baseline(self, of: Measured, key: GroupKey) -> WayKey | None:
        group = of.groups.get(key)
        if group is None:
            return None
        case = of.report.run.plan.cases[group.data.group.baseline]
        return WayKey(case.variant, case.options, case.runtime)

    def _is_same_ceiling(self, key: GroupKey) -> bool:
        """Whether all runs looked for the ceiling by the same builds of the same candidates."""
        found = []
        for each in (*self.bases, self.new):
            if (group := each.groups.get(key)) is not None:
                header, plan = each.report.run.header, each.report.run.plan
                cases = [plan.cases[case] for case in group.data.group.ceilings]
                builds = {header.runtime(case.runtime).build for case in cases}
                found.append(({case.key_without_runtime for case in cases}, builds))
        return all(each == found[0] for each in found)

    def _within(self, each: _Together, anchor: Anchor) -> float:
        levels = [one.levels for one in (*_usable(each.bases), each.new) if one.levels]
        return sum(of[anchor].variance for of in levels) / len(levels)

    def _series(self, each: _Together, anchor: Anchor | None) -> Series:
        bases = [_level(one, anchor) for one in _usable(each.bases)]
        new, key = _level(each.new, anchor), each.key
        controls = _controls(each)
        floors = [control.floor for control in controls if control]
        may_decide = (
            anchor is not None
            and not self._facts & NO_ANCHOR
            and len(floors) == len(controls)
            and len(bases) >= separate.FEWEST_BASES
        )
        return Series(
            tuple(level for level in bases if level),
            new,
            anchors.known(anchor or "canary", key.conditions, way_of(each.new.case.strategy)),
            max(floors, default=0.0),
            any(control.alarm for control in controls if control),
            may_decide,
        )


def _controls(each: _Together) -> list[Control | None]:
    return [one.group.decision.noise for one in (*each.bases, each.new)]


def _level(way: Way, anchor: Anchor | None) -> Level | None:
    return way.absolute if anchor is None else way.levels.get(anchor)


def _usable(ways: Sequence[Way]) -> list[Way]:
    """Those in which the way was measured in enough replicates; without anchors, all."""
    found = [each for each in ways if each.levels and not each.case.failure]
    return found or [each for each in ways if each.absolute and not each.case.failure]


def _measured(each: _Together) -> bool:
    return bool(_usable(each.bases))


def _fails(each: _Together) -> bool:
    return bool(each.new.case.failure) or any(one.case.failure for one in each.bases)
