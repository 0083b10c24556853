"""Why a runner cannot be built, in plain words, and what to do. Knows no tool by name."""

from __future__ import annotations

import errno
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from iogauge.host import kernel
from iogauge.model.text import visible

_NO_SPACE = re.compile(r"no space left on device|os error 28|disk quota exceeded", re.I)
_NO_NETWORK = re.compile(
    r"no such host|unknown host|could not resolve|name resolution|network is unreachable"
    r"|no route to host|connection (refused|reset|timed out)|(failed|couldn't|unable) to connect"
    r"|could not (transfer|connect)|network error|i/o timeout|server misbehaving"
    r"|in offline mode|(--|in the )offline (flag|mode)|unknown proxy|proxy authentication"
    r"|proxy(connect)? (error|failed|tcp)|407 proxy|PKIX path|unable to get local issuer"
    r"|certificate (verify failed|has expired|signed by|problem)",
    re.I,
)
_ERROR = re.compile(r"error|fatal|fail|cannot|could not|denied|not found", re.I)
_LONGEST_LINE = 200
_FULL = 1 << 20  # bytes that are free where a tool stopped for want of space
_ELSEWHERE = "set XDG_CACHE_HOME to a folder"


@dataclass(frozen=True)
class Failed:
    """A command of a build that failed, why in a few words, and all that it printed."""

    command: str
    why: str
    output: str = ""


def of_folder(folder: Path, error: OSError) -> str:
    """Why nothing can be written into the folder of the builds."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return _no_space(folder)
    return f"{folder} cannot be written ({error.strerror}); {_ELSEWHERE} that can"


def noexec(folder: Path) -> str | None:
    """Why programs in this folder, which need not exist yet, cannot be started; None if they
    can.
    """
    there = next(each for each in (folder, *folder.parents) if each.exists())
    if kernel.noexec(there):
        return f"{folder} is mounted noexec: no program starts there; {_ELSEWHERE} elsewhere"
    return None


def full(folder: Path) -> bool:
    """Whether there is hardly any space. Tools stop for want of it in many ways."""
    return shutil.disk_usage(folder).free < _FULL


def of_command(failed: Failed, folder: Path, log: Path | None, *, was_full: bool) -> str:
    """Why a command failed, in one line that names its log. `was_full` says whether `folder` had
    space when it failed.
    """
    line = _told(failed.output)
    if was_full:
        cause = _no_space(folder)
    elif _NO_SPACE.search(failed.output):
        cause = f"no space is left for its tools ({line}); free some"
    elif _NO_NETWORK.search(failed.output):
        cause = (
            "its build could not fetch what it needs; connect this machine to the network once, or "
            "tell the toolchain of a proxy or a mirror"
        )
    else:
        said = f": {line}" if line else ""
        cause = f"{failed.command} {failed.why}{said}; run again when this is mended"
    return f"{cause}; log: {log}" if log else cause


def _no_space(folder: Path) -> str:
    return f"no space is left in {folder}; free some, or {_ELSEWHERE} that has more"


def _told(output: str) -> str:
    """The line of an output that likely tells most: the first that tells of an error, or the
    last.
    """
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    told = next((line for line in lines if _ERROR.search(line)), lines[-1] if lines else "")
    told = visible(told)
    return told if len(told) <= _LONGEST_LINE else f"{told[:_LONGEST_LINE]}…"
