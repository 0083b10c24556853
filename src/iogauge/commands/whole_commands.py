"""`iogauge command`: whole commands as black boxes, compared like anything else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from iogauge import outputs
from iogauge.commands import afterwards
from iogauge.commands.given import Given
from iogauge.commands.options import named, parsed
from iogauge.commands.saying import console, say, say_skipped
from iogauge.commands.standing import JUDGE
from iogauge.corpus.own_file import OwnFile
from iogauge.host import capacity
from iogauge.measuring import session
from iogauge.measuring.session import Prepared
from iogauge.model.command import Output
from iogauge.model.errors import UserError
from iogauge.model.status import DONE, INTERRUPTED, SOMETHING_FAILED
from iogauge.model.strategy import Strategy
from iogauge.model.text import shell_path
from iogauge.model.units import parse_duration, parse_size, size
from iogauge.model.workload import Cache
from iogauge.outputs.document import Document
from iogauge.planning import plan
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
    prepare: str | None = None
    limit: str | None = None
    output: str = "null"

    def as_given(self) -> whole.Given:
        """The commands with their parameters. Raises UserError."""
        return whole.Given(
            self.commands,
            self._parameters(),
            {_BLOCK: "--block 4K,64K"},
            self.prepare,
            parsed("--limit", _seconds, self.limit or _LIMIT),
            _one_of("--output", self.output, get_args(Output)),
        )

    def _parameters(self) -> Mapping[str, Sequence[int]]:
        texts = [named("--parameter", each, "NAME=1,2,4") for each in self.parameters]
        texts += [(_BLOCK, self.block)] if self.block else []
        found: dict[str, Sequence[int]] = {}
        for name, values in texts:
            option = "--block" if name == _BLOCK else f"--parameter {name}"
            if name == "file" or not name.isidentifier() or not name.islower():
                raise UserError(f"--parameter {name}: give it another name, in small letters")
            if name in found:
                raise UserError(f"{option}: given twice; write all values into one list")
            found[name] = _sizes(option, values)
        return found

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
        status = _measured(prepared, folder, out, asked.given.recorded(), own)
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

    with Display(prepared.plan, [each.runtime for each in prepared.ready]) as display:
        run, path, reason = session.measure(prepared, folder, out, recorded, display, JUDGE, own)
    document = Document(run)
    if own:
        print(f"{shell_path(own.given)}:")
    console().print(outputs.renderer("answers")(document))
    afterwards.print_next(document, path)
    told = afterwards.print_run_file(path)
    if reason == "interrupted":
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


def _seconds(text: str) -> float:
    seconds = parse_duration(text)
    if seconds <= 0:
        raise ValueError(f"{text!r} is too short: give some time")
    return seconds


def _one_of(option: str, value: str, allowed: Sequence[str]) -> Any:
    if value not in allowed:
        raise UserError(f"{option} {value}: allowed: {', '.join(allowed)}")
    return value
