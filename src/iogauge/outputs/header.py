"""The first lines of what a terminal shows of a run: study, runtimes, machine, caveats."""

from __future__ import annotations

from rich.text import Text

from iogauge.analysis.report import Report
from iogauge.model.units import duration


def of(report: Report) -> Text:
    run, host = report.run, report.run.header.host
    text = Text()
    study = f"{run.plan.study}{'' if run.plan.protocol == 'sound' else ', as published'}"
    text.append(study, style="bold")
    text.append(f"  {', '.join(runtime.name for runtime in run.header.runtimes)}\n")
    text.append(f"{host['processor'] or host['machine']}, {host['cores']} cores, ")
    text.append(f"{host['file_system']}, Linux {host['kernel']}\n")
    text.append(f"{replicates(len(run.replicates))} in {duration(run.seconds)}")
    for caveat in report.caveats:
        text.append(f"\n! {caveat}", style="yellow")
    return text


def replicates(count: int) -> str:
    return f"{count} replicate{'' if count == 1 else 's'}"
