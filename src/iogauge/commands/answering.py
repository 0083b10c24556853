"""What to use for a file of the user's, `iogauge FILE`: measured in half a minute, perhaps as their
own code reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from iogauge import outputs
from iogauge.advice import studies
from iogauge.advice.studies import FEW, FEW_ROUNDS, Extent
from iogauge.commands import arguments as arg
from iogauge.commands import asking, caching, gating
from iogauge.commands.advising import ADVISE_SECONDS, filled, planned, say_what
from iogauge.commands.asking import Asked
from iogauge.commands.exits import INTERRUPTED, SOMETHING_FAILED
from iogauge.commands.measuring import measured, must_be_new
from iogauge.commands.options import (
    beside,
    budget_of,
    caches_of,
    chosen_runtimes,
    own_runners,
    parsed,
    states_of_own,
)
from iogauge.commands.output import (
    console,
    measurable,
    named,
    print_run_file,
    program,
    say,
    say_built,
    say_left_out,
    status_of,
)
from iogauge.commands.plans import replicate_seconds
from iogauge.corpus.own_file import OwnFile
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.host import capacity
from iogauge.host.folios import Looker
from iogauge.measuring import first_calls, session
from iogauge.measuring.bench import Longer
from iogauge.measuring.first_calls import FirstCall
from iogauge.measuring.session import Prepared
from iogauge.model.errors import BuildFailed, UserError
from iogauge.model.method import METHOD
from iogauge.model.plan import Plan, Versions
from iogauge.model.strategy import name_of
from iogauge.model.text import shell_path, shell_word
from iogauge.model.units import duration
from iogauge.model.workload import USUAL, Cache, CachedBy
from iogauge.outputs import code, file_profile, terminal
from iogauge.outputs.differences import Difference
from iogauge.outputs.document import Document
from iogauge.runners import own as own_code
from iogauge.runners.manifest import Runner
from iogauge.runners.runtimes import Runtimes
from iogauge.study.schema import Study

_ASKED = (
    "language",
    "every",
    "cache",
    "cached_by",
    "own",
    "own_flags",
    "own_path",
    "limit",
    "max_slowdown",
    "undecided",
    "markdown",
    "annotate",
    "runtime",
    "directory",
)
"""The options that ask the same once more."""
_PLACE = "cached_by", "runtime", "directory"
"""Those of them that say where, and in which state."""
_MARGIN = 1.2  # times as long as guessed: others are at work, too


def file_answer(given: arg.FileAnswer) -> int:
    """Measure a file of the user's, perhaps as their own code reads it; say what to use."""
    gate = gating.asked(given)
    gating.must_be_own(gate, given)
    try:
        return _answered(given, gate)
    except BuildFailed as error:
        return gating.finish_unbuilt(error, gate, given.own or ())


def _answered(given: arg.FileAnswer, gate: gating.Gate) -> int:
    asked, budget = asking.asked(given), parsed("--budget", budget_of, given.budget)
    must_be_new(given.out)
    file = OwnFile(given.file, unpacked=not given.own)
    folder = session.data_folder(given.directory)
    with Looker(folder) as looker:
        file.look(looker)
    two = gate.max_slowdown is not None
    states = states_of_own(given.cached_by, file, folder, versions=two)
    caches = measurable(caches_of(given), file.size, file, untouched="as-left" in states)
    if not caches:
        raise UserError(f"{file.given}: can be measured neither cached nor from disk; copy a part")
    runners = own_code.with_rivals(own_runners(given))
    versions = gating.versions(gate, own_code.labels(runners), {}, ())
    here = session.found_here(chosen_runtimes(given.runtime), say, runners or None)
    if "as-left" in states:  # to build what is missing may have taken a while
        file.look_whether_left()
        states = states_of_own(given.cached_by, file, folder, versions=two)
    say_what(file, by_own_code=bool(runners))
    place = beside(file, folder)
    _say_how_cached(file, folder)
    broken: list[Difference] = []
    if runners:
        calls = _first_calls(file, here, folder, given.own or (), versions)
        broken, all_broken = gating.failed_calls(calls, versions)
        if all_broken:
            return gating.finish_broken(broken, gate, versions)
        prepared = _with_own_code(file, caches, states, here, budget, calls, place, versions)
        _say_tripping(file, here, None)
    else:
        _say_tripping(file, here, asked.languages(here))
        prepared = _prepared(file, asked, caches, here, budget, states, place)
    _say_left_out(prepared, here, runners)
    languages = _compared(prepared.plan)
    asked.say_missing(here, languages)
    _print_why(asked.why(here, languages, f"{_command(given, *_PLACE)} --all"))
    kept = {"file": ["YOUR-FILE", *asked.recorded(languages), *given.words("cached_by")]}
    out, extends = given.out, budget is None
    run, path, reason = measured(prepared, folder, kept, out=out, own=file, extends=extends)
    say_built(here)
    document = Document(run, go_on=_command(given, *_ASKED), unmeasured=tuple(broken))
    console().print(outputs.renderer("answers")(document))
    if reason == "interrupted" and not run.replicates:  # there is nothing to go on with
        return INTERRUPTED
    changed = _print_what_follows(given, document, path, file, asked, languages)
    printed = print_run_file(path)
    if reason == "interrupted":
        return INTERRUPTED
    status = status_of(prepared, asked.wanted(languages))
    unmeasured = prepared.failed and not versions
    if gating.failures(document) or unmeasured or changed or not printed:
        status = SOMETHING_FAILED
    return gating.finish(gating.of_document(document), gate, status)


def _print_why(why: str | None) -> None:
    """Which languages come first, before anything is measured."""
    if why:
        print(why, flush=True)


def _print_what_follows(
    given: arg.FileAnswer,
    document: Document,
    path: Path,
    file: OwnFile,
    asked: Asked,
    languages: Sequence[str],
) -> list[str]:
    """Print code, what failed, and the next commands. A line where the file changed meanwhile."""
    for line in caching.notes(file, document, languages):
        print(f"\n{filled(line)}")
    console().print(outputs.renderer("code")(document))
    changed = _changed(file)
    if given.own:
        print("", *terminal.failed(document.report), *changed, sep="\n")
    else:
        _print_next(given, asked.recorded(languages), languages, _without_code(document))
    run = f" {name}" if (name := named(path)) else ""
    print(f"{program()} explain{run}   # why: calls, processor time")
    print(f"{program()} report{run}   # charts, for a browser")
    return changed


def _say_how_cached(file: OwnFile, folder: Path) -> None:
    for line in caching.how_cached(file, folder):
        say(filled(line))


def _say_left_out(prepared: Prepared, here: Runtimes, runners: Sequence[Runner]) -> None:
    """What is not measured, and why; of code of the user's that these runners have, too."""
    say_left_out(prepared)
    for why in [*own_code.left_out(here.runtimes, runners), *prepared.failed] if runners else []:
        say(f"not measured: {why}")


def _say_tripping(file: OwnFile, here: Runtimes, languages: Collection[str] | None) -> None:
    """Which ways cannot take the file as it is, and why: a line for each reason."""
    for line in file_profile.left_out(file, studies.tripping(file, here.runtimes, languages)):
        say(line)


def _command(given: arg.FileAnswer, *names: str) -> str:
    """The command that asks this again, with these options."""
    return " ".join([program(), shell_path(given.file), *map(shell_word, given.words(*names))])


def _compared(plan: Plan) -> list[str]:
    """The languages of a plan that are compared; one of another may show the limits."""
    return sorted({plan.cases[case].language for group in plan.groups for case in group.cases})


def _changed(file: OwnFile) -> list[str]:
    """A line where the file is not as it was before."""
    try:
        file.manifest()
    except (UserError, OSError):
        return [
            f"! {file.given} changed while it was measured, so the figures are of several files"
        ]
    return []


def _with_own_code(
    file: OwnFile,
    caches: Sequence[Cache],
    cached_by: Sequence[CachedBy],
    here: Runtimes,
    given: float | None,
    calls: Sequence[FirstCall],
    place: Path | None,
    versions: Versions | None = None,
) -> Prepared:
    """The study of the user's code to measure, cached only where time is short, by what the first
    `calls` showed. Where calls are long, it takes as long as an answer does, unless the time is
    `given`. Raises UserError where none of it can read the file, or that time is too short.
    """
    choice, takes = first_calls.choose(calls, file), first_calls.seconds(calls)
    here.leave_out(choice.left_out)
    for why in choice.refused:
        say(f"not measured: {why}")
    usual = gating.SECONDS if versions else ADVISE_SECONDS
    seconds, longest = given or usual, max(takes.values(), default=0.0)
    for states in dict.fromkeys([tuple(caches), tuple(caches[:1])]):
        make = partial(_own_study, file, states, cached_by, here, seconds)
        prepared = planned("your-file", here, make, place, versions)
        if (needed := _seconds(prepared, takes)) <= seconds:
            break
    if needed > seconds and longest > METHOD.long_call:
        slow = next(name for name, each in takes.items() if each == longest)
        answer = Longer(needed / _MARGIN, longest, _known_as(here, slow))
        if given and needed / _MARGIN > METHOD.longest_overrun * given:
            instead = "give that much, or leave --budget out"
            raise UserError(f"--budget {duration(given)}: {answer}; {instead}")
        more = "" if len(states) == len(caches) else "; reading from disk is left out"
        say(f"{answer}{more}")
        if not given:
            plan = prepared.plan.model_copy(update={"budget": needed})
            prepared = replace(prepared, plan=plan)
    return replace(prepared, remarks=choice.remarks, calls=takes, failed=tuple(choice.failed))


def _known_as(here: Runtimes, name: str) -> str:
    """What people call a strategy of the user's."""
    found = (each.strategies.get(name) for each in here.runtimes)
    return next((each.known_as for each in found if each), name)


def _first_calls(
    file: OwnFile,
    here: Runtimes,
    folder: Path,
    given: Sequence[str],
    versions: Versions | None = None,
) -> list[FirstCall]:
    """A call of each function in the `given` code. Raises UserError where every one fails, unless
    that is an answer: of two versions.
    """
    names = {each.name for each in own_code.strategies(here.runtimes) if each.is_own}
    machine = session.machine(here.runtimes, here.missing)
    with session.scratch(folder) as scratch:
        calls = first_calls.make(here.ready, machine, file, names, scratch, say)
    if versions or not (calls and all(each.failure for each in calls)):
        return calls
    label = calls[0].runtime.label
    own = next((each for each in given if label and each.startswith(f"{label}=")), given[0])
    raise UserError(f"--own {own}: {calls[0].told}")


def _own_study(
    file: OwnFile,
    caches: Sequence[Cache],
    cached_by: Sequence[CachedBy],
    here: Runtimes,
    seconds: float,
) -> Study:
    mine = own_code.strategies(here.runtimes)
    own_code.must_be_alike(here.runtimes, mine)
    names, memory = {each.name for each in mine}, capacity.available_memory()
    study = studies.own_study(file, here.runtimes, names, caches, memory, seconds, cached_by)
    unable = [each for each in mine if each.unavailable]
    if study is None and unable and len(unable) == len(mine):
        raise UserError(f"--own: {unable[0].unavailable}")
    if study is None and not mine:
        raise UserError(
            "--own: no way to read a file in it; docs/your-code.md shows what it can be"
        )
    if study is None:
        raise UserError(
            f"{file.given}: your code returns text or lines, and the file is no text in UTF-8; let "
            "it return bytes, or convert a copy"
        )
    return study


def _prepared(
    own: OwnFile,
    asked: Asked,
    caches: Sequence[Cache],
    here: Runtimes,
    given: float | None,
    cached_by: Sequence[CachedBy] = USUAL,
    place: Path | None = None,
) -> Prepared:
    """The study to measure: as much as fits the `given` time, in seconds, or half a minute (see
    `_extents`). The smallest study may exceed the default budget. Raises UserError where there are
    not two ways to read the file.
    """
    seconds = given or ADVISE_SECONDS
    make = partial(_study, own, asked, here, seconds)
    study: Study | None = None
    for extent in _extents(own.is_text, caches, cached_by):
        if make(extent) == study:  # there is nothing of what this leaves out
            continue
        prepared = planned("your-file", here, partial(make, extent), place)
        study, needed = make(extent), _seconds(prepared)
        if needed <= seconds:
            break
    languages = len(_compared(prepared.plan))
    several = languages > 1
    if left_out := "; ".join(_without(extent, caches, make)):
        fewer = "name one --language, or " if several else ""
        say(f"not measured, as there is no time for it: {left_out} ({fewer}give a larger --budget)")
    if needed > seconds:
        if not given:  # as long as it takes where nobody else is at work
            seconds = max(seconds, needed / _MARGIN)
            plan = prepared.plan.model_copy(update={"budget": seconds})
            prepared = replace(prepared, plan=plan)
        of_all = f" for {languages} languages" if several else ""
        longer = f"{duration(needed)}, longer than " if given else ""
        faster = "; to be faster, name one --language" if several else ""
        next_steps = "; for a surer answer, give a larger --budget" if given else ""
        say(f"an answer{of_all} takes about {longer}{duration(seconds)}{faster}{next_steps}")
    return prepared


def _study(own: OwnFile, asked: Asked, here: Runtimes, seconds: float, extent: Extent) -> Study:
    """In the languages that were asked for; in all where those of the project have no two ways."""
    memory = capacity.available_memory()
    made = partial(studies.file_study, own, here.runtimes)
    study = made(asked.languages(here), memory, seconds, extent)
    if study is None and asked.project:
        study = made(None, memory, seconds, extent)
    if study is None:
        absent = next((each.why for each in here.missing if asked.language in each.languages), None)
        none = "there are not two ways here to read the file"
        raise UserError(absent or f"{none}; iogauge list strategies shows what there is")
    return study


def _extents(
    by_line: bool, caches: Sequence[Cache], cached_by: Sequence[CachedBy] = USUAL
) -> Iterator[Extent]:
    """All that may be measured, then ever less of it for a time that is too short. A text is read
    by line: it is asked for its bytes only where there is time for both. What is on disk goes last,
    as it is seldom what decides.
    """
    yield (extent := Extent(caches if by_line else (), caches, cached_by=cached_by))
    yield (every_way := replace(extent, blocks=FEW))
    yield (extent := replace(every_way, two_ways=True))
    yield (extent := replace(extent, rounds=FEW_ROUNDS))
    if by_line:
        yield replace(extent, whole=caches[:1])
        yield (every_way := replace(every_way, whole=()))
        yield (extent := replace(every_way, two_ways=True))
        yield (extent := replace(extent, rounds=FEW_ROUNDS))
        yield replace(extent, lines=caches[:1])
    else:
        yield replace(extent, whole=caches[:1])


def _without(
    extent: Extent, caches: Sequence[Cache], make: Callable[[Extent], Study]
) -> Iterator[str]:
    """In words, what is not measured to this extent, as far as there is any of it."""
    study = make(extent)
    if extent.lines and make(replace(extent, whole=caches)) != study:
        yield f"reading its bytes{' from disk' if extent.whole else ''}"
    if make(replace(extent, two_ways=False)) != study:
        yield "more than two ways per language"
    if len(extent.lines or extent.whole) < len(caches):
        yield f"reading {'its lines' if extent.lines else 'it'} from disk"


def _seconds(prepared: Prepared, calls: Mapping[str, float] = MappingProxyType({})) -> float:
    """About how long the replicates of an answer take; limits are measured if time is left. `calls`
    has how many seconds a call takes, by strategy, where that is known of the user's code.
    """
    runtimes = [each.runtime for each in prepared.ready]
    return _MARGIN * FEWEST_REPLICATES * replicate_seconds(prepared.plan, runtimes, calls)


def _without_code(document: Document) -> dict[str, str]:
    """Languages whose code was not shown, as people call them, by their keys."""
    runtimes = document.run.header.runtimes
    names = {key: name for each in runtimes for key, name in each.language_names.items()}
    return {each: name_of(each, names) for each in code.left_out(document)}


def _print_next(
    given: arg.FileAnswer,
    options: Sequence[str],
    measured: Sequence[str],
    without_code: Mapping[str, str],
) -> None:
    """What may be asked next of languages that were `measured`; `options` named one, if any."""
    start = program()
    name = " ".join([shell_path(given.file), *map(shell_word, given.words(*_PLACE))])
    of = "".join(f" {each}" for each in options)
    print()
    if without_code:
        *others, last = without_code.values()
        print(f"The code for {' or '.join(filter(None, [', '.join(others), last]))}:")
        print(f"{start} advise --file {name} --language {next(iter(without_code))}\n")
    if len(measured) > 1 and not options:
        print(f"{start} {name} --language {measured[0]}   # more ways of one language")
    else:
        print(f"{start} advise --file {name}{of} --run   # more ways")
