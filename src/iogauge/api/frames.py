"""Columns as a frame of pandas or Polars, whichever is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal

from iogauge.model.errors import UserError

Kind = Literal["pandas", "polars"]
_KINDS: tuple[Kind, ...] = ("pandas", "polars")


def made(columns: Mapping[str, Sequence[Any]], kind: Kind | None = None) -> Any:
    """A frame of columns of one length; what is None or NaN in them is missing in it. It is of the
    `kind` that is asked for, else of the first one that is installed. Raises UserError where there
    is none.
    """
    chosen = kind or _first()
    if chosen not in _KINDS:
        raise UserError(f"frame={kind!r}: allowed: {', '.join(_KINDS)}")
    try:
        library = import_module(chosen)
    except ImportError:
        raise UserError(f"frame={kind!r} needs it: pip install {kind}") from None
    more = {"strict": False, "nan_to_null": True} if chosen == "polars" else {}
    return library.DataFrame(dict(columns), **more)


def columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Rows by column. A row that lacks one has None there."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _first() -> Kind:
    found = next((each for each in _KINDS if find_spec(each)), None)
    if found is None:
        raise UserError("a frame needs pandas or Polars: pip install pandas (or polars)")
    return found
