"""A plan while it is being made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from iogauge.model.case import Case, ForkSpec
from iogauge.model.plan import Bundle, Group, Skipped, Span
from iogauge.planning.options import Machine, Options
from iogauge.study.schema import Study

T = TypeVar("T")

_SMALL_HEAP_MIB = 256


@dataclass
class Draft:
    """A plan being made; errors call the study `name`. `specs` has the fork of each case;
    `heaps` are by group, in MiB.
    """

    study: Study
    name: str
    machine: Machine
    options: Options
    cases: list[Case] = field(default_factory=list)
    specs: list[ForkSpec] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    heaps: list[int] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)

    @property
    def max_size(self) -> int | None:
        """The largest file that is wanted, in bytes."""
        given = self.options.max_size
        return self.study.max_size if given is None else given

    def skip(
        self, what: str, why: str, language: str | None = None, alike: str | None = None
    ) -> None:
        """Record once that something is not measured; `language` if that is all of one, `alike` why
        it is as what is measured.
        """
        found = Skipped(what=what, why=why, language=language, alike=alike)
        if found not in self.skipped:
            self.skipped.append(found)

    def add(self, case: Case, heap_mib: int) -> None:
        """Add a case, with the fork that serves it."""
        self.cases.append(case)
        self.specs.append(self._fork(case, heap_mib))

    def _fork(self, case: Case, heap_mib: int) -> ForkSpec:
        """Sizes and conditions share a fork. As published, all cases of a setting may share one."""
        published = self.study.published_protocol
        if self.options.as_published and published and published.process != "each":
            return ForkSpec(runtime=case.runtime, options=case.options)
        has_heap = self.machine.runtime(case.runtime).heap_minimum_mib
        return ForkSpec(
            runtime=case.runtime,
            strategy=case.strategy,
            parameters=case.parameters,
            consume=case.workload.consume,
            options=case.options,
            control=case.control,
            heap_mib=heap_mib if has_heap else 0,
        )

    def share_heaps(self) -> None:
        """Give groups with small heaps the largest of these where they can share forks then: to
        start more forks takes longer than to touch a little more memory.
        """
        names = [{self.specs[case].name for case in each.cases} for each in self.groups]
        most = min(_SMALL_HEAP_MIB, self.machine.memory_limit_mib // 4)
        kinds = [-1 if heap <= most else index for index, heap in enumerate(self.heaps)]
        for together in _connected(names, kinds):
            heap = max(self.heaps[index] for index in together)
            for index in together:
                self.heaps[index] = heap
                for case in self.groups[index].cases:
                    if self.specs[case].heap_mib:
                        update = {"heap_mib": heap}
                        self.specs[case] = self.specs[case].model_copy(update=update)

    def forks(self) -> tuple[tuple[ForkSpec, ...], tuple[int, ...]]:
        """All different forks, and the index of each case's fork among them."""
        forks: list[ForkSpec] = []
        for spec in self.specs:
            if spec not in forks:
                forks.append(spec)
        return tuple(forks), tuple(map(forks.index, self.specs))

    def bundles(self, fork_of: Sequence[int]) -> tuple[Bundle, ...]:
        """Groups that share a fork are measured together if their heaps match, those apart that
        leave a file in the cache as it is; as published all.
        """
        if self.options.as_published:
            groups, forks = range(len(self.groups)), range(max(fork_of) + 1)
            return (Bundle(groups=tuple(groups), forks=tuple(forks), heap_mib=0),)
        used = [{fork_of[case] for case in group.cases} for group in self.groups]
        kinds = [
            (heap, group.conditions.as_left)
            for heap, group in zip(self.heaps, self.groups, strict=True)
        ]
        return tuple(
            Bundle(
                groups=tuple(sorted(together)),
                forks=tuple(sorted(set().union(*(used[index] for index in together)))),
                heap_mib=self.heaps[min(together)],
            )
            for together in _connected(used, kinds)
        )


def _connected(sets: Sequence[set[T]], kinds: Sequence[object]) -> list[set[int]]:
    """The indexes of sets that are connected by common members and of one kind; in order."""
    found: list[tuple[set[int], set[T]]] = []
    for index, members in enumerate(sets):
        together, all_members = {index}, set(members)
        sharing = [
            each for each in found if each[1] & all_members and kinds[min(each[0])] == kinds[index]
        ]
        for other in sharing:
            found.remove(other)
            together |= other[0]
            all_members |= other[1]
        found.append((together, all_members))
    return sorted((together for together, _ in found), key=min)
