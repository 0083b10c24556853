"""Short runs on the real runners."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from iogauge.commands.statuses import JUDGE
from iogauge.measuring import session
from iogauge.model.method import METHOD
from iogauge.planning import plan
from iogauge.runfile.run import Run
from iogauge.runners.finding import Choice
from iogauge.runners.runtimes import Runtimes


class Until:
    """Ends a run, as Ctrl-C does, when it has so many replicates."""

    def __init__(self, replicates: int):
        self.replicates = replicates

    def __call__(self, progress: Any) -> None:
        if progress.replicates >= self.replicates and progress.doing == "a replicate is complete":
            raise KeyboardInterrupt


def measured(
    text: str,
    folder: Path,
    name: str,
    *,
    budget: float = 1.0,
    in_full: bool = False,
    warm_up: dict[str, float] | None = None,
    homes: list[str] | None = None,
    show: Callable[[Any], None] = lambda progress: None,
    **options: Any,
) -> Run:
    """One or two replicates of a study's groups, or until `show` interrupts it.

    Not in full without ceilings and compute-only variants, by forks that are hardly warmed up: what is counted
    is the same, and these take most of the time of so short a run. `warm_up` has other values of
    the runtimes for it; then compute-only variants alone are left out.
    """
    study = folder / f"{name}.toml"
    study.write_text(
        f'id = "{name}"\ntitle = "T"\nrounds = {{ warm = 2, cold = 2, write = 2, memory = 3 }}\n{text}'
    )
    prepared = session.prepare(
        str(study),
        Runtimes({"jvm": list(map(Choice, homes))} if homes else {}, print),
        plan.Options(seed=1, budget=budget, **options),
    )
    method = METHOD
    if not in_full:
        values = warm_up or {"warm_up_seconds": 0.02, "warm_up_calls": 0}
        ready = [
            replace(each, runtime=each.runtime.model_copy(update=values)) for each in prepared.ready
        ]
        prepared = replace(prepared, ready=ready)
        left_out = {"compute_only_replicates": 0}
        if not warm_up:
            left_out["ceiling_replicates"] = 0
        method = METHOD.model_copy(update=left_out)
    path = folder / f"{name}.jsonl"
    run, _, _ = session.measure(prepared, folder, path, {}, show, JUDGE, method=method)
    return run
