"""The texts on what is decided, for a person to review: in `__snapshots__/test_sentences.ambr`."""

from __future__ import annotations

import io
import math
from dataclasses import replace
from types import SimpleNamespace

import pytest
from rich.console import Console

from iogauge.analysis.groupreport import Across
from iogauge.analysis.spans import SpanReport
from iogauge.decision.costs import Cost, cost_of
from iogauge.decision.next_steps import NextStep
from iogauge.decision.verdict import CaseVerdict
from iogauge.outputs import next_steps, phrases, sentences, spans, table
from iogauge.outputs.phrases import Shown
from tests.answers import all_open, answer, case, compared, group, unchecked

INF = math.inf
GO_ON = "iogauge run --resume newest"
BEST, SIMPLE = case("mmap"), case("Read", (1.55, 1.43, 1.74))
NEAR = case("Read", (1.12, 1, 1.19), "undecided")
FAR = case("Read", (1.14, 1, 2.9), "undecided")
SAME = case("Read", (1.04, 1, 1.09), "same")
MIDDLE = case("ReadFile", (1.2, 1.15, 1.25))
VAGUE = case("Read", (5.1, 2.38, 25))
ALARM = {"suspended": True, "control": compared((0.8, 0.7, 0.9), "undecided", final=False)}


def open_beside(*slower):
    """It is open whether a simple case may do, and these are slower."""
    return answer(FAR, BEST, *slower, can_be_best=(FAR, BEST), open=(FAR,))


def simpler(*members):
    return answer(*members, BEST, recommended=BEST, open=members)


def others(*names):
    return [case(each, (1.5, 1, 4), "undecided") for each in names]


SITUATIONS = {
    "fastest, and what the simplest costs": group(answer(SIMPLE, MIDDLE, BEST, recommended=BEST)),
    "the simplest is fastest, and the next one": group(answer(BEST, MIDDLE, recommended=BEST)),
    "fastest, and nothing worth naming": group(
        answer(case("Read", (1.05, 1.03, 1.07)), BEST, recommended=BEST)
    ),
    "the simplest is good enough": group(answer(SAME, BEST, recommended=SAME)),
    "surely slower, but good enough": group(
        answer(near := case("Read", (1.05, 1.046, 1.06)), BEST, recommended=near)
    ),
    "only a bound is sure": group(answer(VAGUE, BEST, recommended=BEST)),
    "slower by nobody knows how much": group(
        answer(case("Read", (5.1, 1.02, 25)), BEST, recommended=BEST)
    ),
    "thousands of times as slow": group(
        answer(case("Read 1", (3000, 2400, 3700)), BEST, recommended=BEST)
    ),
    "a simpler one may do": group(simpler(NEAR)),
    "simpler ones may do": group(simpler(NEAR, case("ReadFile", (1.1, 1, 2), "undecided"))),
    "a simpler one is slower, but may do": group(simpler(case("Read", (1.09, 1.06, 1.2)))),
    "one may be as fast, one is slower": group(simpler(NEAR, case("Gets", (1.09, 1.06, 1.2)))),
    "nobody knows what is simpler": group(simpler(unchecked(NEAR))),
    "too close to call": group(all_open(BEST, NEAR)),
    "three too close to call": group(
        all_open(BEST, NEAR, case("Gets", (1.1, 1, 1.25), "undecided"))
    ),
    "not known well enough": group(all_open(BEST, FAR)),
    "simpler, for now": group(all_open(case("Read", (1.09, 1, 2), "undecided"), BEST)),
    "not known well enough, one to avoid": group(open_beside(case("All", (2.2, 1.9, 2.5)))),
    "not known well enough, one is slower": group(open_beside(case("All", (1.25, 1.2, 1.3)))),
    "not known well enough, one is hardly slower": group(open_beside(case("All", (1.5, 1.06, 9)))),
    "not known well enough, one to avoid by a bound": group(
        open_beside(case("All", (5.1, 2.38, 25)))
    ),
    "never met the best": group(
        answer(BEST, unmet := replace(FAR, vs_best=None), can_be_best=(BEST, unmet))
    ),
    "each is surely slower than another one": group(
        answer(BEST, SIMPLE, MIDDLE, can_be_best=(BEST, SIMPLE, MIDDLE))
    ),
    "any other may be as fast": group(all_open(BEST, *others("a", "b", "c"))),
    "many may be as fast, not all": group(
        answer(BEST, *(may := others("a", "b", "c", "d")), SIMPLE, open=(*may,))
    ),
    "too few repeats": group(
        all_open(case("mmap", replicates=1), case("Read", (1.5, 1, INF), "undecided", 1))
    ),
    "only one": group(answer(BEST, recommended=BEST)),
    "not measured yet": group(without=(case("Read", ns_per_op=None),), provisional=True, samples=0),
    "nothing could be measured": group(without=(case("Read", ns_per_op=None, failure="no"),)),
    "identical code differed": group(answer(NEAR, BEST, recommended=BEST), **ALARM),
    "identical code differed, one is slower": group(
        answer(NEAR, BEST, case("ReadFile", (12, 3.5, 41)), recommended=BEST), **ALARM
    ),
    "identical code differed, two are slower": group(
        answer(BEST, case("ReadFile", (12, 3.5, 41)), case("Lines", (20, 6, 60))), **ALARM
    ),
    "faster than the limit": group(
        answer(BEST), without=(case("Buffered", (0.5, 0.4, 0.6), impossible=True),)
    ),
    "two are faster than the limit": group(
        answer(BEST),
        without=tuple(case(each, (0.5, 0.4, 0.6), impossible=True) for each in ("a", "b")),
    ),
    "the baseline is faster than the limit": group(answer(BEST, NEAR), usable=False),
}


def test_what_to_use_in_every_situation(snapshot):
    told = {}
    for name, of in SITUATIONS.items():
        (found,) = sentences.of(of)
        notes = {
            of.name_of(each): phrases.note(found.verdict.of_case(each, of.tolerance))
            for each in of.cases
        }
        told[name] = {"long": found.long, "short": found.short, "notes": notes}
        told[name] |= {"instead": found.instead} if found.instead else {}
    assert told == snapshot


@pytest.mark.parametrize(
    ("ratio", "outcome", "more", "says", "briefly"),
    [
        ((1.55, 1.43, 1.74), "slower", {}, "1.4-1.7x", "1.4-1.7x"),
        ((3.02, 2.98, 3.04), "slower", {}, "3x", "3x"),
        ((1.09, 1.06, 1.13), "slower", {}, "1.06-1.1x", "1.06-1.1x"),
        ((8.1, 2.0, 40), "slower", {"eliminated": True}, "over 2x", "over 2x"),
        ((3.4, 1.58, 9), "slower", {}, "over 1.5x", "over 1.5x"),
        ((5.1, 1.02, 25), "slower", {}, "slower", "slower"),
        ((1.04, 1, 1.09), "same", {}, "as fast", "as fast"),
        ((1.2, 1, 1.61), "undecided", {}, "as fast? 1-1.7x", "may be as fast"),
        ((1.2, 1, 3.1), "undecided", {}, "as fast?", "may be as fast"),
        ((3.1, 0.8, 9), "undecided", {}, "slower?", "may be slower"),
        ((9, 1, INF), "undecided", {"replicates": 1}, "not sure yet", "not sure yet"),
    ],
)
def test_a_cost_in_a_table(ratio, outcome, more, says, briefly):
    cost = cost_of(compared(ratio, outcome, **more), 0.1)
    assert (phrases.cost(cost), phrases.briefly(cost)) == (says, briefly)


def test_without_a_cost_there_is_no_text():
    assert phrases.cost(None) == phrases.briefly(None) == phrases.note(CaseVerdict("none")) == ""


@pytest.mark.parametrize(
    ("ratio", "outcome", "more", "says"),
    [
        ((1.57, 1.42, 1.74), "slower", {}, "1.57 (1.42–1.74)  "),
        ((1.04, 1, 1.09), "same", {}, "1.04 (1.00–1.09) ="),
        ((1.57, 1, 1.74), "undecided", {}, "1.57 (1.00–1.74) ~"),
        ((1.57, 0.2, 6.3), "undecided", {}, "1.57 (unsure) ~"),
        ((4.321, 2.0, 9), "slower", {"eliminated": True}, "≥ 2, about 4.32"),
    ],
)
def test_a_ratio_among_the_details(ratio, outcome, more, says):
    assert table._compared(compared(ratio, outcome, **more), False).plain == says


# between sets


def of_set(name, *members):
    """A language with its best case and perhaps another one."""
    best = case(f"{name.split()[0]}.read", of=name)
    return answer(best, *members, recommended=best)


def two(**costs):
    names = ("go", *costs)
    sets = [of_set(each, case("slow", (2, 1.9, 2.1), of=each)) for each in names]
    return group(*sets, vs_overall={"go": None, **costs})


def many(**costs):
    return group(*(of_set(each) for each in costs), vs_overall=costs, compare="languages")


def many_in(name, replicates=5):
    near = case("slow", (1.1, 1, 2), "undecided", replicates, of=name)
    return all_open(case(f"{name}.read", replicates=replicates, of=name), near)


UNSURE = compared((1.2, 1, 3.1), "undecided", final=False)
GCC, CLANG = "c on c-gcc-12.2.0", "c on c-clang-14.0.6"
BETWEEN = {
    "slower": two(java=compared((1.2, 1.11, 1.31))),
    "as fast": two(java=compared((1.02, 1, 1.05), "same")),
    "slower, only a bound is sure": two(java=compared((5.1, 2.38, 25))),
    "slower by nobody knows how much": two(java=compared((5.1, 1.02, 25))),
    "may be as fast": two(java=compared((1.2, 1, 1.31), "undecided")),
    "not sure": two(java=UNSURE),
    "not sure of three": two(java=UNSURE, rust=UNSURE),
    "sure of one of three": two(java=compared((1.2, 1.11, 1.31)), rust=UNSURE),
    "versions of a runtime": group(
        answer(old := case("read", of=GCC), case("getc", (2, 1.9, 2.1), of=GCC), recommended=old),
        answer(
            new := case("mmap", of=CLANG), case("read", (2, 1.9, 2.1), of=CLANG), recommended=new
        ),
        vs_overall={GCC: None, CLANG: compared((1.2, 1.11, 1.31))},
    ),
    "versions with one way each": group(
        *(answer(case("open().read()", of=f"python on python-{each}")) for each in ("old", "new")),
        vs_overall={
            "python on python-old": None,
            "python on python-new": compared((2.3, 1.93, 2.84)),
        },
    ),
    "many languages, sure": many(
        c=None,
        rust=compared((1, 0.98, 1.05), "same"),
        go=compared((1.02, 1.0, 1.06), "same"),
        java=compared((1.5, 1.4, 1.6)),
        node=compared((5, 2.3, 12)),
    ),
    "many languages, another may be the fastest": many(
        c=None,
        rust=compared((1.1, 0.9, 1.3), "undecided", final=False),
        go=compared((2.5, 0.9, 7), "undecided", final=False),
        java=compared((1.5, 1.4, 1.6)),
        node=None,
    ),
    "identical code differed": group(all_open(BEST, NEAR), many_in("java"), **ALARM),
    "too few repeats of all": group(many_in("go", 1), many_in("java", 1)),
}


def test_how_the_sets_compare(snapshot):
    """Sentences of the whole group, then the summary in one line."""
    assert {
        name: {
            "sentences": sentences.of_group(of, None),
            "side by side": sentences.side_by_side(of),
        }
        for name, of in BETWEEN.items()
    } == snapshot


def test_the_sets_are_compared_only_where_that_is_known():
    known = BETWEEN["slower"]
    for reason in ({"provisional": True}, {"suspended": True}):
        assert sentences.between(replace(known, **reason)) is None
    assert sentences.between(group(answer(SIMPLE, BEST))) is None


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
    assert sentences.of_best(found, "go") == CaseVerdict(best)
    assert sentences.of_best(found, "java") == CaseVerdict("cost", other)
    provisional = replace(found, provisional=True)
    assert sentences.of_best(provisional, "go") == CaseVerdict("ahead")
    unmet = replace(found, vs_overall={"go": None, "java": None})
    assert sentences.of_best(unmet, "go") == CaseVerdict("ahead")
    assert sentences.of_best(unmet, "java").cost == Cost("unknown")


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


def step(kind="time", seconds=9.0, reach=2.0, *, floor=None, pairs=(), sets=1, **more):
    """A group with such a next step, which takes so long; `kind` None has none."""
    found = kind and NextStep(kind, 4 if kind in ("time", "few") else None, reach, **more)
    answers = [answer(case("f", of=each), SIMPLE) for each in ("go", "java")[:sets]]
    return SimpleNamespace(
        next_step=found,
        seconds=seconds,
        id=str(seconds),
        replicates_needed=4,
        noise_floor=floor,
        tolerance=0.1,
        answers=dict(enumerate(answers)),
        open_pairs=pairs,
    )


def report_of(*groups, seconds=60.0, published=None, **options):
    return SimpleNamespace(
        run=SimpleNamespace(
            seconds=seconds,
            header=SimpleNamespace(options=options),
            plan=SimpleNamespace(published=published),
        ),
        groups=groups,
        seconds_until=lambda goals: sum(groups[each].seconds for each in goals),
    )


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
    "too close": report_of(step("close", reach=1.19)),
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
    assert next_steps.of_group(report_of(DONE), 0) is None
    assert {
        name: next_steps.of_group(report_of(each), 0)
        for name, each in {
            "a second": step(seconds=0.2),
            "minutes, and several languages": step(seconds=240, sets=2),
            "several languages, and pairs": step(seconds=240, sets=2, pairs=(UNSURE,)),
            "between the languages": step(seconds=240, sets=2, within=False),
            "too few repeats": step("few", 30),
            "too close": step("close", reach=1.2),
            "unsteady": step("unsteady"),
        }.items()
    } == snapshot


def test_what_would_decide_a_span(snapshot):
    warm, cold = step(None, 20.0), step(None, 0.0)
    report = report_of(DONE, warm, cold)
    more, no = (
        SimpleNamespace(next_step=NextStep("time", each), groups=(warm, cold)) for each in (7, None)
    )
    assert next_steps.of_span(report, SimpleNamespace(next_step=None)) is None
    assert {
        "without the command": str(next_steps.of_span(report, more)),
        "with the command": str(next_steps.of_span(report, more, GO_ON)),
        "time does not help": str(next_steps.of_span(report, no, GO_ON)),
    } == snapshot


# across the groups of a span


def spanned(*ratios, values=("warm", "cold"), per="operation", along="cache"):
    """A case for each ratio, its bounds and its outcome: so many times as long does it take with
    the second of these values as with the first.
    """
    groups = []
    for value in values:
        changed = (
            {"workload": {"size": value}} if along == "size" else {"conditions": {along: value}}
        )
        cases = []
        for number in range(len(ratios)):
            made = case(f"way-{number}", (2, 1.9, 2.1) if number else None)
            parts = {
                name: getattr(made.case, name).model_copy(update=fields)
                for name, fields in changed.items()
            }
            cases.append(replace(made, case=made.case.model_copy(update=parts)))
        alike = {name: getattr(cases[0].case, name) for name in ("workload", "conditions")}
        records = {"record_bytes": 100} if per == "record" else {}
        groups.append(group(answer(*cases), **alike, **records))
    across = [
        Across(second.case, first.case, compared((center, lo, hi), outcome))
        for (center, lo, hi, outcome), first, second in zip(
            ratios, *(each.cases for each in groups), strict=True
        )
    ]
    units = {"operation": (1.0, 1.0), "record": (1.0, 100.0), "byte": values}[per]
    asked = "What does it cost?"
    return SpanReport(along, asked, tuple(groups), values, per, units, tuple(across), 0.1, None)


SLOWER, WITHIN = (7.6, 7.1, 8.2, "slower"), (1.02, 0.95, 1.08, "same")
VAGUELY, OPEN = (12, 7, 40, "slower"), (1.2, 0.4, 3, "undecided")
SPANS = {
    "slower": spanned(SLOWER, (9, 8, 10, "slower")),
    "the same": spanned(WITHIN, WITHIN),
    "unlike": spanned(SLOWER, (1.5, 1.4, 1.6, "slower"), (80, 60, 100, "slower")),
    "only a bound is sure": spanned(VAGUELY),
    "partly not sure": spanned(SLOWER, OPEN),
    "not sure": spanned(OPEN, OPEN),
    "durable": spanned(SLOWER, values=("none", "fsync"), along="durability"),
    "records at once": spanned(
        (1 / 50, 1 / 60, 1 / 40, "faster"), values=(100, 10_000), per="record", along="size"
    ),
    "bytes": spanned(WITHIN, values=(1 << 20, 4 << 20), per="byte", along="size"),
    "not measured yet": replace(spanned(SLOWER), across=()),
}


def test_what_the_groups_of_a_span_take(snapshot):
    assert {
        name: [spans.title(each), *spans.answers(each, None)] for name, each in SPANS.items()
    } == snapshot
    assert spans.answers(SPANS["slower"], "More time.")[-1] == "More time."


def test_the_table_of_a_span(snapshot):
    console = Console(file=io.StringIO(), width=80)
    console.print(*spans.of(SPANS["partly not sure"], None), sep="\n")
    assert console.file.getvalue() == snapshot


@pytest.mark.parametrize(
    ("ratio", "outcome", "says"),
    [
        ((7.6, 7.1, 8.2), "slower", "7.1-8.2x"),
        ((12, 7, 40), "slower", "over 7x"),
        ((8, 7, 40), "slower", "over 7x"),
        ((1 / 12, 1 / 40, 1 / 7), "faster", "under 1/7"),
        ((1.02, 0.95, 1.08), "same", "within 10 %"),
        ((1.2, 0.4, 3), "undecided", "not sure yet"),
        ((1.3, 1.2, 1.4), "undecided", "not sure yet"),
    ],
)
def test_where_only_one_end_is_sure_that_is_told(ratio, outcome, says):
    assert spans.cost(SimpleNamespace(comparison=compared(ratio, outcome)), 0.1) == says
