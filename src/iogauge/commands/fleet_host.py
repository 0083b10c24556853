"""Commands on the hosts of a fleet: its scheduler, its workers, and what carries out a plan."""

from __future__ import annotations

import os
import platform
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from iogauge.commands import arguments as arg
from iogauge.commands import fleet, gating, measuring
from iogauge.commands import fleet_arguments as fleet_arg
from iogauge.commands.exits import DONE, INTERRUPTED, SOMETHING_FAILED
from iogauge.commands.options import recorded
from iogauge.commands.output import say
from iogauge.commands.statuses import JUDGE
from iogauge.fleet import here as hosts
from iogauge.fleet.assignment import Assignment, Status
from iogauge.fleet.here import Here
from iogauge.fleet.place import Ended, Place
from iogauge.host import alone, named
from iogauge.host.alone import Lock
from iogauge.measuring import session
from iogauge.measuring.bench import Progress
from iogauge.model import folders
from iogauge.model.errors import BrokenOff, UserError, cause
from iogauge.runfile import reading
from iogauge.runfile.run import Run

_TOLD = 3.0  # seconds between words on how it goes


def scheduler(given: fleet_arg.Scheduler) -> int:
    with fleet.needed():
        from iogauge.fleet import serving

        if not 0 < given.port < 1 << 16:
            raise UserError(f"--port {given.port}: 1 to 65535")
        serving.schedule(given.host, given.port, given.certs, say)
    return DONE


def worker(given: fleet_arg.Worker) -> int:
    with fleet.needed():
        from iogauge.fleet import serving

        name = platform.node() if given.name is None else given.name
        name = named.checked(name, "--name")
        told = named.here().labels if given.label is None else None
        labels = told or named.labels(given.label or (), "--label")
        if "" in (given.directories or ()):
            raise UserError("--dir: name a folder, or leave it out")
        directories = tuple(Path(each).absolute() for each in given.directories or ())
        for each in directories:
            if os.pathsep in str(each):
                raise UserError(f"--dir {each}: no '{os.pathsep}' in it, please; name another")
            session.data_folder(each)
        if given.turns:
            alone.must_be_a_lock(given.turns, "--turns")
        _must_be_writable(folders.fleet() / name)
        here = Here(name, labels, directories, given.turns and given.turns.absolute())
        os.environ.update(here.variables)
        serving.work(given.address, here, given.certs, say)
    return DONE


def _must_be_writable(folder: Path) -> None:
    """Raises UserError where no plan could be carried out."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{cause(error)}; have the folder writable") from None
    if not os.access(folder, os.W_OK):
        raise UserError(f"{folder}: may not be written; have the folder writable")


def carry_out(given: fleet_arg.CarryOut) -> int:
    """Carry out the plan in a folder, and say there how it ended. A process that is killed says
    nothing: its worker starts another one, which goes on.
    """
    place = Place(given.folder.parent.name, given.folder.name)
    if place.folder.resolve() != given.folder.resolve():
        raise UserError(f"{given.folder}: not the folder of a plan that a worker was given")
    place.enter()
    assignment = place.assignment()
    place.keep_room()
    try:
        phase, says, status = "done", "", _Carrying(place, assignment).all_studies()
    except KeyboardInterrupt:
        if not place.is_stopped(assignment):
            return INTERRUPTED
        phase, says, status = "stopped", "", INTERRUPTED
    except (UserError, OSError) as error:
        says = cause(error) if isinstance(error, OSError) else str(error)
        if isinstance(error, BrokenOff):
            says = error.why  # where the rest is the client knows better
        says = says.replace(f"{place.folder}/", "")  # whoever asks knows the study by its name
        phase, status = "failed" if place.kept() else "refused", SOMETHING_FAILED
        say(f"iogauge: {says}")
    ended = {"submitted": assignment.submitted, "phase": phase, "says": says, "exit": status}
    place.end(Ended.model_validate(ended))
    return status


class _Carrying:
    """An assignment while it is carried out."""

    def __init__(self, place: Place, assignment: Assignment):
        self._place, self._assignment = place, assignment
        self._status = Status(host=place.host, phase="preparing")
        self._told = 0.0

    def all_studies(self) -> int:
        """The worst exit status of them. Raises UserError, and KeyboardInterrupt."""
        hosts.versions().must_be(self._assignment.versions)  # another one may be installed by now
        here = hosts.of_worker(self._place.host)
        directory = here.directory(self._assignment.directory)
        locks = alone.of_host(here.name, directory)
        locks += [Lock(here.turns, "its turn")] if here.turns else []
        self._may_be_stopped()
        with alone.held(locks, self._assignment.run, self._waits):
            ids = self._assignment.ids
            return gating.worst([self._one_study(each, directory) for each in ids])

    def _may_be_stopped(self) -> None:
        """A signal may have come while nothing could be stopped."""
        if self._place.is_stopped(self._assignment):
            raise KeyboardInterrupt

    def _waits(self, lock: Lock, by: str) -> None:
        self._may_be_stopped()
        whose = "another host of this run" if by == self._assignment.run else by or "another run"
        says = f"for {lock.of}: {whose} is measured there"
        self._tell(phase="waiting", says=says)

    def _one_study(self, study: str, directory: Path) -> int:
        self._may_be_stopped()
        self._tell(phase="preparing", study=study, says="", at_once=True)
        path = self._place.folder / f"{study}.jsonl"
        given = _as_given(self._assignment, self._place.folder / f"{study}.toml", directory)
        run, lacks = _begun(path), path.with_suffix(".lacks")
        if run is None:
            # All pairs of all hosts and studies are one family.
            runs = self._assignment.hosts * len(self._assignment.studies)
            gate = replace(gating.asked(given), runs=runs)
            _, (prepared,) = measuring.prepare(given, gate, directory)
            if prepared.lacks_cases:
                lacks.touch()  # also for another process, which goes on
            fresh, extends = given.fresh_limits, given.budget is None
            run, _, reason = session.measure(
                prepared,
                directory,
                path,
                recorded(given),
                self._show(len(prepared.plan.groups), prepared.plan.budget),
                JUDGE,
                fresh_limits=fresh,
                extends=extends,
            )
        elif not run.complete:
            same = measuring.same_runtimes(path, given.runtime)
            show = self._show(len(run.plan.groups), run.plan.budget)
            run, _, reason = session.resume(path, None, same, directory, show, JUDGE)
        else:
            reason = "decided"
        if reason == "interrupted":
            raise KeyboardInterrupt
        measuring.seal([path])
        # Where two versions are gated, their table tells what fails.
        gated = run.plan.versions and run.plan.versions.max_slowdown is not None
        fails = bool(run.failed()) and not gated
        return SOMETHING_FAILED if fails or lacks.exists() else DONE

    def _show(self, groups: int, budget: float) -> Any:
        def show(progress: Progress) -> None:
            decided = sum(each.done for each in progress.decisions.values())
            self._tell(
                phase="measuring",
                says="",
                replicates=progress.replicates,
                decided=decided,
                groups=groups,
                seconds=progress.elapsed,
                budget=budget,
            )

        return show

    def _tell(self, *, at_once: bool = False, **what: object) -> None:
        """Between samples only: measuring calls this. A full disk is no reason to end."""
        changes = what.get("phase", self._status.phase) != self._status.phase
        now = time.monotonic()
        self._status = self._status.model_copy(update=what)
        if at_once or changes or now >= self._told + _TOLD:
            self._told = now
            with suppress(OSError):
                self._place.tell(self._status)


def _begun(path: Path) -> Run | None:
    """The run of an earlier process, if it got so far; what has no whole header is removed."""
    if not path.exists():
        return None
    with path.open("rb") as file:
        if file.readline().endswith(b"\n"):
            return reading.read(path)
    path.unlink()
    return None


def _as_given(assignment: Assignment, study: Path, directory: Path) -> arg.Run:
    """The command line of the same run on this machine. Raises UserError."""
    allowed = {*arg.PlanOptions.fields, *fleet.SENT}
    if unknown := assignment.options.keys() - allowed:
        raise UserError(f"not a plan of a fleet: options: {', '.join(sorted(unknown))}")
    given: dict[str, Any] = dict(assignment.options)
    return arg.Run(**given, studies=[str(study)], directories=[str(directory)])
