"""The first lines of what a terminal shows of a run: in short, and with all caveats."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from rich.text import Text

from iogauge.analysis.report import Report
from iogauge.model.units import cores_of, duration, system_of
from iogauge.outputs.headings import counted

_WIDTH, _SHORTEST_PROCESSOR = 80, 12


def of(report: Report) -> Text:
    run, host = report.run, report.run.header.host
    text = Text()
    study = f"{run.plan.study}{'' if run.plan.protocol == 'sound' else ', as published'}"
    text.append(study, style="bold")
    used = {each.case.runtime for group in report.groups for each in group.cases}
    names = [each.name for each in run.header.runtimes if each.name in used]
    text.append(f"  {', '.join(names)}\n")
    text.append(f"{host['processor'] or host['machine']}, {cores_of(host)}, ")
    text.append(f"{system_of(host)}\n")
    text.append(f"{replicates(len(run.replicates))} in {duration(run.seconds)}")
    for caveat in report.caveats:
        text.append(f"\n! {caveat}", style="yellow")
    return text


def replicates(count: int) -> str:
    return f"{count} replicate{'' if count == 1 else 's'}"


def in_short(report: Report) -> Iterator[Text]:
    """How it went, and where: two lines of at most 80 columns, or more where names are long."""
    run, plan, host = report.run, report.run.plan, report.run.header.host
    how = "" if plan.protocol == "sound" else ", as published"
    went = f"done in {duration(run.seconds)}" if run.complete else "not finished"
    counts = sorted({group.replicates for group in report.groups})
    repeats = counted(counts[0], "repeat") if counts else ""
    if len(counts) > 1:
        repeats = f"{counts[0]} {'or' if len(counts) == 2 else 'to'} {counts[-1]} repeats"
    line = f"iogauge {plan.study}{how}: {went}, {repeats}"
    of_each = " of each question" if len(report.groups) > 1 else ""
    fits = len(line + of_each) <= _WIDTH
    yield Text(_wrapped(line + of_each if fits else line), style="bold")
    kernel = ".".join(re.findall(r"\d+", str(host["kernel"]))[:2])
    place = f"{cores_of(host)}, {system_of(host, kernel)}"
    names = ", ".join(_runtimes(report))
    room = _WIDTH - len(f"{names} on , {place}")
    processor = str(host["processor"] or host["machine"])
    if room >= _SHORTEST_PROCESSOR:
        yield Text(f"{names} on {processor[:room].strip()}, {place}")
    else:
        yield Text(_wrapped(names))
        yield Text(_wrapped(f"on {processor}, {place}"))


def _runtimes(report: Report) -> Iterator[str]:
    """`Java 17.0.15`, of what was compared."""
    languages: dict[str, dict[str, None]] = {}
    for group in report.groups:
        for each in group.cases:
            languages.setdefault(each.case.runtime, {})[each.case.language] = None
    for runtime in report.run.header.runtimes:
        if runtime.name in languages and any(each.of_commands for each in report.groups):
            yield runtime.title
        elif runtime.name in languages:
            names = map(runtime.name_of, languages[runtime.name])
            yield f"{' and '.join(names)} {runtime.known_version}"


def _wrapped(text: str) -> str:
    return textwrap.fill(text, _WIDTH, subsequent_indent="  ", break_on_hyphens=False)
