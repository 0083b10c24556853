"""Which way is advised, of cases whose times and precision a test sets; and the lines on it."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from iogauge.advice import choice
from iogauge.advice.choice import Advice, Ways
from iogauge.analysis.casereport import CaseReport
from iogauge.decision.best import Pairs
from iogauge.decision.comparison import Comparison
from iogauge.decision.pooled import Pooled
from iogauge.decision.sets import Control
from iogauge.decision.verdict import answer_of
from iogauge.outputs import advice
from tests.reports import case_report

INF = math.inf
REPORT = SimpleNamespace(run=SimpleNamespace(header=None), caveats=())


def case(name: str, ns: float, effort: int = 2, **parameters: int) -> CaseReport:
    return case_report(name, ns, parameters=parameters, effort=effort)


def choose(
    *cases: CaseReport,
    width=0.005,
    ratios=(),
    unmet=(),
    noise: Control | None = None,
    tolerance: float = 0.05,
    in_most: bool = False,
) -> Advice:
    """Of cases whose ratios are those of their times, or one of the `ratios` by pair of places.
    Their logs are known to ± `width`, all alike or by pair; the `unmet` were measured too seldom.
    """
    logs = np.log([each.ns_per_op.center for each in cases])
    centers = logs[:, None] - logs
    for (one, other), ratio in dict(ratios).items():
        centers[one, other], centers[other, one] = math.log(ratio), -math.log(ratio)
    counts = np.full(centers.shape, 12)
    counts[[*unmet]], counts[:, [*unmet]] = 0, 0
    nothing = np.zeros_like(centers)
    pairs = Pairs(centers, nothing, nothing + 9, counts, np.broadcast_to(width, centers.shape))
    pool = Pooled(pairs, noise, len(cases) - 1)
    order = sorted(range(len(cases)), key=lambda place: cases[place].simplicity)
    found = pool.answer(order, tolerance)
    costs = pool.costs(found, tolerance)
    known = {
        place: replace(
            each,
            vs_best=cost and replace(cost, eliminated=each.eliminated),
            is_best=place == found.costs.best,
        )
        for place, (each, cost) in enumerate(zip(cases, costs, strict=True))
    }
    places = {each.case.key: place for place, each in enumerate(cases)}

    def compare(one: CaseReport, other: CaseReport) -> Comparison | None:
        return pool.compare(places[one.case.key], places[other.case.key], 0.03)

    group = SimpleNamespace(cases=(*known.values(),), tolerance=tolerance, ceiling=None)
    ways = Ways(answer_of(found, order, known, tolerance), compare, lambda *_: in_most, 1)
    return choice.choose(REPORT, group, ways, len(cases), 4)


def name(found) -> str | None:
    """`x/stream 64K`, of a choice or of another way with its cost."""
    way = found.choice if isinstance(found, Advice) else found and found[0]
    return way and way.case.label


EASY, HARD = case("x/easy", 104, 1), case("x/hard", 100, 4)


def test_the_simplest_that_is_surely_near_the_best():
    found = choose(
        case("x/mapped", 100, 4), case("x/stream", 103, 2, block=65536), case("x/all", 180, 1)
    )
    assert (name(found), found.sure, found.leads) == ("x/stream 64K", True, False)
    assert (name(found.fastest), name(found.simpler)) == ("x/mapped", "x/all")
    ratios = found.fastest[1].center, found.simpler[1].center
    assert ratios == pytest.approx((100 / 103, 180 / 103))
    assert (found.smaller, found.simplest) == (None, None), "no way is named twice"
    assert (found.among, found.uncompared, found.beyond_ceiling, found.runs) == (3, 0, 4, 1)
    assert found.worst == pytest.approx(1.03 * math.exp(0.005))


def test_among_equally_simple_ones_the_smallest_block():
    sizes = {8192: 150, 65536: 103, 1 << 20: 100}
    found = choose(*(case("x/stream", ns, block=block) for block, ns in sizes.items()))
    assert (name(found), found.sure, name(found.smaller)) == ("x/stream 64K", True, "x/stream 8K")
    assert found.smaller[1].center == pytest.approx(150 / 103)
    assert name(choose(case("x/a", 150, block=1), case("x/b", 100, block=2)).smaller) is None


def test_of_those_that_are_easier_the_fastest_and_the_easiest_are_named():
    found = choose(HARD, case("x/middle", 150, 2), case("x/other", 160, 2), case("x/all", 300, 1))
    assert (name(found.simpler), name(found.simplest)) == ("x/middle", "x/all")
    assert choose(case("x/best", 100, 1), case("x/hard", 200, 4)).simpler is None


@pytest.mark.parametrize(
    ("easy", "width", "tolerance", "chosen", "sure", "worst"),
    [
        (104, 0.005, 0.05, "x/easy", True, 1.045),
        (104, 0.03, 0.05, "x/hard", True, 1),  # perhaps it is near, but the other one surely is
        (104, 0.2, 0.05, "x/easy", False, 1.27),  # so far it is near enough
        (106, 0.2, 0.05, "x/hard", False, 1.152),
        (104, INF, 0.05, "x/easy", False, INF),  # nothing is bounded
        (300, INF, 0.05, "x/hard", False, INF),
        (108, 0.005, 0.05, "x/hard", True, 1),
        (108, 0.005, 0.1, "x/easy", True, 1.085),  # good enough is what the run asked for
    ],
)
def test_a_simpler_way_is_taken_where_it_is_near_enough(
    easy, width, tolerance, chosen, sure, worst
):
    found = choose(case("x/easy", easy, 1), HARD, width=width, tolerance=tolerance)
    assert (name(found), found.sure, found.leads) == (chosen, sure, chosen == "x/hard")
    assert found.worst == pytest.approx(worst, abs=0.001)


def test_where_nothing_is_sure_it_is_the_fastest_so_far():
    found = choose(case("x/easy", 120, 1), case("x/middle", 106, 2), HARD, width=0.2)
    assert (name(found), found.sure, found.leads, found.fastest) == ("x/hard", False, True, None)
    assert found.worst == pytest.approx(math.exp(0.2) / 1.06)


def test_a_narrow_interval_is_no_reason_where_nothing_is_sure():
    """What took less time is taken, though another one may lose less."""
    narrow = np.array([[0, 0.1, 0.1], [0.1, 0, 0.4], [0.1, 0.4, 0]])
    cases = case("x/easy", 110, 1), HARD, case("x/other", 105, 4)
    assert name(choose(*cases, width=narrow)) == "x/hard"


def test_the_fastest_is_so_beside_the_others_and_not_by_its_own_time():
    """What was measured in one quiet replicate of three took less time there; beside the other it
    took longer.
    """
    cases = case("x/once", 90), case("x/always", 100)
    assert name(choose(*cases, ratios={(0, 1): 1.6}, width=INF)) == "x/always"


def test_what_leads_and_is_not_advised_is_named_and_whether_it_leads_in_most_replicates():
    for in_most in (True, False):
        found = choose(EASY, HARD, width=0.2, in_most=in_most)
        assert (name(found), name(found.fastest), found.in_most) == ("x/easy", "x/hard", in_most)


def test_identical_code_that_differs_makes_nobody_sure():
    """A control that does not differ may be noisy: nearly every short run's is."""
    cases, noisy, alarm = (case("x/a", 100), case("x/b", 150)), (0, -0.15, 0.15), (0.2, 0.1, 0.3)
    assert choose(*cases).sure and choose(*cases, noise=Control(*noisy, 12)).sure
    assert not choose(*cases, noise=Control(*alarm, 12)).sure


def test_an_eliminated_way_is_no_choice_and_makes_nobody_unsure():
    """It was measured too seldom to be known well."""
    behind = replace(case("x/easy", 320, 1), eliminated=True)
    widths = np.array([[1.1, 1.1, 1.1], [1.1, 0.005, 0.005], [1.1, 0.005, 0.005]])
    found = choose(behind, case("x/stream", 100), case("x/other", 120), width=widths)
    assert (name(found), found.sure, name(found.simpler)) == ("x/stream", True, "x/easy")
    assert found.fastest is None


def test_an_eliminated_way_is_not_called_the_fastest():
    lucky = replace(case("x/lucky", 320, 4), eliminated=True)
    found = choose(lucky, EASY, HARD, ratios={(0, 1): 0.9})
    assert (name(found), name(found.fastest)) == ("x/easy", "x/hard")
    kept = choose(replace(lucky, eliminated=False), EASY, HARD, ratios={(0, 1): 0.9})
    assert name(kept.fastest) == "x/lucky", "it would be, measured to the end"


def test_what_was_eliminated_against_something_else_is_no_reason_to_be_sure():
    """The best of the group need not be one that may be advised: two that are far behind it can be
    as fast as one another.
    """
    behind = replace(case("x/easy", 320, 1), eliminated=True)
    found = choose(behind, case("x/stream", 290), width=INF)
    assert (name(found), found.sure, found.worst) == ("x/stream", False, INF)


def test_what_could_not_be_compared_is_left_out_and_counted():
    cases = case("x/seldom", 90, 1), case("x/stream", 100), case("x/other", 150)
    found = choose(*cases, unmet=[0])
    assert (name(found), found.among, found.uncompared) == ("x/stream", 2, 1)
    assert (found.fastest, found.simpler, found.simplest, found.smaller) == (None,) * 4


# the lines on it


def test_how_sure_it_is(snapshot):
    """A bound that tells nothing is left out: of a cold read 46500 times the time of another was
    reported, after three replicates.
    """
    cases = case("x/easy", 106, 1), HARD
    leading = choose(case("x/easy", 99, 1), HARD, width=8.0)
    assert {
        "sure": advice._how_sure(choose(EASY, HARD)),
        "the fastest so far": advice._how_sure(choose(*cases, width=0.2)),
        "the fastest so far, nothing is bounded": advice._how_sure(choose(*cases, width=8.0)),
        "the simplest is the fastest so far": advice._how_sure(leading),
        "simpler, for now": advice._how_sure(choose(EASY, HARD, width=0.2)),
    } == snapshot


def test_what_else_there_is(snapshot):
    """A way that is several things is named once, and one that differs in a value with it, though
    that is its default.
    """
    on_average, easy = choose(EASY, HARD, width=0.2), case("x/easy", 120, 1)
    own = replace(on_average.fastest[0], case=EASY.case, strategy=EASY.strategy)
    sizes = [case("x/lines", ns, buffer=size) for ns, size in ((100, 65536), (120, 8192))]
    stream, middle, slow = case("x/stream", 103), case("x/middle", 150), case("x/all", 300, 1)
    others = {
        "ahead so far": choose(EASY, HARD, width=0.2, in_most=True),
        "ahead on average": on_average,
        "two things at once": replace(on_average, simpler=on_average.fastest),
        "two ways": replace(on_average, smaller=(own, on_average.fastest[1])),
        "surely faster, and what is simpler costs": choose(stream, HARD, slow),
        "the simplest, too": choose(HARD, middle, slow),
        "a smaller buffer": choose(*sizes),
        "bounds that tell nothing": choose(easy, HARD, width=8.0),
        "bounds that tell something": choose(easy, HARD, width=0.2),
        "dropped early": choose(replace(slow, eliminated=True), HARD, width=0.3),
    }
    assert {situation: advice.others(found) for situation, found in others.items()} == snapshot


def test_what_others_cost_is_told_against_the_fastest_as_show_does():
    """`show` said `over 1.7x` of what `advise` said takes over 1.1x as long: as the choice."""
    found = choose(case("x/all", 300, 1), case("x/stream", 103), HARD)
    assert name(found) == "x/stream"
    best = Comparison(2, 1, 1.7, 1.5, 2.4, 9, "slower", False)
    found = replace(found, simpler=(replace(found.simpler[0], vs_best=best), found.simpler[1]))
    says = "Simpler: x/all takes 1.5-2.4x as long as the fastest."
    assert says in advice.others(found)
    assert says not in advice.others(replace(found, runs=2)), "runs are pooled"
    leading = replace(found.choice, is_best=True)
    assert says not in advice.others(replace(found, choice=leading))
