"""Code in Rust as strangers write it, as it stands."""

import shutil

import pytest

from tests.e2e.strangers import check, named, put

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
