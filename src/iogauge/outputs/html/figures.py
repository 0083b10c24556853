"""Which figures a report has: each one a chart, the rows it is drawn from, and the same rows as a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import iogauge.outputs.html.charts as charts
from iogauge.outputs.html.rows import FILTERS, Row, add_names, block_of, by, common, of_case, of_cases, workload_name
from iogauge.runfile import Run
from iogauge.units import duration, rate, short_size, significant, size

KINDS = {
    "blocks": "three blocks or buffers of one workload at least",
    "ranking": "a case that was measured",
    "sizes": "files of several sizes",
    "published": "a run of a publication, measured as its authors did (--protocol published)",
    "samples": "samples",
    "schedule": "a complete replicate",
}
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"  # of runs side by side
_FEWEST_BLOCKS = 3
_ALSO = {
    "published": "Grey points are published numbers.",
    "ceiling": "The band is the ceiling with its range.",
    "knee": "A ring is where the values begin that are surely within 5 % of the best.",
}
_MOST_SAMPLES, _MOST_OF_ALL = 20_000, 60_000  # of a strip plot, and of a page: more are not told apart by eye, and it would be slow and large


@dataclass(frozen=True)
class Column:
    """Of the table behind a chart."""

    title: str
    cell: Callable[[Row], str]
    number: bool = True


@dataclass(frozen=True)
class Figure:
    """`spec` is Vega-Lite without its data, which are `rows`; a `lazy` one is drawn when it is asked for. `kind` is what `iogauge chart` calls it."""

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
        """Keys, and per key the values of all rows, each value once where they are text: thousands of samples have few names."""
        keys = list(dict.fromkeys(key for row in self.rows for key in row))
        columns: list[dict[str, Any]] = []
        for key in keys:
            values = [row.get(key) for row in self.rows]
            words = list(dict.fromkeys(values)) if any(isinstance(value, str) for value in values) else None
            place = {word: number for number, word in enumerate(words or ())}
            columns.append({"key": key, "words": words, "values": [place[value] for value in values] if words else [_short(value) for value in values]})
        return {"rows": len(self.rows), "columns": columns}


def all_of(document: dict[str, Any], run: Run | None) -> list[Figure]:
    """The figures of a run, the most telling one first. Without the run itself (of a stored summary) there are no samples and no schedule."""
    found = [*blocks(document), *rankings(document), *over_size(document), *dumbbells(document)]
    return found + ([*strips(document, run), *schedule(run)] if run else [])


# -------------------------------------------------------------------------------------------------------- side by side


def side_by_side(documents: list[dict[str, Any]]) -> Iterator[Figure]:
    """Per workload the cases that several runs measured, whatever the runtime: two of these, two machines, before and after."""
    rows: dict[str, dict[tuple[str, str], Row]] = {}  # by workload and conditions, once each: of the first group that has it
    for letter, document in zip(LETTERS, documents, strict=False):
        for group in document["groups"] if document["runs"][0]["protocol"] == "sound" else ():
            for case in () if group["suspended"] else group["cases"]:
                if case["ns_per_op"]["center"] is not None and not case["impossible"] and case["workload"]["content"] != "own":
                    row = of_case(document, group, case)
                    row |= {"series": f"{letter}: {row['setting']}", "name": row["label"], **{ms: row[ns] and row[ns] / 1e6 for ms, ns in (("ms", "ns"), ("ms_lo", "lo"), ("ms_hi", "hi"))}}
                    state = ", ".join(str(value) for value in case["conditions"].values() if value)
                    rows.setdefault(f"{row['workload']}, {state}", {}).setdefault((row["label"], row["series"]), row)
    for workload, found in rows.items():
        together = [same for same in by(found.values(), "label").values() if len({row["run"] for row in same}) > 1]
        if not together:
            continue
        shown = [row | _over_first(row, same) for same in together for row in same]
        yield Figure(
            "runs", f"Side by side: {workload}",
            "What several runs measured, as A, B, … They were not measured together: whatever changed between them (the machine, its neighbours) is in the difference too.",
            charts.side_by_side(len(together), len({row["series"] for row in shown})), shown, (*_NAMES[:1], Column("run", lambda row: row["series"], False), Column("time", lambda row: duration(row["ns"] / 1e9)), _INTERVAL, _OVER_FIRST),
        )  # fmt: skip


def _over_first(row: Row, same: list[Row]) -> Row:
    """Its time over that of the first run (on the same runtime, where it has that), with the interval that both of theirs make: runs know nothing of each other."""
    of_first = [each for each in same if each["run"] == same[0]["run"]]
    first = next((each for each in of_first if each["setting"] == row["setting"]), of_first[0])
    ratio = row["ns"] / first["ns"]
    if row["run"] == first["run"] or not all(each[bound] for each in (row, first) for bound in ("lo", "hi")):
        return {"over_first": ratio, "over_lo": None, "over_hi": None}
    below, above = (math.hypot(*(math.log(each[bound] / each["ns"]) for each, bound in pairs)) for pairs in (((row, "lo"), (first, "hi")), ((row, "hi"), (first, "lo"))))
    return {"over_first": ratio, "over_lo": ratio * math.exp(-below), "over_hi": ratio * math.exp(above)}


# ------------------------------------------------------------------------------------------------------- over the block


def blocks(document: dict[str, Any]) -> list[Figure]:
    """Time per MiB over the block or buffer: per language and state its best strategy at each block. The figure with most blocks first."""
    measured = [row for row in of_cases(document) if row["block"] and row["per_mib"] and not row["impossible"]]
    add_names(measured)
    found = []
    for (workload,), rows in by(measured, "workload").items():
        best = [min(some, key=lambda row: row["ns"]) for some in by(rows, "setting", "language", "state", "block").values()]
        values = {row["block"] for row in best}
        if len(values) < _FEWEST_BLOCKS:
            continue
        every = [{**row, "kind": "measured"} for row in sorted(best, key=lambda row: (row["series"], row["state"], row["block"]))]
        every += _ceilings(document, workload) + _published_blocks(document, workload) + _knees(document, best)
        found.append((len(values), Figure(
            "blocks", f"Time per MiB over the block or buffer: {_in_words(rows[0])}",
            " ".join(["Per language the fastest strategy at each block.", *(says for kind, says in _ALSO.items() if any(row["kind"] == kind for row in every))]),
            charts.blocks({row["kind"] for row in every}), every, (*_NAMES, _BLOCK, _PER_MIB, _INTERVAL_PER_MIB),
        )))  # fmt: skip
    return [figure for _, figure in sorted(found, key=lambda each: -each[0])]


def _ceilings(document: dict[str, Any], workload: str) -> list[Row]:
    rows: dict[str, Row] = {}
    for group in document["groups"]:
        first, ceiling = group["cases"][0] if group["cases"] else None, group["ceiling"]
        if first and ceiling and workload_name(first) == workload:
            per_mib = {name: (1 << 20) / ceiling[key] * 1e9 for name, key in (("per_mib", "bytes_per_s"), ("per_mib_hi", "least"), ("per_mib_lo", "most"))}
            every = {**common(first), "language": None, "strategy": None}
            made = {**every, "kind": "ceiling", "label": f"ceiling, {every['state']}", "block": None, "setting": ceiling["runtime"], **per_mib}
            rows.setdefault(every["state"], made)
    return list(rows.values())


def _published_blocks(document: dict[str, Any], workload: str) -> list[Row]:
    rows = []
    for cell in document["published"]:
        measured = next((case for group in document["groups"] for case in group["cases"] if cell["measured"] and case["key"] == cell["measured"][0]["key"]), None)
        if measured and workload_name(measured) == workload and block_of(measured) and cell["ns_per_op"] and not cell["doubtful"]:
            per_mib = cell["ns_per_op"] / measured["workload"]["size"] * (1 << 20)
            rows.append({**common(measured), "kind": "published", "label": f"{measured['label']}, published", "setting": "published", "block": block_of(measured), "per_mib": per_mib})
    return rows


def _knees(document: dict[str, Any], best: list[Row]) -> list[Row]:
    found = []
    for group in document["groups"]:
        for knee in group["knees"]:
            params = {**knee["others"], knee["parameter"]: knee["near"]}
            for at in best:
                here = (at["group"], at["strategy"], at["setting"], at["params"], at["block"])
                if here == (group["id"], knee["strategy"], knee["setting"], params, knee["near"]):
                    found.append({**at, "kind": "knee", "label": f"{at['label']}: within 5 % of the best from here on"})
    return found


# ------------------------------------------------------------------------------------------------------------ rankings


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
            row["ms"], row["ms_lo"], row["ms_hi"] = (row[key] and row[key] / 1e6 for key in ("ns", "lo", "hi"))
        if group["ceiling"] and rows[0]["bytes_per_s"]:
            factor = rows[0]["bytes_per_s"] / group["ceiling"]["bytes_per_s"]
            for row in rows:
                row["ceiling_ms"] = rows[0]["ms"] * factor
        yield Figure(
            "ranking", f"{group['question']} {group['title']}",
            "Time per operation with its 95 % interval; the dashed line is the ceiling."
            + (" No verdict rests on this group: its A/A twin differs from the baseline." if group["suspended"] else "")
            + (f" Left out, as faster than the machine: {', '.join(left_out)}." if left_out else ""),
            charts.ranking(len(rows)), rows, (*_NAMES, Column("time", lambda row: duration(row["ns"] / 1e9)), _INTERVAL, _SPEED, _OF_CEILING),
        )  # fmt: skip


def over_size(document: dict[str, Any]) -> Iterator[Figure]:
    """Time per MiB over the size of the file, a line per variant, where a run has several sizes: lines that cross are choices that depend on it."""
    measured = [{**row, "shape": row["workload"].replace(f" {row['size']} ", " ", 1)} for row in of_cases(document) if row["per_mib"] and not row["impossible"]]
    for (shape, state), every in by(measured, "shape", "state").items():
        once = {(row["label"], row["setting"], row["size"]): row for row in reversed(every)}  # of the first group that has it
        rows = [row for same in by(once.values(), "label", "setting").values() if len(same) > 1 for row in same]
        if rows:
            rows.sort(key=lambda row: (row["label"], row["setting"], row["size"]))
            add_names(rows)
            yield Figure(
                "sizes", f"Time per MiB over the size of the file: {shape}, {state}", "A line per strategy and its parameters; where two cross, the choice depends on the size.",
                charts.over_size(sorted({row["size"] for row in rows})), rows, (*_NAMES, Column("size", lambda row: size(row["size"])), _PER_MIB, _INTERVAL_PER_MIB),
            )  # fmt: skip


# ------------------------------------------------------------------------------------------------- published beside ours


def dumbbells(document: dict[str, Any]) -> Iterator[Figure]:
    """Per published table each number beside those that were measured by the same procedure."""
    cases = {case["key"]: case for group in document["groups"] for case in group["cases"]}
    for table in dict.fromkeys(cell["table"] for cell in document["published"]):
        rows = []
        for cell in (each for each in document["published"] if each["table"] == table):
            place = f", {short_size(cell['size'])}" if cell["along"] == "size" else ""
            values = "/".join(short_size(value) for _, value in sorted(cell["params"].items()))
            name = f"{cell['strategy']} {values}".strip() + place
            ours = [(cases[each["key"]], each) for each in cell["measured"] if each["ns_per_op"]["center"] is not None]
            for case, each in ours:
                doubts = " (outlier?)" if cell["doubtful"] else " (about)" if cell["approximate"] else ""
                times = {"doubts": doubts, "published_ms": cell["ns_per_op"] / 1e6, "ms": each["ns_per_op"]["center"] / 1e6}
                rows.append({**common(case), "name": name, "setting": " ".join([case["runtime"], *case["options"]]), **times})
        if rows:
            yield Figure(
                "published", f"Published beside measured: {table}", "A grey point is the published number, a coloured one what the same procedure gives here.",
                charts.dumbbells(len({row["name"] for row in rows})), rows,
                (Column("case", lambda row: row["name"], False), Column("runtime", lambda row: row["setting"], False),
                 Column("published", lambda row: duration(row["published_ms"] / 1e3) + row["doubts"]), Column("here", lambda row: duration(row["ms"] / 1e3)),
                 Column("here / published", lambda row: significant(row["ms"] / row["published_ms"]))),
            )  # fmt: skip


# ---------------------------------------------------------------------------------------------------- samples, schedule


def strips(document: dict[str, Any], run: Run) -> Iterator[Figure]:
    """Per group every sample by replicate, void ones too, and those of warming up."""
    plan, table, used = run.plan, run.table, run.used()
    known = {case["key"]: case for group in document["groups"] for case in group["cases"]}
    forks = {fork["fork"]: fork for fork in run.forks}
    us = table.levels / 1e3
    most = min(_MOST_SAMPLES, -(-_MOST_OF_ALL // max(1, len(plan.groups))))
    for index, group in enumerate(plan.groups):
        rows: list[Row] = []
        shown = [case for case in group.cases if plan.cases[case].key in known]
        of_group = np.flatnonzero((table.group == index) & np.isin(table.case, shown))
        cut = len(of_group) > most
        warmed: set[tuple[int, str]] = set()
        for sample in of_group[:most]:
            case, number = plan.cases[table.case[sample]], int(table.fork[sample])
            every = {**common(known[case.key]), "label": case.label, "setting": case.setting, "replicate": int(table.replicate[sample])}
            rows.append({**every, "kind": "sample" if used[sample] else "not used", "us": float(us[sample])})
            fork = forks.get(number)
            if fork and (number, case.shape) not in warmed:
                warmed.add((number, case.shape))
                rows += [{**every, "kind": "warm-up", "us": ns / 1e3} for ns in (fork["warm_up"].get(case.shape) or [])[:3]]
        if rows:
            yield Figure(
                "samples", f"The samples: {group.question} {group.title}",
                "By replicate; of warming up the first three spans of each fork. What is void, or of a replicate that was cut short, was not used."
                + (f" The first {most}; the run file has them all." if cut else ""),
                charts.strip(len({row["label"] for row in rows})), rows,
                (Column("case", lambda row: row["label"], False), Column("runtime", lambda row: row["setting"], False), Column("replicate", lambda row: str(row["replicate"])),
                 Column("what", lambda row: row["kind"], False), Column("time per operation", lambda row: duration(row["us"] / 1e6))),
                lazy=True,
            )  # fmt: skip


def schedule(run: Run) -> Iterator[Figure]:
    """When each replicate was measured, and what was noted meanwhile."""
    rows: list[Row] = []
    every = dict.fromkeys(FILTERS)
    for record in run.replicates:
        names = ", ".join(run.plan.groups[index].id for index in record["groups"])
        rows.append({**every, "kind": "replicate", "start": record["elapsed"] - record["seconds"], "end": record["elapsed"], "what": names, "bundle": f"bundle {record['bundle'] + 1}"})
    for end in run.ends:
        rows.append({**every, "kind": "end", "start": end["seconds"], "end": end["seconds"], "what": f"ended: {end['reason']}", "bundle": "end"})
    if run.replicates:
        yield Figure(
            "schedule", "The schedule of the run", "A bar per replicate, in seconds since the start.", charts.schedule(len({row["bundle"] for row in rows})), rows,
            (Column("what", lambda row: row["what"], False), Column("from, s", lambda row: f"{row['start']:.1f}"), Column("to, s", lambda row: f"{row['end']:.1f}")), lazy=True,
        )  # fmt: skip


def _short(value: Any) -> Any:
    """Six digits are more than a picture shows."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _in_words(row: Row) -> str:
    return f"{row['workload'].partition(' ')[0]} {size(row['size'])}"


def _interval(lo: str, hi: str, factor: float) -> Callable[[Row], str]:
    return lambda row: f"{duration(row[lo] / factor)} – {duration(row[hi] / factor)}" if row.get(lo) and row.get(hi) else "–"


_NAMES = (Column("case", lambda row: row["label"], False), Column("runtime", lambda row: row["setting"], False), Column("state", lambda row: row["state"], False))
_OVER_FIRST = Column("over the first", lambda row: significant(row["over_first"]) + (f" ({significant(row['over_lo'])} – {significant(row['over_hi'])})" if row["over_lo"] else ""))
_BLOCK = Column("block", lambda row: "–" if row["block"] is None else short_size(row["block"]))
_PER_MIB = Column("time per MiB", lambda row: duration(row["per_mib"] / 1e9))
_INTERVAL_PER_MIB = Column("95 %", _interval("per_mib_lo", "per_mib_hi", 1e9))
_INTERVAL = Column("95 %", _interval("lo", "hi", 1e9))
_SPEED = Column("throughput", lambda row: rate(row["bytes_per_s"]) if row["bytes_per_s"] else "–")
_OF_CEILING = Column("of the ceiling", lambda row: f"{row['of_ceiling']:.0%}" if row["of_ceiling"] is not None else "–")
