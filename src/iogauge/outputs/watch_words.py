"""The words for what a watch found, which the page of text and the web page share. Whatever a
record names is others' text: it is made visible first.
"""

from __future__ import annotations

import re
from typing import Any

from iogauge.model import units
from iogauge.model.text import visible
from iogauge.model.units import count, duration, rounded, significant, size, whole_share
from iogauge.model.watched import (
    COPIES,
    READS,
    SHORTEST,
    SYNCS,
    WRITES,
    Calls,
    Change,
    Finding,
    FindingKind,
    Program,
    Span,
    Target,
    Verified,
    Watched,
)

_LEAST = 0.0001  # of the run time: less is not worth a word
_FAR = 1.5  # a promise that was so many times too low says how far
_HUGE = 1e12  # from here on nobody counts digits
_HUGE_SIZE = 2.0**60
_TOGETHER = re.compile(r"(?<=\d) (?=(?:\d{3}|%|s|ms|µs|ns|B|[KMG]iB|[kMG]?B/s)(?:\W|$))")
TARGETS: dict[Target, str] = {
    "file": "files",
    "null": "/dev/null",
    "pipe": "pipes",
    "socket": "sockets",
    "terminal": "the terminal",
    "device": "devices",
    "kernel": "files of the kernel",
    "unknown": "",
}
_INSTEAD: dict[FindingKind, str] = {
    "small-reads": "read {files} in larger pieces",
    "small-writes": "write {files} in larger pieces",
    "lines-by-shell": "read {files} by another program than a shell",
    "opened-again": "open {files} once, not {times}",
    "read-again": "read {files} once, not {times}",
    "synced": "make {files} durable less often",
    "locked-bytes": "take {files} in blocks, not byte by byte",
    "mapped-small-folios": "write {files} in large pieces",
    "unpacking": "unpack {files} beside the work, in another thread or process",
}
BASES = {
    "two-ways": "both ways were measured here",
    "constants": "by what such calls cost here",
    "waits": "by how long the calls were seen to wait",
    "stacks": "by the share of looks that saw it at that",
}


def with_visible_text(watched: Watched) -> Watched:
    """The record with hidden characters as escapes; code keeps its lines."""
    plain: Watched = Watched.model_validate(_visible(watched.model_dump()))
    findings = [
        each.model_copy(update={"change": _code(before.change)}) if before.change else each
        for each, before in zip(plain.findings, watched.findings, strict=True)
    ]
    return plain.model_copy(update={"findings": tuple(findings)})


def _code(change: Change) -> Change:
    lines = (visible(each.expandtabs(4)) for each in change.code.splitlines())
    return Change(text=visible(change.text), code="\n".join(lines))


def _visible(value: Any) -> Any:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(key): _visible(each) for key, each in value.items()}
    return [_visible(each) for each in value] if isinstance(value, list | tuple) else value


def seconds(value: float) -> str:
    """`0.13 s`, `12.4 s`, `1m 20s`, `3.37 ms`, `-0.2 s`."""
    if value < 0:
        return f"-{seconds(-value)}"
    if value >= _HUGE:
        return f"{rounded(value, 1)} s"
    if value >= 99.5 or 0 < value < 0.0095:
        return duration(value)
    return f"{_number(value)} s" if value > 0 else "0 s"


def span(saves: Span) -> str:
    """`0.12-0.14 s`."""
    if saves.low < 0:
        return f"{seconds(saves.low)} to {seconds(saves.high)}"
    if saves.high >= 99.5 or saves.low < 0.0095:
        low, high = seconds(saves.low), seconds(saves.high)
    else:
        low, high = _number(saves.low), f"{_number(saves.high)} s"
    return high if f"{low} s" == high or low == high else f"{low}-{high}"


def _number(value: float) -> str:
    return significant(value, 3 if value >= 10 else 2)


def calls(value: float) -> str:
    """`300 013`: a count of calls."""
    return rounded(value, 2) if abs(value) >= _HUGE else count(round(value))


def about(value: float) -> str:
    """`about 300 000`: a count that is an estimate, in two digits."""
    return f"about {calls(value)}" if abs(value) >= _HUGE else units.about_count(value)


def counted(value: float, noun: str, several: str = "", *, estimated: bool = False) -> str:
    """`300 013 reads`, `1 read`, `about 300 000 reads`; with the plural where that is not made by
    an s.
    """
    number = about(value) if estimated else calls(value)
    return f"{number} {noun if round(value) == 1 else several or noun + 's'}"


def times(finding: Finding) -> str:
    """`20 000 times`, `once`."""
    return "once" if round(finding.calls) == 1 else _counted(finding, "time")


def _counted(finding: Finding, noun: str) -> str:
    return counted(finding.calls, noun, estimated=finding.about)


def amount(value: float) -> str:
    """A size; as 1.2e+21 B where no unit is large enough."""
    return f"{rounded(value, 2)} B" if abs(value) >= _HUGE_SIZE else size(value)


def took(watched: Watched) -> str:
    """`12 s`; of a traced run with what it takes otherwise, of which savings are a part."""
    said = seconds(watched.wall)
    if watched.untraced is None:
        return said
    return f"{said} with the trace, about {seconds(watched.untraced)} without it"


def program(of: Program) -> str:
    """A script by its own name: people know that better than that of its interpreter."""
    return of.script or of.name or "a program"


def file_of(finding: Finding, watched: Watched) -> str:
    """The file of a finding; /dev/null by its path, as people know it."""
    same = (each for each in watched.calls if each.program == finding.program)
    to_null = any(each.file == finding.file and each.target == "null" for each in same)
    return "/dev/null" if to_null else finding.file


def files_of(finding: Finding, watched: Watched, longest: int = 0) -> str:
    """`data`, `data and 3 more files`."""
    name = shortened(file_of(finding, watched), longest) or "its files"
    more = finding.files - 1
    return f"{name} and {counted(more, 'more file')}" if more > 0 else name


def shortened(text: str, longest: int) -> str:
    """At most so many characters, with … for what is left out; all of them with 0."""
    return f"{text[: longest - 1]}…" if 0 < longest < len(text) else text


def together(text: str, blank: str) -> str:
    """With this blank between a number and its unit, and inside a number."""
    return _TOGETHER.sub(blank, text)


def title(finding: Finding, watched: Watched, longest: int = 0) -> str:
    """What to do instead."""
    if finding.change and finding.change.text:
        return finding.change.text
    files = files_of(finding, watched, longest)
    return _INSTEAD[finding.kind].format(files=files, times=times(finding))


def does(finding: Finding, watched: Watched, longest: int = 0) -> str:
    """What the program does now."""
    files, piece = files_of(finding, watched, longest), amount(finding.size)
    was, now = ("was", "is") if finding.files <= 1 and finding.file else ("were", "are")
    match finding.kind:
        case "small-reads":
            return f"{_counted(finding, 'read')} of {piece} from {files}"
        case "small-writes":
            return f"{_counted(finding, 'write')} of {piece} to {files}"
        case "lines-by-shell":
            each = "each by reads of its own"
            return f"{files}: {_counted(finding, 'line')}, {each}"
        case "opened-again":
            return f"{files} ({piece}) {was} opened {times(finding)}"
        case "read-again":
            whole = amount(finding.bytes / max(1.0, finding.calls))
            return f"{files} ({whole}) {was} read {times(finding)}"
        case "synced":
            return f"{files} {was} made durable {times(finding)}, each after {piece} written"
        case "locked-bytes":
            return f"{amount(finding.bytes)} byte by byte from {files}, each through a lock"
        case "mapped-small-folios":
            mapped = f"{files} {now} mapped, and cached in folios of {piece}"
            return f"{mapped}: {_counted(finding, 'page fault')}"
        case "unpacking":
            return f"{files} {now} unpacked on the thread that uses the data"


def where(finding: Finding) -> str:
    """`convert.py:41`, a function where no line is known; empty where nothing is."""
    place = finding.place
    if place is None:
        return ""
    if place.file:
        return place.file if place.line is None else f"{place.file}:{place.line}"
    return f"in {place.function}" if place.function else ""


def share(part: float, wall: float) -> str:
    """`35 %` of the run time; empty where that would be no share."""
    if not 0 <= part <= wall or not wall:
        return ""
    return whole_share(part / wall)


def saving(finding: Finding, wall: float, *, bare: bool = False) -> str:
    """`0.13 s, 35 % (0.12-0.14 s)`, `at least 0.2 s, 10 %`; without the interval if `bare`."""
    saves = finding.saves
    value = saves.low if finding.at_least else saves.middle
    parts = [seconds(value), share(value, wall)]
    text = ("at least " if finding.at_least else "") + ", ".join(filter(None, parts))
    between = span(saves)
    return text if bare or finding.at_least or between == seconds(value) else f"{text} ({between})"


def on(of: Calls) -> str:
    """Where calls go: the file, or the kind of thing; empty where that is not known."""
    if of.file and of.target == "device":
        return f"device {of.file}"
    return of.file if of.target == "file" and of.file else TARGETS[of.target]


def in_calls(watched: Watched) -> float | None:
    """Seconds in calls for files, working or waiting; None where that is not known."""
    if watched.in_calls is None:
        return None
    spent = watched.in_calls + (watched.waiting or 0.0)
    # What a runtime does around its calls is no part of what they cost in the kernel.
    saved = sum(
        each.saves.middle for each in watched.findings if each.kind != "mapped-small-folios"
    )
    return min(watched.run_time, max(spent, saved))


def waits_by_call(watched: Watched) -> dict[str, float]:
    """Seconds of waiting for files and devices, by the name of the call."""
    found: dict[str, float] = {}
    for each in watched.waits:
        if each.name in SYNCS or each.target in ("file", "device"):
            found[each.name] = found.get(each.name, 0.0) + each.seconds
    return found


def answer(watched: Watched) -> str:
    """Why there is no finding."""
    if watched.wall < SHORTEST:
        return "too short to gain anything"
    return watched.no_advice or "nothing to gain in how it reads and writes"


def in_short(watched: Watched) -> str:
    """When it was, how long it took, and the first finding, in a line."""
    plain = with_visible_text(watched)
    head = f"{plain.started[:16].replace('T', ' ')}, {plain.name}, {seconds(plain.wall)}"
    if not plain.findings or plain.wall < SHORTEST:
        return f"{head}: {answer(plain)}"
    first = plain.findings[0]
    return f"{head}: {saving(first, plain.run_time, bare=True)}: {title(first, plain, 40)}"


def time_parts(watched: Watched) -> list[str]:
    """`0.12 s in the kernel (75 %)`: what its time went into, as far as that is known."""
    total, parts = watched.total, list[tuple[float, str]]()
    if total.user is not None and total.system is not None:
        parts += [(total.user, "in its own code"), (total.system, "in the kernel")]
    waits = waits_by_call(watched)
    if waits:
        name = max(waits, key=lambda each: waits[each])
        if waits[name] >= 0.02 * watched.wall:
            parts.append((min(watched.wall, waits[name]), f"waiting in {name}"))
    said = []
    for value, text in parts:
        if value < 0.005 * watched.wall:
            continue
        of_all = share(value, watched.wall)
        said.append(f"{seconds(value)} {text}" + (f" ({of_all})" if of_all else ""))
    return said


def came_from(watched: Watched) -> str:
    """Whether the data came from the cache or from the device; empty where that says little."""
    total = watched.total
    if total.device_read_bytes is None or not total.read_bytes or total.read_bytes < 1 << 20:
        return ""
    part = min(1.0, max(0.0, total.device_read_bytes / total.read_bytes))
    if part >= 0.9:
        return "what it read came from the disk"
    if part < 0.05:
        return "" if _mostly_no_files(watched) else "what it read came from the cache"
    return f"{whole_share(part)} of what it read came from the disk, the rest from the cache"


def _mostly_no_files(watched: Watched) -> bool:
    """Whether most bytes were read from pipes, sockets and the like, which no cache holds."""
    read = [each for each in watched.calls if each.name in READS]
    others = sum(each.bytes for each in read if each.target not in ("file", "unknown"))
    return others > sum(each.bytes for each in read) / 2


def own_cost(watched: Watched) -> str:
    """What watching took."""
    spent = watched.cost.processor + watched.cost.stopped
    said = f"watching took {seconds(spent)}"
    if watched.wall >= 10 and 0 <= spent <= watched.wall:
        part = spent / watched.wall
        said += f" ({units.share(part, 2)})" if part >= _LEAST else ""
    return said


def verified(found: Verified) -> str:
    """Whether the other command saves what was promised."""
    says = {
        "true": _true(found) if found.promised else "the other command is faster",
        "false": "the saving did not come true" if found.promised else "it is not faster",
        "undecided": "not sure: the runs differ by too much",
    }[found.outcome]
    text = f"{says}: {shortened(found.name, 40)} saves {_estimate(found.saved)}"
    text += f" of {seconds(found.seconds.middle)}, in {counted(found.pairs, 'pair')} of runs"
    return f"{text}; promised were {_estimate(found.promised)}" if found.promised else text


def _true(found: Verified) -> str:
    """How what was promised compares with what was measured, where one is surely the larger."""
    promised, saved = found.promised, found.saved
    if promised and saved.low > promised.high:
        part = saved.middle / promised.middle if promised.middle > 0 else 0.0
        by = f", {significant(part, 2)} times as much" if part >= _FAR else ""
        return f"the saving came true, and is more than promised{by}"
    if promised and saved.high < promised.middle:
        return "the saving came true, and is at the low end of what was promised"
    return "the saving came true"


def _estimate(of: Span) -> str:
    return f"{seconds(of.middle)} ({span(of)})"


def others(watched: Watched) -> list[tuple[str, float]]:
    """The most frequent calls that move nothing, and how many there were."""
    counts: dict[str, float] = {}
    for each in watched.calls:
        if each.name not in READS | COPIES | WRITES:
            counts[each.name] = counts.get(each.name, 0.0) + each.count
    most = sorted(counts.items(), key=lambda each: -each[1])
    return [each for each in most[:4] if each[1] >= 10]
