"""Two versions against each other, and the exit status that says whether the new one is slower."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from iogauge.commands import arguments as arg
from iogauge.commands.exits import DONE, INTERRUPTED, NO, SOMETHING_FAILED, UNDECIDED
from iogauge.commands.options import one_of, parsed
from iogauge.commands.output import console, program, say, write_out
from iogauge.model.errors import BuildFailed, UserError
from iogauge.model.plan import Versions
from iogauge.model.strategy import Runtime, Strategy
from iogauge.model.text import shell_path
from iogauge.model.units import parse_slowdown
from iogauge.runners.finding import Choices

if TYPE_CHECKING:
    from iogauge.measuring.first_calls import FirstCall
    from iogauge.outputs.differences import Difference, Differences
    from iogauge.outputs.document import Document

Gated = arg.Run | arg.FileAnswer | arg.Command | arg.Compare
_UNDECIDED = ("pass", "fail")
_SERVICES = ("github",)
SECONDS, BUDGET = 50.0, "50s"
"""The usual budget of a gate for one file."""
_TWO = "--max-slowdown: two versions are compared, old and new"


@dataclass(frozen=True)
class Gate:
    """What the command line asks of two versions, in so many `runs`. `undecided` is the exit
    status of what stays open. The table of differences is written to `markdown` too, and told to
    `annotate`, a service.
    """

    max_slowdown: float | None = None
    undecided: int = UNDECIDED
    markdown: Path | None = None
    annotate: str | None = None
    runs: int = 1


def asked(given: Gated, resume: Path | None = None) -> Gate:
    """The options of a gate; where a run is resumed, its plan says what was allowed. Raises
    UserError.
    """
    allowed = parsed("--max-slowdown", parse_slowdown, given.max_slowdown)
    open_ = one_of("--undecided", given.undecided, _UNDECIDED)
    if allowed is None and open_ and not resume:
        raise UserError("--undecided is for a gate: give --max-slowdown, or leave it out")
    if given.markdown and given.markdown.is_dir():
        raise UserError(f"--markdown {given.markdown}: is a folder; name a file")
    if given.markdown and not given.markdown.parent.is_dir():
        raise UserError(f"--markdown {given.markdown}: {given.markdown.parent} is not a folder")
    status = {"pass": DONE, "fail": NO, None: UNDECIDED}[open_]
    service = one_of("--annotate", given.annotate, _SERVICES)
    return Gate(allowed, status, given.markdown, service)


def words(gate: Gate) -> list[str]:
    """The options with which a run is resumed as it was begun; its plan has what is allowed."""
    found = {NO: ["--undecided", "fail"], DONE: ["--undecided", "pass"]}.get(gate.undecided, [])
    found += ["--markdown", shell_path(gate.markdown)] if gate.markdown else []
    return found + (["--annotate", gate.annotate] if gate.annotate else [])


def must_have_two(gate: Gate, own: Sequence[str], chosen: Choices) -> None:
    """Raises UserError for a gate without exactly two versions."""
    if gate.max_slowdown is None:
        return
    labels = list(dict.fromkeys(own))
    if own and (len(labels) != 2 or not all(labels)):
        raise UserError(f"{_TWO}: write --own old=… --own new=…")
    if not own and {2} != {len(each) for each in chosen.values() if len(each) > 1}:
        raise UserError(
            f"{_TWO}: write --runtime RUNNER:old=… --runtime RUNNER:new=…, or --own old=… --own "
            "new=…"
        )


def versions(
    gate: Gate, own: Sequence[str], chosen: Choices, runtimes: Iterable[Runtime]
) -> Versions | None:
    """The two versions, the first one named being the old one: of the user's code, by the labels of
    `own`, where that is asked; else of the runtimes that were chosen. None where there are none.
    Raises UserError for a gate whose runners have other names.
    """
    must_have_two(gate, own, chosen)
    if own:
        return None if gate.max_slowdown is None else _versions(dict.fromkeys(own), gate)
    known, found = list(runtimes), dict[tuple[str, ...], None]()
    for runner, choices in chosen.items():
        labels = [each.label for each in choices]
        if len(choices) == 2 and (any(labels) or gate.max_slowdown is not None):
            here = [each for each in known if each.runner == runner]
            others = [each.name for each in here if each.label not in filter(None, labels)]
            found[tuple(label or others.pop(0) for label in labels)] = None
    if len(found) == 1:
        return _versions(next(iter(found)), gate)
    if found and gate.max_slowdown is not None:
        raise UserError(f"{_TWO}: give the runtimes of each runner the same two names")
    return None


def of_commands(
    gate: Gate, names: Sequence[str], strategies: Sequence[Strategy]
) -> Versions | None:
    """Of two commands: the names that the user gave them, or `old` and `new`. None where it is not
    asked whether the second one is slower.
    """
    if gate.max_slowdown is None:
        return None
    if len(strategies) != 2:
        raise UserError(f"{_TWO}: give two commands")
    return _versions([*names, "old", "new"][:2] if len(names) == 2 else ("old", "new"), gate)


def _versions(names: Iterable[str], gate: Gate) -> Versions:
    old, new = names
    return Versions(old=old, new=new, max_slowdown=gate.max_slowdown, runs=gate.runs)


def finish(found: Differences | None, gate: Gate, others: int) -> int:
    """Write the table of differences where it was asked for; the exit status. `others` is that of
    the run itself, without what the table tells.
    """
    if found is None:
        return others
    if gate.markdown or gate.annotate:
        from iogauge.outputs import differences

        if gate.markdown:
            write_out(gate.markdown, (differences.markdown(found) + "\n").encode())
            say(f"{gate.markdown}: the table, as Markdown")
        if gate.annotate:
            print("\n".join(differences.github(found)), flush=True)
    if found.gate is None:
        return others
    told = {"slower": NO, "failed": SOMETHING_FAILED, "undecided": gate.undecided}
    status = worst([others, told.get(found.gate, DONE)])
    say(f"exit status {status}")
    return status


def failures(document: Document) -> int:
    """How many cases failed; none where two versions are gated, whose table tells that."""
    found = of_document(document)
    return 0 if found and found.gate else document.report.failures


def worst(statuses: Iterable[int]) -> int:
    """That of several: interrupted, else the first of slower, failed, undecided and done."""
    found = set(statuses)
    order = INTERRUPTED, NO, SOMETHING_FAILED, UNDECIDED
    return next((each for each in order if each in found), DONE)


def must_be_own(gate: Gate, given: arg.FileAnswer) -> None:
    """Raises UserError for a gate of a file without code of the user's."""
    if gate.max_slowdown is not None and not given.own:
        raise UserError(
            "--max-slowdown: give your code in two versions, --own old=… --own new=…; two runtimes "
            f"are compared by {program()} run"
        )


def failed_calls(
    calls: Iterable[FirstCall], versions: Versions | None
) -> tuple[list[Difference], bool]:
    """The functions of which a version fails at its first call, so that it is not measured; and
    whether these are all. None where two versions are not the question.
    """
    from iogauge.decision.versions import kind_with_failures
    from iogauge.outputs.differences import Difference

    if versions is None:
        return [], False
    sides: dict[str, dict[str, FirstCall]] = {versions.old: {}, versions.new: {}}
    for each in calls:
        sides.get(each.runtime.label, {})[each.function] = each
    old, new = sides[versions.old], sides[versions.new]
    pairs = [(old[name], new[name]) for name in old if name in new]
    if len(old) == len(new) == 1:
        pairs = list(zip(old.values(), new.values(), strict=True))
    found = []
    for one, two in pairs:
        whys = list(dict.fromkeys(each.failure for each in (one, two) if each.failure))
        names = dict.fromkeys(each.strategy.known_as for each in (one, two))
        kind = kind_with_failures("undecided", old=bool(one.failure), new=bool(two.failure))
        if whys:
            found.append(Difference(" -> ".join(names), kind, failure="; in new: ".join(whys)))
    return found, bool(found) and len(found) == len(pairs)


def finish_unbuilt(error: BuildFailed, gate: Gate, own: Sequence[str]) -> int:
    """The exit status where code of the user's, as `own` names it, cannot be built. Raises the
    error, unless that is an answer: the old version can be built, and the new one cannot.
    """
    from iogauge.outputs.differences import Difference

    labels = [each.partition("=")[0] for each in own]
    if gate.max_slowdown is None or len(labels) != 2 or error.labels != (labels[1],):
        raise error
    broken = Difference("the code", "fails only in new", failure=str(error))
    return finish_broken([broken], gate, _versions(labels, gate))


def finish_broken(failed: Sequence[Difference], gate: Gate, versions: Versions | None) -> int:
    """The answer and the exit status where nothing could be measured."""
    from iogauge.outputs import differences
    from iogauge.outputs import versions as shown

    found = shown.with_failed(None, failed, versions)
    for line in differences.text(found) if found else ():
        console().print(line)
    return finish(found, gate, DONE)


def of_document(document: Document) -> Differences | None:
    """The differences of a run between two versions; None where these are not its question."""
    from iogauge.outputs import versions as shown

    return shown.of_report(document.report, document.unmeasured)
