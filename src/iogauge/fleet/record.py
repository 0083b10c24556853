"""What the client keeps of a fleet run: a folder with the run files of all hosts, and how each
stands.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from iogauge.fleet.assignment import RUN, Assignment, Status
from iogauge.host import named
from iogauge.model import folders
from iogauge.model.errors import UserError, cause, first_problem


class HostRecord(BaseModel):
    """A host, what it was told to do, how it stood when it was last heard of, and the files of it
    that are here, by the ids of their studies. `whole` are those that are complete.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    assignment: Assignment
    status: Status
    files: dict[str, Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,200}$")]] = {}
    whole: bool = False


class FleetRun(BaseModel):
    """A plan that was sent to hosts, by their names. `started` is in ISO 8601, UTC."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    fleet: Literal[1] = 1
    run: Annotated[str, Field(pattern=f"^{RUN}$")]
    started: Annotated[str, Field(pattern="^[0-9A-Za-z:.+-]{1,40}$")]
    hosts: dict[Annotated[str, Field(pattern=f"^{named.PATTERN}$")], HostRecord]

    @property
    def absent(self) -> int:
        """How many hosts carry it out of which nothing is known here."""
        told = max((each.assignment.hosts for each in self.hosts.values()), default=0)
        return max(0, told - len(self.hosts))

    @property
    def lacks(self) -> bool:
        """Whether something is not here."""
        return bool(self.absent) or any(not each.whole for each in self.hosts.values())

    @property
    def is_open(self) -> bool:
        """Whether some host may still go on by itself."""
        return any(not each.whole and not each.status.over for each in self.hosts.values())

    def gone(self, folder: Path) -> dict[str, str]:
        """By host a file that is said to be in the folder, and is not."""
        return {
            name: file
            for name, each in self.hosts.items()
            for file in each.files.values()
            if not (folder / file).is_file()
        }

    def by_host(self, folder: Path) -> list[tuple[str, Path]]:
        """The run files that are there, each with the name of its host."""
        found = [(k, folder / file) for k, v in self.hosts.items() for file in v.files.values()]
        return [(name, path) for name, path in found if path.is_file()]

    def files(self, folder: Path) -> list[Path]:
        return [path for _, path in self.by_host(folder)]


def file_name(host: str, study: str) -> str:
    return f"{host}.{study}.jsonl"


def read(folder: Path) -> FleetRun:
    """Raises UserError for what is no record of a fleet run."""
    path = folder / folders.FLEET_RECORD
    try:
        return FleetRun.model_validate_json(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: {error}; give the folder of a fleet run") from None
    except ValidationError as error:
        raise UserError(f"{path}: {first_problem(error)}; give the folder of a fleet run") from None


def remove(folder: Path) -> None:
    """The folder of a run that has nothing in it."""
    (folder / folders.FLEET_RECORD).unlink(missing_ok=True)
    with suppress(OSError):  # somebody put something into it
        folder.rmdir()


def write(folder: Path, run: FleetRun) -> None:
    """As a whole, so that nobody reads a part of it. Raises UserError."""
    path = folder / folders.FLEET_RECORD
    partial = path.with_name(f"{path.name}.partial")
    try:
        partial.write_text(run.model_dump_json(indent=1), "utf-8")
        partial.replace(path)
    except OSError as error:
        raise UserError(f"{cause(error)}; make room, then iogauge fleet collect") from None
