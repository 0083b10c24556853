"""Past the page cache, through memory that is aligned as O_DIRECT wants it: that of a mapping."""

import os
from mmap import mmap

from harness.consume import BYTES
from harness.strategy import Strategy, piece
from harness.writing import flags

SECTOR = 4096
"""What O_DIRECT wants of addresses, offsets and lengths, at most."""
O_DIRECT = getattr(os, "O_DIRECT", 0)


def _aligned(setup):
    return memoryview(mmap(-1, -(-setup.parameters["block"] // SECTOR) * SECTOR))


def _read(setup):
    consume, block = BYTES[setup.consume], _aligned(setup)
    size, into = len(block), [block]

    def operation(path):
        offset = total = 0
        file = os.open(path, os.O_RDONLY | O_DIRECT)
        try:
            while n := os.preadv(file, into, offset):
                total += consume(block if n == size else block[:n], offset)
                offset += n
                if n < size:  # at the end, from where O_DIRECT does not go on
                    break
        finally:
            os.close(file)
        return offset, total

    return operation


def _write(setup):
    """The last piece is written up to a whole sector, and the file cut off."""
    data, block = memoryview(setup.payload), _aligned(setup)
    length, size, how = len(data), len(block), flags(setup) | O_DIRECT

    def operation(path):
        file = os.open(path, how, 0o666)
        try:
            for at in range(0, length, size):
                part = data[at : at + size]
                block[: len(part)] = part
                whole, done = -(-len(part) // SECTOR) * SECTOR, 0
                while done < whole:
                    done += os.pwritev(file, [block[done:whole]], at + done)
            if length % SECTOR:
                os.ftruncate(file, length)  # which O_DSYNC does not wait for
            if setup.durability == "fsync" or (setup.durability == "dsync" and length % SECTOR):
                os.fsync(file)
        finally:
            os.close(file)
        return length, 0

    return operation


def _block(says):
    key, declared = next(iter(piece(f"{says}, rounded up to a multiple of 4096").items()))
    return {key: {**declared, "default": 1 << 20, "min": SECTOR, "max": 1 << 26}}


STRATEGIES = [
    Strategy(
        name="python/os-preadv-direct",
        title="os.preadv with O_DIRECT, past the page cache",
        call="os.preadv, O_DIRECT",
        parameters=_block("bytes of the memory given to preadv"),
        buffer="reused",
        effort=4,
        bypasses_cache=True,
        compute_only="python/consume-bytes",
        function="preadv",
        constant="O_DIRECT",
        open=_read,
    ),
    Strategy(
        name="python/os-pwritev-direct",
        title="os.pwritev with O_DIRECT, past the page cache",
        call="os.pwritev, O_DIRECT",
        operation="write",
        consumes=("none",),
        modes=("truncate",),
        durabilities=("none", "fsync", "dsync"),
        parameters=_block("bytes of the memory given to pwritev"),
        buffer="reused",
        effort=4,
        bypasses_cache=True,
        function="pwritev",
        constant="O_DIRECT",
        open=_write,
    ),
]
