"""Small studies on the fake runner, as text, and a way to measure them in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from iogauge.commands.statuses import JUDGE
from iogauge.corpus.store import Corpus
from iogauge.measuring.bench import Bench, Progress
from iogauge.measuring.published import Published
from iogauge.measuring.sound import Sound
from iogauge.model.method import METHOD, Method
from iogauge.model.plan import Plan
from iogauge.planning import plan
from iogauge.planning.options import Machine
from iogauge.runfile.header import Header, KnownCeiling
from iogauge.runfile.run import Run
from iogauge.runfile.writing import Writer
from iogauge.runners.preparing import Ready
from iogauge.study import loading

STUDIES = Path(__file__).parent / "studies"
"""Studies, or what follows a head."""
HEAD = """
id = "on-the-fake"
title = "A study of the fake runner"
budget = "1h"
rounds = { warm = 5, cold = 3, write = 4, memory = 5 }
"""


def group(
    cases: str,
    *,
    size: str = "64K",
    cache: str = '["warm"]',
    identifier: str = "fakes",
    more: str = "",
) -> str:
    return f"""
[[group]]
id = "{identifier}"
question = "Which fake is fastest?"
size = "{size}"
cache = {cache}
{more}
{cases}
"""


def steady(*speeds: int, scatter: int = 5) -> str:
    return f"""
[[group.case]]
strategy = "fake/steady"
parameters = {{ speed = {list(speeds)}, scatter = {scatter} }}
"""


def faulty(*names: str) -> str:
    return f"""
[[group.case]]
strategy = {[f"fake/{name}" for name in names]}
"""


def make_plan(text: str, fake: Ready, **options: Any) -> Plan:
    parsed = loading.parse(HEAD + text, "study.toml")
    machine = Machine([fake.runtime], {}, available_memory=16 << 30, cores=2)
    return plan.make(parsed, "study.toml", machine, plan.Options(**options))


def header_of(made: Plan, fake: Ready, text: str = "", **more: Any) -> Header:
    """The header of a run of a plan on the fake runner."""
    host = {"identity": "test", "processor": "test", "machine": "x", "cores": 2, "kernel": "0"}
    usual: dict[str, Any] = {"iogauge": "test", "id": "x", "started": "2026-01-01T00:00:00+00:00"}
    usual |= {"study_source": HEAD + text, "options": {}, "method": METHOD, "plan": made}
    usual |= {"runtimes": (fake.runtime,), "host": {**host, "file_system": "test"}}
    return Header(**usual | more)


@dataclass
class Clock:
    """A clock that moves only when it is looked at, by a set step: budgets can be tested without
    waiting.
    """

    step: float = 0.0
    now: float = 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


@dataclass
class Measured:
    run: Run
    path: Path
    reason: str
    progress: list[Progress] = field(default_factory=list)


def measure(
    text: str,
    fake: Ready,
    folder: Path,
    *,
    clock: Clock | None = None,
    name: str = "run",
    method: Method = METHOD,
    known_ceilings: dict[int, KnownCeiling] | None = None,
    show: Callable[[Progress], None] = lambda progress: None,
    **options: Any,
) -> Measured:
    """Plan and carry out a study on the fake runner; data files and the run file are in `folder`."""
    made, known = make_plan(text, fake, **options), known_ceilings or {}
    header = header_of(made, fake, text, id=name, method=method, known_ceilings=known)
    path = folder / f"{name}.jsonl"
    writer = Writer(path)
    writer.append(header)
    return go_on(Run(header), writer, fake, folder, clock, show)


def go_on(
    run: Run,
    writer: Writer,
    fake: Ready,
    folder: Path,
    clock: Clock | None = None,
    show: Callable[[Progress], None] = lambda progress: None,
) -> Measured:
    corpus, launches = Corpus(folder), {fake.runtime.name: fake.launch}
    shown: list[Progress] = []

    def shown_too(progress: Progress) -> None:
        shown.append(progress)
        show(progress)

    machine: dict[str, Any] = {"cores": 2, "first_touch_matters": False, "clock": clock or Clock()}
    bench = Bench(run, writer, launches, corpus, shown_too, JUDGE, **machine)
    try:
        reason = bench.carry_out(Sound(bench) if run.plan.protocol == "sound" else Published(bench))
    finally:
        writer.close()
        corpus.close()
    return Measured(run, writer.path, reason, shown)
