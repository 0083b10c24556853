"""What the machine does around a sample."""

from __future__ import annotations

import os

import pytest

from iogauge import surroundings
from iogauge.surroundings import Look, Surroundings


@pytest.fixture
def machine():
    found = Surroundings()
    yield found
    found.close()


def test_what_happened_between_two_looks():
    before = Look(busy_ns=50, steal_ns=10, running=3)
    assert Look(busy_ns=70, steal_ns=10, running=1).since(before) == {"busy_ns": 20, "steal_ns": 0, "others_running": 2}
    assert Look(50, 10, 1).since(Look(50, 10, 0))["others_running"] == 0


def test_looks_only_grow(machine):
    first = machine.look()
    sum(range(3_000_000))
    second = machine.look()
    assert second.busy_ns >= first.busy_ns > 0 and second.steal_ns >= first.steal_ns >= 0 and second.running >= 1


@pytest.mark.parametrize("text", [b"", b"cpu  1 2 3\n", b"cpu  1 2 3 4 5 6 7 8 9 10\nintr 5\n"])
def test_what_the_kernel_does_not_tell_is_not_known(machine, monkeypatch, text):
    monkeypatch.setattr(os, "pread", lambda *arguments: text)
    assert machine.look() is None


def test_the_columns_of_the_kernel(machine, monkeypatch):
    text = b"cpu  1 2 3 400 500 6 7 8 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\nprocs_running 4\nprocs_blocked 0\n"
    monkeypatch.setattr(os, "pread", lambda *arguments: text)
    tick = surroundings._TICK_NS
    assert machine.look() == Look(busy_ns=(1 + 2 + 3 + 6 + 7) * tick, steal_ns=8 * tick, running=4)


def test_without_the_file_nothing_is_known(monkeypatch):
    def refuse(*arguments):
        raise FileNotFoundError

    monkeypatch.setattr(surroundings.os, "open", refuse)
    blind = Surroundings()
    assert blind.look() is None
    blind.close()


def test_the_canary_does_work_that_takes_time(machine):
    assert all(ns > 1000 for ns in machine.canary().values())
