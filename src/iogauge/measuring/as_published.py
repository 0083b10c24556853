"""Carries out a plan as its publication did: the order as declared, the same flaws. The other
module that knows *when*.

A replicate is one repetition of the whole procedure. What the sound protocol sets, proves or waits
for (warm-up, cache state, settling, one heap) is left as the authors left it; what can be observed
is recorded all the same.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from itertools import groupby
from typing import Any

from iogauge.analysis import analysis
from iogauge.corpus.written import WrittenFiles
from iogauge.host import pagecache
from iogauge.measuring.measure import TROUBLE, Measurement, Observed, dirty_pages
from iogauge.model.plan import PublishedProtocol
from iogauge.planning.cost import counted_seconds, timed_seconds
from iogauge.planning.order import padding_of
from iogauge.runfile.runfile import EndReason
from iogauge.runners.fork import Fork, end_all, overlap
from iogauge.runners.task import Task
from iogauge.runners.tenant import ANSWER_TIMEOUT, Tenant, paths
from iogauge.runners.wire import Spans

FEWEST_REPETITIONS, MOST_REPETITIONS = (
    3,
    5,
)  # of the procedure: what they differ by is how far it can be trusted
SHORTEST_ITERATION = 0.05  # seconds, however small the budget
_MOST_UNTIMED = 50_000  # operations in one request


class AsPublished(Measurement):
    """One session of repeating a published procedure."""

    def __init__(self, *arguments: Any, **named: Any):
        super().__init__(*arguments, **named)
        self.memory = dict.fromkeys(
            self.memory, 0
        )  # nothing is cut into blocks: the authors did not
        self.share = 1.0  # of the published length of iterations, that fits into the budget
        self.seen_seconds: dict[tuple[str, str], float] = {}  # per byte, of a variant in a setting

    @property
    def protocol(self) -> PublishedProtocol:
        return self.plan.published

    def replicates(self) -> EndReason:
        for text in self.protocol.caveats:
            self.caveat_once(text)
        self.shorten()
        return super().replicates()

    def live(self, bundle: int) -> list[int]:
        """Every case, as long as there are repetitions to come."""
        done = sum(record["bundle"] == bundle for record in self.run.replicates)
        groups = (self.plan.groups[index] for index in self.plan.bundles[bundle].groups)
        return (
            []
            if done >= MOST_REPETITIONS
            else [case for group in groups for case in group.cases if case not in self.failed]
        )

    def shorten(self) -> None:
        """Where iterations last some time it is known beforehand how long all of them take."""
        if self.protocol.iteration:
            whole = timed_seconds(self.plan, self.run.header.runtimes)
            self.share = min(1.0, self.plan.budget / whole)
        if self.share < 1:
            says = [
                f"{what} of {self.iteration_seconds(then):.2g} s instead of {then:g} s"
                for what, then in (
                    ("iterations", self.protocol.iteration),
                    ("warm-ups", self.protocol.warm_up),
                )
                if then
            ]
            self.caveat_once(f"{', '.join(says)}, to fit the budget")

    def caveat_once(self, text: str) -> None:
        """About the run, which may be one that goes on."""
        if text not in [each["text"] for each in self.run.caveats]:
            self.record("caveat", about="run", text=text)

    def iteration_seconds(self, published: float) -> float:
        return max(SHORTEST_ITERATION, published * self.share)

    # a repetition

    def block(self, cases: list[int], place: dict[str, Any], *, companions: bool) -> float:
        """One runtime with its options after another; within it, one case after another as
        declared. No publication measured companions.
        """
        by_setting: dict[str, list[int]] = defaultdict(list)
        for case in sorted(cases):
            by_setting[self.plan.cases[case].setting].append(case)
        left, start = [case for users in by_setting.values() for case in users], self.elapsed
        try:
            for setting, users in by_setting.items():
                for _, experiment in groupby(
                    users, lambda case: self.plan.groups[self.group_of[case]].experiment
                ):
                    for index, together in groupby(experiment, self.group_of.get):
                        for case in together:
                            self.tell(
                                f"{self.plan.groups[index].title}: {self.plan.cases[case].label} @{setting}"
                            )
                            tenant = self.process(case, place)
                            if tenant is not None:
                                self.measure_case(case, tenant, left, start, place)
                            left.remove(case)
                            self.end_process_of("each")
                        self.told_first(index)
                        self.end_process_of("group")
                    self.end_process_of("experiment")
                self.end_processes()
        finally:
            self.end_processes()
            while self.written:
                self.written.popitem()[1].close()
        return 0.0

    def told_first(self, index: int) -> None:
        """A repetition is long: what a group gave in the first one is told at once."""
        if index not in self.judgements:
            self.levels[index] = analysis.levels(self.run, index)
            self.tell(f"{self.plan.groups[index].title}: measured once")

    def process(self, case: int, place: dict[str, Any]) -> Tenant | None:
        """The process that serves the case: the one that serves all, or a fresh one. None if it
        does not start.
        """
        number = self.plan.fork_of[case]
        known = self.tenants.get(number)
        if known and known.fork.alive:
            return known
        if known:
            text = "the process ended; what follows was measured in another one"
            self.record("caveat", about="run", text=text, **place)
        spec = self.plan.forks[number]
        fork_number, self.next_fork = self.next_fork, self.next_fork + 1
        try:
            fork = Fork(
                self.launches[spec.runtime], 0, self.logs / f"{fork_number}.log", spec.options
            )
            padding = padding_of(self.plan, place["replicate"], number)
            tenant = self.tenants[number] = Tenant(
                fork, fork_number, spec, padding=padding, patience=ANSWER_TIMEOUT + self.plan.budget
            )
            overlap([tenant.greeted()], at_once=1)
        except TROUBLE as error:
            self.fail(case, str(error), fork_number, place)
            return None
        self.record(
            "fork",
            fork=fork_number,
            spec=number,
            **place,
            pid=fork.pid,
            layout=fork.layout,
            padding=padding,
            flags=tenant.flags,
            warm_up={},
            alone={},
            steady={},
        )
        return tenant

    def end_process_of(self, what: str) -> None:
        """Where the protocol has a process for each of these, which just ended."""
        if self.protocol.process == what:
            self.end_processes()

    def end_processes(self) -> None:
        end_all(tenant.fork for tenant in self.tenants.values())
        self.tenants = {}

    def expected(self, case: int) -> float:
        """Seconds that the case takes at its published length, by what was seen of the strategy so
        far.
        """
        found = self.plan.cases[case]
        seen = self.seen_seconds.get((found.setting, found.variant))
        return counted_seconds(
            self.plan, self.plan.groups[self.group_of[case]], case, self.strategy(case), seen
        )

    def fitting(self, case: int, cases: list[int], start: float, repetition: int) -> float:
        """The share of its published length that a case gets, such that a repetition's cases that
        are left, and the repetitions still needed, fit into the budget. The longest are shortened
        first: most cases are measured as published.
        """
        needed = max(1, FEWEST_REPETITIONS - repetition)
        left = start + (self.plan.budget - start) / needed - self.elapsed
        return min(
            1.0, _longest([self.expected(each) for each in cases], left) / self.expected(case)
        )

    def expected_seconds(self, bundle: int) -> float:
        """Counted operations become fewer until the repetitions that are needed fit."""
        seconds = super().expected_seconds(bundle)
        enough = self.protocol.iteration or len(self.run.replicates) >= FEWEST_REPETITIONS
        return seconds if enough else min(seconds, max(0.0, self.plan.budget - self.elapsed))

    def goals(self, bundle: int) -> list[int | None]:
        return [MOST_REPETITIONS]

    # a case

    def measure_case(
        self, case: int, tenant: Tenant, left: list[int], start: float, place: dict[str, Any]
    ) -> None:
        """`left` are the cases of the repetition, which began at `start`, that are still to come,
        with this one.
        """
        work, files = self.tasks[case], self.sampled(case, tenant)
        try:
            self.bring_about(case, work, place)
            tenant.open(work)
            tenant.levels.pop(work.shape, None)  # of another strategy, maybe
            if self.protocol.iteration:
                self.by_time(case, tenant, work, files, place)
            else:
                share = self.fitting(case, left, start, place["replicate"])
                self.by_count(case, tenant, work, files, share, place)
        except TROUBLE as error:
            self.remove_half_written(case, tenant)
            self.fail(case, str(error), tenant.number, place)

    def bring_about(self, case: int, work: Task, place: dict[str, Any]) -> None:
        """The state of the cache that the authors' file was in when a case began, as far as it is
        known. From then on it is left alone.
        """
        cache = self.plan.cases[case].conditions.cache
        if work.path and cache == "warm":
            pagecache.cache(work.path)
        elif work.path and cache == "cold":
            self.cache_anew(self.group_of[case], work.path, place)

    def by_count(
        self,
        case: int,
        tenant: Tenant,
        work: Task,
        files: WrittenFiles | None,
        share: float,
        place: dict[str, Any],
    ) -> None:
        """Untimed operations, then the timed ones in one span."""
        published = self.plan.groups[self.group_of[case]].operations
        untimed, operations = (
            math.floor(self.protocol.untimed * share),
            max(1, math.floor(published * share)),
        )
        left = untimed
        while left > 0:
            some = min(left, work.most_operations, _MOST_UNTIMED)
            tenant.sample(work, some, 1, paths(work, files, some))
            self.check(case, files)
            left -= some
        before = files.length if files else None
        dirty, resident = self.state(work, files)
        seen = self.observed(tenant, work, operations, 1, paths(work, files, operations))
        self.check(case, files)
        found = self.plan.cases[case]
        self.seen_seconds[found.setting, found.variant] = (
            sum(seen.spans.ns) / 1e9 / operations / max(1, found.workload.size)
        )
        self.record_iteration(
            case, tenant, [seen], 0, before, dirty, resident, {**place, "untimed": untimed}
        )

    def by_time(
        self,
        case: int,
        tenant: Tenant,
        work: Task,
        files: WrittenFiles | None,
        place: dict[str, Any],
    ) -> None:
        """Iterations that last some time, in as few requests as that takes."""
        for _ in range(self.protocol.warm_ups):
            self.iteration(case, tenant, work, files, self.iteration_seconds(self.protocol.warm_up))
        for number in range(self.protocol.iterations):
            before = files.length if files else None
            dirty, resident = self.state(work, files)
            seen = self.iteration(
                case, tenant, work, files, self.iteration_seconds(self.protocol.iteration)
            )
            self.record_iteration(case, tenant, seen, number, before, dirty, resident, place)

    def iteration(
        self, case: int, tenant: Tenant, work: Task, files: WrittenFiles | None, seconds: float
    ) -> list[Observed]:
        requests: list[Observed] = []
        taken = 0.0
        while taken < seconds:
            per_op = tenant.levels.get(work.shape)
            operations = (
                1
                if per_op is None
                else max(1, min(round((seconds - taken) / (per_op / 1e9)), work.most_operations))
            )
            seen = self.observed(tenant, work, operations, 1, paths(work, files, operations))
            self.check(case, files)
            requests.append(seen)
            taken += seen.spans.ns[0] / 1e9
            tenant.levels[work.shape] = max(seen.spans.ns[0] / operations, 1.0)
        return requests

    def state(self, work: Task, files: WrittenFiles | None) -> tuple[int | None, float | None]:
        """Pages of its files that wait to be written, and how much of what it reads is in the
        cache: observed, not set.
        """
        if work.path is None:
            return dirty_pages(files), None
        cached = pagecache.observe(work.path)
        return cached.dirty, cached.share

    def check(self, case: int, files: WrittenFiles | None) -> None:
        """What was written must be right in a publication too; nothing waits for the device."""
        if files is None:
            return
        files.check()
        if files.forget(sync=False):
            text = "a file that grows without end in the publication was begun anew after 1 GiB"
            self.record("caveat", about=self.plan.cases[case].key, text=text)

    def record_iteration(
        self,
        case: int,
        tenant: Tenant,
        requests: list[Observed],
        number: int,
        file_before: int | None,
        dirty: int | None,
        resident: float | None,
        place: dict[str, Any],
    ) -> None:
        state = {
            "resident_before": resident,
            "dirty_before": dirty,
            "file_before": file_before,
            "recached": 0,
            "void": None,
        }
        self.record_sample(
            case, tenant, _merged(requests), 0, {**place, "round": number, "position": 0, **state}
        )


def _longest(seconds: list[float], left: float) -> float:
    """How long any one may take, such that all of them take the seconds that are left; infinite
    where all fit.
    """
    for number, each in enumerate(sorted(seconds)):
        most = max(0.0, left) / (len(seconds) - number)
        if each > most:
            return most
        left -= each
    return math.inf


def _merged(requests: list[Observed]) -> Observed:
    """As if it had been one request: of the others, their own reads and writes are taken out of the
    evidence.
    """
    first, last, others = requests[0], requests[-1], requests[:-1]
    evidence = _summed([seen.evidence for seen in requests])
    for name, own in (
        ("syscr", len(others)),
        ("syscw", len(others)),
        ("rchar", sum(seen.request_bytes for seen in others)),
        ("wchar", sum(seen.reply_bytes for seen in others)),
    ):
        if evidence[name] is not None:
            evidence[name] -= own
    return replace(
        last,
        spans=Spans.joined([seen.spans for seen in requests]),
        evidence=evidence,
        machine=_summed([seen.machine for seen in requests]),
        device=_summed([seen.device for seen in requests]),
        in_flight_before=first.in_flight_before,
    )


def _summed(looks: list[dict[str, Any] | None]) -> dict[str, Any] | None:
    """Sums of what grows; of a peak and of threads that ran, the largest. None where one of them is
    not known.
    """
    if None in looks:
        return None
    summed: dict[str, Any] = {}
    for name in looks[0]:
        values = [look[name] for look in looks]
        largest = name in ("peak_rss_bytes", "running", "in_flight")
        summed[name] = None if None in values else max(values) if largest else sum(values)
    return summed
