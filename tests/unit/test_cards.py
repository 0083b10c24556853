"""Cards of a page: dots on their scale, what tells the groups of a question apart, verdicts of
publications, and the picture of published beside measured times.
"""

from __future__ import annotations

import itertools
import math
import re

import pytest
from msgspec.structs import replace

from iogauge.model.workload import Conditions, Workload
from iogauge.outputs import contract, html, phrases
from iogauge.outputs.contract import (
    AcrossGroups,
    Case,
    Claim,
    Export,
    Group,
    Level,
    RatioToCase,
    Recommendation,
    Set,
)
from iogauge.outputs.document import Document, Page, Source
from iogauge.outputs.html import cards, dots, publications, scatter
from iogauge.outputs.html.cards import Card, ShownRun, SpanCard
from iogauge.outputs.html.scatter import Point
from tests import fake_study

RUN = contract.Run(id="run", study="a-study", title="A study", protocol="sound")


def case(name: str, ratio: float | None, lo=None, hi=None, **more) -> Case:
    language, strategy = name.split("/")
    given = {
        "key": name,
        "label": name,
        "display": strategy.title(),
        "strategy": name,
        "language": language,
        "runtime": f"{language}-1",
        "options": (),
        "params": {},
        "workload": Workload(size=1 << 20),
        "conditions": Conditions(cache="warm"),
        "ns_per_op": Level(center=ratio and 1000 * ratio),
        "bytes_per_s": Level(),
        "vs_best": RatioToCase(ratio=ratio, lo=lo, hi=hi),
        "best": ratio == 1,
        **dict.fromkeys(("eliminated", "impossible"), False),
        "of_ceiling": None,
    }
    return Case(**given | more)


def advised(of: str, state: str = "decided", case: str | None = None) -> Recommendation:
    short = f"{case} {state}"
    more = {"state": state, "case": case, "short": short, "says": "Use it."}
    return Recommendation(set=of, language=of, for_now="" if state == "open" else None, **more)


def group(*cases: Case, name: str = "g", **more) -> Group:
    given = {
        "id": name,
        "question": "Which?",
        "title": "read",
        "baseline": None,
        "suspended": False,
        "tolerance": 0.1,
        "ceiling": None,
        "knees": (),
        "cases": cases,
        "recommendations": (advised("a", case=cases[0].key),),
    }
    return Group(**given | more)


def card(*groups: Group) -> Card:
    return Card(RUN, "", "Which?", groups, ())


def test_a_dot_stands_on_a_logarithmic_scale_that_holds_all_intervals():
    found = dots.of([group(case("a/best", 1.0), case("a/slow", 1.8, 1.6, 2.7))], [""])
    ((name, (best, slow)),) = found.sets
    assert name == Set("a") and (best.name, slow.name) == ("Best", "Slow")
    ticks = {label: place for place, label in found.ticks}
    per_e = (ticks["3x"] - ticks["best"]) / math.log(3)
    (dot,) = slow.dots
    for place, ratio in ((dot.at, 1.8), (dot.left, 1.6), (dot.right, 2.7), (found.zone[1], 1.1)):
        assert place == pytest.approx(ticks["best"] + per_e * math.log(ratio), abs=0.2)
    assert best.dots[0].at == ticks["best"] == found.zone[0]
    assert best.chosen and not slow.chosen and not dot.beyond


def test_what_is_beyond_the_scale_is_told_from_what_is_at_its_end():
    cases = case("a/best", 1.0), case("a/ten", 10.0, 9.0, 10.0), case("a/far", 400.0, 300.0, 500.0)
    found = dots.of([group(*cases)], [""])
    ((_, rows),) = found.sets
    assert [row.dots[0].beyond for row in rows] == [False, False, True]
    assert rows[2].dots[0].right == rows[1].dots[0].at, "the interval ends with the scale"


def test_a_dot_that_nothing_was_compared_with_has_no_line_and_what_was_not_measured_no_dot():
    cases = [
        case("a/best", 1.0),
        case("a/once", None, ns_per_op=Level(center=2000.0)),
        case("a/none", None, failures=("broken",)),
        case("a/some", 2.0, 1.5, None),
        case("a/far", 10.0, 9.0, 10.0),
    ]
    ((_, (best, once, none, some, far)),) = dots.of([group(*cases)], [""]).sets
    assert once.dots[0].left is once.dots[0].right is None and not once.dots[0].faded
    assert once.dots[0].at == some.dots[0].at, "where nothing is compared, levels are"
    assert some.dots[0].right == far.dots[0].right, "as far as the scale reaches"
    for_now = replace(advised("a", "open", "a/best"), for_now="a/best")
    still_open = replace(group(*cases), recommendations=(for_now,))
    ((_, (ahead, *_)),) = dots.of([still_open], [""]).sets
    other = replace(for_now, for_now="a/some")
    ((_, (passed, *_)),) = dots.of([replace(still_open, recommendations=(other,))], [""]).sets
    assert (best.cost, best.chosen) == ("use this", True)
    assert (ahead.cost, ahead.chosen) == (phrases.FOR_NOW, False)
    assert passed.cost == "fastest so far"
    assert none.dots == (None,) and none.cost == "failed"


def test_a_range_that_says_little_is_a_faded_line_and_does_not_stretch_the_scale():
    cases = [
        case("a/best", 1.0),
        case("a/close", 1.2, 1.0, 1.4),
        case("a/anything", 1.3, 1.0, 8.0),
        case("a/unknown", 1.4),
        case("a/slower", 2.0, 1.3, 9.0),
    ]
    ((_, rows),) = dots.of([group(*cases)], [""]).sets
    best, close, anything, unknown, slower = (row.dots[0] for row in rows)
    assert [dot.faded for dot in (close, anything, unknown, slower)] == [False, True, True, False]
    assert best.left is None and not best.faded
    assert unknown.left == anything.left == best.at and unknown.right > slower.right
    narrow = dots.of([group(*cases[:4])], [""])
    assert [label for _, label in narrow.ticks][-1] == "1.5x"


def test_every_row_says_the_speed_or_the_time_and_over_panels_the_range():
    speed = {"bytes_per_s": Level(center=2e9)}
    one = group(case("a/x", 1.0, **speed), case("a/y", 2.0, 1.9, 2.1, cost="1.9-2.1x", **speed))
    found = dots.of([one], [""])
    ((_, (x, y)),) = found.sets
    assert (found.figure, x.speed, y.cost) == ("speed", "2.00 GB/s", "1.9-2.1x")
    slow = {"bytes_per_s": Level(center=1e9)}
    two = group(case("a/x", 1.0, **slow), case("a/y", 5.0, 4.0, 6.0, cost="4-6x", **slow))
    ((_, (x, y)),) = dots.of([one, two], ["1", "2"]).sets
    assert (x.speed, y.cost) == ("1.00 GB/s - 2.00 GB/s", "4-6x")
    durable = Conditions(cache=None, durability="fsync")
    waits = dots.of([group(case("a/x", 1.0, conditions=durable, **speed))], [""])
    assert waits.figure == "time each" and waits.sets[0][1][0].speed == "1.00 µs"


def test_of_many_cases_the_best_of_each_strategy_is_drawn_and_what_is_recommended():
    many = []
    for way, block in itertools.product(range(4), range(5)):
        names = {"label": f"a/way{way} {block}", "key": f"{way} {block}"}
        many.append(case(f"a/way{way}", 1.0 + way + block / 10, **names))
    asked = group(*many, recommendations=(advised("a", case="2 3"),))
    found = dots.of([asked], [""])
    ((_, rows),) = found.sets
    assert {row.case.key for row in rows} == {"0 0", "1 0", "2 3", "3 0"}
    assert found.left_out == 16


def test_few_circumstances_have_a_chart_each_and_many_are_panels_of_one():
    sizes = [
        group(case("a/x", 1.0, workload=Workload(size=mib << 20)), name=str(mib))
        for mib in (1, 2, 4, 8)
    ]
    few, many = card(*sizes[:3]).parts, card(*sizes).parts
    assert [(where, part.dots.panels) for where, part in few] == [
        ("1 MiB", ("",)),
        ("2 MiB", ("",)),
        ("4 MiB", ("",)),
    ]
    assert [(where, len(part.dots.panels)) for where, part in many] == [("", 4)]
    assert [where for where, _ in card(sizes[0]).parts] == [""]


def test_groups_of_a_question_are_panels_of_one_figure():
    warm, cold = (
        group(
            replace(case("a/x", 1.0), conditions=Conditions(cache=cache)),
            replace(case("a/y", 2.0), conditions=Conditions(cache=cache)),
            name=cache,
        )
        for cache in ("warm", "cold")
    )
    only = replace(cold, cases=cold.cases[:1])
    found = card(warm, only).dots
    assert found.panels == ("cached", "from disk")
    ((_, (x, y)),) = found.sets
    assert None not in x.dots and y.dots[1] is None


def test_the_line_of_a_card_says_what_to_use_and_on_what_it_depends():
    one = group(case("a/x", 1.0), name="small")
    larger = replace(one.cases[0], workload=Workload(size=2 << 20))
    two = replace(one, id="large", cases=(larger,))
    assert [(each.where, each.short) for each in card(one, two).lines("a")] == [("", "a/x decided")]
    other = replace(two, recommendations=(advised("a", "open", "a/y"),))
    lines = card(one, other).lines("a")
    assert [(each.where, each.is_sure) for each in lines] == [("1 MiB", True), ("2 MiB", False)]
    assert card(one, two).verdict[0] == "decided" and card(one, other).verdict[0] == "in part"
    told = advised("a", "open", "a/y")  # recommended; that a simpler case may do, too, is open
    sure = replace(two, recommendations=(replace(told, for_now=None),))
    assert card(one, sure).verdict[0] == "decided"
    assert card(one).lines("b") == []


def test_groups_that_nothing_tells_apart_have_their_ids():
    alike = group(case("a/x", 1.0))
    assert cards.circumstances([alike, replace(alike, id="h")]) == ["g", "h"]
    assert cards.circumstances([alike]) == [""]


def test_how_the_groups_of_a_question_compare_stands_on_their_card():
    asked = [group(case("a/x", 1.0), name="g"), replace(group(case("a/x", 1.0)), id="h")]
    other = replace(group(case("a/x", 1.0)), id="i", question="Another?")
    span = contract.Span(
        along="size",
        question="Which?",
        groups=("h", "g"),
        values=(1, 2),
        per="byte",
        answers=("So.",),
    )
    export = Export(runs=(RUN,), groups=(*asked, other), spans=(span,))
    found = ShownRun(Source(export), "", ()).cards
    assert [[span.span.answers for span in each.across] for each in found] == [[("So.",)], []]


def claim(name: str, verdict: str) -> Claim:
    unknown = dict.fromkeys(("why", "in_its_own_data", "in_its_own_data_because"))
    says = f"Statement {name}."
    return Claim(id=name, says=says, verdict=verdict, by_runtime={}, because="so", **unknown)


def test_a_statement_has_one_line_whoever_tested_it():
    found = publications.lines(
        {
            "sound": [claim("1", "refuted"), claim("2", "holds"), claim("3", "undecided")],
            "published": [claim("1", "holds"), claim("2", "not-testable"), claim("3", "undecided")],
        }
    )
    assert [(each.says[-2], each.word, each.otherwise) for each in found] == [
        ("1", "reproduced", "under control: not reproduced"),
        ("2", "reproduced", ""),
        ("3", "unclear", ""),
    ]
    assert publications.tally(found) == "Of 3 statements: 2 reproduced, 1 unclear."


def test_at_most_five_sentences_without_ids_of_groups():
    claims = [replace(claim(str(each), "refuted"), in_short=f"So {each}") for each in range(9)]
    asked = [
        replace(group(case("a/best", 1.0), case("a/slow", 2.0)), question=f"Which {number}?")
        for number in range(9)
    ]
    export = Export(runs=(RUN,), groups=tuple(asked), claims=tuple(claims))
    (found,) = publications.of([ShownRun(Source(export), "", ())])
    assert len(found.sentences) == 5
    assert found.sentences[1] == "Not reproduced: So 0."
    assert found.sentences[3] == "Which 0? A: Use it."
    assert publications.of([ShownRun(Source(replace(export, claims=())), "", ())]) == []


def test_points_stand_on_equal_scales():
    points = [Point("a", "even", "<b>", 2e6, 2e6), Point("b", "slower", "1 B", 2e6, 2e7)]
    drawn = scatter.svg(points)
    at = [
        tuple(map(float, each))
        for each in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', drawn)
    ]
    line = re.search(
        r'class="even".*?x1="([\d.]+)" y1="([\d.]+)" x2="([\d.]+)" y2="([\d.]+)"', drawn
    )
    x1, y1, x2, y2 = map(float, line.groups())
    (even, slower, *_) = at
    assert even[1] == pytest.approx(y1 + (y2 - y1) * (even[0] - x1) / (x2 - x1), abs=0.2)
    assert slower[0] == even[0] and slower[1] < even[1], "slower here is above the line"
    assert "even, &lt;b&gt;: published 2.00 ms, here 2.00 ms" in drawn and "<style>" not in drawn
    assert "<style>" in scatter.svg(points, alone=True)


def spanned(name: str, ratio: float, lo: float, hi: float, cost: str) -> AcrossGroups:
    bounds = {"ratio": ratio, "lo": lo, "hi": hi}
    return AcrossGroups(key=f"{name} cold", reference=name, cost=cost, outcome="slower", **bounds)


def test_a_span_has_a_dot_per_case_on_a_scale_where_the_first_value_is_1():
    cold = Conditions(cache="cold")
    warm = [case("a/map", 1.0), case("b/read", 1.0)]
    other = [
        case(each.key, ratio, key=f"{each.key} cold", conditions=cold)
        for each, ratio in zip(warm, (8.0, 0.5), strict=True)
    ]
    span = contract.Span(
        along="cache",
        question="How much longer?",
        groups=("warm", "cold"),
        values=("warm", "cold"),
        names=("warm", "cold"),
        per="operation",
        title="cached: cold against warm",
        says=("7-9x the time of warm",),
        next_steps="About 9 s more may decide.",
        across=(spanned("a/map", 8, 7, 9, "7-9x"), spanned("b/read", 0.5, 0.4, 0.6, "0.4-0.6x")),
    )
    found = SpanCard.of(span, [group(*warm, name="warm"), group(*other, name="cold")])
    assert found.title == "Cached: cold against warm" and found.first == "warm"
    assert found.answers == [
        ("cold", "7-9x the time of warm"),
        ("", "About 9 s more may decide."),
    ]
    drawn = found.dots
    assert [each.language for each, _ in drawn.sets] == ["a", "b"] and drawn.panels == ("",)
    (first,), (second,) = (rows for _, rows in drawn.sets)
    (slower,), (faster,) = first.dots, second.dots
    (one,) = (place for place, label in drawn.ticks if label == "1x")
    assert faster.at < faster.right < one < slower.left < slower.at < slower.right
    assert drawn.zone[0] < one < drawn.zone[1]
    assert (first.cost, first.speed) == ("7-9x", "8.00 µs")
    assert [(row.value, row.time, row.cost) for row in found.rows] == [
        ("warm", "1.00 µs", "1"),
        ("cold", "8.00 µs", "7-9x"),
        ("warm", "1.00 µs", "1"),
        ("cold", "500 ns", "0.4-0.6x"),
    ]


def test_the_figures_of_a_span_of_three_are_those_at_worst():
    ways = {"none": 1.0, "dsync": 10.0, "fsync": 8.0}
    groups, across = [], []
    for name, ratio in ways.items():
        conditions = Conditions(durability=name)
        one = case("a/write", ratio, key=f"a/write {name}", conditions=conditions)
        groups.append(group(one, name=name))
        if ratio > 1:
            compared = spanned("a/write", ratio, ratio, ratio, f"{ratio:.0f}x")
            across.append(replace(compared, key=one.key, reference="a/write none"))
    span = contract.Span(
        along="durability",
        question="How much longer?",
        groups=tuple(ways),
        values=tuple(ways),
        names=tuple(ways),
        per="operation",
        title="what waiting costs",
        answers=(),
        across=tuple(across),
    )
    ((_, (row,)),) = SpanCard.of(span, groups).dots.sets
    assert [dot.says for dot in row.dots] == ["10x", "8x"] and row.cost == "10x"


def test_questions_have_the_numbers_of_a_terminal_and_the_page_says_what_would_decide():
    """One question under two circumstances, and another one."""
    cases = [case("a/best", 1.0), case("a/slow", 2.0, cost="2x", note="2x", simplest=True)]
    ceiling = contract.Ceiling(bytes_per_s=1e3, least=1e3, most=1e3, strategy="c", runtime="rust-1")
    groups = [
        replace(group(*cases, name="one"), next_steps="About 9 s more.", ceiling=ceiling),
        replace(group(*cases, name="two"), question="What else?"),
        replace(group(*cases, name="three"), next_steps="About 9 s more."),
    ]
    run = replace(
        RUN,
        next_steps=("Question 2 needs a quieter machine.",),
        runtimes=(
            contract.Runtime(name="a-1", runner="a"),
            contract.Runtime(name="rust-1", runner="rust"),
        ),
    )
    export = Export(runs=(run,), groups=tuple(groups))
    first, second = ShownRun(Source(export), "", ()).cards
    assert (first.number, second.number) == ("1, 3", "2")
    assert [part.number for _, part in first.parts] == ["1", "3"]
    assert first.next_steps == ["About 9 s more."]
    ((_, (best, slow)),) = first.dots.sets
    assert slow.simplest and not best.simplest and slow.cost == "2x"
    (alone,) = ShownRun(Source(Export(runs=(RUN,), groups=(groups[1],))), "", ()).cards
    assert alone.number == "", "a question alone needs none"
    assert export.runtimes == "a-1", "what no case is of only finds the limits"


def test_questions_have_the_same_numbers_beside_other_runs(measured_once):
    asked = fake_study.group(fake_study.steady(20, 60), cache='["warm", "cold"]')
    asked += fake_study.group(fake_study.steady(20, 60), size="4K", identifier="small")
    source = Source(Document(measured_once(asked).run).export)
    for shown in ((source,), (source, source)):
        page = html.render(Page(shown))
        assert page.count("1, 2, 3 Which fake is fastest?") >= len(shown)
        assert len(re.findall(r">1 64 KiB, cached</h4>", page)) == len(shown)


def test_a_way_that_is_faster_than_the_plain_ones_is_itself_the_limit():
    ceiling = contract.Ceiling(bytes_per_s=1e9, least=1e9, most=1e9, strategy="c", runtime="rust-1")
    fast, slow = (case("a/best", 1.0, bytes_per_s=Level(center=each)) for each in (2e9, 0.5e9))
    assert card(replace(group(slow), ceiling=ceiling)).limit == "the machine's limit: 1.00 GB/s"
    assert card(replace(group(fast), ceiling=ceiling)).limit == (
        "no plain way was faster here than Best"
    )
    assert card(group(slow)).limit == ""
