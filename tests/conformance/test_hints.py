"""Code hints say what their strategy does: all of them, so that nobody is advised to write what is
none. (That they compile is tested in test_own_tests.py.)
"""

from __future__ import annotations

import re
import tomllib

import pytest

from iogauge.model.workload import OF_THE_API
from iogauge.runners import hints, preparing
from tests.hints import HINTS, RUNNERS, VALUES, variants

SYNCS = {
    "fsync": r"\bfsync(Sync)?\(|\.sync\(\)|\.Sync\(\)|sync_all\(\)|force\(true\)",
    "fdatasync": r"fdatasync(Sync)?\(|datasync\(\)|Fdatasync\(|sync_data\(\)|force\(false\)",
}
"""How the languages say it."""


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
        mode = next(iter(strategy.modes), None)
        shown = hints.of(strategy.name, VALUES | {"block": 131072, "buffer": 131072}, mode)
        assert {name for name in VALUES if re.search(rf"\b{name.upper()}\b", text)} == set(
            strategy.parameters
        ) & set(VALUES), path
        assert max(map(len, shown.expandtabs(4).splitlines())) <= 76, path


@pytest.mark.parametrize("language", HINTS)
def test_a_hint_that_makes_durable_or_appends_says_how(language):
    shown = variants(language)
    for name, text in shown.items():
        assert "|" + "\n" not in text and not re.search(r"^\w+\|[^|]", text, re.MULTILINE), name
        first, *said = name.split()
        for durability, call in SYNCS.items():
            assert bool(re.search(call, text)) == (durability in said), name
        if "append" in said:
            assert "append" in text.lower() or re.search(r"""['"]ab?['"]|app\b|, true""", text), (
                name
            )
            assert text != shown.get(first)
        longest = max(map(len, text.expandtabs(4).splitlines()))
        assert longest <= 76, (name, longest)


def test_the_ways_to_append_durably_that_are_compared_have_code():
    """Without their lines for fsync, no code would be shown."""
    study = tomllib.loads((RUNNERS.parent / "studies" / "languages.toml").read_text())
    (append,) = [each for each in study["group"] if each["id"] == "append"]
    compared = [name for case in append["case"] for name in case["strategy"]]
    for name in set(compared) & hints.all_names():
        assert hints.of(name, {}, "append", "fsync"), name
    assert len(set(compared) & hints.all_names()) >= 8


def test_no_code_is_shown_that_would_lose_data():
    """Rather none than lines that do not append, or do not wait for the device."""
    name = "rust/write"
    assert hints.of(name, {}) is not None
    assert hints.of(name, {}, "append") is None
    assert all(hints.of(name, {}, "truncate", each) is None for each in OF_THE_API)
    # A synchronous file makes durable whatever is written.
    assert hints.of(name, {}, "truncate", "sync-inode") == hints.of(name, {})


def test_values_stand_in_the_place_of_their_names():
    assert "new byte[4096]" in hints.of("java/file-input-stream", {"block": 4096})
    assert hints.of("java/no-such-strategy", {}) is None
