"""A history for other programs: JSON, CSV, and what Apache Otava reads; and answers to `--sql`."""

from __future__ import annotations

import csv
import datetime
import io
import json
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from iogauge.history.history import History
from iogauge.history.series import Changed, Series
from iogauge.model.text import visible
from iogauge.model.units import rounded
from iogauge.outputs.csv import cell
from iogauge.outputs.history import changed_at, moment

if TYPE_CHECKING:
    from iogauge.history.database import Answer

VERSION = 1
OTAVA_CONFIG = "otava.yaml"
_ATTRIBUTES = ("run", "runtime", "iogauge", "kernel")
_ABOUT = ("case_key", "name", "group_id", "question", "study", "protocol")
_PLACE = ("host", "host_name", "processor", "system", "file_system", "method")


def as_json(found: History) -> dict[str, Any]:
    """docs/history.md has the keys. Times are in ns."""
    return {
        "iogauge_history": VERSION,
        "copies": found.copies,
        "runs": [vars(each) | {"started": moment(each.started)} for each in found.runs],
        "series": [_series(number, each) for number, each in enumerate(found.series, 1)],
        "skipped": [{"file": path, "why": why} for path, why in found.problems],
    }


def _series(number: int, series: Series) -> dict[str, Any]:
    return {
        "series": number,
        **{name: getattr(series.about, name) for name in (*_ABOUT, *_PLACE)},
        "points": [vars(each) | {"started": moment(each.started)} for each in series.points],
        "changes": [_change(Changed(series, each)) for each in series.changes],
    }


def _change(found: Changed) -> dict[str, Any]:
    change = found.change
    return {
        "from": found.before.run,
        "to": found.after.run,
        "started": moment(found.after.started),
        "runs_since": found.since,
        "ratio": change.ratio,
        "lo": change.lo,
        "hi": change.hi,
        "ns_before": change.before,
        "ns_after": change.after,
    }


def as_csv(found: History) -> str:
    """A line per run of a case, without the last line end. `change` is the ratio at the first run
    after a change.
    """
    rows = []
    for number, series in enumerate(found.series, 1):
        changed = changed_at(series)
        about = {name: getattr(series.about, name) for name in (*_ABOUT, *_PLACE)}
        for place, point in enumerate(series.points):
            ratio = changed[place].change.ratio if place in changed else None
            of_point = vars(point) | {"started": moment(point.started)}
            rows.append({"series": number, **of_point, "change": ratio, **about})
    columns = list(rows[0]) if rows else ["series"]
    return written(columns, (row.values() for row in rows))


def written(columns: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """Comma-separated (RFC 4180), with a header line, without the last line end."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([cell(value) for value in row] for row in rows)
    return text.getvalue().removesuffix("\r\n")


def answer_as_json(answer: Answer) -> list[dict[str, Any]]:
    """An object per row. What JSON does not have is text, or null where it is no number."""
    return [
        {name: _plain(value) for name, value in zip(answer.columns, row, strict=True)}
        for row in answer.rows
    ]


def answer_as_csv(answer: Answer) -> str:
    return written(answer.columns, (map(_plain, row) for row in answer.rows))


def answer_as_table(answer: Answer) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for place, name in enumerate(answer.columns):
        numbers = any(isinstance(row[place], (int, float)) for row in answer.rows[:1])
        table.add_column(Text(visible(name)), justify="right" if numbers else "left")
    for row in answer.rows:
        table.add_row(*(Text(_told(value)) for value in row))
    return table


def _told(value: Any) -> str:
    plain = _plain(value)
    if plain is None:
        return ""
    return rounded(plain, 6) if isinstance(plain, float) else visible(str(plain))


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, datetime.datetime | datetime.date):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return str(value)


def otava(found: History, folder: Path) -> dict[str, str]:
    """The files that Apache Otava reads, by name: its configuration, which names them in `folder`,
    and a CSV file for each set of cases that the same runs have. Otava takes no gaps.
    """
    together: dict[tuple[int, ...], list[Series]] = defaultdict(list)
    for each in found.series:
        together[tuple(each.files.tolist())].append(each)
    tests, files = {}, {}
    for number, same in enumerate(together.values(), 1):
        name = f"{_word(same[0].about.study)}-{number}"
        metrics = dict(zip(_named(same), same, strict=True))
        files[f"{name}.csv"] = _otava_csv(metrics) + "\r\n"
        tests[name] = {
            "type": "csv",
            "file": str((folder / f"{name}.csv").resolve()),
            "time_column": "time",
            "attributes": list(_ATTRIBUTES),
            "metrics": {
                metric: {"column": metric, "direction": -1, "scale": 1} for metric in metrics
            },
        }
    # JSON is YAML, and nothing has to be known of how YAML quotes.
    return {OTAVA_CONFIG: json.dumps({"tests": tests}, indent=1) + "\n", **files}


def _otava_csv(metrics: dict[str, Series]) -> str:
    first, *_ = metrics.values()
    rows = [
        (
            moment(point.started),
            *(getattr(point, name) for name in _ATTRIBUTES),
            *(float(each.ns[place]) for each in metrics.values()),
        )
        for place, point in enumerate(first.points)
    ]
    return written(["time", *_ATTRIBUTES, *metrics], rows)


def _named(same: Sequence[Series]) -> list[str]:
    """A name for each metric, without commas, which Otava takes for the end of a name."""
    names: list[str] = []
    for each in same:
        name = _word(each.about.case_key)
        names.append(f"{name}-{len(names) + 1}" if name in names else name)
    return names


def _word(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.=]+", "_", text).strip("_") or "case"
