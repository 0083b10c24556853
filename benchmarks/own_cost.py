"""What does it cost that a function is measured as it stands?

    python benchmarks/own_cost.py cost
    python benchmarks/own_cost.py same [LANGUAGE...] [--budget 20s]

`cost` calls a function that does nothing, as it stands, and the null strategy of the same process:
the difference is what the glue adds to each call. It prints the median of 15 samples of each, which
take turns, and the smallest and largest difference of a pair.

`same` measures one function twice: as it stands, and added by hand through our API (in Java, as a
jar). Five files are read, cached and from disk: ten groups. The two are the same code, so that each
group in which they are called different is a false alarm.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from iogauge.model.errors import UserError
from iogauge.runners import own, preparing, wire
from iogauge.runners.fork import alone

SOURCES = Path(__file__).with_name("own_sources")
LANGUAGES = {
    "C": "nothing.c",
    "C++": "nothing.cpp",
    "Go": "nothing.go",
    "Rust": "nothing.rs",
    "Java": "Nothing.java",
    "Kotlin": "nothing.kt",
    "TypeScript": "nothing.ts",
    "JavaScript": "nothing.mjs",
    "Python": "nothing.py",
}
CALLS, SAMPLES, HEAP_MIB = 20_000, 15, 256
SIZES = (4 << 10, 64 << 10, 1 << 20, 4 << 20, 16 << 20)


def cost(language: str) -> tuple[float, float, float, float]:
    """Ns per call of the function and of the null strategy, and the range of their difference."""
    (runner,) = own.runners([str(SOURCES / LANGUAGES[language])])
    found, missing = preparing.prepare({}, lambda text: None, [runner])
    if not found:
        raise UserError(missing[0].why)
    ready = found[0]
    mine, null = (
        next(each for each in ready.runtime.strategies.values() if suits(each))
        for suits in (lambda each: each.is_own, lambda each: each.role == "null")
    )
    pairs: list[list[float]] = []
    with (
        tempfile.NamedTemporaryFile(suffix=".txt") as file,
        alone(ready.launch, HEAP_MIB) as own_fork,
        alone(ready.launch, HEAP_MIB) as null_fork,
    ):
        forks = own_fork, null_fork
        for fork, each in zip(forks, (mine, null), strict=True):
            fork.ask(wire.open_strategy(each.name, each.defaults, "read", "none"), 60)
        for number in range(2 * SAMPLES):
            taken = [
                fork.ask(wire.sample(CALLS, 1, [file.name]), 600).ns[0] / CALLS for fork in forks
            ]
            if number >= SAMPLES:  # the first half warms up
                pairs.append(taken)
    differences = [one - other for one, other in pairs]
    one, other = (statistics.median(each) for each in zip(*pairs, strict=True))
    return one, other, min(differences), max(differences)


def versions(language: str, folder: Path) -> list[str]:
    """The same function by our API and as it stands, put into this folder: as --own takes them."""
    api, plain = folder / "api", folder / "plain"
    for each in (api, plain):
        each.mkdir()
    match language:
        case "C" | "C++":
            end = "c" if language == "C" else "cpp"
            for name in (f"lines.{end}", f"lines_by_api.{end}"):
                shutil.copy(SOURCES / name, api)
            shutil.copy(SOURCES / f"lines.{end}", plain)
            return [f"api={api}/lines_by_api.{end}", f"plain={plain}/lines.{end}"]
        case "Go":
            for name in ("go.mod", "main.go"):
                shutil.copy(SOURCES / "lines_by_api_go" / f"{name}.txt", api / name)
            text = (SOURCES / "lines.go").read_text("utf-8")
            (api / "lines.go").write_text(text.replace("package lines", "package main"), "utf-8")
            shutil.copy(SOURCES / "lines.go", plain)
            return [f"api={api}", f"plain={plain}/lines.go"]
        case "Rust":
            (api / "src").mkdir()
            shutil.copy(SOURCES / "lines_by_api_rust" / "Cargo.toml.txt", api / "Cargo.toml")
            shutil.copy(SOURCES / "lines_by_api_rust" / "main.rs.txt", api / "src" / "main.rs")
            shutil.copy(SOURCES / "lines.rs", api / "src" / "code.rs")
            shutil.copy(SOURCES / "lines.rs", plain)
            return [f"api={api}", f"plain={plain}/lines.rs"]
        case _:
            shutil.copy(SOURCES / "Lines.java", plain)
            compiled = ["javac", "--release", "17", "-d", str(api), str(SOURCES / "Lines.java")]
            packed = ["jar", "--create", "--file", "lines.jar", "--main-class", "Lines"]
            subprocess.run(compiled, check=True)
            subprocess.run([*packed, "Lines.class"], cwd=api, check=True)
            return [f"api={api}/lines.jar", f"plain={plain}/Lines.java"]


@dataclass(frozen=True)
class Pair:
    """What a group says of the two: `faster`, `slower`, `same` or `undecided`; and the time as it
    stands, divided by that by our API, with its interval.
    """

    outcome: str
    ratio: float
    low: float
    high: float


def groups(language: str, budget: str) -> list[Pair]:
    found: list[Pair] = []
    with tempfile.TemporaryDirectory(prefix="iogauge-bench-", dir="/var/tmp") as name:
        folder = Path(name)
        given = [word for each in versions(language, folder) for word in ("--own", each)]
        for size in SIZES:
            line = b"2026-01-01 INFO one line of a file that is read\n"
            (folder / "log").write_bytes(line * (size // len(line)))
            asked = [str(folder / "log"), *given, "--dir", str(folder), "--budget", budget]
            iogauge = [sys.executable, "-m", "iogauge"]
            done = subprocess.run([*iogauge, *asked], capture_output=True, text=True)
            if done.returncode:
                raise SystemExit(f"{language}: {done.stderr}")
            shown = subprocess.run([*iogauge, "show", "--json"], capture_output=True, check=True)
            found += map(pair, json.loads(shown.stdout)["groups"])
    return found


def pair(group: dict) -> Pair:
    (plain,) = [case for case in group["cases"] if case["runtime"].endswith("plain")]
    (api,) = [case for case in group["cases"] if case["runtime"].endswith("api")]
    told = plain["vs_baseline"]
    if group["baseline"] != plain["key"] and told:
        return Pair(told["outcome"], told["ratio"], told["lo"], told["hi"])
    told = api["vs_baseline"]
    return Pair(told["outcome"], 1 / told["ratio"], 1 / told["hi"], 1 / told["lo"])


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("cost", "same"))
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE")
    parser.add_argument("--budget", default="20s", help="of each file, for `same`")
    arguments = parser.parse_args(given)
    if arguments.what == "cost":
        print("| language | as it stands, ns a call | null strategy, ns | difference, ns |")
        print("|---|---|---|---|", flush=True)
        for language in arguments.languages or LANGUAGES:
            try:
                one, other, least, most = cost(language)
            except UserError as error:
                print(f"| {language} | {error} | | |", flush=True)
                continue
            print(
                f"| {language} | {one:.0f} | {other:.0f} |"
                f" {one - other:.0f} ({least:.0f} to {most:.0f}) |",
                flush=True,
            )
        return
    print("| language | groups | called different | ratio, median | widest interval |")
    print("|---|---|---|---|---|", flush=True)
    for language in arguments.languages or ("C", "C++", "Go", "Rust", "Java"):
        found = groups(language, arguments.budget)
        alarms = sum(each.outcome in ("faster", "slower") for each in found)
        ratio = statistics.median(each.ratio for each in found)
        widest = max(found, key=lambda each: each.high / each.low)
        interval = f"{widest.low:.2f} to {widest.high:.2f}"
        print(f"| {language} | {len(found)} | {alarms} | {ratio:.3f} | {interval} |", flush=True)


if __name__ == "__main__":
    main()
