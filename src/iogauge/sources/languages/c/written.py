"""The glue itself: a source file that includes the user's, and calls its functions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from iogauge.sources.functions import Fit, Function, Take
from iogauge.sources.languages.c.declared import Types
from iogauge.sources.languages.c.fitting import is_scalar

_CHARACTERS = re.compile(
    r"(const )?(unsigned |signed )?(char|uint8_t|void|std::byte)\*|(const )?u8\*"
)
_TEXT = re.compile(r"(\w+ )*char\*( ?const)?")
_REPEATED = re.compile(r"(read_?|get_?)?(next|scan|read)_?(line|record|row|entry|item)?", re.I)
_SHOWN, _INDENT = "iogauge_r", "    "
_OPENED = ("FILE", "descriptor")


@dataclass
class _Call:
    """The lines of one call. `sizes` and `texts` are parameters that it gives back: how much there
    is, and what.
    """

    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    sizes: list[str] = field(default_factory=list)
    texts: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class ToCall:
    """A function with the name of its strategy, and what takes back its result, if there is such;
    perhaps with its size.
    """

    strategy: str
    fit: Fit
    frees: str = ""
    frees_sized: bool = False


def text(grammar: str, file: str, types: Types, calls: Sequence[ToCall], main: int) -> str:
    """The glue for functions of the file at this place. `main` tells its main from others."""
    # In C, what a header has depends on macros that the file defines; in C++ such macros may be in
    # the way of the library's headers.
    first = ['#include "../harness/as_it_stands.hpp"'] if grammar == "cpp" else []
    last = ['#include "../harness/as_it_stands.h"'] if grammar == "c" else []
    before = [
        "/* The user's file, with calls of its functions: made by iogauge. */",
        *first,
        f"#define main iogauge_users_main_{main}",
        f'#include "{file}"',
        "#undef main",
        *last,
        "",
    ]
    made = [_function(grammar, number, each, types) for number, each in enumerate(calls, 1)]
    return "\n".join([*before, *made])


def shown(grammar: str, function: Function) -> str:
    """A function as people of the language write it."""
    return function.shown if grammar == "c" else function.shown.replace(".", "::")


def _function(grammar: str, number: int, called: ToCall, types: Types) -> str:
    fit, call = called.fit, _Call()
    function = fit.function
    cpp = grammar == "cpp"
    every = [*(function.made_of or ()), *function.parameters]
    arguments = [
        _argument(cpp, at, take, every[at].type, call, types)
        for at, take in enumerate([*fit.made_of, *fit.takes])
    ]
    made = len(fit.made_of)
    given = _joined(arguments[made:])
    name = f"::{function.name.replace('.', '::')}" if cpp else function.name
    if cpp and function.made_of is not None:
        owner, _, method = name.rpartition("::")
        of = _joined(arguments[:made])
        call.before.append(f"{owner} iogauge_object{f'({of})' if of else ''};")
        name = f"iogauge_object.{method}"
    lines = [*call.before, *_taken(cpp, f"{name}({given})", called, call, types), *call.after]
    if cpp:
        body = [
            f"iogauge_glue::guarded({_SHOWN}, [&] {{",
            *(f"{_INDENT}{each}" for each in lines),
            "});",
        ]
    else:
        body = lines
    takes = [*fit.made_of, *fit.takes]
    numbers = f"{int(any(each.form == 'block' for each in takes))}, {int(fit.file.form in _OPENED)}"
    spaces = [each for each in function.more.get("spaces", ()) if each] if cpp else []
    told = f'"{called.strategy}", "{shown(grammar, function)}", {numbers}'
    # own.sh leaves out what cannot be compiled, and tells why.
    without = f"IOGAUGE_WITHOUT_{number}"
    return "\n".join(
        [
            *(f"namespace {each} {{" for each in spaces),
            f"#ifndef {without}",
            f"static __attribute__((noinline)) void iogauge_call_{number}"
            f"(const char *iogauge_path, struct iogauge_result *{_SHOWN}) {{",
            *(f"{_INDENT}{each}" for each in body),
            "}",
            f"#define IOGAUGE_CALL_{number} iogauge_call_{number}, 0",
            "#else",
            f"#define IOGAUGE_CALL_{number} 0, {without}",
            "#endif",
            f"static const struct iogauge_function iogauge_function_{number} = "
            f"{{{told}, IOGAUGE_CALL_{number}}};",
            f"static __attribute__((constructor)) void iogauge_add_{number}(void) {{ "
            f"iogauge_add(&iogauge_function_{number}); }}",
            *("}" for _ in spaces),
            "",
        ]
    )


def _joined(arguments: Sequence[str | None]) -> str:
    """Up to the first one that is left out."""
    return ", ".join(takewhile(lambda each: each is not None, arguments))  # type: ignore[arg-type]


def _argument(cpp: bool, at: int, take: Take, type_: str, call: _Call, types: Types) -> str | None:
    """What stands for a parameter in the call; None where it is left out."""
    if take.what == "omitted":
        return None
    form, _, of = take.form.partition(":")
    name = f"iogauge_{at}"
    if form == "text":
        return "iogauge_path" if "const" in type_ else "(char *)iogauge_path"
    if form in _OPENED:
        return _opened(cpp, form, name, call)
    if form in ("made", "stream", "moved", "address", "pointer"):
        return _made(form, of, name, type_, call)
    if form == "block":
        return f"{_SHOWN}->block"
    if form == "out":
        return _out(cpp, of, name, type_, call, types)
    if form == "value":
        start = " = {}" if cpp else ""
        call.before.append(f"{of} {name}{start};")
        if not cpp:
            call.before.append(f"__builtin_memset(&{name}, 0, sizeof {name});")
        return name
    if form in ("zero", "null"):
        kind = "long" if form == "zero" else "void *"
        call.before.append(f"{kind} {name} = 0; IOGAUGE_ANY({name});")
        return f"({type_}){name}" if cpp or form == "zero" else name
    if form == "sink":
        return "(FILE *)iogauge_sink()"
    if form == "callback":
        return f"({type_})(void *)iogauge_ignore" if cpp else "(void *)iogauge_ignore"
    if form == "ostream":
        call.before.append(f"std::ostream {name}(nullptr);")
        return name
    call.before.append(f"iogauge_glue::Ignore {name};")
    return name


def _opened(cpp: bool, form: str, name: str, call: _Call) -> str:
    """An open file, which is closed afterwards."""
    if form == "FILE":
        call.before.append(f"void *{name} = iogauge_opened(iogauge_path, {_SHOWN});")
        call.before.append(f"if (!{name}) return;")
        closes, closing = "iogauge_close", "Closing"
    else:
        call.before.append(f"int {name} = iogauge_descriptor(iogauge_path, {_SHOWN});")
        call.before.append(f"if ({name} < 0) return;")
        closes, closing = "iogauge_close_descriptor", "ClosingDescriptor"
    if cpp:
        call.before.append(f"iogauge_glue::{closing} {name}_closing{{{name}}};")
    else:
        call.after.append(f"{closes}({name});")
    return f"(FILE *){name}" if form == "FILE" else name


def _made(form: str, of: str, name: str, type_: str, call: _Call) -> str:
    """The file in a type of C++."""
    if form == "made":
        call.before.append(f"{of} {name}(iogauge_path);")
        return f"std::move({name})" if type_.endswith("&&") else name
    if form == "address" and "stream" not in of:  # a pointer to what is given back
        call.before.append(f"{of} {name}{{}};")
        call.after.append(f"iogauge_glue::given_back({_SHOWN}, {name});")
        return f"&{name}"
    holder, _, inner = of.partition(":")
    if form == "pointer":
        stream = "fstream" if inner == "fstream" else "ifstream"
        call.before.append(
            f"std::{holder}<std::{inner}> {name}(new std::{stream}"
            "(iogauge_path, std::ios::in | std::ios::binary));"
        )
        call.before.append(f"iogauge_glue::must_be_open(*{name});")
        return f"std::move({name})" if holder == "unique_ptr" else name
    call.before.append(f"std::{of} {name}(iogauge_path, std::ios::in | std::ios::binary);")
    call.before.append(f"iogauge_glue::must_be_open({name});")
    return {"moved": f"std::move({name})", "address": f"&{name}"}.get(form, name)


def _out(cpp: bool, of: str, name: str, type_: str, call: _Call, types: Types) -> str:
    """A parameter that is given back: of a pointer its address."""
    start = "{}" if cpp else ""
    call.before.append(f"{of} {name}{start};")
    if not cpp:
        call.before.append(f"__builtin_memset(&{name}, 0, sizeof {name});")
    if is_scalar(of, types) and not re.search(r"char|bool|float|double", of, re.I):
        call.sizes.append(name)
    if _CHARACTERS.fullmatch(of):
        call.texts.append((of, name))
    elif cpp:
        call.after.append(f"iogauge_glue::given_back({_SHOWN}, {name});")
    else:
        call.after.append(f"IOGAUGE_GIVEN_BACK({_SHOWN}, {name});")
    return name if type_.endswith("&") else f"&{name}"


def _taken(cpp: bool, expression: str, called: ToCall, call: _Call, types: Types) -> list[str]:
    """The call, and what becomes of its result."""
    returned = called.fit.function.returns
    if cpp and _is_repeated(called.fit):
        given = f"{{ auto iogauge_given = {expression}; if (!iogauge_given) break; "
        return [f"for (;;) {given}iogauge_glue::take({_SHOWN}, *iogauge_given); }}"]
    size = call.sizes[0] if len(call.sizes) == 1 else None
    texts = [_given(each, name, size, back=True) for each, name in call.texts]
    is_text = bool(_CHARACTERS.fullmatch(returned)) and (size or _TEXT.fullmatch(returned))
    frees = called.frees and (size or not called.frees_sized)
    if not (frees or is_text):
        if cpp:
            return [f"IOGAUGE_CALLED({_SHOWN}, {expression});", *texts]
        kept = [f"IOGAUGE_RESULT(iogauge_given, {expression});"]
        return [
            *kept,
            f"if (!iogauge_given_is_void) IOGAUGE_TAKE({_SHOWN}, iogauge_given);",
            *texts,
        ]
    lines = [f"{returned} iogauge_given = {expression};", *texts]
    if frees:
        lines.append(f"{_SHOWN}->null |= !iogauge_given; {_SHOWN}->unknown = 1;")
        given = f"iogauge_given, {size}" if called.frees_sized else "iogauge_given"
        call.after.append(f"if (iogauge_given) {called.frees}({given});")
    else:
        lines.append(_given(returned, "iogauge_given", None if texts else size, back=False))
    return lines


def _is_repeated(fit: Fit) -> bool:
    """Whether a method gives one thing after another of the file, and then none."""
    function = fit.function
    gives = re.fullmatch(r"(const )?(std::)?optional<.*>", function.returns)
    named = _REPEATED.fullmatch(function.short)
    return bool(gives and named and fit.made_of and not function.parameters)


def _given(type_: str, name: str, size: str | None, *, back: bool) -> str:
    """Characters at a pointer: up to a NUL, where no size says how many."""
    told = f"{_SHOWN}, (void *){name}"
    if size:
        line = f"{{ size_t iogauge_size = (size_t){size}; iogauge_text({told}, &iogauge_size); }}"
    elif _TEXT.fullmatch(type_):
        line = f"iogauge_text({told}, 0);"
    else:
        line = f"iogauge_pointer({told}, 0);"
    return (
        f"{{ int iogauge_null = {_SHOWN}->null; {line} {_SHOWN}->null = iogauge_null; }}"
        if back
        else line
    )
