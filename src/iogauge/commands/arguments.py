"""Arguments and options that several commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iogauge import outputs
from iogauge.commands import values

Studies = Annotated[
    list[str] | None,
    typer.Argument(
        help="Built-in studies by name, or TOML files (default: quick).",
        metavar="[STUDY]...",
        autocompletion=values.studies,
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
        autocompletion=values.runners,
    ),
]
RuntimeOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--runtime-option",
        help="Measure every case of a runtime without and with this option, e.g. "
        "jvm=-XX:+UseZGC. Several words make one setting; repeat for more settings.",
        metavar="RUNNER=OPTION",
        autocompletion=values.runners,
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        help="Measure only strategies that match, e.g. 'java/*' (default: all).",
        metavar="GLOB",
        autocompletion=values.strategies,
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
        autocompletion=values.of("best", "all"),
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
        autocompletion=values.of("sound", "published"),
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
        autocompletion=values.languages,
    ),
]
OperationOption = Annotated[
    str,
    typer.Option(
        "--operation",
        help="What your program does: read, write or copy.",
        autocompletion=values.of("read", "write", "copy"),
    ),
]
UnitOption = Annotated[
    str,
    typer.Option(
        "--unit",
        help="How your program reads: byte, char or line, for bytes, characters or lines.",
        autocompletion=values.of("byte", "char", "line"),
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
        autocompletion=values.of("warm", "cold"),
    ),
]
DurabilityOption = Annotated[
    str | None,
    typer.Option(
        "--durability",
        help="How your program makes sure that written data is on the disk: none, fsync, "
        "fdatasync, dsync (O_DSYNC), sync-inode or sync-mount (default: none).",
        autocompletion=values.of("none", "fsync", "fdatasync", "dsync", "sync-inode", "sync-mount"),
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
        autocompletion=values.of("sequential", "random"),
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
        autocompletion=values.of(*outputs.FORMATS),
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
        autocompletion=values.of("blocks", "ranking", "sizes", "published", "samples", "schedule"),
    ),
]
PictureOut = Annotated[
    Path,
    typer.Option("--out", "-o", help="Picture to write.", metavar="X.svg|X.png"),
]
