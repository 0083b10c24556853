"""How a run goes, on standard error: one line that changes on a terminal that can; elsewhere a line
as each question begins, and now and then. It is drawn between samples only, when the measuring says
so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator

from rich.text import Text

from iogauge.analysis.judging import languages
from iogauge.measuring.bench import Progress
from iogauge.model.case import worth_showing
from iogauge.model.plan import Plan, Span
from iogauge.model.strategy import Runtime
from iogauge.model.units import counted, estimated
from iogauge.model.workload import in_several_states
from iogauge.outputs import headings, spans
from iogauge.outputs.live import OnStandardError

_FIRST_SIGN, _RAREST_SIGN = 10.0, 300.0  # seconds without a line; each time twice as many
_WIDTH = 80  # columns of a line that is not drawn anew


class Display(OnStandardError):
    """Shows Progress while it is entered. `runtimes` are those that the plan measures."""

    def __init__(
        self,
        plan: Plan,
        runtimes: Iterable[Runtime],
        clock: Callable[[], float] = time.monotonic,
    ):
        super().__init__()
        self._plan = plan
        self._strategies = {each.name: each.strategies for each in runtimes}
        self._clock, self._told, self._silence = clock, clock(), _FIRST_SIGN
        self._question: int | None = None
        self._begun: set[tuple[int, str]] = set()

    def __call__(self, progress: Progress) -> None:
        self._question = self._asked(progress)
        if progress.longer:
            self._console.print(str(progress.longer), soft_wrap=True)
        if self._live:
            self._live.update(self._line(progress), refresh=True)
        elif says := self._news(progress):
            self._told = self._clock()
            self._console.print(says, soft_wrap=True)

    def _news(self, progress: Progress) -> str:
        """What a line is worth where none can be drawn anew: a question as it begins, and a sign of
        life.
        """
        if self._question is not None:
            asks = self._asks(self._question, progress)
            if (self._question, asks) not in self._begun:
                self._begun.add((self._question, asks))
                count = len(self._plan.groups)
                which = f"question {self._question + 1} of {count}, " if count > 1 else ""
                left = _left(progress, "about ", " left in all")
                return f"{self._plan.study}: {which}{asks} ({left})"
        if self._clock() < self._told + self._silence:
            return ""
        self._silence = min(2 * self._silence, _RAREST_SIGN)
        whole, short = (
            f"{self._plan.study}: {' | '.join(self._parts(progress, ahead=each))}"
            for each in (True, False)
        )
        return whole if len(whole) <= _WIDTH else short

    def _line(self, progress: Progress) -> Text:
        """Time left, repeats, the question, and who is ahead: as much as fits the line."""
        width = self._console.width - 1
        line = " | ".join(self._parts(progress))
        if len(line) > width and not self._console.encoding.startswith("utf"):
            line = f"{line[: width - 3]}..."  # as that is what an ellipsis becomes
        text = Text(line, no_wrap=True, overflow="ellipsis")
        text.truncate(width, overflow="ellipsis")
        return text

    def _parts(self, progress: Progress, *, ahead: bool = True) -> list[str]:
        index, parts = self._question, [_left(progress, "", " left")]
        if index is None:
            return [*parts, progress.doing]
        judged = progress.decisions.get(index)
        parts.append(counted(judged.replicates if judged else 0, "repeat"))
        open_ = self._open_across(index, progress)
        names = ", ".join(self._ahead(index, progress)) if ahead and not open_ else ""
        return [*parts, self._asks(index, progress) + (f": ahead {names}" if names else "")]

    def _asked(self, progress: Progress) -> int | None:
        """The question that is measured, or the last one that was."""
        return self._question if progress.group is None else progress.group

    def _asks(self, index: int, progress: Progress) -> str:
        """`Read 1 MiB by lines, cached`; behind it what is open, where that is only a comparison
        with other groups.
        """
        group = self._plan.groups[index]
        cases = [self._plan.cases[each] for each in group.cases]
        by = headings.by_unit(self._strategies[each.runtime][each.strategy] for each in cases)
        told = in_several_states(each.conditions for each in self._plan.groups)
        asks, open_ = headings.of_work(group.workload, group.conditions, by, told=told), ""
        if span := self._open_across(index, progress):
            first, *others = (
                spans.value_name(span.value(self._plan.groups[each])) for each in span.groups
            )
            open_ = f": decided; open is {', '.join(others)} against {first}"
        return asks + open_

    def _open_across(self, index: int, progress: Progress) -> Span | None:
        """The span for which a group is measured that is decided itself."""
        judged = progress.decisions.get(index)
        if judged is None or not judged.done:
            return None
        return next((each for each in self._plan.spans if index in each.groups), None)

    def _ahead(self, index: int, progress: Progress) -> Iterator[str]:
        """The best of each language so far; in the first repeat by what was measured of it."""
        group = self._plan.groups[index]
        sets = languages(self._plan, group)
        judged, levels = progress.decisions.get(index), progress.levels.get(index, {})
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


def _left(progress: Progress, before: str, behind: str) -> str:
    """`9 s left`, `1m 20s left`."""
    if progress.remaining is None:
        return "how long it takes shows at the first call"
    return f"{before}{estimated(progress.remaining)}{behind}"
