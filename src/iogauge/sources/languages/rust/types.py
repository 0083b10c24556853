"""Which types of Rust can be given a file, or a plain value; and the Rust text that gives it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from iogauge.sources.functions import Function, Parameter, Take

DEFAULT = "::core::default::Default::default()"
_NONE = "::core::option::Option::None"
_STANDARD = {"std", "core", "alloc", "camino"}
_LIFETIME = re.compile(r"'(?!static\b)\w+\s*")
_TEXT, _PATH, _OS = "given.text()", "given.path()", "given.os()"
_FILE, _READER = "given.file()", "given.reader()"
_OWNED = {
    "String": (f"{_TEXT}.to_owned()", False),
    "PathBuf": (f"{_PATH}.to_owned()", True),
    "OsString": (f"{_OS}.to_owned()", False),
    "Utf8PathBuf": (f"{_TEXT}.into()", True),
    "File": (_FILE, True),
}
_BORROWED = {
    "str": (_TEXT, False),
    "Path": (_PATH, True),
    "OsStr": (_OS, False),
    "Utf8Path": (f"{_TEXT}.into()", True),
}
_FILLED = {"String", "Vec"}  # what a function may be given to put its result into
_BOUNDS = {
    "BufRead": (_READER, True),
    "Read": (_FILE, True),
    "AsRef<Path>": (_PATH, True),
    "Into<PathBuf>": (_PATH, True),
    "AsRef<OsStr>": (_OS, False),
    "Into<OsString>": (_OS, False),
    "AsRef<str>": (_TEXT, False),
    "Into<String>": (_TEXT, False),
    "ToString": (_TEXT, False),
    "Display": (_TEXT, False),
    "AsRef<Utf8Path>": (_TEXT, True),
    "Into<Utf8PathBuf>": (_TEXT, True),
}


@dataclass(frozen=True)
class Known:
    """What is known of names where a function stands: the paths that `use` imports them from, the
    types that its file declares, and how a plain value of types of the crate is made: by `default`
    or by `new`.
    """

    imported: Mapping[str, str] = field(default_factory=dict)
    declared: Collection[str] = ()
    plain: Mapping[str, str] = field(default_factory=dict)


def split(text: str, at: str = ",") -> list[str]:
    """The parts of a text between these characters, but for those within brackets."""
    parts, depth = [""], 0
    for number, each in enumerate(text):
        depth += each in "<([{"
        depth -= each in ")]}" or (each == ">" and text[number - 1 : number] != "-")
        if each == at and depth == 0:
            parts.append("")
        else:
            parts[-1] += each
    return [each.strip() for each in parts if each.strip()]


def taking(parameter: Parameter, function: Function) -> Take | None:
    """What a parameter is given. The form of a Take is the Rust text of its value."""
    return _taken(_plain(parameter.type), function)


def _plain(type_: str) -> str:
    return " ".join(_LIFETIME.sub("", type_).split())


def _taken(type_: str, function: Function) -> Take | None:
    for reference in ("&mut ", "&"):
        if type_.startswith(reference):
            pointed = type_.removeprefix(reference).strip()
            return None if "'static " in pointed else _by_reference(reference, pointed, function)
    if type_ == "()":
        return Take("other", "()")
    if bounds := _bounds(type_, function):
        return _by_bounds(bounds)
    name, arguments = _named(type_, function)
    if name in _OWNED:
        return Take("file", _OWNED[name][0], sure=_OWNED[name][1])
    if name == "Option":
        return None if set(function.generics) & {*re.findall(r"\w+", arguments)} else _none()
    if name == "BufReader" and _is_a_file(arguments, function):
        return Take("file", _READER, sure=True)
    if name in ("Cow", "Box", "Arc", "Rc"):
        return _boxed(name, arguments, function)
    made = _known(function).plain.get(name)
    if made == "new":
        return Take("other", f"{from_child(type_.partition('<')[0].strip())}::new()")
    return Take("other", DEFAULT) if made else None


def _none() -> Take:
    return Take("other", _NONE)


def _by_reference(reference: str, type_: str, function: Function) -> Take | None:
    name, _ = _named(type_, function)
    if reference == "&" and name in _BORROWED:
        return Take("file", _BORROWED[name][0], sure=_BORROWED[name][1])
    if reference == "&mut " and name in _FILLED and not _bounds(type_, function):
        return Take("other", f"&mut {DEFAULT}")
    bounds = _bounds(type_, function)
    inner = _by_bounds(bounds) if bounds else _taken(type_, function)
    if inner is None or inner.form.endswith(".into()"):
        return None
    if reference == "&" and "?Sized" in bounds and inner.form in (_TEXT, _PATH, _OS):
        return inner  # it is a reference
    return Take(inner.what, f"{reference}{inner.form}", inner.sure)


def _boxed(name: str, arguments: str, function: Function) -> Take | None:
    inner = split(arguments)[-1] if arguments else ""
    if bounds := _bounds(inner, function):
        taken = _by_bounds(bounds)
        if name == "Box" and taken and taken.form in (_FILE, _READER):
            return Take("file", f"::std::boxed::Box::new({taken.form})", sure=True)
        return None
    known = _BORROWED.get(_named(inner, function)[0])
    return Take("file", f"{known[0]}.into()", known[1]) if known else None


def _is_a_file(type_: str, function: Function) -> bool:
    if _named(type_, function)[0] == "File":
        return True
    return any(each.rpartition("::")[2] == "Read" for each in _bounds(type_, function))


def _by_bounds(bounds: list[str]) -> Take | None:
    """What fits all bounds of a generic type: the most telling of them decides."""
    names = {_short(each) for each in bounds}
    for bound, (form, sure) in _BOUNDS.items():
        if bound not in names:
            continue
        if form == _PATH and names & {"Display", "ToString", "AsRef<str>", "Into<String>"}:
            form = _TEXT
        owned = "'static" in bounds and form in (_TEXT, _PATH, _OS)
        return Take("file", f"{form}.to_owned()" if owned else form, sure)
    return None


def _short(bound: str) -> str:
    """`std::convert::AsRef<std::path::Path>` as `AsRef<Path>`."""
    return re.sub(r"(?:\w+\s*::\s*)+", "", bound).replace(" ", "")


def _bounds(type_: str, function: Function) -> list[str]:
    """Of `impl A + B`, `dyn A + B`, or the name of a type parameter."""
    type_ = type_.removeprefix("(").removesuffix(")") if type_.startswith("(") else type_
    for word in ("impl ", "dyn "):
        if type_.startswith(word):
            return split(type_.removeprefix(word), "+")
    return split(function.generics.get(type_, ""), "+")


def _named(type_: str, function: Function) -> tuple[str, str]:
    """The last name of a type and its arguments; no name of one that is imported from elsewhere and
    is called as one of the standard library's.
    """
    path, _, rest = type_.partition("<")
    known = _known(function)
    segments = [each.strip() for each in path.split("::")]
    full = known.imported.get(segments[0], "")
    origin = (full or path).split("::")[0].strip()
    if segments[-1] in known.plain:
        return segments[-1], ""
    if segments[-1] in known.declared or ((full or segments[1:]) and _is_foreign(origin)):
        return "", ""
    return segments[-1], rest.rpartition(">")[0].strip()


def _is_foreign(origin: str) -> bool:
    return origin not in _STANDARD and origin not in {"io", "fs", "path", "ffi", "borrow"}


def _known(function: Function) -> Known:
    known: Known = function.more["known"]
    return known


def imported(text: str, before: str = "") -> Iterator[tuple[str, str]]:
    """What the argument of a `use` brings: names, and the paths that they stand for."""
    text = text.strip()
    if text.endswith("}"):
        start = text.index("{")
        for each in split(text[start + 1 : -1]):
            yield from imported(each, f"{before}{text[:start]}")
        return
    path, _, alias = (f"{before}{text}").partition(" as ")
    path = path.strip().removeprefix("::")
    if path.endswith("::self"):
        path = path.removesuffix("::self")
    name = alias.strip() or path.rpartition("::")[2]
    if name != "*":
        yield name, path


def from_child(path: str) -> str:
    """A path as it is written in a module within."""
    first, _, rest = path.partition("::")
    if first == "self":
        return f"super::{rest}"
    return path if first == "crate" else f"super::{path}"
