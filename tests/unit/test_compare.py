"""`iogauge compare` on stored runs: what it prints, writes and exits with."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.runs import written
from tests.separate_runs import a_run, with_host, with_runtimes


@pytest.fixture
def files(fake, tmp_path):
    """Three runs of the base; `files("d", …)` writes a new one and gives all four."""
    bases = [written(a_run(fake, each), tmp_path / f"{each}.jsonl") for each in "abc"]

    def made(name="d", **more):
        return [*bases, written(a_run(fake, name, **more), tmp_path / f"{name}.jsonl")]

    return made


SLOW = (1.0, 1.0, 2.0)


def test_the_table_comes_after_what_differs(files, iogauge):
    done = iogauge("compare", *files(times=SLOW, change=with_host(kernel="9")))
    assert done.returncode == 0, done.stderr
    said = done.stdout
    assert said.startswith("3 base runs (2026-01-") and "\n  kernel: 0 -> 9\n" in said
    assert said.index("kernel: 0 -> 9") < said.index("New against base, 3 ways: 1 slower")
    assert re.search(r"speed 40 +1\.\d+-2\.\d+ +slower", said)
    assert "ratios to fixed work" in said.replace("\n ", "")
    assert "estimated from the 3 base runs" in said
    assert max(map(len, said.splitlines())) <= 80


@pytest.mark.parametrize(
    "more, given, status, says",
    [
        ({}, ["30%"], 0, "NOT SLOWER: surely none of 3 ways is over 30 % slower"),
        ({"times": SLOW}, ["5%"], 1, "SLOWER: 1 of 3 ways is surely over 5 % slower"),
        ({"times": (1.0, 1.0, 1.06)}, ["5%"], 4, "UNDECIDED: "),
        ({"times": (1.0, 1.0, 1.06)}, ["5%", "--undecided", "pass"], 0, "UNDECIDED: "),
        ({"times": (1.0, 1.0, 1.06)}, ["5%", "--undecided", "fail"], 1, "UNDECIDED: "),
        ({"failing": [1]}, ["30%"], 1, "FAILS: 1 of 3 ways fails only in new"),
        ({"times": SLOW, "control": 1.3}, ["5%"], 4, "UNDECIDED: "),
    ],
)
def test_the_exit_status_is_the_answer(files, iogauge, more, given, status, says):
    done = iogauge("compare", *files(**more), "--max-slowdown", *given)
    assert (done.returncode, says in done.stdout) == (status, True), done.stdout
    assert f"exit status {status}" in done.stderr


def test_what_fails_in_both_is_3(fake, tmp_path, iogauge):
    paths = [written(a_run(fake, each, failing=[1]), tmp_path / f"{each}.jsonl") for each in "abcd"]
    done = iogauge("compare", *paths, "--max-slowdown", "30%")
    assert done.returncode == 3 and "fails in both" in done.stdout and "it broke" in done.stdout


@pytest.mark.parametrize("more", [{"times": SLOW}, {"failing": [1]}, {}])
def test_one_base_decides_nothing(files, iogauge, more):
    first, *_, new = files(**more)
    done = iogauge("compare", first, new, "--max-slowdown", "30%")
    assert done.returncode == 4, "also of a failure, which is told all the same"
    assert "One base run does not show how much runs differ" in done.stdout
    assert ("fails only in new: it broke" in done.stdout) == ("failing" in more)


def test_markdown_and_annotations(files, iogauge, tmp_path):
    out = tmp_path / "table.md"
    done = iogauge(
        "compare",
        *files(times=SLOW),
        "--max-slowdown",
        "5%",
        "--markdown",
        out,
        "--annotate",
        "github",
    )
    assert done.returncode == 1
    assert re.search(r"^::error title=iogauge::.*speed 40.*slower", done.stdout, re.MULTILINE)
    text = out.read_text()
    assert text.startswith("### SLOWER: 1 of 3 ways") and "\n- 3 base runs" in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 5 and "**slower**" in rows[-1]


def test_json_has_the_keys_that_are_documented(files, iogauge):
    done = iogauge("compare", *files(times=SLOW), "--max-slowdown", "5%", "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 1 and found["verdict"] == "slower"
    assert [each["verdict"] for each in found["ways"]].count("slower") == 1
    slow = next(each for each in found["ways"] if each["verdict"] == "slower")
    assert slow["lo"] < 2 < slow["hi"] and slow["base_runs"] == 3 and slow["anchor"]
    assert done.stderr.count("exit status 1") == 1
    page = (Path(__file__).parents[2] / "docs" / "export-json.md").read_text()
    contract = re.search(r'```\n(\{ "iogauge_compare".*?)```', page, re.DOTALL)[1]
    keys = {*found, *found["new"]}.union(*found["ways"], *found["differs"], *found["runtimes"])
    assert keys <= {*re.findall(r"[a-z_]+", contract)}, "and no others"
    assert {*re.findall(r"[a-z_]+", contract)} - keys == {"fact", "of"}, "nothing differs here"


def test_runtimes_that_changed_are_told(fake, tmp_path, iogauge):
    old = {"a": "1", "b": "1"}
    runs = [a_run(fake, each, change=with_runtimes(old, old)) for each in "abc"]
    new = {"a": "1", "b": "2"}
    runs.append(a_run(fake, "d", change=with_runtimes(new, new)))
    paths = [written(each, tmp_path / f"{each.header.id}.jsonl") for each in runs]
    done = iogauge("compare", *paths)
    assert done.returncode == 0, done.stderr
    said = done.stdout
    assert "runtime fake-b: 1 -> 2" in said
    assert "Runtimes are compared by name: fake-a with fake-a and fake-b with fake-b." in said
    assert "the baseline, whose runtime did not change" in said.replace("\n  ", " ")


def test_a_run_that_was_stopped_is_told_and_one_without_a_repeat_refused(files, iogauge):
    done = iogauge("compare", *files(over=False))
    assert "the new run is not over: it was stopped after 5 repeats" in done.stdout
    done = iogauge("compare", *files(name="e", replicates=0))
    assert done.returncode == 2 and "no complete repeat" in done.stderr


def test_what_cannot_be_compared_is_one_clear_line(fake, files, tmp_path, iogauge):
    first, *others, new = files()

    def refused(*given):
        done = iogauge("compare", *given)
        (line,) = done.stderr.splitlines()
        assert done.returncode == 2
        return line

    assert "the new one last" in refused(first)
    assert f"{first}: the same run as {first}" in refused(first, first)
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(new.read_bytes())
    assert "the same run as" in refused(first, copy, new)
    short = written(a_run(fake, "s", replicates=2), tmp_path / "s.jsonl")
    assert "s.jsonl: fewer than 3 repeats of each way" in refused(short, new)

    def elsewhere(run):
        group = run.plan.groups[0]
        work = group.workload.model_copy(update={"size": 5})
        cases = tuple(each.model_copy(update={"workload": work}) for each in run.plan.cases)
        groups = (group.model_copy(update={"workload": work}),)
        plan = run.plan.model_copy(update={"groups": groups, "cases": cases})
        run.header = run.header.model_copy(update={"plan": plan})

    other = written(a_run(fake, "o", change=elsewhere), tmp_path / "o.jsonl")
    assert "shares no case with the runs of the base (other sizes)" in refused(
        first, *others, other
    )
    assert "give one of both" in refused(first, new, "--json", "--annotate", "github")
    assert "--undecided is for a gate" in refused(first, new, "--undecided", "pass")


def test_a_base_that_is_named_twice_counts_once(files, iogauge):
    first, *others = files()
    done = iogauge("compare", first, first, *others)
    assert done.stdout.startswith("3 base runs") and "it counts once" in done.stderr
