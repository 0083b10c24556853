"""Spans through the whole pipeline: on the fake runner, whose times are known, and once for real."""

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict

import pytest

from iogauge.analysis import report
from iogauge.outputs import csv as csv_output
from iogauge.outputs import details, html, markdown, terminal
from iogauge.outputs import json as json_output
from iogauge.outputs.document import Document, Page, Source
from iogauge.runfile import reading
from tests.fake_study import group, steady
from tests.real import Until, measured
from tests.reports import on_console

SIZES = group(steady(10, 20, scatter=20), more='along = "size"\nto_the_end = true').replace(
    'size = "64K"', 'size = ["4K", "64K"]'
)
APPENDS = """
[[group]]
id = "appends"
question = "What does fsync cost?"
operation = "write"
mode = "append"
lifetime = "sample"
size = "1K"
durability = ["none", "fsync"]
along = "durability"

[[group.case]]
strategy = "go/file-write"
parameters = { block = "256" }
"""


def shown(document, view=terminal):
    return on_console(view.render(document))


def test_the_same_speed_is_the_same_time_per_byte(measured_once):
    """The fake takes so many ns per byte, whatever the size."""
    done = measured_once(SIZES)
    assert done.reason == "decided"
    (span,) = report.make(done.run).spans
    assert (span.along, span.per, span.values) == ("size", "byte", (4096, 65536))
    assert [each.case.parameters["speed"] for each in span.across] == [10, 20]
    for each in span.across:
        assert each.comparison.lo < 1 < each.comparison.hi and each.comparison.outcome == "same"


def test_every_replicate_has_all_groups_and_the_same_forks(measured_once):
    run = measured_once(SIZES).run
    groups, forks, orders = defaultdict(set), defaultdict(set), set()
    for replicate in run.replicates[:3]:
        assert replicate.groups == [0, 1]
    for each in run.samples:
        groups[each.replicate].add(each.group)
        forks[each.replicate, each.group].add(each.fork)
    assert groups[0] == {0, 1} and forks[0, 0] == forks[0, 1]
    for number in groups:
        of_replicate = (each for each in run.samples if each.replicate == number)
        first = min(of_replicate, key=lambda sample: sample.ended)
        orders.add(first.group)
    assert orders == {0, 1}  # at random, so neither is always first


def test_a_span_is_shown_and_exported(measured_once):
    document = Document(reading.read(measured_once(SIZES).path))
    (span,) = json.loads(json_output.render(document))["spans"]
    assert span["groups"] == ["fakes-4k", "fakes-64k"] and len(span["across"]) == 2
    assert {each["key"].partition(" ")[0] for each in span["across"]} == {
        "fake/steady(scatter=20,speed=10)",
        "fake/steady(scatter=20,speed=20)",
    }
    said = "64K: the same as 4K, within 10 %"
    assert span["answers"] == [said]
    text = shown(document)
    assert said in text and "64K against 4K: time per byte" in shown(document, details)
    assert max(map(len, text.splitlines())) <= 80
    assert said in markdown.render(document)
    rows = [*csv.DictReader(io.StringIO(csv_output.render(document)))]
    assert [row["vs_first_per"] for row in rows] == ["", "", "byte", "byte"]
    compared = {each["key"]: each for each in span["across"]}
    for row in rows[2:]:
        assert float(row["vs_first"]) == compared[row["key"]]["ratio"]
        assert row["vs_first_reference"] == compared[row["key"]]["reference"]
    page = html.render(Page((Source(document.export, document.run),)))
    assert "<strong>64K</strong> the same as 4K, within 10 %" in page
    assert page.count("within 10 %</td>") == 4  # beside the dots, and in the details


@pytest.mark.real
def test_fsync_is_compared_with_itself_left_out(disk_folder):
    run = measured(APPENDS, disk_folder, "appends", budget=60, show=Until(2))
    (span,) = report.make(run).spans
    (found,) = span.across
    assert found.reference.conditions.durability == "none"
    assert found.comparison.replicates == 2 and found.comparison.center > 1
    (durable,) = (group for group in span.groups if group.conditions.durable)
    assert (durable.record_bytes, durable.records_per_operation) == (256, 4)
    (case,) = durable.cases
    assert case.per_record.ns.center == pytest.approx(case.ns_per_op.center / 4)
    text = shown(Document(run), details)
    assert "a record is 256" in text and "95 %" in text and "fsync against not durable" in text
