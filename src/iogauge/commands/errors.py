"""How the command line ends: what went wrong, in one line, and with which exit status."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from iogauge.commands.exits import BAD_INPUT, DONE, INTERRUPTED, SOMETHING_FAILED

_HYPERFINE = {
    ("--warmup", "-w"): "each process warms up, and --cache says what is cached",
    ("--runs", "-r", "--min-runs", "-m", "--max-runs", "-M"): "it measures until it is sure; "
    "--budget says for how long at most",
    ("--parameter-list", "-L", "--parameter-scan", "-P"): "write --parameter NAME=1,2,4",
    ("--export-json", "--export-csv", "--export-markdown"): "afterwards, iogauge export does that",
    ("--shell", "-S", "-N"): "a shell runs only what needs one",
    ("--command-name",): "write --name",
    ("--setup", "-s", "--cleanup", "-c", "--conclude", "-C"): "do that yourself, before or "
    "afterwards; --prepare is for what comes before each run",
    ("--show-output",): "no output is shown; --output pipe has commands do all of their work",
    ("--input",): "there is no input but {file}; write '... < {file}'",
    ("--reference",): "all are compared with the fastest",
}
"""By options of hyperfine, what does the same in `iogauge command`, or why nothing has to."""
_NO_INTEGER = "Input should be a valid integer, unable to parse string as an integer"


def exit_status(app: Callable[..., Any]) -> int:
    """Run the command line. An error is one line on standard error; a bug shows its traceback."""
    try:
        return app(prog_name="iogauge", standalone_mode=False) or DONE
    except typer.TyperException as error:
        return _failed(_misused(error))
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except OSError as error:  # a disk, a permission, a limit: the machine's, not a bug's
        from iogauge.model import errors, folders

        step = folders.next_step(Path(str(error.filename))) if error.filename else ""
        return _failed(errors.cause(error) + step)
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


def _misused(error: typer.TyperException) -> str:
    """What is wrong with a command line, and which help has the right one."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "iogauge"
    text = error.format_message().replace(_NO_INTEGER, "write a whole number, e.g. 7")
    unknown = re.match(r"No such option: ([\w-]+)", text)  # Typer's words
    if unknown and command.endswith(" command"):
        option = unknown[1]
        hint = next((hint for options, hint in _HYPERFINE.items() if option in options), None)
        text = f"there is no {option}: {hint}" if hint else text
    return f"{text} (see {command} --help)"
