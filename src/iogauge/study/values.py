"""Types of single values in a study file, and the base of its tables.

A validator here raises ValueError with what is wrong; `loading` adds the file and the key.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator

from iogauge.model.units import parse_duration, parse_share, parse_size

T = TypeVar("T")
LARGEST = 1 << 44
"""Bytes: 16 TiB, the largest file that ext4 takes with blocks of 4 KiB."""


def _possible(length: int) -> int:
    if length > LARGEST:
        raise ValueError(f"impossible size: a file has at most {LARGEST} bytes (16 TiB)")
    return length


def _extent(value: Any) -> int | str:
    if value == WHOLE:
        return WHOLE
    try:
        return _possible(parse_size(value))
    except ValueError as error:
        raise ValueError(f'{error}; "{WHOLE}" stands for the size of the file') from None


def resolved(value: Extent, length: int) -> int:
    """The value of a parameter in a group whose files have this size, in bytes."""
    return length if isinstance(value, str) else value


def _listed(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


WHOLE: Literal["size"] = "size"
"""The value of a parameter that is the size of the file, whatever that is in a group."""

Size = Annotated[int, BeforeValidator(parse_size), AfterValidator(_possible)]
"""Bytes; a file may write `64K`."""
Extent = Annotated[int | Literal["size"], PlainValidator(_extent)]
"""The value of a parameter; a file may write `64K`, or `size`."""
OneOrMore = Annotated[list[T], BeforeValidator(_listed), Field(min_length=1)]
"""A list; a file may write a single value without brackets."""
Seconds = Annotated[float, BeforeValidator(parse_duration), Field(gt=0)]
"""A file may write `90s` or `2m`."""
Share = Annotated[float, BeforeValidator(parse_share)]
"""A fraction from 0 to 1; a file may write `3%`."""
Identifier = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]


class Table(BaseModel):
    """A table of a study file. It refuses keys that it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True)
