"""The command line as users meet it: exit statuses, one clear line, nothing left behind; in
processes of their own where that makes a difference.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import get_type_hints

import pytest

from iogauge.commands import cli
from iogauge.model import folders
from iogauge.runners import conformance, manifest, preparing
from tests.conftest import TESTS
from tests.fake_study import HEAD, faulty, group, measure, steady

# 10 and 5 MB/s: slower than what any machine has in its page cache, which is measured for real
# beside them. What is faster than its ceiling gets no verdict.
FAST, SLOW = 10_000, 20_000
FAKE = TESTS / "runners" / "fake"
SMALL = HEAD + group(steady(FAST, SLOW), cache='["warm", "cold"]')


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


@pytest.fixture(scope="module")
def whole(fake, tmp_path_factory):
    """The file of a run that was decided, to be looked at."""
    folder = tmp_path_factory.mktemp("whole")
    return measure(group(steady(10, 20, scatter=0)), fake, folder, seed=1).path


@pytest.fixture
def place(disk_folder, request):
    """A directory for data files of this test alone, on a disk."""
    path = disk_folder / request.node.name.translate(str.maketrans("/[]:. ", "______"))[:60]
    path.mkdir()
    return path


def best_of(command: list[str], tries: int = 7) -> float:
    times = []
    for _ in range(tries):
        began = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True)
        times.append(time.perf_counter() - began)
    return min(times)


@pytest.mark.alone
def test_help_is_quick_and_imports_nothing_heavy(iogauge):
    empty = best_of([sys.executable, "-c", "pass"])
    helped = best_of([sys.executable, "-m", "iogauge", "--help"])
    # A ratio, as machines differ: 0.15 s where Python starts in 0.02 s.
    assert helped < 8 * empty + 0.05
    heavy = ("rich", "pydantic", "numpy", "scipy", "psutil")
    program = f"import sys, iogauge.commands.cli; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


LOADED = """
import sys
from iogauge.commands import cli

measures = "measuring.bench", "measuring.session", "runners.fork", "runners.preparing", "corpus.store"
path, *commands = sys.argv[1:]
for each in commands:
    sys.argv[1:] = each, path
    try:
        cli.main()
    except SystemExit as end:
        assert not end.code, each
    found = [name for name in measures if f"iogauge.{name}" in sys.modules]
    print(each, found, file=sys.stderr)
"""


def test_each_command_is_carried_out_by_a_function_that_takes_its_arguments():
    for kind, where in cli.COMMANDS.values():
        module, function = where.split(".")
        found = getattr(importlib.import_module(f"iogauge.commands.{module}"), function)
        assert get_type_hints(found) == {"given": kind, "return": int}, where


def test_who_looks_at_a_run_loads_nothing_that_measures(whole, tmp_path):
    commands = ["show", "explain", "export", "report"]
    done = subprocess.run(
        [sys.executable, "-c", LOADED, str(whole), *commands],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    told = [line for line in done.stderr.splitlines() if line.endswith("]")]
    assert told == [f"{each} []" for each in commands]


def test_a_whole_run(iogauge, iogauge_process, small, place, tmp_path):
    out = tmp_path / "run.jsonl"
    done = iogauge_process("run", small, "--dir", place, "--out", out, "--seed", 1, NO_COLOR="1")
    assert done.returncode == 0, done.stderr
    *screen, commands = done.stdout.split("\n\n")
    assert max(len(line) for part in screen for line in part.splitlines()) <= 80
    assert len(done.stdout.splitlines()) <= 60
    assert f"explain {out}" in commands, "what can be done next"
    assert "\x1b" not in done.stdout + done.stderr
    assert f"run file: {out}" in done.stdout
    assert "Which fake is fastest?" in done.stdout
    assert f"steady, speed {FAST}" in done.stdout
    details = iogauge("show", out, "--details").stdout
    words = " ".join(details.split())
    assert max(map(len, details.splitlines())) <= 80 and f"fake/steady 5/{FAST}" in details
    assert "fully cached before each sample" in words and "nothing cached before a sample" in words
    assert re.search("warm, read-sequential; noise floor [0-9.]+ %;", words)
    # What is piped is not filled up with blanks.
    assert not any(line.endswith(" ") for line in done.stdout.splitlines())
    # Progress: a line for each question, with an estimate. (Who waits long is told more between.)
    lines = [line for line in done.stderr.splitlines() if line.startswith("on-the-fake: question ")]
    assert sorted(re.sub(r"about .* left", "about X left", line) for line in lines) == [
        f"on-the-fake: question {number} of 2, Read 64 KiB, {state} (about X left in all)"
        for number, state in ((1, "cached"), (2, "from disk"))
    ], "the first that is measured is drawn at random"
    assert iogauge("show", out).stdout.splitlines()[:5] == done.stdout.splitlines()[:5]
    samples = sum('"record":"sample"' in line for line in out.read_text().splitlines())
    assert f"what was not used\n{samples} samples of " in details
    exported = json.loads(iogauge("export", out, "--format", "json").stdout)
    assert exported["runs"][0]["complete"] is True and len(exported["groups"]) == 2


@pytest.mark.usefixtures("only_fake")
def test_something_failed_is_status_3(iogauge, place, tmp_path):
    study = tmp_path / "faulty.toml"
    study.write_text(HEAD + group(steady(FAST, SLOW) + faulty("wrong-sum", "dies")))
    out = tmp_path / "run.jsonl"
    done = iogauge("run", study, "--dir", place, "--out", out, "--budget", "1s")
    assert done.returncode == 3
    assert "2 cases failed" in done.stderr
    assert re.search("wrong-sum, .* failed: wrong sum", done.stdout)
    assert f"steady, scatter 5, speed {FAST}" in done.stdout
    details = iogauge("show", out, "--details").stdout
    assert "fake/wrong-sum 0/10: failed: wrong sum" in details


BAD = """
run {bad}
run {impossible}
run {unknown}
run {small} --dir /no/such/place
run {small} --budget soon
run {small} --precision 0
run {small} --max-size big
run {small} --max-size 1K
run {small} --only nothing*
run {small} --runtime jvm
run {small} --runtime-option fake
run {small} --runtime-option 'fake= '
run {small} --runtime-option cobol=X=1
run {small} --runtime-option fake=quick
run {small} --runtime-option fake=FAKE_DIES=1
run {small} --runtime cobol=/x
run {small} --runtime fake=/no/python
run {small} --runtime fake={small}
run {small} --runtime fake:1.0=/x
run {small} --runtime fake:a=/x --runtime fake:a=/y
run {small} --runtime cobol:a=/x
run {small} --runtime fake={python} --runtime fake={python}
run nosuch
run quik
run {small} --out {small}
run {small} {small} --out x.jsonl
run quick quick
run {small} --out {small}.nowhere/x.jsonl
run --resume {small}
run {small} --resume {small} --only x
plan {small} --question nothing
run --frobnicate
run --seed seven
run {small} --dir {small}
plan /
show /no/such/run
show
export {small} --format yaml
list things
check /no/such/thing
check {small} --runtime fake={python}
check {small} --own-flags=-O3
check {small} --own-path lib
explain --own-flags=-O3
explain --own a.c
dance
"""


@pytest.mark.usefixtures("only_fake")
def test_bad_input_is_one_clear_line_and_leaves_nothing(iogauge, tmp_path, snapshot):
    files = {
        "small": SMALL,
        "bad": SMALL.replace("size =", "sise ="),
        "impossible": SMALL.replace('"64K"', '"99999G"'),
        "unknown": SMALL.replace("fake/steady", "fake/stedy"),
    }
    for name, text in files.items():
        (tmp_path / f"{name}.toml").write_text(text)
    before = sorted(tmp_path.rglob("*"))
    names = {name: tmp_path / f"{name}.toml" for name in files}
    said = []
    for line in BAD.split("\n")[1:-1]:
        done = iogauge(*shlex.split(line.format(python=sys.executable, **names)))
        assert (done.returncode, done.stdout) == (2, ""), line
        *_, last = done.stderr.splitlines()
        assert last.startswith("iogauge: ") and done.stderr.count("iogauge:") == 1, line
        shown = last.replace(str(tmp_path), "TMP").replace(sys.executable, "PYTHON")
        said += [f"$ iogauge {line}", shown]
    assert sorted(tmp_path.rglob("*")) == before
    assert said == snapshot


@pytest.mark.parametrize("arguments", [["dance"], ["run", "nosuch"], ["show", "/no/such/run"]])
def test_bad_input_is_one_line_of_a_process_of_its_own_too(iogauge, iogauge_process, arguments):
    done, said = iogauge_process(*arguments), iogauge(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said.stderr)
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.usefixtures("only_fake")
def test_a_full_disk_is_said_before_anything_is_written(iogauge, small, tmp_path, place):
    study = tmp_path / "huge.toml"
    study.write_text((HEAD + group(steady(FAST, SLOW), cache='["cold"]')).replace('"64K"', '"15T"'))
    done = iogauge("run", study, "--dir", place, "--out", tmp_path / "run.jsonl")
    assert done.returncode == 2
    assert (
        "needed for data" in done.stderr
        and "give another --dir or a smaller --max-size" in done.stderr
    )
    assert not (tmp_path / "run.jsonl").exists()
    assert not list(place.rglob("*"))


@pytest.mark.usefixtures("only_fake")
def test_more_than_memory_cannot_be_warm(iogauge, tmp_path):
    study = tmp_path / "huge.toml"
    study.write_text(SMALL.replace('"64K"', '"15T"').replace('["warm", "cold"]', '["warm"]'))
    done = iogauge("plan", study)
    assert done.returncode == 2 and "cached: they do not stay in the cache" in done.stderr


@pytest.mark.usefixtures("only_fake")
def test_a_folder_that_is_not_ours_is_left_alone(iogauge, small, place):
    theirs = place / "iogauge-data"
    theirs.mkdir()
    for name in ("config.json", "my.data", "x.partial"):
        (theirs / name).write_text("precious")
    done = iogauge("run", small, "--dir", place)
    assert done.returncode == 2 and "holds files that are not iogauge's" in done.stderr
    assert "0 B freed" in iogauge("clean", "--dir", place).stdout
    assert {path.read_text() for path in theirs.iterdir()} == {"precious"} and len(
        list(theirs.iterdir())
    ) == 3


@pytest.mark.usefixtures("only_fake")
@pytest.mark.long
def test_markup_and_poor_encodings(iogauge, iogauge_process, tmp_path, place):
    study = tmp_path / "odd.toml"
    study.write_text(SMALL.replace("Which fake", "[/b] Which [red]fake"))
    assert "[/b] Which [red]fake" in iogauge("plan", study).stdout
    out = tmp_path / "run.jsonl"
    done = iogauge_process(
        *("run", study, "--dir", place, "--out", out, "--budget", "1s"), PYTHONIOENCODING="ascii"
    )
    assert done.returncode == 0, done.stderr
    assert "[/b] Which [red]fake" in done.stdout


def test_a_cache_folder_that_cannot_be_written(iogauge_process, small, tmp_path):
    (tmp_path / "file").write_text("")
    done = iogauge_process("run", small, XDG_CACHE_HOME=str(tmp_path / "file"))
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert len([line for line in done.stderr.splitlines() if line.startswith("iogauge:")]) == 1


@pytest.mark.parametrize(
    "command",
    [["--help"], ["list", "studies"], ["show", "{run}"], ["explain", "{run}"], ["export", "{run}"]],
)
def test_a_reader_that_has_seen_enough_is_no_error(whole, command):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "iogauge", *(word.format(run=whole) for word in command)],
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_damaged_build_is_built_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "cache", lambda: tmp_path)
    fake, said = manifest.load(TESTS / "runners" / "fake"), []
    preparing.prepare({}, said.append, [fake])
    for built in tmp_path.rglob("layout-*/fake_runner.pyc"):
        built.write_text("damaged")
    assert not any("anew" in each for each in said)
    ready, _ = preparing.prepare({}, said.append, [fake])
    assert (
        any("building it anew" in each for each in said)
        and "fake/steady" in ready[0].runtime.strategies
    )


@pytest.mark.usefixtures("only_fake")
def test_a_directory_that_is_not_writable(iogauge, small, tmp_path):
    if os.geteuid() == 0:  # root may write anywhere: a read-only file system refuses root, too
        target = Path("/sys")
    else:
        target = tmp_path / "locked"
        target.mkdir(mode=0o500)
    for folder in (target, "/proc"):
        done = iogauge("run", small, "--dir", folder)
        assert done.returncode == 2
        assert f"--dir {folder}: " in done.stderr and len(done.stderr.strip().splitlines()) == 1


@pytest.mark.usefixtures("only_fake")
def test_plan_says_what_would_happen_and_measures_nothing(iogauge, small, tmp_path):
    done = iogauge("plan", small, "--seed", 5)
    assert done.returncode == 0, done.stderr
    assert "fakes-warm: Which fake is fastest?" in done.stdout
    assert "(baseline)" in done.stdout and "(A/A control)" in done.stdout
    assert (
        "the first 3 replicates, which an answer needs" in " ".join(done.stdout.split())
        and "seed 5" in done.stdout
    )
    assert done.stdout == iogauge("plan", small, "--seed", 5).stdout
    assert not list(tmp_path.rglob("*.jsonl"))


def test_lists(iogauge):
    assert "quick" in iogauge("list", "studies").stdout
    strategies = iogauge("list", "strategies").stdout
    assert "fake/steady" in strategies and "unavailable: needs a newer fake" in " ".join(
        strategies.split()
    )
    assert "fake-1.0" in iogauge("list", "runtimes").stdout


def test_doctor(iogauge, place):
    done = iogauge("doctor", "--dir", place)
    assert done.returncode == 0, done.stderr
    for part in ("page cache", "evict", "memory at first touch", "untouched", "fake-1.0"):
        assert part in done.stdout
    assert "what disturbs" in done.stdout
    assert not list(place.iterdir())


def test_check_of_studies_and_runners(iogauge, small, tmp_path):
    assert "ok: sound: 2 groups" in iogauge("check", small).stdout
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "runner.toml").write_text('name = "x"\n')
    done = iogauge("check", broken)
    assert done.returncode == 2 and "runner.toml: languages: Field required" in done.stderr
    text = (FAKE / "runner.toml").read_text()
    text = text.replace("[runtime]", '[names]\njava = "J"\n\n[runtime]', 1)
    (broken / "runner.toml").write_text(text)
    done = iogauge("check", broken)
    assert done.returncode == 2 and "names: java: none of its languages" in done.stderr


def test_a_runner_is_checked_with_a_runtime_of_ones_choice(iogauge, monkeypatch):
    monkeypatch.setattr(conformance, "suite", lambda ready: [("x", None)])
    done = iogauge("check", FAKE, "--runtime", f"fake:other={sys.executable}")
    assert done.returncode == 0 and done.stdout == "fake-other: 1 of 1 checks passed\n"
    done = iogauge("check", FAKE, "--runtime", f"jvm={sys.executable}")
    assert done.returncode == 2 and "no runner is called 'jvm'; there are: fake" in done.stderr


def test_check_and_plan_build_nothing(iogauge_process, small, tmp_path):
    cache = str(tmp_path / "cache")
    assert "ok: sound: 2 groups" in iogauge_process("check", small, XDG_CACHE_HOME=cache).stdout
    done = iogauge_process("plan", small, XDG_CACHE_HOME=cache)
    assert done.returncode == 0 and "fakes-warm" in done.stdout
    assert "not built yet: " in done.stderr and "catalogues" in done.stderr
    assert not list(tmp_path.glob("cache/iogauge/runners/*"))


@pytest.mark.usefixtures("only_fake")
def test_clean(iogauge, small, place, tmp_path):
    iogauge("run", small, "--dir", place, "--out", tmp_path / "run.jsonl", "--budget", "1s")
    assert list(place.rglob("*.data"))
    (place / "mine").write_text("the user's")
    done = iogauge("clean", "--dir", place)
    assert done.returncode == 0 and "freed" in done.stdout
    assert [path.name for path in place.iterdir()] == ["mine"]


@pytest.mark.usefixtures("only_fake")
def test_two_builds_of_one_version_side_by_side(iogauge, tmp_path, place):
    """They have the names that the user gave them, and the run ends with a table of differences."""
    study, out = tmp_path / "small.toml", tmp_path / "run.jsonl"
    study.write_text(HEAD + group(steady(FAST, SLOW)))
    runtimes = [f"fake:{name}={sys.executable}" for name in ("old", "new")]
    both = [word for each in runtimes for word in ("--runtime", each)]
    planned = iogauge("plan", study, *both).stdout
    assert "@fake-old" in planned and "@fake-new" in planned
    done = iogauge("run", study, "--dir", place, "-o", out, "--budget", "3s", *both)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^New against old, 2 ways: \d ", done.stdout, re.MULTILINE)
    rows = re.findall(
        r"^  steady, .*speed \d+ +(?:[\d.]+-[\d.]+|not known) +\w+", done.stdout, re.MULTILINE
    )
    assert len(rows) == 2 and " new / old " in done.stdout, done.stdout
    header = json.loads(out.read_text().splitlines()[0])
    fakes = [each for each in header["runtimes"] if each["runner"] == "fake"]
    versions = {each["name"]: each["version"] for each in fakes}
    assert versions == {"fake-old": "1.0", "fake-new": "1.0"}
    other = iogauge("run", study, "--dir", place, "--budget", "1s")
    assert "new / old" not in other.stdout


@pytest.mark.usefixtures("only_fake")
def test_a_question_of_a_study_is_chosen_by_its_id(iogauge, small):
    def asked(*questions):
        words = [word for each in questions for word in ("--question", each)]
        (plan,) = json.loads(iogauge("plan", small, "--json", *words).stdout)
        return [each["id"] for each in plan["groups"]]

    assert asked() == asked("fakes") == ["fakes-warm", "fakes-cold"]
    assert asked("fakes-cold") == asked("*cold") == ["fakes-cold"]
