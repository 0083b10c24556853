"""`iogauge command`: whole commands as black boxes, compared like anything else."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from iogauge import outputs
from iogauge.commands import afterwards, looking
from iogauge.commands.given import Given
from iogauge.commands.options import named, parsed
from iogauge.commands.saying import console, say, say_skipped
from iogauge.commands.statuses import JUDGE
from iogauge.corpus.own_file import OwnFile
from iogauge.host import capacity
from iogauge.measuring import session
from iogauge.measuring.session import Prepared
from iogauge.model.errors import BrokenOff, UserError
from iogauge.model.status import DONE, INTERRUPTED, SOMETHING_FAILED
from iogauge.model.strategy import Output, Strategy
from iogauge.model.text import shell_path
from iogauge.model.units import parse_duration, parse_size, size
from iogauge.model.workload import Cache
from iogauge.outputs.document import Document
from iogauge.planning import plan
from iogauge.runfile import header as headers
from iogauge.runfile.run import Run
from iogauge.runners import commands as whole
from iogauge.study import loading

_SIZE, _BUDGET, _LIMIT = "16M", 30, "60s"
_BLOCK = "block"
_CONTENTS = ("bytes", "text")


@dataclass(frozen=True)
class Asked:
    """What the command line said, unparsed; `given` are the options that all measuring has."""

    commands: Sequence[str]
    given: Given
    files: Sequence[Path] = ()
    size: str | None = None
    content: str = "bytes"
    block: str | None = None
    parameters: Sequence[str] = ()
    cache: str | None = None
    names: Sequence[str] = ()
    prepare: Sequence[str] = ()
    limit: str | None = None
    output: str = "null"
    ignore_failure: bool = False
    resume: Path | None = None

    def as_given(self) -> whole.Given:
        """The commands with their parameters. Raises UserError."""
        lines, numbers = self._lines(), dict[str, Sequence[int]]()
        for name, values in self._parameters().items():
            if name == _BLOCK or _are_numbers(values):
                numbers[name] = _sizes(_option(name), values)
            elif any(line.uses(name) for line in lines):
                texts = [each.strip() for each in values.split(",")]
                lines = [one for line in lines for one in line.filled(name, texts)]
            else:
                raise UserError(f"no command has {{{name}}}; write it where its values go")
        return whole.Given(
            lines,
            numbers,
            {_BLOCK: "--block 4K,64K"},
            parsed("--limit", _seconds, self.limit or _LIMIT),
            _one_of("--output", self.output, get_args(Output)),
            self.ignore_failure,
        )

    def _lines(self) -> list[whole.Line]:
        """The commands, each with its name and with what is run before it."""
        count, names, before = len(self.commands), self.names, self.prepare
        if len(names) > count or len({*names}) < len(names) or not all(map(str.strip, names)):
            raise UserError("--name: give each command one of its own, in the commands' order")
        if len(before) not in (0, 1, count):
            raise UserError("--prepare: give one for all commands, or one for each, in their order")
        each_name = [*names, *[None] * (count - len(names))]
        each_before = before if len(before) == count else [next(iter(before), None)] * count
        return list(map(whole.Line, self.commands, each_name, each_before))

    def _parameters(self) -> Mapping[str, str]:
        given = [named("--parameter", each, "NAME=1,2,4") for each in self.parameters]
        given += [(_BLOCK, self.block)] if self.block else []
        found: dict[str, str] = {}
        for name, values in given:
            if name == "file" or not name.isidentifier() or not name.islower():
                raise UserError(f"--parameter {name}: give it another name, in small letters")
            if name in found:
                raise UserError(f"{_option(name)}: given twice; write all values into one list")
            found[name] = values
        return found

    def words(self) -> list[str]:
        """The command line that asks the same; a file of the user's has no name in it."""
        single = {
            "size": None if self.files else self.size,
            "content": None if self.content == "bytes" else self.content,
            "block": self.block,
            "cache": self.cache,
            "limit": self.limit,
            "output": None if self.output == "null" else self.output,
        }
        several = {"parameter": self.parameters, "name": self.names, "prepare": self.prepare}
        given = [(name, value) for name, value in single.items() if value]
        given += [(name, value) for name, values in several.items() for value in values]
        given += [("file", "FILE")] if self.files else []
        options = [word for name, value in given for word in (f"--{name}", value)]
        return [*self.commands, *options, *["--ignore-failure"] * self.ignore_failure]

    def caches(self) -> list[Cache]:
        names = (self.cache or "warm,cold").split(",")
        return [_one_of("--cache", each.strip(), ("warm", "cold")) for each in names]


def command(asked: Asked, directory: Path | None, out: Path | None) -> int:
    """Measure whole commands: all of them on each file, one file after another."""
    if asked.files and asked.size:
        raise UserError("--size makes a file; leave it out, or --file")
    if out and len(asked.files) > 1:
        raise UserError("--out names one run file; give one --file with it")
    if out and (out.exists() or not out.parent.is_dir()):
        raise UserError(f"--out {out}: exists already, or its folder does not; give another")
    _one_of("--content", asked.content, _CONTENTS)
    strategies, caches = whole.strategies(asked.as_given()), asked.caches()
    if asked.resume:
        return _resumed(asked, strategies, session.data_folder(directory), out)
    sizes, folder = _sizes("--size", asked.size or _SIZE), session.data_folder(directory)
    files = [OwnFile(each) for each in asked.files]
    by_shell = [repr(each.title) for each in strategies if each.command and each.command.run.shell]
    if by_shell:
        say(f"run by sh, whose start is in the time: {', '.join(by_shell)}")
    worst = DONE
    each_file: Sequence[OwnFile | None] = files or [None]
    for own in each_file:
        measurable = _measurable(own, caches, sizes)
        prepared = _prepared(strategies, asked, own, measurable, sizes)
        say_skipped(prepared.plan)
        recorded = {"command": asked.words(), **asked.given.recorded()}
        status = _measured(prepared, folder, out, recorded, own)
        if status == INTERRUPTED:
            return status
        worst = max(worst, status)
    return worst


def _measured(
    prepared: Prepared,
    folder: Path,
    out: Path | None,
    recorded: dict[str, Any],
    own: OwnFile | None,
) -> int:
    from iogauge.outputs.progress import Display

    shown = Display(prepared.plan, [each.runtime for each in prepared.ready])
    with shown as display, _telling_what_is_gone(own):
        run, path, reason = session.measure(prepared, folder, out, recorded, display, JUDGE, own)
    if own:
        print(f"{shell_path(own.given)}:")
    return _finished(run, path, reason)


def _resumed(asked: Asked, strategies: Sequence[Strategy], folder: Path, out: Path | None) -> int:
    """Go on with a run of these commands, which the user names again: what a file names never
    runs.
    """
    from iogauge.outputs.progress import Display

    assert asked.resume
    if asked.files or out:
        raise UserError(
            "--resume: a run of a file of yours cannot be resumed, because its path is not on "
            "record; measure anew"
            if asked.files
            else "--resume writes into the run that it goes on with; leave out --out"
        )
    path = looking.newest(None) if str(asked.resume) == afterwards.NEWEST else asked.resume
    ready, header = whole.ready(strategies), headers.read_header(path)
    budget, recorded = asked.given.options().budget, asked.given.recorded()
    for name in ("precision", "tolerance"):
        if recorded[name] not in (None, header.options.get(name)):
            raise UserError(f"--{name}: --resume takes that of the run; leave it out")
    with Display(header.plan, header.runtimes) as display, _telling_what_is_gone(None):
        run, path, reason = session.resume(
            path,
            None,
            lambda run: [session.same_commands(run, asked.words(), ready, path)],
            folder,
            display,
            JUDGE,
            budget,
        )
    if reason == "decided":
        say("there is nothing left to measure in this run")
    return _finished(run, path, reason)


@contextlib.contextmanager
def _telling_what_is_gone(own: OwnFile | None) -> Iterator[None]:
    """Say that a command removed the file, where that is why measuring ended."""
    try:
        yield
    except (OSError, UserError) as error:
        cause = error.__context__ if isinstance(error, UserError) else error
        if not isinstance(cause, FileNotFoundError):
            raise
        if own and own.path.exists():
            raise
        raise BrokenOff(
            "a command removed the file that it was to read, so nothing else can be measured; "
            "leave that command out, or have it work on a copy"
        ) from None


def _finished(run: Run, path: Path, reason: str) -> int:
    """Print the answers, the next commands and the run file; the exit status of a run."""
    document = Document(run, go_on=afterwards.go_on_with(path, run))
    console().print(outputs.renderer("answers")(document))
    afterwards.print_next(document, path)
    told = afterwards.print_run_file(path)
    if reason == "interrupted":
        go_on = afterwards.go_on_with(path, run)
        say(f"interrupted; go on with:\n{go_on}" if go_on else "interrupted")
        return INTERRUPTED
    return SOMETHING_FAILED if document.report.failures or not told else DONE


def _prepared(
    strategies: Sequence[Strategy],
    asked: Asked,
    own: OwnFile | None,
    caches: Sequence[Cache],
    sizes: Sequence[int],
) -> Prepared:
    """The study of these commands on one file, planned."""
    ready = whole.ready(strategies)
    text = _study(strategies, asked, own, caches, sizes)
    study = loading.parse(text, "the commands")
    options = asked.given.options()
    if options.budget is None:
        options = replace(options, budget=float(_BUDGET))
    made = plan.make(study, "the commands", session.machine([ready.runtime], []), options)
    return Prepared(study, made, [ready])


def _study(
    strategies: Sequence[Strategy],
    asked: Asked,
    own: OwnFile | None,
    caches: Sequence[Cache],
    sizes: Sequence[int],
) -> str:
    """A study as TOML. Its group compares all commands with all values of their parameters."""
    values = asked.as_given().parameters
    lines = [
        'id = "commands"',
        'title = "Whole commands"',
        "rounds = { warm = 5, cold = 3 }",
        "[[group]]",
        'id = "commands"',
        'question = "Which command is fastest?"',
        f"size = {[own.size] if own else list(sizes)}",
        f'content = "{"own" if own else asked.content}"',
        f"cache = {json.dumps(list(caches))}",
        'consume = "none"',
    ]
    for each in strategies:
        own_values = ", ".join(f"{name} = {list(values[name])}" for name in each.parameters)
        lines += ["[[group.case]]", f'strategy = "{each.name}"']
        lines += [f"parameters = {{ {own_values} }}"]
    return "\n".join(lines)


def _measurable(
    own: OwnFile | None, caches: Sequence[Cache], sizes: Sequence[int]
) -> Sequence[Cache]:
    """The states of the cache in which the file can be measured; a line for each other one."""
    memory, largest = capacity.available_memory() // 2, own.size if own else max(sizes)
    left = list(dict.fromkeys(caches))
    if "warm" in left and largest > memory:
        left.remove("warm")
        say(
            f"not measured: cached: the file, {size(largest)}, is larger than half of the memory "
            f"that is available, {size(memory)}"
        )
    if own and "cold" in left and (why := own.why_not_cold()):
        left.remove("cold")
        say(f"not measured: from disk: {why}")
    if not left:
        raise UserError("nothing is left to measure; give another file, or another --cache")
    return left


def _sizes(option: str, text: str) -> list[int]:
    """Sizes or numbers, separated by commas. Raises UserError."""
    found = [parsed(option, parse_size, each.strip()) for each in text.split(",")]
    if 0 in found and option != "--parameter":
        raise UserError(f"{option} 0: at least 1 byte")
    return list(dict.fromkeys(found))


def _are_numbers(values: str) -> bool:
    """Whether all of these are whole numbers, or sizes; else they are texts."""
    try:
        return "." not in values and bool(_sizes("--parameter", values))
    except UserError:
        return False


def _option(name: str) -> str:
    return "--block" if name == _BLOCK else f"--parameter {name}"


def _seconds(text: str) -> float:
    seconds = parse_duration(text)
    if seconds <= 0:
        raise ValueError(f"{text!r} is too short: give some time")
    return seconds


def _one_of(option: str, value: str, allowed: Sequence[str]) -> Any:
    if value not in allowed:
        raise UserError(f"{option} {value}: allowed: {', '.join(allowed)}")
    return value
