"""From runs to advice, for each language or runtime."""

from __future__ import annotations

from iogauge.advice import pooled
from iogauge.advice.choice import Advice, choose
from iogauge.advice.covering import FEWEST, advisable, group_distance
from iogauge.advice.wanted import Wanted
from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.ceilings import CLEARS
from iogauge.analysis.groupreport import GroupReport
from iogauge.analysis.report import Report
from iogauge.claims import measured
from iogauge.claims.comparable import Comparable
from iogauge.runfile.dataset import Dataset
from iogauge.runfile.header import identity


def recommend(report: Report, wanted: Wanted, known: Dataset | None = None) -> dict[str, Advice]:
    """Advice by language, or by runtime where these are ranked apart.

    It comes from the group nearest in size; among equally near ones, from the group with most
    strategies. A language is missing if no group with verdicts covers what is wanted. Ways are
    compared by the replicates of all runs in `known` that measured the same: this run, which is one
    of them, and those that may be pooled with it. Without `known`, by those of this run.
    """
    plan = report.run.plan
    known = report.dataset if known is None else known
    run = [each.identity for each in known.runs].index(identity(report.run.header))
    numbers = [number for number, each in enumerate(known.groups) if each.run == run]
    found: dict[str, tuple[tuple[float, int], Advice]] = {}
    for group, planned, comparable, number in zip(
        report.groups, plan.groups, measured.comparables(report), numbers, strict=True
    ):
        apart = group_distance(planned, wanted)
        if plan.published or not group.has_verdicts or apart is None:
            continue
        keys = {
            plan.cases[case].key
            for case in advisable(plan, planned, report.run.header.runtimes, wanted)
        }
        same = pooled.the_same(known, number)
        runs = len(same.groups)
        comparable = pooled.together(comparable, same) if runs > 1 else comparable
        for name, ways in _by_rank_set(group, comparable, keys).items():
            within = [each for each, case in ways.items() if not _beyond_ceiling(case)]
            strategies = len({comparable.entries[each].strategy for each in within})
            rank = apart, -strategies
            if len(within) >= FEWEST and (name not in found or rank < found[name][0]):
                typical = pooled.medians(comparable, same)
                beyond = len(ways) - len(within)
                answer = group.answer_of([ways[each] for each in within]) if runs == 1 else None
                advice = choose(report, group, comparable, within, typical, beyond, runs, answer)
                found[name] = rank, advice
    return {name: advice for name, (_, advice) in found.items()}


def _by_rank_set(
    group: GroupReport, comparable: Comparable, keys: set[str]
) -> dict[str, dict[int, CaseReport]]:
    """The measured cases with these keys, by the set in which they are ranked and their index."""
    found: dict[str, dict[int, CaseReport]] = {case.rank_set: {} for case in group.cases}
    for index, entry in enumerate(comparable.entries):
        case = entry.measured
        if case and entry.ns is not None and not entry.failure and case.case.key in keys:
            found[case.rank_set][index] = case
    return found


def _beyond_ceiling(case: CaseReport) -> bool:
    """Whether a way seems faster than the machine, at 95 % confidence.

    A table calls a case impossible at 99 %. Advice is acted upon, so it leaves out more.
    """
    return case.impossible or (case.of_ceiling is not None and case.of_ceiling.lo > CLEARS)
