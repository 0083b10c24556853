"""Writing, work in memory, random access and compute-only variants through the whole pipeline, on the fake
runner.
"""

from __future__ import annotations

import dataclasses
import json

import pytest

from iogauge.analysis import report
from iogauge.host import device
from iogauge.model.errors import UserError
from iogauge.model.method import METHOD
from iogauge.runners import task
from tests.fake_study import Clock, faulty, group, make_plan, steady
from tests.fake_study import measure as measure_all

WRITING = """
[[group.case]]
strategy = "fake/writing"
parameters = { speed = [10000, 20000, 40000] }
"""


def writing(
    more: str = "", *, cases: str = WRITING, size: str = "64K", identifier: str = "writes"
) -> str:
    more = f'operation = "write"\n{more}'
    text = group(cases, size=size, identifier=identifier, more=more)
    return text.replace('cache = ["warm"]\n', "")


def measure(text, fake, folder, replicates=2, **more):
    """A few replicates: real files are written, and identical cases would go on to the last look.
    The clock moves with each look at it, so the budget is a number of looks.
    """
    clock, budget = Clock(step=0.001), 0.2 * replicates
    return measure_all(text, fake, folder, clock=clock, budget=budget, **more)


def samples(measured, **wanted):
    given = wanted.items()
    return [s for s in measured.run.samples if all(getattr(s, key) == of for key, of in given)]


def left_behind(folder) -> list[str]:
    names = [path.name for path in (folder / "iogauge-data").glob("*")]
    return [name for name in names if name.startswith(("written-", "logs-"))]


def test_files_that_are_written_are_verified_and_removed(fake, folder):
    done = measure(writing(), fake, folder, replicates=100)
    assert done.reason == "decided"
    made = report.make(done.run)
    assert made.failures == 0
    assert [case.case.parameters["speed"] for case in made.groups[0].cases] == [10000, 20000, 40000]
    assert {each.file_before for each in done.run.samples} == {0}
    assert {each.dirty_before for each in done.run.samples} == {0}
    assert not any(each.void for each in done.run.samples)
    assert all(each.bytes == 65536 * sum(each.operations) for each in done.run.samples)
    assert left_behind(folder) == []


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("writes-less", "wrong size: the file has 65535 bytes, 65536 are right"),
        ("writes-other", "wrong content"),
        ("forgets-to-write", "the file was not written"),
    ],
)
def test_a_file_that_is_not_the_payload_fails_its_case_alone(fake, folder, name, reason):
    done = measure(writing(cases=WRITING + faulty(name)), fake, folder)
    failed = done.run.failed()
    assert [done.run.plan.cases[case].strategy for case in failed] == [f"fake/{name}"]
    assert reason in next(iter(failed.values()))
    assert left_behind(folder) == []


def test_what_a_strategy_makes_up_is_verified_by_size(fake, folder):
    done = measure(writing(cases=WRITING.replace("fake/writing", "fake/drawing")), fake, folder)
    assert not done.run.failed()


@pytest.mark.parametrize("lifetime", ["operation", "sample", "fork", "run"])
@pytest.mark.parametrize("mode", ["truncate", "append"])
def test_a_file_lives_and_grows_as_the_study_says_and_no_further(fake, folder, lifetime, mode):
    more = f'mode = "{mode}"\nlifetime = "{lifetime}"\n'
    done = measure(writing(more), fake, folder)
    assert not done.run.failed() and not done.run.caveats
    grows = mode == "append" and lifetime in ("fork", "run")
    assert all(each.dirty_before == 0 for each in done.run.samples)
    if not grows:
        lives = lifetime in ("fork", "run")
        assert {each.file_before for each in done.run.samples} <= ({0, 65536} if lives else {0})
        return
    due: dict[int, int] = {}
    for each in done.run.samples:
        file = 0 if lifetime == "run" else each.fork
        assert each.file_before == due.get(file, 0)
        untimed = 65536 * each.operations[0] * len(each.prelude_ns)
        due[file] = each.file_before + each.bytes + untimed
    assert due and all(due.values())
    assert left_behind(folder) == []


def test_a_file_that_grew_large_is_begun_anew_and_that_is_said(fake, folder):
    small = METHOD.model_copy(update={"grown_most": 1 << 20})
    done = measure(writing('mode = "append"\nlifetime = "run"\n'), fake, folder, method=small)
    assert any("begun anew" in each.text for each in done.run.caveats)
    assert max(each.file_before for each in done.run.samples) <= 1 << 20


@pytest.mark.long
def test_single_operations_are_timed_where_they_wait_for_the_device(fake, folder):
    if device.why_not_durable("fsync", folder):
        pytest.skip("the test folder is in memory")
    quick = WRITING.replace("[10000, 20000, 40000]", "[1000, 1100]")
    done = measure(
        writing('durability = ["none", "fsync"]\n', cases=quick), fake, folder, replicates=10
    )
    plain, waiting = report.make(done.run).groups
    assert plain.cases[0].latency is None  # several operations in each of its spans
    for case in waiting.cases:
        assert case.latency.n >= case.samples
        assert (case.latency.p99 is None) == (case.latency.n < 100)
        assert case.evidence.device_writes_per_op >= 1
        flushes = case.evidence.device_flushes_per_op
        assert flushes is None or flushes > 0.5
    assert any(case.latency.p99 for case in waiting.cases)
    assert all(len(each.ns) > 1 and set(each.operations) == {1} for each in samples(done, group=1))


@pytest.mark.long
def test_a_durable_sample_during_which_the_device_wrote_nothing_is_void(fake, folder, monkeypatch):
    if device.why_not_durable("fsync", folder):
        pytest.skip("the test folder is in memory")
    nothing = {"writes": 0, "written_bytes": 0, "flushes": 0}
    monkeypatch.setattr(device.Device, "since", lambda self, before: nothing)
    done = measure(writing('durability = "fsync"\n'), fake, folder)
    assert done.run.samples
    assert all("the device wrote 0 times" in each.void for each in done.run.samples)


def test_durability_that_the_directory_cannot_have_is_not_testable(fake, tmp_path, monkeypatch):
    monkeypatch.setattr(device, "why_not_durable", lambda kind, directory: f"no {kind} there")
    done = measure(writing('durability = "sync-inode"\n'), fake, tmp_path)
    assert set(done.run.failed().values()) == {"not testable here: no sync-inode there"}
    assert done.reason == "decided" and not done.run.samples


def test_a_sync_mount_is_detected(fake, tmp_path):
    done = measure(writing('durability = "sync-mount"\n'), fake, tmp_path)
    why = "not on a file system that is mounted with the option sync"
    assert done.run.failed() and all(why in reason for reason in done.run.failed().values())


def test_durability_that_an_api_does_not_offer_is_skipped_and_said(fake):
    said = "nothing to measure: fake/writing: truncate, dsync: its API offers no dsync"
    with pytest.raises(UserError, match=said):
        make_plan(writing('durability = "dsync"\n'), fake)
    both = make_plan(writing('durability = ["none", "dsync"]\n'), fake)
    assert [each.id for each in both.groups] == ["writes-none"]
    assert [each.why for each in both.skipped] == ["its API offers no dsync"]


@pytest.mark.parametrize(
    ("what", "durability", "why"),
    [
        ("mapped", "sync-inode", "written through a mapping does not wait for the device"),
        ("mapped", "sync-mount", "written through a mapping does not wait for the device"),
        ("replaces", "sync-inode", "it puts a new file, which does not wait, in the place of one"),
    ],
)
def test_what_would_not_wait_is_not_measured_where_calls_are_to_wait(fake, what, durability, why):
    one = fake.runtime.strategies["fake/writing"]
    strategies = fake.runtime.strategies | {one.name: one.model_copy(update={what: True})}
    runtime = fake.runtime.model_copy(update={"strategies": strategies})
    text = writing(f'durability = ["none", "{durability}"]\n')
    found = make_plan(text, dataclasses.replace(fake, runtime=runtime))
    assert [each.id for each in found.groups] == ["writes-none"]
    (skipped,) = found.skipped
    assert why in skipped.why


def test_a_folder_whose_files_are_synchronous_is_said(fake, folder):
    if device.why_not_durable("sync-inode", folder):
        pytest.skip("no synchronous flag here")
    device.set_flag(folder, device.SYNCHRONOUS)
    assert device.has_flag(folder, device.SYNCHRONOUS)
    assert not device.has_flag(folder, device.IMMUTABLE)
    try:
        done = measure(writing(), fake, folder)
    finally:
        device.set_flag(folder, device.SYNCHRONOUS, False)
    (caveat,) = [each for each in done.run.caveats if each.about == "run"]
    assert "inherit its synchronous flag" in caveat.text


def test_large_writes_leave_no_more_to_write_back_than_a_sample_may(fake, folder):
    done = measure(writing(size="4M"), fake, folder)
    assert all(each.bytes <= 64 << 20 for each in done.run.samples)
    assert max(sum(each.operations) for each in done.run.samples) <= 16


def test_work_in_memory_needs_no_file(fake, folder):
    reads = group(faulty("memory"), identifier="reads", more='medium = "memory"\n')
    reads = reads.replace('cache = ["warm"]\n', "")
    writes = writing('medium = "memory"\n', cases=faulty("in-memory"), identifier="sinks")
    done = measure(reads + writes, fake, folder)
    assert not done.run.failed()
    assert {each.resident_before for each in done.run.samples} == {None}
    cases = done.run.plan.cases
    assert all(str(case.conditions) == "" and "cache" not in case.key for case in cases)


def test_text_is_counted_in_characters(fake, folder):
    text = group(faulty("text"), more='content = ["text", "text-unicode"]\nconsume = "sum"\n')
    done = measure(text, fake, folder)
    assert not done.run.failed()
    unicode = samples(done, group=1)[0]
    assert unicode.count[0] < unicode.bytes


def test_compute_only_tell_the_share_that_is_no_io(fake, folder):
    done = measure(group(steady(10, 30)), fake, folder)
    replicates = {each.replicate for each in done.run.compute_only}
    assert replicates == {0}
    fast, slow = report.make(done.run).groups[0].cases
    assert {each.strategy for each in done.run.compute_only} == {"fake/adding"}
    assert fast.compute.share.center == pytest.approx(3 / 10, rel=0.1)
    assert slow.compute.share.center == pytest.approx(3 / 30, rel=0.1)
    assert fast.compute.share.lo <= fast.compute.share.center <= fast.compute.share.hi


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ('durability = "none"', "durability does not apply to operation = 'read' with medium"),
        ('medium = "memory"\ncache = "warm"', "cache does not apply to operation = 'read' with"),
        ('operation = "write"\nconsume = "sum"', "consume does not apply to operation = 'write'"),
        ('operation = "write"', "fake/steady has operation = 'read', this group is about 'write'"),
        ('medium = "memory"', "fake/steady has medium = 'file', this group is about 'memory'"),
        ("accesses = 0", "accesses[0]: input should be greater than or equal to 1"),
        ('operation = "write"\ndurability = "fsync"\nsize_of = 1', "unknown key"),
        ("accesses = 10", "fake/steady has access = 'sequential', this group is about 'random'"),
    ],
)
def test_what_does_not_belong_together_is_said(fake, more, message):
    text = group(steady(10), more=more).replace('cache = ["warm"]\n', "", 1)
    with pytest.raises(UserError, match="study.toml: group.0.") as error:
        make_plan(text, fake)
    assert message in str(error.value)


def test_nothing_cannot_be_made_durable(fake):
    with pytest.raises(UserError, match=r"group\[0\].size: an operation that writes nothing"):
        make_plan(writing('durability = "fsync"\n', size="0"), fake)


def test_options_that_are_no_variables_are_refused(fake):
    row = '\n[[group.case]]\nstrategy = "fake/steady"\noptions = ["FAKE_OPTION"]\n'
    said = r"case\[1\].options: FAKE_OPTION: for fake-1.0 write variables, NAME=VALUE"
    with pytest.raises(UserError, match=said):
        make_plan(group(steady(10) + row), fake)


def test_each_lifetime_is_warmed_up_and_calibrated_for_itself(fake):
    made = make_plan(writing('lifetime = ["operation", "fork"]\n'), fake)
    assert len({case.shape for case in made.cases}) == 2


def test_what_a_failure_left_half_written_burdens_nobody_else(fake, folder):
    """All cases append to one file; the one that writes half of it is out, and the others go on."""
    more = 'mode = "append"\nlifetime = "run"\n'
    text = writing(more, cases=WRITING + faulty("writes-later-less"))
    done = measure(text, fake, folder, replicates=4)
    (failed,) = [done.run.plan.cases[case] for case in done.run.failed()]
    assert failed.strategy == "fake/writes-later-less"
    assert len(done.run.replicates) > 1


def test_room_is_reckoned_for_files_that_live_on(fake):
    # A sample's and those before it.
    assert task.most_written(make_plan(writing(), fake), METHOD) == 2 * 256 * 65536
    run = make_plan(writing('mode = "append"\nlifetime = "run"\n'), fake)
    assert task.most_written(run, METHOD) > 1 << 30
    assert task.most_written(make_plan(group(steady(10)), fake), METHOD) == 0


def test_options_of_a_runtime_are_part_of_the_case(fake, folder):
    row = '\n[[group.case]]\nstrategy = "fake/steady"\noptions = ["FAKE_OPTION=7"]\n'
    done = measure(group(steady(10) + row), fake, folder)
    settings = {case.setting for case in done.run.plan.cases}
    assert settings == {"fake-1.0", "fake-1.0 FAKE_OPTION=7"}
    assert any("@fake-1.0 FAKE_OPTION=7" in case.key for case in done.run.plan.cases)
    header = json.loads(done.path.read_text().splitlines()[0])
    assert any(fork["options"] == ["FAKE_OPTION=7"] for fork in header["plan"]["forks"])
