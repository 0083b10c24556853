"""What is known of the variances of a group's pairs before it is measured."""

from __future__ import annotations

from iogauge.model.plan import Group, Plan
from iogauge.statistics.moderation import Prior


def of_group(plan: Plan, group: Group) -> Prior | None:
    """None as published: authors had no prior."""
    return None if plan.published else Prior(-6.0, 1.5, 3.0)
