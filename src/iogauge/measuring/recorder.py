"""Writes the records of a run, and says where in it something happened."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from iogauge.corpus.store import Corpus
from iogauge.measuring.observed import Observed, State
from iogauge.model.caveats import CaveatKind
from iogauge.model.plan import Coordinates, ReplicateId
from iogauge.runfile.records import (
    Caveat,
    CeilingSample,
    Failure,
    Fork,
    Measured,
    Sample,
    in_part,
    in_replicate,
)
from iogauge.runfile.records import at as keys_at
from iogauge.runfile.run import Run
from iogauge.runfile.writing import Writer
from iogauge.runners.live_fork import LiveFork


class Part(NamedTuple):
    """A part of a replicate, whose forks live together; most replicates have one."""

    replicate: ReplicateId
    number: int = 0


Where = Part | ReplicateId | None
"""Where in a run something happened; None before the first replicate."""


def keys_of(where: Where) -> dict[str, Any]:
    """The keys of a record that say where in the run it was made."""
    if isinstance(where, Part):
        return in_part(*where)
    return in_replicate(where) if where else {}


class Recorder:
    """Adds records to a run and its file. `failed` are the cases that are not measured any more."""

    def __init__(self, run: Run, writer: Writer, corpus: Corpus):
        self.run = run
        self._writer, self._corpus = writer, corpus
        self.failed: set[int] = set(run.failed())

    def add(self, record: Measured) -> None:
        self._writer.append(record)
        self.run.add(record)

    def sync(self) -> None:
        """Have the records survive the machine. Never inside a replicate."""
        self._writer.sync()

    def fork(self, live_fork: LiveFork, spec: int, part: Part) -> None:
        """A fork with its warm-up; `spec` is its index in the plan."""
        self.add(
            Fork(
                fork=live_fork.number,
                spec=spec,
                **keys_of(part),
                pid=live_fork.fork.pid,
                layout=live_fork.fork.layout,
                padding=live_fork.padding,
                flags=live_fork.flags,
                warm_up=dict(live_fork.warm_up),
                alone=dict(live_fork.levels),
                steady=dict(live_fork.steady),
                first_read=live_fork.first_read,
                opens=dict(live_fork.opens),
            )
        )

    def sample(
        self,
        at: Coordinates,
        live_fork: LiveFork,
        seen: Observed,
        state: State,
        *,
        prelude: int,
        void: str | None,
        ceiling: bool = False,
        untimed: int | None = None,
    ) -> None:
        """A sample without its first `prelude` spans; `untimed` operations came before it."""
        spans = seen.spans.after(prelude)
        bytes_per_operation = self.run.plan.cases[at.case].bytes_per_operation
        self.add(
            (CeilingSample if ceiling else Sample)(
                **keys_at(at),
                fork=live_fork.number,
                untimed=untimed,
                **state._asdict(),
                void=void,
                ns=spans.ns,
                operations=spans.operations,
                prelude_ns=seen.spans.ns[:prelude],
                bytes=bytes_per_operation * sum(spans.operations),
                count=spans.count,
                sum=spans.sum,
                counters=spans.counters,
                ended=round(seen.ended, 4),
                evidence=seen.evidence,
                machine=seen.machine,
                device=seen.device,
                in_flight_before=seen.in_flight_before,
                request_bytes=seen.request_bytes,
                reply_bytes=seen.reply_bytes,
            )
        )

    def failure(self, case: int, reason: str, fork: int | None = None, where: Where = None) -> None:
        """A case that failed is not measured any more; only its first failure is recorded."""
        if case not in self.failed:
            self.failed.add(case)
            reason = self._corpus.nameless(reason)
            self.add(Failure(case=case, reason=reason, fork=fork, **keys_of(where)))

    def failures(self, cases: Iterable[int], reason: str, fork: int, where: Where) -> None:
        """Several cases failed for one reason."""
        for case in cases:
            self.failure(case, reason, fork, where)

    def caveat(
        self, about: str, text: str, where: Where = None, *, kind: CaveatKind | None = None
    ) -> None:
        """A warning about the run (`run`), a group (its id) or a case (its key)."""
        text = self._corpus.nameless(text)
        self.add(Caveat(about=about, text=text, kind=kind, **keys_of(where)))
