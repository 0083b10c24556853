"""`iogauge watch`: a command, or a process that runs already."""

from __future__ import annotations

import datetime
import errno
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from iogauge.commands import arguments as arg
from iogauge.commands.exits import DONE
from iogauge.commands.output import say
from iogauge.host import proctree, stacks, strace
from iogauge.host.supervised import NotStarted, Started, Visited
from iogauge.model.errors import UserError
from iogauge.model.text import shell_word
from iogauge.model.watched import Difference, Marks, TwoWays, Watched
from iogauge.runners import manifest
from iogauge.watching import programs, watches
from iogauge.watching.rough import ROUGH

if TYPE_CHECKING:
    from iogauge.watching.recognising import Facts
    from iogauge.watching.watcher import Seen

_FOR_TWO = 3.0  # s for a pair of ways
NOT_FOUND, NOT_RUN = 127, 126


def watch(given: arg.Watch) -> int:
    """Watch, then say what a change would save. The status is that of the command."""
    words = list(given.command or ())
    if bool(words) == (given.pid is not None):
        raise UserError("watch takes a command (iogauge watch -- COMMAND) or --pid; give one")
    if given.out and not given.out.parent.is_dir():
        raise UserError(f"--out {given.out}: {given.out.parent} is not a folder; give another")
    try:
        subject = Visited(given.pid) if given.pid is not None else Started(words)
    except NotStarted as error:
        return _not_started(words[0], error.number)
    except ProcessLookupError:
        raise UserError(f"--pid {given.pid}: there is no such process") from None
    return _watched(given, subject, words)


def _not_started(word: str, number: int) -> int:
    if number == errno.ENOENT:
        say(f"iogauge: {word}: no such command; give its path, or install it")
        return NOT_FOUND
    say(f"iogauge: {word}: {os.strerror(number)}; it cannot be started")
    return NOT_RUN


def _watched(given: arg.Watch, subject: Started | Visited, words: list[str]) -> int:
    from iogauge.watching.recognising import Recogniser
    from iogauge.watching.watcher import Watcher

    started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    marks = [each for runner in manifest.all_runners() for each in runner.file.program]
    watcher = Watcher(subject, Recogniser(marks), tracer=strace.find(), lookers=_LOOKERS)
    with subject.heeding():
        seen = watcher.watch()
    watched = _record(seen, subject, marks, started, words, given)
    _show(watched, given, words, watches.keep(watched).name)
    assert subject.ended is not None
    return DONE if subject.visited else subject.ended.status


_LOOKERS = {
    "interpreter": stacks.of_interpreter,
    "machine": stacks.of_virtual_machine,
    "calls": lambda pid: stacks.at_calls(pid, "%desc"),
}


def _record(
    seen: Seen,
    subject: Started | Visited,
    marks: Sequence[Marks],
    started: str,
    words: list[str],
    given: arg.Watch,
) -> Watched:
    """Estimate, find, and put together what is kept."""
    from iogauge.watching import candidates, estimating, findings, placing, recording

    ended = subject.ended
    assert ended is not None
    left = [proctree.executable(pid) for pid in subject.left()]
    found = estimating.estimate(seen, ended.total, ended.wall)
    numbers = recording.numbered(seen, found)
    some = candidates.candidates(found, ended.total, ROUGH)
    means = findings.Means(_measuring(given), programs.change, ROUGH, _compiling(marks))
    lines = placing.places(seen, numbers, marks)
    result = findings.findings(some, numbers, lines, ended.total, ended.wall, means)
    return recording.record(
        seen,
        ended,
        found,
        numbers,
        name=_called(seen.facts.get(subject.pid), words),
        started=started,
        host={},
        findings=result.findings,
        constants=ROUGH,
        no_advice=None,
        places=lines,
        left=[os.path.basename(each) for each in left if each],
        visited=subject.visited,
    )


def _called(facts: Facts | None, words: Sequence[str]) -> str:
    """`python3 convert.py`: a program without its arguments."""
    name = os.path.basename(words[0]) if words else facts.name if facts else "a process"
    return f"{name} {os.path.basename(facts.script)}" if facts and facts.script else name


def _compiling(marks: Sequence[Marks]) -> frozenset[str]:
    return frozenset(each.language for each in marks if each.compiling)


def _measuring(given: arg.Watch) -> Callable[[TwoWays], Difference | None]:
    """What measures two ways, with data files in our folder."""
    from iogauge.measuring import session, two_ways

    folder = session.data_folder(given.directory)

    def compare(asked: TwoWays) -> Difference | None:
        answer = two_ways.measure(asked, folder, _FOR_TWO, say)
        if isinstance(answer, Difference):
            return answer
        say(f"not measured: {answer.why}")
        return None

    return compare


def _show(watched: Watched, given: arg.Watch, words: Sequence[str], record: str) -> None:
    """The page, or JSON, on standard error or into a file."""
    from iogauge.outputs import watched as page

    command = " ".join(map(shell_word, words))
    text = (
        watched.model_dump_json(indent=1) + "\n"
        if given.as_json
        else page.page(watched, command, record)
    )
    if given.out:
        given.out.write_text(text, "utf-8")
    else:
        print(text, end="", file=sys.stderr)
