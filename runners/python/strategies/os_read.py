"""The calls of the operating system, as module os has them."""

import os

from harness.consume import BYTES
from harness.strategy import Strategy, piece


def _read(setup):
    consume, block = BYTES[setup.consume], setup.parameters["block"]

    def operation(path):
        offset = total = 0
        file = os.open(path, os.O_RDONLY)
        try:
            while data := os.read(file, block):
                total += consume(data, offset)
                offset += len(data)
        finally:
            os.close(file)
        return offset, total

    return operation


def _preadv(setup):
    consume = BYTES[setup.consume]
    block = memoryview(bytearray(setup.parameters["block"]))
    size, into = len(block), [block]

    def operation(path):
        offset = total = 0
        file = os.open(path, os.O_RDONLY)
        try:
            while n := os.preadv(file, into, offset):
                total += consume(block if n == size else block[:n], offset)
                offset += n
        finally:
            os.close(file)
        return offset, total

    return operation


STRATEGIES = [
    Strategy(
        name="python/os-read",
        title="os.open, os.read",
        call="os.read",
        parameters=piece("bytes that os.read is asked for"),
        compute_only="python/consume-bytes",
        open=_read,
    ),
    Strategy(
        name="python/os-preadv",
        title="os.open, os.preadv, buffer reused",
        call="os.preadv",
        parameters=piece("bytes of the bytearray given to preadv"),
        buffer="reused",
        effort=3,
        compute_only="python/consume-bytes",
        function="preadv",
        open=_preadv,
    ),
]
