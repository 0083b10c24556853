"""CPU, memory and rights that are less than the whole machine's."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import pytest

from iogauge.runfile import reading
from tests.anywhere import conditions

CACHESTAT = 451
MIB, GIB = 1 << 20, 1 << 30

STUDY = """
id = "small"
title = "Small"
budget = "{budget}"
rounds = {{ warm = 2, cold = 1 }}
[[group]]
id = "g"
question = "Which?"
size = {size}
cache = {cache}
consume = "touch"
[[group.case]]
strategy = {strategies}
"""


@pytest.fixture
def study(open_folder):
    """Writes a study of such files in such states of the cache."""

    def write(size='"1M"', cache='"warm"', strategies='"fake/steady"', budget="1s"):
        path = open_folder / "small.toml"
        path.write_text(STUDY.format(size=size, cache=cache, strategies=strategies, budget=budget))
        return path

    return write


@pytest.fixture
def open_folder():
    """A folder on a disk that every user may enter."""
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="iogauge-test-") as name:
        os.chmod(name, 0o777)
        yield Path(name)


def of_all() -> str:
    return f"of {os.cpu_count()} cores"


def says(text: str) -> str:
    """In one line, however it was wrapped."""
    return " ".join(text.split())


def test_on_one_core(told):
    core = min(os.sched_getaffinity(0))
    with conditions.on_cores([core]) as iogauge:
        done = iogauge.fake("doctor")
    assert done.returncode == 0, done.stderr
    assert f"1 {of_all()} (affinity)" in says(done.stdout)
    assert "one core: forks that warm up disturb each other" in says(done.stdout)
    told("on one of the machine's cores (`taskset -c 0`)", "says so: 1 of 2 cores (affinity)")


@pytest.mark.long
def test_with_a_fifth_of_a_core(told, study, disk_folder):
    with conditions.limited_cpu(0.2) as iogauge:
        done = iogauge.fake("run", study(), "--dir", disk_folder)
    assert done.returncode == 0, done.stderr
    assert f"0.2 {of_all()} (CPU quota)" in says(done.stdout)
    assert "! the CPU quota is 0.2 of a core" in says(done.stdout)
    assert "! the CPU quota stopped the processes of iogauge's control group" in says(done.stdout)
    happened = "answers, for 0.2 of 2 cores (CPU quota), and says how often the quota stopped it"
    told("in a CPU group with a fifth of a core", happened)


@pytest.mark.long
def test_what_cannot_stay_in_the_cache_is_refused_and_the_rest_is_measured(
    told, study, disk_folder
):
    with conditions.limited_memory(GIB) as iogauge:
        (both, doctor), err = iogauge.in_turn(
            ("run", study(size='["1M", "4G"]'), "--dir", disk_folder),
            ("doctor", "--dir", disk_folder),
        )
        alone = iogauge.fake("run", study(size='"4G"'), "--dir", disk_folder)
    assert both[0] == 0, err
    assert "not measured: g: files of 4 GiB, cached: they do not stay in the cache" in err
    assert "Read 1 MiB, cached" in err and "fake" in both[1]
    assert alone.returncode == 2 and len(alone.stderr.splitlines()) == 1
    assert "nothing to measure: g: files of 4 GiB, cached" in alone.stderr
    assert "of 1 GiB, the limit of a control group" in says(doctor[1])
    happened = "refuses that file in one line before anything is measured, and answers the rest"
    told("in a memory group of 1 GiB, asked for a cached file of 4 GiB", happened)


@pytest.mark.long
def test_a_file_of_the_users_that_cannot_stay_in_the_cache(told, open_folder):
    file = open_folder / "large"
    file.write_bytes(os.urandom(MIB) * 150)
    with conditions.limited_memory(256 * MIB) as iogauge:
        found = iogauge.fake(file, "--budget", "1s", "--dir", open_folder)
        asked = iogauge.fake("advise", "--file", file, "--cache", "warm", "--run")
    assert "not measured: cached: the file, 150 MiB, is larger than half of" in found.stderr
    assert "Traceback" not in found.stderr
    assert asked.returncode == 2 and "150 MiB do not stay in the cache" in asked.stderr
    happened = "measures it from disk only, and says why"
    told("in a memory group of 256 MiB, on a file of 150 MiB", happened)


@pytest.mark.long
@pytest.mark.real
def test_in_little_memory_forks_come_in_blocks(told, study, disk_folder, tmp_path):
    """With Java, of which two forks are all that fits: so it takes longer than other tests."""
    if not shutil.which("java"):
        pytest.skip("no java")
    out = tmp_path / "run.jsonl"
    text = study(strategies='["java/file-input-stream", "java/file-channel-mapped"]')
    with conditions.limited_memory(512 * MIB) as iogauge:
        done = iogauge("run", text, "--dir", disk_folder, "-o", out, seconds=300)
    assert done.returncode == 0, done.stderr
    run = reading.read(out)
    assert run.replicates and not run.failures
    assert max(sample.part for sample in run.samples) >= 1
    assert run.header.plan.memory_limit_mib < 400
    happened = "answers: two processes at a time, with small heaps"
    told("in a memory group of 512 MiB, Java", happened)


def test_without_cachestat(told, study, disk_folder, tmp_path):
    out = tmp_path / "run.jsonl"
    with conditions.without_call(CACHESTAT) as iogauge:
        done = iogauge.fake("run", study(cache='["warm", "cold"]'), "--dir", disk_folder, "-o", out)
    assert done.returncode == 0, done.stderr
    samples = list(reading.read(out).samples)
    assert {each.resident_before for each in samples} == {0.0, 1.0}
    assert {each.dirty_before for each in samples} == {None}, "mincore does not tell"
    assert not any(each.void for each in samples)
    told("on a kernel without cachestat", "answers: the page cache is seen by mincore")


def test_as_an_ordinary_user(told, study, open_folder):
    home = open_folder / "home"
    home.mkdir()
    with conditions.another_user(home) as iogauge:
        done = iogauge.fake("run", study(cache='["warm", "cold"]'))
        assert done.returncode == 0, done.stderr
        assert "nothing cached before a sample" in done.stdout
        theirs = open_folder / "iogauge-data"
        theirs.mkdir()
        (theirs / "iogauge-data-directory").touch()
        refused = iogauge.fake("run", study(), "--dir", open_folder)
    assert refused.returncode == 2 and len(refused.stderr.splitlines()) == 1
    assert f"{theirs} belongs to another user; give another --dir" in refused.stderr
    told("as a user without any right", "answers")
    happened = "one line: it belongs to another user; give another --dir"
    told("in a folder where another user keeps data files of iogauge", happened)


def test_a_home_that_cannot_be_written(told, study, open_folder):
    home = open_folder / "home"
    home.mkdir()
    with conditions.another_user(home) as iogauge:
        os.chown(home, 0, 0)
        done = iogauge.fake("run", study())
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done.stderr
    assert "Permission denied; set XDG_CACHE_HOME to a folder that can" in done.stderr
    happened = "one line: set XDG_CACHE_HOME to a folder that can be written"
    told("a home folder that cannot be written", happened)


@pytest.mark.long
def test_counters_that_the_kernel_does_not_tell(told, study, open_folder):
    """Of a program that one may start but not read, it tells them to root only."""
    home, programs = open_folder / "home", open_folder / "bin"
    home.mkdir()
    programs.mkdir()
    python = programs / "python3"
    shutil.copy("/usr/bin/python3", python)
    python.chmod(0o711)
    with conditions.another_user(home) as iogauge:
        iogauge = iogauge.after(PATH=f"{programs}:{os.environ['PATH']}")
        out = home / "run.jsonl"
        ended, err = iogauge.in_turn(
            ("run", study(cache='["warm", "cold"]'), "-o", out),
            ("show", "--details", out),
            ("export", "--format", "json", out),
        )
        assert [status for status, _ in ended] == [0, 0, 0], err
    (_, _), (_, details), (_, text) = ended
    exported = json.loads(text)
    assert "the kernel does not tell what processes read and write" in says(details)
    evidence = [case["evidence"] for group in exported["groups"] for case in group["cases"]]
    assert evidence
    for name in ("read_calls_per_op", "bytes_per_read_call", "device_read_bytes_per_op"):
        assert {each[name] for each in evidence} == {None}
    happened = "answers; calls and their bytes are not known (null, never 0), and it says so"
    told("/proc/PID/io cannot be read", happened)


@pytest.mark.long
def test_few_open_files(told, study, disk_folder, tmp_path):
    """Six processes and what each takes of them do not fit at a time."""
    text = study().read_text() + "parameters = { speed = [10, 11, 12, 13, 14, 15, 16, 17] }\n"
    small = tmp_path / "small.toml"
    small.write_text(text)
    parts = {}
    for count in (64, 100, 1000):
        out = tmp_path / f"{count}.jsonl"
        iogauge = conditions.few_files(count)
        done = iogauge.fake("run", small, "--dir", disk_folder, "-o", out)
        assert done.returncode == 0, (count, done.stderr)
        run = reading.read(out)
        assert run.replicates and not run.failures
        parts[count] = 1 + max(sample.part for sample in run.samples)
    assert parts[64] >= parts[100] >= parts[1000] == 1 < parts[64], parts
    told("with 64 open files allowed (`ulimit -n 64`)", "answers, with fewer processes at a time")
    done = conditions.few_files(20).fake("run", small, "--dir", disk_folder)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done.stderr
    assert "iogauge may have 20 files open at a time here (ulimit -n), and it needs" in done.stderr
    assert done.stderr.rstrip().endswith(f"ulimit -n {done.stderr.split()[-1]}")
    happened = "one line says the limit, and what it takes"
    told("with 20 open files allowed (`ulimit -n 20`)", happened)


PAUSED = "answers: no limit and no budget counts them, samples around them are void, and it says so"


def whole_command(folder, out, *more):
    slow = "sh -c 'sleep 0.6; cat {file}'"
    where = ("--size", "64K", "--cache", "warm", "--dir", folder, "--out", out)
    return ("command", slow, *where, "--budget", "12s", *more)


def paused(done, out, seconds):
    """What is told of a pause of so many seconds."""
    assert done.returncode == 0, done.stdout + done.stderr
    assert "! stood still for" in says(done.stdout)
    run = reading.read(out)
    assert not run.failures and len(run.replicates) >= 3
    assert all("stood still for" in each.void for each in run.samples if each.void)
    (caveat,) = [each for each in run.caveats if each.kind == "stood-still"]
    assert max(max(each.ns) for each in run.samples if not each.void) < seconds * 1e9
    return caveat.text


@pytest.mark.long
def test_in_a_control_group_that_is_frozen(told, disk_folder, tmp_path):
    out = tmp_path / "run.jsonl"
    with conditions.frozen_after(4.0, 8.0) as iogauge:
        done = iogauge(*whole_command(disk_folder, out, "--limit", "5s"))
    paused(done, out, 8.0)
    told("in a control group that is frozen for some seconds", PAUSED)


@pytest.mark.long
def test_stopped_with_all_that_it_started(told, disk_folder, tmp_path):
    out = tmp_path / "run.jsonl"
    words = [sys.executable, "-m", "iogauge", *whole_command(disk_folder, out, "--limit", "5s")]
    pipe = subprocess.PIPE
    with subprocess.Popen(list(map(str, words)), stdout=pipe, stderr=pipe, text=True) as process:
        try:
            time.sleep(4)
            host = psutil.Process(process.pid)
            everything = [host, *host.children(recursive=True)]
            for number, seconds in ((signal.SIGSTOP, 8), (signal.SIGCONT, 0)):
                for each in everything:
                    os.kill(each.pid, number)
                time.sleep(seconds)
            said = process.communicate(timeout=60)
        finally:
            process.kill()
    paused(subprocess.CompletedProcess(words, process.returncode, *said), out, 8.0)
    told("stopped for some seconds, with all that it started", PAUSED)
