"""Code hints: per strategy a few lines that do what it does, in its language. Files beside the
runners: hints/LANGUAGE/NAME.txt.

Only what has one is ever advised. Words like BLOCK stand for the values of the parameters;
runners/README.md has the other names. A test compiles all.
"""

from __future__ import annotations

import re
from functools import cache

from iogauge.runners import manifest


def of(strategy: str, parameters: dict[str, int]) -> str | None:
    """The lines for these values; None where there is no hint."""
    language, _, name = strategy.partition("/")
    for runner in manifest.all_runners():
        path = runner.folder / "hints" / language / f"{name}.txt"
        if language in runner.file.languages and path.exists():
            text = path.read_text("utf-8").rstrip("\n")
            for name, value in parameters.items():
                text = re.sub(rf"\b{name.upper()}\b", str(value), text)
            return text
    return None


@cache
def all_names() -> frozenset[str]:
    """The strategies that have one."""
    return frozenset(
        f"{path.parent.name}/{path.stem}"
        for runner in manifest.all_runners()
        for path in (runner.folder / "hints").glob("*/*.txt")
    )
