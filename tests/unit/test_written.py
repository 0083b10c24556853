"""The files that a case writes, and the file that they are compared with."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import pytest

from iogauge.corpus.written import WrittenFiles, WrongFile


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the mappings of a process")
@pytest.mark.parametrize("right", [True, False])
def test_the_source_of_a_copy_is_mapped_only_while_it_is_compared(tmp_path, right):
    """A mapped file stays in the cache, so a copy could never be measured from the device."""
    source = tmp_path / "source.data"
    source.write_bytes(bytes(range(256)) * 64)
    how = {"form": "plain", "mode": "truncate", "durability": "none", "lifetime": "operation"}
    written = WrittenFiles(tmp_path / "written", source, **how, grown_most=1 << 30)
    (path,) = written.fresh(1)
    Path(path).write_bytes(source.read_bytes() if right else bytes(256 * 64))
    with contextlib.nullcontext() if right else pytest.raises(WrongFile):
        written.check()
    assert str(source) not in Path("/proc/self/maps").read_text("utf-8")
