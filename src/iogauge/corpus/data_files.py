"""TODO"""

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
    """Which data file. `use` keeps files apart that must not share cached pages: a cache state, or
    `payload` (data to write); `copy` files that are alike but for that.
    """

    content: Content
    size: int
    use: str
    format: Format = "plain"
    copy: int = 0

    @property
    def stem(self) -> str:
        framed_as = "" if self.format == "plain" else f"-{self.format}"
        return f"{self.content}-{self.size}-{self.use}{framed_as}" + (
            f"-copy-{self.copy}" if self.copy else ""
        )


class Manifest(BaseModel):
    """What a data file holds: `size` bytes of data, in `file_size` bytes (more where its format
    adds some).

    `counts`, `sums` and `touch_sum` are those of content.Tally. `mtime_ns` and `inode` tell whether
    somebody changed the file since.
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
        """Count and sum that one operation on the whole file reports; no count where the content
        has none of this kind.
        """
        return self.counts.get(sums), content.due(consume, sums, self.sums, self.touch_sum)


def manifest_of(spec: DataSpec, tally: content.Tally, found: os.stat_result) -> Manifest:
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
    """Sum of all bytes, and of those at file offsets divisible by 64, that random access to a data
    file consumes.
    """
    data = np.memmap(path, np.uint8, mode="r")
    total = touched = 0
    for start in np.fromfile(offsets, "<i8"):
        part = data[start : start + block]
        total += int(part.sum(dtype=np.uint64))
        touched += int(part[-start % 64 :: 64].sum(dtype=np.uint64))
    return total, touched
