"""The hosts of the lab with ssh: each has an sshd with a key of its own, and a home of its own. All
are root on one machine, so each mounts its home over root's, where nobody else sees it.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from iogauge.model import folders
from tests import fleet_lab
from tests.fleet_lab import Host, Lab

ROOT = Path(__file__).parents[1]
HOME = pwd.getpwuid(0).pw_dir
PYTHON = Path(sys.base_prefix).resolve()
_SYSTEM = "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_IN_ITS_HOME = """\
if [ -n "$3" ]; then mkdir -p "$1/$3" && mount --bind "$2/$3" "$1/$3"; fi &&
mount --rbind "$1" "$2" && mount -t tmpfs tmpfs /run && mkdir /run/sshd && cd "$2" || exit 99
shift 3
exec "$@"
"""
_SSHD = """\
Port 22
ListenAddress {address}
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/authorized_keys
PidFile none
UsePAM no
LogLevel ERROR
StrictModes no
PasswordAuthentication no
PermitRootLogin prohibit-password
SetEnv {more}
"""


_PROGRAMS = ("sshd", "ssh", "ssh-keygen", "tar", "nsenter", "unshare")
_RUNTIME = "/run/user/0"
_SYSTEMD = "/usr/lib/systemd/systemd"
# Its manager of users, in control groups of its own. Who may stay is not its affair but logind's.
_WITH_SYSTEMD = f"""\
mkdir -p /run/systemd/system "$2" && chmod 700 "$2" && export XDG_RUNTIME_DIR="$2" || exit 99
(
    for each in /sys/fs/cgroup /sys/fs/cgroup/systemd /sys/fs/cgroup/unified; do
        [ -e $each/cgroup.procs ] && mkdir $each/"$1" && echo 0 >$each/"$1"/cgroup.procs
    done
    exec {_SYSTEMD} --user
) &
shift 2
exec "$@"
"""


def able() -> str:
    """Why there can be no such lab here; empty where it can."""
    absent = [each for each in _PROGRAMS if not shutil.which(each)]
    return f"needs {', '.join(absent)}" if absent else fleet_lab.able()


class OwnHome(Host):
    """A host whose processes have its own home, and nothing of the environment of the tests."""

    def __init__(self, lab: Lab, name: str, number: int, kind: str | None):
        super().__init__(lab, name, number, kind)
        self.home = (self.disk if kind else self.folder) / "home"
        self.home.mkdir()
        self.path = f"{PYTHON / 'bin'}:{_SYSTEM}"
        self.variables: dict[str, str] = {}
        self.has_systemd = False

    def has_systemd_too(self) -> None:
        """Also give it a manager of users, where one is installed."""
        self.has_systemd = Path(_SYSTEMD).exists()
        programs = self.folder / "bin"
        programs.mkdir()
        (programs / "loginctl").write_text(f'#!/bin/sh\necho "$@" >>{self.folder}/loginctl.log\n')
        (programs / "loginctl").chmod(0o755)
        self.path = f"{programs}:{self.path}"

    def environment(self) -> dict[str, str]:
        return {"HOME": HOME, "PATH": self.path, "LANG": "C.UTF-8", **self.variables}

    def inside(self, *words: str) -> list[str]:
        """As `ip netns exec`, which hides the control groups, does it."""
        inside = PYTHON.is_relative_to(HOME)  # a Python of root's goes with it
        python = str(PYTHON.relative_to(HOME)) if inside else ""
        sh = ["sh", "-c", _IN_ITS_HOME, "sh", str(self.home), HOME, python]
        return ["nsenter", f"--net=/run/netns/{self.space}", "unshare", "--mount", *sh, *words]

    def serve(self, key: str, path: str = "") -> str:
        """Start its sshd, for whoever has this key; how others know it."""
        config, more = self.folder / "sshd_config", f"PATH={path or self.path}"
        if self.has_systemd:
            more += f" XDG_RUNTIME_DIR={_RUNTIME}"
        config.write_text(_SSHD.format(address=self.address, folder=self.folder, more=more))
        (self.folder / "authorized_keys").write_text(key)
        known = make_key(self.folder / "host_key")
        sshd = [str(shutil.which("sshd")), "-D", "-e", "-f", str(config)]
        if self.has_systemd:
            sshd = ["sh", "-c", _WITH_SYSTEMD, "sh", self.space, _RUNTIME, *sshd]
        self.start(*sshd, log="sshd.log")
        return f"{self.address} {known}"

    def close(self) -> None:
        super().close()
        groups = Path("/sys/fs/cgroup")
        for group in (*groups.glob(self.space), *groups.glob(f"*/{self.space}")):
            for each, _, _ in os.walk(group, topdown=False):
                os.rmdir(each)


def make_key(path: Path) -> str:
    """Write a new key; returns the public one."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    return path.with_suffix(".pub").read_text()


class OverSsh(Lab):
    """A lab in which the head has ssh to all hosts, and a virtual environment without anything."""

    kind_of_host = OwnHome
    size = 1200 << 20

    def begin(self) -> None:
        folder = self.head.home / ".ssh"
        folder.mkdir(mode=0o700)
        key = make_key(folder / "id_ed25519")
        next(iter(self.hosts.values())).has_systemd_too()
        known = [each.serve(key) for each in self.hosts.values()]
        (folder / "known_hosts").write_text("".join(known))
        assert self.shell("python3 -m venv ~/venv") == 0, self.head.log("shell.log")
        self.head.path = f"{HOME}/venv/bin:{self.head.path}"
        self.head.variables = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels(self.folder))}

    def shell(self, line: str, log: str = "shell.log", seconds: float = 300) -> int:
        """The exit status of a line that a person types on the head."""
        return self.head.start("bash", "-c", line, log=log).wait(seconds)


def wheels(folder: Path) -> Path:
    """iogauge as it stands, and all that it needs in a fleet, which are fetched once."""
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    state = hashlib.sha256(lock.encode() + sys.version.encode()).hexdigest()[:12]
    kept, made = folders.cache() / "dist" / f"fleet-{state}", folder / "wheels"
    made.mkdir()
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet"]
    own = [*pip, "--no-deps", "--no-build-isolation", "--wheel-dir", str(made), str(ROOT)]
    subprocess.run(own, check=True, stdout=subprocess.DEVNULL)
    (wheel,) = made.glob("iogauge-*.whl")
    if not kept.is_dir():
        kept.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(dir=kept.parent))
        versions = folder / "versions.txt"
        versions.write_text("\n".join(re.findall(r"^[\w-]+==\S+", lock, re.MULTILINE)))
        what = f"iogauge[fleet] @ {wheel.as_uri()}"
        fetch = [*pip, "--wheel-dir", str(partial), "--constraint", str(versions), what]
        subprocess.run(fetch, check=True, stdout=subprocess.DEVNULL)
        (partial / wheel.name).unlink()
        partial.rename(kept)
    for each in kept.glob("*.whl"):
        os.link(each, made / each.name) if _is_one_device(each, made) else shutil.copy(each, made)
    return made


def _is_one_device(one: Path, other: Path) -> bool:
    return one.stat().st_dev == other.stat().st_dev


@contextmanager
def lab(folder: Path, hosts: Mapping[str, str]) -> Iterator[OverSsh]:
    with fleet_lab.removed(folder):
        made = OverSsh(folder, hosts)
        try:
            made.begin()
            yield made
        finally:
            made.close()
