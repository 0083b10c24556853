"""Which bundle is measured next, and which of its cases; how long that takes, and how much of the
budget is left.
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Protocol

from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.decision.rounds import TYPICAL, Cost, best_rounds
from iogauge.decision.status import GroupStatus
from iogauge.measuring.status import Judge
from iogauge.model.case import Case
from iogauge.model.plan import Plan
from iogauge.planning.cost import ceilings_seconds, replicate_seconds
from iogauge.runfile.records import EndReason
from iogauge.runfile.run import Run

_RECENT = (
    2  # replicates of a bundle: the next one is expected to take as long as the longer of them
)


class StopPolicy(Protocol):
    """What a protocol measures until the end."""

    def live(self, bundle: int) -> list[int]:
        """The cases of a bundle that the next replicate measures; none when it is done."""

    def goals(self, bundle: int) -> list[int | None]:
        """Per group of the bundle, the replicates in all until it is likely decided; None where
        that cannot be said.
        """

    def expected_seconds(self, seconds: float) -> float:
        """How long the next replicate of a bundle takes that would take so many seconds if nothing
        were shortened.
        """


class Schedule:
    """Decides what comes next. `cores` is how many forks start at a time; `clock` gives seconds,
    from which `elapsed` counts on over all sessions of a run.

    `calls` has how many seconds a call of code of the user's takes, by case, where that is known.

    `lost` are groups whose file is no more cached as it was left, to which nothing can be added;
    `statuses` has how the groups stand; `levels`, by group, the median ns per operation of the
    cases in the first replicate. `stop_policy` is set before anything is asked.
    """

    stop_policy: StopPolicy
    must_answer = False  # whatever the budget, which was made for an answer
    _calls: Mapping[int, float] = MappingProxyType({})

    def __init__(
        self,
        run: Run,
        judge: Judge,
        cores: int,
        clock: Callable[[], float],
        calls: Mapping[int, float] = MappingProxyType({}),
    ):
        self._run, self._judge, self._cores, self._clock = run, judge, cores, clock
        self.plan: Plan = run.plan
        self._method = run.header.method
        self._began = clock() - run.seconds  # a resumed run goes on counting
        self.statuses: Mapping[int, GroupStatus] = {}
        self.levels: dict[int, Mapping[int, float]] = {}
        self.lost: set[int] = set()
        self._done = dict.fromkeys(range(len(self.plan.bundles)), 0)
        # By bundle: seconds per case in its last replicates, and of the ceilings and compute-only
        # variants that its next one measures, as long as they took in the last that had them.
        self._case_seconds: dict[int, deque[float]] = defaultdict(lambda: deque(maxlen=_RECENT))
        self._auxiliary_seconds: dict[int, float] = {}
        # By bundle, about how long the ceilings take that are left to its third replicate.
        self._deferred_seconds: dict[int, float] = {}
        self._as_left = {
            number
            for number, bundle in enumerate(self.plan.bundles)
            if any(self.plan.groups[each].conditions.as_left for each in bundle.groups)
        }
        # What was left in the cache in an earlier session is so no more.
        self._was_left = self._as_left.intersection(each.bundle for each in run.replicates)
        for record in run.replicates:
            self._done[record.bundle] = record.replicate + 1
            self._case_seconds[record.bundle].append(record.seconds / len(record.cases))
        users = self.plan.published is None and any(map(self._is_users, self.plan.cases))
        self._calls, self._unknown = calls, users and not run.replicates and not calls
        # Where an older run does not have how long ceilings took, it is as much as it may be.
        known = [each.phases.get("ceilings", 0.0) for each in run.replicates if each.phases]
        unknown = self._method.ceiling_share * run.seconds if run.replicates else 0.0
        self._ceiling_seconds = sum(known) if known else unknown

    @property
    def elapsed(self) -> float:
        """Seconds of measuring, over all sessions of the run."""
        return self._clock() - self._began

    @property
    def replicates(self) -> int:
        """How many are complete, of all bundles."""
        return len(self._run.replicates)

    def judge(self) -> None:
        """Look at how the groups stand now."""
        self.statuses = self._judge.statuses(self._run)

    def look_at_first(self, group: int) -> bool:
        """Look at the levels of a group in its first replicate. Returns whether it is in its
        first.
        """
        first = group not in self.statuses
        if first:
            self.levels[group] = self._judge.levels(self._run, group)
        return first

    def is_open(self, group: int, case: int) -> bool:
        """Whether more rounds of this case may help to decide its group."""
        status = self.statuses.get(group)
        return status is None or case in status.open

    def rounds(self, bundle: int, group: int, seconds: float, further: float) -> int:
        """How many rounds of a group are worth their time in the replicate that is being measured.
        With the fewest, its share of the replicate takes so many seconds, and each further round
        takes `further`.
        """
        status = self.statuses.get(group)
        open_bundles = sum(bool(self.stop_policy.live(each)) for each in self._done)
        of_bundle = (self._run.budget - self.elapsed) / max(1, open_bundles)
        left = of_bundle / len(self.plan.bundles[bundle].groups) + seconds
        cost = Cost(seconds, further, left, self._done[bundle] + 1)
        most, fewest = self.plan.groups[group].rounds, self._method.fewest_rounds
        return best_rounds(status.spread if status else TYPICAL, cost, fewest, most)

    def learn(self, calls: Mapping[int, float]) -> float:
        """Learn how many seconds a call takes of cases that are code of the user's, which nobody
        could guess. Returns how long the run takes until all is measured often enough.
        """
        self._calls = {**self._calls, **calls}
        self._unknown = False
        before = self.elapsed if self._run.replicates else 0.0
        return before + sum(map(self._first_seconds, self._done))

    # what comes next

    def is_over(self, bundle: int) -> bool:
        """Whether it reads files as they were left, and they are so no more."""
        others = (done for other, done in self._done.items() if other not in self._as_left)
        lost = bool(self.lost.intersection(self.plan.bundles[bundle].groups))
        return bundle in self._as_left and (any(others) or lost or bundle in self._was_left)

    def _of_this_phase(self, pending: list[int]) -> list[int]:
        """Files as they were left come first, as long as there is time for three replicates of the
        others; then never again.
        """
        as_left = [each for each in pending if each in self._as_left]
        others = [each for each in pending if each not in self._as_left]
        needed = sum(map(self._first_seconds, others))
        fit = [
            each
            for each in as_left
            if self._may_begin(each)
            and (
                self._done[each] < FEWEST_REPLICATES
                or self.elapsed + self.expected_seconds(each) + needed <= self._run.budget
            )
        ]
        return fit or others or as_left

    def next(self) -> tuple[int, int] | EndReason:
        """The bundle to measure, and the number of its replicate; or why there is none."""
        pending = self._of_this_phase(
            [bundle for bundle in self._done if self.stop_policy.live(bundle)]
        )
        if not pending:
            return "budget" if any(map(self._is_cut_short, self._as_left)) else "decided"
        begun = [bundle for bundle in pending if self._may_begin(bundle)]
        if not begun:
            return "budget"
        bundle = min(
            begun, key=lambda each: (self.urgency(each, self._done[each]), self._length(each))
        )
        return bundle, self._done[bundle]

    def _is_cut_short(self, bundle: int) -> bool:
        found = map(self.statuses.get, self.plan.bundles[bundle].groups)
        return self.is_over(bundle) and any(each is None or each.live for each in found)

    def _length(self, bundle: int) -> float:
        """Where two are as urgent, the shorter one comes first: then there is something to read
        sooner. Of a file of the user's the one that is asked first.
        """
        return float(bundle) if self._is_of_own_file(bundle) else self._guess(bundle)

    def _is_of_own_file(self, bundle: int) -> bool:
        groups = (self.plan.groups[each] for each in self.plan.bundles[bundle].groups)
        return any(each.workload.content == "own" for each in groups)

    def _may_begin(self, bundle: int) -> bool:
        """The first replicate is always measured, and the third one may end somewhat after the
        budget: with fewer nothing is decided. What was published is shortened instead.
        """
        done = self._done[bundle]
        needed = FEWEST_REPLICATES - done
        if not done or self._fits(bundle) or (needed > 0 and self.must_answer):
            return True
        longest = self._method.longest_overrun * self._run.budget
        return (
            needed > 0
            and self.plan.published is None
            and self.elapsed + needed * self.expected_seconds(bundle) <= longest
        )

    def _fits(self, bundle: int) -> bool:
        """Whether the next replicate ends within the budget."""
        return self.elapsed + self.expected_seconds(bundle) <= self._run.budget

    def urgency(self, bundle: int, done: int) -> tuple[int, float, int]:
        """The least comes first. Bundles take turns of three replicates: each has its third before
        one has its fourth, and its sixth before one has its seventh. The first three come evenly,
        what ends after the budget last; later ones first where a group is soonest decided. Of a
        file of the user's, what is asked first has its third before another has its second: where
        all takes longer than was guessed, there is an answer to that at least.
        """
        turn = done // FEWEST_REPLICATES
        if not turn and self._is_of_own_file(bundle):
            return turn, float(done > 0) * (1 + bundle), done
        if not turn:
            return turn, float(done > 0 and not self._fits(bundle)), done
        goals = [
            goal for goal in self.stop_policy.goals(bundle) if goal is not None and goal > done
        ]
        seconds = (min(goals) - done) * self.expected_seconds(bundle) if goals else math.inf
        return turn, seconds, done

    def skip_auxiliary(self, bundle: int, number: int) -> bool:
        """Whether what is left of the budget does not hold the first replicates of all bundles
        whole. With fewer than three of them nothing is known of any case, so compute-only variants
        and ceilings are left to the first replicate.
        """
        if bundle not in self._case_seconds or number >= FEWEST_REPLICATES:
            return False
        longest = self._run.budget
        if bundle in self._deferred_seconds:
            if number < FEWEST_REPLICATES - 1:
                return True
            longest *= self._method.longest_overrun  # the third may end so late
        return self.elapsed + sum(map(self._first_seconds, self._done)) > longest

    def should_defer_ceilings(
        self, bundle: int, seconds: float, candidates: Mapping[int, list[int]]
    ) -> bool:
        """Whether these ceilings of a first replicate, whose cases took so many seconds, are better
        left to the third: without them three replicates of all bundles are likely measured in time.
        """
        needed = (FEWEST_REPLICATES - 1) * seconds
        needed += sum(self._first_seconds(each) for each in self._done if each != bundle)
        without, budget = self.elapsed + needed, self._run.budget
        ceilings = ceilings_seconds(candidates)
        longest = self._method.longest_overrun * budget
        return bool(ceilings) and without <= longest and without + ceilings > budget

    def defer_ceilings(self, bundle: int, candidates: Mapping[int, list[int]]) -> None:
        """The bundle's ceilings are measured in its third replicate, if there is time for them."""
        self._deferred_seconds[bundle] = ceilings_seconds(candidates)

    def _first_seconds(self, bundle: int) -> float:
        """How long what is left of the bundle's first three replicates takes."""
        left = FEWEST_REPLICATES - self._done[bundle]
        if left <= 0 or not self.stop_policy.live(bundle):
            return 0.0
        return left * self._whole_seconds(bundle) + self._deferred_seconds.get(bundle, 0.0)

    def _whole_seconds(self, bundle: int) -> float:
        """How long a replicate of the bundle takes with all that is measured in it, but for what
        is left to the third.
        """
        if bundle not in self._case_seconds:
            return self._guess(bundle)
        cases = len(self.stop_policy.live(bundle)) * max(self._case_seconds[bundle])
        return cases + self._auxiliary_seconds.get(bundle, 0.0)

    def _guess(self, bundle: int) -> float:
        """The same before anything was measured."""
        runtimes, found = self._run.header.runtimes, self.plan.bundles[bundle]
        calls = self._calls
        return replicate_seconds(self.plan, found, runtimes, self._cores, self._method, calls)

    def candidates(
        self, groups: list[int], number: int, skip_auxiliary: bool
    ) -> dict[int, list[int]]:
        """By group, the candidates for the ceiling that this replicate measures: none where an
        earlier run did. Where a case seems to be above its ceiling they always are, because nothing
        may rest on such a case.
        """
        method = self._method
        cheap = self._ceiling_seconds <= method.ceiling_share * self.elapsed
        in_time = not number or self.elapsed < method.longest_overrun * self._run.budget
        first = number < method.ceiling_replicates and not skip_auxiliary and in_time
        found = {}
        for index in groups:
            group, status = self.plan.groups[index], self.statuses.get(index)
            known = self._run.known_ceiling(group) is not None
            asked = status is not None and (
                status.above_ceiling
                or (status.maybe_above_ceiling and cheap and not skip_auxiliary and not known)
            )
            if (first and not known) or (asked and number < method.most_ceiling_replicates):
                found[index] = list(status.candidates if status else group.ceilings)
        return found

    def replicate_done(
        self,
        bundle: int,
        seconds: float,
        cases: int,
        auxiliary: float,
        ceilings: float,
        skip_auxiliary: bool,
    ) -> None:
        """A replicate of so many cases took so many seconds; of these, `auxiliary` went to
        compute-only variants and ceilings, and `ceilings` to the latter.
        """
        self._done[bundle] += 1
        self._case_seconds[bundle].append((seconds - auxiliary) / cases)
        self._ceiling_seconds += ceilings
        if not skip_auxiliary:
            again = self._done[bundle] < self._method.compute_only_replicates
            self._auxiliary_seconds[bundle] = auxiliary if again else ceilings

    # how long it takes

    def _is_users(self, case: Case) -> bool:
        declared = self._run.header.declared(case)
        return declared.is_own or declared.command is not None

    def expected_seconds(self, bundle: int) -> float:
        """How long the bundle's next replicate takes."""
        seconds, done = self._whole_seconds(bundle), self._done[bundle]
        if bundle in self._case_seconds:
            skip_auxiliary = self.skip_auxiliary(bundle, done)
            seconds = len(self.stop_policy.live(bundle)) * max(self._case_seconds[bundle])
            if not skip_auxiliary and done < self._method.ceiling_replicates:
                seconds += self._auxiliary_seconds.get(bundle, 0.0)
                if done == FEWEST_REPLICATES - 1:
                    seconds += self._deferred_seconds.get(bundle, 0.0)
        return self.stop_policy.expected_seconds(seconds)

    def remaining(self) -> float | None:
        """Seconds until all is likely decided, at most until the budget is out. None before a call
        of code of the user's was made: it may take any time.
        """
        if self._unknown:
            return None
        left = max(0.0, self._run.budget - self.elapsed)
        needed = 0.0
        for number in range(len(self.plan.bundles)):
            if not self.stop_policy.live(number):
                continue
            goals = self.stop_policy.goals(number)
            known = [goal for goal in goals if goal is not None]
            if len(known) < len(goals):
                return left
            needed += self.expected_seconds(number) * max(1, max(known) - self._done[number])
        return min(left, needed)


class UntilDecided:
    """The stop policy of the sound protocol: every group is measured until it is decided."""

    def __init__(self, schedule: Schedule, failed: set[int]):
        self._schedule, self._failed = schedule, failed

    def live(self, bundle: int) -> list[int]:
        """Implements StopPolicy: the cases that are still live."""
        if self._schedule.is_over(bundle):
            return []
        plan, cases = self._schedule.plan, list[int]()
        for index in plan.bundles[bundle].groups:
            group, status = plan.groups[index], self._schedule.statuses.get(index)
            cases += group.cases if status is None else status.live
        return [case for case in cases if case not in self._failed]

    def goals(self, bundle: int) -> list[int | None]:
        """Implements StopPolicy."""
        statuses = map(self._schedule.statuses.get, self._schedule.plan.bundles[bundle].groups)
        return [FEWEST_REPLICATES if each is None else each.goal for each in statuses]

    def expected_seconds(self, seconds: float) -> float:
        """Implements StopPolicy: nothing is shortened."""
        return seconds
