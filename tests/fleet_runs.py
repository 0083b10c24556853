"""Fleet runs made by hand, as a client keeps them: a folder with a record and the hosts' files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from iogauge.fleet import here, record
from iogauge.fleet.assignment import Assignment, Phase, Status, StudyText
from iogauge.fleet.record import FleetRun, HostRecord
from iogauge.runfile.run import Run
from tests import runs

STUDY = """\
id = "tiny"
title = "Tiny"
[[group]]
id = "one"
question = "Which?"
size = "4K"
cache = "warm"
[[group.case]]
strategy = ["python/file-read"]
"""


FIRST, SECOND = "2026-11-29T12:00:01.000+00:00", "2026-11-29T12:00:02.000+00:00"
"""Moments of submissions."""


def assigned(host: str = "one", submitted: str = FIRST, **what: Any) -> Assignment:
    return Assignment(
        versions=here.versions(),
        run="fleet-1",
        host=host,
        submitted=submitted,
        studies=(StudyText(name="tiny.toml", text=STUDY),),
        **what,
    )


def write(folder: Path, of_hosts: Mapping[str, Run | Sequence[Run]], **without: Phase) -> Path:
    """The folder of a fleet run: a run of each host, or one of each study. `without` are hosts that
    have nothing, and how they stand.
    """
    folder.mkdir(parents=True)
    hosts = {}
    for name, of in of_hosts.items():
        files = {}
        for run in [of] if isinstance(of, Run) else of:
            files[run.plan.study] = record.file_name(name, run.plan.study)
            runs.written(run, folder / files[run.plan.study])
            started = run.header.started
        hosts[name] = _host(folder, name, "done", files)
    hosts |= {name: _host(folder, name, phase, {}) for name, phase in without.items()}
    record.write(folder, FleetRun(run=folder.name, started=started, hosts=hosts))
    return folder


def _host(folder: Path, name: str, phase: Phase, files: dict[str, str]) -> HostRecord:
    assignment = assigned(name).model_copy(update={"run": folder.name})
    status = Status(host=name, phase=phase, exit=0 if phase == "done" else None)
    return HostRecord(assignment=assignment, status=status, files=files, whole=phase == "done")
