"""What was measured, for programs and notebooks: the values of the JSON export as they are, and
frames of them. Nothing is computed here that the outputs do not show.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np

from iogauge.api import frames
from iogauge.api.frames import Kind
from iogauge.outputs import csv, differences, versions
from iogauge.outputs.contract import Case, Claim, Export, Group, Run, Span
from iogauge.outputs.document import Document
from iogauge.runfile.columns import COLUMNS, INDEXES
from iogauge.runfile.run import Run as RunFile

_MOST_TOLD = 8  # questions of a short text


class Cases(Sequence[Case]):
    """All cases of some exports, in their order; `to_frame` has a row for each."""

    def __init__(self, exports: Iterable[Export]):
        self._exports = tuple(exports)
        self._cases = [
            case for each in self._exports for group in each.groups for case in group.cases
        ]

    def __len__(self) -> int:
        return len(self._cases)

    @overload
    def __getitem__(self, at: int) -> Case: ...
    @overload
    def __getitem__(self, at: slice) -> list[Case]: ...
    def __getitem__(self, at: int | slice) -> Case | list[Case]:
        return self._cases[at]

    def __repr__(self) -> str:
        return f"<{len(self)} cases: .to_frame()>"

    def to_frame(self, frame: Kind | None = None) -> Any:
        """A row per case, of pandas or Polars. Names are those of the export, keys of what lies
        inside joined by `_`: `ns_per_op`, `ns_per_op_lo`, `vs_best_outcome`, `params_block`. What
        was not measured is missing. Raises UserError where neither library is there.
        """
        rows = (row for each in self._exports for row in csv.rows_of(each.plain()))
        return frames.made(
            frames.columns(
                [
                    {**row, **_more(case), **{f"params_{k}": v for k, v in case.params.items()}}
                    for row, case in zip(rows, self._cases, strict=True)
                ]
            ),
            frame,
        )


def _more(case: Case) -> dict[str, Any]:
    names = ("label", "display", "source", "cost", "note", "simplest")
    return {name: getattr(case, name) for name in names}


@dataclass(frozen=True, repr=False, eq=False)
class Results:
    """Runs, and what follows from them. `paths` are their files, one for each run.

    Everything has the names and units of the JSON export (docs/export-json.md): times are ns,
    sizes bytes, ratios time(case) / time(other), and None is what was not measured.
    """

    paths: tuple[Path, ...]
    _documents: tuple[Document, ...] = field(repr=False)

    @cached_property
    def exports(self) -> tuple[Export, ...]:
        """The export of each run."""
        return tuple(each.export for each in self._documents)

    @property
    def runs(self) -> tuple[Run, ...]:
        """Each run: its study, host, runtimes, whether it is complete."""
        return tuple(run for each in self.exports for run in each.runs)

    @property
    def groups(self) -> tuple[Group, ...]:
        """The questions of all runs, each with its answers, recommendations and cases."""
        return tuple(group for each in self.exports for group in each.groups)

    @cached_property
    def cases(self) -> Cases:
        """The cases of all groups: levels, ratios to the best, evidence, caveats, failures."""
        return Cases(self.exports)

    @property
    def spans(self) -> tuple[Span, ...]:
        """The same cases compared across groups."""
        return tuple(span for each in self.exports for span in each.spans)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The verdicts on what a publication claims."""
        return tuple(claim for each in self.exports for claim in each.claims)

    def samples(self, frame: Kind | None = None) -> Any:
        """A row per sample, of pandas or Polars, in the order in which they were taken. Names are
        those of the run file (docs/run-file.md); `group` and `key` say what was measured, `used`
        whether estimates rest on the sample, `void` why it does not count. Times are ns, and what
        was not counted is missing. Raises UserError where neither library is there.
        """
        parts = [_samples(each.run) for each in self._documents]
        whole = {
            name: _joined([each[name] for each in parts]) for name in (parts[0] if parts else ())
        }
        return frames.made(whole, frame)

    def document(self, run: int) -> Document:
        """What the export of a run is made from. Unlike that, it may change with each version."""
        return self._documents[run]

    def __repr__(self) -> str:
        """What was measured, and the answers, in a few lines."""
        return "\n".join(_told(self.exports)) or "<no runs>"

    def _repr_html_(self) -> str:
        from iogauge.outputs.html import notebook

        return notebook.render(self.exports)

    def _repr_markdown_(self) -> str:
        from iogauge.outputs import markdown

        return "\n\n".join(map(markdown.render, self._documents))


def _told(exports: Sequence[Export]) -> Iterator[str]:
    for export in exports:
        run = export.run
        cases = sum(len(group.cases) for group in export.groups)
        state = "" if run.complete else ", not finished"
        yield f"<iogauge run {run.id}: {len(export.groups)} groups, {cases} cases{state}>"
        if compared := versions.of_export(export):
            yield from (f"  {line.plain.rstrip()}" for line in differences.text(compared))
            continue
        for group in export.groups[:_MOST_TOLD]:
            yield f"  {group.title}"
            yield from (f"    {each}" for each in group.answers or ("no answer",))
        if more := len(export.groups) - _MOST_TOLD:
            yield from [f"  and {more} more in .groups"] if more > 0 else []


def _samples(run: RunFile) -> dict[str, Any]:
    """The columns of the samples of a run, each of shape (n,)."""
    found, plan = run.columns, run.plan
    of_case = [plan.cases[each] for each in found.case.tolist()]
    reasons = (None, *found.reasons)
    named = {
        "run": [run.header.id] * len(found),
        "group": [plan.groups[each].id for each in found.group.tolist()],
        "key": [each.key for each in of_case],
        "strategy": [each.strategy for each in of_case],
        "language": [each.language for each in of_case],
        "runtime": [each.runtime for each in of_case],
    }
    indexes = {name: found.arrays[name] for name in INDEXES if name not in ("case", "group")}
    with np.errstate(divide="ignore", invalid="ignore"):
        level = found.levels
    rest = {name: found.arrays[name] for name in COLUMNS if name not in INDEXES}
    verdict = {"used": run.used(), "void": [reasons[each] for each in found.void.tolist()]}
    return {**named, **indexes, "ns_per_op": level, **verdict, **rest}


def _joined(parts: Sequence[Any]) -> Any:
    if isinstance(parts[0], list):
        return [value for each in parts for value in each]
    return np.concatenate(parts)
