"""File formats that hold the data as something else: making such files, and reading the data back.

`java-object-stream` is block data of Java's Object Serialization Stream Protocol: a header of four
bytes, then records of a mark, a length (one byte, or four in big-endian order) and that many bytes.

`gzip` is one stream of the gzip format (RFC 1952), without a name or a time. The same zlib packs
the same data into the same bytes; another one may need some more or fewer.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

import numpy as np

from iogauge.model.strategy import Format

_STREAM_HEADER = b"\xac\xed\x00\x05"
_SHORT, _LONG = 0x77, 0x7A
_GZIP = 31  # zlib's window of 32 KiB, with the header and the trailer of gzip
_LEVEL = 6  # what gzip and zlib take by themselves
_BLOCK = 1024  # java.io.ObjectOutputStream collects so many bytes before it writes a record


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
        yield from _packed(tiles)
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
        return _unpacked(data)
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


def _packed(tiles: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    for tile in tiles:
        yield np.frombuffer(packer.compress(tile.tobytes()), np.uint8)
    yield np.frombuffer(packer.flush(), np.uint8)


def _unpacked(data: bytes) -> bytes | None:
    try:
        return zlib.decompress(data, _GZIP)
    except zlib.error:
        return None
