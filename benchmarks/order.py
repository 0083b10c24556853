"""Does a result depend on what else a study measures, on the order of its cases, or on their names?

    python benchmarks/order.py [--rounds 6]

Measures the same pair alone, and among twelve cases in reverse order and under other names, in runs
that alternate. Prints the ratio of the pair in both, and the ratio of the two ratios. A stopped run
goes on where it was.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
from ledger import Ledger, arguments, measured, scratch

from iogauge.analysis.data import all_data
from iogauge.statistics import intervals, paired

PAIRS = {
    "java": (("java/file-input-stream", 8192), ("java/file-channel-heap", 8192)),
    "go": (("go/file-read", 8192), ("go/file-read", 32768)),
}
OTHERS = {
    "java": [
        (f"java/{name}", block)
        for name in ("file-input-stream", "file-channel-direct")
        for block in (1024, 4096, 16384, 65536, 262144)
    ],
    "go": [
        ("go/file-read", block)
        for block in (512, 1024, 2048, 4096, 16384, 65536, 131072, 262144, 524288, 1048576)
    ],
}
LABEL = {"java": "-Diogauge.label=zz", "go": "IOGAUGE_LABEL=zz"}
FEWEST = 5  # replicates of a run that is taken
SECONDS = {"alone": 25, "among twelve": 100}


def study(language: str, where: str) -> str:
    pair = PAIRS[language]
    cases, options = (
        (pair, "[]")
        if where == "alone"
        else ((*reversed(OTHERS[language]), *reversed(pair)), f'["{LABEL[language]}"]')
    )
    rows = "".join(
        f'\n[[group.case]]\nstrategy = "{strategy}"\nparameters = {{ block = {block} }}\noptions = {options}\n'
        for strategy, block in cases
    )
    return f'id = "order"\ntitle = "Order"\nbudget = {SECONDS[where]}\nprecision = "0.01%"\n\n[[group]]\nid = "order"\nquestion = "?"\nsize = "4M"\nto_the_end = true\n{rows}'


def ratios(language: str, where: str, folder: Path, seed: int) -> dict[str, Any]:
    """Log ratio of the pair in each replicate that has all cases."""
    run = measured(study(language, where), folder, seed=seed)
    (data,) = all_data(run)
    columns = [
        next(
            place
            for place, case in enumerate(data.group.cases)
            if (run.plan.cases[case].strategy, run.plan.cases[case].parameters["block"]) == each
            and not run.plan.cases[case].control
        )
        for each in PAIRS[language]
    ]
    whole = np.all(np.isfinite(data.log_ns).any(axis=1), axis=1)
    found = paired.paired_log_ratios(data.log_ns[whole], columns[1], columns[0], None)
    return {"language": language, "where": where, "ratios": found.tolist()}


def report(ledger: Ledger) -> None:
    """A run is one draw: its replicates share what outlives them."""
    print("| pair | where | runs (replicates) | ratio (95 %, over runs) |")
    print("|---|---|---|---|")
    for language, (a, b) in PAIRS.items():
        centers: dict[str, dict[str, float]] = {where: {} for where in SECONDS}  # by round
        counts = dict.fromkeys(SECONDS, 0)
        for key, each in ledger.results.items():
            if each["language"] == language and len(each["ratios"]) >= FEWEST:
                centers[each["where"]][key.partition("/")[0]] = intervals.interval(
                    each["ratios"], 0.05
                ).center
                counts[each["where"]] += len(each["ratios"])
        pair = f"{b[0]} {b[1]} / {a[0]} {a[1]}"
        for where, by_round in centers.items():
            print(
                f"| {pair} | {where} | {len(by_round)} ({counts[where]}) | {_shown(list(by_round.values()))} |"
            )
        alone, among = (centers[where] for where in SECONDS)
        both = [among[number] - alone[number] for number in alone if number in among]
        print(f"| | **ratio of the two** | {len(both)} | {_shown(both)} |")


def _shown(logs: list[float]) -> str:
    over = intervals.interval(logs, 0.05)
    return (
        f"{math.exp(over.center):.4f} ({math.exp(over.lo):.4f}–{math.exp(over.hi):.4f})"
        if over.n >= 3
        else "not known yet"
    )


def main() -> None:
    parser = arguments(__doc__, "order")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--language", choices=PAIRS, action="append", help="measure only its pair")
    given = parser.parse_args()
    ledger = Ledger(given.ledger)
    if not given.print:
        with scratch() as folder:
            for number in range(given.rounds):
                for language in given.language or PAIRS:
                    for where in SECONDS:
                        key = f"{number}/{language}/{where}"
                        ledger.do(key, lambda: ratios(language, where, folder, seed=number + 1))  # noqa: B023
                        print(key, file=sys.stderr, flush=True)
    report(ledger)
    print("\n" + ledger.versions())


if __name__ == "__main__":
    main()
