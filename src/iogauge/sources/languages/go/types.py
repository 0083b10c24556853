"""What the types of Go can be given of a file, and what a function returns of it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from iogauge.sources.functions import Function, Parameter, Take, is_named_as_file

_OPENED = {
    "*os.File": "file",
    "io/fs.File": "file",
    "*bufio.Reader": "Reader",
    "*bufio.Scanner": "Scanner",
    "*encoding/csv.Reader": "CSV",
    "*encoding/json.Decoder": "JSON",
    "*io.SectionReader": "Section",
    "io.ByteReader": "Reader",
    "io.RuneReader": "Reader",
    "io.ByteScanner": "Reader",
    "io.RuneScanner": "Reader",
}
"""Types that a file is opened for, and the function of the glue that makes one of it."""
_OF_A_FILE = {
    **dict.fromkeys(("io.Reader", "io.ReaderAt", "io.ReadCloser", "io.ReadSeeker"), "file"),
    **dict.fromkeys(("io.ReadSeekCloser", "Read()", "ReadAt()"), "file"),
}
_ALSO_OF_A_FILE = {
    "io.Seeker",
    "io.Closer",
    "io.WriterTo",
    "Seek()",
    "Close()",
    "Stat()",
    "Name()",
    "Fd()",
}
_OTHERS = {"context.Context": "Context()", "io.Writer": "writer", "*sync.WaitGroup": "Group()"}
_BLOCK = re.compile(r"(buf|buffer|block|chunk|read)_?(size|len|length)|bs", re.IGNORECASE)
_WORKERS = re.compile(
    r"(n|num|max)?_?(workers?|goroutines?|threads?|routines?|concurrency|parallelism)"
    r"(_?(count|num))?",
    re.IGNORECASE,
)
_WHOLE = re.compile(r"u?int(32|64)?")
_PLAIN = re.compile(r"(opts?|options?|cfg|conf|config|settings|params|flags)")
_CALLED = re.compile(r"func\((?P<takes>.*)\)(?P<gives>error|bool|)")
_LINES = re.compile(r"(iter\.Seq|func\(func\()\[?(?P<item>string|\[\]byte)(\]|\)bool\))")
_TEXTS = ("string", "[]byte")
_OPENS = re.compile(r"(must_?)?(open|read|load|parse|scan|slurp|count|sum)", re.IGNORECASE)


class Types:
    """The types of a package by their names."""

    def __init__(self, known: Mapping[str, str]):
        self._known = known

    def under(self, type_: str) -> str:
        """What a type is, behind names that the package gives."""
        seen: set[str] = set()
        while type_ in self._known and type_ not in seen:
            seen.add(type_)
            type_ = self._known[type_]
        return type_

    def paths_in(self, type_: str) -> list[str]:
        """The field of a struct that has the path, if it is the only text that may be one."""
        if not (fields := re.fullmatch(r"struct\{(.*)\}", self.under(type_))):
            return []
        texts = [
            name
            for name, _, of in (each.partition(" ") for each in fields[1].split(";"))
            if of == "string"
        ]
        named = [each for each in texts if is_named_as_file(each)]
        return named if len(named) == 1 else []

    def taking(self, parameter: Parameter, function: Function) -> Take | None:
        """What is given to a parameter: `text` (converted to a type of theirs), `texts`, a file or
        what is made of it, or a value in Go.
        """
        type_ = parameter.type
        if type_ in function.generics:
            return self._of_a_bound(self.under(function.generics[type_]), parameter)
        under = self.under(type_)
        if under == "string":
            text = "text" if type_ == "string" else f"text {type_}"
            return self._text(
                text, parameter, is_named_as_file(type_) or _is_name(parameter, function)
            )
        if under in ("any", "interface{}") and is_named_as_file(parameter.name):
            return Take("file", "text")
        if under == "[]string" and _is_plural_of_file(parameter.name):
            return Take("file", "texts", sure=True)
        if form := self._opened(under):
            return Take("file", form, sure=True)
        if under in ("int", "uintptr") and parameter.name in ("fd", "fileDescriptor"):
            return Take("file", f"Descriptor[{type_}]", sure=True)
        if parameter.optional:
            return Take("omitted")
        if type_ in _OTHERS:
            return Take("other", _OTHERS[type_])
        if _WHOLE.fullmatch(under) and _BLOCK.fullmatch(parameter.name):
            return Take("other", "= 32 << 10")
        if type_ == "int" and _WORKERS.fullmatch(parameter.name):
            return Take("other", "Workers()")
        if type_.startswith(("chan ", "chan<- ")):
            return Take("other", f"channel {type_.split(' ', 1)[1]}")
        if called := _CALLED.fullmatch(under):
            return self._callback(called["takes"], called["gives"])
        return self._options(parameter, function)

    def _text(self, form: str, parameter: Parameter, sure: bool) -> Take | None:
        if not parameter.optional:
            return Take("file", form, sure)
        return Take("file", form, True) if _is_plural_of_file(parameter.name) else Take("omitted")

    def _of_a_bound(self, bound: str, parameter: Parameter) -> Take | None:
        union = bound.removeprefix("interface{").removesuffix("}")
        if "string" in (self.under(each.strip("~")) for each in re.split(r"[|;]", union)):
            return self._text("text", parameter, False)
        form = self._opened(bound)
        return Take("file", form, sure=True) if form else None

    def _opened(self, under: str) -> str | None:
        if under in _OPENED or under in _OF_A_FILE:
            return {**_OPENED, **_OF_A_FILE}[under]
        if not under.startswith("interface{"):
            return None
        parts = [self.under(each) for each in under[len("interface{") : -1].split(";")]
        every = {*_OF_A_FILE, *_ALSO_OF_A_FILE}
        return "file" if every.issuperset(parts) and _OF_A_FILE.keys() & {*parts} else None

    def _callback(self, takes: str, gives: str) -> Take | None:
        """A function that takes each line, or each item, and wants to go on."""
        if takes in _TEXTS:
            return Take("other", f"lines {takes} {gives}".strip())
        items = _split(takes)
        if not 1 <= len(items) <= 2 or "" in items or "..." in takes:
            return None
        end = {"error": "OrFail", "bool": "All", "": ""}[gives]
        return Take("other", f"Visit{'' if len(items) == 1 else '2'}{end}")

    def _options(self, parameter: Parameter, function: Function) -> Take | None:
        """No options: nil where the function asks for that, else the zero value."""
        if not _PLAIN.fullmatch(parameter.name.lower()):
            return None
        type_ = parameter.type
        pointed = type_.removeprefix("*")
        if type_.startswith("*"):
            asks = re.search(
                rf"\b{re.escape(parameter.name)}\s*[!=]=\s*nil\b", function.more["body"]
            )
            return Take(
                "other", "= nil" if asks or pointed not in self._known else f"= new({pointed})"
            )
        if pointed in self._known and self.under(pointed).startswith("struct"):
            return Take("other", f"= *new({pointed})")
        return Take("other", "= nil") if type_.startswith(("map[", "[]")) else None

    def may_be_open(self, type_: str) -> bool:
        """Whether a result may be something that is to be closed."""
        under = self.under(type_)
        qualified = re.fullmatch(r"[\w./-]+\.\w+", under)
        return bool(under.startswith(("*", "interface{")) or qualified)

    def kind(self, results: list[str]) -> str:
        """What the results are, errors left out: `Text`, `Slice`, … as the glue calls what takes
        them, or `Keep`.
        """
        found = [self.under(each) for each in results]
        return self._takes(found[0]) if len(found) == 1 else "Keep"

    def _takes(self, type_: str) -> str:
        sequence = type_.startswith(("iter.Seq[", "func(func("))
        pairs = type_.startswith("iter.Seq2[")
        if type_ in _TEXTS:
            return "Text"
        if type_ in ("[]string", "[][]byte"):
            return "Slice"
        if type_.startswith(("<-chan ", "chan ")):
            return "Receive" if type_.split(" ", 1)[1] in _TEXTS else "Drain"
        if pairs:
            lines = type_ in ("iter.Seq2[string,error]", "iter.Seq2[[]byte,error]")
            return "EachOrError" if lines else "RunPairs"
        if sequence and type_.endswith((")bool)", "]")):
            return "Each" if _LINES.fullmatch(type_) else "Run"
        if type_ == "*bufio.Scanner":
            return "Scan"
        readers = {"*bytes.Buffer", "*bytes.Reader", "*strings.Reader", "*bufio.Reader", "*os.File"}
        return "Rest" if type_ in readers or self._opened(type_) == "file" else "Keep"


def _is_name(parameter: Parameter, function: Function) -> bool:
    """Whether it is `name`, as os.Open calls a path, of a function that opens or reads."""
    maker = function.more.get("maker")
    called = function.short
    if maker is not None and parameter in maker.parameters:
        called = maker.name
    return parameter.name in ("name", "filename") and bool(_OPENS.match(called))


def _is_plural_of_file(name: str) -> bool:
    return is_named_as_file(name.removesuffix("s"))


def _split(types: str) -> list[str]:
    """The types of a list, at commas outside of brackets."""
    found, depth = [""], 0
    for letter in types:
        depth += {"[": 1, "(": 1, "]": -1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return found
