"""A fleet of two hosts on this machine: a real scheduler and real workers, on the fake runner."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from iogauge.fleet import worker_side
from iogauge.fleet.connection import Connection
from iogauge.host import alone
from tests.fake_study import HEAD, faulty, group, steady

STUDY = HEAD.replace('"1h"', '"4s"') + group(steady(10, 40))
LONG = HEAD.replace('"1h"', '"60s"') + group(steady(1000, 1001, 1200))
LONGER = HEAD.replace('"1h"', '"60s"') + group(steady(*range(1000, 1040)))
_REPLICATE = '"record":"replicate"'


class Fleet:
    """Its processes, each with folders of its own."""

    def __init__(self, folder: Path):
        self.folder, self.processes = folder, dict[str, subprocess.Popen[str]]()
        self.study = folder / "study.toml"
        self.study.write_text(STUDY)
        (folder / "tmp").mkdir()
        self.port = _free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"

    def environment(self, name: str) -> dict[str, str]:
        home = self.folder / name
        home.mkdir(exist_ok=True)
        temporary = str(self.folder / "tmp")  # where the locks of the hosts are, too
        return {
            **os.environ,
            "XDG_DATA_HOME": str(home),
            "TMPDIR": temporary,
            alone.FOLDER: temporary,
        }

    def data(self, name: str) -> Path:
        """Where a host keeps what it carries out."""
        return self.folder / name / "iogauge" / "fleet" / name

    def start(self, name: str, *words: str) -> subprocess.Popen[str]:
        log = (self.folder / f"{name}.log").open("a")
        process = subprocess.Popen(
            [sys.executable, "-m", "iogauge", *words],
            env=self.environment(name),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            text=True,
            start_new_session=True,
        )
        log.close()
        self.processes[name] = process
        return process

    def scheduler(self) -> None:
        self.start("head", "fleet", "scheduler", "--port", str(self.port))

    def worker(self, name: str, *words: str) -> None:
        self.start(name, "fleet", "worker", self.address, "--name", name, *words)

    def kill(self, name: str) -> None:
        process = self.processes.pop(name)
        process.kill()
        process.wait(30)

    def run(self, *words: str, client: str = "client") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "iogauge", *words],
            env=self.environment(client),
            capture_output=True,
            text=True,
            timeout=240,
            cwd=self.folder,
        )

    def wait_for(self, *names: str) -> None:
        def there() -> bool:
            with_them = self.run("fleet", "hosts", "--on", self.address).stdout
            return all(re.search(rf"^{name}\b", with_them, re.MULTILINE) for name in names)

        until(there, says=self.logs)

    def logs(self) -> str:
        return "\n".join(path.read_text("utf-8")[-2000:] for path in self.folder.glob("*.log"))

    def close(self) -> None:
        for each in self.processes.values():
            each.kill()
            each.wait(30)
        for path in self.folder.glob("*/iogauge/fleet/*/*/alive"):
            if path.read_text("utf-8").isdecimal():
                with_it = int(path.read_text("utf-8"))
                if b"carry-out" in _command(with_it):
                    os.kill(with_it, signal.SIGKILL)


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def until(happens, seconds=90, says=lambda: ""):
    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end, says()
        time.sleep(0.2)


@pytest.fixture
def fleet(tmp_path):
    made = Fleet(tmp_path)
    made.scheduler()
    made.worker("one", "--label", "disk=nvme")
    made.worker("two", "--label", "disk=hdd")
    try:
        made.wait_for("one", "two")
        yield made
    finally:
        made.close()


def folder_in(done: subprocess.CompletedProcess[str]) -> Path:
    found = re.search(r"^fleet run: (.+)$", done.stdout, re.MULTILINE)
    assert found, done.stdout + done.stderr
    return Path(found[1])


def nothing_twice(path: Path) -> None:
    """One header, and each sample once."""
    kinds, samples = Counter[str](), Counter[tuple[object, ...]]()
    for line in path.read_text("utf-8").splitlines():
        found = json.loads(line)
        kinds[found["record"]] += 1
        if found["record"] == "sample":
            where = ("bundle", "replicate", "attempt", "group", "case", "round", "position")
            samples[tuple(found[each] for each in where)] += 1
    assert kinds["header"] == 1
    assert kinds["end"] >= 1
    assert set(samples.values()) == {1}


def test_one_plan_two_hosts_one_report(fleet):
    done = fleet.run("run", str(fleet.study), "--on", fleet.address)
    assert done.returncode == 0, done.stderr + fleet.logs()
    assert "one: done" in done.stderr
    folder = folder_in(done)
    paths = sorted(folder.glob("*.jsonl"))
    assert [each.name for each in paths] == ["one.on-the-fake.jsonl", "two.on-the-fake.jsonl"]
    headers = [json.loads(each.read_text().splitlines()[0]) for each in paths]
    assert [each["host"]["name"] for each in headers] == ["one", "two"]
    assert headers[0]["host"]["labels"] == {"disk": "nvme"}
    assert len({each["plan"]["seed"] for each in headers}) == 1
    assert len({each["host"]["identity"] for each in headers}) == 2
    for each in paths:
        nothing_twice(each)
    assert "on one and two, measured in" in done.stdout
    # One machine has two cores: they took turns.
    spans = [_span(each) for each in paths]
    assert spans[0][1] <= spans[1][0] or spans[1][1] <= spans[0][0]
    shown = fleet.run("show", folder.name)
    assert shown.returncode == 0, shown.stderr
    assert "steady, speed 10" in shown.stdout
    page = fleet.run("report", str(folder), "-o", "page.html")
    assert page.returncode == 0, page.stderr
    assert 'class="heat"' in (fleet.folder / "page.html").read_text()
    again = fleet.run("fleet", "collect", folder.name, "--on", fleet.address)
    assert again.returncode == 0, again.stderr
    kept = list(fleet.data("one").glob("*/collected"))
    assert len(kept) == 1


def _span(path: Path) -> tuple[float, float]:
    """When a run began and ended, on the clock of its file."""
    import datetime

    lines = path.read_text("utf-8").splitlines()
    began = datetime.datetime.fromisoformat(json.loads(lines[0])["started"]).timestamp()
    return began, began + json.loads(lines[-1])["seconds"] - 1.0  # it is known to the second


def begun(fleet, *words: str, study: str = LONG) -> tuple[subprocess.Popen[str], str]:
    """A client in the middle of a long run, and the id of the run."""
    fleet.study.write_text(study)
    exact = ["--precision", "0.1%", "--tolerance", "0.1%"]
    client = fleet.start("client", "run", str(fleet.study), "--on", fleet.address, *exact, *words)
    until(lambda: _measured(fleet), says=fleet.logs)
    return client, next(fleet.data("one").iterdir()).name


def _measured(fleet) -> bool:
    """Whether host one has a complete replicate."""
    paths = list(fleet.data("one").glob("*/*.jsonl"))
    return bool(paths) and _REPLICATE in paths[0].read_text()


@pytest.mark.long
def test_the_client_leaves_and_the_hosts_go_on(fleet):
    client, run = begun(fleet, "--budget", "8s", "--hosts", "one")
    client.send_signal(signal.SIGINT)
    assert client.wait(30) == 130
    told = (fleet.folder / "client.log").read_text()
    assert f"fleet collect {run}" in told
    assert f"fleet stop {run}" in told

    def ended() -> bool:
        return (fleet.data("one") / run / "ended.json").exists()

    until(ended, says=fleet.logs)
    done = fleet.run("fleet", "collect", run, "--on", fleet.address)
    assert done.returncode == 0, done.stderr
    (path,) = folder_in(done).glob("*.jsonl")
    nothing_twice(path)
    other = fleet.run("fleet", "collect", run, "--on", fleet.address, client="elsewhere")
    assert other.returncode == 0, other.stderr
    assert len(list(folder_in(other).glob("*.jsonl"))) == 1


@pytest.mark.long
def test_what_was_stopped_goes_on_when_it_is_resumed(fleet):
    client, run = begun(fleet, "--budget", "20s", "--hosts", "one")
    stopped = fleet.run("fleet", "stop", run, "--on", fleet.address)
    assert stopped.returncode == 0, stopped.stderr
    assert client.wait(60) == 3
    assert "one: stopped" in (fleet.folder / "client.log").read_text()
    before = next(fleet.data("one").glob("*/*.jsonl")).read_text()
    alone = fleet.run("run", "--resume", run)
    assert alone.returncode == 2
    assert f"--resume {run}: a run of a fleet; add --on" in alone.stderr
    done = fleet.run("run", "--resume", run, "--on", fleet.address)
    assert done.returncode == 0, done.stderr + fleet.logs()
    (path,) = folder_in(done).glob("*.jsonl")
    after = path.read_text("utf-8")
    assert after.startswith(before)
    assert after.count(_REPLICATE) > before.count(_REPLICATE)
    nothing_twice(path)


@pytest.mark.long
def test_a_worker_and_then_the_scheduler_are_killed_and_come_back(fleet):
    client, run = begun(fleet, "--budget", "25s", "--hosts", "one")
    fleet.kill("one")
    fleet.worker("one")
    time.sleep(4)
    fleet.kill("head")
    fleet.scheduler()
    until(lambda: fleet.processes["one"].poll() is not None, says=fleet.logs)
    fleet.worker("one")  # as its unit does
    assert client.wait(120) == 0, fleet.logs()
    (path,) = fleet.folder.glob(f"client/iogauge/runs/{run}/*.jsonl")
    nothing_twice(path)
    assert len(list(fleet.data("one").iterdir())) == 1


@pytest.mark.long
def test_two_plans_for_one_host_take_turns_and_say_so(fleet):
    client, run = begun(fleet, "--budget", "30s", "--hosts", "one")
    second = fleet.run(
        "run", str(fleet.study), "--budget", "3s", "--on", fleet.address, "--hosts", "one"
    )
    assert second.returncode == 0, second.stderr
    assert f"one: waits for {run}" in second.stderr
    assert client.wait(60) == 0


@pytest.mark.long
def test_what_must_not_run_is_refused_in_a_line(fleet):
    def refused(*words: str) -> str:
        done = fleet.run(*words)
        assert done.returncode == 2, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done.stderr.strip().splitlines()[-1]

    on = ["--on", fleet.address]
    assert "no worker of that name" in refused("run", str(fleet.study), *on, "--hosts", "three")
    twice = ["--dir", "one=/a", "--dir", "one=/b"]
    assert "/a is for one already" in refused("run", str(fleet.study), *on, *twice)
    outside = refused("run", str(fleet.study), *on, "--dir", "one=/", "--hosts", "one")
    assert "one: --dir /: outside of what this host allows" in outside
    assert not list((fleet.folder / "client").rglob("fleet.json"))
    assert "does not travel" in refused("run", str(fleet.study), *on, "--own", "x.py")
    assert "not encrypted" in refused("run", str(fleet.study), "--on", "tcp://10.0.0.1:8786")
    assert "write tls://" in refused("run", str(fleet.study), "--on", "nowhere")
    assert "iogauge fleet certs" in refused("run", str(fleet.study), "--on", "tls://127.0.0.1:1")
    assert "no connection" in refused("fleet", "hosts", "--on", "tcp://127.0.0.1:1")
    assert "none of the hosts that are there" in refused("fleet", "collect", "fleet-x", *on)

    connection = Connection(fleet.address, None)
    try:
        client, hosts = connection._client, connection.hosts()
        resources = {"iogauge-one": 1, "host": 1}
        for text in ("garbage", '{"run": "../up"}'):
            told = client.submit(worker_side.carry_out, text, resources=resources, pure=False)
            assert json.loads(told.result(30))["phase"] == "refused"
        (answer,) = client.run(
            worker_side.status, "../../up", workers=[hosts["one"].address], on_error="return"
        ).values()
        assert "not the id" in str(answer)
    finally:
        connection.close()


@pytest.mark.long
def test_another_version_is_refused_by_name(fleet, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "sitecustomize.py").write_text("import iogauge\niogauge.__version__ = '9.9'\n")
    environment = fleet.environment("two") | {
        "PYTHONPATH": f"{other}:{os.environ.get('PYTHONPATH', '')}"
    }
    fleet.kill("two")
    process = subprocess.Popen(
        [sys.executable, "-m", "iogauge", "fleet", "worker", fleet.address, "--name", "two"],
        env=environment,
        stderr=subprocess.DEVNULL,
    )
    fleet.processes["two"] = process
    fleet.wait_for("one", "two")
    done = fleet.run("run", str(fleet.study), "--on", fleet.address)
    assert done.returncode == 2
    assert "two: iogauge 9.9, here" in done.stderr
    assert not list(fleet.folder.glob("*/iogauge/fleet/*/*"))
    assert not list(fleet.folder.rglob("fleet.json"))


@pytest.mark.long
def test_a_gate_over_hosts_has_one_verdict_and_one_status(fleet):
    """All pairs on all hosts are one family: each host knows how many there are."""
    both = [f"fake:{name}={sys.executable}" for name in ("old", "new")]
    runtimes = [word for each in both for word in ("--runtime", each)]
    allowed = ["--max-slowdown", "200%", "--budget", "15s"]
    done = fleet.run(
        "run", str(fleet.study), "--on", fleet.address, *runtimes, *allowed, "--markdown", "a.md"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "NOT SLOWER: surely none of 2 ways is over 200 % slower, on 2 hosts" in done.stdout
    assert "not slower on both" in (fleet.folder / "a.md").read_text()
    folder = folder_in(done)
    for path in folder.glob("*.jsonl"):
        plan = json.loads(path.read_text("utf-8").splitlines()[0])["plan"]
        assert plan["versions"]["runs"] == 2
    again = fleet.run("fleet", "collect", folder.name, "--on", fleet.address)
    assert again.returncode == 0, again.stderr
    page = fleet.run("report", str(folder), "-o", "page.html")
    assert page.returncode == 0, page.stderr


@pytest.mark.long
def test_what_waits_for_another_plan_is_stopped_too(fleet):
    """And a run that was sent again while its host still measures: all that was sent until then."""
    client, run = begun(fleet, "--budget", "60s", "--hosts", "one", study=LONGER)
    waiting = fleet.start(
        "waiting", "run", str(fleet.study), "--on", fleet.address, "--hosts", "one"
    )
    until(lambda: f"waits for {run}" in (fleet.folder / "waiting.log").read_text(), says=fleet.logs)
    (folder,) = (fleet.folder / "waiting" / "iogauge" / "runs").glob("fleet-*")
    stopped = fleet.run("fleet", "stop", folder.name, "--on", fleet.address, client="waiting")
    assert stopped.returncode == 0, stopped.stderr
    client.send_signal(signal.SIGINT)
    assert client.wait(30) == 130
    again = fleet.start("client", "run", "--resume", run, "--on", fleet.address)
    log = fleet.folder / "client.log"
    until(lambda: log.read_text().count("sent to 1 host") == 2, says=fleet.logs)
    time.sleep(2)
    assert fleet.run("fleet", "stop", run, "--on", fleet.address).returncode == 0
    assert waiting.wait(60) == 3, fleet.logs()
    assert again.wait(60) == 3, fleet.logs()
    assert log.read_text().rpartition("sent to 1 host")[2].count("one: stopped")
    assert not list((fleet.data("one") / folder.name).glob("*.jsonl"))
    assert len(list((fleet.data("one") / run).glob("*.jsonl"))) == 1


@pytest.mark.long
def test_a_way_that_fails_on_hosts_is_told_and_counts(fleet):
    fleet.study.write_text(HEAD.replace('"1h"', '"4s"') + group(steady(10) + faulty("wrong-sum")))
    done = fleet.run("run", str(fleet.study), "--on", fleet.address)
    assert done.returncode == 3, done.stdout + done.stderr
    assert "fails on one and two" in done.stdout
