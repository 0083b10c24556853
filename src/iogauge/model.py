"""The nouns (docs/concepts.md), frozen and validated. Everything else is made of these."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from iogauge.units import short_size, size

Cache = Literal["warm", "cold", "as-left"]
Consume = Literal["none", "touch", "sum"]
Content = Literal["bytes", "text", "sparse"]
Operation = Literal["read"]

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
    medium: Literal["file", "memory"]
    sums: Literal["byte"]
    consumes: tuple[Consume, ...]
    parameters: dict[str, Parameter] = {}
    effort: Annotated[int, Field(ge=1, le=4)]
    role: Literal["contestant", "null"]
    needs: Needs = Needs()
    unavailable: str | None = None

    @property
    def language(self) -> str:
        return self.name.partition("/")[0]


class Runtime(Noun):
    """A language implementation found on this host, with what its runner can do there.

    `heap_minimum_mib` and `overhead_mib` are what one fork takes at least, `start_seconds` is a first
    guess of how long one takes to be ready, `warm_up_seconds` how long it is warmed up on its first file.
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


class Workload(Noun):
    """What is to be done; `size` in bytes."""

    operation: Operation = "read"
    size: Annotated[int, Field(ge=0)]
    content: Content = "bytes"
    consume: Consume = "touch"

    def __str__(self) -> str:
        return f"{self.operation}(size={self.size},content={self.content},consume={self.consume})"

    @property
    def title(self) -> str:
        return f"{self.operation} {size(self.size)} of {self.content}, consume = {self.consume}"


class Conditions(Noun):
    cache: Cache = "warm"

    def __str__(self) -> str:
        return f"cache={self.cache}"


class Case(Noun):
    """Strategy + parameters + workload + conditions + runtime; `twin` marks the A/A double of a baseline."""

    strategy: str
    parameters: dict[str, int] = {}
    workload: Workload
    conditions: Conditions
    runtime: str
    twin: bool = False

    @property
    def key(self) -> str:
        """The canonical, readable identity. Holds no path and no host."""
        return f"{self.key_without_runtime} @{self.runtime}" + (" twin" if self.twin else "")

    @property
    def key_without_runtime(self) -> str:
        """Matches the same case across versions and hosts."""
        return f"{self.variant} {self.workload} {self.conditions}"

    @property
    def variant(self) -> str:
        """Strategy and parameters: `java/file-input-stream(block=8192)`."""
        inside = ",".join(f"{name}={value}" for name, value in sorted(self.parameters.items()))
        return f"{self.strategy}({inside})" if inside else self.strategy

    @property
    def label(self) -> str:
        """The variant for narrow tables: `java/file-input-stream 8K`."""
        order = sorted(self.parameters, key=lambda name: (name != "buffer", name))  # the library's buffer first
        values = "/".join(short_size(self.parameters[name]) for name in order)
        return f"{self.strategy} {values}".strip()

    @property
    def language(self) -> str:
        return self.strategy.partition("/")[0]


class ForkSpec(Noun):
    """What one fresh process serves: one variant and one kind of consuming, across sizes and conditions."""

    runtime: str
    strategy: str
    parameters: dict[str, int] = {}
    consume: Consume
    twin: bool = False
    heap_mib: int = 0

    @property
    def name(self) -> str:
        inside = ",".join(f"{name}={value}" for name, value in sorted(self.parameters.items()))
        return f"{self.strategy}({inside}) {self.consume} @{self.runtime}" + (" twin" if self.twin else "")


class Group(Noun):
    """Cases that answer one question. Indexes point into the plan's list of cases.

    The twin belongs to the cases. `rounds` is per replicate; `baseline` and `twin` are case indexes.
    """

    id: str
    question: str
    workload: Workload
    conditions: Conditions
    cases: tuple[int, ...]
    baseline: int
    twin: int
    rounds: int

    @property
    def file(self) -> tuple[str, int, str]:
        """Which data file it reads: content, size, cache. Cold cases must not leave behind the pages that warm ones use."""
        return self.workload.content, self.workload.size, self.conditions.cache

    @property
    def title(self) -> str:
        return f"{self.workload.title}, {self.conditions.cache}"


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
    protocol: Literal["sound"] = "sound"
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
