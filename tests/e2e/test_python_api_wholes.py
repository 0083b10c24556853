"""The Python API and the plugin of pytest in whole: a page's examples, and pytest in a process of
its own. Measuring real code takes long: most tests of the plugin have something in its place.
"""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import iogauge as library
from tests.fake_study import group, steady

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/python-api.md").read_text("utf-8")
*EXAMPLES, TEST_EXAMPLE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
assert "def test_" in TEST_EXAMPLE

LOGS = """
def read_by_blocks(path):
    with open(path, "rb", buffering=0) as file:
        lines = 0
        while block := file.read(65536):
            lines += block.count(b"\\n")
        return lines


def read_by_lines(path):
    with open(path, encoding="utf-8") as file:
        return sum(1 for _ in file)
"""


def test_the_examples_of_the_page_work_on_a_stored_run(measured_once, monkeypatch, capsys):
    """With the run of another study in the place of the one that they measure."""
    stored = measured_once(group(steady(100, 300, scatter=50)))
    monkeypatch.setattr(library, "measure", lambda *_, **__: library.load(stored.path))
    names: dict[str, object] = {}
    for example in EXAMPLES:
        exec(compile(example, "docs/python-api.md", "exec"), names)
    assert "is fastest" in capsys.readouterr().out
    assert len(names["several"].runs) == 2


@pytest.mark.long
def test_the_examples_of_the_page_work(tmp_path, monkeypatch, capsys):
    own_folder = functools.partial(library.measure, directory=tmp_path)
    monkeypatch.setattr(library, "measure", own_folder)
    names: dict[str, object] = {}
    for example in EXAMPLES:
        exec(compile(example, "docs/python-api.md", "exec"), names)
    found = names["results"]
    assert {case.strategy for case in found.cases} == {"python/file-read", "python/read-bytes"}
    assert repr(found) in capsys.readouterr().out


def test_every_argument_of_measure_and_of_compare_is_on_the_page():
    import inspect

    from iogauge.api.comparing import compare
    from iogauge.api.plugin import Fixture

    of_compare = {*inspect.signature(compare).parameters} - {"out", "progress"}
    of_compare |= {*inspect.signature(Fixture.compare).parameters} - {"self", "options"}
    for name in of_compare | {*inspect.signature(library.measure).parameters} - {"study"}:
        assert re.search(rf"`{name}\b", PAGE), name
    for name in vars(library.Results):
        shown = name.startswith("_") or name in ("exports", "document")
        assert shown or f"`{name}" in PAGE, name


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """A folder to put on Python's path, which has the entry points of pyproject.toml: those of the
    installed package are as they were when it was installed.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    folder = tmp_path_factory.mktemp("installed")
    about = folder / "iogauge_of_tests-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: iogauge-of-tests\nVersion: 1\n")
    points = "".join(
        f"{name} = {where}\n" for name, where in project["entry-points"]["pytest11"].items()
    )
    (about / "entry_points.txt").write_text(f"[pytest11]\n{points}")
    return folder


@pytest.fixture
def run_pytest(installed):
    """Runs pytest, with the plugin, on the tests in a folder; `more` are variables."""

    def run(folder: Path, *options: str, **more: str) -> subprocess.CompletedProcess[str]:
        known = {name: of for name, of in os.environ.items() if not name.startswith("PYTEST_")}
        paths = [str(installed), *filter(None, [known.get("PYTHONPATH")])]
        return subprocess.run(
            [sys.executable, "-m", "pytest", *options, "."],
            capture_output=True,
            text=True,
            timeout=300,
            cwd=folder,
            env={**known, "PYTHONPATH": os.pathsep.join(paths), **more},
            check=False,
        )

    return run


# In the place of a measurement: what it found is the name of the new function.
STAND_IN = """
import iogauge.api.comparing as comparing
from iogauge.api import code
from iogauge.api.comparing import Compared

def compare(old, new, *, out, **options):
    code.word(old), code.word(new)
    assert not out.exists() and out.parent.is_dir()
    outcome = new.__name__.replace("_", " ")
    return Compared(outcome, f"it is {outcome}\\n  a table {options}", None)

comparing.compare = compare
"""
TESTS = """
import pytest

def old(path): ...
def slower(path): ...
def failed(path): ...
def undecided(path): ...
def not_slower(path): ...

@pytest.mark.parametrize("new", [slower, failed, undecided, not_slower])
def test_it(iogauge, new):
    assert iogauge.compare(old, new, size="1K").outcome == new.__name__.replace("_", " ")

@pytest.mark.parametrize("what", ["pass", "fail", "skip", "guess"])
def test_open(iogauge, what):
    iogauge.compare(old, undecided, undecided=what)

def test_lambda(iogauge):
    iogauge.compare(lambda path: 1, old)

@pytest.mark.iogauge
def test_marked(): ...

def test_another(): ...
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "conftest.py").write_text(STAND_IN)
    (tmp_path / "test_it.py").write_text(TESTS)
    return tmp_path


def outcomes(said: str) -> dict[str, str]:
    return dict(re.findall(r"^test_it\.py::(\S+) ([A-Z]+)", said, re.MULTILINE))


def test_a_test_fails_where_new_code_is_slower_or_fails(project, run_pytest):
    done = run_pytest(project, "-v", "--strict-markers")
    assert outcomes(done.stdout) == {
        "test_it[slower]": "FAILED",
        "test_it[failed]": "FAILED",
        "test_it[undecided]": "PASSED",
        "test_it[not_slower]": "PASSED",
        "test_open[pass]": "PASSED",
        "test_open[fail]": "FAILED",
        "test_open[skip]": "SKIPPED",
        "test_open[guess]": "FAILED",
        "test_lambda": "FAILED",
        "test_marked": "PASSED",
        "test_another": "PASSED",
    }, done.stdout + done.stderr
    message = r"AssertionError: it is slower\nE +a table \{'size': '1K'\}\n"
    assert re.search(message, done.stdout), done.stdout
    assert "Undecided: it is undecided" in done.stdout.partition("warnings summary")[2]
    assert "allowed: pass, fail, skip" in done.stdout
    lambda_ = done.stdout.partition("_ test_lambda _")[2].partition("\n___")[0]
    assert "it is a lambda" in lambda_ and "code.py" not in lambda_, "no frames of ours"


@pytest.mark.parametrize(
    ("options", "ran"),
    [
        (["--iogauge-skip"], "1 passed, 10 skipped"),
        pytest.param(["-m", "not iogauge"], "1 passed, 10 deselected", marks=pytest.mark.long),
    ],
)
def test_tests_that_measure_can_be_left_out(project, run_pytest, options, ran):
    assert ran in run_pytest(project, *options).stdout


ALONE = """
import time
from pathlib import Path
import pytest
import iogauge.api.comparing as comparing

HERE = Path(__file__).parent

def old(path): ...

def compare(*_, **__):
    seen = [each for _ in range(20) if not time.sleep(0.005) for each in HERE.glob("busy-*")]
    return comparing.Compared("slower" if seen else "not slower", "others are at work", None)

@pytest.mark.parametrize("number", range(24))
def test_busy(number, request):
    busy = HERE / f"busy-{number}"
    busy.touch()
    time.sleep(0.03)
    busy.unlink()

@pytest.mark.parametrize("number", range(3))
def test_alone(iogauge, number, monkeypatch):
    monkeypatch.setattr(comparing, "compare", compare)
    iogauge.compare(old, old)
"""


@pytest.mark.long
def test_in_several_processes_nothing_runs_beside_a_measurement(tmp_path, run_pytest):
    (tmp_path / "test_alone.py").write_text(ALONE)
    done = run_pytest(tmp_path, "-n", "3", "--dist", "worksteal")
    assert "27 passed" in done.stdout, done.stdout + done.stderr
    done = run_pytest(tmp_path, "-n", "2", "-p", "no:cacheprovider", "-k", "alone")
    assert "3 failed" in done.stdout and "run this test without -n" in done.stdout


@pytest.mark.long
def test_the_example_of_a_test_measures_and_passes_and_fails(tmp_path, run_pytest):
    (tmp_path / "logs.py").write_text(LOGS)
    (tmp_path / "test_reading.py").write_text(TEST_EXAMPLE)
    swapped = TEST_EXAMPLE.replace("new=read_by_blocks", "new=read_by_lines")
    swapped = swapped.replace("old=read_by_lines", "old=read_by_blocks")
    (tmp_path / "test_swapped.py").write_text(swapped)
    broken = "def broken(path):\n    raise ValueError('no luck')\n"
    (tmp_path / "test_broken.py").write_text(
        "from logs import read_by_lines\n"
        f"{broken}\ndef test_it(iogauge):\n    iogauge.compare(read_by_lines, broken, size='64K')\n"
    )
    done = run_pytest(tmp_path, "-v", XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert "test_reading.py::test_reading PASSED" in done.stdout, done.stdout
    assert "test_swapped.py::test_reading FAILED" in done.stdout, done.stdout
    assert re.search(r"AssertionError: SLOWER: .* is surely over 5 % slower", done.stdout), (
        done.stdout
    )
    assert "fails only in new" in done.stdout and "no luck" in done.stdout
    runs = Path(os.environ["XDG_DATA_HOME"], "iogauge", "runs")
    assert not runs.exists(), "run files of tests lie in pytest's own folder"


INTERRUPTED = """
import os, signal, sys, threading, time, psutil, iogauge
sys.path.insert(0, sys.argv[1])
from iogauge.api.comparing import compare
import logs

def interrupt():
    while not psutil.Process().children(recursive=True):
        time.sleep(0.01)
    time.sleep(float(sys.argv[2]))
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
try:
    compare(logs.read_by_lines, logs.read_by_blocks, budget="60s", max_slowdown="0%", directory=sys.argv[1])
except KeyboardInterrupt:
    ends = time.monotonic() + 20  # what was killed takes a moment to be gone on a busy machine
    while psutil.Process().children(recursive=True) and time.monotonic() < ends:
        time.sleep(0.05)
    print(len(psutil.Process().children(recursive=True)), os.listdir(sys.argv[1]))
"""


@pytest.mark.long
@pytest.mark.parametrize("after", ["0.3", "2"])
def test_after_ctrl_c_no_process_is_left_and_no_file(tmp_path, after):
    (tmp_path / "logs.py").write_text(LOGS)
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(tmp_path), after],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    children, _, left = done.stdout.partition(" ")
    assert children == "0", done.stderr
    assert not re.search(r"compare-|iogauge-data", left), left


PROGRAM = """
import iogauge

found = iogauge.load("run.jsonl")
level: float | None = found.cases[0].ns_per_op.center
outcome: str | None = found.groups[0].cases[0].vs_best.outcome
names: list[str] = [run.id for run in found.runs]
measured: iogauge.Results = iogauge.measure("quick", budget=2.5, own={"old": "a.py"})
try:
    wrong: int = found.cases[0].key
except iogauge.UserError:
    found.nothing
"""


@pytest.mark.long
def test_type_checkers_know_the_types(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "program.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
        check=False,
    )
    errors = re.findall(r"^program\.py:(\d+): error: (.*)$", done.stdout, re.MULTILINE)
    assert [int(line) for line, _ in errors] == [10, 12], done.stdout
    assert "incompatible type" in errors[0][1].lower() and "nothing" in errors[1][1]
