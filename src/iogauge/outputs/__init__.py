"""What people and programs see.

A Document comes in: a run with its report, verdicts and reasons. Text, pages, pictures and export
formats go out, from one module each whose `render` takes the document. A new output is a module and
a line in this table.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

FORMATS = {
    "json": "iogauge.outputs.json",
    "csv": "iogauge.outputs.csv",
    "markdown": "iogauge.outputs.markdown",
    "jmh": "iogauge.outputs.jmh",
    "go": "iogauge.outputs.gobench",
    "hyperfine": "iogauge.outputs.hyperfine",
    "pyperf": "iogauge.outputs.pyperf",
    "bmf": "iogauge.outputs.bmf",
    "github-action-benchmark": "iogauge.outputs.github_action",
    "samples": "iogauge.outputs.samples",
    "parquet": "iogauge.outputs.parquet",
}
"""What `iogauge export` writes: the name of a format, and the module that renders it as text, or as
bytes where it is BINARY. A module whose format cannot hold all of a run says what with `left_out`.
"""
BINARY = ("parquet",)

VIEWS = {
    "answers": "iogauge.outputs.terminal",
    "details": "iogauge.outputs.details",
    "explanation": "iogauge.outputs.explanation",
    "scoreboard": "iogauge.outputs.scoreboard",
    "advice": "iogauge.outputs.advice",
    "advice-json": "iogauge.outputs.advice_json",
    "code": "iogauge.outputs.code",
    "profile": "iogauge.outputs.profile",
    "builds": "iogauge.outputs.builds",
    "hosts": "iogauge.outputs.hosts",
    "hosts-json": "iogauge.outputs.hosts_json",
    "advice-over-hosts": "iogauge.outputs.advice_over_hosts",
    "claims-over-hosts": "iogauge.outputs.claims_over_hosts",
}
"""What commands print: the name of a view, and the module that renders it for a terminal."""


def renderer(name: str) -> Callable[[Any], Any]:
    """The `render` of a format or a view. Its module is imported here, when it is needed."""
    render: Callable[[Any], Any] = import_module((FORMATS | VIEWS)[name]).render
    return render


def left_out(name: str, document: Any) -> list[str]:
    """What a format cannot hold of this document, in lines for the user."""
    module = import_module(FORMATS[name])
    return list(module.left_out(document)) if hasattr(module, "left_out") else []
