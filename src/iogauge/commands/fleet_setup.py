"""Commands that set up a fleet: its certificates, and what its hosts need."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, get_args

from iogauge import __version__
from iogauge.commands import fleet
from iogauge.commands import fleet_arguments as fleet_arg
from iogauge.commands.exits import DONE, SOMETHING_FAILED
from iogauge.commands.options import one_of
from iogauge.commands.output import program, say
from iogauge.fleet import certificates, units
from iogauge.fleet.units import Worker
from iogauge.host import named
from iogauge.model.errors import UserError
from iogauge.model.text import shell_word

_LONGEST = 900  # seconds that one step on a host may take


def certs(given: fleet_arg.Certs) -> int:
    with fleet.needed():
        folder = given.certs or certificates.usual()
        paths = certificates.make(folder, given.names)
    for each in paths:
        print(each)
    say(
        "keep client-key.pem and ca-key.pem to yourself: whoever has one can run code on every "
        "host. Hosts need " + ", ".join(certificates.needed("worker"))
    )
    return DONE


def unit(given: fleet_arg.Unit) -> int:
    kind = one_of("the kind", given.kind, get_args(units.Kind))
    _must_be_an_address(given.on)
    labels = list(given.label or ())
    named.labels(labels, "--label")
    in_pod = kind == "kubernetes"
    worker = Worker(
        given.program,
        given.on,
        named.checked(given.name, "--name") if given.name else None,
        labels,
        ["/data"] if in_pod and not given.directories else list(given.directories or ()),
        "/certificates" if in_pod else shlex.quote(str(given.certs)) if given.certs else None,
    )
    if given.count < 1:
        raise UserError("--count: at least 1")
    print(units.text(kind, worker, count=given.count, image=given.image), end="")
    return DONE


def _must_be_an_address(address: str) -> None:
    if not address:
        raise UserError("--on: give the address of the scheduler, e.g. tls://10.0.0.1:8786")
    certificates.must_encrypt(address)


class _Step(NamedTuple):
    """A command, and what its standard input is."""

    words: Sequence[str]
    input: str = ""

    @property
    def line(self) -> str:
        """As a shell takes it."""
        line = " ".join(map(shell_word, self.words))
        return f"{line} <<'END'\n{self.input}END" if self.input else line


class _Host(NamedTuple):
    """A host that is to be prepared: its name, and where ssh finds it."""

    name: str
    at: str
    labels: Sequence[str]
    directories: Sequence[str]


def prepare(given: fleet_arg.Prepare) -> int:
    """Print, or carry out, what each host needs."""
    kind = one_of("--unit", given.unit, ("systemd", "loop"))
    _must_be_an_address(given.on)
    hosts = list(_hosts(given))
    folder = given.certs or certificates.usual()
    if certificates.must_encrypt(given.on):
        certificates.security(given.on, "worker", folder)
    steps = {each.name: list(_steps(given, each, kind, folder)) for each in hosts}
    fetch = _fetching(given)
    if not given.ssh:
        print(f"# wheels for all hosts, once\n{fetch.line}")
        for name, each in steps.items():
            print(f"\n# {name}")
            print("\n".join(step.line for step in each))
        say(f"\nto carry this out: {program()} fleet prepare … --ssh")
        return DONE
    if not (given.wheels.is_dir() and any(given.wheels.glob("iogauge-*.whl"))):
        _carried_out(fetch, "wheels")
    failed = [name for name, each in steps.items() if not _prepared(name, each)]
    if failed:
        say(f"not prepared: {', '.join(failed)}")
    return SOMETHING_FAILED if failed else DONE


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


def _fetching(given: fleet_arg.Prepare) -> _Step:
    """All wheels that a host needs, so that none needs a network, and all have the same ones."""
    what = f"iogauge[fleet]=={__version__}"
    if given.wheel:
        what = f"iogauge[fleet] @ {given.wheel.resolve().as_uri()}"
    pip = [sys.executable, "-m", "pip"]
    return _Step([*pip, "wheel", "--quiet", "--wheel-dir", str(given.wheels), what])


def _steps(
    given: fleet_arg.Prepare, host: _Host, kind: units.Kind, folder: Path
) -> Iterator[_Step]:
    words = given.ssh_option or []
    into = f"{given.into}/{host.name}"
    place = shlex.quote(into)
    ssh, scp = ["ssh", "-o", "BatchMode=yes", *words, host.at], ["scp", "-q", "-B", "-r", *words]
    yield _Step([*ssh, f"mkdir -p {place}/certs && chmod 700 {place}/certs"])
    yield _Step([*scp, str(given.wheels), f"{host.at}:{into}/wheels"])
    if certificates.must_encrypt(given.on):
        files = [str(folder / each) for each in certificates.needed("worker")]
        yield _Step([*scp, "-p", *files, f"{host.at}:{into}/certs/"])
    install = f"{place}/bin/pip install -q --no-index --find-links {place}/wheels"
    yield _Step([*ssh, f"{given.python} -m venv {place} && {install} 'iogauge[fleet]'"])
    home = "" if into.startswith("/") else "%h/" if kind == "systemd" else '"$HOME"/'
    certs = f"{home}{place}/certs" if certificates.must_encrypt(given.on) else None
    worker = Worker(
        f"{home}{place}/bin/iogauge", given.on, host.name, host.labels, host.directories, certs
    )
    text = units.text(kind, worker)
    if kind == "systemd":
        unit_ = f"iogauge-fleet-{host.name}.service"
        at = f".config/systemd/user/{unit_}"
        yield _Step([*ssh, f"mkdir -p .config/systemd/user && cat >{shlex.quote(at)}"], text)
        reload_ = "systemctl --user daemon-reload"
        yield _Step([*ssh, f"{reload_} && systemctl --user enable --now {shlex.quote(unit_)}"])
        return
    yield _Step([*ssh, f"cat >{place}/worker.sh"], text)
    start = f"nohup sh {place}/worker.sh >{place}/worker.log 2>&1 </dev/null &"
    yield _Step([*ssh, start])


def _prepared(name: str, steps: Sequence[_Step]) -> bool:
    say(f"{name}:")
    return all(_carried_out(each, name) for each in steps)


def _carried_out(step: _Step, name: str) -> bool:
    say(f"  {' '.join(map(shell_word, step.words))}")
    try:
        done = subprocess.run(
            step.words, input=step.input, text=True, capture_output=True, timeout=_LONGEST
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        say(f"{name}: {error}")
        return False
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        say(f"{name}: exit status {done.returncode}: {said[-1] if said else 'without a word'}")
    return not done.returncode
