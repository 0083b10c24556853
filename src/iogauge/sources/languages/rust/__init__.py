"""Rust code as it stands: a copy of the crate, in which modules of ours call its functions."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from iogauge.sources import functions, language
from iogauge.sources.functions import Chosen, Fit, Function
from iogauge.sources.language import Given, Glue, Wrong
from iogauge.sources.languages.rust import cargo, crate, types
from iogauge.sources.languages.rust.cargo import MANIFEST, Package
from iogauge.sources.languages.rust.crate import Crate
from iogauge.sources.languages.rust.source import Maker, Place

_OWN, _GLUE = "own", "glue"
_LARGE = 1 << 20  # bytes of a file that is no source
_MAIN = "iogauge_main_of_the_user"
_MODULE = "iogauge_ways"
_REPEATED = re.compile(r"(read_|get_)?(next|scan|read)(_(line|record|row|entry|item))?")
_MACROS = "; functions that a macro writes are not seen: write a plain one that calls it"
_MADE_BY_TOOLS = {"target", "node_modules"}
_ASIDE = {"tests", "benches", "examples"}
_CONFIGURED = ("source", "registries", "registry", "env")
_LOCK = "Cargo.lock"
_LISTED = "large.txt"  # the files that are too large to be read each time


@dataclass(frozen=True)
class Target:
    """A crate whose functions are wanted: its root, perhaps in a package, and perhaps one file."""

    root: Path
    package: Package | None = None
    only: Path | None = None

    @property
    def features(self) -> frozenset[str]:
        return self.package.features if self.package else frozenset()


def glue(given: Given) -> Glue:
    target, read, chosen = _chosen(given)
    placed = {path: _place(target, read, path) for path in read.modules}
    texts = {
        f"{_GLUE}/{path.relative_to(given.templates / _GLUE)}": path.read_text("utf-8")
        for path in sorted((given.templates / _GLUE).rglob("*"))
        if path.is_file()
    }
    files = _Files(target, read)
    ways = _ways(chosen.fits)
    calls = {f"{files.folder}/{_file(number)}": each for number, each in enumerate(ways.values())}
    texts |= {placed[path]: text for path, text in _patched(read, [*ways])}
    texts |= {
        place: "".join(f"{each.call}\n" for each in listed) for place, listed in calls.items()
    }
    counts = not any(b"global_allocator" in each.source.text for each in read.modules.values())
    root = str(Path(placed[read.root]).relative_to(files.folder))
    manifest = _manifest(target, root, counts=counts)
    content = f"{sorted(texts.items())} {[_hash(path) for _, path in files.copies]}"
    written = {f"{files.folder}/{MANIFEST}": manifest.of(content)}
    if configured := _configuration(target, manifest):
        written[f"{files.folder}/.cargo/config.toml"] = configured
    needed = [_Needed(each) for each in cargo.needed(target.package)] if target.package else []
    large = "".join(map(_looks, [*files.large, *(each for one in needed for each in one.large)]))
    name = target.package.name if target.package else cargo.ALONE
    command = ("sh", "build.sh", "{home}/bin/cargo", "glue", files.folder, "{library}")
    return Glue(
        root=files.root,
        texts=written,
        verbatim=texts | ({_LISTED: large} if large else {}),
        copies=tuple(each for each in files.copies if each[0] not in texts),
        reads=(*files.reads, *(each for one in needed for each in one.reads)),
        links=files.links,
        values=manifest.values,
        commands=((*command, f"{name}=", *(each.state for each in needed)),),
        left_out=chosen.left_out,
        otherwise={
            place: {number: each.otherwise for number, each in enumerate(listed, 1)}
            for place, listed in calls.items()
        },
    )


Found = tuple[Target, Crate, Chosen]


def _chosen(given: Given) -> Found:
    """The crate with functions to measure, and these. Raises Wrong where none has such, or several
    packages have.
    """
    found: list[Found] = []
    wrong: list[tuple[int, str]] = []
    for each in _targets(given.path):
        read = crate.read(each.root, each.features)
        if each.only and each.only not in read.modules:
            continue
        every = crate.functions(read, each.only, given.function)
        try:
            chosen = functions.choose(every, types.taking, _refusing, given.function)
            found.append((each, read, chosen))
        except Wrong as why:
            macros = any(b"macro_rules!" in one.source.text for one in read.modules.values())
            missed = macros and not any(_is_asked(one, given.function) for one in every)
            wrong.append((len(every), f"{why}{_MACROS if missed else ''}"))
        if each.only:
            break
    if not found:
        raise Wrong(max(wrong)[1] if wrong else "no Rust code in it; give a file, or a package")
    packages: dict[str, Found] = {}
    for one in [each for each in found if any(fit.is_likely for fit in each[2].fits)] or found[:1]:
        folder = one[0].package.folder if one[0].package else one[0].root
        packages.setdefault(os.path.relpath(folder, given.path.parent), one)
    if len(packages) > 1:
        told = ", ".join(packages)
        what = "packages" if found[0][0].package else "files"
        raise Wrong(f"several {what} have functions to measure; give one of them: {told}")
    return next(iter(packages.values()))


def _is_asked(function: Function, asked: str) -> bool:
    return not asked or function.name.endswith(asked.rpartition("::")[2])


def _targets(path: Path) -> Iterator[Target]:
    """Where to look for functions, the best first."""
    package = cargo.package_of(path)
    if path.is_file():
        if package and not package.has_macros:
            for root in (package.library, *package.programs, *package.others):
                if root:
                    yield Target(root, package, path)
        yield Target(path, package, path)
        return
    if not (path / MANIFEST).is_file():
        yield from (Target(each) for each in _alone(path))
        return
    packages = [package] if package and package.folder == path else cargo.members(path)
    for each in packages:
        if each.has_macros and not each.programs:
            raise Wrong(
                f"{each.name} is a proc-macro crate, which cannot be measured; put the functions "
                "into a crate of their own, and give that"
            )
        for root in (each.library if not each.has_macros else None, *each.programs):
            if root:
                yield Target(root, each)


def _alone(folder: Path) -> Iterator[Path]:
    """The sources in a folder that are no modules of others there."""
    every = [each for each in sorted(folder.glob("*.rs")) if each.is_file()]
    brought = {path for each in every for path in crate.read(each).modules if path != each}
    yield from (each for each in every if each not in brought)


def _refusing(function: Function) -> str | None:
    maker = function.more.get("maker")
    if "async" in function.words or (maker and "async" in maker.words):
        return "is an async fn, which needs a runtime; write a plain one that waits for it"
    if unknown := function.more["only_of_caller"]:
        return f"has a type {unknown} that only its caller knows; write one without it"
    return None


def _manifest(target: Target, root: str, *, counts: bool) -> cargo.Manifest:
    where = "{build}/" + _GLUE
    if target.package is None:
        return cargo.alone(root, where, counts=counts)
    library = target.root != target.package.library
    known = (target.package.library, *target.package.programs)
    return cargo.copied(
        target.package, root, where, counts=counts, library=library, tested=target.root not in known
    )


@dataclass(frozen=True)
class _Way:
    """The call of a function, for the macro of the crate in `glue/`, and what stands in its place
    where it does not compile. Each is a line.
    """

    call: str
    otherwise: str


def _ways(fits: tuple[Fit, ...]) -> dict[Place, list[_Way]]:
    """By the places where glue goes, the functions there."""
    ways: dict[Place, list[_Way]] = {}
    names: set[str] = set()
    for fit in fits:
        ways.setdefault(fit.function.more["place"], []).append(_way(fit, names))
    return ways


def _file(number: int) -> str:
    """The file that has the calls of a place."""
    return f"{_MODULE}_{number}.rs"


def _patched(read: Crate, places: list[Place]) -> Iterator[tuple[Path, str]]:
    """The files with glue in them, and the root, whose `main` is ours. Their lines stay, and a file
    of ours has the calls.
    """
    for file in dict.fromkeys([read.root, *(place.file for place in places)]):
        code = read.modules[file].source
        end, edits = len(code.text), []
        for number, place in enumerate(places):
            if place.file == file:
                path = f'concat!(env!("CARGO_MANIFEST_DIR"), "/{_file(number)}")'
                text = f"mod {_MODULE}_{number} {{ use super::*; include!({path}); }}"
                if place.end is None:
                    edits.append((end, end, f"\n#[allow(warnings)]\n{text}\n"))
                else:
                    edits.append((place.end, place.end, f" {text} "))
        if file == read.root:
            if main := code.main and code.main.child_by_field_name("name"):
                edits.append((main.start_byte, main.end_byte, _MAIN))
            ours = "fn main() -> ::std::process::ExitCode { ::iogauge_glue::main() }"
            edits.append((end, end, f"\nextern crate iogauge_glue;\n{ours}\n"))
        made = code.text
        for start, until, text in sorted(edits, reverse=True):
            made = made[:start] + text.encode() + made[until:]
        yield file, os.fsdecode(made)


def _way(fit: Fit, names: set[str]) -> _Way:
    function = fit.function
    stem = re.sub(r"[^a-z0-9]+", "-", function.name.lower()).strip("-") or "function"
    tries = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
    name = next(each for each in tries if each not in names)
    names.add(name)
    maker = function.more.get("maker")
    arguments = ", ".join(each.form for each in fit.takes)
    called = f"object.{function.short}" if maker else function.more["call"]
    call = _perhaps_unsafe(f"{called}({arguments})", function.words)
    if maker and _is_repeated(fit):
        turned = ".transpose()" if function.returns.startswith(("Result", "io::Result")) else ""
        call = f"::core::iter::from_fn(|| {call}{turned})"
    words = f"|given, object| {_made(maker, fit)}, {call}" if maker else f"|given| {call}"
    when = "".join(f"#[cfg({each})] " for each in function.more["when"])
    maps = "true" if "Mmap" in function.returns else "false"
    begin = f'::iogauge_glue::way! {{ {when}"{name}", "{function.name}(path)", '
    return _Way(f"{begin}{maps}, {words} }}", f"{begin}without {{why}} }}")


def _is_repeated(fit: Fit) -> bool:
    """Whether a method gives one thing after another of the file, and then none; each of its own,
    as what borrows of the object cannot be handed on.
    """
    function = fit.function
    gives = re.match(r"((io::)?Result\s*<\s*)?Option\s*<", function.returns)
    borrows = re.search(r"[&']", function.returns)
    named = _REPEATED.fullmatch(function.short)
    return bool(gives and named and not borrows and fit.made_of and not function.parameters)


def _made(maker: Maker, fit: Fit) -> str:
    """The object whose method is called."""
    if maker.within == "unit":
        return maker.call
    arguments = ", ".join(each.form for each in fit.made_of)
    made = _perhaps_unsafe(f"{maker.call}({arguments})", maker.words)
    macro = "::iogauge_glue::some" if maker.within == "Option" else "::iogauge_glue::made!"
    return f"{macro}({made})"


def _perhaps_unsafe(call: str, words: Collection[str]) -> str:
    return f"unsafe {{ {call} }}" if "unsafe" in words else call


def _place(target: Target, read: Crate, path: Path) -> str:
    top = _top(target, read)
    return f"{_OWN}/{path.relative_to(top)}" if path.is_relative_to(top) else f"{_OWN}/{path.name}"


def _top(target: Target, read: Crate) -> Path:
    """The folder from which the copy is seen as the code is: of the workspace, or of all files."""
    if target.package:
        top, folder = target.package.top, target.package.folder
        return top if folder.is_relative_to(top) else folder
    return Path(os.path.commonpath([path.parent for path in (*read.modules, *read.also)]))


class _Files:
    """What of the user's lies in a build: copies, as a build script may write to them; and links to
    what is `large`, which is read where it lies.
    """

    def __init__(self, target: Target, read: Crate) -> None:
        top = _top(target, read)
        self.root = target.package.folder if target.package else top
        self.folder = os.path.normpath(f"{_OWN}/{self.root.relative_to(top)}")
        self.copies: list[tuple[str, Path]] = []
        self.links: dict[str, Path] = {}
        self.reads: list[tuple[str, Path]] = []
        self.large: list[tuple[str, Path]] = []
        aside = not any(part in _ASIDE for part in read.root.relative_to(self.root).parts)
        files = {*read.modules, *read.also}
        if target.package:
            files |= {*_inside(self.root, _ASIDE if aside else set())}
            files -= {self.root / MANIFEST, self.root / _LOCK}
        for each in sorted(each for each in files if each.is_relative_to(top)):
            place = f"{_OWN}/{each.relative_to(top)}"
            if each.suffix == ".rs" or each.stat().st_size <= _LARGE:
                self.copies.append((place, each))
                continue
            self.links[place] = each
            (self.reads if each in read.also else self.large).append((place, each))
        if target.package and (target.package.top / _LOCK).is_file():
            self.copies.append((f"{self.folder}/{_LOCK}", target.package.top / _LOCK))


class _Needed:
    """A package that is needed as it lies. Its `state` is `NAME=HASH`."""

    def __init__(self, package: Package) -> None:
        files = [
            (f"needed/{package.name}/{each.relative_to(package.folder)}", each)
            for each in _inside(package.folder, _ASIDE)
        ]
        self.reads = [each for each in files if each[1].stat().st_size <= _LARGE]
        self.large = [each for each in files if each not in self.reads]
        digest = hashlib.sha256(os.fsencode("".join(map(_looks, self.large))))
        for name, path in self.reads:
            digest.update(os.fsencode(f"{name} {_hash(path)}\n"))
        self.state = f"{package.name}={digest.hexdigest()[:16]}"


def _hash(path: Path) -> str:
    return hashlib.sha256(language.read(path)).hexdigest()


def _looks(file: tuple[str, Path]) -> str:
    """What tells a large file from others without reading it."""
    name, path = file
    about = path.stat()
    return f"{name} {about.st_size} {about.st_mtime_ns}\n"


def _inside(folder: Path, left_out: set[str]) -> Iterator[Path]:
    """The ordinary files of a package, without those of others in it and what tools made."""
    for inside, folders, files in os.walk(folder):
        at = Path(inside)
        skipped = left_out | _MADE_BY_TOOLS if at == folder else _MADE_BY_TOOLS
        folders[:] = [
            each
            for each in sorted(folders)
            if not (each.startswith(".") or each in skipped or (at / each / MANIFEST).is_file())
        ]
        for each in sorted(files):
            if not each.startswith(".") and (at / each).is_file():
                yield at / each


def _configuration(target: Target, manifest: cargo.Manifest) -> str:
    """What the user's project tells cargo of where packages come from."""
    found: dict[str, Any] = {}
    for folder in (target.package.folder, *target.package.folder.parents) if target.package else ():
        files = [folder / ".cargo" / name for name in ("config.toml", "config")]
        for file in [each for each in files if each.is_file()][:1]:
            table = cargo.load(file)
            for key in _CONFIGURED:
                for name, each in table.get(key, {}).items():
                    found.setdefault(key, {}).setdefault(
                        name, _where_it_lies(manifest, folder, each)
                    )
    return cargo.text_of(found)


def _where_it_lies(manifest: cargo.Manifest, folder: Path, table: Any) -> Any:
    if not isinstance(table, dict):
        return table
    paths = {key: each for key, each in table.items() if key in ("directory", "local-registry")}
    return {
        **table,
        **{
            key: manifest.place(Path(os.path.normpath(folder / each)))
            for key, each in paths.items()
        },
    }
