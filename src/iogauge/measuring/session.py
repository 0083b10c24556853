"""A run from beginning to end: runtimes, plan, run file, measuring. Prints nothing itself."""

from __future__ import annotations

import datetime
import itertools
import os
import random
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from iogauge import __version__
from iogauge.corpus.own_file import OwnFile
from iogauge.corpus.store import Corpus
from iogauge.host import capacity, description, folios, memory, read_calls
from iogauge.host.folios import OneSize
from iogauge.host.processes import allow_many_files, files, interruptions
from iogauge.measuring import known_ceilings
from iogauge.measuring import trace as tracing
from iogauge.measuring.bench import Bench, Procedure, Progress
from iogauge.measuring.published import Published
from iogauge.measuring.sound import Sound
from iogauge.measuring.status import Judge
from iogauge.measuring.trace import Trace
from iogauge.model import folders
from iogauge.model.errors import BrokenOff, UserError, cause
from iogauge.model.method import METHOD, Method
from iogauge.model.plan import Plan
from iogauge.model.strategy import Runtime, is_own
from iogauge.model.units import duration, exact_size
from iogauge.planning import order, plan
from iogauge.planning.cost import by_case
from iogauge.planning.options import Machine, Options, must_have_files
from iogauge.runfile import reading
from iogauge.runfile.header import Header
from iogauge.runfile.records import Budget, Caveat, EndReason
from iogauge.runfile.run import Run
from iogauge.runfile.writing import Writer
from iogauge.runners import finding, manifest, preparing, task
from iogauge.runners import own as own_code
from iogauge.runners.finding import Choice, Choices
from iogauge.runners.fork import Launch, refused
from iogauge.runners.manifest import Runner
from iogauge.runners.preparing import Missing, Ready
from iogauge.runners.runtimes import Runtimes
from iogauge.study import loading
from iogauge.study.schema import Study

Say = Callable[[str], None]
Show = Callable[[Progress], None]
Follow = Callable[[Bench], Procedure]
"""Makes the protocol that a bench carries out."""


@dataclass(frozen=True)
class Prepared:
    """A study ready to be measured: its plan, and how the plan's runtimes are started. `broken` are
    the runners that were to be built for it, and could not be. `remarks` are on functions of the
    user's, by the names of runtime and strategy; `calls` has how many seconds a call of one takes,
    by strategy, and `failed` why some are not measured.
    """

    study: Study
    plan: Plan
    ready: list[Ready]
    broken: tuple[Missing, ...] = ()
    remarks: Mapping[tuple[str, str], str] = field(default_factory=dict)
    calls: Mapping[str, float] = field(default_factory=dict)
    failed: tuple[str, ...] = ()

    @property
    def lacks_cases(self) -> bool:
        """Whether cases of the study are not measured because their runner cannot be built."""
        broken = {language for each in self.broken for language in each.languages}
        return any(each.language in broken for each in self.plan.skipped)


def data_folder(given: Path | None) -> Path:
    """Where data files go: --dir, which must exist, or our cache folder. Raises UserError."""
    if given is None:
        folder = folders.cache()
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    if given.exists() and not given.is_dir():
        raise UserError(f"--dir {given}: is a file; give a directory")
    if not given.is_dir():
        raise UserError(f"--dir {given}: no such directory; make it, or give another")
    if not os.access(given, os.W_OK | os.X_OK):
        raise UserError(f"--dir {given}: not writable; give another")
    return given


@contextmanager
def scratch(directory: Path) -> Iterator[Path]:
    """A folder in that of data files, for what is not to stay: a process that is killed leaves it
    to the next one, which removes it.
    """
    corpus = Corpus(directory)
    try:
        with corpus.run_folder() as folder:
            yield folder
    finally:
        corpus.close()


def prepare(name: str, here: Runtimes, options: Options, folder: Path | None = None) -> Prepared:
    """Load the study, make the plan for data files in the folder, build the runners that it needs.
    Raises UserError.
    """
    where, of = name if name.endswith(".toml") else f"{name}.toml", loading.load(name)
    loading.must_not_be_own(of, where)
    prepared = planned(lambda: of, where, here, options, folder)
    try_settings(prepared, options)
    return prepared


def try_settings(prepared: Prepared, options: Options) -> None:
    """Raises UserError for a setting of the command line with which its runtime does not start.
    Settings of a study may be for other versions: their cases fail, and others are measured.
    """
    launches = _launches(prepared.plan, prepared.ready)
    for (runner, given), ready in itertools.product(options.settings, prepared.ready):
        name = ready.runtime.name
        forks = [each for each in prepared.plan.forks if each.runtime == name]
        heaps = sorted({each.heap_mib for each in forks if each.options[-len(given) :] == given})
        if ready.runtime.runner != runner or not heaps:
            continue
        refusals = [refused(launches[name], heap, given) for heap in {heaps[0], heaps[-1]}]
        if all(refusals):
            option = f"--runtime-option {runner}={' '.join(given)}"
            raise UserError(f"{option}: {name} does not start with it: {refusals[0]}")


def found_here(chosen: Choices, say: Say, runners: Sequence[Runner] | None = None) -> Runtimes:
    """The runtimes of all `runners` that can be measured here. Raises UserError where none can."""
    must_have_files(files(), 2)  # that are compared; some do not even start with fewer
    here = Runtimes(chosen, say, runners)
    here.build_untold()
    here.need_any()
    return here


def planned(
    study: Callable[[], Study],
    where: str,
    here: Runtimes,
    options: Options,
    folder: Path | None = None,
) -> Prepared:
    """The plan of a study on these runtimes; runners that it needs are built. After a build, study
    and plan are made anew. Error messages call the study `where`. Data files go to the `folder`,
    where that is known. Raises UserError.
    """
    while True:
        of = study()
        one = one_state(of, options, folder)
        made = plan.make(of, where, machine(here.runtimes, here.missing, one), options)
        if not here.build({fork.runtime for fork in made.forks}):
            broken = tuple(each for each in here.missing if each.broken)
            return Prepared(of, made, here.ready, broken)


def one_state(study: Study, options: Options, folder: Path | None) -> OneSize | None:
    """Why cached files have only one state there, if they have; looked at where that matters."""
    several = any(len(set(each.axes()["cached_by"])) > 1 for each in study.group)
    matters = folder and (several or len(options.cached_by) > 1)
    return one_size(folder) if folder and matters else None


@cache
def one_size(folder: Path) -> OneSize | None:
    """Why all cached files of a folder are alike, if they are: found out once in a process."""
    return folios.only_one_size(folder)


def machine(
    runtimes: Sequence[Runtime], missing: Iterable[Missing], one: OneSize | None = None
) -> Machine:
    """This machine, to plan for; why cached files have only `one` state, if they have."""
    absent = {language: each.why for each in missing for language in each.languages}
    available, cores = capacity.available_memory(), capacity.usable_cores()
    return Machine(runtimes, absent, available, cores, files(), one)


def random_seed() -> int:
    """A seed for a plan, different each time."""
    return random.SystemRandom().randrange(1 << 31)


def measure(
    prepared: Prepared,
    directory: Path,
    out: Path | None,
    options: dict[str, Any],
    show: Show,
    judge: Judge,
    own: OwnFile | None = None,
    *,
    fresh_limits: bool = False,
    extends: bool = False,
    method: Method = METHOD,
    follow: Follow | None = None,
) -> tuple[Run, Path, EndReason]:
    """Carry out a plan into a new run file, perhaps on a file of the user's. With `fresh_limits`
    known ceilings are measured anew; the budget `extends` where calls of the user's code take too
    long for it; `follow` makes another protocol than the plan's. After an interruption the run so
    far is returned with reason `interrupted`. Where nothing can be measured, no file is left.
    """
    started = datetime.datetime.now(datetime.UTC)
    # Two may begin within a second, on one machine or on many that carry out one plan.
    identifier = f"{prepared.plan.study}-{started:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    if own:
        own.manifest()  # it has not changed since
    with _data(directory, own) as corpus:
        corpus.check_room(
            task.all_data(prepared.plan, [each.runtime for each in prepared.ready]),
            task.most_written(prepared.plan, method),
        )
        place = own.path.parent if own else directory
        facts, first_touch_matters = _facts(place, corpus)
        used = {fork.runtime for fork in prepared.plan.forks}
        header = Header(
            iogauge=__version__,
            id=identifier,
            started=started.isoformat(timespec="seconds"),
            study_source=prepared.study.text,
            options=options,
            method=method,
            plan=prepared.plan,
            runtimes=tuple(each.runtime for each in prepared.ready if each.runtime.name in used),
            host=facts,
        )
        if not fresh_limits:
            known = known_ceilings.find(header, place)
            header = header.model_copy(update={"known_ceilings": known})
        path = out or folders.runs() / f"{identifier}.jsonl"
        writer = Writer(path)
        writer.append(header)
        run = Run(header)
        for each in _known_before(prepared, facts):
            _add(run, writer, each)
        calls = by_case(prepared.plan, prepared.calls)
        live = _Live(
            prepared.ready, corpus, show, judge, first_touch_matters, follow, extends, calls
        )
        with _kept_if_measured(run, path):
            reason = _carry_out(run, writer, live)
        known_ceilings.keep(run, place)
        return run, path, reason


def _known_before(prepared: Prepared, facts: dict[str, Any]) -> Iterator[Caveat]:
    """What is to be said of the host and of the user's functions before anything is measured."""
    reads = any(each.workload.reads_file for each in prepared.plan.cases)
    for text, kind in description.run_caveats(facts, reads_files=reads):
        yield Caveat(about="run", text=text, kind=kind)
    for case in prepared.plan.cases:
        remark = prepared.remarks.get((case.runtime, case.strategy))
        if remark and not case.control:
            yield Caveat(about=case.key, text=remark, kind="own-result")


@contextmanager
def _kept_if_measured(run: Run, path: Path) -> Iterator[None]:
    """Removes a new run file where an error ends the run before anything is measured."""
    try:
        yield
    except UserError:
        if not len(run.columns.case):
            path.unlink(missing_ok=True)
        raise


@contextmanager
def _data(directory: Path, own: OwnFile | None = None) -> Iterator[Corpus]:
    """The data files in a folder; what is too much of them is removed afterwards."""
    corpus = Corpus(directory, own)
    try:
        yield corpus
    finally:
        corpus.trim()
        corpus.close()


def resume(
    path: Path,
    name: str | None,
    find: Callable[[Run], list[Ready]],
    directory: Path,
    show: Show,
    judge: Judge,
    budget: float | None = None,
) -> tuple[Run, Path, EndReason]:
    """Go on with a run that was cut short, or that ended before all was decided, by its own method.
    `find` finds its runtimes again. `budget` is what it may take in all, in seconds, where that is
    more than it had. Where all is decided, the run is returned as it is. Raises UserError if it
    could not be pooled with what it has: when the study, the host, the file system or a runner
    changed.
    """
    run = reading.read(path)
    if run.complete and run.end_reason == "decided":
        return run, path, "decided"
    _may_go_on(run, path, budget)
    must_have_files(files(), order.most_at_a_time(run.plan))
    same_study(run, name, path)
    with _data(directory) as corpus:
        facts, first_touch_matters = _facts(directory)
        same_place(run, facts, path)
        ready = find(run)
        writer = Writer(path, resume=True)
        if budget is not None:
            _add(run, writer, Budget(seconds=budget))
        live = _Live(ready, corpus, show, judge, first_touch_matters, extends=budget is None)
        return run, path, _carry_out(run, writer, live)


def _may_go_on(run: Run, path: Path, budget: float | None) -> None:
    """Raises UserError where a run has no time left, or cannot go on: nothing is written then."""
    if any(group.workload.content == "own" for group in run.plan.groups):
        why = "this run is of a file of yours, whose path is not on record"
        raise UserError(f"{path}: {why}; measure anew, with a larger --budget")
    if run.complete and run.plan.published:
        raise UserError(f"{path}: this run is complete, as published; measure anew")
    if budget is None:
        if run.complete:
            spent = f"{path}: the budget of this run, {duration(run.budget)}, is spent"
            raise UserError(
                f"{spent}; to go on, give a larger --budget, which is the time over all sessions"
            )
        return
    if run.plan.published:
        raise UserError(
            "--budget cannot be changed where a study is measured as published, because it "
            "decides how far that is shortened; leave it out, or measure anew"
        )
    if budget <= run.seconds:
        took = f"--budget {duration(budget)}: this run took {duration(run.seconds)} already"
        raise UserError(f"{took}, and the budget is the time over all sessions; give a larger one")


@dataclass(frozen=True)
class _Live:
    """What a session of a run needs and the run file does not hold."""

    ready: list[Ready]
    corpus: Corpus
    show: Show
    judge: Judge
    first_touch_matters: bool
    follow: Follow | None = None
    extends: bool = False
    calls: Mapping[int, float] = field(default_factory=dict)


def _carry_out(run: Run, writer: Writer, live: _Live) -> EndReason:
    allow_many_files()
    try:
        with interruptions() as arrived:

            def shown(progress: Progress) -> None:
                if arrived:  # an exception raised while Python tidied up an object went nowhere
                    raise KeyboardInterrupt
                live.show(progress)

            bench = Bench(
                run,
                writer,
                _launches(run.plan, live.ready),
                live.corpus,
                shown,
                live.judge,
                cores=capacity.usable_cores(),
                first_touch_matters=live.first_touch_matters,
                extends=live.extends,
                calls=live.calls,
            )
            follow = live.follow or (Sound if run.plan.protocol == "sound" else Published)
            return bench.carry_out(follow(bench))
    except KeyboardInterrupt:
        return "interrupted"
    except (OSError, UserError) as error:
        raise _broken_off(run, writer.path, error) from None
    finally:
        writer.close()


def _broken_off(run: Run, path: Path, error: OSError | UserError) -> Exception:
    """The error as it is, where nothing was measured before it."""
    if not len(run.columns.case):
        return error
    if isinstance(error, UserError):
        return BrokenOff(str(error))
    why, kept = cause(error), f"what was measured until then is in {path}; iogauge show shows it"
    return BrokenOff(f"{why}; {kept}", why)


def _launches(made: Plan, ready: list[Ready]) -> dict[str, Launch]:
    sound = made.protocol == "sound"
    launches = {each.runtime.name: each.launch for each in ready}
    return launches if sound else {k: replace(each, sound=()) for k, each in launches.items()}


def _facts(directory: Path, corpus: Corpus | None = None) -> tuple[dict[str, Any], bool]:
    """The host's facts with its first-touch speeds and, where there are to be data files, what a
    read call costs; and whether untouched memory matters here.
    """
    facts = description.facts(directory)
    if corpus:
        facts["read_call"] = _read_call(corpus)
    touch = memory.first_touch()
    facts["first_touch_bytes_per_s"] = (
        None if touch is None else {"untouched": touch.untouched, "used": touch.used}
    )
    return facts, touch is not None and touch.matters


def _read_call(corpus: Corpus) -> dict[str, float] | None:
    """What a read call costs on the user's file, or where data files are."""
    with corpus.run_folder() as folder:
        file = corpus.own.path if corpus.own else None
        call = read_calls.of_file(file) if file else read_calls.in_folder(folder)
    return asdict(call) if call else None


def _add(run: Run, writer: Writer, record: Caveat | Budget) -> None:
    writer.append(record)
    run.add(record)


def trace(
    run: Run,
    path: Path,
    chosen: Choices,
    directory: Path,
    say: Say,
    own: OwnFile | None = None,
    owned: Sequence[Runner] = (),
) -> dict[str, Trace]:
    """Trace one operation of each case of a run, by the key of the case. `own` is the user's file,
    and `owned` are the runners with their code, where the run is of these. Raises UserError.
    """
    tracing.find()
    sizes = {each.workload.size for each in run.plan.groups if each.workload.content == "own"}
    if own and own.size not in sizes:
        of_run = f", the run's had {exact_size(min(sizes))}" if sizes else ", the run measured none"
        has = f"has {exact_size(own.size)}{of_run}"
        raise UserError(f"--file {own.given}: {has}; give the file that was measured")
    needed = {run.plan.cases[case].runtime for case in set(run.columns.case.tolist())}
    ready = same_runtimes(run, needed, chosen, path, say, "traced", owned)
    with _data(directory, own) as corpus, interruptions():
        allow_many_files()
        return dict(tracing.of_run(run, _launches(run.plan, ready), corpus, say))


def same_place(run: Run, facts: dict[str, Any], path: Path) -> None:
    """Raises UserError where a run was measured on another host or file system."""
    was = run.header.host
    # The limits come first, as the identity says only that they differ; older runs have none.
    limits = [key for key in ("usable_cores", "memory_limit_bytes") if key in was]
    for key in (*limits, "identity", "kernel", "file_system"):
        if facts[key] != was.get(key):
            differs = f"host.{key} was {was.get(key)}, is {facts[key]}"
            raise UserError(f"{path}: cannot be resumed here: {differs}; measure anew")


def same_study(run: Run, name: str | None, path: Path) -> None:
    """Raises UserError for a run of another study, or of another version of it or of iogauge."""
    name = name or (run.plan.study if run.plan.study in loading.built_in_ids() else None)
    if name and (study := loading.load(name)).id != run.plan.study:
        raise UserError(f"{path}: is a run of the study {run.plan.study}; leave {name} out")
    if name and study.source_text != run.header.study_source:
        changed = f"the study {name} has changed since; measure anew"
        raise UserError(f"{path}: cannot be resumed: {changed}")
    if run.header.iogauge != __version__:
        versions = f"measured by iogauge {run.header.iogauge}, this is {__version__}"
        raise UserError(f"{path}: cannot be resumed: {versions}; measure anew")


def no_commands(run: Run, path: Path, what: str) -> None:
    """Raises UserError for a run of whole commands: what a file names does not run."""
    declared = (one for each in run.header.runtimes for one in each.strategies.values())
    if any(each.command for each in declared):
        instead = "strace -c -f COMMAND counts the calls of one"
        if what == "resumed":
            instead = "give them to iogauge command again, with --resume"
        why = "its commands run only where you name them yourself"
        raise UserError(f"{path}: cannot be {what} so: {why}; {instead}")


def must_be_named(run: Run, path: Path, *, file: bool, code: bool) -> None:
    """Raises UserError where a run is of a file or code of the user's that is not named again."""
    of_file = any(each.workload.content == "own" for each in run.plan.groups)
    of_code = any(is_own(each.strategy) for each in run.plan.cases)
    missing = {"file": of_file and not file, "code": of_code and not code}
    if names := [name for name, is_missing in missing.items() if is_missing]:
        why = f"no run file says where your {' and '.join(names)} {'are' if names[1:] else 'is'}"
        options = {"file": "--file FILE", "code": "--own CODE"}
        add = " ".join(options[each] for each in names)
        raise UserError(f"{path}: cannot be traced so: {why}; add {add}")


def same_commands(run: Run, words: Sequence[str], ready: Ready, path: Path) -> Ready:
    """The runner of whole commands, if the `words` name those of the run. Raises UserError."""
    for known in run.header.runtimes:
        theirs = {name: each.command for name, each in known.strategies.items()}
        ours = {name: each.command for name, each in ready.runtime.strategies.items()}
        if known.runner != ready.runtime.runner:
            raise UserError(f"{path}: is no run of whole commands; use iogauge run --resume")
        if theirs != ours or run.header.options.get("command") != [*words]:
            others = "is a run of other commands, or with other options"
            raise UserError(f"{path}: {others}; give its own again")
        if known.build != ready.runtime.build:
            raise UserError(f"{path}: cannot be resumed: iogauge has changed since; measure anew")
    return ready


def same_runtimes(
    run: Run,
    needed: set[str],
    chosen: Choices,
    path: Path,
    say: Say,
    what: str,
    owned: Sequence[Runner] = (),
) -> list[Ready]:
    """The run's runtimes, found again: same names, same builds of runners, `owned` ones with the
    user's code. Raises UserError.
    """
    wanted = {each.name: each for each in run.header.runtimes if each.name in needed}
    no_commands(run, path, what)
    builds = run.header.builds
    names = {each.runner for each in wanted.values()}
    available: list[Ready] = []
    broken: dict[str, str] = {}
    every = own_code.beside(owned, manifest.all_runners())
    for runner in (each for each in every if each.name in names):
        if runner.name not in chosen and (shipped := _prebuilt(runner, wanted, builds)):
            available += shipped
            continue
        versions = {each.version for each in wanted.values()}
        choices = chosen.get(runner.name) or _likely(runner, versions)
        given = {runner.name: choices} if choices else {}
        ready, missing = preparing.prepare(given, say, [runner])
        available += ready
        broken |= {each.name: each.why for each in missing if each.broken}
    found = {each.runtime.name: each for each in available}
    for name, known in wanted.items():
        if name not in found and known.runner in broken:
            raise UserError(f"{path}: cannot be {what}: {broken[known.runner]}")
        if name not in found:
            where = f"; say where with --runtime {known.chosen_as}=PATH"
            raise UserError(f"{path}: cannot be {what}: {name} is not found here any more{where}")
        if found[name].runtime.build != builds[name]:
            changed = f"the {known.runner} runner has changed since; measure anew"
            if known.runner in {each.name for each in owned}:
                changed = "--own is other code than the run's, or iogauge has changed since"
            raise UserError(f"{path}: cannot be {what}: {changed}")
    return [found[name] for name in wanted]


def _prebuilt(
    runner: manifest.Runner, wanted: Mapping[str, Runtime], builds: Mapping[str, str]
) -> list[Ready]:
    """The prebuilt runtimes, if all of this runner's were measured with these; else none."""
    due = {each.name for each in wanted.values() if each.runner == runner.name}
    found = [each for each in preparing.prebuilt_of(runner) if each.runtime.name in due]
    same = {each.runtime.name for each in found if each.runtime.build == builds[each.runtime.name]}
    return found if same == due else []


def _likely(runner: manifest.Runner, versions: set[str]) -> list[Choice]:
    """The executables of runtimes here with one of these versions, the first of each; else all."""
    first: dict[str, finding.Installed] = {}
    for each in finding.installed(runner):
        first.setdefault(each.version, each)
    same = [each for version, each in first.items() if version in versions] or first.values()
    return [Choice(str(each.executable)) for each in same]
