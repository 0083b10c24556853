"""Our own errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what shows an error may be needed before anything is validated
    from pydantic import ValidationError


class UserError(Exception):
    """Bad usage or input: one clear line for the user, exit status 2."""


class BuildFailed(UserError):
    """Code of the user's cannot be built, or does not start: that of the version `label`, or of all
    these `labels`, as far as others were tried beside it. A version without a name has the empty
    one.
    """

    def __init__(self, says: str, labels: Sequence[str]):
        super().__init__(says)
        self.labels = tuple(labels)

    @property
    def label(self) -> str:
        return self.labels[0]


class BrokenOff(UserError):
    """Measuring failed, and `why`; what was measured until then is kept. Exit status 3."""

    def __init__(self, says: str, why: str = ""):
        super().__init__(says)
        self.why = why or says


def cause(error: OSError) -> str:
    """`/a/file: No space left on device`, or without a path where the system names none."""
    says = error.strerror or str(error)
    return f"{error.filename}: {says}" if error.filename else says


def first_problem(error: ValidationError) -> str:
    """`launch.command: Field required`: the first key that is wrong, and why."""
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"]))
    return f"{where}: {first['msg']}" if where else str(first["msg"])
