import gzip
import json
import os
import shutil
import stat
import subprocess
import sys
import textwrap
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from iogauge.corpus import content, store
from iogauge.corpus.data_files import DataSpec, random_sums, unframed
from iogauge.corpus.own_file import OwnFile
from iogauge.corpus.store import Corpus, clean, held
from iogauge.corpus.written import WrittenFiles, WrongFile
from iogauge.model.errors import UserError


@pytest.fixture
def corpus(tmp_path):
    made = Corpus(tmp_path)
    yield made
    made.close()


def made(corpus, content, size, *form):
    """The manifest of a warm data file, and its bytes."""
    spec = DataSpec(content, size, "warm", *form)
    return corpus.provide(spec), corpus.path(spec).read_bytes()


TEXTS = ["text", "text-crlf", "text-unicode", "text-json", "text-log", "text-one-line"]


@pytest.mark.parametrize(
    "length", [0, 1, 2, 3, 63, 64, 65, 4097, (4 << 20) - 1, (4 << 20) + 7, 9 << 20]
)
@pytest.mark.parametrize("content", ["bytes", *TEXTS])
def test_manifest_matches_the_file(corpus, content, length):
    manifest, data = made(corpus, content, length)
    assert len(data) == manifest.size == manifest.file_size == length
    assert manifest.counts["byte"] == length
    assert manifest.sums["byte"] == sum(data)
    assert manifest.touch_sum == sum(data[::64])
    if content != "bytes":
        text = data.decode()
        lines = text.replace("\r\n", "\n").split("\n")
        lines.pop() if not lines[-1] else None
        units = memoryview(text.encode("utf-16-le")).cast("H")
        assert (manifest.counts["utf16"], manifest.sums["utf16"]) == (len(units), sum(units))
        points = manifest.counts["codepoint"], manifest.sums["codepoint"]
        assert points == (len(text), sum(map(ord, text)))
        counts = {manifest.counts[f"line-{unit}"] for unit in ("byte", "utf16", "codepoint")}
        assert counts == {len(lines)}
        assert manifest.sums["line-codepoint"] == sum(map(len, lines))
        assert manifest.sums["line-byte"] == sum(len(line.encode()) for line in lines)
        halves = (len(line.encode("utf-16-le")) // 2 for line in lines)
        assert manifest.sums["line-utf16"] == sum(halves)


def test_texts_hold_what_their_names_say(corpus):
    found, data = {}, {}
    for name in TEXTS:
        found[name], data[name] = made(corpus, name, 1 << 20)
    assert data["text"].isascii() and b"\r" not in data["text"]
    assert set(map(len, data["text"].split(b"\n")[:-2])) == set(range(20, 121))
    assert data["text-crlf"].count(b"\r\n") == data["text-crlf"].count(b"\n") > 10_000
    assert {len(each.encode()) for each in data["text-unicode"].decode()} == {1, 2, 3, 4}
    assert found["text-one-line"].counts["line-byte"] == 1
    assert data["text-one-line"].startswith(2 * data["text-one-line"][:42])


@pytest.mark.parametrize("length", [1, 2, 3, 50, 4097, (4 << 20) - 1, (4 << 20) + 7])
def test_each_line_of_json_is_whole_at_every_length(length):
    data = b"".join(tile.tobytes() for tile in content.tiles("text-json", length))
    lines = data.decode().splitlines()
    found = [json.loads(line) for line in lines]
    assert len(data) == length and len(found) >= length // 200
    assert all(each.keys() >= {"id", "name", "tags"} for each in found[:-1])
    assert length < 100 or len({each["id"] for each in found[:-1]}) > 0.9 * (len(found) - 1)


@pytest.mark.parametrize("length", [0, 1, 4097, (4 << 20) + 300])
def test_gzip_files_hold_the_data_without_a_name_or_a_time(corpus, length):
    manifest, stored = made(corpus, "text-log", length, "gzip")
    data = b"".join(tile.tobytes() for tile in content.tiles("text-log", length))
    assert gzip.decompress(stored) == data == unframed(stored, "gzip")
    assert manifest.file_size == len(stored) and manifest.sums["byte"] == sum(data)
    assert stored[:8] == b"\x1f\x8b\x08" + bytes(5), "no flags, no time"
    assert length < 4097 or 3 < length / len(stored) < 6
    assert unframed(stored[:-1], "gzip") is None and unframed(data, "gzip") is None
    again, _ = made(corpus, "text-log", length, "gzip")
    assert again.inode == manifest.inode, "it is not made again"


@pytest.mark.parametrize("length", [0, 1, 255, 256, 1023, 1024, 1025, (4 << 20) + 300])
def test_object_streams_hold_the_data(corpus, length):
    form = "java-object-stream"
    manifest, stored = made(corpus, "bytes", length, form)
    _, plain = made(corpus, "bytes", length)
    assert manifest.size == length and manifest.file_size == len(stored) > length
    assert unframed(stored, form) == plain and manifest.sums["byte"] == sum(plain)
    assert unframed(stored[:-1], form) is None and unframed(b"something else", form) is None


def test_offsets_are_whole_blocks_each_once_in_disorder(corpus):
    offsets = np.fromfile(corpus.offsets(1 << 20, 4096, 100), "<i8")
    assert len(set(offsets)) == 100 and not (offsets % 4096).any()
    assert offsets.max() <= (1 << 20) - 4096
    assert list(offsets) != sorted(offsets)
    assert list(np.fromfile(corpus.offsets(1 << 20, 4096, 100), "<i8")) == list(offsets)
    every = np.fromfile(corpus.offsets(1 << 20, 4096, 256), "<i8")
    assert sorted(every) == list(range(0, 1 << 20, 4096))


@pytest.mark.parametrize("block", [1, 7, 64, 100])
def test_sums_of_random_access(corpus, block):
    _, data = made(corpus, "bytes", 10_000)
    offsets = corpus.offsets(10_000, block, 50)
    touched = [at + step for at in np.fromfile(offsets, "<i8") for step in range(block)]
    due = sum(data[at] for at in touched), sum(data[at] for at in touched if at % 64 == 0)
    path = corpus.path(DataSpec("bytes", 10_000, "warm"))
    assert random_sums(path, offsets, block) == due


def test_known_content(corpus):
    """Guards the content itself: run files of different versions must be comparable."""
    assert made(corpus, "bytes", 16)[1].hex() == "6a83f3d8c0bd504c52e3143a3c82e9c2"
    assert len(set(made(corpus, "bytes", 100_003)[1])) == 256


def test_intact_files_are_reused_and_others_made_anew(corpus):
    first, data = made(corpus, "bytes", 5000)
    path = corpus.path(DataSpec("bytes", 5000, "warm"))
    assert made(corpus, "bytes", 5000)[0] == first
    for damaged in (b"x" + data[1:], data[:-1]):
        path.write_bytes(damaged)
        assert made(corpus, "bytes", 5000)[1] == data


def test_files_are_not_sparse_unless_asked(corpus):
    """Nor is one that was made so, even with the same size, time and inode, taken for the file."""
    whole, sparse = DataSpec("bytes", 3 << 20, "warm"), DataSpec("sparse", 1 << 31, "warm")
    _, data = made(corpus, "bytes", whole.size)
    path = corpus.path(whole)
    times = path.stat()
    assert times.st_blocks * 512 >= 3 << 20
    with path.open("r+b") as file:
        file.truncate(0)
        file.truncate(whole.size)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert made(corpus, "bytes", whole.size)[1] == data
    manifest = corpus.provide(sparse)
    assert corpus.path(sparse).stat().st_blocks == 0
    assert (manifest.sums["byte"], manifest.touch_sum, manifest.size) == (0, 0, 1 << 31)


def test_what_cannot_be_provided_is_said_before_anything_is_written(corpus, monkeypatch, tmp_path):
    with pytest.raises(UserError, match="in use by another iogauge"):
        Corpus(tmp_path)
    with pytest.raises(UserError, match="--dir .*writable directory is needed"):
        Corpus(tmp_path / "absent")
    with pytest.raises(UserError, match="iogauge advise --file"):
        corpus.provide(DataSpec("own", 10, "warm"))
    usage = type("Usage", (), {"free": 100 << 20})
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(UserError, match="200 MiB needed for data, 100 MiB free"):
        corpus.provide(DataSpec("bytes", 200 << 20, "warm"))
    assert held(corpus.directory.parent) == 0


def test_clean_removes_what_is_ours_and_nothing_else(tmp_path):
    corpus = Corpus(tmp_path)
    corpus.provide(DataSpec("bytes", 10_000, "warm"))
    mine = corpus.directory / "notes.txt"
    mine.write_text("the user's own")
    corpus.close()
    assert clean(tmp_path) >= 10_000
    assert [path.name for path in corpus.directory.iterdir()] == ["notes.txt"]
    assert clean(tmp_path) == 0
    other = tmp_path / "other"
    (other / "iogauge-data").mkdir(parents=True)
    (other / "iogauge-data" / "1.data").write_text("not ours: no mark")
    assert clean(other) == 0 and (other / "iogauge-data" / "1.data").exists()


def test_large_files_do_not_stay_behind(corpus, monkeypatch):
    monkeypatch.setattr(store, "KEEP_BYTES", 200_000)
    for length in (1000, 100_000, 150_000):
        corpus.provide(DataSpec("bytes", length, "warm"))
    corpus.trim()
    left = {path.name for path in corpus.directory.glob("*.data")}
    assert left == {"bytes-1000-warm.data", "bytes-100000-warm.data"}


def test_a_kill_while_a_file_is_made_leaves_nothing(tmp_path):
    program = textwrap.dedent("""
        import os, signal, sys
        from pathlib import Path
        from iogauge.corpus import store
        from iogauge.corpus.data_files import DataSpec
        made = store.Corpus(Path(sys.argv[1]))
        original, count = store._write_all, [0]
        def write(fd, data):
            count[0] += 1
            if count[0] == 3:
                os.kill(os.getpid(), signal.SIGKILL)
            original(fd, data)
        store._write_all = write
        made.provide(DataSpec("bytes", 64 << 20, "warm"))
    """)
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=False)
    assert done.returncode == -9
    assert held(tmp_path) == 0
    corpus = Corpus(tmp_path)
    assert not list(corpus.directory.glob("*.partial"))
    corpus.close()


def test_file_systems_without_nameless_files(corpus, monkeypatch):
    original = os.open

    def without(path, flags, *rest, **named):
        if flags & os.O_TMPFILE == os.O_TMPFILE:
            raise OSError(95, "Operation not supported")
        return original(path, flags, *rest, **named)

    monkeypatch.setattr(os, "open", without)
    manifest, data = made(corpus, "bytes", 5000)
    assert manifest.sums["byte"] == sum(data) and len(data) == 5000
    assert not list(corpus.directory.glob("*.partial"))


TEXT = "ab\r\näö\n日本\r\n𝄞x\n€ last".encode()


@pytest.mark.parametrize("tile", [1, 2, 3, 5, 7, 64])
def test_a_file_of_the_users_is_tallied_in_whole_characters(tmp_path, monkeypatch, tile):
    path = tmp_path / "mine.txt"
    path.write_bytes(TEXT)
    monkeypatch.setattr(content, "TILE", tile)
    whole = content.Tally(text=True)
    whole.add(np.frombuffer(TEXT, np.uint8))
    found = OwnFile(path)
    manifest = found.manifest()
    assert found.is_text and not found.peculiarities
    assert (manifest.counts, manifest.sums) == (whole.counts, whole.sums)
    assert (manifest.touch_sum, manifest.size) == (whole.touch_sum, len(TEXT))
    assert manifest.counts["line-byte"] == 5 and manifest.sums["line-utf16"] == 2 + 2 + 2 + 3 + 6


def test_what_is_no_utf_8_is_bytes(tmp_path):
    for data in (
        b"\xff",
        b"ab\xc3",
        b"\xe2\x82",
        b"\xed\xa0\x80",
        b"\x00\x80",
        b"\xc3\xa4\xe0\x80",
    ):
        path = tmp_path / "mine"
        path.write_bytes(data)
        found = OwnFile(path)
        counts = {"byte": len(data), "line-byte": 1}
        assert not found.is_text and found.manifest().counts == counts


def test_of_a_gzip_file_of_the_users_the_data_are_what_is_inside(tmp_path):
    path = tmp_path / "mine.gz"
    for packed in (gzip.compress(TEXT)[:-9], gzip.compress(b""), b"\x1f\x8b\x08 no"):
        path.write_bytes(packed)
        damaged = r"mine\.gz: (begins as a gzip file, but|is empty inside)"
        with pytest.raises(UserError, match=damaged):
            print(OwnFile(path, unpacked=True).size)
    path.write_bytes(gzip.compress(TEXT) + gzip.compress(TEXT))
    found, packed = OwnFile(path, unpacked=True), OwnFile(path)
    manifest = found.manifest()
    assert (found.format, packed.format) == ("gzip", "plain")
    assert (found.size, found.file_size) == (2 * len(TEXT), path.stat().st_size)
    assert found.is_text and manifest.counts["byte"] == 2 * len(TEXT)
    assert packed.manifest().counts["byte"] == packed.size == found.file_size
    corpus = Corpus(tmp_path, found)
    head = DataSpec("own", 10, "payload")
    corpus.provide(head)
    assert corpus.path(head).read_bytes() == TEXT[:9] + b"x"
    corpus.close()


def test_lone_returns_are_counted_across_tiles(tmp_path, monkeypatch):
    path = tmp_path / "mine"
    path.write_bytes(b"a\rb\r\nc\r")
    monkeypatch.setattr(content, "TILE", 4)
    assert OwnFile(path).profile.cr == 2


def test_a_file_of_the_users_that_changes_is_noticed_and_its_head_does_not_stay(tmp_path):
    path = tmp_path / "mine"
    path.write_bytes(TEXT * 100)
    own = OwnFile(path)
    corpus = Corpus(tmp_path, own)
    head = DataSpec("own", 10, "payload")
    manifest = corpus.provide(head)
    assert manifest.size == 10 and corpus.path(head).read_bytes() == TEXT[:9] + b"x"
    assert corpus.path(head).parent == corpus.directory
    assert corpus.path(DataSpec("own", own.size, "warm")) == path
    said = corpus.nameless(f"cannot open {path}: gone, {path.parent}/mi")
    assert said == "cannot open the file: gone, mi"
    assert stat.S_IMODE(corpus.path(head).stat().st_mode) == 0o600
    path.write_bytes(b"other \xff")
    for spec in (DataSpec("own", own.size, "warm"), head):
        with pytest.raises(UserError, match="changed meanwhile"):
            corpus.provide(spec)
    corpus.close()
    assert path.read_bytes() == b"other \xff" and not corpus.directory.exists()


def test_the_next_one_removes_what_a_killed_one_left_of_a_users_file_and_nothing_else(tmp_path):
    path = tmp_path / "mine"
    path.write_bytes(b"line\r\n" * 100)
    program = "import os, sys; from pathlib import Path; from iogauge.corpus.data_files import DataSpec; from iogauge.corpus.own_file import OwnFile; from iogauge.corpus.store import Corpus; c = Corpus(Path(sys.argv[1]), OwnFile(Path(sys.argv[2]))); c.provide(DataSpec('own', 5, 'payload')); os._exit(0)"
    subprocess.run([sys.executable, "-c", program, tmp_path, path], check=True)
    (head,) = (tmp_path / "iogauge-data").glob("own-*.data")
    assert head.read_bytes() == b"linex", "half a line end is none"
    theirs = head.with_name("own-notes.data")
    theirs.write_text("keep me")
    Corpus(tmp_path).close()
    assert not head.exists() and theirs.read_text() == "keep me"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the mappings of a process")
@pytest.mark.parametrize("right", [True, False])
def test_the_source_of_a_copy_is_mapped_only_while_it_is_compared(tmp_path, right):
    """A mapped file stays in the cache, so a copy could never be measured from the device."""
    source = tmp_path / "source.data"
    source.write_bytes(bytes(range(256)) * 64)
    how = {"form": "plain", "mode": "truncate", "durability": "none", "lifetime": "operation"}
    written = WrittenFiles(tmp_path / "written", source, **how, grown_most=1 << 30)
    (path,) = written.fresh(1)
    Path(path).write_bytes(source.read_bytes() if right else bytes(256 * 64))
    with nullcontext() if right else pytest.raises(WrongFile):
        written.check()
    assert str(source) not in Path("/proc/self/maps").read_text("utf-8")
