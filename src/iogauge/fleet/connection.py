"""The client's side of a fleet: which hosts are there, plans to them, run files back."""

from __future__ import annotations

import queue
import re
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from iogauge.fleet import serving, worker_side
from iogauge.fleet.assignment import ANY_RUN, RUN, Assignment, Kept, Status, parse
from iogauge.fleet.certificates import security
from iogauge.fleet.place import sha256
from iogauge.fleet.worker_side import About
from iogauge.host import named
from iogauge.model.errors import UserError

_PINNED = re.compile(r"iogauge-(.+)")
_KEY = re.compile(rf"iogauge/({RUN})/")
_SECONDS = 10  # to connect
_OTHER = "its iogauge is of another version; install the same there"
_BROKEN = OSError, TimeoutError, RuntimeError
"""What Dask raises where somebody does not answer."""


class Lost(UserError):
    """The scheduler is gone."""

    def __init__(self) -> None:
        super().__init__(
            "the scheduler does not answer any more; hosts go on: try again when it is back"
        )


class Gone(UserError):
    """The worker of a host is gone, in the middle of an answer; another one may come."""


class Host(NamedTuple):
    """A host whose worker is there, and the worker's address."""

    name: str
    address: str


class Sent:
    """An assignment that a worker has, or will get as soon as one is free."""

    def __init__(self, future: Any, host: str):
        self._future, self._host = future, host

    @property
    def has_ended(self) -> bool:
        """Whether something is known of it. Nobody is asked."""
        return bool(self._future.status != "pending")

    @property
    def has_failed(self) -> bool:
        """Whether it must be sent anew, as its worker died again and again."""
        return bool(self._future.status == "error")

    @property
    def is_forgotten(self) -> bool:
        """Whether it must be sent anew, as the connection was lost meanwhile: Dask makes another
        by itself, and forgets what was asked before.
        """
        return self._future.status in ("lost", "cancelled")

    @property
    def why(self) -> str:
        """Why it is lost, as far as Dask knows."""
        try:
            return serving.why(self._future.exception(timeout=_SECONDS))
        except (*_BROKEN, CancelledError) as error:
            return serving.why(error)

    def status(self) -> Status | None:
        """What the host said at its end; None before, and where that did not arrive."""
        if self._future.status != "finished":
            return None
        try:
            return Status.model_validate_json(self._future.result(timeout=_SECONDS))
        except ValidationError:
            return Status(host=self._host, phase="failed", says=_OTHER)
        except (*_BROKEN, CancelledError):  # its worker is gone, and so is what it said
            return None


class Connection:
    """A connection to the scheduler of a fleet. Raises UserError where there is none."""

    def __init__(self, address: str, certificates: Path | None):
        crypt = security(address, "client", certificates)
        from distributed import Client

        serving.configure()
        self.address = address
        serving.must_answer(address, crypt, "client", _SECONDS)
        self._told: queue.SimpleQueue[Status] = queue.SimpleQueue()
        try:
            self._client = Client(
                address, security=crypt, timeout=_SECONDS, set_as_default=False, name="iogauge"
            )
        except (OSError, TypeError, ValueError) as error:
            raise serving.no_connection(address, error) from None

    def close(self) -> None:
        """What was sent goes on."""
        self._client.close(timeout=1)

    @property
    def is_there(self) -> bool:
        return bool(self._client.status == "running")

    def hosts(self) -> dict[str, Host]:
        """The hosts whose workers are there, by name. Raises Lost, and UserError where two have one
        name.
        """
        found: dict[str, Host] = {}
        for address, each in self._asked(self._client.scheduler_info, -1)["workers"].items():
            names = [pinned[1] for key in each["resources"] if (pinned := _PINNED.fullmatch(key))]
            for name in names:
                named.checked(name, f"the worker at {address}:")
                if name in found:
                    raise UserError(
                        f"two workers are called {name}, at {found[name].address} and {address}; "
                        "give each host a name of its own"
                    )
                found[name] = Host(name, address)
        return dict(sorted(found.items()))

    def about(self, hosts: Iterable[Host], run: str = ANY_RUN) -> dict[str, About | str]:
        """What the hosts say of themselves, by name, or why one cannot be used. `run` is that to
        which something is to be submitted.
        """
        found: dict[str, About | str] = {}
        for name, answer in self._ask(worker_side.about, hosts, run).items():
            if isinstance(answer, Exception):
                why = _failure(answer)
                no = f"its iogauge cannot be in a fleet ({answer}); install the same there"
                found[name] = str(why) if isinstance(why, Gone) else no
                continue
            try:
                found[name] = About.model_validate_json(answer)
            except ValidationError:
                found[name] = str(answer)
        return found

    def moment(self, run: str, host: Host) -> str:
        """What a host calls now, for something that is to be submitted to a run. Raises Lost, Gone
        and UserError.
        """
        found = self._ask(worker_side.moment, [host], run)[host.name]
        if isinstance(found, Exception):
            raise _failure(found)
        return str(found)

    def send(self, assignment: Assignment, times: int = 0) -> Sent:
        """Have a host carry this out, whichever worker of it is there, now or later, also without
        this client. It was sent so many `times` before: Dask forgets no key that was lost.
        """
        from distributed import fire_and_forget

        name, run = assignment.host, assignment.run
        future = self._asked(
            lambda: self._client.submit(
                worker_side.carry_out,
                assignment.model_dump_json(),
                key=f"iogauge/{run}/{name}/{assignment.submitted}/{times}",
                resources={"host": 1, serving.resource(name): 1},
                allow_other_workers=False,
                retries=0,
                pure=False,
            )
        )
        fire_and_forget(future)
        return Sent(future, name)

    def listen(self, run: str) -> None:
        """Hear how a run stands; once more where Dask has made another connection by itself."""

        def hear(event: tuple[float, str]) -> None:
            with suppress(ValidationError):  # of another version, which is told at its end
                self._told.put(Status.model_validate_json(event[1]))

        self._asked(lambda: self._client.subscribe_topic(worker_side.topic(run), hear))

    def heard(self) -> list[Status]:
        """What hosts told since the last call."""
        found = []
        while not self._told.empty():
            found.append(self._told.get())
        return found

    def occupied(self) -> dict[str, str]:
        """The fleet run that the worker at an address carries out, by address."""
        found = {}
        for address, keys in self._asked(self._client.processing).items():
            for key in keys:
                if known := _KEY.match(str(key)):
                    found[address] = known[1]
        return found

    def status(self, run: str, hosts: Iterable[Host]) -> dict[str, Answer]:
        """How a run stands on these hosts, by name."""
        return _statuses(self._ask(worker_side.status, hosts, run))

    def stop(self, run: str, hosts: Iterable[Host], *, known: bool) -> dict[str, Answer]:
        """The same; what was submitted until now ends. `known`: it was sent to these hosts, and may
        not have begun.
        """
        return _statuses(self._ask(worker_side.stop, hosts, run, known))

    def assignment(self, run: str, host: Host) -> Assignment:
        """What a host was told to do in a run. Raises UserError."""
        found = self._ask(worker_side.assignment, [host], run)[host.name]
        if isinstance(found, Exception):
            raise UserError(f"{host.name}: {found}")
        return parse(found)

    def collect(self, run: str, host: Host, kept: Kept, out: Path) -> None:
        """Write a run file of the host to `out`, as far as it is there. Raises Lost, Gone, and
        UserError where that fails otherwise, or another file came out than was there.
        """
        partial = out.with_name(f"{out.name}.partial")
        try:
            with partial.open("wb") as file:
                while file.tell() < kept.size:
                    asked = self._ask(worker_side.piece, [host], run, kept.name, file.tell())
                    found = asked[host.name]
                    if isinstance(found, Exception):
                        failed = _failure(found)
                        raise type(failed)(f"{host.name}: {kept.name}: {failed}")
                    if not found:
                        break
                    file.write(found)
            if kept.sha256 and sha256(partial) != kept.sha256:
                raise UserError(f"{host.name}: {kept.name} changed on its way; collect it again")
            partial.replace(out)
        except OSError as error:
            raise UserError(f"{out}: {error.strerror or error}") from None
        finally:
            partial.unlink(missing_ok=True)

    def collected(self, run: str, host: Host, files: Iterable[Kept]) -> None:
        """Tell a host that these of its run files are here."""
        self._ask(worker_side.collected, [host], run, {each.name: each.sha256 for each in files})

    def _ask(
        self, function: Callable[..., Any], hosts: Iterable[Host], *given: Any
    ) -> dict[str, Any]:
        """What a function says on each host, by name; an exception where it does not."""
        asked = {each.address: each.name for each in hosts}
        if not asked:
            return {}
        found = self._asked(
            lambda: self._client.run(function, *given, workers=list(asked), on_error="return")
        )
        return {
            name: found.get(address, Gone("its worker does not answer"))
            for address, name in asked.items()
        }

    def _asked(self, call: Callable[..., Any], *given: Any) -> Any:
        """Raises Lost where the scheduler does not answer."""
        if not self.is_there:
            raise Lost
        try:
            return call(*given)
        except _BROKEN as error:
            raise Lost from error


Answer = Status | UserError | None
"""How a run stands on a host, or why that is not known; None where it knows nothing of the run."""


def _statuses(found: dict[str, Any]) -> dict[str, Answer]:
    return {name: _status(each) for name, each in found.items()}


def _failure(found: Exception) -> UserError:
    """Why a host did not do what it was asked."""
    if isinstance(found, UserError):
        return found
    if isinstance(found, (*_BROKEN, KeyError)):
        return Gone(serving.why(found))
    if isinstance(found, ImportError | AttributeError | TypeError):  # other names, or arguments
        return UserError(_OTHER)
    return UserError(f"{type(found).__name__}: {found}")


def _status(found: object) -> Answer:
    if isinstance(found, Exception):
        return _failure(found)
    try:
        return Status.model_validate_json(str(found)) if found else None
    except ValidationError:
        return UserError(_OTHER)
