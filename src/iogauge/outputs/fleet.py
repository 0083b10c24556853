"""How a fleet run goes, on standard error: a table that changes on a terminal that can; elsewhere a
line for a host whenever that has something new. And how its hosts ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, get_args

from rich.console import Group
from rich.table import Table
from rich.text import Text

from iogauge.fleet.assignment import Phase, Status
from iogauge.model.text import visible
from iogauge.model.units import counted, duration
from iogauge.outputs import host_words
from iogauge.outputs.live import OnStandardError

if TYPE_CHECKING:
    from iogauge.fleet.following import Followed
    from iogauge.fleet.record import FleetRun

_MOST_ROWS = 20  # of hosts that are shown one by one
_FRAME = 4  # lines of a terminal that are not for hosts
_OFTEN = 10.0  # seconds between counts of many hosts, where there is no table
_TOLD_ONE_BY_ONE: tuple[Phase, ...] = ("failed", "refused", "missing", "left", "stopped", "waiting")
"""Of many hosts those that are in this order; the others are counted."""
_IDLE: tuple[Phase, ...] = ("sent", "refused", "missing")
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
        parts.append(f"{_whole(status.seconds)} of {_whole(status.budget)}")
    elif status.says:
        parts.append(visible(status.says))
    sign = " " if status.phase == "waiting" else ": "
    return sign.join([line, ", ".join(parts)]) if parts else line


def _whole(seconds: float) -> str:
    """In whole seconds: nobody sees more of what goes on."""
    return duration(round(seconds)) if seconds >= 1 else "0 s"


class FleetDisplay(OnStandardError):
    """Shows how hosts stand while it is entered."""

    def __init__(self, run: str):
        super().__init__()
        self._run = run
        self._told: dict[str, str] = {}
        self._was_alone = False
        self._counts, self._due = "", 0.0

    def __call__(self, followed: Followed) -> None:
        if self._live:
            self._live.update(_table(followed, self._console.height), refresh=True)
            return
        if followed.alone and not self._was_alone:
            self._console.print(f"{self._run}: {_NO_SCHEDULER}", soft_wrap=True)
        self._was_alone = followed.alone
        many = len(followed.statuses) > _MOST_ROWS
        others_go_on = any(each.phase not in _IDLE for each in followed.statuses.values())
        for name, status in followed.statuses.items():
            if many and status.phase not in _TOLD_ONE_BY_ONE:
                continue
            if status.phase == "refused" and not others_go_on:
                continue  # where all refuse, one line at the end says why
            # Figures change all the time: a line is worth what is decided.
            news = f"{status.phase} {status.says} {status.decided}"
            if self._told.get(name) != news and status.phase != "sent":
                self._told[name] = news
                self._console.print(f"{name}: {said(status)}", soft_wrap=True)
        if many and (followed.seconds >= self._due or not followed.open):
            self._due = followed.seconds + _OFTEN
            if (counts := _counts(followed)) != self._counts:
                self._counts = counts
                self._console.print(f"{self._run}: {counts}", soft_wrap=True)


def _counts(followed: Followed) -> str:
    """`30 done, 168 measuring, 2 failed`."""
    counts = Counter(each.phase for each in followed.statuses.values())
    return ", ".join(f"{counts[phase]} {phase}" for phase in get_args(Phase) if counts[phase])


def _table(followed: Followed, height: int) -> Group:
    """The hosts one by one; of many those that may need somebody, then those that are furthest from
    their end, and counts of all.
    """
    rows = list(followed.statuses.items())
    head = f"{followed.run}: {counted(len(rows), 'host')}, {_whole(followed.seconds)}"
    lines, more = max(1, min(_MOST_ROWS, height - _FRAME)), ""
    if len(rows) > lines:
        head += f": {_counts(followed)}"
        open_ = [(name, each) for name, each in rows if each.phase != "done"]
        rows = sorted(open_, key=lambda row: _urgency(row[1]))[:lines]
        more = f"and {len(open_) - len(rows)} more" if len(open_) > len(rows) else ""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True, min_width=max((len(name) for name, _ in rows), default=0))
    table.add_column(overflow="ellipsis" if more else "fold", no_wrap=bool(more))
    for name, each in rows:
        table.add_row(Text(name), Text(said(each), style=_STYLES.get(each.phase, "")))
    below = [Text(more)] if more else []
    below += [Text(_NO_SCHEDULER, style="yellow")] if followed.alone else []
    return Group(Text(head, style="bold"), table, *below)


def _urgency(status: Status) -> tuple[int, float]:
    """Hosts that may need somebody first; then those that measured least of what they are to."""
    if status.phase in _TOLD_ONE_BY_ONE:
        return _TOLD_ONE_BY_ONE.index(status.phase), 0.0
    part = status.seconds / status.budget if status.budget else 0.0
    return len(_TOLD_ONE_BY_ONE), part


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
            why = "not all of it could be collected" if each.status.phase == "done" else ""
            together.setdefault((why or said(each.status)) + kept, []).append(name)
    found = {host_words.names(names): why for why, names in together.items()}
    if run.absent:
        more = "more host" if run.hosts else "host"
        found[counted(run.absent, more)] = "no worker is there, and nothing is known"
    return found
