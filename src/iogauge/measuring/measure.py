"""Carries out a plan: the only module that knows *when*. It computes no result and prints nothing.

A replicate of a bundle: start and warm up its forks, overlapped; look at each alone; then, group by
group, rounds in which every live case gives one sample in random order; end the forks. Nothing is
written, drawn or logged between the start and the end of a sample. After each replicate the
judgement says which cases still need measuring.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iogauge.analysis import analysis
from iogauge.corpus.corpus import Corpus
from iogauge.corpus.written import WrittenFiles, WrongFile
from iogauge.host import host, pagecache
from iogauge.host.device import SYNCHRONOUS, Device, has_flag, mounted_sync, why_not
from iogauge.host.pagecache import Residency
from iogauge.host.surroundings import Surroundings, since
from iogauge.model.case import Case
from iogauge.model.method import METHOD
from iogauge.model.plan import Group
from iogauge.model.strategy import Runtime, Strategy
from iogauge.model.units import size
from iogauge.planning import ceilings
from iogauge.planning.cost import replicate_seconds
from iogauge.planning.limits import fork_memory_mib
from iogauge.planning.order import (
    layout_of,
    padding_of,
    parts,
    round_orders,
    rounds_of,
    shuffled,
)
from iogauge.runfile.runfile import EndReason, Run, Writer
from iogauge.runners import task
from iogauge.runners.fork import Fork, Launch, Talk, end_all, overlap
from iogauge.runners.task import Task
from iogauge.runners.tenant import LONGEST_SHORT_OPERATION, Failure, Tenant, paths
from iogauge.runners.wire import Refusal, Spans, WireError
from iogauge.statistics.stats import LOOKS, Judgement

WARM_SAMPLE = (
    0.008  # seconds: far above what the clock and the call cost, short enough for many rounds
)
# of spans that do not count, before those of a warm sample: what idled is half slower in its first
# ms, 1 to 3 % after 8 ms;
PRELUDE = 0.008
# of reading through a mapping, which after a rest is 4 to 12 % slower still after 8 ms, on one
# machine
PRELUDE_MAPPED = 0.040
# of what allocates where a collector works beside it: in Go it is some 30 % slower in the 17th to
# 64th ms after a rest, and often longer,
PRELUDE_COLLECTED = 0.100
PRELUDE_COLLECTIONS = 8  # and until it has gone through its memory so many times
WARM_SPANS = 4  # of a warm sample: the series of a fork's spans shows whether it is steady
MOST_CLOCK_SHARE = 0.005  # two readings of the clock may take this share of a span
# of single operations, each timed alone: they wait for the device, and their tail matters
DURABLE_SAMPLE = 0.020
MOST_DURABLE = 100  # operations of a sample
LATER_WARM_UP = 0.06  # on every further task of a fork
# a sample is to span some collections, and so is its prelude, but neither is to be longer than this
LONGEST_ALLOCATING = 0.2
SLOW = 10.0  # this many times slower than the fastest of its group: one sample per replicate
CEILING_REPLICATES, CEILING_SAMPLES = 3, 3
MOST_CEILING_REPLICATES = 8  # as long as a case seems to be above its ceiling,
CEILING_SHARE = 0.1  # or may be, and they took no more of the time so far
COMPANION_REPLICATES = 3  # a share that is no I/O need not be known to the percent
COMPANION_WARM_UP, COMPANION_SPANS, COMPANION_SPAN = 0.05, 3, 0.010

TROUBLE = (Refusal, WireError, Failure, WrongFile)


@dataclass(frozen=True)
class Progress:
    """Where a run stands, told between samples; seconds. Per group index: `judgements`, empty
    before the first replicate is complete, and `levels`, the median ns per operation of each case
    in the first replicate: something to read meanwhile.
    """

    elapsed: float
    remaining: float
    replicates: int
    doing: str
    judgements: dict[int, Judgement]
    levels: dict[int, dict[int, float]]


@dataclass(frozen=True)
class Observed:
    """The reply to a request for samples, and what was observed around it (docs/run-file.md,
    `sample`).
    """

    spans: Spans
    evidence: dict[str, Any]
    machine: dict[str, int] | None
    device: dict[str, int | None] | None
    in_flight_before: int | None
    ended: float
    request_bytes: int
    reply_bytes: int

    def recorded(self) -> dict[str, Any]:
        """What a sample's record has of it, beside the spans."""
        names = (
            "evidence",
            "machine",
            "device",
            "in_flight_before",
            "request_bytes",
            "reply_bytes",
        )
        return {"ended": round(self.ended, 4), **{name: getattr(self, name) for name in names}}


class Measurement:
    """One session of measuring a run. `run` and `writer` receive every record; `show` is told
    between samples how it goes.

    `launches` says per runtime name how its forks start; `rested_matters` whether memory that
    rested is slow to touch here; `clock` gives seconds.
    """

    def __init__(
        self,
        run: Run,
        writer: Writer,
        launches: dict[str, Launch],
        corpus: Corpus,
        show: Callable[[Progress], None],
        *,
        cores: int,
        rested_matters: bool,
        clock: Callable[[], float] = time.monotonic,
    ):
        self.run, self.plan, self.writer = run, run.plan, writer
        self.runtimes: dict[str, Runtime] = {
            runtime.name: runtime for runtime in run.header.runtimes
        }
        self.launches, self.corpus, self.show = launches, corpus, show
        self.cores, self.rested_matters, self.clock = cores, rested_matters, clock
        self.began = clock() - run.seconds  # a resumed run goes on counting
        self.attempt = 1 + max((fork["attempt"] for fork in run.forks), default=-1)
        self.next_fork = 1 + max((fork["fork"] for fork in run.forks), default=-1)
        self.memory = fork_memory_mib(self.plan, run.header.runtimes)
        self.group_of = {
            case: index
            for index, group in enumerate(self.plan.groups)
            for case in (*group.cases, *group.ceilings)
        }
        self.tasks: dict[int, Task] = {}  # by case
        self.written: dict[tuple[Any, ...], WrittenFiles] = {}  # those that are written now
        self.device = Device(corpus.directory)
        self.surroundings = Surroundings()
        self.failed: set[int] = set(run.failed())
        self.judgements: dict[int, Judgement] = {}
        self.contenders: dict[int, list[int]] = {}  # by group, from its first replicate on
        self.above_ceiling: set[int] = set()  # groups in which a case seems to be,
        self.unsure_of_ceiling: set[int] = set()  # or may be
        self.ceiling_seconds = (
            CEILING_SHARE * run.seconds
        )  # of a run that goes on it is not known: as much as it may have been
        self.levels: dict[int, dict[int, float]] = {}
        self.case_seconds: dict[int, float] = {}  # that each took in the last replicate, by bundle,
        self.beside_seconds: dict[
            int, float
        ] = {}  # and that all their companions and ceilings took in the last that had time for them
        self.tenants: dict[int, Tenant] = {}  # live ones, by index of their fork in the plan
        self.logs = self.scratch = Path()  # folders of this run's own

    # the whole run

    def carry_out(self) -> EndReason:
        """Measure until all is decided or the budget is out. An interruption is recorded and passed
        on.
        """
        with ExitStack() as stack:
            self.logs, self.scratch = stack.enter_context(self.corpus.run_folders())
            stack.callback(self.device.close)
            stack.callback(self.surroundings.close)
            reason: EndReason = "interrupted"
            try:
                self.prepare_tasks()
                self.judge()
                reason = self.replicates()
            finally:
                self.record("end", reason=reason, seconds=round(self.elapsed, 3))
                self.writer.sync()
        return reason

    @property
    def elapsed(self) -> float:
        return self.clock() - self.began

    def prepare_tasks(self) -> None:
        """Make the data files, and say of every condition that cannot be had here why not."""
        self.corpus.check_room(
            task.all_data(self.plan, self.run.header.runtimes), task.most_written(self.plan)
        )
        for group in self.plan.groups:
            self.tell(f"preparing data of {size(group.workload.size)}")
            for case in (*group.cases, *group.ceilings):
                self.tasks[case] = task.make(
                    self.plan.cases[case],
                    self.strategy(case),
                    self.corpus,
                    task.copy_for(self.plan, group, case),
                )
            reason = self.why_untestable(group)
            for case in (*group.cases, *group.ceilings) if reason else []:
                self.fail(case, f"not testable here: {reason}")
        self.warn_about_writing()

    def why_untestable(self, group: Group) -> str | None:
        conditions = group.conditions
        reason = self.corpus.why_not_cold() if conditions.cache == "cold" else None
        return reason or (
            why_not(conditions.durability, self.corpus.directory) if conditions.durability else None
        )

    def warn_about_writing(self) -> None:
        writing = [group for group in self.plan.groups if group.workload.writes_file]
        folder = self.corpus.directory
        synchronous = (
            "file system is mounted sync"
            if mounted_sync(folder)
            else "files inherit its synchronous flag"
            if has_flag(folder, SYNCHRONOUS)
            else None
        )
        if synchronous and any(group.conditions.durability == "none" for group in writing):
            self.record(
                "caveat",
                about="run",
                text=f"the directory's {synchronous}: every write waits for the device, whatever the durability says",
            )
        threshold = host.background_write_back()
        for group in writing:
            if not group.conditions.durable and threshold and group.workload.size > threshold / 4:
                text = (
                    f"one operation writes {size(group.workload.size)}; the system begins to write back at about {size(threshold)}, "
                    "so samples may contain the writing-back of others"
                )
                self.record("caveat", about=group.id, text=text)

    def replicates(self) -> EndReason:
        done = dict.fromkeys(range(len(self.plan.bundles)), 0)
        for record in self.run.replicates:
            done[record["bundle"]] = record["replicate"] + 1
            self.case_seconds[record["bundle"]] = record["seconds"] / len(record["cases"])
        while True:
            pending = [bundle for bundle in done if self.live(bundle)]
            if not pending:
                return "decided"
            affordable = [
                bundle
                for bundle in pending
                if not done[bundle]
                or self.elapsed + self.expected_seconds(bundle) <= self.plan.budget
            ]
            if not affordable:
                return "budget"
            bundle = min(affordable, key=lambda each: self.urgency(each, done[each]))
            self.replicate(bundle, done[bundle])
            done[bundle] += 1
            self.judge()
            self.tell("a replicate is complete")

    def urgency(self, bundle: int, done: int) -> tuple[float, int]:
        """Until the first look evenly, so that all groups come along together; then first where a
        group is soonest decided.
        """
        if done < LOOKS[0]:
            return 0.0, done
        goals = [goal for goal in self.goals(bundle) if goal is not None and goal > done]
        return (
            1 + (min(goals) - done) * self.expected_seconds(bundle) if goals else math.inf
        ), done

    def live(self, bundle: int) -> list[int]:
        """The cases of a bundle that the next replicate measures."""
        cases: list[int] = []
        for index in self.plan.bundles[bundle].groups:
            group = self.plan.groups[index]
            judged = self.judgements.get(index)
            cases += (
                group.cases if judged is None else [group.cases[column] for column in judged.live]
            )
        return [case for case in cases if case not in self.failed]

    def judge(self) -> None:
        for index, data in enumerate(analysis.all_data(self.run)):
            if data.replicates:
                self.judgements[index] = analysis.judge(self.plan, data, last=False)
                self.contenders[index] = analysis.contenders(self.plan, data)
                share, bound = data.nearest_to_impossible
                (self.above_ceiling.add if share > analysis.CLEARS else self.above_ceiling.discard)(
                    index
                )
                (
                    self.unsure_of_ceiling.add
                    if bound > analysis.CLEARS
                    else self.unsure_of_ceiling.discard
                )(index)

    # a replicate

    def replicate(self, bundle: int, number: int) -> None:
        start, hurried = self.elapsed, self.hurried(bundle, number)
        live, beside = self.next_cases(bundle, hurried), 0.0
        for block, cases in enumerate(
            parts(self.plan, self.plan.bundles[bundle], number, live, self.memory)
        ):
            place = {"bundle": bundle, "replicate": number, "attempt": self.attempt, "block": block}
            beside += self.block(
                cases, place, companions=number < COMPANION_REPLICATES and not hurried
            )
        groups = sorted({self.group_of[case] for case in live})
        beside += self.ceilings(
            self.unsure_ceilings(groups, number, hurried),
            {"bundle": bundle, "replicate": number, "attempt": self.attempt},
        )
        seconds = self.elapsed - start
        self.case_seconds[bundle] = (seconds - beside) / len(live)
        if not hurried:
            self.beside_seconds[bundle] = beside
        self.record(
            "replicate",
            bundle=bundle,
            replicate=number,
            attempt=self.attempt,
            groups=groups,
            cases=live,
            seconds=round(seconds, 3),
            elapsed=round(self.elapsed, 3),
        )
        self.writer.sync()

    def hurried(self, bundle: int, number: int) -> bool:
        """Whether what is left of the budget does not hold the first replicates whole. Before three
        of them nothing is known of the noise, of any case: so companions, ceilings, and the cases
        that are not likely to be the best are left to the first replicate.
        """
        if bundle not in self.case_seconds:
            return False
        whole = len(self.live(bundle)) * self.case_seconds[bundle] + self.beside_seconds.get(
            bundle, 0.0
        )
        return self.elapsed + (CEILING_REPLICATES - number) * whole > self.plan.budget

    def next_cases(self, bundle: int, hurried: bool) -> list[int]:
        """Those that the bundle's next replicate measures."""
        live = self.live(bundle)
        return [
            case
            for case in live
            if hurried and case in self.contenders.get(self.group_of[case], ())
        ] or live

    def unsure_ceilings(self, groups: list[int], number: int, hurried: bool) -> list[int]:
        """The groups whose ceilings this replicate measures. Where a case seems to be above they
        always are, as nothing may rest on such a case.
        """
        cheap = self.ceiling_seconds <= CEILING_SHARE * self.elapsed
        first = range(0 if hurried else CEILING_REPLICATES)
        asked = self.above_ceiling | (self.unsure_of_ceiling if cheap and not hurried else set())
        return [
            each
            for each in groups
            if number in first or (number < MOST_CEILING_REPLICATES and each in asked)
        ]

    def block(self, cases: list[int], place: dict[str, Any], *, companions: bool) -> float:
        """Forks that are alive together, and the rounds they take part in. Returns the seconds that
        companions took.
        """
        at = (place["bundle"], place["replicate"], place["block"])
        served: dict[int, list[int]] = {}
        for case in cases:
            served.setdefault(self.plan.fork_of[case], []).append(case)
        order = shuffled(self.plan, sorted(served), "forks", *at)
        self.tell(f"starting and warming up {len(order)} forks")
        try:
            overlap([self.started(fork, served[fork], place) for fork in order], at_once=self.cores)
            for fork in order:
                self.look_alone(fork, served[fork], place)
            for index in shuffled(
                self.plan, sorted({self.group_of[case] for case in cases}), "groups", *at
            ):
                self.rounds(index, [case for case in cases if self.group_of[case] == index], place)
            began = self.elapsed
            if companions:
                self.tell("measuring the work that is no I/O")
                for fork in order:
                    self.companions(fork, served[fork], place)
            beside = self.elapsed - began
            if not place["replicate"]:
                self.harness(order, place)
        finally:
            end_all(tenant.fork for tenant in self.tenants.values())
            self.tenants = {}
            self.remove_written()
        return beside

    def started(self, number: int, cases: list[int], place: dict[str, Any]) -> Talk:
        """Start a fork and run operations on each of its tasks until its code is compiled and its
        memory touched.
        """
        spec = self.plan.forks[number]
        runtime = self.runtimes[spec.runtime]
        fork_number, self.next_fork = self.next_fork, self.next_fork + 1
        try:
            launch = self.launches[spec.runtime]
            layout = layout_of(self.plan, place["replicate"], launch.layouts)
            fork = Fork(
                launch, spec.heap_mib, self.logs / f"{fork_number}.log", spec.options, layout
            )
            tenant = Tenant(
                fork, fork_number, spec, padding=padding_of(self.plan, place["replicate"], number)
            )
            self.tenants[number] = tenant
            yield from tenant.greeted()
        except TROUBLE as error:
            self.fail_all(cases, str(error), fork_number, place)
            return
        seconds, calls, longest = (
            runtime.warm_up_seconds,
            runtime.warm_up_calls,
            runtime.longest_warm_up_seconds,
        )
        # Small ones first: their many calls are soon made, and large ones would take up the time.
        for case, users in sorted(
            self.shapes_of(cases), key=lambda shape: self.plan.cases[shape[0]].bytes_per_operation
        ):
            try:
                files = self.throw_away(case, tenant, synchronous=not self.waits_for_its_file(case))
                yield from tenant.warmed_up(self.tasks[case], files, seconds, calls, longest)
            except TROUBLE as error:
                self.remove_half_written(case, tenant)
                self.fail_all(users if fork.alive else cases, str(error), fork_number, place)
                if not fork.alive:
                    return
            seconds = min(seconds, LATER_WARM_UP)

    def look_alone(self, number: int, cases: list[int], place: dict[str, Any]) -> None:
        """Is the fork steady with nothing else running? If it still gets faster it is warmed up
        once more, unless it waits for its file: then that may be the device's doing. Records the
        fork.
        """
        tenant = self.tenants.get(number)
        if tenant is None:
            return
        runtime = self.runtimes[tenant.spec.runtime]
        for case, users in self.shapes_of(cases) if tenant.fork.alive else []:
            work, files = self.tasks[case], self.throw_away(case, tenant)
            try:
                if self.plan.cases[case].conditions.durable:
                    self.settle(self.group_of[case], place)
                if self.waits_for_its_file(case):
                    tenant.warm_up[f"{work.shape}, not synchronous"] = tenant.warm_up.pop(
                        work.shape
                    )
                    overlap([tenant.warmed_up(work, files, 0)], at_once=1)
                if tenant.look_alone(work, files) is False and not self.waits_for_its_file(case):
                    overlap([tenant.warmed_up(work, files, runtime.warm_up_seconds)], at_once=1)
                    tenant.look_alone(work, files)
            except TROUBLE as error:
                self.remove_half_written(case, tenant)
                self.fail_all(
                    users if tenant.fork.alive else cases, str(error), tenant.number, place
                )
                if not tenant.fork.alive:
                    break
        self.record(
            "fork",
            fork=tenant.number,
            spec=number,
            **place,
            pid=tenant.fork.pid,
            layout=tenant.fork.layout,
            padding=tenant.padding,
            flags=tenant.flags,
            warm_up=dict(tenant.warm_up),
            alone=dict(tenant.levels),
            steady=dict(tenant.steady),
        )

    def waits_for_its_file(self, case: int) -> bool:
        """Whether it is the file that makes its calls wait. Its code is the same without: it is
        warmed up on files that do not.
        """
        return self.plan.cases[case].conditions.durability == "sync-inode"

    def shapes_of(self, cases: list[int]) -> list[tuple[int, list[int]]]:
        """One case for each shape of task that a fork is warmed up on, with all cases of that
        shape.
        """
        found: dict[str, list[int]] = {}
        for case in cases:
            if case not in self.failed:
                found.setdefault(self.tasks[case].shape, []).append(case)
        return [(users[0], users) for users in found.values()]

    def companions(self, number: int, cases: list[int], place: dict[str, Any]) -> None:
        """Measure, in a fork that has done its rounds, the part of its work that is no I/O, on data
        in memory.
        """
        tenant = self.tenants.get(number)
        by_content: dict[str, list[int]] = {}
        for case in cases:
            if (
                case not in self.failed
                and self.strategy(case).companion
                and self.plan.cases[case].workload.size
            ):
                by_content.setdefault(self.plan.cases[case].workload.content, []).append(case)
        for users in by_content.values():
            if tenant is None or not tenant.fork.alive:
                return
            try:
                self.companion(tenant, users, place)
            except TROUBLE as error:
                text = f"the work that is no I/O could not be measured: {error}"
                for case in users:
                    self.record("caveat", about=self.plan.cases[case].key, text=text, **place)

    def companion(self, tenant: Tenant, cases: list[int], place: dict[str, Any]) -> None:
        case = self.plan.cases[max(cases, key=lambda each: self.plan.cases[each].workload.size)]
        declared = self.runtimes[case.runtime].strategies[self.strategy(cases[0]).companion]
        work, spec, parameters = task.companion(case, declared, self.corpus)
        overlap([tenant.warmed_up(work, None, COMPANION_WARM_UP)], at_once=1)
        operations = max(1, round(COMPANION_SPAN * 1e9 / tenant.levels[work.shape]))
        spans = tenant.work(work, None, operations, COMPANION_SPANS)
        self.record(
            "companion",
            cases=cases,
            strategy=declared.name,
            parameters=parameters,
            fork=tenant.number,
            **place,
            size=spec.size,
            ns=spans.ns,
            operations=spans.operations,
        )

    def harness(self, forks: list[int], place: dict[str, Any]) -> None:
        """What one operation that does nothing costs, per runtime and its settings: it is in every
        operation.
        """
        known = {(each["runtime"], tuple(each["options"])) for each in self.run.harness}
        for number in forks:
            tenant = self.tenants.get(number)
            if (
                tenant is None
                or not tenant.fork.alive
                or (tenant.spec.runtime, tenant.spec.options) in known
            ):
                continue
            strategies = self.runtimes[tenant.spec.runtime].strategies.values()
            null = next((each for each in strategies if each.role == "null"), None)
            if null is None:
                continue
            known.add((tenant.spec.runtime, tenant.spec.options))
            try:
                spans = tenant.idle(null)
            except TROUBLE as error:
                text = f"the harness's own cost on {tenant.spec.runtime} could not be measured: {error}"
                self.record("caveat", about="run", text=text, **place)
                continue
            self.record(
                "harness",
                runtime=tenant.spec.runtime,
                options=list(tenant.spec.options),
                strategy=null.name,
                fork=tenant.number,
                **place,
                ns=spans.ns,
                operations=spans.operations,
            )

    # ceilings

    def ceilings(self, indexes: list[int], place: dict[str, Any]) -> float:
        """What the machine can do with the same bytes: a fork for each candidate, one after
        another, when those of the cases have ended. Returns the seconds it took.
        """
        began = self.elapsed
        for index in indexes:
            group = self.plan.groups[index]
            left = [case for case in ceilings.promising(self.run, group) if case not in self.failed]
            cold_seconds = self.fresh_cache(index, place) if left else 0.0
            self.tell(f"{group.title}: what the machine can do")
            for case in shuffled(self.plan, left, "ceilings", index, place["replicate"]):
                self.ceiling(index, case, cold_seconds, {**place, "block": 0})
        self.ceiling_seconds += self.elapsed - began
        return self.elapsed - began

    def ceiling(self, index: int, case: int, cold_seconds: float, place: dict[str, Any]) -> None:
        number = self.plan.fork_of[case]
        try:
            overlap([self.started(number, [case], place)], at_once=1)
            self.look_alone(number, [case], place)
            if self.plan.cases[case].workload.writes_file:
                self.settle(index, place)
            for turn in range(CEILING_SAMPLES):
                if case not in self.failed and self.tenant(case):
                    self.calibrate(index, [case], cold_seconds)
                    self.take_sample(index, case, {**place, "round": turn, "position": 0})
        finally:
            end_all(tenant.fork for tenant in self.tenants.values())
            self.tenants = {}
            self.remove_written()

    # files that are written

    def throw_away(
        self, case: int, tenant: Tenant, *, synchronous: bool = True
    ) -> WrittenFiles | None:
        """Files for untimed operations of a case that writes: they are opened as those of its
        samples, and never live on. Without the synchronous flag, if so wanted: the runner never
        sees it.
        """
        lifetime = (
            "operation" if self.plan.cases[case].conditions.lifetime == "operation" else "sample"
        )
        return self.files(
            case,
            ("untimed" if synchronous else "unsynchronous", tenant.number, case),
            lifetime,
            synchronous=synchronous,
        )

    def sampled(self, case: int, tenant: Tenant) -> WrittenFiles | None:
        """The files of the case's samples."""
        lifetime, group = self.plan.cases[case].conditions.lifetime, self.group_of[case]
        owner = (group, self.strategy(case).format) if lifetime == "run" else (tenant.number, case)
        return self.files(case, (lifetime, *owner), lifetime)

    def files(
        self, case: int, key: tuple[Any, ...], lifetime: str | None, *, synchronous: bool = True
    ) -> WrittenFiles | None:
        found: Case = self.plan.cases[case]
        if not found.workload.writes_file:
            return None
        if not synchronous:
            found = found.model_copy(
                update={"conditions": found.conditions.model_copy(update={"durability": "none"})}
            )
        if key not in self.written:
            folder = self.scratch / "-".join(map(str, key))
            self.written[key] = task.written_files(
                found, self.strategy(case), self.tasks[case], folder, lifetime
            )
        return self.written[key]

    def remove_half_written(self, case: int, tenant: Tenant) -> None:
        """After a failure: nobody knows what is in these files, and others may need the room."""
        for files in (
            self.throw_away(case, tenant),
            self.throw_away(case, tenant, synchronous=False),
            self.sampled(case, tenant),
        ):
            if files is not None:
                files.remove()

    def remove_written(self) -> None:
        """Remove what a block's forks wrote; only files that live as long as the run stay."""
        for key in [key for key in self.written if key[0] != "run"]:
            self.written.pop(key).close()

    # rounds of a group

    def rounds(self, index: int, cases: list[int], place: dict[str, Any]) -> None:
        group = self.plan.groups[index]
        cold_seconds = self.fresh_cache(index, place)
        if group.workload.writes_file:
            self.settle(index, place)
        cases = [case for case in cases if case not in self.failed and self.tenant(case)]
        self.calibrate(index, cases, cold_seconds)
        fewer = {case: self.run.calibrations[case]["rounds"] for case in cases}
        orders = round_orders(self.plan, index, place["replicate"], place["block"], cases, fewer)
        for number, order in enumerate(orders):
            if not order:
                continue
            self.tell(f"{group.title}: round {number + 1} of {len(orders)}")
            self.record(
                "round", group=index, **place, round=number, canary=self.surroundings.canary()
            )
            for position, case in enumerate(order):
                if case not in self.failed and self.tenant(case):
                    self.take_sample(index, case, {**place, "round": number, "position": position})
        if index not in self.judgements:
            self.levels[index] = analysis.levels(self.run, index)
            self.tell(f"{group.title}: first levels")

    def read_files(self, index: int) -> list[Path]:
        """The data files that the group's cases read: one, unless formats differ."""
        found = (self.tasks[case].path for case in self.plan.groups[index].cases)
        return [path for path in dict.fromkeys(found) if path]

    def fresh_cache(self, index: int, place: dict[str, Any]) -> float:
        """Put the group's files out of the cache and bring them in anew, so that where their pages
        lie is part of what replicates average over. Returns the seconds that reading the slowest in
        took.
        """
        if self.plan.groups[index].conditions.cache not in ("warm", "cold"):
            return 0.0
        slowest = 0.0
        for path in self.read_files(index):
            self.cache_anew(index, path, place)
            start = self.clock()
            pagecache.cache(path)
            slowest = max(slowest, self.clock() - start)
        return slowest

    def cache_anew(self, index: int, path: Path, place: dict[str, Any]) -> None:
        """Put a group's file out of the cache. Every live fork lets go of it first: one that served
        another group may map it.
        """
        self.release(place)
        left = pagecache.evict(path)
        if left.pages:
            text = f"the file could not be put out of the cache: {left.pages} of {left.of} pages stayed, somebody maps them"
            self.record("caveat", about=self.plan.groups[index].id, text=text, **place)

    def settle(self, index: int, place: dict[str, Any]) -> None:
        """Let nothing that was written run into what is measured next."""
        if not self.device.settle():
            text = "the device was not idle 2 s after a write: the next sample may contain the writing-back of others"
            self.record("caveat", about=self.plan.groups[index].id, text=text, **place)

    def calibrate(self, index: int, cases: list[int], cold_seconds: float) -> None:
        """How many operations make a sample, and how many rounds each case is in; once per case and
        run.
        """
        conditions, rounds = self.plan.groups[index].conditions, self.plan.groups[index].rounds
        cold = conditions.cache == "cold"
        levels = {case: self.tenant(case).levels[self.tasks[case].shape] for case in cases}
        fastest = max(min(levels.values(), default=0), cold_seconds * 1e9 if cold else 0)
        for case in cases:
            if case in self.run.calibrations:
                continue
            per_op, work = levels[case] / 1e9, self.tasks[case]
            operations, spans = 1, 1
            collections = (
                self.tenant(case).collections[work.shape] if self.allocates(case) else None
            )
            if conditions.durable:
                spans = max(
                    1, min(round(DURABLE_SAMPLE / per_op), MOST_DURABLE, work.most_operations)
                )
            elif not cold:
                wanted = max(
                    1,
                    min(
                        round(
                            spanning(
                                WARM_SAMPLE, METHOD.collections_per_sample, per_op, collections
                            )
                            / per_op
                        ),
                        work.most_operations,
                    ),
                )
                spans = min(WARM_SPANS, wanted)
                resolution = self.runtimes[self.plan.cases[case].runtime].clock_resolution_ns
                least = math.ceil(2 * resolution / MOST_CLOCK_SHARE / levels[case])
                operations = max(
                    1, min(max(round(wanted / spans), least), work.most_operations // spans)
                )
            slow = self.tenant(case).fastest.get(work.shape, levels[case]) > SLOW * fastest
            idle_matters = not cold and not conditions.durable and per_op <= LONGEST_SHORT_OPERATION
            prelude = round(
                prelude_seconds(self.strategy(case), per_op, collections) / (operations * per_op)
            )
            self.record(
                "calibration",
                case=case,
                operations=operations,
                spans=spans,
                prelude=max(1, min(prelude, work.most_operations // operations))
                if idle_matters
                else 0,
                ns_per_op=round(levels[case], 1),
                rounds=1 if slow else rounds_of(rounds, operations * spans * per_op, METHOD),
            )

    # a sample

    def take_sample(self, index: int, case: int, place: dict[str, Any]) -> None:
        """Set the conditions and observe them, measure, verify, record. Around the measuring
        nothing else happens.
        """
        group, work, tenant = self.plan.groups[index], self.tasks[case], self.tenant(case)
        calibration = self.run.calibrations[case]
        operations, prelude = calibration["operations"], calibration["prelude"]
        count = (
            prelude + calibration["spans"]
        )  # in one request: between two, the fork would wait and be slow again
        try:
            tenant.open(work)
            self.touch_ballast(case, operations * count)
            cached, recached = self.set_cache(index, work, place)
            files = self.sampled(case, tenant)
            file_before = files.length if files else None
            where = paths(work, files, operations * count)
            dirty = dirty_pages(files) if files or cached is None else cached.dirty
            seen = self.observed(tenant, work, operations, count, where)
            if (
                group.conditions.cache == "cold" or files
            ):  # what it mapped would stay in memory for the next one
                tenant.release()
            if files:
                self.tidy(index, files, place)
        except TROUBLE as error:
            self.remove_half_written(case, tenant)
            self.fail(case, str(error), tenant.number, place)
            return
        void = _void(
            group, work, cached, dirty, seen.evidence["read_bytes"], operations * count, seen.device
        )
        state = {
            "resident_before": cached.share if cached else None,
            "dirty_before": dirty,
            "file_before": file_before,
            "recached": recached,
        }
        self.record_sample(case, tenant, seen, prelude, {**place, **state, "void": void})

    def record_sample(
        self, case: int, tenant: Tenant, seen: Observed, prelude: int, place: dict[str, Any]
    ) -> None:
        """`place` has where and in what state it was taken, too; the first spans, `prelude`, do not
        count.
        """
        spans = seen.spans.after(prelude)
        self.record(
            "ceiling" if self.strategy(case).role == "ceiling" else "sample",
            case=case,
            group=self.group_of[case],
            fork=tenant.number,
            **place,
            ns=spans.ns,
            operations=spans.operations,
            prelude_ns=seen.spans.ns[:prelude],
            bytes=self.plan.cases[case].bytes_per_operation * sum(spans.operations),
            count=spans.count,
            sum=spans.sum,
            counters=spans.counters.model_dump(),
            **seen.recorded(),
        )

    def observed(
        self, tenant: Tenant, work: Task, operations: int, count: int, where: list[str]
    ) -> Observed:
        """Spans of a task that is open, and what the kernel and the machine tell around them:
        meanwhile nothing else happens.
        """
        device = self.device.look()
        before = tenant.fork.witness.look()
        machine = self.surroundings.look()
        spans = tenant.sample(work, operations, count, where)
        around = since(machine, self.surroundings.look())
        evidence = tenant.fork.witness.look().since(before)
        busy = None if device is None else self.device.look().since(device)
        if not all(spans.ns):
            raise Failure("it reports that the operations took no time")
        return Observed(
            spans=spans,
            evidence=evidence,
            machine=around,
            device=busy,
            in_flight_before=device.in_flight if device else None,
            ended=self.elapsed,
            request_bytes=tenant.fork.request_bytes,
            reply_bytes=tenant.fork.reply_bytes,
        )

    def set_cache(
        self, index: int, work: Task, place: dict[str, Any]
    ) -> tuple[Residency | None, int]:
        """Bring the file into the group's cache state; returns what was observed (None: no file is
        read), and how often it was cached anew.
        """
        cache, path, recached = self.plan.groups[index].conditions.cache, work.path, 0
        if path is None:
            return None, recached
        if cache == "cold":
            if (
                self.rested_matters
            ):  # reading just before keeps the guest's memory backed by its host
                pagecache.cache(path)
            return pagecache.evict(path), recached
        seen = pagecache.observe(path)
        while cache == "warm" and seen.share < 1 and recached < 2:
            # Hosts page out idle cache. Then the whole file comes in anew, never only what is
            # missing.
            self.cache_anew(index, path, place)
            pagecache.cache(path)
            seen = pagecache.observe(path)
            recached += 1
        return seen, recached

    def tidy(self, index: int, files: WrittenFiles, place: dict[str, Any]) -> None:
        """Verify and remove what a sample wrote, and let the device come to rest."""
        files.check()
        if files.forget():
            text = "a file that grows from sample to sample was begun anew after 1 GiB"
            self.record("caveat", about=self.plan.groups[index].id, text=text, **place)
        self.settle(index, place)

    def touch_ballast(self, case: int, operations: int) -> None:
        """Where memory that rested is slow at first touch: have the cache's next pages touched
        before a case that writes. (Memory that a runtime allocates is touched by the operations
        that do not count.)
        """
        found = self.plan.cases[case]
        if found.workload.writes_file and self.rested_matters:
            host.touch_ballast(max(8 << 20, found.bytes_per_operation * operations))

    def release(self, place: dict[str, Any]) -> None:
        """Have every live fork let go of every file."""
        for number, tenant in self.tenants.items():
            if tenant.fork.alive:
                try:
                    tenant.release()
                except TROUBLE as error:
                    served = [case for case, fork in enumerate(self.plan.fork_of) if fork == number]
                    self.fail_all(served, str(error), tenant.number, place)

    # small things

    def strategy(self, case: int) -> Strategy:
        found = self.plan.cases[case]
        return self.runtimes[found.runtime].strategies[found.strategy]

    def allocates(self, case: int) -> bool:
        return self.strategy(case).needs.memory_per_file_byte > 0

    def tenant(self, case: int) -> Tenant | None:
        """The live fork that serves the case."""
        tenant = self.tenants.get(self.plan.fork_of[case])
        return tenant if tenant and tenant.fork.alive else None

    def record(self, kind: str, **fields: Any) -> None:
        words = {
            name: self.corpus.nameless(fields[name])
            for name in ("reason", "text")
            if name in fields
        }
        record = {"record": kind, **fields, **words}
        self.writer.append(record)
        self.run.add(record)

    def fail(
        self, case: int, reason: str, fork: int | None = None, place: dict[str, Any] | None = None
    ) -> None:
        """A case that failed is not measured any more."""
        if case not in self.failed:
            self.failed.add(case)
            self.record(
                "failure", case=case, reason=reason, fork=fork, **(place or {"replicate": None})
            )

    def fail_all(
        self, cases: list[int], reason: str, fork: int | None, place: dict[str, Any]
    ) -> None:
        for case in cases:
            self.fail(case, reason, fork, place)

    # progress

    def tell(self, doing: str) -> None:
        replicates = len(self.run.replicates)
        self.show(
            Progress(
                self.elapsed,
                self.remaining(),
                replicates,
                doing,
                dict(self.judgements),
                dict(self.levels),
            )
        )

    def expected_seconds(self, bundle: int) -> float:
        """Of the bundle's next replicate."""
        if bundle not in self.case_seconds:
            return replicate_seconds(
                self.plan, self.plan.bundles[bundle], self.run.header.runtimes, self.cores, METHOD
            )
        hurried = self.hurried(bundle, self.done(bundle))
        return len(self.next_cases(bundle, hurried)) * self.case_seconds[bundle] + (
            0.0 if hurried else self.beside_seconds.get(bundle, 0.0)
        )

    def done(self, bundle: int) -> int:
        """Its replicates so far."""
        return sum(record["bundle"] == bundle for record in self.run.replicates)

    def remaining(self) -> float:
        """Seconds until all is likely decided, at most until the budget is out."""
        left = max(0.0, self.plan.budget - self.elapsed)
        needed = 0.0
        for number in range(len(self.plan.bundles)):
            if not self.live(number):
                continue
            goals = self.goals(number)
            if None in goals:
                return left
            needed += self.expected_seconds(number) * max(1, max(goals) - self.done(number))
        return min(left, needed)

    def goals(self, bundle: int) -> list[int | None]:
        """Per group of the bundle, the replicates in all until it is likely decided; None where
        that cannot be said.
        """
        groups = self.plan.bundles[bundle].groups
        return [
            analysis.replicates_to_decide(self.plan, self.judgements.get(index)) for index in groups
        ]


def prelude_seconds(strategy: Strategy, per_op: float, collections: float | None) -> float:
    """What does not count of a warm sample; `per_op` and `collections` as in `spanning`."""
    if collections is None:
        return PRELUDE_MAPPED if strategy.reads_mapped else PRELUDE
    return spanning(PRELUDE_COLLECTED, PRELUDE_COLLECTIONS, per_op, collections)


def spanning(seconds: float, count: int, per_op: float, collections: float | None) -> float:
    """So many seconds, or as many as it takes to span `count` collections: of these, `collections`
    happen per operation, which takes `per_op` seconds (None: it does not allocate, or its runtime
    does not tell).
    """
    if collections is None:
        return seconds
    return min(
        max(seconds, count * per_op / collections if collections else math.inf), LONGEST_ALLOCATING
    )


def dirty_pages(files: WrittenFiles | None) -> int | None:
    """Pages, waiting to be written, of the files that a sample goes on writing; None where the
    kernel does not tell.
    """
    seen = [pagecache.observe(path).dirty for path in files.existing] if files else []
    return None if None in seen else sum(seen)


def _void(
    group: Group,
    work: Task,
    cached: Residency | None,
    dirty: int | None,
    read_bytes: int | None,
    operations: int,
    device: dict[str, int | None] | None,
) -> str | None:
    """Why a sample is not what it was to be, or None."""
    if dirty:
        return f"{dirty} pages of its files waited to be written when it began"
    if group.conditions.durable and device and 2 * device["writes"] < operations:
        return f"the device wrote {device['writes']} times during {operations} operations that were to wait for it"
    if cached is None or not group.workload.size:  # no pages: neither warm nor cold
        return None
    if group.conditions.cache == "cold":
        if cached.pages:
            return f"{cached.share:.1%} of the file was in the cache before a cold sample"
        needed = (
            work.count * operations
            if work.strategy.sums == "byte"
            else group.workload.size * operations
        )
        if read_bytes is not None and read_bytes < needed:
            return f"a cold sample read {read_bytes} bytes from the device, {needed} are needed"
    if group.conditions.cache == "warm":
        if cached.share < 1:
            return f"only {cached.share:.1%} of the file was in the cache before a warm sample"
        if read_bytes:
            return f"a warm sample read {read_bytes} bytes from the device"
    return None
