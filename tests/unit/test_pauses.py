"""Time in which everything stood still: no limit and no budget counts it."""

from __future__ import annotations

import sys
import time

import pytest

from iogauge.host import pauses, processes
from iogauge.host.pauses import LATE, RUNNING, Running
from iogauge.measuring.observed import Observed, joined
from iogauge.runners import fork as forks
from iogauge.runners import programs, wire
from iogauge.runners.fork import Fork, Launch, Overdue, overlap
from iogauge.runners.wire import Spans

SLOW = """
import sys, time
for line in sys.stdin:
    time.sleep(0.3)
    print('{"verb": "release"}', flush=True)
"""


class Time:
    """Two clocks, of which only the second goes on while the machine sleeps."""

    def __init__(self):
        self.now, self.asleep = 1000.0, 50.0
        self.running = Running(lambda: self.now, lambda: self.asleep)

    def passes(self, seconds):
        """What waits for so long."""

        def waiting(most):
            self.now += most + seconds
            return "heard"

        return waiting


@pytest.mark.parametrize(("late", "counts"), [(0.0, False), (LATE - 1, False), (130.0, True)])
def test_who_wakes_up_much_too_late_stood_still(late, counts):
    time_, began = Time(), 1000.0
    assert time_.running.wait(time_.passes(late), 2.0) == "heard"
    assert time_.running.stood_still == (late if counts else 0)
    assert time_.running() - began == pytest.approx(2.0 if counts else 2.0 + late)
    assert time_.running.since(0.0) == (late if counts else None)


def test_a_pause_is_counted_once_whoever_waits():
    time_ = Time()
    time_.running.wait(lambda most: time_.running.wait(time_.passes(130.0), most), 1.0)
    assert time_.running.stood_still == 130.0
    before = time_.running.stood_still
    time_.running.wait(time_.passes(10.0), 1.0)
    assert time_.running.since(before) == 10.0


def test_a_pause_is_counted_where_the_wait_is_broken_off():
    time_ = Time()

    def interrupted(most):
        time_.now += 60
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        time_.running.wait(interrupted, 1.0)
    assert time_.running.stood_still == 59.0


def test_sleep_of_the_system_is_a_pause_that_the_usual_clock_does_not_count():
    time_ = Time()
    began = time_.running()
    time_.asleep += 0.001  # two clocks are not read at once
    assert time_.running.stood_still == 0
    time_.asleep += 3600
    assert time_.running.since(0.0) == pytest.approx(3600, abs=1)
    assert time_.running() == began


@pytest.fixture
def slow():
    fork = Fork(Launch((sys.executable, "-c", SLOW)), 0)
    yield fork
    fork.kill()


@pytest.fixture
def jump(monkeypatch):
    """A clock of ours that jumps ahead by so many seconds during the first wait for an answer."""

    def jumping(seconds):
        ahead, ready = [0.0], processes.Pipe.ready

        def late(pipes, most):
            heard = ready(pipes, most)
            ahead[0] = seconds
            return heard

        monkeypatch.setattr(processes.Pipe, "ready", staticmethod(late))
        monkeypatch.setattr(forks, "QUIET", 0.05)  # the first wait ends before the answer
        return Running(lambda: time.monotonic() + ahead[0])

    return jumping


def test_no_time_to_answer_passes_while_all_stands_still(slow, jump):
    clock, answers = jump(130.0), []

    def talk():
        answers.append((yield slow, wire.release(), 10))

    overlap([talk()], 1, clock)
    assert len(answers) == 1 and clock.stood_still > 120


def test_time_to_answer_passes_while_it_does_not(slow, jump, monkeypatch):
    monkeypatch.setattr(pauses, "LATE", 1000.0)

    def talk():
        yield slow, wire.release(), 10

    with pytest.raises(Overdue):
        overlap([talk()], 1, jump(130.0))


def test_whoever_waits_long_is_woken_now_and_then_but_not_at_first(slow, monkeypatch):
    asked, ready = [], processes.Pipe.ready
    monkeypatch.setattr(forks, "QUIET", 0.2)
    monkeypatch.setattr(forks, "TICK", 0.03)
    monkeypatch.setattr(
        processes.Pipe,
        "ready",
        staticmethod(lambda pipes, most: (asked.append(most), ready(pipes, most))[1]),
    )
    slow.ask(wire.release(), 10)
    slow.ask(wire.release(), 10)
    assert len(asked) > 4
    assert asked[0] == 0.2 and asked[1] == 0.03
    assert asked.count(0.2) == 2, "once for each answer"


def test_a_build_may_take_its_time_beside_pauses(monkeypatch):
    ahead = [0.0]
    clock = Running(lambda: time.monotonic() + ahead[0])
    monkeypatch.setattr(programs, "RUNNING", clock)
    monkeypatch.setattr(programs, "TICK", 0.1)
    sleeping = [sys.executable, "-c", "import time; time.sleep(0.5); print('done')"]
    communicate, seen = programs.subprocess.Popen.communicate, []

    def frozen(process, *given, **named):
        if not seen:
            ahead[0] = 100.0
        seen.append(named or given)
        return communicate(process, *given, **named)

    monkeypatch.setattr(programs.subprocess.Popen, "communicate", frozen)
    assert programs.output(sleeping, 20) == (0, "done\n")
    assert clock.stood_still > 90 and len(seen) > 2
    assert programs.output([sys.executable, "-c", "import time; time.sleep(60)"], 0.3)[0] is None


def test_a_sample_around_a_pause_says_so():
    spans = Spans(ns=[1], operations=[1], count=None, sum=None)
    evidence = dict.fromkeys(("syscr", "syscw", "rchar", "wchar"), 1)
    seen = [
        Observed(spans, evidence, None, None, None, 0.0, 1, 1, paused=each) for each in (None, 130.0)
    ]
    assert seen[0].stood_still is None and joined(seen[:1]).stood_still is None
    says = "the machine, or iogauge, stood still for 2m 10s meanwhile"
    assert seen[1].stood_still == says == joined(seen).stood_still


def test_our_own_clock_goes_on():
    before = RUNNING()
    time.sleep(0.01)
    assert RUNNING() - before >= 0.01
