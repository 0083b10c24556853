"""Fixtures for all tests. Nothing here depends on the machine's speed, and nothing is written
outside temporary folders (but builds of runners, which are kept in the cache folder as they are for
every user).
"""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
# The interpreter itself: a version manager's script in its place starts dozens of processes for
# each fork.
os.environ["PATH"] = f"{Path(sys.executable).resolve().parent}:{os.environ['PATH']}"
# A thread for each core, which numpy would start, takes each process a fifth longer.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["IOGAUGE_RUNNERS"] = str(TESTS / "runners")  # the fake runner is found like any other


def pytest_collection_modifyitems(items):
    # One that takes a worker long comes first: at the end the other would have nothing to do.
    items.sort(key=lambda item: not item.get_closest_marker("early"))
    for item in items:
        if item.get_closest_marker("alone") and TESTS / "e2e" not in item.path.parents:
            raise pytest.UsageError(f"{item.nodeid}: `make test` looks for tests alone in e2e only")


@pytest.fixture(scope="session")
def folders_of_tests(tmp_path_factory):
    """Gives a new folder for each test, which is there only once something is written into it."""
    base = tmp_path_factory.mktemp("own")
    return (base / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def own_folders(folders_of_tests, monkeypatch):
    """Run files of tests go to a temporary folder. It is not `tmp_path`: to make and remove one
    for each of thousands of tests takes half a minute.
    """
    monkeypatch.setenv("XDG_DATA_HOME", str(next(folders_of_tests)))


@pytest.fixture(scope="session")
def disk_folder(tmp_path_factory):
    """A folder on a real disk, where files can be made cold; pytest's own may be memory."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="iogauge-test-", dir="/var/tmp") as name:
        yield Path(name)


@pytest.fixture
def folder(disk_folder, request):
    """A folder of the test's own on a real disk."""
    # Two files may have tests of one name.
    name = f"{request.node.path.stem.removeprefix('test_')}-{request.node.name}"
    made = disk_folder / re.sub(r"\W+", "-", name)
    made.mkdir()
    return made


@pytest.fixture(scope="session")
def fake():
    """The fake runtime, ready to be measured."""
    from iogauge.runners import manifest, preparing

    ready, _ = preparing.prepare({}, lambda text: None, [manifest.load(TESTS / "runners" / "fake")])
    return ready[0]


@pytest.fixture(scope="session")
def real():
    """All runtimes of this machine that are ready to be measured, without the fake one."""
    from iogauge.runners import preparing

    ready, _ = preparing.prepare({}, print)
    return [each for each in ready if each.runtime.runner != "fake"]


@pytest.fixture(scope="session")
def languages(real):
    return {language for each in real for language in each.runtime.languages}


@pytest.fixture(scope="session")
def measured_once(fake, tmp_path_factory):
    """Measures a study on the fake runner until it is decided, or gives what another test measured:
    the run file must stay as it is, the run in memory is the test's own.
    """
    from iogauge.runfile import reading
    from tests.fake_study import measure

    done = {}

    def measured(text: str):
        if text not in done:
            done[text] = measure(text, fake, tmp_path_factory.mktemp("once"), seed=1)
        return replace(done[text], run=reading.read(done[text].path))

    return measured


@pytest.fixture
def study(fake, tmp_path):
    """Measures a study on the fake runner, in the test's own folder unless another is given. Its
    clock moves by `step` seconds with each look at it.
    """
    from tests.fake_study import Clock, measure

    def measured(text: str, *, folder: Path = tmp_path, step: float = 0.0, **options):
        return measure(text, fake, folder, clock=options.pop("clock", Clock(step)), **options)

    return measured


@pytest.fixture
def spied(monkeypatch):
    """`spied(module, "name")` lists what the function or method is called with from now on."""

    def spy(target: object, name: str) -> list[tuple]:
        called, original = [], getattr(target, name)

        def calling(*given, **named):
            called.append(given)
            return original(*given, **named)

        monkeypatch.setattr(target, name, calling)
        return called

    return spy


@pytest.fixture
def only_fake(monkeypatch):
    """In this process, as if there were no runner but the fake one: to find the toolchains of all
    others takes each command longer than what most tests are about.
    """
    from iogauge.runners import manifest

    fake = manifest.load(TESTS / "runners" / "fake")
    monkeypatch.setattr(manifest, "all_runners", lambda: [fake])


@pytest.fixture
def iogauge(capfd, monkeypatch):
    """Runs the command line in this process: `iogauge("run", ...)` gives status, out and err."""
    from iogauge.commands import cli

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        capfd.readouterr()
        with monkeypatch.context() as changed, pytest.raises(SystemExit) as end:
            changed.setattr(sys, "argv", ["iogauge", *map(str, arguments)])
            cli.main()
        return subprocess.CompletedProcess(arguments, end.value.code, *capfd.readouterr())

    return run


@pytest.fixture
def iogauge_process(request):
    """The same in a process of its own, with such variables in its environment."""
    fake = "only_fake" in request.fixturenames
    start = [str(TESTS / "anywhere" / "with_fake_runner.py")] if fake else ["-m", "iogauge"]

    def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *start, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=300,
            env={**os.environ, **environment},
            check=False,
        )

    return run
