"""Functions as their source declares them, and the rules that choose those which need nothing but a
file. The rules are the same for all languages; a language says what its types take.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from iogauge.sources.language import Wrong

_MOST_NAMED = 6  # functions in a line
_MOST_WANTING = 3  # and with what they need
_OUTPUT = re.compile(
    r"(?!(path|file)_?to_)(\w+_)?(out|output|dst|dest|destination|target|save|to|tmp|temp|new)"
    r"(_?(file|path|name|stream)\w*)?"
    r"|profile|[xy]path|class_?path|json_?path|module_?path|url_?path|key_?path"
)
_FILE = re.compile(
    r"(path|file)_?to_?\w+"
    r"|\w*?(path|file)_?(name|path|str|loc|location|obj|object|handle|like|in)?\d*"
    r"|(\w+_)?(fname|fn|pth|csv|tsv|log|txt|jsonl|ndjson|src)\d*"
    r"|(in|input|data|log|csv)?_?(source|stream)|data_?set|document|doc|archive|input|inp|in"
    r"|f|fp|fh|fd|fin|f_?in|f_?obj|handle|reader|is|name_?of_?file"
)
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True)
class Parameter:
    """One parameter as it is written; `optional` if a call may leave it out."""

    name: str
    type: str = ""
    optional: bool = False

    @property
    def shown(self) -> str:
        return self.name or self.type


@dataclass(frozen=True)
class Function:
    """A function, or a method with its type before a dot: `count`, `LogFile.lines`.

    `made_of` has the parameters of the constructor, where a method needs an object of its type.
    `words` are those that change how it is called: `async`, `static`. `generics` has the bounds of
    its type parameters. `more` is for the language that found it.
    """

    name: str
    parameters: tuple[Parameter, ...] = ()
    returns: str = ""
    file: Path = Path()
    line: int = 0
    public: bool = True
    made_of: tuple[Parameter, ...] | None = None
    words: frozenset[str] = frozenset()
    generics: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def short(self) -> str:
        """The name without its type."""
        return self.name.rpartition(".")[2]

    @property
    def shown(self) -> str:
        """With its parameters: `count(path)`."""
        named = ", ".join(each.shown for each in (*(self.made_of or ()), *self.parameters))
        return f"{self.name}({named})"


@dataclass(frozen=True)
class Take:
    """What a parameter is given."""

    # file: the file itself. other: a value that the glue has for it, such as a context or no
    # options. omitted: nothing, as a call may leave it out.
    what: Literal["file", "other", "omitted"]
    # How it is given, in a word of the language's own.
    form: str = ""
    # Whether its type says that it is a file (an open file, a path type), whatever it is called.
    # Else, of text, its name must.
    sure: bool = False


@dataclass(frozen=True)
class Fit:
    """A function, and what each of its parameters takes; first those of its constructor."""

    function: Function
    made_of: tuple[Take, ...]
    takes: tuple[Take, ...]

    @property
    def file(self) -> Take:
        """What the parameter that is the file gets."""
        return self._of_file[1]

    @property
    def parameter(self) -> Parameter:
        """The parameter that is the file."""
        return self._of_file[0]

    @property
    def is_likely(self) -> bool:
        """Whether that says by its type or its name that it is a file to read."""
        return _is_file(*self._of_file) and not _is_output(self.parameter)

    @property
    def _of_file(self) -> tuple[Parameter, Take]:
        every = (*(self.function.made_of or ()), *self.function.parameters)
        pairs = zip(every, (*self.made_of, *self.takes), strict=True)
        return next(each for each in pairs if each[1].what == "file")


Taking = Callable[[Parameter, Function], "Take | None"]
"""What a parameter of a function can be given; None where nobody but its caller knows."""
Refusing = Callable[[Function], "str | None"]
"""Why a function cannot be called at all, in a few words behind its name; None if it can."""


@dataclass(frozen=True)
class Chosen:
    """The functions to measure, and of others why they are not, in a line each."""

    fits: tuple[Fit, ...]
    left_out: tuple[str, ...] = ()


def choose(
    functions: Sequence[Function],
    taking: Taking,
    refusing: Refusing = lambda _: None,
    asked: str = "",
    where: str = "it",
) -> Chosen:
    """The functions that need nothing but a file, in their order: those that say so by a type or a
    name; else those of one text whatever it is called; private ones where no public one fits. Or
    the one that is `asked` for. Raises Wrong, naming `where`, if there is none.
    """
    if asked:
        return _asked(functions, taking, refusing, asked, where)
    for public in (True, False):
        some = [each for each in functions if each.public is public]
        fits = [fit for each in some if isinstance(fit := _fit(each, taking), Fit)]
        for chosen in ([each for each in fits if each.is_likely], fits):
            able = [each for each in chosen if not refusing(each.function)]
            others = [each.function for each in chosen if refusing(each.function)]
            told = tuple(f"{each.shown} {refusing(each)}" for each in others)
            if able:
                kept, twins = _without_twins(able)
                others = [each for each in functions if each.public or not public]
                known = {each.function.name for each in fits}
                wanting = _wanting([each for each in others if each.name not in known], taking)
                return Chosen(kept, (*told, *twins, *wanting))
            if told:
                more = f"; and {len(told) - 2} more" if len(told) > 2 else ""
                raise Wrong("; ".join(told[:2]) + more)
    raise Wrong(_none(functions, taking, where))


def is_named_as_file(name: str) -> bool:
    """Whether a parameter is called as a file to read is: `path`, `fileName`, `csv_path`."""
    words = _HUMPS.sub("_", name.strip("_")).lower()
    return bool(_FILE.fullmatch(words)) and not _OUTPUT.fullmatch(words)


def _asked(
    functions: Sequence[Function],
    taking: Taking,
    refusing: Refusing,
    asked: str,
    where: str,
) -> Chosen:
    wanted = asked.replace("::", ".").replace("#", ".")
    found = [each for each in functions if each.name == wanted] or [
        each for each in functions if each.name.endswith(f".{wanted}")
    ]
    if not found:
        there = f"; there are: {_listed(functions)}" if functions else ""
        raise Wrong(f"no function {asked} in {where}{there}")
    fits = [fit for each in found if isinstance(fit := _fit(each, taking), Fit)]
    if not fits:
        raise Wrong(str(_fit(found[0], taking)))
    able = [each for each in fits if not refusing(each.function)]
    if not able:
        raise Wrong(f"{fits[0].function.shown} {refusing(fits[0].function)}")
    return Chosen(tuple(sorted(able, key=lambda each: not each.is_likely)[:1]))


def _fit(function: Function, taking: Taking) -> Fit | str:
    """How it is called with nothing but a file; or why that cannot be, for people."""
    every = [*(function.made_of or ()), *function.parameters]
    takes = [taking(each, function) for each in every]
    files = [at for at, each in enumerate(takes) if each and each.what == "file"]
    if len(files) > 1:  # a text that is called as paths are, beside another text
        likely = [at for at in files if _is_file(every[at], takes[at])]
        inputs = [at for at in likely if not _is_output(every[at])]
        files = inputs if len(inputs) == 1 else files
        for at, each in enumerate(takes):
            if each and each.what == "file" and at not in files:
                takes[at] = Take("omitted") if every[at].optional else None
    for at, each in enumerate(takes):
        if each is None and every[at].optional:
            takes[at] = Take("omitted")
    unknown = [each.shown for each, take in zip(every, takes, strict=True) if take is None]
    if not every or not (files or unknown):
        return f"{function.name}() takes nothing; let it take a path"
    if unknown or len(files) > 1:
        needs = " and ".join(unknown or [every[at].shown for at in files[1:]])
        return f"{function.shown} needs {needs} besides a file; write a function of the path alone"
    known = [each for each in takes if each]
    made = len(function.made_of or ())
    return Fit(function, tuple(known[:made]), tuple(known[made:]))


def _wanting(functions: Sequence[Function], taking: Taking) -> list[str]:
    """A line that names those which read a file, but need more than that."""
    needs: dict[str, list[str]] = {}
    for each in functions:
        every = [*(each.made_of or ()), *each.parameters]
        takes = [taking(one, each) for one in every]
        files = [at for at, take in enumerate(takes) if take and take.what == "file"]
        if any(_is_file(every[at], takes[at]) and not _is_output(every[at]) for at in files):
            unknown = [one for one, take in zip(every, takes, strict=True) if take is None]
            more = [one.shown for one in unknown if not one.optional]
            more = more or [every[at].shown for at in files[1:]]
            if more:
                needs.setdefault(each.name, more)
    told = [f"{name}() needs {' and '.join(more)}" for name, more in needs.items()]
    if not told:
        return []
    left = len(told) - _MOST_WANTING
    said = ", ".join(told[:_MOST_WANTING])
    said += f", and {left} other{'s' * (left > 1)} more" if left > 0 else ""
    return [f"{said} besides a file; write a function of the path alone"]


def _is_file(parameter: Parameter, take: Take | None) -> bool:
    return bool(take and take.sure) or is_named_as_file(parameter.name)


def _is_output(parameter: Parameter) -> bool:
    return bool(_OUTPUT.fullmatch(_HUMPS.sub("_", parameter.name.strip("_")).lower()))


def _without_twins(fits: Iterable[Fit]) -> tuple[tuple[Fit, ...], tuple[str, ...]]:
    """Of several with one name in a file (overloads) that of a sure type, or the first; and a line
    for each that has the name of one in another file.
    """
    found: dict[str, Fit] = {}
    told = []
    for each in fits:
        name, file = each.function.name, each.function.file
        known = found.setdefault(name, each)
        if known.function.file != file:
            told.append(told_apart(f"{name} of", file, "one", known.function.file))
        elif each.file.sure and not known.file.sure:
            found[name] = each
    return tuple(found.values()), tuple(dict.fromkeys(told))


def told_apart(what: str, file: Path, has: str, first: Path) -> str:
    """Why something of a file is not measured, since the first file has it, too; and what to do."""
    one, other = (shlex.quote(os.path.relpath(each)) for each in (first, file))
    said = f"{what} {other}: {one} has {has}, too".strip()
    return f"{said}; to compare them: --own one={one} --own other={other}"


def _none(functions: Sequence[Function], taking: Taking, where: str) -> str:
    if not functions:
        return f"no function in {where}; give the file that has the one to measure"
    if len(functions) == 1:
        return str(_fit(functions[0], taking))
    return (
        f"no function in {where} needs nothing but a file; there are: {_listed(functions)}; write "
        "one of the path alone"
    )


def _listed(functions: Sequence[Function]) -> str:
    names = list(dict.fromkeys(each.name for each in functions))
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more
