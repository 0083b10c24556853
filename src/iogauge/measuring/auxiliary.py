"""What is measured and not compared: compute-only variants, the harness's cost, and ceilings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from iogauge.corpus.store import Corpus
from iogauge.measuring.calibration import Calibrator
from iogauge.measuring.cases import Cases
from iogauge.measuring.forks import RUNNER_ERRORS, LiveForks
from iogauge.measuring.recorder import Part, Recorder, keys_of
from iogauge.measuring.sampling import Sampler
from iogauge.model.plan import Coordinates, ReplicateId
from iogauge.planning.order import shuffled
from iogauge.runfile import records
from iogauge.runners import task
from iogauge.runners.fork import overlap
from iogauge.runners.live_fork import LiveFork, WarmUp


@dataclass
class ComputeOnlyVariants:
    """Measures the work that is not I/O, on data in memory, in forks that did their rounds."""

    cases: Cases
    forks: LiveForks
    corpus: Corpus
    recorder: Recorder

    def measure(self, number: int, cases: list[int], part: Part) -> None:
        """For the cases of a fork of the plan with a compute-only variant: once per content."""
        by_content: dict[str, list[int]] = {}
        for case in cases:
            workload, variant = self.cases[case].workload, self.cases.strategy(case).compute_only
            if case not in self.recorder.failed and variant and workload.size:
                by_content.setdefault(workload.content, []).append(case)
        for users in by_content.values():
            if (live_fork := self.forks.alive(number)) is None:
                return
            try:
                self._measure(live_fork, users, part)
            except RUNNER_ERRORS as error:
                text = f"the work that is no I/O could not be measured: {error}"
                for case in users:
                    self.recorder.caveat(self.cases[case].key, text, part)

    def _measure(self, live_fork: LiveFork, cases: list[int], part: Part) -> None:
        method = self.cases.method
        largest = max(cases, key=lambda each: self.cases[each].workload.size)
        variant = self.cases.strategy(cases[0]).compute_only
        assert variant is not None  # all of these cases have one, the same
        declared = self.cases.runtime(largest).strategies[variant]
        work, spec, parameters = task.compute_only(
            self.cases[largest], declared, self.corpus, method
        )
        until = WarmUp(method.compute_only_warm_up)
        overlap([live_fork.warmed_up(work, None, until)], at_once=1)
        operations = max(1, round(method.compute_only_span * 1e9 / live_fork.levels[work.shape]))
        spans = live_fork.work(work, None, operations, method.compute_only_spans)
        self.recorder.add(
            records.ComputeOnly(
                cases=cases,
                strategy=declared.name,
                parameters=parameters,
                fork=live_fork.number,
                **keys_of(part),
                size=spec.size,
                ns=spans.ns,
                operations=spans.operations,
            )
        )


@dataclass
class Harness:
    """Measures what an operation that does nothing costs, and what a request costs."""

    cases: Cases
    forks: LiveForks
    recorder: Recorder

    def measure(self, numbers: list[int], part: Part) -> None:
        """In these forks of the plan, once per runtime with its options and run."""
        known = {(each.runtime, tuple(each.options)) for each in self.recorder.run.harness}
        for number in numbers:
            if (live_fork := self.forks.alive(number)) is None:
                continue
            runtime, options = live_fork.spec.runtime, live_fork.spec.options
            strategies = self.cases.runtimes[runtime].strategies.values()
            null = next((each for each in strategies if each.role == "null"), None)
            if (runtime, options) in known or null is None:
                continue
            known.add((runtime, options))
            try:
                spans, observed = live_fork.idle(null)
            except RUNNER_ERRORS as error:
                text = f"the harness's own cost on {runtime} could not be measured: {error}"
                self.recorder.caveat("run", text, part)
                continue
            self.recorder.add(
                records.Harness(
                    runtime=runtime,
                    options=list(options),
                    strategy=null.name,
                    fork=live_fork.number,
                    **keys_of(part),
                    ns=spans.ns,
                    operations=spans.operations,
                    evidence=list(observed),
                )
            )


@dataclass
class Ceilings:
    """Measures what the machine can do with the same bytes: one fork for each candidate."""

    sampler: Sampler
    calibrator: Calibrator
    tell: Callable[[str, int], None]

    def measure(self, candidates: Mapping[int, list[int]], replicate: ReplicateId) -> None:
        """The candidates of some groups, by the index of the group."""
        sampler = self.sampler
        for index, cases in candidates.items():
            left = [case for case in cases if case not in sampler.recorder.failed]
            if left:
                sampler.caching.bring_in(index, replicate)
            self.tell("what the machine can do", index)
            for case in shuffled(sampler.cases.plan, left, "ceilings", index, replicate.number):
                self._candidate(index, case, Part(replicate))

    def _candidate(self, index: int, case: int, part: Part) -> None:
        sampler, forks, cases = self.sampler, self.sampler.forks, self.sampler.cases
        number = cases.plan.fork_of[case]
        try:
            forks.warm_up_all({number: [case]}, [number], part)
            forks.look_alone(number, [case], part)
            if cases[case].workload.writes_file:
                sampler.writing.settle(index, part)
            for turn in range(cases.method.ceiling_samples):
                if forks.can_measure(case):
                    self.calibrator.calibrate(index, [case])
                    at = Coordinates(part.replicate, part.number, index, case, turn, 0)
                    sampler.take(at)
        finally:
            forks.end()
