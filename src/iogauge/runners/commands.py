"""Whole commands, as the user writes them, made into strategies of a runner that runs them."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from iogauge.model.errors import UserError
from iogauge.model.strategy import LIMIT, Command, Output, Parameter, Runtime, Strategy, Words
from iogauge.runners import manifest, shell
from iogauge.runners.fork import Launch
from iogauge.runners.preparing import Ready

LANGUAGE = "command"
_FILE = "file"
_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_SINGLE, _DOUBLE = re.compile(r"'[^']*'"), re.compile(r'"[^"]*"')
_EXPANDED = re.compile(r"[$`]")  # in double quotes, too
_OF_SHELLS = re.compile(r"[|&;<>()*?\[\n]|(^|\s)[~#!]|^\s*\w+=")
_BUILT_IN = {":", ".", "cd", "command", "eval", "exec", "export", "set", "ulimit", "umask"}
_LONGEST, _HEAD = 48, 32  # characters of a name, and of its beginning where it is cut
_LARGEST = 1 << 62
_SHELL_SECONDS = 5.0  # in which a shell answers


@dataclass(frozen=True)
class Line:
    """A command as the user wrote it, what to call it, and what runs before it."""

    text: str
    name: str | None = None
    prepare: str | None = None

    def uses(self, parameter: str) -> bool:
        return "{" + parameter + "}" in f"{self.text} {self.prepare or ''}"

    def filled(self, parameter: str, values: Sequence[str]) -> list[Line]:
        """One line for each value that is a text; this one, if it has no such parameter."""
        if not self.uses(parameter):
            return [self]
        found, place = [], "{" + parameter + "}"
        for value in values:
            name = self.name and self.name.replace(place, value)
            if name and name == self.name:  # each line has a name of its own
                name = f"{name} {value}"
            prepare = self.prepare and self.prepare.replace(place, value)
            found.append(Line(self.text.replace(place, value), name, prepare))
        return found


@dataclass(frozen=True)
class Given:
    """What the user wrote. `parameters` has the values of each; `sizes` are those in bytes, with
    what to write to give them some. `limit` is in seconds. With `any_status` a command may end
    with another status than 0.
    """

    commands: Sequence[Line]
    parameters: Mapping[str, Sequence[int]]
    sizes: Mapping[str, str]
    limit: float = LIMIT
    output: Output = "null"
    any_status: bool = False


def strategies(given: Given) -> list[Strategy]:
    """One for each command, in their order. Raises UserError for one that cannot be run."""
    found: list[Strategy] = []
    known: Counter[str] = Counter()
    for line in given.commands:
        text, before = line.text, line.prepare
        if "{file}" not in text:
            raise UserError(
                f"{text!r}: has no {{file}}; write {{file}} where the command takes its file"
            )
        run = _words(text, given, repr(text))
        command = Command(
            text=text,
            run=run,
            prepare=_words(before, given, "--prepare") if before else None,
            limit=given.limit,
            output=given.output,
            any_status=given.any_status,
        )
        found.append(_strategy(command, line.name, given, known))
    for name in given.parameters:
        if not any(line.uses(name) for line in given.commands):
            raise UserError(f"no command has {{{name}}}; write it where its values go")
    return found


def ready(strategies: Sequence[Strategy]) -> Ready:
    """The runner of whole commands with these. It needs nothing but the Python that runs iogauge,
    and leaves the environment as the user has it.
    """
    program = manifest.sources_folder() / LANGUAGE / "command_runner.py"
    build = hashlib.sha256(program.read_bytes()).hexdigest()[:12]
    runtime = Runtime(
        name=f"{LANGUAGE}-1",
        runner=LANGUAGE,
        version="1",
        title="Whole commands",
        languages=(LANGUAGE,),
        build=build,
        strategies={each.name: each for each in (*strategies, _NULL)},
        clock_resolution_ns=1000,
        heap_minimum_mib=0,
        overhead_mib=64,
        start_seconds=0.1,
        warm_up_seconds=0.0,
    )
    python = Path(sys.executable)
    variables: dict[str, str | Literal[False]] = {"LC_ALL": False, **os.environ}
    launch = Launch((str(python), "-I", "-S", str(program)), tuple(variables.items()))
    return Ready(runtime, launch, python)


def words(text: str, where: str) -> Words:
    """The argument list of a command that takes no file; `where` it was given, for errors. Raises
    UserError.
    """
    return _words(text, Given([], {}, {}), where)


def in_background(strategy: Strategy) -> str | None:
    """What of a command, or of what prepares it, runs in the background, and how to have it in the
    foreground.
    """
    assert strategy.command is not None
    found = _in_background(strategy.command.run)
    if found is None and strategy.command.prepare:
        found = _in_background(strategy.command.prepare)
        return found and f"--prepare: {found}"
    return found


def _in_background(run: Words) -> str | None:
    text = run.words[-1] if run.shell else " ".join(run.words)
    both = "&>" not in text or _means_both()
    found = shell.background(text, both=both) if run.shell else shell.of_words(run.words, both=both)
    if found is None:
        return None
    instead = f"leave out {found}"
    if found.startswith("&>"):
        instead = f"{found} is & and then {found[1:]} for this sh; write {found[1:]} FILE 2>&1"
    return f"{found} puts work into the background, whose failure nobody sees; {instead}"


@cache
def _means_both() -> bool:
    """Whether `&>` sends both outputs somewhere in the `sh` of this machine."""
    try:
        done = subprocess.run(
            ["sh", "-c", "echo x &> /dev/null"], capture_output=True, timeout=_SHELL_SECONDS
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return not done.stdout


def _words(text: str, given: Given, where: str) -> Words:
    """The argument list of a text; by a shell where it has what only a shell understands."""
    if any(not each.isprintable() and each not in "\n\t" for each in text):
        raise UserError(f"{where}: has characters that cannot be seen; remove them")
    known = {_FILE, *given.parameters}
    missing = set(_PLACEHOLDER.findall(_unquoted(text))) - known
    missing |= {*given.sizes} & {*_PLACEHOLDER.findall(text)} - known
    for name in sorted(missing):
        option = given.sizes.get(name, f"--parameter {name}=1,2")
        raise UserError(
            f"{where}: {{{name}}} has no values; give {option}, or put it into single quotes if it "
            "is no parameter"
        )
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UserError(f"{where}: {str(error).lower()}; close what was opened") from None
    if not words:
        raise UserError(f"{where}: is empty; write a command")
    if _needs_shell(text) or words[0] in _BUILT_IN:
        return Words(words=("sh", "-c", text.strip()), shell=True)
    if not shutil.which(words[0]):
        raise UserError(f"{where}: {words[0]}: no such command; give its path, or install it")
    return Words(words=tuple(words))


def _unquoted(text: str) -> str:
    return _DOUBLE.sub("_", _SINGLE.sub("_", re.sub(r"\\.", "_", text)))


def _needs_shell(text: str) -> bool:
    plain = _PLACEHOLDER.sub("_", re.sub(r"\\.", "_", text))
    return bool(_EXPANDED.search(_SINGLE.sub("_", plain)) or _OF_SHELLS.search(_unquoted(plain)))


def _strategy(command: Command, called: str | None, given: Given, known: Counter[str]) -> Strategy:
    """Its name tells the program and, by a sum, all that is run: the same in every run. `known`
    counts the names and titles that are taken; it gets those of this one.
    """
    words = command.text.split() if command.run.shell else shlex.split(command.text)
    word = re.sub(r"[^a-z0-9]", "", os.path.basename(words[0].lower())) or "run"
    digest = hashlib.sha256(command.model_dump_json(exclude={"limit"}).encode()).hexdigest()[:6]
    name = f"{LANGUAGE}/{word}-{digest}"
    title = shortened(called or " ".join(command.text.split()))
    known.update((name, title))
    return _NULL.model_copy(
        update={
            "name": f"{name}-{known[name]}" if known[name] > 1 else name,
            "title": f"{title} ({known[title]})" if known[title] > 1 else title,
            "parameters": {
                each: Parameter(
                    default=given.parameters[each][0],
                    min=0,
                    max=_LARGEST,
                    unit="bytes" if each in given.sizes else "count",
                    role="piece" if each in given.sizes else "other",
                )
                for each in given.parameters
                if "{" + each + "}" in command.text
            },
            "role": "contestant",
            "command": command,
        }
    )


def shortened(text: str) -> str:
    """A text that is not longer than a name may be."""
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_HEAD]}…{text[_HEAD + 1 - _LONGEST :]}"


_NULL = Strategy(
    name=f"{LANGUAGE}/null",
    title="nothing",
    operation="read",
    unit="file",
    medium="file",
    sums="byte",
    consumes=("none",),
    effort=1,
    role="null",
)
