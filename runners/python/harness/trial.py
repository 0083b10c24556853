"""Trying functions of the user's on a small file: how each takes its file, and what it returns.

Only the process that lists the strategies tries. It keeps what it found beside the user's code, so
that forks which are measured call each function as it is to be called, and nothing else.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from harness import returned
from harness.candidates import BLOCK

_SECONDS = 10.0  # for all functions together
_TICK = 1.0  # seconds until the clock is looked at again
_LINES = b"one\ntwo\n"
_LONG_AGO = 1_000_000_000  # when the file was changed last, as its function sees it
_TRIED = "tried-"  # what is called so is no part of the build to the host
_MARK = ".trying"
_KEPT = f"{_TRIED}{sys.implementation.name}-{'.'.join(map(str, sys.version_info[:3]))}.json"
MODES = {"text": "r", "binary": "rb"}


class _TooLong(BaseException):
    """The time is up. It is no Exception, so that few functions catch it."""


@dataclass(frozen=True)
class Tried:
    """What is known of a function: how it takes its file (one of candidates.TAKES), what it returns
    (one of returned.KINDS), whether that is `declared`, and whether the function is asynchronous.

    `saw` is `open` where it opened the file, `bytes` where the process read as many while it ran,
    `error` or `time` where it failed or was stopped before that, else `nothing`. `ended` is what it
    raised to end the program. It `failed` where it was not done, and `changes` what it is given. Or
    it `dies`: as it was tried before, it ended the process. It is `silent` where others read the
    file, and it was not seen to.
    """

    takes: str = "str"
    kind: str = "anything"
    declared: bool = False
    asynchronous: bool = False
    saw: str = "time"
    ended: str | None = None
    failed: bool = False
    changes: bool = False
    dies: bool = False
    silent: bool = False

    @property
    def reads(self):
        """Whether it reads, and does no more."""
        return self.saw in ("open", "bytes") and not self.is_refused

    @property
    def is_refused(self):
        """Whether it is never called again."""
        return self.changes or self.dies or self.silent


def given(takes, path):
    """What a function is called with that takes its file so; for `with`."""
    if takes in MODES:
        return open(path, MODES[takes])
    return nullcontext(path if takes == "str" else Path(path))


def tried(candidates, told):
    """By name what trying each of these shows. `told` says what was raised, for people."""
    found, deadly = {}, set(_left_by_the_dead())
    with _limited() as restart, _marked() as mark:
        for each in candidates:
            if each.name in deadly:
                found[each.name] = Tried(each.orders[0], failed=True, dies=True)
                continue
            mark(each.name)
            try:
                found[each.name] = _of(each, told, restart)
            except _TooLong:  # just as it was done
                kind = each.returns or "anything"
                found[each.name] = Tried(each.orders[0], kind, failed=True)
    return found


def kept(folder):
    """What was found before by such an interpreter, by name; None where nothing was."""
    try:
        with open(os.path.join(folder, _KEPT), encoding="utf-8") as file:
            return {name: Tried(**each) for name, each in json.load(file).items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return None


def keep(folder, found):
    """Keep it for the forks. A cache that cannot be written costs them a trial, no more."""
    path = os.path.join(folder, _KEPT)
    with suppress(OSError):
        with open(f"{path}.{os.getpid()}", "w", encoding="utf-8") as file:
            json.dump({name: asdict(each) for name, each in found.items()}, file)
        os.replace(f"{path}.{os.getpid()}", path)


def _of(candidate, told, restart):
    """The first way to hand over the file that works and reads it; else the first that reads it;
    else the first that works. No other is tried on one that changes it.
    """
    attempts = []
    for takes in candidate.orders:
        found, why = _attempt(candidate, takes, told, restart)
        if found.changes or (found.reads and not why):
            return found
        attempts.append((found, why))
        if why == "time":
            break
    reads = [each for each, _ in attempts if each.reads]
    works = [each for each, why in attempts if not why]
    return next(iter([*reads, *works, attempts[0][0]]))


def _attempt(candidate, takes, told, restart):
    """What one call shows; and why it was not done: `error`, `time`, or nothing."""
    block = {BLOCK: 4096} if candidate.takes_block else {}
    kind, ended, why, asynchronous = "anything", None, "", False
    with _two_lines() as path, given(takes, path) as file, _Watch(path) as watch:
        try:
            restart()
            made = candidate.call(file, **block)
            asynchronous = returned.is_asynchronous(made)
            kind = returned.kind_of(returned.settled(made))
        except _TooLong:
            why = "time"
        except SystemExit as error:
            why, ended = "error", told(error)
        except KeyboardInterrupt:
            raise
        except BaseException:  # some libraries raise others than Exception, too
            why = "error"
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        saw, changes = watch.saw(file), _is_changed(path)
    if why and saw != "open":  # what it read instead, a library for example, is not known
        saw = why
    declared = candidate.returns is not None
    kind = candidate.returns if declared else kind
    said = saw or "nothing"
    return Tried(takes, kind, declared, asynchronous, said, ended, bool(why), changes), why


@contextmanager
def _limited():
    """Gives a function that starts the clock again, with what is left of the time. What goes by
    while the process stands still does not count.
    """
    left, before = _SECONDS, time.monotonic()

    def count(*_):
        nonlocal left, before
        now = time.monotonic()
        left, before = left - min(now - before, 2 * _TICK), now
        if left <= 0:
            raise _TooLong

    def restart():
        count()
        signal.setitimer(signal.ITIMER_REAL, min(left, _TICK), _TICK)

    known = signal.signal(signal.SIGALRM, count)
    try:
        yield restart
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, known)


def _folder():
    """Where small files are made: in the build, or where all make theirs if that is read-only."""
    beside = Path(__file__).parents[1] / "own"
    return beside if os.access(beside, os.W_OK) else None


@contextmanager
def _two_lines():
    """The path of a file of two lines, a new one each time: a function may change it."""
    import tempfile  # takes a while, and few need it

    prefix = f"{_TRIED}{os.getpid()}-"
    number, path = tempfile.mkstemp(prefix=prefix, suffix=".txt", dir=_folder())
    try:
        with open(number, "wb") as file:
            file.write(_LINES)
        os.utime(path, (_LONG_AGO, _LONG_AGO))
        yield path
    finally:
        with suppress(OSError):
            os.unlink(path)


def _is_changed(path):
    """Whether the file was written to, with the same bytes too, or is gone."""
    try:
        with open(path, "rb") as file:
            written = os.fstat(file.fileno()).st_mtime
            return written != _LONG_AGO or file.read(len(_LINES) + 1) != _LINES
    except OSError:
        return True


def _left_by_the_dead():
    """The functions that were tried when a process ended: which these are, the host has asked just
    now. Small files that are left of it are removed.
    """
    folder = _folder()
    for each in folder.glob(f"{_TRIED}*") if folder else ():
        made_by = re.match(rf"{_TRIED}(\d+)[-.]", each.name)
        if made_by and not os.path.exists(f"/proc/{made_by[1]}"):
            with suppress(OSError):
                if each.suffix == _MARK:
                    yield each.read_text("utf-8")
                else:
                    each.unlink()


@contextmanager
def _marked():
    """Gives a function that writes down what is tried next, for those who come after this process
    if that ends it. The host removes what is left.
    """
    folder = _folder()
    path = folder and folder / f"{_TRIED}{os.getpid()}{_MARK}"

    def mark(name):
        if path:
            with suppress(OSError):
                path.write_text(name, "utf-8")

    yield mark
    with suppress(OSError):
        if path:
            path.unlink()


class _Watch:
    """Sees whether a file is opened to be read while this is entered, or else as much is read."""

    entered = None
    _hooked = False

    def __init__(self, path):
        self._name, self._opened, self._before = os.path.basename(path), False, None

    def __enter__(self):
        if not _Watch._hooked:  # nothing takes a hook away again
            sys.addaudithook(_hook)
            _Watch._hooked = True
        self._before = _bytes_read()
        _Watch.entered = self
        return self

    def __exit__(self, *error):
        _Watch.entered = None

    def note(self, path, mode, flags):
        writes = flags & os.O_ACCMODE == os.O_WRONLY if mode is None else not {*"r+"} & {*mode}
        if not isinstance(path, int) and not writes:
            self._opened = self._opened or self._name in os.fsdecode(path)

    def saw(self, file):
        """`open`, `bytes` or nothing. `file` is what the function was given."""
        _Watch.entered = None
        if hasattr(file, "fileno"):
            return "open" if file.closed or os.lseek(file.fileno(), 0, os.SEEK_CUR) else ""
        if self._opened:
            return "open"
        after = _bytes_read()
        enough = None not in (self._before, after) and after[0] - sum(self._before) >= len(_LINES)
        return "bytes" if enough else ""


def _hook(event, arguments):
    if event == "open" and _Watch.entered:
        _Watch.entered.note(*arguments)


def _bytes_read():
    """How many the process read so far, with children that it waited for; and how many this takes
    itself, which are counted from now on. None where the kernel does not tell.
    """
    try:
        with open("/proc/self/io", "rb") as file:
            told = file.read()
        return int(told.partition(b"rchar: ")[2].split()[0]), len(told)
    except (OSError, ValueError, IndexError):
        return None
