"""Projects of Maven: where their modules are, and the libraries that Maven resolves for them."""

from __future__ import annotations

import os
import re
import shutil
import xml.etree.ElementTree as ElementTree
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from iogauge.sources.language import Given, Wrong
from iogauge.sources.languages.jvm import tools

POM = "pom.xml"
_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:{}:build-classpath"
_PLUGIN_VERSION = re.compile(r"maven-dependency-plugin</artifactId>\s*<version>([^<]+)<")
_KOTLIN_VERSION = re.compile(r"kotlin-maven-plugin</artifactId>\s*<version>([^<]+)<")
_COMPILED_WITH = re.compile(r"<scope>\s*(provided|system)")
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
    """What a pom.xml says that Maven is not asked for. `parent` is the file of the one that it goes
    on from, where that is beside; `is_child` says that there is one.
    """

    file: Path
    artifact: str
    modules: tuple[Path, ...]
    needs: frozenset[str]
    sources: str | None
    parent: Path | None
    is_child: bool
    text: str

    @property
    def folder(self) -> Path:
        return self.file.parent


def beside(module: Path) -> list[Path]:
    """The folders of those modules beside it that a module needs."""
    poms = _known(module)
    named = {each.artifact: each for each in poms.values()}
    found, unseen = dict[Path, None](), [poms[module / POM]]
    while unseen:
        pom = unseen.pop()
        needs = {name for each in (pom, *_above(pom, poms)) for name in each.needs}
        for name in sorted(needs & named.keys()):
            folder = named[name].folder
            if folder not in found and folder != module:
                found[folder] = None
                unseen.append(named[name])
    return list(found)


def libraries(module: Path, modules: Sequence[Path], given: Given) -> list[Path]:
    """The jars of a module, and of those beside it that it needs. Its poms are copied: Maven may
    write beside them, and would want the other modules packaged. Raises Wrong.
    """
    poms = _known(module)
    mine = {each.artifact for each in poms.values()}
    within = {each.folder: each for each in poms.values()}
    wanted = [within[each] for each in (module, *modules)]
    lines = [each for one in wanted for each in (one, *_above(one, poms))]
    if not any(each.needs - mine or _has_more(each) for each in lines):
        return []
    root = Path(os.path.commonpath([each.parent for each in poms]))
    names = [str(each.relative_to(root)) for each in (*sorted(poms), *(one.file for one in wanted))]
    texts = [poms[each].text for each in sorted(poms)]
    return tools.kept(
        "class-path", [*texts, *names], lambda: _resolved(root, poms, wanted, mine, given)
    )


def modules(folder: Path) -> list[Path]:
    """The modules of a project: its folder, and those that its pom names, and theirs."""
    return [each.folder for each in _below(folder / POM).values()]


def source_folder(module: Path) -> str | None:
    """Where a pom says that its Java source is."""
    return _read(module / POM).sources


def kotlin_compiler(given: Given) -> list[Path]:
    """The jars of the Kotlin compiler that builds the runner. Raises Wrong."""
    version = kotlin_version(given.templates)

    def find() -> list[Path]:
        given.say(f"asking Maven for the compiler of Kotlin {version}")
        with tools.scratch("kotlin") as folder:
            (folder / POM).write_text(_COMPILER.format(version), "utf-8")
            reason = "fetches the compiler of Kotlin"
            _run(folder, _version(_PLUGIN_VERSION, given.templates), reason)
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
    root: Path, poms: dict[Path, Pom], wanted: list[Pom], mine: set[str], given: Given
) -> list[Path]:
    """What Maven resolves for these modules, without each other."""
    given.say(f"asking Maven for the libraries of {wanted[0].folder.name}")
    with tools.scratch("maven") as folder:
        for each in poms:
            place = folder / each.relative_to(root)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(_without(each, mine), "utf-8")
            for setting in sorted(each.parent.glob(".mvn/*")):
                if setting.is_file():
                    (place.parent / ".mvn").mkdir(exist_ok=True)
                    (place.parent / ".mvn" / setting.name).write_bytes(setting.read_bytes())
        found = dict[Path, None]()
        for pom in wanted:
            place = folder / pom.folder.relative_to(root)
            reason = "finds the libraries of this project"
            # What is `provided` is needed to compile. No scope has that and what is needed to run.
            lines = [pom, *_above(pom, poms)]
            compiles = any(_COMPILED_WITH.search(each.text) or _goes_on(each) for each in lines)
            for scope in ("runtime", "compile")[: 1 + compiles]:
                _run(place, _version(_PLUGIN_VERSION, given.templates), reason, scope)
                found |= dict.fromkeys(_listed(place))
        return list(found)


def _run(folder: Path, plugin: str, reason: str, scope: str = "runtime") -> None:
    """Have Maven list the class path of the module here; without the network if it can."""
    maven = shutil.which("mvn")
    if maven is None:
        raise Wrong(_NO_MAVEN.format(reason))
    goal, said = _PLUGIN.format(plugin), ""
    for offline in (["-o"], []):
        words = [maven, "-q", "-B", *offline, goal, f"-Dmdep.outputFile={_LISTED}"]
        status, said = tools.ask([*words, f"-Dmdep.includeScope={scope}"], folder)
        if status == 0 and (folder / _LISTED).is_file():
            return
    why = tools.first_error(said, ["[ERROR]"])
    raise Wrong(f"Maven, which {reason}, says: {why}; mend that, or name jars with --own-path")


def _listed(folder: Path) -> list[Path]:
    text = (folder / _LISTED).read_text("utf-8").strip()
    return [Path(each) for each in text.split(":") if each]


def _known(module: Path) -> dict[Path, Pom]:
    """The poms of a project by their files: of a module, those that it goes on from, of the
    outermost folder whose pom has this module in it, and of all modules that these name.
    """
    found = _below(module / POM)
    for each in module.parents:
        if (each / POM).is_file():
            with suppress(Wrong):  # a pom that is none of this project
                more = _below(each / POM)
                found |= more if module / POM in more else {}
    unseen = list(found.values())
    while unseen:
        parent = unseen.pop().parent
        if parent and parent not in found:
            more = {name: each for name, each in _below(parent).items() if name not in found}
            found |= more
            unseen += more.values()
    return found


def _above(pom: Pom, poms: Mapping[Path, Pom]) -> Iterator[Pom]:
    """The poms that a pom goes on from, the nearest first."""
    seen = {pom.file}
    while pom.parent and pom.parent in poms and pom.parent not in seen:
        pom = poms[pom.parent]
        seen.add(pom.file)
        yield pom


def _has_more(pom: Pom) -> bool:
    """Whether dependencies may stand where `_read` does not look: in a profile, or a parent that is
    not beside it.
    """
    return _goes_on(pom) or "<profile>" in pom.text


def _goes_on(pom: Pom) -> bool:
    """Whether it goes on from a pom that is not beside it."""
    return pom.is_child and pom.parent is None


def _below(file: Path) -> dict[Path, Pom]:
    """A pom, those of its modules, and of theirs."""
    found = dict[Path, Pom]()
    unread = [file]
    while unread:
        each = unread.pop(0)
        if each not in found and each.is_file():
            found[each] = pom = _read(each)
            unread += pom.modules
    return found


def _read(file: Path) -> Pom:
    try:
        data = file.read_bytes()
        root = ElementTree.fromstring(data)
    except (OSError, ElementTree.ParseError) as error:
        raise Wrong(f"{file} cannot be read: {error}") from None
    space = _space(root)
    needs = [each.findtext(f"{space}artifactId") for each in _dependencies(root, space)]
    listed = [each.text for each in root.findall(f"{space}modules/{space}module")]
    parent = root.find(f"{space}parent")
    return Pom(
        file,
        (root.findtext(f"{space}artifactId") or "").strip(),
        tuple(_file(file.parent, each.strip()) for each in listed if each and each.strip()),
        frozenset(each.strip() for each in needs if each),
        root.findtext(f"{space}build/{space}sourceDirectory"),
        None if parent is None else _parent(file, parent, space),
        parent is not None,
        data.decode("utf-8", "replace"),
    )


def _parent(file: Path, parent: ElementTree.Element, space: str) -> Path | None:
    """The file of the pom that one goes on from; None where Maven has it from elsewhere."""
    named = parent.findtext(f"{space}relativePath", f"../{POM}").strip()
    path = _file(file.parent, named)
    if not named or not path.is_file():
        return None
    with suppress(OSError, ElementTree.ParseError):
        root = ElementTree.fromstring(path.read_bytes())
        own, wanted = (each.findtext(f"{_space(each)}artifactId") for each in (root, parent))
        return path if (own or "").strip() == (wanted or "").strip() else None
    return None


def _file(folder: Path, named: str) -> Path:
    """The pom that another one names, by its file or its folder."""
    path = Path(os.path.normpath(folder / named))
    return path / POM if path.is_dir() or path.suffix != ".xml" else path


def _space(root: ElementTree.Element) -> str:
    return root.tag[: root.tag.index("}") + 1] if "}" in root.tag else ""


def _dependencies(root: ElementTree.Element, space: str) -> list[ElementTree.Element]:
    return root.findall(f"{space}dependencies/{space}dependency")


def _without(file: Path, names: Collection[str]) -> str:
    """A pom without those of its dependencies that are modules beside it."""
    root = ElementTree.fromstring(file.read_bytes())
    space = _space(root)
    ElementTree.register_namespace("", space.strip("{}"))
    for listed in root.findall(f"{space}dependencies"):
        for each in list(listed):
            if (each.findtext(f"{space}artifactId") or "").strip() in names:
                listed.remove(each)
    return ElementTree.tostring(root, encoding="unicode")
