"""The studies that iogauge makes itself: for a file, and after a first look at few values."""

import dataclasses
from types import SimpleNamespace

import pytest

from iogauge.advice.studies import (
    FEW,
    FEW_ROUNDS,
    MANY,
    ROUNDS,
    Extent,
    closer_look,
    closer_study,
    file_study,
)
from iogauge.advice.wanted import Wanted
from iogauge.commands import answering, arguments
from iogauge.commands.answering import _extents
from iogauge.commands.asking import Asked
from iogauge.measuring.session import Prepared
from iogauge.model.plan import Plan
from iogauge.runners import catalogue, hints
from iogauge.runners.projects import Project, Told
from tests.reports import case_report

GIB = 1 << 30
SIMPLEST = ("read-all-bytes", "file-input-stream", "file-channel-mapped")


@pytest.fixture(scope="module")
def runtimes():
    return catalogue.everywhere()[0]


BOTH = ("warm", "cold")


def made(runtimes, length=1 << 20, languages=None, memory=8 * GIB, form="plain", **more):
    file = SimpleNamespace(size=length, format=form, peculiarities=frozenset())
    extent = Extent(**{"lines": BOTH, "whole": BOTH, **more})
    return file_study(file, runtimes, languages, memory, 27, extent)


def strategies(group):
    return {name for case in group.case for name in case.strategy}


def test_a_text_is_read_by_line_first_then_whole_in_blocks_and_mapped_by_its_simplest_ways(
    runtimes,
):
    lines, whole = made(runtimes).group
    assert (lines.id, whole.id) == ("lines", "whole")
    assert whole.content == lines.content == ["own"]
    assert whole.cache == lines.cache == ["warm", "cold"]
    in_java = {name for name in strategies(whole) if name.startswith("java/")}
    assert in_java == {f"java/{each}" for each in SIMPLEST}
    assert strategies(lines) >= {"java/buffered-reader-line", "go/bufio-scanner-line"}
    assert {value for case in whole.case for value in case.parameters.get("block", [])} == {*MANY}
    assert (lines.question, whole.question) == (
        "What is the best way to read the lines of this file?",
        "What is the best way to read its bytes?",
    )
    (alone,) = made(runtimes, lines=()).group
    assert alone.question == "What is the best way to read this file?"


def test_a_way_to_read_at_random_places_is_none_to_read_the_file(runtimes, monkeypatch):
    every = [each for runtime in runtimes for each in runtime.strategies.values()]
    at_random = {each.name for each in every if each.access == "random"}
    known = hints.all_names()
    monkeypatch.setattr(hints, "all_names", lambda: known | at_random)
    _, whole = made(runtimes, languages=["java"]).group
    assert at_random and not at_random & strategies(whole)


def test_less_time_or_a_small_file_takes_fewer_blocks(runtimes):
    def blocks(**more):
        (whole,) = made(runtimes, lines=(), **more).group
        return {value for case in whole.case for value in case.parameters.get("block", [])}

    assert blocks(blocks=FEW) == {*FEW}
    assert blocks(length=9000) == {8192}
    assert blocks(length=10, blocks=FEW) == {*FEW}, "a block larger than the file is the file"


def test_where_time_is_short_each_language_has_its_simplest_way_and_a_mapped_one(runtimes):
    lines, whole = made(runtimes, two_ways=True).group
    found = {each for each in strategies(whole) if each.startswith(("java/", "kotlin/"))}
    of_java, of_kotlin = ("read-all-bytes", "file-channel-mapped"), ("read-bytes", "for-each-block")
    assert found == {f"java/{each}" for each in of_java} | {f"kotlin/{each}" for each in of_kotlin}
    # Of lines the simplest, and one that is likely the fastest: it holds no file, copies no line.
    found = {each for each in strategies(lines) if each.startswith(("java/", "rust/", "node/"))}
    of_java, of_node = ("lines", "buffered-reader-line"), ("split-file", "read-lines")
    of_rust = ("buf-reader-line", "buf-reader-read-until")
    assert found == {
        *(f"java/{each}" for each in of_java),
        *(f"node/{each}" for each in of_node),
        *(f"rust/{each}" for each in of_rust),
    }
    assert "go/bufio-scanner-bytes" in strategies(lines)


def test_the_first_case_which_is_measured_twice_starts_quickly(runtimes):
    starts = {name: each.start_seconds for each in runtimes for name in each.strategies}
    for group in made(runtimes).group:
        (first, *_) = group.case[0].strategy
        assert starts[first] == min(starts[name] for name in strategies(group))


def test_of_a_text_bytes_are_left_out_before_lines_and_the_disk_last():
    every = [*_extents(True, ["warm", "cold"])]
    two, one, none = ["warm", "cold"], ["warm"], ()
    assert [(each.lines, each.whole) for each in every] == [
        *([(two, two)] * 4),
        (two, one),
        *([(two, none)] * 3),
        (one, none),
    ]
    assert [len(each.blocks) for each in every] == [2] + [1] * 8
    assert [each.two_ways for each in every] == [False] * 2 + [True] * 3 + [False] + [True] * 3
    assert [each.rounds == FEW_ROUNDS for each in every] == [False] * 3 + [True] * 2 + [
        *([False] * 2),
        *([True] * 2),
    ]


def test_of_other_files_the_disk_is_left_out_last():
    every = [*_extents(False, ["warm", "cold"])]
    assert {each.lines for each in every} == {()}
    assert [each.whole for each in every] == [["warm", "cold"]] * 4 + [["warm"]]
    assert [len(each.blocks) for each in every] == [2] + [1] * 4
    assert [each.two_ways for each in every] == [False, False, True, True, True]
    assert [each.rounds for each in every] == [ROUNDS] * 3 + [FEW_ROUNDS] * 2


def test_without_time_for_bytes_a_language_without_two_ways_to_read_lines_has_its_bytes(runtimes):
    lines, whole = made(runtimes, form="gzip", whole=()).group
    of_lines = {each.partition("/")[0] for each in strategies(lines)}
    of_bytes = {each.partition("/")[0] for each in strategies(whole)}
    assert of_lines and of_bytes and not of_lines & of_bytes
    (lines,) = made(runtimes, whole=()).group
    assert lines.id == "lines"


ALONE = "give a larger --budget"
MORE = f"name one --language, or {ALONE}"
TEXT = SimpleNamespace(is_text=True, peculiarities=frozenset(), size=1 << 20, format="plain")
BINARY = SimpleNamespace(is_text=False, peculiarities=frozenset(), size=1 << 20, format="plain")
BYTES, WAYS = "reading its bytes", "more than two ways per language"


@pytest.mark.parametrize(
    ("file", "languages", "caches", "fits", "left", "says"),
    [
        (TEXT, ["go", "java"], BOTH, {}, f"{BYTES}; {WAYS}; reading its lines from disk", MORE),
        (TEXT, ["go", "java"], BOTH, {"whole": (), "two_ways": True}, f"{BYTES}; {WAYS}", MORE),
        (TEXT, ["go"], BOTH, {"whole": ("warm",)}, f"{BYTES} from disk; {WAYS}", ALONE),
        (TEXT, ["go"], BOTH, {"two_ways": True}, WAYS, ALONE),
        (TEXT, ["go"], BOTH, {"whole": (), "two_ways": False}, BYTES, ALONE),
        (TEXT, ["go"], ("cold",), {}, f"{BYTES}; {WAYS}", ALONE),
        # Rust has two ways to read lines, so none of them is left out.
        (TEXT, ["rust"], ("warm",), {}, BYTES, ALONE),
        (BINARY, ["go", "java"], BOTH, {}, f"{WAYS}; reading it from disk", MORE),
        (BINARY, ["go", "java"], BOTH, {"whole": BOTH, "two_ways": True}, WAYS, MORE),
    ],
)
def test_what_is_left_out_is_said_and_no_option_is_advised_that_is_given(
    runtimes, monkeypatch, capsys, file, languages, caches, fits, left, says
):
    """It `fits` where an extent has these values."""
    extents = []

    def study(file, runtimes, languages, memory, budget, extent):
        extents.append(extent)
        return file_study(file, runtimes, languages, 8 * GIB, budget, extent)

    def seconds(prepared):
        extent = extents[-1]
        has = all(getattr(extent, name) == value for name, value in fits.items())
        return 9.0 if fits and has else 99.0

    monkeypatch.setattr(answering.studies, "file_study", study)
    monkeypatch.setattr(answering, "_seconds", seconds)
    monkeypatch.setattr(answering, "_compared", lambda plan: languages)
    monkeypatch.setattr(answering.session, "planned", lambda make, *_: make() and Prepared)
    monkeypatch.setattr(Prepared, "plan", None, raising=False)
    project = Project(None, (Told(tuple(languages), ()),))
    here = SimpleNamespace(runtimes=runtimes, missing=[])
    assert answering._prepared(file, Asked(project=project), caches, here, 27.0) is Prepared
    left_out, *too_long = capsys.readouterr().err.splitlines()
    assert left_out == f"not measured, as there is no time for it: {left} ({says})"
    assert bool(too_long) == (not fits)
    for line in too_long:
        assert ("name one --language" in line) == (len(languages) > 1)
        assert "about 99 s, longer than 27 s; " in line


def test_where_the_languages_of_the_project_have_no_two_ways_all_are_measured(runtimes):
    def measured(*languages, missing=()):
        asked = Asked(project=Project(None, (Told(languages, ()),)))
        here = SimpleNamespace(runtimes=runtimes, missing=missing)
        extent = Extent(("warm",), ("warm",))
        found = answering._study(TEXT, asked, here, 27.0, extent)
        named = {name for group in found.group for name in strategies(group)}
        return {each.partition("/")[0] for each in named}

    assert measured("go", "node") == {"go", "node"}
    assert measured("cobol") == measured("go", missing=[SimpleNamespace(languages=["go"])])
    assert measured("cobol") >= {"c", "cpp", "go", "java", "kotlin", "node", "python", "rust"}


def test_without_a_budget_many_languages_have_the_time_that_an_answer_needs(
    runtimes, monkeypatch, capsys
):
    cases = [SimpleNamespace(language=each) for each in ("c", "go", "java", "rust")]
    groups = [SimpleNamespace(cases=(0, 1, 2))]  # the last one shows the limits
    prepared = Prepared(None, Plan.model_construct(budget=27.0, cases=cases, groups=groups), [])
    monkeypatch.setattr(answering.session, "planned", lambda *_: prepared)
    here = SimpleNamespace(runtimes=runtimes, missing=[])

    def answered(seconds):
        monkeypatch.setattr(answering, "_seconds", lambda prepared: seconds)
        return answering._prepared(BINARY, Asked(), ["warm"], here, None)

    assert answered(60.0).plan.budget == pytest.approx(60 / answering._MARGIN)
    assert "an answer for 3 languages takes about 50 s; to be faster" in capsys.readouterr().err
    assert answered(20.0) is prepared


def test_what_does_not_fit_into_memory_is_left_out(runtimes):
    _, whole = made(runtimes, length=GIB, memory=2 * GIB).group
    assert not {"java/read-all-bytes", "go/read-file"} & strategies(whole)
    assert "java/file-channel-mapped" in strategies(whole)


def test_a_language_alone_and_one_without_two_ways(runtimes):
    for group in made(runtimes, languages=["go"]).group:
        assert all(name.startswith("go/") for name in strategies(group))
    for group in made(runtimes, languages=["go", "node"]).group:
        assert {name.partition("/")[0] for name in strategies(group)} == {"go", "node"}
    assert made(runtimes, languages=["cobol"]) is None


@pytest.mark.parametrize(("measured", "proposed"), [(["go", "java"], True), (["go"], False)])
def test_where_each_language_had_few_ways_one_with_more_is_proposed(
    tmp_path, capsys, measured, proposed
):
    given = arguments.FileAnswer(file=tmp_path / "a b.csv")
    answering._print_next(given, [], measured, {})
    shown = capsys.readouterr().out
    assert (f"'{tmp_path}/a b.csv' --language go" in shown) == proposed
    assert (f"advise --file '{tmp_path}/a b.csv' --run" in shown) == (not proposed)
    assert "The code for" not in shown
    given = arguments.FileAnswer(file=tmp_path / "a.csv")
    answering._print_next(given, [], measured, {"go": "Go", "cpp": "C++"})
    shown = capsys.readouterr().out
    assert "The code for Go or C++:\n" in shown and "a.csv --language go\n" in shown
    answering._print_next(given, ["--language", "go"], ["go"], {})
    assert "a.csv --language go --run   # more ways" in capsys.readouterr().out
    elsewhere = arguments.FileAnswer(
        file=tmp_path / "a.csv", cached_by="write-small", directory="d"
    )
    answering._print_next(elsewhere, [], ["go"], {})
    assert "a.csv --cached-by write-small --dir d --run" in capsys.readouterr().out


def test_of_a_gzip_file_only_ways_to_unpack_it_are_taken_with_two_buffers(runtimes):
    lines, whole = made(runtimes, form="gzip").group
    declared = {name: each for one in runtimes for name, each in one.strategies.items()}
    named = strategies(whole) | strategies(lines)
    assert {declared[name].format for name in named} == {"gzip"}
    languages = {each.partition("/")[0] for each in strategies(whole)}
    assert languages >= {"java", "go", "python", "node"}
    in_java = [each for each in whole.case if each.strategy == ["java/gzip-input-stream"]]
    assert [each.parameters["buffer"] for each in in_java] == [[512], [65536]]
    (few,) = made(runtimes, form="gzip", lines=(), two_ways=True).group
    assert len([each for each in strategies(few) if each.startswith("python/")]) == 2
    assert not any(strategies(each) & named for each in made(runtimes).group)


def test_of_two_that_are_as_simple_the_one_whose_calls_are_counted_comes_first(runtimes):
    """Node's readSync, not what goes through its event loop, although that is first by its name."""
    _, whole = made(runtimes, languages=["node"]).group
    found = strategies(whole)
    assert "node/read-sync" in found and "node/file-handle-read" not in found


K, M = 1 << 10, 1 << 20


def group(*cases, sets=("x",)):
    """The fastest first, as in a report."""
    by_time = sorted(cases, key=lambda each: each.ns_per_op.center if each.ns_per_op else 0)
    return SimpleNamespace(cases=by_time, sets=sets)


def blocks(times: dict[int, float], strategy: str = "x/read", **more):
    return [case_report(strategy, ns, parameters={"block": each}) for each, ns in times.items()]


def looked_at(*cases) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for strategy, parameters in closer_look(group(*cases)):
        found.setdefault(strategy, []).append(parameters.get("block", 0))
    return {strategy: sorted(values) for strategy, values in found.items()}


@pytest.mark.parametrize(
    ("times", "tried"),
    [
        # 128 KiB are as good as 1 MiB: how much smaller may it be?
        ({8 * K: 160, 128 * K: 104, M: 100}, [32 * K, 128 * K, M]),
        ({8 * K: 160, 128 * K: 100, M: 140}, [32 * K, 128 * K, 256 * K]),  # on both sides
        ({8 * K: 100, 128 * K: 101, M: 150}, [8 * K, 32 * K, 128 * K]),  # the smallest is best
    ],
)
def test_values_next_to_the_knee_and_to_the_best_are_tried(times, tried):
    assert looked_at(*blocks(times)) == {"x/read": tried}


def test_what_is_far_behind_is_left_out():
    """The best has no block; of those with blocks, the best is followed."""
    whole, slow = case_report("x/mapped", 90), case_report("x/slow", 300)
    found = looked_at(whole, *blocks({8 * K: 200, 128 * K: 100, M: 150}), slow)
    assert found == {"x/mapped": [0], "x/read": [32 * K, 128 * K, 256 * K]}


def test_the_simplest_way_stays_in_however_slow_it_is():
    """It was gone after the first look, and a way that is harder to write was called the simplest."""
    simple, slow = case_report("x/whole", 900, effort=1), case_report("x/slow", 800, effort=2)
    found = looked_at(*blocks({8 * K: 200, 128 * K: 100, M: 150}), slow, simple)
    assert found == {"x/read": [32 * K, 128 * K, 256 * K], "x/whole": [0]}


def test_a_single_way_keeps_a_rival():
    found = looked_at(case_report("x/mapped", 100), case_report("x/slow", 300))
    assert found == {"x/mapped": [0], "x/slow": [0]}


def test_the_buffer_is_followed_where_the_piece_is_given():
    every = {4 * K: 150, 64 * K: 100, M: 101}.items()
    cases = [case_report("x/read", ns, parameters={"block": 100, "buffer": n}) for n, ns in every]
    assert ("x/read", {"block": 100, "buffer": 16 * K}) in closer_look(group(*cases))


def test_each_language_has_its_own_knee_and_one_without_a_time_has_none():
    java = blocks({8 * K: 900, 128 * K: 500, M: 700}, "y/read")
    java = [dataclasses.replace(each, rank_set="y") for each in java]
    found = closer_look(group(*blocks({8 * K: 100, M: 200}), *java, sets=("x", "y")))
    assert ("x/read", {"block": 64 * K}) in found  # about halfway from 8 KiB to 1 MiB
    assert ("y/read", {"block": 32 * K}) in found
    assert closer_look(group(dataclasses.replace(java[0], ns_per_op=None), sets=("y",))) == []


def test_the_study_of_the_closer_look_has_these_cases_only():
    chosen = [("x/read", {"block": 32 * K}), ("x/mapped", {})]
    (asked,) = closer_study(Wanted(cache="warm"), chosen, 10).group
    found = [(each.strategy, each.parameters) for each in asked.case]
    assert found == [(["x/read"], {"block": [32 * K]}), (["x/mapped"], {})]


def test_of_ways_that_are_as_easy_to_write_the_simplest_takes_the_least_memory():
    """`io.ReadAll` was the simplest in one command, `os.ReadFile` in another."""
    lean, large = (case_report(name, 100, effort=1) for name in ("x/b", "x/a"))
    needs = large.strategy.needs.model_copy(update={"memory_per_file_byte": 9.0})
    strategy = large.strategy.model_copy(update={"needs": needs})
    assert lean.simplicity < dataclasses.replace(large, strategy=strategy).simplicity
