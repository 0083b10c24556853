"""Finding runtimes: what is said of those that are there and cannot be used."""

from __future__ import annotations

from pathlib import Path

from iogauge.runners import manifest, preparing
from iogauge.runners.manifest import Runner

FAKE = manifest.load(Path(__file__).parents[1] / "runners/fake")


def why(tmp_path: Path, says: str) -> str:
    """Of a runner whose only runtime answers so when it is asked for its version."""
    launcher = tmp_path / "launcher"
    launcher.write_text(f"#!/bin/sh\necho '{says}' >&2\nexit 1\n")
    launcher.chmod(0o755)
    table = FAKE.file.runtime.model_copy(
        update={"candidates": [str(launcher), "/no/such/launcher"]}
    )
    runner = Runner(FAKE.folder, FAKE.file.model_copy(update={"runtime": table}))
    ready, (missing,) = preparing.prepare({}, lambda text: None, [runner])
    assert not ready
    return missing.why.replace(str(launcher), "LAUNCHER")


def test_what_a_launcher_says_that_has_nothing_to_launch(tmp_path):
    """As rustup's does without a toolchain: the launcher is there, so `install it` alone would not
    help.
    """
    said = why(tmp_path, "error: no default is configured")
    assert (
        said
        == "fake: skipped, no python3 3.11 or newer (LAUNCHER does not say its version to '--version', but: error: no default is configured); install Python"
    )


def test_a_launcher_is_asked_by_the_name_that_it_goes_by(tmp_path):
    """rustup's are links to one program."""
    launcher = tmp_path / "launcher"
    program = tmp_path / "program"
    program.write_text('#!/bin/sh\necho "error: no $(basename $0) to launch"\n')
    program.chmod(0o755)
    launcher.symlink_to(program)
    table = FAKE.file.runtime.model_copy(update={"candidates": [str(launcher)]})
    _, (missing,) = preparing.prepare(
        {},
        lambda text: None,
        [Runner(FAKE.folder, FAKE.file.model_copy(update={"runtime": table}))],
    )
    assert "but: error: no launcher to launch" in missing.why


def test_it_cannot_move_the_cursor_and_is_not_long(tmp_path):
    said = why(tmp_path, "\x1b[2J" + "x" * 500)
    assert "\x1b" not in said and "\\u001b[2J" in said and "x…)" in said and len(said) < 380


def test_an_old_runtime_is_no_runtime(tmp_path):
    assert (
        why(tmp_path, "Python 2.7.18") == "fake: skipped, no python3 3.11 or newer; install Python"
    )
