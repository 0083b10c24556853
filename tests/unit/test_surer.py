"""How to get surer of what is open."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

from iogauge.outputs import surer
from iogauge.statistics.comparing import Comparison


def case(hi=None):
    found = hi and Comparison(1, 0, 1.1, 1, hi, 3, "undecided", False)
    return SimpleNamespace(is_best=hi is None, vs_best=found)


def group(*his, seconds=None, floor=None, sets=1, **others):
    """A group with a case for each upper bound beside the best one, all open."""
    cases = (case(), *map(case, his))
    answer = SimpleNamespace(can_be_best=cases, open=cases[1:])
    return SimpleNamespace(
        **{
            "provisional": False,
            "suspended": False,
            "has_verdicts": True,
            "undecided": 1,
            "seconds_needed": seconds,
            "answers": {str(each): answer for each in range(sets)},
            "vs_overall": {},
            "noise_floor": floor,
            "tolerance": 0.1,
            **others,
        }
    )


def run(seconds=60.0, study="quick", **options):
    return SimpleNamespace(
        seconds=seconds, header=SimpleNamespace(options=options), plan=SimpleNamespace(study=study)
    )


def said(*groups, **settings):
    return surer.of_run(run(**settings), groups, "iogauge")


def test_nothing_is_said_where_nothing_is_open_or_may_be_told():
    decided, unfinished = group(undecided=0), group(2, provisional=True, seconds=9)
    alarmed, beyond = group(2, suspended=True), group(2, has_verdicts=False)
    assert said(decided, unfinished, alarmed, beyond) == []
    assert surer.of_group(decided) is None


def test_how_much_longer_and_the_command():
    assert said(group(2, seconds=100), group(undecided=0), group(2, seconds=80)) == [
        "About 3 min more would likely decide: iogauge run quick --budget 4m"
    ]
    assert said(group(2, seconds=12.2), seconds=20.0, budget="20s") == [
        "About 12 s more would likely decide: iogauge run quick --budget 40s"
    ]


@pytest.mark.parametrize("other", [{"study": "my-own"}, {"tolerance": 0.05}, {"advise": "x"}])
def test_no_command_is_given_that_would_measure_something_else(other):
    (text,) = said(group(2, seconds=50), **other)
    assert text == "About 50 s more would likely decide: use a larger --budget"


def test_what_more_time_does_not_decide_hardly_matters_or_varies_too_much():
    assert said(group(1.12, 1.19)) == [
        "Too close to call, so it hardly matters (at most 19 % apart)."
    ]
    assert said(group(1.12, 2)) == ["Surer only on a quieter machine: times vary too much here."], (
        "without a twin"
    )
    assert said(group(1.12, 2, floor=0.72)) == [
        "Surer only on a quieter machine: the same code, run twice, may differ by 72 %."
    ]
    (text,) = said(group(math.inf, floor=3.5))
    assert text.endswith("may come out 4.5x apart.")


def test_each_question_is_told_what_helps_it():
    close, time, noisy = group(1.2), group(2, seconds=9), group(4)
    assert said(close, time, group(undecided=0), noisy, noisy) == [
        "About 9 s more would likely decide question 2: iogauge run quick --budget 70s",
        "Question 1: too close to call, so it hardly matters (at most 20 % apart).",
        "Questions 4 and 5: surer only on a quieter machine: times vary too much here.",
    ]


def test_a_group_is_told_the_same_without_a_command():
    assert [
        surer.of_group(each)
        for each in (
            group(2, seconds=0.2),
            group(2, seconds=240, sets=2),
            group(1.2),
            group(4),
        )
    ] == [
        "About 1 s more would likely decide what is open.",
        "About 4 min more would likely decide which is best in each.",
        "More repeats are not likely to decide what is open: it hardly matters.",
        "More repeats are not likely to decide what is open: times vary too much here.",
    ]


def test_where_each_set_has_one_case_it_is_about_the_sets():
    between = Comparison(1, 0, 1.1, 1, 1.2, 3, "undecided", False)
    alone = SimpleNamespace(can_be_best=(case(),), open=())
    of_sets = group(answers={"go": alone, "java": alone}, vs_overall={"go": None, "java": between})
    assert surer.prospect(of_sets) == "close"
    assert surer.prospect(group(seconds=9, answers={"go": alone, "java": alone})) == "time"
