"""`iogauge FILE`: the best way to read a file, measured in half a minute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from iogauge import outputs
from iogauge.advice.file_study import FEW, FEW_ROUNDS, MANY, Extent, file_study, own_study, readers
from iogauge.commands import measuring
from iogauge.commands.advising import ADVISE_SECONDS
from iogauge.commands.exits import INTERRUPTED, SOMETHING_FAILED
from iogauge.commands.options import budget_of, chosen_runtimes, known_language, parsed
from iogauge.commands.output import (
    console,
    measurable,
    print_run_file,
    program,
    say,
    say_built,
    say_left_out,
    say_unpacked,
    status_of,
)
from iogauge.corpus.own_file import OwnFile
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.host import capacity
from iogauge.measuring import session
from iogauge.measuring.session import Prepared
from iogauge.model.errors import UserError
from iogauge.model.method import METHOD
from iogauge.model.strategy import Strategy, name_of
from iogauge.model.text import shell_path, shell_word
from iogauge.model.units import duration
from iogauge.model.workload import Cache
from iogauge.outputs import terminal
from iogauge.outputs.document import Document
from iogauge.planning import cost
from iogauge.planning.options import Options
from iogauge.runners import own
from iogauge.runners.runtimes import Runtimes
from iogauge.study.schema import Study

_SLOW_UNITS = ("byte", "char")  # nobody's code needs to be compared with these
_MARGIN = 1.2  # times as long as guessed: others are at work, too


def file_answer(
    file: Path,
    language: str | None,
    budget: str | None,
    directory: Path | None,
    runtime: list[str] | None,
    code: list[str] | None = None,
) -> int:
    """Measure a file of the user's, perhaps as their own code reads it, and say what to use. The
    file is only ever read.
    """
    known_language(language)
    given = parsed("--budget", budget_of, budget)
    if language and code:
        raise UserError("--language: --own decides the language; leave out one of them")
    file_of, folder = OwnFile(file, unpacked=not code), session.data_folder(directory)
    say_unpacked(file_of)
    caches = measurable(("warm", "cold"), file_of.size, file_of)
    if not caches:
        raise UserError(
            f"{file_of.given}: can be measured neither cached nor from disk; copy a part"
        )
    runners = own.with_rivals(own.runners(code or ()))
    here = session.found_here(chosen_runtimes(runtime), say, runners or None)
    if runners:
        prepared = _with_own_code(file_of, caches, here, given or ADVISE_SECONDS)
    else:
        prepared = _prepared(file_of, language, caches, here, given)
    say_left_out(prepared)
    for each in here.missing if language is None else []:
        if not each.broken:  # say_left_out names the broken ones
            say(each.why)
    recorded = {"file": ["YOUR-FILE", *(["--language", language] if language else [])]}
    run, path, reason = measuring.measured(prepared, folder, recorded, own=file_of)
    say_built(here)
    document = Document(run, go_on=_again(file, language, directory, runtime, code))
    console().print(outputs.renderer("answers")(document))
    console().print(outputs.renderer("code")(document))
    changed = _changed(file_of)
    if runners:
        print("", *terminal.failed(document.report), *changed, sep="\n")
        printed = _print_reasons(path)
    else:
        measured = sorted({each.language for each in run.plan.cases})
        printed = _print_next(file, language, measured, path, _without_code(document))
    if reason == "interrupted":
        return INTERRUPTED
    if document.report.failures or changed or not printed:
        return SOMETHING_FAILED
    return status_of(prepared, language)


def _changed(file: OwnFile) -> list[str]:
    """A line where the file is not as it was before."""
    try:
        file.manifest()
    except (UserError, OSError):
        return [
            f"! {file.given} changed while it was measured, so the figures are of several files"
        ]
    return []


def _again(
    file: Path,
    language: str | None,
    directory: Path | None,
    runtime: list[str] | None,
    code: list[str] | None,
) -> str:
    """The command that measures the same again, without its budget. A run of a file of the user's
    cannot be resumed.
    """
    given = [
        *(("--language", each) for each in [language] if each),
        *(("--own", each) for each in code or ()),
        *(("--runtime", each) for each in runtime or ()),
        *(("--dir", str(each)) for each in [directory] if each),
    ]
    options = [f"{option} {shell_word(value)}" for option, value in given]
    return " ".join([program(), shell_path(file), *options])


def _with_own_code(
    file: OwnFile, caches: Sequence[Cache], here: Runtimes, seconds: float
) -> Prepared:
    """The study of the user's code to measure, cached only where time is short. Raises UserError
    where none of it can read the file.
    """
    for states in dict.fromkeys([tuple(caches), tuple(caches[:1])]):
        study = partial(_own_study, file, states, here, seconds)
        options = Options(seed=session.random_seed())
        prepared = session.planned(study, "your-file", here, options)
        if _seconds(prepared) <= seconds:
            break
    return prepared


def _own_study(file: OwnFile, caches: Sequence[Cache], here: Runtimes, seconds: float) -> Study:
    mine = own.strategies(here.runtimes)
    own.must_be_alike(here.runtimes, mine)
    names = {each.name for each in mine}
    able = readers(here.runtimes, file.size, capacity.available_memory())
    others = [
        each
        for each in able
        if each.role == "contestant" and each.name not in names and each.unit not in _SLOW_UNITS
    ]
    versions = len(here.runtimes) > len({each.runner for each in here.runtimes})
    study = own_study(
        [each for each in able if each.name in names],
        [] if versions else others,
        file.size,
        caches,
        seconds,
        is_text=file.is_text,
        has_lines=file.is_text and not file.lone_returns,
        versions=versions,
    )
    if study is None:
        raise UserError(_why_not_own(file, mine))
    return study


def _why_not_own(file: OwnFile, mine: Sequence[Strategy]) -> str:
    if not mine:
        return "--own: no way to read a file in it; docs/your-code.md shows what it can be"
    return (
        f"{file.given}: your code returns text or lines, and the file is no text in UTF-8; let it "
        "return bytes, or convert a copy"
    )


def _prepared(
    own: OwnFile,
    language: str | None,
    caches: Sequence[Cache],
    here: Runtimes,
    given: float | None,
) -> Prepared:
    """The study to measure: as much as fits the `given` time, in seconds, or half a minute (see
    `_extents`). The smallest study may exceed the default budget. Raises UserError where there are
    not two ways to read the file.
    """
    seconds = given or ADVISE_SECONDS
    measured: Study | None = None
    without: list[str] = []
    for less, extent in _extents(own.is_text and not own.lone_returns, caches):
        study = _study(own, language, here, seconds, extent)
        if study == measured:  # there is nothing of what this leaves out
            continue
        measured, without = study, without + [less] * bool(less)
        prepared = session.planned(
            partial(_study, own, language, here, seconds, extent),
            "your-file",
            here,
            Options(seed=session.random_seed()),
        )
        needed = _seconds(prepared)
        if needed <= seconds:
            break
    languages = len({case.language for case in prepared.plan.cases})
    several = languages > 1
    if without:
        fewer = "name one --language, or " if several else ""
        left_out = "; ".join(without)
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


def _study(
    own: OwnFile, language: str | None, here: Runtimes, seconds: float, extent: Extent
) -> Study:
    memory = capacity.available_memory()
    study = file_study(here.runtimes, language, own.size, memory, seconds, extent, own.format)
    if study is None:
        absent = next((each.why for each in here.missing if language in each.languages), None)
        none = "there are not two ways here to read the file"
        raise UserError(absent or f"{none}; iogauge list strategies shows what there is")
    return study


def _extents(with_lines: bool, caches: Sequence[Cache]) -> Iterator[tuple[str, Extent]]:
    """All that may be measured, then ever less of it for a time that is too short; each with what
    it leaves out, empty where that needs no mention. Lines (of a text) are left out first.
    """
    extent = Extent(MANY, with_lines, caches)
    yield "", extent
    if with_lines:
        yield "reading it line by line", (extent := replace(extent, lines=False))
    yield "", (extent := replace(extent, blocks=FEW))
    yield "more than two ways per language", (extent := replace(extent, two_ways=True))
    yield "", (extent := replace(extent, rounds=FEW_ROUNDS))
    if len(caches) > 1:
        yield "reading it from disk", replace(extent, caches=caches[:1])


def _seconds(prepared: Prepared) -> float:
    """About how long the replicates take that an answer needs. The machine's limits are measured
    only where there is time for them.
    """
    made, runtimes = prepared.plan, [each.runtime for each in prepared.ready]
    replicates = sum(
        cost.replicate_seconds(made, bundle, runtimes, capacity.usable_cores(), METHOD)
        for bundle in made.bundles
    )
    return _MARGIN * FEWEST_REPLICATES * replicates


def _without_code(document: Document) -> dict[str, str]:
    """Languages whose code was not shown, as people call them, by their keys."""
    from iogauge.outputs import code

    runtimes = document.run.header.runtimes
    names = {key: name for each in runtimes for key, name in each.language_names.items()}
    return {each: name_of(each, names) for each in code.left_out(document)}


def _print_next(
    file: Path,
    language: str | None,
    measured: Sequence[str],
    path: Path,
    without_code: Mapping[str, str],
) -> bool:
    """What may be asked next, and the run file. Returns whether that could be printed."""
    start = program()
    name = shell_path(file)
    of = f" --language {language}" if language else ""
    print()
    if without_code:
        *others, last = without_code.values()
        print(f"The code for {' or '.join(filter(None, [', '.join(others), last]))}:")
        print(f"{start} advise --file {name} --language {next(iter(without_code))}\n")
    if len(measured) > 1 and not language:
        print(f"{start} {name} --language {measured[0]}   # more ways of one language")
    else:
        print(f"{start} advise --file {name}{of} --run   # more ways")
    return _print_reasons(path)


def _print_reasons(path: Path) -> bool:
    start = program()
    print(f"{start} explain   # why: calls, processor time")
    print(f"{start} report   # charts, for a browser")
    return print_run_file(path)
