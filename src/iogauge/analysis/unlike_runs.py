"""What differs between separate runs, and which runtime of one goes with which of the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from iogauge.model.case import Case
from iogauge.model.strategy import Runtime
from iogauge.model.units import cores_of, exact_size, size
from iogauge.runfile.run import Run

Fact = Literal[
    "host",
    "settings",  # of the host: cores that may be used, memory, huge pages, governor
    "kernel",
    "file system",
    "runtime",
    "Python",  # of iogauge, which carries out the fixed work
    "iogauge",
    "method",
    "protocol",
    "study",
    "sizes",
    "conditions",
    "parameters",
    "ways",
    "rounds",
    "heap",
]
"""In the order of how much they matter to a comparison."""
MACHINE: frozenset[Fact] = frozenset({"settings", "kernel", "file system"})
"""What changes everything that goes through the system, an anchor too, but for fixed work."""
OF_WAYS: frozenset[Fact] = frozenset({"sizes", "conditions", "parameters"})
"""Of which only those are told that not all runs have."""
NO_ANCHOR: frozenset[Fact] = frozenset({"host", "iogauge", "method", "protocol"})
"""What no anchor takes out."""
_UNKNOWN = "not known"


@dataclass(frozen=True)
class Differs:
    """A fact that is not the same in all runs: what it is in those of the base, each value once,
    and in the new one. Of facts `OF_WAYS` these are the values that not all runs have. `of` names
    what it is of: a runtime, say.
    """

    fact: Fact
    bases: tuple[str, ...]
    new: str
    of: str = ""


@dataclass(frozen=True)
class RuntimePair:
    """A runtime of a run of the base, and the one of the new run that it is compared with."""

    base: Runtime
    new: Runtime

    @property
    def changed(self) -> bool:
        return (self.base.version, self.base.build) != (self.new.version, self.new.build)


def used(run: Run) -> list[Runtime]:
    """The runtimes of its cases, ceilings left out."""
    cases = run.plan.cases
    names = {cases[case].runtime for group in run.plan.groups for case in group.cases}
    return [each for each in run.header.runtimes if each.name in names]


def runtime_pairs(base: Run, new: Run) -> list[RuntimePair]:
    """By runner: those of the same name, and those that are left where that is one of each."""
    found = []
    for runner in dict.fromkeys(each.runner for each in used(new)):
        old, young = ([e for e in used(run) if e.runner == runner] for run in (base, new))
        names = {each.name for each in old} & {each.name for each in young}
        found += [
            RuntimePair(one, two) for one in old for two in young if one.name == two.name in names
        ]
        old, young = ([e for e in of if e.name not in names] for of in (old, young))
        if len(old) == len(young) == 1:
            found.append(RuntimePair(old[0], young[0]))
    return found


@dataclass(frozen=True)
class Matched:
    """Which runtimes of two runs go together. `by_name` are pairs of a runner of which a run has
    several; the others, by name, have none to go with.
    """

    pairs: tuple[RuntimePair, ...]
    by_name: tuple[RuntimePair, ...]
    only_base: tuple[str, ...]
    only_new: tuple[str, ...]


def matched(base: Run, new: Run) -> Matched:
    pairs, old, young = runtime_pairs(base, new), used(base), used(new)
    several = {
        each.runner
        for of in (old, young)
        for each in of
        if sum(other.runner == each.runner for other in of) > 1
    }
    return Matched(
        tuple(pairs),
        tuple(each for each in pairs if each.new.runner in several),
        tuple(each.name for each in old if each.name not in {pair.base.name for pair in pairs}),
        tuple(each.name for each in young if each.name not in {pair.new.name for pair in pairs}),
    )


def all_of(bases: Sequence[Run], new: Run) -> tuple[Differs, ...]:
    """What differs, in the order of how much it matters."""
    found = [*_of_host(bases, new), *_of_runtimes(bases, new), *_of_tool(bases, new)]
    return (*found, *_of_plan(bases, new))


def _differs(
    fact: Fact, bases: Sequence[Run], new: Run, value: Callable[[Run], str], of: str = ""
) -> Iterator[Differs]:
    values = [*dict.fromkeys(map(value, bases))]
    if values != [value(new)]:
        yield Differs(fact, tuple(values), value(new), of)


def _of_host(bases: Sequence[Run], new: Run) -> Iterator[Differs]:
    def host(run: Run) -> str:
        known, facts = run.header.host.get("identity"), run.header.host
        if known is None:
            return _UNKNOWN
        named = facts.get("processor") or facts.get("machine")
        cores = cores_of(facts) if "cores" in facts else "cores not known"
        return f"{named}, {cores} ({str(known)[:6]})"

    def fact(name: str) -> Callable[[Run], str]:
        return lambda run: _told(run.header.host.get(name))

    found = [*_differs("host", bases, new, host)]
    if not found and host(new) == _UNKNOWN:
        found = [Differs("host", (_UNKNOWN,), _UNKNOWN)]
    yield from found
    for name, words in (
        ("usable_cores", "usable cores"),
        ("memory_limit_bytes", "memory limit"),
        ("transparent_huge_pages", "huge pages"),
        ("governor", "frequency governor"),
    ):
        yield from _differs("settings", bases, new, fact(name), words)
    yield from _differs("kernel", bases, new, fact("kernel"))
    yield from _differs("file system", bases, new, fact("file_system"))
    yield from _differs("file system", bases, new, fact("mounted_sync"), "mounted sync")
    yield from _differs("file system", bases, new, fact("read_ahead_bytes"), "read-ahead, bytes")


def _of_runtimes(bases: Sequence[Run], new: Run) -> Iterator[Differs]:
    for runtime in used(new):
        pairs = [
            pair
            for base in bases
            for pair in runtime_pairs(base, new)
            if pair.new.name == runtime.name
        ]
        of = [*dict.fromkeys(_version(each.base) for each in pairs)]
        if of and of != [_version(runtime)]:
            versions = [*dict.fromkeys(each.base.version for each in pairs), runtime.version]
            if len(set(versions)) == 1:
                of, now = [f"{versions[0]}, another build"], versions[0]
            else:
                of, now = versions[:-1], runtime.version
            yield Differs("runtime", tuple(of), now, runtime.name)


def _version(runtime: Runtime) -> str:
    return f"{runtime.version} {runtime.build}"


def _of_tool(bases: Sequence[Run], new: Run) -> Iterator[Differs]:
    yield from _differs("Python", bases, new, lambda run: _told(run.header.host.get("python")))
    yield from _differs("iogauge", bases, new, lambda run: run.header.iogauge)
    yield from _differs("method", bases, new, lambda run: run.header.method.hash)
    yield from _differs("protocol", bases, new, lambda run: run.plan.protocol)


def _of_plan(bases: Sequence[Run], new: Run) -> Iterator[Differs]:
    yield from _differs("study", bases, new, lambda run: run.plan.study)
    found = [
        *_of_ways("sizes", bases, new, lambda case: size(case.workload.size)),
        *_of_ways("conditions", bases, new, lambda case: case.conditions.title or "-"),
        *_of_ways("parameters", bases, new, _parameters),
    ]
    yield from found or _differs("ways", bases, new, _number_of_ways(bases, new))
    yield from _differs("rounds", bases, new, lambda run: _several(_rounds(run)))
    yield from _differs(
        "heap", bases, new, lambda run: _several(size(e.heap_mib << 20) for e in run.plan.bundles)
    )


def ways(run: Run) -> list[Case]:
    """What is compared: no ceilings and no controls."""
    cases, groups = run.plan.cases, run.plan.groups
    numbers = dict.fromkeys(case for group in groups for case in group.cases)
    controls = {group.control for group in groups}
    return [cases[number] for number in numbers if number not in controls]


def _of_ways(
    fact: Fact, bases: Sequence[Run], new: Run, value: Callable[[Case], str]
) -> Iterator[Differs]:
    *others, mine = [dict.fromkeys(map(value, ways(run))) for run in (*bases, new)]
    shared = set(mine).intersection(*others)
    of_base = dict.fromkeys(each for other in others for each in other if each not in shared)
    of_new = [each for each in mine if each not in shared]
    if of_base or of_new:
        yield Differs(fact, tuple(of_base), "; ".join(of_new))


def _number_of_ways(bases: Sequence[Run], new: Run) -> Callable[[Run], str]:
    """How many a run has, and how many of these not all runs have."""
    keys = [{each.key_without_runtime for each in ways(run)} for run in (*bases, new)]
    shared = set.intersection(*keys)

    def value(run: Run) -> str:
        mine = {each.key_without_runtime for each in ways(run)}
        return f"{len(mine)}, {len(mine - shared)} of them not in all runs" if mine - shared else ""

    return value


def _parameters(case: Case) -> str:
    return ",".join(f"{name}={value}" for name, value in sorted(case.parameters.items())) or "-"


def _rounds(run: Run) -> Iterable[str]:
    return (str(group.rounds) for group in run.plan.groups)


def _several(values: Iterable[str]) -> str:
    return "; ".join(sorted(set(values)))


def _told(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and value >= 1 << 20:
        return exact_size(value)
    return _UNKNOWN if value is None else str(value)
