"""Runs a command for `iogauge watch`, and counts what it and all that it starts do.

A program of its own, which needs Python's standard library alone: `supervisor.py REPORT -- COMMAND`
writes lines of JSON to the descriptor REPORT. The kernel adds the account of a process to whoever
waits for it, and this process becomes the parent of what others leave behind: so its own account
has that of the command with all its descendants.

The command keeps terminal, process group, input and output, and what signals do: those of a
terminal reach it as they would without us. When iogauge is gone, the command goes on, and this
process waits for it.
"""

import contextlib
import ctypes
import errno
import json
import os
import resource
import signal
import sys
import time

_BE_REAPER = 36  # of prctl
_OF_TERMINAL = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM)
_RESTORED = (signal.SIGPIPE, signal.SIGXFSZ)  # Python ignores them


def account():
    """The counts of this process and of all that it has waited for; none where the kernel does not
    tell.
    """
    try:
        with open("/proc/self/io", "rb", buffering=0) as file:
            lines = file.read().split(b"\n")
    except OSError:
        return {}
    pairs = (line.partition(b": ") for line in lines if line)
    return {key.decode(): int(value) for key, _, value in pairs}


def usage():
    """Processor time and faults of all that it has waited for."""
    found = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "user": found.ru_utime,
        "system": found.ru_stime,
        "minor": found.ru_minflt,
        "major": found.ru_majflt,
        "waits": found.ru_nvcsw,
    }


def gained(after, before):
    return {key: after[key] - before[key] for key in after if key in before}


def start(words):
    """The pid of the command, and why it could not be started (an errno), or None."""
    source, target = os.pipe()  # both are closed when the command begins
    pid = os.fork()
    if pid == 0:
        for number in _RESTORED:
            signal.signal(number, signal.SIG_DFL)
        try:
            os.execvp(words[0], words)
        except OSError as error:
            os.write(target, str(error.errno).encode())
        except ValueError:  # an empty word
            os.write(target, str(errno.ENOENT).encode())
        os._exit(127)
    os.close(target)
    why = os.read(source, 16)
    os.close(source)
    return pid, int(why) if why else None


def wait_for(pid):
    """Wait until the command has ended, and for whatever ends before or with it. Its status."""
    status = None
    while status is None:
        ended, how = os.waitpid(-1, 0)
        if ended == pid:
            status = how
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    return status


def children():
    """The pids of what is still below this process: descendants that stayed."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
            return [*map(int, file.read().split())]
    except OSError:
        return []


def main():
    report, words = int(sys.argv[1]), sys.argv[3:]
    os.set_inheritable(report, False)

    def tell(**facts):
        with contextlib.suppress(OSError):  # iogauge is gone
            os.write(report, json.dumps(facts).encode() + b"\n")

    ctypes.CDLL(None).prctl(_BE_REAPER, 1, 0, 0, 0)
    for number in _OF_TERMINAL:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: None)  # a command that is started has the default
    first = account()
    before = account()  # what a look adds is taken off
    began = time.monotonic()
    pid, why = start(words)
    if why is not None:
        os.waitpid(pid, 0)
        tell(failed=why)
        return 127
    tell(pid=pid, began=began)
    status = wait_for(pid)
    wall, after = time.monotonic() - began, account()
    look = gained(before, first)
    counted = {key: value - look[key] for key, value in gained(after, before).items()}
    tell(status=status, wall=wall, io=counted, usage=usage(), left=children())
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


if __name__ == "__main__":
    sys.exit(main())
