"""Files of all shapes that people have, small: `python tests/odd_files.py FOLDER` writes them there.

Each is told with what must be found in it. What is not told is 0, or as in plain ASCII text whose
lines end with LF.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

LINES = [f"2026-01-01 00:00:{n % 60:02} GET /item/{n} 200" for n in range(100, 300)]
"""200 lines of 37 characters."""
LOG = "".join(f"{line}\n" for line in LINES).encode()
TABLE = "id,name,price\r\n" + "".join(f"{n},thing {n},{n}.50\r\n" for n in range(100, 200))
WORDS = "größer als 1 €, naïve façade\nПривет, мир\n日本語のテキスト 😀\n" * 50
LATIN = "größer, naïve, façade\n" * 100
PLAIN = {"lf": 200, "longest": 37}
"""The profile of LOG."""


class Odd(NamedTuple):
    """A file: its bytes, and what its profile must be. `refused` begins the line that says why it
    cannot be measured.
    """

    data: bytes
    profile: dict[str, Any]
    refused: str = ""


def _text(data: str, codec: str = "utf-8", **profile: Any) -> Odd:
    return Odd(data.encode(codec), profile)


def _packed(data: bytes, packing: str) -> Odd:
    return Odd(data, {"encoding": "binary", "packing": packing})


def _zstd(data: bytes) -> bytes:
    """A frame of one block that is not compressed, of less than 256 bytes."""
    head = b"\x28\xb5\x2f\xfd" + bytes([0x20, len(data)])
    return head + (len(data) << 3 | 1).to_bytes(3, "little") + data


def _tar(data: bytes) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        member = tarfile.TarInfo("a.log")
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    return file.getvalue()


def _zip(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(zipfile.ZipInfo("a.log"), data)
    return file.getvalue()


def _text_files() -> dict[str, Odd]:
    log = LOG.decode()
    table = {"crlf": 101, "longest": 20}
    words = {"encoding": "utf-8", "lf": 150, "longest": 34}
    return {
        "lf.log": Odd(LOG, PLAIN),
        "crlf.csv": _text(TABLE, **table),
        "cr.txt": _text(log.replace("\n", "\r"), cr=200, longest=37, ends_with="lone-cr"),
        "mixed.txt": _text("one\ntwo\r\nthree\rfour\n" * 50, lf=100, crlf=50, cr=50, longest=10),
        "progress.log": _text("10 %\r20 %\rdone\n" * 40, lf=40, cr=80, longest=14),
        "cr-crlf.txt": _text("a line\r\r\n" * 60, crlf=60, cr=60, longest=7),
        "no-end.txt": _text(log[:-1], lf=199, longest=37, ends_with=None),
        "final-cr.txt": _text("one\ntwo\nthree\r", lf=2, cr=1, longest=6, ends_with="lone-cr"),
        "one-line.json": _text("[" + "1, " * 5000 + "1]", longest=15003, ends_with=None),
        "long-line.txt": _text(f"short\n{'long ' * 60000}\nshort\n", lf=3, longest=300_000),
        "utf8.txt": _text(WORDS, **words),
        "utf8-bom.csv": _text("\ufeff" + TABLE, **table, encoding="utf-8", bom=True),
        "utf16-bom.csv": _wide("\ufeff" + TABLE, "utf-16-le", **table, bom=True),
        "utf16be-bom.txt": _wide("\ufeff" + WORDS, "utf-16-be", lf=150, longest=29, bom=True),
        "utf16.txt": _wide(log, "utf-16-le", **PLAIN),
        "utf16be.txt": _wide(WORDS, "utf-16-be", lf=150, longest=28),
        "utf32-bom.txt": _wide("\ufeff" + WORDS, "utf-32-le", lf=150, longest=29, bom=True),
        "utf32be.txt": _wide(log, "utf-32-be", **PLAIN),
    }


def _odd_texts() -> dict[str, Odd]:
    return {
        "latin1.txt": _text(LATIN, "latin-1", encoding="other", lf=100, longest=21),
        "cut-character.log": Odd(
            LOG + "größer\n".encode()[:3] + b"\n", {**PLAIN, "encoding": "other", "lf": 201}
        ),
        "separators.jsonl": _text(
            '{"text": "one\u2028two\u2029three\x85four"}\n' * 30,
            encoding="utf-8",
            lf=30,
            longest=35,
            others={"line-separator": 60, "next-line": 30},
        ),
        "form-feeds.txt": _text(
            "a page\f\na column\v and more\n" * 20,
            lf=40,
            longest=18,
            others={"form-feed": 40},
        ),
        "controls.txt": _text(
            "a\x1cb\x1dc\x1ed\x1fe\n" * 20, lf=20, longest=9, others={"separators": 60}
        ),
        "rotated.log": Odd(
            bytes(40_000) + LOG, {**PLAIN, "longest": 40_037, "nuls": 40_000, "nuls_first": 40_000}
        ),
        "fix.log": _text("8=FIX.4.2\x019=65\x0135=A\x01\n" * 50, lf=50, longest=20),
        "nuls.log": _text("user\0 name\n" * 50, lf=50, longest=10, nuls=50),
        "quoted.csv": _text(
            'id,"a ""note"""\n1,"two\nlines"\n2,none\n' * 30, lf=120, longest=15, quoted_ends=30
        ),
    }


def _packed_files() -> dict[str, Odd]:
    gz = gzip.compress(LOG, mtime=0)
    return {
        "log.gz": Odd(gz, PLAIN),
        "members.gz": Odd(gz + gz, {**PLAIN, "lf": 400}),
        "behind.gz": Odd(gz + b"\r\n", PLAIN),
        "padded.gz": Odd(gz + bytes(1000), PLAIN),
        "cut.gz": Odd(gz[:-20], {}, "begins as a gzip file, but cannot be unpacked ("),
        "damaged.gz": Odd(
            gz[:-8] + bytes(8), {}, "begins as a gzip file, but cannot be unpacked ("
        ),
        "nothing.gz": Odd(gzip.compress(b"", mtime=0), {}, "is empty inside"),
        "archive.tar.gz": Odd(
            gzip.compress(_tar(LOG), mtime=0), {"encoding": "binary", "packing": "tar"}
        ),
        "log.zst": _packed(_zstd(LOG[:200]), "zstd"),
        "log.xz": _packed(lzma.compress(LOG), "xz"),
        "log.bz2": _packed(bz2.compress(LOG), "bzip2"),
        "log.zip": _packed(_zip(LOG), "zip"),
        "log.tar": _packed(_tar(LOG), "tar"),
    }


def _binary_files() -> dict[str, Odd]:
    return {
        "numbers.bin": Odd(
            b"".join(n.to_bytes(4, "little") for n in range(5000)), {"encoding": "binary"}
        ),
        "noise.bin": Odd(random.Random(1).randbytes(20_000), {"encoding": "binary"}),
        "zeros.bin": Odd(bytes(70_000), {"encoding": "binary"}),
        "empty.txt": Odd(b"", {}, "is empty"),
    }


def _wide(text: str, codec: str, *, longest: int, **profile: Any) -> Odd:
    width = 4 if "32" in codec else 2
    return _text(text, codec, encoding=codec, longest=width * longest, **profile)


FILES = {**_text_files(), **_odd_texts(), **_packed_files(), **_binary_files()}
HOLES = "holes.log"
"""A file with a hole of 1 MiB between two lines."""


def write(folder: Path) -> None:
    """Write all of them, and the one with holes."""
    for name, file in FILES.items():
        (folder / name).write_bytes(file.data)
    with (folder / HOLES).open("wb") as sparse:
        sparse.write(b"the first line\n")
        sparse.seek(1 << 20)
        sparse.write(b"\nthe last line\n")


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    write(target)
