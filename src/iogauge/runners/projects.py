"""The project in whose folder the user is, by the files that tell it. Knows no language by name:
the manifests of the runners say which files these are.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import tomllib
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from iogauge.runners import manifest
from iogauge.runners.manifest import ProjectTable

_ROOTS = (".git", ".hg", ".svn", ".jj")  # one of these is in the root of a repository
# Folders with what others wrote, or what was built; so are all whose names begin with a dot.
_NOT_SOURCES = {
    *("node_modules", "vendor", "third_party", "site-packages", "venv", "env"),
    *("build", "dist", "target", "out", "__pycache__"),
}
_MOST_ENTRIES = 20_000  # of folders that are looked through for sources
_OURS = "iogauge"
_OUR_FOLDERS = ("benchmarks", "docs", "packaging", "runners", "src", "studies", "tests")


@dataclass(frozen=True)
class Told:
    """Languages of a project that one runner measures, and what tells them: `pom.xml`,
    `.kt files`.
    """

    languages: tuple[str, ...]
    by: tuple[str, ...]


@dataclass(frozen=True)
class Project:
    """The languages of a project, and the folder in which is what tells them."""

    folder: Path
    told: tuple[Told, ...]

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(language for each in self.told for language in each.languages)


def around(folder: Path) -> Project | None:
    """The project of a folder: that of the nearest one with a marker, from this folder up to the
    root of its repository; outside of a repository, of this folder alone. None where there is no
    marker; iogauge's own source does not count. What cannot be read is passed over.
    """
    tables = [each.file.project for each in manifest.all_runners() if each.file.project]
    for each in _up_to_the_root(folder):
        told = tuple(found for table in tables if (found := _told(each, table)))
        if told and not _is_ours(each):
            return Project(each, told)
    return None


def _up_to_the_root(folder: Path) -> list[Path]:
    every = [folder, *folder.parents]
    roots = (
        number
        for number, each in enumerate(every)
        if any(os.path.lexists(each / name) for name in _ROOTS)
    )
    return every[: next(roots, 0) + 1]


def _told(folder: Path, table: ProjectTable) -> Told | None:
    """What a folder tells by the files that a runner names."""
    markers = [each for each in table.markers if os.path.isfile(folder / each)]
    if not markers:
        return None
    if seen := _sources(folder, table.sources):
        by = tuple(f"{ending} files" for ending in seen.values())
        return Told(tuple(seen), (markers[0], *by))
    stand_for = dict.fromkeys(each for marker in markers for each in table.markers[marker])
    meant = next((each for each in markers if table.markers[each]), markers[0])
    return Told(tuple(stand_for), (meant,)) if stand_for else None


def _sources(folder: Path, sources: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """By language an ending of the sources that are below a folder, the nearest of them first."""
    languages = {ending: language for language, some in sources.items() for ending in some}
    found: dict[str, str] = {}
    waiting, left = deque([folder]), _MOST_ENTRIES
    while waiting and left > 0 and len(found) < len(sources):
        at = waiting.popleft()
        entries = _entries(at, left)
        left -= len(entries)
        if at != folder and entries.keys() & {*_ROOTS}:  # another repository's
            continue
        for name, is_folder in entries.items():
            ending = os.path.splitext(name)[1]
            if is_folder and not name.startswith(".") and name not in _NOT_SOURCES:
                waiting.append(at / name)
            elif not is_folder and ending in languages:
                found.setdefault(languages[ending], ending)
    return {language: found[language] for language in sources if language in found}


def _entries(folder: Path, most: int) -> dict[str, bool]:
    """The names in a folder, at most so many, and which of them are folders; links are none."""
    found: dict[str, bool] = {}
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for each in itertools.islice(entries, most):
            found[each.name] = each.is_dir(follow_symlinks=False)
    return dict(sorted(found.items()))


def _is_ours(folder: Path) -> bool:
    """Whether a folder is part of iogauge's own source. One that a user made there is not."""
    for root in (folder, *folder.parents):
        if (name := _python_project(root)) is not None:
            inside = folder.relative_to(root).parts
            return name == _OURS and (not inside or inside[0] in _OUR_FOLDERS)
    return False


def _python_project(folder: Path) -> str | None:
    """The name of the Python project whose root a folder is."""
    path = folder / "pyproject.toml"
    try:
        found = tomllib.loads(path.read_text("utf-8")) if os.path.isfile(path) else {}
    except (OSError, ValueError):  # others may write into it what they like
        return None
    project = found.get("project")
    name = project.get("name") if isinstance(project, dict) else None
    return name if isinstance(name, str) else None
