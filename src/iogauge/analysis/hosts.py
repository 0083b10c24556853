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

from iogauge.analysis import versions_over_hosts
from iogauge.analysis.asked import Asked, asked, on_any_host
from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport
from iogauge.analysis.report import Report
from iogauge.analysis.versions_over_hosts import VersionOfHost, VersionsOverHosts
from iogauge.decision.hosts import GoesWith, OnHost, OverHosts, goes_with_facts, known, over
from iogauge.decision.verdict import SetVerdict, VerdictKind
from iogauge.model.plan import Versions
from iogauge.model.units import short_size
from iogauge.runfile.header import Header
from iogauge.statistics.intervals import exp
from iogauge.statistics.quantiles import Array

HoldsKind = Literal[
    "holds",  # surely good enough here
    "costs more",  # surely more than the tolerance
    "undecided",
    "fails",
    "no answer",  # the host has none: too few repeats, a control that differs
    "not measured",
]
Holds = Literal["all", "some", "none", "unknown"]
_DECIDED: tuple[VerdictKind, ...] = ("decided", "open", "only one")


@dataclass(frozen=True, slots=True)
class Cell:
    """A way on a host, and whether it is surely good enough there. `cost` is how many times the
    time of the best there it takes, as far as that is known: `lo` and `hi` are its bounds. `column`
    is its place in the ratios of the host. `failure` says why it fails.
    """

    kind: HoldsKind
    cost: float | None
    lo: float | None
    hi: float | None
    column: int
    failure: str = ""


@dataclass(frozen=True)
class OnOne:
    """A set on one host: whether what is recommended over all hosts holds there, the ways by their
    keys, and which one the host by itself would use; `sure` where it recommends that. `verdict` is
    of what kind the host's own is. `budget` as in SetOfHost.
    """

    host: str
    kind: HoldsKind
    cells: Mapping[str, Cell]
    use: str | None
    sure: bool
    verdict: VerdictKind
    budget: float | None


@dataclass(frozen=True, order=True)
class Way:
    """A way, by the key that it has on all hosts, and for people; the simplest is the least."""

    simplicity: tuple[int, int, float]
    key: str
    name: str


@dataclass(frozen=True)
class SetOfHost:
    """A question for one language on one host. Hosts have it in common by `key`, and by `setting`
    where several runtimes of the language are ranked apart; `version` is that of a single one.
    `use` is what the host by itself would use, by its key; `sure` where it recommends that.
    `budget` is how many seconds in all would likely decide what is open there; None where nothing
    is, or time is not likely to help. `logs` and `errors` are of the ratios of its ways, by their
    columns.
    """

    key: tuple[Hashable, ...]
    setting: str
    version: str
    asked: Asked
    called: str
    ways: tuple[Way, ...]
    cells: Mapping[str, Cell]
    use: str | None
    sure: bool
    verdict: VerdictKind
    budget: float | None
    logs: Array
    errors: Array

    @property
    def decided(self) -> bool:
        """Whether it has an answer."""
        return self.verdict in _DECIDED


@dataclass(frozen=True)
class HostRun:
    """What a run of one host says: no samples, so that those of many hosts fit into memory.
    `between` are the two versions, where these are the question.
    """

    name: str
    id: str
    study: str
    started: str
    seconds: float
    complete: bool
    facts: Mapping[str, Hashable]
    sets: tuple[SetOfHost, ...]
    between: Versions | None
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
        known = sum(counts[each] for each in ("holds", "costs more", "undecided", "fails"))
        if not known:
            return "unknown"
        if counts["holds"] == known:
            return "all"
        return "some" if counts["holds"] else "none"

    def name_of(self, key: str) -> str:
        return next((each.name for each in self.ways if each.key == key), key)


@dataclass(frozen=True)
class Hosts:
    """Runs of one plan on several hosts."""

    runs: tuple[HostRun, ...]
    incomplete: bool = False  # something of hosts is missing

    @property
    def names(self) -> list[str]:
        return [each.name for each in self.runs]

    @cached_property
    def sets(self) -> tuple[SetOverHosts, ...]:
        """Every question for every language, in the order of the first host that has it."""
        together: dict[tuple[Hashable, ...], list[Found]] = defaultdict(list)
        several: dict[tuple[Hashable, ...], set[str]] = defaultdict(set)
        for run in self.runs:
            for each in run.sets:
                if each.setting:
                    several[each.key].add(each.setting)
        for run in self.runs:
            for each in run.sets:
                setting = each.setting or _among(several[each.key], each.version)
                together[*each.key, setting].append(Found(run.name, each))
        return tuple(over_set(found, self.facts) for found in together.values())

    @cached_property
    def versions(self) -> VersionsOverHosts | None:
        """Where two versions are the question."""
        return versions_over_hosts.of_runs(
            [(run.name, run.between, run.versions) for run in self.runs],
            self.facts,
            incomplete=self.incomplete,
        )

    @cached_property
    def facts(self) -> Mapping[str, Mapping[str, Hashable]]:
        """What is known of each host, by the name of the host."""
        return {run.name: run.facts for run in self.runs}


def _among(settings: Iterable[str], version: str) -> str:
    """Of several runtimes that other hosts have that with this version, if one has it."""
    found = [each for each in settings if f"{version}.".startswith(f"{each}.")]
    return found[0] if len(found) == 1 else ""


def name_of(header: Header) -> str:
    """What a host is called: its name in a fleet, else its identity."""
    host = header.host
    return str(host.get("name") or host.get("identity") or "unknown")


def of_reports(reports: Iterable[Report], *, incomplete: bool = False) -> Hosts:
    """Of several runs of one host and study the newest is taken. Reports are taken one by one, and
    not kept. `incomplete`: something of hosts is missing.
    """
    newest: dict[tuple[str, str], HostRun] = {}
    shared: dict[Hashable, Any] = {}
    for report in reports:
        run = _of_report(report, shared)
        known = newest.get((run.name, run.study))
        if known is None or run.started >= known.started:
            newest[run.name, run.study] = run
    runs = tuple(run for _, run in sorted(newest.items(), key=lambda each: each[0]))
    return Hosts(runs, incomplete)


def _of_report(report: Report, shared: dict[Hashable, Any]) -> HostRun:
    """`shared` has what hosts have in common, so that it is kept once."""
    header = report.run.header
    return HostRun(
        name=name_of(header),
        id=header.id,
        study=report.run.plan.study,
        started=header.started,
        seconds=report.run.seconds,
        complete=report.run.complete,
        facts=facts_of(header),
        sets=tuple(
            set_of_host(report, group, group.members[verdict.set], verdict, shared)
            for group in report.groups
            for verdict in group.verdicts
        ),
        between=report.run.plan.versions,
        versions=versions_over_hosts.of_report(report),
    )


def set_of_host(
    report: Report,
    group: GroupReport,
    members: Sequence[CaseReport],
    verdict: SetVerdict[CaseReport],
    shared: dict[Hashable, Any],
) -> SetOfHost:
    """The verdict on a set with these cases. `shared` has what hosts have in common."""
    pairs, use = group.decision.pairs, verdict.use
    step = group.next_step if verdict.kind != "decided" else None
    header = report.run.header
    language, setting = kind_of_set(header, group, verdict.set)
    key = (report.run.plan.study, group.id, group.workload, group.conditions, language)
    ways = tuple(
        Way(each.simplicity, sys.intern(each.case.key_without_runtime), group.name_of(each))
        for each in members
    )
    key, ways = shared.setdefault(key, key), shared.setdefault(ways, ways)
    question = shared.setdefault(("asked", key), asked(group))
    return SetOfHost(
        key=key,
        setting=setting,
        version=header.runtime(members[0].case.runtime).version,
        asked=question,
        called=group.called(verdict.set),
        ways=ways,
        cells=_cells(group, members, verdict),
        use=use.case.key_without_runtime if use else None,
        sure=verdict.is_sure,
        verdict=verdict.kind,
        budget=report.budget(group, step.replicates if step else None),
        logs=pairs.centers,
        errors=pairs.standard_errors,
    )


def facts_of(header: Header) -> dict[str, Hashable]:
    """What a result may go with: facts about the host, its labels, and its runtimes."""
    host = header.host
    kernel = re.findall(r"\d+", str(host.get("kernel")))[:2]
    memory, ahead = host.get("memory_bytes"), host.get("read_ahead_bytes")
    virtual = host.get("virtual")
    found: dict[str, Hashable] = {
        "file system": host.get("file_system"),
        "kernel": ".".join(kernel) or None,
        "processor": host.get("processor") or host.get("machine"),
        "cores": host.get("usable_cores"),
        "memory": short_size(round(memory / (1 << 30)) << 30) if memory else None,
        "huge pages": host.get("transparent_huge_pages"),
        "governor": host.get("governor"),
        "read-ahead": short_size(ahead) if ahead else None,
        "virtual": None if virtual is None else "yes" if virtual else "no",
    }
    for key, value in (host.get("labels") or {}).items():
        found[f"label {key}" if key in found else key] = value
    for each in header.runtimes:
        fact = f"{each.runner} version"
        if header.plan.versions and fact in found:
            found[fact] = f"{found[fact]}, {each.known_version}"
        else:
            found.setdefault(fact, each.known_version if header.plan.versions else each.version)
    return found


class Found(NamedTuple):
    """A set on one host."""

    host: str
    of: SetOfHost


def kind_of_set(header: Header, group: GroupReport, name: str) -> tuple[str, str]:
    """What a set is on any host. The language; where it has several runtimes, which one, as far as
    hosts have it in common.
    """
    language, setting = group.set_of(name)
    if setting is None:
        return language, ""
    runtime, _, options = setting.partition(" ")
    return language, f"{on_any_host(header, runtime)} {options}".strip()


def over_set(found: Sequence[Found], facts: Mapping[str, Mapping[str, Hashable]]) -> SetOverHosts:
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
        gone = goes_with_facts(_ratios(found, use.key, rival.key), facts)
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


def _cells(
    group: GroupReport, members: Sequence[CaseReport], verdict: SetVerdict[CaseReport]
) -> dict[str, Cell]:
    """The ways of a set that have a time, or fail, by their keys on all hosts."""
    cells = {}
    for case in members:
        key = sys.intern(case.case.key_without_runtime)
        if case.failure:
            cells[key] = Cell("fails", None, None, None, case.column, case.failure)
        if case.ns_per_op is None or case.failure:
            continue
        cost, lo, hi = _costs(group, case, verdict)
        known = cost is not None and hi < math.inf and lo > 0
        cells[key] = Cell(
            _kind(case, verdict, group.tolerance, lo),
            cost,
            lo if known else None,
            hi if known else None,
            case.column,
        )
    return cells


def _costs(
    group: GroupReport, case: CaseReport, verdict: SetVerdict[CaseReport]
) -> tuple[float | None, float, float]:
    """How many times the time of the best of these cases one takes, with bounds."""
    best = verdict.answer.best if verdict.answer else None
    if case is best or (best is None and case.is_best):
        return 1.0, 1.0, 1.0
    if best is None or best.is_best:
        cost = case.vs_best
        return (cost.center, cost.lo, cost.hi) if cost else (None, 0.0, math.inf)
    decision, at = group.decision, (case.column, best.column)
    lo, hi = decision.pairs.interval(*at, decision.comparisons_with_best)
    center = float(decision.pairs.centers[at])
    return (exp(center), exp(lo), exp(hi)) if math.isfinite(center) else (None, 0.0, math.inf)


def _kind(
    case: CaseReport, verdict: SetVerdict[CaseReport], tolerance: float, least: float
) -> HoldsKind:
    """Whether a way, which costs at `least` so many times the best, is surely good enough on a
    host.
    """
    answer = verdict.answer
    if verdict.kind not in _DECIDED or answer is None or case not in answer.members:
        return "no answer"
    if answer.worst(case) <= 1 + tolerance:
        return "holds"
    return "costs more" if least > 1 + tolerance else "undecided"


def _ways(found: Sequence[Found]) -> tuple[Way, ...]:
    """The ways that some host measured, the simplest first, with names that tell them apart."""
    ways = {way.key: way for each in reversed(found) for way in each.of.ways}
    return tuple(sorted(ways.values(), key=lambda each: each.simplicity))


def _use(found: Sequence[Found], ways: Sequence[Way]) -> Way | None:
    """The way that is surely good enough on most hosts; of several the one that surely costs more
    on fewest, then the one that most hosts would use by themselves, then the simplest. Where none
    is sure anywhere the cheapest comes before the simplest.
    """
    if not any(each.of.decided for each in found):
        return None

    def rank(way: Way) -> tuple[int, int, int, float]:
        kinds = Counter(_kind_on(each, way.key) for each in found)
        chosen = sum(each.of.use == way.key for each in found)
        cheap = 0.0 if kinds["holds"] else -_mean_cost(found, way.key)
        return kinds["holds"], -kinds["costs more"] - kinds["fails"], chosen, cheap

    return max(ways, key=rank)  # the first of equals, which is the simplest


def _mean_cost(found: Sequence[Found], way: str) -> float:
    """The log of how many times the best's time a way takes, in the mean of hosts; infinite where
    that is not known on each host.
    """
    cells = [each.of.cells.get(way) for each in found if each.of.decided]
    costs = [each.cost for each in cells if each and each.cost]
    return sum(map(math.log, costs)) / len(costs) if len(costs) == len(cells) else math.inf


def _kind_on(found: Found, way: str) -> HoldsKind:
    cell = found.of.cells.get(way)
    return cell.kind if cell else "not measured"


def _on_one(found: Found, use: Way | None) -> OnOne:
    kind: HoldsKind = _kind_on(found, use.key) if use else "no answer"
    of = found.of
    return OnOne(found.host, kind, of.cells, of.use, of.sure, of.verdict, of.budget)


def _ratios(found: Sequence[Found], way: str, than: str) -> dict[str, OnHost]:
    """The time of a way over that of another, on each host that has an answer and measured both."""
    ratios = {}
    for host, of in found:
        if way not in of.cells or than not in of.cells or not of.decided:
            continue
        at = of.cells[way].column, of.cells[than].column
        if ratio := known(float(of.logs[at]), float(of.errors[at])):
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
