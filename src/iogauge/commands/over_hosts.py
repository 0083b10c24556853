"""Runs of many hosts: those of a fleet run, or run files of hosts that have names."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from iogauge.advice import over_hosts as advice_over_hosts
from iogauge.advice.wanted import Wanted
from iogauge.analysis import hosts, report, separate, versions_over_hosts
from iogauge.analysis.report import Report
from iogauge.analysis.separate import Measured
from iogauge.analysis.versions_over_hosts import ComparedOnHost, VersionsOverHosts
from iogauge.claims import over_hosts as claims_over_hosts
from iogauge.claims import scoring
from iogauge.claims.over_hosts import OnHost
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

    def reports(self) -> Iterator[Report]:
        """One after another: those of many hosts take gigabytes."""
        return map(_report, self.paths)


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
    of = hosts.of_reports(found.reports(), incomplete=bool(found.missing))
    return OverHostsDocument(found.title, of, found.missing)


def _host(path: Path) -> str | None:
    """What the host of a run file is called in a fleet; None without a name."""
    try:
        found = headers.read_header(path).host.get("name")
    except UserError:  # whoever reads it says why
        return None
    return str(found) if found else None


def _of_fleets(folders: Sequence[Path]) -> HostRuns:
    runs = [record.read(each) for each in folders]
    missing, paths, unreadable = dict[str, str](), list[Path](), ""
    for run, folder in zip(runs, folders, strict=True):
        of_run = f" ({run.run})" if len(runs) > 1 else ""
        for name, path in run.by_host(folder):
            try:
                headers.read_header(path)
                paths.append(path)
            except UserError as error:
                unreadable = unreadable or str(error)
                missing[f"{name}{of_run}"] = str(error).removeprefix(f"{path}: ")
        missing |= {f"{name}{of_run}": why for name, why in fleet.why_missing(run).items()}
        for name, file in run.gone(folder).items():
            why = f"{file} is not in its folder any more; iogauge fleet collect fetches it"
            missing[f"{name}{of_run}"] = why
    if not paths:
        raise UserError(
            unreadable
            or f"{folders[0]}: no host has measured anything yet; fetch what there is with iogauge "
            "fleet collect"
        )
    return HostRuns(", ".join(each.run for each in runs), paths, missing)


def compared(given: Sequence[Path], allowed: float | None) -> VersionsOverHosts:
    """Fleet runs against each other, host by host, the new one last. Raises UserError."""
    fleets = [each for each in map(folders.fleet_run, given) if each]
    if len(fleets) < len(given):
        other = next(each for each in given if not folders.fleet_run(each))
        why = "is no fleet run" if other.exists() else "no fleet run has this id"
        raise UserError(f"RUN: {other}: {why}; fleet runs are compared with fleet runs")
    if len(fleets) < 2:
        raise UserError("RUN: name the fleet runs of the base, and the new one last")
    if len({each.resolve() for each in fleets}) < len(fleets):
        raise UserError("RUN: the same fleet run is named twice; name another")
    return _compared(fleets, allowed)


def advised(given: Sequence[Path], wanted: Wanted) -> AdvisedOverHosts | None:
    """What to use on hosts, where runs of several are given; with no advice if none has any."""
    found = runs(given)
    if found is None:
        return None
    names, advice = advice_over_hosts.recommend(found.reports(), wanted)
    return AdvisedOverHosts(wanted, found.title, names, advice, found.missing)


def claims(given: Sequence[Path], by: Study | None) -> ClaimsOverHosts | None:
    """The verdicts on claims on each host, where runs of several are given. Raises UserError."""
    found = runs(given)
    if found is None:
        return None
    newest = dict[Key, Path]()
    for path in sorted(found.paths, key=lambda each: headers.read_header(each).started):
        newest[_key(path)] = path
    judged = (_judged(host, path, by) for (host, _), path in sorted(newest.items()))
    studies = [each for each in claims_over_hosts.of_hosts(judged) if each.claims]
    if not studies:
        raise UserError(f"{found.title}: its studies have no claims; iogauge show has its answers")
    return ClaimsOverHosts(found.title, studies, found.missing)


def _judged(host: str, path: Path, by: Study | None) -> OnHost:
    with no_collector():
        scored = scoring.score(reading.read(path), by)
    return OnHost(host, scored.study, scored.judged)


Key = tuple[str, str]
"""A host and a study."""


def _key(path: Path) -> Key:
    header = headers.read_header(path)
    return hosts.name_of(header), header.plan.study


def _report(path: Path) -> Report:
    with no_collector():
        return report.make(reading.read(path))


def _compared(folders_: Sequence[Path], allowed: float | None) -> VersionsOverHosts:
    """Host by host, so that the runs of one are in memory at a time."""
    of_fleets = [_of_fleets([each]) for each in folders_]
    *bases, new = [{_key(path): path for path in each.paths} for each in of_fleets]
    of_base = {key for base in bases for key in base}
    count = len(of_base & new.keys())
    found, facts = dict[Key, ComparedOnHost](), dict[str, dict[str, Hashable]]()
    for (host, study), path in sorted(new.items()):
        paths = [base[host, study] for base in bases if (host, study) in base]
        with no_collector():
            before, now = [*_measured(paths)], [*_measured([path])]
            if not before or not now:
                continue
            made = separate.compare(before, now[0], allowed, count)
        if made.ways:
            found[host, study] = versions_over_hosts.of_comparison(host, study, made)
            facts.setdefault(host, {}).update(hosts.facts_of(made.new.run.header))
    if not found:
        raise UserError("RUN: these fleet runs share no case on any host; compare runs of one plan")
    missing = of_fleets[-1].missing
    return versions_over_hosts.of_comparisons(
        [*found.values()],
        facts,
        allowed,
        ({host for host, _ in of_base}, {host for host, _ in new}),
        [f"{names}: {why}" for names, why in missing.items()],
        incomplete=bool(missing or of_base - found.keys()),
    )


def _measured(paths: Sequence[Path]) -> Iterator[Measured]:
    """What has at least one repeat."""
    for path in paths:
        run = reading.read(path)
        if run.replicates:
            yield separate.of_report(report.make(run))
