"""The arguments of `iogauge command`."""

# Annotations stay objects here, as in cli.py.

from pathlib import Path
from typing import Annotated

import typer

from iogauge.commands import values
from iogauge.commands.arguments import Directory, Precision, RunOut, Seed, Tolerance

Commands = Annotated[
    list[str],
    typer.Argument(
        help="Commands, each in quotes, with {file} where its file goes. No shell runs them, "
        "unless they have what only a shell understands.",
        metavar="COMMAND...",
    ),
]
Files = Annotated[
    list[Path] | None,
    typer.Option("--file", help="A file of yours for {file}; repeat for several.", metavar="PATH"),
]
Sizes = Annotated[
    str | None,
    typer.Option("--size", help="Make a file of this size for {file}, e.g. 64M (default: 16M)."),
]
Content = Annotated[
    str,
    typer.Option(
        "--content",
        help="What that file holds: bytes or text.",
        autocompletion=values.of("bytes", "text"),
    ),
]
Blocks = Annotated[
    str | None, typer.Option("--block", help="Values for {block}, in bytes, e.g. 4K,64K,1M.")
]
Parameters = Annotated[
    list[str] | None,
    typer.Option(
        "--parameter",
        help="Values for {NAME}: numbers, or words. Repeat for several.",
        metavar="NAME=1,2,4",
    ),
]
Caches = Annotated[
    str | None,
    typer.Option(
        "--cache",
        help="Whether the file is in the page cache: warm, cold, or both (default: warm,cold).",
        metavar="warm,cold",
        autocompletion=values.of("warm", "cold", "warm,cold"),
    ),
]
Names = Annotated[
    list[str] | None,
    typer.Option("--name", "-n", help="What to call a command; repeat for others, in their order."),
]
Prepare = Annotated[
    list[str] | None,
    typer.Option(
        "--prepare",
        "-p",
        help="A command to run, untimed, before each run; one for all, or one for each command.",
        metavar="COMMAND",
    ),
]
IgnoreFailure = Annotated[
    bool,
    typer.Option("--ignore-failure", "-i", help="An exit status that is not 0 is no failure."),
]
Budget = Annotated[
    str | None,
    typer.Option(
        help="Time to spend on each file, e.g. 2m (default: 30s). With --resume: the time in all, "
        "with what was spent before."
    ),
]
Resume = Annotated[
    Path | None,
    typer.Option(
        help="Go on with a run of the same commands, which are to be given again, with the same "
        "options. `newest`: the one last written to.",
        metavar="RUN.jsonl",
    ),
]
Limit = Annotated[
    str | None,
    typer.Option("--limit", help="End a run that takes longer, e.g. 5m (default: 60s)."),
]
Output = Annotated[
    str,
    typer.Option(
        "--output",
        help="Where commands write to: null (/dev/null), or pipe. Some do less work for /dev/null.",
        autocompletion=values.of("null", "pipe"),
    ),
]


def command(
    commands: Commands,
    file: Files = None,
    size: Sizes = None,
    content: Content = "bytes",
    block: Blocks = None,
    parameter: Parameters = None,
    cache: Caches = None,
    name: Names = None,
    prepare: Prepare = None,
    limit: Limit = None,
    output: Output = "null",
    ignore_failure: IgnoreFailure = False,
    budget: Budget = None,
    precision: Precision = None,
    tolerance: Tolerance = None,
    seed: Seed = None,
    directory: Directory = None,
    out: RunOut = None,
    resume: Resume = None,
) -> None:
    """Compare whole commands on a file, cached and from disk, without root."""
    from iogauge.commands import whole_commands
    from iogauge.commands.given import Given

    asked = whole_commands.Asked(
        commands=commands,
        given=Given(budget=budget, precision=precision, tolerance=tolerance, seed=seed),
        files=file or (),
        size=size,
        content=content,
        block=block,
        parameters=parameter or (),
        cache=cache,
        names=name or (),
        prepare=prepare or (),
        limit=limit,
        output=output,
        ignore_failure=ignore_failure,
        resume=resume,
    )
    raise typer.Exit(whole_commands.command(asked, directory, out))
