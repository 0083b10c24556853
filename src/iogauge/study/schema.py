"""The schema of a study file: values, groups and their cases, what was published (the source, how
its author measured, its numbers, its claims), and the whole file.

A validator raises ValueError with what is wrong; `loading` adds the file and the key.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    PrivateAttr,
    field_validator,
    model_validator,
)

from iogauge.model import figures
from iogauge.model.plan import Along, Compare, Protocol, PublishedProtocol
from iogauge.model.units import parse_duration, parse_share, parse_size, short_size
from iogauge.model.workload import (
    USUAL,
    Cache,
    CachedBy,
    Consume,
    Durability,
    Lifetime,
    Medium,
    Mode,
    Operation,
    StudyContent,
)

T = TypeVar("T")
LARGEST = 1 << 44
"""Bytes: 16 TiB, the largest file that ext4 takes with blocks of 4 KiB."""


def _possible(length: int) -> int:
    if length > LARGEST:
        raise ValueError(f"impossible size: a file has at most {LARGEST} bytes (16 TiB)")
    return length


def _extent(value: Any) -> int | str:
    if value == WHOLE:
        return WHOLE
    try:
        return _possible(parse_size(value))
    except ValueError as error:
        raise ValueError(f'{error}; "{WHOLE}" stands for the size of the file') from None


def resolved(value: Extent, length: int) -> int:
    """The value of a parameter in a group whose files have this size, in bytes."""
    return length if isinstance(value, str) else value


def _listed(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


WHOLE: Literal["size"] = "size"
"""The value of a parameter that is the size of the file, whatever that is in a group."""

Size = Annotated[int, BeforeValidator(parse_size), AfterValidator(_possible)]
"""Bytes; a file may write `64K`."""
Extent = Annotated[int | Literal["size"], PlainValidator(_extent)]
"""The value of a parameter; a file may write `64K`, or `size`."""
OneOrMore = Annotated[list[T], BeforeValidator(_listed), Field(min_length=1)]
"""A list; a file may write a single value without brackets."""
Seconds = Annotated[float, BeforeValidator(parse_duration), Field(gt=0)]
"""A file may write `90s` or `2m`."""
Share = Annotated[float, BeforeValidator(parse_share)]
"""A fraction from 0 to 1; a file may write `3%`."""
Identifier = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]


class Table(BaseModel):
    """A table of a study file. It refuses keys that it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


_OF_READS = ("consume",)
_OF_FILES_READ = ("cache", "cached_by", "accesses")
_OF_FILES_WRITTEN = ("mode", "durability", "lifetime")


class Cases(Table):
    """One row of a group's grid: every strategy with every combination of parameter values.

    A parameter with the value `size` takes the size of the group's file.
    `each` names the parameter that takes the values of the group's `each`. `options` are settings
    of the runtime for the cases of this row. `runtime` is a pattern; only runtimes that match it
    are measured.
    """

    strategy: OneOrMore[str]
    parameters: dict[str, OneOrMore[Extent]] = {}
    each: str | None = None
    options: list[Annotated[str, Field(pattern=r"^\S+$")]] = []
    runtime: str = "*"


class Baseline(Table):
    """The case that the others of its group are compared with first."""

    strategy: str
    parameters: dict[str, Extent] = {}


class Rounds(Table):
    """Rounds of a replicate, by the kind of group.

    Many short samples beat few long ones, because a disturbance of a fork lasts longer than a
    sample (docs/methodology.md).
    """

    warm: Annotated[int, Field(ge=1, le=50)] = 12
    cold: Annotated[int, Field(ge=1, le=50)] = 6
    write: Annotated[int, Field(ge=1, le=50)] = 10
    memory: Annotated[int, Field(ge=1, le=50)] = 12


class GroupTable(Table):
    """A template of groups: one group for each combination of values of the keys that list several.

    `operation` and `medium` decide which keys apply. A key that does not apply is refused.
    `size`, `accesses` and `each` are bytes or counts. `along` is the key whose values are compared
    with each other, too.
    """

    id: Identifier
    question: str
    protocol: Protocol = "sound"
    operations: Annotated[int, Field(ge=1)] | None = None
    to_the_end: bool = False
    _own_states: tuple[CachedBy | None, ...] = PrivateAttr(())
    compare: Compare = "best"
    along: Along | None = None
    each: OneOrMore[Annotated[Size, Field(ge=1)]] | None = None
    operation: Operation = "read"
    medium: Medium = "file"
    size: OneOrMore[Size]
    content: OneOrMore[StudyContent] = ["bytes"]
    accesses: OneOrMore[Annotated[Size, Field(ge=1)]] | None = None
    cache: OneOrMore[Cache] | None = None
    cached_by: OneOrMore[CachedBy] | None = None
    consume: OneOrMore[Consume] | None = None
    mode: OneOrMore[Mode] | None = None
    durability: OneOrMore[Durability] | None = None
    lifetime: OneOrMore[Lifetime] | None = None
    baseline: Baseline | None = None
    case: Annotated[list[Cases], Field(min_length=1)]

    @model_validator(mode="after")
    def _each_has_values_and_takers(self) -> GroupTable:
        for index, row in enumerate(self.case):
            if row.each and not self.each:
                raise ValueError(
                    f"case[{index}].each: the group has no values for it; give it each = [...]"
                )
            if row.each in row.parameters:
                raise ValueError(
                    f"case[{index}].parameters: {row.each} takes the values of each; remove its own"
                )
        if self.each and not any(row.each for row in self.case):
            raise ValueError(
                "each: no case takes its values; name a parameter with each in a [[group.case]]"
            )
        return self

    @model_validator(mode="after")
    def _only_keys_that_apply(self) -> GroupTable:
        if self.operations is not None and self.protocol != "published":
            raise ValueError(
                "operations does not apply to protocol = 'sound', which finds their number itself;"
                " remove it"
            )
        wrong = self._keys_that_do_not_apply()
        for key in wrong:
            if getattr(self, key) is not None:
                known = (*_OF_READS, *_OF_FILES_READ, *_OF_FILES_WRITTEN)
                apply = ", ".join(
                    ["size", "content", *(each for each in known if each not in wrong)]
                )
                raise ValueError(
                    f"{key} does not apply to operation = {self.operation!r} with medium ="
                    f" {self.medium!r}; these keys do: {apply}"
                )
        return self

    @model_validator(mode="after")
    def _cached_by_has_a_cache(self) -> GroupTable:
        caches, states = self.axes()["cache"], self.cached_by
        if states is None or caches == [None]:
            return self
        if caches == ["as-left"] and states != ["as-left"]:
            raise ValueError(
                "cached_by: 'as-left' is all that goes with cache = 'as-left'; give cache = 'warm'"
            )
        if caches == ["cold"]:
            raise ValueError(
                "cached_by does not apply to cache = 'cold': nothing is cached then; remove it"
            )
        if self.along == "cache" and len(set(states)) > 1:
            raise ValueError("cached_by: give one value where along = 'cache'")
        return self

    @model_validator(mode="after")
    def _along_has_values(self) -> GroupTable:
        if self.along is None:
            return self
        if self.protocol == "published":
            raise ValueError(
                "along does not apply to protocol = 'published', whose groups are measured one"
                " after another; remove it"
            )
        able = [each for each in get_args(Along) if each not in self._keys_that_do_not_apply()]
        if self.along not in able:
            raise ValueError(
                f"along: {self.along!r} does not apply to operation = {self.operation!r} with"
                f" medium = {self.medium!r}; allowed: {', '.join(able)}"
            )
        values = set(self.axes()[self.along])
        if len(values) < 2:
            raise ValueError(
                f"along: {self.along} has one value here, and nothing to compare it with; give"
                f" {self.along} = [...] with two or more"
            )
        if self.along == "size" and 0 in values:
            raise ValueError(
                "along: sizes are compared per byte, and an empty file has none; leave out size 0"
            )
        return self

    def _keys_that_do_not_apply(self) -> list[str]:
        in_memory = self.medium == "memory"
        if self.operation == "read":
            return [*_OF_FILES_WRITTEN, *(_OF_FILES_READ if in_memory else [])]
        if self.operation == "copy":
            return [*_OF_READS, "accesses", *(["medium"] if in_memory else [])]
        return [*_OF_READS, *_OF_FILES_READ, *(_OF_FILES_WRITTEN if in_memory else [])]

    def cached_as(self, states: Sequence[CachedBy]) -> GroupTable:
        """The same with other states of the cache. A group in a state of this table keeps its id,
        by which claims name it; in another state it has one of its own.
        """
        made = self.model_copy(update={"cached_by": list(states)})
        made._own_states = tuple(self.axes()["cached_by"])
        return made

    def identifier(self, chosen: dict[str, Any]) -> str:
        """The id of the group that has these values; it names only axes with several values."""
        axes = self.axes()
        shown = {**chosen, "size": short_size(chosen["size"])}
        several = {axis for axis, values in axes.items() if len(set(values)) > 1}
        if self._own_states and chosen["cache"] == "warm":
            several -= {"cached_by"}
            if len(set(self._own_states)) > 1 or chosen["cached_by"] not in self._own_states:
                several |= {"cached_by"}
        named = [str(shown[axis]) for axis in axes if axis in several]
        return "-".join([self.id, *(each for each in named if each != "None")]).lower()

    def identifiers(self) -> list[str]:
        """The ids of all groups of the template."""
        return list(map(self.identifier, self.combinations()))

    @property
    def compared_along(self) -> Along | None:
        """The key whose values are compared with each other, too. How a file came into the cache is
        one unasked, as a way may be best in one state and not in another.
        """
        several = len(set(self.axes()["cached_by"])) > 1
        return self.along or ("cached_by" if several and self.protocol == "sound" else None)

    def combinations(self) -> Iterator[dict[str, Any]]:
        """The values of each group of the template, by axis. `cached_by` has one where the file is
        cached as it was left, and none where nothing is cached.
        """
        axes = {axis: list(dict.fromkeys(values)) for axis, values in self.axes().items()}
        for values in itertools.product(*axes.values()):
            chosen = dict(zip(axes, values, strict=True))
            if chosen["cache"] != "warm":
                if chosen["cached_by"] != axes["cached_by"][0]:
                    continue
                chosen["cached_by"] = "as-left" if chosen["cache"] == "as-left" else None
            yield chosen

    def axes(self) -> dict[str, list[Any]]:
        """The values of every key that may make several groups. They are the defaults where the
        study gives none, and a single None where the key does not apply.
        """
        reads_file = self.operation != "write" and self.medium == "file"
        writes_file = self.operation != "read" and self.medium == "file"
        consumed = ["touch"] if self.operation == "read" else ["none"]
        return {
            "size": self.size,
            "content": self.content,
            "accesses": self.accesses or [None],
            "cache": self.cache or (["warm"] if reads_file else [None]),
            "cached_by": self.cached_by or (list(USUAL) if reads_file else [None]),
            "consume": self.consume or consumed,
            "mode": self.mode or (["truncate"] if writes_file else [None]),
            "durability": self.durability or (["none"] if writes_file else [None]),
            "lifetime": self.lifetime or (["operation"] if writes_file else [None]),
        }


class Source(Table):
    """Where a study's question was published; `url` is its address on the web."""

    title: str
    url: Annotated[str, Field(pattern="^https?://[^ ]+$")] | None = None
    author: str | None = None
    date: str | None = None
    host: str | None = None
    note: str | None = None


class PublishedProtocolTable(PublishedProtocol):
    """How the author measured: PublishedProtocol, where a duration may be written `1s`."""

    warm_up: Seconds = 0.0
    iteration: Seconds | None = None
    clock: Seconds = 0.0

    @model_validator(mode="after")
    def _counted_or_timed(self) -> PublishedProtocolTable:
        given = self.model_fields_set
        if self.iteration is None and given & {"warm_ups", "warm_up", "iterations"}:
            raise ValueError(
                "warm_ups, warm_up and iterations belong to a protocol that times iterations;"
                " iteration is missing"
            )
        if self.iteration is not None and given & {"untimed", "operations"}:
            raise ValueError(
                "untimed and operations belong to a protocol that counts operations; remove them or"
                " iteration"
            )
        if self.warm_ups and not self.warm_up:
            raise ValueError("warm_up is missing: it says how long each of the warm_ups lasts")
        return self


Unit = Literal["ns", "us", "ms", "s", "ops/ms"]


class PublishedTable(Table):
    """Numbers of one strategy in a published table.

    A row of `values` is [place, number] or [place, number, error]. `along` names the axis of the
    places: `size` or a parameter. Without `along` the only row is [number] or [number, error].
    `table` is the document's name for the table. Each number belongs to a case of `group`. If that
    is a sound group, the numbers are compared with a sound run; if it has the protocol `published`,
    with a run as published. Numbers at the `doubtful` places look like outliers: they are
    shown, but no verdict uses them.
    """

    table: str
    group: Identifier
    strategy: str
    parameters: dict[str, Extent] = {}
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
        shape = "[place, number]" if places else "[number]"
        for row in rows:
            if not places + 1 <= len(row) <= places + 2:
                raise ValueError(f"a row is {shape}, and may end with an error; found {row}")
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
            raise ValueError(
                "there are several numbers, but along, which tells them apart, is missing"
            )
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


class ClaimTest(Table):
    """One statement of a claim, in a form that a run can decide. docs/study-format.md has the kinds
    and their keys.

    `cases`, `than` and `among` are patterns of variants, such as
    `java/file-input-stream(block=*)`; `groups` are patterns of group ids. With `same`, a case is
    compared only with cases whose parameters have equal values, whatever the parameters are called.
    The test holds if it holds for at least so many `runtimes`. If this test refutes the claim, its
    `why` is printed instead of the claim's.
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
                keys = ", ".join(("groups", "runtimes", "why", *needed, *allowed))
                raise ValueError(
                    f"{key} does not apply to a test of the kind {self.kind}; these keys do: {keys}"
                )
        return self

    @model_validator(mode="after")
    def _values_that_belong_together(self) -> ClaimTest:
        if self.kind == "remark" and (self.answer is None) == (self.metric is None):
            raise ValueError(
                "a remark has either an answer, which is a sentence, or a metric with at_least or"
                " at_most"
            )
        if self.metric and self.at_least is None and self.at_most is None:
            raise ValueError("at_least or at_most is missing: a metric needs a bound")
        if self.factor and not 0 < self.factor[0] < (*self.factor, math.inf)[1]:
            raise ValueError(
                f"factor = {self.factor}: a number above 0, or a smaller and a larger one"
            )
        keys = set(self.other or ())
        if self.other is not None and (
            not {"cases", "than"} <= keys or keys - {"groups", "cases", "than"}
        ):
            raise ValueError("other needs the keys cases and than; it may have groups, and no more")
        return self


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
"""By kind: the keys that a test must have, and the keys that it may have."""


class Claim(Table):
    """A statement of the publication, in our words. It holds if every test holds.

    `why` is printed if a run contradicts the claim. It is a sentence that may quote figures of the
    run: `{metric|pattern of a variant|pattern of a group}`.
    """

    id: Identifier
    says: str
    basis: Literal["measured", "asserted", "reason", "advice", "question"] = "measured"
    why: str | None = None
    test: Annotated[list[ClaimTest], Field(min_length=1)]


class Study(Table):
    """One question or several, as in one file. A study holds nothing of the host.

    docs/study-format.md describes the keys. `source_text` is the text of the file; it is empty for
    a study that iogauge made itself. `budget` is in seconds, `precision` and `tolerance` are
    fractions, `max_size` is in bytes.
    """

    id: Identifier
    title: str
    about: str = ""
    budget: Annotated[float, BeforeValidator(parse_duration), Field(ge=1)] = 300.0
    precision: Annotated[float, BeforeValidator(parse_share)] = 0.03
    tolerance: Annotated[float, BeforeValidator(parse_share)] = 0.1
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
    def text(self) -> str:
        """What a run file stores, and `loading.parse` reads again."""
        return self.source_text or _toml(self)

    @property
    def protocols(self) -> list[Protocol]:
        """The protocols of its groups, `sound` first."""
        used = {group.protocol for group in self.group}
        both: tuple[Protocol, ...] = ("sound", "published")
        return [each for each in both if each in used]

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
    def _protocol_has_groups(self) -> Study:
        published = "published" in self.protocols
        if self.published_protocol is None and published:
            raise ValueError(
                "published_protocol is missing: it says how the groups with protocol = 'published'"
                " were measured"
            )
        if self.published_protocol is not None and not published:
            raise ValueError(
                "published_protocol is given, but no group has protocol = 'published'; add one or"
                " leave published_protocol out"
            )
        return self

    @model_validator(mode="after")
    def _numbers_have_groups(self) -> Study:
        templates = [group.id for group in self.group]
        for index, each in enumerate(self.published):
            if each.group not in templates:
                raise ValueError(
                    f"published[{index}].group: {each.group!r} is no group of this study;"
                    f" there are: {', '.join(sorted(templates))}"
                )
        return self


def _toml(study: Study) -> str:
    """The keys that a study was given; the standard library only reads TOML."""
    found = study.model_dump(exclude_unset=True, exclude_none=True, exclude={"source_text"})
    return "\n".join([*_lines(found), ""])


def _lines(table: dict[str, Any], path: str = "") -> Iterator[str]:
    """The plain keys, then the tables of each array: what follows a header belongs to it."""
    lists = {key: value for key, value in table.items() if value and isinstance(value, list)}
    arrays = {key: value for key, value in lists.items() if isinstance(value[0], dict)}
    for key, value in table.items():
        if key not in arrays:
            yield f"{key} = {_value(value)}"
    for key, tables in arrays.items():
        for each in tables:
            yield f"\n[[{path}{key}]]"
            yield from _lines(each, f"{path}{key}.")


def _value(value: Any) -> str:
    if isinstance(value, dict):
        inside = ", ".join(f"{_key(key)} = {_value(each)}" for key, each in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False)  # as in JSON; no study has the one exception, DEL


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _value(key)
