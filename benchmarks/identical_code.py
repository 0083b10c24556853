"""Is identical code called different?

Runs real groups through the whole tool, and the same code through the tools that people use today.

    python benchmarks/identical_code.py [--cycles 20] [--ours]

A cycle is twenty groups of ours (Java, Go, C, Python, Node; reads warm and cold, mapped, by lines;
writes, fsync; 2 and 8 cases; about 10 µs to 100 ms per operation). Between them, other tools measure the same code: hyperfine (10 runs, then
10), testing.B with benchstat (-count 10, then 10), JMH (5 iterations, then 5). `--ours` leaves
these out. A cycle takes some minutes. A stopped run goes on where it was.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from ledger import Ledger, arguments, measured, percent, scratch, share
from peers import verdicts, works

from iogauge.analysis import judging, report
from iogauge.analysis.data import GroupData, all_data
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.runfile.run import Run
from iogauge.statistics import paired

LABEL = {
    "java": "-Diogauge.label={}",
    "go": "IOGAUGE_LABEL={}",
    "c": "IOGAUGE_LABEL={}",
    "python": "-Xiogauge={}",
    "node": "--title=iogauge-{}",
}  # an option that nobody reads makes identical code another case


@dataclass(frozen=True)
class Kind:
    """A kind of group: what its cases do, `levels` being sizes from which one is taken in turn."""

    name: str
    strategy: str
    conditions: str
    sizes: tuple[str, ...]
    cases: int
    parameters: str = "{}"

    @property
    def language(self) -> str:
        return self.strategy.partition("/")[0]


_TEXT = 'cache = "warm"\ncontent = "text"\nconsume = "sum"'
KINDS = (
    Kind("java warm", "java/file-input-stream", 'cache = "warm"', ("4M", "32M", "256M"), 2),
    Kind("go warm", "go/file-read", 'cache = "warm"', ("4M", "32M", "256M"), 2),
    Kind("java warm, allocating", "java/read-all-bytes", 'cache = "warm"', ("4M", "16M", "64M"), 2),
    Kind(
        "go cold", "go/file-read", 'cache = "cold"', ("1M", "16M", "64M"), 2, "{ block = 131072 }"
    ),
    Kind(
        "java cold",
        "java/file-channel-direct",
        'cache = "cold"',
        ("1M", "16M", "64M"),
        2,
        "{ block = 131072 }",
    ),
    Kind("java write", "java/file-output-stream", 'operation = "write"', ("1M", "4M", "16M"), 2),
    Kind("go write", "go/file-write", 'operation = "write"', ("1M", "4M", "16M"), 2),
    Kind(
        "go fsync",
        "go/file-write",
        'operation = "write"\ndurability = "fsync"',
        ("64K", "1M", "8M"),
        2,
    ),
    Kind("go warm", "go/file-read", 'cache = "warm"', ("4M", "16M"), 8),
    Kind("java warm", "java/file-input-stream", 'cache = "warm"', ("4M", "16M"), 8),
    Kind("java mapped", "java/file-channel-mapped", 'cache = "warm"', ("4M", "16M", "64M"), 2),
    Kind("java lines", "java/buffered-reader-line", _TEXT, ("256K", "1M", "4M"), 2),
    Kind("c warm", "c/read", 'cache = "warm"', ("64K", "4M", "32M"), 2),
    Kind("c mapped", "c/mmap", 'cache = "warm"', ("64K", "4M", "32M"), 2),
    Kind("c warm", "c/read", 'cache = "warm"', ("4M", "16M"), 8),
    Kind("python warm", "python/file-read", 'cache = "warm"', ("64K", "4M", "16M"), 2),
    Kind("python lines", "python/text-lines", _TEXT, ("64K", "256K", "1M"), 2),
    Kind("python warm", "python/file-read", 'cache = "warm"', ("4M", "16M"), 8),
    Kind("node warm", "node/read-sync", 'cache = "warm"', ("64K", "4M", "16M"), 2),
    Kind("node lines", "node/split-file", _TEXT, ("256K", "1M", "4M"), 2),
)
PEER_WORKS: dict[str, dict[str, Any]] = {
    "java": {"strategy": "java/file-input-stream", "size": 4 << 20},
    "go": {"strategy": "go/file-read", "size": 4 << 20},
    "java write": {"strategy": "java/file-output-stream", "size": 1 << 20, "operation": "write"},
    "go write": {"strategy": "go/file-write", "size": 1 << 20, "operation": "write"},
}
PEER_TURNS = {
    "hyperfine": tuple(PEER_WORKS),
    "benchstat": ("go", "go write"),
    "jmh": ("java", "java write"),
    "jmh-forks": ("java", "java write"),
}


PEER_TITLES = {
    ("hyperfine", "welch"): "hyperfine, 10 runs then 10, Welch",
    ("hyperfine", "mann_whitney"): "hyperfine, 10 runs then 10, Mann–Whitney",
    ("benchstat", "claim"): "benchstat, -count 10 then 10",
    ("jmh", "claim"): "JMH, 5 iterations, 99.9 % intervals apart",
    ("jmh", "welch"): "JMH, 5 iterations, Welch",
    ("jmh-forks", "claim"): "JMH, 3 forks of 5 iterations, 99.9 % intervals apart",
}


def study(kind: Kind, size: str) -> str:
    rows = [
        f'[[group.case]]\nstrategy = "{kind.strategy}"\nparameters = {kind.parameters}\noptions = ["{LABEL[kind.language].format(number)}"]\n'
        for number in range(kind.cases)
    ]
    head = f'id = "identical"\ntitle = "Identical code"\nbudget = "{"90s" if kind.cases > 2 else "60s"}"\n'
    return (
        f'{head}\n[[group]]\nid = "aa"\nquestion = "Does it differ from itself?"\nsize = "{size}"\n{kind.conditions}\n\n'
        + "\n".join(rows)
    )


def ours(kind: Kind, size: str, folder: Path, seed: int) -> dict[str, Any]:
    began = time.monotonic()
    run = measured(study(kind, size), folder, seed=seed)
    seconds = time.monotonic() - began
    (data,) = all_data(run)
    judged = judging.decided(run, data, last=True)
    found = [*judged.versus_baseline, *judged.versus_best, *judged.versus_overall.values()]
    control = judged.control
    return {
        "tool": "iogauge",
        "kind": kind.name,
        "cases": kind.cases,
        "size": size,
        "seconds": round(seconds, 1),
        "replicates": judged.replicates,
        "suspended": judged.suspended,
        "floor": judged.noise_floor,
        "failures": len(run.failures),
        "voids": sum(1 for sample in run.samples if sample.void),
        "comparisons": [
            [
                math.log(each.center),
                math.log(each.lo),
                math.log(each.hi),
                each.outcome,
            ]
            for each in found
            if each
            and not (control and each.case == control.case)
            and each.lo > 0
            and each.hi < math.inf
        ],
        "earlier": alarmed_earlier(run, data),
        "log_ns": np.round(data.log_ns, 5).tolist(),
        **seen(run),
    }


def seen(run: Run) -> dict[str, Any]:
    """What disturbed the group, what its forks were like, and the clock's share of its shortest
    span.
    """
    made = report.make(run)
    observed, forks = (
        made.disturbance,
        [case.forks for group in made.groups for case in group.cases if case.forks],
    )
    kinds: Counter[str] = sum((Counter(each.kinds) for each in forks), Counter())
    resolution = run.header.runtimes[0].clock_resolution_ns
    return {
        "stolen": observed.stolen,
        "others": observed.others,
        "place": [(each.center, each.lo, each.hi) for each in observed.place.values()],
        "forks": dict(kinds),
        "two_states": sum(len(each.states.centers) == 2 for each in forks),
        "clock": max(2 * resolution / ns for sample in run.samples for ns in sample.ns),
    }


def theirs(tool: str, name: str, folder: Path) -> dict[str, Any]:
    work = works.make(directory=folder, **PEER_WORKS[name])
    began = time.monotonic()
    found = verdicts.of(tool, work, work)
    return {**found, "kind": name, "seconds": round(time.monotonic() - began, 1)}


def cycle(number: int, ledger: Ledger, folder: Path, only_ours: bool) -> None:
    tools = list(PEER_TURNS)
    for place, kind in enumerate(KINDS):
        size = kind.sizes[number % len(kind.sizes)]
        done(
            ledger.do(
                f"{number}/{place} {kind.name}, {kind.cases} cases",
                lambda: ours(kind, size, folder, seed=1000 * number + place),  # noqa: B023
            )
        )
        tool = tools[place % len(tools)]
        name = PEER_TURNS[tool][(3 * number + place // len(tools)) % len(PEER_TURNS[tool])]
        if (number + place) % 2 and not only_ours:  # theirs in half of the places
            done(ledger.do(f"{number}/{place} {tool}", lambda: theirs(tool, name, folder)))  # noqa: B023


def done(result: dict[str, Any]) -> None:
    print(f"{result['key']}: {result.get('seconds', '')}", file=sys.stderr, flush=True)


# the report


def print_report(ledger: Ledger) -> None:
    groups = [each for each in ledger.results.values() if each["tool"] == "iogauge"]
    print(
        "| iogauge | groups | false alarms | suspended by the control | seconds, median | half-width of a comparison, median |"
    )
    print("|---|---|---|---|---|---|")
    for language in dict.fromkeys(each["kind"].split()[0] for each in groups):
        of_language = [each for each in groups if each["kind"].split()[0] == language]
        kinds = {(each["kind"], each["cases"]) for each in of_language}
        row(of_language, f"{language}, {len(kinds)} kinds of groups")
    row(groups, "**all**")
    claims = [found for each in groups for found in each["comparisons"] if false_claim(found)]
    for center, lo, hi, outcome in claims:
        print(
            f"\nclaimed: {outcome}, {percent(center)} ({percent(lo)} to {percent(hi)}); the bound nearest 1 is {min(abs(lo), abs(hi)):.2%} away"
        )
    earlier = sum(each["earlier"] for each in groups)
    print(
        f"\nHad the run ended earlier: a false claim after some replicate in {share(earlier, len(groups))} of the groups."
    )
    print(
        f"Groups with a failed case: {sum(bool(each['failures']) for each in groups)}; void samples: {sum(each['voids'] for each in groups)}."
    )
    if len(groups) < len(ledger.results):
        peer_rows(ledger)
    rounds(groups)
    observed(groups)


def peer_rows(ledger: Ledger) -> None:
    print(
        "\n| tool, the same code twice | comparisons | called different | largest difference called | half-width, median | seconds, median |"
    )
    print("|---|---|---|---|---|---|")
    for (tool, test), title in PEER_TITLES.items():
        peer_row(ledger, tool, test, title)


def observed(groups: list[dict[str, Any]]) -> None:
    places = [place for each in groups for place in each["place"]]
    away = sum(lo > 0 or hi < 0 for _, lo, hi in places)
    print(
        f"\nPlace in the round, last against first: {statistics.median(center for center, _, _ in places):+.2%} (median of the groups); its 99 % "
    )
    print(f"interval leaves out 0 in {share(away, len(places))} of the groups.")
    kinds: Counter[str] = sum((Counter(each["forks"]) for each in groups), Counter())
    print(
        f"Forks by their series: {', '.join(f'{count} {kind}' for kind, count in kinds.most_common())}."
    )
    cases = sum(each["cases"] for each in groups)
    print(
        f"Cases whose forks settled in two states: {share(sum(each['two_states'] for each in groups), cases)}."
    )
    print(
        f"The clock's two readings took at most {max(each['clock'] for each in groups):.4%} of a span."
    )


def false_claim(found: list[Any]) -> bool:
    return found[3] in ("faster", "slower")


def row(groups: list[dict[str, Any]], name: str) -> None:
    alarms = sum(any(map(false_claim, each["comparisons"])) for each in groups)
    suspended = sum(each["suspended"] for each in groups)
    widths = [(hi - lo) / 2 for each in groups for _, lo, hi, _ in each["comparisons"]]
    width = f"±{statistics.median(widths):.1%}" if widths else "none"
    seconds = statistics.median(each["seconds"] for each in groups)
    replicates = statistics.median(each["replicates"] for each in groups)
    print(
        f"| {name} | {len(groups)} | {share(alarms, len(groups))} | {share(suspended, len(groups))} | {seconds:.0f} "
        f"({replicates:.0f} replicates) | {width} |"
    )


def peer_row(ledger: Ledger, tool: str, test: str, title: str) -> None:
    found = [each for each in ledger.results.values() if each["tool"] == tool]
    if not found:
        return
    called = [each for each in found if each[test]]
    largest = max((abs(each["difference"]) for each in called), default=None)
    shown = "none" if largest is None else f"{math.expm1(largest):.1%}"
    width = statistics.median(each["half_width"] for each in found)
    seconds = statistics.median(each["seconds"] for each in found)
    print(
        f"| {title} | {len(found)} | {share(len(called), len(found))} | {shown} | ±{width:.1%} | {seconds:.0f} |"
    )


def alarmed_earlier(run: Run, data: GroupData) -> bool:
    """Whether a false claim would have been printed, had the run ended after fewer replicates."""
    for count in range(FEWEST_REPLICATES, len(data.log_ns)):
        cut = replace(data, log_ns=data.log_ns[:count])
        judged = judging.decided(run, cut, last=True)
        every = (*judged.versus_baseline, *judged.versus_best, *judged.versus_overall.values())
        control = judged.control
        if any(
            each.outcome in ("faster", "slower") and not (control and each.case == control.case)
            for each in every
            if each
        ):
            return True
    return False


def rounds(groups: list[dict[str, Any]]) -> None:
    """How much a replicate gains by more rounds: the spread of pairs over replicates, of the first
    rounds only.
    """
    print(
        "\n| rounds per replicate | spread of a pair's ratio over replicates (robust SD, median of the groups with 12 rounds) |"
    )
    print("|---|---|")
    for count in (1, 2, 3, 4, 6, 8, 10, 12):
        spreads = []
        for each in groups:
            log_ns = np.array(each["log_ns"], dtype=float)
            if log_ns.shape[1] >= 12:
                ratios = paired.paired_log_ratios(log_ns[:, :count], 1, 0, None)
                ratios = ratios[np.isfinite(ratios)]
                spreads.append(1.4826 * float(np.median(abs(ratios - np.median(ratios)))))
        if spreads:
            print(f"| {count} | {statistics.median(spreads):.2%} |")


def main() -> None:
    parser = arguments(__doc__, "identical-code")
    parser.add_argument("--cycles", type=int, default=20)
    parser.add_argument("--ours", action="store_true", help="measure with iogauge alone")
    given = parser.parse_args()
    ledger = Ledger(given.ledger)
    if not given.print:
        with scratch() as folder:
            for number in range(given.cycles):
                cycle(number, ledger, folder, given.ours)
    print_report(ledger)
    print("\n" + ledger.versions())


if __name__ == "__main__":
    main()
