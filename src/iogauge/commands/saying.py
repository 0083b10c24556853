"""What commands say: results on standard output, everything else on standard error."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING, cast

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from iogauge.model.plan import by_reason
from iogauge.model.text import for_stream

if TYPE_CHECKING:
    from iogauge.measuring.session import Prepared

WIDTH = 80
_BLANKS = re.compile(r"[ ]+(?=\n)")


def say(text: str) -> None:
    """Say something to the person. It is not part of the result."""
    print(for_stream(text, sys.stderr), file=sys.stderr, flush=True)


def say_skipped(prepared: Prepared) -> None:
    """What a run leaves out, and why: a line for each reason."""
    skipped = by_reason(prepared.plan.skipped)
    for each in skipped:
        say(f"not measured: {each.what}: {each.why}")
    for broken in prepared.broken:
        if broken.why not in {each.why for each in skipped}:
            say(f"not measured: {', '.join(broken.languages)}: {broken.why}")


def console() -> Console:
    """Standard output, as wide as the terminal but never wider than the tables are made for."""
    made = _Console(
        file=None if sys.stdout.isatty() else cast(IO[str], _Trimmed()),
        highlight=False,
        soft_wrap=False,
        markup=False,
        emoji=False,
    )
    made.width = min(made.width, WIDTH) if made.is_terminal else WIDTH
    return made


class _Console(Console):
    def on_broken_pipe(self) -> None:
        # the command line knows that it is no error; Rich would end the process with status 1
        raise BrokenPipeError


class _Trimmed(io.TextIOBase):
    """Standard output without the blanks that tables put at the ends of lines."""

    def write(self, text: str) -> int:
        sys.stdout.write(_BLANKS.sub("", text))
        return len(text)

    def flush(self) -> None:
        sys.stdout.flush()


def indented(text: Text, by: int = 2) -> Padding:
    """The text with every line indented."""
    return Padding(text, (0, 0, 0, by))


def print_json(value: object) -> None:
    print(json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False))


def print_rows(rows: Iterable[tuple[str, str]]) -> None:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold", style="dim")
    for row in rows:
        table.add_row(*map(Text, row))
    console().print(table)
