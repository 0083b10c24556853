"""Folders of run files made by hand: small runs whose times, hosts and versions a test sets."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from iogauge.runfile.header import Header
from iogauge.runfile.records import End
from iogauge.runfile.run import Run
from iogauge.runners.preparing import Ready
from tests import runs

BEGIN = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
HOST = {"identity": "aaaaaaaaaaaa", "kernel": "6.1.2-made-by-somebody"}


def write(
    fake: Ready,
    path: Path,
    ns: Sequence[float],
    *,
    day: int = 0,
    version: str = "1.0",
    host: dict[str, Any] = HOST,
    **header: Any,
) -> Path:
    """A run of as many cases, with these ns per operation, begun so many days after the first."""
    run = Run(_header(fake, len(ns)))
    for replicate in range(3):
        for number in range(2):
            for case, level in enumerate(ns):
                runs.add_sample(
                    run, case, replicate, number, case, [level * (1 + replicate / 1000)]
                )
        runs.end_replicate(run, replicate)
    run.add(End(reason="decided", seconds=3.0))
    changed = {"id": path.stem, "started": (BEGIN + datetime.timedelta(days=day)).isoformat()}
    changed |= {"host": run.header.host | host} | header
    run.header = run.header.model_copy(update=changed)
    path.parent.mkdir(parents=True, exist_ok=True)
    runs.written(run, path)
    if version != "1.0":
        path.write_bytes(path.read_bytes().replace(b"fake-1.0", f"fake-{version}".encode()))
    return path


_HEADERS: dict[int, Header] = {}


def _header(fake: Ready, cases: int) -> Header:
    """To plan takes longer than all the rest."""
    if cases not in _HEADERS:
        _HEADERS[cases] = runs.empty_run(fake, *range(1, cases + 1), rounds=2).header
    return _HEADERS[cases]


def series(fake: Ready, folder: Path, levels: Sequence[Sequence[float]], **more: Any) -> None:
    """A run a day with these levels of its cases."""
    for day, ns in enumerate(levels):
        write(fake, folder / f"run-{day:03}.jsonl", ns, day=day, **more)
