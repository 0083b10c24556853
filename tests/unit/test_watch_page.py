"""What a watch found, on a page of text and on a web page; and records, as they are read."""

from __future__ import annotations

import json
import random
import re

import pytest
from rich.cells import cell_len

from iogauge.commands import arguments as arg
from iogauge.commands import looking, machine
from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.model.watched import Amounts, Calls, Change, Moment, Place, Program, Verified, Wait
from iogauge.outputs import watch_words, watched
from iogauge.outputs.html import watch
from iogauge.outputs.html.over_time import over_time
from iogauge.watching import watches
from tests import watch_records as records

NASTY = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>{{ 7 }}"
HIDDEN = "\x1b[31mred\u202e\n1 99 s: fake"


def lines_of(record, **more) -> list[str]:
    return watched.page(record, **more).splitlines()


def fits(lines: list[str]) -> bool:
    return len(lines) <= 30 and all(cell_len(each) <= 80 for each in lines)


@pytest.mark.parametrize("name", records.EXAMPLES)
def test_the_page(name, snapshot):
    page = watched.page(
        records.EXAMPLES[name],
        command="python3 count.py rows",
        record="20261128T142206-python3-count-py.watch.json",
    )
    assert fits(page.splitlines())
    assert page == snapshot


def odd_text(chance: random.Random) -> str:
    words = [
        "",
        "a",
        "data",
        "名前" * 30,
        "é" * 90,
        "x" * 300,
        "a b " * 60,
        HIDDEN,
        "\udcff",
        NASTY,
    ]
    return chance.choice(words)


def odd_number(chance: random.Random) -> float:
    return chance.choice([0.0, 1.0, 0.4, 1e-9, 999.5, 12_345.6, 1e9, 1e18, 1e300])


def odd_record(chance: random.Random):
    """Any record that can be read, of any numbers and texts."""

    def number():
        return odd_number(chance)

    def text():
        return odd_text(chance)

    def whole():
        return chance.choice([None, int(number())])

    programs = chance.randrange(1, 5)
    kinds = watch_words._INSTEAD.keys()
    findings = []
    for _ in range(chance.randrange(6)):
        place = Place(program=0, file=text(), line=chance.choice([None, 7]), function=text())
        place = place.model_copy(update={"text": text()})
        changes = {
            "kind": chance.choice(list(kinds)),
            "program": chance.randrange(programs),
            "file": text(),
            "calls": number(),
            "size": number(),
            "bytes": number(),
            "files": chance.choice([1, 2, 10**9]),
            "saves": records.span(*sorted([number(), number(), number()])),
            "basis": chance.choice(list(watch_words.BASES)),
            "at_least": chance.random() < 0.5,
            "change": chance.choice([None, Change(text=text(), code="\n".join([text()] * 9))]),
            "place": chance.choice([None, place]),
        }
        findings.append(records.SMALL_READS.model_copy(update=changes))
    names = ["read", "write", "fsync", "openat", text()]
    targets = list(watch_words.TARGETS)
    amounts = {name: whole() for name in list(Amounts.model_fields)[:6]}
    return records.watched(
        name=text(),
        wall=number(),
        visited=chance.random() < 0.5,
        total=Amounts(**amounts, user=number(), system=chance.choice([None, number()])),
        programs=tuple(
            Program(name=text(), unseen=chance.choice([None, text()])) for _ in range(programs)
        ),
        calls=tuple(
            Calls(
                program=chance.randrange(programs),
                name=chance.choice(names),
                target=chance.choice(targets),
                file=text(),
                count=number(),
                bytes=number(),
            )
            for _ in range(chance.randrange(9))
        ),
        waits=tuple(
            Wait(program=0, name=chance.choice(names), target="file", file="", seconds=1e9, looks=1)
            for _ in range(chance.randrange(3))
        ),
        moments=tuple(odd_moment(chance) for _ in range(chance.randrange(7))),
        findings=tuple(findings),
        no_advice=chance.choice([None, text()]),
        in_calls=chance.choice([None, number()]),
        left=tuple(text() for _ in range(chance.randrange(9))),
        unseen=tuple(text() for _ in range(chance.randrange(5))),
    )


def odd_moment(chance: random.Random) -> Moment:
    numbers = [odd_number(chance) for _ in range(6)]
    sizes = tuple((2**each, odd_number(chance)) for each in range(0, 60, 9))
    return Moment(
        begins=numbers[0],
        ends=numbers[1],
        read_calls=numbers[2],
        write_calls=numbers[3],
        read_bytes=numbers[4],
        written_bytes=numbers[5],
        processor=0,
        waiting=chance.choice([0.0, 0.5, 7.0]),
        read_sizes=chance.choice([(), sizes]),
        write_sizes=chance.choice([(), ((0, 1.0),)]),
    )


@pytest.mark.parametrize("block", range(10))
def test_any_record_fits_on_the_page_and_can_be_drawn(block):
    for seed in range(100 * block, 100 * (block + 1)):
        record = odd_record(random.Random(seed))
        text = watched.page(record, command="x " * 400, record="y" * 66)
        assert fits(text.splitlines()), seed
        assert "watching took" in text.replace("\n  ", " "), seed
        assert "\x1b" not in text and "\u202e" not in text
        assert len(watch_words.in_short(record).splitlines()) <= 1
        if seed % 10 == 0:
            page = watch.render(record)
            assert "<script" not in page and "<img" not in page and "\x1b" not in page


def test_the_answer_comes_first_and_what_follows_from_it():
    first, *rest = lines_of(records.nothing_to_gain)
    assert first == "iogauge watch: cp, 0.51 s: nothing to gain in how it reads and writes"
    assert not [each for each in rest if "SAVE" in each or "try it" in each]
    assert lines_of(records.too_short)[0].endswith("4.77 ms: too short to gain anything")
    assert "not yours to change" in " ".join(lines_of(records.unseen_and_left)[:2])


@pytest.mark.parametrize(
    "outcome, promised, says",
    [
        ("true", True, "the saving came true: new.py saves 1.3 s (1.2-1.4 s) of 2.0 s"),
        ("false", False, "it is not faster: new.py saves 1.3 s (1.2-1.4 s) of 2.0 s"),
        ("undecided", True, "not sure: the runs differ by too much"),
    ],
)
def test_whether_a_saving_came_true_is_on_both_pages(outcome, promised, says):
    found = Verified(
        name="new.py",
        pairs=9,
        seconds=records.span(1.9, 2.0, 2.1),
        saved=records.span(1.2, 1.3, 1.4),
        promised=records.span(1.3, 1.4, 1.5) if promised else None,
        outcome=outcome,
    )
    record = records.watched(findings=(records.SMALL_READS,), verified=found)
    page = " ".join(watched.page(record).split())
    assert says in page and "in 9 pairs of runs" in page and "try it" not in page
    assert ("promised were 1.4 s (1.3-1.5 s)" in page) == promised
    assert says in watch.render(record).replace("\N{NO-BREAK SPACE}", " ")


def test_savings_of_a_traced_run_are_shares_of_its_time_without_the_trace():
    saves = records.SMALL_READS.saves.middle
    record = records.watched(
        wall=100 * saves, traced=True, untraced=2 * saves, findings=(records.SMALL_READS,)
    )
    text = " ".join(lines_of(record))
    assert text.count("with the trace, about") == 1
    for said in (text, watch.render(record).replace("\xa0", " "), watch_words.in_short(record)):
        assert "50 %" in said and " 1 %" not in said


def test_a_loss_is_a_negative_saving():
    assert watch_words.span(records.span(-0.25, -0.1, 0.05)) == "-0.25 s to 0.050 s"


def test_one_call_is_no_calls():
    one = records.SMALL_READS.model_copy(update={"calls": 1.0})
    assert watch_words.does(one, records.one_finding) == "1 read of 100 B from rows"
    assert watch_words.times(one.model_copy(update={"calls": 1.2})) == "once"
    assert watch_words.times(one.model_copy(update={"calls": 20_000.0})) == "20 000 times"
    assert watch_words.counted(1.2, "process", "processes") == "1 process"
    assert watch_words.counted(2, "process", "processes") == "2 processes"


def test_the_web_page_has_the_plural_of_what_it_counts():
    several = records.one_finding.programs[0].model_copy(update={"processes": 3})
    calls = records.one_finding.calls[:1] * 62
    page = watch.render(records.watched(programs=(several,), calls=calls))
    assert "3 processes" in page and "2 rarer kinds of call<" in page


def test_a_table_names_files_and_devices():
    def row(target, file):
        call = records.one_finding.calls[0].model_copy(update={"target": target, "file": file})
        lines = lines_of(records.watched(calls=(call,)))
        return next(each for each in lines if each.startswith("  reads")).rpartition("   ")[2]

    assert row("file", "rows") == "rows"
    assert row("device", "zero") == "device zero"
    assert row("pipe", "") == "pipes"
    assert row("unknown", "") == "-"


def test_dev_null_is_named_as_people_know_it():
    call = Calls(program=0, name="write", target="null", file="null", count=9, bytes=9)
    finding = records.SMALL_READS.model_copy(update={"kind": "small-writes", "file": "null"})
    record = records.watched(calls=(call,), findings=(finding,))
    assert "to /dev/null" in watch_words.does(finding, record)


def test_hidden_characters_are_escapes_and_code_keeps_its_lines():
    finding = records.SMALL_READS.model_copy(
        update={"file": HIDDEN, "change": Change(text=HIDDEN, code="one\n\ttwo\x1b")}
    )
    shown = watch_words.with_visible_text(records.watched(name=HIDDEN, findings=(finding,)))
    assert shown.name == "\\u001b[31mred\\u202e\\u000a1 99 s: fake"
    assert shown.findings[0].change.code == "one\n    two\\u001b"


def moment(begins, ends, calls=100.0, sizes=(), waiting=0.0) -> Moment:
    return Moment(
        begins=begins,
        ends=ends,
        read_calls=calls,
        write_calls=0,
        read_bytes=0,
        written_bytes=0,
        processor=0,
        waiting=waiting,
        read_sizes=sizes,
    )


def test_calls_are_stacked_by_size_over_time():
    some = [moment(0, 1, 100, ((1, 1), (4096, 3))), moment(1, 4, 150, ((1, 9),))]
    drawn = over_time(some, 4.0)
    (reads,) = drawn.pictures
    assert reads.heading == "reads per second" and reads.top == "100"
    shapes = [(each.x, each.y, each.width, each.height) for each in reads.bars]
    assert shapes == [(0, 75, 250, 25), (0, 0, 250, 75), (250, 50, 750, 50)]
    assert [each.label for each in drawn.keys] == ["1 B", "4 KiB to 8 KiB"]
    assert [each.label for each in drawn.ticks] == ["0", "1 s", "2 s", "3 s", "4 s"]


def test_where_no_size_was_seen_the_mean_is_drawn():
    seen = moment(0, 1, 100, ((64, 1),))
    unseen = moment(1, 2, 100).model_copy(update={"read_bytes": 60_000.0})
    drawn = over_time([seen, unseen], 2.0)
    assert drawn.means and not over_time([seen], 1.0).means
    assert [each.label for each in drawn.keys] == ["64 B to 128 B", "512 B to 1 KiB"]
    assert drawn.pictures[0].bars[1].says.endswith("512 B to 1 KiB on average")


def test_waiting_is_drawn_where_there_was_any():
    (waits,) = over_time([moment(0, 1, 0, waiting=0.25), moment(1, 2, 0)], 2.0).pictures
    assert [(each.y, each.height) for each in waits.bars] == [(75, 25)]
    assert over_time([moment(0, 1, 0)], 1.0).pictures == ()
    assert over_time([], 0.0).ticks == ()


def test_many_moments_are_drawn_as_few_and_none_is_lost():
    some = [moment(at, at + 1, 10, ((64, 2),)) for at in range(5000)]
    (reads,) = over_time(some, 5000.0).pictures
    assert len(reads.bars) == 200
    assert sum(each.width for each in reads.bars) == pytest.approx(1000)
    assert reads.top == "10"
    assert over_time(some, 5000.0).ticks[1].label == "20 min"


def test_the_web_page_has_what_the_record_has():
    page = watch.render(watches.read(records.GOLDEN))
    for text in ("899 000 writes of 100 B to out.csv", "convert.py:41", "os.write(fd, row)"):
        assert text in page
    assert "at least 0.30 s" in page and "buffering=65536)\nout.write(row)" in page
    assert page.index("What a change would save") < page.index("What to write instead")
    assert page.count("<figcaption>") == 3
    assert not re.search(r"<script|https?:|src=", page)
    assert len(page.encode()) < 150_000


def test_others_text_is_text_on_the_web_page():
    page = watch.render(records.watched(name=NASTY, findings=(records.SMALL_READS,)))
    assert "<img" not in page and "&lt;img" in page


@pytest.fixture
def kept():
    return watches.keep(records.one_finding)


def test_a_record_is_read_as_it_was_kept(kept):
    assert watches.read(kept) == records.one_finding
    assert kept.name == "20261128T142206-python3-count-py.watch.json"
    assert watches.keep(records.one_finding).name.endswith("-2.watch.json")


@pytest.mark.parametrize(
    "change, says",
    [
        (lambda text: text[:-200], "torn or damaged"),
        (lambda text: "", "torn or damaged"),
        (lambda text: "[" * 100_000, "torn or damaged"),
        (lambda text: text.replace('"wall":2.0', '"wall":1e999'), "torn or damaged"),
        (lambda text: text.replace('"wall":2.0', '"wall":NaN'), "torn or damaged"),
        (lambda text: text.replace('"iogauge":1', '"iogauge":2'), "version 2; this iogauge reads"),
        (lambda text: text.replace('"wall"', '"wool":1,"wall"'), "wool: Extra inputs"),
        (lambda text: text.replace('"watch"', '"other"'), "no record of a watch"),
        (lambda text: "[1]", "no record of a watch"),
        (lambda text: text.replace('"program":0', '"program":9'), "names a program that it lacks"),
        (lambda text: text.replace('"program":0', '"program":-1'), "names a program that it lacks"),
    ],
)
def test_a_record_that_cannot_be_read_gets_one_clear_line(kept, change, says):
    kept.write_text(change(kept.read_text()))
    for look in (
        lambda: looking.show(arg.Show(runs=[kept])),
        lambda: looking.report(arg.Report(runs=[kept])),
    ):
        with pytest.raises(UserError) as raised:
            look()
        assert says in str(raised.value) and "\n" not in str(raised.value)


def test_show_prints_the_page_again(kept, capsys):
    assert looking.show(arg.Show(runs=[kept])) == 0
    assert capsys.readouterr().out == watched.page(records.one_finding, record=kept.name)
    looking.show(arg.Show(runs=[folders.Path(kept.name)], as_json=True))
    assert json.loads(capsys.readouterr().out)["kind"] == "watch"
    with pytest.raises(UserError, match="--details is for a run"):
        looking.show(arg.Show(runs=[kept], details=True))


def test_a_record_of_any_name_is_known_by_what_it_begins_with(tmp_path, capsys):
    path = tmp_path / "seen.json"
    path.write_text(records.one_finding.model_dump_json(indent=1))
    assert looking.show(arg.Show(runs=[path])) == 0
    assert "rows" in capsys.readouterr().out


def test_report_draws_one_record_alone(kept, tmp_path, capsys):
    out = tmp_path / "page.html"
    assert looking.report(arg.Report(runs=[kept], out=out)) == 0
    assert "1 000 000 reads of 100 B from rows" in out.read_text()
    with pytest.raises(UserError, match="give it alone"):
        looking.report(arg.Report(runs=[kept, kept], out=out))


def test_no_record_is_taken_for_a_run(kept):
    for look in (
        lambda: looking.show(arg.Show()),
        lambda: looking.report(arg.Report()),
    ):
        with pytest.raises(UserError, match="nothing was measured yet"):
            look()


@pytest.mark.parametrize(
    "look",
    [
        lambda path: looking.explain(arg.Explain(run=path)),
        lambda path: looking.export(arg.Export(run=path)),
        lambda path: looking.claims(arg.Claims(runs=[path])),
        lambda path: looking.chart(arg.Chart(run=path)),
    ],
    ids=["explain", "export", "claims", "chart"],
)
def test_other_commands_say_what_a_record_is(kept, look):
    with pytest.raises(UserError, match="the record of a watch, not a run file"):
        look(kept)


def test_records_are_listed_the_newest_first(kept, capsys):
    other = watches.keep(records.with_waits)
    torn = folders.watches() / "0.watch.json"
    torn.write_text("{")
    assert machine.list_(arg.List(what="watches")) == 0
    said = capsys.readouterr()
    lines = said.out.splitlines()
    assert lines[0] == other.name and lines[2] == kept.name
    assert lines[1] == (
        "  2026-11-28 14:22, sqlite3, 12.4 s: 7.3 s, 59 %: write many rows in one transa…"
    )
    assert "torn or damaged" in said.err
    machine.list_(arg.List(what="watches", as_json=True))
    first, second = json.loads(capsys.readouterr().out)
    assert first["record"] == other.name and second["first"]["file"] == "rows"


def test_without_records_the_list_says_how_to_begin(capsys):
    machine.list_(arg.List(what="watches"))
    assert "iogauge watch -- COMMAND" in capsys.readouterr().err


def test_clean_leaves_records(kept, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert machine.clean(arg.Clean()) == 0
    assert kept.exists()


@pytest.mark.parametrize(("target", "said"), [("file", True), ("socket", False), ("pipe", False)])
def test_only_what_is_read_from_files_comes_from_the_cache(target, said):
    made = records.watched()
    calls = made.calls[0].model_copy(update={"target": target, "file": ""})
    lines = lines_of(made.model_copy(update={"calls": (calls,)}))
    assert any("came from the cache" in each for each in lines) is said


@pytest.mark.parametrize(
    ("saved", "says"),
    [
        (records.span(5.8, 5.9, 6.0), "came true, and is more than promised, 5.9 times as much: "),
        (records.span(1.3, 1.35, 1.4), "came true, and is more than promised: "),
        (records.span(0.95, 1.1, 1.25), "the saving came true: "),
        (records.span(0.85, 0.9, 0.95), "came true, and is at the low end of what was promised: "),
    ],
)
def test_how_a_saving_that_came_true_compares_with_the_promise(saved, says):
    found = Verified(
        name="new.py",
        pairs=9,
        seconds=records.span(6.2, 6.3, 6.4),
        saved=saved,
        promised=records.span(0.8, 1.0, 1.2),
        outcome="true",
    )
    assert says in watch_words.verified(found)
