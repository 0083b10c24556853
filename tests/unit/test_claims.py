"""Each kind of test on cases made by hand, and what a claim's verdict makes of several findings."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import get_args

import numpy as np
import pytest
from scipy.stats import norm

from iogauge.claims.checking import check
from iogauge.claims.comparable import Comparable, Entry
from iogauge.claims.findings import Finding
from iogauge.claims.kinds import KINDS
from iogauge.claims.verdicts import verdict
from iogauge.decision.comparison import Comparison, as_comparison
from iogauge.model.errors import UserError
from iogauge.outputs import statements
from iogauge.statistics.intervals import Interval
from iogauge.study.loading import parse
from iogauge.study.schema import TEST_KEYS, Claim, ClaimTest, Kind
from tests import reports
from tests.reports import case_report


def comparable(
    times: dict[str, float | None],
    *,
    width: float = 0.01,
    group: str = "g",
    failures: dict[str, str] | None = None,
    setting: str | None = None,
) -> Comparable:
    """Cases with their times, None without one; every ratio is known to ± `width` (of the log).
    Names are variants: `x/a(block=8)`.
    """
    failures = failures or {}
    entries = []
    for variant, ns in times.items():
        strategy, _, inside = variant.removesuffix(")").partition("(")
        parameters = {
            name: int(value)
            for name, _, value in (each.partition("=") for each in inside.split(",") if each)
        }
        runtime = setting and setting.partition(" ")[0]
        failure = failures.get(variant)
        entries.append(Entry(variant, strategy, parameters, ns, setting, failure, None, runtime))

    def compare(case: int, reference: int, comparisons: int):
        if None in (entries[case].ns, entries[reference].ns):
            return None
        center = math.log(entries[case].ns / entries[reference].ns)
        found = Interval(center, center - width, center + width, 12)
        return as_comparison(case, reference, found, 0.0, math.log1p(0.03))

    return Comparable(group, tuple(entries), compare)


def claim(*tests: dict, **more) -> Claim:
    return Claim(id="c", says="s", test=[ClaimTest.model_validate(each) for each in tests], **more)


def answer(kind: str, comparables: list[Comparable] | Comparable, **keys) -> str:
    some = comparables if isinstance(comparables, list) else [comparables]
    return verdict(claim({"kind": kind, **keys}), some, {each.group for each in some}).answer


def test_every_kind_of_test_that_a_study_may_use_can_be_carried_out():
    assert set(KINDS) == set(get_args(Kind)) == set(TEST_KEYS)


ABC = comparable({"x/a": 100, "x/b": 200, "x/c": 100.5})
FAR = comparable({"x/a": 100, "x/b": 5000})
NEAR = comparable({"x/a": 100, "x/b": 102, "x/c": 120})
RANKED = comparable({"x/a": 100, "x/b": 101, "x/c": 200})
LEVEL = comparable(
    {"x/a(block=1)": 1000, "x/a(block=2)": 500, "x/a(block=4)": 490, "x/a(block=8)": 488}
)
TWO_WAYS = comparable(
    {"x/a(block=2)": 500, "x/a(block=4)": 490, "x/b(block=2)": 300, "x/b(block=4)": 150}
)
SERIES = comparable(
    {"x/a(block=8)": 80, "x/a(block=1)": 1000, "x/a(block=2)": 500, "x/a(block=4)": 510}
)
SIZES = comparable(
    {"x/a(block=8)": 100, "x/a(block=64)": 10, "x/b(buffer=8)": 110, "x/b(buffer=64)": 11}
)
MARGIN = comparable({"x/a": 100, "x/b": 98, "x/c": 80, "x/d": 130})
A_B, A_C = {"cases": "x/a", "than": "x/b"}, {"cases": "x/a", "than": "x/c"}
ALONG = {"cases": "x/a*", "along": "block"}
FASTER = {"kind": "faster-than", "groups": "here", **A_B}


def unsure(**times: float) -> Comparable:
    """Cases of the way x whose ratios are known to 10 % only."""
    return comparable({f"x/{name}": ns for name, ns in times.items()}, width=0.1)


@pytest.mark.parametrize(
    ("kind", "found", "keys", "expected"),
    [
        ("faster-than", ABC, A_B, "holds"),
        ("faster-than", ABC, {"cases": "x/b", "than": "x/a"}, "refuted"),
        ("faster-than", ABC, A_C, "refuted"),  # no difference that anybody asked for
        ("faster-than", unsure(a=100, c=104), A_C, "undecided"),
        ("faster-than", ABC, {"cases": "x/*", "than": "x/b"}, "holds"),  # none with itself
        ("faster-than", FAR, A_B | {"factor": [25, 100]}, "holds"),
        ("faster-than", FAR, A_B | {"factor": [60, 100]}, "refuted"),
        ("faster-than", FAR, A_B | {"factor": [50, 100]}, "undecided"),  # it holds the limit
        ("faster-than", FAR, A_B | {"factor": [25]}, "holds"),
        ("faster-than", SIZES, {"cases": "x/a*", "than": "x/b*", "same": True}, "holds"),
        ("faster-than", SIZES, {"cases": "x/a*", "than": "x/b*"}, "refuted"),
        ("about-equal", NEAR, A_B, "holds"),
        ("about-equal", NEAR, A_C, "refuted"),
        ("about-equal", NEAR, A_C | {"margin": "25%"}, "holds"),
        ("about-equal", NEAR, {"cases": "x/*"}, "refuted"),  # all among themselves
        ("about-equal", unsure(a=100, b=102), A_B, "undecided"),
        ("not-faster-than", MARGIN, {"cases": ["x/b", "x/d"], "than": "x/a"}, "holds"),
        ("not-faster-than", MARGIN, {"cases": "x/c", "than": "x/a"}, "refuted"),
        ("not-faster-than", MARGIN, {"cases": "x/c", "than": "x/a", "margin": "30%"}, "holds"),
        ("not-faster-than", unsure(a=100, b=95), {"cases": "x/b", "than": "x/a"}, "undecided"),
        ("fastest", RANKED, {"cases": "x/a"}, "holds"),  # another is the same, none is faster
        ("fastest", RANKED, {"cases": "x/b"}, "holds"),
        ("fastest", RANKED, {"cases": "x/c"}, "refuted"),
        ("fastest", RANKED, {"cases": "x/c", "among": "x/c*"}, "not-testable"),
        ("fastest", unsure(a=100, b=95), {"cases": "x/a"}, "undecided"),
        ("slowest", RANKED, {"cases": "x/c"}, "holds"),
        ("slowest", RANKED, {"cases": "x/a"}, "refuted"),
        ("plateau", LEVEL, ALONG | {"beyond": 2}, "holds"),
        ("plateau", LEVEL, ALONG | {"beyond": 1}, "refuted"),
        ("plateau", LEVEL, ALONG | {"beyond": 2, "margin": "1%"}, "refuted"),
        ("plateau", LEVEL, ALONG | {"beyond": 3}, "not-testable"),  # the start is not there
        ("plateau", TWO_WAYS, {"cases": "x/*", "along": "block", "beyond": 2}, "refuted"),
        ("monotone", SERIES, ALONG, "holds"),  # 2 % more is inside the margin
        ("monotone", SERIES, ALONG | {"margin": "0.5%"}, "refuted"),
        ("monotone", unsure(**{"a(block=1)": 100, "a(block=2)": 104}), ALONG, "undecided"),
        ("order-of", MARGIN, {"cases": ["x/c", "x/a", "x/d"]}, "holds"),
        ("order-of", RANKED, {"cases": ["x/a", "x/c", "x/b"]}, "refuted"),
    ],
)
def test_a_kind_of_test(kind, found, keys, expected):
    assert answer(kind, found, **keys) == expected


def test_about_equal_across_runtimes():
    one, other = (
        comparable({"x/a": ns}, setting=setting).entries[0]
        for ns, setting in ((100, "jvm-17"), (150, "jvm-25"))
    )
    both = Comparable("g", (one, other), comparable({"x/a": 100, "x/b": 150}).of_pair)
    assert answer("about-equal", both, cases="x/a", across="runtimes") == "refuted"
    assert answer("about-equal", both, cases="x/a") == "not-testable", (
        "within a runtime there is nothing to compare it with"
    )


def of_ratios(others: str, *found: Comparable, **keys) -> str:
    """Whether x/a takes longer than x/b in `far` than in these other groups."""
    keys = {"groups": "far", **A_B, "other": {"groups": [others], **A_B}, **keys}
    return answer("ratio-of-ratios", list(found), **keys)


def test_ratio_of_ratios():
    near, alike, far = (
        comparable({"x/a": ns, "x/b": 100}, group=group)
        for ns, group in ((150, "near"), (301, "near"), (300, "far"))
    )
    assert of_ratios("near", near, far) == "holds"
    # The other pair is looked for in all groups, not only in those of the test.
    assert of_ratios("far", near, far, groups="near") == "refuted"
    assert of_ratios("far", near, far, groups="near", either=True) == "holds", "they differ"
    assert of_ratios("far", alike, far, groups="near", either=True) == "undecided"


@pytest.mark.parametrize(
    ("time", "width", "expected"),
    [
        (300, 0.001, "holds"),
        (98, 0.001, "holds"),
        (90, 0.001, "refuted"),
        (98, 0.1, "undecided"),
    ],
)
def test_ratio_of_ratios_with_a_margin_is_not_less_by_more_than_that(time, width, expected):
    far = comparable({"x/a": time, "x/b": 100}, width=width, group="far")
    near = comparable({"x/a": 100, "x/b": 100}, width=0.001, group="near")
    assert of_ratios("near", far, near, margin="5%") == expected


def test_ratio_of_ratios_leaves_nothing_out():
    """Every other pair of the runtime counts, not the last; a failure, or a runtime without the
    other pair, keeps the claim from holding.
    """

    def pair(ns, group, setting="jvm-17", **more):
        return comparable({"x/a": ns, "x/b": 100}, group=group, setting=setting, **more)

    far, near, farther = pair(300, "far"), pair(150, "near-1"), pair(400, "near-0")
    failed = pair(150, "near-2", failures={"x/b": "no memory"})
    assert of_ratios("near*", far, near) == "holds"
    assert of_ratios("near*", far, farther, near) == "refuted", "the last would say that it holds"
    assert of_ratios("near*", far, near, pair(300, "far", "jvm-25")) == "undecided"
    assert of_ratios("near*", far, near, pair(1, "near-2", "jvm-25")) == "undecided"
    assert of_ratios("near*", far, near, failed) == "undecided"
    keys = {"groups": "far", **A_B, "other": {"groups": ["near*"], **A_B}}
    of = claim({"kind": "ratio-of-ratios", **keys})
    lacks = "could not be carried out as a whole (near-2: x/b: no memory)"
    assert lacks not in statements.reason(verdict(of, [far, near], {"far"}))
    assert lacks in statements.reason(verdict(of, [far, near, failed], {"far"}))


def test_a_rival_that_was_not_had_leaves_the_fastest_open_and_is_named():
    failed = comparable({"x/a": 100, "x/b": 200, "x/c": 300}, failures={"x/c": "no memory"})
    assert answer("fastest", failed, cases="x/a") == "undecided"
    assert answer("fastest", failed, cases="x/b") == "refuted", "one contradiction is enough"
    both = [comparable({"x/a": 100, "x/b": None}), comparable({"x/a": 1, "x/b": 2}, group="h")]
    assert answer("fastest", both, cases="x/a") == "undecided"
    assert answer("fastest", both, cases="x/b") == "refuted"
    here = comparable({"x/a": 100, "x/b": 200}, setting="jvm-17")
    there = comparable({"x/a": 100, "x/b": 200}, setting="jvm-25", failures={"x/a": "no memory"})
    assert answer("slowest", [here, there], cases="x/b") == "undecided"
    assert answer("fastest", [here, there], cases="x/a") == "undecided"
    found = verdict(claim({"kind": "fastest", "cases": ["x/a"]}), [failed], {"g"})
    assert statements.reason(found).endswith(
        "one of its tests could not be carried out as a whole (g: x/a and x/c: no memory)"
    )


def test_a_value_that_was_not_had_leaves_a_series_open():
    times = {"x/a(block=1)": 100, "x/a(block=2)": 50, "x/a(block=4)": 50}
    failed = comparable(times, failures={"x/a(block=4)": "no memory"})
    for found in (failed, comparable(times | {"x/a(block=4)": None})):
        both = [found, comparable(times, group="h")]
        assert answer("plateau", both, **ALONG, beyond=2) == "undecided"
        assert answer("monotone", both, **ALONG) == "undecided"
    without_start = comparable(times | {"x/a(block=2)": None})
    assert answer("plateau", without_start, **ALONG, beyond=2) == "not-testable"


def test_another_setting_of_the_same_runtime_is_compared_by_its_options():
    both = comparable({"x/free": 100, "x/locked": 150, "x/other": 300})
    settings = ("jvm-17", "jvm-17 -XX:+UseBiasedLocking", "jvm-25 -XX:+UseBiasedLocking")
    entries = zip(both.entries, settings, strict=True)
    found = replace(both, entries=tuple(replace(each, setting=of) for each, of in entries))
    keys = {"cases": "x/free", "options": "-XX:+UseBiasedLocking"}
    assert answer("faster-than", found, than="x/locked", **keys) == "holds"
    assert answer("faster-than", found, than="x/locked", factor=[2], **keys) == "refuted"
    assert answer("faster-than", found, than="x/other", **keys) == "not-testable", (
        "that is another runtime"
    )


def test_the_comparison_that_says_most_is_cited_first():
    of = claim({"kind": "faster-than", "cases": "x/a", "than": "x/*"})

    def cited(*found: Comparable):
        return verdict(of, list(found), {found[0].group}).findings[0]

    for times in ({"x/b": 120, "x/c": 900, "x/d": 300}, {"x/b": 90, "x/c": 20, "x/d": 900}):
        assert cited(comparable({"x/a": 100, **times})).reference == "x/c", "the farthest"
    vague, known = (
        comparable({"x/a": 100, "x/b": 104}, width=width, group=f"g{width}") for width in (5, 0.1)
    )
    assert cited(vague, known).group == "g0.1", "of what is undecided, what is known best"


def test_the_reason_is_that_of_the_comparison_that_is_cited():
    found = comparable({"x/a": 100, "x/b": 50, "x/c": 10})
    tests = [FASTER | {"groups": "*", "than": than, "why": than} for than in ("x/b", "x/c")]
    assert verdict(claim(*tests), [found], {"g"}).deciding.why == "x/c"
    other = {"kind": "faster-than", "cases": "x/a", "than": "x/b", "why": "because"}
    of = claim({"kind": "faster-than", "cases": "x/b", "than": "x/a"}, other, why="otherwise")
    assert verdict(of, [found], {"g"}).deciding.why == "because", "a reason of its own for a test"


def test_a_claim_that_is_wrong_somewhere_holds_no_more_often_than_a_single_comparison_errs():
    """By simulation: ten comparisons, nine true and one without a difference. And ten without one
    refute a claim that they are equal as seldom.
    """
    draw, pairs = np.random.default_rng(1), {"cases": "x/a", "than": "x/*"}
    held, refuted, shared, runs = 0, 0, 0, 500
    for _ in range(runs):
        noise = draw.normal(size=11)
        nearly = with_noise([0.0] + [-9.0] * 9, noise)
        held += answer("faster-than", nearly, **pairs) == "holds"
        of_ten = replace(nearly, comparisons=10)
        shared += all(of_ten.compare(0, other).outcome == "faster" for other in range(1, 11))
        equal = with_noise([0.0] * 10, noise)
        refuted += answer("about-equal", equal, **pairs, margin=0.01) == "refuted"
    assert 0.01 < held / runs < 0.05, "one side of 5 %"
    assert shared / runs < 0.01, "the error shared by ten would be a tenth of that"
    assert refuted / runs < 0.07


def with_noise(differences: list[float], noise: np.ndarray) -> Comparable:
    """One case against ten others: each true difference (of the log) is known with the same noise,
    whose SD is 1.
    """

    def compare(case: int, reference: int, comparisons: int):
        center = differences[reference - 1] + float(noise[reference])
        half = float(norm.ppf(1 - 0.05 / comparisons / 2))
        found = Interval(center, center - half, center + half, 12)
        return as_comparison(case, reference, found, 0.0, 0.01)

    names = ["x/a", *(f"x/{number}" for number in range(len(differences)))]
    return Comparable("g", tuple(Entry(name, name, {}, 1.0) for name in names), compare)


def test_what_cannot_be_compared_keeps_a_claim_from_holding():
    failed = comparable({"x/a": 100, "x/b": 200, "x/c": 300}, failures={"x/c": "no memory"})
    assert answer("faster-than", failed, **A_C) == "not-testable"
    assert answer("faster-than", failed, cases="x/a", than="x/nowhere") == "not-testable"
    assert answer("faster-than", failed, cases="x/a", than=["x/b", "x/c"]) == "undecided"
    assert answer("faster-than", failed, cases="x/b", than=["x/a", "x/c"]) == "refuted", (
        "one contradiction is enough all the same"
    )


def test_one_contradiction_refutes_and_one_doubt_leaves_it_open():
    sure, against = (
        comparable({"x/a": a, "x/b": b}, group=group)
        for a, b, group in ((100, 200, "g1"), (200, 100, "g3"))
    )
    doubtful = comparable({"x/a": 100, "x/b": 104}, width=0.1, group="g2")
    assert answer("faster-than", [sure], **A_B) == "holds"
    assert answer("faster-than", [sure, doubtful], **A_B) == "undecided"
    assert answer("faster-than", [sure, doubtful, against], **A_B) == "refuted"
    assert answer("faster-than", [sure, against], groups="g1", **A_B) == "holds"
    found = verdict(
        claim({"kind": "faster-than", **A_B}), [sure, doubtful, against], {"g1", "g2", "g3"}
    )
    assert "1 of 3 comparisons speak against it" in statements.reason(found)


TOO_LARGE = {"cases": "x/a", "reason": "too large"}
FAILS = {"kind": "fails-with", "groups": "*beyond", **TOO_LARGE, "elsewhere": "here"}
TASTE = {"kind": "remark", "answer": "a matter of taste"}


def test_a_claim_holds_only_if_each_of_its_tests_was_carried_out():
    here, slow = (comparable({"x/a": a, "x/b": 150}, group="here") for a in (100, 200))
    both = {"here", "beyond"}
    found = verdict(claim(FASTER, FAILS), [here], both)
    assert found.answer == "undecided" and found.incomplete == 1
    assert "one of its tests could not be carried out" in statements.reason(found)
    assert verdict(claim(FASTER, FAILS), [here], {"here"}).answer == "holds", (
        "its source has no such group"
    )
    assert verdict(claim(FASTER, FAILS), [slow], both).answer == "refuted"
    found = verdict(claim(FASTER, TASTE), [here], {"here"})
    assert found.answer == "holds", "words decide nothing"
    assert statements.reason(found).endswith("; a matter of taste"), "but they are said"
    large = tried(None, "beyond", failure="too large")
    found = verdict(claim(FASTER, FAILS), [slow, large], both)
    (failing,) = found.on_failures
    assert (found.answer, failing.answer, len(failing.alike)) == ("refuted", "holds", 1)
    assert "of failing, holds: x/a: too large (1 of 1 say so)" in statements.reason(found), (
        "what it says of failing is told, though something else decides"
    )
    assert verdict(claim(FAILS, TASTE), [here], both).answer == "not-testable", (
        "words do not stand for a test that was not made"
    )


def test_what_was_not_tried_does_not_work_and_does_not_fail():
    small, large = tried(100, "small"), tried(None, "large", failure="too large")
    for found, expected in (
        ([small, large], "holds"),
        ([small, tried(100, "large")], "refuted"),
        ([small, tried(None, "large")], "not-testable"),
        ([small, tried(None, "large", failure="no memory")], "undecided"),
        ([tried(None, "small"), large], "holds"),
        ([small], "not-testable"),  # that it works elsewhere is half of it
        ([small, tried(100, "large", impossible=True)], "not-testable"),  # it tells nothing
    ):
        assert answer("fails-with", found, **TOO_LARGE, elsewhere="small") == expected


def tried(ns, group, failure=None, impossible=False) -> Comparable:
    """x/a as a run has it: every case has a report, measured or not."""
    report = SimpleNamespace(case=SimpleNamespace(key="x/a"), impossible=impossible)
    entry = Entry("x/a", "x/a", {}, ns, "jvm-17", failure, report)
    return Comparable(group, (entry,), lambda *_: None)


def test_the_error_is_shared_by_all_comparisons_of_a_claim():
    """Twenty equal pairs: at 5 % each, one in two such claims would be refuted."""
    asked = []

    def compare(case: int, reference: int, comparisons: int):
        asked.append(comparisons)
        return as_comparison(case, reference, Interval(0.0, -0.1, 0.1, 3), 0.0, math.log1p(0.03))

    names = [f"x/{letter}" for letter in "abcde"]
    found = Comparable("g", tuple(Entry(name, name, {}, 1.0) for name in names), compare)
    assert answer("about-equal", found, cases="x/*") == "undecided"
    assert asked == [10, 1] * 10, "what it takes to refute it, and what to hold"


def test_so_many_runtimes_have_to_say_so():
    one, other, options = (
        comparable({"x/a": 100, "x/b": 200}, setting=each)
        for each in ("jvm-17", "jvm-25", "jvm-17 -XX:+UseZGC")
    )
    keys = {**A_B, "runtimes": 2}
    assert answer("faster-than", one, **keys) == "not-testable"
    found = verdict(claim({"kind": "faster-than", **keys}), [one], {"g"})
    assert statements.reason(found).endswith("it takes more runtimes to say so")
    assert answer("faster-than", [one, other], **keys) == "holds"
    assert answer("faster-than", [one, options], **keys) == "not-testable", "that is one runtime"
    against = comparable({"x/a": 200, "x/b": 100}, setting="jvm-17")
    assert answer("faster-than", against, **keys) == "refuted", "one is enough for that"


def test_a_remark_is_answered_in_words():
    unknown = "nobody measured {ns_per_op|x/a}"
    assert answer("remark", comparable({"x/a": 1}), answer=unknown) == "not-testable"
    assert answer("remark", comparable({"x/a": 1}), answer="a matter of taste") == "answered"


@pytest.mark.parametrize(
    ("figure", "share", "says"),
    [
        ("ns_per_op", None, "123 ns"),
        ("other_share", 0.7, "70 %"),
        ("other_share", 0.001, "<1 %"),
        ("other_share", 1.2, "about all"),
        ("other_share", None, None),
    ],
)
def test_a_figure_in_words(figure, share, says):
    """Measured alone, other work may take longer than inside the loop: that is no share above
    100 %.
    """
    measured = reports.comparable(case_report("x/a", 123, other_share=share))
    remark = {"kind": "remark", "answer": f"it takes {{{figure}|x/a}}"}
    expected = f"it takes {says}" if says else "nothing that it names was measured"
    assert statements.reason(verdict(claim(remark), [measured], {"g"})) == expected


def test_a_remark_with_a_bound_is_decided():
    found = reports.comparable(
        case_report("x/a", read_calls_per_op=100), case_report("x/b", read_calls_per_op=300)
    )
    calls = {"metric": "read_calls_per_op"}
    assert answer("remark", found, cases="x/*", **calls, at_most=300) == "holds"
    assert answer("remark", found, cases="x/*", **calls, at_most=200) == "refuted"
    assert answer("remark", found, cases="x/b", **calls, at_least=200) == "holds"
    failed = replace(found.entries[0].measured, failure="no memory")
    unknown = replace(found, entries=(replace(found.entries[0], measured=failed),))
    assert answer("remark", unknown, **calls, at_most=300) == "not-testable"


@pytest.mark.parametrize(
    ("center", "lo", "hi", "says"),
    [
        (1.57, 1.42, 1.74, "1.57 times (1.42–1.74)"),
        (27.7, 20.0, 38.0, "27.7 times (20.0–38.0)"),
        (4.32, 2.0, math.inf, "4.32 times (at least 2.00)"),
        (0.2, 0.0, 0.5, "0.200 times (at most 0.500)"),
        (0.463, 0.0, math.inf, "0.463 times (not known how sure)"),
    ],
)
def test_a_ratio_is_told_with_the_bounds_that_are_known(center, lo, hi, says):
    found = Comparison(0, 1, center, lo, hi, 12, "undecided", final=False)
    assert statements.times(found) == says


def on(*settings: str) -> tuple[Entry, ...]:
    """x/a and x/b with these settings."""
    names = zip(("x/a", "x/b"), settings, strict=True)
    return tuple(Entry(name, name, {}, 1.0, setting) for name, setting in names)


@pytest.mark.parametrize(
    ("center", "lo", "hi", "says"),
    [
        (1.57, 1.42, 1.74, "A takes 1.42 to 1.74 times as long as B on jvm-17"),
        (0.2, 0.1, 0.5, "B takes 2.00 to 10 times as long as A on jvm-17"),
        (0.9, 0.8, 1.1, "A takes 0.800 to 1.10 times as long as B on jvm-17"),
        (4.32, 2.0, math.inf, "A takes at least 2.00 times as long as B on jvm-17"),
        (0.2, 0.0, 0.5, "B takes at least 2.00 times as long as A on jvm-17"),
        (0.9, 0.0, 1.2, "A takes at most 1.20 times as long as B on jvm-17"),
        (
            0.45,
            0.0,
            math.inf,
            "B takes about 2.22 times as long as A, not known how sure, on jvm-17",
        ),
    ],
)
def test_for_readers_the_slower_case_comes_first_and_cases_have_their_names(center, lo, hi, says):
    found = Comparison(0, 1, center, lo, hi, 12, "undecided", final=False)
    named = Finding("holds", "g", on("jvm-17", "jvm-17"), found)
    assert statements.finding(named, lambda group, variant: variant[-1].upper()) == says


def test_a_pair_on_two_runtimes_names_both():
    found = Comparison(0, 1, 0.5, 0.4, 0.6, 12, "faster", final=True)
    named = Finding("holds", "g", on("jvm-17", "jvm-25"), found)
    exact = "g: x/a on jvm-17 takes 0.500 times (0.400–0.600) the time of x/b on jvm-25"
    assert statements.finding(named) == exact
    plain = "x/b on jvm-25 takes 1.67 to 2.50 times as long as x/a on jvm-17"
    assert statements.finding(named, lambda group, variant: variant) == plain


STUDY = """
id = "s"
title = "s"
[published_protocol]
[[group]]
id = "g"
question = "?"
protocol = "published"
size = 1024
[[group.case]]
strategy = "x/a"
[[published]]
table = "T"
group = "g"
strategy = "x/a"
along = "size"
unit = "ms"
values = [[1024, 1.5]]
[[claim]]
id = "c"
says = "?"
[[claim.test]]
kind = "fastest"
cases = "x/a"
"""
PLANNED = [comparable({"x/a": 1.0, "x/a(block=8)": 1.0, "x/a(block=9)": 1.0})]

VALUES, CASES, KIND, SAYS = "[1024, 1.5]", 'cases = "x/a"', 'kind = "fastest"', 'says = "?"'
TITLE, TEST, TABLE = 'title = "s"', f"{KIND}\n{CASES}", 'strategy = "x/a"\nal'
PROTOCOL, OF_TABLE, OF_TEST = (
    "[published_protocol]",
    r"published\[0\].values",
    r"claim\[0\].test\[0\]",
)


def of_kind(kind: str, cases: str = "x/*", **more: str | int) -> str:
    """The test of the study, of another kind."""
    keys = {"kind": kind, "cases": cases, **more}
    return "\n".join(f"{key} = {value!r}" for key, value in keys.items())


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (VALUES, "[1025, 1.5]", f"{OF_TABLE}: 1025 is no size of the group g; allowed: 1024"),
        (CASES, 'cases = "x/b"', rf"{OF_TEST}.cases: 'x/b' names no case of this .*x/a"),
        (KIND, f'{KIND}\ngroups = "h*"', rf"{OF_TEST}.groups: 'h\*' names no group"),
        (SAYS, 'says = "It is eight times as fast."', r"s\.toml: claim\[0\]\.says: .*; make"),
        (SAYS, f'{SAYS}\nwhy = "{{x|x/a}}"', r"claim\[0\]: .*'x' is no figure; there are: ns_"),
        (SAYS, f'{SAYS}\nwhy = "{{ns_per_op|x/a|h}}"', r"claim\[0\]: .*: 'h' names no group"),
        (TITLE, f'{TITLE}\nrepeated = [["x/a", "x/d"]]', r"repeated\[0\]: 'x/d' names no case"),
        (TITLE, f'{TITLE}\nrepeated = [["x/*", "x/a"]]', r"repeated\[0\]: 'x/\*' names no case"),
        (TABLE, TABLE.replace("x/a", "x/c"), f"{OF_TABLE}: x/c is no case of"),
        (TEST, of_kind("fastest"), f"{OF_TEST}: a test of the kind fastest that has nothing to"),
        (TEST, of_kind("order-of", "x/a"), "kind order-of that has nothing to compare"),
        (TEST, of_kind("monotone", along="blokc"), "monotone that has nothing to compare"),
        (TEST, of_kind("plateau", along="block", beyond=7), "plateau that has nothing to compare"),
    ],
)
def test_what_names_no_case_is_told_with_its_key(old, new, says):
    check(parse(STUDY, "s.toml"), "s.toml", PLANNED)
    assert old in STUDY
    with pytest.raises(UserError, match=says):
        check(parse(STUDY.replace(old, new), "s.toml"), "s.toml", PLANNED)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (VALUES, "[1024, 1.5]]\ndoubtful = [512", r"\.doubtful: 512 is no place of this table's"),
        (VALUES, "[1024, -1.5]", f"{OF_TABLE}: -1.5 is not a time or a rate"),
        (VALUES, '[1024, "x"]', f"{OF_TABLE}: 'x' is not a time or a rate"),
        (VALUES, "[1024, 1.5, -1]", f"{OF_TABLE}: -1 is not an error"),
        (VALUES, "[1024, 1.5], [1024, 2]", "two numbers for 1024"),
        (VALUES, "[1.5]", r"a row is \[place, number\]"),
        ('"ms"', '"days"', r"published.0..unit: 'days' is not allowed; allowed: 'ns'"),
        (KIND, 'kind = "quickest"', rf"{OF_TEST}.kind: 'quickest' is not allowed; allowed: "),
        (CASES, f"{CASES}\nbeyond = 3", "beyond does not apply to a test of the kind fastest"),
        (TEST, of_kind("fails-with", reason="("), rf"{OF_TEST}.reason: '\(' is no regular expr"),
        (
            TEST,
            of_kind("faster-than", than="x/a") + "\nfactor = [3, 2]",
            "a number above 0, or a smaller and a larger one",
        ),
        (TEST, of_kind("plateau"), "along is missing, which a test of the kind plateau needs"),
        ('group = "g"', 'group = "h"', r"published\[0\].group: 'h' is no group .*; there are: g"),
        (PROTOCOL, "", "published_protocol is missing"),
        (PROTOCOL, f"{PROTOCOL}\nwarm_ups = 5", "iteration is missing"),
    ],
)
def test_a_wrong_number_or_claim_is_refused(old, new, says):
    assert old in STUDY
    with pytest.raises(UserError, match=says):
        parse(STUDY.replace(old, new, 1), "s.toml")
