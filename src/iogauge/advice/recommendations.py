"""From runs to advice, for each language or runtime."""

from __future__ import annotations

from collections.abc import Sequence

from iogauge.advice import pooled
from iogauge.advice.choice import Advice, choose
from iogauge.advice.covering import FEWEST, advisable, group_distance
from iogauge.advice.wanted import Wanted
from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport
from iogauge.analysis.report import Report
from iogauge.claims import measured
from iogauge.decision import ceiling
from iogauge.runfile.dataset import KnownGroup


def recommend(
    report: Report, wanted: Wanted, known: Sequence[KnownGroup] = ()
) -> dict[str, Advice]:
    """Advice by language, or by runtime where these are ranked apart.

    It comes from the group nearest in size; among equally near ones, from the group with most
    strategies. A language is missing if no group with verdicts covers what is wanted. Ways are
    compared by the replicates of this run, and of all groups in `known` that measured the same and
    may be pooled with it.
    """
    plan = report.run.plan
    found: dict[str, tuple[tuple[float, int], Advice]] = {}
    for group, planned, comparable, own in zip(
        report.groups, plan.groups, measured.comparables(report), report.dataset, strict=True
    ):
        apart = group_distance(planned, wanted)
        if plan.published or not group.has_verdicts or apart is None:
            continue
        keys = {
            plan.cases[case].key
            for case in advisable(plan, planned, report.run.header.runtimes, wanted)
        }
        same = pooled.the_same(known, own)
        for name, cases in _by_set(group, keys).items():
            within = [
                each
                for each in cases
                if not each.impossible and not ceiling.doubtful(each.of_ceiling)
            ]
            rank = apart, -len({each.case.strategy for each in within})
            if len(within) < FEWEST or (name in found and rank >= found[name][0]):
                continue
            if ways := pooled.ways_of(group, within, comparable, same):
                beyond = len(cases) - len(within)
                found[name] = rank, choose(report, group, ways, len(within), beyond)
    return {name: advice for name, (_, advice) in found.items()}


def _by_set(group: GroupReport, keys: set[str]) -> dict[str, list[CaseReport]]:
    """The measured cases with these keys, by the set in which they are ranked."""
    found: dict[str, list[CaseReport]] = {each.rank_set: [] for each in group.cases}
    for each in group.cases:
        if each.ns_per_op and not each.failure and each.case.key in keys:
            found[each.rank_set].append(each)
    return found
