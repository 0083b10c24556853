"""What `advise` was asked: options of the command line, and the workload that they describe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast, get_args

from iogauge.advice.wanted import DEFAULT_SIZE, Unit, Wanted
from iogauge.commands.options import parsed
from iogauge.corpus.own_file import OwnFile
from iogauge.model.errors import UserError
from iogauge.model.units import exact_size, parse_size, short_size
from iogauge.model.workload import Access, Cache, Durability, Operation
from iogauge.runners import manifest

_PIECE = 4096  # bytes that random access reads at each place, unless others are asked for


@dataclass(frozen=True)
class Asked:
    """What `advise` was asked, unparsed."""

    language: str | None = None
    operation: str = "read"
    unit: str = "byte"
    size: str | None = None
    cache: str | None = None
    durability: str | None = None
    record: str | None = None
    access: str = "sequential"

    def wanted(self, own: OwnFile | None, *, any_size: bool) -> Wanted:
        """The workload. Without a size it has the usual one, or `any_size`. Raises UserError for an
        option that is wrong, or does not fit another one.
        """
        self._check_words()
        length, record = (
            None if text is None else parsed(f"--{name}", parse_size, text)
            for name, text in (("size", self.size), ("record", self.record))
        )
        if 0 in (length, record):
            raise UserError(f"--{'size' if length == 0 else 'record'} 0: at least 1 byte")
        if own:
            self._check_file(own)
        write = self.operation == "write"
        if self.access == "random" and not record:
            record = _PIECE
        length = own.size if own else length or (None if any_size else DEFAULT_SIZE)
        if record and length is not None and record > length:
            given = self.record or f"{short_size(record)} (what is read at each place)"
            raise UserError(f"--record {given}: larger than the file, of {exact_size(length)}")
        return Wanted(
            self.language,
            cast(Operation, self.operation),
            cast(Unit, self.unit),
            length,
            None if write else cast(Cache, self.cache or "warm"),
            None if self.operation == "read" else cast(Durability, self.durability or "none"),
            record,
            own is not None,
            cast(Access, self.access),
            own.format if own else "plain",
        )

    def _check_words(self) -> None:
        for name, value, allowed in (
            ("operation", self.operation, get_args(Operation)),
            ("unit", self.unit, get_args(Unit)),
            ("cache", self.cache, ("warm", "cold")),
            ("durability", self.durability, get_args(Durability)),
            ("access", self.access, get_args(Access)),
        ):
            if value not in (None, *allowed):
                raise UserError(f"--{name} {value}: allowed: {', '.join(allowed)}")
        if self.language and self.language not in manifest.languages():
            raise UserError(
                f"--language {self.language}: allowed: {', '.join(manifest.languages())}"
            )
        if self.cache and self.operation == "write":
            raise UserError(
                "--cache does not apply to --operation write: what is written goes into the "
                "cache; --durability says whether it waits for the device"
            )
        if self.durability and self.operation == "read":
            raise UserError("--durability does not apply to --operation read; leave it out")
        if self.access == "random" and (self.operation, self.unit) != ("read", "byte"):
            raise UserError("--access random reads bytes: leave out --operation and --unit")

    def _check_file(self, own: OwnFile) -> None:
        if self.operation != "read" or self.size:
            raise UserError(
                "--file is read, never written, and has a size of its own: leave out --operation "
                "and --size"
            )
        if self.access == "random" and own.format == "gzip":
            raise UserError("--access random: a gzip file can be read from its start only")
        if self.unit != "byte" and not own.is_text:
            raise UserError(
                f"--unit {self.unit}: the file is no text in UTF-8; "
                "leave out --unit, or convert a copy"
            )
        if self.unit == "line" and own.lone_returns:
            raise UserError(
                "--unit line: the file has carriage returns without a line feed behind them, "
                "where some languages end a line and others do not; convert a copy, or leave "
                "out --unit"
            )
