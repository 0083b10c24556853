"""What a watch found, on a page of at most 30 lines of 80 columns: what a change would save, what
was done, what could not be seen, and what watching cost.
"""

from __future__ import annotations

import io

from rich.console import Console
from rich.text import Text

from iogauge.model.text import listed, visible
from iogauge.model.units import rate
from iogauge.model.watched import COPIES, READS, SHORTEST, WRITES, Finding, Watched
from iogauge.outputs import watch_words as words

WIDTH = 80
MOST_LINES = 30
_DETAILS = ((3, 3), (3, 1), (2, 1), (1, 1))  # findings, and lines of code of each
_LONGEST_NAME = 40
_LONGEST_TEXT = 160  # two lines of it
_LONGEST_COMMAND = 230
_KEPT = "\ue000"  # stands for a blank at which no line ends


def page(watched: Watched, command: str = "", record: str = "") -> str:
    """The page. `command` is the command line as it was given, where it is known; `record` the name
    of the record.
    """
    watched = words.with_visible_text(watched)
    last = [*_last(watched), *_further(visible(record))]
    room = MOST_LINES - len(last)
    for findings, code in _DETAILS:
        lines = _page(watched, visible(command), findings, code)
        if len(lines) <= room:
            break
    return "\n".join([*lines[:room], *last]) + "\n"


def _page(watched: Watched, command: str, most: int, code: int) -> list[str]:
    lines = _heading(watched)
    shown, more = watched.findings[:most], len(watched.findings) - most
    if shown:
        lines += ["", "WHAT A CHANGE WOULD SAVE"]
        for number, each in enumerate(shown, 1):
            lines += _finding(number, each, watched, code)
        if more > 0:
            lines += _wrapped(f"{words.counted(more, 'more change')} would save less", "")
        if not watched.visited and not watched.verified:
            given = words.shortened(command, _LONGEST_COMMAND) or "COMMAND"
            lines += _wrapped(f"try it: iogauge watch --verify 'OTHER COMMAND' -- {given}", "  ")
    if watched.verified:
        lines += ["", "VERIFIED", *_wrapped(words.verified(watched.verified), "    ", "  ")]
    if watched.wall >= SHORTEST:
        lines += ["", "WHAT IT DID", *_table(watched), *_time(watched)]
    return lines


def _heading(watched: Watched) -> list[str]:
    head = f"iogauge watch: {words.shortened(watched.name, _LONGEST_NAME)}, "
    head += ("watched for " if watched.visited else "") + words.took(watched)
    if not watched.findings or watched.wall < SHORTEST:
        return _wrapped(f"{head}: {_short(words.answer(watched))}", "  ")
    if (spent := words.in_calls(watched)) is not None:
        part = words.share(spent, watched.run_time)
        head += f", {words.seconds(spent)} of it in calls for files" + (
            f" ({part})" if part else ""
        )
    return _wrapped(head, "  ")


def _finding(number: int, each: Finding, watched: Watched, code: int) -> list[str]:
    title = _short(words.title(each, watched, _LONGEST_NAME))
    lines = _wrapped(f"{number} {words.saving(each, watched.run_time)}: {title}", "    ")
    does = words.does(each, watched, _LONGEST_NAME)
    if len(watched.programs) > 1:
        name = words.shortened(words.program(watched.programs[each.program]), _LONGEST_NAME)
        does = f"{name}: {does}"
    lines += _wrapped(f"{does}; {words.BASES[each.basis]}", "      ", "    ")
    if at := words.shortened(words.where(each), _LONGEST_NAME):
        text = each.place.text.strip() if each.place else ""
        lines.append(_cut(f"    at       {at}  {text}".rstrip()))
    if each.change and each.change.code.strip():
        label = "    instead  "
        for line in each.change.code.splitlines()[:code]:
            lines += _wrapped(line, " " * 15, label)[:3]
            label = " " * len(label)
    return lines


def _table(watched: Watched) -> list[str]:
    """Calls, bytes and bytes per call; those of the account for reads and writes."""
    total = watched.total
    rows = [
        ("reads", total.read_calls, total.read_bytes, READS | COPIES),
        ("writes", total.write_calls, total.written_bytes, WRITES),
    ]
    done = [each for each in rows if each[1]]
    lines = []
    if done:
        lines.append(f"  {'':7}{'calls':>12}{'bytes':>11}{'per call':>11}   on")
    for label, number, moved, names in done:
        assert number
        whole = "-" if moved is None else words.amount(moved)
        each = "-" if moved is None else words.amount(moved / number)
        target = _on(watched, names)
        line = f"  {label:7}{words.calls(number):>12}{whole:>11}{each:>11}   {target}"
        lines.append(_cut(line.rstrip()))
    if others := words.others(watched):
        counted = words.calls if watched.traced else words.about
        said = ", ".join(f"{counted(value)} {words.shortened(name, 20)}" for name, value in others)
        lines.append(_cut(f"  others: {said.replace(', about ', ', ')}"))  # once for all
    if total.read_calls is None:
        lines.append("  the kernel does not tell what it read and wrote")
    elif not done:
        lines.append("  it read and wrote nothing")
    if source := words.came_from(watched):
        speed = rate(min(1e18, (total.read_bytes or 0) / watched.wall))
        lines += _wrapped(f"{source}, {speed} on average", "    ", "  ")
    return lines


def _on(watched: Watched, names: frozenset[str]) -> str:
    """The file on which most of these calls were made, and how many others; where none is known,
    what kind of thing it was.
    """
    known: dict[str, float] = {}
    for each in watched.calls:
        if each.name in names and (name := words.on(each)):
            known[name] = known.get(name, 0.0) + each.count
    if not known:
        return "-"
    best = max(known, key=lambda each: known[each])
    more = f" and {len(known) - 1} more" if len(known) > 1 else ""
    return words.shortened(best, 24) + more


def _time(watched: Watched) -> list[str]:
    """How its time divides between working and waiting."""
    parts = words.time_parts(watched)
    return _wrapped(f"its time: {listed(parts)}", "    ", "  ") if parts else []


def _last(watched: Watched) -> list[str]:
    lines = []
    unseen = [each for each in watched.programs if each.unseen]
    for each in unseen[:2]:
        name = words.shortened(each.name, _LONGEST_NAME)
        lines += _wrapped(f"{name}: {_short(each.unseen or '')}", "  ")
    if len(unseen) > 2:
        lines += _wrapped(f"{words.counted(len(unseen) - 2, 'more program')} not looked at", "  ")
    if watched.left:
        names = [words.shortened(each, 24) for each in watched.left[:3]]
        if (more := len(watched.left) - 3) > 0:
            names.append(f"{more} more")
        lines += _wrapped(f"still running: {listed(names)}; counted until now", "  ")
    said = [f"not seen: {_short(', '.join(watched.unseen))}"] if watched.unseen else []
    return lines + _wrapped("; ".join([*said, words.own_cost(watched)]), "  ")


def _further(record: str) -> list[str]:
    if not record:
        return []
    draw = f"iogauge report {record}"
    return [each for each in (f"{draw}  # over time", draw) if len(each) <= WIDTH][:1]


def _short(text: str) -> str:
    return words.shortened(text, _LONGEST_TEXT)


def _cut(line: str) -> str:
    """One line, with … for what does not fit."""
    text = Text(line)
    text.truncate(WIDTH, overflow="ellipsis")
    return text.plain


def _wrapped(text: str, rest: str, first: str = "") -> list[str]:
    """Lines that end between words; `rest` stands before all but the first. A number stays
    with its unit, and characters of double width count as two.
    """
    console = Console(file=io.StringIO(), width=WIDTH)
    whole = Text(words.together(text, _KEPT))
    lines = whole.wrap(console, WIDTH - max(len(rest), len(first)), overflow="fold")
    plain = [each.plain.rstrip().replace(_KEPT, " ") for each in lines]
    return [f"{rest if at else first}{each}" for at, each in enumerate(plain)]
