"""What the folios of a cached file do to a mapping of it: how it compares here, and how it did in
folios of another kind.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from iogauge.advice.reasons import of_folios
from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport
from iogauge.analysis.report import Report
from iogauge.analysis.spans import SpanReport
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.host.folios import Kind, kind


@dataclass(frozen=True)
class MappingHere:
    """Of a cached file of the user's: in the folios that it lies in a mapping is `fast`, the best
    way, or else surely slower than the best; and `why`, a sentence or two. `languages` are those of
    which that is known, by their sets; none where it is known of all that were compared.
    """

    fast: bool
    why: str
    languages: tuple[str, ...] = ()


@dataclass(frozen=True)
class InOtherFolios:
    """What a mapping took in folios of another kind, times its time in such as the file lies in:
    of a stored run, on a file of so many bytes.
    """

    language: str
    kind: Kind
    ratio: float
    size: int


def kind_of(folio_bytes: int) -> Kind:
    """The kind of folios, half of the bytes in ones of this size or smaller."""
    return kind({folio_bytes: 1})


def here(group: GroupReport) -> MappingHere | None:
    """Whether the folios in which its file lay decide between a mapping and other ways: small ones
    where it is slow, large ones where it is surely good enough. None where it is neither, or nobody
    saw them.
    """
    folio_bytes = group.folio_bytes
    if folio_bytes is None or not group.has_verdicts or group.replicates < FEWEST_REPLICATES:
        return None
    is_large, compared, known = kind_of(folio_bytes) == "large", list[str](), list[str]()
    for name, answer in group.answers.items():
        mapped = [each for each in answer.members if each.strategy.reads_mapped]
        if not mapped or len(mapped) == len(answer.members):
            continue
        compared.append(name)
        slow = all(each in answer.surely_slower for each in mapped)
        if answer.recommended in mapped if is_large else slow:
            known.append(name)
    if not known:
        return None
    return MappingHere(is_large, of_folios(folio_bytes), () if known == compared else tuple(known))


def in_other_folios(
    report: Report, languages: Iterable[str], folio_bytes: int
) -> InOtherFolios | None:
    """What a run tells that measured a mapping in several states: of the first of the languages
    that it has. The time is that in large folios, or in small ones where the file lies in large.
    """
    of_kind = kind_of(folio_bytes)
    wanted: Kind = "small" if of_kind == "large" else "large"
    for language in languages:
        for span in report.spans:
            if span.along != "cached_by":
                continue
            ratio = _ratio(span, language, of_kind, wanted)
            if ratio is not None:
                size = span.groups[0].workload.size
                return InOtherFolios(language, wanted, ratio, size)
    return None


def _ratio(span: SpanReport, language: str, of: Kind, to: Kind) -> float | None:
    """By how much the time of a mapping changes from one kind of folios to the other."""
    times: dict[Kind, dict[str, float]] = {}
    for group in span.groups:
        if group.folio_bytes is None or group.workload.accesses or not group.has_verdicts:
            continue
        if group.replicates < FEWEST_REPLICATES or group.workload.content == "sparse":
            continue  # it says too little of files with data
        found = times.setdefault(kind_of(group.folio_bytes), {})
        for case in group.cases:
            if case.case.language == language and case.strategy.reads_mapped and case.ns_per_op:
                found.setdefault(_way(case), case.ns_per_op.center)
    both = times.get(of, {}).keys() & times.get(to, {}).keys()
    way = min(both, key=lambda each: times[to][each], default=None)
    ratio = 1.0 if way is None else times[to][way] / times[of][way]
    # So little may be noise: the two were not compared repeat by repeat.
    return None if abs(math.log(ratio)) <= math.log1p(span.tolerance) else ratio


def _way(case: CaseReport) -> str:
    return f"{case.case.variant} {case.case.setting}"
