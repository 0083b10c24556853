"""Arguments and options of the command line, as they are given, and what completes them in a shell.

`iogauge.commands.options` parses their values.
"""

# Annotations stay objects here: Typer takes them as they are.

import functools
import inspect
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from iogauge import outputs

FILE = "FILE"
"""The name of the command that takes a file and has no word of its own."""
Complete = Callable[[str], list[str]]
Text = str | None
Texts = list[str] | None


class Words(TyperGroup):
    """The commands by their names. Any other word that is there as a file, or looks like the path
    of one, is `iogauge FILE`.
    """

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        word = args[0]
        if word not in self.commands and (os.path.lexists(word) or os.sep in word or "." in word):
            args = [FILE, f"./{word}" if word.startswith("-") else word, *args[1:]]
        return super().resolve_command(ctx, args)


def one_by_one(command: Callable[..., None]) -> Callable[..., None]:
    """For Typer: a command whose parameter `options` is a dataclass takes each field of it as an
    option of its own.
    """
    given = dict(inspect.signature(command).parameters)
    kind = given.pop("options").annotation
    fields = inspect.signature(kind).parameters

    @functools.wraps(command)
    def call(**values: Any) -> None:
        options = kind(**{name: values.pop(name) for name in fields})
        command(**values, options=options)

    every = [*fields.values(), *given.values()]
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in every]
    )
    call.__annotations__ = {each.name: each.annotation for each in every}
    return call


def _beginning(incomplete: str, words: Iterable[str]) -> list[str]:
    return [each for each in words if each.startswith(incomplete)]


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


def option(names: str, text: str, complete: Complete | None = None) -> Any:
    """An option: its names, then what stands for its value in the help, which may be the words that
    are allowed, `--cache warm|cold`.
    """
    flags = [each for each in names.split() if each.startswith("-")]
    value = next((each for each in names.split() if each not in flags), None)
    if value and value.islower() and "|" in value:
        complete = one_of(*value.split("|"))
    return typer.Option(*flags, help=text, metavar=value, autocompletion=complete)


def argument(value: str, text: str, complete: Complete | None = None) -> Any:
    return typer.Argument(help=text, metavar=value, autocompletion=complete)


Studies = Annotated[
    Texts,
    argument("[STUDY]...", "Built-in studies by name, or TOML files (default: quick).", _studies),
]
RunPath = Annotated[Path | None, argument("[RUN]", "A run file (default: the newest).")]
StudyVersion = Annotated[
    Text,
    option(
        "--study STUDY",
        "Judge by the claims of this version of the study (default: the version in the run file).",
    ),
]
Directory = Annotated[
    Path | None, option("--dir PATH", "Folder for data files (default: in your cache folder).")
]
OwnCode = Annotated[
    Texts,
    option(
        "--own [NAME=]CODE",
        "Measure your own code, too: a file or folder of a language "
        "(docs/your-code.md). It runs as a part of that language's runner. Repeat "
        "to compare two versions: old=a.py, new=b.py.",
    ),
]
Runtimes = Annotated[
    Texts,
    option(
        "--runtime RUNNER[:NAME]=PATH",
        "Use this runtime, e.g. jvm=/path/to/jdk (`iogauge list runtimes` shows the "
        "runners). Repeat to compare several; give two builds of one version "
        "names: jvm:old=/jdk-a, jvm:new=/jdk-b (default: what is found on this "
        "machine).",
        _runners,
    ),
]
Precision = Annotated[
    Text,
    option(
        "--precision SHARE",
        "Half-width of the intervals to reach, e.g. 5% (default: what the study says, else 3%).",
    ),
]
Tolerance = Annotated[
    Text,
    option(
        "--tolerance SHARE",
        "What costs at most so much more than the best is good enough, e.g. 10% "
        "(default: what the study says, else 10%).",
    ),
]
Seed = Annotated[
    int | None,
    option("--seed NUMBER", "Seed of the random orders (default: a random one, on record)."),
]
AsJson = Annotated[bool, option("--json", "Print JSON, for programs (docs/export-json.md).")]
Language = Annotated[
    Text,
    option(
        "--language LANGUAGE",
        "Language of your program, e.g. java or go (default: every language that is here).",
        _languages,
    ),
]
HalfMinute = Annotated[
    Text, option("--budget TIME", "Time to spend on measuring, e.g. 2m (default: 27s).")
]
RunOut = Annotated[
    Path | None,
    option("--out -o RUN.jsonl", "Run file to write (default: a new one in the folder of runs)."),
]
Format = Annotated[
    str, option(f"--format {'|'.join(outputs.FORMATS)}", f"{', '.join(outputs.FORMATS)}.")
]


@dataclass(frozen=True)
class PlanOptions:
    """The options that decide what is measured, and how."""

    only: Annotated[
        Texts,
        option(
            "--only GLOB",
            "Measure only strategies that match, e.g. 'java/*' (default: all).",
            _strategies,
        ),
    ] = None
    question: Annotated[
        Texts,
        option(
            "--question ID",
            "Measure only the questions of a study whose id matches, e.g. lines "
            "(default: all; `iogauge plan` shows the ids).",
        ),
    ] = None
    protocol: Annotated[
        Text,
        option(
            "--protocol sound|published",
            "How to measure: sound, or published, as the authors of the study's source "
            "did (default: sound).",
        ),
    ] = None
    budget: Annotated[
        Text,
        option(
            "--budget TIME",
            "Time to spend, e.g. 2m (default: what the study says, else 5m; quick: "
            "60s). With --resume: the time in all, with what was spent before.",
        ),
    ] = None
    precision: Precision = None
    tolerance: Tolerance = None
    compare: Annotated[
        Text,
        option(
            "--compare best|all",
            "What to decide: best (each case against the best one) or all (against the "
            "baseline too; takes longer). Default: what the study says.",
        ),
    ] = None
    max_size: Annotated[
        Text, option("--max-size SIZE", "Leave out larger files, e.g. 64M (default: none).")
    ] = None
    runtime: Runtimes = None
    runtime_option: Annotated[
        Texts,
        option(
            "--runtime-option RUNNER=OPTION",
            "Measure every case of a runtime without and with this option, e.g. "
            "jvm=-XX:+UseZGC. Several words make one setting; repeat for more settings.",
            _runners,
        ),
    ] = None
    seed: Seed = None


@dataclass(frozen=True)
class RunOptions(PlanOptions):
    """The options of a run."""

    own: OwnCode = None
    fresh_limits: Annotated[
        bool,
        option(
            "--fresh-limits",
            "Measure the limits of this machine anew, instead of taking them from an earlier run.",
        ),
    ] = False


@dataclass(frozen=True)
class AdviseOptions:
    """The workload that `iogauge advise` is asked about."""

    language: Language = None
    operation: Annotated[
        str, option("--operation read|write|copy", "What your program does: read, write or copy.")
    ] = "read"
    unit: Annotated[
        str,
        option(
            "--unit byte|char|line",
            "How your program reads: byte, char or line, for bytes, characters or lines.",
        ),
    ] = "byte"
    size: Annotated[Text, option("--size SIZE", "Size of the file, e.g. 4M (default: 16M).")] = None
    cache: Annotated[
        Text,
        option(
            "--cache warm|cold",
            "Whether the file is in the page cache when your program reads it: warm, or "
            "cold for not at all (default: warm).",
        ),
    ] = None
    durability: Annotated[
        Text,
        option(
            "--durability HOW",
            "How your program makes sure that written data is on the disk: none, fsync, "
            "fdatasync, dsync (O_DSYNC), sync-inode or sync-mount (default: none).",
            one_of("none", "fsync", "fdatasync", "dsync", "sync-inode", "sync-mount"),
        ),
    ] = None
    record: Annotated[
        Text, option("--record SIZE", "Bytes per call, e.g. 100 (default: the best that is found).")
    ] = None
    access: Annotated[
        str,
        option(
            "--access sequential|random",
            "How your program reads: sequential, or random for pieces of --record bytes "
            "(4K if not given) at places of its choice.",
        ),
    ] = "sequential"


@dataclass(frozen=True)
class CommandOptions:
    """The options of `iogauge command`."""

    file: Annotated[
        list[Path] | None, option("--file PATH", "A file of yours for {file}; repeat for several.")
    ] = None
    size: Annotated[
        Text, option("--size SIZE", "Make a file of this size for {file}, e.g. 64M (default: 16M).")
    ] = None
    content: Annotated[
        str, option("--content bytes|text", "What that file holds: bytes or text.")
    ] = "bytes"
    block: Annotated[
        Text, option("--block SIZE,SIZE", "Values for {block}, in bytes, e.g. 4K,64K,1M.")
    ] = None
    parameter: Annotated[
        Texts,
        option(
            "--parameter NAME=1,2,4", "Values for {NAME}: numbers, or words. Repeat for several."
        ),
    ] = None
    cache: Annotated[
        Text,
        option(
            "--cache warm,cold",
            "Whether the file is in the page cache: warm, cold, or both (default: warm,cold).",
            one_of("warm", "cold", "warm,cold"),
        ),
    ] = None
    name: Annotated[
        Texts,
        option("--name -n NAME", "What to call a command; repeat for others, in their order."),
    ] = None
    prepare: Annotated[
        Texts,
        option(
            "--prepare -p COMMAND",
            "A command to run, untimed, before each run; one for all, or one for each command.",
        ),
    ] = None
    limit: Annotated[
        Text, option("--limit TIME", "End a run that takes longer, e.g. 5m (default: 60s).")
    ] = None
    output: Annotated[
        str,
        option(
            "--output null|pipe",
            "Where commands write to: null (/dev/null), or pipe. Some do less work for /dev/null.",
        ),
    ] = "null"
    ignore_failure: Annotated[
        bool, option("--ignore-failure -i", "An exit status that is not 0 is no failure.")
    ] = False
    budget: Annotated[
        Text,
        option(
            "--budget TIME",
            "Time to spend on each file, e.g. 2m (default: 30s). With --resume: the "
            "time in all, with what was spent before.",
        ),
    ] = None
    precision: Precision = None
    tolerance: Tolerance = None
    seed: Seed = None

    @property
    def planned(self) -> PlanOptions:
        """Those of all measuring."""
        return PlanOptions(
            budget=self.budget, precision=self.precision, tolerance=self.tolerance, seed=self.seed
        )

    def words(self, commands: Sequence[str]) -> list[str]:
        """The command line that asks the same of these commands; a file of the user's has no name
        in it.
        """
        single = {
            "size": None if self.file else self.size,
            "content": None if self.content == "bytes" else self.content,
            "block": self.block,
            "cache": self.cache,
            "limit": self.limit,
            "output": None if self.output == "null" else self.output,
        }
        several = {"parameter": self.parameter, "name": self.name, "prepare": self.prepare}
        given = [(name, value) for name, value in single.items() if value]
        given += [(name, value) for name, values in several.items() for value in values or ()]
        given += [("file", "FILE")] if self.file else []
        options = [word for name, value in given for word in (f"--{name}", value)]
        return [*commands, *options, *["--ignore-failure"] * self.ignore_failure]
