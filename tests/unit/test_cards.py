"""Cards of a page: dots on their scale, what tells the groups of a question apart, verdicts of
publications, and the picture of published beside measured times.
"""

from __future__ import annotations

import itertools
import math
import re
from html import unescape

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
from iogauge.outputs.html import cards, dots, publications
from iogauge.outputs.html.cards import Card, ShownRun, SpanCard
from iogauge.outputs.html.publications import Point
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
    return Card(RUN, "", "Which?", groups)


def rows_of(*cases: Case, **more) -> list[dots.Row]:
    """Of a group alone, whose cases are of one set."""
    (rows,) = dots.of([group(*cases, **more)], [""]).sets.values()
    return rows


def test_dots_stand_on_a_logarithmic_scale_that_holds_all_intervals():
    found = dots.of([group(case("a/best", 1.0), case("a/slow", 1.8, 1.6, 2.7))], [""])
    ((name, (best, slow)),) = found.sets.items()
    assert name == Set("a") and (best.case.name, slow.case.name) == ("Best", "Slow")
    (dot,) = slow.dots
    assert (dot.ratio, dot.interval) == (1.8, (1.6, 2.7)) and found.scale.most == 3.0
    ticks = {label: place for place, label in found.ticks}
    per_e = (ticks["3x"] - ticks["best"]) / math.log(3)
    for ratio in (1.8, 1.6, 2.7):
        place = ticks["best"] + per_e * math.log(ratio)
        assert found.scale.place(ratio) == pytest.approx(place, abs=0.2)
    assert found.zone == (ticks["best"], found.scale.place(1.1)) and best.dots[0].ratio == 1.0
    assert best.chosen and not slow.chosen


def test_the_scale_ends_at_ten_times_the_best():
    found = dots.of([group(case("a/best", 1.0), case("a/far", 400.0, 300.0, 500.0))], [""])
    assert found.scale.most == 10.0
    assert found.scale.place(math.inf) == found.scale.place(10.0) == dots.ENDS[1]


def test_a_dot_that_nothing_was_compared_with_has_no_line_and_what_was_not_measured_no_dot():
    cases = [
        case("a/best", 1.0),
        case("a/once", None, ns_per_op=Level(center=2000.0)),
        case("a/none", None, failures=("broken",)),
        case("a/some", 2.0, 1.5, None),
    ]
    best, once, none, some = rows_of(*cases)
    assert once.dots[0].interval is None and not once.dots[0].faded
    assert once.dots[0].ratio == 2.0, "where nothing is compared, levels are"
    assert some.dots[0].interval == (1.5, math.inf)
    assert none.dots[0].ratio is None and none.cost == "failed"
    assert (best.cost, best.chosen) == (phrases.USE, True)
    for_now = replace(advised("a", "open", "a/best"), for_now="a/best")
    ahead, *_ = rows_of(*cases, recommendations=(for_now,))
    assert (ahead.cost, ahead.chosen) == (phrases.FOR_NOW, False)
    passed, *_ = rows_of(*cases, recommendations=(replace(for_now, for_now="a/some"),))
    assert passed.cost == "fastest so far"


def test_a_range_that_says_little_is_a_faded_line_and_does_not_stretch_the_scale():
    cases = [
        case("a/best", 1.0),
        case("a/close", 1.2, 1.0, 1.4),
        case("a/anything", 1.3, 1.0, 8.0),
        case("a/unknown", 1.4),
        case("a/slower", 2.0, 1.3, 9.0),
    ]
    best, close, anything, unknown, slower = (row.dots[0] for row in rows_of(*cases))
    assert [dot.faded for dot in (close, anything, unknown, slower)] == [False, True, True, False]
    assert best.interval is None and not best.faded
    assert unknown.interval == (1.0, math.inf) and anything.interval == (1.0, 8.0)
    assert dots.of([group(*cases[:4])], [""]).scale.most == 1.5


def test_every_row_says_the_speed_or_the_time_and_over_panels_the_range():
    speed, slow = {"bytes_per_s": Level(center=2e9)}, {"bytes_per_s": Level(center=1e9)}
    one = group(case("a/x", 1.0, **speed), case("a/y", 2.0, 1.9, 2.1, cost="1.9-2.1x", **speed))
    found = dots.of([one], [""])
    x, y = found.sets[Set("a")]
    assert (found.figure, x.speed, y.cost) == ("speed", "2.00 GB/s", "1.9-2.1x")
    two = group(case("a/x", 1.0, **slow), case("a/y", 5.0, 4.0, 6.0, cost="4-6x", **slow))
    x, y = dots.of([one, two], ["1", "2"]).sets[Set("a")]
    assert (x.speed, y.cost) == ("1.00 GB/s - 2.00 GB/s", "4-6x")
    durable = Conditions(cache=None, durability="fsync")
    waits = dots.of([group(case("a/x", 1.0, conditions=durable, **speed))], [""])
    assert waits.figure == "time each" and waits.sets[Set("a")][0].speed == "1.00 µs"


def test_of_many_cases_the_best_of_each_strategy_is_drawn_and_what_is_recommended():
    many = [
        case(f"a/way{way}", 1.0 + way + block / 10, label=f"{way} {block}", key=f"{way} {block}")
        for way, block in itertools.product(range(4), range(5))
    ]
    found = dots.of([group(*many, recommendations=(advised("a", case="2 3"),))], [""])
    assert {row.case.key for row in found.sets[Set("a")]} == {"0 0", "1 0", "2 3", "3 0"}
    assert found.left_out == 16


def test_few_circumstances_have_a_chart_each_and_many_are_panels_of_one():
    sizes = [
        group(case("a/x", 1.0, workload=Workload(size=mib << 20)), name=str(mib))
        for mib in (1, 2, 4, 8)
    ]
    few, many = card(*sizes[:3]).parts, card(*sizes).parts
    assert [where for where, _ in few] == ["1 MiB", "2 MiB", "4 MiB"]
    assert [part.dots.panels for _, part in few] == [[""]] * 3
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
    assert found.panels == ["cached", "from disk"]
    x, y = found.sets[Set("a")]
    assert None not in x.dots and y.dots[1] is None


def test_the_line_of_a_card_says_what_to_use_and_on_what_it_depends():
    one = group(case("a/x", 1.0), name="small")
    larger = replace(one.cases[0], workload=Workload(size=2 << 20))
    two = replace(one, id="large", cases=(larger, case("a/y", 1.0)))
    assert card(one, two).lines("a") == [("", "a/x decided", True)]
    other = replace(two, recommendations=(advised("a", "open", "a/y"),))
    lines = [("1 MiB", "a/x decided", True), ("2 MiB", "a/y open", False)]
    assert card(one, other).lines("a") == lines
    assert card(one, two).verdict[0] == "decided" and card(one, other).verdict[0] == "in part"
    told = advised("a", "open", "a/y")  # recommended; that a simpler case may do, too, is open
    sure = replace(two, recommendations=(replace(told, for_now=None),))
    assert card(one, sure).verdict[0] == "in part", "as the text below it says"
    assert card(one).lines("b") == []


def test_the_line_of_a_card_names_a_setting_only_where_it_matters():
    every = [("17", "cold"), ("17", "warm"), ("25", "cold"), ("25", "warm")]
    assert cards._told([*every[:1], *every[2:]], every) == "cold; 25, warm"
    assert cards._told(every[1:3], every) == "17, warm; 25, cold"
    alone = [("17", ""), ("25", "")]
    assert cards._told(alone[:1], alone) == "17"
    many = [("17", f"{size} MiB, cached") for size in range(9)]
    assert cards._told(many[:5], [*many, ("25", "1")]) == "5 of 10"
    assert cards._told([("", "cold")], [("", "cold"), ("", "warm")]) == "cold"


def test_groups_that_nothing_tells_apart_have_their_ids():
    alike = group(case("a/x", 1.0))
    assert cards.circumstances([alike, replace(alike, id="h")]) == ["g", "h"]
    assert cards.circumstances([alike]) == [""]


def test_how_the_groups_of_a_question_compare_stands_on_their_card():
    asked = [group(case("a/x", 1.0), name="g"), replace(group(case("a/x", 1.0)), id="h")]
    other = replace(group(case("a/x", 1.0)), id="i", question="Another?")
    of = {"along": "size", "question": "Which?", "groups": ("h", "g"), "values": (1, 2)}
    span = contract.Span(**of, per="byte", answers=("So.",))
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
    drawn = publications.picture(points)
    number = r'="([\d.]+)"'
    even, slower, *_ = re.findall(f"<circle cx{number} cy{number}", drawn)
    (x1, y1, x2, y2) = map(
        float,
        re.search(f'class="even".*?x1{number} y1{number} x2{number} y2{number}', drawn).groups(),
    )
    x, y = map(float, even)
    assert y == pytest.approx(y1 + (y2 - y1) * (x - x1) / (x2 - x1), abs=0.2)
    assert slower[0] == even[0] and float(slower[1]) < y, "slower here is above the line"
    assert "even, &lt;b&gt;: published 2.00 ms, here 2.00 ms" in drawn and "<style>" not in drawn
    assert "<style>" in publications.picture(points, alone=True)


def spanned(*names: str, **cases: tuple[float, ...]) -> SpanCard:
    """Of groups with these names: by case how many times as long it takes in each, from the first
    one on. Bounds are a tenth of it away.
    """
    groups, across = [], []
    for place, name in enumerate(names):
        conditions = Conditions(durability=name)
        of_group = []
        for way, ratios in cases.items():
            ratio = (1.0, *ratios)[place]
            made = case(f"{way}/write", ratio, key=f"{way} {name}", conditions=conditions)
            of_group.append(made)
            if place:
                bounds = {"ratio": ratio, "lo": 0.9 * ratio, "hi": 1.1 * ratio, "outcome": "slower"}
                reference = f"{way} {names[0]}"
                found = AcrossGroups(key=made.key, reference=reference, cost=f"{ratio}x", **bounds)
                across.append(found)
        groups.append(group(*of_group, name=name))
    span = contract.Span(
        along="durability",
        question="How much longer?",
        **{"groups": names, "values": names, "names": names, "per": "operation"},
        title="what waiting costs",
        says=("8x the time",),
        next_steps="About 9 s more may decide.",
        across=tuple(across),
    )
    return SpanCard(span, groups)


def test_a_span_has_a_dot_per_case_on_a_scale_where_the_first_value_is_1():
    found = spanned("none", "fsync", a=(8.0,), b=(0.5,))
    assert found.title == "What waiting costs"
    assert found.answers == [("fsync", "8x the time"), ("", "About 9 s more may decide.")]
    drawn = found.dots
    assert drawn.panels == ("",) and drawn.zone == tuple(map(drawn.scale.place, (1 / 1.1, 1.1)))
    assert list(drawn.sets) == [Set("a"), Set("b")]
    (slower,) = drawn.sets[Set("a")]
    assert (slower.dots[0].ratio, slower.dots[0].interval) == (8.0, (7.2, 8.8))
    assert (drawn.scale.place(1), "1x") in drawn.ticks and drawn.scale.least < 0.45
    assert (slower.cost, slower.speed) == ("8.0x", "8.00 µs")
    assert [row[1:] for row in found.rows] == [
        ("none", "1.00 µs", "1"),
        ("fsync", "8.00 µs", "8.0x"),
        ("none", "1.00 µs", "1"),
        ("fsync", "500 ns", "0.5x"),
    ]


def test_the_figures_of_a_span_of_three_are_those_at_worst():
    ((row,),) = spanned("none", "dsync", "fsync", a=(10.0, 8.0)).dots.sets.values()
    assert [dot.cost for dot in row.dots] == ["10.0x", "8.0x"] and row.cost == "10.0x"


def test_questions_have_the_numbers_of_a_terminal():
    """One question under two circumstances, and another one."""
    cases = [case("a/best", 1.0), case("a/slow", 2.0, cost="2x", note="2x", simplest=True)]
    groups = [group(*cases, name=name) for name in ("one", "two", "three")]
    groups[1] = replace(groups[1], question="What else?")
    names = ("a-1", "rust-1")
    runtimes = tuple(contract.Runtime(name=each, runner=each[:-2]) for each in names)
    export = Export(runs=(replace(RUN, runtimes=runtimes),), groups=tuple(groups))
    first, second = ShownRun(Source(export), "", ()).cards
    assert (first.numbers, second.numbers) == ((1, 3), (2,))
    assert [part.numbers for _, part in first.parts] == [(1,), (3,)]
    best, slow = first.dots.sets[Set("a")]
    assert slow.simplest and not best.simplest and slow.cost == "2x"
    (alone,) = ShownRun(Source(replace(export, groups=(groups[1],))), "", ()).cards
    assert alone.numbers == (), "a question alone needs none"
    assert export.runtimes == "a-1", "what no case is of only finds the limits"


def test_questions_have_the_same_numbers_beside_other_runs_and_say_once_what_would_decide(
    measured_once,
):
    asked = fake_study.group(fake_study.steady(20, 60), cache='["warm", "cold"]')
    asked += fake_study.group(fake_study.steady(20, 60), size="4K", identifier="small")
    export = Document(measured_once(asked).run).export
    groups = tuple(replace(each, next_steps="About 9 s more.") for each in export.groups)
    source = Source(replace(export, groups=groups))
    for shown in ((source,), (source, source)):
        page = html.render(Page(shown))
        assert page.count("1, 2, 3 Which fake is fastest?") >= len(shown)
        assert len(re.findall(r">1 64 KiB, cached</h4>", page)) == len(shown)
        assert page.count("About 9 s more.") == 3 * len(shown), "once for each circumstance"
    many = (*groups, replace(groups[0], id="more"))  # are panels of one
    page = html.render(Page((Source(replace(export, groups=many)),)))
    assert page.count("About 9 s more.") == 1


def test_what_would_decide_has_a_command_to_copy(measured_once):
    asked = fake_study.group(fake_study.steady(20, 60)) + fake_study.group(
        fake_study.steady(20, 60), size="4K", identifier="small"
    )
    export = Document(measured_once(asked).run).export
    run = replace(export.runs[0], options={"budget": "5s", "tolerance": "5%"}, study="quick")
    step = contract.NextStep(kind="time", replicates=9, budget="2m")
    for found, shown in ((step, 1), (replace(step, budget=None), 0), (None, 0)):
        one = replace(export.groups[0], next_steps="About 67 s more.", next_step=found)
        groups = (one, *export.groups[1:])
        page = html.render(Page((Source(replace(export, runs=(run,), groups=groups)),)))
        command = "iogauge run quick --budget 2m --tolerance 5%"
        assert unescape(page).count(command) == shown
    assert html.again(replace(run, options={"file": ["F"]}), "2m") == "iogauge F --budget 2m"
    advised = replace(run, options={"advise": ["--size", "1M"]})
    assert html.again(advised, "2m") == "iogauge advise --size 1M --run --budget 2m"
    of_commands = replace(run, options={"command": ["cat {file}"], "budget": "5s"})
    assert "--budget 2m --seed" in html.again(of_commands, "2m")


def test_a_way_that_is_faster_than_the_plain_ones_is_itself_the_limit():
    ceiling = contract.Ceiling(bytes_per_s=1e9, least=1e9, most=1e9, strategy="c", runtime="rust-1")
    fast, slow = (case("a/best", 1.0, bytes_per_s=Level(center=each)) for each in (2e9, 0.5e9))
    assert card(replace(group(slow), ceiling=ceiling)).limit == "the machine's limit: 1.00 GB/s"
    assert card(replace(group(fast), ceiling=ceiling)).limit == (
        "no plain way was faster here than Best"
    )
    assert card(group(slow)).limit == ""
