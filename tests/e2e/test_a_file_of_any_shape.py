"""`iogauge FILE` on files of all shapes: an answer, or one clear line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests import odd_files

needs_c = pytest.mark.skipif(not (shutil.which("gcc") or shutil.which("clang")), reason="no C")
needs_go = pytest.mark.skipif(not shutil.which("go"), reason="no Go")
LEFT_OUT = {  # of the ways of Python
    "cr.txt": "would also end lines at a lone carriage return",
    "mixed.txt": "would also end lines at a lone carriage return",
    "progress.log": "would also end lines at a lone carriage return",
    "cr-crlf.txt": "would also end lines at a lone carriage return",
    "final-cr.txt": "would also end lines at a lone carriage return",
    "separators.jsonl": "would also end lines at U+0085",
    "form-feeds.txt": "would also end lines at a form feed or a vertical tab",
    "controls.txt": "would also end lines at U+001C to U+001E",
    "behind.gz": "cannot read a gzip file with something behind it",
    "padded.gz": "cannot read a gzip file with zeros behind it",
}
NO_WAYS = {"behind.gz": "there are not two ways here to read the file"}


@pytest.fixture(scope="module")
def odd(disk_folder):
    folder = disk_folder / "odd"
    folder.mkdir()
    odd_files.write(folder)
    return folder


@pytest.fixture
def answer(iogauge, odd, monkeypatch):
    monkeypatch.chdir(odd)

    def ask(name: str, *options: str):
        return iogauge(name, *options, "--budget", "1s", "--dir", ".")

    return ask


@pytest.mark.real
def test_lines_are_read_by_the_ways_that_end_them_as_the_file_does(answer):
    done = answer("progress.log", "--language", "python")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "progress.log: 600 B of ASCII text, 40 lines (mixed: 40 LF, 80 CR, " in done.stderr
    said = " ".join(done.stderr.split())
    assert "not measured: 4 ways in Python which would also end lines at a lone" in said
    lines = done.stdout.partition("the lines of this file?")[2]
    assert "open('rb')" in lines and "open(newline='\\n')" in lines, done.stdout


@pytest.mark.real
@needs_c
def test_a_log_that_begins_with_nuls(answer):
    done = answer("rotated.log", "--language", "c")
    assert done.returncode == 0, done.stdout + done.stderr
    said = " ".join(done.stderr.split())
    assert "200 lines" in said and "39.1 KiB of NULs at its start" in said
    assert "not measured: 1 way in C which would lose what follows a NUL" in said
    lines = done.stdout.partition("the lines of this file?")[2]
    assert "getline" in lines and "fgets" not in lines


@pytest.mark.real
@needs_go
def test_a_gzip_file_with_a_line_end_behind_it(answer):
    refused = answer("behind.gz", "--language", "go")
    assert refused.returncode == 2 and not refused.stdout
    assert "2 bytes behind its last member" in " ".join(refused.stderr.split())
    assert "3 ways in Go which cannot read a gzip file with something behind it" in refused.stderr
    assert refused.stderr.splitlines()[-1].startswith("iogauge: there are not two ways here")


@pytest.mark.long
@pytest.mark.real
@pytest.mark.parametrize("name", [*odd_files.FILES, odd_files.HOLES])
def test_every_file_has_an_answer_or_a_clear_line(answer, name):
    file = odd_files.FILES.get(name)
    done = answer(name, "--language", "python")
    said = " ".join(done.stderr.split())
    refused = (file and file.refused) or NO_WAYS.get(name)
    if refused:
        assert done.returncode == 2 and not done.stdout, said
        assert done.stderr.count("iogauge: ") == 1 and refused in said, said
    else:
        assert done.returncode == 0, done.stdout + done.stderr
        assert "What is the best way to read " in done.stdout
    assert LEFT_OUT.get(name, "") in said
    assert "Traceback" not in done.stdout + done.stderr
    assert not [each for each in Path().iterdir() if each.name.startswith("iogauge")]


OWN = """
def as_latin_1(path):
    with open(path, encoding="latin-1") as file:
        return sum(len(line) for line in file)


def by_the_byte(path):
    with open(path, "rb") as file:
        return [line for line in file]
"""


@pytest.mark.real
def test_own_code_takes_a_file_in_another_encoding(answer, odd):
    (odd / "mine.py").write_text(OWN)
    done = answer("latin1.txt", "--own", "mine.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "latin1.txt: 2.15 KiB of text that is not UTF-8 (Latin-1, perhaps)" in done.stderr
    for name in ("as_latin_1", "by_the_byte"):
        assert f"{name}(path)" in done.stdout
