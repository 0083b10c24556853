"""Code hints: per strategy a few lines that do what it does, in its language. Files beside the
runners: hints/LANGUAGE/NAME.txt.

Only what has one is ever advised. Words like BLOCK stand for the values of the parameters;
runners/README.md has the other names. A line that begins with the name of a mode or a durability
and a bar, as in `fsync|`, is only for that one. One that only appends has `append|`, but no
`truncate|`. A test compiles all.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import get_args

from iogauge.model.case import Case
from iogauge.model.workload import OF_THE_API, Mode
from iogauge.runners import manifest

_PLAIN: Mode = "truncate"
MODES: tuple[Mode, ...] = get_args(Mode)
_LINE = re.compile(rf"(?:({'|'.join((*MODES, *OF_THE_API))})\|)?(.*)")


def of_case(case: Case) -> str | None:
    """The lines that do what this case does; None where there are none."""
    return of(case.strategy, case.parameters, case.workload.mode, case.conditions.durability)


def of(
    strategy: str,
    parameters: dict[str, int],
    mode: str | None = _PLAIN,
    durability: str | None = None,
) -> str | None:
    """The lines for these values; None without a hint, or one of this mode and durability."""
    path = _paths().get(strategy)
    if path is None:
        return None
    text = path.read_text("utf-8").rstrip("\n")
    lines = [_LINE.fullmatch(line) for line in text.splitlines()]
    tagged = [(line[1], line[2]) for line in lines if line]
    tags = {tag for tag, _ in tagged}
    known = {*(tags.intersection(MODES) or {_PLAIN}), *tags.intersection(OF_THE_API)}
    asked = {mode or _PLAIN, durability}
    if not asked.intersection([*MODES, *OF_THE_API]) <= known:
        return None
    shown = "\n".join(line for tag, line in tagged if tag is None or tag in asked)
    for name, value in parameters.items():
        shown = re.sub(rf"\b{name.upper()}\b", str(value), shown)
    return shown


def all_names() -> frozenset[str]:
    """The strategies that have one."""
    return frozenset(_paths())


@cache
def _paths() -> dict[str, Path]:
    return {
        f"{path.parent.name}/{path.stem}": path
        for runner in manifest.all_runners()
        for path in (runner.folder / "hints").glob("*/*.txt")
        if path.parent.name in runner.file.languages
    }
