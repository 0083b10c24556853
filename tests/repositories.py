"""Tiny repositories for tests: git is told who writes by its environment alone."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

WHO = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "a"), ("EMAIL", "a@example.com"))
}


def git(folder: Path, *words: str) -> str:
    """What a command of git prints there. No settings of the user's count."""
    done = subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *words],
        cwd=folder,
        env={**os.environ, **WHO, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def commit(folder: Path, files: dict[str, str], message: str = "one") -> str:
    """Commit all that is there, and these files, in a repository that is made if it is not there;
    the hash of the commit.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / ".git").exists():
        git(folder, "init", "-q", "-b", "main")
    write(folder, files)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def everything(folder: Path) -> dict[str, tuple[object, ...]]:
    """All that lies in a folder: kinds, times, and what is in each file."""
    found: dict[str, tuple[object, ...]] = {}
    for each in sorted((folder, *folder.rglob("*"))):
        about = os.lstat(each)
        link = os.readlink(each) if each.is_symlink() else ""
        inside = hashlib.sha256(each.read_bytes()).hexdigest() if each.is_file() else ""
        found[str(each)] = (about.st_mode, about.st_mtime_ns, about.st_ctime_ns, link, inside)
    return found
