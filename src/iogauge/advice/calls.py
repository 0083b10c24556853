"""The system calls of one operation that moved data, without the one that found the file's end.

A program that reads to the end of a file makes one more call, which returns nothing. Counted with
the others, it makes one call of 64 KiB two calls of 32 KiB.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from iogauge.analysis.casereport import CaseReport
from iogauge.model.case import Case

_SLACK = 0.01  # of a call: counts are means, and now and then a runtime reads for itself
_WITH_AN_EMPTY_ONE = 1.5  # of fewer calls none is to spare


@dataclass(frozen=True)
class Calls:
    """How many calls moved data, how many bytes each, and how many more moved nothing (0 or 1)."""

    number: float
    per_call: float
    empty: int = 0


def read_calls(case: CaseReport) -> Calls | None:
    """The calls that read, per operation. None if they are not known, or if there are none."""
    seen = case.evidence
    if seen is None or not seen.read_calls_per_op or not seen.bytes_per_read_call:
        return None
    number, per_call = seen.read_calls_per_op, seen.bytes_per_read_call
    moved = number * per_call
    fewer = number - 1
    if _to_the_end(case.case) and number >= _WITH_AN_EMPTY_ONE and moved <= _most(case, fewer):
        return Calls(fewer, moved / fewer, empty=1)
    return Calls(number, per_call)


def write_calls(case: CaseReport) -> Calls | None:
    """The calls that write, per operation. None if they are not known, or if there are none."""
    seen = case.evidence
    if seen is None or not seen.write_calls_per_op or not seen.bytes_per_write_call:
        return None
    return Calls(seen.write_calls_per_op, seen.bytes_per_write_call)


def _to_the_end(case: Case) -> bool:
    """Whether the case reads a file until there is no more of it."""
    workload = case.workload
    return workload.reads_file and workload.accesses is None


def _most(case: CaseReport, calls: float) -> float:
    """The most bytes that so many calls can move; no bound if no parameter sets one."""
    asked = [each for each in (case.value("buffer"), case.value("piece")) if each]
    return (calls + _SLACK) * max(asked) if asked else math.inf
