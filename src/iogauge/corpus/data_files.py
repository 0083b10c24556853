"""Data files: what identifies one, what its manifest says about it, and its format.

`java-object-stream` is block data of Java's Object Serialization Stream Protocol: a header of four
bytes, then records of a mark, a length (one byte, or four in big-endian order) and that many bytes.

`gzip` is one stream of the gzip format (RFC 1952), without a name or a time. The same zlib packs
the same data into the same bytes; another one may need some more or fewer.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pydantic import BaseModel

from iogauge.corpus import content
from iogauge.model.strategy import Format, Sums
from iogauge.model.workload import Consume, Content

_STREAM_HEADER = b"\xac\xed\x00\x05"
_SHORT, _LONG = 0x77, 0x7A
_GZIP = 31  # zlib's window of 32 KiB, with the header and the trailer of gzip
_LEVEL = 6  # what gzip and zlib take by themselves
_BLOCK = 1024  # java.io.ObjectOutputStream collects so many bytes before it writes a record


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

    def describes(self, found: os.stat_result) -> bool:
        """Whether the file is still the one of this manifest, by its status."""
        known = self.file_size, self.mtime_ns, self.inode
        return known == (found.st_size, found.st_mtime_ns, found.st_ino)

    def due(self, consume: Consume, sums: Sums) -> tuple[int | None, int | None]:
        """The count and the sum that one operation on the whole file must report.

        The count is None if the content has none of this kind, the sum if nothing is consumed.
        """
        if sums == "nothing":
            return 0, None
        total = {"none": None, "touch": self.touch_sum, "sum": self.sums.get(sums)}[consume]
        return self.counts.get(sums), total


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


def stored_as(form: Format) -> Format:
    """The format of the file that a strategy of this format is given."""
    return "plain" if form == "json-lines" else form


def framed(tiles: Iterable[np.ndarray], form: Format) -> Iterator[np.ndarray]:
    """The bytes of a file of this format that holds the tiles.

    Tiles are uint8; all but the last are multiples of 1024 bytes long.
    """
    if stored_as(form) == "plain":
        yield from tiles
        return
    if form == "gzip":
        packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
        for tile in tiles:
            yield np.frombuffer(packer.compress(tile.tobytes()), np.uint8)
        yield np.frombuffer(packer.flush(), np.uint8)
        return
    yield np.frombuffer(_STREAM_HEADER, np.uint8)
    head = np.frombuffer(bytes([_LONG]) + _BLOCK.to_bytes(4, "big"), np.uint8)
    for tile in tiles:
        whole = len(tile) // _BLOCK
        blocks = tile[: whole * _BLOCK].reshape(whole, _BLOCK)
        yield np.hstack([np.broadcast_to(head, (whole, len(head))), blocks]).reshape(-1)
        rest = tile[whole * _BLOCK :]
        if len(rest):
            short = len(rest) < 256
            length = len(rest).to_bytes(1 if short else 4, "big")
            yield np.concatenate(
                [np.frombuffer(bytes([_SHORT if short else _LONG]) + length, np.uint8), rest]
            )


def unframed(data: bytes, form: Format) -> bytes | None:
    """The data in a file of this format; None if the file does not have this format."""
    if stored_as(form) == "plain":
        return data
    if form == "gzip":
        with suppress(zlib.error):
            return zlib.decompress(data, _GZIP)
        return None
    if not data.startswith(_STREAM_HEADER):
        return None
    found, at = bytearray(), len(_STREAM_HEADER)
    while at < len(data):
        width = {_SHORT: 1, _LONG: 4}.get(data[at])
        if width is None:
            return None
        start = at + 1 + width
        end = start + int.from_bytes(data[at + 1 : start], "big")
        if end > len(data):
            return None
        found += data[start:end]
        at = end
    return bytes(found)
