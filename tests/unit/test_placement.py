"""Threads that measure in turns begin on one processor, and are bound to none."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress

import pytest

from iogauge.host.placement import Placement
from iogauge.model.method import METHOD, Method

BUSY = "import sys\nprint(flush=True)\nwhile True: pass"
ALL = os.sched_getaffinity(0)
several = pytest.mark.skipif(len(ALL) < 2, reason="one processor")


@pytest.fixture
def busy():
    """Starts processes that compute."""
    started = []

    def start(code=BUSY):
        started.append(subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE))
        started[-1].stdout.readline()
        return started[-1].pid

    yield start
    for each in started:
        each.kill()
        each.wait()
        each.stdout.close()


@several
def test_what_is_compared_begins_on_one_processor_and_is_free(busy, monkeypatch):
    placement, pid = Placement(0.001), busy()
    asked = []
    usual = os.sched_setaffinity
    monkeypatch.setattr(os, "sched_setaffinity", lambda *of: (asked.append(of), usual(*of)))
    placement.move(pid, "first")
    assert not asked, "the system chose"
    for _ in range(50):  # on a loaded machine the system itself may bring it back
        usual(pid, {min(ALL - {placement._processor})})  # it goes elsewhere,
        usual(pid, ALL)
        placement.move(pid, "first")
        if asked:
            break
    assert asked[:2] == [(pid, {placement._processor}), (pid, ALL)], "and comes back"
    assert os.sched_getaffinity(pid) == ALL
    asked.clear()
    placement.move(pid, "second")
    assert not asked and placement._replicate == "second"


@several
def test_what_it_starts_meanwhile_is_free_too(busy):
    starts = (
        "import threading, time\nprint(flush=True)\n"
        "while True:\n    threading.Thread(target=time.sleep, args=(0.05,)).start()"
    )
    placement, pid = Placement(0.001), busy(starts)
    for each in range(40):
        placement._replicate, placement._processor = each, sorted(ALL)[each % 2]
        placement.move(pid, each)
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError):
                assert os.sched_getaffinity(int(thread)) == ALL


def test_a_process_that_waits_or_has_ended_is_left_alone(busy):
    waiting = busy("print(flush=True); import time; time.sleep(60)")
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    placement = Placement(0.001)
    for pid in (waiting, done.pid):
        placement.move(pid, 1)
        assert placement._processor is None


def test_by_an_older_method_nothing_is_moved(busy):
    assert METHOD.placed_after and not Method().placed_after
    placement = Placement(0.0)
    placement.move(busy(), 1)
    assert placement._processor is None
