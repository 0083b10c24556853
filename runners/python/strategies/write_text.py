"""Text written in pieces, and line by line."""

from harness.consume import pieces
from harness.strategy import Strategy, piece
from harness.writing import DURABILITIES, MODES, opening


def _write(setup):
    opened = opening(setup, "", encoding="utf-8")
    parts, length = pieces(setup.payload, setup.parameters["block"]), len(setup.payload)

    def operation(path):
        with opened(path) as file:
            for part in parts:
                file.write(part)
        return length, 0

    return operation


def _lines(setup):
    return setup.payload.splitlines(keepends=True), len(setup.payload)


def _write_lines(setup):
    opened = opening(setup, "", encoding="utf-8")
    lines, length = _lines(setup)

    def operation(path):
        with opened(path) as file:
            for line in lines:
                file.write(line)
        return length, 0

    return operation


def _print_lines(setup):
    opened = opening(setup, "", encoding="utf-8")
    lines, length = _lines(setup)

    def operation(path):
        with opened(path) as file:
            for line in lines:
                print(line, end="", file=file)
        return length, 0

    return operation


def _writelines(setup):
    opened = opening(setup, "", encoding="utf-8")
    lines, length = _lines(setup)

    def operation(path):
        with opened(path) as file:
            file.writelines(lines)
        return length, 0

    return operation


def _strategy(name, call, title, open, unit="line", parameters=None):
    return Strategy(
        name=name,
        title=title,
        call=call,
        operation="write",
        unit=unit,
        sums="codepoint",
        consumes=("none",),
        modes=MODES,
        durabilities=DURABILITIES,
        parameters=parameters or {},
        open=open,
    )


STRATEGIES = [
    _strategy(
        "python/text-write",
        "open('w').write",
        "open(path, 'w', encoding='utf-8').write(text)",
        _write,
        "block",
        piece("characters of the pieces given to write", "chars"),
    ),
    _strategy(
        "python/text-write-lines",
        "open('w').write, each line",
        "open(path, 'w', encoding='utf-8').write(line)",
        _write_lines,
    ),
    _strategy(
        "python/print",
        "print(line, file=f)",
        "print(line, end='', file=open(path, 'w'))",
        _print_lines,
    ),
    _strategy(
        "python/text-writelines",
        "open('w').writelines",
        "open(path, 'w', encoding='utf-8').writelines(lines)",
        _writelines,
    ),
]
