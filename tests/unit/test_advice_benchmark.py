"""What `benchmarks/advise.py` makes of a second measurement."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

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
        ([(0.98, 0.95, 1.05)], "right"),
        ([(0.98, 0.95, 1.06)], "open"),
        ([(0.98, 0.95, None)], "open"),
        ([(0.5, 0.4, 0.6), (1.1, 1.06, 1.2)], "wrong"),
        ([(1.1, 1.06, 1.2), (1.0, 0.5, None)], "wrong"),
        ([], "open"),
    ],
)
def test_the_verdict_includes_the_intervals_of_all_others(advise, found, verdict):
    assert advise.verdict([advise.Against(*each) for each in found]) == verdict


def test_only_what_is_open_is_measured_again_and_the_worst_is_told(advise, monkeypatch):
    """A way that failed is left out; what was decided first is not forgotten."""
    cases = [SimpleNamespace(key=name, variant=name) for name in ("chosen", "slow", "near", "failed")]
    group = SimpleNamespace(id="g", title="title", cases=[SimpleNamespace(case=case, rank_set="all", failure=None, impossible=False) for case in cases])
    advice = SimpleNamespace(group=group, choice=SimpleNamespace(case=cases[0], rank_set="all"), sure=False, worst=1.2)
    plan = SimpleNamespace(groups=[SimpleNamespace(id="g")], cases=cases)
    made = SimpleNamespace(run=SimpleNamespace(plan=plan, header=SimpleNamespace(runtimes=[])))
    monkeypatch.setattr(advise.advise, "advisable", lambda *_: range(4))
    asked = []

    def measured_again(some, chosen, seconds, folder, seed):
        asked.append([case.variant for case in some])
        near = advise.Against(1.01, 0.9, 1.1) if len(asked) == 1 else advise.Against(1.01, 0.99, 1.03)
        return {"near": near} | ({"slow": advise.Against(0.5, 0.4, 0.6)} if len(asked) == 1 else {}), 12, False

    monkeypatch.setattr(advise, "measured_again", measured_again)
    found = advise.again(made, advice, None, 30, Path(), 1)
    assert asked == [["chosen", "slow", "near", "failed"], ["chosen", "near"]]
    assert (found["verdict"], found["beside"], found["ratio"], found["failed"]) == ("right", "near", 1.01, 1)
