"""Three hosts in network namespaces, with TLS, on ext4, xfs and tmpfs; and what goes wrong there."""

from __future__ import annotations

import datetime
import json
import re
import signal
import tempfile
import threading
import time
from pathlib import Path

import pytest

from tests import fleet_lab
from tests.fleet_lab import Host, Lab, wait_until

pytestmark = [pytest.mark.alone, pytest.mark.long]


@pytest.fixture
def lab():
    if why := fleet_lab.able():
        pytest.skip(why)
    with (
        tempfile.TemporaryDirectory(prefix="iogauge-fleet-", dir="/var/tmp") as folder,
        fleet_lab.lab(Path(folder)) as made,
    ):
        yield made


class Client:
    """`iogauge run --on`, in the namespace of the scheduler."""

    def __init__(self, lab: Lab, *words: str):
        exact = ["--precision", "0.1%", "--tolerance", "0.1%"]
        self.lab = lab
        self.process = lab.head.start(
            *lab.iogauge("run", str(lab.study), "--on", lab.address, *exact, *words),
            log="client.log",
        )

    def ends(self, seconds: float = 240) -> int:
        try:
            return self.process.wait(seconds)
        except Exception:
            raise AssertionError("\n".join(self.lab.logs())) from None

    @property
    def said(self) -> str:
        return self.lab.head.log("client.log")

    @property
    def folder(self) -> Path:
        found = re.search(r"^fleet run: (.+)$", self.said, re.MULTILINE)
        assert found, "\n".join(self.lab.logs())
        return Path(found[1])

    @property
    def run(self) -> str:
        return next(host_folder(self.lab.hosts["alpha"]).iterdir()).name


def host_folder(host: Host) -> Path:
    return host.disk / "data" / "iogauge" / "fleet" / host.name


def journals(host: Host) -> list[Path]:
    return list(host_folder(host).glob("*/*.jsonl"))


def has_measured(host: Host, replicates: int = 1) -> bool:
    return any(
        path.read_text("utf-8").count('"record":"replicate"') >= replicates
        for path in journals(host)
    )


def whole_and_once(path: Path, name: str) -> None:
    """A run file of this host, in which no sample stands twice. A full disk may have torn its last
    line, which readers skip.
    """
    *lines, last = path.read_text("utf-8").split("\n")
    assert not last or path.name.startswith("beta")
    records = [json.loads(line) for line in lines if line.endswith("}")]
    assert records[0]["host"]["name"] == name
    assert sum(each["record"] == "header" for each in records) == 1
    where = ("bundle", "replicate", "attempt", "group", "case", "round", "position")
    samples = [tuple(each[key] for key in where) for each in records if each["record"] == "sample"]
    assert samples
    assert len(samples) == len({*samples})


def all_came_back(client: Client, into: Path | None = None) -> None:
    """Each host measured once, to the end, and the client has all of it."""
    kinds = {}
    for name, host in client.lab.hosts.items():
        path = (into or client.folder) / f"{name}.fleet-read.jsonl"
        whole_and_once(path, name)
        assert '"record":"end"' in path.read_text("utf-8")
        (journal,) = journals(host)
        assert path.read_bytes() == journal.read_bytes()
        kinds[name] = json.loads(path.open().readline())["host"]["file_system"]
    assert kinds == fleet_lab.HOSTS


def test_one_plan_three_hosts_one_report(lab):
    client = Client(lab)
    assert client.ends() == 0, client.said
    all_came_back(client)
    page = lab.folder / "page.html"
    done = lab.head.run(*lab.iogauge("report", str(client.folder), "-o", str(page)))
    assert done.returncode == 0, done.stderr
    text = page.read_text("utf-8")
    assert all(f'<th scope="row">{name}</th>' in text for name in lab.hosts)


def test_a_worker_is_killed_and_comes_back(lab):
    client = Client(lab, "--budget", "15s")
    alpha = lab.hosts["alpha"]
    wait_until(lambda: has_measured(alpha), 120, lambda: "\n".join(lab.logs()))
    assert alpha.kill("fleet worker")  # its loop starts it again
    assert client.ends() == 0, client.said
    all_came_back(client)


def test_the_scheduler_is_killed_in_the_middle(lab):
    client = Client(lab, "--budget", "15s")
    wait_until(lambda: any(map(has_measured, lab.hosts.values())), 120)
    assert lab.head.kill("fleet scheduler")
    time.sleep(5)
    lab.start_scheduler()
    assert client.ends() == 0, client.said
    all_came_back(client)


def test_the_client_leaves(lab):
    client = Client(lab)
    wait_until(lambda: any(map(has_measured, lab.hosts.values())), 120)
    client.process.send_signal(signal.SIGINT)
    assert client.ends(60) == 130
    run = client.run
    assert f"fleet collect {run}" in client.said

    def ended() -> bool:
        return all((host_folder(host) / run / "ended.json").exists() for host in lab.hosts.values())

    wait_until(ended, 120, lambda: "\n".join(lab.logs()))
    done = lab.head.run(*lab.iogauge("fleet", "collect", run, "--on", lab.address))
    assert done.returncode == 0, done.stderr
    found = re.search(r"^fleet run: (.+)$", done.stdout, re.MULTILINE)
    assert found
    all_came_back(client, Path(found[1]))


def test_the_disk_of_a_host_fills(lab):
    client = Client(lab, "--budget", "15s")
    beta = lab.hosts["beta"]
    wait_until(lambda: has_measured(beta), 120, lambda: "\n".join(lab.logs()))
    with (beta.disk / "filler").open("wb") as file:
        try:
            while True:
                file.write(bytes(1 << 16))
                file.flush()
        except OSError:
            pass
    assert client.ends() == 3, client.said
    assert "beta: FAILED" in client.said, client.said + "\n".join(lab.logs())
    assert "No space left" in client.said
    for name in ("alpha", "gamma"):
        whole_and_once(client.folder / f"{name}.fleet-read.jsonl", name)
    whole_and_once(client.folder / "beta.fleet-read.jsonl", "beta")  # what there was
    (beta.disk / "filler").unlink()
    again = lab.head.run(
        *lab.iogauge("run", "--resume", client.folder.name, "--on", lab.address), timeout=200
    )
    assert again.returncode == 0, again.stdout + again.stderr
    all_came_back(client)


@pytest.mark.parametrize("seconds", [20, 60])
def test_the_network_of_a_host_is_cut(lab, seconds):
    client = Client(lab, "--budget", "15s")
    gamma = lab.hosts["gamma"]
    wait_until(lambda: has_measured(gamma), 120, lambda: "\n".join(lab.logs()))
    cut = threading.Thread(target=gamma.cut, args=(seconds,))
    cut.start()
    assert client.ends() == 0, client.said
    cut.join()
    all_came_back(client)


def test_a_client_without_a_certificate_is_refused(lab):
    empty = lab.folder / "none"
    empty.mkdir()
    done = lab.head.run(
        *lab.iogauge("run", str(lab.study), "--on", lab.address, "--certs", str(empty))
    )
    assert done.returncode == 2
    assert "has no ca.pem" in done.stderr
    other = lab.folder / "other"
    made = lab.head.run(*lab.iogauge("fleet", "certs", "x", "--certs", str(other)))
    assert made.returncode == 0
    done = lab.head.run(
        *lab.iogauge("run", str(lab.study), "--on", lab.address, "--certs", str(other))
    )
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert "no connection" in done.stderr


def test_two_plans_for_the_same_hosts_take_turns_and_say_so(lab):
    """Nobody measures both at once: on each host one plan ends before the other one begins."""
    first = Client(lab, "--budget", "12s", "--hosts", "alpha,beta")
    wait_until(lambda: has_measured(lab.hosts["alpha"]) or has_measured(lab.hosts["beta"]), 90)
    second = lab.head.run(
        *lab.iogauge("run", str(lab.study), "--on", lab.address, "--budget", "4s"),
        *("--hosts", "alpha,beta"),
        timeout=240,
    )
    assert second.returncode == 0, second.stderr
    assert re.search(r"^(alpha|beta): waits for fleet-", second.stderr, re.MULTILINE), second.stderr
    assert first.ends() == 0
    for name in ("alpha", "beta"):
        runs = sorted(map(_began_and_ended, journals(lab.hosts[name])))
        assert len(runs) == 2
        assert runs[0][1] <= runs[1][0] + 1  # a header has whole seconds
        for path in journals(lab.hosts[name]):
            whole_and_once(path, name)


def _began_and_ended(path: Path) -> tuple[float, float]:
    lines = path.read_text("utf-8").splitlines()
    began = datetime.datetime.fromisoformat(json.loads(lines[0])["started"]).timestamp()
    return began, began + json.loads(lines[-1])["seconds"]
