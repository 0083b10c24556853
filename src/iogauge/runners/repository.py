"""A repository of git's, of which iogauge only reads: commits, the files of one, and the working
tree. Nothing is written into it: no index, no reference, no object.
"""

from __future__ import annotations

import difflib
import fnmatch
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from iogauge.model.errors import UserError
from iogauge.model.text import shell_word, visible

LINK, MODULE = "120000", "160000"
"""Modes of entries: symbolic links, and commits of sub-modules."""
_SILENT = {
    "GIT_OPTIONAL_LOCKS": "0",  # no look at the working tree refreshes the index
    "GIT_NO_LAZY_FETCH": "1",  # what a partial clone lacks would be written into it
    "GIT_ALLOW_PROTOCOL": "none",  # the same for older versions of git
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C.UTF-8",
    "LANGUAGE": "C",
}
# Git sets these for its hooks, for the repository that it is in itself.
_REMOVED = (
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR"),
    *("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_IMPLICIT_WORK_TREE"),
    *("GIT_NAMESPACE", "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS"),
)
_SETTINGS = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.untrackedCache": "false",
    "core.splitIndex": "false",
    "core.sparseCheckout": "false",
    # What Git LFS would fetch goes into the repository.
    "filter.lfs.clean": "",
    "filter.lfs.smudge": "",
    "filter.lfs.process": "",
    "filter.lfs.required": "false",
}
_OWNER = re.compile(r"dubious ownership in repository at '(.*)'")
_NAMES = ("refs/heads", "refs/remotes", "refs/tags")


class Refused(Exception):
    """A command of git failed: what it says."""


@dataclass(frozen=True)
class Entry:
    """A file, a link or the commit of a sub-module in a tree."""

    mode: str
    hash: str


@dataclass(frozen=True)
class Repository:
    """A repository with a working tree: the `root` of that, and git's own folder."""

    root: Path
    git: Path

    def commit(self, revision: str) -> str | None:
        """The hash of the commit that a revision names; None where it names none. Raises
        UserError for one that may be several.
        """
        if revision.startswith("-"):
            return None
        try:
            return self._commit(revision)
        except Refused as why:
            if "is ambiguous" in str(why):
                raise UserError(f"{first_line(str(why))}; give more of its hash") from None
        try:  # of `:/TEXT`, all that stands behind it is text
            return self._commit(self._said("rev-parse", "--verify", revision).strip())
        except Refused:
            return None

    def _commit(self, revision: str) -> str:
        return self._said("rev-parse", "--verify", f"{revision}^{{commit}}").strip()

    def why_unknown(self, revision: str) -> str:
        """Why there is no such commit, and what to do."""
        shown = visible(revision)
        try:
            shallow = self._said("rev-parse", "--is-shallow-repository").strip() == "true"
            known = self._said("for-each-ref", "--format=%(refname:short)", *_NAMES).split()
        except Refused:
            shallow, known = False, []
        if shallow:
            return (
                f"no commit {shown} in this repository, which is a shallow clone; run git fetch "
                "--unshallow (in CI: check out with fetch-depth: 0)"
            )
        near = difflib.get_close_matches(revision, known, 1)
        meant = f"; did you mean {visible(near[0])}?" if near else "; git log shows them"
        return f"no commit {shown} in this repository{meant}"

    def entries(self, commit: str) -> dict[str, Entry]:
        """What the tree of a commit has, by its path from the root."""
        found = {}
        for line in self._listed("ls-tree", "-r", "-z", "--full-tree", commit):
            about, _, path = line.partition("\t")
            mode, _, name = about.split(" ")[:3]
            found[path] = Entry(mode, name)
        return found

    def check_out(self, commit: str, folder: Path, index: Path) -> None:
        """Write the files of a commit into an empty folder; git's index of them goes to `index`.
        All files are written, whatever is left out of archives. Raises Refused.
        """
        variables = {"GIT_INDEX_FILE": str(index), "GIT_WORK_TREE": str(folder)}
        variables["GIT_DIR"] = str(self.git)
        for words in (("read-tree", commit), ("checkout-index", "-a", "-q", "-f")):
            _run(words, folder, variables)

    def tracked(self) -> dict[str, str]:
        """The mode of what the index has, by its path from the root."""
        found = {}
        for line in self._listed("ls-files", "-z", "--cached", "--stage"):
            about, _, path = line.partition("\t")
            found[path] = about.partition(" ")[0]
        return found

    def untracked(self) -> list[str]:
        """Files of the working tree that git neither has nor ignores."""
        return self._listed("ls-files", "-z", "--others", "--exclude-standard")

    def ignores(self, path: Path) -> bool:
        try:
            self._said("check-ignore", "-q", "--no-index", "--", str(path))
        except Refused:
            return False
        return True

    def hashes(self, paths: Sequence[str]) -> dict[str, str]:
        """What git would call these files of the working tree, if it had them."""
        there = [each for each in paths if (self.root / each).is_file() and "\n" not in each]
        if not there:
            return {}
        said = _run(("hash-object", "--stdin-paths"), self.root, {}, "\n".join(there) + "\n")
        return dict(zip(there, said.split(), strict=True))

    def module(self, path: str) -> Repository | None:
        """The working tree of a sub-module, where it is there."""
        folder = self.root / path
        if not (folder / ".git").exists():
            return None
        try:
            return around(folder)
        except (UserError, Refused):
            return None

    def head(self) -> str | None:
        return self.commit("HEAD")

    def _listed(self, *words: str) -> list[str]:
        return [each for each in self._said(*words).split("\0") if each]

    def _said(self, *words: str) -> str:
        return _run(words, self.root)


def around(folder: Path) -> Repository | None:
    """The repository that a folder is in; None where it is in none. Raises UserError where there is
    no git, and for a repository that git refuses, or that has no working tree.
    """
    if not shutil.which("git"):
        raise UserError("there is no git on the PATH; install it, or name a path without git:")
    try:
        told = _run(("rev-parse", "--is-bare-repository", "--is-inside-git-dir"), folder)
    except Refused as why:
        if owned := _OWNER.search(str(why)):
            path = visible(owned[1])
            raise UserError(
                f"git does not read {path}, as it belongs to another user; if you trust it: git "
                f"config --global --add safe.directory {shell_word(path)}"
            ) from None
        if "not a git repository" in str(why):
            return None
        raise UserError(f"git says: {first_line(str(why))}") from None
    bare, inside = told.split()
    if "true" in (bare, inside):
        where = "a bare repository" if bare == "true" else "the folder of git itself"
        raise UserError(
            f"{visible(str(folder))} is {where}, without a working tree; run in a clone or a "
            "worktree of it (git worktree add)"
        )
    root = _run(("rev-parse", "--show-toplevel"), folder).removesuffix("\n")
    git = _run(("rev-parse", "--absolute-git-dir"), folder).removesuffix("\n")
    return Repository(Path(root), Path(git))


def first_line(said: str) -> str:
    """What git says first, without its mark."""
    lines = [each.strip() for each in said.splitlines() if each.strip()]
    told = next((each for each in lines if each.startswith(("fatal: ", "error: "))), "")
    return visible(told.partition(": ")[2] or next(iter(lines), "nothing"))[:200]


def matching(names: Iterable[str], patterns: Iterable[str]) -> list[str]:
    """Those of the names that are like one of the patterns: `requirements*.txt`."""
    exact = set(patterns)
    wild = [each for each in exact if "*" in each]
    return [
        each
        for each in names
        if each in exact or any(fnmatch.fnmatchcase(each, one) for one in wild)
    ]


def _run(
    words: Sequence[str],
    folder: Path,
    variables: Mapping[str, str] | None = None,
    given: str | None = None,
) -> str:
    """What a command of git prints. Raises Refused, with what it says, where it fails."""
    settings = [word for key, value in _SETTINGS.items() for word in ("-c", f"{key}={value}")]
    known = {name: value for name, value in os.environ.items() if name not in _REMOVED}
    try:
        done = subprocess.run(
            ["git", *settings, *words],
            cwd=folder,
            env={**known, **_SILENT, **(variables or {})},
            input=None if given is None else os.fsencode(given),
            stdin=subprocess.DEVNULL if given is None else None,
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise Refused(f"fatal: {error.strerror}") from None
    if done.returncode:
        raise Refused(os.fsdecode(done.stderr))
    return os.fsdecode(done.stdout)
