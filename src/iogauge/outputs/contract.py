"""The structures of the JSON export, the contract of docs/export-json.md.

Keys may be added and never change their meaning; what was not measured is None. Times are
nanoseconds, sizes bytes, shares fractions of 1. The order of the fields is the order in the file.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
from pydantic import BaseModel

from iogauge.advice.explanations import Knee, ParameterWithoutEffect
from iogauge.decision.costs import Cost
from iogauge.decision.next_steps import NextStepKind
from iogauge.decision.states import StatesKind
from iogauge.decision.verdict import CaseKind, VerdictKind
from iogauge.decision.versions import GateKind, VersionKind
from iogauge.model.imported import Imported
from iogauge.model.plan import Skipped
from iogauge.model.strategy import is_own
from iogauge.model.units import short_size
from iogauge.model.workload import Conditions, Workload
from iogauge.study.schema import Source

VERSION = 2


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """A value with its 95 % interval. Bounds that are not known are None."""

    center: float | None = None
    lo: float | None = None
    hi: float | None = None


class Ratio(msgspec.Struct, frozen=True, kw_only=True):
    """A time over another, and what the comparison decided."""

    ratio: float | None = None
    lo: float | None = None
    hi: float | None = None
    outcome: str | None = None


class RatioToCase(Ratio, frozen=True, kw_only=True):
    """`reference` is the key of the other case."""

    reference: str | None = None


class Across(msgspec.Struct, frozen=True, kw_only=True):
    """The same variant on two runtimes, or in two groups of a span."""

    key: str
    ratio: float | None = None
    lo: float | None = None
    hi: float | None = None
    outcome: str | None = None
    reference: str


class AcrossGroups(Across, frozen=True, kw_only=True):
    """A case of a span. `cost` is what it takes against itself in the first group, in words."""

    cost: str = ""


class VersionPair(msgspec.Struct, frozen=True, kw_only=True):
    """A way in two versions, by the keys of their cases: `ratio` is time(new) / time(old), and
    `outcome` what that alone decides; `verdict` is by what is allowed, and `says` the same in
    words. `replicates_needed` is how many, in all, would likely decide it.
    """

    old: str
    new: str
    way: str
    ratio: float | None = None
    lo: float | None = None
    hi: float | None = None
    outcome: str | None = None
    verdict: VersionKind
    says: str
    replicates: int
    replicates_needed: int | None = None
    control_differs: bool = False
    failure: str | None = None


class Versions(msgspec.Struct, frozen=True, kw_only=True):
    """Two versions of the same, which a run compares. `verdict` is on all pairs together, and
    `says` the same in words; `max_slowdown` is a fraction. Both are None where no gate was asked.
    """

    old: str
    new: str
    max_slowdown: float | None = None
    verdict: GateKind | None = None
    says: str = ""


class Runtime(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    runner: str
    version: str | None = None
    title: str | None = None
    language_names: dict[str, str] = {}


class Disturbance(msgspec.Struct, frozen=True, kw_only=True):
    """What else happened on the machine. `place_in_round` is by group, `canary` has the `least`
    and the `most` level of a kind of work.
    """

    canary: dict[str, dict[str, float]]
    stolen_share: float | None
    others_cores: float | None
    place_in_round: dict[str, Level]


class Run(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    study: str | None = None
    title: str = ""
    source: Source | None = None
    protocol: str
    imported: str | None = None
    options: dict[str, Any] = {}
    started: str = ""
    seconds: float = 0.0
    host: dict[str, Any] = {}
    runtimes: tuple[Runtime, ...] = ()
    complete: bool = False
    seed: int | None = None
    precision: float | None = None
    next_steps: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()
    disturbance: Disturbance | None = None
    skipped: tuple[Skipped, ...] = ()
    versions: Versions | None = None


class Ceiling(msgspec.Struct, frozen=True, kw_only=True):
    bytes_per_s: float
    least: float
    most: float
    strategy: str
    params: dict[str, int] = {}
    runtime: str
    replicates: int | None = None
    age_s: float | None = None


class Latency(msgspec.Struct, frozen=True, kw_only=True):
    """Of single operations; `n` is how many there were."""

    p50: float | None = None
    p95: float | None = None
    p99: float | None = None
    max: float | None = None
    n: int | None = None


class State(msgspec.Struct, frozen=True, kw_only=True):
    """Forks of a case that took about the same time: how many, and their time over the first's."""

    forks: int
    ratio: float


class Forks(msgspec.Struct, frozen=True, kw_only=True):
    n: int
    looked_at: int
    kinds: dict[str, int]
    states: tuple[State, ...]
    outliers: int


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What a table has to say of a case; `note` renders it. `cost` is against the best of its set,
    between the bounds that are worth reporting.
    """

    kind: CaseKind
    cost: Cost | None = None


class NextStep(msgspec.Struct, frozen=True, kw_only=True):
    """What would decide what is open; `next_steps` renders it. `replicates` are in all; None where
    more of them are not likely to help. `budget` is the option for a run of so many. `reach`: what
    is open takes at most so many times as long.
    """

    kind: NextStepKind
    replicates: int | None = None
    reach: float | None = None
    budget: str | None = None


class Case(msgspec.Struct, frozen=True, kw_only=True):
    key: str
    label: str
    display: str | None = None
    known_as: str | None = None
    source: str = "measured"
    imported: Imported | None = None
    strategy: str
    command: str | None = None
    checked: bool = True
    language: str
    runtime: str
    options: tuple[str, ...]
    params: dict[str, int]
    roles: dict[str, str] = {}
    workload: Workload
    conditions: Conditions
    replicates: int | None = None
    samples: int | None = None
    voids: int | None = None
    ns_per_op: Level
    bytes_per_s: Level
    ns_per_record: Level = Level()
    records_per_s: Level = Level()
    latency_ns: Latency | None = None
    vs_baseline: Ratio = Ratio()
    vs_best: RatioToCase = RatioToCase()
    cost: str = ""
    note: str = ""
    verdict: Verdict | None = None
    simplest: bool = False
    best: bool
    eliminated: bool
    impossible: bool
    of_ceiling: float | None
    of_ceiling_interval: Level = Level()
    forks: Forks | None = None
    other_work_share: Level = Level()
    evidence: dict[str, float | None] = {}
    caveats: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()

    @property
    def setting(self) -> str:
        """The runtime with its options."""
        return " ".join([self.runtime, *self.options])

    @property
    def name(self) -> str:
        """As its users know it; exports of the first versions have the label only."""
        return self.display or self.label

    @property
    def tells(self) -> bool:
        """Whether it is known how much it reads."""
        return self.checked and self.command is None

    @property
    def is_own(self) -> bool:
        """Whether it is a user function."""
        return is_own(self.strategy)

    @property
    def measured(self) -> bool:
        return self.ns_per_op.center is not None


class Set(NamedTuple):
    """The cases that one recommendation is for: those of a language, or of one of its settings."""

    language: str
    setting: str | None = None


class OfSet(msgspec.Struct, frozen=True, kw_only=True):
    set: str
    language: str
    setting: str | None = None

    @property
    def of(self) -> Set:
        return Set(self.language, self.setting)


class Recommendation(OfSet, frozen=True, kw_only=True):
    """What to use of a set. `case` and `for_now` are keys: the recommended case or else the best so
    far, and what to use while none is recommended.
    """

    state: VerdictKind
    case: str | None
    for_now: str | None = None
    short: str
    says: str

    @property
    def is_sure(self) -> bool:
        """Whether something is recommended; of that, a simpler case may yet turn out to do."""
        return self.state in SURE or (self.state == "open" and self.for_now is None)


SURE: tuple[VerdictKind, ...] = ("decided", "only one")
NO_ANSWER: tuple[VerdictKind, ...] = ("suspended", "impossible", "nothing measured")


class OfLanguage(OfSet, frozen=True, kw_only=True):
    """The best case of a set, by its key, against the best of all: a time over another, None of
    that one itself. `cost` says it in words. `usual` is the key of the simplest case, where that is
    another one. `reason` says what takes the time where the set stays well below the machine's
    limit.
    """

    name: str
    case: str
    usual: str | None = None
    ratio: float | None = None
    lo: float | None = None
    hi: float | None = None
    outcome: str | None = None
    cost: str
    reason: str | None = None


class Group(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    run: str | None = None
    question: str
    title: str
    label: str = ""  # the title in a few words for people
    answers: tuple[str, ...] = ()
    recommendations: tuple[Recommendation, ...] = ()
    side_by_side: str = ""  # the languages in a sentence,
    languages: tuple[OfLanguage, ...] = ()  # and each of them, where they are compared
    next_steps: str | None = None
    next_step: NextStep | None = None
    observed: str | None = None
    baseline: str | None
    tolerance: float | None = None
    record_bytes: int | None = None
    noise_floor: float | None = None
    control: Ratio | None = None
    suspended: bool
    provisional: bool | None = None
    replicates: int | None = None
    replicates_needed: int | None = None
    ceiling: Ceiling | None
    ceiling_of_threads: Ceiling | None = None
    cases: tuple[Case, ...]
    across_runtimes: tuple[Across, ...] = ()
    versions: tuple[VersionPair, ...] = ()
    knees: tuple[Knee, ...]
    parameters_without_effect: tuple[ParameterWithoutEffect, ...] = ()

    @property
    def one_each(self) -> bool:
        """Whether it compares sets of one case."""
        alone = {each.state for each in self.recommendations} == {"only one"}
        return alone and len(self.languages) > 1


class InStates(OfSet, frozen=True, kw_only=True):
    """What to use of a set, however a file came into the cache, by a span along `cached_by`. `use`
    is that way and each of `turning` one that is good enough in one state and slower in another: as
    the keys of their cases, one for each group of the span.
    """

    kind: StatesKind
    use: tuple[str, ...]
    turning: tuple[tuple[str, ...], ...] = ()
    says: str


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """Groups that differ in one thing, `along`: the cases of the others compared with the same case
    of the first. `values` has what each group has of it, `names` how that is called; ratios are of
    times `per` operation, byte or record. `title` says what is compared. `answers` are made of
    `says`, a sentence for each further value, and of `next_steps`. `by_language` is there along
    `cached_by`.
    """

    run: str | None = None
    along: str
    question: str
    groups: tuple[str, ...]
    values: tuple[int | str, ...]
    names: tuple[str, ...] = ()
    per: str
    title: str = ""
    answers: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    next_steps: str | None = None
    by_language: tuple[InStates, ...] = ()
    across: tuple[AcrossGroups, ...] = ()


class MeasuredBeside(msgspec.Struct, frozen=True, kw_only=True):
    """A case that measured what a published number is of. `error` is in the published unit, over
    iterations, as the authors' tool prints it.
    """

    key: str
    ns_per_op: Level
    error: float | None = None
    failure: str | None = None


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """A published number, and the cases of the run that measured the same."""

    table: str
    group: str
    strategy: str
    params: dict[str, int]
    size: int
    workload: Workload
    conditions: Conditions
    along: str | None
    value: float
    error: float | None
    unit: str
    approximate: bool
    doubtful: bool
    ns_per_op: float
    measured: tuple[MeasuredBeside, ...]

    @property
    def name(self) -> str:
        """`java/file-input-stream 8K`."""
        values = "/".join(short_size(value) for _, value in sorted(self.params.items()))
        return f"{self.strategy} {values}".strip()


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    group: str | None
    runtime: str | None
    case: str | None
    reference: str | None
    answer: str
    ratio: float | None
    lo: float | None
    hi: float | None
    says: str


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """How many of the `sizes` or `groups` that a claim is about were measured."""

    measured: int
    asked: int
    what: str


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    says: str
    basis: str | None = None
    verdict: str
    by_runtime: dict[str, str]
    because: str
    in_short: str | None = None
    decisive: Finding | None = None
    coverage: Coverage | None = None
    why: str | None
    in_its_own_data: str | None
    in_its_own_data_because: str | None
    in_its_own_data_in_short: str | None = None
    in_its_own_data_decisive: Finding | None = None
    published: tuple[Finding, ...] = ()
    measured: tuple[Finding, ...] = ()
    evidence: tuple[str, ...] = ()


class Export(msgspec.Struct, frozen=True, kw_only=True):
    iogauge: int = VERSION
    runs: tuple[Run, ...]
    groups: tuple[Group, ...]
    spans: tuple[Span, ...] = ()
    published: tuple[Published, ...] = ()
    claims: tuple[Claim, ...] = ()

    @property
    def run(self) -> Run:
        return self.runs[0]

    @property
    def language_names(self) -> dict[str, str]:
        """What people call languages, where that is not the word with a capital."""
        named = (each.language_names for each in self.run.runtimes)
        return {key: name for names in named for key, name in names.items()}

    @property
    def runtimes(self) -> str:
        """The names of those that cases are of: others only serve to find the machine's limits."""
        used = {case.runtime for group in self.groups for case in group.cases}
        found = [each for each in self.run.runtimes if each.name in used]
        return ", ".join(
            each.title or each.name if each.runner == "command" else each.name for each in found
        )

    def plain(self) -> dict[str, Any]:
        """The export as dicts, lists and plain values, as JSON has them."""
        found: dict[str, Any] = plain(self)
        return found


def read(plain: dict[str, Any]) -> Export:
    """The export that these dicts hold. Raises msgspec.ValidationError where they are none."""
    return msgspec.convert(plain, Export, dec_hook=_noun)


def plain(value: Any) -> Any:
    """What is in the export as dicts, lists and plain values."""
    return msgspec.to_builtins(value, enc_hook=_plain)


def _plain(value: Any) -> Any:
    """Nouns as dicts, and numbers of NumPy as numbers."""
    return value.model_dump() if isinstance(value, BaseModel) else value.item()


def _noun(kind: type, value: Any) -> Any:
    return kind.model_validate(value) if issubclass(kind, BaseModel) else value
