"""Text as it is in the file: its line ends are not translated, which newline='' says."""

from pathlib import Path

from harness.consume import TEXT
from harness.strategy import TEXTS, Strategy, piece


def _whole(setup):
    consume = TEXT[setup.consume]

    def operation(path):
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        return len(text), consume(text)

    return operation


def _path(setup):
    consume = TEXT[setup.consume]

    def operation(path):
        text = Path(path).read_text(encoding="utf-8", newline="")
        return len(text), consume(text)

    return operation


def _blocks(setup):
    consume, block = TEXT[setup.consume], setup.parameters["block"]

    def operation(path):
        count = total = 0
        with open(path, encoding="utf-8", newline="") as file:
            while text := file.read(block):
                count += len(text)
                total += consume(text)
        return count, total

    return operation


def _strategy(name, call, title, open, **more):
    return Strategy(
        name=name,
        title=title,
        call=call,
        sums="codepoint",
        consumes=TEXTS,
        compute_only="python/decode-text",
        open=open,
        **more,
    )


STRATEGIES = [
    _strategy(
        "python/text-read",
        "open(newline='').read()",
        "open(path, encoding='utf-8', newline='').read()",
        _whole,
        unit="file",
        effort=1,
        memory_per_file_byte=5.0,
    ),
    _strategy(
        "python/read-text",
        "Path.read_text(newline='')",
        "Path(path).read_text(encoding='utf-8', newline='')",
        _path,
        unit="file",
        effort=1,
        memory_per_file_byte=5.0,
        runtime="3.13",
    ),
    _strategy(
        "python/text-file-read",
        "open(newline='').read(n)",
        "open(path, encoding='utf-8', newline='').read(n)",
        _blocks,
        parameters=piece("characters that read is asked for", "chars"),
    ),
]
