"""What `benchmarks/advise.py` makes of a second measurement."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def advise(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import advise

    return advise


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        ([(0.98, 0.95, 1.1)], "right"),
        ([(0.98, 0.95, 1.11)], "open"),
        ([(0.98, 0.95, None)], "open"),
        ([(0.5, 0.4, 0.6), (1.2, 1.11, 1.3)], "wrong"),
        ([(1.2, 1.11, 1.3), (1.0, 0.5, None)], "wrong"),
        ([], "open"),
    ],
)
def test_the_verdict_includes_the_intervals_of_all_others(advise, found, verdict):
    against = [advise.Against(*each) for each in found]
    assert advise.verdict(against, len(against)) == verdict
    without_one = "open" if verdict == "right" else verdict
    assert advise.verdict(against, len(against) + 1) == without_one, "one could not be measured"


@pytest.fixture
def measure(advise, monkeypatch):
    """`again` on given answers, one for each turn: log ratios by variant, None where the control
    differed; what came out, and what was asked.
    """

    def measure(*answers, others=("slow", "near")):
        cases = [SimpleNamespace(key=name, variant=name) for name in ("chosen", *others)]
        usable = {"rank_set": "all", "failure": None, "impossible": False}
        reports = [SimpleNamespace(case=case, **usable) for case in cases]
        group = SimpleNamespace(id="g", title="title", cases=reports)
        plan = SimpleNamespace(groups=[SimpleNamespace(id="g")], cases=cases)
        advice = SimpleNamespace(
            header=SimpleNamespace(plan=plan, runtimes=[]),
            group=group,
            choice=SimpleNamespace(case=cases[0], rank_set="all"),
            sure=False,
            worst=1.2,
            runs=1,
        )
        monkeypatch.setattr(advise.asking, "advisable", lambda *_: range(len(cases)))
        asked, left = [], iter(answers)

        def measured_again(some, size, seconds, folder, seed):
            asked.append(" ".join(case.variant for case in some))
            return next(left)

        monkeypatch.setattr(advise, "measured_again", measured_again)
        return advise.again(advice, advise.Wanted(size=1), 30, Path(), 1), asked

    return measure


def around(center, spread, count=12):
    return [center + spread * (-1) ** replicate for replicate in range(count)]


def test_only_what_is_open_is_measured_again_and_replicates_are_pooled(measure):
    """What was decided first is not forgotten; a way that failed is not tried again, and whoever
    was not beside it is not right.
    """
    turns = (
        {"slow": around(-0.7, 0.1), "near": around(0.06, 0.05)},
        {"near": around(0.06, 0.05)},
        {"near": around(0.06, 0.001, 40)},
    )
    found, asked = measure(*turns)
    assert asked == ["chosen slow near", "chosen near", "chosen near"]
    assert (found["verdict"], found["beside"], found["replicates"]) == ("right", "near", 64)
    assert found["failed"] == 0 and found["ratio"] == pytest.approx(1.062, abs=0.002)
    found, asked = measure(*turns, others=("slow", "near", "failed"))
    assert asked == ["chosen slow near failed", "chosen near", "chosen near"]
    assert (found["verdict"], found["beside"], found["failed"]) == ("open", "near", 1)


def test_all_turns_together_spend_the_error(advise):
    spent = [*map(advise.spent, range(advise.TURNS))]
    assert sum(spent) == pytest.approx(advise.ERROR) and spent[-1] > spent[0]


def test_whoever_is_right_is_so_beside_each_and_whoever_is_wrong_beside_any(advise):
    """An upper bound holds for itself, lower ones for all others together."""
    log_ratios = around(0.01, 0.1)
    alone, among = (advise.compared(log_ratios, others, 0.05) for others in (1, 10))
    own, shared = (advise.intervals.interval(log_ratios, error) for error in (0.05, 0.005))
    bounds = map(math.exp, (own.center, own.lo, own.hi))
    assert alone == pytest.approx(advise.Against(*bounds))
    assert among.hi == alone.hi and among.lo < alone.lo
    assert among.lo == pytest.approx(math.exp(shared.lo))


@pytest.mark.parametrize(("truth", "never"), [(1.101, "right"), (1.099, "wrong")])
def test_a_false_verdict_is_no_more_frequent_than_promised(advise, truth, never):
    """Ways at the margin, and eight looks at growing data. Some 1.5 % are false; where each look
    may err as often as all together, 9 % are.
    """
    rng, wrong, runs = np.random.default_rng(1), 0, 100
    others = truth if never == "wrong" else 0.9
    for _ in range(runs):
        noise = rng.normal(0, 0.05, (3, 8 * advise.TURNS))
        values = np.log([truth, others, others])[:, None] + noise
        for turn in range(advise.TURNS):
            seen, error = values[:, : 8 * (turn + 1)].tolist(), advise.spent(turn)
            said = advise.verdict([advise.compared(each, 3, error) for each in seen], 3)
            if said != "open":
                break
        wrong += said == never
    assert wrong <= 0.05 * runs


def test_a_wrong_choice_ends_the_measuring(measure):
    found, asked = measure({"slow": around(0.2, 0.01), "near": around(0.0, 0.5)})
    assert (found["verdict"], found["beside"], len(asked)) == ("wrong", "slow", 1)


def test_nothing_rests_on_a_turn_whose_control_differs(advise, measure):
    found, asked = measure(*[None] * advise.TURNS)
    assert (found["verdict"], found["beside"]) == ("open", None)
    assert found["suspended"] == len(asked) == advise.TURNS


def test_a_choice_stays_open_while_its_intervals_are_wide(advise, measure):
    near = {"near": around(0.03, 0.2)}
    found, asked = measure({"slow": around(-0.7, 0.1), **near}, *[near] * (advise.TURNS - 1))
    assert (found["verdict"], len(asked)) == ("open", advise.TURNS)
    assert found["lo"] < 1.1 < found["hi"]


def test_what_is_open_is_measured_once_more_from_the_beginning(advise, monkeypatch):
    """Nothing of before is in the new verdict, which stands beside it; what was not measured before
    is not measured now.
    """
    names = ("chosen", "near", "never", "control")
    cases = [SimpleNamespace(variant=name, control=name == "control") for name in names]
    monkeypatch.setattr(advise, "known_cases", lambda wanted, runs: cases)
    asked = []

    def measured_again(some, size, seconds, folder, seed):
        asked.append(([case.variant for case in some], size, seconds))
        return {"near": around(0.01, 0.001)}

    monkeypatch.setattr(advise, "measured_again", measured_again)
    open_ = {"verdict": "open", "ratio": 1.2, "lo": 0.9, "hi": 1.5, "replicates": 3}
    before = {"key": "k", "version": "v", "kind": "covered", "choice": "chosen", **open_}
    before["against"] = {"near": [1.2, 0.9, 1.5, 3]}
    found = advise.longer(before, advise.Wanted(size=7), None, 80, Path(), 1)
    assert asked == [(["chosen", "near"], 7, 80 / advise.TURNS)]
    assert (found["verdict"], found["replicates"], found["kind"]) == ("right", 12, "covered")
    assert not {"key", "version"} & found.keys() and found["before"] == open_
