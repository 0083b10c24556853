"""Processes that take turns: many beside each other, one alone."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from iogauge.host.turns import Turns

# Works beside others, and alone in the midst of that; tells when it does.
WORKER = """
import sys, time
from pathlib import Path
from iogauge.host.turns import Turns
name, folder = sys.argv[1], Path(sys.argv[2])
turns = Turns(folder)
for number in range(12):
    with turns.beside():
        (folder / f"{name}-{number}").touch()
        time.sleep(0.002)
        (folder / f"{name}-{number}").unlink()
        if number % 4 == 1:
            with turns.alone():
                seen = [each.name for _ in range(5) if not time.sleep(0.002) for each in folder.glob("w*")]
                print(len(seen), flush=True)
"""


@pytest.mark.skipif(not Turns.able, reason="no locks of files here")
def test_who_is_alone_sees_nobody_else_at_work_and_all_come_to_an_end(tmp_path):
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, f"w{number}", str(tmp_path)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(3)
    ]
    said = [each.communicate(timeout=60)[0].split() for each in workers]
    assert [each.returncode for each in workers] == [0, 0, 0]
    assert said == [["0", "0", "0"]] * 3


@pytest.mark.skipif(not Turns.able, reason="no locks of files here")
def test_a_turn_ends_with_its_process(tmp_path):
    program = (
        "import sys, time; from pathlib import Path; from iogauge.host.turns import Turns\n"
        "turns = Turns(Path(sys.argv[1]))\n"
        "with turns.beside(), turns.alone(): print('in', flush=True); time.sleep(600)"
    )
    worker = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert worker.stdout.readline() == "in\n"
    worker.kill()
    worker.communicate()
    turns, began = Turns(tmp_path), time.monotonic()
    with turns.beside(), turns.alone():
        assert time.monotonic() - began < 60
    turns.close()
