"""The command line: a table of contents. Each command imports what it needs when it is called."""

# Annotations stay objects here: Typer would have to evaluate each as text, a seventh of the start.

import sys
from pathlib import Path
from typing import Annotated

import typer

from iogauge import __version__
from iogauge.commands import command_line, new, streams, troubles, values
from iogauge.commands.arguments import (
    AccessOption,
    AsJson,
    Budget,
    CacheOption,
    CompareOption,
    Details,
    Directory,
    DurabilityOption,
    ExportOut,
    Format,
    FreshLimits,
    HalfMinute,
    Kind,
    Language,
    MaxSize,
    Only,
    OperationOption,
    OwnCode,
    PageOut,
    PageRuns,
    PictureOut,
    Precision,
    ProtocolOption,
    Question,
    RecordOption,
    Resume,
    RunOut,
    RunPath,
    Runs,
    RuntimeOptions,
    Runtimes,
    Seed,
    SizeOption,
    Studies,
    StudyVersion,
    Tolerance,
    TraceOption,
    UnitOption,
    UsersFile,
)
from iogauge.commands.words import FILE, Words
from iogauge.model.status import BAD_INPUT, DONE, INTERRUPTED, SOMETHING_FAILED

app = typer.Typer(
    cls=Words,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Measure how languages read and write files, and say which way to use on this machine. "
    "`iogauge FILE` says in half a minute what is the best way to read that file; a path with a "
    "slash is always a file. See `iogauge COMMAND --help`.",
    epilog="Exit status: 0 done; 1 a check failed, or there is no advice; 2 bad usage or input; "
    "3 measured, but something failed; 130 interrupted, can be resumed.",
)


app.add_typer(new.app, name="new")


@app.callback(invoke_without_command=True)
def home(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", is_eager=True)
    ] = False,
) -> None:
    if version:
        print(f"iogauge {__version__}")
        raise typer.Exit()
    if context.invoked_subcommand is None:
        from iogauge.commands import looking

        raise typer.Exit(looking.home())


@app.command(FILE, hidden=True)
def file_answer(
    file: Annotated[Path, typer.Argument(help="The file. It is only ever read.", metavar="FILE")],
    language: Language = None,
    budget: HalfMinute = None,
    directory: Directory = None,
    runtime: Runtimes = None,
    own: OwnCode = None,
) -> None:
    """Say what is the best way to read a file: measured now, cached and from disk, in each language
    that is here, with code to copy.
    """
    from iogauge.commands import file_answer

    raise typer.Exit(file_answer.file_answer(file, language, budget, directory, runtime, own))


@app.command()
def run(
    studies: Studies = None,
    only: Only = None,
    question: Question = None,
    protocol: ProtocolOption = None,
    budget: Budget = None,
    precision: Precision = None,
    tolerance: Tolerance = None,
    compare: CompareOption = None,
    max_size: MaxSize = None,
    directory: Directory = None,
    out: RunOut = None,
    resume: Resume = None,
    runtime: Runtimes = None,
    own: OwnCode = None,
    runtime_option: RuntimeOptions = None,
    seed: Seed = None,
    fresh_limits: FreshLimits = False,
) -> None:
    """Measure studies and show the answers."""
    from iogauge.commands import measuring
    from iogauge.commands.given import Given

    options = Given(
        only=only,
        budget=budget,
        precision=precision,
        tolerance=tolerance,
        compare=compare,
        max_size=max_size,
        runtime=runtime,
        own=own,
        runtime_option=runtime_option,
        seed=seed,
        protocol=protocol,
        fresh_limits=fresh_limits,
        question=question,
    )
    if resume:
        raise typer.Exit(measuring.resume(resume, studies or [], options, directory))
    raise typer.Exit(measuring.run(studies or ["quick"], options, directory, out))


app.command()(command_line.command)


@app.command()
def plan(
    studies: Studies = None,
    only: Only = None,
    question: Question = None,
    protocol: ProtocolOption = None,
    budget: Budget = None,
    precision: Precision = None,
    tolerance: Tolerance = None,
    compare: CompareOption = None,
    max_size: MaxSize = None,
    runtime: Runtimes = None,
    runtime_option: RuntimeOptions = None,
    seed: Seed = None,
    directory: Directory = None,
    as_json: AsJson = False,
) -> None:
    """Show what would be measured, and in which order."""
    from iogauge.commands import measuring
    from iogauge.commands.given import Given

    raise typer.Exit(
        measuring.plan(
            studies or ["quick"],
            Given(
                only=only,
                budget=budget,
                precision=precision,
                tolerance=tolerance,
                compare=compare,
                max_size=max_size,
                runtime=runtime,
                runtime_option=runtime_option,
                seed=seed,
                protocol=protocol,
                question=question,
            ),
            directory,
            as_json,
        )
    )


@app.command()
def show(
    run: RunPath = None,
    details: Details = False,
    as_json: AsJson = False,
) -> None:
    """Show what to use, with a bar for each case."""
    from iogauge.commands import looking

    if as_json:
        raise typer.Exit(looking.export(run, "json", None, None))
    raise typer.Exit(looking.show(run, details))


@app.command()
def explain(
    run: RunPath = None,
    trace: TraceOption = False,
    directory: Directory = None,
    runtime: Runtimes = None,
) -> None:
    """Explain why each case takes its time. It shows system calls, bytes per call, processor time,
    page faults, allocation, work that is not I/O, and the distance from the machine's limit.
    """
    from iogauge.commands import looking

    raise typer.Exit(looking.explain(run, trace, directory, runtime))


@app.command()
def claims(run: RunPath = None, study: StudyVersion = None) -> None:
    """Compare published numbers with measured ones. Each claim of the study gets a verdict."""
    from iogauge.commands import looking

    raise typer.Exit(looking.claims(run, study))


@app.command()
def export(
    run: RunPath = None,
    output_format: Format = "json",
    study: StudyVersion = None,
    out: ExportOut = None,
) -> None:
    """Write a run's results in another format."""
    from iogauge.commands import looking

    raise typer.Exit(looking.export(run, output_format, study, out))


@app.command()
def report(
    runs: PageRuns = None,
    out: PageOut = Path("report.html"),
) -> None:
    """Write one web page with answers, figures and evidence. It needs no network."""
    from iogauge.commands import looking

    raise typer.Exit(looking.report(runs or [], out))


@app.command()
def advise(
    runs: Runs = None,
    language: Language = None,
    operation: OperationOption = "read",
    unit: UnitOption = "byte",
    size: SizeOption = None,
    cache: CacheOption = None,
    durability: DurabilityOption = None,
    record: RecordOption = None,
    access: AccessOption = "sequential",
    file: UsersFile = None,
    measure: Annotated[
        bool, typer.Option("--run", help="Measure now if no stored run answers this.")
    ] = False,
    budget: HalfMinute = None,
    directory: Directory = None,
    runtime: Runtimes = None,
    as_json: AsJson = False,
) -> None:
    """Say what to use for a workload, with code to copy. Of what is as fast as anything (within
    10 %, or the --tolerance of the run) it names the simplest way and the smallest block.
    """
    from iogauge.commands import advising
    from iogauge.commands.asked import Asked

    asked = Asked(language, operation, unit, size, cache, durability, record, access)
    view: advising.View = "advice-json" if as_json else "advice"
    raise typer.Exit(
        advising.advise(runs or [], asked, file, measure, budget, directory, runtime, view)
    )


@app.command()
def chart(
    run: RunPath = None,
    kind: Kind = "ranking",
    number: Annotated[int, typer.Option(help="Which of several such pictures.")] = 1,
    out: PictureOut = Path("chart.svg"),
) -> None:
    """Draw one picture of a run."""
    from iogauge.commands import looking

    raise typer.Exit(looking.chart(run, kind, number, out))


@app.command(name="list")
def list_(
    what: Annotated[
        str,
        typer.Argument(
            help="What to list: studies, strategies or runtimes.",
            metavar="studies|strategies|runtimes",
            autocompletion=values.of("studies", "strategies", "runtimes"),
        ),
    ],
    runtime: Runtimes = None,
    as_json: AsJson = False,
) -> None:
    """List the studies, strategies or runtimes that are here."""
    from iogauge.commands import machine

    raise typer.Exit(machine.list_(what, runtime, as_json))


@app.command()
def check(
    what: Annotated[
        Path,
        typer.Argument(
            help="A study file, the folder of a runner, or code of yours.",
            metavar="STUDY.toml|RUNNER-FOLDER|CODE",
        ),
    ],
    runtime: Runtimes = None,
) -> None:
    """Check that a study is valid, or that a runner or code of yours keeps the contract."""
    from iogauge.commands import machine

    raise typer.Exit(machine.check(what, runtime))


@app.command()
def doctor(directory: Directory = None, as_json: AsJson = False) -> None:
    """Show what this machine offers for measuring, and what disturbs."""
    from iogauge.commands import machine

    raise typer.Exit(machine.doctor(directory, as_json))


@app.command()
def clean(directory: Directory = None) -> None:
    """Remove data files and built runners. Run files stay."""
    from iogauge.commands import machine

    raise typer.Exit(machine.clean(directory))


def main() -> None:
    with streams.tolerant_streams():
        status = _carried_out()
        if why := streams.lost():
            print(f"iogauge: standard output: {why}", file=sys.stderr)
            status = status or BAD_INPUT
    sys.exit(status)


def _carried_out() -> int:
    """The exit status of the command line."""
    try:
        return app(prog_name="iogauge", standalone_mode=False) or DONE
    except typer.TyperException as error:
        return _failed(troubles.misused(error))
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except OSError as error:  # a disk, a permission, a limit: the machine's, not a bug's
        return _failed(troubles.trouble(error))
    except Exception as error:
        from iogauge.model.errors import BrokenOff, UserError

        if not isinstance(error, UserError):
            raise
        return _failed(str(error), SOMETHING_FAILED if isinstance(error, BrokenOff) else BAD_INPUT)


def _failed(why: str, status: int = BAD_INPUT) -> int:
    from iogauge.model.text import for_people, for_stream

    shown = for_people(f"iogauge: {why}", sys.argv[1:])
    print(for_stream(shown, sys.stderr), file=sys.stderr)
    return status
