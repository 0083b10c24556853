"""Commands that set up a fleet: its certificates, and what starts its workers."""

from __future__ import annotations

from typing import get_args

from iogauge.commands import fleet
from iogauge.commands import fleet_arguments as fleet_arg
from iogauge.commands.exits import DONE
from iogauge.commands.fleet_prepare import must_be_an_address
from iogauge.commands.options import one_of
from iogauge.commands.output import say
from iogauge.fleet import certificates, units
from iogauge.fleet.units import Worker
from iogauge.host import named
from iogauge.model.errors import UserError


def certs(given: fleet_arg.Certs) -> int:
    if given.certs and str(given.certs) == ".":  # also what an empty word becomes
        raise UserError("--certs .: give the folder a name, as it gets the keys of a fleet")
    with fleet.needed():
        folder = given.certs or certificates.usual()
        paths = certificates.make(folder, given.names)
    for each in paths:
        print(each)
    say(
        "keep ca-key.pem to yourself: whoever has one of these keys can run code on every host. "
        "Hosts need " + ", ".join(certificates.needed("worker"))
    )
    return DONE


def unit(given: fleet_arg.Unit) -> int:
    kind = one_of("the kind", given.kind, get_args(units.Kind))
    must_be_an_address(given.on)
    labels = list(given.label or ())
    named.labels(labels, "--label")
    in_pod = kind == "kubernetes"
    quoted = units.quoting(kind)
    worker = Worker(
        given.program,
        given.on,
        named.checked(given.name, "--name") if given.name else None,
        labels,
        ["/data"] if in_pod and not given.directories else list(given.directories or ()),
        "/certificates" if in_pod else quoted(str(given.certs)) if given.certs else None,
    )
    if given.count < 1:
        raise UserError("--count: at least 1")
    if given.count > 1 and kind not in ("slurm", "kubernetes"):
        raise UserError(f"--count: for slurm and kubernetes; {kind} starts one worker")
    if given.count > 1 and given.name:
        raise UserError("--name: several hosts have names of their own; leave it out")
    print(units.text(kind, worker, count=given.count, image=given.image), end="")
    return DONE
