"""Text in Markdown that is no markup."""

from __future__ import annotations

import re

_MARKUP = re.compile(r"([\\`*_\[\]<>|&~#])")


def plain(text: str) -> str:
    """The text as itself: nothing in it is markup, nor ends the line."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))
