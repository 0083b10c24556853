"""Real runners on small files: what the kernel counts is exact, conditions are what they claim to
be. No times are asserted.
"""

from __future__ import annotations

from collections import defaultdict

import pytest

from iogauge.analysis import report
from iogauge.model.strategy import Strategy
from iogauge.runfile.run import Run
from tests.real import measured

pytestmark = pytest.mark.real
MIB = 1 << 20


def group(
    identifier: str, size: int | str, cases: str, cache: str = '"warm"', consume: str = "touch"
) -> str:
    more = f'cache = {cache}\nconsume = "{consume}"'
    return f'[[group]]\nid = "{identifier}"\nquestion = "?"\nsize = "{size}"\n{more}\n{cases}\n'


def case(strategy: str, **parameters: object) -> str:
    values = ", ".join(f'{name} = "{value}"' for name, value in parameters.items())
    return f'[[group.case]]\nstrategy = "{strategy}"\nparameters = {{ {values} }}\n'


def reads_bytes(strategy: Strategy) -> bool:
    """From the start of a plain file to its end."""
    plain = strategy.sums == "byte" and strategy.format == "plain"
    access = strategy.operation, strategy.medium, strategy.access
    return plain and access == ("read", "file", "sequential")


def piecewise(strategy: Strategy) -> bool:
    """A system call for every byte, or every few: not for large files. (A mapping has no block
    either, and no calls.)
    """
    if strategy.unit == "byte" and "buffer" not in strategy.parameters:
        return True
    small = strategy.unit in ("byte", "block") and not strategy.parameters
    return small and "none" in strategy.consumes


@pytest.mark.parametrize(
    "most", [pytest.param(2, id="a few"), pytest.param(1000, id="all", marks=pytest.mark.long)]
)
def test_cold_is_cold_and_warm_is_warm(real, disk_folder, most):
    """4 MiB, strategies that do not need a call per byte, in every language."""
    declared = {name: each for one in real for name, each in one.runtime.strategies.items()}
    by_language = defaultdict(list)
    for name, each in sorted(declared.items()):
        able = not each.unavailable and each.role == "contestant" and reads_bytes(each)
        if able and not piecewise(each):
            by_language[each.language].append(name)
    names = [name for each in by_language.values() for name in each[:: -(-len(each) // most)]]
    assert len(names) >= 6
    text = group("whole", "4M", f"[[group.case]]\nstrategy = {names}\n", '["warm", "cold"]')
    run = measured(text, disk_folder, f"whole-{most}")
    assert not run.failures
    seen = defaultdict(set)
    for sample in run.samples:
        found = run.plan.cases[sample.case]
        seen[found.conditions.cache].add(found.strategy)
        if sample.void:
            continue
        if found.conditions.cache == "cold":
            assert sample.resident_before == 0
            assert sample.evidence["read_bytes"] >= 4 * MIB, found.key
        else:
            assert sample.resident_before == 1
            assert sample.evidence["read_bytes"] == 0, found.key
    # These are compared where the device is waited for.
    around = {name for name in names if declared[name].bypasses_cache}
    assert seen["cold"] == set(names) and seen["warm"] == set(names) - around
    voids = [sample.void for sample in run.samples if sample.void]
    assert len(voids) <= max(2, 0.02 * len(run.samples)), voids


def test_cold_groups_that_share_a_file_stay_cold(real, disk_folder):
    """What a fork mapped for one group must not keep pages from the next: every fork lets go before
    a file is evicted.
    """
    known = {name for each in real for name in each.runtime.strategies}
    mapped = [each for each in ("java/file-channel-mapped", "go/mmap") if each in known]
    block = [each for each in ("java/file-input-stream", "go/file-read") if each in known]
    text = group("a", "4M", f"[[group.case]]\nstrategy = {block + mapped}\n", '"cold"')
    text += group("b", "4M", f"[[group.case]]\nstrategy = {block}\n", '"cold"')
    run = measured(text, disk_folder, "shared")
    assert len(run.samples) >= 10 and len({sample.group for sample in run.samples}) == 2
    assert not [sample.void for sample in run.samples if sample.void]


def calls(run: Run) -> dict[str, float]:
    """Read calls per operation by variant, as the report shows them."""
    cases = [each for group in report.make(run).groups for each in group.cases]
    return {each.case.variant: each.evidence.read_calls_per_op for each in cases}


def test_calls_are_exact(languages, disk_folder):
    large, small, exact = "", "", {}
    if "java" in languages:
        large += case("java/file-input-stream", block="8K") + case("java/file-channel-mapped")
        large += case("java/buffered-input-stream-byte", buffer="8K")
        large += case("java/buffered-input-stream-byte", buffer="1K")
        exact |= {
            "java/file-input-stream(block=8192)": 512,
            "java/buffered-input-stream-byte(buffer=8192)": 512,
            "java/buffered-input-stream-byte(buffer=1024)": 4096,
            "java/file-input-stream-byte": 16384,
            "java/random-access-file-byte": 16384,
        }
        small += case("java/file-input-stream-byte") + case("java/random-access-file-byte")
    if "go" in languages:
        large += case("go/file-read", block="8K") + case("go/mmap")
        large += case("go/bufio-read-byte", buffer="4K")
        exact |= {"go/file-read(block=8192)": 512, "go/bufio-read-byte(buffer=4096)": 1024}
        exact |= {"go/file-read(block=1)": 16384}
        small += case("go/file-read", block=1)
    run = measured(group("large", "4M", large) + group("small", "16K", small), disk_folder, "calls")
    assert not run.failures
    found = calls(run)
    for variant, count in exact.items():  # and the call that finds the end of the file
        assert count <= found[variant] <= count + 2, variant
    mapped = [each for each in ("java/file-channel-mapped", "go/mmap") if each in found]
    if any(found[variant] is not None for variant in mapped):
        # A runtime reads for itself now and then, which shows in so few operations; not twice. Java
        # 17 also loads classes at the 16th mapping, which a longer warm-up has behind it.
        again, warm = "".join(map(case, mapped)), {"warm_up_seconds": 0.02, "warm_up_calls": 20}
        text = group("large", "4M", again)
        found = calls(measured(text, disk_folder, "calls-again", warm_up=warm))
    for variant in mapped:
        assert found[variant] is None, f"{variant}: a mapping is read without calls that count"


@pytest.mark.long
def test_a_file_too_large_for_an_api_is_a_failure_with_its_reason(languages, disk_folder):
    if "java" not in languages:
        pytest.skip("no JDK with Maven")
    baseline = '{ strategy = "java/file-input-stream", parameters = { block = "1M" } }'
    cases = case("java/file-input-stream", block="1M") + case("java/file-channel-mapped")
    text = group("limit", "2G", f'content = "sparse"\nbaseline = {baseline}\n{cases}')
    run = measured(text, disk_folder, "limit")
    (failure,) = run.failures
    assert run.plan.cases[failure.case].strategy == "java/file-channel-mapped"
    assert "Integer.MAX_VALUE" in failure.reason
    (made,) = report.make(run).groups
    assert made.cases[0].case.strategy == "java/file-input-stream" and made.cases[0].ns_per_op


def test_a_runtime_beside_itself_with_another_collector(real, disk_folder):
    """The option takes the place of the collector that the runner asks for; a Go process takes its
    options as variables.
    """
    names = {each.runtime.runner for each in real}
    if names < {"jvm", "go"}:
        pytest.skip("a JDK and Go are needed")
    text = group("collectors", "64K", case("java/read-all-bytes") + case("go/read-file"))
    settings = (("jvm", ("-XX:+UseSerialGC",)), ("jvm", ("-XX:+UseZGC",)), ("go", ("GOGC=400",)))
    run = measured(text, disk_folder, "collectors", settings=settings)
    assert not run.failures
    specs = [(run.plan.forks[fork.spec], fork.flags) for fork in run.forks]
    flags = {spec.options: said for spec, said in specs if spec.runtime.startswith("jvm")}
    assert set(flags) == {(), ("-XX:+UseSerialGC",), ("-XX:+UseZGC",)}
    for options, said in flags.items():
        assert ("-XX:+UseG1GC" in said) == (not options)
    (across,) = [each.across for each in report.make(run).groups]
    assert len(across) == 3 and {each.reference.options for each in across} == {()}
    cases = [run.plan.cases[each] for found in run.plan.groups for each in found.cases]
    harness = {(each.runtime, tuple(each.options)) for each in run.harness}
    assert harness == {(each.runtime, each.options) for each in cases}
