"""What all whole runs of one process have in common."""

import os
from functools import cache

import pytest

from iogauge.host import memory
from iogauge.runners import finding

_once = cache(memory.first_touch)
_version, _said = finding._version, {}


@pytest.fixture(autouse=True)
def machine_measured_once(monkeypatch):
    """How fast fresh memory is here is a fact of each run, which takes some tenths of a second to
    find out: the first run of this process finds it out for all.
    """
    monkeypatch.setattr(memory, "first_touch", _once)


@pytest.fixture(autouse=True)
def runtimes_asked_once(monkeypatch):
    """To ask all runtimes for their versions takes a second: it is done once for each state of
    their executables and of the environment.
    """

    def version(path, runner):
        found = path.stat()
        variables = {name: text for name, text in os.environ.items() if not name.startswith("XDG_")}
        variables.pop("PYTEST_CURRENT_TEST", None)
        file = runner.file
        state = repr(
            (path, found.st_mtime_ns, found.st_ino, file.runtime, file.environment, variables)
        )
        if state not in _said:
            _said[state] = _version(path, runner)
        return _said[state]

    monkeypatch.setattr(finding, "_version", version)
