"""The folder of a fleet run on a host: what was told to do, the run files, and how it stands.

    FOLDER/HOST/RUN/assignment.json  what to do
                    ID.toml, ID.jsonl  each study, and its run file
                    state.json       how it stands, now and then
                    ended.json       how it ended, once; `ending` is its place until then
                    starts           of which submission, and how often a process was started
                    stop             when the user stopped it: what was submitted until then
                    collected        there once the client has the run files as they are
                    alive            locked while the run lives
                    log              what it printed

The truth is here: Dask may lose its scheduler, its worker and its client, and a plan that is
delivered twice is carried out once.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from iogauge.fleet.assignment import Assignment, Kept, Phase, Status, now, parse
from iogauge.host import alone, detached
from iogauge.model import folders
from iogauge.model.errors import UserError, cause

_ENDING = 4096  # bytes that are kept for how a run ends
_LAST_WORDS = 4096  # bytes of the log, of which the last line is told


class Ended(BaseModel):
    """How a submission ended."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    submitted: str
    phase: Phase
    says: str = ""
    exit: int | None = None


class Place:
    """The folder of one run on the host of this name."""

    def __init__(self, host: str, run: str):
        self.host, self.run = host, run
        self.folder = folders.fleet() / host / run

    # What a worker does.

    def begin(self, assignment: Assignment, variables: dict[str, str]) -> None:
        """Have the assignment carried out by a process of its own, unless one does, or it is over.
        Raises UserError where that cannot be.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if self.over(assignment) or self.is_alive:
                return
            with self._for_us() as alive:
                if alive is not None:
                    self._begin(assignment, variables, alive)
        except OSError as error:
            raise UserError(f"{cause(error)}; make room, or have the folder writable") from None

    def _begin(self, assignment: Assignment, variables: dict[str, str], alive: int) -> None:
        os.truncate(alive, 0)  # nobody's number is in it until the process writes its own
        if not self.is_stopped(assignment):  # it was of an earlier submission
            (self.folder / "stop").unlink(missing_ok=True)
        for each in ("ended.json", "collected"):
            (self.folder / each).unlink(missing_ok=True)
        self._write("starts", f"{assignment.submitted} {self.starts(assignment) + 1}")
        for of, id_ in zip(assignment.studies, assignment.ids, strict=True):
            self._write(f"{id_}.toml", of.text)
        self._write("assignment.json", assignment.model_dump_json())
        words = [sys.executable, "-m", "iogauge", "fleet", "carry-out", str(self.folder)]
        detached.start(words, self.folder / "log", variables, alive)

    @contextmanager
    def _for_us(self) -> Iterator[int | None]:
        """The file `alive`, locked; None where another process has it."""
        fd = os.open(self.folder / "alive", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            yield fd if alone.is_free(fd) else None
        finally:
            os.close(fd)

    def starts(self, assignment: Assignment) -> int:
        """How often a process was started for this submission."""
        submitted, _, count = (self._text("starts") or "").partition(" ")
        return int(count) if submitted == assignment.submitted and count.isdecimal() else 0

    @property
    def is_alive(self) -> bool:
        """Whether a process carries the run out."""
        return alone.is_held(self.folder / "alive")

    def over(self, assignment: Assignment) -> Status | None:
        """How this submission ended; None while it has not. What is done stays done."""
        ended = self._ended()
        if ended and (ended.phase == "done" or ended.submitted == assignment.submitted):
            return self.status()
        if self.is_stopped(assignment) and not self.is_alive:
            return Status(host=self.host, phase="stopped", files=self.kept(hashed=True))
        return None

    def status(self) -> Status:
        """How the run stands."""
        if ended := self._ended():
            whole = {"files": self.kept(hashed=True)}
            told = ended.model_dump(exclude={"submitted"})
            return self._state().model_copy(update=told | whole)
        found = self._state().model_copy(update={"files": self.kept()})
        is_stopped = self._text("stop") is not None and not self.is_alive
        return found.model_copy(update={"phase": "stopped"}) if is_stopped else found

    def stop(self) -> Status:
        """End the run, which keeps what it measured: whatever was submitted until now, be it begun
        or not. It goes on with the next submission only. Raises UserError.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._write("stop", self.moment())
        except OSError as error:
            raise UserError(f"{cause(error)}; make room, or have the folder writable") from None
        number = self._text("alive") or ""
        if self.is_alive and number.isdecimal():
            detached.end(int(number))
        return self.status()

    def kept(self, *, hashed: bool = False) -> tuple[Kept, ...]:
        """The run files that are there and have a header; their hashes where these are wanted."""
        found = []
        for path in sorted(self.folder.glob("*.jsonl")):
            if not has_header(path):
                continue
            digest = sha256(path) if hashed else None
            found.append(Kept(name=path.name, size=path.stat().st_size, sha256=digest))
        return tuple(found)

    def mark_collected(self, hashes: Mapping[str, str | None]) -> None:
        """Allow `clean` to remove the run, because a client has its files. The hashes that it has,
        by name, must be those of all files here, and no process may be alive that writes more.
        """
        if self.is_alive or not self.status().over:
            return
        if hashes == {each.name: each.sha256 for each in self.kept(hashed=True)}:
            (self.folder / "collected").touch()

    def refuse(self, submitted: str, says: str) -> None:
        """Say why nothing was measured, for a client that comes later. A run that has measured
        something, or measures now, keeps what it says.
        """
        ended = self._ended()
        if self.is_alive or (ended and ended.phase != "refused") or self.kept():
            return
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            now_ended = Ended(submitted=submitted, phase="refused", says=says)
            self._write("ended.json", now_ended.model_dump_json())

    def moment(self) -> str:
        """Now, as `submitted` has it: later than whatever was submitted or stopped before."""
        known = self._text("stop") or ""
        with suppress(UserError):
            known = max(known, self.assignment().submitted)
        return now(after=known)

    def piece(self, name: str, start: int, most: int) -> bytes:
        """A part of a run file. Raises UserError for any other file, and OSError."""
        if name not in [each.name for each in self.kept()]:
            raise UserError(f"{name}: no run file of {self.run}; iogauge fleet collect has its id")
        with (self.folder / name).open("rb") as file:
            file.seek(start)
            return file.read(most)

    def last_words(self) -> str:
        """The last line that the process printed."""
        with suppress(OSError), (self.folder / "log").open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - _LAST_WORDS))
            lines = file.read().decode(errors="replace").split("\n")
            return next((each.strip() for each in reversed(lines) if each.strip()), "")
        return ""

    # What the process does that carries the run out.

    def enter(self) -> None:
        """Say who carries it out. The lock is ours already: the worker gave it to us."""
        self._write_in_place("alive", str(os.getpid()))

    def assignment(self) -> Assignment:
        return parse(self._text("assignment.json"))

    def is_stopped(self, assignment: Assignment) -> bool:
        return assignment.submitted <= (self._text("stop") or "")

    def tell(self, status: Status) -> None:
        """How it stands, for whoever asks."""
        self._write("state.json", status.model_dump_json())

    def keep_room(self) -> None:
        """Have room for what is said at the end, so that a run that filled the disk can say so."""
        with suppress(OSError), (self.folder / "ending").open("wb") as file:
            file.write(b" " * _ENDING)
            file.flush()
            os.fsync(file.fileno())

    def end(self, ended: Ended) -> None:
        """Say how it ended, in the place that is kept for it: that takes no room on the disk."""
        text, kept = ended.model_dump_json().encode(), self.folder / "ending"
        if len(text) > _ENDING or not kept.exists():
            self._write("ended.json", text.decode())
            return
        with kept.open("r+b") as file:
            file.write(text.ljust(_ENDING))
        kept.replace(self.folder / "ended.json")

    def _ended(self) -> Ended | None:
        text = self._text("ended.json")
        with suppress(ValidationError):
            return Ended.model_validate_json(text or "")
        return None

    def _state(self) -> Status:
        text = self._text("state.json")
        with suppress(ValidationError):
            return Status.model_validate_json(text or "")
        return Status(host=self.host, phase="preparing")

    def _text(self, name: str) -> str | None:
        with suppress(OSError, UnicodeDecodeError):
            return (self.folder / name).read_text("utf-8")
        return None

    def _write(self, name: str, text: str) -> None:
        """As a whole, so that nobody reads a part of it."""
        path = self.folder / name
        partial = path.with_suffix(f"{path.suffix}.partial")
        try:
            partial.write_text(text, "utf-8")
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)

    def _write_in_place(self, name: str, text: str) -> None:
        """The same file: its lock goes with it."""
        (self.folder / name).write_text(text, "utf-8")


def has_header(path: Path) -> bool:
    """Whether a run file has a first line as a whole: one that filled the disk may not."""
    with path.open("rb") as file:
        return file.readline().endswith(b"\n")


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def measured(host: str = "*") -> str | None:
    """A fleet run that is carried out by this host, or by any one of this machine, if one is."""
    found = (each for each in folders.fleet().glob(f"{host}/*") if alone.is_held(each / "alive"))
    return next((each.name for each in found), None)


def held() -> tuple[int, int]:
    """How many fleet runs this machine keeps as a host, and their bytes."""
    places = [each for each in folders.fleet().glob("*/*") if each.is_dir()]
    files = (path for each in places for path in each.rglob("*") if path.is_file())
    return len(places), sum(folders.occupied(path.stat()) for path in files)


def clean() -> int:
    """Remove what clients have collected, and what has measured nothing and will not; returns the
    bytes freed. A run of which they may not have all stays.
    """
    freed = 0
    for each in folders.fleet().glob("*/*"):
        has_nothing = (each / "ended.json").exists() or not (each / "assignment.json").exists()
        has_nothing = has_nothing and not any(each.glob("*.jsonl"))
        if ((each / "collected").exists() or has_nothing) and not alone.is_held(each / "alive"):
            freed += folders.remove_folder(each)
    return freed
