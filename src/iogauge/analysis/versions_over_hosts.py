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
from iogauge.analysis.asked import Asked, asked, on_any_host
from iogauge.analysis.groupreport import GroupReport, VersionPair
from iogauge.analysis.report import Report
from iogauge.analysis.separate import Compared, Comparison
from iogauge.analysis.unlike_runs import NO_ANCHOR, Differs
from iogauge.decision import comparison
from iogauge.decision.best import Pairs
from iogauge.decision.hosts import GoesWith, OnHost, OverHosts, goes_with_facts, known, over
from iogauge.decision.sets import Control
from iogauge.decision.versions import (
    GateKind,
    VersionDecision,
    VersionKind,
    VersionQuestion,
    decide_versions,
    gate_of,
    kind_with_failures,
)
from iogauge.model.plan import Versions
from iogauge.runfile.header import Header

Facts = Mapping[str, Mapping[str, Hashable]]


class Said(NamedTuple):
    """What one host says of a way. `ratio` is None where it does not count over hosts. `budget` is
    how many seconds in all would likely decide it; None where time is not likely to.
    """

    kind: VersionKind
    comparison: comparison.Comparison | None
    ratio: OnHost | None
    failure: str = ""
    budget: float | None = None


class _Way(NamedTuple):
    """A way on one host. Hosts have it in common by `key`."""

    key: Hashable
    asked: Asked
    name: str
    said: Said


@dataclass(frozen=True)
class VersionOfHost:
    """A way in two versions on one host, with what decides it: as all hosts are one family, that
    depends on their number. `found` is None where a version failed; `budget` as in Said.
    """

    key: Hashable
    asked: Asked
    name: str
    pairs: Pairs
    noise: Control | None
    question: VersionQuestion
    precision: float
    suspended: bool
    found: VersionDecision | None
    failures: tuple[str | None, str | None]  # of old and new
    budget: float | None

    def among(self, more: float) -> _Way:
        """What is said in a family so many times as large."""
        found, (old, new) = self.found, self.failures
        if found and more > 1:
            question = VersionQuestion(
                ((found.old, found.new),),
                self.question.allowed,
                math.ceil(more * self.question.comparisons),
            )
            (found,) = decide_versions(self.pairs, question, self.noise, self.precision)
        kind = kind_with_failures(
            found.kind if found else "undecided", old=bool(old), new=bool(new)
        )
        ratio = None
        if found and found.comparison and not self.suspended:
            at = found.new, found.old
            ratio = known(float(self.pairs.centers[at]), float(self.pairs.standard_errors[at]))
        budget = self.budget if kind == "undecided" else None
        said = Said(kind, found.comparison if found else None, ratio, new or old or "", budget)
        return _Way(self.key, self.asked, self.name, said)


def of_report(report: Report) -> tuple[VersionOfHost, ...]:
    return tuple(_of_pair(report, group, pair) for group, pair in report.versions)


def _of_pair(report: Report, group: GroupReport, pair: VersionPair) -> VersionOfHost:
    old, new = group.name_of(pair.old), group.name_of(pair.new)
    return VersionOfHost(
        key=(
            report.run.plan.study,
            group.id,
            pair.new.case.key_without_runtime,
            pair.new.case.options,
        ),
        asked=asked(group),
        name=new if old == new else f"{old} -> {new}",
        pairs=group.decision.pairs,
        noise=group.decision.noise,
        question=judging.versions(report.run, group.data.group),
        precision=group.precision,
        suspended=group.suspended,
        found=pair.found,
        failures=(pair.old.failure, pair.new.failure),
        budget=report.budget(group, pair.found.needed if pair.found else None),
    )


@dataclass(frozen=True)
class ComparedOnHost:
    """Separate runs of a host, compared. `bases` counts those of the base, `gone` ways that the new
    run lacks, and `few` those of which the base has too few repeats.
    """

    host: str
    ways: tuple[_Way, ...]
    differs: tuple[Differs, ...]
    bases: int
    gone: int
    few: int
    may_decide: bool


def of_comparison(host: str, study: str, found: Comparison) -> ComparedOnHost:
    """As much of a comparison as is asked over hosts."""
    header = found.new.run.header
    return ComparedOnHost(
        host,
        tuple(
            _Way(
                (study, each.group.id, *_way_on_any_host(header, each)),
                asked(each.group),
                each.group.name_of(each.case),
                _said_of_way(found, each),
            )
            for each in found.ways
        ),
        found.differs,
        len(found.bases),
        found.gone,
        found.few,
        found.may_decide,
    )


def _way_on_any_host(header: Header, way: Compared) -> tuple[Hashable, ...]:
    """A way, with its runtime as far as hosts have that in common."""
    case = way.case.case
    return case.key_without_runtime, case.options, on_any_host(header, case.runtime)


def _said_of_way(compared: Comparison, way: Compared) -> Said:
    ratio, found = None, way.found
    usable = way.anchor and way.controlled and not compared.facts & NO_ANCHOR
    if usable and found.comparison and way.group.id not in compared.suspended:
        ratio = known(math.log(found.comparison.center), found.error)
    kind = way.kind
    if kind.startswith("fails") and not compared.may_decide:
        kind = "undecided"
    return Said(kind, found.comparison, ratio, way.failure)


@dataclass(frozen=True)
class WayOverHosts:
    """A way in two versions, by the hosts that have both, and time(new) / time(old) over these;
    what is `asked` is that of the first host.
    """

    asked: Asked
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
    alone, of those in `nothing` no way can be compared, and `compared` has those of the others.
    `open`: more was to be compared than is here, so nothing is said of the whole; `missing` are
    hosts of which something is, and why.
    """

    old: str
    new: str
    hosts: tuple[str, ...]
    ways: tuple[WayOverHosts, ...]
    allowed: float | None
    only_base: tuple[str, ...] = ()
    only_new: tuple[str, ...] = ()
    nothing: tuple[str, ...] = ()
    compared: tuple[ComparedOnHost, ...] = ()
    open: bool = False
    missing: tuple[str, ...] = ()

    @property
    def gate(self) -> GateKind | None:
        """The worst that any host says; None where nobody asked."""
        if self.allowed is None:
            return None
        found = gate_of(said.kind for each in self.ways for said in each.said.values())
        return "undecided" if self.open and found == "not slower" else found


Run = tuple[str, Versions | None, Sequence[VersionOfHost]]
"""The name of a host, what its run asks, and its ways."""


def of_runs(
    runs: Sequence[Run], facts: Facts, *, incomplete: bool = False
) -> VersionsOverHosts | None:
    """The versions of one plan on these hosts; None where they are not its question. Where a plan
    did not know of so many runs, its pairs are decided anew, as those of all runs are one family.
    `incomplete`: something of hosts is missing.
    """
    asked = next((versions for _, versions, _ in runs if versions), None)
    if asked is None:
        return None
    hosts = list(dict.fromkeys(name for name, _, _ in runs))
    found = [
        (name, each.among(len(runs) / versions.runs))
        for name, versions, ways in runs
        if versions
        for each in ways
    ]
    return VersionsOverHosts(
        asked.old,
        asked.new,
        tuple(hosts),
        tuple(_ways(found, facts)),
        asked.max_slowdown,
        open=incomplete,
    )


def of_comparisons(
    found: Sequence[ComparedOnHost],
    facts: Facts,
    allowed: float | None,
    names: tuple[Set[str], Set[str]],
    missing: Sequence[str] = (),
    *,
    incomplete: bool = False,
) -> VersionsOverHosts:
    """Separate runs, compared host by host. `names` are the hosts of the base, and those of the new
    run; `missing` are hosts of which the new one lacks something, and why. `incomplete`: not all
    that the base has was compared.
    """
    hosts = dict.fromkeys(each.host for each in found)
    base, new = names
    lost = base - hosts.keys()
    return VersionsOverHosts(
        old="base",
        new="new",
        hosts=tuple(hosts),
        ways=tuple(_ways([(each.host, way) for each in found for way in each.ways], facts)),
        allowed=allowed,
        only_base=tuple(sorted(lost - new)),
        only_new=tuple(sorted(new - base)),
        nothing=tuple(sorted(lost & new)),
        compared=tuple(found),
        open=incomplete or any(each.gone or not each.may_decide for each in found),
        missing=tuple(missing),
    )


def _ways(found: Sequence[tuple[str, _Way]], facts: Facts) -> Iterator[WayOverHosts]:
    together: dict[Hashable, dict[str, _Way]] = defaultdict(dict)
    for host, way in found:
        together[way.key][host] = way
    for of_hosts in together.values():
        said = {host: way.said for host, way in of_hosts.items()}
        ratios = {host: each.ratio for host, each in said.items() if each.ratio}
        first = next(iter(of_hosts.values()))
        yield WayOverHosts(
            first.asked,
            first.name,
            said,
            over([*ratios.values()]) if ratios else None,
            tuple(goes_with_facts(ratios, facts)),
        )
