"""Every call of a command, counted as strace tells it: for `--trace`."""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Iterator, Sequence

from iogauge.host import proctree, strace
from iogauge.host.strace import Call
from iogauge.model.watched import COPIES, READS, WRITES, Amounts
from iogauge.watching.estimating import MOVED, OPENS, Estimate, Group, Key
from iogauge.watching.watcher import Seen

OPTIONS = ("-D", "-f", "-qq", "-y", "-T", "-s", "0", "-e", "signal=none")
"""The process that is started becomes the command, and strace its grandchild: so the command keeps
its place in the terminal, and our death does not end it.
"""

_CALL = 80e-6  # s that strace adds to a call
_SILENCE = 0.1  # s


class Trace:
    """Reads what strace writes into a pipe, in a thread, and counts it by process, call and path.
    The descriptor `target` is for strace.
    """

    def __init__(self) -> None:
        self._source, self.target = os.pipe()
        self._calls: dict[tuple[int, str, str], Group] = {}
        self._of_process: dict[int, int] = {}
        self._command_ended = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def words(self, tracer: str, command: list[str]) -> list[str]:
        return [tracer, *OPTIONS, "-o", self._output, "--", *command]

    @property
    def _output(self) -> str:
        return f"/dev/fd/{self.target}"

    def end(self, left: Sequence[int]) -> list[int]:
        """Wait for the last line of the command, after its end. Descendants that are `left` go on
        without strace; returned without it.
        """
        os.close(self.target)
        others = strace.end(left, self._output)
        self._command_ended.set()
        self._thread.join()
        return others

    def total(self, of_all: Amounts) -> Amounts:
        """What was done, with the calls and bytes that were traced: the account of the kernel has
        those of strace, too.
        """
        update: dict[str, int] = {}
        for kind, moved, names in (
            ("read_calls", "read_bytes", READS | COPIES),
            ("write_calls", "written_bytes", WRITES | COPIES),
        ):
            some = [each for each in self._calls.values() if each.name in names]
            update[kind] = round(sum(each.count for each in some))
            update[moved] = round(sum(each.bytes for each in some))
        return of_all.model_copy(update=update) if self._calls else of_all

    def estimate(self, seen: Seen) -> Estimate:
        """What was seen, by program."""
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
        return Estimate(groups, {}, [], exact=True)

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
        try:
            for call in strace.completed(self._lines()):
                self._count(call)
        finally:
            os.close(self._source)

    def _lines(self) -> Iterator[str]:
        """What strace writes, until nobody can write any more. Descendants that stay hold the pipe
        open, so after the end of the command a silence is an end, too.
        """
        waiting, rest = select.poll(), b""
        waiting.register(self._source, select.POLLIN)
        while True:
            if not waiting.poll(_SILENCE * 1000):
                if self._command_ended.is_set():
                    return
                continue
            part = os.read(self._source, 1 << 16)
            if not part:
                return
            *lines, rest = (rest + part).split(b"\n")
            yield from (each.decode("ascii", "replace") for each in lines)

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
