"""A run as Markdown, to be pasted where people talk about it: per group the answer and a table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from iogauge.claims.claims import Scored
from iogauge.model.case import runtimes_differ
from iogauge.model.units import duration, rate, significant
from iogauge.outputs import document

_MARKUP = re.compile(r"([\\`*_\[\]<>|&~#])")


def render(scored: Scored) -> str:
    """Without the last line end."""
    made = document.make(scored)
    (run,) = made["runs"]
    host = run["host"]
    measured = f"iogauge run {run['study']}{'' if run['protocol'] == 'sound' else ', as published'}: {', '.join(each['name'] for each in run['runtimes'])}"
    machine = f"{host['processor'] or host['machine']}, {host['cores']} cores, {host['file_system']}, Linux {host['kernel']}"
    lines = [
        f"## {plain(run['title'])}",
        "",
        plain(f"{measured}; {machine}; {run['started'][:10]}, {duration(run['seconds'])}"),
    ]
    lines += [line for each in run["caveats"] for line in ("", f"> {plain(each)}")]
    for group in made["groups"]:
        lines += ["", f"### {plain(group['question'])}", "", plain(group["title"]), ""]
        lines += [f"- {plain(each)}" for each in group["answers"]] + [""] * bool(group["answers"])
        lines += _table(group)
    return "\n".join(lines)


def plain(text: str) -> str:
    """The text as itself: nothing in it is markup, nor ends the line."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def _table(group: dict[str, Any]) -> Iterator[str]:
    several = runtimes_differ(
        (case["language"], " ".join([case["runtime"], *case["options"]])) for case in group["cases"]
    )
    yield f"| case |{' runtime |' * several} per operation | throughput | time, best of its language = 1 | calls |"
    yield "|---|" + "---|" * several + "---:|---:|---:|---:|"
    for case in group["cases"]:
        runtime = [plain(" ".join([case["runtime"], *case["options"]]))] * several
        yield f"| {' | '.join([plain(case['label']), *runtime, *_figures(case)])} |"
    if group["ceiling"]:
        ceiling = group["ceiling"]
        yield f"| ceiling: {plain(ceiling['strategy'])} |{'  |' * several} | {rate(ceiling['bytes_per_s'])} | | |"
    caveats = [
        f"- {plain(case['label'])}: {plain(text)}"
        for case in group["cases"]
        for text in case["caveats"]
    ]
    yield from ["", *caveats] if caveats else []


def _figures(case: dict[str, Any]) -> list[str]:
    if case["ns_per_op"]["center"] is None:
        return [plain(case["failures"][0]) if case["failures"] else "not measured", "", "", ""]
    ways = {"read": ("read",), "write": ("write",)}.get(
        case["workload"]["operation"], ("read", "write")
    )
    calls = [case["evidence"][f"{way}_calls_per_op"] for way in ways]
    return [
        _with_interval(case["ns_per_op"], lambda ns: duration(ns / 1e9)),
        "" if case["bytes_per_s"]["center"] is None else rate(case["bytes_per_s"]["center"]),
        _ratio(case),
        "?"
        if None in calls
        else significant(sum(calls))
        if sum(calls) < 100
        else f"{sum(calls):.0f}",
    ]


def _with_interval(found: dict[str, Any], say: Any) -> str:
    bounds = (
        f" ({say(found['lo'])}–{say(found['hi'])})"
        if found["lo"] is not None and found["hi"] is not None
        else ""
    )
    return say(found["center"]) + bounds


def _ratio(case: dict[str, Any]) -> str:
    found = case["vs_best"]
    if case["best"] or found["ratio"] is None:
        return "**1**" if case["best"] else ""
    if case["settled"]:
        return f"≥ {significant(found['lo'], 1)}, about {significant(found['ratio'])}"
    mark = {"undecided": " ~", "same": " ="}.get(found["outcome"], "").replace("~", r"\~")
    return _with_interval({**found, "center": found["ratio"]}, significant) + mark
