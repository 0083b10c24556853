"""Functions of the user's that read nothing of the file: they get no number."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from iogauge.analysis.caveats import READS_NOTHING, reads_nothing
from iogauge.analysis.evidence import case_evidence, own_calls
from iogauge.model.strategy import is_own
from iogauge.runfile.arrays import Ints
from iogauge.runfile.run import Run


def cases(run: Run) -> dict[int, str]:
    """Why cases get no number: in none of its valid samples, under whichever conditions, their
    function read anything of the file. By the number of the case.
    """
    functions: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, case in enumerate(run.plan.cases):
        if case.workload.reads_file and is_own(case.strategy):
            functions[case.variant, case.setting].append(number)
    found: dict[int, str] = {}
    for same in functions.values():
        rows = [np.flatnonzero(run.used() & (run.columns.case == each)) for each in same]
        seen = [_reads(run, *each) for each in zip(same, rows, strict=True) if len(each[1])]
        if seen and not any(seen):
            found |= dict.fromkeys(same, READS_NOTHING)
    return found


def _reads(run: Run, number: int, rows: Ints) -> bool:
    """Whether a case read anything in these samples, or may have."""
    case = run.plan.cases[number]
    strategy, samples = run.header.declared(case), run.columns.take(rows)
    evidence = case_evidence(samples, case, own_calls(run, case), strategy.uncounted)
    return not reads_nothing(case, evidence)
