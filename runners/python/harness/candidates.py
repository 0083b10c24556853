"""The functions of a user's module that may be measured: what they are called, and which of their
parameters takes the file.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass

try:
    from annotationlib import Format
except ImportError:  # before 3.14
    _AS_TEXT = {}
else:  # what an annotation names need not be there when it is asked for
    _AS_TEXT = {"annotation_format": Format.STRING}

BLOCK = "block"
TAKES = ("str", "path", "text", "binary")
"""How a function takes its file: its path as text, or as a pathlib.Path; or the file opened, for
text or for bytes.
"""
_TEXT_FILES = {"TextIO", "TextIOWrapper", "TextIOBase"}
_BINARY_FILES = {"BinaryIO", "BufferedReader", "BufferedIOBase", "RawIOBase", "FileIO", "IOBase"}
_SEVERAL = re.compile(
    "list|tuple|set|frozenset|dict|mapping|sequence|collection|callable|dataframe|series|ndarray",
    re.IGNORECASE,
)
_VALUE = re.compile("int|float|bool|complex|bytes|bytearray|memoryview|datetime|date")
_OUTPUT = re.compile(
    r"(?!(path|file)_?to_)(\w+_)?(out|output|dst|dest|destination|target|save|to|tmp|temp|new)"
    r"(_?(file|path|name)\w*)?"
    r"|profile|[xy]path|class_?path|json_?path"
)
_FILE = re.compile(
    r"(path|file)_?to_?\w+"  # path_to_log
    r"|\w*?(path|file)_?(name|path|str|loc|location|obj|object|handle|like|in)?\d*"  # csv_path
    r"|(\w+_)?(fname|fn|pth|csv|tsv|log|txt|jsonl|ndjson|src)\d*"
    r"|(in|input|data|log|csv)?_?(source|stream)|data_?set|document|doc|archive|input|inp|in"
    r"|f|fp|fh|fd|fin|f_?in|f_?obj|handle|reader"
)
_SEVERAL_KINDS = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(frozen=True)
class Candidate:
    """A function, or a method with its class, by its `name` in the module: `count`, `Log.read`.

    `call` takes the file, and a size where it `takes_block`. `file` is the parameter for the file,
    None where the function hides its own. `problem` is why it cannot be measured, for people.
    """

    name: str
    call: Callable
    shown: str  # with its parameters
    file: inspect.Parameter | None = None
    takes_block: bool = False
    problem: str | None = None
    returns: str | None = None  # what it declares to return

    @property
    def orders(self):
        """The ways to hand over the file, the likeliest first."""
        first = _said(self.file)
        return tuple(dict.fromkeys([*first, *TAKES]))

    @property
    def is_likely(self):
        """Whether it says that it takes a file, by an annotation or a name."""
        if self.file is None or _cannot_be_one(self.file):
            return False
        return bool(_said(self.file)) or _is_named_so(self.file.name)

    @property
    def is_possible(self):
        """Whether nothing says that it takes something else."""
        return self.file is None or not _cannot_be_one(self.file)

    @property
    def is_optional(self):
        """Whether it works without a file."""
        return self.file is not None and self.file.default is not self.file.empty


def public(module):
    """The candidates of a module under public names, in its order: what it defines itself, and of a
    package what it imports from its own modules.
    """
    imported = _imported(module)
    found = []
    for name, each in list(vars(module).items()):
        own = getattr(each, "__module__", None) == module.__name__ or not imported & {name, "*"}
        if name.startswith("_") or not callable(each) or not own:
            continue
        if inspect.isclass(each):
            found += _of_class(module, name, each)
        else:
            found += filter(None, [of_function(name, each)])
    return found


def named(module, name):
    """The candidate with this name, which need not be public: `read`, `_read`, `Log.read`. None
    where there is no such function.
    """
    owner, _, method = name.partition(".")
    found = vars(module).get(owner)
    if inspect.isclass(found):
        return _of_method(owner, found, method or "__iter__")
    return of_function(name, found) if callable(found) and not method else None


def of_function(name, function, returns=None):
    """The candidate that a function is. None where nobody can tell what it takes."""
    parameters = _parameters(function)
    if parameters is None:
        return None
    if all(each.kind in _SEVERAL_KINDS for each in parameters):  # a decorator's wrapper, perhaps
        parameters = _parameters(_wrapped(function, name)) or parameters
    file, problem = _file_of(name, parameters)
    return Candidate(
        name,
        _calling(function, parameters, file),
        _shown(name, parameters),
        file,
        _takes_block(parameters),
        problem,
        returns or getattr(function, "returns", None),
    )


def _of_class(module, name, cls):
    """Of a class that the module, or another one of its package, defines."""
    package = module.__name__.partition(".")[0]
    if cls.__module__.partition(".")[0] != package or issubclass(cls, BaseException):
        return
    owned = [each for each in cls.__mro__ if each.__module__.partition(".")[0] == package]
    names = [each for one in reversed(owned) for each in vars(one)]
    for method in dict.fromkeys(names):
        if not method.startswith("_") or method == "__iter__":
            found = _of_method(name, cls, method)
            if found and not found.problem:
                yield found


def _of_method(owner, cls, method):
    """A static or class method; or one of an object that is made of the file, or of nothing. An
    object that can be iterated is a candidate itself.
    """
    kept = inspect.getattr_static(cls, method, None)
    name = owner if method == "__iter__" else f"{owner}.{method}"
    if isinstance(kept, (staticmethod, classmethod)):
        return of_function(name, getattr(cls, method))
    made, taken = _parameters(cls), _parameters(kept) if callable(kept) else None
    if inspect.isclass(kept) or inspect.isabstract(cls) or not taken or made is None:
        return None
    taken = taken[1:]  # without self
    if _needed(taken) and not _needed(made):  # LogReader().read(path)
        parameters, call = taken, lambda *given, **more: getattr(cls(), method)(*given, **more)
    else:  # LogReader(path).read()
        parameters, call = made, lambda *given, **more: getattr(cls(*given, **more), method)()
    file, problem = _file_of(name, parameters)
    if _needed(taken) and _needed(made):
        more = _needed(taken)[0].name
        problem = f"{name}() needs {more} besides a file; give {more} a default value"
    return Candidate(
        name,
        _calling(call, parameters, file),
        _shown(name, parameters),
        file,
        _takes_block(parameters),
        problem,
        getattr(kept, "returns", None),
    )


def _parameters(function):
    try:
        return [*inspect.signature(function, **_AS_TEXT).parameters.values()]
    except (TypeError, ValueError):
        return None


def _wrapped(function, name):
    """The function of this name that a decorator without functools.wraps put another one around."""
    for cell in getattr(function, "__closure__", None) or ():
        try:
            inside = cell.cell_contents
        except ValueError:  # it is empty
            continue
        if inspect.isfunction(inside) and inside.__name__ == name.rpartition(".")[2]:
            return inside
    return function


def _needed(parameters):
    return [
        each
        for each in parameters
        if each.default is each.empty and each.kind not in _SEVERAL_KINDS and each.name != BLOCK
    ]


def _file_of(name, parameters):
    """The parameter that takes the file; and why it cannot be called with a file alone."""
    needed = _needed(parameters)
    if len(needed) > 1:
        more = [each.name for each in needed[1:]]
        them = f"{more[0]} a default value" if len(more) == 1 else "them default values"
        return needed[0], f"{name}() needs {' and '.join(more)} besides a file; give {them}"
    able = [each for each in parameters if each.kind not in _SEVERAL_KINDS and each.name != BLOCK]
    likely = [each for each in able if _said(each) or _is_named_so(each.name)]
    several = any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in parameters)
    file = next(iter([*needed, *likely, *able]), None)
    takes = file is not None or several
    return file, None if takes else f"{name}() takes nothing; let it take a path"


def _calling(function, parameters, file):
    """A function that calls this one with its file, and perhaps with a block."""
    if file is None or (file is parameters[0] and file.kind is not file.KEYWORD_ONLY):
        return function
    return lambda given, **block: function(**{file.name: given}, **block)


def _takes_block(parameters):
    return any(each.name == BLOCK for each in parameters)


def _shown(name, parameters):
    return f"{name}({', '.join(each.name for each in parameters)})"


def _words(parameter):
    """The words of an annotation, whether it is an object or, as in `"Path"`, its text."""
    noted = parameter.annotation
    if noted is parameter.empty:
        return set()
    text = noted if isinstance(noted, str) else getattr(noted, "__qualname__", None)
    return set(
        re.findall(r"\w+", repr(noted) if text is None or hasattr(noted, "__args__") else text)
    )


def _is_of_a_path(word):
    return "path" in word.lower() and word != "pathlib"


def _said(parameter):
    """How the annotation says that the file is handed over; nothing where it does not say so."""
    words = set() if parameter is None else _words(parameter)
    if any(map(_is_of_a_path, words)):
        return ["path"]
    if words & _TEXT_FILES or ("IO" in words and "bytes" not in words):
        return ["text"]
    return ["binary"] if words & _BINARY_FILES or "IO" in words else []


def _cannot_be_one(parameter):
    """Whether its annotation is of something else than a file: of several, or of a value."""
    words = _words(parameter)
    of_paths = words & {"Iterable", "Iterator", "Generator"} and any(map(_is_of_a_path, words))
    value = "str" not in words and not _said(parameter) and any(map(_VALUE.fullmatch, words))
    return bool(of_paths or value or any(map(_SEVERAL.fullmatch, words)))


def _is_named_so(name):
    """Whether a parameter is called as those are that take a file to be read."""
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_")  # csvPath
    return bool(_FILE.fullmatch(plain)) and not _OUTPUT.fullmatch(plain)


def _imported(module):
    """The names that a module's imports bind, `*` among them. What a package imports from its own
    modules is its own.
    """
    if not getattr(module, "__file__", None):
        return set()
    with open(module.__file__, "rb") as file:
        waiting = [ast.parse(file.read())]
    package = module.__name__ if hasattr(module, "__path__") else None
    found = set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            found |= {each.asname or each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            own = node.level or (node.module or "").partition(".")[0] == package
            found |= set() if package and own else {each.asname or each.name for each in node.names}
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            waiting += ast.iter_child_nodes(node)
    return found
