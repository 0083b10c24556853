"""What a terminal shows of a run at a glance."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from iogauge.outputs.recommendation import Recommendation
from iogauge.outputs.words import words_of
from rich.console import Console

from iogauge.analysis.groupreport import SetAnswer
from iogauge.decision.comparison import Comparison
from iogauge.outputs import bars, explanation, html, terminal
from iogauge.outputs.bars import Layout, Row
from iogauge.outputs.document import Document, Page, Source
from tests.fake_study import faulty, group, steady

TWO = group(steady(20, 21, 100), cache='["warm", "cold"]')
GOLDEN = """\
iogauge on-the-fake: done in 0 s, 3 repeats of each question
Fake 1.0 on test, 2 cores, test, Linux 0

IN SHORT, ON THIS MACHINE
1 Read 64 KiB, cached     Fake: steady, speed 20
2 Read 64 KiB, from disk  Fake: steady, speed 20

1 Which fake is fastest? (cached)
  Fake  steady, speed 20 is as fast as anything (within 10 %). steady, speed 100
    takes 4.5-5.5x as long.
                              speed  longer is faster
  fake  steady, speed 20  4.96 GB/s  ██████████   use this
        steady, speed 21  4.75 GB/s  █████████▋   as fast? 1-1.2x
        steady, speed 100 1.00 GB/s  ██           4.5-5.5x
  sure: 3 repeats in fresh processes, the file fully cached before each sample

2 Which fake is fastest? (from disk)
  Fake  steady, speed 20 is as fast as anything (within 10 %). steady, speed 100
    takes 4.3-5.6x as long.
  The disk itself was steady (within 10 %).
  fake  steady, speed 20  4.96 GB/s  ██████████   use this
        steady, speed 21  4.75 GB/s  █████████▋   as fast? 1-1.2x
        steady, speed 100 1.00 GB/s  ██           4.3-5.6x
  sure: 3 repeats in fresh processes, nothing cached before a sample, 64 KiB
    from the disk

use this: 95 % sure that no way compared in its language is over 10 % faster
as fast? 1-1.2x: not sure yet, it may be as fast, or take up to 1.2x as long
4.5-5.5x: times the time of its language's fastest, 95 % sure
"""


def shown(done, *, blocks: bool = True) -> str:
    lines = terminal.render(Document(done.run)).lines(blocks=blocks)
    return "".join(f"{line.plain}\n" for line in lines)


def test_the_whole(measured_once):
    assert shown(measured_once(TWO)) == GOLDEN


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
    text = shown(measured_once(TWO), blocks=False)
    assert text.isascii()
    assert text.replace("#", "").split() == re.sub("[█▋]", "", GOLDEN).split()


@pytest.mark.parametrize(
    ("settings", "variables", "blocks"),
    [
        ({"force_terminal": True}, {}, True),
        ({"force_terminal": True}, {"NO_COLOR": "1"}, True),
        ({"force_terminal": True}, {"TERM": "dumb"}, False),
        ({}, {}, False),
    ],
)
def test_what_a_console_can_decides(measured_once, settings, variables, blocks):
    done, written = measured_once(TWO), io.TextIOWrapper(io.BytesIO(), "utf-8")
    environment = {"TERM": "xterm", **variables}
    console = Console(file=written, width=80, _environ=environment, highlight=False, **settings)
    console.print(terminal.render(Document(done.run)))
    written.seek(0)
    text = written.read()
    assert ("█" in text) is blocks and ("####" in text) is not blocks
    coloured = "force_terminal" in settings and not variables
    assert ("\x1b[1;32m" in text) is coloured


def test_a_poor_encoding_has_no_blocks(measured_once):
    written = io.TextIOWrapper(io.BytesIO(), "latin-1")
    console = Console(file=written, width=80, force_terminal=True, _environ={"TERM": "xterm"})
    console.print(terminal.render(Document(measured_once(TWO).run)))
    written.seek(0)
    assert "####" in written.read()


def test_the_shape_of_quick_fits_a_screen(measured_once):
    """Eight cases warm and cold, and two small questions."""
    text = group(steady(*range(20, 100, 10)), cache='["warm", "cold"]')
    text += group(steady(20, 21, 60, 61), size="4K", identifier="lines")
    text += group(steady(20, 60), size="8K", identifier="records")
    lines = shown(measured_once(text)).splitlines()
    assert len(lines) + 6 <= 60 and max(map(len, lines)) <= 80
    assert sum(line.startswith(("1 ", "2 ", "3 ", "4 ")) for line in lines) == 8


def test_where_a_screen_has_no_room_the_simplest_has_a_row_and_a_long_path_is_counted(
    measured_once,
):
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


def test_of_many_cases_those_that_matter_have_a_row(measured_once):
    text = shown(measured_once(group(steady(*range(20, 34)))))
    rows = [line for line in text.splitlines() if "GB/s" in line]
    assert len(rows) == 12
    assert "use this" in rows[0] and "speed 33" in rows[-1], "the fastest and the slowest"


def test_nothing_is_compared_after_one_repeat(measured_once, fake):
    done = measured_once(TWO)
    first = [each for each in done.run.replicates if each.replicate == 0]
    done.run.replicates[:] = first
    text = shown(done)
    assert "No answers yet: each question takes 3 repeats." in text and "IN SHORT" not in text
    assert "1 repeat in fresh processes" in text
    assert "use this" not in text and "not sure yet" not in text


def test_what_failed_is_said_and_has_no_bar(measured_once):
    text = shown(measured_once(group(steady(20, 100) + faulty("wrong-sum"))))
    assert re.search(r"^! .*wrong-sum.* failed: wrong sum", text, re.MULTILINE)
    assert re.search(r"failed$", text, re.MULTILINE)


def test_durable_writes_have_bars_of_time():
    layout = Layout(6, 10, 7, blocks=False)
    durable = type("Group", (), {})()
    durable.conditions = type("Conditions", (), {"durable": True})()
    durable.cases = []
    assert layout.header(durable).plain.endswith("time  longer is slower")


def compared(label, ns, cost=None, outcome="undecided"):
    """A case that takes `ns`, and `cost` (centre and bounds) against the best of its set."""
    return SimpleNamespace(
        case=SimpleNamespace(key=label),
        strategy=SimpleNamespace(is_checked=True, is_own=False),
        rank_set="go",
        ns_per_op=SimpleNamespace(center=ns),
        bytes_per_s=SimpleNamespace(center=1e9 / ns),
        vs_best=cost and Comparison(1, 0, *cost, 3, outcome, True),
        is_best=cost is None,
        impossible=False,
        failure=None,
    )


def rows_of(*cases, chosen, recommended=None):
    rivals = tuple(each for each in cases if not each.vs_best or each.vs_best.outcome != "slower")
    best = next(each for each in cases if each.is_best)
    answer = SetAnswer(cases, best, recommended, rivals, rivals, (), {}, 0.1)
    state = "decided" if recommended else "open"
    found = Recommendation("go", state, chosen, answer, "", "")
    conditions = SimpleNamespace(durable=False)
    about = SimpleNamespace(
        conditions=conditions,
        workload=SimpleNamespace(size=1),
        of_commands=False,
        is_checked=True,
        compares_sets=False,
        cases=cases,
        ceiling=None,
        ceiling_of_threads=None,
        tolerance=0.1,
        name_of=lambda case: case.case.key,
    )
    made = bars.rows(about, [found], 12, told=True)
    return [(row.name, row.note, row.unlike_bar) for row in made]


def test_no_row_is_told_to_be_slower_than_one_that_looks_no_faster():
    ahead, quick = compared("ahead", 100), compared("quick", 98, (1.01, 1, 1.4))
    slow = compared("slow", 120, (1.1, 1, 1.6))
    assert rows_of(quick, ahead, slow, chosen=quick) == [
        ("quick", "for now, simpler", False),
        ("ahead", "as fast?", False),
        ("slow", "as fast? 1-1.6x", False),
    ]
    assert rows_of(quick, ahead, slow, chosen=ahead) == [
        ("ahead", "for now", False),
        ("quick, simplest", "as fast?", False),
        ("slow", "as fast? 1-1.6x", False),
    ]


def test_the_simplest_is_marked_and_where_only_a_bound_is_sure_that_is_told():
    best, simple = compared("best", 100), compared("simple", 500, (5, 2.3, 20), "slower")
    assert rows_of(simple, best, chosen=best, recommended=best) == [
        ("best", "use this", False),
        ("simple, simplest", "over 2.3x", False),
    ]


def test_a_case_that_is_faster_than_the_machine_was_is_pointed_at():
    case = compared("best", 100)
    about = SimpleNamespace(
        conditions=SimpleNamespace(durable=False),
        workload=SimpleNamespace(size=1),
        of_commands=False,
        is_checked=True,
        cases=[case],
        ceiling=SimpleNamespace(bytes_per_s=0.9e7, ns_per_op=110),
        ceiling_of_threads=SimpleNamespace(threads=2, bytes_per_s=2e7, ns_per_op=50),
    )
    (row,) = bars._machine(about, 1e7)
    assert row.note == "reached" and bars.limit(about) == "9.00 MB/s, reached"
    about.ceiling.bytes_per_s = 1.1e7
    (row,) = bars._machine(about, 1e7)
    assert (row.note, row.aside) == ("", "2 threads 20.0 MB/s")
    assert bars.limit(about) == "11.0 MB/s"


def test_what_is_surely_slower_and_does_not_look_so_is_marked_and_explained():
    odd = compared("odd", 95, (1.2, 1.1, 1.3), "slower")
    best = compared("best", 100)
    assert rows_of(best, odd, chosen=best, recommended=best) == [
        ("best", "use this", False),
        ("odd", "1.1-1.3x", True),
    ]


def test_fastest_is_said_of_no_case_that_another_may_beat():
    best, simple = compared("best", 100), compared("simple", 104, (1.04, 1, 1.08), "same")
    assert rows_of(simple, best, chosen=simple, recommended=simple) == [
        ("simple", "use this", False),
        ("best", "fastest so far", False),
    ]


def test_the_limit_with_several_threads_is_told_where_there_is_room():
    row = Row("", "machine, 1 thread", "9 GB/s", 1.0, aside="2 threads 18.9 GB/s")
    assert Layout(6, 24, 9, blocks=False).line(row).plain.endswith("2 threads 18.9 GB/s")
    assert Layout(6, 40, 9, blocks=False).line(row).plain.endswith("##########")


def test_a_command_below_the_summary_is_never_broken():
    short = "About 9 s more would likely decide: iogauge run --resume newest --budget 70s"
    assert [*terminal._with_command(short, 0)] == [short]
    start = "'/a/folder with a long name/and another one in it/.venv/bin/iogauge'"
    long = f"About 9 s more would likely decide: {start} run --resume newest --budget 70s"
    assert [*terminal._with_command(long, 0)] == [
        "About 9 s more would likely decide:",
        f"  {start} run --resume newest --budget 70s",
    ]


def test_words_of_tables_are_explained_if_they_are_there():
    def said(*rows, checked=False, alone=False, between=False):
        words = {"checked": checked, "alone": alone, "between": between}
        found = words_of(rows, 0.1, all_words=True, in_full=True, **words)
        return "".join(f"{line.plain}\n" for line in found)

    assert said(Row("", "a")) == ""
    open_ = Row("go", "a", "1", 1.0, "for now")
    assert said(open_) == "" and "for now: " in said(open_, alone=True)
    odd = Row("go", "a", "1", 1.0, "1.1-1.3x", unlike_bar=True)
    assert "95 % sure, compared repeat\n  by repeat" in said(odd)
    assert "times the time of its language's fastest" in said(odd)
    assert "times the time of the fastest, " in said(odd, between=True)
    same, unsure = Row("go", "a", "1", 1.0, "as fast"), Row("go", "b", "1", 1.0, "slower?")
    assert "as fast: within 10 %" in said(same) and "slower?: " in said(unsure)
    assert said(Row("go", "a", "1", 1.0, "slower")).startswith("\nslower: surely")
    assert "checked: " in said(open_, checked=True)
    machine = Row("", "machine, 1 thread", "1", 3.0)
    assert "(>: off scale)" in said(machine) and "use this" not in said(machine)


@pytest.mark.parametrize(
    ("length", "blocks", "says"),
    [
        (1.0, True, "██████████"),
        (0.55, True, "█████▌"),
        (0.0001, True, "▏"),
        (0.0001, False, "#"),
        (0.55, False, "######"),
        (3.0, True, "██████████>"),
        (0.0, True, ""),
    ],
)
def test_a_bar(length, blocks, says):
    assert bars.draw(length, blocks) == says


def test_a_long_name_ends_its_lines_before_a_point_or_a_parenthesis():
    row = Row("java", "BufferedOutputStream.write(int) 256K", "1 GB/s", 0.5, "2x")
    lines = Layout(6, 24, 9, blocks=False).line(row).plain.splitlines()
    assert [
        line.split("  ")[-1] if number else line[8:32] for number, line in enumerate(lines)
    ] == [
        "BufferedOutputStream    ",
        ".write(int) 256K",
    ]
    assert lines[0].endswith("2x")


def test_a_table_and_the_header_are_at_most_as_wide_as_the_screen(measured_once):
    done = measured_once(TWO)
    host = {**done.run.header.host, "processor": "Some Very Long Name of a Processor @ 3.00GHz" * 2}
    done.run.header = done.run.header.model_copy(update={"host": host})
    lines = shown(replace(done)).splitlines()
    assert max(map(len, lines)) <= 80 and lines[1].endswith("2 cores, test, Linux 0")


def test_a_header_that_is_too_long_is_not_cut_but_goes_on_below(measured_once):
    done = measured_once(TWO)
    host = {**done.run.header.host, "file_system": "a file system with quite a long name" * 2}
    done.run.header = done.run.header.model_copy(update={"host": host})
    lines = shown(done).splitlines()
    assert max(map(len, lines)) <= 80 and "..." not in "".join(lines[:4])
    assert lines[1].startswith("Fake") and lines[2].startswith("on "), "languages, then the host"
    assert "Linux 0" in lines[3] and lines[3].startswith("  ") and not lines[4]
    assert str(host["processor"]) in lines[2]


def test_on_a_narrow_screen_the_summary_stands_below_its_labels(measured_once):
    lines = terminal.render(Document(measured_once(TWO).run)).lines(blocks=True, width=40)
    text = "\n".join(line.plain for line in lines)
    assert "1 Read 64 KiB, cached\n    Fake: steady, speed 20\n2 Read 64 KiB" in text
