"""`iogauge watch`: a command, or a process that runs already."""

from __future__ import annotations

import datetime
import errno
import os
import platform
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from iogauge.commands import arguments as arg
from iogauge.commands.exits import DONE, NO, UNDECIDED
from iogauge.commands.output import say
from iogauge.host import capacity, kernel, proctree, stacks, strace
from iogauge.host.supervised import Ended, NoAccounts, NotStarted, Started, Visited
from iogauge.model.errors import UserError, cause
from iogauge.model.text import shell_word, visible
from iogauge.model.units import chosen_duration, duration, rounded
from iogauge.model.watched import (
    ConstantName,
    Constants,
    Difference,
    Marks,
    TwoWays,
    Verified,
    Watched,
)
from iogauge.runners import commands, manifest
from iogauge.watching import programs, rough, watches

if TYPE_CHECKING:
    from iogauge.watching.estimating import Estimate
    from iogauge.watching.mapping import Mappings
    from iogauge.watching.recognising import Facts
    from iogauge.watching.tracing import Trace
    from iogauge.watching.watcher import Seen

NOT_FOUND, NOT_RUN = 127, 126
_FOR_TWO, _FOR_UNSURE = 3.0, 8.0  # s for a pair of ways, and for one that is not sure
_FOR_PAIRS = 60.0  # s for runs of two commands
_FOR_CONSTANTS = 3.0  # s for what calls cost
_ALWAYS: set[ConstantName] = {"read", "write"}
_STEP = 1.0  # s between looks whether a command has ended
_LOOKERS = {
    "interpreter": stacks.of_interpreter,
    "calls": lambda pid: stacks.at_calls(pid, "%desc"),
}


def watch(given: arg.Watch) -> int:
    """Watch, then say what a change would save. The status is that of the command."""
    words = list(given.command or ())
    _check(given, words)
    if given.verify:
        return _verify(given, words)
    try:
        subject: Started | Visited
        if given.pid is not None:
            subject = Visited(given.pid)
            name = os.path.basename(proctree.executable(given.pid)) or "a process"
            say(f"watching {name} ({given.pid}) until it ends, or Ctrl-C")
        elif given.trace:
            return _traced(given, words)
        else:
            subject = Started(words)
    except NotStarted as error:
        return _not_started(words[0], error.number)
    except ProcessLookupError:
        raise UserError(f"--pid {given.pid}: there is no such process") from None
    except PermissionError:
        if proctree.is_ours(given.pid or 0):
            why = "it may do what you may not, so the kernel keeps its account; watch another"
        else:
            why = "it belongs to another user; watch it as that user, or as root"
        raise UserError(f"--pid {given.pid}: {why}") from None
    except NoAccounts:
        raise UserError(
            f"--pid {given.pid}: this kernel does not count what processes read and write; start "
            "the command with iogauge watch --trace"
        ) from None
    watched = _seen(given, subject, words)
    _show(watched, given, words)
    assert subject.ended is not None
    return DONE if subject.visited else subject.ended.status


def _check(given: arg.Watch, words: Sequence[str]) -> None:
    """Raises UserError for options that do not go together."""
    if bool(words) == (given.pid is not None):
        raise UserError("watch takes a command (iogauge watch -- COMMAND) or --pid; give one")
    for option, value in (("--verify", given.verify), ("--trace", given.trace)):
        if value and given.pid is not None:
            raise UserError(f"{option} starts commands; leave out --pid")
    if given.verify and given.trace:
        raise UserError("--trace slows a command down, and --verify times it; give one of them")
    if given.prepare and not given.verify:
        raise UserError("--prepare runs before each run of --verify; give that, too")
    if given.out and not given.out.absolute().parent.is_dir():
        raise UserError(f"--out {given.out}: its folder does not exist; give another")
    if given.out and given.out.is_dir():
        raise UserError(f"--out {given.out}: it is a folder; give a file")


def _not_started(word: str, number: int) -> int:
    word = shell_word(word)
    if number == errno.ENOENT:
        say(f"iogauge: {word}: no such command; give its path, or install it")
        return NOT_FOUND
    say(f"iogauge: {word}: {os.strerror(number)}; it cannot be started")
    return NOT_RUN


def _marks() -> list[Marks]:
    return [each for runner in manifest.all_runners() for each in runner.file.program]


def _seen(given: arg.Watch, subject: Started | Visited, words: list[str]) -> Watched:
    """Watch to the end; the record."""
    from iogauge.watching import estimating
    from iogauge.watching.recognising import Recogniser
    from iogauge.watching.watcher import Watcher

    started, marks = _now(), _marks()
    with subject.heeding(), stacks.VirtualMachines() as machines:
        lookers = {**_LOOKERS, "machine": machines.look}
        watcher = Watcher(subject, Recogniser(marks), tracer=strace.find(), lookers=lookers)
        seen = watcher.watch()
    left = subject.left()
    ended = _with_left(subject, left)
    found = estimating.estimate(seen, ended.total, ended.wall)
    return _record(seen, found, _Ran(subject, ended, left), marks, started, words, given)


def _traced(given: arg.Watch, words: list[str]) -> int:
    """The same with every call. Raises UserError, NotStarted."""
    from iogauge.watching.recognising import Recogniser
    from iogauge.watching.tracing import Trace
    from iogauge.watching.watcher import Watcher

    tracer = strace.find()
    if tracer is None:
        raise UserError("--trace: strace is not installed; most distributions have it")
    if not shutil.which(words[0]):  # strace would say so in its own words
        is_there = "/" in words[0] and os.path.exists(words[0])
        return _not_started(words[0], errno.EACCES if is_there else errno.ENOENT)
    say(
        "--trace: each call takes some 0.1 ms longer; a program that does little else takes up to "
        "300 times as long"
    )
    started, marks, trace = _now(), _marks(), Trace()
    subject = Started(trace.words(tracer, words), passed=[trace.target])
    watcher = Watcher(subject, Recogniser(marks))
    with subject.heeding():
        seen = watcher.watch()
    left = trace.end(subject.left())
    ended = _with_left(subject, left)
    ended = ended._replace(total=trace.total(ended.total))
    ran = _Ran(subject, ended, left)
    watched = _record(seen, trace.estimate(seen), ran, marks, started, words, given, trace)
    _show(watched, given, words)
    return ended.status


class _Ran(NamedTuple):
    """What was watched, how it ended, and the pids of descendants that stayed, whose account is in
    the total.
    """

    subject: Started | Visited
    ended: Ended
    left: list[int]


def _with_left(subject: Started | Visited, left: Sequence[int]) -> Ended:
    """How it ended, with what those did that stayed."""
    from iogauge.watching import recording

    assert subject.ended is not None
    return subject.ended._replace(total=recording.with_left(subject.ended.total, left))


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def _record(
    seen: Seen,
    found: Estimate,
    ran: _Ran,
    marks: Sequence[Marks],
    started: str,
    words: list[str],
    given: arg.Watch,
    trace: Trace | None = None,
) -> Watched:
    """Find what a change saves, and put together what is kept."""
    from iogauge.measuring import constants, session
    from iogauge.watching import candidates, findings, inside, mapping, placing, recording

    subject, ended = ran.subject, ran.ended
    left = [proctree.executable(pid) for pid in ran.left]
    numbers = recording.numbered(seen, found)
    lines = placing.places(seen, numbers, marks)
    folder = session.data_folder(given.directory)
    wall = ended.wall if trace is None else trace.without(ended.wall)
    known = constants.known(folder)
    some = candidates.candidates(found, rough.completed(known))
    maps = _mappings(seen, found, ended, rough.completed(known), folder, wall)
    if known is None and (maps or findings.promising(some, wall)):
        names = {recording.constant_of(each) for each in found.groups.values()}
        known = _measured(folder, names | (mapping.NAMES if maps else set()))
    if mapping.are_known(known):
        some += mapping.candidates(maps, found, rough.completed(known), looked=True)
    some += inside.candidates(found, numbers, lines, marks)
    some.sort(key=lambda each: -each.guess)
    means = findings.Means(
        _measuring(folder),
        programs.change,
        rough.completed(known),
        _compiling(marks),
        capacity.usable_cores(),
        inside.is_packed,
    )
    result = findings.findings(some, numbers, lines, ended.total, wall, means)
    return recording.record(
        seen,
        ended,
        found,
        numbers,
        name=_called(seen.facts.get(subject.pid), words),
        started=started,
        host=_host(folder),
        findings=result.findings,
        constants=known,
        no_advice=recording.why_no_advice(result.fixed, numbers)
        or recording.why_unsure(found, rough.completed(known), wall)
        or recording.why_half(seen),
        places=lines,
        left=[os.path.basename(each) for each in left if each],
        visited=subject.visited,
        traced=trace is not None,
        untraced=None if trace is None else wall,
    )


def _mappings(
    seen: Seen, found: Estimate, ended: Ended, costs: Constants, folder: Path, wall: float
) -> list[Mappings]:
    """What programs read through mappings, with how it lies in the cache; nothing where that can
    save little.
    """
    from iogauge.watching import findings, mapping

    some = mapping.mappings(seen, ended.total)
    if not findings.promising(mapping.candidates(some, found, costs, looked=False), wall):
        return []
    some = mapping.looked_at(some, folder)
    likely = mapping.candidates(some, found, costs, looked=True)
    return some if findings.promising(likely, wall) else []


def _host(folder: Path) -> dict[str, str]:
    """The facts of this machine that matter to whoever reads a record elsewhere."""
    mount = kernel.mount_of(folder)
    return {
        "system": platform.system(),
        "kernel": platform.release(),
        "file_system": mount.kind or "",
        "cores": f"{rounded(capacity.usable_cores())} cores",
    }


def _called(facts: Facts | None, words: Sequence[str]) -> str:
    """`python3 convert.py`: a program without its arguments."""
    name = os.path.basename(words[0]) if words else facts.name if facts else "a process"
    return f"{name} {os.path.basename(facts.script)}" if facts and facts.script else name


def _compiling(marks: Sequence[Marks]) -> frozenset[str]:
    return frozenset(each.language for each in marks if each.compiling)


def _measured(folder: Path, names: set[ConstantName | None]) -> Constants | None:
    """What these calls cost here, measured now; None where that cannot be done."""
    wanted = {each for each in names if each} | _ALWAYS
    from iogauge.measuring import constants

    say(
        f"measuring what such calls cost here, {chosen_duration(_FOR_CONSTANTS)}; iogauge "
        "calibrate keeps that for a day"
    )
    try:
        return constants.measure(folder, wanted, _FOR_CONSTANTS, say=say)
    except UserError as error:
        say(f"not measured: {error}")
        return None


def _measuring(folder: Path) -> Callable[[TwoWays], Difference | None]:
    """What measures two ways, with data files in a folder."""
    from iogauge.measuring import two_ways

    def compare(asked: TwoWays) -> Difference | None:
        answer = two_ways.measure(asked, folder, _FOR_TWO, say)
        if isinstance(answer, Difference) and answer.ns_per_byte.low <= 0:  # more repeats may tell
            answer = two_ways.measure(asked, folder, _FOR_UNSURE, say)
        if isinstance(answer, Difference):
            return answer
        if not asked.appends:  # what calls cost here tells that in most languages
            say(f"not measured: {answer.why}")
        return None

    return compare


def _show(watched: Watched, given: arg.Watch, words: Sequence[str]) -> None:
    """Keep the record; the page, or JSON, on standard error or into a file. What cannot be written
    costs neither the page nor the status of the command.
    """
    from iogauge.outputs import watched as page

    watched = watches.storable(watched)
    record = _kept(watched)
    command = " ".join(map(shell_word, words))
    text = (
        watched.model_dump_json(indent=1) + "\n"
        if given.as_json
        else page.page(watched, command, record)
    )
    if given.out:
        try:
            given.out.write_text(text, "utf-8")
            return
        except OSError as error:
            say(f"--out {visible(str(given.out))}: {cause(error)}; this would be there:")
    print(text, end="", file=sys.stderr)


def _kept(watched: Watched) -> str:
    """The name of the record; empty where it cannot be kept."""
    try:
        return watches.keep(watched).name
    except OSError as error:
        say(f"no record of this watch is kept: {cause(error)}")
        return ""


def _verify(given: arg.Watch, words: list[str]) -> int:
    """Watch the command, then measure it beside the other one."""
    from iogauge.watching import verifying

    other = commands.words(given.verify or "", "--verify").words
    prepare = commands.words(given.prepare, "--prepare").words if given.prepare else None
    _prepared(prepare)
    try:
        subject = Started(words, quiet=True)
    except NotStarted as error:
        return _not_started(words[0], error.number)
    watched = _seen(given, subject, words)
    count = verifying.pairs(watched.wall, _FOR_PAIRS)
    about = duration(2 * count * watched.wall)
    say(f"both commands run {count} more times, in turns: about {about} if they are as fast")
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(count):
        order = (0, 1) if turn % 2 else (1, 0)
        for which in order:
            try:
                _prepared(prepare)
                times[which].append(_timed(other if which else words))
            except UserError:  # what was seen until now is not lost with it
                _show(watched, given, words)
                raise
    saved, seconds = verifying.saved(*times), verifying.typical(times[0])
    promise = verifying.promised(watched.findings, seconds.middle)
    result = Verified(
        name=os.path.basename(other[0]),
        pairs=count,
        seconds=seconds,
        saved=saved,
        promised=promise,
        outcome=verifying.outcome(saved, promise),
    )
    _show(watched.model_copy(update={"verified": result}), given, words)
    return {"true": DONE, "false": NO, "undecided": UNDECIDED}[result.outcome]


def _prepared(words: Sequence[str] | None) -> None:
    if words:
        _run(words, "--prepare")


def _timed(words: Sequence[str]) -> float:
    """The run time of a command, in seconds."""
    return _run(words, words[0]).wall


def _run(words: Sequence[str], where: str) -> Ended:
    """Run a command to its end. Raises UserError where it cannot be started, or fails."""
    try:
        subject = Started(words, quiet=True)
    except NotStarted as error:
        raise UserError(f"{where}: {os.strerror(error.number)}; it cannot be started") from None
    while not subject.wait(_STEP):
        pass
    assert subject.ended is not None
    if subject.ended.status:
        failed = f"{where} ended with status {subject.ended.status}"
        raise UserError(f"{failed}, so its time says nothing; mend that first")
    return subject.ended
