"""The forks that are alive: they are started, warmed up, looked at alone, and ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from iogauge.corpus.written import WrongFile
from iogauge.measuring.cases import Cases
from iogauge.measuring.recorder import Part, Recorder, Where
from iogauge.measuring.writing import Writing
from iogauge.planning.order import layout_of, padding_of
from iogauge.runners.fork import Fork, Launch, Talk, end_all, overlap
from iogauge.runners.live_fork import Failure, LiveFork, WarmUp
from iogauge.runners.task import Task
from iogauge.runners.wire import Refusal, WireError

RUNNER_ERRORS = (Refusal, WireError, Failure, WrongFile)
"""What a fork may do wrong: its cases fail, and the others go on."""


class LiveForks:
    """The forks that are alive, by their index in the plan: `live_forks`. `launches` says how each
    runtime starts, `cores` of them start at a time.
    """

    def __init__(
        self,
        cases: Cases,
        launches: Mapping[str, Launch],
        writing: Writing,
        recorder: Recorder,
        cores: int,
    ):
        self._cases, self._launches, self._writing = cases, launches, writing
        self._recorder, self.cores = recorder, cores
        self._next = 1 + max((fork.fork for fork in recorder.run.forks), default=-1)
        self.live_forks: dict[int, LiveFork] = {}
        self._kept: set[str] = set()  # cases of which it was said that they keep a file mapped

    def alive(self, number: int) -> LiveFork | None:
        """The live fork of this number in the plan; None where it ended, or was not started."""
        live_fork = self.live_forks.get(number)
        return live_fork if live_fork and live_fork.fork.alive else None

    def can_measure(self, case: int) -> bool:
        """Whether the case has not failed, and its fork lives."""
        alive = self.alive(self._cases.plan.fork_of[case])
        return case not in self._recorder.failed and alive is not None

    def serving(self, case: int) -> LiveFork:
        """The fork that serves the case; the caller knows that there is one."""
        return self.live_forks[self._cases.plan.fork_of[case]]

    def call_seconds(self, case: int) -> float | None:
        """How long a call of a case took so far that is code of the user's, or a command; None of
        others, and where it is not known.
        """
        live_fork = self.alive(self._cases.plan.fork_of[case])
        command = self._cases.strategy(case).command
        if live_fork is None or (live_fork.limit is None and command is None):
            return None
        level = live_fork.levels.get(self._cases.tasks[case].shape)
        return None if level is None else level / 1e9

    def is_long(self, case: int) -> bool:
        """Whether each call of it counts, because it is code of the user's that takes long."""
        return (self.call_seconds(case) or 0.0) > self._cases.method.long_call

    def start(self, number: int, cases: list[int], part: Part) -> LiveFork | None:
        """Start a fork of the plan. Where that fails its cases fail, and None is returned.

        As published, it has no heap of our choice and always the same layout, because the authors
        had one binary; and an answer may take longer by the whole budget.
        """
        plan, spec, fork_number = self._cases.plan, self._cases.plan.forks[number], self._next
        launch, self._next = self._launches[spec.runtime], self._next + 1
        heap, layout, patience = 0, 0, plan.budget
        if plan.published is None:
            layout = layout_of(plan, part.replicate.number, launch.layouts)
            heap, patience = spec.heap_mib, 0.0
        strategies = [self._cases.strategy(case) for case in cases]
        patience += max([0.0, *(each.command.limit for each in strategies if each.command)])
        limits = dict(launch.limits)
        limit = max((limits[each.name] for each in strategies if each.name in limits), default=None)
        try:
            fork = Fork(launch, heap, spec.options, layout, fork_number)
        except RUNNER_ERRORS as error:
            self._recorder.failures(cases, str(error), fork_number, part)
            return None
        padding = padding_of(plan, part.replicate.number, number)
        self.live_forks[number] = LiveFork(
            fork,
            fork_number,
            spec,
            self._cases.method,
            padding=padding,
            extra_patience=patience,
            limit=limit,
        )
        return self.live_forks[number]

    def warm_up_all(self, served: Mapping[int, list[int]], order: list[int], part: Part) -> None:
        """Start forks of the plan and warm them up, overlapped. `served` has the cases of each."""
        overlap([self._warmed_up(fork, served[fork], part) for fork in order], at_once=self.cores)

    def _warmed_up(self, number: int, cases: list[int], part: Part) -> Talk:
        """Start a fork and warm it up on each task: code is compiled then, and memory touched."""
        live_fork = self.start(number, cases, part)
        if live_fork is None:
            return
        try:
            yield from live_fork.greeted()
        except RUNNER_ERRORS as error:
            self._recorder.failures(cases, str(error), live_fork.number, part)
            return
        until = WarmUp.of(self._cases.runtimes[live_fork.spec.runtime])
        # Small ones first: their many calls are soon made, and large ones would take up the time.
        shapes = self._shapes(cases)
        for case, users in sorted(
            shapes, key=lambda each: self._cases[each[0]].bytes_per_operation
        ):
            try:
                synchronous = not self._cases.waits_for_its_file(case)
                files = self._writing.throw_away(case, live_fork, synchronous=synchronous)
                work = self._cases.tasks[case]
                yield from live_fork.warmed_up(work, files, until)
            except RUNNER_ERRORS as error:
                if not self._went_wrong(live_fork, case, users, cases, error, part):
                    return
            until = replace(until, seconds=min(until.seconds, self._cases.method.later_warm_up))

    def look_alone(self, number: int, cases: list[int], part: Part) -> None:
        """Record whether a fork is steady with nothing else running. If it still gets faster it is
        warmed up once more, unless it waits for its file: then that may be the device's doing.
        After the first replicate, by which samples are sized, only what still got faster while it
        warmed up is looked at, and what waits for its file: it has not done so yet.
        """
        live_fork = self.live_forks.get(number)
        if live_fork is None:
            return
        for case, users in self._shapes(cases) if live_fork.fork.alive else []:
            work, waits = self._cases.tasks[case], self._cases.waits_for_its_file(case)
            is_long = self.is_long(case)
            if is_long and not self._is_worth_a_call(case, part):  # each of its calls counts
                continue
            later = part.replicate.number and not waits and not live_fork.gets_faster(work)
            if later and not is_long:
                continue
            try:
                if is_long:
                    live_fork.look_whether_it_opens(self._cases[case].variant, work)
                else:
                    self._look_at(live_fork, case, part)
            except RUNNER_ERRORS as error:
                if not self._went_wrong(live_fork, case, users, cases, error, part):
                    break
        self._recorder.fork(live_fork, number, part)

    def _is_worth_a_call(self, case: int, part: Part) -> bool:
        """Whether it is a command that takes long, but not so long that a call less would be better
        than to know whether it opens its file.
        """
        seconds = self.call_seconds(case) or 0.0
        is_first = part.replicate.number == 0 and seconds <= self._cases.method.longest_first
        return is_first and self._cases.strategy(case).command is not None

    def _look_at(self, live_fork: LiveFork, case: int, part: Part) -> None:
        cases, waits = self._cases, self._cases.waits_for_its_file(case)
        work, files = cases.tasks[case], self._writing.throw_away(case, live_fork)
        if cases[case].conditions.durable:
            self._writing.settle(cases.group_of[case], part)
        if waits:
            curve = live_fork.warm_up.pop(work.shape)
            live_fork.warm_up[f"{work.shape}, not synchronous"] = curve
            overlap([live_fork.warmed_up(work, files, WarmUp(0.0))], at_once=1)
        if live_fork.look_alone(work, files) is False and not waits:
            seconds = cases.runtimes[live_fork.spec.runtime].warm_up_seconds
            overlap([live_fork.warmed_up(work, files, WarmUp(seconds))], at_once=1)
            live_fork.look_alone(work, files)
        if cases.strategy(case).command:
            live_fork.look_whether_it_opens(cases[case].variant, work)

    def release(self, where: Where, *, mapped: bool = False) -> None:
        """Have every live fork let go of every file, overlapped: no sample is running. `mapped`:
        those alone that may still map one.
        """
        alive = [
            number
            for number, live_fork in self.live_forks.items()
            if live_fork.fork.alive and (live_fork.may_map or not mapped)
        ]
        overlap([self._released(number, where) for number in alive], at_once=self.cores)

    def _released(self, number: int, where: Where) -> Talk:
        live_fork = self.live_forks[number]
        try:
            yield from live_fork.released()
        except RUNNER_ERRORS as error:
            fork_of = self._cases.plan.fork_of
            served = [case for case, fork in enumerate(fork_of) if fork == number]
            self._recorder.failures(served, str(error), live_fork.number, where)
            if live_fork.fork.alive:  # it serves nobody any more, and is not to be asked again
                live_fork.fork.kill()
            return
        for task in live_fork.kept():
            self._tell_kept(task, where)

    def _tell_kept(self, task: Task, where: Where) -> None:
        """Say once of each function of the user's that it maps a file for longer than its call."""
        for case, each in self._cases.tasks.items():
            about = self._cases[case].doubled_key
            if each is task and about not in self._kept:
                self._kept.add(about)
                text = (
                    "it keeps its file mapped after the call: that may make others faster, and"
                    " nobody can read the file from disk meanwhile"
                )
                self._recorder.caveat(about, text, where, kind="keeps-mapping")

    def end(self) -> None:
        """End all of them, and remove their files but those that live as long as the run."""
        self.end_processes()
        self._writing.remove()

    def end_processes(self) -> None:
        """End all of them; the files that they wrote stay."""
        end_all(live_fork.fork for live_fork in self.live_forks.values())
        self.live_forks = {}

    def _shapes(self, cases: list[int]) -> list[tuple[int, list[int]]]:
        return self._cases.shapes_of([each for each in cases if each not in self._recorder.failed])

    def _went_wrong(
        self,
        live_fork: LiveFork,
        case: int,
        users: list[int],
        cases: list[int],
        error: Exception,
        part: Part,
    ) -> bool:
        """The `users` of a task fail, or all cases of a dead fork. Returns whether it lives."""
        self._writing.remove_half_written(case, live_fork)
        alive = live_fork.fork.alive
        self._recorder.failures(users if alive else cases, str(error), live_fork.number, part)
        return alive
