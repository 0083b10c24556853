"""A root folder that has Python in it and nothing else: no shell, no compiler, no Java."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

PYTHON = f"/python/bin/{Path(sys.executable).resolve().name}"
_NOT_ALONE = ("site-packages", "test", "tests", "idlelib", "__pycache__", "config-*")
_ALWAYS = ("libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "libz.so.1", "librt.so.1")
_ALWAYS += ("libpthread.so.0", "libdl.so.2")
_VARIABLES = "PATH=/venv/bin HOME=/home LC_ALL=C.UTF-8 COLUMNS=100"
_MOUNTS = "mount --make-rprivate / && for each in proc sys dev; do mount --rbind /$each $0/$each || exit; done"


@dataclass(frozen=True)
class Bare:
    """What runs in it has no network, and no mount of it is seen outside or outlives it."""

    root: Path

    def run(self, *command: str, timeout: float) -> subprocess.CompletedProcess[str]:
        script = f'{_MOUNTS}; exec env -i {_VARIABLES} {shutil.which("chroot")} "$0" "$@"'
        user = [] if os.geteuid() == 0 else ["--map-root-user"]
        return subprocess.run(
            ["unshare", *user, "--mount", "--net", "sh", "-c", script, self.root, *command],
            capture_output=True,
            text=True,
            timeout=timeout,
        )


def made(root: Path) -> Bare:
    """Python with the libraries that it is linked with."""
    for name in ("proc", "sys", "dev", "home", "tmp", "data"):
        (root / name).mkdir(parents=True)
    library = Path(sysconfig.get_path("stdlib"))
    ours = root / "python" / "lib" / library.name
    shutil.copytree(library, ours, ignore=shutil.ignore_patterns(*_NOT_ALONE))
    (root / PYTHON[1:]).parent.mkdir()
    shutil.copy(Path(sys.executable).resolve(), root / PYTHON[1:])
    # What Python is linked with, and what every Debian has and wheels and Java lean on.
    linked = _said("ldd", root / PYTHON[1:], *ours.rglob("*.so"))
    linked += [path for path in _said("ldconfig", "-p") if Path(path).name in _ALWAYS]
    for path in dict.fromkeys(linked):
        (root / path[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, root / path[1:])
    return Bare(root)


def _said(*command: str | Path) -> list[str]:
    """The paths of libraries that a command prints."""
    said = subprocess.run(command, capture_output=True, text=True).stdout
    return [word for word in said.split() if re.fullmatch(r"/.*\.so[.\d]*", word)]
