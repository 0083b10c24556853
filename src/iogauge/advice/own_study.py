"""A study of the user's own ways to read a file, beside the ways of the same language."""

from __future__ import annotations

from collections.abc import Sequence

from iogauge.advice.file_study import FEW, chosen, group, head, rows, simplest_of_each
from iogauge.advice.wanted import SUMS_OF
from iogauge.model.strategy import Strategy
from iogauge.model.workload import Cache, Consume

_QUESTIONS = {
    "byte": "How does your code compare with other ways to read this file?",
    "char": "How does your code compare with other ways to read this text?",
    "line": "How does your code compare with other ways to read its lines?",
}
_UNTOLD = "Which of your functions is fastest on this file?"
_VERSIONS = "Which version of your function is fastest on this file?"
_UNTOLD_ALONE = "How long does your function take on this file?"


def own_study(
    own: Sequence[Strategy],
    others: Sequence[Strategy],
    length: int,
    caches: Sequence[Cache],
    budget: float,
    *,
    is_text: bool,
    has_lines: bool,
    versions: bool = False,
) -> str | None:
    """A study as TOML, for `budget` seconds: the file of `length` bytes, read in each state of the
    cache by the user's `own` ways, and of the `others` by the simplest of each language and the one
    that is likely the fastest. Several `versions` of `own` code need no others. Functions that
    return a result are compared with each other only. None where no way can read the file.
    """
    groups = []
    untold = [each for each in own if not each.is_checked]
    if untold:
        question = _UNTOLD if len(untold) > 1 else _VERSIONS if versions else _UNTOLD_ALONE
        found = _named(untold, length)
        groups.append(group("untold", question, length, caches, found, "none"))
    for unit, sums in SUMS_OF.items():
        mine = [each for each in own if each.sums in sums]
        if not mine or (unit == "char" and not is_text) or (unit == "line" and not has_lines):
            continue
        languages = {each.language for each in mine}
        able = [each for each in others if each.sums in sums]
        rivals = [each for each in able if each.language in languages] or able
        found = _named([*_rivals(rivals), *mine], length)
        consume: Consume = "touch" if unit == "byte" else "sum"
        groups.append(group(unit, _QUESTIONS[unit], length, caches, found, consume))
    return "\n".join([*head("How your code reads a file", budget), *groups]) if groups else None


def _named(ways: Sequence[Strategy], length: int) -> list[str]:
    """The cases of a group; what takes blocks takes those of one size."""
    block = next((each for each in FEW if each <= length), FEW[0])
    pieces = [each.parameter("piece") for each in ways]
    return rows(
        (each.name, f"{piece} = {block}" if piece else "")
        for each, piece in zip(ways, pieces, strict=True)
    )


def _rivals(strategies: Sequence[Strategy]) -> list[Strategy]:
    languages = dict.fromkeys(each.language for each in strategies)
    simplest = simplest_of_each(strategies)
    return [
        each
        for language in languages
        for each in chosen([one for one in simplest if one.language == language], two_ways=True)
    ]
