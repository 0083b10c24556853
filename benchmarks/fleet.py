"""What does a fleet cost a host?

    python benchmarks/fleet.py wall [--pairs 5] [--budget 60s]
    python benchmarks/fleet.py samples [--runs 4] [--budget 240s]

`wall` times `iogauge run quick` on this machine, and the same with --on and one worker on this
machine, in turns: the difference is what a host spends on being one of a fleet.

`samples` asks whether the worker disturbs what is measured. While a fleet run is carried out its
worker is stopped and let go on, in random order, for 0.1 s to 0.3 s each time (signals
that stop a process and let it go on). The same samples are compared with it and without: an A/A
whose ratio must hold 1.

Nothing else should run meanwhile. Data and runs go into a folder that is removed.
"""

from __future__ import annotations

import argparse
import bisect
import contextlib
import json
import math
import os
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from scipy.stats import t

NAME = "here"
STUDY = """\
id = "fleet-samples"
title = "Small reads, while a worker is stopped and goes on"
budget = "240s"
rounds = { warm = 40 }

[[group]]
id = "cached"
question = "How is 1 MiB read fastest?"
size = "1M"
cache = "warm"
to_the_end = true

[[group.case]]
strategy = "python/os-read"
parameters = { block = ["64K", "96K", "128K", "192K"] }
"""
_EDGE = 0.01  # s around a switch, in which a sample belongs to neither side
_TYPICAL = 0.1
_LEAST, _MOST = 0.1, 0.3  # s between switches


class Machine:
    """A scheduler and a worker on this machine, with folders of their own."""

    def __init__(self, folder: Path):
        self.folder = folder
        (folder / "data").mkdir(parents=True)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.environment = os.environ | {"XDG_DATA_HOME": str(folder / "home")}
        self.files = ["--dir", str(folder / "data")]

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        log = (self.folder / f"{words[1]}.log").open("wb")
        command = [sys.executable, "-m", "iogauge", *words]
        return subprocess.Popen(command, env=self.environment, stdout=log, stderr=log)

    def run(self, *words: str) -> str:
        """What a command prints. Raises RuntimeError where it fails."""
        command = [sys.executable, "-m", "iogauge", *words]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(words)}: {done.stderr[-1000:]}")
        return done.stdout


@contextlib.contextmanager
def serving(machine: Machine) -> Iterator[subprocess.Popen[bytes]]:
    """While a scheduler and a worker are there: the worker."""
    scheduler = machine.start("fleet", "scheduler", "--port", str(machine.port))
    worker = machine.start("fleet", "worker", machine.address, "--name", NAME, *machine.files)
    try:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            with contextlib.suppress(RuntimeError):
                if NAME in machine.run("fleet", "hosts", "--on", machine.address):
                    break
            time.sleep(0.5)
        yield worker
    finally:
        for each in (worker, scheduler):
            with contextlib.suppress(ProcessLookupError):
                each.send_signal(signal.SIGCONT)
                each.kill()
            each.wait()


def wall(machine: Machine, pairs: int, budget: str) -> None:
    """Both in turns, in an order that changes from pair to pair; the first pair warms up."""
    words = ("run", "quick", "--budget", budget, *machine.files)
    with serving(machine):
        taken: dict[str, list[float]] = {"local": [], "fleet": []}
        for number in range(pairs + 1):
            order = ["local", "fleet"] if number % 2 else ["fleet", "local"]
            for each in order:
                on = ["--on", machine.address] if each == "fleet" else []
                began = time.monotonic()
                machine.run(*words, *on)
                if number:
                    taken[each].append(time.monotonic() - began)
    logs = [math.log(a / b) for a, b in zip(taken["fleet"], taken["local"], strict=True)]
    local = statistics.median(taken["local"])
    more = [a - b for a, b in zip(taken["fleet"], taken["local"], strict=True)]
    print(
        f"{pairs} pairs of `iogauge run quick --budget {budget}`: {local:.1f} s on this machine "
        f"alone; with --on {statistics.median(more):+.2f} s (median), {interval(logs)} times as "
        "long (95 %)"
    )


def samples(machine: Machine, runs: int, budget: str) -> None:
    """Fleet runs, one after another, whose worker is stopped and goes on."""
    study = machine.folder / "study.toml"
    study.write_text(STUDY)
    exact = ["--precision", "0.1%", "--tolerance", "0.1%", "--budget", budget]
    found: list[Beside] = []
    for _ in range(runs):
        with serving(machine) as worker:
            client = machine.start("run", str(study), "--on", machine.address, *exact)
            switches, offsets = _toggled(machine, worker, client)
        folder = machine.folder / "home" / "iogauge" / "fleet"
        (path,) = folder.glob("*/*/*.jsonl")
        found += _of_repeats(path, switches, min(offsets))
        shutil.rmtree(folder)  # the clock of the next run is another one
    for clip, what in ((_TYPICAL, f"each at most {_TYPICAL:.0%} from the median"), (9.0, "all")):
        print(
            f"{len({each.repeat for each in found})} repeats, samples beside a worker at work over "
            f"those beside one that is stopped, {what}: {_ratio(found, clip)} (95 %)"
        )


class Beside(NamedTuple):
    """A case in a repeat: logs of what its samples took with the worker at work, and without."""

    repeat: tuple[str, int]
    works: list[float]
    stopped: list[float]


def _toggled(
    machine: Machine, worker: subprocess.Popen[bytes], client: subprocess.Popen[bytes]
) -> tuple[list[tuple[float, bool]], list[float]]:
    """When the worker was stopped (False) or let go on (True), in seconds since 1970; and by how
    much the clock of the run may be behind that.
    """
    rng, switches, offsets = random.Random(1), [(time.time(), True)], list[float]()
    home = machine.folder / "home" / "iogauge" / "fleet"
    while client.poll() is None:
        pair = [True, False]
        rng.shuffle(pair)
        for works in pair:
            worker.send_signal(signal.SIGCONT if works else signal.SIGSTOP)
            switches.append((time.time(), works))
            time.sleep(rng.uniform(_LEAST, _MOST))
            for state in home.glob("*/*/state.json"):
                with contextlib.suppress(OSError, ValueError):
                    text, when = state.read_text(), state.stat().st_mtime
                    seconds = json.loads(text)["seconds"]
                    if seconds:
                        offsets.append(when - seconds)
    worker.send_signal(signal.SIGCONT)
    return switches, offsets


def _of_repeats(path: Path, switches: Sequence[tuple[float, bool]], offset: float) -> list[Beside]:
    """The samples of a run that lie between two switches, by repeat and case."""
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    whole = {each["replicate"] for each in records if each["record"] == "replicate"}
    starts = [when for when, _ in switches]
    ends = [*starts[1:], math.inf]
    found: dict[tuple[int, int], Beside] = {}
    for each in records:
        if each["record"] != "sample" or each["void"] or each["replicate"] not in whole:
            continue
        ended = offset + each["ended"]
        began = ended - sum(each["ns"]) / 1e9 - sum(each["prelude_ns"]) / 1e9
        at = bisect.bisect(starts, began) - 1
        if at < 0 or began < starts[at] + _EDGE or ended > ends[at] - _EDGE:
            continue
        key = each["replicate"], each["case"]
        beside = found.setdefault(key, Beside((str(path), key[0]), [], []))
        ns = sum(each["ns"]) / sum(each["operations"])
        (beside.works if switches[at][1] else beside.stopped).append(math.log(ns))
    return [each for each in found.values() if each.works and each.stopped]


def _ratio(found: Sequence[Beside], clip: float) -> str:
    """The ratio, and its interval; what happens in one repeat counts as one. Logs are cut so far
    from the median of their case in that repeat.
    """
    sums, weights = (
        defaultdict[tuple[str, int], float](float),
        defaultdict[tuple[str, int], float](float),
    )
    for each in found:
        middle = statistics.median(each.works + each.stopped)
        means = [
            statistics.mean(min(max(log - middle, -clip), clip) for log in logs)
            for logs in (each.works, each.stopped)
        ]
        count, other = len(each.works), len(each.stopped)
        weight = count * other / (count + other)
        sums[each.repeat] += weight * (means[0] - means[1])
        weights[each.repeat] += weight
    total = sum(weights.values())
    mean = sum(sums.values()) / total
    error = math.sqrt(sum((sums[each] - mean * weights[each]) ** 2 for each in sums)) / total
    return _bounds(mean, error, len(sums))


def interval(logs: Sequence[float]) -> str:
    """`1.004 (0.991-1.017)`: the mean ratio, and its interval over pairs."""
    error = statistics.stdev(logs) / math.sqrt(len(logs))
    return _bounds(statistics.mean(logs), error, len(logs))


def _bounds(mean: float, error: float, count: int) -> str:
    reach = float(t.ppf(0.975, count - 1)) * error
    lo, center, hi = (math.exp(mean + each) for each in (-reach, 0.0, reach))
    return f"{center:.4f} ({lo:.4f}-{hi:.4f})"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("wall", "samples"))
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--budget")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="iogauge-fleet-", dir="/var/tmp") as name:
        machine = Machine(Path(name))
        if given.what == "wall":
            wall(machine, given.pairs, given.budget or "60s")
        else:
            samples(machine, given.runs, given.budget or "240s")


if __name__ == "__main__":
    main()
