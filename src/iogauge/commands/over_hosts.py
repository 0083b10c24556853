"""Runs of many hosts: those of a fleet run, or run files of hosts that have names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from iogauge.advice import over_hosts as advice_over_hosts
from iogauge.advice.wanted import Wanted
from iogauge.analysis import hosts, report, separate
from iogauge.analysis.report import Report
from iogauge.analysis.separate import Comparison, Measured
from iogauge.analysis.versions_over_hosts import VersionsOverHosts, of_comparisons
from iogauge.claims import over_hosts as claims_over_hosts
from iogauge.claims import scoring
from iogauge.fleet import record
from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.outputs import fleet
from iogauge.outputs.advice_over_hosts import AdvisedOverHosts
from iogauge.outputs.claims_over_hosts import ClaimsOverHosts
from iogauge.outputs.hosts import OverHostsDocument
from iogauge.runfile import header as headers
from iogauge.runfile import reading
from iogauge.runfile.reading import no_collector
from iogauge.study.schema import Study


class HostRuns(NamedTuple):
    """Run files of several hosts, what they are called together, and of which hosts something is
    missing.
    """

    title: str
    paths: Sequence[Path]
    missing: Mapping[str, str]

    def reports(self) -> list[Report]:
        with no_collector():
            return [report.make(reading.read(each)) for each in self.paths]


def runs(given: Sequence[Path]) -> HostRuns | None:
    """The runs of fleet runs, named by their folders or ids, or run files of several hosts; None
    where neither is given. Raises UserError.
    """
    fleets = [folders.fleet_run(each) for each in given]
    if any(fleets):
        if not all(fleets):
            other = given[fleets.index(None)]
            raise UserError(f"{other}: not a fleet run, and the others are; give them apart")
        return _of_fleets([each for each in fleets if each])
    names = [_host(each) for each in given] if len(given) > 1 else []
    if None in names or len({*names}) < 2:
        return None
    return HostRuns(f"{len(given)} runs", given, {})


def document(given: Sequence[Path]) -> OverHostsDocument | None:
    """What is known over hosts, where runs of several are given. Raises UserError."""
    found = runs(given)
    if found is None:
        return None
    return OverHostsDocument(found.title, hosts.of_reports(found.reports()), found.missing)


def _host(path: Path) -> str | None:
    """What the host of a run file is called in a fleet; None without a name."""
    try:
        found = headers.read_header(path).host.get("name")
    except UserError:  # whoever reads it says why
        return None
    return str(found) if found else None


def _of_fleets(folders: Sequence[Path]) -> HostRuns:
    runs = [record.read(each) for each in folders]
    paths = [path for run, folder in zip(runs, folders, strict=True) for path in run.files(folder)]
    if not paths:
        raise UserError(
            f"{folders[0]}: no host has measured anything yet; fetch what there is with iogauge "
            "fleet collect"
        )
    missing = {name: why for run in runs for name, why in fleet.why_missing(run).items()}
    return HostRuns(", ".join(each.run for each in runs), paths, missing)


def compared(given: Sequence[Path], allowed: float | None) -> VersionsOverHosts:
    """Fleet runs against each other, host by host, the new one last. Raises UserError."""
    fleets = [each for each in map(folders.fleet_run, given) if each]
    if len(fleets) < len(given):
        raise UserError("RUN: fleet runs are compared with fleet runs; name no other files")
    if len(fleets) < 2:
        raise UserError("RUN: name the fleet runs of the base, and the new one last")
    if len({each.resolve() for each in fleets}) < len(fleets):
        raise UserError("RUN: the same fleet run is named twice; name another")
    with no_collector():
        *bases, new = [_measured(each) for each in fleets]
        return _compared(bases, new, allowed)


def advised(given: Sequence[Path], wanted: Wanted) -> AdvisedOverHosts | None:
    """What to use on hosts, where runs of several are given; with no advice if none has any."""
    found = runs(given)
    if found is None:
        return None
    of = hosts.of_reports(found.reports())
    names = list(dict.fromkeys(of.names))
    advice = advice_over_hosts.recommend(of, wanted)
    return AdvisedOverHosts(wanted, found.title, names, advice, found.missing)


def claims(given: Sequence[Path], by: Study | None) -> ClaimsOverHosts | None:
    """The verdicts on claims on each host, where runs of several are given. Raises UserError."""
    found = runs(given)
    if found is None:
        return None
    with no_collector():
        newest = {}
        for run in sorted(map(reading.read, found.paths), key=lambda each: each.header.started):
            newest[hosts.name_of(run.header), run.plan.study] = run
        judged = [(host, scoring.score(run, by)) for (host, _), run in sorted(newest.items())]
    studies = [each for each in claims_over_hosts.of_hosts(judged) if each.claims]
    if not studies:
        raise UserError(f"{found.title}: its studies have no claims; iogauge show has its answers")
    return ClaimsOverHosts(found.title, studies, found.missing)


Key = tuple[str, str]
"""A host and a study."""


def _measured(folder: Path) -> dict[Key, Measured]:
    """What a fleet run has with at least one repeat."""
    found = {}
    for path in _of_fleets([folder]).paths:
        run = reading.read(path)
        if run.replicates:
            key = hosts.name_of(run.header), run.plan.study
            found[key] = separate.of_report(report.make(run))
    if not found:
        raise UserError(f"{folder}: no host has a complete repeat; measure it anew")
    return found


def _compared(
    bases: Sequence[Mapping[Key, Measured]], new: Mapping[Key, Measured], allowed: float | None
) -> VersionsOverHosts:
    by_key: dict[Key, list[Measured]] = defaultdict(list)
    for base in bases:
        for key, each in base.items():
            by_key[key].append(each)
    both = [key for key in new if key in by_key]
    names = len({host for host, _ in both})
    found = dict(_of_hosts(both, by_key, new, allowed, names))
    if not found:
        raise UserError("RUN: these fleet runs share no case on any host; compare runs of one plan")
    facts: dict[str, dict[str, object]] = {}
    for host, study in found:
        facts.setdefault(host, {}).update(hosts.facts_of(new[host, study].report.run.header))
    sides = {host for host, _ in by_key}, {host for host, _ in new}
    return of_comparisons(found, facts, allowed, sides)


def _of_hosts(
    keys: Sequence[Key],
    bases: Mapping[Key, Sequence[Measured]],
    new: Mapping[Key, Measured],
    allowed: float | None,
    hosts_: int,
) -> Iterator[tuple[Key, Comparison]]:
    for key in keys:
        made = separate.compare(bases[key], new[key], allowed, hosts_)
        if made.ways:
            yield key, made
