"""Code of the user's, as `--own` takes it: text as it is, or a function of their running program,
which is measured in processes of its own and so must be found again by its file and its name.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from iogauge.model.errors import UserError
from iogauge.runners.manifest import Runner

Code = str | Callable[..., Any]
"""`PATH[:FUNCTION]`, or a function."""
Own = Code | Sequence[Code] | Mapping[str, Code] | None
"""One, several, or several with their names."""


def words(own: Own) -> list[str]:
    """All of it as the command line has it."""
    if isinstance(own, Mapping):
        return [f"{label}={word(code)}" for label, code in own.items()]
    every = own if isinstance(own, Sequence) and not isinstance(own, str) else [own]
    return [word(each) for each in every if each is not None]


def word(code: Code) -> str:
    """`PATH:FUNCTION` of a function. Raises UserError for one that no other process can find."""
    if isinstance(code, str):
        return code
    name = getattr(code, "__qualname__", None) or type(code).__qualname__
    why = _why_not(code, name)
    if why is None:
        path = getattr(sys.modules.get(code.__module__), "__file__", None)
        if path and Path(path).is_file():
            return f"{path}:{name}"
        why = "no file has it; write it into one (in a notebook by %%writefile)"
    raise UserError(f"{name}: cannot be measured in a process of its own: {why}")


def _why_not(code: Callable[..., Any], name: str) -> str | None:
    if name.endswith("<lambda>"):
        return "it is a lambda; give it a name with def, at the top of a module"
    if "<locals>" in name:
        return "it is made inside of another function; move it to the top of a module"
    if inspect.ismethod(code) or "." in name:
        return "it is a method; write a function that calls it"
    if inspect.isclass(code) or not hasattr(code, "__qualname__"):
        return "it is no function; write one that takes a path"
    if getattr(sys.modules.get(code.__module__), name, None) is not code:
        return f"its module has something else by the name of {name}; name them apart"
    return None


def interpreters(runners: Sequence[Runner], chosen: Sequence[str]) -> list[str]:
    """The `chosen` runtimes; and for code in the language of this program the interpreter that runs
    it, with the packages that are installed there, unless another one was chosen.
    """
    return [*chosen, *_this(runners, {each.partition("=")[0] for each in chosen})]


def _this(runners: Sequence[Runner], chosen: set[str]) -> Iterator[str]:
    ours = "python"
    named = any(each.partition(":")[0] == ours for each in chosen)
    if not named and any(each.name == ours for each in runners):
        yield f"{ours}={sys.executable}"
