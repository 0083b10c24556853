"""`iogauge advise` as users meet it: on runs, on files of theirs, and where nothing was measured."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time

import pytest

from iogauge.model import folders

needs_go = pytest.mark.skipif(not shutil.which("go"), reason="no Go")
LINES = "".join(
    f"{number};a line of a table with ä and 𝄞;{number * 37}\n" for number in range(6000)
)


@pytest.fixture
def table(disk_folder):
    path = disk_folder / "ledger-of-mine.csv"
    path.write_text(LINES)
    yield path
    path.unlink()


def seen(path):
    found = path.stat()
    return (
        found.st_ino,
        found.st_mtime_ns,
        found.st_mode,
        hashlib.sha256(path.read_bytes()).hexdigest(),
        sorted(each.name for each in path.parent.iterdir()),
    )


@needs_go
@pytest.mark.real
def test_on_a_file_of_the_users(iogauge, table, tmp_path, disk_folder):
    before, data = seen(table), disk_folder / "data"
    data.mkdir()
    before = (*before[:-1], sorted([*before[-1], "data"]))
    done = iogauge(
        "advise",
        "--language",
        "go",
        "--unit",
        "line",
        "--file",
        table,
        "--run",
        "--budget",
        "2s",
        "--dir",
        data,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (
        "Use bufio." in done.stdout
        and "In a study: go/bufio-" in done.stdout
        and re.search(
            r"\buse(Text)?\(", done.stdout
        )  # a line as a text, or as the bytes that it has
        and "Read your file of" in done.stdout
    )
    assert (
        "To be surer, give it more time:\niogauge advise --file" in done.stderr
        and "--run --budget 10s" in done.stderr
    ) == ("as fast as anything (within 10 %)" not in done.stdout)
    says = " ".join(done.stdout.split())
    left_out = re.search(
        r"(\d+) more could not be compared", says
    )  # where the budget ended within the first replicate
    assert (
        int(re.search(r"of (\d+) ways compared", says)[1]) + int(left_out[1] if left_out else 0)
        == 6
    )
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert seen(table) == before
    assert not list(data.rglob("*own*"))
    (run_file,) = folders.runs_by_age()
    text = run_file.read_text()
    assert "ledger-of-mine" not in text and str(disk_folder) not in text
    samples = [
        record for record in map(json.loads, text.splitlines()) if record["record"] == "sample"
    ]
    void = [sample["void"] for sample in samples if sample["void"]]  # what else runs may spoil some
    assert len(void) < len(samples) / 2, void
    assert all(count % LINES.count("\n") == 0 for sample in samples for count in sample["count"])
    for command in (["show", "--details"], ["explain"], ["export", "--format", "markdown"]):
        assert "a file of the user's" in iogauge(*command).stdout, command
    # It tells of the file, as long as that is as it was; and nothing of other files.
    of_file = ["advise", "--language", "go", "--unit", "line", "--file", table, "--dir", data]
    known = iogauge(*of_file)
    assert known.returncode == 0 and "Use bufio." in known.stdout
    assert "min ago, by iogauge advise --file FILE --run, on a file of exactly this size" in (
        " ".join(known.stdout.split())
    )
    os.utime(table)
    stale = iogauge(*of_file, "--json")
    assert stale.returncode == 1 and json.loads(stale.stdout)["advice"] == []
    assert json.loads(stale.stdout)["reason"].endswith("in Go, as it is now.")
    again = iogauge("advise", "--language", "go", "--unit", "line")
    assert (
        again.returncode == 1
        and "No run tells how to read a file of 16 MiB line by line, cached, in Go"
        in " ".join(again.stdout.split())
    )
    assert max(len(line) for line in again.stdout.splitlines() if "--run" not in line) <= 80, (
        "a command is not broken"
    )
    assert "iogauge advise --language go --unit line --size 16M --run" in again.stdout
    done = iogauge("run", run_file, "--dir", data)
    assert done.returncode == 2
    # What could not be measured, either, is not proposed.
    none = iogauge("advise", "--language", "fake", "--operation", "copy")
    assert (
        none.returncode == 2
        and "there are not two ways here to copy a file" in none.stderr
        and not none.stdout
    )


@needs_go
@pytest.mark.real
def test_a_file_that_grows_while_it_is_measured_is_why_nothing_can_be_advised(
    table, tmp_path, disk_folder
):
    command = [
        sys.executable,
        "-m",
        "iogauge",
        "advise",
        "--language",
        "go",
        "--file",
        str(table),
        "--run",
        "--budget",
        "3s",
        "--dir",
        str(disk_folder),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not any(path.read_text().count('"record":"sample"') for path in folders.runs_by_age()):
        assert time.monotonic() < deadline and process.poll() is None, process.communicate()
        time.sleep(0.01)
    with table.open("a") as file:
        file.write("one more line\n")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 2 and "has changed meanwhile" in err, (out, err)


@needs_go
@pytest.mark.real
def test_runs_are_used_where_they_cover_the_workload(iogauge, tmp_path, disk_folder):
    study = tmp_path / "reads.toml"
    study.write_text(
        'id = "reads"\ntitle = "Reads"\nbudget = "1s"\nrounds = { warm = 3 }\n[[group]]\nid = "g"\nquestion = "?"\nsize = "1M"\n'
        '[[group.case]]\nstrategy = "go/file-read"\nparameters = { block = ["4K", "64K"] }\n[[group.case]]\nstrategy = "go/read-file"\n'
    )
    out = tmp_path / "run.jsonl"
    assert iogauge("run", study, "--dir", disk_folder, "--out", out).returncode == 0
    done = iogauge("advise", out, "--size", "1M")
    assert (
        done.returncode == 0
        and "Use os." in done.stdout
        and "In a study: go/" in done.stdout
        and "Read a file of 1 MiB, cached" in done.stdout
    )
    assert "on another machine" not in done.stdout
    assert ("To be surer" in done.stderr) == (
        "as fast as anything (within 10 %)" not in done.stdout
    )
    done = iogauge("advise", out)
    assert ("advise --size 1M --run" in done.stderr) == (
        "as fast as anything (within 10 %)" not in done.stdout
    ), "what is measured more is what these runs are of"
    for options in (
        ["--size", "64M"],
        ["--cache", "cold"],
        ["--unit", "line"],
        ["--operation", "write"],
        ["--language", "java"],
    ):
        done = iogauge("advise", out, *options)
        assert done.returncode == 1 and "No run of these tells how to" in " ".join(
            done.stdout.split()
        ), options
        assert f"iogauge advise {' '.join(options)}" in done.stdout


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--operation", "remove"], "--operation remove: allowed: read, write, copy"),
        (["--unit", "word"], "--unit word: allowed: byte, char, line"),
        (["--language", "cobol"], "--language cobol: allowed: "),
        (
            ["--operation", "write", "--size", "1M", "--record", "3M"],
            "--record 3M: larger than the file, of 1 MiB",
        ),
        (["--size", "big"], "--size: 'big'"),
        (["--record", "0"], "--record 0: at least 1 byte"),
        (["--cache", "lukewarm"], "--cache lukewarm: allowed: warm, cold"),
        (["--durability", "fsync"], "--durability does not apply to --operation read"),
        (
            ["--operation", "write", "--cache", "cold"],
            "--cache does not apply to --operation write",
        ),
        (["--file", "/no/such/file"], "/no/such/file: No such file or directory"),
        (["--file", "/"], "/: is a folder; give a file in it"),
        (["--file", "/dev/zero"], "/dev/zero: not a regular file"),
        (["--file", "{empty}"], "is empty"),
        (["--file", "{table}", "--operation", "write"], "--file is read, never written"),
        (["--file", "{binary}", "--unit", "line"], "--unit line: the file is no text in UTF-8"),
        (["--file", "{mac}", "--unit", "line"], "carriage returns without a line feed"),
        (["{table}", "--run"], "--run measures anew"),
        (["{table}", "--file", "{table}"], "--file is measured anew"),
        (["--file", "{loop}"], "Too many levels of symbolic links"),
        (["--file", "{fifo}"], "not a regular file"),
        (["--budget", "soon"], "--budget: 'soon'"),
        (["--dir", "/no/such/folder"], "--dir /no/such/folder: no such directory"),
        (["{table}"], "not a run file"),
    ],
)
def test_bad_input_is_one_line_and_status_2(iogauge, tmp_path, options, says):
    files = {"empty": b"", "table": b"a\nb\n", "binary": b"\xff\xfe\x00a\n", "mac": b"a\rb\n"}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    os.mkfifo(tmp_path / "fifo")
    files |= dict.fromkeys(("loop", "fifo"))
    done = iogauge(
        "advise", *(each.format(**{name: tmp_path / name for name in files}) for each in options)
    )
    assert done.returncode == 2 and says in done.stderr and len(done.stderr.splitlines()) == 1, (
        done.stderr
    )
    assert done.stdout == ""


def test_runs_that_cannot_be_read_are_passed_over(iogauge):
    folder = folders.runs()
    folder.mkdir(parents=True)
    (folder / "no-run.jsonl").write_text("{}")
    (folder / "empty.jsonl").write_text("")
    done = iogauge("advise", "--size", "1M")
    assert done.returncode == 1 and "No run tells" in done.stdout and done.stderr == ""
    for_programs = json.loads(iogauge("advise", "--size", "1M", "--json").stdout)
    assert for_programs["reason"] == "No run tells how to read a file of 1 MiB, cached."
