"""Programs of others that are started for a while: compilers, and launchers asked for a version.

They get the user's environment without the settings that would change what is built or measured.
Several are waited for at a time, in threads. An interruption ends all of them: no thread would, and
they do not hear Ctrl-C themselves.
"""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import partial
from typing import Any, Literal, TypeVar

from iogauge.host import processes
from iogauge.host.pauses import RUNNING, TICK

Variables = Mapping[str, str | Literal[False]]
"""Variables by name; False removes one, whose name may have wildcards: `CARGO_PROFILE_*`."""
_OURS: Variables = {
    "LC_ALL": "C.UTF-8",
    # Libraries that stand in for the C library's own: another allocator, an fsync that does
    # nothing, another clock.
    "LD_PRELOAD": False,
    "LD_AUDIT": False,
    "LD_BIND_NOW": False,
    # The C library's allocator, as it is.
    "GLIBC_TUNABLES": False,
    "MALLOC_*": False,
}
_AGAIN_SECONDS = 0.05  # a thread that was between two programs starts the next one
_FILES_OF_A_PROGRAM = 8  # while it is being started, of ours

Result = TypeVar("Result")
_running: set[subprocess.Popen[str]] = set()


def environment(*tables: Variables) -> dict[str, str]:
    """The whole environment of a process. Of two tables that name a variable the later one wins."""
    made = dict(os.environ)
    for table in (_OURS, *tables):
        removed = [name for name, value in table.items() if value is False]
        for name in [each for each in made if any(fnmatchcase(each, one) for one in removed)]:
            del made[name]
        made |= {name: value for name, value in table.items() if value is not False}
    return made


def output(command: list[str], seconds: float, **settings: Any) -> tuple[int | None, str]:
    """The exit status of a program and all that it printed. The status is None for one that took
    longer than `seconds`, without those for which iogauge itself stood still: it is ended, with all
    that it started. Raises OSError.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        **processes.apart(),
        **settings,
    )
    _running.add(process)
    due = RUNNING() + seconds
    try:
        while (left := due - RUNNING()) > 0:
            with suppress(subprocess.TimeoutExpired):
                told = partial(process.communicate, None)
                printed, _ = RUNNING.wait(told, min(left, TICK))
                return process.returncode, printed
        processes.end(process)
        return None, process.communicate()[0]
    finally:
        if process.returncode is None:  # interrupted
            processes.end(process)
            process.communicate()
        _running.discard(process)


def _at_a_time(count: int) -> int:
    """How many of so many programs the limit of open files leaves room for."""
    known = processes.files()
    return max(1, min(count, known.left // _FILES_OF_A_PROGRAM) if known else count)


def side_by_side(works: Iterable[Callable[[], Result]]) -> list[Future[Result]]:
    """Do this in threads and wait. A failure is in its future; Ctrl-C ends their programs."""
    works, others = list(works), threading.enumerate()
    with ThreadPoolExecutor(_at_a_time(len(works))) as pool:
        try:
            futures = [pool.submit(each) for each in works]
            wait(futures)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            # Not the futures: there is none yet of a thread that was just being started.
            while any(each not in others for each in threading.enumerate()):
                for process in _running.copy():
                    if process.returncode is None:
                        processes.end(process)
                time.sleep(_AGAIN_SECONDS)
            raise
    return futures
