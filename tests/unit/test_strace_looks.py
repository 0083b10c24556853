"""What a look by strace leaves behind where strace does not end as it should."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from iogauge.host import proctree, strace

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")

# It stops what it traces, and heeds no signal that asks it to end.
_STUBBORN = """#!/bin/sh
trap '' TERM
for word; do pid=$word; done
kill -STOP $pid
echo $$ > {sign}
for i in $(seq 100); do sleep 0.1; done
"""


@pytest.fixture
def sleeper():
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process.pid
        process.kill()


@pytest.fixture
def looked(tmp_path, monkeypatch, sleeper):
    """The pid of a strace that heeds no signal, after a look by it."""
    monkeypatch.setattr(strace, "_LEAVES", 0.2)
    monkeypatch.setattr(strace, "_BEGINS", 0.5)

    def look() -> int:
        sign, program = tmp_path / "sign", tmp_path / "strace"
        program.write_text(_STUBBORN.format(sign=sign))
        program.chmod(0o755)
        strace.look(str(program), [sleeper], 0.01, most=1)
        return int(sign.read_text("utf-8"))

    return look


def letter(pid: int) -> str:
    state = proctree.state(pid)
    return state.letter if state else "gone"


def soon(pid: int, letters: set[str]) -> bool:
    until = time.monotonic() + 5
    while letter(pid) not in letters and time.monotonic() < until:
        time.sleep(0.01)
    return letter(pid) in letters


def test_a_strace_that_does_not_end_is_killed_and_what_it_stopped_goes_on(looked, sleeper):
    before = set(proctree.descendants(os.getpid()))
    pid = looked()
    assert letter(pid) in ("gone", "Z", "X")
    assert set(proctree.descendants(os.getpid())) <= before
    assert soon(sleeper, {"S", "R"})


def test_what_was_stopped_before_stays_so(looked, sleeper):
    os.kill(sleeper, signal.SIGSTOP)
    assert soon(sleeper, {"T"})
    looked()
    assert letter(sleeper) == "T"
