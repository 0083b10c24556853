"""Plans from catalogues: nothing is built for them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.runners import catalogue, finding, manifest, preparing
from iogauge.runners.runtimes import Runtimes

FAKE = Path(__file__).parents[1] / "runners" / "fake"


@pytest.fixture
def nothing_built(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "cache", lambda: tmp_path / "cache")
    yield
    assert not (tmp_path / "cache").exists()


@pytest.fixture
def alone(tmp_path, monkeypatch):
    """A copy of the fake runner, which is the only one."""
    folder = tmp_path / "fake"
    shutil.copytree(FAKE, folder)
    monkeypatch.setattr(manifest, "all_runners", lambda: [manifest.load(folder)])
    return folder


def test_every_language_is_known_where_none_is_installed(nothing_built, monkeypatch):
    monkeypatch.setattr(catalogue, "installed", lambda runner: [])
    runtimes, missing = catalogue.everywhere()
    assert not missing
    assert sorted(language for each in runtimes for language in each.languages) == (
        manifest.languages()
    )
    smallest = {each.name: each.file.runtime.minimum for each in manifest.all_runners()}
    assert {each.runner: each.version for each in runtimes} == smallest
    found = [strategy for each in runtimes for strategy in each.strategies.values()]
    assert found and not any(each.unavailable for each in found)


def test_what_a_version_lacks_is_unavailable(nothing_built, alone):
    path = alone / catalogue.NAME
    told = json.loads(path.read_text())
    steady = next(each for each in told["strategies"] if each["name"] == "fake/steady")
    steady["needs"] = {"runtime": "99"}
    path.write_text(json.dumps(told))
    (runtime,), _ = catalogue.everywhere()
    assert runtime.strategies["fake/steady"].unavailable == (
        f"needs fake 99 or newer, this is {runtime.version}"
    )
    assert runtime.strategies["fake/memory"].unavailable is None


def test_a_runner_that_is_not_built_is_told_from_its_catalogue(nothing_built, alone):
    here = Runtimes({}, print)
    (found,) = here.runtimes
    assert not here.ready and not here.missing
    assert found.name == f"fake-{finding.installed(manifest.load(alone))[0].version}"
    assert found.strategies.keys() == {
        each.name for each in catalogue.read(manifest.load(alone)).strategies
    }


def test_a_runner_that_is_built_tells_itself(alone, tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "cache", lambda: tmp_path / "cache")
    ready, _ = preparing.prepare({}, print)
    assert Runtimes({}, print).ready == ready
    for built in (tmp_path / "cache").rglob("layout-*/*"):
        built.write_text("damaged")
    here = Runtimes({}, print)
    assert here.runtimes and not here.ready, "a run builds it anew"


def test_without_a_catalogue_a_line_says_how_to_make_it(nothing_built, alone):
    (alone / catalogue.NAME).unlink()
    runtimes, (missing,) = catalogue.everywhere()
    assert not runtimes and missing.languages == ("fake",)
    assert f"{catalogue.REGENERATE} {alone} makes it" in missing.why
    (alone / catalogue.NAME).write_text("{}")
    with pytest.raises(UserError, match="strategies: Field required"):
        catalogue.read(manifest.load(alone))


def test_a_check_of_a_runner_compares_its_catalogue(alone, tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "cache", lambda: tmp_path / "cache")
    (ready,), _ = preparing.prepare({}, print)
    runner = manifest.load(alone)
    assert catalogue.problem(runner, ready.runtime) is None
    path = alone / catalogue.NAME
    told = json.loads(path.read_text())
    path.write_text(json.dumps({"strategies": told["strategies"][1:]}))
    assert "not what the runner declares" in (catalogue.problem(runner, ready.runtime) or "")
    path.unlink()
    assert "makes it" in (catalogue.problem(runner, ready.runtime) or "")


def test_it_is_written_as_the_built_runner_declares(alone, capsys):
    expected = (alone / catalogue.NAME).read_text()
    (alone / catalogue.NAME).unlink()
    assert catalogue.main([str(alone)]) == 0
    assert (alone / catalogue.NAME).read_text() == expected
    assert catalogue.main(["/no/such/folder"]) == 2
    assert "/no/such/folder" in capsys.readouterr().err
