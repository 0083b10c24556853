"""One page of a watch: what a change would save, and beside it what was done over time. It has no
script, and needs nothing else.
"""

from __future__ import annotations

from iogauge import __version__
from iogauge.model.text import capital, listed
from iogauge.model.units import rate
from iogauge.model.watched import SHORTEST, Calls, Watched
from iogauge.outputs import watch_words as words
from iogauge.outputs.html.drawing import part, templates, theme
from iogauge.outputs.html.over_time import HEIGHT, WIDTH, over_time

_MOST_CALLS = 60  # rows of a table
_LONGEST = 200  # characters of a name


def render(watched: Watched) -> str:
    """The page. Whatever a record says is text in it: it is made visible, and HTML is escaped."""
    watched = words.with_visible_text(watched)
    environment = templates()
    environment.filters.update(
        seconds=words.seconds,
        amount=words.amount,
        calls=words.calls,
        capital=capital,
        together=_together,
    )
    return environment.get_template("watch.html").render(
        watched=watched,
        findings=watched.findings if watched.wall >= SHORTEST else (),
        words=words,
        rows=_rows(watched),
        hidden=max(0, len(watched.calls) - _MOST_CALLS),
        facts=_facts(watched),
        time=_time(watched),
        source=_source(watched),
        unseen=_unseen(watched),
        drawn=over_time(watched.moments, watched.wall),
        width=WIDTH,
        height=HEIGHT,
        longest=_LONGEST,
        style=theme() + part("page.css") + part("watch.css"),
        version=__version__,
    )


def _together(text: str) -> str:
    return words.together(text, "\N{NO-BREAK SPACE}")


def _facts(watched: Watched) -> str:
    """When, how long, and how it ended."""
    when = watched.started[:16].replace("T", " ")
    took = words.took(watched)
    said = [when, f"watched for {took}" if watched.visited else f"took {took}"]
    if spent := words.in_calls(watched):
        of_all = words.share(spent, watched.run_time)
        text = f"{words.seconds(spent)} of it in calls for files"
        said.append(f"{text} ({of_all})" if of_all else text)
    if watched.status:
        said.append(f"ended with status {watched.status}")
    return ", ".join([*said, *watched.host.values()])


def _rows(watched: Watched) -> list[tuple[str, str, Calls]]:
    """The most frequent calls, with their program and where they go."""
    most = sorted(watched.calls, key=lambda each: -each.count)[:_MOST_CALLS]
    return [(words.program(watched.programs[each.program]), words.on(each), each) for each in most]


def _time(watched: Watched) -> str:
    parts = words.time_parts(watched) if watched.wall >= SHORTEST else []
    return f"Its time: {listed(parts)}." if parts else ""


def _source(watched: Watched) -> str:
    if not (said := words.came_from(watched)):
        return ""
    speed = rate((watched.total.read_bytes or 0) / watched.wall)
    return f"{capital(said)}, {speed} on average."


def _unseen(watched: Watched) -> list[str]:
    """What could not be seen, and what was still there."""
    said = [capital(each) for each in watched.unseen]
    said += [f"{each.name}: {each.unseen}" for each in watched.programs if each.unseen]
    if watched.left:
        said.append(f"Still running, counted until the end: {listed(watched.left)}")
    return said
