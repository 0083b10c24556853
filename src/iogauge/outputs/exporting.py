"""A run's report, verdicts and sweeps as the structures of the JSON export."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from iogauge.advice import reasons
from iogauge.advice.explanations import knees, parameters_without_effect
from iogauge.claims import measured, printed
from iogauge.decision.verdict import cost_to_best
from iogauge.model.figures import EXPORTED
from iogauge.outputs import (
    contract,
    headings,
    next_steps,
    phrases,
    sentences,
    spans,
    statements,
    states,
    versions,
)

Made = TypeVar("Made", bound=msgspec.Struct)
_NEAR_LIMIT = 0.85  # of what the machine reaches: a language below it says what it costs

if TYPE_CHECKING:
    import numpy as np

    from iogauge.analysis.casereport import CaseReport
    from iogauge.analysis.ceilings import Ceiling
    from iogauge.analysis.disturbance import Disturbance
    from iogauge.analysis.forks import Forks
    from iogauge.analysis.groupreport import Across, GroupReport
    from iogauge.analysis.report import Report
    from iogauge.analysis.spans import SpanReport
    from iogauge.claims.comparable import Comparable
    from iogauge.claims.findings import Finding
    from iogauge.claims.printed import Cell
    from iogauge.claims.scoring import Judged, Scored
    from iogauge.claims.verdicts import Verdict
    from iogauge.decision.comparison import Comparison
    from iogauge.decision.verdict import SetVerdict
    from iogauge.outputs.sentences import Said
    from iogauge.statistics.intervals import Interval
    from iogauge.study.schema import Study


def export(scored: Scored) -> contract.Export:
    report = scored.report
    iterations, names = measured.iterations_of(report.run), _names(report)
    return contract.Export(
        runs=(_run(report, scored.study),),
        groups=tuple(
            _group(place, table, report) for place, table in enumerate(measured.comparables(report))
        ),
        spans=tuple(_span(each, report) for each in report.spans),
        published=tuple(
            _published(cell, report, iterations) for cell in printed.cells(scored.study)
        ),
        claims=tuple(_claim(each, names) for each in scored.judged),
    )


def _names(report: Report) -> statements.Names:
    """What readers call a variant: as in its group, or as in another one that has it."""
    known = {
        (group.id, case.case.variant): group.name_of(case)
        for group in report.groups
        for case in group.cases
    }
    anywhere = {variant: name for (_, variant), name in known.items()}
    return lambda group, variant: known.get((group, variant)) or anywhere.get(variant, variant)


def _made(kind: type[Made], *sources: object, **given: Any) -> Made:
    """A structure with the fields that are `given`. Each other one is copied from the first of the
    sources that has an attribute of its name; where none has, it keeps its default.
    """
    for name in kind.__struct_fields__:
        source = next((each for each in sources if hasattr(each, name)), None)
        if name not in given and source is not None:
            given[name] = getattr(source, name)
    return kind(**given)


def _run(report: Report, study: Study) -> contract.Run:
    run, header = report.run, report.run.header
    return _made(
        contract.Run,
        *(header, header.plan, report, run),
        study=header.plan.study,
        title=study.title,
        source=study.source,
        options={name: value for name, value in header.options.items() if value is not None},
        runtimes=tuple(_made(contract.Runtime, each) for each in header.runtimes),
        next_steps=tuple(map(str, next_steps.of_report(report, ""))) if _sound(report) else (),
        disturbance=_disturbance(report.disturbance),
        versions=_versions(report),
    )


def _versions(report: Report) -> contract.Versions | None:
    asked, found = report.run.plan.versions, versions.of_report(report)
    if asked is None or found is None:
        return None
    return _made(contract.Versions, asked, verdict=found.gate, says=found.headline)


def _pairs(report: Report, place: int) -> Iterator[contract.VersionPair]:
    """The pairs of two versions of the group of this index."""
    found = versions.of_report(report)
    if found is None:
        return
    question = versions.question(report, place)
    for pair, shown in zip(report.groups[place].versions, question.differences, strict=True):
        yield contract.VersionPair(
            **ratio_of(pair.comparison),
            old=pair.old.case.key,
            new=pair.new.case.key,
            way=shown.way,
            verdict=pair.kind,
            says=found.in_words(shown),
            replicates=pair.comparison.replicates if pair.comparison else 0,
            replicates_needed=pair.found.needed if pair.found else None,
            control_differs=bool(pair.found and pair.found.control_differs),
            failure=shown.failure or None,
        )


def _sound(report: Report) -> bool:
    return report.run.plan.protocol == "sound"


def _disturbance(found: Disturbance) -> contract.Disturbance:
    return contract.Disturbance(
        canary={kind: {"least": lo, "most": hi} for kind, (lo, hi) in found.canary.items()},
        stolen_share=found.stolen,
        others_cores=found.others,
        place_in_round={name: _made(contract.Level, each) for name, each in found.place.items()},
    )


def _group(place: int, table: Comparable, report: Report) -> contract.Group:
    group, sound = report.groups[place], _sound(report)
    how = next_steps.of_group(report, place) if sound else None
    found = sentences.of(group) if sound and not group.versions else []
    of_set = {each.verdict.set: each.verdict for each in found}
    compared = sound and group.compares_sets and group.has_verdicts and not group.versions
    step = group.next_step if sound else None
    return _made(
        contract.Group,
        group,
        run=report.run.header.id,
        label=headings.label(group),
        answers=tuple(sentences.of_group(group, how)) if sound and not group.versions else (),
        recommendations=tuple(_recommendation(group, each) for each in found),
        side_by_side=(sentences.between(group) or "") if compared else "",
        languages=tuple(_of_language(group, each) for each in group.sets) if compared else (),
        next_steps=how,
        next_step=step
        and _made(
            contract.NextStep,
            step,
            reach=_finite(step.reach),
            budget=next_steps.budget_of_group(report, place),
        ),
        observed=". ".join(
            [
                headings.observed(group, report.run.plan.protocol),
                *(each.rstrip(".") for each in headings.other_folios(group)),
            ]
        ),
        noise_floor=_finite(group.noise_floor),
        control=group.control and contract.Ratio(**ratio_of(group.control)),
        ceiling=_ceiling(group.ceiling),
        ceiling_of_threads=_ceiling(group.ceiling_of_threads),
        cases=tuple(case_of(case, group, of_set.get(case.rank_set)) for case in group.cases),
        across_runtimes=tuple(contract.Across(**_across(each)) for each in group.across),
        versions=tuple(_pairs(report, place)),
        knees=tuple(knees(table, group.noise_floor)),
        parameters_without_effect=tuple(parameters_without_effect(table)),
    )


def _set(group: GroupReport, of: str) -> dict[str, Any]:
    """A set by its name in the report, and what it is of."""
    language, setting = group.set_of(of)
    return {"set": of, "language": language, "setting": setting}


def _of_language(group: GroupReport, of: str) -> contract.OfLanguage:
    best, usual = group.best_of[of], group.answers[of].simplest
    reached = best.of_ceiling
    units = {each.strategy.unit for each in group.cases}
    bytes_read = group.workload.operation == "read" and not units & {"line", "char"}
    below = bytes_read and reached is not None and reached.center < _NEAR_LIMIT
    return contract.OfLanguage(
        **_set(group, of),
        **ratio_of(group.vs_overall.get(of)),
        name=group.called(of),
        case=best.case.key,
        usual=None if usual is best else usual.case.key,
        cost=phrases.note(group.verdict_on(of)),
        reason=reasons.first(best) if below else None,
    )


def _across(found: Across) -> dict[str, Any]:
    keys = {"key": found.case.key, "reference": found.reference.key}
    return keys | ratio_of(found.comparison)


def _span(span: SpanReport, report: Report) -> contract.Span:
    how = str(next_steps.of_span(report, span) or "")
    return _made(
        contract.Span,
        span,
        run=report.run.header.id,
        groups=tuple(group.id for group in span.groups),
        names=spans.names(span),
        title=spans.title(span),
        answers=tuple(spans.answers(span, how)),
        says=tuple(spans.compared(span)),
        next_steps=how or None,
        by_language=tuple(_in_states(span, name) for name in span.states),
        across=tuple(
            contract.AcrossGroups(**_across(each), cost=spans.cost(each, span.tolerance))
            for each in span.across
        ),
    )


def _in_states(span: SpanReport, name: str) -> contract.InStates:
    found, first = span.states[name], span.groups[0]
    return contract.InStates(
        **_set(first, name),
        kind=found.kind,
        use=tuple(each.case.key for each in found.use.cases),
        turning=tuple(tuple(each.case.key for each in way.cases) for way in found.turning),
        says=states.says(first, found, span.values),
    )


def _ceiling(found: Ceiling | None) -> contract.Ceiling | None:
    if found is None:
        return None
    return _made(
        contract.Ceiling,
        *(found.case, found),
        params=found.case.parameters,
        replicates=len(found.log_ns),
        age_s=found.age,
    )


def _recommendation(group: GroupReport, found: Said) -> contract.Recommendation:
    verdict = found.verdict
    best = verdict.answer.best if verdict.answer and verdict.is_for_now else verdict.use
    return contract.Recommendation(
        **_set(group, verdict.set),
        state=verdict.kind,
        case=best.case.key if best else None,
        for_now=verdict.use.case.key if verdict.use and verdict.is_for_now else None,
        short=found.short,
        says=found.long,
    )


def case_of(
    found: CaseReport, group: GroupReport, of_set: SetVerdict[CaseReport] | None = None
) -> contract.Case:
    """`of_set` is what is recommended of the case's set, where the case is told of beside it."""
    case, record = found.case, found.per_record
    verdict = of_set.of_case(found, group.tolerance) if of_set else None
    return _made(
        contract.Case,
        *(case, found, found.strategy),
        label=found.label,
        source="imported" if found.strategy.imported else "measured",
        display=group.name_of(found),
        command=found.strategy.command and found.strategy.command.text,
        checked=found.is_checked,
        params=case.parameters,
        roles={**found.strategy.roles},
        ns_per_op=_level(found.ns_per_op),
        bytes_per_s=_level(found.bytes_per_s),
        ns_per_record=_level(record.ns if record else None),
        records_per_s=_level(record.per_s if record else None),
        latency_ns=_made(contract.Latency, found.latency),
        vs_baseline=contract.Ratio(**ratio_of(found.vs_baseline)),
        vs_best=contract.RatioToCase(**ratio_of(found.vs_best), reference=found.vs_best_key),
        cost=phrases.undecided(found.vs_best)
        if found.strategy.imported
        else phrases.cost(cost_to_best(found, group.tolerance)),
        note=phrases.note(verdict) if verdict else "",
        verdict=verdict and _made(contract.Verdict, verdict),
        simplest=bool(of_set and of_set.is_simplest(found)),
        best=found.is_best,
        of_ceiling=found.of_ceiling and found.of_ceiling.center,
        of_ceiling_interval=_level(found.of_ceiling),
        forks=_forks(found.forks),
        other_work_share=_level(found.compute.share if found.compute else None),
        evidence=_evidence(found),
        failures=(found.failure,) if found.failure else (),
    )


def _evidence(found: CaseReport) -> dict[str, float | None]:
    seen = dict(found.evidence.figures) if found.evidence else {}
    seen |= found.strategy.imported.figures if found.strategy.imported else {}
    seen["other_work_ns_per_op"] = found.compute.ns_per_op.center if found.compute else None
    return {name: _finite(seen.get(name)) for name in EXPORTED}


def _forks(found: Forks | None) -> contract.Forks:
    if found is None:
        return contract.Forks(n=0, looked_at=0, kinds={}, states=(), outliers=0)
    ratios = [1.0, found.states.ratio][: len(found.states.sizes)]
    return contract.Forks(
        n=found.count,
        looked_at=found.looked_at,
        kinds={str(kind): count for kind, count in found.kinds.items()},
        states=tuple(
            contract.State(forks=size, ratio=ratio)
            for size, ratio in zip(found.states.sizes, ratios, strict=True)
        ),
        outliers=found.states.outliers,
    )


def _published(cell: Cell, report: Report, iterations: dict[str, np.ndarray]) -> contract.Published:
    return _made(
        contract.Published,
        cell,
        params=cell.parameters,
        ns_per_op=cell.ns,
        measured=tuple(
            contract.MeasuredBeside(
                key=case.case.key,
                ns_per_op=_level(case.ns_per_op),
                error=None
                if (own := iterations.get(case.case.key)) is None
                else measured.printed_error(own, cell.unit),
                failure=case.failure,
            )
            for case in measured.measured_beside(cell, report)
        ),
    )


def _claim(judged: Judged, names: statements.Names) -> contract.Claim:
    here, own, coverage = judged.measured, judged.own, judged.coverage
    keys = dict.fromkeys(key for finding in here.findings for key in finding.keys)
    part = f"{statements.measured_part(coverage)}: " if coverage and coverage.partial else ""
    return _made(
        contract.Claim,
        *(judged, judged.claim),
        verdict=here.answer,
        by_runtime=dict(here.by_setting),
        because=part + statements.reason(here),
        in_short=part + statements.reason(here, names),
        decisive=_decisive(here),
        coverage=coverage and _made(contract.Coverage, coverage),
        in_its_own_data=own and own.answer,
        in_its_own_data_because=own and statements.reason(own),
        in_its_own_data_in_short=own and statements.reason(own, names),
        in_its_own_data_decisive=own and _decisive(own),
        published=tuple(map(_finding, own.findings)) if own else (),
        measured=tuple(map(_finding, here.findings)),
        evidence=tuple(keys),
    )


def _decisive(of: Verdict) -> contract.Finding | None:
    """The comparison that the verdict rests on first; None where no two cases were compared."""
    first = next(iter(of.findings), None)
    return _finding(first) if first and first.ratio else None


def _finding(found: Finding) -> contract.Finding:
    ratio = ratio_of(found.ratio)
    return _made(
        contract.Finding,
        found,
        group=found.group or None,
        runtime=found.setting,
        **{name: ratio[name] for name in ("ratio", "lo", "hi")},
        says=statements.finding(found),
    )


def _level(found: Interval | None) -> contract.Level:
    if found is None:
        return contract.Level()
    if found.lo <= 0 or math.isinf(found.hi):
        return contract.Level(center=_finite(found.center))
    return contract.Level(center=_finite(found.center), lo=found.lo, hi=found.hi)


def ratio_of(found: Comparison | None) -> dict[str, Any]:
    if found is None:
        return {"ratio": None, "lo": None, "hi": None, "outcome": None}
    return {
        "ratio": _finite(found.center),
        "lo": _finite(found.lo) if found.lo > 0 else None,
        "hi": _finite(found.hi),
        "outcome": found.outcome,
    }


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
