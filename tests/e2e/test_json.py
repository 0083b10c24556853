"""`--json`: what commands print for programs, and that docs/export-json.md has every key."""

import json
import shutil
from pathlib import Path

import pytest

from tests.e2e.test_cli import FAST, HEAD, SLOW, group, steady

PAGE = (Path(__file__).parents[2] / "docs" / "export-json.md").read_text()
needs_go = pytest.mark.skipif(not shutil.which("go"), reason="no Go")
OTHERS = PAGE.partition("## JSON of other commands")[2]


@pytest.fixture
def printed(iogauge):
    def of(*arguments, status=0):
        done = iogauge(*arguments, "--json")
        assert done.returncode == status, done.stderr
        return json.loads(done.stdout)

    return of


def documented(keys):
    return all(f"`{key}`" in OTHERS for key in keys)


@pytest.mark.usefixtures("only_fake")
def test_show_is_the_export(iogauge, printed, tmp_path, disk_folder):
    study, out = tmp_path / "small.toml", tmp_path / "run.jsonl"
    study.write_text(HEAD + group(steady(FAST, SLOW)))
    iogauge("run", study, "--dir", disk_folder, "-o", out, "--budget", "1s")
    assert printed("show", out) == json.loads(iogauge("export", out, "--format", "json").stdout)


def test_plan_list_and_doctor(printed, tmp_path, disk_folder):
    study = tmp_path / "small.toml"
    study.write_text(HEAD + group(steady(FAST, SLOW)))
    (plan,) = printed("plan", study, "--seed", 5)
    assert plan["seed"] == 5 and len(plan["cases"]) >= 3 and plan["groups"][0]["id"]
    studies = printed("list", "studies")
    assert documented(studies[0]) and "quick" in {each["id"] for each in studies}
    runtimes = printed("list", "runtimes")
    assert documented(runtimes[0])
    assert {each["name"]: each["used"] for each in runtimes}["fake-1.0"] is True
    strategies = {each["runtime"]: each["strategies"] for each in printed("list", "strategies")}
    assert "fake/steady" in {each["name"] for each in strategies["fake-1.0"]}
    health = printed("doctor", "--dir", disk_folder)
    assert documented(health) and documented(health["page_cache"])
    assert documented(health["first_touch"] or {}) and health["folder"] == str(disk_folder)


@pytest.mark.long
@needs_go
@pytest.mark.real
def test_advice(printed, disk_folder):
    go = ("advise", "--language", "go", "--size", "64K", "--dir", disk_folder)
    nothing = printed(*go, status=1)
    assert nothing["advice"] == [] and nothing["wanted"]["size"] == 65536
    (advice,) = printed(*go, "--run", "--budget", "2s")["advice"]
    assert documented(advice)
    assert advice["use"]["strategy"].startswith("go/") and "use(" in advice["code"]
    for name in ("fastest", "simpler", "simplest", "smaller"):
        assert advice[name] is None or documented(advice[name])
