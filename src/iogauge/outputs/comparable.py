"""What has to be the same for cases to be compared over blocks and between runs, in words."""

from __future__ import annotations

from iogauge.model.workload import Conditions, Workload


def workload_name(workload: Workload) -> str:
    """Everything that makes cases comparable over blocks, but the state of the cache."""
    used = workload.consume if workload.operation == "read" else workload.mode
    parts = (workload.operation, workload.size, workload.content, used, workload.medium)
    return " ".join(str(part) for part in (*parts, workload.accesses) if part)


def state_name(workload: Workload, conditions: Conditions) -> str:
    """All conditions: a case with another durability, or with files that live longer, is no
    variant of the same.
    """
    return "in memory" if workload.medium == "memory" else conditions.title or "–"
