"""How long a call of code of the user's may take, how long that makes an answer, and how many forks
the limit of open files leaves room for.
"""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from iogauge.commands import arguments as arg
from iogauge.commands.options import limit_of
from iogauge.host import processes
from iogauge.host.processes import Files
from iogauge.measuring.bench import Longer
from iogauge.measuring.schedule import Schedule
from iogauge.model.errors import UserError
from iogauge.model.method import METHOD
from iogauge.model.strategy import LIMIT
from iogauge.model.units import chosen_limit
from iogauge.planning import cost, options, order
from iogauge.runners import own
from iogauge.runners.fork import Fork, Launch
from iogauge.runners.live_fork import LiveFork
from iogauge.runners.wire import WireError
from tests.fake_study import group, make_plan, steady
from tests.runs import empty_run

SILENT = "import time; time.sleep(60)"
WAY = SimpleNamespace(mapped=False, is_own=True)
TASK = SimpleNamespace(
    shape="x", opening={"verb": "open"}, path=None, prepared_each_time=False, strategy=WAY
)


def live_fork(limit, **levels):
    fork = Fork(Launch((sys.executable, "-c", SILENT)), 0)
    return LiveFork(fork, 0, None, METHOD, levels=levels, limit=limit)


@pytest.mark.parametrize(
    ("limit", "operations", "level", "due"),
    [
        (600.0, 1, None, 600.0),  # the first call
        (600.0, 1, 20e9, 600.0),  # never more than the limit for one
        (600.0, 2, 20e9, 1200.0),
        (600.0, 1000, 1e6, 600.0 + 20.0),
        (0.5, 3, 1e9, 1.5),
        (None, 1, 20e9, METHOD.answer_timeout + 400.0),  # a built-in way
    ],
)
def test_how_long_an_answer_may_take(limit, operations, level, due):
    of = SimpleNamespace(levels={} if level is None else {"x": level}, limit=limit)
    of.method, of.extra_patience = METHOD, 0.0
    assert LiveFork.due(of, TASK, operations, 20) == pytest.approx(due)


@pytest.mark.parametrize("what", ["work", "opened"])
def test_a_call_that_takes_longer_is_ended_with_the_limit_and_the_option(what, monkeypatch):
    made = live_fork(0.3)
    hasty = METHOD.model_copy(update={"start_timeout": 0.3})
    monkeypatch.setattr(made, "method", hasty)
    says = "^a call took longer than 0.3 s and was ended; a larger --limit gives it longer$"
    with pytest.raises(WireError, match=says):
        if what == "work":
            made._opening = TASK.opening
            made.sample(TASK, 1, 1, [""])
        else:
            made.open(TASK)
    assert not made.fork.alive


def test_a_built_in_way_that_gives_no_answer_is_told_of_no_option(monkeypatch):
    made = live_fork(None)
    monkeypatch.setattr(made, "method", METHOD.model_copy(update={"start_timeout": 0.3}))
    with pytest.raises(WireError, match="no answer to 'open' in time"):
        made.open(TASK)


@pytest.mark.parametrize(
    ("seconds", "says"),
    [(600, "10 min"), (3600, "60 min"), (90, "90 s"), (0.5, "0.5 s"), (60, "1 min")],
)
def test_limits_in_words(seconds, says):
    assert chosen_limit(seconds) == says


def test_the_option(tmp_path):
    assert limit_of(arg.Command(commands=["cat {file}"])) == LIMIT == 600
    assert limit_of(arg.Command(commands=["cat {file}"], limit="1h")) == 3600
    file = {"file": tmp_path / "x"}
    assert limit_of(arg.FileAnswer(**file, own=["a.py"], limit="90s")) == 90
    assert limit_of(arg.FileAnswer(**file)) == LIMIT
    with pytest.raises(UserError, match="--limit is for calls of your own code: give --own"):
        limit_of(arg.FileAnswer(**file, limit="90s"))
    with pytest.raises(UserError, match="--limit: '0s' is too short"):
        limit_of(arg.Command(commands=["cat {file}"], limit="0s"))
    code = tmp_path / "mine.py"
    code.write_text("def f(path): pass\n")
    (runner,) = own.runners([str(code)], 90.0)
    assert runner.own.limit == 90.0


# how long an answer takes


def seconds(fake, calls, cores=2):
    made = make_plan(group(steady(10, 20), cache='["warm", "cold"]'), fake, seed=1)
    every = {number: calls[case.parameters["speed"]] for number, case in enumerate(made.cases)
             if case.strategy == "fake/steady" and case.parameters["speed"] in calls}  # fmt: skip
    (bundle,) = made.bundles
    return cost.replicate_seconds(made, bundle, [fake.runtime], cores, METHOD, every)


def test_a_replicate_takes_a_first_call_of_each_fork_and_one_of_each_case(fake):
    """Two cases and the control of the first one, cached and from disk: three forks, two at a time."""
    assert seconds(fake, {}) < 2
    of_both = seconds(fake, {10: 20.0, 20: 20.0})
    assert of_both == pytest.approx(3 * 20 / 2 + 6 * 20, rel=0.02)
    assert seconds(fake, {10: 20.0, 20: 20.0}, cores=1) == pytest.approx(9 * 20, rel=0.02)
    of_one = seconds(fake, {20: 20.0})
    assert of_one == pytest.approx(20 / 2 + 2 * 20, rel=0.05)
    short = seconds(fake, {10: 0.4, 20: 0.4})
    assert short == pytest.approx(3 * 0.4 / 2 + 3 * 6 * 0.4, rel=0.1), "three rounds"


def test_by_case(fake):
    made = make_plan(group(steady(10, 20)), fake, seed=1)
    every = {
        number: 3.0 for number, case in enumerate(made.cases) if case.strategy == "fake/steady"
    }
    assert cost.by_case(made, {"fake/steady": 3.0, "other": 1.0}) == every and len(every) >= 3


def test_a_schedule_learns_how_long_calls_take(fake):
    run = empty_run(fake, 10, 20)
    judge = SimpleNamespace(statuses=lambda run: {}, levels=lambda run, group: {})
    schedule = Schedule(run, judge, 2, lambda: 0.0)
    every = run.plan.groups[0].cases
    schedule.stop_policy = SimpleNamespace(
        live=lambda bundle: list(every),
        goals=lambda bundle: [3],
        expected_seconds=lambda seconds: seconds,
    )
    before = schedule.remaining()
    needed = schedule.learn(dict.fromkeys(every, 20.0))
    assert needed == pytest.approx(3 * (3 * 20 / 2 + 3 * 20), rel=0.05)
    assert schedule.remaining() == pytest.approx(needed) and before < 5


def test_until_a_call_was_made_nobody_knows_how_long_it_takes(fake, monkeypatch):
    run = empty_run(fake, 10, 20)
    judge = SimpleNamespace(statuses=lambda run: {}, levels=lambda run, group: {})
    monkeypatch.setattr(Schedule, "_is_users", lambda self, case: True)
    schedule = Schedule(run, judge, 2, lambda: 0.0)
    assert schedule.remaining() is None


def test_it_is_told_in_words():
    says = "an answer takes about 5m 00s, as one call takes 20 s"
    assert str(Longer(300.0, 20.0)) == says
    assert str(Longer(300.0, 20.0, "f(path)")) == says.replace(
        "call takes", "call of f(path) takes"
    )


# open files


def test_the_files_that_are_left():
    limits = processes.files()
    assert limits is None or 0 <= limits.left < limits.limit


@pytest.mark.parametrize(("left", "most"), [(15, 0), (28, 2), (29, 2), (136, 20)])
def test_forks_that_find_room(left, most):
    assert options.most_forks(Files(1024, left)) == most


def test_too_few_files_are_one_line():
    options.must_have_files(Files(64, 60), 7)
    options.must_have_files(None, 1000)
    says = r"may have 40 files open at a time here \(ulimit -n\), and it needs 62 to measure this"
    with pytest.raises(UserError, match=says):
        options.must_have_files(Files(40, 36), 7)


def cut(fake, most, *speeds, cache='["warm"]'):
    made = make_plan(group(steady(*speeds), cache=cache), fake, seed=1)
    made = made.model_copy(update={"most_forks": most})
    memory = dict.fromkeys(range(len(made.forks)), 1)
    (bundle,) = made.bundles
    live = [case for each in bundle.groups for case in made.groups[each].cases]
    return made, order.parts(made, bundle, 0, live, memory)


def test_a_replicate_is_cut_where_files_are_few(fake):
    made, parts = cut(fake, 3, 10, 11, 12, 13, 14)
    (group_,) = made.groups
    assert len(parts) == 3 and all(len(each) <= 3 for each in parts)
    assert all(group_.baseline in each for each in parts)
    assert {case for part in parts for case in part} == set(group_.cases)
    assert len(cut(fake, None, 10, 11, 12, 13, 14)[1]) == 1
    assert order.most_at_a_time(made) == 3
    assert order.fewest(made, made.bundles[0]) == 2
