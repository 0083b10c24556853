"""The samples of a large run file, read when they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import overload

from iogauge.model.errors import UserError
from iogauge.runfile.columns import SampleColumns
from iogauge.runfile.lines import NoRecord, Torn, decode, is_sample, may_be_sample
from iogauge.runfile.records import Sample


class FileSamples(Sequence[Sample]):
    """The samples of a large run file: only their columns are kept, and a record is read again when
    it is asked for. `more` are those that were added since.

    `begins` says where the records begin in the file, shape (n,). Without it, this is looked for
    when the first record is asked for.
    """

    def __init__(self, path: Path, columns: SampleColumns, begins: Sequence[int] | None = None):
        self.path, self.columns, self.more = path, columns, list[Sample]()
        self._stored, self._begins = len(columns), begins

    def __len__(self) -> int:
        return self._stored + len(self.more)

    @overload
    def __getitem__(self, index: int) -> Sample: ...

    @overload
    def __getitem__(self, index: slice) -> list[Sample]: ...

    def __getitem__(self, index: int | slice) -> Sample | list[Sample]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        index %= len(self)
        if index >= self._stored:
            return self.more[index - self._stored]
        return self._read(index)

    def append(self, sample: Sample) -> None:
        self.more.append(sample)

    def _read(self, index: int) -> Sample:
        if self._begins is None:
            self._begins = _begins(self.path)
        if len(self._begins) != self._stored:
            raise UserError(f"{self.path}: it changed while it was read; run the command again")
        with self.path.open("rb") as file:
            file.seek(self._begins[index])
            line = file.readline()
        try:
            found = decode(line)
        except (Torn, NoRecord):
            found = None
        if type(found) is not Sample:
            raise UserError(f"{self.path}: it changed while it was read; run the command again")
        return found


def _begins(path: Path) -> list[int]:
    """Where the lines begin that hold a sample, in a file whose samples are all whole."""
    begins, at = [], 0
    with path.open("rb") as file:
        for line in file:
            if may_be_sample(line) or (b"sample" in line and is_sample(line)):
                begins.append(at)
            at += len(line)
    return begins
