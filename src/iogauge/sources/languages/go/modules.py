"""Modules of Go: where a package lies in one, and which files of theirs its build reads."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from iogauge.sources.language import Wrong
from iogauge.sources.languages.go import files, in_c

_PLAIN = ("go", "toolchain", "godebug")
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
    if "@v" in file.parent.name:
        raise Wrong(
            "it lies in the cache of modules, where nothing can be built; give a copy of it, or a "
            "function of yours that calls it"
        )
    paths = _words(file, "module")
    if not paths:
        raise Wrong(f"{file} has no line `module`; add one")
    work = _above(file.parent, "go.work")
    if work and file.parent not in members(work):
        work = None
    return Module(file.parent, paths[0][0], work)


def members(work: Path) -> list[Path]:
    """The folders of the modules of a workspace."""
    return [_within(work.parent, " ".join(words)) for words in _words(work, "use")]


def workspace(work: Path) -> tuple[str, dict[str, str]]:
    """The text of a file of the same workspace that lies elsewhere, and the values in it."""
    values: dict[str, str] = {}

    def placed(path: str) -> str:
        values[name := f"work_{len(values)}"] = json.dumps(str(_within(work.parent, path)))
        return f"{{{name}}}"

    lines = [f"{name} {' '.join(each)}" for name in _PLAIN for each in _words(work, name)]
    lines += [f"use {placed(' '.join(each))}" for each in _words(work, "use")]
    for words in _words(work, "replace"):
        old, arrow, by = " ".join(words).partition("=> ")
        by = placed(by) if by.startswith((".", "/")) else by
        lines.append(f"replace {old}{arrow}{by}")
    return "\n".join(lines) + "\n", values


def packages(folder: Path) -> Iterator[Path]:
    """The folder, and those below it that belong to the same module, where they have sources."""
    for name, below, _ in os.walk(folder):
        here = Path(name)
        below[:] = sorted(
            each
            for each in below
            if each[0] not in "._"
            and each not in _NOT_OURS
            and not (here / each / "go.mod").exists()
        )
        if any(files.is_source(each) for each in here.glob("*.go")):
            yield here


@dataclass(frozen=True)
class Read:
    """What a build reads: place, file. Of the files `outside`, which C brings from folders that are
    no package of the build, Go's own cache does not know that they have changed.
    """

    files: tuple[tuple[str, Path], ...]
    outside: tuple[Path, ...] = ()

    @property
    def needs_c(self) -> bool:
        """Whether C is compiled for the build."""
        sources = [path for _, path in self.files if path.suffix == ".go"]
        return any("C" in files.uses(each).imports and files.is_for_here(each) for each in sources)


def read_by(module: Module, package: Path) -> Read:
    """What a build of this package reads of its module, and of others that lie on this machine.
    What these import is followed, into a folder `vendor` too, whose files Go does not check; other
    packages have their sums in go.sum.
    """
    known = _local(module)
    found, outside = dict(_manifests(module, known.values())), set[Path]()
    vendored = [home / "vendor" for home in _homes(module)]
    vendored = [each for each in vendored if (each / "modules.txt").is_file()]
    unread, seen = [package], {package}
    while unread:
        folder = unread.pop()
        uses, others = _files(folder)
        with_c = [each for each, one in uses.items() if "C" in one.imports]
        embedded = [file for each in uses.values() for file in each.embedded]
        brought = in_c.outside([*with_c, *others])
        outside.update(brought)
        for each in (*uses, *embedded, *others, *brought):
            found[_place(each, module)] = each
        for path in {path for each in uses.values() for path in each.imports}:
            local = _folder_of(path, known)
            for one in (*([local] if local else []), *(each / path for each in vendored)):
                if one not in seen and one.is_dir():
                    seen.add(one)
                    unread.append(one)
    return Read(tuple(sorted(found.items())), tuple(sorted(outside)))


def _files(folder: Path) -> tuple[dict[Path, files.Uses], list[Path]]:
    """Of a package its files of Go with what they use, and those of C."""
    every = sorted(folder.glob("*"))
    uses = {
        each: files.uses(each) for each in every if each.suffix == ".go" and files.is_source(each)
    }
    return uses, [each for each in every if in_c.is_compiled(each)]


def _place(path: Path, module: Module) -> str:
    """Where it lies, seen from the module: the same wherever that is."""
    return os.path.relpath(path, module.folder)


def _manifests(module: Module, folders: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    wanted = [each / name for each in folders for name in ("go.mod", "go.sum")]
    wanted += [each / "vendor" / "modules.txt" for each in _homes(module)]
    if module.work:
        wanted += [module.work, module.work.with_name("go.work.sum")]
    return ((_place(each, module), each) for each in wanted if each.is_file())


def _homes(module: Module) -> list[Path]:
    """The folders that may have a folder `vendor`."""
    return [module.folder, *([module.work.parent] if module.work else [])]


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
    return next(
        (each / name for each in (folder, *folder.parents) if (each / name).is_file()), None
    )


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
        words = [each.strip('"`') for each in re.split(r"\s+", line.partition("//")[0].strip())]
        if words[:2] == [directive, "("]:
            within = True
        elif words == [")"]:
            within = False
        elif within and words != [""]:
            found.append(words)
        elif words[0] == directive and len(words) > 1:
            found.append(words[1:])
    return found
