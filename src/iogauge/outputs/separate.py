"""Separate runs, compared: what differs between them, the table, and both as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, get_args

from iogauge.analysis.report import Report
from iogauge.analysis.separate import Compared, Comparison
from iogauge.analysis.unlike_runs import NO_ANCHOR, OF_WAYS, Differs
from iogauge.decision.anchors import Anchor
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.decision.separate import FEWEST_BASES, MOST_BASES
from iogauge.model.strategy import told_with
from iogauge.model.text import listed
from iogauge.model.units import counted
from iogauge.outputs import headings
from iogauge.outputs.differences import Difference, Differences, Question

BASE, NEW = "base", "new"
_ANCHORS: Mapping[Anchor, str] = {
    "baseline": "the baseline, whose runtime did not change",
    "ceiling": "the ceiling",
    "canary": "fixed work (hashing and copying)",
    "hashing": "fixed work (hashing)",
    "copying": "fixed work (copying)",
}
_VERSION = 1
_LISTED = 4  # values that a line names


def of_comparison(found: Comparison) -> Differences:
    questions = tuple(_questions(found))
    return Differences(
        BASE,
        NEW,
        questions,
        found.allowed,
        found.gate,
        tuple(_notes(found, len(questions) > 1)),
        tuple(_before(found)),
    )


def _before(found: Comparison) -> Iterator[str]:
    """What was compared, and what differs between the runs."""
    runs = [*found.bases, found.new]
    dates = [each.run.header.started[:10] for each in found.bases]
    when = dates[0] if len(set(dates)) == 1 else f"{min(dates)} to {max(dates)}"
    of_new = found.new.run.header.started[:10]
    yield f"{counted(len(found.bases), 'base run')} ({when}), and the new one ({of_new})"
    for name, each in zip(_names(found), runs, strict=True):
        if not each.run.complete:
            repeats = counted(len(each.run.replicates), "repeat")
            yield f"{name} is not over: it was stopped after {repeats}"
    if found.differs:
        yield "What differs between the runs:"
        yield from (f"  {line}" for line in map(difference, found.differs))
    else:
        yield "Nothing differs between the runs: the same host, kernel, runtimes, plan and method."
    yield from _runtimes(found)


def _names(found: Comparison) -> list[str]:
    count = len(found.bases)
    names = ["the base run"] if count == 1 else [f"base run {each + 1}" for each in range(count)]
    return [*names, "the new run"]


def difference(each: Differs) -> str:
    """`kernel: 6.1 -> 6.18`."""
    fact = each.fact
    if fact in OF_WAYS:
        sides = {BASE: [*each.bases], NEW: each.new.split("; ") if each.new else []}
        only = [f"only in {side} {_few(values)}" for side, values in sides.items() if values]
        return f"{fact}: {', '.join(only)}"
    called = f"{fact} {each.of}" if fact == "runtime" else each.of or fact
    bases = " or ".join(value or "-" for value in each.bases)
    if each.bases == (each.new,):
        line = f"{called}: {each.new}"
    else:
        line = f"{called}: {bases} -> {each.new or '-'}"
    return f"{line} (so nothing is decided)" if fact in NO_ANCHOR else line


def _few(values: list[str]) -> str:
    more = len(values) - _LISTED
    return "; ".join(values[:_LISTED]) + (f"; and {more} more" if more > 0 else "")


def _runtimes(found: Comparison) -> Iterator[str]:
    """Which goes with which, where a run has two of one runner; and what goes with none."""
    of = found.runtimes
    both = [f"{each.base.name} with {each.new.name}" for each in of.by_name]
    if both:
        yield f"Runtimes are compared by name: {listed(both)}."
    if of.only_new:
        yield f"{listed(of.only_new)}: not in the base, so not compared."
    if of.only_base:
        yield f"{listed(of.only_base)}: not in the new run, so not compared."


def _questions(found: Comparison) -> Iterator[Question]:
    labels = [headings.label(each) for each in found.new.groups]
    for group, label in zip(found.new.groups, labels, strict=True):
        ways = [each for each in found.ways if each.group is group]
        if not ways:
            continue
        if labels.count(label) > 1:
            label = f"{label}: {group.question}"
        names = [group.name_of(each.case) for each in ways]
        yield Question(
            label,
            tuple(
                _of_way(found, each, name, twice=names.count(name) > 1)
                for each, name in zip(ways, names, strict=True)
            ),
            None,
            tuple(_control_differs(found, group.id)),
        )


def _of_way(found: Comparison, each: Compared, name: str, *, twice: bool) -> Difference:
    if twice:
        name = told_with(name, each.case.case.setting)
    decision = each.found
    kind, failure = each.kind, each.failure
    if kind.startswith("fails") and not found.may_decide:
        kind, failure = "undecided", f"{_fails(kind)}: {failure}"
    return Difference(name, kind, decision.comparison, failure, _more(found, each))


def _fails(kind: str) -> str:
    return kind.replace("in new", f"in {NEW}").replace("in old", f"in {BASE}")


def _more(found: Comparison, each: Compared) -> str:
    """What would decide a way that is open."""
    decision = each.found
    if decision.kind != "undecided" or decision.comparison is None:
        return ""
    if decision.bases < FEWEST_BASES or not found.may_decide or decision.control_differs:
        return ""
    if decision.needed is None or found.allowed is None:
        return ""
    return f"{decision.needed} base runs"


def _control_differs(found: Comparison, group: str) -> list[str]:
    runs = found.suspended.get(group, ())
    if not runs:
        return []
    names = [_names(found)[place] for place in runs]
    return [
        f"the control differs in {listed(names)}: identical code seemed to differ there, so "
        "nothing is decided here"
    ]


def _notes(found: Comparison, several: bool) -> Iterator[str]:
    yield from _of_anchors(found, several)
    if len(found.bases) < FEWEST_BASES:
        yield (
            "One base run does not show how much runs differ. That is taken from stored runs of "
            "such ways, so nothing is decided: give three base runs."
        )
    else:
        yield (
            f"How much runs differ is estimated from the {len(found.bases)} base runs, and drawn "
            "towards stored runs of such ways."
        )
    hopeless = sum(each.kind == "undecided" and each.found.hopeless for each in found.ways)
    if found.allowed is not None and found.may_decide and hopeless:
        ways = counted(hopeless, "undecided way")
        yield (
            f"For {ways} not even {MOST_BASES} base runs would do. A run that measures both "
            "versions in turns finds much less: iogauge run --runtime RUNNER:old=… --runtime "
            "RUNNER:new=…"
        )
    if found.gone and found.allowed is not None:
        are = "is" if found.gone == 1 else "are"
        yield (
            f"{counted(found.gone, 'way')} of the base {are} not in the new run, so the whole is "
            "undecided at best."
        )
    if found.few:
        yield (
            f"{counted(found.few, 'way')} not compared: the base has fewer than "
            f"{FEWEST_REPLICATES} repeats, because a run stops measuring what is far behind."
        )
    if any(group.workload.content == "own" for group in found.new.groups):
        yield "Of a file of yours a run keeps the size only: whether it was the same is not known."


def _of_anchors(found: Comparison, several: bool) -> Iterator[str]:
    """To which anchors the ratios are; by question where they differ."""
    numbers = [*dict.fromkeys(each.group.id for each in found.ways)]
    used: dict[Anchor, dict[int, None]] = {}
    for each in found.ways:
        if each.anchor and each.found.comparison:
            used.setdefault(each.anchor, {})[numbers.index(each.group.id) + 1] = None
    if used:
        parts = []
        for anchor in (each for each in get_args(Anchor) if each in used):
            where = f" in {listed([str(one) for one in used[anchor]])}" if len(used) > 1 else ""
            parts.append(f"to {_ANCHORS[anchor]}{where if several else ''}")
        yield (
            "Absolute times of separate runs are not comparable. So each run's are taken as ratios "
            f"{listed(parts)}, measured in the same run."
        )
        if "baseline" not in used:
            yield "The baseline is no anchor here: it may be what changed."
    bare = sum(each.anchor is None and not each.failure for each in found.ways)
    if bare:
        yield (
            f"{counted(bare, 'way')} without an anchor in all runs: absolute times are compared, "
            "and nothing is decided."
        )
    uncontrolled = sum(not each.controlled and not each.failure for each in found.ways)
    if uncontrolled > bare:
        yield (
            f"{counted(uncontrolled, 'way')} without a control in all runs, which would show "
            "whether identical code differs there: nothing is decided."
        )


def as_json(found: Comparison, shown: Differences) -> dict[str, Any]:
    """docs/export-json.md has the keys."""
    numbered = [
        (question.label, each) for question in shown.questions for each in question.differences
    ]
    ordered = [each for of in found.new.groups for each in found.ways if each.group is of]
    return {
        "iogauge_compare": _VERSION,
        "bases": [_run(each) for each in found.bases],
        "new": _run(found.new),
        "differs": [
            {"fact": each.fact, "of": each.of or None, "bases": [*each.bases], "new": each.new}
            for each in found.differs
        ],
        "runtimes": [
            {"base": pair.base.name, "new": pair.new.name, "changed": pair.changed}
            for pair in found.runtimes.pairs
        ],
        "allowed": found.allowed,
        "verdict": found.gate,
        "headline": shown.headline,
        "ways": [
            _way(label, one, each, shown)
            for (label, one), each in zip(numbered, ordered, strict=True)
        ],
        "few_repeats": found.few,
        "notes": [*shown.notes],
    }


def _run(report: Report) -> dict[str, Any]:
    header = report.run.header
    return {
        "id": header.id,
        "started": header.started,
        "study": report.run.plan.study,
        "complete": report.run.complete,
        "host": header.host.get("identity"),
    }


def _way(label: str, one: Difference, each: Compared, shown: Differences) -> dict[str, Any]:
    comparison, decision = one.comparison, each.found
    known = comparison and one.is_known
    return {
        "group": each.group.id,
        "question": label,
        "key": each.case.case.key,
        "way": one.way,
        "verdict": one.kind,
        "says": shown.in_words(one),
        "ratio": _finite(comparison.center) if comparison and known else None,
        "lo": _finite(comparison.lo) if comparison and known else None,
        "hi": _finite(comparison.hi) if comparison and known else None,
        "outcome": comparison.outcome if comparison else "undecided",
        "anchor": each.anchor,
        "base_runs": decision.bases,
        "base_runs_needed": decision.needed,
        "failure": one.failure or None,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
