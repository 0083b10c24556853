"""`iogauge calibrate`: what calls for files cost on this machine."""

from __future__ import annotations

import datetime
from collections.abc import Callable

from iogauge.commands import arguments as arg
from iogauge.commands.exits import DONE, SOMETHING_FAILED
from iogauge.commands.options import budget_of, parsed
from iogauge.commands.output import print_json, say, write_out
from iogauge.measuring import constants, session
from iogauge.model.errors import UserError
from iogauge.model.units import ago, chosen_duration
from iogauge.model.watched import Constants
from iogauge.outputs import file_numbers


def calibrate(given: arg.Calibrate) -> int:
    """Show the numbers that are known and still hold, or measure them."""
    budget = _budget(given.budget)
    if given.out and given.out.suffix != ".svg":
        raise UserError(f"--out {given.out}: allowed: a name that ends in .svg")
    folder = session.data_folder(given.directory)
    found = None if given.fresh else constants.known(folder)
    if found is None:
        found = constants.measure(folder, budget=budget, say=say, show=_begun(budget))
    if given.as_json:
        print_json(found.model_dump(mode="json"))
    else:
        print(file_numbers.render(found, age_of(found)))
    if given.out:
        from iogauge.outputs.html import roofline

        write_out(given.out, roofline.svg(found).encode())
        say(f"{given.out}: bytes per second by the size of a call")
    return DONE if found.calls else SOMETHING_FAILED


def _begun(budget: float) -> Callable[[int], None]:
    """Says once, at the begin, what goes on; nothing is written while something is measured."""

    def show(rounds: int) -> None:
        if not rounds:
            about = chosen_duration(budget)
            say(f"measuring for about {about}, less on a quiet machine; other work disturbs it")

    return show


def age_of(found: Constants) -> str:
    """How long ago it was measured: `just now`, `3 h ago`."""
    then = datetime.datetime.fromisoformat(found.measured)
    seconds = (datetime.datetime.now(datetime.UTC) - then).total_seconds()
    return "just now" if seconds < 60 else ago(seconds)


def kept(found: Constants | None) -> str:
    """What `doctor` says of what is known."""
    if found is None:
        return "none that hold now: iogauge calibrate measures them, in 20 s"
    return f"{len(found.calls)}, measured {age_of(found)}: iogauge calibrate shows them"


def _budget(given: str | None) -> float:
    budget = parsed("--budget", budget_of, given) or constants.BUDGET
    if budget > constants.LONGEST:
        longest = chosen_duration(constants.LONGEST)
        raise UserError(f"--budget {given}: more than it ever takes; give at most {longest}")
    return budget
