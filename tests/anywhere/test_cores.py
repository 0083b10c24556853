"""CPU and memory that are not the whole machine's."""

from __future__ import annotations

from tests.anywhere import conditions


def test_without_cachestat(told):
    with conditions.without_call(451) as iogauge:
        done = iogauge("doctor", "--json", seconds=300)
    assert done.returncode == 0, done.stderr
    assert '"observer": "mincore (no cachestat: Function not implemented)"' in done.stdout
    told("a kernel without cachestat", "observes the page cache by mincore, and says so")
