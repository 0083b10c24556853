"""The JSON export: the document as it is (docs/export-json.md)."""

from __future__ import annotations

import json

from iogauge.claims.scoring import Scored
from iogauge.outputs import document


def render(scored: Scored) -> str:
    return json.dumps(document.make(scored), indent=1, ensure_ascii=False, allow_nan=False)
