"""The arguments and options of each command, as they are given, and what completes them.

Each class is a command: its docstring is the help, its fields are arguments and options in the
order of the help. `iogauge.commands.options` parses their values.
"""

# Annotations stay objects here: Typer takes them as they are.

import inspect
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, dataclass_transform

import typer
from typer.core import TyperGroup

from iogauge import outputs

FILE = "FILE"
"""The name of the command that takes a file and has no word of its own."""
Words = Sequence[str] | Callable[[], Iterable[str]]
"""The words that an option takes, or what lists them."""
Text = str | None
Texts = list[str] | None
Paths = list[Path] | None


class Commands(TyperGroup):
    """The commands by their names. Any other word that is there as a file, or looks like the path
    of one, is `iogauge FILE`.
    """

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        word = args[0]
        if word not in self.commands and (os.path.lexists(word) or os.sep in word or "." in word):
            args = [FILE, f"./{word}" if word.startswith("-") else word, *args[1:]]
        return super().resolve_command(ctx, args)


def _studies() -> Iterable[str]:
    """The built-in studies; after no match the shell completes files."""
    from iogauge.study import loading

    return sorted(loading.built_in_ids())


def _strategies() -> Iterable[str]:
    from iogauge.runners import catalogue, manifest

    found = [catalogue.read(each).strategies for each in manifest.all_runners()]
    return sorted(each.name for some in found for each in some)


def _languages() -> Iterable[str]:
    from iogauge.runners import manifest

    return manifest.languages()


def _runners() -> Iterable[str]:
    """`jvm=`, before a path."""
    from iogauge.runners import manifest

    return [f"{each.name}=" for each in manifest.all_runners()]


def _completion(words: Words | None) -> Callable[[str], list[str]] | None:
    def complete(incomplete: str) -> list[str]:
        known = words() if callable(words) else words or ()
        return [each for each in known if each.startswith(incomplete)]

    return complete if words else None


class Field(NamedTuple):
    """An argument or option as Typer shows it, its default, an option's word, and its type."""

    shown: Any
    default: Any
    option: str = ""
    kind: Any = None


def option(names: str, text: str, words: Words | None = None, default: Any = None) -> Any:
    """An option: its names, then what stands for its value in the help, which may be the words that
    are allowed, `--cache warm|cold`.
    """
    flags = [each for each in names.split() if each.startswith("-")]
    value = next((each for each in names.split() if each not in flags), None)
    if value and value.islower() and "|" in value:
        words = value.split("|")
    shown = typer.Option(*flags, help=text, metavar=value, autocompletion=_completion(words))
    return Field(shown, default, flags[0])


def flag(name: str, text: str) -> Any:
    return option(name, text, default=False)


def argument(value: str, text: str, words: Words | None = None, **default: Any) -> Any:
    """An argument; without a `default` it must be given."""
    shown = typer.Argument(help=text, metavar=value, autocompletion=_completion(words))
    return Field(shown, default.get("default", inspect.Parameter.empty))


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(argument,))
class Arguments:
    """The arguments and options of a command. Subclasses are like frozen dataclasses, which would
    take a tenth of the time that the command line has to start.
    """

    fields: ClassVar[dict[str, Field]] = {}

    def __init_subclass__(cls) -> None:
        kinds = cls.__annotations__.items()
        own = {name: vars(cls)[name]._replace(kind=kind) for name, kind in kinds}
        cls.fields = {**cls.fields, **own}

    def __init__(self, **given: Any) -> None:
        if unknown := given.keys() - self.fields.keys():
            raise TypeError(f"no arguments: {unknown}")
        for name, each in self.fields.items():
            setattr(self, name, given.get(name, each.default))

    def words(self, *names: str) -> list[str]:
        """The words of the command line that give these options, where they are not the default."""
        found = []
        for name in names:
            value, known = getattr(self, name), self.fields[name]
            if value is True:
                found.append(known.option)
            elif value and value != known.default:
                values = value if isinstance(value, list) else [value]
                found += [word for each in values for word in (known.option, str(each))]
        return found


# What several commands take.
_STUDIES = "[STUDY]...", "Built-in studies by name, or TOML files (default: quick).", _studies
_RUN = "[RUN]", "A run file (default: the newest)."
_STUDY = (
    "--study STUDY",
    "Judge by the claims of this version of the study (default: the version in the run file).",
)
_DIRECTORY = "--dir PATH", "Folder for data files (default: in your cache folder)."
_OWN = (
    "--own [NAME=]CODE[:FUNCTION]",
    "Measure your own code, too: a file or folder of a language, or one function in it "
    "(docs/your-code.md). It runs as a part of that language's runner. Repeat to compare two "
    "versions: old=a.py, new=b.py. git:REVISION:PATH is the file as a commit of your repository "
    "has it.",
)
_FLAGS = (
    "--own-flags [NAME=]FLAGS",
    "Flags for the compiler of your own code in C or C++, added to those of its project, e.g. "
    '"-O3 -lz".',
)
_PATH = (
    "--own-path [NAME=]PATH",
    "Class path of your own code in Java or Kotlin: jars and folders, with : between (default: "
    "that of its Maven or Gradle project).",
)
_LIMIT = (
    "--limit TIME",
    "End a call of your own code that takes longer, e.g. 1h (default: 10m).",
)
_RUNTIMES = (
    "--runtime RUNNER[:NAME]=PATH",
    "Use this runtime, e.g. jvm=/path/to/jdk (`iogauge list runtimes` shows the runners). Repeat "
    "to compare several; give two builds of one version names: jvm:old=/jdk-a, jvm:new=/jdk-b "
    "(default: what is found on this machine).",
    _runners,
)
_PRECISION = (
    "--precision SHARE",
    "Half-width of the intervals to reach, e.g. 5% (default: what the study says, else 3%).",
)
_TOLERANCE = (
    "--tolerance SHARE",
    "What costs at most so much more than the best is good enough, e.g. 10% (default: what the "
    "study says, else 10%).",
)
_SEED = "--seed NUMBER", "Seed of the random orders (default: a random one, on record)."
JSON = "--json", "Print JSON, for programs (docs/export-json.md)."
_LANGUAGE = (
    "--language LANGUAGE",
    "Language of your program, e.g. java or go (default: every language that is here).",
    _languages,
)
_CACHED_BY = (
    "--cached-by STATE,STATE",
    "How files come into the page cache, which changes what a mapping of them costs. One or "
    "several of read-sequential, read-random, write-large, write-small, as-left ",
    ("read-sequential", "read-random", "write-large", "write-small", "as-left"),
)
_HALF_MINUTE = "--budget TIME", "Time to spend on measuring, e.g. 2m (default: 26s)."
_OUT = "--out -o RUN.jsonl", "Run file to write (default: a new one in the folder of runs)."
CERTS = (
    "--certs PATH",
    "Folder of the fleet's certificates (default: $IOGAUGE_FLEET_CERTS, or fleet-certs in your "
    "configuration folder).",
)
_CACHE = (
    "--cache warm,cold",
    "Whether the file is in the page cache: warm, cold, or both (default: warm,cold; with "
    "--max-slowdown: warm).",
    ("warm", "cold", "warm,cold"),
)
_NAME = "NAME", "The name of the new files."
_MAX_SLOWDOWN = (
    "--max-slowdown SHARE",
    "Compare two versions, the old one first, and let the exit status say whether the new one is "
    "slower by more than this, e.g. 5%: 0 surely not, 1 surely, 3 a way fails in both, 4 "
    "undecided.",
)
_UNDECIDED = "--undecided pass|fail", "What --max-slowdown makes of undecided: exit status 0 or 1."
_MARKDOWN = "--markdown FILE", "Write the table of two versions there, too, for a pull request."
_ANNOTATE = "--annotate github", "Print the differences of two versions as annotations, too."


class FileAnswer(Arguments):
    """Say what is the best way to read a file: measured now, cached and from disk, in the language
    of the project in whose folder you are, or in each one that is here, with code to copy.
    """

    file: Path = argument(
        "FILE", "The file. iogauge only reads it; your own code gets a copy first."
    )
    language: Text = option(
        "--language LANGUAGE",
        "Language of your program, e.g. java or go (default: the languages of the project in whose "
        "folder you are, else every language that is here).",
        _languages,
    )
    every: bool = flag("--all", "In every language that is here, whatever project this is.")
    cache: Text = option(*_CACHE)
    cached_by: Text = option(
        _CACHED_BY[0],
        f"{_CACHED_BY[1]}(default: as-left where all of the file is cached now, else, and with "
        "--max-slowdown, read-sequential).",
        _CACHED_BY[2],
    )
    budget: Text = option(*_HALF_MINUTE)
    directory: Path | None = option(*_DIRECTORY)
    runtime: Texts = option(*_RUNTIMES)
    own: Texts = option(*_OWN)
    own_flags: Texts = option(*_FLAGS)
    own_path: Texts = option(*_PATH)
    limit: Text = option(*_LIMIT)
    max_slowdown: Text = option(*_MAX_SLOWDOWN)
    undecided: Text = option(*_UNDECIDED)
    markdown: Path | None = option(*_MARKDOWN)
    annotate: Text = option(*_ANNOTATE)
    out: Path | None = option(*_OUT)


class PlanOptions(Arguments):
    """The options that decide what is measured, and how."""

    only: Texts = option(
        "--only GLOB",
        "Measure only strategies that match, e.g. 'java/*' (default: all).",
        _strategies,
    )
    question: Texts = option(
        "--question ID",
        "Measure only the questions of a study whose id matches, e.g. lines (default: all; "
        "`iogauge plan` shows the ids).",
    )
    protocol: Text = option(
        "--protocol sound|published",
        "How to measure: sound, or published, as the authors of the study's source did (default: "
        "sound).",
    )
    budget: Text = option(
        "--budget TIME",
        "Time to spend, e.g. 2m (default: what the study says, else 5m; quick: 60s). With "
        "--resume: the time in all, with what was spent before.",
    )
    precision: Text = option(*_PRECISION)
    tolerance: Text = option(*_TOLERANCE)
    compare: Text = option(
        "--compare best|all",
        "What to decide: best (each case against the best one) or all (against the baseline too; "
        "takes longer). Default: what the study says.",
    )
    max_size: Text = option("--max-size SIZE", "Leave out larger files, e.g. 64M (default: none).")
    cached_by: Text = option(
        _CACHED_BY[0], f"{_CACHED_BY[1]}(default: what the study says).", _CACHED_BY[2]
    )
    runtime: Texts = option(*_RUNTIMES)
    runtime_option: Texts = option(
        "--runtime-option RUNNER=OPTION",
        "Measure every case of a runtime without and with this option, e.g. jvm=-XX:+UseZGC. "
        "Several words make one setting; repeat for more settings.",
        _runners,
    )
    seed: int | None = option(*_SEED)


class Run(PlanOptions):
    """Measure studies and show the answers."""

    own: Texts = option(*_OWN)
    own_flags: Texts = option(*_FLAGS)
    own_path: Texts = option(*_PATH)
    limit: Text = option(*_LIMIT)
    max_slowdown: Text = option(*_MAX_SLOWDOWN)
    undecided: Text = option(*_UNDECIDED)
    markdown: Path | None = option(*_MARKDOWN)
    annotate: Text = option(*_ANNOTATE)
    fresh_limits: bool = flag(
        "--fresh-limits",
        "Measure the limits of this machine anew, instead of taking them from an earlier run.",
    )
    profile: bool = flag("--profile", "Show what the time went into, too.")
    studies: Texts = argument(*_STUDIES, default=None)
    directories: Texts = option(
        "--dir PATH|NAME=PATH",
        "Folder for data files (default: in your cache folder). With --on: that of a host, "
        "NAME=PATH, or PATH for all others.",
    )
    out: Path | None = option(
        "--out -o RUN.jsonl",
        "Run file to write (default: a new one in the folder of runs). With --on: a new folder.",
    )
    resume: Path | None = option(
        "--resume RUN.jsonl",
        "Resume a run that was interrupted; with a larger --budget, also one that ended before all "
        "was decided. `newest`: the one last written to. With --on: a fleet run, by its id.",
    )
    on: Text = option(
        "--on tls://HOST:8786",
        "Measure on the hosts of a fleet, through the scheduler at this address (docs/fleet.md).",
    )
    hosts: Texts = option(
        "--hosts NAME,NAME", "With --on: only these hosts (default: all whose workers are there)."
    )
    at_a_time: int | None = option(
        "--at-a-time NUMBER", "With --on: so many hosts at once (default: all of them)."
    )
    patience: Text = option(
        "--patience DURATION",
        "With --on: how long hosts without a worker are awaited once the others are done (default: "
        "10m).",
    )
    certs: Path | None = option(*CERTS)

    @property
    def asked(self) -> list[str]:
        """The studies to measure."""
        return self.studies or ["quick"]

    @property
    def directory(self) -> Path | None:
        """Where data files go on this machine."""
        return Path(self.directories[-1]) if self.directories else None


class Command(Arguments):
    """Compare whole commands on a file, cached and from disk, without root."""

    file: Paths = option("--file PATH", "A file of yours for {file}; repeat for several.")
    size: Text = option(
        "--size SIZE", "Make a file of this size for {file}, e.g. 64M (default: 16M)."
    )
    content: str = option(
        "--content bytes|text", "What that file holds: bytes or text.", default="bytes"
    )
    block: Text = option("--block SIZE,SIZE", "Values for {block}, in bytes, e.g. 4K,64K,1M.")
    parameter: Texts = option(
        "--parameter NAME=1,2,4", "Values for {NAME}: numbers, or words. Repeat for several."
    )
    cache: Text = option(*_CACHE)
    cached_by: Text = option(
        _CACHED_BY[0], f"{_CACHED_BY[1]}(default: read-sequential).", _CACHED_BY[2]
    )
    name: Texts = option(
        "--name -n NAME", "What to call a command; repeat for others, in their order."
    )
    prepare: Texts = option(
        "--prepare -p COMMAND",
        "A command to run, untimed, before each run; one for all, or one for each command.",
    )
    limit: Text = option("--limit TIME", "End a run that takes longer, e.g. 1h (default: 10m).")
    output: str = option(
        "--output null|pipe",
        "Where commands write to: null (/dev/null), or pipe. Some do less work for /dev/null.",
        default="null",
    )
    ignore_failure: bool = flag(
        "--ignore-failure -i", "An exit status that is not 0 is no failure."
    )
    budget: Text = option(
        "--budget TIME",
        "Time to spend on each file, e.g. 2m (default: 30s). With --resume: the time in all, with "
        "what was spent before.",
    )
    precision: Text = option(*_PRECISION)
    tolerance: Text = option(*_TOLERANCE)
    max_slowdown: Text = option(*_MAX_SLOWDOWN)
    undecided: Text = option(*_UNDECIDED)
    markdown: Path | None = option(*_MARKDOWN)
    annotate: Text = option(*_ANNOTATE)
    seed: int | None = option(*_SEED)
    commands: list[str] = argument(
        "COMMAND...",
        "Commands, each in quotes, with {file} where its file goes. No shell runs them, unless "
        "they have what only a shell understands.",
    )
    directory: Path | None = option(*_DIRECTORY)
    out: Path | None = option(*_OUT)
    resume: Path | None = option(
        "--resume RUN.jsonl",
        "Resume a run of the same commands: give them again, with the same options. `newest`: the "
        "one last written to.",
    )

    @property
    def planned(self) -> PlanOptions:
        """The options of all measuring."""
        return PlanOptions(
            budget=self.budget, precision=self.precision, tolerance=self.tolerance, seed=self.seed
        )

    @property
    def recorded(self) -> list[str]:
        """The command line that asks the same of these commands, without the name of a file."""
        given = [
            "content",
            "block",
            "cache",
            "cached_by",
            "limit",
            "output",
            "parameter",
            "name",
            "prepare",
        ]
        of_file = ["--file", "FILE"] if self.file else []
        size = [] if self.file else self.words("size")
        ignored = ["--ignore-failure"] if self.ignore_failure else []
        return [*self.commands, *size, *self.words(*given), *of_file, *ignored]


class Watch(Arguments):
    """Watch a program while it runs, and say what a change to its reading and writing would save.
    Input, output and exit status are those of the command; what was found goes to standard error.
    """

    pid: int | None = option(
        "--pid N", "Watch a process that runs already, until it ends or Ctrl-C."
    )
    trace: bool = flag(
        "--trace", "See every call, by strace: the program takes many times as long."
    )
    verify: Text = option(
        "--verify COMMAND", "Measure this command beside the other one: did the saving come true?"
    )
    prepare: Text = option(
        "--prepare -p COMMAND", "For --verify: a command to run, untimed, before each run."
    )
    directory: Path | None = option(*_DIRECTORY)
    as_json: bool = flag(*JSON)
    out: Path | None = option("--out -o FILE", "Write there (default: standard error).")
    command: Texts = argument("-- COMMAND...", "The command, with its arguments.", default=None)


class Plan(PlanOptions):
    """Show what would be measured, and in which order."""

    studies: Texts = argument(*_STUDIES, default=None)
    directory: Path | None = option(*_DIRECTORY)
    as_json: bool = flag(*JSON)


class Show(Arguments):
    """Show what to use, with a bar for each case; of a watch what it found."""

    runs: Paths = argument(
        "[RUN]...",
        "A run file (default: the newest), the record of a watch, what JMH, go test or hyperfine "
        "wrote, a fleet run, or run files of several hosts.",
        default=None,
    )
    details: bool = flag(
        "--details", "Show all figures, warnings, and the samples that were not used."
    )
    profile: bool = flag("--profile", "Show what the time of the run went into instead.")
    as_json: bool = flag(*JSON)


class Explain(Arguments):
    """Explain why each case takes its time. It shows system calls, bytes per call, processor time,
    page faults, allocation, work that is not I/O, and the distance from the machine's limit.
    """

    run: Path | None = argument(*_RUN, default=None)
    trace: bool = flag(
        "--trace",
        "Also run one operation of each case under strace, now and here, and count its system "
        "calls.",
    )
    file: Path | None = option(
        "--file FILE", "For --trace: the file of yours that was measured, as no run file names it."
    )
    own: Texts = option(
        "--own [NAME=]CODE[:FUNCTION]",
        "For --trace: your own code that was measured, as no run file names it.",
    )
    own_flags: Texts = option(*_FLAGS)
    own_path: Texts = option(*_PATH)
    directory: Path | None = option(*_DIRECTORY)
    runtime: Texts = option(*_RUNTIMES)


class Claims(Arguments):
    """Compare published numbers with measured ones. Each claim of the study gets a verdict."""

    runs: Paths = argument(
        "[RUN]...", "A run file (default: the newest), or the runs of several hosts.", default=None
    )
    study: Text = option(*_STUDY)


class Export(Arguments):
    """Write a run's results in another format, for programs and for tools of others."""

    run: Path | None = argument(
        "[RUN]",
        "A run file (default: the newest), or what JMH, go test or hyperfine wrote.",
        default=None,
    )
    output_format: str = option(
        f"--format {'|'.join(outputs.FORMATS)}", f"{', '.join(outputs.FORMATS)}.", default="json"
    )
    study: Text = option(*_STUDY)
    out: Path | None = option("--out -o PATH", "File to write (default: standard output).")


class Report(Arguments):
    """Write one web page with answers, figures and evidence. It needs no network."""

    runs: Paths = argument(
        "[RUN]...",
        "Run files (default: the newest run), what JMH, go test or hyperfine wrote, or the record "
        "of a watch.",
        default=None,
    )
    out: Path = option("--out -o X.html", "Page to write.", default=Path("report.html"))


class Compare(Arguments):
    """Compare separate runs: up to now (BASE, three if there are) and a new one, the last.

    Prefer one run of both versions (iogauge run --runtime RUNNER:old=… --runtime RUNNER:new=…),
    which finds far smaller differences.
    """

    runs: list[Path] = argument("BASE... NEW", "Run files; all but the last are of the base.")
    max_slowdown: Text = option(
        _MAX_SLOWDOWN[0],
        "Let the exit status say whether the new run is slower by more than this, e.g. 5%: 0 "
        "surely not, 1 surely, 3 a way fails in both, 4 undecided, as with one BASE.",
    )
    undecided: Text = option(*_UNDECIDED)
    markdown: Path | None = option(*_MARKDOWN)
    annotate: Text = option(*_ANNOTATE)
    as_json: bool = flag("--json", "Print JSON (docs/export-json.md).")


class Advise(Arguments):
    """Say what to use for a workload, with code to copy. Of what is as fast as anything (within
    10 %, or the --tolerance of the run) it names the simplest way and the smallest block.
    """

    language: Text = option(*_LANGUAGE)
    operation: str = option(
        "--operation read|write|copy",
        "What your program does: read, write or copy.",
        default="read",
    )
    unit: str = option(
        "--unit byte|char|line",
        "How your program reads: byte, char or line, for bytes, characters or lines.",
        default="byte",
    )
    size: Text = option("--size SIZE", "Size of the file, e.g. 4M (default: 16M).")
    cache: Text = option(
        "--cache warm|cold",
        "Whether the file is in the page cache when your program reads it: warm, or cold for not "
        "at all (default: warm).",
    )
    cached_by: Text = option(
        "--cached-by STATE",
        "How a cached file came into the page cache, which changes what a mapping of it costs: "
        "read-sequential, read-random, write-large, write-small, or as-left for a --file (default: "
        "any of those that were measured).",
        _CACHED_BY[2],
    )
    durability: Text = option(
        "--durability HOW",
        "How your program makes sure that written data is on the disk: none, fsync, fdatasync, "
        "dsync (O_DSYNC), sync-inode or sync-mount (default: none).",
        ("none", "fsync", "fdatasync", "dsync", "sync-inode", "sync-mount"),
    )
    then: Text = option(
        "--then read",
        "With --operation write: measure, too, what small writes cost whoever reads the file next, "
        "by a mapping and by plain calls. It needs a --language.",
        ("read",),
    )
    record: Text = option(
        "--record SIZE", "Bytes per call, e.g. 100 (default: the best that is found)."
    )
    access: str = option(
        "--access sequential|random",
        "How your program reads: sequential, or random for pieces of --record bytes (4K if not "
        "given) at places of its choice.",
        default="sequential",
    )
    runs: Paths = argument(
        "[RUN]...", "Run files (default: the stored runs of this machine).", default=None
    )
    file: Path | None = option(
        "--file PATH",
        "Measure with this file of yours. It is read, put into the page cache or taken out of it, "
        "and never changed; its path is not recorded.",
    )
    measure: bool = flag("--run", "Measure now if no stored run answers this.")
    budget: Text = option(*_HALF_MINUTE)
    directory: Path | None = option(*_DIRECTORY)
    runtime: Texts = option(*_RUNTIMES)
    as_json: bool = flag(*JSON)


class Chart(Arguments):
    """Draw one picture of a run."""

    run: Path | None = argument(*_RUN, default=None)
    kind: str = option(
        "--kind blocks|ranking|sizes|published|samples|schedule",
        "What to draw: blocks, ranking, sizes, published, samples or schedule.",
        default="ranking",
    )
    number: int = option("--number NUMBER", "Which of several such pictures.", default=1)
    out: Path = option("--out -o X.svg|X.png", "Picture to write.", default=Path("chart.svg"))


class History(Arguments):
    """Show what changed over the runs of a folder: which case, when, by how much, and between which
    two runs. It keeps an index beside the run files, which may be deleted at any time.
    """

    folder: Path | None = argument(
        "[DIR]",
        "A folder of run files, and those in it (default: where runs are kept).",
        default=None,
    )
    case: Text = option("--case TEXT", "Only cases with this text in their name or key.")
    study: Text = option("--study STUDY", "Only runs of this study, by its id.", _studies)
    runs: bool = flag("--runs", "List the runs instead.")
    sql: Text = option(
        "--sql SELECT",
        "Ask the tables runs, groups and cases yourself (docs/history.md), e.g. "
        '"SELECT name, min(ns_per_op) FROM cases GROUP BY name".',
    )
    as_json: bool = flag("--json", "Print JSON, for programs (docs/history.md).")
    output_format: Text = option(
        "--format csv|otava", "Write CSV, or a folder that Apache Otava reads, instead."
    )
    out: Path | None = option(
        "--out -o PATH", "Where to write it: a file, for otava a folder (default: standard output)."
    )


class Atlas(Arguments):
    """Write pages that others can cite: one for each question, runtime and kind of host, from the
    newest run of each, and a first one that shows for all of them what to use.
    """

    folder: Path | None = argument(
        "[DIR]",
        "A folder of run files, and those in it (default: where runs are kept).",
        default=None,
    )
    out: Path = option(
        "--out -o SITE",
        "Folder to write the pages into, empty or of an atlas.",
        default=Path("site"),
    )


class List(Arguments):
    """List the studies, strategies or runtimes that are here, or the records of watches."""

    what: str = argument(
        "studies|strategies|runtimes|watches",
        "What to list: studies, strategies, runtimes, or watches for their records.",
        ("studies", "strategies", "runtimes", "watches"),
    )
    runtime: Texts = option(*_RUNTIMES)
    as_json: bool = flag(*JSON)


class Check(Arguments):
    """Check that a study is valid, or that a runner or your own code keeps the contract."""

    what: Path = argument(
        "STUDY.toml|RUNNER-FOLDER|CODE",
        "A study file, the folder of a runner, or your own code.",
    )
    own_flags: Texts = option(*_FLAGS)
    own_path: Texts = option(*_PATH)
    runtime: Texts = option(*_RUNTIMES)


class Doctor(Arguments):
    """Show what this machine offers for measuring, and what disturbs."""

    directory: Path | None = option(*_DIRECTORY)
    as_json: bool = flag(*JSON)


class Gate(Arguments):
    """Show that a gate of two versions (--max-slowdown) fires when it should, here: it measures the
    same code as old and as new, and then code that reads a share of the file once more.
    """

    prove: bool = flag("--prove", "Do it.")
    language: str = option(
        "--language LANGUAGE", "The language of that code.", _languages, default="python"
    )
    max_slowdown: str = option("--max-slowdown SHARE", "What the gate allows.", default="5%")
    planted: str = option(
        "--planted SHARE", "By how much the slower code reads more.", default="10%"
    )
    runs: int = option("--runs N", "How often each is measured.", default=1)
    budget: Text = option("--budget TIME", "Time to spend on each gate, at most (default: 50s).")
    size: str = option("--size SIZE", "Size of the file that is read.", default="4M")
    directory: Path | None = option(*_DIRECTORY)
    as_json: bool = flag(*JSON)


class Calibrate(Arguments):
    """Show what reading, writing, opening and syncing files costs on this machine, call by call,
    as one page. It is measured once, in about 20 s, and again after a day or when the machine has
    another pace.
    """

    fresh: bool = flag("--fresh", "Measure now, whatever is known.")
    budget: Text = option(
        "--budget TIME", "Time to spend on measuring, at most 60s (default: 20s)."
    )
    directory: Path | None = option(
        "--dir PATH",
        "Folder on the device and file system to ask about (default: your cache folder).",
    )
    out: Path | None = option("--out -o X.svg", "Draw the roofline picture into this file, too.")
    as_json: bool = flag("--json", "Print JSON, for programs: every number, unrounded.")


class Clean(Arguments):
    """Remove data files, built runners, the numbers of `iogauge calibrate`, the index of the folder
    of runs, and what a fleet measured here and its client has. Other run files and the records of
    watches stay.
    """

    directory: Path | None = option(*_DIRECTORY)


class NewStrategy(Arguments):
    """Write a way to read a file that `iogauge FILE --own` measures."""

    name: str = argument(*_NAME)
    language: str = option("--language LANGUAGE", "Its language.", default="python")


class NewRunner(Arguments):
    """Write a runner, which adds a language: it speaks with iogauge, and reads files."""

    name: str = argument(*_NAME)


class NewStudy(Arguments):
    """Write a study that `iogauge run` measures."""

    name: str = argument(*_NAME)
    table: Path | None = option(
        "--from TABLE.md",
        "Begin with a published table, in Markdown: a row per strategy, a column per size of the "
        "file, the unit in its head, e.g. `strategy [ms]`.",
    )
