"""Runners as their folders declare them. runners/README.md describes `runner.toml`."""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from iogauge.model import strategy
from iogauge.model.errors import UserError, first_problem
from iogauge.model.text import listed
from iogauge.model.watched import Marks
from iogauge.sources.language import Glue

NAME = r"[a-z][a-z0-9]*"
"""What a runner may be called: a regular expression."""
_SEARCH_VARIABLE = "IOGAUGE_RUNNERS"  # more folders with runners in them, like PATH


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _can_be_set(variables: dict[str, str | Literal[False]]) -> dict[str, str | Literal[False]]:
    for name, value in variables.items():
        if "*" in name and value is not False:
            raise ValueError(f"{name}: a name with * can only be false, which removes variables")
    return variables


Environment = Annotated[dict[str, str | Literal[False]], AfterValidator(_can_be_set)]
"""Variables that are set, or (false) removed."""


class RuntimeTable(_Table):
    executable: str
    candidates: Annotated[list[str], Field(min_length=1)]
    package: str | None = None
    version: list[str] = ["--version"]
    pattern: str
    home: str | None = None
    kind: str | None = None
    minimum: str
    environment: Environment = {}


class BuildTable(_Table):
    inputs: list[str] = []
    builder: Annotated[Literal["newest", "each"], Field(alias="with")] = "each"
    needs: str | None = None
    settings: list[str] = []
    commands: list[list[str]] = []
    layouts: Annotated[int, Field(ge=1, le=64)] = 1
    seconds: Annotated[float, Field(gt=0)] | None = None
    environment: Environment = {}


class PrebuiltTable(_Table):
    """How a build is made that travels in a wheel, and what of it travels."""

    files: Annotated[list[str], Field(min_length=1)]
    commands: list[list[str]] | None = None
    layouts: Annotated[int, Field(ge=1, le=64)] | None = None
    machines: dict[str, dict[str, str]] = {}
    install: str | None = None


class ArchiveTable(_Table):
    """Options with which a runtime writes an archive of loaded classes as it ends, and reads it."""

    make: list[str]
    use: list[str]


class LaunchTable(_Table):
    command: Annotated[list[str], Field(min_length=1)]
    sound: list[str] = []
    unless: dict[str, re.Pattern[str]] = {}
    archive: ArchiveTable | None = None
    environment: Environment = {}
    start_seconds: float = 0.5
    warm_up_seconds: Annotated[float, Field(ge=0, le=10)] = 0.25
    warm_up_calls: Annotated[int, Field(ge=0)] = 0
    longest_warm_up_seconds: Annotated[float, Field(ge=0, le=10)] = 0.0
    compiled_after_calls: Annotated[int, Field(ge=1)] | None = None
    compiling_threads: tuple[str, ...] = ()
    steady_after_rest: Annotated[float, Field(ge=0, le=1)] = 0.0
    collects: bool = False
    heap_minimum_mib: int = 0
    overhead_mib: int = 64


class CodeTable(_Table):
    """How a runner is built with code of the user's. A file brings the modules beside it that it
    names, which have the endings of `modules`. A folder that holds a file called `packages` is a
    package: it comes as a whole, and under its own name, with any file in it. A runner that `tries`
    the functions calls each with a small file of its own before it lists them. Code that lies
    `beside` the runner needs no other build. `library` has the commands of a build of the runner
    alone, which is made once; to those that build source code its folder is `{library}`. `with`,
    `commands`, `layouts` and `launch` stand in the place of those of the runner alone, and
    `environment` adds to that of its build. `options` says which of `--own-flags` and `--own-path`
    it takes.
    """

    modules: list[str] = []
    packages: str | None = None
    tries: bool = False
    tools: list[str] = []
    beside: bool = False
    library: list[list[str]] = []
    builder: Annotated[Literal["newest", "each"] | None, Field(alias="with")] = None
    commands: list[list[str]] | None = None
    layouts: Annotated[int, Field(ge=1, le=64)] | None = None
    environment: Environment = {}
    launch: list[str] | None = None
    options: list[Literal["flags", "path"]] = []


class SourceTable(CodeTable):
    """Which source code is measured as it stands, by the module `language` of iogauge.sources:
    files with these endings, and folders that hold a file like one of `folders` (`go.mod`, `*.go`).
    Code with a text that matches `unless` is written for the runner.
    """

    language: str
    files: list[str] = []
    folders: list[str] = []
    unless: re.Pattern[str] | None = None


class UntrackedTable(_Table):
    """What projects have that git does not track, and code of another revision takes from the
    working tree: `folders` by a link, or by one for `each` entry, where some lead back into the
    project; `files` as a copy. They lie where a file like one of `beside` is, and are taken where
    `locks` (or, without any, `manifests`) there, above, and with `below` in the folders below, are
    the same. Without `folders` and `files` a lock that differs is told. `install` makes folders.
    """

    beside: Annotated[list[str], Field(min_length=1)]
    folders: list[str] = []
    files: list[str] = []
    each: bool = False
    locks: list[str] = []
    manifests: list[str] = []
    below: bool = False
    install: str = ""


class OwnTable(CodeTable):
    """What code of the user's a runner takes: files with these endings, and folders that hold a
    file of this name. With `functions`, one function of the code may be named. `source` has what it
    takes besides, as it stands. `untracked` says what of its projects git does not have.
    """

    files: list[str] = []
    folders: str | None = None
    functions: bool = True
    source: SourceTable | None = None
    untracked: list[UntrackedTable] = []


class ProjectTable(_Table):
    """What tells that a folder is a project of the runner's languages. `markers` are names of files
    there, each with the languages that it stands for where no sources are found: none for a file
    that projects of other languages have, too. `sources` are endings by language: where such files
    are found, the languages are theirs.
    """

    markers: Annotated[dict[str, list[str]], Field(min_length=1)]
    sources: dict[str, list[str]] = {}

    @property
    def languages(self) -> set[str]:
        return {*self.sources}.union(*self.markers.values())


class RunnerFile(_Table):
    """A runner.toml."""

    name: Annotated[str, Field(pattern=f"^{NAME}$")]
    languages: Annotated[list[str], Field(min_length=1)]
    wire: Literal[3]
    probes: bool = False  # it answers the verb `probe`
    install: str
    tools: list[str] = []
    unfit: str = ""  # characters that the tools cannot take in a path
    environment: Environment = {}
    names: dict[str, str] = {}
    runtime: RuntimeTable
    build: BuildTable = BuildTable()
    prebuilt: PrebuiltTable | None = None
    launch: LaunchTable
    own: OwnTable | None = None
    project: ProjectTable | None = None
    program: list[Marks] = []

    @model_validator(mode="after")
    def _names_are_of_its_languages(self) -> RunnerFile:
        if unknown := self.names.keys() - set(self.languages):
            raise ValueError(f"names: {', '.join(sorted(unknown))}: none of its languages")
        project = self.project.languages if self.project else set[str]()
        if unknown := project - set(self.languages):
            raise ValueError(f"project: {', '.join(sorted(unknown))}: none of its languages")
        return self


@dataclass(frozen=True)
class Copied:
    """A copy of a repository's files in the cache: its `folder`, and how a path in it begins that
    the user would write: `git:HEAD~1:`. By runner, what it `lacks`, in a line.
    """

    folder: Path
    shown: str
    lacks: tuple[tuple[str, str], ...] = ()

    def spoken(self, text: str) -> str:
        """The text with paths in the copy as the user would write them."""
        here = str(self.folder)
        for each in (here, os.path.relpath(here)):
            if each.endswith(self.folder.name):
                text = text.replace(f"{each}{os.sep}", self.shown).replace(each, f"{self.shown}.")
        return text


@dataclass(frozen=True)
class OwnCode:
    """Code of the user's for a runner. By a `label`, two versions can be told apart. Where they
    name a `function` of it, that one alone is measured. A call takes `limit` seconds at most. What
    lies in a copy was `spelled` otherwise on the command line.
    """

    path: Path
    label: str = ""
    function: str = ""
    limit: float = strategy.LIMIT
    spelled: str = ""
    copied: Copied | None = None

    @property
    def given(self) -> str:
        """As the command line has it."""
        label, function = self.label and f"{self.label}=", self.function and f":{self.function}"
        return f"--own {label}{self.spelled or self.path}{function}"

    def spoken(self, text: str) -> str:
        """The text without paths of a copy."""
        return self.copied.spoken(text) if self.copied else text


@dataclass(frozen=True)
class Runner:
    """A runner as its folder declares it, perhaps with code of the user's; and with the `glue` by
    which it calls code that was not written for it.
    """

    folder: Path
    file: RunnerFile
    own: OwnCode | None = None
    glue: Glue | None = field(default=None, compare=False, repr=False)

    @property
    def name(self) -> str:
        return self.file.name

    @property
    def called(self) -> str:
        """By its languages, as people call them: `Java and Kotlin`."""
        return listed([strategy.name_of(each, self.file.names) for each in self.file.languages])

    @property
    def tries(self) -> bool:
        """Whether it has code of the user's, and tries the functions in it before it lists them."""
        return bool(self.own and self.file.own and self.file.own.tries)

    def with_build(self, **changes: Any) -> Runner:
        """The same runner with other values in its table `build`."""
        build = self.file.build.model_copy(update=changes)
        return replace(self, file=self.file.model_copy(update={"build": build}))


def load(folder: Path) -> Runner:
    """The runner of a folder. Raises UserError, naming file and key."""
    path = folder / "runner.toml"
    try:
        return Runner(folder, RunnerFile.model_validate(tomllib.loads(path.read_text("utf-8"))))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; give the folder of a runner") from None
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{path}: not TOML: {error}; runners/README.md describes it") from None
    except ValidationError as error:
        wrong = first_problem(error)
        raise UserError(f"{path}: {wrong}; runners/README.md has the keys") from None


def sources_folder() -> Path:
    """Where the runners are that travel with iogauge."""
    inside = Path(__file__).parents[1] / "runners_source"
    return inside if inside.is_dir() else Path(__file__).parents[3] / "runners"


def roots() -> list[Path]:
    """The folders that have runners in them: ours, and those of $IOGAUGE_RUNNERS."""
    more = os.environ.get(_SEARCH_VARIABLE, "").split(os.pathsep)
    return [sources_folder(), *map(Path, filter(None, more))]


def all_runners() -> list[Runner]:
    """Every runner that travels with iogauge and every one in the folders of $IOGAUGE_RUNNERS, by
    name. Raises UserError for one that cannot be read.
    """
    folders = [each.parent for root in roots() for each in sorted(root.glob("*/runner.toml"))]
    return sorted(map(load, folders), key=lambda runner: runner.name)


def languages() -> list[str]:
    """The languages of all runners, whether or not they can be measured here."""
    return sorted(language for runner in all_runners() for language in runner.file.languages)


def name_of(language: str) -> str:
    """What people call a language, by the runner that measures it: `C++`."""
    names = {key: name for runner in all_runners() for key, name in runner.file.names.items()}
    return strategy.name_of(language, names)
