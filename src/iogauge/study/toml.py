"""Tables written as TOML. The standard library only reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from iogauge.study.values import Table


def written(table: Table) -> str:
    """The text of a table with the keys that it was given, without those that are None."""
    found = table.model_dump(exclude_unset=True, exclude_none=True, exclude={"source_text"})
    return "\n".join([*_lines(found), ""])


def _lines(table: dict[str, Any], path: str = "") -> Iterator[str]:
    """The plain keys, then the tables of each array: what follows a header belongs to it."""
    arrays = {key: value for key, value in table.items() if _is_array_of_tables(value)}
    for key, value in table.items():
        if key not in arrays:
            yield f"{key} = {_value(value)}"
    for key, tables in arrays.items():
        for each in tables:
            yield f"\n[[{path}{key}]]"
            yield from _lines(each, f"{path}{key}.")


def _is_array_of_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        inside = ", ".join(f"{_key(key)} = {_value(each)}" for key, each in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False)  # as in JSON; no study has the one exception, DEL


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _value(key)
