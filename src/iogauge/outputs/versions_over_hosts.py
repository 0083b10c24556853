"""Two versions on many hosts: the table of differences, with a row for each way, the ratio over
hosts, and on which of them it is slower; and the same as JSON.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from iogauge.analysis.versions_over_hosts import (
    WORST_FIRST,
    Said,
    VersionsOverHosts,
    WayOverHosts,
)
from iogauge.decision.comparison import Comparison, Outcome
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.decision.separate import FEWEST_BASES
from iogauge.decision.versions import GateKind, VersionKind
from iogauge.model.units import counted, share
from iogauge.outputs import headings, host_words
from iogauge.outputs import separate as of_separate
from iogauge.outputs.differences import Difference, Differences, Question

_SHORT = {"fails only in new": "fails", "fails in both": "fails in both"}
_BAD = ("slower", "faster")
_VERSION = 1


def of_versions(found: VersionsOverHosts) -> Differences:
    return Differences(
        found.old,
        found.new,
        tuple(
            Question(asked, tuple(_difference(found, each) for each in ways))
            for asked, ways in by_label(found).items()
        ),
        found.allowed,
        found.gate,
        tuple(_notes(found)),
        tuple(_before(found)),
        answer=_answer(found),
    )


def by_label(found: VersionsOverHosts) -> dict[str, list[WayOverHosts]]:
    """The ways by the words for what is asked of them, as `of_versions` has them."""
    ways: dict[str, list[WayOverHosts]] = {}
    for each in found.ways:
        ways.setdefault(_label(found, each), []).append(each)
    return ways


def _label(found: VersionsOverHosts, way: WayOverHosts) -> str:
    words = headings.label(way.asked)
    others = {each.asked.question for each in found.ways if headings.label(each.asked) == words}
    return f"{words}: {way.asked.question}" if len(others) > 1 else words


def _difference(found: VersionsOverHosts, way: WayOverHosts) -> Difference:
    ratio = way.ratio
    comparison = None
    if len(way.said) == 1:
        comparison = next(iter(way.said.values())).comparison
    elif ratio and ratio.hosts > 1:
        told = ratio.ratios
        outcome: Outcome = "slower" if told.lo > 1 else "faster" if told.hi < 1 else "undecided"
        comparison = Comparison(
            0, 0, told.center, told.lo, told.hi, FEWEST_REPLICATES, outcome, final=True
        )
    return Difference(
        way.name,
        way.kind,
        comparison,
        told=_verdict(found, way),
        details=tuple(_details(found, way)),
    )


def words_of(found: VersionsOverHosts, said: Said) -> str:
    """What one host says: by what is allowed, or without that by the interval alone."""
    if said.kind.startswith("fails"):
        return said.kind.replace("new", found.new).replace("old", found.old)
    if found.allowed is not None:
        return said.kind
    return said.comparison.outcome if said.comparison else "undecided"


def _worst(found: VersionsOverHosts, way: WayOverHosts) -> tuple[str, int]:
    """The worst of what hosts say, in a word, and how many say it."""
    words = {host: words_of(found, said) for host, said in way.said.items()}
    worst = next(host for host, said in way.said.items() if said.kind == way.kind)
    word = words[worst]
    if found.allowed is None and not way.kind.startswith("fails"):
        counts = Counter(words.values())
        word = next(each for each in ("slower", "faster", "undecided", "same") if counts[each])
    return _SHORT.get(way.kind, word), sum(each == word for each in words.values())


def _verdict(found: VersionsOverHosts, way: WayOverHosts) -> str:
    """`slower on 2 of 11 hosts`."""
    (word, count), total = _worst(found, way), len(way.said)
    if count == total:
        return f"{word} {host_words.on_all(total)}"
    return f"{word} on {count} of {counted(total, 'host')}"


def _in_short(found: VersionsOverHosts, way: WayOverHosts) -> str:
    """`slower on some host`, or `same` where all hosts say so."""
    word, count = _worst(found, way)
    return word if count == len(way.said) else f"{word} on some host"


def _details(found: VersionsOverHosts, way: WayOverHosts) -> Iterator[str]:
    """The hosts that differ from most others, by name, the worst first, and with which facts that
    goes.
    """
    by_word: dict[str, list[str]] = {}
    for kind in WORST_FIRST:
        for host, said in way.said.items():
            if said.kind == kind:
                by_word.setdefault(words_of(found, said), []).append(host)
    usual = max(by_word, key=lambda word: len(by_word[word]))
    for word, names in by_word.items():
        few = 1 < len(way.said) < host_words.FEW
        if few or word != usual or (word in _BAD and len(by_word) > 1):
            yield f"{word}: {host_words.names(_with_bounds(way, names))}"
        needed = [way.said[each].budget for each in names] if word == "undecided" else []
        if more := host_words.more_time(needed):
            yield f"undecided: {more}"
    yield from dict.fromkeys(said.failure for said in way.said.values() if said.failure)
    if way.ratio and not host_words.is_anything(way.ratio):
        yield host_words.next_host(way.ratio)
    for each in way.goes_with:
        yield host_words.goes_with(each)


def _with_bounds(way: WayOverHosts, names: Sequence[str]) -> list[str]:
    told = []
    for host in names:
        one = Difference("", way.said[host].kind, way.said[host].comparison)
        told.append(f"{host} ({one.bounds})" if one.is_known else host)
    return told


def _answer(found: VersionsOverHosts) -> str:
    """The answer to the whole, in one line."""
    ways = counted(len(found.ways), "way")
    where = f"on {counted(len(found.hosts), 'host')}"
    if found.gate is None or found.allowed is None:
        told = Counter(_in_short(found, each) for each in found.ways)
        parts = [f"{number} {word}" for word, number in told.items()]
        return f"{found.new} against {found.old} {where}, {ways}: {', '.join(parts)}"
    slower = f"{'over ' + share(found.allowed) + ' ' if found.allowed else ''}slower"
    of: dict[GateKind, tuple[VersionKind, ...]] = {
        "slower": ("slower", "fails only in new"),
        "failed": ("fails in both",),
        "undecided": ("undecided",),
        "not slower": (),
    }
    kinds = of[found.gate]
    hit = [each for each in found.ways if any(s.kind in kinds for s in each.said.values())]
    there = dict.fromkeys(
        host for each in hit for host, said in each.said.items() if said.kind in kinds
    )
    on = f"on {host_words.names(there)}" if len(there) < len(found.hosts) else where
    count = f"{len(hit)} of {ways}"
    match found.gate:
        case "slower":
            fail_only = all(each.kind != "slower" for each in hit)
            word = f"fails only in {found.new}" if fail_only else f"is surely {slower}"
            return f"{'FAILS' if fail_only else 'SLOWER'}: {count} {word} {on}"
        case "failed":
            return f"FAILED: {count} fails in both {on}, so nothing can be said"
        case "undecided":
            if not hit:
                return f"UNDECIDED: something is missing; of what is here none is surely {slower}"
            return f"UNDECIDED: {count} may be {slower} {on}, or not"
    return f"NOT SLOWER: surely none of {ways} is {slower}, {where}"


def _before(found: VersionsOverHosts) -> Iterator[str]:
    """Which hosts are compared, and what differs between the runs of a host."""
    if not found.compared:
        return
    yield f"The new runs of {counted(len(found.hosts), 'host')}, each with those of the base there"
    for line in found.missing:
        yield f"missing: {line}"
    for side, others in (("base", found.only_base), ("new runs", found.only_new)):
        if others:
            yield f"only in the {side}, so not compared: {host_words.names(others)}"
    if found.nothing:
        yield (
            f"nothing in common, or fewer than {FEWEST_REPLICATES} repeats in the base: "
            f"{host_words.names(found.nothing)}"
        )
    lines: dict[str, list[str]] = {}
    for each in found.compared:
        for line in map(of_separate.difference, each.differs):
            lines.setdefault(line, []).append(each.host)
    if lines:
        yield "What differs between the runs:"
    for line, names in lines.items():
        there = dict.fromkeys(names)
        where = "" if len(there) == len(found.hosts) else f" (on {host_words.names(there)})"
        yield f"  {line}{where}"


def _notes(found: VersionsOverHosts) -> Iterator[str]:
    if len(found.hosts) > 1:
        yield (
            "The ratios are means over hosts (a random-effects model). Each host decides by "
            "itself; the risk of a false alarm is that of all hosts together."
        )
    if not found.compared:
        return
    few = [each.host for each in found.compared if each.bases < FEWEST_BASES]
    if few:
        there = dict.fromkeys(few)
        where = "on any host" if len(there) == len(found.hosts) else f"on {host_words.names(there)}"
        yield (
            f"One base run does not show how much runs differ, so nothing is decided {where}: give "
            "three base runs."
        )
    if gone := max(each.gone for each in found.compared):
        yield f"Up to {counted(gone, 'way')} of the base of a host not in its new run."
    if too_few := max(each.few for each in found.compared):
        yield (
            f"Up to {counted(too_few, 'way')} of a host not compared: the base has fewer than "
            f"{FEWEST_REPLICATES} repeats, because a run stops measuring what is far behind."
        )


def as_json(found: VersionsOverHosts, shown: Differences) -> dict[str, Any]:
    """docs/export-json.md has the keys."""
    told = [(q.label, each) for q in shown.questions for each in q.differences]
    ordered = [each for ways in by_label(found).values() for each in ways]
    return {
        "iogauge_compare_hosts": _VERSION,
        "hosts": [*found.hosts],
        "only_base": [*found.only_base],
        "only_new": [*found.only_new],
        "nothing_in_common": [*found.nothing],
        "missing": [*found.missing],
        "allowed": found.allowed,
        "verdict": found.gate,
        "headline": shown.headline,
        "ways": [
            _way(found, asked, one, each) for (asked, one), each in zip(told, ordered, strict=True)
        ],
        "notes": [*shown.notes],
    }


def _way(
    found: VersionsOverHosts, asked: str, one: Difference, way: WayOverHosts
) -> dict[str, Any]:
    ratio = way.ratio.ratios if way.ratio else None
    return {
        "group": way.asked.id,
        "question": asked,
        "way": one.way,
        "verdict": way.kind,
        "says": one.told,
        "ratio": finite(ratio.center) if ratio else None,
        "lo": finite(ratio.lo) if ratio else None,
        "hi": finite(ratio.hi) if ratio else None,
        "next_lo": finite(ratio.next_lo) if ratio else None,
        "next_hi": finite(ratio.next_hi) if ratio else None,
        "hosts": {host: _of_host(found, said) for host, said in way.said.items()},
    }


def _of_host(found: VersionsOverHosts, said: Said) -> dict[str, Any]:
    known = said.comparison
    return {
        "verdict": said.kind,
        "says": words_of(found, said),
        "ratio": finite(known.center) if known else None,
        "lo": finite(known.lo) if known else None,
        "hi": finite(known.hi) if known else None,
        "failure": said.failure or None,
    }


def finite(value: float) -> float | None:
    """None of what is not known: infinite, or 0 as a ratio."""
    return value if math.isfinite(value) and value > 0 else None
