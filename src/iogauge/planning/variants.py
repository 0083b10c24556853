"""The rows of a group's grid → variants: strategies with parameters on runtimes."""

from __future__ import annotations

import difflib
import itertools
from fnmatch import fnmatchcase

from iogauge.model.case import Variant
from iogauge.model.errors import UserError
from iogauge.model.strategy import Runtime, Strategy
from iogauge.model.units import exact_size
from iogauge.planning.draft import Draft
from iogauge.study.schema import WHOLE, Cases, GroupTable, resolved


def of_group(draft: Draft, table: GroupTable, where: str, length: int) -> list[Variant]:
    """Every strategy of the group with every combination of its parameters, on every runtime that
    has it, for a file of this length in bytes. Raises UserError for an unknown strategy or
    parameter, or one that does not belong here.
    """
    found: list[Variant] = []
    for number, value in enumerate(table.each or [None]):
        for index, row in enumerate(table.case):
            if row.each and value is not None:
                values = {**row.parameters, row.each: [value]}
                row = row.model_copy(update={"parameters": values})
            elif number:  # a row without `each` is there once
                continue
            for strategy in row.strategy:
                found += _of_row(draft, table, row, strategy, length, f"{where}.case[{index}]")
    return list({(each.variant, each.setting): each for each in found}.values())


def _of_row(
    draft: Draft, table: GroupTable, row: Cases, strategy: str, length: int, where: str
) -> list[Variant]:
    offering = _offering(draft, strategy, f"{where}.strategy")
    matching = [runtime for runtime in offering if fnmatchcase(runtime.name, row.runtime)]
    if offering and not matching:
        draft.skip(f"{strategy} @{row.runtime}", "no such runtime was found or chosen")
    found = []
    for runtime in matching:
        declared = runtime.strategies[strategy]
        _check_kind(declared, table, f"{where}.strategy")
        grid = _grid(draft, row, declared, length, f"{where}.parameters")
        for values in itertools.product(*grid.values()):
            for options in _settings(draft, row, runtime, where):
                variant = Variant(
                    strategy=strategy,
                    parameters=declared.ordered(dict(zip(grid, values, strict=True))),
                    runtime=runtime.name,
                    options=options,
                )
                names, only = (variant.strategy, variant.variant), draft.options.only
                if only and not any(fnmatchcase(name, each) for name in names for each in only):
                    continue
                if declared.unavailable:
                    draft.skip(f"{variant.variant} @{runtime.name}", declared.unavailable)
                else:
                    found.append(variant)
    return found


def _offering(draft: Draft, strategy: str, where: str) -> list[Runtime]:
    """The runtimes with the strategy; none if its language is absent. Raises UserError."""
    runtimes = draft.machine.runtimes
    offering = [runtime for runtime in runtimes if strategy in runtime.strategies]
    if offering:
        return offering
    language = strategy.partition("/")[0]
    if why := draft.machine.absent.get(language):
        draft.skip(f"{language}/*", why, language)
        return []
    known = sorted({name for runtime in runtimes for name in runtime.strategies})
    of_language = [name for name in known if name.startswith(f"{language}/")]
    close = difflib.get_close_matches(strategy, known, n=3) or of_language or known
    raise UserError(
        f"{where}: unknown strategy {strategy!r}; allowed, among others: {', '.join(close[:6])}"
    )


def _settings(draft: Draft, row: Cases, runtime: Runtime, where: str) -> list[tuple[str, ...]]:
    """The options that the row's variants have on a runtime: the row's own, and these with each
    of the command line's. Raises UserError for options that are not of the runtime's form.
    """
    own = tuple(row.options)
    given = [each for runner, each in draft.options.settings if runner == runtime.runner]
    for said_in, options in (
        (f"{where}.options", own),
        *(("--runtime-option", each) for each in given),
    ):
        if runtime.options_are_variables and not all("=" in option for option in options):
            raise UserError(
                f"{said_in}: {' '.join(options)}: for {runtime.name} write variables, NAME=VALUE"
            )
    return list(dict.fromkeys([own, *(own + each for each in given)]))


def _check_kind(declared: Strategy, table: GroupTable, where: str) -> None:
    """The strategy must do what the group is about. Raises UserError."""
    if declared.role == "null":
        raise UserError(
            f"{where}: {declared.name} does nothing; it is no contestant (make bench measures it); "
            "leave it out"
        )
    if declared.role == "ceiling":
        raise UserError(
            f"{where}: {declared.name} is a ceiling, measured with every group that it fits;"
            " it is no contestant; leave it out"
        )
    wanted = {
        "operation": table.operation,
        "medium": table.medium,
        "access": "random" if table.accesses else "sequential",
    }
    for key, value in wanted.items():
        if getattr(declared, key) != value:
            raise UserError(
                f"{where}: {declared.name} has {key} = {getattr(declared, key)!r},"
                f" this group is about {value!r}; give it a group of its own"
            )
    for consume in table.axes()["consume"]:
        if consume not in declared.consumes:
            raise UserError(
                f"{where}: {declared.name} cannot do consume = {consume!r};"
                f" allowed: {', '.join(declared.consumes)}"
            )


def _grid(
    draft: Draft, row: Cases, declared: Strategy, length: int, where: str
) -> dict[str, list[int]]:
    """The values of each declared parameter: its default where the row gives none.

    The size of the file stands for itself; it is recorded as skipped where the parameter refuses
    it. Raises UserError for an unknown parameter and for a value out of range.
    """
    grid = {name: [limits.default] for name, limits in declared.parameters.items()}
    for parameter, values in row.parameters.items():
        if parameter not in declared.parameters:
            allowed = ", ".join(declared.parameters) or "none"
            raise UserError(
                f"{where}: {declared.name} has no parameter {parameter!r}; allowed: {allowed}"
            )
        limits = declared.parameters[parameter]
        given = {each: resolved(each, length) for each in values}
        outside = [each for each in given if not limits.min <= given[each] <= limits.max]
        allowed = f"allowed: {limits.min} to {limits.max}"
        for value in outside:
            if value != WHOLE:
                raise UserError(
                    f"{where}.{parameter}: {value} is out of range for {declared.name}; {allowed}"
                )
            draft.skip(f"{declared.name}: {parameter} of {exact_size(length)}", allowed)
        grid[parameter] = [given[each] for each in given if each not in outside]
    return grid
