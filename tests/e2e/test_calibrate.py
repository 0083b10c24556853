"""`iogauge calibrate` on this machine: what it prints and keeps, what it refuses, what it leaves."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from iogauge.measuring import constants, probing
from iogauge.measuring.probing import NAMES
from iogauge.model import folders
from iogauge.model.watched import Constants
from iogauge.runners import manifest, preparing, wire
from iogauge.runners.fork import Fork
from iogauge.runners.wire import Refusal

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def ready():
    """The runner that probes; without one there is nothing to test."""
    probes = [each for each in manifest.all_runners() if each.file.probes]
    found, missing = preparing.prepare({}, print, probes)
    if not found:
        pytest.skip(missing[0].why)
    return found[0]


@pytest.fixture
def small(monkeypatch):
    """A small file, and few sizes."""
    monkeypatch.setattr(probing, "_FILE", 8 << 20)
    monkeypatch.setattr(probing, "_WRITTEN", 2 << 20)
    sized = {"read": (16, 4096, 1 << 20), "pread": (100,), "write": (100, 65536)}
    monkeypatch.setattr(probing, "_OF_A_NAME", {**probing._OF_A_NAME, **sized})


def test_it_measures_once_and_shows_what_it_knows(ready, small, folder, iogauge, monkeypatch):
    pace = {"compute_ns": 100.0, "memory_ns": 100.0}
    monkeypatch.setattr(constants.evidence, "pace", lambda: pace)  # others work here meanwhile
    done = iogauge("calibrate", "--dir", folder, "--budget", "5s", "--json")
    found = Constants.model_validate_json(done.stdout)
    assert done.returncode == (0 if found.calls else 3), done.stderr
    assert not [*folder.iterdir()]
    every = {each.name for each in (*found.calls, *found.left_out)}
    assert every >= {*NAMES}
    assert all(each.checked and each.ns.low > 0 for each in found.calls)
    if not found.calls:
        pytest.skip("something else ran all the time")
    picture = folder / "x.svg"
    shown = iogauge("calibrate", "--dir", folder, "-o", picture)
    assert shown.stdout.startswith("The file numbers of this machine (")
    assert "measuring" not in shown.stderr and picture.read_text().startswith("<svg")
    told = iogauge("doctor", "--dir", folder, "--json")
    assert json.loads(told.stdout)["file_numbers"]["count"] == len(found.calls)
    assert f"{len(found.calls)}, measured just now" in iogauge("doctor", "--dir", folder).stdout
    again = iogauge("calibrate", "--dir", folder, "--budget", "1s", "--fresh", "--json")
    assert Constants.model_validate_json(again.stdout) != found


def test_a_few_calls_are_measured_in_a_few_seconds_and_not_kept(ready, small, folder):
    found = constants.measure(folder, ["stat", "read"], 2.0)
    known = {each.name for each in (*found.calls, *found.left_out)}
    assert known - {"cached-read"} == {"stat", "read"}
    assert constants.known(folder) is None and not [*folder.iterdir()]


def test_every_call_is_made_as_often_as_was_asked(ready, tmp_path):
    (tmp_path / "file").write_bytes(bytes(1 << 20))
    fork = Fork(ready.launch, 0)
    fork.ask(wire.hello(), 60)  # until then its start is counted, too
    asked = {"read": "syscr", "pread": "syscr", "write": "syscw", "pipe-write": "syscw"}
    asked |= dict.fromkeys(("null-write", "fsync", "write-synced"), "syscw")
    try:
        for call, counted in asked.items():
            for size in (1, 100, 512, 4096, 65536):
                path = tmp_path / ("file" if "read" in call else call)
                before = fork.counters.read()
                reply = fork.ask(wire.probe(call, str(path), size, 50, untimed=7), 60)
                assert reply.ns > 0
                assert fork.counters.since(before)[counted] == 58, (call, size)
    finally:
        fork.end()
    assert {each.name for each in tmp_path.iterdir()} == {"file", "fsync"}


def test_a_mapping_goes_over_the_file_again_and_is_no_longer_than_it(ready, tmp_path):
    (tmp_path / "file").write_bytes(bytes(1 << 20))
    fork = Fork(ready.launch, 0)
    try:
        fork.ask(wire.hello(), 60)  # until then its start is counted, too
        for size in (4096, 256 << 10, 1 << 20):
            asked = wire.probe("mapped", str(tmp_path / "file"), size, 9, untimed=2)
            before = fork.counters.read()
            assert fork.ask(asked, 60).ns > 0
            assert fork.counters.since(before)["syscr"] == 1  # the request
        with pytest.raises(Refusal, match="less than one call"):
            fork.ask({**asked, "size": 2 << 20}, 60)
    finally:
        fork.end()


@pytest.mark.parametrize(
    "changes, says",
    [
        ({"call": "dance"}, "unknown call"),
        ({"size": -1}, "size must be an integer from 0"),
        ({"calls": 0}, "calls must be an integer from 1"),
        ({"path": "/nowhere/x"}, "No such file"),
        ({"size": 1 << 21}, "less than one call"),
    ],
)
def test_what_cannot_be_probed_is_refused_and_the_runner_lives_on(ready, tmp_path, changes, says):
    (tmp_path / "file").write_bytes(bytes(1 << 20))
    request = wire.probe("read", str(tmp_path / "file"), 512, 10)
    fork = Fork(ready.launch, 0)
    try:
        with pytest.raises(Refusal, match=says):
            fork.ask({**request, **changes}, 60)
        assert fork.ask(request, 60).ns > 0
    finally:
        fork.end()


@pytest.mark.parametrize(
    "given, says",
    [
        (["--dir", "{tmp}/nowhere"], "no such directory"),
        (["--dir", "{tmp}/file"], "is a file"),
        (["--budget", "2m"], "give at most 60 s"),
        (["--budget", "soon"], "is not a duration"),
        (["-o", "x.gif"], "a name that ends in .svg"),
    ],
)
def test_bad_input_is_one_line(given, says, iogauge, tmp_path):
    (tmp_path / "file").touch()
    done = iogauge("calibrate", *(each.replace("{tmp}", str(tmp_path)) for each in given))
    assert (done.returncode, done.stdout) == (2, "") and says in done.stderr
    assert done.stderr.count("\n") == 1 and "measuring" not in done.stderr


@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="needs setpriv")
def test_a_folder_that_is_not_writable_is_one_line(tmp_path):
    place = tmp_path / "place"
    place.mkdir(mode=0o555)
    drop = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]
    command = [sys.executable, "-m", "iogauge", "calibrate", "--dir", str(place)]
    done = subprocess.run(
        [*(drop if os.geteuid() == 0 else []), *command],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr == f"iogauge: --dir {place}: not writable; give another\n"


def begun(folder: Path) -> subprocess.Popen[str]:
    """A measurement whose file is there."""
    command = [sys.executable, "-m", "iogauge", "calibrate", "--fresh", "--dir", str(folder)]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    deadline = time.monotonic() + 60
    while not [*folder.glob("iogauge-data/written-*/write*")] and time.monotonic() < deadline:
        if [*folder.glob("iogauge-data/written-*/f*sync")]:
            break
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    return process


def runners(folder: Path) -> list[str]:
    """Processes that have a file of the folder open."""
    found = []
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            found += [str(link)] if str(folder) in os.readlink(link) else []
        except OSError:
            continue
    return found


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_nothing_stays_of_one_that_is_interrupted(ready, folder, number):
    process = begun(folder)
    process.send_signal(number)
    assert process.wait(30) == 130
    assert not [*folder.iterdir()] and not runners(folder)
    assert not [*folders.constants().glob("*")]


def test_what_stays_of_one_that_was_killed_is_removed_by_the_next(ready, small, folder, iogauge):
    process = begun(folder)
    process.kill()
    process.wait(30)
    assert [*folder.glob("iogauge-data/written-*/file")]
    deadline = time.monotonic() + 10
    while runners(folder) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not runners(folder)
    assert iogauge("clean", "--dir", folder).returncode == 0
    assert not [*folder.iterdir()]
