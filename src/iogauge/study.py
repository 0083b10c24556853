"""Study files: TOML in, a validated Study out, with messages that name file, key and what is allowed."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from iogauge.model import Cache, Consume, Content, Durability, Lifetime, Medium, Mode, Operation, UserError
from iogauge.units import parse_duration, parse_share, parse_size

T = TypeVar("T")
LARGEST = 1 << 44  # 16 TiB: the largest file ext4 takes with 4 KiB blocks


def _possible(length: int) -> int:
    if length > LARGEST:
        raise ValueError(f"impossible size: a file has at most {LARGEST} bytes (16 TiB)")
    return length


def _listed(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


Size = Annotated[int, BeforeValidator(parse_size), AfterValidator(_possible)]
OneOrMore = Annotated[list[T], BeforeValidator(_listed), Field(min_length=1)]
Identifier = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Source(_Table):
    """Where a study's question was published."""

    title: str
    author: str | None = None
    date: str | None = None
    host: str | None = None
    note: str | None = None


class Cases(_Table):
    """One row of a group's grid: every strategy with every combination of parameter values.

    `options` are settings of the runtime for this row's cases, `runtime` restricts it to runtimes that match a pattern.
    """

    strategy: OneOrMore[str]
    parameters: dict[str, OneOrMore[Size]] = {}
    options: list[Annotated[str, Field(pattern=r"^\S+$")]] = []
    runtime: str = "*"


class Baseline(_Table):
    strategy: str
    parameters: dict[str, Size] = {}


class Rounds(_Table):
    """Per replicate. Many short samples beat few long ones: what disturbs a fork lasts longer than a sample (docs/methodology.md)."""

    warm: Annotated[int, Field(ge=1, le=50)] = 12
    cold: Annotated[int, Field(ge=1, le=50)] = 6
    write: Annotated[int, Field(ge=1, le=50)] = 10
    memory: Annotated[int, Field(ge=1, le=50)] = 12


class GroupTable(_Table):
    """A template of groups: one for each combination of what lists several values.

    Which keys apply follows from `operation`, `medium` and `accesses`; one that does not apply is refused.
    """

    id: Identifier
    question: str
    operation: Operation = "read"
    medium: Medium = "file"
    size: OneOrMore[Size]
    content: OneOrMore[Content] = ["bytes"]
    accesses: OneOrMore[Annotated[Size, Field(ge=1)]] | None = None
    cache: OneOrMore[Cache] | None = None
    consume: OneOrMore[Consume] | None = None
    mode: OneOrMore[Mode] | None = None
    durability: OneOrMore[Durability] | None = None
    lifetime: OneOrMore[Lifetime] | None = None
    baseline: Baseline | None = None
    case: Annotated[list[Cases], Field(min_length=1)]

    @model_validator(mode="after")
    def _only_what_applies(self) -> GroupTable:
        of_reads, of_files_read, of_files_written = ["consume"], ["cache", "accesses"], ["mode", "durability", "lifetime"]
        if self.operation == "read":
            wrong = of_files_written + (of_files_read if self.medium == "memory" else [])
        else:
            wrong = of_reads + of_files_read + (of_files_written if self.medium == "memory" else [])
        for key in wrong:
            if getattr(self, key) is not None:
                apply = [each for each in (*of_reads, *of_files_read, *of_files_written) if each not in wrong]
                raise ValueError(
                    f"{key} does not apply to operation = {self.operation!r} with medium = {self.medium!r}; "
                    f"what does: {', '.join(['size', 'content', *apply])}"
                )
        return self

    def axes(self) -> dict[str, list[Any]]:
        """The values of every key that makes several groups, defaults where the study gives none; one None where it does not apply."""
        reads_file = self.operation == "read" and self.medium == "file"
        writes_file = self.operation == "write" and self.medium == "file"
        consumed = ["touch"] if self.operation == "read" else ["none"]
        return {
            "size": self.size,
            "content": self.content,
            "accesses": self.accesses or [None],
            "cache": self.cache or (["warm"] if reads_file else [None]),
            "consume": self.consume or consumed,
            "mode": self.mode or (["truncate"] if writes_file else [None]),
            "durability": self.durability or (["none"] if writes_file else [None]),
            "lifetime": self.lifetime or (["operation"] if writes_file else [None]),
        }


class Study(_Table):
    """A study file. `source_text` is the file as it was read; docs/study-format.md describes the keys."""

    id: Identifier
    title: str
    about: str = ""
    protocol: Literal["sound"] = "sound"
    budget: Annotated[float, BeforeValidator(parse_duration), Field(ge=1)] = 300.0
    precision: Annotated[float, BeforeValidator(parse_share)] = 0.03
    max_size: Size | None = None
    rounds: Rounds = Rounds()
    source: Source | None = None
    group: Annotated[list[GroupTable], Field(min_length=1)]
    source_text: str = ""

    @model_validator(mode="after")
    def _distinct_groups(self) -> Study:
        names = [group.id for group in self.group]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two groups have the id {name!r}; each needs its own")
        return self


def parse(text: str, name: str) -> Study:
    """A study from the text of its file; `name` is what error messages call it. Raises UserError."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{name}: not TOML: {error}") from None
    if "source_text" in found:
        raise UserError(f"{name}: source_text: unknown key")
    try:
        return Study.model_validate({**found, "source_text": text})
    except ValidationError as error:
        raise UserError(f"{name}: {_first_problem(error)}") from None


def load(name_or_path: str) -> Study:
    """A built-in study by its id, or the file at a path. Raises UserError."""
    path = Path(name_or_path)
    if path.suffix != ".toml":
        built_in = {each.name.removesuffix(".toml"): each for each in _built_in_files()}
        if name_or_path not in built_in:
            raise UserError(f"no study {name_or_path!r}; built in: {', '.join(sorted(built_in))}; or a path that ends in .toml")
        return parse(built_in[name_or_path].read_text(), f"{name_or_path}.toml")
    try:
        return parse(path.read_text(), str(path))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: not a text file in UTF-8") from None


def built_in() -> list[Study]:
    return [parse(each.read_text(), each.name) for each in sorted(_built_in_files(), key=lambda each: each.name)]


def _built_in_files() -> Iterable[Any]:
    """Studies inside the installed package, or beside the source tree of a checkout."""
    inside = resources.files("iogauge") / "studies"
    folder = inside if inside.is_dir() else Path(__file__).parents[2] / "studies"
    return [each for each in folder.iterdir() if each.name.endswith(".toml")]


def _first_problem(error: ValidationError) -> str:
    """The first problem in one line: where, what, what is allowed. A misspelt key comes before the key it leaves missing."""
    problems = sorted(error.errors(), key=lambda problem: problem["type"] != "extra_forbidden")
    first = problems[0]
    where = _where(first["loc"])
    match first["type"]:
        case "extra_forbidden":
            allowed = ", ".join(_keys_at(first["loc"]))
            says = f"unknown key; allowed: {allowed}" if allowed else "unknown key"
        case "missing":
            says = "this key is missing"
        case "literal_error":
            says = f"{first['input']!r} is not allowed; allowed: {first['ctx']['expected']}"
        case "value_error":
            says = str(first["ctx"]["error"])
        case "string_pattern_mismatch":
            says = f"{first['input']!r} is not allowed: lower-case words joined by '-'"
        case _:
            says = first["msg"][0].lower() + first["msg"][1:]
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return f"{where + ': ' if where else ''}{says}{more}"


def _where(loc: tuple[int | str, ...]) -> str:
    """`group[1].case[0].strategy`; the index of a value inside a one-or-more list is kept too."""
    text = ""
    for part in loc:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


_TABLES: dict[str, type[_Table]] = {
    "group": GroupTable,
    "case": Cases,
    "baseline": Baseline,
    "rounds": Rounds,
    "source": Source,
}


def _keys_at(loc: tuple[int | str, ...]) -> list[str]:
    """The keys allowed in the table that holds the key at `loc`."""
    names = [part for part in loc[:-1] if isinstance(part, str)]
    table = _TABLES.get(names[-1]) if names else Study
    return [key for key in table.model_fields if key != "source_text"] if table else []
