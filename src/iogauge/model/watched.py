"""What `iogauge watch` saw of a program and what a change would save, as its record keeps it; and
what calls for files cost on a machine.

Times are in seconds where a name says no other unit, sizes in bytes. What the kernel does not tell
is None. Files are named by the last part of their path, and nothing holds arguments of commands.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Literal

from iogauge.model.noun import Noun

READS = frozenset({"read", "pread64", "readv", "preadv", "preadv2"})
WRITES = frozenset({"write", "pwrite64", "writev", "pwritev", "pwritev2"})
COPIES = frozenset({"sendfile", "copy_file_range"})
"""Counted by the kernel among both."""
SYNCS = frozenset({"fsync", "fdatasync", "syncfs", "sync", "sync_file_range", "msync"})
"""Calls by their names, which wait for a device."""
SHORTEST = 0.05
"""Seconds: a run that is shorter has nothing to gain."""

Target = Literal["file", "null", "pipe", "socket", "terminal", "device", "kernel", "unknown"]
"""Where a call goes. `kernel`: files of /proc and /sys, timers, events; `null`: /dev/null."""

FindingKind = Literal[
    "small-reads",
    "small-writes",
    "lines-by-shell",
    "opened-again",
    "read-again",
    "synced",
    "locked-bytes",
    "unpacking",
    "mapped-small-folios",
]
"""lines-by-shell: a shell that reads a file line by line; opened-again: one file opened many times;
read-again: the same file read many times; synced: made durable after each record; locked-bytes:
single bytes or characters, each through a lock; unpacking: gzip on the thread that uses the data;
mapped-small-folios: a mapping of a file that lies in the page cache in small folios, as small
writes and random reads leave it.
"""

Basis = Literal["two-ways", "constants", "waits", "stacks"]
"""What a saving follows from: both ways measured in the program's language; what calls cost on this
machine; how long the program was seen to wait; which share of looks found it in that work.
"""


class Span(Noun):
    """An estimate: the lower bound, the middle, and the upper bound."""

    low: float
    middle: float
    high: float

    def times(self, factor: float) -> Span:
        return Span(low=self.low * factor, middle=self.middle * factor, high=self.high * factor)

    def plus(self, other: Span) -> Span:
        """The sum, as if both erred in the same direction."""
        return Span(
            low=self.low + other.low,
            middle=self.middle + other.middle,
            high=self.high + other.high,
        )


class Amounts(Noun):
    """What processes did, as the kernel counts it: calls of the read and of the write family and
    their bytes, with those on sockets and pipes; bytes from and to devices; processor time; page
    faults; how often they waited.
    """

    read_calls: int | None = None
    write_calls: int | None = None
    read_bytes: int | None = None
    written_bytes: int | None = None
    device_read_bytes: int | None = None
    device_written_bytes: int | None = None
    user: float | None = None
    system: float | None = None
    minor_faults: int | None = None
    major_faults: int | None = None
    waits: int | None = None


class Marks(Noun):
    """How to see that a program is of a language: by the name of the program (patterns), by the
    beginning of a library's name that it has mapped, by a text that its compiler leaves in it.

    One that `runs` what it is told has options with `values`, others in front of `modules`, and
    some that stand for code on the command line (`inline`). What lies in a folder of the names in
    `installed` is not the user's own. `stacks` says who can tell its lines, `inside` is a pattern
    of functions, or of files, that belong to its library. With `compiling` it compiles while it
    runs. `locked` is a pattern of lines, and of what they call, that take single bytes or
    characters, each through a lock; `sources` are folders of a project that have its files.
    """

    language: str
    programs: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    runs: bool = False
    values: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    inline: tuple[str, ...] = ()
    installed: tuple[str, ...] = ()
    stacks: Literal["none", "interpreter", "machine", "calls"] = "none"
    inside: str = ""
    compiling: bool = False
    locked: str = ""
    sources: tuple[str, ...] = ()


class Program(Noun):
    """A program that ran, in one process or several. `script` is what an interpreter ran. `own`
    says whether its source is likely the user's: no program of the system, no installed package.
    """

    name: str  # python3
    language: str | None = None  # python
    version: str | None = None
    script: str | None = None  # convert.py
    own: bool = False
    processes: int = 1
    unseen: str | None = None  # why its calls could not be looked at


class Calls(Noun):
    """Calls of one kind by one program on one file: how many, estimated from windows and the
    account of the kernel, and how many of them were `seen`. `size` is the median of what a call
    moved, `sizes` has counts by the largest power of two that is not above it (0 for nothing).
    `took` is the mean of what strace saw calls take, of those that wait for a device.
    """

    program: int
    name: str  # pread64
    target: Target
    file: str
    count: float
    bytes: float
    failed: float = 0.0
    size: int = 0
    sizes: tuple[tuple[int, float], ...] = ()
    seen: int = 0
    took: float | None = None  # s


class Wait(Noun):
    """Time in which threads of a program waited inside a call, each thread for itself, and how many
    looks saw one at that.
    """

    program: int
    name: str  # fdatasync
    target: Target
    file: str
    seconds: float
    looks: int


class Moment(Noun):
    """A stretch of the run: what was done in it, and how its calls divide by size."""

    begins: float
    ends: float
    read_calls: float
    write_calls: float
    read_bytes: float
    written_bytes: float
    processor: float  # s
    waiting: float  # share of looks in which a thread waited for a file
    read_sizes: tuple[tuple[int, float], ...] = ()
    write_sizes: tuple[tuple[int, float], ...] = ()


class Place(Noun):
    """A line of source that makes calls, or works: in which share of the stacks that were seen."""

    program: int
    file: str  # convert.py
    line: int | None
    function: str
    text: str = ""  # of the line
    does: str = ""  # the call, or the library's function, that it was seen in
    share: float = 0.0
    stacks: int = 0


class Change(Noun):
    """What to write instead: in words, and as code."""

    text: str
    code: str = ""


class Finding(Noun):
    """Something that costs time, and the seconds of the run time that it would save to change it.

    `calls` of `size` bytes each, on `files` files of which `file` is one. Of opened-again, `calls`
    are opens of a file of `size` bytes; of read-again, they say how many times over it was read.
    Of mapped-small-folios, `calls` are page faults, `size` is that of most folios, and `bytes` are
    those that the faults mapped.
    With `at_least` the true saving is likely larger; with `about`, `calls` is an estimate.
    """

    kind: FindingKind
    program: int
    file: str
    calls: float
    size: float
    bytes: float
    saves: Span
    basis: Basis
    at_least: bool = False
    files: int = 1
    about: bool = False
    change: Change | None = None
    place: Place | None = None


class Cost(Noun):
    """What watching cost: processor time of the watcher and its helpers after their start, and time
    for which the program was stopped.
    """

    processor: float = 0.0
    stopped: float = 0.0
    looks: int = 0
    windows: int = 0


class Verified(Noun):
    """What another command saved, in seconds, over so many pairs of runs; what was promised; and
    whether that came true.
    """

    name: str
    pairs: int
    seconds: Span  # a run of the first command
    saved: Span
    promised: Span | None = None
    outcome: Literal["true", "false", "undecided"]


class Watched(Noun):
    """The record of a watch. `wall` is the run time of the command, or how long a process was
    watched; `status` that of the command, None of a process that was only visited. `left` names
    descendants that stayed; `unseen` has sentences on what could not be seen. Of a traced run,
    `untraced` is about what it takes without the trace: savings are judged by that.
    """

    iogauge: int = 1
    kind: Literal["watch"] = "watch"
    started: str  # 2026-11-28T14:22:06+00:00
    name: str  # python3 convert.py
    host: dict[str, str] = {}
    wall: float
    status: int | None = None
    visited: bool = False  # by --pid
    traced: bool = False
    untraced: float | None = None  # s
    total: Amounts
    programs: tuple[Program, ...] = ()
    calls: tuple[Calls, ...] = ()
    waits: tuple[Wait, ...] = ()
    moments: tuple[Moment, ...] = ()
    places: tuple[Place, ...] = ()
    in_calls: float | None = None  # s of processor time in calls for files, estimated
    waiting: float | None = None  # s of waiting in calls for files
    findings: tuple[Finding, ...] = ()
    no_advice: str | None = None  # why there is none, where something was found
    left: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    cost: Cost = Cost()
    verified: Verified | None = None

    @property
    def run_time(self) -> float:
        """Seconds that it takes when nobody traces it, of which savings are a part."""
        return self.wall if self.untraced is None else self.untraced


class TwoWays(Noun):
    """The question what a change saves in a language: `size` bytes per call, in a file of `length`
    bytes. `executable` is the runtime of the program itself, where it has one. Of opened-again,
    `appends` says that each time `size` bytes are written.
    """

    kind: FindingKind
    language: str
    size: int
    length: int
    executable: str | None = None
    appends: bool = False
    hint: str = ""  # a word that the stacks had, such as a class, to choose among several changes


class Difference(Noun):
    """The answer: by how many ns per byte of the file the slow way takes longer than the fast one,
    how many it takes itself, in how many replicates; and what to write instead.
    """

    slow: str  # what people call the way that the program uses
    fast: str
    ns_per_byte: Span
    slow_ns_per_byte: Span
    repeats: int
    change: Change


ConstantName = Literal[
    "read",
    "pread",
    "write",
    "null-write",
    "pipe-write",
    "open-close",
    "stat",
    "seek",
    "fsync",
    "fdatasync",
    "mapped-small",
    "mapped-large",
]
"""mapped-small, mapped-large: `size` bytes of a cached file are mapped, one byte of each page is
read, and they are unmapped; the file lies in folios of 4 KiB, and in large ones.
"""

PathName = Literal["cached-read", "cache-write", "device-read", "device-write"]
"""Where bytes come from or go to: out of the page cache; into it; a file that is not cached; to the
device, with an fsync at the end.
"""

Check = Literal["counted", "bandwidth", "sizes", "lengths", "halves", "device"]
"""A second way in which a constant was found to be right. counted: the kernel counted as many
calls; bandwidth: its bytes per second are not above what the path can do; sizes: other sizes agree;
lengths: twice as many calls took twice as long; halves: so did the second half of the measurement;
device: the device moved as many bytes.
"""

Why = Literal[
    "disturbed",
    "uncounted",
    "bandwidth",
    "sizes",
    "lengths",
    "halves",
    "varies",
    "device",
    "failed",
]
"""Why a constant is left out: the check that it does not pass; or too little of it was undisturbed;
or it varies too much; or it could not be measured, for a `reason`.
"""


class Constant(Noun):
    """What one call takes on this machine, in ns, and in which second ways that was checked."""

    name: ConstantName
    size: int | None = None  # bytes per call
    ns: Span
    checked: tuple[Check, ...] = ()


class PathRate(Noun):
    """What a path moves in large pieces, in bytes per second."""

    name: PathName
    bytes_per_s: Span
    checked: tuple[Check, ...] = ()


class LeftOut(Noun):
    """A constant, or the rate of a path, that is not known, and why."""

    name: ConstantName | PathName
    size: int | None = None
    why: Why
    reason: str = ""


class Constants(Noun):
    """The file numbers of a machine: of one folder's device and file system, and of one kernel.

    `canary_ns` and `canary_memory_ns` are what fixed work took then. `disturbed` is the share of
    the measurement that was not used, since others disturbed it.
    """

    measured: str  # when: 2026-11-28T14:22:06+00:00
    host: dict[str, str] = {}
    canary_ns: float
    canary_memory_ns: float | None = None
    calls: tuple[Constant, ...] = ()
    paths: tuple[PathRate, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    disturbed: float = 0.0

    def of(self, name: ConstantName, size: float = 0) -> Span | None:
        """What a call takes at a size, in ns, between the sizes that were measured; None where it
        is not known. Above the largest size, time grows with the bytes.
        """
        known = sorted((each for each in self.calls if each.name == name), key=_size)
        if not known:
            return None
        at = bisect_left([_size(each) for each in known], size)
        if at == 0:
            return known[0].ns
        below = known[at - 1]
        if at == len(known):
            return below.ns.times(size / _size(below)) if below.size else below.ns
        above = known[at]
        share = (size - _size(below)) / (_size(above) - _size(below))
        return below.ns.times(1 - share).plus(above.ns.times(share))

    def rate(self, name: PathName) -> Span | None:
        """Bytes per second of a path; None where that is not known."""
        return next((each.bytes_per_s for each in self.paths if each.name == name), None)


def _size(constant: Constant) -> int:
    return constant.size or 0
