"""Processes that we start and end, and what this one may do. Each system has its own ways."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
from functools import cache
from typing import Any

import psutil

from iogauge.host import calls

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

_PR_SET_PDEATHSIG = 1
_SETS_SIGNAL = ("setpriv", "--pdeathsig", "KILL", "--")
_GROUPS = hasattr(os, "killpg")
_SIGNALLED = calls.known("prctl")  # a process can be sent a signal when its parent ends
_prctl = calls.libc("prctl")


def apart() -> dict[str, Any]:
    """How a process is started that Ctrl-C does not reach, and that end() ends with all that it has
    started: arguments for subprocess.Popen.
    """
    if _GROUPS:
        return {"start_new_session": True}
    return {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}  # Windows


def spawn(command: list[str], **settings: Any) -> subprocess.Popen[bytes]:
    """A process apart that is killed when the thread that started it ends. Raises OSError.

    A program sets that signal, because a function of ours between fork and exec makes Python copy
    its page tables: 18 ms instead of 0.3 for a process of 250 MiB, which then writes into its
    memory at a page fault each. It does so within a millisecond; of a host that dies before, a
    runner finds the end of its input. Where there is no such signal, that is all it finds.
    """
    settings |= apart()
    if not _SIGNALLED:
        return subprocess.Popen(command, **settings)
    if (
        not _sets_signal() or shutil.which(command[0]) is None
    ):  # what cannot be started is to say why by itself
        return subprocess.Popen(command, preexec_fn=_die_with(os.getpid()), **settings)
    return subprocess.Popen([*_SETS_SIGNAL, *command], **settings)


@cache
def _sets_signal() -> bool:
    """Whether there is such a program: that of util-linux is, that of BusyBox is not."""
    try:
        return (
            subprocess.run(
                [*_SETS_SIGNAL, "true"], stdin=subprocess.DEVNULL, capture_output=True, check=False
            ).returncode
            == 0
        )
    except OSError:
        return False


def _die_with(host: int) -> Any:
    def in_child() -> None:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != host:  # the host died before the signal was set
            os._exit(1)

    return in_child


def end(process: subprocess.Popen[Any]) -> None:
    """End a process that was started apart, with all that it may have started, at once."""
    if _GROUPS:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        return
    started: list[psutil.Process] = []
    with contextlib.suppress(psutil.NoSuchProcess):
        started = psutil.Process(process.pid).children(recursive=True)
    for each in (process, *started):
        with contextlib.suppress(OSError, psutil.NoSuchProcess):
            each.kill()


def ends(process: subprocess.Popen[Any], timeout: float) -> bool:
    """Whether a process ends in time. Python would look at ever longer intervals, up to 50 ms."""
    descriptor = _descriptor(process.pid)
    if descriptor is None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout)
        return process.returncode is not None
    try:
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        return bool(waiting.poll(timeout * 1000))
    finally:
        os.close(descriptor)


def _descriptor(pid: int) -> int | None:
    """None where it was waited for already, or the kernel is older than Linux 5.3, or another."""
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def how_ended(status: int) -> str:
    """How a process ended, by its return code."""
    if status < 0:
        return f"died of {signal.Signals(-status).name}"
    return f"exited with status {status}"


def allow_many_files() -> None:
    """A fork takes six descriptors; dozens of forks pass the usual soft limit."""
    if resource is None:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):  # macOS has a limit below its hard limit
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
