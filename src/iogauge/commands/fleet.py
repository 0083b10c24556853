"""Commands of whoever asks a fleet: run a plan on its hosts, fetch the results, stop them."""

from __future__ import annotations

import datetime
import secrets
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iogauge import outputs
from iogauge.commands import arguments as arg
from iogauge.commands import fleet_arguments as fleet_arg
from iogauge.commands import gating, measuring
from iogauge.commands.exits import BAD_INPUT, DONE, INTERRUPTED, SOMETHING_FAILED
from iogauge.commands.gating import Gate
from iogauge.commands.options import parsed, planned
from iogauge.commands.output import console, print_json, print_rows, program, say
from iogauge.fleet import record
from iogauge.fleet.assignment import ANY_RUN, NO_WORKER, Assignment, Status, StudyText
from iogauge.fleet.record import FleetRun, HostRecord
from iogauge.host import named
from iogauge.model import folders
from iogauge.model.errors import UserError, cause
from iogauge.model.text import shell_path, shell_word, visible
from iogauge.model.units import counted, parse_duration
from iogauge.outputs import host_words
from iogauge.outputs.fleet import FleetDisplay, summary
from iogauge.study import loading

if TYPE_CHECKING:
    from iogauge.fleet.connection import Answer, Connection, Host
    from iogauge.fleet.following import Followed
    from iogauge.fleet.worker_side import About

_PATIENCE = 600.0  # seconds that hosts without a worker are awaited, if nobody says
SENT = ("fresh_limits", "max_slowdown")
"""Options of `iogauge run` that hosts are told, beside those of a plan."""
_NOT_SENT = {
    "own": "code of yours does not travel; put it on a host, and measure there",
    "own_flags": "code of yours does not travel",
    "own_path": "code of yours does not travel",
    "limit": "code of yours does not travel",
    "profile": "iogauge show --profile has it of each run file",
}
_TRIES = 5  # to fetch the files of a host whose worker goes away
_RARELY = 20  # times as long as the record takes to write, from one time to the next
_NEEDED = "distributed and cryptography are not here; pip install 'iogauge[fleet]'"


@contextmanager
def needed() -> Iterator[None]:
    """Raises UserError where the extra is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("dask", "distributed", "cryptography"):
            raise UserError(f"fleet: {_NEEDED}") from None
        raise


def run(given: arg.Run) -> int:
    """Measure studies on the hosts of a fleet, or go on with what was begun there."""
    with needed():
        _must_be_for_a_fleet(given)
        gate = gating.asked(given, given.resume)
        folder, begun = _resumed(given) if given.resume else (None, None)
        if begun is None:
            measuring.must_be_possible(given, gate)
            planned(given)
        connection = _connected(str(given.on), given.certs)
        try:
            hosts = _chosen(connection, given.hosts, list(begun.hosts) if begun else None)
            about = _alike(connection, hosts, begun.run if begun else ANY_RUN)
            if begun is None or folder is None:
                begun, sent = _begun(given, about), list(about)
            else:
                begun, sent = _again(begun, about, given.hosts)
            connection.listen(begun.run)
            folder = folder or _made_folder(given.out, begun.run)
            return _follow(connection, folder, begun, sent, given, gate)
        finally:
            connection.close()


def _must_be_for_a_fleet(given: arg.Run) -> None:
    for name, why in _NOT_SENT.items():
        if getattr(given, name):
            raise UserError(f"{given.fields[name].option} with --on: {why}")
    if given.at_a_time is not None and given.at_a_time < 1:
        raise UserError("--at-a-time: at least 1")
    _patience(given)  # refused before anything is sent
    if given.resume and measuring.changes_a_run(given):
        raise UserError("--resume takes the options of the run; leave out --only and the like")
    if given.resume and given.budget:
        raise UserError(
            "--budget: a fleet run keeps the one that it was sent with; for more time resume the "
            "run file of a host there, or measure anew"
        )
    if given.resume and given.out:
        raise UserError("--resume writes into the folder of the run; leave out --out")
    if given.out and given.out.exists():
        raise UserError(f"--out {given.out}: exists already; give the name of a new folder")


def _patience(given: arg.Run) -> float:
    """Seconds that hosts without a worker are awaited."""
    asked = parsed("--patience", parse_duration, given.patience)
    return _PATIENCE if asked is None else asked


def _connected(address: str, certificates: Path | None) -> Connection:
    from iogauge.fleet.connection import Connection

    if not address:
        raise UserError("--on: give the address of the scheduler, e.g. tls://10.0.0.1:8786")
    return Connection(address, certificates)


def _resumed(given: arg.Run) -> tuple[Path, FleetRun]:
    assert given.resume
    folder = folders.fleet_run(given.resume)
    if folder is None:
        raise UserError(f"--resume {given.resume}: no fleet run of that id; name it or its folder")
    return folder, record.read(folder)


def _chosen(
    connection: Connection, asked: Sequence[str] | None, known: Sequence[str] | None
) -> dict[str, Host]:
    """The hosts to measure on: those that are asked for, else those of the run, else all."""
    there = connection.hosts()
    names = [name.strip() for each in asked or () for name in each.split(",")]
    names = list(dict.fromkeys(filter(None, names)))
    if asked and not names:
        raise UserError("--hosts: name a host, or leave it out for all")
    if unknown := [each for each in names if each not in there]:
        raise UserError(
            f"--hosts {','.join(unknown)}: no worker of that name is there; there are: "
            f"{', '.join(there) or 'none'}"
        )
    wanted = names or [each for each in known or there if each in there]
    if not wanted:
        if known and there:
            raise UserError(
                f"{connection.address}: none of the hosts of this run is there; there are: "
                f"{host_words.names(there)}"
            )
        raise UserError(
            f"{connection.address}: no host is there; start one with iogauge fleet worker "
            f"{connection.address}"
        )
    return {name: there[name] for name in wanted}


def _alike(connection: Connection, hosts: Mapping[str, Host], run: str) -> dict[str, About]:
    """What the hosts say of themselves. Raises UserError, with a line for each host that has other
    versions than this machine, or cannot be used.
    """
    from iogauge.fleet import here

    ours, found, refused = here.versions(), dict[str, Any](), []
    for name, told in connection.about(hosts.values(), run).items():
        if isinstance(told, str):
            refused.append(f"{name}: {told}")
        elif unlike := told.versions.unlike(ours):
            refused.append(f"{name}: {'; '.join(unlike)}; install the same there")
        else:
            found[name] = told
    for each in refused[:-1]:
        say(f"iogauge: {each}")
    if refused:
        raise UserError(refused[-1])
    return found


def _begun(given: arg.Run, about: Mapping[str, About]) -> FleetRun:
    """A new fleet run: the same plan for all hosts, with one seed."""
    from iogauge.fleet import here

    started = datetime.datetime.now(datetime.UTC)
    studies = []
    for name in given.asked:
        where, study = name if name.endswith(".toml") else f"{name}.toml", loading.load(name)
        loading.must_not_be_own(study, where)
        studies.append(StudyText(name=Path(where).name, text=study.text))
    run = f"fleet-{started:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    places = _directories(given.directories or (), about)
    options = {
        name: getattr(given, name)
        for name in (*arg.PlanOptions.fields, *SENT)
        if getattr(given, name)
    }
    options["seed"] = planned(given).seed
    assignments = {
        name: Assignment(
            versions=here.versions(),
            run=run,
            host=name,
            submitted=each.now,
            hosts=len(about),
            directory=places.get(name),
            studies=tuple(studies),
            options=options,
        )
        for name, each in about.items()
    }
    return FleetRun(
        run=run,
        started=started.isoformat(timespec="seconds"),
        hosts={
            name: HostRecord(assignment=each, status=Status(host=name, phase="sent"))
            for name, each in assignments.items()
        },
    )


def _directories(given: Sequence[str], about: Mapping[str, About]) -> dict[str, str]:
    """Where the data files of each host go, where that is said."""
    found, others = dict[str, str](), None
    for each in given:
        name, sign, path = each.partition("=")
        if not sign or "/" in name:
            if others:
                raise UserError(f"--dir {each}: {others} is for all hosts already; write NAME=PATH")
            others = each
            continue
        if named.checked(name, "--dir") not in about:
            raise UserError(f"--dir {each}: no such host; there are: {', '.join(about)}")
        if not path:
            raise UserError(f"--dir {each}: write NAME=PATH")
        if name in found:
            raise UserError(f"--dir {each}: {found[name]} is for {name} already; leave one out")
        found[name] = path
    if others:
        found = dict.fromkeys(about, others) | found
    return found


def _again(
    begun: FleetRun, about: Mapping[str, About], asked: Sequence[str] | None
) -> tuple[FleetRun, list[str]]:
    """The run as a new submission, and to which hosts: those that are asked for, or all of it. One
    that is done says so, one that is away now gets it when it is back.
    """
    from iogauge.fleet import here

    changed = {}
    for name, each in begun.hosts.items():
        if not each.whole and (name in about or not asked):
            # One that is away is asked for its clock when it is back.
            submitted = about[name].now if name in about else ""
            again = {"submitted": submitted, "versions": here.versions()}
            changed[name] = each.model_copy(
                update={
                    "assignment": each.assignment.model_copy(update=again),
                    "status": Status(host=name, phase="sent"),
                }
            )
    if others := [name for name in about if asked and name not in begun.hosts]:
        raise UserError(f"--hosts {','.join(others)}: not of {begun.run}; it has: {_names(begun)}")
    if not changed:
        raise UserError(f"{begun.run}: nothing is left to measure on these hosts")
    return begun.model_copy(update={"hosts": {**begun.hosts, **changed}}), list(changed)


def _names(begun: FleetRun) -> str:
    return ", ".join(begun.hosts)


def _made_folder(out: Path | None, run: str) -> Path:
    folder = out or folders.runs() / run
    try:
        folder.mkdir(parents=out is None)
    except OSError as error:
        raise UserError(f"--out {cause(error)}; give another") from None
    return folder


class _Kept:
    """The record of a fleet run. It is written when hosts have ended, but not so often that this
    takes long: that of many hosts is large.
    """

    def __init__(self, folder: Path, run: FleetRun):
        self.folder, self.run = folder, run
        self._gone = Counter[str]()
        self.write()

    def ended(self, connection: Connection, host: Host, status: Status) -> bool:
        """Fetch the run files of a host; what cannot be fetched now can be later. False where its
        worker went away meanwhile, unless that happens again and again: another one may come.
        Raises Lost.
        """
        from iogauge.fleet.connection import Gone, Lost

        files, all_here = dict(self.run.hosts[host.name].files), True
        for each in status.files:
            study = each.name.removesuffix(".jsonl")
            name = record.file_name(host.name, study)
            try:
                connection.collect(self.run.run, host, each, self.folder / name)
            except Lost:
                raise
            except UserError as error:
                self._gone[host.name] += isinstance(error, Gone)
                if isinstance(error, Gone) and self._gone[host.name] < _TRIES:
                    return False
                say(str(error))
                all_here = False
                continue
            files[study] = name
        whole = all_here and status.phase == "done"
        self.update(host.name, status=status, files=files, whole=whole)
        if all_here and status.over:
            connection.collected(self.run.run, host, status.files)
        return True

    def update(self, name: str, **what: object) -> None:
        changed = self.run.hosts[name].model_copy(update=what)
        self.run = self.run.model_copy(update={"hosts": {**self.run.hosts, name: changed}})
        if time.monotonic() >= self._due:
            self.write()

    def write(self) -> None:
        began = time.monotonic()
        record.write(self.folder, self.run)
        now = time.monotonic()
        self._due = now + _RARELY * (now - began)


def _follow(
    connection: Connection,
    folder: Path,
    begun: FleetRun,
    to: Sequence[str],
    given: arg.Run,
    gate: Gate,
) -> int:
    """Send it to these hosts, and follow it."""
    from iogauge.fleet.following import Follower

    kept, address = _Kept(folder, begun), str(given.on)
    say(f"{begun.run}: sent to {counted(len(to), 'host')}")
    patience = _patience(given)
    sent = {name: begun.hosts[name].assignment for name in to}
    with FleetDisplay(begun.run) as display:
        follower = Follower(
            partial(_connected, address, given.certs),
            sent,
            display,
            kept.ended,
            patience=patience,
            at_a_time=given.at_a_time,
        )
        try:
            followed = follower.follow(connection)
        except KeyboardInterrupt:
            _keep(kept, follower.followed)
            display.close()
            _say_how_to_go_on(begun.run, address, given.certs)
            _say_what_was_not_sent(begun.run, follower.unsent, given)
            return INTERRUPTED
    _keep(kept, followed)
    return finish(kept.run, folder, address, given.certs, gate)


def _keep(kept: _Kept, followed: Followed) -> None:
    """What is known of the hosts that have not ended."""
    for name in followed.open:
        kept.update(name, status=followed.statuses[name])
    kept.write()


def _say_how_to_go_on(run: str, address: str, certs: Path | None) -> None:
    on = _on(address, certs)
    say("\nthe hosts go on; to fetch what they measure, or to stop them:")
    say(f"{program()} fleet collect {run} {on}\n{program()} fleet stop {run} {on}")


def _say_what_was_not_sent(run: str, hosts: Sequence[str], given: arg.Run) -> None:
    """Hosts whose turn, or whose worker, did not come before the client left."""
    if hosts:
        turns = f" --at-a-time {given.at_a_time}" if given.at_a_time else ""
        say(f"not sent yet to {host_words.names(hosts)}; to go on with all that is left:")
        say(f"{program()} run --resume {run} {_on(str(given.on), given.certs)}{turns}")


def _on(address: str, certs: Path | None) -> str:
    return f"--on {shell_word(address)}" + (f" --certs {shell_path(certs)}" if certs else "")


def finish(
    run: FleetRun, folder: Path, address: str, certs: Path | None, gate: Gate | None = None
) -> int:
    """Print how each host stands, and the commands that look further; the exit status, to which
    belongs what is said of two versions.
    """
    files = run.files(folder)
    if not files and all(each.status.phase == "refused" for each in run.hosts.values()):
        return _refused(run, folder)
    differences = None
    if files:
        from iogauge.commands import over_hosts

        if over := over_hosts.document([folder]):
            console().print(outputs.renderer("hosts")(over))
            differences = over.versions
        print(f"\n{program()} report {shell_path(folder)}  # one page over all hosts")
    else:
        for line in summary(run):
            console().print(line)
    print(f"fleet run: {visible(str(folder))}")
    again = f"{program()} run --resume {run.run} {_on(address, certs)}"
    if run.is_open:
        _say_how_to_go_on(run.run, address, certs)
        if any(each.status.phase == "missing" for each in run.hosts.values()):
            say(f"to send it again to hosts that are missing:\n{again}")
    elif run.lacks:
        say(f"\nto measure what is missing:\n{again}")
    exits = [each.status.exit or DONE for each in run.hosts.values() if each.whole]
    status = gating.worst([*exits, SOMETHING_FAILED if run.lacks else DONE])
    return gating.finish(differences, gate or Gate(), status)


def _refused(run: FleetRun, folder: Path) -> int:
    """No host measures anything: a line for each reason, and nothing is left behind."""
    reasons: dict[str, list[str]] = {}
    for name, each in run.hosts.items():
        reasons.setdefault(each.status.says, []).append(name)
    for why, names in reasons.items():
        say(f"iogauge: {host_words.names(names)}: {why}")
    record.remove(folder)
    return BAD_INPUT


def collect(given: fleet_arg.Collect) -> int:
    """Fetch run files of a fleet run: of one that this machine began, or of another one's."""
    with needed():
        folder = folders.fleet_run(given.run)
        if folder and given.out and folder.resolve() != given.out.resolve():
            raise UserError(f"--out: {given.run} is kept in {folder}; leave out --out")
        run = record.read(folder).run if folder else given.run.name
        connection = _connected(given.on, given.certs)
        try:
            hosts = connection.hosts()
            found, failed = _apart(connection.status(run, hosts.values()))
            known = record.read(folder) if folder else None
            begun = _with_those(known, run, found, connection, hosts)
            folder = folder or _made_folder(given.out, run)
            kept = _Kept(folder, begun)
            try:
                for name, status in found.items():
                    if name in begun.hosts and not kept.ended(connection, hosts[name], status):
                        says = "its worker went away; collect it again"
                        kept.update(name, status=status.model_copy(update={"says": says}))
                for name, each in begun.hosts.items():
                    if name not in found and not each.whole and not each.status.over:
                        says = failed.get(name, "not begun") if name in hosts else NO_WORKER
                        status = each.status.model_copy(update={"phase": "missing", "says": says})
                        kept.update(name, status=status)
            finally:
                kept.write()
        finally:
            connection.close()
    return finish(kept.run, folder, given.on, given.certs)


def _apart(answers: Mapping[str, Answer]) -> tuple[dict[str, Status], dict[str, str]]:
    """How a run stands where it is known, and why it is not known on others, by host."""
    found = {name: each for name, each in answers.items() if isinstance(each, Status)}
    failed = {name: str(each) for name, each in answers.items() if isinstance(each, UserError)}
    return found, failed


def _with_those(
    begun: FleetRun | None,
    run: str,
    found: Mapping[str, Status],
    connection: Connection,
    hosts: Mapping[str, Host],
) -> FleetRun:
    """The record of a run with all hosts that know it, which another machine may have sent it to.
    Raises UserError where no host knows it.
    """
    if begun is None and not found:
        raise UserError(
            f"{run}: none of the hosts that are there knows this fleet run; give the id that "
            "iogauge run printed"
        )
    records = dict(begun.hosts) if begun else {}
    for name, status in found.items():
        if name in records:
            continue
        try:
            told = connection.assignment(run, hosts[name])
        except UserError as error:  # it was stopped or refused before it began, or had no room
            say(f"{name}: {status.says}" if status.says else str(error))
            continue
        records[name] = HostRecord(assignment=told, status=status)
    if not records:
        raise UserError(f"{run}: no host knows what it was told to do; measure anew")
    if begun:
        return begun.model_copy(update={"hosts": records})
    first = min(each.assignment.submitted for each in records.values())
    return FleetRun(run=run, started=first, hosts=records)


def stop(given: fleet_arg.Stop) -> int:
    """End a run on hosts: what was begun, and what waits for another run there."""
    with needed():
        folder = folders.fleet_run(given.run)
        begun = record.read(folder) if folder else None
        run = begun.run if begun else given.run.name
        connection = _connected(given.on, given.certs)
        try:
            hosts = _chosen(connection, given.hosts, list(begun.hosts) if begun else None)
            sent = [each for each in hosts.values() if begun and _may_go_on(begun, each.name)]
            others = [each for each in hosts.values() if each not in sent]
            answers = connection.stop(run, sent, known=True)
            answers |= connection.stop(run, others, known=False)
        finally:
            connection.close()
    known, failed = _apart(answers)
    if begun and not given.hosts:
        away = (name for name in begun.hosts if _may_go_on(begun, name) and name not in hosts)
        failed |= dict.fromkeys(away, NO_WORKER)
    if not known and not failed:
        raise UserError(
            f"{run}: none of these hosts knows this fleet run; one that has not begun is stopped "
            "from the machine that sent it"
        )
    rows = {name: each.phase if each.over else "ends now" for name, each in known.items()}
    rows |= {name: f"not stopped: {why}" for name, why in failed.items()}
    print_rows(sorted(rows.items()))
    return SOMETHING_FAILED if failed else DONE


def _may_go_on(begun: FleetRun, host: str) -> bool:
    """Whether a host, as far as we know, carries the run out, or will."""
    known = begun.hosts.get(host)
    return known is not None and not known.whole and not known.status.over


def hosts(given: fleet_arg.Hosts) -> int:
    with needed():
        connection = _connected(given.on, given.certs)
        try:
            about = connection.about(connection.hosts().values())
        finally:
            connection.close()
    if given.as_json:
        print_json(
            {
                name: {"problem": told} if isinstance(told, str) else told.model_dump()
                for name, told in about.items()
            }
        )
        return DONE
    if not about:
        say(f"no host is there; start one with iogauge fleet worker {given.on}")
    print_rows(
        (name, told if isinstance(told, str) else _labels(told)) for name, told in about.items()
    )
    return DONE


def _labels(about: About) -> str:
    shown = [f"{key}={value}" for key, value in about.labels.items()]
    return " ".join([*shown, *(f"--dir {each}" for each in about.directories)])
