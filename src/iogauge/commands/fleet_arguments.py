"""The arguments and options of the commands of a fleet, as they are given."""

# Annotations stay objects here: Typer takes them as they are.

from pathlib import Path

from iogauge.commands.arguments import (
    CERTS,
    JSON,
    Arguments,
    Text,
    Texts,
    argument,
    flag,
    option,
)

CARRY_OUT = "fleet carry-out"
"""The command that a worker of a fleet starts."""
_ON = "--on tls://HOST:8786", "Address of the scheduler of the fleet."
_RUN = "RUN", "The id of a fleet run, or its folder."


class Scheduler(Arguments):
    """Serve as the scheduler of a fleet, until Ctrl-C. It listens on this machine only, without
    encryption, unless --host is an address that others reach: then only whoever has a certificate
    gets in.
    """

    host: str = option(
        "--host ADDRESS", "Address of this machine to listen on.", default="127.0.0.1"
    )
    port: int = option("--port NUMBER", "Port to listen on.", default=8786)
    certs: Path | None = option(*CERTS)


class Worker(Arguments):
    """Serve as the worker of this host, until Ctrl-C or until the scheduler is gone. What it
    measures goes on without it; `iogauge fleet unit` writes what starts it again.
    """

    address: str = argument("tls://HOST:8786", "Address of the scheduler.")
    name: Text = option(
        "--name NAME",
        "What to call this host: no other of the fleet has this name (default: its host name).",
    )
    label: Texts = option(
        "--label KEY=VALUE",
        "What results may go with, e.g. disk=nvme or instance=m7i.large; repeat for several. It "
        "becomes a part of the facts in run files.",
    )
    directories: Texts = option(
        "--dir PATH",
        "Folder where data files may go; repeat for several, the first one is used unless a run "
        "asks for another (default: your cache folder).",
    )
    turns: Path | None = option(
        "--turns FILE",
        "Take turns with all hosts that name the same file: they share a machine or a disk.",
    )
    certs: Path | None = option(*CERTS)


class Certs(Arguments):
    """Make the certificates of a fleet: an authority, and one certificate each for the scheduler,
    the workers and clients. Whoever has any of them can run code on every host.
    """

    names: list[str] = argument(
        "NAME...", "Names and addresses of the machine with the scheduler, e.g. 10.0.0.1."
    )
    certs: Path | None = option(*CERTS)


class Prepare(Arguments):
    """Print what each host needs, as commands: the wheel, its certificate, and a unit that starts
    its worker. With --ssh they are carried out, one host after another.
    """

    hosts: list[str] = argument(
        "NAME=[USER@]HOST...", "Hosts, by the names that they are to have in the fleet."
    )
    on: str = option("--on tls://HOST:8786", "Address of the scheduler of the fleet.", default="")
    ssh: bool = flag("--ssh", "Carry it out, through ssh.")
    unit: str = option(
        "--unit auto|systemd|loop",
        "What starts the worker, and starts it again: a user's unit of systemd, or a loop in the "
        "shell, which ends with the host; auto: a unit where systemd has those of users.",
        default="auto",
    )
    wheels: Path = option(
        "--wheels PATH",
        "Folder of wheels for hosts without a network; filled unless it has this version.",
        default=Path("iogauge-wheels"),
    )
    wheel: Path | None = option(
        "--wheel FILE.whl", "The wheel of iogauge (default: this version, from the registry)."
    )
    into: str = option("--into PATH", "Folder on the hosts.", default="iogauge-fleet")
    label: Texts = option("--label NAME:KEY=VALUE", "A label of a host; repeat for several.")
    directories: Texts = option("--dir NAME=PATH", "Where a host's data files go.")
    ssh_option: Texts = option(
        "--ssh-option WORD", "A word for ssh, e.g. -p2222; repeat for several."
    )
    python: str = option("--python NAME", "The Python of the hosts.", default="python3")
    certs: Path | None = option(*CERTS)


class Unit(Arguments):
    """Print what starts a worker, starts it again, and leaves what it measures alone: a unit of
    systemd, a script for Slurm, a manifest for Kubernetes, or a loop in the shell.
    """

    kind: str = argument(
        "systemd|slurm|kubernetes|loop",
        "What is to start the worker.",
        ("systemd", "slurm", "kubernetes", "loop"),
    )
    on: str = option("--on tls://HOST:8786", "Address of the scheduler of the fleet.", default="")
    name: Text = option("--name NAME", "What to call the host (default: its host name).")
    label: Texts = option("--label KEY=VALUE", "A label of the host; repeat for several.")
    directories: Texts = option("--dir PATH", "Folder where data files may go.")
    program: str = option("--program PATH", "How iogauge is started there.", default="iogauge")
    image: str = option(
        "--image IMAGE", "For kubernetes: an image that has iogauge.", default="iogauge:latest"
    )
    count: int = option("--count NUMBER", "For slurm and kubernetes: how many hosts.", default=1)
    certs: Path | None = option(*CERTS)


class Hosts(Arguments):
    """List the hosts of a fleet whose workers are there."""

    on: str = option(*_ON, default="")
    certs: Path | None = option(*CERTS)
    as_json: bool = flag(*JSON)


class Collect(Arguments):
    """Fetch what hosts measured of a fleet run, as far as it is there, and say how each stands."""

    run: Path = argument(*_RUN)
    on: str = option(*_ON, default="")
    out: Path | None = option(
        "--out -o PATH", "Folder to write into (default: that of the run, in your folder of runs)."
    )
    certs: Path | None = option(*CERTS)


class Stop(Arguments):
    """End a fleet run on its hosts. They keep what they measured, and `iogauge run --resume RUN
    --on` goes on with it.
    """

    run: Path = argument(*_RUN)
    on: str = option(*_ON, default="")
    hosts: Texts = option("--hosts NAME,NAME", "Only these hosts (default: all).")
    certs: Path | None = option(*CERTS)


class CarryOut(Arguments):
    """Carry out a plan that a worker was given. Workers start it; it is not for people."""

    folder: Path = argument("FOLDER", "The folder of the plan.")
