"""Samples as columns: the same numbers whether they come as dictionaries or as lines of a large file."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from iogauge import claims, document, report, runfile, samples
from iogauge.model import UserError
from tests.fake_study import faulty, group, measure, steady
from tests.runs import used

TEXT = group(steady(20, 40) + faulty("later-wrong-sum"), cache='["warm", "cold"]')


@pytest.fixture(scope="module")
def measured(fake, tmp_path_factory):
    folder = tmp_path_factory.mktemp("samples")
    done = measure(TEXT, fake, folder, seed=1)
    lines = done.path.read_bytes().splitlines(keepends=True)
    void = next(number for number, line in enumerate(lines) if line.startswith(samples.BEGIN))
    lines[void] = lines[void].replace(b'"void":null', '"void":"by hand: \u202eü"'.encode())
    done.path.write_bytes(b"".join(lines))
    return done.path


@pytest.fixture
def columns_only(monkeypatch):
    monkeypatch.setattr(runfile, "LARGE", 0)
    monkeypatch.setattr(runfile, "_PART", 5000)


def same(a: samples.Table, b: samples.Table) -> None:
    for each in dataclasses.fields(a):
        one, other = getattr(a, each.name), getattr(b, each.name)
        if each.name == "known":
            assert one.keys() == other.keys()
            for name in one:
                np.testing.assert_array_equal(one[name], other[name], err_msg=name)
        else:
            np.testing.assert_array_equal(one, other, err_msg=each.name)


def test_a_large_file_says_the_same_as_a_small_one(measured, monkeypatch, columns_only):
    monkeypatch.setattr(runfile, "LARGE", 1 << 40)
    small = runfile.read(measured)
    monkeypatch.setattr(runfile, "LARGE", 0)
    large = runfile.read(measured)
    assert isinstance(small.samples, list) and isinstance(large.samples, runfile.FileSamples)
    assert len(small.samples) > 30 and list(large.samples) == small.samples
    assert large.samples[-1] == small.samples[-1] and large.samples[2:5] == small.samples[2:5]
    with pytest.raises(IndexError):
        large.samples[len(large.samples)]
    same(large.table, small.table)
    assert large.table.reasons == ("by hand: \\u202eü",)
    assert json.dumps(document.make(claims.score(large))) == json.dumps(document.make(claims.score(small)))
    assert {each["record"] for each in large.samples} == {"sample"} and used(large) == used(small)
    large.samples.append(small.samples[0])
    assert len(large.table) == len(small.samples) + 1 and large.table.case[-1] == small.samples[0]["case"] and large.samples[-1] == small.samples[0]


def test_a_torn_line_in_a_large_file_is_skipped(measured, tmp_path, columns_only):
    path = tmp_path / "torn.jsonl"
    lines = measured.read_bytes().splitlines(keepends=True)
    one = next(number for number, line in enumerate(lines) if line.startswith(samples.BEGIN))
    for torn in (lines[one][:200] + b"\n", lines[one][: lines[one].index(b"}") + 1] + b"\n", lines[one][:200]):
        path.write_bytes(b"".join([*lines, torn]))
        run = runfile.read(path)
        assert len(run.samples) == len(runfile.read(measured).samples)
        assert not run.caveats
    path.write_bytes(b"".join([*lines[:one], lines[one][:200] + b"\n", lines[one][:100] + b"\n", lines[one][:90] + b"\n", *lines[one:]]))
    run = runfile.read(path)
    assert any("3 lines of the run file cannot be read" in each["text"] for each in run.caveats)
    assert report.make(run).groups[0].replicates


def test_what_is_no_sample_is_told(measured, tmp_path, columns_only):
    path = tmp_path / "bad.jsonl"
    lines = measured.read_bytes().splitlines(keepends=True)
    one = next(number for number, line in enumerate(lines) if line.startswith(samples.BEGIN))
    record = json.loads(lines[one])
    for bad, says in (({key: value for key, value in record.items() if key != "ns"}, "sample without ns"), ({**record, "ns": "long"}, "Expected `array`"), ({**record, "operations": [*record["operations"], 1]}, "spans with the operations of"), ({**record, "replicate": -1}, ">= 0")):
        path.write_bytes(b"".join([*lines[:one], json.dumps(bad, separators=(",", ":")).encode() + b"\n", *lines[one + 1 :]]))
        with pytest.raises(UserError, match=says):
            runfile.read(path)
    path.write_bytes(b"".join([*lines[:one], json.dumps(dict(reversed(record.items()))).encode() + b"\n", *lines[one + 1 :]]))
    assert len(runfile.read(path).samples) == len(runfile.read(measured).samples), "in another order, and spaced"


def test_rows_are_taken_with_their_spans():
    every = {
        **dict.fromkeys(("group", "bundle", "replicate", "attempt", "block", "round", "position", "request_bytes", "reply_bytes"), 0), "fork": 1, "prelude_ns": [5], "counters": {"gc_ns": [1, 2]},
        "evidence": {"syscr": 7}, "machine": None, "device": {"writes": 2, "written_bytes": None, "flushes": 0}, "resident_before": None, "void": None,
    }  # fmt: skip
    spans = [[1.0], [2.0, 3.0], [], [4.0, 5.0, 6.0]]
    table = samples.of_records({**every, "case": number, "ns": ns, "operations": [10] * len(ns)} for number, ns in enumerate(spans))
    taken = table.take(np.array([3, 1]))
    assert taken.case.tolist() == [3, 1] and taken.spans.tolist() == [3, 2]
    assert taken.span_ns.tolist() == [4, 5, 6, 2, 3] and taken.ns.tolist() == [15, 5] and taken.operations.tolist() == [30, 20] and taken.prelude.tolist() == [10, 10]
    assert (taken.total("syscr"), taken.total("gc_ns"), taken.total("writes")) == (14, 6, 4)
    assert [taken.total(name) for name in ("syscw", "busy_ns", "written_bytes", "gc_count")] == [None] * 4
    assert table.take(np.array([], dtype=int)).total("syscr") is None


def test_medians_by_key():
    values, keys = np.array([3.0, 1.0, 2.0, 10.0, 4.0]), np.array([0, 0, 0, 2, 2])
    assert samples.medians(values, keys, 4)[[0, 2]].tolist() == [2.0, 7.0]
    assert np.isnan(samples.medians(values, keys, 4)[[1, 3]]).all()
