"""`iogauge advise`: what to use for a workload, from stored runs or from a new one."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rich.text import Text

from iogauge import outputs
from iogauge.advice import covering
from iogauge.advice.choice import Advice
from iogauge.advice.closer_look import closer_look
from iogauge.advice.considered import left_out, not_considered
from iogauge.advice.study_to_run import closer_study, first_study
from iogauge.advice.wanted import DEFAULT_SIZE, Wanted
from iogauge.commands import options
from iogauge.commands.arguments import AdviseOptions
from iogauge.commands.exits import DONE, INTERRUPTED, NO, SOMETHING_FAILED
from iogauge.commands.looking import read
from iogauge.commands.measuring import measured
from iogauge.commands.options import budget_of, chosen_runtimes, parsed
from iogauge.commands.output import (
    console,
    print_exported,
    program,
    run_file,
    say,
    say_built,
    say_left_out,
    say_unpacked,
    status_of,
)
from iogauge.corpus.own_file import OwnFile
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.host import capacity, description
from iogauge.host.kernel import mount_of
from iogauge.measuring import session
from iogauge.measuring.cases import Place
from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.model.text import shell_path, shell_word, visible
from iogauge.model.units import ago, exact_size, size
from iogauge.model.workload import Conditions
from iogauge.planning.options import Options
from iogauge.runfile import header as headers
from iogauge.runfile.header import Header
from iogauge.runfile.run import Run
from iogauge.runners.here import Here
from iogauge.study.schema import Study

if TYPE_CHECKING:
    from iogauge.analysis.report import Report

View = Literal["advice", "advice-json"]  # for people, for programs
_MOST_RUNS = 12  # stored runs that are looked at, the nearest and newest first
_MORE_TIME = 5  # times as much, for a surer answer
ADVISE_SECONDS = 27.0  # with starting and ending, an answer in half a minute
_FIRST_LOOK = 0.5  # of the time
_SHORTEST = 4.0  # seconds: less is not worth a closer look


def advise(
    given: list[Path],
    asked: AdviseOptions,
    file: Path | None,
    measure: bool,
    budget: str | None,
    directory: Path | None,
    runtime: list[str] | None,
    view: View = "advice",
) -> int:
    """Say what to use for a workload, from stored runs. Where they leave it open, a run is made for
    it if `measure` is set.
    """
    if given and (measure or file):
        raise UserError(
            f"{'--run measures' if measure else '--file is measured'} anew; leave out the run files"
        )
    seconds = parsed("--budget", budget_of, budget) or ADVISE_SECONDS
    chosen, folder = chosen_runtimes(runtime), session.data_folder(directory)
    own = OwnFile(file, unpacked=True) if file else None
    if own:
        say_unpacked(own)
    wanted = options.wanted(asked, own, any_size=bool(given))
    if own:
        found = {} if measure else _of_own(own, wanted)
    else:
        found = advice_of(given or runs_like(wanted, folder), wanted, named=bool(given))
    covered = next(iter(found.values())).group.workload.size if found else None
    sized = replace(wanted, size=wanted.size or covered)
    again = _command_that_measures(sized, file, directory, runtime)
    if measure:
        if wanted.language in sure_languages(found.values()):
            _print_advice(wanted, found, view)
            return DONE
        _check_conditions(wanted, own, folder)
        measuring = _Measuring(wanted, own, folder, session.found_here(chosen, say), seconds)
        longer = f"{again} --budget {round(_MORE_TIME * seconds)}s"
        return _advise_anew(measuring, found, longer, view)
    if not found:
        # A runner that has the answer may not be built yet.
        if not given and folders.newest_run():
            _worth_measuring(wanted, session.found_here(chosen, say), seconds)
        _print_none(wanted, _no_run(wanted, given, own, usual=not asked.size), view)
        if view == "advice":
            print(f"Measure it:\n\n    {again}")
        return NO
    known = _source(next(iter(found.values())).header) if own else None
    _print_advice(wanted, found, view, known)
    unsure = [each.choice.case.language for each in found.values() if not each.sure]
    if unsure:
        several = len(found) > 1
        one = replace(sized, language=unsure[0]) if several else sized
        again = _command_that_measures(one, file, directory, runtime)
        say(f"\nFor a surer answer, measure {unsure[0] if several else 'it'} here:\n{again}")
    return DONE


def _no_run(wanted: Wanted, given: list[Path], own: OwnFile | None, *, usual: bool) -> str:
    """That no run has the answer; `usual`: no size was asked for."""
    if own:
        return f"No run shows how to {wanted.title}, as it is now"
    of_size = usual and wanted.size == DEFAULT_SIZE
    usual_size = " (the size that is taken where none is given)" if of_size else ""
    none = "None of these runs" if given else "No run"
    return f"{none} shows how to {wanted.title}{usual_size}"


def _command_that_measures(
    wanted: Wanted, file: Path | None, directory: Path | None, runtime: list[str] | None
) -> str:
    """The command that measures what is wanted, there and on these runtimes."""
    given = [
        ("--file", file),
        ("--dir", directory),
        *(("--runtime", each) for each in runtime or []),
    ]
    words = [str(word) for pair in given if pair[1] for word in pair]
    return " ".join([program(), "advise", *map(shell_word, [*words, *wanted.options]), "--run"])


def advice_of(paths: list[Path], wanted: Wanted, *, named: bool) -> dict[str, Advice]:
    """Per language (or runtime) the advice of the first run that is sure. Where none is sure, that
    of the first run, by the replicates of all runs that measured the same. Runs that cannot be read
    are passed over, unless they were `named`.
    """
    from iogauge.advice.recommendations import recommend
    from iogauge.analysis import report

    reports: dict[object, Report] = {}
    found: dict[str, tuple[Advice, Report]] = {}
    for path in paths if named else paths[:_MOST_RUNS]:
        try:
            made = report.make(read(path))
        except UserError as error:
            if named:
                raise
            say(f"passed over: {error}")
            continue
        if reports.setdefault(made.run.header.identity, made) is not made:
            continue
        found |= {
            name: (each, made)
            for name, each in _by_runtime(recommend(made, wanted)).items()
            if name not in found or (each.sure and not found[name][0].sure)
        }
        if found and wanted.language and all(each.sure for each, _ in found.values()):
            break
    if all(each.sure for each, _ in found.values()):
        return {name: each for name, (each, _) in found.items()}
    known = [each for made in reports.values() for each in made.dataset]
    return {
        name: each if each.sure else _by_runtime(recommend(made, wanted, known))[name]
        for name, (each, made) in found.items()
    }


def _by_runtime(found: dict[str, Advice]) -> dict[str, Advice]:
    """By language and runtime. A run with two JDKs has advice for each, another one for the
    language: this name fits both.
    """
    return {
        f"{each.choice.case.language} {each.choice.case.setting}": each for each in found.values()
    }


def _of_own(own: OwnFile, wanted: Wanted) -> dict[str, Advice]:
    """The advice of the newest run of such a file that has any, and has the repeats that an answer
    takes, if one has; runs of it are not pooled, as they may be of another file.
    """
    each = (advice_of([path], wanted, named=False) for path in _runs_of(own, wanted)[:_MOST_RUNS])
    found = list(filter(None, each))
    enough = (
        one
        for one in found
        if all(advice.choice.replicates >= FEWEST_REPLICATES for advice in one.values())
    )
    return next(enough, found[0] if found else {})


def runs_like(wanted: Wanted, directory: Path, among: Path | None = None) -> list[Path]:
    """The run files of a folder (`among`, or ours) that cover a workload and were measured on this
    host and on such a file system as the directory is on: the nearest first, then the newest.
    """
    here, found = (description.identity(), mount_of(directory).kind), []
    for path in (among or folders.runs()).glob("*.jsonl"):
        with contextlib.suppress(UserError, LookupError):  # of another version, or no run file
            header = headers.read_header(path)
            if header.place != here:
                continue
            apart = covering.distance(header.plan, header.runtimes, wanted)
            if apart is not None:
                found.append((apart, -path.stat().st_mtime_ns, path))
    return [path for *_, path in sorted(found)]


def _runs_of(own: OwnFile, wanted: Wanted) -> list[Path]:
    """The runs that measured what is wanted of a file of exactly this size, where this one is, and
    after it last changed: the newest first. A run file does not say which file it was.
    """
    return [
        path
        for path in runs_like(wanted, own.path.parent)
        if _began(header := headers.read_header(path)) >= int(own.modified)  # in whole seconds
        and any(
            (group.workload.content, group.workload.size) == ("own", own.size)
            for group in header.plan.groups
        )
    ]


def _source(header: Header) -> str:
    """Which run of a file of the user's the advice is from."""
    how = "advise --file FILE --run" if "advise" in header.options else "FILE"
    return (
        f"From a run of {ago(time.time() - _began(header))}, by iogauge {how}, on a file of "
        "exactly this size. Yours has not changed since."
    )


def _began(header: Header) -> float:
    return datetime.fromisoformat(header.started).timestamp()


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
    memory = capacity.available_memory()
    others: dict[str | None, str | None] = {}
    for language in sorted(languages):
        asked = replace(wanted, language=language)
        others[language] = not_considered(left_out(runtimes.values(), asked, memory), asked)
    here = description.identity()
    document = Advised(wanted, tuple(found.values()), here, others, known, reason)
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


def sure_languages(found: Iterable[Advice]) -> set[str | None]:
    """The languages whose every advice is sure: with two JDKs there is one for each."""
    unsure: dict[str, bool] = {}
    for each in found:
        language = each.choice.case.language
        unsure[language] = unsure.get(language, False) or not each.sure
    return {language for language in unsure if not unsure[language]}


def _worth_measuring(wanted: Wanted, here: Here, seconds: float) -> Study:
    """The study that answers what is wanted. Raises UserError where there are not two ways to
    compare.
    """
    absent = next((each.why for each in here.missing if wanted.language in each.languages), None)
    if absent:
        raise UserError(absent)
    runtimes, memory = here.runtimes, capacity.available_memory()
    study = first_study(wanted, runtimes, memory, seconds)
    if study is None:
        others = not_considered(left_out(runtimes, wanted, memory), wanted, named=True)
        listed = "iogauge list strategies shows what there is"
        why = f"not considered: {others}" if others else listed
        raise UserError(f"there are not two ways here to {wanted.title}; {why}")
    return study


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


@dataclass(frozen=True)
class _Measuring:
    """What is wanted, on which file (None for one of ours), where, with what is here, and in how
    many seconds: a first look at few values of each parameter, then a closer one.
    """

    wanted: Wanted
    own: OwnFile | None
    folder: Path
    here: Here
    seconds: float

    def first(self) -> session.Prepared:
        """The plan of the first look. Raises UserError where there are not two ways to compare."""
        seconds = self.seconds * _FIRST_LOOK
        return self._planned(lambda: _worth_measuring(self.wanted, self.here, seconds))

    def twice(self, prepared: session.Prepared) -> tuple[Path, str]:
        """Carry out a plan, then look closer as long as time is left.

        Gives the run file to advise from and why the last run ended.
        """
        began = time.monotonic()
        run, path, reason = self._measure(prepared)
        left = self.seconds - (time.monotonic() - began)
        study = self._closer(run, left) if reason != "interrupted" and left >= _SHORTEST else None
        if study is None:
            return path, reason
        closer = self._planned(lambda: study)
        ways = len(closer.plan.groups[0].cases) - 1  # without the control
        say(f"first look: {visible(str(path))}\nA closer look at {ways} ways.")
        _, nearer, reason = self._measure(closer)
        return nearer, reason

    def _planned(self, study: Callable[[], Study]) -> session.Prepared:
        """The plan of a study, which may change with what is here."""
        return session.planned(study, "advise", self.here, Options(seed=session.random_seed()))

    def _measure(self, prepared: session.Prepared) -> tuple[Run, Path, str]:
        asked = [*(["--file", "YOUR-FILE"] if self.own else []), *self.wanted.options]
        return measured(prepared, self.folder, {"advise": asked}, own=self.own)

    def _closer(self, run: Run, seconds: float) -> Study | None:
        """The study of the closer look. None if the first one left nothing open, or no choice."""
        from iogauge.advice.recommendations import recommend
        from iogauge.analysis import report

        made = report.make(run)
        chosen = closer_look(made.groups[0])
        tried = [(each.strategy, each.parameters) for each in run.plan.cases]
        advice = recommend(made, self.wanted)
        sure = advice and all(each.sure for each in advice.values())
        if not chosen or (sure and all(each in tried for each in chosen)):
            return None
        return closer_study(self.wanted, chosen, seconds)


def _advise_anew(measuring: _Measuring, known: dict[str, Advice], longer: str, view: View) -> int:
    """Measure, unless what is `known` is sure for each language that is here; then advise. `longer`
    is the command that takes more time.
    """
    wanted, own = measuring.wanted, measuring.own
    prepared = measuring.first()
    if {each.language for each in prepared.plan.cases} <= sure_languages(known.values()):
        _print_advice(wanted, known, view)
        return DONE
    say_left_out(prepared)
    path, reason = measuring.twice(prepared)
    interrupted = reason == "interrupted"
    say_built(measuring.here)
    if found := _after(path, wanted, [] if own else runs_like(wanted, measuring.folder)):
        _print_advice(wanted, found, view)
        if not interrupted and not all(each.sure for each in found.values()):
            say(f"\nFor a surer answer, give it more time:\n{longer}")
        say(f"\nThe tables: {program()} show. Why: {program()} explain.\n{run_file(path)}")
        return INTERRUPTED if interrupted else status_of(prepared, wanted.language)
    if own and not interrupted:
        own.manifest()  # where the file has changed, that is why
    no_comparison = f"nothing can be advised: this run has no valid comparison{_why_none(path)}"
    why = "it was interrupted too early" if interrupted else no_comparison
    if view == "advice-json":
        _print_none(wanted, why, view)
    say(f"{why}; what was measured: {program()} show {shell_path(path)}")
    return INTERRUPTED if interrupted else SOMETHING_FAILED


def _after(path: Path, wanted: Wanted, stored: list[Path]) -> dict[str, Advice]:
    """The advice of a new run, with that of the stored ones; none if it has none itself."""
    if not advice_of([path], wanted, named=True):
        return {}
    return advice_of([path, *(each for each in stored if each != path)], wanted, named=False)


def _why_none(path: Path) -> str:
    """Why most cases of a run have no figures, or identical code differed, after a colon; nothing
    where neither is so.
    """
    from iogauge.analysis import report

    groups = report.make(read(path)).groups
    if any(each.suspended for each in groups):
        return ": the same code, run twice, differed"
    failures = Counter(case.failure for group in groups for case in group.cases if case.failure)
    return f": {failures.most_common(1)[0][0]}" if failures else ""
