"""The method: every constant of measuring, as data.

A run's header holds the method it was measured by. Replicates may be pooled only where it is the
same, so a benchmark varies a method instead of patching a module.
"""

from __future__ import annotations

import hashlib
from typing import Any

from pydantic import Field

from iogauge.model.noun import Noun


def _constant(value: float, unit: str, why: str) -> Any:
    """A field with its value, its unit (a count has the name of what is counted), and the reason
    for the value.
    """
    return Field(default=value, description=why, json_schema_extra={"unit": unit})


class Method(Noun):
    """How the sound protocol measures, and what the published one adds. Times are in seconds."""

    # A warm sample.
    warm_sample: float = _constant(
        0.008,
        "s",
        "Length of a warm sample: far above what the clock and the request cost, and short enough"
        " for many rounds.",
    )
    warm_spans: int = _constant(
        4, "spans", "Spans of a warm sample: their series shows whether the fork is steady."
    )
    prelude: float = _constant(
        0.008,
        "s",
        "Untimed operations before a warm sample: a fork that idled is half slower in its first"
        " millisecond, and 1 to 3 % slower after 8 ms.",
    )
    prelude_mapped: float = _constant(
        0.040,
        "s",
        "The same before reads through a mapping: after a rest they were still 4 to 12 % slower"
        " after 8 ms on one machine.",
    )
    prelude_collected: float = _constant(
        0.100,
        "s",
        "The same for a case that allocates memory while a garbage collector runs: in Go it is"
        " some 30 % slower from the 17th to the 64th millisecond after a rest, and often longer.",
    )
    prelude_collections: int = _constant(
        8,
        "collections",
        "The prelude of an allocating case goes on until so many collections have run.",
    )
    collections_per_sample: int = _constant(
        5,
        "collections",
        "A sample of an allocating case spans so many garbage collections. With fewer, their cost"
        " falls on some samples only.",
    )
    longest_allocating: float = _constant(
        0.2, "s", "No sample and no prelude of an allocating case is made longer than this."
    )
    most_clock_share: float = _constant(
        0.005, "of a span", "Two readings of the clock may take this share of a span."
    )
    long_sample: float = _constant(
        0.032, "s", "A case with longer samples takes part in proportionally fewer rounds,"
    )
    fewest_rounds: int = _constant(
        3, "rounds", "but in at least so many: the median of three stands one that was disturbed."
    )
    behind: float = _constant(
        1.5,
        "times",
        "Where only the best is asked for, a case that is so many times slower than the fastest"
        " takes part in proportionally fewer rounds. It costs most of the time, and how far behind"
        " it is need not be known well. The fastest span of its first fork decides: a disturbed one"
        " does not.",
    )
    fewest_behind: int = _constant(
        3,
        "rounds",
        "That is at least so many. Of two, a disturbed sample is half, and a group takes up to half"
        " as many replicates again.",
    )
    slow: float = _constant(
        10.0, "times", "A case so many times slower than the fastest gets one sample per replicate."
    )

    # A durable sample: operations that wait for the device.
    durable_sample: float = _constant(
        0.020,
        "s",
        "Length of a durable sample. Each operation is timed alone, because the slowest matter.",
    )
    most_durable: int = _constant(100, "operations", "A durable sample has at most so many.")
    most_dirty: int = _constant(
        64 << 20,
        "bytes",
        "A sample leaves at most so much to be written, and its prelude as much again: far below"
        " where the system begins to write back by itself.",
    )
    most_files: int = _constant(
        256,
        "files",
        "A sample writes at most so many, and its prelude as many: a request names them all.",
    )
    grown_most: int = _constant(
        1 << 30, "bytes", "A file that grows from sample to sample begins anew beyond this length."
    )

    # Warming up a fork, and looking at it alone.
    warm_up_span: float = _constant(0.010, "s", "Length of the spans of warming up.")
    most_spans: int = _constant(50, "spans", "A request asks for at most so many.")
    most_warm_up_requests: int = _constant(
        100, "requests", "A fork is warmed up on a task by at most so many."
    )
    later_warm_up: float = _constant(0.06, "s", "Warm-up on every further task of a fork.")
    longest_short_operation: float = _constant(
        0.100,
        "s",
        "A longer operation is a span by itself, and having idled does not matter to it.",
    )
    longest_first: float = _constant(
        2.0,
        "s",
        "A first operation up to this length may have been long only because it was the first.",
    )
    alone_spans: int = _constant(3, "spans", "Spans in which a warmed-up fork is looked at alone.")
    alone_span: float = _constant(0.004, "s", "Length of each of them.")
    steady_ratio: float = _constant(
        1.10, "times", "A fork whose spans alone get faster by more than this is not steady yet."
    )
    start_timeout: float = _constant(
        60.0, "s", "A fork must answer its first request in this time,"
    )
    answer_timeout: float = _constant(120.0, "s", "and any other in this.")

    # The harness's own cost.
    null_operations: int = _constant(
        100_000, "operations", "Empty operations in a span that measures the harness."
    )
    null_spans: int = _constant(20, "spans", "Spans that measure the harness.")
    null_warm_ups: int = _constant(
        3, "requests", "Requests of empty operations, the last of which is the one that counts."
    )
    null_requests: int = _constant(
        16,
        "requests",
        "Requests after these, with their calls counted: of so many, the middle half shows what"
        " a request costs even where a runtime makes a call of its own during a few of them.",
    )

    # Ceilings and compute-only variants, measured beside the cases.
    ceiling_replicates: int = _constant(
        3, "replicates", "The ceiling of a group is measured in its first so many replicates."
    )
    ceiling_samples: int = _constant(3, "samples", "Samples of each candidate in a replicate.")
    most_ceiling_replicates: int = _constant(
        8, "replicates", "While a case seems to be above its ceiling, it is measured in so many."
    )
    ceiling_share: float = _constant(
        0.1,
        "of the time",
        "Where a case may be above its ceiling, more is measured while ceilings took less of the"
        " time than this.",
    )
    ceiling_kept: float = _constant(
        86_400.0, "s", "A ceiling that an earlier run measured is not measured again for so long,"
    )
    ceiling_kept_waiting: float = _constant(
        3600.0, "s", "or for so long where a device is waited for: it may be shared,"
    )
    ceiling_pace: float = _constant(
        1.1, "times", "unless fixed work takes so many times as long as it did then, or as short."
    )
    promising: float = _constant(
        1.3, "times", "A candidate that is slower than the best so far by more is dropped."
    )
    most_promising: int = _constant(3, "candidates", "At most so many are measured again.")
    promising_waiting: float = _constant(
        3.0,
        "times",
        "The same bound where a device is waited for: one replicate says little there.",
    )
    compute_only_replicates: int = _constant(
        3,
        "replicates",
        "Compute-only variants are measured in the first so many: their share need not be known to"
        " the percent.",
    )
    compute_only_warm_up: float = _constant(0.05, "s", "Warm-up of a compute-only variant.")
    compute_only_spans: int = _constant(3, "spans", "Spans of a compute-only variant.")
    compute_only_span: float = _constant(0.010, "s", "Length of each of them.")
    compute_only_bytes: int = _constant(
        1 << 20,
        "bytes",
        "A compute-only variant works on at most so many: a loop that has just read its data finds"
        " them in the processor's cache, too.",
    )

    # The budget.
    longest_overrun: float = _constant(
        1.2,
        "times the budget",
        "Up to its third replicate a question may go on for so long: with fewer nothing is"
        " decided.",
    )

    # The published protocol.
    fewest_repetitions: int = _constant(
        3,
        "repetitions",
        "A published procedure is repeated so often: how much the repetitions"
        " differ shows how far it can be trusted.",
    )
    most_repetitions: int = _constant(5, "repetitions", "It is repeated no more often than this.")
    shortest_iteration: float = _constant(
        0.05, "s", "An iteration is no shorter, however small the budget."
    )
    most_untimed: int = _constant(50_000, "operations", "Untimed operations in one request.")

    @property
    def hash(self) -> str:
        """Twelve hexadecimal digits that change with any constant."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:12]


METHOD = Method()
"""What iogauge measures by, unless a benchmark varies it."""
