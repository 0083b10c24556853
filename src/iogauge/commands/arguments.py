"""Arguments and options that several commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Studies = Annotated[
    list[str] | None,
    typer.Argument(
        help="Built-in studies by name, or TOML files (default: quick).", metavar="[STUDY]..."
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
Runtimes = Annotated[
    list[str] | None,
    typer.Option(
        "--runtime",
        help="Use this runtime, e.g. jvm=/path/to/jdk; repeat to compare several (default: what "
        "is found on this machine; see `iogauge list runtimes`).",
        metavar="NAME=PATH",
    ),
]
RuntimeOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--runtime-option",
        help="Measure every case of a runtime without and with this option, e.g. "
        "jvm=-XX:+UseZGC. Several words make one setting; repeat for more settings.",
        metavar="NAME=OPTION",
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option(
        "--only", help="Measure only strategies that match, e.g. 'java/*'.", metavar="GLOB"
    ),
]
Budget = Annotated[
    str | None, typer.Option(help="Time to spend, e.g. 2m (default: what the study says).")
]
Precision = Annotated[
    str | None,
    typer.Option(
        help="Half-width of the intervals to reach, e.g. 3% (default: what the study says)."
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
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(help="Seed of the random orders (default: a random one, which is recorded)."),
]
