"""What a strategy declares, and what `open` refuses because of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, get_args

from iogauge.model.strategy import UNITS, Parameter, Strategy
from iogauge.model.workload import OF_THE_API, Consume, Durability, Mode

from . import data
from .data import times
from .subject import SECONDS, Subject, defaults, must, must_have, takes_payload, writes_file

_REFUSED_DURABILITIES = (*get_args(Durability), "prayer")
_REFUSED_MODES = (*get_args(Mode), "sideways")
_REFUSED_CONSUMES = (*get_args(Consume), "devour")


def checks(strategy: Strategy) -> Iterator[tuple[str, Callable[[Subject, Strategy], None]]]:
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
    for name, limits in strategy.parameters.items():
        _declared_parameter(strategy, name, limits)
    roles = [role for role in strategy.roles.values() if role not in ("switch", "other")]
    must(len(set(roles)) == len(roles), f"several parameters have the same role: {strategy.roles}")
    must(bool(strategy.consumes), "consumes is empty")
    must(
        "touch" not in strategy.consumes or strategy.sums == "byte",
        "touch is for bytes, not for " + strategy.sums,
    )
    if strategy.operation != "read":
        must(strategy.consumes == ("none",), f"it does not read, and consumes {strategy.consumes}")
    must(strategy.operation != "copy" or strategy.medium == "file", "files are copied")
    must(strategy.medium == "file" or not strategy.bypasses_cache, "memory has no cache to bypass")
    must(
        not (strategy.bypasses_cache and strategy.mapped), "what is mapped is in the cache of pages"
    )
    must(
        writes_file(strategy) and "append" not in strategy.modes or not strategy.replaces,
        "a file is replaced only where it would be emptied",
    )
    must(strategy.medium == "file" or not strategy.mapped, "what is in memory is not mapped")
    must(
        not strategy.mapped or "dsync" not in strategy.durabilities,
        "what is mapped does not wait for dsync",
    )
    for key, values in (("modes", strategy.modes), ("durabilities", strategy.durabilities)):
        must(
            bool(values) == writes_file(strategy),
            f"{key} are for those that write a file, and only they have some: {values}",
        )
    must(
        not set(strategy.durabilities) - {"none", *OF_THE_API},
        f"durabilities {strategy.durabilities}",
    )
    _declared_handling(strategy)
    must(strategy.format == "plain" or strategy.medium == "file", "only a file has a format")
    if strategy.access == "random":
        must(
            strategy.operation == "read" and strategy.medium == "file",
            "random access is for reading files",
        )
        must(
            strategy.parameter("piece") is not None and strategy.sums == "byte",
            "random access reads pieces of bytes",
        )
    if strategy.generates:
        must(
            strategy.role in ("published", "compute_only"),
            f"generates is not for the role {strategy.role}",
        )
    if strategy.role == "compute_only":
        must(
            strategy.operation == "read" and strategy.medium == "memory",
            "a compute-only variant reads, in memory",
        )


def _declared_handling(strategy: Strategy) -> None:
    """What a user must know to choose between two that look alike."""
    must(
        strategy.is_checked or strategy.consumes == ("none",),
        f"nobody knows what it read, and it consumes {strategy.consumes}",
    )
    compared = strategy.role in ("contestant", "published") and strategy.medium == "file"
    for key, needed in (
        ("buffer", compared),
        ("opens", compared),
        ("data", compared and strategy.operation == "read"),
    ):
        must(not needed or getattr(strategy, key) is not None, f"it does not declare {key}")
    must(strategy.operation == "read" or strategy.data is None, "data is for those that read")
    must(strategy.medium == "file" or strategy.opens is None, "it has no file to open")
    must(
        not strategy.mapped or strategy.data != "copied" or strategy.buffer != "none",
        "what is mapped is borrowed, or copied into a buffer",
    )


def _declared_parameter(strategy: Strategy, name: str, declared: Parameter) -> None:
    """What the keys of one parameter must have to do with each other."""
    must(
        declared.min <= declared.default <= declared.max,
        f"the default of {name} is out of its range",
    )
    units = UNITS[declared.role]
    must(
        declared.unit in units,
        f"{name} has the role {declared.role} and the unit {declared.unit};"
        f" allowed: {', '.join(units)}",
    )
    must(
        declared.unit != "chars" or data.is_text(strategy.sums),
        f"{name} is in chars, and {strategy.name} works on bytes",
    )
    must(
        declared.unit != "switch" or (declared.min, declared.max) == (0, 1),
        f"{name} is a switch, 0 or 1, and has the range {declared.min} to {declared.max}",
    )
    must(
        strategy.role == "ceiling" or not declared.tried,
        f"{name} has values to try, which are for ceilings",
    )
    for values in declared.tried.values():
        must(
            bool(values) and all(declared.min <= value <= declared.max for value in values),
            f"values of {name} to try are out of its range: {values}",
        )


def _unavailable(subject: Subject, strategy: Strategy) -> None:
    subject.refused(subject.opening(strategy), "a strategy that it calls unavailable")


def _parameters(subject: Subject, strategy: Strategy) -> None:
    opening = subject.opening(strategy)
    given = defaults(strategy)
    subject.refused(
        {**opening, "parameters": {**given, "sugar": 1}}, "an unknown parameter", "sugar"
    )
    for padding in (-1, (1 << 16) + 1, "some"):
        subject.refused({**opening, "padding": padding}, f"padding = {padding!r}", "padding")
    for allowed in (1 << 16, 8, 0, None):
        subject.fork.ask({**opening, "padding": allowed}, SECONDS)
    for name, limits in strategy.parameters.items():
        for value in (0, -1, limits.max + 1, 1.5, "many", None):
            if not isinstance(value, int) or not limits.min <= value <= limits.max:
                subject.refused(
                    {**opening, "parameters": {**given, name: value}}, f"{name} = {value!r}", name
                )
        rest = {other: value for other, value in given.items() if other != name}
        subject.refused({**opening, "parameters": rest}, f"no {name}", name)


def _workload(subject: Subject, strategy: Strategy) -> None:
    """Nothing but what it declared; null only where nothing was declared."""
    opening = subject.opening(strategy)

    def refused(key: str, value: Any) -> None:
        subject.refused(
            {**opening, "workload": {**opening["workload"], key: value}},
            f"{key} = {value!r}",
            key,
            str(value),
        )

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
    opening = subject.opening(strategy)
    missing = subject.new_path()
    for key in [
        *(["payload"] if takes_payload(strategy) else []),
        *(["offsets"] if strategy.access == "random" else []),
    ]:
        for value in (None, str(missing), str(subject.folder)):
            named = missing.name if value == str(missing) else subject.folder.name
            subject.refused({**opening, key: value}, f"{key} = {value!r}", key, named)


def _compute_only(subject: Subject, strategy: Strategy) -> None:
    """The compute-only variant can stand beside each case of the strategy that names it."""
    named = strategy.compute_only
    assert named is not None  # only then is this checked
    compute_only = must_have(subject.ready.runtime.strategies.get(named), f"{named} does not exist")
    must(
        compute_only.role == "compute_only", f"{compute_only.name} has the role {compute_only.role}"
    )
    must(
        compute_only.medium == "memory" and compute_only.operation == "read",
        f"{compute_only.name} does not read in memory",
    )
    must(
        not compute_only.unavailable,
        f"{compute_only.name} is unavailable where this is not: {compute_only.unavailable}",
    )
    missing = set(strategy.consumes) - set(compute_only.consumes)
    must(not missing, f"{compute_only.name} cannot consume {missing}")
    must(
        data.is_text(strategy.sums) or not data.is_text(compute_only.sums),
        f"{compute_only.name} is for text, this is not",
    )
    shared = strategy.parameters.keys() & compute_only.parameters.keys()
    for name in shared:
        here, there = strategy.parameters[name], compute_only.parameters[name]
        must(
            there.min <= here.min and here.max <= there.max,
            f"{compute_only.name} does not take every {name} that this takes",
        )
    payload = data.plain(strategy.sums, 4097)
    parameters = {
        **defaults(compute_only),
        **{name: strategy.parameters[name].default for name in shared},
    }
    for consume in strategy.consumes:
        subject.open(compute_only, consume, parameters, payload=payload)
        due = payload.due(compute_only.sums, consume)
        subject.sample(
            2,
            [subject.folder / "ignored"],
            [times(due, 2)] * 2,
            f"{compute_only.name}, {consume}",
            sums=not compute_only.generates,
        )
