"""Each test here tells under which condition it tried iogauge and what happened; all are a table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e.conftest import machine_measured_once, runtimes_asked_once  # noqa: F401

_ROW = "told"
PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"


def shown() -> list[tuple[str, str]]:
    """The rows of the page: a condition, and what happened."""
    rows = re.findall(r"^\| (.+?) \| (.+?) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return [row for row in rows if row != ("condition", "what happened")]


@pytest.fixture
def told(request):
    """`told("in a memory group of 512 MiB", "answers")`, as the last line of a test: what happened,
    after it was asserted. The words are those of a row of docs/reliability.md.
    """

    def tell(condition: str, happened: str) -> None:
        row = condition, happened
        assert row in shown(), f"{PAGE.name} has no row | {condition} | {happened} |"
        request.node.user_properties.append((_ROW, row))

    return tell


def pytest_terminal_summary(terminalreporter):
    """The table of what was told, and what could not be tried here. User properties are what
    pytest-xdist brings from its workers.
    """
    rows = [
        tuple(row)
        for report in terminalreporter.stats.get("passed", [])
        for name, row in report.user_properties
        if name == _ROW and report.when == "call"
    ]
    rows += [
        (report.nodeid.rpartition("::")[2], f"not tried here: {report.longrepr[2]}")
        for report in terminalreporter.stats.get("skipped", [])
        if "tests/anywhere/" in report.nodeid and isinstance(report.longrepr, tuple)
    ]
    if not rows:
        return
    width = max(len(condition) for condition, _ in rows)
    terminalreporter.section("condition, what happened")
    for condition, happened in rows:
        terminalreporter.write_line(f"{condition:{width}}  {happened}")
