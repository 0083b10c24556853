"""Study files are read here: TOML comes in, a validated Study goes out.

Every error is one line that names the file, the key and what is allowed there.
"""

from __future__ import annotations

import contextlib
import difflib
import tomllib
from collections.abc import Iterable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from iogauge.model.errors import UserError
from iogauge.model.text import hidden
from iogauge.study.schema import (
    Baseline,
    Cases,
    Claim,
    ClaimTest,
    GroupTable,
    PublishedProtocolTable,
    PublishedTable,
    Rounds,
    Source,
    Study,
)


def parse(text: str, name: str) -> Study:
    """The study that a text describes. Error messages call the text `name`. Raises UserError."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError(
            f"{name}: not TOML: {error}; docs/study-format.md describes a study"
        ) from None
    if "source_text" in found:
        raise UserError(f"{name}: source_text: unknown key; leave it out")
    shown = dict(found)
    if isinstance(about := found.get("about"), str):  # the only text that may have several lines
        shown["about"] = about.translate({ord("\n"): " ", ord("\t"): " "})
    if unseen := hidden(shown):
        raise UserError(f"{name}: {unseen}")
    with _problems_of(name):
        return Study.model_validate({**found, "source_text": text})


def made(where: str, about: dict[str, Any], *groups: dict[str, Any]) -> Study:
    """A study that iogauge makes itself: the keys of the study and of its groups, as in a file.
    Error messages call it `where`. Raises UserError.
    """
    with _problems_of(where):
        return Study.model_validate({**about, "group": list(groups)})


@contextlib.contextmanager
def _problems_of(name: str) -> Iterator[None]:
    """Raises UserError, in one line that begins with `name`, for a study that is not valid."""
    try:
        yield
    except ValidationError as error:
        raise UserError(f"{name}: {_first_problem(error)}") from None


def load(name_or_path: str) -> Study:
    """A built-in study by its id, or the one in a .toml file. Raises UserError."""
    path = Path(name_or_path)
    if path.suffix != ".toml":
        built_in = {each.name.removesuffix(".toml"): each for each in _built_in_files()}
        if name_or_path not in built_in:
            if path.exists():
                is_ = "a folder" if path.is_dir() else "no study"
                raise UserError(
                    f"{path}: {is_}; give the path of a study, which ends in .toml, or the name of "
                    "one that is built in (iogauge list studies)"
                )
            meant = _meant(name_or_path, built_in)
            raise UserError(
                f"no study {name_or_path!r}{meant}; built in: {', '.join(sorted(built_in))};"
                " your own study is a path that ends in .toml"
            )
        return parse(built_in[name_or_path].read_text("utf-8"), f"{name_or_path}.toml")
    try:
        return parse(path.read_text("utf-8"), str(path))
    except OSError as error:
        raise UserError(
            f"{path}: {error.strerror}; iogauge list studies shows what is built in"
        ) from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: not a text file in UTF-8; save it as UTF-8") from None


def built_in() -> list[Study]:
    """The studies that come with the program, in the order of their ids."""
    return [
        parse(each.read_text("utf-8"), each.name)
        for each in sorted(_built_in_files(), key=lambda each: each.name)
    ]


def built_in_ids() -> set[str]:
    """Ids of the built-in studies: each is the name of its file. This does not parse them."""
    return {each.name.removesuffix(".toml") for each in _built_in_files()}


def _built_in_files() -> Iterable[Any]:
    """Study files inside the installed package or, in a checkout, in its folder `studies`."""
    inside = resources.files("iogauge") / "studies"
    folder = inside if inside.is_dir() else Path(__file__).parents[3] / "studies"
    return [each for each in folder.iterdir() if each.name.endswith(".toml")]


def _first_problem(error: ValidationError) -> str:
    """The first problem in one line: where it is, what it is, what is allowed there.

    A misspelt key is reported before the key that is missing because of it.
    """
    problems = sorted(error.errors(), key=lambda problem: problem["type"] != "extra_forbidden")
    first = problems[0]
    where = _where(first["loc"])
    match first["type"]:
        case "extra_forbidden":
            allowed = _keys_at(first["loc"])
            meant = _meant(str(first["loc"][-1]), allowed)
            says = f"unknown key{meant}"
            if allowed:
                says += f"{'' if meant else ';'} allowed: {', '.join(allowed)}"
        case "missing":
            says = "this key is missing"
        case "literal_error":
            says = f"{first['input']!r} is not allowed; allowed: {first['ctx']['expected']}"
        case "value_error":
            says = str(first["ctx"]["error"])
        case "string_pattern_mismatch":
            says = f"{first['input']!r} is not allowed: lower-case words joined by '-'"
        case _:
            says = first["msg"][0].lower() + first["msg"][1:]
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    help_ = "; docs/study-format.md has all keys" if first["type"] == "missing" else ""
    return f"{where + ': ' if where else ''}{says}{more}{help_}"


def _meant(word: str, allowed: Iterable[str]) -> str:
    """`; did you mean size?`, if one of the words is close."""
    close = difflib.get_close_matches(word, allowed, n=1)
    return f"; did you mean {close[0]}?" if close else ""


def _where(loc: tuple[int | str, ...]) -> str:
    """The place of a problem, such as `group[1].case[0].strategy`."""
    text = ""
    for part in loc:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


_TABLES: dict[str, type[BaseModel]] = {
    "group": GroupTable,
    "case": Cases,
    "baseline": Baseline,
    "rounds": Rounds,
    "source": Source,
    "published_protocol": PublishedProtocolTable,
    "published": PublishedTable,
    "claim": Claim,
    "test": ClaimTest,
}


def _keys_at(loc: tuple[int | str, ...]) -> list[str]:
    """The keys that are allowed in the table that holds the key at `loc`."""
    names = [part for part in loc[:-1] if isinstance(part, str)]
    table = _TABLES.get(names[-1]) if names else Study
    return [key for key in table.model_fields if key != "source_text"] if table else []


def must_not_be_own(of: Study, where: str) -> None:
    """Raises UserError for a study of a file of the user's: no study names that file."""
    for index, group in enumerate(of.group):
        if "own" in group.content:
            raise UserError(
                f"{where}: group[{index}].content: own is a file of the user's, which"
                " iogauge advise --file PATH --run measures"
            )
