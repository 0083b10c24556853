"""Is the advice right? What `iogauge advise` chooses on stored runs is measured anew, beside every other way that it might have named.

    python benchmarks/advise.py [--runs FOLDER] [--covered 30] [--uncovered 10] [--seconds 90]

Covered workloads are drawn from the groups of the run files of the folder (default: those of `iogauge run`), each once, from the newest run that has it; for the others, which no run covers,
`--run` measures first, as a user's call does. Each choice is then measured again: with all that may be advised for the workload first and, where that leaves open whether it is at most 5 % slower
than each of them, for twice as long with those of which it is open. It can be stopped and goes on.
"""

from __future__ import annotations

import math
import random
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ledger import Ledger, arguments, measured, scratch, share

from iogauge import advise, folders, host, numbers, report, runfile, runners
from iogauge.advise import Advice, Wanted
from iogauge.commands import ADVISE_SECONDS
from iogauge.model import Case, UserError
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
Verdict = Literal["right", "wrong", "open"]


class Against(NamedTuple):
    """Time of the choice over another's, with its interval; no upper bound is None."""

    ratio: float
    lo: float
    hi: float | None




def covered(folder: Path, count: int) -> list[tuple[str, Path, str, str]]:
    """Workloads of the runs of a folder, drawn: (key, run file, group, language or runtime)."""
    found = []
    for path in sorted(folder.glob("*.jsonl")):
        try:
            made = report.make(runfile.read(path))
        except UserError:
            continue
        found += [(f"{group.title}, {name}", path, group.id, name) for group, name in advisable(made)]
    newest = {key: (key, path, group, name) for key, path, group, name in sorted(found, key=lambda each: each[1].stat().st_mtime)}
    drawn = sorted(newest.values(), key=lambda each: each[0])
    random.Random(SEED).shuffle(drawn)
    return drawn[:count]


def advisable(made: Report) -> list[tuple[GroupReport, str]]:
    return [(group, name) for group in made.groups for name, advice in advise.of_run(made, wanted_of(group)).items() if advice.group.id == group.id]


def wanted_of(group: GroupReport) -> Wanted:
    """The workload of a group, in the words of `advise`."""
    sums = {"bytes": "byte"}.get(group.workload.content)
    unit = sums or "line"
    return Wanted(None, group.workload.operation, unit, group.workload.size, group.conditions.cache, group.conditions.durability)


def again(made: Report, advice: Advice, wanted: Wanted, seconds: float, folder: Path, seed: int) -> dict[str, Any]:
    """Every way that the advice chose among, measured anew, and, while the verdict is open, those again of which it is; against the one beside which the choice does worst."""
    group = next(each for each in made.run.plan.groups if each.id == advice.group.id)
    keys = {made.run.plan.cases[case].key for case in advise.advisable(made.run.plan, group, made.run.header.runtimes, wanted)}
    cases = [case.case for case in advice.group.cases if case.case.key in keys and case.rank_set == advice.choice.rank_set and not case.failure and not case.impossible]
    chosen = advice.choice.case
    against, replicates, suspended = measured_again(cases, chosen, seconds / 3, folder, seed)
    contested = [case for case in cases if case.variant == chosen.variant or (found := against.get(case.variant)) and verdict([found]) == "open"]
    if verdict(against.values()) == "open" and len(contested) > 1:
        later, replicates, suspended = measured_again(contested, chosen, seconds * 2 / 3, folder, seed)
        against |= later
    worst = max(against, key=lambda variant: against[variant].ratio, default=None)
    return {
        "title": advice.group.title, "choice": chosen.variant, "among": len(cases), "failed": len(cases) - 1 - len(against), "sure": advice.sure, "promised": advice.worst,
        "replicates": replicates, "suspended": suspended, "verdict": verdict(against.values()), "beside": worst, **(against[worst]._asdict() if worst else {}),
    }  # fmt: skip


def measured_again(cases: list[Case], chosen: Case, seconds: float, folder: Path, seed: int) -> tuple[dict[str, Against], int, bool]:
    """By variant of the others the choice's time over theirs, of what could be compared; the replicates, and whether the twin suspends the group."""
    remade = report.make(measured(study(cases, seconds), folder, seed=seed))
    (table,) = numbers.of_run(remade)
    places = {entry.variant: place for place, entry in enumerate(table.entries) if entry.sound and not entry.failure}
    found = {variant: table.compare(places[chosen.variant], place) for variant, place in places.items() if variant != chosen.variant and chosen.variant in places}
    against = {variant: Against(compared.center, compared.lo, compared.hi if math.isfinite(compared.hi) else None) for variant, compared in found.items() if compared}
    return against, remade.groups[0].replicates, remade.groups[0].suspended


def verdict(against: Iterable[Against]) -> Verdict:
    """Whether the choice is within 5 % of each of the others, their intervals included; of none, nothing is known."""
    found = list(against)
    if any(each.lo > SAME for each in found):
        return "wrong"
    return "right" if found and all(each.hi is not None and each.hi <= SAME for each in found) else "open"


def study(cases: list[Case], seconds: float) -> str:
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
    print("| workload | chosen | again: time, that of the best of the others = 1 | within 5 % of each | promised |\n|---|---|---|---|---|")
    rows = list(ledger.results.values())
    for each in rows:
        if each["choice"] is None:
            print(f"| {each['title']} | nothing could be advised | | | |")
            continue
        ratio = "not known" if "ratio" not in each else f"{each['ratio']:.3f}" + (f" ({each['lo']:.3f}–{each['hi']:.3f})" if each["hi"] else "")
        print(f"| {each['title']} | {each['choice']} of {each['among']} | {ratio}, {each['replicates']} replicates | {each['verdict']} | {'within 5 %' if each['sure'] else 'unsure'} |")
    for kind in ("covered", "uncovered"):
        of_kind = [each for each in rows if each["kind"] == kind]
        counts = Counter(each.get("verdict", "open") for each in of_kind)
        near = sum((each.get("ratio") or math.inf) <= SAME for each in of_kind)
        print(f"\n{kind}: within 5 % of the best, intervals included: {share(counts['right'], len(of_kind))}; surely slower by more: {share(counts['wrong'], len(of_kind))};")
        print(f"open: {counts['open']}, of these nothing could be advised in {sum(each['choice'] is None for each in of_kind)}. By the centre alone within 5 %: {share(near, len(of_kind))}.")


def main() -> None:
    parser = arguments(__doc__, "advise-again")
    parser.add_argument("--runs", type=Path, default=folders.runs(), help="folder of run files")
    parser.add_argument("--covered", type=int, default=30)
    parser.add_argument("--uncovered", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=90, help="of measuring again, per workload")
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
