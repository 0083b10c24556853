"""Files that a program reads through a mapping, and that lie in the page cache in small folios, as
small writes and random reads leave them. Faults and unmapping then cost several times as much as
over large folios.

No call shows what is read through a mapping. The kernel counts page faults, but not of which kind.
So those of new memory are taken off. Where looks saw memory come and go, the rest is divided as
what went up and down: one fault for a page of memory, one for 64 KiB of files. And faults of a
mapping may not cost more than the system time that is left.
"""

from __future__ import annotations

import os
import stat
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from iogauge.host import folios, mapped
from iogauge.host.files import without_read_ahead
from iogauge.model.text import shell_word
from iogauge.model.units import counted
from iogauge.model.watched import Amounts, Change, ConstantName, Constants, FindingKind, Span
from iogauge.watching.candidates import LARGE, Candidate
from iogauge.watching.estimating import Estimate, Program
from iogauge.watching.recognising import of_system
from iogauge.watching.recording import cost_of
from iogauge.watching.watcher import LEAST_MAPPED, Seen, Worked

KIND: FindingKind = "mapped-small-folios"
NAMES: frozenset[ConstantName] = frozenset({"mapped-small", "mapped-large"})
"""What its saving follows from."""
_MIB = 1 << 20
_MEASURED = 4 * _MIB  # bytes of a mapping whose cost is taken: shorter ones cost more per byte
_FAULTS, _FAULTS_OF_LARGE = 16, 2  # per MiB: the kernel maps 64 KiB around a fault, or a folio
_FEWEST = 500  # faults, below which nothing is worth a word
_NEW_PAGE, _DEAR_NEW_PAGE = 500.0, 1000.0  # ns of a fault that brings a new page of memory
_IN_KERNEL = 0.65  # of the time of a pass, that the kernel counts as its own
_UNSURE = 0.25  # of a saving, on either side
_MOST_FILES = 4  # of a program that are looked at, the largest
_PARTLY = 0.5  # of the saving: in folios of 8 and 16 KiB
_CODE = (
    *(b"\x7fELF", b"\xca\xfe\xba\xbe", b"\xda\xda\xfe\xca", b"\xca\xfe\xda\xda"),
    *(b"\xa2\xba\x0b\xf0", b"\xa8\xba\x0b\xf0"),
)
"""How libraries and the archives of a virtual machine begin."""
_NO_DATA = (".jar", ".jmod", ".jsa", ".so", ".ttf", ".otf", ".ttc", ".pyc", ".mo")


@dataclass(frozen=True)
class Lying:
    """A mapped file: how many of its bytes are mapped; which share of them costs what small folios
    cost, None where nobody looked; and the size of most of its folios in bytes.
    """

    path: str
    inode: int
    bytes: int
    small: float | None = None
    folio_bytes: int = mapped.PAGE


@dataclass(frozen=True)
class Mappings:
    """What a program maps, `every_fault` that it had, how many of them its mappings may have had,
    and its system time in s. `sure` is the share of files in what looks saw come and go.
    """

    program: Program
    files: tuple[Lying, ...]
    faults: float
    every_fault: float
    system: float
    sure: float = 1.0


def mappings(seen: Seen, total: Amounts) -> list[Mappings]:
    """Of each program that maps data. What looks saw of processes is put in proportion to what the
    kernel counted in all.
    """
    if total.minor_faults is None or total.system is None:
        return []
    files: dict[Program, dict[tuple[str, int], int]] = defaultdict(dict)
    pids: dict[Program, set[int]] = defaultdict(set)
    for (pid, file), length in seen.mapped.items():
        facts = seen.facts.get(pid)
        if facts and _may_be_data(file.path):
            key = file.path, file.inode
            files[facts.key][key] = max(length, files[facts.key].get(key, 0))
            pids[facts.key].add(pid)
    every = seen.worked.values()
    faults_of_all = max(1, sum(each.faults for each in every))
    system_of_all = sum(each.system for each in every)
    found = []
    for program, of_it in files.items():
        worked = [seen.worked[pid] for pid in pids[program] if pid in seen.worked]
        share, sure = sum(each.faults for each in worked) / faults_of_all, _of_files(worked)
        every_fault = share * total.minor_faults
        # In a short run, its time in the kernel is known of all processes together only.
        of_time = sum(each.system for each in worked) / system_of_all if system_of_all else share
        largest = sorted(of_it.items(), key=lambda each: -each[1])[:_MOST_FILES]
        found.append(
            Mappings(
                program,
                tuple(Lying(path, inode, length) for (path, inode), length in largest),
                max(0.0, every_fault - sum(each.most for each in worked) / mapped.PAGE) * sure,
                every_fault,
                of_time * total.system,
                sure,
            )
        )
    return found


def _of_files(worked: Iterable[Worked]) -> float:
    """The share of faults on files, as what looks saw come and go divides. What only grew was
    taken off before.
    """
    files = sum(each.moved_of_files for each in worked) / (_MIB / _FAULTS)
    memory = sum(max(0, each.moved - each.most) for each in worked) / mapped.PAGE
    return files / (files + memory) if files else 0.0


def _may_be_data(path: str) -> bool:
    """Whether a file may hold data of the program: no library, font or archive of a runtime."""
    return not (of_system(path) or path.startswith("/etc/") or path.endswith(_NO_DATA))


def looked_at(some: Iterable[Mappings], folder: Path) -> list[Mappings]:
    """The same, with how the files lie in the cache now. Only those that we may read are looked at,
    and that are on the device of the folder, whose costs are known. Nothing is brought in.
    """
    with folios.Looker(folder) as looker:
        return [
            replace(each, files=tuple(_looked_at(one, folder, looker) for one in each.files))
            for each in some
        ]


def _looked_at(file: Lying, folder: Path, looker: folios.Looker) -> Lying:
    try:
        found = os.stat(file.path)
        same = stat.S_ISREG(found.st_mode) and file.inode in (0, found.st_ino)
        if not same or found.st_dev != os.stat(folder).st_dev or found.st_size < LEAST_MAPPED:
            return file
        seen = looker.seen(Path(file.path))
        if seen is None or _is_code(file.path):
            return file
    except OSError:
        return file
    length = min(file.bytes, found.st_size)
    return replace(file, bytes=length, small=_small(seen), folio_bytes=seen.folio_bytes)


def _is_code(path: str) -> bool:
    """By how it begins. Raises OSError."""
    with open(path, "rb", buffering=0) as file:
        without_read_ahead(file.fileno())
        return file.read(4).startswith(_CODE)


def _small(seen: folios.Seen) -> float:
    """The share of its bytes that costs what small folios cost."""
    by_folio = seen.bytes_by_folio
    if not by_folio:
        return 1.0 if seen.kind == "small" else 0.0
    smallest = by_folio.get(mapped.PAGE, 0)
    smaller = sum(count for size, count in by_folio.items() if size <= folios.SMALL)
    return (smallest + _PARTLY * (smaller - smallest)) / sum(by_folio.values())


def are_known(constants: Constants | None) -> bool:
    """Whether both costs were measured on this machine."""
    return constants is not None and {each.name for each in constants.calls} >= NAMES


def candidates(
    some: Iterable[Mappings], found: Estimate, constants: Constants, *, looked: bool
) -> list[Candidate]:
    """What may be saved; before anybody has `looked`, as if all files lay in small folios."""
    made = []
    for each in some:
        files = [replace(one, small=1.0) for one in each.files] if not looked else each.files
        slow = [one for one in files if one.small]
        few, faults, many = (one * _share(files) for one in _faults(each, found, constants))
        if not slow or faults < _FEWEST:
            continue
        saved = max(0.0, _more(constants)) / _FAULTS / 1e9  # s for each fault
        largest = max(slow, key=lambda one: one.bytes * (one.small or 0.0))
        made.append(
            Candidate(
                KIND,
                each.program,
                largest.path,
                faults,
                largest.folio_bytes,
                faults / _FAULTS * _MIB,
                faults * saved,
                files=len(slow),
                length=largest.bytes,
                about=True,
                saves=Span(
                    low=few * saved * (1 - _UNSURE) * each.sure,
                    middle=faults * saved,
                    high=many * saved * (1 + _UNSURE),
                ),
                change=_change(largest.path, len(slow) - 1, constants),
            )
        )
    return made


def _per_mib(name: ConstantName, constants: Constants) -> float:
    known = constants.of(name, _MEASURED)
    return known.middle * _MIB / _MEASURED if known else 0.0


def _more(constants: Constants) -> float:
    """ns per MiB that a pass over small folios takes longer."""
    return _per_mib("mapped-small", constants) - _per_mib("mapped-large", constants)


def _faults(each: Mappings, found: Estimate, constants: Constants) -> tuple[float, float, float]:
    """How many faults the mappings had: surely, likely and at most. All others cost at least what
    new memory costs, and together they took no more than the system time that its calls leave.
    """
    calls = sum(
        cost_of(group, constants)
        for group in found.groups.values()
        if group.program == each.program
    )
    system = max(0.0, each.system - calls) * 1e9
    fault = _per_mib("mapped-small", constants) / _FAULTS

    def fitting(in_kernel: float, new_page: float) -> float:
        left, costs = system - each.every_fault * new_page, fault * in_kernel - new_page
        return max(0.0, min(each.faults, left / costs)) if costs > 0 else 0.0

    likely = fitting(_IN_KERNEL, _NEW_PAGE)
    return fitting(1.0, _DEAR_NEW_PAGE), likely, likely


def _share(files: Sequence[Lying]) -> float:
    """The share of the faults that small folios have, where each byte is used as often."""
    small = sum(one.bytes * _FAULTS * (one.small or 0.0) for one in files)
    # Of a file at which nobody could look, each fault may be one.
    others = sum(
        one.bytes * (_FAULTS if one.small is None else _FAULTS_OF_LARGE * (1 - one.small))
        for one in files
    )
    return small / (small + others) if small else 0.0


def _change(path: str, others: int, constants: Constants) -> Change:
    """To write it and so many `others` otherwise; or to read them, where that takes less than the
    pass over the mapping, too.
    """
    name = os.path.basename(path)
    named = f"{name} and {counted(others, 'more file')}" if others else name
    text = f"write {named} in pieces of 1 MiB, or copy {'them' if others else 'it'} once"
    read = constants.of("read", LARGE)
    if read and read.middle * _MIB / LARGE < _per_mib("mapped-small", constants):
        text += "; or read all by 128 KiB"
    return Change(text=text, code=f"dd if={shell_word(name)} of={shell_word(f'{name}.copy')} bs=1M")
