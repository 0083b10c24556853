"""Projects of Gradle: the class path that their own Gradle prints."""

from __future__ import annotations

import os
import re
from pathlib import Path

from iogauge.sources.language import Wrong
from iogauge.sources.languages.jvm import tools

BUILD_FILES = ("build.gradle", "build.gradle.kts")
SETTINGS = ("settings.gradle", "settings.gradle.kts")
_SCRIPT = "source/class-path.gradle"
_MARK = "iogauge:"
_LIBRARY = re.compile(
    r"\b(implementation|api|runtimeOnly|compileOnly|compile|runtime)[\s(]+['\"\w]"
)
_CLASSES = ("build/classes/java/main", "build/classes/kotlin/main", "build/resources/main")


def libraries(module: Path, templates: Path) -> list[Path]:
    """The runtime class path of a module, without its own classes. Raises Wrong."""
    root = _root(module)
    files = [each / name for each in {root, module} for name in (*BUILD_FILES, *SETTINGS)]
    files += [*root.glob("gradle/*.toml"), root / "gradle.properties"]
    there = sorted(each for each in files if each.is_file())
    texts = [each.read_bytes() for each in there]
    if not any(_LIBRARY.search(each.decode("utf-8", "replace")) for each in texts):
        return []
    return tools.kept("class-path", [str(module), *texts], lambda: _asked(root, module, templates))


def _root(module: Path) -> Path:
    """The nearest folder from here up that has the settings of a build."""
    for each in (module, *module.parents):
        if any((each / name).is_file() for name in SETTINGS):
            return each
    return module


def _asked(root: Path, module: Path, templates: Path) -> list[Path]:
    wrapper = root / "gradlew"
    gradle = str(wrapper) if os.access(wrapper, os.X_OK) else tools.program("gradle")
    if gradle is None:
        raise Wrong(
            "it has no gradlew, and there is no gradle on the PATH, which finds the libraries of "
            "this project; name them with --own-path 'lib/*'"
        )
    with tools.scratch("gradle") as folder:
        script = templates / _SCRIPT
        words = ["-q", "--no-daemon", "--project-cache-dir", str(folder / "cache")]
        words += ["-I", str(script), "-p", str(module), "iogaugeClassPath"]
        status, said = tools.ask([gradle, *words], folder)
    if status:
        why = tools.first_error(said, ["* What went wrong:", "> ", "FAILURE"])
        raise Wrong(f"Gradle says: {why}; mend that, or name the libraries with --own-path 'lib/*'")
    lines = [each.partition(_MARK)[2].strip() for each in said.splitlines() if _MARK in each]
    found = dict[Path, None]()
    for each in filter(None, lines):
        found |= dict.fromkeys(_there(Path(each), module))
    return list(found)


def _there(entry: Path, module: Path) -> list[Path]:
    """An entry of the class path; in the place of a jar of another module that was not made, its
    classes.
    """
    if any(entry == module / each for each in _CLASSES):
        return []
    if entry.exists():
        return [entry]
    if entry.parent.name == "libs" and entry.parent.parent.name == "build":
        other = entry.parents[2]
        return [other / each for each in _CLASSES if (other / each).is_dir()]
    return []
