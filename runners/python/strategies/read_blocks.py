"""File objects asked for one block after the other: each block is a new bytes object."""

from harness.consume import BYTES
from harness.strategy import Strategy, buffer, piece


def _reading(buffering):
    """`buffering` gives the argument of that name from the parameters."""

    def _open(setup):
        consume, block = BYTES[setup.consume], setup.parameters["block"]
        size = buffering(setup.parameters)

        def operation(path):
            offset = total = 0
            with open(path, "rb", buffering=size) as file:
                while data := file.read(block):
                    total += consume(data, offset)
                    offset += len(data)
            return offset, total

        return operation

    return _open


def _strategy(name, call, title, buffering, more=None):
    return Strategy(
        name=name,
        title=title,
        call=call,
        parameters={**piece("bytes that read is asked for"), **(more or {})},
        compute_only="python/consume-bytes",
        open=_reading(buffering),
    )


STRATEGIES = [
    _strategy(
        "python/file-read", "open().read(n)", "open(path, 'rb').read(n)", lambda parameters: -1
    ),
    _strategy(
        "python/buffered-read",
        "open(buffering=N).read(n)",
        "open(path, 'rb', buffering=N).read(n)",
        lambda parameters: parameters["buffer"],
        buffer(),
    ),
    _strategy(
        "python/raw-read",
        "open(buffering=0).read(n)",
        "open(path, 'rb', buffering=0).read(n)",
        lambda parameters: 0,
    ),
]
