"""How a run goes, on standard error: one line that changes on a terminal; elsewhere a line as each
question begins. It is drawn between samples only, when the measuring says so.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.text import Text

from iogauge.analysis.judging import languages
from iogauge.measuring.progress import Progress
from iogauge.model.case import worth_showing
from iogauge.model.plan import Plan
from iogauge.model.strategy import Runtime
from iogauge.model.units import duration
from iogauge.outputs import headings


class Display:
    """Shows Progress while it is entered. `runtimes` are those that the plan measures."""

    def __init__(self, plan: Plan, runtimes: Iterable[Runtime]):
        self._plan = plan
        self._strategies = {each.name: each.strategies for each in runtimes}
        self._console = Console(file=sys.stderr, highlight=False, markup=False, emoji=False)
        # No refreshing thread: nothing may be drawn while a sample runs.
        self._live = (
            Live(console=self._console, auto_refresh=False, transient=True)
            if self._console.is_terminal
            else None
        )
        self._question: int | None = None
        self._begun: set[int] = set()

    def __enter__(self) -> Display:
        if self._live:
            self._live.start()
        return self

    def __exit__(
        self, kind: type | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.update("", refresh=True)
            self._live.stop()

    def __call__(self, progress: Progress) -> None:
        self._question = self._asked(progress)
        if self._live:
            self._live.update(self._line(progress), refresh=True)
        elif self._question is not None and self._question not in self._begun:
            self._begun.add(self._question)
            left = duration(round(progress.remaining))
            says = f"{self._plan.study}: {self._asks(self._question)} (about {left} left in all)"
            self._console.print(says, soft_wrap=True)

    def _line(self, progress: Progress) -> Text:
        """Time left, repeats, the question, and who is ahead: as much as fits the line."""
        seconds = duration(round(progress.remaining))
        parts = [f"{seconds} left", headings.counted(progress.replicates, "repeat")]
        index = self._question
        if index is None:
            parts.append(progress.doing)
        else:
            ahead = ", ".join(self._ahead(index, progress))
            parts.append(self._asks(index) + (f": {ahead} ahead" if ahead else ""))
        text = Text(" | ".join(parts), no_wrap=True, overflow="ellipsis")
        text.truncate(self._console.width - 1, overflow="ellipsis")
        return text

    def _asked(self, progress: Progress) -> int | None:
        """The question that is measured: what is done names it, or it is still the last one."""
        groups = self._plan.groups
        named = (
            index for index, group in enumerate(groups) if progress.doing.startswith(group.title)
        )
        return next(named, self._question)

    def _asks(self, index: int) -> str:
        group, count = self._plan.groups[index], len(self._plan.groups)
        which = f"question {index + 1} of {count}, " if count > 1 else ""
        return f"{which}{headings.of_work(group.workload, group.conditions)}"

    def _ahead(self, index: int, progress: Progress) -> Iterator[str]:
        """The best of each language so far; in the first repeat by what was measured of it."""
        group = self._plan.groups[index]
        sets = languages(self._plan, group)
        judged, levels = progress.judgements.get(index), progress.levels.get(index, {})
        for name in dict.fromkeys(sets):
            members = [case for case, of in zip(group.cases, sets, strict=True) if of == name]
            best = judged.best_of.get(name) if judged else None
            first = min(set(members) & set(levels), key=lambda case: levels[case], default=None)
            leader = group.cases[best] if best is not None else first
            if leader is not None:
                yield self._named(leader, members)

    def _named(self, case: int, members: list[int]) -> str:
        cases = self._plan.cases
        known = [(cases[each], self._strategies[cases[each].runtime]) for each in members]
        shown = worth_showing((each, of[each.strategy]) for each, of in known)
        declared = self._strategies[cases[case].runtime][cases[case].strategy]
        return cases[case].display(declared, shown)
