"""What the words of `iogauge show` mean."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from rich.text import Text

from iogauge.model.units import share
from iogauge.outputs import bars
from iogauge.outputs.bars import WIDTH, Row
from iogauge.outputs.recommendation import (
    AS_FAST,
    FOR_NOW,
    LOOKS_SLOWER,
    NOT_SURE,
    SAME,
    SLOWER,
    USE,
)

_NO_BREAK = "\a%"  # stands for a blank at which no line ends


def words_of(
    rows: Sequence[Row],
    margin: float,
    *,
    all_words: bool,
    in_full: bool,
    checked: bool,
    alone: bool,
    between: bool,
) -> Iterator[Text]:
    """What the words of the tables mean, of those that are there: `all_words`, or only what cannot
    be understood without. `in_full`: the machine has a row of its own; `alone`: no summary says it;
    `between`: the bests of sets are compared.
    """
    notes = [row.note for row in rows]
    sets = any(row.set for row in rows)
    other, fastest = "way compared in its language", "its language's fastest"
    if not sets:  # whole commands
        other, fastest = "other", "the fastest"
    if between:
        fastest = "the fastest"

    def first(pattern: str) -> str:
        return next((each for each in notes if re.fullmatch(pattern, each)), "")

    machine = [row for row in rows if row.name.startswith(bars.MACHINE)]
    beyond = " (>: off scale)" if any(row.length > 1 for row in machine) else ""
    reached = any(row.note == bars.REACHED for row in machine)
    ranges = (r"[\d.]+(-[\d.]+)?x", r"over [\d.]+x")
    bounds = ", ".join(each for each in map(first, ranges) if each)
    by_repeat = ", compared repeat by repeat" if any(row.unlike_bar for row in rows) else ""
    near = share(margin)
    reach = first(rf"{re.escape(AS_FAST)} .*").removeprefix(AS_FAST)
    most = f", or take up to {reach.partition('-')[2]} as long" if reach else ""
    says: dict[str, object] = {
        f"{USE}: 95 % sure that no {other} is over {near} faster": (USE in notes),
        f"{FOR_NOW}: not sure yet, others may be as fast": alone
        and any(note.startswith(FOR_NOW) for note in notes),
        f"{SAME}: within {near} of {fastest}, 95 % sure": SAME in notes and all_words,
        f"{AS_FAST}{reach}: not sure yet, it may be as fast{most}": all_words
        and any(note.startswith(AS_FAST) for note in notes),
        f"{NOT_SURE}: the same code, run twice, differed, and this may be no more than that": (
            NOT_SURE in notes
        ),
        f"{bounds}: times the time of {fastest}, 95 % sure{by_repeat}": bounds,
        f"{SLOWER}: surely, but it is not sure how much": all_words and SLOWER in notes,
        f"{LOOKS_SLOWER}: it looks so, but it may be as fast": all_words and LOOKS_SLOWER in notes,
        "checked: before each sample, iogauge looked whether the file was cached": checked,
        f"machine: the fastest plain way we found to move these bytes{beyond}": in_full and machine,
        f"{bars.REACHED}: a way above is as fast as that, or faster": reached and all_words,
    }
    told = [text for text, there in says.items() if there]
    yield from [Text("")] * bool(told)
    yield from (Text(wrapped(text, 2), style="dim") for text in told)


def wrapped(text: str, indent: int) -> str:
    """In lines of 78 columns; those after the first are indented."""
    lines = textwrap.wrap(
        text.replace(" %", _NO_BREAK),
        WIDTH - 2,
        subsequent_indent=" " * indent,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace(_NO_BREAK, " %")
