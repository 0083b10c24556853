"""What identifies a data file, and what its manifest says about it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pydantic import BaseModel

from iogauge.corpus import content
from iogauge.model.strategy import Format, Sums
from iogauge.model.workload import Consume, Content


class DataSpec(NamedTuple):
    """Identifies a data file. `size` is in bytes of data.

    Files with a different `use` or `copy` do not share cached pages. `use` is a state of the cache,
    or `payload` for data to write. `copy` numbers files that are otherwise equal.
    """

    content: Content
    size: int
    use: str
    format: Format = "plain"
    copy: int = 0

    @property
    def stem(self) -> str:
        """The name of the file without its suffix."""
        framed_as = "" if self.format == "plain" else f"-{self.format}"
        copy = f"-copy-{self.copy}" if self.copy else ""
        return f"{self.content}-{self.size}-{self.use}{framed_as}{copy}"


class Manifest(BaseModel):
    """What a data file holds: `size` bytes of data. `file_size` differs where its format adds
    bytes, or packs them.

    `counts`, `sums` and `touch_sum` are those of content.Tally. `mtime_ns` and `inode` show whether
    the file was changed since.
    """

    content: Content
    size: int
    format: Format
    file_size: int
    counts: dict[Sums, int]
    sums: dict[Sums, int]
    touch_sum: int
    mtime_ns: int
    inode: int

    def due(self, consume: Consume, sums: Sums) -> tuple[int | None, int | None]:
        """The count and the sum that one operation on the whole file must report.

        The count is None if the content has none of this kind, the sum if nothing is consumed.
        """
        if sums == "nothing":
            return 0, None
        return self.counts.get(sums), content.due(consume, sums, self.sums, self.touch_sum)


def manifest_of(spec: DataSpec, tally: content.Tally, found: os.stat_result) -> Manifest:
    """The manifest of a file from the sums of its data and its status."""
    return Manifest(
        content=spec.content,
        size=spec.size,
        format=spec.format,
        file_size=found.st_size,
        counts=tally.counts,
        sums=tally.sums,
        touch_sum=tally.touch_sum,
        mtime_ns=found.st_mtime_ns,
        inode=found.st_ino,
    )


def random_sums(path: Path, offsets: Path, block: int) -> tuple[int, int]:
    """The sums that random access to a data file must report, from the file of its offsets.

    The first is of all bytes in the blocks, the second of the bytes at file offsets divisible by
    64.
    """
    data = np.memmap(path, np.uint8, mode="r")
    total = touched = 0
    for start in np.fromfile(offsets, "<i8"):
        part = data[start : start + block]
        total += int(part.sum(dtype=np.uint64))
        touched += int(part[-start % 64 :: 64].sum(dtype=np.uint64))
    return total, touched
