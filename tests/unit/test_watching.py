"""What a watch concludes from accounts, windows and looks: without a process, and without a clock."""

from __future__ import annotations

import math
import os
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from iogauge.host import files, proctree, strace
from iogauge.host.proctree import Did, Open, is_for_file, target
from iogauge.host.strace import Call, completed
from iogauge.model.watched import (
    READS,
    WRITES,
    Amounts,
    Change,
    Constant,
    Constants,
    Difference,
    Marks,
    Place,
    Span,
    TwoWays,
)
from iogauge.runners import manifest
from iogauge.watching import (
    candidates,
    estimating,
    findings,
    placing,
    recognising,
    recording,
    verifying,
)
from iogauge.watching.candidates import Candidate
from iogauge.watching.findings import Means
from iogauge.watching.recognising import SHELL, Facts
from iogauge.watching.rough import ROUGH
from iogauge.watching.watcher import Account, Seen, Window

MINE = Facts("/home/me/convert", "convert", "c", own=True)
SYSTEM = Facts("/usr/bin/sort", "sort", "c")
OF_MINE = ("convert", "")


def did(reads: int = 0, writes: int = 0, read: int = 0, written: int = 0) -> Did:
    return Did(reads, writes, read, written, 0, 0)


def account(at: float, **by_pid: Did) -> Account:
    return Account(at, {int(pid[1:]): each for pid, each in by_pid.items()})


def call(name: str, path: str, result: int = 0, thread: int = 1, more: str = "") -> Call:
    return Call(thread, name, f"3<{path}>{more}", result, 0.001)


def seen(accounts: list[Account], windows: list[Window], facts: dict[int, Facts]) -> Seen:
    return Seen(accounts=accounts, windows=windows, facts=facts)


def window(at: float, *calls: Call, threads: dict[int, int] | None = None) -> Window:
    return Window(at, 0.01, [*calls], threads or {1: 1})


class TestLinesOfStrace:
    def test_a_call_has_its_file_its_result_and_its_time(self):
        (found,) = completed(['12 read(3</a/b c>, ""..., 512) = 512 <0.000021>'])
        assert found == Call(12, "read", '3</a/b c>, ""..., 512', 512, 0.000021)
        assert found.path == "/a/b c"

    def test_a_call_that_was_interrupted_by_another_thread_is_one(self):
        lines = [
            "1 read(3</a>, <unfinished ...>",
            '2 write(4</b>, ""..., 5) = 5 <0.1>',
            '1 <... read resumed>""..., 9) = 7 <0.2>',
        ]
        found = {each.thread: each for each in completed(lines)}
        assert found[1].result == 7 and found[1].path == "/a"
        assert found[2].result == 5

    def test_what_was_opened_has_a_path(self):
        (found,) = completed(['1 openat(AT_FDCWD</x>, "a", O_RDONLY) = 3</x/a> <0.1>'])
        assert found.opened == "/x/a" and found.path == "/x"

    def test_a_failed_call(self):
        (found,) = completed(['1 openat(AT_FDCWD</x>, "a", O_RDONLY) = -1 ENOENT (No such file)'])
        assert found.failed and found.opened == ""

    def test_a_result_in_octal_digits(self):
        (found,) = completed(["1 umask(077) = 022"])
        assert found.result == 0o22

    @pytest.mark.parametrize("text", ["", "1 +++ exited with 0 +++", "strace: x", "1 read(3</a>"])
    def test_other_lines_are_no_calls(self, text: str):
        assert [*completed([text])] == []

    def test_escapes_in_a_name(self):
        (found,) = completed([r'1 read(3</a/\303\274\n>, "", 1) = 0'])
        assert found.path == "/a/ü\n"


@pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")
def test_a_look_that_cannot_be_started_says_why_and_leaves_nothing_open(monkeypatch):
    monkeypatch.setenv("PATH", "/no-such-folder")
    before = os.listdir("/proc/self/fd")
    look = strace.look("strace", [1], 0.01, most=1)
    assert look.lines == [] and "No such file" in (look.why or "")
    assert os.listdir("/proc/self/fd") == before


@pytest.mark.parametrize(
    ("us", "owner", "may"), [(0, 0, True), (0, 1000, False), (1000, 0, True), (1000, 1001, True)]
)
def test_root_runs_no_program_of_somebody_else(monkeypatch, us: int, owner: int, may: bool):
    monkeypatch.setattr(files.os, "geteuid", lambda: us, raising=False)
    monkeypatch.setattr(files.os, "stat", lambda path: SimpleNamespace(st_uid=owner))
    assert files.may_run("/home/x/python3") == may


class TestTargets:
    @pytest.mark.parametrize(
        ("path", "kind"),
        [
            ("/dev/null", "null"),
            ("/dev/pts/3", "terminal"),
            ("pipe:[12]", "pipe"),
            ("socket:[3]", "socket"),
            ("anon_inode:[eventpoll]", "kernel"),
            ("/proc/self/maps", "kernel"),
            ("/dev/shm/x", "file"),
            ("/dev/sda", "device"),
            ("/home/a", "file"),
            ("", "unknown"),
        ],
    )
    def test_by_the_name_of_the_kernel(self, path: str, kind: str):
        assert target(path) == kind


class TestEstimates:
    def test_shares_of_a_window_times_the_account(self):
        told = seen(
            [account(0.1, p1=did(100, 100)), account(1.0, p1=did(1000, 1000))],
            [
                window(
                    0.5,
                    *[call("read", "/a", 512)] * 3,
                    call("read", "/b", 8),
                    call("write", "/c", 5),
                )
            ],
            {1: MINE},
        )
        found = estimating.estimate(told, Amounts(read_calls=1200, write_calls=1000), 1.1)
        by = {(name, path): each for (_, name, path), each in found.groups.items()}
        assert by["read", "/a"].count == pytest.approx(900)
        assert by["read", "/b"].count == pytest.approx(300)
        assert by["write", "/c"].count == pytest.approx(1000)
        assert by["read", "/a"].size == 512

    def test_the_sum_of_all_groups_is_what_the_kernel_counted(self):
        told = seen(
            [
                account(0.1, p1=did(10, 5), p2=did(3, 4)),
                account(0.9, p1=did(500, 6), p2=did(30, 400)),
            ],
            [
                window(0.4, call("read", "/a", 1)),
                window(0.8, call("write", "/b", 1, 2), threads={2: 2}),
            ],
            {1: MINE, 2: SYSTEM},
        )
        total = Amounts(read_calls=777, write_calls=555, read_bytes=777, written_bytes=555)
        found = estimating.estimate(told, total, 1.0)
        reads = sum(each.count for each in found.of(READS))
        writes = sum(each.count for each in found.of(WRITES))
        assert (reads, writes) == (pytest.approx(777), pytest.approx(555))

    def test_each_process_is_weighed_by_its_own_account(self):
        """Under strace all are equally slow: the window alone would say half and half."""
        told = seen(
            [account(0.1, p1=did(0), p2=did(0)), account(1.0, p1=did(9000), p2=did(1000))],
            [window(0.5, call("read", "/a", 1, 1), call("read", "/b", 1, 2), threads={1: 1, 2: 2})],
            {1: MINE, 2: SYSTEM},
        )
        found = estimating.estimate(told, Amounts(read_calls=10_000), 1.0)
        by = {path: each.count for (_, _, path), each in found.groups.items()}
        assert by["/a"] == pytest.approx(9000) and by["/b"] == pytest.approx(1000)

    def test_one_call_of_a_window_does_not_stand_for_thousands(self):
        """Most writes of Node wake its threads; a window may see one of another kind alone."""
        many = [*[call("write", "/event", 8)] * 30, *[call("write", "/a", 512)] * 10]
        told = seen(
            [account(0.1, p1=did(0, 0)), account(1.0, p1=did(0, 40_000))],
            [window(0.3, *many), window(0.8, call("write", "/a", 512))],
            {1: MINE},
        )
        found = estimating.estimate(told, Amounts(write_calls=40_000), 1.0)
        by = {path: each.count for (_, _, path), each in found.groups.items()}
        assert by["/event"] == pytest.approx(40_000 * 30 / 41, rel=0.05)

    def test_there_are_no_more_bytes_than_the_kernel_counted(self):
        """A window that saw too many of the large reads: others woke a thread."""
        some = [*[call("read", "/event", 8)] * 10, *[call("read", "/a", 1 << 16)] * 10]
        told = seen([account(1.0, p1=did(20_000))], [window(0.5, *some)], {1: MINE})
        total = Amounts(read_calls=20_000, read_bytes=1000 << 16)
        by = {
            path: each
            for (_, _, path), each in estimating.estimate(told, total, 1.0).groups.items()
        }
        assert by["/a"].count == pytest.approx(1000, rel=0.01)
        assert by["/a"].bytes == pytest.approx(1000 << 16, rel=0.01)
        assert by["/event"].count == pytest.approx(19_000, rel=0.01)

    def test_a_child_that_was_waited_for_is_counted_once(self):
        told = seen(
            [
                account(0.1, p1=did(0), p2=did(0)),
                account(0.5, p1=did(100), p2=did(900)),
                account(0.9, p1=did(1100)),  # with the 900 of the child
            ],
            [],
            {1: MINE, 2: SYSTEM},
        )
        told.parents[2] = 1
        found = estimating.estimate(told, Amounts(read_calls=1100, read_bytes=1100), 1.0)
        by = {program: each.count for (program, _, _), each in found.groups.items()}
        assert by[OF_MINE] == pytest.approx(200, rel=0.2)
        assert by["sort", ""] == pytest.approx(900, rel=0.2)

    def test_what_was_done_before_a_watch_is_not_counted(self):
        """And a child that began before it, and was waited for, brings all that it did."""
        told = seen(
            [
                account(0.1, p1=did(9000), p2=did(700)),
                account(0.5, p1=did(9100), p2=did(800)),
                account(0.9, p1=did(10_000)),  # with the 800 of the child
            ],
            [],
            {1: MINE, 2: SYSTEM},
        )
        told.parents[2], told.before = 1, {1: did(9000), 2: did(700)}
        own = estimating.Own(told)
        assert own.until(1, 1.0)[0] == 200 and own.until(2, 1.0)[0] == 100
        assert own.until(1, 0.1)[0] == 0

    def test_without_a_window_the_only_open_file_is_it(self):
        told = seen([account(0.1, p1=did(50, 0, 25_600))], [], {1: MINE})
        told.open_files[1, Open("/a", reads=True, writes=False)] = 3
        told.open_files[1, Open("/log", reads=False, writes=True)] = 3
        found = estimating.estimate(told, Amounts(read_calls=50, read_bytes=25_600), 0.1)
        (group,) = found.of(READS)
        assert group.path == "/a" and group.bytes == pytest.approx(25_600)

    def test_no_account_at_all_is_no_error(self):
        found = estimating.estimate(Seen(), Amounts(), 0.01)
        assert found.groups == {}

    def test_reads_that_jump_are_told_from_those_in_order(self):
        inorder = [call("pread64", "/a", 10, more=f', "", 10, {at}') for at in range(0, 100, 10)]
        jumping = [call("pread64", "/b", 10, more=f', "", 10, {at}') for at in (90, 10, 50, 20, 70)]
        told = seen([account(0.1, p1=did(15))], [window(0.05, *inorder, *jumping)], {1: MINE})
        found = estimating.estimate(told, Amounts(read_calls=15), 0.1)
        assert found.jumps[OF_MINE, "/a"] == 0
        assert found.jumps[OF_MINE, "/b"] >= 0.5


def estimated(*calls: Call, reads: int = 0, writes: int = 0) -> estimating.Estimate:
    told = seen([account(0.1, p1=did(reads, writes))], [window(0.05, *calls)], {1: MINE})
    return estimating.estimate(told, Amounts(read_calls=reads, write_calls=writes), 0.1)


def kinds(found: estimating.Estimate) -> list[str]:
    return [each.kind for each in candidates.candidates(found, ROUGH)]


class TestCandidates:
    def test_many_small_reads(self):
        assert kinds(estimated(call("read", "/a", 100), reads=10_000)) == ["small-reads"]

    def test_few_small_reads_are_nothing(self):
        assert kinds(estimated(call("read", "/a", 100), reads=100)) == []

    def test_large_reads_are_nothing(self):
        assert kinds(estimated(call("read", "/a", 128 << 10), reads=10_000)) == []

    def test_reads_at_random_places_need_no_buffer(self):
        calls = [
            call("pread64", "/a", 100, more=f', "", 100, {at}') for at in (900, 1, 500, 7, 650)
        ]
        assert kinds(estimated(*calls, reads=10_000)) == []

    def test_small_files_read_by_few_calls_are_nothing(self):
        """`cp -r` of small files: no call could be larger than the file."""
        calls = []
        for number in range(20):
            opened = Call(1, "openat", 'AT_FDCWD</x>, "a"', 3, 0.0, f"/x/{number}")
            calls += [opened, call("read", f"/x/{number}", 100), call("read", f"/x/{number}", 0)]
        assert kinds(estimated(*calls, reads=40_000)) == []

    def test_small_writes_and_those_to_null(self):
        assert kinds(estimated(call("write", "/a", 20), writes=10_000)) == ["small-writes"]
        assert kinds(estimated(call("write", "/dev/null", 20), writes=10_000)) == ["small-writes"]

    def test_writes_to_a_terminal_are_left_alone(self):
        assert kinds(estimated(call("write", "/dev/pts/1", 20), writes=10_000)) == []

    def test_a_file_that_is_made_durable_after_each_record(self):
        some = [call("write", "/a", 100), call("fsync", "/a", 0)] * 4
        assert kinds(estimated(*some, writes=1000)) == ["synced"]

    def test_a_file_that_is_opened_again_and_again(self):
        opened = Call(1, "openat", 'AT_FDCWD</x>, "a"', 3, 0.0, "/x/a")
        calls = [opened, call("read", "/x/a", 50), call("read", "/x/a", 0)] * 4
        found = estimated(*calls, reads=40_000)
        assert "opened-again" in kinds(found)

    def test_of_a_file_that_is_opened_again_a_part_is_read(self, tmp_path):
        """What is saved are opens and reads of that part, not of the whole file."""
        path = tmp_path / "a"
        path.write_bytes(bytes(100_000))
        opened = Call(1, "openat", 'AT_FDCWD</x>, "a"', 3, 0.0, str(path))
        some = estimated(*[opened, call("read", str(path), 4096)] * 20, reads=10_000)
        again = candidates.candidates(some, CALLS)
        assert [(each.kind, each.size, each.length) for each in again] == [
            ("opened-again", 100_000, 4096)
        ]

    def test_more_was_read_than_the_file_has(self, tmp_path):
        path = tmp_path / "a"
        path.write_bytes(bytes(1 << 20))
        reads = call("read", str(path), 1 << 20)
        told = seen([account(0.1, p1=did(50))], [window(0.05, reads)], {1: MINE})
        found = estimating.estimate(told, Amounts(read_calls=50), 0.1)
        assert kinds(found) == []  # it may be one of fifty such files
        told.open_files[1, Open(str(path), reads=True, writes=False)] = 5
        found = estimating.estimate(told, Amounts(read_calls=50), 0.1)
        assert kinds(found) == ["read-again"]

    def test_where_one_file_makes_nearly_all_bytes_the_account_says_how_often_it_was_read(
        self, tmp_path
    ):
        """Windows see few of a few large calls: the small ones of the start stand for them."""
        path, small = tmp_path / "a", tmp_path / "b"
        path.write_bytes(bytes(1 << 20))
        looked = [call("read", str(path), 1 << 20), call("read", str(small), 100)]
        for read, times in ((60, 60), (20, 30)):
            whole = read << 20
            told = seen([account(0.1, p1=did(60, read=whole))], [window(0.05, *looked)], {1: MINE})
            told.open_files[1, Open(str(path), reads=True, writes=False)] = 5
            found = estimating.estimate(told, Amounts(read_calls=60, read_bytes=whole), 0.1)
            found.groups[OF_MINE, "read", str(path)].bytes = 30 << 20
            (again,) = candidates.candidates(found, CALLS)
            assert again.kind == "read-again" and round(again.calls) == times

    def test_a_file_that_is_read_again_by_small_calls_needs_larger_ones_first(self, tmp_path):
        path = tmp_path / "a"
        path.write_bytes(bytes(1 << 20))
        for size, kind in ((64, "small-reads"), (1 << 20, "read-again")):
            count = (50 << 20) // size
            told = seen(
                [account(0.1, p1=did(count, read=50 << 20))],
                [window(0.05, *[call("read", str(path), size)] * 3)],
                {1: MINE},
            )
            told.open_files[1, Open(str(path), reads=True, writes=False)] = 5
            found = estimating.estimate(told, Amounts(read_calls=count, read_bytes=50 << 20), 0.1)
            assert kinds(found) == [kind]

    def test_another_file_that_was_read_has_its_part_of_the_account(self, tmp_path):
        path = tmp_path / "a"
        path.write_bytes(bytes(1 << 20))
        looked = [call("read", str(path), 1 << 20), call("read", "/b", 1 << 20)]
        whole = 100 << 20
        told = seen([account(0.1, p1=did(60, read=whole))], [window(0.05, *looked)], {1: MINE})
        told.open_files[1, Open(str(path), reads=True, writes=False)] = 5
        found = estimating.estimate(told, Amounts(read_calls=60, read_bytes=whole), 0.1)
        assert [round(each.calls) for each in candidates.candidates(found, CALLS)] == [30]


CALLS = Constants(
    measured="",
    canary_ns=1.0,
    calls=(
        Constant(name="read", size=1, ns=Span(low=200, middle=200, high=200)),
        Constant(name="read", size=128 << 10, ns=Span(low=10_000, middle=10_000, high=10_000)),
    ),
)


def means(difference: float | None = None, tool: object = None) -> Means:
    def compare(asked: TwoWays) -> Difference | None:
        if difference is None:
            return None
        ns = Span(low=difference * 0.9, middle=difference, high=difference * 1.1)
        return Difference(
            slow="slow",
            fast="fast",
            ns_per_byte=ns,
            slow_ns_per_byte=ns,
            repeats=3,
            change=Change(text="read through a buffer"),
        )

    return Means(compare, lambda name, kind: tool, CALLS)  # type: ignore[arg-type, return-value]


def small_reads(guess: float = 1.0) -> Candidate:
    return Candidate("small-reads", OF_MINE, "/a/data", 1e6, 100, 1e8, guess)


def found(some: list[Candidate], with_means: Means, facts: Facts = MINE, wall: float = 10.0):
    programs = {OF_MINE: (0, facts)}
    return findings.findings(some, programs, [], Amounts(user=5.0, system=5.0), wall, with_means)


class TestFindings:
    def test_a_saving_is_the_difference_of_two_ways(self):
        (one,) = found([small_reads()], means(20.0)).findings
        assert one.saves.middle == pytest.approx(2.0)
        assert (one.basis, one.file, one.change) == (
            "two-ways",
            "data",
            Change(text="read through a buffer"),
        )

    def test_what_is_read_again_in_pieces_costs_more_than_as_a_whole(self):
        for size, at_least in ((4096, True), (1 << 16, False)):
            again = Candidate("read-again", OF_MINE, "/a", 9, size, 1e8, 1.0, length=1 << 20)
            (one,) = found([again], means(20.0)).findings
            assert one.at_least == at_least

    def test_silent_below_two_per_cent(self):
        assert found([small_reads()], means(1.0)).findings == []

    def test_silent_below_the_noise(self):
        noisy = means(20.0)
        wide = Span(low=-1.0, middle=20.0, high=41.0)
        answer = noisy.compare(TwoWays(kind="small-reads", language="c", size=1, length=1))
        assert answer is not None
        unsure = Means(
            lambda asked: answer.model_copy(update={"ns_per_byte": wide}), noisy.tool, CALLS
        )
        assert found([small_reads()], unsure).findings == []

    def test_no_more_is_saved_than_the_run_took(self):
        (one,) = found([small_reads()], means(1000.0)).findings
        assert one.saves.high <= 10.0

    def test_an_estimate_above_that_keeps_its_width(self):
        (one,) = found([small_reads()], means(200.0)).findings
        assert (one.saves.low, one.saves.middle, one.saves.high) == pytest.approx((9.0, 10.0, 10.0))

    def test_of_processors_side_by_side_each_may_have_a_part_of_it(self):
        busy = Amounts(user=20.0, system=20.0)
        programs = {OF_MINE: (0, MINE)}
        (one,) = findings.findings([small_reads()], programs, [], busy, 10.0, means(20.0)).findings
        assert (one.saves.low, one.saves.middle) == pytest.approx((1.8 / 4, 2.0))

    def test_nor_do_several_findings_that_one_change_mends(self):
        option = Change(text="bs=128K")
        some = [small_reads(), replace(small_reads(), kind="small-writes", path="/b")]
        (one,) = found(some, means(80.0, option), SYSTEM).findings
        assert one.saves.high <= 10.0

    def test_a_short_run_has_nothing_to_gain(self):
        assert found([small_reads()], means(1000.0), wall=0.04).findings == []

    def test_of_a_program_that_nobody_can_change_there_is_a_fact_and_no_advice(self):
        result = found([small_reads()], means(20.0), SYSTEM)
        assert result.findings == [] and result.fixed == [small_reads()]

    def test_a_tool_with_an_option_has_advice(self):
        option = Change(text="bs=128K")
        (one,) = found([small_reads()], means(20.0, option), SYSTEM).findings
        assert one.change == option

    def test_the_same_option_for_reads_and_writes_is_one_finding(self):
        option = Change(text="bs=128K")
        some = [
            small_reads(),
            replace(small_reads(), kind="small-writes", path="/b"),
        ]
        (one,) = found(some, means(10.0, option), SYSTEM).findings
        assert one.saves.middle == pytest.approx(2.0)

    def test_where_ways_cannot_be_measured_costs_of_calls_tell(self):
        (one,) = found([small_reads()], means(None), wall=5.0).findings
        assert one.basis == "constants" and one.at_least
        assert one.saves.middle == pytest.approx(
            1e6 * (200 - 10_000 * 100 / (128 << 10)) / 1e9, rel=0.1
        )

    def test_lines_are_read_by_shells_alone(self):
        lines = Candidate("lines-by-shell", OF_MINE, "/a", 1e6, 8, 8e6, 1.0)
        assert found([lines], means(100.0)).findings == []
        shell = Facts("/bin/bash", "bash", SHELL.language, "x.sh", own=True)
        assert len(found([lines], means(100.0), shell).findings) == 1

    def test_waiting_for_the_device_is_not_bounded_by_the_processor(self):
        synced = Candidate("synced", OF_MINE, "/a", 1000, 100, 1e5, 9.0, took=0.009, seen=20)
        (one,) = found([synced], means(), MINE).findings
        assert one.basis == "waits" and one.saves.middle == pytest.approx(8.99, rel=0.01)


class TestConstants:
    def test_between_two_sizes(self):
        assert CALLS.of("read", 1).middle == 200
        middle = (1 + (128 << 10)) / 2
        assert CALLS.of("read", middle).middle == pytest.approx(5100, rel=0.01)

    def test_above_the_largest_time_grows_with_the_bytes(self):
        assert CALLS.of("read", 256 << 10).middle == pytest.approx(20_000)

    def test_what_was_not_measured_is_not_known(self):
        assert CALLS.of("fsync") is None


class TestVerifying:
    PROMISE = Span(low=0.8, middle=1.0, high=1.2)

    @pytest.mark.parametrize(
        ("measured", "promise", "outcome"),
        [
            (Span(low=0.9, middle=1.0, high=1.1), PROMISE, "true"),
            (Span(low=1.5, middle=1.6, high=1.7), PROMISE, "true"),
            (Span(low=0.1, middle=0.2, high=0.3), PROMISE, "false"),
            (Span(low=-0.3, middle=-0.2, high=-0.1), PROMISE, "false"),
            (Span(low=-0.3, middle=0.8, high=1.9), PROMISE, "undecided"),
            (Span(low=0.1, middle=0.2, high=0.3), None, "true"),
            (Span(low=-0.1, middle=0.0, high=0.1), None, "undecided"),
        ],
    )
    def test_outcomes(self, measured: Span, promise: Span | None, outcome: str):
        assert verifying.outcome(measured, promise) == outcome

    def test_pairs_tell_what_is_saved(self):
        saved = verifying.saved([2.0, 2.1, 2.2, 2.0, 2.1], [1.0, 1.1, 1.2, 1.0, 1.1])
        assert saved.middle == pytest.approx(1.0) and saved.low <= 1.0 <= saved.high

    def test_no_more_is_promised_than_a_run_takes(self):
        (one,) = found([small_reads()], means(60.0)).findings
        assert verifying.promised([], 10.0) is None
        assert verifying.promised([one], 10.0) == one.saves
        both = verifying.promised([one, one], 10.0)
        assert (both.low, both.middle, both.high) == pytest.approx((9.0, 10.0, 10.0))

    def test_slow_commands_run_at_least_five_times_and_fast_ones_not_for_ever(self):
        assert verifying.pairs(100.0, 60.0) == 5
        assert verifying.pairs(0.01, 60.0) == 15


PYTHON = Marks(language="python", runs=True, values=("-X", "-W"), modules=("-m",), inline=("-c",))
NODE = Marks(language="node", runs=True, values=("-r",), inline=("-e", "-p", "--eval"))


class TestScripts:
    @pytest.mark.parametrize(
        ("marks", "line", "script"),
        [
            (PYTHON, "-u -X dev x.py secret", "x.py"),
            (PYTHON, "-Xdev x.py secret", "x.py"),
            (PYTHON, "-m tool secret", "tool"),
            (PYTHON, "-c secret", "-c"),
            (PYTHON, "-Ic secret", "-c"),
            (PYTHON, "-cprint() secret", "-c"),
            (PYTHON, "-Im tool secret", "tool"),
            (PYTHON, "- secret", "-"),
            (SHELL, "-s -- secret", "-s"),
            (NODE, "-r module x.js", "x.js"),
            (NODE, "-pe secret", "-p"),
            (NODE, "--eval=secret other", "--eval"),
            (SHELL, "-lc secret", "-c"),
            (SHELL, "-ec secret", "-c"),
            (SHELL, "-eo pipefail x.sh", "x.sh"),
            (SHELL, "-eo pipefail -c secret", "-c"),
        ],
    )
    def test_no_text_of_the_command_line_is_one(self, marks: Marks, line: str, script: str):
        assert recognising._script(line.split(), marks) == script

    def test_values_of_options_are_no_script(self):
        every = (each for runner in manifest.all_runners() for each in runner.file.program)
        java = next(each for each in every if "java" in each.programs)
        for option in ("--add-reads", "--patch-module", "--limit-modules", "--source", "-cp"):
            assert recognising._script([option, "a=b", "Main", "secret"], java) == "Main"
        assert recognising._script(["--upgrade-module-path", "x", "-m", "a/B"], java) == "a/B"


class TestRecords:
    def test_no_path_and_no_argument_is_kept(self):
        told = seen(
            [account(0.1, p1=did(5000))],
            [window(0.05, call("read", "/home/me/secret-folder/data.csv", 100))],
            {
                1: Facts(
                    "/home/me/bin/python3",
                    "python3",
                    "python",
                    "/home/me/secret-folder/x.py",
                    own=True,
                )
            },
        )
        made = estimating.estimate(told, Amounts(read_calls=5000), 0.2)
        numbers = recording.numbered(told, made)
        from iogauge.host.supervised import Ended

        record = recording.record(
            told,
            Ended(0, 0.2, Amounts(read_calls=5000)),
            made,
            numbers,
            name="python3 x.py",
            started="2026-11-28T10:00:00+00:00",
            host={},
            findings=[],
            constants=ROUGH,
            no_advice=None,
        )
        text = record.model_dump_json()
        assert "data.csv" in text and "x.py" in text
        assert "secret-folder" not in text and "/home" not in text

    def test_sizes_are_counted_by_powers_of_two(self):
        assert recording._by_power({0: 1.0, 1: 2.0, 3: 4.0, 512: 1.0, 700: 1.0}) == {
            0: 1.0,
            1: 2.0,
            2: 4.0,
            512: 2.0,
        }

    def test_places_go_with_the_finding_of_their_program(self):
        line = Place(program=0, file="x.py", line=3, function="main", text="f.read(100)", share=1.0)
        programs = {OF_MINE: (0, MINE)}
        result = findings.findings(
            [small_reads()], programs, [line], Amounts(user=5.0, system=5.0), 10.0, means(20.0)
        )
        assert result.findings[0].place == line
        assert not math.isnan(result.findings[0].saves.low)

    @pytest.mark.parametrize(("does", "hint"), [("", "file.read(9)"), ("gzip.read", "gzip.read")])
    def test_where_a_stack_names_no_call_the_line_is_the_hint(self, does: str, hint: str):
        line = Place(
            program=0, file="x.py", line=3, function="main", text="file.read(9)", does=does
        )
        asked: list[TwoWays] = []
        with_means = replace(means(), compare=asked.append)  # type: ignore[arg-type]
        findings.findings(
            [small_reads()], {OF_MINE: (0, MINE)}, [line], Amounts(), 10.0, with_means
        )
        assert asked[0].hint == hint

    @pytest.mark.parametrize(
        ("does", "text", "kind", "fitting"),
        [
            ("java.io.FileOutputStream.write", "", "small-reads", False),
            ("java.io.FileOutputStream.write", "", "small-writes", True),
            ("java.io.BufferedReader.readLine", "", "small-writes", False),
            ("sun.nio.ch.FileChannelImpl.force", "", "synced", True),
            ("java.lang.Thread.run", "", "small-writes", True),
            ("std::ostream::write std::filebuf::xsputn", "", "read-again", False),
            ("_IO_fgets __underflow", "", "lines-by-shell", True),
            ("os.(*File).Write", "", "unpacking", False),
            ("", "out.write(reading + 1)", "small-reads", False),
            ("", "row = file.read(100)", "small-writes", False),
            ("", "row = file.read(100)", "opened-again", True),
            ("", "os.fsync(out)", "small-writes", False),
            ("", "out.write(file.read(100))", "small-reads", True),
            ("", "for line in file:", "small-writes", True),
            ("", "", "synced", True),
        ],
    )
    def test_a_line_that_does_something_else_is_none(self, does, text, kind, fitting):
        line = Place(program=0, file="x", line=3, function="main", text=text, does=does)
        assert placing.fits(line, kind) == fitting

    def test_a_finding_has_the_most_frequent_line_that_fits(self):
        writes, reads = (
            Place(program=0, file="x", line=line, function="main", does=does)
            for line, does in ((3, "File.write"), (4, "File.read"))
        )
        for places, place in (([writes, reads], reads), ([writes], None)):
            (one,) = findings.findings(
                [small_reads()], {OF_MINE: (0, MINE)}, places, Amounts(user=5.0), 10.0, means(20.0)
            ).findings
            assert one.place == place


class TestWaits:
    def test_a_look_stands_for_the_time_since_the_one_before(self):
        """The first looks are close together: by their number a short wait would be a long one."""
        told = Seen(facts={1: MINE})
        told.accounts = [Account(at / 100, {}, waiting=True) for at in range(1, 11)]
        told.accounts += [Account(float(at), {}) for at in range(1, 11)]
        told.waits[1, "read", "/a"], told.waited[1, "read", "/a"] = 10, 0.1
        (wait,) = recording.waits(told, {OF_MINE: (0, MINE)}, 10.0)
        assert (wait.looks, wait.seconds) == (10, pytest.approx(0.1))
        assert recording.waiting(told, 10.0) == pytest.approx(0.1)

    @pytest.mark.parametrize(
        ("name", "path", "is_for"),
        [
            ("read", "/a", True),
            ("read", "/dev/sda", True),
            ("openat", "", True),
            ("fsync", "", True),
            ("read", "pipe:[1]", False),
            ("read", "socket:[1]", False),
            ("read", "/dev/pts/0", False),
        ],
    )
    def test_who_reads_a_pipe_waits_for_no_file(self, name: str, path: str, is_for: bool):
        assert is_for_file(name, path) == is_for


class TestMoments:
    def test_they_are_short_also_between_windows_and_have_all_that_was_done(self):
        accounts = [account(at / 10, p1=did(reads=at * 10, read=at * 1000)) for at in range(101)]
        looked = seen(accounts, [window(5.0, call("read", "/a", 100))], {1: MINE})
        found = estimating.estimate(looked, Amounts(read_calls=1000), 10.0)
        moments = recording.moments(looked, found)
        assert len(moments) == 100
        assert moments[0].begins == 0 and moments[-1].ends == 10.0
        assert sum(each.read_calls for each in moments) == pytest.approx(1000)
        assert sum(each.read_bytes for each in moments) == pytest.approx(100_000)
        assert {each.read_sizes for each in moments} == {((64, 1.0),)}


class TestWhatNoLookSaw:
    BUSY = {1: MINE}

    def many(self, path: str = "", size: int = 100) -> estimating.Estimate:
        of_it = seen([account(5, p1=did(1_000_000, 0, 1_000_000 * size))], [], self.BUSY)
        if path:
            of_it.open_files[1, Open(path, True, False)] = 3
        return estimating.estimate(of_it, Amounts(read_calls=1_000_000, read_bytes=10**8), 5.0)

    def test_many_small_calls_on_nobody_knows_what_are_not_nothing_to_gain(self):
        says = recording.why_unsure(self.many(), ROUGH, 5.0)
        assert says and says.startswith("not known: ") and "reads of 100 B" in says

    def test_nor_are_few_of_them_or_those_on_a_known_file_worth_a_word(self):
        assert recording.why_unsure(self.many(), ROUGH, 500.0) is None
        assert recording.why_unsure(self.many("/data/rows"), ROUGH, 5.0) is None

    @pytest.mark.parametrize(
        ("at", "windows", "why"),
        [
            (0.2, [], "it ended before"),
            (5.0, [], "too few for a look"),
            (5.0, [window(1.0)], "none was made while"),
        ],
    )
    def test_why_no_call_was_seen_is_true(self, at, windows, why):
        said = recording.unseen(seen([account(at, p1=did(1))], windows, self.BUSY))
        assert why in said[1]

    def test_nothing_is_said_where_some_were_seen(self):
        with_some = [window(1.0, call("read", "/data/rows", 9))]
        assert recording.unseen(seen([account(5, p1=did(1))], with_some, self.BUSY)) == (
            "mapped reads",
        )


class TestRings:
    def test_what_goes_through_an_io_uring_is_not_called_nothing(self):
        told = seen([account(0.1, p1=did(10))], [], {1: MINE})
        assert recording.why_half(told) is None and recording._never_seen(told) == ("mapped reads",)
        told.open_files[1, Open(proctree.RING, reads=False, writes=False)] = 1
        assert "io_uring" in (recording.why_half(told) or "")
        assert "what went through io_uring" in recording.unseen(told)

    def test_a_ring_is_known_by_its_descriptor(self, monkeypatch):
        names = {"3": proctree.RING, "4": "anon_inode:[eventfd]"}
        monkeypatch.setattr(proctree.os, "listdir", lambda path: [*names])
        monkeypatch.setattr(proctree.os, "readlink", lambda path: names[path.rpartition("/")[2]])
        assert [each.path for each in proctree.open_files(1)] == [proctree.RING]
