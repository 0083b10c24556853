"""How a run goes, as a person sees it: one line on a terminal, a line per question elsewhere."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console
from rich.live import Live

from iogauge.model.plan import Span
from iogauge.outputs.progress import Display
from tests.fake_study import Measured, group, measure, steady


@pytest.fixture(scope="module")
def done(fake, tmp_path_factory) -> Measured:
    text = group(steady(20, 21, 100), cache='["warm", "cold"]')
    return measure(text, fake, tmp_path_factory.mktemp("progress"), seed=1)


def display(done: Measured) -> Display:
    return Display(done.run.plan, done.run.header.runtimes)


def lines(done: Measured, width: int = 80) -> list[str]:
    shown, told = display(done), []
    shown._console = Console(width=width, file=io.StringIO(), force_terminal=True)
    shown._live = None
    for each in done.progress:
        shown._question = shown._asked(each)
        told.append(shown._line(each).plain)
    return told


def test_a_leader_is_named_as_soon_as_anything_was_measured(done):
    told = lines(done)
    assert "ahead" not in told[0]
    first = next(line for line in told if "ahead" in line)
    assert "| 0 repeats | Read 64 KiB, " in first, "in the first repeat already"
    assert any(line.endswith("| Read 64 KiB, cached: ahead steady, speed 20") for line in told)
    assert any(line.endswith("| Read 64 KiB, from disk: ahead steady, speed 20") for line in told)


def test_it_is_one_line_that_fits(done):
    for width in (80, 50):
        told = lines(done, width)
        assert all("\n" not in line and len(line) < width for line in told)
    assert all(" left | " in line for line in lines(done, 50)), "what is cut off is the end"
    assert done.progress[0].remaining > 0 and done.progress[-1].remaining == 0
    assert lines(done)[-1].startswith("0 s left | 3 repeats")


def test_without_a_terminal_each_question_is_told_once(done, capsys):
    shown = display(done)
    for each in done.progress:
        shown(each)
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2 and all(line.startswith("on-the-fake: question ") for line in said), said
    assert {line.partition(" (")[0][-6:] for line in said} == {"cached", "m disk"}


def test_a_group_that_is_measured_for_a_comparison_across_groups_says_so(done, capsys):
    plan = done.run.plan
    across = plan.model_copy(update={"spans": (Span(along="cache", groups=(0, 1)),)})
    shown = Display(across, done.run.header.runtimes)
    open_ = next(each for each in done.progress if each.group == 1 and not each.decisions)
    decided = replace(done.progress[-1], group=1)
    assert all(each.done for each in decided.decisions.values())
    shown._question = 1
    assert "ahead" not in shown._line(decided).plain
    for each in (open_, decided, decided):
        shown(each)
    first, second = capsys.readouterr().err.splitlines()
    names = [plan.groups[each].conditions.cache for each in (0, 1)]
    assert f": decided; open is {names[1]} against {names[0]} (" in second and "open" not in first


def test_nothing_stays_on_the_screen(done):
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=80, height=3)
    with display(done) as shown:
        shown._live = Live(console=console, auto_refresh=False, transient=True)
        shown._live.start()
        shown(replace(done.progress[-1], group=0))
        before = written.tell()
        assert "3 repeats" in written.getvalue()
    written.seek(before)
    assert "repeats" not in written.read()
