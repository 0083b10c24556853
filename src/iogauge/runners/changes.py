"""What to write instead in a language: slow ways of a runner, each beside the fast one that should
stand in its place. Files beside the runners: changes.toml, which runners/README.md describes.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from iogauge.model.errors import UserError, first_problem
from iogauge.model.strategy import Strategy
from iogauge.model.units import parse_size
from iogauge.model.watched import Change, FindingKind, TwoWays
from iogauge.model.workload import Consume
from iogauge.runners import manifest
from iogauge.runners.finding import version_key
from iogauge.runners.manifest import Runner

NAME = "changes.toml"
NATIVE = "native"
"""Stands for programs whose language is not known, or has no changes of its own."""
ANY = "any"
"""Stands for all programs: whole commands that do the same."""
_SIZE = "{size}"


def _value(given: Any) -> int | str:
    if given == _SIZE:
        return _SIZE
    try:
        return parse_size(given)
    except ValueError as error:
        raise ValueError(f"{error}; {_SIZE} stands for the size that was seen") from None


Value = Annotated[int | str, BeforeValidator(_value)]
"""Of a parameter; a file may write `128K`, or `{size}` for the bytes per call that were seen."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class WayTable(_Table):
    """A strategy with parameters, or a whole command with `{file}` in it, and what to call it."""

    strategy: str = ""
    parameters: dict[str, Value] = {}
    command: str = ""
    name: str | None = None

    @model_validator(mode="after")
    def _is_one(self) -> WayTable:
        if bool(self.strategy) == bool(self.command):
            raise ValueError("give a strategy, or a command, and not both")
        return self

    def values(self, size: int) -> dict[str, int]:
        """The parameters where calls of `size` bytes were seen."""
        return {
            name: size if isinstance(value, str) else value
            for name, value in self.parameters.items()
        }


class RuntimeVersions(_Table):
    """Versions of the runtime, the first and the last one."""

    first: Annotated[str, Field(alias="from")] = ""
    last: Annotated[str, Field(alias="to")] = ""


class ChangeTable(_Table):
    """A change, for calls of so many bytes (`sizes`, the least and the most). With `hints` it is
    only for stacks that have one of these words. Without `fast`, all of the slow way is saved.
    `consume` is what both do with the data, where that is not nothing. One of opened-again that
    `appends` is for files that are opened for each piece that is written. `executable` is what the
    word {executable} of commands stands for where the program is not known. An operation makes
    about so many `calls`: fewer where each takes long.
    """

    language: str
    kind: FindingKind
    sizes: list[Annotated[int, BeforeValidator(parse_size)]] = []
    hints: list[str] = []
    runtime: RuntimeVersions = RuntimeVersions()
    text: Annotated[str, Field(min_length=1)]
    code: str = ""
    slow: WayTable
    fast: WayTable | None = None
    consume: Consume | None = None
    executable: str = ""
    appends: bool = False
    calls: Annotated[int, Field(ge=100)] = 20_000

    @model_validator(mode="after")
    def _has_two_sizes(self) -> ChangeTable:
        if self.sizes and (len(self.sizes) != 2 or self.sizes[0] > self.sizes[1]):
            raise ValueError("sizes: give two, the least and the most")
        return self

    @property
    def change(self) -> Change:
        return Change(text=self.text, code=self.code)

    def is_for(self, asked: TwoWays, version: str | None) -> bool:
        """Whether it answers a question of its language, for a runtime of this version."""
        lacks_hint = self.hints and not any(each in asked.hint for each in self.hints)
        if asked.kind != self.kind or asked.appends != self.appends or lacks_hint:
            return False
        if self.sizes and not self.sizes[0] <= asked.size <= self.sizes[1]:
            return False
        first, last = version_key(self.runtime.first), version_key(self.runtime.last)
        if version is None:
            return not first and not last
        key = version_key(version)
        return key >= first and (not last or key[: len(last)] <= last)


class _File(_Table):
    change: list[ChangeTable]


@dataclass(frozen=True)
class Changes:
    """The changes that a runner's folder holds. Whole commands need no runner: None."""

    runner: Runner | None
    rows: tuple[ChangeTable, ...]

    def choose(self, asked: TwoWays, language: str, version: str | None) -> ChangeTable | None:
        """The first row that answers the question, for a runtime of this version."""
        own = (each for each in self.rows if each.language == language)
        return next((each for each in own if each.is_for(asked, version)), None)


def load(folder: Path) -> Changes:
    """The changes in a folder. Raises UserError, naming file and key."""
    path = folder / NAME
    try:
        found = _File.model_validate(tomllib.loads(path.read_text("utf-8")))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; give the folder of a runner") from None
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{path}: not TOML: {error}; runners/README.md describes it") from None
    except ValidationError as error:
        wrong = first_problem(error)
        raise UserError(f"{path}: {wrong}; runners/README.md has the keys") from None
    runner = manifest.load(folder) if (folder / "runner.toml").exists() else None
    for index, row in enumerate(found.change):
        known = (*runner.file.languages, NATIVE) if runner else (ANY,)
        if row.language not in known:
            wrong = f"change.{index}.language: {row.language!r}; allowed: {', '.join(known)}"
            raise UserError(f"{path}: {wrong}")
    return Changes(runner, tuple(found.change))


def every() -> Iterator[Changes]:
    """Those of all runners, also of those in the folders of $IOGAUGE_RUNNERS. Raises UserError."""
    for root in manifest.roots():
        for path in sorted(root.glob(f"*/{NAME}")):
            yield load(path.parent)


def for_question(asked: TwoWays) -> list[tuple[Changes, str]]:
    """Where to choose a change: the changes that may answer, each with the language of its rows.
    That is the question's own or, where nothing is known of that, `native`; and `any`. Raises
    UserError.
    """
    known = list(every())
    languages = {row.language for each in known for row in each.rows}
    own = asked.language if asked.language in languages else NATIVE
    return [
        (each, language)
        for language in (own, ANY)
        for each in known
        if any(row.language == language and row.kind == asked.kind for row in each.rows)
    ]


def is_runtime(executable: str, runner: Runner) -> bool:
    """Whether a program is a runtime of this runner, by its name: `python3.11`, but no program that
    was compiled. Others are never asked for their version, because that would run them.
    """
    name, base = os.path.basename(executable), Path(runner.file.runtime.executable).name
    rest = name.removeprefix(base.rstrip("0123456789"))
    return name.startswith(base.rstrip("0123456789")) and not rest.strip("0123456789.")


def problems(changes: Changes, known: Mapping[str, Strategy]) -> Iterator[str]:
    """What the rows name that these strategies, by name, do not have or cannot do: a line each."""
    for index, row in enumerate(changes.rows):
        ways = [each for each in (row.slow, row.fast) if each and each.strategy]
        where = f"{NAME}: change.{index}"
        unknown = [each.strategy for each in ways if each.strategy not in known]
        if unknown:
            yield f"{where}: no strategy is called {unknown[0]!r}; see iogauge list strategies"
            continue
        for each in ways:
            yield from (f"{where}: {wrong}" for wrong in _wrong_values(each, known[each.strategy]))
        declared = [known[each.strategy] for each in ways]
        if len({(each.operation, each.format) for each in declared}) > 1:
            yield f"{where}: slow and fast do different work; give two ways to do the same"
        if row.consume and any(row.consume not in each.consumes for each in declared):
            yield f"{where}.consume: both must be able to {row.consume}"


def _wrong_values(way: WayTable, declared: Strategy) -> Iterator[str]:
    for name, value in way.parameters.items():
        limits = declared.parameters.get(name)
        if limits is None:
            allowed = ", ".join(declared.parameters) or "none"
            yield f"{way.strategy} has no parameter {name!r}; allowed: {allowed}"
        elif isinstance(value, int) and not limits.min <= value <= limits.max:
            yield f"{way.strategy}: {name}: {value}; allowed: {limits.min} to {limits.max}"
