"""The task of a fork for one case: how to open the strategy, on which files, what to report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iogauge.corpus import data_files
from iogauge.corpus.data_files import DataSpec, stored_as
from iogauge.corpus.store import Corpus
from iogauge.corpus.written import WrittenFiles
from iogauge.model.case import Case
from iogauge.model.method import Method
from iogauge.model.plan import Group, Plan
from iogauge.model.strategy import Runtime, Strategy
from iogauge.model.workload import WRITTEN, Lifetime
from iogauge.runners import wire

_NOUNS = {"byte": "bytes", "utf16": "UTF-16 units", "codepoint": "code points"}


@dataclass(frozen=True)
class Task:
    """The task of one case.

    `opening` is the request that prepares the runner. `path` is the data file that operations read
    or copy; None where they write or work in memory. `source` is one with the same bytes, where the
    data file is written anew from it. `payload` is the file with the data that they write, copy or
    work on. Each operation must report `count` (None: nobody can know it), and `total` as its sum
    (None: no sum); with `of_last` the sum is that of the last operation of a span. One request may
    ask for `most_operations`. `shape` is the shape of the case (Case.shape). Of a file of the
    user's, `explained` tells why a reader may see so many lines, if it can.
    """

    strategy: Strategy
    shape: str
    opening: dict[str, Any]
    path: Path | None
    source: Path | None = None
    payload: Path | None = None
    count: int | None = None
    total: int | None = None
    of_last: bool = False
    most_operations: int = 1 << 30
    explained: Callable[[int], str | None] | None = None

    @property
    def prepared_each_time(self) -> bool:
        """Whether something runs before each operation: then it is opened anew for each."""
        command = self.strategy.command
        return command is not None and command.prepare is not None

    @property
    def noun(self) -> str:
        """What the strategy counts, in the plural."""
        return _NOUNS.get(self.strategy.sums, "lines")


def all_data(plan: Plan, runtimes: Sequence[Runtime]) -> list[DataSpec]:
    """The data files that a plan needs."""
    strategies = {runtime.name: runtime.strategies for runtime in runtimes}
    specs = []
    for group in plan.groups:
        for number in (*group.cases, *group.ceilings):
            case = plan.cases[number]
            strategy = strategies[case.runtime][case.strategy]
            spec = data(case, strategy, copy_for(plan, group, number))
            specs += [spec, *filter(None, [source_of(spec)])]
    return list(dict.fromkeys(specs))


def copy_for(plan: Plan, group: Group, case: int) -> int:
    """Which of equal data files the case reads: some published protocols have several."""
    if not plan.published or plan.published.files == "one":
        return 0
    strategies = list(dict.fromkeys(plan.cases[each].strategy for each in group.cases))
    return 1 + strategies.index(plan.cases[case].strategy)


def most_written(plan: Plan, method: Method) -> int:
    """About how many bytes the files that the plan's cases write take on the disk, at most."""
    request, kept = 0, 0
    for group in plan.groups:
        case = plan.cases[group.baseline]
        if not case.workload.writes_file:
            continue
        # A sample, and its prelude.
        once = 2 * most_operations(case, method) * case.workload.size
        request = max(request, once)
        if case.conditions.lifetime == "run":
            kept += once if case.workload.mode == "truncate" else method.grown_most + once
        if case.conditions.lifetime == "fork":
            grown = min(method.grown_most, group.rounds * once)
            each = case.workload.size if case.workload.mode == "truncate" else grown
            kept += len(group.cases) * each
    return request + kept


def data(case: Case, strategy: Strategy, copy: int = 0) -> DataSpec:
    """The data file that the case needs: one to read, or a payload."""
    workload = case.workload
    if not workload.reads_file:
        return DataSpec(workload.content, workload.size, "payload")
    conditions, form = case.conditions, stored_as(strategy.format)
    # Each state has a file of its own, so that it is still there after another group.
    use = (conditions.cached_by or conditions.cache) if conditions.cache == "warm" else None
    return DataSpec(
        workload.content, workload.size, use or conditions.cache or "as-left", form, copy
    )


def source_of(spec: DataSpec) -> DataSpec | None:
    """The file from which a data file is written anew in each replicate; None where it is not."""
    if spec.use not in WRITTEN:
        return None
    return spec._replace(use="as-left" if spec.content == "own" else "payload", copy=0)


def make(case: Case, strategy: Strategy, files: Corpus, method: Method, copy: int = 0) -> Task:
    """The task of a case, with its data files. Raises UserError when there is no room for them."""
    workload, conditions = case.workload, case.conditions
    spec = data(case, strategy, copy)
    manifest, path, source = files.provide(spec), files.path(spec), source_of(spec)
    if source:
        files.provide(source)
    written_from = files.path(source) if source else None
    if command := strategy.command:  # nothing that it does can be compared with the manifest
        return Task(
            strategy=strategy,
            shape=case.shape,
            opening=wire.open_command(command, case.parameters, str(path)),
            path=path,
            source=written_from,
            most_operations=1 if command.prepare else 1 << 30,
        )
    offsets = None
    count, total = manifest.due(
        "sum" if workload.operation == "write" else workload.consume, strategy.sums
    )
    if workload.accesses:
        block = workload.access_bytes
        assert block is not None  # random access has both
        offsets = files.offsets(workload.size, block, workload.accesses)
        count = workload.accesses * block
        whole, touched = data_files.random_sums(path, offsets, block)
        total = {"none": None, "touch": touched, "sum": whole}[workload.consume]
    wanted = conditions.durability
    durability = wanted if wanted in strategy.durabilities else "none"
    return Task(
        strategy=strategy,
        shape=case.shape,
        opening=wire.open_strategy(
            strategy.name,
            case.parameters,
            workload.operation,
            workload.consume,
            mode=workload.mode,
            durability=durability if workload.writes_file else None,
            payload=str(path) if workload.takes_payload else None,
            offsets=str(offsets) if offsets else None,
        ),
        path=path if workload.reads_file else None,
        source=written_from,
        payload=path if workload.takes_payload else None,
        count=_known(count, case),
        total=None if workload.writes_file else total,
        of_last=workload.operation == "write",
        most_operations=most_operations(case, method),
        explained=files.own.explained_lines if files.own and strategy.by_line else None,
    )


def compute_only(
    case: Case, compute_only: Strategy, files: Corpus, method: Method
) -> tuple[Task, DataSpec, dict[str, int]]:
    """The task of a strategy's compute-only variant, the data it works on, and its parameters."""
    size = min(case.workload.size, method.compute_only_bytes)
    spec = DataSpec(case.workload.content, size, "payload")
    manifest = files.provide(spec)
    defaults = compute_only.defaults
    parameters = {name: case.parameters.get(name, each) for name, each in defaults.items()}
    consume = case.workload.consume
    count, total = manifest.due(consume, compute_only.sums)
    opening = wire.open_strategy(
        compute_only.name, parameters, "read", consume, payload=str(files.path(spec))
    )
    task = Task(
        strategy=compute_only,
        shape=f"compute-only {compute_only.name} {spec.content} {spec.size}",
        opening=opening,
        path=None,
        payload=files.path(spec),
        count=_known(count, case),
        total=None if compute_only.generates else total,
    )
    return task, spec, parameters


def _known(count: int | None, case: Case) -> int:
    if count is None:
        raise ValueError(
            f"{case.key}: content {case.workload.content} has nothing of what its strategy counts"
        )
    return count


def written_files(
    case: Case, strategy: Strategy, task: Task, folder: Path, lifetime: Lifetime, method: Method
) -> WrittenFiles | None:
    """The files that the task writes into this folder; None where it writes none."""
    if not case.workload.writes_file:
        return None
    mode, durability = case.workload.mode, case.conditions.durability
    assert task.payload is not None and mode and durability  # what writes files has them
    return WrittenFiles(
        folder,
        task.payload,
        form=strategy.format,
        mode=mode,
        durability=durability,
        lifetime=lifetime,
        grown_most=method.grown_most,
        generates=strategy.generates,
    )


def most_operations(case: Case, method: Method) -> int:
    """Operations that one request may ask for. Written files are removed only after a request."""
    if not case.workload.writes_file:
        return 1 << 30
    most = max(1, method.most_dirty // max(1, case.workload.size))
    return min(most, method.most_files) if case.conditions.lifetime == "operation" else most
