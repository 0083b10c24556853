"""Warnings that more than one package has to know by their words."""

from __future__ import annotations

OTHER_RESULT = "it returns something else than"
"""Of a function of the user's; the one of its group that was measured first follows."""
CHANGING_RESULT = "it does not return the same each time"
OF_RESULTS = OTHER_RESULT, CHANGING_RESULT
