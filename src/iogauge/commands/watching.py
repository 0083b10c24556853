"""`iogauge watch`: a command, or a process that runs already."""

from __future__ import annotations

import datetime
import errno
import os

from iogauge.commands import arguments as arg
from iogauge.commands.exits import DONE
from iogauge.commands.output import say
from iogauge.host import strace
from iogauge.host.supervised import NotStarted, Started, Visited
from iogauge.model.errors import UserError

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
    from iogauge.watching import estimating, recording
    from iogauge.watching.recognising import Recogniser
    from iogauge.watching.watcher import Watcher

    started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    watcher = Watcher(subject, Recogniser(_marks()), tracer=strace.find())
    with subject.heeding():
        seen = watcher.watch()
    ended = subject.ended
    assert ended is not None
    left = () if subject.visited else [_name(pid) for pid in subject.left()]
    found = estimating.estimate(seen, ended.total, ended.wall)
    numbers = recording.numbered(seen, found)
    facts = seen.facts.get(subject.pid)
    name = _called(facts, words)
    constants = _constants(found, given)
    result = _found(found, numbers, ended, constants, given)
    watched = recording.record(
        seen,
        ended,
        found,
        numbers,
        name=name,
        started=started,
        host={},
        findings=result.findings,
        constants=constants,
        no_advice=_why_no_advice(result.fixed, numbers),
        left=left,
        visited=subject.visited,
    )
    _keep(watched)
    _show(watched, given, words)
    return DONE if subject.visited else ended.status
