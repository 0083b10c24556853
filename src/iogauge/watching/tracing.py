"""Every call of a command, counted as strace tells it: for `--trace`."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

from iogauge.host import proctree, strace
from iogauge.host.strace import Call
from iogauge.watching.estimating import MOVED, OPENS, Estimate, Group, Key
from iogauge.watching.watcher import Seen

OPTIONS = ("-D", "-f", "-qq", "-y", "-T", "-s", "0", "-e", "signal=none")
"""The process that is started becomes the command, and strace its grandchild: so the command keeps
its place in the terminal, and our death does not end it.
"""


_CALL = 80e-6  # s that strace adds to a call


class Trace:
    """Reads what strace writes into a pipe, in a thread, and counts it by process, call and path.
    The descriptor `target` is for strace.
    """

    def __init__(self) -> None:
        self._source, self.target = os.pipe()
        self._calls: dict[tuple[int, str, str], Group] = {}
        self._of_process: dict[int, int] = {}
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def words(self, tracer: str, command: list[str]) -> list[str]:
        return [tracer, *OPTIONS, "-o", f"/dev/fd/{self.target}", "--", *command]

    def end(self, seen: Seen) -> Estimate:
        """Wait for its last line; what was seen, by program."""
        os.close(self.target)
        self._thread.join()
        groups: dict[Key, Group] = {}
        for (thread, name, path), found in self._calls.items():
            facts = seen.facts.get(thread) or seen.facts.get(self._parent(thread, seen))
            program = facts.key if facts else ("", "")
            key = program, name, path
            into = groups.setdefault(key, Group(program, name, path, found.target))
            into.count += found.count
            into.bytes += found.bytes
            into.failed += found.failed
            into.seen += found.seen
            into.took += found.took
            for size, count in found.sizes.items():
                into.sizes[size] += count
        return Estimate(groups, {}, [])

    def without(self, wall: float) -> float:
        """About what the command takes without strace, of so many seconds with it."""
        calls = sum(each.count for each in self._calls.values())
        return max(0.05, wall - calls * _CALL)

    def _parent(self, thread: int, seen: Seen) -> int:
        """The process of a thread, or the nearest one above it, that was seen."""
        for _ in range(64):
            if thread in seen.facts or thread not in self._of_process:
                break
            thread = self._of_process[thread]
        return thread

    def _read(self) -> None:
        with open(self._source, encoding="ascii", errors="replace") as source:
            for call in strace.completed(self._lines(source)):
                self._count(call)

    @staticmethod
    def _lines(source: Iterator[str]) -> Iterator[str]:
        for line in source:
            yield line.rstrip("\n")

    def _count(self, call: Call) -> None:
        if call.name in ("clone", "clone3", "fork", "vfork") and call.result and call.result > 0:
            self._of_process[call.result] = call.thread
        path = call.opened if call.name in OPENS else call.path
        key = call.thread, call.name, path
        group = self._calls.get(key)
        if group is None:
            group = Group(("", ""), call.name, path, proctree.target(path))
            self._calls[key] = group
        group.count += 1
        group.seen += 1
        group.took += call.seconds or 0.0
        if call.failed:
            group.failed += 1
        elif call.name in MOVED and call.result is not None:
            group.bytes += call.result
            group.sizes[call.result] += 1
