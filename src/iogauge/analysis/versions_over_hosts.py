"""Two versions on many hosts: what each host says of a way, and the ratio over all of them. The
versions are those of one plan, or separate runs of a base and of a new one.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from iogauge.analysis import judging
from iogauge.analysis.groupreport import GroupReport, VersionPair
from iogauge.analysis.report import Report
from iogauge.analysis.separate import Compared, Comparison
from iogauge.analysis.unlike_runs import NO_ANCHOR
from iogauge.decision import comparison
from iogauge.decision.hosts import GoesWith, OnHost, OverHosts, goes_with_facts, over
from iogauge.decision.versions import GateKind, VersionKind, decide_versions, gate_of
from iogauge.runfile.header import Header

Facts = Mapping[str, Mapping[str, Hashable]]


class Said(NamedTuple):
    """What one host says of a way. `ratio` is None where it does not count over hosts."""

    kind: VersionKind
    comparison: comparison.Comparison | None
    ratio: OnHost | None
    failure: str = ""


@dataclass(frozen=True)
class WayOverHosts:
    """A way in two versions, by the hosts that have both, and time(new) / time(old) over these;
    `group` is that of the first host, for its words.
    """

    group: GroupReport
    name: str
    said: Mapping[str, Said]
    ratio: OverHosts | None
    goes_with: tuple[GoesWith, ...]

    @property
    def kind(self) -> VersionKind:
        """What is said of it on the host where it is worst."""
        found = {each.kind for each in self.said.values()}
        return next(each for each in WORST_FIRST if each in found)


WORST_FIRST: tuple[VersionKind, ...] = (
    "slower",
    "fails only in new",
    "fails in both",
    "undecided",
    "not slower",
    "fails only in old",
)
"""What hosts say of a way."""


@dataclass(frozen=True)
class VersionsOverHosts:
    """All that was compared. `allowed` is a fraction.

    Where the versions are separate runs, `only_base` and `only_new` are hosts that one side has
    alone, of those in `nothing` no way can be compared, and `comparisons` are those of the others,
    by host and study. `open`: more was to be compared than is here, so nothing is said of the
    whole.
    """

    old: str
    new: str
    hosts: tuple[str, ...]
    ways: tuple[WayOverHosts, ...]
    allowed: float | None
    only_base: tuple[str, ...] = ()
    only_new: tuple[str, ...] = ()
    nothing: tuple[str, ...] = ()
    comparisons: Mapping[tuple[str, str], Comparison] | None = None
    open: bool = False

    @property
    def gate(self) -> GateKind | None:
        """The worst that any host says; None where nobody asked."""
        if self.allowed is None:
            return None
        found = gate_of(said.kind for each in self.ways for said in each.said.values())
        return "undecided" if self.open and found == "not slower" else found


class _Found(NamedTuple):
    host: str
    group: GroupReport
    name: str
    said: Said


def of_runs(runs: Sequence[tuple[str, Report]], facts: Facts) -> VersionsOverHosts | None:
    """The versions of one plan on these hosts; None where they are not its question. Where a plan
    did not know of so many hosts, its pairs are decided anew, as all hosts are one family.
    """
    asked = next((r.run.plan.versions for _, r in runs if r.run.plan.versions), None)
    if asked is None:
        return None
    hosts = list(dict.fromkeys(name for name, _ in runs))
    found: dict[Hashable, list[_Found]] = defaultdict(list)
    for host, report in runs:
        for group in report.groups:
            for pair in _of_family(report, group, len(hosts)):
                key = (report.run.plan.study, group.id, pair.new.case.key_without_runtime)
                old, new = group.name_of(pair.old), group.name_of(pair.new)
                name = new if old == new else f"{old} -> {new}"
                found[key].append(_Found(host, group, name, _said_of_pair(group, pair)))
    return VersionsOverHosts(
        asked.old, asked.new, tuple(hosts), tuple(_ways(found, facts)), asked.max_slowdown
    )


def _of_family(report: Report, group: GroupReport, hosts: int) -> Sequence[VersionPair]:
    asked = report.run.plan.versions
    if asked is None or asked.hosts >= hosts:
        return group.versions
    question = judging.versions(report.run, group.data.group, hosts)
    decision = group.decision
    decided = {
        (each.old, each.new): each
        for each in decide_versions(decision.pairs, question, decision.noise, group.precision)
    }
    return [
        VersionPair(each.old, each.new, decided.get((each.old.column, each.new.column)))
        for each in group.versions
    ]


def _said_of_pair(group: GroupReport, pair: VersionPair) -> Said:
    ratio = None
    if pair.found and pair.found.comparison and not group.suspended:
        at, pairs = (pair.found.new, pair.found.old), group.decision.pairs
        ratio = _known(float(pairs.centers[at]), float(pairs.standard_errors[at]))
    why = pair.new.failure or pair.old.failure or ""
    return Said(pair.kind, pair.comparison, ratio, why)


def of_comparisons(
    found: Mapping[tuple[str, str], Comparison],
    facts: Facts,
    allowed: float | None,
    names: tuple[Set[str], Set[str]],
) -> VersionsOverHosts:
    """Separate runs, compared host by host: by host and study. `names` are the hosts of the base,
    and those of the new run.
    """
    together: dict[Hashable, list[_Found]] = defaultdict(list)
    for (host, study), each in found.items():
        for way in each.ways:
            key = (study, way.group.id, *_way_on_any_host(each.new.run.header, way))
            name = way.group.name_of(way.case)
            together[key].append(_Found(host, way.group, name, _said_of_way(each, way)))
    compared = dict.fromkeys(host for host, _ in found)
    base, new = names
    lost = base - compared.keys()
    return VersionsOverHosts(
        old="base",
        new="new",
        hosts=tuple(compared),
        ways=tuple(_ways(together, facts)),
        allowed=allowed,
        only_base=tuple(sorted(lost - new)),
        only_new=tuple(sorted(new - base)),
        nothing=tuple(sorted(lost & new)),
        comparisons=found,
        open=bool(lost) or any(each.gone or not each.may_decide for each in found.values()),
    )


def _way_on_any_host(header: Header, way: Compared) -> tuple[str, str]:
    """A way, with its runtime as far as hosts have that in common: its label, or major version."""
    runtime = header.runtime(way.case.case.runtime)
    return way.case.case.key_without_runtime, runtime.label or runtime.version.partition(".")[0]


def _said_of_way(compared: Comparison, way: Compared) -> Said:
    ratio, found = None, way.found
    usable = way.anchor and way.controlled and not compared.facts & NO_ANCHOR
    if usable and found.comparison and way.group.id not in compared.suspended:
        ratio = _known(math.log(found.comparison.center), found.error)
    kind = way.kind
    if kind.startswith("fails") and not compared.may_decide:
        kind = "undecided"
    return Said(kind, found.comparison, ratio, way.failure)


def _known(log: float, error: float) -> OnHost | None:
    return OnHost(log, error) if math.isfinite(log) and math.isfinite(error) else None


def _ways(found: Mapping[Hashable, Sequence[_Found]], facts: Facts) -> Iterator[WayOverHosts]:
    for of_hosts in found.values():
        ratios = {each.host: each.said.ratio for each in of_hosts if each.said.ratio}
        yield WayOverHosts(
            of_hosts[0].group,
            of_hosts[0].name,
            {each.host: each.said for each in of_hosts},
            over([*ratios.values()]) if ratios else None,
            tuple(goes_with_facts(ratios, facts)),
        )
