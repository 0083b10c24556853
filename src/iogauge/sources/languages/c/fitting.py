"""What parameters of functions in C and C++ are given."""

from __future__ import annotations

import re
from collections.abc import Callable

from iogauge.sources.functions import Function, Parameter, Take, is_named_as_file
from iogauge.sources.languages.c.declared import Types

_SCALARS = re.compile(
    r"(unsigned |signed )?(char|short|int|long|long long|long int|long long int|short int)"
    r"|unsigned|signed|_?[Bb]ool|float|double|long double|u?int(_fast|_least)?\d+_t"
    r"|(s?size|off|u?intptr|u?intmax|ptrdiff|time|loff)(64)?_t"
    r"|std::(size_t|ptrdiff_t|u?int\d+_t|streamsize|streamoff|u?intmax_t)"
)
_DESCRIPTOR = re.compile(
    r"(\w+_)?(fd|fildes|filedes|fileno|descriptor|desc)\d*|(file|in|input)(fd)?"
)
_SIZE = re.compile(
    r"(block|chunk|buf|buffer|read|piece|io)_?(size|sz|len|length|bytes)?|bs|bufsi?z", re.I
)
_OPTIONS = re.compile(
    r"(\w+_)?(opts?|options?|flags?|config|cfg|conf|settings?|ctx|context|params?|attrs?|mode"
    r"|verbose|debug|quiet|strict|trace|dialect|allocator|alloc)",
    re.I,
)
_OF_CALLER = re.compile(
    r"(\w+_)?(user|user_?data|arg|args|ctx|context|data|opaque|cookie|closure|priv|ud)", re.I
)
_CALLBACK = re.compile(
    r"(\w+_)?(callback|cb|fn|func|function|handler|visitor|visit|pred|predicate|consumer|consume"
    r"|sink|each|emit|action|op|lambda|callable|f)|on_?[A-Z_]?\w+|F\w?",
    re.I,
)
_STREAM = re.compile(r"(\w+_)?(i?f?stream|in|is|ifs|input|source|src|reader)", re.I)
_OUTPUT = re.compile(
    r"(\w*_)?(out|output|dst|dest|destination|to|sink|writer|os|ofs|fout|ofp)(_?(file|stream|fp))?",
    re.I,
)
_ERROR = re.compile(r"(\w+_)?(err|error|ec)(_?(msg|message|text|code))?", re.I)
_CONTAINER = re.compile(
    r"(vector|deque|list|map|unordered_map|set|unordered_set|multimap|array|pair|tuple"
    r"|optional)<.*>"
)

Taking = Callable[[Parameter, Function], "Take | None"]


def taking(grammar: str, types: Types) -> Taking:
    """What a parameter is given, in a language and by what is known of types."""
    of = _of_c if grammar == "c" else _of_cpp

    def take(parameter: Parameter, function: Function) -> Take | None:
        found = of(parameter, function, types)
        other = found is not None and found.what == "other"
        return Take("omitted") if other and parameter.optional else found

    return take


def is_scalar(type_: str, types: Types) -> bool:
    return bool(_SCALARS.fullmatch(type_)) or type_.split(":")[-1] in types.scalars


def without_const(type_: str) -> str:
    return (
        " ".join(re.sub(r"\b(const|volatile)\b", " ", type_).split())
        .replace(" *", "*")
        .replace(" &", "&")
    )


def _of_c(parameter: Parameter, function: Function, types: Types) -> Take | None:
    name, type_ = parameter.name, without_const(parameter.type)
    is_const = "const" in parameter.type.split("*")[0].split()
    pointee = type_.removesuffix("*")
    if type_ == "char*":
        return Take("file", "text") if is_const or is_named_as_file(name) else None
    if type_ in ("FILE*", "std::FILE*"):
        return Take("other", "sink") if _OUTPUT.fullmatch(name) else Take("file", "FILE", sure=True)
    if "(*" in type_ or "(&" in type_ or type_ in types.callbacks or pointee in types.callbacks:
        return Take("other", "callback")
    if type_ == "void*":
        return Take("other", "null") if _OF_CALLER.fullmatch(name) else None
    if "*" not in type_:
        return _of_value(name, type_, types)
    if type_.endswith("**") and not _is_many(name):
        return Take("other", f"out:{_pointed(parameter.type)}")
    if is_scalar(pointee, types):
        return None if is_const or _is_many(name) else Take("other", f"out:{pointee}")
    if pointee.removeprefix("struct ") in types.structs and pointee.count("*") == 0:
        return Take("other", _of_struct(name, pointee, is_const, function))
    return Take("other", "null") if _OPTIONS.fullmatch(name) else None


def _of_value(name: str, type_: str, types: Types) -> Take | None:
    plain = type_.removeprefix("struct ")
    if plain in types.structs:
        is_options = _OPTIONS.fullmatch(name) or _OPTIONS.fullmatch(plain.removesuffix("_t"))
        return Take("other", f"value:{type_}") if is_options else None
    if type_ == "int" and _DESCRIPTOR.fullmatch(name):
        return Take("file", "descriptor", sure=True)
    if not is_scalar(type_, types) and not type_.startswith("enum "):
        return None
    if _SIZE.fullmatch(name) and "char" not in type_ and "bool" not in type_.lower():
        return Take("other", "block")
    is_flag = _OPTIONS.fullmatch(name) or re.fullmatch(r"_?[Bb]ool", type_)
    return Take("other", "zero") if is_flag else None


def _is_many(name: str) -> bool:
    """Whether it is an array that the caller has, as those are called."""
    return bool(re.fullmatch(r"(buf(fer)?|array|values|items|dst|argv|envp|lines|fields)\d*", name))


def _pointed(type_: str) -> str:
    """What a pointer leads to: `const char*` of `const char**`."""
    return type_.strip().removesuffix("const").strip().removesuffix("*")


def _of_struct(name: str, struct: str, is_const: bool, function: Function) -> str:
    """Options may be NULL where the function looks whether they are; all else is zeros."""
    if is_const or _OPTIONS.fullmatch(name):
        asks = rf"!\s*{name}\b|\b{name}\s*(==|!=|\?|&&)|\bif\s*\(\s*{name}\s*\)|NULL\s*==\s*{name}"
        if re.search(asks, str(function.more.get("body", ""))):
            return "null"
    return f"out:{struct}"


def _of_cpp(parameter: Parameter, function: Function, types: Types) -> Take | None:
    name, type_ = parameter.name, without_const(parameter.type)
    is_const = bool(
        re.match(r"const\b", parameter.type) or re.search(r"\bconst\b[&*]*$", parameter.type)
    )
    is_changed = type_.endswith("&") and not type_.endswith("&&") and not is_const
    bare = type_.rstrip("&")
    short = bare.removeprefix("::").replace("std::", "")
    if bare in function.generics or re.fullmatch(r"auto|[\w:<>]+ auto", bare):
        return _of_template(name, bare, function.generics.get(bare, bare))
    if short in ("string", "basic_string<char>"):
        if is_changed and not is_named_as_file(name):
            return Take("other", f"out:{bare}")
        return Take("file", f"made:{bare}")
    if short == "string_view":
        return Take("file", f"made:{bare}")
    if re.fullmatch(r"([\w:]+::)?(filesystem::)?path", short):
        return Take("file", f"made:{bare}", sure=True)
    if found := _of_stream(short, type_):
        return found
    if short == "error_code":
        return Take("other", f"out:{bare}") if is_changed else None
    if (
        re.match(r"(function|move_only_function|copyable_function|function_ref)<", short)
        or "(*" in type_
    ):
        return Take("other", "callback" if "(*" in type_ else "ignore")
    if bare.endswith("*"):
        return _of_pointer(parameter, function, types)
    if is_changed:
        return Take("other", f"out:{bare}") if _can_be_made(bare, short, types) else None
    if short.rpartition("::")[2] in types.structs:
        named = short.rpartition("::")[2]
        likely = _OPTIONS.fullmatch(name) or re.search(
            r"(Opt(ion)?s?|Config|Settings|Params)$", named
        )
        return Take("other", f"value:{bare}") if likely else None
    if short.startswith("optional<"):
        return Take("other", f"value:{bare}")
    return _of_value(name, short, types)


def _of_stream(short: str, type_: str) -> Take | None:
    inner = re.fullmatch(r"(?:unique_ptr|shared_ptr)<(?:std::)?(istream|ifstream|fstream)>", short)
    if inner:
        return Take("file", f"pointer:{short.partition('<')[0]}:{inner[1]}", sure=True)
    plain = re.fullmatch(r"(?:basic_)?(istream|ifstream|fstream)(?:<char>)?(\*?)", short)
    if plain:
        moved = plain[1] != "istream" and not type_.endswith(("&", "*")) or type_.endswith("&&")
        form = "address" if plain[2] else "moved" if moved else "stream"
        return Take(
            "file", f"{form}:{'fstream' if plain[1] == 'fstream' else 'ifstream'}", sure=True
        )
    if re.fullmatch(r"(?:basic_)?ostream(?:<char>)?", short):
        return Take("other", "ostream")
    return None


def _of_pointer(parameter: Parameter, function: Function, types: Types) -> Take | None:
    known = without_const(parameter.type).removesuffix("*")
    plain = known.replace("std::", "")
    if "const" not in parameter.type and (plain == "string" or _CONTAINER.fullmatch(plain)):
        return Take("other", f"address:{known}")
    return _of_c(parameter, function, types)


def _of_template(name: str, given: str, asked: str) -> Take | None:
    """A parameter of a template, by what it is called and what is asked of it."""
    words = f"{given} {asked}".lower()
    if "istream" in words or re.search(r"stream|reader", given, re.I):
        return Take("file", "stream:ifstream", sure=True)
    if re.search(r"invocable|callable|function", words) or _CALLBACK.fullmatch(given):
        return Take("other", "ignore")
    if re.search(r"path|string", words):
        return Take("file", "made:std::string")
    if re.fullmatch(r"(in|is|ifs|stream|input|input_?stream|in_?stream)", name):
        return Take("file", "stream:ifstream")
    if is_named_as_file(name):
        return Take("file", "made:std::string")
    if _CALLBACK.fullmatch(name):
        return Take("other", "ignore")
    if _OUTPUT.fullmatch(name) and "stream" in words:
        return Take("other", "ostream")
    return None


def _can_be_made(bare: str, short: str, types: Types) -> bool:
    plain = short.rpartition("::")[2] if "<" not in short else short
    return is_scalar(short, types) or plain in types.structs or bool(_CONTAINER.fullmatch(short))
