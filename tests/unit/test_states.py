"""Answers that depend on how a file came into the page cache: what is decided, and how it is said."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest
from msgspec.structs import replace as replace_struct

from iogauge.advice import mapping, studies
from iogauge.advice.wanted import Wanted
from iogauge.analysis.groupreport import Across
from iogauge.analysis.spans import SpanReport, in_states
from iogauge.commands import then_read
from iogauge.decision.states import over_states
from iogauge.model.errors import UserError
from iogauge.model.plan import Skipped
from iogauge.model.workload import Conditions, in_several_states
from iogauge.outputs import contract, details, headings, html, skipped, spans, states
from iogauge.outputs.contract import InStates, Set
from iogauge.outputs.document import Document, Page, Source
from iogauge.outputs.html.cards import SpanCard, circumstances
from iogauge.outputs.html.slopes import Line, Point
from iogauge.statistics import quantiles
from tests.answers import all_open, answer, case, compared, group, maybe, slower, sure
from tests.reports import declared, interval, on_console, runtime
from tests.runs import empty_run, replanned
from tests.unit.test_cards import case as exported
from tests.unit.test_cards import group as exported_group

LARGE, SMALL, ORDER = "write-large", "write-small", "read-sequential"


def cached(by, cache="warm"):
    return Conditions(cache=cache, cached_by=by)


def read(lo=None, hi=None):
    """A plain read, the simplest; the best where it has no cost."""
    return case("Read") if lo is None else slower("Read", lo, hi)


def mapped(lo=None, hi=None):
    return case("mmap") if lo is None else slower("mmap", lo, hi)


def good(chosen, *members):
    """Of these, the simplest first, this one is recommended."""
    return answer(*members, recommended=chosen)


WINS = sure(read(1.3, 1.5), mapped())
LOSES = good(plain := read(), plain, mapped(1.8, 2.0))
LOSES_MORE = good(least := read(), least, mapped(1.9, 2.1))
NEARLY = good(near := slower("Read", 1.03, 1.08), near, mapped())


def said(*found):
    """What is said of these answers, each in a state of its own."""
    values = [ORDER, LARGE, SMALL, "read-random"][: len(found)]
    groups = [
        group(each, conditions=cached(value), of_states=True)
        for each, value in zip(found, values, strict=True)
    ]
    over = in_states(groups)
    return states.says(groups[0], over["go"], values) if over else None


# the headings


def test_groups_say_how_the_file_came_into_the_cache_where_the_run_has_several():
    each = [cached(ORDER), cached(SMALL), cached(None, "cold")]
    assert in_several_states(each) and not in_several_states(each[::2])
    groups = [group(WINS, conditions=one, of_states=True) for one in each]
    assert [headings.question(one, checked=False) for one in groups] == [
        "Which? (cached, read in order)",
        "Which? (cached, written in small pieces)",
        "Which? (from disk)",
    ]
    assert headings.label(groups[0]) == "Read 16 MiB, cached, read in order"


@pytest.mark.parametrize(
    ("by", "says"),
    [
        (ORDER, "cached"),
        (None, "cached"),
        (LARGE, "cached, written in large pieces"),
        ("as-left", "cached, left as it was"),
    ],
)
def test_a_state_alone_is_told_where_it_is_not_the_usual_one(by, says):
    assert headings.label(group(WINS, conditions=cached(by))) == f"Read 16 MiB, {says}"


def test_panels_of_a_page_are_told_apart():
    groups = [
        exported_group(exported("c/read", 1.0, conditions=cached(by)), name=by)
        for by in (ORDER, SMALL)
    ]
    assert circumstances(groups) == ["cached, read in order", "cached, written in small pieces"]


def test_of_an_older_run_nobody_knows_how_its_file_came_into_the_cache():
    (says,) = headings.unknown_state([cached(None), cached(None)])
    assert "is not known" in says
    known = [cached(ORDER), cached(None, "cold"), Conditions(durability="none")]
    assert headings.unknown_state(known) == []


# what is decided


def test_the_simplest_way_that_is_good_enough_in_each_state_is_used():
    found = over_states([NEARLY, LOSES], lambda each: each.strategy.title)
    assert found.kind == "same" and found.use.cases[0].strategy.title == "Read"
    assert [way.cases[0].strategy.title for way in found.turning] == ["mmap"]


def test_where_none_is_the_one_that_is_least_behind_where_it_is_worst():
    found = over_states([WINS, LOSES], lambda each: each.strategy.title)
    assert found.kind == "turns" and found.use.cases[0].strategy.title == "Read"
    assert found.use.worst == pytest.approx(1.4)
    far = sure(read(3, 4), mapped())
    found = over_states([far, LOSES], lambda each: each.strategy.title)
    assert found.use.cases[0].strategy.title == "mmap" and found.use in found.turning


def test_nothing_turns_where_it_is_not_sure():
    open_ = all_open(maybe("Read", 1.5), mapped())
    assert over_states([open_, LOSES], lambda each: each.strategy.title).kind == "open"
    hardly = good(best := read(), best, slower("mmap", 1.03, 1.15))
    found = over_states([WINS, hardly], lambda each: each.strategy.title)
    (turning,) = found.turning
    assert turning.cases[0].strategy.title == "Read", "the other may be within the tolerance"


def test_a_way_that_one_state_lacks_is_none():
    assert over_states([WINS, sure(mapped())], lambda each: each.strategy.title) is None


def test_states_without_an_answer_are_not_compared():
    able = group(WINS, conditions=cached(ORDER))
    assert in_states([able, able]).keys() == {"go"}
    assert not in_states([able, replace(able, suspended=True)])
    few = sure(slower("Read", 1.3, 1.5, replicates=2), case("mmap", replicates=2))
    assert not in_states([able, group(few, conditions=cached(LARGE))])
    beyond = replace(able, cases=tuple(replace(each, impossible=True) for each in able.cases))
    assert not in_states([able, beyond]), "of the others one may be better"


# words


def test_what_turns_over_is_said():
    assert said(WINS, LOSES) == (
        "mmap is fastest if the file was read in order; it takes 1.8-2x as long if it was written "
        "in large pieces. If you do not know, use Read: at its worst it takes 1.3-1.5x as "
        "long as the fastest."
    )
    assert said(WINS, WINS, LOSES, LOSES_MORE).startswith(
        "mmap is fastest if the file was read in order or written in large pieces; it takes "
        "1.8-2.1x as long if it was written in small pieces or read at random."
    )
    far = sure(read(3, 4), mapped())
    assert said(far, LOSES) == (
        "Read is fastest if the file was written in large pieces; it takes 3-4x as long if it was "
        "read in order. If you do not know, use mmap: at its worst it takes 1.8-2x as "
        "long as the fastest."
    )
    never = sure(read(2.4, 2.6), mapped())
    assert said(never, never, LOSES).endswith(
        "use mmap: at its worst it takes 1.8-2x as long as the fastest."
    )


def test_what_is_the_same_in_each_state_is_said():
    assert said(WINS, WINS) == "mmap is fastest, however the file came into the cache."
    assert said(NEARLY, LOSES) == (
        "Read is as fast as anything (within 10 %), however the file came into the cache. mmap is "
        "fastest if the file was read in order; it takes 1.8-2x as long if it was "
        "written in large pieces."
    )


def test_what_is_open_is_said():
    open_ = all_open(maybe("Read", 1.5), mapped())
    assert said(WINS, open_) == (
        "mmap is fastest if the file was read in order; not sure yet if it was written in large "
        "pieces."
    )
    assert said(open_, open_) == "mmap for now: not sure yet in any of the states."


def test_in_short_it_is_said_whether_it_depends():
    values = [ORDER, LARGE]

    def brief(*found):
        groups = tuple(
            group(each, conditions=cached(by)) for each, by in zip(found, values, strict=True)
        )
        over = in_states(groups)
        return states.briefly(SimpleNamespace(groups=groups, states=over, values=values))

    however = "However the file came into the cache: Go: "
    open_ = all_open(maybe("Read", 1.5), mapped())
    assert brief(WINS, WINS) == f"{however}mmap"
    assert brief(WINS, LOSES) == f"{however}it depends, Read loses least"
    assert brief(WINS, open_) == f"{however}mmap for now"
    assert states.briefly(SimpleNamespace(groups=[None], states={})) == ""
    groups = (group(WINS, conditions=cached(ORDER)),) * 2
    span = SimpleNamespace(groups=groups, states=in_states(groups), values=values)
    assert states.briefly(span, "Questions 1 and 2") == (
        "Questions 1 and 2, however the file came into the cache: Go: mmap"
    )


def test_where_all_states_are_alike_that_is_said_once():
    why = "btrfs keeps what is cached in folios of 4 KiB, however it came into the cache"
    left_out = [
        Skipped(what=f"g: cached by {each}", why=f"it is as {ORDER} here: {why}", alike=why)
        for each in (LARGE, SMALL)
    ]
    other = Skipped(what="java", why="no JDK")
    assert skipped.lines([*left_out, other]) == [
        "not measured: java: no JDK",
        f"{why}: measured once",
    ]
    assert other.model_dump() == {"what": "java", "why": "no JDK"}


def test_a_span_along_states_is_called_by_their_names():
    assert spans.value_name(SMALL) == "written in small pieces"


# the picture


def turned():
    """Two ways of a language that change places from one state to the other, and a third."""
    groups, values = [], (LARGE, SMALL)
    for by, times in zip(values, ((1.0, 1.5, 3.0), (3.0, 1.5, 3.0)), strict=True):
        cases = [
            exported(
                f"c/{way}",
                ratio,
                key=f"{way} {by}",
                conditions=cached(by),
                best=ratio == min(times),
            )
            for way, ratio in zip(("mmap", "read", "other"), times, strict=True)
        ]
        groups.append(exported_group(*cases, name=by))
    found = InStates(
        set="c",
        language="c",
        kind="turns",
        use=tuple(f"read {by}" for by in values),
        turning=(tuple(f"mmap {by}" for by in values),),
        says="It depends.",
    )
    span = contract.Span(
        along="cached_by",
        question="Which?",
        **{"groups": values, "values": values, "names": values, "per": "operation"},
        by_language=(found,),
    )
    return SpanCard(span, groups)


def test_the_picture_shows_that_the_ranking_turns_over():
    (drawn,) = turned().slopes
    assert drawn.set == Set("c") and drawn.says == "It depends."
    mapped, read, other = drawn.lines
    assert [each.name for each in drawn.lines] == ["Mmap", "Read", "Other"]
    assert [(each.turning, each.use) for each in drawn.lines] == [
        (True, False),
        (False, True),
        (False, False),
    ]
    assert [point.best for point in mapped.points] == [True, False]
    assert [point.best for point in read.points] == [False, True]
    assert mapped.points[0].y > read.points[0].y, "what takes longer is higher"
    assert mapped.points[1].y < read.points[1].y
    assert len({each.dash for each in drawn.lines}) == 3 and mapped.pieces


def test_no_line_is_drawn_across_a_state_in_which_a_way_failed():
    def point(place):
        return Point(place, 10.0 * place, 50.0, False, "")

    line = Line("Read", tuple(map(point, (0, 1, 3, 4))), False, False, "")
    assert [(one.place, other.place) for one, other in line.pieces] == [(0, 1), (3, 4)]


def test_nothing_is_drawn_along_anything_else():
    card = turned()
    assert not SpanCard(replace_struct(card.span, by_language=()), card.groups).slopes


# what was seen


@pytest.mark.parametrize(
    ("by", "folio", "other"),
    [
        (LARGE, 1 << 20, False),
        (LARGE, 4096, True),
        (SMALL, 4096, False),
        (SMALL, 65536, True),
        ("read-random", 1 << 20, True),
        (ORDER, 4096, False),  # read-ahead leaves all kinds
        (LARGE, None, False),
    ],
)
def test_other_folios_than_were_asked_for_are_told(by, folio, other):
    made = group(WINS, conditions=cached(by), folio_bytes=folio, resident_before=(1.0, 1.0))
    assert bool(headings.other_folios(made)) is other
    told = headings.observed(made, "sound")
    assert ("in folios of" in told) is (folio is not None)
    alike = replace(made, all_alike=True)
    assert not headings.other_folios(alike) and headings.label(alike) == "Read 16 MiB, cached"
    small = replace(made, workload=made.workload.model_copy(update={"size": 65536}))
    assert not (by == LARGE and headings.other_folios(small)), "no folio is larger than its file"


def test_the_size_of_folios_is_one_that_was_seen():
    assert quantiles.middle([4096, math.nan, 1 << 20]) == 4096
    assert quantiles.middle([math.nan]) is None


# a file of the user's


def of_mapping(made):
    return replace(made, strategy=made.strategy.model_copy(update={"mapped": True}))


@pytest.mark.parametrize(
    ("folio", "says"),
    [
        (4096, "cached in folios of 4 KiB, as small writes, or reads at random, leave it"),
        (65536, "cached in folios of 64 KiB, as copying a file leaves it"),
        (1 << 20, "cached in folios of 1 MiB, as large writes, or reading in order, leave it"),
    ],
)
def test_how_a_file_is_cached_is_one_line(folio, says):
    assert states.how_cached(folio, mapping.kind_of(folio), None) == says


def test_a_reader_is_told_why_nothing_is_measured():
    told = states.one_for_readers("btrfs keeps all alike", alike=True)
    assert told.startswith("It makes no difference to a reader how the file was written: btrfs")
    assert "is not measured: this kernel" in states.one_for_readers("this kernel", alike=False)


def test_where_all_files_are_alike_nothing_is_said_of_writes():
    why = "btrfs keeps what is cached in folios of 4 KiB, however it came into the cache"
    assert states.how_cached(4096, "small", why) == f"cached in folios of 4 KiB: {why}"
    assert states.how_cached(4096, None, None) == "cached in folios of 4 KiB"


def test_a_mapping_is_slow_or_fast_where_folios_decide():
    slow = good(plain := read(), plain, of_mapping(mapped(1.8, 2.0)))
    fast = sure(read(1.3, 1.5), of_mapping(mapped()))

    def here(found, folio, **more):
        return mapping.here(group(found, folio_bytes=folio, **more))

    def told(found, folio):
        return states.mapping_here(group(found), here(found, folio))

    assert not here(slow, 4096).fast
    assert told(slow, 4096) == (
        "A mapping is slow here. The file lies in folios of 4 KiB. A fault maps 64 KiB of such a "
        "file at most, page by page."
    )
    assert told(fast, 1 << 20) == (
        "A mapping is fast here. The file lies in folios of 1 MiB. A fault maps a whole one at "
        "once."
    )
    assert here(slow, 1 << 20) is None, "that is not why"
    assert here(fast, 4096) is None and here(fast, None) is None
    assert here(WINS, 1 << 20) is None, "nothing is mapped"
    assert here(fast, 1 << 20, suspended=True) is None
    assert here(fast, 1 << 20, replicates=2) is None, "nobody is sure yet"


def test_what_a_stored_run_tells_of_other_folios():
    def in_folios(by, folio, ns):
        found = sure(read(1.3, 1.5), replace(of_mapping(mapped()), ns_per_op=interval(ns)))
        return group(found, conditions=cached(by), folio_bytes=folio)

    def told(large, *, languages=("c", "go"), folio=4096):
        groups = in_folios(LARGE, 1 << 20, large), in_folios(SMALL, 4096, 1.6e6)
        span = SimpleNamespace(along="cached_by", groups=groups, tolerance=0.1)
        report = SimpleNamespace(spans=(span,))
        found = mapping.in_other_folios(report, languages, folio)
        return found and states.in_other_folios(found, {}, 4 * 86400)

    assert told(0.33e6) == (
        "Cached in large folios a mapping would take about 1/5 of the time in Go (seen on 16 MiB, "
        "4 days ago)."
    )
    assert "would take about 0.75x the time" in told(1.2e6)
    assert "would take about 0.5x the time" in told(0.78e6)
    assert told(1.55e6) is None, "so little may be noise"
    assert "Cached in small folios a mapping would take about 4x the time" in told(
        0.4e6, folio=1 << 20
    )
    assert told(0.4e6, languages=("c",)) is None
    assert told(0.4e6, folio=65536) is None, "such were not measured"


# who reads next


def test_what_writes_leave_to_a_reader_is_one_line():
    large = mapping.InOtherFolios("go", "large", 0.2, 16 << 20)
    assert states.left_behind(8192, large, {}, 60) == (
        "Calls of 8 KiB leave the file in small folios: a mapping of it takes about 5x as long as "
        "of one written in large pieces (Go, seen on 16 MiB, 1 min ago)."
    )
    small = mapping.InOtherFolios("go", "small", 4.1, 16 << 20)
    assert states.left_behind(1 << 20, small, {}, 60).startswith(
        "Calls of 1 MiB leave the file in large folios: a mapping of one written in small pieces"
    )


def test_what_it_takes_to_read_what_was_written_is_a_ratio_with_its_interval():
    read_by = [of_mapping(case("mmap")), case("Read", (1.5, 1.4, 1.6)), case("ReadFile", (2, 1, 9))]
    ratios = ((4.5, 4.1, 4.9), "slower"), ((1.0, 0.97, 1.04), "same"), ((1.6, 0.5, 3), "undecided")

    def placed(made, by):
        return replace(made, case=made.case.model_copy(update={"conditions": cached(by)}))

    rows = [[placed(each, by) for each in read_by] for by in (LARGE, SMALL)]
    groups = [group(answer(*row), conditions=row[0].case.conditions) for row in rows]
    across = [
        Across(second.case, first.case, compared(ratio, outcome))
        for (ratio, outcome), first, second in zip(ratios, *rows, strict=True)
    ]
    span = SpanReport(
        "cached_by",
        "What?",
        tuple(groups),
        (LARGE, SMALL),
        "operation",
        (1.0, 1.0),
        tuple(across),
        0.1,
        None,
    )
    assert spans.of_reader(span) == [
        "Reading it next: a file written in small pieces takes, against one in large pieces:",
        "  4.1-4.9x the time with mmap (mapped)",
        "  the same time, within 10 % with Read",
        "  not sure yet, about 1.6x the time so far with ReadFile",
        "  (5 repeats, ranges 95 % sure)",
    ]
    nobody = replace(span, across=())
    assert spans.of_reader(nobody) == ["Reading it next: no repeat has both states yet."]


MAPS = {"mapped": True, "unit": "file", "effort": 4}
ABLE = {
    "go/file-read": declared("go/file-read", ["block"]),
    "go/mmap": declared("go/mmap", **MAPS),
    "java/file-input-stream": declared("java/file-input-stream", ["block"]),
}


def test_then_read_measures_a_mapping_and_plain_calls_in_two_states():
    here = [runtime("x-1", ABLE.values())]
    wanted = Wanted("go", "write", size=1 << 20, durability="none")
    (asked,) = studies.read_after(wanted, here, 8 << 30, 13.0).group
    assert (asked.operation, asked.size, asked.content) == ("read", [1 << 20], ["bytes"])
    assert asked.axes()["cached_by"] == [LARGE, SMALL]
    assert {name: each.parameters for each in asked.case for name in each.strategy} == {
        "go/file-read": {"block": [131072]},
        "go/mmap": {},
    }
    assert studies.read_after(replace(wanted, language="java"), here, 8 << 30, 13.0) is None


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"operation": "read", "language": "go"}, "give --operation write"),
        ({"operation": "write"}, "name one --language"),
        ({"operation": "write", "language": "go", "as_json": True}, "leave out --json"),
        ({"operation": "write", "language": "go", "then": "write"}, "allowed: read"),
    ],
)
def test_then_read_has_its_options(given, says):
    usual = {"then": "read", "language": None, "as_json": False, "runs": None}
    with pytest.raises(UserError, match=says):
        then_read.check(SimpleNamespace(**{**usual, **given}))
    then_read.check(SimpleNamespace(**{**usual, "operation": "write", "language": "go"}))
    then_read.check(SimpleNamespace(**{**usual, "then": None, "operation": "read"}))


@pytest.mark.parametrize("known", [True, False])
def test_the_details_and_the_page_of_an_older_run_say_once_that_the_state_is_not_known(fake, known):
    run = empty_run(fake, 10)
    (only,) = run.plan.groups
    if not known:
        warm = Conditions(cache="warm")
        run = replanned(run, groups=(only.model_copy(update={"conditions": warm}),))
        cases = tuple(each.model_copy(update={"conditions": warm}) for each in run.plan.cases)
        run = replanned(run, cases=cases)
    document = Document(run)
    says = "How the file came into the cache is not known"
    text = " ".join(on_console(details.render(document)).split())
    page = html.render(Page((Source(document.export, run),)))
    assert [text.count(says), page.count(says)] == ([0, 0] if known else [1, 1])
    assert "(cached)" in text, "as before"
