"""Where iogauge keeps what is its own."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from pathlib import Path

import platformdirs

WATCH = ".watch.json"
"""How the name of the record of a watch ends."""
_WATCH, _HEAD = re.compile(rb'"kind":\s*"watch"'), 200  # bytes, in which that is found
FLEET_RECORD = "fleet.json"
"""In the folder of a fleet run: how its hosts stand."""

INDEX = ".iogauge-history"
"""The name of the index that `iogauge history` keeps in a folder of runs."""
HISTORY = "history"
"""The part of the cache folder with the indexes of folders that cannot be written."""
WORKERS = "workers"
"""The part of it with what Dask wants for workers of a fleet."""
MADE_AGAIN = ("columns", "page", "dist", HISTORY, WORKERS)
"""Parts of the cache folder that nobody misses: columns of large runs, which nothing writes any
more since they are in the run files; the library of charts as one script, and what `make dist` and
its tests fetch, which whoever wants it makes or fetches again; indexes of runs; and the empty
folders of workers.
"""


def is_utf8(path: Path) -> bool:
    """Whether a path is UTF-8: runners take no other."""
    try:
        return bool(os.fsencode(path).decode("utf-8"))
    except UnicodeDecodeError:
        return False


def cache() -> Path:
    """For what is made again when it is missing: builds and data files. It need not exist."""
    return platformdirs.user_cache_path("iogauge")


def runs() -> Path:
    return platformdirs.user_data_path("iogauge") / "runs"


def watches() -> Path:
    """Records of `iogauge watch`. It need not exist."""
    return platformdirs.user_data_path("iogauge") / "watches"


def ceilings() -> Path:
    """What this machine can do, as earlier runs measured it. It need not exist."""
    return platformdirs.user_data_path("iogauge") / "ceilings"


def fleet() -> Path:
    """What this machine carries out as a host of a fleet, run by run. It need not exist."""
    return platformdirs.user_data_path("iogauge") / "fleet"


def two_ways() -> Path:
    """What slow and fast ways take on this machine, as `watch` measured it. It need not exist."""
    return platformdirs.user_data_path("iogauge") / "two-ways"


def constants() -> Path:
    """What calls for files cost here, as `iogauge calibrate` measured it. It need not exist."""
    return platformdirs.user_data_path("iogauge") / "constants"


def next_step(unwritable: Path) -> str:
    """What to do where this path cannot be written, as an end of a sentence; empty for others."""
    for folder, variable in ((cache(), "XDG_CACHE_HOME"), (runs(), "XDG_DATA_HOME")):
        if unwritable in folder.parents or unwritable.is_relative_to(folder):
            return f"; set {variable} to a folder that can be written"
    return ""


def runs_by_age() -> list[Path]:
    """The run files of our folder, the one that was last written to first."""
    return sorted(runs().glob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns, reverse=True)


def newest() -> Path | None:
    """The run last written to in our folder, or the folder of that fleet run; None if there is no
    run.
    """
    fleets = [path.parent for path in runs().glob(f"*/{FLEET_RECORD}")]
    run = newest_run()
    found = sorted(fleets, key=lambda each: (each / FLEET_RECORD).stat().st_mtime_ns)
    if found and run:
        when = (found[-1] / FLEET_RECORD).stat().st_mtime_ns
        return found[-1] if when > run.stat().st_mtime_ns else run
    return found[-1] if found else run


def watches_by_age() -> list[Path]:
    """The records of watches in our folder, the one that was last written first."""
    found = watches().glob(f"*{WATCH}")
    return sorted(found, key=lambda path: (path.stat().st_mtime_ns, path.name), reverse=True)


def fleet_run(given: Path) -> Path | None:
    """The folder of a fleet run: by its path, or by the id that it has in our folder of runs; None
    for anything else.
    """
    for each in (given, runs() / given):
        if each.is_dir() and (each / FLEET_RECORD).is_file():
            return each
    return None


def watch(given: Path) -> Path | None:
    """The record of a watch, by its path or by the name that it has in our folder; None for any
    other file. It is known by its name, or by what it begins with.
    """
    ours = watches() / given.name
    path = ours if given.name == str(given) and not given.exists() and ours.exists() else given
    if path.name.endswith(WATCH):
        return path
    try:
        with path.open("rb") as file:
            return path if _WATCH.search(file.read(_HEAD)) else None
    except OSError:  # whoever reads it says why
        return None


def newest_run() -> Path | None:
    """The run file that was last written to; None without any."""
    return next(iter(runs_by_age()), None)


def keep(path: Path, text: str) -> None:
    """Write a file of ours as a whole, so that nobody reads a part of it. A folder that cannot be
    written costs whoever asks next some seconds, no more.
    """
    partial = path.with_suffix(f".{os.getpid()}.partial")
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            partial.write_text(text, "utf-8")
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)


def occupied(found: os.stat_result) -> int:
    """Bytes that a file takes on the disk; its length where the system does not tell."""
    blocks = getattr(found, "st_blocks", None)
    return found.st_size if blocks is None else blocks * 512


def kept_of_history() -> int:
    """Bytes of the indexes that are ours to remove: that of our folder of runs, and those in the
    cache folder. An index beside other runs belongs to whoever has these.
    """
    found = [runs() / INDEX, *(cache() / HISTORY).glob("*")]
    return sum(path.stat().st_size for path in found if path.is_file())


def remove_index() -> int:
    """Remove the index of our folder of runs; returns the bytes freed."""
    path, freed = runs() / INDEX, 0
    with contextlib.suppress(OSError):
        freed = occupied(path.lstat())
        path.unlink()
    return freed


def remove(part: str) -> int:
    """Remove a part of the cache folder; returns the bytes freed."""
    return remove_folder(cache() / part)


def remove_folder(folder: Path) -> int:
    """Remove a folder of ours, as far as one may; returns the bytes freed."""
    freed = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):  # it is another user's, or gone already
            found = path.lstat()
            path.unlink()
            freed += occupied(found)
    shutil.rmtree(folder, ignore_errors=True)
    return freed


def remove_tree(folder: Path) -> None:
    """Remove a folder, and what tools put into it as read-only; what is another user's stays."""
    for inside, _, _ in os.walk(folder):
        with contextlib.suppress(OSError):
            os.chmod(inside, 0o700)
    shutil.rmtree(folder, ignore_errors=True)
