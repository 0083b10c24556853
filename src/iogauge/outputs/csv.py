"""One line per case, for spreadsheets, with the figures of the JSON export.

Times are nanoseconds and sizes bytes. What was not measured is empty. `vs_first` is the time of a
case over that of the same case in the first group of its span, per operation, byte or record
(`vs_first_per`). It is empty in the first group, and where there is no span.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from iogauge.outputs.document import Document

Value = str | int | float | bool | None
_COMPARED = ("ratio", "lo", "hi", "outcome", "reference")
# What a spreadsheet may take for a formula, at the start of a cell.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def render(document: Document) -> str:
    """Comma-separated (RFC 4180), with a header line, without the last line end."""
    rows = list(rows_of(document.export.plain()))
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]) if rows else ["run"], lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue().removesuffix("\r\n")


def rows_of(made: dict[str, Any]) -> Iterator[dict[str, Value]]:
    """A row for each case of an export, in its order; what was not measured is None."""
    (run,) = made["runs"]
    spans = made["spans"]
    spanned = {each["key"]: _of_span(each, span) for span in spans for each in span["across"]}
    none = _of_span(dict.fromkeys(_COMPARED), {"along": None, "per": None})
    for group in made["groups"]:
        for case in group["cases"]:
            yield {
                "run": run["id"],
                "study": run["study"],
                "protocol": run["protocol"],
                "group": group["id"],
                **{name: case[name] for name in ("key", "strategy", "language", "runtime")},
                "options": " ".join(case["options"]),
                "params": " ".join(
                    f"{name}={value}" for name, value in sorted(case["params"].items())
                ),
                **case["workload"],
                **case["conditions"],
                **{name: case[name] for name in ("replicates", "samples", "voids")},
                **_flat(case, "ns_per_op"),
                **_flat(case, "bytes_per_s"),
                **_flat(case, "ns_per_record"),
                **_flat(case, "vs_best"),
                **spanned.get(case["key"], none),
                **{name: case[name] for name in ("best", "eliminated", "of_ceiling", "impossible")},
                **case["evidence"],
                "caveats": "; ".join(case["caveats"]),
                "failures": "; ".join(case["failures"]),
            }


def _of_span(across: dict[str, Any], span: dict[str, Any]) -> dict[str, Value]:
    found = {name: across[name] for name in _COMPARED}
    return _flat({"vs_first": found | {"along": span["along"], "per": span["per"]}}, "vs_first")


def _flat(case: dict[str, Any], name: str) -> dict[str, Value]:
    return {
        name if key in ("center", "ratio") else f"{name}_{key}": value
        for key, value in case[name].items()
    }


def _cell(value: Value) -> Value:
    """Text that begins like a formula is quoted, as spreadsheets do it. Numbers stay numbers."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
