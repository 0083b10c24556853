"""Languages side by side: how many times as long as the fastest language each takes."""

from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from iogauge.decision.group import decide
from iogauge.decision.verdict import CaseVerdict, SetVerdict
from iogauge.model.workload import Conditions, Workload
from iogauge.outputs import code, html, terminal
from iogauge.outputs import side_by_side as beside
from iogauge.outputs.contract import Export, Level, OfLanguage, Recommendation, Run
from iogauge.outputs.document import Document, Page, Source
from iogauge.outputs.html import dots
from iogauge.outputs.html.cards import Languages, ShownRun, _reached
from iogauge.study import loading
from tests.fake_study import group as fake_group
from tests.fake_study import steady
from tests.simulated import quiet
from tests.unit.test_cards import RUN, case, group
from tests.unit.test_deciding import PRIOR, asked


@pytest.mark.parametrize("sets_too", [True, False])
def test_the_sets_are_compared_until_that_is_decided_where_that_is_asked_for(sets_too):
    """Within each set all is decided after six replicates; one set is at the tolerance of the
    other.
    """
    log_ns = quiet([1, 1, 1.5, 1.1, 1.65], replicates=6)
    sets = {"a": [0, 2], "b": [3, 4]}
    found = decide(log_ns, asked(sets, between_sets=sets_too), PRIOR)
    assert all(each.decided for each in found.answers.values())
    assert ({0, 3} <= set(found.live)) == sets_too and bool(found.open) == sets_too


def compared(*groups) -> Languages:
    return ShownRun(Source(Export(runs=(RUN,), groups=groups)), "", ()).languages


def side_by_side(**more):
    cases = (
        case("c/read", 1.0, bytes_per_s=Level(center=4e9)),
        case("cpp/stream", 1.0, bytes_per_s=Level(center=2e9), of_ceiling=0.4),
        case("cpp/getc", 3.0, 2.9, 3.1, bytes_per_s=Level(center=7e8)),
    )
    cpp = {"ratio": 2.0, "lo": 1.9, "hi": 2.1, "outcome": "slower", "cost": "1.9-2.1x"}
    languages = (
        OfLanguage(set="c", language="c", name="C", case="c/read", cost="fastest"),
        OfLanguage(
            **{
                "set": "cpp",
                "language": "cpp",
                "name": "C++",
                "case": "cpp/stream",
                "usual": "cpp/getc",
            },
            **{**cpp, "reason": "It copies twice."},
        ),
    )
    return group(*cases, languages=languages, side_by_side="Fastest: C; C++ 1.9-2.1x.", **more)


def test_the_matrix_has_a_row_per_language_those_first_that_are_ahead():
    alone = group(
        case("go/read", 1.0, workload=Workload(size=9), conditions=Conditions(cache="cold")),
        name="h",
        languages=(OfLanguage(set="go", language="go", name="Go", case="go/read", cost="fastest"),),
    )
    found = compared(side_by_side(), group(case("c/read", 1.0), name="n"), alone)
    assert [each.number for each in found.questions] == [1, 3], "those of the terminal"
    assert [each.short for each in found.questions] == ["Read 1 MiB, cached", "Read 9 B, from disk"]
    rows = {name: cells for _, name, cells in found.rows}
    assert list(rows) == ["C", "Go", "C++"]
    assert rows["C"] == [("fastest", "Read", 0), None]
    assert rows["C++"][0] == ("1.9-2.1x", "Stream", 30)


def test_versions_of_one_language_are_called_so_and_their_only_ways_compared():
    cases = case("python/own-f", 1.0), case("python/own-f", 2.0, runtime="python-new")
    old, new = (
        {"set": f"python on {each.setting}", "language": "python", "setting": each.setting}
        for each in cases
    )
    costs = {"ratio": 2.0, "lo": 1.9, "hi": 2.1, "outcome": "slower", "cost": "1.9-2.1x"}
    languages = (
        OfLanguage(**old, name="Python (old)", case=cases[0].key, cost="fastest"),
        OfLanguage(**new, name="Python (new)", case=cases[1].key, **costs),
    )
    alone = [
        Recommendation(**each, state="only one", case=None, short="", says="")
        for each in (old, new)
    ]
    found = replace(group(*cases, languages=languages), recommendations=tuple(alone))
    assert compared(found).kind == "version" and compared(side_by_side()).kind == "language"
    rows = [row for (row,) in dots.of([found], [""]).sets.values()]
    assert [(row.cost, row.dots[0].ratio) for row in rows] == [("fastest", 1.0), ("1.9-2.1x", 2.0)]


def test_a_dot_is_the_best_way_of_a_language_and_a_ring_its_simplest():
    (question,) = compared(side_by_side()).questions
    (c,), (cpp,) = question.dots.sets.values()
    assert (c.dots[0].ratio, c.dots[0].usual) == (1.0, None)
    (dot,) = cpp.dots
    assert (dot.ratio, dot.usual, dot.interval) == (2.0, 6.0, (1.9, 2.1)), "the usual takes thrice"
    assert cpp.speed == "2.00 GB/s" and question.dots.scale.most == 10.0
    assert question.below_limit == ["C++ reaches 40 % of the machine's limit. It copies twice."]


def test_a_page_begins_with_the_languages_where_these_are_compared(measured_once):
    export = Document(measured_once(fake_group(steady(20, 60))).run).export
    (one,) = export.groups
    best, slow = one.cases
    language = OfLanguage(
        set="fake", language="fake", name="Fake", case=best.key, usual=slow.key, cost="1.2-1.3x"
    )
    told = replace(one, languages=(language,), side_by_side="Fastest: Fake.")
    shown = html.render(Page((Source(replace(export, groups=(told,))),)))
    first, second = shown.index('id="languages"'), shown.index('id="answers"')
    assert first < second and "<strong>1.2-1.3x</strong>" in shown and 'class="usual"' in shown
    assert 'id="languages"' not in html.render(Page((Source(export),)))


def test_of_many_languages_the_code_of_the_fastest_is_shown(monkeypatch):
    names = ["rust", "c", "go", "java", "node"]

    def shown(names):
        groups = [SimpleNamespace(sets=names, called=str.capitalize)]
        choices = [
            code._Choice(each.capitalize(), each, "any", "read", f"code of {each}", True)
            for each in sorted(names)
        ]
        monkeypatch.setattr(code, "_choices", lambda _: iter(choices))
        document = SimpleNamespace(report=SimpleNamespace(groups=groups))
        return [each.language for each in code._shown(document)[0]], code.left_out(document)

    assert shown(names) == (["rust", "c", "go"], ["java", "node"])
    assert shown(names[:4]) == (names[:4], [])


def test_the_study_of_the_languages_compares_them_in_ten_minutes():
    study = loading.load("languages")
    assert {each.compare for each in study.group} == {"languages"} and study.budget <= 600


@pytest.mark.parametrize(
    ("center", "lo", "hi", "says"),
    [
        (0.59, 0.35, 1.3, "35-100 %"),
        (0.75, 0.7, 0.8, "75 %"),
        (0.4, None, None, "40 %"),
        (None, None, None, ""),
    ],
)
def test_a_share_of_the_limit_is_a_range_where_it_is_not_known_well(center, lo, hi, says):
    found = case("c/read", 1.0)
    found = replace(
        found, of_ceiling=center, of_ceiling_interval=Level(center=center, lo=lo, hi=hi)
    )
    assert _reached(found) == says


@pytest.mark.parametrize(("ahead", "says"), [("fastest", "sure"), ("ahead", "so far")])
def test_a_comparison_of_versions_is_sure_only_where_the_fastest_is_known(monkeypatch, ahead, says):
    monkeypatch.setattr(terminal.headings, "observed", lambda group, protocol: "3 repeats")
    alone = [SimpleNamespace(verdict=SetVerdict(each, "only one")) for each in ("old", "new")]
    first = {"verdict_on": lambda name: CaseVerdict(ahead)}
    found = SimpleNamespace(one_each=True, sets=["old", "new"], replicates=3, cases=[], **first)
    (line,) = terminal._below(found, alone, "sound", SimpleNamespace(observed=True))
    assert line == f"{says}: 3 repeats"


def test_what_several_runs_have_is_told_once_for_each_run_and_runtime():
    """Of the second run another runtime, too; its later group has one of its cases again."""

    def export(*groups, name):
        return Export(runs=(Run(id=name, protocol="sound"),), groups=groups)

    later = case("x/a", 7.0, runtime="x-2")
    first = export(group(case("x/only", 1.0), case("x/a", 1.0), later), name="a")
    again = group(case("x/a", 9.0), name="again")
    second = export(group(case("y/b", 1.0), case("x/a", 3.0)), again, name="b")
    third = export(group(later, case("z/none", None)), name="c")
    (found,) = beside.compared([first, second, third])
    assert [(each.run, each.case.runtime, each.over_first.center) for each in found.cases] == [
        (0, "x-1", 1.0),
        (0, "x-2", 1.0),
        (1, "x-1", 3.0),
        (2, "x-2", 1.0),
    ]
    assert beside.compared([first]) == ()
