"""What a watch found, on a page of at most 30 lines of 80 columns: what a change would save, what
was done, what could not be seen, and what watching cost.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from iogauge.model.text import listed, visible
from iogauge.model.units import count, duration, rate, significant, size, whole_share
from iogauge.model.watched import Finding, FindingKind, Span, Verified, Watched

WIDTH = 80
MOST_LINES = 30
_MOST_FINDINGS = 3
_SHORTEST = 0.05  # s
_READS = {"read", "pread64", "readv", "preadv", "preadv2", "sendfile", "copy_file_range"}
_WRITES = {"write", "pwrite64", "writev", "pwritev", "pwritev2"}
_SYNCS = {"fsync", "fdatasync", "syncfs", "sync", "sync_file_range", "msync"}
_TARGETS = {
    "file": "files",
    "null": "/dev/null",
    "pipe": "pipes",
    "socket": "sockets",
    "terminal": "the terminal",
    "device": "devices",
    "kernel": "files of the kernel",
    "unknown": "?",
}
_INSTEAD: dict[FindingKind, str] = {
    "small-reads": "read {files} in larger pieces",
    "small-writes": "write {files} in larger pieces",
    "lines-by-shell": "read {files} by another program than a shell",
    "opened-again": "open {files} once, not {calls} times",
    "read-again": "read {files} once, not {calls} times",
    "synced": "make {files} durable less often",
    "locked-bytes": "take {files} in blocks, not byte by byte",
    "unpacking": "unpack {files} beside the work, in another thread or process",
}
_BASES = {
    "two-ways": "both ways were measured here",
    "constants": "what such calls cost here",
    "waits": "how long the calls were seen to wait",
    "stacks": "in which share of looks it was at that",
}


def page(watched: Watched, command: str) -> str:
    """The page; `command` is the command line as it was given."""
    lines = [*_heading(watched)]
    if watched.findings:
        lines += ["", "WHAT A CHANGE WOULD SAVE"]
        for number, each in enumerate(watched.findings[:_MOST_FINDINGS], 1):
            lines += _finding(number, each, watched)
        if not watched.visited and not watched.verified:
            lines += _wrapped(
                f"try it: iogauge watch --verify 'OTHER COMMAND' -- {visible(command)}", ""
            )
    if watched.verified:
        lines += _verified(watched.verified)
    if watched.wall >= _SHORTEST:
        lines += ["", "WHAT IT DID", *_table(watched), *_waits(watched)]
    lines += _last(watched)
    return "\n".join(lines[: MOST_LINES + 10]) + "\n"


def _heading(watched: Watched) -> list[str]:
    head = f"iogauge watch: {visible(watched.name)}, {_time(watched.wall)}"
    busy = watched.in_calls or 0.0
    io = min(watched.wall, busy + (watched.waiting or 0.0))
    if watched.wall < _SHORTEST:
        return _wrapped(f"{head}: too short to gain anything", "  ")
    if watched.findings:
        if watched.in_calls is not None:
            head += f", {_time(io)} of it in calls for files ({whole_share(io / watched.wall)})"
        return _wrapped(head, "  ")
    said = watched.no_advice or "nothing to gain in how it reads and writes"
    return _wrapped(f"{head}: {said}", "  ")


def _finding(number: int, each: Finding, watched: Watched) -> list[str]:
    program = watched.programs[each.program]
    files = visible(each.file) or "its files"
    if each.files > 1:
        files += f" and {each.files - 1} more"
    title = each.change.text if each.change else ""
    title = title or _INSTEAD[each.kind].format(files=files, calls=count(each.calls))
    first = f"{number} {_saving(each)}  {title}"
    lines = _wrapped(first, "    ")
    does = _does(each, files)
    if len(watched.programs) > 1:
        does = f"{program.name}: {does}"
    lines += _wrapped(f"    {does}", "      ")
    if place := each.place:
        where = place.file if place.line is None else f"{place.file}:{place.line}"
        lines.append(f"    {where}  {place.text or place.function}"[:WIDTH])
    if each.change and each.change.code:
        label = "    instead  "
        for line in each.change.code.splitlines()[:3]:
            lines.append(f"{label}{line}"[: WIDTH + 20])
            label = " " * len(label)
    return lines


def _does(each: Finding, files: str) -> str:
    calls, piece = count(each.calls), size(each.size)
    match each.kind:
        case "small-reads":
            text = f"{calls} reads of {piece} from {files}"
        case "small-writes":
            text = f"{calls} writes of {piece} to {files}"
        case "lines-by-shell":
            text = f"{files}: {calls} lines, each by a read of its own"
        case "opened-again":
            text = f"{files} ({piece}) was opened {calls} times"
        case "read-again":
            text = f"{files} ({size(each.bytes / max(1, each.calls))}) was read {calls} times"
        case "synced":
            text = f"{calls} times made durable, each after {piece} written"
        case "locked-bytes":
            text = f"{size(each.bytes)} byte by byte from {files}, each through a lock"
        case "unpacking":
            text = f"{files} is unpacked on the thread that uses the data"
    return f"{text}; {_BASES[each.basis]}"


def _saving(each: Finding) -> str:
    """`0.13 s (0.12-0.14 s)`, `at least 0.2 s`."""
    if each.at_least:
        return f"at least {_time(each.saves.low)}"
    return f"{_time(each.saves.middle)} ({span(each.saves)})"


def span(saves: Span) -> str:
    """`0.12-0.14 s`."""
    low, high = _number(saves.low), _number(saves.high)
    return f"{low} s" if low == high else f"{low}-{high} s"


def _time(seconds: float) -> str:
    if seconds < 0:
        return f"-{_time(-seconds)}"
    if seconds >= 99.5:
        return duration(seconds)
    return f"{_number(seconds)} s" if seconds >= 0.0095 else duration(seconds)


def _number(seconds: float) -> str:
    if seconds < 0:
        return f"-{_number(-seconds)}"
    if seconds < 0.01:
        return significant(seconds, 1)
    return significant(seconds, 3 if seconds >= 10 else 2)


def _verified(found: Verified) -> list[str]:
    """Whether the other command saves what was promised."""
    says = {
        "true": "the saving came true" if found.promised else "the other command is faster",
        "false": "the saving did not come true" if found.promised else "it is not faster",
        "undecided": "not sure: the runs differ by too much",
    }[found.outcome]
    text = f"{says}: {visible(found.name)} saves {_time(found.saved.middle)}"
    text += (
        f" ({span(found.saved)}) of {_time(found.seconds.middle)}, in {found.pairs} pairs of runs"
    )
    if found.promised:
        text += f"; promised were {_time(found.promised.middle)} ({span(found.promised)})"
    return ["", "VERIFIED", *_wrapped(f"  {text}", "    ")]


@dataclass(frozen=True)
class _Row:
    label: str
    calls: float
    bytes: float | None
    target: str


def _table(watched: Watched) -> list[str]:
    """Calls, bytes and bytes per call; those of the account for reads and writes."""
    total = watched.total
    rows = [
        _Row("reads", float(total.read_calls or 0), _float(total.read_bytes), _on(watched, _READS)),
        _Row(
            "writes",
            float(total.write_calls or 0),
            _float(total.written_bytes),
            _on(watched, _WRITES),
        ),
    ]
    others = _others(watched)
    lines = [f"  {'':7}{'calls':>12}{'bytes':>11}{'per call':>11}   on"]
    for row in rows:
        if not row.calls:
            continue
        moved = "-" if row.bytes is None else size(row.bytes)
        each = "-" if row.bytes is None else size(row.bytes / row.calls)
        lines.append(f"  {row.label:7}{count(row.calls):>12}{moved:>11}{each:>11}   {row.target}")
    if others:
        lines.append(_wrapped(f"  others: {others}", "    ")[0])
    if total.read_calls is None:
        lines.append("  the kernel does not tell what it read and wrote")
    lines += _from(watched)
    return lines


def _float(value: int | None) -> float | None:
    return None if value is None else float(value)


def _on(watched: Watched, names: set[str]) -> str:
    """The files on which most of these calls were made."""
    some = [each for each in watched.calls if each.name in names]
    whole = sum(each.count for each in some)
    if not whole:
        return ""
    by_target: dict[str, float] = {}
    files: dict[str, float] = {}
    for each in some:
        label = _TARGETS[each.target]
        by_target[label] = by_target.get(label, 0.0) + each.count
        if each.target == "file" and each.file:
            files[each.file] = files.get(each.file, 0.0) + each.count
    best = max(by_target, key=lambda each: by_target[each])
    if best == "files" and files:
        name = max(files, key=lambda each: files[each])
        more = len(files) - 1
        text = visible(name)[:24] + (f" and {more} more" if more else "")
        return text
    return best if best != "?" else "not known"


def _others(watched: Watched) -> str:
    """`40 002 openat, 600 fdatasync`: the most frequent calls that move nothing."""
    counts: dict[str, float] = {}
    for each in watched.calls:
        if each.name not in _READS | _WRITES:
            counts[each.name] = counts.get(each.name, 0.0) + each.count
    most = sorted(counts.items(), key=lambda each: -each[1])
    return ", ".join(f"{count(round(value))} {name}" for name, value in most[:4] if value >= 10)


def _from(watched: Watched) -> list[str]:
    """Whether the data came from the cache or from the device."""
    total = watched.total
    if not total.read_bytes or total.device_read_bytes is None:
        return []
    share = min(1.0, total.device_read_bytes / total.read_bytes)
    said = "what it read came from the cache"
    if share >= 0.9:
        said = "what it read came from the disk"
    elif share >= 0.05:
        said = f"{whole_share(share)} of what it read came from the disk, the rest from the cache"
    if watched.wall and total.read_bytes > 1 << 20:
        said += f", at {rate(total.read_bytes / watched.wall)} over the whole run"
    return _wrapped(f"  {said}", "    ")


def _waits(watched: Watched) -> list[str]:
    """How its time divides between working and waiting."""
    total = watched.total
    if total.user is None or total.system is None:
        return []
    parts = [
        f"{_time(total.user)} in its own code",
        f"{_time(total.system)} in the kernel",
    ]
    waits: dict[str, float] = {}
    for each in watched.waits:
        if each.name in _SYNCS or each.target in ("file", "device"):
            waits[each.name] = waits.get(each.name, 0.0) + each.seconds
    name = max(waits, key=lambda each: waits[each]) if waits else ""
    if name and waits[name] >= 0.02 * watched.wall:
        parts.append(f"about {_time(min(watched.wall, waits[name]))} waiting in {name}")
    return _wrapped(f"  {listed(parts)}", "    ")


def _last(watched: Watched) -> list[str]:
    lines = []
    for each in watched.programs:
        if each.unseen:
            lines += _wrapped(f"{visible(each.name)}: {each.unseen}", "  ")
    if watched.left:
        names = listed([visible(each) for each in watched.left[:4]])
        lines += _wrapped(f"still running: {names}; counted until now", "  ")
    spent = watched.cost.processor + watched.cost.stopped
    own = f"watching took {_time(spent)}"
    if watched.wall >= 10:
        own += f" ({significant(100 * spent / watched.wall, 2)} %)"
    lines += _wrapped(f"not seen: {', '.join(watched.unseen)}; {own}", "  ")
    return lines


def _wrapped(text: str, indent: str) -> list[str]:
    wrap = textwrap.TextWrapper(WIDTH, subsequent_indent=indent)
    wrap.break_long_words = wrap.break_on_hyphens = False
    return wrap.wrap(text)
