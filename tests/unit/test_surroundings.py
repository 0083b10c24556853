"""What the machine does around a sample."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from iogauge.host import machine as machine_module
from iogauge.host.evidence import TICK_NS
from iogauge.host.machine import MachineActivity, MachineCounters, since


@pytest.fixture
def machine():
    found = MachineCounters()
    yield found
    found.close()


def test_what_happened_between_two_looks():
    before = MachineActivity({"busy_ns": 50, "steal_ns": 10}, own_ns=5, running=3)
    after = MachineActivity({"busy_ns": 70, "steal_ns": 10}, own_ns=9, running=1)
    assert since(before, after) == {"busy_ns": 16, "steal_ns": 0, "running": 2}
    assert since(replace(before, running=0), after)["running"] == 0
    assert since(None, after) is None and since(before, None) is None


def test_looks_only_grow(machine):
    first = machine.read()
    sum(range(3_000_000))
    second = machine.read()
    assert (
        second.counts["busy_ns"] >= first.counts["busy_ns"] > 0
        and second.counts["steal_ns"] >= first.counts["steal_ns"] >= 0
        and second.running >= 1
    )


@pytest.mark.parametrize("text", [b"", b"cpu  1 2 3\n", b"cpu  1 2 3 4 5 6 7 8 9 10\nintr 5\n"])
def test_what_the_kernel_does_not_tell_is_not_known(machine, monkeypatch, text):
    monkeypatch.setattr(os, "pread", lambda *arguments: text)
    assert machine.read() is None


def test_the_columns_of_the_kernel(machine, monkeypatch):
    text = b"cpu  1 2 3 400 500 6 7 8 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\nprocs_running 4\nprocs_blocked 0\n"
    monkeypatch.setattr(os, "pread", lambda *arguments: text)
    found = machine.read()
    assert found.counts == {"busy_ns": (1 + 2 + 3 + 6 + 7) * TICK_NS, "steal_ns": 8 * TICK_NS}
    assert found.running == 4


def test_without_the_file_nothing_is_known(monkeypatch):
    def refuse(*arguments):
        raise FileNotFoundError

    monkeypatch.setattr(machine_module.os, "open", refuse)
    blind = MachineCounters()
    assert blind.read() is None
    blind.close()


def test_the_canary_does_work_that_takes_time(machine):
    assert all(ns > 1000 for ns in machine.canary().values())
