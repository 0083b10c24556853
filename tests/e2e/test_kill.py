"""Kills and interruptions: nothing lives on, nothing is lost, the run goes on."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from iogauge.runfile import reading
from tests.fake_study import HEAD, group, steady

MARK = "IOGAUGE_TEST"
LONG = HEAD + group(steady(1000, 1200))  # twelve replicates, of some tenths of a second each


@pytest.fixture(autouse=True)
def mark(tmp_path, monkeypatch):
    """In the environment of all that a test starts, whoever adopts it: other tests run beside."""
    monkeypatch.setenv(MARK, str(tmp_path))


def alive_runners() -> set[int]:
    """Processes of the fake runner, of this test, that are not zombies."""
    found, mark = set(), f"{MARK}={os.environ[MARK]}".encode()
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            fake = entry.name.isdigit() and b"fake_runner.py" in (entry / "cmdline").read_bytes()
            ours = fake and mark in (entry / "environ").read_bytes().split(b"\0")
            if ours and (entry / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
                found.add(int(entry.name))
    return found


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def heed_signals() -> None:
    """A shell starts what runs in its background deaf to Ctrl-C, nohup to a hang-up, and the tests
    may run there.
    """
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def begun(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "iogauge", *map(str, arguments)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heed_signals
    )


def started(folder: Path, place: Path) -> tuple[subprocess.Popen[str], Path, Path]:
    """A run in the middle of its third replicate, its study and its run file."""
    study, out = folder / "long.toml", folder / "run.jsonl"
    study.write_text(LONG)
    place.mkdir()
    process = begun("run", study, "--dir", place, "--out", out)
    wait_for(lambda: out.exists() and out.read_text().count('"record":"replicate"') >= 2)
    wait_for(lambda: bool(alive_runners()))
    return process, study, out


@pytest.fixture
def running(tmp_path, disk_folder, request):
    """A run in the middle of its third replicate."""
    place = disk_folder / request.node.name
    process, study, out = started(tmp_path, place)
    yield process, study, out, place
    process.kill()
    process.communicate()


@pytest.fixture(scope="module")
def killed_once(tmp_path_factory, disk_folder):
    """The study and the run file of a run that was killed so, and the folder of its data."""
    place = disk_folder / "killed"
    with pytest.MonkeyPatch.context() as changed:
        changed.setenv(MARK, "killed")
        process, study, out = started(tmp_path_factory.mktemp("killed"), place)
        process.kill()
        process.communicate()
        wait_for(lambda: not alive_runners(), 3)
    return study, out, place


@pytest.fixture
def killed(killed_once, tmp_path):
    """A copy of the run file is the test's own."""
    study, out, place = killed_once
    return study, Path(shutil.copy(out, tmp_path)), place


def test_kill_9_leaves_no_runner_and_a_run_that_can_be_shown_and_resumed(running, iogauge):
    process, study, out, place = running
    process.send_signal(signal.SIGKILL)
    killed = time.monotonic()
    process.wait()
    wait_for(lambda: not alive_runners(), 3)
    assert time.monotonic() - killed < 3
    assert not list(place.rglob("*.partial"))

    shown = iogauge("show", out)
    assert shown.returncode == 0, shown.stderr
    assert "not finished" in shown.stdout and "The run is not finished" in shown.stdout
    before = len(reading.read(out).replicates)
    assert before >= 2

    changed = iogauge("run", str(study).replace("long", "other"), "--resume", out, "--dir", place)
    assert changed.returncode == 2 and "No such file" in changed.stderr
    text = study.read_text()
    study.write_text(text.replace("A study", "Another study"))
    refused = iogauge("run", study, "--resume", out, "--dir", place)
    assert refused.returncode == 2 and "cannot be resumed: the study" in refused.stderr
    study.write_text(text)

    resumed = iogauge("run", study, "--resume", out, "--dir", place)
    assert resumed.returncode == 0, resumed.stderr
    run = reading.read(out)
    assert run.complete
    assert [record.replicate for record in run.replicates] == list(range(len(run.replicates)))
    assert len(run.replicates) > before
    kept = out.read_bytes()
    again = iogauge("run", "--resume", out, "--dir", place)
    assert again.returncode == 0
    assert "nothing left to measure" in again.stderr and "fake" in again.stdout
    assert out.read_bytes() == kept


@pytest.mark.long
def test_a_larger_budget_goes_on_with_a_run_that_ended(tmp_path, disk_folder, iogauge):
    study, out = tmp_path / "near.toml", tmp_path / "run.jsonl"
    study.write_text(HEAD + group(steady(1000, 1010, scatter=30), more='compare = "all"'))
    place = disk_folder / "larger-budget"
    place.mkdir()

    def run(*more):
        return iogauge("run", study, "--dir", place, *more)

    assert run("--out", out, "--budget", "2s").returncode == 0
    ended = reading.read(out)
    assert ended.complete and ended.ends[-1].reason == "budget"
    refused = run("--resume", out)
    assert refused.returncode == 2 and "is spent" in refused.stderr
    refused = run("--resume", out, "--budget", "1s")
    assert refused.returncode == 2 and "already" in refused.stderr
    assert reading.read(out).budgets == []
    further = run("--resume", out, "--budget", "4m")
    assert further.returncode == 0, further.stderr
    run_then = reading.read(out)
    assert run_then.complete and run_then.ends[-1].reason == "decided"
    assert run_then.header == ended.header
    assert len(run_then.replicates) > len(ended.replicates)


@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.long)]
)
def test_an_interruption_is_recorded_shown_and_resumable(running, number):
    process, _, out, _ = running
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "not finished" in stdout and f"iogauge run --resume {out}" in stderr
    assert not alive_runners()
    assert reading.read(out).ends[-1].reason == "interrupted"


@pytest.mark.skipif(shutil.which("strace") is None, reason="no strace")
@pytest.mark.parametrize(
    "number",
    [
        signal.SIGINT,
        *(pytest.param(each, marks=pytest.mark.long) for each in (signal.SIGTERM, signal.SIGKILL)),
    ],
)
def test_a_trace_that_is_interrupted_leaves_nothing(killed, number):
    _, out, place = killed
    for _ in range(3):  # it may be over before anybody sees it
        tracing = begun("explain", out, "--trace", "--dir", place)
        # The runner, and the strace that has its command.
        wait_for(lambda: len(alive_runners()) >= 2 or tracing.poll() is not None)  # noqa: B023
        if tracing.poll() is None:
            break
    assert tracing.poll() is None, tracing.communicate()
    tracing.send_signal(number)
    tracing.communicate(timeout=20)
    assert tracing.returncode == (-signal.SIGKILL if number == signal.SIGKILL else 130)
    wait_for(lambda: not alive_runners(), 3)
    if number != signal.SIGKILL:
        assert not list(place.rglob("*.strace"))


def test_a_host_that_changed_cannot_resume(killed, iogauge):
    study, out, place = killed
    out.write_text(out.read_text().replace('"identity":"', '"identity":"x', 1))
    done = iogauge("run", study, "--resume", out, "--dir", place)
    assert done.returncode == 2 and "cannot be resumed here: host.identity was x" in done.stderr


def test_the_host_is_nearly_idle_while_samples_run():
    """At most 1 % of a core: a runner that takes its time, and the CPU time of the process that
    waits for it.
    """
    program = """
import sys, time
from iogauge.runners import wire
from iogauge.runners.fork import Fork, Launch
slow = "import sys, time\\nfor line in sys.stdin:\\n time.sleep(0.75); print('{\\"verb\\": \\"release\\"}', flush=True)"
fork = Fork(Launch((sys.executable, "-c", slow)), 0)
for _ in range(4):
    before = time.process_time()
    fork.ask(wire.release(), 30)
    print(time.process_time() - before)
fork.end()
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    # The first reply is decoded by code that is made for it. Who polls, or spins, does so each time.
    _, *later = map(float, done.stdout.split())
    assert len(later) == 3 and min(later) < 0.0075  # of 0.75 s


def test_the_death_of_the_host_kills_a_runner_that_is_busy():
    """Not only one that reads its input: the parent-death signal does it, on Linux."""
    program = """
import os, sys, time
from iogauge.runners import wire
from iogauge.runners.fork import Fork, Launch
busy = "import sys; sys.stdin.readline(); print('{\\"verb\\": \\"release\\"}', flush=True)\\nwhile True: pass"
fork = Fork(Launch((sys.executable, "-c", busy)), 0)
fork.ask(wire.release(), 30)  # then its program is there
print(fork.pid, flush=True)
time.sleep(60)
"""
    command = [sys.executable, "-c", program]
    host = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    runner = int(host.stdout.readline())
    os.kill(host.pid, signal.SIGKILL)
    host.wait()

    def gone() -> bool:
        try:
            said = Path(f"/proc/{runner}/stat").read_text(encoding="utf-8")
        except OSError:
            return True
        return said.rpartition(")")[2].split()[0] in "ZX"

    try:
        wait_for(gone, 2)
    finally:
        with suppress(ProcessLookupError):
            os.kill(runner, signal.SIGKILL)
