"""Code of the user's that takes long, that prints much, or that never ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from iogauge.commands import answering, measuring
from iogauge.model import folders
from iogauge.runfile import reading

SLEEPS = "sh -c 'sleep 0.6; cat {file}'"
SLOW = """
import time
def slow(path):
    time.sleep({seconds})
    return len(open(path, "rb").read())
"""


@pytest.fixture
def here(disk_folder, monkeypatch):
    """The folder in which a user works, with a file in it."""
    folder = disk_folder / "slow"
    folder.mkdir(exist_ok=True)
    (folder / "access.log").write_text("a line of some length\n" * 4000)
    monkeypatch.chdir(folder)
    return folder


def command(iogauge, *more):
    return iogauge("command", SLEEPS, "--size", "64K", "--cache", "warm", "--dir", ".", *more)


@pytest.mark.long
def test_a_slow_command_takes_as_long_as_an_answer_does_and_says_so_beforehand(
    iogauge, here, monkeypatch
):
    """Where nobody gave it a time: one call a replicate, three replicates, and an answer."""
    monkeypatch.setattr(measuring, "_BUDGET", 1.0)
    done = command(iogauge)
    assert done.returncode == 0, done.stdout + done.stderr
    longer = r"^an answer takes about \d+ s, as one call of .+ takes \d+ ms$"
    assert re.search(longer, done.stderr, re.M)
    assert "how long it takes shows at the first call" in done.stderr
    assert "about 0 s left" not in done.stderr and "3 repeats" in done.stdout
    (path,) = folders.runs_by_age()
    run = reading.read(path)
    assert len(run.replicates) == 3 and run.complete and len(run.budgets) == 1
    assert {len(each.ns) for each in run.samples} == {1}
    of_case = [(each.replicate, each.case) for each in run.samples]
    assert len(of_case) == len(set(of_case)) == 6, "once each: the command and its control"


def test_a_budget_that_is_too_short_for_an_answer_is_one_line(iogauge, here):
    done = command(iogauge, "--budget", "1s")
    assert done.returncode == 2 and not done.stdout
    *_, last = done.stderr.splitlines()
    says = r"iogauge: --budget 1.00 s: an answer takes about [\d.]+ s, as one call of .+ takes \d+ ms; give"
    assert re.match(says, last), done.stderr
    assert not folders.runs_by_age(), "no run file is left of what was not measured"
    assert not [each for each in here.iterdir() if each.name.startswith("written-")]


def test_a_command_that_never_ends_is_ended_at_the_limit(iogauge, here):
    done = command(iogauge, "--limit", "200ms")
    assert done.returncode == 3
    assert "it still ran after 0.2 s and was ended; a larger --limit gives it longer" in " ".join(
        done.stdout.split()
    )


def own(iogauge, *more):
    return iogauge("access.log", "--own", "mine.py", "--dir", ".", *more)


@pytest.mark.long
@pytest.mark.real
def test_a_slow_function_gets_an_answer(iogauge, here, monkeypatch):
    monkeypatch.setattr(answering, "ADVISE_SECONDS", 1.0)
    (here / "mine.py").write_text(SLOW.format(seconds=0.6))
    done = own(iogauge)
    assert done.returncode == 0, done.stdout + done.stderr
    longer = r"^an answer takes about \d+ s, as one call of .+ takes \d+ ms"
    assert re.search(longer, done.stderr, re.M)
    assert "shows at the first call" not in done.stderr, "it was made"
    assert re.search(r"slow\(path\)\s+\d{3} ms|Nothing to compare: .*\d{3} ms", done.stdout), (
        done.stdout
    )
    run = reading.read(folders.newest_run())
    assert len(run.replicates) == 3


@pytest.mark.real
def test_a_function_that_never_ends_is_ended_at_the_limit(iogauge, here):
    """It is tried on two lines first, which it reads at once."""
    ends = "import os, time\ndef slow(path):\n    time.sleep(60 if os.path.getsize(path) > 999 else 0)\n"
    (here / "mine.py").write_text(ends)
    began = time.monotonic()
    done = own(iogauge, "--limit", "500ms")
    assert time.monotonic() - began < 30
    assert done.returncode == 2 and not done.stdout
    says = "a call took longer than 0.5 s and was ended; a larger --limit gives it longer"
    assert done.stderr.splitlines()[-1] == f"iogauge: --own mine.py: slow(path): {says}"


def test_a_limit_is_for_code_of_the_users(iogauge, here):
    done = iogauge("access.log", "--limit", "5m")
    assert done.returncode == 2
    assert done.stderr == (
        "iogauge: --limit is for calls of your own code: give --own, or leave it out\n"
    )


@pytest.mark.real
@pytest.mark.long
def test_what_a_function_prints_goes_to_no_disk_and_is_told(iogauge, here, monkeypatch):
    """Each line that it reads, and more: it is in its time."""
    (here / "mine.py").write_text(
        "def count(path):\n"
        "    lines = 0\n"
        "    for line in open(path):\n"
        "        print(line, end='')\n"
        "        lines += 1\n"
        "    return lines\n"
        "def quiet(path):\n"
        "    print('once')\n"
        "    return sum(1 for line in open(path))\n"
    )
    written: list[Path] = []
    monkeypatch.setattr(
        "iogauge.measuring.recorder.Recorder.sync",
        lambda self: written.extend(each for each in here.rglob("*") if each.is_file()),
    )
    done = own(iogauge, "--budget", "2s")
    assert done.returncode == 0, done.stdout + done.stderr
    said = " ".join(done.stdout.split())
    assert re.search(
        r"count\(path\): it writes 8\d(\.\d)? KiB to its output each time, which", said
    )
    assert "quiet(path): it writes" not in said
    logs = [each for each in written if "log" in each.name and each.name != "access.log"]
    assert written and not logs


# pauses

QUICK = """
import sys
from iogauge.host import pauses
pauses.LATE, pauses.QUIET, pauses.TICK = 0.5, 0.2, 0.2
from iogauge.commands import cli
cli.main()
"""


@pytest.mark.long
def test_no_limit_and_no_budget_counts_time_in_which_all_stood_still(here, tmp_path):
    """All processes are stopped, as a frozen control group does it, in the middle of a call."""
    out, stopped, began = tmp_path / "run.jsonl", 4.0, time.monotonic()
    words = ["command", SLEEPS, "--size", "64K", "--cache", "warm", "--dir", ".", "--limit", "3s"]
    process = subprocess.Popen(
        [sys.executable, "-c", QUICK, *words, "--budget", "7s", "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    host = psutil.Process(process.pid)
    try:
        deadline = time.monotonic() + 60
        while not (out.exists() and '"record":"sample"' in out.read_text()):
            assert time.monotonic() < deadline and process.poll() is None, process.communicate()
            time.sleep(0.05)
        all_of_it = [host, *host.children(recursive=True)]
        for number in (signal.SIGSTOP, signal.SIGCONT):
            for each in all_of_it:
                os.kill(each.pid, number)
            time.sleep(stopped if number == signal.SIGSTOP else 0)
        told, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0, told + errors
    assert re.search(r"! stood still for [34](\.\d+)? s \(the machine slept, or", told), told
    run = reading.read(out)
    assert run.seconds < time.monotonic() - began - stopped + 0.5
    assert not run.failures and len(run.replicates) >= 3
    voids = [each.void for each in run.samples if each.void]
    assert len(voids) <= 1 and all("stood still for" in each for each in voids)
    assert max(max(each.ns) for each in run.samples if not each.void) < 3e9
    assert [each.kind for each in run.caveats if "stood still" in each.text] == ["stood-still"]
