"""The command line as users meet it: exit statuses, one clear line, nothing left behind; in
processes of their own where that makes a difference.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

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
    assert (
        helped < 8 * empty + 0.05
    )  # a ratio, as machines differ: 0.15 s where Python starts in 0.02 s
    program = "import sys, iogauge.commands.cli; print([m for m in ('rich', 'pydantic', 'numpy', 'scipy', 'psutil') if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
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
    assert "100 % in the cache before" in words and "; observed: 0 % in the cache before" in words
    assert re.search("warm; noise floor [0-9.]+ %; observed", words)
    assert not any(line.endswith(" ") for line in done.stdout.splitlines()), (
        "what is piped is not filled up with blanks"
    )
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


@pytest.mark.usefixtures("only_fake")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["run", "{bad}"],
            "bad.toml: group[0].sise: unknown key; did you mean size? allowed: id, question",
        ),
        (["run", "{impossible}"], "group[0].size[0]: impossible size"),
        (
            ["run", "{unknown}"],
            "group[0].case[0].strategy: unknown strategy 'fake/stedy'; allowed, among others: fake/steady",
        ),
        (["run", "{small}", "--dir", "/no/such/place"], "--dir /no/such/place: no such directory"),
        (["run", "{small}", "--dir", "/proc"], "--dir /proc: "),
        (
            ["run", "{small}", "--budget", "soon"],
            "--budget: 'soon' is not a duration: write 90s, 2m or 1h",
        ),
        (["run", "{small}", "--precision", "0"], "--precision: '0' is not a share"),
        (["run", "{small}", "--max-size", "big"], "--max-size: 'big' is not a size"),
        (
            ["run", "{small}", "--max-size", "1K"],
            "larger than --max-size 1K; --max-size 64K takes them in",
        ),
        (["run", "{small}", "--only", "nothing*"], "nothing to measure"),
        (["run", "{small}", "--runtime", "jvm"], "--runtime jvm: write RUNNER=PATH"),
        (
            ["run", "{small}", "--runtime-option", "fake"],
            "--runtime-option fake: write NAME=OPTION",
        ),
        (
            ["run", "{small}", "--runtime-option", "fake= "],
            "--runtime-option fake= : write NAME=OPTION",
        ),
        (
            ["run", "{small}", "--runtime-option", "cobol=X=1"],
            "--runtime-option cobol=X=1: no runner is called 'cobol'; there are: ",
        ),
        (
            ["run", "{small}", "--runtime-option", "fake=quick"],
            "--runtime-option: quick: for fake-1.0 write variables, NAME=VALUE",
        ),
        (
            ["run", "{small}", "--runtime-option", "fake=FAKE_DIES=1"],
            "--runtime-option fake=FAKE_DIES=1: fake-1.0 does not start with it: exited with status 1; its last words: I cannot",
        ),
        (
            ["run", "{small}", "--runtime", "cobol=/x"],
            "--runtime cobol=…: no runner is called 'cobol'; there are: ",
        ),
        (
            ["run", "{small}", "--runtime", "fake=/no/python"],
            "--runtime fake=/no/python: no python3 there",
        ),
        (["run", "{small}", "--runtime", "fake={small}"], "no python3 there"),
        (
            ["run", "{small}", "--runtime", "fake:1.0=/x"],
            "--runtime fake:1.0=/x: a name is a small letter, then",
        ),
        (
            ["run", "{small}", "--runtime", "fake:a=/x", "--runtime", "fake:a=/y"],
            "--runtime fake:a=/y: another runtime has the name a; take another",
        ),
        (
            ["run", "{small}", "--runtime", "cobol:a=/x"],
            "--runtime cobol=…: no runner is called 'cobol'; there are: ",
        ),
        (
            ["run", "{small}", "--runtime", "fake={python}", "--runtime", "fake={python}"],
            "both fake-1.0; so that their cases can be told apart, name them: --runtime fake:old=… ",
        ),
        (["run", "nosuch"], "no study 'nosuch'; built in: "),
        (["run", "quik"], "no study 'quik'; did you mean quick?; built in: "),
        (["run", "{small}", "--out", "{small}"], "exists already"),
        (["run", "{small}", "{small}", "--out", "x.jsonl"], "--out names one run file"),
        (["run", "quick", "quick"], "quick is named twice"),
        (["run", "{small}", "--out", "{small}.nowhere/x.jsonl"], "toml.nowhere is not a folder"),
        (["run", "--resume", "{small}"], "not a run file"),
        (
            ["plan", "{small}", "--question", "nothing"],
            "--question nothing: no question has this id; there are: fakes",
        ),
        (["run", "--frobnicate"], "No such option: --frobnicate (see iogauge run --help)"),
        (["run", "--seed", "seven"], "'--seed': write a whole number, e.g. 7 (see iogauge run"),
        (["run", "{small}", "--dir", "{small}"], "is a file; give a directory"),
        (["plan", "/"], "/: a folder; give the path of a study, which ends in .toml"),
        (["show", "/no/such/run"], "/no/such/run: No such file"),
        (["show"], "RUN: nothing was measured yet; name a run file"),
        (["export", "{small}", "--format", "yaml"], "--format yaml: unknown; allowed: json"),
        (["list", "things"], "list things: unknown; allowed: studies, strategies, runtimes"),
        (["check", "/no/such/thing"], "neither a study"),
        (["check", "{small}", "--runtime", "fake={python}"], "is for the folder of a runner"),
        (["dance"], "No such command 'dance'"),
    ],
)
def test_bad_input_is_one_clear_line_and_leaves_nothing(
    iogauge, tmp_path, disk_folder, small, arguments, message
):
    files = {
        "small": SMALL,
        "bad": SMALL.replace("size =", "sise ="),
        "impossible": SMALL.replace('"64K"', '"99999G"'),
        "unknown": SMALL.replace("fake/steady", "fake/stedy"),
    }
    for name, text in files.items():
        (tmp_path / f"{name}.toml").write_text(text)
    before = sorted(tmp_path.rglob("*"))
    filled = [
        word.format(python=sys.executable, **{name: tmp_path / f"{name}.toml" for name in files})
        for word in arguments
    ]
    done = iogauge(*filled)
    assert done.returncode == 2, done.stdout + done.stderr
    assert message in done.stderr.replace("'toml: ", "")
    last = done.stderr.strip().splitlines()
    assert len([line for line in last if line.startswith("iogauge:")]) == 1
    assert "Traceback" not in done.stderr
    assert sorted(tmp_path.rglob("*")) == before


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
    if (
        os.geteuid() == 0
    ):  # root may write anywhere: a file system that is read-only says no to root too
        target = Path("/sys")
    else:
        target = tmp_path / "locked"
        target.mkdir(mode=0o500)
    done = iogauge("run", small, "--dir", target)
    assert done.returncode == 2
    assert f"--dir {target}: " in done.stderr and len(done.stderr.strip().splitlines()) == 1


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
    for part in (
        "page cache",
        "evict",
        "memory at first touch",
        "untouched",
        "runtimes",
        "fake-1.0",
        "what disturbs",
    ):
        assert part in done.stdout
    assert not list(place.iterdir())


def test_check_of_studies_and_runners(iogauge, small, tmp_path):
    assert "ok: sound: 2 groups" in iogauge("check", small).stdout
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "runner.toml").write_text('name = "x"\n')
    done = iogauge("check", broken)
    assert done.returncode == 2 and "runner.toml: languages: Field required" in done.stderr
    text = (
        (FAKE / "runner.toml")
        .read_text()
        .replace("[runtime]", '[names]\njava = "J"\n\n[runtime]', 1)
    )
    (broken / "runner.toml").write_text(text)
    done = iogauge("check", broken)
    assert done.returncode == 2 and "names: java: none of its languages" in done.stderr


def test_a_runner_is_checked_with_a_runtime_of_ones_choice(iogauge, monkeypatch):
    monkeypatch.setattr(conformance, "suite", lambda ready: [conformance.Result("x", None)])
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
    """They have the names that the user gave them, and the run ends with lines to paste."""
    study, out = tmp_path / "small.toml", tmp_path / "run.jsonl"
    study.write_text(HEAD + group(steady(FAST, SLOW)))
    both = [
        word for name in ("old", "new") for word in ("--runtime", f"fake:{name}={sys.executable}")
    ]
    planned = iogauge("plan", study, *both)
    assert (
        planned.returncode == 0 and "@fake-old" in planned.stdout and "@fake-new" in planned.stdout
    )
    done = iogauge("run", study, "--dir", place, "-o", out, "--budget", "3s", *both)
    assert done.returncode == 0, done.stderr
    pasted = done.stdout.partition("To paste into a pull request:\n")[2].splitlines()[:2]
    assert len(pasted) == 2 and all(
        re.fullmatch(
            r"steady, .*speed \d+, read 64 KiB, cached: new takes (?:[\d.]+|\?) times the old time "
            r"\((?:[\d.]+-[\d.]+|not measured enough|identical code differed)[,;] \d+ repeats?\)"
            r"(?:, not decided)?",
            line,
        )
        for line in pasted
    ), pasted
    header = json.loads(out.read_text().splitlines()[0])
    fakes = [each for each in header["runtimes"] if each["runner"] == "fake"]
    assert [(each["name"], each["version"]) for each in fakes] == [
        ("fake-old", "1.0"),
        ("fake-new", "1.0"),
    ]
    other = iogauge("run", study, "--dir", place, "--budget", "1s")
    assert "paste" not in other.stdout


@pytest.mark.usefixtures("only_fake")
def test_a_question_of_a_study_is_chosen_by_its_id(iogauge, small):
    def asked(*questions):
        words = [word for each in questions for word in ("--question", each)]
        (plan,) = json.loads(iogauge("plan", small, "--json", *words).stdout)
        return [each["id"] for each in plan["groups"]]

    assert asked() == asked("fakes") == ["fakes-warm", "fakes-cold"]
    assert asked("fakes-cold") == asked("*cold") == ["fakes-cold"]
