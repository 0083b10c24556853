"""What a language is given, and what it gives back: the seam between the rules and a language."""

from __future__ import annotations

from collections.abc import Mapping
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
    folder of the language's runner. `name` is what a function without a name is called.
    """

    path: Path
    templates: Path
    function: str = ""
    flags: tuple[str, ...] = ()
    class_path: tuple[Path, ...] = ()
    name: str = ""


@dataclass(frozen=True)
class Glue:
    """What is added to a build so that the runner calls functions of the user's.

    `texts` are files that are written: by their place in the build; `verbatim` those in which
    nothing stands for another text, as code of the user's with glue in it. `copies` are files of
    the user's that are copied: place, file. `reads` are those that the build reads where they lie,
    by a name that is the same wherever they lie; both belong to its identity. `links` are made in
    the build: place, what it leads to. `values` stand in texts and commands for `{NAME}`; they are
    paths of this machine, and no part of the identity. `commands` stand in the place of those in
    runner.toml. `left_out` says of functions why they are not measured. `root` is the folder of the
    user's code; where the code does not compile, files are named as seen from there.
    """

    root: Path
    texts: Mapping[str, str] = field(default_factory=dict)
    copies: tuple[tuple[str, Path], ...] = ()
    reads: tuple[tuple[str, Path], ...] = ()
    links: Mapping[str, Path] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    commands: tuple[tuple[str, ...], ...] | None = None
    left_out: tuple[str, ...] = ()
    verbatim: Mapping[str, str] = field(default_factory=dict)
    # Of texts, what stands in the place of lines that do not compile, by the numbers of these;
    # `{why}` in it is what the compiler says.
    otherwise: Mapping[str, Mapping[int, str]] = field(default_factory=dict)


def glue(language: str, given: Given) -> Glue:
    """The glue for code in this language. Raises Wrong."""
    made: Glue = import_module(f"iogauge.sources.languages.{language}").glue(given)
    return made
