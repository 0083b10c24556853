"""What each host of a fleet needs, as commands through ssh: printed, or carried out."""

from __future__ import annotations

import platform
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from iogauge import __version__
from iogauge.commands import fleet_arguments as fleet_arg
from iogauge.commands.exits import DONE, SOMETHING_FAILED
from iogauge.commands.fleet import needed
from iogauge.commands.options import one_of
from iogauge.commands.output import program, say
from iogauge.fleet import certificates, units
from iogauge.fleet.units import Worker
from iogauge.host import named
from iogauge.model.errors import UserError
from iogauge.model.text import shell_path, shell_word

_LONGEST = 900  # seconds that one step on a host may take
_CONNECT = 20  # seconds until a host that does not answer is given up
_NO_CONNECTION = 255  # ssh's own exit status
_NOT_FOUND = 127  # that of a shell, for a program that is not there
_OTHER_PYTHON, _IS_MEASURED = 3, 4  # exit statuses of what runs on a host
_OURS = f"{sys.version_info[0]}.{sys.version_info[1]} on {platform.machine()}"
_PROBE = f"""\
import platform, sys
found = "%d.%d on %s" % (sys.version_info[0], sys.version_info[1], platform.machine())
if found != "{_OURS}":
    sys.stderr.write("it is Python " + found)
    sys.exit({_OTHER_PYTHON})
import ensurepip, venv
"""
_MEASURED = 'from iogauge.fleet.place import measured; print(measured("{name}") or "")'
_HAS_SYSTEMD = "systemctl --user show-environment >/dev/null 2>&1"
Starter = Literal["systemd", "loop"]


class _Step(NamedTuple):
    """A command for a host. Its standard input is a text, or the names of a folder as an archive.
    `next` says what the user can do, by its exit status.
    """

    words: Sequence[str]
    input: str = ""
    folder: Path | None = None
    names: Sequence[str] = ()
    next: Mapping[int, str] = {}

    @property
    def archive(self) -> list[str]:
        return ["tar", "-C", str(self.folder), "-cf", "-", *self.names]

    @property
    def line(self) -> str:
        """As a shell takes it."""
        line = " ".join(map(shell_word, self.words))
        if self.folder:
            return f"{' '.join(map(shell_word, self.archive))} | {line}"
        return f"{line} <<'END'\n{self.input}END" if self.input else line


class _Host(NamedTuple):
    """A host that is to be prepared: its name, and where ssh finds it."""

    name: str
    at: str
    labels: Sequence[str]
    directories: Sequence[str]

    @property
    def shown(self) -> str:
        return f"{self.name} ({self.at})"


class _Failed(Exception):
    """A step did not do what it should: what is wrong, and what to do next."""


def prepare(given: fleet_arg.Prepare) -> int:
    """Print, or carry out, what each host needs."""
    kind = one_of("--unit", given.unit, ("auto", "systemd", "loop"))
    must_be_an_address(given.on)
    hosts = list(_hosts(given))
    folder = given.certs or certificates.usual()
    if certificates.must_encrypt(given.on):
        with needed():
            certificates.security(given.on, "worker", folder)
    if given.wheel and not given.wheel.is_file():
        raise UserError(f"--wheel {given.wheel}: no such file")
    steps = [partial(_steps, given, each, folder) for each in hosts]
    if not given.ssh:
        _print(given, kind, hosts, steps)
        return DONE
    try:
        if not _has_wheels(given):
            say(f"wheels into {shell_path(given.wheels)}")
            _carry_out(_fetching(given))
    except _Failed as error:
        say(f"wheels: {error}")
        with suppress(OSError):  # somebody's wheels are in it
            given.wheels.rmdir()
        return SOMETHING_FAILED
    failed = [
        host.name
        for host, of in zip(hosts, steps, strict=True)
        if not _prepared(host, of, kind, _ssh(given, host))
    ]
    if failed:
        say(f"not prepared: {', '.join(failed)}")
    return SOMETHING_FAILED if failed else DONE


def must_be_an_address(address: str) -> None:
    if not address:
        raise UserError("--on: give the address of the scheduler, e.g. tls://10.0.0.1:8786")
    certificates.must_encrypt(address)


def _print(given: fleet_arg.Prepare, kind: str, hosts: Sequence[_Host], steps: Sequence) -> None:
    print(f"# wheels for all hosts, once\n{_fetching(given).line}")
    for host, of in zip(hosts, steps, strict=True):
        print(f"\n# {host.name}")
        print("\n".join(step.line for step in of("loop" if kind == "loop" else "systemd")))
    if kind == "auto":
        say("\nthis takes systemd's units of users; for hosts without them: --unit loop")
    say(f"\nto carry this out: {program()} fleet prepare … --ssh")


def _hosts(given: fleet_arg.Prepare) -> Iterator[_Host]:
    labels, places = _by_host(given.label, ":"), _by_host(given.directories, "=")
    seen = set[str]()
    for each in given.hosts:
        name, sign, at = each.partition("=")
        if not sign or not at:
            raise UserError(f"{each}: write NAME=[USER@]HOST, e.g. web-1=10.0.0.11")
        if at.startswith("-"):
            raise UserError(f"{each}: {at} is no host")
        if named.checked(name, "NAME") in seen:
            raise UserError(f"{each}: another host has this name; give it one of its own")
        seen.add(name)
        own = labels.pop(name, [])
        named.labels(own, "--label")
        yield _Host(name, at, own, places.pop(name, []))
    for option, left in (("--label", labels), ("--dir", places)):
        if left:
            raise UserError(
                f"{option} {next(iter(left))}: no such host; there are: {', '.join(seen)}"
            )


def _by_host(given: Sequence[str] | None, sign: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for each in given or ():
        name, _, value = each.partition(sign)
        found.setdefault(name, []).append(value)
    return found


# Wheels.


def _has_wheels(given: fleet_arg.Prepare) -> bool:
    """Whether the folder has ours; then what it needs is beside it."""
    if given.wheel:
        kept = given.wheels / given.wheel.name
        return kept.is_file() and kept.read_bytes() == given.wheel.read_bytes()
    return any(given.wheels.glob(f"iogauge-{__version__}-*.whl"))


def _fetching(given: fleet_arg.Prepare) -> _Step:
    """All wheels that a host needs, so that none needs a network, and all have the same ones."""
    what = f"iogauge[fleet]=={__version__}"
    if given.wheel:
        what = f"iogauge[fleet] @ {given.wheel.resolve().as_uri()}"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    words = [*pip, "wheel", "--quiet", "--wheel-dir", str(given.wheels), what]
    return _Step(words, next={1: "name a wheel of iogauge with --wheel, or fill --wheels yourself"})


# Steps.


def _ssh(given: fleet_arg.Prepare, host: _Host) -> list[str]:
    """The user's words come first: ssh takes the first of each option."""
    own = ["-o", "BatchMode=yes", "-o", f"ConnectTimeout={_CONNECT}"]
    return ["ssh", *(given.ssh_option or ()), *own, host.at]


def _steps(
    given: fleet_arg.Prepare, host: _Host, folder: Path, starter: Starter
) -> Iterator[_Step]:
    """Nothing but ssh is needed here, and nothing but a shell, tar and Python there."""
    ssh, place = _ssh(given, host), shlex.quote(f"{given.into}/{host.name}")
    yield _probing(given, ssh)
    measured = _MEASURED.format(name=host.name)
    guard = _GUARD.format(place=place, measured=measured, is_measured=_IS_MEASURED)
    wait = "prepare it when that is done, or end that with iogauge fleet stop"
    yield _Step([*ssh, "sh -e"], guard + _ROOM.format(place=place), next={_IS_MEASURED: wait})
    into = f"tar -xof - -C {place}"
    yield _Step([*ssh, f"{into}/wheels"], folder=given.wheels, names=["."])
    if certificates.must_encrypt(given.on):
        names = certificates.needed("worker")
        yield _Step([*ssh, f"{into}/certs"], folder=folder, names=names)
    install = _INSTALL.format(
        python=shlex.quote(given.python), place=place, what=f"'iogauge[fleet]=={__version__}'"
    )
    yield _Step([*ssh, "sh -e"], guard + install, next={_IS_MEASURED: wait})
    yield from _starting(given, host, starter)


def _probing(given: fleet_arg.Prepare, ssh: Sequence[str]) -> _Step:
    other = f"name Python {_OURS} with --python, as here: that is what the wheels are for"
    return _Step(
        [*ssh, f"{shlex.quote(given.python)} -"],
        _PROBE,
        next={
            1: "install its venv module there (Debian: apt-get install python3-venv)",
            _OTHER_PYTHON: other,
            _NOT_FOUND: f"install Python {_OURS} there, or name it with --python",
        },
    )


# Nothing is replaced under what measures.
_GUARD = """\
run=$({place}/bin/python -c '{measured}' 2>/dev/null) || run=
if [ -n "$run" ]; then
    echo "$run is carried out there" >&2
    exit {is_measured}
fi
"""
# A loop of an earlier time ends, and its worker with it.
_ROOM = """\
if loop=$(cat {place}/worker.pid 2>/dev/null) && grep -qs worker.sh "/proc/$loop/cmdline"; then
    kill "$loop"
fi
rm -rf {place}/wheels {place}/worker.pid
mkdir -p {place}/wheels {place}/certs
chmod 700 {place}/certs
"""
_INSTALL = """\
{python} -m venv {place} </dev/null
{place}/bin/python -m pip --disable-pip-version-check install --quiet --no-index \\
  --find-links {place}/wheels --force-reinstall {what} </dev/null
"""
_START_LOOP = """\
systemctl --user disable --now {unit} >/dev/null 2>&1 || true
nohup sh {place}/worker.sh >{place}/worker.log 2>&1 </dev/null &
echo $! >{place}/worker.pid
"""
_START_UNIT = """\
systemctl --user daemon-reload
systemctl --user enable {unit}
systemctl --user restart {unit}
"""
_LINGER = 'loginctl enable-linger "$(id -un)"'


def _starting(given: fleet_arg.Prepare, host: _Host, starter: Starter) -> Iterator[_Step]:
    """The unit that starts the worker, and its first start."""
    ssh, into = _ssh(given, host), f"{given.into}/{host.name}"
    place = shlex.quote(into)
    quoted = units.quoting(starter)
    home = "" if into.startswith("/") else "%h/" if starter == "systemd" else '"$HOME"/'

    def there(name: str) -> str:
        """`%h` and `$HOME` are no part of what is quoted."""
        word = quoted(f"{into}/{name}")
        return f'"%h/{word[1:]}' if home == "%h/" and word[0] == '"' else home + word

    certs = there("certs") if certificates.must_encrypt(given.on) else None
    worker = Worker(there("bin/iogauge"), given.on, host.name, host.labels, host.directories, certs)
    text = units.text(starter, worker)
    unit = f"iogauge-fleet-{host.name}.service"
    if starter == "loop":
        yield _Step([*ssh, f"cat >{place}/worker.sh"], text)
        yield _Step([*ssh, "sh -e"], _START_LOOP.format(place=place, unit=unit))
        return
    folder = ".config/systemd/user"
    yield _Step([*ssh, f"mkdir -p {folder} && cat >{folder}/{unit}"], text)
    lingers = "have its units outlive a log-out, there: sudo loginctl enable-linger USER"
    yield _Step([*ssh, _LINGER], next={1: lingers})
    look = f"look there: journalctl --user -u {unit}"
    yield _Step([*ssh, "sh -e"], _START_UNIT.format(unit=unit), next={1: look})


# Carrying out.


def _prepared(host: _Host, steps: partial, kind: str, ssh: Sequence[str]) -> bool:
    """Whether this host has all it needs now; if not, a line says why."""
    say(f"{host.shown} …")
    try:
        probe = next(iter(steps("loop")))
        _carry_out(probe)
        starter: Starter = "systemd" if kind == "systemd" else "loop"
        if kind == "auto":
            starter = "systemd" if _has_systemd(ssh) else "loop"
        for each in steps(starter):
            if each != probe:
                _carry_out(each)
    except _Failed as error:
        say(f"{host.shown}: {error}")
        return False
    by = "systemd starts its worker"
    if starter == "loop":
        by = "a loop starts its worker until the host starts anew; then prepare it again"
    say(f"{host.shown}: prepared; {by}")
    return True


def _has_systemd(ssh: Sequence[str]) -> bool:
    """Whether systemd has units of users there."""
    return not _carry_out(_Step([*ssh, f"{_HAS_SYSTEMD} || exit 1"]), (0, 1))


def _carry_out(step: _Step, expected: Sequence[int] = (0,)) -> int:
    """Its exit status. Raises _Failed where it is another than expected."""
    try:
        done = _outcome(step)
    except FileNotFoundError as error:
        raise _Failed(f"no {error.filename} here; install it") from None
    except subprocess.TimeoutExpired:
        line = " ".join(map(shell_word, step.words))
        raise _Failed(f"not done within {_LONGEST} s: {line}; try it by hand") from None
    status = done.returncode
    if status in expected:
        return status
    said = (done.stderr or done.stdout).strip().splitlines()
    words = said[-1].strip().rstrip(".") if said else f"exit status {status}"
    if status == _NO_CONNECTION:
        by_hand = " ".join(map(shell_word, [*step.words[:-1], "true"]))
        raise _Failed(f"{words}; have this work: {by_hand}")
    by_hand = " ".join(map(shell_word, step.words))
    raise _Failed(f"{words}; {step.next.get(status) or f'it was: {by_hand}'}")


def _outcome(step: _Step) -> subprocess.CompletedProcess[str]:
    kept = partial(subprocess.run, step.words, text=True, capture_output=True, errors="replace")
    if not step.folder:
        return kept(input=step.input, timeout=_LONGEST)
    with subprocess.Popen(step.archive, stdout=subprocess.PIPE) as archive:
        return subprocess.run(
            step.words,
            stdin=archive.stdout,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_LONGEST,
        )
