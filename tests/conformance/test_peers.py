"""Other people's tools are started as iogauge starts its forks: with the same program, options and
variables; and they wait for their turn.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from iogauge.host import processes
from iogauge.model.errors import UserError

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.parametrize("language", ["java", "go", "rust"])
def test_how_a_peer_is_started_is_read_off_the_runtime_and_not_off_what_starts_it(
    language, monkeypatch
):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from peers import runtimes

    if processes._sets_signal():  # slower than any reader of /proc
        slowly = ("sh", "-c", 'sleep 0.3; exec "$@"', "sh", *processes._SETS_SIGNAL)
        monkeypatch.setattr(processes, "_SETS_SIGNAL", slowly)

    try:
        found = runtimes.find(language)
    except UserError as error:
        pytest.skip(str(error))
    started = runtimes.start(found, 256, ())
    assert started.command[0] == found.ready.launch.command[0].replace("{layout}", "0")
    assert started.environment


PEER = """
import os, sys
folder, count = os.environ["IOGAUGE_PEER_TURNS"], int(sys.argv[1])
begin, done = open(f"{folder}/begin", "rb", 0), open(f"{folder}/done", "wb", 0)
left = 0
for number in range(count):
    if not left:
        done.write(b"1")
        left = begin.read(1)[0]
    left -= 1
    if number == int(sys.argv[2]):
        sys.exit("it went wrong")
    with open(f"{folder}/measured", "a") as file:
        file.write("x")
    print(10 + number, flush=True)
done.write(b"1")
"""


@pytest.fixture
def in_turns(monkeypatch, tmp_path):
    """Starts a peer of so many measurements, of which one goes wrong; and tells how many it has
    made.
    """
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from peers import turns

    staged = SimpleNamespace(folder=tmp_path, file=tmp_path / "work")
    monkeypatch.setattr(turns.works, "stage", lambda work: nullcontext(staged))
    measured = tmp_path / "measured"

    def start(count: int, wrong: int = -1):
        command = [sys.executable, "-c", PEER, str(count), str(wrong)]
        peer = turns.InTurns(
            "peer",
            SimpleNamespace(cold=False),
            count,
            lambda staged: (command, {}),
            lambda staged, said: tuple(map(float, said.split())),
        )
        return peer, lambda: len(measured.read_text()) if measured.exists() else 0

    return start


def test_a_peer_measures_when_it_is_its_turn(in_turns):
    peer, measured = in_turns(5)
    with peer:
        assert measured() == 0
        peer.take(2)
        assert (measured(), peer.taken) == (2, 2)
        peer.take(1)
        assert (measured(), peer.taken) == (3, 3)
        assert peer.scores() == (10, 11, 12, 13, 14)


def test_a_peer_that_goes_wrong_is_told_with_what_it_says(in_turns):
    peer, measured = in_turns(5, wrong=1)
    with peer, pytest.raises(UserError, match="(?s)peer: status 1:.*it went wrong"):
        peer.take(2)
    assert measured() == 1


def test_a_peer_whose_turns_are_over_ends(in_turns):
    peer, _ = in_turns(5)
    with peer:
        peer.take(1)
    assert peer._process.returncode == -9


@pytest.fixture
def go_work(monkeypatch, tmp_path):
    """Makes the work of a strategy of the Go runner; a test without Go is skipped."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from peers import runtimes, works

    try:
        runtimes.find("go")
    except UserError as error:
        pytest.skip(str(error))
    return lambda strategy, **more: works.make(strategy, 4096, tmp_path, **more)


def test_files_of_a_turn_are_removed_after_its_second_half(go_work):
    work = go_work("go/file-write", operation="write", parameters={"block": 4096})
    from peers import gobench

    def left() -> list[int]:
        return [each.stat().st_size for each in sorted(peer._staged.folder.rglob("*.written"))]

    with gobench.in_turns(work, count=4, operations=3) as peer:
        assert left() == []
        for _ in range(2):
            peer.take(1)
            assert left() == [4096] * 3
            peer.take(1)
            assert left() == []
        assert len(peer.scores()) == 4


def test_what_a_count_begins_with_is_carried_out_and_not_timed(go_work):
    work = go_work("go/file-read", parameters={"block": 4096})
    from peers import gobench

    def read(peer) -> int:
        return int(Path(f"/proc/{peer._process.pid}/io").read_text(encoding="utf-8").split()[1])

    found = {}
    for prelude in (0, 2000):
        with gobench.in_turns(work, count=5, operations=2, prelude=prelude) as peer:
            before = read(peer)
            peer.take(4)
            times = (read(peer) - before) // 4096
            assert 4 * (prelude + 2) <= times < 4 * (prelude + 2) + 100
            found[prelude] = min(peer.scores())
    assert found[2000] < 50 * found[0], "a thousand times as much, if it were timed"


def test_each_effect_is_a_section_that_the_help_tells():
    command = [sys.executable, BENCHMARKS / "causes.py", "--help"]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for file in (BENCHMARKS / "effects").glob("*.py"):
        shows = "def show(" in file.read_text()
        assert (f"\n{file.stem.replace('_', '-')}: " in told) == shows, file


@pytest.mark.skipif(shutil.which("strace") is None, reason="no strace")
def test_work_is_opened_once_per_process(go_work, tmp_path):
    work = go_work("go/file-read", parameters={"block": 4096})
    from peers import gobench

    log = tmp_path / "strace"
    under = ("strace", "-f", "-qq", "-e", "trace=openat", "-o", str(log))
    found = gobench.run(work, count=3, benchtime="2x", under=under)
    assert len(found.ns_per_op) == 3
    assert log.read_text().count("/work.json") == 1
