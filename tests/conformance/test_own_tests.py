"""Runners that bring unit tests of their own, in their own language."""

import shutil
import subprocess
from pathlib import Path

RUNNERS = Path(__file__).parents[2] / "runners"


def test_go(tmp_path):
    """The consumer against a naive loop, in every alignment and length; and the wire."""
    if not shutil.which("go"):
        return
    done = subprocess.run(["go", "test", "./..."], cwd=RUNNERS / "go", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    vetted = subprocess.run(["go", "vet", "./..."], cwd=RUNNERS / "go", capture_output=True, text=True, check=False)
    assert vetted.returncode == 0, vetted.stderr
