"""Ways to read of the user's own: functions of a module that they named, made into strategies.

A function takes a file and returns what it read. The harness consumes that inside the timed span,
as it does for every other way. Where a function returns a result instead (a number, a table), the
harness leaves that alone.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from itertools import count
from pathlib import Path

import iogauge_own

from harness import candidates, returned, trial
from harness.candidates import BLOCK
from harness.strategy import BORROWS, TEXTS, WRITES, Strategy, piece

FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "own")
"""Where the user's code is: `code.py`, or a package, of which `module.txt` names a module. With
`function.txt`, that function alone is measured.
"""
_ENDING = "-as-result"  # of strategies that take what a function returns for its own result
_LONGEST_CALL = 34
_FEW = 8  # names that an error lists


class Wrong(Exception):
    """What is wrong with the user's code, for people."""


@dataclass(frozen=True)
class OwnWay(Strategy):
    instead_of: str | None = None
    refused: str | None = None

    @property
    def unavailable(self):
        return self.refused

    def declaration(self):
        said, borrows = super().declaration(), self.mapped
        del said["refused"]
        return {
            **said,
            "buffer": "none" if borrows else "new",  # as far as anybody knows
            "data": "borrowed" if borrows else "copied",
            "opens": "each",
        }


def strategies(*, anew=False):
    """The strategies in the user's code; none where there is no such code. Where a function failed
    as it was tried before, all are tried `anew` if that is asked for.
    """
    module = loaded()
    if module is None:
        return []
    known = trial.kept(FOLDER)
    if known is None or (anew and any(each.failed for each in known.values())):
        known = _selected(module, _said("function.txt"))
        trial.keep(FOLDER, known)
    if known and all(each.is_refused for each in known.values()):
        raise Wrong(_why_not(*next(iter(known.items()))))
    words = _words(known)
    return [
        each
        for name, tried in known.items()
        for each in _ways(_named(module, name), tried, words[name])
    ]


def loaded():
    """The user's module; None where there is no such code."""
    code, name = os.path.join(FOLDER, "code.py"), _said("module.txt")
    if not name and not os.path.exists(code):
        return None
    import_module("code")  # that of Python, which some import: the user's file is called so here
    sys.dont_write_bytecode = True  # a build stays as it is
    sys.path.insert(0, FOLDER)
    try:
        if name:
            return _imported(name)
        found = spec_from_file_location("own_code", code)
        module = sys.modules[found.name] = module_from_spec(found)
        found.loader.exec_module(module)
        return module
    except SyntaxError as error:
        raise Wrong(f"{_place(error.filename or '', error.lineno)}: {error.msg}") from None
    except (IndexError, EOFError, SystemExit) as error:  # it reads sys.argv, or its input
        step = 'put what runs as a script under if __name__ == "__main__":'
        raise Wrong(f"{_told(error)}; {step}") from None
    except Exception as error:
        raise Wrong(_told(error)) from None


def _imported(name):
    """A module of a package. It may import what lies beside it, too, as a script does."""
    sys.path.append(os.path.join(FOLDER, *name.split(".")[:-1]))
    return import_module(name)


def _said(name):
    try:
        with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def _must_differ(names):
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise Wrong(f"two of its functions are both called {twice}; rename one")


def _place(path, line):
    """`line 3`; in another file than the user named, with its name."""
    known, name = _said("module.txt").rpartition(".")[2] or "code", os.path.basename(path)
    return f"line {line}" if name in (f"{known}.py", "__init__.py") else f"{name}, line {line}"


def _frames(error):
    """Where in the user's code it was raised: a path and a line for each call there."""
    trace = error.__traceback__
    while trace:
        path = trace.tb_frame.f_code.co_filename
        if path.startswith(FOLDER + os.sep):
            yield path, trace.tb_lineno
        trace = trace.tb_next


def _told(error):
    """What was raised, and in which line of the user's code."""
    text = next(iter(str(error).splitlines()), "")
    said = f"{type(error).__name__}: {text}" if text else type(error).__name__
    if isinstance(error, ModuleNotFoundError):
        said += "; a Python that has it: --runtime python=PATH"
    for place in [*_frames(error)][-1:]:
        said = f"{_place(*place)}: {said}"
    return said


def _named(module, name):
    """The function with this name: a decorated one, or one of the module."""
    for function, returns in iogauge_own.WAYS:
        if function.__name__ == name:
            return candidates.of_function(name, function, returns)
    return candidates.named(module, name)


def _selected(module, wanted):
    """By name the functions to measure, with what is known of each: the one that the user wants,
    the decorated ones, or those that take a file and no more.
    """
    names = [wanted] if wanted else [each.__name__ for each, _ in iogauge_own.WAYS]
    if not names:
        return _of_module(module)
    _must_differ(names)
    found = [_named(module, each) for each in names]
    if None in found:
        there = [each.name for each in candidates.public(module)]
        listed = f"there are: {', '.join(there[:_FEW])}" if there else "it has none"
        raise Wrong(f"no function {names[found.index(None)]} in it; {listed}")
    for each in found:
        _may_be_measured(each)
    return trial.tried(found, _told)


def _may_be_measured(candidate):
    if candidate.problem:
        raise Wrong(candidate.problem)
    if candidate.returns not in (None, *returned.KINDS):
        allowed = ", ".join(returned.KINDS)
        raise Wrong(f"{candidate.name}(): returns={candidate.returns!r}: allowed: {allowed}")


def _of_module(module):
    """Of a module without decorators: by annotation, by name, or because they open a small file;
    besides those that change it, or end the process, to be told.
    """
    public = candidates.public(module)
    able = [each for each in public if not each.problem and each.is_possible]
    likely = [each for each in able if each.is_likely]
    for each in likely:
        _may_be_measured(each)
    tried = trial.tried(likely, _told)
    if any(each.reads for each in tried.values()):  # what runs without reading takes no file
        return {name: _measured(name, each) for name, each in tried.items() if _is_told(name, each)}
    others = [each for each in able if not each.is_likely]
    needing = [each for each in others if not each.is_optional]
    more = trial.tried(needing or others, _told)
    refused = {name: each for name, each in {**tried, **more}.items() if each.is_refused}
    going_on = {name: each for name, each in more.items() if not (each.ended or each.is_refused)}
    for sign in ("open", "bytes"):
        if found := {name: each for name, each in going_on.items() if each.saw == sign}:
            return {**found, **refused}
    slow = {name: each for name, each in more.items() if each.saw == "time"}
    if found := tried or {**slow, **refused}:
        return found
    raise Wrong(_why_none(public, more))


def _is_told(name, tried):
    """Whether it is measured, or else why not. Many methods of a class read nothing."""
    return tried.saw != "nothing" or tried.is_refused or "." not in name


def _measured(name, tried):
    return replace(tried, silent=tried.saw == "nothing" and not tried.is_refused)


def _why_none(public, tried):
    """Why no function of a module is measured, and what to do."""
    for name, each in tried.items():
        if each.ended:
            return f"{name}() ends the program: {each.ended}"
    if not public:
        return "no function of a path in it; write def read(path)"
    problems = [each for each in public if each.problem]
    for each in problems:
        if each.is_likely or len(problems) == len(public):
            return each.problem
    listed = ", ".join(each.shown for each in public[:3])
    first = next(each.name for each in public if not each.problem)
    return (
        f"no function of a path in it, only {listed}: none opens a file that it is given; to "
        f"measure one all the same: PATH:{first}"
    )


def _why_not(name, tried):
    if tried.dies:
        return f"{name}() ends the program; let it return, or raise an exception"
    if tried.silent:
        return f"{name}() was not seen to read its file; to measure it all the same: PATH:{name}"
    return f"{name}() changes the file that it is given; iogauge measures only what reads"


def _words(names):
    """By function what its strategies are called; with a number where another's are called so."""
    found, taken = {}, set()
    for name in names:
        plain = "-".join(re.findall(r"[a-z0-9]+", name.lower())) or "way"
        numbered = (plain if number == 1 else f"{plain}-{number}" for number in count(1))
        found[name] = next(each for each in numbered if not {each, each + _ENDING} & taken)
        taken |= {found[name], found[name] + _ENDING}
    return found


def _ways(candidate, tried, words):
    """The strategies of a function: as it returns what it read and, where that is not declared,
    as it returns a result of its own. One that is refused is never called again.
    """
    name = f"python/own-{words}"
    if tried.is_refused:
        yield _way(candidate, tried, name, "anything", refused=_why_not(candidate.name, tried))
        return
    yield _way(candidate, tried, name, tried.kind)
    if not (tried.declared or tried.kind == "anything"):
        yield _way(candidate, tried, name + _ENDING, "anything", instead_of=name)


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


def _way(candidate, tried, name, kind, **more):
    takes_block = candidate.takes_block
    call = f"{candidate.name}(path, n)" if takes_block else f"{candidate.name}(path)"
    return OwnWay(
        name=name,
        title=f"{call[:50]}, of your own",
        call=call if len(call) <= _LONGEST_CALL else call[: _LONGEST_CALL - 1] + "…",
        parameters=piece("bytes, as your function takes them") if takes_block else {},
        effort=1,
        open=_opening(candidate, tried, kind),
        **_DECLARED[kind],
        **more,
    )


def _opening(candidate, tried, kind):
    def _open(setup):
        take = returned.CONSUMERS[kind](setup.consume)
        block = {BLOCK: setup.parameters[BLOCK]} if candidate.takes_block else {}

        def work(file):
            made = _called(candidate, file, block)
            try:
                return take(returned.settled(made) if tried.asynchronous else made)
            except MemoryError:
                raise
            except (Exception, SystemExit) as error:
                raise Wrong(_unlike(error, candidate, made, kind)) from error

        operation = _handing_over(work, tried.takes)
        operation.result = getattr(take, "number", None)
        return operation

    return _open


def _handing_over(work, takes):
    """A function of a path that does this work on what the user's function takes: a path, or the
    file, opened as its users would.
    """
    if takes == "str":
        return work
    mode = trial.MODES.get(takes)

    def with_path(path):
        return work(Path(path))

    def with_file(path):
        with open(path, mode) as file:
            return work(file)

    return with_file if mode else with_path


def _called(candidate, file, block):
    try:
        return candidate.call(file, **block)
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:
        raise Wrong(_said_of(candidate, error)) from error


def _said_of(candidate, error):
    ends = f"{candidate.name}() ends the program: " if isinstance(error, SystemExit) else ""
    return ends + _told(error)


def _unlike(error, candidate, made, kind):
    """What went wrong while its result was consumed: in the user's code, or since it is no such."""
    if [*_frames(error)] or not isinstance(error, TypeError):
        return _said_of(candidate, error)
    return f"{candidate.name}() returned {type(made).__name__}, not {kind}: {error}"
