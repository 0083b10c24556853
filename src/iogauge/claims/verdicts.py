"""The verdict on a claim.

A claim is about all cases that its tests name. It holds if every comparison agrees. It is refuted
if one comparison surely contradicts it. Otherwise it is undecided. So a comparison that refutes
gets its share of the error (Bonferroni), and one that agrees may use the whole error: a claim that
is wrong somewhere passes no more often than a single comparison errs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from iogauge.claims.comparable import Comparable, in_groups, matches
from iogauge.claims.findings import ORDER, Answer, Finding, combined
from iogauge.claims.kinds import KINDS, compares
from iogauge.study.schema import Claim, ClaimTest


@dataclass(frozen=True)
class Tested:
    """A test with its findings."""

    test: ClaimTest
    findings: list[Finding]

    @property
    def answer(self) -> Answer:
        """The one that the findings give together."""
        answer = combined(each.answer for each in self.findings)
        agreeing = {
            entry.runtime
            for each in self.findings
            for entry in each.cases[:1]
            if entry.runtime and each.answer == "holds"
        }
        enough = self.test.runtimes == 1 or len(agreeing) >= self.test.runtimes
        return answer if answer != "holds" or enough else "not-testable"

    @property
    def alike(self) -> list[Finding]:
        """The findings that have this answer."""
        return [each for each in self.findings if each.answer == self.answer]

    @property
    def incomplete(self) -> bool:
        """Whether the claim cannot hold because of this test."""
        answers = {self.answer, *(each.answer for each in self.findings)}
        return compares(self.test) and "not-testable" in answers


@dataclass(frozen=True)
class Verdict:
    """The answer to one claim, from one source of numbers.

    `findings` are all comparisons that it rests on, the decisive ones first. `deciding` is the test
    that the first of them belongs to. `incomplete` counts the tests that keep the claim from
    holding: they found nothing to compare, missed some comparisons, or had too few runtimes.
    `on_failures` are the tests of failures, where a test of another kind decides.
    """

    answer: Answer
    findings: tuple[Finding, ...]
    incomplete: int = 0
    deciding: ClaimTest | None = None
    on_failures: tuple[Tested, ...] = ()

    @property
    def by_setting(self) -> dict[str, Answer]:
        """The answer for each runtime with its options; empty for published numbers."""
        found: dict[str, list[Answer]] = {}
        for each in self.findings:
            if each.setting:
                found.setdefault(each.setting, []).append(each.answer)
        return {setting: combined(some) for setting, some in found.items()}


def verdict(claim: Claim, comparables: list[Comparable], groups: set[str]) -> Verdict:
    """What these cases say of a claim.

    `groups` are the ids of all groups that the source has, measured or not. Tests about other
    groups are ignored. The decisive findings come first, and among them the one that says most.
    """
    tests = [test for test in claim.test if any(matches(each, test.groups) for each in groups)]
    number = max(1, asks(tests, comparables))
    sharing = [replace(each, comparisons=number) for each in comparables]
    tested = [Tested(test, _findings(test, sharing)) for test in tests]
    answer = combined(each.answer for each in tested)
    deciding = next((each.test for each in tested if each.answer == answer), None)
    incomplete = sum(each.incomplete for each in tested)
    if incomplete and answer in ("holds", "answered"):
        answer = "undecided" if answer == "holds" else "not-testable"
    said = [(each.test, finding) for each in tested for finding in each.findings]
    said.sort(
        key=lambda each: (each[1].answer != answer, ORDER.index(each[1].answer), -each[1].weight)
    )
    if said and said[0][1].answer == answer:
        deciding = said[0][0]
    failures = [each for each in tested if each.test.kind == "fails-with" and each.findings]
    return Verdict(
        answer,
        tuple(finding for _, finding in said),
        incomplete if answer == "undecided" else 0,
        deciding,
        tuple(failures) if deciding and deciding.kind != "fails-with" else (),
    )


def asks(tests: list[ClaimTest], comparables: list[Comparable]) -> int:
    """How many comparisons these tests ask for."""
    asked: list[tuple[int, ...]] = []
    counting = [replace(each, of_pair=lambda *pair: asked.append(pair)) for each in comparables]
    for test in tests:
        _findings(test, counting)
    return len(asked)


def _findings(test: ClaimTest, comparables: list[Comparable]) -> list[Finding]:
    """All findings of a test. `other` and `elsewhere` name groups beyond those of the test."""
    beyond = test.other or test.elsewhere
    among = comparables if beyond else in_groups(comparables, test.groups)
    return list(KINDS[test.kind](test, among))
