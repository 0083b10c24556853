"""Files and file systems that are not a plain file on a plain disk."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass

import pytest

from iogauge.analysis import report
from iogauge.commands.statuses import JUDGE
from iogauge.corpus.own_file import OwnFile
from iogauge.host import device, files, provable
from iogauge.measuring import session
from iogauge.planning import plan
from iogauge.runners import manifest, preparing
from iogauge.runners.preparing import Missing
from iogauge.study import loading
from tests.anywhere import conditions
from tests.anywhere.mounts import mounted

MIB = 1 << 20
HEAD = 'id = "files"\ntitle = "Files"\nbudget = "1s"\nrounds = { warm = 1, cold = 1, write = 1 }\n'
READ = """
[[group]]
id = "read"
question = "?"
size = {size}
content = "{content}"
cache = ["warm", "cold"]
consume = "{consume}"
[[group.case]]
strategy = "fake/steady"
parameters = {{ speed = [1000] }}
"""
WRITE = """
[[group]]
id = "written"
question = "?"
operation = "write"
size = "16K"
durability = ["none", "fsync"]
[[group.case]]
strategy = "fake/writing"
parameters = { speed = [100000] }
"""
MEMORY = "keeps its files in memory"
IN_MEMORY = "is a file in tmpfs, so in memory"
VOLATILE = "volatile: fsync writes nothing"
UNSHOWN = "does not show which parts of a file are in the cache"


@dataclass
class Outcome:
    """By group: why it was refused (None: not at all), why its samples were void, its caveats."""

    refused: dict[str, str | None]
    void: dict[str, set[str]]
    caveats: dict[str, str]


def outcome(fake, folder, tmp_path, text, own=None) -> Outcome:
    study, machine = loading.parse(HEAD + text, "files"), session.machine([fake.runtime], [])
    made = plan.make(study, "files", machine, plan.Options(seed=1, budget=0.1))
    prepared = session.Prepared(study, made, [fake])
    run, _, _ = session.measure(
        prepared, folder, tmp_path / "run.jsonl", {}, lambda progress: None, JUDGE, own
    )
    report.make(run)
    found = Outcome({}, {}, {})
    for index, group in enumerate(run.plan.groups):
        failed = {each.reason for each in run.failures if each.case in group.cases}
        samples = [each for each in run.samples if each.group == index]
        assert bool(failed) != bool(samples), (group.id, failed)
        found.refused[group.id] = "; ".join(failed) or None
        found.void[group.id] = {each.void for each in samples if each.void}
        found.caveats[group.id] = "; ".join(
            each.text for each in run.caveats if each.about == group.id and not each.replicate_id
        )
    return found


NO_DISK = "from disk is refused with the reason; cached is measured"
ALL = "cached, from disk and fsync are measured"
NO_FSYNC = "fsync is refused with the reason; the rest is measured"
ONLY_CACHED = "from disk and fsync are refused with the reason; cached is measured"
UNPROVEN = "from disk is refused with the reason; a caveat says that cached is not proven"
NO_COLD = "from disk is refused with the reason; cached is measured, with a caveat"


@pytest.mark.parametrize(
    ("condition", "cold", "fsync", "happened"),
    [
        ("data files on ext4", None, None, ALL),
        ("data files on xfs", None, None, ALL),
        ("data files on btrfs with compression", None, None, ALL),
        ("data files on overlay", None, None, ALL),
        ("data files on overlay mounted volatile", None, f"mounted {VOLATILE}", NO_FSYNC),
        ("data files on tmpfs", MEMORY, MEMORY, ONLY_CACHED),
        ("data files on FUSE (bindfs)", UNSHOWN, None, UNPROVEN),
        ("data files on ext4 without barriers", None, "mounted without barriers", NO_FSYNC),
        ("data files on ext4 on a device in memory", None, IN_MEMORY, NO_FSYNC),
    ],
)
def test_data_files_of_ours(fake, disk_folder, tmp_path, told, condition, cold, fsync, happened):
    kind = condition.removeprefix("data files on ")
    text = READ.format(size='"1M"', content="text", consume="sum") + WRITE
    with mounted(kind, disk_folder) as folder:
        found = outcome(fake, folder, tmp_path, text)
    expected = {"read-warm": None, "read-cold": cold, "written-none": None, "written-fsync": fsync}
    assert set(found.refused) == set(expected)
    for group, reason in expected.items():
        said = found.refused[group]
        assert said is None if reason is None else said and reason in said, (group, said)
    assert not any(found.void.values()), found.void
    assert "compressed" not in "".join(found.caveats.values()), "what we make is not compressible"
    unproven = "cache not proven" in found.caveats["read-warm"]
    assert unproven == (kind == "FUSE (bindfs)")
    told(condition, happened)


@pytest.mark.long
def test_every_command_tells_that_fsync_is_not_possible(disk_folder, tmp_path, told):
    says = f"the overlay is mounted {VOLATILE} there"
    study = tmp_path / "study.toml"
    study.write_text(HEAD + WRITE)
    environment = {"XDG_CACHE_HOME": str(tmp_path), "COLUMNS": "200"}
    iogauge = conditions.Command(environment=environment)
    with mounted("overlay mounted volatile", disk_folder) as folder:
        where = ("--dir", folder)
        (doctor, plan, run), _ = iogauge.in_turn(
            ("doctor", "--json", *where), ("plan", study, *where), ("run", study, *where)
        )
        asked = ("advise", "--operation", "write", "--durability", "fsync", "--run", *where)
        advise = iogauge.fake(*asked)
    assert (doctor[0], plan[0], run[0], advise.returncode) == (0, 0, 3, 2)
    assert f'"fsync": "{says}"' in doctor[1]
    assert f"not possible here: written-fsync: {says}" in " ".join(plan[1].split())
    assert f"not testable here: {says}" in " ".join(run[1].split())
    assert advise.stderr == f"iogauge: --durability fsync: {says}; give another --dir\n"
    told("an overlay mounted volatile", "doctor, plan, run and advise say that fsync is refused")


def test_tiny_data_files_of_ours(fake, disk_folder, tmp_path, told):
    text = READ.format(size=512, content="bytes", consume="touch")
    with mounted("btrfs with compression", disk_folder) as folder:
        only_cached(outcome(fake, folder, tmp_path, text), "lies in its metadata")
    told("data files of 512 B on btrfs", NO_DISK)


def only_cached(found: Outcome, why: str) -> None:
    """From disk it is refused, for this reason."""
    assert why in found.refused["read-cold"]
    assert found.refused["read-warm"] is None and not found.void["read-warm"]


def own_outcome(fake, path, tmp_path) -> Outcome:
    text = READ.format(size=path.stat().st_size, content="own", consume="touch")
    return outcome(fake, path.parent, tmp_path, text, OwnFile(path))


def holes(path):
    with path.open("wb") as file:
        file.write(os.urandom(MIB))
        file.truncate(16 * MIB)


def test_a_file_that_is_mostly_holes(fake, disk_folder, tmp_path, told):
    path = disk_folder / "mostly-holes"
    holes(path)
    found = own_outcome(fake, path, tmp_path)
    assert set(found.refused.values()) == {None} and not any(found.void.values()), found
    says = "15 MiB of the file's 16 MiB are holes: the kernel gives zeros for them without reading"
    assert set(found.caveats.values()) == {says}
    told("a file that is mostly holes", "is measured, with a caveat")


@pytest.mark.parametrize(
    "condition", ["a file made by truncate -s 16M", "a file made by fallocate -l 16M"]
)
def test_a_file_with_nothing_in_it(fake, disk_folder, tmp_path, told, condition):
    command = condition.removeprefix("a file made by ")
    path = disk_folder / f"nothing-{command[0]}"
    if subprocess.run([*command.split(), path], check=False).returncode:
        pytest.skip(f"the file system of {disk_folder.parent} has no fallocate")
    found = own_outcome(fake, path, tmp_path)
    only_cached(found, "it is all holes, for which the kernel gives zeros")
    assert "16 MiB of the file's 16 MiB are holes" in found.caveats["read-warm"]
    told(condition, NO_COLD)


@pytest.mark.parametrize(
    ("condition", "why", "happened"),
    [
        ("a tiny file on ext4 with inline data", "lies in its metadata", NO_DISK),
        ("a tiny file on btrfs with compression", "lies in its metadata", NO_DISK),
        ("a file on FUSE (bindfs)", "the file system (fuse) does not show", UNPROVEN),
    ],
)
def test_a_file_that_is_only_cached(fake, disk_folder, tmp_path, told, condition, why, happened):
    size, _, kind = condition.partition(" on ")
    with mounted(kind, disk_folder) as folder:
        path = folder / "file"
        path.write_bytes(os.urandom(60 if "tiny" in size else MIB))
        found = own_outcome(fake, path, tmp_path)
    only_cached(found, why)
    assert ("cache not proven" in found.caveats["read-warm"]) == (happened == UNPROVEN)
    told(condition, happened)


def test_a_file_of_another_user(fake, disk_folder, tmp_path, told, monkeypatch):
    """That all of it is cached, as mincore says then, is no evidence; that no read came from the
    device is.
    """
    path = disk_folder / "theirs"
    path.write_bytes(os.urandom(MIB))
    monkeypatch.setattr(files, "may_be_observed", lambda path, found: False)
    found = own_outcome(fake, path, tmp_path)
    assert "only to a user who owns the file" in found.refused["read-cold"]
    assert found.refused["read-warm"] is None and not found.caveats["read-warm"]
    samples = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    resident = {each["resident_before"] for each in samples if "resident_before" in each}
    assert resident == {None}
    monkeypatch.setattr(provable, "_read_bytes", lambda: None)
    (tmp_path / "uncounted").mkdir()
    found = own_outcome(fake, path, tmp_path / "uncounted")
    assert "cache not proven" in found.caveats["read-warm"]
    told("a file of another user, which may only be read", NO_DISK)


def test_a_compressed_file(fake, disk_folder, tmp_path, told):
    with mounted("btrfs with compression", disk_folder) as folder:
        path = folder / "repetitive"
        path.write_bytes(b"the same line again and again\n" * 100_000)
        found = own_outcome(fake, path, tmp_path)
        assert 0 < provable.device_bytes(path) < path.stat().st_size / 4
    assert set(found.refused.values()) == {None} and not any(found.void.values()), found
    assert "2.86 MiB compressed: a cold read gets" in found.caveats["read-cold"]
    told("a compressed file on btrfs", "is measured; a caveat says how much the device reads")


def test_a_cold_read_that_stays_below_what_is_stored_is_void(
    fake, disk_folder, tmp_path, monkeypatch
):
    path = disk_folder / "more-stored"
    holes(path)
    monkeypatch.setattr(provable, "device_bytes", lambda path: 8 * MIB)
    found = own_outcome(fake, path, tmp_path)
    assert any(f"{8 * MIB} are needed" in each for each in found.void["read-cold"])


def test_an_fsync_that_does_nothing(disk_folder, monkeypatch, told):
    """As under eatmydata."""
    if device.why_not_durable("fsync", disk_folder):
        pytest.skip("the test folder is not on a device")
    monkeypatch.setattr(os, "fsync", lambda fd: None)
    inside = disk_folder / "inside"  # of a folder the answer is kept
    inside.mkdir()
    monkeypatch.setenv("LD_PRELOAD", "libeatmydata.so")
    says = "no device of this machine was seen to write within an fsync"
    assert device.why_not_durable("fsync", inside) == f"{says} (LD_PRELOAD is libeatmydata.so)"
    told("an fsync that does nothing (eatmydata)", "fsync is refused with the reason")


@pytest.mark.parametrize(
    ("condition", "happened"),
    [
        ("another user, on ext4", ALL),
        ("another user, on tmpfs", ONLY_CACHED),
        ("another user, on overlay", ALL),
        ("another user, on btrfs with compression", ALL),
    ],
)
def test_another_user(disk_folder, told, condition, happened):
    kind = condition.removeprefix("another user, on ")
    # Not below pytest's own folder: each pytest that starts shuts that to others.
    home = disk_folder / "home"
    home.mkdir(exist_ok=True)
    study = home / "study.toml"
    study.write_text(HEAD + READ.format(size='"64K"', content="bytes", consume="touch") + WRITE)
    disk_folder.chmod(0o711)
    with (
        conditions.another_user(home) as iogauge,
        mounted(kind, disk_folder) as folder,
    ):
        folder.chmod(0o777)
        done = iogauge.after(XDG_DATA_HOME=str(home / "runs")).python(
            conditions.ROOT / "tests/anywhere/with_fake_runner.py",
            *("run", study, "--dir", folder, "--budget", "1s"),
        )
    assert done.returncode == (3 if kind == "tmpfs" else 0), done
    assert (f"tmpfs {MEMORY}" in done.stdout) == (kind == "tmpfs"), done
    assert "steady" in done.stdout and "Traceback" not in done.stderr
    told(condition, happened)


GO = conditions.ROOT / "runners" / "go"
ANSWERED = "a file is measured, from disk too where that can be, and the answer has code to copy"


@pytest.fixture(scope="module")
def built():
    """The folder of the build of Go's runner."""
    usable = preparing.usable(manifest.load(GO), [])
    if isinstance(usable, Missing):
        pytest.skip(usable.why)
    (made,) = preparing.obtain(usable.wanted, print)
    if isinstance(made, Missing) or not usable.wanted[0].built:
        pytest.skip("Go's runner cannot be built here")
    return usable.wanted[0].built


@pytest.mark.real
@pytest.mark.parametrize(
    "condition",
    [
        "another user, at home on ext4, with Go",
        pytest.param("another user, at home on tmpfs, with Go", marks=pytest.mark.long),
        pytest.param("another user, at home on overlay, with Go", marks=pytest.mark.long),
        pytest.param(
            "another user, at home on btrfs with compression, with Go", marks=pytest.mark.long
        ),
    ],
)
def test_another_user_with_a_real_runner(built, disk_folder, told, condition):
    kind = condition.removeprefix("another user, at home on ").removesuffix(", with Go")
    disk_folder.chmod(0o711)
    with mounted(kind, disk_folder) as folder:
        home = folder / "home"
        home.mkdir()
        runners = home / "cache" / "iogauge" / "runners"
        shutil.copytree(built, runners / built.name)
        (home / "my file").write_bytes(os.urandom(1 << 20))
        for path in (home, *home.rglob("*")):
            os.chown(path, conditions.NOBODY, conditions.NOBODY)
        with conditions.another_user(home) as iogauge:
            script = conditions.ROOT / "tests/anywhere/with_runners.py"
            done = iogauge.python(script, GO, "--", home / "my file", "--budget", "1s")
    assert done.returncode == 0 and "Traceback" not in done.stderr, done
    assert "building" not in done.stderr, "the copy is what was built"
    assert "os.ReadFile" in done.stdout, done.stdout
    # A second of measuring on a loaded machine may leave identical code too far apart.
    assert ("    use(data)" in done.stdout) != ("  no answer: " in done.stdout), done.stdout
    refused = "not measured: from disk: tmpfs keeps its files in memory" in done.stderr
    assert refused == (kind == "tmpfs"), done.stderr
    told(condition, ANSWERED)


def test_pieces_of_a_file_without_the_ioctl(disk_folder, monkeypatch):
    """As the file systems tell that do not know FIEMAP."""
    path = disk_folder / "in-pieces"
    holes(path)
    by_ioctl = provable.layout(path)

    def unknown(fd):
        raise OSError("not supported")

    monkeypatch.setattr(provable, "_extents", unknown)
    assert provable.layout(path) == by_ioctl
    assert (by_ioctl.stored, by_ioctl.holes, by_ioctl.begins) == (MIB, 15 * MIB, 0)
