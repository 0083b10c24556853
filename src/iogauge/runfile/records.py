"""The records of a run file: one class for each kind of line after the header, and the lines that
hold them.

A line is the JSON of one record; its key `record` names the kind. `docs/run-file.md` describes the
fields. Times are in ns where the name says so, else in seconds; sizes are in bytes; `case`,
`group`, `bundle` and `spec` are indexes into the plan.

A line says where something was measured by the flat keys `bundle`, `replicate`, `attempt` and
`part`. Code that makes a record spreads them from `in_replicate`, `in_part` or `at`; code that
reads one takes `replicate_id` and `coordinates`.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, get_args

import msgspec

from iogauge.model.plan import Coordinates, ReplicateId
from iogauge.model.text import all_visible, may_hide
from iogauge.runfile.format6 import renamed

MOST_INDEX, MOST_BYTES = (1 << 31) - 1, 1 << 53
Index = Annotated[int, msgspec.Meta(ge=0, le=MOST_INDEX)]
Bytes = Annotated[int, msgspec.Meta(ge=0, le=MOST_BYTES)]
Counts = Mapping[str, int | None]
"""What was counted, by the name of the counter; None for what its source does not tell."""
EndReason = Literal["decided", "budget", "interrupted"]
Phase = Literal["starting", "alone", "caching", "sampling", "compute_only", "harness", "ceilings"]
"""What the time of a replicate goes into. `starting` includes warming up, and `sampling` all that
surrounds a sample. What is left is ending forks.
"""


def in_replicate(replicate: ReplicateId) -> dict[str, Any]:
    """The flat keys of a record that concerns this replicate: `Replicate(**in_replicate(…), …)`."""
    bundle, number, attempt = replicate
    return {"bundle": bundle, "replicate": number, "attempt": attempt}


def in_part(replicate: ReplicateId, part: int) -> dict[str, Any]:
    """The flat keys of a record of this part of a replicate: `Fork(**in_part(…), …)`."""
    return {**in_replicate(replicate), "part": part}


def at(where: Coordinates) -> dict[str, Any]:
    """The flat keys of a sample: `Sample(**at(…), …)`."""
    flat = where._asdict()
    return in_part(flat.pop("replicate"), flat.pop("part")) | flat


class _Record(msgspec.Struct, tag_field="record", gc=False, omit_defaults=True):
    """Fields with a default are left out of the line where they have it."""


class _InReplicate(_Record, kw_only=True):
    bundle: Index
    replicate: Index
    attempt: Index

    @property
    def replicate_id(self) -> ReplicateId:
        return ReplicateId(self.bundle, self.replicate, self.attempt)


class _InPart(_InReplicate, kw_only=True):
    part: Index


class _MaybeInPart(_Record, kw_only=True):
    """Of a record that may be made outside of all replicates: then these are None."""

    bundle: int | None = None
    replicate: int | None = None
    attempt: int | None = None
    part: int | None = None

    @property
    def replicate_id(self) -> ReplicateId | None:
        """The replicate in which it was noted; None outside of all."""
        if self.bundle is None or self.replicate is None or self.attempt is None:
            return None
        return ReplicateId(self.bundle, self.replicate, self.attempt)


def _level(ns: Sequence[float], operations: list[int]) -> float:
    """The median over spans."""
    return statistics.median(each / done for each, done in zip(ns, operations, strict=True))


class Fork(_InPart, tag="fork", kw_only=True):
    """A fresh process, and how it warmed up. `spec` is the index into `plan.forks`; `first_read`
    are the bytes that calls read in its first operation, of the user's code alone; `opens` has, of
    whole commands by their variant, whether an operation opens the data file. The last three
    are by shape of task: ns per operation while it warmed up, and alone afterwards; and whether it
    got no faster then.
    """

    fork: Index
    spec: int
    pid: int | None = None
    layout: int
    padding: int
    flags: list[str] = []
    first_read: int | None = None
    opens: dict[str, bool] = {}
    warm_up: dict[str, list[float]]
    alone: dict[str, float]
    steady: dict[str, bool]


class Calibration(_Record, tag="calibration", kw_only=True):
    """How a case is sampled: `spans` of `operations` after `prelude` spans, in `rounds`."""

    case: int
    operations: int
    spans: int
    prelude: int
    ns_per_op: float
    rounds: int


class Canary(msgspec.Struct, gc=False):
    """How long two pieces of fixed work took just before a round."""

    compute_ns: float
    memory_ns: float


class Round(_InPart, tag="round", kw_only=True):
    """The beginning of a round. A large run has hundreds of thousands."""

    group: int
    round: int
    canary: Canary


class Sample(_InPart, tag="sample", kw_only=True):
    """One request that was timed, with its evidence. `ns`, `operations`, `count` and `sum` have one
    value per span, `prelude_ns` one for each span before those. `counters` (of the runtime) have
    one per span, too. `evidence` is of the process, `machine` of all processors, `device` of the
    device meanwhile. `folio_bytes` says how large the folios are in which the file was cached: half
    of its bytes are in ones of this size or smaller. `void` says why the sample does not count.
    """

    case: Index
    group: Index
    fork: Index
    round: Index
    position: Index
    resident_before: float | None
    dirty_before: int | None
    in_flight_before: int | None
    file_before: int | None
    recached: int = 0
    folio_bytes: int | None = None
    untimed: int | None = None
    void: str | None
    ns: Sequence[float]
    operations: list[Bytes]
    prelude_ns: Sequence[float]
    bytes: int
    count: list[int] | None
    sum: list[int] | None
    counters: Mapping[str, Sequence[float] | None]
    ended: float = 0.0
    evidence: Counts
    machine: Counts | None
    device: Counts | None
    request_bytes: Bytes
    reply_bytes: Bytes

    def __post_init__(self) -> None:
        if len(self.ns) != len(self.operations):
            raise ValueError(f"{len(self.ns)} spans with the operations of {len(self.operations)}")

    @property
    def coordinates(self) -> Coordinates:
        return Coordinates(
            self.replicate_id, self.part, self.group, self.case, self.round, self.position
        )


class CeilingSample(Sample, tag="ceiling", kw_only=True):
    """A sample of a candidate for the ceiling of a group."""


class ComputeOnly(_InPart, tag="compute_only", kw_only=True):
    """The part of the work of `cases` that is not I/O, measured alone on `size` bytes in memory."""

    cases: list[int]
    strategy: str
    parameters: dict[str, int]
    fork: int
    size: int
    ns: Sequence[float]
    operations: list[int]

    @property
    def ns_per_op(self) -> float:
        return _level(self.ns, self.operations)


class Harness(_MaybeInPart, tag="harness", kw_only=True):
    """What an operation that does nothing costs; `evidence` is of single requests for it."""

    runtime: str
    options: list[str]
    strategy: str
    fork: int | None = None
    ns: Sequence[float]
    operations: list[int]
    evidence: list[Counts] = []

    @property
    def ns_per_op(self) -> float:
        return _level(self.ns, self.operations)


class Failure(_MaybeInPart, tag="failure", kw_only=True):
    """The case is not measured any more. It may have failed before its first replicate."""

    case: int
    reason: str
    fork: int | None = None


class Caveat(_MaybeInPart, tag="caveat", kw_only=True):
    """A warning about the run (`about` is `run`), about a case (its key) or a group (its id). Its
    `kind` is a CaveatKind of model/caveats.py, or one that a later version knows.
    """

    about: str
    text: str
    kind: str | None = None


class Replicate(_InReplicate, tag="replicate", kw_only=True):
    """A replicate is complete: these groups and cases were measured in it. `rounds` has, by group,
    how many rounds it had, and `phases` what its seconds went into; older files have neither.
    """

    groups: list[int]
    cases: list[int]
    seconds: float
    elapsed: float
    rounds: dict[int, int] = {}
    phases: dict[str, float] = {}


class End(_Record, tag="end", kw_only=True):
    reason: EndReason
    seconds: float


class Budget(_Record, tag="budget", kw_only=True):
    """A run is resumed with so many seconds over all sessions."""

    seconds: float


class Columns(msgspec.Struct, tag="columns", tag_field="record"):
    """A part of a column of the samples: numbers of the NumPy `type`, deflated where `packed`."""

    name: str
    type: str
    packed: bool
    data: bytes  # base64 in the line


class Seal(msgspec.Struct, tag="seal", tag_field="record"):
    """The last line of a large run file. `samples` is their number; `reasons` are those of void
    ones; `columns` has the first byte and the length of each line of each column; `crc32` is of
    each 16 MiB of all that comes before the seal, the rest in the last one.
    """

    meaning: int
    samples: int
    reasons: list[str]
    columns: dict[str, list[tuple[int, int]]]
    crc32: list[int]


_InForks = Fork | Calibration | Round | Sample | CeilingSample | ComputeOnly | Harness
Measured = _InForks | Failure | Caveat | Replicate | End | Budget
"""What measuring writes, and a Run holds."""
Record = Measured | Columns | Seal
KINDS: dict[str, type[Record]] = {
    str(each.__struct_config__.tag): each for each in get_args(Record)
}
"""The class of each kind of record, by the value of its key `record`."""

SAMPLE_LINE = b'{"record":"sample",'
ROUND_LINE = b'{"record":"round",'
COLUMNS_LINE = b'{"record":"columns",'
SEAL_LINE = b'{"record":"seal",'
"""What lines of these kinds begin with, as we write them."""

_decode: Callable[[bytes], Record] = msgspec.json.Decoder(Record).decode


class Torn(Exception):
    """The line is no JSON: a run was killed while it was written."""


class NoRecord(Exception):
    """The line is JSON, but not a record of a run file. The text says why."""


def encode(record: Record) -> bytes:
    return msgspec.json.encode(record) + b"\n"


def decode(line: bytes, *, format6: bool = False) -> Record:
    """The record of a line, hidden characters escaped, names as today. Raises Torn, NoRecord."""
    if not may_hide(line) and (not format6 or line.startswith((SAMPLE_LINE, ROUND_LINE))):
        try:
            return _decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            pass  # what is wrong with it is found below
    try:
        found = all_visible(line, _parsed(line))
    except ValueError:
        raise Torn from None
    if format6:
        found = renamed(found)
    if absent := missing(found):
        raise NoRecord(absent)
    try:
        record: Record = msgspec.convert(found, Record)
        return record
    except msgspec.ValidationError as error:
        raise NoRecord(str(error)) from None


def may_be_sample(line: bytes) -> bool:
    """Whether it looks like a sample as we write it, and not torn."""
    return line.startswith(SAMPLE_LINE) and line.endswith((b"}\n", b"}"))


def missing(found: Any) -> str | None:
    """What is wrong with the kind or the keys of a record; None where nothing is."""
    kind = KINDS.get(str(found.get("record"))) if isinstance(found, dict) else None
    if kind is None:
        return f"`record` must be one of {', '.join(KINDS)}"
    absent = [
        each.encode_name
        for each in msgspec.structs.fields(kind)
        if each.required and each.encode_name not in found
    ]
    return f"{found['record']} without {', '.join(absent)}" if absent else None


def _parsed(line: bytes) -> Any:
    """Raises ValueError for what is no JSON."""
    try:
        return msgspec.json.decode(line)  # several times as fast,
    except ValueError:
        return json.loads(line.decode())  # but stricter: it takes no NaN and no lone surrogate
