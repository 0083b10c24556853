"""A run file whose records do not fit together, as the commands that look at it tell."""

from __future__ import annotations

import json

import pytest

from iogauge.commands import arguments as arg
from iogauge.commands import looking
from iogauge.runfile.checking import DamagedRun
from tests.fake_study import group, measure, steady


def without_parameters(header: dict) -> dict:
    cases = [each | {"parameters": {}} for each in header["plan"]["cases"]]
    return {"plan": header["plan"] | {"cases": cases}}


DAMAGES = {
    "a header without runtimes": ("header", {"runtimes": []}),
    "a header that says nothing of the host": ("header", {"host": {}}),
    "cases without their parameters": ("header", without_parameters),
    "samples of a case that is not planned": ("sample", {"case": 999}),
    "samples of a group that is not planned": ("sample", {"group": 999}),
    "samples that took no time": ("sample", {"ns": [0], "operations": [1]}),
    "samples of a round that cannot be": ("sample", {"round": 2**31 - 1}),
    "replicates of a group that is not planned": ("replicate", {"groups": [999]}),
    "processes that are not planned": ("fork", {"spec": 999}),
    "rounds of a group that is not planned": ("round", {"group": -1}),
    "a calibration of a case that is not planned": ("calibration", {"case": 999}),
    "a run of many centuries": ("end", {"seconds": 1e300}),
}
LOOKS = {
    "show": lambda path: looking.show(arg.Show(runs=[path])),
    "show --details": lambda path: looking.show(arg.Show(runs=[path], details=True)),
    "explain": lambda path: looking.explain(arg.Explain(run=path)),
    "export": lambda path: looking.export(arg.Export(run=path)),
    "report": lambda path: looking.report(arg.Report(runs=[path], out=path.with_suffix(".html"))),
}


@pytest.fixture(scope="module")
def whole(fake, tmp_path_factory):
    text = group(steady(10, 20, scatter=0))
    return measure(text, fake, tmp_path_factory.mktemp("run"), seed=1).path


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
@pytest.mark.parametrize(("kind", "change"), DAMAGES.values(), ids=DAMAGES)
def test_it_is_one_clear_line(whole, tmp_path, kind, change, look, capsys):
    records = [json.loads(line) for line in whole.read_text().splitlines()]
    path = tmp_path / "damaged.jsonl"
    for each in records:
        if each["record"] == kind:
            each |= change(each) if callable(change) else change
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    with pytest.raises(DamagedRun) as told:
        look(path)
    says = str(told.value)
    assert says.startswith(f"{path}: damaged: its records do not fit together") and "\n" not in says
    assert "damaged" not in capsys.readouterr().out and not path.with_suffix(".html").exists()


def test_a_mistake_of_ours_is_not_called_damage(whole, monkeypatch, iogauge):
    """It ends with a traceback, which tells where it is."""

    def wrong(document):
        raise AttributeError("a mistake")

    monkeypatch.setattr(looking.outputs, "renderer", lambda name: wrong)
    with pytest.raises(AttributeError, match="a mistake"):
        iogauge("show", whole)
