"""Code of the user's in JavaScript or TypeScript, for the runner of Node: the files that it needs,
in a copy that looks like their folders, and what its source says of its functions' parameters.

Which functions there are, a module tells as it is loaded. So the runner chooses them, and nothing
here does; nor is anything known here of the version of Node, by which its build decides whether
TypeScript needs a compiler.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from iogauge.sources.functions import Function, Parameter, is_named_as_file
from iogauge.sources.language import Given, Glue, NotMine
from iogauge.sources.languages import javascript, resolving
from iogauge.sources.languages.javascript import COMPILED, SOURCES, Import, Source
from iogauge.sources.languages.resolving import MODULES, PACKAGE

_OWN, _PLACE = Path("own"), Path("own", "p")
_ENDINGS = (*SOURCES, ".json", ".node", ".wasm")
_LOCKS = ("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock")
_INSTALLED = (".package-lock.json", ".yarn-integrity", ".yarn-state.yml", ".modules.yaml")
_COMPILERS = ("esbuild", "typescript")
_LARGEST, _MOST = 1 << 20, 300  # bytes of a file, files of a folder, that a text only seems to name
_ASSIGNED = re.compile(r"\s*=>")

_FORMS = {
    "ReadStream": "stream",
    "Readable": "stream",
    "NodeJS.ReadableStream": "stream",
    "NodeJS.ReadStream": "stream",
    "AsyncIterable<Buffer>": "stream",
    "AsyncIterable<Uint8Array>": "stream",
    "ReadableStream": "web",
    "FileHandle": "handle",
    "Interface": "lines",
    "AsyncIterable<string>": "lines",
    "AsyncIterableIterator<string>": "lines",
    "URL": "url",
    "Buffer": "bytes",
    "PathLike": "path",
    "PathOrFileDescriptor": "path",
    "string": "text",
}
_NUMBER = re.compile(r"(?i)(fd|\w*descriptor|file_?(no|handle)?)\d*")
_NO_FILE = re.compile(r"number|bigint|boolean|Date|RegExp|(Map|Set|Record)<.*|.*\[\]|\{.*\}|\[.*\]")


@dataclass
class Closure:
    """A module and what it names, one after the other: `files` to be copied, and those `linked` to,
    which are read where they are. `moved` has where imports lead that Node would not find. `plain`
    says whether Node can take all this as it is, as far as imports go.
    """

    files: dict[Path, Source] = field(default_factory=dict)
    linked: dict[Path, Source] = field(default_factory=dict)
    moved: dict[Path, dict[str, Path]] = field(default_factory=dict)
    plain: bool = True

    @property
    def sources(self) -> list[Source]:
        return [*self.files.values(), *self.linked.values()]


def glue(given: Given) -> Glue:
    """The files of a module, of a file or of the package of a folder. Raises NotMine."""
    main = Path(os.path.realpath(_module(given.path) if given.path.is_dir() else given.path))
    closure = closure_of(main)
    package = resolving.package_of(main)
    tables = _tables(closure.files)
    root = Path(os.path.commonpath([each.parent for each in (*closure.files, *tables)]))
    places = {each: _PLACE / each.relative_to(root) for each in (*closure.files, *tables)}
    places[main] = _place_of_main(main, closure, places)
    folders = [each for path in closure.files for each in path.parents]
    within = [each for each in dict.fromkeys(folders) if each.is_relative_to(root)]
    links = {_PLACE / each.relative_to(root) / MODULES: each / MODULES for each in within}
    links = {place: path for place, path in links.items() if path.is_dir()}
    above = [each / MODULES for each in root.parents if each.name != MODULES]
    found = [each for each in above if each.is_dir()]
    links |= dict(zip((_OWN / MODULES, Path(MODULES)), found, strict=False))
    told = {
        "entry": str(places[main]),
        "name": given.name,
        "function": given.function,
        "types": types_of(closure),
        "typed": sorted(str(places[each]) for each in closure.files if each.suffix in COMPILED),
        "plain": closure.plain,
        "format": _format(main, closure, package),
        "requires": _needs_require(closure),
        "appended": appended(closure.files[main], given.function, package),
        "moved": _moved(closure, places),
        "links": sorted(map(str, links)),
        "tsconfig": next((str(places[each]) for each in _tsconfigs(main) if each in places), ""),
    }
    linked = [(f"linked/{os.path.relpath(each, root)}", each) for each in closure.linked]
    return Glue(
        root=root if package is None or not root.is_relative_to(package.folder) else package.folder,
        texts={str(_OWN / "given.json"): json.dumps(told, indent=1, sort_keys=True)},
        copies=tuple(sorted((str(place), each) for each, place in places.items())),
        reads=(*linked, *_of_packages(links.values())),
        links={str(place): path for place, path in links.items()},
    )


def _module(folder: Path) -> Path:
    found = resolving.entry(folder)
    if found:
        return found
    named = resolving.entry_named(folder)
    if named:
        raise NotMine(
            f"its {PACKAGE} names {named}, which is not there; build it first, or give a source"
        )
    raise NotMine(f"its {PACKAGE} names no module; give the file that has the function to measure")


def closure_of(main: Path) -> Closure:
    """A module and all that it names, that is not installed."""
    closure = Closure()
    unread: list[tuple[Path, bool]] = [(main, False)]
    while unread:
        path, linked = unread.pop(0)
        known = closure.linked if linked else closure.files
        if path in known:
            continue
        known[path] = source = javascript.read(path)
        for wanted in source.imports:
            place = resolving.resolve(wanted, path)
            if place is None or place.path == path:
                continue
            if not place.exact:
                closure.moved.setdefault(path, {})[wanted.text] = place.path
            unread.append((place.path, linked or place.linked))
            if not place.exact or _is_untold_json(wanted, place.path):
                closure.plain = False
        if not linked:
            unread += [(each, False) for each in _named_in_texts(source, main)]
    if not all(_is_plain(each, closure) for each in closure.sources):
        closure.plain = False
    return closure


def _is_untold_json(wanted: Import, path: Path) -> bool:
    return path.suffix == ".json" and not wanted.required and not wanted.told


def _is_plain(source: Source, closure: Closure) -> bool:
    """Whether Node takes a file of TypeScript without its types: it has no JSX and no enum, imports
    no types as if they were values, and is a module where it is written as one.
    """
    if not resolving.is_typescript(source.path):
        return source.path.suffix != ".jsx"
    if source.path.suffix == ".tsx" or not source.is_erasable:
        return False
    package = resolving.package_of(source.path)
    commonjs = source.path.suffix == ".cts" or (
        source.path.suffix == ".ts" and package is not None and package.text("type") == "commonjs"
    )
    if commonjs and source.is_module:
        return False
    known = {each.path: each for each in closure.sources}
    for wanted in source.imports:
        place = resolving.resolve(wanted, source.path) if wanted.names else None
        other = known.get(place.path) if place else None
        if other and wanted.names & (other.types.keys() - set(other.top)):
            return False
    return True


def _named_in_texts(source: Source, main: Path) -> Iterator[Path]:
    """Files that a text in a source names, as seen from its folder, and those of folders: what is
    loaded by a name that is put together. To copy one that is not needed does no harm.
    """
    folder = source.path.parent
    inside = resolving.package_of(main)
    limit = inside.folder if inside else main.parent
    for text in source.texts:
        if not text.strip("./") or len(text) > 200 or "\0" in text or "\n" in text:
            continue
        path = folder / text
        ends = [path, *(path.with_name(f"{path.name}{end}") for end in SOURCES)]
        found = [each for each in ends if each.suffix in _ENDINGS and _is_small(each)]
        if not found and source.loads_any and path.is_dir():
            found = _files_of(path)
        for each in found:
            real = each.resolve()
            if real.is_relative_to(limit) and MODULES not in real.relative_to(limit).parts:
                yield real


def _is_small(path: Path) -> bool:
    try:
        return path.is_file() and path.stat().st_size <= _LARGEST
    except OSError:
        return False


def _files_of(folder: Path) -> list[Path]:
    """The sources in a folder; none where there are many."""
    found: list[Path] = []
    for number, (above, folders, names) in enumerate(os.walk(folder)):
        folders[:] = [each for each in folders if each != MODULES and each[0] != "."]
        some = [Path(above, each) for each in names if each.endswith(_ENDINGS)]
        found += [each for each in some if _is_small(each)]
        if len(found) > _MOST or number > _MOST:
            return []
    return found


def _tsconfigs(path: Path) -> list[Path]:
    return [each.path for each in resolving.tsconfigs(path)]


def _tables(files: Iterable[Path]) -> list[Path]:
    """What says how these files are to be read: package.json and tsconfig.json."""
    found: dict[Path, None] = {}
    for each in files:
        if package := resolving.package_of(each):
            found[package.path] = None
        if each.suffix in COMPILED:
            found.update(dict.fromkeys(_tsconfigs(each)))
    return [each for each in found if each not in files]


def _place_of_main(main: Path, closure: Closure, places: dict[Path, Path]) -> Path:
    """In all versions it has a name of the same length, unless others call it by its own."""
    place = places[main].with_name(f"code{main.suffix}")
    named = (
        resolving.resolve(wanted, each.path)
        for each in closure.files.values()
        if each.path != main
        for wanted in each.imports
    )
    taken = place in places.values() or any(one and one.path == main for one in named)
    return places[main] if taken else place


def _format(main: Path, closure: Closure, package: resolving.Table | None) -> str:
    """What kind of module a compiler is to make of it."""
    if main.suffix in (".mts", ".mjs", ".cts", ".cjs"):
        return "esm" if main.suffix[1] == "m" else "cjs"
    if package and package.text("type"):
        return "esm" if package.text("type") == "module" else "cjs"
    source = closure.files[main]
    return "cjs" if source.is_commonjs or not source.is_module else "esm"


def _needs_require(closure: Closure) -> bool:
    texts = [each.text for each in closure.sources]
    return any("require(" in each for each in texts) and not any(
        "createRequire" in t for t in texts
    )


def _moved(closure: Closure, places: dict[Path, Path]) -> dict[str, dict[str, str]]:
    """By file what its imports are to name, where tsc leaves them as they are."""
    found: dict[str, dict[str, str]] = {}
    for path, wanted in closure.moved.items():
        for text, target in wanted.items():
            if path in places and target in places:
                near = os.path.relpath(places[target], places[path].parent)
                found.setdefault(str(places[path]), {})[text] = f"./{near}"
    return found


def appended(source: Source, asked: str, package: resolving.Table | None) -> str:
    """What makes functions known that a file does not export: the one that is asked for, or all of
    a file that exports nothing.
    """
    wanted = asked.replace("#", ".").partition(".")[0]
    names = [] if source.exports_any else [each for each in source.top if each.isidentifier()]
    if wanted in source.top and wanted not in source.exports:
        names = [wanted]
    if not names:
        return ""
    kind = package.text("type") if package else ""
    is_module = source.is_module or source.path.suffix in (".mjs", ".mts") or kind == "module"
    if is_module and source.path.suffix not in (".cjs", ".cts"):
        return f"\nexport {{ {', '.join(names)} }};\n"
    return "".join(f"\nmodule.exports.{each} ??= {each};" for each in names) + "\n"


def _of_packages(folders: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    """What tells which packages are installed in each node_modules."""
    for number, folder in enumerate(folders):
        some = [folder.parent / each for each in (PACKAGE, *_LOCKS)]
        some += [folder / each for each in _INSTALLED]
        some += [folder / each / PACKAGE for each in _COMPILERS]
        for each in some:
            if each.is_file():
                yield f"{MODULES}-{number}/{os.path.relpath(each, folder.parent)}", each


def types_of(closure: Closure) -> dict[str, Any]:
    """By function what its source says of its parameters; null for one that is not public. The
    constructor of a class has the name of that.
    """
    found: dict[str, Any] = {}
    types = {name: text for each in closure.sources for name, text in each.types.items()}
    for source in closure.sources:
        for each in source.functions:
            if source.path.suffix in COMPILED and each.name not in found:
                found[each.name] = _told(each, types) if each.public else None
    return found


def _told(function: Function, types: dict[str, str]) -> list[dict[str, Any]]:
    return [
        {"form": form_of(each, types), "optional": each.optional} for each in function.parameters
    ]


def form_of(parameter: Parameter, types: dict[str, str]) -> str | None:
    """How a parameter of this type is given the file, or what else it is; None where its type does
    not say.
    """
    text = parameter.type
    for _ in range(3):
        text = types.get(text) or text
    if _ASSIGNED.search(text) or text in ("Function", "CallableFunction"):
        return "callback"
    some = [re.sub(r"\s", "", each) for each in text.split("|")]
    some = [each for each in some if each and each not in ("undefined", "null")]
    forms = [_form(each, parameter.name) for each in some]
    known = [each for each in forms if each and each != "other"]
    for each in ("path", "text"):  # what can be called with a plain path is
        if each in known:
            return "path" if len(known) > 1 else each
    if known:
        return known[0]
    return "other" if forms and all(forms) else None


def _form(text: str, name: str) -> str | None:
    if form := _FORMS.get(text) or _FORMS.get(text.rpartition(".")[2]):
        return form
    if text.startswith("ReadableStream<"):
        return "web"
    if text == "number" and _NUMBER.fullmatch(name):
        return "descriptor"
    if text in ("any", "unknown") and is_named_as_file(name):
        return "text"
    return "other" if _NO_FILE.fullmatch(text) else None
