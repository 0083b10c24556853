"""How a file of the user's is cached, and what that does to a mapping of it: lines of `iogauge
FILE`, from what was seen and from stored runs.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from iogauge.advice import mapping
from iogauge.advice.mapping import InOtherFolios
from iogauge.analysis import report
from iogauge.commands.looking import read
from iogauge.commands.options import beside
from iogauge.corpus.own_file import OwnFile
from iogauge.host import description
from iogauge.host.kernel import mount_of
from iogauge.measuring import session
from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.outputs import states
from iogauge.outputs.document import Document
from iogauge.runfile import header as headers
from iogauge.runfile.header import Header

_MOST_RUNS = 3  # stored runs that are looked at, the newest first


def how_cached(file: OwnFile, folder: Path) -> list[str]:
    """A line on the folios that the file lies in, where all of it is cached and that was seen. What
    leaves a file so is told where our folder is on its file system, which may keep all files alike.
    """
    if file.folio_bytes is None:
        return []
    kind, one = None, None
    with contextlib.suppress(OSError):
        if beside(file, folder):
            kind, one = mapping.kind_of(file.folio_bytes), session.one_size(folder)
    return [states.how_cached(file.folio_bytes, kind, one.why if one and one.known else None)]


def notes(file: OwnFile, document: Document, languages: Sequence[str]) -> Iterator[str]:
    """Why a mapping is slow or fast here, where that decides; and what it would take if the file
    lay in folios of another kind, where a stored run tells and a mapping can read it. Of a file
    that was measured in several states nothing.
    """
    groups = [each for each in document.report.groups if each.conditions.cache == "warm"]
    if len({each.conditions.cached_by for each in groups}) > 1:
        return  # the answer over the states says it
    for group in groups:
        if found := mapping.here(group):
            yield states.mapping_here(group, found)
            break
    mapped = [each for each in groups if any(of.strategy.reads_mapped for of in each.cases)]
    size = next((each.folio_bytes for each in mapped if each.folio_bytes), None)
    if size and (told := from_stored(file.path.parent, languages, size)):
        yield states.in_other_folios(*told)


def from_stored(
    directory: Path, languages: Sequence[str], folio_bytes: int
) -> tuple[InOtherFolios, Mapping[str, str], float] | None:
    """What a mapping took in folios of another kind, by the newest run on this host and such a file
    system that tells; with the names of languages, and how long ago that was, in seconds.
    """
    for header, path in _stored(directory):
        with contextlib.suppress(UserError):
            made = report.make(read(path))
            if other := mapping.in_other_folios(made, languages, folio_bytes):
                age = time.time() - datetime.fromisoformat(header.started).timestamp()
                return other, header.language_names, age
    return None


def _stored(directory: Path) -> list[tuple[Header, Path]]:
    """Runs on this host and such a file system that compare states of the cache."""
    place, found = (description.identity(), mount_of(directory).kind), []
    for path in sorted(folders.runs().glob("*.jsonl"), key=lambda each: -each.stat().st_mtime):
        with contextlib.suppress(UserError, LookupError):  # of another version, or no run file
            header = headers.read_header(path)
            spans = any(each.along == "cached_by" for each in header.plan.spans)
            if spans and header.place == place:
                found.append((header, path))
        if len(found) == _MOST_RUNS:
            break
    return found
