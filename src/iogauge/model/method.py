"""The method: every constant of measuring, as data.

A run's header holds the method it was measured by. Replicates may be pooled only where it is the
same, so a benchmark varies a method instead of patching a module.
"""

from __future__ import annotations

import hashlib

from iogauge.model.noun import Noun


class Method(Noun):
    """How the protocols measure. Each comment begins with the unit of the value."""

    # A warm sample.

    # s: Length of a warm sample: far above what the clock and the request cost, and short enough
    # for many rounds.
    warm_sample: float = 0.008
    # spans: Spans of a warm sample: their series shows whether the fork is steady.
    warm_spans: int = 4
    # s: Untimed operations before a warm sample: a fork that idled is half slower in its first
    # millisecond, and 1 to 3 % slower after 8 ms.
    prelude: float = 0.008
    # s: The same before reads through a mapping: after a rest they were still 4 to 12 % slower
    # after 8 ms on one machine.
    prelude_mapped: float = 0.040
    # s: So long after its request a thread that measures is moved to the processor on which the
    # first sample of the replicate ran; 0: it is not, as in older run files.
    placed_after: float = 0.0
    # collections: The prelude of an allocating case goes on until so many collections have run,
    prelude_collections: int = 8
    # s: but takes at least so long, or as long as its runtime needs to be steady after a rest,
    prelude_collected: float = 0.030
    # s: and at most so long.
    longest_prelude: float = 0.060
    # collections: A sample of an allocating case spans so many garbage collections. With fewer,
    # their cost falls on some samples only.
    collections_per_sample: int = 5
    # s: No sample of an allocating case is made longer than this.
    longest_allocating: float = 0.1
    # of a span: Two readings of the clock may take this share of a span.
    most_clock_share: float = 0.005
    # s: A case with longer samples takes part in proportionally fewer rounds,
    long_sample: float = 0.032
    # rounds: but in at least so many: the median of three stands one that was disturbed.
    fewest_rounds: int = 3
    # times: Where only the best matters, a case that is so many times slower than the fastest
    # takes part in proportionally fewer rounds. It costs most of the time, and how far behind it is
    # need not be known well. The fastest span of its first fork decides: a disturbed one does not.
    behind: float = 1.5
    # rounds: That is at least so many. Of two, a disturbed sample is half, and a group takes up to
    # half as many replicates again.
    fewest_behind: int = 3
    # times: A sample that lasts so many times as long as planned, or as short, is sized anew.
    most_of_plan: float = 1.5
    # times: A case so many times slower than the fastest gets one sample per replicate.
    slow: float = 10.0
    # s: A call of code of the user's that takes longer is measured once per replicate: three rounds
    # bring less than a further replicate, whose forks start in less time than a round takes.
    long_call: float = 0.5

    # A durable sample: operations that wait for the device.

    # s: Length of a durable sample. Each operation is timed alone, because the slowest matter.
    durable_sample: float = 0.020
    most_durable: int = 100  # operations: A durable sample has at most so many.
    # bytes: A sample leaves at most so much to be written, and its prelude as much again: far below
    # where the system begins to write back by itself.
    most_dirty: int = 64 << 20
    # files: A sample writes at most so many, and its prelude as many: a request names them all.
    most_files: int = 256
    # bytes: A file that grows from sample to sample begins anew beyond this length.
    grown_most: int = 1 << 30

    # Warming up a fork, and looking at it alone.

    warm_up_span: float = 0.010  # s: Length of the spans of warming up.
    most_spans: int = 50  # spans: A request asks for at most so many.
    most_warm_up_requests: int = 100  # requests: A fork is warmed up on a task by at most so many.
    later_warm_up: float = 0.06  # s: Warm-up on every further task of a fork.
    # s: A fork whose runtime says when its code is compiled is warmed up for at least so long,
    least_warm_up: float = 0.08
    # s: is looked at after each so long,
    warm_up_step: float = 0.03
    # s: and makes all its calls where they take no longer than this.
    quick_calls: float = 0.3
    # times: Its spans are level if the last third of them is not faster by more,
    level_ratio: float = 1.05
    # of the time: and if its threads that compile took no more than this share of it.
    busy_beside: float = 0.05
    # s: A longer operation is a span by itself, and having idled does not matter to it.
    longest_short_operation: float = 0.100
    # s: A first operation up to this length may have been long only because it was the first.
    longest_first: float = 2.0
    alone_spans: int = 3  # spans: Spans in which a warmed-up fork is looked at alone.
    alone_span: float = 0.004  # s: Length of each of them.
    # times: A fork whose spans alone get faster by more than this is not steady yet.
    steady_ratio: float = 1.10
    start_timeout: float = 60.0  # s: A fork must answer its first request in this time,
    answer_timeout: float = 120.0  # s: and any other in this.

    # The harness's own cost.

    # operations: Empty operations in a span that measures the harness.
    null_operations: int = 100_000
    null_spans: int = 20  # spans: Spans that measure the harness.
    # requests: Requests of empty operations, the last of which is the one that counts.
    null_warm_ups: int = 3
    # requests: Requests after these, with their calls counted: of so many, the middle half shows
    # what a request costs even where a runtime makes a call of its own during a few of them.
    null_requests: int = 16

    # Ceilings and compute-only variants: auxiliary, measured with the cases.

    # replicates: The ceiling of a group is measured in its first so many replicates.
    ceiling_replicates: int = 3
    ceiling_samples: int = 3  # samples: Samples of each candidate in a replicate.
    # replicates: While a case seems to be above its ceiling, it is measured in so many.
    most_ceiling_replicates: int = 8
    # of the time: Where a case may be above its ceiling, more is measured while ceilings took less
    # of the time than this.
    ceiling_share: float = 0.1
    # s: A ceiling that an earlier run measured is not measured again for so long,
    ceiling_kept: float = 86_400.0
    # s: or for so long where a device is waited for: it may be shared,
    ceiling_kept_waiting: float = 3600.0
    # times: unless fixed work takes so many times as long as it did then, or as short.
    ceiling_pace: float = 1.1
    # times: A candidate that is slower than the best so far by more is dropped.
    promising: float = 1.3
    most_promising: int = 3  # candidates: At most so many are measured again.
    # times: The same bound where a device is waited for: one replicate says little there.
    promising_waiting: float = 3.0
    # replicates: Compute-only variants are measured in the first so many: their share need not be
    # known to the percent.
    compute_only_replicates: int = 1
    compute_only_warm_up: float = 0.05  # s: Warm-up of a compute-only variant.
    compute_only_spans: int = 3  # spans: Spans of a compute-only variant.
    compute_only_span: float = 0.010  # s: Length of each of them.
    # bytes: A compute-only variant works on at most so many: a loop that has just read its data
    # finds them in the processor's cache, too.
    compute_only_bytes: int = 1 << 20

    # The budget.

    # times the budget: Up to its third replicate a question may go on for so long: with fewer
    # nothing is decided.
    longest_overrun: float = 1.2

    # The published protocol.

    # repetitions: A published procedure is repeated so often: how much the repetitions differ shows
    # how far it can be trusted.
    fewest_repetitions: int = 3
    most_repetitions: int = 5  # repetitions: It is repeated no more often than this.
    shortest_iteration: float = 0.05  # s: An iteration is no shorter, however small the budget.
    most_untimed: int = 50_000  # operations: Untimed operations in one request.

    @property
    def hash(self) -> str:
        """Twelve hexadecimal digits that change with any constant."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:12]


METHOD = Method(placed_after=0.001)
"""What iogauge measures by, unless a benchmark varies it."""
