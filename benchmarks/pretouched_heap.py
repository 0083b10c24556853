"""How far do forks differ if the heap's memory is touched before anything runs, and if it is not?

For an operation of 2 µs in memory.

    python benchmarks/pretouched_heap.py [--budget 60s]

Prints for each setting the median over forks of ns per operation, their spread over the whole run
(which includes the machine's drift), and the spread between two forks measured side by side (which
does not). Needs a JDK with Maven.
"""

from __future__ import annotations

import argparse
import statistics
from collections import defaultdict
from math import log, sqrt

from ledger import counted, measured, scratch

from iogauge.model.units import parse_duration

STUDY = """
id = "pretouched-heap"
title = "42 kB into a ByteArrayOutputStream, at once"
budget = {}
precision = "0.1%"

[[group]]
id = "memory"
question = "What does untouched memory do to an operation of 2 µs?"
operation = "write"
medium = "memory"
size = 42000
content = "text-one-line"

[[group.case]]
strategy = "java/memory-byte-stream-write"

[[group.case]]
strategy = "java/memory-byte-stream-write"
options = ["-XX:-AlwaysPreTouch"]

# As large as a JVM makes it by itself on a machine with 16 GiB.
[[group.case]]
strategy = "java/memory-byte-stream-write"
options = ["-XX:-AlwaysPreTouch", "-Xms4g", "-Xmx4g", "-Xmn3g"]
"""


def spread(logs: list[float]) -> str:
    """Standard deviation, and by the median absolute deviation."""
    if len(logs) < 2:
        return "unknown"
    return f"{statistics.stdev(logs):.1%}, robust {1.4826 * statistics.median(map(abs, logs)):.1%}"


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--budget", default="60s")
    budget = parse_duration(arguments.parse_args().budget)
    with scratch() as folder:
        run = measured(STUDY.format(budget), folder, seed=1)
    spans: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    pairs: dict[int, dict[bool, list[float]]] = defaultdict(lambda: defaultdict(list))
    shares = []
    for sample in counted(run):
        case = run.plan.cases[sample.case]
        level = sample.ns[0] / sample.operations[0]
        spans[case.setting][sample.fork].append(level)
        if not case.options:
            pairs[sample.replicate][case.control].append(level)
        resolution = next(each.clock_resolution_ns for each in run.header.runtimes)
        shares.append(2 * resolution / sample.ns[0])
    for setting, forks in spans.items():
        levels = [statistics.median(values) for values in forks.values()]
        logs = [log(level / statistics.median(levels)) for level in levels]
        every = [value for values in forks.values() for value in values]
        print(
            f"{setting}: {len(levels)} forks, {statistics.median(levels):.0f} ns per operation; over the whole run SD {spread(logs)}, "
            f"slowest/fastest {max(levels) / min(levels):.2f}; single samples slowest/fastest {max(every) / min(every):.2f}"
        )
    both = [each for each in pairs.values() if len(each) == 2]
    ratios = [
        log(statistics.median(each[False]) / statistics.median(each[True])) / sqrt(2)
        for each in both
    ]
    print(
        f"between two forks of the same code in one replicate, pre-touched: SD per fork {spread(ratios)} ({len(both)} pairs)"
    )
    print(f"the clock's two readings are at most {max(shares):.5%} of a sample")


if __name__ == "__main__":
    main()
