"""Projects of Maven: where their modules are, and the libraries that Maven resolves for them."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from iogauge.sources.language import Wrong
from iogauge.sources.languages.jvm import tools

POM = "pom.xml"
_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:{}:build-classpath"
_PLUGIN_VERSION = re.compile(r"maven-dependency-plugin</artifactId>\s*<version>([^<]+)<")
_KOTLIN_VERSION = re.compile(r"kotlin-maven-plugin</artifactId>\s*<version>([^<]+)<")
_LISTED = "iogauge.classpath"
_NO_MAVEN = "no mvn on the PATH, which {}; install Maven, or name jars with --own-path"
_COMPILER = """<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>iogauge</groupId><artifactId>kotlin-compiler</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>org.jetbrains.kotlin</groupId>
    <artifactId>kotlin-compiler-embeddable</artifactId>
    <version>{}</version>
  </dependency></dependencies>
</project>
"""


@dataclass(frozen=True)
class Pom:
    """What a pom.xml says that Maven is not asked for."""

    folder: Path
    artifact: str
    modules: tuple[str, ...]
    needs: frozenset[str]
    sources: str | None


def libraries(module: Path, templates: Path) -> tuple[list[Path], list[Path]]:
    """The jars of a module, and the folders of those modules beside it that it needs. Its poms are
    copied: Maven may write beside them, and would want the other modules packaged. Raises Wrong.
    """
    root = _root(module)
    poms = {each.folder: each for each in _below(root)}
    poms.setdefault(module, _read(module))
    mine = {each.artifact: each.folder for each in poms.values()}
    near, unseen = dict[Path, None](), [module]
    while unseen:
        for name in sorted(poms[unseen.pop()].needs & mine.keys()):
            folder = mine[name]
            if folder not in near and folder != module:
                near[folder] = None
                unseen.append(folder)
    wanted = [module, *near]
    if not any(poms[each].needs - mine.keys() for each in wanted) and not _has_more(root, module):
        return [], list(near)
    read = [(each / POM).read_bytes() for each in sorted(poms)]
    names = [str(each.relative_to(root)) for each in (*sorted(poms), *wanted)]
    found = tools.kept(
        "class-path", [*read, *names], lambda: _resolved(root, poms, wanted, mine, templates)
    )
    return found, list(near)


def modules(folder: Path) -> list[Path]:
    """The modules of a project: its folder, and those that its pom names, and theirs."""
    return [each.folder for each in _below(folder)]


def source_folder(module: Path) -> str | None:
    """Where a pom says that its Java source is."""
    return _read(module).sources


def kotlin_compiler(templates: Path) -> list[Path]:
    """The jars of the Kotlin compiler that builds the runner. Raises Wrong."""
    version = kotlin_version(templates)

    def find() -> list[Path]:
        with tools.scratch("kotlin") as folder:
            (folder / POM).write_text(_COMPILER.format(version), "utf-8")
            reason = "fetches the compiler of Kotlin"
            _run(folder, _version(_PLUGIN_VERSION, templates), reason)
            return _listed(folder)

    return tools.kept("kotlin-compiler", [version], find)


def kotlin_version(templates: Path) -> str:
    """The version of Kotlin that builds the runner. Raises Wrong."""
    return _version(_KOTLIN_VERSION, templates)


def _version(pattern: re.Pattern[str], templates: Path) -> str:
    found = pattern.search((templates / POM).read_text("utf-8"))
    if found is None:
        raise Wrong(f"{templates / POM} names no version of it")
    return found[1]


def _resolved(
    root: Path, poms: dict[Path, Pom], wanted: list[Path], mine: dict[str, Path], templates: Path
) -> list[Path]:
    """What Maven resolves for these modules, without each other."""
    with tools.scratch("maven") as folder:
        for each in poms:
            place = folder / each.relative_to(root)
            place.mkdir(parents=True, exist_ok=True)
            (place / POM).write_text(_without(each / POM, set(mine)), "utf-8")
        for each in (root / ".mvn").glob("*") if (root / ".mvn").is_dir() else ():
            if each.is_file():
                (folder / ".mvn").mkdir(exist_ok=True)
                (folder / ".mvn" / each.name).write_bytes(each.read_bytes())
        found = dict[Path, None]()
        for each in wanted:
            place = folder / each.relative_to(root)
            reason = "finds the libraries of this project"
            _run(place, _version(_PLUGIN_VERSION, templates), reason)
            found |= dict.fromkeys(_listed(place))
        return list(found)


def _run(folder: Path, plugin: str, reason: str) -> None:
    """Have Maven list the class path of the module here; without the network if it can."""
    maven = tools.program("mvn")
    if maven is None:
        raise Wrong(_NO_MAVEN.format(reason))
    goal, said = _PLUGIN.format(plugin), ""
    for offline in (["-o"], []):
        words = [maven, "-q", "-B", *offline, goal, f"-Dmdep.outputFile={_LISTED}"]
        status, said = tools.ask([*words, "-Dmdep.includeScope=runtime"], folder)
        if status == 0 and (folder / _LISTED).is_file():
            return
    why = tools.first_error(said, ["[ERROR]"])
    raise Wrong(f"Maven, which {reason}, says: {why}; mend that, or name jars with --own-path")


def _listed(folder: Path) -> list[Path]:
    text = (folder / _LISTED).read_text("utf-8").strip()
    return [Path(each) for each in text.split(":") if each]


def _root(module: Path) -> Path:
    """The outermost folder whose pom has this module in it."""
    root = module
    for each in module.parents:
        if not (each / POM).is_file():
            break
        root = each
    return root


def _has_more(root: Path, module: Path) -> bool:
    """Whether dependencies may stand where `_read` does not look: in a parent, in a profile."""
    own = (module / POM).read_text("utf-8", "replace")
    above = (root / POM).read_text("utf-8", "replace") if root != module else ""
    elsewhere = "<parent>" in own and root == module
    return elsewhere or "<dependency>" in above or "<profile>" in own


def _below(folder: Path) -> Iterator[Pom]:
    if not (folder / POM).is_file():
        return
    pom = _read(folder)
    yield pom
    for each in pom.modules:
        place = (folder / each).resolve()
        if place.is_relative_to(folder.resolve()):
            yield from _below(folder / each)


def _read(folder: Path) -> Pom:
    try:
        root = ElementTree.fromstring((folder / POM).read_bytes())
    except (OSError, ElementTree.ParseError) as error:
        raise Wrong(f"{folder / POM} cannot be read: {error}") from None
    space = _space(root)
    needs = [each.findtext(f"{space}artifactId") for each in _dependencies(root, space)]
    listed = [each.text for each in root.findall(f"{space}modules/{space}module")]
    return Pom(
        folder,
        (root.findtext(f"{space}artifactId") or "").strip(),
        tuple(each.strip() for each in listed if each),
        frozenset(each.strip() for each in needs if each),
        root.findtext(f"{space}build/{space}sourceDirectory"),
    )


def _space(root: ElementTree.Element) -> str:
    return root.tag[: root.tag.index("}") + 1] if "}" in root.tag else ""


def _dependencies(root: ElementTree.Element, space: str) -> list[ElementTree.Element]:
    return root.findall(f"{space}dependencies/{space}dependency")


def _without(file: Path, names: set[str]) -> str:
    """A pom without those of its dependencies that are modules beside it."""
    root = ElementTree.fromstring(file.read_bytes())
    space = _space(root)
    ElementTree.register_namespace("", space.strip("{}"))
    for listed in root.findall(f"{space}dependencies"):
        for each in list(listed):
            if (each.findtext(f"{space}artifactId") or "").strip() in names:
                listed.remove(each)
    return ElementTree.tostring(root, encoding="unicode")
