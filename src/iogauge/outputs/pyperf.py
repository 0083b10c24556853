"""pyperf's JSON: a benchmark for each case, a run for each repeat, which is one process."""

from __future__ import annotations

import json
from typing import Any

from iogauge import __version__
from iogauge.outputs import series
from iogauge.outputs.document import Document
from iogauge.outputs.series import Repeat, Series

left_out = series.left_out


def render(document: Document) -> str:
    run = document.run
    host = {
        "cpu_model_name": run.header.host["processor"],
        "platform": f"{run.header.host.get('system', 'Linux')} {run.header.host['kernel']}",
        "file_system": run.header.host["file_system"],
    }
    common = {
        "unit": "second",
        "inner_loops": 1,
        "iogauge_version": __version__,
        "iogauge_run": run.header.id,
        **{name: text for name, value in host.items() if (text := _text(value))},
    }
    benchmarks = [_benchmark(each) for each in series.with_data(document)]
    made = {"version": "1.0", "metadata": common, "benchmarks": benchmarks}
    return json.dumps(made, indent=1, ensure_ascii=False, allow_nan=False)


def _benchmark(of: Series) -> dict[str, Any]:
    names = {
        f"parameter_{name}": text for name, of_ in of.parameters.items() if (text := _text(of_))
    }
    about = {"name": _text(of.name), "iogauge_key": _text(of.exported.key), **names}
    about["iogauge_strategy"] = _text(of.strategy)
    return {"metadata": about, "runs": [_run(each) for each in of.repeats]}


def _run(repeat: Repeat) -> dict[str, Any]:
    """`loops` is how many operations a value is the mean of, which pyperf has once per run."""
    loops = sorted(round(each) for each in repeat.operations)[len(repeat.operations) // 2]
    return {
        "metadata": {"loops": max(1, loops), "duration": float(repeat.ns.sum()) / 1e9},
        "values": [level / 1e9 for level in repeat.levels],
    }


def _text(value: object) -> str:
    """In one line, without blanks around it: pyperf takes no other."""
    return " ".join(str(value).split()) if value is not None else ""
