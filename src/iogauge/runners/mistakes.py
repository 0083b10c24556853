"""The first mistake that a compiler found in code of the user's, in a line with file and line."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from iogauge.model.text import visible
from iogauge.runners.finding import shortened

_FILE = r"(?P<file>\S.*?)"  # a path may have blanks, parentheses and colons in it
_LINE = r"(?P<line>\d+)"
_MISTAKES = [
    re.compile(each, re.MULTILINE)
    for each in (
        rf"^{_FILE}:{_LINE}(?::\d+)?: (?:fatal )?error: (?P<says>.+)$",
        rf"^(?:vet: )?(?P<file>\S.*?\.go):{_LINE}(?::\d+)?: (?P<says>.+)$",
        rf"^error(?:\[\w+\])?: (?P<says>.+)\n\s*--> {_FILE}:{_LINE}:\d+$",
        rf"^e: (?:file://)?{_FILE}:{_LINE}:\d+:? (?P<says>.+)$",
        rf"^{_FILE}\({_LINE},\d+\): error (?:TS\d+: )?(?P<says>.+)$",
        rf"^\W*\[ERROR\] (?P<says>.+)\n\s*{_FILE}:{_LINE}:\d+:$",
    )
]
"""As compilers print them: a file, the number of a line, and what is wrong there."""
_OF_A_PROJECT = re.compile(
    r"^go: (?P<says>(?!downloading |finding |found |.*(?:dial tcp|lookup |https?://)).+)$",
    re.MULTILINE,
)
"""What is wrong with a project as a whole, as tools print it that say no line."""
_UNFINISHED = re.compile(r"[;,]? to (add|update)( it| them)?:$")
_COMMAND = re.compile(r"\s*\n\s+(go [^\n]+)")
"""What Go names next then."""
_EXPECTED = re.compile(r"\bexpected [^\n]*, found [^\n]*$", re.MULTILINE)
"""What rustc says beside the line, of types."""
_PACKAGES = [
    (re.compile(r"unresolved import `(?!crate\b|self\b|super\b)|can't find crate"), "Cargo.toml"),
    (re.compile(r"unresolved module or unlinked crate"), "Cargo.toml"),
    (re.compile(r"no required module provides package|cannot find module providing"), "go.mod"),
]
"""What is said of a package that comes from elsewhere, and the file that would name it."""
_UNDEFINED = re.compile(r"undefined (?:reference to|symbol:) [`'‘]?(?P<name>[^('`’\n]+)")
"""As linkers print it."""


def first(
    output: str,
    build: Path,
    root: Path,
    copies: Iterable[tuple[Path, Path]],
    *,
    takes_flags: bool = False,
) -> str | None:
    """`count.c:3: ‘x’ undeclared`, with the file as seen from `root`, the folder of the user's
    code, of which a build has `copies`: place, file. None where nothing of the kind was printed, or
    it is not in their code. `takes_flags` says whether there is --own-flags for this code.
    """
    known = {str(place): path for place, path in copies}
    found = [each for pattern in _MISTAKES for each in pattern.finditer(output)]
    for each in sorted(found, key=lambda match: match.start()):
        if file := _file(each["file"].strip(), build, root, known):
            return f"{file}:{each['line']}: {_told(each, output, root)}"
    if not found and (whole := _OF_A_PROJECT.search(output)):
        return _told(whole, output, root)
    if missing := _UNDEFINED.search(output):
        name = visible(missing["name"].strip())
        linker = "give what has it to the linker: --own-flags=-lNAME"
        project = "let your project name the library that has it"
        return f"nothing defines {name}; {linker if takes_flags else project}"
    return None


def leave_out(output: str, build: Path, calls: Mapping[str, dict[int, str]]) -> bool:
    """Put what stands otherwise (`Glue`) in the place of lines that a compiler refused, and drop
    these of `calls`. False where it refused none, or something else, too.
    """
    refused: dict[tuple[str, int], str] = {}
    for each in (found for pattern in _MISTAKES for found in pattern.finditer(output)):
        name, line = os.path.basename(each["file"].strip()), int(each["line"])
        place = next((one for one in calls if os.path.basename(one) == name), "")
        if line not in calls.get(place, ()):
            return False
        refused.setdefault((place, line), _said(each["says"]))
    for (place, line), says in refused.items():
        lines = (build / place).read_text("utf-8").split("\n")
        why = json.dumps(says, ensure_ascii=False)  # texts of Go and Rust are written so, too
        lines[line - 1] = calls[place].pop(line).replace("{why}", why)
        (build / place).write_text("\n".join(lines), "utf-8")
    return bool(refused)


def _told(mistake: re.Match[str], output: str, root: Path) -> str:
    """What a compiler says, and what to do where that is known."""
    says, rest = mistake["says"], output[mistake.end() :]
    block = rest.partition("\n\n")[0]
    if says.strip() == "mismatched types" and (expected := _EXPECTED.search(block)):
        return _said(f"{says}: {expected[0]}")
    for pattern, name in _PACKAGES:
        above = (each / name for each in (root, *root.parents))
        if pattern.search(says) and not any(each.is_file() for each in above):
            return f"{_said(says)}; give the folder of a package whose {name} names it"
    if _UNFINISHED.search(says.strip()) and (command := _COMMAND.match(rest)):
        return f"{_said(says)}; run {_said(command[1])}"
    return _said(says)


def _said(text: str) -> str:
    return shortened(visible(_UNFINISHED.sub("", text.strip())))


def _file(named: str, build: Path, root: Path, known: Mapping[str, Path]) -> str | None:
    """A file as the user knows it; None for one of ours."""
    path = Path(os.path.normpath(build / named))
    if not os.path.isabs(named) and not path.is_relative_to(build):  # a compiler run at the root
        path = Path(os.path.normpath(root / named))
    elif path.is_relative_to(build):
        copied = known.get(str(path.relative_to(build)))
        if copied is None and os.path.isabs(named):
            return None
        path = copied or Path(os.path.normpath(root / named))
    if not path.is_file():
        return None
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
