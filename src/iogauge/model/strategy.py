"""A strategy as its runner declares it, and the runtime that carries it out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Annotated, Literal, TypeVar, get_args

from pydantic import Field

from iogauge.model.imported import Imported
from iogauge.model.noun import Noun
from iogauge.model.workload import (
    OF_THE_API,
    Access,
    Conditions,
    Consume,
    Durability,
    Medium,
    Mode,
    Operation,
)

Output = Literal["null", "pipe"]
LIMIT = 600.0
"""Seconds that a call of code of the user's, or a run of a command, may take."""


class Words(Noun):
    """An argument list with `{file}` and parameters open; with `shell`, paths in it are quoted."""

    words: Annotated[tuple[str, ...], Field(min_length=1)]
    shell: bool = False


class Command(Noun):
    """What a strategy runs once for each operation, as `run`; nobody can know what that reads.

    `text` is what the user wrote. `prepare` runs before each operation, untimed. What takes longer
    than `limit` seconds is ended. `output` says where the command writes to: the null device, or a
    pipe that is emptied. With `any_status` it does not fail by its exit status.
    """

    text: str
    run: Words
    prepare: Words | None = None
    limit: Annotated[float, Field(gt=0)] = LIMIT
    output: Output = "null"
    any_status: bool = False


Format = Literal["plain", "java-object-stream", "gzip", "json-lines"]
"""What a strategy takes its file to be. `json-lines` describes the data, not a framing."""

Sums = Literal["byte", "utf16", "codepoint", "line-byte", "line-utf16", "line-codepoint", "nothing"]
"""`nothing`: the user's own code, which returns a result instead of what it read."""

Peculiarity = Literal[
    "lone-cr",
    "final-cr",
    "form-feed",
    "separators",
    "next-line",
    "line-separator",
    "nul",
    "trailing-data",
    "trailing-zeros",
]
"""What a file may have that some ways to read it do not take as others do.

lone-cr: a carriage return without a line feed behind it; final-cr: one at the very end; form-feed:
VT or FF; separators: U+001C to U+001E; next-line: U+0085; line-separator: U+2028 or U+2029; nul: a
NUL; trailing-data, trailing-zeros: something, or zeros only, behind the last member of a gzip file.
"""

_TRIPS: dict[Peculiarity, str] = {
    "lone-cr": "would also end lines at a lone carriage return",
    "final-cr": "would drop the carriage return at the end of the file",
    "form-feed": "would also end lines at a form feed or a vertical tab",
    "separators": "would also end lines at U+001C to U+001E",
    "next-line": "would also end lines at U+0085",
    "line-separator": "would also end lines at U+2028 and U+2029",
    "nul": "would lose what follows a NUL",
    "trailing-data": "cannot read a gzip file with something behind it (gzip itself complains too)",
    "trailing-zeros": "cannot read a gzip file with zeros behind it",
}
"""Behind `which`: what a way would do to a file that has this."""

Buffer = Literal["new", "reused", "none"]
"""The memory through which the data go: each operation allocates it (a library's buffer, the whole
file, a text per line); it is there before; or there is none of more than a few bytes (a mapping, a
copy inside the kernel, single bytes).
"""

Delivery = Literal["copied", "borrowed"]
"""Whether a program gets data in memory of its own, or where a mapping or library has them."""

Opens = Literal["each", "before"]
"""When the file is opened: by each operation, or once for operations that follow one another."""

ParameterUnit = Literal["bytes", "chars", "count", "switch"]
"""The unit of a parameter's value. A switch is 0 (off) or 1 (on)."""

ParameterRole = Literal["buffer", "piece", "depth", "switch", "parallel", "other"]
"""What the value of a parameter means, in the order in which values are shown.

buffer: the size of a buffer that belongs to the library; piece: how much the program moves with
one call, or with one access; depth: how many requests are in flight at a time; switch: something
that is on or off; parallel: how many threads work at a time; other: anything else.
"""

UNITS: dict[ParameterRole, tuple[ParameterUnit, ...]] = {
    "buffer": ("bytes", "chars"),
    "piece": ("bytes", "chars"),
    "depth": ("count",),
    "switch": ("switch",),
    "parallel": ("count",),
    "other": get_args(ParameterUnit),
}
"""The units that suit each role."""

Occasion = Literal["warm", "device", "synchronous", "append"]
"""When a ceiling tries which values.

warm: the data is in memory or in the page cache; device: operations wait for the device;
synchronous: each call waits for it; append: the data goes to the end of a file.
"""

Otherwise = TypeVar("Otherwise", int, None)
_BUFFERS: dict[Buffer, str] = {
    "new": "new buffer",
    "reused": "buffer reused",
    "none": "no buffer",
}
STRATEGY_NAME = r"^[a-z][a-z0-9]*/[a-z0-9]+(-[a-z0-9]+)*$"


class Parameter(Noun):
    """One parameter of a strategy: a whole number with bounds, its unit and its role.

    `tried` holds the values of a ceiling's parameter that are worth trying.
    """

    default: int
    min: int
    max: int
    unit: ParameterUnit
    role: ParameterRole
    says: str = ""
    tried: dict[Occasion, tuple[int, ...]] = {}

    def to_try(self, occasions: Iterable[Occasion]) -> tuple[int, ...]:
        """The values for the first of these occasions that has some; else the default alone."""
        return next((self.tried[each] for each in occasions if each in self.tried), (self.default,))


class Needs(Noun):
    memory_per_file_byte: float = 0.0
    runtime: str | None = None


class Strategy(Noun):
    """A strategy as its runner declares it (docs/wire.md, `list`).

    `call` is the short name that its users would type or search for; run files of before it was
    declared have none. `unit` is what the program handles at a time. `command` is set where an
    operation is a whole command of the user's, `imported` where another tool measured it.
    `instead_of` names the strategy that hands over what the same function returns: only one of the
    two is measured.
    """

    name: Annotated[str, Field(pattern=STRATEGY_NAME)]
    title: Annotated[str, Field(min_length=1, max_length=60)]
    call: Annotated[str, Field(max_length=34)] = ""
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
    role: Literal["contestant", "null", "published", "compute_only", "ceiling"]
    generates: bool = False
    bypasses_cache: bool = False
    mapped: bool = False
    replaces: bool = False
    buffer: Buffer | None = None  # of these three, run files of before they were declared have none
    data: Delivery | None = None
    opens: Opens | None = None
    uncounted: str | None = None  # why the kernel's counts of its calls do not tell its own
    trips_on: tuple[Peculiarity, ...] = ()  # reads it otherwise than it is defined, or fails
    compute_only: str | None = None
    needs: Needs = Needs()
    instead_of: str | None = None
    unavailable: str | None = None
    command: Command | None = None
    imported: Imported | None = None

    @property
    def language(self) -> str:
        return self.name.partition("/")[0]

    @property
    def defaults(self) -> dict[str, int]:
        """The default of each parameter."""
        return {name: limits.default for name, limits in self.parameters.items()}

    @property
    def is_own(self) -> bool:
        """Whether it is a function of the user's own (docs/your-code.md)."""
        return is_own(self.name)

    @property
    def is_checked(self) -> bool:
        """Whether it reports what it reads, so that this can be compared with the file."""
        return self.command is None and self.sums != "nothing"

    @property
    def by_line(self) -> bool:
        """Whether it gives the lines of its data, however much it reads at a time."""
        return self.sums.startswith("line")

    @property
    def known_as(self) -> str:
        """The name to show to people."""
        return self.imported.text if self.imported else self.call or self.title

    @property
    def handling(self) -> tuple[str, ...]:
        """How it differs from the usual: `new buffer`, `data borrowed`, `file opened before`."""
        return (
            *([_BUFFERS[self.buffer]] if self.buffer else []),
            *(["data borrowed"] if self.data == "borrowed" else []),
            *(["file opened before"] if self.opens == "before" else []),
        )

    @property
    def roles(self) -> dict[str, ParameterRole]:
        """The role of each parameter."""
        return {name: each.role for name, each in self.parameters.items()}

    def parameter(self, role: ParameterRole) -> str | None:
        """The name of the parameter with this role, or None. Of several it is the first."""
        return next((name for name, each in self.parameters.items() if each.role == role), None)

    def value(
        self, role: ParameterRole, parameters: Mapping[str, int], otherwise: Otherwise
    ) -> int | Otherwise:
        """The value of the parameter with this role, or `otherwise` where there is none."""
        name = self.parameter(role)
        return otherwise if name is None else parameters.get(name, otherwise)

    def ordered(self, parameters: Mapping[str, int]) -> dict[str, int]:
        """The same values in the order in which they are shown: by role, then by name."""

        def rank(name: str) -> tuple[int, str]:
            declared = self.parameters.get(name)
            return get_args(ParameterRole).index(declared.role if declared else "other"), name

        return {name: parameters[name] for name in sorted(parameters, key=rank)}

    @property
    def reads_mapped(self) -> bool:
        return self.mapped and self.operation == "read"

    def trips(self, peculiarities: Collection[Peculiarity]) -> str | None:
        """What it would do to a file with these peculiarities, behind `which`; None if it reads the
        file as it is.
        """
        return next((_TRIPS[each] for each in self.trips_on if each in peculiarities), None)

    def why_not_past_cache(self, conditions: Conditions) -> str | None:
        """Why a way past the page cache is not compared with others under these conditions, or
        None. Where they only use the cache, it does another thing: it waits for the device.
        """
        cached = conditions.cache == "warm" or (
            conditions.cache is None and conditions.durability == "none"
        )
        if self.bypasses_cache and cached:
            return "it goes past the page cache, which is all that others use here"
        return None

    def why_not_durable(self, durability: Durability | None) -> str | None:
        """Why what it writes cannot be made durable in this way, or None."""
        if durability in OF_THE_API and durability not in self.durabilities:
            return f"its API offers no {durability}"
        if durability == "sync-inode" and self.replaces:
            return "it puts a new file, which does not wait, in the place of one that would"
        if durability in ("sync-inode", "sync-mount") and self.mapped:
            return "what is written through a mapping does not wait for the device"
        return None


class Runtime(Noun):
    """A language implementation found on this host, with what its runner can do there.

    `heap_minimum_mib` and `overhead_mib` are what one fork takes at least, `start_seconds` is a
    first guess of how long one takes to be ready, `warm_up_seconds` how long it is warmed up on its
    first file; longer, until it carried out `warm_up_calls` operations, but no longer than
    `longest_warm_up_seconds`. Where `compiled_after_calls` of an operation its own code is compiled
    for good, a fork whose spans are level, and whose `compiling_threads` have nothing to do, is
    warmed up no longer than that takes.
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
    compiled_after_calls: int | None = None
    compiling_threads: tuple[str, ...] = ()  # how their names begin
    steady_after_rest: float = 0.0  # s, of a way that allocates
    collects: bool = False  # whether it counts its garbage collections, which samples then span
    options_are_variables: bool = False  # of the environment, NAME=VALUE; else arguments
    language_names: dict[str, str] = {}  # what people call a language, where it is no capital

    @property
    def label(self) -> str:
        """The name that the user gave to it: `new` of `jvm-new`; empty where it has none."""
        return label_of(self.name, self.runner, self.version)

    def name_of(self, language: str) -> str:
        """What people call one of its languages: `Java`, `C++`."""
        return name_of(language, self.language_names)

    @property
    def known_version(self) -> str:
        """The version or label to show: `17.0.15`, `gcc-12.2.0`, `17.0.15 (new)`."""
        if not self.label:
            return self.version
        return self.label if self.version in self.label else f"{self.version} ({self.label})"

    @property
    def chosen_as(self) -> str:
        """What stands before the path on the command line: `jvm`, or `jvm:new`."""
        return chosen_as(self.runner, self.label)


def is_own(strategy: str) -> bool:
    """Whether this is the name of a function of the user's own, as runners give it."""
    return "/own-" in strategy


def name_of(language: str, names: Mapping[str, str]) -> str:
    """What people call a language: as one of these names says, or its word with a capital."""
    return names.get(language) or language.capitalize()


def told_with(name: str, setting: str) -> str:
    """A name with its runtime: `Java (17.0.15)`, `Java (new)`; the setting is `jvm-17.0.15`."""
    return f"{name} ({version_of(setting)})"


def set_name(language: str, setting: str | None, names: Mapping[str, str]) -> str:
    """The name of a set, which is a language or one of its settings: `C++`, `Java (17.0.15)`."""
    name = name_of(language, names)
    return told_with(name, setting) if setting else name


def version_of(setting: str) -> str:
    """A setting without its runner: `17.0.15`."""
    return setting.partition("-")[2] or setting


def chosen_as(runner: str, label: str) -> str:
    """`jvm`, or `jvm:new`."""
    return f"{runner}:{label}" if label else runner


def label_of(name: str, runner: str, version: str) -> str:
    """What the user called a runtime: `new` of `jvm-new`; empty where its name has the version."""
    rest = name.removeprefix(f"{runner}-")
    return "" if rest == version else rest
