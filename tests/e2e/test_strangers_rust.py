"""Code in Rust as strangers write it, as it stands."""

import os
import shutil
import subprocess

import pytest

from iogauge.model import folders
from tests.e2e.strangers import check, named, put, said

QUICK = ("linecount",)  # of `make test`

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not shutil.which("cargo"), reason="no Rust"),
]


@pytest.fixture
def here(disk_folder, monkeypatch):
    """The folder in which a stranger works."""
    folder = disk_folder / "user"
    put(folder, "rust")
    monkeypatch.chdir(folder)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("name", named("rust", QUICK))
def test_code_of_a_stranger(iogauge, here, name):
    check(iogauge, here, "rust", name)


def measured(iogauge, *own: str):
    words = [word for each in own for word in ("--own", each)]
    return iogauge("log", *words, "--dir", ".", "--budget", "1s")


@pytest.mark.long
def test_two_versions_are_compared_and_built_once(iogauge, here):
    """A second run builds nothing, and a result that differs is told."""
    text = (here / "count.rs").read_text()
    (here / "new.rs").write_text(text.replace("lines += 1", "lines += 2"))
    done = measured(iogauge, "old=count.rs", "new=new.rs")
    assert done.returncode == 0 and done.stderr.count("preparing --own") == 2, said(done)
    assert "Rust (old)" in done.stdout and "Rust (new)" in done.stdout
    assert "different result from" in said(iogauge("show", "--details")), said(done)
    again = measured(iogauge, "old=count.rs", "new=new.rs")
    assert again.returncode == 0 and "preparing" not in again.stderr, said(again)


@pytest.mark.long
def test_dependencies_have_the_versions_of_the_lock_file(iogauge, here):
    """Older ones than cargo would take."""
    where, lock = ["--manifest-path", "mapped/Cargo.toml"], here / "mapped" / "Cargo.lock"
    older = ["cargo", "update", "--package", "memchr", "--precise", "2.7.1", *where]
    if subprocess.run(older, check=False).returncode:
        pytest.skip("no network")
    locked = lock.read_text()
    done = measured(iogauge, "mapped")
    assert done.returncode == 0 and lock.read_text() == locked, said(done)
    built = max((folders.cache() / "runners").glob("rust-*/own/Cargo.lock"), key=os.path.getmtime)
    assert 'name = "memchr"\nversion = "2.7.1"' in built.read_text()


@pytest.mark.long
def test_code_for_the_api_is_no_stranger(iogauge, here):
    """It says itself what is measured."""
    folder = here / "written"
    (folder / "src").mkdir(parents=True)
    manifest = '[package]\nname = "written"\nversion = "0.1.0"\nedition = "2021"\n'
    (folder / "Cargo.toml").write_text(f'{manifest}[dependencies]\niogauge_own = "*"\n')
    done = measured(iogauge, "written:count")
    assert done.returncode == 2 and "says itself which functions are measured" in said(done)
