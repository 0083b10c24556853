"""Packages as their manifests declare them, and the manifest of a copy."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from iogauge.sources.language import Wrong

MANIFEST = "Cargo.toml"
ALONE = "code"  # the package of a file that belongs to none
_TABLES = ("dependencies", "build-dependencies", "dev-dependencies")
_INHERITED = ("version", "edition", "links", "build")
_NAME = re.compile(r"[\w-]+", re.ASCII)
_RESOLVERS = {"2015": "1", "2018": "1", "2021": "2"}

Table = dict[str, Any]


def load(path: Path) -> Table:
    """A TOML file. Raises Wrong."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Wrong(f"{path.name}: not TOML: {error}") from None
    except OSError as error:
        raise Wrong(f"{path.name}: {error.strerror}") from None


@dataclass(frozen=True)
class Package:
    """A package: its folder and manifest."""

    folder: Path
    table: Table

    @property
    def name(self) -> str:
        name = str(self.table["package"].get("name", ""))
        if not _NAME.fullmatch(name):
            raise Wrong(
                f"{self.folder / MANIFEST}: its package has no name that cargo takes; give one"
            )
        return name

    @cached_property
    def workspace(self) -> tuple[Path, Table] | None:
        """The folder and the manifest of the workspace that it belongs to."""
        if "workspace" in self.table:
            return self.folder, self.table
        if given := self.table["package"].get("workspace"):
            folder = Path(os.path.normpath(self.folder / given))
            return folder, load(folder / MANIFEST)
        for folder in self.folder.parents:
            if (folder / MANIFEST).is_file():
                table = load(folder / MANIFEST)
                if "workspace" in table:
                    left = table["workspace"].get("exclude", [])
                    within = self.folder.relative_to(folder)
                    out = any(within.is_relative_to(each) for each in left)
                    return None if out else (folder, table)
        return None

    @property
    def top(self) -> Path:
        """The folder that has its lock file."""
        return self.workspace[0] if self.workspace else self.folder

    def inherited(self, key: str) -> Any:
        """A value of its table `package`, perhaps of its workspace."""
        value = self.table["package"].get(key)
        if isinstance(value, dict) and value.get("workspace"):
            shared = self.workspace[1]["workspace"] if self.workspace else {}
            return shared.get("package", {}).get(key)
        return value

    @property
    def features(self) -> frozenset[str]:
        """Those that are on if nobody says more."""
        known, found, unread = self.table.get("features", {}), set(), ["default"]
        while unread:
            name = unread.pop()
            if name not in found:
                found.add(name)
                unread += known.get(name, [])
        return frozenset(found)

    @property
    def has_macros(self) -> bool:
        """Whether its library runs in the compiler alone."""
        about = self.table.get("lib", {})
        return bool(about.get("proc-macro") or about.get("proc_macro"))

    @property
    def library(self) -> Path | None:
        given = self.table.get("lib", {}).get("path", "src/lib.rs")
        path = self.folder / given
        return path if path.is_file() else None

    @property
    def programs(self) -> list[Path]:
        """The roots of its programs, that of its own name first."""
        told = [self.folder / each["path"] for each in self.table.get("bin", []) if "path" in each]
        usual = [self.folder / "src" / "main.rs", *sorted(self.folder.glob("src/bin/*.rs"))]
        usual += sorted(self.folder.glob("src/bin/*/main.rs"))
        return [each for each in dict.fromkeys([*usual[:1], *told, *usual[1:]]) if each.is_file()]

    @property
    def others(self) -> list[Path]:
        """The roots of its examples, tests and benchmarks."""
        every = (
            self.folder.glob(f"{each}/{one}")
            for each in ("examples", "benches", "tests")
            for one in ("*.rs", "*/main.rs")
        )
        return [path for each in every for path in sorted(each)]

    @cached_property
    def paths(self) -> dict[str, Path]:
        """Folders of packages that it needs as they lie, by the text of their path."""
        found = {}
        for owner, table in (
            (self.folder, self.table),
            *([self.workspace] if self.workspace else []),
        ):
            for each in _dependencies(table):
                if "path" in each:
                    folder = Path(os.path.normpath(owner / each["path"]))
                    found[str(folder)] = folder
        return found


def package_of(path: Path) -> Package | None:
    """The package that a file or folder lies in, or is."""
    for folder in (path, *path.parents) if path.is_dir() else path.parents:
        if (folder / MANIFEST).is_file():
            table = load(folder / MANIFEST)
            return Package(folder, table) if "package" in table else None
    return None


def members(folder: Path) -> list[Package]:
    """The packages of a workspace."""
    table = load(folder / MANIFEST).get("workspace", {})
    found = [each for name in table.get("members", []) for each in sorted(folder.glob(name))]
    left = [folder / name for name in table.get("exclude", [])]
    every = [load(each / MANIFEST) for each in found if (each / MANIFEST).is_file()]
    packages = zip((each for each in found if (each / MANIFEST).is_file()), every, strict=True)
    return [Package(each, one) for each, one in packages if "package" in one and each not in left]


def needed(package: Package) -> list[Package]:
    """All packages beside this one that it needs as they lie, and those that these need."""
    found: dict[Path, Package] = {}
    unread = [package]
    while unread:
        one = unread.pop()
        for folder in one.paths.values():
            other = package_of(folder) if folder.is_dir() else None
            if other and folder not in found and folder != package.folder:
                found[folder] = other
                unread.append(other)
    return [found[each] for each in sorted(found)]


@dataclass
class Manifest:
    """The manifest of a copy of a package, as text; `values` has the paths in it."""

    text: str = ""
    root: str = ""
    values: dict[str, str] = field(default_factory=dict)

    def of(self, content: str) -> str:
        """The text for a program of this content: no other has its name, where several are built
        with the same dependencies.
        """
        name = f"iogauge-runner-{hashlib.sha256(content.encode()).hexdigest()[:12]}"
        return f'{self.text}\n[[bin]]\nname = "{name}"\npath = {_toml(self.root)}\n'

    def place(self, path: Path) -> str:
        """A word that stands for a path of this machine."""
        known = {given: name for name, given in self.values.items()}
        name = known.get(str(path)) or f"path_{len(self.values) + 1}"
        self.values[name] = str(path)
        return f"{{{name}}}"


def alone(root: str, glue: str, *, counts: bool) -> Manifest:
    """The manifest for a file that belongs to no package."""
    made = Manifest()
    _write(made, {"name": ALONE, "version": "0.1.0", "edition": "2021"}, {}, root, glue, counts)
    return made


def copied(
    package: Package, root: str, glue: str, *, counts: bool, library: bool, tested: bool
) -> Manifest:
    """The manifest of a copy of a package that has one program, whose root is `root`. The package
    has its library still, and what its tests need, where the program does.
    """
    made = Manifest()
    about = {each: package.inherited(each) for each in _INHERITED}
    about = {
        "name": package.name,
        **{key: value for key, value in about.items() if value is not None},
    }
    about.setdefault("version", "0.0.0")
    rest: Table = {}
    for table in _TABLES[: 3 if tested else 2]:
        rest[table.removeprefix("dev-")] = {
            **rest.get(table.removeprefix("dev-"), {}),
            **_dependencies_of(made, package, package.table.get(table, {})),
        }
    for target, tables in package.table.get("target", {}).items():
        for table in _TABLES[: 3 if tested else 2]:
            name = table.removeprefix("dev-")
            found = _dependencies_of(made, package, tables.get(table, {}))
            rest.setdefault("target", {}).setdefault(target, {}).setdefault(name, {}).update(found)
    rest["features"] = package.table.get("features", {})
    if library and package.library:
        given = {
            key: value
            for key, value in package.table.get("lib", {}).items()
            if key in ("name", "proc-macro")
        }
        rest["lib"] = {**given, "path": str(package.library.relative_to(package.folder))}
    owner = package.workspace or (package.folder, package.table)
    patches = {
        source: {name: _placed(made, owner[0], each) for name, each in listed.items()}
        for source, listed in owner[1].get("patch", {}).items()
    }
    rest["patch"] = patches
    told = owner[1].get("workspace", {}).get("resolver") or owner[1].get("package", {}).get(
        "resolver"
    )
    _write(made, about, rest, root, glue, counts, told)
    return made


def _write(
    made: Manifest,
    about: Table,
    rest: Table,
    root: str,
    glue: str,
    counts: bool,
    resolver: str | None = None,
) -> None:
    edition = about.get("edition", "2015")
    ours = {"path": glue, "features": ["counts"] if counts else []}
    rest = {**rest, "dependencies": {**rest.get("dependencies", {}), "iogauge_glue": ours}}
    never = dict.fromkeys(
        ("autolib", "autobins", "autoexamples", "autotests", "autobenches"), False
    )
    tables: Table = {
        "package": {**about, **never, "publish": False},
        "workspace": {"resolver": resolver or _RESOLVERS.get(edition, "3")},
        **rest,
    }
    made.text = text_of(tables)
    made.root = root


def text_of(tables: Table) -> str:
    """Tables as TOML."""
    lines = []
    for name, table in tables.items():
        if table:
            values = (f"{_key(key)} = {_toml(value)}" for key, value in table.items())
            lines += [f"[{name}]", *values, ""]
    return "\n".join(lines)


def _dependencies_of(made: Manifest, package: Package, listed: Table) -> Table:
    found: Table = {}
    for name, given in listed.items():
        each = {"version": given} if isinstance(given, str) else dict(given)
        owner = package.folder
        if each.pop("workspace", False) and package.workspace:
            owner, table = package.workspace
            shared = table["workspace"].get("dependencies", {}).get(name, {})
            shared = {"version": shared} if isinstance(shared, str) else dict(shared)
            features = [*shared.get("features", []), *each.get("features", [])]
            each = {**shared, **each, **({"features": features} if features else {})}
        found[name] = _placed(made, owner, each)
    return found


def _placed(made: Manifest, owner: Path, given: Any) -> Any:
    if isinstance(given, dict) and "path" in given:
        return {**given, "path": made.place(Path(os.path.normpath(owner / given["path"])))}
    return given


def _dependencies(table: Mapping[str, Any]) -> Iterator[Table]:
    """All dependencies in a manifest, also those of a target, a workspace or a patch."""
    for key, inner in table.items():
        if isinstance(inner, dict):
            if "path" in inner and key != "lib":
                yield inner
            yield from _dependencies(inner)


def _key(text: str) -> str:
    return text if text.replace("-", "").replace("_", "").isalnum() else json.dumps(text)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return (
            "{ " + ", ".join(f"{_key(key)} = {_toml(each)}" for key, each in value.items()) + " }"
        )
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)
