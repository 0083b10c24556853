"""The sound protocol.

A replicate of a bundle: start and warm up its forks, overlapped; look at each alone; then, group by
group, rounds in which every live case gives one sample in random order, and as many further rounds
of what is open as are worth their time; end the forks. Nothing is written, drawn or logged between
the start and the end of a sample.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from iogauge.measuring.bench import Bench
from iogauge.measuring.recorder import Part, keys_of
from iogauge.measuring.schedule import UntilDecided
from iogauge.model.plan import Coordinates, ReplicateId
from iogauge.planning.options import fork_memory_mib
from iogauge.planning.order import RoundOrders, parts, shuffled
from iogauge.runfile.records import Canary, Round
from iogauge.runfile.run import Run


class Sound:
    """Measures by the sound protocol, with the parts of a bench."""

    def __init__(self, bench: Bench):
        self.bench = bench
        self.stop_policy = UntilDecided(bench.schedule, bench.recorder.failed)
        self._memory = fork_memory_mib(bench.plan, bench.run.header.runtimes)
        self._orders = RoundOrders(bench.plan, _rounds_taken(bench.run))

    def begin(self) -> None:
        """Implements Procedure: nothing comes before the first replicate."""

    def replicate(self, bundle: int, number: int) -> None:
        """Measure the bundle's live cases, in parts that fit into memory; then ceilings."""
        bench, schedule = self.bench, self.bench.schedule
        groups, replicate = bench.plan.bundles[bundle].groups, bench.id(bundle, number)
        bench.cases.look_at(groups, bench.recorder)
        bench.caching.look_whether_left(groups, replicate)
        start, skip_auxiliary = schedule.elapsed, schedule.skip_auxiliary(bundle, number)
        live = schedule.stop_policy.live(bundle)
        if not live:  # none of it can be measured here, or its file is no longer as it was left
            return
        compute_only = number < bench.method.compute_only_replicates and not skip_auxiliary
        compute_only = compute_only and not bench.plan.versions  # they do the same work
        cut = parts(bench.plan, bench.plan.bundles[bundle], number, live, self._memory)
        rounds: dict[int, int] = {}
        for part, cases in enumerate(cut):
            found = self.part(cases, Part(replicate, part), compute_only=compute_only)
            rounds |= {each: max(count, rounds.get(each, 0)) for each, count in found.items()}
        candidates = schedule.candidates(bench.groups_of(live), number, skip_auxiliary)
        seconds = schedule.elapsed - start - bench.phases["compute_only"]
        if not number and schedule.should_defer_ceilings(bundle, seconds, candidates):
            schedule.defer_ceilings(bundle, candidates)
            candidates = {}
        with bench.phases.of("ceilings"):
            bench.ceilings.measure(candidates, replicate)
        bench.complete(replicate, live, start, rounds, skip_auxiliary=skip_auxiliary)

    def part(self, cases: list[int], part: Part, *, compute_only: bool) -> dict[int, int]:
        """Forks that live together and their rounds; returns how many rounds each group had."""
        bench, forks, phases = self.bench, self.bench.forks, self.bench.phases
        at = (part.replicate.bundle, part.replicate.number, part.number)
        served: dict[int, list[int]] = {}
        for case in cases:
            served.setdefault(bench.plan.fork_of[case], []).append(case)
        order = shuffled(bench.plan, sorted(served), "forks", *at)
        groups = bench.groups_of(cases)
        alone = groups[0] if len(groups) == 1 else None
        bench.tell(f"starting and warming up {len(order)} forks", alone)
        began, rounds = bench.schedule.elapsed, dict[int, int]()
        try:
            with phases.of("starting"):
                forks.warm_up_all(served, order, part)
            bench.watch(cases)
            if not part.replicate.number:
                bench.expect(cases)
            with phases.of("alone"):
                for fork in order:
                    forks.look_alone(fork, served[fork], part)
                    bench.watch(served[fork])
            each = (bench.schedule.elapsed - began) / len(groups)
            for index in shuffled(bench.plan, groups, "groups", *at):
                of_group = [case for case in cases if bench.cases.group_of[case] == index]
                rounds[index] = self.rounds(index, of_group, part, each)
            if compute_only:
                bench.tell("measuring the work that is no I/O")
                with phases.of("compute_only"):
                    for fork in order:
                        bench.compute_only.measure(fork, served[fork], part)
            if not part.replicate.number:
                with phases.of("harness"):
                    bench.harness.measure(order, part)
        finally:
            forks.end()
        return rounds

    def rounds(self, index: int, cases: list[int], part: Part, preparing: float) -> int:
        """The rounds of a group, in which each of these cases gives a sample; from the fourth one
        on each that is open. Their forks took `preparing` seconds. Returns how many rounds.
        """
        bench, group, began = self.bench, self.bench.plan.groups[index], self.bench.schedule.elapsed
        with bench.phases.of("caching"):
            cold_seconds = bench.caching.bring_in_anew(index, part)
            if group.workload.writes_file:
                bench.writing.settle(index, part)
        with bench.phases.of("sampling"):
            cases = [case for case in cases if bench.forks.can_measure(case)]
            bench.calibrator.calibrate(index, cases, cold_seconds)
            bench.watch(cases)
            preparing += bench.schedule.elapsed - began
            rounds = self._rounds(index, cases, part, preparing)
        if bench.schedule.look_at_first(index):
            bench.tell("first levels", index)
        return rounds

    def _rounds(self, index: int, cases: list[int], part: Part, preparing: float) -> int:
        """Measure the rounds, and return how many there were. After the first ones it is known how
        long a round takes, and so how many more are worth their time.
        """
        schedule, began = self.bench.schedule, self.bench.schedule.elapsed
        rounds, fewest = self.bench.plan.groups[index].rounds, self.bench.method.fewest_rounds
        number = 0
        while number < rounds:
            if number == fewest:
                share = self._seconds(index, cases, number) / self._seconds(index, cases, 0)
                took, bundle = schedule.elapsed - began, part.replicate.bundle
                rounds = schedule.rounds(bundle, index, preparing + took, share * took / number)
            if number < rounds and self._round(index, number, rounds, cases, part):
                number += 1
            else:
                break
        return number

    def _seconds(self, index: int, cases: list[int], number: int) -> float:
        """About how long the samples of a round take."""
        due = [case for case in cases if self._takes_part(index, case, number)]
        return sum(map(self.bench.calibrator.seconds, due))

    def _round(self, index: int, number: int, of: int, cases: list[int], part: Part) -> bool:
        """Returns whether there was anything to measure."""
        bench = self.bench
        due = [case for case in cases if self._takes_part(index, case, number)]
        if not due:
            return False
        bench.tell(f"round {number + 1} of {of}", index)
        canary = Canary(**bench.observer.canary())
        bench.recorder.add(Round(group=index, **keys_of(part), round=number, canary=canary))
        for position, case in enumerate(self._orders.next(index, due)):
            if bench.forks.can_measure(case):
                at = Coordinates(part.replicate, part.number, index, case, number, position)
                bench.sampler.take(at)
        return True

    def _takes_part(self, index: int, case: int, number: int) -> bool:
        """Further rounds than the first ones are only for what is open."""
        if number >= self.bench.run.calibrations[case].rounds:
            return False
        further = number >= self.bench.method.fewest_rounds
        return not further or self.bench.schedule.is_open(index, case)


def _rounds_taken(run: Run) -> Iterator[tuple[int, set[int]]]:
    """The group and the cases of each round of the complete replicates of earlier sessions."""
    columns, found = run.columns, defaultdict[tuple[int, ...], set[int]](set)
    place = columns.bundle, columns.replicate, columns.attempt, columns.part, columns.round
    keys = zip(*(each.tolist() for each in (*place, columns.group)), strict=True)
    for key, case in zip(keys, columns.case.tolist(), strict=True):
        found[key].add(case)
    for (bundle, replicate, attempt, _, _, group), cases in found.items():
        if ReplicateId(bundle, replicate, attempt) in run.complete_replicates:
            yield group, cases
