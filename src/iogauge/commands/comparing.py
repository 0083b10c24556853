"""Separate runs against each other. It measures nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iogauge.commands import arguments as arg
from iogauge.commands import gating, looking
from iogauge.commands.exits import DONE
from iogauge.commands.gating import Gate
from iogauge.commands.output import console, print_json, say
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.model.text import listed
from iogauge.runfile.reading import no_collector
from iogauge.runfile.run import Run

if TYPE_CHECKING:
    from iogauge.analysis.separate import Comparison
    from iogauge.outputs.differences import Differences


def compare(given: arg.Compare) -> int:
    """What differs, the table of differences, and the exit status."""
    gate = gating.asked(given)
    if given.as_json and gate.annotate:
        raise UserError("--annotate prints lines between those of --json; give one of both")
    if any(map(folders.fleet_run, given.runs)):
        return _over_hosts(given, gate)
    with no_collector():
        *bases, new = _read(given.runs)
        from iogauge.analysis import report, separate
        from iogauge.outputs import separate as shown

        measured = [separate.of_report(report.make(run)) for run in (*bases, new)]
        found = separate.compare(measured[:-1], measured[-1], gate.max_slowdown)
    if not found.ways:
        raise UserError(_why_nothing(found, given.runs))
    told = shown.of_comparison(found)
    return _tell(told, shown.as_json(found, told) if given.as_json else None, gate)


def _over_hosts(given: arg.Compare, gate: Gate) -> int:
    """Fleet runs against each other."""
    from iogauge.commands import over_hosts
    from iogauge.outputs import versions_over_hosts

    found = over_hosts.compared(given.runs, gate.max_slowdown)
    told = versions_over_hosts.of_versions(found)
    return _tell(told, versions_over_hosts.as_json(found, told) if given.as_json else None, gate)


def _tell(told: Differences, as_json: dict[str, Any] | None, gate: Gate) -> int:
    """Print the table, or JSON instead; the exit status."""
    from iogauge.outputs import differences

    if as_json is not None:
        print_json(as_json)
    else:
        for line in differences.text(told):
            console().print(line)
    return gating.finish(told, gate, DONE)


def _why_nothing(found: Comparison, paths: Sequence[Path]) -> str:
    """Why nothing can be compared, and what to do."""
    if found.few:
        return (
            f"{', '.join(map(str, paths[:-1]))}: fewer than {FEWEST_REPLICATES} repeats of each "
            "way that the new run has; measure the base for longer, with a larger --budget"
        )
    from iogauge.analysis.unlike_runs import OF_WAYS

    others = [each.fact for each in found.differs if each.fact in {"study", *OF_WAYS}]
    why = f" (other {listed(others)})" if others else ""
    return (
        f"{paths[-1]}: it shares no case with the runs of the base{why}; compare runs of one "
        "study, with the same sizes and conditions"
    )


def _read(paths: Sequence[Path]) -> list[Run]:
    """The runs, the new one last. Raises UserError where nothing can be compared."""
    if len(paths) < 2:
        raise UserError("RUN: name the runs of the base, three if there are, and the new one last")
    runs, seen = list[Run](), dict[tuple[str, str, str | None], Path]()
    for path in paths:
        run = looking.read(path)
        if not run.replicates:
            raise UserError(f"{path}: it has no complete repeat; measure it anew")
        earlier = seen.get(run.header.identity)
        if earlier and path is paths[-1]:
            raise UserError(f"{path}: the same run as {earlier}; name the new run last")
        if earlier:
            say(f"{path}: the same run as {earlier}; it counts once")
            continue
        seen[run.header.identity] = path
        runs.append(run)
    return runs
