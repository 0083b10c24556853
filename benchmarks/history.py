"""How long does `iogauge history` take over many run files, and does it find what was planted?

    python benchmarks/history.py [--files 10000] [--otava PROGRAM]

Makes so many small run files in a temporary folder, from one run of the fake runner of the tests:
hosts with up to 500 runs of three cases each, whose times differ by 2 % from run to run. Of each
host one case changes once, by a ratio and at a run that are known. Then it runs each command in a
fresh process. It prints what each takes; how many of the planted changes are found, and what else
is; and what Apache Otava finds in the export, where its PROGRAM is given.
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from ledger import scratch

from iogauge.model.units import count, duration, size

ROOT = Path(__file__).resolve().parents[1]
MOST_SECONDS, MOST_BYTES = 2.0, 500 << 20
MOST_RUNS = 500  # of a host
SCATTER = 0.02  # of the log of a time, from run to run
RATIOS = (1.05, 1.1, 1.2, 1.5, 0.9, 0.7)
_NS = re.compile(rb'"(?:prelude_)?ns":\[([^\]]*)\]')
_CASE = re.compile(rb'"record":"sample".*?"case":(\d+)')


class Planted(NamedTuple):
    """From the run with this number on, a case of a host takes `ratio` times as long."""

    host: int
    case: int
    run: int
    ratio: float


class Template(NamedTuple):
    """A small run: its header, its other lines with the case of each that has one, and its cases."""

    header: dict
    lines: list[tuple[int | None, bytes]]
    cases: int


def template(folder: Path) -> Template:
    """Of a run of the fake runner, with what no reader needs left out."""
    sys.path.insert(0, str(ROOT))
    os.environ["IOGAUGE_RUNNERS"] = str(ROOT / "tests" / "runners")
    from iogauge.runners import manifest, preparing

    study = importlib.import_module("tests.fake_study")
    (fake, *_), _ = preparing.prepare(
        {}, lambda text: None, [manifest.load(ROOT / "tests" / "runners" / "fake")]
    )
    done = study.measure(study.group(study.steady(1, 2, 4)), fake, folder, seed=1)
    first, *others = done.path.read_bytes().splitlines(keepends=True)
    header = json.loads(first)
    used = {each["strategy"] for each in header["plan"]["cases"]}
    (runtime,) = header["runtimes"]
    runtime["strategies"] = {name: of for name, of in runtime["strategies"].items() if name in used}
    lines = []
    for line in others:
        found = _CASE.search(line)
        lines.append((int(found[1]) if found else None, line))
    return Template(header, lines, 3)


def planted(hosts: int, runs: int, drawn: random.Random) -> list[Planted]:
    """A change for each host, where there is room for one."""
    if runs < 40:
        return []
    return [
        Planted(
            host, host % 3, drawn.randrange(runs // 5, runs - runs // 5), RATIOS[host % len(RATIOS)]
        )
        for host in range(hosts)
    ]


def names(files: int) -> Iterator[tuple[int, int, str]]:
    """Host, number of the run, and name of the file."""
    hosts = -(-files // MOST_RUNS)
    for number in range(files):
        yield (
            number % hosts,
            number // hosts,
            f"host-{number % hosts:02}/run-{number // hosts:04}.jsonl",
        )


def make(folder: Path, of: Template, files: int, changes: list[Planted], seed: int) -> int:
    """The run files; how many bytes they have."""
    drawn, written = random.Random(seed), 0
    by_host = {each.host: each for each in changes}
    begin = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
    for host, run, name in names(files):
        levels = [drawn.lognormvariate(0, SCATTER) for _ in range(of.cases)]
        change = by_host.get(host)
        if change and run >= change.run:
            levels[change.case] *= change.ratio
        started = (begin + datetime.timedelta(hours=12 * run, minutes=host)).isoformat()
        about = {"identity": f"host{host:08}"}
        header = of.header | {"id": f"run-{host:02}-{run:04}", "started": started}
        header["host"] = header["host"] | about
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        text = json.dumps(header, separators=(",", ":")).encode() + b"\n"
        text += b"".join(
            line if case is None or case >= of.cases else scaled(line, levels[case])
            for case, line in of.lines
        )
        path.write_bytes(text)
        written += len(text)
    return written


def scaled(line: bytes, by: float) -> bytes:
    def times(found: re.Match[bytes]) -> bytes:
        name = found[0].partition(b":")[0]
        values = (str(round(float(each) * by)).encode() for each in found[1].split(b",") if each)
        return name + b":[" + b",".join(values) + b"]"

    return _NS.sub(times, line)


class Took(NamedTuple):
    """Seconds, and those of a processor; the most memory; and what was printed."""

    seconds: float
    processor: float
    peak: int
    output: str


def run(*words: str) -> Took:
    """A command of iogauge in a fresh process."""
    begun = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "iogauge", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout
    output = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"iogauge {' '.join(words)}: exit status {process.returncode}")
    return Took(
        time.monotonic() - begun, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, output
    )


def timed(folder: Path) -> list[tuple[str, Took]]:
    """What is done, and what it takes; the median of three looks."""
    where = str(folder)
    sql = "SELECT name, count(*), median(ns_per_op) FROM cases GROUP BY name"

    def stale() -> Took:
        path = next(folder.glob("*/*.jsonl"))
        os.utime(path, ns=(0, time.time_ns() - 10**10))
        return run("history", where)

    what: list[tuple[str, Callable[[], Took]]] = [
        ("once more", lambda: run("history", where)),
        ("one file changed", stale),
        ("--case", lambda: run("history", where, "--case", "speed=2")),
        ("--sql", lambda: run("history", where, "--sql", sql)),
        ("--json", lambda: run("history", where, "--json")),
    ]
    found = [("first, indexing", run("history", where))]
    for name, carry_out in what:
        found.append((name, sorted(carry_out() for _ in range(3))[1]))
    return found


def judged(folder: Path, changes: list[Planted]) -> list[str]:
    """How many planted changes are found, at which run, and what else is reported."""
    told = json.loads(run("history", str(folder), "--json").output)
    return verdict("iogauge", _found(told), changes)


def _found(told: dict) -> list[Planted]:
    found = []
    for series in told["series"]:
        host = int(series["host"][4:])
        case = (1, 2, 4).index(int(re.search(r"speed=(\d)", series["case_key"])[1]))  # type: ignore[index]
        for change in series["changes"]:
            found.append(Planted(host, case, int(change["to"][-4:]), change["ratio"]))
    return found


def verdict(whose: str, found: list[Planted], changes: list[Planted]) -> list[str]:
    rows, hits = [], set()
    for ratio in RATIOS:
        of = [each for each in changes if each.ratio == ratio]
        off = []
        for each in of:
            near = [
                one
                for one in found
                if (one.host, one.case) == (each.host, each.case)
                and abs(one.run - each.run) <= 10
                and (one.ratio > 1) == (ratio > 1)
            ]
            if near:
                best = min(near, key=lambda one: abs(one.run - each.run))
                hits.add(best)
                off.append(abs(best.run - each.run))
        if of:
            rows.append(f"| {whose} | {ratio} | {len(of)} | {len(off)} | {max(off, default='')} |")
    others = len(set(found) - hits)
    return [*rows, f"| {whose} | none planted | | {others} | |"]


def of_otava(program: str, folder: Path, export: Path) -> list[Planted]:
    """What Apache Otava finds in our export, by its own settings."""
    run("history", str(folder), "--format", "otava", "--out", str(export))
    tests = json.loads((export / "otava.yaml").read_text("utf-8"))["tests"]
    found = []
    for name, test in tests.items():
        done = subprocess.run(
            [program, "analyze", name, "--output", "json", "--since", "2000-01-01"],
            env=os.environ | {"OTAVA_CONFIG": str(export / "otava.yaml")},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise SystemExit(f"otava: {done.stderr}")
        rows = Path(test["file"]).read_text("utf-8").splitlines()
        column = rows[0].split(",").index("run")
        by_time = {}
        for row in rows[1:]:
            cells = row.split(",")
            moment = int(datetime.datetime.fromisoformat(cells[0]).timestamp())
            by_time[moment] = cells[column]
        for at in json.loads(done.stdout[done.stdout.index("{") :])[name]:
            label = by_time[int(at["time"])]
            for change in at["changes"]:
                case = (1, 2, 4).index(int(re.search(r"speed=(\d)", change["metric"])[1]))  # type: ignore[index]
                ratio = 1 + float(change["forward_change_percent"]) / 100
                found.append(Planted(int(label[4:6]), case, int(label[-4:]), ratio))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--otava", help="the program of Apache Otava, in an environment of its own")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    hosts = -(-given.files // MOST_RUNS)
    with scratch() as folder:
        runs = folder / "runs"
        runs.mkdir()
        changes = planted(hosts, given.files // hosts, random.Random(given.seed))
        written = make(runs, template(folder), given.files, changes, given.seed)
        print(f"{count(given.files)} run files, {size(written)}, of {hosts} hosts\n")
        print("| `iogauge history` | takes | of a processor | memory |\n|---|---|---|---|")
        slow = False
        for name, took in timed(runs):
            row = name, duration(took.seconds), duration(took.processor), size(took.peak)
            print(f"| {' | '.join(row)} |", flush=True)
            indexing = name.startswith("first")
            slow |= not indexing and (took.seconds > MOST_SECONDS or took.peak > MOST_BYTES)
        print("\n| who | planted | series | found | runs off, at most |\n|---|---|---|---|---|")
        print("\n".join(judged(runs, changes)))
        if given.otava:
            found = of_otava(given.otava, runs, folder / "otava")
            print("\n".join(verdict("Otava", found, changes)))
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())
