"""CSV and Markdown of a run on the fake runner; and which run is meant where none is named."""

from __future__ import annotations

import csv
import io
import os
import re

import pytest

from iogauge.commands import arguments as arg
from iogauge.commands import looking
from iogauge.model.errors import UserError
from iogauge.outputs import csv as csv_output
from iogauge.outputs import markdown
from iogauge.outputs.document import Document
from tests.fake_study import faulty, group, measure, steady


@pytest.fixture(scope="module")
def document(fake, tmp_path_factory):
    text = group(steady(20, 40, 100) + faulty("wrong-sum"), more='consume = "sum"\n').replace(
        "Which fake", "Which *fake* | <b>"
    )
    return Document(measure(text, fake, tmp_path_factory.mktemp("run"), seed=1).run)


def test_csv_has_a_line_per_case_with_the_figures_of_the_json(document):
    rows = list(csv.DictReader(io.StringIO(csv_output.render(document))))
    cases = document.export.plain()["groups"][0]["cases"]
    assert [row["key"] for row in rows] == [case["key"] for case in cases]
    for row, case in zip(rows, cases, strict=True):
        ns = case["ns_per_op"]["center"]
        assert row["ns_per_op"] == ("" if ns is None else str(ns))
        assert row["best"] == ("yes" if case["best"] else "no")
        assert (row["failures"] == "") == (not case["failures"])
        assert row["size"] == "65536" and row["cache"] == "warm" and row["durability"] == ""
        assert row["vs_best_reference"] == (case["vs_best"]["reference"] or "")


@pytest.mark.parametrize("text", ["=1+1", "+x", "-x", "@x", "\tx", "\rx", "\nx"])
def test_no_cell_is_a_formula(text):
    assert csv_output.cell(text) == f"'{text}"
    assert csv_output.cell(-1.5) == -1.5


def test_markdown_says_the_answer_and_nothing_in_it_is_markup(document):
    text = markdown.render(document)
    assert r"### Which \*fake\* \| \<b\> is fastest?" in text
    assert re.search(r"^- Fake: steady, scatter 5, speed 20 is fastest\.", text, re.MULTILINE)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1, (
        "every row has as many cells"
    )
    assert re.search(r"\*\*1\*\*", text) and re.search(r"\d\.\d+ \(\d\.\d+–\d\.\d+\)", text)


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """The folder of runs, which is not there yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    return tmp_path / "share" / "iogauge" / "runs"


def test_the_newest_run_is_meant_where_none_is_named(fake, tmp_path, runs, capsys):
    assert looking.home() == 0
    assert "iogauge run" in capsys.readouterr().out
    with pytest.raises(UserError, match="nothing was measured yet"):
        looking.show(arg.Show())
    runs.mkdir(parents=True)
    for age, name in ((10, "older"), (0, "newer")):
        text = group(steady(10, 20, scatter=0), identifier=name)
        done = measure(text, fake, runs, seed=1, name=name)
        os.utime(done.path, (1_700_000_000 - age,) * 2)
    assert looking.newest(None).name == "newer.jsonl"
    assert looking.home() == 0
    said = capsys.readouterr().out
    assert "Fake  steady, speed 10 is fastest." in said and "newer.jsonl" in said
    assert max(map(len, said.splitlines()[:-1])) <= 80
    assert looking.export(arg.Export(output_format="markdown", out=tmp_path / "x.md")) == 0
    assert "Which fake is fastest" in (tmp_path / "x.md").read_text()


def test_a_run_that_was_stopped_at_once_does_not_hide_the_answer_before_it(
    fake, tmp_path, runs, capsys
):
    def home():
        assert looking.home() == 0
        return capsys.readouterr().out

    runs.mkdir(parents=True)
    whole = measure(group(steady(10, 20, scatter=0)), fake, runs, seed=1, name="whole").path
    stopped, lines = runs / "stopped.jsonl", whole.read_text().splitlines(keepends=True)
    stopped.write_text(lines[0])
    os.utime(whole, (1_700_000_000,) * 2)
    said = home()
    assert "iogauge run --resume newest" in said and "is fastest" in said and "whole.jsonl" in said
    whole.write_text("".join(line for line in lines if '"record":"end"' not in line))
    stopped.rename(tmp_path / "stopped")
    assert "To resume it:\niogauge run --resume newest\n" in home()
    (tmp_path / "stopped").rename(stopped)
    whole.unlink()
    said = home()
    assert "--resume" not in said and "0 repeats" in said and "stopped.jsonl" in said
