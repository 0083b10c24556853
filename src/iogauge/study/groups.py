"""TODO"""

from __future__ import annotations

import itertools
from typing import Annotated, Any

from pydantic import (
    Field,
    model_validator,
)

from iogauge.model.plan import Protocol
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
from iogauge.study.values import Identifier, OneOrMore, Size, Table


class Cases(Table):
    """One row of a group's grid: every strategy with every combination of parameter values.

    `each` names the parameter that takes the group's values of `each`. `options` are settings of
    the runtime for this row's cases, `runtime` restricts it to runtimes that match a pattern.
    """

    strategy: OneOrMore[str]
    parameters: dict[str, OneOrMore[Size]] = {}
    each: str | None = None
    options: list[Annotated[str, Field(pattern=r"^\S+$")]] = []
    runtime: str = "*"


class Baseline(Table):
    strategy: str
    parameters: dict[str, Size] = {}


class Rounds(Table):
    """Per replicate. Many short samples beat few long ones: what disturbs a fork lasts longer than
    a sample (docs/methodology.md).
    """

    warm: Annotated[int, Field(ge=1, le=50)] = 12
    cold: Annotated[int, Field(ge=1, le=50)] = 6
    write: Annotated[int, Field(ge=1, le=50)] = 10
    memory: Annotated[int, Field(ge=1, le=50)] = 12


class GroupTable(Table):
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
