"""Short runs on the real runners."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from iogauge.commands.standing import JUDGE
from iogauge.measuring import session
from iogauge.model.method import METHOD
from iogauge.planning import plan
from iogauge.runfile.runfile import Run


def measured(
    text: str,
    folder: Path,
    name: str,
    *,
    budget: float = 1.0,
    in_full: bool = False,
    homes: list[str] | None = None,
    show: Callable[[Any], None] = lambda progress: None,
    **options: Any,
) -> Run:
    """One or two replicates of a study's groups, or until `show` interrupts it. Not in full without
    ceilings and companions, by forks that are hardly warmed up: what is counted is the same, and
    these take most of the time of so short a run.
    """
    study = folder / f"{name}.toml"
    study.write_text(
        f'id = "{name}"\ntitle = "T"\nrounds = {{ warm = 2, cold = 2, write = 2, memory = 3 }}\n{text}'
    )
    prepared = session.prepare(
        str(study),
        {"jvm": homes} if homes else {},
        plan.Options(seed=1, budget=budget, **options),
        print,
    )
    method = METHOD
    if not in_full:
        hardly = {"warm_up_seconds": 0.02, "warm_up_calls": 0}
        ready = [
            replace(each, runtime=each.runtime.model_copy(update=hardly)) for each in prepared.ready
        ]
        prepared = replace(prepared, ready=ready)
        method = METHOD.model_copy(update={"companion_replicates": 0, "ceiling_replicates": 0})
    path = folder / f"{name}.jsonl"
    run, _, _ = session.measure(prepared, folder, path, {}, show, JUDGE, method=method)
    return run
