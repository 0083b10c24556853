"""Writes the records of a run: the only module that makes one, with a method for each kind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from iogauge.corpus.store import Corpus
from iogauge.measuring.observed import Observed, State
from iogauge.model.plan import Coordinates, ReplicateId
from iogauge.runfile.records import (
    Calibration,
    Canary,
    Caveat,
    CeilingSample,
    ComputeOnly,
    Counts,
    End,
    EndReason,
    Failure,
    Fork,
    Harness,
    Measured,
    Replicate,
    Round,
    Sample,
)
from iogauge.runfile.run import Run
from iogauge.runfile.writing import Writer
from iogauge.runners.live_fork import LiveFork
from iogauge.runners.wire import Spans


class Part(NamedTuple):
    """A part of a replicate, whose forks live together; most replicates have one."""

    replicate: ReplicateId
    number: int = 0


Where = Part | ReplicateId | None
"""Where in a run something happened; None before the first replicate."""


class Recorder:
    """Adds records to a run and to its file. `failed` are the cases that are not measured any
    more.
    """

    def __init__(self, run: Run, writer: Writer, corpus: Corpus):
        self.run = run
        self._writer, self._corpus = writer, corpus
        self.failed: set[int] = set(run.failed())

    def fork(self, live_fork: LiveFork, spec: int, part: Part) -> None:
        """A fork that was started, and what is known of its warm-up. `spec` is its index in the
        plan.
        """
        self._add(
            Fork(
                fork=live_fork.number,
                spec=spec,
                **_place(part),
                pid=live_fork.fork.pid,
                layout=live_fork.fork.layout,
                padding=live_fork.padding,
                flags=live_fork.flags,
                warm_up=dict(live_fork.warm_up),
                alone=dict(live_fork.levels),
                steady=dict(live_fork.steady),
            )
        )

    def calibration(
        self,
        case: int,
        *,
        operations: int,
        spans: int,
        prelude: int,
        ns_per_op: float,
        rounds: int,
    ) -> None:
        """How a case is sampled: `spans` of so many `operations` count, after `prelude` spans."""
        self._add(
            Calibration(
                case=case,
                operations=operations,
                spans=spans,
                prelude=prelude,
                ns_per_op=ns_per_op,
                rounds=rounds,
            )
        )

    def round(self, group: int, part: Part, number: int, canary: dict[str, int]) -> None:
        """A round of a group begins; `canary` is the ns that fixed work took just before."""
        self._add(Round(group=group, **_place(part), round=number, canary=Canary(**canary)))

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
        """A sample, of a case or of a candidate for the ceiling. The first `prelude` spans do not
        count. `untimed` operations came before it, if the protocol has any.
        """
        spans = seen.spans.after(prelude)
        bytes_per_operation = self.run.plan.cases[at.case].bytes_per_operation
        kind = CeilingSample if ceiling else Sample
        self._add(
            kind(
                case=at.case,
                group=at.group,
                fork=live_fork.number,
                **_place(Part(at.replicate, at.part)),
                round=at.round,
                position=at.position,
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

    def compute_only(
        self,
        cases: list[int],
        live_fork: LiveFork,
        part: Part,
        spans: Spans,
        *,
        strategy: str,
        parameters: dict[str, int],
        size: int,
    ) -> None:
        """The work of these cases that is not I/O, measured alone on `size` bytes in memory."""
        self._add(
            ComputeOnly(
                cases=cases,
                strategy=strategy,
                parameters=parameters,
                fork=live_fork.number,
                **_place(part),
                size=size,
                ns=spans.ns,
                operations=spans.operations,
            )
        )

    def harness(
        self,
        live_fork: LiveFork,
        part: Part,
        strategy: str,
        spans: Spans,
        evidence: Sequence[Counts],
    ) -> None:
        """The cost of an operation that does nothing, on the fork's runtime with its options, and
        what the process did in each of some requests for it.
        """
        self._add(
            Harness(
                runtime=live_fork.spec.runtime,
                options=list(live_fork.spec.options),
                strategy=strategy,
                fork=live_fork.number,
                **_place(part),
                ns=spans.ns,
                operations=spans.operations,
                evidence=list(evidence),
            )
        )

    def failure(self, case: int, reason: str, fork: int | None = None, where: Where = None) -> None:
        """A case that failed is not measured any more; only its first failure is recorded."""
        if case not in self.failed:
            self.failed.add(case)
            reason = self._corpus.nameless(reason)
            self._add(Failure(case=case, reason=reason, fork=fork, **_place(where)))

    def failures(self, cases: Iterable[int], reason: str, fork: int, where: Where) -> None:
        """Several cases failed for one reason."""
        for case in cases:
            self.failure(case, reason, fork, where)

    def caveat(self, about: str, text: str, where: Where = None) -> None:
        """A warning about the run (`run`), a group (its id) or a case (its key)."""
        self._add(Caveat(about=about, text=self._corpus.nameless(text), **_place(where)))

    def replicate(
        self,
        replicate: ReplicateId,
        groups: list[int],
        cases: list[int],
        *,
        seconds: float,
        elapsed: float,
    ) -> None:
        """A replicate is complete: it measured these cases of these groups."""
        self._add(
            Replicate(
                **_place(replicate),
                groups=groups,
                cases=cases,
                seconds=round(seconds, 3),
                elapsed=round(elapsed, 3),
            )
        )

    def end(self, reason: EndReason, seconds: float) -> None:
        """A session ends, after so many seconds over all sessions of the run."""
        self._add(End(reason=reason, seconds=round(seconds, 3)))

    def sync(self) -> None:
        """Have the records survive the machine. Never inside a replicate."""
        self._writer.sync()

    def _add(self, record: Measured) -> None:
        self._writer.append(record)
        self.run.add(record)


def _place(where: Where) -> dict[str, Any]:
    """The keys of a record that say where in the run it was made."""
    if where is None:
        return {}
    if isinstance(where, Part):
        return {**_place(where.replicate), "part": where.number}
    return {"bundle": where.bundle, "replicate": where.number, "attempt": where.attempt}
