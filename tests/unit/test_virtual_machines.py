"""How a virtual machine is asked for its threads: by one that takes its time, which a script plays."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from iogauge.host import stacks
from iogauge.host.stacks import VirtualMachines

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")

# It handles a signal when a file says so: then it listens where a file asks for that, and prints
# its threads otherwise, as the real one does.
_MACHINE = """
import os, signal, socket, sys, time
signals = []
signal.signal(signal.SIGQUIT, lambda *_: signals.append(1))
asks, listens = (f"/tmp/.{each}_pid{os.getpid()}" for each in ("attach", "java"))
print("ready", flush=True)
while not os.path.exists(sys.argv[1]): time.sleep(0.01)
if not os.path.exists(asks):
    print("threads", len(signals), flush=True); sys.exit()
with socket.socket(socket.AF_UNIX) as server:
    server.bind(listens); server.listen()
    print("listens", len(signals), flush=True)
    end, _ = server.accept()
    while not end.recv(64).endswith(b"\\0\\0\\0\\0"): pass
    end.sendall(b'0\\n"main" #1\\n   java.lang.Thread.State: RUNNABLE\\n\\tat Main.go(Main.java:3)\\n')
    end.close()
os.unlink(listens)
"""


@pytest.fixture
def machine(tmp_path):
    """The process, and the file that lets it handle the signal."""
    goes_on = tmp_path / "goes-on"
    with subprocess.Popen(
        [sys.executable, "-c", _MACHINE, goes_on], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout and process.stdout.readline() == "ready\n"
        try:
            yield process, goes_on
        finally:
            process.kill()
            for name in ("attach", "java"):
                Path(f"/tmp/.{name}_pid{process.pid}").unlink(missing_ok=True)


def asks(process) -> Path:
    return Path(f"/tmp/.attach_pid{process.pid}")


def test_a_machine_that_answers_late_prints_nothing_and_is_asked_once(machine):
    process, goes_on = machine
    before = os.listdir("/proc/self/fd")
    with VirtualMachines() as machines:
        for _ in range(3):
            assert machines.look(process.pid) == ([], 0.0, 0.0, True)
        assert asks(process).exists()
        goes_on.touch()
        assert process.stdout.readline() == "listens 1\n"
        found = machines.look(process.pid)
    assert [each.line for each in found.stacks[0]] == [3] and not found.is_asked
    assert not asks(process).exists()
    assert os.listdir("/proc/self/fd") == before


def test_at_the_end_it_has_some_time_to_answer(machine):
    process, goes_on = machine
    with VirtualMachines() as machines:
        machines.look(process.pid)
        later = subprocess.Popen(["sh", "-c", f"sleep 0.2; touch {goes_on}"])
    later.wait()
    assert process.stdout.readline() == "listens 1\n"
    assert not asks(process).exists()


def test_without_an_answer_the_end_comes_all_the_same(machine, monkeypatch):
    monkeypatch.setattr(stacks, "_ATTACHES", 0.1)
    process, goes_on = machine
    with VirtualMachines() as machines:
        machines.look(process.pid)
    goes_on.touch()
    assert process.stdout.readline() == "listens 1\n"


def test_the_file_goes_with_the_process(machine):
    process, _ = machine
    with VirtualMachines() as machines:
        machines.look(process.pid)
        process.kill()
        process.wait()
    assert not asks(process).exists()


def test_who_is_asked_by_somebody_else_is_left_alone(machine):
    process, goes_on = machine
    asks(process).touch()
    with VirtualMachines() as machines:
        assert machines.look(process.pid) == ([], 0.0, 0.0, False)
    assert asks(process).exists()
    goes_on.touch()
    assert process.stdout.readline() == "listens 0\n"


def test_who_would_end_by_the_signal_is_left_alone():
    with subprocess.Popen(["sleep", "60"]) as process, VirtualMachines() as machines:
        time.sleep(0.05)
        assert not machines.look(process.pid).is_asked and process.poll() is None
        process.kill()
