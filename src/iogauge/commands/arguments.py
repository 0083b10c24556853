"""Arguments and options of the command line, and what completes them in a shell.

`iogauge.commands.options` parses their values.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from iogauge import outputs

FILE = "FILE"
"""The name of the command that takes a file and has no word of its own."""
Complete = Callable[[str], list[str]]


class Words(TyperGroup):
    """The commands by their names. Any other word that is there as a file, or looks like the path
    of one, is `iogauge FILE`.
    """

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        word = args[0]
        if word not in self.commands and (os.path.lexists(word) or os.sep in word or "." in word):
            args = [FILE, f"./{word}" if word.startswith("-") else word, *args[1:]]
        return super().resolve_command(ctx, args)


def one_of(*words: str) -> Complete:
    return lambda incomplete: _beginning(incomplete, words)


def _studies(incomplete: str) -> list[str]:
    """A built-in study; after no match the shell completes files."""
    from iogauge.study import loading

    return _beginning(incomplete, sorted(loading.built_in_ids()))


def _strategies(incomplete: str) -> list[str]:
    from iogauge.runners import catalogue, manifest

    found = [catalogue.read(each).strategies for each in manifest.all_runners()]
    return _beginning(incomplete, sorted(each.name for some in found for each in some))


def _languages(incomplete: str) -> list[str]:
    from iogauge.runners import manifest

    return _beginning(incomplete, manifest.languages())


def _runners(incomplete: str) -> list[str]:
    """`jvm=`, before a path."""
    from iogauge.runners import manifest

    return _beginning(incomplete, [f"{each.name}=" for each in manifest.all_runners()])


def _beginning(incomplete: str, words: Iterable[str]) -> list[str]:
    return [each for each in words if each.startswith(incomplete)]


Studies = Annotated[
    list[str] | None,
    typer.Argument(
        help="Built-in studies by name, or TOML files (default: quick).",
        metavar="[STUDY]...",
        autocompletion=_studies,
    ),
]
RunPath = Annotated[
    Path | None, typer.Argument(help="A run file (default: the newest).", metavar="[RUN]")
]
StudyVersion = Annotated[
    str | None,
    typer.Option(
        "--study",
        help="Judge by the claims of this version of the study (default: the version in the run "
        "file).",
        metavar="STUDY",
    ),
]
Directory = Annotated[
    Path | None,
    typer.Option(
        "--dir", help="Folder for data files (default: in your cache folder).", metavar="PATH"
    ),
]
UsersFile = Annotated[
    Path | None,
    typer.Option(
        "--file",
        help="Measure with this file of yours. It is read, put into the page cache or taken out of "
        "it, and never changed; its path is not recorded.",
        metavar="PATH",
    ),
]
OwnCode = Annotated[
    list[str] | None,
    typer.Option(
        "--own",
        help="Measure code of yours, too: a file or folder of a language (docs/your-code.md). It "
        "runs as a part of that language's runner. Repeat to compare two versions: "
        "old=a.py, new=b.py.",
        metavar="[NAME=]CODE",
    ),
]
Runtimes = Annotated[
    list[str] | None,
    typer.Option(
        "--runtime",
        help="Use this runtime, e.g. jvm=/path/to/jdk (`iogauge list runtimes` shows the runners). "
        "Repeat to compare several; two builds of one version take names of yours: "
        "jvm:old=/jdk-a, jvm:new=/jdk-b (default: what is found on this machine).",
        metavar="RUNNER[:NAME]=PATH",
        autocompletion=_runners,
    ),
]
RuntimeOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--runtime-option",
        help="Measure every case of a runtime without and with this option, e.g. "
        "jvm=-XX:+UseZGC. Several words make one setting; repeat for more settings.",
        metavar="RUNNER=OPTION",
        autocompletion=_runners,
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        help="Measure only strategies that match, e.g. 'java/*' (default: all).",
        metavar="GLOB",
        autocompletion=_strategies,
    ),
]
Question = Annotated[
    list[str] | None,
    typer.Option(
        "--question",
        help="Measure only the questions of a study whose id matches, e.g. lines (default: all; "
        "`iogauge plan` shows the ids).",
        metavar="ID",
    ),
]
Budget = Annotated[
    str | None,
    typer.Option(
        help="Time to spend, e.g. 2m (default: what the study says, else 5m; quick: 60s). With "
        "--resume: the time in all, with what was spent before."
    ),
]
Precision = Annotated[
    str | None,
    typer.Option(
        help="Half-width of the intervals to reach, e.g. 5% (default: what the study says, else "
        "3%)."
    ),
]
Tolerance = Annotated[
    str | None,
    typer.Option(
        help="What costs at most so much more than the best is good enough, e.g. 10% (default:"
        " what the study says, else 10%)."
    ),
]
CompareOption = Annotated[
    str | None,
    typer.Option(
        "--compare",
        help="What to decide: best (each case against the best one) or all (against the baseline"
        " too; takes longer). Default: what the study says.",
        metavar="best|all",
        autocompletion=one_of("best", "all"),
    ),
]
MaxSize = Annotated[
    str | None, typer.Option("--max-size", help="Leave out larger files, e.g. 64M (default: none).")
]
ProtocolOption = Annotated[
    str | None,
    typer.Option(
        "--protocol",
        help="How to measure: sound, or published, as the authors of the study's source did "
        "(default: sound).",
        metavar="sound|published",
        autocompletion=one_of("sound", "published"),
    ),
]
FreshLimits = Annotated[
    bool,
    typer.Option(
        "--fresh-limits",
        help="Measure what this machine can do anew, instead of taking it from an earlier run.",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(help="Seed of the random orders (default: a random one, which is recorded)."),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print JSON, for programs (docs/export-json.md).")
]
Runs = Annotated[
    list[Path] | None,
    typer.Argument(
        help="Run files (default: the stored runs of this machine).", metavar="[RUN]..."
    ),
]
Language = Annotated[
    str | None,
    typer.Option(
        help="Language of your program, e.g. java or go (default: every language that is here).",
        autocompletion=_languages,
    ),
]
OperationOption = Annotated[
    str,
    typer.Option(
        "--operation",
        help="What your program does: read, write or copy.",
        autocompletion=one_of("read", "write", "copy"),
    ),
]
UnitOption = Annotated[
    str,
    typer.Option(
        "--unit",
        help="How your program reads: byte, char or line, for bytes, characters or lines.",
        autocompletion=one_of("byte", "char", "line"),
    ),
]
SizeOption = Annotated[
    str | None, typer.Option("--size", help="Size of the file, e.g. 4M (default: 16M).")
]
CacheOption = Annotated[
    str | None,
    typer.Option(
        "--cache",
        help="Whether the file is in the page cache when your program reads it: warm, or cold "
        "for not at all (default: warm).",
        autocompletion=one_of("warm", "cold"),
    ),
]
DurabilityOption = Annotated[
    str | None,
    typer.Option(
        "--durability",
        help="How your program makes sure that written data is on the disk: none, fsync, "
        "fdatasync, dsync (O_DSYNC), sync-inode or sync-mount (default: none).",
        autocompletion=one_of("none", "fsync", "fdatasync", "dsync", "sync-inode", "sync-mount"),
    ),
]
RecordOption = Annotated[
    str | None,
    typer.Option("--record", help="Bytes per call, e.g. 100 (default: the best that is found)."),
]
AccessOption = Annotated[
    str,
    typer.Option(
        "--access",
        help="How your program reads: sequential, or random for pieces of --record bytes (4K if "
        "not given) at places of its choice.",
        autocompletion=one_of("sequential", "random"),
    ),
]
HalfMinute = Annotated[
    str | None,
    typer.Option("--budget", help="Time to spend on measuring, e.g. 2m (default: 27s)."),
]
RunOut = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        help="Run file to write (default: a new one in the folder of runs).",
        metavar="RUN.jsonl",
    ),
]
Resume = Annotated[
    Path | None,
    typer.Option(
        help="Go on with a run that was interrupted; with a larger --budget, also with one that "
        "ended before all was decided. `newest`: the one last written to.",
        metavar="RUN.jsonl",
    ),
]
Details = Annotated[
    bool,
    typer.Option(
        "--details", help="Show all figures, warnings, and the samples that were not used."
    ),
]
TraceOption = Annotated[
    bool,
    typer.Option(
        "--trace",
        help="Also run one operation of each case under strace, now and here, and count its "
        "system calls.",
    ),
]
Format = Annotated[
    str,
    typer.Option(
        "--format",
        help=f"{', '.join(outputs.FORMATS)}.",
        autocompletion=one_of(*outputs.FORMATS),
    ),
]
ExportOut = Annotated[
    Path | None, typer.Option("--out", "-o", help="File to write (default: standard output).")
]
PageRuns = Annotated[
    list[Path] | None,
    typer.Argument(help="Run files (default: the newest run).", metavar="[RUN]..."),
]
PageOut = Annotated[
    Path,
    typer.Option("--out", "-o", help="Page to write.", metavar="X.html"),
]
Kind = Annotated[
    str,
    typer.Option(
        help="What to draw: blocks, ranking, sizes, published, samples or schedule.",
        autocompletion=one_of("blocks", "ranking", "sizes", "published", "samples", "schedule"),
    ),
]
PictureOut = Annotated[
    Path,
    typer.Option("--out", "-o", help="Picture to write.", metavar="X.svg|X.png"),
]


# Of `iogauge command`.
Commands = Annotated[
    list[str],
    typer.Argument(
        help="Commands, each in quotes, with {file} where its file goes. No shell runs them, "
        "unless they have what only a shell understands.",
        metavar="COMMAND...",
    ),
]
CommandFiles = Annotated[
    list[Path] | None,
    typer.Option("--file", help="A file of yours for {file}; repeat for several.", metavar="PATH"),
]
CommandSizes = Annotated[
    str | None,
    typer.Option("--size", help="Make a file of this size for {file}, e.g. 64M (default: 16M)."),
]
CommandContent = Annotated[
    str,
    typer.Option(
        "--content",
        help="What that file holds: bytes or text.",
        autocompletion=one_of("bytes", "text"),
    ),
]
CommandBlocks = Annotated[
    str | None, typer.Option("--block", help="Values for {block}, in bytes, e.g. 4K,64K,1M.")
]
CommandParameters = Annotated[
    list[str] | None,
    typer.Option(
        "--parameter",
        help="Values for {NAME}: numbers, or words. Repeat for several.",
        metavar="NAME=1,2,4",
    ),
]
CommandCaches = Annotated[
    str | None,
    typer.Option(
        "--cache",
        help="Whether the file is in the page cache: warm, cold, or both (default: warm,cold).",
        metavar="warm,cold",
        autocompletion=one_of("warm", "cold", "warm,cold"),
    ),
]
CommandNames = Annotated[
    list[str] | None,
    typer.Option("--name", "-n", help="What to call a command; repeat for others, in their order."),
]
CommandPrepare = Annotated[
    list[str] | None,
    typer.Option(
        "--prepare",
        "-p",
        help="A command to run, untimed, before each run; one for all, or one for each command.",
        metavar="COMMAND",
    ),
]
CommandIgnoreFailure = Annotated[
    bool,
    typer.Option("--ignore-failure", "-i", help="An exit status that is not 0 is no failure."),
]
CommandBudget = Annotated[
    str | None,
    typer.Option(
        help="Time to spend on each file, e.g. 2m (default: 30s). With --resume: the time in all, "
        "with what was spent before."
    ),
]
CommandResume = Annotated[
    Path | None,
    typer.Option(
        help="Go on with a run of the same commands, which are to be given again, with the same "
        "options. `newest`: the one last written to.",
        metavar="RUN.jsonl",
    ),
]
CommandLimit = Annotated[
    str | None,
    typer.Option("--limit", help="End a run that takes longer, e.g. 5m (default: 60s)."),
]
CommandOutput = Annotated[
    str,
    typer.Option(
        "--output",
        help="Where commands write to: null (/dev/null), or pipe. Some do less work for /dev/null.",
        autocompletion=one_of("null", "pipe"),
    ),
]
