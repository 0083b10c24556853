"""The command line of `iogauge new`."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Write files to begin with, into this folder: code to be measured, a runner or a study.",
)
_Name = Annotated[str, typer.Argument(help="What it is to be called.", metavar="NAME")]


@app.command()
def strategy(
    name: _Name,
    language: Annotated[str, typer.Option("--language", help="Its language.")] = "python",
) -> None:
    """Write a way to read a file that `iogauge FILE --own` measures."""
    from iogauge.commands import beginning

    raise typer.Exit(beginning.strategy(name, language))


@app.command()
def runner(name: _Name) -> None:
    """Write a runner, which adds a language: it speaks with iogauge, and reads files."""
    from iogauge.commands import beginning

    raise typer.Exit(beginning.runner(name))


@app.command()
def study(
    name: _Name,
    table: Annotated[
        Path | None,
        typer.Option(
            "--from",
            help="Begin with a published table, in Markdown: a row per strategy, a column per size "
            "of the file, the unit in its head, e.g. `strategy [ms]`.",
            metavar="TABLE.md",
        ),
    ] = None,
) -> None:
    """Write a study that `iogauge run` measures."""
    from iogauge.commands import beginning

    raise typer.Exit(beginning.study(name, table))
