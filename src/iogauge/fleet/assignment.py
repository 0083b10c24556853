"""What a host of a fleet is told to do, and what it tells: data, validated where it arrives.

No code travels. A study travels as its text, and is parsed again on the host; options travel as
they are written on a command line.
"""

from __future__ import annotations

import datetime
import re
from contextlib import suppress
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from iogauge.fleet.here import Versions
from iogauge.model.errors import UserError, first_problem
from iogauge.study import loading

RUN = r"[a-z0-9][a-z0-9-]{0,99}"
"""What ids of fleet runs look like. They are parts of names of files."""
ANY_RUN = "fleet"
"""An id that no run has."""
NO_WORKER = "no worker of this host is there"
"""Why nothing is known of a host."""
Phase = Literal[
    "sent",  # the host has not answered yet
    "waiting",  # for a lock
    "preparing",  # building runners, making data files
    "measuring",
    "done",
    "failed",  # measured, or not, and will not go on by itself
    "refused",  # nothing was measured
    "stopped",  # as the user wanted
    "left",  # its worker ended; the run goes on
    "missing",  # no worker of this host is there
]
OVER: tuple[Phase, ...] = ("done", "failed", "refused", "stopped")
"""The phases after which nothing more comes."""

_LONGEST_STUDY = 1 << 20  # characters
_TICK = datetime.timedelta(milliseconds=1)
Word = Annotated[str, Field(max_length=4096)]


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class StudyText(_Data):
    """A study as its file has it; `name` is what messages call it."""

    name: Annotated[str, Field(max_length=200)]
    text: Annotated[str, Field(max_length=_LONGEST_STUDY)]


class Assignment(_Data):
    """The part of a fleet run that one host carries out: these studies, one after another.

    `versions` are those of the client. `options` are fields of `iogauge run` as they were given.
    `directory` is where data files go, if that is not the host's own choice. `submitted`, by the
    host's clock, tells a second try from a task that is delivered twice; it is empty until the host
    was asked. So many `hosts` carry out the same.
    """

    versions: Versions
    run: Annotated[str, Field(pattern=f"^{RUN}$")]
    host: Annotated[str, Field(max_length=63)]
    submitted: Annotated[str, Field(max_length=40)]
    hosts: Annotated[int, Field(ge=1)] = 1
    directory: Word | None = None
    studies: Annotated[tuple[StudyText, ...], Field(min_length=1, max_length=100)]
    options: dict[str, bool | int | Word | list[Word] | None] = {}

    @property
    def ids(self) -> list[str]:
        """The ids of the studies, which name their files. Raises UserError for what is no study,
        and for one that needs what is not sent.
        """
        found = []
        for each in self.studies:
            study = loading.parse(each.text, each.name)
            loading.must_not_be_own(study, each.name)
            if not re.fullmatch(RUN, study.id):
                raise UserError(
                    f"{each.name}: id {study.id}: for a fleet at most 100 small letters, digits "
                    "and '-'; give the study another"
                )
            found.append(study.id)
        if len({*found}) < len(found):
            raise UserError("two studies have the same id; give each run one of them")
        return found


class Kept(_Data):
    """A run file on a host: its name, its bytes, and what they hash to where it is complete."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,99}\.jsonl$")]
    size: int
    sha256: str | None = None


class Status(_Data):
    """How a host stands. `says` is what it waits for, or why it ended. `decided` of `groups` are
    decided in the `study` that is measured; `seconds` of its `budget` were used. `exit` is the exit
    status of the local run, 0 or 3 where it is done.
    """

    host: str
    phase: Phase
    says: str = ""
    study: str = ""
    replicates: int = 0
    decided: int = 0
    groups: int = 0
    seconds: float = 0.0
    budget: float = 0.0
    exit: int | None = None
    files: tuple[Kept, ...] = ()

    @property
    def over(self) -> bool:
        return self.phase in OVER


def now(after: str = "") -> str:
    """This moment as `submitted` has it, by this machine's clock, but later than `after`: of two
    such texts the later one is the larger.
    """
    found = datetime.datetime.now(datetime.UTC)
    with suppress(ValueError, TypeError):
        found = max(found, datetime.datetime.fromisoformat(after) + _TICK)
    return found.isoformat(timespec="milliseconds")


def parse(text: object) -> Assignment:
    """The assignment that a text holds. Raises UserError for anything else."""
    try:
        return Assignment.model_validate_json(text if isinstance(text, str) else "")
    except ValidationError as error:
        raise UserError(
            f"not a plan of a fleet: {first_problem(error)}; send it with iogauge run --on"
        ) from None
