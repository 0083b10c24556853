"""The content of data files, which follows from its kind and length alone, and its sums.

- `bytes`: 64-bit words of a PCG64 stream (NumPy guarantees the raw stream), little-endian;
- `text`: printable ASCII in lines of 20 to 120 characters that end with `\\n` (a last line that is
  cut does not);
- `text-crlf`: the same with `\\r\\n`;
- `text-unicode`: UTF-8 of one to four bytes per character, in lines that end with `\\n`;
- `text-json`: JSON lines, an object of 75 to 127 characters in each; blanks fill up the last one;
- `text-log`: lines of a server's log, of 50 to 95 characters; gzip makes it about 5 times smaller;
- `text-one-line`: one sentence of 42 characters, repeated without a line end;
- `sparse`: zeros that take no space on the disk, for cases about a limit on sizes;
- `own`: the user's file (own_file.py), which has characters and lines if it is UTF-8.

The text that is made here is valid UTF-8 at every length.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from iogauge.model.strategy import Sums
from iogauge.model.workload import Content

_OF_LINES: tuple[Sums, ...] = ("line-byte", "line-utf16", "line-codepoint")
TILE = 4 << 20
"""Bytes that are made, summed and written at a time: a multiple of the 64 bytes of `touch`."""
_SEED = 20240229
_SENTENCE = b"Read it, write it, time it, and then again"
_PAGES = ("search", "item", "cart", "login", "api/v1/orders", "images", "news", "help")
_ALPHABETS = (  # per length in UTF-8: how many of 100 characters, and the range of code points
    (60, (0x21, 0x7E)),
    (20, (0xA1, 0x24F)),
    (15, (0x3041, 0x9FA5)),
    (5, (0x1F300, 0x1F5FF)),
)


def tiles(content: Content, length: int) -> Iterator[np.ndarray]:
    """The content in tiles (uint8) of `TILE` bytes; the last may be shorter.

    Text is cut between characters only. Not for `sparse` and `own`.
    """
    if content == "bytes":
        stream = np.random.PCG64(_SEED)
    for start in range(0, length, TILE):
        count = min(TILE, length - start)
        if content == "bytes":
            yield stream.random_raw(-(-count // 8)).astype("<u8", copy=False).view(np.uint8)[:count]
        elif content == "text-one-line":
            first = start % len(_SENTENCE)
            repeated = np.frombuffer(_SENTENCE * (count // len(_SENTENCE) + 2), np.uint8)
            yield repeated[first : first + count]
        else:
            yield _ended(_text_tile(content)[:count], content)


class Tally:
    """Counts and sums of the tiles that are added. Sums are of unsigned values and do not wrap.

    `counts` and `sums` have a value for each kind that applies: always for bytes and for lines with
    their lengths in bytes, and for characters if the data is text. That ends with the first bytes
    that are no UTF-8. The sum of lines is that of their lengths without line ends. `touch_sum` is
    that of the bytes at offsets divisible by 64.
    """

    def __init__(self, *, text: bool):
        self.text = text
        self.touch_sum = 0
        kinds: tuple[Sums, ...] = ("byte", "utf16", "codepoint") if text else ("byte",)
        self._counts, self._sums = dict.fromkeys(kinds, 0), dict.fromkeys(kinds, 0)
        self._ends = self._returns = 0
        self._last = b"\n"
        self._cut = b""  # the beginning of a character whose end has not come yet

    def add(self, tile: np.ndarray) -> np.ndarray:
        """Add the next bytes (uint8), cut anywhere, and return them."""
        if not len(tile):
            return tile
        data, total = tile.tobytes(), _sum(tile)
        self.touch_sum += _sum(tile[-self._counts["byte"] % 64 :: 64])
        self._add("byte", len(tile), total)
        self._ends += data.count(b"\n")
        self._returns += data.count(b"\r\n") if b"\r" in data else 0
        self._returns += self._last == b"\r" and data[:1] == b"\n"
        self._last = data[-1:]
        if self.text:
            self._add_text(data, total)
        return tile

    def _add_text(self, data: bytes, total: int) -> None:
        if not self._cut and data.isascii():
            self._add("utf16", len(data), total)
            self._add("codepoint", len(data), total)
            return
        data = self._cut + data
        try:
            characters, whole = codecs.utf_8_decode(data, "strict", False)
        except UnicodeDecodeError:
            self._drop_text()
            return
        self._cut = data[whole:]
        points = np.frombuffer(characters.encode("utf-32-le"), "<u4")
        total, pairs = _sum(points), points[points > 0xFFFF] - np.uint32(0x10000)
        self._add("codepoint", len(points), total)
        halves = _sum(pairs >> 10) + _sum(pairs & 0x3FF) + (0xD800 + 0xDC00) * len(pairs)
        alone = total - _sum(pairs) - 0x10000 * len(pairs)
        self._add("utf16", len(points) + len(pairs), alone + halves)

    def _add(self, kind: Sums, count: int, total: int) -> None:
        self._counts[kind] += count
        self._sums[kind] += total

    def end(self) -> None:
        """Say that nothing follows: half a character at the end is none."""
        if self._cut:
            self._drop_text()

    def _drop_text(self) -> None:
        self.text, self._cut = False, b""
        for known in (self._counts, self._sums):
            del known["utf16"], known["codepoint"]

    def add_zeros(self, length: int) -> None:
        """Add so many zero bytes."""
        self._counts["byte"] += length
        self._last = b"\0" if length else self._last

    @property
    def counts(self) -> dict[Sums, int]:
        lines = self._ends + (self._last != b"\n")
        return {**self._counts, **dict.fromkeys(self._of_lines, lines)}

    @property
    def sums(self) -> dict[Sums, int]:
        ends = self._ends + self._returns
        of_lines = zip(self._of_lines, self._counts.values(), strict=True)
        return {**self._sums, **{each: length - ends for each, length in of_lines}}

    @property
    def _of_lines(self) -> tuple[Sums, ...]:
        """As many as there are kinds of characters, in the same order."""
        return _OF_LINES[: len(self._counts)]


def is_text(content: Content) -> bool:
    """Whether the content has characters and lines. `own` may have them: the file shows it."""
    return content.startswith("text") or content == "own"


def whole_characters(tile: np.ndarray) -> np.ndarray:
    """Text that was cut anywhere, with letters in place of half a character or half a line end."""
    return _ended(_ended(tile, "text-crlf"), "text-unicode")


def _sum(values: np.ndarray) -> int:
    return int(values.sum(dtype=np.uint64))


@lru_cache(maxsize=4)
def _text_tile(content: Content) -> np.ndarray:
    """A tile of lines that ends with a line end, so that it can be repeated."""
    made = {"text-unicode": _unicode_tile, "text-json": _json_tile, "text-log": _log_tile}
    if content in made:
        return made[content]()
    stream = np.random.PCG64(_SEED)
    letters = (0x21 + stream.random_raw(TILE) % 94).astype(np.uint8)
    ends = _line_ends(stream)
    ends = np.append(ends[ends < TILE - 1], TILE - 1)
    letters[ends] = 0x0A
    if content == "text-crlf":
        letters[ends - 1] = 0x0D
    return letters


def _line_ends(stream: np.random.PCG64) -> np.ndarray:
    """Where lines of 20 to 120 characters end."""
    lengths = 20 + (stream.random_raw(TILE // 20) % 101).astype(np.int64)
    return np.cumsum(lengths + 1) - 1


def _unicode_tile() -> np.ndarray:
    stream = np.random.PCG64(_SEED)
    kinds = np.repeat(range(len(_ALPHABETS)), [share for share, _ in _ALPHABETS])
    of = kinds[(stream.random_raw(TILE) % 100).astype(np.int64)]
    first = np.array([low for _, (low, _) in _ALPHABETS], np.uint64)[of]
    many = np.array([high - low + 1 for _, (low, high) in _ALPHABETS], np.uint64)[of]
    points = (first + stream.random_raw(TILE) % many).astype("<u4")
    ends = _line_ends(stream)
    points[ends[ends < TILE]] = 0x0A
    data = points.tobytes().decode("utf-32-le").encode()[:TILE]
    return _ended(np.frombuffer(data[:-1] + b"\n", np.uint8), "text-unicode")


def _json_tile() -> np.ndarray:
    stream = np.random.PCG64(_SEED)
    numbers = (stream.random_raw(TILE // 60) % 1_000_000).tolist()
    lines = (
        f'{{"id": {number}, "name": "{str(number) * (1 + number % 8)}", "price": {number / 100}, '
        f'"tags": ["a", "{number % 100}"], "sold": {"true" if number % 2 else "false"}}}\n'
        for number in numbers
    )
    return _whole_objects(np.frombuffer("".join(lines).encode()[:TILE], np.uint8))


def _log_tile() -> np.ndarray:
    words = np.random.PCG64(_SEED).random_raw(TILE // 60).tolist()
    lines, second = [], 0
    for word in words:
        second += word & 1
        address = ".".join(str(word >> shift & 0xFF) for shift in (8, 16, 24))
        page, length = _PAGES[word >> 1 & 7], (word >> 32 & 0xFFFF) + 200
        status = 200 if word >> 4 & 15 else 404
        time = f"{second // 3600 % 24:02}:{second // 60 % 60:02}:{second % 60:02}"
        lines.append(
            f'10.{address} - - [29/Feb/2024:{time} +0000] "GET /{page}/{word >> 48:x} HTTP/1.1" '
            f"{status} {length}\n"
        )
    data = "".join(lines).encode()[:TILE]
    return np.frombuffer(data[:-1] + b"\n", np.uint8)


def _whole_objects(tile: np.ndarray) -> np.ndarray:
    """JSON lines that were cut anywhere, with blanks behind the last whole one in place of a part.
    Where not even one is whole, it is an empty object, or a number in a single byte.
    """
    if not len(tile) or tile[-1] == 0x0A:
        return tile
    ends = np.flatnonzero(tile == 0x0A)
    tile = tile.copy()
    if len(ends):
        tile[ends[-1] :] = ord(" ")
    else:
        tile[:] = ord(" ")
        tile[:2] = np.frombuffer(b"{}" if len(tile) > 1 else b"1", np.uint8)
    if len(ends) or len(tile) > 2:
        tile[-1] = 0x0A
    return tile


def _ended(tile: np.ndarray, content: Content) -> np.ndarray:
    """The tile, with letters or blanks for half a character, line end or object at its end."""
    if content == "text-json":
        return _whole_objects(tile)
    if content == "text-crlf" and len(tile) and tile[-1] == 0x0D:
        tile = tile.copy()
        tile[-1] = ord("x")
    if content != "text-unicode" or not len(tile):
        return tile
    end = len(tile) - (tile[-1] == 0x0A)
    start = end
    while start and tile[start - 1] & 0xC0 == 0x80:
        start -= 1
    if start and tile[start - 1] >= 0xC0:
        start -= 1
        lead = tile[start]
        if end - start == 2 + (lead >= 0xE0) + (lead >= 0xF0):
            return tile
    if start == end:
        return tile
    tile = tile.copy()
    tile[start:end] = ord("x")
    return tile
