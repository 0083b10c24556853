"""Runs of many hosts: those of a fleet run, or run files of hosts that have names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from iogauge.analysis import hosts, report
from iogauge.analysis.report import Report
from iogauge.fleet import record
from iogauge.model.errors import UserError
from iogauge.outputs import fleet
from iogauge.outputs.hosts import OverHostsDocument
from iogauge.runfile import header as headers
from iogauge.runfile import reading
from iogauge.runfile.reading import no_collector


def document(given: Sequence[Path]) -> OverHostsDocument | None:
    """What is known over hosts of fleet runs, named by their folders or ids, or of run files of
    several hosts; None where neither is given. Raises UserError.
    """
    folders = [record.folder_of(each) for each in given]
    if any(folders):
        if not all(folders):
            other = given[folders.index(None)]
            raise UserError(f"{other}: not a fleet run, and the others are; give them apart")
        return _of_fleets([each for each in folders if each])
    names = [_host(each) for each in given] if len(given) > 1 else []
    if None in names or len({*names}) < 2:
        return None
    return _document(f"{len(given)} runs", given, {})


def _host(path: Path) -> str | None:
    """What the host of a run file is called in a fleet; None without a name."""
    try:
        found = headers.read_header(path).host.get("name")
    except UserError:  # whoever reads it says why
        return None
    return str(found) if found else None


def _of_fleets(folders: Sequence[Path]) -> OverHostsDocument:
    runs = [record.read(each) for each in folders]
    paths = [path for run, folder in zip(runs, folders, strict=True) for path in run.files(folder)]
    if not paths:
        raise UserError(
            f"{folders[0]}: no host has measured anything yet; fetch what there is with iogauge "
            "fleet collect"
        )
    missing = {name: why for run in runs for name, why in fleet.why_missing(run).items()}
    return _document(", ".join(each.run for each in runs), paths, missing)


def _document(title: str, paths: Sequence[Path], missing: dict[str, str]) -> OverHostsDocument:
    return OverHostsDocument(title, hosts.of_reports(map(_report, paths)), missing)


def _report(path: Path) -> Report:
    with no_collector():
        return report.make(reading.read(path))
