"""TODO"""

from __future__ import annotations

from pathlib import Path


def chosen(path: str) -> str | None:
    """The bracketed word of a kernel setting such as `always [madvise] never`."""
    words = (text(path) or "").split()
    return next((word.strip("[]") for word in words if word.startswith("[")), None)


def text(path: str) -> str | None:
    try:
        return Path(path).read_text().strip()
    except (OSError, UnicodeDecodeError):
        return None
