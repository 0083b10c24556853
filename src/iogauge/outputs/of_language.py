"""What a language takes, in the JSON export (see `contract`)."""

from __future__ import annotations

import msgspec


class OfLanguage(msgspec.Struct, frozen=True, kw_only=True):
    """The best case of a language, by its key, against the best of all: a time over another, None
    of that one itself. `cost` says it in words. `usual` is the key of the simplest case, where that
    is another one. `reason` says what takes the time where the language stays well below the
    machine's limit.
    """

    set: str
    name: str
    case: str
    usual: str | None = None
    ratio: float | None = None
    lo: float | None = None
    hi: float | None = None
    outcome: str | None = None
    cost: str
    reason: str | None = None
