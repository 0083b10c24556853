"""What a worker knows of its host, and which versions are there."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from iogauge import __version__
from iogauge.host import named
from iogauge.model import folders
from iogauge.model.errors import UserError, cause
from iogauge.runners import building, manifest

DIRECTORIES, TURNS = "IOGAUGE_HOST_DIRECTORIES", "IOGAUGE_HOST_TURNS"
"""Variables of the environment: where data files may go, with `:` between, the first one where
nobody says; and a file whose lock hosts share that must not measure at the same time.
"""


@dataclass(frozen=True)
class Here:
    """This host, as whoever started its worker described it."""

    name: str
    labels: Mapping[str, str]
    directories: tuple[Path, ...]
    turns: Path | None

    @property
    def variables(self) -> dict[str, str]:
        """The environment of a worker of this host, and of what it starts."""
        found = named.variables(self.name, self.labels)
        found[DIRECTORIES] = os.pathsep.join(map(str, self.directories))
        return found | ({TURNS: str(self.turns)} if self.turns else {})

    def directory(self, asked: str | None) -> Path:
        """Where data files go; a new host's cache folder is made. Raises UserError for a place that
        nobody allowed.
        """
        allowed = self.directories or (folders.cache(),)
        if asked is None:
            if not self.directories:
                _make(allowed[0])
            return allowed[0]
        if not os.path.isabs(asked):
            raise UserError(f"--dir {asked}: give a full path of the host")
        found = Path(os.path.realpath(asked))
        if not any(found.is_relative_to(os.path.realpath(each)) for each in allowed):
            raise UserError(
                f"--dir {asked}: outside of what this host allows, "
                f"{', '.join(map(str, allowed))}; start its worker with --dir {asked}"
            )
        return found


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{cause(error)}; start the worker with --dir PATH") from None


def of_worker(name: object) -> Here:
    """This host, whose worker has that name. Raises UserError for one without."""
    told = named.here()
    called = named.checked(told.name or str(name), "the worker's name")
    places = [each for each in os.environ.get(DIRECTORIES, "").split(os.pathsep) if each]
    turns = os.environ.get(TURNS)
    return Here(called, told.labels, tuple(map(Path, places)), Path(turns) if turns else None)


class Versions(BaseModel):
    """What must be alike on all hosts of a fleet, and where the plan is made."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    iogauge: str
    python: str
    dask: str
    runners: str

    def must_be(self, others: Versions) -> None:
        """Raises UserError where those of a plan are others than ours."""
        if unlike := others.unlike(self):
            raise UserError(f"the plan is of {'; '.join(unlike)}; install the same on all hosts")

    def unlike(self, other: Versions) -> list[str]:
        """What differs from another's, in words."""
        called = {"python": "Python", "dask": "Dask distributed", "runners": "the runners"}
        found = []
        for field in Versions.model_fields:
            theirs, ours = getattr(self, field), getattr(other, field)
            if theirs != ours:
                found.append(f"{called.get(field, field)} {theirs}, here {ours}")
        return found


@cache
def versions() -> Versions:
    """Those of this process."""
    major, minor, _ = platform.python_version_tuple()
    dask = sys.modules.get("distributed")  # what measures has no use for it
    return Versions(
        iogauge=__version__,
        python=f"{major}.{minor}",
        dask=dask.__version__ if dask else version("distributed"),
        runners=_runners(),
    )


def _runners() -> str:
    """Runners are alike where their sources are; with which compilers is a host's own affair."""
    digest = hashlib.sha256()
    for each in sorted(manifest.all_runners(), key=lambda each: each.name):
        digest.update(building.identity(each, "").encode())
    return digest.hexdigest()[:8]
