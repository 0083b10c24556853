"""The plugin of pytest: `def test_reading(iogauge): iogauge.compare(old, new, file=…)`.

It is loaded with each run of pytest where iogauge is installed, so it imports nothing of iogauge
before a test asks for it.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from iogauge.api.comparing import Compared

_MARKER = "iogauge"
_SKIP = "--iogauge-skip"
_UNDECIDED = ("pass", "fail", "skip")
_turns = pytest.StashKey[Any]()


class Undecided(UserWarning):
    """It could not be told whether new code is slower."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("iogauge")
    group.addoption(
        _SKIP,
        action="store_true",
        help="Skip tests that measure with iogauge (those with its fixture, or its marker).",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"{_MARKER}: measures with iogauge, and so takes its time")
    if os.environ.get("PYTEST_XDIST_WORKER"):
        _take_turns(config)


def _take_turns(config: pytest.Config) -> None:
    """Beside other processes that test: none of them may work while one measures."""
    cache = getattr(config, "cache", None)
    if cache is None:  # it was switched off
        return
    from iogauge.host.turns import Turns

    if Turns.able:
        config.stash[_turns] = Turns(cache.mkdir("iogauge"))


def pytest_unconfigure(config: pytest.Config) -> None:
    if turns := config.stash.get(_turns, None):
        turns.close()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    skipped = pytest.mark.skip(reason=f"{_SKIP}: it measures with iogauge")
    for item in items:
        if "iogauge" in getattr(item, "fixturenames", ()):
            item.add_marker(_MARKER)
        if config.getoption(_SKIP) and item.get_closest_marker(_MARKER):
            item.add_marker(skipped)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    turns = item.config.stash.get(_turns, None)
    with turns.beside() if turns else nullcontext():
        return (yield)


class Fixture:
    """What the fixture gives. `out` makes the path of a new run file, and `alone` keeps other
    processes of pytest waiting.
    """

    def __init__(self, out: Callable[[], Path], alone: Callable[[], AbstractContextManager[None]]):
        self._out, self._alone = out, alone

    def compare(
        self,
        old: str | Callable[..., Any],
        new: str | Callable[..., Any],
        *,
        undecided: str = "pass",
        **options: Any,
    ) -> Compared:
        """Measure two functions that read a file, in turns, and fail the test where the new one is
        surely slower than `max_slowdown` allows (5 %), or fails. Where that cannot be told, the
        test passes with a warning, fails or is skipped, as `undecided` says; where only the old one
        fails, it passes with a warning. For the other options see iogauge.api.comparing.compare.

        Raises UserError where the two cannot be compared.
        """
        __tracebackhide__ = True
        from iogauge.api.comparing import compare
        from iogauge.model.errors import UserError

        if undecided not in _UNDECIDED:
            raise UserError(f"undecided={undecided!r}: allowed: {', '.join(_UNDECIDED)}")
        try:
            with self._alone():
                found = compare(old, new, out=self._out(), **options)
        except UserError as error:  # what is wrong is in the test, and not down here
            raise UserError(str(error)) from None
        if found.outcome in ("slower", "failed"):
            raise AssertionError(found.says)
        if found.outcome == "not slower" and found.results is None:  # only the old one fails
            warnings.warn(Undecided(found.says), stacklevel=2)
        if found.outcome == "undecided":
            if undecided == "fail":
                raise AssertionError(found.says)
            if undecided == "skip":
                pytest.skip(found.says.splitlines()[0])
            warnings.warn(Undecided(found.says), stacklevel=2)
        return found


@pytest.fixture
def iogauge(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Fixture:
    """Compares two ways to read a file: `iogauge.compare(old, new, file=…)`."""

    def alone() -> AbstractContextManager[None]:
        turns = request.config.stash.get(_turns, None)
        if turns is None and os.environ.get("PYTEST_XDIST_WORKER"):
            from iogauge.model.errors import UserError

            raise UserError(
                "iogauge cannot keep the other processes of pytest-xdist waiting here, whose work "
                "would be measured, too: run this test without -n, and leave it out by "
                f"{_SKIP} otherwise"
            )
        return turns.alone() if turns else nullcontext()

    return Fixture(lambda: tmp_path_factory.mktemp("iogauge") / "run.jsonl", alone)
