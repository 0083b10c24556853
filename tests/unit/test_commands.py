"""Whole commands: how what the user wrote is read, and the program that runs them."""

import os
import re
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from iogauge.analysis import caveats
from iogauge.model.errors import UserError
from iogauge.model.strategy import Command, Words
from iogauge.runners import commands, wire
from iogauge.runners.commands import Given, Line
from iogauge.runners.fork import Fork
from iogauge.runners.wire import Refusal

BLOCK = {"block": "--block 4K"}


def read(*texts, prepare=None, **parameters):
    lines = [Line(each, prepare=prepare) for each in texts]
    return commands.strategies(Given(lines, parameters, BLOCK))


@pytest.mark.parametrize(
    "text, words",
    [
        ("cat {file}", ["cat", "{file}"]),
        ("  cat '{file}' \"a b\" ", ["cat", "{file}", "a b"]),
        ("awk '{print $1 > \"x\"; next}' {file}", ["awk", '{print $1 > "x"; next}', "{file}"]),
        (r"grep a\|b {file}", ["grep", "a|b", "{file}"]),
        ("env A=1 cat {file}", ["env", "A=1", "cat", "{file}"]),
        ("head -c {block} {file}", ["head", "-c", "{block}", "{file}"]),
    ],
)
def test_no_shell_runs_what_needs_none(text, words, monkeypatch):
    monkeypatch.setattr(commands.shutil, "which", lambda name: f"/bin/{name}")
    (found,) = read(text, **({"block": [512]} if "{block}" in text else {}))
    assert found.command.run == Words(words=tuple(words))


@pytest.mark.parametrize(
    "text",
    [
        "cat {file} | wc -l",
        "cat {file} >x",
        "cat < {file}",
        "cat {file} && true",
        "cat $HOME {file}",
        'cat "$HOME" {file}',
        "cat `ls` {file}",
        "cat {file} *",
        "cat ~/x {file}",
        "A=1 cat {file}",
        "cat {file} &",
        "! cat {file}",
        "cd / ; cat {file}",
        "exec cat {file}",
        "cat {file}\nwc {file}",
    ],
)
def test_a_shell_runs_what_only_a_shell_understands(text):
    (found,) = read(text)
    assert found.command.run == Words(words=("sh", "-c", text), shell=True)


@pytest.mark.parametrize(
    "text, says",
    [
        ("cat", "has no {file}"),
        ("", "has no {file}"),
        ("cat {fil} {file}", "{fil} has no values; give --parameter fil=1,2"),
        ("dd if={file} bs={block}", "{block} has no values; give --block 4K"),
        ("dd 'if={file} bs={block}'", "{block} has no values"),
        ("cat {file} 'x", "no closing quotation"),
        ("no-such-program {file}", "no-such-program: no such command"),
        ("./nowhere {file}", "./nowhere: no such command"),
        ("cat {file} \x1b[2J", "has characters that cannot be seen"),
    ],
)
def test_what_cannot_be_run_is_said(text, says):
    with pytest.raises(UserError, match=re.escape(says)):
        read(text)
    with pytest.raises(UserError, match=r"no command has \{block\}"):
        read("cat {file}", block=[512])
    with pytest.raises(UserError, match="--prepare: nothing-there: no such command"):
        read("cat {file}", prepare="nothing-there")


def test_names_differ_and_are_the_same_in_every_run():
    first, second, third = read("cat {file}", "cat {file} | wc", "cat {file}")
    assert first == read("wc {file}", "cat {file}")[1]
    assert first.name.startswith("command/cat-") and third.name == f"{first.name}-2"
    titles = [each.title for each in (first, second, third)]
    assert titles == ["cat {file}", "cat {file} | wc", "cat {file} (2)"]
    assert read("cat {file}", prepare="true")[0].name != first.name
    long = read("cat {file} " + "x" * 60, "cat {file} " + "x" * 70)
    assert [len(each.title) for each in long] == [48, 52]
    (named,) = commands.strategies(Given([Line("cat {file}", "old")], {}, {}))
    assert named.title == "old" and named.name == first.name


def test_a_value_that_is_a_text_makes_a_command_of_its_own():
    line = Line("{tool} -{level} {file}", "mine", "rm -f x.{tool}")
    (gzip, xz) = line.filled("tool", ["gzip", "xz"])
    assert gzip == Line("gzip -{level} {file}", "mine gzip", "rm -f x.gzip")
    assert (xz.name, xz.prepare) == ("mine xz", "rm -f x.xz")
    assert line.filled("other", ["1", "2"]) == [line]
    assert Line("cat {file}", "by {n}", "echo {n}").filled("n", ["1"])[0].name == "by 1"


class Running:
    """The program of commands, asked directly."""

    def __init__(self, file):
        self.file, launch = str(file), commands.ready(read("cat {file}")).launch
        self.fork = Fork(launch, 0)
        self.fork.ask(wire.hello(), 10)

    def open(
        self, text, *, limit=10.0, output="null", prepare=None, any_status=False, **parameters
    ):
        words = {name: Words(words=("sh", "-c", each), shell=True) for name, each in
                 (("run", text), ("prepare", prepare)) if each}  # fmt: skip
        command = Command(text=text, limit=limit, output=output, any_status=any_status, **words)
        self.fork.ask(wire.open_command(command, parameters, self.file), 10)

    def sample(self, operations=1, spans=1):
        return self.fork.ask(wire.sample(operations, spans, [self.file]), 60)

    def run(self, text, **how):
        self.open(text, **how)
        return self.sample()


@pytest.fixture
def runs(tmp_path):
    file = tmp_path / "it's a file"
    file.write_bytes(b"x" * 100_000)
    running = Running(file)
    yield running
    if running.fork.alive:
        running.fork.kill()


def below(pid):
    return psutil.Process(pid).children(recursive=True)


def test_a_command_is_timed_and_gets_its_file_and_values(runs, tmp_path):
    runs.open(f"head -c {{n}} {{file}} >>'{tmp_path}/out'; sleep 0.02", n=7)
    seen = runs.sample(operations=2, spans=3)
    wire.check_spans(seen, 2, 3)
    assert min(seen.ns) >= 40_000_000 and seen.count is None and seen.sum is None
    assert (tmp_path / "out").read_bytes() == b"x" * 42


@pytest.mark.parametrize(
    "text, says",
    [
        ("exit 3", r"it ended with status 3$"),
        ("cat /nowhere {file}", "it ended with status 1: cat: /nowhere: No such file"),
        ("kill -9 $$", "it died of SIGKILL"),
        ("touch {file}", "it changed the file"),
        ("sleep 60", "it still ran after 0.3 s and was ended; a larger --limit"),
        ("sleep 60 & true", r"what it had started \(sleep\) still ran after 0.3 s"),
        ("setsid sleep 60 & exit 0", r"what it had started \(sleep\) still ran"),
    ],
)
def test_what_goes_wrong_is_told_and_leaves_nothing_behind(runs, text, says):
    with pytest.raises(Refusal, match=says):
        runs.run(text, limit=0.3 if "sleep" in text else 10.0)
    assert not below(runs.fork.pid)
    assert runs.run("cat {file}").ns  # it works as before


def test_another_status_is_no_failure_where_any_will_do(runs):
    assert runs.run("exit 3", any_status=True).ns
    assert runs.run("yes | head -c 10").ns, "a pipe that is closed ends its writer"
    with pytest.raises(Refusal, match="it died of SIGKILL"):
        runs.run("kill -9 $$", any_status=True)
    with pytest.raises(Refusal, match="--prepare: it ended with status 1"):
        runs.open("true", prepare="false", any_status=True)


def test_what_a_command_left_to_others_is_in_its_time_and_in_what_the_host_reads(runs):
    runs.run("true")
    before = runs.fork.counters.read()
    assert runs.run("(sleep 0.3; cat {file}) & true").ns[0] >= 300_000_000
    found = runs.fork.counters.since(before)
    assert 100_000 <= found["rchar"] < 200_000 and found["wchar"] >= 100_000
    assert found["minor_faults"] > 100


@pytest.mark.parametrize("output", ["null", "pipe"])
def test_a_command_may_print_a_lot(runs, output):
    runs.run("true", output=output)
    before = runs.fork.counters.read()
    assert runs.run("head -c 300000000 /dev/zero; echo $(wc -c <{file}) >&2", output=output).ns
    assert runs.fork.counters.since(before)["rchar"] < 1.01 * 300_100_000


def test_what_prepares_runs_before_each_operation_and_is_not_in_its_time(runs, tmp_path):
    runs.open("rm x", prepare=f"sleep 0.1; cd '{tmp_path}'; touch x; pwd >>log")
    assert (tmp_path / "log").read_text().count("\n") == 1
    runs.open(f"rm '{tmp_path}/x'", prepare=f"sleep 0.1; touch '{tmp_path}/x'")
    assert max(runs.sample(operations=2, spans=2).ns) < 200_000_000
    with pytest.raises(Refusal, match="--prepare: it ended with status 1"):
        runs.open("true", prepare="false")


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux")
@pytest.mark.parametrize("text", ["sleep 60", "setsid sleep 60; true"])
def test_nothing_stays_when_the_host_goes(runs, text):
    runs.open(text)
    runs.fork.send(wire.sample(1, 1, [runs.file]))
    deadline = time.monotonic() + 10
    while not (started := below(runs.fork.pid)) and time.monotonic() < deadline:
        time.sleep(0.01)
    runs.fork.close_input()
    runs.fork.wait(5)
    assert started and not psutil.wait_procs(started, timeout=5)[1]


def test_the_environment_is_the_users(runs, monkeypatch):
    monkeypatch.setenv("MALLOC_ARENA_MAX", "1")
    monkeypatch.delenv("LC_ALL", raising=False)
    ready = commands.ready(read("cat {file}"))
    variables = dict(ready.launch.environment)
    assert variables["MALLOC_ARENA_MAX"] == "1" and variables["LC_ALL"] is False
    assert ready.executable == Path(sys.executable) and os.path.exists(ready.launch.command[-1])


@pytest.mark.parametrize(
    ("calls", "each", "says"),
    [
        (7, 16384, "its calls read 112 KiB of 1 MiB: it stops early"),
        (0, None, "its calls read 0 B of 1 MiB: it stops early"),
        (None, None, None),
        (16, 65536, None),
    ],
)
def test_a_command_that_does_not_read_all_is_told(calls, each, says):
    case = SimpleNamespace(
        workload=SimpleNamespace(size=1 << 20), conditions=SimpleNamespace(cache="warm")
    )
    seen = SimpleNamespace(read_calls_per_op=calls, bytes_per_read_call=each)
    command = SimpleNamespace(command=object(), is_checked=False, is_own=False)
    found = caveats.reads_less(case, command, seen)
    assert found is says or found.startswith(says)
    own = SimpleNamespace(command=None, is_checked=False, is_own=True)
    seen.why_uncounted, seen.minor_faults_per_op = None, 1.0  # as of what maps the file
    says = caveats.reads_less(case, own, seen)
    assert says == (found and found.replace(" (see --output pipe)", ""))
    seen.minor_faults_per_op = 0.01
    nothing = calls is None and "it reads nothing of the file"
    assert (caveats.reads_less(case, own, seen) or "").startswith(nothing or says or "")
    checked = SimpleNamespace(command=None, is_checked=True, is_own=True)
    assert caveats.reads_less(case, checked, seen) is None
