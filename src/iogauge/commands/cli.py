"""The command line: a table of contents. Each command imports what it needs when it is called."""

# Annotations stay objects here: Typer would have to evaluate each as text, a seventh of the start.

import importlib
import inspect
import sys
from typing import Annotated, Any

import typer

from iogauge import __version__
from iogauge.commands import arguments as arg
from iogauge.commands import errors, streams
from iogauge.commands import fleet_arguments as fleet_arg
from iogauge.commands.exits import BAD_INPUT

app = typer.Typer(
    cls=arg.Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Measure how languages read and write files, and say which way to use on this machine. "
    "`iogauge FILE` says in half a minute what is the best way to read that file; a path with a "
    "slash is always a file. See `iogauge COMMAND --help`.",
    epilog="Exit status: 0 done; 1 a check failed, a new version is slower, or there is no advice; "
    "2 bad usage or input; 3 measured, but something failed; 4 undecided (--max-slowdown); 130 "
    "interrupted, can be resumed.",
)
new_app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Write files to begin with, into this folder: code to be measured, a runner or a study.",
)
fleet_app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Measure one plan on many hosts: `iogauge run STUDY --on tls://SCHEDULER:8786`. Each host "
    "measures by itself; Dask distributed starts them, watches and collects (docs/fleet.md).",
)
app.add_typer(new_app, name="new")
app.add_typer(fleet_app, name="fleet")
_GROUPS = {"": app, "new": new_app, "fleet": fleet_app}
COMMANDS: dict[str, tuple[type[arg.Arguments], str]] = {
    arg.FILE: (arg.FileAnswer, "answering.file_answer"),
    "run": (arg.Run, "running.run"),
    "command": (arg.Command, "measuring.command"),
    "watch": (arg.Watch, "watching.watch"),
    "plan": (arg.Plan, "plans.plan"),
    "show": (arg.Show, "looking.show"),
    "explain": (arg.Explain, "looking.explain"),
    "claims": (arg.Claims, "looking.claims"),
    "export": (arg.Export, "looking.export"),
    "report": (arg.Report, "looking.report"),
    "compare": (arg.Compare, "comparing.compare"),
    "advise": (arg.Advise, "advising.advise"),
    "chart": (arg.Chart, "looking.chart"),
    "gate": (arg.Gate, "proving.prove"),
    "history": (arg.History, "history.history"),
    "atlas": (arg.Atlas, "atlas.atlas"),
    "list": (arg.List, "machine.list_"),
    "check": (arg.Check, "machine.check"),
    "doctor": (arg.Doctor, "machine.doctor"),
    "calibrate": (arg.Calibrate, "calibrating.calibrate"),
    "clean": (arg.Clean, "machine.clean"),
    "new strategy": (arg.NewStrategy, "new.strategy"),
    "new runner": (arg.NewRunner, "new.runner"),
    "new study": (arg.NewStudy, "new.study"),
    "fleet certs": (fleet_arg.Certs, "fleet_setup.certs"),
    "fleet prepare": (fleet_arg.Prepare, "fleet_prepare.prepare"),
    "fleet unit": (fleet_arg.Unit, "fleet_setup.unit"),
    "fleet scheduler": (fleet_arg.Scheduler, "fleet_host.scheduler"),
    "fleet worker": (fleet_arg.Worker, "fleet_host.worker"),
    "fleet hosts": (fleet_arg.Hosts, "fleet.hosts"),
    "fleet collect": (fleet_arg.Collect, "fleet.collect"),
    "fleet stop": (fleet_arg.Stop, "fleet.stop"),
    fleet_arg.CARRY_OUT: (fleet_arg.CarryOut, "fleet_host.carry_out"),
}
"""By command: its arguments, and the module and function here that take them and give the exit
status.
"""


def _add(name: str, kind: type[arg.Arguments], where: str) -> None:
    """A command, with the fields of its arguments as parameters: Typer reads their signature."""

    def command(**given: Any) -> None:
        module, function = where.split(".")
        carry_out = getattr(importlib.import_module(f"iogauge.commands.{module}"), function)
        raise typer.Exit(carry_out(kind(**given)))

    parameters = [
        inspect.Parameter(
            field,
            inspect.Parameter.KEYWORD_ONLY,
            default=each.default,
            annotation=Annotated[each.kind, each.shown],
        )
        for field, each in kind.fields.items()
    ]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    parent, _, word = name.rpartition(" ")
    hidden = name in (arg.FILE, fleet_arg.CARRY_OUT)
    _GROUPS[parent].command(word, help=kind.__doc__, hidden=hidden)(command)


for _name, (_kind, _where) in COMMANDS.items():
    _add(_name, _kind, _where)


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


def main() -> None:
    with streams.tolerant_streams():
        status = errors.exit_status(app)
        if why := streams.lost():
            print(f"iogauge: standard output: {why}", file=sys.stderr)
            status = status or BAD_INPUT
    sys.exit(status)
