"""Runners are built when a plan needs them, and one that cannot be built does not stop others."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from iogauge.model import folders
from iogauge.runners import manifest, preparing
from tests import two_runners

NO_NETWORK = "echo dial tcp: lookup somewhere: no such host >&2; exit 1"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "cache", lambda: tmp_path / "cache")
    return tmp_path / "cache" / "runners"


@pytest.fixture
def place(tmp_path):
    """For data files, so that they do not go to the cache."""
    folder = tmp_path / "place"
    folder.mkdir()
    return folder


@pytest.fixture
def runners(tmp_path, monkeypatch, cache):
    """Gives the study of two runners, of which one is built in this way."""

    def only(build: str, **more: str) -> Path:
        made = [two_runners.FAKE, two_runners.other(tmp_path, build, **more)]
        monkeypatch.setattr(manifest, "all_runners", lambda: [manifest.load(each) for each in made])
        study = tmp_path / "both.toml"
        study.write_text(two_runners.BOTH)
        return study

    return only


def built(cache: Path) -> list[str]:
    return sorted(each.name.partition("-")[0] for each in cache.glob("*-*"))


def test_what_is_only_told_builds_nothing(iogauge, runners, cache, place):
    study = runners("true")
    listed = iogauge("list", "runtimes")
    told = " ".join(listed.stdout.split())
    assert told.count("its runner is built when a run needs it") == 2, listed.stdout
    assert "other/steady" in iogauge("list", "strategies").stdout
    assert iogauge("doctor", "--dir", place).returncode == 0
    assert iogauge("check", study).returncode == 0
    plan = iogauge("plan", study)
    assert "other/steady" in plan.stdout and "not built yet" in plan.stderr
    assert iogauge("advise", "--language", "other").returncode == 1
    assert not built(cache)


def test_a_runner_is_built_when_a_plan_needs_it_and_once(iogauge, runners, cache, place, tmp_path):
    count = tmp_path / "count"
    study = runners(f"echo >> {count}")
    second = tmp_path / "second.toml"
    second.write_text(two_runners.BOTH.replace('id = "both"', 'id = "second"'))
    done = iogauge("run", study, second, "--dir", place)
    assert done.returncode == 0 and built(cache) == ["fake", "other"], done.stderr
    assert len(count.read_text().splitlines()) == 1
    plan = iogauge("plan", study)
    assert "not built yet" not in plan.stderr


def test_one_that_cannot_be_built_is_a_line_and_the_others_go_on(
    iogauge, runners, cache, place, tmp_path
):
    study = runners(f"yes x | head -50; {NO_NETWORK}")
    out = tmp_path / "run.jsonl"
    done = iogauge("run", study, "--dir", place, "--out", out)
    assert done.returncode == 3
    why = f"the Other runner cannot be built: its build could not fetch what it needs; connect this machine to the network once, or tell the toolchain of a proxy or a mirror; log: {cache}/other.log"
    assert done.stderr.count("cannot be built") == 1
    assert f"not measured: other/*: {why}\n" in done.stderr
    assert "x\nx" not in done.stderr and "x\nx\n" in (cache / "other.log").read_text()
    header, *records = map(json.loads, out.read_text().splitlines())
    assert header["plan"]["skipped"] == [{"what": "other/*", "why": why, "language": "other"}]
    assert records and {each["runner"] for each in header["runtimes"]} == {"fake"}
    alone = iogauge("run", study, "--dir", place, "--only", "other/*")
    assert alone.returncode == 2 and f"nothing to measure: other/*: {why}\n" in alone.stderr
    fine = iogauge("run", study, "--dir", place, "--only", "fake/*")
    assert fine.returncode == 0 and "cannot be built" not in fine.stderr
    of_one = two_runners.BOTH.replace(', "other/steady"', "").replace('"both"', '"one"')
    (tmp_path / "one.toml").write_text(of_one)
    both = iogauge("run", study, tmp_path / "one.toml", "--dir", place)
    assert both.returncode == 3 and both.stderr.count("cannot be built") == 1, both.stderr


def test_of_a_file_the_other_languages_are_measured(iogauge, runners, tmp_path, monkeypatch):
    from iogauge.runners import hints

    runners(NO_NETWORK)
    names = ("fake/steady", "fake/mapping", "other/steady", "other/mapping")
    monkeypatch.setattr(hints, "all_names", lambda: frozenset(names))
    file = tmp_path / "file"
    file.write_bytes(b"x" * 65536)
    done = iogauge(file, "--budget", "1s")
    assert done.returncode == 3, done.stderr  # as with a study of both
    assert iogauge(file, "--budget", "1s", "--language", "fake").returncode == 0
    assert "not measured: other: the Other runner cannot be built: its build" in done.stderr
    alone = iogauge(file, "--budget", "1s", "--language", "other")
    assert alone.returncode == 2 and "the Other runner cannot be built" in alone.stderr


def test_what_is_built_needs_no_tool(runners, cache, tmp_path, monkeypatch):
    tool = tmp_path / "bin" / "other-tool"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\n")
    runners("other-tool", tools='"other-tool"')
    _, (missing,) = preparing.prepare({}, print)
    assert missing.why.startswith("other: skipped, no other-tool on the PATH; install")
    assert not missing.broken
    tool.chmod(0o755)
    with monkeypatch.context() as changed:
        changed.setenv("PATH", str(tool.parent), prepend=":")
        assert len(preparing.prepare({}, print)[0]) == 2
    ready, missing = preparing.prepare({}, print)
    assert len(ready) == 2 and not missing


@pytest.mark.parametrize(
    ("build", "why"),
    [
        ("echo note; echo error: it is wrong; exit 7", "error: it is wrong; run again when this"),
        ("exec no-such-tool", "ended with status 127: sh: 1: exec: no-such-tool: not found; run"),
        ("echo write: No space left on device; exit 1", "no space is left for its tools (write:"),
    ],
)
def test_other_reasons(runners, build, why):
    runners(build)
    (fake,), (missing,) = preparing.prepare({}, print)
    assert fake.runtime.runner == "fake" and missing.broken
    assert why in missing.why and "\n" not in missing.why and "log: " in missing.why


@pytest.mark.long
def test_how_long_a_build_takes_is_said_before_and_after(iogauge, runners, place, tmp_path):
    study = runners("sleep 1")
    table = tmp_path / "other" / "runner.toml"
    table.write_text(table.read_text().replace("[build]", "[build]\nseconds = 30"))
    done = iogauge("run", study, "--dir", place)
    before, _, after = done.stderr.partition("both: ")
    assert "building the Other runner with 3." in before and "(once, about 30 s)" in before
    told = re.search(
        r"^took (\d\S*) s in all, of which (\d\S*) s building runners, once$", after, re.M
    )
    assert told and 1 <= float(told[2]) < float(told[1]), done.stderr
    again = iogauge("run", study, "--dir", place)
    assert "building" not in again.stderr
