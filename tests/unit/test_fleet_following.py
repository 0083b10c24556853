"""Following a fleet run: hosts, workers and schedulers come and go, and the client keeps what it can."""

import itertools

import pytest

from iogauge.commands import fleet as commands
from iogauge.commands import fleet_arguments as fleet_arg
from iogauge.commands.exits import DONE, SOMETHING_FAILED
from iogauge.fleet import following, record
from iogauge.fleet.assignment import Kept, Status
from iogauge.fleet.connection import Gone, Host, Lost
from iogauge.fleet.record import FleetRun, HostRecord
from iogauge.model.errors import UserError
from tests.fleet_runs import SECOND, assigned


class FakeSent:
    def __init__(self, said=None, *, failed=False):
        self.said, self.has_failed, self.is_forgotten, self.why = said, failed, False, "no luck"

    @property
    def has_ended(self):
        return self.said is not None

    def status(self):
        return self.said


class FakeFleet:
    """Hosts by name; what was sent to them, and what they will say."""

    def __init__(self, *names):
        self.there = {name: Host(name, f"tcp://{name}") for name in names}
        self.sent, self.tells, self.by, self.lost = [], [], {}, False
        self.loses, self.times = set(), []
        self.listens, self.closed = 0, False

    def hosts(self):
        if self.lost:
            raise Lost
        return dict(self.there)

    def listen(self, run):
        self.listens += 1

    def moment(self, run, host):
        found = self.moments.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    def close(self):
        self.closed = True

    def heard(self):
        told, self.tells = self.tells, []
        return told

    def occupied(self):
        return self.by

    def send(self, assignment, times):
        self.times.append(times)
        self.sent.append((assignment.host, FakeSent(failed=assignment.host in self.loses)))
        return self.sent[-1][1]

    def status(self, run, hosts):
        return {each.name: None for each in hosts}

    def done(self, name, phase="done"):
        for host, sent in self.sent:
            if host == name:
                sent.said = Status(host=name, phase=phase)


def followed(fleet, names, steps, *, connect=None, patience=60.0, **options):
    """Follow the fleet; before each look the next step is taken. A second passes with each rest."""
    now, ended, shown = [0.0], [], []
    steps = iter(steps)

    def rest(seconds):
        now[0] += seconds
        step = next(steps, None)
        if step:
            step()

    follower = following.Follower(
        connect or (lambda: fleet),
        {name: assigned(name) for name in names},
        lambda each: shown.append({name: one.phase for name, one in each.statuses.items()}),
        lambda connection, host, status: ended.append((host.name, status.phase)) or True,
        patience=patience,
        clock=lambda: now[0],
        rest=rest,
        **options,
    )
    return follower.follow(fleet), ended, shown


def test_all_hosts_are_followed_to_their_end():
    fleet = FakeFleet("a", "b")
    found, ended, _ = followed(
        fleet, "ab", [lambda: fleet.done("b"), lambda: fleet.done("a", "failed")]
    )
    assert {name: each.phase for name, each in found.statuses.items()} == {
        "a": "failed",
        "b": "done",
    }
    assert ended == [("b", "done"), ("a", "failed")]
    assert [name for name, _ in fleet.sent] == ["a", "b"]


def test_nobody_waits_once_all_have_ended():
    fleet, rests = FakeFleet("a"), []

    def rest(seconds):
        rests.append(seconds)
        fleet.done("a")

    follower = following.Follower(
        lambda: fleet,
        {"a": assigned("a")},
        lambda each: None,
        lambda *_: True,
        patience=60.0,
        rest=rest,
    )
    follower.follow(fleet)
    assert len(rests) == 1


def test_a_host_that_ends_cuts_the_wait_short():
    sent, naps = FakeSent(), []
    follower = following.Follower(
        FakeFleet, {"a": assigned("a")}, lambda each: None, lambda *_: True, patience=60.0
    )
    follower._sent["a"] = sent

    def nap(seconds):
        naps.append(seconds)
        sent.said = Status(host="a", phase="done")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(following.time, "sleep", nap)
        follower._until_another_ends(60.0)
    assert len(naps) == 1


def test_a_worker_that_left_gets_its_plan_again():
    fleet = FakeFleet("a")
    _, ended, _ = followed(
        fleet, "a", [lambda: fleet.done("a", "left"), None, lambda: fleet.done("a")]
    )
    assert ended == [("a", "done")]
    assert len(fleet.sent) == 2


def test_a_new_scheduler_gets_all_plans_again():
    old, new, tries = FakeFleet("a", "b"), FakeFleet("a", "b"), []

    def connect():
        tries.append(1)
        if len(tries) < 3:
            raise UserError("no scheduler")
        return new

    def lose():
        old.done("a")

    def gone():
        old.lost = True

    _, ended, _ = followed(
        old, "ab", [lose, gone, None, None, None, None, lambda: new.done("b")], connect=connect
    )
    assert ended == [("a", "done"), ("b", "done")]
    assert [name for name, _ in new.sent] == ["b"]  # what is done is not sent again
    assert (old.closed, new.closed) == (False, True)  # whoever made the first one closes it


def test_a_host_that_never_comes_back_is_missing_and_the_others_go_on():
    fleet = FakeFleet("a", "b")
    found, ended, shown = followed(
        fleet,
        "ab",
        [lambda: fleet.there.pop("a"), *[None] * 30, lambda: fleet.done("b")],
        patience=100.0,
    )
    assert ended == [("b", "done")]
    assert found.statuses["a"].phase == "missing"
    assert {"a": "missing", "b": "sent"} in shown


def test_a_host_that_comes_back_goes_on():
    fleet = FakeFleet("a")
    host = fleet.there["a"]
    _, ended, shown = followed(
        fleet,
        "a",
        [
            lambda: fleet.there.pop("a"),
            *[None] * 30,
            lambda: fleet.there.update(a=host),
            None,
            lambda: fleet.done("a"),
        ],
    )
    assert {"a": "missing"} in shown
    assert ended == [("a", "done")]


def test_so_many_at_a_time():
    fleet = FakeFleet("a", "b", "c")
    _, ended, _ = followed(
        fleet,
        "abc",
        [
            None,
            lambda: fleet.done("a"),
            None,
            lambda: fleet.done("b"),
            None,
            lambda: fleet.done("c"),
        ],
        at_a_time=1,
    )
    assert [name for name, _ in ended] == ["a", "b", "c"]


def test_a_host_that_dies_gives_its_turn_to_another_one():
    fleet = FakeFleet("a", "b")
    _, ended, shown = followed(
        fleet,
        "ab",
        [lambda: fleet.there.pop("a"), None, lambda: fleet.done("b")],
        patience=30.0,
        at_a_time=1,
    )
    assert [name for name, _ in fleet.sent] == ["a", "b"]
    assert ended == [("b", "done")]
    assert shown[-1]["a"] == "missing"


def test_a_host_whose_workers_fail_is_asked_again_a_few_times():
    fleet = FakeFleet("a")
    fleet.loses = {"a"}
    found, ended, _ = followed(fleet, "a", [])
    assert fleet.times == [0, 1, 2, 3, 4]
    assert ended == [("a", "failed")]
    assert found.statuses["a"].says == "its worker failed 5 times: no luck"


def test_short_losses_of_the_connection_are_no_failures_of_workers():
    """Dask makes another connection by itself, and forgets what was asked before."""
    fleet = FakeFleet("a")

    def forget():
        fleet.sent[-1][1].is_forgotten = True

    _, ended, _ = followed(fleet, "a", [forget, None] * 8 + [None, lambda: fleet.done("a")])
    assert ended == [("a", "done")]
    assert {*fleet.times} == {0}
    assert len(fleet.times) == 9
    assert fleet.listens == 8


def test_a_scheduler_that_stays_away_is_told_as_such():
    fleet = FakeFleet("a")

    def lose():
        fleet.lost = True

    def connect():
        raise UserError("no scheduler")

    found, _, _ = followed(fleet, "a", [None, lose], connect=connect, patience=20.0)
    assert found.statuses["a"].phase == "missing"
    assert found.statuses["a"].says == "the scheduler does not answer"


class Files(FakeFleet):
    """A host with one run file, which is fetched after these errors."""

    def __init__(self, *errors):
        super().__init__("a")
        self.errors, self.told = list(errors), []

    def collect(self, run, host, kept, out):
        if self.errors:
            raise self.errors.pop(0)
        out.write_text("{}\n")

    def collected(self, run, host, files):
        self.told += [each.name for each in files]

    def done(self, name, phase="done"):
        files = (Kept(name="tiny.jsonl", size=3),)
        self.sent[-1][1].said = Status(host=name, phase=phase, files=files)


def kept_of(folder, *names):
    hosts = {
        name: HostRecord(assignment=assigned(name), status=Status(host=name, phase="sent"))
        for name in names
    }
    return commands._Kept(folder, FleetRun(run="fleet-1", started="now", hosts=hosts))


def fetched(folder, fleet, phase="done"):
    """The record of the host after its files were fetched, with what the display showed last."""
    kept = kept_of(folder, "a")
    done = fleet.done

    def rest(seconds):
        done("a", phase)

    follower = following.Follower(
        lambda: fleet, {"a": assigned("a")}, lambda each: None, kept.ended, patience=60.0, rest=rest
    )
    return follower.follow(fleet).statuses["a"], kept.run.hosts["a"]


@pytest.mark.parametrize("error", [Lost(), Gone("a: its worker does not answer")])
def test_what_goes_while_files_are_fetched_loses_none(tmp_path, error):
    fleet = Files(error, error)
    status, host = fetched(tmp_path, fleet)
    assert (status.phase, host.whole, host.files) == ("done", True, {"tiny": "a.tiny.jsonl"})
    assert fleet.told == ["tiny.jsonl"]


def test_a_file_that_never_comes_is_given_up_and_can_be_collected_later(tmp_path, capsys):
    fleet = Files(*[Gone("a: tiny.jsonl: no answer")] * 9)
    status, host = fetched(tmp_path, fleet)
    assert (status.phase, host.whole, host.files) == ("done", False, {})
    assert not fleet.told
    assert capsys.readouterr().err.count("no answer") == 1


def test_what_failed_may_be_cleaned_on_its_host_once_its_files_are_here(tmp_path):
    fleet = Files()
    _, host = fetched(tmp_path, fleet, "failed")
    assert not host.whole
    assert fleet.told == ["tiny.jsonl"]


def test_hosts_whose_turn_has_not_come_are_known_when_the_client_leaves():
    fleet = FakeFleet("a", "b")

    def leave(seconds):
        raise KeyboardInterrupt

    follower = following.Follower(
        lambda: fleet,
        {name: assigned(name) for name in "abc"},
        lambda each: None,
        lambda *_: True,
        patience=60.0,
        at_a_time=1,
        rest=leave,
    )
    with pytest.raises(KeyboardInterrupt):
        follower.follow(fleet)
    assert follower.unsent == ["b", "c"]


class Stopping(FakeFleet):
    """A fleet of which one host stops, one cannot, and one is not there."""

    address = "tcp://fleet"

    def stop(self, run, hosts, *, known):
        found = {"a": Status(host="a", phase="measuring"), "b": UserError("its disk is full")}
        return {each.name: found[each.name] for each in hosts}


def test_stop_names_the_hosts_that_it_did_not_stop(tmp_path, monkeypatch, capsys):
    kept_of(tmp_path, "a", "b", "c")
    monkeypatch.setattr(commands, "_connected", lambda *_: Stopping("a", "b"))
    given = fleet_arg.Stop(run=tmp_path, on="tcp://fleet")
    assert commands.stop(given) == SOMETHING_FAILED
    assert [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()] == [
        ["a", "ends now"],
        ["b", "not stopped: its disk is full"],
        ["c", "not stopped: no worker of this host is there"],
    ]
    assert commands.stop(fleet_arg.Stop(run=tmp_path, on="tcp://fleet", hosts=["a"])) == DONE


def test_what_is_sent_again_is_stamped_by_the_clock_of_its_host(tmp_path):
    """A host that is away is asked when it is back."""
    begun = kept_of(tmp_path, "a", "b").run
    again, sent = commands._again(begun, {"a": AboutNow(SECOND)}, None)
    assert sent == ["a", "b"]
    submitted = {name: each.assignment.submitted for name, each in again.hosts.items()}
    assert submitted == {"a": SECOND, "b": ""}

    fleet = FakeFleet("a")
    fleet.moments = [Gone("no answer"), "2026-11-29T12:00:09.000+00:00"]
    stamps, send = [], fleet.send

    def stamped(assignment, times):
        stamps.append(assignment.submitted)
        return send(assignment, times)

    fleet.send = stamped
    unstamped = {"a": assigned("a", submitted="")}
    steps = iter([None, lambda: fleet.done("a")])

    def rest(seconds):
        if step := next(steps):
            step()

    follower = following.Follower(
        lambda: fleet, unstamped, lambda each: None, lambda *_: True, patience=60.0, rest=rest
    )
    assert follower.follow(fleet).statuses["a"].phase == "done"
    assert stamps == ["2026-11-29T12:00:09.000+00:00"]


class AboutNow:
    def __init__(self, now):
        self.now = now


def test_what_other_clients_ask_of_this_run_is_no_concern():
    fleet = FakeFleet("a")
    fleet.tells = [Status(host="z", phase="measuring")]
    found, _, _ = followed(fleet, "a", [lambda: fleet.done("a")])
    assert set(found.statuses) == {"a"}


def test_a_host_with_another_plan_says_for_what_it_waits():
    fleet = FakeFleet("a")
    fleet.by = {"tcp://a": "fleet-7"}
    found, _, shown = followed(fleet, "a", [None, None, lambda: fleet.done("a")])
    assert {"a": "waiting"} in shown


def test_what_hosts_tell_is_shown():
    fleet = FakeFleet("a")
    told = Status(host="a", phase="measuring", decided=1, groups=3)
    _, _, shown = followed(
        fleet, "a", [lambda: fleet.tells.append(told), None, lambda: fleet.done("a")]
    )
    assert {"a": "measuring"} in shown


def test_the_record_of_many_hosts_is_not_written_for_each(tmp_path, monkeypatch):
    monkeypatch.setattr(commands.time, "monotonic", itertools.count().__next__)
    kept = kept_of(tmp_path, "one", "two", "three")
    for name in kept.run.hosts:
        kept.update(name, whole=True)
    assert record.read(tmp_path).lacks
    kept.write()
    assert not record.read(tmp_path).lacks
