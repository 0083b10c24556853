"""How the package of the user's is built together with the runner and with glue."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

from iogauge.sources.language import Given, Glue, Wrong
from iogauge.sources.languages.go import files, modules, writing
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
    ours = _ours(given.templates, module.path)
    ours[_GLUE] = _source(picked, module.path)
    places = {f"{{module}}/{place}": f"{{build}}/glue/{place}" for place in ours if place != _GLUE}
    places[f"{{package}}/{_GLUE}"] = f"{{build}}/glue/{_GLUE}"
    # Their tests, whose TestMain would be a second one, are not there.
    places |= {f"{{package}}/{each.name}": "" for each in sorted(folder.glob("*_test.go"))}
    texts = {f"glue/{place}": text for place, text in ours.items()}
    texts["glue/overlay.json"] = json.dumps({"Replace": places}, indent=1)
    read = modules.read_by(module, folder)
    return Glue(
        root=module.folder,
        texts=texts,
        reads=tuple(read),
        values={
            "root": str(module.folder),
            "package": str(folder),
            "module": str(module.folder),
        },
        commands=(
            (
                *_environment(modules.needs_c(read), None if module.work else "off"),
                *("{runtime}", "test", "-C", "{root}", "-overlay", "{build}/glue/overlay.json"),
                *(*_BUILD, f"./{folder.relative_to(module.folder).as_posix()}"),
            ),
        ),
        left_out=picked.chosen.left_out,
    )


def _copied(picked: Picked, given: Given) -> Glue:
    read, folder = picked.package.files, picked.package.folder
    ours = {**_ours(given.templates, _ALONE), _GLUE: _source(picked, _ALONE)}
    copies = [each.path for each in read]
    copies += [path for each in read for path in files.uses(each.path).embedded]
    needs_c = any("C" in files.uses(each.path).imports for each in read)
    off = _environment(needs_c, "off")
    return Glue(
        root=folder,
        texts={f"own/{place}": text for place, text in ours.items()},
        copies=tuple((f"own/{each.relative_to(folder)}", each) for each in copies),
        commands=(
            (*off, "{runtime}", "mod", "init", "-C", "{build}/own", _ALONE),
            (*off, "{runtime}", "test", "-C", "{build}/own", *_BUILD, "."),
        ),
        left_out=picked.chosen.left_out,
    )


def _environment(needs_c: bool, work: str | None) -> tuple[str, ...]:
    if not needs_c:
        return ("env", *([f"GOWORK={work}"] if work else []))
    if not shutil.which(os.environ.get("CC", "gcc")) and not shutil.which("cc"):
        raise Wrong('it has `import "C"`, and there is no C compiler; install gcc')
    return ("env", "CGO_ENABLED=1", *([f"GOWORK={work}"] if work else []))


def _source(picked: Picked, path: str) -> str:
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
