"""`iogauge command`: whole commands, measured from the command line on."""

import html
import json
import re

import pytest

from iogauge.model import folders
from iogauge.runfile import reading


def small(iogauge, *arguments):
    return iogauge("command", *arguments, "--budget", "1s", "--seed", "1")


def test_commands_are_compared_with_evidence_and_a_failure_is_told(iogauge, tmp_path):
    commands = ("cat {file}", "dd if={file} bs={block} of=/dev/null", "sh -c 'exit 3 # {file}'")
    where = ("--size", "256K", "--block", "4K,64K", "--cache", "warm", "--dir", tmp_path)
    done = small(iogauge, *commands, *where)
    assert done.returncode == 3, done.stderr
    assert "sh -c 'exit 3 # {file}' failed: it ended with status 3" in done.stdout
    assert "Which command is fastest? (cached)" in done.stdout
    for name in ("cat {file} ", "dd if={file} bs=4K of=/dev/null", "bs=64K"):
        assert name in done.stdout
    assert "what the commands read is not checked" in " ".join(done.stdout.split())
    assert "use this: 95 % sure that no way" not in done.stdout and "advise" not in done.stdout
    (path,) = folders.runs_by_age()
    run = reading.read(path)
    valid = [each for each in run.samples if each.void is None]
    assert valid and all(each.count is None and each.resident_before == 1 for each in valid)

    (group,) = json.loads(iogauge("show", "--json", path).stdout)["groups"]
    found = {each["display"]: each for each in group["cases"]}
    assert found["cat {file}"]["command"] == "cat {file}"
    calls = {name: each["evidence"]["read_calls_per_op"] for name, each in found.items()}
    if calls["cat {file}"] is not None:
        by_4k, by_64k = (calls[f"dd if={{file}} bs={size} of=/dev/null"] for size in ("4K", "64K"))
        assert by_4k - by_64k == pytest.approx(64 - 4, abs=1)
        assert found["cat {file}"]["evidence"]["context_switches_per_op"] is None

    page = tmp_path / "page.html"
    assert iogauge("report", path, "--out", page).returncode == 0
    again = "iogauge command 'cat {file}' 'dd if={file} bs={block} of=/dev/null' "
    text = html.unescape(page.read_text())
    assert again in text and "--block 4K,64K --cache warm --budget 1s --seed 1" in text
    assert '"overridden"' not in text and "the API overrides" not in iogauge("explain").stdout

    own = ("--dir", tmp_path)  # others may use the usual folder meanwhile
    for say in (("run", "--resume", path, "--budget", "1h"), ("explain", "--trace", path)):
        refused = iogauge(*say, *own)
        if "strace" not in refused.stderr:
            assert refused.returncode == 2 and "run only where you name them" in refused.stderr
    assert "cat {file}" in iogauge("show", "--details", path).stdout


@pytest.mark.long
def test_a_run_goes_on_where_the_same_commands_are_named_again(iogauge, tmp_path):
    where = ("--size", "64K", "--cache", "warm", "--dir", tmp_path)
    given = ("cat {file}", "{tool} {file}", "--parameter", "tool=wc,head", *where)
    done = small(iogauge, *given, "--name", "mine", "--tolerance", "1%")  # not soon decided
    assert done.returncode == 0, done.stderr
    (path,) = folders.runs_by_age()
    before, budget = path.read_bytes(), reading.read(path).seconds + 2
    resume = ("--resume", "newest", "--budget", f"{budget}s")
    other = iogauge("command", "cat {file}", *where, "--name", "mine", *resume)
    assert other.returncode == 2 and "is a run of other commands" in other.stderr
    assert path.read_bytes() == before
    went_on = iogauge("command", *given, "--name", "mine", *resume)
    assert went_on.returncode == 0, went_on.stderr
    run = reading.read(path)
    assert path.read_bytes().startswith(before) and len(run.ends) == 2 and run.budget == budget
    for name in ("mine ", "wc {file}", "head {file}"):
        assert name in went_on.stdout
    copied = "command 'cat {file}' '{tool} {file}' --size 64K --cache warm --parameter"
    assert "repeats: " not in done.stdout or copied in done.stdout


@pytest.mark.long
def test_what_failed_is_not_said_to_need_more_time(iogauge, tmp_path):
    where, fails = (
        ("--size", "64K", "--cache", "warm", "--dir", tmp_path),
        "sh -c 'exit 3 # {file}'",
    )
    done = small(iogauge, fails, *where)
    assert done.returncode == 3 and "No answer: all of them failed." in done.stdout
    assert "more time" not in done.stdout and "sure:" not in done.stdout
    done = small(iogauge, fails, "cat {file}", *where)
    assert "Nothing to compare: there is only one that works." in done.stdout
    done = small(iogauge, fails, "cat {file}", "-i", *where)
    assert done.returncode == 0 and "failed" not in done.stdout


def test_a_command_that_never_opens_the_file_is_told_and_not_recommended(iogauge, tmp_path):
    where = ("--size", "256K", "--cache", "warm", "--dir", tmp_path)
    nothing = "no-such-program-here {file} & true"
    prepare = ("--prepare", "head -c 1 {file}")  # which opens it, but is none of its business
    done = small(iogauge, "cat {file}", nothing, "wc -l < {file}", *prepare, *where)
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert f"{nothing!r}: & puts work into the background, whose failure" in done.stderr
    assert f"{nothing}: it reads nothing of the file: it never opens it." in said
    assert f"{nothing} no number" in said and f"Command {nothing}" not in said
    assert "'cat {file}': " not in done.stderr and "cat {file}: it reads" not in said
    forks = reading.read(folders.runs_by_age()[0]).forks
    seen = {name: opens for fork in forks for name, opens in fork.opens.items()}
    assert sorted(seen.values()) == [False, True, True]


@pytest.mark.long
def test_a_command_that_takes_long_and_never_opens_the_file_is_not_recommended(iogauge, tmp_path):
    where = ("--size", "256K", "--cache", "warm", "--dir", tmp_path)
    nothing = "sleep 0.6; no-such-program-here {file}; true"
    done = iogauge("command", "sleep 0.7; cat {file}", nothing, *where, "--budget", "20s")
    said = " ".join(done.stdout.split())
    assert f"{nothing}: it reads nothing of the file: it never opens it." in said, said
    assert f"{nothing} no number" in said, said


def test_a_command_that_waits_is_told_to_wait_for_neither_processor_nor_disk(iogauge, tmp_path):
    where = ("--size", "256K", "--cache", "warm", "--dir", tmp_path)
    done = small(iogauge, "sleep 0.1; cat {file}", *where)
    assert done.returncode == 0, done.stderr
    said = " ".join(iogauge("explain").stdout.split())
    waits = r"The command waits for (over )?\d\d % of the time, neither for the processor nor for"
    busy = "something else was running" in said  # then it may wait for a processor
    assert busy or re.search(waits + " the disk", said), said


def test_a_command_that_removes_its_file_ends_the_run_with_a_line(iogauge, tmp_path):
    file = tmp_path / "mine"
    file.write_text("one\n")
    done = small(iogauge, "rm {file}", "cat {file}", "--file", file, "--cache", "warm")
    assert done.returncode == 3 and "a command removed the file" in done.stderr
    assert "Traceback" not in done.stderr


OF_HYPERFINE = [
    ("--warmup", "there is no --warmup: each process warms up"),
    ("-N", "there is no -N: a shell runs only what needs one"),
    ("--shell=none", "there is no --shell: a shell"),
    ("-L", "there is no -L: write --parameter NAME=1,2,4"),
    ("--export-json", "there is no --export-json: afterwards, iogauge export"),
    ("--nonsense", "No such option: --nonsense"),
]


@pytest.mark.parametrize(
    "arguments, says",
    [
        *((["cat {file}", option], says) for option, says in OF_HYPERFINE),
        (["cat"], "has no {file}"),
        (["no-such-program {file}"], "no such command"),
        (["cat {file}", "--block", "4X"], "--block: '4X' is not a size"),
        (["cat {file}", "--block", "4K"], "no command has {block}"),
        (["cat {file}", "--parameter", "n"], "--parameter n: write NAME=1,2,4"),
        (["cat {file}", "--parameter", "file=1"], "--parameter file: give it another name"),
        (["cat {file}", "--cache", "hot"], "--cache hot: allowed: warm, cold"),
        (["cat {file}", "--size", "0"], "--size 0: at least 1 byte"),
        (["cat {file}", "--content", "x"], "--content x: allowed: bytes, text"),
        (["cat {file}", "--output", "tty"], "--output tty: allowed: null, pipe"),
        (["cat {file}", "--limit", "0s"], "--limit: '0s' is too short"),
        (["cat {file}", "--file", "nowhere"], "nowhere: No such file"),
        (["cat {file}", "--file", "x", "--size", "1M"], "--size makes a file"),
        (["cat {file}", "--prepare", "nothing-there"], "--prepare: nothing-there: no such command"),
        (["cat {file}", "--parameter", "n=a,b"], "no command has {n}"),
        (["cat {file}", "--name", "a", "--name", "b"], "--name: give each command one"),
        (["cat {file}", "--prepare", "true", "--prepare", "true"], "--prepare: give one for all"),
        (["cat {file}", "--resume", "newest", "--file", "x"], "--resume: a run of a file of yours"),
        ([], "Missing argument"),
    ],
)
def test_wrong_arguments_are_one_line_and_options_of_hyperfine_lead_to_ours(
    iogauge, arguments, says
):
    done = iogauge("command", *arguments)
    assert done.returncode == 2 and not done.stdout
    assert says in done.stderr and done.stderr.count("\n") == 1


def test_what_prepares_comes_before_each_sample_of_a_file_of_the_users(iogauge, tmp_path):
    file, log = tmp_path / "a file", tmp_path / "log"
    file.write_text("one\ntwo\n")
    where = ("--file", file, "--cache", "warm", "--dir", tmp_path)
    done = small(iogauge, f"tail -n 1 '{log}' {{file}}", "--prepare", f"echo x >>'{log}'", *where)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = folders.runs_by_age()
    run = reading.read(path)
    assert {sum(each.operations) for each in run.samples} == {1} and run.samples[0].prelude_ns == []
    assert log.read_text().count("x") > len(run.samples)
    assert str(file) not in path.read_text()
    assert file.read_text() == "one\ntwo\n"
