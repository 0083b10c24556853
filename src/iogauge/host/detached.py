"""Programs that outlive the one that starts them, and how a process is told to end."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path


def start(words: Sequence[str], log: Path, variables: Mapping[str, str], held: int) -> None:
    """Start a program in a session of its own; its output goes to the end of the `log`. It keeps
    the descriptor `held` open, and so the lock of that file, for as long as it lives.
    """
    with log.open("ab") as out:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
            pass_fds=[held],
            env={**os.environ, **variables},
        )
    threading.Thread(target=process.wait, daemon=True).start()  # no zombie, if we live longer


def end(pid: int) -> None:
    """Ask a process to end, as a polite kill does."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)


def when_asked_to_end(loop: asyncio.AbstractEventLoop, call: Callable[[], object]) -> None:
    """Have the loop call this at Ctrl-C, a polite kill, or when the terminal is closed."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number and signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, call)
