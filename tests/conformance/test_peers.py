"""Other people's tools are started as iogauge starts its forks: with the same program, options and variables."""

from __future__ import annotations

from pathlib import Path

import pytest

from iogauge import fork as forks
from iogauge.model import UserError

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.parametrize("language", ["java", "go", "rust"])
def test_how_a_peer_is_started_is_read_off_the_runtime_and_not_off_what_starts_it(language, monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from peers import runtimes

    if forks._sets_signal():  # slower than any reader of /proc
        monkeypatch.setattr(forks, "_SETS_SIGNAL", ("sh", "-c", 'sleep 0.3; exec "$@"', "sh", *forks._SETS_SIGNAL))

    try:
        found = runtimes.find(language)
    except UserError as error:
        pytest.skip(str(error))
    started = runtimes.start(found, 256, ())
    assert started.command[0] == found.ready.launch.command[0].replace("{layout}", "0")
    assert started.environment
