"""Looks at data piece by piece and keeps only counts, so a file of any size takes the same memory."""

from __future__ import annotations

from typing import Literal

import numpy as np

from iogauge.corpus import sniffing
from iogauge.corpus.profile import Encoding, Profile
from iogauge.model.strategy import Peculiarity

_LF, _VT, _FF, _CR, _QUOTE = 0x0A, 0x0B, 0x0C, 0x0D, 0x22
_SEPARATORS = range(0x1C, 0x1F)
_WIDE_ENDS = {0x85: b"\xc2\x85", 0x2028: b"\xe2\x80\xa8", 0x2029: b"\xe2\x80\xa9"}  # in UTF-8
_CUT = (b"\xe2\x80", b"\xe2", b"\xc2")  # how they begin
_ENDS: dict[int, Literal["lf", Peculiarity]] = {
    **{_LF: "lf", _CR: "lone-cr", _VT: "form-feed", _FF: "form-feed"},
    **dict.fromkeys(_SEPARATORS, "separators"),
    **{0x85: "next-line", 0x2028: "line-separator", 0x2029: "line-separator"},
}
_HARDLY_IN_TEXT = [*range(1, 8), *range(14, 27)]  # control characters
_UNITS: dict[sniffing.Wide, str] = {
    "utf-16-le": "<u2",
    "utf-16-be": ">u2",
    "utf-32-le": "<u4",
    "utf-32-be": ">u4",
}


class _Longest:
    """The longest line of those whose ends it is told, in units."""

    def __init__(self) -> None:
        self._ended = self._open = 0

    def add(self, ends: np.ndarray, returns: np.ndarray | int, units: int) -> None:
        """There are these ends in the next units; `returns` says which have one more before."""
        if len(ends):
            starts = np.concatenate([[-self._open], ends[:-1] + 1])
            self._ended = max(self._ended, int((ends - starts - returns).max()))
            self._open = units - int(ends[-1]) - 1
        else:
            self._open += units

    @property
    def units(self) -> int:
        return max(self._ended, self._open)


class Scan:
    """What was seen of data that begins with `head`. A unit is a byte, or two or four of them in
    an encoding that is as wide.
    """

    def __init__(self, head: bytes):
        self.seen = 0  # bytes
        self._packing = sniffing.packing(head)
        self._wide = None if self._packing else sniffing.wide(head)
        self._bom = sniffing.has_bom(head, self._wide)
        self._unit = np.dtype(_UNITS[self._wide]) if self._wide else np.dtype(np.uint8)
        self._csv = not (self._packing or self._wide) and sniffing.looks_like_csv(head)
        self._controls = np.zeros(32, np.int64)  # how often each is there, without NUL
        self._wide_ends = dict.fromkeys(_WIDE_ENDS, 0)
        self._bytes_0x85 = 0
        self._crlf = self._nuls = self._nul_runs = self._nuls_first = 0
        self._quotes = self._quoted_ends = 0
        self._longest, self._longest_by_cr = _Longest(), _Longest()
        self._ascii = self._only_nuls = True
        self._last = -1  # unit
        self._tail = b""  # the last bytes, of which a character may need as many
        self._cut = b""  # of a unit or of a character, whose end has not come yet

    def add(self, data: bytes) -> None:
        """Look at the next bytes, cut anywhere."""
        self.seen += len(data)
        if (width := self._unit.itemsize) > 1:
            data = self._cut + data
            whole = len(data) // width * width
            data, self._cut = data[:whole], data[whole:]
        if not data:
            return
        units = np.frombuffer(data, self._unit)
        self._count_nuls(units)
        # 1 to 31; NUL becomes the largest number.
        at = np.flatnonzero(units - units.dtype.type(1) < 31)
        controls = units[at]
        self._controls += np.bincount(controls.astype(np.intp), minlength=32)
        feeds = at[controls == _LF]
        self._end_lines(units, feeds, at[controls == _CR])
        self._find_wide_ends(data, units)
        if self._csv and (self._quotes % 2 or b'"' in data):
            quotes = np.flatnonzero(units == _QUOTE)
            before = self._quotes + np.searchsorted(quotes, feeds)
            self._quoted_ends += int(np.count_nonzero(before % 2))
            self._quotes += len(quotes)
        self._last = int(units[-1])
        self._tail = (self._tail + data[-3:])[-3:]

    def _count_nuls(self, units: np.ndarray) -> None:
        nul = units == 0
        count = int(np.count_nonzero(nul))
        if self._only_nuls:
            self._only_nuls = count == len(units)
            self._nuls_first += count if self._only_nuls else int(np.argmin(nul))
        if count:
            self._nuls += count
            self._nul_runs += int(np.count_nonzero(nul[1:] & ~nul[:-1]))
            self._nul_runs += bool(nul[0]) and self._last != 0

    def _end_lines(self, units: np.ndarray, feeds: np.ndarray, returns: np.ndarray) -> None:
        after_return = units[feeds - 1] == _CR
        if len(feeds) and not feeds[0]:
            after_return[0] = self._last == _CR
        self._crlf += int(np.count_nonzero(after_return))
        self._longest.add(feeds, after_return, len(units))
        if not self._controls[_LF]:
            self._longest_by_cr.add(returns, 0, len(units))

    def _find_wide_ends(self, data: bytes, units: np.ndarray) -> None:
        """Look for what ends lines in Unicode and is no ASCII."""
        if self._wide:
            for end in _WIDE_ENDS:
                self._wide_ends[end] += int(np.count_nonzero(units == end))
        elif not data.isascii():
            self._ascii = False
            data = self._cut + data
            self._cut = next((each for each in _CUT if data.endswith(each)), b"")
            for end, found in _WIDE_ENDS.items():
                self._wide_ends[end] += data.count(found)
            self._bytes_0x85 += data.count(b"\x85")
        else:
            self._cut = b""

    def profile(self, *, utf_8: bool) -> Profile:
        """The profile of what was seen, which is valid `utf_8` or not."""
        encoding = self._encoding(utf_8)
        feeds, returns = int(self._controls[_LF]), int(self._controls[_CR])
        longest = self._longest if feeds or not returns else self._longest_by_cr
        wide_ends = self._wide_ends
        return Profile(
            scanned=self.seen,
            encoding=encoding,
            bom=self._bom,
            packing=self._packing,
            lf=feeds - self._crlf,
            crlf=self._crlf,
            cr=returns - self._crlf,
            others={
                "form-feed": int(self._controls[_VT] + self._controls[_FF]),
                "separators": int(self._controls[list(_SEPARATORS)].sum()),
                "next-line": self._bytes_0x85 if encoding == "other" else wide_ends[0x85],
                "line-separator": wide_ends[0x2028] + wide_ends[0x2029],
            },
            nuls=self._nuls,
            nuls_first=self._nuls_first,
            longest=longest.units * self._unit.itemsize,
            quoted_ends=0 if self._quotes % 2 else self._quoted_ends,
            ends_with=self._ends_with(encoding),
        )

    def _encoding(self, utf_8: bool) -> Encoding:
        if self._wide:
            return self._wide
        others = self.seen - self._nuls
        noise = int(self._controls[_HARDLY_IN_TEXT].sum())
        if self._packing or not others:
            return "binary"
        if utf_8:
            # Small numbers of several bytes are UTF-8, too.
            is_text = 20 * noise <= others and 8 * self._nul_runs <= others
            return ("ascii" if self._ascii else "utf-8") if is_text else "binary"
        is_text = 100 * noise <= others and self._nul_runs <= 1 + others // 1000
        return "other" if is_text else "binary"

    def _ends_with(self, encoding: Encoding) -> Literal["lf", Peculiarity] | None:
        if encoding == "utf-8":
            for end, found in _WIDE_ENDS.items():
                if self._tail.endswith(found):
                    return _ENDS[end]
            return _ENDS.get(self._last) if self._last < 0x80 else None
        return _ENDS.get(self._last)
