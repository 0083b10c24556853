"""The constants of a machine: what passes the checks, what does not, how they are kept and shown."""

from __future__ import annotations

import datetime
import random
import shutil
from dataclasses import replace
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from iogauge.host import evidence, folios
from iogauge.measuring import constants as keeping
from iogauge.measuring import probing
from iogauge.measuring.constant_checks import Series, Value, constants
from iogauge.measuring.probing import SIZES, Probing
from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.model.watched import Constant, Constants, LeftOut, PathRate, Span
from iogauge.outputs import file_numbers
from iogauge.outputs.html import roofline
from iogauge.runners import preparing

BANDWIDTH = 10e9  # bytes per second, of the cache
READ = {size: 400 + size / BANDWIDTH * 1e9 for size in SIZES}
"""What a read costs by its size, in ns, on the machine of these tests."""


def series(name, ns, size=None, rounds=16, seed=1, **more):
    """A few per cent of noise; the second of two values is of twice as many calls."""
    noise = random.Random(f"{name} {size} {seed}")
    doubles = "moves" not in more
    values = [
        Value(
            ns=ns * noise.uniform(0.97, 1.03),
            round=number,
            doubled=doubles and bool(number % 2),
            calls=100,
            counted=100,
        )
        for number in range(rounds)
    ]
    return Series(name, size, values=values, **more)


def reads(**other):
    """The reads, and the path that they take; some cost what `other` says."""
    costs = {**READ, **{int(size.lstrip("_")): ns for size, ns in other.items()}}
    return [series("read", ns, size) for size, ns in costs.items()]


def cache(bandwidth=BANDWIDTH):
    moves = 8 << 20
    return [series("cached-read", moves / bandwidth * 1e9, 256 << 10, moves=moves)]


def whys(found):
    return {(each.name, each.size): each.why for each in found[2]}


def changed(each, **values):
    each.values = [replace(value, **values) for value in each.values]
    return each


def test_what_is_right_is_known_with_the_ways_in_which_it_was_checked():
    found, paths, out = constants(reads(), cache())
    assert not out and [each.size for each in found] == [*SIZES]
    assert {each.checked for each in found} == {
        ("counted", "halves", "lengths", "bandwidth", "sizes")
    }
    for each in found:
        assert each.ns.low <= each.ns.middle <= each.ns.high
        assert each.ns.middle == pytest.approx(READ[each.size], rel=0.03)
    (path,) = paths
    assert path.name == "cached-read" and "bandwidth" in path.checked
    assert path.bytes_per_s.middle == pytest.approx(BANDWIDTH, rel=0.03)


@pytest.mark.parametrize("size", SIZES)
def test_a_bandwidth_that_was_divided_by_a_size_is_no_cost_of_a_call(size):
    planted = (256 << 10) / BANDWIDTH * 1e9
    found = constants(reads(**{f"_{size}": planted}), cache())
    why = "bandwidth" if size == 1 << 20 else "sizes"
    assert whys(found) == {("read", size): why}
    assert len(found[0]) == len(SIZES) - 1


def test_no_size_is_known_where_all_are_above_the_bandwidth_of_the_path():
    found = constants([series("read", 4, size) for size in (4096, 8192)], cache())
    assert not found[0]
    # It may as well be the path that is wrong, so it is not known either.
    assert whys(found)["cached-read", None] == "bandwidth" and not found[1]


def test_of_only_two_sizes_that_disagree_none_is_known():
    far = constants([series("read", 400, 4096), series("read", 50_000, 8192)], [])
    assert not far[0] and {*whys(far).values()} == {"sizes"}


def test_what_the_kernel_counted_otherwise_is_not_known():
    each = changed(series("stat", 1000), counted=50)
    assert whys(constants([each], [])) == {("stat", None): "uncounted"}
    assert constants([changed(series("stat", 1000), counted=None)], [])[0][0].checked == (
        "halves",
        "lengths",
    )


def test_what_changes_meanwhile_or_with_the_number_of_calls_is_not_known():
    slower = series("stat", 1000)
    slower.values[8:] = [replace(each, ns=2 * each.ns) for each in slower.values[8:]]
    assert whys(constants([slower], []))["stat", None] == "halves"
    of_length = series("stat", 1000)
    of_length.values = [
        replace(each, ns=each.ns / 2 if each.doubled else each.ns) for each in of_length.values
    ]
    assert whys(constants([of_length], []))["stat", None] == "lengths"
    wild = series("stat", 1000)
    wild.values = [replace(each, ns=1000 * 4 ** (each.round % 4)) for each in wild.values]
    assert whys(constants([wild], []))["stat", None] in ("varies", "lengths")


def test_disturbed_values_are_not_used_and_too_few_others_are_no_constant():
    each = series("stat", 1000)
    each.values[:8] = [replace(one, ns=9000, disturbed=True) for one in each.values[:8]]
    (found,), _, _ = constants([each], [])
    assert found.ns.middle == pytest.approx(1000, rel=0.03)
    assert whys(constants([changed(each, disturbed=True)], [])) == {("stat", None): "disturbed"}
    each = series("fsync", 1e5, 100, failed="No space left on device")
    (out,) = constants([each], [])[2]
    assert (out.why, out.reason) == ("failed", "No space left on device")


def test_what_the_device_did_not_move_did_not_come_from_it():
    path = series("device-read", 3e7, 1 << 20, moves=64 << 20, waits=True)
    assert constants([], [changed(path, moved=1.0)])[1][0].checked[:2] == ("counted", "device")
    assert whys(constants([], [changed(path, moved=0.4)])) == {("device-read", None): "device"}


def test_a_device_is_no_faster_than_the_cache_through_which_its_data_go():
    path = series("device-read", 1e6, 1 << 20, moves=64 << 20, waits=True)
    assert whys(constants([], [path, *cache()])) == {("device-read", None): "bandwidth"}


def test_a_write_to_the_null_device_has_no_size():
    both = [series("null-write", 200, size) for size in (16, 65536)]
    (found,), _, out = constants(both, [])
    assert found.size is None and "sizes" in found.checked and not out
    copied = constants([series("null-write", 200, 16), series("null-write", 9000, 65536)], [])
    assert not copied[0] and {*whys(copied).values()} == {"sizes"}


def test_a_record_that_is_synced_costs_the_same_whatever_its_size():
    calls, _, _ = constants([series("fsync", 1e5, 100, waits=True)], [])
    assert known(calls=calls).of("fsync", 4096).middle == pytest.approx(1e5, rel=0.03)


def known(**more):
    calls, paths, _ = constants(reads(), cache())
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    given = {"measured": now, "canary_ns": 100.0, "canary_memory_ns": 200.0}
    return Constants(**{**given, "calls": calls, "paths": paths, **more})


def test_between_sizes_a_cost_follows_from_its_neighbours():
    found = known()
    assert found.of("read", 6144).middle == pytest.approx(READ[4096] / 2 + READ[8192] / 2, rel=0.03)
    assert found.of("read", 2 << 20).middle == pytest.approx(2 * READ[1 << 20], rel=0.04)
    assert found.of("stat") is None and found.rate("device-read") is None


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Numbers that are kept for the folder of a test, and the pace of the machine."""
    usable = preparing.Usable([SimpleNamespace(runner=None, builder=None)], [])
    monkeypatch.setattr(keeping, "_usable", lambda: usable)
    monkeypatch.setattr(keeping.building, "identity_of", lambda runner, builder: "abc")
    pace = {"compute_ns": 101.0, "memory_ns": 199.0}
    monkeypatch.setattr(evidence, "pace", lambda: pace)
    file = keeping._place(tmp_path, usable).file
    return tmp_path, file, pace


def test_what_is_kept_is_found_for_a_day_and_at_the_same_pace(place, monkeypatch):
    folder, file, pace = place
    assert keeping.known(folder) is None
    found = known()
    folders.keep(file, found.model_dump_json())
    assert keeping.known(folder) == found
    pace["memory_ns"] = 300.0
    assert keeping.known(folder) is None
    pace["memory_ns"] = 200.0
    old = datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=25)
    kept = known(measured=old.isoformat(timespec="seconds"))
    folders.keep(file, kept.model_dump_json())
    assert keeping.known(folder) is None
    folders.keep(file, found.model_dump_json())
    monkeypatch.setattr(keeping.building, "identity_of", lambda runner, builder: "another")
    assert keeping.known(folder) is None
    assert keeping.remove() > 0 and not folders.constants().exists()


@pytest.mark.parametrize("measured", ["yesterday", "2026-11-28T14:22:06", ""])
def test_a_file_that_is_damaged_is_none(place, measured):
    folder, file, _ = place
    folders.keep(file, known(measured=measured).model_dump_json())
    assert keeping.known(folder) is None
    file.write_text("{")
    assert keeping.known(folder) is None


def test_what_is_kept_is_there_as_a_whole_or_not_at_all(tmp_path):
    file = tmp_path / "a" / "kept.json"
    folders.keep(file, "{}")
    assert file.read_text() == "{}" and [*file.parent.iterdir()] == [file]
    file.unlink()
    file.mkdir()
    folders.keep(file, "{}")
    assert [*file.parent.iterdir()] == [file]


def test_a_disk_that_is_full_is_said_in_a_line(tmp_path, monkeypatch):
    folder = tmp_path / "iogauge-data" / "written-1"
    folder.mkdir(parents=True)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1 << 20))
    with pytest.raises(UserError, match=r"--dir .*: 176 MiB needed for data, 1 MiB free"):
        Probing(None, folder, None).rounds(0.0, print)
    assert not [*folder.iterdir()]


def test_a_few_names_need_only_the_paths_that_they_are_checked_against(tmp_path):
    asked = Probing(None, tmp_path, ["read", "stat"])
    assert {each.name for each in asked.calls} == {"read", "stat"}
    assert {each.name for each in asked.paths} == {"cached-read"}
    assert {each.name for each in Probing(None, tmp_path, None).calls} == {*probing.NAMES}


def test_what_is_mapped_is_known_only_of_a_file_that_lies_in_such_folios(tmp_path, monkeypatch):
    monkeypatch.setattr(probing, "_MAPPED", 2 << 20)
    asked = Probing(None, tmp_path, ["mapped-small", "mapped-large"])
    assert not asked.paths and len(asked.calls) == 4
    answers = {"mapped-small": None, "mapped-large": folios.Seen(4096, "small", "kpageflags")}
    monkeypatch.setattr(folios.Looker, "seen", lambda self, path: answers[path.name])
    asked._make_mapped()
    assert {each.name: each.failed for each in asked.calls} == {
        "mapped-small": "nobody can tell how its file is cached",
        "mapped-large": "its file is cached in folios of 4 KiB",
    }
    assert {each.stat().st_size for each in tmp_path.iterdir()} == {2 << 20}


def test_mappings_of_two_sizes_must_agree():
    def both(times):
        sizes = ((1 << 20, 1e5), (4 << 20, times * 1e5))
        return constants([series("mapped-small", ns, size) for size, ns in sizes], [])

    assert {each.size for each in both(4)[0]} == {1 << 20, 4 << 20}
    assert {*whys(both(8)).values()} == {*whys(both(0.5)).values()} == {"sizes"}
    assert file_numbers.left_out(both(8)[2]) == (
        "Not known: map 1 MiB, 4 KiB folios (other sizes do not agree)."
    )


def test_rounds_in_which_the_machine_was_slower_are_disturbed():
    looks = [{"compute_ns": 100, "memory_ns": 100}] * 8
    looks[3] = {"compute_ns": 100, "memory_ns": 130}
    slow = probing._slow(looks, [False] * 7 + [True])
    assert [number for number, each in enumerate(slow) if each] == [3, 7]


def every_number():
    """A page that is as full as it can be."""
    span = Span(low=400, middle=450, high=500)
    calls = [
        Constant(name=name, size=size, ns=span.times(1 + (size or 0) / 4096))
        for name, sizes in probing._OF_A_NAME.items()
        for size in ((None,) if name == "null-write" else sizes)
    ]
    rates = Span(low=1.1e9, middle=1.2e9, high=1.3e9)
    paths = [
        PathRate(name=name, bytes_per_s=rates.times(3**number))
        for number, name in enumerate(file_numbers.PATHS)
    ]
    out = [LeftOut(name="read", size=size, why="disturbed") for size in SIZES]
    out += [LeftOut(name="fsync", size=100, why="varies")]
    out += [LeftOut(name="device-read", why="failed", reason="tmpfs keeps its files in memory")]
    host = {"system": "Linux", "kernel": "6.18.44-cloud", "file_system": "ext4"}
    return known(calls=calls, paths=paths, left_out=out, host=host)


def test_the_page_has_at_most_thirty_lines_of_eighty_characters():
    page = file_numbers.render(every_number(), "12 min ago")
    lines = page.splitlines()
    assert len(lines) <= 30 and max(map(len, lines)) <= 80
    assert lines[0] == (
        "The file numbers of this machine (ext4, Linux 6.18.44), measured 12 min ago"
    )
    many = [LeftOut(name="stat", why="failed", reason=f"reason {each}") for each in range(30)]
    longest = file_numbers.render(every_number().model_copy(update={"left_out": many}), "now")
    assert len(longest.splitlines()) == 30 and longest.endswith(" … (--json has all)")
    assert "11 numbers (something else ran)" in page and "append 100 bytes + fsync" in page


def test_a_page_of_nothing_says_so():
    nothing = known(calls=(), paths=(), left_out=[LeftOut(name="stat", why="disturbed")])
    page = file_numbers.render(nothing, "just now")
    assert page.splitlines()[-1] == "Not known: stat (something else ran)."
    assert "µs" not in page


@pytest.mark.parametrize(
    "value, text",
    [
        (0.447, "0.4"),
        (0.154, "0.15"),
        (1.04, "1"),
        (2.8, "2.8"),
        (2.96, "3"),
        (51.3, "50"),
        (206, "210"),
    ],
)
def test_numbers_are_rounded_so_that_one_remembers_them(value, text):
    assert file_numbers.memorable(value) == text


def test_the_picture_is_drawn_of_what_is_known():
    for found in (every_number(), known(), known(calls=(), paths=())):
        drawn = ElementTree.fromstring(roofline.svg(found))
        circles = drawn.findall(".//{http://www.w3.org/2000/svg}circle")
        assert bool(circles) == bool(found.calls)
    assert "prefers-color-scheme: dark" in roofline.svg(known())
