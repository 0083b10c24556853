"""What is measured beside the cases: the work that is not I/O, the harness's own cost, and what the
machine can do with the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from iogauge.corpus.store import Corpus
from iogauge.measuring.calibration import Calibrator
from iogauge.measuring.cases import Cases
from iogauge.measuring.forks import RUNNER_ERRORS, LiveForks
from iogauge.measuring.recorder import Part, Recorder
from iogauge.measuring.sampling import Caching, Sampler
from iogauge.measuring.writing import Writing
from iogauge.model.plan import Coordinates, ReplicateId
from iogauge.planning.order import shuffled
from iogauge.runners import task
from iogauge.runners.fork import overlap
from iogauge.runners.live_fork import LiveFork

Tell = Callable[[str, int], None]


class ComputeOnlyVariants:
    """Measures the part of the work that is not I/O, on data in memory, in forks that have done
    their rounds.
    """

    def __init__(self, cases: Cases, forks: LiveForks, corpus: Corpus, recorder: Recorder):
        self._cases, self._forks = cases, forks
        self._corpus, self._recorder = corpus, recorder

    def measure(self, number: int, cases: list[int], part: Part) -> None:
        """In a fork of the plan, for those of its cases that have a compute-only variant: once per
        content.
        """
        live_fork = self._forks.live_forks.get(number)
        by_content: dict[str, list[int]] = {}
        for case in cases:
            workload = self._cases[case].workload
            if (
                case not in self._recorder.failed
                and self._cases.strategy(case).compute_only
                and workload.size
            ):
                by_content.setdefault(workload.content, []).append(case)
        for users in by_content.values():
            if live_fork is None or not live_fork.fork.alive:
                return
            try:
                self._compute_only(live_fork, users, part)
            except RUNNER_ERRORS as error:
                text = f"the work that is no I/O could not be measured: {error}"
                for case in users:
                    self._recorder.caveat(self._cases[case].key, text, part)

    def _compute_only(self, live_fork: LiveFork, cases: list[int], part: Part) -> None:
        method = self._cases.method
        largest = max(cases, key=lambda each: self._cases[each].workload.size)
        strategies = self._cases.runtime(largest).strategies
        compute_only = self._cases.strategy(cases[0]).compute_only
        assert compute_only is not None  # all of these cases have one, the same
        declared = strategies[compute_only]
        work, spec, parameters = task.compute_only(
            self._cases[largest], declared, self._corpus, method
        )
        overlap([live_fork.warmed_up(work, None, method.compute_only_warm_up)], at_once=1)
        operations = max(1, round(method.compute_only_span * 1e9 / live_fork.levels[work.shape]))
        spans = live_fork.work(work, None, operations, method.compute_only_spans)
        self._recorder.compute_only(
            cases,
            live_fork,
            part,
            spans,
            strategy=declared.name,
            parameters=parameters,
            size=spec.size,
        )


class Harness:
    """Measures what an operation that does nothing costs, because every operation contains it; and
    what a request costs, because every sample contains one.
    """

    def __init__(self, cases: Cases, forks: LiveForks, recorder: Recorder):
        self._cases, self._forks, self._recorder = cases, forks, recorder

    def measure(self, numbers: list[int], part: Part) -> None:
        """In these forks of the plan, once per runtime with its options and run."""
        harness = self._recorder.run.harness
        known = {(each.runtime, tuple(each.options)) for each in harness}
        for number in numbers:
            live_fork = self._forks.live_forks.get(number)
            if live_fork is None or not live_fork.fork.alive:
                continue
            runtime, setting = (
                live_fork.spec.runtime,
                (live_fork.spec.runtime, live_fork.spec.options),
            )
            strategies = self._cases.runtimes[runtime].strategies.values()
            null = next((each for each in strategies if each.role == "null"), None)
            if setting in known or null is None:
                continue
            known.add(setting)
            try:
                spans, observed = live_fork.idle(null)
            except RUNNER_ERRORS as error:
                text = f"the harness's own cost on {runtime} could not be measured: {error}"
                self._recorder.caveat("run", text, part)
                continue
            self._recorder.harness(live_fork, part, null.name, spans, observed)


class Ceilings:
    """Measures what the machine can do with the same bytes: a fork for each candidate, one after
    another, when the forks of the cases have ended.
    """

    def __init__(
        self,
        cases: Cases,
        forks: LiveForks,
        caching: Caching,
        writing: Writing,
        calibrator: Calibrator,
        sampler: Sampler,
        recorder: Recorder,
        tell: Tell,
    ):
        self._cases, self._forks, self._caching, self._writing = cases, forks, caching, writing
        self._calibrator, self._sampler = calibrator, sampler
        self._recorder, self._tell = recorder, tell

    def measure(self, candidates: Mapping[int, list[int]], replicate: ReplicateId) -> None:
        """The candidates of some groups, by the index of the group."""
        plan = self._cases.plan
        for index, cases in candidates.items():
            left = [case for case in cases if case not in self._recorder.failed]
            if left:
                self._caching.bring_in(index, replicate)
            self._tell("what the machine can do", index)
            for case in shuffled(plan, left, "ceilings", index, replicate.number):
                self._candidate(index, case, Part(replicate))

    def _candidate(self, index: int, case: int, part: Part) -> None:
        number = self._cases.plan.fork_of[case]
        try:
            self._forks.warm_up_all({number: [case]}, [number], part)
            self._forks.look_alone(number, [case], part)
            if self._cases[case].workload.writes_file:
                self._writing.settle(index, part)
            for turn in range(self._cases.method.ceiling_samples):
                if case not in self._recorder.failed and self._forks.live_fork(case):
                    self._calibrator.calibrate(index, [case])
                    at = Coordinates(part.replicate, part.number, index, case, turn, 0)
                    self._sampler.take(at)
        finally:
            self._forks.end()
