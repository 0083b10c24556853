"""What is advised, on cases whose times and precision a test sets; and what would be measured
where no run tells.
"""

from __future__ import annotations

import dataclasses
import io
import math
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

from iogauge.advice import choice as choosing
from iogauge.advice import covering, pooled
from iogauge.advice.recommendations import recommend
from iogauge.advice.study_to_run import first_study
from iogauge.advice.wanted import Wanted
from iogauge.analysis import report
from iogauge.analysis.groupreport import SetAnswer
from iogauge.claims.measured import comparables
from iogauge.commands import advising
from iogauge.decision.best import error_at
from iogauge.decision.comparison import Comparison
from iogauge.model.method import METHOD
from iogauge.model.plan import Group
from iogauge.model.strategy import Needs
from iogauge.model.workload import Conditions, Workload
from iogauge.outputs import advice
from iogauge.outputs.document import Advised
from iogauge.runfile.dataset import concatenate
from iogauge.runners import hints
from iogauge.statistics.intervals import Interval, interval
from tests.datasets import dataset
from tests.fake_study import Clock, faulty, group, measure, steady
from tests.reports import case_report, comparable, declared, parameter

REPORT = SimpleNamespace(run=SimpleNamespace(header=None), caveats=())
GROUP = SimpleNamespace(ceiling=None, noise_floor=0.01, provisional=False, tolerance=0.05)


def case(name: str, ns: float, effort: int = 2, **parameters: int):
    return case_report(name, ns, parameters=parameters, effort=effort)


def choose(*cases, width: float = 0.005, **group):
    return of_all(comparable(*cases, width=width), SimpleNamespace(**{**vars(GROUP), **group}))


def of_all(made, group=GROUP, answer=None):
    """What is chosen of cases whose pairs are typically as their centres."""

    def typical(case: int, reference: int) -> float | None:
        found = made.compare(case, reference)
        return None if found is None else found.center

    ways = list(range(len(made.entries)))
    return choosing.choose(REPORT, group, made, ways, typical, answer=answer)


def test_the_simplest_that_is_surely_near_the_best():
    found = choose(
        case("x/mapped", 100, 4), case("x/stream", 103, 2, block=65536), case("x/all", 180, 1)
    )
    assert found.choice.case.strategy == "x/stream" and found.sure
    assert found.fastest[0].case.strategy == "x/mapped" and found.fastest[
        1
    ].center == pytest.approx(100 / 103)
    assert found.simpler[0].case.strategy == "x/all" and found.simpler[1].center == pytest.approx(
        180 / 103
    )
    assert found.smaller is None


def test_among_equally_simple_ones_the_smallest_block():
    found = choose(
        case("x/stream", 150, block=8192),
        case("x/stream", 103, block=65536),
        case("x/stream", 100, block=1 << 20),
    )
    assert found.choice.case.parameters == {"block": 65536} and found.sure
    assert found.smaller[0].case.parameters == {"block": 8192} and found.smaller[
        1
    ].center == pytest.approx(150 / 103)


def test_what_is_only_perhaps_near_is_not_taken_where_another_surely_is():
    found = choose(case("x/easy", 104, 1), case("x/hard", 100, 4), width=0.03)
    assert found.choice.case.strategy == "x/hard"


def test_where_nothing_is_sure_it_is_the_fastest_so_far():
    found = choose(
        case("x/easy", 120, 1), case("x/middle", 106, 2), case("x/hard", 100, 4), width=0.2
    )
    assert found.choice.case.strategy == "x/hard" and not found.sure
    assert found.worst == pytest.approx(2.718281828**0.2 / 1.06, rel=1e-3)


def test_where_nothing_is_sure_what_is_simpler_is_taken_if_it_is_near_enough_so_far():
    found = choose(case("x/easy", 104, 1), case("x/hard", 100, 4), width=0.2)
    assert found.choice.case.strategy == "x/easy" and not found.sure
    assert (
        choose(case("x/easy", 106, 1), case("x/hard", 100, 4), width=0.2).choice.case.strategy
        == "x/hard"
    )


def test_a_bound_that_tells_nothing_is_not_told():
    """46500 times the time of another at most was said of a cold read in a JVM after three
    replicates.
    """

    def said(width: float) -> str:
        return advice._how_sure(choose(case("x/easy", 106, 1), case("x/hard", 100, 4), width=width))

    assert (
        "it may take up to 1.2x as long as the best" in said(0.2)
        and "it may take" not in said(8.0)
        and said(8.0).endswith(
            "the fastest of 2 ways compared so far; not sure yet after 12 repeats."
        )
    )


def test_a_narrow_interval_is_no_reason_where_nothing_is_sure():
    """What took less time is taken, though it takes more effort and another may lose less."""
    cases = case("x/easy", 110, 1), case("x/hard", 100, 4), case("x/other", 105, 4)
    made = comparable(*cases)
    bounds = {(0, 1): (0.9, 1.2), (0, 2): (0.9, 1.2), (1, 0): (0.8, 1.5), (1, 2): (0.8, 1.5)}
    uneven = dataclasses.replace(
        made,
        of_pair=lambda one, other, comparisons: dataclasses.replace(
            made.of_pair(one, other, comparisons),
            **dict(zip(("lo", "hi"), bounds.get((one, other), (0.5, 2.0)), strict=True)),
        ),
    )
    assert of_all(uneven).choice.case.strategy == "x/hard"


def test_what_took_longer_and_is_no_simpler_is_not_taken_for_its_narrower_interval():
    cases = case("x/lines", 90, 2), case("x/reader", 100, 2), case("x/mapped", 95, 4)
    made = comparable(*cases)

    def compare(one: int, other: int, comparisons: int):
        found, wide = made.of_pair(one, other, comparisons), 1.5 if 0 in (one, other) else 1.1
        return dataclasses.replace(
            found,
            lo=found.center / wide,
            hi=found.center * (wide if one == 1 else 2 * wide),
            outcome="undecided",
        )

    found = of_all(dataclasses.replace(made, of_pair=compare))
    assert found.choice.case.strategy == "x/lines" and not found.sure


def test_the_fastest_is_so_beside_the_others_and_not_by_its_own_time():
    """What was measured in one quiet replicate of three took less time there; beside the other it
    took longer.
    """
    cases = case("x/once", 90, 2), case("x/always", 100, 2)
    made = comparable(*cases)

    def compare(one: int, other: int, comparisons: int):
        center = 1.6 if one == 0 else 1 / 1.6
        return dataclasses.replace(
            made.of_pair(one, other, comparisons),
            center=center,
            lo=0.0,
            hi=math.inf,
            outcome="undecided",
        )

    assert of_all(dataclasses.replace(made, of_pair=compare)).choice.case.strategy == "x/always"


@pytest.mark.parametrize(
    ("replicates", "choice"),
    [
        ((1.1, 1.05, 1.08), "x/other"),
        ((1.1, 0.2, 1.08), "x/other"),
        ((0.95, 0.97, 5.0), "x/stream"),
    ],
)
def test_the_fastest_is_so_in_most_replicates(replicates, choice):
    """A single one in which the other took five times as long, or a fifth, tells nothing of what is
    typical, and may outweigh all others in a mean.
    """
    made = comparable(case("x/stream", 100), case("x/other", 100.001), width=0.9)
    log_ns = np.zeros((len(replicates), 1, 2))
    log_ns[:, 0, 0] = np.log(replicates)
    same = dataset(log_ns, [entry.measured.case for entry in made.entries], baseline=1)
    assert (
        choosing.choose(
            REPORT, GROUP, made, [0, 1], pooled.medians(made, same)
        ).choice.case.strategy
        == choice
    )


def test_of_equally_simple_ones_that_are_as_good_it_is_the_fastest():
    made = comparable(case("x/stream", 98), case("x/other", 100), case("x/hard", 100, 4), width=0.5)
    ratios = {(0, 1): 1.01, (1, 0): 1 / 1.01, (0, 2): 1.015, (1, 2): 1.005}
    found = choosing.choose(
        REPORT,
        GROUP,
        made,
        [0, 1, 2],
        lambda case, reference: ratios.get(
            (case, reference), 1 / ratios.get((reference, case), 1.0)
        ),
    )
    assert found.choice.case.strategy == "x/other"


def test_who_is_ahead_on_average_but_not_in_most_replicates_is_told():
    """Tables go by the interval's centre: what leads there and is not advised is named, with why."""
    made = comparable(case("x/stream", 100), case("x/mapped", 95), width=0.5)
    found = choosing.choose(
        REPORT, GROUP, made, [0, 1], lambda case, reference: 0.9 if case == 0 else 1 / 0.9
    )
    assert (
        found.choice.case.strategy,
        found.leads,
        found.in_most,
        found.fastest[0].case.strategy,
    ) == ("x/stream", True, False, "x/mapped")
    found = choosing.choose(
        REPORT, GROUP, made, [0, 1], lambda case, reference: 1.01 if case == 0 else 1 / 1.01
    )
    assert (found.choice.case.strategy, found.leads) == ("x/mapped", True) and found.fastest is None


def test_a_way_that_is_several_things_is_named_once():
    found = choosing.choose(
        REPORT,
        GROUP,
        comparable(case("x/stream", 100), case("x/mapped", 95), width=0.5),
        [0, 1],
        lambda one, reference: 0.9 if one == 0 else 1 / 0.9,
    )
    (line,) = advice.others(found)
    assert line.startswith(
        "Faster on average, not in most repeats: x/mapped takes 0.576-1.6x as long."
    )
    assert advice.others(dataclasses.replace(found, simpler=found.fastest)) == [
        line.replace("repeats:", "repeats, and simpler:")
    ]
    other = dataclasses.replace(
        found.fastest[0], case=found.choice.case, strategy=found.choice.strategy
    )
    assert [
        each.partition(":")[0]
        for each in advice.others(dataclasses.replace(found, smaller=(other, found.fastest[1])))
    ] == ["Faster on average, not in most repeats", "Smaller"]


def test_what_others_cost_is_told_against_the_fastest_as_show_does():
    """`show` said `over 1.7x` of what `advise` said takes over 1.1x as long: as the choice."""
    found = choose(case("x/all", 300, 1), case("x/stream", 103), case("x/hard", 100, 4))
    assert found.choice.case.strategy == "x/stream"
    best = Comparison(2, 1, 1.7, 1.5, 2.4, 9, "slower", False)
    behind = dataclasses.replace(found.simpler[0], vs_best=best, is_best=False)
    choice = dataclasses.replace(found.choice, is_best=False)
    found = dataclasses.replace(found, choice=choice, simpler=(behind, found.simpler[1]))
    says = "Simpler: x/all takes 1.5-2.4x as long as the fastest."
    assert says in advice.others(found)
    assert says not in advice.others(dataclasses.replace(found, runs=2)), "runs are pooled"
    leading = dataclasses.replace(choice, is_best=True)
    assert says not in advice.others(dataclasses.replace(found, choice=leading))


def test_ways_that_differ_in_one_value_show_it_at_its_default_too():
    large, usual = case("x/lines", 100, buffer=65536), case("x/lines", 101, buffer=8192)
    made = comparable(large, usual)
    smaller = usual, made.compare(1, 0)
    found = dataclasses.replace(of_all(made), choice=large, smaller=smaller)
    assert any(each.startswith("Smaller: x/lines 8K takes") for each in advice.others(found))


def test_what_is_simpler_and_hardly_slower_is_not_called_the_fastest():
    simpler, fastest = (
        choose(case("x/easy", ns, 1), case("x/hard", 100, 4), width=8.0) for ns in (101.5, 99)
    )
    assert (
        simpler.choice.case.strategy == fastest.choice.case.strategy == "x/easy"
        and not simpler.leads
        and fastest.leads
    )
    assert advice._how_sure(simpler).startswith(
        "simpler, and so far within 5 % of the fastest of 2"
    ) and advice._how_sure(fastest).startswith("the fastest of 2")


def test_bounds_that_tell_nothing_are_not_told():
    """0.00370 to 796 times was said of a smaller buffer."""
    wide, narrow = (
        choose(case("x/easy", 120, 1), case("x/hard", 100, 4), width=width).simpler[1]
        for width in (8.0, 0.2)
    )
    assert (
        advice._cost(wide) == "about 1.2x as long (not sure yet)"
        and advice._cost(narrow) == "0.982-1.5x as long"
    )


def test_what_is_sure_follows_from_the_intervals_whatever_the_noise_floor():
    """`show` said to use a way of which `advise` was not sure: its noise floor was above the
    tolerance, as that of nearly every short run is.
    """
    cases = case("x/a", 100), case("x/b", 150)
    assert choose(*cases, noise_floor=0.15).sure and choose(*cases, noise_floor=None).sure
    assert not choose(*cases, width=0.5, noise_floor=0.001).sure


def test_of_one_run_the_choice_is_the_one_that_analysis_recommends():
    """Its intervals are of comparisons with the best, and narrower than those of all pairs."""
    easy, hard = case("x/easy", 104, 1), case("x/hard", 100, 4)
    answer = SetAnswer((easy, hard), hard, easy, (hard,), (), (), {easy.case.key: 1.04}, 0.1)
    made = comparable(easy, hard, width=0.3)
    assert not of_all(made).sure, "by pairs, nothing is"
    found = of_all(made, answer=answer)
    assert found.choice is easy and found.sure and found.worst == 1.04
    unsure = dataclasses.replace(answer, recommended=None, at_most={hard.case.key: 1.4})
    found = of_all(comparable(easy, hard), answer=unsure)
    assert found.choice is hard and not found.sure and found.worst == 1.4


def test_show_and_advise_recommend_the_same(measured, may_be_advised):
    for each in recommend(measured, Wanted(cache="warm")).values():
        told = each.group.answers[each.choice.rank_set]
        assert each.sure == (told.recommended is not None)
        assert not each.sure or each.choice is told.recommended
        ways = each.group.answer_of(told.members)
        assert (ways.recommended, ways.best) == (told.recommended, told.best)
        assert each.group.answer_of([told.best]).members == (told.best,)


def test_what_is_good_enough_is_what_the_run_asked_for():
    cases = case("x/easy", 108, 1), case("x/hard", 100, 4)
    strict, usual = (choose(*cases, tolerance=each) for each in (0.05, 0.1))
    assert strict.choice.case.strategy == "x/hard"
    assert usual.choice.case.strategy == "x/easy" and usual.sure
    assert advice._how_sure(usual) == "as fast as anything (within 10 %) of 2 ways compared."


def test_what_was_settled_is_no_choice_and_makes_nobody_unsure():
    """A settled pair has no upper bound; neither has one that was measured too seldom."""
    behind = dataclasses.replace(case("x/easy", 320, 1), eliminated=True)
    cases = behind, case("x/stream", 100), case("x/other", 120)
    made = comparable(*cases)

    def compare(one: int, other: int, comparisons: int):
        found = made.of_pair(one, other, comparisons)
        return dataclasses.replace(found, hi=math.inf) if 0 in (one, other) else found

    found = of_all(dataclasses.replace(made, of_pair=compare))
    assert (
        found.choice.case.strategy == "x/stream"
        and found.sure
        and found.simpler[0].case.strategy == "x/easy"
    )


def test_what_was_settled_against_something_else_is_no_reason_to_be_sure():
    """The best of the group need not be one that may be advised: two that are far behind it can be
    as fast as one another.
    """
    behind = dataclasses.replace(case("x/easy", 320, 1), eliminated=True)
    cases = behind, case("x/stream", 290, 2)
    made = comparable(*cases)

    def compare(one: int, other: int, comparisons: int):
        return dataclasses.replace(
            made.of_pair(one, other, comparisons), lo=0.0, hi=math.inf, outcome="undecided"
        )

    found = of_all(dataclasses.replace(made, of_pair=compare))
    assert found.choice.case.strategy == "x/stream" and not found.sure and found.worst == math.inf


def test_what_could_not_be_compared_is_left_out_and_counted():
    cases = case("x/seldom", 90, 1), case("x/stream", 100), case("x/other", 150)
    made = comparable(*cases)
    known = dataclasses.replace(
        made,
        of_pair=lambda one, other, comparisons: (
            None if 0 in (one, other) else made.of_pair(one, other, comparisons)
        ),
    )
    found = of_all(known)
    assert found.choice.case.strategy == "x/stream" and (found.among, found.uncompared) == (2, 1)


def test_where_nothing_is_bounded_it_is_the_fastest_so_far():
    cases = case("x/easy", 300, 1), case("x/stream", 100, 2)
    made = comparable(*cases)
    unknown = dataclasses.replace(made, of_pair=lambda one, other, comparisons: None)
    found = of_all(unknown)
    assert found.choice.case.strategy == "x/stream" and not found.sure and found.worst == math.inf
    assert (found.fastest, found.simpler, found.smaller) == (None, None, None)


MEMORY = 8 << 30
BLOCK = {"block": parameter("block")}
BUFFER = {"buffer": parameter("buffer", default=4096, min=16)}
GO = SimpleNamespace(
    name="go-1",
    strategies={
        each.name: each
        for each in (
            declared("go/file-read", parameters=BLOCK),
            declared("go/bufio-read", parameters={**BLOCK, **BUFFER}),
            declared("go/read-file", unit="file", effort=1, needs=Needs(memory_per_file_byte=1)),
            declared("go/bufio-scanner-line", unit="line", sums="line-byte", parameters=BUFFER),
            declared(
                "go/bufio-reader-line",
                unit="line",
                sums="line-byte",
                parameters=BUFFER,
                unavailable="not here",
            ),
            declared(
                "go/file-write",
                operation="write",
                modes=("truncate",),
                durabilities=("none", "fsync"),
                parameters=BLOCK,
            ),
            declared(
                "go/write-file",
                operation="write",
                unit="file",
                modes=("truncate",),
                durabilities=("none",),
            ),
            declared(
                "go/bufio-write",
                operation="write",
                modes=("truncate",),
                durabilities=("none", "fsync"),
                parameters={**BLOCK, **BUFFER},
            ),
            declared("go/no-hint-for-this"),
            *(
                declared(f"go/random-{way}", access="random", parameters=BLOCK)
                for way in ("read", "mapped")
            ),
            declared("go/picky", parameters={"block": parameter("block", min=512)}),
        )
    },
)


RANDOM = {"go/random-read", "go/random-mapped"}


@pytest.fixture(autouse=True)
def picky_and_random_ones_may_be_advised(monkeypatch):
    known = hints.all_names()
    monkeypatch.setattr(hints, "all_names", lambda: known | {"go/picky", *RANDOM})


def rows(wanted: Wanted) -> dict[str, dict[str, list[int]]]:
    (asked,) = first_study(wanted, [GO], MEMORY, 20).group
    return {name: each.parameters for each in asked.case for name in each.strategy}


def test_what_is_measured_where_no_run_tells():
    assert rows(Wanted(cache="warm")) == {
        "go/file-read": {"block": [8192, 131072, 1 << 20]},
        "go/picky": {"block": [8192, 131072, 1 << 20]},
        "go/read-file": {},
    }
    assert rows(Wanted(cache="warm", size=10_000))["go/file-read"] == {"block": [8192]}
    assert rows(Wanted(cache="warm", unit="line")) == {
        "go/bufio-scanner-line": {"buffer": [4096, 65536, 1 << 20]}
    }
    assert rows(Wanted(cache="warm", record=100))["go/bufio-read"] == {
        "block": [100],
        "buffer": [4096, 65536, 1 << 20],
    }
    writing = Wanted(operation="write", durability="none", record=100)
    assert rows(writing) == {
        "go/file-write": {"block": [100]},
        "go/bufio-write": {"block": [100], "buffer": [4096, 65536, 1 << 20]},
    }
    assert "go/write-file" not in rows(
        dataclasses.replace(writing, record=None, durability="fsync")
    )
    assert first_study(Wanted(cache="warm", language="java"), [GO], MEMORY, 20) is None
    name = "rust/read-to-string"
    strategies = {name: declared(name, unit="file", sums="codepoint")}
    one_way = [GO, SimpleNamespace(name="rust-1", strategies=strategies)]
    assert first_study(Wanted(cache="warm", unit="char"), one_way, MEMORY, 20) is None


def test_of_random_access_the_places_and_the_pieces_are_measured():
    wanted = Wanted(cache="warm", access="random", record=4096)
    assert rows(wanted) == {name: {"block": [4096]} for name in RANDOM}
    assert rows(Wanted(cache="warm")).keys().isdisjoint(RANDOM)
    for length, accesses in ((1 << 20, 256), (100_000, 24)):
        study = first_study(dataclasses.replace(wanted, size=length), [GO], MEMORY, 20)
        assert study.group[0].accesses == [accesses]


def test_what_cannot_be_is_left_out():
    """A piece that the API does not take, a file that does not fit into memory, a durability that
    an API does not offer; those that need nothing of the API stay.
    """
    assert "go/picky" in rows(Wanted(cache="warm")) and "go/picky" not in rows(
        Wanted(cache="warm", record=100)
    )
    assert rows(Wanted(cache="cold", size=2 << 30)).keys() == {"go/file-read", "go/picky"}
    assert "go/write-file" in rows(
        Wanted(operation="write", durability="sync-inode")
    ) and "go/write-file" not in rows(Wanted(operation="write", durability="fsync"))


AT_RANDOM = {"size": 8192, "accesses": 2, "access_bytes": 4096}
RANDOM_4K = {"access": "random", "record": 4096}


def plan_of(group: Group):
    names = (
        sorted(RANDOM)
        if group.workload.accesses
        else ["go/file-read", "go/read-file"]
        if group.workload.operation == "read"
        else ["go/file-write", "go/write-file"]
    )
    cases = tuple(
        SimpleNamespace(
            strategy=name,
            runtime="go-1",
            language="go",
            parameters={"block": group.workload.access_bytes} if group.workload.accesses else {},
            key=name,
            workload=group.workload,
        )
        for name in names
    )
    return SimpleNamespace(groups=[group], cases=cases, published=None)


@pytest.mark.parametrize(
    ("workload", "conditions", "wanted", "covers"),
    [
        ({"size": 100}, {"cache": "warm"}, {"cache": "warm", "size": 100}, 0.0),
        ({"size": 100}, {"cache": "warm"}, {"cache": "warm"}, 0.0),
        (
            {"size": 100},
            {"cache": "warm"},
            {"cache": "warm", "size": 150},
            pytest.approx(0.405, abs=0.001),
        ),
        ({"size": 100}, {"cache": "warm"}, {"cache": "warm", "size": 250}, None),
        ({"size": 0}, {"cache": "warm"}, {"cache": "warm"}, None),
        (
            {"size": 100, "operation": "write", "mode": "append"},
            {"durability": "none"},
            {"operation": "write", "durability": "none"},
            None,
        ),
        ({"size": 100}, {"cache": "cold"}, {"cache": "warm"}, None),
        ({"size": 100, "consume": "none"}, {"cache": "warm"}, {"cache": "warm"}, None),
        ({"size": 100, "content": "own"}, {"cache": "warm"}, {"cache": "warm"}, None),
        ({"size": 100, "medium": "memory"}, {"cache": "warm"}, {"cache": "warm"}, None),
        ({"size": 100}, {"cache": "warm"}, {"cache": "warm", "language": "java"}, None),
        (AT_RANDOM, {"cache": "warm"}, {"cache": "warm"}, None),
        ({"size": 8192}, {"cache": "warm"}, {"cache": "warm", **RANDOM_4K}, None),
        (AT_RANDOM, {"cache": "warm"}, {"cache": "warm", **RANDOM_4K}, 0.0),
        (AT_RANDOM, {"cache": "warm"}, {"cache": "warm", **RANDOM_4K, "record": 8192}, None),
        ({"size": 100}, {"cache": "warm"}, {"cache": "warm", "unit": "line"}, None),
    ],
)
def test_which_groups_cover_a_workload(workload, conditions, wanted, covers):
    group = Group(
        id="g",
        question="?",
        workload=Workload(**workload),
        conditions=Conditions(**conditions),
        cases=(0, 1),
        baseline=0,
        control=None,
        rounds=1,
    )
    assert covering.distance(plan_of(group), [GO], Wanted(**wanted)) == covers


def test_small_blocks_are_another_workload_unless_they_are_asked_for():
    group = Group(
        id="g",
        question="?",
        workload=Workload(size=1 << 20),
        conditions=Conditions(cache="warm"),
        cases=(0, 1, 2),
        baseline=0,
        control=None,
        rounds=1,
    )
    cases = tuple(
        SimpleNamespace(
            strategy="go/file-read",
            runtime="go-1",
            language="go",
            parameters={"block": block},
            workload=group.workload,
        )
        for block in (1, 100, 8192)
    )
    plan = SimpleNamespace(groups=[group], cases=cases, published=None)
    assert covering.advisable(plan, group, [GO], Wanted(cache="warm")) == [2]
    assert covering.advisable(plan, group, [GO], Wanted(cache="warm", record=100)) == [1]


@pytest.mark.parametrize(
    ("wanted", "title", "options"),
    [
        (Wanted(cache="warm", size=16 << 20), "read a file of 16 MiB, cached", "--size 16M"),
        (
            Wanted("java", "read", "line", 500, "cold", own=True),
            "read your file of 500 B line by line, from disk, in Java",
            "--language java --unit line --cache cold",
        ),
        (
            Wanted("go", "write", "byte", None, None, "fsync", 100),
            "write a file in pieces of 100 B, made durable by fsync, in Go",
            "--language go --operation write --durability fsync --record 100",
        ),
        (
            Wanted(None, "write", "char", 1024, None, "none", 60),
            "write a file of 1 KiB as text in pieces of 60 characters, not made durable",
            "--operation write --unit char --size 1K --record 60",
        ),
        (
            Wanted("rust", "copy", "byte", None, "warm", "none"),
            "copy a file, cached, not made durable, in Rust",
            "--language rust --operation copy",
        ),
        (
            Wanted(cache="cold", size=1 << 20, record=4096, access="random"),
            "read a file of 1 MiB in pieces of 4 KiB at random places, from disk",
            "--cache cold --access random --size 1M --record 4K",
        ),
    ],
)
def test_a_workload_in_words_and_in_options(wanted, title, options):
    assert wanted.title == title and " ".join(wanted.options) == options


def test_a_language_is_sure_where_all_its_runtimes_are():
    def advice(language: str, sure: bool):
        return SimpleNamespace(
            sure=sure, choice=SimpleNamespace(case=SimpleNamespace(language=language))
        )

    assert advising.sure_languages(
        [advice("java", True), advice("java", False), advice("go", True)]
    ) == {"go"}


@pytest.fixture(scope="module")
def measured(fake, tmp_path_factory):
    """Two groups of bytes on the fake runner, whose strategies may be advised."""
    text = group(steady(20, 40), size="64K") + group(
        steady(40, 20, 60) + faulty("later-wrong-sum"), size="128K", identifier="large"
    )
    return report.make(measure(text, fake, tmp_path_factory.mktemp("advise"), seed=1).run)


@pytest.fixture
def may_be_advised(monkeypatch):
    monkeypatch.setattr(hints, "all_names", lambda: {"fake/steady", "fake/later-wrong-sum"})
    monkeypatch.setattr(hints, "of_case", lambda case: None)


@pytest.mark.parametrize(
    ("wanted", "nearest"),
    [
        (64 << 10, "fakes"),
        (90 << 10, "fakes"),
        (100 << 10, "large"),
        (200 << 10, "large"),
        (None, "fakes"),
    ],
)
def test_advice_is_from_the_group_nearest_in_size(measured, may_be_advised, wanted, nearest):
    (advice,) = recommend(measured, Wanted(cache="warm", size=wanted)).values()
    assert advice.group.id.startswith(nearest) and advice.choice.case.parameters["speed"] == 20
    assert advice.among == (2 if nearest == "fakes" else 3), (
        "what failed is not advised, nor compared"
    )


@pytest.mark.parametrize(
    "wanted",
    [
        {"size": 300 << 10},
        {"cache": "cold"},
        {"unit": "line"},
        {"own": True},
        {"language": "other"},
        {"operation": "write", "cache": None},
    ],
)
def test_there_is_no_advice_for_what_was_not_measured(measured, may_be_advised, wanted):
    assert not recommend(measured, Wanted(**{"cache": "warm", **wanted}))


def test_there_is_no_advice_where_no_verdict_rests_on_a_group(measured, may_be_advised):
    alarmed = dataclasses.replace(
        measured,
        groups=tuple(dataclasses.replace(each, suspended=True) for each in measured.groups),
    )
    assert not recommend(alarmed, Wanted(cache="warm"))


def test_what_seems_faster_than_the_machine_is_left_out_and_told(measured, may_be_advised):
    def with_share(fast: Interval):
        (found,) = recommend(
            dataclasses.replace(
                measured,
                groups=tuple(
                    dataclasses.replace(
                        each,
                        cases=tuple(
                            dataclasses.replace(case, of_ceiling=fast)
                            if case.case.parameters.get("speed") == 20
                            else case
                            for case in each.cases
                        ),
                    )
                    for each in measured.groups
                ),
            ),
            Wanted(cache="warm", size=128 << 10),
        ).values()
        return found

    left_out = with_share(Interval(1.5, 1.2, 1.8, 3))
    assert left_out.choice.case.parameters["speed"] == 40 and (
        left_out.among,
        left_out.beyond_ceiling,
    ) == (2, 1)
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(advice.render(Advised(Wanted(), (left_out,), None)))
    assert "1 more left out: faster than this machine's limit" in console.export_text()
    assert with_share(Interval(1.5, 1.05, 2.0, 3)).choice.case.parameters["speed"] == 20, (
        "not surely"
    )


def test_one_way_alone_is_no_advice(measured, monkeypatch):
    monkeypatch.setattr(hints, "all_names", lambda: {"fake/later-wrong-sum"})
    assert not recommend(measured, Wanted(cache="warm"))


def noisy(fake, folder, seed: int, size: str = "64K"):
    """A run that is too short to be sure which of two ways is the faster one."""
    text = group(steady(100, 103, 300, scatter=100), size=size)
    return report.make(
        measure(
            text, fake, folder, seed=seed, name=f"run-{seed}", clock=Clock(step=0.01), budget=0.6
        ).run
    )


def test_where_no_run_is_sure_the_replicates_of_all_that_measured_the_same_tell(
    fake, tmp_path, may_be_advised
):
    runs = [noisy(fake, tmp_path, seed) for seed in range(1, 5)]
    wanted = Wanted(cache="warm", size=64 << 10)
    known = rows_of(*runs)
    (alone,), (together,) = (
        recommend(runs[0], wanted, others).values() for others in (None, known)
    )
    assert (alone.runs, together.runs) == (1, 4) and not alone.sure
    assert together.worst < alone.worst
    first = comparables(runs[0])[0]
    pair = pooled.together(first, pooled.the_same(known, 0)).compare(0, 1)
    keys = [entry.measured.case.key for entry in first.entries[:2]]
    each_run = [each.dataset.paired(*keys) for each in runs]
    assert pair.replicates == sum(map(len, each_run)) > 3 * first.compare(0, 1).replicates
    ratios = np.concatenate(each_run)
    known = interval(ratios, float(error_at(len(ratios))) / 3)  # of three pairs
    assert (pair.center, pair.lo, pair.hi) == pytest.approx(
        (math.exp(known.center), math.exp(known.lo), math.exp(known.hi))
    )


def rows_of(*reports):
    return concatenate([each.dataset for each in reports])


def with_host(made, **facts):
    header = made.run.header
    return dataclasses.replace(
        made,
        run=SimpleNamespace(
            plan=made.run.plan, header=header.model_copy(update={"host": {**header.host, **facts}})
        ),
    )


def test_runs_of_another_build_machine_method_or_workload_tell_nothing(
    fake, tmp_path, may_be_advised
):
    first, second = (noisy(fake, tmp_path, seed) for seed in (1, 2))
    wanted = Wanted(cache="warm", size=64 << 10)
    header = second.run.header
    runtimes = tuple(each.model_copy(update={"build": "other"}) for each in header.runtimes)
    rebuilt = dataclasses.replace(
        second,
        run=SimpleNamespace(
            plan=second.run.plan, header=header.model_copy(update={"runtimes": runtimes})
        ),
    )
    elsewhere = with_host(second, identity="another")
    on_another_disk = with_host(second, file_system="another")
    method = METHOD.model_copy(update={"prelude": 0.009})
    otherwise = dataclasses.replace(
        second,
        run=SimpleNamespace(
            plan=second.run.plan, header=header.model_copy(update={"method": method})
        ),
    )
    other_size = noisy(fake, tmp_path, 3, "96K")
    for other, runs in (
        (second, 2),
        (rebuilt, 1),
        (elsewhere, 1),
        (on_another_disk, 1),
        (otherwise, 1),
        (other_size, 1),
        (first, 1),
    ):
        (advice,) = recommend(first, wanted, rows_of(first, other)).values()
        assert advice.runs == runs
    unknown = [with_host(each, identity=None) for each in (first, second)]
    found = recommend(unknown[0], wanted, rows_of(*unknown)).values()
    assert [advice.runs for advice in found] == [1], (
        "what is not known to be the same machine is none"
    )


def test_copies_of_a_run_tell_no_more_than_it(fake, tmp_path, may_be_advised):
    """Whatever their files are called, and though they were cut short: two replicates named
    fourteen times had become an answer.
    """
    first, second = (noisy(fake, tmp_path, seed) for seed in (1, 2))
    copies = [dataclasses.replace(each) for each in (first, second, first, second)]
    wanted = Wanted(cache="warm", size=64 << 10)
    (advice,) = recommend(first, wanted, rows_of(*copies)).values()
    assert advice.runs == 2
    paths = [tmp_path / "copies" / f"{number}.jsonl" for number in range(3)]
    paths[0].parent.mkdir()
    for path in paths:
        path.write_bytes((tmp_path / "run-1.jsonl").read_bytes())
    (once,), (thrice,) = (
        advising.advice_of(some, Wanted(cache="warm", size=64 << 10), named=True).values()
        for some in (paths[:1], paths)
    )
    assert (thrice.runs, thrice.worst) == (1, once.worst)


def test_every_run_that_is_named_is_read(fake, tmp_path, may_be_advised, monkeypatch):
    for seed in (1, 2, 3):
        noisy(fake, tmp_path, seed)
    monkeypatch.setattr(advising, "_MOST_RUNS", 2)
    paths = sorted(tmp_path.rglob("*.jsonl"))
    assert len(paths) == 3
    for named, runs in ((True, 3), (False, 2)):
        (advice,) = advising.advice_of(
            paths, Wanted(cache="warm", size=64 << 10), named=named
        ).values()
        assert advice.runs == runs


def test_many_languages_have_a_line_each_and_the_fastest_their_code(measured, may_be_advised):
    (one,) = recommend(measured, Wanted(cache="warm", size=128 << 10)).values()

    def of(language: str, ns: float):
        case = one.choice.case.model_copy(update={"strategy": f"{language}/read"})
        level = dataclasses.replace(one.choice.ns_per_op, center=ns)
        choice = dataclasses.replace(one.choice, case=case, ns_per_op=level)
        return dataclasses.replace(one, choice=choice, hint=f"code of {language}")

    def shown(*found) -> str:
        console = Console(width=80, record=True, file=io.StringIO())
        console.print(advice.render(Advised(Wanted(), found, None)))
        return console.export_text()

    several = shown(of("slow", 9e6), of("quick", 1e6), of("fair", 2e6), of("poor", 3e6))
    lines = [line.split()[0] for line in several.splitlines() if line.endswith("B/s")]
    assert lines == ["Quick", "Fair", "Poor", "Slow"]
    assert "code of poor" in several and "code of slow" not in several
    assert "--language quick|fair|poor|slow" in several and "Measured:" not in several
    two = shown(of("slow", 9e6), of("quick", 1e6))
    assert "Slow: use " in two and two.count("Measured:") == 2 and "code of slow" in two
    assert "\nUse " in shown(of("slow", 9e6))
