"""The whole file mapped."""

import os
from mmap import ACCESS_READ, mmap

from harness.consume import BYTES
from harness.strategy import LOOKED_AT, READS, Strategy


def _borrowed(setup):
    consume = BYTES[setup.consume]

    def operation(path):
        with open(path, "rb") as file:
            if not os.fstat(file.fileno()).st_size:  # which mmap refuses
                return 0, 0
            mapping = mmap(file.fileno(), 0, access=ACCESS_READ)
            with mapping, memoryview(mapping) as view:
                return len(view), consume(view, 0)

    return operation


def _copied(setup):
    consume = BYTES[setup.consume]

    def operation(path):
        with open(path, "rb") as file:
            if not os.fstat(file.fileno()).st_size:
                return 0, 0
            with mmap(file.fileno(), 0, access=ACCESS_READ) as mapping:
                data = mapping[:]
        return len(data), consume(data, 0)

    return operation


STRATEGIES = [
    Strategy(
        name="python/mmap",
        title="mmap of the whole file, used in place",
        call="mmap.mmap",
        unit="file",
        effort=3,
        compute_only="python/consume-bytes",
        open=_borrowed,
        **LOOKED_AT,
    ),
    Strategy(
        name="python/mmap-copy",
        title="mmap of the whole file, copied out by mapping[:]",
        call="mmap.mmap()[:]",
        unit="file",
        consumes=READS,
        mapped=True,
        effort=3,
        compute_only="python/consume-bytes",
        memory_per_file_byte=1.0,
        open=_copied,
    ),
]
