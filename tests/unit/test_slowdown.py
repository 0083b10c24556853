"""Whether new code is surely slower than allowed: the rule, and what is said of it."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from iogauge.api import comparing
from iogauge.decision.group import GroupQuestion, decide
from iogauge.decision.slowdown import Slowdown, slowdown
from iogauge.model.errors import UserError
from iogauge.outputs import slowdown as words
from tests.fake_study import group, steady

OLD, NEW, CONTROL = 0, 1, 2
QUESTION = GroupQuestion({"both": [OLD, NEW]}, OLD, CONTROL, 0.03, 0.05)


def decided(ratio: float, *, noise: float = 0.002, control: float = 1.0, replicates: int = 8):
    """A group in which the new case takes so many times as long as the old one."""
    random = np.random.default_rng(5)
    levels = np.log([1000.0, 1000.0 * ratio, 1000.0 * control])
    scatter = random.normal(0, noise, (replicates, 4, 3)) + random.normal(
        0, noise, (replicates, 1, 3)
    )
    return decide(levels + scatter, QUESTION, None)


@pytest.mark.parametrize(
    ("ratio", "allowed", "kind"),
    [
        (1.2, 0.05, "slower"),
        (1.2, 0.5, "not slower"),
        (1.0, 0.05, "not slower"),
        (0.5, 0.0, "not slower"),
        (1.05, 0.05, "undecided"),
        (1.0, 0.0, "undecided"),
        (1.1, 0.0, "slower"),
    ],
)
def test_slower_is_what_surely_takes_longer_than_allowed(ratio, allowed, kind):
    found = slowdown(decided(ratio), NEW, OLD, allowed)
    assert found.kind == kind
    assert found.comparison.lo < ratio < found.comparison.hi


def test_nothing_is_sure_where_identical_code_differs():
    for ratio in (0.5, 1.5):
        found = slowdown(decided(ratio, control=1.3), NEW, OLD, 0.05)
        assert found.kind == "undecided" and found.suspended


def test_without_data_nothing_is_decided():
    values = np.full((3, 4, 3), np.nan)
    values[:, :, [OLD, CONTROL]] = math.log(1000)
    assert slowdown(decide(values, QUESTION, None), NEW, OLD, 0.05) == Slowdown("undecided", 0.05)


@pytest.fixture
def judged(study):
    """A run of two ways on the fake runner, judged as an old and a new version."""

    def judge(old: int, new: int, allowed: float, budget: float = 4.0):
        text, name = group(steady(old, new, scatter=50)), f"run-{new}"
        measured = study(text, name=name, seed=1, budget=budget, step=0.01)
        from iogauge.outputs.document import Document

        report = Document(measured.run).report
        (of,) = report.groups
        by_speed = {each.case.parameters["speed"]: each for each in of.cases}
        one, other = by_speed[old], by_speed[new]
        found = slowdown(of.decision, other.column, one.column, allowed)
        return words.Judged(of, one, other, found, "More time would decide it.")

    return judge


def test_a_short_table_follows_what_is_said(judged):
    says = words.text([judged(100, 300, 0.05)]).splitlines()
    assert (
        says[0].startswith("new takes 2") and "as long as old, and 5 % more is allowed" in says[0]
    )
    assert says[0].endswith("(read 64 KiB, cached)")
    old, new = says[1:3]
    assert old.split()[0] == "old" and new.split()[0] == "new"
    assert old.count("#") < new.count("#") and "fresh processes" in says[3]
    assert max(map(len, says[1:])) <= 80


def test_what_would_decide_is_said_only_where_something_is_open(judged):
    faster, open_ = judged(300, 100, 0.05), judged(100, 101, 0.0, budget=1.0)
    assert words.sentence(faster).startswith("new takes 0.") or "1/" in words.sentence(faster)
    assert "More time" not in words.text([faster])
    assert words.sentence(open_).startswith("not decided whether new takes longer: it ")
    assert "More time would decide it." in words.text([open_])


@pytest.mark.parametrize(
    ("given", "allowed"), [("5%", 0.05), (0.1, 0.1), ("0%", 0.0), (0, 0.0), ("0.0 %", 0.0)]
)
def test_what_is_allowed_may_be_nothing(given, allowed):
    assert comparing._allowed(given) == allowed


@pytest.mark.parametrize("given", ["", "-1%", "much", "200%", None])
def test_what_is_allowed_is_a_share(given):
    with pytest.raises(UserError, match="max_slowdown"):
        comparing._allowed(given)


def call(label: str, failure: str | None = None):
    return SimpleNamespace(
        runtime=SimpleNamespace(label=label), failure=failure, told=f"read(): {failure}"
    )


def test_a_version_that_fails_alone_is_told_from_one_that_cannot_be_compared():
    assert comparing._failing([call("old"), call("new")]) == ""
    assert comparing._failing([call("old"), call("new", "no")]).startswith("new fails, and old")
    with pytest.raises(UserError, match="old fails, so nothing"):
        comparing._failing([call("old", "no"), call("new")])
    with pytest.raises(UserError, match="old and new fail"):
        comparing._failing([call("old", "no"), call("new", "no")])
