"""Commands that measure studies, or say what would be measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from iogauge import outputs
from iogauge.commands import afterwards, looking, outline
from iogauge.commands.given import Given
from iogauge.commands.options import chosen_runtimes
from iogauge.commands.saying import console, indented, print_json, say, say_built, say_skipped
from iogauge.commands.statuses import JUDGE
from iogauge.corpus import store
from iogauge.host import capacity
from iogauge.measuring import session
from iogauge.measuring.cases import Place
from iogauge.model.errors import UserError
from iogauge.model.method import METHOD
from iogauge.model.plan import Plan, PublishedProtocol, by_reason
from iogauge.model.status import DONE, INTERRUPTED, SOMETHING_FAILED
from iogauge.model.text import shell_path
from iogauge.model.units import chosen_duration, duration, share, size
from iogauge.planning import cost, order
from iogauge.planning.options import fork_memory_mib
from iogauge.runfile import header as headers
from iogauge.runfile import writing
from iogauge.runfile.run import Run
from iogauge.runners import manifest, own
from iogauge.study import loading

_MOST_ORDERS = 3


def run(studies: list[str], given: Given, directory: Path | None, out: Path | None) -> int:
    if out and len(studies) > 1:
        raise UserError("--out names one run file; give one study with it")
    if out and out.exists():
        raise UserError(f"--out {out}: exists already; give another name, or --resume it")
    if out and not out.parent.is_dir():
        raise UserError(f"--out {out}: {out.parent} is not a folder; give another")
    if twice := [name for name in dict.fromkeys(studies) if studies.count(name) > 1]:
        raise UserError(
            f"{twice[0]} is named twice; give a larger --budget to a run that is to go on for "
            "longer"
        )
    folder = session.data_folder(directory)
    # Every study is prepared before the first is measured: a mistake in the last one is told at
    # once.
    for name in studies:
        loading.load(name)  # a mistake in one is told before anything is looked for
    runners = own.beside(own.runners(given.own or ()), manifest.all_runners())
    here = session.found_here(chosen_runtimes(given.runtime), say, runners)
    prepared = [session.prepare(name, here, given.options()) for name in studies]
    from iogauge.outputs.progress import Display

    worst, paths = DONE, []
    for each in prepared:
        say_skipped(each.plan)
        with Display(each.plan, [ready.runtime for ready in each.ready]) as display:
            measured, path, reason = session.measure(
                each,
                folder,
                out,
                given.recorded(),
                display,
                JUDGE,
                fresh_limits=given.fresh_limits,
            )
        status = finish(measured, path, reason)
        if status == INTERRUPTED:
            return status
        worst = max(worst, status, SOMETHING_FAILED if each.lacks_cases else DONE)
        paths.append(path)
    del measured
    say_built(here)
    seal(paths)
    if directory and (kept := store.held(folder)):
        say(
            f"data files are kept for the next run, {size(kept)} in {folder}; remove them with:\n"
            f"{afterwards.program()} clean --dir {shell_path(folder)}"
        )
    return worst


def resume(path: Path, studies: list[str], given: Given, directory: Path | None) -> int:
    if len(studies) > 1:
        raise UserError("--resume goes on with one run; give at most one study with it")
    if any(
        (
            given.only,
            given.question,
            given.precision,
            given.tolerance,
            given.compare,
            given.max_size,
            given.runtime_option,
            given.protocol,
            given.seed is not None,
            given.fresh_limits,
        )
    ):
        raise UserError(
            "--resume takes the options of the run it goes on with, except --budget; leave out "
            "--only and the like"
        )
    if given.own:
        raise UserError("--own: a run of code of yours cannot be resumed; measure anew")
    from iogauge.outputs.progress import Display

    if str(path) == afterwards.NEWEST:
        path = looking.newest(None)
    budget, header = given.options().budget, headers.read_header(path)
    chosen, names = chosen_runtimes(given.runtime), {each.name for each in header.runtimes}
    with Display(header.plan, header.runtimes) as display:
        measured, path, reason = session.resume(
            path,
            studies[0] if studies else None,
            lambda run: session.same_runtimes(run, names, chosen, path, say, "resumed"),
            session.data_folder(directory),
            display,
            JUDGE,
            budget,
        )
    if reason == "decided":
        say("there is nothing left to measure in this run")
    status = finish(measured, path, reason)
    del measured
    if status != INTERRUPTED:
        seal([path])
    return status


def seal(paths: list[Path]) -> None:
    """Seal large run files whose runs have ended, so that they open quickly. This waits until
    everything is measured, as it takes both cores and the disk.
    """
    for path in paths:
        try:
            writing.seal(
                path,
                lambda length: say(
                    f"sealing {size(length)}, so that it opens quickly from here on (Ctrl-C "
                    "leaves it as it is)"
                ),
            )
        except KeyboardInterrupt:
            return
        except (
            OSError,
            UserError,
        ):  # the answers are there, and a file without a seal can be read, too
            continue


def finish(measured: Run, path: Path, reason: str) -> int:
    """Print the answers, the next commands, and where the run file is; the exit status of a run."""
    from iogauge.outputs.document import Document

    document = Document(measured, go_on=afterwards.go_on_with(path, measured))
    console().print(outputs.renderer("answers")(document))
    if builds := outputs.renderer("builds")(document):
        console().print(builds, soft_wrap=True)  # a line that is pasted is not broken
    if reason == "interrupted":
        say(f"\ninterrupted; go on with:\n{afterwards.program()} run --resume {shell_path(path)}")
        return INTERRUPTED
    afterwards.print_next(document, path)
    told = afterwards.print_run_file(path)
    if failures := document.report.failures:
        say(f"{failures} case{'s' if failures > 1 else ''} failed; show --details says why")
        return SOMETHING_FAILED
    return DONE if told else SOMETHING_FAILED


def plan(studies: list[str], given: Given, directory: Path | None, as_json: bool) -> int:
    place = Place(session.data_folder(directory))
    made = (outline.here(name, chosen_runtimes(given.runtime), given.options()) for name in studies)
    if as_json:
        print_json(
            [each.model_dump() | {"not_possible": _not_possible(each, place)} for each, _ in made]
        )
        return DONE
    for each in made:
        print_plan(*each)
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


def print_plan(made: Plan, runtimes: list[Any]) -> None:
    if made.published:
        _print_published_plan(made, made.published, runtimes)
        return
    out = console()
    out.print(
        Text(
            f"{made.study}: {len(made.groups)} groups, "
            f"{sum(len(each.cases) for each in made.groups)} cases (A/A controls included)",
            style="bold",
        )
    )
    for group in made.groups:
        out.print(f"\n{group.id}: {group.question}", soft_wrap=False)
        beside = (
            f"; {len(group.ceilings)} ceilings beside them, in the first replicates"
            if group.ceilings
            else ""
        )
        out.print(
            indented(
                Text(f"{group.title}; {group.rounds} rounds per replicate{beside}", style="dim")
            )
        )
        for case in group.cases:
            mark = {group.baseline: "  (baseline)", group.control: "  (A/A control)"}.get(case, "")
            out.print(Text(f"  {made.cases[case].label}  @{made.cases[case].setting}{mark}"))
    total = _print_replicates(made, runtimes, out)
    out.print(f"\n{_takes(made, total)}; precision {share(made.precision)}; seed {made.seed}.")
    for each in by_reason(made.skipped):
        out.print(Text(f"not measured: {each.what}: {each.why}", style="yellow"))


def _print_replicates(made: Plan, runtimes: list[Any], out: Console) -> float:
    """The forks of each bundle; the seconds that one replicate of everything takes."""
    memory = fork_memory_mib(made, runtimes)
    total = 0.0
    out.print(Text("\nreplicates", style="bold"))
    for number, bundle in enumerate(made.bundles):
        cases = [case for group in bundle.groups for case in made.groups[group].cases]
        cut = order.parts(made, bundle, 0, cases, memory)
        seconds = cost.replicate_seconds(made, bundle, runtimes, capacity.usable_cores(), METHOD)
        total += seconds
        heap = f", heap {size(bundle.heap_mib << 20)} each" if bundle.heap_mib else ""
        parts = f", in {len(cut)} parts (memory), each with the baseline" if len(cut) > 1 else ""
        needed = size(sum(memory[fork] for fork in bundle.forks) << 20)
        line = (
            f"{len(bundle.forks)} forks{heap}; memory for all of them {needed}{parts}; "
            f"about {duration(seconds)} each"
        )
        out.print(indented(Text(line)))
        if number == 0:
            _print_first_rounds(made, bundle.groups[0], out)
    return total


def _takes(made: Plan, total: float) -> str:
    """How long a run takes whose replicates of everything take `total` seconds each."""
    from iogauge.decision.looks import FEWEST_REPLICATES

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


def _print_published_plan(made: Plan, protocol: PublishedProtocol, runtimes: list[Any]) -> None:
    out = console()
    out.print(
        Text(
            f"{made.study}, as published: {len(made.groups)} groups, {len(made.cases)} cases",
            style="bold",
        )
    )
    if protocol.iteration:
        how = (
            f"{protocol.warm_ups} warm-ups of {chosen_duration(protocol.warm_up)}, then "
            f"{protocol.iterations} iterations of {chosen_duration(protocol.iteration)}"
        )
    else:
        how = f"{protocol.untimed} untimed operations, then the timed ones in one span"
    where = {
        "one": "all in one process",
        "experiment": "a process for each experiment",
        "group": "a process for each group",
        "each": "each in a process of its own",
    }[protocol.process]
    out.print(indented(Text(f"per case {how}; {where}, in this order", style="dim")))
    for text in protocol.caveats:
        out.print(indented(Text(f"! {text}", style="yellow")))
    for group in made.groups:
        out.print(f"\n{group.id}: {group.question}", soft_wrap=False)
        timed = f"; {group.operations} timed operations" if group.operations else ""
        out.print(indented(Text(f"{group.title}{timed}", style="dim")))
        for case in group.cases:
            out.print(Text(f"  {made.cases[case].label}  @{made.cases[case].setting}"))
    once = sum(
        cost.replicate_seconds(made, bundle, runtimes, capacity.usable_cores(), METHOD)
        for bundle in made.bundles
    )
    needed = once if protocol.iteration else once * METHOD.fewest_repetitions
    shortened = "; it will be shortened to fit" if needed > made.budget else ""
    out.print(
        f"\nAbout {duration(once)} once{shortened}; repeated up to {METHOD.most_repetitions} times "
        f"within {duration(made.budget)} (--budget)."
    )
    for each in by_reason(made.skipped):
        out.print(Text(f"not measured: {each.what}: {each.why}", style="yellow"))


def _print_first_rounds(made: Plan, group: int, out: Console) -> None:
    orders = order.round_orders(made, group, 0, 0, made.groups[group].cases, {})
    for number, cases in enumerate(orders[:_MOST_ORDERS]):
        names = ", ".join(
            made.cases[case].label + (" (control)" if made.cases[case].control else "")
            for case in cases
        )
        out.print(
            indented(
                Text(
                    f"{made.groups[group].id}, first replicate, round {number + 1}: {names}",
                    style="dim",
                ),
                4,
            )
        )
