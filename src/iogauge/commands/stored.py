"""The run files that are stored here."""

from __future__ import annotations

import contextlib
from pathlib import Path

from iogauge.advice import covering
from iogauge.advice.wanted import Wanted
from iogauge.host import description
from iogauge.host.mounts import mount_of
from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.runfile import header as headers
from iogauge.runfile.pooling import Place, pool_key


def runs_like(wanted: Wanted, directory: Path, among: Path | None = None) -> list[Path]:
    """The run files of a folder (`among`, or ours) that cover a workload and were measured on this
    host and on such a file system as the directory is on: the nearest first, then the newest.
    """
    here, found = Place(description.identity(), mount_of(directory).kind), []
    for path in (among or folders.runs()).glob("*.jsonl"):
        with contextlib.suppress(UserError, LookupError):  # of another version, or no run file
            header = headers.read_header(path)
            if pool_key(header).place != here:
                continue
            apart = covering.distance(header.plan, header.runtimes, wanted)
            if apart is not None:
                found.append((apart, -path.stat().st_mtime_ns, path))
    return [path for *_, path in sorted(found)]
