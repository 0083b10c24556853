"""What is to be done, and under which conditions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from iogauge.model.noun import Noun
from iogauge.model.units import size

Cache = Literal["warm", "cold", "as-left"]
CachedBy = Literal["read-sequential", "read-random", "write-large", "write-small", "as-left"]
"""How the pages of a file came into the cache, which decides how large the folios are that hold
them: read in order or at random, written by large calls or by small ones, or nobody knows.
"""
CACHED_BY_WORDS: dict[str, str] = {
    "read-sequential": "read in order",
    "read-random": "read at random",
    "write-large": "written in large pieces",
    "write-small": "written in small pieces",
    "as-left": "left as it was",
}
"""The same in words for people, wherever it is told: what follows `the file was`."""
WRITTEN: tuple[CachedBy, ...] = ("write-large", "write-small")
USUAL: tuple[CachedBy, ...] = ("read-sequential",)
"""What is cached as most readers leave it."""
Durability = Literal["none", "fsync", "fdatasync", "dsync", "sync-inode", "sync-mount"]
OF_THE_API: tuple[Durability, ...] = ("fsync", "fdatasync", "dsync")
"""What the program asks its API for. The others are states of the file, or of its file system."""

Lifetime = Literal["operation", "sample", "fork", "run"]
Mode = Literal["truncate", "append"]
Consume = Literal["none", "touch", "sum"]
StudyContent = Literal[
    "bytes",
    "text",
    "text-crlf",
    "text-unicode",
    "text-json",
    "text-log",
    "text-one-line",
    "sparse",
    "own",
]
Content = StudyContent | Literal["unknown"]
"""`unknown` is of what another tool measured: nothing of the workload is known then."""
Operation = Literal["read", "write", "copy"]
Medium = Literal["file", "memory"]
Access = Literal["sequential", "random"]


class Workload(Noun):
    """What is to be done; `size` in bytes.

    Random access has `accesses`, the number of offsets, and `access_bytes`, how much is read at
    each: of all cases of a group the same, so it is not part of their keys. `mode` says how a
    written file is opened. They are None where they do not apply.

    Of a workload that is not known (`content` says so) the other fields have values only in this
    program; as JSON they are null.
    """

    operation: Operation = "read"
    size: Annotated[int, Field(ge=0)]
    content: Content = "bytes"
    consume: Consume = "touch"
    medium: Medium = "file"
    accesses: Annotated[int, Field(ge=1)] | None = None
    access_bytes: Annotated[int, Field(ge=1)] | None = None
    mode: Mode | None = None

    @model_serializer(mode="wrap")
    def _written(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """What is not known is None."""
        found: dict[str, Any] = handler(self)
        return found if self.known else dict.fromkeys(found) | {"content": self.content}

    @model_validator(mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:
        if isinstance(value, dict) and value.get("content") == "unknown":
            return dict(UNKNOWN)
        return value

    @property
    def known(self) -> bool:
        return self.content != "unknown"

    def __str__(self) -> str:
        """What differs from reading a file sequentially is named, so that keys stay short."""
        if not self.known:
            return "unknown"
        parts = [f"size={self.size}", f"content={self.content}"]
        parts += [f"consume={self.consume}"] if self.operation == "read" else []
        parts += [f"medium={self.medium}"] if self.medium != "file" else []
        parts += [f"accesses={self.accesses}"] if self.accesses else []
        parts += [f"mode={self.mode}"] if self.mode else []
        return f"{self.operation}({','.join(parts)})"

    @property
    def access(self) -> Access:
        return "random" if self.accesses else "sequential"

    @property
    def takes_payload(self) -> bool:
        """Whether the runner gets the data beforehand: to write, to copy, or in memory."""
        return self.operation != "read" or self.medium == "memory"

    @property
    def reads_file(self) -> bool:
        return self.operation != "write" and self.medium == "file"

    @property
    def writes_file(self) -> bool:
        return self.operation != "read" and self.medium == "file"

    @property
    def title(self) -> str:
        if not self.known:
            return ""
        where = " in memory" if self.medium == "memory" else ""
        some = (
            f"{self.accesses} block{'s' if self.accesses > 1 else ''} at random offsets in "
            if self.accesses
            else ""
        )
        data = (
            f"your file of {size(self.size)}"
            if self.content == "own"
            else f"{size(self.size)} of {self.content}"
        )
        what = f"{self.operation} {some}{data}{where}"
        if self.operation == "read":
            return f"{what}, consume = {self.consume}"
        return f"{what}, {self.mode}" if self.mode else what


UNKNOWN: dict[str, Any] = {"content": "unknown", "size": 0, "operation": "read", "consume": "none"}


class Conditions(Noun):
    """Under which it is done. `cache` is for files that are read, `cached_by` for those that are
    cached, `durability` and `lifetime` (of the file) for files that are written, all of them for
    those that are copied; None where it does not apply. In runs of older versions `cached_by` is
    None, as nobody knew of it.
    """

    cache: Cache | None = None
    cached_by: CachedBy | None = None
    durability: Durability | None = None
    lifetime: Lifetime | None = None

    def __str__(self) -> str:
        return " ".join(f"{name}={value}" for name, value in self if value)

    @property
    def as_left(self) -> bool:
        """Whether all of the file is cached, and is to stay so as it is. (A cache that is left as
        it is may change meanwhile.)
        """
        return self.cache == "warm" and self.cached_by == "as-left"

    @property
    def durable(self) -> bool:
        """Whether operations wait for the device to have written."""
        return self.durability not in (None, "none")

    @property
    def waits_for_device(self) -> bool:
        """Operations wait, and the kernel works for them meanwhile."""
        return self.cache == "cold" or self.durable

    @property
    def title(self) -> str:
        says: list[str] = [each for each in (self.cache, self.cached_by) if each]
        if self.durability:
            says += [
                "not made durable" if self.durability == "none" else self.durability,
                f"a file per {self.lifetime}",
            ]
        return ", ".join(says)


def in_several_states(groups: Iterable[Conditions]) -> bool:
    """Whether files of these came into the cache in several ways, so that each group has to say in
    which.
    """
    return len({each.cached_by for each in groups if each.cache == "warm"}) > 1
