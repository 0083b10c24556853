"""What calls cost on common machines, to decide what is worth measuring on this one. No answer
follows from these numbers alone.
"""

from __future__ import annotations

from iogauge.model.watched import Constant, ConstantName, Constants, Span

_NS: dict[ConstantName, dict[int | None, float]] = {
    "read": {1: 250, 512: 280, 4096: 500, 8192: 800, 32768: 2600, 131072: 10000, 1 << 20: 80000},
    "write": {
        1: 500,
        512: 700,
        4096: 1200,
        8192: 2000,
        32768: 6500,
        131072: 25000,
        1 << 20: 200000,
    },
    "null-write": {1: 150, 1 << 20: 150},
    "pipe-write": {1: 500, 4096: 900, 65536: 12000},
    "open-close": {None: 1500},
    "stat": {None: 700},
    "seek": {None: 150},
    "fsync": {None: 400_000},
    "fdatasync": {None: 300_000},
    "mapped-small": {1 << 20: 90_000},
    "mapped-large": {1 << 20: 12_000},
}

ROUGH = Constants(
    measured="",
    canary_ns=0.0,
    calls=tuple(
        Constant(name=name, size=size, ns=Span(low=ns / 2, middle=ns, high=ns * 2))
        for name, sizes in _NS.items()
        for size, ns in sizes.items()
    ),
)


def completed(known: Constants | None) -> Constants:
    """What is known of this machine, and rough costs of the calls that are missing."""
    if known is None:
        return ROUGH
    names = {each.name for each in known.calls}
    missing = tuple(each for each in ROUGH.calls if each.name not in names)
    return known.model_copy(update={"calls": (*known.calls, *missing)})
