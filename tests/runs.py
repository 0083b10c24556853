"""Runs made by hand: samples with times that a test sets, for what is derived from run files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from iogauge.model.method import METHOD
from iogauge.model.plan import Coordinates, ReplicateId
from iogauge.runfile.header import Header
from iogauge.runfile.records import Replicate, Sample, at, in_replicate
from iogauge.runfile.run import Run
from iogauge.runfile.writing import Writer
from iogauge.runners.preparing import Ready
from tests.fake_study import HEAD, group, make_plan, steady

CALM = {"busy_ns": 0, "steal_ns": 0, "running": 0}


def empty_run(fake: Ready, *speeds: int, rounds: int = 6) -> Run:
    text = group(steady(*speeds, scatter=0))
    made = make_plan(text, fake, seed=1)
    made = made.model_copy(
        update={"groups": tuple(each.model_copy(update={"rounds": rounds}) for each in made.groups)}
    )
    return Run(
        Header(
            iogauge="test",
            id="by-hand",
            started="2026-01-01T00:00:00+00:00",
            study_source=HEAD + text,
            options={},
            method=METHOD,
            plan=made,
            runtimes=(fake.runtime,),
            host={
                "processor": "test",
                "machine": "x",
                "cores": 2,
                "file_system": "test",
                "kernel": "0",
            },
        )
    )


def add_sample(
    run: Run, case: int, replicate: int, number: int, position: int, ns: list[float], **more: Any
) -> None:
    """A valid sample of spans of one operation each."""
    cases = len(run.plan.cases)
    where = Coordinates(ReplicateId(0, replicate, 0), 0, 0, case, number, position)
    run.add(
        sample(
            **{
                **at(where),
                "fork": replicate * cases + case,
                "ended": replicate + number / 100 + position / 10_000,
                "ns": [round(each) for each in ns],
                **more,
            }
        )
    )


def sample(kind: type[Sample] = Sample, **fields: Any) -> Sample:
    """A valid sample of 64 KiB; what is not given is usual."""
    ns = fields.get("ns", [1])
    usual: dict[str, Any] = {
        **at(Coordinates(ReplicateId(0, 0, 0), 0, 0, 0, 0, 0)),
        "fork": 0,
        "operations": [1] * len(ns),
        "ns": ns,
        "prelude_ns": [],
        "bytes": 65536,
        "count": [65536] * len(ns),
        "sum": [0] * len(ns),
        "counters": {},
        "evidence": {"user_ns": 0, "system_ns": 0},
        "machine": CALM,
        "device": None,
        "request_bytes": 1,
        "reply_bytes": 1,
        "resident_before": 1.0,
        "dirty_before": 0,
        "in_flight_before": 0,
        "file_before": None,
        "void": None,
    }
    return kind(**{**usual, **fields})


def end_replicate(run: Run, replicate: int, cases: list[int] | None = None) -> None:
    run.add(
        Replicate(
            **in_replicate(ReplicateId(0, replicate, 0)),
            seconds=1.0,
            elapsed=replicate + 1.0,
            groups=[0],
            cases=list(range(len(run.plan.cases))) if cases is None else cases,
        )
    )


def used(run: Run) -> list[Sample]:
    """The samples that estimates rest on."""
    return [sample for sample, counts in zip(run.samples, run.used(), strict=True) if counts]


def written(run: Run, path: Path) -> Path:
    """The run as a file, its records in the order of their kinds."""
    writer = Writer(path)
    writer.append(run.header)
    for each in (*run.forks, *run.samples, *run.failures, *run.caveats, *run.replicates, *run.ends):
        writer.append(each)
    writer.close()
    return path
