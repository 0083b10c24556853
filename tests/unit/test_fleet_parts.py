"""The parts of a fleet, each by itself, without Dask."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest
from rich.console import Console

from iogauge.fleet import assignment as plans
from iogauge.fleet import (
    certificates,
    connection,
    following,
    here,
    place,
    record,
    serving,
    units,
    worker_side,
)
from iogauge.fleet.assignment import Status, StudyText
from iogauge.fleet.connection import Gone
from iogauge.fleet.place import Ended, Place
from iogauge.fleet.record import FleetRun, HostRecord
from iogauge.host import alone, named
from iogauge.host.alone import Lock
from iogauge.model.errors import UserError
from iogauge.outputs import fleet as display
from tests.fleet_runs import FIRST, SECOND, STUDY, assigned

HERE = here.Here("one", {}, (), None)


# What travels.


def test_a_plan_survives_its_way():
    sent = assigned(directory="/data", options={"budget": "5s", "only": ["python/*"]})
    assert plans.parse(sent.model_dump_json()) == sent
    assert sent.ids == ["tiny"]


@pytest.mark.parametrize("text", ["", "no plan", "{}", "[1]", None, 7, '{"run": "x"}'])
def test_what_is_no_plan_is_refused_in_one_line(text):
    with pytest.raises(UserError, match="not a plan of a fleet") as error:
        plans.parse(text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("run", ["../up", "a/b", "", "-x", "X", "a" * 101, "a\n"])
def test_an_id_that_leads_elsewhere_is_refused(run):
    found = json.loads(assigned().model_dump_json()) | {"run": run}
    with pytest.raises(UserError, match="run"):
        plans.parse(json.dumps(found))


@pytest.mark.parametrize(
    "study",
    [
        STUDY.replace('"tiny"', '"../../up"'),
        STUDY.replace('cache = "warm"', 'cache = "warm"\ncontent = "own"'),
        "no study",
    ],
)
def test_a_study_with_a_path_outside_is_refused(study):
    sent = assigned().model_copy(update={"studies": (StudyText(name="s.toml", text=study),)})
    with pytest.raises(UserError, match=r"^s\.toml"):
        assert plans.parse(sent.model_dump_json()).ids


def test_two_studies_of_one_id_are_refused():
    twice = assigned().model_copy(update={"studies": assigned().studies * 2})
    with pytest.raises(UserError, match="same id"):
        assert twice.ids


# A host.


@pytest.mark.parametrize("name", ["", "a b", "../x", "-a", ".a", "a" * 64, "ä"])
def test_names_that_are_none_are_refused(name):
    with pytest.raises(UserError):
        named.checked(name, "--name")


@pytest.mark.parametrize("label", ["disk", "=x", "Disk=x", "disk=", "disk=\x07", "d=" + "x" * 61])
def test_labels_that_are_none_are_refused(label):
    with pytest.raises(UserError):
        named.labels([label], "--label")


def test_name_and_labels_go_through_the_environment(monkeypatch):
    labels = {"disk": "two words", "cloud": "a=b"}
    for key, value in named.variables("web-1", labels).items():
        monkeypatch.setenv(key, value)
    assert named.here() == ("web-1", labels)


def test_a_name_makes_another_host_of_the_same_machine(monkeypatch):
    from iogauge.host import description

    before = description.identity()
    monkeypatch.setenv(named.NAME, "web-1")
    assert description.identity() != before


def test_data_files_go_only_where_the_host_allows(tmp_path):
    allowed = tmp_path / "data"
    (allowed / "inside").mkdir(parents=True)
    (allowed / "out").symlink_to(tmp_path)
    of = here.Here("one", {}, (allowed,), None)
    assert of.directory(None) == allowed
    assert of.directory(str(allowed / "inside")) == allowed / "inside"
    for outside in (tmp_path, allowed / ".." / "x", allowed / "out", "/"):
        with pytest.raises(UserError, match="outside"):
            of.directory(str(outside))


def test_a_new_host_gets_its_cache_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "new"))
    assert here.Here("one", {}, (), None).directory(None).is_dir()
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    with pytest.raises(UserError, match="start the worker with --dir"):
        here.Here("one", {}, (), None).directory(None)


@pytest.mark.parametrize(
    ("error", "kind", "says"),
    [
        (UserError("no room"), UserError, "no room"),
        (OSError("Connection reset"), Gone, "Connection reset"),
        (KeyError("tcp://a"), Gone, "tcp://a"),
        (AttributeError("no moment"), UserError, "of another version"),
        (ValueError("odd"), UserError, "ValueError: odd"),
    ],
)
def test_why_a_host_does_not_answer(error, kind, says):
    found = connection._failure(error)
    assert type(found) is kind
    assert says in str(found)
    assert isinstance(connection._status('{"host": "a", "new": 1}'), UserError)
    assert connection._status("") is None


def test_versions_that_differ_are_named():
    ours = here.Versions(iogauge="1", python="3.11", dask="2", runners="a")
    theirs = ours.model_copy(update={"python": "3.12", "runners": "b"})
    assert theirs.unlike(ours) == ["Python 3.12, here 3.11", "the runners b, here a"]


# Locks.


def test_a_lock_is_waited_for_and_its_holder_is_named(tmp_path):
    lock, waits = Lock(tmp_path / "lock", "this host"), []
    program = (
        "import sys, time\nfrom pathlib import Path\nfrom iogauge.host import alone\n"
        "with alone.held([alone.Lock(Path(sys.argv[1]), 'x')], 'fleet-9', print):\n"
        "    print('held', flush=True)\n    time.sleep(1.5)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(lock.path)], stdout=subprocess.PIPE
    ) as other:
        assert other.stdout and other.stdout.readline() == b"held\n"
        assert alone.is_held(lock.path)
        with alone.held([lock], "fleet-1", lambda of, by: waits.append((of.of, by))):
            assert lock.path.read_text() == "fleet-1"
    assert waits
    assert set(waits) == {("this host", "fleet-9")}
    assert not alone.is_held(lock.path)


def test_locks_that_nobody_holds_are_cleaned(tmp_path, monkeypatch):
    monkeypatch.setenv(alone.FOLDER, str(tmp_path))
    locks = alone.of_host("web-1", tmp_path)
    with alone.held(locks[:1], "fleet-1", print):
        with alone.held(locks[1:], "fleet-1", print):
            pass
        alone.clean()
        assert list(alone.folder().iterdir()) == [locks[0].path]
    alone.clean()
    assert not alone.folder().exists()
    with alone.held(locks, "fleet-2", print):
        assert all(alone.is_held(each.path) for each in locks)


def test_a_file_with_something_in_it_is_no_lock(tmp_path):
    path = tmp_path / "results.csv"
    alone.must_be_a_lock(path, "--turns")
    path.write_text("fleet-20261129-110111-a3c1")
    alone.must_be_a_lock(path, "--turns")
    path.write_text("a,b\n1,2\n")
    with pytest.raises(UserError, match="results.csv: has something in it; name a new file"):
        alone.must_be_a_lock(path, "--turns")
    with pytest.raises(UserError, match="gone is not a folder"):
        alone.must_be_a_lock(tmp_path / "gone" / "x", "--turns")


def test_a_lock_that_was_removed_while_it_was_taken_is_none(tmp_path, monkeypatch):
    path, takes = tmp_path / "one.lock", []

    def taken(fd):
        takes.append(fd)
        if len(takes) == 1:
            path.unlink()
        return True

    monkeypatch.setattr(alone, "is_free", taken)
    with alone.held([Lock(path, "this host")], "fleet-1", print):
        assert path.read_text() == "fleet-1"
    assert len(takes) == 2


# The folder of a run.


@pytest.fixture
def started(monkeypatch):
    """Collects what would be started; each keeps the lock, as the process would."""
    found = []

    def start(words, log, variables, held):
        found.append((words, variables, os.dup(held)))

    monkeypatch.setattr(place.detached, "start", start)
    yield found
    for *_, fd in found:
        os.close(fd)


def test_a_plan_is_carried_out_once(started):
    where = Place("one", "fleet-1")
    for _ in range(3):
        where.begin(assigned(), {})
    assert len(started) == 1
    assert where.is_alive
    assert where.assignment() == assigned()
    assert (where.folder / "tiny.toml").read_text() == STUDY


def test_a_process_that_died_is_started_again(started):
    where = Place("one", "fleet-1")
    where.begin(assigned(), {})
    os.close(started.pop()[2])
    assert not where.is_alive
    assert where.over(assigned()) is None
    where.begin(assigned(), {})
    assert len(started) == 1


def test_what_is_done_is_never_done_again(started):
    where = Place("one", "fleet-1")
    where.begin(assigned(), {})
    os.close(started.pop()[2])
    where.end(Ended(submitted=FIRST, phase="done", exit=0))
    where.begin(assigned(submitted=SECOND), {})
    assert not started
    assert where.over(assigned(submitted=SECOND)).phase == "done"


def test_what_failed_is_tried_again_only_when_asked(started):
    where = Place("one", "fleet-1")
    where.begin(assigned(), {})
    os.close(started.pop()[2])
    where.end(Ended(submitted=FIRST, phase="failed", says="no room"))
    where.begin(assigned(), {})  # the same submission, delivered twice
    assert not started
    assert where.over(assigned()).says == "no room"
    where.begin(assigned(submitted=SECOND), {})
    assert len(started) == 1
    assert where.over(assigned(submitted=SECOND)) is None


def test_what_was_stopped_stays_so_until_it_is_asked_again(started):
    where = Place("one", "fleet-1")
    where.begin(assigned(), {})
    where.stop()
    os.close(started.pop()[2])
    assert where.over(assigned()).phase == "stopped"
    assert where.status().phase == "stopped"
    again = assigned(submitted=plans.now(after=where._text("stop")))
    where.begin(again, {})
    assert len(started) == 1
    assert not where.is_stopped(again)


def test_run_files_come_back_piece_by_piece(started):
    where = Place("one", "fleet-1")
    where.begin(assigned(), {})
    (where.folder / "tiny.jsonl").write_bytes(b"012345678\n")
    (kept,) = where.kept(hashed=True)
    assert (kept.name, kept.size) == ("tiny.jsonl", 10)
    assert where.piece("tiny.jsonl", 4, 3) == b"456"
    for other in ("assignment.json", "../fleet-1/tiny.jsonl", "log"):
        with pytest.raises(UserError, match="no run file"):
            where.piece(other, 0, 10)


def hashes(where):
    return {each.name: each.sha256 for each in where.kept(hashed=True)}


def test_why_it_was_refused_is_known_later_and_the_last_reason_counts(started):
    where = Place("one", "fleet-1")
    where.refuse(FIRST, "no such folder")
    assert where.over(assigned()).says == "no such folder"
    where.refuse(SECOND, "no Python")
    assert (where.status().phase, where.status().says) == ("refused", "no Python")
    where.begin(assigned(submitted=plans.now()), {})
    where.refuse(SECOND, "it measures")
    assert where.status().phase == "preparing"
    os.close(started.pop()[2])
    where.end(Ended(submitted=FIRST, phase="failed", says="no room"))
    where.refuse(SECOND, "no Python")
    assert where.status().says == "no room"


def test_a_moment_is_later_than_what_the_host_knows(started):
    where = Place("one", "fleet-1")
    where.begin(assigned(submitted="2126-01-01T00:00:00.000+00:00"), {})
    assert where.moment() == "2126-01-01T00:00:00.001+00:00"
    where.stop()
    assert where.moment() == "2126-01-01T00:00:00.002+00:00"
    assert plans.now(after="no moment") < "2126"
    assert plans.now(after="2126-01-01") < "2126"  # of no time zone


def test_only_what_is_collected_is_cleaned(started):
    whole, open_ = Place("one", "fleet-1"), Place("one", "fleet-2")
    for each in (whole, open_):
        each.begin(assigned(), {})
        os.close(started.pop()[2])
        each.end(Ended(submitted=FIRST, phase="done", exit=0))
        (each.folder / "tiny.jsonl").write_text("{}\n")
    for each in (whole, open_):
        each.mark_collected({})  # of a client that fetched nothing
    assert place.clean() == 0
    whole.mark_collected(hashes(whole))
    assert place.held()[0] == 2
    assert place.clean() > 0
    assert (whole.folder.exists(), open_.folder.exists()) == (False, True)


def test_what_measures_again_is_not_collected_any_more(started):
    where = Place("one", "fleet-1")
    where.begin(assigned(), {})
    where.mark_collected({})
    assert not (where.folder / "collected").exists(), "it may write more"
    os.close(started.pop()[2])
    where.end(Ended(submitted=FIRST, phase="failed"))
    (where.folder / "tiny.jsonl").write_text("{}\n")
    where.mark_collected(hashes(where))
    assert (where.folder / "collected").exists()
    where.begin(assigned(submitted=SECOND), {})
    assert not (where.folder / "collected").exists()


def test_what_measured_nothing_and_will_not_is_cleaned(started):
    where = Place("one", "fleet-1")
    where.begin(assigned(), {})
    os.close(started.pop()[2])
    assert place.clean() == 0, "its worker may start it again"
    where.end(Ended(submitted=FIRST, phase="refused", says="no Python"))
    assert place.clean() > 0
    assert not where.folder.exists()


def test_a_plan_that_waits_is_stopped_before_it_begins(started):
    """And whatever was submitted until then, not what comes later."""
    where = Place("one", "fleet-1")
    before = assigned(submitted=plans.now())
    where.stop()
    after = assigned(submitted=plans.now(after=where._text("stop")))
    assert where.over(before).phase == "stopped"
    where.begin(before, {})
    assert not started
    assert where.over(after) is None
    assert place.clean() > 0
    assert not where.folder.exists()


def test_what_was_submitted_by_a_clock_that_is_ahead_is_stopped_too(started):
    ahead = assigned(submitted="2126-01-01T00:00:00.000+00:00")
    where = Place("one", "fleet-1")
    where.begin(ahead, {})
    where.stop()
    assert where.is_stopped(ahead)
    assert not where.is_stopped(assigned(submitted=plans.now(after=where._text("stop"))))


def test_an_earlier_submission_that_still_ends_does_not_end_the_next_one(started, monkeypatch):
    where, looks = Place("one", "fleet-1"), []
    where.begin(assigned(), {})
    where.stop()
    again = assigned(submitted=plans.now(after=where._text("stop")))

    def sleep(seconds):
        looks.append(seconds)
        if len(looks) == 2:  # the process of before says its last word, and ends
            where.end(Ended(submitted=FIRST, phase="stopped"))
        if len(looks) == 3:
            os.close(started.pop()[2])
        if len(looks) == 6:
            where.end(Ended(submitted=again.submitted, phase="done", exit=0))

    monkeypatch.setattr(worker_side.time, "sleep", sleep)
    monkeypatch.setattr(worker_side, "_TELLS", 0.0)
    found = [each.phase for each in worker_side._followed(where, again, HERE)]
    assert found[-1] == "done"
    assert not {*found[:-1]} & {*plans.OVER}
    assert len(started) == 1


def test_a_process_that_ends_without_a_word_is_started_three_times_whoever_follows(
    started, monkeypatch
):
    where = Place("one", "fleet-1")

    def sleep(seconds):
        for each in started:
            os.close(each[2])
        started.clear()

    monkeypatch.setattr(worker_side.time, "sleep", sleep)
    monkeypatch.setattr(worker_side, "_TELLS", 0.0)
    followed = worker_side._followed(where, assigned(), HERE)
    assert next(followed).phase == "preparing"
    followed = worker_side._followed(where, assigned(), HERE)  # another worker
    (*_, ended) = followed
    assert ended.phase == "failed"
    assert ended.says.startswith("it ended 3 times without a word")
    assert where.starts(assigned()) == 3


def test_a_file_without_a_whole_header_is_no_run_file(started):
    where = Place("one", "fleet-1")
    where.begin(assigned(), {})
    (where.folder / "tiny.jsonl").write_text("")
    assert where.kept() == ()
    (where.folder / "tiny.jsonl").write_text('{"record":"header"')
    assert where.kept() == ()


def test_a_plan_of_other_versions_is_refused():
    other = here.versions().model_copy(update={"runners": "x"})
    with pytest.raises(UserError, match="the plan is of the runners x, here"):
        worker_side._check(HERE, assigned().model_copy(update={"versions": other}))


# Certificates.


@pytest.mark.parametrize(
    "address", ["", "10.0.0.1", "http://a:1", "tls://a", "tls://:1", "tcp://a:x", "tls://[::1"]
)
def test_what_is_no_address_is_refused(address):
    with pytest.raises(UserError, match="write tls://"):
        certificates.must_encrypt(address)


def test_only_this_machine_may_go_without_encryption():
    assert not certificates.must_encrypt("tcp://127.0.0.1:8786")
    assert not certificates.must_encrypt("tcp://localhost:8786")
    assert certificates.must_encrypt("tls://10.0.0.1:8786")
    with pytest.raises(UserError, match="not encrypted"):
        certificates.must_encrypt("tcp://10.0.0.1:8786")


@pytest.mark.parametrize("name", ["", "two words", "tls://10.0.0.1:8786", "a..b", "-a"])
def test_what_is_no_name_of_a_machine_gets_no_certificate(tmp_path, name):
    with pytest.raises(UserError, match="neither the name nor the address"):
        certificates.make(tmp_path / "certs", ["10.0.0.1", name])
    assert not (tmp_path / "certs").exists()


def test_certificates_leave_what_is_there_alone(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir(mode=0o755)
    (folder / "ca-key.pem").write_text("another")
    with pytest.raises(UserError, match="ca-key.pem: File exists; give another folder"):
        certificates.make(folder, ["x"])
    assert folder.stat().st_mode & 0o777 == 0o755
    with pytest.raises(UserError, match="not a folder"):
        certificates.make(folder / "ca-key.pem", ["x"])


def test_certificates_are_valid_for_a_strict_openssl(tmp_path):
    import ssl

    folder = tmp_path / "certs"
    paths = certificates.make(folder, ["10.0.0.1", "head.example"])
    modes = {each.name: each.stat().st_mode & 0o777 for each in paths}
    assert all(mode == 0o600 for name, mode in modes.items() if "key" in name)
    for role in certificates.ROLES:
        context = ssl.create_default_context(cafile=folder / "ca.pem")
        context.verify_flags |= ssl.VERIFY_X509_STRICT
        context.load_cert_chain(folder / f"{role}.pem", folder / f"{role}-key.pem")
        strict = ["openssl", "verify", "-x509_strict", "-CAfile", folder / "ca.pem"]
        done = subprocess.run([*strict, folder / f"{role}.pem"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    with pytest.raises(UserError, match="has certificates already"):
        certificates.make(folder, ["x"])


def test_a_missing_certificate_says_how_to_make_it(tmp_path):
    with pytest.raises(UserError, match="iogauge fleet certs"):
        certificates.security("tls://10.0.0.1:8786", "client", tmp_path)


# Units.

WORKER = units.Worker(
    "iogauge", "tls://10.0.0.1:8786", "web-1", ["note=it's 5% $HOME"], ["/data/a b"], "/certs"
)


def test_the_loop_starts_the_worker_again_and_ends_it_with_itself(tmp_path):
    log = tmp_path / "log"
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\necho "$@" >>{log}\nsleep 30\n')
    program.chmod(0o755)
    text = units.text("loop", replace(WORKER, program=str(program)))
    assert "sleep 5" in text
    script = tmp_path / "worker.sh"
    script.write_text(text.replace("sleep 5", "sleep 0.1"))
    with subprocess.Popen(["sh", str(script)], start_new_session=True) as loop:
        _until(lambda: log.exists() and log.read_text().count("\n") == 1)
        subprocess.run(["pkill", "-g", str(loop.pid), "-f", "program fleet"], check=True)
        _until(lambda: log.read_text().count("\n") == 2)
        loop.terminate()
        loop.wait(10)
    left = subprocess.run(["pgrep", "-f", str(program)], capture_output=True, text=True)
    assert not left.stdout
    first = log.read_text().splitlines()[0]
    assert first == (
        "fleet worker tls://10.0.0.1:8786 --name web-1 --label note=it's 5% $HOME "
        "--dir /data/a b --certs /certs"
    )


def _until(happens, seconds=10):
    import time

    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_systemd_leaves_what_is_measured_alone():
    text = units.text("systemd", WORKER)
    assert "KillMode=process" in text
    assert "Restart=always" in text
    assert "5%% $$HOME" in text
    assert "--name %H" in units.text("systemd", units.Worker("iogauge", "tls://a:1"))


@pytest.mark.parametrize("kind", ["slurm", "kubernetes", "loop"])
def test_what_is_started_is_a_loop_and_not_the_worker(kind):
    text = units.text(kind, units.Worker("iogauge", "tls://10.0.0.1:8786"), count=3)
    assert "while :; do" in text
    assert "tls://10.0.0.1:8786" in text
    assert "{{" not in text


@pytest.mark.parametrize("kind", ["slurm", "loop"])
def test_scripts_are_valid(kind, tmp_path):
    script = tmp_path / "script"
    script.write_text(units.text(kind, WORKER))
    subprocess.run(["bash", "-n", str(script)], check=True)
    if shutil.which("shellcheck"):
        # SC2016: `$HOME` in a label is to stay as it is.
        check = ["shellcheck", "--exclude=SC2016", str(script)]
        done = subprocess.run(check, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


def test_systemd_takes_its_unit(tmp_path, monkeypatch):
    if not shutil.which("systemd-analyze"):
        pytest.skip("needs systemd-analyze")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    at = tmp_path / "iogauge-fleet.service"
    program = tmp_path / "a b"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    at.write_text(units.text("systemd", replace(WORKER, program=f'"{program}"')))
    verify = ["systemd-analyze", "--user", "verify", str(at)]
    done = subprocess.run(verify, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("image", ["iogauge:latest", "a.example:5000/it's:1"])
def test_kubernetes_takes_its_manifest(image):
    """By its own schemas, of an old version and of the newest one."""
    import kubernetes_validate
    import yaml

    text = units.text("kubernetes", replace(WORKER, name=None), count=3, image=image)
    service, hosts = yaml.safe_load_all(text)
    newest = kubernetes_validate.latest_version()
    for version in ("1.30", newest):
        for each in (service, hosts):
            kubernetes_validate.validate(each, version, strict=True)
    assert hosts["spec"]["serviceName"] == service["metadata"]["name"]
    labels = hosts["spec"]["template"]["metadata"]["labels"]
    assert hosts["spec"]["selector"]["matchLabels"] == service["spec"]["selector"] == labels
    pod = hosts["spec"]["template"]["spec"]
    assert pod["containers"][0]["image"] == image
    volumes = {each["name"] for each in pod["volumes"]}
    volumes |= {each["metadata"]["name"] for each in hosts["spec"]["volumeClaimTemplates"]}
    assert volumes == {each["name"] for each in pod["containers"][0]["volumeMounts"]}
    del hosts["spec"]["selector"]
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(hosts, newest, strict=True)


# The client's record.


def test_a_record_is_found_by_its_folder_and_by_its_id(tmp_path):
    from iogauge.model import folders

    folder = folders.runs() / "fleet-1"
    folder.mkdir(parents=True)
    of_host = record.HostRecord(assignment=assigned(), status=Status(host="one", phase="sent"))
    run = record.FleetRun(
        run="fleet-1", started="2026-11-29T00:00:00+00:00", hosts={"one": of_host}
    )
    record.write(folder, run)
    assert folders.fleet_run(folder) == folder
    assert folders.fleet_run(type(folder)("fleet-1")) == folder
    assert folders.fleet_run(tmp_path) is None
    assert record.read(folder) == run
    assert run.lacks
    assert not run.absent


@pytest.mark.parametrize(
    ("words", "cause", "says"),
    [("", None, "no answer in time"), ("out", "", "out"), ("out", "in.\nmore", "in")],
)
def test_an_error_without_words_is_told_too(words, cause, says):
    error = TimeoutError(words)
    error.__cause__ = None if cause is None else OSError(cause)
    assert serving.why(error) == says


# What a terminal shows of many hosts.


def shown(of, *, height=24, alone=False):
    """The table of hosts in these states, as lines of 80 columns."""
    console = Console(width=80, no_color=True, highlight=False)
    followed = following.Followed("fleet-1", of, alone=alone)
    with console.capture() as capture:
        console.print(display._table(followed, height))
    return capture.get().splitlines()


def many(count=200):
    """Most measure; some are done, one fails, one is gone."""
    found = {}
    for number in range(count):
        phase = "done" if number % 4 == 0 else "measuring"
        told = {"groups": 3, "decided": 1, "seconds": float(number), "budget": 300.0}
        found[f"h{number}"] = Status(host=f"h{number}", phase=phase, **told)
    found["h77"] = Status(host="h77", phase="failed", says="the disk is full " * 9)
    found["h99"] = Status(host="h99", phase="missing", says="no worker of this host is there")
    return found


def test_of_many_hosts_those_that_need_somebody_come_first_and_all_fit_on_a_screen():
    lines = shown(many(), alone=True)
    assert len(lines) <= 24
    assert all(len(each.rstrip()) <= 80 for each in lines)
    told = " ".join(lines)
    assert "50 done" in told
    assert "148 measuring, 50 done, 1 failed, 1 missing" in told
    rows = [each for each in lines if each.startswith("h")]
    assert rows[0].startswith("h77  FAILED: the disk is full")
    assert rows[1].startswith("h99  MISSING")
    assert rows[2].startswith("h1 ")  # which has measured least
    assert f"and {150 - len(rows)} more" in lines


def test_of_a_few_hosts_all_are_shown():
    lines = shown(dict(list(many().items())[:5]))
    assert [each.split()[0] for each in lines[1:]] == ["h0", "h1", "h2", "h3", "h4"]


def test_without_a_terminal_many_hosts_are_counted_and_few_are_told(capsys):
    states = many()
    with display.FleetDisplay("fleet-1") as show:
        show(following.Followed("fleet-1", states))
        show(following.Followed("fleet-1", states))
    assert capsys.readouterr().err.splitlines() == [
        f"h77: FAILED: {'the disk is full ' * 9}",
        "h99: MISSING: no worker of this host is there",
        "fleet-1: 148 measuring, 50 done, 1 failed, 1 missing",
    ]


@pytest.mark.parametrize(
    ("phase", "is_open"), [("failed", False), ("done", False), ("missing", True), ("left", True)]
)
def test_a_run_is_open_while_a_host_may_go_on(phase, is_open):
    host = HostRecord(assignment=assigned(), status=Status(host="one", phase=phase))
    assert FleetRun(run="fleet-1", started="now", hosts={"one": host}).is_open == is_open
