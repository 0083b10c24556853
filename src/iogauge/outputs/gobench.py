"""Text as Go's benchmarks print it, for benchstat: a line for each repeat.

Repeats are what is independent, so they are what benchstat counts. Parameters are parts of the
name, `/block=8K`, which benchstat takes as keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iogauge import __version__
from iogauge.model.imported import BESIDE
from iogauge.model.units import rounded, system_of
from iogauge.outputs import series
from iogauge.outputs.document import Document
from iogauge.outputs.series import Series

_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "AMD64": "amd64", "arm64": "arm64"}
_DIGITS = 10  # so that a value is the same when it is read

left_out = series.left_out


def render(document: Document) -> str:
    """Without the last line end."""
    every = series.of(document)
    names = _names(document, every)
    return "\n".join([*_head(document, every), *_lines(every, names)])


def _head(document: Document, every: list[Series]) -> Iterator[str]:
    """What benchstat compares files by: nothing that differs from run to run of one machine."""
    run = document.run
    host = run.header.host
    if not run.header.imported:
        yield (
            f"# iogauge {__version__}, run {run.header.id}, {system_of(host)}: a line per repeat, "
            "each in fresh processes"
        )
    if system := host.get("system", None if run.header.imported else "Linux"):
        yield f"goos: {system.lower()}" if " " not in system else "# goos is not known"
    if machine := _ARCHITECTURES.get(str(host["machine"])):
        yield f"goarch: {machine}"
    yield f"pkg: iogauge/{run.plan.study}"
    if host["processor"]:
        yield f"cpu: {host['processor']}"
    for name in dict.fromkeys(name for each in every for name in each.beside):
        exact = " assume=exact" if BESIDE[name].exact else ""
        yield f"Unit {BESIDE[name].unit} better=lower{exact}"


def _names(document: Document, every: list[Series]) -> list[str]:
    """`Read/group=read-16m-warm/strategy=java.file-read/block=8K-1`, each one once."""
    found: dict[str, int] = {}
    names = []
    for each in every:
        name = _name(each)
        whole = f"{name}-{each.threads}"
        found[whole] = found.get(whole, 0) + 1
        again = f"/case={found[whole]}" if found[whole] > 1 else ""
        names.append(f"{name}{again}-{each.threads}")
    return names


def _name(of: Series) -> str:
    keys = "".join(f"/{_word(name)}={_word(value)}" for name, value in of.parameters.items())
    if of.report.strategy.imported:
        name = re.sub(r"\s+", "_", of.strategy)
        return name[:1].upper() + name[1:] + keys  # as functions of Go are named
    operation = of.exported.workload.operation.capitalize()
    strategy = of.strategy.replace("/", ".")
    return f"{operation}/group={_word(of.group.id)}/strategy={_word(strategy)}{keys}"


def _word(text: str) -> str:
    """Nothing in it ends the name or the part of it."""
    return re.sub(r"[\s/]+", "_", text)


def _lines(every: list[Series], names: list[str]) -> Iterator[str]:
    for each, name in zip(every, names, strict=True):
        if not each.repeats:
            yield f"--- FAIL: Benchmark{name}"
            yield f"    {each.failure}"
            continue
        beside = "".join(
            f"\t{rounded(value, _DIGITS)} {BESIDE[of].unit}" for of, value in each.beside.items()
        )
        for repeat in each.repeats:
            operations = round(repeat.operations.sum())
            yield f"Benchmark{name}\t{operations}\t{rounded(repeat.level, _DIGITS)} ns/op{beside}"
