"""Study files: TOML in, a validated Study out, with messages that name file, key and what is
allowed.
"""

from __future__ import annotations

import difflib
import itertools
import math
import re
import tomllib
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from iogauge.model import figures
from iogauge.model.errors import UserError
from iogauge.model.plan import Protocol, PublishedProtocol
from iogauge.model.text import hidden
from iogauge.model.units import parse_duration, parse_share, parse_size, short_size
from iogauge.model.workload import (
    Cache,
    Consume,
    Content,
    Durability,
    Lifetime,
    Medium,
    Mode,
    Operation,
)

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
Seconds = Annotated[float, BeforeValidator(parse_duration), Field(gt=0)]
Share = Annotated[float, BeforeValidator(parse_share)]
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

    `each` names the parameter that takes the group's values of `each`. `options` are settings of
    the runtime for this row's cases, `runtime` restricts it to runtimes that match a pattern.
    """

    strategy: OneOrMore[str]
    parameters: dict[str, OneOrMore[Size]] = {}
    each: str | None = None
    options: list[Annotated[str, Field(pattern=r"^\S+$")]] = []
    runtime: str = "*"


class Baseline(_Table):
    strategy: str
    parameters: dict[str, Size] = {}


class Rounds(_Table):
    """Per replicate. Many short samples beat few long ones: what disturbs a fork lasts longer than
    a sample (docs/methodology.md).
    """

    warm: Annotated[int, Field(ge=1, le=50)] = 12
    cold: Annotated[int, Field(ge=1, le=50)] = 6
    write: Annotated[int, Field(ge=1, le=50)] = 10
    memory: Annotated[int, Field(ge=1, le=50)] = 12


class GroupTable(_Table):
    """A template of groups: one for each combination of what lists several values.

    Which keys apply follows from `operation`, `medium` and `accesses`; one that does not apply is
    refused.
    """

    id: Identifier
    question: str
    protocol: Protocol = "sound"
    operations: Annotated[int, Field(ge=1)] | None = None
    to_the_end: bool = False
    each: OneOrMore[Annotated[Size, Field(ge=1)]] | None = None
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
        if self.operations is not None and self.protocol != "published":
            raise ValueError(
                "operations does not apply to protocol = 'sound', which calibrates them"
            )
        for index, row in enumerate(self.case):
            if row.each and not self.each:
                raise ValueError(
                    f"case[{index}].each: the group has no values for it; give it each = [...]"
                )
            if row.each in row.parameters:
                raise ValueError(
                    f"case[{index}].parameters: {row.each} has values here and takes those of each too"
                )
        if self.each and not any(row.each for row in self.case):
            raise ValueError(
                "each: no case takes its values; name a parameter with each in a [[group.case]]"
            )
        of_reads, of_files_read, of_files_written = (
            ["consume"],
            ["cache", "accesses"],
            ["mode", "durability", "lifetime"],
        )
        if self.operation == "read":
            wrong = of_files_written + (of_files_read if self.medium == "memory" else [])
        elif self.operation == "copy":
            wrong = [*of_reads, "accesses", *(["medium"] if self.medium == "memory" else [])]
        else:
            wrong = of_reads + of_files_read + (of_files_written if self.medium == "memory" else [])
        for key in wrong:
            if getattr(self, key) is not None:
                apply = [
                    each
                    for each in (*of_reads, *of_files_read, *of_files_written)
                    if each not in wrong
                ]
                raise ValueError(
                    f"{key} does not apply to operation = {self.operation!r} with medium = {self.medium!r}; "
                    f"what does: {', '.join(['size', 'content', *apply])}"
                )
        return self

    def identifier(self, chosen: dict[str, Any]) -> str:
        """What the group is called that has these values of the axes: those are named that have
        several.
        """
        axes = self.axes()
        shown = {**chosen, "size": short_size(chosen["size"])}
        return "-".join(
            [self.id, *(str(shown[axis]) for axis in axes if len(set(axes[axis])) > 1)]
        ).lower()

    def identifiers(self) -> list[str]:
        """What all groups of the template are called."""
        axes = self.axes()
        return [
            self.identifier(dict(zip(axes, values, strict=True)))
            for values in itertools.product(*axes.values())
        ]

    def axes(self) -> dict[str, list[Any]]:
        """The values of every key that makes several groups, defaults where the study gives none;
        one None where it does not apply.
        """
        reads_file = self.operation != "write" and self.medium == "file"
        writes_file = self.operation != "read" and self.medium == "file"
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


class PublishedProtocolTable(PublishedProtocol):
    """The same keys in a study file, where durations may be written `1s`."""

    warm_up: Seconds = 0.0
    iteration: Seconds | None = None
    clock: Seconds = 0.0

    @model_validator(mode="after")
    def _counted_or_timed(self) -> PublishedProtocolTable:
        given = self.model_fields_set
        if self.iteration is None and given & {"warm_ups", "warm_up", "iterations"}:
            raise ValueError(
                "warm_ups, warm_up and iterations belong to a protocol whose iteration lasts some time; iteration is missing"
            )
        if self.iteration is not None and given & {"untimed", "operations"}:
            raise ValueError(
                "untimed and operations belong to a protocol that counts operations; leave them or iteration out"
            )
        if self.warm_ups and not self.warm_up:
            raise ValueError("warm_ups without warm_up, how long each of them lasts")
        return self


Unit = Literal["ns", "us", "ms", "s", "ops/ms"]


class PublishedTable(_Table):
    """Numbers of one strategy in a published table: rows of `values` are [place, number] or [place,
    number, error].

    `along` says what the place is: `size`, or a parameter; without it the only row is [number] or
    [number, error]. `table` is what the document calls it. Each number belongs to a case of
    `group`, which is measured as published. `doubtful` are places of numbers that look like
    outliers: they are shown, and nothing rests on them.
    """

    table: str
    group: Identifier
    strategy: str
    parameters: dict[str, Size] = {}
    along: Identifier | None = None
    unit: Unit
    approximate: bool = False
    values: Annotated[list[list[int | float | str]], Field(min_length=1)]
    doubtful: list[Size] = []

    @field_validator("doubtful")
    @classmethod
    def _are_places(cls, doubtful: list[int], info: Any) -> list[int]:
        known = [row[0] for row in info.data.get("values", ())] if info.data.get("along") else []
        for place in doubtful:
            if place not in known:
                raise ValueError(f"{place} is no place of this table's values")
        return doubtful

    @field_validator("values")
    @classmethod
    def _rows(cls, rows: list[list[Any]], info: Any) -> list[list[Any]]:
        places = 1 if info.data.get("along") else 0
        for row in rows:
            if not places + 1 <= len(row) <= places + 2:
                raise ValueError(
                    f"a row is {'[place, number]' if places else '[number]'}, or with an error behind it; found {row}"
                )
            number, *error = row[places:]
            if isinstance(number, (str, bool)) or not 0 < number < float("inf"):
                raise ValueError(f"{number!r} is not a time or a rate: a number above 0")
            if error and (isinstance(error[0], (str, bool)) or not 0 <= error[0] < float("inf")):
                raise ValueError(f"{error[0]!r} is not an error: a number of at least 0")
            if places:
                row[0] = parse_size(row[0])
        found = [row[0] for row in rows]
        for place in found if places else ():
            if found.count(place) > 1:
                raise ValueError(f"two numbers for {place}")
        if not places and len(rows) > 1:
            raise ValueError("several numbers; along is missing, which tells them apart")
        return rows


Kind = Literal[
    "faster-than",
    "about-equal",
    "not-faster-than",
    "fastest",
    "slowest",
    "plateau",
    "monotone",
    "fails-with",
    "order-of",
    "ratio-of-ratios",
    "remark",
]


def _metric(name: str) -> str:
    if name not in METRICS:
        raise ValueError(f"must be one of {', '.join(METRICS)}")
    return name


METRICS = ("ns_per_op", "other_share", *figures.METRICS)
Metric = Annotated[str, AfterValidator(_metric)]


class ClaimTest(_Table):
    """One thing that a claim says, in a form that can be decided. docs/study-format.md has the
    kinds and their keys.

    Patterns are of variants, `java/file-input-stream(block=*)`; `groups` are patterns of the ids of
    groups. With `same`, only cases are compared whose parameters have the same values, whatever
    they are called. It holds only where so many `runtimes` say so. `why` is said in place of the
    claim's where this test is the one that refutes it.
    """

    kind: Kind
    groups: OneOrMore[str] = ["*"]
    cases: OneOrMore[str] = ["*"]
    than: OneOrMore[str] | None = None
    same: bool = False
    among: OneOrMore[str] = ["*"]
    factor: Annotated[list[float], Field(min_length=1, max_length=2)] | None = None
    margin: Share | None = None
    along: Identifier | None = None
    beyond: Size | None = None
    reason: str | None = None
    elsewhere: OneOrMore[str] | None = None
    other: dict[str, OneOrMore[str]] | None = None
    across: Literal["runtimes"] | None = None
    answer: str | None = None
    metric: Metric | None = None
    at_least: float | None = None
    at_most: float | None = None
    runtimes: Annotated[int, Field(ge=1)] = 1
    either: bool = False
    options: OneOrMore[str] | None = None
    why: str | None = None

    @field_validator("reason")
    @classmethod
    def _pattern(cls, reason: str | None) -> str | None:
        try:
            re.compile(reason or "")
        except re.error as error:
            raise ValueError(f"{reason!r} is no regular expression: {error}") from None
        return reason

    @model_validator(mode="after")
    def _keys_of_kind(self) -> ClaimTest:
        needed, allowed = TEST_KEYS[self.kind]
        given = self.model_fields_set - {"kind", "groups", "runtimes", "why"}
        for key in needed:
            if key not in given:
                raise ValueError(f"{key} is missing, which a test of the kind {self.kind} needs")
        for key in sorted(given):
            if key not in (*needed, *allowed):
                raise ValueError(
                    f"{key} does not apply to a test of the kind {self.kind}; what does: {', '.join(('groups', 'runtimes', 'why', *needed, *allowed))}"
                )
        if self.kind == "remark" and (self.answer is None) == (self.metric is None):
            raise ValueError(
                "a remark has either an answer in words, or a metric with at_least or at_most"
            )
        if self.metric and self.at_least is None and self.at_most is None:
            raise ValueError("at_least or at_most is missing, which says what the metric has to be")
        if self.factor and not 0 < self.factor[0] < (*self.factor, math.inf)[1]:
            raise ValueError(
                f"factor = {self.factor}: a number above 0, or a smaller and a larger one"
            )
        if self.other is not None and not {"cases", "than"} <= set(self.other) <= {
            "groups",
            "cases",
            "than",
        }:
            raise ValueError("other has the keys cases and than, and may have groups")
        return self


# Per kind the keys that a test must have, and those that it may have.
TEST_KEYS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "faster-than": (("cases", "than"), ("factor", "same", "options")),
    "about-equal": (("cases",), ("than", "margin", "across", "same")),
    "not-faster-than": (("cases", "than"), ("margin", "same")),
    "fastest": (("cases",), ("among",)),
    "slowest": (("cases",), ("among",)),
    "plateau": (("cases", "along", "beyond"), ("margin",)),
    "monotone": (("cases", "along"), ("margin",)),
    "fails-with": (("cases", "reason"), ("elsewhere",)),
    "order-of": (("cases",), ()),
    "ratio-of-ratios": (("cases", "than", "other"), ("either", "margin")),
    "remark": ((), ("answer", "cases", "metric", "at_least", "at_most")),
}


class Claim(_Table):
    """A statement of the publication in our words; it holds if every test does. `why` is said where
    a run contradicts it: a sentence with figures of the run, `{metric|pattern of a variant|pattern
    of a group}`.
    """

    id: Identifier
    says: str
    basis: Literal["measured", "asserted", "reason", "advice", "question"] = "measured"
    why: str | None = None
    test: Annotated[list[ClaimTest], Field(min_length=1)]


class Study(_Table):
    """A study file. `source_text` is the file as it was read; docs/study-format.md describes the
    keys.
    """

    id: Identifier
    title: str
    about: str = ""
    budget: Annotated[float, BeforeValidator(parse_duration), Field(ge=1)] = 300.0
    precision: Annotated[float, BeforeValidator(parse_share)] = 0.03
    max_size: Size | None = None
    rounds: Rounds = Rounds()
    source: Source | None = None
    published_protocol: PublishedProtocolTable | None = None
    group: Annotated[list[GroupTable], Field(min_length=1)]
    published: list[PublishedTable] = []
    repeated: list[list[str]] = []
    claim: list[Claim] = []
    source_text: str = ""

    @property
    def protocols(self) -> list[Protocol]:
        """Those under which something can be measured."""
        return [
            each
            for each in ("sound", "published")
            if any(group.protocol == each for group in self.group)
        ]

    @model_validator(mode="after")
    def _distinct_names(self) -> Study:
        for what, names in (
            ("groups", [group.id for group in self.group]),
            ("claims", [claim.id for claim in self.claim]),
        ):
            for name in names:
                if names.count(name) > 1:
                    raise ValueError(f"two {what} have the id {name!r}; each needs its own")
        return self

    @model_validator(mode="after")
    def _published_as_a_whole(self) -> Study:
        if (self.published_protocol is None) == ("published" in self.protocols):
            if self.published_protocol is None:
                raise ValueError(
                    "published_protocol is missing: how the groups with protocol = 'published' were measured"
                )
            raise ValueError("published_protocol without a group that has protocol = 'published'")
        templates = {group.id for group in self.group if group.protocol == "published"}
        for index, each in enumerate(self.published):
            if each.group not in templates:
                known = ", ".join(sorted(templates)) or "none"
                raise ValueError(
                    f"published[{index}].group: {each.group!r} is no group with protocol = 'published'; there are: {known}"
                )
        return self


def parse(text: str, name: str) -> Study:
    """A study from the text of its file; `name` is what error messages call it. Raises UserError."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{name}: not TOML: {error}") from None
    if "source_text" in found:
        raise UserError(f"{name}: source_text: unknown key")
    prose = found.get("about")
    unseen = hidden(
        {
            **found,
            "about": prose.translate({ord("\n"): " ", ord("\t"): " "})
            if isinstance(prose, str)
            else prose,
        }
    )  # the only text of several lines
    if unseen:
        raise UserError(f"{name}: {unseen}")
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
            close = difflib.get_close_matches(name_or_path, built_in, n=1)
            meant = f"; did you mean {close[0]}?" if close else ""
            raise UserError(
                f"no study {name_or_path!r}{meant}; built in: {', '.join(sorted(built_in))}; or a path that ends in .toml"
            )
        return parse(built_in[name_or_path].read_text(), f"{name_or_path}.toml")
    try:
        return parse(path.read_text(), str(path))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: not a text file in UTF-8") from None


def built_in() -> list[Study]:
    return [
        parse(each.read_text(), each.name)
        for each in sorted(_built_in_files(), key=lambda each: each.name)
    ]


def built_in_ids() -> set[str]:
    """Their files are named so."""
    return {each.name.removesuffix(".toml") for each in _built_in_files()}


def _built_in_files() -> Iterable[Any]:
    """Studies inside the installed package, or beside the source tree of a checkout."""
    inside = resources.files("iogauge") / "studies"
    folder = inside if inside.is_dir() else Path(__file__).parents[3] / "studies"
    return [each for each in folder.iterdir() if each.name.endswith(".toml")]


def _first_problem(error: ValidationError) -> str:
    """The first problem in one line: where, what, what is allowed. A misspelt key comes before the
    key it leaves missing.
    """
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


_TABLES: dict[str, type[BaseModel]] = {
    "group": GroupTable,
    "case": Cases,
    "baseline": Baseline,
    "rounds": Rounds,
    "source": Source,
    "published_protocol": PublishedProtocolTable,
    "published": PublishedTable,
    "claim": Claim,
    "test": ClaimTest,
}


def _keys_at(loc: tuple[int | str, ...]) -> list[str]:
    """The keys allowed in the table that holds the key at `loc`."""
    names = [part for part in loc[:-1] if isinstance(part, str)]
    table = _TABLES.get(names[-1]) if names else Study
    return [key for key in table.model_fields if key != "source_text"] if table else []
