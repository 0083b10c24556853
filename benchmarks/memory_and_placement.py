"""What do untouched memory, the place of cached pages, and idling do to times?

Measures with our counter-measures and without, and what these cost.

    python benchmarks/memory_and_placement.py [SECTION…] [--budget 60s]

Every second replicate of a run goes without the counter-measure, so both are measured side by side.
Sections: cold-reading-first, ballast-writing, caching-anew, idling, idling-allocating,
prelude-apart, overlapped-start, sample-length, one-processor, longer-warm-up. (For the pre-touched heap see
benchmarks/pretouched_heap.py.)
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from ledger import counted, measured, scratch
from msgspec import structs

from iogauge.analysis.data import all_data
from iogauge.host import capacity, pagecache
from iogauge.measuring.bench import Bench
from iogauge.measuring.recorder import Where
from iogauge.measuring.schedule import UntilDecided
from iogauge.measuring.sound import Sound
from iogauge.model.method import METHOD
from iogauge.model.plan import Coordinates
from iogauge.model.strategy import Runtime
from iogauge.model.units import duration, parse_duration, short_size
from iogauge.runfile.records import Sample
from iogauge.runfile.run import Run
from iogauge.runners.task import Task
from iogauge.statistics import intervals, paired

REST = 3.0  # seconds
LONGER = 3  # times as long a warm-up
COLLECTIONS = (0, 1, 2, 3, 5, 8, 12, 16)


class EveryCase(UntilDecided):
    """Every case is measured to the end of the budget: what is decided is not the question."""

    def __init__(self, bench: Bench):
        super().__init__(bench.schedule, bench.recorder.failed)
        self._bench = bench

    def live(self, bundle: int) -> list[int]:
        groups = (self._bench.plan.groups[each] for each in self._bench.plan.bundles[bundle].groups)
        cases = (case for group in groups for case in group.cases)
        return [case for case in cases if case not in self._bench.recorder.failed]


class Halved:
    """The sound protocol, but every second replicate is `bare`: without the counter-measure. The
    fork rests for some seconds before each sample. `spent` collects the seconds that the
    counter-measure takes each time.
    """

    def __init__(self, bench: Bench, rest: float, spent: list[float]):
        self.bench, self.spent, self.bare = bench, spent, False
        self.sound, self.stop_policy = Sound(bench), EveryCase(bench)
        self.vary()
        take = bench.sampler.take

        def untouched(at: Coordinates) -> None:
            time.sleep(rest)
            take(at)

        bench.sampler.take = untouched

    def vary(self) -> None:
        """Change the parts of the bench."""

    def begin(self) -> None:
        self.sound.begin()

    def replicate(self, bundle: int, number: int) -> None:
        self.bare = number % 2 == 1
        self.sound.replicate(bundle, number)

    def timed(self, do: Callable[..., Any], *arguments: Any) -> Any:
        began = time.perf_counter()
        result = do(*arguments)
        self.spent.append(time.perf_counter() - began)
        return result

    def recalibrated(self, case: int, **changed: int) -> None:
        calibrations = self.bench.run.calibrations
        calibrations[case] = structs.replace(calibrations[case], **changed)


class ColdReadFirst(Halved):
    """Reading the file just before it is evicted for a cold sample, whether `doctor` finds it worth
    while or not.
    """

    def vary(self) -> None:
        caching = self.bench.caching
        usual, caching.first_touch_matters = caching.set, False

        def set_cache(group: int, work: Task, where: Where) -> Any:
            if not self.bare:
                self.timed(pagecache.cache, work.path)
            return usual(group, work, where)

        caching.set = set_cache


class Ballast(Halved):
    """Touching huge pages before samples that write, whether `doctor` finds it worth while or not."""

    def vary(self) -> None:
        writing = self.bench.writing
        usual, writing.first_touch_matters = writing.touch_ballast, True

        def touch(case: int, operations: int) -> None:
            if not self.bare:
                self.timed(usual, case, operations)

        writing.touch_ballast = touch


class CachedAnew(Halved):
    """Putting the file out of the cache and reading it in anew at the start of each replicate: half
    of the groups do without, each with a file of its own, so that no other replicate moves its
    pages.
    """

    def vary(self) -> None:
        caching = self.bench.caching
        usual = caching.bring_in_anew

        def bring_in(group: int, where: Where) -> float:
            if group % 2 == 0:
                return self.timed(usual, group, where)
            for path in caching.read_files(group):
                if pagecache.observe(path).share != 1:
                    pagecache.cache(path)
            return 0.0

        caching.bring_in_anew = bring_in


class Unprepared(Halved):
    """No untimed operations before a sample."""

    def vary(self) -> None:
        usual = self.bench.calibrator.calibrate

        def calibrate(group: int, cases: list[int], cold_seconds: float = 0.0) -> None:
            usual(group, cases, cold_seconds)
            for case in cases:
                self.recalibrated(case, prelude=0)

        self.bench.calibrator.calibrate = calibrate


class Apart(Halved):
    """The prelude as a request of its own: the fork waits for the next one while the host looks at
    the machine.
    """

    def vary(self) -> None:
        bench, usual = self.bench, self.bench.sampler.take

        def take(at: Coordinates) -> None:
            kept = bench.run.calibrations[at.case]
            if self.bare:
                work = bench.cases.tasks[at.case]
                bench.forks.serving(at.case).work(work, None, kept.operations, kept.prelude)
                self.recalibrated(at.case, prelude=0)
            try:
                usual(at)
            finally:
                bench.run.calibrations[at.case] = kept

        bench.sampler.take = take


class Overlapped(Halved):
    """Starting and warming up two forks at a time."""

    def replicate(self, bundle: int, number: int) -> None:
        self.bench.forks.cores = 1 if number % 2 == 1 else capacity.usable_cores()
        super().replicate(bundle, number)


class LongSamples(Halved):
    """Five samples of 20 ms instead of twelve of 8."""

    def vary(self) -> None:
        bench, usual = self.bench, self.bench.sampler.take

        def take(at: Coordinates) -> None:
            kept = bench.run.calibrations[at.case]
            if self.bare and at.round >= 5:
                return
            if self.bare:
                self.recalibrated(
                    at.case,
                    operations=round(2.5 * kept.operations),
                    prelude=max(1, round(kept.prelude / 2.5)),
                )
            try:
                usual(at)
            finally:
                bench.run.calibrations[at.case] = kept

        bench.sampler.take = take


class Free(Halved):
    """Each fork on the processor that the system gives it."""

    def vary(self) -> None:
        placement = self.bench.sampler.placement
        usual = placement.move

        def move(pid: int, replicate: object) -> None:
            if not self.bare:
                usual(pid, replicate)

        placement.move = move


class Longer(Halved):
    """Three times as long a warm-up in every replicate that is not bare."""

    def replicate(self, bundle: int, number: int) -> None:
        cases = self.bench.cases
        kept, later = cases.runtimes, cases.method.later_warm_up
        if number % 2 == 0:
            cases.method = cases.method.model_copy(update={"later_warm_up": LONGER * later})
            cases.runtimes = {
                name: each.model_copy(update=_lengthened(each)) for name, each in kept.items()
            }
        try:
            super().replicate(bundle, number)
        finally:
            cases.runtimes = kept
            cases.method = cases.method.model_copy(update={"later_warm_up": later})


def _lengthened(runtime: Runtime) -> dict[str, float]:
    return {
        "warm_up_seconds": LONGER * runtime.warm_up_seconds,
        "warm_up_calls": LONGER * runtime.warm_up_calls,
        "longest_warm_up_seconds": LONGER * runtime.longest_warm_up_seconds,
    }


def measured_by(
    kind: type[Halved], rest: float, text: str, folder: Path, **changed: float
) -> tuple[Run, list[float]]:
    """The run of a study, by a method with these changes, and the seconds that the counter-measure
    took each time.
    """
    spent: list[float] = []
    run = measured(
        text,
        folder,
        seed=1,
        method=METHOD.model_copy(update=changed),
        follow=lambda bench: kind(bench, rest, spent),
    )
    return run, spent


def study(budget: float, groups: str, rounds: str = "") -> str:
    return f'id = "placement"\ntitle = "Placement"\nbudget = {budget}\nprecision = "0.01%"\n{rounds}\n{groups}'


def group(name: str, strategy: str, size: int, more: str = "", parameters: str = "{}") -> str:
    return (
        f'\n[[group]]\nid = "{name}"\nquestion = "?"\nsize = {size}\n{more}\n'
        f'\n[[group.case]]\nstrategy = "{strategy}"\nparameters = {parameters}\n'
    )


def levels(run: Run) -> dict[bool, list[float]]:
    """Log ns per operation of every valid sample, without (True) and with the counter-measure."""
    found: dict[bool, list[float]] = defaultdict(list)
    for sample in counted(run):
        found[sample.replicate % 2 == 1].append(math.log(sum(sample.ns) / sum(sample.operations)))
    return found


def with_over_without(run: Run, wanted: Callable[[Sample], bool] = lambda sample: True) -> str:
    """The ratio of the times, its 95 % interval over pairs of replicates that follow one another,
    and how many these are.
    """
    by_replicate: dict[int, list[float]] = defaultdict(list)
    for sample in filter(wanted, counted(run)):
        by_replicate[sample.replicate].append(math.log(sum(sample.ns) / sum(sample.operations)))
    pairs = [
        statistics.median(by_replicate[number]) - statistics.median(by_replicate[number + 1])
        for number in by_replicate
        if number % 2 == 0 and number + 1 in by_replicate
    ]
    over = intervals.interval(pairs, 0.05)
    bounds = f" ({math.exp(over.lo):.3f}–{math.exp(over.hi):.3f})" if math.isfinite(over.lo) else ""
    return f"{math.exp(over.center):.3f}{bounds}, {over.n}"


def spread(logs: list[float]) -> str:
    """The middle 90 % of the samples, as a factor, and the slowest over the median."""
    ordered = sorted(logs)
    low, high = (
        ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))] for share in (0.05, 0.95)
    )
    return f"×{math.exp(high - low):.2f}, slowest ×{math.exp(ordered[-1] - statistics.median(ordered)):.2f}"


def compared(title: str, kind: type[Halved], text: str, folder: Path, rest: float) -> None:
    run, spent = measured_by(kind, rest, text, folder)
    found = levels(run)
    ms = {bare: math.exp(statistics.median(logs)) / 1e6 for bare, logs in found.items()}
    cost = duration(statistics.median(spent)) if spent else "–"
    untouched = f"{rest:.0f} s of rest" if rest else "as a run goes"
    for bare in (False, True):
        print(
            f"| {title}, {untouched} | {'without' if bare else 'with'} | {len(found[bare])} | {ms[bare]:.3g} ms | {spread(found[bare])} | "
            f"{'' if bare else with_over_without(run)} | {'' if bare else cost} |",
            flush=True,
        )


def header() -> None:
    print(
        "| what | counter-measure | samples | median | middle 90 % | with / without (95 %), pairs of replicates | its cost, median |"
    )
    print("|---|---|---|---|---|---|---|")


def cold_reading_first(budget: float, folder: Path) -> None:
    header()
    for rest in (0.0, REST):
        for size in (16 << 20, 128 << 20):
            rounds = "rounds = { cold = 2 }" if rest else ""
            text = study(
                budget,
                group("cold", "go/file-read", size, 'cache = "cold"', "{ block = 131072 }"),
                rounds,
            )
            compared(f"cold read of {size >> 20} MiB", ColdReadFirst, text, folder, rest)


def ballast_writing(budget: float, folder: Path) -> None:
    header()
    for rest in (0.0, REST):
        text = study(
            budget,
            group("writing", "go/file-write", 16 << 20, 'operation = "write"'),
            "rounds = { write = 2 }",
        )
        compared("16 MiB written into the cache (go/file-write)", Ballast, text, folder, rest)


def caching_anew(budget: float, folder: Path) -> None:
    """Files of nearly one size: do they keep differing?"""
    files = 12
    text = study(
        2 * budget,
        "".join(
            group(f"file-{n}", "go/file-read", (32 << 20) + n * 4096, "", "{ block = 131072 }")
            for n in range(files)
        ),
        "rounds = { warm = 4 }",
    )
    run, spent = measured_by(CachedAnew, 0.0, text, folder)
    print(
        "| counter-measure | files | replicates | slowest / fastest file, of their medians over replicates | spread of a file's levels over replicates, SD | its cost, median |"
    )
    print("|---|---|---|---|---|---|")
    for bare in (False, True):
        by_file: dict[int, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
        for sample in counted(run):
            if (sample.group % 2 == 1) == bare:
                by_file[sample.group][sample.replicate].append(
                    math.log(sum(sample.ns) / sum(sample.operations))
                )
        moved = {
            replicate: statistics.median(
                statistics.median(each[replicate]) for each in by_file.values() if replicate in each
            )
            for replicate in by_file[int(bare)]
        }
        of_file = [
            [
                statistics.median(logs) - moved[replicate]
                for replicate, logs in each.items()
                if replicate in moved
            ]
            for each in by_file.values()
        ]
        medians = [statistics.median(each) for each in of_file]
        print(
            f"| {'without' if bare else 'with'} | {files // 2} | {len(moved)} | {math.exp(max(medians) - min(medians)):.3f} | "
            f"{statistics.fmean(statistics.stdev(each) for each in of_file):.1%} | {'' if bare else duration(statistics.median(spent))} |"
        )


def idling(budget: float, folder: Path) -> None:
    """How much slower the first milliseconds of a sample are, when nothing is run before it."""
    print(
        "| strategy | size | spans | slower than the second half of the sample after 0, 1, 2, 3, 5, 8, 12 ms |"
    )
    print("|---|---|---|---|")
    for strategy in ("java/file-input-stream", "go/file-read"):
        for size in (256 << 10, 4 << 20):
            text = study(budget / 2, group("idle", strategy, size, "", "{ block = 8192 }"))
            run, _ = measured_by(Unprepared, 0.0, text, folder, warm_sample=0.04, warm_spans=40)
            print(f"| {strategy} | {size >> 10} KiB | {ramp(run)} |", flush=True)


def idling_allocating(budget: float, folder: Path) -> None:
    """The same of operations that allocate, by how many collections they have gone through their
    memory.
    """
    longer = {"collections_per_sample": 40, "longest_allocating": 1.0, "warm_spans": 40}
    print(
        f"| strategy | size | samples | a collection every | slower than the second half of the sample after {', '.join(map(str, COLLECTIONS))} collections |"
    )
    print("|---|---|---|---|---|")
    for strategy, size, more in (
        (
            "java/memory-byte-stream-write",
            42000,
            'operation = "write"\nmedium = "memory"\ncontent = "text-one-line"',
        ),
        ("java/read-all-bytes", 64 << 10, ""),
        ("java/read-all-bytes", 16 << 20, ""),
        ("go/read-file", 4 << 20, ""),
        ("go/read-file", 64 << 20, ""),
    ):
        text = study(budget / 2, group("idle", strategy, size, more))
        run, _ = measured_by(Unprepared, 0.0, text, folder, **longer)
        print(f"| {strategy} | {short_size(size)} | {ramp_of_collections(run)} |", flush=True)


def prelude_apart(budget: float, folder: Path) -> None:
    """How the spans of a sample begin when its prelude is in the same request, and when the fork
    waits between the two.
    """
    print(
        "| strategy | prelude | samples | first of four spans / the other three | whole sample / these three |"
    )
    print("|---|---|---|---|---|")
    for strategy, parameters in (
        ("java/file-input-stream", "{ block = 8192 }"),
        ("java/file-channel-direct", f"{{ block = {128 << 10} }}"),
    ):
        text = study(budget, group("apart", strategy, 4 << 20, "", parameters))
        run, _ = measured_by(Apart, 0.0, text, folder)
        for bare in (False, True):
            samples = [each.ns for each in counted(run) if (each.replicate % 2 == 1) == bare]
            first, whole = (
                statistics.median(
                    level / statistics.fmean(ns[1:]) for ns in samples for level in [of(ns)]
                )
                for of in (lambda ns: ns[0], statistics.fmean)
            )
            shown = f"{first - 1:+.1%} | {whole - 1:+.1%}"
            print(
                f"| {strategy} | {'apart' if bare else 'in the same request'} | {len(samples)} | {shown} |",
                flush=True,
            )


def ramp(run: Run) -> str:
    after: dict[int, list[float]] = defaultdict(list)
    for sample in counted(run):
        spans = [ns / done for ns, done in zip(sample.ns, sample.operations, strict=True)]
        settled, passed = statistics.median(spans[len(spans) // 2 :]), 0.0
        for ns, level in zip(sample.ns, spans, strict=True):
            after[int(passed / 1e6)].append(level / settled - 1)
            passed += ns
    shown = ", ".join(f"{statistics.median(after[ms]):+.1%}" for ms in (0, 1, 2, 3, 5, 8, 12))
    return f"{sum(map(len, after.values()))} | {shown}"


def ramp_of_collections(run: Run) -> str:
    after: dict[int, list[float]] = defaultdict(list)
    every = []
    for sample in (each for each in counted(run) if each.counters["gc_count"]):
        spans = [ns / done for ns, done in zip(sample.ns, sample.operations, strict=True)]
        settled, collected = statistics.median(spans[len(spans) // 2 :]), 0
        for level, collections in zip(spans, sample.counters["gc_count"], strict=True):
            after[collected].append(level / settled - 1)
            collected += int(collections)
        every.append(sum(sample.ns) / 1e9 / max(1, collected))
    shown = ", ".join(
        f"{statistics.median(after[count]):+.1%}" if after[count] else "–" for count in COLLECTIONS
    )
    return f"{len(every)} | {duration(statistics.median(every))} | {shown}"


def overlapped_start(budget: float, folder: Path) -> None:
    """Forks warmed up two at a time against one at a time: their levels afterwards, and the seconds
    of a replicate.
    """
    cases = "".join(
        f'\n[[group.case]]\nstrategy = "{strategy}"\nparameters = {{ block = {block} }}\n'
        for strategy in ("java/file-input-stream", "java/file-channel-direct")
        for block in (8192, 131072)
    )
    text = study(4 * budget, f'\n[[group]]\nid = "start"\nquestion = "?"\nsize = "4M"\n{cases}')
    run, _ = measured_by(Overlapped, 0.0, text, folder)
    for alone in (False, True):
        seconds = [
            record.seconds for record in run.replicates if (record.replicate % 2 == 1) == alone
        ]
        print(
            f"A replicate whose forks start {'one by one' if alone else 'two at a time'}: {statistics.median(seconds):.2f} s."
        )
    print("\n| case | two at a time / one by one (95 %), pairs of replicates |")
    print("|---|---|")
    for index in run.plan.groups[0].cases:
        case = run.plan.cases[index]
        label = case.label + (" (its control)" if case.control else "")
        print(f"| {label} | {with_over_without(run, lambda sample: sample.case == index)} |")  # noqa: B023


def sample_length(budget: float, folder: Path) -> None:
    """Twelve samples of 8 ms against five of 20 ms: how far two forks of one code then differ, and
    what a replicate takes.
    """
    print(
        "| strategy | samples | replicates | spread within a fork (SD) | spread of a pair over replicates (SD, robust) | s per replicate |"
    )
    print("|---|---|---|---|---|---|")
    for strategy in ("java/file-input-stream", "go/file-read"):
        text = study(2 * budget, group("length", strategy, 4 << 20, "", "{ block = 8192 }"))
        run, _ = measured_by(LongSamples, 0.0, text, folder)
        (data,) = all_data(run)
        for bare in (False, True):
            rows = [row for row, number in enumerate(data.replicates) if (number % 2 == 1) == bare]
            log_ns = data.log_ns[rows]
            pairs = paired.paired_log_ratios(log_ns, 1, 0, None)
            within = float(np.nanmedian(np.nanstd(log_ns, axis=1, ddof=1)))
            robust = 1.4826 * float(np.median(abs(pairs - np.median(pairs))))
            seconds = statistics.median(
                each.seconds for each in run.replicates if (each.replicate % 2 == 1) == bare
            )
            print(
                f"| {strategy} | {'5 of 20 ms' if bare else '12 of 8 ms'} | {len(rows)} | {within:.1%} | {pairs.std():.1%}, {robust:.1%} | {seconds:.2f} |",
                flush=True,
            )


def one_processor(budget: float, folder: Path) -> None:
    """Do two forks of one code differ less where both run on the processor of their replicate?"""
    print(
        "| strategy | on one processor | replicates | spread of a pair over the rounds of a replicate (SD) | over replicates (SD, robust) |"
    )
    print("|---|---|---|---|---|")
    for strategy in ("python/file-read", "c/read", "go/file-read", "java/file-input-stream"):
        text = study(2 * budget, group("pairs", strategy, 4 << 20, "", "{ block = 65536 }"))
        run, _ = measured_by(Free, 0.0, text, folder)
        (data,) = all_data(run)
        for bare in (False, True):
            rows = [row for row, number in enumerate(data.replicates) if (number % 2 == 1) == bare]
            log_ns = data.log_ns[rows]
            pairs = paired.paired_log_ratios(log_ns, 1, 0, None)
            rounds = np.nanstd(log_ns[:, :, 1] - log_ns[:, :, 0], axis=1, ddof=1)
            robust = 1.4826 * float(np.median(abs(pairs - np.median(pairs))))
            print(
                f"| {strategy} | {'no' if bare else 'yes'} | {len(rows)} | {np.nanmedian(rounds):.1%} | {pairs.std():.1%}, {robust:.1%} |",
                flush=True,
            )


def longer_warm_up(budget: float, folder: Path) -> None:
    """Is a fork measured before it has reached its final speed? The runner's warm-up against three
    times as much.
    """
    cases = (
        ("java/file-input-stream", 65536, "{ block = 8192 }", ""),
        ("java/file-channel-direct", 16 << 20, "{ block = 8192 }", ""),
        ("java/read-all-bytes", 65536, "{}", ""),
        ("java/buffered-reader-line", 4 << 20, "{}", 'consume = "sum"\ncontent = "text"'),
        ("java/byte-array-input-stream-byte", 42000, "{}", 'medium = "memory"\nconsume = "sum"'),
        ("java/file-output-stream", 1 << 20, "{ block = 8192 }", 'operation = "write"'),
    )
    print(
        "| case | time after the longer warm-up / after the usual one (95 %), pairs of replicates |"
    )
    print("|---|---|")
    groups = [
        group(f"g{n}", strategy, size, more, parameters)
        for n, (strategy, size, parameters, more) in enumerate(cases)
    ]
    text = study(2 * budget * len(cases), "".join(groups))
    run, _ = measured_by(Longer, 0.0, text, folder)
    for index in range(len(cases)):
        strategy, size = cases[index][:2]
        print(
            f"| {strategy}, {short_size(size)} | {with_over_without(run, lambda sample: sample.group == index)} |",  # noqa: B023
            flush=True,
        )  # noqa: B023


SECTIONS = (
    cold_reading_first,
    ballast_writing,
    caching_anew,
    idling,
    idling_allocating,
    prelude_apart,
    overlapped_start,
    sample_length,
    one_processor,
    longer_warm_up,
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = {section.__name__.replace("_", "-"): section for section in SECTIONS}
    parser.add_argument("section", nargs="*", choices=[*names, []], help="default: all")
    parser.add_argument("--budget", default="60s", help="per row of two")
    given = parser.parse_args()
    for name in given.section or names:
        print(f"\n## {name}\n", flush=True)
        with scratch() as folder:
            names[name](parse_duration(given.budget), folder)


if __name__ == "__main__":
    main()
