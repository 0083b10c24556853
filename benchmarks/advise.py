"""Is the advice right? What `iogauge advise` chooses on stored runs is measured anew, beside every other way that it might have named.

    python benchmarks/advise.py [--runs FOLDER] [--covered 30] [--uncovered 10] [--seconds 40]

Covered workloads are drawn from the groups of the run files of the folder (default: those of `iogauge run`); for the others, which no run covers, `--run` measures first, as a
user's call does. Each choice is then measured again with all that may be advised for the workload. It can be stopped and goes on.
"""

from __future__ import annotations

import math
import random
import sys
from pathlib import Path
from typing import Any

from ledger import Ledger, arguments, measured, scratch, share

from iogauge import advise, folders, host, numbers, report, runfile, runners
from iogauge.advise import Advice, Wanted
from iogauge.commands import ADVISE_SECONDS
from iogauge.model import UserError
from iogauge.numbers import Table
from iogauge.report import GroupReport, Report
from iogauge.runfile import Run

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
SAME = 1 + advise.NEAR


def covered(folder: Path, count: int) -> list[tuple[str, Path, str, str]]:
    """Workloads of the runs of a folder, drawn: (key, run file, group, language or runtime)."""
    found = []
    for path in sorted(folder.glob("*.jsonl")):
        try:
            made = report.make(runfile.read(path))
        except UserError:
            continue
        found += [(f"{made.run.header.id}/{group.id}/{name}", path, group.id, name) for group, name in advisable(made)]
    random.Random(SEED).shuffle(found)
    return found[:count]


def advisable(made: Report) -> list[tuple[GroupReport, str]]:
    return [(group, name) for group in made.groups for name, advice in advise.of_run(made, wanted_of(group)).items() if advice.group.id == group.id]


def wanted_of(group: GroupReport) -> Wanted:
    """The workload of a group, in the words of `advise`."""
    sums = {"bytes": "byte"}.get(group.workload.content)
    unit = sums or "line"
    return Wanted(None, group.workload.operation, unit, group.workload.size, group.conditions.cache, group.conditions.durability)


def again(made: Report, advice: Advice, wanted: Wanted, seconds: float, folder: Path, seed: int) -> dict[str, Any]:
    """Every way that the advice chose among, measured anew; the choice against the best of the others."""
    group = next(each for each in made.run.plan.groups if each.id == advice.group.id)
    keys = {made.run.plan.cases[case].key for case in advise.advisable(made.run.plan, group, made.run.header.runtimes, wanted)}
    cases = [case.case for case in advice.group.cases if case.case.key in keys and case.rank_set == advice.choice.rank_set]
    run = measured(study(cases, seconds), folder, seed=seed)
    remade = report.make(run)
    (table,) = numbers.of_run(remade)
    return {
        "title": advice.group.title, "choice": advice.choice.case.variant, "among": len(cases), "sure": advice.sure, "promised": advice.worst,
        "replicates": remade.groups[0].replicates, "suspended": remade.groups[0].suspended, **against_best(table, advice.choice.case.variant),
    }  # fmt: skip


def against_best(table: Table, variant: str) -> dict[str, Any]:
    """Time of the choice over that of the fastest of the others, with its interval."""
    place = next(number for number, entry in enumerate(table.entries) if entry.variant == variant)
    others = [number for number, entry in enumerate(table.entries) if number != place and entry.sound and not entry.failure]
    best = min(others, key=lambda number: table.entries[number].ns)
    found = table.compare(place, best)
    ratio = dict(zip(("ratio", "lo", "hi"), (found.center, found.lo, found.hi), strict=True)) if found else dict.fromkeys(("ratio", "lo", "hi"))
    return {"best": table.entries[best].variant, **{name: value if value is None or math.isfinite(value) else None for name, value in ratio.items()}}


def study(cases: list[Any], seconds: float) -> str:
    workload, conditions = cases[0].workload, cases[0].conditions
    keys = {
        "operation": workload.operation, "size": workload.size, "content": workload.content, "consume": workload.consume if workload.operation == "read" else None,
        "mode": workload.mode, "cache": conditions.cache, "durability": conditions.durability, "lifetime": conditions.lifetime,
    }  # fmt: skip
    rows = "".join(
        f'\n[[group.case]]\nstrategy = "{case.strategy}"\nparameters = {{ {", ".join(f"{name} = {value}" for name, value in case.parameters.items())} }}\n' for case in cases
    )
    body = "\n".join(f'{name} = "{value}"' if isinstance(value, str) else f"{name} = {value}" for name, value in keys.items() if value is not None)
    return f'id = "advise-again"\ntitle = "Again"\nbudget = {seconds}\nprecision = "2%"\nrounds = {{ warm = 8, cold = 4, write = 8 }}\n\n[[group]]\nid = "again"\nquestion = "?"\n{body}\n{rows}'


def anew(wanted: Wanted, folder: Path, seed: int) -> Run:
    """What `iogauge advise --run` measures."""
    ready, _ = runners.prepare({}, lambda text: None)
    text = advise.study_text(wanted, [each.runtime for each in ready], host.available_memory(), ADVISE_SECONDS)
    return measured(text, folder, seed=seed)


def job(source: tuple[Path, str, str] | Wanted, seconds: float, folder: Path, seed: int) -> dict[str, Any]:
    if isinstance(source, Wanted):
        wanted, made = source, report.make(anew(source, folder, seed))
        advice = next(iter(advise.of_run(made, wanted).values()), None)
    else:
        path, group, name = source
        made = report.make(runfile.read(path))
        wanted = wanted_of(next(each for each in made.groups if each.id == group))
        advice = advise.of_run(made, wanted).get(name)
    kind = "uncovered" if isinstance(source, Wanted) else "covered"
    return {"kind": kind, **({"choice": None, "title": wanted.title} if advice is None else again(made, advice, wanted, seconds, folder, seed))}


def printed(ledger: Ledger) -> None:
    print("| workload | chosen | again: time, best of the others = 1 | promised |\n|---|---|---|---|")
    rows = list(ledger.results.values())
    for each in rows:
        if each["choice"] is None:
            print(f"| {each['title']} | nothing could be advised | | |")
            continue
        ratio = "not known" if each["ratio"] is None else f"{each['ratio']:.3f}" + (f" ({each['lo']:.3f}–{each['hi']:.3f})" if each["hi"] else "")
        print(f"| {each['title']} | {each['choice']} of {each['among']} | {ratio}, {each['replicates']} replicates | {'within 5 %' if each['sure'] else 'unsure'} |")
    for kind in ("covered", "uncovered"):
        of_kind = [each for each in rows if each["kind"] == kind]
        known = [each for each in of_kind if each.get("ratio") is not None and not each["suspended"]]  # suspended, nothing can be said of it
        print(f"\n{kind}: at most 5 % slower than the best of the others: {share(sum(each['ratio'] <= SAME for each in known), len(of_kind))};")
        print(f"the interval allows it: {share(sum(each['lo'] <= SAME for each in known), len(of_kind))}; it is sure: {share(sum((each['hi'] or math.inf) <= SAME for each in known), len(of_kind))};")
        print(f"not known: {len(of_kind) - len(known)} (nothing was advised, or the twin of the second measurement differed).")


def main() -> None:
    parser = arguments(__doc__, "advise")
    parser.add_argument("--runs", type=Path, default=folders.runs(), help="folder of run files")
    parser.add_argument("--covered", type=int, default=30)
    parser.add_argument("--uncovered", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=40, help="of measuring again, per workload")
    given = parser.parse_args()
    ledger = Ledger(given.ledger)
    if not given.print:
        jobs: list[tuple[str, Any]] = [(key, tuple(rest)) for key, *rest in covered(given.runs, given.covered)]
        jobs += [(wanted.title, wanted) for wanted in UNCOVERED[: given.uncovered]]
        with scratch() as folder:
            for seed, (key, source) in enumerate(jobs, 1):
                ledger.do(key, lambda: job(source, given.seconds, folder, seed))  # noqa: B023
                print(key, file=sys.stderr, flush=True)
    printed(ledger)
    print("\n" + ledger.versions())


if __name__ == "__main__":
    main()
