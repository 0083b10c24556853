"""What the checks read and write, and what must be counted and summed in it.

Worked out in plain Python, on purpose not by the modules that tell it for measurements.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from iogauge.model.strategy import Format, Peculiarity, Sums
from iogauge.model.workload import Consume

SIZES = (0, 1, 63, 64, 65, 4095, 4096, 4097)
FEW = (0, 65, 4097)  # where each size costs a request or more
MIDDLE = 70_001  # larger than the buffers that libraries have by themselves
LARGE = (1 << 20) + 7
_CHARACTERS = "aé日😀~߿ࠀ𝄞"  # 1 to 4 bytes in UTF-8, the last of each four two units in UTF-16

_PECULIAR: dict[Peculiarity, tuple[str, ...]] = {
    "lone-cr": ("\r",),
    "form-feed": ("\f", "\v"),
    "separators": ("\x1c", "\x1d", "\x1e"),
    "next-line": ("\x85",),
    "line-separator": ("\u2028", "\u2029"),
    "nul": ("\0",),
}
"""The characters that are a peculiarity of text."""
_IN_JSON: tuple[Peculiarity, ...] = ("next-line", "line-separator")  # it escapes the others

Due = tuple[int, int | None]  # count and sum that an operation must report


@dataclass(frozen=True, eq=False)
class Data:
    """The content of a file or a payload, before its format puts anything around it."""

    name: str
    content: bytes

    def in_format(self, form: Format) -> Data:
        """What a strategy of this format is given in its place: it, or JSON lines made of it."""
        return _json_lines(self) if form == "json-lines" else self

    def due(self, sums: Sums, consume: Consume) -> Due:
        """What reading all of it must report."""
        count, total = _tally(self, sums)
        return count, {"none": None, "touch": sum(self.content[::64]), "sum": total}[consume]


def times(due: Due, operations: int) -> Due:
    """What so many operations report together."""
    count, total = due
    return count * operations, None if total is None else total * operations


def together(dues: Sequence[Due]) -> Due:
    """What a span of these operations reports."""
    totals = [total for _, total in dues if total is not None]
    whole = sum(totals) if len(totals) == len(dues) else None
    return sum(count for count, _ in dues), whole


def is_text(sums: Sums) -> bool:
    """Whether what is counted and summed are characters, or lines."""
    return sums != "byte"


def plain(sums: Sums, length: int) -> Data:
    """So many bytes: any bytes, or text with lines and characters of every width."""
    return _text(length) if is_text(sums) else _bytes(length)


@cache
def files(sums: Sums, *which: Literal["small", "few", "middle", "large"]) -> tuple[Data, ...]:
    """`small` are of every size around the limits of buffers and blocks, with all that is special
    in text; `few` are some of them. `middle` is larger than buffers, and `large` than that.
    """
    made: list[Data] = []
    for each in which:
        lengths, special = {
            "small": (SIZES, _special()),
            "few": (FEW, _special()[:3]),
            "middle": ((MIDDLE,), (_text(MIDDLE, "\r\n"),)),
            "large": ((LARGE,), ()),
        }[each]
        made += [plain(sums, length) for length in lengths]
        made += special if is_text(sums) else ()
    return tuple(made)


@cache
def peculiar(form: Format) -> dict[Peculiarity, Data]:
    """Text with each peculiarity that text of this format can have: alone, in a row, and at both
    ends of lines.
    """
    made = {}
    for name, characters in _PECULIAR.items():
        lines = ("one*two", "*three", "four *", "**", "", "* five *six", "é*日", "last")
        text = "".join(
            line.replace("*", each) + end
            for each in characters
            for end in ("\n", "\r\n")
            for line in lines
        )
        made[name] = Data(f"text with {name}", (text * 40).encode())
    made["final-cr"] = Data("text with final-cr", b"one\ntwo\r\nthree\r")
    return {name: made[name] for name in (_IN_JSON if form == "json-lines" else made)}


@cache
def long_line() -> Data:
    return Data("a line of 200000 bytes", ("aé日😀" * 20_000 + "\nshort\n").encode())


@cache
def _json_lines(data: Data) -> Data:
    """Each line in an object. The line ends, and that there is none at the end, stay."""
    *lines, last = data.content.decode().split("\n")
    made = ""
    for line in lines:
        text = line.removesuffix("\r")
        made += _object(text) + line[len(text) :] + "\n"
    return Data(f"JSON lines of {data.name}", (made + (last and _object(last))).encode())


def _object(line: str) -> str:
    return json.dumps({"text": line, "length": len(line)}, ensure_ascii=False)


@cache
def _special() -> tuple[Data, ...]:
    return (
        _text(4097, "\r\n"),
        Data("4-byte characters", ("😀𝄞" * 400 + "\n").encode()),
        Data("a BOM at the start", "\ufeffone\ntwo\n".encode()),
        Data("no final line end", b"one\ntwo\r\n\nthree"),
        Data("empty lines only", b"\n\n\r\n\n\r\n"),
        Data("one empty line", b"\r\n"),
        Data("2-byte characters", ("é߿" * 700).encode()),
        Data("3-byte characters", ("日ࠀ" * 700).encode()),
    )


@cache
def _bytes(length: int) -> Data:
    """Every value occurs, and a slip of one position changes the sums."""
    values = ((7 * offset + offset // 251) % 256 for offset in range(length))
    return Data(f"{length} bytes", bytes(values))


@cache
def _text(length: int, end: str = "\n") -> Data:
    """Lines of 0 to 100 characters: limits of buffers fall into characters and lines, too."""
    made, number = bytearray(), 0
    while len(made) < length:
        number += 1
        picked = (number + each * (each + 1) // 2 for each in range(number * 37 % 101))
        line = "".join(_CHARACTERS[each % len(_CHARACTERS)] for each in picked)
        made += (line + end).encode()
    # Without a character that is cut, or a line end.
    kept = made[:length].decode("utf-8", "ignore").encode().removesuffix(b"\r")
    name = f"{length} bytes of text" + (" with CRLF" if end == "\r\n" else "")
    return Data(name, kept + b"x" * (length - len(kept)))


@cache
def _tally(data: Data, sums: Sums) -> tuple[int, int]:
    """Count and sum of all of it."""
    if not sums.startswith("line-"):
        values = _values(data.content, sums)
        return len(values), sum(values)
    *ended, last = data.content.split(b"\n")
    lines = [line.removesuffix(b"\r") for line in ended]
    lines += [last] if last else []  # nothing follows the last line end
    kind = sums.removeprefix("line-")
    return len(lines), sum(len(_values(line, kind)) for line in lines)


def _values(content: bytes, kind: str) -> Sequence[int]:
    match kind:
        case "byte":
            return content
        case "utf16":
            units = content.decode().encode("utf-16-le")
            return struct.unpack(f"<{len(units) // 2}H", units)
        case "codepoint":
            return [ord(each) for each in content.decode()]
    raise ValueError(kind)
