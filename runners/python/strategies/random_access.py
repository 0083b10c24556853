"""Pieces at offsets that come in no order."""

import os
from mmap import ACCESS_READ, ALLOCATIONGRANULARITY, mmap

from harness.consume import BYTES
from harness.strategy import LOOKED_AT, READS, Strategy, piece


def _seeking(buffering):
    def _open(setup):
        consume, offsets = BYTES[setup.consume], setup.offsets
        block = setup.parameters["block"]

        def operation(path):
            count = total = 0
            with open(path, "rb", buffering=buffering) as file:
                for offset in offsets:
                    file.seek(offset)
                    data = file.read(block)
                    count += len(data)
                    total += consume(data, offset)
            return count, total

        return operation

    return _open


def _pread(setup):
    consume, offsets = BYTES[setup.consume], setup.offsets
    block = setup.parameters["block"]

    def operation(path):
        count = total = 0
        file = os.open(path, os.O_RDONLY)
        try:
            for offset in offsets:
                data = os.pread(file, block, offset)
                count += len(data)
                total += consume(data, offset)
        finally:
            os.close(file)
        return count, total

    return operation


def _preadv(setup):
    consume, offsets = BYTES[setup.consume], setup.offsets
    block = memoryview(bytearray(setup.parameters["block"]))
    into = [block]

    def operation(path):
        count = total = 0
        file = os.open(path, os.O_RDONLY)
        try:
            for offset in offsets:
                count += os.preadv(file, into, offset)
                total += consume(block, offset)
        finally:
            os.close(file)
        return count, total

    return operation


def _mapped(setup, borrowed):
    consume, offsets = BYTES[setup.consume], setup.offsets
    block = setup.parameters["block"]

    def pick(mapping):
        count = total = 0
        for offset in offsets:
            data = mapping[offset : offset + block]
            count += len(data)
            total += consume(data, offset)
        return count, total

    def operation(path):
        with open(path, "rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as mapping:
            if not borrowed:
                return pick(mapping)
            with memoryview(mapping) as view:
                return pick(view)

    return operation


def _seek_readinto(setup):
    consume, offsets = BYTES[setup.consume], setup.offsets
    block = memoryview(bytearray(setup.parameters["block"]))

    def operation(path):
        count = total = 0
        with open(path, "rb", buffering=0) as file:
            for offset in offsets:
                file.seek(offset)
                count += file.readinto(block)
                total += consume(block, offset)
        return count, total

    return operation


def _mapped_each(setup):
    consume, offsets = BYTES[setup.consume], setup.offsets
    block = setup.parameters["block"]

    def operation(path):
        count = total = 0
        with open(path, "rb") as file:
            for offset in offsets:
                skipped = offset % ALLOCATIONGRANULARITY  # where a mapping may begin
                mapping = mmap(
                    file.fileno(), skipped + block, access=ACCESS_READ, offset=offset - skipped
                )
                with mapping, memoryview(mapping) as view, view[skipped:] as data:
                    count += len(data)
                    total += consume(data, offset)
        return count, total

    return operation


def _strategy(name, call, title, open, says="bytes read at each offset", **more):
    return Strategy(
        name=name,
        title=title,
        call=call,
        access="random",
        parameters=piece(says),
        compute_only="python/consume-bytes",
        open=open,
        **{"consumes": READS, **more},
    )


STRATEGIES = [
    _strategy(
        "python/seek-read", "open(), seek, read", "open(path, 'rb'), seek and read", _seeking(-1)
    ),
    _strategy(
        "python/raw-seek-read",
        "open(buffering=0), seek, read",
        "open(path, 'rb', buffering=0), seek and read",
        _seeking(0),
    ),
    _strategy(
        "python/raw-seek-readinto",
        "open(buffering=0), seek, readinto",
        "open(buffering=0), seek and readinto, buffer reused",
        _seek_readinto,
        "bytes of the bytearray given to readinto",
        buffer="reused",
        effort=3,
    ),
    _strategy("python/os-pread", "os.pread", "os.open, os.pread", _pread),
    _strategy(
        "python/os-preadv-random",
        "os.preadv",
        "os.open, os.preadv, buffer reused",
        _preadv,
        "bytes of the bytearray given to preadv",
        buffer="reused",
        function="preadv",
        effort=3,
    ),
    _strategy(
        "python/mmap-slice",
        "mmap.mmap()[a:b]",
        "mmap, each piece copied out by a slice",
        lambda setup: _mapped(setup, False),
        "bytes of each slice",
        mapped=True,
        effort=3,
    ),
    _strategy(
        "python/mmap-view",
        "memoryview(mmap.mmap())[a:b]",
        "mmap, each piece used in place by a memoryview",
        lambda setup: _mapped(setup, True),
        "bytes of each slice",
        effort=4,
        **LOOKED_AT,
    ),
    _strategy(
        "python/mmap-each",
        "mmap.mmap(offset=a)",
        "mmap of each piece alone, used in place",
        _mapped_each,
        effort=4,
        **LOOKED_AT,
    ),
]
