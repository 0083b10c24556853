"""macOS and Windows, as far as this system can be like them: elsewhere/sitecustomize.py."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from iogauge.runfile import reading
from tests.anywhere import conditions
from tests.fake_study import STUDIES

ELSEWHERE = Path(__file__).with_name("elsewhere")
UNSEEN = "this system does not tell which parts of a file are in the cache"
NAMES = {"macos": "as if on macOS", "windows": "as if on Windows"}

STUDY = (STUDIES / "elsewhere.toml").read_text()

GO = (STUDIES / "elsewhere-go.toml").read_text()


def iogauge_on(system: str, home: Path) -> conditions.Command:
    """iogauge on such a system, with runs in a folder of its own."""
    path = f"{ELSEWHERE}:{conditions.ROOT / 'src'}"
    return conditions.Command().after(
        PYTHONPATH=path, IOGAUGE_TEST_ELSEWHERE=system, XDG_DATA_HOME=str(home)
    )


@pytest.fixture(params=NAMES, scope="module")
def elsewhere(request, tmp_path_factory):
    return iogauge_on(request.param, tmp_path_factory.mktemp("elsewhere"))


@pytest.fixture(scope="module")
def measured(elsewhere, tmp_path_factory):
    """What iogauge said of a study on the fake runner, and its run file."""
    folder = tmp_path_factory.mktemp("measured")
    study, run = folder / "small.toml", folder / "run.jsonl"
    study.write_text(STUDY)
    return elsewhere.fake("run", study, "--dir", folder, "--out", run), run


def system_of(command: conditions.Command) -> str:
    return NAMES[command.environment["IOGAUGE_TEST_ELSEWHERE"]]


def test_it_is_as_if_elsewhere(elsewhere):
    """So that the other tests can fail."""
    asked = (
        "import os; from iogauge.host import kernel; print(kernel.LINUX, os.path.exists('/proc'))"
    )
    assert elsewhere.python("-c", asked).stdout == "False False\n"


def test_commands_need_nothing_of_linux(elsewhere, measured, tmp_path):
    run, page, exported = measured[1], tmp_path / "page.html", tmp_path / "run.json"
    each = [
        *(["--help"], ["list", "studies"], ["show", run], ["show", "--details", run]),
        *(["explain", run], ["claims", run], ["plan", run.with_name("small.toml")]),
        *(["report", run, "--out", page], ["export", run, "--out", exported], ["advise", run]),
    ]
    ended, err = elsewhere.in_turn(*each)
    undecided = {"claims", "advise"}  # maybe, by so short a run
    for (name, *_), (status, _) in zip(each, ended, strict=True):
        assert not status or (status == 1 and name in undecided), err
    assert f"ache not proven: {UNSEEN}" in page.read_text(encoding="utf-8")
    found = json.loads(exported.read_text(encoding="utf-8"))["groups"][0]["cases"][0]["evidence"]
    assert found["resident_before"] is None and found["read_calls_per_op"] is None


def test_what_is_cached_is_measured_and_marked(elsewhere, measured, told):
    done, path = measured
    assert done.returncode == 3, done.stderr
    run = reading.read(path)
    caveats = [each.text for each in run.caveats if each.about == "reading-warm"]
    assert caveats == [f"cache not proven: {UNSEEN}"]
    assert "Cache not proven: this system does not tell" in done.stdout
    assert (
        "this system does not tell what processes read and write: calls and their bytes are not"
        " known"
    ) in [each.text for each in run.caveats if each.about == "run"]
    warm, cold, writing, synced = range(4)
    assert {sample.group for sample in run.samples} == {warm, writing}
    for sample in run.samples:
        assert sample.resident_before is None and sample.dirty_before is None
        assert sample.device is None and set(sample.evidence.values()) == {None}
    reasons = {run.plan.cases[each.case].conditions: each.reason for each in run.failures}
    whys = {(each.cache, each.durability): why for each, why in reasons.items()}
    assert whys["cold", None] == f"not testable here: {UNSEEN}"
    assert "no device of this machine was seen to write" in whys[None, "fsync"]
    told(
        system_of(elsewhere),
        "cached is measured, with a caveat that it is not proven; from disk and fsync are refused"
        " with the reason",
    )


def test_a_file_of_the_users(elsewhere, tmp_path):
    file = tmp_path / "file"
    file.write_bytes(bytes(range(256)) * 1024)
    done = elsewhere.fake(file)
    assert done.returncode == 2
    assert f"not measured: from disk: {UNSEEN}\n" in done.stderr
    assert "there are not two ways here to read the file" in done.stderr


def test_a_run_file_has_one_writer(elsewhere, tmp_path):
    text = (
        "import os, sys\nfrom iogauge.host.kernel import lock\n"
        "lock(os.open(sys.argv[1], os.O_RDWR))\nprint('locked', flush=True)\n"
    )
    path = tmp_path / "locked"
    path.touch()
    inner = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {text!r}, {str(path)!r}], check=True)"
    assert elsewhere.python("-c", text + inner, path).stdout == "locked\n"


@pytest.mark.skipif(not shutil.which("go"), reason="no go here")
def test_go(tmp_path):
    study, run = tmp_path / "go.toml", tmp_path / "go.jsonl"
    study.write_text(GO)
    script = Path(__file__).with_name("with_runners.py")
    runner = conditions.ROOT / "runners" / "go"
    done = iogauge_on("windows", tmp_path).python(
        *(script, runner, "--", "run", study, "--dir", tmp_path, "--out", run), seconds=200
    )
    assert done.returncode == 0, done.stderr
    assert "Cache not proven" in done.stdout and len(reading.read(run).samples) > 0
