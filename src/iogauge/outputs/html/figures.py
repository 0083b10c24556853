"""The figures of a run, and those that several runs have together. A figure is a chart, the rows
that it is drawn from, and the same rows as a table.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from iogauge.model.case import runtimes_differ
from iogauge.model.ratios import between, known
from iogauge.model.units import decimal, duration, rate, short_size, significant, size, whole_share
from iogauge.outputs import headings
from iogauge.outputs.contract import Case, Export, Group
from iogauge.outputs.html import charts
from iogauge.outputs.side_by_side import LETTERS, SideBySide, state_name, workload_name
from iogauge.runfile.records import Replicate
from iogauge.runfile.run import Run

Row = dict[str, Any]
FILTERS = {
    "language": "Language",
    "strategy": "Strategy",
    "size": "File size",
    "state": "Cache and durability",
}
KINDS = {
    "blocks": "two blocks or buffers of one workload at least",
    "ranking": "a case that was measured",
    "sizes": "files of several sizes",
    "published": "a run of a publication, measured as its authors did (--protocol published)",
    "samples": "samples",
    "schedule": "a complete replicate",
}
"""The kinds of figures of a run, and what a run needs to have one."""

_AXES = ("piece", "buffer")  # the roles of the parameters along which times are drawn
_MIB = 1 << 20
_UNKNOWN = "–"
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


@dataclass(frozen=True)
class Column:
    """Of the table behind a chart. `of` makes a cell of a row, or names the key that it shows."""

    title: str
    of: Callable[[Row], str] | str
    number: bool = True

    def cell(self, row: Row) -> str:
        return str(row[self.of]) if isinstance(self.of, str) else self.of(row)


@dataclass(frozen=True)
class Figure:
    """`spec` is Vega-Lite without its data, which are `rows`. `kind` is what `iogauge chart` calls
    it.
    """

    kind: str
    title: str
    says: str
    spec: dict[str, Any]
    rows: list[Row]
    columns: tuple[Column, ...]

    def cells(self, row: Row) -> list[str]:
        """A row of the table."""
        return [column.cell(row) for column in self.columns]


def _time(key: str, per_s: float = 1e9) -> Callable[[Row], str]:
    """A cell with the time that a row has under this key, in ns if so many are a second."""
    return lambda row: duration(row[key] / per_s)


def _interval(lo: str, hi: str) -> Callable[[Row], str]:
    """A cell with the interval between two keys, in ns."""
    return lambda row: (
        between(row[lo], row[hi], lambda ns: duration(ns / 1e9))
        if row.get(lo) and row.get(hi)
        else _UNKNOWN
    )


def _of_ceiling(row: Row) -> str:
    share = row["of_ceiling"]
    return _UNKNOWN if share is None else "reached" if share > 1 else whole_share(share)


_CASE, _RUNTIME = Column("case", "label", False), Column("runtime", "setting", False)
_NAMES = (_CASE, _RUNTIME, Column("state", "state", False))
_TIMES = (Column("time", _time("ns")), Column("95 %", _interval("lo", "hi")))
_TIMES_PER_MIB = (
    Column("time per MiB", _time("per_mib")),
    Column("95 %", _interval("per_mib_lo", "per_mib_hi")),
)
_OVER_FIRST = Column(
    "over the first", lambda row: known(row["over_first"], row["over_lo"], row["over_hi"])
)
_SPEED = Column(
    "throughput", lambda row: rate(row["bytes_per_s"]) if row["bytes_per_s"] else _UNKNOWN
)


# rows: a dict per point


def _speeds(export: Export) -> list[Row]:
    """A row per case that has a speed, and one that the machine can reach."""
    cases = [(group, case) for group in export.groups for case in group.cases if case.measured]
    return [
        _of_case(*each) for each in cases if each[1].bytes_per_s.center and not each[1].impossible
    ]


def _of_case(group: Group, case: Case) -> Row:
    found, speed = case.ns_per_op, case.bytes_per_s
    return {
        **common(case),
        "group": group.id,
        "workload": workload_name(case.workload),
        "shape": workload_name(case.workload, sized=False),
        "operation": case.workload.operation,
        "question": group.question,
        "suspended": group.suspended,
        "key": case.key,
        "label": case.name,
        "variant": case.label,
        "params": case.params,
        "roles": case.roles,
        "setting": case.setting,
        "ns": found.center,
        "lo": found.lo,
        "hi": found.hi,
        "per_mib": speed.center and _MIB / speed.center * 1e9,
        "per_mib_lo": speed.hi and _MIB / speed.hi * 1e9,
        "per_mib_hi": speed.lo and _MIB / speed.lo * 1e9,
        "bytes_per_s": speed.center,
        "of_ceiling": case.of_ceiling,
    }


def common(case: Case) -> Row:
    """The keys that filters use."""
    return {
        "language": case.language,
        "strategy": case.strategy,
        "size": case.workload.size,
        "state": state_name(case.workload, case.conditions),
    }


def by(rows: Iterable[Row], *names: str) -> dict[tuple[Any, ...], list[Row]]:
    """Rows by their values of these keys, in order of appearance."""
    found: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        found[tuple(row[name] for name in names)].append(row)
    return dict(found)


def _along(role: str, rows: Iterable[Row]) -> list[Row]:
    """The rows that have a parameter with this role: its name as `axis`, its value as `at`. A piece
    that is larger than the buffer goes past the buffer, whose size then says nothing. Buffers that
    only ever grow with the piece are left to the figure of the piece.
    """
    found = []
    for row in rows:
        names = {each: name for name, each in row["roles"].items()}
        piece = row["params"].get(names.get("piece"))
        at = row["params"].get(names.get(role))
        if at is not None and (role == "piece" or (piece or 0) <= at):
            found.append(row | {"axis": names[role], "at": at, "piece": piece})
    if role == "piece":
        return found
    alike = by(found, "group", "strategy", "setting", "piece")
    return found if any(len({row["at"] for row in same}) > 1 for same in alike.values()) else []


def _add_names(rows: list[Row]) -> None:
    """Gives each row a `name`, and the `series` that it is drawn in, its language; both with the
    runtime where a language has several. Names that two variants share, as each is alone in its
    group, give way to those that tell them apart.
    """
    several = runtimes_differ((row["language"], row["setting"]) for row in rows)
    variants = defaultdict(set)
    for row in rows:
        variants[row["label"]].add(row["variant"])
    for row in rows:
        name = row["variant"] if len(variants[row["label"]]) > 1 else row["label"]
        row["series"] = f"{row['language']} on {row['setting']}" if several else row["language"]
        row["name"] = f"{name} @{row['setting']}" if several else name


def _distinct(rows: Iterable[Row], name: str) -> int:
    return len({row[name] for row in rows})


def _first(says: Sequence[str], most: int) -> str:
    """So many of them, and how many more there are."""
    more = f"; and {len(says) - most} more" if len(says) > most else ""
    return f"{'; '.join(says[:most])}{more}"


def _no_verdict(rows: list[Row], name: str) -> list[str]:
    """A sentence on the rows whose group is suspended. `name` is the key, `size` or `state`, by
    which it names them.
    """
    suspended = list(dict.fromkeys(row[name] for row in rows if row["suspended"]))
    if not suspended:
        return []
    where = ", ".join(size(each) if name == "size" else each for each in suspended)
    return [
        f"No valid comparison of what was measured {'at' if name == 'size' else 'in the state'} "
        f"{where}: the A/A control differs from its baseline there."
    ]


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
    found = [
        best
        for rows in by(_speeds(export), "workload", "question").values()
        for role in _AXES
        if (best := _fastest(_along(role, rows)))
    ]
    found.sort(key=_values, reverse=True)
    least = _ENOUGH_VALUES if found and _values(found[0]) >= _ENOUGH_VALUES else _FEWEST_VALUES
    return [_over(export, best) for best in found if _values(best) >= least]


def _fastest(rows: list[Row]) -> list[Row]:
    """The fastest row at each value of a line. A line is what one group measured of one language on
    one runtime.
    """
    best = [
        min(some, key=lambda row: row["ns"])
        for some in by(rows, "setting", "language", "group", "at").values()
    ]
    _add_names(best)
    return sorted(best, key=lambda row: (row["series"], row["state"], row["at"]))


def _lines(best: list[Row]) -> list[list[Row]]:
    return list(by(best, "setting", "language", "group").values())


def _values(best: list[Row]) -> int:
    return max(len(line) for line in _lines(best))


def _over(export: Export, best: list[Row]) -> Figure:
    axis, question = best[0]["axis"], best[0]["question"]
    rows = [{**row, "kind": "measured"} for row in best]
    rows += _ceilings(export, best) + _published(export, best) + _knees(export, best)
    kinds = {row["kind"] for row in rows}
    says = [
        question if question.endswith(("?", ".", "!")) else f"{question}.",
        f"Per language the fastest strategy at each {axis}.",
        *(says for kind, says in _ALSO.items() if kind in kinds),
        *_no_verdict(best, "state"),
    ]
    values = sorted({row["at"] for row in rows if row["at"] is not None})
    of_axis = Column(axis, lambda row: _UNKNOWN if row["at"] is None else short_size(row["at"]))
    return Figure(
        "blocks",
        f"Time per MiB over the {axis}: {best[0]['operation']} {size(best[0]['size'])}",
        " ".join(says),
        charts.blocks(axis, kinds, values),
        rows,
        (*_NAMES, of_axis, *_TIMES_PER_MIB),
    )


def _ceilings(export: Export, best: list[Row]) -> list[Row]:
    """That of the first group of each state."""
    rows: dict[str, Row] = {}
    drawn = {row["group"]: row for row in reversed(best)}
    for group in export.groups:
        if group.ceiling and group.id in drawn:
            state = drawn[group.id]["state"]
            row = {
                "language": None,
                "strategy": None,
                "size": drawn[group.id]["size"],
                "state": state,
                "kind": "ceiling",
                "label": f"ceiling, {state}",
                "at": None,
                "setting": group.ceiling.runtime,
                "per_mib": _MIB / group.ceiling.bytes_per_s * 1e9,
                "per_mib_hi": _MIB / group.ceiling.least * 1e9,
                "per_mib_lo": _MIB / group.ceiling.most * 1e9,
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
    rows = []
    for cell in export.published:
        state = state_name(cell.workload, cell.conditions)
        unlike = (workload_name(cell.workload), state, cell.strategy) not in drawn
        if unlike or cell.doubtful or cell.group in elsewhere or cell.workload.accesses:
            continue
        axis = of[cell.strategy]["axis"]
        if axis in cell.params:
            row = {
                "language": of[cell.strategy]["language"],
                "strategy": cell.strategy,
                "size": cell.workload.size,
                "state": state,
                "kind": "published",
                "label": f"{cell.name}, published",
                "setting": "published",
                "at": cell.params[axis],
                "per_mib": cell.ns_per_op / cell.workload.size * _MIB,
            }
            rows.append(row)
    return rows


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
            says = "smallest value tried that is within 5 % of this sweep's best"
            found += [
                {**at, "kind": "knee", "label": f"{at['label']}: {says}"}
                for at in line
                if (at["strategy"], at["params"]) == near
            ]
    return found


# of groups, of sizes, of a publication


def rankings(export: Export) -> Iterator[Figure]:
    """Per group every case with its interval, the fastest first."""
    for group in export.groups:
        measured = [case for case in group.cases if case.measured]
        rows = [_of_case(group, case) for case in measured if not case.impossible]
        if rows:
            left_out = [case.name for case in measured if case.impossible]
            yield _ranking(group, sorted(rows, key=lambda row: row["ns"]), left_out)


def _ranking(group: Group, rows: list[Row], left_out: list[str]) -> Figure:
    _add_names(rows)
    for row in rows:
        for ms, ns in (("ms", "ns"), ("ms_lo", "lo"), ("ms_hi", "hi")):
            row[ms] = row[ns] and row[ns] / 1e6
    ceiling, speed = group.ceiling, rows[0]["bytes_per_s"]
    drawn = bool(ceiling and speed)
    if ceiling and drawn:
        for row in rows:
            row["ceiling_ms"] = rows[0]["ms"] * (speed / ceiling.bytes_per_s)
    alone = any(row["lo"] is None for row in rows)
    says = [
        f"Time per operation with its 95 % interval"
        f"{', which a point alone was measured too seldom for' if alone else ''}"
        f"{'; the dashed line is the ceiling' if drawn else ''}."
    ]
    if group.suspended:
        says.append("No valid comparison in this group: its A/A control differs from the baseline.")
    if left_out:
        says.append(f"Left out, as faster than the machine: {', '.join(left_out)}.")
    of_ceiling = [Column("of the ceiling", _of_ceiling)] if drawn else []
    return Figure(
        "ranking",
        f"{group.question} {group.title}",
        " ".join(says),
        charts.ranking(len(rows), ceiling=drawn),
        rows,
        (*_NAMES, *_TIMES, _SPEED, *of_ceiling),
    )


def over_size(export: Export) -> Iterator[Figure]:
    """Time per MiB over the size of the file, a line per variant, where a run has several sizes.
    Where two lines cross, the choice depends on the size.
    """
    for (shape, state), every in by(_speeds(export), "shape", "state").items():
        # Of several groups with the same case, the first.
        once = {(row["variant"], row["setting"], row["size"]): row for row in reversed(every)}
        lines = by(once.values(), "variant", "setting").values()
        rows = [row for line in lines if len(line) > 1 for row in line]
        if not rows:
            continue
        rows.sort(key=lambda row: (row["variant"], row["setting"], row["size"]))
        _add_names(rows)
        says = [
            "A line per strategy and its parameters; where two cross, the choice depends on the "
            "size.",
            *_crossovers(export, rows),
            *_no_verdict(sorted(rows, key=lambda row: row["size"]), "size"),
        ]
        of_size = Column("size", lambda row: size(row["size"]))
        yield Figure(
            "sizes",
            f"Time per MiB over the size of the file: {shape}, {state}",
            " ".join(says),
            charts.over_size(sorted({row["size"] for row in rows})),
            rows,
            (*_NAMES, of_size, *_TIMES_PER_MIB),
        )


def _crossovers(export: Export, rows: list[Row]) -> list[str]:
    """Which two change places, and between which sizes, where the comparisons on both sides are
    decided.
    """
    names = {row["key"]: row["name"] for row in rows}
    faster: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)  # of two names, by size
    for group in (each for each in export.groups if not each.suspended):
        for case in group.cases:
            compared = (
                (case.vs_best.outcome, case.vs_best.reference),
                (case.vs_baseline.outcome, group.baseline),
            )
            for outcome, reference in compared:
                decided = outcome in ("faster", "slower")
                if decided and case.key in names and reference in names:
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
    return [f"They change places: {_first(says, _MOST_CROSSOVERS)}."] if says else []


def dumbbells(export: Export) -> Iterator[Figure]:
    """Per published table each number beside those that were measured by the same procedure."""
    cases = {case.key: case for group in export.groups for case in group.cases}
    tables: dict[str, list[Row]] = defaultdict(list)
    for cell in export.published:
        place = f", {short_size(cell.size)}" if cell.along == "size" else ""
        tables[cell.table] += [
            {
                **common(cases[each.key]),
                "name": f"{cell.name}{place}",
                "setting": cases[each.key].setting,
                "doubts": " (outlier?)"
                if cell.doubtful
                else " (about)"
                if cell.approximate
                else "",
                "published_ms": cell.ns_per_op / 1e6,
                "ms": each.ns_per_op.center / 1e6,
            }
            for each in cell.measured
            if each.ns_per_op.center is not None
        ]
    published = _time("published_ms", 1e3)
    for table, rows in tables.items():
        if rows:
            yield Figure(
                "published",
                f"Published beside measured: {table}",
                "A grey point is the published number, a coloured one what the same procedure "
                "gives here.",
                charts.dumbbells(_distinct(rows, "name")),
                rows,
                (
                    Column("case", "name", False),
                    _RUNTIME,
                    Column("published", lambda row: published(row) + row["doubts"]),
                    Column("here", _time("ms", 1e3)),
                    Column(
                        "here / published", lambda row: significant(row["ms"] / row["published_ms"])
                    ),
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
        _add_names(rows)
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
            charts.strip(_distinct(rows, "name")),
            rows,
            (
                _CASE,
                _RUNTIME,
                Column("replicate", "replicate"),
                Column("what", "kind", False),
                Column("time per operation", _time("us", 1e6)),
            ),
        )


def _samples(run: Run, known: dict[str, Case], of_group: Any) -> Iterator[Row]:
    """A row per sample, and after the first of each fork those of its warm-up."""
    plan, columns, used = run.plan, run.columns, run.used()
    forks = {fork.fork: fork for fork in run.forks}
    us = columns.levels / 1e3
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
        yield {**every, "kind": "sample" if used[sample] else "not used", "us": float(us[sample])}
        fork = forks.get(number)
        if fork and (number, case.shape) not in warmed:
            warmed.add((number, case.shape))
            for ns in (fork.warm_up.get(case.shape) or [])[:_MOST_WARM_UP]:
                yield {**every, "kind": "warm-up", "us": ns / 1e3}


def schedule(run: Run) -> Iterator[Figure]:
    """When each replicate was measured, and what was noted meanwhile: in the replicate that had it,
    if that was finished.
    """
    if not run.replicates:
        return
    finished = {record.replicate_id: record for record in run.replicates}
    labels = {case.key: case.label for case in run.plan.cases}
    noted, without = [], []
    for caveat in run.caveats:
        about = "" if caveat.about == "run" else f"{labels.get(caveat.about, caveat.about)}: "
        record = finished.get(caveat.replicate_id) if caveat.replicate_id else None
        if record is None:
            without.append(f"{about}{caveat.text}")
        else:
            middle = {"middle": record.elapsed - record.seconds / 2}
            noted.append(_in(record, "caveat", f"{about}{caveat.text}") | middle)
    groups = run.plan.groups
    rows = [
        *(
            _in(each, "replicate", ", ".join(groups[index].id for index in each.groups))
            for each in run.replicates
        ),
        *noted,
        *(_span("end", each.seconds, each.seconds, f"ended: {each.reason}") for each in run.ends),
    ]
    says = ["A bar per replicate, in seconds since the start."]
    if noted:
        says.append("A triangle is a caveat, in the middle of the replicate that it was noted in.")
    if without:
        outside = _first(list(dict.fromkeys(without)), _MOST_NOTES)
        says.append(f"Noted outside of all replicates: {outside}.")
    yield Figure(
        "schedule",
        "The schedule of the run",
        " ".join(says),
        charts.schedule(_distinct(rows, "bundle")),
        rows,
        (
            Column("what", "what", False),
            Column("from, s", lambda row: decimal(row["start"], 1)),
            Column("to, s", lambda row: decimal(row["end"], 1)),
        ),
    )


def _in(record: Replicate, kind: str, what: str) -> Row:
    bundle = f"bundle {record.bundle + 1}"
    return _span(kind, record.elapsed - record.seconds, record.elapsed, what, bundle)


def _span(kind: str, start: float, end: float, what: str, bundle: str = "end") -> Row:
    found = {"kind": kind, "start": start, "end": end, "what": what, "bundle": bundle}
    return {**dict.fromkeys(FILTERS), **found}


# of several runs


def side_by_side(compared: tuple[SideBySide, ...]) -> Iterator[Figure]:
    """Per workload the cases that several runs measured."""
    # `Read 16 MiB, cached`; with all that tells them apart where that is not enough.
    cases = [each.cases[0].case for each in compared]
    titles = [headings.of_work(each.workload, each.conditions) for each in cases]
    if len(set(titles)) < len(titles):
        titles = [each.title for each in compared]
    for workload, title in zip(compared, titles, strict=True):
        rows = [
            {
                **_of_case(each.group, each.case),
                "series": f"{LETTERS[each.run]}: {each.case.setting}",
                "name": each.case.name,
                **each.in_ms,
                "over_first": each.over_first.center,
                "over_lo": each.over_first.lo,
                "over_hi": each.over_first.hi,
            }
            for each in workload.cases
        ]
        yield Figure(
            "runs",
            f"Side by side: {title}",
            "What several runs measured, as A, B, … They were not measured together: whatever "
            "changed between them (the machine, its neighbours) is in the difference too.",
            charts.side_by_side(_distinct(rows, "name"), _distinct(rows, "series")),
            rows,
            (_CASE, Column("run", "series", False), *_TIMES, _OVER_FIRST),
        )
