"""The file numbers of a machine as one page of text: rounded so that one remembers them, with a
picture of how many bytes per second calls of each size move, below what the paths can do.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from iogauge.model.units import compact_size, rate, significant
from iogauge.model.watched import (
    Constant,
    ConstantName,
    Constants,
    LeftOut,
    PathName,
    Why,
)

_LINES, _WIDTH = 30, 80  # of a page
_MORE = " … (--json has all)"
_LABEL, _COLUMN = 14, 6
_PAIR = 36, 41  # characters of the columns of what has no size
_TABLE: dict[ConstantName, str] = {
    "read": "read",
    "pread": "pread",
    "write": "write",
    "pipe-write": "into a pipe",
}
_ALONE: dict[ConstantName, str] = {
    "open-close": "open + close",
    "stat": "stat",
    "seek": "seek",
    "null-write": "write to /dev/null",
    "fsync": "append 100 bytes + fsync",
    "fdatasync": "overwrite 100 bytes + fdatasync",
    "mapped-small": "map 1 MiB, 4 KiB folios",
    "mapped-large": "map 1 MiB, 1 MiB folios",
}
PATHS: dict[PathName, str] = {
    "cached-read": "read from the cache",
    "cache-write": "write into the cache",
    "device-read": "read from the device",
    "device-write": "write to the device, with fsync",
}
"""What people call the paths."""
_WORDS: dict[str, str] = {
    name: label for words in (_TABLE, _ALONE, PATHS) for name, label in words.items()
}
_WHY: dict[Why, str] = {
    "disturbed": "something else ran",
    "uncounted": "the kernel counted other calls",
    "bandwidth": "it would be above the bandwidth",
    "sizes": "other sizes do not agree",
    "lengths": "not in proportion to the number of calls",
    "halves": "it changed meanwhile",
    "varies": "it varies too much",
    "device": "the device moved less",
    "failed": "it failed",
}
_MARKS = {"read": "r", "write": "w"}
_BOTH, _ROOF = "x", "-"
_LEGEND = "r read, w write, x both; - a path"
_ROOFS: dict[PathName, str] = {
    "cached-read": "cache read",
    "cache-write": "cache write",
    "device-read": "device read",
    "device-write": "device write",
}
_MOST_ROWS, _PER_DECADE = 11, 2
_NAMED = 4  # of what is left out for one reason; more are counted


def memorable(value: float) -> str:
    """One or two digits, so that no value is off by more than a sixth: `0.4`, `2.8`, `50`."""
    leading = value / 10 ** math.floor(math.log10(value))
    return significant(value, 2 if leading < 2.95 else 1, bare=True)


def render(known: Constants, age: str) -> str:
    """The page; `age` says when it was measured: `3 h ago`."""
    lines = [_title(known, age), ""]
    if any(each.name in _TABLE for each in known.calls):
        lines += [*_table(known), ""]
    lines += _alone(known)
    if rows := [*_picture(known)]:
        lines += ["", *rows]
    if text := left_out(known.left_out):
        room = max(1, _LINES - len(lines) - 1)
        lines += ["", *textwrap.wrap(text, _WIDTH, max_lines=room, placeholder=_MORE)]
    return "\n".join(line.rstrip() for line in lines)


def left_out(out: Sequence[LeftOut]) -> str:
    """What is not known and why, in a sentence; empty where all is."""
    by_reason: dict[str, list[LeftOut]] = {}
    for each in out:
        by_reason.setdefault(each.reason or _WHY[each.why], []).append(each)
    parts = []
    for reason, some in by_reason.items():
        many = len(some) > _NAMED
        names = dict.fromkeys(map(_named, some))
        named = f"{len(some)} numbers" if many else ", ".join(names)
        parts.append(f"{named} ({reason})")
    return f"Not known: {'; '.join(parts)}." if parts else ""


def _named(each: LeftOut) -> str:
    sized = each.name in _TABLE and each.size
    return f"{_WORDS[each.name]} {_size(each.size or 0)}" if sized else _WORDS[each.name]


def _title(known: Constants, age: str) -> str:
    host = known.host
    where = ", ".join(filter(None, (host.get("file_system"), _system(host))))
    return f"The file numbers of this machine ({where}), measured {age}"[:_WIDTH]


def _system(host: Mapping[str, str]) -> str:
    return f"{host.get('system', '')} {host.get('kernel', '').partition('-')[0]}".strip()


def _sizes(known: Constants) -> list[int]:
    """The columns."""
    return sorted({each.size or 0 for each in known.calls if each.name in _TABLE})


def _row(label: str, cells: Sequence[str]) -> str:
    return f"{label:<{_LABEL}}" + "".join(f"{each:>{_COLUMN}}" for each in cells)


def _table(known: Constants) -> Iterator[str]:
    sizes = _sizes(known)
    yield _row("µs per call of", [_size(each) for each in sizes])
    for name, label in _TABLE.items():
        costs = {each.size: each for each in known.calls if each.name == name}
        if costs:
            yield _row(f"  {label}", [_microseconds(costs.get(each)) for each in sizes])


def _size(count: int) -> str:
    return compact_size(count).removesuffix(".00").removesuffix(".0")


def _microseconds(constant: Constant | None) -> str:
    return memorable(constant.ns.middle / 1e3) if constant else ""


def _alone(known: Constants) -> Iterator[str]:
    """Calls without a size, and the paths, in pairs."""
    found = [
        (label, _time(span.middle)) for name, label in _ALONE.items() if (span := known.of(name))
    ]
    found += [
        (label, rate_of(span.middle)) for name, label in PATHS.items() if (span := known.rate(name))
    ]
    for first in range(0, len(found), 2):
        pair = zip(_PAIR, found[first : first + 2], strict=False)
        yield "   ".join(f"{label:<{width - 10}}{value:>10}" for width, (label, value) in pair)


def _time(ns: float) -> str:
    return f"{memorable(ns / 1e6)} ms" if ns >= 1e6 else f"{memorable(ns / 1e3)} µs"


def rate_of(bytes_per_s: float) -> str:
    """As a disk is quoted, in as few digits."""
    unit = rate(bytes_per_s).partition(" ")[2]
    factor = bytes_per_s / float(rate(bytes_per_s).partition(" ")[0])
    return f"{memorable(bytes_per_s / factor)} {unit}"


def _picture(known: Constants) -> Iterator[str]:
    """Bytes per second by the size of a call, a row for each half of a decade; the paths are roofs.

    Of what falls into one place, both are seen.
    """
    sizes, places = _sizes(known), dict[tuple[int, int], str]()
    for each in known.calls:
        if each.size and (mark := _MARKS.get(each.name)):
            at = _level(each.size / each.ns.middle * 1e9), sizes.index(each.size)
            places[at] = _BOTH if places.get(at, mark) != mark else mark
    roofs: dict[int, list[str]] = {}
    for path in known.paths:
        roofs.setdefault(_level(path.bytes_per_s.middle), []).append(_ROOFS[path.name])
    if not places:
        return
    levels = {level for level, _ in places} | {*roofs}
    yield f"bytes per second by size of a call: {_LEGEND}"
    for level in range(max(levels), max(max(levels) - _MOST_ROWS, min(levels) - 1), -1):
        row = "".join(f"{places.get((level, at), ''):>{_COLUMN}}" for at in range(len(sizes)))
        if named := ", ".join(roofs.get(level, [])):
            drawn = f" {_ROOF * 2} {named} ".ljust(len(row), _ROOF)
            row = "".join(
                one if one != " " else other for one, other in zip(row, drawn, strict=False)
            )
        yield f"{_label(level):>{_LABEL}}{row}"
    yield _row("", [_size(each) for each in sizes])


def _level(bytes_per_s: float) -> int:
    """The half of a decade that is nearest."""
    return round(math.log10(bytes_per_s) * _PER_DECADE)


def _label(level: int) -> str:
    """That of whole decades; those between them have none."""
    if level % _PER_DECADE:
        return ""
    return rate(10.0 ** (level / _PER_DECADE)).replace(".00", "").replace(".0", "")
