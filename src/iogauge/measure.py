"""Carries out a plan: the only module that knows *when*. It computes no result and prints nothing.

A replicate of a bundle: start and warm up its forks, overlapped; look at each alone; then, group by group, rounds in
which every live case gives one sample in random order; end the forks. Nothing is written, drawn or logged between the
start and the end of a sample. After each replicate the judgement says which cases still need measuring.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iogauge import analysis, host, pagecache
from iogauge.corpus import LOGS, Corpus
from iogauge.fork import Fork, Launch, Talk, end_all, overlap
from iogauge.model import Group, Runtime, Strategy
from iogauge.plan import COLLECTIONS_PER_SAMPLE, blocks, fork_memory_mib, guess_replicate_seconds, round_orders, shuffled
from iogauge.runfile import EndReason, Run, Writer
from iogauge.stats import Judgement
from iogauge.tenant import LONGEST_SHORT_OPERATION, DataFile, Failure, Tenant
from iogauge.wire import Refusal, WireError

WARM_SAMPLE = 0.020  # seconds: far above what the clock and the call cost, short enough for many rounds
PRELUDE = 0.010  # untimed operations before a warm sample: a fork that idled is up to 1.17 times slower at first
LATER_WARM_UP = 0.06  # on every file after a fork's first
LONGEST_ALLOCATING_SAMPLE = 0.2  # it is to span some collections, but no longer than this
SLOW = 10.0  # this many times slower than the fastest of its group: one sample per replicate

_TROUBLE = (Refusal, WireError, Failure)


@dataclass(frozen=True)
class Progress:
    """Where a run stands, told between samples; seconds. Per group index: `judgements`, empty before the first replicate is
    complete, and `levels`, the median ns per operation of each case in the first replicate: something to read meanwhile.
    """

    elapsed: float
    remaining: float
    replicates: int
    doing: str
    judgements: dict[int, Judgement]
    levels: dict[int, dict[int, float]]


class Measurement:
    """One session of measuring a run. `run` and `writer` receive every record; `show` is told between samples how it goes.

    `launches` says per runtime name how its forks start; `rested_matters` whether memory that rested is slow to touch
    here; `clock` gives seconds.
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
        self.runtimes: dict[str, Runtime] = {runtime.name: runtime for runtime in run.header.runtimes}
        self.launches, self.corpus, self.show = launches, corpus, show
        self.cores, self.rested_matters, self.clock = cores, rested_matters, clock
        self.began = clock() - run.seconds  # a resumed run goes on counting
        self.attempt = 1 + max((fork["attempt"] for fork in run.forks), default=-1)
        self.next_fork = 1 + max((fork["fork"] for fork in run.forks), default=-1)
        self.memory = fork_memory_mib(self.plan, run.header.runtimes)
        self.group_of = {case: index for index, group in enumerate(self.plan.groups) for case in group.cases}
        self.files: list[DataFile] = []  # by group
        self.failed: set[int] = set(run.failed())
        self.judgements: dict[int, Judgement] = {}
        self.levels: dict[int, dict[int, float]] = {}
        self.replicate_seconds: dict[int, float] = {}  # the last one's, by bundle
        self.tenants: dict[int, Tenant] = {}  # live ones, by index of their fork in the plan
        self.logs = Path()

    # ------------------------------------------------------------------------------------------------ the whole run

    def carry_out(self) -> EndReason:
        """Measure until all is decided or the budget is out. An interruption is recorded and passed on."""
        with tempfile.TemporaryDirectory(prefix=LOGS, dir=self.corpus.directory) as folder:
            self.logs = Path(folder)
            reason: EndReason = "interrupted"
            try:
                self.prepare_files()
                self.judge()
                reason = self.replicates()
            finally:
                self.record("end", reason=reason, seconds=round(self.elapsed, 3))
                self.writer.sync()
        return reason

    @property
    def elapsed(self) -> float:
        return self.clock() - self.began

    def prepare_files(self) -> None:
        self.corpus.check_room([group.file for group in self.plan.groups])
        for group in self.plan.groups:
            self.tell(f"preparing a file of {group.workload.size} bytes")
            self.files.append(DataFile(self.corpus.path(*group.file), self.corpus.provide(*group.file)))
        cold = [group for group in self.plan.groups if group.conditions.cache == "cold"]
        reason = pagecache.can_evict(self.corpus.directory) if cold else None
        for group in cold if reason else []:
            for case in group.cases:
                self.fail(case, f"not testable here: {reason}")

    def replicates(self) -> EndReason:
        done = {bundle: 0 for bundle in range(len(self.plan.bundles))}
        for record in self.run.replicates:
            done[record["bundle"]] = record["replicate"] + 1
            self.replicate_seconds[record["bundle"]] = record["seconds"]
        while True:
            pending = [bundle for bundle in done if self.live(bundle)]
            if not pending:
                return "decided"
            affordable = [
                bundle
                for bundle in pending
                if not done[bundle] or self.elapsed + self.expected_seconds(bundle) <= self.plan.budget
            ]
            if not affordable:
                return "budget"
            bundle = min(affordable, key=lambda each: done[each])  # evenly, so that all groups come along together
            self.replicate(bundle, done[bundle])
            done[bundle] += 1
            self.judge()
            self.tell("a replicate is complete")

    def live(self, bundle: int) -> list[int]:
        """The cases of a bundle that the next replicate measures."""
        cases: list[int] = []
        for index in self.plan.bundles[bundle].groups:
            group = self.plan.groups[index]
            judged = self.judgements.get(index)
            cases += group.cases if judged is None else [group.cases[column] for column in judged.live]
        return [case for case in cases if case not in self.failed]

    def judge(self) -> None:
        for index, data in enumerate(analysis.all_data(self.run)):
            if data.replicates:
                self.judgements[index] = analysis.judge(self.plan, data, last=False)

    # ------------------------------------------------------------------------------------------------- a replicate

    def replicate(self, bundle: int, number: int) -> None:
        start = self.elapsed
        live = self.live(bundle)
        for block, cases in enumerate(blocks(self.plan, self.plan.bundles[bundle], number, live, self.memory)):
            place = {"bundle": bundle, "replicate": number, "attempt": self.attempt, "block": block}
            self.block(cases, place)
        self.replicate_seconds[bundle] = self.elapsed - start
        self.record(
            "replicate",
            bundle=bundle,
            replicate=number,
            attempt=self.attempt,
            groups=sorted({self.group_of[case] for case in live}),
            seconds=round(self.elapsed - start, 3),
            elapsed=round(self.elapsed, 3),
        )
        self.writer.sync()

    def block(self, cases: list[int], place: dict[str, Any]) -> None:
        """Forks that are alive together, and the rounds they take part in."""
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
            for index in shuffled(self.plan, sorted({self.group_of[case] for case in cases}), "groups", *at):
                self.rounds(index, [case for case in cases if self.group_of[case] == index], place)
        finally:
            end_all(tenant.fork for tenant in self.tenants.values())
            self.tenants = {}

    def started(self, number: int, cases: list[int], place: dict[str, Any]) -> Talk:
        """Start a fork and run operations on each of its files until its code is compiled and its memory touched."""
        spec = self.plan.forks[number]
        runtime = self.runtimes[spec.runtime]
        fork_number, self.next_fork = self.next_fork, self.next_fork + 1
        try:
            fork = Fork(self.launches[spec.runtime], spec.heap_mib, self.logs / f"{fork_number}.log")
            tenant = Tenant(fork, fork_number, spec, runtime.strategies[spec.strategy])
            self.tenants[number] = tenant
            yield from tenant.opened()
        except _TROUBLE as error:
            self.fail_all(cases, str(error), fork_number, place)
            return
        seconds = runtime.warm_up_seconds
        for file, users in self.files_of(cases):
            try:
                yield from tenant.warmed_up(file, seconds)
            except _TROUBLE as error:
                self.fail_all(users if fork.alive else cases, str(error), fork_number, place)
                if not fork.alive:
                    return
            seconds = min(seconds, LATER_WARM_UP)

    def look_alone(self, number: int, cases: list[int], place: dict[str, Any]) -> None:
        """Is the fork steady with nothing else running? If it still gets faster it is warmed up once more. Records the fork."""
        tenant = self.tenants.get(number)
        if tenant is None:
            return
        runtime = self.runtimes[tenant.spec.runtime]
        for file, users in self.files_of(cases) if tenant.fork.alive else []:
            try:
                if tenant.look_alone(file) is False:
                    overlap([tenant.warmed_up(file, runtime.warm_up_seconds)], at_once=1)
                    tenant.look_alone(file)
            except _TROUBLE as error:
                self.fail_all(users if tenant.fork.alive else cases, str(error), tenant.number, place)
                if not tenant.fork.alive:
                    break
        self.record(
            "fork",
            fork=tenant.number,
            spec=number,
            **place,
            pid=tenant.fork.pid,
            flags=tenant.flags,
            warm_up=tenant.warm_up,
            alone=tenant.levels,
            steady=tenant.steady,
        )

    def files_of(self, cases: list[int]) -> list[tuple[DataFile, list[int]]]:
        """The files that a fork is warmed up on, one of each shape, with the cases that read such."""
        found: dict[str, tuple[DataFile, list[int]]] = {}
        for case in cases:
            file = self.files[self.group_of[case]]
            if case not in self.failed:
                found.setdefault(file.shape, (file, []))[1].append(case)
        return list(found.values())

    # -------------------------------------------------------------------------------------------- rounds of a group

    def rounds(self, index: int, cases: list[int], place: dict[str, Any]) -> None:
        group = self.plan.groups[index]
        cold_seconds = self.fresh_cache(index, place)
        cases = [case for case in cases if case not in self.failed and self.tenant(case)]
        self.calibrate(index, cases, cold_seconds)
        slow = {case for case in cases if self.run.calibrations[case]["slow"]}
        orders = round_orders(self.plan, index, place["replicate"], place["block"], cases, slow)
        for number, order in enumerate(orders):
            self.tell(f"{group.title}: round {number + 1} of {len(orders)}")
            for position, case in enumerate(order):
                if case not in self.failed and self.tenant(case):
                    self.take_sample(index, case, {**place, "round": number, "position": position})
        if index not in self.judgements:
            self.levels[index] = analysis.levels(self.run, index)
            self.tell(f"{group.title}: first levels")

    def fresh_cache(self, index: int, place: dict[str, Any]) -> float:
        """Put the group's file out of the cache and bring it in anew, so that where its pages lie is part of what
        replicates average over. Returns the seconds that reading it in took."""
        path = self.files[index].path
        if self.plan.groups[index].conditions.cache == "as-left":
            return 0.0
        self.cache_anew(index, place)
        start = self.clock()
        pagecache.cache(path)
        return self.clock() - start

    def cache_anew(self, index: int, place: dict[str, Any]) -> None:
        """Put the group's file out of the cache. Every live fork lets go of it first: one that served another group may map it."""
        self.release(place)
        left = pagecache.evict(self.files[index].path)
        if left.pages:
            text = f"the file could not be put out of the cache: {left.pages} of {left.of} pages stayed, somebody maps them"
            self.record("caveat", about=self.plan.groups[index].id, text=text, **place)

    def calibrate(self, index: int, cases: list[int], cold_seconds: float) -> None:
        """How many operations make a sample, and which cases are slow; once per case and run."""
        cold = self.plan.groups[index].conditions.cache == "cold"
        shape = self.files[index].shape
        levels = {case: self.tenant(case).levels[shape] for case in cases}
        fastest = max(min(levels.values(), default=0), cold_seconds * 1e9 if cold else 0)
        for case in cases:
            if case in self.run.calibrations:
                continue
            per_op = levels[case] / 1e9
            preludes = 0 if cold or per_op > LONGEST_SHORT_OPERATION else max(1, round(PRELUDE / per_op))
            self.record(
                "calibration",
                case=case,
                operations=1 if cold else max(1, round(self.sample_seconds(case, shape, per_op) / per_op)),
                prelude=preludes,
                ns_per_op=round(levels[case], 1),
                slow=self.tenant(case).fastest.get(shape, levels[case]) > SLOW * fastest,
            )

    def sample_seconds(self, case: int, shape: str, per_op: float) -> float:
        """20 ms; longer where memory is allocated, so that a sample spans some collections."""
        collections = self.tenant(case).collections[shape]
        if not self.allocates(case) or collections is None:
            return WARM_SAMPLE
        spanning = COLLECTIONS_PER_SAMPLE * per_op / collections if collections else LONGEST_ALLOCATING_SAMPLE
        return min(max(WARM_SAMPLE, spanning), LONGEST_ALLOCATING_SAMPLE)

    # ---------------------------------------------------------------------------------------------------- a sample

    def take_sample(self, index: int, case: int, place: dict[str, Any]) -> None:
        """Set the conditions and observe them, measure, verify, record. Around the measuring nothing else happens."""
        group, file, tenant = self.plan.groups[index], self.files[index], self.tenant(case)
        calibration = self.run.calibrations[case]
        try:
            self.touch_ballast(case, file)
            residency, recached = self.set_cache(index, place)
            if calibration["prelude"]:
                tenant.sample(file, calibration["prelude"])
            before = tenant.fork.witness.look()
            spans = tenant.sample(file, calibration["operations"])
            evidence = tenant.fork.witness.look().since(before)
            ended, sizes = self.elapsed, (tenant.fork.request_bytes, tenant.fork.reply_bytes)
            if not spans.ns[0]:
                raise Failure("it reports that the operations took no time")
            if group.conditions.cache == "cold":  # what it mapped would stay in the cache for the next one
                tenant.release()
        except _TROUBLE as error:
            self.fail(case, str(error), tenant.number, place)
            return
        self.record(
            "sample",
            case=case,
            group=index,
            fork=tenant.number,
            **place,
            ended=round(ended, 4),
            ns=spans.ns,
            operations=spans.operations,
            bytes=spans.bytes,
            sum=spans.sum,
            counters=spans.counters.model_dump(),
            evidence=evidence,
            request_bytes=sizes[0],
            reply_bytes=sizes[1],
            resident_before=residency,
            recached=recached,
            void=_void(group, file, residency, evidence["read_bytes"], calibration["operations"]),
        )

    def set_cache(self, index: int, place: dict[str, Any]) -> tuple[float, int]:
        """Bring the file into the group's cache state; returns the resident share observed, and how often it was cached anew."""
        group, file, recached = self.plan.groups[index], self.files[index], 0
        if group.conditions.cache == "cold":
            pagecache.cache(file.path)  # the read just before keeps the guest's memory backed by its host
            return pagecache.evict(file.path).share, recached
        residency = pagecache.observe(file.path).share
        while group.conditions.cache == "warm" and residency < 1 and recached < 2:
            # Hosts page out idle cache. Then the whole file comes in anew, never only what is missing.
            self.cache_anew(index, place)
            pagecache.cache(file.path)
            residency = pagecache.observe(file.path).share
            recached += 1
        return residency, recached

    def touch_ballast(self, case: int, file: DataFile) -> None:
        """Where memory that rested is slow at first touch: have it touched before a case that takes fresh memory."""
        if self.rested_matters and self.allocates(case) and not self.plan.forks[self.plan.fork_of[case]].heap_mib:
            needed = self.strategy(case).needs.memory_per_file_byte * file.manifest.size
            host.touch_ballast(max(8 << 20, int(needed)))

    def release(self, place: dict[str, Any]) -> None:
        """Have every live fork let go of every file."""
        for number, tenant in self.tenants.items():
            if tenant.fork.alive:
                try:
                    tenant.release()
                except _TROUBLE as error:
                    served = [case for case, fork in enumerate(self.plan.fork_of) if fork == number]
                    self.fail_all(served, str(error), tenant.number, place)

    # ------------------------------------------------------------------------------------------------ small things

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
        record = {"record": kind, **fields}
        self.writer.append(record)
        self.run.add(record)

    def fail(self, case: int, reason: str, fork: int | None = None, place: dict[str, Any] | None = None) -> None:
        """A case that failed is not measured any more."""
        if case not in self.failed:
            self.failed.add(case)
            reason = reason.replace(f"{self.corpus.directory}/", "")  # a run file holds no path of its host
            self.record("failure", case=case, reason=reason, fork=fork, **(place or {"replicate": None}))

    def fail_all(self, cases: list[int], reason: str, fork: int | None, place: dict[str, Any]) -> None:
        for case in cases:
            self.fail(case, reason, fork, place)

    # ---------------------------------------------------------------------------------------------------- progress

    def tell(self, doing: str) -> None:
        replicates = len(self.run.replicates)
        self.show(Progress(self.elapsed, self.remaining(), replicates, doing, dict(self.judgements), dict(self.levels)))

    def expected_seconds(self, bundle: int) -> float:
        """Of the bundle's next replicate."""
        known = self.replicate_seconds.get(bundle)
        return known or guess_replicate_seconds(
            self.plan, self.plan.bundles[bundle], self.run.header.runtimes, self.cores
        )

    def remaining(self) -> float:
        """Seconds until all is likely decided, at most until the budget is out."""
        left = max(0.0, self.plan.budget - self.elapsed)
        needed = 0.0
        for number, bundle in enumerate(self.plan.bundles):
            if not self.live(number):
                continue
            goals = [
                analysis.replicates_to_decide(self.plan, self.judgements.get(index)) for index in bundle.groups
            ]
            if None in goals:
                return left
            done = sum(1 for record in self.run.replicates if record["bundle"] == number)
            needed += self.expected_seconds(number) * max(1, max(goals) - done)
        return min(left, needed)


def _void(group: Group, file: DataFile, residency: float, read_bytes: int | None, operations: int) -> str | None:
    """Why a sample is not what it was to be, or None."""
    if not file.manifest.size:  # no pages: neither warm nor cold
        return None
    if group.conditions.cache == "cold":
        if residency > 0:
            return f"{residency:.1%} of the file was in the cache before a cold sample"
        if read_bytes is not None and read_bytes < file.manifest.size * operations:
            return f"a cold sample read {read_bytes} bytes from the device, the file has {file.manifest.size}"
    if group.conditions.cache == "warm":
        if residency < 1:
            return f"only {residency:.1%} of the file was in the cache before a warm sample"
        if read_bytes:
            return f"a warm sample read {read_bytes} bytes from the device"
    return None
