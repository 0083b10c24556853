"""What git does not track of a project: the packages that were installed beside it. A copy of
another revision takes them from the working tree, by links, where the files that say which they are
have the same bytes in both. The manifests of the runners say what there is.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from iogauge.model.text import visible
from iogauge.runners import manifest
from iogauge.runners.manifest import UntrackedTable
from iogauge.runners.repository import matching

# Where a path in a file begins, perhaps behind an option such as -I; and where it, or a part, ends.
_BEGINS = rb"""(?:^|(?<=[\s"'=:,;(\[@])|(?<=-[A-Z]))"""
_ENDS = rb"""(?=[/\s"':,;)\]]|$)"""


@dataclass(frozen=True)
class Part:
    """Something of the working tree, by its path from the root: it is linked, or each of its
    entries is, or it is a file that is copied. `state` tells one from what was there before.
    """

    path: str
    how: str
    state: str = ""


@dataclass(frozen=True)
class Taken:
    """What a copy takes from the working tree; and by runner what it lacks, in a few words behind
    the name of the copy.
    """

    parts: tuple[Part, ...] = ()
    lacks: Mapping[str, str] = field(default_factory=dict)


def names() -> set[str]:
    """Names of all folders of this kind."""
    return {name for _, table in _tables() for name in table.folders}


def locks() -> set[str]:
    """Names of all files that say which packages there are."""
    return {each for _, table in _tables() for each in (*table.locks, *table.manifests)}


def taken(
    root: Path, files: Collection[str], code: str, same: Callable[[str], bool] = lambda _: True
) -> Taken:
    """What a copy that has these `files` takes from the working tree below the root, for `code`,
    a path of it. `same` says whether a file of the copy is in the working tree with the same bytes.
    """
    tree = _Tree(root, files, same)
    parts: dict[str, Part] = {}
    lacks: dict[str, str] = {}
    near = {code, *_above(code)}
    for runner, table in _tables():
        homes = [each for each, inside in tree.inside.items() if matching(inside, table.beside)]
        for home in dict.fromkeys([*sorted(homes, key=lambda each: -len(each)), ""]):
            there = [*tree.untracked(home, table.folders), *tree.untracked(home, table.files)]
            if not there and (table.folders or table.files):
                continue
            if other := tree.other(home, table):
                if home in near:
                    what = [os.path.basename(each) for each in there]
                    lacks.setdefault(runner, _told(other, what, table))
                continue
            for each in there:
                parts.setdefault(each, _part(root, each, table))
    return Taken(tuple(parts[each] for each in sorted(parts)), lacks)


def put(parts: Iterable[Part], root: Path, folder: Path, final: Path) -> None:
    """Put them into the copy in this folder, which is moved to `final`."""
    for each in parts:
        place, source = folder / each.path, root / each.path
        place.parent.mkdir(parents=True, exist_ok=True)
        if each.how == "file":
            place.write_bytes(_moved(source.read_bytes(), root, final))
        elif each.how == "link":
            place.symlink_to(source)
        else:
            for name in _entries(source):
                entry = place / name
                entry.parent.mkdir(parents=True, exist_ok=True)
                entry.symlink_to(_meant(source / name, root, final))


def _tables() -> Iterator[tuple[str, UntrackedTable]]:
    for each in manifest.all_runners():
        if each.file.own:
            for table in each.file.own.untracked:
                yield each.name, table


def _told(other: str, what: list[str], table: UntrackedTable) -> str:
    other = visible(other)
    if not what:
        return f"has another {other} than the working tree, and runs with the packages there are"
    names = " and ".join(map(visible, what))
    instead = f"run `{table.install}` in a worktree of it and name that path"
    return f"has another {other} than the working tree, so its {names} is missing; {instead}"


@dataclass
class _Tree:
    """The files of a copy, by their folders, beside the working tree."""

    root: Path
    files: Collection[str]
    same: Callable[[str], bool]
    inside: dict[str, list[str]] = field(init=False)
    _listed: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.inside = {}
        for each in self.files:
            home, _, name = each.rpartition("/")
            self.inside.setdefault(home, []).append(name)

    def untracked(self, home: str, names: Iterable[str]) -> list[str]:
        """What of these names the working tree has in a folder, and the copy has not."""
        found = []
        for name in names:
            path = f"{home}/{name}" if home else name
            tracked = path in self.inside or path in self.files
            if not tracked and os.path.exists(self.root / path):
                found.append(path)
        return found

    def other(self, home: str, table: UntrackedTable) -> str | None:
        """The first file that says which packages there are and is another one in the copy."""
        homes = [home, *_above(home)] if home else [""]
        if table.below:
            homes += [each for each in self.inside if not home or each.startswith(f"{home}/")]
        locks = self._paths(homes, table.locks) or self._paths(homes, table.manifests)
        return next((each for each in locks if not self.same(each)), None)

    def _paths(self, homes: Iterable[str], patterns: Iterable[str]) -> list[str]:
        wanted, found = list(patterns), []
        for home in dict.fromkeys(homes):
            some = {*matching(self.inside.get(home, ()), wanted)}
            some |= {*matching(self._there(home), wanted)}
            found += [f"{home}/{each}" if home else each for each in sorted(some)]
        return found

    def _there(self, home: str) -> list[str]:
        if home not in self._listed:
            self._listed[home] = []
            with suppress(OSError):
                self._listed[home] = os.listdir(self.root / home)
        return self._listed[home]


def _above(path: str) -> list[str]:
    """The folders above a path, the nearest first; the root is the last."""
    parts = path.split("/")
    return ["/".join(parts[:at]) for at in range(len(parts) - 1, -1, -1)]


def _part(root: Path, path: str, table: UntrackedTable) -> Part:
    source = root / path
    if source.is_file():
        return Part(path, "file", hashlib.sha256(source.read_bytes()).hexdigest())
    if not table.each:
        return Part(path, "link")
    return Part(path, "each", "\n".join(_entries(source)))


def _entries(folder: Path) -> list[str]:
    """What lies in a folder of packages, also in a folder of those of one owner (`@owner`)."""
    found = []
    for each in sorted(os.listdir(folder)):
        if each.startswith("@") and (folder / each).is_dir():
            found += [f"{each}/{one}" for one in sorted(os.listdir(folder / each))]
        else:
            found.append(each)
    return found


def _meant(entry: Path, root: Path, final: Path) -> Path:
    """Where a link to an entry leads: a package of the same repository is that of the copy."""
    real, base = Path(os.path.realpath(entry)), Path(os.path.realpath(root))
    if entry.is_symlink() and real.is_relative_to(base):
        inside = real.relative_to(base)
        if not names() & {*inside.parts}:
            return final / inside
    return entry


def _moved(text: bytes, root: Path, final: Path) -> bytes:
    """A file whose paths lead into the copy."""
    here, there = os.fsencode(root), os.fsencode(final)
    return re.sub(_BEGINS + re.escape(here) + _ENDS, lambda _: there, text)
