"""Another user, at home on several file systems, with a real runner: the whole command."""

from __future__ import annotations

import os
import shutil

import pytest

from iogauge.runners import manifest, preparing
from iogauge.runners.preparing import Missing
from tests.anywhere import conditions
from tests.anywhere.mounts import mounted

GO = conditions.ROOT / "runners" / "go"
ANSWERED = "a file is measured, from disk too where that can be, and the answer has code to copy"


@pytest.fixture(scope="module")
def built():
    """The folder of the build of Go's runner."""
    usable = preparing.usable(manifest.load(GO), [])
    if isinstance(usable, Missing):
        pytest.skip(usable.why)
    (made,) = preparing.obtain(usable.wanted, print)
    if isinstance(made, Missing) or not usable.wanted[0].built:
        pytest.skip("Go's runner cannot be built here")
    return usable.wanted[0].built


@pytest.mark.real
@pytest.mark.parametrize(
    "condition",
    [
        "another user, at home on ext4, with Go",
        pytest.param("another user, at home on tmpfs, with Go", marks=pytest.mark.long),
        pytest.param("another user, at home on overlay, with Go", marks=pytest.mark.long),
        pytest.param(
            "another user, at home on btrfs with compression, with Go", marks=pytest.mark.long
        ),
    ],
)
def test_another_user(built, disk_folder, told, condition):
    kind = condition.removeprefix("another user, at home on ").removesuffix(", with Go")
    disk_folder.chmod(0o711)
    with mounted(kind, disk_folder) as folder:
        home = folder / "home"
        home.mkdir()
        runners = home / "cache" / "iogauge" / "runners"
        shutil.copytree(built, runners / built.name)
        (home / "my file").write_bytes(os.urandom(1 << 20))
        for path in (home, *home.rglob("*")):
            os.chown(path, conditions.NOBODY, conditions.NOBODY)
        with conditions.another_user(home) as iogauge:
            script = conditions.ROOT / "tests/anywhere/with_runners.py"
            done = iogauge.python(script, GO, "--", home / "my file", "--budget", "1s")
    assert done.returncode == 0 and "Traceback" not in done.stderr, done
    assert "building" not in done.stderr, "the copy is what was built"
    assert "os.ReadFile" in done.stdout and "    use(data)" in done.stdout, done.stdout
    refused = "not measured: from disk: tmpfs keeps its files in memory" in done.stderr
    assert refused == (kind == "tmpfs"), done.stderr
    told(condition, ANSWERED)
