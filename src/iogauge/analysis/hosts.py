"""One plan on many hosts: does what is recommended hold on all of them, what does each way cost
over hosts, with which facts about hosts does that go, and on which one is it worst.

Hosts are compared by ratios inside each; times of two hosts never meet.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

from iogauge.analysis import versions_over_hosts
from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport
from iogauge.analysis.report import Report
from iogauge.analysis.versions_over_hosts import VersionsOverHosts
from iogauge.decision.hosts import GoesWith, OnHost, OverHosts, goes_with_facts, over
from iogauge.decision.verdict import CaseVerdict, SetVerdict, VerdictKind
from iogauge.model.units import short_size
from iogauge.runfile.header import Header
from iogauge.statistics.intervals import exp

HoldsKind = Literal[
    "holds",  # surely good enough here
    "costs more",  # surely more than the tolerance
    "undecided",
    "no answer",  # the host has none: too few repeats, a control that differs
    "not measured",
]
Holds = Literal["all", "some", "none", "unknown"]
_DECIDED: tuple[VerdictKind, ...] = ("decided", "open", "only one")


class HostRun(NamedTuple):
    """A run of one host."""

    name: str
    report: Report


@dataclass(frozen=True)
class Cell:
    """A way on a host. `cost` is how many times the time of the best there it takes, as far as that
    is known: `lo` and `hi` are its bounds.
    """

    case: CaseReport
    verdict: CaseVerdict
    cost: float | None
    lo: float | None
    hi: float | None


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


@dataclass(frozen=True)
class Way:
    """A way, by the key that it has on all hosts, and for people."""

    key: str
    name: str


@dataclass(frozen=True)
class SetOverHosts:
    """A question for one language over hosts. `use` is the way that is good enough on most of them;
    None where no host has an answer. `over_use` has, by way, its time over that of this way over
    hosts. `rival` is the way that it is compared with in `goes_with`. `worst` is the host on which
    `use` costs most against the best there.
    """

    group: GroupReport  # of the first host, for its words
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
class Hosts:
    """Runs of one plan on several hosts."""

    runs: tuple[HostRun, ...]

    @property
    def names(self) -> list[str]:
        return [each.name for each in self.runs]

    @cached_property
    def sets(self) -> tuple[SetOverHosts, ...]:
        """Every question for every language, in the order of the first host that has it."""
        return tuple(over_set(found, self.facts) for found in _together(self.runs).values())

    @cached_property
    def versions(self) -> VersionsOverHosts | None:
        """Where two versions are the question."""
        return versions_over_hosts.of_runs(self.runs, self.facts)

    @cached_property
    def facts(self) -> Mapping[str, Mapping[str, Hashable]]:
        """What is known of each host, by the name of the host."""
        return {name: facts_of(report.run.header) for name, report in self.runs}


def name_of(header: Header) -> str:
    """What a host is called: its name in a fleet, else its identity."""
    host = header.host
    return str(host.get("name") or host.get("identity") or "unknown")


def of_reports(reports: Iterable[Report]) -> Hosts:
    """Of several runs of one host and study the newest is taken."""
    newest: dict[tuple[str, str], Report] = {}
    for report in sorted(reports, key=lambda each: each.run.header.started):
        newest[name_of(report.run.header), report.run.plan.study] = report
    return Hosts(
        tuple(
            HostRun(name, report)
            for (name, _), report in sorted(newest.items(), key=lambda each: each[0])
        )
    )


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


class Found(NamedTuple):
    """A set of a group on one host: its cases, or those among which is chosen."""

    host: str
    group: GroupReport
    members: Sequence[CaseReport]
    verdict: SetVerdict[CaseReport]


def _together(runs: Sequence[HostRun]) -> dict[tuple[Any, ...], list[Found]]:
    """The sets of all hosts by what they have in common."""
    found: dict[tuple[Any, ...], list[Found]] = defaultdict(list)
    for name, report in runs:
        for group in report.groups:
            for verdict in group.verdicts:
                key = (
                    report.run.plan.study,
                    group.id,
                    group.workload,
                    group.conditions,
                    *kind_of_set(report.run.header, group, verdict.set),
                )
                found[key].append(Found(name, group, group.members[verdict.set], verdict))
    return found


def kind_of_set(header: Header, group: GroupReport, name: str) -> tuple[str, str]:
    """What a set is on any host. The language; where it has several runtimes, which one, as far as
    hosts have it in common: by its label, or its major version.
    """
    language, setting = group.set_of(name)
    if setting is None:
        return language, ""
    runtime, _, options = setting.partition(" ")
    with_it = header.runtime(runtime)
    version = with_it.label or with_it.version.partition(".")[0]
    return language, f"{version} {options}".strip()


def over_set(found: Sequence[Found], facts: Mapping[str, Mapping[str, Hashable]]) -> SetOverHosts:
    cells = {each.host: _cells(each) for each in found}
    ways = _ways(found)
    use = _use(found, cells, ways)
    hosts = tuple(_on_one(each, cells[each.host], use) for each in found)
    over_use = {}
    for way in ways:
        if use and way != use:
            ratios = _ratios(found, cells, way.key, use.key)
            if ratios:
                over_use[way.key] = over([*ratios.values()])
    rival = _rival(hosts, ways, use, over_use)
    gone: list[GoesWith] = []
    if use and rival:
        gone = goes_with_facts(_ratios(found, cells, use.key, rival.key), facts)
    costly = [each for each in hosts if use and _cost(each, use.key) > 1]
    worst = max(costly, key=lambda each: _cost(each, use.key if use else ""), default=None)
    first = found[0]
    return SetOverHosts(
        group=first.group,
        called=first.group.called(first.verdict.set),
        ways=ways,
        use=use,
        hosts=hosts,
        over_use=over_use,
        rival=rival,
        goes_with=tuple(gone),
        worst=worst,
    )


def _cells(found: Found) -> dict[str, Cell]:
    """The ways of a set that have a time, by their keys on all hosts."""
    cells = {}
    for case in found.members:
        if case.ns_per_op is None or case.failure:
            continue
        cost, lo, hi = _costs(found, case)
        known = cost is not None and hi < math.inf and lo > 0
        verdict = found.verdict.of_case(case, found.group.tolerance)
        key = case.case.key_without_runtime
        cells[key] = Cell(case, verdict, cost, lo if known else None, hi if known else None)
    return cells


def _costs(found: Found, case: CaseReport) -> tuple[float | None, float, float]:
    """How many times the time of the best of these cases one takes, with bounds."""
    best = found.verdict.answer.best if found.verdict.answer else None
    if case is best or (best is None and case.is_best):
        return 1.0, 1.0, 1.0
    if best is None or best.is_best:
        cost = case.vs_best
        return (cost.center, cost.lo, cost.hi) if cost else (None, 0.0, math.inf)
    decision, at = found.group.decision, (case.column, best.column)
    lo, hi = decision.pairs.interval(*at, decision.comparisons_with_best)
    center = float(decision.pairs.centers[at])
    return (exp(center), exp(lo), exp(hi)) if math.isfinite(center) else (None, 0.0, math.inf)


def _ways(found: Sequence[Found]) -> tuple[Way, ...]:
    """The ways that some host measured, the simplest first, with names that tell them apart."""
    cases = {
        case.case.key_without_runtime: (each.group, case)
        for each in reversed(found)
        for case in each.members
    }
    ordered = sorted(cases.items(), key=lambda each: each[1][1].simplicity)
    return tuple(Way(key, group.name_of(case)) for key, (group, case) in ordered)


def _use(
    found: Sequence[Found], cells: Mapping[str, Mapping[str, Cell]], ways: Sequence[Way]
) -> Way | None:
    """The way that is surely good enough on most hosts; of several the one that surely costs more
    on fewest, then the one that most hosts would use by themselves, then the simplest.
    """
    if not any(each.verdict.kind in _DECIDED for each in found):
        return None

    def rank(way: Way) -> tuple[int, int, int]:
        kinds = Counter(_kind(each, cells[each.host], way.key) for each in found)
        chosen = sum(
            each.verdict.use is not None and each.verdict.use.case.key_without_runtime == way.key
            for each in found
        )
        return kinds["holds"], -kinds["costs more"], chosen

    return max(ways, key=rank)  # the first of equals, which is the simplest


def _kind(found: Found, cells: Mapping[str, Cell], way: str) -> HoldsKind:
    """Whether a way is surely good enough on a host."""
    if way not in cells:
        return "not measured"
    answer = found.verdict.answer
    if found.verdict.kind not in _DECIDED or answer is None:
        return "no answer"
    cell = cells[way]
    if cell.case not in answer.members:
        return "no answer"
    if answer.worst(cell.case) <= 1 + found.group.tolerance:
        return "holds"
    return "costs more" if (cell.lo or 0.0) > 1 + found.group.tolerance else "undecided"


def _on_one(found: Found, cells: Mapping[str, Cell], use: Way | None) -> OnOne:
    kind: HoldsKind = _kind(found, cells, use.key) if use else "no answer"
    chosen = found.verdict.use
    return OnOne(
        found.host,
        kind,
        cells,
        chosen.case.key_without_runtime if chosen else None,
        found.verdict.is_sure,
    )


def _ratios(
    found: Sequence[Found], cells: Mapping[str, Mapping[str, Cell]], way: str, than: str
) -> dict[str, OnHost]:
    """The time of a way over that of another, on each host that has an answer and measured both."""
    ratios = {}
    for each in found:
        have = cells[each.host]
        if way not in have or than not in have or each.verdict.kind not in _DECIDED:
            continue
        pairs, at = each.group.decision.pairs, (have[way].case.column, have[than].case.column)
        ratio = OnHost(float(pairs.centers[at]), float(pairs.standard_errors[at]))
        if math.isfinite(ratio.log) and math.isfinite(ratio.error):
            ratios[each.host] = ratio
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
