"""What changes on a terminal while something goes on, on standard error."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live


class OnStandardError:
    """A console, and what is drawn anew on it while this is entered, where the terminal can. There
    is no refreshing thread: nothing may be drawn while a sample runs.
    """

    def __init__(self) -> None:
        self._console = Console(file=sys.stderr, highlight=False, markup=False, emoji=False)
        able = sys.stderr.isatty() and not self._console.is_dumb_terminal
        self._live = (
            Live(console=self._console, auto_refresh=False, transient=True) if able else None
        )

    def __enter__(self) -> Self:
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
