"""What this machine is found to be."""

from __future__ import annotations

import ctypes
import os
import time
from pathlib import Path

import pytest

from iogauge.commands import machine
from iogauge.commands.statuses import JUDGE
from iogauge.host import description, memory, provable
from iogauge.measuring import session
from iogauge.planning import plan
from iogauge.runners import manifest
from iogauge.runners.here import Here
from iogauge.study.loading import load

FAKE = Path(__file__).parents[1] / "runners" / "fake"


def test_a_place_in_a_page_that_is_slow_is_found(monkeypatch):
    """Of each place the fastest counts, but not the first ones, which touch the memory."""
    now, calls = 0, []

    def read(file, targets, offset):
        nonlocal now
        place = ctypes.addressof(ctypes.c_char.from_buffer(targets[0])) % 4096
        again = calls.count(place)
        calls.append(place)
        now += 1 if again == 0 else (650 if place else 100) + 1000 * (again % 3 == 1)
        return len(targets[0])

    monkeypatch.setattr(os, "preadv", read)
    monkeypatch.setattr(time, "perf_counter_ns", lambda: now)
    assert memory.misplaced_read() == 6.5
    assert set(calls) == {0, 16}


def test_the_place_in_a_page_as_it_is_here():
    found = memory.misplaced_read()
    assert found is None or 0.2 < found < 100


def test_where_it_cannot_be_measured_it_is_not_known(monkeypatch):
    def refuse(*arguments):
        raise OSError("not here")

    monkeypatch.setattr(os, "preadv", refuse)
    assert memory.misplaced_read() is None
    monkeypatch.delattr(os, "memfd_create")
    assert memory.misplaced_read() is None


@pytest.mark.parametrize(("ratio", "told"), [(6.5, True), (1.1, False), (None, False)])
def test_it_is_told_where_it_matters(monkeypatch, tmp_path, ratio, told):
    monkeypatch.setattr(memory, "misplaced_read", lambda: ratio)
    assert (
        any(
            "6.5 times as long to read into memory" in text
            for text in description.disturbances(description.facts(tmp_path))
        )
        == told
    )


@pytest.mark.parametrize(
    ("strategy", "more", "told"),
    [
        ("steady", 'cache = "warm"', True),
        ("memory", 'medium = "memory"', False),
        ("writing", 'operation = "write"', False),
    ],
)
def test_a_run_that_reads_files_says_it(monkeypatch, fake, tmp_path, strategy, more, told):
    monkeypatch.setattr(memory, "misplaced_read", lambda: 6.5)
    study = tmp_path / "study.toml"
    study.write_text(
        f'id = "placed"\ntitle = "Placed"\nrounds = {{ warm = 2, write = 2, memory = 2 }}\n[[group]]\nid = "g"\nquestion = "?"\nsize = "64K"\n{more}\n[[group.case]]\nstrategy = "fake/{strategy}"\n'
    )
    here = Here({}, print, [manifest.load(FAKE)])
    prepared = session.planned(
        lambda: load(str(study)), str(study), here, plan.Options(seed=1, budget=0.1)
    )
    run, _, _ = session.measure(
        prepared, tmp_path, tmp_path / "run.jsonl", {}, lambda progress: None, JUDGE
    )
    assert run.samples and run.header.host["misplaced_read"] == 6.5
    assert any(each.kind == "slow-alignment" and each.about == "run" for each in run.caveats) == told


def test_little_memory_is_not_used_up_to_measure_its_first_touch(monkeypatch):
    asked = []

    def run(command, **options):
        asked.append(int(command[-1]))
        raise OSError

    monkeypatch.setattr(memory.subprocess, "run", run)
    monkeypatch.setattr(memory.capacity, "available_memory", lambda: (33 << 20) + 5)
    assert memory.first_touch() is None
    monkeypatch.setattr(memory.capacity, "available_memory", lambda: 4 << 30)
    assert memory.first_touch() is None
    assert asked == [16 << 20, 128 << 20]


def test_doctor_says_that_a_read_came_from_the_device_only_where_that_was_seen(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(provable, "why_not_cold_in", lambda folder: None)
    for counted, seen in ((4096, True), (None, False)):
        monkeypatch.setattr(provable, "_read_bytes", lambda counted=counted: counted)
        says = dict(machine._page_cache(tmp_path))["cold"]
        assert ("read from the device, just now" in says) == seen, says
