"""Estimates what `decision.priors` holds: what the variances of pairs were like in stored runs.

    python benchmarks/priors.py RUN.jsonl... > benchmarks/pairs.csv

condenses runs (those of `noise.py`) to a row per pair of ways, and

    python benchmarks/priors.py benchmarks/pairs.csv > src/iogauge/decision/priors.toml

estimates from these the file that travels with the package. A kind is a language, a cache state and
a durability. `--check` prints how well the noise of rounds explains the variances of pairs, on
machines that the estimate did not see.
"""

from __future__ import annotations

import argparse
import csv
import io
import math
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

import numpy as np
from numpy.typing import NDArray

from iogauge.analysis import data as grouped
from iogauge.analysis.data import GroupData
from iogauge.decision import shrinkage
from iogauge.decision.best import pairs_of
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.decision.priors import (
    ANY,
    EVERYTHING,
    Explained,
    Kind,
    Known,
    kind_of,
    way_of,
)
from iogauge.decision.shrinkage import Prior
from iogauge.model.errors import UserError
from iogauge.runfile import reading
from iogauge.runfile.run import Run
from iogauge.statistics.paired import variance_of_rounds
from iogauge.statistics.quantiles import Array
from iogauge.statistics.special import digamma, trigamma

_LEAST_SPREAD = math.log(3)
"""However alike the groups of our machines are: another machine may be three times as noisy."""
_FEWEST_GROUPS = 4
_UNKNOWN_UNLIKE = 1.6
"""Where no group has pairs that share no case: pairs are as unlike as two degrees make them."""
_LEAST_CORRELATION = 0.3
"""With less, the noise of rounds says too little of how much replicates differ."""
_LEAST_FORKS = 0.03
"""Pairs of forks differ by 3 % at least, even if rounds explain all that was seen: forks of other
machines may be less alike."""
ROUNDS = 8  # of each replicate in the runs of noise.py
_INFLATIONS = tuple(np.arange(0, 3.1, 0.25).tolist())
_TURNS, _HALVINGS = 4, 24
_HEAD = """\
# Typical variances of pairs between replicates, by kind; `python benchmarks/priors.py` writes this
# file. log_variance: the log of the typical variance of a log ratio; spread: its SD from group
# to group; degrees: how alike pairs of one group are. Where the noise of rounds goes with variances:
# explained.forks has the log of the variance of forks by way, inflation how many times the noise of
# independent rounds counts; spread and degrees are then of what is left. "any" is all together.
"""


class Row(NamedTuple):
    """A pair of cases of one language in one group: the `variance` of its log ratio between
    replicates, and what the noise of `rounds` would give if they were independent.
    """

    machine: str
    group: str
    language: str
    cache: str
    durability: str
    one: int
    other: int
    way: str
    other_way: str
    degrees: int
    variance: float
    rounds: float


class Found(NamedTuple):
    """The pairs of one language in one group, each of shape (C, C), NaN where a pair has too few
    replicates: the logs of their variances, freed of their bias; the degrees of freedom; what the
    noise of rounds gives; and the ways of the cases.
    """

    logs: Array
    degrees: Array
    rounds: Array
    ways: tuple[str, ...]


def rows(machine: str, run: Run) -> Iterator[Row]:
    """Of all pairs of a run that have enough replicates; the control is a case like others."""
    for data in [] if run.plan.published else grouped.all_data(run):
        kind = kind_of(ANY, data.group.conditions)
        for language, members in _by_language(run, data).items():
            logs = data.log_ns[:, :, members]
            pairs = pairs_of(logs, None, None)
            noise = [variance_of_rounds(logs, each) for each in range(len(members))]
            cases = [run.plan.cases[data.group.cases[each]] for each in members]
            ways = [way_of(run.header.declared(case)) for case in cases]
            for one in range(len(members)):
                for other in range(one):
                    variance = float(pairs.standard_errors[one, other] ** 2)
                    variance *= int(pairs.counts[one, other])
                    if pairs.counts[one, other] >= FEWEST_REPLICATES and variance > 0:
                        yield Row(
                            *(machine, data.group.id, language, kind.cache, kind.durability),
                            *(one, other, ways[one], ways[other]),
                            int(pairs.degrees[one, other]),
                            float(f"{variance:.4g}"),
                            float(f"{noise[other][one]:.4g}"),
                        )


def _by_language(run: Run, data: GroupData) -> dict[str, list[int]]:
    """The columns of each language that has several cases and enough replicates."""
    columns: dict[str, list[int]] = defaultdict(list)
    for column, case in enumerate(data.group.cases):
        if column not in data.unusable:
            columns[run.plan.cases[case].language].append(column)
    enough = len(data.log_ns) >= FEWEST_REPLICATES
    return {key: each for key, each in columns.items() if len(each) > 1 and enough}


def estimate(found: Iterable[Row]) -> dict[Kind, tuple[Known, int]]:
    """What each kind is like that enough groups have, and how many groups."""
    by_kind: dict[Kind, list[Found]] = defaultdict(list)
    for of_group in _groups(found):
        language, cache, durability = of_group[0][2:5]
        kinds = Kind(language, cache, durability), Kind(ANY, cache, durability), EVERYTHING
        for kind in kinds:
            by_kind[kind].append(_matrices(of_group))
    return {
        kind: (_known(groups, explain=kind.language == ANY and kind != EVERYTHING), len(groups))
        for kind, groups in sorted(by_kind.items())
        if len(groups) >= _FEWEST_GROUPS
    }


def _matrices(of_group: Sequence[Row]) -> Found:
    cases = 1 + max(row.one for row in of_group)
    logs, degrees, rounds = (np.full((cases, cases), np.nan) for _ in range(3))
    ways = [""] * cases
    for row in of_group:
        ways[row.one], ways[row.other] = row.way, row.other_way
        for at in ((row.one, row.other), (row.other, row.one)):
            logs[at] = math.log(row.variance) + _bias(row.degrees)
            degrees[at], rounds[at] = row.degrees, row.rounds
    return Found(logs, degrees, rounds, tuple(ways))


def _bias(degrees: float) -> float:
    """What frees the log of an estimated variance of its bias."""
    return float(math.log(degrees / 2) - digamma(degrees / 2))


def _known(groups: Sequence[Found], *, explain: bool = True) -> Known:
    """The level by the median over the groups, which outliers do not move. Where the noise of
    rounds goes with the variances, what it explains.
    """
    prior = Prior(*_of_level([each.logs for each in groups], groups))
    if not explain or correlation(groups) < _LEAST_CORRELATION:
        return Known(prior)
    forks, inflation = explained(groups)
    left = [each.logs - np.log(_expected(each, forks, inflation)) for each in groups]
    _, spread, degrees = _of_level(left, groups)
    logs = {way: math.log(variance) for way, variance in sorted(forks.items())}
    return Known(prior, Explained(logs, inflation, spread, degrees))


def correlation(groups: Sequence[Found]) -> float:
    """Of the logs of the variances of pairs and of what the noise of their rounds gives."""
    both = [
        (each.logs[at], math.log(each.rounds[at]))
        for each in groups
        for at in zip(*np.tril_indices(len(each.logs), k=-1), strict=True)
        if np.isfinite(each.logs[at]) and each.rounds[at] > 0
    ]
    return float(np.corrcoef(np.transpose(both))[0, 1]) if len(both) > 2 else 0.0


def _of_level(logs: Sequence[Array], groups: Sequence[Found]) -> tuple[float, float, float]:
    levels = np.array([np.nanmedian(each) for each in logs])
    degrees = shrinkage.degrees_of(_unlike(logs, [each.degrees for each in groups]))
    spread = max(_LEAST_SPREAD, math.sqrt(_robust_variance(levels - np.median(levels))))
    return float(np.median(levels)) - _bias(degrees), spread, degrees


def _expected(group: Found, forks: Mapping[str, float], inflation: float) -> Array:
    of_case = np.array([forks.get(way, math.nan) for way in group.ways])
    known = np.where(np.isfinite(group.rounds), group.rounds, 0.0)
    expected: Array = (of_case[:, None] + of_case) / 2 + inflation * known
    return expected


def explained(groups: Sequence[Found]) -> tuple[dict[str, float], float]:
    """The variance of forks by way, and how many times the noise of independent rounds counts:
    with these the variances of pairs differ least from what is expected of them.
    """
    best: tuple[float, dict[str, float], float] = math.inf, {}, 0.0
    for inflation in _INFLATIONS:
        forks = _forks(groups, inflation)
        left = [each.logs - np.log(_expected(each, forks, inflation)) for each in groups]
        score = float(np.nanmean(np.abs(np.concatenate([each.ravel() for each in left]))))
        best = min(best, (score, forks, inflation), key=lambda each: each[0])
    return best[1:]


def _forks(groups: Sequence[Found], inflation: float) -> dict[str, float]:
    """By way, the variance with which the median pair that has it is as expected. A pair of two
    ways has half of each; so these are found in turns.
    """
    ways = sorted({way for each in groups for way in each.ways if way})
    found = dict.fromkeys(ways, 0.03**2)
    for _ in range(_TURNS):
        for way in ways:
            low, high = math.log(_LEAST_FORKS**2), 0.0
            for _ in range(_HALVINGS):
                middle = (low + high) / 2
                found[way] = math.exp(middle)
                left = [
                    (each.logs - np.log(_expected(each, found, inflation)))[_has(each, way)]
                    for each in groups
                ]
                too_low = float(np.nanmedian(np.concatenate(left))) > 0
                low, high = (middle, high) if too_low else (low, middle)
    return found


def _has(group: Found, way: str) -> NDArray[np.bool_]:
    """Which pairs have a case of this way, each once; shape (C, C)."""
    of_way = np.array([each == way for each in group.ways])
    either: NDArray[np.bool_] = np.tril(of_way[:, None] | of_way, k=-1)
    return either


def _unlike(logs: Sequence[Array], degrees: Sequence[Array]) -> float:
    """The variance of the logs of pairs' variances within a group, beyond that of estimating
    them; and its standard error on top, so that few groups say little.

    Pairs that share a case are alike. So each group is cut into pairs that share none, in all ways
    in which a round robin pairs its cases.
    """
    squares, sampling, free = 0.0, 0.0, 0
    for of_group, of_degrees in zip(logs, degrees, strict=True):
        ways = []
        for way in _round_robin(len(of_group)):
            known = [at for at in way if np.isfinite(of_group[at])]
            if len(known) > 1:
                ones, others = np.transpose(known)
                expected = float(trigamma(of_degrees[ones, others] / 2).mean())
                ways.append((float(of_group[ones, others].var(ddof=1)), expected, len(known) - 1))
        if ways:
            weight = max(count for _, _, count in ways)
            squares += weight * float(np.mean([found for found, _, _ in ways]))
            sampling += weight * float(np.mean([expected for _, expected, _ in ways]))
            free += weight
    if not free:
        return _UNKNOWN_UNLIKE
    total = squares / free
    return max(0.0, total - sampling / free) + total * math.sqrt(2 / free)


def _round_robin(cases: int) -> list[list[tuple[int, int]]]:
    """All ways of a round robin to pair the cases; where they are odd, one sits out."""
    players = list(range(cases)) + [-1] * (cases % 2)
    ways = []
    for _ in range(len(players) - 1):
        half = len(players) // 2
        pairs = zip(players[:half], reversed(players[half:]), strict=True)
        ways.append([pair for pair in pairs if -1 not in pair])
        players = [players[0], players[-1], *players[1:-1]]
    return ways


def _robust_variance(deviations: Array) -> float:
    return float((1.4826 * np.median(np.abs(deviations))) ** 2)


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
    """The file that `decision.priors` reads."""
    text = _HEAD
    for kind, (known, groups) in found.items():
        text += (
            f"\n[[kind]]\n"
            f'language = "{kind.language}"\ncache = "{kind.cache}"\n'
            f'durability = "{kind.durability}"\nlog_variance = {known.prior.log_variance:.2f}\n'
            f"spread = {known.prior.spread:.2f}\ndegrees = {known.prior.degrees:.1f}\n"
        )
        if left := known.explained:
            forks = ", ".join(f"{way} = {log:.2f}" for way, log in left.forks.items())
            text += (
                f"explained.forks = {{ {forks} }}\nexplained.inflation = {left.inflation:.2f}\n"
                f"explained.spread = {left.spread:.2f}\nexplained.degrees = {left.degrees:.1f}\n"
            )
        text += f"groups = {groups}\n"
    return text


def check(found: Sequence[Row]) -> Iterator[str]:
    """Lines of a table: by conditions the median SD of the log ratio of two cases, in a round and
    between replicates; how variances of pairs go with the noise of rounds, and how alike pairs are
    within a group without and with it. The last column is of each machine by what the others showed.
    """
    yield "| conditions | pairs | SD in a round, between replicates | correlation of the logs | degrees, without and with rounds | spread of groups, likewise | typical variance of a machine that was not seen, in multiples of the expected |"
    yield "|---|---|---|---|---|---|---|"
    for cache, durability in sorted({row[3:5] for row in found}):
        of_kind = [row for row in found if row[3:5] == (cache, durability)]
        groups = [_matrices(each) for each in _groups(of_kind)]
        known, spread, degrees = _known(groups), "-", "-"
        if known.explained:
            spread, degrees = f"{known.explained.spread:.2f}", f"{known.explained.degrees:.1f}"
        unseen = [
            f"{machine} {math.exp(_unseen(of_kind, machine)):.2f}"
            for machine in sorted({row.machine for row in of_kind})
        ]
        yield (
            f"| {cache} {durability} | {len(of_kind)} | {_deviations(of_kind)} | "
            f"{correlation(groups):.2f} | "
            f"{known.prior.degrees:.1f}, {degrees} | {known.prior.spread:.2f}, {spread} | "
            f"{', '.join(unseen)} |"
        )


def _deviations(found: Sequence[Row]) -> str:
    """Medians over pairs; a row has π/2 of the variance of a round over the number of rounds."""
    of_round = [each.rounds * ROUNDS * 2 / math.pi for each in found if math.isfinite(each.rounds)]
    between = [each.variance for each in found]
    return ", ".join(f"{math.sqrt(np.median(each)):.1%}" for each in (of_round, between))


def _unseen(found: Sequence[Row], machine: str) -> float:
    """The log of the typical variance of a machine over what the others make expect."""
    others = _known([_matrices(each) for each in _groups(r for r in found if r.machine != machine)])
    groups = [_matrices(each) for each in _groups(r for r in found if r.machine == machine)]
    left = [each.logs - others.prior.log_variance for each in groups]
    if explains := others.explained:
        forks = {way: math.exp(log) for way, log in explains.forks.items()}
        expected = [_expected(each, forks, explains.inflation) for each in groups]
        left = [each.logs - np.log(of) for each, of in zip(groups, expected, strict=True)]
    return float(np.nanmedian(np.concatenate([each.ravel() for each in left])))


def _groups(found: Iterable[Row]) -> Iterator[list[Row]]:
    by_group: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in found:
        by_group[row[:5]].append(row)
    yield from by_group.values()


def main(arguments: Sequence[str] | None = None) -> int:
    """Condense runs, or print priors.toml as condensed ones tell it. Returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="RUN.jsonl... | PAIRS.csv")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args(arguments)
    try:
        if given.paths[0].suffix == ".csv":
            found = as_rows(given.paths[0].read_text("utf-8"))
            text = "\n".join([*check(found), ""]) if given.check else as_toml(estimate(found))
        else:
            of_all = (rows(each.stem, reading.read(each)) for each in given.paths)
            text = as_csv(row for each in of_all for row in each)
    except (UserError, OSError, ValueError) as error:
        print(f"iogauge: {error}", file=sys.stderr)
        return 2
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
