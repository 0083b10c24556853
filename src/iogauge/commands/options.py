"""The values of options that several commands take, read from what the command line said."""

from __future__ import annotations

from typing import Any

from iogauge.model.errors import UserError
from iogauge.model.units import parse_duration


def chosen_runtimes(given: list[str] | None) -> dict[str, list[str]]:
    """`jvm=PATH` arguments by runner, in order."""
    chosen: dict[str, list[str]] = {}
    for text in given or []:
        name, path = named("--runtime", text, "NAME=PATH, e.g. jvm=/path/to/jdk")
        chosen.setdefault(name, []).append(path)
    return chosen


def named(option: str, text: str, form: str) -> tuple[str, str]:
    """The two parts of NAME=VALUE. Raises UserError, with the right `form`, if one is missing."""
    name, _, value = text.partition("=")
    if not name or not value.strip():
        raise UserError(f"{option} {text}: write {form}")
    return name, value


def budget_of(text: str) -> float:
    """Seconds of a --budget. Raises ValueError."""
    seconds = parse_duration(text)
    if seconds < 1:
        raise ValueError(f"{text!r} is too short: at least 1s")
    return seconds


def parsed(option: str, parse: Any, text: str) -> Any:
    """What `parse` makes of an option's value. Raises a UserError that names the option where
    `parse` raises ValueError.
    """
    try:
        return parse(text)
    except ValueError as error:
        raise UserError(f"{option}: {error}") from None
