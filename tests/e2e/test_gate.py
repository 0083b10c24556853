"""Two versions against each other, from the command line on: the table and the exit status."""

import json
import re

import pytest
from strangers import elsewhere

pytestmark = pytest.mark.real

READS = """
def read(path):
    total = 0
    for _ in range({times}):
        with open(path, "rb") as file:
            while block := file.read(65536):
                total += len(block)
    return total
"""
FAILS = """
def read(path):
    with open(path, "rb") as file:
        if len(file.read()) > 5000:
            raise ValueError("too long for me")
    return 1
"""


@pytest.fixture
def here(disk_folder, monkeypatch):
    """A folder with a file, and code in several versions."""
    folder = disk_folder / "user"
    folder.mkdir(exist_ok=True)
    monkeypatch.chdir(folder)
    (folder / "data.bin").write_bytes(bytes(range(256)) * 4096)
    for name, times in (("once", 1), ("again", 1), ("slow", 4)):
        (folder / f"{name}.py").write_text(READS.format(times=times))
    (folder / "broken.py").write_text(FAILS)
    return folder


def gate(iogauge, here, old, new, *more, allowed="100%", budget="3s"):
    return iogauge(
        *("data.bin", "--own", f"old={old}.py", "--own", f"new={new}.py"),
        *("--max-slowdown", allowed, "--budget", budget, "--dir", elsewhere(here), *more),
    )


def test_the_exit_status_says_whether_the_new_version_is_slower(iogauge, here):
    markdown = here / "table.md"
    told = "--markdown", markdown, "--annotate", "github"
    done = gate(iogauge, here, "once", "slow", *told, allowed="20%", budget="20s")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "SLOWER: read(path) is surely over 20 % slower in new" in done.stdout
    assert re.search(r"read\(path\) +[\d.]+-[\d.]+ +slower", done.stdout)
    assert "from disk" not in done.stdout and "exit status 1" in done.stderr
    assert "::error title=iogauge::read(path) (Read 1 MiB, cached): slower" in done.stdout
    assert "| read(path) |" in markdown.read_text() and "**slower**" in markdown.read_text()

    found = json.loads(iogauge("show", "--json").stdout)
    (run,), (group,) = found["runs"], found["groups"]
    assert run["versions"]["verdict"] == "slower" and run["versions"]["max_slowdown"] == 0.2
    (pair,) = group["versions"]
    assert pair["verdict"] == "slower" and pair["lo"] > 1.2 and not group["recommendations"]
    assert {pair["old"], pair["new"]} <= {each["key"] for each in group["cases"]}
    assert "SLOWER: read(path)" in iogauge("show").stdout
    assert "### SLOWER: read(path)" in iogauge("export", "--format", "markdown").stdout
    for more in (["show", "--details"], ["explain"]):
        said = iogauge(*more).stdout
        assert re.search(r"read\(path\): new / old [\d.]+-[\d.]+, slower\.", said), said
    page = here / "page.html"
    assert iogauge("report", "--out", page).returncode == 0
    assert "Two versions against each other" in page.read_text()


@pytest.mark.long
def test_what_is_surely_as_fast_passes(iogauge, here):
    done = gate(iogauge, here, "slow", "once", budget="20s")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "NOT SLOWER: read(path) is surely not over 100 % slower in new" in done.stdout


@pytest.mark.parametrize(
    ("undecided", "status"),
    [
        (None, 4),
        *(pytest.param(*each, marks=pytest.mark.long) for each in (("pass", 0), ("fail", 1))),
    ],
)
def test_what_is_open_is_undecided(iogauge, here, undecided, status):
    more = ["--undecided", undecided] if undecided else []
    done = gate(iogauge, here, "once", "again", *more, allowed="0%", budget="1s")
    assert "UNDECIDED: read(path) may be slower in new, or not" in done.stdout
    assert done.returncode == status


@pytest.mark.parametrize(
    ("old", "new", "status", "says"),
    [
        ("once", "broken", 1, "FAILS: read(path) fails only in new"),
        ("broken", "once", 0, "NOT SLOWER: read(path) fails only in old"),
        ("broken", "broken", 3, "FAILED: read(path) fails in both"),
    ],
)
def test_a_version_that_fails_is_told_from_both(iogauge, here, old, new, status, says):
    done = gate(iogauge, here, old, new)
    assert (done.returncode, says in done.stdout) == (status, True), done.stdout + done.stderr
    assert "too long for me" in done.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["data.bin", "--max-slowdown", "5%"], "give your code in two versions"),
        (["data.bin", "--own", "once.py", "--max-slowdown", "5%"], "--own old=… --own new=…"),
        (["data.bin", "--own", "a=once.py", "--undecided", "pass"], "give --max-slowdown"),
        (["run", "quick", "--max-slowdown", "5%"], "--runtime RUNNER:old=…"),
        (["run", "quick", "--max-slowdown", "five"], "is not a share"),
        (["command", "cat {file}", "--max-slowdown", "5%"], "give two commands"),
        (["gate"], "give --prove"),
        (["gate", "--prove", "--planted", "1%"], "more than --max-slowdown"),
        (["run", "--protocol", "published", "--max-slowdown", "5%"], "has no control"),
        (["run", "--resume", "newest", "--max-slowdown", "5%"], "takes that of the run"),
        (["command", "cat {file}", "--resume", "newest", "--max-slowdown", "5%"], "takes that of"),
    ],
)
def test_what_is_no_gate_is_refused_in_one_line(iogauge, here, words, says):
    done = iogauge(*words, "--dir", elsewhere(here))
    assert done.returncode == 2 and not done.stdout
    assert says in done.stderr and len(done.stderr.strip().splitlines()) == 1


@pytest.mark.long
def test_two_commands_are_compared(iogauge, here):
    commands = "cat {file}", "sh -c 'sleep 0.05; cat {file}'"
    where = "--size", "64K", "--dir", elsewhere(here)
    done = iogauge("command", *commands, *where, "--max-slowdown", "50%", "--budget", "10s")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "surely over 50 % slower in new" in " ".join(done.stdout.split())


def test_a_gate_is_proved(iogauge, here):
    size = "--size", "256K", "--budget", "2s", "--json", "--dir", elsewhere(here)
    done = iogauge("gate", "--prove", "--max-slowdown", "50%", "--planted", "100%", *size)
    same, planted = json.loads(done.stdout)
    assert done.returncode in (0, 1, 4) and same["runs"] == planted["runs"] == 1
    assert same["planted"] == 0 and planted["planted"] == 1
    counts = [planted[each]["n"] for each in ("slower", "not_slower", "undecided", "failed")]
    assert sum(counts) == 1 and not planted["failed"]["n"]
    assert not list(elsewhere(here).rglob("*.jsonl")), "nothing is left behind"
