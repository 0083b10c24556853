"""One plan on many hosts: does what is recommended hold on all of them, what does each way cost
over hosts, with which facts about hosts does that go, and on which one is it worst.

Hosts are compared by ratios inside each; times of two hosts never meet.
"""

from __future__ import annotations

import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport, VersionPair
from iogauge.analysis.report import Report
from iogauge.decision.hosts import GoesWith, OnHost, OverHosts, goes_with, over
from iogauge.decision.verdict import SetVerdict, VerdictKind
from iogauge.decision.versions import VersionKind
from iogauge.model.strategy import Strategy
from iogauge.model.units import short_size
from iogauge.model.workload import Conditions, Workload
from iogauge.runfile.header import Header
from iogauge.statistics.quantiles import Array

HoldsKind = Literal[
    "holds",  # surely good enough here
    "costs more",  # surely more than the tolerance
    "undecided",
    "no answer",  # the host has none: too few repeats, a control that differs
    "not measured",
]
Holds = Literal["all", "some", "none", "unknown"]
_DECIDED: tuple[VerdictKind, ...] = ("decided", "open", "only one")


@dataclass(frozen=True, slots=True)
class Cell:
    """A way on a host, and whether it is surely good enough there. `cost` is how many times the
    time of the best there it takes, as far as that is known: `lo` and `hi` are its bounds. `column`
    is its place in the ratios of the host.
    """

    kind: HoldsKind
    cost: float | None
    lo: float | None
    hi: float | None
    column: int


class OfStrategy(NamedTuple):
    strategy: Strategy


@dataclass(frozen=True)
class Asked:
    """As much of a GroupReport as the words about its question need. `cases` have a strategy of
    each unit in which data are taken.
    """

    question: str
    workload: Workload
    conditions: Conditions
    record_bytes: int | None
    of_states: bool
    all_alike: bool
    tolerance: float
    cases: tuple[OfStrategy, ...]


@dataclass(frozen=True)
class OnOne:
    """A set on one host: whether what is recommended over all hosts holds there, the ways by their
    keys, and which one the host by itself would use; `sure` where it recommends that.
    """

    host: str
    kind: HoldsKind
    cells: Mapping[str, Cell]
    use: str | None = None
    sure: bool = False


@dataclass(frozen=True, order=True)
class Way:
    """A way, by the key that it has on all hosts, and for people; the simplest is the least."""

    simplicity: tuple[int, int, float]
    key: str
    name: str


@dataclass(frozen=True)
class SetOfHost:
    """A question for one language on one host. Hosts have it in common by `key`. `use` is what the
    host by itself would use, by its key; `sure` where it recommends that. `logs` and `errors` are
    of the ratios of its ways, by their columns; `decided`: it has an answer.
    """

    key: tuple[Hashable, ...]
    asked: Asked
    called: str
    ways: tuple[Way, ...]
    cells: Mapping[str, Cell]
    use: str | None
    sure: bool
    decided: bool
    logs: Array
    errors: Array


@dataclass(frozen=True)
class VersionOfHost:
    """A way in two versions on one host. `ratio` is None where there is none, or no verdict."""

    key: tuple[str, str]
    asked: Asked
    name: str
    kind: VersionKind
    ratio: OnHost | None


@dataclass(frozen=True)
class HostRun:
    """What a run of one host says: no samples, so that those of many hosts fit into memory."""

    name: str
    study: str
    started: str
    seconds: float
    facts: Mapping[str, Hashable]
    sets: tuple[SetOfHost, ...]
    versions: tuple[VersionOfHost, ...]


@dataclass(frozen=True)
class SetOverHosts:
    """A question for one language over hosts. `use` is the way that is good enough on most of them;
    None where no host has an answer. `over_use` has, by way, its time over that of this way over
    hosts. `rival` is the way that it is compared with in `goes_with`. `worst` is the host on which
    `use` costs most against the best there.
    """

    asked: Asked  # of the first host
    called: str
    ways: tuple[Way, ...]
    use: Way | None
    hosts: tuple[OnOne, ...]
    over_use: Mapping[str, OverHosts]
    rival: Way | None
    goes_with: tuple[GoesWith, ...]
    worst: OnOne | None

    @property
    def counts(self) -> Counter[HoldsKind]:
        return Counter(each.kind for each in self.hosts)

    @property
    def holds(self) -> Holds:
        """Of the hosts that have an answer."""
        counts = self.counts
        known = counts["holds"] + counts["costs more"] + counts["undecided"]
        if not known:
            return "unknown"
        if counts["holds"] == known:
            return "all"
        return "some" if counts["holds"] else "none"

    def name_of(self, key: str) -> str:
        return next((each.name for each in self.ways if each.key == key), key)


@dataclass(frozen=True)
class VersionOverHosts:
    """A way in two versions over hosts: time(new) / time(old), and what each host says."""

    asked: Asked
    name: str
    kinds: Mapping[str, VersionKind]
    ratio: OverHosts | None
    goes_with: tuple[GoesWith, ...]


@dataclass(frozen=True)
class Hosts:
    """Runs of one plan on several hosts."""

    runs: tuple[HostRun, ...]

    @property
    def names(self) -> list[str]:
        return [each.name for each in self.runs]

    @cached_property
    def sets(self) -> tuple[SetOverHosts, ...]:
        """Every question for every language, in the order of the first host that has it."""
        together: dict[tuple[Hashable, ...], list[_Found]] = defaultdict(list)
        for run in self.runs:
            for each in run.sets:
                together[each.key].append(_Found(run.name, each))
        return tuple(_set(found, self.facts) for found in together.values())

    @cached_property
    def versions(self) -> tuple[VersionOverHosts, ...]:
        """Where two versions are the question."""
        together: dict[tuple[str, str], dict[str, VersionOfHost]] = defaultdict(dict)
        for run in self.runs:
            for each in run.versions:
                together[each.key][run.name] = each
        return tuple(_version(each, self.facts) for each in together.values())

    @cached_property
    def facts(self) -> Mapping[str, Mapping[str, Hashable]]:
        """What is known of each host, by the name of the host."""
        return {run.name: run.facts for run in self.runs}


def name_of(header: Header) -> str:
    """What a host is called: its name in a fleet, else its identity."""
    host = header.host
    return str(host.get("name") or host.get("identity") or "unknown")


def of_reports(reports: Iterable[Report]) -> Hosts:
    """Of several runs of one host and study the newest is taken. Reports are taken one by one, and
    not kept.
    """
    newest: dict[tuple[str, str], HostRun] = {}
    shared: dict[Hashable, Any] = {}
    for report in reports:
        run = _of_report(report, shared)
        known = newest.get((run.name, run.study))
        if known is None or run.started >= known.started:
            newest[run.name, run.study] = run
    return Hosts(tuple(run for _, run in sorted(newest.items(), key=lambda each: each[0])))


def _of_report(report: Report, shared: dict[Hashable, Any]) -> HostRun:
    """`shared` has what hosts have in common, so that it is kept once."""
    header = report.run.header
    return HostRun(
        name=name_of(header),
        study=report.run.plan.study,
        started=header.started,
        seconds=report.run.seconds,
        facts=facts_of(header),
        sets=tuple(
            _set_of_host(report, group, verdict, shared)
            for group in report.groups
            for verdict in group.verdicts
        ),
        versions=tuple(_version_of_host(group, pair) for group, pair in report.versions),
    )


def _set_of_host(
    report: Report,
    group: GroupReport,
    verdict: SetVerdict[CaseReport],
    shared: dict[Hashable, Any],
) -> SetOfHost:
    members, pairs, use = group.members[verdict.set], group.decision.pairs, verdict.use
    key = (
        report.run.plan.study,
        group.id,
        group.workload,
        group.conditions,
        *_kind_of_set(report.run.header, group, verdict.set),
    )
    ways = tuple(
        Way(each.simplicity, sys.intern(each.case.key_without_runtime), group.name_of(each))
        for each in members
    )
    key, ways = shared.setdefault(key, key), shared.setdefault(ways, ways)
    asked = shared.setdefault(("asked", key), _asked(group))
    return SetOfHost(
        key=key,
        asked=asked,
        called=group.called(verdict.set),
        ways=ways,
        cells=_cells(group, verdict),
        use=use.case.key_without_runtime if use else None,
        sure=verdict.is_sure,
        decided=verdict.kind in _DECIDED,
        logs=pairs.centers,
        errors=pairs.standard_errors,
    )


def _asked(group: GroupReport) -> Asked:
    of_units = {
        "line" if each.strategy.by_line else each.strategy.unit: each.strategy
        for each in group.cases
    }
    return Asked(
        question=group.question,
        workload=group.workload,
        conditions=group.conditions,
        record_bytes=group.record_bytes,
        of_states=group.of_states,
        all_alike=group.all_alike,
        tolerance=group.tolerance,
        cases=tuple(map(OfStrategy, of_units.values())),
    )


def _version_of_host(group: GroupReport, pair: VersionPair) -> VersionOfHost:
    ratio = None
    if pair.found and pair.found.comparison and not group.suspended:
        at, pairs = (pair.found.new, pair.found.old), group.decision.pairs
        ratio = _known(OnHost(float(pairs.centers[at]), float(pairs.standard_errors[at])))
    return VersionOfHost(
        key=(group.id, pair.new.case.key_without_runtime),
        asked=_asked(group),
        name=group.name_of(pair.new),
        kind=pair.kind,
        ratio=ratio,
    )


def _known(ratio: OnHost) -> OnHost | None:
    return ratio if math.isfinite(ratio.log) and math.isfinite(ratio.error) else None


def facts_of(header: Header) -> dict[str, Hashable]:
    """What a result may go with: facts about the host, its labels, and its runtimes."""
    host = header.host
    kernel = re.findall(r"\d+", str(host.get("kernel")))[:2]
    memory = host.get("memory_bytes")
    found: dict[str, Hashable] = {
        "file system": host.get("file_system"),
        "kernel": ".".join(kernel) or None,
        "processor": host.get("processor") or host.get("machine"),
        "cores": host.get("usable_cores"),
        "memory": short_size(round(memory / (1 << 30)) << 30) if memory else None,
        "huge pages": host.get("transparent_huge_pages"),
        "governor": host.get("governor"),
        "read-ahead": host.get("read_ahead_bytes"),
        "virtual": host.get("virtual"),
    }
    for key, value in (host.get("labels") or {}).items():
        found[key] = value
    for each in header.runtimes:
        found.setdefault(f"{each.runner} version", each.version)
    return found


class _Found(NamedTuple):
    """A set on one host."""

    host: str
    of: SetOfHost


def _kind_of_set(header: Header, group: GroupReport, name: str) -> tuple[str, str]:
    """The language; where it has several runtimes, which one, as far as hosts have it in common:
    by its label, or its major version.
    """
    language, setting = group.set_of(name)
    if setting is None:
        return language, ""
    runtime, _, options = setting.partition(" ")
    with_it = header.runtime(runtime)
    version = with_it.label or with_it.version.partition(".")[0]
    return language, f"{version} {options}".strip()


def _set(found: Sequence[_Found], facts: Mapping[str, Mapping[str, Hashable]]) -> SetOverHosts:
    ways = _ways(found)
    use = _use(found, ways)
    hosts = tuple(_on_one(each, use) for each in found)
    over_use = {}
    for way in ways:
        if use and way != use:
            ratios = _ratios(found, way.key, use.key)
            if ratios:
                over_use[way.key] = over([*ratios.values()])
    rival = _rival(hosts, ways, use, over_use)
    gone: list[GoesWith] = []
    if use and rival:
        gone = _goes_with(_ratios(found, use.key, rival.key), facts)
    costly = [each for each in hosts if use and _cost(each, use.key) > 1]
    worst = max(costly, key=lambda each: _cost(each, use.key if use else ""), default=None)
    return SetOverHosts(
        asked=found[0].of.asked,
        called=found[0].of.called,
        ways=ways,
        use=use,
        hosts=hosts,
        over_use=over_use,
        rival=rival,
        goes_with=tuple(gone),
        worst=worst,
    )


def _cells(group: GroupReport, verdict: SetVerdict[CaseReport]) -> dict[str, Cell]:
    """The ways of a set that have a time, by their keys on all hosts."""
    cells = {}
    for case in group.members[verdict.set]:
        if case.ns_per_op is None or case.failure:
            continue
        cost = None if case.is_best else case.vs_best
        known = cost is not None and cost.hi < math.inf and cost.lo > 0
        cells[sys.intern(case.case.key_without_runtime)] = Cell(
            _kind(case, verdict, group.tolerance),
            1.0 if case.is_best else cost.center if cost else None,
            1.0 if case.is_best else cost.lo if cost and known else None,
            1.0 if case.is_best else cost.hi if cost and known else None,
            case.column,
        )
    return cells


def _kind(case: CaseReport, verdict: SetVerdict[CaseReport], tolerance: float) -> HoldsKind:
    """Whether a way is surely good enough on a host."""
    answer = verdict.answer
    if verdict.kind not in _DECIDED or answer is None:
        return "no answer"
    if answer.worst(case) <= 1 + tolerance:
        return "holds"
    cost = case.vs_best
    if not case.is_best and cost and cost.lo > 1 + tolerance:
        return "costs more"
    return "undecided"


def _ways(found: Sequence[_Found]) -> tuple[Way, ...]:
    """The ways that some host measured, the simplest first, with names that tell them apart."""
    ways = {way.key: way for each in reversed(found) for way in each.of.ways}
    return tuple(sorted(ways.values(), key=lambda each: each.simplicity))


def _use(found: Sequence[_Found], ways: Sequence[Way]) -> Way | None:
    """The way that is surely good enough on most hosts; of several the one that surely costs more
    on fewest, then the one that most hosts would use by themselves, then the simplest.
    """
    if not any(each.of.decided for each in found):
        return None

    def rank(way: Way) -> tuple[int, int, int]:
        kinds = Counter(_kind_on(each, way.key) for each in found)
        chosen = sum(each.of.use == way.key for each in found)
        return kinds["holds"], -kinds["costs more"], chosen

    return max(ways, key=rank)  # the first of equals, which is the simplest


def _kind_on(found: _Found, way: str) -> HoldsKind:
    cell = found.of.cells.get(way)
    return cell.kind if cell else "not measured"


def _on_one(found: _Found, use: Way | None) -> OnOne:
    kind: HoldsKind = _kind_on(found, use.key) if use else "no answer"
    return OnOne(found.host, kind, found.of.cells, found.of.use, found.of.sure)


def _ratios(found: Sequence[_Found], way: str, than: str) -> dict[str, OnHost]:
    """The time of a way over that of another, on each host that has an answer and measured both."""
    ratios = {}
    for host, of in found:
        if way not in of.cells or than not in of.cells or not of.decided:
            continue
        at = of.cells[way].column, of.cells[than].column
        if ratio := _known(OnHost(float(of.logs[at]), float(of.errors[at]))):
            ratios[host] = ratio
    return ratios


def _rival(
    hosts: Sequence[OnOne],
    ways: Sequence[Way],
    use: Way | None,
    over_use: Mapping[str, OverHosts],
) -> Way | None:
    """What `use` is best compared with: what other hosts use instead; else the simplest other way,
    which whoever does not know better takes.
    """
    others = [each for each in ways if each != use and each.key in over_use]
    instead = Counter(each.use for each in hosts if use and each.use != use.key)
    for key, _ in instead.most_common():
        if way := next((each for each in others if each.key == key), None):
            return way
    return next(iter(others), None)


def _cost(on: OnOne, way: str) -> float:
    """How many times the best's time the way takes there; 0 where that is not known."""
    cell = on.cells.get(way)
    known = on.kind in ("holds", "costs more", "undecided")
    return cell.cost if known and cell and cell.cost else 0.0


def _goes_with(
    ratios: Mapping[str, OnHost], facts: Mapping[str, Mapping[str, Hashable]]
) -> list[GoesWith]:
    names = list(dict.fromkeys(fact for host in ratios for fact in facts[host]))
    by_fact = {name: [facts[host].get(name) for host in ratios] for name in names}
    return goes_with([*ratios.values()], by_fact)


def _version(
    found: Mapping[str, VersionOfHost], facts: Mapping[str, Mapping[str, Hashable]]
) -> VersionOverHosts:
    ratios = {host: each.ratio for host, each in found.items() if each.ratio}
    first = next(iter(found.values()))
    return VersionOverHosts(
        asked=first.asked,
        name=first.name,
        kinds={host: each.kind for host, each in found.items()},
        ratio=over([*ratios.values()]) if ratios else None,
        goes_with=tuple(_goes_with(ratios, facts)),
    )
