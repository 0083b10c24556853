"""The command line: a table of contents. Each command imports what it needs when it is called."""

# Annotations stay objects here: Typer would have to evaluate each as text, a seventh of the start.

import sys
from pathlib import Path
from typing import Annotated

import typer

from iogauge import __version__
from iogauge.commands import arguments as arg
from iogauge.commands import errors, streams
from iogauge.commands.arguments import argument, one_by_one, option
from iogauge.commands.exits import BAD_INPUT

app = typer.Typer(
    cls=arg.Words,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Measure how languages read and write files, and say which way to use on this machine. "
    "`iogauge FILE` says in half a minute what is the best way to read that file; a path with a "
    "slash is always a file. See `iogauge COMMAND --help`.",
    epilog="Exit status: 0 done; 1 a check failed, or there is no advice; 2 bad usage or input; "
    "3 measured, but something failed; 130 interrupted, can be resumed.",
)
new_app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Write files to begin with, into this folder: code to be measured, a runner or a study.",
)
app.add_typer(new_app, name="new")
_NewName = Annotated[str, argument("NAME", "The name of the new files.")]


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


@app.command(arg.FILE, hidden=True)
def file_answer(
    file: Annotated[Path, argument("FILE", "The file. It is only ever read.")],
    language: arg.Language = None,
    budget: arg.HalfMinute = None,
    directory: arg.Directory = None,
    runtime: arg.Runtimes = None,
    own: arg.OwnCode = None,
) -> None:
    """Say what is the best way to read a file: measured now, cached and from disk, in each language
    that is here, with code to copy.
    """
    from iogauge.commands import file_answer

    raise typer.Exit(file_answer.file_answer(file, language, budget, directory, runtime, own))


@app.command()
@one_by_one
def run(
    options: arg.RunOptions,
    studies: arg.Studies = None,
    directory: arg.Directory = None,
    out: arg.RunOut = None,
    resume: Annotated[
        Path | None,
        option(
            "--resume RUN.jsonl",
            "Resume a run that was interrupted; with a larger --budget, also one that "
            "ended before all was decided. `newest`: the one last written to.",
        ),
    ] = None,
) -> None:
    """Measure studies and show the answers."""
    from iogauge.commands import measuring

    if resume:
        raise typer.Exit(measuring.resume(resume, studies or [], options, directory))
    raise typer.Exit(measuring.run(studies or ["quick"], options, directory, out))


@app.command()
@one_by_one
def command(
    options: arg.CommandOptions,
    commands: Annotated[
        list[str],
        argument(
            "COMMAND...",
            "Commands, each in quotes, with {file} where its file goes. No shell runs "
            "them, unless they have what only a shell understands.",
        ),
    ],
    directory: arg.Directory = None,
    out: arg.RunOut = None,
    resume: Annotated[
        Path | None,
        option(
            "--resume RUN.jsonl",
            "Resume a run of the same commands: give them again, with the same options. "
            "`newest`: the one last written to.",
        ),
    ] = None,
) -> None:
    """Compare whole commands on a file, cached and from disk, without root."""
    from iogauge.commands import whole_commands

    raise typer.Exit(whole_commands.command(commands, options, directory, out, resume))


@app.command()
@one_by_one
def plan(
    options: arg.PlanOptions,
    studies: arg.Studies = None,
    directory: arg.Directory = None,
    as_json: arg.AsJson = False,
) -> None:
    """Show what would be measured, and in which order."""
    from iogauge.commands import plans

    raise typer.Exit(plans.plan(studies or ["quick"], options, directory, as_json))


@app.command()
def show(
    run: arg.RunPath = None,
    details: Annotated[
        bool, option("--details", "Show all figures, warnings, and the samples that were not used.")
    ] = False,
    as_json: arg.AsJson = False,
) -> None:
    """Show what to use, with a bar for each case."""
    from iogauge.commands import looking

    if as_json:
        raise typer.Exit(looking.export(run, "json", None, None))
    raise typer.Exit(looking.show(run, details))


@app.command()
def explain(
    run: arg.RunPath = None,
    trace: Annotated[
        bool,
        option(
            "--trace",
            "Also run one operation of each case under strace, now and here, and count "
            "its system calls.",
        ),
    ] = False,
    directory: arg.Directory = None,
    runtime: arg.Runtimes = None,
) -> None:
    """Explain why each case takes its time. It shows system calls, bytes per call, processor time,
    page faults, allocation, work that is not I/O, and the distance from the machine's limit.
    """
    from iogauge.commands import looking

    raise typer.Exit(looking.explain(run, trace, directory, runtime))


@app.command()
def claims(run: arg.RunPath = None, study: arg.StudyVersion = None) -> None:
    """Compare published numbers with measured ones. Each claim of the study gets a verdict."""
    from iogauge.commands import looking

    raise typer.Exit(looking.claims(run, study))


@app.command()
def export(
    run: arg.RunPath = None,
    output_format: arg.Format = "json",
    study: arg.StudyVersion = None,
    out: Annotated[
        Path | None, option("--out -o PATH", "File to write (default: standard output).")
    ] = None,
) -> None:
    """Write a run's results in another format."""
    from iogauge.commands import looking

    raise typer.Exit(looking.export(run, output_format, study, out))


@app.command()
def report(
    runs: Annotated[
        list[Path] | None, argument("[RUN]...", "Run files (default: the newest run).")
    ] = None,
    out: Annotated[Path, option("--out -o X.html", "Page to write.")] = Path("report.html"),
) -> None:
    """Write one web page with answers, figures and evidence. It needs no network."""
    from iogauge.commands import looking

    raise typer.Exit(looking.report(runs or [], out))


@app.command()
@one_by_one
def advise(
    options: arg.AdviseOptions,
    runs: Annotated[
        list[Path] | None,
        argument("[RUN]...", "Run files (default: the stored runs of this machine)."),
    ] = None,
    file: Annotated[
        Path | None,
        option(
            "--file PATH",
            "Measure with this file of yours. It is read, put into the page cache or "
            "taken out of it, and never changed; its path is not recorded.",
        ),
    ] = None,
    measure: Annotated[bool, option("--run", "Measure now if no stored run answers this.")] = False,
    budget: arg.HalfMinute = None,
    directory: arg.Directory = None,
    runtime: arg.Runtimes = None,
    as_json: arg.AsJson = False,
) -> None:
    """Say what to use for a workload, with code to copy. Of what is as fast as anything (within
    10 %, or the --tolerance of the run) it names the simplest way and the smallest block.
    """
    from iogauge.commands import advising

    view: advising.View = "advice-json" if as_json else "advice"
    raise typer.Exit(
        advising.advise(runs or [], options, file, measure, budget, directory, runtime, view)
    )


@app.command()
def chart(
    run: arg.RunPath = None,
    kind: Annotated[
        str,
        option(
            "--kind blocks|ranking|sizes|published|samples|schedule",
            "What to draw: blocks, ranking, sizes, published, samples or schedule.",
        ),
    ] = "ranking",
    number: Annotated[int, option("--number NUMBER", "Which of several such pictures.")] = 1,
    out: Annotated[Path, option("--out -o X.svg|X.png", "Picture to write.")] = Path("chart.svg"),
) -> None:
    """Draw one picture of a run."""
    from iogauge.commands import looking

    raise typer.Exit(looking.chart(run, kind, number, out))


@app.command(name="list")
def list_(
    what: Annotated[
        str,
        argument(
            "studies|strategies|runtimes",
            "What to list: studies, strategies or runtimes.",
            arg.one_of("studies", "strategies", "runtimes"),
        ),
    ],
    runtime: arg.Runtimes = None,
    as_json: arg.AsJson = False,
) -> None:
    """List the studies, strategies or runtimes that are here."""
    from iogauge.commands import machine

    raise typer.Exit(machine.list_(what, runtime, as_json))


@app.command()
def check(
    what: Annotated[
        Path,
        argument(
            "STUDY.toml|RUNNER-FOLDER|CODE",
            "A study file, the folder of a runner, or your own code.",
        ),
    ],
    runtime: arg.Runtimes = None,
) -> None:
    """Check that a study is valid, or that a runner or your own code keeps the contract."""
    from iogauge.commands import machine

    raise typer.Exit(machine.check(what, runtime))


@app.command()
def doctor(directory: arg.Directory = None, as_json: arg.AsJson = False) -> None:
    """Show what this machine offers for measuring, and what disturbs."""
    from iogauge.commands import machine

    raise typer.Exit(machine.doctor(directory, as_json))


@app.command()
def clean(directory: arg.Directory = None) -> None:
    """Remove data files and built runners. Run files stay."""
    from iogauge.commands import machine

    raise typer.Exit(machine.clean(directory))


@new_app.command("strategy")
def new_strategy(
    name: _NewName,
    language: Annotated[str, option("--language LANGUAGE", "Its language.")] = "python",
) -> None:
    """Write a way to read a file that `iogauge FILE --own` measures."""
    from iogauge.commands import new

    raise typer.Exit(new.strategy(name, language))


@new_app.command("runner")
def new_runner(name: _NewName) -> None:
    """Write a runner, which adds a language: it speaks with iogauge, and reads files."""
    from iogauge.commands import new

    raise typer.Exit(new.runner(name))


@new_app.command("study")
def new_study(
    name: _NewName,
    table: Annotated[
        Path | None,
        option(
            "--from TABLE.md",
            "Begin with a published table, in Markdown: a row per strategy, a column "
            "per size of the file, the unit in its head, e.g. `strategy [ms]`.",
        ),
    ] = None,
) -> None:
    """Write a study that `iogauge run` measures."""
    from iogauge.commands import new

    raise typer.Exit(new.study(name, table))


def main() -> None:
    with streams.tolerant_streams():
        status = errors.exit_status(app)
        if why := streams.lost():
            print(f"iogauge: standard output: {why}", file=sys.stderr)
            status = status or BAD_INPUT
    sys.exit(status)
