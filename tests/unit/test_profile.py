"""What the time of a run went into."""

import pytest

from iogauge import outputs
from iogauge.analysis import profile
from iogauge.outputs.document import Document
from iogauge.runfile import reading
from tests.reports import on_console
from tests.fake_study import group, steady


@pytest.fixture
def done(measured_once):
    return measured_once(group(steady(10, 11, 12)))


def test_all_of_the_time_is_told(done):
    found = profile.of_run(done.run)
    parts = dict(found.parts)
    assert sum(parts.values()) == pytest.approx(found.seconds, rel=0.02)
    assert list(parts.values()) == sorted(parts.values(), reverse=True)
    assert {"starting", "counted", "untimed", "around", "caching"} <= set(parts)
    counted = sum(sum(each.ns) for each in done.run.samples) / 1e9
    assert parts["counted"] == pytest.approx(counted, rel=1e-3)
    assert found.repeats == (len(done.run.replicates),) * 2
    assert found.rounds[1] == max(max(each.rounds.values()) for each in done.run.replicates)
    assert not found.broken_off


def test_a_repeat_that_was_broken_off_is_told_apart(done, tmp_path):
    """What it measured counts for nothing, so it is no part of the samples."""
    lines = done.path.read_text().splitlines(keepends=True)
    last = max(at for at, line in enumerate(lines) if '"type":"replicate"' in line)
    cut = tmp_path / "cut.jsonl"
    cut.write_text("".join(lines[:last]))
    run = reading.read(cut)
    whole, found = profile.of_run(done.run), profile.of_run(run)
    assert found.broken_off and found.forks == whole.forks - 4
    assert dict(found.parts)["counted"] < dict(whole.parts)["counted"]
    text = on_console(outputs.renderer("profile")(Document(run)))
    assert f"starting and warming up {found.forks} forks" in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_an_older_run_tells_what_it_holds(done):
    run = reading.read(done.path)
    for each in run.replicates:
        each.phases.clear()
    parts = dict(profile.of_run(run).parts)
    assert set(parts) == {"counted", "untimed", "other"}
