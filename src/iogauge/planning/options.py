"""What a study is resolved with: options of the command line, and the machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from iogauge.model.plan import Compare, Protocol
from iogauge.model.strategy import Runtime, Strategy

MIB = 1 << 20
OURS_MIB = 144
"""What iogauge itself takes while it measures, and the kernel for it."""
_LITTLE_MIB = 512


@dataclass(frozen=True)
class Options:
    """What the command line changes about a study. None leaves it as the study says.

    `settings` holds pairs of a runner and options of its runtimes: every case of these runtimes is
    measured with the options too, beside itself without them.
    """

    only: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    max_size: int | None = None
    budget: float | None = None
    precision: float | None = None
    tolerance: float | None = None
    compare: Compare | None = None
    seed: int = 0
    protocol: Protocol = "sound"
    settings: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def asks(self, *ids: str) -> bool:
        """Whether a question with one of these ids is wanted: its own, or that of its group in the
        study.
        """
        return not self.questions or any(
            fnmatchcase(each, pattern) for pattern in self.questions for each in ids
        )

    @property
    def as_published(self) -> bool:
        return self.protocol == "published"


@dataclass(frozen=True)
class Absent:
    """A language that cannot be measured here, and why."""

    language: str
    why: str


@dataclass(frozen=True)
class Machine:
    """The host that a plan is for: its runtimes, the languages that cannot be measured on it, the
    memory that is available (bytes), and the cores that ceilings may use.
    """

    runtimes: Sequence[Runtime]
    absent: Sequence[Absent]
    available_memory: int
    cores: int

    @property
    def memory_limit_mib(self) -> int:
        """Forks that are alive together stay below half of the available memory; of little memory
        they may have more, as the files are small then.
        """
        return max(self.available_memory // 2 // MIB, min(_LITTLE_MIB, self.room_mib))

    @property
    def room_mib(self) -> int:
        """What is there for forks and for files in the cache together."""
        return max(0, self.available_memory // MIB - OURS_MIB)

    @property
    def largest_cached(self) -> int:
        """The bytes of the largest file that can stay in the cache."""
        return self.available_memory // 2

    def runtime(self, name: str) -> Runtime:
        return next(each for each in self.runtimes if each.name == name)

    def declared(self, strategy: str, runtime: str) -> Strategy:
        return self.runtime(runtime).strategies[strategy]

    def why_absent(self, language: str) -> str | None:
        """Why a language cannot be measured here; None if it can, or if nobody knows it."""
        return {each.language: each.why for each in self.absent}.get(language)
