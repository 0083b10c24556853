"""How a fleet run goes, on standard error: a table that changes on a terminal that can; elsewhere a
line for a host whenever that has something new. And how its hosts ended.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from iogauge.fleet.assignment import Phase, Status
from iogauge.model.text import listed, visible
from iogauge.model.units import counted, duration

if TYPE_CHECKING:
    from iogauge.fleet.following import Followed
    from iogauge.fleet.record import FleetRun

_MOST_ROWS = 20  # of hosts that are shown one by one
_SAYS: dict[Phase, str] = {
    "sent": "has the plan",
    "waiting": "waits",
    "preparing": "prepares",
    "measuring": "measures",
    "done": "done",
    "failed": "FAILED",
    "refused": "REFUSED",
    "stopped": "stopped",
    "left": "its worker ended; it goes on",
    "missing": "MISSING",
}
_STYLES: dict[Phase, str] = {
    "done": "green",
    "failed": "red",
    "refused": "red",
    "missing": "yellow",
    "waiting": "yellow",
}
_NO_SCHEDULER = "no scheduler is there: the hosts go on, and this waits for it"


def said(status: Status) -> str:
    """`measures: 2 of 7 questions decided, 4 repeats, 40 s of 60 s`."""
    line = _SAYS[status.phase]
    parts = []
    if status.phase == "measuring" and status.groups:
        parts.append(f"{status.decided} of {counted(status.groups, 'question')} decided")
        parts.append(counted(status.replicates, "repeat"))
        parts.append(f"{duration(status.seconds)} of {duration(status.budget)}")
    elif status.says:
        parts.append(visible(status.says))
    sign = " " if status.phase == "waiting" else ": "
    return sign.join([line, ", ".join(parts)]) if parts else line


class FleetDisplay:
    """Shows how hosts stand while it is entered."""

    def __init__(self, run: str):
        self._run = run
        self._console = Console(file=sys.stderr, highlight=False, markup=False, emoji=False)
        able = sys.stderr.isatty() and not self._console.is_dumb_terminal
        self._live = (
            Live(console=self._console, auto_refresh=False, transient=True) if able else None
        )
        self._told: dict[str, str] = {}
        self._was_alone = False

    def __enter__(self) -> FleetDisplay:
        if self._live:
            self._live.start()
        return self

    def __exit__(
        self, kind: type | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave the terminal to others."""
        if self._live and self._live.is_started:
            self._live.update("", refresh=True)
            self._live.stop()

    def __call__(self, followed: Followed) -> None:
        if self._live:
            self._live.update(_table(followed), refresh=True)
            return
        if followed.alone and not self._was_alone:
            self._console.print(f"{self._run}: {_NO_SCHEDULER}", soft_wrap=True)
        self._was_alone = followed.alone
        for name, status in followed.statuses.items():
            # Figures change all the time: a line is worth what is decided.
            news = f"{status.phase} {status.says} {status.decided}"
            if self._told.get(name) != news and status.phase != "sent":
                self._told[name] = news
                self._console.print(f"{name}: {said(status)}", soft_wrap=True)


def _table(followed: Followed) -> Group:
    """The hosts one by one; of many those that have not ended well, and counts of all."""
    statuses = followed.statuses
    counts = Counter(each.phase for each in statuses.values())
    about = ", ".join(f"{number} {_SAYS[phase]}" for phase, number in counts.items())
    head = f"{followed.run}: {counted(len(statuses), 'host')}, {duration(followed.seconds)}"
    rows = list(statuses.items())
    if len(rows) > _MOST_ROWS:
        rows = [(name, each) for name, each in rows if each.phase != "done"][:_MOST_ROWS]
        head += f": {about}"
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, each in rows:
        table.add_row(Text(name), Text(said(each), style=_STYLES.get(each.phase, "")))
    below = [Text(_NO_SCHEDULER, style="yellow")] if followed.alone else []
    return Group(Text(head, style="bold"), table, *below)


def summary(run: FleetRun) -> Iterator[Text]:
    """What came back, in a line; then a line for each host of which something is missing."""
    whole = [name for name, each in run.hosts.items() if each.whole]
    yield Text(f"{run.run}: {len(whole)} of {counted(len(run.hosts), 'host')} done", style="bold")
    yield from missing(run)


def missing(run: FleetRun) -> Iterator[Text]:
    """Of which hosts something is missing, and why."""
    for names, why in why_missing(run).items():
        yield Text(f"{names}: {why}", style="yellow")


def why_missing(run: FleetRun) -> dict[str, str]:
    """Why something of hosts is missing, by their names; those with the same reason together."""
    together: dict[str, list[str]] = {}
    for name, each in run.hosts.items():
        if not each.whole:
            kept = "; what it measured until then is here" if each.files else ""
            together.setdefault(said(each.status) + kept, []).append(name)
    return {_names(names): why for why, names in together.items()}


def _names(names: Iterable[str]) -> str:
    """A few by name, of many the first ones."""
    found = list(names)
    if len(found) > _MOST_ROWS:
        return f"{', '.join(found[:3])} and {len(found) - 3} more"
    return listed(found)
