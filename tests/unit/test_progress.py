"""How a run goes, as a person sees it: on a terminal and line by line."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console
from rich.live import Live

from iogauge.outputs.progress import Display
from tests.fake_study import Measured, group, measure, steady


@pytest.fixture(scope="module")
def done(fake, tmp_path_factory) -> Measured:
    return measure(group(steady(20, 21, 100)), fake, tmp_path_factory.mktemp("progress"), seed=1)


def view(done: Measured, progress) -> str:
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(Display(done.run.plan)._view(progress))
    return console.export_text()


def test_first_levels_come_before_standings_and_standings_before_the_end(done):
    texts = [view(done, each) for each in done.progress]
    first = next(number for number, text in enumerate(texts) if "fakes: fake/steady" in text)
    standing = next(number for number, text in enumerate(texts) if "cases still measured" in text)
    assert first < standing and "next ×" in texts[standing]
    assert "decided" in texts[-1]
    assert max(len(line) for text in texts for line in text.splitlines()) <= 80


def test_what_was_settled_is_named(done):
    texts = [view(done, each) for each in done.progress if each.replicates >= 4]
    settled = [
        text for text in texts if "far behind, settled: fake/steady 5/100" in " ".join(text.split())
    ]
    assert settled and all("2 of" in text or "3 of" in text for text in settled), settled[:1]


def test_the_twin_is_no_double(done):
    texts = [view(done, each) for each in done.progress]
    assert any("all 3 cases still measured" in text for text in texts), "the twin is none of them"
    first = [
        line for text in texts for line in text.splitlines() if line.startswith("fakes: fake/")
    ]
    assert any("fake/steady 5/20 (A/A twin) " in line for line in first), first
    assert not any(
        line.count("fake/steady 5/20") > line.count("(A/A twin)") + 1 for line in first
    ), first


def test_without_a_terminal_standings_are_told_once(done, capsys):
    display = Display(done.run.plan)
    last = done.progress[-1]
    for seconds in (1, 2):
        display(replace(last, replicates=last.replicates + seconds))
    lines = capsys.readouterr().err.splitlines()
    assert [line.startswith("on-the-fake: ") for line in lines] == [True, False, True], lines
    assert lines[1].startswith("  fakes: fake/steady")


def test_what_is_left_is_told_at_once_and_ends_at_nothing(done):
    assert "about" in view(done, done.progress[0]).splitlines()[0]
    assert done.progress[0].remaining > 0 and done.progress[-1].remaining == 0


def test_nothing_stays_on_a_screen_that_is_too_low(done):
    """What does not fit is cropped while it goes on, and was drawn whole at the end."""
    written = io.StringIO()
    with Display(done.run.plan) as display:
        display._live = Live(
            console=Console(file=written, force_terminal=True, width=80, height=3),
            auto_refresh=False,
            transient=True,
        )
        display._live.start()
        display(done.progress[-1])
        before = written.tell()
    written.seek(before)
    assert "fake/steady" not in written.read()
