"""Code hints say what their strategy does: all of them, so that nobody is advised to write what is
none. (That they compile is tested in test_own_tests.py.)
"""

from __future__ import annotations

import re

import pytest

from iogauge.runners import hints, preparing
from tests.hints import HINTS, VALUES


@pytest.fixture(scope="module")
def known():
    """The strategies of all runtimes that are here, by name."""
    ready, _ = preparing.prepare({}, lambda text: None)
    return {name: strategy for each in ready for name, strategy in each.runtime.strategies.items()}


@pytest.mark.parametrize("language", HINTS)
def test_a_hint_has_its_strategys_parameters_and_fits_the_screen(language, known):
    if not any(name.startswith(f"{language}/") for name in known):
        pytest.skip(f"no {language} here")
    assert HINTS[language]
    for path in HINTS[language]:
        strategy = known[f"{language}/{path.stem}"]
        assert strategy.role == "contestant" and strategy.medium == "file"
        text = path.read_text()
        shown = hints.of(strategy.name, {"block": 131072, "buffer": 131072})
        assert {name for name in VALUES if re.search(rf"\b{name.upper()}\b", text)} == set(
            strategy.parameters
        ) & set(VALUES), path
        assert max(map(len, shown.expandtabs(4).splitlines())) <= 76, path


def test_values_stand_in_the_place_of_their_names():
    assert "new byte[4096]" in hints.of("java/file-input-stream", {"block": 4096})
    assert hints.of("java/no-such-strategy", {}) is None
