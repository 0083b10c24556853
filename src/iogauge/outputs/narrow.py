"""Lines of 80 columns, and the same text on a screen with fewer."""

from __future__ import annotations

import textwrap

from rich.style import Style
from rich.text import Text

WIDTH = 80
_NO_BREAK = "\a%"  # stands for a blank at which no line ends


def fitted(text: Text, width: int) -> Text:
    """The same text in lines of at most `width` columns. Each keeps its indent; a command is left
    in one piece, so that it can be copied: the terminal itself breaks it.
    """
    lines = text.plain.split("\n")
    if text.no_wrap or all(len(line) <= width for line in lines):
        return text
    first, *others = filter(None, lines)
    wrapped = textwrap.fill(
        " ".join(line.strip() for line in (first, *others)),
        width,
        initial_indent=_indent(first),
        subsequent_indent=_indent(others[0]) if others else f"{_indent(first)}  ",
        break_on_hyphens=False,
    )
    return Text("\n" * (not lines[0]) + wrapped, style=text.style)


def uncut(text: str, style: str | Style = "") -> Text:
    """What is copied, such as code or a command: its lines stay as they are."""
    return Text(text, style, no_wrap=True, overflow="ignore")


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def wrapped(text: str, indent: int) -> str:
    """In lines of 78 columns; those after the first are indented."""
    lines = textwrap.wrap(
        text.replace(" %", _NO_BREAK),
        WIDTH - 2,
        subsequent_indent=" " * indent,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace(_NO_BREAK, " %")
