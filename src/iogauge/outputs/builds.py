"""Two builds of one runtime, side by side: lines to paste into a pull request."""

from __future__ import annotations

from rich.text import Text

from iogauge.analysis.groupreport import Across, GroupReport
from iogauge.decision.costs import too_wide
from iogauge.model.ratios import ratio
from iogauge.model.strategy import Runtime
from iogauge.model.units import counted
from iogauge.outputs import headings
from iogauge.outputs.document import Document


def render(document: Document) -> Text:
    """A line per case that two of the named runtimes have; empty where the user named none."""
    header = document.report.run.header
    if header.plan.versions:  # they have a table of their own
        return Text()
    named = {each.name: each for each in header.runtimes if each.label}
    lines = [
        _line(group, each, named)
        for group in document.report.groups
        for each in group.across
        if each.case.runtime in named or each.reference.runtime in named
    ]
    return Text("\n".join(["\nTo paste into a pull request:", *lines] if lines else []))


def _line(group: GroupReport, found: Across, named: dict[str, Runtime]) -> str:
    """`FileInputStream 8K, read 16 MiB, cached: new takes 0.93 times the old time (0.91-0.95, 5
    repeats)`.
    """
    case = next(each for each in group.cases if each.case == found.case)
    compared = found.comparison
    new, old = (
        named[each.runtime].label if each.runtime in named else each.runtime
        for each in (found.case, found.reference)
    )
    where = headings.label(group)
    what = f"{case.display()}, {where[0].lower()}{where[1:]}: {new} takes"
    repeats = counted(compared.replicates, "repeat")
    if group.suspended:
        return f"{what} ? times the {old} time (identical code differed; {repeats})"
    if too_wide(compared.center, compared.hi):
        return f"{what} ? times the {old} time (not measured enough; {repeats})"
    open_ = ", not decided" if compared.outcome == "undecided" else ""
    bounds = f"{ratio(compared.lo)}-{ratio(compared.hi)}"
    return f"{what} {ratio(compared.center)} times the {old} time ({bounds}, {repeats}){open_}"
