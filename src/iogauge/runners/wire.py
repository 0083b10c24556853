"""The wire format (docs/wire.md): requests as JSON lines, replies parsed and validated."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)

from iogauge.model.errors import first_problem
from iogauge.model.figures import names
from iogauge.model.strategy import Command, Strategy
from iogauge.model.text import all_visible

WIRE = 3
_ARRAYS = ("ns", "operations", "count", "sum")  # of a reply to `sample`, one value per span
Count = Annotated[int, Field(ge=0, strict=True)]


class WireError(Exception):
    """The runner broke the contract: it cannot be believed, or talked to any longer."""


class Stray(WireError):
    """It answered where nothing was asked, or twice."""


class Refusal(Exception):
    """The runner answered `error`. It lives on, and the operation did not take place."""


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore")


class Hello(_Reply):
    wire: int
    runner: str
    runtime: str
    name: str
    version: str
    flags: list[str]
    clock_resolution_ns: Annotated[int, Field(ge=1)]


class Listing(_Reply):
    """The reply to `list`. `unknown` are keys that are ignored: `java/read.colour`."""

    strategies: list[Strategy]
    unknown: tuple[str, ...] = ()

    @model_validator(mode="wrap")
    @classmethod
    def _known_keys(cls, told: Any, validate: ModelWrapValidatorHandler[Listing]) -> Listing:
        try:
            return validate(told)
        except ValidationError as error:
            found = [each["loc"] for each in error.errors() if each["type"] == "extra_forbidden"]
        unknown = []
        for _, number, *path, key in found:
            within = told["strategies"][number]
            unknown.append(".".join(map(str, (within.get("name"), *path, key))))
            for each in path:
                within = within[each]
            del within[key]
        return validate(told).model_copy(update={"unknown": tuple(unknown)})


class Done(_Reply):
    """The reply to `open` and `release`: only that it is done."""


def _of_the_table(counters: Any) -> Any:
    """Those of model/figures.py alone, None for one that is missing: unknown keys are ignored."""
    if not isinstance(counters, dict):
        return counters  # which is refused
    return {name: counters.get(name) for name in names("counters")}


Counters = Annotated[dict[str, list[Count] | None], BeforeValidator(_of_the_table)]
"""The runtime's own counters, one value per span, or None where it does not tell."""


class Spans(_Reply):
    """The reply to `sample`: one value per span. `ns` are nanoseconds; `count` is in the unit of
    the strategy's sums, None where nobody can know it; `sum` is None where nothing was consumed.
    """

    ns: list[Count]
    operations: list[Count]
    count: list[Count] | None
    sum: list[Annotated[int, Field(strict=True)]] | None
    counters: Counters = Field(default={}, validate_default=True)

    def after(self, first: int) -> Spans:
        """The spans without the first ones."""
        return Spans.joined([self], first)

    @staticmethod
    def joined(parts: list[Spans], first: int = 0) -> Spans:
        """The spans of several replies, one after another, each without its first ones. What one of
        the replies does not tell is not known of any.
        """

        def chained(arrays: list[list[int] | None]) -> list[int] | None:
            known = [each[first:] for each in arrays if each is not None]
            return sum(known, []) if len(known) == len(arrays) else None

        told = [each.arrays for each in parts]
        made = {name: chained([each[name] for each in told]) for name in told[0]}
        own = {name: made.pop(name) for name in _ARRAYS}
        return Spans(**own, counters=made)

    @property
    def arrays(self) -> dict[str, list[int] | None]:
        """All that has one value per span, by its name."""
        return {**{name: getattr(self, name) for name in _ARRAYS}, **self.counters}


class Probed(_Reply):
    """The reply to `probe`: what the timed calls took, and what they had of a processor, in ns."""

    ns: Count
    processor_ns: Count


REPLIES: dict[str, type[_Reply]] = {
    "hello": Hello,
    "list": Listing,
    "open": Done,
    "sample": Spans,
    "release": Done,
    "probe": Probed,
}


def hello() -> dict[str, Any]:
    return {"verb": "hello", "wire": WIRE}


def list_strategies() -> dict[str, Any]:
    return {"verb": "list"}


def open_strategy(
    strategy: str,
    parameters: dict[str, int],
    operation: str,
    consume: str,
    *,
    mode: str | None = None,
    durability: str | None = None,
    payload: str | None = None,
    offsets: str | None = None,
) -> dict[str, Any]:
    work = {"operation": operation, "consume": consume, "mode": mode, "durability": durability}
    return {
        "verb": "open",
        "strategy": strategy,
        "parameters": parameters,
        "workload": work,
        "payload": payload and _told(payload),
        "offsets": offsets and _told(offsets),
    }


def open_command(command: Command, parameters: dict[str, int], file: str) -> dict[str, Any]:
    """The same for a whole command, which is to work on this file."""
    told = command.model_dump(mode="json", exclude={"text"})
    return {"verb": "open", "parameters": parameters, "command": {**told, "file": _told(file)}}


def sample(operations: int, spans: int, paths: list[str]) -> dict[str, Any]:
    told = list(map(_told, paths))
    return {"verb": "sample", "operations": operations, "spans": spans, "paths": told}


def padded(opening: dict[str, Any], padding: int) -> dict[str, Any]:
    """The same request in a process that first allocates so many bytes."""
    return {**opening, "padding": padding}


def probe(
    call: str, path: str, size: int, calls: int, *, untimed: int = 0, offset: int = 0
) -> dict[str, Any]:
    return {
        "verb": "probe",
        "call": call,
        "path": _told(path),
        "size": size,
        "calls": calls,
        "untimed": untimed,
        "offset": offset,
    }


def release() -> dict[str, Any]:
    return {"verb": "release"}


def _told(path: str) -> str:
    """A path as a runner reads it: in UTF-8, whatever the host's locale says."""
    if sys.getfilesystemencoding() == "utf-8":
        return path
    return os.fsencode(path).decode("utf-8", "surrogateescape")


def encode(request: dict[str, Any]) -> bytes:
    return json.dumps(request, separators=(",", ":")).encode() + b"\n"


def decode(verb: str, line: bytes) -> Any:
    """The reply to a request of this verb. Raises Refusal, or WireError for a line that is none."""
    found = None
    with suppress(ValueError):
        found = all_visible(line, json.loads(line.decode()))
    if not isinstance(found, dict):
        shown = line[:80].decode("utf-8", "replace")
        raise WireError(f"garbage instead of a reply to {verb!r}: {shown!r}")
    if "error" in found:
        raise Refusal(str(found["error"]))
    if found.get("verb") != verb or verb not in REPLIES:
        kind = Stray if found.get("verb") in REPLIES else WireError
        raise kind(f"a reply to {found.get('verb')!r} where one to {verb!r} was due")
    try:
        return REPLIES[verb].model_validate(found)
    except ValidationError as error:
        raise WireError(f"reply to {verb!r}: {first_problem(error)}") from None


def check_spans(reply: Spans, operations: int, spans: int) -> None:
    """Raises WireError unless every array has `spans` values and each span did `operations`."""
    for name, values in reply.arrays.items():
        if values is not None and len(values) != spans:
            raise WireError(f"{len(values)} values of {name} for {spans} spans")
    for done in reply.operations:
        if done != operations:
            raise WireError(f"{done} operations reported, {operations} were asked for")
