"""A line of a run file, and the record that it holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec

from iogauge.model.text import all_visible, may_hide
from iogauge.runfile.format6 import renamed
from iogauge.runfile.records import KINDS, Record, Sample

SAMPLE = b'{"record":"sample",'
ROUND = b'{"record":"round",'
COLUMNS = b'{"record":"columns",'
SEAL = b'{"record":"seal",'
"""What lines of these kinds begin with, as we write them."""

_decode: Callable[[bytes], Record] = msgspec.json.Decoder(Record).decode
_decode_sample = msgspec.json.Decoder(Sample).decode


class Torn(Exception):
    """The line is no JSON: a run was killed while it was written."""


class NoRecord(Exception):
    """The line is JSON, but not a record of a run file. The text says why."""


class NoSample(Exception):
    """A line that is no sample: its index among the given lines, and why."""

    def __init__(self, index: int, why: str):
        super().__init__(why)
        self.index, self.why = index, why


def encode(record: Record) -> bytes:
    return msgspec.json.encode(record) + b"\n"


def decode(line: bytes, *, format6: bool = False) -> Record:
    """The record of a line, hidden characters escaped, names as today. Raises Torn, NoRecord."""
    if not may_hide(line) and (not format6 or line.startswith((SAMPLE, ROUND))):
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


def decode_samples(lines: list[bytes]) -> list[Sample]:
    """The samples of these lines, texts as written. Raises NoSample for the first that is none."""
    found: list[Sample] = []
    try:
        for line in lines:  # noqa: PERF401 - the index of a line that cannot be decoded is reported
            found.append(_decode_sample(line))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise NoSample(len(found), str(error)) from None
    return found


def may_be_sample(line: bytes) -> bool:
    """Whether it looks like a sample as we write it, and not torn."""
    return line.startswith(SAMPLE) and line.endswith((b"}\n", b"}"))


def is_sample(line: bytes) -> bool:
    """Whether it is one, perhaps with its keys in another order."""
    try:
        return bool(json.loads(line)["record"] == "sample")
    except (ValueError, TypeError, KeyError):
        return False


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


def is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _parsed(line: bytes) -> Any:
    """Raises ValueError for what is no JSON."""
    try:
        return msgspec.json.decode(line)  # several times as fast,
    except ValueError:
        return json.loads(line.decode())  # but stricter: it takes no NaN and no lone surrogate
