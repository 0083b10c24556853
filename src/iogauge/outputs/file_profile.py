"""What a file of the user's is, in one line, and which ways to read it that leaves out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from iogauge.corpus.own_file import OwnFile
from iogauge.corpus.profile import Encoding, Profile
from iogauge.corpus.sniffing import Packing
from iogauge.model.strategy import Peculiarity, Strategy
from iogauge.model.text import listed, shell_path, visible
from iogauge.model.units import count, counted, size, whole_share
from iogauge.runners import manifest

_TEXTS: dict[Encoding, str] = {
    "ascii": "ASCII text",
    "utf-8": "UTF-8 text",
    "utf-16-le": "UTF-16LE text",
    "utf-16-be": "UTF-16BE text",
    "utf-32-le": "UTF-32LE text",
    "utf-32-be": "UTF-32BE text",
    "other": "text that is not UTF-8 (Latin-1, perhaps)",
}
_PACKED: dict[Packing, tuple[str, str]] = {
    "gzip": ("a gzip file", "gunzip -k"),
    "zstd": ("a zstd file", "zstd -d"),
    "xz": ("an xz file", "xz -dk"),
    "bzip2": ("a bzip2 file", "bunzip2 -k"),
    "zip": ("a zip archive", "unzip"),
    "tar": ("a tar archive", "tar -xf"),
}
"""What a file is that something packed, and the command that unpacks it."""
_OTHER_ENDS: dict[Peculiarity, tuple[str, str]] = {
    "form-feed": ("form feed or vertical tab", "form feeds or vertical tabs"),
    "separators": ("character of U+001C to U+001E", "characters of U+001C to U+001E"),
    "next-line": ("U+0085", "U+0085"),
    "line-separator": ("U+2028 or U+2029", "U+2028 or U+2029"),
}


def line(file: OwnFile, *, by_own_code: bool) -> str:
    """`access.log: 12 MiB of UTF-8 text, 120 lines (LF, longest 2.1 KiB), all of it cached`. Only
    the unusual is named besides. `by_own_code` says that the user's code gets the file as it is.
    """
    profile = file.profile
    parts = [_what(file, profile), *_text(file, profile), *_nuls(profile)]
    parts += [f"{size(file.holes)} of it holes"] if file.holes else []
    if file.members and (behind := file.members.behind):
        zeros = file.members.zeros == behind
        what = "zero byte" if zeros else "byte"
        parts.append(f"{counted(behind, what)} behind its last member")
    if file.cached is not None:
        parts.append(_cached(file.cached))
    notes = list(_notes(file, profile, by_own_code))
    return f"{visible(str(file.given))}: {'; '.join([', '.join(parts), *notes])}"


def _what(file: OwnFile, profile: Profile) -> str:
    members, length = file.members, size(file.size)
    if profile.packing:
        inside = _PACKED[profile.packing][0]
        what = f"{length}, {inside}" if not members else f"{inside} of {length}"
    else:
        what = f"{length} of {_data(profile)}"
    if not members:
        return what
    several = f" of {count(members.count)} members" if members.count > 1 else ""
    return f"{size(file.file_size)}, a gzip file{several} with {what} inside"


def _data(profile: Profile) -> str:
    if profile.encoding == "binary":
        return "NULs" if profile.nuls == profile.scanned else "binary data"
    wide = profile.encoding not in ("ascii", "utf-8", "other")
    bom = " with a BOM" if profile.bom else " without a BOM" if wide else ""
    return _TEXTS[profile.encoding] + bom


def _text(file: OwnFile, profile: Profile) -> Iterator[str]:
    """Its lines, and at what else some languages end one."""
    if profile.encoding == "binary":
        return
    by_cr = profile.cr > 0 and not profile.lf + profile.crlf
    ended = profile.ends_with == ("lone-cr" if by_cr else "lf")
    lines = profile.cr + (not ended) if by_cr else profile.lines
    part = " in its first GiB" if profile.scanned < file.size else ""
    about = [_ends(profile)] if lines > 1 or ended else []
    about += [f"longest {size(profile.longest)}"] if lines > 1 else []
    if not (ended or part):
        about.append("the last without an end" if lines > 1 else "without an end")
    yield f"{counted(lines, 'line')}{part} ({', '.join(about)})"
    if quoted := profile.quoted_ends:
        yield f"{counted(quoted, 'line end')} inside quotes"
    others = [
        f"{count(many)} {_OTHER_ENDS[kind][many > 1]}"
        for kind, many in profile.other_ends.items()
        if kind in _OTHER_ENDS
    ]
    if others:
        yield f"{listed(others)} (where some languages end a line)"


def _ends(profile: Profile) -> str:
    """`LF`, or `120 LF, 3 CR` where lines end in several ways."""
    ends = {"LF": profile.lf, "CRLF": profile.crlf, "CR": profile.cr}
    found = {name: many for name, many in ends.items() if many}
    if len(found) == 1:
        return next(iter(found))
    return "mixed: " + ", ".join(f"{count(many)} {name}" for name, many in found.items())


def _nuls(profile: Profile) -> Iterator[str]:
    first, more = profile.nuls_first, profile.nuls - profile.nuls_first
    if profile.encoding != "binary" and profile.nuls:
        if first:
            yield f"{size(first)} of NULs at its start"
        if more:
            yield f"{counted(more, 'NUL')}{' behind them' if first else ''}"


def _cached(share: float) -> str:
    if share in (0, 1):
        return f"{'all' if share else 'none'} of it cached"
    return f"{whole_share(min(share, 0.99))} of it cached"


def _notes(file: OwnFile, profile: Profile, by_own_code: bool) -> Iterator[str]:
    if file.members:
        yield "sizes and speeds are those of what is inside"
    elif profile.packing:
        what = "your code gets it" if by_own_code else "it is measured"
        how = f"{_PACKED[profile.packing][1]} {shell_path(file.given)}"
        yield f"{what} as it is (to unpack it: {how})"
    elif profile.encoding != "binary" and not (profile.is_text or by_own_code):
        yield "its lines are not compared, as ways to read lines take UTF-8"


def left_out(file: OwnFile, strategies: Iterable[Strategy]) -> Iterator[str]:
    """A line for each reason why some of these ways cannot take the file as it is."""
    found: defaultdict[str, list[Strategy]] = defaultdict(list)
    for each in strategies:
        if why := each.trips(file.peculiarities):
            found[why].append(each)
    for why, some in found.items():
        languages = Counter(manifest.name_of(each.language) for each in some)
        told = ", ".join(f"{many} in {name}" for name, many in sorted(languages.items()))
        where = f"({told})" if len(languages) > 1 else f"in {next(iter(languages))}"
        yield f"not measured: {counted(len(some), 'way')} {where} which {why}"
