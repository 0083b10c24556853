"""Histories: levels as `show` has them, series and their changes, the index, tables and texts."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from io import StringIO

import duckdb
import numpy as np
import pytest
from rich.console import Console

from iogauge.analysis import report
from iogauge.history import changes, indexing, levels, stored
from iogauge.history.database import Database
from iogauge.history.history import History
from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.outputs import history as shown
from iogauge.outputs import history_formats
from tests import histories
from tests.fake_study import faulty, group, steady

TEXT = group(steady(10, 20, 40) + faulty("wrong-sum"))


def old(folder, seconds=60):
    """What is in the folder was written to some time ago, as far as one can see."""
    for path in folder.rglob("*.jsonl"):
        at = path.lstat().st_mtime_ns - seconds * 10**9
        os.utime(path, ns=(at, at), follow_symlinks=False)


def known(folder, said=None):
    return indexing.up_to_date(folder, (said if said is not None else []).append)


def history(folder, **chosen) -> History:
    index = known(folder).index
    database = Database(index)
    return History(index, database.series(**chosen), database.copies)


def text_of(rendered) -> str:
    out = StringIO()
    Console(file=out, width=80, legacy_windows=False).print(rendered)
    return out.getvalue()


def screen(found, **more) -> str:
    return text_of(shown.screen(found, **more))


def test_levels_are_those_that_show_has(measured_once, tmp_path):
    done = measured_once(TEXT)
    entry = levels.of_file(str(done.path.parent), done.path.name)
    (reported,) = report.make(done.run).groups
    own = {each["key"]: each for each in entry.cases}
    assert own.keys() == {each.case.key for each in reported.cases}, "no control, no ceiling"
    assert sum("ns_per_op" in each for each in own.values()) == 3
    for each in reported.cases:
        row = own[each.case.key]
        assert row["replicates"] == each.replicates
        if each.ns_per_op is None:
            assert "ns_per_op" not in row and row["failure"] == each.failure
        else:
            interval = each.ns_per_op
            sure = interval.lo > 0  # after two replicates no bound is known
            assert row["ns_per_op"] == interval.center
            assert row["lo"] == (interval.lo if sure else None)
            assert row["hi"] == (interval.hi if sure else None)
            assert row["bytes_per_s"] == pytest.approx(each.bytes_per_s.center)


NOISE = np.random.default_rng(1).normal(0, 0.02, 400)


@pytest.mark.parametrize("length", [20, 60, 150, 400])
@pytest.mark.parametrize("ratio", [1.2, 0.7])
def test_a_step_is_found_where_it_is(length, ratio):
    at = length * 2 // 3
    values = 1000 * np.exp(NOISE[:length]) * np.where(np.arange(length) < at, 1.0, ratio)
    (found,) = changes.of(values)
    assert found.at == at
    assert found.lo < ratio < found.hi and found.lo < found.ratio < found.hi
    assert found.before == pytest.approx(1000, rel=0.02)
    assert found.after / found.before == pytest.approx(found.ratio)


@pytest.mark.parametrize("length", [8, 20, 100, 400])
def test_what_happened_in_the_last_runs_only_is_no_change_yet(length):
    values = 1000 * np.exp(NOISE[:length])
    values[-2:] *= 2
    assert changes.of(values) == ()
    values[-5:] = 2000
    assert not any(each.at > length - 3 for each in changes.of(values))


def test_identical_code_seldom_has_a_change():
    """Of a hundred series of thirty runs each, with a scatter of 2 %."""
    drawn = np.random.default_rng(2)
    found = [changes.of(1000 * np.exp(drawn.normal(0, 0.02, 30))) for _ in range(100)]
    assert sum(map(bool, found)) <= 5


def test_how_large_a_change_could_be_seen_grows_with_the_noise():
    quiet, loud = (changes.can_see(np.exp(NOISE[:30] * by)) for by in (0.5, 4.0))
    assert 1 < quiet < loud
    assert changes.can_see(np.exp(NOISE[:30] * 200)) is None


def test_an_index_is_read_as_it_was_written(fake, tmp_path):
    histories.series(fake, tmp_path, [[1000, 2000]] * 3)
    index = known(tmp_path).index
    again = stored.read(tmp_path / folders.INDEX)
    assert again.words == index.words
    for table, columns in index.tables.items():
        for name, values in columns.items():
            np.testing.assert_array_equal(values, again.tables[table][name])


def test_only_new_and_changed_files_are_read(fake, tmp_path, monkeypatch):
    read = []
    of_file = levels.of_file
    monkeypatch.setattr(
        levels, "of_file", lambda folder, name: read.append(name) or of_file(folder, name)
    )
    histories.series(fake, tmp_path, [[1000, 2000]] * 4)
    old(tmp_path)
    assert known(tmp_path).fresh == 4
    assert known(tmp_path).fresh == 0
    for name in ("run-001.jsonl", "run-002.jsonl"):
        (tmp_path / name).unlink()
    histories.write(fake, tmp_path / "run-001.jsonl", [3000, 2000], day=1)
    histories.write(fake, tmp_path / "deeper" / "still" / "run-9.jsonl", [1000, 2000], day=9)
    del read[:]
    old(tmp_path / "deeper")
    index = known(tmp_path).index
    assert sorted(read) == ["deeper/still/run-9.jsonl", "run-001.jsonl"]
    assert index.texts("runs", "run") == ["run-000", "run-003", "run-9", "run-001"]
    (first, _) = Database(index).series()
    assert first.ns.round(-2).tolist() == [1000, 3000, 1000, 1000]
    assert not {"run-002"} & set(index.words), "what nothing names is gone"


def test_a_file_that_was_just_written_to_is_read_again(fake, tmp_path):
    """It may be written to once more within one tick of the clock of its file system."""
    histories.write(fake, tmp_path / "a.jsonl", [1000, 2000])
    assert [known(tmp_path).fresh for _ in range(2)] == [1, 1]
    old(tmp_path)
    assert [known(tmp_path).fresh for _ in range(2)] == [1, 0]


def damaged(path, how):
    content = path.read_bytes()
    if how == "torn":
        path.write_bytes(content[: len(content) // 2])
    elif how == "changed":
        path.write_bytes(content[:-3] + bytes([content[-3] ^ 1]) + content[-2:])
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "foreign":
        path.write_text("not an index")
    elif how == "deleted":
        path.unlink()


@pytest.mark.parametrize("how", ["torn", "changed", "empty", "foreign", "deleted"])
def test_an_index_that_is_of_no_use_is_made_anew(fake, tmp_path, how):
    histories.series(fake, tmp_path, [[1000, 2000]] * 2)
    old(tmp_path)
    path = known(tmp_path).path
    damaged(path, how)
    said = []
    found = known(tmp_path, said)
    assert found.fresh == 2 and found.path == path and len(found.index) == 2
    told = [f"{path}: it was torn or changed; the index is made anew"]
    assert said == ([] if how == "deleted" else told)
    assert known(tmp_path).fresh == 0


@pytest.mark.parametrize("name", ["__version__", "MEANING"])
def test_an_index_of_another_version_is_made_anew(fake, tmp_path, monkeypatch, name):
    histories.series(fake, tmp_path, [[1000, 2000]])
    old(tmp_path)
    known(tmp_path)
    monkeypatch.setattr(stored, name, "0.0.0" if name == "__version__" else 99)
    said = []
    assert known(tmp_path, said).fresh == 1
    assert "of another version of iogauge; the index is made anew" in said[0]


def test_an_index_that_somebody_made_up_is_not_believed(fake, tmp_path):
    """Each of these would lead to a place that is not there, or show what moves a cursor."""
    histories.series(fake, tmp_path, [[1000, 2000]])
    index = known(tmp_path).index
    path = tmp_path / "made-up"
    for table, column, value in [
        ("runs", "study", len(index.words)),
        ("runs", "path", -1),
        ("runs", "started", 1e300),
        ("runs", "started", 9e11),
        ("runs", "complete", 7),
        ("cases", "file", 1),
        ("groups", "file", -1),
    ]:
        tables = {name: dict(columns) for name, columns in index.tables.items()}
        tables[table][column] = np.full_like(tables[table][column], value)
        stored.write(path, stored.Index(index.words, tables))
        with pytest.raises(stored.Unusable):
            stored.read(path)
    words = [*index.words[:-1], "\x1b[2J"]
    stored.write(path, stored.Index(words, index.tables))
    with pytest.raises(stored.Unusable):
        stored.read(path)


def test_where_a_folder_cannot_be_written_the_index_is_in_the_cache(fake, tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "cache", lambda: tmp_path / "cache")
    folder = tmp_path / "runs"
    histories.series(fake, folder, [[1000, 2000]])
    old(folder)
    (folder / folders.INDEX).mkdir()  # root may write everywhere else
    found = known(folder)
    assert found.path.parent == tmp_path / "cache" / folders.HISTORY and found.path.is_file()
    assert known(folder).fresh == 0
    assert folders.kept_of_history() == found.path.stat().st_size


ODD = {
    "empty.jsonl": b"",
    "foreign.jsonl": b'{"benchmark": 1}\n',
    "other.jsonl": b"\x00\xff\x1f\x8b",
    "deep.jsonl": b"[" * 200_000,
    "torn.jsonl": b'{"record": "header", "format": 7, "io',
}


def test_what_is_no_run_is_named_and_skipped(fake, tmp_path):
    histories.series(fake, tmp_path, [[1000, 2000]])
    whole = (tmp_path / "run-000.jsonl").read_bytes()
    for name, content in ODD.items():
        (tmp_path / name).write_bytes(content)
    huge = whole.replace(b'"size":65536', b'"size":' + b"9" * 30)
    (tmp_path / "huge.jsonl").write_bytes(huge)
    (tmp_path / "dated.jsonl").write_bytes(whole.replace(b"2026-01-01T", b"yesterday-T", 1))
    outside = {"first": b"0001-01-01T00:00:00+05:00", "last": b"9999-12-31T23:59:59-05:00"}
    for name, date in outside.items():
        text = re.sub(rb'"started":"[^"]*"', b'"started":"' + date + b'"', whole, count=1)
        (tmp_path / f"{name}.jsonl").write_bytes(text)
    (tmp_path / "a\x1b[2J.jsonl").write_bytes(b"x")
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    (tmp_path / "endless.jsonl").symlink_to("/dev/zero")
    (tmp_path / "loop").symlink_to(tmp_path)
    found = history(tmp_path)
    assert [each.run for each in found.runs] == ["run-000"] and len(found.series) == 2
    problems = dict(found.problems)
    expected = {*ODD, "huge.jsonl", "dated.jsonl", "pipe.jsonl", "gone.jsonl", "endless.jsonl"}
    expected |= {"first.jsonl", "last.jsonl"}
    assert problems.keys() == {*expected, "a\\u001b[2J.jsonl"}
    assert not any("\n" in why or "\x1b" in why for why in problems.values())
    lines = shown.problems(found.problems)
    assert len(lines) == 6 and lines[-1] == "skipped 8 more files (--json names all)"


def test_what_another_tool_measured_is_named_and_skipped(fake, tmp_path):
    histories.series(fake, tmp_path, [[1000, 2000]])
    text = json.dumps({"results": [{"command": "cat a", "times": [0.5, 0.6]}]})
    (tmp_path / "hyperfine.jsonl").write_text(text)
    found = history(tmp_path)
    assert [each.run for each in found.runs] == ["run-000"]
    assert dict(found.problems) == {"hyperfine.jsonl": "another tool measured it"}


def test_of_a_long_name_the_block_stays():
    name = "FileChannel.read, direct, through a stream 128K"
    assert shown._short(name, 30) == "FileChannel.read, direct… 128K"
    assert shown._short(name, len(name)) == name and len(shown._short("x" * 90, 30)) == 30


def test_two_processes_at_once_do_no_damage(fake, tmp_path):
    histories.series(fake, tmp_path, [[1000, 2000]] * 3)
    text = (
        "import sys; from pathlib import Path; from iogauge.history import indexing\n"
        "for _ in range(15): print(len(indexing.up_to_date(Path(sys.argv[1]), print).index))"
    )
    both = [
        subprocess.Popen(
            [sys.executable, "-c", text, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    assert [each.communicate()[0].split() for each in both] == [["3"] * 15] * 2
    assert [each.returncode for each in both] == [0, 0]
    left = {each.name for each in tmp_path.iterdir() if not each.name.endswith(".jsonl")}
    assert left == {folders.INDEX}


def test_a_series_goes_on_over_versions_and_hosts_are_apart(fake, tmp_path):
    versions = ["1.0", "1.0", "2.0"]
    for day, version in enumerate(versions):
        histories.write(fake, tmp_path / f"{day}.jsonl", [1000], day=day, version=version)
    other = {"identity": "bbbbbbbbbbbb"}
    histories.write(fake, tmp_path / "other.jsonl", [1000], day=3, host=other)
    disk = histories.HOST | {"file_system": "xfs"}
    histories.write(fake, tmp_path / "disk.jsonl", [1000], day=4, host=disk)
    found = history(tmp_path).series
    runtimes = [[point.runtime for point in each.points] for each in found]
    assert sorted(runtimes, key=len) == [
        ["fake-1.0"],
        ["fake-1.0"],
        ["fake-1.0", "fake-1.0", "fake-2.0"],
    ]


def test_versions_that_one_run_compares_are_series_of_their_own(fake, tmp_path):
    """As two JDKs are: one after the other they would be a saw."""
    for day in range(3):
        path = histories.write(fake, tmp_path / f"{day}.jsonl", [1000, 2000], day=day)
        header, *lines = path.read_bytes().splitlines(keepends=True)
        made = json.loads(header)
        newer = made["runtimes"][0] | {"name": f"fake-2.{day}", "version": f"2.{day}"}
        made["runtimes"].append(newer)
        first = made["plan"]["cases"][0]
        made["plan"]["cases"][1] = first | {"runtime": f"fake-2.{day}"}
        path.write_bytes(json.dumps(made).encode() + b"\n" + b"".join(lines))
    found = history(tmp_path)
    assert not found.problems
    assert sorted([point.runtime for point in each.points] for each in found.series) == [
        ["fake-1.0"] * 3,
        ["fake-2.0", "fake-2.1", "fake-2.2"],
    ]


def test_copies_count_once(fake, tmp_path):
    path = histories.write(fake, tmp_path / "a.jsonl", [1000])
    (tmp_path / "copy.jsonl").write_bytes(path.read_bytes())
    found = history(tmp_path)
    assert len(found.runs) == 1 and found.copies == 1
    assert [len(each) for each in found.series] == [1]
    assert "1 copy counts once" in screen(found)


def test_cases_and_studies_are_chosen(fake, tmp_path):
    histories.write(fake, tmp_path / "a.jsonl", [1000, 2000])
    assert len(history(tmp_path, case="SPEED=2").series) == 1
    assert len(history(tmp_path, case="%").series) == 0, "a text, no pattern"
    assert len(history(tmp_path, study="on-the-fake").series) == 2
    assert history(tmp_path, study="another").series == []


REFUSED = [
    "DROP TABLE seen",
    "CREATE TABLE x AS SELECT 1",
    "INSERT INTO seen SELECT * FROM seen",
    "COPY (SELECT 1) TO '{folder}/x.csv'",
    "ATTACH '{folder}/x.db'",
    "INSTALL httpfs",
    "SET enable_external_access = true",
    "PRAGMA database_list",
    "SELECT 1; SELECT 2",
    "",
    "SELECT FROM WHERE",
    "SELECT * FROM read_text('{folder}/a.jsonl')",
    "SELECT * FROM '{folder}/a.jsonl'",
    "SELECT * FROM glob('{folder}/*')",
    "SELECT * FROM read_csv('https://example.org/x.csv')",
    "SELECT * FROM index",
    "SELECT * FROM query('COPY (SELECT 1) TO ''{folder}/x.csv''')",
]


@pytest.mark.parametrize("sql", REFUSED)
def test_sql_neither_writes_nor_sees_a_file(fake, tmp_path, sql):
    histories.write(fake, tmp_path / "a.jsonl", [1000])
    before = known(tmp_path) and sorted(tmp_path.iterdir())
    database = Database(known(tmp_path).index)
    with pytest.raises(UserError, match=r"^--sql: [^\n]+$"):
        database.ask(sql.format(folder=tmp_path))
    assert sorted(tmp_path.iterdir()) == before
    assert database.ask("SELECT count(*) FROM runs").rows == [(1,)]


def test_settings_are_locked(fake, tmp_path):
    database = Database(known(tmp_path).index)
    for sql in ("SET threads = 1", "RESET enable_external_access"):
        with pytest.raises(duckdb.Error):
            database._connection.execute(sql)


def test_the_documented_columns_are_there(fake, tmp_path):
    histories.write(fake, tmp_path / "a.jsonl", [1000, 2000])
    page = (histories.Path(__file__).parents[2] / "docs" / "history.md").read_text()
    database = Database(known(tmp_path).index)
    for view in ("runs", "groups", "cases"):
        row = next(line for line in page.splitlines() if line.startswith(f"| `{view}` |"))
        told = re.findall(r"`(\w+)`", row.split("|")[2])
        assert list(database.ask(f"SELECT * FROM {view}").columns) == told


STEP = [[1000.0 * (1 + day % 3 / 200), 2000.0 * (1.3 if day >= 12 else 1)] for day in range(24)]


def test_the_first_screen_says_what_changed(fake, tmp_path):
    histories.series(fake, tmp_path, STEP[:12])
    for day in range(12, 24):
        path = tmp_path / f"run-{day:03}.jsonl"
        histories.write(fake, path, STEP[day], day=day, version="2.0", iogauge="9.9")
    found = history(tmp_path)
    text = screen(found)
    lines = text.splitlines()
    assert len(lines) <= 22 and all(len(line) <= 80 for line in lines)
    assert lines[0] == "24 runs of 2 cases, 2026-01-01 to 2026-01-24, 1 host"
    at = lines.index("What changed")
    assert lines[at + 1].startswith("2026-01-13  slower: takes 1.3x as long, in the 12 runs since")
    assert "Fake" in lines[at + 2] and "read 64 KiB, cached" in lines[at + 2]
    told = "from run-011 to run-012; fake-1.0, then fake-2.0 and iogauge test, then iogauge 9.9"
    assert told in " ".join(" ".join(lines[at + 3 : at + 5]).split())
    assert "▁▁▁▁▁▁████████  2.60 µs, slower" in text
    assert "11111111" in screen(found, bars=shown.DIGITS)


def test_changes_between_the_same_two_runs_are_one(fake, tmp_path):
    by = [[each * (1.2 if day >= 10 else 1) for each in (1000, 2000, 3000)] for day in range(20)]
    histories.series(fake, tmp_path, by)
    found = history(tmp_path)
    assert len(found.events) == 1 and len(found.events[0].changed) == 3
    text = " ".join(screen(found).split())
    assert "slower: 3 cases take 1.2x as long, in the 10 runs since" in text
    assert "and 2 more cases" in text


def test_where_nothing_changed_it_says_what_could_have_been_seen(fake, tmp_path):
    levels = [[1000 * float(np.exp(each))] for each in NOISE[:20]]
    histories.series(fake, tmp_path, levels)
    text = " ".join(screen(history(tmp_path)).split())
    assert re.search(r"No case changed\. A step of \d+ % that stays would have been seen", text)


def test_too_few_runs_are_told(fake, tmp_path):
    histories.series(fake, tmp_path, [[1000]] * 3)
    text = screen(history(tmp_path))
    assert "it takes 8 runs of one case on one machine, and there are 3" in " ".join(text.split())


def test_a_screen_is_no_longer_than_a_screen(fake, tmp_path):
    """However many hosts and changes there are."""
    for host in range(4):
        levels = [[1000 * (1.5 if day >= 4 + host else 1)] * 3 for day in range(10)]
        where = histories.HOST | {"identity": f"host{host:08}", "processor": "P" * 200}
        histories.series(fake, tmp_path / str(host), levels, host=where)
    text = screen(history(tmp_path))
    assert len(text.splitlines()) <= 22 and max(map(len, text.splitlines())) <= 80
    assert "1 older change: --json has all" in text
    assert text.count(" (host00, test)  ") == 6


def test_json_and_csv_have_every_point_and_change(fake, tmp_path):
    histories.series(fake, tmp_path, STEP)
    found = history(tmp_path)
    told = history_formats.as_json(found)
    json.dumps(told, allow_nan=False)
    assert len(told["runs"]) == 24 and [len(each["points"]) for each in told["series"]] == [24, 24]
    (change,) = told["series"][1]["changes"]
    assert (change["from"], change["to"], change["runs_since"]) == ("run-011", "run-012", 12)
    assert change["ratio"] == pytest.approx(1.3, rel=0.01)
    lines = history_formats.as_csv(found).split("\r\n")
    assert len(lines) == 1 + 48
    place = lines[0].split(",").index("change")
    assert sum(bool(line.split(",")[place]) for line in lines[1:]) == 1


def test_the_export_for_otava_has_no_gaps(fake, tmp_path):
    """Cases that not all runs have are in a file of their own."""
    histories.series(fake, tmp_path, [[1000, 2000]] * 3)
    histories.write(fake, tmp_path / "more.jsonl", [1000, 2000, 3000], day=9)
    files = history_formats.otava(history(tmp_path), tmp_path / "out")
    tests = json.loads(files.pop(history_formats.OTAVA_CONFIG))["tests"]
    assert len(tests) == len(files) == 2
    for name, test in tests.items():
        head, *rows = (line.split(",") for line in files[f"{name}.csv"].splitlines())
        assert head[0] == test["time_column"] and head[1:5] == test["attributes"]
        assert {*test["metrics"]} == {*head[5:]}
        assert all(float(value) > 0 for row in rows for value in row[5:])


def test_an_answer_is_a_table_csv_or_json(fake, tmp_path):
    histories.series(fake, tmp_path, [[1000, 2000]] * 2)
    database = Database(known(tmp_path).index)
    answer = database.ask(
        "SELECT run, started, 'nan'::DOUBLE AS none, [1, 2] AS some, '=1+1' AS formula FROM runs "
        "ORDER BY run"
    )
    first = history_formats.answer_as_json(answer)[0]
    assert first == {
        "run": "run-000",
        "started": "2026-01-01T00:00:00",
        "none": None,
        "some": [1, 2],
        "formula": "=1+1",
    }
    assert history_formats.answer_as_csv(answer).split("\r\n")[1].endswith(",'=1+1")
    assert "run-001" in text_of(history_formats.answer_as_table(answer))


@pytest.mark.long
def test_a_file_that_ends_its_process_is_skipped(fake, tmp_path, monkeypatch):
    """As the kernel does with a process that takes all memory; the others are read."""
    monkeypatch.setattr(indexing, "_FEW_BYTES", 0)
    monkeypatch.setattr(indexing, "_CHUNK", 2)
    histories.series(fake, tmp_path, [[1000]] * 6)
    (tmp_path / "sitecustomize.py").write_text(
        "import os, iogauge.history.levels as levels\n"
        "own = levels.of_file\n"
        "levels.of_file = lambda folder, name: os._exit(9) if name == 'run-003.jsonl' else own(folder, name)\n"
    )
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    begun = time.monotonic()
    found = history(tmp_path)
    assert dict(found.problems).keys() == {"run-003.jsonl"}
    assert len(found.runs) == 5, time.monotonic() - begun
