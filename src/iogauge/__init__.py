"""iogauge: which file API, with which buffer size; how sure, and why."""

from typing import Any

__version__ = "0.1.0"

_OFFERS = {
    "load": "iogauge.api.loading",
    "measure": "iogauge.api.measuring",
    "Results": "iogauge.api.results",
    "UserError": "iogauge.model.errors",
}
"""What `import iogauge` offers, and the modules that have it. They are imported when it is asked
for: the command line is to start at once. `__init__.pyi` says the same to type checkers.
"""

__all__ = ["__version__", *_OFFERS]  # noqa: PLE0604 - a type checker reads the other file


def __getattr__(name: str) -> Any:
    if name not in _OFFERS:
        raise AttributeError(f"module 'iogauge' has no attribute {name!r}")
    from importlib import import_module

    found = globals()[name] = getattr(import_module(_OFFERS[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_OFFERS})
