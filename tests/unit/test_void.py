"""Which samples are void."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from iogauge.host.pagecache import Residency
from iogauge.measuring.observed import Observed
from iogauge.measuring.sampling import why_void
from iogauge.model.plan import Group


def why(cached: Residency | None, read_bytes: int | None, *, reads_file: bool = True) -> str | None:
    """Of a warm sample with one operation on a file of a page."""
    group = SimpleNamespace(
        conditions=SimpleNamespace(cache="warm", durable=False),
        workload=SimpleNamespace(size=4096, reads_file=reads_file),
    )
    seen: Any = SimpleNamespace(
        evidence={"read_bytes": read_bytes}, device=None, stood_still=None
    )
    return why_void(cast(Group, group), cached, None, 1, 4096, cast(Observed, seen))


@pytest.mark.parametrize("cached", [Residency(1, 1, 0), None])
def test_a_warm_sample_that_read_from_the_device_is_void(cached):
    """Also where nobody can tell what was in the cache before."""
    assert why(cached, 4096) == "a warm sample read 4096 bytes from the device"
    assert why(cached, 0) is None and why(cached, None) is None


def test_what_reads_no_file_is_neither_warm_nor_cold():
    assert why(None, 4096, reads_file=False) is None
