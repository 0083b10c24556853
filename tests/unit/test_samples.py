"""Samples as columns: the same numbers whether they come from records or from the lines of a large
file.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import sys
import threading
import zlib
from unittest.mock import Mock

import duckdb
import numpy as np
import pytest

from iogauge.analysis import report
from iogauge.commands import arguments as arg
from iogauge.commands import looking, measuring
from iogauge.model.errors import UserError
from iogauge.outputs import details
from iogauge.outputs import json as json_output
from iogauge.outputs.document import Document
from iogauge.runfile import arrays, bulk, reading, sealed, writing
from iogauge.runfile.columns import COUNTED, WHOLE, SampleColumns, of_samples
from iogauge.runfile.records import (
    COLUMNS_LINE,
    ROUND_LINE,
    SAMPLE_LINE,
    SEAL_LINE,
    Failure,
    NoRecord,
    Seal,
    Torn,
    decode,
)
from iogauge.runfile.run import Run
from iogauge.runfile.writing import Writer
from tests.fake_study import HEAD, faulty, group, measure, steady
from tests.reports import on_console
from tests.runs import sample

PARTS = ("evidence", "machine", "device", "counters")
TEXT = group(steady(20, 40) + faulty("later-wrong-sum"), cache='["warm", "cold"]')


def exported(run) -> str:
    return json_output.render(Document(run))


@pytest.fixture(scope="module")
def measured(fake, tmp_path_factory):
    folder = tmp_path_factory.mktemp("samples")
    done = measure(TEXT, fake, folder, seed=1)
    lines, (void, *_) = lines_and_samples(done.path)
    lines[void] = lines[void].replace(b'"void":null', '"void":"by hand: \u202eü"'.encode())
    done.path.write_bytes(b"".join(lines))
    return done.path


@pytest.fixture
def copy(measured, tmp_path):
    """The run in a file of its own."""
    return shutil.copy(measured, tmp_path / "run.jsonl")


def lines_and_samples(path) -> tuple[list[bytes], list[int]]:
    """The lines of a run file, and the numbers of those that are samples."""
    lines = path.read_bytes().splitlines(keepends=True)
    places = [place for place, line in enumerate(lines) if line.startswith(SAMPLE_LINE)]
    return lines, places


def as_line(record: dict) -> bytes:
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


@pytest.fixture(autouse=True)
def all_large(monkeypatch):
    """Every file is large."""
    monkeypatch.setattr(reading, "LARGE", 0)


def same(a: SampleColumns, b: SampleColumns) -> None:
    assert a.arrays.keys() == b.arrays.keys() and a.reasons == b.reasons
    for name, values in a.arrays.items():
        np.testing.assert_array_equal(values, b.arrays[name], err_msg=name)


def as_small(path) -> SampleColumns:
    """The columns of the same file, as one that is not large."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "LARGE", 1 << 40)
        return reading.read(path).columns


@pytest.fixture
def slow(spied):
    """Whether a file was read line by line: one entry for each."""
    return spied(reading, "_line_by_line")


def test_a_large_file_says_the_same_as_a_small_one(measured, monkeypatch, slow):
    big = reading.read(measured)
    monkeypatch.setattr(reading, "LARGE", 1 << 40)
    small = reading.read(measured)
    assert len(small.samples) > 30 and not big.samples, "no records are kept of a large one"
    same(big.columns, small.columns)
    assert not slow, "all at once"
    assert big.columns.reasons == ("by hand: \\u202eü",)
    assert exported(big) == exported(small)
    np.testing.assert_array_equal(big.used(), small.used())
    big.add(small.samples[0])
    assert len(big.columns) == len(small.samples) + 1
    assert big.columns.case[-1] == small.samples[0].case and big.samples == small.samples[:1]


def test_records_are_kept_of_a_published_procedure_that_counts_operations(measured, copy):
    lines = measured.read_bytes().splitlines(keepends=True)
    header = json.loads(lines[0])
    for iteration, kept in ((None, True), (0.1, False)):
        header["plan"]["published"] = {"untimed": 3, "iteration": iteration}
        copy.write_bytes(b"".join([as_line(header), *lines[1:]]))
        run = reading.read(copy)
        assert len(run.columns) > 30 and len(run.samples) == len(run.columns) * kept


@pytest.fixture
def old(measured, tmp_path):
    """The run in a file that ends with a torn line."""
    path = tmp_path / "old.jsonl"
    path.write_bytes(measured.read_bytes() + b'{"record":"caveat","about":"run","te')
    return path


@pytest.fixture
def decoded(spied):
    """The files that were decoded."""
    return spied(bulk, "columns_of")


@pytest.mark.usefixtures("only_fake")
def test_whoever_is_given_a_large_file_need_not_wait_for_it(decoded, tmp_path):
    study, out, given = tmp_path / "study.toml", tmp_path / "run.jsonl", tmp_path / "given.jsonl"
    study.write_text(HEAD + group(steady(20, 40)))
    options = {"budget": "1s", "runtime": [f"fake={sys.executable}"]}
    asked = arg.Run(studies=[str(study)], directories=[str(tmp_path)], out=out, **options)
    assert measuring.run(asked) == 0
    assert len(decoded) == 1
    shutil.copy(out, given)
    out.unlink()
    assert len(reading.read(given).columns) and len(decoded) == 1


def test_who_stops_it_does_not_wait_until_a_large_file_is_decoded(old, monkeypatch):
    begun, interrupted = threading.Event(), []
    for_long = "SELECT sum(a.range * b.range) FROM range(100000) a, range(30000) b"

    def decoding(database, path):
        begun.set()
        try:
            database.execute(for_long).fetchall()
        except duckdb.InterruptException:
            interrupted.append(path)

    def stopped(file):
        assert begun.wait(60)
        raise KeyboardInterrupt

    monkeypatch.setattr(bulk, "columns_of", decoding)
    monkeypatch.setattr(reading, "_scanned", stopped)
    with pytest.raises(KeyboardInterrupt):
        reading.read(old)
    assert interrupted


@pytest.mark.parametrize("installed", [True, False])
def test_without_a_working_duckdb_it_is_read_line_by_line(old, monkeypatch, slow, installed):
    before = reading.read(old).columns
    if installed:
        refuses = Mock(side_effect=duckdb.IOException("no room"))
        monkeypatch.setattr(bulk, "connected", refuses)
    else:
        monkeypatch.setitem(sys.modules, "duckdb", None)
        monkeypatch.delitem(sys.modules, "iogauge.runfile.bulk")
        monkeypatch.delattr("iogauge.runfile.bulk")
    same(reading.read(old).columns, before)
    assert len(slow) == 1


def test_a_sealed_file_says_the_same_and_is_not_decoded(old, decoded):
    first = reading.read(old)
    writing.seal(old)
    assert len(decoded) == 2
    again = reading.read(old)
    assert len(decoded) == 2
    same(first.columns, again.columns)
    assert again.columns.span_operations.itemsize < first.columns.span_operations.itemsize
    for name in first.columns.arrays.keys() - {*COUNTED, "span_ns", "span_operations"}:
        assert first.columns.arrays[name].dtype == again.columns.arrays[name].dtype, name
    parts = "forks calibrations rounds compute_only harness failures caveats replicates ends"
    for part in (*parts.split(), "ceilings"):
        assert getattr(first, part) == getattr(again, part), part
    assert exported(first) == exported(again)


def test_columns_of_many_lines_are_whole(old, decoded, monkeypatch):
    monkeypatch.setattr(sealed, "_PART", 64)
    monkeypatch.setattr(sealed, "_CHECKED", 1000)
    before = reading.read(old).columns
    writing.seal(old)
    same(reading.read(old).columns, before)
    lines = old.read_bytes().splitlines()
    packed = {b'"packed":true' in line for line in lines if line.startswith(COLUMNS_LINE)}
    assert len(decoded) == 2 and packed == {True, False}


@pytest.mark.parametrize("torn", [0, 2])
def test_rounds_of_a_sealed_file_are_those_of_the_file(old, decoded, spied, torn):
    """All at once, or one by one where some are torn; who counts as damaged does so at each look."""
    lines = old.read_bytes().splitlines(keepends=True)
    place = next(number for number, line in enumerate(lines) if line.startswith(ROUND_LINE))
    old.write_bytes(b"".join([*lines[:place], *[lines[place][:60] + b"\n"] * torn, *lines[place:]]))
    first = reading.read(old)
    writing.seal(old)
    one_by_one = spied(reading, "add_line")
    again = reading.read(old)
    assert len(decoded) == 2 and first.rounds == again.rounds
    assert len(again.rounds) == sum(line.startswith(ROUND_LINE) for line in lines)
    assert any(line.startswith(ROUND_LINE) for *_, line in one_by_one) == bool(torn)
    damaged = any("3 lines" in each.text for each in again.caveats)
    assert first.caveats == again.caveats and damaged == bool(torn)


def edited(content: bytes, line: bytes, old: bytes, new: bytes) -> bytes:
    """The first such text after the last line that begins so."""
    start = content.index(old, content.rindex(b"\n" + line))
    return content[:start] + new + content[start + len(old) :]


CHANGES = {
    "a sample": lambda content: edited(content, SAMPLE_LINE, b'"case":', b'"case": '),
    "another line": lambda content: edited(content, b'{"record":"fork"', b'"pid":', b'"pid":1'),
    "a column": lambda content: edited(content, COLUMNS_LINE, b'"data":"', b'"data":"AAAA'),
    "a check": lambda content: edited(content, SEAL_LINE, b'"crc32":[', b'"crc32":[1'),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_was_changed_after_the_end_of_a_run_is_decoded_and_told(old, decoded, change):
    writing.seal(old)
    whole = reading.read(old)
    old.write_bytes(change(old.read_bytes()))
    again = reading.read(old)
    assert len(decoded) == 2 and "was changed after the run had ended" in again.caveats[-1].text
    same(again.columns, whole.columns)
    assert "was changed after" in report_of(again)
    changed = old.read_bytes()
    writing.seal(old)
    assert old.read_bytes() == changed, "a new seal would hide it"


def resealed(content: bytes, change) -> bytes:
    """With another seal, and the checks of what is before it."""
    start = content.rindex(b"\n" + SEAL_LINE) + 1
    seal = json.loads(content[start:])
    before = change(content[:start], seal) or content[:start]
    seal["crc32"] = [zlib.crc32(before)]
    return before + as_line(seal)


def of_column(name: str, key: str, value):
    """Changes the line of a column, whose new place the seal knows."""

    def change(before: bytes, seal: dict) -> bytes:
        ((start, length),) = seal["columns"][name]
        line = json.loads(before[start : start + length])
        line[key] = value(line[key])
        new = as_line(line)
        seal["columns"] = {
            each: [(at + (len(new) - length) * (at > start), long) for at, long in places]
            for each, places in seal["columns"].items()
        }
        seal["columns"][name] = [(start, len(new))]
        return before[:start] + new + before[start + length :]

    return change


def packed(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content)).decode()


def placed(places):
    """Changes the places of the column `case`: another list, or one made of those of all."""

    def change(before: bytes, seal: dict) -> None:
        columns = seal["columns"]
        columns["case"] = places(columns) if callable(places) else places

    return change


def negative(before: bytes, seal: dict) -> bytes:
    numbers = packed(b"\xff" * 4 * seal["samples"])
    for key, value in (("data", numbers), ("packed", True), ("type", "<i4")):
        before = of_column("case", key, lambda _, value=value: value)(before, seal)
    return before


NO_USE = {
    "another meaning": lambda before, seal: seal.update(meaning=sealed.MEANING + 1),
    "more samples than there is room for": lambda before, seal: seal.update(samples=1 << 40),
    "other samples": lambda before, seal: seal.update(samples=seal["samples"] + 1),
    "fewer samples than none": lambda before, seal: seal.update(samples=-1),
    "fewer reasons": lambda before, seal: seal.update(reasons=[]),
    "no such place": placed([(1 << 45, 100)]),
    "negative place": placed([(-100, 100)]),
    "an empty place": placed([(0, 0)]),
    "much of little": placed(lambda columns: columns["case"] * 10_000),
    "another column's place": placed(lambda columns: columns["group"]),
    "no column": lambda before, seal: seal["columns"].pop("syscr") and None,
    "an unknown column": lambda before, seal: seal["columns"].update(more=seal["columns"]["case"]),
    "no base64": of_column("case", "data", lambda data: "?" + data),
    "a kind": of_column("case", "type", lambda kind: "|O"),
    "negative": negative,
    "unpacked": of_column("span_ns", "packed", lambda packed: not packed),
    "more than there are": of_column("span_ns", "data", lambda data: packed(bytes(1 << 20))),
}


@pytest.mark.parametrize("change", NO_USE.values(), ids=NO_USE)
def test_a_seal_that_is_of_no_use_is_not_used(old, decoded, change):
    """By another version of iogauge, or made to deceive: the lines are what they were."""
    writing.seal(old)
    whole = reading.read(old)
    assert len(decoded) == 1
    old.write_bytes(resealed(old.read_bytes(), lambda before, seal: None))
    same(reading.read(old).columns, whole.columns)
    assert len(decoded) == 1, "checks are made anew as they should be"
    old.write_bytes(resealed(old.read_bytes(), change))
    again = reading.read(old)
    assert len(decoded) == 2 and again.caveats == whole.caveats
    same(again.columns, whole.columns)


def test_no_more_is_unpacked_than_a_line_may_hold(tmp_path):
    line = {"record": "columns", "name": "span_ns", "type": "<f8", "packed": True}
    file = tmp_path / "line"
    file.write_bytes(as_line(line | {"data": packed(bytes(4 * sealed._PART))}))
    found = Seal(1, 1, [], {"span_ns": [(0, file.stat().st_size)]}, [])
    with file.open("rb") as opened:
        assert sealed._column(opened, "span_ns", found, 1 << 40).nbytes == sealed._PART
        with pytest.raises(ValueError):  # noqa: PT011
            sealed._column(opened, "span_ns", found, 1000)


def test_what_somebody_else_writes_meanwhile_stays(measured, copy):
    added = b'{"record":"caveat","about":"run","text":"by another"}\n'

    def written(length: int) -> None:
        with copy.open("ab") as file:
            file.write(added)

    writing.seal(copy, written)
    assert copy.read_bytes() == measured.read_bytes() + added


def test_who_changes_what_columns_are_gives_them_another_meaning():
    """Seals of another meaning are not used. The digest is of most that decides what a column is,
    but not of how reasons are numbered, how columns are packed, nor which counters there are (a
    seal without one of their columns is not used). If this fails, raise sealed.MEANING and note the
    new digest.
    """
    counted = {name: text for name, text in bulk._EXPRESSIONS.items() if name in ("syscr", "gc_ns")}
    what = json.dumps(
        [
            {name: kind.__name__ for name, kind in WHOLE.items()},
            {name: kind for name, kind in bulk._TYPES.items() if name not in PARTS},
            {name: text for name, text in bulk._EXPRESSIONS.items() if name not in COUNTED},
            counted,
            [each for each in bulk._WHOLE.split(" AND ") if "counters." not in each],
        ],
        sort_keys=True,
    )
    digest = hashlib.sha256(what.encode()).hexdigest()[:16]
    assert (sealed.MEANING, digest) == (3, "aa1b680c9ff3596b")


def report_of(run: Run) -> str:
    return " ".join(on_console(details.render(Document(run))).split())


def test_what_comes_after_a_seal_counts_too(old, decoded):
    writing.seal(old)
    before = len(reading.read(old).columns)
    lines, (one, *_) = lines_and_samples(old)
    with old.open("ab") as file:
        file.write(lines[one])
    assert len(reading.read(old).columns) == before + 1 and len(decoded) == 2


@pytest.mark.parametrize("left", [0.3, 0.9, 1 - 1e-9])
def test_a_seal_that_was_not_finished_is_none(old, decoded, left):
    """As a kill or a full disk leaves it, at any place."""
    before, unsealed = reading.read(old), old.stat().st_size
    writing.seal(old)
    content = old.read_bytes()
    old.write_bytes(content[: unsealed + int(left * (len(content) - unsealed))])
    again = reading.read(old)
    same(again.columns, before.columns)
    assert len(decoded) == 3 and again.caveats == before.caveats


@pytest.mark.parametrize("trouble", [KeyboardInterrupt, UserError("no room")])
def test_a_file_that_cannot_be_sealed_stays_as_it_was(measured, copy, monkeypatch, trouble):
    append, written, before = Writer.append, [], copy.stat().st_mtime_ns

    def stopped(writer, record):
        written.append(record)
        if len(written) == 5:
            raise trouble
        return append(writer, record)

    monkeypatch.setattr(Writer, "append", stopped)
    measuring.seal([copy])
    assert len(written) == 5 and copy.read_bytes() == measured.read_bytes()
    assert copy.stat().st_mtime_ns == before
    monkeypatch.setattr(Writer, "append", append)
    writing.seal(copy)
    assert len(copy.read_bytes()) > len(measured.read_bytes()), "nobody holds it"


def test_what_is_sealed_is_as_old_as_it_was_and_is_not_sealed_twice(old):
    os.utime(old, (5, 5))
    writing.seal(old)
    content = old.read_bytes()
    assert old.stat().st_mtime == 5 and content.count(b"\n" + SEAL_LINE) == 1
    writing.seal(old)
    assert old.read_bytes() == content


@pytest.mark.parametrize("reason", [b'"interrupted"', None])
def test_a_run_that_has_not_ended_is_not_sealed(measured, copy, reason):
    *lines, end = measured.read_bytes().splitlines(keepends=True)
    assert b'"decided"' in end
    before = b"".join(lines) + (end.replace(b'"decided"', reason) if reason else b"")
    copy.write_bytes(before)
    writing.seal(copy)
    assert copy.read_bytes() == before


def test_one_file_that_cannot_be_sealed_keeps_no_other_from_it(copy):
    measuring.seal([copy.parent / "gone.jsonl", copy])
    assert SEAL_LINE in copy.read_bytes()


def test_a_seal_that_would_not_be_found_is_not_written(measured, copy, monkeypatch):
    monkeypatch.setattr(sealed, "LONGEST_SEAL", 1000)
    with pytest.raises(UserError, match="too many reasons"):
        writing.seal(copy)
    assert copy.read_bytes() == measured.read_bytes()


@pytest.mark.parametrize("small", [True, False])
def test_small_files_and_those_that_are_no_good_are_not_sealed(measured, copy, monkeypatch, small):
    if small:
        monkeypatch.setattr(reading, "LARGE", 1 << 40)
    else:
        lines, (one, *_) = lines_and_samples(measured)
        copy.write_bytes(b"".join([*lines, lines[one].replace(b'"ns":[', b'"ns":["a",')]))
    before = copy.read_bytes()
    writing.seal(copy)
    assert copy.read_bytes() == before


def test_a_person_is_told_of_a_look_that_takes_a_while(old, capsys):
    for times in range(2):
        looking.show(arg.Show(runs=[old]))
        assert ("decoding" in capsys.readouterr().err) == (times == 0)
        writing.seal(old)


@pytest.mark.parametrize(
    "values",
    [
        *((0.0, 255.0), (0.0, 256.0), (1.0, 65536.0), (1.0, 2.0**32), (0.5, 1.0), (-1.0, 1.0)),
        *((1.0, np.nan), (np.nan, np.nan), (np.inf, 1.0)),
    ],
)
def test_a_column_keeps_its_numbers(values):
    stored = sealed._narrowed(np.array(values))
    np.testing.assert_array_equal(sealed._widened("ns", stored, 2), values)
    assert stored.itemsize <= 8


def test_a_torn_line_in_a_large_file_is_skipped(measured, copy, slow):
    lines, (one, *_) = lines_and_samples(measured)
    whole, samples = lines[one], len(reading.read(measured).columns)
    for torn in (whole[:200] + b"\n", whole[: whole.index(b"}") + 1] + b"\n", whole[:200]):
        copy.write_bytes(b"".join([*lines, torn]))
        run = reading.read(copy)
        assert len(run.columns) == samples and not run.caveats
    assert len(slow) == 1, "only what looks like a sample and is none has to be looked for"
    torn = [whole[:length] + b"\n" for length in (200, 100, 90)]
    copy.write_bytes(b"".join([*lines[:one], *torn, *lines[one:]]))
    run = reading.read(copy)
    assert any("3 lines of the run file cannot be read" in each.text for each in run.caveats)
    assert report.make(run).groups[0].replicates


def test_what_is_no_sample_is_told(measured, copy):
    lines, (one, *_) = lines_and_samples(measured)
    record = json.loads(lines[one])
    for bad, says in (
        ({key: value for key, value in record.items() if key != "ns"}, "sample without ns"),
        ({**record, "ns": "long"}, "Expected `array`"),
        ({**record, "operations": [*record["operations"], 1]}, "spans with the operations of"),
        ({**record, "replicate": -1}, ">= 0"),
    ):
        copy.write_bytes(b"".join([*lines[:one], as_line(bad), *lines[one + 1 :]]))
        with pytest.raises(UserError, match=says):
            reading.read(copy)
    spaced = json.dumps(dict(reversed(record.items()))).encode() + b"\n"
    copy.write_bytes(b"".join([*lines[:one], spaced, *lines[one + 1 :]]))
    assert len(reading.read(copy).columns) == len(reading.read(measured).columns)


@pytest.mark.parametrize("odd", ["long", "unfinished", "ending", "blank"])
def test_an_odd_line_takes_no_sample_away(measured, copy, slow, odd):
    """A long record, a last sample without its line end, the end of a line by itself, a blank line."""
    lines, places = lines_and_samples(measured)
    before, last = reading.read(measured), lines[places[-1]]
    more = {
        "long": as_line({"record": "caveat", "about": "run", "text": "x" * 20_000}),
        "unfinished": last[:-1],
        "ending": last[100:],
        "blank": b"\n",
    }
    copy.write_bytes(b"".join([*lines, more[odd]]))
    after = reading.read(copy)
    assert len(after.columns) == len(before.columns) + (odd == "unfinished")
    assert len(after.caveats) == len(before.caveats) + (odd == "long")
    assert not slow
    same(after.columns, as_small(copy))


def with_value(line: bytes, path: str, value: object) -> bytes:
    record = json.loads(line)
    *parents, key = path.split(".")
    inner = record
    for each in parents:
        inner = inner[each]
    inner[key] = value
    return as_line(record)


ODD_VALUES = {
    "ns": ([], [1.5, None], "long"),
    "operations": ([None], [1 << 54], [-1], [1, 2, 3]),
    "prelude_ns": ([None], None),
    "counters.gc_ns": ([None], None),
    "counters.gc_count": ([],),
    "counters": ({}, None),
    "evidence": (None, {}),
    "evidence.syscr": (None,),
    "machine": (None, {}),
    "device": (None,),
    "resident_before": (None, 0),
    "ended": (3,),
    "case": (-1, 1 << 31, None),
    "request_bytes": (1 << 60,),
    "void": ("", "a\tb \u0000 \U0001f600"),
    "record": ("caveat",),
}
ODD = [(path, value) for path, values in ODD_VALUES.items() for value in values]


def of_lines(lines: list[bytes]) -> SampleColumns:
    return of_samples([decode(line) for line in lines])


def all_at_once(file):
    with bulk.connected() as database:
        return bulk.columns_of(database, str(file))


@pytest.mark.parametrize(
    ("path", "value"), ODD, ids=[f"{path}={value!r}"[:40] for path, value in ODD]
)
def test_what_is_read_all_at_once_is_what_is_read_line_by_line(measured, tmp_path, path, value):
    every, places = lines_and_samples(measured)
    lines = [every[place] for place in places[:9]]
    lines[4] = with_value(lines[4], path, value)
    file = tmp_path / "odd"
    file.write_bytes(b"".join(lines))
    found = all_at_once(file)
    if found is not None and len(found) != len(lines):
        found = None  # as whoever reads the file asks
    try:
        by_line = of_lines(lines)
    except (NoRecord, Torn):
        by_line = None
    if path == "record" or by_line is None:
        assert found is None
    elif found is not None or (path, value) in (("ns", []),):
        same(found, by_line)


def test_many_buffers_of_samples_keep_their_order(measured, tmp_path):
    lines, (one, *_) = lines_and_samples(measured)
    record = json.loads(lines[one])
    lines = []
    for number in range(15_000):
        record |= {
            "ended": number,
            "ns": [number + 1.0] * (number % 4),
            "operations": [number] * (number % 4),
            "void": f"reason {number}, {'and more' * 2500}" if number % 7 == 0 else None,
        }
        lines.append(as_line(record))
    file = tmp_path / "many"
    file.write_bytes(b"".join(lines))
    assert file.stat().st_size > 3 * (16 << 20)
    same(all_at_once(file), of_lines(lines))


def test_a_sample_written_otherwise_beside_a_torn_one_moves_no_row(measured, copy, slow):
    lines, (one, *_, last) = lines_and_samples(measured)
    torn = lines[one][: lines[one].index(b"}") + 1] + b"\n"
    spaced = json.dumps(json.loads(lines[last])).encode() + b"\n"
    for odd in (spaced, lines[last][:-1] + b"junk\n", lines[last][:-1] + lines[last]):
        copy.write_bytes(b"".join([*lines[:one], torn, *lines[one:last], odd, *lines[last + 1 :]]))
        run = reading.read(copy)
        same(run.columns, as_small(copy))
    assert len(slow) == 3


def test_nothing_is_left_behind_by_reading_all_at_once(measured, tmp_path, monkeypatch, slow):
    folder = tmp_path / "it's [a] *"
    folder.mkdir()
    (folder / "run?.jsonl").write_bytes(measured.read_bytes())
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder))
    assert len(reading.read(folder / "run?.jsonl").columns) and not slow
    assert [each.name for each in folder.iterdir()] == ["run?.jsonl"]


def test_what_is_used_follows_what_is_added(measured):
    run = reading.read(measured)
    before = run.used()
    assert run.used() is before and not before.flags.writeable
    failed = int(run.columns.case[np.flatnonzero(before)[0]])
    run.add(Failure(case=failed, reason="by hand"))
    assert not run.used()[run.columns.case == failed].any()
    run.add(sample(case=0))
    assert len(run.used()) == len(before) + 1


def test_rows_are_taken_with_their_spans():
    every = {"fork": 1, "prelude_ns": [5], "counters": {"gc_ns": [1, 2]}, "evidence": {"syscr": 7}}
    every |= {"machine": None, "resident_before": None}
    every |= {"device": {"writes": 2, "written_bytes": None, "flushes": 0}}
    spans = [[1.0], [2.0, 3.0], [], [4.0, 5.0, 6.0]]
    table = of_samples(
        [
            sample(**every, case=number, ns=ns, operations=[10] * len(ns))
            for number, ns in enumerate(spans)
        ]
    )
    taken = table.take(np.array([3, 1]))
    assert taken.case.tolist() == [3, 1] and taken.spans.tolist() == [3, 2]
    assert taken.span_ns.tolist() == [4, 5, 6, 2, 3] and taken.ns.tolist() == [15, 5]
    assert taken.operations.tolist() == [30, 20] and taken.prelude.tolist() == [10, 10]
    assert (taken.total("syscr"), taken.total("gc_ns"), taken.total("writes")) == (14, 6, 4)
    for unknown in ("syscw", "busy_ns", "written_bytes", "gc_count"):
        assert taken.total(unknown) is None
    assert table.take(np.array([], dtype=int)).total("syscr") is None


def test_numbers_of_few_bytes_are_widened_before_anybody_calculates():
    """As a sealed file has them."""
    large = np.array([4_000_000_000, 3_000_000_000, 7], dtype=np.uint32)
    small = np.array([200, 100, 3], dtype=np.uint8)
    known = {"user_ns": large, "system_ns": large[::-1], "syscr": small}
    known["steal_ns"] = np.broadcast_to(np.nan, 3)
    wide = of_samples([sample(evidence={}, machine=None)] * 3)
    spans = {"span_ns": large, "span_operations": small}
    table = SampleColumns(wide.arrays | spans | known, wide.reasons)
    user, system, calls = (table.counts(each) for each in ("user_ns", "system_ns", "syscr"))
    assert (user + system).tolist() == [4_000_000_007, 6_000_000_000, 4_000_000_007]
    assert (calls - user).tolist() == [200 - 4_000_000_000, 100 - 3_000_000_000, -4]
    totals = [table.total(each) for each in ("user_ns", "syscr", "steal_ns")]
    assert totals == [7_000_000_007, 303, None]
    assert table.span_levels(np.array([2, 0])).tolist() == [7 / 3, 4_000_000_000 / 200]
    assert table.take(np.array([0, 0])).total("syscr") == 400


@pytest.mark.parametrize("keys", [[], [0], [3, 3, 1, 7, 1], [5, 1 << 40, 5], [-2, 4, -2]])
def test_distinct_numbers_are_those_of_numpy(keys):
    keys = np.array(keys, dtype=np.int64)
    both = zip(arrays.distinct(keys), np.unique(keys, return_inverse=True), strict=True)
    for found, expected in both:
        np.testing.assert_array_equal(found, expected)


def test_medians_by_key():
    values, keys = np.array([3.0, 1.0, 2.0, 10.0, 4.0]), np.array([0, 0, 0, 2, 2])
    assert arrays.medians(values, keys, 4)[[0, 2]].tolist() == [2.0, 7.0]
    assert np.isnan(arrays.medians(values, keys, 4)[[1, 3]]).all()
