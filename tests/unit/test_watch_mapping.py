"""Files that a program maps, and which of its page faults those may have had."""

from __future__ import annotations

import mmap
import os
import sys

import pytest

from iogauge.host import folios, proctree
from iogauge.host.proctree import Mapped, Resident, State
from iogauge.host.strace import Call
from iogauge.model.watched import Amounts, Constant, Constants, Span
from iogauge.outputs import watch_words
from iogauge.watching import findings, mapping
from iogauge.watching.estimating import Estimate, Group
from iogauge.watching.findings import Means
from iogauge.watching.mapping import Lying
from iogauge.watching.recognising import Facts
from iogauge.watching.watcher import Seen, Watcher, Worked
from tests.watch_records import watched

MIB = 1 << 20
FACTS = Facts("/home/me/count", "count", "c", own=True)
FAULTS = 16_000  # as of 1000 MiB in small folios


def constant(name, ns, size) -> Constant:
    return Constant(name=name, size=size, ns=Span(low=ns, middle=ns, high=ns))


COSTS = Constants(
    measured="",
    canary_ns=1.0,
    calls=(
        constant("mapped-small", 100_000, MIB),
        constant("mapped-small", 400_000, 4 * MIB),
        constant("mapped-large", 40_000, 4 * MIB),
        constant("read", 20_000, 128 << 10),
    ),
)


def seen(path="/home/me/log", faults=FAULTS, system=0.1, most=0, moved=0) -> Seen:
    return Seen(
        facts={1: FACTS},
        mapped={(1, Mapped(path, 0)): 64 * MIB},
        worked={1: Worked(faults, system, most=most, moved=moved, moved_of_files=1000 * MIB)},
    )


def made(told: Seen, *, small: float | None = 1.0, system=0.1, faults=FAULTS, costs=COSTS, reads=0):
    some = mapping.mappings(told, Amounts(minor_faults=faults, system=system))
    some = [
        mapping.Mappings(
            each.program,
            tuple(Lying(one.path, one.inode, one.bytes, small) for one in each.files),
            each.faults,
            each.every_fault,
            each.system,
            each.sure,
        )
        for each in some
    ]
    group = Group(FACTS.key, "read", "/x", "file", count=reads, bytes=reads * (128 << 10), seen=1)
    found = Estimate({(FACTS.key, "read", "/x"): group}, {}, [])
    return mapping.candidates(some, found, costs, looked=True)


def test_a_saving_is_that_of_the_faults_over_small_folios():
    (one,) = made(seen())
    assert (one.kind, one.path, one.size) == ("mapped-small-folios", "/home/me/log", 4096)
    assert (one.calls, one.bytes) == pytest.approx((FAULTS, 1000 * MIB))
    assert one.guess == pytest.approx(1000 * (100_000 - 10_000) / 1e9)
    assert one.saves.low < one.saves.middle == one.guess < one.saves.high


@pytest.mark.parametrize("small", [0.0, None])
def test_nothing_is_said_of_large_folios_and_of_what_nobody_saw(small):
    assert made(seen(), small=small) == []


def test_faults_of_new_memory_are_no_faults_of_a_mapping():
    (one,) = made(seen(most=4000 * mmap.PAGESIZE))
    assert one.calls == pytest.approx(FAULTS - 4000)
    assert made(seen(most=FAULTS * mmap.PAGESIZE)) == []


def test_nor_is_more_counted_than_the_kernel_had_time_for():
    (one,) = made(seen(), system=0.03)
    assert one.calls < FAULTS / 2
    assert made(seen(faults=1_000_000), faults=1_000_000, system=0.5) == []


def test_memory_that_comes_and_goes_has_its_part_of_the_faults():
    (pure,), (one,) = made(seen()), made(seen(moved=16_000 * mmap.PAGESIZE))
    assert one.calls == pytest.approx(FAULTS / 2)
    assert one.saves.low / one.saves.middle < pure.saves.low / pure.saves.middle
    only_grew = seen(most=4000 * mmap.PAGESIZE, moved=4000 * mmap.PAGESIZE)
    assert made(only_grew)[0].calls == pytest.approx(FAULTS - 4000)
    # Most of what this one had was memory that it returned and took again.
    many = seen(faults=1_000_000, moved=1_000_000 * mmap.PAGESIZE, most=25_000 * mmap.PAGESIZE)
    few = made(many, faults=1_000_000, system=2.3)
    assert sum(each.guess for each in few) < 0.02 * 5.0


def state(faults):
    return State(1, "R", 1, 0.0, 0.1, 0.0, 0.0, 0, 0, 7.0, own_minor_faults=faults)


def test_what_a_process_had_done_before_it_was_watched_counts_nowhere():
    was, now = state(1_000_000), Resident(4000, 50)
    worked = Worked.of(was, now, is_new=False).after(was, now)
    assert (worked.faults, worked.system, worked.most, worked.moved_of_files) == (0, 0.0, 0, 0)
    worked = worked.after(state(1_000_020), Resident(4010, 80))
    assert (worked.faults, worked.most, worked.moved, worked.moved_of_files) == (20, 10, 10, 30)
    new = Worked.of(was, now, is_new=True).after(was, now)
    assert (new.faults, new.most, new.began) == (1_000_000, 4000, 7.0)


def test_of_several_slow_files_all_are_to_be_written_otherwise():
    text = mapping._change("/tmp/log", 3, COSTS).text
    assert text.startswith("write log and 3 more files in pieces of 1 MiB, or copy them once")


def test_what_looks_see_come_and_go_is_summed():
    worked = Worked(0, 0.0)
    for number, (own, files) in enumerate([(5, 1), (9, 8), (3, 0)]):
        worked = worked.after(state(number), Resident(own, files))
    assert (worked.faults, worked.most, worked.moved, worked.moved_of_files) == (2, 9, 15, 16)


def test_the_time_of_its_calls_is_theirs():
    (one,) = made(seen(), system=0.13, reads=5000)
    assert one.calls < FAULTS / 2


def test_of_several_processes_each_has_its_share():
    told = seen()
    told.worked[2] = Worked(3 * FAULTS, 0.3)
    (one,) = made(told, faults=5 * FAULTS, system=0.5)
    assert one.calls == pytest.approx(5 * FAULTS / 4)


def test_large_folios_and_unseen_files_take_their_part_of_the_faults():
    small, large, unseen = (Lying(f"/{each}", 0, 64 * MIB, each) for each in (1.0, 0.0, None))
    assert mapping._share([small]) == 1.0
    assert mapping._share([small, large]) == pytest.approx(16 / 18)
    assert mapping._share([small, unseen]) == pytest.approx(1 / 2)


@pytest.mark.parametrize(
    "path", ["/usr/lib/locale/locale-archive", "/opt/jdk/lib/modules", "/home/me/app.jar"]
)
def test_files_of_the_system_and_of_runtimes_are_no_data(path):
    assert mapping.mappings(seen(path), Amounts(minor_faults=FAULTS, system=1.0)) == []


@pytest.mark.parametrize(("read", "says"), [(10_000, True), (20_000, False)])
def test_to_read_is_advised_where_that_takes_less_here(read, says):
    costs = COSTS.model_copy(
        update={"calls": (*COSTS.calls[:3], constant("read", read, 128 << 10))}
    )
    (one,) = made(seen(), costs=costs)
    assert one.change.text.startswith("write log in pieces of 1 MiB, or copy it once")
    assert ("read all by 128 KiB" in one.change.text) == says
    assert one.change.code == "dd if=log of=log.copy bs=1M", "the log stays where it is written"


@pytest.mark.parametrize(
    ("facts", "wall", "count"),
    [(FACTS, 1.0, 1), (FACTS, 10.0, 0), (Facts("/usr/bin/git", "git"), 1.0, 1)],
)
def test_it_is_silent_below_two_per_cent_and_any_program_gains_by_another_file(facts, wall, count):
    means = Means(lambda asked: None, lambda name, kind: "nothing", COSTS)
    busy = Amounts(user=wall / 2, system=wall / 2)
    found = findings.findings(made(seen()), {FACTS.key: (0, facts)}, [], busy, wall, means)
    assert [each.kind for each in found.findings] == ["mapped-small-folios"] * count
    assert all(each.basis == "constants" for each in found.findings)


def test_the_page_says_what_is_mapped_and_that_it_is_no_call():
    means = Means(lambda asked: None, lambda name, kind: None, COSTS)
    busy = Amounts(user=0.5, system=0.5)
    (one,) = findings.findings(made(seen()), {FACTS.key: (0, FACTS)}, [], busy, 1.0, means).findings
    record = watched(findings=(one,), in_calls=0.01, waiting=0.0)
    assert watch_words.does(one, record) == (
        "log is mapped, and cached in folios of 4 KiB: about 16 000 page faults"
    )
    assert watch_words.in_calls(record) == pytest.approx(0.01)
    bare = one.model_copy(update={"change": None})
    assert watch_words.title(bare, record) == "write log in large pieces"


def test_both_costs_must_have_been_measured():
    assert mapping.are_known(COSTS) and not mapping.are_known(None)
    less = COSTS.model_copy(update={"calls": COSTS.calls[:2]})
    assert not mapping.are_known(less)


class _Looked:
    """How each file lies, by its name."""

    def __init__(self, monkeypatch, **by_name):
        self.asked: list[str] = []

        def seen_as(_, path):
            self.asked.append(path.name)
            return by_name.get(path.name)

        monkeypatch.setattr(folios.Looker, "seen", seen_as)


def looked_at(folder, *paths, inode=0):
    told = seen()
    told.mapped = {(1, Mapped(str(path), inode)): 64 * MIB for path in paths}
    some = mapping.mappings(told, Amounts(minor_faults=FAULTS, system=1.0))
    (one,) = mapping.looked_at(some, folder)
    return {os.path.basename(each.path): each.small for each in one.files}


def test_only_data_that_is_still_there_is_looked_at(tmp_path, monkeypatch):
    half = {4096: 2 * MIB, 16384: 2 * MIB, MIB: 4 * MIB}
    looked = _Looked(monkeypatch, log=folios.Seen(16384, "small", "kpageflags", half))
    for name, content in (("log", b"data"), ("library", b"\x7fELF"), ("short", b"")):
        with open(tmp_path / name, "wb") as file:
            file.write(content)
            file.truncate(8 * MIB if content else 4096)
    names = ("log", "library", "short", "gone")
    found = looked_at(tmp_path, *(tmp_path / each for each in names))
    assert found == {"log": pytest.approx(3 / 8), "library": None, "short": None, "gone": None}
    assert looked.asked == ["log", "library"], "before anything of them is read"
    assert looked_at(tmp_path, tmp_path / "log", inode=1) == {"log": None}
    assert looked.asked == ["log", "library"], "before anything of them is read"


@pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")
def test_what_a_process_has_mapped_to_read_it_is_seen(tmp_path):
    for name in ("reads", "writes", "small"):
        with open(tmp_path / name, "wb") as file:
            file.truncate(8 * MIB if name != "small" else 4096)
    with (
        open(tmp_path / "reads", "rb") as reads,
        open(tmp_path / "writes", "r+b") as writes,
        open(tmp_path / "small", "rb") as small,
        mmap.mmap(reads.fileno(), 0, access=mmap.ACCESS_READ),
        mmap.mmap(writes.fileno(), 0),
        mmap.mmap(small.fileno(), 0, access=mmap.ACCESS_READ),
    ):
        found = proctree.mapped_files(os.getpid(), 4 * MIB)
        inode = os.stat(tmp_path / "reads").st_ino
        assert found == {Mapped(str(tmp_path / "reads"), inode): 8 * MIB}
    assert proctree.mapped_files(os.getpid(), 4 * MIB) == {}
    assert proctree.mapped_files(1 << 30, 0) == {}
    assert min(proctree.resident(os.getpid())) > MIB
    assert proctree.resident(1 << 30) == Resident(0, 0)


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        ("NULL, 8388608, PROT_READ, MAP_SHARED, 3</a/log>, 0", 1),
        ("NULL, 8388608, PROT_READ, MAP_PRIVATE|MAP_POPULATE, 3</a/log>, 0", 1),
        ("NULL, 8388608, PROT_READ|PROT_EXEC, MAP_PRIVATE, 3</a/log>, 0", 0),
        ("NULL, 8388608, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0", 0),
        ("NULL, 4096, PROT_READ, MAP_PRIVATE, 3</a/log>, 0", 0),
        ("NULL, 8388608, PROT_READ, MAP_SHARED, 3</dev/zero>, 0", 0),
    ],
)
def test_a_call_in_a_window_that_maps_a_file_is_noted(arguments, count):
    subject = type("Subject", (), {"before": {}})()
    watcher = Watcher(subject, None)
    for _ in range(2):
        watcher._note_mapping(1, Call(1, "mmap", arguments, 1 << 40))
    assert len(watcher.seen.mapped) == count
