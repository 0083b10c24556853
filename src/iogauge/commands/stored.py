"""The run files that are stored here."""

from __future__ import annotations

import contextlib
import time
from datetime import datetime
from pathlib import Path

from iogauge.advice import covering
from iogauge.advice.wanted import Wanted
from iogauge.corpus.own_file import OwnFile
from iogauge.host import description
from iogauge.host.mounts import mount_of
from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.model.units import ago
from iogauge.runfile import header as headers
from iogauge.runfile.header import Header, Place, pool_key


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


def runs_of(own: OwnFile, wanted: Wanted) -> list[Path]:
    """The runs that measured what is wanted of a file of exactly this size, where this one is, and
    after it last changed: the newest first. A run file does not say which file it was.
    """
    return [
        path
        for path in runs_like(wanted, own.path.parent)
        if _began(header := headers.read_header(path)) >= int(own.modified)  # in whole seconds
        and any(
            (group.workload.content, group.workload.size) == ("own", own.size)
            for group in header.plan.groups
        )
    ]


def whence(header: Header) -> str:
    """From which run of a file of the user's something is known."""
    how = "advise --file FILE --run" if "advise" in header.options else "FILE"
    return (
        f"From a run of {ago(time.time() - _began(header))}, by iogauge {how}, on a file of "
        "exactly this size. Yours has not changed since."
    )


def _began(header: Header) -> float:
    return datetime.fromisoformat(header.started).timestamp()
