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
from iogauge.commands import advising
from iogauge.commands.advising import _extents
from iogauge.measuring.session import Prepared
from iogauge.model.plan import Plan
from iogauge.runners import catalogue, hints
from tests.reports import case_report

GIB = 1 << 30
SIMPLEST = ("read-all-bytes", "file-input-stream", "file-channel-mapped")


@pytest.fixture(scope="module")
def runtimes():
    return catalogue.everywhere()[0]


BOTH = "name one --language, or give a larger --budget"


def made(runtimes, length=1 << 20, language=None, memory=8 * GIB, form="plain", **more):
    given = {"blocks": MANY, "lines": True, "caches": ("warm", "cold"), **more}
    file = SimpleNamespace(size=length, format=form, peculiarities=frozenset())
    return file_study(file, runtimes, language, memory, 27, Extent(**given))


def strategies(group):
    return {name for case in group.case for name in case.strategy}


def test_a_file_is_read_whole_in_blocks_and_mapped_by_its_simplest_ways(runtimes):
    whole, lines = made(runtimes).group
    assert whole.content == lines.content == ["own"]
    assert whole.cache == ["warm", "cold"] and lines.cache == ["warm"]
    in_java = {name for name in strategies(whole) if name.startswith("java/")}
    assert in_java == {f"java/{each}" for each in SIMPLEST}
    assert strategies(lines) >= {"java/buffered-reader-line", "go/bufio-scanner-line"}
    assert {value for case in whole.case for value in case.parameters.get("block", [])} == {*MANY}


def test_a_way_to_read_at_random_places_is_none_to_read_the_file(runtimes, monkeypatch):
    every = [each for runtime in runtimes for each in runtime.strategies.values()]
    at_random = {each.name for each in every if each.access == "random"}
    known = hints.all_names()
    monkeypatch.setattr(hints, "all_names", lambda: known | at_random)
    whole, _ = made(runtimes, language="java").group
    assert at_random and not at_random & strategies(whole)


def test_less_time_or_a_small_file_takes_fewer_blocks(runtimes):
    def blocks(**more):
        (whole,) = made(runtimes, lines=False, **more).group
        return {value for case in whole.case for value in case.parameters.get("block", [])}

    assert blocks(blocks=FEW) == {*FEW}
    assert blocks(length=9000) == {8192}
    assert blocks(length=10, blocks=FEW) == {*FEW}, "a block larger than the file is the file"


def test_where_time_is_short_each_language_has_its_simplest_way_and_a_mapped_one(runtimes):
    (whole,) = made(runtimes, lines=False, two_ways=True).group
    found = {each for each in strategies(whole) if each.startswith(("java/", "kotlin/"))}
    of_java, of_kotlin = ("read-all-bytes", "file-channel-mapped"), ("read-bytes", "for-each-block")
    assert found == {f"java/{each}" for each in of_java} | {f"kotlin/{each}" for each in of_kotlin}


def test_the_first_case_which_is_measured_twice_starts_quickly(runtimes):
    starts = {name: each.start_seconds for each in runtimes for name in each.strategies}
    for group in made(runtimes).group:
        (first, *_) = group.case[0].strategy
        assert starts[first] == min(starts[name] for name in strategies(group))


def test_lines_are_left_out_first_and_the_disk_last():
    less, extents = zip(*_extents(True, ["warm", "cold"]), strict=True)
    lines, ways, disk = "reading it line by line", "more than two ways per language", "from disk"
    assert less == ("", lines, "", ways, "", f"reading it {disk}")
    assert [len(each.blocks) for each in extents] == [2, 2, 1, 1, 1, 1]
    assert [each.rounds for each in extents] == [ROUNDS] * 4 + [FEW_ROUNDS] * 2
    assert extents[-1].caches == ["warm"] and extents[-1].two_ways and not extents[-1].lines
    assert [each.caches for _, each in _extents(False, ["cold"])] == [["cold"]] * 4


@pytest.mark.parametrize(
    ("languages", "ways", "left", "says"),
    [
        (("go", "java"), 3, "reading it line by line; more than two ways per language", BOTH),
        (("go", "java"), 2, "reading it line by line", BOTH),
        (("go",), 2, "reading it line by line", "give a larger --budget"),
    ],
)
def test_no_option_is_advised_that_is_given_and_nothing_left_out_that_is_not_there(
    monkeypatch, capsys, languages, ways, left, says
):
    def study(*given):
        extent = given[5]
        return extent.lines, 2 if extent.two_ways else ways  # fewer rounds are nothing less

    cases = [SimpleNamespace(language=each) for each in languages]
    planned = SimpleNamespace(plan=SimpleNamespace(cases=cases))
    monkeypatch.setattr(advising.studies, "file_study", study)
    monkeypatch.setattr(advising, "_seconds", lambda prepared: 99.0)
    monkeypatch.setattr(advising.session, "planned", lambda *_: planned)
    own = SimpleNamespace(is_text=True, size=1, format="plain")
    here = SimpleNamespace(runtimes=[], missing=[])
    assert advising._prepared(own, None, ["warm"], here, 27.0) is planned
    left_out, too_long = capsys.readouterr().err.splitlines()
    assert left_out.endswith(f"not measured, as there is no time for it: {left} ({says})")
    assert ("name one --language" in too_long) == (len(languages) > 1)
    assert "about 99 s, longer than 27 s; " in too_long


def test_without_a_budget_many_languages_have_the_time_that_an_answer_needs(
    runtimes, monkeypatch, capsys
):
    cases = [SimpleNamespace(language=each) for each in ("c", "go", "java")]
    prepared = Prepared(None, Plan.model_construct(budget=27.0, cases=cases), [])
    monkeypatch.setattr(advising.session, "planned", lambda *_: prepared)
    own = SimpleNamespace(
        is_text=False, size=1 << 20, format="plain", peculiarities=frozenset()
    )
    here = SimpleNamespace(runtimes=runtimes, missing=[])

    def answered(seconds):
        monkeypatch.setattr(advising, "_seconds", lambda prepared: seconds)
        return advising._prepared(own, None, ["warm"], here, None)

    assert answered(60.0).plan.budget == pytest.approx(60 / advising._MARGIN)
    assert "an answer for 3 languages takes about 50 s; to be faster" in capsys.readouterr().err
    assert answered(20.0) is prepared


def test_what_does_not_fit_into_memory_is_left_out(runtimes):
    (whole, _) = made(runtimes, length=GIB, memory=2 * GIB).group
    assert not {"java/read-all-bytes", "go/read-file"} & strategies(whole)
    assert "java/file-channel-mapped" in strategies(whole)


def test_a_language_alone_and_one_without_two_ways(runtimes):
    for group in made(runtimes, language="go").group:
        assert all(name.startswith("go/") for name in strategies(group))
    assert made(runtimes, language="cobol") is None


@pytest.mark.parametrize(("measured", "proposed"), [(["go", "java"], True), (["go"], False)])
def test_where_each_language_had_few_ways_one_with_more_is_proposed(
    tmp_path, capsys, measured, proposed
):
    advising._print_next(tmp_path / "a b.csv", None, measured, {})
    shown = capsys.readouterr().out
    assert (f"'{tmp_path}/a b.csv' --language go" in shown) == proposed
    assert (f"advise --file '{tmp_path}/a b.csv' --run" in shown) == (not proposed)
    assert "The code for" not in shown
    advising._print_next(tmp_path / "a.csv", None, measured, {"go": "Go", "cpp": "C++"})
    shown = capsys.readouterr().out
    assert "The code for Go or C++:\n" in shown and "a.csv --language go\n" in shown


def test_of_a_gzip_file_only_ways_to_unpack_it_are_taken_with_two_buffers(runtimes):
    whole, lines = made(runtimes, form="gzip").group
    declared = {name: each for one in runtimes for name, each in one.strategies.items()}
    named = strategies(whole) | strategies(lines)
    assert {declared[name].format for name in named} == {"gzip"}
    languages = {each.partition("/")[0] for each in strategies(whole)}
    assert languages >= {"java", "go", "python", "node"}
    in_java = [each for each in whole.case if each.strategy == ["java/gzip-input-stream"]]
    assert [each.parameters["buffer"] for each in in_java] == [[512], [65536]]
    (few,) = made(runtimes, form="gzip", lines=False, two_ways=True).group
    assert len([each for each in strategies(few) if each.startswith("python/")]) == 2
    assert not any(strategies(each) & named for each in made(runtimes).group)


def test_of_two_that_are_as_simple_the_one_whose_calls_are_counted_comes_first(runtimes):
    """Node's readSync, not what goes through its event loop, although that is first by its name."""
    whole, _ = made(runtimes, language="node").group
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
