"""What the time of a run went into."""

import msgspec
import pytest

from iogauge import outputs
from iogauge.analysis import profile
from iogauge.outputs.document import Document
from iogauge.runfile import reading
from tests.fake_study import group, steady
from tests.reports import on_console

EACH, BETWEEN = 10.0, 0.5  # seconds: of a replicate, and after it
PHASES = {"starting": 4.0, "sampling": 5.0, "caching": 0.75}


@pytest.fixture
def done(measured_once):
    return measured_once(group(steady(10, 11, 12)))


def timed(run, phases=PHASES):
    """The fake runner takes no time: each replicate as if it had taken so long."""
    run.replicates[:] = [
        msgspec.structs.replace(
            each, seconds=EACH, elapsed=(EACH + BETWEEN) * (at + 1), phases=dict(phases)
        )
        for at, each in enumerate(run.replicates)
    ]
    run.ends.clear()
    return run


def test_all_of_the_time_is_told(done):
    run, many = timed(done.run), len(done.run.replicates)
    found = profile.of_run(run)
    parts = dict(found.parts)
    assert found.seconds == many * (EACH + BETWEEN) == pytest.approx(sum(parts.values()))
    assert list(parts.values()) == sorted(parts.values(), reverse=True)
    counted = sum(sum(each.ns) for each in run.samples) / 1e9
    untimed = sum(sum(each.prelude_ns) for each in run.samples) / 1e9
    assert parts == pytest.approx(
        {
            "starting": 4 * many,
            "counted": counted,
            "untimed": untimed,
            "around": 5 * many - counted - untimed,
            "caching": 0.75 * many,
            "ending": 0.25 * many,
            "between": BETWEEN * many,
        }
    )
    assert found.forks == 4 * many and found.repeats == (many, many) and not found.broken_off
    assert found.rounds[1] == max(max(each.rounds.values()) for each in run.replicates)


def test_a_repeat_that_was_broken_off_is_told_apart(done, tmp_path):
    """What it measured counts for nothing, so it is no part of the samples."""
    lines = done.path.read_text().splitlines(keepends=True)
    last = max(at for at, line in enumerate(lines) if '"phases"' in line)
    cut = tmp_path / "cut.jsonl"
    cut.write_text("".join(lines[:last]))
    run = timed(reading.read(cut))
    whole, found = profile.of_run(timed(done.run)), profile.of_run(run)
    assert found.broken_off and found.forks == whole.forks - 4
    assert dict(found.parts)["counted"] < dict(whole.parts)["counted"]
    text = on_console(outputs.renderer("profile")(Document(run)))
    assert f"starting and warming up {found.forks} forks" in text
    assert "preparing files, deciding, drawing; a broken-off repeat " in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_an_older_run_tells_what_it_holds(done):
    found = profile.of_run(timed(done.run, {}))
    assert {part for part, _ in found.parts} == {"counted", "untimed", "other"}
    assert sum(seconds for _, seconds in found.parts) == pytest.approx(found.seconds)
