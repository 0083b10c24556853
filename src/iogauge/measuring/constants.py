"""The file numbers of this machine: measured by a runner that probes, kept in the data folder, and
found again there. A file's name follows from all that they depend on.
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import json
import os
import platform
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from iogauge.corpus.store import Corpus
from iogauge.host import description, evidence
from iogauge.host.kernel import mount_of
from iogauge.host.pauses import RUNNING
from iogauge.host.processes import interruptions
from iogauge.measuring.constant_checks import constants
from iogauge.measuring.probing import Probing
from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.model.method import METHOD
from iogauge.model.watched import ConstantName, Constants
from iogauge.runners import building, manifest, preparing
from iogauge.runners.fork import Fork
from iogauge.runners.wire import WireError

Say = Callable[[str], None]
BUDGET, LONGEST = 20.0, 60.0
"""Seconds: what all of them take, and the most that they may."""


class _Place(NamedTuple):
    """What numbers depend on, and the file in which they are kept."""

    host: dict[str, str]
    file: Path


def known(directory: Path) -> Constants | None:
    """The numbers that were measured for files of this folder's device, if they are of the last day
    and the machine has the same pace now; else None. Looks at the pace for 0.1 s.
    """
    usable = _usable()
    if isinstance(usable, preparing.Missing):
        return None
    path = _place(directory, usable).file
    try:
        found = Constants.model_validate_json(path.read_bytes())
        then = datetime.datetime.fromisoformat(found.measured)
        age = (datetime.datetime.now(datetime.UTC) - then).total_seconds()
    except (OSError, ValidationError, ValueError, TypeError):  # there is none, or it is damaged
        return None
    return found if 0 <= age <= METHOD.ceiling_kept and _same_pace(found) else None


def measure(
    directory: Path,
    names: Collection[ConstantName] | None = None,
    budget: float = BUDGET,
    *,
    say: Say = lambda text: None,
    show: Callable[[int], None] = lambda rounds: None,
) -> Constants:
    """Measure the calls of these names, or all, with files in this folder, in so many seconds. All
    are kept for later; a few are not. `show` is told how many rounds are done, 0 first. A runner
    that is not there yet is built before, which the budget does not count.

    Raises UserError where nothing can be measured, KeyboardInterrupt for a signal that ends it. No
    file of it stays.
    """
    usable = _usable()
    if isinstance(usable, preparing.Missing):
        raise UserError(f"no call can be measured: {usable.why}")
    ready = preparing.obtain(usable.wanted[:1], say)[0]
    if isinstance(ready, preparing.Missing):
        raise UserError(f"no call can be measured: {ready.why}")
    ends = RUNNING() + budget
    corpus = Corpus(directory)  # for its lock: two that measure would disturb each other
    try:
        with interruptions(), corpus.run_folder() as folder:
            show(0)
            fork = Fork(ready.launch, 0)
            try:
                probed = Probing(fork, folder, names).rounds(ends, show)
            finally:
                fork.kill()  # it has nothing to end
    except WireError as error:
        raise UserError(f"the {ready.runtime.runner} runner broke off: {error}") from None
    finally:
        corpus.close()
    place, pace = _place(directory, usable), evidence.pace()
    calls, paths, out = constants(probed.calls, probed.paths)
    made = Constants(
        measured=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        host=place.host,
        canary_ns=pace["compute_ns"],
        canary_memory_ns=pace["memory_ns"],
        calls=calls,
        paths=paths,
        left_out=out,
        disturbed=probed.disturbed,
    )
    if names is None and calls:
        folders.keep(place.file, made.model_dump_json())
    return made


def remove() -> int:
    """Remove all that are kept; returns the bytes freed."""
    freed = 0
    for path in folders.constants().glob("*.json"):
        with contextlib.suppress(OSError):
            found = path.stat()
            path.unlink()
            freed += folders.occupied(found)
    with contextlib.suppress(OSError):
        folders.constants().rmdir()
    return freed


def _usable() -> preparing.Usable | preparing.Missing:
    """The runner that probes, as it would be used; of several the first that is here."""
    found = [preparing.usable(each) for each in manifest.all_runners() if each.file.probes]
    here = [each for each in found if isinstance(each, preparing.Usable)]
    none = preparing.Missing("probes", (), "no runner is here that probes")
    return next(iter([*here, *found]), none)


def _place(directory: Path, usable: preparing.Usable) -> _Place:
    candidate, mount = usable.wanted[0], mount_of(directory)
    host = {
        "identity": str(description.identity()),
        "system": platform.system(),
        "kernel": platform.release(),
        "file_system": mount.kind or "unknown",
        "build": building.identity_of(candidate.runner, candidate.builder),
    }
    depends_on = host | {
        "device": str(os.stat(directory).st_dev),
        "options": " ".join(sorted(mount.options)),
        "method": METHOD.hash,
    }
    text = json.dumps(depends_on, sort_keys=True)
    name = hashlib.sha256(text.encode()).hexdigest()[:16]
    return _Place(host, folders.constants() / f"{name}.json")


def _same_pace(found: Constants) -> bool:
    now, most = evidence.pace(), METHOD.ceiling_pace
    then = {"compute_ns": found.canary_ns, "memory_ns": found.canary_memory_ns}
    return all(1 / most < now[kind] / ns < most for kind, ns in then.items() if ns)
