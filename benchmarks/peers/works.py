"""The work of a peer: a case of iogauge with its data file, in a form that all peers read."""

from __future__ import annotations

import filecmp
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iogauge.corpus.data_files import DataSpec
from iogauge.corpus.store import Corpus
from iogauge.host import capacity, pagecache, provable
from iogauge.model.case import Case
from iogauge.model.errors import UserError
from iogauge.model.method import METHOD
from iogauge.model.plan import Plan
from iogauge.model.workload import Consume, Content, Durability, Medium, Mode, Operation
from iogauge.planning import plan
from iogauge.planning.options import Machine, Options
from iogauge.runners import task, wire
from iogauge.runners.task import Task
from iogauge.study.schema import Study

from . import runtimes
from .runtimes import Found

VARIABLE = "IOGAUGE_PEER_WORK"  # names the work's file to the benchmarks


@dataclass(frozen=True)
class Work:
    """A case and the task that iogauge would give to a fork for it, with the fork's heap.

    `directory` is where data files lie and files are written, `like` the file that each written
    file has to equal.
    """

    case: Case
    task: Task
    found: Found
    heap_mib: int
    directory: Path
    like: Path | None

    @property
    def cold(self) -> bool:
        return self.case.conditions.cache == "cold"

    @property
    def writes_file(self) -> bool:
        return self.case.workload.writes_file

    @property
    def batch(self) -> int:
        """Files that are written before they are removed: as many as in one request of iogauge's."""
        return self.task.most_operations


def make(
    strategy: str,
    size: int,
    directory: Path,
    *,
    parameters: Mapping[str, int] | None = None,
    operation: Operation = "read",
    medium: Medium = "file",
    consume: Consume | None = None,
    content: Content = "bytes",
    cold: bool = False,
    mode: Mode | None = None,
    durability: Durability | None = None,
    options: Sequence[str] = (),
    runtime: str | None = None,
) -> Work:
    """The work of the case that a study of iogauge's with these keys has; what is None has a
    study's default. Raises UserError.
    """
    found = runtimes.find(strategy.partition("/")[0], runtime)
    keys: dict[str, Any] = {
        "consume": consume,
        "mode": mode,
        "durability": durability,
        "cache": "cold" if cold else None,
    }
    group = {
        **{key: value for key, value in keys.items() if value is not None},
        "id": "peer",
        "question": "peer",
        "operation": operation,
        "medium": medium,
        "size": size,
        "content": content,
        "case": [
            {"strategy": strategy, "parameters": dict(parameters or {}), "options": list(options)}
        ],
    }
    study = Study.model_validate({"id": "peer", "title": "peer", "group": [group]})
    made = plan.make(
        study,
        "peer",
        Machine([found.ready.runtime], {}, capacity.available_memory(), capacity.usable_cores()),
        Options(),
    )
    return of_plan(made, made.groups[0].baseline, directory)


def of_plan(made: Plan, index: int, directory: Path) -> Work:
    """The work of one case of a plan. Data files are made where they are missing; no iogauge may
    run there. Raises UserError.
    """
    case = made.cases[index]
    if case.conditions.lifetime not in (None, "operation") or case.conditions.durability in (
        "sync-inode",
        "sync-mount",
    ):
        raise UserError(
            f"{case.key}: the peers write a new file per operation, and make it durable only as a program can"
        )
    found = runtimes.find(case.language, case.runtime)
    strategy = found.ready.runtime.strategies[case.strategy]
    with closing(Corpus(directory)) as corpus:
        made_task = task.make(case, strategy, corpus, METHOD)
        like = made_task.payload if case.workload.writes_file else None
        if like and strategy.format != "plain":
            spec = DataSpec(case.workload.content, case.workload.size, "as-left", strategy.format)
            corpus.provide(spec)
            like = corpus.path(spec)
    return Work(case, made_task, found, made.forks[made.fork_of[index]].heap_mib, directory, like)


@dataclass(frozen=True)
class Staged:
    """A work that can be started now: its file, and a folder for what a peer leaves.

    `prepare` is a command that brings about the work's conditions before a process that does it;
    None where they last.
    """

    work: Work
    file: Path
    folder: Path
    prepare: list[str] | None

    def once_arguments(self, operations: int) -> list[str]:
        """Arguments of the programs that do it a few times in a fresh process. Raises UserError
        where that is not possible.
        """
        most = 1 if self.work.cold else self.work.batch
        if operations > most:
            raise UserError(f"{self.work.case.key}: at most {most} operations in one process")
        return [str(self.file), str(operations)]


@contextmanager
def stage(work: Work) -> Iterator[Staged]:
    """Bring about the conditions and write the work's file. Files that are left at the end are
    looked at. Raises UserError.
    """
    with tempfile.TemporaryDirectory(prefix="iogauge-peer-", dir=work.directory) as name:
        folder = Path(name).absolute()
        written = folder / "written"
        written.mkdir()
        prepare = None
        if work.writes_file:
            prepare = ["find", str(written), "-type", "f", "-delete"]
        elif work.cold:
            if why := provable.why_not_cold_in(work.directory):
                raise UserError(why)
            prepare = ["dd", f"if={work.task.path}", "iflag=nocache", "count=0", "status=none"]
        elif work.case.conditions.cache == "warm":
            pagecache.cache(work.task.path)
        file = folder / "work.json"
        file.write_text(json.dumps(_written_down(work, written)))
        yield Staged(work, file, folder, prepare)
        for each in written.iterdir():
            _check(work, each)


def _written_down(work: Work, folder: Path) -> dict[str, Any]:
    due = work.task
    of_bytes = due.strategy.sums == "byte"
    return {
        "opening": wire.encode(due.opening).decode(),
        "path": str(due.path or ""),
        "due": {"count": due.count, "sum": due.total, "of_last": due.of_last},
        "device_bytes": (due.count if of_bytes else work.case.workload.size) if work.cold else 0,
        "written": None
        if work.like is None
        else {
            "folder": str(folder),
            "batch": work.batch,
            "like": str(work.like),
            "size_only": due.strategy.generates,
        },
    }


def _check(work: Work, path: Path) -> None:
    same_size = path.stat().st_size == work.like.stat().st_size
    if not same_size or not (
        work.task.strategy.generates or filecmp.cmp(path, work.like, shallow=False)
    ):
        raise UserError(f"{work.case.key}: a file does not hold what was to be written")
