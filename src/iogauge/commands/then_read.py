"""What a way to write leaves to whoever reads the file next: a line from stored runs, and a study
that measures it (`advise --operation write --then read`).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from iogauge.advice import mapping, studies
from iogauge.advice.choice import Advice
from iogauge.advice.wanted import Wanted
from iogauge.analysis import report
from iogauge.commands import arguments as arg
from iogauge.commands import caching, options
from iogauge.commands.exits import INTERRUPTED
from iogauge.commands.measuring import measured
from iogauge.commands.options import one_of
from iogauge.commands.output import print_run_file, say, status_of
from iogauge.host import capacity
from iogauge.measuring import session
from iogauge.model.errors import UserError
from iogauge.outputs import spans, states
from iogauge.planning.options import Options
from iogauge.runners.runtimes import Runtimes
from iogauge.study.schema import Study

_SECONDS = 20.0


def check(given: arg.Advise) -> None:
    """Raises UserError where --then does not fit the other options."""
    if one_of("--then", given.then, ("read",)) is None:
        return
    if given.operation != "write":
        raise UserError("--then read: what is written is read then; give --operation write")
    if not given.language:
        raise UserError("--then read: in which language? name one --language")
    if given.as_json or given.runs:
        instead = "leave out --json" if given.as_json else "leave out the run files"
        raise UserError(f"--then read measures, and prints what it finds; {instead}")


def left_behind(found: Iterable[Advice], folder: Path) -> list[str]:
    """A line on what the advised way leaves to a reader that maps the file, where a stored run on
    such a file system tells.
    """
    for each in found:
        seen = each.choice.evidence
        call = seen.bytes_per_write_call if seen else None
        if not call or mapping.kind_of(round(call)) == "middle":
            continue
        language = each.choice.case.language
        if told := caching.from_stored(folder, [language], round(call)):
            return [states.left_behind(round(call), *told)]
    return []


def measure(given: arg.Advise, wanted: Wanted, here: Runtimes, folder: Path) -> int:
    """Read a file that was written in large pieces, and in small ones, by a mapping and by plain
    calls; say what that makes of the time. The exit status. Raises UserError where the language has
    not both ways.
    """
    seconds = options.parsed("--budget", options.budget_of, given.budget) or _SECONDS
    chosen = Options(seed=session.random_seed())
    make = partial(study, wanted, here, seconds)
    prepared = session.planned(make, "then-read", here, chosen, folder)
    languages = [wanted.language] if wanted.language else []
    if not prepared.plan.spans:
        alike = [each.alike for each in prepared.plan.skipped if each.alike]
        why = alike or [each.why for each in prepared.plan.skipped]
        print(f"\n{states.one_for_readers(why[0], alike=bool(alike))}")
        return status_of(prepared, languages)
    say(
        "\nNow it is read through a mapping and by read calls: once written in large pieces, once "
        "in small ones."
    )
    kept = {"advise": [*wanted.options, "--then", "read"]}
    run, path, reason = measured(prepared, folder, kept)
    for span in report.make(run).spans:
        print("\n" + "\n".join(spans.of_reader(span)))
    print_run_file(path)
    return INTERRUPTED if reason == "interrupted" else status_of(prepared, languages)


def study(wanted: Wanted, here: Runtimes, seconds: float) -> Study:
    """The study of who reads next. Raises UserError."""
    memory = capacity.available_memory()
    found = studies.read_after(wanted, here.runtimes, memory, seconds)
    if found is None:
        absent = next((each.why for each in here.missing if wanted.language in each.languages), "")
        why = absent or "a mapping or plain read calls are missing here"
        raise UserError(f"--then read, --language {wanted.language}: {why}")
    return found
