"""C and C++: functions are found in a file, or in all of a folder. The file is included in one that
calls them, and compiled where it lies; other sources that define what it needs are linked.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from iogauge.sources import functions
from iogauge.sources.functions import Chosen, Fit, Function
from iogauge.sources.language import Given, Glue, Wrong
from iogauge.sources.languages.c import fitting, flags, written
from iogauge.sources.languages.c.declared import (
    Class,
    Declared,
    Types,
    declared,
    frees,
    grammar_of,
    merged,
    with_methods,
)
from iogauge.sources.languages.c.project import Project, headers, project_of

_WORD = re.compile(rb"[A-Za-z_]\w*")
_MAIN = re.compile(rb"\bmain\s*\(")
_TESTS = re.compile(
    r"(test|tests|fuzz|fuzzing|bench|benchmarks?|examples?)(_.*)?|.*_(test|tests|bench)"
)
_PLAIN = ("-w", "-O2", "-g0")


@dataclass
class _Source:
    """A source file with its flags, what it includes, and what is declared there."""

    path: Path
    flags: tuple[str, ...]
    own: Declared
    includes: list[Path] = field(default_factory=list)
    others: list[Declared] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)
    types: Types = field(default_factory=Types)
    classes: dict[str, Class] = field(default_factory=dict)

    @property
    def grammar(self) -> str:
        return grammar_of(self.path)

    @property
    def wanted(self) -> set[str]:
        """What it uses that is declared, but defined in other files. A header that names something
        once declares it, no more.
        """
        declares, defines = set(self.own.declares), set(self.own.defines)
        used = set(_words(self.path))
        for path, each in zip(self.includes, self.others, strict=True):
            declares |= each.declares
            defines |= each.defines if self.grammar == "c" else set()  # may be overloads
            used |= {word for word, times in _words(path).items() if times > 1}
        return {each for each in declares - defines if each.rpartition("::")[2].strip("~") in used}


def glue(given: Given) -> Glue:
    """The glue for a file or a folder. Raises Wrong."""
    project = project_of(given.path)
    found = project.sources if given.path.is_dir() else [given.path]
    if given.path.is_dir():
        found = [each for each in found if not _is_test(each, given.path)]
        if not found:
            raise Wrong("no source of C or C++ in it; give the file that has the function")
    own = flags.joined(given.flags, Path.cwd())
    sources = [_source(each, project, own) for each in found]
    chosen = _chosen(sources, given)
    by_file: dict[Path, list[Fit]] = {}
    for each in chosen.fits:
        by_file.setdefault(each.function.file, []).append(each)
    measured, left_out = _apart([each for each in sources if each.path in by_file])
    linked = _needed(measured, project, own)
    every = [*measured, *linked]
    linking = flags.of_linker([*project.linking, *own])
    told = (word for each in every for word in flags.of_linker(each.flags))
    linking += [each for each in dict.fromkeys(told) if each not in linking]
    texts = _texts(measured, by_file, linked, project.root)
    texts["own/link.args"] = _quoted(["-Wl,-z,muldefs", *linking], project.root)
    reads = {path for each in every for path in (each.path, *each.includes)}
    reads |= {*flags.linked(linking)}
    return Glue(
        project.root,
        texts,
        reads=tuple((_name(each, project.root), each) for each in sorted(reads)),
        values={"root": str(project.root)},
        left_out=(*chosen.left_out, *left_out),
    )


def _source(path: Path, project: Project, own: Sequence[str]) -> _Source:
    given = (*project.flags(path), *own)
    includes, folders = headers(path, project, given)
    grammar = grammar_of(path)
    declares = _declared(path, _bytes(path), grammar)
    others = [_declared(each, _bytes(each), grammar) for each in includes]
    types, classes = merged([*others, declares])
    return _Source(path, given, declares, includes, others, folders, types, classes)


_declared = cache(declared)  # sources of a project include the same headers


def _chosen(sources: Sequence[_Source], given: Given) -> Chosen:
    """Which functions are measured. Raises Wrong."""
    known = {each.path: each for each in sources}
    every = [one for each in sources for one in with_methods(each.own, each.classes)]

    def taking(parameter: functions.Parameter, function: Function) -> functions.Take | None:
        source = known[function.file]
        return fitting.taking(source.grammar, source.types)(parameter, function)

    if not every and not given.function and any(_MAIN.search(_bytes(each)) for each in known):
        raise Wrong(
            "only main() in it, which takes what the command line says; to measure a program: "
            "iogauge command './PROGRAM {file}'"
        )

    def spelled(text: str) -> str:
        for each in every:
            if known[each.file].grammar == "cpp":
                text = text.replace(each.name, each.name.replace(".", "::"))
        return text

    asked = re.sub(r"\(.*\)$", "", given.function)
    try:
        found = functions.choose(every, taking, _refusing, asked)
    except Wrong as wrong:
        raise Wrong(spelled(str(wrong))) from None
    return replace(found, left_out=tuple(map(spelled, found.left_out)))


def _refusing(function: Function) -> str | None:
    """Why a function cannot be called though its parameters can be given."""
    given = " ".join(each.type for each in function.parameters)
    for name, asks in function.generics.items():
        if "=" not in asks and "..." not in asks and not re.search(rf"\b{name}\b", given):
            return f"needs its {name} of the caller; write a function that calls it with one"
    return None


def _apart(sources: Sequence[_Source]) -> tuple[list[_Source], list[str]]:
    """Those that can be linked into one program, and a line for each other: it defines what one
    before it does, and would be measured with what that one has.
    """
    first: dict[str, Path] = {}
    apart, left_out = list[_Source](), list[str]()
    for each in sources:
        twice = sorted(_symbols(each) & first.keys())
        if twice:
            name = twice[0].partition("(")[0].replace(".", "::")
            left_out.append(functions.told_apart("", each.path, name, first[twice[0]]))
        else:
            apart.append(each)
            first |= dict.fromkeys(_symbols(each), each.path)
    return apart, left_out


def _symbols(source: _Source) -> set[str]:
    """What two files of a program must not both define."""
    if source.grammar == "c":
        return source.own.defines
    every = [*source.own.functions, *(each for _, each in source.own.methods)]
    named = ((each.name, ",".join(one.type for one in each.parameters), each) for each in every)
    return {f"{name}({types})" for name, types, each in named if each.public}


def _needed(measured: Sequence[_Source], project: Project, own: Sequence[str]) -> list[_Source]:
    """Other sources of the project that define what these use, and what those use."""
    mine = {each.path for each in measured}
    defined = {name for each in measured for name in each.own.defines}
    wanted = {name for each in measured for name in each.wanted} - defined
    left = [each for each in project.sources if each not in mine]
    found: list[_Source] = []
    while wanted:
        last = {each.rpartition("::")[2].strip("~") for each in wanted}
        likely = (each for each in left if last & _words(each).keys())
        able = (_source(each, project, own) for each in likely)
        # Another program of the folder may have functions of the same names.
        new = next((each for each in able if _gives(each, wanted, defined)), None)
        if new is None:
            return found
        left.remove(new.path)
        found.append(new)
        defined |= new.own.defines
        wanted = (wanted | new.wanted) - defined
    return found


def _gives(source: _Source, wanted: set[str], defined: set[str]) -> bool:
    """Whether it defines something of what is wanted, and nothing twice."""
    overloads = source.grammar == "cpp"
    return bool(source.own.defines & wanted) and (overloads or not source.own.defines & defined)


@cache
def _words(path: Path) -> Counter[str]:
    return Counter(each.decode() for each in _WORD.findall(_bytes(path)))


def _texts(
    measured: Sequence[_Source],
    by_file: dict[Path, list[Fit]],
    linked: Sequence[_Source],
    root: Path,
) -> dict[str, str]:
    """What is written into the build: glue, and the arguments of the compiler."""
    texts, names = {}, set[str]()
    for number, each in enumerate(measured, 1):
        file = f"own/glue-{number}{'.c' if each.grammar == 'c' else '.cpp'}"
        calls = [_to_call(each, fit, names) for fit in by_file[each.path]]
        path = _placed(str(each.path), root)
        texts[file] = written.text(each.grammar, path, each.types, calls, number)
        texts[_arguments_of(f"glue-{number}", each)] = _arguments(each, file, root)
    for number, each in enumerate(linked, 1):
        path = _placed(str(each.path), root)
        words = _arguments(each, path, root, f"-Dmain=iogauge_other_main_{number}")
        texts[_arguments_of(f"linked-{number}", each)] = words
    return texts


def _arguments_of(name: str, source: _Source) -> str:
    """The name of the file with the arguments for a source, which says whether a newer standard may
    be tried.
    """
    asks = any(each.startswith("-std=") for each in source.flags)
    return f"own/{name}{'.newer' if source.grammar == 'cpp' and not asks else ''}.args"


def _arguments(source: _Source, file: str, root: Path, *more: str) -> str:
    folders = [f"-I{each}" for each in source.folders]
    words = [*_PLAIN, *flags.of_compiler(source.flags), *folders, *more, "-fno-lto"]
    language = {"c": "c", "cpp": "c++"}[source.grammar]
    return _quoted([*words, "-x", language, file], root)


def _to_call(source: _Source, fit: Fit, names: set[str]) -> written.ToCall:
    """A function with a name for its strategy that no other has."""
    words = re.sub(r"[^a-z0-9]+", "-", fit.function.name.lower()).strip("-")
    name, number = f"{source.grammar}/own-{words}", 1
    while name in names:
        number += 1
        name = f"{source.grammar}/own-{words}-{number}"
    names.add(name)
    return written.ToCall(name, fit, *frees(source.own.functions, fit.function.returns))


def _quoted(words: Iterable[str], root: Path) -> str:
    """Words as a file of arguments has them."""
    every = (re.sub(r'(["\\])', r"\\\1", _placed(each, root)) for each in words)
    return "".join(f'"{each}"\n' for each in every)


def _placed(word: str, root: Path) -> str:
    """A word without the place of the user's folder."""
    return word.replace(f"{root}{os.sep}", "{root}/") if root != Path("/") else word


def _name(path: Path, root: Path) -> str:
    return os.path.relpath(path, root) if path.is_relative_to(root) else str(path)


def _is_test(path: Path, root: Path) -> bool:
    parts = [*path.relative_to(root).parts[:-1], path.stem]
    return any(_TESTS.fullmatch(each) for each in parts)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Wrong(f"{path} cannot be read: {error.strerror}") from None
