"""Estimates what `decision.anchors` holds: how much the ratios of ways to anchors differ from run to
run of one plan on one machine.

    python benchmarks/anchors.py NAME=RUN.jsonl,RUN.jsonl… NAME=… > benchmarks/between_runs.csv

condenses sets of runs, each of one plan in one place, to a row per way and anchor, and

    python benchmarks/anchors.py benchmarks/between_runs.csv > src/iogauge/decision/anchors.toml

estimates from these the file that travels with the package. `--check` prints the typical SD between
runs by anchor.
"""

from __future__ import annotations

import argparse
import csv
import io
import math
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, get_type_hints

import numpy as np

from iogauge.analysis import anchored
from iogauge.analysis import data as grouped
from iogauge.decision import shrinkage
from iogauge.decision.anchors import ANCHORS, Anchor, Kind, Known, kind_for
from iogauge.decision.priors import ANY, way_of
from iogauge.decision.separate import Level
from iogauge.model.errors import UserError
from iogauge.model.workload import Conditions
from iogauge.runfile import reading
from iogauge.runfile.run import Run
from iogauge.statistics.special import digamma, trigamma

_LEAST_SPREAD = math.log(3)
"""However alike our runs are: those of another machine may differ three times as much."""
_FEWEST = 12  # ways, of a kind
_FEWEST_GROUPS = 3
_EVERYTHING = (ANY, ANY, ANY)
_LEAST = 0.005  # SD: no kind differs less from run to run than this
_MOST_COMMON = 0.95
_MOST_DEGREES = 4.0
"""Ways of a group that differ together look more alike than they are."""
_HALVINGS = 40
_HEAD = """\
# How much ratios of ways to anchors differ from run to run; `python benchmarks/anchors.py` writes
# this file. log_variance: the log of the variance between runs that replicates do not explain;
# spread: the SD of that log from plan to plan; degrees: how alike it is for ways of one group;
# common: the share of it that all ways of a group have in common. "any" is all together.
"""


class Row(NamedTuple):
    """A way in the runs of one plan: the `variance` of its ratio to the anchor between `runs`, what
    their replicates explain of it (`within`), and the variance of the mean over the ways of the
    group (`common`), where it has several.
    """

    plan: str
    group: str
    cache: str
    durability: str
    way: str
    anchor: str
    runs: int
    variance: float
    within: float
    common: float


def rows(name: str, runs: Sequence[Run]) -> Iterator[Row]:
    """Of the ways that all of these runs measured."""
    by_place: dict[tuple[str, str], list[dict[Anchor, Level]]] = defaultdict(list)
    kinds: dict[tuple[str, str], tuple[Conditions, str]] = {}
    for run in runs:
        known = anchored.pace(run)
        for data in grouped.all_data(run):
            found = anchored.levels(run, data, known)
            for case, by_anchor in zip(data.group.cases, found, strict=True):
                if case != data.group.control:
                    at = data.group.id, run.plan.cases[case].key
                    by_place[at].append(by_anchor)
                    way = way_of(run.header.declared(run.plan.cases[case]))
                    kinds[at] = data.group.conditions, way
    groups = dict.fromkeys(group for group, _ in by_place)
    for group in groups:
        for anchor in ANCHORS:
            whole = {
                at: [each[anchor] for each in found]
                for at, found in by_place.items()
                if at[0] == group
                and len(found) == len(runs)
                and all(anchor in each for each in found)
            }
            yield from _of_anchor(name, anchor, whole, kinds)


def _of_anchor(
    name: str,
    anchor: Anchor,
    whole: Mapping[tuple[str, str], Sequence[Level]],
    kinds: Mapping[tuple[str, str], tuple[Conditions, str]],
) -> Iterator[Row]:
    if not whole:
        return
    centers = np.array([[each.center for each in found] for found in whole.values()])
    together = float(centers.mean(axis=0).var(ddof=1)) if len(centers) > 1 else math.nan
    for at, found in whole.items():
        conditions, way = kinds[at]
        kind = kind_for(anchor, conditions, way)
        variance = float(np.var([each.center for each in found], ddof=1))
        within = float(np.mean([each.variance for each in found]))
        yield Row(
            *(name, at[0], kind.cache, kind.durability, way, anchor, len(found)),
            *(float(f"{each:.4g}") for each in (variance, within, together)),
        )


def estimate(found: Sequence[Row]) -> dict[Kind, tuple[Known, int]]:
    """What each kind is like that has enough ways, and how many ways."""
    by_kind: dict[Kind, list[Row]] = defaultdict(list)
    for row in found:
        anchor: Anchor = next(each for each in ANCHORS if each == row.anchor)
        for kind in (
            Kind(anchor, row.cache, row.durability, row.way),
            Kind(anchor, row.cache, row.durability, ANY),
            Kind(anchor, ANY, ANY, ANY),
        ):
            by_kind[kind].append(row)
    alike = {
        kind.anchor: _alike(of_kind) for kind, of_kind in by_kind.items() if kind[1:] == _EVERYTHING
    }
    return {
        kind: (_known(of_kind, *alike[kind.anchor]), len(of_kind))
        for kind, of_kind in sorted(by_kind.items())
        if len(of_kind) >= _FEWEST and len({row[:2] for row in of_kind}) >= _FEWEST_GROUPS
    }


def _known(found: Sequence[Row], spread: float, degrees: float) -> Known:
    commons = [
        row.common / row.variance for row in found if math.isfinite(row.common) and row.variance > 0
    ]
    common = min(_MOST_COMMON, float(np.median(commons))) if commons else _MOST_COMMON
    return Known(math.log(_between(found)), spread, degrees, common)


def _alike(found: Sequence[Row]) -> tuple[float, float]:
    """The spread and the degrees of an anchor: of all kinds together, as one kind has too few
    groups to tell them.
    """
    between = _between(found)
    left = np.array(
        [
            math.log(max(row.variance, 1e-9) / (between + row.within)) + _bias(row.runs - 1)
            for row in found
        ]
    )
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, row in enumerate(found):
        groups[row.plan, row.group].append(place)
    levels = np.array([np.median(left[places]) for places in groups.values()])
    spread = max(_LEAST_SPREAD, float(1.4826 * np.median(np.abs(levels - np.median(levels)))))
    return spread, _degrees(found, left, groups.values())


def _between(found: Sequence[Row]) -> float:
    """The variance between runs with which the median row is as expected."""
    low, high, usual = math.log(_LEAST**2), 0.0, _of_median(found)
    within = np.array([row.within for row in found])
    logs = np.array([math.log(max(row.variance, 1e-9)) + _bias(row.runs - 1) for row in found])
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        left = np.median(logs - np.log(math.exp(middle) + within))
        low, high = (middle, high) if left > usual else (low, middle)
    return math.exp((low + high) / 2)


def _of_median(found: Sequence[Row]) -> float:
    """Where the median of such logs lies if all is as expected: they lean to one side."""
    rng = np.random.default_rng(1)
    draws = [
        np.log(rng.chisquare(row.runs - 1, 200) / (row.runs - 1)) + _bias(row.runs - 1)
        for row in found
    ]
    return float(np.median(np.concatenate(draws)))


def _bias(degrees: float) -> float:
    """What frees the log of an estimated variance of its bias."""
    return float(math.log(degrees / 2) - digamma(degrees / 2))


def _degrees(found: Sequence[Row], left: np.ndarray, groups: Collection[Sequence[int]]) -> float:
    """How alike ways of a group are, beyond what few runs make of them; with its standard error on
    top, so that few ways say little.
    """
    squares, sampling, free = 0.0, 0.0, 0.0
    for places in (each for each in groups if len(each) > 1):
        of_few = float(np.mean([trigamma((found[each].runs - 1) / 2) for each in places]))
        weight = (len(places) - 1) / of_few**2  # two runs say far less than four
        squares += weight * float(left[places].var(ddof=1))
        sampling += weight * of_few
        free += weight
    total, number = squares / free, sum(len(each) - 1 for each in groups)
    unlike = max(0.0, total - sampling / free) + total * math.sqrt(2 / number)
    return min(_MOST_DEGREES, shrinkage.degrees_of(unlike))


def as_csv(found: Iterable[Row]) -> str:
    """Rows as `as_rows` reads them."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(Row._fields)
    writer.writerows(found)
    return out.getvalue()


def as_rows(text: str) -> list[Row]:
    """Rows from CSV. Raises ValueError for a value that is no number."""
    kinds = get_type_hints(Row).values()
    return [
        Row(*(kind(value) for kind, value in zip(kinds, line, strict=True)))
        for line in csv.reader(text.splitlines()[1:])
    ]


def as_toml(found: Mapping[Kind, tuple[Known, int]]) -> str:
    """The file that `decision.anchors` reads."""
    text = _HEAD
    for kind, (known, ways) in found.items():
        text += (
            f'\n[[kind]]\nanchor = "{kind.anchor}"\ncache = "{kind.cache}"\n'
            f'durability = "{kind.durability}"\nway = "{kind.way}"\n'
            f"log_variance = {known.log_variance:.2f}\nspread = {known.spread:.2f}\n"
            f"degrees = {known.degrees:.1f}\ncommon = {known.common:.2f}\nways = {ways}\n"
        )
    return text


def check(found: Sequence[Row]) -> Iterator[str]:
    yield "| cache | durability | way | SD between runs, by anchor: " + ", ".join(ANCHORS) + " |"
    yield "|---|---|---|---|"
    known = {kind: each for kind, (each, _) in estimate(found).items()}
    for cache, durability, way in dict.fromkeys(kind[1:] for kind in known):
        told = [
            f"{math.exp(each.log_variance / 2):.1%}" if each else "-"
            for each in (known.get(Kind(anchor, cache, durability, way)) for anchor in ANCHORS)
        ]
        yield f"| {cache} | {durability} | {way} | {', '.join(told)} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("inputs", nargs="+", help="NAME=RUN,RUN…, or CSV files")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    try:
        found: list[Row] = []
        for each in given.inputs:
            name, is_set, paths = each.partition("=")
            if is_set:
                found += rows(name, [reading.read(Path(path)) for path in paths.split(",")])
            else:
                found += as_rows(Path(each).read_text(encoding="utf-8"))
    except (UserError, OSError, ValueError) as error:
        sys.exit(str(error))
    if given.check:
        print("\n".join(check(found)))
    elif any("=" in each for each in given.inputs):
        print(as_csv(found), end="")
    else:
        print(as_toml(estimate(found)), end="")


if __name__ == "__main__":
    main()
