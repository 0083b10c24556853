"""TODO"""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
)

from iogauge.model.units import parse_duration, parse_share, parse_size

T = TypeVar("T")

LARGEST = 1 << 44  # 16 TiB: the largest file ext4 takes with 4 KiB blocks


def _possible(length: int) -> int:
    if length > LARGEST:
        raise ValueError(f"impossible size: a file has at most {LARGEST} bytes (16 TiB)")
    return length


def _listed(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


Size = Annotated[int, BeforeValidator(parse_size), AfterValidator(_possible)]

OneOrMore = Annotated[list[T], BeforeValidator(_listed), Field(min_length=1)]

Seconds = Annotated[float, BeforeValidator(parse_duration), Field(gt=0)]

Share = Annotated[float, BeforeValidator(parse_share)]

Identifier = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]


class Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
