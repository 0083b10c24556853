"""What is faster than the machine can be is found out: deliberately wrong strategies beside real ceilings."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from iogauge import numbers, report, runners, sweeps, task, wire
from iogauge.corpus import Corpus
from iogauge.fork import Fork
from iogauge.model import ForkSpec
from iogauge.tenant import Tenant
from tests.e2e.test_real import case, group, measured

pytestmark = [pytest.mark.real, pytest.mark.alone]
WRONG = Path(__file__).parents[1] / "wrong_runners"


@pytest.fixture
def cheats(monkeypatch):
    monkeypatch.setenv("IOGAUGE_RUNNERS", str(WRONG))
    ready, _ = runners.prepare({}, print)
    if not any(each.role == "ceiling" for found in ready for each in found.runtime.strategies.values()):
        pytest.skip("no toolchain for a runner with ceilings")


def test_strategies_that_are_too_fast_to_be_true(cheats, disk_folder):
    text = group("hot", "64M", case("cheats/one-byte-per-page") + case("cheats/rereads") + case("cheats/quarter-of-the-time"))
    (found,) = report.make(measured(text, disk_folder, "cheats", budget=45)).groups
    assert found.ceiling is not None
    for each in found.cases:
        assert each.failure is None and each.of_ceiling.lo > 1.1, each.case.variant
        assert any("no verdict rests on it" in caveat for caveat in each.caveats), each.case.variant
        assert not each.is_best and each.vs_best is None


def test_a_quarter_of_the_time_is_found_out_where_the_device_reads_too(cheats, disk_folder):
    text = group("cold", "64M", case("cheats/quarter-of-the-time"), '"cold"', "touch")
    (found,) = report.make(measured(text, disk_folder, "cold-cheat", budget=90)).groups
    (each,) = found.cases
    assert found.replicates >= 3
    assert any("no verdict rests on it" in caveat for caveat in each.caveats), (each.of_ceiling, each.failure)


def test_a_sparse_file_in_its_place_leaves_the_device_idle(cheats, disk_folder):
    run = measured(group("cold", "16M", case("cheats/sparse-file"), '"cold"'), disk_folder, "sparse-cheat", budget=5)
    (found,) = report.make(run).groups
    (each,) = found.cases
    assert each.ns_per_op is None and re.search(r"read 0 bytes from the device|none of its samples", each.failure)


def test_honest_strategies_stay_below_the_ceiling(disk_folder):
    """Of every language here, warm and cold; a share above 1 is within its own error."""
    ready, _ = runners.prepare({}, print)
    names = [
        name
        for found in ready
        if found.runtime.runner != "fake"
        for name, each in found.runtime.strategies.items()
        if (each.role, each.operation, each.medium, each.unit, each.format, each.access) == ("contestant", "read", "file", "block", "plain", "sequential")
        and each.sums == "byte" and "touch" in each.consumes and not each.unavailable and ("block" in each.parameters or not each.parameters)
    ]  # fmt: skip
    run = measured(group("honest", "16M", f"[[group.case]]\nstrategy = {names}\n", '["warm", "cold"]'), disk_folder, "honest", budget=70)
    made = report.make(run)
    if made.groups[0].ceiling is None:
        pytest.skip("no toolchain for a runner with ceilings")
    assert len(made.groups) == 2 and all(found.replicates >= 3 for found in made.groups), "fewer bound nothing"
    for each in (case for found in made.groups for case in found.cases):
        assert each.of_ceiling.lo > 0 and not each.impossible and each.of_ceiling.center < 1.25, (each.case.key, each.of_ceiling)


def test_an_ignored_parameter_is_a_dead_knob_and_an_honest_one_is_none(cheats, disk_folder):
    sweeping = "".join(
        f'[[group.case]]\nstrategy = "{name}"\nparameters = {{ block = ["32K", "128K", "1M"] }}\n'
        for name in ("cheats/ignores-block", "go/file-read", "java/file-input-stream", "java/file-channel-direct", "rust/file-read", "rust/pread")
    )
    made = report.make(measured(group("knobs", "4M", sweeping), disk_folder, "knobs", budget=20))
    found = [each for table in numbers.of_run(made) for each in sweeps.dead_knobs(table)]
    (dead,) = found
    assert (dead.strategy, dead.parameter, dead.values) == ("cheats/ignores-block", "block", (32 << 10, 128 << 10, 1 << 20))
    assert dead.seen == pytest.approx(8192, rel=0.05)


def reads(names: list[str]) -> str:
    return "".join(f'[[group.case]]\nstrategy = "{name}"\n' for name in names)


@pytest.mark.skipif(shutil.which("strace") is None, reason="no strace")
def test_calls_agree_with_strace(disk_folder, iogauge):
    """Calls by evidence against those that strace counts on the data file, ten strategies; and `explain --trace` tells the same."""
    ready, _ = runners.prepare({}, print)
    wanted = [
        "java/file-input-stream", "java/buffered-input-stream-byte", "java/file-channel-direct", "java/read-all-bytes", "java/random-access-file",
        "go/file-read", "go/bufio-read-byte", "go/read-file",
        "rust/file-read", "rust/read", "rust/pread", "rust/buf-reader-line",
    ]  # fmt: skip
    uncounted = ["java/file-channel-mapped", "go/mmap", "rust/mmap"]
    declared = {name: each for found in ready for name, each in found.runtime.strategies.items()}
    names = [name for name in wanted if name in declared]
    languages = {name.partition("/")[0] for name in declared}
    assert len(names) >= 10 or not {"java", "go", "rust"} <= languages
    names, mapped = [name for name in names if name not in uncounted], [name for name in uncounted if name in declared]
    lines = [name for name in names if declared[name].sums != "byte"]
    text = group("calls", "1M", reads([*(name for name in names if name not in lines), *mapped]), consume="sum")
    if lines:
        text += group("lines", "1M", reads(lines), consume="sum").replace("consume", 'content = "text"\nconsume')
    run = measured(text, disk_folder, "strace", budget=3)
    seen = {each.case.strategy: each for found in report.make(run).groups for each in found.cases}
    for name in names:
        expected = calls_by_strace(ready, run, seen[name].case, disk_folder)
        assert fewest_calls(run, seen[name].case) == expected, name
        assert abs(seen[name].evidence.read_calls_per_op - expected) < 0.5, "what is reported has a runtime's own calls in it, few of them"
    for name in mapped:
        assert seen[name].evidence.read_calls_per_op is None, f"{name}: the kernel counts none, which is not 0"
    result = iogauge("explain", disk_folder / "strace.jsonl", "--trace", "--dir", disk_folder, timeout=600)
    assert result.returncode == 0, result.stderr
    flat = re.sub(r"\s+", " ", result.stdout)
    assert len(re.findall(r"strace, one operation: \d+", flat)) == len(names) + len(mapped), result.stdout


def fewest_calls(run, of) -> int:
    """Whole calls of an operation, the fewest of all samples. A runtime reads something of its own now and then (Go's wakes its poller while it
    collects garbage, a JVM looks at its control group), less than once per operation: of an operation's own calls none would be left over.
    """
    number = run.plan.cases.index(of)
    samples = [each for each in run.samples if each["case"] == number]
    done = [sum(each["operations"]) + len(each["prelude_ns"]) * each["operations"][0] for each in samples]
    calls, own = min(divmod(each["evidence"]["syscr"] - 1, count) for each, count in zip(samples, done, strict=True))
    assert own < max(done) / 2, f"{of.key}: {own} calls in {max(done)} operations are nobody's"
    return calls


def calls_by_strace(ready, run, of, folder: Path) -> float:
    """Read calls of an operation on the data file: those of eleven operations less those of one, by `strace -c` on the file alone."""
    found = next(each for each in ready if each.runtime.name == of.runtime)
    corpus = Corpus(folder)
    try:
        made = task.make(of, found.runtime.strategies[of.strategy], corpus)
        counts = [total(found, made, operations, folder) for operations in (1, 11)]
    finally:
        corpus.close()
    return (counts[1] - counts[0]) / 10


def total(found, made, operations: int, folder: Path) -> int:
    out = folder / "strace.counts"
    prefix = (shutil.which("strace"), "-f", "-qq", "-c", "-U", "calls,name", "-P", str(made.path), "-o", str(out), "--")
    fork = Fork(replace(found.launch, command=(*prefix, *found.launch.command)), 256, folder / "strace.log", layout=0)
    tenant = Tenant(fork, 0, ForkSpec(runtime=found.runtime.name), patience=300)
    fork.ask(wire.hello(), 60)
    tenant.work(made, None, operations)
    fork.close_input()
    fork.wait(60)  # strace writes its summary when the runner is gone
    rows = [line.split() for line in out.read_text().splitlines()]
    return sum(int(row[0]) for row in rows if len(row) == 2 and row[1] in ("read", "pread64", "readv", "preadv"))
