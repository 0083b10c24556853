"""hyperfine's JSON: whole commands, each with the seconds of its runs."""

from __future__ import annotations

import math
from collections import Counter

from pydantic import BaseModel, ConfigDict

from iogauge.runfile.imports.making import Measured, Read, time

FORMAT = "hyperfine JSON"


class _Result(BaseModel):
    model_config = ConfigDict(extra="ignore")

    command: str
    mean: float | None = None
    user: float | None = None
    system: float | None = None
    times: list[float] | None = None
    memory_usage_byte: list[int] | None = None
    exit_codes: list[int | None] = []
    parameters: dict[str, str] = {}


class _File(BaseModel):
    model_config = ConfigDict(extra="ignore")

    results: list[_Result]


def looks_like(head: bytes) -> bool:
    return head.lstrip().startswith(b"{") and b'"results"' in head and b'"command"' in head


def read(content: bytes) -> Read:
    """Raises pydantic's ValidationError, or Unfit."""
    found = _File.model_validate_json(content).results
    commands = Counter(each.command for each in found)
    measured = [_measured(each, several=commands[each.command] > 1) for each in found]
    _number(measured)
    return Read(FORMAT, "hyperfine", "hyperfine", "unknown", measured)


def _number(measured: list[Measured]) -> None:
    """A command that was given twice is two: somebody may compare it with itself."""
    seen = Counter[str]()
    for each in measured:
        name = f"{each.benchmark}\0{sorted(each.parameters.items())}"
        seen[name] += 1
        if seen[name] > 1:
            each.sets = str(seen[name])
            each.short += f" ({seen[name]})"


def _measured(result: _Result, *, several: bool) -> Measured:
    """`several` have this command: then parameters that are not in it tell them apart."""
    name = result.command or "(no command)"
    repeats = [[(time(each * 1e9, name), 1)] for each in result.times or []]
    other = sum(code != 0 for code in result.exit_codes)
    caveats = (
        [f"{other} of {len(result.exit_codes)} runs did not end with status 0"] if other else []
    )
    values = (f"{key}={value}" for key, value in result.parameters.items())
    used = {"user_ns_per_op": result.user, "system_ns_per_op": result.system}
    return Measured(
        benchmark=name,
        parameters=result.parameters,
        question="How long does each command take?",
        repeats=repeats,
        short=" ".join([name, *values]) if several else name,
        named_by_parameters=True,
        figures={
            figure: seconds * 1e9
            for figure, seconds in used.items()
            if seconds is not None and math.isfinite(seconds) and seconds >= 0
        },
        exit_codes=[*result.exit_codes],
        memory=[each for each in result.memory_usage_byte or [] if each >= 0],
        failure=None if repeats else "the file has no times of its runs",
        caveats=caveats,
    )
