"""Framings that an API puts around the data: how such files are made, and what is in them.

`java-object-stream` is block data of Java's Object Serialization Stream Protocol: a header of four
bytes, then records of a mark, a length (one byte, or four big-endian ones) and so many bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from iogauge.model.strategy import Format

_STREAM_HEADER = b"\xac\xed\x00\x05"
_SHORT, _LONG = 0x77, 0x7A
_BLOCK = 1024  # what java.io.ObjectOutputStream collects before it writes


def framed(tiles: Iterable[np.ndarray], form: Format) -> Iterator[np.ndarray]:
    """The bytes of a file of this format that holds the tiles (uint8, all but the last multiples of
    1024 bytes).
    """
    if form == "plain":
        yield from tiles
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
    """What a file of this format holds, or None where it is not of this format."""
    if form == "plain":
        return data
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
