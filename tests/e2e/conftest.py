"""What all whole runs of one process have in common."""

from functools import cache

import pytest

from iogauge.host import memory

_once = cache(memory.first_touch)


@pytest.fixture(autouse=True)
def machine_measured_once(monkeypatch):
    """How fast fresh memory is here is a fact of each run, which takes some tenths of a second to
    find out: the first run of this process finds it out for all.
    """
    monkeypatch.setattr(memory, "first_touch", _once)
