"""Verdicts, costs and next steps as values: what is decided, in every state."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest

from iogauge.analysis import groupreport
from iogauge.analysis.report import Report
from iogauge.decision import next_steps
from iogauge.decision.costs import MOST_APART, NEVER, Cost, cost_of, is_known, slowdown, too_wide
from iogauge.decision.next_steps import NextStep
from iogauge.decision.verdict import CaseVerdict, SetVerdict, verdict_of
from iogauge.outputs import exporting, sentences
from tests.answers import all_open, answer, case, compared, group, maybe, slower, sure, unchecked

INF = math.inf
BEST, SIMPLE, NEAR = case("mmap"), slower("Read", 1.43, 1.74), maybe("Read", 1.6, 1.04, ns=2e6)
SAME, GOOD = case("Read", (1.04, 1, 1.09), "same"), slower("Read", 1.046, 1.06)


def verdict(of, **more) -> SetVerdict:
    given = {"suspended": False, "usable": True, "pending": False, **more}
    return verdict_of("go", given.pop("cases", of.members), of, **given)


def state(found: SetVerdict) -> tuple:
    return found.kind, found.use, found.is_sure, found.is_for_now


def notes(found: SetVerdict, *cases) -> list:
    return [found.of_case(each, 0.1) for each in cases or found.answer.members]


# costs


@pytest.mark.parametrize(
    ("ratio", "outcome", "more", "cost"),
    [
        ((1.55, 1.43, 1.74), "slower", {}, Cost("slower", 1.43, 1.74)),
        ((1.05, 1.03, 1.07), "slower", {}, Cost("same", 1.03, 1.07)),
        ((1.05, 1.03, 1.1), "slower", {}, Cost("same", 1.03, 1.1)),
        ((1.09, 1.06, 1.13), "slower", {}, Cost("slower", 1.06, 1.13)),
        ((1.04, 1, 1.09), "same", {}, Cost("same", 1, 1.09)),
        ((1.04, 1, 1.09), "undecided", {}, Cost("open", 1, 1.09)),
        # a wide interval has a lower bound only, if that is worth reporting
        ((2, 1.5, 1.5 * MOST_APART), "slower", {}, Cost("slower", 1.5, 1.5 * MOST_APART)),
        ((2, 1.5, 1.51 * MOST_APART), "slower", {}, Cost("slower", 1.5)),
        ((3.4, 1.58, INF), "slower", {}, Cost("slower", 1.58)),
        ((5, 1.1, 25), "slower", {}, Cost("slower", 1.1)),
        ((5, 1.09, 25), "slower", {}, Cost("slower")),
        # that of an eliminated case is not known well, unless it is out of the question
        ((2.2, 2, 2.4), "slower", {"eliminated": True}, Cost("slower", 2)),
        ((22, NEVER, 24), "slower", {"eliminated": True}, Cost("slower", NEVER, 24)),
        ((5.1, 1.02, 25), "slower", {"eliminated": True}, Cost("slower")),
        # what may be as fast
        ((1.2, 1, MOST_APART), "undecided", {}, Cost("open", 1, MOST_APART)),
        ((1.2, 1, MOST_APART + 0.1), "undecided", {}, Cost("open")),
        ((1.3, 1, INF), "undecided", {}, Cost("open")),
        ((1.31, 1, INF), "undecided", {}, Cost("open", looks_slower=True)),
        ((1.2, 1, 1.61), "undecided", {"replicates": 3}, Cost("open", 1, 1.61)),
        ((1.2, 1, 1.61), "undecided", {"replicates": 2}, Cost("unknown")),
        ((900, 1, INF), "undecided", {"replicates": 1}, Cost("unknown")),
    ],
)
def test_a_cost_is_reported_as_far_as_it_is_known(ratio, outcome, more, cost):
    assert cost_of(compared(ratio, outcome, **more), 0.1) == cost


def test_bounds_are_numbers_where_they_are_not_too_far_apart():
    known = [(1, MOST_APART), (1 / 60, 1 / 40), (1, MOST_APART + 0.1), (0, 2), (2, INF), (2, 1)]
    assert [is_known(*each) for each in known] == [True, True, False, False, False, False]
    assert [too_wide(1.5, each) for each in (4.4, 1.5 * MOST_APART, INF)] == [False, True, True]
    assert slowdown(compared((1.05, 1.03, 1.07))) == Cost("slower", 1.03, 1.07), "within 10 %, too"


# answers


def test_what_to_use_for_now_is_ahead_or_simpler_and_near_enough_so_far():
    near, far = (maybe("Read", 2, each) for each in (1.1, 1.11))
    assert all_open(near, BEST).for_now is near
    assert all_open(far, BEST).for_now is BEST
    assert all_open(BEST, near).for_now is BEST, "the best is the simpler one"
    excluded = answer(near, far, BEST, can_be_best=(far, BEST), open=(far,))
    assert excluded.for_now is BEST, "what cannot be the best is nothing to use"
    assert (all_open(near, BEST).chosen, sure(near, BEST).chosen) == (near, BEST)


def test_the_reach_is_of_all_that_are_not_surely_slower():
    """The noise may hide that what is behind in every repeat is as fast."""
    hidden, near = case("Read", (1.4, 1.05, 2.4), "undecided"), maybe("a", 2)
    found = answer(BEST, near, hidden, SIMPLE, can_be_best=(BEST, near), open=(near, hidden))
    assert found.may_be_as_fast == (BEST, near, hidden) and found.reach == 2.4
    assert (found.worst(near), found.worst(BEST)) == (2, 1)
    assert answer(BEST, case("unmet"), can_be_best=(BEST, BEST)).reach == INF
    assert answer(BEST, SIMPLE).reach == INF, "nobody knows of nothing"


def test_the_case_worth_naming_is_the_simplest_or_else_the_next():
    good, middle = slower("good", 1.046, 1.1), slower("ReadFile", 1.15, 1.25)
    assert sure(SIMPLE, middle, BEST).worth_naming is SIMPLE
    assert answer(BEST, SIMPLE, middle, recommended=BEST).worth_naming is middle
    assert answer(good, SIMPLE, BEST, recommended=good).worth_naming is SIMPLE
    assert sure(good, BEST).worth_naming is None, "it costs no more than what is good enough"
    assert answer(SIMPLE, middle, BEST).slowest is SIMPLE and answer(BEST).slowest is None


def test_a_case_is_to_avoid_if_it_surely_costs_more_than_is_good_enough():
    costs = (1.3, 1.1, 1.9), (3, 2, INF), (1.29, 1.1, 1.9), (1.5, 1.09, 9), None
    others = [case("All", each) for each in costs]
    avoid = [answer(BEST, each).is_to_avoid(each) for each in others]
    assert avoid == [True, True, False, False, False]


def test_a_case_is_alone_where_all_others_are_surely_slower():
    assert sure(SIMPLE, BEST).is_alone and not sure(SAME, BEST).is_alone
    assert not answer(SAME, BEST, recommended=SAME).is_alone
    assert not answer(GOOD, BEST, recommended=GOOD).is_alone, "it is surely slower itself"


# verdicts


def test_a_recommended_case_is_used_and_the_simplest_has_its_cost():
    found, plain = verdict(sure(SIMPLE, BEST)), unchecked(SIMPLE)
    assert state(found) == ("decided", BEST, True, False)
    assert notes(found) == [CaseVerdict("cost", Cost("slower", 1.43, 1.74)), CaseVerdict("use")]
    assert found.is_simplest(SIMPLE) and not found.is_simplest(BEST)
    assert not verdict(answer(plain, BEST)).is_simplest(plain), "who knows what it does"
    assert not verdict(answer(BEST)).is_simplest(BEST), "of one"


@pytest.mark.parametrize(("can_be_best", "kind"), [([BEST], "fastest"), ([SAME, BEST], "ahead")])
def test_the_fastest_is_called_so_if_nothing_else_can_be_best(can_be_best, kind):
    found = verdict(answer(SAME, BEST, recommended=SAME, can_be_best=(*can_be_best,)))
    assert found.kind == "decided" and notes(found) == [CaseVerdict("use"), CaseVerdict(kind)]


def test_what_is_recommended_is_sure_though_a_simpler_one_may_do_too():
    found = verdict(sure(NEAR, BEST, can_be_best=(NEAR, BEST), open=(NEAR,)))
    assert state(found) == ("open", BEST, True, False)
    assert notes(found) == [CaseVerdict("cost", Cost("open", 1, 1.6)), CaseVerdict("use")]


def test_while_nothing_is_sure_one_is_to_use_for_now():
    """Of the best so far it is not said how much faster it may be: its own time shows that."""
    found, plain = verdict(all_open(NEAR, BEST)), unchecked(NEAR)
    assert state(found) == ("open", NEAR, False, True)
    assert notes(found) == [CaseVerdict("for now", simpler=True), CaseVerdict("cost", Cost("open"))]
    assert notes(verdict(all_open(plain, BEST)), plain) == [CaseVerdict("for now")], "not simpler"
    ahead = verdict(all_open(maybe("Read", INF, 1.5), BEST))
    assert state(ahead) == ("open", BEST, False, True)
    looks = CaseVerdict("cost", Cost("open", looks_slower=True))
    assert notes(ahead) == [looks, CaseVerdict("for now")]


def test_what_is_open_and_looks_no_slower_than_the_one_to_use_has_no_bound():
    """Its own time is shorter; only the comparison repeat by repeat tells them apart."""
    quick, slow = maybe("quick", 1.4, 1.01, ns=0.98e6), maybe("slow", 1.6, ns=1.2e6)
    costs = Cost("open"), Cost("open", 1, 1.6)
    found = notes(verdict(all_open(BEST, quick, slow)))[1:]
    assert found == [CaseVerdict("cost", each) for each in costs]
    odd = slower("odd", 1.1, 1.3, ns=0.95e6)
    hides = CaseVerdict("cost", Cost("slower", 1.1, 1.3), hides=True)
    assert notes(verdict(sure(odd, BEST)))[0] == hides
    assert notes(verdict(all_open(BEST, odd)))[1].hides, "what is surely slower keeps its cost"


def test_after_too_few_replicates_one_is_only_ahead():
    few = case("mmap", replicates=2), maybe("Read", INF, replicates=2)
    found = verdict(all_open(*few))
    assert state(found) == ("too few repeats", few[0], False, False)
    assert notes(found) == [CaseVerdict("ahead"), CaseVerdict("none")]
    enough = replace(few[0], replicates=3)
    assert verdict(all_open(enough, few[1])).kind == "open", "the best-known one counts"


def test_what_is_ahead_after_too_few_replicates_does_not_look_slower():
    """A pair leaves out the rounds that only one of both was measured in; what is shown does not."""
    paired, quick = case("mmap", replicates=1), maybe("Read", INF, ns=0.12e6, replicates=1)
    found = verdict(all_open(paired, quick))
    assert state(found) == ("too few repeats", quick, False, False)
    assert notes(found) == [CaseVerdict("none"), CaseVerdict("ahead")]


@pytest.mark.parametrize(("replicates", "first"), [(2, None), (3, "b")])
def test_too_few_replicates_do_not_tell_which_set_comes_first(replicates, first):
    decision = SimpleNamespace(replicates=replicates, best=1)
    assert groupreport._first(decision, ["a", "b"]) == first


def test_a_single_case_has_nothing_to_be_compared_with():
    found = verdict(sure(BEST))
    assert state(found) == ("only one", BEST, False, False)
    assert notes(found) == [CaseVerdict("none")]


def test_where_identical_code_differed_only_what_is_far_slower_has_a_cost():
    found = verdict(sure(NEAR, slower("ReadFile", 3.5, 41), BEST), suspended=True)
    assert state(found) == ("suspended", BEST, False, False)
    unsure, slow = CaseVerdict("unsure"), CaseVerdict("cost", Cost("slower", 3.5))
    assert notes(found) == [unsure, slow, unsure]


def test_where_a_case_is_faster_than_the_machine_there_is_no_answer():
    beyond = case("Buffered", (0.5, 0.4, 0.6), impossible=True)
    of = sure(SIMPLE, BEST)
    found = verdict(of, cases=(*of.members, beyond))
    assert (found.kind, found.beyond, found.is_sure) == ("impossible", (beyond,), False)
    assert notes(found, beyond, SIMPLE) == [CaseVerdict("beyond the limit"), CaseVerdict("none")]
    unusable = verdict(of, cases=(*of.members, beyond), usable=False)
    assert (unusable.kind, unusable.beyond) == ("impossible", ()), "it is the baseline's fault"
    assert verdict(of, suspended=True, usable=False).kind == "suspended", "that comes first"
    (without_data,) = group(without=(beyond,)).verdicts
    assert without_data.kind == "impossible", "it has a time"


@pytest.mark.parametrize(
    ("provisional", "samples", "failure"),
    [(True, 0, None), (False, 0, None), (True, 0, "no"), (True, 3, None)],
)
def test_what_was_not_reached_may_still_be_measured(provisional, samples, failure):
    without = case("Read", ns_per_op=None, failure=failure)
    (only,) = group(without=(without,), provisional=provisional, samples=samples).verdicts
    assert (only.set, *state(only)) == ("go", "nothing measured", None, False, False)
    assert only.pending is (provisional and not samples and not failure)
    assert notes(only, without) == [CaseVerdict("none")]


def test_verdicts_are_by_name_where_each_set_has_a_choice_else_by_speed():
    zig, ada = (answer(case("a", of=of), case("b", (2, 1.9, 2.1), of=of)) for of in ("zig", "ada"))
    lost = case("a", ns_per_op=None, failure="no", of="aaa")
    assert [each.set for each in group(zig, ada, without=(lost,)).verdicts] == ["ada", "zig", "aaa"]
    alone = answer(case("a", of="ada"))
    assert [each.set for each in group(zig, alone).verdicts] == ["zig", "ada"]


def test_the_export_has_the_best_so_far_beside_the_case_to_use_for_now():
    near, best = NEAR.case.key, BEST.case.key
    recommended = answer(NEAR, BEST, recommended=NEAR)
    for of, names in (all_open(NEAR, BEST), (best, near)), (recommended, (near, None)):
        made_of = group(of)
        (found,) = sentences.of(made_of)
        made = exporting._recommendation(made_of, found)
        assert (made.case, made.for_now) == names and made.state == found.verdict.kind


# next steps


def opened(*his: float, replicates: int = 6, use=None):
    """A set with a case for each upper bound beside the best one, all open."""
    best = case("best", replicates=replicates)
    others = [maybe(f"o{at}", hi, replicates=replicates) for at, hi in enumerate(his)]
    made = answer(best, *others, can_be_best=(best, *others), open=(*others,))
    return replace(made, recommended=best if use else None)


ALONE = answer(case("best", replicates=6))


def pair(lo: float, hi: float):
    return compared((0.9, lo, hi), "undecided", final=False)


@pytest.mark.parametrize(
    ("answers", "pairs", "between", "needed", "step"),
    [
        ([opened(2)], (), (), 4, NextStep("time", 4, 2)),
        ([opened(2, replicates=2)], (), (), 4, NextStep("few", 4, 2)),
        ([opened(2), opened(3, replicates=2)], (), (), 4, NextStep("few", 4, 3)),
        ([opened(1.12, 1.25)], (), (), None, NextStep("close", None, 1.25)),
        ([opened(1.12, 1.26)], (), (), None, NextStep("unsteady", None, 1.26)),
        ([opened(INF)], (), (), None, NextStep("unsteady")),
        # too few to tell how many more it takes
        ([opened(INF, replicates=3)], (), (), None, NextStep("more", 6)),
        ([opened(INF, replicates=5)], (), (), None, NextStep("more", 10)),
        ([opened(1.2, replicates=3)], (), (), None, NextStep("close", None, 1.2)),
        ([opened(1.2), opened(1.1)], (), (), None, NextStep("close", None, 1.2)),
        # it is known what to use, but not whether something simpler will do
        ([opened(2, use=True)], (), (), 4, NextStep("time", 4, 2, only_simpler=True)),
        ([opened(2, use=True), opened(2)], (), (), 4, NextStep("time", 4, 2)),
        ([opened(1.1, use=True)], (pair(0.9, 1.2),), (), None, NextStep("close", None, 1.2)),
        # pairs, where all are asked for: apart either way
        ([ALONE], (pair(0.85, 1.2),), (), None, NextStep("close", None, 1.2, within=False)),
        ([ALONE], (pair(0.5, 1.2),), (), None, NextStep("unsteady", None, 2, within=False)),
        ([ALONE], (pair(0, 1.2),), (), 9, NextStep("time", 9, within=False)),
        # sets of one case each: how these compare
        ([ALONE, ALONE], (), (None, None), 9, NextStep("time", 9, within=False)),
    ],
)
def test_the_next_step_of_a_group(answers, pairs, between, needed, step):
    found = next_steps.of_group(answers, pairs, between, needed)
    assert replace(found, reach=round(found.reach, 9)) == step


def test_of_a_span_more_replicates_help_or_do_not():
    assert next_steps.of_span(7) == NextStep("time", 7)
    assert next_steps.of_span(None) == NextStep("unsteady")


def test_a_group_has_a_next_step_only_while_something_is_open_that_can_be_decided():
    """Of sets it is the comparison of their bests that counts, and the replicates are in all."""
    found = group(opened(2), replicates_needed=4)
    assert found.next_step == NextStep("time", 4, 2)
    for reason in ({"undecided": 0}, {"provisional": True}, {"suspended": True}, {"replicates": 0}):
        assert replace(found, **reason).next_step is None
    assert group(opened(2), usable=False).next_step is None
    one = [answer(case("f", of=of)) for of in ("go", "java")]
    between = {"go": None, "java": pair(1, 1.2)}
    close = NextStep("close", None, 1.2, within=False)
    assert group(*one, vs_overall=between, undecided=1).next_step == close


def test_how_long_it_takes_counts_a_bundle_once_and_what_else_is_open():
    def open_group(replicates, undecided=1, name=""):
        return SimpleNamespace(replicates=replicates, undecided=undecided, id=name)

    bundles = [SimpleNamespace(groups=each) for each in ((0, 1), (2,), (3,))]
    took = [(0, 9.0), (0, 2.0), (1, 3.0), (0, 2.0), (0, 2.0), (2, 50.0)]
    replicates = [SimpleNamespace(bundle=bundle, seconds=each) for bundle, each in took]
    measured = SimpleNamespace(plan=SimpleNamespace(bundles=bundles), replicates=replicates)

    def seconds(groups, goals, *spans):
        return Report(measured, groups, spans, None, ()).seconds_until(goals)

    groups = (open_group(4), open_group(4), open_group(4), open_group(4, 0, "of a span"))
    assert seconds(groups, {0: 10, 1: 7}) == 6 * 2 + 6 * 3, "nothing for what is decided"
    assert seconds(groups, {1: 7}) == 3 * 2 + 3 * 3
    groups[2].replicates = 8
    assert seconds(groups, {1: 7}) == 3 * 2
    assert seconds(groups, {3: 6}) == 2 * 2 + 2 * 50, "decided, but not across groups"
    span = SimpleNamespace(next_step=NextStep("time", 9), groups=(groups[3],))
    assert seconds(groups, {1: 7}, span) == 3 * 2 + 3 * 50
    assert seconds((open_group(9),) * 4, {2: 9}) == 3
