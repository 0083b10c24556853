"""What a terminal shows of a run at a glance."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from rich.console import Console

from iogauge.analysis.groupreport import GroupReport
from iogauge.decision.verdict import CaseVerdict, SetAnswer
from iogauge.model.workload import Conditions, Workload
from iogauge.outputs import bars, explanation, html, phrases, terminal
from iogauge.outputs.bars import Layout, Row
from iogauge.outputs.document import Document, Page, Source
from iogauge.outputs.next_steps import Step
from iogauge.runfile.records import End
from tests import answers
from tests.answers import answer, case, compared, maybe, slower, sure, unchecked
from tests.fake_study import faulty, group, steady

TWO = group(steady(20, 21, 32), cache='["warm", "cold"]')


def shown(done, *, blocks: bool = True) -> str:
    lines = terminal.render(Document(done.run)).lines(blocks=blocks)
    return "".join(f"{line.plain}\n" for line in lines)


def test_the_whole(measured_once, snapshot):
    done = measured_once(TWO)
    done.run.columns.folio_bytes[:] = 4096  # which file systems differ in
    assert shown(done) == snapshot


def test_a_language_is_called_what_its_runner_says(measured_once):
    run = measured_once(TWO).run
    [fake] = run.header.runtimes
    named = fake.model_copy(update={"language_names": {"fake": "F++"}})
    run = replace(run, header=run.header.model_copy(update={"runtimes": (named,)}))
    document = Document(run)
    text = "".join(each.plain for each in terminal.render(document).lines(blocks=True))
    console = Console(file=io.StringIO(), width=80)
    console.print(explanation.render(document))
    page = html.render(Page((Source(document.export, run),)))
    for shown in (text, console.file.getvalue(), page):
        assert "F++" in shown and not re.search(r"\bFake(:|  | 1\.0)", shown)
    assert html.render(Page((Source(Document(measured_once(TWO).run).export),))).count("Fake:")


def test_bars_are_signs_of_ascii_where_a_terminal_has_no_others(measured_once):
    able, poor = (shown(measured_once(TWO), blocks=each) for each in (True, False))
    assert poor.isascii() and poor.count("##########") == 4
    assert poor.replace("#", "").split() == re.sub("[█▋▎]", "", able).split()


@pytest.mark.parametrize(
    ("settings", "variables", "encoding", "blocks"),
    [
        ({"force_terminal": True}, {}, "utf-8", True),
        ({"force_terminal": True}, {"NO_COLOR": "1"}, "utf-8", True),
        ({"force_terminal": True}, {"TERM": "dumb"}, "utf-8", False),
        ({"force_terminal": True}, {}, "latin-1", False),
        ({}, {}, "utf-8", False),
    ],
)
def test_the_console_decides_what_is_drawn(measured_once, settings, variables, encoding, blocks):
    written = io.TextIOWrapper(io.BytesIO(), encoding)
    environment = {"TERM": "xterm", **variables}
    console = Console(file=written, width=80, _environ=environment, highlight=False, **settings)
    console.print(terminal.render(Document(measured_once(TWO).run)))
    written.seek(0)
    text = written.read()
    assert ("█" in text) is blocks and ("####" in text) is not blocks
    assert ("\x1b[1;32m" in text) is bool(settings and not variables)


def test_the_shape_of_quick_fits_a_screen(measured_once):
    """Eight cases warm and cold, and two small questions."""
    text = group(steady(*range(20, 100, 10)), cache='["warm", "cold"]')
    text += group(steady(20, 21, 60, 61), size="4K", identifier="lines")
    text += group(steady(20, 60), size="8K", identifier="records")
    lines = shown(measured_once(text)).splitlines()
    assert len(lines) + 6 <= 60 and max(map(len, lines)) <= 80
    assert sum(line.startswith(("1 ", "2 ", "3 ", "4 ")) for line in lines) == 8


def test_without_room_the_simplest_has_a_row_and_a_long_path_is_counted(measured_once):
    """Six questions: fewer rows, shorter titles; with a path that folds each command, no blanks."""
    text = "".join(
        group(steady(*range(20, 80, 10)), size=f"{each}K", identifier=f"g{each}")
        for each in range(1, 7)
    )
    document = Document(measured_once(text).run)
    for path, follow in (("", 6), ("/long" * 20, 12)):
        glance = terminal.render(replace(document, go_on=f"iogauge run --resume {path}"))
        text = "\n".join(line.plain for line in glance.lines(blocks=True))
        assert len(text.splitlines()) + follow <= 60
        assert all(f"\n{each} " in text for each in range(1, 7))
        assert text.count("use this") > 6, "each table has the one to use"


def test_nothing_is_compared_after_one_repeat(measured_once, fake):
    done = measured_once(TWO)
    first = [each for each in done.run.replicates if each.replicate == 0]
    done.run.replicates[:] = first
    text = shown(done)
    assert "No answers yet: each question takes 3 repeats." in text and "IN SHORT" not in text
    assert "1 repeat in fresh processes" in text
    rows = [row for each in Document(done.run).report.groups for row in rows_of(each, told=False)]
    assert rows and not [row for row in rows if row.note or row.verdict or row.style]


def test_a_question_that_has_its_repeats_is_no_open_one(measured_once):
    """Of two, the first has its repeats, and the other has one."""
    done = measured_once(TWO)
    groups = Document(done.run).report.groups
    few = [replace(groups[0], replicates=3), *(replace(each, replicates=1) for each in groups[1:])]
    assert terminal._why_untold(few).startswith("No answer to question 2 yet: that takes 3 repeat")


def test_after_an_interruption_nobody_is_told_to_give_more_time(measured_once):
    done = measured_once(TWO)
    done.run.replicates.clear()
    done.run.ends[-1] = End(reason="interrupted", seconds=1.0)
    text = shown(done)
    assert "Interrupted before there was an answer." in text
    assert "--budget" not in text and "repeats in fresh" not in text and "No answers" not in text


def test_what_failed_is_said_and_has_no_bar_among_the_twelve_rows_at_most(measured_once):
    text = shown(measured_once(group(steady(*range(20, 34)) + faulty("wrong-sum"))))
    assert re.search(r"^! .*wrong-sum.* failed: wrong sum", text, re.MULTILINE)
    rows = [line for line in text.splitlines() if "GB/s" in line or line.endswith("failed")]
    assert len(rows) == 12 and "use this" in rows[0] and rows[-1].endswith("failed")


# rows


def rows_of(of: GroupReport | SetAnswer, most: int = 12, *, told: bool = True, **more) -> list[Row]:
    made = answers.group(of) if isinstance(of, SetAnswer) else of
    return bars.rows(made, made.verdicts, most, told=told, **more)


def names(rows: list[Row]) -> list[tuple[str, str, str]]:
    return [(row.set, row.name, row.note) for row in rows]


BEST, SLOW = case("best"), case("slow", (5, 2.3, 20))


@pytest.mark.parametrize(
    ("member", "more", "in_time"),
    [
        (BEST, {}, False),
        (BEST, {"conditions": Conditions(cache="warm", durability="fsync")}, True),
        (BEST, {"workload": Workload(size=0)}, True),
        (unchecked(BEST), {}, True),
        (case("own-f"), {}, True),
    ],
)
def test_bars_are_times_of_what_waits_or_moves_nothing_that_is_known(member, more, in_time):
    of = answers.group(answer(member), **more)
    assert bars.in_time(of) is in_time
    says = "time  longer is slower" if in_time else "speed  longer is faster"
    assert Layout(6, 10, 4, blocks=False).header(of).plain.endswith(says)
    (row,) = rows_of(of)
    assert (row.figure, row.length) == ("1.00 ms" if in_time else "16.8 GB/s", 1)


@pytest.mark.parametrize("quick_may_be_best", [True, False])
def test_what_to_use_comes_first_then_the_others_as_they_are_ranked(quick_may_be_best):
    quick, slow = maybe("quick", 1.4, 1.01, ns=0.98e6), maybe("slow", 1.6, ns=1.2e6)
    can_be_best = (quick, BEST) if quick_may_be_best else (BEST,)
    of = answer(quick, BEST, slow, can_be_best=can_be_best, open=(quick, slow))
    rows = rows_of(replace(answers.group(of), cases=(BEST, quick, slow)))
    expected = [f"best: {phrases.FOR_NOW}", "quick, simplest: as fast?"]
    if quick_may_be_best:
        expected = [f"quick: {phrases.FOR_NOW}, simpler", "best: as fast?"]
    assert [f"{row.name}: {row.note}" for row in rows] == [*expected, "slow: as fast? 1-1.6x"]
    assert [row.set for row in rows] == ["go", "", ""], "the language stands once"
    assert rows[0].style == "bold" and not any(row.verdict.hides for row in rows)


def test_the_notes_are_those_of_the_verdict():
    rows = rows_of(sure(SLOW, BEST))
    assert names(rows) == [("go", "best", "use this"), ("", "slow, simplest", "over 2.3x")]
    assert [row.style for row in rows] == ["bold green", ""]
    assert rows[0].verdict == CaseVerdict("use") and rows[1].length == pytest.approx(1 / 5)
    gone = case("slow", (5, 2.3, 20), eliminated=True)
    assert rows_of(sure(gone, BEST))[1].aside == ", dropped early"
    assert rows_of(sure(slower("odd", 1.1, 1.3, ns=0.95e6), BEST))[1].verdict.hides


def test_what_has_no_time_has_no_bar():
    lost = [case(why, ns_per_op=None, bytes_per_s=None) for why in ("failed", "no data")]
    lost[0] = replace(lost[0], failure="no")
    rows = rows_of(answers.group(sure(BEST), without=(*lost,)))
    assert [(row.figure, row.length) for row in rows[1:]] == [("failed", 0), ("no data", 0)]


def two_sets(*names: str, **more) -> GroupReport:
    of = [answer(case("f", of=each), slower("g", 1.9, 2.1, of=each)) for each in names]
    return answers.group(*of, **more)


def test_versions_of_a_language_stand_below_their_heading():
    rows = rows_of(two_sets("python on python-old", "python on python-new"))
    assert [row.name for row in rows if not row.figure] == ["Python (new)", "Python (old)"]
    assert not rows[0].figure and not rows[3].figure and not any(row.set for row in rows)


def test_where_languages_are_compared_each_has_a_row():
    costs = {"go": None, "java": compared((1.5, 1.4, 1.6))}
    of = two_sets("go", "java", compare="languages", vs_overall=costs)
    assert names(rows_of(of)) == [("Go", "f", "fastest"), ("Java", "f", "1.4-1.6x")]
    assert [row.style for row in rows_of(of)] == ["bold green", ""]
    assert len(rows_of(of, told=False)) == 4, "nothing is compared"
    long = "A language with a long name"
    rows = rows_of(replace(of, language_names={"java": long}))
    assert names(rows)[2:] == [("", long, ""), ("", "f", "1.4-1.6x")], "beside it there is no room"


def test_of_many_cases_those_that_matter_have_a_row():
    """The one to use, the simplest, the nearest that may be the best, and the slowest."""
    simplest, *far = (case(f"c{each}", (each, each, each)) for each in (5, 9, 8, 7, 6, 4, 3))
    near = maybe("near", 1.3)
    of = answer(simplest, *far, near, BEST, can_be_best=(near, BEST), open=(near,))
    by_time = sorted(of.members, key=lambda each: each.ns_per_op.center)
    ranked = replace(answers.group(of), cases=(*by_time,))
    kept = ["near", "c5, simplest", "best", "c9", "c3", "c4", "c6", "c7", "c8"]
    for most in range(2, 10):
        assert {row.name for row in rows_of(ranked, most)} == {*kept[:most]}


# the machine


def ceiling(speed: float, threads: int = 1):
    return SimpleNamespace(bytes_per_s=speed, ns_per_op=1e15 / speed, threads=threads)


@pytest.mark.parametrize(
    ("speed", "length", "reached", "limit"),
    [
        (0.9, 0.9, True, "15.1 GB/s, reached"),
        (1.5, 1.0, False, "25.2 GB/s"),  # the longest bar is the machine's
        (3.0, 3.0, False, "50.3 GB/s"),  # it would leave the cases no bars
    ],
)
def test_the_machine_has_a_row_of_its_own(speed, length, reached, limit):
    of, fastest = answers.group(sure(BEST)), BEST.bytes_per_s.center
    many = ceiling(4 * fastest, 2)
    of = replace(of, ceiling=ceiling(speed * fastest), ceiling_of_threads=many)
    *cases, row = rows_of(of)
    found = ("reached", "") if reached else ("", "2 threads 67.1 GB/s")
    assert row.of_machine and (row.name, row.length) == ("machine, 1 thread", pytest.approx(length))
    assert (row.reached, row.note, row.aside) == (reached, *found) and bars.limit(of) == limit
    assert rows_of(of, machine=False) == cases
    beyond = replace(of, cases=(replace(BEST, impossible=True),))
    assert not rows_of(beyond)[-1].reached, "its time, or the limit, is wrong"


def test_the_words_on_the_screen_are_explained(monkeypatch):
    shown = []
    monkeypatch.setattr(phrases, "meanings", lambda found: shown.append(found) or [])
    of = answers.group(sure(SLOW, BEST))
    machine = Row("", "machine, 1 thread", "1", 3.0, of_machine=True, reached=True)
    rows = [*rows_of(of), machine]
    first, *_, last = terminal._LEVELS
    assert not [*terminal._meanings([of], rows, first), *terminal._meanings([of], rows, last)]
    assert not [*terminal._meanings([of, of], [], first)]
    every, few, nothing = shown
    assert [each.kind for each in every.verdicts] == ["use", "cost"] and every.tolerance == 0.1
    assert every.sets and every.machine and every.beyond and every.reached and every.alone
    assert every.all_words and not every.between and not every.checked
    assert not few.machine and not few.all_words, "the limit stands in the title"
    assert not any((nothing.alone, nothing.sets, nothing.machine, nothing.beyond, nothing.reached))


# lines


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("Files.newByteChannel", ["Files.newByteChannel"]),
        ("BufferedOutputStream.write(int) 256K", ["BufferedOutputStream", ".write(int) 256K"]),
        ("a name of several words that is long", ["a name of several words", "that is long"]),
        ("numbers 1.25 and (2) stay as they are", ["numbers 1.25 and (2)", "stay as they are"]),
    ],
)
def test_a_long_name_ends_its_lines_before_a_point_or_a_parenthesis(name, lines):
    row = Row("java", name, "1 GB/s", 0.5, "2x")
    first, *others = Layout(6, 24, 9, False).line(row).plain.splitlines()
    assert first.startswith(f"  java  {lines[0]}") and first.endswith("2x")
    assert [each.strip() for each in others] == lines[1:]


@pytest.mark.parametrize(
    ("width", "longest", "name", "bar", "stacked"),
    [
        (80, 30, 30, 10, False),
        (80, 34, 34, 8, False),  # a shorter bar before a name is folded
        (80, 40, 36, 6, False),
        (65, 20, 20, 7, False),
        (64, 20, 56, 10, True),
        (40, 20, 32, 4, True),
    ],
)
def test_columns_suit_the_screen(width, longest, name, bar, stacked):
    row = Row("java", "n" * longest, "1.00 GB/s", 1.0, "as fast? 1-1.6x")
    layout = bars.layout([[row]], blocks=False, width=width)
    assert (layout.name, layout.bar, layout.stacked) == (name, bar, stacked)
    lines = layout.line(row).plain.splitlines()
    assert max(map(len, lines)) <= width and any("as fast? 1-1.6x" in line for line in lines)
    assert ("1.00 GB/s" in lines[0]) is not stacked


@pytest.mark.parametrize(("name", "end"), [(24, "2 threads 18.9 GB/s"), (40, "##########")])
def test_the_limit_with_several_threads_stands_where_there_is_room(name, end):
    row = Row("", "machine, 1 thread", "9 GB/s", 1.0, aside="2 threads 18.9 GB/s")
    assert Layout(6, name, 9, blocks=False).line(row).plain.endswith(end)


@pytest.mark.parametrize("path", ["newest", "'/a/folder with a long name/and: another one in it'"])
def test_a_command_below_the_summary_is_never_broken(path):
    found = Step("About 9 s more would likely decide", f"iogauge run --resume {path} --budget 70s")
    lines = [each.plain for each in terminal._step(found, 2)]
    apart = [f"  {found.says}:", f"    {found.command}"]
    assert lines == ([f"  {found}"] if path == "newest" else apart)
    (long,) = terminal._step(Step("times vary " * 9), 2)
    assert max(map(len, long.plain.splitlines())) <= 80


def test_a_bar():
    lengths, full = (1.0, 0.55, 0.0001, 3.0, 0.0), "█" * 10
    assert [bars.draw(each, True) for each in lengths] == [full, "█████▌", "▏", f"{full}>", ""]
    signs = ["#" * 10, "#" * 6, "#", "#" * 10 + ">", ""]
    assert [bars.draw(each, False) for each in lengths] == signs


def with_host(done, **facts):
    host = {**done.run.header.host, **facts}
    run = replace(done.run, header=done.run.header.model_copy(update={"host": host}))
    return replace(done, run=run)


def test_a_header_is_at_most_as_wide_as_the_screen_and_goes_on_below(measured_once):
    long = "Some Very Long Name of a Processor @ 3.00GHz" * 2
    lines = shown(with_host(measured_once(TWO), processor=long)).splitlines()
    assert max(map(len, lines)) <= 80 and lines[1].endswith("2 cores, test, Linux 0")

    files = "a file system with quite a long name" * 2
    lines = shown(with_host(measured_once(TWO), file_system=files)).splitlines()
    assert max(map(len, lines)) <= 80 and "..." not in "".join(lines[:4])
    assert lines[1].startswith("Fake") and lines[2].startswith("on "), "languages, then the host"
    assert "Linux 0" in lines[3] and lines[3].startswith("  ") and not lines[4]
    assert "test" in lines[2]


def test_on_a_narrow_screen_the_summary_stands_below_its_labels(measured_once):
    lines = terminal.render(Document(measured_once(TWO).run)).lines(blocks=True, width=40)
    text = "\n".join(line.plain for line in lines)
    assert "1 Read 64 KiB, cached\n    Fake: steady, speed 20\n2 Read 64 KiB" in text
