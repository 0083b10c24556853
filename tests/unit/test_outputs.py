"""Every output is one module that renders a document, and computes nothing."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from iogauge import outputs
from iogauge.outputs import contract
from tests.runs import empty_run

FOLDER = Path(outputs.__file__).parent
COMPUTING = {"analysis", "statistics", "planning", "claims", "advice"}
MAKING = {"document.py", "exporting.py"}
"""The modules that ask those packages for what outputs show."""
LIVE = {"progress.py"}
"""What shows a run while it is measured, before there is a document."""


@pytest.mark.parametrize("name", [*outputs.FORMATS, *outputs.VIEWS])
def test_an_output_renders(name):
    assert callable(outputs.renderer(name))


@pytest.mark.parametrize(
    "path",
    [path for path in sorted(FOLDER.rglob("*.py")) if path.name not in MAKING | LIVE],
    ids=lambda path: path.relative_to(FOLDER).as_posix(),
)
def test_an_output_takes_types_from_what_computes_and_nothing_else(path):
    imports = (
        node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)
    )
    for node in imports:
        parts = (node.module or "").split(".")
        if parts[0] == "iogauge" and COMPUTING & set(parts):
            names = [each.name for each in node.names]
            assert all(name[0].isupper() for name in names), f"{node.module}: {names}"


def test_an_export_can_be_read_back(fake):
    from iogauge.outputs.document import Document

    plain = Document(empty_run(fake, 10)).export.plain()
    assert contract.read(plain).plain() == plain
