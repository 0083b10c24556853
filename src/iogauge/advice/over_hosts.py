"""What to use for a workload on many hosts: the way that is good enough on most of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from iogauge.advice.choice import Candidate, but_for_state, candidates_of
from iogauge.advice.wanted import Wanted
from iogauge.analysis import hosts
from iogauge.analysis.hosts import Found, SetOverHosts
from iogauge.analysis.report import Report
from iogauge.runners import hints


class OverHostsAdvice(NamedTuple):
    """The advice for one language, or one runtime; `hint` is code, None if none is known."""

    found: SetOverHosts
    hint: str | None


class _OnHost(NamedTuple):
    """A group that answers, on one host; `hints` are by way."""

    rank: tuple[bool, float, int]
    alike: Hashable  # the group, but for how a cached file came into the cache
    found: Found
    hints: Mapping[str, str | None]


def recommend(reports: Iterable[Report], wanted: Wanted) -> tuple[list[str], list[OverHostsAdvice]]:
    """The names of the hosts, and what to use: by language or runtime, and by state of a cached
    file where several were measured, from the groups nearest to what is wanted that most hosts
    have. Of several runs of a host and study the newest is taken.
    """
    newest: dict[tuple[str, str], tuple[str, list[tuple[Hashable, _OnHost]]]] = {}
    facts: dict[str, Mapping[str, Hashable]] = {}
    shared: dict[Hashable, Any] = {}
    for report in reports:
        header, study = report.run.header, report.run.plan.study
        name = hosts.name_of(header)
        known = newest.get((name, study))
        if known is None or header.started >= known[0]:
            newest[name, study] = header.started, [*_on_host(name, report, wanted, shared)]
            facts[name] = hosts.facts_of(header)
    by_set: dict[Hashable, list[_OnHost]] = defaultdict(list)
    for _, of_host in sorted(newest.items(), key=lambda each: each[0]):
        for kind, each in of_host[1]:
            by_set[kind].append(each)
    advice = [
        _advice(group, facts) for found in by_set.values() for group in _nearest(found).values()
    ]
    return sorted(facts), advice


def _on_host(
    name: str, report: Report, wanted: Wanted, shared: dict[Hashable, Any]
) -> Iterable[tuple[Hashable, _OnHost]]:
    for set_, candidates in candidates_of(report, wanted).items():
        for each in candidates:
            cases = each.ways.answer.members
            verdict = each.group.verdict_among(set_, cases, each.ways.answer)
            found = Found(name, hosts.set_of_host(report, each.group, cases, verdict, shared))
            code = {one.case.key_without_runtime: hints.of_case(one.case) for one in cases}
            kind = hosts.kind_of_set(report.run.header, each.group, set_)
            yield kind, _OnHost(each.rank, _alike(report, each), found, code)


def _alike(report: Report, each: Candidate) -> Hashable:
    return report.run.plan.study, but_for_state(each.group)


def _nearest(found: Sequence[_OnHost]) -> dict[Hashable, list[_OnHost]]:
    """The nearest group that most hosts have, once for each state of a cached file."""
    nearest = min(each.rank[:2] for each in found)
    near = [each for each in found if each.rank[:2] == nearest]
    there: dict[Hashable, set[str]] = defaultdict(set)
    for each in near:
        there[each.alike].add(each.found.host)
    most = max(there, key=lambda alike: len(there[alike]))
    by_state: dict[Hashable, list[_OnHost]] = defaultdict(list)
    for each in near:
        if each.alike == most:
            by_state[each.found.of.key, each.found.of.setting].append(each)
    return by_state


def _advice(of: Sequence[_OnHost], facts: Mapping[str, Mapping[str, Hashable]]) -> OverHostsAdvice:
    found = hosts.over_set([each.found for each in of], facts)
    use = found.use.key if found.use else ""
    code = next((each.hints[use] for each in of if use in each.hints), None)
    return OverHostsAdvice(found, code)
