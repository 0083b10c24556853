"""The nouns (docs/concepts.md), frozen and validated. Everything else is made of these."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from iogauge.model.units import short_size, size

Cache = Literal["warm", "cold", "as-left"]
Durability = Literal["none", "fsync", "dsync", "sync-inode", "sync-mount"]
Lifetime = Literal["operation", "sample", "fork", "run"]
Mode = Literal["truncate", "append"]
Consume = Literal["none", "touch", "sum"]
Content = Literal["bytes", "text", "text-crlf", "text-unicode", "text-one-line", "sparse", "own"]
Format = Literal["plain", "java-object-stream"]
Operation = Literal["read", "write", "copy"]
Medium = Literal["file", "memory"]
Access = Literal["sequential", "random"]
Sums = Literal["byte", "utf16", "codepoint", "line-byte", "line-utf16", "line-codepoint"]

Protocol = Literal["sound", "published"]

COLLECTIONS_PER_SAMPLE = 5
"""Garbage collections, of an allocating case: fewer, and what they cost is in some samples only."""

STRATEGY_NAME = r"^[a-z][a-z0-9]*/[a-z0-9]+(-[a-z0-9]+)*$"


class UserError(Exception):
    """Bad usage or input: one clear line for the user, exit status 2."""


class Noun(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Parameter(Noun):
    """One parameter of a strategy: a whole number with bounds."""

    default: int
    min: int
    max: int
    says: str = ""


class Needs(Noun):
    memory_per_file_byte: float = 0.0
    runtime: str | None = None


class Strategy(Noun):
    """A strategy as its runner declares it (docs/wire.md, `list`)."""

    name: Annotated[str, Field(pattern=STRATEGY_NAME)]
    title: Annotated[str, Field(min_length=1, max_length=60)]
    operation: Operation
    unit: Literal["byte", "block", "char", "line", "file"]
    medium: Medium
    access: Access = "sequential"
    sums: Sums
    consumes: tuple[Consume, ...]
    modes: tuple[Mode, ...] = ()
    durabilities: tuple[Durability, ...] = ()
    format: Format = "plain"
    parameters: dict[str, Parameter] = {}
    effort: Annotated[int, Field(ge=1, le=4)]
    role: Literal["contestant", "null", "published", "companion", "ceiling"]
    generates: bool = False
    bypasses_cache: bool = False
    mapped: bool = False
    companion: str | None = None
    needs: Needs = Needs()
    unavailable: str | None = None

    @property
    def language(self) -> str:
        return self.name.partition("/")[0]

    @property
    def reads_mapped(self) -> bool:
        return self.mapped and self.operation == "read"

    def why_not_durable(self, durability: Durability | None) -> str | None:
        """Why what it writes cannot be made durable in this way, or None. A synchronous file makes
        calls wait, and a mapping has none.
        """
        if durability in ("fsync", "dsync") and durability not in self.durabilities:
            return f"its API offers no {durability}"
        if durability in ("sync-inode", "sync-mount") and self.mapped:
            return "what is written through a mapping does not wait for the device"
        return None


class Runtime(Noun):
    """A language implementation found on this host, with what its runner can do there.

    `heap_minimum_mib` and `overhead_mib` are what one fork takes at least, `start_seconds` is a
    first guess of how long one takes to be ready, `warm_up_seconds` how long it is warmed up on its
    first file; longer, until it carried out `warm_up_calls` operations, but no longer than
    `longest_warm_up_seconds`.
    """

    name: str  # jvm-17.0.15
    runner: str  # jvm
    version: str
    title: str  # OpenJDK 64-Bit Server VM
    languages: tuple[str, ...]
    build: str  # hash of the runner's sources and of what built them
    strategies: dict[str, Strategy]
    clock_resolution_ns: int
    heap_minimum_mib: int
    overhead_mib: int
    start_seconds: float
    warm_up_seconds: float
    warm_up_calls: int = 0
    longest_warm_up_seconds: float = 0.0
    options_are_variables: bool = False  # of the environment, NAME=VALUE; else arguments


def variant_name(strategy: str, parameters: dict[str, int]) -> str:
    """`java/file-input-stream(block=8192)`."""
    inside = ",".join(f"{name}={value}" for name, value in sorted(parameters.items()))
    return f"{strategy}({inside})" if inside else strategy


def runtimes_differ(settings: Iterable[tuple[str, str]]) -> bool:
    """Whether cases of one language ran on several runtimes, or with several options, so that these
    have to be named: of (language, setting).
    """
    pairs = set(settings)
    return len(pairs) > len({language for language, _ in pairs})


class Workload(Noun):
    """What is to be done; `size` in bytes. `accesses` is the number of offsets of random access,
    `mode` how a written file is opened; both are None where they do not apply.
    """

    operation: Operation = "read"
    size: Annotated[int, Field(ge=0)]
    content: Content = "bytes"
    consume: Consume = "touch"
    medium: Medium = "file"
    accesses: Annotated[int, Field(ge=1)] | None = None
    mode: Mode | None = None

    def __str__(self) -> str:
        """What differs from reading a file sequentially is named, so that keys stay short."""
        parts = [f"size={self.size}", f"content={self.content}"]
        parts += [f"consume={self.consume}"] if self.operation == "read" else []
        parts += [f"medium={self.medium}"] if self.medium != "file" else []
        parts += [f"accesses={self.accesses}"] if self.accesses else []
        parts += [f"mode={self.mode}"] if self.mode else []
        return f"{self.operation}({','.join(parts)})"

    @property
    def access(self) -> Access:
        return "random" if self.accesses else "sequential"

    @property
    def takes_payload(self) -> bool:
        """Whether its data is given to the runner beforehand: to be written, copied, or worked on
        in memory.
        """
        return self.operation != "read" or self.medium == "memory"

    @property
    def reads_file(self) -> bool:
        return self.operation != "write" and self.medium == "file"

    @property
    def writes_file(self) -> bool:
        return self.operation != "read" and self.medium == "file"

    @property
    def title(self) -> str:
        where = " in memory" if self.medium == "memory" else ""
        some = (
            f"{self.accesses} block{'s' if self.accesses > 1 else ''} at random offsets in "
            if self.accesses
            else ""
        )
        data = (
            f"a file of the user's of {size(self.size)}"
            if self.content == "own"
            else f"{size(self.size)} of {self.content}"
        )
        what = f"{self.operation} {some}{data}{where}"
        if self.operation == "read":
            return f"{what}, consume = {self.consume}"
        return f"{what}, {self.mode}" if self.mode else what


class Conditions(Noun):
    """Under which it is done. `cache` is for files that are read, `durability` and `lifetime` (of
    the file) for files that are written, all of them for those that are copied; None where it does
    not apply.
    """

    cache: Cache | None = None
    durability: Durability | None = None
    lifetime: Lifetime | None = None

    def __str__(self) -> str:
        given = {"cache": self.cache, "durability": self.durability, "lifetime": self.lifetime}
        return " ".join(f"{name}={value}" for name, value in given.items() if value)

    @property
    def durable(self) -> bool:
        """Whether operations wait for the device to have written."""
        return self.durability not in (None, "none")

    @property
    def waits_for_device(self) -> bool:
        """Operations wait, and the kernel works for them meanwhile."""
        return self.cache == "cold" or self.durable

    @property
    def title(self) -> str:
        says = [self.cache] if self.cache else []
        if self.durability:
            says += [
                "not made durable" if self.durability == "none" else self.durability,
                f"a file per {self.lifetime}",
            ]
        return ", ".join(says)


class Case(Noun):
    """Strategy + parameters + workload + conditions + runtime; `twin` marks the A/A double of a
    baseline.

    `options` are settings of the runtime, in its own words (`-XX:+UseBiasedLocking`), added to
    those of its runner.
    """

    strategy: str
    parameters: dict[str, int] = {}
    workload: Workload
    conditions: Conditions
    runtime: str
    options: tuple[str, ...] = ()
    twin: bool = False

    @property
    def key(self) -> str:
        """The canonical, readable identity. Holds no path and no host."""
        return f"{self.key_without_runtime} @{self.setting}" + (" twin" if self.twin else "")

    @property
    def setting(self) -> str:
        """The runtime with its options: `jvm-17.0.15 -XX:+UseBiasedLocking`."""
        return " ".join([self.runtime, *self.options])

    @property
    def key_without_runtime(self) -> str:
        """Matches the same case across versions and hosts."""
        return f"{self.variant} {self.workload} {self.conditions}".rstrip()

    @property
    def variant(self) -> str:
        return variant_name(self.strategy, self.parameters)

    @property
    def label(self) -> str:
        """The variant for narrow tables: `java/file-input-stream 8K`."""
        order = sorted(
            self.parameters, key=lambda name: (name != "buffer", name)
        )  # the library's buffer first
        values = "/".join(short_size(self.parameters[name]) for name in order)
        return f"{self.strategy} {values}".strip()

    @property
    def language(self) -> str:
        return self.strategy.partition("/")[0]

    @property
    def bytes_per_operation(self) -> int:
        """Bytes that one operation reads or writes."""
        if self.workload.accesses:
            return self.workload.accesses * self.parameters["block"]
        return self.workload.size

    @property
    def shape(self) -> str:
        """What a fork's code has to get used to: cases of one shape differ in nothing that it sees.
        `bytes 16777216`.
        """
        workload = self.workload
        parts = [workload.content, workload.size, workload.accesses, workload.mode]
        parts += (
            [self.conditions.durability, self.conditions.lifetime] if workload.writes_file else []
        )
        return " ".join(str(part) for part in parts if part is not None)


class ForkSpec(Noun):
    """What one fresh process serves: one variant and one kind of consuming, across sizes and
    conditions; without a strategy, whatever is asked of it, one after another.
    """

    runtime: str
    strategy: str | None = None
    parameters: dict[str, int] = {}
    consume: Consume | None = None
    options: tuple[str, ...] = ()
    twin: bool = False
    heap_mib: int = 0

    @property
    def name(self) -> str:
        setting = " ".join([self.runtime, *self.options])
        if self.strategy is None:
            return f"all @{setting}"
        return f"{variant_name(self.strategy, self.parameters)} {self.consume} @{setting}" + (
            " twin" if self.twin else ""
        )


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


class Group(Noun):
    """Cases that answer one question. Indexes point into the plan's list of cases.

    The twin belongs to the cases; a group measured as published has none. `rounds` is per
    replicate, `operations` are those that a published protocol times in one span; `baseline` and
    `twin` are case indexes. Cases that are far behind are settled early, unless `to_the_end`.
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
    twin: int | None
    rounds: int
    operations: int | None = None
    to_the_end: bool = False

    @property
    def title(self) -> str:
        return ", ".join(part for part in (self.workload.title, self.conditions.title) if part)


class Bundle(Noun):
    """Groups measured together because they share forks. Indexes into the plan's groups and forks."""

    groups: tuple[int, ...]
    forks: tuple[int, ...]
    heap_mib: int


class Skipped(Noun):
    """Something the study names that this plan does not measure, and why."""

    what: str
    why: str


class Plan(Noun):
    """What will be measured. Frozen before anything runs; the run file's header carries it."""

    study: str
    protocol: Protocol = "sound"
    published: PublishedProtocol | None = None
    cases: tuple[Case, ...]
    fork_of: tuple[int, ...]  # case index → fork index
    forks: tuple[ForkSpec, ...]
    groups: tuple[Group, ...]
    bundles: tuple[Bundle, ...]
    skipped: tuple[Skipped, ...] = ()
    seed: int
    precision: float
    budget: float  # seconds
    memory_limit_mib: int  # live forks together stay below
