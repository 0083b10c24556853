"""The channel and the verbs, what a strategy declares, and what `open` refuses because of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, get_args

from iogauge.model.strategy import UNITS, Parameter, Strategy
from iogauge.model.workload import OF_THE_API, Consume, Durability, Mode
from iogauge.runners import wire

from . import data
from .data import times
from .subject import SECONDS, Subject, must, must_have, takes_payload, writes_file

_REFUSED_DURABILITIES = (*get_args(Durability), "prayer")
_REFUSED_MODES = (*get_args(Mode), "sideways")
_REFUSED_CONSUMES = (*get_args(Consume), "devour")


def checks() -> list[tuple[str, Callable[[Subject], None]]]:
    return [
        ("hello", _hello),
        ("list", _list),
        ("bad requests", _bad_requests),
        ("request costs", _request_costs),
        ("end of input", _end_of_input),
    ]


def _hello(subject: Subject) -> None:
    said = subject.fork.ask(wire.hello(), SECONDS)
    must(said.wire == wire.WIRE, f"speaks wire version {said.wire}")
    name = f"{said.runner}-{said.version}"
    must(said.runtime == name, f"runtime {said.runtime!r} is not RUNNER-VERSION")
    subject.fork.ask({**wire.hello(), "sugar": [1, {}]}, SECONDS)  # unknown keys are ignored


def _list(subject: Subject) -> None:
    listing = subject.fork.ask(wire.list_strategies(), SECONDS)
    strategies = listing.strategies
    unknown = ", ".join(listing.unknown)
    must(not unknown, f"keys that docs/wire.md does not know, and that are ignored: {unknown}")
    names = [each.name for each in strategies]
    must(len(set(names)) == len(names), f"names are not unique: {sorted(names)}")
    languages, known = {each.language for each in strategies}, subject.ready.runtime.languages
    must(languages == set(known), f"strategies of {languages}, runner.toml names {known}")
    _calls(strategies)
    _null(subject)


def _calls(strategies: Sequence[Strategy]) -> None:
    """People can tell strategies that stand in one table apart by what they are called."""
    known: dict[tuple[str, ...], str] = {}
    for each in strategies:
        if each.role not in ("contestant", "published") or each.instead_of:
            continue
        must(bool(each.call), f"{each.name} declares no call")
        place = each.language, each.operation, each.access, each.call
        other = known.setdefault(place, each.name)
        must(other == each.name, f"{other} and {each.name} have the same call {each.call!r}")


def _bad_requests(subject: Subject) -> None:
    strategy = next(each for each in subject.strategies if not each.unavailable)
    opening = subject.opening(strategy)
    subject.refused(wire.sample(1, 1, ["/"]), "sample before open")
    subject.refused({"verb": "dance"}, "an unknown verb")
    subject.refused({}, "a request without a verb")
    subject.refused({**opening, "strategy": "none/such"}, "an unknown strategy", "none/such")
    for garbage in (b"not json\n", b"\n", b"[]\n", b'"hello"\n', b"\xff\xfe{}\n"):
        subject.refused(garbage, f"the line {garbage!r}")


def _request_costs(subject: Subject) -> None:
    """The host subtracts the calls of a request, so most requests must cost the same."""
    subject.open(_null(subject))
    path = str(subject.path(data.plain("byte", 64)))
    fork = subject.fork
    seen = []
    for _ in range(5):
        before = fork.counters.read()
        fork.ask(wire.sample(10, 1, [path]), SECONDS)
        gained = fork.counters.since(before)
        seen.append((gained["syscr"], gained["syscw"]))
    most = max(map(seen.count, seen))
    must(2 * most > len(seen), f"equal requests cost {seen} (reads, writes), not the same calls")


def _end_of_input(subject: Subject) -> None:
    fork = subject.fork
    fork.ask(wire.hello(), SECONDS)
    start = time.monotonic()
    fork.close_input()
    fork.wait(timeout=4)
    must(time.monotonic() - start < 2, "does not end within 2 s of the end of its input")


def _null(subject: Subject) -> Strategy:
    null = next((each for each in subject.strategies if each.role == "null"), None)
    return must_have(null, "no strategy with the role null")


def of_strategy(strategy: Strategy) -> Iterator[tuple[str, Callable[[Subject, Strategy], None]]]:
    """The checks of what a strategy declares, and of what `open` refuses because of it."""
    yield "declaration", _declaration
    if strategy.unavailable:
        yield "unavailable", _unavailable
        return
    yield "parameters", _parameters
    yield "workload", _workload
    if strategy.compute_only:
        yield "compute_only", _compute_only
    if takes_payload(strategy) or strategy.access == "random":
        yield "prepared files", _prepared_files


def _declaration(subject: Subject, strategy: Strategy) -> None:
    """What the keys of a declaration must have to do with each other."""
    of, writes, reads = strategy, writes_file(strategy), strategy.operation == "read"
    in_file, in_bytes = strategy.medium == "file", strategy.sums == "byte"
    nothing = of.consumes == ("none",)
    for name, limits in of.parameters.items():
        _declared_parameter(of, name, limits)
    roles = [role for role in of.roles.values() if role not in ("switch", "other")]
    must(len(set(roles)) == len(roles), f"several parameters have the same role: {of.roles}")
    must(bool(of.consumes), "consumes is empty")
    must("touch" not in of.consumes or in_bytes, f"touch is for bytes, not for {of.sums}")
    must(reads or nothing, f"it does not read, and consumes {of.consumes}")
    must(of.operation != "copy" or in_file, "files are copied")
    must(in_file or not of.bypasses_cache, "memory has no cache to bypass")
    must(not (of.bypasses_cache and of.mapped), "what is mapped is in the cache of pages")
    replaces = not of.replaces or (writes and "append" not in of.modes)
    must(replaces, "a file is replaced only where it would be emptied")
    must(in_file or not of.mapped, "what is in memory is not mapped")
    reads_file = not of.trips_on or (reads and in_file)
    must(reads_file, "only who reads a file trips on what is in it")
    dsync = "dsync" in of.durabilities
    must(not (of.mapped and dsync), "what is mapped does not wait for dsync")
    for key, values in (("modes", of.modes), ("durabilities", of.durabilities)):
        only = f"{key} are for those that write a file, and only they have some: {values}"
        must(bool(values) == writes, only)
    unknown = set(of.durabilities) - {"none", *OF_THE_API}
    must(not unknown, f"durabilities {of.durabilities}")
    _declared_handling(of)
    must(of.format == "plain" or in_file, "only a file has a format")
    if of.access == "random":
        must(reads and in_file, "random access is for reading files")
        pieces = of.parameter("piece") is not None and in_bytes
        must(pieces, "random access reads pieces of bytes")
    generates = not of.generates or of.role in ("published", "compute_only")
    must(generates, f"generates is not for the role {of.role}")
    in_memory = of.role != "compute_only" or (reads and not in_file)
    must(in_memory, "a compute-only variant reads, in memory")


def _declared_handling(strategy: Strategy) -> None:
    """What a user must know to choose between two that look alike."""
    of, reads, in_file = strategy, strategy.operation == "read", strategy.medium == "file"
    checked = of.is_checked or of.consumes == ("none",)
    must(checked, f"nobody knows what it read, and it consumes {of.consumes}")
    compared = of.role in ("contestant", "published") and in_file
    for key, needed in (("buffer", compared), ("opens", compared), ("data", compared and reads)):
        must(not needed or getattr(of, key) is not None, f"it does not declare {key}")
    must(reads or of.data is None, "data is for those that read")
    must(in_file or of.opens is None, "it has no file to open")
    borrowed = not of.mapped or of.data != "copied" or of.buffer != "none"
    must(borrowed, "what is mapped is borrowed, or copied into a buffer")


def _declared_parameter(strategy: Strategy, name: str, declared: Parameter) -> None:
    """What the keys of one parameter must have to do with each other."""
    least, most, unit = declared.min, declared.max, declared.unit
    must(least <= declared.default <= most, f"the default of {name} is out of its range")
    units = UNITS[declared.role]
    allowed = f"{name} has the role {declared.role} and the unit {unit}; allowed: "
    must(unit in units, allowed + ", ".join(units))
    text = unit != "chars" or data.is_text(strategy.sums)
    must(text, f"{name} is in chars, and {strategy.name} works on bytes")
    switch = unit != "switch" or (least, most) == (0, 1)
    must(switch, f"{name} is a switch, 0 or 1, and has the range {least} to {most}")
    tried = strategy.role == "ceiling" or not declared.tried
    must(tried, f"{name} has values to try, which are for ceilings")
    for values in declared.tried.values():
        inside = bool(values) and all(least <= value <= most for value in values)
        must(inside, f"values of {name} to try are out of its range: {values}")


def _unavailable(subject: Subject, strategy: Strategy) -> None:
    subject.refused(subject.opening(strategy), "a strategy that it calls unavailable")


def _parameters(subject: Subject, strategy: Strategy) -> None:
    opening, given = subject.opening(strategy), strategy.defaults

    def refused(parameters: dict[str, Any], what: str, name: str) -> None:
        subject.refused({**opening, "parameters": parameters}, what, name)

    refused({**given, "sugar": 1}, "an unknown parameter", "sugar")
    for padding in (-1, (1 << 16) + 1, "some"):
        subject.refused({**opening, "padding": padding}, f"padding = {padding!r}", "padding")
    for allowed in (1 << 16, 8, 0, None):
        subject.fork.ask({**opening, "padding": allowed}, SECONDS)
    for name, limits in strategy.parameters.items():
        for value in (0, -1, limits.max + 1, 1.5, "many", None):
            if not isinstance(value, int) or not limits.min <= value <= limits.max:
                refused({**given, name: value}, f"{name} = {value!r}", name)
        rest = {other: value for other, value in given.items() if other != name}
        refused(rest, f"no {name}", name)


def _workload(subject: Subject, strategy: Strategy) -> None:
    """Nothing but what it declared; null only where nothing was declared."""
    opening = subject.opening(strategy)

    def refused(key: str, value: Any) -> None:
        request = {**opening, "workload": {**opening["workload"], key: value}}
        subject.refused(request, f"{key} = {value!r}", key, str(value))

    refused("operation", "write" if strategy.operation == "read" else "read")
    refused("operation", "destroy")
    offered = [
        ("consume", strategy.consumes, _REFUSED_CONSUMES),
        ("mode", strategy.modes, _REFUSED_MODES),
        ("durability", strategy.durabilities, _REFUSED_DURABILITIES),
    ]
    for key, declared, candidates in offered:
        for value in candidates:
            if value not in declared:
                refused(key, value)
        if declared:
            refused(key, None)


def _prepared_files(subject: Subject, strategy: Strategy) -> None:
    opening, missing = subject.opening(strategy), subject.new_path()
    needed = {"payload": takes_payload(strategy), "offsets": strategy.access == "random"}
    for key in (each for each, is_needed in needed.items() if is_needed):
        for path in (None, missing, subject.folder):
            request = {**opening, key: path and str(path)}
            named = path.name if path else subject.folder.name
            subject.refused(request, f"{key} = {path}", key, named)


def _compute_only(subject: Subject, strategy: Strategy) -> None:
    """The compute-only variant can be measured for each case of the strategy that names it."""
    named = strategy.compute_only
    assert named is not None  # only then is this checked
    other = must_have(subject.ready.runtime.strategies.get(named), f"{named} does not exist")
    must(other.role == "compute_only", f"{named} has the role {other.role}")
    in_memory = other.medium == "memory" and other.operation == "read"
    must(in_memory, f"{named} does not read in memory")
    unavailable = f"{named} is unavailable where this is not: {other.unavailable}"
    must(not other.unavailable, unavailable)
    missing = set(strategy.consumes) - set(other.consumes)
    must(not missing, f"{named} cannot consume {missing}")
    same = data.is_text(strategy.sums) or not data.is_text(other.sums)
    must(same, f"{named} is for text, this is not")
    shared = strategy.parameters.keys() & other.parameters.keys()
    for name in shared:
        here, there = strategy.parameters[name], other.parameters[name]
        every = there.min <= here.min and here.max <= there.max
        must(every, f"{named} does not take every {name} that this takes")
    payload = data.plain(strategy.sums, 4097)
    parameters = other.defaults | {name: strategy.parameters[name].default for name in shared}
    for consume in strategy.consumes:
        subject.open(other, consume, parameters, payload=payload)
        dues = [times(payload.due(other.sums, consume), 2)] * 2
        ignored = [subject.folder / "ignored"]
        subject.sample(2, ignored, dues, f"{named}, {consume}", sums=not other.generates)
