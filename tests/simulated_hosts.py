"""Many hosts of a fleet on one machine, with a known truth: a real scheduler, and real workers in
one process. What a host measures is a run of the fake runner, with times of that host.

A whole run takes the fake runner some seconds, and hundreds of them take this machine an hour. So
two runs are measured, one of each kind of host, by the command line; the run file of a host has
the records of one of them, with the facts of the host and other times.

    python -m tests.simulated_hosts ADDRESS COUNT FAILING TEMPLATES SECONDS

is the process with the workers.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import psutil

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "tests" / "anywhere" / "with_fake_runner.py"
RUNNERS = ROOT / "tests" / "runners"
REPEATS = 10
ID = "many-hosts"
FATES = ("full disk", "killed", "gone", "no runtime")
"""What happens to the hosts that fail, in turn."""
SLOWER_ON_NFS, BEST_ON_NFS = 100, 109
"""The speed that takes 1.4 times as long on disk=nfs, and the next one, which is best there."""
_SPEEDS = "100:140"
_WAYS = (100, 109, 112, 116, 120, 125, 130, 136, 142, 150, 160, 170)
_GROUPS = {"small": "4K", "middle": "16K", "large": "64K"}
_APART, _NOISE = 0.01, 0.02
"""Standard deviations of a way's time: between hosts, and between the processes of a host."""
_TELLS = 2.0  # seconds between what a host says of itself
_LONG = 1e4  # seconds by which copies of a replicate lie apart


class Host(NamedTuple):
    """A simulated host. `fate` is empty where all goes well."""

    name: str
    labels: Mapping[str, str]
    fate: str = ""

    @property
    def is_nfs(self) -> bool:
        return self.labels["disk"] == "nfs"


def hosts(count: int, failing: int) -> list[Host]:
    """A fifth has its disk on NFS; the failing ones are spread over all of them."""
    made = []
    every = count // failing if failing else count + 1
    for number in range(count):
        labels = {
            "disk": "nfs" if number % 5 == 3 else "nvme",
            "instance": ("m7i.large", "c7i.large", "r7i.large")[number % 3],
            "region": ("eu", "us", "ap")[number // 7 % 3],
        }
        turn, rest = divmod(number, every)
        fails = rest == every // 2 and turn < failing
        fate = FATES[turn % len(FATES)] if fails else ""
        made.append(Host(f"{labels['disk']}-{number:03}", labels, fate))
    return made


def study(ways: int) -> str:
    """Three questions, as `quick` has some, each with so many ways."""
    text = f'id = "{ID}"\ntitle = "On many hosts"\nbudget = "1h"\nrounds = {{ warm = 5 }}\n'
    for number, (name, size) in enumerate(_GROUPS.items()):
        speeds = [each * 10**number for each in _WAYS[:ways]]  # each question has its own
        text += f"""
[[group]]
id = "{name}"
question = "Which way of reading {size} is fastest?"
size = "{size}"
cache = "warm"
[[group.case]]
strategy = "fake/steady"
parameters = {{ speed = {speeds}, scatter = 2 }}
"""
    return text


class Template(NamedTuple):
    """A run of one kind of host: its header, and its other records."""

    header: dict[str, Any]
    records: list[dict[str, Any]]


def measure_templates(folder: Path, ways: int, environment: Mapping[str, str]) -> None:
    """Measure both kinds of hosts, with this command line and the fake runner."""
    (folder / "study.toml").write_text(study(ways))
    asked = ["run", "study.toml", "--seed", "1", "--tolerance", "4%"]
    begun = []
    for name, speeds in (("nvme", ""), ("nfs", _SPEEDS)):
        (folder / name).mkdir()
        with (folder / f"{name}.log").open("w") as log:
            begun.append(
                subprocess.Popen(
                    [sys.executable, str(SCRIPT), *asked, "--dir", name, "-o", f"{name}.jsonl"],
                    env={**environment, "FAKE_SPEEDS": speeds},
                    cwd=folder,
                    stdout=log,
                    stderr=log,
                )
            )
    for each in begun:
        if each.wait():
            raise RuntimeError("\n".join(log.read_text() for log in folder.glob("*.log")))


def template(path: Path) -> Template:
    """The run in a file, with as many repeats as hosts are to have."""
    header, *found = map(json.loads, path.read_text("utf-8").splitlines())
    records = [each for each in found if each["record"] not in ("end", "columns", "seal")]
    return Template(header, [*_repeated(records)])


def _repeated(records: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Each question with its replicates again and again, under new numbers, until it has enough."""
    yield from (each for each in records if "replicate" not in each)
    parts: dict[int, dict[int, list[dict[str, Any]]]] = {}
    for each in records:
        if "replicate" in each:
            of = parts.setdefault(each["bundle"], {})
            of.setdefault(each["replicate"], []).append(each)
    forks = 1 + max(each["fork"] for each in records if each["record"] == "fork")
    for of in parts.values():
        measured = [*of.values()]
        for number in range(max(REPEATS, len(measured))):
            copy, at = divmod(number, len(measured))
            for each in measured[at]:
                if not (copy and each["record"] in ("harness", "compute_only")):
                    yield _moved(each, number, copy, forks)


def _moved(record: dict[str, Any], number: int, copy: int, forks: int) -> dict[str, Any]:
    moved = {**record, "replicate": number}
    if "fork" in record:
        moved["fork"] = record["fork"] + copy * forks
    if "ended" in record:
        moved["ended"] = record["ended"] + copy * _LONG
    return moved


def write(of: Template, host: Host, path: Path, *, whole: bool) -> None:
    """The run file of a host; of one that ends midway, the first half."""
    drawn = random.Random(host.name)
    level = math.exp(drawn.gauss(0, 0.3))
    cases = [_case(each) for each in of.header["plan"]["cases"]]
    apart = {each: level * math.exp(drawn.gauss(0, _APART)) for each in dict.fromkeys(cases)}
    noise: dict[tuple[int, int], float] = {}
    lines = [_header(of.header, host)]
    records = of.records if whole else of.records[: len(of.records) // 2]
    for each in records:
        if each["record"] != "sample":
            lines.append(each)
            continue
        key = each["fork"], each["case"]
        if key not in noise:
            noise[key] = apart[cases[each["case"]]] * math.exp(drawn.gauss(0, _NOISE))
        factor = noise[key]
        times = {name: [round(ns * factor) for ns in each[name]] for name in ("ns", "prelude_ns")}
        lines.append(each | times)
    if whole:
        seconds = 30 + 30 * drawn.random()
        lines.append({"record": "end", "reason": "decided", "seconds": seconds})
    with path.open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n")
    if whole:
        from iogauge.runfile import writing

        writing.seal(path)


def _case(case: Mapping[str, Any]) -> str:
    """A way: the control takes the same time as what it is the control of."""
    return json.dumps([case["strategy"], case["parameters"]])


def _header(header: Mapping[str, Any], host: Host) -> dict[str, Any]:
    facts = {
        "name": host.name,
        "labels": dict(host.labels),
        "identity": host.name,
        "file_system": "nfs4" if host.is_nfs else "ext4",
    }
    return {**header, "id": f"{ID}-{host.name}", "host": {**header["host"], **facts}}


class Machines:
    """Stands for the machines of all hosts, in the process of their workers: what carries out the
    plan of a host is a thread. The run files are written by two more processes.
    """

    def __init__(self, hosts: Sequence[Host], templates: Path, seconds: float):
        self.hosts, self.seconds = {each.name: each for each in hosts}, seconds
        self.leave: dict[str, Any] = {}  # ends the worker of a host
        self._pool = ProcessPoolExecutor(2, get_context("spawn"), _load, (templates,))

    def start(self, words: Sequence[str], log: Path, variables: object, held: int) -> None:
        """In the place of `detached.start`: the lock is held until the plan has ended, or the host
        dies.
        """
        alive = os.dup(held)
        host = self.hosts[Path(words[-1]).parent.name]
        threading.Thread(
            target=self._carry_out, args=(host, Path(words[-1]), log, alive), daemon=True
        ).start()

    def _carry_out(self, host: Host, folder: Path, log: Path, alive: int) -> None:
        from iogauge.fleet.place import Ended, Place

        try:
            place = Place(host.name, folder.name)
            asked = place.assignment()
            if host.fate == "gone":
                self.leave[host.name]()
                return
            if host.fate == "no runtime":
                says = "python is not there; install Python 3.11 or newer"
                place.end(Ended(submitted=asked.submitted, phase="refused", says=says, exit=2))
                return
            path = folder / f"{ID}.jsonl"
            writing = self._pool.submit(_write, host, path)
            self._measure(place)
            writing.result()
            if host.fate == "killed":
                log.write_text("Killed\n", "utf-8")
                return
            says, phase, status = "", "done", 0
            if host.fate:
                says, phase, status = "/data: No space left on device", "failed", 3
            place.end(Ended(submitted=asked.submitted, phase=phase, says=says, exit=status))
        finally:
            os.close(alive)

    def _measure(self, place: Any) -> None:
        from iogauge.fleet.assignment import Status

        steps = math.ceil(self.seconds / _TELLS)
        for step in range(steps):
            status = Status(
                host=place.host,
                phase="measuring",
                study=ID,
                replicates=step,
                decided=step * len(_GROUPS) // steps,
                groups=len(_GROUPS),
                seconds=step * _TELLS,
                budget=self.seconds,
            )
            place.tell(status)
            time.sleep(_TELLS)

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)


class Told(NamedTuple):
    """What a command printed, how it ended, the seconds that it took, those of a processor, and its
    most memory.
    """

    status: int
    out: str
    err: str
    seconds: float
    processor: float
    memory: int


class Used(NamedTuple):
    """The seconds of a processor of a process so far, and its most memory, in bytes."""

    processor: float
    memory: int


class Lab:
    """A scheduler and the workers of simulated hosts, in a folder. Each seems to measure for some
    `seconds`; each of three questions has so many `ways`. Whoever leaves ends all processes.
    """

    def __init__(
        self, folder: Path, count: int, failing: int, *, seconds: float = 8.0, ways: int = 12
    ):
        self.folder, self.hosts, self._ways = folder, hosts(count, failing), ways
        self.templates = folder / "templates"
        self.templates.mkdir()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.address = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
        self._processes: list[subprocess.Popen[str]] = []
        self._arguments = [str(count), str(failing), str(self.templates), str(seconds)]

    def environment(self, name: str) -> dict[str, str]:
        return {
            **os.environ,
            "IOGAUGE_RUNNERS": str(RUNNERS),
            "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
            "XDG_DATA_HOME": str(self.folder / name),
            "OPENBLAS_NUM_THREADS": "1",
        }

    def __enter__(self) -> Lab:
        measure_templates(self.templates, self._ways, self.environment("client"))
        port = self.address.rpartition(":")[2]
        try:
            self._start("scheduler", str(SCRIPT), "fleet", "scheduler", "--port", port)
            workers = self._start(
                "workers", "-m", "tests.simulated_hosts", self.address, *self._arguments
            )
            assert workers.stdout
            if not workers.stdout.readline():
                raise RuntimeError(self.log("workers"))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *why: object) -> None:
        for each in reversed(self._processes):
            each.terminate()
        for each in self._processes:
            try:
                each.wait(30)
            except subprocess.TimeoutExpired:
                each.kill()
                each.wait()

    def _start(self, name: str, *words: str) -> subprocess.Popen[str]:
        with (self.folder / f"{name}.log").open("w") as log:
            process = subprocess.Popen(
                [sys.executable, *words],
                env=self.environment(name),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self._processes.append(process)
        return process

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text("utf-8", "replace")

    def servers(self) -> list[Used]:
        """What the scheduler and the process of the workers have used."""
        found = []
        for each in self._processes:
            text = Path(f"/proc/{each.pid}/status").read_text("utf-8")
            memory = int(text.partition("VmHWM:")[2].split()[0]) << 10
            times = psutil.Process(each.pid).cpu_times()
            found.append(Used(times.user + times.system, memory))
        return found

    def run(self, *words: str) -> Told:
        """A command of the client's."""
        began = time.monotonic()
        out, err = self.folder / "out", self.folder / "err"
        with out.open("w") as stdout, err.open("w") as stderr:
            process = subprocess.Popen(
                [sys.executable, str(SCRIPT), *words],
                env=self.environment("client"),
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
            )
            _, ended, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(ended)
        return Told(
            process.returncode,
            out.read_text("utf-8"),
            err.read_text("utf-8"),
            time.monotonic() - began,
            used.ru_utime + used.ru_stime,
            used.ru_maxrss << 10,
        )

    def measure(self) -> Told:
        """The plan on all hosts; one that is gone is not awaited for long."""
        study, asked = str(self.templates / "study.toml"), ["--tolerance", "4%", "--seed", "1"]
        return self.run("run", study, "--on", self.address, *asked, "--patience", "5s")


def problems(simulated: Sequence[Host], run: Told, show: Told) -> Iterator[str]:
    """What `run` and `show` do not say of the truth, and of the hosts that fail."""
    if run.status != (3 if any(each.fate for each in simulated) else 0) or show.status:
        yield f"the exit statuses are {run.status} and {show.status}"
    head = show.out.partition("\n\n")[0]  # hosts with the same reason are in one line
    for each in simulated:
        if head.count(each.name) != bool(each.fate):
            yield f"{each.name} is told {head.count(each.name)} times; its fate: {each.fate or 'no'}"
    measured = [each for each in simulated if each.fate not in ("gone", "no runtime")]
    others = sum(not each.is_nfs for each in measured)
    text = " ".join(show.out.split())
    said = re.search(rf"steady, speed {SLOWER_ON_NFS} on (\d+) of (\d+) hosts", text)
    # One host in twenty may be called wrong, or have a control that differs by chance.
    if not said or int(said[2]) != len(measured) or not 0.9 * others <= int(said[1]) <= others:
        yield f"it holds on {others} of {len(measured)} hosts, and `show` says otherwise"
    if f"(steady, speed {BEST_ON_NFS} is better, " not in text:
        yield "what is better on NFS is not told"
    if not re.search(r"with file system and disk ext4 and nvme, [\d.x-]+ with nfs4 and nfs", text):
        yield "with what the difference goes is not told"
    if "with instance" in text or "with region" in text:
        yield "a label without effect is told"


_templates: dict[str, Template] = {}


def _load(folder: Path) -> None:
    for kind in ("nvme", "nfs"):
        _templates[kind] = template(folder / f"{kind}.jsonl")


def _write(host: Host, path: Path) -> None:
    path.unlink(missing_ok=True)
    write(_templates[host.labels["disk"]], host, path, whole=not host.fate)


def serve(address: str, simulated: Sequence[Host], templates: Path, seconds: float) -> None:
    """Have the workers of all hosts serve, until the scheduler ends."""
    from iogauge.fleet import here, place, serving
    from iogauge.fleet.here import Here

    serving.configure()
    machines = Machines(simulated, templates, seconds)
    known = {each.name: Here(each.name, each.labels, (templates,), None) for each in simulated}
    here.of_worker = lambda name: known[str(name)]
    place.detached = machines  # whose `start` is ours

    async def all_of_them(scratch: str) -> None:
        loop = asyncio.get_running_loop()
        made = [serving.worker(address, known[each.name], None, scratch) for each in simulated]
        for each in made:
            machines.leave[each.name] = lambda each=each: loop.call_soon_threadsafe(
                lambda: asyncio.ensure_future(each.close())
            )
        await asyncio.gather(*made)
        print("all are there", flush=True)
        await asyncio.gather(*(each.finished() for each in made))

    with tempfile.TemporaryDirectory(prefix="iogauge-workers-") as scratch:
        asyncio.run(all_of_them(scratch))
    machines.close()


def main() -> None:
    from iogauge.runners import manifest

    fake = manifest.load(RUNNERS / "fake")
    manifest.all_runners = lambda: [fake]
    address, count, failing, templates, seconds = sys.argv[1:]
    serve(address, hosts(int(count), int(failing)), Path(templates), float(seconds))


if __name__ == "__main__":
    main()
