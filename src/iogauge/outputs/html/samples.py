"""Figures of a run itself: its samples, and when its replicates were measured."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import iogauge.outputs.html.charts as charts
from iogauge.model.units import decimal, duration
from iogauge.outputs.contract import Case, Export
from iogauge.outputs.html.figure import Column, Figure
from iogauge.outputs.html.rows import FILTERS, Row, add_names, common
from iogauge.runfile.records import Replicate
from iogauge.runfile.run import Run

_MOST_NOTES = 8  # that a caption names
_MOST_WARM_UP = 3  # spans of each fork


def strips(export: Export, run: Run, most: int) -> Iterator[Figure]:
    """Per group every sample by replicate, void ones and warm-up too; of many samples the first."""
    known = {case.key: case for group in export.groups for case in group.cases}
    for index, group in enumerate(run.plan.groups):
        shown = [case for case in group.cases if run.plan.cases[case].key in known]
        of_group = np.flatnonzero((run.columns.group == index) & np.isin(run.columns.case, shown))
        rows = [{**row, "group": group.id} for row in _samples(run, known, of_group[:most])]
        if not rows:
            continue
        add_names(rows)
        says = (
            "By replicate; of warming up, only the first three spans of each fork are shown. "
            "What is void, or of a replicate that was cut short, was not used."
        )
        if len(of_group) > most:
            says += f" The first {most}; the run file has them all."
        yield Figure(
            "samples",
            f"The samples: {group.question} {group.title}",
            says,
            charts.strip(len({row["name"] for row in rows})),
            rows,
            (
                Column("case", lambda row: row["label"], False),
                Column("runtime", lambda row: row["setting"], False),
                Column("replicate", lambda row: str(row["replicate"])),
                Column("what", lambda row: row["kind"], False),
                Column("time per operation", lambda row: duration(row["us"] / 1e6)),
            ),
        )


def _samples(run: Run, known: dict[str, Case], of_group: Any) -> list[Row]:
    """A row per sample, and before the first of each fork those of its warm-up."""
    plan, columns, used = run.plan, run.columns, run.used()
    forks = {fork.fork: fork for fork in run.forks}
    us = columns.levels / 1e3
    rows: list[Row] = []
    warmed: set[tuple[int, str]] = set()
    for sample in of_group:
        case, number = plan.cases[columns.case[sample]], int(columns.fork[sample])
        every = {
            **common(known[case.key]),
            "label": known[case.key].name,
            "variant": case.label,
            "setting": case.setting,
            "replicate": int(columns.replicate[sample]),
        }
        kind = "sample" if used[sample] else "not used"
        rows.append({**every, "kind": kind, "us": float(us[sample])})
        fork = forks.get(number)
        if fork and (number, case.shape) not in warmed:
            warmed.add((number, case.shape))
            spans = (fork.warm_up.get(case.shape) or [])[:_MOST_WARM_UP]
            rows += [{**every, "kind": "warm-up", "us": ns / 1e3} for ns in spans]
    return rows


def schedule(run: Run) -> Iterator[Figure]:
    """When each replicate was measured, and what was noted meanwhile."""
    if not run.replicates:
        return
    noted, without = _noted(run)
    every = dict.fromkeys(FILTERS)
    rows = [{**every, **row} for row in (*_replicates(run), *noted, *_ends(run))]
    says = ["A bar per replicate, in seconds since the start."]
    if noted:
        says.append("A triangle is a caveat, in the middle of the replicate that it was noted in.")
    if without:
        more = f"; and {len(without) - _MOST_NOTES} more" if len(without) > _MOST_NOTES else ""
        says.append(f"Noted outside of all replicates: {'; '.join(without[:_MOST_NOTES])}{more}.")
    yield Figure(
        "schedule",
        "The schedule of the run",
        " ".join(says),
        charts.schedule(len({row["bundle"] for row in rows})),
        rows,
        (
            Column("what", lambda row: row["what"], False),
            Column("from, s", lambda row: decimal(row["start"], 1)),
            Column("to, s", lambda row: decimal(row["end"], 1)),
        ),
    )


def _replicates(run: Run) -> Iterator[Row]:
    for record in run.replicates:
        yield {
            "kind": "replicate",
            "start": record.elapsed - record.seconds,
            "end": record.elapsed,
            "what": ", ".join(run.plan.groups[index].id for index in record.groups),
            "bundle": _bundle(record),
        }


def _ends(run: Run) -> Iterator[Row]:
    for end in run.ends:
        yield {
            "kind": "end",
            "start": end.seconds,
            "end": end.seconds,
            "what": f"ended: {end.reason}",
            "bundle": "end",
        }


def _noted(run: Run) -> tuple[list[Row], list[str]]:
    """Caveats as rows, where a finished replicate had them, and the words of the others, each
    once.
    """
    finished = {record.replicate_id: record for record in run.replicates}
    labels = {case.key: case.label for case in run.plan.cases}
    rows, without = [], []
    for caveat in run.caveats:
        about = "" if caveat.about == "run" else f"{labels.get(caveat.about, caveat.about)}: "
        record = finished.get(caveat.replicate_id) if caveat.replicate_id else None
        if record:
            start, end = record.elapsed - record.seconds, record.elapsed
            rows.append(
                {
                    "kind": "caveat",
                    "start": start,
                    "end": end,
                    "middle": (start + end) / 2,
                    "what": f"{about}{caveat.text}",
                    "bundle": _bundle(record),
                }
            )
        else:
            without.append(f"{about}{caveat.text}")
    return rows, list(dict.fromkeys(without))


def _bundle(record: Replicate) -> str:
    return f"bundle {record.bundle + 1}"
