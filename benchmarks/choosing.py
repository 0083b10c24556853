"""Which centre of a few replicates names the way that turns out to be the fastest? Asked of stored
runs; nothing is measured.

    python benchmarks/choosing.py [--runs FOLDER]

Of every workload that the run files of the folder (default: those of `iogauge run`) measured in
enough replicates on one machine and file system, a few consecutive replicates of one run choose the
way that is least behind any other, and all the other replicates tell how much slower than the best
it is. Each workload counts once, however often it was measured. `iogauge advise` has other rules
besides: what is simpler, and what may be advised.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from iogauge.analysis import report
from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.runfile import reading
from iogauge.statistics.stats import TRIM, UNTRIMMED, interval, paired_log_ratios

Pairs = dict[tuple[str, str], np.ndarray]
"""log(time of one case / time of another) by their keys, one for each replicate of a run; NaN where
one was not measured.
"""

FEW = (3, 5, 7, 9, 12)
OTHERS = UNTRIMMED  # replicates that tell what is the best, at least
LOST = math.log(1.05)


def hodges_lehmann(values: np.ndarray) -> float:
    """The median of the means of all pairs, each with itself included (Hodges & Lehmann 1963)."""
    one, other = np.triu_indices(len(values))
    return float(np.median((values[one] + values[other]) / 2))


CENTRES: dict[str, Callable[[np.ndarray], float]] = {
    "mean": lambda values: float(np.mean(values)),
    f"of the interval (trimmed by {TRIM:.0%} from {UNTRIMMED} on)": lambda values: (
        interval(values, 0.05).center
    ),
    "Hodges–Lehmann": hodges_lehmann,
    "median": lambda values: float(np.median(values)),
}


def measured(folder: Path) -> dict[str, list[Pairs]]:
    """By workload, language and place, of each run that measured it, the pairs of its ways."""
    found: dict[str, list[Pairs]] = {}
    for path in sorted(folder.glob("*.jsonl")):
        try:
            made = report.make(reading.read(path))
        except UserError:
            continue
        for group in made.groups:
            data, cases = group.data, made.run.plan.cases
            usable = (
                [
                    case
                    for case in data.group.cases
                    if case != data.group.twin and data.column(case) not in data.unusable
                ]
                if group.has_verdicts
                else []
            )
            for language in sorted({cases[case].language for case in usable}):
                columns = {
                    cases[case].key: data.column(case)
                    for case in usable
                    if cases[case].language == language
                }
                pairs = {
                    (a, b): paired_log_ratios(
                        data.log_ns, columns[a], columns[b], data.column(data.group.baseline)
                    )
                    for a, b in itertools.product(columns, columns)
                }
                place = [made.run.header.host.get(name) for name in ("identity", "file_system")]
                found.setdefault(f"{group.title}, {language}, {place}", []).append(pairs)
    return found


def losses(measured_in: list[Pairs], few: int) -> Iterator[dict[str, float]]:
    """For every few consecutive replicates of a run: by centre, log(time of what it chooses / time
    of the best), as the other replicates tell.
    """
    names = sorted(set.intersection(*({a for a, _ in pairs} for pairs in measured_in)))
    if len(names) < 2:
        return
    for pairs in measured_in:
        for start in range(0, len(pairs[names[0], names[0]]) - few + 1, max(1, few // 2)):
            chosen_by = {pair: known(values[start : start + few]) for pair, values in pairs.items()}
            told_by = {
                pair: known(
                    np.concatenate(
                        [
                            np.delete(values, slice(start, start + few)),
                            *(other[pair] for other in measured_in if other is not pairs),
                        ]
                    )
                )
                for pair, values in pairs.items()
                if set(pair) <= {*names}
            }
            ways = [
                name
                for name in names
                if len(chosen_by[name, name]) == few and len(told_by[name, name]) >= OTHERS
            ]
            if (
                len(ways) < 2
                or min(len(told_by[pair]) for pair in itertools.product(ways, ways)) < OTHERS
                or min(len(chosen_by[pair]) for pair in itertools.product(ways, ways)) < few
            ):
                continue
            truth = {
                (a, b): interval(told_by[a, b], 0.05).center
                for a, b in itertools.product(ways, ways)
            }
            yield {
                centre: max(truth[choice(ways, chosen_by, of), other] for other in ways)
                for centre, of in CENTRES.items()
            }


def choice(ways: list[str], pairs: Pairs, centre: Callable[[np.ndarray], float]) -> str:
    """The way that is least behind any other."""
    return min(ways, key=lambda way: max(centre(pairs[way, other]) for other in ways))


def known(values: np.ndarray) -> np.ndarray:
    return values[np.isfinite(values)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=Path, default=folders.runs(), help="folder of run files")
    workloads = measured(parser.parse_args().runs)
    print(
        "| replicates | workloads | "
        + " | ".join(CENTRES)
        + " |\n"
        + "|---" * (2 + len(CENTRES))
        + "|"
    )
    for few in FEW:
        each = [found for runs in workloads.values() if (found := list(losses(runs, few)))]
        lost = [
            np.mean([np.mean([loss[centre] > LOST for loss in found]) for found in each])
            if each
            else math.nan
            for centre in CENTRES
        ]
        print(f"| {few} | {len(each)} | " + " | ".join(f"{share:.1%}" for share in lost) + " |")
    print("\nHow often the choice takes more than 5 % longer than the best.")


if __name__ == "__main__":
    main()
