"""Does the gate of two versions raise false alarms, and does it find a slow-down that is planted?

    python benchmarks/gate.py [--same 40] [--planted 20] [--seconds 45] [--languages python,go,java]
        [--ledger FILE] [--print]

A gate is a whole `iogauge FILE --own old=… --own new=… --max-slowdown …` on a cached file of 4 MiB,
whose exit status counts. Old and new are the code that `iogauge gate --prove` uses, in turns of the
languages: the same on both sides, or new reads a share of the file once more. Gates of all kinds
take turns. With the defaults it takes 100 minutes at most, less where gates are decided early.
Nothing else may run meanwhile; a stopped benchmark goes on where it was.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import tempfile
from collections import Counter
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from ledger import Ledger, arguments, scratch, share

from iogauge.commands import proving
from iogauge.model.units import share as said
from iogauge.runners import manifest

SIZE = 4 << 20
STATUSES = {0: "not slower", 1: "slower", 3: "failed", 4: "undecided"}


class Kind(NamedTuple):
    """By how much new is slower, and what is allowed."""

    planted: float
    allowed: float

    @property
    def what(self) -> str:
        return f"{said(self.planted)} planted" if self.planted else "identical code"


KINDS = (Kind(0.0, 0.0), Kind(0.0, 0.05), Kind(0.1, 0.05), Kind(0.05, 0.0))


def gate(kind: Kind, language: str, seconds: int, folder: Path) -> dict[str, Any]:
    runner = next(each for each in manifest.all_runners() if language in each.file.languages)
    with tempfile.TemporaryDirectory(dir=folder) as name:
        place, data = Path(name), folder / "data"
        data.mkdir(exist_ok=True)
        file = folder / "data.bin"
        if not file.exists():
            file.write_bytes(os.urandom(SIZE))
        code = {
            label: proving.code(runner, place / label, extra)
            for label, extra in (("old", 0.0), ("new", kind.planted))
        }
        own = [word for label, path in code.items() for word in ("--own", f"{label}={path}")]
        options = ["--max-slowdown", said_share(kind.allowed), "--budget", f"{seconds}s"]
        where = ["--dir", str(data), "--out", str(place / "run.jsonl")]
        done = subprocess.run(
            [sys.executable, "-m", "iogauge", str(file), *own, *options, *where],
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode not in STATUSES:
        raise SystemExit(done.stderr)
    if STATUSES[done.returncode] == "failed":
        print(done.stdout, done.stderr, file=sys.stderr)
    told = f"{kind.what}, {said_share(kind.allowed)} allowed, {language}"
    print(f"{told}: {STATUSES[done.returncode]}", file=sys.stderr)
    return {"status": done.returncode, "language": language}


def said_share(fraction: float) -> str:
    return f"{100 * fraction:g}%"


def main() -> None:
    parser = arguments(__doc__, "gate")
    parser.add_argument("--same", type=int, default=40)
    parser.add_argument("--planted", type=int, default=20)
    parser.add_argument("--seconds", type=int, default=45)
    parser.add_argument("--languages", default="python,go,java")
    given = parser.parse_args()
    ledger, languages = Ledger(given.ledger), given.languages.split(",")
    with scratch() as folder:
        for number in range(max(given.same, given.planted)):
            for kind in KINDS:
                if number >= (given.planted if kind.planted else given.same):
                    continue
                language = languages[number % len(languages)]
                key = f"{kind.planted}/{kind.allowed}/{language}/{given.seconds}/{number}"
                if not given.print or key in ledger.results:
                    ledger.do(key, partial(gate, kind, language, given.seconds, folder))
    table(ledger, given.seconds)


def table(ledger: Ledger, seconds: int) -> None:
    print("| new is | allowed | language | slower | not slower | undecided | failed |")
    print("|---|---|---|---|---|---|---|")
    found = ledger.results
    for kind in KINDS:
        begins, within = f"{kind.planted}/{kind.allowed}/", f"/{seconds}/"
        mine = [each for key, each in found.items() if key.startswith(begins) and within in key]
        mine.sort(key=itemgetter("language"))
        by = itertools.groupby(mine, itemgetter("language"))
        rows = [("all", mine), *((name, list(each)) for name, each in by)]
        for language, results in rows:
            counts = Counter(STATUSES[each["status"]] for each in results)
            cells = (
                share(counts[name], len(results)) if language == "all" else str(counts[name])
                for name in ("slower", "not slower", "undecided", "failed")
            )
            print(
                f"| {kind.what} | {said_share(kind.allowed)} | {language} | {' | '.join(cells)} |"
            )
    print(f"\n{ledger.versions()}")


if __name__ == "__main__":
    main()
