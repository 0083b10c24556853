"""Builds of several runners at a time: what remains when one fails, or when they are interrupted."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from iogauge.model import folders
from iogauge.runners import fork, manifest, preparing
from iogauge.runners.building import build_all
from iogauge.runners.finding import installed

FAKE = Path(__file__).parents[1] / "runners" / "fake"
PROGRAM = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever starts tests may ignore it
from pathlib import Path
from iogauge.runners import manifest, preparing
preparing.prepare({}, lambda text: print(text, flush=True), [manifest.load(Path(each)) for each in sys.argv[1:]])
"""


def runner(folder: Path, command: str) -> Path:
    """A copy of the fake runner that is built by this command of a shell as well."""
    shutil.copytree(FAKE, folder)
    file = folder / "runner.toml"
    text = file.read_text().replace('name = "fake"', f'name = "{folder.name}"')
    file.write_text(text.replace("commands = [", f'commands = [["sh", "-c", "{command}"],'))
    return folder


def begun(*arguments: object, program: str = PROGRAM, **more: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    out = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, text=True, **out, **more)


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_an_interruption_ends_all_builds_and_leaves_nothing(tmp_path):
    both = [runner(tmp_path / name, "sleep 1000 & wait") for name in ("one", "two")]
    started = begun(*both, start_new_session=True)
    assert started.stdout
    assert [started.stdout.readline()[:12] for _ in both] == ["building the"] * 2
    children = []
    while sum(each.name() == "sleep" for each in children) < 2:
        children = psutil.Process(started.pid).children(recursive=True)
        time.sleep(0.01)
    os.kill(started.pid, signal.SIGINT)
    assert started.wait(timeout=30)
    _, alive = psutil.wait_procs(children, timeout=10)
    assert not alive
    assert not list((tmp_path / "cache").rglob("*.partial"))


def test_an_interruption_before_the_first_command_ends_the_build_too(tmp_path):
    slow = runner(tmp_path / "slow", "sleep 1000")
    copying = "import shutil, time; shutil.copyfile = lambda *paths: time.sleep(1)\n"
    started = begun(slow, program=copying + PROGRAM)
    assert started.stdout and started.stdout.readline().startswith("building the")
    os.kill(started.pid, signal.SIGINT)
    assert started.wait(timeout=30)
    assert not list((tmp_path / "cache").rglob("*.partial"))


def test_an_interruption_ends_launchers_that_hang(tmp_path):
    launcher = tmp_path / "launcher"
    launcher.write_text(f"#!/bin/sh\nsleep 1000 &\n: > {tmp_path}/asked\nwait\n")
    launcher.chmod(0o755)
    hangs = runner(tmp_path / "hangs", "true")
    file = hangs / "runner.toml"
    candidates = f'candidates = ["{launcher}"]'
    file.write_text(re.sub("(?m)^candidates = .*", candidates, file.read_text()))
    imports = "import manifest; from iogauge.runners.runtimes import Runtimes"
    program = PROGRAM.replace("preparing.prepare", "Runtimes")
    program = program.replace("import manifest, preparing", imports)
    started = begun(hangs, program=program, start_new_session=True)
    while not (tmp_path / "asked").exists():
        time.sleep(0.01)
    children = psutil.Process(started.pid).children(recursive=True)
    os.kill(started.pid, signal.SIGINT)
    assert started.wait(timeout=8)  # it would be asked for 15 s
    assert not psutil.wait_procs(children, timeout=10)[1]


def test_builds_side_by_side_say_whole_lines(tmp_path):
    said = []

    def in_two_writes(text):
        said.append(text)
        time.sleep(0.05)
        said.append("\n")

    both = [manifest.load(runner(tmp_path / name, "true")) for name in ("one", "two")]
    build_all([(each, installed(each)[0]) for each in both], in_two_writes)
    assert said[1::2] == ["\n", "\n"]


def test_one_build_that_fails_does_not_stop_the_other(tmp_path):
    bad = manifest.load(runner(tmp_path / "bad", "exit 3"))
    good = manifest.load(runner(tmp_path / "good", "sleep 0.2"))
    failures = build_all([(each, installed(each)[0]) for each in (bad, good)], print)
    (why,) = failures.values()
    assert re.fullmatch("the Fake runner cannot be built: .*status 3; .*; log: .*/bad.log", why)
    (folders.cache() / "runners" / "bad.log").unlink()
    built = [each.name for each in (folders.cache() / "runners").iterdir()]
    assert len(built) == 1 and built[0].startswith("good-")
    assert preparing.prepare({}, print, [good])[0]


def test_an_archive_of_classes_is_made_once_and_used_where_it_is(tmp_path):
    folder = runner(tmp_path / "one", "true")
    script = r"case \"$1\" in make=*) : > \"${1#make=}\"; shift;; use=*) shift;; esac; exec \"$@\""
    command = f'command = ["sh", "-c", "{script}", "sh", "{{sound}}", "{{runtime}}"'
    text = (folder / "runner.toml").read_text().replace('command = ["{runtime}"', command)
    text = text.replace("[launch]\n", '[launch]\nsound = ["{archive}"]\n')
    archive = 'make = ["make={archive}"]\nuse = ["use={archive}"]'
    (folder / "runner.toml").write_text(f"{text}\n[launch.archive]\n{archive}\n")
    own = [manifest.load(folder)]

    def launch():
        ready, _ = preparing.prepare({}, lambda text: None, own)
        return ready[0].launch

    (word,) = launch().sound
    archive = Path(word.removeprefix("use="))
    made = archive.stat().st_mtime_ns
    assert archive.is_relative_to(folders.cache())
    assert not list(archive.parent.glob("*.partial"))
    assert fork.refused(launch(), 0, ()) is None  # a fork starts with it
    assert archive.stat().st_mtime_ns == made
    archive.unlink()  # as by a runtime that could write none
    assert launch().sound == ()
    assert fork.refused(launch(), 0, ()) is None
