"""Does `iogauge compare` claim anything of the same code, and what does it find?

    python benchmarks/compare.py --measure 12 DIR [--budget 60]

measures a pool of runs of one plan into DIR, one after another; nothing else may run meanwhile. It
goes on where it was stopped. A run takes `--budget` seconds and some more.

    python benchmarks/compare.py DIR [--draws 400] [--seed 1]

draws sets of three runs of the base and a new one from the pool (`--bases` for another number), and
counts those with an alarm: a way of the same code that is called slower or faster. Then it plants
slow-downs: the times of one way of the new run are multiplied, and it counts how often that way is
called slower, by more than nothing and by more than 5 %. Draws share runs. So beside the exact
interval of their number it says of how many runs, taken as the new one, alarms came.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from ledger import scratch, share

from iogauge.analysis import report, separate
from iogauge.analysis.report import Report
from iogauge.analysis.separate import Comparison, Measured
from iogauge.commands.statuses import JUDGE
from iogauge.decision.versions import GateKind
from iogauge.measuring import session
from iogauge.model.errors import UserError
from iogauge.planning.options import Options
from iogauge.runfile import reading
from iogauge.runners.runtimes import Runtimes

STUDY = """\
id = "compare"
title = "The same ways, run after run"
budget = "{budget}s"

[[group]]
id = "cached"
question = "How long does reading 4 MiB take?"
size = "4M"
cache = "warm"
to_the_end = true

[[group.case]]
strategy = ["java/file-input-stream", "go/file-read", "c/read"]
parameters = {{ block = "128K" }}

[[group]]
id = "lines"
question = "How long does reading 256 KiB by lines take?"
size = "256K"
content = "text"
cache = "warm"
consume = "sum"
to_the_end = true

[[group.case]]
strategy = ["java/buffered-reader-line", "go/bufio-scanner-line", "c/getline"]
"""
SLOWER = (1.05, 1.1, 1.2, 1.5)
ALLOWED = (0.0, 0.05)
FOUND = 0.8


def measure(count: int, folder: Path, budget: int) -> None:
    """The runs of the pool that are not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    study = folder / "compare.toml"
    study.write_text(STUDY.format(budget=budget), encoding="utf-8")
    for number in range(1, count + 1):
        out = folder / f"run-{number:02}.jsonl"
        if out.exists() and not reading.read(out).complete:
            out.unlink()  # stopped
        if not out.exists():
            print(f"run {number} of {count}", file=sys.stderr, flush=True)
            here = Runtimes({}, lambda text: None)
            prepared = session.prepare(str(study), here, Options(seed=number))
            with scratch() as data:
                *_, reason = session.measure(
                    prepared, data, out, {}, lambda progress: None, JUDGE, fresh_limits=True
                )
            if reason == "interrupted":
                raise KeyboardInterrupt


class Draw(NamedTuple):
    """By their numbers in the pool."""

    bases: tuple[int, ...]
    new: int


def draws(runs: int, bases: int, count: int, seed: int) -> list[Draw]:
    """Different ones, as many as there are at most."""
    every = [
        Draw(chosen, new)
        for new in range(runs)
        for chosen in itertools.combinations([each for each in range(runs) if each != new], bases)
    ]
    order = np.random.default_rng(seed).permutation(len(every))[:count]
    return [every[each] for each in order.tolist()]


def planted(of: Report, key: str, times: float) -> Measured:
    """The run as if a way of it had taken so many times as long in every sample."""
    groups = []
    for group in of.groups:
        columns = [each.column for each in group.cases if each.case.key == key]
        log_ns = group.data.log_ns.copy()
        log_ns[:, :, columns] += math.log(times)
        groups.append(replace(group, data=replace(group.data, log_ns=log_ns)))
    return separate.of_report(replace(of, groups=tuple(groups)))


def alarms(measured: Sequence[Measured], found: Sequence[Draw]) -> Iterator[str]:
    claims, by_new = Counter[str](), Counter[int]()
    gates: dict[float, Counter[GateKind | None]] = {each: Counter() for each in ALLOWED}
    for draw in found:
        bases, new = [measured[each] for each in draw.bases], measured[draw.new]
        told = separate.compare(bases, new, None)
        outcomes = {
            each.found.comparison.outcome
            for each in _known(told)
            if each.found and each.found.comparison
        }
        claims.update(outcomes & {"slower", "faster"})
        claims["alarm"] += bool(outcomes & {"slower", "faster"})
        by_new[draw.new] += bool(outcomes & {"slower", "faster"})
        for allowed, gate in gates.items():
            gate[separate.compare(bases, new, allowed).gate] += 1
    count = len(found)
    yield "| of the same code | |"
    yield "|---|---|"
    yield f"| draws with an alarm: a way called slower or faster | {share(claims['alarm'], count)} |"
    yield f"| of these, called slower | {share(claims['slower'], count)} |"
    runs = sum(each > 0 for each in by_new.values())
    yield f"| runs, taken as the new one, with an alarm in any draw | {runs} of {len(measured)} |"
    for allowed, gate in gates.items():
        for kind in ("slower", "undecided", "not slower"):
            yield f"| `--max-slowdown {allowed:.0%}` says {kind} | {share(gate[kind], count)} |"


def power(
    reports: Sequence[Report], measured: Sequence[Measured], found: Sequence[Draw]
) -> Iterator[str]:
    yield (
        "| way | allowed | "
        + " | ".join(f"{each:g} times" for each in SLOWER)
        + f" | found in {FOUND:.0%} of draws |"
    )
    yield "|---|---|" + "---|" * (len(SLOWER) + 1)
    keys = _keys(measured, found[0])
    for key in keys:
        modified = {
            (run, times): planted(reports[run], key, times)
            for run in {draw.new for draw in found}
            for times in SLOWER
        }
        for allowed in ALLOWED:
            told = []
            for times in SLOWER:
                number = 0
                for draw in found:
                    bases = [measured[each] for each in draw.bases]
                    compared = separate.compare(bases, modified[draw.new, times], allowed)
                    number += any(
                        each.kind == "slower" and each.case.case.key == key
                        for each in compared.ways
                    )
                told.append(number / len(found))
            reached = next(
                (each for each, part in zip(SLOWER, told, strict=True) if part >= FOUND), None
            )
            name = key.partition(" ")[0]
            least = f"{reached:g} times" if reached else "none of these"
            yield f"| `{name}` | {allowed:.0%} | {' | '.join(f'{each:.0%}' for each in told)} | {least} |"


def _keys(measured: Sequence[Measured], draw: Draw) -> list[str]:
    bases = [measured[each] for each in draw.bases]
    return [each.case.case.key for each in separate.compare(bases, measured[draw.new], None).ways]


def _known(found: Comparison) -> list[separate.Compared]:
    return [each for each in found.ways if each.found and each.found.comparison]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--measure", type=int, default=0, metavar="N")
    parser.add_argument("--budget", type=int, default=60, help="seconds of a run of the pool")
    parser.add_argument("--bases", type=int, default=3)
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--planted", type=int, default=100, help="draws for planted slow-downs")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    try:
        if given.measure:
            measure(given.measure, given.folder, given.budget)
            return
        paths = sorted(given.folder.glob("*.jsonl"))
        reports = [report.make(reading.read(path)) for path in paths]
    except UserError as error:
        sys.exit(str(error))
    if len(reports) <= given.bases:
        sys.exit(f"{given.folder}: {len(reports)} run files; it takes {given.bases + 1} at least")
    measured = [separate.of_report(each) for each in reports]
    found = draws(len(reports), given.bases, given.draws, given.seed)
    anchors = Counter(
        each.anchor for each in separate.compare(measured[1:], measured[0], None).ways
    )
    told = ", ".join(f"{anchor} for {number}" for anchor, number in anchors.items())
    print(f"{len(reports)} runs, {len(found)} draws of {given.bases} + 1; anchors: {told}\n")
    print("\n".join(alarms(measured, found)) + "\n", flush=True)
    for line in power(reports, measured, found[: given.planted]):
        print(line, flush=True)


if __name__ == "__main__":
    main()
