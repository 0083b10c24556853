"""What a language is given, and what it gives back: the seam between the rules and a language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path


class Wrong(Exception):
    """Code that cannot be measured as it stands: what is wrong and the next step, in a line."""


class NotMine(Wrong):
    """A folder in which a language finds nothing of its own; it may be that of another."""


@dataclass(frozen=True)
class Given:
    """What the user names: a file or a folder, absolute, and perhaps one `function` of it. `flags`
    are words for its compiler, `class_path` what is to be found beside it. `templates` is the
    folder of the language's runner. `name` is what a function without a name is called. `say` tells
    the user what takes long.
    """

    path: Path
    templates: Path
    function: str = ""
    flags: tuple[str, ...] = ()
    class_path: tuple[Path, ...] = ()
    name: str = ""
    say: Callable[[str], None] = field(default=lambda _: None, compare=False)


@dataclass(frozen=True)
class Glue:
    """What is added to a build so that the runner calls functions of the user's. A file's place is
    where it lies in the build: `own/code.c`.
    """

    # The folder of the user's code. Where that does not compile, files are named as seen from here.
    root: Path
    # Files that are written, by their places. `values` are filled in, as JSON and TOML write them.
    texts: Mapping[str, str] = field(default_factory=dict)
    # Files of the user's that are copied: place, file. They belong to the identity of the build.
    copies: tuple[tuple[str, Path], ...] = ()
    # Files that the build reads where they lie, and which belong to its identity, too: a name that
    # is the same wherever they lie, file.
    reads: tuple[tuple[str, Path], ...] = ()
    # By their places, what links lead to.
    links: Mapping[str, Path] = field(default_factory=dict)
    # What stands in texts and commands for `{NAME}`: paths of this machine, and so no part of the
    # identity.
    values: Mapping[str, str] = field(default_factory=dict)
    # Commands in the place of those in runner.toml.
    commands: tuple[tuple[str, ...], ...] | None = None
    # Why functions are not measured, in a line each.
    left_out: tuple[str, ...] = ()
    # Files like `texts` in which nothing is filled in, as code of the user's with glue in it.
    verbatim: Mapping[str, str] = field(default_factory=dict)
    # Of texts, what stands in the place of lines that do not compile, by the numbers of these;
    # `{why}` in it is what the compiler says.
    otherwise: Mapping[str, Mapping[int, str]] = field(default_factory=dict)


def read(path: Path) -> bytes:
    """A file of the user's. Raises Wrong for one that cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise Wrong(f"{path}: {error.strerror}; make it readable") from None


def glue(language: str, given: Given) -> Glue:
    """The glue for code in this language. Raises Wrong."""
    made: Glue = import_module(f"iogauge.sources.languages.{language}").glue(given)
    return made
