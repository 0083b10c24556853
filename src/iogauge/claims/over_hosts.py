"""The claims of a study, judged on many hosts, each by itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from iogauge.claims.findings import Answer
from iogauge.claims.scoring import Judged
from iogauge.study.schema import Claim, Study

_FIRST: tuple[Answer, ...] = ("holds", "refuted", "undecided", "answered", "not-testable")


@dataclass(frozen=True)
class ClaimOverHosts:
    """A claim, and how it is judged on each host."""

    claim: Claim
    judged: Mapping[str, Judged]

    @cached_property
    def hosts(self) -> Mapping[Answer, list[str]]:
        """The hosts by what they answer: what holds first, then what is refuted."""
        found: dict[Answer, list[str]] = {}
        for answer in _FIRST:
            hosts = [host for host, each in self.judged.items() if each.measured.answer == answer]
            if hosts:
                found[answer] = hosts
        return found


class OnHost(NamedTuple):
    """The claims of a study, judged on one host."""

    host: str
    study: Study
    judged: tuple[Judged, ...]


@dataclass(frozen=True)
class StudyOverHosts:
    """A study on some hosts, and its claims over them."""

    study: Study
    hosts: tuple[str, ...]
    claims: tuple[ClaimOverHosts, ...]


def of_hosts(found: Iterable[OnHost]) -> list[StudyOverHosts]:
    """By study, in the order in which they come. Of a claim, what is said is that of the first."""
    studies: dict[str, list[OnHost]] = {}
    for each in found:
        studies.setdefault(each.study.id, []).append(each)
    return [
        StudyOverHosts(of[0].study, tuple(each.host for each in of), tuple(_claims(of)))
        for of in studies.values()
    ]


def _claims(of: Iterable[OnHost]) -> Iterable[ClaimOverHosts]:
    claims: dict[str, dict[str, Judged]] = {}
    for host, _, found in of:
        for judged in found:
            claims.setdefault(judged.claim.id, {})[host] = judged
    for judged_on in claims.values():
        yield ClaimOverHosts(next(iter(judged_on.values())).claim, judged_on)
