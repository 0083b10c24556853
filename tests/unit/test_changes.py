"""Changes that runners know: changes.toml."""

from __future__ import annotations

from pathlib import Path

import pytest

from iogauge.measuring import two_ways
from iogauge.model.errors import UserError
from iogauge.model.strategy import Strategy
from iogauge.model.watched import TwoWays
from iogauge.runners import catalogue, changes, manifest

FAKE = Path(__file__).parents[1] / "runners" / "fake"
ROW = """
[[change]]
language = "fake"
kind = "small-reads"
text = "read faster"
slow = { strategy = "fake/steady", parameters = { speed = 20 } }
"""


def of_ours() -> list[changes.Changes]:
    return [each for each in changes.every() if each.runner and each.runner.folder != FAKE]


def written(folder: Path, text: str) -> Path:
    (folder / "runner.toml").write_text((FAKE / "runner.toml").read_text())
    (folder / "changes.toml").write_text(text)
    return folder


def asked(kind: str, language: str, size: int, hint: str = "", **more) -> TwoWays:
    return TwoWays(kind=kind, language=language, size=size, length=1 << 20, hint=hint, **more)


def chosen(question: TwoWays, version: str | None = None) -> changes.ChangeTable | None:
    rows = (
        known.choose(question, language, version)
        for known, language in changes.for_question(question)
    )
    return next((row for row in rows if row), None)


def in_catalogue(runner: manifest.Runner) -> dict[str, Strategy]:
    return {each.name: each for each in catalogue.read(runner).strategies}


def test_every_strategy_and_parameter_is_in_its_catalogue():
    assert len(of_ours()) > 4
    for each in of_ours():
        assert list(changes.problems(each, in_catalogue(each.runner))) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (ROW.replace("fake/steady", "fake/stedy"), "change.0: no strategy is called 'fake/stedy'"),
        (
            ROW.replace("speed", "spead"),
            "fake/steady has no parameter 'spead'; allowed: s",
        ),
        (ROW.replace("20", "0"), "fake/steady: speed: 0; allowed: 1 to 100000"),
        (ROW + 'fast = { strategy = "fake/writing" }', "slow and fast do different work"),
        (ROW.replace("steady", "lines") + 'consume = "touch"', "both must be able to touch"),
    ],
)
def test_what_a_runner_cannot_do_is_told(tmp_path, text, says):
    known = changes.load(written(tmp_path, text))
    (told,) = changes.problems(known, in_catalogue(manifest.load(FAKE)))
    assert says in told


def test_every_language_has_the_changes_that_a_watch_may_find():
    needed = {"small-reads", "small-writes", "opened-again", "read-again"}
    rows = [(row.language, row.kind) for each in of_ours() for row in each.rows]
    for language in (*(set(manifest.languages()) - {"fake"}), "native"):
        assert needed <= {kind for of, kind in rows if of == language}, language
        assert (language, "unpacking") in rows or language == "native"


def test_every_text_fits_on_a_line():
    for each in changes.every():
        for row in each.rows:
            assert len(row.text) <= 80 and len(row.code) <= 90, row.text


@pytest.mark.parametrize(
    ("question", "version", "slow", "fast"),
    [
        (asked("small-reads", "java", 1), "17", "java/file-input-stream-byte", "java/buffered-input-stream-byte"),
        (asked("small-reads", "java", 2), "17", "java/file-input-stream", "java/buffered-input-stream"),
        (asked("small-writes", "java", 512), "25.0.1", "java/file-writer", "java/buffered-writer"),
        (asked("small-writes", "java", 512), "17.0.15", "java/file-output-stream", "java/buffered-output-stream"),
        (asked("small-writes", "java", 8192, "java.io.FileWriter.write"), "17.0.15", "java/file-writer", "java/buffered-writer"),
        (asked("small-writes", "unheard-of", 10240), "1", "rust/file-write", "rust/file-write"),
        (asked("opened-again", "node", 30, appends=True), "22", "node/append-file-sync", "node/write-sync"),
        (asked("small-reads", "java", 1, "java.io.RandomAccessFile.read java.io.RandomAccessFile.readLine"), "17", "java/random-access-file-byte", "java/buffered-reader-line"),
        (asked("small-reads", "java", 1, "java.io.RandomAccessFile.read"), "17", "java/random-access-file-byte", "java/buffered-input-stream-byte"),
        (asked("locked-bytes", "c", 1), "12", "c/getc", "c/getc-unlocked"),
    ],
)  # fmt: skip
def test_the_change_fits_to_size_version_and_stacks(question, version, slow, fast):
    row = chosen(question, version)
    assert (row.slow.strategy, row.fast.strategy) == (slow, fast)


def test_what_was_seen_stands_in_the_parameters():
    row = chosen(asked("small-writes", "go", 16), "1.26")
    assert row.slow.values(16) == {"block": 16}
    assert row.fast.values(16) == {"block": 16, "buffer": 64 << 10}


@pytest.mark.parametrize("language", ["go", "native"])
def test_where_no_change_is_known_there_is_none(language):
    assert chosen(asked("locked-bytes", language, 1), "1") is None
    assert chosen(asked("small-reads", language, 1 << 20), "1") is None


def test_a_shell_is_answered_whatever_language_was_seen():
    assert chosen(asked("lines-by-shell", "unheard-of", 30)).fast.command.startswith("awk")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (ROW.replace('"fake"', '"java"'), "change.0.language: 'java'; allowed: fake, native"),
        (ROW.replace("small-reads", "slow"), "change.0.kind"),
        (ROW + 'color = "red"\n', "change.0.color: Extra inputs"),
        (ROW.replace("20", '"{length}"'), "{size} stands for the size that was seen"),
        (ROW.replace('strategy = "fake/steady",', ""), "give a strategy, or a command"),
        (ROW + "sizes = [9, 1]\n", "sizes: give two, the least and the most"),
        ("[[change", "not TOML"),
    ],
)
def test_a_mistake_is_told_in_one_line(tmp_path, text, says):
    with pytest.raises(UserError) as told:
        changes.load(written(tmp_path, text))
    assert says in str(told.value) and "\n" not in str(told.value)
    assert str(tmp_path / "changes.toml") in str(told.value)


@pytest.mark.parametrize(
    ("runner", "executable", "is_one"),
    [
        ("python", "/usr/bin/python3.11", True),
        ("python", "/opt/venv/bin/python", True),
        ("jvm", "/usr/lib/jvm/x/bin/java", True),
        ("jvm", "/usr/bin/javac", False),
        ("go", "/home/me/gopher", False),
        ("node", "/usr/bin/node", True),
    ],
)
def test_only_a_runtime_is_asked_for_its_version(runner, executable, is_one):
    found = next(each for each in manifest.all_runners() if each.name == runner)
    assert changes.is_runtime(executable, found) is is_one


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("print(row, flush=True)", "print(line)"),
        ("sys.stdout.write(row)", "sys.stdout.write(line)"),
        ("out.write(row)", "open(path"),
    ],
)
def test_what_a_program_calls_is_what_it_should_call(line, names):
    found = chosen(asked("small-writes", "python", 30, line))
    assert found is not None and found.code.startswith(names)


def test_what_is_written_is_not_answered_by_what_reads_less():
    assert chosen(asked("opened-again", "python", 30, appends=True)) is None
    assert chosen(asked("opened-again", "python", 30)) is not None


def test_who_flushes_after_each_piece_is_told_so():
    found = chosen(asked("small-writes", "python", 30))
    assert found is not None and "flush for each" in found.text


@pytest.mark.parametrize(
    ("kind", "mode"), [("opened-again", "append"), ("small-writes", "truncate")]
)
def test_both_ways_write_as_the_slow_one_can(kind, mode):
    """A way that only appends would be left out beside one that writes a new file."""
    found = chosen(asked(kind, "node", 30, appends=kind == "opened-again"))
    known = in_catalogue(next(each.runner for each in of_ours() if each.runner.name == "node"))
    assert two_ways._question(found, known, 30, 1 << 20)["mode"] == mode
