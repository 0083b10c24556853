"""Runners that bring unit tests of their own, in their own language."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.toolchains import cargo_works

RUNNERS = Path(__file__).parents[2] / "runners"


def test_go(tmp_path):
    """The consumer against a naive loop, in every alignment and length; and the wire."""
    if not shutil.which("go"):
        pytest.skip("no Go")
    done = subprocess.run(
        ["go", "test", "./..."], cwd=RUNNERS / "go", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    vetted = subprocess.run(
        ["go", "vet", "./..."], cwd=RUNNERS / "go", capture_output=True, text=True, check=False
    )
    assert vetted.returncode == 0, vetted.stderr


def test_rust(tmp_path):
    """The consumer against a naive loop, in every alignment and length."""
    if not cargo_works():
        pytest.skip("no cargo, or a launcher of it without a toolchain")
    folder = tmp_path / "rust"
    shutil.copytree(RUNNERS / "rust", folder)
    environment = {**os.environ, "CARGO_TARGET_DIR": str(tmp_path / "target")}
    for command in (
        ["cargo", "generate-lockfile", "--quiet"],
        ["sh", "restore-lock.sh"],
        ["cargo", "test", "--locked", "--quiet"],
    ):
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert "test result: ok" in done.stdout and "running 0 tests" not in done.stdout.splitlines()[0]
