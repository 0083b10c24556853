"""What a worker carries out on its host. Dask calls these functions by name, with texts; they are
all that it is asked to run.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from iogauge.fleet import here as hosts
from iogauge.fleet.assignment import RUN, Assignment, Phase, Status, parse
from iogauge.fleet.here import Here, Versions
from iogauge.fleet.place import Ended, Place
from iogauge.model.errors import UserError, cause

_LOOKS = 1.0  # seconds between looks whether the run is over
_TELLS = 3.0  # seconds between words to the client, and looks whether the worker is to end
_STARTS = 3  # of the process that measures, while it ends without a word
_PAUSE = 5.0  # seconds before it is started again
MOST_AT_ONCE = 4 << 20  # bytes of a run file in one message


class About(BaseModel):
    """A host, before anything runs on it. `now` is what its clock says, as in `submitted`."""

    model_config = ConfigDict(frozen=True)

    name: str
    labels: dict[str, str]
    directories: tuple[str, ...]
    versions: Versions
    now: str


def topic(run: str) -> str:
    """Where workers tell how a run stands."""
    return f"iogauge-{run}"


def about(run: str, dask_worker: Any = None) -> str:
    """An About as JSON, for something that is to be submitted to a run; or why there is none, in a
    line.
    """
    try:
        here = hosts.of_worker(dask_worker.name)
        return About(
            name=here.name,
            labels=dict(here.labels),
            directories=tuple(map(str, here.directories)),
            versions=hosts.versions(),
            now=moment(run, dask_worker),
        ).model_dump_json()
    except UserError as error:
        return str(error)


def moment(run: str, dask_worker: Any = None) -> str:
    """What this host calls now, for something that is to be submitted to a run."""
    return _place(run, dask_worker).moment()


def carry_out(text: str) -> str:
    """Have an assignment carried out, follow it to its end, and say how it ended: a Status, as
    JSON. A worker that is to end leaves at once; the run goes on without it.
    """
    from distributed import get_worker

    worker = get_worker()
    name, place = str(worker.name), None
    try:
        assignment = parse(text)
        here = hosts.of_worker(worker.name)
        name = here.name
        if assignment.host != name:
            raise UserError(f"the plan is for {assignment.host}, and this is {name}")
        place = Place(name, assignment.run)
        if not place.over(assignment):
            _check(here, assignment)
        for status in _followed(place, assignment, here):
            if status.over:
                return status.model_dump_json()
            if _is_leaving(worker):
                return status.model_copy(update={"phase": "left"}).model_dump_json()
            worker.log_event(topic(assignment.run), status.model_dump_json())
    except (UserError, OSError, ValidationError) as error:
        kept = place.kept(hashed=True) if place else ()
        phase: Phase = "failed" if kept else "refused"
        says = cause(error) if isinstance(error, OSError) else str(error)
        if place and phase == "refused":
            place.refuse(assignment.submitted, says)
        return Status(host=name, phase=phase, says=says, files=kept).model_dump_json()
    raise AssertionError("it is followed to its end")


def status(run: str, dask_worker: Any = None) -> str:
    """How a run stands here: a Status as JSON; empty where nothing is known of it."""
    place = _place(run, dask_worker)
    with _own_files():
        return place.status().model_dump_json() if place.folder.is_dir() else ""


def stop(run: str, known: bool, dask_worker: Any = None) -> str:
    """The same; what was submitted until now ends. `known`: it was sent, and may not have begun."""
    place = _place(run, dask_worker)
    if not place.folder.is_dir() and not known:
        return ""
    with _own_files():
        return place.stop().model_dump_json()


def assignment(run: str, dask_worker: Any = None) -> str:
    """What this host was told to do in a run."""
    return _place(run, dask_worker).assignment().model_dump_json()


def piece(run: str, name: str, start: int, dask_worker: Any = None) -> bytes:
    """A part of a run file."""
    with _own_files():
        return _place(run, dask_worker).piece(name, start, MOST_AT_ONCE)


def collected(run: str, hashes: dict[str, str | None], dask_worker: Any = None) -> None:
    """The client has these run files: if that is all, `iogauge clean` may remove what is here."""
    with _own_files():
        _place(run, dask_worker).mark_collected(hashes)


@contextmanager
def _own_files() -> Iterator[None]:
    """Turn what goes wrong with the host's own files into UserError. Dask uses OSError for lost
    connections, and these must be told apart.
    """
    try:
        yield
    except OSError as error:
        raise UserError(cause(error)) from None


def _place(run: str, worker: Any) -> Place:
    """Raises UserError for what is no id: it is a part of a path."""
    if not re.fullmatch(RUN, run):
        raise UserError(f"{run}: not the id of a fleet run")
    return Place(hosts.of_worker(worker.name).name, run)


def _check(here: Here, assignment: Assignment) -> None:
    """Raises UserError for what this host must not carry out."""
    hosts.versions().must_be(assignment.versions)
    directory = here.directory(assignment.directory)
    if not directory.is_dir():
        raise UserError(f"--dir {directory}: no such directory on {here.name}; make it")
    if not assignment.ids:  # which raises UserError for what is no study
        raise UserError("a plan without a study; name one")


def _followed(place: Place, assignment: Assignment, here: Here) -> Iterator[Status]:
    """How the run stands, now and then, and at last how it ended."""
    told = 0.0
    while not (over := place.over(assignment)):
        if not place.is_alive:
            if place.over(assignment):  # it ended between the two looks
                continue
            if starts := place.starts(assignment):
                time.sleep(_PAUSE)
            if starts >= _STARTS:
                says = f"it ended {starts} times without a word; the last: {place.last_words()}"
                place.end(Ended(submitted=assignment.submitted, phase="failed", says=says))
                continue
            place.begin(assignment, here.variables)
        time.sleep(_LOOKS)
        if time.monotonic() >= told + _TELLS:
            told = time.monotonic()
            status = place.status()
            if not status.over:  # what is over may be an earlier submission
                yield status
    yield over


def _is_leaving(worker: Any) -> bool:
    """Whether the worker is about to end, as where it lost its scheduler."""
    return worker.status.name not in ("running", "paused", "init")
