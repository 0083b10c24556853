"""The figures of a run, and those that several runs have together."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np

from iogauge.model.units import decimal, duration, short_size, significant, size
from iogauge.outputs import headings
from iogauge.outputs.contract import Case, Export, Group, Published
from iogauge.outputs.html import charts
from iogauge.outputs.html.figure import (
    INTERVAL,
    INTERVAL_PER_MIB,
    NAMES,
    OF_CEILING,
    OVER_FIRST,
    PER_MIB,
    SPEED,
    TIME,
    UNKNOWN,
    Column,
    Figure,
    no_verdict,
    sentence,
)
from iogauge.outputs.html.rows import (
    AXES,
    FILTERS,
    MIB,
    Row,
    add_names,
    along,
    by,
    common,
    of_case,
    of_cases,
)
from iogauge.outputs.side_by_side import LETTERS, SideBySide, state_name, workload_name
from iogauge.runfile.records import Replicate
from iogauge.runfile.run import Run

KINDS = {
    "blocks": "two blocks or buffers of one workload at least",
    "ranking": "a case that was measured",
    "sizes": "files of several sizes",
    "published": "a run of a publication, measured as its authors did (--protocol published)",
    "samples": "samples",
    "schedule": "a complete replicate",
}
"""The kinds of figures of a run, and what a run needs to have one."""

_ENOUGH_VALUES, _FEWEST_VALUES = 3, 2  # of blocks or buffers along a line
_ALSO = {
    "published": "Grey points are published numbers, by their authors' own procedure.",
    "ceiling": "The band is the ceiling with its range.",
    "knee": "A ring is the smallest value tried that is surely within 5 % of the best of its "
    "sweep.",
}
_MOST_CROSSOVERS = 6  # that a caption names
_MOST_NOTES = 8  # that a caption names
_MOST_WARM_UP = 3  # spans of each fork
_MOST_SAMPLES = 20_000  # of a strip plot: more are not told apart by eye, and it would be slow


def all_of(export: Export, run: Run | None, samples: int = _MOST_SAMPLES) -> list[Figure]:
    """The figures of a run, the most telling one first. Without the run itself, of a stored
    summary, there are no samples and no schedule. `samples` is how many a strip plot may have.
    """
    found = [*blocks(export), *rankings(export), *over_size(export), *dumbbells(export)]
    if run is None:
        return found
    return [*found, *strips(export, run, min(samples, _MOST_SAMPLES)), *schedule(run)]


# over the block or the buffer


def blocks(export: Export) -> list[Figure]:
    """Time per MiB over the block, or over the buffer: per language and state its best strategy at
    each value. The figure with most values comes first. Figures with few values are made only where
    no other has more.
    """
    measured = [row for row in of_cases(export) if row["per_mib"] and not row["impossible"]]
    found = [
        _fastest(along(role, rows))
        for rows in by(measured, "workload", "question").values()
        for role in AXES
    ]
    most = {
        place: max(len(line) for line in _lines(best)) for place, best in enumerate(found) if best
    }
    least = _ENOUGH_VALUES if max(most.values(), default=0) >= _ENOUGH_VALUES else _FEWEST_VALUES
    return [
        _over(export, found[place])
        for place in sorted(most, key=lambda place: -most[place])
        if most[place] >= least
    ]


def _fastest(rows: list[Row]) -> list[Row]:
    """The fastest row at each value of a line. A line is what one group measured of one language on
    one runtime.
    """
    best = [
        min(some, key=lambda row: row["ns"])
        for some in by(rows, "setting", "language", "group", "at").values()
    ]
    add_names(best)
    return sorted(best, key=lambda row: (row["series"], row["state"], row["at"]))


def _lines(best: list[Row]) -> list[list[Row]]:
    return list(by(best, "setting", "language", "group").values())


def _over(export: Export, best: list[Row]) -> Figure:
    axis = best[0]["axis"]
    rows = [{**row, "kind": "measured"} for row in best]
    rows += _ceilings(export, best) + _published(export, best) + _knees(export, best)
    kinds = {row["kind"] for row in rows}
    says = [
        sentence(best[0]["question"]),
        f"Per language the fastest strategy at each {axis}.",
        *(says for kind, says in _ALSO.items() if kind in kinds),
        *no_verdict(best, "state"),
    ]
    values = sorted({row["at"] for row in rows if row["at"] is not None})
    of_axis = Column(axis, lambda row: UNKNOWN if row["at"] is None else short_size(row["at"]))
    operation = best[0]["operation"]
    return Figure(
        "blocks",
        f"Time per MiB over the {axis}: {operation} {size(best[0]['size'])}",
        " ".join(says),
        charts.blocks(axis, kinds, values),
        rows,
        (*NAMES, of_axis, PER_MIB, INTERVAL_PER_MIB),
    )


def _ceilings(export: Export, best: list[Row]) -> list[Row]:
    rows: dict[str, Row] = {}
    for group in export.groups:
        drawn = next((row for row in best if row["group"] == group.id), None)
        ceiling = group.ceiling
        if not drawn or not ceiling:
            continue
        state = drawn["state"]
        row = {
            "language": None,
            "strategy": None,
            "size": drawn["size"],
            "state": state,
            "kind": "ceiling",
            "label": f"ceiling, {state}",
            "at": None,
            "setting": ceiling.runtime,
            "per_mib": MIB / ceiling.bytes_per_s * 1e9,
            "per_mib_hi": MIB / ceiling.least * 1e9,
            "per_mib_lo": MIB / ceiling.most * 1e9,
        }
        rows.setdefault(state, row)
    return list(rows.values())


def _published(export: Export, best: list[Row]) -> list[Row]:
    """Published numbers of the strategies that are drawn here, of the same workload in the same
    state.
    """
    drawn = {(row["workload"], row["state"], row["strategy"]) for row in best}
    of = {row["strategy"]: row for row in best}
    # Numbers of a group that has a figure of its own are drawn there.
    elsewhere = {group.id for group in export.groups} - {row["group"] for row in best}
    return [
        _published_row(cell, of[cell.strategy])
        for cell in export.published
        if not cell.doubtful
        and cell.group not in elsewhere
        and cell.strategy in of
        and of[cell.strategy]["axis"] in cell.params
        and not cell.workload.accesses
        and (workload_name(cell.workload), _state(cell), cell.strategy) in drawn
    ]


def _state(of: Case | Published) -> str:
    return state_name(of.workload, of.conditions)


def _published_row(cell: Published, beside: Row) -> Row:
    """`beside` is a row of the same strategy."""
    return {
        "language": beside["language"],
        "strategy": cell.strategy,
        "size": cell.workload.size,
        "state": _state(cell),
        "kind": "published",
        "label": f"{cell.name}, published",
        "setting": "published",
        "at": cell.params[beside["axis"]],
        "per_mib": cell.ns_per_op / cell.workload.size * MIB,
    }


def _knees(export: Export, best: list[Row]) -> list[Row]:
    """A ring on each line whose fastest point is the best of a sweep. Of any other sweep a ring
    would say nothing about the line.
    """
    found = []
    knees = {group.id: group.knees for group in export.groups}
    for line in _lines(best):
        fastest = min(line, key=lambda row: row["ns"])
        axis = fastest["axis"]
        drawn = (fastest["strategy"], fastest["setting"], fastest["params"])
        for knee in knees[fastest["group"]]:
            swept = (knee.strategy, knee.setting, {**knee.others, axis: knee.best})
            if knee.parameter != axis or swept != drawn:
                continue
            near = (knee.strategy, {**knee.others, axis: knee.near})
            found += [
                {
                    **at,
                    "kind": "knee",
                    "label": f"{at['label']}: smallest value tried that is within 5 % of this "
                    "sweep's best",
                }
                for at in line
                if (at["strategy"], at["params"]) == near
            ]
    return found


# of groups, of sizes, of a publication


def rankings(export: Export) -> Iterator[Figure]:
    """Per group every case with its interval, the fastest first."""
    every = of_cases(export)
    for group in export.groups:
        rows = [row for row in every if row["group"] == group.id]
        if any(not row["impossible"] for row in rows):
            yield _ranking(group, rows)


def _ranking(group: Group, every: list[Row]) -> Figure:
    rows = sorted((row for row in every if not row["impossible"]), key=lambda row: row["ns"])
    add_names(rows)
    for row in rows:
        for ms, ns in (("ms", "ns"), ("ms_lo", "lo"), ("ms_hi", "hi")):
            row[ms] = row[ns] and row[ns] / 1e6
    drawn = bool(group.ceiling and rows[0]["bytes_per_s"])
    if group.ceiling and drawn:
        factor = rows[0]["bytes_per_s"] / group.ceiling.bytes_per_s
        for row in rows:
            row["ceiling_ms"] = rows[0]["ms"] * factor
    alone = any(row["lo"] is None for row in rows)
    says = [
        f"Time per operation with its 95 % interval"
        f"{', which a point alone was measured too seldom for' if alone else ''}"
        f"{'; the dashed line is the ceiling' if drawn else ''}."
    ]
    if group.suspended:
        says.append("No valid comparison in this group: its A/A control differs from the baseline.")
    left_out = [row["label"] for row in every if row["impossible"]]
    if left_out:
        says.append(f"Left out, as faster than the machine: {', '.join(left_out)}.")
    return Figure(
        "ranking",
        f"{group.question} {group.title}",
        " ".join(says),
        charts.ranking(len(rows), ceiling=drawn),
        rows,
        (*NAMES, TIME, INTERVAL, SPEED, *([OF_CEILING] if drawn else [])),
    )


def over_size(export: Export) -> Iterator[Figure]:
    """Time per MiB over the size of the file, a line per variant, where a run has several sizes.
    Where two lines cross, the choice depends on the size.
    """
    measured = [row for row in of_cases(export) if row["per_mib"] and not row["impossible"]]
    for (shape, state), every in by(measured, "shape", "state").items():
        # Of several groups with the same case, the first.
        once = {(row["variant"], row["setting"], row["size"]): row for row in reversed(every)}
        lines = by(once.values(), "variant", "setting").values()
        rows = [row for line in lines if len(line) > 1 for row in line]
        if not rows:
            continue
        rows.sort(key=lambda row: (row["variant"], row["setting"], row["size"]))
        add_names(rows)
        says = [
            "A line per strategy and its parameters; where two cross, the choice depends on the "
            "size.",
            *_crossovers(export, rows),
            *no_verdict(sorted(rows, key=lambda row: row["size"]), "size"),
        ]
        of_size = Column("size", lambda row: size(row["size"]))
        yield Figure(
            "sizes",
            f"Time per MiB over the size of the file: {shape}, {state}",
            " ".join(says),
            charts.over_size(sorted({row["size"] for row in rows})),
            rows,
            (*NAMES, of_size, PER_MIB, INTERVAL_PER_MIB),
        )


def _crossovers(export: Export, rows: list[Row]) -> list[str]:
    """Which two change places, and between which sizes, where the comparisons on both sides are
    decided.
    """
    names = {row["key"]: row["name"] for row in rows}
    faster: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)  # of two names, by size
    for group in (each for each in export.groups if not each.suspended):
        for case, outcome, reference in _decided(group):
            if case.key in names and reference in names:
                a, b = names[case.key], names[reference]
                first = a if outcome == "faster" else b
                faster[min(a, b), max(a, b)][case.workload.size] = first
    says = [
        f"{first[at]} is faster than {next(each for each in pair if each != first[at])} at "
        f"{short_size(at)} and slower at {short_size(beyond)}"
        for pair, first in faster.items()
        for at, beyond in itertools.pairwise(sorted(first))
        if first[at] != first[beyond]
    ]
    more = f"; and {len(says) - _MOST_CROSSOVERS} more" if len(says) > _MOST_CROSSOVERS else ""
    return [f"They change places: {'; '.join(says[:_MOST_CROSSOVERS])}{more}."] if says else []


def _decided(group: Group) -> Iterator[tuple[Case, str, str | None]]:
    """Decided comparisons of a group: the case, the outcome, and the key of the other case."""
    for case in group.cases:
        for outcome, reference in (
            (case.vs_best.outcome, case.vs_best.reference),
            (case.vs_baseline.outcome, group.baseline),
        ):
            if outcome in ("faster", "slower"):
                yield case, outcome, reference


def dumbbells(export: Export) -> Iterator[Figure]:
    """Per published table each number beside those that were measured by the same procedure."""
    cases = {case.key: case for group in export.groups for case in group.cases}
    for table in dict.fromkeys(cell.table for cell in export.published):
        rows: list[Row] = []
        for cell in (each for each in export.published if each.table == table):
            place = f", {short_size(cell.size)}" if cell.along == "size" else ""
            doubts = " (outlier?)" if cell.doubtful else " (about)" if cell.approximate else ""
            rows += [
                {
                    **common(cases[each.key]),
                    "name": f"{cell.name}{place}",
                    "setting": cases[each.key].setting,
                    "doubts": doubts,
                    "published_ms": cell.ns_per_op / 1e6,
                    "ms": each.ns_per_op.center / 1e6,
                }
                for each in cell.measured
                if each.ns_per_op.center is not None
            ]
        if rows:
            yield _dumbbell(table, rows)


def _dumbbell(table: str, rows: list[Row]) -> Figure:
    return Figure(
        "published",
        f"Published beside measured: {table}",
        "A grey point is the published number, a coloured one what the same procedure gives here.",
        charts.dumbbells(len({row["name"] for row in rows})),
        rows,
        (
            Column("case", lambda row: row["name"], False),
            Column("runtime", lambda row: row["setting"], False),
            Column("published", lambda row: duration(row["published_ms"] / 1e3) + row["doubts"]),
            Column("here", lambda row: duration(row["ms"] / 1e3)),
            Column("here / published", lambda row: significant(row["ms"] / row["published_ms"])),
        ),
    )


# of a run itself: its samples, and when its replicates were measured


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
            "Void samples and unfinished replicates were not used."
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


# of several runs


def side_by_side(compared: tuple[SideBySide, ...]) -> Iterator[Figure]:
    """Per workload the cases that several runs measured."""
    titles = _titles(compared)
    for workload, title in zip(compared, titles, strict=True):
        rows = [
            {
                **of_case(each.export, each.group, each.case),
                "series": f"{LETTERS[each.run]}: {each.case.setting}",
                "name": each.case.name,
                **each.in_ms,
                "over_first": each.over_first.center,
                "over_lo": each.over_first.lo,
                "over_hi": each.over_first.hi,
            }
            for each in workload.cases
        ]
        cases = len({row["name"] for row in rows})
        series = len({row["series"] for row in rows})
        yield Figure(
            "runs",
            f"Side by side: {title}",
            "What several runs measured, as A, B, … They were not measured together: whatever "
            "changed between them (the machine, its neighbours) is in the difference too.",
            charts.side_by_side(cases, series),
            rows,
            (
                *NAMES[:1],
                Column("run", lambda row: row["series"], False),
                TIME,
                INTERVAL,
                OVER_FIRST,
            ),
        )


def _titles(compared: tuple[SideBySide, ...]) -> list[str]:
    """`Read 16 MiB, cached`; with all that tells them apart where that is not enough."""
    cases = [each.cases[0].case for each in compared]
    titles = [headings.of_work(each.workload, each.conditions) for each in cases]
    alike = len(set(titles)) < len(titles)
    return [each.title for each in compared] if alike else titles
