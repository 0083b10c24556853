"""The texts on what is decided, for a person to review: in `__snapshots__/test_sentences.ambr`."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest

from iogauge.analysis.groupreport import Across, GroupReport
from iogauge.analysis.spans import SpanReport
from iogauge.decision.costs import Cost
from iogauge.decision.next_steps import NextStep
from iogauge.decision.verdict import CaseVerdict
from iogauge.outputs import next_steps, phrases, sentences, spans, table
from iogauge.outputs.phrases import Shown
from iogauge.statistics.intervals import Interval
from tests.answers import all_open, answer, case, compared, group, maybe, slower, sure, unchecked
from tests.reports import case_report, on_console

INF = math.inf
GO_ON = "iogauge run --resume newest"


BEST, SIMPLE, MIDDLE = case("mmap"), slower("Read", 1.43, 1.74), slower("ReadFile", 1.15, 1.25)
NEAR, FAR, SAME = (
    maybe("Read", 1.19),
    maybe("Read", 2.9, 1.14),
    case("Read", (1.04, 1, 1.09), "same"),
)
GOOD, FILE = slower("Read", 1.046, 1.06), slower("ReadFile", 3.5, 41)
ONCE = case("mmap", replicates=1), maybe("Read", INF, replicates=1)
NO_TIME = case("Read", ns_per_op=None)
BEYOND = [case(each, (0.5, 0.4, 0.6), impossible=True) for each in ("Buffered", "Direct")]
ALARM = {"suspended": True, "control": compared((0.8, 0.7, 0.9), "undecided", final=False)}


def simpler(*members):
    """Whether these will do is open."""
    return sure(*members, BEST, open=members)


def beside(slow):
    """This one is slower; another one may do."""
    return answer(FAR, BEST, slow, can_be_best=(FAR, BEST), open=(FAR,))


SITUATIONS = {
    "fastest, and what the simplest costs": sure(SIMPLE, MIDDLE, BEST),
    "the simplest is fastest, and the next one": answer(BEST, MIDDLE, recommended=BEST),
    "fastest, and nothing worth naming": sure(GOOD, BEST),
    "the simplest is good enough": answer(SAME, BEST, recommended=SAME),
    "surely slower, but good enough": answer(GOOD, BEST, recommended=GOOD),
    "only a bound is sure": sure(slower("Read", 2.38, 25), BEST),
    "slower by nobody knows how much": sure(slower("Read", 1.02, 25), BEST),
    "thousands of times as slow": sure(slower("Read 1", 2400, 3700), BEST),
    "a simpler one may do": simpler(NEAR),
    "simpler ones may do": simpler(NEAR, maybe("ReadFile", 2)),
    "a simpler one is slower, but may do": simpler(slower("Read", 1.06, 1.2)),
    "one may be as fast, one is slower": simpler(NEAR, slower("Gets", 1.06, 1.2)),
    "nobody knows what is simpler": simpler(unchecked(NEAR)),
    "too close to call": all_open(BEST, maybe("Read", 1.19, 1.15)),
    "three too close to call": all_open(BEST, NEAR, maybe("Gets", 1.25)),
    "a simpler one for now, too close to call": all_open(maybe("Read", 1.2, 1.09), BEST),
    "not known well enough": all_open(BEST, FAR),
    "simpler, for now": all_open(maybe("Read", 2, 1.09), BEST),
    "one to avoid": beside(slower("All", 1.9, 2.5)),
    "one is slower": beside(slower("All", 1.2, 1.3)),
    "one is hardly slower": beside(slower("All", 1.06, 9)),
    "one to avoid by a bound": beside(slower("All", 2.38, 25)),
    "one never met the best": answer(BEST, replace(FAR, vs_best=None), open=(BEST,)),
    "each is surely slower than another one": answer(BEST, SIMPLE, MIDDLE),
    "any other may be as fast": all_open(BEST, *(maybe(each, 4, 1.5) for each in "abc")),
    "many may be as fast, not all": answer(BEST, *(maybe(each, 4) for each in "abcd"), SIMPLE),
    "too few repeats": all_open(*ONCE),
    "only one": sure(BEST),
    "not measured yet": group(without=(NO_TIME,), provisional=True, samples=0),
    "nothing could be measured": group(without=(replace(NO_TIME, failure="no"),)),
    "identical code differed": group(sure(NEAR, BEST), **ALARM),
    "identical code differed, one is slower": group(sure(NEAR, FILE, BEST), **ALARM),
    "identical code differed, two are slower": group(
        sure(FILE, slower("Lines", 6, 60), BEST), **ALARM
    ),
    "faster than the limit": group(answer(BEST), without=(BEYOND[0],)),
    "two are faster than the limit": group(answer(BEST), without=(*BEYOND,)),
    "the baseline is faster than the limit": group(answer(BEST, NEAR), usable=False),
}


def test_what_to_use_in_every_situation(snapshot):
    told = {}
    for name, situation in SITUATIONS.items():
        of = situation if isinstance(situation, GroupReport) else group(situation)
        (found,) = sentences.of(of)
        notes = {
            of.name_of(each): phrases.note(found.verdict.of_case(each, 0.1)) for each in of.cases
        }
        told[name] = {"long": found.long, "short": found.short, "notes": notes}
        told[name] |= {"instead": found.instead} if found.instead else {}
    assert told == snapshot


def test_a_cost_in_a_table_and_in_a_line(snapshot):
    slow = [Cost("slower", *each) for each in ((2.98, 3.04), (1.06, 1.13), (1.58,), ())]
    open_ = Cost("open", 1, 1.61), Cost("open"), Cost("open", looks_slower=True)
    costs = *slow, *open_, Cost("same", 1, 1.09), Cost("unknown")
    assert {str(each): (phrases.cost(each), phrases.briefly(each)) for each in costs} == snapshot
    assert phrases.cost(None) == phrases.briefly(None) == phrases.note(CaseVerdict("none")) == ""


def test_a_ratio_among_the_details():
    ratios = {
        "1.57 (1.42–1.74)  ": compared((1.57, 1.42, 1.74)),
        "1.04 (1.00–1.09) =": compared((1.04, 1, 1.09), "same"),
        "1.57 (1.00–1.74) ~": compared((1.57, 1, 1.74), "undecided"),
        "1.57 (unsure) ~": compared((1.57, 0.2, 6.3), "undecided"),
        "≥ 2, about 4.32": compared((4.321, 2.0, 9), eliminated=True),
    }
    assert [table._compared(each, False).plain for each in ratios.values()] == [*ratios]


@pytest.mark.parametrize(("threads", "reached"), [(1, "0.900"), (2, "0.500")])
def test_the_ratio_of_a_ceiling_is_that_of_the_pairs_or_of_the_levels(threads, reached):
    """Of the levels, where the best was paired with another ceiling."""
    best = case_report(parameters={"threads": threads}, of_ceiling=Interval(0.9, 0.8, 1.0, 9))
    best = replace(best, is_best=True)
    ceiling = SimpleNamespace(ns_per_op=0.5e6, bytes_per_s=1e9, threads=1)
    _, ratio = table._ceiling_row(group(answer(best)), ceiling)
    assert ratio.plain.strip() == reached


# between sets
def sets(*more, **costs):
    """A set with the best of all, and others with what their best costs against that."""
    first, *others = [*more, *costs]
    of = [answer(case("read", of=each), slower("get", 2, 3, of=each)) for each in (first, *others)]
    found = [replace(each, recommended=each.best) for each in of]
    return group(*found, vs_overall={first: None, **costs})


def one_each(**costs):
    """The same, of one case each."""
    whole = sets("c", **costs)
    alone = [answer(each.best) for each in whole.answers.values()]
    return group(*alone, vs_overall=whole.vs_overall, compare="languages")


def undecided(*ratio):
    return compared(ratio, "undecided", final=False)


COSTLY, SURE = compared((1.2, 1.11, 1.31)), compared((1.5, 1.4, 1.6))
UNSURE, EVEN = undecided(1.2, 1, 3.1), compared((1, 0.98, 1.05), "same")
BETWEEN = {
    "slower": sets("go", java=COSTLY),
    "as fast": sets("go", java=EVEN),
    "slower, only a bound is sure": sets("go", java=compared((5.1, 2.38, 25))),
    "slower by nobody knows how much": sets("go", java=compared((5.1, 1.02, 25))),
    "may be as fast": sets("go", java=compared((1.2, 1, 1.31), "undecided")),
    "not sure": sets("go", java=UNSURE),
    "not sure of three": sets("go", java=UNSURE, rust=UNSURE),
    "sure of one of three": sets("go", java=COSTLY, rust=UNSURE),
    "versions of a runtime": sets("c on c-gcc-12.2.0", **{"c on c-clang-14.0.6": COSTLY}),
    "one way each": one_each(java=COSTLY),
    "many languages, sure": one_each(rust=EVEN, go=EVEN, java=SURE, node=compared((5, 2.3, 12))),
    "many languages, another may be the fastest": one_each(
        rust=undecided(1.1, 0.9, 1.3), go=undecided(2.5, 0.9, 7), java=SURE, node=None
    ),
}


def test_how_the_sets_compare(snapshot):
    """In sentences, and in a line."""
    assert {
        name: [sentences.between(of), sentences.side_by_side(of)] for name, of in BETWEEN.items()
    } == snapshot


def test_the_sets_are_compared_only_where_that_is_known():
    known = BETWEEN["slower"]
    for reason in ({"provisional": True}, {"suspended": True}):
        assert sentences.between(replace(known, **reason)) is None
    assert sentences.between(group(answer(SIMPLE, BEST))) is None


def test_all_there_is_to_say_of_a_group():
    """Each set, what would decide it, how they compare; the same of all sets only once."""
    near = case("map", of="java")
    java = answer(near, slower("Lines", 2, 3, of="java"), recommended=near)
    apart = group(sure(SIMPLE, BEST), java, vs_overall={"go": None, "java": COSTLY})
    of_go, of_java = sentences.of(apart)
    every = [f"Go: {of_go.long}", f"Java: {of_java.long}", "More time.", sentences.between(apart)]
    assert sentences.of_group(apart, "More time.") == every
    alike = BETWEEN["slower"]
    alarmed = replace(alike, **ALARM)
    assert sentences.of_group(alarmed, None) == [f"N{sentences.of(alarmed)[0].long[1:]}"]
    assert sentences.of_group(alike, None) == [sentences.of(alike)[0].long], "a name stays as it is"
    alone = BETWEEN["one way each"]
    assert sentences.of_group(alone, "More.") == [sentences.between(alone), "More."]


@pytest.mark.parametrize(
    ("name", "best", "other"),
    [
        ("slower", "fastest", Cost("slower", 1.11, 1.31)),
        ("may be as fast", "fastest", Cost("open", 1, 1.31)),
        ("not sure", "ahead", Cost("open")),
    ],
)
def test_the_best_of_all_is_fastest_only_where_nothing_else_may_be(name, best, other):
    found = BETWEEN[name]
    assert found.verdict_on("go") == CaseVerdict(best)
    assert found.verdict_on("java") == CaseVerdict("cost", other)
    provisional = replace(found, provisional=True)
    assert provisional.verdict_on("go") == CaseVerdict("ahead")
    unmet = replace(found, vs_overall={"go": None, "java": None})
    assert unmet.verdict_on("go") == CaseVerdict("ahead")
    assert unmet.verdict_on("java").cost == Cost("unknown")


# what the words mean


def test_what_the_words_on_a_screen_mean(snapshot):
    nothing = Shown([], 0.1, *[False] * 7, all_words=True)

    def said(*verdicts: CaseVerdict, **more):
        return phrases.meanings(replace(nothing, verdicts=verdicts, **more))

    def costs(*found: Cost):
        return [CaseVerdict("cost", each) for each in found]

    slower, bound = Cost("slower", 1.1, 1.3), Cost("slower", 2.3)
    every = [
        CaseVerdict("use"),
        CaseVerdict("for now"),
        CaseVerdict("unsure"),
        *costs(slower, bound, Cost("slower"), Cost("same", 1, 1.1), Cost("open", 1, 1.6)),
        *costs(Cost("open", looks_slower=True)),
    ]
    more = {"checked": True, "machine": True, "beyond": True, "reached": True, "alone": True}
    assert said() == []
    assert {
        "everything": said(*every, **more),
        "of several languages": said(*every, sets=True),
        "of languages that are compared": said(*every, sets=True, between=True),
        "only the words that nobody can guess": said(*every, **more, all_words=False),
        "its own time looks shorter": said(CaseVerdict("cost", slower, hides=True)),
        "open, and nothing is known": said(*costs(Cost("open"))),
    } == snapshot


# next steps


def step(
    kind="time", seconds=9.0, reach=2.0, *, floor=None, pairs=(), sets=1, versions=False, **more
):
    """A group with such a next step, which takes so long; `kind` None has none."""
    needed = 4 if kind in ("time", "few", "more") else None
    found = kind and NextStep(kind, needed, reach, **more)
    answers = [answer(case("f", of=each), SIMPLE) for each in ("go", "java")[:sets]]
    shown = {"answers": dict(enumerate(answers)), "open_pairs": pairs, "id": str(seconds)}
    margins = {"noise_floor": floor, "tolerance": 0.1, "control": SimpleNamespace(center=1 / 1.02)}
    needed = {"seconds": seconds}
    named = {"sets": ("go", "java")[:sets], "is_version": lambda of: versions}
    return SimpleNamespace(next_step=found, **shown, **margins, **needed, **named)


def report_of(*groups, seconds=60.0, published=None, **options):
    header, plan = SimpleNamespace(options=options), SimpleNamespace(published=published)
    run = SimpleNamespace(seconds=seconds, header=header, plan=plan)

    def until(goals):
        return sum(groups[each].seconds for each in goals)

    return SimpleNamespace(run=run, groups=groups, seconds_until=until)


DONE = step(None)
STEPS = {
    "nothing is open": report_of(DONE, DONE),
    "one question": report_of(step(seconds=12.2), seconds=20.0, budget="20s"),
    "two of three questions": report_of(step(seconds=100), DONE, step(seconds=80)),
    "too few repeats": report_of(step("few", 30)),
    "too few repeats of each": report_of(step("few", 30), step("few", 30)),
    "too few repeats of one": report_of(step("few", 30), step(seconds=5)),
    "a file of the user, which is measured anew": report_of(step(seconds=50), file="x"),
    "a published protocol": report_of(step(seconds=50), published="a protocol"),
    "advice": report_of(step(seconds=50), advise="x"),
    "too few to tell how many more": report_of(step("more", 20), DONE),
    "too close": report_of(step("close", reach=1.19)),
    "too close, between languages": report_of(step("close", reach=1.19, within=False), DONE),
    "too close, between versions": report_of(step("close", reach=1.1, within=False, versions=True)),
    "too close, of something simpler": report_of(step("close", reach=1.1, only_simpler=True)),
    "unsteady": report_of(step("unsteady")),
    "unsteady, as the control is": report_of(step("unsteady", floor=0.72)),
    "unsteady, as the control is by far": report_of(step("unsteady", floor=3.5)),
    "a control within the tolerance": report_of(step("unsteady", floor=0.1)),
    "each its own": report_of(
        step("close", reach=1.2), step(), DONE, step("unsteady"), step("unsteady")
    ),
    "only whether something simpler will do": report_of(step(only_simpler=True)),
    "of several questions one is sure what to use": report_of(
        step(only_simpler=True), step("unsteady")
    ),
    "an hour and a half": report_of(step(seconds=5000)),
}


def test_what_would_decide_a_run(snapshot):
    steps = {name: next_steps.of_report(each, GO_ON) for name, each in STEPS.items()}
    assert {name: [str(each) for each in found] for name, found in steps.items()} == snapshot
    commands = [each.command for each in steps["each its own"]]
    assert commands == [f"{GO_ON} --budget 80s", "", ""]


def test_what_would_decide_a_group_alone(snapshot):
    minutes = {"seconds": 240, "sets": 2}
    groups = {
        "nothing is open": DONE,
        "a second": step(seconds=0.2),
        "minutes, and several languages": step(**minutes),
        "versions of one language": step(**minutes, versions=True),
        "several languages, and pairs": step(**minutes, pairs=(UNSURE,)),
        "between the languages": step(**minutes, within=False),
        "too few repeats": step("few", 30),
        "too close": step("close", reach=1.2),
        "unsteady": step("unsteady"),
    }
    told = {name: next_steps.of_group(report_of(each), 0) for name, each in groups.items()}
    assert told == snapshot


def test_what_would_decide_a_span(snapshot):
    spanned = step(None, 20.0), step(None, 0.0)

    def told(found, *go_on):
        span = SimpleNamespace(next_step=found, groups=spanned)
        return str(next_steps.of_span(report_of(DONE, *spanned), span, *go_on))

    more, no = NextStep("time", 7), NextStep("unsteady")
    assert [told(None), told(more), told(more, GO_ON), told(no, GO_ON)] == snapshot


# across the groups of a span


def spanned(*ratios, values=("warm", "cold"), per="operation", along="cache"):
    """A case for each ratio, its bounds and its outcome: so many times as long does it take with
    the second of these values as with the first.
    """

    def placed(number, value):
        made, part = case(f"way-{number}"), "workload" if along == "size" else "conditions"
        there = getattr(made.case, part).model_copy(update={along: value})
        return replace(made, case=made.case.model_copy(update={part: there}))

    rows = [[placed(number, value) for number in range(len(ratios))] for value in values]
    record = 100 if per == "record" else None
    of = [{"workload": row[0].case.workload, "conditions": row[0].case.conditions} for row in rows]
    groups = [
        group(answer(*row), **each, record_bytes=record) for row, each in zip(rows, of, strict=True)
    ]
    across = [
        Across(second.case, first.case, compared(ratio, outcome))
        for (*ratio, outcome), first, second in zip(ratios, *rows, strict=True)
    ]
    units = {"operation": (1.0, 1.0), "record": (1.0, 100.0), "byte": values}[per]
    return SpanReport(along, "What?", tuple(groups), values, per, units, tuple(across), 0.1, None)


LONGER, WITHIN = (7.6, 7.1, 8.2, "slower"), (1.02, 0.95, 1.08, "same")
VAGUELY, OPEN = (12, 7, 40, "slower"), (1.2, 0.4, 3, "undecided")
SPANS = {
    "slower": spanned(LONGER, (9, 8, 10, "slower")),
    "the same": spanned(WITHIN, WITHIN),
    "unlike": spanned(LONGER, (1.5, 1.4, 1.6, "slower"), (80, 60, 100, "slower")),
    "only a bound is sure": spanned(VAGUELY),
    "partly not sure": spanned(LONGER, OPEN),
    "not sure": spanned(OPEN, OPEN),
    "the same code may differ by as much": spanned((1.3, 1.2, 1.4, "undecided")),
    "only a bound is sure of what is faster": spanned((1 / 12, 1 / 40, 1 / 7, "faster")),
    "durable": spanned(LONGER, values=("none", "fsync"), along="durability"),
    "records at once": spanned(
        (1 / 50, 1 / 60, 1 / 40, "faster"), values=(100, 10_000), per="record", along="size"
    ),
    "bytes": spanned(WITHIN, values=(1 << 20, 4 << 20), per="byte", along="size"),
    "not measured yet": replace(spanned(LONGER), across=()),
}


def test_what_the_groups_of_a_span_take(snapshot):
    """The title, the answers, and what a table has of each case."""
    assert {
        name: [
            spans.title(each),
            *spans.answers(each, None),
            [spans.cost(case, each.tolerance) for case in each.across],
        ]
        for name, each in SPANS.items()
    } == snapshot
    assert spans.answers(SPANS["slower"], "More time.")[-1] == "More time."


def test_the_table_of_a_span(snapshot):
    assert on_console(*spans.of(SPANS["partly not sure"], None)) == snapshot
