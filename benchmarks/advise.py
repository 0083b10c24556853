"""Is the advice right?

Measures again what `iogauge advise` chooses on stored runs, beside every other way that it could
have named.

    python benchmarks/advise.py [--runs FOLDER] [--covered 30] [--uncovered 10] [--seconds 480]
    [--longer 1200]

Covered workloads are drawn from the groups of the run files in the folder (default: the runs of
`iogauge run`), each once; the choice is what `iogauge advise` says of them. No run covers the other
workloads; for these `--run` measures first, as a user's call does.

Each choice is measured again in up to eight turns: first with all ways that may be advised for the
workload, then only with ways that leave it open whether the choice is at most 10 % slower. The
replicates of all turns are pooled. Each verdict has an error of 5 % over all turns. A right choice
is right beside EACH other way, so each upper bound has the whole error (an intersection-union test:
Berger 1982). A wrong one is wrong beside ANY, so the lower bounds share it. `--longer` then
measures the open ones once more from the beginning, without the earlier data. A stopped run goes on
where it was.
"""

from __future__ import annotations

import math
import random
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from ledger import RUN_FILE, Ledger, arguments, measured, scratch, share

from iogauge.advice import wanted as asking
from iogauge.advice.choice import Advice, recommend
from iogauge.advice.studies import first_study
from iogauge.advice.wanted import Wanted
from iogauge.analysis import report
from iogauge.analysis.groupreport import GroupReport
from iogauge.analysis.report import Report
from iogauge.commands.advising import ADVISE_SECONDS, advice_of, runs_like
from iogauge.host import capacity
from iogauge.measuring import session
from iogauge.model import folders
from iogauge.model.case import Case
from iogauge.model.errors import UserError
from iogauge.model.strategy import Runtime
from iogauge.planning.options import Options
from iogauge.runfile import reading
from iogauge.runners.runtimes import Runtimes
from iogauge.statistics import intervals, paired
from iogauge.study.loading import parse

SEED = 5
UNCOVERED = (
    Wanted("java", "read", "line", 3 << 20, "warm"),
    Wanted("java", "write", "byte", 96 << 10, None, "none", record=120),
    Wanted("java", "write", "char", 300_000, None, "none", record=60),
    Wanted("java", "read", "char", 700_000, "warm"),
    Wanted("java", "read", "byte", 24 << 20, "cold"),
    Wanted("go", "read", "line", 700_000, "warm"),
    Wanted("go", "write", "byte", 5 << 20, None, "none"),
    Wanted("go", "read", "byte", 300_000, "warm", record=200),
    Wanted("rust", "copy", "byte", 40 << 20, "warm", "none"),
    Wanted("rust", "read", "line", 9 << 20, "warm"),
)
TURNS = 8
ERROR = 0.05
LAST_SHARE = 0.5
"""Of the error, what the last turn may spend; the others share the rest. To look early is dear only
if it takes from the look that has most replicates.
"""
LONGER = "longer: "
SAME = 1.1  # the tolerance of a run
Verdict = Literal["right", "wrong", "open"]


class Against(NamedTuple):
    """Time of the choice over another's, with bounds; no upper bound is None."""

    ratio: float
    lo: float
    hi: float | None


def covered(folder: Path, count: int) -> list[tuple[str, Wanted]]:
    """Workloads of the runs of a folder, drawn: a key, and what a user would ask for."""
    found: dict[str, Wanted] = {}
    for path in sorted(folder.glob("*.jsonl")):
        try:
            made = report.make(reading.read(path))
        except UserError:
            continue
        found |= {
            f"{group.title}, {language}": wanted_of(group, language)
            for group, language in advisable(made)
        }
    drawn = sorted(found.items(), key=lambda each: each[0])
    random.Random(SEED).shuffle(drawn)
    return drawn[:count]


def advisable(made: Report) -> list[tuple[GroupReport, str]]:
    """The groups of a run from which something can be advised, with the language."""
    return [
        (group, advice.choice.case.language)
        for group in made.groups
        for advice in recommend(made, wanted_of(group)).values()
        if advice.group.id == group.id
    ]


def wanted_of(group: GroupReport, language: str | None = None) -> Wanted:
    """The workload of a group, in the words of `advise`."""
    return Wanted(
        language,
        group.workload.operation,
        "byte" if group.workload.content == "bytes" else "line",
        group.workload.size,
        group.conditions.cache,
        group.conditions.durability,
    )


def again(
    advice: Advice, wanted: Wanted, seconds: float, folder: Path, seed: int
) -> dict[str, Any]:
    """Every way that the advice chose among, measured anew."""
    plan = advice.header.plan
    group = next(each for each in plan.groups if each.id == advice.group.id)
    keys = {
        plan.cases[case].key
        for case in asking.advisable(plan, group, advice.header.runtimes, wanted)
    }
    cases = [
        case.case
        for case in advice.group.cases
        if case.case.key in keys
        and case.rank_set == advice.choice.rank_set
        and not case.failure
        and not case.impossible
    ]
    chosen = advice.choice.case
    said = {
        "set": advice.choice.rank_set,
        "sure": advice.sure,
        "promised": advice.worst,
        "runs": advice.runs,
    }
    return {
        **said,
        **in_turns(
            chosen,
            [case for case in cases if case.key != chosen.key],
            wanted,
            seconds,
            folder,
            seed,
        ),
    }


def in_turns(
    chosen: Case, others: list[Case], wanted: Wanted, seconds: float, folder: Path, seed: int
) -> dict[str, Any]:
    """The choice beside the others in `TURNS` turns, each with those only of which the verdict is
    open; told is the one beside which the choice does worst.
    """
    contested = others
    ratios: dict[str, list[float]] = {}
    against: dict[str, Against] = {}
    suspended = 0
    for turn in range(TURNS):
        found = measured_again(
            [chosen, *contested], wanted.size, seconds / TURNS, folder, seed * TURNS + turn
        )
        if found is None:
            suspended += 1
            continue
        for variant, some in found.items():
            ratios.setdefault(variant, []).extend(some)
        against = {
            variant: compared(some, len(others), spent(turn)) for variant, some in ratios.items()
        }
        contested = [
            case
            for case in contested
            if case.variant in against and verdict([against[case.variant]], 1) == "open"
        ]
        if not contested or verdict(against.values(), len(others)) == "wrong":
            break
    worst = max(against, key=lambda variant: against[variant].ratio, default=None)
    return {
        "title": wanted.title,
        "choice": chosen.variant,
        "among": 1 + len(others),
        "failed": len(others) - len(against),
        "suspended": suspended,
        "verdict": verdict(against.values(), len(others)),
        "beside": worst,
        "against": {variant: [*each, len(ratios[variant])] for variant, each in against.items()},
        **({"replicates": len(ratios[worst]), **against[worst]._asdict()} if worst else {}),
    }


def longer(
    before: dict[str, Any],
    wanted: Wanted,
    runs: Path | None,
    seconds: float,
    folder: Path,
    seed: int,
) -> dict[str, Any]:
    """A choice that was left open, measured once more from the beginning: the verdict rests on
    nothing of before.
    """
    by_variant = {case.variant: case for case in known_cases(wanted, runs) if not case.control}
    others = [by_variant[variant] for variant in before["against"] if variant in by_variant]
    kept = {
        name: value
        for name, value in before.items()
        if name not in ("key", "version", "replicates", "ratio", "lo", "hi")
    }
    first = {name: before.get(name) for name in ("verdict", "replicates", "ratio", "lo", "hi")}
    return {
        **kept,
        **in_turns(by_variant[before["choice"]], others, wanted, seconds, folder, seed),
        "before": first,
    }


def known_cases(wanted: Wanted, runs: Path | None) -> list[Case]:
    """Those of the group that the advice rests on; of what no run covers, those that `--run`
    measures.
    """
    if runs:
        return [case.case for case in next(iter(told(wanted, runs).values())).group.cases]
    here = Runtimes({}, lambda text: None)
    return list(
        session.planned(
            lambda: parse(asked(wanted, here.runtimes), "advise"), "advise", here, Options()
        ).plan.cases
    )


def told(wanted: Wanted, runs: Path) -> dict[str, Advice]:
    """What `iogauge advise` says."""
    return advice_of(runs_like(wanted, folders.cache(), runs), wanted, named=False)


def measured_again(
    cases: list[Case], size: int, seconds: float, folder: Path, seed: int
) -> dict[str, list[float]] | None:
    """By variant of the others log(time of the first / theirs) of each replicate, of what could be
    compared; None where identical code seemed to differ, and nothing may rest on it.
    """
    made = report.make(measured(study(cases, size, seconds), folder, seed=seed))
    (group,) = made.groups
    if group.suspended:
        return None
    data, planned = group.data, made.run.plan.cases
    columns = {
        planned[case].variant: data.column(case)
        for case in data.group.cases
        if case != data.group.control and data.column(case) not in data.unusable
    }
    chosen = columns.pop(cases[0].variant, None)
    if chosen is None:
        return {}
    found = {
        variant: paired.paired_log_ratios(data.log_ns, chosen, column, chosen)
        for variant, column in columns.items()
    }
    return {
        variant: some
        for variant, each in found.items()
        if (some := each[np.isfinite(each)].tolist())
    }


def spent(turn: int) -> float:
    """The error that a turn may spend; of all turns together it is `ERROR`."""
    return ERROR * (LAST_SHARE if turn == TURNS - 1 else (1 - LAST_SHARE) / (TURNS - 1))


def compared(log_ratios: list[float], others: int, error: float) -> Against:
    """The upper bound at this error (two-sided) for itself, the lower one at its share among all
    `others`.
    """
    found, hi = (
        intervals.interval(log_ratios, error / others),
        intervals.interval(log_ratios, error).hi,
    )
    hi = math.exp(hi) if hi < 700 else math.inf
    return Against(math.exp(found.center), math.exp(found.lo), hi if math.isfinite(hi) else None)


def verdict(against: Iterable[Against], others: int) -> Verdict:
    """Whether the choice is within 10 % of each of the `others`, their bounds included; beside one
    that could not be measured nothing is known.
    """
    found = list(against)
    if any(each.lo > SAME for each in found):
        return "wrong"
    return (
        "right"
        if found
        and len(found) == others
        and all(each.hi is not None and each.hi <= SAME for each in found)
        else "open"
    )


def study(cases: list[Case], size: int, seconds: float) -> str:
    """Of the file size that was asked for: the advice may rest on another like it."""
    workload, conditions = cases[0].workload, cases[0].conditions
    keys = {
        "operation": workload.operation,
        "size": size,
        "content": workload.content,
        "consume": workload.consume if workload.operation == "read" else None,
        "mode": workload.mode,
        "cache": conditions.cache,
        "durability": conditions.durability,
        "lifetime": conditions.lifetime,
    }
    rows = "".join(
        f'\n[[group.case]]\nstrategy = "{case.strategy}"\nparameters = {{ {", ".join(f"{name} = {value}" for name, value in case.parameters.items())} }}\n'
        for case in cases
    )
    body = "\n".join(
        f'{name} = "{value}"' if isinstance(value, str) else f"{name} = {value}"
        for name, value in keys.items()
        if value is not None
    )
    return f'id = "advise-again"\ntitle = "Again"\nbudget = {seconds}\nprecision = "1%"\nrounds = {{ warm = 8, cold = 8, write = 8 }}\n\n[[group]]\nid = "again"\nquestion = "?"\n{body}\n{rows}'


def asked(wanted: Wanted, runtimes: list[Runtime]) -> str:
    """The study that `iogauge advise --run` measures."""
    study = first_study(wanted, runtimes, capacity.available_memory(), ADVISE_SECONDS)
    assert study, f"there are not two ways to {wanted.title}"
    return study.text


def anew(wanted: Wanted, folder: Path, seed: int) -> dict[str, Advice]:
    """What `iogauge advise --run` says where no run covers the workload."""
    measured(asked(wanted, Runtimes({}, lambda text: None).runtimes), folder, seed=seed)
    return advice_of([folder / RUN_FILE], wanted, named=False)


def job(
    wanted: Wanted, runs: Path | None, seconds: float, folder: Path, seed: int
) -> dict[str, Any]:
    """The advice of the `runs` there are, or, where they are None, of one that is made for it;
    measured again.
    """
    advice = next(iter((told(wanted, runs) if runs else anew(wanted, folder, seed)).values()), None)
    kind = "covered" if runs else "uncovered"
    return {
        "kind": kind,
        **(
            {"choice": None, "title": wanted.title}
            if advice is None
            else again(advice, wanted, seconds, folder, seed)
        ),
    }


def printed(ledger: Ledger) -> None:
    print(
        "| workload | chosen | again: time, that of the best of the others = 1 | within 10 % of each | told |\n|---|---|---|---|---|"
    )
    rows = [
        ledger.results.get(LONGER + key, each)
        for key, each in ledger.results.items()
        if not key.startswith(LONGER)
    ]
    for each in rows:
        if each["choice"] is None:
            print(f"| {each['title']} | nothing could be advised | | | |")
            continue
        ratio = (
            "not known"
            if "ratio" not in each
            else f"{each['ratio']:.3f}"
            + (f" ({each['lo']:.3f}–{each['hi']:.3f})" if each["hi"] else "")
        )
        replicates = f", {each['replicates']} replicates" if "replicates" in each else ""
        if "before" in each:
            replicates += (
                f"; before: {each['before']['ratio']:.3f} ({each['before']['lo']:.3f}–{each['before']['hi']:.3f})"
                if each["before"]["hi"]
                else "; before: not known"
            )
        print(
            f"| {each['title']} | {each['choice']} of {each['among']} | {ratio}{replicates} | {each['verdict']} | {'within 10 %' if each['sure'] else 'unsure'} |"
        )
    for kind in ("covered", "uncovered"):
        of_kind = [each for each in rows if each["kind"] == kind]
        counts = Counter(each.get("verdict", "open") for each in of_kind)
        near = sum((each.get("ratio") or math.inf) <= SAME for each in of_kind)
        print(
            f"\n{kind}: within 10 % of the best, intervals included: {share(counts['right'], len(of_kind))}; surely slower by more: {share(counts['wrong'], len(of_kind))};"
        )
        print(
            f"open: {counts['open']}, of these nothing could be advised in {sum(each['choice'] is None for each in of_kind)}. By the centre alone within 10 %: {share(near, len(of_kind))}."
        )


def main() -> None:
    parser = arguments(__doc__, "advise-again")
    parser.add_argument("--runs", type=Path, default=folders.runs(), help="folder of run files")
    parser.add_argument("--covered", type=int, default=30)
    parser.add_argument("--uncovered", type=int, default=10)
    parser.add_argument(
        "--seconds", type=float, default=480, help="of measuring again, per workload, at most"
    )
    parser.add_argument(
        "--longer",
        type=float,
        default=0,
        help="seconds for each that is still open after that, measured once more from the beginning",
    )
    given = parser.parse_args()
    ledger = Ledger(given.ledger)
    if not given.print:
        jobs = [(key, wanted, given.runs) for key, wanted in covered(given.runs, given.covered)]
        jobs += [(wanted.title, wanted, None) for wanted in UNCOVERED[: given.uncovered]]
        with scratch() as folder:
            for seed, (key, wanted, runs) in enumerate(jobs, 1):
                ledger.do(key, lambda: job(wanted, runs, given.seconds, folder, seed))  # noqa: B023
                print(key, file=sys.stderr, flush=True)
            for seed, (key, wanted, runs) in enumerate(jobs, 1 + len(jobs)):
                before = ledger.results[key]
                if given.longer and before.get("verdict") == "open":
                    ledger.do(
                        LONGER + key,
                        lambda: longer(before, wanted, runs, given.longer, folder, seed),  # noqa: B023
                    )  # noqa: B023
                    print(LONGER + key, file=sys.stderr, flush=True)
    printed(ledger)
    print("\n" + ledger.versions())


if __name__ == "__main__":
    main()
