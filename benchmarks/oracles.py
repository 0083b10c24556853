"""Does iogauge agree with JMH and Go's testing package?

Measures the same code with ours and theirs, in turns.

    python benchmarks/oracles.py [--precision 3]

The other tool is called the oracle. It measures the same classes or functions on the same file as
a replicate of ours: two forks, the case and its A/A control. JMH has one fork, which warms up for 1.5
s, or up to 8 s if that suffices for 6000 operations (cold: 40), and compiles by its own thresholds.
`go test -bench` has one process; its binary has another link order in each replicate.

Turns. The oracle starts after our forks or, in every second replicate, before them (causes.py
start-order), and waits as they do. Its turn comes in every second round (cold: in each): before the
first sample of the case or, the next time, before the second. A turn of JMH is two iterations; the
first does not count. Each is as long as the timed or the untimed part of a sample of ours (8 to 200
ms), but at least 400 ms. A turn of `go test` is one count. It begins with untimed operations for as
long as an iteration, and then resets its timer, so the garbage collection before each count is not
directly before the timed part (docs/decisions/0015-why-tools-differ.md). If the whole file is
allocated, `go test` settles for 1 s: a process that waits gives memory back, which must be brought
in again. A cold turn is one operation. A turn of writes is one request of ours, of which half does
not count; all files are removed after it.

Rows with a suffix show a cause and are no further cases. `-kept`: memory that Go gave back stays in
place, in both tools (GODEBUG=madvdontneed=0). `-settled`: the first 0.4 s of our samples do not
count, as in a turn of JMH.

A replicate gives one ratio of medians over its rounds, which iogauge reports, and one of means (all
time over all operations). Intervals are over replicates. After six replicates of all cases, only
cases go on whose interval is more than twice as wide as the precision. A stopped run goes on where
it was.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from ledger import Ledger, arguments, percent, scratch
from peers import gobench, jmh, works
from peers.turns import InTurns
from peers.works import Work

from iogauge.commands.statuses import JUDGE
from iogauge.host import pagecache
from iogauge.measuring import session
from iogauge.measuring.bench import Bench, Progress
from iogauge.measuring.recorder import Part
from iogauge.measuring.sound import Sound
from iogauge.model.method import METHOD
from iogauge.model.plan import Coordinates
from iogauge.model.units import duration
from iogauge.planning.options import Options
from iogauge.runfile import reading
from iogauge.runfile.records import Calibration
from iogauge.runfile.run import Run
from iogauge.runners.runtimes import Runtimes
from iogauge.statistics import intervals

ERROR = 0.05  # of each case's interval
LEAST = 6  # replicates, and so many more at a time: half of them with the oracle first
# of the binary of `go test`: one alone is off by some 2 % for how its functions lie (causes.py
# go-layout)
LAYOUTS = 32
KEPT = 'options = ["GODEBUG=madvdontneed=0"]'
"""Memory that Go's runtime has given back is still in place, unless another program needs it."""
SETTLED = 'options = ["-Diogauge.label=settled"]'
"""An option that nobody reads, so that it is another case: its samples begin as long after a rest
as what counts of the oracle.
"""
SETTLED_SECONDS = 0.4
ALONE = METHOD.model_copy(
    update={"compute_only_replicates": 0, "ceiling_replicates": 0, "most_ceiling_replicates": 0}
)
"""Without compute-only variants and ceilings: they have no rival here."""
Groups = tuple[tuple[str, str, int, str, str], ...]
GROUPS: Groups = (
    # id, strategy, size, more, of the case
    (
        "java-memory-write",
        "java/memory-byte-stream-write",
        42000,
        'operation = "write"\nmedium = "memory"\ncontent = "text-one-line"',
        "",
    ),
    (
        "java-memory-bytes",
        "java/byte-array-input-stream-byte",
        42000,
        'medium = "memory"\nconsume = "sum"',
        "",
    ),
    ("java-read-64k", "java/file-input-stream", 65536, "", "parameters = { block = 8192 }"),
    (
        "java-read-64k-settled",
        "java/file-input-stream",
        65536,
        "",
        f"parameters = {{ block = 8192 }}\n{SETTLED}",
    ),
    ("java-read-4m", "java/file-input-stream", 4 << 20, "", "parameters = { block = 8192 }"),
    ("java-read-256m", "java/file-input-stream", 256 << 20, "", "parameters = { block = 8192 }"),
    ("java-whole-64k", "java/read-all-bytes", 65536, "", ""),
    ("java-mapped-4m", "java/file-channel-mapped", 4 << 20, "", ""),
    ("java-direct-4m", "java/file-channel-direct", 4 << 20, "", "parameters = { block = 131072 }"),
    ("java-buffered-bytes-4m", "java/buffered-input-stream-byte", 4 << 20, 'consume = "sum"', ""),
    ("java-bytes-1m", "java/file-input-stream-byte", 1 << 20, 'consume = "sum"', ""),
    (
        "java-write-1m",
        "java/file-output-stream",
        1 << 20,
        'operation = "write"',
        "parameters = { block = 8192 }",
    ),
    (
        "java-cold-16m",
        "java/file-channel-direct",
        16 << 20,
        'cache = "cold"',
        "parameters = { block = 131072 }",
    ),
    ("go-read-4k", "go/file-read", 4096, "", "parameters = { block = 4096 }"),
    ("go-read-64k", "go/file-read", 65536, "", "parameters = { block = 8192 }"),
    ("go-read-4m", "go/file-read", 4 << 20, "", "parameters = { block = 8192 }"),
    ("go-read-256m", "go/file-read", 256 << 20, "", "parameters = { block = 8192 }"),
    ("go-whole-4m", "go/read-file", 4 << 20, "", ""),
    ("go-whole-4m-kept", "go/read-file", 4 << 20, "", KEPT),
    ("go-whole-64m", "go/read-file", 64 << 20, "", ""),
    ("go-whole-64m-kept", "go/read-file", 64 << 20, "", KEPT),
    ("go-mapped-4m", "go/mmap", 4 << 20, "", ""),
    ("go-buffered-bytes-4m", "go/bufio-read-byte", 4 << 20, 'consume = "sum"', ""),
    ("go-bytes-1m", "go/file-read", 1 << 20, "", "parameters = { block = 1 }"),
    (
        "go-write-1m",
        "go/file-write",
        1 << 20,
        'operation = "write"',
        "parameters = { block = 8192 }",
    ),
    ("go-cold-16m", "go/file-read", 16 << 20, 'cache = "cold"', "parameters = { block = 131072 }"),
)


def study(groups: Groups) -> str:
    text = (
        'id = "oracles"\ntitle = "Ours beside the oracles"\nbudget = "10h"\nprecision = "0.01%"\n'
    )
    for name, strategy, size, more, of_case in groups:
        text += f'\n[[group]]\nid = "{name}"\nquestion = "As the oracle?"\nsize = {size}\n{more}\n\n[[group.case]]\nstrategy = "{strategy}"\n{of_case}\n'
    return text


def least_window_ns(work: Work) -> float:
    """Of an iteration of JMH, or a count of `go test`, which collects garbage before each, and may
    have given away the memory that it allocates. Short ones of JMH take longer per operation
    (causes.py turn-length).
    """
    return (
        1e9
        if work.case.language == "go" and work.task.strategy.needs.memory_per_file_byte
        else 400e6
    )


def waiting_oracle(work: Work, turns: int, calibration: Calibration, layout: int) -> InTurns:
    """Warmed up. It has to settle after a rest, too: for as long as a sample of ours does or, if
    that is longer, counts, but not too short.
    """
    ns_per_op, counted = calibration.ns_per_op, calibration.operations * calibration.spans
    count = (
        (turns + 1) * of_a_turn(work)
    )  # one more than are asked for: after its last one it would end, and JMH work for it, while samples of ours are taken
    window = max(
        least_window_ns(work),
        ns_per_op * max(counted, calibration.operations * calibration.prelude),
    )
    if work.case.language == "java":
        warm_ups = jmh.warm_ups(work, ns_per_op)
        if work.cold or work.writes_file:  # by operations
            warm_ups["warmups"] = (
                40
                if work.cold
                else 2
                * math.ceil(jmh.warm_up_seconds(work, ns_per_op) / (work.batch * ns_per_op / 1e9))
            )
        return jmh.in_turns(work, **warm_ups, iterations=count, seconds=window / 1e9)
    operations = (
        1 if work.cold else work.batch // 2 if work.writes_file else max(2, counted)
    )  # one is what `go test` begins with
    prelude = 0 if work.cold or work.writes_file else math.ceil(window / ns_per_op)
    return gobench.in_turns(
        work, count=count, operations=operations, prelude=prelude, layout=layout % LAYOUTS
    )


def every(work: Work) -> int:
    """In each so manieth round the oracle takes a turn. One of its is many times as long as a
    sample of ours.
    """
    return 1 if work.cold else 2


def of_a_turn(work: Work) -> int:
    """Iterations or counts; the last one counts."""
    return 2 if work.case.language == "java" and not work.cold or work.writes_file else 1


def ours(run: Run, group: int, replicate: int) -> dict[str, float] | None:
    """Log ns per operation, the mean over the case's fork and its control's: of its mean and of its
    median. None when there is no valid sample.
    """
    means, medians = [], []
    for case in run.plan.groups[group].cases:
        of_case = [
            each
            for each in run.samples
            if (each.case, each.replicate) == (case, replicate) and not each.void
        ]
        if not of_case:
            return None
        means.append(
            math.log(
                sum(sum(each.ns) for each in of_case)
                / sum(sum(each.operations) for each in of_case)
            )
        )
        medians.append(
            statistics.median(math.log(sum(each.ns) / sum(each.operations)) for each in of_case)
        )
    return {"mean": statistics.fmean(means), "median": statistics.fmean(medians)}


def ratio(found: dict[str, Any], kind: str) -> float:
    """Log of ours over theirs."""
    return found["ours"][kind] - math.log(
        statistics.fmean(found["theirs"]) if kind == "mean" else statistics.median(found["theirs"])
    )


def as_ours(work: Work, run: Run, group: int) -> Work:
    """With as many files written between removals as in a sample of ours, and four at least: what
    lies in the cache decides what writing costs.
    """
    calibration = run.calibrations[run.plan.groups[group].baseline]
    many = max(4, calibration.operations * (calibration.prelude + calibration.spans))
    return (
        replace(work, task=replace(work.task, most_operations=many)) if work.writes_file else work
    )


def alternate(groups: Groups, replicates: int, ledger: Ledger, folder: Path) -> None:
    """So many replicates more."""
    file, out = folder / "study.toml", folder / "run.jsonl"
    file.write_text(study(groups))
    prepared = session.prepare(
        str(file), Runtimes({}, lambda text: None), Options(seed=len(ledger.results))
    )
    made = [works.of_plan(prepared.plan, group.baseline, folder) for group in prepared.plan.groups]
    waiting: dict[int, InTurns] = {}  # the oracles of this replicate
    begun: Counter[int] = Counter()  # its rounds, by group

    def start_waiting(index: int, run: Run, replicate: int) -> None:
        calibration = run.calibrations[run.plan.groups[index].baseline]
        rounds = max(
            run.calibrations[case].rounds
            for case in run.plan.groups[index].cases
            if case in run.calibrations
        )
        turns = math.ceil(rounds / every(made[index]))
        waiting[index] = opened.enter_context(
            waiting_oracle(
                as_ours(made[index], run, index), turns, calibration, started[index] + replicate
            )
        )

    def take_turn(index: int, run: Run, replicate: int) -> None:
        """What the oracle finds it tells when all is over."""
        if index not in waiting:
            start_waiting(index, run, replicate)
        waiting[index].take(of_a_turn(made[index]))

    def found_in_turns(index: int) -> list[float]:
        if index not in waiting:
            return []
        with waiting.pop(index) as oracle:
            taken, last = oracle.taken, of_a_turn(made[index])
            return list(
                oracle.scores()[last - 1 : taken : last]
            )  # what was not asked for comes after these

    class Alternating:
        """The sound protocol, in turns with the oracles."""

        def __init__(self, bench: Bench):
            self.bench, self.sound = bench, Sound(bench)
            self.stop_policy = self.sound.stop_policy
            self.calibrate, bench.calibrator.calibrate = (
                bench.calibrator.calibrate,
                self.calibrated,
            )
            self.take, bench.sampler.take = bench.sampler.take, self.sampled

        def begin(self) -> None:
            self.sound.begin()

        def replicate(self, bundle: int, number: int) -> None:
            begun.clear()
            # Of the first one nothing is known before.
            for index in self.bench.plan.bundles[bundle].groups if number % 2 else ():
                if self.bench.plan.groups[index].baseline in self.bench.run.calibrations:
                    start_waiting(index, self.bench.run, number)
            self.sound.replicate(bundle, number)

        def calibrated(self, group: int, cases: list[int], cold_seconds: float = 0.0) -> None:
            """Groups that settle have a longer prelude."""
            usual = self.bench.cases.method
            if SETTLED in groups[group][-1]:
                longer = usual.model_copy(update={"prelude": SETTLED_SECONDS})
                self.bench.cases.method = longer
            try:
                self.calibrate(group, cases, cold_seconds)
            finally:
                self.bench.cases.method = usual

        def sampled(self, at: Coordinates) -> None:
            index, group = at.group, self.bench.plan.groups[at.group]
            # Of slow cases rounds are left out, so their numbers tell nothing.
            begun[index] += not at.position
            turn, between = divmod(begun[index] - 1, every(made[index]))
            if (
                not between
                and at.position == turn % 2
                and at.case in group.cases  # no ceiling
                and group.baseline in self.bench.run.calibrations
            ):
                self.before_a_turn(index)
                take_turn(index, self.bench.run, at.replicate.number)
                if made[index].writes_file:  # as after each sample of ours
                    self.bench.writing.settle(index, Part(at.replicate, at.part))
            self.take(at)

        def before_a_turn(self, index: int) -> None:
            """As before each sample of ours, where untouched memory matters."""
            baseline = self.bench.plan.groups[index].baseline
            batch = as_ours(made[index], self.bench.run, index).batch
            self.bench.writing.touch_ballast(baseline, batch)
            if self.bench.caching.first_touch_matters and made[index].cold:
                pagecache.cache(made[index].task.path)

    session_number = int(time.time())
    enough = False
    started = [len(of_group(ledger, name)) for name, *_ in groups]

    def show(progress: Progress) -> None:
        nonlocal enough
        if progress.doing != "a replicate is complete":
            return
        run = reading.read(out)
        last = run.replicates[-1]
        for group in last.groups:
            level, name = ours(run, group, last.replicate), groups[group][0]
            theirs = found_in_turns(group)
            if level is not None and theirs:
                found = {"group": name, "ours": level, "theirs": theirs}
                ledger.do(f"{session_number}/{name}/{last.replicate}", lambda: found)  # noqa: B023
                print(
                    f"{name} {last.replicate}: {percent(ratio(found, 'mean'))}",
                    file=sys.stderr,
                    flush=True,
                )
        if last.replicate + 1 >= replicates and last.bundle == len(prepared.plan.bundles) - 1:
            enough = True
            raise KeyboardInterrupt

    with ExitStack() as opened:
        _, _, reason = session.measure(
            prepared, folder, out, {}, show, JUDGE, method=ALONE, follow=Alternating
        )
    if reason == "interrupted" and not enough:
        raise KeyboardInterrupt


def of_group(ledger: Ledger, name: str) -> list[dict[str, Any]]:
    return [each for each in ledger.results.values() if each["group"] == name]


def over_replicates(found: list[dict[str, Any]], kind: str) -> intervals.Interval:
    """Of the log ratio."""
    return intervals.interval([ratio(each, kind) for each in found], ERROR)


def goes_on(found: list[dict[str, Any]], precision: float, most: int) -> bool:
    """Whether a case with these replicates needs more: by how wide its interval is, not by where it
    lies.
    """
    if len(found) < LEAST:
        return True
    widths = (
        over.hi - over.lo for over in (over_replicates(found, kind) for kind in ("median", "mean"))
    )
    return len(found) < most and max(widths) / 2 > math.log1p(precision)


def report(ledger: Ledger) -> None:
    print(
        "| case | per operation | replicates | ours / theirs, medians (95 %) | agrees | means (95 %) | agrees |"
    )
    print("|---|---|---|---|---|---|---|")
    tallies = {kind: [0, 0, 0, 0] for kind in ("median", "mean")}
    for name, *_, of_case in GROUPS:
        found = of_group(ledger, name)
        if len(found) < 3:
            continue
        cells = []
        for kind, tally in tallies.items():
            over = over_replicates(found, kind)
            agreement = _agreement(over)
            cells.append(
                f"{math.exp(over.center):.3f} ({math.exp(over.lo):.3f}–{math.exp(over.hi):.3f}) | {agreement}"
            )
            if of_case == KEPT or SETTLED in of_case:
                continue
            tally[0] += 1
            tally[1] += agreement == "3 %"
            tally[2] += agreement != "no"
            tally[3] += max(-math.expm1(over.lo), math.expm1(over.hi)) <= 0.05
        level = duration(
            math.exp(statistics.median(each["ours"]["median"] for each in found)) / 1e9
        )
        print(f"| {name} | {level} | {len(found)} | {' | '.join(cells)} |")
    print()
    for kind, (count, close, near, surely) in tallies.items():
        print(
            f"By {kind}s, {close} of {count} agree within 3 %, {near} within 5 %; of {surely} the whole interval lies inside ±5 %."
        )


def _agreement(over: intervals.Interval) -> str:
    """How closely, by the centre: within 3 %, within 5 %, or not."""
    off = abs(math.expm1(over.center))
    return "3 %" if off <= 0.03 else "5 %" if off <= 0.05 else "no"


def main() -> None:
    parser = arguments(
        __doc__, "oracles-compiled"
    )  # of this form: results of earlier ones are no replicates of it
    parser.add_argument(
        "--precision",
        type=float,
        default=3.0,
        help="per cent: half the width of a case's intervals",
    )
    parser.add_argument(
        "--most", type=int, default=48, help="replicates of a case that is not known so well"
    )
    parser.add_argument("--only", default="*", help="measure only these cases, 'go-*'")
    given = parser.parse_args()
    ledger = Ledger(given.ledger)
    if not given.print:
        groups = tuple(each for each in GROUPS if fnmatch(each[0], given.only))
        if not groups:
            parser.error(f"--only {given.only}: no case is called so")
        while groups := tuple(
            each
            for each in groups
            if goes_on(of_group(ledger, each[0]), given.precision / 100, given.most)
        ):
            with scratch() as folder:
                alternate(groups, LEAST, ledger, folder)
    report(ledger)
    print("\n" + ledger.versions())


if __name__ == "__main__":
    main()
