"""What `import iogauge` offers: results of run files on the fake runner, frames, errors."""

from __future__ import annotations

import ast
import functools
import importlib.util
import json
import math
import re
import subprocess
import sys
import threading
from pathlib import Path

import pandas
import polars
import pytest

import iogauge as library
from iogauge.api import code, frames, results
from iogauge.outputs import json as json_output
from iogauge.outputs.contract import plain
from iogauge.outputs.document import Document
from tests.fake_study import HEAD, faulty, group, steady

ROOT = Path(__file__).parents[2]
TEXT = group(steady(100, 300, scatter=50) + faulty("wrong-sum"), more='compare = "all"')


@pytest.fixture
def measured(measured_once):
    return measured_once(TEXT)


@pytest.fixture
def loaded(measured):
    return library.load(measured.path)


def test_everything_is_as_in_the_json_export(measured, loaded):
    exported = json.loads(json_output.render(Document(measured.run)))
    assert in_json(loaded.runs) == exported["runs"]
    assert in_json(loaded.groups) == exported["groups"]
    cases = [case for each in exported["groups"] for case in each["cases"]]
    assert in_json([*loaded.cases]) == cases
    assert loaded.paths == (measured.path,)
    assert any(case.failures for case in loaded.cases)
    slow = next(case for case in loaded.cases if case.params.get("speed") == 300)
    assert slow.vs_best.outcome == "slower" and 2.5 < slow.vs_best.ratio < 3.5
    assert loaded.cases[0] == loaded.groups[0].cases[0] and len(loaded.cases[1:]) == 2


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_frame_has_a_row_for_each_case_and_nothing_for_what_is_missing(loaded, kind):
    frame = loaded.cases.to_frame(kind)
    assert isinstance(frame, {"pandas": pandas, "polars": polars}[kind].DataFrame)
    rows = frame.to_dict("records") if kind == "pandas" else frame.to_dicts()
    assert [row["key"] for row in rows] == [case.key for case in loaded.cases]
    for row, case in zip(rows, loaded.cases, strict=True):
        level = case.ns_per_op.center
        assert missing(row["ns_per_op"]) if level is None else row["ns_per_op"] == level
        assert missing(row["vs_best_lo"]) == (case.vs_best.lo is None)
        speed = case.params.get("speed")
        assert missing(row["params_speed"]) if speed is None else row["params_speed"] == speed
        assert row["best"] is case.best and row["display"] == case.display
    assert any(missing(row["ns_per_op"]) for row in rows), "the failed case"


def in_json(value: object) -> object:
    return json.loads(json.dumps(plain(value)))


def missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_frame_has_a_row_for_each_sample(measured, loaded, kind):
    frame = loaded.samples(kind)
    names = {each.key for each in measured.run.plan.cases}
    assert len(frame) == len(measured.run.samples) and {*frame["key"]} <= names
    levels = [sum(each.ns) / sum(each.operations) for each in measured.run.samples]
    assert frame["ns_per_op"].to_list() == pytest.approx(levels)
    assert frame["used"].to_list() == measured.run.used().tolist()
    assert [each for each in frame["void"].to_list() if not missing(each)] == [
        each.void for each in measured.run.samples if each.void
    ]
    assert {*frame["group"]} == {"fakes"} and {*frame["run"]} == {measured.run.header.id}


def test_rows_of_several_runs_follow_one_another(measured, measured_once, tmp_path):
    other = measured_once(group(steady(10, 20)))
    both = library.load([measured.path, other.path])
    one, two = library.load(measured.path), library.load(other.path)
    assert [each.key for each in both.cases] == [each.key for each in (*one.cases, *two.cases)]
    assert len(both.samples()) == len(one.samples()) + len(two.samples())
    frame = both.cases.to_frame()
    assert len(frame) == len(both.cases) and len(both.runs) == 2


def test_of_two_libraries_the_first_makes_frames_and_without_any_a_line_says_so(monkeypatch):
    columns = {"a": [1, None]}
    assert isinstance(frames.made(columns), pandas.DataFrame)
    found = importlib.util.find_spec
    monkeypatch.setattr(frames, "find_spec", lambda name: name == "polars" and found(name))
    assert isinstance(frames.made(columns), polars.DataFrame)
    monkeypatch.setattr(frames, "find_spec", lambda name: None)
    with pytest.raises(library.UserError, match="pip install pandas"):
        frames.made(columns)
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(library.UserError, match="pip install polars"):
        frames.made(columns, "polars")
    with pytest.raises(library.UserError, match="allowed: pandas, polars"):
        frames.made(columns, "arrow")


def test_of_a_folder_all_run_files_are_loaded_and_others_are_named(measured, tmp_path):
    (tmp_path / "a.jsonl").write_bytes(measured.path.read_bytes())
    (tmp_path / "notes.txt").write_text("not looked at")
    assert len(library.load(tmp_path).runs) == 1
    (tmp_path / "b.jsonl").write_text('{"a": 1}\n')
    with pytest.warns(UserWarning, match=r"left out: .*b\.jsonl"):
        assert library.load(str(tmp_path)).paths == (tmp_path / "a.jsonl",)
    with pytest.raises(library.UserError, match=r"b\.jsonl"):
        library.load([tmp_path / "a.jsonl", tmp_path / "b.jsonl"])


def test_what_cannot_be_loaded_is_named(tmp_path):
    with pytest.raises(library.UserError, match="nowhere"):
        library.load(tmp_path / "nowhere.jsonl")
    with pytest.raises(library.UserError, match="no run files"):
        library.load(tmp_path)
    with pytest.raises(library.UserError, match="nothing was measured yet"):
        library.load()
    with pytest.raises(library.UserError, match="no run file is given"):
        library.load([])


def test_a_short_text_tells_the_answers(loaded):
    text = repr(loaded)
    assert text.startswith("<iogauge run run: 1 groups, 3 cases>")
    assert all(each in text for each in loaded.groups[0].answers) and len(text) < 1000
    assert "3 cases" in repr(loaded.cases)


def test_a_notebook_gets_a_page_that_needs_nothing_else(loaded):
    html = loaded._repr_html_()
    assert all(each in html for each in loaded.groups[0].answers)
    assert html.count("<svg") == 1 and html.count("<circle") == 2, "failed cases have no dot"
    assert not re.search(r"<script|https?:|url\(|@import", html)
    assert "prefers-color-scheme: dark" in html and ":root" not in html
    names = [case.display for case in loaded.cases]
    assert all(name in html for name in names)
    assert "Which fake is fastest?" in loaded._repr_markdown_()


def test_names_in_a_run_are_text_in_a_notebook(study, tmp_path):
    text = group(steady(10, 20)).replace("Which fake is fastest?", "<b>Which</b> & why?")
    html = library.load(study(text, seed=1, budget=3.0, step=0.01).path)._repr_html_()
    assert "&lt;b&gt;Which&lt;/b&gt; &amp; why?" in html and "<b>" not in html


def test_to_import_the_library_loads_nothing_and_its_names_are_there():
    program = (
        "import sys, iogauge; "
        "assert not {'numpy', 'pydantic', 'pandas', 'iogauge.api'} & {*sys.modules}; "
        "assert {'load', 'measure', 'UserError', 'Results'} <= {*dir(iogauge)}; "
        "assert not hasattr(iogauge, 'nothing'); "
        "from iogauge import *; print(load.__name__, UserError.__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.split()) == (0, ["load", "UserError"]), done.stderr


def test_type_checkers_see_the_names_that_programs_get():
    stub = ast.parse((ROOT / "src/iogauge/__init__.pyi").read_text())
    seen = {
        each.asname: node.module
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for each in node.names
    }
    assert seen == library._OFFERS and (ROOT / "src/iogauge/py.typed").exists()


def read_all(path):
    with open(path, "rb") as file:
        return file.read()


class Reader:
    def read(self, path):
        return path


def made():
    def inside(path):
        return path

    return inside


@functools.wraps(read_all)
def another(path):
    return path


REFUSED = [
    (lambda path: path, "lambda"),
    (made(), "inside of another function"),
    (Reader().read, "is a method"),
    (Reader.read, "is a method"),
    (Reader, "no function"),
    (functools.partial(read_all), "no function"),
    (another, "something else by the name of read_all"),
]


@pytest.mark.parametrize(("given", "why"), REFUSED, ids=[why for _, why in REFUSED])
def test_code_that_no_other_process_finds_is_refused_in_a_line(given, why):
    with pytest.raises(library.UserError, match=why) as error:
        code.word(given)
    assert "\n" not in str(error.value)


def test_code_is_given_as_the_command_line_takes_it(monkeypatch):
    mine = f"{__file__}:read_all"
    assert code.words(read_all) == [mine] and code.words(None) == []
    assert code.words([read_all, "a.py:b"]) == [mine, "a.py:b"]
    assert code.words({"old": read_all, "new": "a.c"}) == [f"old={mine}", "new=a.c"]
    notebook = type(sys)("a_notebook")
    exec("def read(path): return path", vars(notebook))
    monkeypatch.setitem(sys.modules, "a_notebook", notebook)
    with pytest.raises(library.UserError, match="no file has it"):
        code.word(notebook.read)


STUDY = HEAD.replace("1h", "2s") + group(steady(100, 200))


@pytest.mark.usefixtures("only_fake")
def test_a_study_is_measured_and_nothing_is_printed(tmp_path, capfd):
    out = tmp_path / "run.jsonl"
    found = library.measure(STUDY, only="fake/*", seed=7, out=out, directory=tmp_path)
    assert isinstance(found, results.Results) and found.paths == (out,)
    assert in_json(found.groups) == in_json(library.load(out).groups)
    assert found.runs[0].complete and found.runs[0].seed == 7
    assert found.runs[0].options["only"] == ["fake/*"]
    assert capfd.readouterr() == ("", "")
    with pytest.raises(library.UserError, match="exists already"):
        library.measure(STUDY, out=out)


@pytest.mark.usefixtures("only_fake")
def test_the_keys_of_a_study_do_as_well(tmp_path, capfd):
    case = {"strategy": "fake/steady", "parameters": {"speed": [100, 900]}}
    asked = {"id": "whole", "question": "Which?", "size": "64K", "cache": "warm", "case": [case]}
    keys = {"id": "mine", "title": "Mine", "group": [asked]}
    found = library.measure(keys, budget=1, tolerance=0.2, directory=tmp_path, progress=True)
    assert found.runs[0].study == "mine" and found.groups[0].tolerance == 0.2
    out, err = capfd.readouterr()
    assert not out and "mine" in err
    with pytest.raises(library.UserError, match=r"the study: group\[0\].*siz.*did you mean size"):
        library.measure({**keys, "group": [{**asked, "siz": 1}]})


def test_what_cannot_be_measured_is_an_error_of_one_line():
    for given, options, why in (
        ("quickest", {}, "no study 'quickest'"),
        ("id = ", {}, "not TOML"),
        ("quick", {"budget": "soon"}, "not a duration"),
        ("quick", {"own_flags": "-O2"}, "give own"),
        ("quick", {"own": lambda path: path}, "lambda"),
    ):
        with pytest.raises(library.UserError, match=why) as error:
            library.measure(given, **options)
        assert "\n" not in str(error.value)


def test_nothing_is_measured_outside_of_the_main_thread():
    raised = []

    def measure():
        with pytest.raises(library.UserError, match="main thread") as error:
            library.measure("quick")
        raised.append(error)

    thread = threading.Thread(target=measure)
    thread.start()
    thread.join()
    assert raised


def test_a_module_that_measures_when_it_is_imported_to_be_measured_says_so(monkeypatch):
    monkeypatch.setenv("IOGAUGE_MEASURES", "1")
    with pytest.raises(library.UserError, match="if __name__ == '__main__'"):
        library.measure("quick")


@pytest.mark.usefixtures("only_fake")
def test_after_an_interruption_the_exception_says_what_is_kept(tmp_path, monkeypatch):
    from iogauge.measuring import bench

    shown, original = [], bench.Bench.tell

    def tell(self, *given, **named):
        original(self, *given, **named)
        shown.append(self)
        if len(self.run.replicates) > 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(bench.Bench, "tell", tell)
    out = tmp_path / "run.jsonl"
    with pytest.raises(KeyboardInterrupt) as error:
        library.measure(STUDY.replace("2s", "60s"), out=out, directory=tmp_path)
    assert str(out) in error.value.__notes__[0]
    assert not library.load(out).runs[0].complete
