"""Folio sizes from what the kernel tells: flags of frames, notes of use, costs of a mapped pass."""

from __future__ import annotations

import pytest

from iogauge.host import folio_pass, folios, mapped
from iogauge.host.folio_pass import Cost
from iogauge.host.mapped import PAGE, Window

KIB, MIB = 1 << 10, 1 << 20
HEAD, TAIL, ZERO = 1 << 15, 1 << 16, 1 << 24


@pytest.mark.parametrize(
    ("sizes", "middle", "kind"),
    [
        ({4 * KIB: 1}, 4 * KIB, "small"),
        ({4 * KIB: 50, MIB: 50}, 4 * KIB, "large"),
        ({4 * KIB: 51, MIB: 49}, 4 * KIB, "small"),
        ({16 * KIB: 50, 64 * KIB: 50}, 16 * KIB, "small"),
        ({16 * KIB: 49, 32 * KIB: 51}, 32 * KIB, "middle"),
        ({4 * KIB: 30, 64 * KIB: 30, 256 * KIB: 40}, 64 * KIB, "middle"),
        ({128 * KIB: 49, 256 * KIB: 51}, 256 * KIB, "large"),
    ],
)
def test_half_of_the_bytes_decide(sizes, middle, kind):
    assert folios.median(sizes) == middle
    assert folios.kind(sizes) == kind


def of_frames(frames, flags, beyond=0):
    asked = []

    def tails_after(frame):
        asked.append(frame)
        return beyond

    found = folios.of_frames(frames, dict(zip(frames, flags, strict=True)), tails_after)
    return {size // PAGE: count // PAGE for size, count in found.items()}, asked


def test_a_head_and_its_tails_are_one_folio():
    frames = [7, 100, 101, 102, 103, 50]
    flags = [0, HEAD, TAIL, TAIL, TAIL, 0]
    assert of_frames(frames, flags) == ({1: 2, 4: 4}, [])


def test_two_folios_that_are_neighbours_are_two():
    assert of_frames([8, 9, 10, 11], [HEAD, TAIL, HEAD, TAIL], 0) == ({2: 4}, [11])


def test_tails_elsewhere_belong_to_another_folio():
    assert of_frames([8, 9, 40, 41], [HEAD, TAIL, TAIL, TAIL]) == ({2: 4}, [41])


def test_what_a_folio_has_beyond_the_end_of_the_file_counts_for_its_size_and_not_as_bytes():
    assert of_frames([64, 65, 66], [HEAD, TAIL, TAIL], beyond=13) == ({16: 3}, [66])


def test_a_zero_page_is_no_folio():
    assert of_frames([3, 9, 3], [ZERO, 0, ZERO]) == ({1: 1}, [])


@pytest.mark.parametrize("length", [0, 1, 5 * MIB, 64 * MIB])
def test_all_of_a_small_file_is_looked_at(length):
    parts = mapped.pieces(length)
    assert sum(each for _, each in parts) == length
    assert [at for at, _ in parts] == [4 * MIB * number for number in range(len(parts))]


@pytest.mark.parametrize("length", [64 * MIB + 1, 100 * MIB, 1 << 30, (1 << 40) + 5])
def test_of_a_large_file_pieces_are_looked_at_that_are_evenly_spread(length):
    parts = mapped.pieces(length)
    starts = [at for at, _ in parts]
    assert sum(each for _, each in parts) <= 64 * MIB
    assert len(set(starts)) == 16
    assert all(at % (4 * MIB) == 0 and at < length for at in starts)
    steps = [after - before for before, after in zip(starts, starts[1:], strict=False)]
    assert max(steps) - min(steps) <= 4 * MIB


def test_parts_are_cut_to_windows():
    assert mapped.cut([(0, 5), (8, 4)], 4) == [(0, 4), (4, 1), (8, 4)]


class Notes:
    """The kernel's notes of a file that lies in folios of these sizes, one after the other."""

    def __init__(self, monkeypatch, sizes, length=None, read_by_others=()):
        self.folios, at = [], 0
        for size in sizes:
            self.folios.append((at, at + size))
            at += size
        self.length = length or at
        self.noted, self.others = set(), set(read_by_others)
        monkeypatch.setattr(mapped, "populate", self.use)
        self.windows = [
            Window(start, count, start, b"\x01" * -(-count // PAGE))
            for start, count in mapped.cut([(0, self.length)], folios.LARGE)
        ]

    def use(self, address, length):
        self.noted.add(next(each for each in self.folios if each[0] <= address < each[1]))

    def clear(self):
        self.noted = {each for each in self.folios if each[0] in self.others}

    def used(self, windows):
        ends = [min(each.offset + len(each.cached) * PAGE, 1 << 60) for each in windows]
        return [
            sum(max(0, min(end, last) - max(each.offset, first)) for first, last in self.noted)
            for each, end in zip(windows, ends, strict=True)
        ]

    def told(self):
        return dict(folios._told(self.windows, self))


@pytest.mark.parametrize("size", [PAGE << order for order in range(10)])
def test_a_page_that_is_used_tells_the_size_of_its_folio(monkeypatch, size):
    notes = Notes(monkeypatch, [size] * (4 * MIB // size))
    assert notes.told() == {size: 4 * MIB}


def test_a_mixture_is_told_by_its_bytes(monkeypatch):
    sizes = [16 * KIB] * 256 + [64 * KIB] * 64 + [MIB] * 8
    found = Notes(monkeypatch, sizes).told()
    assert found == {16 * KIB: 4 * MIB, 64 * KIB: 4 * MIB, MIB: 8 * MIB}


def test_folios_mixed_in_a_window_are_told_in_about_their_shares(monkeypatch):
    monkeypatch.setattr(folios, "_draw", folios.random.Random(1))
    sizes = ([64 * KIB] * 3 + [4 * KIB] * 16) * 128  # three quarters
    found = Notes(monkeypatch, sizes).told()
    assert set(found) == {4 * KIB, 64 * KIB}
    assert found[64 * KIB] / sum(found.values()) == pytest.approx(0.75, abs=0.12)


@pytest.mark.parametrize("length", [100, PAGE, 3 * PAGE, 4 * MIB + 100])
def test_a_folio_goes_beyond_the_end_of_the_file(monkeypatch, length):
    found = Notes(monkeypatch, [MIB] * 5, length=length).told()
    assert sum(found.values()) == length
    assert min(found) <= MIB


def test_a_window_that_others_use_tells_nothing(monkeypatch):
    sizes = [MIB] + [4 * KIB] * (3 * MIB // (4 * KIB))
    found = Notes(monkeypatch, sizes, read_by_others=[0]).told()
    assert found == {4 * KIB: 3 * MIB}


def test_where_no_note_is_kept_this_way_tells_nothing(monkeypatch):
    notes = Notes(monkeypatch, [4 * KIB] * 64)
    monkeypatch.setattr(notes, "used", lambda windows: [0] * len(windows))
    with pytest.raises(folios._Untold):
        notes.told()


COSTS = {
    4 * KIB: Cost(4, 7000),
    16 * KIB: Cost(4, 3000),
    64 * KIB: Cost(4, 1800),
    256 * KIB: Cost(1, 1500),
}


@pytest.mark.parametrize(
    ("cost", "size"),
    [
        (Cost(4, 6500), 4 * KIB),
        (Cost(5, 2800), 16 * KIB),
        (Cost(4, 1500), 64 * KIB),  # counts say more than times
        (Cost(0, 1900), 256 * KIB),  # mapped with the part before
        (Cost(1, -40), 256 * KIB),
    ],
)
def test_a_part_has_the_size_of_what_costs_the_most_alike(cost, size):
    assert folio_pass.nearest(cost, COSTS) == size


def test_a_machine_of_another_pace_is_compared_with_itself():
    slow = {size: Cost(cost.faults, 3 * cost.unmap_ns) for size, cost in COSTS.items()}
    assert [folio_pass.nearest(cost, slow) for cost in slow.values()] == list(slow)


def test_sizes_that_cost_the_same_are_one():
    assert not folio_pass.alike(COSTS)
    assert not folio_pass.alike({size: Cost(4, cost.unmap_ns) for size, cost in COSTS.items()})
    assert folio_pass.alike({size: Cost(4, 7000 + size / MIB) for size in COSTS})


def test_only_whole_parts_are_passed_over_and_a_few_groups_of_a_large_file():
    full, half = b"\x01" * 1024, b"\x00\x01" * 512
    windows = [Window(0, 4 * MIB, 0, full), Window(4 * MIB, 4 * MIB, 8 * MIB, half)]
    parts = folio_pass._parts(windows)
    assert [address for address, _ in parts] == list(range(0, 4 * MIB, 256 * KIB))
    many = [folio_pass.Part(at, 256 * KIB) for at in range(0, 64 * MIB, 256 * KIB)]
    groups = folio_pass._groups(many)
    assert len(groups) == 16
    assert all(len({many[each].address // (2 * MIB) for each in group}) == 1 for group in groups)
    assert folio_pass._parts([Window(0, 5000, 0, b"\x01\x01")]) == [(0, 2 * PAGE)]
