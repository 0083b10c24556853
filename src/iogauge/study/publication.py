"""The tables of a study file that hold what was published: the source, how its author measured, its
numbers, and its claims with the tests that decide them.
"""

from __future__ import annotations

import math
import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator

from iogauge.model import figures
from iogauge.model.plan import PublishedProtocol
from iogauge.model.units import parse_size
from iogauge.study.values import Extent, Identifier, OneOrMore, Seconds, Share, Size, Table


class Source(Table):
    """Where a study's question was published; `url` is its address on the web."""

    title: str
    url: Annotated[str, Field(pattern="^https?://[^ ]+$")] | None = None
    author: str | None = None
    date: str | None = None
    host: str | None = None
    note: str | None = None


class PublishedProtocolTable(PublishedProtocol):
    """How the author measured. The keys are those of PublishedProtocol; a duration may be written
    `1s`.
    """

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
