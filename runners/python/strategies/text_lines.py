"""One line after the other."""

from harness.consume import BYTE_LINES, LINES
from harness.strategy import TEXTS, Strategy, buffer


def _iterating(consumers, *mode, **more):
    def _open(setup):
        consume = consumers[setup.consume]
        buffering = setup.parameters.get("buffer", -1)

        def operation(path):
            with open(path, *mode, buffering=buffering, **more) as lines:
                return consume(lines)

        return operation

    return _open


def _readline(setup):
    consume = LINES[setup.consume]

    def operation(path):
        with open(path, encoding="utf-8") as file:
            return consume(iter(file.readline, ""))

    return operation


def _strategy(name, call, title, open, sums="line-codepoint", effort=1, **more):
    return Strategy(
        name=name,
        title=title,
        call=call,
        unit="line",
        sums=sums,
        consumes=TEXTS,
        effort=effort,
        open=open,
        **{"compute_only": _IN_MEMORY[sums], "trips_on": ("lone-cr",), **more},
    )


_IN_MEMORY = {"line-codepoint": "python/decode-lines", "line-byte": "python/split-lines"}
_AS_THEY_END = {"trips_on": ("final-cr",)}
"""Of lines that end with LF only: the harness cuts off a carriage return before that, or at the end
of the file."""

STRATEGIES = [
    _strategy(
        "python/text-lines",
        "for line in open()",
        "for line in open(path, encoding='utf-8')",
        _iterating(LINES, encoding="utf-8"),
    ),
    _strategy(
        "python/text-lines-buffered",
        "for line in open(buffering=N)",
        "for line in open(path, encoding='utf-8', buffering=N)",
        _iterating(LINES, encoding="utf-8"),
        parameters=buffer("bytes of the buffer below the text (buffering)"),
    ),
    _strategy(
        "python/text-lines-as-they-end",
        "for line in open(newline='\\n')",
        "for line in open(path, newline='\\n'), ends kept",
        _iterating(LINES, encoding="utf-8", newline="\n"),
        compute_only="python/decode-lines-as-they-end",
        **_AS_THEY_END,
    ),
    _strategy(
        "python/text-lines-untranslated",
        "for line in open(newline='')",
        "for line in open(path, newline=''), any end kept",
        _iterating(LINES, encoding="utf-8", newline=""),
    ),
    _strategy(
        "python/latin1-lines",
        "for line in open(latin-1)",
        "for line in open(path, encoding='latin-1')",
        _iterating(LINES, encoding="latin-1"),
        sums="line-byte",
    ),
    _strategy(
        "python/byte-lines",
        "for line in open('rb')",
        "for line in open(path, 'rb')",
        _iterating(BYTE_LINES, "rb"),
        sums="line-byte",
        **_AS_THEY_END,
    ),
    _strategy(
        "python/readline",
        "open().readline",
        "open(path, encoding='utf-8').readline",
        _readline,
        effort=2,
    ),
]
