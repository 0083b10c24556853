"""A run as Markdown, to be pasted where people talk about it: per group the answer and a table."""

from __future__ import annotations

from collections.abc import Iterator

from iogauge.model.case import runtimes_differ
from iogauge.model.ratios import eliminated, known
from iogauge.model.strategy import set_name
from iogauge.model.text import capital
from iogauge.model.units import cores_of, duration, mean_count, rate, significant, system_of
from iogauge.model.workload import Conditions
from iogauge.outputs import differences, headings, phrases, versions
from iogauge.outputs.contract import Case, Export, Group
from iogauge.outputs.document import Document
from iogauge.outputs.plain import plain

_MARKS = {"undecided": r" \~", "same": " ="}


def render(document: Document) -> str:
    """Without the last line end."""
    export = document.export
    lines = [f"## {plain(export.run.title)}", "", plain(_measured(export))]
    remarks = [*export.run.caveats, *headings.unknown_state(_conditions(export))]
    lines += [line for each in remarks for line in ("", f"> {plain(each)}")]
    if two := versions.of_export(export):
        lines += ["", differences.markdown(two)]
    for group in export.groups:
        lines += ["", f"### {plain(group.question)}", ""]
        lines += [plain(group.title), ""] if group.title else []
        lines += [f"- {plain(each)}" for each in group.answers] + [""] * bool(group.answers)
        lines += _table(group)
    for span in export.spans:
        lines += ["", f"### {plain(span.question)}", ""]
        for each in span.by_language:
            lines.append(
                f"- {plain(set_name(*each.of, export.language_names))}: {plain(each.says)}"
            )
        lines += [f"- {plain(each)}" for each in span.answers]
    return "\n".join(lines)


def _conditions(export: Export) -> Iterator[Conditions]:
    return (case.conditions for group in export.groups for case in group.cases)


def _measured(export: Export) -> str:
    """What was measured, where and when."""
    run = export.run
    if run.imported:
        return capital(phrases.imported(run.imported))
    study = f"{run.study}{'' if run.protocol == 'sound' else ', as published'}"
    host = run.host
    return (
        f"iogauge run {study}: {export.runtimes}; "
        f"{host['processor'] or host['machine']}, {cores_of(host)}, {system_of(host)}; "
        f"{run.started[:10]}, {duration(run.seconds)}"
    )


def _table(group: Group) -> Iterator[str]:
    several = runtimes_differ((case.language, case.setting) for case in group.cases)
    yield (
        f"| case |{' runtime |' * several} per operation | throughput "
        "| time, best of its language = 1 | calls |"
    )
    yield "|---|" + "---|" * several + "---:|---:|---:|---:|"
    for case in group.cases:
        runtime = [plain(case.setting)] * several
        yield f"| {' | '.join([plain(case.label), *runtime, *_figures(case)])} |"
    if group.ceiling:
        ceiling = group.ceiling
        yield (
            f"| ceiling: {plain(ceiling.strategy)} |{'  |' * several} "
            f"| {rate(ceiling.bytes_per_s)} | | |"
        )
    caveats = [
        f"- {plain(case.label)}: {plain(text)}" for case in group.cases for text in case.caveats
    ]
    yield from ["", *caveats] if caveats else []


def _figures(case: Case) -> list[str]:
    """Time, throughput, ratio, and the system calls of an operation: of a copy both kinds."""
    level, found = case.ns_per_op, case.vs_best
    if level.center is None:
        return [plain(case.failures[0]) if case.failures else "not measured", "", "", ""]
    speed = rate(case.bytes_per_s.center) if case.tells and case.bytes_per_s.center else ""
    if case.best or found.ratio is None:
        ratio = "**1**" if case.best else ""
    elif case.source == "imported":
        ratio = known(found.ratio, found.lo, found.hi)
    elif found.lo is not None and (case.eliminated or found.hi is None):
        ratio = eliminated(found.lo, found.ratio, significant)
    else:
        ratio = known(found.ratio, found.lo, found.hi) + _MARKS.get(found.outcome or "", "")
    ways = ("read", "write") if case.workload.operation == "copy" else (case.workload.operation,)
    calls = [case.evidence[f"{way}_calls_per_op"] for way in ways]
    some = [each for each in calls if each is not None]
    return [
        known(level.center, level.lo, level.hi, lambda ns: duration(ns / 1e9)),
        speed,
        ratio,
        mean_count(sum(some)) if len(some) == len(calls) else "?",
    ]
