"""Which program a process runs, while it changes that."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import pytest

from iogauge.model.watched import Marks
from iogauge.watching import watcher
from iogauge.watching.recognising import Recogniser
from iogauge.watching.watcher import Watcher

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")
PYTHON = Marks(language="python", programs=(r"python[\d.]*",), runs=True)


def watching(pid: int) -> Watcher:
    subject = SimpleNamespace(pid=pid, began=0.0, before={}, ended=None, pids=lambda: [pid])
    return Watcher(subject, Recogniser([PYTHON]))


def test_the_same_interpreter_with_another_script_is_another_program(tmp_path):
    first, second = tmp_path / "first.py", tmp_path / "other.py"
    tells = "import os, sys; print(flush=True); sys.stdin.readline()\n"
    first.write_text(f"{tells}os.execv(sys.executable, [sys.executable, {str(second)!r}])\n")
    second.write_text(tells)
    with subprocess.Popen(
        [sys.executable, first], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as process:
        assert process.stdin and process.stdout
        looks, scripts = watching(process.pid), []
        for _ in range(2):
            process.stdout.readline()
            looks._see()
            scripts.append(looks.seen.facts[process.pid].script)
            process.stdin.write(b"\n")
    assert scripts == [str(first), str(second)]


def test_a_pid_of_another_process_is_another_program(monkeypatch):
    asked = []
    state = watcher.proctree.state(1)
    looks = watching(1)
    monkeypatch.setattr(watcher.proctree, "executable", lambda pid: "/usr/bin/python3")
    monkeypatch.setattr(looks._recogniser, "facts", lambda pid, program: asked.append(pid))
    for began in (1.0, 1.0, 2.0, 2.0):
        looks._recognise(1, state._replace(began=began))
    assert asked == [1, 1]
