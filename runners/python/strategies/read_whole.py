"""The whole file as one bytes object."""

from pathlib import Path

from harness.consume import BYTES
from harness.strategy import Strategy


def _read(setup):
    consume = BYTES[setup.consume]

    def operation(path):
        with open(path, "rb") as file:
            data = file.read()
        return len(data), consume(data, 0)

    return operation


def _read_bytes(setup):
    consume = BYTES[setup.consume]

    def operation(path):
        data = Path(path).read_bytes()
        return len(data), consume(data, 0)

    return operation


def _strategy(name, call, title, open):
    return Strategy(
        name=name,
        title=title,
        call=call,
        unit="file",
        effort=1,
        compute_only="python/consume-bytes",
        memory_per_file_byte=1.0,
        open=open,
    )


STRATEGIES = [
    _strategy("python/read", "open().read()", "open(path, 'rb').read(), all at once", _read),
    _strategy("python/read-bytes", "Path.read_bytes", "Path(path).read_bytes()", _read_bytes),
]
