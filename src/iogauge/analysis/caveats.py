"""The caveats of a run and of its cases: what a reader must know before believing the figures."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np

from iogauge.analysis import forks
from iogauge.analysis.evidence import CaseEvidence
from iogauge.analysis.forks import Forks
from iogauge.decision.ceiling import CLEARS
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.model.case import Case
from iogauge.model.caveats import CaveatKind
from iogauge.model.ratios import known
from iogauge.model.strategy import Strategy
from iogauge.model.units import decimal, duration, percent, rounded, significant, size
from iogauge.runfile.columns import SampleColumns
from iogauge.runfile.run import Run
from iogauge.statistics.intervals import Interval

_MOST_OF_A_FILE = 0.9  # which a command reads that reads all of it
_OF_A_MAPPING = 0.5  # page faults of an operation that maps a file, at least; there are more
_OVER = 1.05  # times the budget: a run that takes longer says so
_MOST_SHARE = 0.005  # of what is measured, that the clock and the loop may take


def of_case(
    run: Run,
    case: Case,
    strategy: Strategy,
    samples: SampleColumns,
    voids: list[str],
    evidence: CaseEvidence | None,
    seen: Forks | None,
    of_ceiling: Interval | None,
    impossible: bool,
) -> tuple[str, ...]:
    """A sentence for each. `samples` are the valid ones, `voids` the reasons of the others; `seen`
    are its forks.
    """
    says = []
    if voids:
        says.append(f"{len(voids)} of {len(samples) + len(voids)} samples void: {voids[0]}")
    says += forks.caveats(seen) if seen else []
    says += _of_harness(run, case, samples) if len(samples) else []
    says += dict.fromkeys(each.text for each in run.caveats if each.about == case.key)
    if evidence:
        if evidence.why_uncounted:
            says.append(f"its calls are not known: {evidence.why_uncounted}")
        says += _of_read_ahead(case, evidence)
        says += filter(None, [reads_less(case, strategy, evidence)])
        says += _of_collections(run, case, strategy, evidence)
    says += _of_ceiling(case, evidence, of_ceiling, impossible)
    return tuple(says)


READS_NOTHING = "it reads nothing of the file; it may keep the result of an earlier call"
NEVER_OPENS = "it reads nothing of the file: it never opens it"


def reads_nothing(case: Case, evidence: CaseEvidence) -> bool:
    """Whether it surely neither read its file by calls nor through a mapping."""
    if evidence.read_calls_per_op is not None:
        return False
    if case.conditions.cache == "cold" and evidence.device_read_bytes_per_op is not None:
        return evidence.device_read_bytes_per_op == 0
    faults = evidence.minor_faults_per_op
    return faults is not None and faults < _OF_A_MAPPING and not evidence.why_uncounted


def reads_less(case: Case, strategy: Strategy, evidence: CaseEvidence) -> str | None:
    """A remark on a whole command, or on a function of the user's that returns a result, where its
    calls read clearly less than its file. None where they do not, or are not known.
    """
    calls, each, due = evidence.read_calls_per_op, evidence.bytes_per_read_call, case.workload.size
    if strategy.is_own and not strategy.is_checked and calls is None:
        return READS_NOTHING if reads_nothing(case, evidence) else None
    if strategy.is_checked or calls is None or calls * (each or 0) >= _MOST_OF_A_FILE * due:
        return None
    read = f"{size(calls * (each or 0))} of {size(due)}"
    early = "it stops early (see --output pipe)" if strategy.command else "it stops early"
    why = f"{early}, maps the file, or has the kernel copy it"
    return f"its calls read {read}: {why}"


def reads_a_part(case: Case, strategy: Strategy, evidence: CaseEvidence) -> str | None:
    """A remark on a function of the user's that surely reads clearly less than its file: its calls
    do, and no mapping brings the rest, as the device or the page faults show.
    """
    calls, each, due = evidence.read_calls_per_op, evidence.bytes_per_read_call, case.workload.size
    read = (calls or 0) * (each or 0)
    if not strategy.is_own or strategy.is_checked or calls is None or evidence.why_uncounted:
        return None
    device, faults = evidence.device_read_bytes_per_op, evidence.minor_faults_per_op
    if case.conditions.cache == "cold" and device is not None:
        no_more = device < _MOST_OF_A_FILE * due
    else:
        no_more = faults is not None and faults < _OF_A_MAPPING
    if read >= _MOST_OF_A_FILE * due or not no_more:
        return None
    return f"it reads only {size(read)} of {size(due)}, others read more: no number"


def _of_harness(run: Run, case: Case, samples: SampleColumns) -> Iterator[str]:
    """Where the clock, or the loop around the operations, is not far below what is measured."""
    resolution = run.header.runtime(case.runtime).clock_resolution_ns
    shortest = float(samples.span_ns.min())
    if 2 * resolution > _MOST_SHARE * shortest:
        share = f"{percent(2 * resolution / shortest, 1)} of its shortest span"
        yield f"two readings of the clock ({resolution} ns each) are {share}"
    per_op, setting = float(np.median(samples.levels)), (case.runtime, case.options)
    for own in (e.ns_per_op for e in run.harness if (e.runtime, tuple(e.options)) == setting):
        if own > _MOST_SHARE * per_op:
            share = percent(own / per_op, 1)
            yield f"the loop around it takes {decimal(own, 1)} ns, {share} of an operation"


def _of_read_ahead(case: Case, evidence: CaseEvidence) -> Iterator[str]:
    read = evidence.device_read_bytes_per_op or 0
    if case.workload.accesses and read > 2 * case.bytes_per_operation:
        yield (
            f"the device read {size(round(read))} per operation for the"
            f" {size(case.bytes_per_operation)} asked for: read-ahead works for it,"
            " or against it in a larger file"
        )


def _of_collections(
    run: Run, case: Case, strategy: Strategy, evidence: CaseEvidence
) -> Iterator[str]:
    """Where a sample spans few garbage collections."""
    if not strategy.needs.memory_per_file_byte or case.conditions.cache == "cold":
        return
    collections = evidence.gc_count_per_sample
    if collections is None or collections >= run.header.method.collections_per_sample:
        return
    few = f"a sample has only about {significant(collections, 2)} garbage collections in it"
    if collections < 1:
        few = "a sample often ends before there is a garbage collection"
    yield f"{few}: how much of their cost a sample bears is chance"


def _of_ceiling(
    case: Case, evidence: CaseEvidence | None, share: Interval | None, impossible: bool
) -> Iterator[str]:
    if share and evidence and impossible:
        faster = known(share.center, share.lo, share.hi, rounded)
        says = f"{faster} times as fast as its ceiling: no comparison uses it"
        yield f"{says}; {', '.join(_suspicions(case, evidence))}"
    elif share and share.center > CLEARS:
        many = f"{share.n} replicate{'s' * (share.n > 1)}"
        yield (
            f"{significant(share.center)} times as fast as its ceiling, in {many}:"
            " too few to tell whether it, or the ceiling, is wrong"
        )


def _suspicions(case: Case, evidence: CaseEvidence) -> Iterator[str]:
    """What may be wrong with a case that is faster than the machine can be."""
    workload, asked = case.workload, case.bytes_per_operation
    device, cold = evidence.device_read_bytes_per_op, case.conditions.cache == "cold"
    if cold and device is not None and device < 0.9 * asked:
        yield "its bytes did not come from the device"
    elif case.conditions.waits_for_device:
        yield "the device, or the host's cache, was faster for it"
    if workload.content == "sparse":
        yield "a sparse file has nothing to read"
    called = (evidence.read_calls_per_op or 0) * (evidence.bytes_per_read_call or 0)
    by_calls = workload.operation == "read" and workload.medium == "file"
    if by_calls and 0 < called < 0.9 * asked:
        read = f"{size(round(called))} of {size(asked)}"
        yield f"its calls read {read}; the rest was mapped, or not touched"
    if workload.operation == "read" and evidence.uncounted:
        yield "the kernel counted no calls, so what it looked at is not known"
    if not cold:
        yield "its data were still in the processor's cache"
    yield "it took longer than it says"
    yield "or the ceiling is wrong"


def of_run(run: Run) -> list[str]:
    """A sentence for each; the caveats of cases are not among them."""
    says = [*noted(run), *_shortened(run)]
    if not run.ends or run.under_way:
        says.append("the run was cut short: results are preliminary, without verdicts")
    elif run.ends[-1].reason == "interrupted":
        says.append("the run was interrupted: results are preliminary, without verdicts")
    elif run.ends[-1].reason == "budget":
        says += _too_short(run)
    return says


def noted(run: Run, kind: CaveatKind | None = None) -> list[str]:
    """What was noted during the run, of one kind or all, and how often."""
    keys = {case.key for case in run.plan.cases}
    found = Counter(
        each.text if each.about == "run" else f"{each.about}: {each.text}"
        for each in run.caveats
        if each.about not in keys and kind in (None, each.kind)
    )
    return [text + (f" ({times} times)" if times > 1 else "") for text, times in found.items()]


def _too_short(run: Run) -> list[str]:
    """Where the budget did not hold what an answer needs, or was not kept for its sake."""
    done = Counter(each.bundle for each in run.replicates)
    bundles = enumerate(run.plan.bundles)
    few = sum(len(bundle.groups) for index, bundle in bundles if done[index] < FEWEST_REPLICATES)
    given = not {"advise", "file"} & {*run.header.options}  # else it is a part of what was
    than = f", longer than the budget of {duration(run.budget)}" if given else ""
    took = f"{duration(run.seconds)}{than}"
    longer = run.seconds > _OVER * run.budget
    if few:
        questions = f"{few} of {len(run.plan.groups)} questions"
        after = f"; it took {took}" if longer else ""
        return [f"the budget was too short to measure {questions} {FEWEST_REPLICATES} times{after}"]
    return [f"to measure each question {FEWEST_REPLICATES} times took {took}"] if longer else []


def _shortened(run: Run) -> list[str]:
    """Where the budget left a published procedure fewer operations than its authors counted."""
    published = run.plan.published
    if published is None or published.iteration:
        return []
    taken: dict[tuple[str, int | None], list[int]] = defaultdict(list)
    for sample in run.samples:
        group = run.plan.groups[sample.group]
        taken["untimed", published.untimed].append(sample.untimed or 0)
        taken["timed", group.operations].append(sum(sample.operations))
    says = []
    for (what, counted), counts in taken.items():
        fewer = [count for count in counts if counted and count < counted]
        if fewer:
            least, most = min(fewer), max(fewer)
            so_many = f"{least} to {most}" if least < most else f"{least}"
            operations = f"{what} operation{'' if most == 1 else 's'}"
            spans = f"{len(fewer)} of {len(counts)} spans, to fit the budget"
            says.append(f"{so_many} {operations} instead of {counted} in {spans}")
    return says
