"""What to use for a workload on many hosts: the way that is good enough on most of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from iogauge.advice.choice import Candidate, but_for_state, candidates_of
from iogauge.advice.wanted import Wanted
from iogauge.analysis.hosts import Found, Hosts, SetOverHosts, kind_of_set, over_set
from iogauge.runners import hints


class OverHostsAdvice(NamedTuple):
    """The advice for one language, or one runtime; `hint` is code, None if none is known."""

    found: SetOverHosts
    hint: str | None


class _OnHost(NamedTuple):
    rank: tuple[bool, float, int]
    study: str
    found: Found


def recommend(hosts: Hosts, wanted: Wanted) -> list[OverHostsAdvice]:
    """By language or runtime, and by state of a cached file where several were measured, from the
    groups nearest to what is wanted, that most hosts have. Hosts without such a group are missing.
    """
    by_set: dict[tuple[str, str], list[_OnHost]] = defaultdict(list)
    for name, report in hosts.runs:
        for set_, candidates in candidates_of(report, wanted).items():
            for each in candidates:
                kind = kind_of_set(report.run.header, each.group, set_)
                found = _found(name, set_, each)
                by_set[kind].append(_OnHost(each.rank, report.run.plan.study, found))
    return [
        _advice(over_set(group, hosts.facts))
        for found in by_set.values()
        for group in _nearest(found)
    ]


def _found(host: str, name: str, of: Candidate) -> Found:
    cases = of.ways.answer.members
    verdict = of.group.verdict_among(name, cases, of.ways.answer)
    return Found(host, of.group, cases, verdict)


def _nearest(found: Sequence[_OnHost]) -> list[list[Found]]:
    """The nearest group on all hosts that have it, once for each state of a cached file."""
    nearest = min(each.rank[:2] for each in found)
    near = [each for each in found if each.rank[:2] == nearest]
    together: dict[Hashable, list[_OnHost]] = defaultdict(list)
    for each in near:
        together[each.study, each.found.group.id, but_for_state(each.found.group)].append(each)
    most = max(together, key=lambda key: len({each.found.host for each in together[key]}))
    workload = together[most][0].found.group
    states: dict[Hashable, list[Found]] = defaultdict(list)
    for each in near:
        group = each.found.group
        alike = but_for_state(group) == but_for_state(workload)
        if each.study == together[most][0].study and alike:
            states[group.id, group.conditions].append(each.found)
    return list(states.values())


def _advice(found: SetOverHosts) -> OverHostsAdvice:
    cells = (each.cells.get(found.use.key) for each in found.hosts) if found.use else ()
    case = next((each.case.case for each in cells if each), None)
    return OverHostsAdvice(found, hints.of_case(case) if case else None)
