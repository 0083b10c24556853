"""Code that the user names on the command line, as a part of the runner of its language.

It is copied into a build of that runner: so it belongs to the identity of what is measured, two
versions of it lie at paths of equal length, and no run file has its path.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from iogauge.model.errors import BuildFailed, UserError, cause
from iogauge.model.strategy import LIMIT, Runtime, Strategy, Sums
from iogauge.model.text import visible
from iogauge.runners import building, catalogue, manifest, preparing, revisions
from iogauge.runners.manifest import CodeTable, OwnCode, OwnTable, Runner, SourceTable
from iogauge.sources import language

OWN = "own"
"""The name of the runner that an executable of the user's is."""

GIVES: dict[Sums, str] = {
    **{"byte": "bytes", "utf16": "text", "codepoint": "text", "nothing": "a result"},
    **{"line-byte": "lines", "line-utf16": "lines", "line-codepoint": "lines"},
}
"""What functions of the user's give back, for people."""
_LOOKED_AT = 1 << 12  # bytes of a file, to tell text from what is none
_LABELED = re.compile(r"([A-Za-z][A-Za-z0-9._-]{0,19})=(.+)", re.DOTALL)
_NAMES = "a name is a letter, then at most 19 letters, digits, '.', '_' or '-'"
_ASIDE = re.compile(r"(tests?|docs?|examples?|benchmarks?|setup|conftest|test_.*)(\.py)?$")
"""What lies beside the code of a project."""


@dataclass(frozen=True)
class More:
    """What compilers are told of the user's code besides, each perhaps after `LABEL=`: `flags` as a
    shell would read them, and `paths` to be found beside it, with `:` between. `say` tells the user
    what takes long.
    """

    flags: Sequence[str] = ()
    paths: Sequence[str] = ()
    say: Callable[[str], None] = lambda _: None


def runners(given: Sequence[str], limit: float = LIMIT, more: More | None = None) -> list[Runner]:
    """The runners that carry out the code at these paths, each perhaps after `LABEL=`, in their
    order. A call of it may take `limit` seconds. Raises UserError for code that none takes, and for
    two versions without labels.
    """
    more = more or More()
    named = _copied(list(map(_named, given)), more)
    _must_be_of_one(more, {each.label for each in named})
    found = [_limited(each, limit) for each in _taken_all(named, more)]
    names = [(each.name, each.own.label) for each in found if each.own]
    if twice := next((each for each in names if names.count(each) > 1), None):
        _, label = twice
        called = next(each.called for each in found if (each.name, label) == twice)
        if label:
            raise UserError(f"--own: two of them have the name {label}; take another")
        raise UserError(
            f"--own: two of them are in {called.replace(' and ', ' or ')}; give each a name: "
            "--own old=… --own new=…"
        )
    return found


def labels(owned: Iterable[Runner]) -> list[str]:
    """The names that the user gave to their code, in order; empty where one has none."""
    return [each.own.label for each in owned if each.own]


def with_rivals(owned: Sequence[Runner]) -> list[Runner]:
    """These runners; for a lone executable, which has no other ways, that of Python, too."""
    alone = [each.name for each in owned] == [OWN] and not (owned[0].own and owned[0].own.label)
    return [*(each for each in manifest.all_runners() if alone and each.name == "python"), *owned]


def beside(owned: Sequence[Runner], runners: Iterable[Runner]) -> list[Runner]:
    """All these runners; in the place of those that the user's code is for, the ones with it."""
    names = {each.name for each in owned}
    return [*(each for each in runners if each.name not in names), *owned]


def strategies(runtimes: Iterable[Runtime]) -> list[Strategy]:
    """What the user's code of these runtimes can do: all that no catalogue knows. Of a function
    that may return what it read, or a result of its own, only the first, where both are there.
    """
    known = {each.name for one in catalogue.everywhere()[0] for each in one.strategies.values()}
    every = {name: each for one in runtimes for name, each in one.strategies.items()}
    mine = [each for each in every.values() if each.role == "contestant" and each.name not in known]
    return [each for each in mine if each.instead_of not in every]


def left_out(runtimes: Iterable[Runtime], runners: Iterable[Runner] = ()) -> list[str]:
    """Why functions of the user's cannot be measured, where others in the same code can."""
    every = [each for one in runtimes for each in one.strategies.values() if each.is_own]
    told = [
        each.own.spoken(why) if each.own else why
        for each in runners
        if each.glue
        for why in each.glue.left_out
    ]
    return list(dict.fromkeys([*told, *(each.unavailable for each in every if each.unavailable)]))


def must_be_alike(runtimes: Iterable[Runtime], owned: Collection[Strategy]) -> None:
    """Raises UserError for a function that gives back lines in one version and bytes in another, as
    it declares: handing these over takes its time, and would be compared, too.
    """
    versions: dict[str, dict[str, Strategy]] = {}
    for each in runtimes:
        for one in (each.strategies[own.name] for own in owned if own.name in each.strategies):
            versions.setdefault(one.instead_of or one.name, {})[each.label or each.name] = one
    for found in versions.values():
        if len({each.sums for each in found.values()}) > 1:
            told = ", ".join(f"{GIVES[each.sums]} in {label}" for label, each in found.items())
            raise UserError(
                f"--own: {next(iter(found.values())).known_as} gives back {told}, which cannot be "
                "compared; let both give back the same, or a result (docs/your-code.md)"
            )


def _copied(named: Sequence[OwnCode | _InCommit], more: More) -> list[OwnCode]:
    """The code that is named; from a copy, where it is that of a commit, or compared with one."""
    commits = [each.revision for each in named if isinstance(each, _InCommit)]
    with preparing.told_if_long("copying files of the repository into the cache", more.say):
        owned = [each.code() if isinstance(each, _InCommit) else each for each in named]
        return revisions.alike(owned, commits) if commits else owned


class _Unfit(UserError):
    """Code that cannot be measured as it stands."""


def _taken_all(named: Iterable[OwnCode], more: More) -> list[Runner]:
    """The runners that take these. Raises BuildFailed where one version of a function cannot be
    measured as it stands, and another can.
    """
    found, failed = list[Runner](), list[tuple[OwnCode, _Unfit]]()
    for each in named:
        try:
            found.append(_spoken(each, more))
        except _Unfit as why:
            failed.append((each, why))
    if failed:
        able = {each.own.function for each in found if each.own}
        if able >= {each.function for each, _ in failed}:
            raise BuildFailed(str(failed[0][1]), [each.label for each, _ in failed])
        raise failed[0][1]
    return found


def _spoken(own: OwnCode, more: More) -> Runner:
    """The runner that takes this code. What it lacks in its copy is said, and nobody is told where
    that is.
    """
    try:
        runner = _runner(own, more)
    except UserError as why:
        raise type(why)(own.spoken(str(why))) from None
    for of, lacks in own.copied.lacks if own.copied else ():
        if of in ("", runner.name):
            more.say(f"{own.given}: it {lacks}")
    return runner


def _limited(runner: Runner, limit: float) -> Runner:
    return replace(runner, own=runner.own and replace(runner.own, limit=limit))


def _runner(own: OwnCode, more: More) -> Runner:
    """The runner that takes the code that the user names."""
    if not (own.path.is_file() or own.path.is_dir()):
        raise UserError(f"{own.given}: {_why_missing(own)}")
    takers = [each for each in manifest.all_runners() if each.file.own]
    nobodys: language.NotMine | None = None
    for exactly in (True, False):
        if not exactly and len(inside := _packages_in(own.path, takers)) == 1:
            return _runner(replace(own, path=inside[0]), more)
        try:
            if found := _taken_by_one(takers, own, more, exactly):
                return found
        except language.NotMine as why:
            nobodys = nobodys or why
    if nobodys:
        raise _Unfit(f"{own.given}: {nobodys}")
    if own.function:
        raise UserError(f"{own.given}: it has no functions to choose from; leave out the last part")
    if (own.path / "runner.toml").is_file():
        return replace(manifest.load(own.path), own=own)
    if own.path.is_file() and os.access(own.path, os.X_OK):
        return Runner(own.path.parent, _of_the_wire(own.path), own)
    if own.path.is_dir():
        return _lone(own, takers, more)
    raise UserError(f"{own.given}: no language takes this; allowed: {'; '.join(_allowed())}")


def _why_missing(own: OwnCode) -> str:
    """Why there is nothing at a path."""
    before, colon, after = str(own.path).rpartition(":")
    if colon and not after and os.path.exists(Path(before).expanduser()):
        return "the name of a function is missing behind the colon"
    label, equals, path = str(own.path).partition("=")
    if equals and path and os.path.exists(path.partition(":")[0]):
        return f"no such file or folder; if {label} is its name, {_NAMES}"
    return "no such file or folder"


def _packages_in(path: Path, takers: Iterable[Runner]) -> list[Path]:
    """The packages of a project, which lie in its folder or in `src`."""
    names = [each.file.own.packages for each in takers if each.file.own and each.file.own.packages]
    found = [
        each.parent
        for name in names
        for where in (f"*/{name}", f"src/*/{name}")
        for each in sorted(path.glob(where))
        if not (path / name).exists() and not _ASIDE.match(each.parent.name)
    ]
    return found if path.is_dir() else []


def _lone(own: OwnCode, takers: Iterable[Runner], more: More) -> Runner:
    """The runner that takes the only file of a folder that is no module or package by itself.
    Raises UserError where it has none, or several.
    """
    tables = [each.file.own for each in takers if each.file.own]
    endings = {end for one in tables for end in one.files}
    endings |= {end for one in tables if one.source for end in one.source.files}
    every = sorted(each for each in own.path.iterdir() if each.is_file())
    files = [each for each in every if each.suffix in endings and not _ASIDE.match(each.name)]
    if len(files) == 1:
        return _runner(replace(own, path=files[0]), more)
    found = [*_packages_in(own.path, takers), *files]
    if found:
        some = " or ".join(map(str, found[:2]))
        raise UserError(f"{own.given}: no package by itself; give a file or package of it: {some}")
    raise UserError(f"{own.given}: no code in this folder; give the file that has your function")


def _taken_by_one(
    takers: Iterable[Runner], own: OwnCode, more: More, exactly: bool
) -> Runner | None:
    """The only runner that takes this code; None if none does. Raises UserError for a folder in
    which two find something of theirs, and NotMine where none does that has a file there.
    """
    found: list[tuple[Runner, Runner | UserError]] = []
    nobodys: language.NotMine | None = None
    for runner in takers:
        try:
            if taken := _taken(runner, own, more, exactly):
                found.append((runner, taken))
        except language.NotMine as why:
            nobodys = nobodys or why
        except UserError as why:
            found.append((runner, why))
    if len(found) > 1:
        several = " or of ".join(runner.called for runner, _ in found)
        raise UserError(f"{own.given}: it may be a project of {several}; give the file to measure")
    for _, one in found:
        if isinstance(one, UserError):
            raise one
        return one
    if nobodys:
        raise nobodys
    return None


def _taken(runner: Runner, own: OwnCode, more: More, exactly: bool) -> Runner | None:
    """The runner with this code, as it stands or as it is written for the runner; None if it takes
    neither. A folder is taken `exactly` where a file there names a module or a package of its
    language, or else where it has source code of that.
    """
    table = runner.file.own
    assert table is not None
    if table.source and _takes_source(table.source, own.path, exactly):
        return _as_it_stands(runner, table.source, own, more)
    if not (exactly and _takes(table, own.path)):
        return None
    if own.function and not table.functions:
        raise UserError(
            f"{own.given}: code that is written for iogauge says itself which functions are "
            f"measured (docs/your-code.md); leave out :{own.function}"
        )
    _must_take(own, _of(own, more.flags), _of(own, more.paths), table.options)
    return replace(_with(runner, table), own=own)


def _as_it_stands(runner: Runner, table: SourceTable, own: OwnCode, more: More) -> Runner:
    """The runner with glue for functions that were not written for it."""
    if own.path.is_file() and not _is_text(own.path):
        raise UserError(f"{own.given}: it is no text, and so no source code; give that")
    flags, paths = _of(own, more.flags), _of(own, more.paths)
    _must_take(own, flags, paths, table.options)
    try:
        words = tuple(word for each in flags for word in shlex.split(each))
    except ValueError as error:
        raise UserError(f"--own-flags {flags[0]}: {error}") from None
    given = language.Given(
        Path(os.path.abspath(own.path)),
        runner.folder,
        own.function,
        words,
        tuple(_class_path(paths)),
        name="" if own.label else Path(os.path.abspath(own.path)).stem,
        say=more.say,
    )
    try:
        glue = language.glue(table.language, given)
    except language.NotMine:
        raise
    except language.Wrong as wrong:
        raise _Unfit(f"{own.given}: {wrong}") from None
    except OSError as error:
        raise UserError(f"{own.given}: {cause(error)}; run again when this is mended") from None
    if glue.commands is not None:
        commands = [[*each] for each in glue.commands]
        table = table.model_copy(update={"commands": commands})
    return replace(_with(runner, table), own=own, glue=glue)


def _is_text(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return b"\0" not in file.read(_LOOKED_AT)
    except OSError:
        return True  # which its language tells


def _class_path(given: Iterable[str]) -> Iterator[Path]:
    """Its jars and folders; in the place of `lib/*` all jars there, as Java takes it."""
    for each in (path for one in given for path in one.split(os.pathsep) if path):
        path = Path(os.path.abspath(Path(each).expanduser()))
        if path.name == "*":
            jars = sorted(one for one in path.parent.glob("*") if one.suffix in (".jar", ".JAR"))
            if not jars:
                raise UserError(f"--own-path {each}: no jar there; name the folder that has them")
            yield from jars
        elif path.exists():
            yield path
        else:
            raise UserError(f"--own-path {each}: no such file or folder")


def _of(own: OwnCode, given: Sequence[str]) -> list[str]:
    """What of these is for this code: with its label, or without one."""
    found = []
    for each in given:
        labeled = _LABELED.fullmatch(each)
        if own.label and labeled and labeled[1] == own.label:
            found.append(labeled[2])
        elif not (labeled and own.label):
            found.append(each)
    return found


def _must_be_of_one(more: More, labels: Collection[str]) -> None:
    """Raises UserError for what is given to a version that is not there."""
    there = ", ".join(sorted(filter(None, labels)))
    for option, given in (("--own-flags", more.flags), ("--own-path", more.paths)):
        for each in given:
            labeled = _LABELED.fullmatch(each)
            if labeled and labeled[1] not in labels and not os.path.exists(each):
                known = f"there are: {there}" if there else f"write --own {labeled[1]}=…, too"
                raise UserError(f"{option} {each}: no --own has that name; {known}")


def _must_take(
    own: OwnCode, flags: Sequence[str], paths: Sequence[str], options: Collection[str]
) -> None:
    for option, given, name in (("--own-flags", flags, "flags"), ("--own-path", paths, "path")):
        if given and name not in options:
            raise UserError(f"{option}: {own.given} takes none; leave it out")


@dataclass(frozen=True)
class _InCommit:
    """Code in a commit, as it is `spelled` without its function."""

    revision: revisions.Revision
    label: str
    spelled: str

    def code(self) -> OwnCode:
        """The same in a copy."""
        shown = f"{revisions.BEGINS}{self.revision.name}"
        with _told_of(self.label, self.spelled):
            own = revisions.copied(self.revision, shown)
        return replace(own, label=self.label, spelled=self.spelled)


@contextmanager
def _told_of(label: str, spelled: str) -> Iterator[None]:
    try:
        yield
    except UserError as why:
        raise UserError(f"--own {label and f'{label}='}{visible(spelled)}: {why}") from None


def _named(text: str) -> OwnCode | _InCommit:
    """What `[LABEL=]PATH[:FUNCTION]` means: the first reading whose path exists. The name of a
    function may have colons in it, and so may a path; the longest one that exists is meant. What
    begins with `git:` is in a commit, but where a file is called so.
    """
    if not text.strip():
        raise UserError("--own: it is empty; give a file or folder with your code")
    labeled = _LABELED.fullmatch(text)
    readings = [("", text), *([labeled.groups()] if labeled else [])]
    for label, rest in readings:
        found = _existing(label, rest)
        if rest.startswith(revisions.BEGINS) and (not found or ":" not in str(found.path)):
            return _in_commit(label, rest, found)
        if found:
            return found
    label, path = readings[-1]
    return OwnCode(Path(path).expanduser(), label)


def _existing(label: str, rest: str) -> OwnCode | None:
    """The reading with the longest path that exists."""
    parted = [(rest[: each.start()], rest[each.end() :]) for each in re.finditer(":", rest)]
    for path, name in ((rest, ""), *(each for each in reversed(parted) if all(each))):
        if os.path.exists(own := Path(path).expanduser()):
            return OwnCode(own, label, name)
    return None


def _in_commit(label: str, rest: str, otherwise: OwnCode | None) -> OwnCode | _InCommit:
    """Code in a commit; or in the file `git`, where that is there and no commit is meant."""
    try:
        with _told_of(label, rest):
            revision = revisions.read(rest.removeprefix(revisions.BEGINS))
    except UserError:
        if otherwise:
            return otherwise
        raise
    spelled = rest.removesuffix(f":{revision.function}") if revision.function else rest
    return _InCommit(revision, label, spelled)


def _of_the_wire(path: Path) -> manifest.RunnerFile:
    """The manifest of an executable that speaks as docs/wire.md says. It brings its own runtime."""
    shell = manifest.RuntimeTable(
        executable="sh", candidates=["sh"], version=["-c", "echo 1"], pattern="(1)", minimum="1"
    )
    launch = manifest.LaunchTable(command=[f"{{build}}/{building.place(path)}"])
    return manifest.RunnerFile(
        name=OWN, languages=[OWN], wire=3, install="sh", runtime=shell, launch=launch
    )


def _takes(table: manifest.OwnTable, path: Path) -> bool:
    if path.is_dir():
        return any((path / each).is_file() for each in (table.folders, table.packages) if each)
    return path.suffix in table.files


def _takes_source(table: SourceTable, path: Path, exactly: bool) -> bool:
    """Whether it is source code, not written for the runner, in a language of this table."""
    if path.is_dir():
        names = [each for each in table.folders if exactly is not ("*" in each)]
        if not any(each.is_file() for name in names for each in path.glob(name)):
            return False
    elif not exactly or path.suffix not in table.files:
        return False
    return not (table.unless and any(map(table.unless.search, _texts(table, path))))


def _texts(table: SourceTable, path: Path) -> Iterator[str]:
    """The source files of a folder, and those that tell what it is; or the file."""
    names = {each for each in table.folders if "*" not in each}
    for each in building.inside(path) if path.is_dir() else [path]:
        if not path.is_dir() or each.suffix in table.files or each.name in names:
            with suppress(OSError):
                yield each.read_text("utf-8", "ignore")


def _with(runner: Runner, table: CodeTable) -> Runner:
    """The runner with what its manifest has for code of the user's."""
    environment = {**runner.file.build.environment, **table.environment}
    given = {
        "commands": table.commands,
        "layouts": table.layouts,
        "environment": environment,
        "builder": table.builder,
    }
    build = {name: value for name, value in given.items() if value is not None}
    file = runner.with_build(**build).file
    command = file.launch.command if table.launch is None else table.launch
    launch = file.launch.model_copy(update={"command": command})
    tools = [*file.tools, *table.tools]
    shared = table.model_dump(include=set(CodeTable.model_fields), by_alias=True)
    own = OwnTable.model_validate(shared)
    return replace(
        runner, file=file.model_copy(update={"launch": launch, "tools": tools, "own": own})
    )


def _allowed() -> list[str]:
    tables = [each.file.own for each in manifest.all_runners() if each.file.own]
    sources = [each.source for each in tables if each.source]
    files = [end for table in tables for end in table.files]
    files += [end for table in sources for end in table.files]
    folders = [each for table in tables for each in (table.folders, table.packages) if each]
    folders += [name for table in sources for name in table.folders if "*" not in name]
    files, folders = list(dict.fromkeys(files)), list(dict.fromkeys(folders))
    return [
        f"a file that ends in {', '.join(files)}",
        f"a folder with {', '.join([*folders, 'runner.toml'])}",
        "an executable that speaks the wire",
    ]
