"""Which runs of a folder an atlas rests on: the newest of each question, runtime and host kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from iogauge.history.stored import Index
from iogauge.model.strategy import is_own


class HostKind(NamedTuple):
    """What of a host its times may depend on, and nothing that names it. `kernel` is as long as a
    version has meaning: `6.18`.
    """

    processor: str
    system: str
    kernel: str
    file_system: str


class Key(NamedTuple):
    """What a page of an atlas is about."""

    host: HostKind
    study: str
    question: str
    runtime: str


@dataclass(frozen=True)
class Chosen:
    """The run file of each page, and the ids of older runs that measured the same, newest first."""

    files: dict[Key, str]
    older: dict[Key, list[str]]


def short_kernel(kernel: str) -> str:
    """`6.18` of `6.18.44-generic`: who built it is no part of the kind."""
    numbers = []
    for part in kernel.split("-")[0].split(".")[:2]:
        if not part.isdigit():
            break
        numbers.append(part)
    return ".".join(numbers) or "unknown"


def newest(index: Index) -> Chosen:
    """Of runs by our own protocol; one that ended before one that was stopped early. What was
    measured of somebody's own file, code or commands is nothing to cite, and left out.
    """
    by_key: dict[Key, list[tuple[bool, float, str, str]]] = defaultdict(list)
    runs = index.tables["runs"]
    ids, paths = index.texts("runs", "run"), index.texts("runs", "path")
    for key, file in _measured(index):
        ended = bool(runs["complete"][file])
        by_key[key].append(
            (ended, float(runs["started"][file]), ids[file] or "", paths[file] or "")
        )
    files, older = {}, {}
    for key, found in by_key.items():
        found.sort(reverse=True)
        files[key] = found[0][3]
        older[key] = [
            each for each in dict.fromkeys(one[2] for one in found) if each != found[0][2]
        ]
    return Chosen(files, older)


def _measured(index: Index) -> Iterator[tuple[Key, int]]:
    """Every page that a file could make, with the row of the file; each once."""
    runs, cases = index.tables["runs"], index.tables["cases"]
    words = {
        name: index.texts("runs", name)
        for name in ("processor", "system", "kernel", "file_system", "study", "protocol")
    }
    content, questions = index.texts("groups", "content"), index.texts("groups", "question")
    groups = index.tables["groups"]
    ids = zip(groups["file"].tolist(), groups["group_id"].tolist(), strict=True)
    group_of = {each: row for row, each in enumerate(ids)}
    runtimes, strategies = index.texts("cases", "runtime"), index.texts("cases", "strategy")
    runners = index.texts("cases", "runner")
    seen = set()
    for row in np.flatnonzero(~np.isnan(cases["ns_per_op"])).tolist():
        file = int(cases["file"][row])
        group = group_of.get((file, int(cases["group_id"][row])))
        theirs = is_own(strategies[row] or "") or runners[row] == "command"
        if group is None or theirs or content[group] == "own" or words["protocol"][file] != "sound":
            continue
        host = HostKind(
            words["processor"][file] or "",
            words["system"][file] or "",
            short_kernel(words["kernel"][file] or ""),
            words["file_system"][file] or "",
        )
        key = Key(host, words["study"][file] or "", questions[group] or "", runtimes[row] or "")
        if (key, file) not in seen and runs["problem"][file] < 0:
            seen.add((key, file))
            yield key, file
