"""All lines as a list."""

from pathlib import Path

from harness.consume import LINES
from harness.strategy import TEXTS, Strategy


def _readlines(setup):
    consume = LINES[setup.consume]

    def operation(path):
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
        return consume(lines)

    return operation


def _splitlines(setup):
    consume = LINES[setup.consume]

    def operation(path):
        return consume(Path(path).read_text(encoding="utf-8").splitlines())

    return operation


def _strategy(name, call, title, memory, open, trips_on=("lone-cr",)):
    return Strategy(
        name=name,
        title=title,
        call=call,
        unit="file",
        sums="line-codepoint",
        consumes=TEXTS,
        effort=1,
        compute_only="python/decode-lines",
        memory_per_file_byte=memory,
        trips_on=trips_on,
        open=open,
    )


STRATEGIES = [
    _strategy(
        "python/readlines",
        "open().readlines",
        "open(path, encoding='utf-8').readlines()",
        4.0,
        _readlines,
    ),
    _strategy(
        "python/read-text-splitlines",
        "Path.read_text().splitlines",
        "Path(path).read_text('utf-8').splitlines()",
        6.0,
        _splitlines,
        ("lone-cr", "form-feed", "separators", "next-line", "line-separator"),
    ),
]
