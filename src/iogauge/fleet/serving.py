"""The two servers of a fleet: a scheduler, and a worker on each host.

They are Dask's own, with what disturbs measurements switched off. A worker ends when it has lost
its scheduler; what started it (a unit of systemd, a loop) starts it again.
"""

from __future__ import annotations

import asyncio
import logging
import re
import socket
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from iogauge.fleet.certificates import Role, security
from iogauge.fleet.here import Here
from iogauge.host import detached
from iogauge.host.processes import allow_many_files
from iogauge.model import folders
from iogauge.model.errors import UserError, cause

if TYPE_CHECKING:
    from distributed import Worker
    from distributed.security import Security

_SECONDS = 60  # until a worker without a scheduler gives up
_FIRST = 15  # seconds until the first answer of a scheduler
_NEVER = "24h"
_IN_THE_OPEN = "cannot convert to SSL", "WRONG_VERSION_NUMBER"
"""What TLS says of a scheduler without it."""
_NOT_ENCRYPTED = (
    "what is there does not encrypt; a scheduler of this machine alone is at tcp://, any other one "
    "is started with iogauge fleet scheduler --host ADDRESS"
)
_NO_DASHBOARD = "127.0.0.1:0"
"""Dask listens for a browser, come what may: only here, and with nothing to show."""
_QUIET: dict[str, object] = {
    # No second look at a task: each is one plan on one host.
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.allowed-failures": 1_000_000,  # workers may come and go
    "distributed.scheduler.worker-ttl": None,
    # Nobody is told anything without a certificate.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    # A worker does nothing while a sample runs.
    "distributed.worker.profile.enabled": False,
    "distributed.worker.profile.interval": _NEVER,
    "distributed.worker.profile.cycle": _NEVER,
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.worker.memory.monitor-interval": _NEVER,
    "distributed.admin.tick.interval": "2s",
    "distributed.admin.tick.cycle": "1h",
    "distributed.admin.system-monitor.interval": "60s",
    "distributed.admin.system-monitor.disk": False,
    "distributed.admin.system-monitor.host-cpu": False,
    "distributed.admin.system-monitor.gil.enabled": False,
}


def configure() -> None:
    """Set all that Dask is told in its configuration; its log says errors only."""
    import dask
    import distributed  # which sets up its log when it is imported

    del distributed
    dask.config.set(_QUIET)
    logging.getLogger("distributed").setLevel(logging.ERROR)
    for each in ("client", "worker"):  # whatever ends them we tell in a line of our own
        logging.getLogger(f"distributed.{each}").setLevel(logging.CRITICAL)


def why(error: Exception) -> str:
    """Why there is no connection, in a line. Some errors of Dask have no words, or only their cause
    has.
    """
    words = str(error.__cause__ or "").strip() or str(error).strip() or "no answer in time"
    if taken := re.search(r"name taken, ([^']+)", words):
        return f"another worker is called {taken[1]}; give each host a name of its own"
    return re.sub(r"^(in <.*?>: )?(\w+: )?(\[Errno \d+\] )?", "", words.splitlines()[0]).rstrip(".")


def no_connection(address: str, error: Exception) -> UserError:
    words = why(error)
    if any(each in words for each in _IN_THE_OPEN):
        return UserError(f"{address}: no connection: {_NOT_ENCRYPTED}")
    look = "is the scheduler there?"
    if address.startswith("tls"):
        look = "is the scheduler there, and do the certificates come from one authority?"
    return UserError(f"{address}: no connection: {words}; {look}")


def must_answer(address: str, crypt: Security | None, role: Role, seconds: float) -> None:
    """Raises UserError where nobody who speaks Dask answers in time. A client would wait for a
    listener of another kind, and leave a traceback behind.
    """
    from distributed.comm import connect

    async def ask() -> None:
        arguments = crypt.get_connection_args(role) if crypt else {}
        comm = await asyncio.wait_for(connect(address, timeout=seconds, **arguments), seconds)
        await comm.close()

    try:
        asyncio.run(ask())
    except (OSError, TimeoutError, TypeError, ValueError, RuntimeError) as error:
        raise no_connection(address, error) from None


def resource(name: str) -> str:
    """The resource by which a plan is pinned to a host, whichever worker of it is there."""
    return f"iogauge-{name}"


def schedule(host: str, port: int, folder: Path | None, say: Callable[[str], None]) -> None:
    """Serve as the scheduler, until somebody ends it. Raises UserError where it cannot begin."""
    from distributed import Scheduler

    configure()
    allow_many_files()  # some three for each worker
    scheme = "tcp" if host in ("127.0.0.1", "localhost", "::1") else "tls"
    place = f"{scheme}://[{host}]" if ":" in host else f"{scheme}://{host}"
    address = f"{place}:{port}"
    crypt = security(address, "scheduler", folder)

    async def serve() -> None:
        async with _started(
            Scheduler(
                host=place,
                port=port,
                dashboard=False,
                dashboard_address=_NO_DASHBOARD,
                security=crypt,
            ),
            address,
            "end what has this port, or give another --port",
        ) as scheduler:
            say(f"the scheduler is at {scheduler.address}; Ctrl-C ends it")
            await _until_ended(scheduler)

    asyncio.run(serve())


def work(address: str, here: Here, folder: Path | None, say: Callable[[str], None]) -> None:
    """Serve as the worker of this host, until the scheduler is gone or somebody ends it. Raises
    UserError where it cannot begin.
    """
    configure()
    crypt = security(address, "worker", folder)
    must_answer(address, crypt, "worker", _FIRST)  # a worker that waits does not say why

    async def serve(scratch: str) -> None:
        made, again = worker(address, here, crypt, scratch), "start it again"
        async with _started(made, address, again) as started:
            say(f"{here.name} works for {address}; Ctrl-C ends it, and leaves what it measures")
            await _until_ended(started)

    # Dask keeps nothing there, and clears up after a worker that was killed.
    scratch = folders.cache() / folders.WORKERS / here.name
    try:
        scratch.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{cause(error)}; have the folder writable") from None
    asyncio.run(serve(str(scratch)))


def worker(address: str, here: Here, crypt: Security | None, scratch: str) -> Worker:
    """The worker of a host, not started yet. A process may have several, each of its own host."""
    from distributed import Worker

    return Worker(
        address,
        name=here.name,
        nthreads=1,
        resources={"host": 1, resource(here.name): 1},
        memory_limit=0,
        dashboard=False,
        dashboard_address=_NO_DASHBOARD,
        security=crypt,
        host=_own_address(address),
        local_directory=scratch,
        death_timeout=_SECONDS,
    )


class _started:
    """A server while it is entered. Raises UserError where it does not start."""

    def __init__(self, server: Any, address: str, next_step: str):
        self._server, self._address, self._next = server, address, next_step

    async def __aenter__(self) -> Any:
        try:
            return await self._server
        except (TimeoutError, OSError, RuntimeError) as error:
            words = why(error)
            next_step = "" if "; " in words else f"; {self._next}"
            raise UserError(f"{self._address}: {words}{next_step}") from None

    async def __aexit__(self, *why: object) -> None:
        await asyncio.wait_for(self._server.close(), _SECONDS)


async def _until_ended(server: Any) -> None:
    """Until the server ends, or somebody asks it to."""
    asked = asyncio.Event()
    detached.when_asked_to_end(asyncio.get_running_loop(), asked.set)
    ends: list[asyncio.Future[Any]] = [
        asyncio.ensure_future(server.finished()),
        asyncio.ensure_future(asked.wait()),
    ]
    await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)


def _own_address(scheduler: str) -> str:
    """The address of this host on its way to the scheduler. Nothing is sent to find it out."""
    parts = urlsplit(scheduler)
    try:
        family, kind, protocol, _, to = socket.getaddrinfo(
            parts.hostname, parts.port, type=socket.SOCK_DGRAM
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.connect(to)
            return str(probe.getsockname()[0])
    except OSError as error:
        raise UserError(f"{scheduler}: {error.strerror or error}; is the name right?") from None
