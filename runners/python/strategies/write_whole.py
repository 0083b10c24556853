"""All at once, by one call of pathlib."""

from pathlib import Path

from harness.strategy import Strategy


def _bytes(setup):
    data = setup.payload
    return lambda path: (Path(path).write_bytes(data), 0)


def _text(setup):
    text = setup.payload
    return lambda path: (Path(path).write_text(text, encoding="utf-8"), 0)


def _strategy(name, call, title, sums, open):
    return Strategy(
        name=name,
        title=title,
        call=call,
        operation="write",
        unit="file",
        sums=sums,
        consumes=("none",),
        modes=("truncate",),
        durabilities=("none",),
        effort=1,
        memory_per_file_byte=0.0 if sums == "byte" else 1.0,
        open=open,
    )


STRATEGIES = [
    _strategy(
        "python/write-bytes", "Path.write_bytes", "Path(path).write_bytes(data)", "byte", _bytes
    ),
    _strategy(
        "python/write-text",
        "Path.write_text",
        "Path(path).write_text(text, encoding='utf-8')",
        "codepoint",
        _text,
    ),
]
