"""What went wrong, in words."""

import re
from pathlib import Path

import typer

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
    unknown = re.match(r"No such option: ([\w-]+)", says)
    if unknown and of.endswith(" command") and (hint := _of_hyperfine(unknown[1])):
        return f"there is no {unknown[1]}: {hint} (see {of} --help)"
    return f"{says} (see {of} --help)"


def _of_hyperfine(option: str) -> str:
    """What does the same, or why nothing has to, for an option that hyperfine has."""
    return next((hint for options, hint in _HYPERFINE.items() if option in options), "")
