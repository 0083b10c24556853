"""What strategies do besides reading, alone and in memory."""

from io import BytesIO, TextIOWrapper

from harness.consume import BYTE_LINES, BYTES, LINES, TEXT
from harness.strategy import READS, TEXTS, Strategy, piece


def _blocks(setup):
    consume, data = BYTES[setup.consume], memoryview(setup.payload)
    block = setup.parameters["block"]

    def operation(path):
        total = 0
        for offset in range(0, len(data), block):
            total += consume(data[offset : offset + block], offset)
        return len(data), total

    return operation


def _text(setup):
    consume, data = TEXT[setup.consume], setup.payload

    def operation(path):
        text = data.decode()
        return len(text), consume(text)

    return operation


def _lines(**more):
    def _open(setup):
        consume, data = LINES[setup.consume], setup.payload
        return lambda path: consume(TextIOWrapper(BytesIO(data), encoding="utf-8", **more))

    return _open


def _byte_lines(setup):
    consume, data = BYTE_LINES[setup.consume], setup.payload
    return lambda path: consume(BytesIO(data))


def _strategy(name, call, open, **more):
    return Strategy(
        name=name, title=call, call=call, medium="memory", role="compute_only", open=open, **more
    )


STRATEGIES = [
    _strategy(
        "python/consume-bytes",
        "consuming bytes",
        _blocks,
        consumes=READS,
        parameters=piece("bytes consumed at a time"),
    ),
    _strategy(
        "python/decode-text",
        "decoding to a str",
        _text,
        unit="file",
        sums="codepoint",
        consumes=TEXTS,
    ),
    _strategy(
        "python/decode-lines",
        "decoding line by line",
        _lines(),
        unit="line",
        sums="line-codepoint",
        consumes=TEXTS,
    ),
    _strategy(
        "python/decode-lines-as-they-end",
        "decoding, lines as they end",
        _lines(newline="\n"),
        unit="line",
        sums="line-codepoint",
        consumes=TEXTS,
    ),
    _strategy(
        "python/split-lines",
        "lines of bytes, in memory",
        _byte_lines,
        unit="line",
        sums="line-byte",
        consumes=TEXTS,
    ),
]
