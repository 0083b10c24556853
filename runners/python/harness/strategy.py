"""What the files in `strategies/` declare."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec

MOST = 1 << 30

READS = ("none", "touch", "sum")
BORROWS = ("touch", "sum")
"""Of strategies that move no byte by themselves."""
TEXTS = ("none", "sum")
LOOKED_AT = {"consumes": BORROWS, "mapped": True, "buffer": "none", "data": "borrowed"}
"""Of strategies that use the data where a mapping has them."""
WRITES = ("none",)


@dataclass(frozen=True)
class Setup:
    """What the host asked for in `open`, checked against the declaration.

    `payload` is None for a strategy that reads a file, the path of the source for one that copies,
    and else bytes, or a str where the strategy writes text. `offsets` are those of random access.
    """

    parameters: dict
    consume: str
    mode: str | None
    durability: str | None
    payload: object = None
    offsets: tuple = ()


@dataclass(frozen=True)
class Strategy:
    """`open` takes a Setup and returns the operation. That takes a path, does the whole work on it,
    and returns the count and the sum of what it read, or the count of what it wrote and 0.
    """

    name: str
    title: str
    call: str
    open: Callable
    operation: str = "read"
    unit: str = "block"
    medium: str = "file"
    access: str = "sequential"
    sums: str = "byte"
    consumes: tuple = READS
    modes: tuple = ()
    durabilities: tuple = ()
    format: str = "plain"
    parameters: dict = field(default_factory=dict)
    effort: int = 2
    role: str = "contestant"
    bypasses_cache: bool = False
    mapped: bool = False
    buffer: str = "new"  # nearly every call allocates what it returns, or a buffer of its own
    data: str = "copied"
    trips_on: tuple = ()
    compute_only: str | None = None
    memory_per_file_byte: float = 0.0
    runtime: str | None = None
    package: str | None = None
    function: str | None = None  # of module os, which not every interpreter has
    constant: str | None = None  # of module os, which not every system has

    @property
    def takes_payload(self):
        return self.operation != "read" or self.medium == "memory"

    @property
    def unavailable(self):
        if self.package and find_spec(self.package) is None:
            return f"this interpreter has no {self.package}"
        for name in filter(None, (self.function, self.constant)):
            if not hasattr(os, name):
                return f"this interpreter has no os.{name}"
        if self.runtime and _numbers(self.runtime) > sys.version_info[:2]:
            return f"it needs Python {self.runtime}"
        return None

    def declaration(self):
        said = {key: value for key, value in vars(self).items() if key not in _NOT_SAID}
        needs = {"memory_per_file_byte": self.memory_per_file_byte, "runtime": self.runtime}
        return {**said, **self._handling(), "needs": needs, "unavailable": self.unavailable}

    def _handling(self):
        if self.role != "contestant":
            return {"buffer": None, "data": None}
        return {"opens": "each", "data": self.data if self.operation == "read" else None}


_NOT_SAID = ("open", "memory_per_file_byte", "runtime", "package", "function", "constant")


def _numbers(version):
    return tuple(int(number) for number in version.split("."))


def piece(says, unit="bytes"):
    """The parameter `block`: how much one call moves."""
    return {"block": _size(says, unit, "piece")}


def buffer(says="bytes of the buffer of the file object (buffering)"):
    """The parameter `buffer`. A buffer of 1 byte would be a text file's way to say `line by line`,
    and no buffer at all is a strategy of its own."""
    return {"buffer": {**_size(says, "bytes", "buffer"), "min": 2}}


def _size(says, unit, role):
    return {"default": 8192, "min": 1, "max": MOST, "unit": unit, "role": role, "says": says}
