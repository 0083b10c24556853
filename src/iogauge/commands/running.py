"""`iogauge run`, here or on the hosts of a fleet."""

from __future__ import annotations

from iogauge.commands import arguments as arg
from iogauge.commands import measuring
from iogauge.model.errors import UserError


def run(given: arg.Run) -> int:
    if given.on is not None:
        from iogauge.commands import fleet

        return fleet.run(given)
    for name in ("hosts", "at_a_time", "patience", "certs"):
        if getattr(given, name) is not None:
            option = given.fields[name].option
            raise UserError(f"{option} is for a fleet: give --on, or leave it out")
    if given.directories and len(given.directories) > 1:
        raise UserError("--dir: several are for the hosts of a fleet: give --on, or one of them")
    return measuring.run(given)
