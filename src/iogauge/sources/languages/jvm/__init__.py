"""Java and Kotlin: functions in source code, called as `own/functions.json` tells the runner."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from iogauge.sources.functions import Fit, Function, Parameter, Take, choose
from iogauge.sources.language import Given, Glue, Wrong
from iogauge.sources.languages.jvm import java, kotlin, maven, near
from iogauge.sources.languages.jvm.project import Code, code_of
from iogauge.sources.languages.jvm.types import plain, taking

_CLASSES = "own/classes"
_LIBRARIES = "target/lib"
_COMPILING = (
    "{home}/bin/java",
    "-XX:TieredStopAtLevel=1",  # it does not run long enough to gain by the better compiler
    "-cp",
    "{build}/target/lib/*",
    "iogauge.runner.Compiling",
    "{build}/own/compiled.json",
)


def glue(given: Given) -> Glue:
    """The glue for the functions of a file, a folder or a project. Raises Wrong."""
    near.forget()
    code = code_of(given)
    functions = list[Function]()
    for file in code.taken:
        declared = (java if file.suffix == ".java" else kotlin).declared(file)
        if declared.loose and given.path.is_file():
            raise Wrong(
                f"its {declared.loose[0].name}() is in no class, which only a program to be started"
                f" may do; put it into one: class {file.stem[:1].upper()}{file.stem[1:]} {{ … }}"
            )
        functions += declared.functions
    asked = _asked(given.function, functions)
    chosen = choose(functions, taking, _refusing, asked, "it")
    for each in code.libraries:
        if ":" in str(each):
            raise Wrong(
                f"{each} has a ':' in its path, which separates the entries of a class path; rename"
                " that folder"
            )
    kotlins = [each for each in code.compiled if each.suffix == ".kt"]
    compiler = maven.kotlin_compiler(given) if kotlins else []
    uses_kotlin = bool(kotlins) or any(each.suffix == ".kt" for each in code.taken)
    return _made(given, code, chosen.fits, chosen.left_out, compiler, uses_kotlin)


def _asked(function: str, functions: Iterable[Function]) -> str:
    """What the user asks for, without the package: `com.acme.Lines.count` is `Lines.count`."""
    wanted = function.replace("::", ".").replace("#", ".").replace("$", ".")
    names = {each.name for each in functions}
    parts = wanted.split(".")
    return next(
        (name for at in range(len(parts)) if (name := ".".join(parts[at:])) in names), wanted
    )


def _refusing(function: Function) -> str | None:
    """Why it cannot be called at all."""
    if "suspend" in function.words:
        return "is a suspend fun; let another function run it, in runBlocking, and measure that"
    if "reified" in function.words:
        return "is inline with a reified type; write a function that calls it with one"
    if "native" in function.words:
        return "is native; write a method that calls it"
    return None


def _made(
    given: Given,
    code: Code,
    fits: Iterable[Fit],
    left_out: tuple[str, ...],
    compiler: list[Path],
    uses_kotlin: bool,
) -> Glue:
    values: dict[str, str] = {}

    def named(path: Path, kind: str) -> str:
        """A word that stands for a path of this machine in texts."""
        name = f"{kind}{len(values)}"
        for known, value in values.items():
            if value == str(path):
                return f"{{{known}}}"
        values[name] = str(path)
        return f"{{{name}}}"

    copied = [
        (f"own/built/{at}/{each.relative_to(folder)}", each)
        for at, folder in enumerate(code.classes)
        for each in sorted(folder.rglob("*"))
        if each.is_file()
    ]
    built = [f"own/built/{at}" for at, _ in enumerate(code.classes)]
    libraries = [named(each, "library") for each in dict.fromkeys(code.libraries)]
    stdlib = _has_kotlin(code.libraries)
    if uses_kotlin and not stdlib:
        libraries += [f"{_LIBRARIES}/strategies/{each}" for each in _stdlib(given.templates)]
    path = [_CLASSES, *built, *libraries]  # as seen from the build, which is moved when it is made
    told = {"paths": path, "functions": [_told(each) for each in fits]}
    texts = {"own/functions.json": _json(told), "own/libraries.txt": _identity(code.libraries)}
    commands: list[tuple[str, ...]] = []
    if code.compiled:
        texts["own/compiled.json"] = _json(
            {
                "java": [named(each, "source") for each in code.compiled if each.suffix == ".java"],
                "kotlin": [named(each, "source") for each in code.compiled if each.suffix == ".kt"],
                "class_path": path,
                "compiler": [named(each, "compiler") for each in compiler],
                "into": _CLASSES,
            }
        )
        commands.append(_COMPILING)
    texts[f"{_CLASSES}/own.txt"] = ""  # compilers want the folder
    return Glue(
        root=code.root,
        texts=texts,
        copies=tuple(copied),
        reads=tuple(_reads(code)),
        values=values,
        commands=tuple(commands),
        left_out=left_out,
    )


def _json(told: dict[str, Any]) -> str:
    return json.dumps(told, indent=1, ensure_ascii=False)


def _told(fit: Fit) -> dict[str, Any]:
    """How the runner finds a function, and calls it."""
    function = fit.function
    more = {name: function.more[name] for name in ("holder", "field") if name in function.more}
    files = zip(function.parameters, fit.takes, strict=True)
    given = next((each.name for each, take in files if take.what == "file"), "")
    told = {
        "name": function.name,
        "call": f"{function.name}({given})",
        "language": function.more["language"],
        "type": function.more["type"],
        "method": function.more["method"],
        "takes": list(map(_form, function.parameters, fit.takes)),
        "extension": bool(function.more.get("extension")),
        **more,
    }
    if function.made_of is not None:
        told["constructor"] = list(map(_form, function.made_of, fit.made_of))
    return told


def _form(parameter: Parameter, take: Take) -> str:
    if take.what == "omitted":
        return f"omitted:{plain(parameter.type).rpartition('.')[2]}"
    return f"file:{take.form}" if take.what == "file" else take.form


def _reads(code: Code) -> Iterable[tuple[str, Path]]:
    """The files that a compiler reads, and what is on the class path where it lies, by names that
    are the same wherever they lie. Published jars have their version in their name.
    """
    for each in sorted(code.compiled):
        inside = each.is_relative_to(code.root)
        yield (str(each.relative_to(code.root)) if inside else each.name), each
    for each in dict.fromkeys(code.libraries):
        if each.is_file() and not _is_published(each):
            yield each.name, each
        for one in sorted(each.rglob("*")) if each.is_dir() else ():
            if one.is_file():
                yield str(one.relative_to(each.parent)), one


def _is_published(jar: Path) -> bool:
    """Whether it lies where Maven or Gradle keep what they fetched, and never changes there."""
    return bool({".m2", ".gradle"} & {*jar.parts}) and "SNAPSHOT" not in jar.name


def _identity(libraries: Iterable[Path]) -> str:
    """The names on the class path, in their order."""
    return "".join(f"{each.name}\n" for each in libraries)


def _has_kotlin(libraries: Iterable[Path]) -> bool:
    return any(each.name.startswith("kotlin-stdlib-") for each in libraries)


def _stdlib(templates: Path) -> list[str]:
    """The library of Kotlin that comes with the runner."""
    return [f"kotlin-stdlib-{maven.kotlin_version(templates)}.jar"]
