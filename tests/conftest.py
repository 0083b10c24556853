"""Fixtures for all tests. Nothing here depends on the machine's speed, and nothing is written
outside temporary folders (but builds of runners, which are kept in the cache folder as they are for
every user).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
# The interpreter itself: a version manager's script in its place starts dozens of processes for
# each fork.
os.environ["PATH"] = f"{Path(sys.executable).resolve().parent}:{os.environ['PATH']}"
os.environ["IOGAUGE_RUNNERS"] = str(TESTS / "runners")  # the fake runner is found like any other


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    """Run files of tests go to a temporary folder."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))


@pytest.fixture(scope="session")
def disk_folder(tmp_path_factory):
    """A folder on a real disk, where files can be made cold; pytest's own may be memory."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="iogauge-test-", dir="/var/tmp") as name:
        yield Path(name)


@pytest.fixture(scope="session")
def fake():
    """The fake runtime, ready to be measured."""
    from iogauge.runners import manifest, preparing

    ready, _ = preparing.prepare({}, lambda text: None, [manifest.load(TESTS / "runners" / "fake")])
    return ready[0]


@pytest.fixture
def iogauge():
    """Runs the command line in a process of its own: `iogauge("run", ...)` gives status, out and
    err.
    """

    def run(
        *arguments: object, timeout: float = 300, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "iogauge", *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=timeout,
            env={**os.environ, **environment},
            check=False,
        )

    return run
