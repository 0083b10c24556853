"""The commands of docs/fleet.md, as they stand there: from nothing to a report over three hosts. The
hosts are network namespaces with an sshd each.
"""

from __future__ import annotations

import re
import shlex
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from subprocess import Popen

import pytest

from tests import fleet_ssh
from tests.e2e.test_fleet_faults import whole_and_once
from tests.fleet_lab import NET, wait_until
from tests.fleet_ssh import OverSsh, OwnHome

PAGE = Path(__file__).parents[2] / "docs" / "fleet.md"
SECTION = "## From nothing to a report over three hosts\n"
MOST_COMMANDS = 10
KINDS = ("ext4", "xfs", "tmpfs")

pytestmark = [
    pytest.mark.alone,
    pytest.mark.long,
    pytest.mark.real,
]


def documented() -> list[str]:
    section = PAGE.read_text("utf-8").partition(SECTION)[2].partition("\n## ")[0]
    (block,) = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    return re.sub(r"\\\n\s*", "", block).splitlines()


def here(line: str, study: Path) -> str:
    """The same with addresses of the lab, and a study that is small."""
    line = re.sub(r"\b10\.0\.0\.1\b", f"{NET}.10", line)
    line = re.sub(r"\b10\.0\.0\.(\d+)\b", rf"{NET}.\1", line)
    return line.replace("iogauge run quick ", f"iogauge run {study} ")


def folder_of_host(host: OwnHome) -> Path:
    return host.home / ".local/share/iogauge/fleet" / host.name


def has_measured(host: OwnHome) -> bool:
    return any(
        '"record":"replicate"' in each.read_text("utf-8")
        for each in folder_of_host(host).glob("*/*.jsonl")
    )


@pytest.fixture
def names():
    """The hosts of the page, with the file system that each has in the lab."""
    found = re.findall(r" ([\w-]+)=10\.0\.0\.(\d+)", "\n".join(documented()))
    assert [number for _, number in found] == ["11", "12", "13"] * 2
    return dict(zip([name for name, _ in found[:3]], KINDS, strict=True))


@pytest.fixture
def lab(names):
    if why := fleet_ssh.able():
        pytest.skip(why)
    with (
        tempfile.TemporaryDirectory(prefix="iogauge-fleet-", dir="/var/tmp") as folder,
        fleet_ssh.lab(Path(folder), names) as made,
    ):
        exact = 'precision = "0.1%"\ntolerance = "0.1%"\n'  # so that the budget is used up
        text = made.study.read_text()
        made.study.write_text(text.replace("budget", f"{exact}budget", 1))
        yield made


class Person:
    """Types the commands of the page, one after another."""

    def __init__(self, lab: OverSsh):
        self.lab, self.lines = lab, [here(each, lab.study) for each in documented()]

    @property
    def said(self) -> str:
        return self.lab.head.log("typed.log")

    def next(self, begins: str) -> str:
        line = self.lines.pop(0)
        assert line.startswith(begins), line
        return line

    def types(self, begins: str) -> None:
        line = self.next(begins)
        assert self.lab.shell(line, "typed.log") == 0, f"{line}\n" + "\n".join(self.lab.logs())

    def sees_all_hosts(self) -> None:
        line = self.next("iogauge fleet hosts ")

        def there() -> bool:
            (self.lab.head.folder / "hosts.log").unlink(missing_ok=True)
            assert self.lab.shell(line, "hosts.log") == 0
            return all(name in self.lab.head.log("hosts.log") for name in self.lab.hosts)

        wait_until(there, 60, lambda: "\n".join(self.lab.logs()))


def killed_while_measuring(lab: OverSsh, run: Popen[bytes]) -> Iterator[tuple[str, set[int]]]:
    """Kill the worker of each host once while it measures, which goes on; the workers, by host."""
    left = dict(lab.hosts)
    while run.poll() is None:
        for name, host in [*left.items()]:
            measuring = host.processes("fleet carry-out")
            if measuring and has_measured(host):
                workers = {*host.processes("fleet worker")}
                assert host.kill("fleet worker")
                assert measuring[0] in host.processes("fleet carry-out")
                yield left.pop(name).name, workers
        time.sleep(0.2)


def test_the_commands_of_the_page_lead_from_nothing_to_a_report(lab):
    person = Person(lab)
    assert len(person.lines) <= MOST_COMMANDS
    person.types("pip install ")
    person.types("iogauge fleet certs ")
    person.types("iogauge fleet scheduler ")
    person.types("iogauge fleet prepare ")
    assert "ssh -o BatchMode=yes" in person.said
    assert not any((each.home / "iogauge-fleet").exists() for each in lab.hosts.values())
    person.types("iogauge fleet prepare ")
    for name, host in lab.hosts.items():
        starter = "systemd" if host.has_systemd else "a loop"
        assert re.search(rf"^{name} \(.*\): prepared; {starter} starts", person.said, re.MULTILINE)
    person.sees_all_hosts()

    run = lab.head.start("bash", "-c", person.next("iogauge run "), log="typed.log")
    killed = dict(killed_while_measuring(lab, run))
    assert run.wait(60) == 0, "\n".join(lab.logs())
    assert killed.keys() == lab.hosts.keys(), person.said
    for name, workers in killed.items():
        wait_until(lambda host=lab.hosts[name]: host.processes("fleet worker"), 60)
        assert not {*lab.hosts[name].processes("fleet worker")} & workers

    found = re.search(r"^fleet run: (.+)$", person.said, re.MULTILINE)
    assert found, person.said
    folder = lab.head.home / Path(found[1]).relative_to(fleet_ssh.HOME)
    for name, host in lab.hosts.items():
        (path,) = folder.glob(f"{name}.*.jsonl")
        whole_and_once(path, name)
        assert f'"file_system":"{host.kind}"' in path.read_text("utf-8").partition("\n")[0]
    person.lines[0] = re.sub(r"\bfleet-\d{8}-\S+", folder.name, person.lines[0])
    person.types("iogauge report ")
    (page,) = lab.head.home.glob("*.html")
    text = page.read_text("utf-8")
    assert all(f'<th scope="row">{name}</th>' in text for name in lab.hosts)
    assert not person.lines


def prepare(lab: OverSsh, hosts: Sequence[str], *more: str) -> str:
    """A line that prepares these hosts, into a folder with a space in its name."""
    words = [
        "iogauge",
        "fleet",
        "prepare",
        *(f"{each}={lab.hosts[each].address}" for each in hosts),
    ]
    words += ["--on", lab.address, "--into", "a folder", "--wheels", "all wheels", *more]
    return shlex.join(words)


def workers(host: OwnHome) -> int:
    """How many there are, each of which is a single process."""
    return len(host.processes("fleet worker"))


@pytest.mark.parametrize("starter", ["loop", "systemd"])
def test_the_lines_that_are_printed_work_as_they_are(lab, starter):
    name, host = next(iter(lab.hosts.items()))
    if starter == "systemd" and not host.has_systemd:
        pytest.skip("needs systemd")
    iogauge_on_the_head(lab)
    label = ["--label", f"{name}:note=it's 5% $HOME"]
    line = prepare(lab, [name], *label, "--unit", starter)
    assert lab.shell(f"{line} >lines", "typed.log") == 0, lab.head.log("typed.log")
    assert lab.shell("set -e; . ./lines", "lines.log") == 0, lab.head.log("lines.log")
    hosts = f"iogauge fleet hosts --on {lab.address}"

    def there() -> bool:
        assert lab.shell(hosts, "hosts.log") == 0
        return "note=it's 5% $HOME" in lab.head.log("hosts.log")

    wait_until(there, 60, lambda: "\n".join(lab.logs()))
    assert workers(host) == 1
    before = host.processes("fleet worker")
    # Once more: the worker of before gives way to one of the new installation.
    assert lab.shell(f"{line} --ssh", "again.log") == 0, lab.head.log("again.log")
    wait_until(lambda: workers(host) and host.processes("fleet worker") != before, 30)
    assert workers(host) == 1


def iogauge_on_the_head(lab: OverSsh) -> None:
    for line in (
        "pip install -q 'iogauge[fleet]'",
        f"iogauge fleet certs {lab.head.address}",
        f"iogauge fleet scheduler --host {lab.head.address} &",
    ):
        assert lab.shell(line, "typed.log") == 0, lab.head.log("typed.log")


def test_a_host_that_cannot_be_prepared_says_why_and_the_others_go_on(lab):
    iogauge_on_the_head(lab)
    closed, _, good = lab.hosts
    (lab.hosts[closed].folder / "authorized_keys").write_text("")
    line = prepare(lab, [closed, good], f"gone={NET}.99", "--unit", "loop", "--ssh")
    assert lab.shell(line, "typed.log") == 3
    said = lab.head.log("typed.log").splitlines()

    def of(name: str) -> str:
        (line,) = [each for each in said if re.match(rf"{name} \(.*\): ", each)]
        return line

    assert "prepared; a loop" in of(good)
    assert "Permission denied" in of(closed)
    assert "have this work: ssh" in of(closed)
    assert "port 22" in of("gone")
    assert f"not prepared: {closed}, gone" in said
