"""What to use for a workload, `iogauge advise`: from stored runs, or from a new one."""

from __future__ import annotations

import contextlib
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from rich.text import Text

from iogauge import outputs
from iogauge.advice import studies
from iogauge.advice.choice import Advice, recommend
from iogauge.advice.wanted import (
    DEFAULT_SIZE,
    Wanted,
    distance,
    is_of_unknown_state,
    is_unknown,
    left_out,
    not_considered,
)
from iogauge.analysis import report
from iogauge.analysis.report import Report
from iogauge.commands import arguments as arg
from iogauge.commands import options, then_read
from iogauge.commands.exits import DONE, INTERRUPTED, NO, SOMETHING_FAILED
from iogauge.commands.looking import read
from iogauge.commands.measuring import measured
from iogauge.commands.options import (
    budget_of,
    chosen_runtimes,
    parsed,
    states_of_own,
)
from iogauge.commands.output import (
    WIDTH,
    console,
    print_exported,
    program,
    run_file,
    say,
    say_built,
    say_left_out,
    status_of,
)
from iogauge.corpus.own_file import OwnFile
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.host import capacity, description
from iogauge.host.kernel import mount_of
from iogauge.host.pauses import RUNNING
from iogauge.measuring import session
from iogauge.measuring.cases import Place
from iogauge.measuring.session import Prepared
from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.model.plan import Versions
from iogauge.model.text import shell_path, shell_word, visible
from iogauge.model.units import ago, exact_size, size
from iogauge.model.workload import USUAL, CachedBy, Conditions
from iogauge.outputs import file_profile
from iogauge.outputs.document import Advised
from iogauge.planning.options import Options
from iogauge.runfile import header as headers
from iogauge.runfile.header import Header
from iogauge.runfile.run import Run
from iogauge.runners.runtimes import Runtimes
from iogauge.study.schema import Study

_MOST_RUNS = 12  # stored runs that are looked at, the nearest and newest first
_MORE_TIME = 5  # times as much, for a surer answer
ADVISE_SECONDS = 26.0  # with starting and ending, an answer in half a minute
_FIRST_LOOK = 0.5  # of the time
_SHORTEST = 4.0  # seconds: less is not worth a closer look


def advise(given: arg.Advise) -> int:
    """Say what to use for a workload, and perhaps what it costs whoever reads the file next."""
    then_read.check(given)
    if not given.then:
        return _advise(given)
    wanted, folder = options.wanted(given, None), session.data_folder(given.directory)
    here = session.found_here(chosen_runtimes(given.runtime), say)
    then_read.study(wanted, here, ADVISE_SECONDS)  # whether it can be measured
    status = _advise(given)
    if status == INTERRUPTED:
        return status
    return then_read.measure(given, wanted, here, folder) or status


def _advise(given: arg.Advise) -> int:
    """From stored runs or, with --run, from a new one."""
    if given.runs and (given.measure or given.file):
        raise UserError(
            f"{'--run measures' if given.measure else '--file is measured'} anew; leave out the "
            "run files"
        )
    seconds = parsed("--budget", budget_of, given.budget) or ADVISE_SECONDS
    chosen, folder = chosen_runtimes(given.runtime), session.data_folder(given.directory)
    own = OwnFile(given.file, unpacked=True) if given.file else None
    wanted = options.wanted(given, own)
    if own:
        if given.cached_by:
            states_of_own(given.cached_by, own, folder)
        say_what(own)
        found = {} if given.measure else _of_own(own, wanted)
    else:
        if given.runs and (status := _over_hosts(given, wanted)) is not None:
            return status
        paths = given.runs or runs_like(wanted, folder)
        found = advice_of(paths, wanted, named=bool(given.runs))
    covered = next(iter(found.values())).group.workload.size if found else None
    sized = replace(wanted, size=wanted.size or covered)
    again = _command_that_measures(sized, given)
    if given.measure:
        if wanted.language in sure_languages(found.values(), wanted):
            _print_advice(wanted, found, given.as_json, folder=_looked_at(given, folder))
            return DONE
        _check_conditions(wanted, own, folder)
        here = session.found_here(chosen, say)
        longer = f"{again} --budget {round(_MORE_TIME * seconds)}s"
        return _advise_anew(given, wanted, own, here, seconds, found, longer)
    if not found:
        # A runner that has the answer may not be built yet.
        if not given.runs and folders.newest_run():
            _worth_measuring(wanted, session.found_here(chosen, say), seconds)
        why = f"{_no_run(wanted, given)}."
        if given.as_json:
            _print_advice(wanted, {}, as_json=True, reason=why)
        else:
            console().print(Text(why))
            print(f"Measure it:\n\n    {again}")
        return NO
    known = _source(next(iter(found.values())).header) if own else None
    _print_advice(wanted, found, given.as_json, known, folder=_looked_at(given, folder))
    unsure = [
        each.choice.case.language
        for each in found.values()
        if not each.settled or (each.is_of_one_state and wanted.cached_by is None)
    ]
    if unsure:
        several = len(found) > 1
        one = replace(sized, language=unsure[0]) if several else sized
        again = _command_that_measures(one, given)
        say(f"\nFor a surer answer, measure {unsure[0] if several else 'it'} here:\n{again}")
    return DONE


def _over_hosts(given: arg.Advise, wanted: Wanted) -> int | None:
    """The advice over hosts, where the runs are of several; else None."""
    from iogauge.commands import over_hosts

    over = over_hosts.advised(given.runs or [], wanted)
    if over is None:
        return None
    if given.as_json:
        print_exported(outputs.renderer("hosts-json")(over))
    elif over.advice:
        console().print(outputs.renderer("advice-over-hosts")(over))
    else:
        console().print(Text(f"{_no_run(wanted, given)}."))
        print(f"What they measured: {program()} show {' '.join(map(shell_path, given.runs or []))}")
    return DONE if over.advice else NO


def say_what(file: OwnFile, *, by_own_code: bool = False) -> None:
    """What the file is, in lines as wide as the tables."""
    say(filled(file_profile.line(file, by_own_code=by_own_code)))


def filled(text: str) -> str:
    """Lines as wide as the tables."""
    wrap = textwrap.TextWrapper(WIDTH, subsequent_indent="  ")
    wrap.break_long_words = wrap.break_on_hyphens = False
    return wrap.fill(text)


def _no_run(wanted: Wanted, given: arg.Advise) -> str:
    """That no run has the answer."""
    if wanted.own:
        return f"No run shows how to {wanted.title}, as it is now"
    usual = not given.size and wanted.size == DEFAULT_SIZE
    usual_size = " (the size that is taken where none is given)" if usual else ""
    none = "None of these runs" if given.runs else "No run"
    return f"{none} shows how to {wanted.title}{usual_size}"


def _command_that_measures(wanted: Wanted, given: arg.Advise) -> str:
    """The command that measures what is wanted, there and on these runtimes."""
    words = [*given.words("file", "directory", "runtime"), *wanted.options]
    return " ".join([program(), "advise", *map(shell_word, words), "--run"])


def advice_of(paths: list[Path], wanted: Wanted, *, named: bool) -> dict[str, Advice]:
    """Per language (or runtime) the advice of the first run that is sure. Where none is sure, that
    of the first run, by the replicates of all runs that measured the same. Runs that cannot be read
    are passed over, unless they were `named`.
    """
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
            if name not in found or _known(each) > _known(found[name][0])
        }
        if found and wanted.language and all(each.settled for each, _ in found.values()):
            break
    if all(each.settled for each, _ in found.values()):
        return {name: each for name, (each, _) in found.items()}
    known = [each for made in reports.values() for each in made.dataset]
    return {
        name: each if each.settled else _by_runtime(recommend(made, wanted, known))[name]
        for name, (each, made) in found.items()
    }


def _known(found: Advice) -> tuple[bool, bool, bool]:
    """Whether it is known how the file came into the cache, whether that was in several ways if it
    matters, and whether the advice is sure: the more, the better.
    """
    known = not is_of_unknown_state(found.group.conditions)
    return known, not found.is_of_one_state, found.settled


def _by_runtime(found: dict[str, Advice]) -> dict[str, Advice]:
    """By language and runtime: runs with one JDK and with two have the same names then."""
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
    host and on such a file system as the directory is on: the nearest first, of those the ones in
    which cached files were in several states, then the newest; last those of which nobody knows how
    a cached file came into the cache.
    """
    here, found = (description.identity(), mount_of(directory).kind), []
    for path in (among or folders.runs()).glob("*.jsonl"):
        with contextlib.suppress(UserError, LookupError):  # of another version, or no run file
            header = headers.read_header(path)
            if header.place != here:
                continue
            asked = header.plan, header.runtimes, wanted
            apart = distance(*asked)
            one_state = not any(each.along == "cached_by" for each in header.plan.spans)
            if apart is not None:
                rank = is_unknown(*asked), apart, one_state and wanted.cached_by is None
                found.append((*rank, -path.stat().st_mtime_ns, path))
    return [path for *_, path in sorted(found)]


def _runs_of(own: OwnFile, wanted: Wanted) -> list[Path]:
    """The runs that measured what is wanted of a file of exactly this size, where this one is, and
    after it last changed: the newest first. A run file does not say which file it was.
    """
    found = [
        path
        for path in runs_like(wanted, own.path.parent)
        if _began(header := headers.read_header(path)) >= int(own.modified)  # in whole seconds
        and any(
            (group.workload.content, group.workload.size) == ("own", own.size)
            for group in header.plan.groups
        )
    ]
    return sorted(found, key=lambda each: -each.stat().st_mtime_ns)


def _source(header: Header) -> str:
    """Which run of a file of the user's the advice is from."""
    how = "advise --file FILE --run" if "advise" in header.options else "FILE"
    as_left = any(each.conditions.as_left for each in header.plan.groups)
    but = ", but it may lie in the cache in another way" if as_left else ""
    return (
        f"From a run of {ago(time.time() - _began(header))}, by iogauge {how}, on a file of "
        f"exactly this size. Yours has not changed since{but}."
    )


def _began(header: Header) -> float:
    return datetime.fromisoformat(header.started).timestamp()


def _print_advice(
    wanted: Wanted,
    found: dict[str, Advice],
    as_json: bool,
    known: str | None = None,
    reason: str | None = None,
    folder: Path | None = None,
) -> None:
    """`folder` is where the files of what was asked about are, if that is told."""
    languages = {each.choice.case.language for each in found.values()}
    runtimes = {each.name: each for one in found.values() for each in one.header.runtimes}
    memory = capacity.available_memory()
    others: dict[str | None, str | None] = {}
    for language in sorted(languages):
        asked = replace(wanted, language=language)
        others[language] = not_considered(left_out(runtimes.values(), asked, memory), asked)
    here = description.identity()
    document = Advised(wanted, tuple(found.values()), here, others, known, reason)
    if as_json:
        print_exported(outputs.renderer("advice-json")(document))
    else:
        console().print(outputs.renderer("advice")(document))
        if wanted.operation == "write" and folder:
            for line in then_read.left_behind(found.values(), folder):
                print(filled(line))


def _looked_at(given: arg.Advise, folder: Path) -> Path | None:
    """The folder whose stored runs tell what writes cost a reader; None where that is measured."""
    return None if given.then else folder


def sure_languages(found: Iterable[Advice], wanted: Wanted) -> set[str | None]:
    """The languages whose every advice is sure: with two JDKs there is one for each. Advice on a
    mapping is not, if it comes from one state of the cached file alone and any is wanted.
    """
    languages = [
        (
            each.choice.case.language,
            each.settled and (wanted.cached_by is not None or not each.is_of_one_state),
        )
        for each in found
    ]
    unsure = {language for language, sure in languages if not sure}
    return {language for language, _ in languages if language not in unsure}


def _worth_measuring(wanted: Wanted, here: Runtimes, seconds: float) -> Study:
    """The study that answers. Raises UserError where there are not two ways to compare."""
    absent = next((each.why for each in here.missing if wanted.language in each.languages), None)
    if absent:
        raise UserError(absent)
    runtimes, memory = here.runtimes, capacity.available_memory()
    study = studies.first_study(wanted, runtimes, memory, seconds)
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


def _advise_anew(
    given: arg.Advise,
    wanted: Wanted,
    own: OwnFile | None,
    here: Runtimes,
    seconds: float,
    known: dict[str, Advice],
    longer: str,
) -> int:
    """Measure, unless what is `known` is sure for each language that is here; then advise. `longer`
    is the command that takes more time.
    """
    folder = session.data_folder(given.directory)
    first = planned("advise", here, lambda: _worth_measuring(wanted, here, seconds * _FIRST_LOOK))
    if {each.language for each in first.plan.cases} <= sure_languages(known.values(), wanted):
        _print_advice(wanted, known, given.as_json, folder=_looked_at(given, folder))
        return DONE
    say_left_out(first)
    path, reason = _looked_twice(first, wanted, own, folder, here, seconds)
    interrupted = reason == "interrupted"
    say_built(here)
    if found := _after(path, wanted, [] if own else runs_like(wanted, folder)):
        _print_advice(wanted, found, given.as_json, folder=_looked_at(given, folder))
        if not interrupted and not all(each.settled for each in found.values()):
            say(f"\nFor a surer answer, give it more time:\n{longer}")
        say(f"\nThe tables: {program()} show. Why: {program()} explain.\n{run_file(path)}")
        languages = [wanted.language] if wanted.language else []
        return INTERRUPTED if interrupted else status_of(first, languages)
    if own and not interrupted:
        own.manifest()  # where the file has changed, that is why
    no_comparison = f"nothing can be advised: this run has no valid comparison{_why_none(path)}"
    why = "it was interrupted too early" if interrupted else no_comparison
    if given.as_json:
        _print_advice(wanted, {}, as_json=True, reason=f"{why}.")
    say(f"{why}; what was measured: {program()} show {shell_path(path)}")
    return INTERRUPTED if interrupted else SOMETHING_FAILED


def _looked_twice(
    first: Prepared,
    wanted: Wanted,
    own: OwnFile | None,
    folder: Path,
    here: Runtimes,
    seconds: float,
) -> tuple[Path, str]:
    """Carry out a first look at few values of each parameter, then a closer one as long as time is
    left. Gives the run file to advise from and why the last run ended.
    """
    kept = {"advise": [*(["--file", "YOUR-FILE"] if own else []), *wanted.options]}
    began = RUNNING()
    run, path, reason = measured(first, folder, kept, own=own)
    left = seconds - (RUNNING() - began)
    more = _further_states(wanted, run, own, folder)
    is_over = reason == "interrupted" or left < _SHORTEST
    study = None if is_over else _closer(wanted, run, left, more)
    if study:
        closer = planned("advise", here, lambda: study, folder)
        ways = len(closer.plan.groups[0].cases) - 1  # without the control
        say(f"first look: {visible(str(path))}\nA closer look at {ways} ways.")
        _, path, reason = measured(closer, folder, kept, own=own)
    return path, reason


def planned(
    where: str,
    here: Runtimes,
    study: Callable[[], Study],
    folder: Path | None = None,
    versions: Versions | None = None,
) -> Prepared:
    """The plan of a study, which may change with what is here."""
    options = Options(seed=session.random_seed(), versions=versions)
    return session.planned(study, where, here, options, folder)


def _further_states(
    wanted: Wanted, run: Run, own: OwnFile | None, folder: Path
) -> tuple[CachedBy, ...]:
    """The states of a cached file in which the closer look measures, where a mapping is the best
    way or close to it: its advice is not to come from one state alone. None where the others cannot
    be had.
    """
    closest = studies.closer_look(report.make(run).groups[0])
    mapped = {
        name
        for runtime in run.header.runtimes
        for name, strategy in runtime.strategies.items()
        if strategy.reads_mapped
    }
    is_asked = wanted.cache == "warm" and wanted.cached_by is None
    if not is_asked or not any(name in mapped for name, _ in closest):
        return ()
    states: tuple[CachedBy, ...] = (*USUAL, "write-small")
    if own:
        with contextlib.suppress(UserError):
            return states_of_own(",".join(states), own, folder)
        return ()
    return states


def _closer(
    wanted: Wanted, run: Run, seconds: float, cached_by: Sequence[CachedBy]
) -> Study | None:
    """The study of the closer look, in these states of the cache if any are given. None if the
    first one left nothing open, or no choice.
    """
    made = report.make(run)
    chosen = studies.closer_look(made.groups[0])
    tried = [(each.strategy, each.parameters) for each in run.plan.cases]
    advice = recommend(made, wanted)
    sure = advice and all(each.settled for each in advice.values())
    if not chosen or (sure and not cached_by and all(each in tried for each in chosen)):
        return None
    return studies.closer_study(wanted, chosen, seconds, cached_by)


def _after(path: Path, wanted: Wanted, stored: list[Path]) -> dict[str, Advice]:
    """The advice of a new run, with that of the stored ones; none if it has none itself."""
    if not advice_of([path], wanted, named=True):
        return {}
    return advice_of([path, *(each for each in stored if each != path)], wanted, named=False)


def _why_none(path: Path) -> str:
    """Why most cases of a run have no figures, or identical code differed, after a colon; nothing
    where neither is so.
    """
    groups = report.make(read(path)).groups
    if any(each.suspended for each in groups):
        return ": the same code, run twice, differed"
    failures = Counter(case.failure for group in groups for case in group.cases if case.failure)
    return f": {failures.most_common(1)[0][0]}" if failures else ""
