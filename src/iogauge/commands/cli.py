"""The command line: a table of contents. Everything heavy is imported by the command that needs it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, TextIO

import typer

from iogauge.model.status import BAD_INPUT, DONE, INTERRUPTED

app = typer.Typer(
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Which file API, with which buffer size: measured under conditions that are set and proven. See `iogauge COMMAND --help`.",
    epilog="Exit status: 0 done; 1 the answer is no; 2 bad usage or input; 3 measured, but something failed; 130 interrupted, resumable.",
)

Studies = Annotated[
    list[str] | None,
    typer.Argument(help="Ids of built-in studies, or TOML files.", metavar="[STUDY]..."),
]
RunPath = Annotated[
    Path | None, typer.Argument(help="A run file (default: the newest).", metavar="[RUN]")
]
StudyVersion = Annotated[
    str | None,
    typer.Option(
        "--study", help="Judge by the claims of this version of the run's study.", metavar="STUDY"
    ),
]
Directory = Annotated[
    Path | None,
    typer.Option(
        "--dir", help="Where data files are made (default: our cache folder).", metavar="PATH"
    ),
]
Runtimes = Annotated[
    list[str] | None,
    typer.Option(
        "--runtime",
        help="Use this runtime, e.g. jvm=/path/to/jdk; repeat to compare several.",
        metavar="NAME=PATH",
    ),
]
RuntimeOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--runtime-option",
        help="Measure every case of a runtime with this option too, beside itself without, e.g. jvm=-XX:+UseZGC; several words are one setting, repeat for more.",
        metavar="NAME=OPTION",
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", help="Only strategies that match, e.g. 'java/*'.", metavar="GLOB"),
]
Budget = Annotated[str | None, typer.Option(help="Time to spend, e.g. 2m.")]
Precision = Annotated[
    str | None, typer.Option(help="Half-width of the intervals asked for, e.g. 3%.")
]
MaxSize = Annotated[
    str | None, typer.Option("--max-size", help="Leave out larger files, e.g. 64M.")
]
ProtocolOption = Annotated[
    str | None,
    typer.Option(
        "--protocol",
        help="How to measure: sound (default), or published: as the authors of the study's source did.",
        metavar="sound|published",
    ),
]
Seed = Annotated[
    int | None, typer.Option(help="Seed of the random orders (default: drawn, and recorded).")
]


@app.callback(invoke_without_command=True)
def home(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        from iogauge.commands import looking

        raise typer.Exit(looking.home())


@app.command()
def run(
    studies: Studies = None,
    only: Only = None,
    protocol: ProtocolOption = None,
    budget: Budget = None,
    precision: Precision = None,
    max_size: MaxSize = None,
    directory: Directory = None,
    out: Annotated[
        Path | None, typer.Option(help="Run file to write.", metavar="RUN.jsonl")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Go on with a run that was cut short.", metavar="RUN.jsonl")
    ] = None,
    runtime: Runtimes = None,
    runtime_option: RuntimeOptions = None,
    seed: Seed = None,
) -> None:
    """Measure studies (default: quick) and show the answer."""
    from iogauge.commands import measuring

    options = measuring.Given(
        only, budget, precision, max_size, runtime, runtime_option, seed, protocol
    )
    if resume:
        raise typer.Exit(measuring.resume(resume, studies or [], options, directory))
    raise typer.Exit(measuring.run(studies or ["quick"], options, directory, out))


@app.command()
def plan(
    studies: Studies = None,
    only: Only = None,
    protocol: ProtocolOption = None,
    budget: Budget = None,
    precision: Precision = None,
    max_size: MaxSize = None,
    runtime: Runtimes = None,
    runtime_option: RuntimeOptions = None,
    seed: Seed = None,
) -> None:
    """What would be measured, in which order, and about how long it takes."""
    from iogauge.commands import measuring

    raise typer.Exit(
        measuring.plan(
            studies or ["quick"],
            measuring.Given(
                only, budget, precision, max_size, runtime, runtime_option, seed, protocol
            ),
        )
    )


@app.command()
def show(
    run: RunPath = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also what was not used, and why.")
    ] = False,
) -> None:
    """The tables of a run, in the terminal."""
    from iogauge.commands import looking

    raise typer.Exit(looking.show(run, everything))


@app.command()
def explain(
    run: RunPath = None,
    trace: Annotated[
        bool,
        typer.Option(
            "--trace",
            help="Also do one operation of each case under strace (here, now), and count its system calls.",
        ),
    ] = False,
    directory: Directory = None,
    runtime: Runtimes = None,
) -> None:
    """Why: calls, bytes per call, processor time, faults, allocation, work that is not I/O, and how
    far each is from the ceiling.
    """
    from iogauge.commands import looking

    raise typer.Exit(looking.explain(run, trace, directory, runtime))


@app.command()
def claims(run: RunPath = None, study: StudyVersion = None) -> None:
    """Published numbers beside measured ones, and a verdict on each claim of the study."""
    from iogauge.commands import looking

    raise typer.Exit(looking.claims(run, study))


@app.command()
def export(
    run: RunPath = None,
    output_format: Annotated[str, typer.Option("--format", help="json, csv or markdown.")] = "json",
    study: StudyVersion = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write (default: standard output).")
    ] = None,
) -> None:
    """A run's results in another format."""
    from iogauge.commands import looking

    raise typer.Exit(looking.export(run, output_format, study, out))


@app.command()
def report(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(help="Run files (default: the newest).", metavar="[RUN]..."),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Page to write.", metavar="X.html")
    ] = Path("report.html"),
) -> None:
    """One page to look at: answers, figures, evidence; needs no network."""
    from iogauge.commands import looking

    raise typer.Exit(looking.report(runs or [], out))


@app.command()
def advise(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Run files (default: those of ours that were measured here).", metavar="[RUN]..."
        ),
    ] = None,
    language: Annotated[str | None, typer.Option(help="One language (default: each).")] = None,
    operation: Annotated[str, typer.Option(help="read, write or copy.")] = "read",
    unit: Annotated[
        str, typer.Option(help="As what the program takes it: byte, char or line.")
    ] = "byte",
    size: Annotated[str | None, typer.Option(help="Of the file, e.g. 4M.")] = None,
    cache: Annotated[str | None, typer.Option(help="warm (default) or cold.")] = None,
    durability: Annotated[
        str | None,
        typer.Option(
            help="Of what is written: none (default), fsync, dsync, sync-inode or sync-mount."
        ),
    ] = None,
    record: Annotated[
        str | None, typer.Option(help="The pieces in which the program hands it over, e.g. 100.")
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            help="Measure on this file of yours: it is read, put into the cache or out of it, never changed; its path is not kept.",
            metavar="PATH",
        ),
    ] = None,
    measure: Annotated[bool, typer.Option("--run", help="Measure what no run tells.")] = False,
    budget: Annotated[
        str | None, typer.Option(help="Time to spend on that (default: 27 s).")
    ] = None,
    directory: Directory = None,
    runtime: Runtimes = None,
) -> None:
    """The simplest way and the smallest block that are within 5 % of the best, with code."""
    from iogauge.commands import advising

    asked = advising.Asked(language, operation, unit, size, cache, durability, record)
    raise typer.Exit(advising.advise(runs or [], asked, file, measure, budget, directory, runtime))


@app.command()
def chart(
    run: RunPath = None,
    kind: Annotated[
        str, typer.Option(help="blocks, ranking, sizes, published, samples or schedule.")
    ] = "ranking",
    number: Annotated[int, typer.Option(help="Which of several.")] = 1,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Picture to write.", metavar="X.svg|X.png")
    ] = Path("chart.svg"),
) -> None:
    """One picture of a run."""
    from iogauge.commands import looking

    raise typer.Exit(looking.chart(run, kind, number, out))


@app.command(name="list")
def list_(
    what: Annotated[
        str,
        typer.Argument(
            help="studies, strategies or runtimes.", metavar="studies|strategies|runtimes"
        ),
    ],
    runtime: Runtimes = None,
) -> None:
    """What there is: studies, strategies or runtimes."""
    from iogauge.commands import machine

    raise typer.Exit(machine.list_(what, runtime))


@app.command()
def check(
    what: Annotated[
        Path,
        typer.Argument(
            help="A study file, or the folder of a runner.", metavar="STUDY.toml|RUNNER-FOLDER"
        ),
    ],
) -> None:
    """Is this study valid, does this runner keep the contract?"""
    from iogauge.commands import machine

    raise typer.Exit(machine.check(what))


@app.command()
def doctor(directory: Directory = None) -> None:
    """What this machine offers for measuring, and what disturbs it."""
    from iogauge.commands import machine

    raise typer.Exit(machine.doctor(directory))


@app.command()
def clean(directory: Directory = None) -> None:
    """Remove our data files and the built runners. Run files stay."""
    from iogauge.commands import machine

    raise typer.Exit(machine.clean(directory))


def _unread(output: TextIO) -> int:
    """Whoever read our output has seen enough: the rest goes nowhere, without complaint."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())
    return DONE


def main() -> None:
    for stream in (sys.stdout, sys.stderr):  # an encoding without × must not cost a measurement
        stream.reconfigure(errors="replace")
    output = sys.stdout
    try:
        status = app(standalone_mode=False)
        output.flush()
    except SystemExit:
        if sys.stdout is output:
            raise
        sys.exit(_unread(output))  # Click puts something else there when nobody reads it any more
    except typer.TyperException as error:
        print(f"iogauge: {error.format_message()} (see iogauge --help)", file=sys.stderr)
        sys.exit(BAD_INPUT)
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        sys.exit(_unread(output))
    except OSError as error:  # a disk, a permission, a limit: the machine's, not a bug's
        what = (
            f"{error.filename}: {error.strerror}"
            if error.filename
            else error.strerror or str(error)
        )
        print(f"iogauge: {what}", file=sys.stderr)
        sys.exit(BAD_INPUT)
    except Exception as error:
        from iogauge.model.errors import UserError

        if not isinstance(error, UserError):
            raise
        from iogauge.model.text import for_stream

        print(for_stream(f"iogauge: {error}", sys.stderr), file=sys.stderr)
        sys.exit(BAD_INPUT)
    sys.exit(status or DONE)
