"""Threads that measure in turns run on one processor meanwhile, and are free afterwards."""

from __future__ import annotations

import os
import subprocess
import sys

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
def test_what_is_compared_runs_on_one_processor_meanwhile(busy):
    placement, used = Placement(0.001), set()
    one, other = busy(), busy()
    for replicate, pid in [("first", one), ("first", other), ("second", other), ("second", one)]:
        with placement.together(pid, replicate) as sent:
            assert os.sched_getaffinity(pid) == ALL, "nothing is bound before it runs"
            sent()
            bound = os.sched_getaffinity(pid)
        assert len(bound) == 1 and os.sched_getaffinity(pid) == ALL
        used.add((replicate, *bound))
    assert len(used) == 2, "one processor in each replicate"


@several
def test_an_error_meanwhile_frees_the_thread(busy):
    pid = busy()
    with pytest.raises(KeyError), Placement(0.001).together(pid, 1) as sent:
        sent()
        raise KeyError
    assert os.sched_getaffinity(pid) == ALL


def test_a_process_that_waits_or_has_ended_is_left_alone(busy):
    waiting = busy("print(flush=True); import time; time.sleep(60)")
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    for pid in (waiting, done.pid):
        with Placement(0.001).together(pid, 1) as sent:
            sent()
            assert pid == done.pid or os.sched_getaffinity(pid) == ALL


def test_by_an_older_method_nothing_is_bound(busy):
    assert METHOD.placed_after and not Method().placed_after
    pid = busy()
    with Placement(0.0).together(pid, 1) as sent:
        sent()
        assert os.sched_getaffinity(pid) == ALL
