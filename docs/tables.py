"""Write the tables that follow from the code into the pages that show them: `python docs/tables.py`
after a change of src/iogauge/model/figures.py, of a runner's catalogue or of a command.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from iogauge.commands import cli
from iogauge.commands.arguments import FILE
from iogauge.model import figures
from iogauge.model.strategy import Strategy
from iogauge.model.units import short_size
from iogauge.runners import catalogue, manifest

DOCS = Path(__file__).parent


def strategies() -> str:
    """A table per language of what can be measured, without compute-only variants and ceilings."""
    by_language: dict[str, list[Strategy]] = {}
    for path in sorted(DOCS.parent.glob(f"runners/*/{catalogue.NAME}")):
        for each in catalogue.read(manifest.load(path.parent)).strategies:
            if each.role in ("contestant", "published"):
                by_language.setdefault(each.language, []).append(each)
    lines = []
    for language, found in sorted(by_language.items()):
        lines += ["", f"## {manifest.name_of(language)}", ""]
        lines += [
            "| name | what it is | does | unit | how | effort | in a study | parameters |",
            "|---|---|---|---|---|---|---|---|",
        ]
        lines += [_row(each) for each in sorted(found, key=_does)]
    return "\n".join(lines[1:])


def _row(strategy: Strategy) -> str:
    parameters = ", ".join(
        f"{name} = {short_size(each.default)}" for name, each in strategy.parameters.items()
    )
    return (
        f"| `{strategy.call}` | {strategy.title} | {_does(strategy)} | {strategy.unit} "
        f"| {', '.join(strategy.handling)} | {strategy.effort} | `{strategy.name}` "
        f"| {parameters} |"
    )


_FILES = {"gzip": "a gzip file", "json-lines": "JSON lines"}


def _does(strategy: Strategy) -> str:
    file = _FILES.get(strategy.format, "a file")
    where = "in memory" if strategy.medium == "memory" else file
    at = " at random offsets" if strategy.access == "random" else ""
    return f"{strategy.operation} {where}{at}"


def commands() -> str:
    """A section per command: how it is called, what it does, and a table of its options."""
    lines = [line for name, each in _commands() for line in _section(name, each)]
    return "\n".join(lines[1:])


def _commands() -> Iterator[tuple[str, Any]]:
    """Each command with its name; of a group of commands, each of them."""
    app: Any = typer.main.get_command(cli.app)
    for name, each in app.commands.items():
        if name == FILE:
            yield "iogauge", each
        elif hasattr(each, "commands"):
            yield from ((f"iogauge {name} {word}", one) for word, one in each.commands.items())
        else:
            yield f"iogauge {name}", each


def _section(name: str, command: Any) -> Iterator[str]:
    context = typer.Context(command, info_name=name)
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    options = [each for each in command.params if each not in arguments]
    call = " ".join([name, *(each.metavar for each in arguments)])
    yield from ("", f"### `{call}`", "", " ".join(command.help.split()))
    if command.params:
        yield from ("", "| | |", "|---|---|")
    for each in arguments:
        yield _row_of(each.metavar, each.help)
    for each in options:
        yield _row_of(*each.get_help_record(context))


def _row_of(name: str, text: str) -> str:
    name, text = (each.replace("|", r"\|") for each in (name, text))
    return f"| `{name}` | {text} |"


def evidence() -> str:
    """A line for each exported figure."""
    rows = [
        f"| `{each.name}` | {each.unit} | {each.rule} | {_counted_by(each.counter)} | {each.says} |"
        for each in figures.FIGURES
        if each.exported
    ]
    return "\n".join(
        ["| key | unit | rule | counted by | what it is |", "|---|---|---|---|---|", *rows]
    )


def _counted_by(counter: figures.Counter | None) -> str:
    if counter is None:
        return "the strategy's compute-only variant"
    if counter.part != "evidence":
        return counter.source
    numbers = counter.key.split()
    field = f"`{counter.key}`"
    if numbers[0].isdigit():
        field = f"field{'s' if len(numbers) > 1 else ''} {' + '.join(numbers)}"
    return f"`/proc/PID/{counter.source}`, {field}"


TABLES = {
    "command-line.md": ("commands", commands()),
    "export-json.md": ("figures", evidence()),
    "strategies.md": ("strategies", strategies()),
}
"""By page: the name between its markers, and the table that belongs there."""


def written(page: str, name: str, table: str) -> str:
    """The page with this table between its markers. Raises ValueError where it has none."""
    begin, end = f"<!-- {name}: written by docs/tables.py -->\n", f"\n<!-- end of {name} -->"
    start = page.index(begin) + len(begin)
    return page[:start] + table + page[page.index(end, start) :]


if __name__ == "__main__":
    for file, (name, table) in TABLES.items():
        path = DOCS / file
        path.write_text(written(path.read_text(), name, table))
