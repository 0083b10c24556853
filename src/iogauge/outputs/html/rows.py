"""Documents of the JSON export as flat rows for figures: one dict per point, with the keys that
filters go by.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from iogauge.model.case import runtimes_differ
from iogauge.model.workload import Conditions

Row = dict[str, Any]
FILTERS = {
    "language": "Language",
    "strategy": "Strategy",
    "size": "File size",
    "state": "Cache and durability",
}
AXES = ("piece", "buffer")
"""The roles of the parameters along which times are drawn."""

MIB = 1 << 20


def of_cases(document: dict[str, Any]) -> list[Row]:
    """A row per case that was measured."""
    return [
        of_case(document, group, case)
        for group in document["groups"]
        for case in group["cases"]
        if case["ns_per_op"]["center"] is not None
    ]


def of_case(document: dict[str, Any], group: dict[str, Any], case: dict[str, Any]) -> Row:
    found, speed = case["ns_per_op"], case["bytes_per_s"]
    return {
        **common(case),
        "run": document["runs"][0]["id"],
        "group": group["id"],
        "workload": workload_name(case),
        "question": group["question"],
        "suspended": group["suspended"],
        "key": case["key"],
        "label": case["label"],
        "params": case["params"],
        "roles": case["roles"],
        "impossible": case["impossible"],
        "setting": " ".join([case["runtime"], *case["options"]]),
        "ns": found["center"],
        "lo": found["lo"],
        "hi": found["hi"],
        "per_mib": _per_mib(speed["center"]),
        "per_mib_lo": _per_mib(speed["hi"]),
        "per_mib_hi": _per_mib(speed["lo"]),
        "bytes_per_s": case["bytes_per_s"]["center"],
        "of_ceiling": case["of_ceiling"],
        "best": case["best"],
        "settled": case["settled"],
    }


def common(case: dict[str, Any]) -> Row:
    """What filters go by."""
    return {
        "language": case["language"],
        "strategy": case["strategy"],
        "size": case["workload"]["size"],
        "state": state_of(case),
    }


def state_of(case: dict[str, Any]) -> str:
    """All conditions: what is written with another durability, or to files that live longer, is no
    variant of the same.
    """
    if case["workload"]["medium"] == "memory":
        return "in memory"
    return Conditions(**case["conditions"]).title or "–"


def along(role: str, rows: Iterable[Row]) -> list[Row]:
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


def _per_mib(bytes_per_s: float | None) -> float | None:
    return MIB / bytes_per_s * 1e9 if bytes_per_s else None


def add_names(rows: list[Row]) -> None:
    """Gives each row a `name`, and the `series` that it is drawn in, its language; both with the
    runtime where a language has several.
    """
    several = runtimes_differ((row["language"], row["setting"]) for row in rows)
    for row in rows:
        row["series"] = f"{row['language']} on {row['setting']}" if several else row["language"]
        row["name"] = f"{row['label']} @{row['setting']}" if several else row["label"]


def workload_name(case: dict[str, Any]) -> str:
    """All that makes cases comparable over blocks, but the state of the cache."""
    workload = case["workload"]
    parts = [
        workload["operation"],
        str(workload["size"]),
        workload["content"],
        workload["consume"] if workload["operation"] == "read" else workload["mode"],
        workload["medium"],
    ]
    return " ".join(str(part) for part in [*parts, workload["accesses"]] if part)


def by(rows: Iterable[Row], *names: str) -> dict[tuple[Any, ...], list[Row]]:
    """Rows by their values of these keys, in order of appearance."""
    found: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        found[tuple(row[name] for name in names)].append(row)
    return dict(found)
