"""Rows of a file of values with commas between them. Any text is one where quotes mean nothing."""

import csv
import sys

from harness.strategy import TEXTS, Strategy


def _open(setup):
    def counting(path):
        count = 0
        with open(path, encoding="utf-8", newline="") as file:
            for _ in csv.reader(file, quoting=csv.QUOTE_NONE):
                count += 1
        return count, 0

    def measuring(path):
        count = total = 0
        with open(path, encoding="utf-8", newline="") as file:
            for row in csv.reader(file, quoting=csv.QUOTE_NONE):
                count += 1
                if row:  # the commas are of the line, too
                    total += sum(map(len, row)) + len(row) - 1
        return count, total

    return measuring if setup.consume == "sum" else counting


STRATEGIES = [
    Strategy(
        name="python/csv-reader",
        title="csv.reader(open(path, newline='')), without quotes",
        call="csv.reader",
        unit="line",
        sums="line-codepoint",
        consumes=TEXTS,
        trips_on=("lone-cr",) if sys.version_info >= (3, 11) else ("lone-cr", "nul"),
        open=_open,
    )
]
