"""What a history keeps of a run: its header in short, its groups, and the level of each case, the
same as `iogauge show` has.
"""

from __future__ import annotations

import datetime
import hashlib
import stat
from pathlib import Path

from iogauge.analysis import data, unread
from iogauge.history.entries import Entry, Row, Stamp, stamp
from iogauge.model.case import Case
from iogauge.model.errors import UserError
from iogauge.model.method import Method
from iogauge.model.strategy import Runtime, Strategy
from iogauge.model.text import visible
from iogauge.runfile import reading
from iogauge.runfile.run import Run
from iogauge.statistics import intervals

_MOST_BYTES = 1 << 62  # of a file: an index has no room for more
NOT_REGULAR = "not a regular file; skipped"


def of_file(folder: str, name: str) -> Entry:
    """Of the file with this name, which may have `/`, in the folder. Nothing that a file holds
    raises: what it did wrong is the problem in the entry.
    """
    path = Path(folder, name)
    row: Row = {"path": visible(name), **Stamp(0, 0, 0)._asdict()}
    try:
        found = path.stat()
        row |= stamp(found)._asdict()
        if not stat.S_ISREG(found.st_mode):
            return Entry(row | {"problem": NOT_REGULAR})
        with reading.no_collector():
            run = reading.read(path)
            if run.header.imported:  # it has neither a date nor a host
                return Entry(row | {"problem": "another tool measured it"})
            return _entry(row, run)
    except UserError as error:
        problem = str(error).removeprefix(f"{path}: ")
    except OSError as error:
        problem = error.strerror or type(error).__name__
    except Exception as error:  # whatever a hostile file provokes, it must not end the others
        problem = f"damaged ({type(error).__name__}); measure anew"
    return Entry(row | {"problem": visible(problem)})


def method_of(method: Method) -> str:
    """A short hash: what is measured by other constants is another series."""
    return hashlib.sha256(method.model_dump_json().encode()).hexdigest()[:12]


def _entry(row: Row, run: Run) -> Entry:
    header, host = run.header, run.header.host
    found = data.all_data(run, unread.cases(run))
    row |= {
        "run": header.id,
        "study": header.plan.study,
        "protocol": header.plan.protocol,
        "started": _seconds(header.started),
        "seconds": run.seconds,
        "complete": run.complete,
        "replicates": len(run.replicates),
        "failures": len(run.failed()),
        "iogauge": header.iogauge,
        "method": method_of(header.method),
        "host": str(host.get("identity") or f"unknown: {host['processor']}"),
        "host_name": str(host.get("name") or "") or None,
        "processor": str(host["processor"] or host["machine"]),
        "system": str(host.get("system", "Linux")),
        "kernel": str(host["kernel"]),
        "file_system": str(host["file_system"] or "unknown"),
    }
    groups = tuple(_group(each) for each in found)
    cases = tuple(case for each in found for case in _cases(run, each))
    return Entry(row, groups, cases)


def _seconds(started: str) -> float:
    """Since 1970. Raises ValueError or OverflowError for a date that is none in UTC."""
    when = datetime.datetime.fromisoformat(started)
    return when.astimezone(datetime.UTC).timestamp()


def _group(found: data.GroupData) -> Row:
    group = found.group
    work, under = group.workload, group.conditions
    if max(work.size, work.accesses or 0) > _MOST_BYTES:
        raise OverflowError
    return {
        "group_id": group.id,
        "question": group.question,
        "workload": str(work),
        "conditions": str(under),
        "operation": work.operation,
        "size": work.size,
        "content": work.content,
        "medium": work.medium,
        "accesses": work.accesses or 0,
        "cache": under.cache,
        "cached_by": under.cached_by,
        "durability": under.durability,
        "replicates": len(found.replicates),
    }


def _cases(run: Run, found: data.GroupData) -> list[Row]:
    """A row for each case of a group but for its A/A control. A failed one has no level."""
    header, failed, rows = run.header, run.failed(), list[Row]()
    for column, number in enumerate(found.group.cases):
        case = run.plan.cases[number]
        if number == found.group.control:
            continue
        logs, runtime = found.log_ns[:, :, column], header.runtime(case.runtime)
        row: Row = {
            "group_id": found.group.id,
            "case_key": " ".join([case.key_without_runtime, *case.options]),
            "key": case.key,
            "strategy": case.strategy,
            "name": _name(runtime, case, header.declared(case)),
            "language": case.language,
            "runtime": runtime.name,
            "runner": runtime.runner,
            "version": _line(runtime),
            "failure": failed.get(number),
            "replicates": 0,
        }
        if logs.size and (logs == logs).any():
            level = intervals.summary(logs, clock_error=float(found.clock_error[column]))
            known = level.lo > 0 and level.hi < float("inf")
            row |= {
                "ns_per_op": level.center,
                "lo": level.lo if known else None,
                "hi": level.hi if known else None,
                "bytes_per_s": case.bytes_per_operation * 1e9 / level.center,
                "replicates": level.n,
            }
        rows.append(row)
    return rows


def _name(runtime: Runtime, case: Case, declared: Strategy) -> str:
    """`Go bufio.Reader.Read 64K`; of a whole command what the user wrote."""
    shown = case.display(declared)
    return shown if declared.command else f"{runtime.name_of(case.language)} {shown}"


def _line(runtime: Runtime) -> str:
    """What tells several runtimes of a runner apart, in one run and in the next: the name that a
    user gave, else the first number of the version.
    """
    return runtime.label or runtime.version.partition(".")[0]
