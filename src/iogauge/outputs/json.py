"""The JSON export (docs/export-json.md)."""

from __future__ import annotations

import json

from iogauge.outputs.document import Document


def render(document: Document) -> str:
    return json.dumps(document.export.plain(), indent=1, ensure_ascii=False, allow_nan=False)
