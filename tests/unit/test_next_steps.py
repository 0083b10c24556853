"""How to get surer of what is open."""

from __future__ import annotations

import itertools
import math
from types import SimpleNamespace

import pytest

from iogauge.analysis.report import Report
from iogauge.decision.comparison import Comparison
from iogauge.outputs import next_steps

_IDS = itertools.count()


def case(hi=None):
    found = hi and Comparison(1, 0, 1.1, 1, hi, 3, "undecided", False)
    return SimpleNamespace(is_best=hi is None, vs_best=found)


def group(*his, seconds=None, floor=None, sets=1, replicates=3, use=None, **others):
    """A group with a case for each upper bound beside the best one, all open."""
    cases = (case(), *map(case, his))
    answer = SimpleNamespace(
        may_be_as_fast=cases, open=cases[1:], replicates=replicates, recommended=use
    )
    return SimpleNamespace(
        **{
            "provisional": False,
            "suspended": False,
            "has_verdicts": True,
            "id": str(next(_IDS)),
            "undecided": 1,
            "open_pairs": (),
            "replicates": replicates,
            "replicates_needed": seconds and replicates + 1,
            "seconds": seconds,
            "answers": {str(each): answer for each in range(sets)},
            "vs_overall": {},
            "noise_floor": floor,
            "tolerance": 0.1,
            **others,
        }
    )


def run(seconds=60.0, published=None, **options):
    return SimpleNamespace(
        seconds=seconds,
        header=SimpleNamespace(options=options),
        plan=SimpleNamespace(published=published),
    )


def report_of(*groups, **settings):
    return SimpleNamespace(
        run=run(**settings),
        groups=groups,
        seconds_until=lambda goals: sum(groups[each].seconds for each in goals),
    )


def said(*groups, **settings):
    return next_steps.of_report(report_of(*groups, **settings), "iogauge run --resume newest")


def alone(of):
    return next_steps.of_group(report_of(of), 0)


def test_nothing_is_said_where_nothing_is_open_or_may_be_told():
    decided, unfinished = group(undecided=0), group(2, provisional=True, seconds=9)
    alarmed, beyond = group(2, suspended=True), group(2, has_verdicts=False)
    assert said(decided, unfinished, alarmed, beyond) == []
    assert alone(decided) is None


def test_how_much_longer_and_the_command():
    assert said(group(2, seconds=100), group(undecided=0), group(2, seconds=80)) == [
        "About 4 min more, 5m in all, would likely decide questions 1 and 3: "
        "iogauge run --resume newest --budget 5m"
    ]
    assert said(group(2, seconds=12.2), seconds=20.0, budget="20s") == [
        "About 15 s more, 40s in all, would likely decide: iogauge run --resume newest --budget 40s"
    ]


def test_a_run_of_the_users_file_begins_anew():
    (text,) = said(group(2, seconds=50), file="x")
    assert text == "2m in all would likely decide: iogauge run --resume newest --budget 2m"


@pytest.mark.parametrize("other", [{"published": "a protocol"}, {"advise": "x"}])
def test_no_command_is_given_for_a_run_that_cannot_be_gone_on_with(other):
    (text,) = said(group(2, seconds=50), **other)
    assert text == "About 60 s more, 2m in all, would likely decide: use a larger --budget"


def test_what_more_time_does_not_decide_hardly_matters_or_varies_too_much():
    assert said(group(1.12, 1.19)) == [
        "Too close to call, so it hardly matters (at most 19 % apart)."
    ]
    assert said(group(1.12, 2)) == ["Surer only on a quieter machine: times vary too much here."], (
        "without a control"
    )
    assert said(group(1.12, 2, floor=0.72)) == [
        "Surer only on a quieter machine: identical code may differ by 72 %."
    ]
    (text,) = said(group(math.inf, floor=3.5))
    assert text.endswith("may differ by 4.5x.")


def test_each_question_is_told_what_helps_it():
    close, time, noisy = group(1.2), group(2, seconds=9), group(4)
    assert said(close, time, group(undecided=0), noisy, noisy) == [
        "About 11 s more, 80s in all, would likely decide question 2: iogauge run --resume newest --budget 80s",
        "Question 1: too close to call, so it hardly matters (at most 20 % apart).",
        "Questions 4 and 5 need a quieter machine: times vary too much here.",
    ]


def test_of_several_questions_those_are_told_of_which_it_is_not_sure_what_to_use():
    simpler, open_ = group(2, seconds=9, use=case()), group(4)
    assert said(simpler) == [
        "About 11 s more, 80s in all, would likely decide: iogauge run --resume newest --budget 80s"
    ]
    assert said(simpler, open_) == ["Question 2 needs a quieter machine: times vary too much here."]


def test_too_few_repeats_are_not_said_to_decide():
    first = group(9, seconds=30, replicates=1)
    assert said(first) == [
        "About 36 s more, 100s in all, would bring it to 3 repeats: iogauge run --resume newest --budget 100s"
    ]
    assert said(first, first) == [
        "About 72 s more, 3m in all, would bring each question to 3 repeats: iogauge run --resume newest --budget 3m"
    ]
    few, likely = said(first, group(9, seconds=5))
    assert (
        few
        == "About 36 s more, 100s in all, would bring question 1 to 3 repeats: iogauge run --resume newest --budget 100s"
    )
    assert "likely decide question 2" in likely
    assert alone(first) == "About 36 s more would bring it to 3 repeats."


def test_a_group_is_told_the_same_without_a_command():
    assert [
        alone(each)
        for each in (
            group(2, seconds=0.2),
            group(2, seconds=240, sets=2),
            group(1.2),
            group(4),
        )
    ] == [
        "About 1 s more would likely decide what is open.",
        "About 5 min more would likely decide which is best in each.",
        "Too close to call, so it hardly matters (at most 20 % apart).",
        "Surer only on a quieter machine: times vary too much here.",
    ]


def test_where_each_set_has_one_case_it_is_about_the_sets():
    between = Comparison(1, 0, 1.1, 1, 1.2, 3, "undecided", False)
    one = SimpleNamespace(may_be_as_fast=(case(),), open=(), replicates=3)
    of_sets = group(answers={"go": one, "java": one}, vs_overall={"go": None, "java": between})
    assert next_steps.prospect(of_sets) == "close"
    assert next_steps.prospect(group(seconds=9, answers={"go": one, "java": one})) == "time"


def test_open_pairs_count_where_all_are_asked_for():
    one = SimpleNamespace(may_be_as_fast=(case(),), open=(), replicates=3, recommended=case())
    pair = Comparison(1, 0, 0.9, 0.5, 1.2, 3, "undecided", False)
    pairs = {"answers": {"go": one}, "open_pairs": (pair,)}
    assert said(group(seconds=30, **pairs)) == [
        "About 36 s more, 100s in all, would likely decide: iogauge run --resume newest --budget 100s"
    ]
    assert next_steps.prospect(group(**pairs)) == "unsteady", "apart by 2x, either way"
    pairs["open_pairs"] = (Comparison(1, 0, 0.9, 0.85, 1.2, 3, "undecided", False),)
    assert said(group(**pairs)) == ["Too close to call, so it hardly matters (at most 20 % apart)."]
    simpler = group(2, use=case(), open_pairs=pairs["open_pairs"])
    assert said(simpler, group(undecided=0)) == [
        "Question 1 needs a quieter machine: times vary too much here."
    ], "though it is sure what to use"


def test_a_span_is_told_in_the_same_words_with_the_command():
    warm, cold = group(seconds=20, undecided=0), group(seconds=0, undecided=0)
    report = report_of(group(undecided=0), warm, cold)
    span = SimpleNamespace(open=True, replicates_needed=7, groups=(warm, cold))
    assert next_steps.of_span(report, span) == "About 24 s more would likely decide what is open."
    assert next_steps.of_span(report, span, "iogauge run --resume newest") == (
        "About 24 s more, 90s in all, would likely decide what is open: "
        "iogauge run --resume newest --budget 90s"
    )
    span.replicates_needed = None
    assert next_steps.of_span(report, span) == (
        "Surer only on a quieter machine: times vary too much here."
    )
    span.open = False
    assert next_steps.of_span(report, span) is None


def test_how_long_it_takes_counts_a_bundle_once_and_what_else_is_open():
    def open_group(replicates, undecided=1, name=""):
        return SimpleNamespace(replicates=replicates, undecided=undecided, id=name)

    bundles = [SimpleNamespace(groups=each) for each in ((0, 1), (2,), (3,))]
    took = [(0, 9.0), (0, 2.0), (1, 3.0), (0, 2.0), (0, 2.0), (2, 50.0)]
    measured = SimpleNamespace(
        plan=SimpleNamespace(bundles=bundles),
        replicates=[SimpleNamespace(bundle=bundle, seconds=each) for bundle, each in took],
    )
    groups = (open_group(4), open_group(4), open_group(4), open_group(4, 0, "of a span"))
    report = Report(measured, groups, (), None, ())
    assert report.seconds_until({0: 10, 1: 7}) == 6 * 2 + 6 * 3, "nothing for what is decided"
    assert report.seconds_until({1: 7}) == 3 * 2 + 3 * 3
    groups[2].replicates = 8
    assert report.seconds_until({1: 7}) == 3 * 2
    assert report.seconds_until({3: 6}) == 2 * 2 + 2 * 50, "decided, but not across groups"
    span = SimpleNamespace(open=True, groups=(groups[3],))
    across = Report(measured, groups, (span,), None, ())
    assert across.seconds_until({1: 7}) == 3 * 2 + 3 * 50
    assert Report(measured, (open_group(9),) * 4, (), None, ()).seconds_until({2: 9}) == 3
