"""What a file is said to be, and what follows from it: files of all shapes (tests/odd_files.py)."""

from __future__ import annotations

import gzip
from types import SimpleNamespace

import numpy as np
import pytest

from iogauge.advice import studies
from iogauge.corpus import content, own_file
from iogauge.corpus.own_file import OwnFile
from iogauge.corpus.profile import Profile
from iogauge.corpus.scanning import Scan
from iogauge.corpus.sniffing import HEAD
from iogauge.host import pagecache
from iogauge.model.errors import UserError
from iogauge.outputs import file_profile
from iogauge.runners import catalogue
from tests import odd_files
from tests.odd_files import FILES, HOLES, LOG
from tests.reports import declared

PLAIN = {
    **{"encoding": "ascii", "bom": False, "packing": None, "lf": 0, "crlf": 0, "cr": 0},
    **{"others": {}, "nuls": 0, "nuls_first": 0, "quoted_ends": 0, "ends_with": "lf"},
}
PECULIAR = {
    "cr.txt": {"lone-cr", "final-cr"},
    "mixed.txt": {"lone-cr"},
    "progress.log": {"lone-cr"},
    "cr-crlf.txt": {"lone-cr"},
    "final-cr.txt": {"lone-cr", "final-cr"},
    "separators.jsonl": {"next-line", "line-separator"},
    "form-feeds.txt": {"form-feed"},
    "controls.txt": {"separators"},
    "rotated.log": {"nul"},
    "nuls.log": {"nul"},
    HOLES: {"nul"},
    "behind.gz": {"trailing-data"},
    "padded.gz": {"trailing-zeros"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("odd")
    odd_files.write(made)
    return made


def found(profile) -> dict[str, object]:
    """Its fields, of which those of other line ends only where there are some."""
    fields = {name: getattr(profile, name) for name in [*PLAIN, "longest"]}
    return {**fields, "others": {kind: many for kind, many in profile.others.items() if many}}


def profiled(data: bytes, tile: int) -> Profile:
    """The profile of data that come in such pieces."""
    scan, tally = Scan(data[:HEAD]), content.Tally(text=True)
    for at in range(0, len(data), tile):
        scan.add(data[at : at + tile])
        tally.add(np.frombuffer(data[at : at + tile], np.uint8))
    tally.end()
    return scan.profile(utf_8=tally.text)


def test_what_each_file_is(folder):
    for name, odd in FILES.items():
        if odd.refused:
            continue
        profile = OwnFile(folder / name, unpacked=True).profile
        if odd.profile.get("encoding") == "binary":
            told = {key: getattr(profile, key) for key in odd.profile}
            assert told == odd.profile and not profile.is_text, name
        else:
            assert found(profile) == {**PLAIN, **odd.profile}, name
            assert profile.is_text == (profile.encoding in ("ascii", "utf-8")), name
        assert not odd.data or profile.scanned >= len(odd.data) or name.endswith("gz"), name


@pytest.mark.parametrize("tile", [1, 2, 3, 5, 64, 1023])
def test_data_may_come_in_pieces_of_any_size(tile):
    for name, odd in FILES.items():
        if odd.data and (tile > 60 or len(odd.data) < 10_000):
            assert profiled(odd.data, tile) == profiled(odd.data, 1 << 20), name


def test_what_some_ways_to_read_it_trip_on(folder):
    names = [name for name, odd in FILES.items() if not odd.refused]
    files = {name: OwnFile(folder / name, unpacked=True) for name in [*names, HOLES]}
    text = [name for name in files if files[name].is_text]
    told = {name: set(files[name].peculiarities) for name in text}
    assert {name: each for name, each in told.items() if each} == PECULIAR


def test_what_cannot_be_measured_is_one_line(folder):
    refused = {name: odd.refused for name, odd in FILES.items() if odd.refused}
    assert len(refused) == 4 and len(FILES) > 30
    for name, why in refused.items():
        with pytest.raises(UserError) as told:
            print(OwnFile(folder / name, unpacked=True).profile)
        assert f"{name}: {why}" in str(told.value) and "\n" not in str(told.value)


def test_how_each_file_is_told(folder, monkeypatch, snapshot):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(own_file, "_cached", lambda path, known: 0.4)
    monkeypatch.setattr(OwnFile, "holes", 0)
    said = []
    for name in [each for each, odd in FILES.items() if not odd.refused] + [HOLES]:
        said.append(
            file_profile.line(OwnFile(own_file.Path(name), unpacked=True), by_own_code=False)
        )
    for name in ("log.gz", "log.zst", "latin1.txt"):
        said.append(file_profile.line(OwnFile(own_file.Path(name)), by_own_code=True))
    assert "\n".join(said) == snapshot


@pytest.mark.parametrize(
    ("share", "says"),
    [(0.0, "none"), (0.004, "<1 %"), (0.4, "40 %"), (0.999, "99 %"), (1.0, "all")],
)
def test_how_much_of_it_was_cached(folder, monkeypatch, share, says):
    monkeypatch.setattr(own_file, "_cached", lambda path, known: share)
    said = file_profile.line(OwnFile(folder / "lf.log"), by_own_code=False)
    assert said.endswith(f"longest 37 B), {says} of it cached")


def test_its_residency_is_that_before_it_was_read(disk_folder):
    path = disk_folder / "resident.log"
    path.write_bytes(LOG * 100)
    if pagecache.WHY_NOT or pagecache.evict(path).pages:
        pytest.skip("what is in the cache cannot be seen, or changed, here")
    file = OwnFile(path)
    assert file.profile.lines == 20_000 and file.cached == 0
    assert pagecache.observe(path).share == 1
    assert OwnFile(path).cached == 1


def test_holes_are_told(disk_folder):
    odd_files.write(disk_folder)
    file = OwnFile(disk_folder / HOLES)
    if not file.holes:
        pytest.skip("this file system has no holes, or does not tell")
    assert 900 << 10 < file.holes < 1 << 20
    assert " of it holes" in file_profile.line(file, by_own_code=False)
    assert not OwnFile(disk_folder / "lf.log").holes


def test_of_a_larger_file_the_first_part_is_told_and_all_of_it_is_looked_at(folder, monkeypatch):
    monkeypatch.setattr(own_file, "PROFILED", 4096)
    monkeypatch.setattr(content, "TILE", 1024)
    path = folder / "large"
    path.write_bytes(LOG + b"progress\rdone\n\xff\n")
    file = OwnFile(path)
    assert file.profile.scanned == 4096 and file.profile.encoding == "ascii"
    assert "108 lines in its first GiB (LF, longest 37 B), " in file_profile.line(
        file, by_own_code=False
    )
    assert not file.is_text and file.peculiarities == {"lone-cr"} and file.lines == 202
    assert file.manifest().counts == {"byte": len(LOG) + 16, "line-byte": 202}


@pytest.mark.parametrize(
    ("name", "more", "why"),
    [
        ("progress.log", 80, "it also ends lines at lone carriage returns"),
        ("final-cr.txt", 1, None),
        ("separators.jsonl", 60, "it also ends lines at U+2028 and U+2029"),
        ("separators.jsonl", 30, "it also ends lines at U+0085"),
        ("separators.jsonl", 90, "it also ends lines at U+0085, U+2028 and U+2029"),
        ("form-feeds.txt", 40, "it also ends lines at form feeds and vertical tabs"),
        ("quoted.csv", -30, "it ends no line inside quotes"),
        ("lf.log", 1, None),
        ("lf.log", -1, None),
    ],
)
def test_which_line_ends_explain_another_count(folder, name, more, why):
    file = OwnFile(folder / name)
    assert file.explained_lines(file.lines + more) == why


def test_a_separator_at_the_very_end_begins_no_line(tmp_path):
    path = tmp_path / "ended"
    for end in ("\f", "\r", "\x1e", "\x85", "\u2028"):
        text = f"one\ntwo{end}three{end}"
        path.write_bytes(text.encode())
        file = OwnFile(path)
        assert file.explained_lines(len(text.splitlines())), repr(end)


def test_how_many_lines_a_reader_of_python_sees_is_explained_in_all_of_them(folder):
    for name in (
        "progress.log",
        "cr-crlf.txt",
        "separators.jsonl",
        "form-feeds.txt",
        "controls.txt",
    ):
        text = FILES[name].data.decode()
        assert OwnFile(folder / name).explained_lines(len(text.splitlines())), name


@pytest.fixture(scope="module")
def runtimes():
    return catalogue.everywhere()[0]


def lines_of(file: OwnFile, runtimes, language=None) -> set[str]:
    """The ways by which its lines are to be read."""
    extent = studies.Extent(["warm"], ["warm"], studies.FEW)
    study = studies.file_study(file, runtimes, language, 8 << 30, 27, extent)
    groups = {each.id: each for each in study.group} if study else {}
    cases = groups["lines"].case if "lines" in groups else []
    return {name for case in cases for name in case.strategy}


def test_ways_that_trip_on_a_file_are_left_out_and_no_others(folder, runtimes):
    usual = lines_of(OwnFile(folder / "lf.log"), runtimes)
    left = {
        name: usual - lines_of(OwnFile(folder / name), runtimes)
        for name in PECULIAR
        if "gz" not in name
    }
    assert left["nuls.log"] == left[HOLES] == {"c/fgets"} <= usual
    assert left["form-feeds.txt"] == left["controls.txt"] == {"python/read-text-splitlines"}
    assert left["separators.jsonl"] == {"python/read-text-splitlines"}
    assert {"java/buffered-reader-line", "python/text-lines"} <= left["progress.log"]
    assert not {"python/byte-lines", "go/bufio-scanner-line", "c/getline"} & left["progress.log"]
    assert {"python/byte-lines", "go/bufio-scanner-line"} <= left["final-cr.txt"]
    assert "rust/buf-reader-line" not in left["final-cr.txt"]


def test_what_ends_lines_in_unicode_is_no_matter_of_a_language(runtimes):
    every = {name: each for one in runtimes for name, each in one.strategies.items()}
    found = {name for name, each in every.items() if each.trips({"next-line"})}
    assert found == {"java/scanner-line", "python/read-text-splitlines"}


def test_why_ways_are_left_out_is_told_once_for_each_reason(folder, runtimes, snapshot):
    said = []
    for name in (
        "progress.log",
        "separators.jsonl",
        "nuls.log",
        "behind.gz",
        "padded.gz",
        "latin1.txt",
    ):
        file = OwnFile(folder / name, unpacked=True)
        said += [name, *file_profile.left_out(file, studies.tripping(file, runtimes, None))]
    file = OwnFile(folder / "progress.log")
    in_go = studies.tripping(file, runtimes, ["go"])
    assert in_go == [] and "\n".join(said) == snapshot


def test_of_what_is_packed_and_no_text_no_way_to_read_lines_is_told(tmp_path, runtimes):
    path = tmp_path / "packed.gz"
    path.write_bytes(gzip.compress(bytes(range(256)) * 40))
    file = OwnFile(path, unpacked=True)
    assert not file.is_text and {"nul", "lone-cr"} <= file.peculiarities
    assert studies.tripping(file, runtimes, None) == []
    path.write_bytes(path.read_bytes() + b"\n")
    found = studies.tripping(OwnFile(path, unpacked=True), runtimes, None)
    assert found and not any(each.by_line for each in found)


def test_ways_that_nobody_asked_for_are_not_told(folder, runtimes):
    """Where the user's code gives bytes, ways to read lines are in no one's way."""
    file = OwnFile(folder / "progress.log")
    (python,) = (each for each in runtimes if each.runner == "python")

    def told(sums: str) -> list[str]:
        own = declared("python/own-f", sums=sums)
        strategies = {**python.strategies, own.name: own}
        having = python.model_copy(update={"strategies": strategies})
        return [each.name for each in studies.tripping(file, [having], None)]

    assert told("byte") == [] and "python/text-lines" in told("line-codepoint")


def test_a_gzip_file_of_tiny_members_is_looked_at_as_a_whole(tmp_path):
    path = tmp_path / "tiny.gz"
    rows = FILES["quoted.csv"].data.splitlines(keepends=True)
    path.write_bytes(b"".join(gzip.compress(row) for row in rows))
    file = OwnFile(path, unpacked=True)
    assert file.profile.quoted_ends == 30 and file.members.count == len(rows)


def test_own_code_of_lines_as_bytes_is_measured_whatever_the_encoding(folder):
    python = SimpleNamespace(runner="python", strategies={})
    for sums, measured in (("line-byte", True), ("line-codepoint", False), ("byte", True)):
        own = declared("python/own-f", sums=sums)
        python.strategies = {own.name: own, "python/x": declared("python/x", sums=sums)}
        study = studies.own_study(
            OwnFile(folder / "latin1.txt"), [python], {own.name}, ["warm"], 8 << 30, 27
        )
        assert (study is not None) == measured, sums
        if sums == "line-byte":
            assert [case.strategy for case in study.group[0].case] == [["python/own-f"]]
