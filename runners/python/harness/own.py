"""Ways to read of the user's own: functions of a module that they named, made into strategies.

A function takes a path and returns what it read. The harness consumes that inside the timed span,
as it does for every other way. Where a function returns a result instead (a number, a table), the
harness leaves that alone.
"""

import inspect
import os
import re
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Set
from importlib import import_module
from mmap import mmap
from traceback import extract_tb
from types import ModuleType

import iogauge_own

from harness import results
from harness.consume import BYTE_LINES, BYTES, LINES, TEXT
from harness.strategy import BORROWS, TEXTS, WRITES, Strategy, piece

_TRIED = os.path.join(os.path.dirname(__file__), "two_lines.txt")
"""The file that is read to see what a function returns."""
_BLOCK = "block"
_CODE = "your code"  # what the file of the user is called in a trace
_LONGEST_CALL = 34
_PATHS = re.compile(r"(.*_)?(path|file|filename|filepath|fname)")


class OwnWay(Strategy):
    def declaration(self):
        borrows = self.mapped
        return {
            **super().declaration(),
            "buffer": "none" if borrows else "new",  # as far as anybody knows
            "data": "borrowed" if borrows else "copied",
            "opens": "each",
        }


class Wrong(Exception):
    """What is wrong with the user's code, for people."""


def strategies(path):
    """The strategies in the user's module; none where there is no such file."""
    if not os.path.exists(path):
        return []
    module = _loaded(path)
    found = iogauge_own.WAYS or [(each, None) for each in _undecorated(module)]
    if not found:
        raise Wrong(f"no function of a path in it{_listed(_public(module))}")
    made = [_strategy(*each) for each in found]
    names = [each.name for each in made]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise Wrong(f"two of its functions are both called {twice}; rename one")
    return made


def _loaded(path):
    import_module("code")  # that of Python, which some import: the user's file is called so here
    module = ModuleType("own_code")
    module.__file__ = path
    sys.modules[module.__name__] = module
    sys.path.insert(0, os.path.dirname(path))
    try:
        with open(path, "rb") as file:
            exec(compile(file.read(), _CODE, "exec"), vars(module))
    except SyntaxError as error:
        beside = "" if error.filename == _CODE else f"{os.path.basename(error.filename or '')}, "
        raise Wrong(f"{beside}line {error.lineno}: {error.msg}") from None
    except (Exception, SystemExit) as error:
        raise Wrong(_told(error)) from None
    return module


def _told(error):
    """What was raised, and in which line of the user's code."""
    line, trace = None, error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == _CODE:
            line = trace.tb_lineno
        trace = trace.tb_next
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, ModuleNotFoundError):
        said += "; a Python that has it: --runtime python=PATH"
    return f"line {line}: {said}" if line else said


def _undecorated(module):
    """In a module without any decorator: public functions whose first parameter is called as paths
    are, and that need no other; or the only one, whatever it takes.
    """
    public = _public(module)
    taken = [each for each in public if _PATHS.fullmatch(next(iter(_names(each)), ""))]
    able = [each for each in taken if not _too_many(each)]
    return able or taken or (public if len(public) == 1 else [])


def _public(module):
    return [
        each
        for name, each in vars(module).items()
        if inspect.isfunction(each)
        and each.__module__ == module.__name__
        and not name.startswith("_")
    ]


def _listed(functions):
    """What to do about functions none of which is taken."""
    if not functions:
        return "; write def read(path)"
    found = ", ".join(f"{each.__name__}({', '.join(_names(each))})" for each in functions[:3])
    return f", only {found}; rename the first parameter of the one to measure: path"


def _names(function):
    return [*inspect.signature(function).parameters]


def _too_many(function):
    """The names of parameters that it needs besides its path and the size of a block."""
    parameters = inspect.signature(function).parameters.values()
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    needed = [
        each.name for each in parameters if each.default is each.empty and each.kind not in several
    ]
    return [each for each in needed[1:] if each != _BLOCK]


def _strategy(function, returns):
    name = function.__name__
    takes = _names(function)
    takes_block = _BLOCK in takes
    if not takes:
        raise Wrong(f"{name}() takes nothing; let it take a path")
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise Wrong(f"{name}() is asynchronous; give one that runs it: asyncio.run({name}(path))")
    if more := _too_many(function):
        raise Wrong(
            f"{name}() needs {' and '.join(more)} besides a path; give "
            f"{'it a default value' if len(more) == 1 else 'them default values'}"
        )
    kind = _kind(name, function, returns, takes_block)
    call = f"{name}(path, n)" if takes_block else f"{name}(path)"
    return OwnWay(
        name=f"python/own-{_words(name)}",
        title=f"{call[:50]}, of your own",
        call=call if len(call) <= _LONGEST_CALL else call[: _LONGEST_CALL - 1] + "…",
        parameters=piece("bytes, as your function takes them") if takes_block else {},
        effort=1,
        open=_opening(name, function, kind, takes_block),
        **_DECLARED[kind],
    )


def _words(name):
    return "-".join(re.findall(r"[a-z0-9]+", name.lower())) or "way"


_KINDS = ("bytes", "map", "pieces", "text", "lines", "byte-lines", "anything")
_DECLARED = {
    "bytes": {"unit": "file", "memory_per_file_byte": 1.0},
    "map": {"unit": "file", "mapped": True, "consumes": BORROWS},
    "pieces": {"unit": "block"},
    "text": {"unit": "file", "sums": "codepoint", "consumes": TEXTS, "memory_per_file_byte": 4.0},
    "lines": {"unit": "line", "sums": "line-codepoint", "consumes": TEXTS},
    "byte-lines": {"unit": "line", "sums": "line-byte", "consumes": TEXTS},
    "anything": {"unit": "file", "sums": "nothing", "consumes": WRITES},
}
"""What a strategy declares whose function returns this."""


def _kind(name, function, returns, takes_block):
    """What the function returns: as the user says, or as it does on a small file. One that cannot
    read that may return anything.
    """
    returns = returns or getattr(function, "returns", None)
    if returns is not None:
        if returns not in _KINDS:
            raise Wrong(f"{name}(): returns={returns!r}: allowed: {', '.join(_KINDS)}")
        return returns
    try:
        returned = function(_TRIED, **({_BLOCK: 4096} if takes_block else {}))
        several = returned if _is_several(returned) else ()
        items = [bytes(each) if _is_bytes(each) else each for each in several]
    except SystemExit as error:
        raise Wrong(f"{name}() ends the program: {_told(error)}") from None
    except Exception:
        return "anything"
    if isinstance(returned, mmap):
        return "map"
    if _is_bytes(returned):
        return "bytes"
    if isinstance(returned, str):
        return "text"
    if items and all(isinstance(each, bytes) for each in items):
        return "byte-lines" if len(items) > 1 else "pieces"
    if items and all(isinstance(each, str) for each in items):
        return "lines"
    return "anything"


def _is_bytes(thing):
    try:
        return memoryview(thing).ndim > 0  # a number of numpy has none
    except TypeError:
        return False


def _is_several(thing):
    """Whether it gives one thing after the other, as lines come; a table or a set does not."""
    whole = isinstance(thing, (str, Mapping, Set)) or _is_bytes(thing)
    return isinstance(thing, Iterable) and not whole


def _opening(name, function, kind, takes_block):
    def _open(setup):
        take = _TAKES[kind](setup.consume)
        block = {_BLOCK: setup.parameters[_BLOCK]} if takes_block else {}

        def operation(path):
            try:
                returned = function(path, **block)
            except MemoryError:
                raise
            except Exception as error:
                raise Wrong(_told(error)) from error
            try:
                return take(returned)
            except MemoryError:
                raise
            except Exception as error:
                of_users = any(each.filename == _CODE for each in extract_tb(error.__traceback__))
                if of_users or not isinstance(error, TypeError):
                    raise Wrong(_told(error)) from error
                raise Wrong(
                    f"{name}() returned {type(returned).__name__}, not {kind}: {error}"
                ) from error

        operation.result = getattr(take, "number", None)
        return operation

    return _open


def _of_bytes(consume):
    over = BYTES[consume]

    def take(data):
        if type(data) is not bytes:
            data = memoryview(data).cast("B")
        return len(data), over(data, 0)

    return take


def _of_pieces(consume):
    over = BYTES[consume]

    def take(pieces):
        offset = total = 0
        for data in pieces:
            total += over(data, offset)
            offset += len(data)
        return offset, total

    return take


def _of_text(consume):
    over = TEXT[consume]
    return lambda text: (len(text), over(text))


class _OfAnything:
    """What it made of the file stays its own; a generator is run to its end. A small result is kept
    to be compared; a large one would be in the way of the next operation.
    """

    def __init__(self, consume):
        self._last = None

    def __call__(self, returned):
        if isinstance(returned, Iterator):
            deque(returned, maxlen=0)
        self._last = returned if results.is_small(returned) else None
        return 0, 0

    def number(self):
        return None if self._last is None else results.number_of(self._last)


_TAKES = {
    "bytes": _of_bytes,
    "map": _of_bytes,
    "pieces": _of_pieces,
    "text": _of_text,
    "lines": LINES.__getitem__,
    "byte-lines": BYTE_LINES.__getitem__,
    "anything": _OfAnything,
}
"""By what is returned and how it is consumed: a function that gives its count and its sum."""
