"""Two versions of the same against each other: planned, ordered, decided and shown."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from iogauge.commands import gating
from iogauge.commands.gating import Gate
from iogauge.decision import group as groups
from iogauge.decision.comparison import Comparison
from iogauge.decision.group import GroupQuestion
from iogauge.decision.proof import Proved, proof_of
from iogauge.decision.versions import VersionQuestion, gate_of, kind_with_failures
from iogauge.model.errors import UserError
from iogauge.model.plan import Versions
from iogauge.outputs import differences
from iogauge.outputs.differences import Difference, Differences, Question
from iogauge.outputs.html import differences as drawing
from iogauge.planning import options, order
from iogauge.runners.finding import Choice
from iogauge.statistics.intervals import share_of
from tests import reports
from tests.scripts import module_at
from tests.simulated import quiet
from tests.unit.test_plan import BOTH, GO, JVM, MIB, WHOLE, group, make, strategy

OLD = JVM.model_copy(update={"name": "jvm-old"})
NEW = JVM.model_copy(update={"name": "jvm-new"})
ASKED = Versions(old="old", new="new", max_slowdown=0.05)
HERE = (OLD, NEW, GO)
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def planned(text=BOTH + WHOLE, runtimes=HERE, **more):
    return make(group(text), runtimes, versions=ASKED, **more)


def test_a_plan_has_both_versions_of_each_way_and_nothing_else():
    made = planned()
    assert made.versions == ASKED
    for each in made.groups:
        assert len(each.pairs) == 4 and not each.ceilings
        for pair in each.pairs:
            old, new = made.cases[pair.old], made.cases[pair.new]
            assert (old.runtime, new.runtime) == ("jvm-old", "jvm-new")
            assert old.key_without_runtime == new.key_without_runtime
        assert made.cases[each.baseline].runtime == "jvm-old"
        assert {case for pair in each.pairs for case in pair} | {each.control} == {*each.cases}
    assert not make(group(BOTH), HERE).groups[0].pairs
    assert [(each.what, each.why) for each in made.skipped] == [
        ("go/*", "only what both old and new have is compared")
    ]


def test_what_only_one_version_has_is_left_out_and_said():
    strategies = {name: each for name, each in NEW.strategies.items() if name != "java/whole"}
    made = planned(runtimes=(OLD, NEW.model_copy(update={"strategies": strategies}), GO))
    assert ("java/whole", "it is only in old") in [(each.what, each.why) for each in made.skipped]
    assert all(each.strategy != "java/whole" for each in made.cases)
    with pytest.raises(UserError, match="nothing to measure: go/\\*: only what both"):
        planned('[[group.case]]\nstrategy = "go/whole"\n')


def test_two_functions_may_have_different_names():
    one, two = (
        reports.runtime("fake-1", [strategy(f"fake/{name}", parameters=())]).model_copy(
            update={"name": f"fake-{label}"}
        )
        for name, label in (("load", "old"), ("load-fast", "new"))
    )
    text = '[[group.case]]\nstrategy = ["fake/load", "fake/load-fast"]\n'
    (found,) = make(group(text, cache='"warm"'), (one, two), versions=ASKED).groups
    assert len(found.pairs) == 1


def test_versions_follow_one_another_in_each_order_equally_often():
    made = planned()
    (first, *_), orders = made.groups, order.RoundOrders(made)
    rounds = [orders.next(0, first.cases) for _ in range(96)]
    unit = {case: pair.old for pair in first.pairs for case in pair}
    unit[first.control] = first.baseline
    within, places = Counter(), Counter()
    for each in rounds:
        assert sorted(each) == sorted(first.cases)
        blocks = [[*cases] for _, cases in itertools.groupby(each, unit.__getitem__)]
        assert len(blocks) == len(first.pairs)
        within.update(tuple(block) for block in blocks)
        places.update((unit[block[0]], place) for place, block in enumerate(blocks))
    assert len(within) == 3 * 2 + 6, "two orders of each pair, six of that with the control"
    for one, many in ((2, 48), (3, 16)):
        assert {within[each] for each in within if len(each) == one} == {many}
    assert set(places.values()) == {24}
    again = order.RoundOrders(made, [(0, each) for each in rounds[:7]])
    assert [again.next(0, first.cases) for _ in range(5)] == rounds[7:12]


def test_both_versions_are_in_one_part_of_a_replicate():
    made = planned(memory=2 * (256 + 64) * 5 * MIB)
    memory = options.fork_memory_mib(made, [OLD, NEW])
    (bundle,) = made.bundles
    cases = [case for each in made.groups for case in each.cases]
    cut = order.parts(made, bundle, 0, cases, memory)
    assert len(cut) > 1 and set().union(*cut) == set(cases)
    for part, each in itertools.product(cut, made.groups):
        assert each.baseline in part, "which links the parts"
        assert all(pair.old in part for pair in each.pairs if pair.new in part)
        others = [pair for pair in each.pairs if pair.old != each.baseline]
        assert all(pair.new in part for pair in others if pair.old in part)


# what is decided


def decided(ratios, allowed: float | None = 0.05, replicates=12, noise=0.003, pairs=None, **more):
    """Of cases at these ratios to case 0: old and new of each pair, then the control."""
    log_ns = quiet(ratios, replicates=replicates, noise=noise, **more)
    cases = len(ratios) - 1
    both = pairs or tuple((at, at + 1) for at in range(0, cases, 2))
    question = GroupQuestion(
        {"old": range(0, cases, 2), "new": range(1, cases, 2)},
        0,
        cases,
        precision=0.03,
        tolerance=0.1,
        versions=VersionQuestion(both, allowed, len(both)),
    )
    return groups.decide(log_ns, question, None)


def test_a_pair_is_slower_not_slower_or_undecided():
    found = decided([1, 1.2, 3, 3.02, 5, 5.25, 1])
    slower, not_slower, open_ = found.versions
    assert [each.kind for each in found.versions] == ["slower", "not slower", "undecided"]
    assert slower.comparison and slower.comparison.lo > 1.05 and not slower.open
    assert not_slower.comparison and not_slower.comparison.hi <= 1.05
    assert open_.open and set(found.live) == {0, 4, 5, 6}, "with the baseline and its control"
    assert set(found.still_open) == {0, 4, 5, 6}, "each of them in each round"
    assert not found.eliminated and not found.open_pairs and not found.done
    assert decided([1, 1.2, 3, 3.02, 1]).done


def test_without_anything_allowed_a_pair_is_told_apart_or_known_precisely():
    found = decided([1, 1.04, 3, 3.0, 5, 4.5, 1], allowed=None)
    outcomes = [each.comparison.outcome for each in found.versions if each.comparison]
    assert outcomes == ["slower", "same", "faster"] and found.done
    noisy = decided([1, 1.02, 1], allowed=None, noise=0.03, replicates=4)
    assert noisy.versions[0].open and noisy.versions[0].needed and not noisy.done


def test_nothing_is_slower_where_identical_code_differs():
    (found,) = decided([1, 1.2, 1.08]).versions
    assert found.kind == "undecided" and found.control_differs and found.open
    (same,) = decided([1, 0.5, 1.08]).versions
    assert same.kind == "not slower", "far less than the control differs by"


def test_without_a_control_nothing_is_decided():
    log_ns = quiet([1, 1.2, 1, 0.5], replicates=12, noise=0.003)
    versions = VersionQuestion(((0, 1), (2, 3)), 0.05, 2)
    question = GroupQuestion({"all": range(4)}, 0, None, 0.03, 0.1, versions=versions)
    found = groups.decide(log_ns, question, None).versions
    assert [each.kind for each in found] == ["undecided", "undecided"]


def test_how_many_more_repeats_are_needed_is_told_where_it_can_be():
    (near,) = decided([1, 1, 1], noise=0.03, replicates=6).versions
    assert near.open and near.needed and near.needed > 6
    (at,) = decided([1, 1.05, 1], noise=0.02, replicates=8).versions
    assert at.open and (at.needed is None or at.needed > 8)
    (first,) = decided([1, 1.2, 1], replicates=2).versions
    assert first.needed == 3 and first.kind == "undecided"


def test_gates_err_as_rarely_as_they_say_and_find_what_is_planted(monkeypatch):
    """Many looks at each; the truth is known. `benchmarks/simulate_gate.py` has many more."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    simulate = module_at(BENCHMARKS / "simulate_gate.py")
    variance = simulate.typical_variance("normal")

    def counted(truth, gates=24):
        setting = simulate.Setting("normal", 2, truth, 1.0, 24)
        rng = np.random.default_rng(7)
        return Counter(simulate.one(rng, setting, variance) for _ in range(gates))

    same = counted("same, 0 %")
    assert share_of(same["slower"], 24)[0] <= 0.05
    assert counted("same, 5 %")["not slower"] >= 18
    assert counted("+10 %, 5 %")["slower"] >= 18


def test_the_gate_is_the_first_of_slower_failed_undecided_and_not_slower():
    assert gate_of(["not slower", "undecided", "fails in both", "slower"]) == "slower"
    assert gate_of(["not slower", "fails in both", "fails only in new"]) == "slower"
    assert gate_of(["not slower", "undecided", "fails in both"]) == "failed"
    assert gate_of(["fails only in old", "not slower"]) == "not slower", "it was mended"
    assert gate_of(["fails only in old"]) == "not slower"
    assert gate_of(["fails only in old", "undecided"]) == "undecided"
    assert gate_of(["not slower", "undecided"]) == "undecided"
    assert gate_of(["not slower"]) == "not slower"
    assert gate_of([]) == "undecided", "nothing was compared"
    assert kind_with_failures("slower", old=False, new=True) == "fails only in new"
    assert kind_with_failures("slower", old=False, new=False) == "slower"


def proved(same, slower, allowed=0.05):
    return proof_of(Proved(0.0, allowed, Counter(same)), Proved(0.1, allowed, Counter(slower)))


def test_a_gate_is_proved_where_it_passes_the_same_and_finds_what_is_slower():
    found = {"slower": 4, "undecided": 1}
    assert proved({"not slower": 4, "undecided": 1}, found) == "proved"
    assert proved({"undecided": 5}, found) == "undecided", "it would stop identical code"
    assert proved({"undecided": 5}, found, allowed=0.0) == "proved", "nothing can be surely less"
    assert proved({"not slower": 5}, {"undecided": 5}) == "undecided"
    assert proved({"not slower": 4, "failed": 1}, found) == "undecided"
    assert proved({"slower": 1, "not slower": 4}, found) == "refuted"
    assert proved({"not slower": 5}, {"slower": 4, "not slower": 1}) == "refuted"


# what is asked


def test_the_first_version_that_is_named_is_the_old_one():
    gate, free = Gate(0.05), Gate()
    chosen = {"jvm": [Choice("/a", "b4"), Choice("/b", "now")]}
    assert gating.versions(gate, (), chosen, ()) == Versions(old="b4", new="now", max_slowdown=0.05)
    assert gating.versions(free, (), chosen, ()) == Versions(old="b4", new="now")
    two = {"jvm": [Choice("/a"), Choice("/b")]}
    here = (JVM, JVM.model_copy(update={"name": "jvm-25", "version": "25"}), GO)
    assert gating.versions(free, (), two, here) is None, "which way is best in each"
    assert gating.versions(gate, (), two, here).new == "jvm-25"
    assert gating.versions(gate, ("x", "y"), {}, ()).old == "x"
    assert gating.versions(free, ("x", "y"), {}, ()) is None


@pytest.mark.parametrize(
    ("own", "chosen"),
    [
        ((), {}),
        (("",), {}),
        (("a", ""), {}),
        (("a", "b", "c"), {}),
        ((), {"jvm": [Choice("/a", "old")]}),
        ((), {"jvm": [Choice("/a", "x"), Choice("/b", "y"), Choice("/c", "z")]}),
    ],
)
def test_a_gate_takes_exactly_two(own, chosen):
    with pytest.raises(UserError, match="--max-slowdown: two versions are compared"):
        gating.must_have_two(Gate(0.05), own, chosen)
    gating.must_have_two(Gate(), own, chosen)


def test_of_several_statuses_the_most_telling_counts():
    assert gating.worst([0, 4, 3, 1]) == 1 and gating.worst([0, 4, 3]) == 3
    assert gating.worst([0, 4]) == 4 and gating.worst([]) == 0 and gating.worst([0, 130]) == 130


# what is shown


def ratio(center, width=0.02, repeats=9, outcome="undecided"):
    return Comparison(1, 0, center, center - width, center + width, repeats, outcome, True)


SHOWN = Differences(
    "old",
    "new",
    (
        Question(
            "Read 1 MiB, cached",
            (
                Difference("parse.read_rows", "slower", ratio(1.18, outcome="slower")),
                Difference("parse.read_all", "undecided", ratio(1.05), more="40 s more"),
                Difference("write|report* <b>", "not slower", ratio(0.9, outcome="faster")),
                Difference("few", "undecided", ratio(1.0, repeats=2)),
            ),
            ratio(1.0),
        ),
        Question(
            "Read 1 MiB, from disk", (Difference("gone", "fails only in new", failure="50% lost"),)
        ),
    ),
    0.05,
    "slower",
)


def test_the_table_for_a_terminal():
    lines = [each.plain for each in differences.text(SHOWN)]
    head = "SLOWER: 1 of 5 ways is surely over 5 % slower, 1 fails only in new; 2 undecided"
    assert " ".join(lines[0].split()) == head
    text = "\n".join(lines)
    for row in (
        r"parse.read_rows +1.16-1.20 +slower",
        r"parse.read_all +1.03-1.07 +undecided \(40 s more\)",
        r"write\|report\* <b> +0.880-0.920 +faster",
        r"few +not known +undecided",
        r"gone +- +fails only in new",
    ):
        assert sum(bool(re.search(row, each)) for each in lines) == 1, row
    assert "control: old against itself 0.980-1.02" in text and "50% lost" in text
    assert max(map(len, text.split("\n"))) <= 80


def test_what_is_decided_has_its_bounds_however_wide():
    def bounds(kind, lo, center, hi):
        return Difference("f", kind, Comparison(1, 0, center, lo, hi, 9, "slower", True)).bounds

    assert bounds("slower", 1.3, 3.0, 9.0) == "over 1.30"
    assert bounds("undecided", 1.3, 3.0, 9.0) == "not known"
    assert bounds("slower", 1.16, 1.18, 1.2) == "1.16-1.20"


def test_functions_that_fail_at_once_have_their_own_names_and_reasons():
    def call(label, name, failure=""):
        runtime = SimpleNamespace(label=label, name=f"python-{label}")
        strategy = SimpleNamespace(known_as=f"{name}(path)")
        return SimpleNamespace(runtime=runtime, function=name, strategy=strategy, failure=failure)

    versions = Versions(old="old", new="new", max_slowdown=0.05)
    calls = [call("old", "a", "it broke"), call("new", "b")]
    (one,), every = gating.failed_calls(calls, versions)
    assert (one.way, one.kind, one.failure) == (
        "a(path) -> b(path)",
        "fails only in old",
        "it broke",
    )
    assert every
    (both,), _ = gating.failed_calls([calls[0], call("new", "a", "no file")], versions)
    assert (both.way, both.kind) == ("a(path)", "fails in both")
    assert both.failure == "it broke; in new: no file"


def test_a_gate_is_resumed_with_its_own_options(tmp_path):
    gate = Gate(0.05, 0, tmp_path / "a b.md", "github")
    told = ["--undecided", "pass", "--markdown", f"'{tmp_path}/a b.md'", "--annotate", "github"]
    assert gating.words(gate) == told and gating.words(Gate(0.05)) == []


def test_notes_and_reasons_fit_a_terminal_too():
    long = "the control differs, " * 9
    rows = Difference("f", "fails in both", failure=long), Difference("g", "undecided")
    found = Differences("old", "new", (Question("q", rows, None, (long,)),) * 2, 0.05, "failed")
    assert (
        max(len(line) for each in differences.text(found) for line in each.plain.split("\n")) <= 80
    )


def test_a_comment_has_what_was_not_compared_and_calls_nobody():
    rows = (Difference("f", "fails in both", failure="ask @somebody"),)
    found = Differences("old", "new", (Question("q", rows),), 0.05, "failed", left_out=("no @b",))
    text = differences.markdown(found)
    assert text.count("@\u200b") == 2 == text.count("@")


def test_the_table_for_a_pull_request_and_annotations():
    text = differences.markdown(SHOWN)
    assert "| Read 1 MiB, cached | parse.read\\_rows | 1.16-1.20 | **slower** |" in text
    assert "write\\|report\\* \\<b\\>" in text
    told = differences.github(SHOWN)
    assert [each.split(" ")[0] for each in told] == ["::error", "::warning", "::warning", "::error"]
    assert told[0].endswith("::parse.read_rows (Read 1 MiB, cached): slower, new / old 1.16-1.20")
    assert differences.github(Differences("a", "b", (), 0.05, "not slower"))[0].startswith(
        "::notice"
    )


@pytest.mark.parametrize(
    ("kind", "headline"),
    [
        ("slower", "SLOWER: f is surely over 5 % slower in new"),
        ("not slower", "NOT SLOWER: f is surely not over 5 % slower in new"),
        ("undecided", "UNDECIDED: f may be over 5 % slower in new, or not"),
        ("fails only in new", "FAILS: f fails only in new"),
        ("fails in both", "FAILED: f fails in both, so nothing can be said"),
        ("fails only in old", "NOT SLOWER: f fails only in old"),
    ],
)
def test_one_way_is_told_by_its_name(kind, headline):
    found = Differences(
        "old", "new", (Question("q", (Difference("f", kind),)),), 0.05, gate_of([kind])
    )
    assert found.headline == headline


def test_what_is_drawn_stays_on_the_scale():
    found = drawing.drawn(SHOWN)
    lines = [line for _, several in found.questions for line in several]
    assert [line.tone for line in lines] == ["bad", "", "good", "", "bad"]
    for line in lines:
        if line.lo is not None:
            assert 0 <= line.lo <= line.center <= line.hi <= 100
    assert found.allowed and found.allowed > found.one
