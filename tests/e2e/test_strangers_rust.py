"""Code in Rust as strangers write it, as it stands."""

import os
import shutil
import subprocess

import pytest

from iogauge.model import folders
from tests.e2e.strangers import check, elsewhere, named, put, read_only, said

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
    text = f"// {here}\n" + (here / "count.rs").read_text()  # that nobody built before
    (here / "old.rs").write_text(text)
    (here / "new.rs").write_text(text.replace("lines += 1", "lines += 2"))
    done = measured(iogauge, "old=old.rs", "new=new.rs")
    assert done.returncode == 0 and done.stderr.count("preparing --own") == 2, said(done)
    assert "Rust (old)" in done.stdout and "Rust (new)" in done.stdout
    assert "different result from" in said(iogauge("show", "--details")), said(done)
    again = measured(iogauge, "old=old.rs", "new=new.rs")
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
    locks = (folders.cache() / "runners").glob("rust-*[!l]/own/Cargo.lock")  # of no .partial
    built = max(locks, key=os.path.getmtime)
    assert 'name = "memchr"\nversion = "2.7.1"' in built.read_text()


@pytest.mark.long
def test_an_older_file_of_a_package_beside_is_compiled(iogauge, here):
    """As one that comes from elsewhere with its time, or that was moved back."""
    done = measured(iogauge, "shared/app")
    assert done.returncode == 0, said(done)
    common = here / "shared" / "common" / "src" / "lib.rs"
    common.write_text('pub fn is_error(_: &[u8]) -> bool {\n    panic!("an older one")\n}\n')
    os.utime(common, (0, 0))
    done = measured(iogauge, "shared/app")
    assert done.returncode == 2 and "an older one" in said(done), said(done)


@pytest.mark.long
def test_of_builds_for_the_same_library_nothing_of_the_users_stays(iogauge, here):
    """What is built of dependencies does, and no more than one state of their own packages."""
    text = (here / "logstat" / "src" / "lib.rs").read_text()
    for each in range(3):
        (here / "logstat" / "src" / "lib.rs").write_text(f"{text}// {here} {each}\n")
        done = measured(iogauge, "logstat:total")
        assert done.returncode == 0, said(done)
    targets = (folders.cache() / "runners").glob("rust-*/target")
    found = [*max(targets, key=os.path.getmtime).glob("**/deps/liblogstat*.rlib")]
    assert len(found) <= 1, found


@pytest.mark.long
def test_code_that_cannot_be_written_beside_is_measured(here):
    """A file alone, a program with modules, a package, a member of a workspace, and one with another
    beside it, on a read-only mount.
    """
    out = str(elsewhere(here))
    for own in ("count.rs", "modules/tool.rs", "linecount", "grid/crates/scan", "shared/app"):
        done = read_only(here, "log", "--own", own, "--dir", out, "--budget", "1s")
        assert done.returncode == 0, said(done)


@pytest.mark.long
def test_code_for_the_api_is_no_stranger(iogauge, here):
    """It says itself what is measured."""
    folder = here / "written"
    (folder / "src").mkdir(parents=True)
    manifest = '[package]\nname = "written"\nversion = "0.1.0"\nedition = "2021"\n'
    (folder / "Cargo.toml").write_text(f'{manifest}[dependencies]\niogauge_own = "*"\n')
    done = measured(iogauge, "written:count")
    assert done.returncode == 2 and "says itself which functions are measured" in said(done)
