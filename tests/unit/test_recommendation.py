"""What to use, in one sentence."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

from iogauge.analysis.groupreport import SetAnswer
from iogauge.decision.comparison import Comparison
from iogauge.outputs import across, exporting, next_steps, recommendation


def case(label, cost=None, outcome="slower", replicates=5, eliminated=False, rank_set="go"):
    """`cost` is the centre and the bounds of its time over that of the best; None for the best."""
    found = cost and Comparison(1, 0, *cost, replicates, outcome, True, eliminated)
    return SimpleNamespace(
        label=label,
        strategy=SimpleNamespace(is_checked=True, is_own=False),
        rank_set=rank_set,
        vs_best=found,
        is_best=cost is None,
        replicates=replicates,
        ns_per_op=object(),
        failure=None,
        impossible=False,
    )


def answer(*members, recommended=None, can_be_best=(), still_open=()):
    best = next(each for each in members if each.is_best)
    slower = tuple(each for each in members if each.vs_best and each.vs_best.outcome == "slower")
    return SetAnswer(
        members, best, recommended, can_be_best or (best,), still_open, slower, {}, 0.1
    )


def group(*answers, **others):
    names = [each.best.rank_set for each in answers]
    return SimpleNamespace(
        **{
            "sets": names,
            "answers": dict(zip(names, answers, strict=True)),
            "cases": [member for each in answers for member in each.members],
            "vs_overall": dict.fromkeys(names),
            "tolerance": 0.1,
            "suspended": False,
            "has_verdicts": True,
            "provisional": False,
            "of_commands": False,
            "is_checked": True,
            "one_each": False,
            "samples": 9,
            "name_of": lambda case: case.label,
            "called": str.capitalize,
            **others,
        }
    )


def said(*answers, **others):
    (found,) = recommendation.of(group(*answers, **others))
    return found.state, found.says


BEST, SIMPLE = case("mmap"), case("Read", (1.55, 1.43, 1.74))


@pytest.mark.parametrize(
    ("cost", "outcome", "eliminated", "says"),
    [
        ((1.55, 1.43, 1.74), "slower", False, "1.4-1.7x"),
        ((3.02, 2.98, 3.04), "slower", False, "3x"),
        ((1.05, 1.03, 1.07), "slower", False, "as fast"),
        ((1.09, 1.06, 1.13), "slower", False, "1.06-1.1x"),
        ((8.1, 2.0, 40), "slower", True, "over 2x"),
        ((3.4, 1.58, 9), "slower", False, "over 1.5x"),
        ((1.9, 1.58, 9), "slower", False, "over 1.5x"),
        ((5.1, 1.02, 25), "slower", True, "slower"),
        ((3.4, 1.58, math.inf), "slower", False, "over 1.5x"),
        ((3000, 2400, 3700), "slower", False, "2400-3700x"),
        ((1.04, 1, 1.09), "same", False, "as fast"),
        ((1.2, 1, 1.61), "undecided", False, "as fast? 1-1.7x"),
        ((1.2, 1, 3.1), "undecided", False, "as fast?"),
        ((1.2, 1, math.inf), "undecided", False, "as fast?"),
        ((3.1, 0.8, 9), "undecided", False, "slower?"),
        ((1.2, 0.3, 9), "undecided", False, "as fast?"),
    ],
)
def test_a_cost_is_told_as_far_as_it_is_known(cost, outcome, eliminated, says):
    assert recommendation.cost(case("a", cost, outcome, eliminated=eliminated), 0.1) == says


def test_after_too_few_repeats_nothing_is_called_as_fast():
    assert recommendation.cost(case("a", (900, 1, math.inf), "undecided", 1), 0.1) == "not sure yet"


def test_what_is_good_enough_but_surely_slower_is_not_called_fastest():
    near = case("Read", (1.05, 1.046, 1.06))
    _, says = said(answer(near, BEST, recommended=near))
    assert says == "Read is as fast as anything (within 10 %)."


def test_rivals_that_never_met_the_best_are_told_without_a_reach():
    unmet = case("Read")
    state, says = said(answer(BEST, unmet, case("All", (3, 2, 4)), can_be_best=(BEST, unmet)))
    assert (state, says) == (
        "open",
        "mmap for now. Not sure yet after 5 repeats: Read may be as fast. Avoid All: 2-4x as long.",
    )


def test_where_a_case_is_faster_than_the_limit_there_is_no_answer():
    beyond = case("Buffered")
    beyond.impossible = True
    alone = answer(case("Plain"))
    assert said(alone, cases=[*alone.members, beyond]) == (
        "impossible",
        "no answer: Buffered seems faster than what was measured as this machine's limit is; measure "
        "again.",
    )


def test_the_best_costs_nothing():
    assert recommendation.cost(BEST, 0.1) == ""


def test_the_fastest_and_what_the_simplest_costs():
    middle = case("ReadFile", (1.2, 1.15, 1.25))
    assert said(answer(SIMPLE, middle, BEST, recommended=BEST)) == (
        "decided",
        "mmap is fastest. Read takes 1.4-1.7x as long.",
    )
    fast = case("Read")
    slower = case("mmap", (1.55, 1.43, 1.74))
    assert said(answer(fast, case("All", (9, 8, 10)), slower, recommended=fast)) == (
        "decided",
        "Read is fastest. mmap takes 1.4-1.7x as long.",
    ), "the next one, where the simplest is the fastest"


def test_the_simplest_is_good_enough():
    near = case("Read", (1.04, 1, 1.09), "same")
    found = answer(near, BEST, recommended=near, can_be_best=(near, BEST))
    assert said(found) == ("decided", "Read is as fast as anything (within 10 %).")


def test_a_simpler_one_may_be_good_enough_too():
    near = case("Read", (1.04, 1, 1.6), "undecided")
    found = answer(near, BEST, recommended=BEST, can_be_best=(near, BEST), still_open=(near,))
    assert said(found) == (
        "open",
        "mmap is as fast as anything (within 10 %). The simpler Read may be, too; that is "
        "not sure yet.",
    )
    assert "(within 10 %). Read may be, too; that is" in said(found, is_checked=False)[1]


def test_what_is_thousands_of_times_as_slow_is_never_to_be_used():
    bad = case("Read 1", (3000, 2400, 3700))
    assert said(answer(bad, BEST, recommended=BEST)) == (
        "decided",
        "mmap is fastest. Never Read 1: 2400-3700x as long.",
    )


def test_too_close_is_something_else_than_not_well_enough_known():
    near = case("Read", (1.12, 1, 1.19), "undecided")
    found = answer(near, BEST, can_be_best=(near, BEST), still_open=(near,))
    assert said(found) == (
        "open",
        "mmap for now. It and Read are too close to call after 5 repeats (at most 19 % apart).",
    )
    far, slow = case("Read", (1.14, 1, 2.9), "undecided"), case("All", (2.2, 1.9, 2.5))
    found = answer(far, BEST, slow, can_be_best=(far, BEST), still_open=(far,))
    assert said(found) == (
        "open",
        "mmap for now. Not sure yet after 5 repeats: Read may be as fast. "
        "Avoid All: 1.9-2.5x as long.",
    )


@pytest.mark.parametrize(
    ("cost", "says"),
    [
        ((1.5, 1.2, 1.9), "Avoid All: 1.2-1.9x as long."),
        ((1.25, 1.2, 1.3), "All takes 1.2-1.3x as long."),
        ((1.5, 1.06, 9), "All takes longer."),
        ((1.4, 1.08, 1.6), "All takes 1.08-1.6x as long."),
    ],
)
def test_a_case_is_to_avoid_only_if_it_surely_costs_more_than_is_good_enough(cost, says):
    far, slow = case("Read", (1.14, 1, 2.9), "undecided"), case("All", cost)
    _, text = said(answer(far, BEST, slow, can_be_best=(far, BEST), still_open=(far,)))
    assert text.endswith(f"Read may be as fast. {says}")


def test_what_to_use_for_now_is_ahead_or_simpler_and_near_enough_so_far():
    def short(*members):
        found = answer(*members, can_be_best=members, still_open=members)
        (only,) = recommendation.of(group(found))
        return only.short, only.case.label

    behind, level = (case("Read", (each, 1, 2), "undecided") for each in (1.11, 1.09))
    assert short(behind, BEST) == ("mmap for now", "mmap")
    assert short(level, BEST) == ("Read for now", "Read")
    assert short(BEST, level) == ("mmap for now", "mmap"), "the best is the simpler one"
    excluded = answer(level, behind, BEST, can_be_best=(behind, BEST), still_open=(behind,))
    assert excluded.for_now is BEST, "what cannot be the best is nothing to use"
    _, says = said(answer(level, BEST, can_be_best=(level, BEST), still_open=(level, BEST)))
    assert says == "Read for now. Not sure yet after 5 repeats: mmap may be as fast."


def test_all_are_named_that_are_not_surely_slower():
    """The noise may hide that what is behind in every repeat is as fast."""
    hidden, far = case("Read", (1.4, 1.05, 2.4), "undecided"), case("a", (1.1, 1, 2), "undecided")
    found = answer(BEST, far, hidden, can_be_best=(BEST, far), still_open=(far, hidden))
    _, says = said(found)
    assert says == "mmap for now. Not sure yet after 5 repeats: a or Read may be as fast."
    assert next_steps.reach(found) == 2.4


def test_where_only_a_bound_is_sure_that_is_told():
    slow = case("Read", (5.1, 2.38, 25))
    _, says = said(answer(slow, BEST, recommended=BEST))
    assert says == "mmap is fastest. Read takes over 2.3x as long."
    (only,) = recommendation.of(group(answer(slow, BEST, recommended=BEST)))
    assert only.instead == "Read takes over 2.3x"
    far = case("All", (1.04, 1, 2.9), "undecided")
    _, says = said(answer(far, BEST, slow, can_be_best=(far, BEST), still_open=(far,)))
    assert says.endswith("Avoid Read: over 2.3x as long.")


def test_of_many_that_may_be_as_fast_none_is_named():
    members = (BEST, *(case(each, (1.5, 1, 4), "undecided") for each in ("a", "b", "c")))
    _, says = said(answer(*members, can_be_best=members, still_open=members))
    assert says == "mmap for now. Not sure yet after 5 repeats: any other may be as fast."


def test_one_repeat_is_not_too_close():
    members = case("mmap", replicates=1), case("Read", (1.5, 1, math.inf), "undecided", 1)
    assert said(answer(*members, can_be_best=members, still_open=members)) == (
        "too few repeats",
        "not measured enough: 1 repeat, and 3 are needed. So far mmap is ahead.",
    )


def test_an_alarm_is_said_once_and_nothing_else_is():
    control = Comparison(1, 0, 0.8, 0.7, 0.9, 5, "undecided", False)
    held = (2, 1, 3.1), "undecided"
    found = group(
        answer(case("Read", *held), BEST),
        answer(case("map", rank_set="java"), case("stream", *held, rank_set="java")),
        suspended=True,
        control=control,
    )
    assert {each.state for each in recommendation.of(found)} == {"suspended"}
    assert across.sentences(found, None) == [
        "No answer: the same code, run twice, came out 1.1-1.4x apart."
    ]


def test_what_identical_code_cannot_explain_is_told_beside_an_alarm():
    control = Comparison(1, 0, 0.8, 0.7, 0.9, 5, "undecided", False)
    slow, near = case("ReadFile", (12, 3.5, 41)), case("Read", (1.05, 1, 1.09), "undecided")
    alarmed = {"suspended": True, "control": control}
    held = answer(near, BEST, slow, recommended=near)
    found = group(held, **alarmed)
    (told,) = recommendation.of(found)
    assert told.says == (
        "no sure answer: the same code, run twice, came out 1.1-1.4x apart. Even so, ReadFile takes "
        "over 3.5x as long."
    )
    notes = [recommendation.note(found, each, told) for each in held.members]
    assert notes == ["not sure", "not sure", "over 3.5x"], "nothing is recommended"
    two = answer(near, BEST, slow, case("Lines", (20, 6, 60)))
    (told,) = recommendation.of(group(two, **alarmed))
    assert told.says.endswith("Even so, ReadFile and Lines are surely slower.")


def test_a_single_case():
    assert said(answer(BEST, recommended=BEST))[0] == "only one"


@pytest.mark.parametrize(
    ("provisional", "samples", "failure", "says"),
    [
        (True, 0, None, "not measured yet."),
        (False, 0, None, "nothing could be measured."),
        (True, 0, "no", "nothing could be measured."),
        (True, 3, None, "nothing could be measured."),
    ],
)
def test_what_was_not_reached_is_not_said_to_be_impossible(provisional, samples, failure, says):
    without = SimpleNamespace(ns_per_op=None, failure=failure, rank_set="go")
    found = group(provisional=provisional, samples=samples)
    found.cases = [without]
    (only,) = recommendation.of(found)
    assert (only.state, only.says) == ("nothing measured", says)


def test_versions_of_a_runtime_are_compared_without_an_s_behind_a_number():
    old, new = "c on c-gcc-12.2.0", "c on c-clang-14.0.6"
    found = group(
        answer(case("read", rank_set=old), case("read", rank_set=old)),
        answer(case("read", rank_set=new), case("s", (2, 1.9, 2.1), rank_set=new)),
        vs_overall={old: None, new: Comparison(1, 0, 1.2, 1.11, 1.31, 5, "slower", True)},
    )
    assert across.sets(found) == (
        "The best of C (clang-14.0.6) takes 1.1-1.3x as long as that of C (gcc-12.2.0)."
    )


def test_versions_with_one_way_each_are_compared_as_they_are():
    old, new = "python on python-old", "python on python-new"
    slower = Comparison(1, 0, 2.3, 1.93, 2.84, 5, "slower", True)
    found = group(
        answer(case("open().read()", rank_set=old)),
        answer(case("open().read()", rank_set=new)),
        vs_overall={old: None, new: slower},
        one_each=True,
    )
    says = "Python (new) takes 1.9-2.8x as long as Python (old)."
    assert across.sets(found) == says
    assert across.sentences(found, None) == [says]


def test_a_name_that_begins_a_sentence_for_all_stays_as_it_is():
    found = group(answer(case("open().read()"), case("mmap")))
    assert across.for_all(found, "open().read() is fastest.") == "open().read() is fastest."
    assert across.for_all(found, "not sure yet.") == "Not sure yet."


def test_the_sets_are_compared_and_it_is_said_where_that_is_open():
    found = group(
        answer(SIMPLE, BEST, recommended=BEST),
        answer(case("map", rank_set="java"), case("s", (2, 1.9, 2.1), rank_set="java")),
        vs_overall={"go": None, "java": Comparison(1, 0, 1.2, 1.11, 1.31, 5, "slower", True)},
    )
    assert across.sets(found) == "The best of Java takes 1.1-1.3x as long as Go's."
    found.vs_overall["java"] = Comparison(1, 0, 1.2, 1, 1.31, 5, "undecided", True)
    assert across.sets(found) == (
        "The best of Java may be as fast as Go's, or take up to 1.4x as long."
    )
    found.vs_overall["java"] = Comparison(1, 0, 5.1, 2.38, 25, 5, "slower", True)
    assert across.sets(found) == "The best of Java takes over 2.3x as long as Go's."
    found.vs_overall["java"] = Comparison(1, 0, 5.1, 1.02, 25, 5, "slower", True)
    assert across.sets(found) == "The best of Java takes longer than Go's."
    found.vs_overall["java"] = Comparison(1, 0, 1.2, 1, 3.1, 5, "undecided", True)
    assert across.sets(found) == "Go or Java: not sure yet which is faster."

    rust = answer(case("mmap", rank_set="rust"), case("read", (2, 1.9, 2.1), rank_set="rust"))
    found.sets, found.answers = (*found.sets, "rust"), (*found.answers, rust)
    found.vs_overall["rust"] = found.vs_overall["java"]
    assert across.sets(found) == "Go, Java or Rust: not sure yet which is fastest."


def test_the_export_has_the_best_so_far_beside_what_to_use_for_now():
    level, ahead = case("Read", (1.01, 1, 2), "undecided"), case("mmap")
    for each in (level, ahead):
        each.case = SimpleNamespace(key=each.label)
    both = level, ahead
    (found,) = recommendation.of(group(answer(*both, can_be_best=both, still_open=both)))
    made = exporting._recommendation(found)
    assert (made.case, made.for_now, made.short) == ("mmap", "Read", "Read for now")
    (found,) = recommendation.of(group(answer(*both, recommended=level)))
    made = exporting._recommendation(found)
    assert (made.case, made.for_now) == ("Read", None)
