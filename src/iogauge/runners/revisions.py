"""Code of the user's as it is in a commit of its repository: `git:REVISION:PATH[:FUNCTION]`.

The files of the commit are written into a copy in the cache, and so are those of the working tree
where it is compared with a commit: both lie at paths of equal length, neither has what was built,
and both are built in the same way. Nothing is written into the repository.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from iogauge.host import kernel
from iogauge.model import folders
from iogauge.model.errors import UserError, cause
from iogauge.model.text import visible
from iogauge.runners import repository, untracked
from iogauge.runners.manifest import Copied, OwnCode
from iogauge.runners.repository import LINK, MODULE, Entry, Refused, Repository

BEGINS = "git:"
"""How the code of a commit is named."""
KEPT = 6
"""Copies that are kept, those that were used last; those in use besides."""
_FORM = "write git:REVISION:PATH, e.g. git:HEAD~1:read_log.py"
_TOLD, _IN_USE, _PARTIAL = "missing.txt", "in-use", ".partial"
_LARGEST = 4 << 20  # bytes of a file that git does not track: a larger one is data
_MADE = {"__pycache__", "site-packages", "target", "build", "dist", "out"}
_POINTER = re.compile(
    rb"version https://git-lfs\S+\n(?:ext.*\n)*oid sha256:([0-9a-f]{64})\nsize (\d+)\n?"
)
_LONGEST_POINTER = 1024
_MOST_NAMED = 3
_held: dict[Path, int] = {}


@dataclass(frozen=True)
class Revision:
    """A path in a commit; `name` is how the user calls the commit."""

    repository: Repository
    name: str
    commit: str
    path: str
    function: str

    @cached_property
    def entries(self) -> dict[str, Entry]:
        return self.repository.entries(self.commit)


def folder() -> Path:
    """Where the copies are. It need not exist."""
    return folders.cache() / "revisions"


def read(text: str) -> Revision:
    """What stands behind `git:`. Both a revision and a path may have colons in them: the shortest
    revision that is a commit is meant, and the longest path that this has. Raises UserError.
    """
    found = [(text[: each.start()], text[each.end() :]) for each in re.finditer(":", text)]
    readings = [each for each in found if all(each)]
    if not readings:
        raise UserError(_FORM)
    unknown: list[tuple[int, str]] = []
    for revision, rest in readings:
        where = _repository(rest)
        commit = where.commit(revision)
        if commit is None:
            likely = any(_there(where, rest.partition(":")[0]))
            unknown.append((1 if likely else 2, where.why_unknown(revision)))
            continue
        meant = _in_commit(where, revision, commit, rest)
        if isinstance(meant, Revision):
            return meant
        unknown.append((0, meant))
    raise UserError(min(unknown, key=lambda each: each[0])[1])


def _in_commit(where: Repository, revision: str, commit: str, rest: str) -> Revision | str:
    """The longest path of the commit with which this begins; or why there is none."""
    entries = where.entries(commit)
    parted = [(rest[: each.start()], rest[each.end() :]) for each in re.finditer(":", rest)]
    readings = [(rest, ""), *(each for each in reversed(parted) if all(each))]
    for path, function in readings:
        for place in _places(where, path):
            for each in (*_above(place), place):
                if each in entries and entries[each].mode == MODULE:
                    return f"{visible(each)} is a sub-module; run iogauge in it"
            if _has(entries, place):
                return Revision(where, revision, commit, place, function)
    there = [path for path, _ in readings if any(_there(where, path))]
    path, shown = (there or [rest.partition(":")[0]])[0], visible(revision)
    if there:
        return (
            f"no {visible(path)} in {shown}; it is in the working tree: name it without {BEGINS}, "
            "or a commit that has it"
        )
    return (
        f"no {visible(path)} in {shown}, nor in the working tree; a path is seen from the current "
        "folder, or else from the root of the repository"
    )


def _there(where: Repository, path: str) -> Iterator[str]:
    return (each for each in _places(where, path) if os.path.lexists(where.root / each))


def _has(entries: Collection[str], path: str) -> bool:
    return path in entries or not path or any(each.startswith(f"{path}/") for each in entries)


def _repository(path: str) -> Repository:
    """The repository of the current folder, or that which a path outside of this leads to."""
    full = Path(os.path.abspath(Path(path).expanduser()))
    found = here = repository.around(Path.cwd())
    if here is None or not full.is_relative_to(here.root):
        start = next(each for each in (full, *full.parents) if each.is_dir())
        found = repository.around(start) or here
    if found is None:
        raise UserError(
            "the current folder is in no repository of git; run it in the one that has the "
            "commit, or name a path without git:"
        )
    return found


def _places(where: Repository, path: str) -> Iterator[str]:
    """Where a path may be, from the root: as git has `REV:./PATH`, then as it has `REV:PATH`."""
    given = Path(path).expanduser()
    full = Path(os.path.realpath(given.parent), given.name)
    if given.name in ("", ".."):  # `.`, `..`
        full = Path(os.path.realpath(given))
    full = Path(os.path.normpath(full))
    root = Path(os.path.realpath(where.root))
    seen = ""
    if full.is_relative_to(root):
        seen = _slashes(full.relative_to(root))
        yield seen
    if not (given.is_absolute() or path.startswith(("./", "../")) or path in (".", "..")):
        plain = os.path.normpath(path)
        if not (seen and os.path.lexists(root / seen)) and not plain.startswith(".."):
            yield _slashes(Path(plain))


def _slashes(path: Path) -> str:
    return "" if path == Path() else path.as_posix()


def copied(revision: Revision, shown: str) -> OwnCode:
    """The code in a copy of its commit, made unless it is there. `shown` is how the user spells the
    commit. Raises UserError.
    """
    where, entries = revision.repository, revision.entries
    known = repository.matching({each.rpartition("/")[2] for each in entries}, untracked.locks())
    locks = [each for each in entries if each.rpartition("/")[2] in known]
    try:
        hashes = where.hashes(locks)
    except Refused as why:
        raise UserError(f"git says: {repository.first_line(str(why))}") from None

    def same(path: str) -> bool:
        return path in entries and hashes.get(path) == entries[path].hash

    files = [path for path, each in entries.items() if each.mode not in (LINK, MODULE)]
    taken = untracked.taken(where.root, entries, revision.path, same)
    modules = [path for path, each in entries.items() if each.mode == MODULE]
    links = [path for path, each in entries.items() if each.mode == LINK]

    def fill(tree: Path, final: Path) -> list[str]:
        index = tree.with_name("index")
        try:
            where.check_out(revision.commit, tree, index)
        except Refused as why:
            raise UserError(_why_not_checked_out(str(why), revision.name)) from None
        index.unlink(missing_ok=True)
        missing = [*_without_outer(tree, links)]
        for each in modules:
            missing += _module(where, each, tree, entries[each].hash)
        missing += _large(where.root, tree, files)
        untracked.put(taken.parts, where.root, tree, final)
        return missing

    key = (revision.commit, *_of_modules(where, modules), repr(taken.parts))
    made, missing = _made(where.root, key, fill)
    lacks = [("", each) for each in missing] + [*taken.lacks.items()]
    path = made / revision.path if revision.path else made
    if not path.exists():
        raise UserError(f"{visible(revision.path)} is a link out of the repository; name a file")
    return OwnCode(path, function=revision.function, copied=Copied(made, f"{shown}:", tuple(lacks)))


def alike(owned: Sequence[OwnCode], commits: Sequence[Revision]) -> list[OwnCode]:
    """The same code; what lies in the working tree of a repository with one of these commits, from
    a copy, too, so that both are built in the same way.
    """
    known = {each.repository.root: each.repository for each in commits}
    return [each if each.copied else _of_working_tree(each, known.values()) for each in owned]


def _of_working_tree(own: OwnCode, known: Iterable[Repository]) -> OwnCode:
    for where in known:
        root = Path(os.path.realpath(where.root))
        path = Path(os.path.realpath(own.path))
        if path.is_relative_to(root) and root / ".git" not in (path, *path.parents):
            place = _slashes(path.relative_to(root))
            try:
                names = _working(where)
            except Refused as why:
                raise UserError(f"git says: {repository.first_line(str(why))}") from None
            if _has(names, place):
                spelled = own.spelled or str(own.path)
                made = _copy_of_working_tree(where, names, place)
                return replace(own, path=made.folder / place, spelled=spelled, copied=made)
    return own


def _working(where: Repository) -> dict[str, os.stat_result]:
    """The files of the working tree that are or may be part of the code, not what was built."""
    tracked = where.tracked()
    homes = {above for each in tracked for above in _above(each)}
    made_by_tools = _MADE | untracked.names()
    links = {each for each in homes if (where.root / each).is_symlink()}
    found = dict[str, os.stat_result]()
    for each, mode in tracked.items():
        if not links.isdisjoint(_above(each)):  # its folder is a link now, and lies elsewhere
            continue
        with suppress(OSError):  # it was deleted
            about = (where.root / each).lstat()
            if mode == MODULE or not stat.S_ISDIR(about.st_mode):
                found[each] = about
    for each in where.untracked():
        made = (above for above in _above(each) if above.rpartition("/")[2] in made_by_tools)
        if each.endswith("/") or any(above not in homes for above in made):
            continue
        with suppress(OSError):
            about = (where.root / each).lstat()
            if about.st_size <= _LARGEST:
                found[each] = about
    return found


def _above(path: str) -> list[str]:
    """The folders above a path, from the root on."""
    parts = path.split("/")
    return ["/".join(parts[:at]) for at in range(1, len(parts))]


def _copy_of_working_tree(where: Repository, names: dict[str, os.stat_result], code: str) -> Copied:
    modules = [each for each, about in names.items() if stat.S_ISDIR(about.st_mode)]
    files = [each for each in names if each not in modules]
    links = [each for each in files if stat.S_ISLNK(names[each].st_mode)]
    taken = untracked.taken(where.root, files, code)

    def fill(tree: Path, final: Path) -> list[str]:
        _copy(where.root, files, tree)
        missing = [*_without_outer(tree, links)]
        for each in modules:
            missing += _module(where, each, tree, None)
        untracked.put(taken.parts, where.root, tree, final)
        return missing

    key = (*(_seen(*each) for each in names.items()), repr(taken.parts))
    made, missing = _made(where.root, (*key, *_of_modules(where, modules)), fill)
    above = os.path.relpath(where.root)
    shown = "" if above == "." else f"{above}{os.sep}"
    return Copied(made, shown, tuple(("", each) for each in missing))


def _seen(path: str, about: os.stat_result) -> str:
    times = f"{about.st_mtime_ns} {about.st_ctime_ns}"
    return f"{path}\0{about.st_mode} {about.st_size} {about.st_ino} {times}"


def _of_modules(where: Repository, paths: Iterable[str]) -> Iterator[str]:
    """What the sub-modules have now."""
    for path in paths:
        module = where.module(path)
        yield f"{path} {module and module.head()}"
        if module:
            with suppress(Refused):
                yield from (_seen(*each) for each in _working(module).items())


def _copy(root: Path, files: Iterable[str], tree: Path) -> None:
    """Copy files of the working tree; links as links."""
    for each in files:
        source, place = root / each, tree / each
        place.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):  # gone meanwhile
            if source.is_symlink():
                place.symlink_to(source.readlink())
            elif source.is_file():
                shutil.copyfile(source, place)
                place.chmod(0o755 if os.access(source, os.X_OK) else 0o644)


def _module(where: Repository, path: str, tree: Path, commit: str | None) -> list[str]:
    """Copy a sub-module from the working tree, if it is there at this commit; what is missing."""
    module = where.module(path)
    shown = visible(path)
    if module is None:
        return [f"lacks the sub-module {shown}; run git submodule update --init"]
    if commit and module.head() != commit:
        return [
            f"has another commit of the sub-module {shown} than the working tree, so its files "
            "are missing; check out a worktree of it with its sub-modules and name that path"
        ]
    try:
        names = _working(module)
    except Refused:
        return [f"lacks the sub-module {shown}, which git cannot read"]
    inner = [each for each, about in names.items() if stat.S_ISDIR(about.st_mode)]
    files = [each for each in names if each not in inner]
    _copy(module.root, files, tree / path)
    links = [each for each in files if stat.S_ISLNK(names[each].st_mode)]
    missing = [*_without_outer(tree, [f"{path}/{each}" for each in links])]
    for each in inner:
        below = _module(module, each, tree / path, None)
        missing += below
    return missing


def _without_outer(tree: Path, links: Sequence[str]) -> Iterator[str]:
    """Remove links that lead out of the tree, perhaps to another state; which ones, in a line."""
    removed = []
    for each in links:
        link = tree / each
        if not link.is_symlink():
            continue
        inside = Path(os.path.realpath(link)).is_relative_to(os.path.realpath(tree))
        if not inside or link.readlink().is_absolute():
            link.unlink()
            removed.append(each)
    if removed:
        yield f"lacks {_listed(removed, 'link')} out of the repository; name files inside of it"


def _large(root: Path, tree: Path, files: Iterable[str]) -> Iterator[str]:
    """Put files that Git LFS keeps in the place of what points to them, as far as the working tree
    has them; which ones it has not, in a line.
    """
    missing = []
    for each in files:
        path = tree / each
        about = path.lstat()
        if not stat.S_ISREG(about.st_mode) or about.st_size > _LONGEST_POINTER:
            continue
        if pointer := _POINTER.match(path.read_bytes()):
            source = root / each
            if _is_that(source, pointer[1].decode(), int(pointer[2])):
                shutil.copyfile(source, path)
            else:
                missing.append(each)
    if missing:
        yield (
            f"lacks {_listed(missing, 'file')} of Git LFS, which the working tree does not have "
            "either; run git lfs pull in a worktree of it and name that path"
        )


def _is_that(path: Path, digest: str, size: int) -> bool:
    try:
        if path.stat().st_size != size:
            return False
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == digest
    except OSError:
        return False


def _listed(paths: Sequence[str], what: str) -> str:
    more = f" and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else ""
    some = ", ".join(map(visible, paths[:_MOST_NAMED]))
    return f"{len(paths)} {what}{'s' * (len(paths) > 1)} ({some}{more})"


def _why_not_checked_out(said: str, revision: str) -> str:
    if "promisor" in said or "unable to read" in said or "invalid object" in said:
        return (
            f"git has not all files of {visible(revision)} here, as in a partial clone; check it "
            "out once (git worktree add), and name that path"
        )
    if "No space left" in said:
        return f"no space is left in {folder()}; free some, or set XDG_CACHE_HOME elsewhere"
    return f"git says: {repository.first_line(said)}"


def _made(
    root: Path, key: Iterable[str], fill: Callable[[Path, Path], list[str]]
) -> tuple[Path, list[str]]:
    """The copy of this key, filled unless it is there, and what it lacks. It is in use until this
    process ends. Others that were not used for long are removed. Raises UserError.
    """
    digest = hashlib.sha256(os.fsencode(f"{root}\n"))
    for each in key:
        digest.update(os.fsencode(each) + b"\n")
    home = folder() / digest.hexdigest()[:16]
    final = home / (root.name or "root")
    try:
        while not _use(home):
            _fill(home, final, fill)
        os.utime(home)
        told = (home / _TOLD).read_text("utf-8", "surrogateescape").split("\n")
        _remove_old()
    except OSError as error:
        raise UserError(f"{cause(error)}; set XDG_CACHE_HOME to a folder that has room") from None
    return final, [each for each in told if each]


def _use(home: Path) -> bool:
    """Whether the copy is there; then nobody removes it as long as this process lives."""
    if home in _held and not (home / _TOLD).exists():  # removed by hand
        os.close(_held.pop(home))
    while home not in _held:
        try:
            fd = os.open(home / _IN_USE, os.O_RDWR)
        except FileNotFoundError:
            return False
        locked = False
        try:
            kernel.lock(fd, shared=True)
            locked = _is_same(fd, home / _IN_USE)
            if locked and (home / _TOLD).exists():
                _held[home] = fd
                return True
        except BlockingIOError:  # somebody removes it
            time.sleep(0.01)
        finally:
            if home not in _held:
                os.close(fd)
        if locked:  # a half of it was removed by hand
            _remove(home)
            return False
    return True


def _is_same(fd: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except OSError:
        return False


def _fill(home: Path, final: Path, fill: Callable[[Path, Path], list[str]]) -> None:
    """Make a copy under another name, and move it to its own."""
    home.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=f"{home.name}-", suffix=_PARTIAL, dir=home.parent))
    fd = os.open(partial / _IN_USE, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        kernel.lock(fd, shared=True)
        tree = partial / final.name
        tree.mkdir()
        missing = fill(tree, final)
        # Tools that look for the root of a repository, from a file upwards, find it here.
        with suppress(FileExistsError):
            (tree / ".git").mkdir()
        (partial / _TOLD).write_text("\n".join(missing), "utf-8", "surrogateescape")
        try:
            partial.rename(home)
        except OSError:
            if not home.is_dir():  # else another iogauge was quicker
                raise
    finally:
        os.close(fd)
        if partial.exists():
            folders.remove_tree(partial)


def _copies() -> list[Path]:
    """The copies, and what killed processes left of some; those that were used last come first."""
    found = []
    with suppress(OSError):
        for each in folder().iterdir():
            with suppress(OSError):
                found.append((each.stat().st_mtime_ns, each))
    return [each for _, each in sorted(found, reverse=True)]


def _remove_old() -> None:
    every = _copies()
    whole = [each for each in every if each.suffix != _PARTIAL]
    for each in (*whole[KEPT:], *(one for one in every if one.suffix == _PARTIAL)):
        _remove(each)


def _remove(home: Path) -> int:
    """Remove a copy that nobody uses; the bytes freed."""
    fd, gone = -1, home
    try:
        if home.suffix == _PARTIAL and time.time() - home.stat().st_mtime < 1:
            return 0  # it may just be begun
        with suppress(FileNotFoundError):
            fd = os.open(home / _IN_USE, os.O_RDWR)
            kernel.lock(fd)
        if home.suffix != _PARTIAL:  # nobody is to find a half
            gone = home.rename(home.with_name(f"{home.name}-{os.getpid()}{_PARTIAL}"))
        size = _bytes(gone)
        folders.remove_tree(gone)
        return size
    except OSError:  # in use
        return 0
    finally:
        if fd >= 0:
            os.close(fd)


def remove() -> int:
    """Remove all copies that nobody uses; the bytes freed."""
    freed = sum(map(_remove, _copies()))
    with suppress(OSError):
        folder().rmdir()
    return freed


def held() -> tuple[int, int]:
    """How many copies there are, and the bytes that they take."""
    every = _copies()
    return len(every), sum(map(_bytes, every))


def _bytes(home: Path) -> int:
    total = 0
    for above, inside, files in os.walk(home):
        for each in (*inside, *files):
            with suppress(OSError):
                total += folders.occupied(os.lstat(os.path.join(above, each)))
    return total
