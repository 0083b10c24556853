"""Runs made by hand: samples with times that a test sets, for what is derived from run files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from iogauge.model.plan import Coordinates, ReplicateId
from iogauge.runfile.records import Replicate, Sample, at, in_replicate
from iogauge.runfile.run import Run
from iogauge.runfile.writing import Writer
from iogauge.runners.preparing import Ready
from tests.fake_study import group, header_of, make_plan, steady

CALM = {"busy_ns": 0, "steal_ns": 0, "running": 0}


def empty_run(fake: Ready, *speeds: int, rounds: int = 6) -> Run:
    text = group(steady(*speeds, scatter=0))
    made = make_plan(text, fake, seed=1)
    groups = tuple(each.model_copy(update={"rounds": rounds}) for each in made.groups)
    header = header_of(made.model_copy(update={"groups": groups}), fake, text, id="by-hand")
    host = {key: of for key, of in header.host.items() if key != "identity"}
    return Run(header.model_copy(update={"host": host}))


def add_sample(
    run: Run, case: int, replicate: int, number: int, position: int, ns: list[float], **more: Any
) -> None:
    """A valid sample of spans of one operation each."""
    cases = len(run.plan.cases)
    where = Coordinates(ReplicateId(0, replicate, 0), 0, 0, case, number, position)
    ended = replicate + number / 100 + position / 10_000
    usual = {"fork": replicate * cases + case, "ended": ended, "ns": list(map(round, ns))}
    run.add(sample(**at(where) | usual | more))


def sample(kind: type[Sample] = Sample, **fields: Any) -> Sample:
    """A valid sample of 64 KiB; what is not given is usual."""
    ns = fields.get("ns", [1])
    usual: dict[str, Any] = {**at(Coordinates(ReplicateId(0, 0, 0), 0, 0, 0, 0, 0)), "fork": 0}
    usual |= {"operations": [1] * len(ns), "ns": ns, "prelude_ns": [], "bytes": 65536}
    usual |= {"count": [65536] * len(ns), "sum": [0] * len(ns), "counters": {}, "machine": CALM}
    usual |= {"evidence": {"user_ns": 0, "system_ns": 0}, "device": None, "resident_before": 1.0}
    usual |= dict.fromkeys(("request_bytes", "reply_bytes"), 1)
    usual |= {"dirty_before": 0, "in_flight_before": 0, "file_before": None, "void": None}
    return kind(**usual | fields)


def end_replicate(run: Run, replicate: int, cases: list[int] | None = None) -> None:
    where = in_replicate(ReplicateId(0, replicate, 0))
    measured = list(range(len(run.plan.cases))) if cases is None else cases
    run.add(Replicate(**where, seconds=1.0, elapsed=replicate + 1.0, groups=[0], cases=measured))


def replanned(run: Run, **changes: Any) -> Run:
    """The same run, whose plan differs in these."""
    plan = run.plan.model_copy(update=changes)
    run.header = run.header.model_copy(update={"plan": plan})
    return run


def used(run: Run) -> list[Sample]:
    """The samples that estimates rest on."""
    return [sample for sample, counts in zip(run.samples, run.used(), strict=True) if counts]


def written(run: Run, path: Path) -> Path:
    """The run as a file, its records in the order of their kinds."""
    writer = Writer(path)
    writer.append(run.header)
    for each in (*run.forks, *run.rounds, *run.samples, *run.failures, *run.caveats):
        writer.append(each)
    for each in (*run.replicates, *run.ends):
        writer.append(each)
    writer.close()
    return path
