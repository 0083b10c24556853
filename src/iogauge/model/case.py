"""A case: the smallest thing that is measured, and its key."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from iogauge.model.noun import Noun
from iogauge.model.strategy import Strategy
from iogauge.model.units import short_size
from iogauge.model.workload import Conditions, Consume, Workload


def variant_name(strategy: str, parameters: dict[str, int]) -> str:
    """`java/file-input-stream(block=8192)`."""
    inside = ",".join(f"{name}={value}" for name, value in sorted(parameters.items()))
    return f"{strategy}({inside})" if inside else strategy


def runtimes_differ(settings: Iterable[tuple[str, str]]) -> bool:
    """Whether a language ran on several runtimes or options, given (language, setting) pairs."""
    pairs = set(settings)
    return len(pairs) > len({language for language, _ in pairs})


def worth_showing(cases: Iterable[tuple[Variant, Strategy]]) -> set[str]:
    """The parameters that tell these cases apart: for `display` of each of them.

    Left out is what all cases share. What only some of them have is shown if its value varies, or
    if it is worth showing for a case alone.
    """
    cases = list(cases)
    settings = [set(_given(case, declared)) for case, declared in cases]
    shared = set.intersection(*settings) if settings else set()
    seen = set().union(*settings) - shared
    names = [name for name, _ in seen]
    varied = {name for name in names if names.count(name) > 1}
    alone = {name for case, strategy in cases for name in case.unusual(strategy)}
    return varied | alone - {name for name, _ in shared}


def _given(case: Variant, declared: Strategy) -> Iterable[tuple[str, int | str]]:
    """The parameters of a case with their values; of what another tool measured, those that it
    gave, as text.
    """
    return (declared.imported or case).parameters.items()


class Variant(Noun):
    """Strategy + parameters + runtime: a case without what it is measured on.

    The plan puts `parameters` in the order in which they are shown; keys sort them by name.
    `options` are settings of the runtime, in its own words (`-XX:+UseBiasedLocking`), added to
    those of its runner.
    """

    strategy: str
    parameters: dict[str, int] = {}
    runtime: str
    options: tuple[str, ...] = ()

    @property
    def variant(self) -> str:
        """The strategy with its parameters: `java/file-input-stream(block=8192)`."""
        return variant_name(self.strategy, self.parameters)

    @property
    def setting(self) -> str:
        """The runtime with its options: `jvm-17.0.15 -XX:+UseBiasedLocking`."""
        return " ".join([self.runtime, *self.options])

    @property
    def label(self) -> str:
        """The variant for narrow tables: `java/file-input-stream 8K`."""
        values = "/".join(map(short_size, self.parameters.values()))
        return f"{self.strategy} {values}".strip()

    def unusual(self, declared: Strategy) -> list[str]:
        """The parameters to show without a comparison: pieces, and values not at default."""
        usual = {name: each.default for name, each in declared.parameters.items()}
        pieces = {name for name, role in declared.roles.items() if role == "piece"}
        given = self.parameters.items()
        return [name for name, value in given if name in pieces or value != usual.get(name)]

    def display(self, declared: Strategy, shown: Collection[str] | None = None) -> str:
        """The variant for people: `FileInputStream 128K`, `bufio.Reader.Read 64K, pieces of 100`.

        `declared` is its strategy. `shown` names the parameters to show; without it the `unusual`
        ones are shown. A whole command has its values where they go: `dd if={file} bs=4K`.
        """
        names = self.unusual(declared) if shown is None else shown
        if declared.imported:
            return declared.imported.display(
                declared.imported.parameters if shown is None else names
            )
        called, words = declared.known_as, ""
        for name, value in self.parameters.items():
            if "{" + name + "}" in called:
                called = called.replace("{" + name + "}", short_size(value))
            elif name in names:
                words += _in_words(declared, name, value)
        return called + words

    @property
    def language(self) -> str:
        return self.strategy.partition("/")[0]

    def case(self, workload: Workload, conditions: Conditions) -> Case:
        return Case(**dict(self), workload=workload, conditions=conditions)


class Case(Variant):
    """A variant with its workload and conditions; `control` marks the A/A double of a baseline."""

    workload: Workload
    conditions: Conditions
    control: bool = False

    @property
    def key(self) -> str:
        """The canonical, readable identity. It holds no path and no host."""
        return f"{self.key_without_runtime} @{self.setting}" + (" control" if self.control else "")

    @property
    def doubled_key(self) -> str:
        """The key of the case whose double this one is; its own, if it is none."""
        return self.model_copy(update={"control": False}).key

    @property
    def key_without_runtime(self) -> str:
        """Matches the same case across versions and hosts."""
        return f"{self.variant} {self.workload} {self.conditions}".rstrip()

    @property
    def bytes_per_operation(self) -> int:
        """Bytes that one operation reads or writes."""
        workload = self.workload
        if workload.accesses is None:
            return workload.size
        if workload.access_bytes is None:
            raise ValueError(f"{self.key}: the plan does not say how much each access reads")
        return workload.accesses * workload.access_bytes

    @property
    def shape(self) -> str:
        """Cases of one shape look the same to a fork's code: `bytes 16777216`."""
        workload = self.workload
        parts: list[object] = [workload.content, workload.size, workload.accesses, workload.mode]
        parts += (
            [self.conditions.durability, self.conditions.lifetime] if workload.writes_file else []
        )
        return " ".join(str(part) for part in parts if part is not None)


def _in_words(declared: Strategy, name: str, value: int) -> str:
    """What the value of a parameter adds to a name for people: ` 64K`, `, pieces of 100 bytes`,
    `, 4 threads`, `, preallocate`. A switch that is off by default says nothing while it is off.
    """
    size = short_size(value)
    if size.isdigit() and name in declared.parameters:
        unit = {"bytes": "byte", "chars": "char"}.get(declared.parameters[name].unit)
        size += f" {unit}{'' if value == 1 else 's'}" if unit else ""
    match declared.roles.get(name):
        case "buffer":
            return f" {size}"
        case "piece":
            return f", pieces of {size}" if declared.parameter("buffer") else f" {size}"
        case "depth":
            return f", {value} in flight"
        case "parallel":
            return f", {value} thread{'' if value == 1 else 's'}"
        case "switch" if value:
            return f", {name}"
        case "switch":
            return f", no {name}" if declared.parameters[name].default else ""
    return f", {name} {size}"


class ForkSpec(Noun):
    """One fresh process: a variant and a kind of consuming; without strategy, whatever comes."""

    runtime: str
    strategy: str | None = None
    parameters: dict[str, int] = {}
    consume: Consume | None = None
    options: tuple[str, ...] = ()
    control: bool = False
    heap_mib: int = 0

    @property
    def name(self) -> str:
        setting = " ".join([self.runtime, *self.options])
        if self.strategy is None:
            return f"all @{setting}"
        return f"{variant_name(self.strategy, self.parameters)} {self.consume} @{setting}" + (
            " control" if self.control else ""
        )
