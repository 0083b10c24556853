"""`iogauge new`: files to begin with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from iogauge.commands import arguments as arg
from iogauge.commands.exits import DONE
from iogauge.commands.options import parsed
from iogauge.model.errors import UserError
from iogauge.model.text import shell_path
from iogauge.model.units import parse_size
from iogauge.runners import catalogue, manifest

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*(-[A-Za-z0-9_]+)*")
_SKELETON, _HERE, _HIDDEN = "skeleton", "NAME", ".txt"
_UNITS = ("ops/ms", "ns", "us", "ms", "s")
_STUDY = """\
# iogauge check {name}.toml; iogauge run {name}.toml. docs/study-format.md has all keys.
id = "{name}"
title = "What this study asks, in one line"

[[group]]
id = "reading"
question = "What is the fastest way to read a file as a whole?"
size = {size}
cache = "warm"
consume = "touch"
"""


def strategy(given: arg.NewStrategy) -> int:
    """Write a way to read a file, in a language, that can be measured as it is."""
    name, language = given.name, given.language
    _check(name)
    able = {
        each.file.languages[0]: each
        for each in manifest.all_runners()
        if (each.folder / _SKELETON).is_dir()
    }
    if language not in able:
        raise UserError(f"--language {language}: allowed: {', '.join(sorted(able))}")
    word = name if language == "node" else name.replace("-", "_")
    made = _skeleton(able[language].folder, word)
    _write(made)
    first = made[0][0]
    code = first if len(first.parts) == 1 else first.parent
    print(f"iogauge FILE --own {shell_path(code)}   # measures it")
    return DONE


def runner(given: arg.NewRunner) -> int:
    """Write a runner that keeps the contract as it is, in a folder of that name."""
    name = given.name
    if not re.fullmatch(manifest.NAME, name):
        raise UserError(f"{name}: a runner's name is small letters and digits, a letter first")
    if name in manifest.languages():
        raise UserError(f"{name}: there is a runner for that language; take another name")
    _write(_skeleton(manifest.sources_folder(), name))
    print(f"iogauge check {name}   # then: iogauge FILE --own {name}")
    return DONE


def study(given: arg.NewStudy) -> int:
    """Write a study that can be run as it is, perhaps with the numbers of a published table."""
    name = given.name
    _check(name)
    if given.table is None:
        ways = ("python/read", "python/mmap")
        known = _known()
        cases = [each for each in ways if each in known] or sorted(known)[:2]
        text = _STUDY.format(name=name, size='"16 MiB"') + "".join(_case(each) for each in cases)
    else:
        text = _from_table(name, given.table)
    _write([(Path(f"{name}.toml"), text)])
    print(f"iogauge check {name}.toml   # then: iogauge run {name}.toml")
    return DONE


def _check(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise UserError(f"{name}: a name is a letter, then letters, digits, '_' and '-'")


def _skeleton(folder: Path, name: str) -> list[tuple[Path, str]]:
    """The files of a skeleton with this name in their places and texts."""
    folder = folder / _SKELETON
    files = sorted(each for each in folder.rglob("*") if each.is_file())
    return [
        (
            Path(str(each.relative_to(folder)).removesuffix(_HIDDEN).replace(_HERE, name)),
            each.read_text("utf-8").replace(_HERE, name),
        )
        for each in files
    ]


def _write(files: Sequence[tuple[Path, str]]) -> None:
    """Write new files. Raises UserError, and writes none, where one is there already."""
    for path, _ in files:
        if path.exists():
            raise UserError(f"{path}: exists already; take another name")
    for path, text in files:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(path)


def _case(name: str) -> str:
    return f'\n[[group.case]]\nstrategy = "{name}"\n'


def _known() -> dict[str, str]:
    """The strategies that read bytes from a file, and what their users call them."""
    return {
        each.name: each.known_as
        for runtime in catalogue.everywhere()[0]
        for each in runtime.strategies.values()
        if (each.operation, each.access, each.sums) == ("read", "sequential", "byte")
        and each.role == "contestant"
        and "touch" in each.consumes
    }


def _from_table(name: str, path: Path) -> str:
    """A study of a Markdown table: a row per way, named in the first column as here or by its call,
    and a column of numbers per size of the file.
    """
    rows = _rows(path)
    head, body = rows[0], rows[1:]
    unit = next((each for each in _UNITS if re.search(rf"[\[(]{each}[\])]", " ".join(head))), None)
    if unit is None:
        raise UserError(
            f"{path}: no unit in the table's head; write e.g. 'strategy [ms]' ({', '.join(_UNITS)})"
        )
    sizes = [parsed(f"{path}: {each}", parse_size, each) for each in head[1:]]
    known, cases, published, unknown = _known(), [], [], []
    by_call = {call.lower(): strategy for strategy, call in known.items()}
    for first, *numbers in body:
        word = first.strip("` ")
        found = word if word in known else by_call.get(word.lower())
        if found is None:
            unknown.append(word)
            continue
        cases.append(_case(found))
        values = [
            [at, float(one)]
            for at, one in zip(sizes, numbers, strict=False)
            if re.fullmatch(r"\d+(\.\d+)?", one)
        ]
        published.append(
            f'\n[[published]]\ntable = "{path.stem}"\ngroup = "reading"\nstrategy = "{found}"\n'
            f'along = "size"\nunit = "{unit}"\nvalues = {values}\n'
        )
    if not cases:
        raise UserError(
            f"{path}: no row is named as a strategy is: {', '.join(unknown)}; "
            "iogauge list strategies shows them"
        )
    left_out = [f"# not in this study, as no strategy is called so: {each}\n" for each in unknown]
    text = _STUDY.format(name=name, size=sizes)
    return "".join([text, *cases, *published, *["\n"][: len(left_out)], *left_out])


def _rows(path: Path) -> list[list[str]]:
    """The first table: its head, then its rows."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"{path}: {getattr(error, 'strerror', None) or 'no text in UTF-8'}"
        ) from None
    found = [line.strip().strip("|").split("|") for line in lines if line.strip().startswith("|")]
    rows = [[cell.strip() for cell in row] for row in found]
    rows = [row for row in rows if not all(set(cell) <= set("-: ") for cell in row)]
    if len(rows) < 2 or len(rows[0]) < 2:
        raise UserError(
            f"{path}: no table in it; a row per way, its name first, and a column for each size"
        )
    return rows
