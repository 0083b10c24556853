from __future__ import annotations

from pathlib import Path


def load(src: Path) -> list[str]:
    """Load all the lines."""
    return src.read_text(encoding="utf-8").splitlines()
