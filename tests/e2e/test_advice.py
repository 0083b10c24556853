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


READS = """
id = "reads"
title = "Reads"
budget = "1s"
rounds = { warm = 3 }
[[group]]
id = "g"
question = "?"
size = "1M"
[[group.case]]
strategy = "go/file-read"
parameters = { block = ["4K", "64K"] }
[[group.case]]
strategy = "go/read-file"
"""


@pytest.fixture
def table(disk_folder):
    path = disk_folder / "ledger-of-mine.csv"
    path.write_text(LINES)
    yield path
    path.unlink()


def seen(path):
    found, content = path.stat(), hashlib.sha256(path.read_bytes()).hexdigest()
    beside = sorted(each.name for each in path.parent.iterdir())
    return found.st_ino, found.st_mtime_ns, found.st_mode, content, beside


@pytest.mark.long
@needs_go
@pytest.mark.real
def test_on_a_file_of_the_users(iogauge, table, tmp_path, disk_folder):
    before, data = seen(table), disk_folder / "data"
    data.mkdir()
    before = (*before[:-1], sorted([*before[-1], "data"]))
    of_file = ["advise", "--language", "go", "--unit", "line", "--file", table, "--dir", data]
    done = iogauge(*of_file, "--run", "--budget", "2s")
    assert done.returncode == 0, done.stdout + done.stderr
    for part in ("Use bufio.", "In a study: go/bufio-", "Read your file of"):
        assert part in done.stdout
    assert re.search(r"\buse(Text)?\(", done.stdout), "a line as a text, or as its bytes"
    longer = re.search(
        "For a surer answer, give it more time:\niogauge advise --file .*--run --budget 10s",
        done.stderr,
    )
    assert bool(longer) == ("as fast as anything (within 10 %)" not in done.stdout)
    says = " ".join(done.stdout.split())
    compared = int(re.search(r"of (\d+) ways compared", says)[1])
    # Some are not compared where the budget ended within the first replicate.
    others = re.search(r"(\d+) more could not be compared", says)
    assert compared + int(others[1] if others else 0) == 6
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
        assert "your file" in iogauge(*command).stdout, command
    # It tells of the file, as long as that is as it was; and nothing of other files.
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
    says = " ".join(again.stdout.split())
    assert again.returncode == 1
    assert "No run shows how to read a file of 16 MiB line by line, cached, in Go" in says
    # A command is not broken.
    assert max(len(line) for line in again.stdout.splitlines() if "--run" not in line) <= 80
    assert "iogauge advise --language go --unit line --size 16M --run" in again.stdout
    done = iogauge("run", run_file, "--dir", data)
    assert done.returncode == 2
    # What could not be measured, either, is not proposed.
    none = iogauge("advise", "--language", "fake", "--operation", "copy")
    assert none.returncode == 2 and not none.stdout
    assert "there are not two ways here to copy a file" in none.stderr


@needs_go
@pytest.mark.real
@pytest.mark.long
def test_a_file_that_grows_while_it_is_measured_is_why_nothing_can_be_advised(
    table, tmp_path, disk_folder
):
    options = f"--language go --file {table} --run --budget 3s --dir {disk_folder}"
    command = [sys.executable, "-m", "iogauge", "advise", *options.split()]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not any(path.read_text().count('"record":"sample"') for path in folders.runs_by_age()):
        assert time.monotonic() < deadline and process.poll() is None, process.communicate()
        time.sleep(0.01)
    with table.open("a") as file:
        file.write("one more line\n")
    out, err = process.communicate(timeout=60)
    assert process.returncode in (2, 3) and "has changed meanwhile" in err, (out, err)


@needs_go
@pytest.mark.real
def test_runs_are_used_where_they_cover_the_workload(iogauge, tmp_path, disk_folder):
    study = tmp_path / "reads.toml"
    study.write_text(READS)
    out = tmp_path / "run.jsonl"
    assert iogauge("run", study, "--dir", disk_folder, "--out", out).returncode == 0
    done = iogauge("advise", out, "--size", "1M")
    assert done.returncode == 0
    for part in ("Use os.", "In a study: go/", "Read a file of 1 MiB, cached"):
        assert part in done.stdout
    assert "on another machine" not in done.stdout
    unsure = "as fast as anything (within 10 %)" not in done.stdout
    assert ("For a surer answer" in done.stderr) == unsure
    # What is measured more is what these runs are of.
    assert ("advise --size 1M --run" in iogauge("advise", out).stderr) == unsure
    for options in (
        "--size 64M",
        "--cache cold",
        "--unit line",
        "--operation write",
        "--language java",
    ):
        done = iogauge("advise", out, *options.split())
        assert done.returncode == 1 and f"iogauge advise {options}" in done.stdout
        assert "None of these runs shows how to" in " ".join(done.stdout.split()), options


BAD = """
--operation remove
--unit word
--language cobol
--operation write --size 1M --record 3M
--size big
--record 0
--cache lukewarm
--durability fsync
--operation write --cache cold
--file /no/such/file
--file /
--file /dev/zero
--file {empty}
--file {table} --operation write
--file {binary} --unit line
{table} --run
{table} --file {table}
--file {loop}
--file {fifo}
--budget soon
--dir /no/such/folder
{table}
"""


@pytest.mark.usefixtures("only_fake")
def test_bad_input_is_one_line_and_status_2(iogauge, tmp_path, snapshot):
    files = {"empty": b"", "table": b"a\nb\n", "binary": b"\xff\xfe\x00a\n"}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    os.mkfifo(tmp_path / "fifo")
    names = {name: tmp_path / name for name in (*files, "loop", "fifo")}
    said = []
    for line in BAD.split("\n")[1:-1]:
        done = iogauge("advise", *line.format(**names).split())
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), line
        said += [f"$ iogauge advise {line}", done.stderr.strip().replace(str(tmp_path), "TMP")]
    assert said == snapshot


def test_runs_that_cannot_be_read_are_passed_over(iogauge):
    folder = folders.runs()
    folder.mkdir(parents=True)
    (folder / "no-run.jsonl").write_text("{}")
    (folder / "empty.jsonl").write_text("")
    done = iogauge("advise", "--size", "1M")
    assert done.returncode == 1 and "No run shows" in done.stdout and done.stderr == ""
    for_programs = json.loads(iogauge("advise", "--size", "1M", "--json").stdout)
    assert for_programs["reason"] == "No run shows how to read a file of 1 MiB, cached."
