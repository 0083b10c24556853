"""Commands that show what would be measured, and in which order. They build nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from rich.text import Text

from iogauge.commands import arguments as arg
from iogauge.commands import gating
from iogauge.commands.exits import DONE
from iogauge.commands.options import chosen_runtimes, planned
from iogauge.commands.output import console, indented, print_json, say
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.host import capacity
from iogauge.measuring import session
from iogauge.measuring.cases import Place
from iogauge.model.method import METHOD
from iogauge.model.plan import Group, Plan
from iogauge.model.strategy import Runtime
from iogauge.model.units import chosen_duration, duration, share, size
from iogauge.outputs import skipped
from iogauge.planning import cost, order
from iogauge.planning import plan as planning
from iogauge.planning.options import Options, fork_memory_mib
from iogauge.runners import catalogue
from iogauge.runners.finding import Choices
from iogauge.runners.runtimes import Runtimes
from iogauge.study import loading
from iogauge.study.schema import Study

_MOST_ORDERS = 3


def plan(given: arg.Plan) -> int:
    folder, chosen = session.data_folder(given.directory), chosen_runtimes(given.runtime)
    place, studies = Place(folder), given.studies or ["quick"]
    made = (_planned_here(name, chosen, planned(given), folder) for name in studies)
    if given.as_json:
        print_json(
            [each.model_dump() | {"not_possible": _not_possible(each, place)} for each, _ in made]
        )
        return DONE
    for each in made:
        (_print_published_plan if each[0].published else _print_plan)(*each)
        for line in skipped.lines(each[0].skipped):
            console().print(Text(line, style="yellow"))
        for why, groups in _not_possible(each[0], place).items():
            console().print(Text(f"not possible here: {', '.join(groups)}: {why}", style="yellow"))
    return DONE


def _not_possible(made: Plan, place: Place) -> dict[str, list[str]]:
    """The groups whose conditions cannot be had where the data files go, by the reason."""
    refused: dict[str, list[str]] = {}
    for group in made.groups:
        if why := place.why_not(group.conditions):
            refused.setdefault(why, []).append(group.id)
    return refused


def _print_plan(made: Plan, runtimes: Sequence[Runtime]) -> None:
    cases = sum(len(each.cases) for each in made.groups)
    _line(f"{made.study}: {len(made.groups)} groups, {cases} cases (A/A controls included)", "bold")
    for group in made.groups:
        console().print(f"\n{group.id}: {group.question}")
        ceilings = f"; {len(group.ceilings)} ceilings, measured in the first replicates"
        rounds = f"{group.rounds} rounds per replicate{ceilings if group.ceilings else ''}"
        _line(f"{group.title}; {rounds}", "dim", by=2)
        _print_cases(
            made, group, {group.baseline: "  (baseline)", group.control: "  (A/A control)"}
        )
    _print_replicates(made, runtimes)
    takes = _takes(made, replicate_seconds(made, runtimes))
    console().print(f"\n{takes}; precision {share(made.precision)}; seed {made.seed}.")


def _line(text: str, style: str = "", *, by: int = 0) -> None:
    console().print(indented(Text(text, style=style), by))


def _print_cases(made: Plan, group: Group, marks: Mapping[int | None, str]) -> None:
    for number in group.cases:
        case = made.cases[number]
        console().print(Text(f"  {case.label}  @{case.setting}{marks.get(number, '')}"))


def _print_replicates(made: Plan, runtimes: Sequence[Runtime]) -> None:
    """The forks of each bundle."""
    memory = fork_memory_mib(made, runtimes)
    _line("\nreplicates", "bold")
    for number, bundle in enumerate(made.bundles):
        cases = [case for group in bundle.groups for case in made.groups[group].cases]
        cut = order.parts(made, bundle, 0, cases, memory)
        seconds = cost.replicate_seconds(made, bundle, runtimes, capacity.usable_cores(), METHOD)
        heap = f", heap {size(bundle.heap_mib << 20)} each" if bundle.heap_mib else ""
        whole = sum(memory[fork] for fork in bundle.forks)
        why = "memory" if whole > made.memory_limit_mib else "open files"
        parts = f", in {len(cut)} parts ({why}), each with the baseline" if len(cut) > 1 else ""
        needed = size(whole << 20)
        forks = f"{len(bundle.forks)} forks{heap}; memory for all of them {needed}{parts}"
        _line(f"{forks}; about {duration(seconds)} each", by=2)
        if number == 0:
            _print_first_rounds(made, bundle.groups[0])


def _print_first_rounds(made: Plan, group: int) -> None:
    planned = made.groups[group]
    orders = order.RoundOrders(made)
    for number in range(1, 1 + min(planned.rounds, _MOST_ORDERS)):
        shown = [made.cases[each] for each in orders.next(group, planned.cases)]
        names = ", ".join(each.label + (" (control)" if each.control else "") for each in shown)
        _line(f"{planned.id}, first replicate, round {number}: {names}", "dim", by=4)


def _takes(made: Plan, total: float) -> str:
    """How long a run takes whose replicates of everything take `total` seconds each."""
    budget, first = duration(made.budget), duration(FEWEST_REPLICATES * total)
    if total > made.budget:
        return (
            f"One replicate of everything takes about {duration(total)}, longer than --budget, "
            f"{budget}; it is finished all the same"
        )
    if FEWEST_REPLICATES * total > made.budget:
        return (
            f"At most {budget} (--budget). The {FEWEST_REPLICATES} replicates that an answer needs "
            f"would take about {first}: what is there when the budget ends is judged"
        )
    return (
        f"About {first} to the first {FEWEST_REPLICATES} replicates, which an answer needs; at "
        f"most {budget} in all (--budget)"
    )


def _print_published_plan(made: Plan, runtimes: Sequence[Runtime]) -> None:
    protocol = made.published
    assert protocol
    counts = f"{len(made.groups)} groups, {len(made.cases)} cases"
    _line(f"{made.study}, as published: {counts}", "bold")
    if protocol.iteration:
        warm_ups = f"{protocol.warm_ups} warm-ups of {chosen_duration(protocol.warm_up)}"
        iterations = f"{protocol.iterations} iterations of {chosen_duration(protocol.iteration)}"
        how = f"{warm_ups}, then {iterations}"
    else:
        how = f"{protocol.untimed} untimed operations, then the timed ones in one span"
    where = {
        "one": "all in one process",
        "experiment": "a process for each experiment",
        "group": "a process for each group",
        "each": "each in a process of its own",
    }[protocol.process]
    _line(f"per case {how}; {where}, in this order", "dim", by=2)
    for text in protocol.caveats:
        _line(f"! {text}", "yellow", by=2)
    for group in made.groups:
        console().print(f"\n{group.id}: {group.question}")
        timed = f"; {group.operations} timed operations" if group.operations else ""
        _line(f"{group.title}{timed}", "dim", by=2)
        _print_cases(made, group, {})
    once = replicate_seconds(made, runtimes)
    needed = once if protocol.iteration else once * METHOD.fewest_repetitions
    shortened = "; it will be shortened to fit" if needed > made.budget else ""
    repeated = f"repeated up to {METHOD.most_repetitions} times"
    budget = f"{duration(made.budget)} (--budget)"
    console().print(f"\nAbout {duration(once)} once{shortened}; {repeated} within {budget}.")


def planned_everywhere(of: Study, where: str, options: Options) -> Plan:
    """The plan of a study in all languages, also those that are not here. Raises UserError."""
    loading.must_not_be_own(of, where)
    return planning.make(of, where, session.machine(*catalogue.everywhere()), options)


def _planned_here(
    name: str, chosen: Choices, options: Options, folder: Path
) -> tuple[Plan, list[Runtime]]:
    """The plan of a study as `run` would measure it here with data files in the folder, and its
    runtimes. Runners that are not built yet are taken from their catalogues, and a line says so.
    Raises UserError.
    """
    here = Runtimes(chosen, say)
    here.need_any()
    versions = gating.versions(gating.Gate(), (), chosen, here.runtimes)
    options = replace(options, versions=versions)
    of, where = loading.load(name), name if name.endswith(".toml") else f"{name}.toml"
    loading.must_not_be_own(of, where)
    one = session.one_state(of, options, folder)
    made = planning.make(of, where, session.machine(here.runtimes, here.missing, one), options)
    if not_built := here.not_built({fork.runtime for fork in made.forks}):
        say(
            f"not built yet: {', '.join(not_built)}; what they can do is taken from their "
            "catalogues, and iogauge run builds them"
        )
    else:
        session.try_settings(session.Prepared(of, made, here.ready), options)
    return made, here.runtimes


def replicate_seconds(
    made: Plan, runtimes: Sequence[Runtime], calls: Mapping[str, float] = MappingProxyType({})
) -> float:
    """About how long one replicate of everything takes. `calls` has the seconds that a call of code
    of the user's takes, by strategy, where they are known.
    """
    cores, known = capacity.usable_cores(), cost.by_case(made, calls)
    return sum(
        cost.replicate_seconds(made, each, runtimes, cores, METHOD, known) for each in made.bundles
    )
