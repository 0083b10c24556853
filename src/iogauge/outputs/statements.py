"""Findings and verdicts as text: exactly, by variants and groups, or in the words of readers."""

from __future__ import annotations

import math
from collections.abc import Callable

from iogauge.claims.findings import Answer, Figure, Finding, Lacking, Remark, Tried
from iogauge.claims.scoring import Coverage
from iogauge.claims.verdicts import Tested, Verdict
from iogauge.decision.comparison import Comparison
from iogauge.model.figures import in_unit
from iogauge.model.ratios import bounds, ratio
from iogauge.model.units import significant

Names = Callable[[str, str], str]
"""What readers call a variant in a group. Without it, texts name variants and groups exactly."""

_SAID: dict[Answer, str] = {
    "holds": "say so",
    "refuted": "speak against it",
    "undecided": "are undecided",
    "not-testable": "cannot be had",
}
"""What so many comparisons say, by their answer."""


def reason(of: Verdict, names: Names | None = None) -> str:
    """The decisive finding in words, and how many others agree with it."""
    if not of.findings:
        return "nothing that it names was measured"
    in_words = [finding(each, names) for each in of.findings if each.answer == "answered"]
    compared = len(of.findings) - len(in_words)
    if not compared:
        return "; ".join(in_words)
    text = finding(of.findings[0], names) + _how_many(of, compared)
    if of.incomplete:
        number = of.incomplete if of.incomplete > 1 else "one"
        lacking = next((each for each in of.findings[1:] if each.answer == "not-testable"), None)
        missing = f" ({finding(lacking, names)})" if lacking else ""
        text += f"; {number} of its tests could not be carried out as a whole{missing}"
    if of.answer == "not-testable" and "holds" in {each.answer for each in of.findings}:
        text += "; it takes more runtimes to say so"
    return "; ".join([text, *(_of_failing(each, names) for each in of.on_failures), *in_words])


def measured_part(of: Coverage) -> str:
    """`1 of 10 sizes measured`."""
    return f"{of.measured} of {of.asked} {of.what} measured"


def finding(of: Finding, names: Names | None = None) -> str:
    """One comparison, or one case, in words."""
    case = _name(of.group, of.case or "", names)
    match of.seen:
        case Comparison() as found:
            if names:
                text = _as_long(of, found, names)
            else:  # `g: x/a takes 1.57 times (1.42–1.74) the time of x/b on jvm-17.0.15`
                case, reference, where = _both(of, None)
                takes = f"takes {times(found)} the time of {reference}"
                text = f"{of.group}: {case} {takes}{where}"
            beside = of.beside and of.beside.ratio
            if not of.beside or not beside:
                return text
            return f"{text}, in the other pair{_which(of, of.beside, names)} {times(beside)}"
        case Lacking(group, cases, why):
            where = f"{group}: " if group and not names else ""
            return f"{where}{' and '.join(_name(of.group, each, names) for each in cases)}: {why}"
        case Tried(failure, elsewhere):
            where = f" in {of.group}" if elsewhere and not names else ""
            return f"{case}{where}: {failure or ('works' if elsewhere else 'does not fail')}"
        case Figure(metric, value):
            return f"{case}: {in_unit(metric, value)} {metric.replace('_', ' ')}"
        case Remark(text):
            return text


def times(found: Comparison) -> str:
    """`1.57 times (1.42–1.74)`; `4.30 times (at least 2.00)`; `7.50 times (not known how sure)`."""
    return f"{significant(found.center)} times ({bounds(found.lo, found.hi, significant)})"


def _how_many(of: Verdict, compared: int) -> str:
    """How many of the comparisons have the same answer as the first."""
    if compared <= 1:
        return ""
    answer = of.findings[0].answer
    alike = sum(each.answer == answer for each in of.findings)
    if alike >= compared:
        return f" (all {compared} comparisons)"
    return f" ({alike} of {compared} comparisons {_SAID[answer]})"


def _of_failing(of: Tested, names: Names | None) -> str:
    text, alike = f"of failing, {of.answer}", of.alike
    if not alike:
        return text
    agree = f"({len(alike)} of {len(of.findings)} {_SAID[of.answer]})"
    return f"{text}: {finding(alike[0], names)} {agree}"


def _name(group: str, variant: str, names: Names | None) -> str:
    return names(group, variant) if names else variant


def _as_long(of: Finding, found: Comparison, names: Names) -> str:
    """`A takes 2 to 3.3 times as long as B on jvm-17.0.15`, whichever of the two is the slower."""
    case, reference, where = _both(of, names)
    center, lo, hi = found.center, found.lo, found.hi
    known = lo > 0 or math.isfinite(hi)
    if hi < 1 or (not known and center < 1):
        case, reference = reference, case
        center, lo, hi = 1 / center, 1 / hi, 1 / lo if lo > 0 else math.inf
    if not known:
        where, many = f", not known how sure{where and f',{where}'}", f"about {ratio(center)}"
    elif math.isinf(hi):
        many = f"at least {ratio(lo)}"
    else:
        many = f"{ratio(lo)} to {ratio(hi)}" if lo > 0 else f"at most {ratio(hi)}"
    return f"{case} takes {many} times as long as {reference}{where}"


def _both(of: Finding, names: Names | None) -> tuple[str, str, str]:
    """Case and reference, and the runtime that they share; where they do not, each has its own."""
    settings = {each.setting for each in of.cases}
    several = len(settings) > 1
    first, second = (
        _name(of.group, each.variant, names)
        + (f" on {each.setting}" if several and each.setting else "")
        for each in of.cases
    )
    return first, second, f" on {of.setting}" if of.setting and not several else ""


def _which(of: Finding, beside: Finding, names: Names | None) -> str:
    """What tells the other pair from this one."""
    if beside.group != of.group:
        return "" if names else f" ({beside.group})"
    return f" ({' and '.join(_name(of.group, each.variant, names) for each in beside.cases)})"
