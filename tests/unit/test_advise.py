"""What is advised from a run; and what would be measured where no run has the answer."""

from __future__ import annotations

import dataclasses
import io
import json
import re
from types import SimpleNamespace

import pytest
from rich.console import Console

from iogauge.advice.choice import recommend
from iogauge.advice.studies import first_study
from iogauge.advice.wanted import Wanted, advisable, distance, is_unknown
from iogauge.analysis import report
from iogauge.commands import advising
from iogauge.model.method import METHOD
from iogauge.model.plan import Group
from iogauge.model.strategy import Needs
from iogauge.model.workload import Conditions, Workload
from iogauge.outputs import advice, advice_json
from iogauge.outputs.document import Advised
from iogauge.runners import hints
from iogauge.statistics.intervals import Interval
from tests.fake_study import Clock, faulty, group, measure, steady
from tests.reports import declared, parameter


def shown(*found, width=80) -> str:
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(advice.render(Advised(Wanted(), found, None)))
    return console.export_text()


def test_show_and_advise_recommend_the_same(measured, may_be_advised):
    for each in recommend(measured, Wanted(cache="warm")).values():
        told = each.group.answers[each.choice.rank_set]
        assert each.sure == (told.recommended is not None)
        assert not each.sure or each.choice is told.recommended
        ways = each.group.answer_of(told.members)
        assert (ways.recommended, ways.best) == (told.recommended, told.best)
        assert each.group.answer_of([told.best]).members == (told.best,)


MEMORY = 8 << 30
BLOCK = {"block": parameter("block")}
BUFFER = {"buffer": parameter("buffer", default=4096, min=16)}
WRITES = {"operation": "write", "modes": ("truncate",)}
LINES = {"unit": "line", "sums": "line-byte", "parameters": BUFFER}
GO = SimpleNamespace(
    name="go-1",
    strategies={
        name: declared(name, **more)
        for name, more in {
            "go/file-read": {"parameters": BLOCK},
            "go/bufio-read": {"parameters": BLOCK | BUFFER},
            "go/read-file": {"unit": "file", "effort": 1, "needs": Needs(memory_per_file_byte=1)},
            "go/bufio-scanner-line": LINES,
            "go/bufio-reader-line": {**LINES, "unavailable": "not here"},
            "go/file-write": {**WRITES, "durabilities": ("none", "fsync"), "parameters": BLOCK},
            "go/write-file": {**WRITES, "durabilities": ("none",), "unit": "file"},
            "go/bufio-write": {
                **WRITES,
                "durabilities": ("none", "fsync"),
                "parameters": BLOCK | BUFFER,
            },
            "go/no-hint-for-this": {},
            "go/random-read": {"access": "random", "parameters": BLOCK},
            "go/random-mapped": {"access": "random", "parameters": BLOCK},
            "go/picky": {"parameters": {"block": parameter("block", min=512)}},
        }.items()
    },
)
RANDOM = {"go/random-read", "go/random-mapped"}


@pytest.fixture(autouse=True)
def picky_and_random_ones_may_be_advised(monkeypatch):
    known = hints.all_names()
    monkeypatch.setattr(hints, "all_names", lambda: known | {"go/picky", *RANDOM})


def rows(wanted: Wanted) -> dict[str, dict[str, list[int]]]:
    (asked,) = first_study(wanted, [GO], MEMORY, 20).group
    return {name: each.parameters for each in asked.case for name in each.strategy}


def test_the_study_of_what_no_run_answers(snapshot):
    """As its run file keeps it."""
    wanted = Wanted("go", "write", "byte", 1 << 20, None, "fsync", 100)
    assert first_study(wanted, [GO], MEMORY, 13.5).text == snapshot


def test_what_is_measured_where_no_run_has_the_answer():
    assert rows(Wanted(cache="warm")) == {
        "go/file-read": {"block": [8192, 131072, 1 << 20]},
        "go/picky": {"block": [8192, 131072, 1 << 20]},
        "go/read-file": {},
    }
    assert rows(Wanted(cache="warm", size=10_000))["go/file-read"] == {"block": [8192]}
    assert rows(Wanted(cache="warm", unit="line")) == {
        "go/bufio-scanner-line": {"buffer": [4096, 65536, 1 << 20]}
    }
    assert rows(Wanted(cache="warm", record=100))["go/bufio-read"] == {
        "block": [100],
        "buffer": [4096, 65536, 1 << 20],
    }
    writing = Wanted(operation="write", durability="none", record=100)
    assert rows(writing) == {
        "go/file-write": {"block": [100]},
        "go/bufio-write": {"block": [100], "buffer": [4096, 65536, 1 << 20]},
    }
    assert first_study(Wanted(cache="warm", language="java"), [GO], MEMORY, 20) is None
    name = "rust/read-to-string"
    strategies = {name: declared(name, unit="file", sums="codepoint")}
    one_way = [GO, SimpleNamespace(name="rust-1", strategies=strategies)]
    assert first_study(Wanted(cache="warm", unit="char"), one_way, MEMORY, 20) is None


def test_of_random_access_the_places_and_the_pieces_are_measured():
    wanted = Wanted(cache="warm", access="random", record=4096)
    assert rows(wanted) == {name: {"block": [4096]} for name in RANDOM}
    assert rows(Wanted(cache="warm")).keys().isdisjoint(RANDOM)
    for length, accesses in ((1 << 20, 256), (100_000, 24)):
        study = first_study(dataclasses.replace(wanted, size=length), [GO], MEMORY, 20)
        assert study.group[0].accesses == [accesses]


def test_what_cannot_be_is_left_out():
    """A piece that the API does not take, a file that does not fit into memory, a durability that
    an API does not offer; those that need nothing of the API stay.
    """
    assert "go/picky" in rows(Wanted(cache="warm"))
    assert "go/picky" not in rows(Wanted(cache="warm", record=100))
    assert rows(Wanted(cache="cold", size=2 << 30)).keys() == {"go/file-read", "go/picky"}
    for durability, is_way in (("sync-inode", True), ("fsync", False)):
        found = rows(Wanted(operation="write", durability=durability))
        assert ("go/write-file" in found) == is_way


AT_RANDOM = {"size": 8192, "accesses": 2, "access_bytes": 4096}
RANDOM_4K = {"access": "random", "record": 4096}


def plan_of(group: Group):
    workload = group.workload
    names = {"read": ["go/file-read", "go/read-file"], "write": ["go/file-write", "go/write-file"]}
    ways = [(name, {}) for name in names[workload.operation]]
    if workload.accesses:
        ways = [(name, {"block": workload.access_bytes}) for name in sorted(RANDOM)]
    return planned(group, ways)


def planned(group: Group, ways):
    cases = [
        SimpleNamespace(
            strategy=name,
            runtime="go-1",
            language="go",
            parameters=parameters,
            key=name,
            workload=group.workload,
        )
        for name, parameters in ways
    ]
    return SimpleNamespace(groups=[group], cases=cases, published=None)


def asked_group(workload, conditions, cases=2) -> Group:
    return Group(
        id="g",
        question="?",
        workload=Workload(**workload),
        conditions=Conditions(**conditions),
        cases=tuple(range(cases)),
        baseline=0,
        control=None,
        rounds=1,
    )


@pytest.mark.parametrize(
    ("workload", "conditions", "wanted", "covers"),
    [
        ({"size": 100}, {"cache": "warm"}, {"cache": "warm", "size": 100}, 0.0),
        ({"size": 100}, {"cache": "warm"}, {"cache": "warm"}, 0.0),
        (
            {"size": 100},
            {"cache": "warm"},
            {"cache": "warm", "size": 150},
            pytest.approx(0.405, abs=0.001),
        ),
        ({"size": 100}, {"cache": "warm"}, {"cache": "warm", "size": 250}, None),
        ({"size": 0}, {"cache": "warm"}, {"cache": "warm"}, None),
        (
            {"size": 100, "operation": "write", "mode": "append"},
            {"durability": "none"},
            {"operation": "write", "durability": "none"},
            None,
        ),
        ({"size": 100}, {"cache": "cold"}, {"cache": "warm"}, None),
        ({"size": 100, "consume": "none"}, {"cache": "warm"}, {"cache": "warm"}, None),
        ({"size": 100, "content": "own"}, {"cache": "warm"}, {"cache": "warm"}, None),
        ({"size": 100, "medium": "memory"}, {"cache": "warm"}, {"cache": "warm"}, None),
        ({"size": 100}, {"cache": "warm"}, {"cache": "warm", "language": "java"}, None),
        (AT_RANDOM, {"cache": "warm"}, {"cache": "warm"}, None),
        ({"size": 8192}, {"cache": "warm"}, {"cache": "warm", **RANDOM_4K}, None),
        (AT_RANDOM, {"cache": "warm"}, {"cache": "warm", **RANDOM_4K}, 0.0),
        (AT_RANDOM, {"cache": "warm"}, {"cache": "warm", **RANDOM_4K, "record": 8192}, None),
        ({"size": 100}, {"cache": "warm"}, {"cache": "warm", "unit": "line"}, None),
    ],
)
def test_which_groups_cover_a_workload(workload, conditions, wanted, covers):
    plan = plan_of(asked_group(workload, conditions))
    assert distance(plan, [GO], Wanted(**wanted)) == covers


def test_small_blocks_are_another_workload_unless_they_are_asked_for():
    group = asked_group({"size": 1 << 20}, {"cache": "warm"}, cases=3)
    plan = planned(group, [("go/file-read", {"block": block}) for block in (1, 100, 8192)])
    assert advisable(plan, group, [GO], Wanted(cache="warm")) == [2]
    assert advisable(plan, group, [GO], Wanted(cache="warm", record=100)) == [1]


@pytest.mark.parametrize(
    ("wanted", "title", "options"),
    [
        (Wanted(cache="warm", size=16 << 20), "read a file of 16 MiB, cached", "--size 16M"),
        (
            Wanted("java", "read", "line", 500, "cold", own=True),
            "read your file of 500 B line by line, from disk, in Java",
            "--language java --unit line --cache cold",
        ),
        (
            Wanted("go", "write", "byte", None, None, "fsync", 100),
            "write a file in pieces of 100 B, made durable by fsync, in Go",
            "--language go --operation write --durability fsync --record 100",
        ),
        (
            Wanted(None, "write", "char", 1024, None, "none", 60),
            "write a file of 1 KiB as text in pieces of 60 characters, not made durable",
            "--operation write --unit char --size 1K --record 60",
        ),
        (
            Wanted("rust", "copy", "byte", None, "warm", "none"),
            "copy a file, cached, not made durable, in Rust",
            "--language rust --operation copy",
        ),
        (
            Wanted(cache="cold", size=1 << 20, record=4096, access="random"),
            "read a file of 1 MiB in pieces of 4 KiB at random places, from disk",
            "--cache cold --access random --size 1M --record 4K",
        ),
    ],
)
def test_a_workload_in_words_and_in_options(wanted, title, options):
    assert wanted.title == title and " ".join(wanted.options) == options


def test_a_language_is_sure_where_all_its_runtimes_are():
    def advice(language: str, sure: bool, one_state: bool = False):
        return SimpleNamespace(
            settled=sure,
            is_of_one_state=one_state,
            choice=SimpleNamespace(case=SimpleNamespace(language=language)),
        )

    found = [advice("java", True), advice("java", False), advice("go", True)]
    assert advising.sure_languages(found, Wanted()) == {"go"}
    mapped = [advice("go", True, one_state=True)]
    assert advising.sure_languages(mapped, Wanted(cache="warm")) == set()
    asked = Wanted(cache="warm", cached_by="write-large")
    assert advising.sure_languages(mapped, asked) == {"go"}


@pytest.fixture(scope="module")
def measured(fake, tmp_path_factory):
    """Two groups of bytes on the fake runner, whose strategies may be advised."""
    text = group(steady(20, 40), size="64K") + group(
        steady(40, 20, 60) + faulty("later-wrong-sum"), size="128K", identifier="large"
    )
    return report.make(measure(text, fake, tmp_path_factory.mktemp("advise"), seed=1).run)


@pytest.fixture
def may_be_advised(monkeypatch):
    monkeypatch.setattr(hints, "all_names", lambda: {"fake/steady", "fake/later-wrong-sum"})
    monkeypatch.setattr(hints, "of_case", lambda case: None)


@pytest.mark.parametrize(
    ("wanted", "nearest"),
    [(64, "fakes"), (90, "fakes"), (100, "large"), (200, "large"), (None, "fakes")],  # KiB
)
def test_advice_is_from_the_group_nearest_in_size(measured, may_be_advised, wanted, nearest):
    (advice,) = recommend(measured, Wanted(cache="warm", size=wanted and wanted << 10)).values()
    assert advice.group.id.startswith(nearest) and advice.choice.case.parameters["speed"] == 20
    # What failed is not advised, nor compared.
    assert advice.among == (2 if nearest == "fakes" else 3)


@pytest.mark.parametrize(
    "wanted",
    [
        {"size": 300 << 10},
        {"cache": "cold"},
        {"unit": "line"},
        {"own": True},
        {"language": "other"},
        {"operation": "write", "cache": None},
    ],
)
def test_there_is_no_advice_for_what_was_not_measured(measured, may_be_advised, wanted):
    assert not recommend(measured, Wanted(**{"cache": "warm", **wanted}))


def test_there_is_no_advice_where_a_group_has_no_verdict(measured, may_be_advised):
    groups = tuple(dataclasses.replace(each, suspended=True) for each in measured.groups)
    assert not recommend(dataclasses.replace(measured, groups=groups), Wanted(cache="warm"))


def test_what_seems_faster_than_the_machine_is_left_out_and_told(measured, may_be_advised):
    def with_share(fast: Interval):
        def changed(case):
            is_fast = case.case.parameters.get("speed") == 20
            return dataclasses.replace(case, of_ceiling=fast) if is_fast else case

        groups = tuple(
            dataclasses.replace(each, cases=tuple(map(changed, each.cases)))
            for each in measured.groups
        )
        wanted = Wanted(cache="warm", size=128 << 10)
        (found,) = recommend(dataclasses.replace(measured, groups=groups), wanted).values()
        return found

    left_out = with_share(Interval(1.5, 1.2, 1.8, 3))
    assert left_out.choice.case.parameters["speed"] == 40
    assert (left_out.among, left_out.beyond_ceiling) == (2, 1)
    assert "1 more left out: faster than this machine's limit" in shown(left_out, width=100)
    not_surely = with_share(Interval(1.5, 1.05, 2.0, 3))
    assert not_surely.choice.case.parameters["speed"] == 20


def test_one_way_alone_is_no_advice(measured, monkeypatch):
    monkeypatch.setattr(hints, "all_names", lambda: {"fake/later-wrong-sum"})
    assert not recommend(measured, Wanted(cache="warm"))


def noisy(fake, folder, seed: int, size: str = "64K"):
    """A run that is too short to be sure which of two ways is the faster one."""
    text, clock = group(steady(100, 103, 300, scatter=100), size=size), Clock(step=0.01)
    done = measure(text, fake, folder, seed=seed, name=f"run-{seed}", clock=clock, budget=0.6)
    return report.make(done.run)


def rows_of(*reports):
    return [each for made in reports for each in made.dataset]


def changed(made, **header):
    """A report as of a run with this in its header."""
    header = made.run.header.model_copy(update=header)
    return dataclasses.replace(made, run=SimpleNamespace(plan=made.run.plan, header=header))


def on(made, **facts):
    """The same of a run on another host."""
    return changed(made, host={**made.run.header.host, **facts})


def test_runs_of_another_build_machine_method_or_workload_tell_nothing(
    fake, tmp_path, may_be_advised
):
    first, second = (noisy(fake, tmp_path, seed) for seed in (1, 2))
    wanted = Wanted(cache="warm", size=64 << 10)
    runtimes = second.run.header.runtimes
    others = [
        changed(
            second, runtimes=tuple(each.model_copy(update={"build": "x"}) for each in runtimes)
        ),
        on(second, identity="another"),
        on(second, file_system="another"),
        changed(second, method=METHOD.model_copy(update={"prelude": 0.009})),
        noisy(fake, tmp_path, 3, "96K"),
        first,
    ]
    for other, runs in ((second, 2), *((each, 1) for each in others)):
        (advice,) = recommend(first, wanted, rows_of(first, other)).values()
        assert advice.runs == runs
    # What is not known to be the same machine is another one.
    unknown = [on(each, identity=None) for each in (first, second)]
    (advice,) = recommend(unknown[0], wanted, rows_of(*unknown)).values()
    assert advice.runs == 1


def test_copies_of_a_run_tell_no_more_than_it(fake, tmp_path, may_be_advised):
    """Whatever their files are called, and though they were cut short: two replicates named
    fourteen times had become an answer.
    """
    first, second = (noisy(fake, tmp_path, seed) for seed in (1, 2))
    copies = [dataclasses.replace(each) for each in (first, second, first, second)]
    wanted = Wanted(cache="warm", size=64 << 10)
    (advice,) = recommend(first, wanted, rows_of(*copies)).values()
    assert advice.runs == 2
    paths = [tmp_path / "copies" / f"{number}.jsonl" for number in range(3)]
    paths[0].parent.mkdir()
    for path in paths:
        path.write_bytes((tmp_path / "run-1.jsonl").read_bytes())
    (once,), (thrice,) = (
        advising.advice_of(some, wanted, named=True).values() for some in (paths[:1], paths)
    )
    assert (thrice.runs, thrice.worst) == (1, once.worst)


def test_every_run_that_is_named_is_read(fake, tmp_path, may_be_advised, monkeypatch):
    for seed in (1, 2, 3):
        noisy(fake, tmp_path, seed)
    monkeypatch.setattr(advising, "_MOST_RUNS", 2)
    paths = sorted(tmp_path.rglob("*.jsonl"))
    assert len(paths) == 3
    wanted = Wanted(cache="warm", size=64 << 10)
    for named, runs in ((True, 3), (False, 2)):
        (advice,) = advising.advice_of(paths, wanted, named=named).values()
        assert advice.runs == runs


def test_many_languages_have_a_line_each_and_the_fastest_their_code(measured, may_be_advised):
    (one,) = recommend(measured, Wanted(cache="warm", size=128 << 10)).values()

    def of(language: str, ns: float):
        case = one.choice.case.model_copy(update={"strategy": f"{language}/read"})
        level = dataclasses.replace(one.choice.ns_per_op, center=ns)
        choice = dataclasses.replace(one.choice, case=case, ns_per_op=level)
        return dataclasses.replace(one, choice=choice, hint=f"code of {language}")

    several = shown(of("slow", 9e6), of("quick", 1e6), of("fair", 2e6), of("poor", 3e6))
    lines = [line.split()[0] for line in several.splitlines() if line.endswith("B/s")]
    assert lines == ["Quick", "Fair", "Poor", "Slow"]
    assert "code of poor" in several and "code of slow" not in several
    assert "--language quick|fair|poor|slow" in several and "Measured:" not in several
    two = shown(of("slow", 9e6), of("quick", 1e6))
    assert "Slow: use " in two and two.count("Measured:") == 2 and "code of slow" in two
    assert "\nUse " in shown(of("slow", 9e6))


# over the states of a cached file


BOTH_STATES = ("read-sequential", "write-small")


def over_states(fake, tmp_path, *times, name="states", states=BOTH_STATES):
    """A report of two ways, a simple one and another, in these states, in each of which they take
    so much time.
    """
    more = f"cached_by = {list(states)}".replace("'", '"')
    text = group(steady(10, 11, scatter=0), more=more)
    done = measure(text, fake, tmp_path, clock=Clock(step=0.01), seed=1, budget=8.0, name=name)
    columns, plan = done.run.columns, done.run.plan
    for row, number in enumerate(columns.case):
        case = plan.cases[number]
        place = states.index(case.conditions.cached_by)
        wanted = times[place][case.parameters["speed"] - 10] * 1e5
        noise = 1 + 0.002 * ((row * 7919) % 11 - 5) / 5
        columns.ns[row] = wanted * noise * columns.operations[row]
    return report.make(done.run)


def speed(found) -> int:
    return found.choice.case.parameters["speed"]


def advised(made, **wanted):
    (found,) = recommend(made, Wanted(cache="warm", size=64 << 10, **wanted)).values()
    return found


def test_what_is_good_enough_in_each_state_is_advised(fake, tmp_path, may_be_advised):
    """The fastest way of the usual state is slow in the other one."""
    found = advised(over_states(fake, tmp_path, (1.06, 1), (1, 2)))
    assert (speed(found), found.sure, found.over.kind) == (10, True, "same")
    assert found.states == BOTH_STATES
    text = " ".join(shown(found).split())
    assert "however the file came into the cache." in text
    assert re.search(r"it takes \S+( \S+)? as long if it was written in small pieces", text)
    assert "cached, read in order, and written in small pieces;" in text


def test_where_none_is_good_in_each_the_least_bad_is_advised(fake, tmp_path, may_be_advised):
    found = advised(over_states(fake, tmp_path, (1.5, 1), (1, 2)))
    assert (speed(found), found.sure, found.over.kind) == (10, False, "turns")
    assert found.settled and 1.4 < found.worst < 1.7, "that of the state where it is worst"
    text = " ".join(shown(found).split())
    assert "the one that lost least, however the file came into the cache." in text
    assert "takes 1.5x as long if it was read in order" in text
    found = advised(over_states(fake, tmp_path, (3, 1), (1, 2), name="other"))
    assert speed(found) == 11


def test_a_state_without_an_answer_is_named(fake, tmp_path, may_be_advised):
    made = over_states(
        fake, tmp_path, (1.06, 1), (1, 2), (1, 2), states=(*BOTH_STATES, "write-large")
    )
    suspended = dataclasses.replace(made.groups[2], suspended=True)
    found = advised(dataclasses.replace(made, groups=(*made.groups[:2], suspended)))
    assert (found.states, found.unanswered) == (BOTH_STATES, ("write-large",))
    assert not found.sure and not found.settled
    text = " ".join(shown(found).split())
    assert "but not sure yet if the file was written in large pieces." in text
    assert "however the file" not in text and text.count("not sure yet") == 1


def test_one_state_may_be_asked_for(fake, tmp_path, may_be_advised):
    made = over_states(fake, tmp_path, (1.5, 1), (1, 2))
    for state, chosen in zip(BOTH_STATES, (11, 10), strict=True):
        found = advised(made, cached_by=state)
        assert (speed(found), found.over) == (chosen, None)
    assert recommend(made, Wanted(cache="warm", cached_by="write-large")) == {}


def test_of_an_older_run_the_state_is_not_known_and_any_other_goes_first(
    fake, tmp_path, may_be_advised
):
    made = over_states(fake, tmp_path, (1.5, 1), (1, 2))

    def older(*places):
        """The report, as if nobody knew how the files of these groups came into the cache."""
        unknown = Conditions(cache="warm")
        plan = made.run.plan
        groups, planned = list(made.groups), list(plan.groups)
        for place in places:
            groups[place] = dataclasses.replace(groups[place], conditions=unknown)
            planned[place] = planned[place].model_copy(update={"conditions": unknown})
        header = made.run.header
        plan = plan.model_copy(update={"groups": tuple(planned)})
        run = SimpleNamespace(plan=plan, header=header, columns=made.run.columns)
        return dataclasses.replace(made, groups=tuple(groups), run=run), plan

    old, plan = older(0, 1)
    found = advised(old)
    assert found.over is None and found.group.id.endswith("read-sequential")
    assert "how the file came into the cache is not known" in " ".join(shown(found).split())
    mixed, partly = older(0)
    known = advised(mixed)
    assert known.group.conditions.cached_by == "write-small" and known.over is None
    assert advising._known(known) > advising._known(found)
    runtimes, wanted = made.run.header.runtimes, Wanted(cache="warm")
    assert is_unknown(plan, runtimes, wanted) and not is_unknown(partly, runtimes, wanted)


def test_the_states_are_exported(fake, tmp_path, may_be_advised):
    found = advised(over_states(fake, tmp_path, (1.5, 1), (1, 2)))
    document = Advised(Wanted(cache="warm"), (found,), None)
    (told,) = json.loads(advice_json.render(document))["advice"]
    over = told["over_states"]
    assert (over["kind"], over["cached_by"]) == ("turns", list(BOTH_STATES))
    assert over["unanswered"] == []
    assert [each["cost"]["kind"] for each in over["use"]] == ["slower", "same"]
    assert over["use"][0]["ratio"] == pytest.approx(1.5, rel=0.01)


def test_a_state_is_an_option_that_asks_again_and_part_of_the_study():
    wanted = Wanted("go", cache="warm", cached_by="write-small")
    assert wanted.options == ["--language", "go", "--cached-by", "write-small"]
    assert "cached, written in small pieces" in wanted.title
    (asked,) = first_study(wanted, [GO], MEMORY, 20).group
    assert asked.axes()["cached_by"] == ["write-small"]
    (usual,) = first_study(Wanted("go", cache="warm"), [GO], MEMORY, 20).group
    assert usual.axes()["cached_by"] == ["read-sequential"]


@pytest.mark.parametrize(("mapped", "ways"), [(True, BOTH_STATES), (False, ())])
def test_where_a_mapping_is_near_the_best_another_state_is_measured(
    mapped, ways, fake, tmp_path, may_be_advised, monkeypatch
):
    made = over_states(fake, tmp_path, (1, 1.1), states=BOTH_STATES[:1])
    run = made.run
    runtime = run.header.runtimes[0]
    strategies = {
        name: each.model_copy(update={"mapped": mapped and name == "fake/steady"})
        for name, each in runtime.strategies.items()
    }
    header = run.header.model_copy(
        update={"runtimes": (runtime.model_copy(update={"strategies": strategies}),)}
    )
    monkeypatch.setattr(advising.report, "make", lambda _: made)
    run.header = header
    wanted = Wanted(cache="warm")
    assert advising._further_states(wanted, run, None, tmp_path) == ways
    asked = dataclasses.replace(wanted, cached_by="write-large")
    assert advising._further_states(asked, run, None, tmp_path) == ()
