"""Quantities: read what people write, write what people read.

Inside the program sizes are bytes (int), times are nanoseconds or seconds (named so), shares are
fractions of 1. Only this package turns them into other units and into text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

_BINARY = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_SIZES = (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10), ("B", 1))
_RATES = (("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3), ("B/s", 1))
_TIMES = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def parse_size(text: str | int) -> int:
    """Bytes from `8192`, `"8K"`, `"16 MiB"`, `"2.1G"`; powers of 1024. Raises ValueError."""
    if isinstance(text, int) and not isinstance(text, bool):
        if text < 0:
            raise ValueError(f"{text} is not a size: it is negative")
        return text
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*", str(text), re.IGNORECASE)
    if not match:
        raise ValueError(f"{text!r} is not a size: write bytes, or 8K, 16M, 2G (powers of 1024)")
    if "." not in match[1]:
        return int(match[1]) * _BINARY[match[2].lower()]
    exact = float(match[1]) * _BINARY[match[2].lower()]
    if not match[2] or not math.isfinite(exact):
        raise ValueError(f"{text!r} is not a size: write bytes, or 8K, 16M, 2G (powers of 1024)")
    return round(exact)


def parse_duration(text: str | int | float) -> float:
    """Seconds from `90`, `"90s"`, `"2m"`, `"1.5h"`, `"500ms"`. Raises ValueError."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|min|m|h)?\s*", str(text))
    if not match:
        raise ValueError(f"{text!r} is not a duration: write 90s, 2m or 1h")
    return float(match[1]) * _SECONDS[match[2] or "s"]


def parse_share(text: str | int | float) -> float:
    """A fraction of 1 from `"3%"`, or from a number that is one already. Raises ValueError."""
    value = parse_slowdown(text)
    if not 0 < value < 1:
        raise ValueError(f"{text!r} is not a share: it must lie between 0 and 100%")
    return value


def parse_slowdown(text: str | int | float) -> float:
    """The same, from nothing on and without an end: `"0%"`, `"150%"`. Raises ValueError, also for
    a number of 1 and more, whose sign of per cent was likely forgotten.
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(%?)\s*", str(text))
    if not match:
        raise ValueError(f"{text!r} is not a share: write 3% or 0.03")
    value = float(match[1])
    if value >= 1 and not match[2]:
        raise ValueError(f"{text!r} is not a share: write {text}%, or a fraction such as 0.03")
    return value / (100 if match[2] else 1)


def size(count: float) -> str:
    """`16 MiB`, `64 KiB`, `65 B`, `2.1 GiB`: at most three digits and a unit."""
    unit, factor = _unit(count, _SIZES)
    return f"{significant(count / factor, bare=True)} {unit}"


def exact_size(count: int) -> str:
    """`16 MiB`, `8 388 627 bytes`: rounded to nothing, for a size that is compared with a limit."""
    _, factor = _unit(count, _SIZES)
    exact = round(_rounded(count / factor, 3)[0] * factor) == count
    return size(count) if exact else f"{count:,} bytes".replace(",", " ")


def short_size(count: int) -> str:
    """`8K`, `16M`, `100`: exact (so that it can be read back), for labels and identifiers."""
    for unit, factor in (("G", 2**30), ("M", 2**20), ("K", 2**10)):
        if count >= factor and count % factor == 0:
            return f"{count // factor}{unit}"
    return str(count)


def rate(bytes_per_second: float) -> str:
    """`3.41 GB/s`, `87.2 MB/s`: powers of 1000, as disks and memory are quoted."""
    unit, factor = _unit(bytes_per_second, _RATES)
    return f"{significant(bytes_per_second / factor)} {unit}"


def ago(seconds: float) -> str:
    """`2 days ago`, `3 h ago`, `12 min ago`: an age, in whole numbers."""
    minutes = max(1, round(seconds / 60))
    if minutes >= 48 * 60:
        return f"{round(minutes / 60 / 24)} days ago"
    return f"{minutes} min ago" if minutes < 100 else f"{round(minutes / 60)} h ago"


def duration(seconds: float) -> str:
    """`1m 20s`, `12 s`, `3.4 ms`, `210 ns`."""
    if seconds >= 3570:
        hours, minutes = divmod(round(seconds / 60), 60)
        return f"{hours}h {minutes:02d}m"
    if seconds >= 99.5:
        return f"{int(round(seconds) // 60)}m {round(seconds) % 60:02d}s"
    if seconds >= 10:
        return f"{seconds:.0f} s"
    unit, factor = _unit(seconds, _TIMES)
    return f"{significant(seconds / factor)} {unit}" if seconds > 0 else "0 s"


def seconds(value: float) -> str:
    """`25.7 s`, `0.4 s`: parts of a whole, one below the other."""
    return f"{value:.1f} s"


def chosen_duration(value: float) -> str:
    """`10 s`, `0.5 s`: seconds that somebody chose, as they were written."""
    return f"{value:g} s"


def estimated(value: float) -> str:
    """`9 s`, `1m 20s`: an estimate in seconds has no digits after the point."""
    whole = round(value)
    return duration(whole) if whole >= 10 else chosen_duration(whole)


def chosen_limit(value: float) -> str:
    """`10 min`, `90 s`, `0.5 s`: a limit in seconds, as people set one."""
    whole = value >= 60 and not value % 60
    return f"{value / 60:g} min" if whole else chosen_duration(value)


def share(fraction: float, digits: int | None = None) -> str:
    """`3 %`, `0.6 %`, `103 %`; with `digits` that many significant ones: `3.0 %`."""
    if digits is not None:
        return f"{significant(fraction * 100, digits)} %"
    return f"{significant(fraction * 100, 2 if fraction < 0.995 else 3, bare=True)} %"


def percent(fraction: float, decimals: int = 0) -> str:
    """`14%`, `0.1%`: a share with so many decimals, in sentences of run files and of exports."""
    return f"{fraction:.{decimals}%}"


def whole_share(fraction: float) -> str:
    """`14 %`, `0 %`, `103 %`, and `<1 %` for a little."""
    return "<1 %" if 0 < fraction < 0.01 else f"{round(fraction * 100)} %"


def shares(low: float, high: float) -> str:
    """`68-100 %`, or `70 %` where both are the same."""
    least, most = round(low * 100), round(high * 100)
    return f"{least} %" if least == most else f"{least}-{most} %"


def deviation(fraction: float) -> str:
    """`±4 %`, `±12 %`: half of an interval as a share of its centre."""
    return f"±{share(fraction, 1 if fraction < 0.1 else 2)}"


def cores_of(host: Mapping[str, Any]) -> str:
    """`2 cores`, `1 of 2 cores (affinity)`, `0.5 of 2 cores (CPU quota)`, from the host's facts."""
    of_machine, by = host["cores"], host.get("cores_limited_by")
    named = f"{of_machine or 'unknown'} core{'' if of_machine == 1 else 's'}"
    return f"{rounded(host['usable_cores'])} of {named} ({by})" if by else named


def system_of(host: Mapping[str, Any], kernel: str | None = None) -> str:
    """`ext4, Linux 6.18.44`, from the same facts; `kernel` is a shorter form of its version."""
    name = host.get("system", "Linux")
    system = f"{'macOS' if name == 'Darwin' else name} {kernel or host['kernel']}"
    return f"{host['file_system']}, {system}" if host["file_system"] else system


def compact_size(count: float) -> str:
    """`127K`, `8M`, `65.0`, `0`: at most three digits, for the narrow columns of a table."""
    if count < 1024:
        return "0" if count < 0.5 else significant(count)
    unit, factor = _unit(count, _SIZES)
    return f"{significant(count / factor, bare=True)}{unit[0]}"


def compact_count(value: float) -> str:
    """`2049`, `1.5`, `345k`, `1.05M`: for the narrow columns of a table."""
    if value >= 1e6:
        return f"{significant(value / 1e6)}M"
    if value >= 1e5:
        return f"{value / 1e3:.0f}k"
    return f"{value:.1f}" if value < 10 and round(value, 1) % 1 else f"{value:.0f}"


def mean_count(value: float) -> str:
    """`2049`, `78.7`, `1.00`: three digits, and exact from a hundred on."""
    return significant(value) if value < 100 else f"{value:.0f}"


def rounded(value: float, digits: int = 3) -> str:
    """`1.57`, `0.5`, `1.23e+03`: at most so many significant digits, no zeros at the end."""
    return f"{value:.{digits}g}"


def decimal(value: float, decimals: int) -> str:
    """`1.20`, `0.04`: with so many decimals."""
    return f"{value:.{decimals}f}"


def count(value: float) -> str:
    """A mean count: `1 048 576`, `128`, `78.7`; whole and exact from a hundred on."""
    return f"{round(value):,}".replace(",", " ") if value >= 100 else significant(value, bare=True)


def about_count(value: float) -> str:
    """`about 2 700`: a count that is an estimate, in two digits."""
    return f"about {count(round(float(rounded(value, 2))))}"


def counted(number: int, noun: str) -> str:
    """`3 repeats`, `1 repeat`, `1 024 lines`."""
    return f"{count(number)} {noun}{'' if number == 1 else 's'}"


def significant(value: float, digits: int = 3, *, bare: bool = False) -> str:
    """The number with `digits` significant digits, without an exponent: `12.3`, `0.012`; if `bare`,
    without zeros at its end that say nothing: `16`, `1.5`.
    """
    if not math.isfinite(value):
        return "inf" if value > 0 else "-inf" if value < 0 else "?"
    rounded, decimals = _rounded(value, digits)
    while bare and decimals and round(rounded, decimals - 1) == rounded:
        decimals -= 1
    return f"{rounded:.{decimals}f}"


def _rounded(value: float, digits: int) -> tuple[float, int]:
    """The number rounded to significant digits, and how many of them are behind the point."""
    if value == 0:
        return 0.0, 0
    exponent = math.floor(math.log10(abs(value)))
    decimals = digits - 1 - exponent
    rounded = round(value, decimals)
    if rounded and math.floor(math.log10(abs(rounded))) > exponent:  # 9.996 → 10.0
        decimals -= 1
    return rounded, max(0, decimals)


def _unit(value: float, units: Sequence[tuple[str, float]]) -> tuple[str, float]:
    """The first of these units, with its factor, that the value reaches; else the last."""
    return next((each for each in units if value >= each[1]), units[-1])
