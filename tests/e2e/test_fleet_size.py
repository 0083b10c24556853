"""Many simulated hosts, some of which fail: the truth is found, and the client stays small."""

from __future__ import annotations

from pathlib import Path

import pytest

from iogauge.fleet import record
from tests import simulated_hosts
from tests.simulated_hosts import Lab

MEMORY, PAGE = 500_000_000, 3 << 20


@pytest.mark.parametrize(
    ("count", "failing", "seconds", "ways"),
    [(12, 1, 2.0, 3), (200, 4, 8.0, 12)],
)
@pytest.mark.long
def test_a_plan_on_many_hosts(count, failing, seconds, ways, folder):
    with Lab(folder, count, failing, seconds=seconds, ways=ways) as lab:
        run = lab.measure()
        where = Path(run.out.rpartition("fleet run: ")[2].splitlines()[0])
        show = lab.run("show", str(where))
        report = lab.run("report", str(where), "-o", "page.html")
    assert not [*simulated_hosts.problems(lab.hosts, run, show)], run.err + show.out
    assert report.status == 0, report.err
    assert max(each.memory for each in (run, show, report)) < MEMORY
    page = (folder / "page.html").read_text("utf-8")
    assert len(page) < PAGE
    assert page.index('<table class="heat') < page.index('<h2 id="h-facts">')
    found = record.read(where)
    assert sum(not each.whole for each in found.hosts.values()) == failing
    assert len(found.hosts) == count
    assert len(show.out.splitlines()) < 60
    assert max(map(len, show.out.splitlines())) <= 80
