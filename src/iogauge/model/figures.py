"""The one table of what is counted around a sample, and of the figures that are made of it.

A counter or a figure is declared here and nowhere else. What a sample records and its columns, the
evidence of a case, the `evidence` keys of the export, the metrics that claims may use, and the
table in docs/export-json.md follow from this one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from iogauge.model.units import count, duration, whole_share

Part = Literal["evidence", "machine", "device", "counters", "sample"]
"""The part of a sample's record that has the counter; `sample` is the record itself."""

Rule = Literal[
    "per operation",
    "per timed operation",
    "per sample",
    "per call",
    "mean",
    "median",
    "largest",
    "compute_only",
]
"""How a figure is made of the samples of a case.

`per operation`: the total over all operations, those of the prelude included, because the kernel
counts these too. `per timed operation`: over the operations of the spans that count, because a
runtime counts by span. `per sample`: over the samples. `per call`: over the total of another
counter. `mean`, `median`, `largest`: of the samples' values. `compute_only`: measured apart from
the samples.
"""


@dataclass(frozen=True)
class Counter:
    """`source` counts it, under `key`. The kernel counts in `factor` times the unit.

    Of a process: `source` is a file in /proc/PID, and `key` a key in it, or the numbers of fields
    that are added up where it has no keys, like `stat`: that of the process, and that of the
    children that it waited for, whose calls `io` has in it, too. (`task/*/status` are the context
    switches of all threads.) Of the device: `key` is the number of a field in its `stat` in /sys.
    Of all processors: the numbers of the fields behind `cpu` in /proc/stat that are added up.
    Numbers begin with 1. A runtime reports a counter by its name.
    """

    name: str
    part: Part
    source: str
    key: str = ""
    factor: Literal["", "ticks", "KiB", "sectors"] = ""
    level: bool = False  # the value after a sample is recorded, not what it gained meanwhile
    alone: bool = False  # without the children of the process


@dataclass(frozen=True)
class Figure:
    """`name` is the key in the export; a figure per call is divided by the counter `per`."""

    name: str
    unit: Literal["count", "bytes", "ns", "share"]
    rule: Rule
    says: str
    counter: Counter | None
    per: str = ""
    exported: bool = True
    claimed: bool = False  # a claim may name it as a metric


# A table: in each entry the figure, what it is, and the counter that it is made of.
FIGURES = (
    Figure("read_calls_per_op", "count", "per operation",
        "read calls, without those that read requests; null where these vary too much, or the "
        "kernel counted none of a strategy that reads a file (mapped memory, io_uring)",
        Counter("syscr", "evidence", "io", "syscr"), claimed=True),
    Figure("write_calls_per_op", "count", "per operation",
        "write calls, without those that write replies; null likewise",
        Counter("syscw", "evidence", "io", "syscw"), claimed=True),
    Figure("bytes_per_read_call", "bytes", "per call", "bytes that the process read by calls",
        Counter("rchar", "evidence", "io", "rchar"), per="syscr", claimed=True),
    Figure("bytes_per_write_call", "bytes", "per call", "bytes that the process wrote by calls",
        Counter("wchar", "evidence", "io", "wchar"), per="syscw", claimed=True),
    Figure("device_read_bytes_per_op", "bytes", "per operation",
        "bytes that the process had read from the device",
        Counter("read_bytes", "evidence", "io", "read_bytes"), claimed=True),
    Figure("device_write_bytes_per_op", "bytes", "per operation",
        "bytes written to the whole device, whoever wrote",
        Counter("written_bytes", "device", "the device", "7", "sectors")),
    Figure("device_writes_per_op", "count", "per operation",
        "requests to write that the whole device completed, whoever wrote",
        Counter("writes", "device", "the device", "5"), claimed=True),
    Figure("device_flushes_per_op", "count", "per operation",
        "requests to flush that the whole device completed",
        Counter("flushes", "device", "the device", "16")),
    Figure("dirtied_bytes_per_op", "bytes", "per operation",
        "bytes that the process dirtied in the page cache",
        Counter("write_bytes", "evidence", "io", "write_bytes")),
    Figure("resident_before", "share", "mean",
        "share of the file that was in the page cache before a sample",
        Counter("resident_before", "sample", "the page cache")),
    Figure("folio_bytes", "bytes", "median",
        "how large the folios were in which the file was cached before a sample: half of its bytes "
        "in folios of this size or smaller; null where that was not seen",
        Counter("folio_bytes", "sample", "the page cache")),
    Figure("user_ns_per_op", "ns", "per operation",
        "processor time in user mode; null where few clock ticks were counted",
        Counter("user_ns", "evidence", "stat", "14 16", "ticks"), claimed=True),
    Figure("system_ns_per_op", "ns", "per operation", "processor time in the kernel; null likewise",
        Counter("system_ns", "evidence", "stat", "15 17", "ticks"), claimed=True),
    Figure("minor_faults_per_op", "count", "per operation",
        "page faults that no device had to serve",
        Counter("minor_faults", "evidence", "stat", "10 11"), claimed=True),
    Figure("major_faults_per_op", "count", "per operation", "page faults that waited for a device",
        Counter("major_faults", "evidence", "stat", "12 13")),
    Figure("context_switches_per_op", "count", "per operation",
        "context switches of all threads of the process, voluntary or not",
        Counter("context_switches", "evidence", "task/*/status", "ctxt_switches", alone=True)),
    Figure("allocated_bytes_per_op", "bytes", "per timed operation",
        "bytes that the runtime allocated",
        Counter("allocated_bytes", "counters", "the runtime"), claimed=True),
    Figure("gc_ns_per_op", "ns", "per timed operation",
        "time that the runtime says its garbage collectors worked",
        Counter("gc_ns", "counters", "the runtime")),
    Figure("gc_count_per_sample", "count", "per sample", "garbage collections",
        Counter("gc_count", "counters", "the runtime"), exported=False, claimed=True),
    Figure("other_work_ns_per_op", "ns", "compute_only", "the part of an operation that is not I/O",
        None),
    Figure("peak_rss_bytes", "bytes", "largest",
        "the most memory that a process of the case had resident so far",
        Counter("peak_rss_bytes", "evidence", "status", "VmHWM", "KiB", level=True, alone=True)),
)  # fmt: skip

COUNTERS = (
    *(each.counter for each in FIGURES if each.counter and each.counter.part != "sample"),
    # Which nothing shows by case: they tell what disturbed a run.
    Counter("busy_ns", "machine", "all processors", "1 2 3 6 7", "ticks"),
    Counter("steal_ns", "machine", "all processors", "8", "ticks"),
)
"""What has a column of samples."""
LEVELS = tuple(each.name for each in COUNTERS if each.level)
NOT_OF_CHILDREN = tuple(each.name for each in COUNTERS if each.alone)


def counters(part: Part) -> tuple[Counter, ...]:
    """Those in this part of a sample's record."""
    return tuple(each for each in COUNTERS if each.part == part)


def names(part: Part) -> tuple[str, ...]:
    return tuple(each.name for each in counters(part))


EXPORTED = tuple(each.name for each in FIGURES if each.exported)
METRICS = tuple(each.name for each in FIGURES if each.claimed)
_TIMES = {"ns_per_op", *(each.name for each in FIGURES if each.unit == "ns")}


def in_unit(metric: str, value: float) -> str:
    """A figure that claims may name (`METRICS`, `ns_per_op` or `other_share`), with its unit."""
    if metric in _TIMES:
        return duration(value / 1e9)
    if metric != "other_share":
        return count(value)
    # The other work is measured alone, where it may take longer than inside the loop.
    return whole_share(value) if value < 1 else "about all"
