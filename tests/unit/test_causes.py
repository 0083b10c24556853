"""Why a build failed, in plain words: from what tools print."""

from __future__ import annotations

import pytest

from iogauge.runners.building import Failed, why_failed


def cause(tmp_path, output: str) -> str:
    return why_failed(Failed("tool", "ended with status 1", output), tmp_path, was_full=False)


@pytest.mark.parametrize(
    "output",
    [
        "go: module lookup: dial tcp: lookup host: no such host\n",
        "Cannot access central (https://host) in offline mode and the artifact x has not been downloaded",
        "warning: spurious network error (3 tries remaining): [6] Could not resolve host: host\n",
        "attempting to make an HTTP request, but --offline was specified: consider the --offline flag",
        "proxyconnect tcp: dial tcp 10.0.0.1:3128: connect: connection refused",
        "PKIX path building failed: unable to find valid certification path",
        "SSL certificate problem: self-signed certificate in certificate chain",
    ],
)
def test_what_cannot_be_fetched_is_told_as_such(tmp_path, output):
    assert "could not fetch what it needs" in cause(tmp_path, output)


@pytest.mark.parametrize(
    "output",
    ["error: cannot find type `Proxy` in this scope", "proxy.go:3: undefined: certificate", ""],
)
def test_a_name_in_the_sources_is_no_matter_of_the_network(tmp_path, output):
    assert "could not fetch" not in cause(tmp_path, output)
