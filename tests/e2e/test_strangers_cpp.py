"""Code in C++ as strangers write it, and what comes out."""

import pytest

from tests.e2e import strangers

QUICK = ("lines",)  # of `make test`


@pytest.fixture
def here(folder, monkeypatch):
    """The folder in which a stranger works."""
    strangers.put(folder, "cpp")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.real
@pytest.mark.parametrize("name", strangers.named("cpp", QUICK))
def test_code_in_cpp_of_a_stranger(iogauge, here, name):
    strangers.check(iogauge, here, "cpp", name)
