"""What is C in packages of Go."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from iogauge.sources.languages.go import files

_SOURCES = {".c", ".cc", ".cpp", ".cxx", ".m", ".s", ".S", ".sx", ".syso"}
_HEADERS = {".h", ".hh", ".hpp", ".hxx"}
_TOLD = re.compile(r"^[ \t/*]*#cgo\b[^\n:]*:(.*)", re.MULTILINE)
_INCLUDED = re.compile(r'^[ \t/*]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)


def is_compiled(path: Path) -> bool:
    """Whether Go compiles it with a package, or others include it."""
    return path.suffix in _SOURCES | _HEADERS and path.is_file()


def outside(sources: Collection[Path]) -> list[Path]:
    """What sources of a package bring that is not among them: headers, and libraries that `#cgo`
    names.
    """
    words = [(each.parent, word) for each in sources for word in _words(each)]
    searched = [_at(folder, word[2:]) for folder, word in words if word.startswith("-I")]
    found = {path for path in _linked(words) if path.is_file()}
    unread = [*sources]
    while unread:
        file = unread.pop()
        for name in _INCLUDED.findall(files.text_of(file)):
            for path in (_at(folder, name) for folder in (file.parent, *searched)):
                if path.is_file() and path not in found and path not in sources:
                    found.add(path)
                    unread.append(path)
    return sorted(found)


def needed(source: Path) -> list[Path]:
    """Of a file of Go that lies in no package, the headers that it includes, and the sources of C
    that are called like one of these, or like the file.
    """
    found = {each for each in outside([source]) if each.suffix in _HEADERS}
    stems = {each.stem for each in (*found, source)}
    near = (each for each in source.parent.glob("*") if each.suffix in _SOURCES and each.is_file())
    sources = {each for each in near if each.stem in stems}
    return sorted({*found, *sources, *outside(sources)})


def _words(source: Path) -> list[str]:
    """What `#cgo` tells the tools of C."""
    lines = _TOLD.findall(files.text_of(source)) if source.suffix == ".go" else []
    return [
        word.strip("\"'").replace("${SRCDIR}", str(source.parent))
        for line in lines
        for word in line.split()
    ]


def _linked(words: list[tuple[Path, str]]) -> Iterator[Path]:
    for folder, word in words:
        if not word.startswith("-"):
            yield _at(folder, word)
        if word.startswith("-L"):
            for name in (one[2:] for _, one in words if one.startswith("-l")):
                yield from (_at(folder, word[2:]) / f"lib{name}{end}" for end in (".a", ".so"))


def _at(folder: Path, path: str) -> Path:
    return Path(os.path.normpath(folder / path))
