"""The caveats of a run as a whole."""

from __future__ import annotations

from collections import Counter, defaultdict

from iogauge.runfile.run import Run


def of_run(run: Run) -> list[str]:
    """A sentence for each; the caveats of cases are not among them."""
    noted = _noted(run).items()
    says = [text + (f" ({times} times)" if times > 1 else "") for text, times in noted]
    says += _shortened(run)
    if not run.ends:
        says.append("the run was cut short: these are standings, no verdicts")
    elif run.ends[-1].reason == "interrupted":
        says.append("the run was interrupted: these are standings, no verdicts")
    elif (
        run.ends[-1].reason == "budget"
        and run.seconds > 1.2 * run.plan.budget
        and all(each.replicate == 0 for each in run.replicates)
    ):
        says.append("the budget was shorter than one replicate of everything takes")
    return says


def _noted(run: Run) -> Counter[str]:
    """What was noted during the run, and how often."""
    keys = {case.key for case in run.plan.cases}
    return Counter(
        each.text if each.about == "run" else f"{each.about}: {each.text}"
        for each in run.caveats
        if each.about not in keys
    )


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
            operations = "operation" if most == 1 else "operations"
            says.append(
                f"{so_many} {what} {operations} instead of {counted}"
                f" in {len(fewer)} of {len(counts)} spans, to fit the budget"
            )
    return says
