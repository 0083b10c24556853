"""The tables of a study file that say what is measured: groups and their cases."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, get_args

from pydantic import Field, model_validator

from iogauge.model.plan import Along, Compare, Protocol
from iogauge.model.units import short_size
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
from iogauge.study.values import Extent, Identifier, OneOrMore, Size, Table

_OF_READS = ("consume",)
_OF_FILES_READ = ("cache", "accesses")
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

    @classmethod
    def of(cls, strategy: str, values: Mapping[str, Iterable[int]]) -> Cases:
        """The row of one strategy with every combination of these values of its parameters."""
        return cls(
            strategy=[strategy], parameters={name: list(some) for name, some in values.items()}
        )


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
    compare: Compare = "best"
    along: Along | None = None
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

    def identifier(self, chosen: dict[str, Any]) -> str:
        """The id of the group that has these values, by axis. Only axes with several values are
        named in it.
        """
        axes = self.axes()
        shown = {**chosen, "size": short_size(chosen["size"])}
        several = [str(shown[axis]) for axis, values in axes.items() if len(set(values)) > 1]
        return "-".join([self.id, *several]).lower()

    def identifiers(self) -> list[str]:
        """The ids of all groups of the template."""
        axes = self.axes()
        return [
            self.identifier(dict(zip(axes, values, strict=True)))
            for values in itertools.product(*axes.values())
        ]

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
            "consume": self.consume or consumed,
            "mode": self.mode or (["truncate"] if writes_file else [None]),
            "durability": self.durability or (["none"] if writes_file else [None]),
            "lifetime": self.lifetime or (["operation"] if writes_file else [None]),
        }
