"""The caveats of a run as a whole."""

from __future__ import annotations

from collections import Counter, defaultdict

from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.model.units import duration
from iogauge.runfile.run import Run

_OVER = 1.05  # times the budget: a run that takes longer says so


def of_run(run: Run) -> list[str]:
    """A sentence for each; the caveats of cases are not among them."""
    noted = _noted(run).items()
    says = [text + (f" ({times} times)" if times > 1 else "") for text, times in noted]
    says += _shortened(run)
    if not run.ends or run.under_way:
        says.append("the run was cut short: results are preliminary, without verdicts")
    elif run.ends[-1].reason == "interrupted":
        says.append("the run was interrupted: results are preliminary, without verdicts")
    elif run.ends[-1].reason == "budget":
        says += _too_short(run)
    return says


def _noted(run: Run) -> Counter[str]:
    """What was noted during the run, and how often."""
    keys = {case.key for case in run.plan.cases}
    return Counter(
        each.text if each.about == "run" else f"{each.about}: {each.text}"
        for each in run.caveats
        if each.about not in keys
    )


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
            operations = "operation" if most == 1 else "operations"
            says.append(
                f"{so_many} {what} {operations} instead of {counted}"
                f" in {len(fewer)} of {len(counts)} spans, to fit the budget"
            )
    return says
