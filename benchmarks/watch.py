"""Is `iogauge watch` right?

    python benchmarks/watch.py faults|fine [NAME...] [--pairs 7]
    python benchmarks/watch.py counts [NAME...]
    python benchmarks/watch.py cost

`faults` watches programs with one known fault each, and runs each beside its mended version, in
turns: is the fault found first, and is the promised saving that of the runs? `fine` watches programs
that are fine, and three where the truth is less plain: advice must be given exactly where a measured
saving stands behind it. `counts` compares the calls of the account with those of `strace -c -f`, and
those of a full trace. `cost` compares runs of at least 10 s with and without a watch, in turns.

Nothing else should run meanwhile. Data and programs go into a folder that is removed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).with_name("watched")
PYTHON = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable
SPAN = "{:.2f} ({:.2f}-{:.2f})"


@dataclass(frozen=True)
class Program:
    """A command, the one that mends it where there is one, and the finding that is expected."""

    name: str
    bad: str
    good: str = ""
    finding: str = ""


def prepare() -> list[Program]:
    """Make data and programs in the current folder: those with a fault."""
    data()
    found = [
        Program(
            "dd bs=512",
            "dd if=data of=/dev/null bs=512",
            "dd if=data of=/dev/null bs=128K",
            "small-reads small-writes",
        ),
        Program("Python, 100 bytes", *both(f"{PYTHON} reads.py"), "small-reads"),
        Program("gzip by 512 bytes", *both(f"{PYTHON} unpack.py"), "small-reads unpacking"),
        Program(
            "tar -b1",
            "tar -b1 -cf out data numbers",
            "tar -b256 -cf out data numbers",
            "small-reads small-writes",
        ),
        Program(
            "sh: while read",
            "bash -c 'n=0; while read -r line; do n=$((n+1)); done < lines; echo $n'",
            "awk '{n++} END {print n}' lines",
            "lines-by-shell",
        ),
    ]
    if shutil.which("gcc"):
        compiled("gcc -O2 -g prints.c -o prints")
        found.append(Program("C, _IONBF", *both("./prints"), "small-writes"))
        found.append(mapped())
    if shutil.which("go"):
        compiled("go build -C go -o ../go-writes .")
        found.append(Program("Go, Fprintf to a file", *both("./go-writes"), "small-writes"))
    if shutil.which("rustc"):
        compiled("rustc -O -g reads.rs -o rust-reads")
        found.append(Program("Rust, single bytes", *both("./rust-reads"), "small-reads"))
    if shutil.which("sqlite3"):
        begin, rows = "rm -f db; (echo 'create table t(a,b);'", "cat rows"
        found.append(
            Program(
                "sqlite, no transaction",
                f'sh -c "{begin}; {rows}) | sqlite3 db"',
                f"sh -c \"{begin}; echo 'begin;'; {rows}; echo 'commit;') | sqlite3 db\"",
                "synced",
            )
        )
    for java in newest_java():
        compiled(f"{java}/javac -d classes Writes.java Bytes.java")
        run = f"{java}/java -cp classes"
        found.append(Program("Java, FileWriter", *both(f"{run} Writes"), "small-writes"))
        found.append(Program("Java, bytes with a lock", *both(f"{run} Bytes"), "locked-bytes"))
    found += [
        Program("opened 20 000 times", *both(f"{PYTHON} opens.py"), "opened-again"),
        Program("read 50 times", *both(f"{PYTHON} again.py"), "read-again"),
        Program("gzip on the same thread", *both(f"{PYTHON} inline.py"), "unpacking"),
    ]
    return found


def mapped() -> Program:
    """A file of which all is touched through a mapping, ten times: written by pieces of 8 000 bytes,
    and the same bytes by calls of 1 MiB.
    """
    compiled("gcc -O2 -g maps.c -o maps")
    block = os.urandom(1 << 20)
    for name, piece in (("bad", 8000), ("good", 1 << 20)):
        with Path(name).open("wb", buffering=0) as file:
            whole = block * 256
            for at in range(0, len(whole), piece):
                file.write(whole[at : at + piece])
            os.fsync(file.fileno())
    return Program("C, mapped, small folios", *both("./maps"), "mapped-small-folios")


def both(command: str) -> tuple[str, str]:
    return f"{command} bad", f"{command} good"


def fine() -> list[Program]:
    """Programs that are fine; of three the measured saving decides."""
    data()
    Path("small").mkdir()
    for number in range(2000):
        Path(f"small/{number}").write_bytes(b"x" * (100 + number))
    Path("javac").mkdir()
    for number in range(40):
        text = f'public class C{number} {{ int a = {number}; String b() {{ return a + "x"; }} }}\n'
        Path(f"javac/C{number}.java").write_text(text, encoding="utf-8")
    found = [
        Program("cp", "cp data out"),
        Program("cat", "cat data data data data"),
        Program("grep", "grep -c zzzz numbers numbers numbers"),
        Program("md5sum", "md5sum data"),
        Program("gzip", "gzip -kc1 numbers"),
        Program("xz", "xz -kc0 numbers"),
        Program("python at once", f"{PYTHON} whole.py"),
        Program("cp -r", "cp -r small copied"),
        Program("tar, by default", "tar -cf out data numbers", "tar -b256 -cf out data numbers"),
        Program("sort", "sort -o out numbers", "stdbuf -o128K sort -o out numbers"),
        Program("wc", "wc -l numbers"),
    ]
    if shutil.which("gcc"):
        found.append(Program("C, mapped, large folios", mapped().good))
    if shutil.which("sqlite3"):
        command = "rm -f db; (echo 'create table t(a,b);'; echo 'begin;'; cat rows rows rows rows; "
        found.append(
            Program("sqlite, one transaction", f"sh -c \"{command}echo 'commit;') | sqlite3 db\"")
        )
    for java in newest_java():
        found.append(Program("javac", f"sh -c '{java}/javac -d built javac/*.java'"))
    return found


def data() -> None:
    for each in SOURCES.iterdir():
        copy = shutil.copytree if each.is_dir() else shutil.copy
        copy(each, each.name)
    Path("data").write_bytes(os.urandom(96 << 20))
    with Path("zeros").open("wb") as file:
        file.truncate(768 << 20)  # takes no place
    Path("part").write_bytes(os.urandom(16 << 20))
    Path("numbers").write_text(
        "".join(f"{i * 7919 % 3000017}\n" for i in range(3_000_000)), encoding="utf-8"
    )
    Path("lines").write_text("".join(f"{i}\n" for i in range(300_000)), encoding="utf-8")
    Path("words").write_text(" ".join(f"word{i}" for i in range(0, 200, 2)), encoding="utf-8")
    Path("rows").write_text(
        "".join(f"insert into t values({i},'x');\n" for i in range(300)), encoding="utf-8"
    )
    subprocess.run("base64 data | head -c 60000000 | gzip -1 > text.gz", shell=True, check=True)


def compiled(command: str) -> None:
    subprocess.run(command, shell=True, check=True)


def newest_java() -> list[str]:
    """The folder of the newest JDK's programs, where there is one."""
    known = [*Path("/usr/lib/jvm").glob("*/bin/javac")]

    def version(path: Path) -> int:
        told = subprocess.run([path, "-version"], capture_output=True, text=True)
        found = re.search(r"javac (\d+)", told.stdout + told.stderr)
        return int(found[1]) if found else 0

    return [str(max(known, key=version).parent)] if known else []


def seconds(command: str) -> float:
    """The run time of a command."""
    began = time.monotonic()
    subprocess.run(command, shell=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - began


def watched(command: str, *options: str) -> dict[str, Any]:
    """The record of a watch. Data folders are on the file system of the current folder."""
    out = Path("record.json")
    out.unlink(missing_ok=True)
    run = [
        sys.executable,
        "-m",
        "iogauge",
        "watch",
        "--json",
        "-o",
        str(out),
        "--dir",
        ".",
        *options,
    ]
    line = f"{' '.join(run)} -- {command}"
    subprocess.run(line, shell=True, stdout=subprocess.DEVNULL, check=False)
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return found


def paired(program: Program, pairs: int) -> list[float]:
    """Seconds that the mended version saves, in pairs of runs."""
    found = []
    for turn in range(pairs):
        times = [seconds(each) for each in (program.bad, program.good)[:: 1 if turn % 2 else -1]]
        bad, good = times if turn % 2 else times[::-1]
        found.append(bad - good)
    return sorted(found)


def shown(finding: dict[str, Any]) -> str:
    saves = finding["saves"]
    return SPAN.format(saves["middle"], saves["low"], saves["high"])


def measure(programs: Sequence[Program], pairs: int) -> None:
    print("| program | run time | found first | predicted saving | measured saving | ratio |")
    print("|---|---|---|---|---|---|")
    for each in programs:
        for command in (each.bad, each.good):
            if command:
                seconds(command)  # what it reads is cached then
        record = watched(each.bad)
        findings = record["findings"]
        first = findings[0]["kind"] if findings else "nothing"
        right = "" if not each.finding or first in each.finding.split() else " (wrong)"
        predicted = sum(one["saves"]["middle"] for one in findings)
        saved, ratio, measured = [], "", ""
        if each.good:
            saved = paired(each, pairs)
            middle = statistics.median(saved)
            measured = SPAN.format(middle, saved[0], saved[-1])
            ratio = f"{predicted / middle:.2f}" if middle > 0 else "-"
        promise = " + ".join(map(shown, findings)) or "-"
        wall = f"{record['wall']:.2f} s"
        print(
            f"| {each.name} | {wall} | {first}{right} | {promise} | {measured} | {ratio} |",
            flush=True,
        )


def counts(programs: Sequence[Program]) -> None:
    print(
        "| program | reads | strace | difference | writes | strace | difference | traced | bytes, traced |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for each in programs:
        plain, told = watched(each.bad)["total"], summary(each.bad)
        traced = watched(each.bad, "--trace")
        cells = []
        for kind, names in (("read", READS), ("write", WRITES)):
            account, by_strace = plain[f"{kind}_calls"], sum(told.get(name, 0) for name in names)
            cells += [account, by_strace, account - by_strace]
        calls = [one for one in traced["calls"] if one["name"] in READS | WRITES]
        cells.append(round(sum(one["count"] for one in calls)))
        cells.append(round(sum(one["bytes"] for one in calls)))
        print(f"| {each.name} | {' | '.join(map(str, cells))} |", flush=True)


READS = {"read", "pread64", "readv", "preadv", "preadv2", "sendfile", "copy_file_range"}
WRITES = {"write", "pwrite64", "writev", "pwritev", "pwritev2", "sendfile", "copy_file_range"}


def summary(command: str) -> dict[str, int]:
    """Calls by name, as `strace -c -f` counts them."""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as out:
        line = f"strace -c -f -U name,calls -o {out.name} {command}"
        subprocess.run(line, shell=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        rows = (row.split() for row in out.read().splitlines())
        return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit()}


def cost(pairs: int) -> None:
    """Runs of at least 10 s: what watching took by its own account, and by pairs of runs."""
    programs = [
        (
            "Python, 100 bytes",
            f"sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do {PYTHON} reads.py bad; done'",
        ),
        (
            "md5sum",
            "sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do md5sum data data data; done'",
        ),
        (
            "500 threads",
            f"{PYTHON} -c 'import threading as t, time\nfor _ in range(500): t.Thread(target=time.sleep, args=(11,)).start()'",
        ),
    ]
    data()
    print(
        "| program | run time | by its own account | with against without, in pairs | without against itself |"
    )
    print("|---|---|---|---|---|")
    for name, command in programs:
        with_it, without, again, spent = [], [], [], []
        for _ in range(pairs):
            record = watched(command)
            with_it.append(record["wall"])
            spent.append((record["cost"]["processor"] + record["cost"]["stopped"]) / record["wall"])
            without.append(seconds(command))
            again.append(seconds(command))
        ratios = sorted(a / b for a, b in zip(with_it, without, strict=True))
        control = sorted(a / b for a, b in zip(again, without, strict=True))
        print(
            f"| {name} | {statistics.median(without):.1f} s | {max(spent):.2%} at most | "
            f"{SPAN.format(statistics.median(ratios), ratios[0], ratios[-1])} | "
            f"{SPAN.format(statistics.median(control), control[0], control[-1])} |",
            flush=True,
        )


def chosen(programs: Sequence[Program], names: Sequence[str]) -> Iterator[Program]:
    for each in programs:
        if not names or any(name.lower() in each.name.lower() for name in names):
            yield each


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["faults", "fine", "counts", "cost"])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--pairs", type=int, default=7)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="iogauge-watch-", dir="/var/tmp") as folder:
        os.chdir(folder)
        if given.what == "cost":
            cost(given.pairs)
        elif given.what == "fine":
            measure([*chosen(fine(), given.names)], given.pairs)
        elif given.what == "faults":
            measure([*chosen(prepare(), given.names)], given.pairs)
        else:
            counts([*chosen(prepare(), given.names)])
        os.chdir("/")


if __name__ == "__main__":
    main()
