"""What is compiled of the user's code, and what is there already: of a file, of a folder with
source code, or of a project of Maven or Gradle.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from iogauge.sources.language import Given, Wrong
from iogauge.sources.languages.jvm import gradle, maven, near

SOURCES = (".java", ".kt")
_LEFT_OUT = {"target", "build", "out", "node_modules", "bin"}
_MAIN = ("src/main/java", "src/main/kotlin", "src/jvmMain/kotlin", "src/commonMain/kotlin")
_RESOURCES = "src/main/resources"
_CLASSES = {
    "maven": ("target/classes",),
    "gradle": gradle.CLASSES,
}
_NOT_SOURCE = {"module-info.java", "package-info.java"}


@dataclass
class Code:
    """`taken` are the files whose functions are measured, `compiled` those that are compiled, with
    others below `roots` where they need them. `classes` are folders of classes that are there.
    `libraries` are what else is on the class path.
    """

    root: Path
    taken: list[Path]
    compiled: list[Path] = field(default_factory=list)
    roots: list[Path] = field(default_factory=list)
    classes: list[Path] = field(default_factory=list)
    libraries: list[Path] = field(default_factory=list)


def code_of(given: Given) -> Code:
    """The code that the user names. Raises Wrong."""
    path = given.path
    module, tool = _module(path)
    code = _plain(path) if module is None else _of_project(path, module, tool, given)
    if not code.taken:
        raise Wrong(
            "no source code of Java or Kotlin in that folder; give the one that has it, or a file"
        )
    for each in given.class_path:
        code.libraries += sorted(each.parent.glob("*.jar")) if each.name == "*" else [each]
    return code


def _module(path: Path) -> tuple[Path | None, str]:
    """The module that it is, or is in, and the tool that builds it."""
    for each in (path, *path.parents) if path.is_dir() else path.parents:
        if (each / maven.POM).is_file():
            return each, "maven"
        if any((each / name).is_file() for name in (*gradle.BUILD_FILES, *gradle.SETTINGS)):
            return each, "gradle"
    return None, ""


def _plain(path: Path) -> Code:
    if path.is_dir():
        files = _inside(path)
        roots = _roots(files)
        return Code(path, files, near.needed(files, roots), roots)
    root = near.root_of(path)
    roots = [] if root is None else _beside(root)
    return Code(root or path.parent, [path], near.needed([path], roots), roots)


def _beside(root: Path) -> list[Path]:
    """A folder in which packages begin, and those of other languages beside it: `src/main/java`."""
    if root.parent.name != "main" or root.parent.parent.name != "src":
        return [root]
    others = sorted(each for each in root.parent.iterdir() if each.name in ("java", "kotlin"))
    return list(dict.fromkeys([root, *others]))


def _of_project(path: Path, module: Path, tool: str, given: Given) -> Code:
    """A module; those that it is made of, where it has no source of its own; a file in one."""
    every = [module]
    if path.is_dir() and not _inside_main(module, tool):
        every = _modules(module, tool)
    code, there = Code(module, []), set[Path]()
    for each in every:
        mine = _inside_main(each, tool)
        code.taken += [one for one in mine if not path.is_dir() or one.is_relative_to(path)]
        built = [each / one for one in _CLASSES[tool] if (each / one).is_dir()]
        code.classes += [one for one in built if one not in code.classes]
        compiled = _newer(mine, built) if built else mine
        there |= {*mine} - {*compiled}
        roots = [] if built else _roots_of(each, tool)
        more = _libraries(each, tool, given, roots, code)
        code.libraries += [one for one in more if one not in code.libraries]
        code.roots += [one for one in roots if one not in code.roots]
        if not built and (resources := each / _RESOURCES).is_dir():
            code.libraries.append(resources)
        if path.is_file() and (not built or path in compiled or path not in mine):
            root = near.root_of(path)
            code.roots += [root] if root is not None and root not in code.roots else []
            compiled = [path, *(compiled if built else ())]
        code.compiled += compiled
    code.compiled = near.needed(code.compiled, code.roots, there)
    if path.is_file():
        code.taken = [path]
    return code


def _libraries(module: Path, tool: str, given: Given, roots: list[Path], code: Code) -> list[Path]:
    """The jars that the tool of a project names, unless the user does; of modules beside it, their
    classes, or their source where they were not built.
    """
    if tool == "gradle":
        return [] if given.class_path else gradle.libraries(module, given)
    modules = maven.beside(module)
    jars = [] if given.class_path else maven.libraries(module, modules, given)
    for each in modules:
        if (built := each / _CLASSES[tool][0]).is_dir():
            code.classes += [built] if built not in code.classes else []
        else:
            roots += [one for one in _roots_of(each, tool) if one not in roots]
    return jars


def _modules(module: Path, tool: str) -> list[Path]:
    if tool == "maven":
        return maven.modules(module)
    names = gradle.BUILD_FILES
    found = {each.parent for name in names for each in module.glob(f"*/**/{name}")}
    return sorted(each for each in found if not _LEFT_OUT & {*each.relative_to(module).parts})


def _roots_of(module: Path, tool: str) -> list[Path]:
    """The folders with the source of a module."""
    named = (maven.source_folder(module) or "") if tool == "maven" else ""
    named = re.sub(r"\$\{(project\.)?basedir\}/?", "", named)
    folders = [module / each for each in (*_MAIN, *filter(None, [named]))]
    return [each for each in dict.fromkeys(folders) if each.is_dir()]


def _inside_main(module: Path, tool: str) -> list[Path]:
    return [each for root in _roots_of(module, tool) for each in _inside(root)]


def _inside(folder: Path) -> list[Path]:
    """The source files of a folder, but not tests, and what is hidden or made by tools. A package
    may be called as the folders of tools are.
    """
    found = []
    for above, folders, files in os.walk(folder):
        here = Path(above)
        tests = here.name == "src"
        folders[:] = sorted(
            each
            for each in folders
            if not (each.startswith(".") or each == "node_modules" or (tests and each == "test"))
        )
        some = [here / each for each in sorted(files) if each not in _NOT_SOURCE]
        found += [each for each in some if each.suffix in SOURCES]
    return [each for each in found if not _is_made(each, folder)]


def _is_made(file: Path, folder: Path) -> bool:
    """Whether it lies in a folder of what tools make: not below the begin of its package."""
    parts = file.relative_to(folder).parts[:-1]
    if not _LEFT_OUT & {*parts}:
        return False
    root = near.root_of(file)
    if root is None or not root.is_relative_to(folder):
        return root is None
    return bool(_LEFT_OUT & {*root.relative_to(folder).parts})


def _roots(files: Iterable[Path]) -> list[Path]:
    return list(dict.fromkeys(root for each in files if (root := near.root_of(each))))


def _newer(files: Sequence[Path], built: Sequence[Path]) -> list[Path]:
    """Those that were changed since the newest of the classes was made: they are compiled again."""
    classes = [each for folder in built for each in folder.rglob("*.class")]
    newest = max((each.stat().st_mtime for each in classes), default=0.0)
    return [each for each in files if each.stat().st_mtime > newest]
