"""Is a planted difference found, and how soon?

The same read, with 2, 5 or 10 % of the time added by reading some bytes twice.

    python benchmarks/power.py [--cycles 20] [--ours]

First it calibrates how many bytes make so much of the time. A cycle plants 5 % and 10 % among two
cases, once in Go and once in Java; every fourth cycle also plants 2 %, and 5 % among eight cases
(in Go 10 % too). Other tools get the same code: hyperfine, benchstat and JMH. hyperfine sees whole
processes, so a JVM's start is in its times, and the difference that it should find is smaller.
`--ours` leaves out these tools, and groups of eight. A stopped run goes on where it was.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from ledger import Ledger, arguments, measured, percent, scratch, share
from peers import planted, verdicts, works

from iogauge.analysis import judging
from iogauge.analysis.data import GroupData, all_data
from iogauge.runfile.run import Run
from iogauge.runners import manifest
from iogauge.statistics import intervals, paired

SIZE = 4 << 20
FEW = 6  # replicates: about as many as a minute of `quick` brings
BLOCK = 8192
PLANTED = (0.02, 0.05, 0.10)
CALIBRATING_RUNS = 6
KNOWN = 0.5  # the least that a calibration's lower bound may be of its centre
STRATEGY = {"java": "java/planted-read", "go": "go/planted-read"}
GROUPS = (
    *((language, 2, share) for language in STRATEGY for share in PLANTED),
    ("java", 8, 0.05),
    ("go", 8, 0.05),
    ("go", 8, 0.10),
)
# cycles: a group of eight cases takes up to five minutes, and the budget ends before 2 % are found
SELDOM_EVERY = 4
PEERS = (("hyperfine", "java"), ("hyperfine", "go"), ("benchstat", "go"), ("jmh", "java"))


def study(language: str, cases: int, extra: int) -> str:
    """One case with the planted difference, the others alike: their labels do nothing."""
    row = f'[[group.case]]\nstrategy = "{STRATEGY[language]}"\nparameters = '
    alike = row + f"{{ block = {BLOCK}, extra = 0, label = {list(range(cases - 1))} }}\n"
    slower = row + f"{{ block = {BLOCK}, extra = {extra}, label = 0 }}\n"
    # Each difference is asked for, also one that is good enough.
    asked = 'tolerance = "1%"\nbudget = "2m"\n'
    head = f'id = "planted"\ntitle = "A planted difference"\n{asked}\n[[group]]\nid = "planted"\nquestion = "Is it found?"\n'
    return f'{head}compare = "all"\nsize = {SIZE}\ncache = "warm"\n\n{alike}\n{slower}'


def calibration(language: str, folder: Path) -> dict[str, Any]:
    """What share of the time the whole file, read once more, takes: from a quarter of it, over the
    replicates of several runs, since each ends once it is found.
    """
    ratios, seconds = [], 0.0
    for seed in range(CALIBRATING_RUNS):
        run = measured(study(language, 2, SIZE // 4), folder, seed=seed)
        (data,) = all_data(run)
        ratios.append(paired.paired_log_ratios(data.log_ns, planted_column(run, data), 0, None))
        seconds += run.seconds
    over = intervals.interval(np.concatenate(ratios), 0.05)
    whole, *bounds = (4 * math.expm1(each) for each in (over.center, over.lo, over.hi))
    if bounds[0] < KNOWN * whole:
        raise SystemExit(
            f"the file read once more takes {whole:.2f} ({bounds[0]:.2f} to {bounds[1]:.2f}) of its time in {language}: too little known to plant"
        )
    return {
        "tool": "calibration",
        "language": language,
        "whole": whole,
        "bounds": bounds,
        "replicates": over.n,
        "seconds": seconds,
    }


def extra_bytes(ledger: Ledger, language: str, planted_share: float) -> int:
    return (
        round(SIZE * planted_share / ledger.results[f"calibration/{language}"]["whole"] / BLOCK)
        * BLOCK
    )


def planted_column(run: Run, data: GroupData) -> int:
    return next(
        place
        for place, case in enumerate(data.group.cases)
        if run.plan.cases[case].parameters["extra"]
    )


def ours(
    language: str, cases: int, planted_share: float, extra: int, folder: Path, seed: int
) -> dict[str, Any]:
    began = time.monotonic()
    run = measured(study(language, cases, extra), folder, seed=seed)
    seconds = time.monotonic() - began
    (data,) = all_data(run)
    judged = judging.decided(run, data, last=True)
    column = planted_column(run, data)
    found = judged.versus_baseline[column]
    control = data.column(data.group.control)
    every = (*judged.versus_baseline, *judged.versus_best, *judged.versus_overall.values())
    claims = {
        (each.case, each.reference, each.outcome)
        for each in every
        if each and each.outcome in ("faster", "slower") and each.case != control
    }
    right = {(column, each, "slower") for each in range(len(data.group.cases))} | {
        (each, column, "faster") for each in range(len(data.group.cases))
    }
    return {
        "tool": "iogauge",
        "language": language,
        "cases": cases,
        "planted": planted_share,
        "seconds": round(seconds, 1),
        "replicates": judged.replicates,
        "suspended": judged.suspended,
        "found": found.outcome == "slower",
        "found_early": _found_early(run, data, column),
        "same": found.outcome == "same",
        "wrong": bool(claims - right),
        "ratio": [math.log(each) for each in (found.center, found.lo, found.hi)],
    }


def _found_early(run: Run, data: GroupData, column: int) -> bool:
    """Whether the first few replicates alone call this column slower."""
    early = judging.decided(run, replace(data, log_ns=data.log_ns[:FEW]), last=True)
    found = early.versus_baseline[column]
    return found is not None and found.outcome == "slower"


def theirs(
    tool: str, language: str, planted_share: float, extra: int, folder: Path
) -> dict[str, Any]:
    made = [
        works.make(
            STRATEGY[language], SIZE, folder, parameters={"block": BLOCK, "extra": more, "label": 0}
        )
        for more in (0, extra)
    ]
    began = time.monotonic()
    found = verdicts.of(tool, *made)
    return {
        **found,
        "language": language,
        "planted": planted_share,
        "seconds": round(time.monotonic() - began, 1),
    }


def cycle(number: int, ledger: Ledger, folder: Path, only_ours: bool) -> None:
    for place, (language, cases, planted_share) in enumerate(GROUPS):
        key, extra = (
            f"{number}/{language}, {cases} cases, {planted_share:.0%}",
            extra_bytes(ledger, language, planted_share),
        )
        seldom = cases > 2 or planted_share < 0.05
        if not (seldom and number % SELDOM_EVERY or cases > 2 and only_ours):
            done(
                ledger.do(
                    key,
                    lambda: ours(
                        language,  # noqa: B023
                        cases,  # noqa: B023
                        planted_share,  # noqa: B023
                        extra,  # noqa: B023
                        folder,
                        seed=1000 * number + place,  # noqa: B023
                    ),
                )
            )
        tool, spoken = PEERS[place % len(PEERS)]
        for planted_too in PLANTED if place < len(PEERS) and not only_ours else ():
            key, extra = (
                f"{number}/{tool} {spoken} {planted_too:.0%}",
                extra_bytes(ledger, spoken, planted_too),
            )
            done(ledger.do(key, lambda: theirs(tool, spoken, planted_too, extra, folder)))  # noqa: B023


def done(result: dict[str, Any]) -> None:
    print(f"{result['key']}: {result['seconds']} s", file=sys.stderr, flush=True)


def report(ledger: Ledger) -> None:
    every = list(ledger.results.values())
    for each in every:
        if each["tool"] == "calibration":
            low, high = (bound / each["whole"] - 1 for bound in each["bounds"])
            print(
                f"What is planted in {each['language']} is known to {low:+.1%}, {high:+.1%} of it (95 %, {each['replicates']} replicates)."
            )
    print(
        f"\n| tool | planted | found | after {FEW} replicates | the same within 3 % | a wrong claim | seconds, median | its ratio, median over all tries |"
    )
    print("|---|---|---|---|---|---|---|---|")
    groups = [each for each in every if each["tool"] == "iogauge"]
    for language, cases, planted_share in GROUPS:
        some = [
            each
            for each in groups
            if (each["language"], each["cases"], each["planted"])
            == (language, cases, planted_share)
        ]
        if some:
            replicates = statistics.median(each["replicates"] for each in some)
            row(
                f"iogauge, {language}, {cases} cases ({replicates:.0f} replicates)",
                planted_share,
                some,
                [each["ratio"][0] for each in some],
                "found",
                "wrong",
            )
    for tool, language in PEERS:
        for test in verdicts.TESTS[tool]:
            for planted_share in PLANTED:
                some = [
                    each
                    for each in every
                    if (each["tool"], each["language"], each.get("planted"))
                    == (tool, language, planted_share)
                ]
                counted = [
                    {
                        **each,
                        "right": each[test] and each["difference"] > 0,
                        "off": each[test] and each["difference"] < 0,
                    }
                    for each in some
                ]
                if some:
                    row(
                        f"{tool}, {language}, {test}",
                        planted_share,
                        counted,
                        [each["difference"] for each in some],
                        "right",
                        "off",
                    )


def row(
    name: str,
    planted_share: float,
    some: list[dict[str, Any]],
    ratios: list[float],
    right: str,
    wrong: str,
) -> None:
    found, off = (sum(bool(each[key]) for each in some) for key in (right, wrong))
    seconds = statistics.median(each["seconds"] for each in some)
    same = sum(each["same"] for each in some) if "same" in some[0] else "–"
    early = sum(each["found_early"] for each in some) if "found_early" in some[0] else "–"
    print(
        f"| {name} | {planted_share:.0%} | {share(found, len(some))} | {early} | {same} | {off} | {seconds:.0f} | {percent(statistics.median(ratios))} |"
    )


def main() -> None:
    parser = arguments(__doc__, "power")
    parser.add_argument("--cycles", type=int, default=20)
    parser.add_argument(
        "--ours", action="store_true", help="measure with iogauge alone, two cases at a time"
    )
    given = parser.parse_args()
    ledger = Ledger(given.ledger)
    if not given.print:
        every = manifest.all_runners
        manifest.all_runners = planted.runners  # copies of the runners, with one strategy more
        try:
            with scratch() as folder:
                for language in STRATEGY:
                    done(
                        ledger.do(f"calibration/{language}", lambda: calibration(language, folder))  # noqa: B023
                    )  # noqa: B023
                for number in range(given.cycles):
                    cycle(number, ledger, folder, given.ours)
        finally:
            manifest.all_runners = every
    report(ledger)
    print("\n" + ledger.versions())


if __name__ == "__main__":
    main()
