"""File objects that fill one bytearray again and again."""

from harness.consume import BYTES
from harness.strategy import Strategy, piece


def _filling(buffering):
    def _open(setup):
        consume = BYTES[setup.consume]
        block = memoryview(bytearray(setup.parameters["block"]))
        size = len(block)

        def operation(path):
            offset = total = 0
            with open(path, "rb", buffering=buffering) as file:
                while n := file.readinto(block):
                    total += consume(block if n == size else block[:n], offset)
                    offset += n
            return offset, total

        return operation

    return _open


def _strategy(name, call, title, buffering):
    return Strategy(
        name=name,
        title=title,
        call=call,
        parameters=piece("bytes of the bytearray given to readinto"),
        effort=3,
        buffer="new" if buffering else "reused",  # a buffered file has one of its own
        compute_only="python/consume-bytes",
        open=_filling(buffering),
    )


STRATEGIES = [
    _strategy("python/readinto", "open().readinto", "open(path, 'rb').readinto, buffer reused", -1),
    _strategy(
        "python/raw-readinto",
        "open(buffering=0).readinto",
        "open(path, 'rb', buffering=0).readinto, buffer reused",
        0,
    ),
]
