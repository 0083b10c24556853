"""The parts of a session, put together: both protocols measure with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple, Protocol

import numpy as np

from iogauge.corpus.store import Corpus
from iogauge.decision.group import GroupDecision
from iogauge.host import capacity
from iogauge.host.capacity import Throttling
from iogauge.host.device import Device
from iogauge.host.evidence import UNCOUNTED, MachineCounters
from iogauge.host.folios import Looker
from iogauge.host.pauses import RUNNING
from iogauge.host.placement import Placement
from iogauge.measuring.auxiliary import Ceilings, ComputeOnlyVariants, Harness
from iogauge.measuring.calibration import Calibrator
from iogauge.measuring.cases import Cases
from iogauge.measuring.forks import LiveForks
from iogauge.measuring.observed import Observer
from iogauge.measuring.phases import Phases
from iogauge.measuring.recorder import Recorder, keys_of
from iogauge.measuring.sampling import Caching, Sampler
from iogauge.measuring.schedule import Schedule, StopPolicy
from iogauge.measuring.status import Judge
from iogauge.measuring.unchanged import must_be
from iogauge.measuring.writing import Writing
from iogauge.model.errors import UserError
from iogauge.model.plan import ReplicateId
from iogauge.model.units import duration, estimated
from iogauge.runfile.records import Budget, End, EndReason, Replicate
from iogauge.runfile.run import Run
from iogauge.runfile.writing import Writer
from iogauge.runners.fork import Launch

_MARGIN = 1.2  # times as long as expected: some calls take longer than the first one


class Longer(NamedTuple):
    """An answer takes so many `seconds`, as a call of code of the user's takes `call` seconds; of
    the slowest function, whose `name` that is.
    """

    seconds: float
    call: float
    name: str = ""

    def __str__(self) -> str:
        takes = f"an answer takes about {estimated(self.seconds)}"
        of = f" of {self.name}" if self.name else ""
        return f"{takes}, as one call{of} takes {duration(self.call)}"


@dataclass(frozen=True)
class Progress:
    """How a run stands between two samples; times in seconds.

    `remaining` is None before it is known how long a call of code of the user's takes. `doing` says
    what comes next. `group` is the index of the group that this is of, None where it is of several
    or of none. `decisions`, by group index, is empty before the first replicate is complete.
    `levels` has, by group index, the median ns per operation of each case in the first replicate:
    something to read meanwhile. `longer` is told once: that an answer takes so long.
    """

    elapsed: float
    remaining: float | None
    replicates: int
    doing: str
    group: int | None
    decisions: dict[int, GroupDecision]
    levels: dict[int, dict[int, float]]
    longer: Longer | None = None


class Procedure(Protocol):
    """A protocol: what comes before the first replicate, and one replicate of a bundle."""

    @property
    def stop_policy(self) -> StopPolicy:
        """What it measures until the end."""

    def begin(self) -> None:
        """Called once, before the first replicate of a session."""

    def replicate(self, bundle: int, number: int) -> None:
        """Measure and record a replicate of a bundle."""


class Bench:
    """What one session of measuring a run works with.

    `run` and `writer` receive every record; `show` is called between samples with how it goes;
    `judge` says how the run stands. `launches` says per runtime how its forks start, `cores` how
    many of them at a time. `first_touch_matters` says whether untouched memory is slow at its first
    touch here. Where calls of code of the user's take too long for the budget, it `extends` to what
    an answer takes; `calls` has the seconds of those that are known. `clock` gives seconds.
    """

    def __init__(
        self,
        run: Run,
        writer: Writer,
        launches: Mapping[str, Launch],
        corpus: Corpus,
        show: Callable[[Progress], None],
        judge: Judge,
        *,
        cores: int,
        first_touch_matters: bool,
        extends: bool = False,
        calls: Mapping[int, float] = MappingProxyType({}),
        clock: Callable[[], float] = RUNNING,
    ):
        self.run, self.plan, self.method, self.corpus = run, run.plan, run.header.method, corpus
        self.attempt = 1 + max((fork.attempt for fork in run.forks), default=-1)
        self.cases = cases = Cases(run.header)
        self.recorder = recorder = Recorder(run, writer, corpus)
        self.schedule = Schedule(run, judge, cores, clock, calls)
        self.phases = Phases(clock)
        self._show, self._extends = show, extends
        self._device, self._machine = Device(corpus.directory), MachineCounters()
        self.observer = Observer(self._device, self._machine, lambda: self.schedule.elapsed)
        self.writing = Writing(cases, self._device, recorder, first_touch_matters)
        self.forks = LiveForks(cases, launches, self.writing, recorder, cores)
        self._looker = Looker(corpus.directory)
        self.caching = Caching(
            cases,
            self.forks,
            recorder,
            first_touch_matters,
            clock,
            self._looker.folio_bytes,
            self.schedule.lost,
        )
        self.calibrator = Calibrator(cases, self.forks, recorder)
        self.sampler = Sampler(
            cases,
            self.forks,
            self.caching,
            self.writing,
            self.observer,
            self.calibrator,
            recorder,
            Placement(self.method.placed_after),
            self.watch,
        )
        self.compute_only = ComputeOnlyVariants(cases, self.forks, corpus, recorder)
        self.harness = Harness(cases, self.forks, recorder)
        self.ceilings = Ceilings(self.sampler, self.calibrator, self.tell)

    def watch(self, cases: Iterable[int]) -> None:
        """To be called after calls of these cases. Raises UserError where they are code of the
        user's, and their file is not as it was.
        """
        called = [self.cases.strategy(case) for case in cases]
        theirs = [each for each in called if each.is_own]
        if self.corpus.own and theirs:
            must_be(self.corpus.own, theirs)

    def tell(self, doing: str, group: int | None = None, longer: Longer | None = None) -> None:
        """Show how the session goes; only between samples, because drawing would disturb one."""
        schedule = self.schedule
        self._show(
            Progress(
                schedule.elapsed,
                schedule.remaining(),
                schedule.replicates,
                doing,
                group,
                {index: each.decision for index, each in schedule.statuses.items()},
                {index: dict(levels) for index, levels in schedule.levels.items()},
                longer,
            )
        )

    def expect(self, cases: list[int]) -> None:
        """Learn from the first calls of these cases how long an answer takes. Raises UserError
        where the budget, which the user set, is too short for one.
        """
        found = {case: self.forks.call_seconds(case) for case in cases}
        calls = {case: seconds for case, seconds in found.items() if seconds is not None}
        needed, longest = self.schedule.learn(calls), max(calls.values(), default=0.0)
        if longest <= self.method.long_call:
            return
        slow = next(case for case, each in calls.items() if each == longest)
        answer = Longer(needed, longest, self.cases.strategy(slow).known_as)
        fits = needed <= self.method.longest_overrun * self.run.budget
        if not fits and not self._extends:
            raise UserError(
                f"--budget {duration(self.run.budget)}: {answer}; "
                "give that much, or leave --budget out"
            )
        self.schedule.must_answer = True
        if not fits:
            self.recorder.add(Budget(seconds=round(_MARGIN * needed, 1)))
            self.tell("measuring for longer", longer=answer)

    def carry_out(self, procedure: Procedure) -> EndReason:
        """Measure until all is decided or the budget is spent; an interruption is passed on."""
        self.schedule.stop_policy = procedure.stop_policy
        with ExitStack() as stack:
            self.writing.scratch = stack.enter_context(self.corpus.run_folder())
            stack.callback(self._device.close)
            stack.callback(self._machine.close)
            stack.callback(self._looker.close)
            reason: EndReason = "interrupted"
            before, replicates = self.run.end_reason, len(self.run.replicates)
            throttled, stood_still = capacity.throttling(), RUNNING.stood_still
            try:
                self.cases.prepare(self.corpus, self.recorder, self.tell)
                self.schedule.judge()
                procedure.begin()
                while not isinstance(following := self.schedule.next(), str):
                    procedure.replicate(*following)
                    self.schedule.judge()
                    self.tell("a replicate is complete")
                reason = following
            finally:
                self._warn(throttled, stood_still)
                # What was complete stays so where nothing came to it.
                same = reason == "interrupted" and len(self.run.replicates) == replicates
                seconds = round(self.schedule.elapsed, 3)
                self.recorder.add(End(reason=before if same else reason, seconds=seconds))
                self.recorder.sync()
        return reason

    def _warn(self, throttled: Throttling | None, stood_still: float) -> None:
        """Caveats where something stopped us since it was so, and where no calls were counted."""
        if text := capacity.stopped_caveat(throttled, capacity.throttling()):
            self.recorder.caveat("run", text, kind="cpu-quota")
        if seconds := RUNNING.since(stood_still):
            why = "the machine slept, or iogauge was stopped or frozen"
            text = f"stood still for {duration(seconds)} ({why})"
            text += ": that is in no figure, no limit and no budget"
            self.recorder.caveat("run", text, kind="stood-still")
        bytes_read = self.run.columns.counts("rchar")
        if len(bytes_read) and np.isnan(bytes_read).all():
            self.recorder.caveat("run", UNCOUNTED)

    def complete(
        self,
        replicate: ReplicateId,
        cases: list[int],
        start: float,
        rounds: Mapping[int, int] = MappingProxyType({}),
        *,
        skip_auxiliary: bool = False,
    ) -> None:
        """Record that a replicate, which began at `start`, measured these cases in so many rounds
        of each group.
        """
        seconds, phases = self.schedule.elapsed - start, self.phases.taken()
        self.recorder.add(
            Replicate(
                **keys_of(replicate),
                groups=self.groups_of(cases),
                cases=cases,
                seconds=round(seconds, 3),
                elapsed=round(self.schedule.elapsed, 3),
                rounds=dict(rounds),
                phases={str(phase): each for phase, each in phases.items()},
            )
        )
        ceilings = phases.get("ceilings", 0.0)
        auxiliary = ceilings + phases.get("compute_only", 0.0)
        self.schedule.replicate_done(
            replicate.bundle, seconds, len(cases), auxiliary, ceilings, skip_auxiliary
        )
        self.recorder.sync()

    def id(self, bundle: int, number: int) -> ReplicateId:
        """A replicate of this session."""
        return ReplicateId(bundle, number, self.attempt)

    def groups_of(self, cases: list[int]) -> list[int]:
        """The indexes of the groups of these cases, in order."""
        return sorted({self.cases.group_of[case] for case in cases})
