"""How the package of the user's is built together with the runner and with glue."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from iogauge.sources import language
from iogauge.sources.language import Given, Glue, Wrong
from iogauge.sources.languages.go import files, in_c, modules, writing
from iogauge.sources.languages.go.choosing import Picked
from iogauge.sources.languages.go.modules import Module

_RUNNER = "iogauge_runner"  # the folder of our packages, which no user has
_GLUE = "iogauge_glue_test.go"
_PACKAGES = ("consume", "harness", "plain", "plain/unix", "strategies")
_IMPORTS = {'"iogauge/runners/go/': '"{path}/', '"golang.org/x/sys/unix"': '"{path}/plain/unix"'}
_ALONE = "iogauge_own"  # the module around what lies in none
_CONSTRAINT = re.compile(r"^//go:build .*\n", re.MULTILINE)
_BUILD = [
    *("-c", "-vet=off", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -randlayout={layout}"),
    *("-o", "{build}/iogauge-runner-{layout}"),
]


def glue(picked: Picked, given: Given) -> Glue:
    """The build of a package in its module; or, if it is in none, of a copy."""
    module = picked.package.module
    return _laid_over(picked, given, module) if module else _copied(picked, given)


def _laid_over(picked: Picked, given: Given, module: Module) -> Glue:
    folder = picked.package.folder
    if unfit := next((each for each in picked.package.files if each.path.name[0] == "-"), None):
        raise Wrong(f"go takes no file called {unfit.path.name}; give it another name")
    ours = _ours(given.templates, module.path)
    ours[_GLUE], otherwise = _source(picked, module.path)
    places = {f"{{module}}/{place}": f"{{build}}/glue/{place}" for place in ours if place != _GLUE}
    places[f"{{package}}/{_GLUE}"] = f"{{build}}/glue/{_GLUE}"
    # Their tests, whose TestMain would be a second one, are not there.
    places |= {f"{{package}}/{each.name}": "" for each in sorted(folder.glob("*_test.go"))}
    texts = {f"glue/{place}": text for place, text in ours.items()}
    texts["glue/overlay.json"] = json.dumps({"Replace": places}, indent=1)
    values = {
        "root": str(module.folder),
        "package": str(folder),
        "module": str(module.folder),
    }
    work, copies = None if module.work else "off", []
    if module.work and not (module.work.parent / "vendor").is_dir():
        # Go adds to the go.work.sum beside the file of a workspace.
        texts["glue/go.work"], paths = modules.workspace(module.work)
        values |= paths
        sums = module.work.with_name("go.work.sum")
        copies = [("glue/go.work.sum", sums)] if sums.is_file() else []
        work = "{build}/glue/go.work"
    read = modules.read_by(module, folder)
    return Glue(
        root=module.folder,
        texts=texts,
        copies=tuple(copies),
        reads=read.files,
        values=values,
        commands=(
            (
                *_environment(read.needs_c, work, read.outside),
                *("{runtime}", "test", "-C", "{root}", "-overlay", "{build}/glue/overlay.json"),
                *(*_BUILD, f"./{folder.relative_to(module.folder).as_posix()}"),
            ),
        ),
        left_out=picked.chosen.left_out,
        otherwise={f"glue/{_GLUE}": otherwise},
    )


def _copied(picked: Picked, given: Given) -> Glue:
    read, folder = picked.package.files, picked.package.folder
    ours = _ours(given.templates, _ALONE)
    ours[_GLUE], otherwise = _source(picked, _ALONE)
    # What a constraint says is for who builds the folder: here the file itself is wanted.
    pairs = ((each.path, files.without_constraint(each)) for each in read)
    freed = {path: text for path, text in pairs if text is not None}
    with_c = [each.path for each in read if "C" in files.uses(each.path).imports]
    copies = [each.path for each in read if each.path not in freed]
    copies += [path for each in read for path in files.uses(each.path).embedded]
    copies += [path for each in with_c for path in in_c.needed(each)]
    off = _environment(bool(with_c), "off")
    return Glue(
        root=folder,
        texts={f"own/{place}": text for place, text in ours.items()},
        verbatim={_place(each, folder): text for each, text in freed.items()},
        copies=tuple(
            (_place(each, folder), each)
            for each in dict.fromkeys(copies)
            if each.is_relative_to(folder)
        ),
        commands=(
            (*off, "{runtime}", "mod", "init", "-C", "{build}/own", _ALONE),
            (*off, "{runtime}", "test", "-C", "{build}/own", *_BUILD, "."),
        ),
        left_out=picked.chosen.left_out,
        otherwise={f"own/{_GLUE}": otherwise},
    )


def _place(path: Path, folder: Path) -> str:
    """Where a file lies in the copy. Go takes none whose name begins as a flag, or a hidden one."""
    place = os.path.relpath(path, folder)
    return f"own/{'x' if path.suffix == '.go' and place[0] in '-_.' else ''}{place}"


def _environment(needs_c: bool, work: str | None, outside: Iterable[Path] = ()) -> tuple[str, ...]:
    known = [f"GOWORK={work}"] if work else []
    if not needs_c:
        return ("env", *known)
    if not shutil.which(os.environ.get("CC", "gcc")) and not shutil.which("cc"):
        raise Wrong('it has `import "C"`, and there is no C compiler; install gcc')
    if brought := b"".join(hashlib.sha256(language.read(each)).digest() for each in outside):
        # Packages with C are compiled anew where this changes.
        known.append(f"CGO_CPPFLAGS=-DIOGAUGE_{hashlib.sha256(brought).hexdigest()[:16]}")
    return ("env", "CGO_ENABLED=1", *known)


def _source(picked: Picked, path: str) -> tuple[str, dict[int, str]]:
    return writing.source(picked.package.name, f"{path}/{_RUNNER}/plain", picked.chosen.fits)


def _ours(runner: Path, path: str) -> dict[str, str]:
    """The packages of our runner as a part of a module with this path: place, text."""
    found = {}
    for name in _PACKAGES:
        for each in sorted((runner / name).glob("*.go")):
            if not files.is_source(each) or not files.is_for_here(each):
                continue
            text = _CONSTRAINT.sub("", each.read_text("utf-8"))
            for ours, theirs in _IMPORTS.items():
                text = text.replace(ours, theirs.format(path=f"{path}/{_RUNNER}"))
            # Such a line brings the language of that version into a module of an older one.
            found[f"{_RUNNER}/{name}/{each.name}"] = f"//go:build go1.21\n\n{text}"
    return found
