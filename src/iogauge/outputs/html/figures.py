"""Which figures a report has: each one a chart, the rows it is drawn from, and the same rows as a
table.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import iogauge.outputs.html.charts as charts
from iogauge.model.units import duration, rate, short_size, significant, size
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
    state_of,
    workload_name,
)
from iogauge.runfile.runfile import Run

KINDS = {
    "blocks": "two blocks or buffers of one workload at least",
    "ranking": "a case that was measured",
    "sizes": "files of several sizes",
    "published": "a run of a publication, measured as its authors did (--protocol published)",
    "samples": "samples",
    "schedule": "a complete replicate",
}
_MOST_CROSSOVERS, _MOST_NOTES = 6, 8  # that a caption names
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"  # of runs side by side
_ENOUGH_VALUES, _FEWEST_VALUES = 3, 2  # of blocks or buffers along a line
_ALSO = {
    "published": "Grey points are published numbers, by their authors' own procedure.",
    "ceiling": "The band is the ceiling with its range.",
    "knee": "A ring is the smallest value tried that is surely within 5 % of the best of its sweep.",
}
_MOST_SAMPLES = 20_000  # of a strip plot: more are not told apart by eye, and it would be slow


@dataclass(frozen=True)
class Column:
    """Of the table behind a chart."""

    title: str
    cell: Callable[[Row], str]
    number: bool = True


@dataclass(frozen=True)
class Figure:
    """`spec` is Vega-Lite without its data, which are `rows`; a `lazy` one is drawn when it is
    asked for. `kind` is what `iogauge chart` calls it.
    """

    kind: str
    title: str
    says: str
    spec: dict[str, Any]
    rows: list[Row]
    columns: tuple[Column, ...]
    lazy: bool = False

    @property
    def table(self) -> list[tuple[Row, list[str]]]:
        """Each row with its cells, as text."""
        return [(row, [column.cell(row) for column in self.columns]) for row in self.rows]

    @property
    def packed(self) -> dict[str, Any]:
        """The keys that the chart or a filter goes by, and per key the values of all rows, each
        value once where they are text: thousands of samples have few names.
        """
        drawn = json.dumps(self.spec)
        keys = [
            key
            for key in dict.fromkeys(key for row in self.rows for key in row)
            if key in FILTERS or re.search(rf"\b{key}\b", drawn)
        ]
        columns: list[dict[str, Any]] = []
        for key in keys:
            values = [row.get(key) for row in self.rows]
            words = (
                list(dict.fromkeys(values))
                if any(isinstance(value, str) for value in values)
                else None
            )
            place = {word: number for number, word in enumerate(words or ())}
            columns.append(
                {
                    "key": key,
                    "words": words,
                    "values": [place[value] for value in values]
                    if words
                    else [_short(value) for value in values],
                }
            )
        return {"rows": len(self.rows), "columns": columns}


def all_of(document: dict[str, Any], run: Run | None, samples: int = _MOST_SAMPLES) -> list[Figure]:
    """The figures of a run, the most telling one first. Without the run itself (of a stored
    summary) there are no samples and no schedule. `samples` is how many a strip plot may have.
    """
    found = [*blocks(document), *rankings(document), *over_size(document), *dumbbells(document)]
    return found + (
        [*strips(document, run, min(samples, _MOST_SAMPLES)), *schedule(run)] if run else []
    )


# side by side


def side_by_side(documents: list[dict[str, Any]]) -> Iterator[Figure]:
    """Per workload the cases that several runs measured, whatever the runtime: two of these, two
    machines, before and after.
    """
    rows: dict[
        str, dict[tuple[str, str], Row]
    ] = {}  # by workload and conditions, once each: of the first group that has it
    for letter, document in zip(LETTERS, documents, strict=False):
        for group in document["groups"] if document["runs"][0]["protocol"] == "sound" else ():
            for case in () if group["suspended"] else group["cases"]:
                if (
                    case["ns_per_op"]["center"] is not None
                    and not case["impossible"]
                    and case["workload"]["content"] != "own"
                ):
                    row = of_case(document, group, case)
                    row |= {
                        "series": f"{letter}: {row['setting']}",
                        "name": row["label"],
                        **{
                            ms: row[ns] and row[ns] / 1e6
                            for ms, ns in (("ms", "ns"), ("ms_lo", "lo"), ("ms_hi", "hi"))
                        },
                    }
                    rows.setdefault(f"{row['workload']}, {row['state']}", {}).setdefault(
                        (row["label"], row["series"]), row
                    )
    for workload, found in rows.items():
        together = [
            same
            for same in by(found.values(), "label").values()
            if len({row["run"] for row in same}) > 1
        ]
        if not together:
            continue
        shown = [row | _over_first(row, same) for same in together for row in same]
        yield Figure(
            "runs",
            f"Side by side: {workload}",
            "What several runs measured, as A, B, … They were not measured together: whatever changed between them (the machine, its neighbours) is in the difference too.",
            charts.side_by_side(len(together), len({row["series"] for row in shown})),
            shown,
            (
                *_NAMES[:1],
                Column("run", lambda row: row["series"], False),
                Column("time", lambda row: duration(row["ns"] / 1e9)),
                _INTERVAL,
                _OVER_FIRST,
            ),
        )


def _over_first(row: Row, same: list[Row]) -> Row:
    """Its time over that of the first run (on the same runtime, where it has that), with the
    interval that both of theirs make: runs know nothing of each other.
    """
    of_first = [each for each in same if each["run"] == same[0]["run"]]
    first = next((each for each in of_first if each["setting"] == row["setting"]), of_first[0])
    ratio = row["ns"] / first["ns"]
    if row["run"] == first["run"] or not all(
        each[bound] for each in (row, first) for bound in ("lo", "hi")
    ):
        return {"over_first": ratio, "over_lo": None, "over_hi": None}
    below, above = (
        math.hypot(*(math.log(each[bound] / each["ns"]) for each, bound in pairs))
        for pairs in (((row, "lo"), (first, "hi")), ((row, "hi"), (first, "lo")))
    )
    return {
        "over_first": ratio,
        "over_lo": ratio * math.exp(-below),
        "over_hi": ratio * math.exp(above),
    }


# over the block


def blocks(document: dict[str, Any]) -> list[Figure]:
    """Time per MiB over the block, or over the buffer: per language and state its best strategy at
    each. The figure with most values first; those with few of them only where there is nothing
    better.
    """
    measured = [row for row in of_cases(document) if row["per_mib"] and not row["impossible"]]
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
        _over(document, found[place])
        for place in sorted(most, key=lambda place: -most[place])
        if most[place] >= least
    ]


def _fastest(rows: list[Row]) -> list[Row]:
    """At each value of a line: what one group measured of one language on one runtime."""
    best = [
        min(some, key=lambda row: row["ns"])
        for some in by(rows, "setting", "language", "group", "at").values()
    ]
    add_names(best)
    return sorted(best, key=lambda row: (row["series"], row["state"], row["at"]))


def _lines(best: list[Row]) -> list[list[Row]]:
    return list(by(best, "setting", "language", "group").values())


def _over(document: dict[str, Any], best: list[Row]) -> Figure:
    axis = best[0]["axis"]
    rows = [{**row, "kind": "measured"} for row in best]
    rows += _ceilings(document, best) + _published_points(document, best) + _knees(document, best)
    says = [
        _sentence(best[0]["question"]),
        f"Per language the fastest strategy at each {axis}.",
        *(says for kind, says in _ALSO.items() if any(row["kind"] == kind for row in rows)),
    ]
    return Figure(
        "blocks",
        f"Time per MiB over the {axis}: {_in_words(best[0])}",
        " ".join([*says, *_no_verdict(best, "state")]),
        charts.blocks(
            axis,
            {row["kind"] for row in rows},
            sorted({row["at"] for row in rows if row["at"] is not None}),
        ),
        rows,
        (
            *_NAMES,
            Column(axis, lambda row: "–" if row["at"] is None else short_size(row["at"])),
            _PER_MIB,
            _INTERVAL_PER_MIB,
        ),
    )


def _no_verdict(rows: list[Row], name: str) -> list[str]:
    """A sentence on those whose group is suspended, told by what this key says of them."""
    suspended = list(dict.fromkeys(row[name] for row in rows if row["suspended"]))
    where = ", ".join(size(each) if name == "size" else each for each in suspended)
    return (
        [
            f"No verdict rests on what was measured {'at' if name == 'size' else 'in the state'} {where}: the A/A twin differs from its baseline there."
        ]
        if suspended
        else []
    )


def _ceilings(document: dict[str, Any], best: list[Row]) -> list[Row]:
    rows: dict[str, Row] = {}
    for group in document["groups"]:
        drawn, ceiling = (
            next((row for row in best if row["group"] == group["id"]), None),
            group["ceiling"],
        )
        if drawn and ceiling:
            per_mib = {
                name: MIB / ceiling[key] * 1e9
                for name, key in (
                    ("per_mib", "bytes_per_s"),
                    ("per_mib_hi", "least"),
                    ("per_mib_lo", "most"),
                )
            }
            filtered = {
                "language": None,
                "strategy": None,
                "size": drawn["size"],
                "state": drawn["state"],
            }
            rows.setdefault(
                drawn["state"],
                {
                    **filtered,
                    "kind": "ceiling",
                    "label": f"ceiling, {drawn['state']}",
                    "at": None,
                    "setting": ceiling["runtime"],
                    **per_mib,
                },
            )
    return list(rows.values())


def _published_points(document: dict[str, Any], best: list[Row]) -> list[Row]:
    """Published numbers of the strategies that are drawn here, of the same workload in the same
    state.
    """
    drawn, rows = {(row["workload"], row["state"], row["strategy"]) for row in best}, []
    names = {row["strategy"]: row["axis"] for row in best}
    cases = {case["key"]: case for group in document["groups"] for case in group["cases"]}
    elsewhere = {group["id"] for group in document["groups"]} - {
        row["group"] for row in best
    }  # is drawn there
    for cell in document["published"]:
        of = (
            cell
            if "workload" in cell
            else cases.get(cell["measured"][0]["key"])
            if cell["measured"]
            else None
        )  # older exports lack it
        if (
            of is None
            or cell["doubtful"]
            or cell["group"] in elsewhere
            or names.get(cell["strategy"]) not in cell["params"]
            or of["workload"]["accesses"]
        ):
            continue
        filtered = {
            "language": cell["strategy"].partition("/")[0],
            "strategy": cell["strategy"],
            "size": of["workload"]["size"],
            "state": state_of(of),
        }
        if (workload_name(of), filtered["state"], cell["strategy"]) in drawn:
            per_mib = cell["ns_per_op"] / of["workload"]["size"] * MIB
            rows.append(
                {
                    **filtered,
                    "kind": "published",
                    "label": f"{_called(cell)}, published",
                    "setting": "published",
                    "at": cell["params"][names[cell["strategy"]]],
                    "per_mib": per_mib,
                }
            )
    return rows


def _knees(document: dict[str, Any], best: list[Row]) -> list[Row]:
    """On lines whose fastest point is the best of a sweep: of any other sweep a ring would tell
    nothing of the line.
    """
    found, knees = [], {group["id"]: group["knees"] for group in document["groups"]}
    for line in _lines(best):
        fastest = min(line, key=lambda row: row["ns"])
        axis = fastest["axis"]
        for knee in knees[fastest["group"]]:
            swept = (knee["strategy"], knee["setting"], {**knee["others"], axis: knee["best"]})
            if knee["parameter"] == axis and swept == (
                fastest["strategy"],
                fastest["setting"],
                fastest["params"],
            ):
                near = {**knee["others"], axis: knee["near"]}
                found += [
                    {
                        **at,
                        "kind": "knee",
                        "label": f"{at['label']}: smallest value tried that is within 5 % of this sweep's best",
                    }
                    for at in line
                    if (at["strategy"], at["params"]) == (knee["strategy"], near)
                ]
    return found


# rankings


def rankings(document: dict[str, Any]) -> Iterator[Figure]:
    """Per group every case with its interval, the fastest first."""
    for group in document["groups"]:
        every = [row for row in of_cases(document) if row["group"] == group["id"]]
        rows = [row for row in every if not row["impossible"]]
        if not rows:
            continue
        left_out = [row["label"] for row in every if row["impossible"]]
        rows.sort(key=lambda row: row["ns"])
        add_names(rows)
        for row in rows:
            row["ms"], row["ms_lo"], row["ms_hi"] = (
                row[key] and row[key] / 1e6 for key in ("ns", "lo", "hi")
            )
        drawn = bool(group["ceiling"] and rows[0]["bytes_per_s"])
        if drawn:
            factor = rows[0]["bytes_per_s"] / group["ceiling"]["bytes_per_s"]
            for row in rows:
                row["ceiling_ms"] = rows[0]["ms"] * factor
        yield Figure(
            "ranking",
            f"{group['question']} {group['title']}",
            f"Time per operation with its 95 % interval{', which a point alone was measured too seldom for' if any(row['lo'] is None for row in rows) else ''}{'; the dashed line is the ceiling' if drawn else ''}."
            + (
                " No verdict rests on this group: its A/A twin differs from the baseline."
                if group["suspended"]
                else ""
            )
            + (
                f" Left out, as faster than the machine: {', '.join(left_out)}." if left_out else ""
            ),
            charts.ranking(len(rows), ceiling=drawn),
            rows,
            (
                *_NAMES,
                Column("time", lambda row: duration(row["ns"] / 1e9)),
                _INTERVAL,
                _SPEED,
                *([_OF_CEILING] if drawn else []),
            ),
        )


def over_size(document: dict[str, Any]) -> Iterator[Figure]:
    """Time per MiB over the size of the file, a line per variant, where a run has several sizes:
    lines that cross are choices that depend on it.
    """
    measured = [
        {**row, "shape": row["workload"].replace(f" {row['size']} ", " ", 1)}
        for row in of_cases(document)
        if row["per_mib"] and not row["impossible"]
    ]
    for (shape, state), every in by(measured, "shape", "state").items():
        once = {
            (row["label"], row["setting"], row["size"]): row for row in reversed(every)
        }  # of the first group that has it
        rows = [
            row
            for same in by(once.values(), "label", "setting").values()
            if len(same) > 1
            for row in same
        ]
        if rows:
            rows.sort(key=lambda row: (row["label"], row["setting"], row["size"]))
            add_names(rows)
            says = [
                "A line per strategy and its parameters; where two cross, the choice depends on the size.",
                *_crossovers(document, rows),
                *_no_verdict(sorted(rows, key=lambda row: row["size"]), "size"),
            ]
            yield Figure(
                "sizes",
                f"Time per MiB over the size of the file: {shape}, {state}",
                " ".join(says),
                charts.over_size(sorted({row["size"] for row in rows})),
                rows,
                (
                    *_NAMES,
                    Column("size", lambda row: size(row["size"])),
                    _PER_MIB,
                    _INTERVAL_PER_MIB,
                ),
            )


def _crossovers(document: dict[str, Any], rows: list[Row]) -> list[str]:
    """Which two change places, and between which sizes: those whose comparisons are decided on both
    sides.
    """
    names = {row["key"]: row["name"] for row in rows}
    faster: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)  # of two, by size
    for group in (each for each in document["groups"] if not each["suspended"]):
        for case in group["cases"]:
            for found, reference in (
                (case["vs_best"], case["vs_best"].get("reference")),
                (case.get("vs_baseline", {}), group.get("baseline")),
            ):
                if (
                    found.get("outcome") in ("faster", "slower")
                    and case["key"] in names
                    and reference in names
                ):
                    a, b = names[case["key"]], names[reference]
                    faster[min(a, b), max(a, b)][case["workload"]["size"]] = (
                        a if found["outcome"] == "faster" else b
                    )
    says = [
        f"{first[at]} is faster than {next(each for each in pair if each != first[at])} at {short_size(at)} and slower at {short_size(beyond)}"
        for pair, first in faster.items()
        for at, beyond in itertools.pairwise(sorted(first))
        if first[at] != first[beyond]
    ]
    more = f"; and {len(says) - _MOST_CROSSOVERS} more" if len(says) > _MOST_CROSSOVERS else ""
    return [f"They change places: {'; '.join(says[:_MOST_CROSSOVERS])}{more}."] if says else []


# published beside ours


def dumbbells(document: dict[str, Any]) -> Iterator[Figure]:
    """Per published table each number beside those that were measured by the same procedure."""
    cases = {case["key"]: case for group in document["groups"] for case in group["cases"]}
    for table in dict.fromkeys(cell["table"] for cell in document["published"]):
        rows = []
        for cell in (each for each in document["published"] if each["table"] == table):
            place = f", {short_size(cell['size'])}" if cell["along"] == "size" else ""
            name = _called(cell) + place
            ours = [
                (cases[each["key"]], each)
                for each in cell["measured"]
                if each["ns_per_op"]["center"] is not None
            ]
            for case, each in ours:
                doubts = (
                    " (outlier?)" if cell["doubtful"] else " (about)" if cell["approximate"] else ""
                )
                times = {
                    "doubts": doubts,
                    "published_ms": cell["ns_per_op"] / 1e6,
                    "ms": each["ns_per_op"]["center"] / 1e6,
                }
                rows.append(
                    {
                        **common(case),
                        "name": name,
                        "setting": " ".join([case["runtime"], *case["options"]]),
                        **times,
                    }
                )
        if rows:
            yield Figure(
                "published",
                f"Published beside measured: {table}",
                "A grey point is the published number, a coloured one what the same procedure gives here.",
                charts.dumbbells(len({row["name"] for row in rows})),
                rows,
                (
                    Column("case", lambda row: row["name"], False),
                    Column("runtime", lambda row: row["setting"], False),
                    Column(
                        "published", lambda row: duration(row["published_ms"] / 1e3) + row["doubts"]
                    ),
                    Column("here", lambda row: duration(row["ms"] / 1e3)),
                    Column(
                        "here / published", lambda row: significant(row["ms"] / row["published_ms"])
                    ),
                ),
            )


def _called(cell: dict[str, Any]) -> str:
    values = "/".join(short_size(value) for _, value in sorted(cell["params"].items()))
    return f"{cell['strategy']} {values}".strip()


# samples, schedule


def strips(document: dict[str, Any], run: Run, most: int) -> Iterator[Figure]:
    """Per group every sample by replicate, void ones too, and those of warming up; of many the
    first.
    """
    plan, table, used = run.plan, run.table, run.used()
    known = {case["key"]: case for group in document["groups"] for case in group["cases"]}
    forks = {fork["fork"]: fork for fork in run.forks}
    us = table.levels / 1e3
    for index, group in enumerate(plan.groups):
        rows: list[Row] = []
        shown = [case for case in group.cases if plan.cases[case].key in known]
        of_group = np.flatnonzero((table.group == index) & np.isin(table.case, shown))
        cut = len(of_group) > most
        warmed: set[tuple[int, str]] = set()
        for sample in of_group[:most]:
            case, number = plan.cases[table.case[sample]], int(table.fork[sample])
            every = {
                **common(known[case.key]),
                "label": case.label,
                "setting": case.setting,
                "replicate": int(table.replicate[sample]),
            }
            rows.append(
                {**every, "kind": "sample" if used[sample] else "not used", "us": float(us[sample])}
            )
            fork = forks.get(number)
            if fork and (number, case.shape) not in warmed:
                warmed.add((number, case.shape))
                rows += [
                    {**every, "kind": "warm-up", "us": ns / 1e3}
                    for ns in (fork["warm_up"].get(case.shape) or [])[:3]
                ]
        if rows:
            add_names(rows)
            yield Figure(
                "samples",
                f"The samples: {group.question} {group.title}",
                "By replicate; of warming up, only the first three spans of each fork are shown. What is void, or of a replicate that was cut short, was not used."
                + (f" The first {most}; the run file has them all." if cut else ""),
                charts.strip(len({row["name"] for row in rows})),
                rows,
                (
                    Column("case", lambda row: row["label"], False),
                    Column("runtime", lambda row: row["setting"], False),
                    Column("replicate", lambda row: str(row["replicate"])),
                    Column("what", lambda row: row["kind"], False),
                    Column("time per operation", lambda row: duration(row["us"] / 1e6)),
                ),
                lazy=True,
            )


def schedule(run: Run) -> Iterator[Figure]:
    """When each replicate was measured, and what was noted meanwhile."""
    rows: list[Row] = []
    every = dict.fromkeys(FILTERS)
    for record in run.replicates:
        names = ", ".join(run.plan.groups[index].id for index in record["groups"])
        rows.append(
            {
                **every,
                "kind": "replicate",
                "start": record["elapsed"] - record["seconds"],
                "end": record["elapsed"],
                "what": names,
                "bundle": _bundle(record),
            }
        )
    noted, without = _noted(run)
    rows += [{**every, **each} for each in noted]
    for end in run.ends:
        rows.append(
            {
                **every,
                "kind": "end",
                "start": end["seconds"],
                "end": end["seconds"],
                "what": f"ended: {end['reason']}",
                "bundle": "end",
            }
        )
    if run.replicates:
        says = ["A bar per replicate, in seconds since the start."]
        says += (
            ["A triangle is a caveat, in the middle of the replicate that it was noted in."]
            if noted
            else []
        )
        more = f"; and {len(without) - _MOST_NOTES} more" if len(without) > _MOST_NOTES else ""
        says += (
            [f"Noted outside of all replicates: {'; '.join(without[:_MOST_NOTES])}{more}."]
            if without
            else []
        )
        yield Figure(
            "schedule",
            "The schedule of the run",
            " ".join(says),
            charts.schedule(len({row["bundle"] for row in rows})),
            rows,
            (
                Column("what", lambda row: row["what"], False),
                Column("from, s", lambda row: f"{row['start']:.1f}"),
                Column("to, s", lambda row: f"{row['end']:.1f}"),
            ),
            lazy=True,
        )


def _noted(run: Run) -> tuple[list[Row], list[str]]:
    """Caveats as rows, where a finished replicate had them, and the words of the others, each once."""
    finished = {_place(record): record for record in run.replicates}
    labels = {case.key: case.label for case in run.plan.cases}
    rows, without = [], []
    for caveat in run.caveats:
        about = (
            "" if caveat["about"] == "run" else f"{labels.get(caveat['about'], caveat['about'])}: "
        )
        record = finished.get(_place(caveat)) if "replicate" in caveat else None
        if record:
            start, end = record["elapsed"] - record["seconds"], record["elapsed"]
            rows.append(
                {
                    "kind": "caveat",
                    "start": start,
                    "end": end,
                    "middle": (start + end) / 2,
                    "what": f"{about}{caveat['text']}",
                    "bundle": _bundle(record),
                }
            )
        else:
            without.append(f"{about}{caveat['text']}")
    return rows, list(dict.fromkeys(without))


def _place(record: dict[str, Any]) -> tuple[int, ...]:
    return record["bundle"], record["replicate"], record["attempt"]


def _bundle(record: dict[str, Any]) -> str:
    return f"bundle {record['bundle'] + 1}"


def _short(value: Any) -> Any:
    """Six digits are more than a picture shows."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _sentence(text: str) -> str:
    return text if text.endswith(("?", ".", "!")) else f"{text}."


def _in_words(row: Row) -> str:
    return f"{row['workload'].partition(' ')[0]} {size(row['size'])}"


def _interval(lo: str, hi: str, factor: float) -> Callable[[Row], str]:
    return lambda row: (
        f"{duration(row[lo] / factor)} – {duration(row[hi] / factor)}"
        if row.get(lo) and row.get(hi)
        else "–"
    )


_NAMES = (
    Column("case", lambda row: row["label"], False),
    Column("runtime", lambda row: row["setting"], False),
    Column("state", lambda row: row["state"], False),
)
_OVER_FIRST = Column(
    "over the first",
    lambda row: (
        significant(row["over_first"])
        + (
            f" ({significant(row['over_lo'])} – {significant(row['over_hi'])})"
            if row["over_lo"]
            else ""
        )
    ),
)
_PER_MIB = Column("time per MiB", lambda row: duration(row["per_mib"] / 1e9))
_INTERVAL_PER_MIB = Column("95 %", _interval("per_mib_lo", "per_mib_hi", 1e9))
_INTERVAL = Column("95 %", _interval("lo", "hi", 1e9))
_SPEED = Column("throughput", lambda row: rate(row["bytes_per_s"]) if row["bytes_per_s"] else "–")
_OF_CEILING = Column(
    "of the ceiling",
    lambda row: f"{row['of_ceiling']:.0%}" if row["of_ceiling"] is not None else "–",
)
