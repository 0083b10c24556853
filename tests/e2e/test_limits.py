"""What is faster than the machine can be is found out: deliberately wrong strategies beside real
ceilings.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from iogauge.advice.explanations import parameters_without_effect
from iogauge.analysis import report
from iogauge.claims.measured import comparables
from iogauge.runners import preparing
from tests.e2e.test_real import case, group
from tests.real import Until, measured

pytestmark = pytest.mark.real
alone = pytest.mark.alone  # times are judged; what is counted is the same whatever else runs
WRONG = Path(__file__).parents[1] / "wrong_runners"
BRIEF = {"longest_warm_up_seconds": 0.3}  # hundreds of reads, of thousands of calls


@pytest.fixture
def cheats(monkeypatch):
    monkeypatch.setenv("IOGAUGE_RUNNERS", str(WRONG))
    ready, _ = preparing.prepare({}, print)
    if not any(
        each.role == "ceiling" for found in ready for each in found.runtime.strategies.values()
    ):
        pytest.skip("no toolchain for a runner with ceilings")


def until_sure(text: str, folder: Path, name: str, budget: float) -> report.GroupReport:
    """Six replicates, which mostly suffice. Measured again, for as long as the budget says, where
    a restless minute left it open who is faster than the machine; the tool says so then, and that
    is tested here.
    """
    for attempt in range(3):
        more = {} if attempt else {"show": Until(6)}
        (found,) = report.make(
            measured(text, folder, f"{name}-{attempt}", budget=budget, warm_up=BRIEF, **more)
        ).groups
        assert found.ceiling is not None and found.replicates >= 3
        for each in found.cases:
            says = any("as fast as its ceiling" in caveat for caveat in each.caveats)
            assert each.failure is None and each.of_ceiling, (each.case.variant, each.failure)
            assert says or each.of_ceiling.center < 1.1, (each.case.variant, each.caveats)
        if all(each.impossible for each in found.cases):
            return found
    seen = [(each.case.variant, each.of_ceiling, each.caveats) for each in found.cases]
    pytest.fail(f"after three runs: {seen}")


@alone
@pytest.mark.long
def test_strategies_that_are_too_fast_to_be_true(cheats, disk_folder):
    names = "one-byte-per-page", "rereads", "quarter-of-the-time"
    text = group("hot", "16M", "".join(case(f"cheats/{name}") for name in names))
    # One that is far behind another cheat after three replicates would be dropped.
    text = text.replace("[[group]]", "[[group]]\nto_the_end = true")
    found = until_sure(text, disk_folder, "cheats", budget=45)
    for each in found.cases:
        assert each.of_ceiling.lo > 1.1, each.case.variant
        assert not each.is_best and each.vs_best is None


@pytest.mark.long
@alone
def test_a_quarter_of_the_time_is_found_out_where_the_device_reads_too(cheats, disk_folder):
    text = group("cold", "16M", case("cheats/quarter-of-the-time"), '"cold"', "touch")
    until_sure(text, disk_folder, "cold-cheat", budget=90)


def test_a_sparse_file_in_its_place_leaves_the_device_idle(cheats, disk_folder):
    text = group("cold", "16M", case("cheats/sparse-file"), '"cold"')
    (found,) = report.make(measured(text, disk_folder, "sparse-cheat", budget=2)).groups
    (each,) = found.cases
    assert each.ns_per_op is None
    assert re.search(r"read 0 bytes from the device|none of its samples", each.failure)


@alone
@pytest.mark.long
def test_honest_strategies_stay_below_the_ceiling(disk_folder):
    """Of every language here, warm and cold; a share above 1 is within its own error."""
    ready, _ = preparing.prepare({}, print)
    names = [
        name
        for found in ready
        if found.runtime.runner != "fake"
        for name, each in found.runtime.strategies.items()
        if (each.role, each.operation, each.medium, each.unit, each.format, each.access)
        == ("contestant", "read", "file", "block", "plain", "sequential")
        and each.sums == "byte"
        and "touch" in each.consumes
        and not each.unavailable
        and ("block" in each.parameters or not each.parameters)
        and not each.needs.memory_per_file_byte  # those are far below, and slow
    ]

    text = group("honest", "8M", f"[[group.case]]\nstrategy = {names}\n", '["warm", "cold"]')
    run = measured(text, disk_folder, "honest", budget=600, warm_up=BRIEF, show=Until(3))
    made = report.make(run)
    if made.groups[0].ceiling is None:
        pytest.skip("no toolchain for a runner with ceilings")
    assert len(made.groups) == 2
    assert all(found.replicates >= 3 for found in made.groups), "fewer bound nothing"
    cases = [case for found in made.groups for case in found.cases]
    seen = [each for each in cases if each.of_ceiling and each.of_ceiling.n >= 3]  # others are void
    assert len(seen) > len(names), "most of them, warm and cold"
    for each in seen:
        assert not each.impossible and each.of_ceiling.center < 1.25, each.case.key


@pytest.mark.long
def test_an_ignored_parameter_is_without_effect_and_an_honest_one_is_not(cheats, disk_folder):
    names = ["go/file-read", "java/file-input-stream", "java/file-channel-direct", "rust/pread"]
    names = ["cheats/ignores-block", *names, "rust/file-read"]
    blocks = 'parameters = { block = ["32K", "128K", "1M"] }'
    sweeping = f"[[group.case]]\nstrategy = {names}\n{blocks}\n"
    made = report.make(measured(group("knobs", "4M", sweeping), disk_folder, "knobs"))
    (found,) = [each for of in comparables(made) for each in parameters_without_effect(of)]
    assert (found.strategy, found.parameter) == ("cheats/ignores-block", "block")
    assert found.values == (32 << 10, 128 << 10, 1 << 20)
    assert found.seen == pytest.approx(8192, rel=0.05)
