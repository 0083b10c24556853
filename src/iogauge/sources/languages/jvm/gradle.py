"""Projects of Gradle: the class path that their own Gradle prints."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

from iogauge.sources.language import Given, Wrong
from iogauge.sources.languages.jvm import tools

BUILD_FILES = ("build.gradle", "build.gradle.kts")
SETTINGS = ("settings.gradle", "settings.gradle.kts")
_SCRIPT = "source/class-path.gradle"
_MARK = "iogauge:"
_LIBRARY = re.compile(
    r"\b(implementation|api|runtimeOnly|compileOnly|compile|runtime)\b['\"]?[\s(,]+['\"\w]"
)
_PLUGIN = re.compile(  # of others, which may bring libraries; those of Gradle have no dot
    r"\bid[\s(]+['\"](?!org\.jetbrains\.kotlin|org\.gradle)[\w-]+\."
    r"|\balias\s*\(|\bapply\b.*\bfrom\b"
)
_INCLUDED = re.compile(r"\bincludeBuild[\s(]+['\"]([^'\"]+)")
_NO_BUILD = {"target", "build", "out", "node_modules", "bin", "src"}
CLASSES = ("build/classes/java/main", "build/classes/kotlin/main", "build/resources/main")


def libraries(module: Path, given: Given) -> list[Path]:
    """What a module is compiled and run with, without its own classes. Raises Wrong."""
    root = _root(module)
    files = [*_build_files(root)]
    texts = [each.read_bytes() for each in files]
    written = [each.decode("utf-8", "replace") for each in texts]
    if not any(_LIBRARY.search(each) or _PLUGIN.search(each) for each in written):
        return []
    names = [str(each.relative_to(root)) for each in files]
    listed = tools.kept(
        "class-path",
        [str(module), *names, *texts],
        lambda: _asked(root, module, given),
        lambda each: each.exists() or _is_of_module(each),
    )
    return list(dict.fromkeys(one for each in listed for one in _there(each, module)))


def _build_files(root: Path) -> list[Path]:
    """The files that say what the modules of a build need: those of Gradle, and the sources of the
    builds that have its plugins.
    """
    settings = [root / each for each in SETTINGS if (root / each).is_file()]
    named = [each.read_text("utf-8", "replace") for each in settings]
    builds = ["buildSrc", *(name for each in named for name in _INCLUDED.findall(each))]
    found = {root / "gradle.properties", *root.glob("gradle/*.toml")}
    found |= {*_below(root, _NO_BUILD, (".gradle", ".gradle.kts"))}
    for each in builds:
        folder = Path(os.path.normpath(root / each))
        sources = (".gradle", ".kts", ".kt", ".groovy", ".java", ".toml")
        if folder.is_relative_to(root) and folder != root:
            found |= {*_below(folder, _NO_BUILD - {"src"}, sources)}
    return sorted(each for each in found if each.is_file())


def _below(folder: Path, without: Collection[str], endings: tuple[str, ...]) -> Iterator[Path]:
    for above, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if each[0] != "." and each not in without]
        yield from (Path(above, each) for each in files if each.endswith(endings))


def _root(module: Path) -> Path:
    """The nearest folder from here up that has the settings of a build."""
    for each in (module, *module.parents):
        if any((each / name).is_file() for name in SETTINGS):
            return each
    return module


def _asked(root: Path, module: Path, given: Given) -> list[Path]:
    wrapper = root / "gradlew"
    gradle = str(wrapper) if os.access(wrapper, os.X_OK) else shutil.which("gradle")
    if gradle is None:
        raise Wrong(
            "it has no gradlew, and there is no gradle on the PATH, which finds the libraries of "
            "this project; name them with --own-path 'lib/*'"
        )
    given.say(f"asking {Path(gradle).name} for the libraries of {module.name}")
    with tools.scratch("gradle") as folder:
        script = given.templates / _SCRIPT
        # Whatever Gradle and its plugins write beside the code is to lie here.
        words = ["-q", "--no-daemon", "--project-cache-dir", str(folder / "cache")]
        words += ["-Dorg.gradle.problems.report=false"]
        words += ["-Dorg.gradle.configuration-cache=false"]  # the script asks the project
        words += [f"-Pkotlin.project.persistent.dir={folder / 'kotlin'}"]
        words += ["-I", str(script), "-p", str(module), "iogaugeClassPath"]
        status, said = tools.ask([gradle, *words], folder)
    if status:
        why = tools.first_error(said, ["* What went wrong:", "> ", "FAILURE"])
        raise Wrong(f"Gradle says: {why}; mend that, or name the libraries with --own-path 'lib/*'")
    lines = [each.partition(_MARK)[2].strip() for each in said.splitlines() if _MARK in each]
    return [Path(each) for each in dict.fromkeys(lines) if each]


def _is_of_module(entry: Path) -> bool:
    """Whether it is where a module makes its classes or its jar: it may not be made yet."""
    return "build" in entry.parts[-4:-1]


def _there(entry: Path, module: Path) -> list[Path]:
    """An entry of the class path, if it is there; in the place of a jar of another module its
    classes, which are newer, or are there where the jar was not made.
    """
    if any(entry == module / each for each in CLASSES):
        return []
    if entry.parent.name == "libs" and entry.parent.parent.name == "build":
        other = entry.parents[2]
        if found := [other / each for each in CLASSES if (other / each).is_dir()]:
            return found
    return [entry] if entry.exists() else []
