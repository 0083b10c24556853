"""The verbs of docs/wire.md."""

import pkgutil
import platform
import sys
import time
from array import array
from importlib import import_module

import strategies

from harness import own
from harness.strategy import Setup

WIRE = 3
VERSION = ".".join(map(str, sys.version_info[:3]))


class Refused(Exception):
    """A request that cannot be carried out, with the reason for people."""


class Session:
    """What is kept between two requests: the strategies, and the one that is open."""

    def __init__(self):
        self._strategies = None
        self._operation = self._strategy = self._setup = self._padding = None

    def reply(self, request):
        verbs = {
            "hello": self._hello,
            "list": self._list,
            "open": self._open,
            "sample": self._sample,
            "release": self._release,
        }
        verb = request.get("verb")
        if verb not in verbs:
            raise Refused(f"unknown verb: {verb!r}")
        return {"verb": verb, **verbs[verb](request)}

    def _hello(self, request):
        return {
            "wire": WIRE,
            "runner": "python",
            "runtime": f"python-{VERSION}",
            "name": platform.python_implementation(),
            "version": VERSION,
            "flags": _flags(),
            "clock_resolution_ns": min(_step() for _ in range(100)),
        }

    def _list(self, request):
        known = self._known(anew=True)
        return {"strategies": [each.declaration() for _, each in sorted(known.items())]}

    def _known(self, *, anew=False):
        """The strategies of all files in `strategies/`, and those of the user's own, by name. Their
        module is loaded when it is asked for: it may print, and it may be wrong.
        """
        if self._strategies is None:
            try:
                owned = own.strategies(anew=anew)
            except own.Wrong as error:
                raise Refused(str(error)) from None
            self._strategies = {**KNOWN, **{each.name: each for each in owned}}
        return self._strategies

    def _open(self, request):
        self._operation = self._strategy = self._setup = self._padding = None
        name, workload = request.get("strategy"), request.get("workload") or {}
        if not isinstance(name, str) or name not in self._known():
            raise Refused(f"unknown strategy: {name!r}")
        strategy = self._known()[name]
        if strategy.unavailable:
            raise Refused(f"{name} cannot run here: {strategy.unavailable}")
        _one_of("operation", workload.get("operation"), (strategy.operation,))
        asked = {
            "parameters": _parameters(strategy, request.get("parameters") or {}),
            "consume": _one_of("consume", workload.get("consume"), strategy.consumes),
            "mode": _one_of("mode", workload.get("mode"), strategy.modes or (None,)),
            "durability": _one_of(
                "durability", workload.get("durability"), strategy.durabilities or (None,)
            ),
        }
        padding = request.get("padding") or 0
        if type(padding) is not int or not 0 <= padding <= 65536:
            raise Refused(f"padding {padding!r}: not a number from 0 to 65536")
        self._padding = bytearray(padding)
        if strategy.takes_payload:
            asked["payload"] = _payload(strategy, request.get("payload"))
        if strategy.access == "random":
            asked["offsets"] = _offsets(request.get("offsets"))
        self._setup = Setup(**asked)
        self._operation = strategy.open(self._setup)
        self._strategy = strategy
        return {}

    def _sample(self, request):
        if self._operation is None:
            raise Refused("no strategy is open")
        operations, spans = (_number(request, name) for name in ("operations", "spans"))
        paths = request.get("paths")
        if not isinstance(paths, list) or len(paths) not in (1, operations * spans):
            raise Refused("paths: neither one path nor one for each operation")
        ns, count, total = ([0] * spans for _ in range(3))
        several = len(paths) > 1
        for span in range(spans):
            first = span * operations
            these = paths[first : first + operations] if several else paths * operations
            ns[span], count[span], total[span] = _timed(self._operation, these)
        summed = self._strategy.operation == "read" and self._setup.consume != "none"
        return {
            "ns": ns,
            "operations": [operations] * spans,
            "count": count,
            "sum": [_wrapped(each) for each in total] if summed else self._results(spans),
            "counters": dict.fromkeys(("allocated_bytes", "gc_ns", "gc_count")),
        }

    def _results(self, spans):
        """What stands for the result of the user's function, where that can be compared."""
        told = getattr(self._operation, "result", None)
        number = told() if told else None
        return None if number is None else [number] * spans

    def _release(self, request):
        return {}  # every operation closes and unmaps what it used


def _timed(operation, paths):
    """Time in ns, count and sum of one operation on each of the paths."""
    count = total = 0
    path = None
    clock = time.perf_counter_ns
    try:
        began = clock()
        for path in paths:
            counted, summed = operation(path)
            count += counted
            total += summed
        return clock() - began, count, total
    except MemoryError:
        raise Refused(f"{path}: there is not enough memory") from None
    except own.Wrong as error:  # it has the line, and is no mistake of the file's
        raise Refused(str(error)) from None
    except Exception as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise Refused(f"{path}: {reason}") from None


def _found():
    """The strategies of all files in `strategies/`, by name."""
    modules = (import_module(f"strategies.{each.name}") for each in _files())
    return {each.name: each for module in modules for each in module.STRATEGIES}


def _files():
    return pkgutil.iter_modules(strategies.__path__)


KNOWN = _found()


def _parameters(strategy, given):
    if unknown := sorted(given.keys() - strategy.parameters.keys()):
        raise Refused(f"{unknown[0]}: unknown parameter")
    for name, declared in strategy.parameters.items():
        value, least, most = given.get(name), declared["min"], declared["max"]
        if type(value) is not int or not least <= value <= most:
            raise Refused(f"{name} {value!r}: not a number from {least} to {most}")
    return given


def _one_of(what, value, allowed):
    if value not in allowed:
        raise Refused(f"{what} {value!r}: this strategy has {', '.join(map(str, allowed))}")
    return value


def _payload(strategy, path):
    """The path of what is copied, and else the content: as text where text is written."""
    if strategy.operation == "copy":
        with _prepared("payload", path):
            return path
    with _prepared("payload", path) as file:
        data = file.read()
    return data.decode() if strategy.operation == "write" and strategy.sums != "byte" else data


def _prepared(what, path):
    if not isinstance(path, str):
        raise Refused(f"{what}: this strategy needs one, the path of a file")
    try:
        return open(path, "rb")
    except OSError as error:
        raise Refused(f"{what} {path}: {error.strerror}") from None


def _offsets(path):
    positions = array("q")
    with _prepared("offsets", path) as file:
        positions.frombytes(file.read())
    if sys.byteorder == "big":
        positions.byteswap()
    return tuple(positions)


def _number(request, name):
    value = request.get(name)
    if type(value) is not int or value < 1:
        raise Refused(f"{name} {value!r}: not a number of at least 1")
    return value


def _flags():
    """The options that the interpreter was started with."""
    try:
        with open("/proc/self/cmdline", "rb") as file:
            words = file.read().split(b"\0")[:-1]
    except OSError:
        return []
    return [word.decode(errors="replace") for word in words[1:-1]]


def _step():
    began = now = time.perf_counter_ns()
    while now == began:
        now = time.perf_counter_ns()
    return now - began


def _wrapped(total):
    """In 64 bits, two's complement."""
    return (total + (1 << 63)) % (1 << 64) - (1 << 63)
