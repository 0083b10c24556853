"""Does `iogauge command` call identical commands different, and does it find a real difference?

    python benchmarks/whole_commands.py [--runs 100] [--seconds 7] [--ledger FILE]

A run of `same` compares `cat` with itself, one of `different` compares `cat` with `dd bs=512`; both
read a cached file of 4 MiB. `calls` sets what iogauge counts of a command beside what `strace -c -f`
counts; the kernel itself reads a few times when it loads a program, which strace does not see:
"left" is how many reads that are for each program. A stopped benchmark goes on where it was. It
takes 12 minutes, and 2 x runs x (seconds + 3 s), 33 minutes, where no run ends early.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from ledger import Ledger, arguments, scratch

from iogauge.runners import commands

PAIRS = {
    "same": ["cat {file}", "cat {file}"],
    "different": ["cat {file}", "dd if={file} bs=512 of=/dev/null"],
}
COUNTED = [
    "cat {file}",
    "dd if={file} bs=4096 of=/dev/null",
    "wc -l {file}",
    "cat {file} | wc -c",
    'sh -c "cat {file}; cat {file}"',
]
SIZE = "4M"


def measured(texts: list[str], seconds: int, folder: Path) -> dict[str, Any]:
    """The one group of a run of these commands, as exported."""
    start = [sys.executable, "-m", "iogauge"]
    with tempfile.TemporaryDirectory(dir=folder) as runs:
        path = Path(runs) / "run.jsonl"
        options = ["--size", SIZE, "--cache", "warm", "--budget", f"{seconds}s"]
        subprocess.run(
            [*start, "command", *texts, *options, "--dir", str(folder), "--out", str(path)],
            check=True,
            capture_output=True,
        )
        done = subprocess.run(
            [*start, "show", "--json", str(path)], check=True, capture_output=True
        )
    (group,) = json.loads(done.stdout)["groups"]
    return group


def compared(pair: str, seconds: int, folder: Path) -> dict[str, Any]:
    group = measured(PAIRS[pair], seconds, folder)
    costs = [each["cost"] for each in group["cases"]]
    outcomes = [each["vs_best"]["outcome"] for each in group["cases"]]
    state = group["recommendations"][0]["state"]
    repeats = min(each["replicates"] for each in group["cases"])
    return {
        "pair": pair,
        "different": "slower" in outcomes,
        "state": state,
        "costs": costs,
        "repeats": repeats,
    }


def counted(text: str, folder: Path) -> dict[str, Any]:
    """Calls of one execution: as iogauge tells them, and as strace does."""
    (case,) = measured([text], 3, folder)["cases"]
    data = next(folder.rglob("bytes-*-warm.data"))
    (strategy,) = commands.strategies(commands.Given([commands.Line(text)], {}, {}))
    assert strategy.command
    command = [each.replace("{file}", str(data)) for each in strategy.command.run.words]
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as told:
        subprocess.run(
            ["strace", "-c", "-f", "-o", told.name, *command], check=True, capture_output=True
        )
        rows = [line.split() for line in told.read().splitlines()]
    failed = sum(int(row[4]) for row in rows if row[-1] == "execve" and len(row) > 5)
    calls = {row[-1]: int(row[3]) for row in rows if len(row) >= 5 and row[3].isdigit()}
    return {
        "command": text,
        "reads": case["evidence"]["read_calls_per_op"],
        "writes": case["evidence"]["write_calls_per_op"],
        "strace_reads": calls.get("read", 0) + calls.get("pread64", 0),
        "strace_writes": calls.get("write", 0),
        "programs": calls.get("execve", 0) - failed,
    }


def report(ledger: Ledger) -> None:
    print("| commands | runs | called different | no answer | repeats |")
    print("|---|---|---|---|---|")
    for pair, texts in PAIRS.items():
        found = [each for each in ledger.results.values() if each.get("pair") == pair]
        if found:
            different = sum(each["different"] for each in found)
            none = sum(each["state"] in ("suspended", "too few repeats") for each in found)
            repeats = sorted(each["repeats"] for each in found)[len(found) // 2]
            shown = " / ".join(f"`{each}`" for each in texts)
            print(f"| {shown} | {len(found)} | {different} | {none} | {repeats} |")
    print("\n| command | reads | strace | left | writes | strace |\n|---|---|---|---|---|---|")
    for each in ledger.results.values():
        if "command" in each:
            text = each["command"].replace("|", "\\|")
            reads, writes = each["reads"], each["writes"]
            left = (reads - each["strace_reads"]) / each["programs"]
            print(
                f"| `{text}` | {reads:g} | {each['strace_reads']} | {left:g} | {writes:g} | "
                f"{each['strace_writes']} |"
            )


def main() -> None:
    parser = arguments(__doc__, "whole-commands")
    parser.add_argument("--runs", type=int, default=100, help="of each pair")
    parser.add_argument("--seconds", type=int, default=7, help="the budget of a run")
    given = parser.parse_args()
    ledger = Ledger(given.ledger)
    if not given.print:
        with scratch() as folder:
            for text in COUNTED if shutil.which("strace") else []:
                ledger.do(f"calls/{text}", lambda: counted(text, folder))  # noqa: B023
            for number in range(given.runs):
                for pair in PAIRS:
                    key = f"{number}/{pair}"
                    ledger.do(key, lambda: compared(pair, given.seconds, folder))  # noqa: B023
                    print(key, file=sys.stderr, flush=True)
    report(ledger)
    print("\n" + ledger.versions())


if __name__ == "__main__":
    main()
