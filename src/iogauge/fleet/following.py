"""Follow a plan on its hosts until all have ended.

Nothing here is needed for measuring: where the client leaves, hosts go on. Where a worker comes
back, Dask gives it its plan again without a word from us; where the scheduler does, we send all
plans again, and each host says that it is done, or goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from iogauge.fleet.assignment import NO_WORKER, Assignment, Status
from iogauge.fleet.connection import Connection, Host, Lost, Sent
from iogauge.model.errors import UserError

_LOOKS = 1.0  # seconds between looks, for which the scheduler is asked
_GLANCES = 0.1  # seconds between those for which it is not
_ABSENT = 20.0  # seconds without a worker, after which a host is called missing
_AGAIN = 3.0  # seconds between tries to reach a scheduler
_TIMES = 5  # that a plan is sent to a host whose workers fail
_NO_SCHEDULER = "the scheduler does not answer"


@dataclass
class Followed:
    """How the hosts of a run stand, by name. `alone` is set while no scheduler is there."""

    run: str
    statuses: dict[str, Status]
    alone: bool = False
    began: float = field(default_factory=time.monotonic)

    @property
    def open(self) -> list[str]:
        return [name for name, each in self.statuses.items() if not each.over]

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began


class Follower:
    """Sends assignments to hosts, at most so many `at_a_time`, and follows them. `connect` makes a
    connection, `show` is called with how they stand, and `ended` for each host that is over, while
    its worker is there; where it is false, or raises Lost, it is called again later. A host without
    a worker is awaited for `patience` seconds after the last one of the others has ended.
    """

    def __init__(
        self,
        connect: Callable[[], Connection],
        assignments: Mapping[str, Assignment],
        show: Callable[[Followed], None],
        ended: Callable[[Connection, Host, Status], bool],
        *,
        patience: float,
        at_a_time: int | None = None,
        clock: Callable[[], float] = time.monotonic,
        rest: Callable[[float], None] | None = None,
    ):
        run = next(iter(assignments.values())).run
        statuses = {name: Status(host=name, phase="sent") for name in assignments}
        self.followed = Followed(run, statuses)
        self._connect, self._assignments = connect, dict(assignments)
        self._show, self._ended = show, ended
        self._patience, self._at_a_time = patience, at_a_time or len(assignments)
        self._clock, self._rest = clock, rest or self._until_another_ends
        self._sent: dict[str, Sent] = {}
        self._times: dict[str, int] = dict.fromkeys(assignments, 0)
        self._seen = dict.fromkeys(assignments, clock())
        self._ever = set[str]()

    @property
    def unsent(self) -> list[str]:
        """The hosts that were not sent their plan: their turn, or their worker, has not come."""
        return [name for name in self.followed.open if name not in self._ever]

    def follow(self, first: Connection) -> Followed:
        """Until all are over, or nobody is left who could go on. The connection stays open."""
        connection: Connection | None = first
        progress = self._clock()  # when one was last heard of
        try:
            while self.followed.open:
                connection = connection or self._again()
                try:
                    if connection and self._look(connection):
                        progress = self._clock()
                except Lost:
                    if connection and connection is not first:
                        connection.close()
                    connection = None
                    self._sent.clear()
                self.followed.alone = connection is None
                self._show(self.followed)
                if not self.followed.open or self._clock() > progress + self._patience:
                    break
                self._rest(_LOOKS if connection else _AGAIN)
        finally:
            if connection and connection is not first:
                connection.close()
        for name in self.followed.open:
            says = _NO_SCHEDULER if connection is None else NO_WORKER
            self._set(name, phase="missing", says=says)
        return self.followed

    def _until_another_ends(self, seconds: float) -> None:
        """Rest for so long, or until another host has ended, which this process knows by itself."""
        ended, until = self._how_many_ended(), time.monotonic() + seconds
        while time.monotonic() < until and self._how_many_ended() == ended:
            time.sleep(_GLANCES)

    def _how_many_ended(self) -> int:
        return sum(each.has_ended for each in self._sent.values())

    def _again(self) -> Connection | None:
        """A new connection, if a scheduler is there."""
        with suppress(UserError):
            connection = self._connect()
            try:
                connection.listen(self.followed.run)
                return connection
            except UserError:
                connection.close()
        return None

    def _look(self, connection: Connection) -> bool:
        """One look at all hosts; whether one of those that are open is there."""
        hosts, now = connection.hosts(), self._clock()
        for status in connection.heard():  # other clients may follow other hosts of this run
            known = self.followed.statuses.get(status.host)
            if known and not known.over:
                self.followed.statuses[status.host] = status
        if forgotten := [name for name, each in self._sent.items() if each.is_forgotten]:
            connection.listen(self.followed.run)
            for name in forgotten:
                del self._sent[name]
        for name in sorted(self.followed.open, key=self._is_new):
            if name in hosts:
                self._seen[name] = now
                self._look_at(connection, hosts[name], hosts)
            elif now > self._seen[name] + _ABSENT:
                self._set(name, phase="missing", says=NO_WORKER)
        self._say_what_is_awaited(connection, hosts)
        return any(name in hosts for name in self.followed.open) or not self.followed.open

    def _is_new(self, name: str) -> bool:
        """Whether a host has not begun: those that have come first."""
        return self.followed.statuses[name].phase in ("sent", "missing")

    def _look_at(self, connection: Connection, host: Host, hosts: Mapping[str, Host]) -> None:
        sent = self._sent.get(host.name)
        if sent and sent.has_failed:
            self._lose(connection, host, sent)
        elif sent is None:
            if sum(each in hosts for each in self._sent) < self._at_a_time:
                self._send(connection, host)
        elif (status := sent.status()) and (not status.over or self._end(connection, host, status)):
            del self._sent[host.name]  # a worker that left is followed by another one

    def _send(self, connection: Connection, host: Host) -> None:
        """Send a host its plan. One that was away when the others were stamped is asked for its
        clock first; if it does not answer, the next look asks again.
        """
        assignment = self._assignments[host.name]
        if not assignment.submitted:
            try:
                submitted = connection.moment(self.followed.run, host)
            except Lost:
                raise
            except UserError:
                return
            assignment = assignment.model_copy(update={"submitted": submitted})
            self._assignments[host.name] = assignment
        self._sent[host.name] = connection.send(assignment, self._times[host.name])
        self._ever.add(host.name)

    def _lose(self, connection: Connection, host: Host, sent: Sent) -> None:
        """Send it anew, unless that was done often: then the host fails, with what it measured."""
        self._times[host.name] += 1
        if self._times[host.name] >= _TIMES:
            says = f"its worker failed {_TIMES} times: {sent.why}"
            known = connection.status(self.followed.run, [host])[host.name]
            files = known.files if isinstance(known, Status) else ()
            failed = Status(host=host.name, phase="failed", says=says, files=files)
            self._end(connection, host, failed)
        del self._sent[host.name]

    def _end(self, connection: Connection, host: Host, status: Status) -> bool:
        """A host is over once its files are here; whether it is."""
        if not self._ended(connection, host, status):
            return False
        self.followed.statuses[host.name] = status
        self._show(self.followed)  # those of many hosts take long to collect
        return True

    def _say_what_is_awaited(self, connection: Connection, hosts: Mapping[str, Host]) -> None:
        """A plan that its worker has not begun waits for another one, or for its turn."""
        open_ = [each for each in self.followed.open if each in hosts]
        unheard = [
            each for each in open_ if self.followed.statuses[each].phase in ("sent", "missing")
        ]
        if not unheard:
            return
        occupied = connection.occupied()
        for name in unheard:
            by = occupied.get(hosts[name].address)
            if name not in self._sent:
                self._set(name, phase="sent", says="its turn comes later (--at-a-time)")
            elif by and by != self.followed.run:
                self._set(name, phase="waiting", says=f"for {by}, which measures there")
            else:
                self._set(name, phase="sent", says="")

    def _set(self, name: str, **what: object) -> None:
        self.followed.statuses[name] = self.followed.statuses[name].model_copy(update=what)
