"""Calls by evidence against those that strace counts. Counts are the same whatever else runs."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from iogauge.analysis import report
from iogauge.corpus.store import Corpus
from iogauge.model.case import ForkSpec
from iogauge.model.method import METHOD
from iogauge.runners import preparing, task, wire
from iogauge.runners.fork import Fork
from iogauge.runners.live_fork import LiveFork
from tests.e2e.test_real import group
from tests.real import measured

pytestmark = pytest.mark.real


def reads(names: list[str]) -> str:
    return "".join(f'[[group.case]]\nstrategy = "{name}"\n' for name in names)


WANTED = """java/file-input-stream java/buffered-input-stream-byte java/file-channel-direct
java/read-all-bytes java/random-access-file java/gzip-input-stream go/file-read go/bufio-read-byte
go/read-file go/gzip-read python/file-read python/raw-readinto python/os-read python/os-preadv
python/read python/byte-lines python/gzip-read-blocks python/zlib-decompress rust/file-read rust/read
rust/pread rust/buf-reader-line c/read c/pread c/fread c/read-whole c/getline cpp/ifstream-read
cpp/istreambuf-iterator cpp/getline node/read-sync node/read-file-sync node/read-file
node/split-file node/gunzip-sync"""
MAPPED = ["java/file-channel-mapped", "go/mmap", "python/mmap", "rust/mmap", "c/mmap"]


@pytest.mark.long
@pytest.mark.skipif(shutil.which("strace") is None, reason="no strace")
def test_calls_agree_with_strace(disk_folder, iogauge):
    """Calls by evidence against those that strace counts on the data file, of every language; and
    `explain --trace` tells the same.
    """
    ready, _ = preparing.prepare({}, print)
    declared = {name: each for found in ready for name, each in found.runtime.strategies.items()}
    names = [name for name in WANTED.split() if name in declared]
    languages = {name.partition("/")[0] for name in declared}
    untold = [name for name in names if declared[name].uncounted]
    assert len(names) >= 10 or not {"java", "go", "python", "rust"} <= languages
    names = [name for name in names if name not in untold]
    mapped = [name for name in MAPPED if name in declared]
    lines = [name for name in names if declared[name].sums != "byte"]
    blocks = [*(name for name in names if name not in lines), *mapped, *untold]
    text = group("calls", "1M", reads(blocks), consume="sum")
    if lines:
        of_text = 'content = "text"\nconsume'
        text += group("lines", "1M", reads(lines), consume="sum").replace("consume", of_text)
    run = measured(text, disk_folder, "strace", budget=3)
    seen = {each.case.strategy: each for found in report.make(run).groups for each in found.cases}
    counts = dict.fromkeys(mapped, 0.0)
    for name in names:
        expected = counts[name] = calls_by_strace(ready, run, seen[name].case, disk_folder)
        assert fewest_calls(run, seen[name].case) == expected, name
        assert abs(seen[name].evidence.read_calls_per_op - expected) < 0.5, (
            "what is reported has a runtime's own calls in it, few of them"
        )
    (packed,) = (disk_folder / "iogauge-data").glob("bytes-1048576-*-gzip.data")
    for name in (each for each in names if declared[each].format == "gzip"):
        found = seen[name].evidence
        read = found.read_calls_per_op * found.bytes_per_read_call
        assert read == pytest.approx(packed.stat().st_size, rel=0.01), name
    for name in mapped:
        assert seen[name].evidence.read_calls_per_op is None, (
            f"{name}: the kernel counts none, which is not 0"
        )
    for name in untold:
        evidence = seen[name].evidence
        assert evidence.read_calls_per_op is None and evidence.why_uncounted, name
    # A JVM looks at its control group now and then: hardly in two tries.
    few = traced_calls(iogauge, disk_folder, "strace")
    if any(calls > counts.get(name, calls) + 3 for name, calls in zip(seen, few, strict=True)):
        few = [*map(min, few, traced_calls(iogauge, disk_folder, "strace"))]
    for name, calls in zip(seen, few, strict=True):  # a runtime's own calls are few
        assert name in untold or counts[name] <= calls <= counts[name] + 3, name


def traced_calls(iogauge, folder: Path, name: str) -> list[int]:
    """Read calls of one operation of each case, as `explain --trace` tells them."""
    result = iogauge("explain", folder / f"{name}.jsonl", "--trace", "--dir", folder)
    assert result.returncode == 0, result.stderr
    parts = result.stdout.split("strace, one operation: ")[1:]
    # What follows, after an empty line or further to the left, is the next case.
    traced = [" ".join(re.split(r"\n(?:\s*\n| {0,2}\S)", part)[0].split()) for part in parts]
    call = r"(\d+) (?:read|pread64|readv|preadv2?)\b"
    return [sum(int(count) for count in re.findall(call, text)) for text in traced]


COUNTED = ("read", "pread64", "readv", "preadv", "preadv2")


def fewest_calls(run, of) -> int:
    """Whole calls of an operation, the fewest of all samples. A runtime reads something of its own
    now and then (Go's wakes its poller while it collects garbage, a JVM looks at its control
    group), less than once per operation: of an operation's own calls none would be left over.
    """
    number = run.plan.cases.index(of)
    samples = [each for each in run.samples if each.case == number]
    done = [sum(each.operations) + len(each.prelude_ns) * each.operations[0] for each in samples]
    calls, own = min(
        divmod(each.evidence["syscr"] - 1, count) for each, count in zip(samples, done, strict=True)
    )
    assert own < max(done) / 2, f"{of.key}: {own} calls in {max(done)} operations are nobody's"
    return calls


def calls_by_strace(ready, run, of, folder: Path) -> float:
    """Read calls of an operation on the data file: those of eleven operations less those of one, by
    `strace -c` on the file alone.
    """
    found = next(each for each in ready if each.runtime.name == of.runtime)
    corpus = Corpus(folder)
    try:
        made = task.make(of, found.runtime.strategies[of.strategy], corpus, METHOD)
        counts = [total(found, made, operations, folder) for operations in (1, 11)]
    finally:
        corpus.close()
    return (counts[1] - counts[0]) / 10


def total(found, made, operations: int, folder: Path) -> int:
    out = folder / "strace.counts"
    # It stops for no other call.
    some = ("-P", str(made.path), "-e", f"trace={','.join(COUNTED)}", "--seccomp-bpf")
    prefix = (shutil.which("strace"), "-f", "-qq", "-c", "-U", "calls,name", *some)
    launch = replace(found.launch, command=(*prefix, "-o", str(out), "--", *found.launch.command))
    fork = Fork(launch, 256, layout=0)
    spec = ForkSpec(runtime=found.runtime.name)
    live_fork = LiveFork(fork, 0, spec, METHOD, extra_patience=180)
    fork.ask(wire.hello(), 60)
    live_fork.work(made, None, operations)
    fork.close_input()
    fork.wait(60)  # strace writes its summary when the runner is gone
    rows = [line.split() for line in out.read_text().splitlines()]
    return sum(int(row[0]) for row in rows if len(row) == 2 and row[1] in COUNTED)
