"""The history of a folder: its series, what changed, and which files are no runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from iogauge.history import series as of_series
from iogauge.history.series import Event, Series
from iogauge.history.stored import Index


@dataclass(frozen=True)
class RunInShort:
    """A run of the folder. `started` is in seconds since 1970."""

    run: str
    file: str
    study: str
    protocol: str
    started: float
    seconds: float
    complete: bool
    replicates: int
    iogauge: str
    processor: str
    system: str
    kernel: str
    file_system: str
    host: str
    host_name: str


@dataclass(frozen=True)
class History:
    """What is known of a folder. `copies` counts files that hold a run that another one holds."""

    index: Index
    series: Sequence[Series]
    copies: int

    @cached_property
    def events(self) -> list[Event]:
        """What changed, the newest first."""
        return of_series.events(self.series)

    @cached_property
    def problems(self) -> list[tuple[str, str]]:
        """The files that are no runs, and why."""
        found = zip(
            self.index.texts("runs", "path"), self.index.texts("runs", "problem"), strict=True
        )
        return [(path or "", why) for path, why in found if why]

    @cached_property
    def runs(self) -> list[RunInShort]:
        """The newest first, each once."""
        columns = self.index.tables["runs"]
        rows = np.flatnonzero(columns["problem"] < 0)
        words = {
            name: self.index.texts("runs", name)
            for name, kind in RunInShort.__annotations__.items()
            if kind == "str" and name != "file"
        }
        paths, found = self.index.texts("runs", "path"), dict[tuple[object, ...], RunInShort]()
        for row in rows.tolist():
            started = float(columns["started"][row])
            of_run = {name: of[row] or "" for name, of in words.items()}
            identity = of_run["run"], started, of_run["host"]
            if identity not in found:
                found[identity] = RunInShort(
                    **of_run,
                    file=paths[row] or "",
                    started=started,
                    seconds=float(columns["seconds"][row]),
                    complete=bool(columns["complete"][row]),
                    replicates=int(columns["replicates"][row]),
                )
        return sorted(found.values(), key=lambda each: (-each.started, each.run))
