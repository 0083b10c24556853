"""Three hosts and a scheduler on one machine: network namespaces with own addresses on a bridge,
work directories on loop devices with ext4, xfs and tmpfs, a real scheduler and real workers with
TLS. It needs root; whoever leaves removes it all.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path

BRIDGE, NET, PORT = "iogbr0", "10.99.66", 8786
HOSTS = {"alpha": "ext4", "beta": "xfs", "gamma": "tmpfs"}
SIZE = 400 << 20
STUDY = """\
id = "fleet-read"
title = "Reading on a fleet"
budget = "6s"

[[group]]
id = "cached"
question = "How is 1 MiB read fastest?"
size = "1M"
cache = "warm"

[[group.case]]
strategy = ["python/file-read", "python/os-read"]
parameters = { block = ["4K", "128K"] }
"""


@cache
def able() -> str:
    """Why there can be no such lab here; empty where it can."""
    if os.geteuid():
        return "needs root"
    absent = [each for each in ("ip", "mkfs.ext4", "mkfs.xfs", "losetup") if not shutil.which(each)]
    if absent:
        return f"needs {', '.join(absent)}"
    done = subprocess.run(["ip", "netns", "add", "iogauge-try"], capture_output=True)
    subprocess.run(["ip", "netns", "del", "iogauge-try"], capture_output=True)
    return "" if done.returncode == 0 else "network namespaces cannot be made here"


def _run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True)


class Host:
    """A namespace. Whatever runs in it is a child of ours, in a process group of its own."""

    def __init__(self, lab: Lab, name: str, number: int, kind: str | None):
        self.lab, self.name, self.space = lab, name, f"iogauge-{name}"
        self.address, self._link, self.kind = f"{NET}.{number}", f"iog{number}", kind
        self.folder, self.disk = lab.folder / name, lab.folder / name / "disk"
        self.disk.mkdir(parents=True)
        self.children: list[subprocess.Popen[bytes]] = []
        _run("ip", "netns", "add", self.space)
        _run(
            "ip",
            "link",
            "add",
            self._link,
            "type",
            "veth",
            "peer",
            "name",
            "eth0",
            "netns",
            self.space,
        )
        _run("ip", "link", "set", self._link, "master", BRIDGE, "up")
        _run("ip", "-n", self.space, "addr", "add", f"{self.address}/24", "dev", "eth0")
        _run("ip", "-n", self.space, "link", "set", "eth0", "up")
        _run("ip", "-n", self.space, "link", "set", "lo", "up")
        if kind == "tmpfs":
            _run("mount", "-t", "tmpfs", "-o", f"size={lab.size}", "tmpfs", str(self.disk))
        elif kind:
            image = self.folder / "disk.img"
            with image.open("wb") as file:
                file.truncate(lab.size)
            _run(f"mkfs.{kind}", "-q", str(image))
            _run("mount", "-o", "loop", str(image), str(self.disk))

    def environment(self) -> dict[str, str]:
        """The host's own folders, on its own disk; builds of runners are shared."""
        return {
            **os.environ,
            "XDG_DATA_HOME": str(self.disk / "data"),
            "HOME": str(self.folder),
            "XDG_CACHE_HOME": str(self.lab.cache),
            "IOGAUGE_FLEET_CERTS": str(self.lab.certs),
        }

    def inside(self, *words: str) -> list[str]:
        return ["ip", "netns", "exec", self.space, *words]

    def run(
        self, *words: str, timeout: float = 120, **options: object
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.inside(*words),
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=timeout,
            **options,
        )

    def start(self, *words: str, log: str = "log") -> subprocess.Popen[bytes]:
        with (self.folder / log).open("ab") as out:
            process = subprocess.Popen(
                self.inside(*words),
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        self.children.append(process)
        return process

    def log(self, name: str = "log") -> str:
        path = self.folder / name
        return path.read_text(errors="replace") if path.exists() else ""

    def processes(self, word: str) -> list[int]:
        """The processes of this namespace with this word in their command line."""
        done = subprocess.run(["ip", "netns", "pids", self.space], capture_output=True, text=True)
        found = []
        for pid in map(int, done.stdout.split()):
            try:
                line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if word in line:
                found.append(pid)
        return found

    def kill(self, word: str) -> int:
        """Kill these processes; how many they were."""
        pids = self.processes(word)
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        return len(pids)

    def cut(self, seconds: float) -> None:
        """No network for so long."""
        _run("ip", "link", "set", self._link, "down")
        time.sleep(seconds)
        _run("ip", "link", "set", self._link, "up")

    def close(self) -> None:
        for _ in range(3):
            self.kill("")
            time.sleep(0.1)
        for each in self.children:
            each.wait()
        subprocess.run(["umount", "-l", str(self.disk)], capture_output=True)
        subprocess.run(["ip", "link", "del", self._link], capture_output=True)
        subprocess.run(["ip", "netns", "del", self.space], capture_output=True)


class Lab:
    """The bridge, the machine with scheduler and client, and the hosts."""

    kind_of_host: type[Host] = Host
    size = SIZE

    def __init__(self, folder: Path, hosts: Mapping[str, str] = HOSTS):
        self.folder, self.cache, self.certs = folder, folder / "cache", folder / "certs"
        self.cache.mkdir()
        self.study = folder / "fleet-read.toml"
        self.study.write_text(STUDY)
        self.clean()
        _run("ip", "link", "add", BRIDGE, "type", "bridge")
        _run("ip", "link", "set", BRIDGE, "up")
        self.head = self.kind_of_host(self, "head", 10, None)
        self.hosts = {
            name: self.kind_of_host(self, name, 11 + number, kind)
            for number, (name, kind) in enumerate(hosts.items())
        }
        self.address = f"tls://{self.head.address}:{PORT}"

    def iogauge(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "iogauge", *words]

    def begin(self) -> None:
        """Certificates, the scheduler, and a worker on each host, in the loop that is generated."""
        done = self.head.run(*self.iogauge("fleet", "certs", self.head.address))
        assert done.returncode == 0, done.stderr
        self.start_scheduler()
        for each in self.hosts.values():
            self.start_worker(each)
        self.wait_for_hosts()

    def start_scheduler(self) -> None:
        self.head.start(
            *self.iogauge("fleet", "scheduler", "--host", self.head.address), log="scheduler.log"
        )

    def start_worker(self, host: Host) -> None:
        words = [
            *("fleet", "unit", "loop", "--on", self.address, "--name", host.name),
            *("--dir", str(host.disk), "--label", f"disk={host.kind}"),
            *("--program", f"{sys.executable} -m iogauge"),
        ]
        done = host.run(*self.iogauge(*words))
        assert done.returncode == 0, done.stderr
        path = host.folder / "worker.sh"
        path.write_text(done.stdout)
        host.start("sh", str(path), log="worker.log")

    def wait_for_hosts(self, timeout: float = 60) -> None:
        def there() -> bool:
            done = self.head.run(*self.iogauge("fleet", "hosts", "--on", self.address))
            return all(name in done.stdout for name in self.hosts)

        wait_until(there, timeout, lambda: "\n".join(self.logs()))

    def logs(self) -> Iterator[str]:
        for each in (self.head, *self.hosts.values()):
            for path in sorted(each.folder.glob("*.log")):
                yield f"== {each.name} {path.name}\n{path.read_text(errors='replace')[-3000:]}"

    def close(self) -> None:
        for each in (self.head, *self.hosts.values()):
            each.close()
        self.clean()

    @staticmethod
    def clean() -> None:
        """Also of an earlier lab that was killed."""
        done = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True)
        for line in done.stdout.splitlines():
            if line.startswith("iogauge-"):
                subprocess.run(["ip", "netns", "del", line.split()[0]], capture_output=True)
        subprocess.run(["ip", "link", "del", BRIDGE], capture_output=True)


def wait_until(
    happens: Callable[[], object], timeout: float, says: Callable[[], str] = lambda: ""
) -> None:
    end = time.monotonic() + timeout
    while not happens():
        if time.monotonic() > end:
            raise AssertionError(f"did not happen within {timeout} s\n{says()}")
        time.sleep(0.5)


@contextmanager
def lab(folder: Path) -> Iterator[Lab]:
    with removed(folder):
        made = Lab(folder)
        try:
            made.begin()
            yield made
        finally:
            made.close()


@contextmanager
def removed(folder: Path) -> Iterator[None]:
    """Whatever of a lab in this folder is there at the end, also if it was not made as a whole."""
    try:
        yield
    finally:
        for each in folder.glob("*/disk"):
            if each.is_mount():
                subprocess.run(["umount", "-l", str(each)], capture_output=True)
        Lab.clean()
