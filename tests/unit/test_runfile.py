import ast
import dataclasses
import json
from pathlib import Path

import pytest

from iogauge.model.errors import UserError
from iogauge.model.plan import ReplicateId
from iogauge.runfile import reading
from iogauge.runfile.records import Caveat, ComputeOnly, encode, in_part
from iogauge.runfile.run import Run
from iogauge.runfile.writing import Writer
from tests.fake_study import group, header_of, make_plan, steady


@pytest.fixture
def header(fake):
    return header_of(make_plan(group(steady(10, 20)), fake, seed=1), fake)


@pytest.fixture
def path(header, tmp_path):
    made = tmp_path / "deep" / "run.jsonl"
    writer = Writer(made)
    writer.append(header)
    writer.append(Caveat(about="run", text="beware: ü"))
    writer.sync()
    writer.close()
    return made


def test_what_is_written_is_read(path, header):
    run = reading.read(path)
    assert run.header == header
    assert [caveat.text for caveat in run.caveats] == ["beware: ü"]
    assert not run.complete


def test_a_torn_last_line_is_skipped_and_closed_off(path):
    with path.open("ab") as file:
        file.write(b'{"record":"sam')
    assert len(reading.read(path).caveats) == 1
    writer = Writer(path, resume=True)
    writer.append(Caveat(about="run", text="second"))
    writer.close()
    assert [caveat.text for caveat in reading.read(path).caveats] == ["beware: ü", "second"]


def test_an_existing_file_is_never_overwritten(path):
    before = path.read_bytes()
    with pytest.raises(UserError, match="exists already; give another --out, or --resume it"):
        Writer(path)
    assert path.read_bytes() == before


def test_what_is_no_run_file(path, tmp_path):
    bad, head = tmp_path / "bad.jsonl", json.loads(path.read_text().splitlines()[0])
    with pytest.raises(UserError, match="bad.jsonl: No such file"):
        reading.read(bad)
    no_header, whole = "not a run file: its first line is no header", json.dumps(head)
    for text, says in {
        "": "not a run file: it is empty",
        **dict.fromkeys(("hello\n", "[]\n", '{"record": "sample"}\n'), no_header),
        json.dumps({**head, "format": 99}): "file format 99; this iogauge reads formats 6 and 7",
        json.dumps({**head, "plan": {}}): r"header: plan\.study: Field required",
        f'{whole}\n{{"record": "sample", "case": 1}}\n': "line 2: not a record of a run file: "
        "sample without bundle, replicate, .*group, fork",
        f'{whole}\n{{"record": "surprise"}}\n': "line 2: .*must be one of",
    }.items():
        bad.write_text(text)
        with pytest.raises(UserError, match=says):
            reading.read(bad)


IN_FORMAT_6 = {"control": "twin", "untouched": "rested", "compute_only": "companion"}


def in_format_6(found, key=None):
    """What format 7 holds, under the names of format 6."""
    if isinstance(found, dict):
        old = {each: each.replace("compute_only", "companion") for each in found}
        return {
            IN_FORMAT_6.get(each, old[each]): in_format_6(of, each) for each, of in found.items()
        }
    if isinstance(found, list):
        return [in_format_6(each) for each in found]
    return IN_FORMAT_6.get(found, found) if key in ("record", "role") else found


def test_a_file_of_format_6_is_read_with_the_names_of_today(header, tmp_path):
    touch = {"first_touch_bytes_per_s": {"untouched": 1e9, "used": 2e9}}
    header = header.model_copy(update={"host": header.host | touch})
    (group,) = header.plan.groups
    control = header.plan.cases[group.control]
    where = {**in_part(ReplicateId(0, 1, 0), 0), "cases": [0], "fork": 3}
    measured = {"strategy": "fake/adding", "parameters": {}, "size": 8, "operations": [2]}
    records = ComputeOnly(**where, **measured, ns=[30]), Caveat(about=control.key, text="no twin")
    first = in_format_6(header.model_dump(mode="json")) | {"format": 6}
    lines = [in_format_6(json.loads(encode(each))) for each in records]
    assert lines[0]["record"] == "companion"
    lines[1]["about"] = lines[1]["about"].replace(" control", " twin")
    old = tmp_path / "old.jsonl"
    old.write_text("".join(json.dumps(each) + "\n" for each in (first, *lines)))
    for name in ("twin", "companion", "companion_spans", "rested"):
        assert f'"{name}"' in old.read_text() and f'"{name}"' not in header.line().decode()

    run = reading.read(old)
    assert run.header == header.model_copy(update={"format": 6})
    assert run.plan.groups[0].control == group.control and control.control
    assert run.header.method.hash == header.method.hash, "so that it may be pooled"
    assert (run.compute_only, run.caveats) == ([records[0]], [records[1]])


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="is not a folder"):
        Writer(tmp_path / "file" / "run.jsonl")


def test_benchmarks_ask_a_run_for_what_it_has():
    """They are run by hand, so that nothing else would tell."""
    known = {*dir(Run), *(each.name for each in dataclasses.fields(Run))}
    for path in (Path(__file__).parents[2] / "benchmarks").glob("*.py"):
        nodes = [each for each in ast.walk(ast.parse(path.read_text())) if hasattr(each, "attr")]
        asked = {each.attr for each in nodes if getattr(each.value, "id", "") == "run"}
        assert asked <= known, f"{path.name}: {asked - known}"
