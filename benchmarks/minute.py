"""What does a minute of a study bring: how many repeats, and how many answers?

    python benchmarks/minute.py [STUDY] [--runs 10] [--keep DIR]
    python benchmarks/minute.py --of RUN.jsonl...

Runs the study (default: `quick`) so often, one run after the other, and prints a row for each: how
long it measured, how many repeats its questions had, and what it found. An *answer* is that of one
language to one question: something is recommended, and not just for now. It is *final* if each
other way is known to be slower, or good enough. *In question* are cases that may still be the
fastest when the run ends. The first run is the first one on this machine if
`iogauge clean` was called before. `--of` prints the rows of runs that exist.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from iogauge.outputs import contract
from iogauge.runfile import reading

IOGAUGE = [sys.executable, "-m", "iogauge"]


@dataclass(frozen=True)
class Minute:
    seconds: float
    repeats: tuple[int, ...]
    """Of each question, in the order of the study."""
    in_question: int | None
    """The fewest repeats of a case in question; None where there is no such case."""
    found: int
    final: int
    answers: int


def of_run(file: Path) -> Minute:
    command = [*IOGAUGE, "show", "--json", str(file)]
    shown = subprocess.run(command, check=True, capture_output=True)
    groups = contract.read(json.loads(shown.stdout)).groups
    answers = [each for group in groups for each in group.recommendations]
    in_question = [
        case.replicates or 0
        for group in groups
        for each in group.recommendations
        for case in group.cases
        if each.state not in contract.SURE and case.language == each.language
        if each.state != "open" or is_open(case)
    ]
    return Minute(
        reading.read(file).seconds,
        tuple(group.replicates or 0 for group in groups),
        min(in_question, default=None),
        sum(each.is_sure for each in answers),
        sum(each.state in contract.SURE for each in answers),
        len(answers),
    )


def is_open(case: contract.Case) -> bool:
    return bool(case.verdict and case.verdict.cost and case.verdict.cost.kind == "open")


def runs(study: str, count: int, folder: Path) -> Iterator[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(1, count + 1):
        file = folder / f"minute-{number}.jsonl"
        command = [*IOGAUGE, "run", study, "-o", str(file)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        yield file


def row(number: int, each: Minute) -> str:
    repeats = ", ".join(str(count) for count in each.repeats)
    in_question = "none" if each.in_question is None else str(each.in_question)
    return (
        f"| {number} | {each.seconds:.1f} | {repeats} | {in_question} |"
        f" {each.found} of {each.answers} | {each.final} |"
    )


def summary(minutes: list[Minute]) -> str:
    seconds = [each.seconds for each in minutes]
    found, final = [each.found for each in minutes], [each.final for each in minutes]
    repeats = [each.in_question for each in minutes if each.in_question is not None]
    in_question = (
        f"{statistics.median(repeats):g} (fewest {min(repeats)})" if repeats else "no case"
    )
    return (
        f"median {statistics.median(seconds):.1f} s (longest {max(seconds):.1f});"
        f" repeats in question {in_question};"
        f" answers {statistics.median(found):g} (fewest {min(found)}),"
        f" final {statistics.median(final):g} (fewest {min(final)})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("study", nargs="?", default="quick")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--keep", type=Path, help="a folder for the run files")
    parser.add_argument("--of", nargs="+", type=Path, metavar="RUN", help="runs that exist")
    arguments = parser.parse_args()
    print("| run | s | repeats of each question | of a case in question | answers | final |")
    print("|---|---|---|---|---|---|", flush=True)
    minutes: list[Minute] = []
    with tempfile.TemporaryDirectory() as scratch:
        files = arguments.of or runs(
            arguments.study, arguments.runs, arguments.keep or Path(scratch)
        )
        for number, file in enumerate(files, 1):
            minutes.append(of_run(file))
            print(row(number, minutes[-1]), flush=True)
    print(f"\n{summary(minutes)}")


if __name__ == "__main__":
    main()
