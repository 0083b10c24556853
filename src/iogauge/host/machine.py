"""What else the machine does around a sample, and a fixed piece of work (the canary) whose time
shows how fast the machine is at that moment.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import statistics
import time
from dataclasses import dataclass

from iogauge.host.evidence import gained, numbered, value
from iogauge.model.figures import counters

_COUNTERS = counters("machine")
_HASHED, _COPIED, _REPEATS = 256 << 10, 4 << 20, 3
_LONGEST = 1 << 20  # bytes of /proc/stat: a line per processor and a word per interrupt


@dataclass(frozen=True)
class MachineActivity:
    """What all processors have done since the machine started, and `running`: how many threads run
    or wait for a processor.

    `counts` are by the names in model/figures.py, with a resolution of 10 ms: `busy_ns` is the time
    of user, nice, system, irq and softirq; `steal_ns` is time that the hypervisor gave to others
    while this machine wanted it. `own_ns` is the processor time of this process.
    """

    counts: dict[str, int | None]
    own_ns: int
    running: int


def since(
    before: MachineActivity | None, after: MachineActivity | None
) -> dict[str, int | None] | None:
    """The differences of the counters, and `running` at first. None if one of both is missing.

    `busy_ns` and `running` do not count iogauge itself.
    """
    if before is None or after is None:
        return None
    counts = gained(_COUNTERS, after.counts, before.counts)
    if (busy := counts["busy_ns"]) is not None:
        counts["busy_ns"] = busy - (after.own_ns - before.own_ns)
    return {**counts, "running": max(0, before.running - 1)}


class MachineCounters:
    """Watches the machine. Close it to release its descriptor."""

    def __init__(self) -> None:
        self._file: int | None = None
        with contextlib.suppress(OSError):
            self._file = os.open("/proc/stat", os.O_RDONLY)
        # Not zeros: a kernel may keep them in one page.
        self._source = memoryview(bytes(range(256)) * (_COPIED // 256))
        self._target = memoryview(bytearray(_COPIED))
        self.canary()  # the first canary touches the memory

    def read(self) -> MachineActivity | None:
        """The figures now; None if the kernel does not provide them."""
        text = os.pread(self._file, _LONGEST, 0) if self._file is not None else b""
        first, _, rest = text.partition(b"\n")
        fields = numbered(first.decode("ascii").split()[1:])
        counts = {each.name: value(each, fields) for each in _COUNTERS}
        running = rest.rpartition(b"procs_running ")[2].split(b"\n")[0]
        if None in counts.values() or not running.isdigit():
            return None
        return MachineActivity(counts, time.process_time_ns(), int(running))

    def canary(self) -> dict[str, int]:
        """The time of fixed work in ns, each the median of three.

        `compute_ns` is for hashing 256 KiB (the processor alone), `memory_ns` for copying 4 MiB.
        """
        hashing, copying = [], []
        for _ in range(_REPEATS):
            start = time.perf_counter_ns()
            hashlib.sha256(self._source[:_HASHED]).digest()
            middle = time.perf_counter_ns()
            self._target[:] = self._source
            hashing.append(middle - start)
            copying.append(time.perf_counter_ns() - middle)
        return {
            "compute_ns": statistics.median_low(hashing),
            "memory_ns": statistics.median_low(copying),
        }

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
