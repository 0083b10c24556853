"""The command that says what to use for a workload, from stored runs or from one that it makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rich.text import Text

from iogauge import outputs
from iogauge.advice.choice import Advice
from iogauge.advice.considered import left_out, not_considered
from iogauge.advice.study_to_run import study_text
from iogauge.advice.wanted import DEFAULT_SIZE, Wanted
from iogauge.commands import afterwards
from iogauge.commands.asked import Asked
from iogauge.commands.looking import made_of, read
from iogauge.commands.looking_twice import FIRST_LOOK, Looking
from iogauge.commands.options import budget_of, chosen_runtimes, parsed
from iogauge.commands.saying import (
    console,
    print_exported,
    say,
    say_built,
    say_left_out,
    say_unpacked,
)
from iogauge.commands.stored import runs_like, runs_of, whence
from iogauge.corpus.own_file import OwnFile
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.host import capacity, description
from iogauge.measuring import session
from iogauge.measuring.cases import Place
from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.model.status import DONE, INTERRUPTED, NO, SOMETHING_FAILED
from iogauge.model.text import shell_path, shell_word
from iogauge.model.units import exact_size, size
from iogauge.model.workload import Conditions
from iogauge.runners.finding import Choices
from iogauge.runners.here import Here

if TYPE_CHECKING:
    from iogauge.analysis.report import Report

View = Literal["advice", "advice-json"]  # for people, for programs
_MOST_RUNS = 12  # stored runs that are looked at, the nearest and newest first
_PIECE = 4096  # bytes that random access reads at each place, unless others are asked for
_MORE_TIME = 5  # times as much, to be surer
ADVISE_SECONDS = 27.0  # with starting and ending, an answer in half a minute


def advise(
    given: list[Path],
    asked: Asked,
    file: Path | None,
    measure: bool,
    budget: str | None,
    directory: Path | None,
    runtime: list[str] | None,
    view: View = "advice",
) -> int:
    """Say what to use for a workload, from stored runs. Where they leave it open and `measure` says
    so, a run is made for it.
    """
    if given and (measure or file):
        raise UserError(
            f"{'--run measures' if measure else '--file is measured'} anew; leave out the run files"
        )
    seconds = ADVISE_SECONDS if budget is None else parsed("--budget", budget_of, budget)
    chosen, folder = chosen_runtimes(runtime), session.data_folder(directory)
    own = OwnFile(file, unpacked=True) if file else None
    if own:
        say_unpacked(own)
    wanted = asked.wanted(own, any_size=bool(given))
    if own:
        found = {} if measure else _of_own(own, wanted)
    else:
        found = advice_of(given or runs_like(wanted, folder), wanted, named=bool(given))
    covered = next(iter(found.values())).group.workload.size if found else None
    sized = replace(wanted, size=wanted.size or covered)
    again = _measuring(sized, file, directory, runtime)
    if measure:
        return _advise_anew(
            wanted,
            own,
            seconds,
            folder,
            chosen,
            found,
            f"{again} --budget {round(_MORE_TIME * seconds)}s",
            view,
        )
    if not found:
        # Without a run, what could tell is perhaps not built yet.
        if not given and folders.newest_run():
            _worth_measuring(wanted, session.found_here(chosen, say), seconds)
        says = _untold(wanted, given, own, usual=not asked.size)
        _print_none(wanted, says, view)
        if view == "advice":
            print(f"Measure it:\n\n    {again}")
        return NO
    known = whence(next(iter(found.values())).header) if own else None
    _print_advice(wanted, found, view, known)
    unsure = [each.choice.case.language for each in found.values() if not each.sure]
    if unsure:
        one = replace(sized, language=unsure[0]) if len(found) > 1 else sized
        again = _measuring(one, file, directory, runtime)
        say(f"\nTo be surer, measure {unsure[0] if len(found) > 1 else 'it'} here:\n{again}")
    return DONE


def _untold(wanted: Wanted, given: list[Path], own: OwnFile | None, *, usual: bool) -> str:
    """That no run tells it; `usual`: no size was asked for."""
    if own:
        return f"No run tells how to {wanted.title}, as it is now"
    taken = " (the size that is taken where none is given)"
    of_size = taken if usual and wanted.size == DEFAULT_SIZE else ""
    return f"No run{' of these' if given else ''} tells how to {wanted.title}{of_size}"


def _measuring(
    wanted: Wanted, file: Path | None, directory: Path | None, runtime: list[str] | None
) -> str:
    """The command that measures what is wanted, there and on these runtimes."""
    given = [
        ("--file", file),
        ("--dir", directory),
        *(("--runtime", each) for each in runtime or []),
    ]
    words = [str(word) for pair in given if pair[1] for word in pair]
    return " ".join(
        [
            afterwards.program(),
            "advise",
            *map(shell_word, [*words, *wanted.options]),
            "--run",
        ]
    )


def advice_of(paths: list[Path], wanted: Wanted, *, named: bool) -> dict[str, Advice]:
    """Per language (or runtime) the advice of the first run that is sure. Where none is sure, that
    of the first run, by the replicates of all runs that measured the same. Runs that cannot be read
    are passed over, unless they were `named`.
    """
    from iogauge.advice.recommendations import recommend
    from iogauge.analysis import report
    from iogauge.runfile.dataset import concatenate
    from iogauge.runfile.header import identity

    reports: dict[object, Report] = {}
    found: dict[str, tuple[Advice, Report]] = {}
    for path in paths if named else paths[:_MOST_RUNS]:
        try:
            made, advice = made_of(
                path, lambda run: ((made := report.make(run)), recommend(made, wanted)), read(path)
            )
        except UserError as error:
            if named:
                raise
            say(f"passed over: {error}")
            continue
        if reports.setdefault(identity(made.run.header), made) is not made:
            continue
        found |= {
            name: (each, made)
            for name, each in _by_runtime(advice).items()
            if name not in found or (each.sure and not found[name][0].sure)
        }
        if found and wanted.language and all(each.sure for each, _ in found.values()):
            break
    if all(each.sure for each, _ in found.values()):
        return {name: each for name, (each, _) in found.items()}
    known = concatenate([each.dataset for each in reports.values()])
    return {
        name: each if each.sure else _by_runtime(recommend(made, wanted, known))[name]
        for name, (each, made) in found.items()
    }


def _of_own(own: OwnFile, wanted: Wanted) -> dict[str, Advice]:
    """The advice of the newest run of such a file that has any, and has the repeats that an answer
    takes, if one has; runs of it are not pooled, as they may be of another file.
    """
    each = (advice_of([path], wanted, named=False) for path in runs_of(own, wanted)[:_MOST_RUNS])
    found = list(filter(None, each))
    enough = (
        one
        for one in found
        if all(advice.choice.replicates >= FEWEST_REPLICATES for advice in one.values())
    )
    return next(enough, found[0] if found else {})


def _by_runtime(found: dict[str, Advice]) -> dict[str, Advice]:
    """By language and runtime. A run with two JDKs has advice for each, another one for the
    language: this name fits both.
    """
    return {
        f"{each.choice.case.language} {each.choice.case.setting}": each for each in found.values()
    }


def _print_advice(
    wanted: Wanted,
    found: dict[str, Advice],
    view: View,
    known: str | None = None,
    reason: str | None = None,
) -> None:
    from iogauge.outputs.document import Advised

    languages = {each.choice.case.language for each in found.values()}
    runtimes = {each.name: each for one in found.values() for each in one.header.runtimes}
    asked = [replace(wanted, language=each) for each in sorted(languages)]
    memory = capacity.available_memory()
    says = {
        each.language: not_considered(left_out(runtimes.values(), each, memory), each)
        for each in asked
    }
    here = description.identity()
    document = Advised(wanted, tuple(found.values()), here, says, known, reason)
    if view == "advice-json":
        print_exported(outputs.renderer(view)(document))
    else:
        console().print(outputs.renderer(view)(document))


def _print_none(wanted: Wanted, why: str, view: View) -> None:
    """Why there is no advice."""
    if view == "advice-json":
        _print_advice(wanted, {}, view, reason=f"{why}.")
    else:
        console().print(Text(f"{why}."))


def _worth_measuring(wanted: Wanted, here: Here, seconds: float) -> str:
    """The study that answers what is wanted. Raises UserError where there are not two ways to
    compare.
    """
    absent = next((each.why for each in here.missing if wanted.language in each.languages), None)
    if absent:
        raise UserError(absent)
    runtimes, memory = here.runtimes, capacity.available_memory()
    text = study_text(wanted, runtimes, memory, seconds)
    if text is None:
        says = not_considered(left_out(runtimes, wanted, memory), wanted, named=True)
        why = f"not considered: {says}" if says else "iogauge list strategies shows what there is"
        raise UserError(f"there are not two ways here to {wanted.title}; {why}")
    return text


def sure_languages(found: Iterable[Advice]) -> set[str]:
    """The languages whose every advice is sure: with two JDKs there is one for each."""
    languages: dict[str, list[bool]] = {}
    for each in found:
        languages.setdefault(each.choice.case.language, []).append(each.sure)
    return {language for language, answers in languages.items() if all(answers)}


def _advise_anew(
    wanted: Wanted,
    own: OwnFile | None,
    seconds: float,
    folder: Path,
    chosen: Choices,
    known: dict[str, Advice],
    longer: str,
    view: View,
) -> int:
    """Measure, unless what is known is sure for each language. `longer` is for more time."""
    sure = sure_languages(known.values())
    if wanted.language in sure:
        _print_advice(wanted, known, view)
        return DONE
    _check_conditions(wanted, own, folder)
    looking = Looking(wanted, own, folder, session.found_here(chosen, say))
    prepared = looking.planned(lambda: _worth_measuring(wanted, looking.here, seconds * FIRST_LOOK))
    if {each.language for each in prepared.plan.cases} <= sure:
        _print_advice(wanted, known, view)
        return DONE
    say_left_out(prepared)
    path, reason = looking.twice(prepared, seconds)
    say_built(looking.here)
    if found := _after(path, wanted, [] if own else runs_like(wanted, folder)):
        _print_advice(wanted, found, view)
        if reason != "interrupted" and not all(each.sure for each in found.values()):
            say(f"\nTo be surer, give it more time:\n{longer}")
        start = afterwards.program()
        say(f"\nThe tables: {start} show. Why: {start} explain.\n{afterwards.run_file(path)}")
        asked = afterwards.status_of(prepared, wanted.language)
        return INTERRUPTED if reason == "interrupted" else asked
    interrupted = reason == "interrupted"
    if own and not interrupted:
        own.manifest()  # where the file has changed, that is why
    of_run = f"nothing can be advised: no verdict rests on this run{_why_none(path)}"
    why = "it was interrupted too early" if interrupted else of_run
    if view == "advice-json":
        _print_none(wanted, why, view)
    say(f"{why}; what was measured: {afterwards.program()} show {shell_path(path)}")
    return INTERRUPTED if interrupted else SOMETHING_FAILED


def _why_none(path: Path) -> str:
    """Why most cases of a run have no figures, or identical code differed, after a colon; nothing
    where neither is so.
    """
    from iogauge.analysis import report

    groups = made_of(path, report.make, read(path)).groups
    if any(each.suspended for each in groups):
        return ": the same code, run twice, differed"
    failures = Counter(case.failure for group in groups for case in group.cases if case.failure)
    return f": {failures.most_common(1)[0][0]}" if failures else ""


def _after(path: Path, wanted: Wanted, stored: list[Path]) -> dict[str, Advice]:
    """The advice of a new run, with what the stored runs say; none if it has none itself."""
    if not advice_of([path], wanted, named=True):
        return {}
    earlier = [each for each in stored if each != path]
    return advice_of([path, *earlier], wanted, named=False)


def _check_conditions(wanted: Wanted, own: OwnFile | None, folder: Path) -> None:
    """Raises UserError where what is wanted cannot be had with the file, or in the folder."""
    memory = capacity.available_memory()
    if wanted.cache == "warm" and wanted.size and wanted.size > memory // 2:
        raise UserError(
            f"{exact_size(wanted.size)} do not stay in the cache: half of the memory that is "
            f"available is {size(memory // 2)}; --cache cold can be measured"
        )
    conditions = Conditions(cache=wanted.cache, durability=wanted.durability)
    if why := Place(folder, own).why_not(conditions):
        if wanted.cache == "cold":
            other = "a copy of the file in another folder" if own else "another --dir"
            raise UserError(f"--cache cold: {why}; give --cache warm, or {other}")
        raise UserError(f"--durability {wanted.durability}: {why}; give another --dir")
