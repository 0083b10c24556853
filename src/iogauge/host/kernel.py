"""Settings that the kernel shows as small text files."""

from __future__ import annotations

import os
from pathlib import Path


def chosen(path: str) -> str | None:
    """The chosen word of a setting such as `always [madvise] never`; None if there is none."""
    words = (text(path) or "").split()
    return next((word.strip("[]") for word in words if word.startswith("[")), None)


def text(path: str) -> str | None:
    """The text of a file without white space around it; None if it cannot be read."""
    try:
        return Path(path).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None


def device_number(device: int) -> str:
    """The number of a device as the names of files show it: `8:1`."""
    if not hasattr(os, "major"):  # Windows
        return str(device)
    return f"{os.major(device)}:{os.minor(device)}"
