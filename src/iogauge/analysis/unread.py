"""Functions of the user's, and whole commands beside others that read the file, which read nothing
of it, or functions that read a part beside others that read all: they get no number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import numpy as np

from iogauge.analysis.caveats import (
    NEVER_OPENS,
    READS_NOTHING,
    reads_a_part,
    reads_less,
    reads_nothing,
)
from iogauge.analysis.evidence import of_run
from iogauge.model.strategy import is_own
from iogauge.runfile.arrays import Ints
from iogauge.runfile.run import Run


def cases(run: Run) -> dict[int, str]:
    """Why cases get no number: in none of its valid samples, under whichever conditions, their
    function read anything of the file; or their command never opens it. By the number of the case.
    """
    functions: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, case in enumerate(run.plan.cases):
        if case.workload.reads_file and is_own(case.strategy):
            functions[case.variant, case.setting].append(number)
    found: dict[int, str] = {}
    parts: dict[int, str] = {}
    whole: set[int] = set()
    for same in functions.values():
        rows = {each: np.flatnonzero(run.used() & (run.columns.case == each)) for each in same}
        measured = {each: of for each, of in rows.items() if len(of)}
        if not measured:
            continue
        if any(_reads(run, each, of) for each, of in measured.items()):
            if part := _part(run, measured):
                parts |= dict.fromkeys(same, part)
            else:
                whole.update(same)
            continue
        # What comes from the device is counted, however it is read.
        cold = any(run.plan.cases[each].conditions.cache == "cold" for each in measured)
        if cold or not any(_is_uncounted(run, each, of) for each, of in measured.items()):
            found |= dict.fromkeys(same, READS_NOTHING)
    for group in run.plan.groups:
        # Where all read a part, that is what is compared.
        if whole.intersection(group.cases):
            found |= {case: parts[case] for case in group.cases if case in parts}
    return {**found, **_never_opening(run)}


def _part(run: Run, measured: Mapping[int, Ints]) -> str | None:
    """What is said of a function that surely reads a part of the file, and no more under any
    conditions; by its cases with their samples.
    """
    told = []
    for number, rows in measured.items():
        case = run.plan.cases[number]
        evidence, strategy = of_run(run, case, run.columns.take(rows)), run.header.declared(case)
        if evidence.read_calls_per_op is not None and not reads_less(case, strategy, evidence):
            return None
        told.append(reads_a_part(case, strategy, evidence))
    return next(filter(None, told), None)


def _never_opening(run: Run) -> dict[int, str]:
    """Cases whose command was seen not to open the file, in groups where another one does."""
    seen: dict[str, bool] = {}
    for fork in run.forks:
        for variant, opens in fork.opens.items():
            seen[variant] = opens or seen.get(variant, False)
    found: dict[int, str] = {}
    for group in run.plan.groups:
        of_group = {case: seen.get(run.plan.cases[case].variant) for case in group.cases}
        if any(of_group.values()):
            found |= {case: NEVER_OPENS for case, opens in of_group.items() if opens is False}
    return found


def _reads(run: Run, number: int, rows: Ints) -> bool:
    """Whether a case read anything in these samples, or may have."""
    case = run.plan.cases[number]
    return not reads_nothing(case, of_run(run, case, run.columns.take(rows)))


def _is_uncounted(run: Run, number: int, rows: Ints) -> bool:
    """Whether the kernel counted fewer bytes than the file has while the forks of these samples
    first had all of it: through a ring, or a mapping that they keep. What reads by calls once, and
    keeps the result, does otherwise.
    """
    case, forks = run.plan.cases[number], {*run.columns.fork[rows].tolist()}
    first = [each.first_read for each in run.forks if each.fork in forks]
    less = any(read is not None and read < case.workload.size for read in first)
    return less and run.header.declared(case).is_checked
