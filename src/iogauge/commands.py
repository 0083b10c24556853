"""What each command of the command line does; returns its exit status. Errors of the user are raised as UserError."""

from __future__ import annotations

import hashlib
import io
import re
import shlex
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, get_args

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from iogauge import folders, host, pagecache, runfile, runners, session, study
from iogauge import plan as planning
from iogauge.advise import DEFAULT_SIZE, Advice, Unit, Wanted
from iogauge.corpus import OwnFile
from iogauge.device import has_counters, why_not
from iogauge.model import Durability, Operation, Plan, Protocol, Strategy, UserError
from iogauge.runners import Ready
from iogauge.status import DONE, INTERRUPTED, NO, SOMETHING_FAILED
from iogauge.text import for_stream
from iogauge.units import duration, parse_duration, parse_share, parse_size, rate, share, short_size, size

T = TypeVar("T")
WIDTH = 80
_MOST_ORDERS = 3
_LOOKED_THROUGH = 4  # newest runs, for one that has an answer: reading a large one takes its time
_MOST_RUNS = 12  # that are looked at for an advice, the nearest and newest
_MORE_TIME = 5  # times as much, to be surer of an advice
ADVISE_SECONDS = 27.0  # with what surrounds it, an answer in half a minute
_BLANKS = re.compile(r"[ ]+(?=\n)")
NOTHING_YET = """iogauge measures how languages read and write files, and says which way to use here.
Nothing was measured yet. The first answer takes a minute and a half:

    iogauge run

All commands: iogauge --help. What there is to measure: iogauge list studies."""


@dataclass(frozen=True)
class Given:
    """What the command line said, unparsed."""

    only: list[str] | None = None
    budget: str | None = None
    precision: str | None = None
    max_size: str | None = None
    runtime: list[str] | None = None
    runtime_option: list[str] | None = None
    seed: int | None = None
    protocol: str | None = None

    def options(self) -> planning.Options:
        return planning.Options(
            only=tuple(self.only or ()),
            max_size=None if self.max_size is None else _parsed("--max-size", parse_size, self.max_size),
            budget=None if self.budget is None else _parsed("--budget", _budget, self.budget),
            precision=None if self.precision is None else _parsed("--precision", parse_share, self.precision),
            seed=session.random_seed() if self.seed is None else self.seed,
            protocol=_protocol(self.protocol),
            settings=_settings(self.runtime_option),
        )

    def recorded(self) -> dict[str, Any]:
        """For the run file. Paths of runtimes are not kept: the runtimes' names say which they were."""
        return {
            "only": self.only,
            "budget": self.budget,
            "precision": self.precision,
            "max_size": self.max_size,
            "runtime_option": self.runtime_option,
            "protocol": self.protocol,
        }


def run(studies: list[str], given: Given, directory: Path | None, out: Path | None) -> int:
    if out and len(studies) > 1:
        raise UserError("--out names one run file; give one study with it")
    if out and out.exists():
        raise UserError(f"--out {out}: exists already; give another name, or --resume it")
    folder = session.data_folder(directory)
    # Every study is prepared before the first is measured: a mistake in the last one is told at once.
    prepared = [session.prepare(name, chosen_runtimes(given.runtime), given.options(), say) for name in studies]
    from iogauge import corpus
    from iogauge.outputs.progress import Display

    worst, paths = DONE, []
    for each in prepared:
        say_skipped(each.plan)
        with Display(each.plan) as display:
            measured, path, reason = session.measure(each, folder, out, given.recorded(), display)
        status = finish(measured, path, reason)
        if status == INTERRUPTED:
            return status
        worst = max(worst, status)
        paths.append(path)
    del measured
    seal(paths)
    if directory and (kept := corpus.held(folder)):
        say(f"data files are kept for the next run, {size(kept)} in {folder}; what removes them:\niogauge clean --dir {folder}")
    return worst


def resume(path: Path, studies: list[str], given: Given, directory: Path | None) -> int:
    if len(studies) > 1:
        raise UserError("--resume goes on with one run; give at most one study with it")
    if any((given.only, given.budget, given.precision, given.max_size, given.runtime_option, given.protocol, given.seed is not None)):
        raise UserError("--resume takes the options of the run it goes on with; leave out --only, --budget and the like")
    from iogauge.outputs.progress import Display

    with Display(runfile.read_header(path).plan) as display:
        measured, path, reason = session.resume(
            path,
            studies[0] if studies else None,
            chosen_runtimes(given.runtime),
            session.data_folder(directory),
            say,
            display,
        )
    status = finish(measured, path, reason)
    del measured
    if status != INTERRUPTED:
        seal([path])
    return status


def seal(paths: list[Path]) -> None:
    """Large run files whose runs have ended, so that whoever looks at them need not wait. Not before all is measured: it takes both cores and the disk."""
    for path in paths:
        try:
            runfile.seal(path, lambda length: say(f"sealing {size(length)}, so that it opens quickly from here on (Ctrl-C leaves it as it is)"))
        except KeyboardInterrupt:
            return
        except (OSError, UserError):  # the answers are there, and a file without a seal can be read, too
            continue


def finish(measured: runfile.Run, path: Path, reason: str) -> int:
    """Print the tables and where the run file is; the exit status of a run."""
    from iogauge import report
    from iogauge.outputs import terminal

    made = report.make(measured)
    console().print(terminal.render(made))
    say("")
    if reason == "interrupted":
        say(f"interrupted; go on with:\niogauge run --resume {path}")
        return INTERRUPTED
    print(f"run file: {path}")
    if made.failures:
        say(f"{made.failures} case{'s' if made.failures > 1 else ''} failed; the tables say why")
        return SOMETHING_FAILED
    return DONE


def plan(studies: list[str], given: Given) -> int:
    for name in studies:
        prepared = session.prepare(name, chosen_runtimes(given.runtime), given.options(), say)
        print_plan(prepared.plan, [each.runtime for each in prepared.ready])
    return DONE


def print_plan(made: Plan, runtimes: list[Any]) -> None:
    from iogauge.stats import LOOKS

    if made.published:
        return _print_published_plan(made, runtimes)
    out = console()
    out.print(Text(f"{made.study}: {len(made.groups)} groups, {sum(len(each.cases) for each in made.groups)} cases (A/A twins included)", style="bold"))
    for group in made.groups:
        out.print(f"\n{group.id}: {group.question}", soft_wrap=False)
        beside = f"; {len(group.ceilings)} ceilings beside them, in the first replicates" if group.ceilings else ""
        out.print(_indented(Text(f"{group.title}; {group.rounds} rounds per replicate{beside}", style="dim")))
        for case in group.cases:
            mark = {group.baseline: "  (baseline)", group.twin: "  (A/A twin)"}.get(case, "")
            out.print(Text(f"  {made.cases[case].label}  @{made.cases[case].setting}{mark}"))
    memory = planning.fork_memory_mib(made, runtimes)
    total = 0.0
    out.print(Text("\nreplicates", style="bold"))
    for number, bundle in enumerate(made.bundles):
        cases = [case for group in bundle.groups for case in made.groups[group].cases]
        cut = planning.blocks(made, bundle, 0, cases, memory)
        seconds = planning.guess_replicate_seconds(made, bundle, runtimes, host.usable_cores())
        total += seconds
        heap = f", heap {bundle.heap_mib} MiB each" if bundle.heap_mib else ""
        parts = f", in {len(cut)} blocks (memory), each with the baseline" if len(cut) > 1 else ""
        out.print(_indented(Text(f"{len(bundle.forks)} forks{heap}; memory for all of them {size(sum(memory[fork] for fork in bundle.forks) * 2**20)}{parts}; about {duration(seconds)} each")))
        if number == 0:
            _print_first_rounds(made, bundle.groups[0], out)
    wanted = LOOKS[0] * total
    if total > made.budget:
        takes = f"One replicate of everything takes about {duration(total)}, longer than --budget, {duration(made.budget)}; it is finished all the same"
    elif wanted > made.budget:
        takes = f"At most {duration(made.budget)} (--budget). The first look at {LOOKS[0]} replicates would take about {duration(wanted)}: what is there when the budget ends is judged once"
    else:
        takes = f"About {duration(wanted)} to the first look at {LOOKS[0]} replicates; at most {duration(made.budget)} in all (--budget)"
    out.print(f"\n{takes}; precision {share(made.precision)}; seed {made.seed}.")
    for each in made.skipped:
        out.print(Text(f"not measured: {each.what}: {each.why}", style="yellow"))


def _print_published_plan(made: Plan, runtimes: list[Any]) -> None:
    from iogauge.as_published import FEWEST_REPETITIONS, MOST_REPETITIONS

    out, protocol = console(), made.published
    out.print(Text(f"{made.study}, as published: {len(made.groups)} groups, {len(made.cases)} cases", style="bold"))
    if protocol.iteration:
        how = f"{protocol.warm_ups} warm-ups of {protocol.warm_up:g} s, then {protocol.iterations} iterations of {protocol.iteration:g} s"
    else:
        how = f"{protocol.untimed} untimed operations, then the timed ones in one span"
    where = {"one": "all in one process", "experiment": "a process for each experiment", "group": "a process for each group", "each": "each in a process of its own"}[protocol.process]
    out.print(_indented(Text(f"per case {how}; {where}, in this order", style="dim")))
    for text in protocol.caveats:
        out.print(_indented(Text(f"! {text}", style="yellow")))
    for group in made.groups:
        out.print(f"\n{group.id}: {group.question}", soft_wrap=False)
        timed = f"; {group.operations} timed operations" if group.operations else ""
        out.print(_indented(Text(f"{group.title}{timed}", style="dim")))
        for case in group.cases:
            out.print(Text(f"  {made.cases[case].label}  @{made.cases[case].setting}"))
    once = sum(planning.guess_replicate_seconds(made, bundle, runtimes, host.usable_cores()) for bundle in made.bundles)
    needed = once if protocol.iteration else once * FEWEST_REPETITIONS
    shortened = "; it will be shortened to fit" if needed > made.budget else ""
    out.print(
        f"\nAbout {duration(once)} once{shortened}; repeated up to {MOST_REPETITIONS} times within {duration(made.budget)} (--budget)."
    )
    for each in made.skipped:
        out.print(Text(f"not measured: {each.what}: {each.why}", style="yellow"))


def _print_first_rounds(made: Plan, group: int, out: Console) -> None:
    orders = planning.round_orders(made, group, 0, 0, made.groups[group].cases, {})
    for number, order in enumerate(orders[:_MOST_ORDERS]):
        names = ", ".join(made.cases[case].label + (" (twin)" if made.cases[case].twin else "") for case in order)
        out.print(_indented(Text(f"{made.groups[group].id}, first replicate, round {number + 1}: {names}", style="dim"), 4))


def home() -> int:
    """The last answer, or how to get one."""
    paths = session.runs_by_age()
    if not paths:
        print(NOTHING_YET)
        return DONE
    from iogauge import report
    from iogauge.outputs import terminal

    path = paths[0]
    try:
        made = _made(path, report.make, _read(path))
        if not made.run.replicates:  # stopped too soon: the answer is that of the run before
            path, made = _with_an_answer(paths[1:_LOOKED_THROUGH]) or (path, made)
    except UserError as error:  # of another version, or damaged: no reason to show nothing
        print(f"{error}\n\n{NOTHING_YET.partition('Nothing')[2].partition(chr(10))[2]}")
        return DONE
    if path != paths[0]:
        print(f"The newest run has no complete replicate; to go on with it:\niogauge run --resume {paths[0]}\nThe answer of the run before it:\n")
    console().print(terminal.render_answers(made))
    if made.run.plan.published:
        print("\nMeasured as published; the verdicts: iogauge claims.")
    print(f"\nThe tables: iogauge show. Why: iogauge explain. To look at: iogauge report.\nAnew: iogauge run. All commands: iogauge --help.\nrun file: {path}")
    return DONE


def _with_an_answer(paths: list[Path]) -> tuple[Path, Any] | None:
    """The first of these runs that has a replicate, and its report."""
    from iogauge import report

    for path in paths:
        with suppress(UserError):  # of another version, or damaged
            made = _made(path, report.make, _read(path))
            if made.run.replicates:
                return path, made
    return None


def newest(given: Path | None) -> Path:
    """The run file that is meant: the one given, else the newest of the runs folder. Raises UserError without any."""
    path = given or session.newest_run()
    if path is None:
        raise UserError("RUN: nothing was measured yet; name a run file, or measure with iogauge run")
    return path


def show(given: Path | None, everything: bool) -> int:
    from iogauge import accounting, report
    from iogauge.outputs import terminal

    path = newest(given)
    with runfile.no_collector():
        run = _read(path)
        console().print(terminal.render(_made(path, report.make, run)))
        if everything:
            console().print("")
            console().print(terminal.render_account(_made(path, accounting.make, run)))
    return DONE


def explain(given: Path | None, trace: bool, directory: Path | None, runtime: list[str] | None) -> int:
    from iogauge import report
    from iogauge.outputs import explanation

    path = newest(given)
    run = _read(path)
    made = _made(path, report.make, run)
    traces = session.trace(run, path, chosen_runtimes(runtime), session.data_folder(directory), say) if trace else {}
    console().print(explanation.render(made, traces))
    return DONE


def _read(path: Path) -> runfile.Run:
    """The run of a file, with a word to the person where that takes a while. Raises UserError."""
    return runfile.read(path, decoding=lambda length: say(f"decoding {size(length)} of {path}"))


def _made(path: Path, make: Callable[[Any], T], run: runfile.Run | None) -> T:
    """What `make` makes of a run; of one that was damaged or edited a UserError, whatever it makes stumble."""
    try:
        return make(run)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RuntimeError) as error:
        raise UserError(f"{path}: damaged: its records do not fit together ({type(error).__name__}: {error})") from None


def export(given: Path | None, output_format: str, by: str | None, out: Path | None) -> int:
    from iogauge import claims as judging
    from iogauge.outputs import csv, json, markdown

    formats = {"json": json.render, "csv": csv.render, "markdown": markdown.render}
    if output_format not in formats:
        raise UserError(f"--format {output_format}: unknown; allowed: {', '.join(formats)}")
    path = newest(given)
    version = study.load(by) if by else None
    text = formats[output_format](_made(path, lambda run: judging.score(run, version), _read(path)))
    if out is None:
        print(text)
        return DONE
    return _written(out, (text + "\n").encode())


def report(given: list[Path], out: Path) -> int:
    """One page of one or several runs."""
    from iogauge.outputs import html

    paths = given or [newest(None)]
    if len(paths) > html.MOST_RUNS:
        raise UserError(f"RUN: {len(paths)} run files; at most {html.MOST_RUNS} stand side by side")
    sources: list[Any] = []
    with runfile.no_collector():
        for path in paths:
            source = _source(path)
            if source.sha256 in [each.sha256 for each in sources]:
                say(f"{path}: the same run once more; it is on the page once")
            else:
                sources.append(source)
        page = _made(paths[0], lambda _: html.render(sources), None)
    status = _written(out, page.encode())
    say(f"{out}: open it in a browser")
    return status


@dataclass(frozen=True)
class Asked:
    """What `advise` was asked, unparsed."""

    language: str | None = None
    operation: str = "read"
    unit: str = "byte"
    size: str | None = None
    cache: str | None = None
    durability: str | None = None
    record: str | None = None

    def wanted(self, own: OwnFile | None, *, any_size: bool) -> Wanted:
        """Raises UserError for what is no workload. Without a size it is the usual one, or `any_size`."""
        for name, value, allowed in (("operation", self.operation, get_args(Operation)), ("unit", self.unit, get_args(Unit)), ("cache", self.cache, ("warm", "cold")), ("durability", self.durability, get_args(Durability))):
            if value not in (None, *allowed):
                raise UserError(f"--{name} {value}: allowed: {', '.join(allowed)}")
        if self.language and self.language not in runners.languages():
            raise UserError(f"--language {self.language}: allowed: {', '.join(runners.languages())}")
        if self.cache and self.operation == "write":
            raise UserError("--cache does not apply to --operation write: what is written goes into the cache; --durability says whether it waits for the device")
        if self.durability and self.operation == "read":
            raise UserError("--durability does not apply to --operation read")
        if own and (self.operation != "read" or self.size):
            raise UserError("--file is read, never written, and has a size of its own: leave out --operation and --size")
        length, record = (None if text is None else _parsed(f"--{name}", parse_size, text) for name, text in (("size", self.size), ("record", self.record)))
        if 0 in (length, record):
            raise UserError(f"--{'size' if length == 0 else 'record'} 0: at least 1 byte")
        if own and self.unit != "byte" and not own.is_text:
            raise UserError(f"--unit {self.unit}: the file is no text in UTF-8")
        if own and self.unit == "line" and own.lone_returns:
            raise UserError("--unit line: the file has carriage returns without a line feed behind them, where some languages end a line and others do not")
        cache = None if self.operation == "write" else self.cache or "warm"
        durability = None if self.operation == "read" else self.durability or "none"
        length = own.size if own else length or (None if any_size else DEFAULT_SIZE)
        return Wanted(self.language, self.operation, self.unit, length, cache, durability, record, own is not None)


def advise(given: list[Path], asked: Asked, file: Path | None, measure: bool, budget: str | None, directory: Path | None, runtime: list[str] | None) -> int:
    """What to use for a workload, from the runs that there are, or, where `measure` says so and they leave it open, from one that is made for it."""
    if given and (measure or file):
        raise UserError(f"{'--run measures' if measure else '--file is measured'} anew; leave out the run files")
    seconds = ADVISE_SECONDS if budget is None else _parsed("--budget", _budget, budget)
    chosen, folder = chosen_runtimes(runtime), session.data_folder(directory)
    own = OwnFile(file) if file else None
    wanted = asked.wanted(own, any_size=bool(given))
    found = {} if own else advice_of(given or session.runs_like(wanted, folder), wanted, named=bool(given))
    covered = next(iter(found.values())).group.workload.size if found else None
    again = _measuring(replace(wanted, size=wanted.size or covered), file, directory, runtime)
    if measure:
        return _advise_anew(wanted, own, seconds, folder, chosen, found, f"{again} --budget {_MORE_TIME * seconds:.0f}s")
    if not found:
        of_these = " of these" if given else ""
        usual = " (the size that is taken where none is given)" if wanted.size == DEFAULT_SIZE and not asked.size and not own else ""
        says = f"{wanted.title[0].upper()}{wanted.title[1:]}: a file of yours is measured anew each time" if own else f"no run{of_these} tells how to {wanted.title}{usual}"
        console().print(Text(f"{says}.\nMeasure it:\n"))
        print(f"    {again}")
        return NO
    _print_advice(wanted, found)
    if not all(each.sure for each in found.values()):
        say(f"\nTo be surer, measure it here:\n{again}")
    return DONE


def _measuring(wanted: Wanted, file: Path | None, directory: Path | None, runtime: list[str] | None) -> str:
    """The command that measures what is wanted, there and on these runtimes."""
    given = [("--file", file), ("--dir", directory), *(("--runtime", each) for each in runtime or [])]
    return shlex.join(["iogauge", "advise", *(str(word) for pair in given if pair[1] for word in pair), *wanted.options, "--run"])


def advice_of(paths: list[Path], wanted: Wanted, *, named: bool) -> dict[str, Advice]:
    """Per language (or runtime) that of the first run that is sure, else of the first, by the replicates of all that measured the same; runs that nobody `named` and that cannot be read
    are passed over.
    """
    from iogauge import report
    from iogauge.advise import identity, of_run

    reports, found = {}, {}
    for path in paths if named else paths[:_MOST_RUNS]:
        try:
            made, advice = _made(path, lambda run: ((made := report.make(run)), of_run(made, wanted)), _read(path))
        except UserError as error:
            if named:
                raise
            say(f"passed over: {error}")
            continue
        if reports.setdefault(identity(made.run.header), made) is not made:
            continue
        found |= {name: (each, made) for name, each in _by_runtime(advice).items() if name not in found or (each.sure and not found[name][0].sure)}
        if found and wanted.language and all(each.sure for each, _ in found.values()):
            break
    return {name: each if each.sure else _by_runtime(of_run(made, wanted, list(reports.values())))[name] for name, (each, made) in found.items()}


def _by_runtime(found: dict[str, Advice]) -> dict[str, Advice]:
    """A run with two JDKs has a set of ways for each, one with one has one of the language: by runtime they are told apart in any run."""
    return {f"{each.choice.case.language} {each.choice.case.setting}": each for each in found.values()}


def _print_advice(wanted: Wanted, found: dict[str, Advice]) -> None:
    from iogauge.outputs import advice

    console().print(advice.render(wanted, list(found.values()), host.identity()))


def sure_languages(found: Iterable[Advice]) -> set[str]:
    """Those of which every advice is sure: with two JDKs there is one for each."""
    languages: dict[str, list[bool]] = {}
    for each in found:
        languages.setdefault(each.choice.case.language, []).append(each.sure)
    return {language for language, answers in languages.items() if all(answers)}


def _advise_anew(wanted: Wanted, own: OwnFile | None, seconds: float, folder: Path, chosen: dict[str, list[str]], known: dict[str, Advice], longer: str) -> int:
    """Measure, unless what is known already is sure for every language that has two ways here. `longer` is the command that takes more time for it."""
    from iogauge.advise import study_text
    from iogauge.outputs.progress import Display

    sure = sure_languages(known.values())
    if wanted.language in sure:
        _print_advice(wanted, known)
        return DONE
    memory = host.available_memory()
    if wanted.cache == "warm" and (wanted.size or 0) > memory // 2:
        raise UserError(f"{size(wanted.size)} do not stay in the cache: half of the memory that is available is {size(memory // 2)}; --cache cold can be measured")
    if own and wanted.cache == "cold" and not own.observable:
        raise UserError("--cache cold: nobody is told what of a file is in the cache that is neither his own nor writable for him")
    ready, missing = session.found_runtimes(chosen, say)
    absent = next((each.why for each in missing if wanted.language in each.languages), None)
    if absent:
        raise UserError(absent)
    text = study_text(wanted, [each.runtime for each in ready], memory, seconds)
    if text is None:
        raise UserError(f"there are not two ways here to {wanted.title}; iogauge list strategies shows what there is")
    prepared = session.planned(study.parse(text, "advise"), "advise", ready, missing, planning.Options(seed=session.random_seed()))
    if {each.language for each in prepared.plan.cases} <= sure:
        _print_advice(wanted, known)
        return DONE
    say_skipped(prepared.plan)
    with Display(prepared.plan) as display:
        _, path, reason = session.measure(prepared, folder, None, {"advise": [*(["--file", "YOUR-FILE"] if own else []), *wanted.options]}, display, own)
    earlier = [] if own else [each for each in session.runs_like(wanted, folder) if each != path]
    found = advice_of([path, *earlier], wanted, named=False) if advice_of([path], wanted, named=True) else {}
    if found:
        _print_advice(wanted, found)
        if reason != "interrupted" and not all(each.sure for each in found.values()):
            say(f"\nTo be surer, give it more time:\n{longer}")
        say(f"\nThe tables: iogauge show. Why: iogauge explain.\nrun file: {path}")
    else:
        if own and reason != "interrupted":
            own.manifest()  # where the file has changed, that is why
        print(f"{'it was interrupted too early' if reason == 'interrupted' else 'nothing can be advised: no verdict rests on this run'}; what was measured: iogauge show {path}")
    return INTERRUPTED if reason == "interrupted" else DONE if found else SOMETHING_FAILED


def chart(given: Path | None, kind: str, number: int, out: Path) -> int:
    """One picture of a run."""
    from iogauge.outputs.html import figures, picture

    draw = {".svg": picture.svg, ".png": picture.png}.get(out.suffix)
    if draw is None:
        raise UserError(f"--out {out}: allowed: a name that ends in .svg or .png")
    if kind not in figures.KINDS:
        raise UserError(f"--kind {kind}: unknown; allowed: {', '.join(figures.KINDS)}")
    source = _source(newest(given))
    found = [each for each in figures.all_of(source.document, source.run) if each.kind == kind]
    if not found:
        raise UserError(f"--kind {kind}: this run has nothing to draw so: it takes {figures.KINDS[kind]}")
    if not 1 <= number <= len(found):
        raise UserError(f"--number {number}: this run has {len(found)} such chart{'s' if len(found) > 1 else ''}")
    status = _written(out, draw(found[number - 1]))
    say(f"{out}: {found[number - 1].title}" + (f" (--number {number} of {len(found)})" if len(found) > 1 else ""))
    return status


def _source(path: Path) -> Any:
    """A run for the page: its export, itself, and the hash of its file."""
    from concurrent.futures import ThreadPoolExecutor

    from iogauge import claims as judging
    from iogauge.outputs import html

    with ThreadPoolExecutor(1) as beside:
        digest = beside.submit(_sha256, path)
        scored = _made(path, judging.score, _read(path))
        return html.source(scored, digest.result())


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _written(out: Path, content: bytes) -> int:
    try:
        out.write_bytes(content)
    except OSError as error:
        raise UserError(f"--out {out}: {error.strerror}") from None
    return DONE


def list_(what: str, runtime: list[str] | None) -> int:
    match what:
        case "studies":
            rows = [(each.id, each.title) for each in study.built_in()]
            _print_rows(rows)
        case "strategies":
            ready, missing = runners.prepare(chosen_runtimes(runtime), say)
            session.need_any(ready, missing)
            _print_strategies(ready)
            for each in missing:
                say(each.why)
        case "runtimes":
            _print_runtimes(chosen_runtimes(runtime))
        case _:
            raise UserError(f"list {what}: unknown; allowed: studies, strategies, runtimes")
    return DONE


def _print_strategies(ready: list[Ready]) -> None:
    """By what they do."""
    several = len({each.runtime.runner for each in ready}) < len(ready)
    sections: dict[str, list[tuple[str, str]]] = {}
    for each in ready:
        for name, found in each.runtime.strategies.items():
            parameters = " ".join(f"{key}={short_size(limits.default)}" for key, limits in found.parameters.items())
            label = f"{name} @{each.runtime.name}" if several else name
            note = f"unavailable: {found.unavailable}" if found.unavailable else found.title
            sections.setdefault(_kind(found), []).append((f"{label} {parameters}".strip(), note))
    for number, kind in enumerate(sorted(sections)):
        console().print(Text(("\n" if number else "") + kind, style="bold"))
        _print_rows(sections[kind])


def _kind(strategy: Strategy) -> str:
    match strategy.role, strategy.medium, strategy.access:
        case ("companion" | "null"), _, _:
            return "no contestants: companions (other strategies' work beside I/O) and the empty operation"
        case "ceiling", _, _:
            return "ceilings: what the machine can do, measured beside every group that they fit"
        case "published", _, _:
            return "published: with a flaw of a publication inside the operation"
        case _, "memory", _:
            return f"{strategy.operation} in memory"
        case _, _, "random":
            return f"{strategy.operation} a file at random offsets"
    return f"{strategy.operation} a file"


def _print_runtimes(chosen: dict[str, list[str]]) -> None:
    """Every runtime found, not only those that a run would use."""
    rows = []
    for runner in runners.all_runners():
        ready, missing = runners.prepare({runner.name: chosen[runner.name]} if runner.name in chosen else {}, say, [runner])
        for each in missing:
            say(each.why)
        used = {(each.runtime.name) for each in ready}
        for each in ready:
            rows.append((each.runtime.name, f"{each.runtime.title}, {each.executable}"))
        for other in [] if missing or runner.name in chosen else runners.installed(runner):
            name = f"{runner.name}-{other.version}"
            if name not in used:
                used.add(name)
                rows.append((name, f"also found: --runtime {runner.name}={other.home}"))
    _print_rows(rows)


def _indented(text: Text, by: int = 2) -> Padding:
    """Every line of it."""
    return Padding(text, (0, 0, 0, by))


def _print_rows(rows: Iterable[tuple[str, str]]) -> None:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold", style="dim")
    for row in rows:
        table.add_row(*map(Text, row))
    console().print(table)


def check(what: Path) -> int:
    if what.is_dir():
        return check_runner(what)
    loaded = study.load(str(what)) if what.suffix == ".toml" else None
    if loaded is None:
        raise UserError(f"{what}: neither a study (a file that ends in .toml) nor the folder of a runner")
    from iogauge import claims

    made = [session.prepare(str(what), {}, planning.Options(protocol=each), say).plan for each in loaded.protocols]
    claims.check(loaded, str(what), claims.planned(made))
    for each in made:
        print(f"{what}: ok: {each.protocol}: {len(each.groups)} groups, {len(each.cases)} cases, {len(each.forks)} forks")
        for skipped in each.skipped:
            print(f"not measured here: {skipped.what}: {skipped.why}")
    if loaded.published or loaded.claim:
        print(f"{what}: ok: {sum(len(each.values) for each in loaded.published)} published numbers, {len(loaded.claim)} claims")
    return DONE


def claims(given: Path | None, by: str | None) -> int:
    """The scoreboard of a run's claims, with the published numbers beside those measured."""
    from iogauge import claims as judging
    from iogauge.outputs import scoreboard

    path = newest(given)
    version = study.load(by) if by else None
    scored = _made(path, lambda run: judging.score(run, version), _read(path))
    if not scored.study.claim and not scored.study.published:
        raise UserError(f"{path}: the study {scored.study.id} has neither claims nor published numbers")
    console().print(scoreboard.render(scored))
    return DONE


def check_runner(folder: Path) -> int:
    from iogauge import conformance

    runner = runners.load(folder)
    ready, missing = runners.prepare({}, say, [runner])
    if missing:
        raise UserError(missing[0].why)
    failures = 0
    for each in ready:
        results = list(conformance.suite(each))
        failed = [result for result in results if result.problem]
        for result in failed:
            print(f"{each.runtime.name}: {result.name}: {result.problem}")
        print(f"{each.runtime.name}: {len(results) - len(failed)} of {len(results)} checks passed")
        failures += len(failed)
    return NO if failures else DONE


def doctor(directory: Path | None) -> int:
    folder = session.data_folder(directory)
    out = console()
    facts = host.facts(folder)
    out.print(Text("machine", style="bold"))
    rows = [
        ("processor", f"{facts['processor'] or facts['machine']}, {facts['cores']} cores"),
        ("memory", f"{size(facts['memory_available_bytes'])} of {size(facts['memory_bytes'])} available"),
        ("kernel", f"Linux {facts['kernel']}, huge pages {facts['transparent_huge_pages'] or 'unknown'}"),
    ]
    ahead = facts["read_ahead_bytes"]
    rows.append(("data directory", f"{folder} ({facts['file_system']}, read-ahead {size(ahead) if ahead else 'unknown'})"))
    _print_rows(rows)
    out.print(Text("\npage cache", style="bold"))
    reason = pagecache.can_evict(folder)
    _print_rows(
        [
            ("observing", pagecache.observer(folder)),
            ("cold", f"not possible: {reason}" if reason else "fdatasync and posix_fadvise evict, checked just now"),
        ]
    )
    out.print(Text("\ndurable writes", style="bold"))
    refused = {kind: why_not(kind, folder) for kind in ("fsync", "sync-inode", "sync-mount")}
    _print_rows([(kind, f"not possible: {reason}" if reason else "possible") for kind, reason in refused.items()])
    counted = "counted before and after each sample" if has_counters(folder) else "not known: no block device below this directory counts them"
    _print_rows([("device writes", counted)])
    out.print(Text("\nmemory at first touch", style="bold"))
    touch = host.first_touch()
    if touch is None:
        print("could not be measured")
    else:
        verdict = "memory is touched before cold reads and writes" if touch.matters else "no counter-measure needed"
        _print_rows([("rested", rate(touch.rested)), ("just used", rate(touch.used)), ("so", verdict)])
    out.print(Text("\nruntimes", style="bold"))
    _print_runtimes({})
    out.print(Text("\nwhat disturbs here", style="bold"))
    for text in host.disturbances(facts) or ["nothing that can be seen from here"]:
        out.print(_indented(Text(text)))
    return DONE


def clean(directory: Path | None) -> int:
    from iogauge import corpus

    folder = session.data_folder(directory)
    freed = corpus.clean(folder)
    if directory is None:
        freed += runners.remove_builds() + sum(map(folders.remove, folders.MADE_AGAIN))
    print(f"{size(freed)} freed")
    return DONE


# ---------------------------------------------------------------------------------------------------------- small things


def chosen_runtimes(given: list[str] | None) -> dict[str, list[str]]:
    """`jvm=PATH` arguments by runner, in order."""
    chosen: dict[str, list[str]] = {}
    for text in given or []:
        name, path = _named("--runtime", text, "NAME=PATH, e.g. jvm=/path/to/jdk")
        chosen.setdefault(name, []).append(path)
    return chosen


def _settings(given: list[str] | None) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """`jvm=-XX:+UseZGC` arguments: per argument the runner and its options, several in one argument apart by blanks."""
    settings = []
    known = {runner.name for runner in runners.all_runners()} if given else set()
    for text in given or []:
        name, options = _named("--runtime-option", text, "NAME=OPTION, e.g. jvm=-XX:+UseZGC")
        if name not in known:
            raise UserError(f"--runtime-option {text}: no runner is called {name!r}; there are: {', '.join(sorted(known))}")
        settings.append((name, tuple(options.split())))
    return tuple(settings)


def _protocol(given: str | None) -> Protocol:
    if given not in (None, *get_args(Protocol)):
        raise UserError(f"--protocol {given}: allowed: {', '.join(get_args(Protocol))}")
    return given or "sound"


def _named(option: str, text: str, form: str) -> tuple[str, str]:
    """NAME=VALUE, both of them there; `form` is how to write it."""
    name, _, value = text.partition("=")
    if not name or not value.strip():
        raise UserError(f"{option} {text}: write {form}")
    return name, value


def say_skipped(made: Plan) -> None:
    for each in made.skipped:
        say(f"not measured: {each.what}: {each.why}")


def say(text: str) -> None:
    """To the person, not into the result."""
    print(for_stream(text, sys.stderr), file=sys.stderr, flush=True)


def console() -> Console:
    """Standard output, as wide as the terminal but never wider than the tables are made for."""
    made = Console(file=None if sys.stdout.isatty() else _Trimmed(), highlight=False, soft_wrap=False, markup=False, emoji=False)
    made.width = min(made.width, WIDTH) if made.is_terminal else WIDTH
    return made


class _Trimmed(io.TextIOBase):
    """Standard output without the blanks at the ends of lines, with which tables are filled up."""

    def write(self, text: str) -> int:
        sys.stdout.write(_BLANKS.sub("", text))
        return len(text)

    def flush(self) -> None:
        sys.stdout.flush()


def _budget(text: str) -> float:
    seconds = parse_duration(text)
    if seconds < 1:
        raise ValueError(f"{text!r} is too short: at least 1s")
    return seconds


def _parsed(option: str, parse: Any, text: str) -> Any:
    try:
        return parse(text)
    except ValueError as error:
        raise UserError(f"{option}: {error}") from None

