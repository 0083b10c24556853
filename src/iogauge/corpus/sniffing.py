"""What the first bytes of a file tell: whether something packed it, whether its characters are wider
than a byte, whether it looks like CSV.
"""

from __future__ import annotations

import codecs
import csv
import io
import unicodedata
from typing import Literal

HEAD = 64 << 10
"""Bytes that are looked at."""

Packing = Literal["gzip", "zstd", "xz", "bzip2", "zip", "tar"]
Wide = Literal["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]

_MAGIC: tuple[tuple[Packing, int, bytes], ...] = (
    ("gzip", 0, b"\x1f\x8b\x08"),
    ("zstd", 0, b"\x28\xb5\x2f\xfd"),
    ("xz", 0, b"\xfd7zXZ\0"),
    ("bzip2", 4, b"1AY&SY"),  # behind BZh and a digit
    ("zip", 0, b"PK\x03\x04"),
    ("tar", 257, b"ustar"),
)
_BOMS: tuple[tuple[Wide, bytes], ...] = (  # a longer one first
    ("utf-32-le", codecs.BOM_UTF32_LE),
    ("utf-32-be", codecs.BOM_UTF32_BE),
    ("utf-16-le", codecs.BOM_UTF16_LE),
    ("utf-16-be", codecs.BOM_UTF16_BE),
)
_ALLOWED = frozenset("\t\n\v\f\r\x1b\x1c\x1d\x1e\x85")  # control characters of text
_NEVER = ("Cc", "Cn", "Co", "Cs")  # controls, and what is no character, or only by agreement
_OF_LATIN, _OF_OTHERS = 0.25, 0.01  # of all units, at least so many are ASCII
_DELIMITERS = ",;\t|"
_ROWS = 100


def packing(head: bytes) -> Packing | None:
    """What packed a file that begins like this."""
    return next((kind for kind, at, magic in _MAGIC if head.startswith(magic, at)), None)


def wide(head: bytes) -> Wide | None:
    """The encoding of text whose characters take two or four bytes, with a BOM or without."""
    for kind, bom in _BOMS:
        if head.startswith(bom) and _reads(head, kind):
            return kind
    return next((kind for kind, _ in _BOMS if _has_zeros_of(head, kind) and _reads(head, kind)), None)


def has_bom(head: bytes, of: Wide | None) -> bool:
    """Whether it begins with the BOM of its encoding, which is UTF-8 where it is not `of` a wide
    one.
    """
    return head.startswith(dict(_BOMS)[of] if of else codecs.BOM_UTF8)


def looks_like_csv(head: bytes) -> bool:
    """Whether the first rows have values in equally many columns, at least two."""
    text = head.decode("utf-8", "replace")
    return any(_has_columns(text, delimiter) for delimiter in _DELIMITERS)


def _has_columns(text: str, delimiter: str) -> bool:
    rows, reader = [], csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for row in reader:
            rows.append(len(row))
            if len(rows) > _ROWS:
                break
    except csv.Error:
        return False
    del rows[-1:]  # it may be cut
    return len(rows) > 1 and rows[0] > 1 and len(set(rows)) == 1


def _has_zeros_of(head: bytes, kind: Wide) -> bool:
    """Whether more bytes are 0 where ASCII in this encoding has zeros than elsewhere."""
    width = 4 if "32" in kind else 2
    zeros = [head[place::width].count(0) for place in range(width)]
    ascii_at = 0 if kind.endswith("le") else width - 1
    most = min(zeros[place] for place in range(width) if place != ascii_at)
    if most <= zeros[ascii_at]:
        return False
    # What is UTF-8, too, is text of a byte per character, unless it is full of zeros.
    try:
        codecs.utf_8_decode(head, "strict", False)
        least = _OF_LATIN
    except UnicodeDecodeError:
        least = _OF_OTHERS
    return most >= least * (len(head) // width)


def _reads(head: bytes, kind: Wide) -> bool:
    """Whether it is text in this encoding, as far as one sees."""
    decoder = codecs.getincrementaldecoder(kind)()
    try:
        characters = set(decoder.decode(head))
    except UnicodeDecodeError:
        return False
    odd = characters - _ALLOWED - {"\ufeff"}
    return bool(odd) and all(unicodedata.category(each) not in _NEVER for each in odd)
