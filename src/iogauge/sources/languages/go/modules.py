"""Modules of Go: where a package lies in one, and which files of theirs its build reads."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from iogauge.sources.languages.go import files
from iogauge.sources.language import Wrong

_COMPILED = {".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".m", ".s", ".S", ".sx", ".syso"}
_NOT_OURS = {"vendor", "testdata", "node_modules"}


@dataclass(frozen=True)
class Module:
    """A module: its folder and its path. `work` is the file of the workspace that it is in."""

    folder: Path
    path: str
    work: Path | None = None

    def path_of(self, folder: Path) -> str:
        """The path by which a package in this folder is imported."""
        below = folder.relative_to(self.folder).as_posix()
        return self.path if below == "." else f"{self.path}/{below}"


def around(folder: Path) -> Module | None:
    """The module that a folder is in; None where it is in none."""
    file = _above(folder, "go.mod")
    if file is None:
        return None
    paths = _words(file, "module")
    if not paths:
        raise Wrong(f"{file} has no line `module`; add one")
    work = _above(file.parent, "go.work")
    if work and file.parent not in members(work):
        work = None
    return Module(file.parent, paths[0][0], work)


def members(work: Path) -> list[Path]:
    """The folders of the modules of a workspace."""
    return [_within(work.parent, words[0]) for words in _words(work, "use")]


def packages(folder: Path) -> Iterator[Path]:
    """The folder, and those below it that belong to the same module, where they have sources."""
    for name, below, _ in os.walk(folder):
        here = Path(name)
        below[:] = sorted(
            each
            for each in below
            if each[0] not in "._" and each not in _NOT_OURS and not (here / each / "go.mod").exists()
        )
        if any(files.is_source(each) for each in here.glob("*.go")):
            yield here


def read_by(module: Module, package: Path) -> list[tuple[str, Path]]:
    """What a build of this package reads of its module, and of others that lie on this machine:
    place, file. What these import is followed; the packages of others have their sums in go.sum.
    """
    known = _local(module)
    found = dict(_manifests(module, known.values()))
    unread, seen = [package], {package}
    while unread:
        folder = unread.pop()
        for each in _files(folder):
            found[_place(each, module)] = each
            if each.suffix != ".go":
                continue
            for path in files.read(each).imports.values():
                local = _folder_of(path, known)
                if local and local not in seen and local.is_dir():
                    seen.add(local)
                    unread.append(local)
    return sorted(found.items())


def needs_c(read: Iterable[tuple[str, Path]]) -> bool:
    """Whether C is compiled of what is read for a build."""
    return any(
        path.suffix == ".go" and files.read(path).needs_c and files.is_for_here(path)
        for _, path in read
    )


def _files(folder: Path) -> Iterator[Path]:
    for each in sorted(folder.iterdir()):
        if each.suffix == ".go" and files.is_source(each):
            yield each
            yield from files.read(each).embedded
        elif each.suffix in _COMPILED and each.is_file():
            yield each


def _place(path: Path, module: Module) -> str:
    """Where it lies, seen from the module: the same wherever that is."""
    return os.path.relpath(path, module.folder)


def _manifests(module: Module, folders: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    wanted = [each / name for each in folders for name in ("go.mod", "go.sum")]
    homes = [module.folder, *([module.work.parent] if module.work else [])]
    wanted += [each / "vendor" / "modules.txt" for each in homes]
    if module.work:
        wanted += [module.work, module.work.with_name("go.work.sum")]
    return ((_place(each, module), each) for each in wanted if each.is_file())


def _local(module: Module) -> dict[str, Path]:
    """The modules that lie on this machine, by their paths."""
    known = {module.path: module.folder}
    told = [module.folder / "go.mod"]
    if module.work:
        told.append(module.work)
        for folder in members(module.work):
            if paths := _words(folder / "go.mod", "module"):
                known[paths[0][0]] = folder
                told.append(folder / "go.mod")
    for file in told:
        for words in _words(file, "replace"):
            _, _, by = " ".join(words).partition("=> ")
            if by.startswith((".", "/")):
                known.setdefault(words[0], _within(file.parent, by))
    return known


def _folder_of(path: str, known: dict[str, Path]) -> Path | None:
    """Where an imported package lies, if it is of a module on this machine."""
    owners = [each for each in known if path == each or path.startswith(f"{each}/")]
    if not owners:
        return None
    owner = max(owners, key=len)
    return known[owner] / path[len(owner) :].lstrip("/")


def _above(folder: Path, name: str) -> Path | None:
    return next((each / name for each in (folder, *folder.parents) if (each / name).is_file()), None)


def _within(folder: Path, path: str) -> Path:
    return Path(os.path.normpath(folder / path))


def _words(file: Path, directive: str) -> list[list[str]]:
    """What stands behind a directive of go.mod or go.work, alone or in parentheses."""
    try:
        text = file.read_text("utf-8", "replace")
    except OSError:
        return []
    found, within = [], False
    for line in text.splitlines():
        words = [each.strip("\"`") for each in re.split(r"\s+", line.partition("//")[0].strip())]
        if words[:2] == [directive, "("]:
            within = True
        elif words == [")"]:
            within = False
        elif within and words != [""]:
            found.append(words)
        elif words[0] == directive and len(words) > 1:
            found.append(words[1:])
    return found
