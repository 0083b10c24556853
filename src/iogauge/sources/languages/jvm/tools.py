"""Maven and Gradle, which tell where the libraries of a project are. What they told is kept in the
cache folder, so that they are asked once.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from iogauge.host import processes
from iogauge.model import folders
from iogauge.sources.language import Wrong

_SECONDS = 600
_REMOVED = ("MAVEN_ARGS", "MAVEN_CONFIG", "MAVEN_DEBUG_OPTS", "JAVA_TOOL_OPTIONS", "GRADLE_OPTS")


def ask(command: Sequence[str], folder: Path) -> tuple[int, str]:
    """The exit status of a tool and what it printed. An interruption ends it. Raises Wrong."""
    variables = {name: value for name, value in os.environ.items() if name not in _REMOVED}
    variables |= {"MAVEN_SKIP_RC": "true", "LC_ALL": "C.UTF-8"}
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=variables,
            encoding="utf-8",
            errors="replace",
            **processes.apart(),
        )
    except OSError as error:
        raise Wrong(f"{command[0]} cannot be started ({error.strerror})") from None
    try:
        said, _ = process.communicate(timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        raise Wrong(f"{Path(command[0]).name} took longer than {_SECONDS // 60} min") from None
    finally:
        if process.returncode is None:
            processes.end(process)
            process.communicate()
    return process.returncode, said


def kept(
    what: str,
    made_of: Sequence[str | bytes],
    find: Callable[[], list[Path]],
    is_fit: Callable[[Path], bool] = Path.exists,
) -> list[Path]:
    """The paths that `find` gives, or those that it gave before of the same, if all are fit still,
    as what is there is.
    """
    digest = hashlib.sha256()
    for each in made_of:
        told = each if isinstance(each, bytes) else os.fsencode(each)
        digest.update(hashlib.sha256(told).digest())
    file = folders.cache() / "runners" / f"{what}-{digest.hexdigest()[:12]}.json"
    with suppress(OSError, ValueError):
        known = [Path(each) for each in json.loads(file.read_text("utf-8"))]
        if all(map(is_fit, known)):
            return known
    found = find()
    with suppress(OSError):  # a read-only cache costs time, no more
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps([str(each) for each in found]), "utf-8")
    return found


@contextmanager
def scratch(what: str) -> Iterator[Path]:
    """A folder for a while, where builds are: so `clean` removes what a killed process left."""
    parent = folders.cache() / "runners"
    try:
        parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f"{what}-", suffix=".partial", dir=parent))
    except OSError as error:
        raise Wrong(f"{parent} cannot be written ({error.strerror})") from None
    try:
        yield folder
    finally:
        folders.remove_tree(folder)


def first_error(said: str, marks: Sequence[str]) -> str:
    """The first line that tells of an error, without its mark."""
    lines = [" ".join(each.split()) for each in said.splitlines() if each.strip()]
    for mark in marks:
        for each in lines:
            if mark in each:
                return each.partition(mark)[2].strip(" :")[:200]
    return lines[-1][:200] if lines else "it says nothing"
