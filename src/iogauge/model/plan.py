"""A plan: what will be measured, frozen before anything runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, model_serializer

from iogauge.model.case import Case, ForkSpec
from iogauge.model.noun import Noun
from iogauge.model.workload import Conditions, Workload


class ReplicateId(NamedTuple):
    """A replicate of a bundle; `attempt` counts sessions, as one that was cut short is repeated."""

    bundle: int
    number: int
    attempt: int


class Coordinates(NamedTuple):
    """Where a sample stands. A replicate whose forks do not fit into memory together is cut into
    parts; `position` is the sample's place in the random order of its round, from 0.
    """

    replicate: ReplicateId
    part: int
    group: int
    case: int
    round: int
    position: int


Protocol = Literal["sound", "published"]
RunProtocol = Protocol | Literal["imported"]
"""`imported`: another tool measured, and iogauge reads its file. No study asks for that."""
Compare = Literal["best", "all", "languages"]
Along = Literal["durability", "size", "cache", "cached_by"]
"""What may differ from group to group of a span."""


class PublishedProtocol(Noun):
    """How the authors of a publication measured, flaws included; times in seconds.

    A case is `untimed` operations and then `operations` timed ones in one span; or, where
    `iteration` is given, `warm_ups` times `warm_up` seconds and `iterations` times `iteration`
    seconds of operations. Cases follow one another as declared, in one `process`, or one for each
    experiment (a group of the study, of whatever sizes), group or case; they read one of the
    `files`, or each its own of equal size. `clock` is the resolution of the authors' clock,
    `caveats` what of theirs cannot be had here.
    """

    process: Literal["one", "experiment", "group", "each"] = "one"
    untimed: Annotated[int, Field(ge=0)] = 0
    operations: Annotated[int, Field(ge=1)] = 1
    warm_ups: Annotated[int, Field(ge=0)] = 0
    warm_up: float = 0.0
    iterations: Annotated[int, Field(ge=1)] = 1
    iteration: float | None = None
    clock: float = 0.0
    files: Literal["one", "each"] = "one"
    caveats: tuple[str, ...] = ()


class Versions(Noun):
    """Two versions of the same: the question is what the new one takes against the old one. Both
    have the names that the user gave them. A gate asks whether new surely takes at most
    `max_slowdown` more, a fraction, in each pair; None where nobody asked that. So many `runs` ask
    the same, on hosts of a fleet and of several studies; what is said holds for all together.
    """

    old: str
    new: str
    max_slowdown: Annotated[float, Field(ge=0)] | None = None
    runs: Annotated[int, Field(ge=1)] = 1


class Pair(NamedTuple):
    """A way in two versions: indexes of cases."""

    old: int
    new: int


class Group(Noun):
    """Cases that answer one question. Indexes point into the plan's list of cases.

    The control belongs to the cases; a group measured as published has none. `rounds` is per
    replicate, `operations` are those that a published protocol times in one span; `baseline` and
    `control` are case indexes. `compare` is what is to be decided: what each case costs against the
    "best" of its language, "all" comparisons with the baseline too, or the best of each of the
    "languages" too. What is decided is dropped early, unless
    the group is measured `to_the_end`.
    `pairs` are two versions of each case, where the question is what they cost against each other.
    `ceilings` are cases that do not take part: they show what the machine can do with the same
    bytes. `experiment` is the group of the study that this one came from: it may have given
    several, of several sizes.
    """

    id: str
    experiment: str = ""
    question: str
    workload: Workload
    conditions: Conditions
    cases: tuple[int, ...]
    ceilings: tuple[int, ...] = ()
    baseline: int
    control: int | None
    rounds: int
    operations: int | None = None
    to_the_end: bool = False
    compare: Compare = "best"
    pairs: tuple[Pair, ...] = ()

    @property
    def title(self) -> str:
        return ", ".join(part for part in (self.workload.title, self.conditions.title) if part)


class Span(Noun):
    """Groups of one question that differ in one thing only, so that their cases are compared across
    them. `groups` are indexes into the plan's list; the others are compared with the first.
    """

    along: Along
    groups: tuple[int, ...]

    def value(self, group: Group) -> int | str:
        """What a group has of that in which the groups differ; a size is in bytes."""
        if self.along == "size":
            return group.workload.size
        value: str | None = getattr(group.conditions, self.along)
        assert value is not None  # the study is refused where it does not apply
        return value


class Bundle(Noun):
    """Groups measured together because they share forks. Both are indexes into the plan's lists."""

    groups: tuple[int, ...]
    forks: tuple[int, ...]
    heap_mib: int


class Skipped(Noun):
    """What the study has and this plan does not measure; `language` if it is a whole one. `alike`:
    why files are cached in one way only, where another state of them is measured instead.
    """

    what: str
    why: str
    language: str | None = None
    alike: str | None = None

    @model_serializer
    def _written(self) -> dict[str, str]:
        """What is None is left out."""
        return {key: value for key, value in self if value is not None}


def by_reason(skipped: Iterable[Skipped]) -> list[Skipped]:
    """The same with whole languages that are skipped for one reason put together."""
    together: dict[tuple[str | None, str, str | None], list[str]] = {}
    for each in dict.fromkeys(skipped):
        alone = None if each.language or each.alike else each.what
        together.setdefault((alone, each.why, each.alike), []).append(each.what)
    return [
        Skipped(what=", ".join(named), why=why, alike=alike)
        for (_, why, alike), named in together.items()
    ]


class Plan(Noun):
    """What will be measured. Frozen before anything runs; the run file's header carries it."""

    study: str
    protocol: RunProtocol = "sound"
    published: PublishedProtocol | None = None
    cases: tuple[Case, ...]
    fork_of: tuple[int, ...]  # case index → fork index
    forks: tuple[ForkSpec, ...]
    groups: tuple[Group, ...]
    bundles: tuple[Bundle, ...]
    spans: tuple[Span, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    versions: Versions | None = None  # that are compared, in place of the cases of each
    seed: int
    precision: float
    tolerance: float = 0.1  # a case that costs at most so much more than the best is good enough
    budget: float  # seconds
    memory_limit_mib: int  # live forks together stay below
    most_forks: int | None = None  # that live at a time, where fewer than all of a bundle may
