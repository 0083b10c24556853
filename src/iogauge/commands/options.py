"""The values of options that several commands take, read from what the command line said."""

from __future__ import annotations

import re
from typing import Any

from iogauge.model.errors import UserError
from iogauge.model.units import parse_duration
from iogauge.runners.finding import Choice, Choices

_LABEL = re.compile(r"[a-z][a-z0-9._-]{0,19}")  # begins with no digit, so that it is no version


def chosen_runtimes(given: list[str] | None) -> Choices:
    """`jvm=PATH` and `jvm:new=PATH` arguments by runner, in order. Raises UserError."""
    chosen: dict[str, list[Choice]] = {}
    for text in given or []:
        name, path = named("--runtime", text, "RUNNER=PATH, e.g. jvm=/path/to/jdk")
        runner, colon, label = name.partition(":")
        if colon and not _LABEL.fullmatch(label):
            raise UserError(
                f"--runtime {text}: a name is a small letter, then at most 19 small letters, "
                "digits, '.', '_' or '-', e.g. jvm:new=/path/to/jdk"
            )
        choices = chosen.setdefault(runner, [])
        if label and label in [each.label for each in choices]:
            raise UserError(f"--runtime {text}: another runtime has the name {label}; take another")
        choices.append(Choice(path, label))
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
