"""Which replicate is next, and when a run ends: by a clock of its own, without any measuring."""

from __future__ import annotations

from collections import defaultdict, deque
from types import SimpleNamespace

import pytest

from iogauge.measuring.schedule import _RECENT, Schedule
from iogauge.model.method import METHOD


def test_replicates_go_where_they_soonest_decide(monkeypatch):
    """In turns of three; within a turn first to what has a group that is soonest decided, last to
    what no planned look would decide.
    """
    schedule = object.__new__(Schedule)
    goals = {0: [24, 12], 1: [18], 2: [None, 12], 3: [None, 18, 64]}
    seconds = {0: 1.0, 1: 5.0, 2: 0.1, 3: 1.0}
    schedule.stop_policy = SimpleNamespace(goals=goals.get)
    monkeypatch.setattr(schedule, "expected_seconds", seconds.get, raising=False)
    monkeypatch.setattr(schedule, "_fits", lambda bundle: True, raising=False)
    monkeypatch.setattr(schedule, "_is_of_own_file", lambda bundle: False, raising=False)

    def order(*done):
        return sorted(range(4), key=lambda bundle: schedule.urgency(bundle, done[bundle]))

    assert order(12, 12, 12, 12) == [3, 0, 1, 2]
    assert order(2, 0, 1, 0) == [1, 3, 2, 0]  # the first three come evenly
    assert order(5, 3, 4, 11) == [2, 0, 1, 3]
    assert order(12, 12, 11, 12)[0] == 2


class Turns(Schedule):
    """A schedule of bundles whose replicates take so many seconds, which nothing decides."""

    def __init__(
        self, seconds: list[float], budget: float, content: str = "bytes", as_left: tuple = ()
    ):
        self.elapsed_seconds, self.each = 0.0, seconds
        bundles = [SimpleNamespace(groups=[index]) for index in range(len(seconds))]
        group = SimpleNamespace(workload=SimpleNamespace(content=content))
        groups = [group] * len(seconds)
        self.plan = SimpleNamespace(bundles=bundles, groups=groups, published=None)
        self._run = SimpleNamespace(budget=budget)
        self.stop_policy = SimpleNamespace(
            live=lambda bundle: [] if self.is_over(bundle) else [bundle],
            goals=lambda bundle: [64],
            expected_seconds=lambda seconds: seconds,
        )
        self._done = dict.fromkeys(range(len(seconds)), 0)
        self._as_left, self.lost, self._was_left, self.statuses = set(as_left), set(), set(), {}
        self._case_seconds = defaultdict(lambda: deque(maxlen=_RECENT))
        self._auxiliary_seconds, self._deferred_seconds = {}, {}
        self._ceiling_seconds, self._method = 0.0, METHOD

    elapsed = property(lambda self: self.elapsed_seconds)

    def _guess(self, bundle: int) -> float:
        return self.each[bundle]

    _whole_seconds = _guess

    def carry_out(self) -> list[int]:
        done = []
        while not isinstance(following := self.next(), str):
            bundle, number = following
            done.append(bundle)
            skip_auxiliary = self.skip_auxiliary(bundle, number)
            self.elapsed_seconds += self.each[bundle]
            self.replicate_done(bundle, self.each[bundle], 1, 0.0, 0.0, skip_auxiliary)
        return done


@pytest.mark.parametrize(
    ("seconds", "budget"), [([1, 1, 1], 60), ([6, 1, 1], 60), ([15, 4, 1], 61), ([2, 2, 30], 103)]
)
def test_every_question_has_its_third_replicate_before_one_has_its_tenth(seconds, budget):
    schedule = Turns(seconds, budget)
    done = schedule.carry_out()
    for bundle in range(3):
        assert done.count(bundle) >= 3
        before = done[: [at for at, each in enumerate(done) if each == bundle][2]]
        assert max(map(before.count, range(3))) <= 3
    assert schedule.elapsed <= budget
    assert schedule.elapsed + min(seconds) > budget  # nothing that fits is left out


@pytest.mark.parametrize(
    ("seconds", "budget", "done"),
    [
        # The third of the first ends after the budget, and comes last.
        ([15, 4, 1], 50, [2, 1, 0, 2, 1, 0, 2, 1, 0]),
        ([40, 30, 20], 10, [2, 1, 0]),  # each once, whatever the budget
        # By a fifth at most: the others get what is left, within the budget.
        ([15, 4, 1], 49, [2, 1, 0, 2, 1, 0, 2, 1, 2, 2, 2, 2]),
        # A second one without a third decides nothing: none is begun that ends after the budget.
        ([10], 19, [0]),
        ([10], 20, [0, 0]),
        ([10], 25, [0, 0, 0]),
    ],
)
def test_only_what_an_answer_needs_ends_after_the_budget(seconds, budget, done):
    schedule = Turns(seconds, budget)
    assert schedule.carry_out() == done
    assert schedule.elapsed == sum(seconds[each] for each in done)


def test_of_a_file_of_the_users_what_is_asked_first_is_measured_first():
    """The lines of a text, which take longer than its bytes: each question has its first, then
    the lines have all that an answer takes.
    """
    assert Turns([6, 4, 1], 40, "own").carry_out()[:9] == [0, 1, 2, 0, 0, 1, 1, 2, 2]
    # What ends after the budget by a fifth is an answer, too.
    assert Turns([15, 4, 1], 50, "own").carry_out() == [0, 1, 2, 0, 0, 1, 1, 2, 2]
    # Where the third would end too late, others have what is left.
    assert Turns([30, 4, 1], 61, "own").carry_out()[:7] == [0, 1, 2, 1, 1, 2, 2]


def test_files_as_they_were_left_come_first_and_never_again():
    done = Turns([1, 2, 1], 20, as_left=(0,)).carry_out()
    before = done.index(min(each for each in done if each))
    assert done[:11] == [0] * 11, "as long as three of the others fit"
    assert 0 not in done[before:] and done.count(1) >= 3 and done.count(2) >= 3
    # Of several, each has its third before the others begin, if that ends in time.
    assert Turns([9, 9, 1], 60, as_left=(0, 1)).carry_out()[:7] == [0, 1, 0, 1, 0, 1, 2]
    assert Turns([9, 9, 1], 20, as_left=(0, 1)).carry_out()[:3] == [0, 1, 2]


def test_a_file_that_is_no_more_as_it_was_left_is_read_no_more():
    schedule = Turns([1, 1], 20, as_left=(0,))
    schedule.lost.add(0)
    assert set(schedule.carry_out()) == {1} and schedule.next() == "budget"


def test_ceilings_are_left_to_the_third_replicate_where_that_lets_all_have_a_third():
    def should_defer_ceilings(budget, candidates=10):  # of 0.2 s each
        schedule = Turns([4, 4], budget)
        schedule.elapsed_seconds = 4.0
        found = schedule.should_defer_ceilings(0, 4.0, {0: range(candidates)})
        schedule.replicate_done(0, 4.0, 1, 0.0, 0.0, skip_auxiliary=False)
        assert not schedule.skip_auxiliary(0, 1) or budget < 24, "to ask changes nothing"
        return found

    assert should_defer_ceilings(25)
    assert not should_defer_ceilings(27), "there is time for both"
    assert not should_defer_ceilings(15), "three do not fit in either case"
    assert not should_defer_ceilings(25, candidates=4), "an earlier run measured the others"
    assert not should_defer_ceilings(23, candidates=0), "there is nothing to leave"


def left_to_third(budget, elapsed):
    """Two questions of 4 s; the ceilings of the first, of 2 s, are left to its third replicate,
    which is next.
    """
    schedule = Turns([4, 4], budget)
    schedule.defer_ceilings(0, {0: range(10)})
    for bundle in (0, 1, 0, 1):
        schedule.replicate_done(bundle, 4.0, 1, 0.0, 0.0, skip_auxiliary=False)
    schedule.elapsed_seconds = elapsed
    return schedule


def test_what_is_left_to_the_third_replicate_is_in_its_expected_time():
    assert [left_to_third(25, 16).expected_seconds(each) for each in (0, 1)] == [4 + 2, 4]
    schedule = left_to_third(21.7, 16)
    assert schedule.next() == (1, 2), "the other one ends after the budget"
    schedule.replicate_done(0, 6.0, 1, 2.0, 2.0, skip_auxiliary=False)
    assert schedule.expected_seconds(0) == 4, "they are measured once"
    # It is not measured where it costs another its third: what is left takes 10 s, of which 2 s are
    # ceilings, and may end at 24 s.
    in_time, late = left_to_third(20, 14), left_to_third(20, 15)
    assert not in_time.skip_auxiliary(0, 2) and late.skip_auxiliary(0, 2)
    assert late.expected_seconds(0) == 4
    assert in_time.skip_auxiliary(1, 2), "nor are those of the other"


def test_a_replicate_is_expected_to_take_as_long_as_the_longer_of_the_last_two():
    schedule = Turns([0], 100)
    for seconds, expected in ((30, 30), (10, 30), (12, 12)):
        schedule.replicate_done(0, seconds, 1, 0.0, 0.0, skip_auxiliary=False)
        assert schedule.expected_seconds(0) == expected
