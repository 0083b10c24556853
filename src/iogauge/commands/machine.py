"""Commands about what is here: studies, strategies, runtimes, the machine, and files of iogauge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from rich.text import Text

from iogauge.commands import arguments as arg
from iogauge.commands import calibrating
from iogauge.commands.exits import DONE, NO
from iogauge.commands.options import chosen_runtimes, must_not_be_told, own_more
from iogauge.commands.output import WIDTH, console, indented, print_json, print_rows, say
from iogauge.commands.plans import planned_everywhere
from iogauge.corpus import store
from iogauge.fleet import place
from iogauge.host import alone, description, device, memory, pagecache, provable
from iogauge.host.device import has_counters
from iogauge.host.memory import FirstTouch
from iogauge.measuring import constants, session
from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.model.strategy import Runtime, Strategy
from iogauge.model.text import shell_word, visible
from iogauge.model.units import cores_of, counted, rate, short_size, size
from iogauge.model.watched import Watched
from iogauge.model.workload import Durability
from iogauge.outputs import skipped
from iogauge.planning.options import Options
from iogauge.runners import building, revisions
from iogauge.runners.finding import Choices
from iogauge.runners.manifest import Runner
from iogauge.runners.runtimes import Runtimes
from iogauge.study import loading


def list_(given: arg.List) -> int:
    as_json = given.as_json
    match given.what:
        case "studies":
            studies = list(loading.built_in())
            if as_json:
                print_json([{"id": each.id, "title": each.title} for each in studies])
                return DONE
            # Questions first, then what others published.
            for published, heading in ((False, "Questions"), (True, "Published, tested again")):
                console().print(Text("\n" * published + heading, style="bold"))
                found = [each for each in studies if bool(each.source) == published]
                print_rows((each.id, each.title) for each in found)
        case "strategies":
            here = Runtimes(chosen_runtimes(given.runtime), say)
            here.need_any()
            if as_json:
                print_json([_declared(each) for each in here.runtimes])
            else:
                _print_strategies(here.runtimes)
            for each in here.missing:
                say(each.why)
        case "runtimes":
            listed = _runtimes(chosen_runtimes(given.runtime))
            if as_json:
                print_json([asdict(each) for each in listed])
            else:
                print_rows((each.name, _about(each)) for each in listed)
        case "watches":
            _list_watches(as_json=as_json)
        case what:
            raise UserError(
                f"list {what}: unknown; allowed: studies, strategies, runtimes, watches"
            )
    return DONE


def _list_watches(*, as_json: bool) -> None:
    """The records of watches, the newest first."""
    from iogauge.outputs import watch_words
    from iogauge.watching import watches

    found, torn = list[tuple[Path, Watched]](), list[str]()
    for path in folders.watches_by_age():
        try:
            found.append((path, watches.read(path)))
        except UserError as error:
            torn.append(str(error))
    if as_json:
        print_json([_watch_in_short(path, each) for path, each in found])
    else:
        for path, each in found:
            console().print(Text(visible(path.name)))
            about = watch_words.shortened(watch_words.in_short(each), WIDTH - 2)
            console().print(indented(Text(about, style="dim")))
        if not found and not torn:
            say("nothing was watched yet: iogauge watch -- COMMAND")
    for why in torn:
        say(why)


def _watch_in_short(path: Path, watched: Watched) -> dict[str, Any]:
    first = watched.findings[0] if watched.findings else None
    return {
        "record": path.name,
        "name": watched.name,
        "started": watched.started,
        "seconds": watched.wall,
        "findings": len(watched.findings),
        "first": first and first.model_dump(include={"kind", "file", "saves", "at_least"}),
    }


def _print_strategies(runtimes: list[Runtime]) -> None:
    """By what they do: as their users call them, and what a study calls them."""
    several = len({each.runner for each in runtimes}) < len(runtimes)
    sections: dict[str, list[tuple[str, str]]] = {}
    for each in runtimes:
        for name, found in each.strategies.items():
            parameters = " ".join(
                f"{key}={short_size(limits.default)}" for key, limits in found.parameters.items()
            )
            label = f"{name} @{each.name}" if several else name
            note = f"unavailable: {found.unavailable}" if found.unavailable else parameters
            handled = ", ".join(found.handling)
            row = found.known_as, "; ".join(filter(None, [f"{label} {note}".strip(), handled]))
            sections.setdefault(_kind(found), []).append(row)
    for number, kind in enumerate(sorted(sections)):
        console().print(Text(("\n" if number else "") + kind, style="bold"))
        print_rows(sections[kind])


def _kind(strategy: Strategy) -> str:
    match strategy.role, strategy.medium, strategy.access:
        case (("compute_only" | "null"), _, _):
            return "no contestants: compute-only variants of other strategies, and no operation"
        case "ceiling", _, _:
            return "ceilings: what the machine can do, measured with every group that they fit"
        case "published", _, _:
            return "published: with a flaw of a publication inside the operation"
        case _, "memory", _:
            return f"{strategy.operation} in memory"
        case _, _, "random":
            return f"{strategy.operation} a file at random offsets"
    return f"{strategy.operation} a file"


@dataclass(frozen=True)
class _Listed:
    """A runtime that is here. `used` says whether a run would take it without --runtime; the title
    of others, and of one whose runner is not built yet, is not known.
    """

    name: str
    runner: str
    version: str
    title: str | None
    executable: str
    home: str | None
    used: bool


def _declared(runtime: Runtime) -> dict[str, Any]:
    """A runtime with the declarations of its strategies."""
    return {
        "runtime": runtime.name,
        "version": runtime.version,
        "strategies": [each.model_dump() for each in runtime.strategies.values()],
    }


def _about(listed: _Listed) -> str:
    if not listed.used:
        path = listed.home or listed.executable
        return f"also found: --runtime {shell_word(f'{listed.runner}={path}')}"
    if listed.title is None:
        return f"{listed.executable}; its runner is built when a run needs it"
    return f"{listed.title}, {listed.executable}"


def _runtimes(chosen: Choices) -> list[_Listed]:
    """Every runtime found, not only those that a run would use. Builds nothing."""
    here = Runtimes(chosen, say)
    for absent in here.missing:
        say(absent.why)
    ready = {each.runtime.name for each in here.ready}
    executables = here.executables
    found: dict[str, _Listed] = {}
    for each in here.runtimes:
        title, executable = each.title if each.name in ready else None, executables[each.name]
        found[each.name] = _Listed(
            each.name, each.runner, each.version, title, executable, None, used=True
        )
    for runner, other in here.others:
        name, executable = other.name(runner), str(other.executable)
        named = (other.home / runner.file.runtime.executable).exists()  # clang has no bin/gcc
        home = str(other.home) if named else None
        listed = _Listed(name, runner.name, other.version, None, executable, home, used=False)
        found.setdefault(name, listed)
    return sorted(found.values(), key=lambda each: each.runner)


def check(given: arg.Check) -> int:
    what, chosen = given.what, chosen_runtimes(given.runtime)
    is_runner = what.is_dir() and (what / "runner.toml").exists()
    if is_runner or what.suffix == ".toml":
        must_not_be_told(given, "is for your own code; leave it out")
    if is_runner:
        return check_runner(what, chosen)
    if what.suffix != ".toml" and (what.exists() or str(what).startswith(revisions.BEGINS)):
        from iogauge.runners import own

        return _check_own(own.runners([str(what)], more=own_more(given)), chosen)
    if chosen:
        raise UserError("--runtime is for the folder of a runner; leave it out")
    loaded = loading.load(str(what)) if what.suffix == ".toml" else None
    if loaded is None:
        raise UserError(
            f"{what}: neither a study (a file that ends in .toml) nor the folder of a runner, nor "
            "code of yours (docs/your-code.md); give one of them"
        )
    from iogauge.claims import checking

    made = [
        planned_everywhere(loaded, str(what), Options(protocol=each)) for each in loaded.protocols
    ]
    checking.check(loaded, str(what), checking.planned(made))
    shown = visible(str(what))
    for each in made:
        print(
            f"{shown}: ok: {each.protocol}: {len(each.groups)} groups, "
            f"{len(each.cases)} cases, {len(each.forks)} forks"
        )
        for line in skipped.lines(each.skipped, together=False):
            print(line.replace("not measured:", "not measured here:", 1))
    if loaded.published or loaded.claim:
        numbers = sum(len(each.values) for each in loaded.published)
        print(f"{shown}: ok: {numbers} published numbers, {len(loaded.claim)} claims")
    return DONE


def _check_own(runners: Sequence[Runner], chosen: Choices) -> int:
    """Whether the user's code keeps the contract: its strategies alone are looked at."""
    from iogauge.runners import conformance, own

    here = session.found_here(chosen, say, runners)
    status = DONE
    for each in here.ready:
        names = {strategy.name for strategy in own.strategies([each.runtime])}
        kept = {
            name: strategy
            for name, strategy in each.runtime.strategies.items()
            if {name, strategy.instead_of} & names or strategy.role == "null"
        }
        only = replace(each, runtime=each.runtime.model_copy(update={"strategies": kept}))
        results = list(conformance.suite(only))
        for why in own.left_out([each.runtime], runners):
            say(f"not measured: {why}")
        status = max(status, _told(each.runtime.name, results))
    return status


def check_runner(folder: Path, chosen: Choices) -> int:
    from iogauge.runners import catalogue, changes, conformance, manifest, preparing

    runner = manifest.load(folder)
    known = changes.load(folder) if (folder / changes.NAME).exists() else None
    ready, missing = preparing.prepare(chosen, say, [runner])
    if missing:
        raise UserError(missing[0].why)
    failures = 0
    for each in ready:
        failures += _told(each.runtime.name, list(conformance.suite(each)))
        if wrong := catalogue.problem(runner, each.runtime):
            print(wrong)
            failures += 1
        for wrong in changes.problems(known, each.runtime.strategies) if known else ():
            print(wrong)
            failures += 1
    return NO if failures else DONE


def _told(name: str, results: Sequence[tuple[str, str | None]]) -> int:
    """Tell which checks failed; whether any did."""
    failed = [(check, problem) for check, problem in results if problem]
    for check, problem in failed:
        print(f"{name}: {check}: {problem}")
    print(f"{name}: {len(results) - len(failed)} of {len(results)} checks passed")
    return NO if failed else DONE


def doctor(given: arg.Doctor) -> int:
    folder = session.data_folder(given.directory)
    facts, touch, runtimes = description.facts(folder), memory.first_touch(), _runtimes({})
    known = constants.known(folder)
    # What is possible has null as its reason why not.
    found: dict[str, Any] = {
        "folder": str(folder),
        "host": facts,
        "page_cache": _page_cache(folder),
        "why_not_durable": {kind: device.why_not_durable(kind, folder) for kind in _DURABLE},
        "device_writes_counted": has_counters(folder),
        "first_touch": None if touch is None else {**asdict(touch), "matters": touch.matters},
        "runtimes": [asdict(each) for each in runtimes],
        "data_files": store.held(folder),
        "revisions": _revisions(),
        "watches": {"folder": str(folders.watches()), "records": len(folders.watches_by_age())},
        "history_index": folders.kept_of_history(),
        "fleet": dict(zip(("runs", "bytes"), place.held(), strict=True)),
        "file_numbers": known and {"measured": known.measured, "count": len(known.calls)},
        "disturbances": list(description.disturbances(facts)),
    }
    if given.as_json:
        print_json(found)
        return DONE
    cache = found["page_cache"]
    durable = {
        kind: f"not possible: {reason}" if reason else "possible: a device wrote, just now"
        for kind, reason in found["why_not_durable"].items()
    }
    sections = {
        "machine": _machine(facts, folder) | {"file numbers": calibrating.kept(known)},
        "page cache": {"observing": cache["observer"], "cold": _cold(cache["why_not_cold"])},
        "durable writes": durable | {"device writes": _COUNTED[found["device_writes_counted"]]},
        "memory at first touch": _first_touch(touch),
        "runtimes": {each.name: _about(each) for each in runtimes},
        "kept": {
            "data files": size(found["data_files"]) if found["data_files"] else "none",
            "states of code": _states(found["revisions"]),
            "watches": _kept(found["watches"]),
            "runs of fleets": _of_fleets(found["fleet"]),
            "index of runs": size(found["history_index"]) if found["history_index"] else "none",
        },
    }
    for title, rows in sections.items():
        console().print(Text(f"{'' if title == 'machine' else chr(10)}{title}", style="bold"))
        print_rows(rows.items())
    console().print(Text("\nwhat disturbs here", style="bold"))
    for text in found["disturbances"] or ["nothing that can be seen from here"]:
        console().print(indented(Text(text)))
    return DONE


def _revisions() -> dict[str, Any]:
    """The copies of the user's code as it is in commits."""
    copies, taken = revisions.held()
    return {"folder": str(revisions.folder()), "copies": copies, "bytes": taken}


def _states(kept: dict[str, Any]) -> str:
    number, folder = kept["copies"], visible(kept["folder"])
    return f"{counted(number, 'state')}, {size(kept['bytes'])}, in {folder}" if number else "none"


def _of_fleets(kept: dict[str, Any]) -> str:
    return f"{counted(kept['runs'], 'run')}, {size(kept['bytes'])}" if kept["runs"] else "none"


def _kept(watches: dict[str, Any]) -> str:
    number, folder = watches["records"], visible(watches["folder"])
    return f"{counted(number, 'record')} in {folder}" if number else "no record of a watch"


_DURABLE: tuple[Durability, ...] = ("fsync", "sync-inode", "sync-mount")
_COUNTED = {
    True: "counted before and after each sample",
    False: "not known: no block device below this directory counts them",
}


def _machine(facts: dict[str, Any], folder: Path) -> dict[str, str]:
    available, whole = size(facts["memory_available_bytes"]), size(facts["memory_bytes"])
    limit = facts["memory_limit_bytes"]
    if limit:
        whole = f"{size(limit)}, the limit of a control group (the machine has {whole})"
    huge = facts["transparent_huge_pages"] or "unknown"
    ahead = facts["read_ahead_bytes"]
    return {
        "processor": f"{facts['processor'] or facts['machine']}, {cores_of(facts)}",
        "memory": f"{available} available of {whole}",
        "kernel": f"{facts['system']} {facts['kernel']}, huge pages {huge}",
        "data directory": f"{folder} ({facts['file_system'] or 'file system unknown'}, "
        f"read-ahead {size(ahead) if ahead else 'unknown'})",
    }


def _page_cache(folder: Path) -> dict[str, str | None]:
    unseen = provable.why_not_observed_in(folder)
    observer = f"not possible: {unseen}" if unseen else pagecache.observer(folder)
    return {"observer": observer, "why_not_cold": provable.why_not_cold_in(folder)}


def _cold(why_not: str | None) -> str:
    if why_not:
        return f"not possible: {why_not}"
    if provable.reads_are_counted():
        return "a file was evicted and read from the device, just now"
    return "a file was evicted, just now; whether a read came from the device is not seen"


def _first_touch(touch: FirstTouch | None) -> dict[str, str]:
    if touch is None:
        return {"untouched": "could not be measured"}
    if touch.matters:
        verdict = "memory is touched before cold reads and writes"
    else:
        verdict = "no counter-measure needed"
    return {"untouched": rate(touch.untouched), "just used": rate(touch.used), "so": verdict}


def clean(given: arg.Clean) -> int:
    if given.directory is None and (run := place.measured()):
        raise UserError(
            f"{run} is measured here; wait until it is over, or end it: iogauge fleet stop {run}"
        )
    freed = store.clean(session.data_folder(given.directory))
    if given.directory is None:
        freed += building.remove_builds() + sum(map(folders.remove, folders.MADE_AGAIN))
        freed += revisions.remove()
        freed += folders.remove_folder(folders.two_ways())
        freed += constants.remove() + folders.remove_index() + place.clean()
        alone.clean()
    print(f"{size(freed)} freed")
    return DONE
