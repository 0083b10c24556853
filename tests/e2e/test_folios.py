"""How files are cached, seen on a real file system by each way that tells it."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from iogauge.host import folios, mapped, pagecache

MIB = 1 << 20
LENGTH = 6 * MIB + 1234


def written(path: Path, piece: int, length: int = LENGTH) -> Path:
    content = os.urandom(MIB) * (length // MIB + 1)
    with open(path, "wb", buffering=0) as file:
        for at in range(0, length, piece):
            file.write(content[at : min(length, at + piece)])
    return path


def looked(path, way, **known):
    with folios.Looker(path.parent, [way]) as looker:
        return looker.seen(path, **known)


@pytest.fixture
def half_cached(tmp_path):
    """A file whose first part was read in order, so that read-ahead has marked where to go on."""
    path = written(tmp_path / "half", MIB)
    if pagecache.WHY_NOT is None:
        pagecache.evict(path)
        with open(path, "rb", buffering=0) as file:
            for _ in range(8):
                file.read(128 << 10)
    return path


def tells(way, path):
    """Whether this way tells anything here, and not for want of rights or of a file of /proc."""
    if way == "kpageflags":
        return folios.sizes(path) is not None
    return mapped.why_not() is None and (
        way == "mapped pass" or os.access("/proc/self/clear_refs", os.W_OK)
    )


@pytest.mark.parametrize("way", folios.WAYS)
def test_the_size_of_the_write_calls_is_seen(tmp_path, way):
    large = looked(written(tmp_path / "large", MIB), way)
    small = looked(written(tmp_path / "small", 8000), way)
    one = folios.only_one_size(tmp_path)
    if not tells(way, tmp_path / "small"):
        assert large is small is None
    elif one:
        assert "keeps what is cached in folios of" in one.why
        assert large == small or way == "mapped pass"
    else:
        assert (large.kind, small.kind) == ("large", "small")
        assert large.by == small.by == way
        assert large.folio_bytes >= folios.LARGE > folios.SMALL >= small.folio_bytes


def test_both_exact_ways_see_the_same(tmp_path):
    for piece in (8000, 16 << 10, 64 << 10, MIB):
        path = written(tmp_path / "file", piece, 8 * MIB)
        by_flags, by_notes = (looked(path, way) for way in ("kpageflags", "referenced"))
        if not by_flags or not by_notes:
            assert not tells("kpageflags", path) or not tells("referenced", path)
            continue
        assert by_notes.kind == by_flags.kind
        assert by_notes.folio_bytes == by_flags.folio_bytes
        assert folios.sizes(path) == by_flags.bytes_by_folio
        assert sum(by_flags.bytes_by_folio.values()) == 8 * MIB


def test_who_asks_gets_the_first_way_that_tells(tmp_path):
    path = written(tmp_path / "file", 8000)
    with folios.Looker(tmp_path) as looker:
        seen = looker.seen(path)
    first = next((way for way in folios.WAYS if tells(way, path)), None)
    assert (seen and seen.by) == first


@pytest.mark.parametrize("way", folios.WAYS)
def test_a_look_brings_nothing_in(half_cached, way):
    before = None if pagecache.WHY_NOT else pagecache.observe(half_cached)
    seen = looked(half_cached, way)
    if before is None:
        assert seen is None
        return
    assert pagecache.observe(half_cached) == before
    if seen and before.share < 1:
        assert sum(seen.bytes_by_folio.values()) < LENGTH


@pytest.mark.parametrize("way", folios.WAYS)
def test_what_is_not_cached_stays_so(tmp_path, way):
    path = written(tmp_path / "file", MIB)
    left = None if pagecache.WHY_NOT else pagecache.evict(path)
    seen = looked(path, way)
    if left is None or not left.pages:
        assert seen is None
    if left is not None:
        assert pagecache.observe(path).pages == left.pages


@pytest.mark.parametrize("way", folios.WAYS)
@pytest.mark.parametrize("length", [0, 1, 5000, 70_000])
def test_a_short_file_is_seen_and_an_empty_one_is_not(tmp_path, way, length):
    path = written(tmp_path / "file", MIB, length)
    seen = looked(path, way)
    if not length:
        assert seen is None
    elif seen:
        assert seen.folio_bytes <= max(64 << 10, 2 * length) or way == "mapped pass"
    else:
        assert way == "mapped pass" or not tells(way, path)


@pytest.mark.parametrize("way", folios.WAYS)
def test_where_the_kernel_does_not_tell_what_is_cached_only_who_knows_it_looks(
    tmp_path, monkeypatch, way
):
    path = written(tmp_path / "file", MIB)
    usual = looked(path, way)
    number = path.stat().st_ino
    monkeypatch.setattr(mapped, "may_be_observed", lambda path, found: found.st_ino != number)
    assert looked(path, way) is None
    known = looked(path, way, whole=True)
    assert (known and known.kind) == (usual and usual.kind)


@pytest.mark.parametrize("way", folios.WAYS)
@pytest.mark.long
def test_a_file_that_is_cut_off_and_grows_meanwhile_kills_nobody(tmp_path, way):
    path = written(tmp_path / "file", MIB)
    done = threading.Event()

    def change():
        while not done.is_set():
            os.truncate(path, 4096)
            os.truncate(path, LENGTH)

    changing = threading.Thread(target=change)
    changing.start()
    try:
        with folios.Looker(tmp_path, [way]) as looker:
            for _ in range(20):
                seen = looker.seen(path)
                assert seen is None or seen.by == way
    finally:
        done.set()
        changing.join()


def test_a_page_that_was_cut_off_is_an_error_and_no_signal(tmp_path):
    path = written(tmp_path / "file", MIB)
    if mapped.why_not():
        assert folios.only_one_size(tmp_path) == (mapped.why_not(), False)
        return
    with open(path, "rb") as file, mapped.view(file.fileno(), 256 << 10) as windows:
        os.truncate(path, 0)
        with pytest.raises(OSError):
            mapped.populate(windows[-1].address, mapped.PAGE)


def test_files_to_compare_with_that_were_evicted_are_made_anew(tmp_path):
    small = written(tmp_path / "small", 8000, 8 * MIB)
    with folios.Looker(tmp_path, ["mapped pass"]) as looker:
        before = looker.seen(small)
        if pagecache.WHY_NOT is None:
            for _, fd in looker._pass._made:
                pagecache.evict(Path(f"/proc/self/fd/{fd}"), patience=0)
        after = looker.seen(small)
        assert (before and before.kind) == (after and after.kind)


def test_nothing_is_left_in_the_folder(tmp_path):
    folios.only_one_size(tmp_path, ["mapped pass"])
    assert list(tmp_path.iterdir()) == []
