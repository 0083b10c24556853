"""Figures of the time per MiB over the block or the buffer."""

from __future__ import annotations

import iogauge.outputs.html.charts as charts
from iogauge.model.units import short_size, size
from iogauge.outputs.contract import Case, Export, Published
from iogauge.outputs.html.figure import (
    INTERVAL_PER_MIB,
    NAMES,
    PER_MIB,
    UNKNOWN,
    Column,
    Figure,
    no_verdict,
    sentence,
)
from iogauge.outputs.html.rows import AXES, MIB, Row, add_names, along, by, of_cases
from iogauge.outputs.side_by_side import state_name, workload_name

_ENOUGH_VALUES, _FEWEST_VALUES = 3, 2  # of blocks or buffers along a line
_ALSO = {
    "published": "Grey points are published numbers, by their authors' own procedure.",
    "ceiling": "The band is the ceiling with its range.",
    "knee": "A ring is the smallest value tried that is surely within 5 % of the best of its "
    "sweep.",
}


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
    axes = {row["strategy"]: row["axis"] for row in best}
    # Numbers of a group that has a figure of its own are drawn there.
    elsewhere = {group.id for group in export.groups} - {row["group"] for row in best}
    return [
        _published_row(cell, axes[cell.strategy])
        for cell in export.published
        if not cell.doubtful
        and cell.group not in elsewhere
        and axes.get(cell.strategy) in cell.params
        and not cell.workload.accesses
        and (workload_name(cell.workload), _state(cell), cell.strategy) in drawn
    ]


def _state(of: Case | Published) -> str:
    return state_name(of.workload, of.conditions)


def _published_row(cell: Published, axis: str) -> Row:
    return {
        "language": cell.strategy.partition("/")[0],
        "strategy": cell.strategy,
        "size": cell.workload.size,
        "state": _state(cell),
        "kind": "published",
        "label": f"{cell.name}, published",
        "setting": "published",
        "at": cell.params[axis],
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
