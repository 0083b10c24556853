import errno
import mmap
import os

import pytest

from iogauge.host import pagecache, provable

SIZE = 1 << 20
PAGES = SIZE // mmap.PAGESIZE


@pytest.fixture
def path(disk_folder):
    made = disk_folder / "cached"
    made.write_bytes(os.urandom(SIZE))
    yield made
    made.unlink()


@pytest.fixture(params=["cachestat", "mincore"])
def kernel(request, monkeypatch):
    """Both ways of observing: a kernel with cachestat, and one without."""
    if request.param == "mincore":

        def absent(fd, pages):
            raise OSError(errno.ENOSYS, "Function not implemented")

        monkeypatch.setattr(pagecache, "_cachestat", absent)
    return request.param


def test_cache_evict_observe(path, kernel):
    assert pagecache.evict(path).pages == 0
    assert pagecache.observe(path).share == 0
    pagecache.cache(path)
    found = pagecache.observe(path)
    assert (found.pages, found.of, found.share) == (PAGES, PAGES, 1)


def test_part_of_a_file(path, kernel):
    pagecache.evict(path)
    with path.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_RANDOM)
        os.pread(file.fileno(), 1, 0)
    assert 0 < pagecache.observe(path).pages < PAGES


def test_both_ways_agree(path):
    pagecache.evict(path)
    with path.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_RANDOM)
        for offset in range(0, SIZE, SIZE // 8):
            os.pread(file.fileno(), 4096, offset)
        by_mincore = pagecache._mincore(file.fileno(), SIZE, PAGES)
        assert pagecache._cachestat(file.fileno(), PAGES).pages == by_mincore


def test_an_eviction_that_a_mapping_prevents_is_seen(path, kernel):
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as mapping:
        assert sum(mapping[::4096]) >= 0
        assert pagecache.evict(path, patience=0.02).pages > 0
    assert pagecache.evict(path).pages == 0


def test_dirty_pages_are_written_before_they_are_evicted(path):
    path.write_bytes(bytes(SIZE))
    assert pagecache.evict(path).pages == 0
    assert pagecache.observe(path).dirty == 0


def test_an_empty_file_is_wholly_resident(disk_folder, kernel):
    empty = disk_folder / "empty"
    empty.touch()
    assert pagecache.observe(empty).share == 1
    assert pagecache.evict(empty).pages == 0


def test_where_nothing_can_be_evicted():
    shared_memory = "/dev/shm"
    if not os.path.isdir(shared_memory):
        return
    from pathlib import Path

    before = set(os.listdir(shared_memory))
    assert "in memory" in provable.why_not_cold_in(Path(shared_memory))
    assert set(os.listdir(shared_memory)) == before


def test_where_files_can_be_evicted(disk_folder):
    assert provable.why_not_cold_in(disk_folder) is None
    assert pagecache.observer(disk_folder).startswith(("cachestat", "mincore"))
