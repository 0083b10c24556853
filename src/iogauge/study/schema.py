"""The schema of a whole study file."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field, model_validator

from iogauge.model.plan import Protocol
from iogauge.model.units import parse_duration, parse_share
from iogauge.study import toml
from iogauge.study.groups import GroupTable, Rounds
from iogauge.study.publication import Claim, PublishedProtocolTable, PublishedTable, Source
from iogauge.study.values import Identifier, Size, Table


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
        return self.source_text or toml.written(self)

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
