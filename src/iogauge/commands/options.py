"""The options of the command line, parsed. Every error names the option."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from iogauge.advice.wanted import DEFAULT_SIZE, Unit, Wanted
from iogauge.commands import arguments as arg
from iogauge.commands.output import say
from iogauge.host import kernel
from iogauge.measuring import session
from iogauge.model.errors import UserError
from iogauge.model.plan import Compare, Protocol
from iogauge.model.strategy import LIMIT, Output
from iogauge.model.units import (
    exact_size,
    parse_duration,
    parse_share,
    parse_size,
    percent,
    short_size,
    size,
)
from iogauge.model.workload import USUAL, WRITTEN, Access, Cache, CachedBy, Durability, Operation
from iogauge.planning.options import Options
from iogauge.runners import commands as whole
from iogauge.runners import manifest
from iogauge.runners import own as own_code
from iogauge.runners.finding import Choice, Choices
from iogauge.runners.manifest import Runner

if TYPE_CHECKING:
    from iogauge.corpus.own_file import OwnFile

T = TypeVar("T")
_LABEL = re.compile(r"[a-z][a-z0-9._-]{0,19}")  # begins with no digit, so that it is no version
_PIECE = 4096  # bytes that random access reads at each place, unless others are asked for
_BLOCK = "block"
_ALLOWED = {
    "operation": get_args(Operation),
    "unit": get_args(Unit),
    "cache": ("warm", "cold"),
    "durability": get_args(Durability),
    "access": get_args(Access),
}
"""The words of `iogauge advise`."""


def planned(given: arg.PlanOptions) -> Options:
    """The options of a plan. Raises UserError."""
    return Options(
        only=tuple(given.only or ()),
        questions=tuple(given.question or ()),
        max_size=parsed("--max-size", parse_size, given.max_size),
        budget=parsed("--budget", budget_of, given.budget),
        precision=parsed("--precision", parse_share, given.precision),
        tolerance=parsed("--tolerance", parse_share, given.tolerance),
        compare=one_of("--compare", given.compare, get_args(Compare)),
        seed=session.random_seed() if given.seed is None else given.seed,
        protocol=one_of("--protocol", given.protocol, get_args(Protocol)) or "sound",
        settings=_settings(given.runtime_option),
        cached_by=cache_states(given.cached_by),
    )


def cache_states(given: str | None) -> tuple[CachedBy, ...]:
    """The states of --cached-by. Raises UserError."""
    words = [each.strip() for each in given.split(",")] if given else []
    found = [one_of("--cached-by", each, get_args(CachedBy)) for each in words]
    return tuple(dict.fromkeys(each for each in found if each))


def recorded(given: arg.PlanOptions) -> dict[str, Any]:
    """What the run file keeps; not the paths of runtimes, whose names say which they were."""
    names = [name for name in arg.PlanOptions.fields if name not in ("runtime", "seed")]
    return {name: getattr(given, name) for name in names}


def changes_a_run(given: arg.Run) -> bool:
    """Whether there is an option that a run keeps for all of its sessions."""
    kept = any(value for name, value in recorded(given).items() if name != "budget")
    return kept or given.seed is not None or given.fresh_limits


LARGEST_COPY = 256 << 20
"""Bytes of the largest file of the user's that is copied, so that it can be written anew."""


def states_of_own(
    given: str | None, own: OwnFile, folder: Path, *, versions: bool = False
) -> tuple[CachedBy, ...]:
    """How a file of the user's is to be cached: as is asked for or, where all of it is, as it was
    left. Two versions are compared in a state that can be made again, as some hosts put out idle
    pages. Copies go to the folder. Raises UserError for what cannot be had.
    """
    found = cache_states(given)
    if "as-left" in found and own.cached != 1:
        share = "nobody can tell how much of it is"
        if own.cached is not None:
            share = f"{percent(1 - own.cached, 1)} of it is not"
        raise UserError(
            f"--cached-by as-left: all of the file must be in the cache, and {share}; read it "
            "first, or give another state"
        )
    if written := [each for each in found if each in WRITTEN]:
        if own.file_size > LARGEST_COPY:
            raise UserError(
                f"--cached-by {written[0]}: a copy of the file is written for it, of at most "
                f"{size(LARGEST_COPY)}; give a part of the file"
            )
        if not beside(own, folder):
            raise UserError(
                f"--cached-by {written[0]}: a copy of the file is written for it, which must be on "
                "the same file system; give --dir a folder there"
            )
    return found or (("as-left",) if own.cached == 1 and not versions else USUAL)


def beside(own: OwnFile, folder: Path) -> Path | None:
    """The folder, if it is on the file system of the user's file."""
    return folder if kernel.same_file_system(own.path, folder) else None


def wanted(given: arg.Advise, own: OwnFile | None) -> Wanted:
    """The workload. Without a size it has the usual one, or any where run files are given. Raises
    UserError for an option that is wrong, or does not fit another one.
    """
    words: dict[str, Any] = {
        name: one_of(f"--{name}", getattr(given, name), allowed)
        for name, allowed in _ALLOWED.items()
    }
    _check_words(given)
    length = parsed("--size", parse_size, given.size)
    record = parsed("--record", parse_size, given.record)
    if 0 in (length, record):
        raise UserError(f"--{'size' if length == 0 else 'record'} 0: at least 1 byte")
    if own:
        _check_file(given, own)
    if given.access == "random" and not record:
        record = _PIECE
    length = own.size if own else length or (None if given.runs else DEFAULT_SIZE)
    if record and length is not None and record > length:
        shown = given.record or f"{short_size(record)} (what is read at each place)"
        raise UserError(f"--record {shown}: larger than the file, of {exact_size(length)}")
    words["cache"] = None if given.operation == "write" else given.cache or "warm"
    words["cached_by"] = _wanted_state(given, own)
    words["durability"] = None if given.operation == "read" else given.durability or "none"
    if own:
        words |= {"own": True, "format": own.format}
        if given.unit != "byte" or own.format == "gzip":  # else nothing is in the way
            words["peculiarities"] = tuple(sorted(own.peculiarities))
    return Wanted(given.language, size=length, record=record, **words)


def _wanted_state(given: arg.Advise, own: OwnFile | None) -> CachedBy | None:
    """Raises UserError where a file is not cached, or nobody left it so."""
    states = cache_states(given.cached_by)
    if not states:
        return None
    if len(states) > 1:
        raise UserError(f"--cached-by {given.cached_by}: give one state, or leave it out for any")
    if given.operation == "write" or given.cache == "cold":
        writes = given.operation == "write"
        why = "--operation write: nothing is read" if writes else "--cache cold: nothing is cached"
        raise UserError(f"--cached-by does not apply to {why} then")
    if states[0] == "as-left" and not own:
        raise UserError("--cached-by as-left is for a file of yours: give it with --file")
    return states[0]


def _check_words(given: arg.Advise) -> None:
    known_language(given.language)
    if given.cache and given.operation == "write":
        raise UserError(
            "--cache does not apply to --operation write: what is written goes into the "
            "cache; --durability says whether it waits for the device"
        )
    if given.durability and given.operation == "read":
        raise UserError("--durability does not apply to --operation read; leave it out")
    if given.access == "random" and (given.operation, given.unit) != ("read", "byte"):
        raise UserError("--access random reads bytes: leave out --operation and --unit")


def _check_file(given: arg.Advise, own: OwnFile) -> None:
    if given.operation != "read" or given.size:
        raise UserError(
            "--file is read, never written, and has a size of its own: leave out --operation "
            "and --size"
        )
    if given.access == "random" and own.format == "gzip":
        raise UserError("--access random: a gzip file can be read from its start only")
    if given.unit != "byte" and not own.is_text:
        raise UserError(
            f"--unit {given.unit}: the file is no text in UTF-8; "
            "leave out --unit, or convert a copy"
        )


def command_lines(given: arg.Command) -> whole.Given:
    """The commands with their parameters. Raises UserError."""
    lines, numbers = _lines(given), dict[str, Sequence[int]]()
    for name, values in _parameters(given).items():
        if name == _BLOCK or _are_numbers(values):
            numbers[name] = sizes(_option(name), values)
        elif any(line.uses(name) for line in lines):
            texts = [each.strip() for each in values.split(",")]
            lines = [one for line in lines for one in line.filled(name, texts)]
        else:
            raise UserError(f"no command has {{{name}}}; write it where its values go")
    return whole.Given(
        lines,
        numbers,
        {_BLOCK: "--block 4K,64K"},
        limit_of(given),
        one_of("--output", given.output, get_args(Output)),
        given.ignore_failure,
    )


def _lines(given: arg.Command) -> list[whole.Line]:
    """The commands, each with its name and with what is run before it."""
    commands = given.commands
    count, names, before = len(commands), given.name or [], given.prepare or []
    if len(names) > count or len({*names}) < len(names) or not all(map(str.strip, names)):
        raise UserError("--name: give each command one of its own, in the commands' order")
    if len(before) not in (0, 1, count):
        raise UserError("--prepare: give one for all commands, or one for each, in their order")
    each_name = [*names, *[None] * (count - len(names))]
    each_before = before if len(before) == count else [next(iter(before), None)] * count
    return list(map(whole.Line, commands, each_name, each_before))


def _parameters(given: arg.Command) -> Mapping[str, str]:
    every = [named("--parameter", each, "NAME=1,2,4") for each in given.parameter or ()]
    every += [(_BLOCK, given.block)] if given.block else []
    found: dict[str, str] = {}
    for name, values in every:
        if name == "file" or not name.isidentifier() or not name.islower():
            raise UserError(f"--parameter {name}: give it another name, in small letters")
        if name in found:
            raise UserError(f"{_option(name)}: given twice; write all values into one list")
        found[name] = values
    return found


def limit_of(given: arg.FileAnswer | arg.Run | arg.Command | arg.Explain) -> float:
    """Seconds that a call of code of the user's, or a run of a command, may take."""
    if isinstance(given, arg.Explain):
        return LIMIT
    if given.limit and not isinstance(given, arg.Command) and not given.own:
        raise UserError("--limit is for calls of your own code: give --own, or leave it out")
    return parsed("--limit", _seconds, given.limit) or LIMIT


def own_runners(given: arg.FileAnswer | arg.Run | arg.Explain) -> list[Runner]:
    """The runners with the user's code; none without --own. Raises UserError."""
    if not given.own:
        must_not_be_told(given, "is for your own code: give --own, or leave it out")
    return own_code.runners(given.own or (), limit_of(given), own_more(given))


def own_more(given: arg.FileAnswer | arg.Run | arg.Explain | arg.Check) -> own_code.More:
    """What compilers are told of the user's code."""
    return own_code.More(given.own_flags or (), given.own_path or (), say)


def must_not_be_told(given: arg.FileAnswer | arg.Run | arg.Explain | arg.Check, why: str) -> None:
    """Raises UserError for options of the user's code, where they would do nothing."""
    for option, value in (("--own-flags", given.own_flags), ("--own-path", given.own_path)):
        if value:
            raise UserError(f"{option} {why}")


def caches_of(given: arg.Command | arg.FileAnswer) -> list[Cache]:
    """The states of the cache. A gate asks for the cached file alone, unless it is told otherwise:
    times from disk vary so much that it would hardly ever say yes.
    """
    names = (given.cache or ("warm" if given.max_slowdown else "warm,cold")).split(",")
    return [one_of("--cache", each.strip(), ("warm", "cold")) for each in names]


def chosen_runtimes(given: list[str] | None) -> Choices:
    """`jvm=PATH` and `jvm:new=PATH` arguments by runner, in order. Raises UserError."""
    chosen: dict[str, list[Choice]] = {}
    for text in given or []:
        name, path = named("--runtime", text, "RUNNER=PATH, e.g. jvm=/path/to/jdk")
        runner, colon, label = name.partition(":")
        if colon and not _LABEL.fullmatch(label):
            raise UserError(
                f"--runtime {text}: a name is a small letter, then at most 19 small letters, "
                "digits, '.', '_' or '-', e.g. jvm:new=/path/to/jdk"
            )
        choices = chosen.setdefault(runner, [])
        if label and label in [each.label for each in choices]:
            raise UserError(f"--runtime {text}: another runtime has the name {label}; take another")
        choices.append(Choice(path, label))
    return chosen


def named(option: str, text: str, form: str) -> tuple[str, str]:
    """The two parts of NAME=VALUE. Raises UserError, with the right `form`, if one is missing."""
    name, _, value = text.partition("=")
    if not name or not value.strip():
        raise UserError(f"{option} {text}: write {form}")
    return name, value


def budget_of(text: str) -> float:
    """Seconds of a --budget. Raises ValueError."""
    seconds = parse_duration(text)
    if seconds < 1:
        raise ValueError(f"{text!r} is too short: at least 1s")
    return seconds


def parsed(option: str, parse: Callable[[str], T], text: str | None) -> T | None:
    """A value parsed, None if not given. Raises UserError where `parse` raises ValueError."""
    try:
        return None if text is None else parse(text)
    except ValueError as error:
        raise UserError(f"{option}: {error}") from None


def one_of(option: str, value: str | None, allowed: Sequence[str]) -> Any:
    """The value of an option that takes one of these. Raises UserError for another one."""
    if value not in (None, *allowed):
        raise UserError(f"{option} {value}: allowed: {', '.join(allowed)}")
    return value


def known_language(language: str | None) -> None:
    """Raises UserError for a language that no runner has."""
    if language:
        one_of("--language", language, manifest.languages())


def sizes(option: str, text: str) -> list[int]:
    """Sizes or numbers, separated by commas. Raises UserError."""
    every = [each.strip() for each in text.split(",")]
    found = parsed(option, lambda _: list(map(parse_size, every)), text) or []
    if 0 in found and option != "--parameter":
        raise UserError(f"{option} 0: at least 1 byte")
    return list(dict.fromkeys(found))


def _settings(given: list[str] | None) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """`jvm=-XX:+UseZGC` arguments: per argument the runner and its options, separated by blanks."""
    settings = []
    known = {runner.name for runner in manifest.all_runners()} if given else set()
    for text in given or []:
        name, options = named("--runtime-option", text, "NAME=OPTION, e.g. jvm=-XX:+UseZGC")
        if name not in known:
            raise UserError(
                f"--runtime-option {text}: no runner is called {name!r}; there are: "
                f"{', '.join(sorted(known))}"
            )
        settings.append((name, tuple(options.split())))
    return tuple(settings)


def _are_numbers(values: str) -> bool:
    """Whether all of these are whole numbers, or sizes; else they are texts."""
    try:
        return "." not in values and bool(sizes("--parameter", values))
    except UserError:
        return False


def _option(name: str) -> str:
    return "--block" if name == _BLOCK else f"--parameter {name}"


def _seconds(text: str) -> float:
    seconds = parse_duration(text)
    if seconds <= 0:
        raise ValueError(f"{text!r} is too short: give some time")
    return seconds
