"""What other tools say of two works, used as is common: one after the other, on one machine."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.stats import mannwhitneyu, ttest_ind

from . import gobench, hyperfine, jmh, works
from .jmh import JmhResult
from .works import Work

OPERATIONS = 200  # in each process that hyperfine times: some 100 ms of work
LEVEL = 0.05


def of(tool: str, a: Work, b: Work) -> dict[str, Any]:
    """`difference` is the log of time(b) / time(a), `half_width` that of its interval; which tests
    call it one, by name.
    """
    return {
        "tool": tool,
        **{"hyperfine": _hyperfine, "benchstat": _benchstat, "jmh": _jmh, "jmh-forks": _jmh_forks}[
            tool
        ](a, b),
    }


TESTS = {
    "hyperfine": ("welch", "mann_whitney"),
    "benchstat": ("claim",),
    "jmh": ("claim", "welch"),
    "jmh-forks": ("claim",),
}


def _hyperfine(a: Work, b: Work) -> dict[str, Any]:
    """Ten runs, then ten, after three that do not count."""
    return _blocks([hyperfine_times(work) for work in (a, b)])


def hyperfine_times(work: Work) -> list[float]:
    tool = jmh if work.case.language == "java" else gobench
    with works.stage(work) as staged:
        command, environment = tool.once(staged, operations=min(OPERATIONS, work.batch))
        return hyperfine.run(
            command, runs=10, warmup=3, prepare=staged.prepare, environment=environment
        )


def _blocks(times: list[list[float]]) -> dict[str, Any]:
    a, b = (np.log(each) for each in times)
    welch = ttest_ind(b, a, equal_var=False)
    bounds = welch.confidence_interval(1 - LEVEL)
    return {
        "difference": float(b.mean() - a.mean()),
        "half_width": float(bounds.high - bounds.low) / 2,
        "welch": bool(welch.pvalue < LEVEL),
        "mann_whitney": bool(mannwhitneyu(a, b).pvalue < LEVEL),
    }


def _benchstat(a: Work, b: Work) -> dict[str, Any]:
    """-count 10, then 10; the width is that of two medians' intervals, taken as independent."""
    found = gobench.benchstat(
        *(gobench.run(work, count=10, benchtime="1s").text for work in (a, b))
    )
    widths = [each / 100 for each in (found.ci_a_percent, found.ci_b_percent) if each is not None]
    return {
        "difference": math.log(found.center_b_ns / found.center_a_ns),
        "half_width": math.hypot(*widths) if len(widths) == 2 else math.inf,
        "claim": found.delta_percent is not None,
    }


def _jmh(a: Work, b: Work) -> dict[str, Any]:
    """One fork with five iterations each; a difference is claimed when the 99.9 % intervals are
    apart, so the width is their sum.
    """
    first, second = (jmh.run(work, forks=1, warmups=3, iterations=5, seconds=1) for work in (a, b))
    welch = ttest_ind(*(np.log(each.scores[0]) for each in (second, first)), equal_var=False)
    return {**_apart(first, second), "welch": bool(welch.pvalue < LEVEL)}


def _jmh_forks(a: Work, b: Work) -> dict[str, Any]:
    """Three forks with five iterations each: some 50 s, as long as iogauge takes."""
    return _apart(*(jmh.run(work, forks=3, warmups=3, iterations=5, seconds=1) for work in (a, b)))


def _apart(first: JmhResult, second: JmhResult) -> dict[str, Any]:
    return {
        "difference": math.log(second.ns_per_op / first.ns_per_op),
        "half_width": first.error_999 / first.ns_per_op + second.error_999 / second.ns_per_op,
        "claim": abs(second.ns_per_op - first.ns_per_op) > first.error_999 + second.error_999,
    }
