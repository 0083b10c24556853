"""How a run goes, on standard error: a live view on a terminal, plain lines elsewhere. It is drawn
between samples only, when the measuring says so.
"""

from __future__ import annotations

import sys
from types import TracebackType

from rich.console import Console
from rich.console import Group as Stack
from rich.live import Live
from rich.text import Text

from iogauge.analysis.judging import languages
from iogauge.measuring.progress import Progress
from iogauge.model.plan import Group, Plan
from iogauge.model.ratios import ratio, with_bounds
from iogauge.model.units import duration
from iogauge.statistics.sequential import Judgement

_MOST_GROUPS = 8
_MOST_LEVELS = 3
# An interval of the first few replicates whose ends are further apart says nothing.
_MOST_WIDE = 100.0


class Display:
    """Shows Progress while it is entered. Without a terminal, lines for each group of the first
    replicate, then for each replicate, with the standings that it changed.
    """

    def __init__(self, plan: Plan):
        self._plan = plan
        self._console = Console(file=sys.stderr, highlight=False, markup=False, emoji=False)
        # No refreshing thread: nothing may be drawn while a sample runs.
        self._live = (
            Live(console=self._console, auto_refresh=False, transient=True)
            if self._console.is_terminal
            else None
        )
        self._told = (-1, 0)
        self._said: list[str] = []  # standings that are on the screen already

    def __enter__(self) -> Display:
        if self._live:
            self._live.start()
        return self

    def __exit__(
        self, kind: type | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.update(
                "", refresh=True
            )  # what is higher than the screen would not be taken away as a whole
            self._live.stop()

    def __call__(self, progress: Progress) -> None:
        if self._live:
            self._live.update(self._view(progress), refresh=True)
            return
        news = progress.replicates, len(progress.levels)
        if news != self._told:
            self._told = news
            self._console.print(self._line(progress), soft_wrap=True)

    def _view(self, progress: Progress) -> Stack:
        whole = max(progress.elapsed + progress.remaining, 0.1)
        head = Text(self._times(progress), style="bold")
        width = min(60, self._console.width - 2)
        done = round(width * progress.elapsed / whole)
        bar = Text.assemble(("━" * done, "green"), ("━" * (width - done), "bright_black"))
        first = [Text(each) for each in self._first_levels(progress)]
        return Stack(
            head, bar, Text(progress.doing, style="dim"), *first, *self._standings(progress)
        )

    def _line(self, progress: Progress) -> str:
        if not progress.replicates:
            return "\n  ".join(
                [f"{self._times(progress)}: {progress.doing}", *self._first_levels(progress)[-1:]]
            )
        leaders = [
            f"{self._plan.groups[index].id}: {', '.join(self._leaders(index, judged))}"
            for index, judged in self._shown(progress)
        ]
        news, self._said = [each for each in leaders if each not in self._said], leaders
        return "\n  ".join([self._times(progress), *news])

    def _first_levels(self, progress: Progress) -> list[str]:
        """The fastest cases so far of groups in their first replicate. They have no standing yet,
        but this is something to read.
        """
        lines = []
        for index, levels in progress.levels.items():
            if index in progress.judgements or not levels:
                continue
            group = self._plan.groups[index]
            first = sorted(levels, key=lambda case: levels[case])[:_MOST_LEVELS]
            shown = [f"{self._label(case)} {duration(levels[case] / 1e9)}" for case in first]
            lines.append(f"{group.id}: {', '.join(shown)}")
        return lines

    def _times(self, progress: Progress) -> str:
        return (
            f"{self._plan.study}: {duration(progress.elapsed)}, "
            f"about {duration(progress.remaining)} left, "
            f"{progress.replicates} replicate{'' if progress.replicates == 1 else 's'}"
        )

    def _standings(self, progress: Progress) -> list[Text]:
        lines = []
        for index, judged in self._shown(progress):
            group = self._plan.groups[index]
            state = "decided" if judged.done else f"{_live(group, judged)} still measured"
            lines.append(
                Text(f"{group.id}: {group.title}  ({state})", style="dim" if judged.done else "")
            )
            lines += [Text(f"  {each}") for each in self._leaders(index, judged)]
            behind = [self._plan.cases[group.cases[column]].label for column in judged.settled]
            if behind and not judged.done:
                lines.append(Text(f"  far behind, settled: {', '.join(behind)}", style="dim"))
        return lines

    def _shown(self, progress: Progress) -> list[tuple[int, Judgement]]:
        """The groups to show: those still measured first, not more than fit."""
        return sorted(progress.judgements.items(), key=lambda each: each[1].done)[:_MOST_GROUPS]

    def _leaders(self, index: int, judged: Judgement) -> list[str]:
        """Per language its best so far and how far the next is behind, with the interval as it
        narrows.
        """
        group = self._plan.groups[index]
        sets = languages(self._plan, group)
        says = []
        for name, best in judged.best_of.items():
            if best is None:
                continue
            text = self._label(group.cases[best])
            rivals = [
                found
                for column, found in enumerate(judged.versus_best)
                if found and sets[column] == name
            ]
            if rivals:
                next_best = min(rivals, key=lambda found: found.center)
                narrow = next_best.lo > 0 and next_best.hi < _MOST_WIDE * next_best.lo
                told = with_bounds(next_best.center, next_best.lo, next_best.hi)
                text += f", next ×{told if narrow else ratio(next_best.center)}"
            says.append(text)
        return says

    def _label(self, case: int) -> str:
        """The A/A twin has the name of its baseline."""
        return self._plan.cases[case].label + (" (A/A twin)" if self._plan.cases[case].twin else "")


def _live(group: Group, judged: Judgement) -> str:
    """How many of its cases are still measured; beside them the twin is, for the noise floor."""
    twin = [column for column, case in enumerate(group.cases) if case == group.twin]
    live, cases = (
        len(set(columns) - set(twin)) for columns in (judged.live, range(len(group.cases)))
    )
    return (
        "its case"
        if cases == 1
        else f"{f'all {cases}' if live == cases else f'{live} of {cases}'} cases"
    )
