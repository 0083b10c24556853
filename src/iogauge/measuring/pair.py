"""A protocol for two ways and little time: their forks start side by side, warm up, and give a few
samples in turn, some times over. Nothing is decided, so there is no control and no ceiling.
"""

from __future__ import annotations

from iogauge.measuring.bench import Bench
from iogauge.measuring.recorder import Part
from iogauge.measuring.status import Judge
from iogauge.model.plan import Coordinates
from iogauge.planning.order import shuffled

FEWEST = 3
"""Replicates: of fewer there is no interval."""
_MOST = 5  # replicates: what they differ by is not worth more of the user's time
_ROUNDS = 4  # samples of a way in a replicate

UNJUDGED = Judge(lambda run: {}, lambda run, group: {})
"""Says nothing of how a run stands: it ends by the number of its replicates."""


class Pair:
    """Implements Procedure, and StopPolicy: three replicates, and two more if there is time."""

    def __init__(self, bench: Bench):
        self.bench, self._done = bench, 0
        control = bench.plan.groups[0].control
        self._cases = [each for each in bench.plan.groups[0].cases if each != control]
        bench.writing.settles = False  # the program that was watched may have written much

    @property
    def stop_policy(self) -> Pair:
        return self

    def live(self, bundle: int) -> list[int]:
        """Implements StopPolicy: none where one of the two failed, because then nothing follows."""
        failed = any(case in self.bench.recorder.failed for case in self._cases)
        return [] if failed or self._done >= _MOST else self._cases

    def goals(self, bundle: int) -> list[int | None]:
        """Implements StopPolicy."""
        return [_MOST for _ in self.bench.plan.bundles[bundle].groups]

    def expected_seconds(self, seconds: float) -> float:
        """Implements StopPolicy: nothing is shortened."""
        return seconds

    def begin(self) -> None:
        """Implements Procedure: with fewer replicates than needed the time would be lost."""
        self.bench.schedule.must_answer = True

    def replicate(self, bundle: int, number: int) -> None:
        """Implements Procedure."""
        bench, start = self.bench, self.bench.schedule.elapsed
        replicate = bench.id(bundle, number)
        part, plan = Part(replicate), bench.plan
        served = {plan.fork_of[case]: [case] for case in self._cases}
        order = shuffled(plan, sorted(served), "forks", bundle, number, part.number)
        try:
            bench.forks.warm_up_all(served, order, part)
            for fork in order:
                if live_fork := bench.forks.live_forks.get(fork):
                    bench.recorder.fork(live_fork, fork, part)
            self._rounds(part)
        finally:
            bench.forks.end()
        self._done += 1
        bench.complete(replicate, self._cases, start)

    def _rounds(self, part: Part) -> None:
        bench, group = self.bench, 0
        bench.caching.bring_in_anew(group, part)
        able = [case for case in self._cases if bench.forks.can_measure(case)]
        if len(able) < len(self._cases):
            return
        bench.calibrator.calibrate(group, able)
        for number in range(_ROUNDS):
            # In turn the other first: what the first leaves behind meets both.
            due = able if number % 2 else able[::-1]
            for position, case in enumerate(due):
                if bench.forks.can_measure(case):
                    at = Coordinates(part.replicate, part.number, group, case, number, position)
                    bench.sampler.take(at)
