"""Why two honest tools do not always agree on a time: effects inside the processes, each shown by itself.

    python benchmarks/causes.py [SECTION…]

direct-buffer: what the place of a direct buffer in its memory page does to reading into it, and where processes put it. go-collector: what a fresh array per operation
takes under iogauge, under `go test` and in a program of neither, and how much of it is memory that the runtime had given back. neither-tool: the same three, reading by blocks. java-collector: how long a
collection of a JVM takes, and the work between two, under iogauge and under JMH. go-layout: how far binaries of the same code lie apart whose functions were linked in another order.
pauses: what the pauses between samples do, and how many processors there are. turn-length: what it does to work for longer at a time. after-rest: how long what rested is slow. stopped-world: what it takes
to ask Go's runtime for what stops it. start-order: what it does to be started later than another process. free-memory: how far writing new files depends on the memory that happens to be free.
before-counts: what a garbage collection does to the operations after it, alone or with most else that comes before each count of `go test`.
array-place: what the place of an array in its page does to reading into it, and what becomes of it when each fork has a padding of its own. compiled-loop: what becomes of
an operation that the compiler inlines into the loop around it, or that is compiled sooner. An hour and a half together.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from ledger import scratch, share
from peers import gobench, jmh, planted, runtimes, works
from peers.turns import InTurns
from peers.works import Work
from scipy.stats import spearmanr

from iogauge import host, measure, pagecache, runners, stats, task, wire
from iogauge.device import Device
from iogauge.fork import Fork, overlap
from iogauge.model import ForkSpec
from iogauge.plan import COLLECTIONS_PER_SAMPLE
from iogauge.samples import Floats
from iogauge.tenant import Tenant
from iogauge.units import duration, short_size, significant
from iogauge.written import WrittenFiles

PLACES = (0, 16, 32, 48, 64, 80, 112, 256, 272, 1040, 2048, 2064, 4032, 4080)
BLOCK = 131072
PROCESSES = 12


def direct_buffer(folder: Path) -> None:
    file = folder / "data"
    file.write_bytes(os.urandom(4 << 20))
    pagecache.cache(file)
    java = runtimes.find("java").builder_home / "bin/java"
    source = Path(__file__).parent / "causes/BufferPlaces.java"
    command = [str(java), "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED", str(source), str(file), str(BLOCK), *map(str, PLACES)]
    given: list[int] = []
    times: dict[int, list[float]] = defaultdict(list)
    for _ in range(PROCESSES):
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        first, *rest = (tuple(map(int, line.split())) for line in text.splitlines())
        given.append(first[0])
        fastest = min(ns for _, ns in rest)
        for place, ns in rest:
            times[place].append(ns / fastest)
    print("| bytes after the start of a page | time of reading 4 MiB / that at the fastest place, median of processes (range) |")
    print("|---|---|")
    for place, found in times.items():
        print(f"| {place} | {statistics.median(found):.3f} ({min(found):.3f}–{max(found):.3f}) |")
    print(f"\nWhere {PROCESSES} processes that do nothing else put a buffer of {BLOCK >> 10} KiB: {', '.join(map(str, given))}.")
    if not shutil.which("strace"):
        print("Where the forks of iogauge and of JMH put it: strace, which would tell, is not installed.")
        return
    work = works.make("java/file-channel-direct", 4 << 20, folder, parameters={"block": BLOCK})
    pagecache.cache(work.task.path)
    for tool, place in (("iogauge", _place_in_a_fork), ("JMH", _place_under_jmh)):
        print(f"Where {PROCESSES} forks of {tool} put it: {', '.join(str(place(work, folder)) for _ in range(PROCESSES))}.", flush=True)


def _strace(log: Path) -> list[str]:
    return ["strace", "-f", "-qq", "-e", "trace=read,pread64", "-e", "raw=read,pread64", "-o", str(log)]


def _place_in_a_fork(work: Work, folder: Path) -> int:
    launch, log = work.found.ready.launch, folder / "strace"
    fork = Fork(replace(launch, command=(*_strace(log), *launch.command)), work.heap_mib, folder / "log")
    try:
        fork.ask(wire.hello(), 60)
        fork.ask(work.task.opening, 60)
        fork.ask(wire.sample(3, 1, [str(work.task.path)]), 60)
    finally:
        fork.end()
    return _place(log)


def _place_under_jmh(work: Work, folder: Path) -> int:
    log = folder / "strace"
    jmh.run(work, forks=1, warmups=1, iterations=1, seconds=0.01, under=_strace(log))
    return _place(log)


def _place(log: Path) -> int:
    """Bytes after the start of a page of the buffer that was read into most often by calls of a block."""
    calls = re.findall(rf"(?:read|pread64)\(0x[0-9a-f]+, 0x([0-9a-f]+), {BLOCK:#x}[,)]", log.read_text())
    return int(Counter(calls).most_common(1)[0][0], 16) % 4096


PROCESSES_OF_COLLECTORS, SPANS, SPAN_SECONDS = 20, 4, 0.5  # the first span is left out: the heap grows in it
OF_COLLECTORS = (
    # size, a variable of all three
    (4 << 20, ()),
    (4 << 20, ("GOMAXPROCS=1",)),
    (4 << 20, (KEPT := "GODEBUG=madvdontneed=0",)),
    (64 << 20, ()),
    (64 << 20, (KEPT,)),
)
OPERATIONS_ALONE, PROCESSES_ALONE = 2000, 6


def go_collector(folder: Path) -> None:
    """KEPT: memory that the runtime gives back stays in place until another needs it, so that nothing has to be brought in anew."""
    print("| size | variable | iogauge / go test (95 %) | iogauge / plain program (95 %) | plain program / go test (95 %) | collections per operation: iogauge, plain, go test | pages brought in per operation: the same |")
    print("|---|---|---|---|---|---|---|")
    for size, options in OF_COLLECTORS:
        found = _of_all_tools(works.make("go/read-file", size, folder, options=options), PROCESSES_OF_COLLECTORS, folder)
        cells = ["; ".join(_range([each.collections for each in spans], 2) for spans in found.values())]
        cells += ["; ".join(_range([each.faults for each in spans], 0) for spans in found.values())]
        print(f"| {size >> 20} MiB | {' '.join(options) or 'none'} | {_beside_each_other(found)} | {' | '.join(cells)} |", flush=True)
    _collection_alone(works.make("go/read-file", 4096, folder, options=("GOMAXPROCS=1",)))
    _arrays_brought_in(works.make("go/read-file", 4 << 20, folder))


PROCESSES_OF_NEITHER = 32
OF_NEITHER = (("go/file-read", 256 << 20, {"block": 8192}), ("go/file-read", 4 << 20, {"block": 8192}))


def neither_tool(folder: Path) -> None:
    """Which of two tools that disagree is beside a program of neither: processes of all three in turns, without a pause."""
    print("| strategy, size | iogauge / go test (95 %) | iogauge / plain program (95 %) | plain program / go test (95 %) |")
    print("|---|---|---|---|")
    for strategy, size, parameters in OF_NEITHER:
        found = _of_all_tools(works.make(strategy, size, folder, parameters=parameters), PROCESSES_OF_NEITHER, folder)
        print(f"| {strategy}, {short_size(size)} | {_beside_each_other(found)} |", flush=True)


class _Spans(NamedTuple):
    """All per operation, the mean over spans."""

    ns: float
    collections: float
    faults: float


def _of_all_tools(work: Work, processes: int, folder: Path) -> dict[str, list[_Spans]]:
    """Of so many processes of each, in random order by turns."""
    pagecache.cache(work.task.path)
    operations = max(2, round(SPAN_SECONDS * 1e9 / gobench.plain(work, 20, 2)[1].ns))
    found: dict[str, list[_Spans]] = {name: [] for name in ("iogauge", "plain", "go test")}
    for number in range(processes):
        for name in random.Random(number).sample([*found], len(found)):
            found[name].append(_spans_of(name, work, operations, number, folder))
        print(f"{work.task.strategy.name}: {number + 1} of {processes}", file=sys.stderr, flush=True)
    return found


def _beside_each_other(found: dict[str, list[_Spans]]) -> str:
    levels = {name: [math.log(each.ns) for each in spans] for name, spans in found.items()}
    return " | ".join(_ratio(levels[one], levels[other]) for one, other in (("iogauge", "go test"), ("iogauge", "plain"), ("plain", "go test")))


def _range(values: Sequence[float], digits: int) -> str:
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def _spans_of(tool: str, work: Work, operations: int, number: int, folder: Path) -> _Spans:
    """Of a process that works without a pause, but for its first span. A fork of iogauge is looked at after that one; its faults are those of the whole request."""
    layout = number % work.found.ready.launch.layouts
    if tool == "plain":
        spans = gobench.plain(work, operations, SPANS, layout)[1:]
        return _Spans(*(statistics.fmean(getattr(each, name) for each in spans) for name in _Spans._fields))
    if tool == "go test":
        found = gobench.run(work, count=SPANS, benchtime=f"{operations}x", layout=layout)
        return _Spans(*(statistics.fmean(each[1:]) for each in (found.ns_per_op, found.collections_per_op, found.faults_per_op)))
    fork = Fork(work.found.ready.launch, work.heap_mib, folder / "log", work.case.options, layout=layout)
    try:
        tenant = Tenant(fork, 0, ForkSpec(runtime=work.found.ready.runtime.name))
        overlap([tenant.greeted()], at_once=1)
        tenant.work(work.task, None, operations)
        before = fork.witness.look()
        spans = tenant.work(work.task, None, operations, SPANS - 1)
        faults = fork.witness.look().since(before)["minor_faults"]
    finally:
        fork.end()
    every = operations * (SPANS - 1)
    return _Spans(sum(spans.ns) / every, sum(spans.counters.gc_count) / every, faults / every)


def _arrays_brought_in(work: Work) -> None:
    """Of single operations of the plain program, what those took that had to bring in the pages of their array, and the others."""
    pages = work.task.path.stat().st_size / os.sysconf("SC_PAGE_SIZE")
    spans = [each for _ in range(PROCESSES_ALONE) for each in gobench.plain(work, 1, OPERATIONS_ALONE)[OPERATIONS_ALONE // 4 :]]
    brought, others = ([each.ns / 1e3 for each in spans if (each.faults > pages / 2) == new] for new in (True, False))
    print(f"\nOf {len(spans)} operations of the plain program on 4 MiB {len(brought) / len(spans):.1%} brought in most of the {pages:.0f} pages of their array anew:")
    print("; ".join(f"{of} {statistics.median(us):.0f} µs in the median (5 to 95 %: {_quantiles(us)})" for of, us in (("these took", brought), ("the others", others)) if len(us) > 1) + ".")


def _quantiles(values: Sequence[float]) -> str:
    cuts = statistics.quantiles(values, n=20)
    return f"{cuts[0]:.0f} to {cuts[-1]:.0f}"


def _collection_alone(work: Work) -> None:
    """What a collection takes in the processes of either, where there is no garbage."""
    plain, theirs = [], []
    for number in range(PROCESSES_OF_COLLECTORS):
        layout = number % work.found.ready.launch.layouts
        plain.append(statistics.median(math.log(each.ns) for each in gobench.plain(work, 0, SPANS, layout)[1:]))
        theirs.append(statistics.median(map(math.log, gobench.run(work, count=SPANS, benchtime="1000x", layout=layout, of="Collection").ns_per_op[1:])))
    us = (f"{math.exp(statistics.median(logs)) / 1e3:.0f} µs" for logs in (plain, theirs))
    print("\nA collection where there is no garbage, on one processor: {} in the plain program, {} under `go test`; ".format(*us) + _ratio(plain, theirs) + ".")


def _ratio(logs: Sequence[float], others: Sequence[float]) -> str:
    """With its 95 % interval over processes."""
    over = stats.interval([one - other for one, other in zip(logs, others, strict=True)], 0.05)
    return f"{math.exp(over.center):.3f} ({math.exp(over.lo):.3f}–{math.exp(over.hi):.3f})"


PROCESSES_OF_PAUSES, WORKING = 16, 2.0  # seconds
_PAUSE = re.compile(r"^\[(\d+)ns\] GC\(\d+\) Pause Young .* ([\d.]+)ms$", re.MULTILINE)


def java_collector(folder: Path) -> None:
    """From the JVM's own log, with the same young size in both tools: how long it works between two collections, and how long these are."""
    logs = folder / "collections"
    logs.mkdir()
    work = works.make(
        "java/memory-byte-stream-write", 42000, folder, operation="write", medium="memory", content="text-one-line", options=(f"-Xlog:gc:file={logs}/%p:uptimenanos",)
    )
    found: dict[str, list[_Cycle]] = {"iogauge": [], "JMH": []}
    for number in range(PROCESSES_OF_PAUSES):
        for name in random.Random(number).sample([*found], 2):
            known = {*logs.iterdir()}
            if name == "JMH":
                jmh.run(work, forks=1, warmups=3, warmup_seconds=0.5, iterations=round(WORKING / 0.2), seconds=0.2)
            else:
                _work_for(WORKING, work, folder)
            log = max({*logs.iterdir()} - known, key=lambda log: log.stat().st_size)  # whoever looks up how a fork is started starts another one
            found[name].append(_cycle(log.read_text()))
        print(f"{number + 1} of {PROCESSES_OF_PAUSES}", file=sys.stderr, flush=True)
    print("| of a collection and the work before it | iogauge / JMH (95 %) | iogauge, median | JMH, median |")
    print("|---|---|---|---|")
    for part in _Cycle._fields:
        levels = {name: [getattr(each, part) for each in cycles] for name, cycles in found.items()}
        shown = " | ".join(duration(statistics.median(values) / 1e9) for values in levels.values())
        print(f"| {part} | {_ratio(*([math.log(value) for value in values] for values in levels.values()))} | {shown} |", flush=True)


class _Cycle(NamedTuple):
    """ns: from one collection to the next one, and its parts."""

    whole: float
    pause: float
    work: float


def _cycle(log: str) -> _Cycle:
    """The median over the second half of the log."""
    found = np.array([(float(when), float(ms) * 1e6) for when, ms in _PAUSE.findall(log)])
    later = found[len(found) // 2 :]
    whole, pause = np.diff(later[:, 0]), later[1:, 1]
    return _Cycle(float(np.median(whole)), float(np.median(pause)), float(np.median(whole - pause)))


def _work_for(seconds: float, work: Work, folder: Path) -> None:
    """A fork of iogauge, which is asked for spans of some ms without a pause."""
    fork = Fork(work.found.ready.launch, work.heap_mib, folder / "log", work.case.options)
    try:
        tenant = _warmed_up(fork, work)
        of_one, operations, _ = _of_a_sample(tenant, work, None)
        tenant.work(work.task, None, operations, max(1, round(seconds / (operations * of_one))))
    finally:
        fork.end()


LAYOUTS, TURNS_OF_LAYOUTS = 8, 7


def go_layout(folder: Path) -> None:
    print("| reads | binaries | slowest / fastest | SD of binaries | SD of the turns of one binary | that could give, of medians |")
    print("|---|---|---|---|---|---|")
    for size, block in ((4 << 20, 8192), (1 << 20, 1), (256 << 20, 8192)):
        work = works.make("go/file-read", size, folder, parameters={"block": block})
        logs: list[list[float]] = [[] for _ in range(LAYOUTS)]
        for _ in range(TURNS_OF_LAYOUTS):
            for layout, series in enumerate(logs):
                series.append(math.log(statistics.median(gobench.run(work, count=5, benchtime="100ms", layout=layout).ns_per_op)))
        levels = [statistics.median(series) for series in logs]
        within = statistics.median(statistics.stdev(series) for series in logs)
        print(
            f"| {size >> 20} MiB by {block} bytes | {LAYOUTS} | {math.exp(max(levels) - min(levels)):.3f} | {statistics.stdev(levels):.1%} | "
            f"{within:.1%} | {1.25 * within / math.sqrt(TURNS_OF_LAYOUTS):.1%} |",
            flush=True,
        )


PROCESSES_ASKED, TURNS = 16, 6
COUNT_SECONDS = 0.025  # of `go test`
ONE_PROCESSOR = ("taskset", "-c", "0")
OF_PAUSES = (
    # strategy, size, parameters, more, started by
    ("go/mmap", 4 << 20, {}, {}, ()),
    ("go/mmap", 4 << 20, {}, {}, ONE_PROCESSOR),
    ("go/file-read", 4 << 20, {"block": 8192}, {}, ()),
    ("go/file-read", 4 << 20, {"block": 8192}, {}, ONE_PROCESSOR),
    ("java/file-input-stream", 4 << 20, {"block": 8192}, {}, ()),
    ("java/read-all-bytes", 65536, {}, {}, ()),
    ("java/memory-byte-stream-write", 42000, {}, {"operation": "write", "medium": "memory", "content": "text-one-line"}, ()),
    ("java/file-output-stream", 1 << 20, {"block": 8192}, {"operation": "write"}, ()),
)


def pauses(folder: Path) -> None:
    """The same strategy in one fork of iogauge, in samples as short and as far apart as those of a run and then without a pause, and under the oracle, in turns."""
    print("| strategy | processors | in samples / without a pause (95 %) | without a pause / oracle (95 %) | in samples / oracle (95 %) |")
    print("|---|---|---|---|---|")
    for strategy, size, parameters, more, before in OF_PAUSES:
        work = works.make(strategy, size, folder, parameters=parameters, **more)
        if work.task.path:
            pagecache.cache(work.task.path)
        logs: list[tuple[float, float, float]] = []  # in samples, without a pause, the oracle
        for number in range(PROCESSES_ASKED):
            logs.append(tuple(map(math.log, _with_and_without_pauses(work, before, number, folder))))
            print(f"{strategy}: {number + 1} of {PROCESSES_ASKED}", file=sys.stderr, flush=True)
        in_samples, without, under_oracle = zip(*logs, strict=True)
        cells = [_ratio(*pair) for pair in ((in_samples, without), (without, under_oracle), (in_samples, under_oracle))]
        print(f"| {strategy}, {short_size(size)} | {'one' if before else 'all'} | {' | '.join(cells)} |", flush=True)


def _with_and_without_pauses(work: Work, before: tuple[str, ...], layout: int, folder: Path) -> tuple[float, float, float]:
    """ns of an operation: the median of the samples, of the spans without a pause, and of what the oracle counts."""
    launch = work.found.ready.launch
    fork = Fork(replace(launch, command=(*before, *launch.command)), work.heap_mib, folder / "log", layout=layout % launch.layouts)
    files = task.written_files(work.case, work.task.strategy, work.task, folder / "written", "operation")  # None where it reads
    device = Device(folder)
    try:
        tenant = _warmed_up(fork, work, files)
        tenant.look_alone(work.task, files)
        seconds, operations, prelude = _of_a_sample(tenant, work, files)
        count = prelude + measure.WARM_SPANS
        window = max(1, round(COUNT_SECONDS / seconds))
        samples, continuous, theirs = [], [], []
        for _ in range(TURNS):
            for _ in range(4):
                time.sleep(PAUSE)
                if files:
                    host.touch_ballast(max(8 << 20, work.case.bytes_per_operation * operations * count))
                samples.append(statistics.median(tenant.work(work.task, files, operations, count).ns[prelude:]) / operations)
                if files:
                    device.settle()
            for _ in range(6):
                continuous += [ns / operations for ns in tenant.work(work.task, files, operations, count).ns[prelude:]]
            if work.case.language == "go":
                theirs += gobench.run(work, count=6, benchtime=f"{window}x", layout=layout, under=before).ns_per_op[2:]
        if work.case.language == "java":
            alike = replace(work, task=replace(work.task, most_operations=operations * count)) if files else work
            theirs += jmh.run(alike, forks=1, warmups=3, warmup_seconds=0.5, iterations=5, seconds=0.2, under=before).scores[0]
        return statistics.median(samples), statistics.median(continuous), statistics.median(theirs)
    finally:
        fork.end()
        device.close()
        if files:
            files.close()


OF_LENGTHS = (
    ("go/file-read", 256 << 20, {"block": 8192}, {}),
    ("go/file-read", 4 << 20, {"block": 8192}, {}),
    ("go/mmap", 4 << 20, {}, {}),
    ("java/file-input-stream", 4 << 20, {"block": 8192}, {}),
    ("java/memory-byte-stream-write", 42000, {}, {"operation": "write", "medium": "memory", "content": "text-one-line"}),
)
PROCESSES_OF_LENGTHS, TURNS_OF_LENGTHS = 12, 8
SHORT, LONG = 0.025, 0.4  # seconds of a count or iteration, at least two operations; one before it does not count


def turn_length(folder: Path) -> None:
    """One fork of iogauge, and two processes of the oracle whose counts differ in length, in turns in random order. The fork works as in a run, or as long as the longer counts."""
    print("| strategy, size | iogauge: long turns / samples as in a run (95 %) | oracle: counts of 0.4 s / short ones (95 %) | iogauge / oracle, short (95 %) | iogauge / oracle, 0.4 s (95 %) |")
    print("|---|---|---|---|---|")
    for strategy, size, parameters, more in OF_LENGTHS:
        work = works.make(strategy, size, folder, parameters=parameters, **more)
        if work.task.path:
            pagecache.cache(work.task.path)
        logs: dict[str, list[float]] = defaultdict(list)
        for number in range(PROCESSES_OF_LENGTHS):
            for name, level in _by_length(work, number, folder).items():
                logs[name].append(math.log(level))
            print(f"{strategy}: {number + 1} of {PROCESSES_OF_LENGTHS}", file=sys.stderr, flush=True)
        pairs = (("long turns", "samples"), ("long counts", "short counts"), ("samples", "short counts"), ("samples", "long counts"))
        print(f"| {strategy}, {short_size(size)} | {' | '.join(_ratio(logs[one], logs[other]) for one, other in pairs)} |", flush=True)


def _by_length(work: Work, number: int, folder: Path) -> dict[str, float]:
    """ns per operation, the mean over turns."""
    launch, drawn = work.found.ready.launch, random.Random(number)
    layout = number % launch.layouts
    fork = Fork(launch, work.heap_mib, folder / "log", layout=layout)
    found: dict[str, list[float]] = defaultdict(list)

    def oracle_of(length: float, operations: int) -> InTurns:
        if work.case.language == "java":
            return jmh.in_turns(work, warmups=3, warmup_seconds=0.5, iterations=2 * TURNS_OF_LENGTHS, seconds=length)
        return gobench.in_turns(work, count=2 * TURNS_OF_LENGTHS, operations=operations, layout=layout)

    with ExitStack() as opened:
        opened.callback(fork.end)
        tenant = _warmed_up(fork, work)
        tenant.look_alone(work.task, None)
        seconds, operations, prelude = _of_a_sample(tenant, work, None)
        lengths = {"short counts": SHORT, "long counts": LONG}
        counted = {name: max(2, round(length / seconds)) for name, length in lengths.items()}
        theirs = {name: opened.enter_context(oracle_of(lengths[name], count)) for name, count in counted.items()}
        for _ in range(TURNS_OF_LENGTHS):
            for name in drawn.sample(("samples", "long turns", *theirs), 2 + len(theirs)):
                if name in theirs:
                    theirs[name].take(2)
                elif name == "samples":
                    ns = tenant.work(work.task, None, operations, prelude + measure.WARM_SPANS).ns[prelude:]
                    found[name].append(statistics.fmean(ns) / operations)
                else:
                    found[name].append(tenant.work(work.task, None, counted["long counts"], 2).ns[1] / counted["long counts"])
        for name, oracle in theirs.items():
            found[name] = list(oracle.scores()[1::2])
    return {name: statistics.fmean(levels) for name, levels in found.items()}


OF_RESTS = (
    ("go/file-read", 4 << 20, {"block": 8192}),
    ("java/file-input-stream", 4 << 20, {"block": 8192}),
    *(("go/read-file", size, {}) for size in (1 << 16, 1 << 20, 4 << 20, 64 << 20)),
    *((name, 4 << 20, {}) for name in ("java/read-all-bytes", "rust/read", "go/mmap", "rust/mmap", "java/file-channel-mapped")),
)
RESTS = 0.02, 0.3  # seconds: a fork waits about so long between samples, alone with its twin and among a dozen others
PROCESSES_OF_RESTS, TIMES = 4, 10
SPAN_AFTER, LONG_ENOUGH = 0.0005, 0.4  # seconds of operations in a span, and in all spans after a rest
AFTER = (0, 4, 8, 16, 32, 64, 100, 200)  # ms after the rest; what comes after the last counts as settled


def after_rest(folder: Path) -> None:
    """How long an operation takes in the ms after its process rested, by what it takes when it is settled: what a prelude has to hide."""
    print(f"| strategy, size | rest | after {', '.join(f'{first} to {end}' for first, end in pairwise(AFTER))} ms |")
    print("|---|---|---|")
    for strategy, size, parameters in OF_RESTS:
        work = works.make(strategy, size, folder, parameters=parameters)
        pagecache.cache(work.task.path)
        curves: dict[float, list[Floats]] = {rest: [] for rest in RESTS}
        for number in range(PROCESSES_OF_RESTS):
            _add_curves(work, number, curves, folder)
        for rest, found in curves.items():
            shown = ", ".join("none began" if math.isnan(level) else f"{level - 1:+.1%}" for level in map(_mean, np.transpose(found)))
            print(f"| {strategy}, {short_size(size)} | {rest * 1e3:.0f} ms | {shown} |", flush=True)


def _add_curves(work: Work, number: int, curves: dict[float, list[Floats]], folder: Path) -> None:
    """From one process: after each rest, the means of the spans that began between two times, by that of those that began later."""
    launch, drawn = work.found.ready.launch, random.Random(number)
    fork = Fork(launch, work.heap_mib, folder / "log", layout=number % launch.layouts)
    try:
        tenant = _warmed_up(fork, work)
        tenant.look_alone(work.task, None)
        seconds = tenant.levels[work.task.shape] / 1e9
        operations = max(1, round(SPAN_AFTER / seconds))
        spans = round(LONG_ENOUGH / seconds / operations)
        for _ in range(TIMES):
            for rest in drawn.sample(RESTS, len(RESTS)):
                time.sleep(rest)
                ns = np.array(tenant.work(work.task, None, operations, spans).ns, dtype=float)
                part = np.searchsorted(AFTER, (np.cumsum(ns) - ns) / 1e6, side="right") - 1
                levels = np.array([_mean(ns[part == place]) for place in range(len(AFTER))])  # NaN where one span was so long that none began there
                curves[rest].append(levels[:-1] / levels[-1])
    finally:
        fork.end()


def _mean(values: Floats) -> float:
    """Of those that are known; NaN where none is."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


def _warmed_up(fork: Fork, work: Work, files: WrittenFiles | None = None, padding: int = 0) -> Tenant:
    """As in a run."""
    runtime = work.found.ready.runtime
    tenant = Tenant(fork, 0, ForkSpec(runtime=runtime.name), padding=padding)
    overlap([tenant.greeted()], at_once=1)
    overlap([tenant.warmed_up(work.task, files, runtime.warm_up_seconds, runtime.warm_up_calls, runtime.longest_warm_up_seconds)], at_once=1)
    return tenant


def _of_a_sample(tenant: Tenant, work: Work, files: WrittenFiles | None) -> tuple[float, int, int]:
    """As a run takes them: about the seconds of an operation, operations of a span, and spans that do not count."""
    seconds = min(tenant.work(work.task, files, 1, 5).ns) / 1e9
    collections = tenant.collections[work.task.shape] if work.task.strategy.needs.memory_per_file_byte > 0 else None
    operations = max(1, round(measure.spanning(measure.WARM_SAMPLE, COLLECTIONS_PER_SAMPLE, seconds, collections) / measure.WARM_SPANS / seconds))
    return seconds, operations, max(1, round(measure.prelude_seconds(work.task.strategy, seconds, collections) / (operations * seconds)))


PAIRS, SAMPLES_OF_A_PAIR = 16, 12
OF_STARTS = (
    ("java/memory-byte-stream-write", 42000, {}, {"operation": "write", "medium": "memory", "content": "text-one-line"}),
    ("java/read-all-bytes", 65536, {}, {}),
    ("java/file-input-stream", 4 << 20, {"block": 8192}, {}),
    ("go/read-file", 4 << 20, {}, {}),
)


OF_STOPS = (("go/mmap", 4 << 20, {}), ("go/mmap", 1 << 20, {}), ("go/file-read", 4 << 20, {"block": 8192}))
PROCESSES_OF_STOPS, SPANS_OF_STOPS, SPAN_OF_STOPS, FIRST_SPANS = 20, 250, 0.002, 25  # seconds; the first ones are left out


def stopped_world(folder: Path) -> None:
    """A program of neither tool, which asks `runtime.ReadMemStats` before each span, or not at all; processes of either in turns."""
    print("| strategy, size | stopped before each span / never (95 %) | switches of threads per operation: stopped, never |")
    print("|---|---|---|")
    for strategy, size, parameters in OF_STOPS:
        programs = {name: works.make(strategy, size, folder, parameters=parameters, options=options) for name, options in (("stopped", ("IOGAUGE_PEER_STOPPED=1",)), ("never", ()))}
        pagecache.cache(programs["never"].task.path)
        operations = max(1, round(SPAN_OF_STOPS * 1e9 / gobench.plain(programs["never"], 20, 2)[1].ns))
        levels: dict[str, list[float]] = defaultdict(list)
        switches: dict[str, list[float]] = defaultdict(list)
        for number in range(PROCESSES_OF_STOPS):
            for name in random.Random(number).sample([*programs], 2):
                work = programs[name]
                spans = gobench.plain(work, operations, SPANS_OF_STOPS, number % work.found.ready.launch.layouts)[FIRST_SPANS:]
                levels[name].append(math.log(statistics.fmean(each.ns for each in spans)))
                switches[name].append(statistics.fmean(each.switches for each in spans))
            print(f"{strategy}: {number + 1} of {PROCESSES_OF_STOPS}", file=sys.stderr, flush=True)
        seen = ", ".join(f"{statistics.median(switches[name]):.2f}" for name in programs)
        print(f"| {strategy}, {short_size(size)} | {_ratio(levels['stopped'], levels['never'])} | {seen} |", flush=True)


OF_BEFORES = (
    ("go/file-read", 256 << 20, {"block": 8192}),
    ("go/file-read", 4 << 20, {"block": 8192}),
    ("go/read-file", 64 << 20, {}),
)
BEFORES = ("nothing", "collection", "anew")
PROCESSES_OF_BEFORES, SPANS_OF_BEFORES, FIRST_OF_BEFORES = 12, 10, 2
SPAN_OF_BEFORES = 0.4  # seconds: a count of the oracles


def before_counts(folder: Path) -> None:
    """A program of neither tool, whose spans come after nothing, after a garbage collection, or after opening the work anew and a collection, in a goroutine of their own, in random order within each process."""
    print("| strategy, size | after a collection / after nothing (95 %) | opened anew, after a collection, in a goroutine of its own / after nothing (95 %) | switches of threads per operation: the same |")
    print("|---|---|---|---|")
    for strategy, size, parameters in OF_BEFORES:
        work = works.make(strategy, size, folder, parameters=parameters)
        pagecache.cache(work.task.path)
        operations = max(1, round(SPAN_OF_BEFORES * 1e9 / gobench.plain(work, 2, 2)[1].ns))
        logs: dict[str, list[float]] = {name: [] for name in BEFORES}
        switches: dict[str, list[float]] = {name: [] for name in BEFORES}
        for number in range(PROCESSES_OF_BEFORES):
            found = gobench.plain_after(BEFORES, work, operations, SPANS_OF_BEFORES, number % work.found.ready.launch.layouts)
            for name in BEFORES:
                spans = found[name][FIRST_OF_BEFORES:]
                logs[name].append(math.log(statistics.fmean(each.ns for each in spans)))
                switches[name].append(statistics.fmean(each.switches for each in spans))
            print(f"{strategy}: {number + 1} of {PROCESSES_OF_BEFORES}", file=sys.stderr, flush=True)
        ratios = " | ".join(_ratio(logs[name], logs["nothing"]) for name in BEFORES[1:])
        print(f"| {strategy}, {short_size(size)} | {ratios} | {', '.join(significant(statistics.median(each)) for each in switches.values())} |", flush=True)


def start_order(folder: Path) -> None:
    """The same strategy in two forks, of which one was started when the other was warmed up: samples of both, as short and as far apart as in a run, in random order."""
    print("| strategy | pairs | time in the fork that was started later / in the other (95 %) | µs per operation in the other |")
    print("|---|---|---|---|")
    for strategy, size, parameters, more in OF_STARTS:
        work = works.make(strategy, size, folder, parameters=parameters, **more)
        if work.task.path:
            pagecache.cache(work.task.path)
        logs: list[list[float]] = [[], []]
        for number in range(PAIRS):
            for series, level in zip(logs, _started_in_order(work, number, folder), strict=True):
                series.append(math.log(level))
            print(f"{strategy}: {number + 1} of {PAIRS}", file=sys.stderr, flush=True)
        print(f"| {strategy}, {short_size(size)} | {PAIRS} | {_ratio(logs[1], logs[0])} | {significant(math.exp(statistics.median(logs[0])) / 1e3)} |", flush=True)


def _started_in_order(work: Work, number: int, folder: Path) -> tuple[float, float]:
    """ns of an operation in the first fork and in the second, medians of their samples."""
    launch, drawn, tenants = work.found.ready.launch, random.Random(number), []
    with ExitStack() as opened:
        for name in ("first", "second"):
            fork = Fork(launch, work.heap_mib, folder / name, layout=number % launch.layouts)
            opened.callback(fork.end)
            tenants.append(_warmed_up(fork, work))
            tenants[-1].look_alone(work.task, None)
        _, operations, prelude = _of_a_sample(tenants[0], work, None)
        found: dict[int, list[float]] = defaultdict(list)
        for _ in range(SAMPLES_OF_A_PAIR):
            for place in drawn.sample((0, 1), 2):
                time.sleep(PAUSE)
                found[place].append(statistics.median(tenants[place].work(work.task, None, operations, prelude + measure.WARM_SPANS).ns[prelude:]) / operations)
        return statistics.median(found[0]), statistics.median(found[1])


TURNS_OF_WRITING, FILES, OTHERS_EVERY = 240, 48, 20
MIB = 1 << 20


def free_memory(folder: Path) -> None:
    """Files of 1 MiB, written by blocks of 8 KiB into the page cache: new ones, which take free memory, by a fork and by this program, and into files whose pages are
    there already. Now and then another program takes some memory and gives it back.
    """
    work = works.make("java/file-output-stream", MIB, folder, operation="write", parameters={"block": 8192})
    fork = Fork(work.found.ready.launch, work.heap_mib, folder / "log")
    files = task.written_files(work.case, work.task.strategy, work.task, folder / "written", "operation")
    there = [folder / f"{number}.there" for number in range(FILES)]
    block = memoryview(os.urandom(8192))
    _write(there, block)
    drawn, found = random.Random(1), defaultdict(list)
    try:
        tenant = _warmed_up(fork, work, files)
        for turn in range(TURNS_OF_WRITING):
            if turn % OTHERS_EVERY == 0:
                subprocess.run([sys.executable, "-c", f"bytearray({drawn.randrange(256, 4096) << 20})"], check=True)
            for way in drawn.sample(("fork", "new", "there"), 3):
                if way == "fork":
                    us = statistics.median(tenant.work(work.task, files, FILES // 8, 8).ns[4:]) / (FILES // 8) / 1e3
                else:
                    us = _write([folder / f"{number}.new" for number in range(FILES)] if way == "new" else there, block)
                for path in folder.glob("*.new"):
                    path.unlink()
                found[way].append(us)
    finally:
        fork.end()
        files.close()
    print(f"| µs per file, {TURNS_OF_WRITING} turns of {FILES} files | 5 % | median | 95 % | slowest tenth / fastest tenth, medians |")
    print("|---|---|---|---|---|")
    for way, name in (("fork", "a fork of iogauge, new files (java/file-output-stream)"), ("new", "this program, new files"), ("there", "this program, files that are in the cache")):
        us = sorted(found[way])
        tenth = len(us) // 10
        at = (us[len(us) // 20], statistics.median(us), us[-len(us) // 20])
        print(f"| {name} | {' | '.join(f'{each:.0f}' for each in at)} | {statistics.median(us[-tenth:]) / statistics.median(us[:tenth]):.2f} |")
    for way, name in (("new", "new files"), ("there", "files that are in the cache")):
        print(f"{'' if way == 'there' else chr(10)}Rank correlation of the fork's times with those of this program, {name}: {spearmanr(found['fork'], found[way]).statistic:+.2f}.")


def _write(paths: Sequence[Path], block: memoryview) -> float:
    """µs that a file takes; what it holds already is overwritten."""
    began = time.perf_counter()
    for path in paths:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        for _ in range(MIB // len(block)):
            os.write(fd, block)
        os.close(fd)
    return (time.perf_counter() - began) * 1e6 / len(paths)


OPENINGS, ALIKE = 1500, 16
WARMED_UP = 8000  # operations
PAUSE = 0.02  # seconds before a sample, as between the samples of a round


def array_place(folder: Path) -> None:
    """Where an array lies follows from what was allocated before it: the same in each fork, unless something random is allocated first."""
    work = works.make("java/file-input-stream", 4 << 20, folder, parameters={"block": 8192})
    pagecache.cache(work.task.path)
    fork = _started(work, 0, folder)
    try:
        drawn, us = random.Random(1), []
        for _ in range(OPENINGS):
            fork.ask(wire.padded(work.task.opening, drawn.randrange(0, 4096, 8)), 60)
            us.append(_us(fork, work, 4, 3))
    finally:
        fork.end()
    middle = statistics.median(us)
    slow = [each for each in us if each > 2 * middle]
    print(f"One process that allocated its array {OPENINGS} times, each time behind a random padding: {middle:.0f} µs in the median;")
    print(f"more than twice that in {share(len(slow), OPENINGS)}" + (f", {min(slow):.0f} to {max(slow):.0f} µs." if slow else "."))
    print("\n| strategy | padding | forks slower than twice the fastest of all | µs per operation, each fork |")
    print("|---|---|---|---|")
    every = runners.all_runners
    runners.all_runners = planted.runners  # one that reads alike but for an `if` before it
    try:
        levels: dict[tuple[str, str], list[float]] = defaultdict(list)
        for number in range(ALIKE):
            for strategy, more in (("java/file-input-stream", {}), ("java/planted-read", {"extra": 0, "label": 0})):
                alike = works.make(strategy, 4 << 20, folder, parameters={"block": 8192, **more})
                for name, padding in (("none", 0), ("drawn", drawn.randrange(0, 4096, 8))):
                    levels[strategy, name].append(_level_in_a_run(alike, padding, folder))
            print(f"{number + 1} of {ALIKE}", file=sys.stderr, flush=True)
    finally:
        runners.all_runners = every
    fastest = min(map(min, levels.values()))
    for (strategy, name), found in levels.items():
        slow = sum(level > 2 * fastest for level in found)
        print(f"| {strategy} | {name} | {share(slow, ALIKE)} | {', '.join(f'{level:.0f}' for level in found)} |")


def _started(work: Work, padding: int, folder: Path) -> Fork:
    """A fork whose code is compiled."""
    fork = Fork(work.found.ready.launch, work.heap_mib, folder / "log")
    fork.ask(wire.hello(), 60)
    fork.ask(wire.padded(work.task.opening, padding), 60)
    for _ in range(WARMED_UP // 20):
        fork.ask(wire.sample(20, 1, [str(work.task.path)]), 60)
    return fork


def _level_in_a_run(work: Work, padding: int, folder: Path) -> float:
    """µs of an operation in a fork that is warmed up and sampled as in a run: the depth of its stack, too, is then that of a run."""
    fork = Fork(work.found.ready.launch, work.heap_mib, folder / "log")
    try:
        tenant = _warmed_up(fork, work, padding=padding)
        tenant.look_alone(work.task, None)
        medians = []
        for _ in range(12):
            time.sleep(PAUSE)
            medians.append(statistics.median(tenant.work(work.task, None, 4, 8).ns) / 4 / 1e3)
        return statistics.median(medians)
    finally:
        fork.end()


def _us(fork: Fork, work: Work, operations: int, spans: int) -> float:
    """µs of an operation, the median of some spans."""
    return statistics.median(fork.ask(wire.sample(operations, spans, [str(work.task.path)]), 60).ns) / operations / 1e3


LOOPS = (
    ("java/byte-array-input-stream-byte", 42000, {}, {"medium": "memory", "consume": "sum"}),
    ("java/file-channel-direct", 16 << 20, {"block": 8192}, {}),
    ("java/buffered-reader-line", 4 << 20, {}, {"consume": "sum", "content": "text"}),
)
SPAN, WATCHED, MARKS = 0.010, 2.5, (0.2, 0.5, 1.0, 1.5, 2.4)  # seconds of operations
FORKS = 3


def compiled_loop(folder: Path) -> None:
    print(f"| strategy | how its forks start | µs per operation after {', '.join(map(str, MARKS))} s, median of {FORKS} forks |")
    print("|---|---|---|")
    for strategy, size, parameters, more in LOOPS:
        work = works.make(strategy, size, folder, parameters=parameters, **more)
        if work.task.path:
            pagecache.cache(work.task.path)
        launch = work.found.ready.launch
        inlined = replace(launch, command=tuple(word for word in launch.command if "dontinline" not in word))
        for name, start, options in (
            ("as they do", launch, ()),
            ("the operation may be inlined into the loop", inlined, ()),
            ("-XX:CompileThresholdScaling=0.1", launch, ("-XX:CompileThresholdScaling=0.1",)),
        ):
            curves = [_curve(Fork(start, work.heap_mib, folder / "log", options), work) for _ in range(FORKS)]
            levels = [statistics.median(level) for level in zip(*curves, strict=True)]
            print(f"| {strategy} | {name} | {', '.join(f'{level:.0f}' for level in levels)} |", flush=True)


def _curve(fork: Fork, work: Work) -> list[float]:
    """µs per operation when the operations of the fork have taken so many seconds."""
    try:
        fork.ask(wire.hello(), 60)
        fork.ask(work.task.opening, 60)
        where = [str(work.task.path or "")]
        operations, taken, series = 1, 0.0, []
        while taken < WATCHED:
            ns = fork.ask(wire.sample(operations, 1, where), 60).ns[0]
            taken += ns / 1e9
            series.append((taken, ns / operations / 1e3))
            operations = max(1, round(SPAN * 1e9 / (ns / operations)))
    finally:
        fork.end()
    return [statistics.median(level for when, level in series if mark - 0.05 <= when <= mark + 0.05) for mark in MARKS]


SECTIONS = (direct_buffer, go_collector, java_collector, neither_tool, go_layout, pauses, turn_length, after_rest, stopped_world, before_counts, start_order, free_memory, array_place, compiled_loop)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = {section.__name__.replace("_", "-"): section for section in SECTIONS}
    parser.add_argument("section", nargs="*", choices=[*names, []], help="default: all")
    for name in parser.parse_args().section or names:
        print(f"\n## {name}\n", flush=True)
        with scratch() as folder:
            names[name](folder)


if __name__ == "__main__":
    main()
