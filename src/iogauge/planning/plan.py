"""A Study is resolved on one machine: its Plan."""

from __future__ import annotations

from dataclasses import replace

from iogauge.model.errors import UserError
from iogauge.model.plan import Plan, PublishedProtocol, by_reason
from iogauge.model.units import size
from iogauge.planning import groups
from iogauge.planning.draft import Draft
from iogauge.planning.options import MIB, OURS_MIB, Machine, Options
from iogauge.study.schema import Study


def make(study: Study, name: str, machine: Machine, options: Options) -> Plan:
    """The plan of a study on a machine. `name` is what error messages call the study.

    Raises UserError for what can never work: unknown strategies and parameters, more memory than
    there is. What is only not here (a language, a newer runtime) or was not wanted (--max-size,
    --only) is listed in `skipped`.
    """
    if options.protocol not in study.protocols:
        raise UserError(
            f"{name}: has no group for --protocol {options.protocol};"
            f" allowed: {', '.join(study.protocols)}"
        )
    if not machine.room_mib:
        raise UserError(
            f"{name}: {size(machine.available_memory)} of memory are available here, and iogauge"
            f" itself needs {size(OURS_MIB * MIB)}; give it more"
        )
    _check_questions(study, name, options)
    draft = Draft(study, name, machine, options)
    for index, table in enumerate(study.group):
        if table.protocol == options.protocol:
            groups.add_all(draft, table, f"{name}: group[{index}]")
    if not draft.groups:
        raise UserError(f"{name}: nothing to measure: {_why_nothing(draft)}")
    draft.share_heaps()
    return Plan(
        study=study.id,
        protocol=options.protocol,
        published=_published(study, options),
        cases=tuple(draft.cases),
        fork_of=tuple(draft.fork_of),
        forks=tuple(draft.forks),
        groups=tuple(draft.groups),
        bundles=tuple(draft.bundles()),
        spans=tuple(draft.spans),
        skipped=tuple(dict.fromkeys(draft.skipped)),
        seed=options.seed,
        precision=study.precision if options.precision is None else options.precision,
        tolerance=study.tolerance if options.tolerance is None else options.tolerance,
        budget=study.budget if options.budget is None else options.budget,
        memory_limit_mib=_memory_limit_mib(draft),
    )


def _memory_limit_mib(draft: Draft) -> int:
    """What forks that are alive together may take beside the largest file in the cache."""
    cached = [each.workload.size for each in draft.groups if each.conditions.cache == "warm"]
    room = draft.machine.room_mib - max(cached, default=0) // MIB
    return min(draft.machine.memory_limit_mib, room)


def _check_questions(study: Study, name: str, options: Options) -> None:
    """Raises UserError for a --question that the study does not ask."""
    asked = [each for each in study.group if each.protocol == options.protocol]
    known = [(each.id, identifier) for each in asked for identifier in each.identifiers()]
    for pattern in options.questions:
        if not any(replace(options, questions=(pattern,)).asks(*each) for each in known):
            there = ", ".join(dict.fromkeys(name for each in known for name in each))
            raise UserError(
                f"{name}: --question {pattern}: no question has this id; there are: {there}"
            )


def _published(study: Study, options: Options) -> PublishedProtocol | None:
    if not options.as_published or study.published_protocol is None:
        return None
    return PublishedProtocol(**study.published_protocol.model_dump())


def _why_nothing(draft: Draft) -> str:
    if draft.skipped:
        return "; ".join(f"{each.what}: {each.why}" for each in by_reason(draft.skipped))
    only = draft.options.only
    if only:
        return f"no strategy matches --only {' '.join(only)}; iogauge list strategies shows all"
    return "nothing is left; iogauge check says what the study has"
