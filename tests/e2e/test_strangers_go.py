"""Code in Go as strangers write it: each file and folder of tests/strangers/go gives the numbers, or
the one line, that tests/strangers/expected-go.toml has for it.
"""

import shutil

import pytest
import strangers

QUICK = ("gocsv",)  # of `make test`
pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not shutil.which("go"), reason="no Go"),
]


@pytest.fixture
def here(folder, monkeypatch):
    """The folder in which a stranger works."""
    strangers.put(folder, "go")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("name", strangers.named("go", QUICK))
def test_code_of_a_stranger(iogauge, here, name):
    strangers.check(iogauge, here, "go", name)
