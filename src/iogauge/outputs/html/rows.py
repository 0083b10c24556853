"""Cases of an export as flat rows for figures: a dict per point, with the keys that filters use."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from iogauge.model.case import runtimes_differ
from iogauge.model.strategy import set_name
from iogauge.outputs.contract import Case, Export, Group, Set
from iogauge.outputs.side_by_side import state_name, workload_name

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


def of_cases(export: Export) -> list[Row]:
    """A row per case that was measured."""
    return [
        of_case(export, group, case)
        for group in export.groups
        for case in group.cases
        if case.measured
    ]


def of_case(export: Export, group: Group, case: Case) -> Row:
    found, speed = case.ns_per_op, case.bytes_per_s
    return {
        **common(case),
        "run": export.run.id,
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
        "impossible": case.impossible,
        "setting": case.setting,
        "ns": found.center,
        "lo": found.lo,
        "hi": found.hi,
        "per_mib": _per_mib(speed.center),
        "per_mib_lo": _per_mib(speed.hi),
        "per_mib_hi": _per_mib(speed.lo),
        "bytes_per_s": speed.center,
        "of_ceiling": case.of_ceiling,
        "best": case.best,
        "eliminated": case.eliminated,
    }


def common(case: Case) -> Row:
    """The keys that filters use."""
    return {
        "language": case.language,
        "strategy": case.strategy,
        "size": case.workload.size,
        "state": state_name(case.workload, case.conditions),
    }


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
    runtime where a language has several. Names that two variants share, as each is alone in its
    group, give way to those that tell them apart.
    """
    several = runtimes_differ((row["language"], row["setting"]) for row in rows)
    shared = {
        label
        for (label,), same in by(rows, "label").items()
        if len({row["variant"] for row in same}) > 1
    }
    for row in rows:
        name = row["variant"] if row["label"] in shared else row["label"]
        row["series"] = f"{row['language']} on {row['setting']}" if several else row["language"]
        row["name"] = f"{name} @{row['setting']}" if several else name


def called(exports: Iterable[Export]) -> Callable[[Set], str]:
    """What people call a set of these exports."""
    runtimes = (runtime for each in exports for runtime in each.run.runtimes)
    names = {key: name for each in runtimes for key, name in each.language_names.items()}
    return lambda of: set_name(of.language, of.setting, names)


def by(rows: Iterable[Row], *names: str) -> dict[tuple[Any, ...], list[Row]]:
    """Rows by their values of these keys, in order of appearance."""
    found: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        found[tuple(row[name] for name in names)].append(row)
    return dict(found)
