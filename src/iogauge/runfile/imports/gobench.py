"""The text of Go's benchmarks: a line for each count, with values and their units."""

from __future__ import annotations

import math
import re
from collections import Counter

from iogauge.model.imported import BESIDE
from iogauge.runfile.imports.making import Measured, Read, Unfit, must_fit, time

FORMAT = "Go benchmark text"
_LINE = re.compile(r"^Benchmark(\S*)\s+(\d{1,18})\s+(.+)$")
_FAILED = re.compile(r"^--- FAIL: Benchmark(\S+)")
_CONFIG = re.compile(r"^([a-z][^A-Z\s:]*):\s*(.*)$")
_PROCESSORS = re.compile(r"^(.+?)-([1-9]\d{0,5})$")
_LOOKS = re.compile(rb"^(Benchmark\S*[ \t]+\d+[ \t]|--- FAIL: Benchmark)", re.MULTILINE)
_FIGURES = {each.unit: figure for figure, each in BESIDE.items()}


def looks_like(head: bytes) -> bool:
    return bool(_LOOKS.search(head)) and not head.lstrip().startswith((b"{", b"["))


def read(content: bytes) -> Read:
    """Raises UnicodeDecodeError, or Unfit."""
    config: dict[str, str] = {}
    measured, under = list[Measured](), list[dict[str, str]]()
    began = Counter[str]()
    failed: Measured | None = None
    for line in content.decode().splitlines():
        if failed and line.startswith("    ") and line.strip():
            failed.failure = line.strip()  # what the benchmark said
        failed = None
        if found := _LINE.match(line):
            measured.append(_measured(found, config.get("pkg", "")))
            under.append(dict(config))
            must_fit(len(measured))
        elif found := _FAILED.match(line):
            failed = _named(found[1], config.get("pkg", ""), [])
            failed.failure = "it failed"
            measured.append(failed)
            under.append(dict(config))
        elif key := _CONFIG.match(line):
            config[key[1]] = key[2]
            began[key[1]] += key[1] == "goos"
    _tell_apart(measured, under)
    names = {"processor": config.get("cpu"), "system": config.get("goos", "").capitalize()}
    host = {name: value for name, value in names.items() if value}
    times = began["goos"]
    caveats = [
        "lines of one count after another in one process are taken for repeats: how processes "
        f"differ is not known{f' ({times} calls of go test are in the file)' * (times > 1)}"
    ]
    return Read(FORMAT, "gotest", "go test", "unknown", measured, caveats, host)


def _tell_apart(measured: list[Measured], under: list[dict[str, str]]) -> None:
    """Lines under other configuration lines are of other benchmarks, as benchstat has it."""
    keys = dict.fromkeys(key for each in under for key in each if key != "pkg")
    for key in keys:
        values = [each.get(key, "") for each in under]
        if len(set(values)) > 1:
            for each, value in zip(measured, values, strict=True):
                each.question += f", {key}: {value}"
                each.sets += f"\n{key}: {value}"


def _named(name: str, package: str, spans: list[tuple[float, int]]) -> Measured:
    """`Read/file/block=8K-4`: the benchmark `Read/file` with a parameter, on 4 processors."""
    threads = 1
    if found := _PROCESSORS.match(name):
        name, threads = found[1], int(found[2])
    parts, values = name.split("/"), list[tuple[str, str]]()
    while len(parts) > 1 and re.fullmatch(r"[^=]+=.*", parts[-1]):
        key, _, value = parts.pop().partition("=")
        values.insert(0, (key, value))
    if len(dict(values)) < len(values):  # one key twice: it is a name then
        parts, values = name.split("/"), []
    question = parts[0] or "Benchmark"
    if group := dict(values).get("group"):  # as our export has it
        question += f", group={group}"
    return Measured(
        benchmark="/".join(parts) or "Benchmark",
        parameters=dict(values),
        question=f"{package}: {question}" if package else question,
        repeats=[spans] if spans else [],
        sets=package,
        short="/".join(parts[1:]),
        threads=threads,
    )


def _measured(line: re.Match[str], package: str) -> Measured:
    name, operations, words = line[1], int(line[2]), line[3].split()
    found: dict[str, float] = {}
    for value, unit in zip(words[::2], words[1::2], strict=False):
        try:
            found[unit] = float(value)
        except ValueError:
            raise Unfit(f"Benchmark{name}: {value!r} is no number") from None
    if len(words) % 2:
        raise Unfit(f"Benchmark{name}: a value without a unit")
    if not 0 < operations < 1 << 53:
        raise Unfit(f"Benchmark{name}: {operations} operations")
    ns = found.get("ns/op", math.nan)
    spans = [] if math.isnan(ns) else [(time(ns, f"Benchmark{name}") * operations, operations)]
    made = _named(name, package, spans)
    made.figures = {
        figure: found[unit]
        for unit, figure in _FIGURES.items()
        if 0 <= found.get(unit, math.nan) < math.inf
    }
    made.failure = None if spans else "its line has no ns/op"
    return made
