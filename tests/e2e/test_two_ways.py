"""What a change saves: two ways, measured within seconds."""

from __future__ import annotations

import shutil
import tempfile
from types import SimpleNamespace

import pytest

from iogauge.measuring import known_answers, two_ways
from iogauge.measuring.sampling import Sampler
from iogauge.measuring.two_ways import NotMeasured, measure, measure_all
from iogauge.model import folders
from iogauge.model.watched import TwoWays
from iogauge.runners import changes, preparing
from iogauge.runners.fork import Fork

ROWS = [
    pytest.param(each.runner, row, id=f"{row.language}-{row.kind}-{number}")
    for each in changes.every()
    if each.runner and each.runner.name != "fake"
    for number, row in enumerate(each.rows)
]


def asked(kind: str = "small-reads", size: int = 30, **more) -> TwoWays:
    given = {"kind": kind, "language": "fake", "size": size, "length": 1 << 20, **more}
    return TwoWays(**given)


@pytest.fixture
def answer(tmp_path, only_fake):
    """Answers a question on the fake runner."""
    return lambda question: measure(question, tmp_path, 0.5, print)


def test_a_change_saves_the_difference_of_the_two(answer):
    found = answer(asked(size=30))
    assert found.slow_ns_per_byte.middle == pytest.approx(0.30, rel=0.01)
    assert found.ns_per_byte.middle == pytest.approx(0.20, rel=0.01)
    assert found.ns_per_byte.low <= found.ns_per_byte.middle <= found.ns_per_byte.high
    assert found.repeats >= 3
    assert found.change.text == "be faster" and found.change.code == "speed = 10"


def test_so_do_writes(answer):
    assert answer(asked("small-writes")).ns_per_byte.middle == pytest.approx(40, rel=0.01)


def test_of_what_need_not_be_done_all_is_saved_at_the_length_of_the_file(answer, spied):
    planned = spied(two_ways.plan, "make")
    found = answer(asked("opened-again", length=5000))
    assert found.ns_per_byte == found.slow_ns_per_byte
    assert found.ns_per_byte.middle == pytest.approx(3.0, rel=0.01)
    assert found.fast == ""
    assert planned[0][0].group[0].size == [5000]


def test_a_large_file_is_read_at_its_own_length(answer, spied):
    """Into a large buffer, whose pages are new each time, a byte costs several times as much."""
    planned = spied(two_ways.plan, "make")
    answer(asked("read-again", length=57 << 20))
    assert planned[0][0].group[0].size == [57 << 20]


@pytest.mark.parametrize(
    ("question", "why"),
    [
        (asked("synced"), "no change is known for synced of fake"),
        (asked(size=10), "no change is known for small-reads of fake at 10 bytes"),
        (asked("read-again"), "count"),
        (asked("unpacking"), "fake/absent: "),
        (asked("lines-by-shell", executable="/nowhere/bash"), "no such command"),
    ],
)
def test_what_cannot_be_measured_is_said(answer, question, why):
    found = answer(question)
    assert isinstance(found, NotMeasured) and why in found.why


def test_why_a_runtime_is_missing_has_no_size(answer, monkeypatch):
    here = SimpleNamespace(missing=[SimpleNamespace(why="fake: skipped")])
    monkeypatch.setattr(two_ways._Meter, "_runtime", lambda *given: (here, None))
    assert answer(asked(size=64)) == NotMeasured(why="fake: skipped")


def test_a_runner_is_not_built_where_that_takes_longer_than_there_is(answer, monkeypatch):
    monkeypatch.setattr(two_ways.Runtimes, "not_built", lambda self, names: list(names))
    load = changes.load
    slow_build = lambda folder: shown(load(folder))  # noqa: E731

    def shown(found):
        runner = found.runner and found.runner.with_build(seconds=30)
        return changes.Changes(runner, found.rows)

    monkeypatch.setattr(changes, "load", slow_build)
    assert "is not built yet" in answer(asked()).why


def test_a_runtime_that_cannot_be_used_leaves_the_default_one(answer, tmp_path):
    broken = tmp_path / "python3"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    assert answer(asked(executable=str(broken))) == answer(asked())


def test_a_program_that_is_no_runtime_is_never_run(answer, tmp_path):
    program = tmp_path / "mine"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/was-run\n")
    program.chmod(0o755)
    assert answer(asked(executable=str(program))).repeats >= 3
    assert not (tmp_path / "was-run").exists()


def test_the_same_question_is_not_measured_twice_within_a_day(answer, spied, monkeypatch):
    first, starts = answer(asked()), spied(Fork, "__init__")
    assert answer(asked()) == first and not starts
    assert answer(asked(size=31)) != first and starts
    del starts[:]
    monkeypatch.setattr(known_answers, "KEPT", -1.0)
    answer(asked())
    assert starts


def test_what_is_not_known_well_is_measured_again(answer, spied):
    found = answer(asked("locked-bytes"))
    assert found.slow_ns_per_byte.high - found.slow_ns_per_byte.low > 5
    assert not folders.two_ways().exists()


def test_clean_forgets_the_answers(answer, iogauge, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    answer(asked())
    assert list(folders.two_ways().iterdir())
    iogauge("clean")
    assert not folders.two_ways().exists()


def test_runtimes_are_looked_for_once(tmp_path, only_fake, spied):
    looked = spied(preparing, "usable")
    found = measure_all([asked(size=30), asked(size=40)], tmp_path, 0.5, print)
    assert len(looked) == 1
    assert found[1].ns_per_byte.middle > found[0].ns_per_byte.middle


@pytest.mark.parametrize("interrupted", [False, True])
def test_no_run_file_stays_and_nothing_is_printed(
    tmp_path, only_fake, monkeypatch, capfd, interrupted
):
    data, temporary = tmp_path / "data", tmp_path / "temporary"
    data.mkdir()
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    if interrupted:

        def interrupt(*given):
            raise KeyboardInterrupt

        monkeypatch.setattr(Sampler, "take", interrupt)
        with pytest.raises(KeyboardInterrupt):
            measure(asked(), data, 0.5, print)
    else:
        measure(asked(), data, 0.5, print)
    assert not list(temporary.iterdir()) and not folders.runs().exists()
    assert folders.two_ways().exists() is not interrupted
    assert {each.name for each in data.iterdir()} <= {"iogauge-data"}
    assert capfd.readouterr() == ("", "")


@pytest.mark.real
def test_an_unbuffered_read_of_python_takes_longer(tmp_path):
    found = measure(asked(language="python", size=100), tmp_path, 2.0, print)
    assert found.slow == "open(buffering=0).read(n)"
    assert found.ns_per_byte.middle > 0.2 * found.slow_ns_per_byte.middle > 0


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("awk"), reason="needs awk")
def test_a_shell_takes_longer_for_its_lines_than_one_program(tmp_path):
    found = measure(asked("lines-by-shell", executable="/bin/sh"), tmp_path, 2.0, print)
    assert (found.slow, found.fast) == ("while read", "awk")
    assert found.ns_per_byte.middle > 0.2 * found.slow_ns_per_byte.middle > 0


@pytest.mark.real
@pytest.mark.long
@pytest.mark.parametrize(("runner", "row"), ROWS)
def test_each_change_can_be_measured(tmp_path, runner, row):
    size = max(512, row.sizes[0]) if row.sizes and row.sizes[1] > 1 else 1
    more = {"language": row.language, "hint": " ".join(row.hints), "appends": row.appends}
    question = asked(row.kind, size, length=5000, **more)
    found = measure(question, tmp_path, 1.0, print)
    if isinstance(found, NotMeasured):
        known = "skipped", "no zlib", "zlib was not found"
        assert any(each in found.why for each in known), found.why
        pytest.skip(found.why)
    assert found.ns_per_byte.middle > 0
