"""What this host is called in a fleet, and its labels: whoever starts its worker says both."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from iogauge.model.errors import UserError

NAME, LABELS = "IOGAUGE_HOST_NAME", "IOGAUGE_HOST_LABELS"
"""Variables of the environment: `web-1`, and `disk=nvme cloud=none`."""

PATTERN = r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}"
"""What the name of a host looks like."""
_NAME = re.compile(PATTERN)
_KEY = re.compile(r"[a-z][a-z0-9._-]{0,30}")
_LONGEST = 60  # characters of a label's value


class Named(NamedTuple):
    """None without a name."""

    name: str | None
    labels: Mapping[str, str]


def here() -> Named:
    """What the environment says. Raises UserError for what is no name, or no label."""
    name = os.environ.get(NAME) or None
    try:
        given = shlex.split(os.environ.get(LABELS, ""))
    except ValueError as error:
        raise UserError(f"{LABELS}: {error}; write KEY=VALUE KEY=VALUE") from None
    return Named(name and checked(name, NAME), labels(given, LABELS))


def variables(name: str, of: Mapping[str, str]) -> dict[str, str]:
    """The environment of whatever measures on this host."""
    return {NAME: name, LABELS: shlex.join(f"{key}={value}" for key, value in of.items())}


def checked(name: str, where: str) -> str:
    """The name, if it is one: it becomes a part of names of files. Raises UserError."""
    if not _NAME.fullmatch(name):
        raise UserError(
            f"{where} {name}: a host's name is a letter or digit, then at most 62 letters, digits, "
            "'.', '_' or '-'"
        )
    return name


def labels(given: Iterable[str], where: str) -> dict[str, str]:
    """KEY=VALUE texts as labels. Raises UserError."""
    found: dict[str, str] = {}
    for each in given:
        key, sign, value = each.partition("=")
        if not (sign and _KEY.fullmatch(key) and value.isprintable() and value.strip()):
            raise UserError(
                f"{where} {each}: write KEY=VALUE; a key is a small letter, then at most 30 small "
                "letters, digits, '.', '_' or '-'"
            )
        if len(value) > _LONGEST:
            raise UserError(f"{where} {key}=…: at most {_LONGEST} characters; shorten the value")
        if key in found:
            raise UserError(f"{where} {each}: {key} is given twice; leave one out")
        found[key] = value
    return found
