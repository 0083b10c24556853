"""The files and flags with which a file of C or C++ is compiled, as its folder tells them."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from iogauge.sources.language import Wrong
from iogauge.sources.languages.c import build_files, flags

SOURCES = {".c", ".cpp", ".cc", ".cxx", ".c++", ".C"}
_HEADERS = {".h", ".hh", ".hpp", ".hxx", ".h++", ".inc", ".ipp", ".inl", ".tcc"}
_COMMANDS = "compile_commands.json"
_BUILD_FOLDERS = ("", "build", "out", "builddir", "cmake-build-release", "cmake-build-debug")
_MARKERS = (
    *(os.path.join(each, _COMMANDS) for each in _BUILD_FOLDERS),
    *("CMakeLists.txt", "meson.build", *build_files.MAKEFILES),
)
_LEFT_OUT = {"node_modules", "target", "build", "out", "third_party", "CMakeFiles"}
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]', re.MULTILINE)
_UNFIT = re.compile(r"[\"\\\n]")  # what files of arguments cannot have in a path
_SYSTEM = ("/usr/include", "/usr/local/include")
_MOST_FILES = 5000
_LEVELS = 8  # of folders above a file that are looked at
_WITH_NEXT = {"-o", "-MF", "-MT", "-MQ", "-arch"}
_DROPPED = re.compile(
    r"-c|-M\w*|-Werror.*|-W[^l].*|-fdiagnostics.*|-save-temps.*|-flto.*|-pipe|-P?g\d?"
    r"|--coverage|-fprofile-(arcs|generate).*|-ftest-coverage"
)


@dataclass
class Project:
    """A folder with sources. `files` are all that lie there; `told` has the flags of files by
    compile_commands.json; `compiling` and `linking` are flags for the others, and for all.
    """

    root: Path
    files: list[Path] = field(default_factory=list)
    told: dict[Path, tuple[str, ...]] = field(default_factory=dict)
    compiling: tuple[str, ...] = ()
    linking: tuple[str, ...] = ()

    @property
    def sources(self) -> list[Path]:
        """The sources that belong to it: those that are compiled, where that is told."""
        every = [each for each in self.files if each.suffix in SOURCES]
        return [each for each in every if each in self.told] if self.told else every

    def flags(self, file: Path) -> tuple[str, ...]:
        """What a file is compiled with."""
        if file in self.told:
            return self.told[file]
        others = [each for path, each in self.told.items() if path.suffix == file.suffix]
        return others[0] if others else self.compiling


def project_of(path: Path) -> Project:
    """The project of a file, or the one that lies in a folder."""
    root = path if path.is_dir() else _root(path)
    marked = path.is_dir() or any((root / each).is_file() for each in _MARKERS)
    project = Project(root, sorted(_walked(root) if marked else _beside(root)))
    if marked:
        project.told = _commands(root)
        if not project.told:
            project.compiling, project.linking = build_files.flags(root)
    if _UNFIT.search(str(path)):
        raise Wrong(f"a compiler takes no path like {str(path)!r}; move it")
    project.files = [each for each in project.files if not _UNFIT.search(str(each))]
    return project


def headers(file: Path, project: Project, given: Sequence[str]) -> tuple[list[Path], list[Path]]:
    """The headers and sources that a file includes, and those that they include; and the folders in
    which the compiler finds them, besides those of the flags that are given.
    """
    found: dict[Path, None] = {}
    folders: dict[Path, None] = {}
    near = flags.named(given, "-iquote")
    search = flags.named(given, "-I", "-isystem", "-idirafter")
    unread = [file]

    def look(name: str, first: Sequence[Path], *, quoted: bool) -> None:
        there = (each / name for each in (*first, *search, *folders))
        path = next((each for each in there if each.is_file()), None)
        if path is None and (path := _in_project(name, quoted, project)):
            folders[Path(str(path)[: -len(name) - 1])] = None
        if path and (path := Path(os.path.normpath(path))) not in found and path != file:
            found[path] = None
            unread.append(path)

    for each in flags.named(given, "-include", "-imacros"):
        look(str(each), [Path("/"), *near], quoted=True)
    while unread:
        inside = unread.pop()
        for mark, named in _INCLUDE.findall(_bytes(inside)):
            quoted = mark == b'"'
            first = [inside.parent, *near] if quoted else []
            look(named.decode("utf-8", "replace"), first, quoted=quoted)
    return [*found], [*folders]


def _root(file: Path) -> Path:
    """The folder of the project that a file is in: the next one above that says how it is built,
    and those above that which say so in the same way; else the folder of the file.
    """
    above = [*file.parents][:_LEVELS]
    for at, folder in enumerate(above):
        for marker in _MARKERS:
            if (folder / marker).is_file():
                while at + 1 < len(above) and (above[at + 1] / marker).is_file():
                    at += 1
                return above[at]
        if (folder / ".git").exists():
            break
    return file.parent


def _walked(root: Path) -> Iterator[Path]:
    count = 0
    for folder, folders, names in os.walk(root):
        folders[:] = [each for each in folders if each[0] != "." and each not in _LEFT_OUT]
        for each in names:
            path = Path(folder, each)
            if path.suffix in SOURCES | _HEADERS and (count := count + 1) <= _MOST_FILES:
                yield path


def _beside(folder: Path) -> Iterator[Path]:
    for each in folder.iterdir():
        if each.suffix in SOURCES | _HEADERS and each.is_file():
            yield each


def _in_project(name: str, quoted: bool, project: Project) -> Path | None:
    """A header of the project by the end of its path; those of the system come first."""
    if not quoted and any(Path(each, name).is_file() for each in _SYSTEM):
        return None
    if not quoted and "." not in name:
        return None
    ends = f"/{name}"
    return next((each for each in project.files if str(each).endswith(ends)), None)


def _commands(root: Path) -> dict[Path, tuple[str, ...]]:
    """The flags of files by compile_commands.json."""
    for name in _BUILD_FOLDERS:
        path = root / name / _COMMANDS
        with suppress(OSError, ValueError, KeyError, TypeError):
            found = dict[Path, tuple[str, ...]]()
            for each in json.loads(path.read_text("utf-8")):
                folder = Path(os.path.normpath(path.parent / each["directory"]))
                file = Path(os.path.normpath(folder / each["file"]))
                words = each.get("arguments") or shlex.split(each["command"])
                found.setdefault(file, tuple(_without_output(words[1:], file, folder)))
            if found:
                return found
    return {}


def _without_output(words: Sequence[str], file: Path, folder: Path) -> list[str]:
    """The flags of a command that say how it compiles."""
    kept, left = [], iter(words)
    for word in left:
        if word in _WITH_NEXT:
            next(left, None)
        elif word == "--":
            break
        elif not _DROPPED.fullmatch(word) and os.path.normpath(folder / word) != str(file):
            kept.append(word)
    return [each for each in flags.joined(kept, folder) if each.startswith("-")]


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
