"""What went wrong, in words."""

from pathlib import Path

import typer

_NO_INTEGER = "Input should be a valid integer, unable to parse string as an integer"


def trouble(error: OSError) -> str:
    """What went wrong, and the next step where that is known."""
    from iogauge.model import errors, folders

    step = folders.next_step(Path(str(error.filename))) if error.filename else ""
    return errors.cause(error) + step


def misused(error: typer.TyperException) -> str:
    """What is wrong with a command line, and which help has the right one."""
    context = getattr(error, "ctx", None)
    of = context.command_path if context else "iogauge"
    says = error.format_message().replace(_NO_INTEGER, "write a whole number, e.g. 7")
    return f"{says} (see {of} --help)"
