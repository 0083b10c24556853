"""Parts that the long benchmarks share.

A ledger keeps results line by line, so that a stopped run goes on. Other functions print counts
with intervals, and make studies as text.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binomtest

from iogauge.commands.statuses import JUDGE
from iogauge.measuring import session
from iogauge.model import folders
from iogauge.model.method import METHOD, Method
from iogauge.planning.options import Options
from iogauge.runfile.records import Sample
from iogauge.runfile.run import Run
from iogauge.runners.runtimes import Runtimes


def _version() -> str:
    """Hash of what is measured with: iogauge, its runners, the peers, the benchmark itself."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    parts = sorted(
        each
        for folder in ("src", "runners", "benchmarks/peers")
        for each in (root / folder).rglob("*")
        if each.is_file()
    )
    for path in (*parts, Path(sys.argv[0])):
        if "__pycache__" not in path.parts and path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


VERSION = _version()
RUN_FILE = "run.jsonl"  # of the study that was measured last


class Ledger:
    """Results by key, one JSON line each. A job whose key is there is not done again."""

    def __init__(self, path: Path):
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.results: dict[str, dict[str, Any]] = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
            try:
                found = json.loads(line)
            except ValueError:  # cut short by a kill
                continue
            self.results[found["key"]] = found

    def do(self, key: str, job: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        if key not in self.results:
            result = {"key": key, "version": VERSION, **job()}
            with self.path.open("a+b") as file:
                if file.tell() and not self.path.read_bytes().endswith(
                    b"\n"
                ):  # cut short by a kill
                    file.write(b"\n")
                file.write(json.dumps(result).encode() + b"\n")
            self.results[key] = result
        return self.results[key]

    def versions(self) -> str:
        """A sentence on how many states of the code the results come from."""
        count = len({each["version"] for each in self.results.values()})
        return f"{len(self.results)} results of {count} version{'' if count == 1 else 's'} of the code."


def arguments(description: str | None, name: str) -> argparse.ArgumentParser:
    """A parser that knows where results are kept."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    kept = folders.cache() / "benchmarks" / f"{name}.jsonl"
    parser.add_argument(
        "--ledger",
        type=Path,
        default=kept,
        help="results so far; an interrupted benchmark goes on where it was",
    )
    parser.add_argument(
        "--print", action="store_true", help="measure nothing, print what the ledger has"
    )
    return parser


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder on a disk for data files."""
    with tempfile.TemporaryDirectory(
        prefix="iogauge-bench-", dir=os.environ.get("IOGAUGE_BENCH_DIR", "/var/tmp")
    ) as name:
        yield Path(name)


def measured(
    text: str,
    folder: Path,
    *,
    seed: int,
    show: Callable[[Any], None] = lambda progress: None,
    method: Method = METHOD,
    follow: session.Follow | None = None,
) -> Run:
    """Measure a study, given as text, through the whole tool; perhaps by another method, or by a
    protocol that `follow` makes.
    """
    file, out = folder / "study.toml", folder / RUN_FILE
    file.write_text(text)
    out.unlink(missing_ok=True)
    prepared = session.prepare(str(file), Runtimes({}, lambda text: None), Options(seed=seed))
    run, _, reason = session.measure(
        prepared, folder, out, {}, show, JUDGE, method=method, follow=follow
    )
    if reason == "interrupted":
        raise KeyboardInterrupt
    return run


def counted(run: Run) -> Iterator[Sample]:
    """The samples that estimates rest on."""
    return (run.samples[row] for row in np.flatnonzero(run.used()).tolist())


def share(found: int, of: int) -> str:
    """A count with its exact 95 % binomial interval (Clopper & Pearson 1934)."""
    if not of:
        return "none measured"
    bounds = binomtest(found, of).proportion_ci(0.95, "exact")
    return f"{found} of {of} = {found / of:.1%} ({bounds.low:.1%} to {bounds.high:.1%})"


def percent(log: float) -> str:
    return f"{math.expm1(log):+.1%}"
