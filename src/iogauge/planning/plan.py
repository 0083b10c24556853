"""Study → Plan: which cases, in which groups and forks, in which random order, and about how long."""

from __future__ import annotations

import difflib
import itertools
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, TypeVar

from iogauge.corpus.content import is_text
from iogauge.model.case import Case, ForkSpec
from iogauge.model.errors import UserError
from iogauge.model.plan import Bundle, Group, Plan, Protocol, PublishedProtocol, Skipped
from iogauge.model.strategy import Runtime, Strategy
from iogauge.model.units import short_size, size
from iogauge.model.workload import Conditions, Workload
from iogauge.planning import ceilings
from iogauge.runners.task import most_operations
from iogauge.study.study import Baseline, Cases, GroupTable, Study

T = TypeVar("T")

LONG_SAMPLE = 0.032  # seconds: a case whose samples are longer is in so many fewer rounds,
FEWEST_ROUNDS = 4  # but in these at least

_MIB = 1 << 20
_HEAP_STEP_MIB = 64
_PAGE, _WORD = 4096, 8
_PAYLOAD_COPIES = 4  # of the data to write: as bytes and, while it is decoded, as characters
_GUESS_SAMPLE = (
    0.017  # seconds of a short sample with what surrounds it, before anything was measured
)
_GUESS_SETTLING = 0.02  # more of them after a write
_GUESS_CALL, _GUESS_DRAWN = (
    0.7e-6,
    25e-9,
)  # seconds of a system call; of a byte that is drawn at random
_GUESS_CHECKED = (
    3.0  # times as long as it takes to write a file into the cache, with comparing it afterwards
)
_GUESS_WARM, _GUESS_COLD, _GUESS_DURABLE = 2e9, 0.7e9, 0.2e9  # bytes per second


@dataclass(frozen=True)
class Options:
    """What the command line changes about a study; None leaves it as the study says."""

    only: tuple[str, ...] = ()
    max_size: int | None = None
    budget: float | None = None
    precision: float | None = None
    seed: int = 0
    protocol: Protocol = "sound"
    settings: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """(runner, options): every case of the runner's runtimes is measured with these options too,
    beside itself as it is.
    """


@dataclass(frozen=True)
class Absent:
    """A language that cannot be measured here, and why."""

    language: str
    why: str


def make(
    study: Study,
    name: str,
    runtimes: Sequence[Runtime],
    absent: Sequence[Absent],
    options: Options,
    available_memory: int,
    cores: int,
) -> Plan:
    """The plan of a study on these runtimes. `name` is what error messages call the study; memory
    in bytes; ceilings use all `cores`.

    Raises UserError for what can never work (unknown strategies and parameters, more memory than
    there is); what just is not here (a language, a newer runtime) or was not wanted (--max-size,
    --only) is listed in `skipped`.
    """
    return _Maker(study, name, runtimes, absent, options, available_memory, cores).plan()


class _Maker:
    def __init__(self, study, name, runtimes, absent, options, available_memory, cores):
        self.study: Study = study
        self.name: str = name
        self.runtimes: Sequence[Runtime] = runtimes
        self.absent: dict[str, str] = {each.language: each.why for each in absent}
        self.options: Options = options
        self.memory_limit_mib = available_memory // 2 // _MIB
        self.cores: int = cores
        self.max_size = options.max_size if options.max_size is not None else study.max_size
        self.cases: list[Case] = []
        self.forks: list[ForkSpec] = []
        self.fork_of: list[int] = []
        self.groups: list[Group] = []
        self.heaps: list[int] = []  # per group
        self.skipped: list[Skipped] = []

    def plan(self) -> Plan:
        if self.options.protocol not in self.study.protocols:
            raise UserError(
                f"{self.name}: has no group for --protocol {self.options.protocol}; allowed: {', '.join(self.study.protocols)}"
            )
        for index, table in enumerate(self.study.group):
            if table.protocol == self.options.protocol:
                self.add_groups(table, f"{self.name}: group[{index}]")
        if not self.groups:
            only = (
                f"no strategy matches --only {' '.join(self.options.only)}"
                if self.options.only
                else "nothing is left"
            )
            reasons = (
                "; ".join(dict.fromkeys(f"{each.what}: {each.why}" for each in self.skipped))
                or only
            )
            raise UserError(f"{self.name}: nothing to measure: {reasons}")
        return Plan(
            study=self.study.id,
            protocol=self.options.protocol,
            published=self.published_protocol(),
            cases=tuple(self.cases),
            fork_of=tuple(self.fork_of),
            forks=tuple(self.forks),
            groups=tuple(self.groups),
            bundles=tuple(self.bundles()),
            skipped=tuple(dict.fromkeys(self.skipped)),
            seed=self.options.seed,
            precision=self.study.precision
            if self.options.precision is None
            else self.options.precision,
            budget=self.study.budget if self.options.budget is None else self.options.budget,
            memory_limit_mib=self.memory_limit_mib,
        )

    @property
    def as_published(self) -> bool:
        return self.options.protocol == "published"

    def published_protocol(self) -> PublishedProtocol | None:
        if not self.as_published:
            return None
        return PublishedProtocol(**self.study.published_protocol.model_dump())

    # groups

    def add_groups(self, table: GroupTable, where: str) -> None:
        variants = self.variants(table, where)
        access_bytes = self.access_bytes(variants, where) if table.accesses else None
        left_out = sorted(
            {each for each in table.size if self.max_size is not None and each > self.max_size}
        )
        if left_out:
            why = f"larger than --max-size {short_size(self.max_size)}; --max-size {short_size(left_out[-1])} takes them in"
            self.skipped.append(
                Skipped(what=f"{table.id}: files of {', '.join(map(size, left_out))}", why=why)
            )
        axes = {axis: list(dict.fromkeys(values)) for axis, values in table.axes().items()}
        for values in itertools.product(*axes.values()):
            chosen = dict(zip(axes, values, strict=True))
            self.check_combination(chosen, where)
            if chosen["size"] in left_out:
                continue
            identifier = table.identifier(chosen)
            if any(identifier == each.id for each in self.groups):
                raise UserError(
                    f"{where}.id: two groups would both be called {identifier!r}; give another id"
                )
            workload = Workload(
                operation=table.operation,
                medium=table.medium,
                access_bytes=access_bytes,
                **{key: chosen[key] for key in ("size", "content", "consume", "accesses", "mode")},
            )
            conditions = Conditions(
                **{key: chosen[key] for key in ("cache", "durability", "lifetime")}
            )
            able = [case for case in variants if self.able(case, workload, conditions, where)]
            baseline = self.baseline(table, able, variants, where)
            self.add_group(identifier, table, workload, conditions, able, baseline, where)

    def check_combination(self, chosen: dict[str, Any], where: str) -> None:
        """What no strategy could do. Raises UserError."""
        length, content, cache = chosen["size"], chosen["content"], chosen["cache"]
        if content == "sparse" and cache in (None, "cold"):
            raise UserError(
                f"{where}.content: a sparse file has nothing on the disk: it cannot be read cold, nor be data to write"
            )
        if cache == "cold" and length == 0:
            raise UserError(f"{where}.size: an empty file has no pages, so it cannot be read cold")
        if chosen["durability"] not in (None, "none") and length == 0:
            raise UserError(
                f"{where}.size: an operation that writes nothing has nothing to make durable"
            )
        if cache == "warm" and length // _MIB > self.memory_limit_mib:
            raise UserError(
                f"{where}.size: a file of {size(length)} cannot be kept in the cache: half of the memory that is available "
                f"is {size(self.memory_limit_mib * _MIB)}; give a smaller --max-size"
            )

    def able(self, case: Case, workload: Workload, conditions: Conditions, where: str) -> bool:
        """Whether the strategy can do this; where its API just cannot be asked for it, that is
        listed as skipped.

        Raises UserError where the study puts into one group what does not belong there.
        """
        declared = self.declared(case)
        if declared.sums != "byte" and not is_text(workload.content):
            raise UserError(
                f"{where}.content: {declared.name} works on text; allowed: text, text-crlf, text-unicode, text-one-line"
            )
        if workload.accesses and workload.accesses * workload.access_bytes > workload.size:
            raise UserError(
                f"{where}.accesses: {workload.accesses} different blocks of {workload.access_bytes} bytes do not fit into {size(workload.size)}"
            )
        why = declared.why_not_durable(conditions.durability)
        if workload.mode and workload.mode not in declared.modes:
            why = f"its API cannot be told to {workload.mode}"
        if why:
            self.skipped.append(
                Skipped(what=f"{declared.name}: {workload.mode}, {conditions.durability}", why=why)
            )
        return why is None

    def variants(self, table: GroupTable, where: str) -> list[Case]:
        """Every strategy with every combination of its parameters on every runtime, as cases still
        without a workload.
        """
        found: list[Case] = []
        for number, value in enumerate(table.each or [None]):
            for index, row in enumerate(table.case):
                if row.each:
                    row = row.model_copy(
                        update={"parameters": {**row.parameters, row.each: [value]}}
                    )
                elif number:  # what has no value of `each` is there once
                    continue
                for strategy in row.strategy:
                    found += self.row(row, strategy, table, f"{where}.case[{index}]")
        return list({case.key: case for case in found}.values())

    def access_bytes(self, variants: list[Case], where: str) -> int | None:
        """How much random access reads at each offset: all cases of a group the same. Raises
        UserError where they do not.
        """
        pieces = {self.declared(case).value("piece", case.parameters, 0) for case in variants}
        if len(pieces) > 1:
            raise UserError(
                f"{where}: with random access all cases read blocks of one size; found {', '.join(map(str, sorted(pieces)))}"
            )
        return next(iter(pieces), None)

    def row(self, row: Cases, strategy: str, table: GroupTable, where: str) -> list[Case]:
        offering = self.offering(strategy, f"{where}.strategy")
        matching = [runtime for runtime in offering if fnmatchcase(runtime.name, row.runtime)]
        if offering and not matching:
            self.skipped.append(
                Skipped(
                    what=f"{strategy} @{row.runtime}", why="no such runtime was found or chosen"
                )
            )
        made = []
        for runtime in matching:
            declared = runtime.strategies[strategy]
            self.check_kind(declared, table, f"{where}.strategy")
            grid = self.grid(row, declared, f"{where}.parameters")
            for values in itertools.product(*grid.values()):
                for options in self.settings(row, runtime, where):
                    case = self.variant(
                        strategy,
                        declared.ordered(dict(zip(grid, values, strict=True))),
                        runtime.name,
                        options,
                    )
                    if not self.wanted(case):
                        continue
                    if declared.unavailable:
                        self.skipped.append(
                            Skipped(
                                what=f"{case.variant} @{runtime.name}", why=declared.unavailable
                            )
                        )
                    else:
                        made.append(case)
        return made

    def settings(self, row: Cases, runtime: Runtime, where: str) -> list[tuple[str, ...]]:
        """The options that the row's cases run with on a runtime: the row's own, and these with
        each of the command line's.
        """
        own = tuple(row.options)
        given = [options for runner, options in self.options.settings if runner == runtime.runner]
        for said_in, options in (
            (f"{where}.options", own),
            *(("--runtime-option", options) for options in given),
        ):
            if runtime.options_are_variables and not all("=" in option for option in options):
                raise UserError(
                    f"{said_in}: {' '.join(options)}: for {runtime.name} write variables, NAME=VALUE"
                )
        return list(dict.fromkeys([own, *(own + options for options in given)]))

    def check_kind(self, declared: Strategy, table: GroupTable, where: str) -> None:
        """The strategy must do what the group is about. Raises UserError."""
        if declared.role == "null":
            raise UserError(
                f"{where}: {declared.name} does nothing; it is no contestant (make bench measures it)"
            )
        if declared.role == "ceiling":
            raise UserError(
                f"{where}: {declared.name} is a ceiling, measured beside every group that it fits; it is no contestant"
            )
        wanted = {
            "operation": table.operation,
            "medium": table.medium,
            "access": "random" if table.accesses else "sequential",
        }
        for key, value in wanted.items():
            if getattr(declared, key) != value:
                raise UserError(
                    f"{where}: {declared.name} has {key} = {getattr(declared, key)!r}, this group is about {value!r}"
                )
        for consume in table.axes()["consume"]:
            if consume not in declared.consumes:
                raise UserError(
                    f"{where}: {declared.name} cannot do consume = {consume!r}; allowed: {', '.join(declared.consumes)}"
                )

    def variant(
        self, strategy: str, parameters: dict[str, int], runtime: str, options: tuple[str, ...]
    ) -> Case:
        return Case(
            strategy=strategy,
            parameters=parameters,
            workload=Workload(size=0),
            conditions=Conditions(),
            runtime=runtime,
            options=options,
        )

    def offering(self, strategy: str, where: str) -> list[Runtime]:
        """The runtimes that have the strategy; none if its language is absent here. Raises
        UserError if nobody can.
        """
        offering = [runtime for runtime in self.runtimes if strategy in runtime.strategies]
        if offering:
            return offering
        language = strategy.partition("/")[0]
        if language in self.absent:
            self.skipped.append(Skipped(what=f"{language}/*", why=self.absent[language]))
            return []
        known = sorted({name for runtime in self.runtimes for name in runtime.strategies})
        of_language = [name for name in known if name.startswith(f"{language}/")]
        close = difflib.get_close_matches(strategy, known, n=3) or of_language or known
        raise UserError(
            f"{where}: unknown strategy {strategy!r}; allowed, among others: {', '.join(close[:6])}"
        )

    def grid(self, row: Cases, declared: Strategy, where: str) -> dict[str, list[int]]:
        """Values per declared parameter, defaults where the study gives none."""
        for parameter, values in row.parameters.items():
            if parameter not in declared.parameters:
                allowed = ", ".join(declared.parameters) or "none"
                raise UserError(
                    f"{where}: {declared.name} has no parameter {parameter!r}; allowed: {allowed}"
                )
            limits = declared.parameters[parameter]
            for value in values:
                if not limits.min <= value <= limits.max:
                    raise UserError(
                        f"{where}.{parameter}: {value} is out of range for {declared.name}; allowed: {limits.min} to {limits.max}"
                    )
        return {
            name: row.parameters.get(name, [limits.default])
            for name, limits in declared.parameters.items()
        }

    def wanted(self, case: Case) -> bool:
        patterns = self.options.only
        return not patterns or any(
            fnmatchcase(name, each) for name in (case.strategy, case.variant) for each in patterns
        )

    def baseline(
        self, table: GroupTable, able: list[Case], variants: list[Case], where: str
    ) -> Case | None:
        """The declared baseline where it is measured here, else the first case."""
        if table.baseline is None or not able:
            return able[0] if able else None
        declared: Baseline = table.baseline

        def is_declared(case: Case) -> bool:
            return (
                case.strategy == declared.strategy
                and declared.parameters.items() <= case.parameters.items()
            )

        for case in able:
            if is_declared(case):
                return case
        same = [case for case in able if case.strategy == declared.strategy]
        language = declared.strategy.partition("/")[0]
        if any(map(is_declared, variants)) or language in self.absent or self.options.only:
            return (same or able)[0]
        raise UserError(
            f"{where}.baseline: {declared.strategy} with these parameters is no case of this group"
        )

    def add_group(self, identifier, table, workload, conditions, variants, baseline, where) -> None:
        if not variants:
            return
        heap = 0 if self.as_published else max(self.heap_mib(case, workload) for case in variants)
        placed = [
            case.model_copy(update={"workload": workload, "conditions": conditions})
            for case in variants
        ]
        first = len(self.cases)
        twins = (
            []
            if self.as_published
            else [placed[variants.index(baseline)].model_copy(update={"twin": True})]
        )
        for case in [*placed, *twins]:
            self.cases.append(case)
            self.fork_of.append(self.fork(case, heap))
        last = len(self.cases)
        threads = {
            self.declared(case).value("parallel", case.parameters, otherwise=1) for case in placed
        }
        for case in (
            ()
            if self.as_published
            else ceilings.candidates(workload, conditions, self.runtimes, self.cores, threads)
        ):
            self.cases.append(case)
            self.fork_of.append(self.own_fork(case, self.heap_mib(case, workload)))
        self.heaps.append(heap)
        self.check_memory(placed, baseline, variants, first, where)
        self.check_operations(placed[0], self.operations(table), where)
        self.groups.append(
            Group(
                id=identifier,
                experiment=table.id,
                question=table.question,
                workload=workload,
                conditions=conditions,
                cases=tuple(range(first, last)),
                ceilings=tuple(range(last, len(self.cases))),
                baseline=first + variants.index(baseline),
                twin=last - 1 if twins else None,
                rounds=self.rounds(workload, conditions),
                operations=self.operations(table),
                to_the_end=table.to_the_end,
            )
        )

    def rounds(self, workload: Workload, conditions: Conditions) -> int:
        """Samples of a case per replicate: as the study says for such groups, or the iterations of
        the published protocol.
        """
        if self.as_published:
            return self.study.published_protocol.iterations
        kind = (
            "memory"
            if workload.medium == "memory"
            else "cold"
            if conditions.cache == "cold"
            else "write"
            if workload.writes_file
            else "warm"
        )
        return getattr(self.study.rounds, kind)

    def operations(self, table: GroupTable) -> int | None:
        """Those timed in one span of the published protocol; None where it goes by time, or is not
        asked for.
        """
        protocol = self.study.published_protocol
        if not self.as_published or protocol.iteration:
            return None
        return table.operations or protocol.operations

    def check_operations(self, case: Case, operations: int | None, where: str) -> None:
        """A span that writes a file per operation leaves all of them on the disk. Raises UserError."""
        most = most_operations(case)
        if operations and case.conditions.lifetime == "operation" and operations > most:
            raise UserError(
                f"{where}.operations: {operations} operations in one span write {operations} files; allowed: {most}, or a lifetime other than operation"
            )

    # forks and bundles

    def runtime(self, case: Case) -> Runtime:
        return next(runtime for runtime in self.runtimes if runtime.name == case.runtime)

    def declared(self, case: Case) -> Strategy:
        return self.runtime(case).strategies[case.strategy]

    def heap_mib(self, case: Case, workload: Workload) -> int:
        """Managed heap for a fork that serves this case: twice what one operation holds, and some."""
        runtime = self.runtime(case)
        if not runtime.heap_minimum_mib:
            return 0
        strategy = runtime.strategies[case.strategy]
        held = strategy.needs.memory_per_file_byte * workload.size
        held += _buffers(strategy, case.parameters) + _PAYLOAD_COPIES * _payload(workload) / 2
        wanted = 2 * held / _MIB + _HEAP_STEP_MIB
        steps = -(-wanted // _HEAP_STEP_MIB)
        return max(runtime.heap_minimum_mib, int(steps) * _HEAP_STEP_MIB)

    def fork(self, case: Case, heap: int) -> int:
        """The index of the fork that serves the case; forks are shared across sizes and conditions,
        or by all cases of a setting.
        """
        if self.as_published and self.study.published_protocol.process != "each":
            return self.index_of(ForkSpec(runtime=case.runtime, options=case.options))
        return self.own_fork(case, heap)

    def own_fork(self, case: Case, heap: int) -> int:
        spec = ForkSpec(
            runtime=case.runtime,
            strategy=case.strategy,
            parameters=case.parameters,
            consume=case.workload.consume,
            options=case.options,
            twin=case.twin,
            heap_mib=heap if self.runtime(case).heap_minimum_mib else 0,
        )
        return self.index_of(spec)

    def index_of(self, spec: ForkSpec) -> int:
        if spec not in self.forks:
            self.forks.append(spec)
        return self.forks.index(spec)

    def check_memory(
        self, placed: list[Case], baseline: Case, variants: list[Case], first: int, where: str
    ) -> None:
        """Each fork must fit into memory beside the baseline's, which is in every block."""
        length = placed[0].workload.size
        own = self.fork_of[first + variants.index(baseline)]
        for offset, case in enumerate(placed):
            together = {own: placed[variants.index(baseline)], self.fork_of[first + offset]: case}
            needed = sum(
                memory_of(each, self.forks[fork].heap_mib, self.runtimes)
                for fork, each in together.items()
            )
            if needed > self.memory_limit_mib:
                beside = " beside the baseline" if len(together) > 1 else ""
                raise UserError(
                    f"{where}: {case.variant} on {size(length)} needs {size(needed * _MIB)} of memory{beside}; "
                    f"half of what is available is {size(self.memory_limit_mib * _MIB)}; give a smaller --max-size"
                )

    def bundles(self) -> list[Bundle]:
        """Groups that share a fork are measured together; connected by forks, apart by heap. As
        published, all are, one after another.
        """
        if self.as_published:
            return [
                Bundle(
                    groups=tuple(range(len(self.groups))),
                    forks=tuple(range(len(self.forks))),
                    heap_mib=0,
                )
            ]
        bundles: list[tuple[set[int], set[int]]] = []
        for index, group in enumerate(self.groups):
            groups, forks = {index}, {self.fork_of[case] for case in group.cases}
            for other in [
                each
                for each in bundles
                if each[1] & forks and self.heaps[min(each[0])] == self.heaps[index]
            ]:
                bundles.remove(other)
                groups |= other[0]
                forks |= other[1]
            bundles.append((groups, forks))
        bundles.sort(key=lambda each: min(each[0]))
        return [
            Bundle(
                groups=tuple(sorted(groups)),
                forks=tuple(sorted(forks)),
                heap_mib=self.heaps[min(groups)],
            )
            for groups, forks in bundles
        ]


# orders


def shuffled(plan: Plan, items: Sequence[T], *place: int | str) -> list[T]:
    """The items in the random order that the seed gives to this place of the run (replicate, group,
    round …).
    """
    order = list(items)
    random.Random(f"{plan.seed}/{'/'.join(map(str, place))}").shuffle(order)
    return order


def round_orders(
    plan: Plan,
    group: int,
    replicate: int,
    block: int,
    live: Sequence[int],
    fewer: Mapping[int, int],
) -> list[list[int]]:
    """Per round the cases in the order in which they are measured; a round may be empty.

    `fewer` says in how many rounds only a case is (a slow one). Those are drawn at random, and are
    the same for all such cases as far as they go: cases have to meet each other to be compared.
    """
    rounds = plan.groups[group].rounds
    rank = {
        number: place
        for place, number in enumerate(
            shuffled(plan, range(rounds), "fewer", group, replicate, block)
        )
    }
    return [
        shuffled(
            plan,
            [case for case in live if rank[number] < fewer.get(case, rounds)],
            "round",
            group,
            replicate,
            block,
            number,
        )
        for number in range(rounds)
    ]


def layout_of(plan: Plan, replicate: int, layouts: int) -> int:
    """Which of so many builds the forks of a replicate start: each once, in an order drawn from the
    seed, before one comes again.
    """
    turn, place = divmod(replicate, layouts)
    return shuffled(plan, range(layouts), "layouts", turn)[place]


def padding_of(plan: Plan, replicate: int, fork: int) -> int:
    """Bytes that a fork allocates before each strategy that it opens: where in a page a program's
    memory lies would be the same in all forks else.
    """
    return random.Random(f"{plan.seed}/padding/{replicate}/{fork}").randrange(0, _PAGE, _WORD)


def rounds_of(rounds: int, sample_seconds: float) -> int:
    """In how many of the rounds a case is whose samples take so long."""
    return min(
        rounds,
        max(
            FEWEST_ROUNDS,
            round(rounds * LONG_SAMPLE / sample_seconds) if sample_seconds else rounds,
        ),
    )


def blocks(
    plan: Plan, bundle: Bundle, replicate: int, live: Sequence[int], memory_mib: dict[int, int]
) -> list[list[int]]:
    """The live cases of a bundle, cut so that the forks of a block fit into memory together.

    Every block contains the baseline of each group it serves, so that cases of different blocks
    stay comparable through it. Forks are dealt to blocks in random order. `memory_mib` is per fork.
    """
    by_fork: dict[int, list[int]] = {}
    for case in live:
        by_fork.setdefault(plan.fork_of[case], []).append(case)
    if sum(memory_mib[fork] for fork in by_fork) <= plan.memory_limit_mib:
        return [list(live)]
    baseline_of = {
        case: plan.groups[group].baseline
        for group in bundle.groups
        for case in plan.groups[group].cases
    }
    # A fork that serves baselines only comes into every block by itself.
    dealt = [
        fork for fork, cases in by_fork.items() if any(baseline_of[case] != case for case in cases)
    ]
    cut: list[set[int]] = []
    for fork in shuffled(plan, sorted(dealt), "blocks", bundle.groups[0], replicate):
        cases = set(by_fork[fork]) | {baseline_of[case] for case in by_fork[fork]} & set(live)
        for block in cut:
            if _memory(plan, block | cases, memory_mib) <= plan.memory_limit_mib:
                block |= cases
                break
        else:
            cut.append(cases)
    return [sorted(block) for block in cut]


def _memory(plan: Plan, cases: set[int], memory_mib: dict[int, int]) -> int:
    return sum(memory_mib[fork] for fork in {plan.fork_of[case] for case in cases})


# estimates


def memory_of(case: Case, heap_mib: int, runtimes: Sequence[Runtime]) -> int:
    """MiB that a fork takes for a case; `heap_mib` is its fixed heap, 0 where it has none.

    Twice what one operation holds: without a fixed heap, its garbage stays while the next one
    allocates; with one, what is read into the heap may have a copy outside of it on its way.
    """
    runtime = next(each for each in runtimes if each.name == case.runtime)
    strategy = runtime.strategies[case.strategy]
    held = strategy.needs.memory_per_file_byte * case.workload.size
    held += _buffers(strategy, case.parameters)
    if not heap_mib:
        held = 2 * held + _PAYLOAD_COPIES * _payload(case.workload)
    return heap_mib + runtime.overhead_mib + int(held / _MIB)


def _payload(workload: Workload) -> int:
    """Bytes of data that a fork holds in memory to write, or to work on."""
    return workload.size if workload.takes_payload else 0


def _buffers(strategy: Strategy, parameters: dict[str, int]) -> int:
    """Bytes of the arrays and buffers that the parameters ask for."""
    pieces = max(strategy.value(role, parameters, otherwise=1) for role in ("parallel", "depth"))
    return pieces * strategy.value("piece", parameters, otherwise=0) + strategy.value(
        "buffer", parameters, otherwise=0
    )


def fork_memory_mib(plan: Plan, runtimes: Sequence[Runtime]) -> dict[int, int]:
    """Memory that each fork of the plan takes at most."""
    most: dict[int, int] = {}
    for case, fork in zip(plan.cases, plan.fork_of, strict=True):
        most[fork] = max(most.get(fork, 0), memory_of(case, plan.forks[fork].heap_mib, runtimes))
    return most


def counted_seconds(
    plan: Plan, group: Group, case: int, strategy: Strategy, per_byte: float | None = None
) -> float:
    """How long a case takes at its published length whose operations are counted; a guess, unless
    the seconds per byte are known.
    """
    found = plan.cases[case]
    return (
        (plan.published.untimed + group.operations)
        * (per_byte or _guess_seconds_per_byte(found, strategy))
        * max(1, found.workload.size)
    )


def timed_seconds(plan: Plan, runtimes: Sequence[Runtime]) -> float:
    """How long a published protocol takes whose iterations last some time."""
    protocol = plan.published
    starts = {runtime.name: runtime.start_seconds for runtime in runtimes}
    each = protocol.warm_ups * protocol.warm_up + protocol.iterations * protocol.iteration

    def seconds(case: Case) -> float:
        """With the comparing of what was written into the cache, which takes longer than the
        writing.
        """
        checked = case.workload.writes_file and not case.conditions.durable
        return each * (_GUESS_CHECKED if checked else 1.0) + starts[case.runtime]

    return sum(seconds(plan.cases[case]) for group in plan.groups for case in group.cases)


def _guess_seconds_per_byte(case: Case, strategy: Strategy) -> float:
    """What a case takes before anything of its strategy was measured."""
    sizes = [strategy.value(role, case.parameters, otherwise=0) for role in ("piece", "buffer")]
    piece = min(filter(None, sizes), default=0)
    calls = (
        0.0
        if strategy.unit == "file"
        else _GUESS_CALL / (piece or (1 if strategy.unit == "byte" else 8192))
    )
    return calls + (_GUESS_DRAWN if strategy.generates else 1 / _GUESS_WARM)


def guess_replicate_seconds(
    plan: Plan, bundle: Bundle, runtimes: Sequence[Runtime], cores: int
) -> float:
    """About how long one replicate of a bundle takes, before anything was measured."""
    if plan.published and plan.published.iteration:
        return timed_seconds(plan, runtimes)
    by_name = {runtime.name: runtime for runtime in runtimes}
    if plan.published:
        return sum(
            counted_seconds(
                plan,
                group,
                case,
                by_name[plan.cases[case].runtime].strategies[plan.cases[case].strategy],
            )
            for group in plan.groups
            for case in group.cases
        )
    starts = sum(by_name[plan.forks[fork].runtime].start_seconds for fork in bundle.forks) / max(
        1, min(cores, 2)
    )
    samples = 0.0
    for index in bundle.groups:
        group = plan.groups[index]
        bytes_moved = plan.cases[group.baseline].bytes_per_operation
        speed = (
            _GUESS_COLD
            if group.conditions.cache == "cold"
            else _GUESS_DURABLE
            if group.conditions.durable
            else _GUESS_WARM
        )
        settling = _GUESS_SETTLING if group.workload.writes_file else 0.0
        one = _GUESS_SAMPLE + settling + 2 * bytes_moved / speed
        rounds = rounds_of(group.rounds, bytes_moved / speed)
        samples += len(group.cases) * rounds * one
    return starts + samples
