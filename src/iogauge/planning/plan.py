"""A Study is resolved on one machine: its Plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from iogauge.corpus.content import is_text
from iogauge.model.case import Case, Variant
from iogauge.model.errors import UserError
from iogauge.model.method import METHOD
from iogauge.model.plan import Compare, Group, Pair, Plan, PublishedProtocol, Span, by_reason
from iogauge.model.units import exact_size, short_size, size
from iogauge.model.workload import WRITTEN, Conditions, Workload
from iogauge.planning import ceilings, order, variants, versions
from iogauge.planning.draft import Draft
from iogauge.planning.options import (
    MIB,
    OURS_MIB,
    Machine,
    Options,
    heap_mib,
    memory_mib,
    most_forks,
    must_have_files,
    together_mib,
)
from iogauge.runners.task import most_operations
from iogauge.study.schema import GroupTable, Study, resolved


def make(study: Study, name: str, machine: Machine, options: Options) -> Plan:
    """The plan of a study on a machine. `name` is what error messages call the study.

    Raises UserError for what can never work: unknown strategies and parameters, more memory than
    there is, more open files than are allowed. What is only not here (a language, a newer runtime)
    or was not wanted (--max-size, --only) is listed in `skipped`.
    """
    if options.protocol not in study.protocols:
        raise UserError(
            f"{name}: has no group for --protocol {options.protocol};"
            f" allowed: {', '.join(study.protocols)}"
        )
    if not machine.room_mib:
        raise UserError(
            f"{name}: {size(machine.available_memory)} of memory are available here, and iogauge"
            f" itself needs {size(OURS_MIB * MIB)}; give it more"
        )
    tables = {
        where: _cached_as(table, options, where)
        for index, table in enumerate(study.group)
        if table.protocol == options.protocol
        for where in [f"{name}: group[{index}]"]
    }
    _check_questions(tables.values(), name, options)
    draft = Draft(study, name, machine, options)
    for where, table in tables.items():
        _Template(draft, table, where).add_groups()
    if not draft.groups:
        raise UserError(f"{name}: nothing to measure: {_why_nothing(draft)}")
    draft.share_heaps()
    forks, fork_of = draft.forks()
    warm = [each.workload.size for each in draft.groups if each.conditions.cache == "warm"]
    room = machine.room_mib - max(warm, default=0) // MIB  # with the largest file in the cache
    published = study.published_protocol if options.as_published else None
    made = Plan(
        study=study.id,
        protocol=options.protocol,
        published=PublishedProtocol(**published.model_dump()) if published else None,
        cases=tuple(draft.cases),
        fork_of=fork_of,
        forks=forks,
        groups=tuple(draft.groups),
        bundles=draft.bundles(fork_of),
        spans=tuple(draft.spans),
        skipped=tuple(dict.fromkeys(draft.skipped)),
        versions=options.versions,
        seed=options.seed,
        precision=study.precision if options.precision is None else options.precision,
        tolerance=study.tolerance if options.tolerance is None else options.tolerance,
        budget=study.budget if options.budget is None else options.budget,
        memory_limit_mib=min(machine.memory_limit_mib, room),
    )
    most = most_forks(machine.files)
    if order.most_at_a_time(made) <= most:
        return made
    must_have_files(machine.files, max(order.fewest(made, each) for each in made.bundles))
    return made.model_copy(update={"most_forks": int(most)})


def _cached_as(table: GroupTable, options: Options, where: str) -> GroupTable:
    """The table with the states in which the options want cached files. Raises UserError."""
    states = list(options.cached_by)
    if not states or "warm" not in table.axes()["cache"]:
        return table
    if options.as_published:
        raise UserError(
            f"--cached-by: {where} is measured as its authors did, in the state in which their file"
            " was; leave out --cached-by, or --protocol published"
        )
    if table.along == "cache" and len(states) > 1:
        raise UserError(f"--cached-by: give one state for {where}, which compares cached with cold")
    return table.cached_as(states)


def _check_questions(tables: Iterable[GroupTable], name: str, options: Options) -> None:
    """Raises UserError for a --question that no table of the study asks."""
    known = [(each.id, identifier) for each in tables for identifier in each.identifiers()]
    for pattern in options.questions:
        if not any(replace(options, questions=(pattern,)).asks(*each) for each in known):
            there = ", ".join(dict.fromkeys(name for each in known for name in each))
            raise UserError(
                f"{name}: --question {pattern}: no question has this id; there are: {there}"
            )


def _why_nothing(draft: Draft) -> str:
    if draft.skipped:
        return "; ".join(f"{each.what}: {each.why}" for each in by_reason(draft.skipped))
    only = draft.options.only
    if only:
        return f"no strategy matches --only {' '.join(only)}; iogauge list strategies shows all"
    return "nothing is left; iogauge check says what the study has"


@dataclass(frozen=True)
class _Placed:
    """A group to be added: index of its baseline, values on all axes but that of the span, and on
    all axes.
    """

    id: str
    cases: list[Case]
    baseline: int
    rest: tuple[Any, ...]
    chosen: dict[str, Any]


def _alike_but_state(placed: _Placed, chosen: dict[str, Any]) -> bool:
    """Whether they differ at most in how the file came into the cache."""
    return {**placed.chosen, "cached_by": None} == {**chosen, "cached_by": None}


def _check_combination(chosen: dict[str, Any], where: str) -> None:
    """Raises UserError for what no strategy could do."""
    length, content, cache = chosen["size"], chosen["content"], chosen["cache"]
    if content == "sparse" and chosen["cached_by"] in WRITTEN:
        raise UserError(
            f"{where}.content: a sparse file has nothing that could be written again;"
            " give content = 'bytes', or cached_by = 'read-sequential'"
        )
    if content == "sparse" and cache in (None, "cold"):
        raise UserError(
            f"{where}.content: a sparse file has nothing on the disk:"
            " it cannot be read cold, nor be data to write; give content = 'bytes'"
        )
    if cache == "cold" and length == 0:
        raise UserError(
            f"{where}.size: an empty file has no pages, so it cannot be read cold; "
            "give a larger size, or cache = 'warm'"
        )
    if chosen["durability"] not in (None, "none") and length == 0:
        raise UserError(
            f"{where}.size: an operation that writes nothing has nothing to make durable; "
            "give a larger size, or durability = 'none'"
        )


@dataclass
class _Template:
    """A table of a study, as groups are made of it for a draft; errors call it `where`."""

    draft: Draft
    table: GroupTable
    where: str

    def add_groups(self) -> None:
        """Add the groups of the table. Raises UserError for what can never work."""
        left_out = self._left_out()
        wanted = [each for each in self.table.size if each not in left_out] or self.table.size[:1]
        offered_at = {
            each: variants.of_group(self.draft, self.table, self.where, each) for each in wanted
        }
        placed, along = list[_Placed](), self.table.compared_along
        differs = {along, "cached_by"} if along == "cache" else {along}
        for chosen in self.table.combinations():
            if chosen["size"] in left_out or self._cannot_be_written(chosen):
                continue
            _check_combination(chosen, self.where)
            if self._cannot_stay(chosen):
                continue
            offered = offered_at[chosen["size"]]
            identifier = self.table.identifier(chosen)
            asked = self.draft.options.asks(self.table.id, identifier)
            if not asked or self._is_same(chosen, placed):
                continue
            taken = {each.id for each in self.draft.groups} | {each.id for each in placed}
            if identifier in taken:
                raise UserError(
                    f"{self.where}.id: two groups would both be called {identifier!r};"
                    " give another id"
                )
            workload = Workload(
                operation=self.table.operation,
                medium=self.table.medium,
                access_bytes=self._access_bytes(offered) if self.table.accesses else None,
                **{key: chosen[key] for key in ("size", "content", "consume", "accesses", "mode")},
            )
            conditions = Conditions(**{key: chosen[key] for key in Conditions.model_fields})
            able = [each for each in offered if self._able(each, workload, conditions)]
            if self.draft.options.versions:
                able = versions.paired(able, self.draft, self.draft.options.versions).variants
            if able:
                able, baseline = self._fitting(able, offered, workload, conditions)
            if not able:
                continue
            cases = [each.case(workload, conditions) for each in able]
            rest = tuple(value for axis, value in chosen.items() if axis not in differs)
            placed.append(_Placed(identifier, cases, baseline, rest, chosen))
        self._add_placed(placed)

    def _add_placed(self, placed: list[_Placed]) -> None:
        """Add the groups, span after span. Those of a span share forks, so they have one heap."""
        spans: dict[tuple[Any, ...], list[_Placed]] = {}
        for each in placed:
            spans.setdefault(each.rest, []).append(each)
        for span in spans.values():
            first, heap = len(self.draft.groups), 0
            if not self.draft.options.as_published:
                cases = (case for each in span for case in each.cases)
                heap = max(heap_mib(case, self.draft.machine) for case in cases)
            for each in span:
                self._add(each, heap)
            # What was left comes before the others, so no replicate has both.
            groups = tuple(
                index
                for index in range(first, len(self.draft.groups))
                if not self.draft.groups[index].conditions.as_left
            )
            along = None if self.draft.options.versions else self.table.compared_along
            if along and len(groups) > 1:
                self.draft.spans.append(Span(along=along, groups=groups))

    def _left_out(self) -> list[int]:
        """Sizes that --max-size leaves out, in bytes; they are recorded as skipped."""
        most = self.draft.max_size
        if most is None:
            return []
        left_out = sorted({each for each in self.table.size if each > most})
        if left_out:
            self.draft.skip(
                f"{self.table.id}: files of {', '.join(map(exact_size, left_out))}",
                f"larger than --max-size {short_size(most)};"
                f" --max-size {short_size(left_out[-1])} takes them in",
            )
        return left_out

    def _cannot_be_written(self, chosen: dict[str, Any]) -> bool:
        """Whether the command line wants a file to be written anew that has nothing to write; it is
        recorded as skipped.
        """
        state = chosen["cached_by"]
        written = state in WRITTEN and state in self.draft.options.cached_by
        if not written or chosen["content"] != "sparse":
            return False
        self.draft.skip(f"{self.table.id}: cached by {state}", "a sparse file has nothing to write")
        return True

    def _cannot_stay(self, chosen: dict[str, Any]) -> bool:
        """Whether a file is too large to stay in the cache; it is recorded as skipped."""
        length, most = chosen["size"], self.draft.machine.largest_cached
        needed = 2 * length if chosen["cached_by"] in WRITTEN else length  # and what it is made of
        if chosen["cache"] != "warm" or needed <= most:
            return False
        self.draft.skip(
            f"{self.table.id}: files of {exact_size(length)}, cached",
            f"they do not stay in the cache, for which {size(most)} can be had here, half of the"
            " memory that is available; give a smaller size, or cache = 'cold'",
        )
        return True

    def _is_same(self, chosen: dict[str, Any], placed: Sequence[_Placed]) -> bool:
        """Whether a cached file is held as in another state in which it is `placed`, because all
        states are alike here, or nobody can tell; it is recorded as skipped.
        """
        one, state = self.draft.machine.one_state, chosen["cached_by"]
        if one is None or state in (None, "as-left"):
            return False
        known = [each.chosen["cached_by"] for each in placed if _alike_but_state(each, chosen)]
        first = next((each for each in known if each != "as-left"), None)
        if first is None:
            return False
        what = f"{self.table.id}: cached by {state}"
        if one.known:
            self.draft.skip(what, f"it is as {first} here: {one.why}", alike=one.why)
        else:
            self.draft.skip(what, one.why)
        return True

    def _able(self, variant: Variant, workload: Workload, conditions: Conditions) -> bool:
        """Whether the strategy's API can do this; else it is recorded as skipped. Raises UserError
        for what does not belong into the group.
        """
        declared = self.draft.machine.declared(variant.strategy, variant.runtime)
        if declared.sums not in ("byte", "nothing") and not is_text(workload.content):
            raise UserError(
                f"{self.where}.content: {declared.name} works on text;"
                " allowed: text, text-crlf, text-unicode, text-json, text-log, text-one-line"
            )
        if declared.format == "json-lines" and workload.content != "text-json":
            raise UserError(
                f"{self.where}.content: {declared.name} works on JSON lines; allowed: text-json"
            )
        piece = workload.access_bytes
        if workload.accesses and piece and workload.accesses * piece > workload.size:
            raise UserError(
                f"{self.where}.accesses: {workload.accesses} different blocks of"
                f" {piece} bytes do not fit into {exact_size(workload.size)};"
                " give fewer, or a larger size"
            )
        why = declared.why_not_durable(conditions.durability)
        if workload.mode and workload.mode not in declared.modes:
            why = f"its API cannot {workload.mode}"
        if not self.draft.options.as_published and (
            past := declared.why_not_past_cache(conditions)
        ):
            self.draft.skip(f"{declared.name}: {conditions.title}", past)
            return False
        if why:
            self.draft.skip(f"{declared.name}: {workload.mode}, {conditions.durability}", why)
        return why is None

    def _fitting(
        self,
        able: list[Variant],
        offered: list[Variant],
        workload: Workload,
        conditions: Conditions,
    ) -> tuple[list[Variant], int]:
        """The variants for which there is memory besides the file and the baseline, and the index
        of the baseline among them. The largest goes first, as the heap of all is smaller without
        it; what is left out is recorded as skipped, or what takes least if nothing is left.
        """
        machine, warm = self.draft.machine, conditions.cache == "warm"
        file = workload.size // MIB if warm else 0
        limit = min(machine.memory_limit_mib, machine.room_mib - file)
        left_out = list[tuple[str, str]]()
        while able:
            baseline = able.index(self._baseline(able, offered, workload.size))
            cases = [each.case(workload, conditions) for each in able]
            heaps = [0 if self.draft.options.as_published else heap_mib(e, machine) for e in cases]
            pairs = self.draft.options.versions is not None
            needed = together_mib(cases, baseline, max(heaps), machine, pairs=pairs)
            if needed <= limit:
                break
            taken = [
                memory_mib(case, heap, machine.runtimes)
                for case, heap in zip(cases, heaps, strict=True)
            ]
            most = taken.index(max(taken))
            why = (
                f"needs {size((needed + file) * MIB)} of memory (two processes"
                f"{', and the file in the cache' if warm else ''}), and"
                f" {size(max(0, limit + file) * MIB)} can be had here; give a smaller size"
            )
            left_out.append((able[most].strategy, why))
            able = able[:most] + able[most + 1 :]
            if self.draft.options.versions:  # nothing is left of its other version either
                able = versions.paired(able, self.draft, self.draft.options.versions).variants
        else:
            left_out, baseline = [("the smallest of its ways", why)], 0
        for what, why in left_out:
            self.draft.skip(f"{self.table.id}: {what} on {exact_size(workload.size)}", why)
        return able, baseline

    def _baseline(self, able: list[Variant], offered: list[Variant], length: int) -> Variant:
        """The declared baseline if it is measured here, else the first. Raises UserError."""
        declared = self.table.baseline
        if declared is None:
            return able[0]

        wanted = {name: resolved(value, length) for name, value in declared.parameters.items()}

        def is_declared(variant: Variant) -> bool:
            has_them = wanted.items() <= variant.parameters.items()
            return variant.strategy == declared.strategy and has_them

        for variant in able:
            if is_declared(variant):
                return variant
        same = [each for each in able if each.strategy == declared.strategy]
        absent = self.draft.machine.absent.get(declared.strategy.partition("/")[0])
        if any(map(is_declared, offered)) or absent or self.draft.options.only:
            return (same or able)[0]
        raise UserError(
            f"{self.where}.baseline: {declared.strategy} with these parameters is no case of this"
            " group; name one of its cases"
        )

    def _add(self, group: _Placed, heap: int) -> None:
        """Add a group: its cases, the control of its baseline, the candidates for its ceiling."""
        placed, baseline = group.cases, group.baseline
        workload, conditions = placed[0].workload, placed[0].conditions
        sound = not self.draft.options.as_published
        first = len(self.draft.cases)
        controls = [placed[baseline].model_copy(update={"control": True})] if sound else []
        for case in [*placed, *controls]:
            self.draft.add(case, heap)
        last = len(self.draft.cases)
        pairs = self._pairs(placed, first)
        # Both versions do the same work, which is verified: a ceiling would tell nothing of them.
        for case in self._ceilings(placed) if sound and not pairs else ():
            self.draft.add(case, heap_mib(case, self.draft.machine))
        self.draft.heaps.append(heap)
        operations = self._operations(placed[0])
        self.draft.groups.append(
            Group(
                id=group.id,
                experiment=self.table.id,
                question=self.table.question,
                workload=workload,
                conditions=conditions,
                cases=tuple(range(first, last)),
                ceilings=tuple(range(last, len(self.draft.cases))),
                baseline=first + baseline,
                control=last - 1 if controls else None,
                rounds=self._rounds(workload, conditions) if not pairs else versions.MOST_ROUNDS,
                operations=operations,
                to_the_end=self.table.to_the_end,
                compare=self._compare(group.id),
                pairs=pairs,
            )
        )

    def _pairs(self, placed: Sequence[Case], first: int) -> tuple[Pair, ...]:
        """The two versions of each case, by index in the plan; the first case placed is `first`."""
        asked = self.draft.options.versions
        found = versions.paired(placed, self.draft, asked).pairs if asked else []
        return tuple(Pair(first + old, first + new) for old, new in found)

    def _compare(self, identifier: str) -> Compare:
        """As the options or the table say; all comparisons where a claim may rest on any."""
        claimed = any(
            fnmatchcase(identifier, pattern)
            for claim in self.draft.study.claim
            for test in claim.test
            for pattern in test.groups
        )
        return self.draft.options.compare or ("all" if claimed else self.table.compare)

    def _ceilings(self, placed: Sequence[Case]) -> tuple[Case, ...]:
        machine = self.draft.machine
        declared = [machine.declared(case.strategy, case.runtime) for case in placed]
        if any(each.format == "gzip" for each in declared):
            return ()  # a packed file is smaller than its data, which all ceilings read
        threads = {
            each.value("parallel", case.parameters, 1)
            for each, case in zip(declared, placed, strict=True)
        }
        workload, conditions = placed[0].workload, placed[0].conditions
        return ceilings.candidates(workload, conditions, machine.runtimes, machine.cores, threads)

    def _rounds(self, workload: Workload, conditions: Conditions) -> int:
        """Samples of a case per replicate: the study's `rounds`, or the published iterations."""
        if self.draft.options.as_published and self.draft.study.published_protocol:
            return self.draft.study.published_protocol.iterations
        rounds = self.draft.study.rounds
        if workload.medium == "memory":
            return rounds.memory
        if conditions.cache == "cold":
            return rounds.cold
        return rounds.write if workload.writes_file else rounds.warm

    def _operations(self, case: Case) -> int | None:
        """Operations in one published span; None where iterations go by time, or not as published.
        Raises UserError for more than the disk may hold: a span that writes a file per operation
        leaves all of them there.
        """
        protocol, most = self.draft.study.published_protocol, most_operations(case, METHOD)
        if not self.draft.options.as_published or protocol is None or protocol.iteration:
            return None
        operations = self.table.operations or protocol.operations
        if case.conditions.lifetime == "operation" and operations > most:
            raise UserError(
                f"{self.where}.operations: {operations} operations in one span write {operations}"
                f" files; allowed: {most}, or a lifetime other than operation"
            )
        return operations

    def _access_bytes(self, found: list[Variant]) -> int | None:
        """Bytes that random access reads at each offset. Raises UserError unless all agree."""
        machine = self.draft.machine
        pieces = {
            machine.declared(each.strategy, each.runtime).value("piece", each.parameters, 0)
            for each in found
        }
        if len(pieces) > 1:
            sizes = ", ".join(map(str, sorted(pieces)))
            raise UserError(
                f"{self.where}: with random access all cases read blocks of one size; found"
                f" {sizes}; give one"
            )
        return next(iter(pieces), None)
