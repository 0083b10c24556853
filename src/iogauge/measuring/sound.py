"""The sound protocol.

A replicate of a bundle: start and warm up its forks, overlapped; look at each alone; then, group by
group, rounds in which every live case gives one sample in random order; end the forks. Nothing is
written, drawn or logged between the start and the end of a sample.
"""

from __future__ import annotations

from iogauge.measuring.bench import Bench
from iogauge.measuring.recorder import Part, keys_of
from iogauge.measuring.schedule import UntilDecided
from iogauge.model.plan import Coordinates
from iogauge.planning.options import fork_memory_mib
from iogauge.planning.order import parts, round_orders, shuffled
from iogauge.runfile.records import Canary, Round


class Sound:
    """Measures by the sound protocol, with the parts of a bench."""

    def __init__(self, bench: Bench):
        self.bench = bench
        self.stop_policy = UntilDecided(bench.schedule, bench.recorder.failed)
        self._memory = fork_memory_mib(bench.plan, bench.run.header.runtimes)

    def begin(self) -> None:
        """Implements Procedure: nothing comes before the first replicate."""

    def replicate(self, bundle: int, number: int) -> None:
        """Measure the bundle's live cases, in parts that fit into memory; then ceilings."""
        bench, schedule = self.bench, self.bench.schedule
        start, skip_auxiliary = schedule.elapsed, schedule.skip_auxiliary(bundle, number)
        live, replicate = schedule.stop_policy.live(bundle), bench.id(bundle, number)
        compute_only = number < bench.method.compute_only_replicates and not skip_auxiliary
        auxiliary = 0.0
        cut = parts(bench.plan, bench.plan.bundles[bundle], number, live, self._memory)
        for part, cases in enumerate(cut):
            auxiliary += self.part(cases, Part(replicate, part), compute_only=compute_only)
        groups, began = bench.groups_of(live), schedule.elapsed
        candidates = schedule.candidates(groups, number, skip_auxiliary)
        if not number and schedule.should_defer_ceilings(
            bundle, began - start - auxiliary, candidates
        ):
            schedule.defer_ceilings(bundle, candidates)
            candidates = {}
        bench.ceilings.measure(candidates, replicate)
        ceilings = schedule.elapsed - began
        bench.complete(replicate, live, start, auxiliary + ceilings, ceilings, skip_auxiliary)

    def part(self, cases: list[int], part: Part, *, compute_only: bool) -> float:
        """Forks that live together and their rounds; returns seconds of compute-only variants."""
        bench, forks = self.bench, self.bench.forks
        at = (part.replicate.bundle, part.replicate.number, part.number)
        served: dict[int, list[int]] = {}
        for case in cases:
            served.setdefault(bench.plan.fork_of[case], []).append(case)
        order = shuffled(bench.plan, sorted(served), "forks", *at)
        groups = bench.groups_of(cases)
        alone = groups[0] if len(groups) == 1 else None
        bench.tell(f"starting and warming up {len(order)} forks", alone)
        try:
            forks.warm_up_all(served, order, part)
            for fork in order:
                forks.look_alone(fork, served[fork], part)
            for index in shuffled(bench.plan, groups, "groups", *at):
                of_group = [case for case in cases if bench.cases.group_of[case] == index]
                self.rounds(index, of_group, part)
            began = bench.schedule.elapsed
            if compute_only:
                bench.tell("measuring the work that is no I/O")
                for fork in order:
                    bench.compute_only.measure(fork, served[fork], part)
            auxiliary = bench.schedule.elapsed - began
            if not part.replicate.number:
                bench.harness.measure(order, part)
        finally:
            forks.end()
        return auxiliary

    def rounds(self, index: int, cases: list[int], part: Part) -> None:
        """The rounds of a group, in which each of these cases gives one sample."""
        bench, group = self.bench, self.bench.plan.groups[index]
        cold_seconds = bench.caching.bring_in_anew(index, part)
        if group.workload.writes_file:
            bench.writing.settle(index, part)
        cases = [case for case in cases if bench.forks.can_measure(case)]
        bench.calibrator.calibrate(index, cases, cold_seconds)
        fewer = {case: bench.run.calibrations[case].rounds for case in cases}
        replicate = part.replicate
        orders = round_orders(bench.plan, index, replicate.number, part.number, cases, fewer)
        for number, order in enumerate(orders):
            if not order:
                continue
            bench.tell(f"round {number + 1} of {len(orders)}", index)
            canary = Canary(**bench.observer.canary())
            bench.recorder.add(Round(group=index, **keys_of(part), round=number, canary=canary))
            for position, case in enumerate(order):
                if bench.forks.can_measure(case):
                    at = Coordinates(replicate, part.number, index, case, number, position)
                    bench.sampler.take(at)
        if bench.schedule.look_at_first(index):
            bench.tell("first levels", index)
