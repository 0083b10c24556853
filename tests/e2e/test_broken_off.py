"""A disk that fails, or a probe: what was measured is kept, and the exit status says so."""

from __future__ import annotations

import errno
import os

import pytest

from iogauge.host import pagecache, provable
from iogauge.measuring import sampling
from iogauge.runfile import reading
from tests.fake_study import HEAD, group, steady

STUDY = HEAD.replace("1h", "2s") + group(steady(10, 20))


@pytest.fixture
def run(iogauge, monkeypatch, tmp_path):
    """Measures the study; gives what was said, and the run file."""

    def run(text: str = STUDY):
        study, out = tmp_path / "study.toml", tmp_path / "run.jsonl"
        study.write_text(text)
        return iogauge("run", study, "--dir", tmp_path, "--out", out), out

    return run


def fails_from(monkeypatch, module, name: str, call: int) -> None:
    """As if the device failed at this call of a function, and ever after."""
    right, calls = getattr(module, name), []

    def failing(*arguments, **more):
        calls.append(1)
        if len(calls) >= call:
            raise OSError(errno.EIO, os.strerror(errno.EIO), "/the/file")
        return right(*arguments, **more)

    monkeypatch.setattr(module, name, failing)


def test_what_was_measured_before_the_disk_failed_is_kept(run, monkeypatch):
    fails_from(monkeypatch, sampling, "bring_in", 2)
    done, out = run(STUDY.replace("2s", "1h"))
    assert done.returncode == 3, done
    assert done.stderr.splitlines()[-1] == (
        f"iogauge: /the/file: Input/output error; what was measured until then is in {out}; "
        "iogauge show shows it"
    )
    kept = reading.read(out)
    assert len(kept.columns.case) and kept.end_reason == "interrupted"


def test_where_nothing_was_measured_it_is_bad_input(run, monkeypatch):
    fails_from(monkeypatch, sampling, "bring_in", 1)
    done, _ = run()
    assert done.returncode == 2 and done.stderr.splitlines()[-1] == (
        "iogauge: /the/file: Input/output error"
    )


def test_a_case_whose_file_fails_leaves_the_others(run, monkeypatch):
    fails_from(monkeypatch, pagecache, "observe", 8)
    done, out = run()
    assert done.returncode == 3 and "Traceback" not in done.stderr
    assert {each.reason for each in reading.read(out).failures} == {"/the/file: Input/output error"}


@pytest.mark.long
def test_a_probe_that_fails_tells_of_its_question_alone(run, monkeypatch):
    fails_from(monkeypatch, provable, "why_not_cold", 1)
    cold = group(steady(10, 20), cache='["cold"]', identifier="cold")
    done, out = run(STUDY + cold)
    assert done.returncode == 3, done
    found = reading.read(out)
    assert {each.reason for each in found.failures} == {
        "not testable here: /the/file: Input/output error"
    }
    assert len(found.columns.case)
