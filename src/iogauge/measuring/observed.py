"""What is observed around the spans of a sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from iogauge.corpus.written import WrittenFiles
from iogauge.host import pagecache
from iogauge.host.device import Device
from iogauge.host.evidence import MachineCounters
from iogauge.host.pauses import RUNNING
from iogauge.model.figures import LEVELS, NOT_OF_CHILDREN
from iogauge.model.units import duration
from iogauge.runners.live_fork import Failure, LiveFork
from iogauge.runners.task import Task
from iogauge.runners.wire import Spans


class State(NamedTuple):
    """The state in which a sample began (docs/run-file.md, `sample`)."""

    resident_before: float | None
    dirty_before: int | None
    file_before: int | None
    recached: int = 0
    folio_bytes: int | None = None


@dataclass(frozen=True)
class Observed:
    """A reply to `sample` with what was observed (docs/run-file.md); `ended` is in seconds. `said`
    has the bytes that the process wrote to its output, `paused` the seconds for which the machine,
    or iogauge, stood still meanwhile; None where they did not.
    """

    spans: Spans
    evidence: dict[str, Any]
    machine: dict[str, int | None] | None
    device: dict[str, int | None] | None
    in_flight_before: int | None
    ended: float
    request_bytes: int
    reply_bytes: int
    said: int = 0
    paused: float | None = None

    @property
    def stood_still(self) -> str | None:
        """That its time is not its own; None where it is."""
        if self.paused is None:
            return None
        return f"the machine, or iogauge, stood still for {duration(self.paused)} meanwhile"


class Observer:
    """Takes samples with their evidence. `elapsed` gives the seconds since the run began."""

    def __init__(self, device: Device, machine: MachineCounters, elapsed: Callable[[], float]):
        self._device, self._machine, self._elapsed = device, machine, elapsed

    def observe(
        self,
        live_fork: LiveFork,
        work: Task,
        operations: int,
        count: int,
        where: list[str],
        sent: Callable[[], None] | None = None,
    ) -> Observed:
        """`count` spans of an open task and their evidence; `sent` is called when the fork has the
        request. Raises what LiveFork.sample raises.
        """
        fork, stood_still = live_fork.fork, RUNNING.stood_still
        device, said = self._device.read(), fork.said.count
        before = fork.counters.read()
        machine = self._machine.read()
        spans = live_fork.sample(work, operations, count, where, sent)
        around = self._machine.since(machine)
        evidence = fork.counters.since(before)
        if work.strategy.command:
            evidence |= dict.fromkeys(NOT_OF_CHILDREN)
        busy = self._device.since(device)
        if not all(spans.ns):
            raise Failure("it reports that the operations took no time")
        return Observed(
            spans=spans,
            evidence=evidence,
            machine=around,
            device=busy,
            in_flight_before=device["in_flight"] if device else None,
            ended=self._elapsed(),
            request_bytes=fork.request_bytes,
            reply_bytes=fork.reply_bytes,
            said=fork.said.count - said,
            paused=RUNNING.since(stood_still),
        )

    def canary(self) -> dict[str, int]:
        """How long two pieces of fixed work take now, in ns."""
        return self._machine.canary()


def joined(requests: Sequence[Observed]) -> Observed:
    """Several requests as one: the evidence is without the reads and writes of the others."""
    first, last, others = requests[0], requests[-1], requests[:-1]
    evidence = _summed([seen.evidence for seen in requests])
    for name, own in (
        ("syscr", len(others)),
        ("syscw", len(others)),
        ("rchar", sum(seen.request_bytes for seen in others)),
        ("wchar", sum(seen.reply_bytes for seen in others)),
    ):
        if evidence[name] is not None:
            evidence[name] -= own
    return replace(
        last,
        spans=Spans.joined([seen.spans for seen in requests]),
        evidence=evidence,
        machine=_summed([seen.machine for seen in requests]),
        device=_summed([seen.device for seen in requests]),
        in_flight_before=first.in_flight_before,
        said=sum(seen.said for seen in requests),
        paused=sum(seen.paused or 0.0 for seen in requests) or None,
    )


def dirty_pages(files: WrittenFiles | None) -> int | None:
    """Dirty pages of the files that a sample continues; None where the kernel does not say."""
    if pagecache.WHY_NOT:
        return None
    seen = [pagecache.observe(path).dirty for path in files.existing] if files else []
    return None if None in seen else sum(each for each in seen if each)


def _summed(looks: Sequence[dict[str, Any] | None]) -> Any:
    """Sums; of peaks and of running threads the largest. None where one is not known."""
    known = [look for look in looks if look is not None]
    if len(known) < len(looks):
        return None
    summed: dict[str, Any] = {}
    for name in known[0]:
        values = [look[name] for look in known]
        largest = name in (*LEVELS, "running")
        summed[name] = None if None in values else max(values) if largest else sum(values)
    return summed
