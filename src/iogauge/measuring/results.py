"""What functions of the user's return: two that are compared should return the same."""

from __future__ import annotations

from iogauge.measuring.cases import Cases
from iogauge.measuring.recorder import Part, Recorder
from iogauge.model.caveats import CaveatText
from iogauge.runners.wire import Spans


class Results:
    """Says once of each case that it returns something else than the first of its group."""

    def __init__(self, cases: Cases, recorder: Recorder):
        self._cases, self._recorder = cases, recorder
        self._first: dict[int, tuple[int, int]] = {}  # by group, the case and its result
        self._told: set[int] = set()

    def seen(self, group: int, case: int, spans: Spans, part: Part) -> None:
        """A sample of the case. Its sums stand for what was returned, or are None where nobody can
        tell whether two results are the same.
        """
        if self._cases.strategy(case).sums != "nothing" or not spans.sum:
            return
        whose, first = self._first.setdefault(group, (case, spans.sum[-1]))
        if spans.sum[-1] != first and case not in self._told:
            self._told.add(case)
            text, kind = self._unlike(case, whose)
            self._recorder.caveat(self._cases[case].key, text, part, kind=kind)

    def _unlike(self, case: int, first: int) -> CaveatText:
        this, other = self._cases[case], self._cases[first]
        if this.key == other.key:
            return CaveatText("it does not return the same each time", "changing-result")
        name = self._cases.strategy(first).known_as
        of = "" if this.setting == other.setting else f" of {other.setting}"
        return CaveatText(f"it returns something else than {name}{of}", "other-result")
