"""What starts a worker, and starts it again: texts for systemd, Slurm, Kubernetes and a shell.

By default these end what a worker left running, which would be the run that it follows. So systemd
gets `KillMode=process`, and elsewhere a loop is the main process, and not the worker.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Literal

import jinja2

_PLAIN = re.compile(r"[\w@%+=:,./$-]+", re.ASCII)
Kind = Literal["systemd", "slurm", "kubernetes", "loop"]
FILES: dict[Kind, str] = {
    "systemd": "systemd.service",
    "slurm": "slurm.sh",
    "kubernetes": "kubernetes.yaml",
    "loop": "loop.sh",
}


@dataclass(frozen=True)
class Worker:
    """A worker that is to be started. `program`, which starts iogauge there, and the folder of
    `certificates` are words of a shell (or of systemd) already; `name` is what the host is called,
    None for its own host name.
    """

    program: str
    scheduler: str
    name: str | None = None
    labels: Sequence[str] = ()
    directories: Sequence[str] = ()
    certificates: str | None = None

    def command(self, own_name: str, quoted: Callable[[str], str]) -> str:
        """Its command line; `own_name` stands for the host's own name."""
        name = quoted(self.name) if self.name else own_name
        found = [self.program, "fleet", "worker", quoted(self.scheduler), "--name", name]
        for option, values in (("--label", self.labels), ("--dir", self.directories)):
            found += [word for each in values for word in (option, quoted(each))]
        return " ".join([*found, *(("--certs", self.certificates) if self.certificates else ())])


_OWN_NAMES: dict[Kind, str] = {
    "systemd": "%H",
    "slurm": '"$(hostname -s)"',
    "kubernetes": '"$HOST_NAME"',
    "loop": '"$(hostname)"',
}


def text(kind: Kind, worker: Worker, *, count: int = 1, image: str = "") -> str:
    """The unit, script or manifest of this kind."""
    template = resources.files(__package__) / FILES[kind]
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    return environment.from_string(template.read_text("utf-8")).render(
        command=worker.command(_OWN_NAMES[kind], quoting(kind)),
        name=worker.name or "this host",
        count=count,
        image=image,
    )


def quoting(kind: Kind) -> Callable[[str], str]:
    """What makes one word of a text."""
    of: dict[Kind, Callable[[str], str]] = {"systemd": _for_systemd, "slurm": _inside_quotes}
    return of.get(kind, shlex.quote)


def _for_systemd(word: str) -> str:
    """Its lines know `%` and `$` as their own, and quotes around a whole word only."""
    word = word.replace("$", "$$").replace("%", "%%")
    if _PLAIN.fullmatch(word):
        return word
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _inside_quotes(word: str) -> str:
    """The script is one word of the shell that begins it."""
    return shlex.quote(word).replace("'", "'\\''")
