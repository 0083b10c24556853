"""The runner of whole commands: it speaks docs/wire.md, and an operation is a command's process.

It needs Python's standard library alone. An operation has ended when the command and all that it
started have ended. So the kernel adds what they did to the counters of this process, which the host
reads.
"""

import contextlib
import ctypes
import json
import os
import select
import signal
import sys
import threading
import time

_SET_DEATH_SIGNAL, _BE_REAPER = 1, 36  # of prctl
_TICK = 0.25  # s: how often a command that runs is looked at
_LATE = 3.0  # s: who looks so much later than due stood still: the machine slept, or was frozen
_TAIL = 2000  # bytes of what a command that failed said last


class Refused(Exception):
    """The request cannot be carried out."""


def take_charge():
    """Have what a command leaves behind become a child of this process, and let this process
    outlive the host for as long as it takes to end that.
    """
    with contextlib.suppress(OSError, AttributeError):  # not Linux
        prctl = ctypes.CDLL(None).prctl
        prctl(_BE_REAPER, 1, 0, 0, 0)
        prctl(_SET_DEATH_SIGNAL, 0, 0, 0, 0)


def descendants(of):
    """Pids of all processes below this one, as far as the kernel tells."""
    found, waiting = [], [of]
    while waiting:
        found.append(waiting.pop())
        with contextlib.suppress(OSError):  # gone meanwhile
            for thread in os.listdir(f"/proc/{found[-1]}/task"):
                with open(f"/proc/{found[-1]}/task/{thread}/children", encoding="ascii") as file:
                    waiting += map(int, file.read().split())
    return found[1:]


def name_of(pid):
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return "a process"


class Watch:
    """Ends a command, with all that it started, when it runs for too long or the host is gone."""

    def __init__(self):
        signal.signal(signal.SIGALRM, self._look)
        self.command, self.ended = None, {}  # its pid; by pid, the names of what was ended

    @contextlib.contextmanager
    def over(self, limit):
        self.command, self.ended = None, {}
        self._looked = time.monotonic()
        self._due = self._looked + limit
        signal.setitimer(signal.ITIMER_REAL, _TICK, _TICK)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _look(self, *_):
        asked = select.poll()
        asked.register(0, 0)
        host_is_gone, now = asked.poll(0), time.monotonic()
        since, self._looked = now - self._looked, now
        if since > _TICK + _LATE:  # the command had no time to run in
            self._due += since
        if not host_is_gone and now < self._due:
            return
        below = descendants(os.getpid()) or [self.command]
        for pid in filter(None, below):
            self.ended.setdefault(pid, name_of(pid))
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


class Streams:
    """Where commands write to. `said` is the end of what one wrote to its error output."""

    def __init__(self):
        self._null = os.open(os.devnull, os.O_RDWR)
        self._pipe = None
        self.said = b""

    def output(self, kind):
        """A descriptor for the output of commands. A `pipe` is emptied without reading it: reads
        would be counted as the command's.
        """
        if kind != "pipe":
            return self._null
        if self._pipe is None:
            source, self._pipe = os.pipe()
            _in_thread(self._drain, source)
        return self._pipe

    def _drain(self, source):
        while os.splice(source, self._null, 1 << 20):
            pass

    @contextlib.contextmanager
    def errors(self, kept):
        """A descriptor for the error output of a command, which is read if it is to be `kept`."""
        self.said = b""
        if not kept:
            yield self._null
            return
        source, given = os.pipe()
        reader = _in_thread(self._keep_tail, source)
        try:
            yield given
        finally:
            os.close(given)
            reader.join()
            os.close(source)

    def _keep_tail(self, source):
        while part := os.read(source, 65536):
            self.said = (self.said + part)[-_TAIL:]


def _in_thread(work, source):
    def apart():
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])  # it is for the main thread
        work(source)

    thread = threading.Thread(target=apart, daemon=True)
    thread.start()
    return thread


class Command:
    """A command that is open, with the values of its parameters and its file. `known` are those
    that worked: what these say on their error output is not kept, so that nothing else is done.
    """

    def __init__(self, request, streams, watch, known):
        told = request["command"]
        self._streams, self._watch, self._known = streams, watch, known
        self._identity = json.dumps([told["run"], request["parameters"]])
        self._limit, self._output = told["limit"], told["output"]
        self._any_status = told["any_status"]
        values = {name: str(value) for name, value in request["parameters"].items()}
        self._words = filled(told["run"], values, told["file"])
        self._program = found(self._words[0])
        self._before = filled(told["prepare"], values, told["file"]) if told["prepare"] else None
        self._prepared = False

    def prepare(self):
        """Run what comes before each operation, untimed."""
        if self._before and not self._prepared:
            self._run(self._before, found(self._before[0]), True, "--prepare: ")
        self._prepared = True

    def span(self, operations):
        """The ns that so many operations took."""
        return sum(self._operate() for _ in range(operations))

    def _operate(self):
        self.prepare()
        self._prepared = False
        taken = self._run(self._words, self._program, self._identity not in self._known)
        self._known.add(self._identity)
        return taken

    def _run(self, words, program, keep_errors, what=""):
        output = self._streams.output(self._output)
        with self._streams.errors(keep_errors) as errors, self._watch.over(self._limit):
            actions = [
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, output, 1),
                (os.POSIX_SPAWN_DUP2, errors, 2),
            ]
            as_usual = [signal.SIGPIPE, signal.SIGXFSZ]  # Python ignores these
            start = time.monotonic_ns()
            try:
                pid = os.posix_spawn(
                    program, words, os.environ, file_actions=actions, setsigdef=as_usual
                )
            except OSError as error:
                raise Refused(f"{what}{words[0]}: {error.strerror}") from None
            self._watch.command = pid
            status = os.waitpid(pid, 0)[1]
            with contextlib.suppress(ChildProcessError):
                while True:  # what it left behind
                    os.waitpid(-1, 0)
            taken = time.monotonic_ns() - start
        if why := self._why_wrong(pid, os.waitstatus_to_exitcode(status), what):
            raise Refused(f"{what}{why}")
        return taken

    def _why_wrong(self, pid, code, what):
        ended, limit = self._watch.ended, f"{self._limit:g} s and was ended"
        if pid in ended:
            return f"it still ran after {limit}; a larger --limit gives it longer"
        if ended:
            names = ", ".join(sorted(set(ended.values())))
            instead = "have it wait for that, or give a larger --limit"
            return f"what it had started ({names}) still ran after {limit}; {instead}"
        lines = self._streams.said.decode("utf-8", "replace").split("\n")
        said = " / ".join([each.strip() for each in lines if each.strip()][-2:])[-300:]
        said = f": {said}" if said else ""
        if code < 0:
            return f"it died of {signal.Signals(-code).name}{said}"
        if not code or (self._any_status and not what):
            return None
        return f"it ended with status {code}{said}"


def filled(told, values, file):
    """The words of a command, with its parameters and its file."""
    values = {**values, "file": quoted(file) if told["shell"] else file}
    words = told["words"]
    for name, value in values.items():
        words = [word.replace("{" + name + "}", value) for word in words]
    return words


def quoted(path):
    """The path as one word of a shell."""
    plain = path.isascii() and all(each.isalnum() or each in "@%+=:,./-_" for each in path)
    return path if plain else "'" + path.replace("'", "'\"'\"'") + "'"


def found(name):
    """The program of this name, as a shell finds it."""
    if os.sep in name:
        return name
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder or ".", name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise Refused(f"{name}: not found on the PATH")


class Nothing:
    """The strategy that does nothing. It starts no process, which is part of every command."""

    def span(self, operations):
        start = time.monotonic_ns()
        for _ in range(operations):
            pass
        return time.monotonic_ns() - start


class Runner:
    def __init__(self):
        self._watch, self._streams, self._opened = Watch(), Streams(), None
        self._known = set()

    def hello(self, request):
        version = ".".join(map(str, sys.version_info[:3]))
        return {
            "wire": 3,
            "runner": "command",
            "runtime": f"command-{version}",
            "name": "whole commands",
            "version": version,
            "flags": [],
            "clock_resolution_ns": 1000,
        }

    def open(self, request):
        self._opened = None
        if request.get("command") is None:
            opened = Nothing()
        else:
            opened = Command(request, self._streams, self._watch, self._known)
            opened.prepare()
        self._opened = opened

    def sample(self, request):
        if self._opened is None:
            raise Refused("no strategy is open")
        path, operations = request["paths"][0], request["operations"]
        before = identity(path)
        taken = [self._opened.span(operations) for _ in range(request["spans"])]
        if identity(path) != before:
            raise Refused("it changed the file; a command may only read it")
        known = {"ns": taken, "operations": [operations] * len(taken)}
        return {**known, "count": None, "sum": None, "counters": {}}

    def release(self, request):
        """Nothing is open: every operation has ended."""


def identity(path):
    """What tells whether a file was changed."""
    try:
        seen = os.stat(path)
    except OSError:
        return None
    return seen.st_ino, seen.st_size, seen.st_mtime_ns


def answer(runner, line):
    try:
        request = json.loads(line)
        verb = request["verb"]
        if verb not in ("hello", "open", "sample", "release"):
            raise Refused(f"unknown verb {verb!r}")
        return {"verb": verb, **(getattr(runner, verb)(request) or {})}
    except Refused as error:
        return {"error": str(error)}
    except (ArithmeticError, LookupError, OSError, TypeError, ValueError) as error:
        return {"error": f"{type(error).__name__}: {error}"}


def main():
    replies = os.dup(1)
    os.dup2(2, 1)
    take_charge()
    runner, received = Runner(), b""
    while part := os.read(0, 1 << 16):
        received += part
        while b"\n" in received:
            line, _, received = received.partition(b"\n")
            reply = json.dumps(answer(runner, line), separators=(",", ":")).encode() + b"\n"
            with contextlib.suppress(BrokenPipeError):  # the host is gone
                while reply:
                    reply = reply[os.write(replies, reply) :]


main()
