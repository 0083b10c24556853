"""`iogauge FILE`: the best way to read a file, and what is no file."""

import gzip
import re
import shutil

import pytest

from iogauge.model import folders
from tests.e2e.test_advice import seen, table  # noqa: F401

needs_go = pytest.mark.skipif(not shutil.which("go"), reason="no Go")


@needs_go
@pytest.mark.real
@pytest.mark.early
def test_says_how_to_read_a_file_cached_and_from_disk_with_code(iogauge, table, disk_folder):  # noqa: F811
    data = disk_folder / "data-of-a-file"
    data.mkdir()
    before = seen(table)
    done = iogauge(table, "--language", "go", "--budget", "16s", "--dir", data)
    assert done.returncode == 0, done.stdout + done.stderr
    for question in ("this file? (cached", "this file? (from disk", "its lines? (cached"):
        assert f"What is the best way to read {question}" in done.stdout, done.stdout
    code = done.stdout.partition("\nGo, ")[2]
    assert "os.Open(path)" in code or "os.ReadFile(path)" in code
    # On a busy machine a question may have no answer, and then nothing to copy.
    suspended = "the same code, run twice" in done.stdout
    assert len(re.findall(r"\buse(?:Text)?\(", code)) >= (1 if suspended else 2)
    assert "java" not in done.stdout.lower()
    assert f"advise --file {table} --language go --run" in done.stdout
    assert seen(table) == before and not list(data.rglob("*own*"))
    (run_file,) = folders.runs_by_age()
    assert str(run_file) in done.stdout
    assert table.stem not in run_file.read_text()
    assert "advise" not in iogauge().stdout, "stored runs of a file advise on no other file"


def test_what_cannot_be_read_is_one_line(iogauge, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "plan").write_text("")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"a line\n" * 1000)[:-9])
    for word, says in {
        "./nowhere": "nowhere: No such file or directory",
        "table.csv": "table.csv: No such file or directory",
        "folder": "folder: is a folder; give a file in it",
        "empty": "empty: is empty",
        "cut.gz": "cut.gz: begins as a gzip file, but cannot be unpacked (",
        "./plan": "plan: is empty",  # the command `plan` has no slash
        "shwo": "No such command 'shwo'. Did you mean 'show'?",
    }.items():
        done = iogauge(word)
        assert done.returncode == 2 and not done.stdout
        assert done.stderr.startswith(f"iogauge: {says}") and done.stderr.count("\n") == 1, word
    done = iogauge("empty", "--language", "cobol")
    assert (
        done.returncode == 2 and "--language cobol: allowed: c, cpp, fake, go, java" in done.stderr
    )


def test_version_and_short_help(iogauge):
    from iogauge import __version__

    assert iogauge("--version").stdout == f"iogauge {__version__}\n"
    assert iogauge("run", "-h").stdout == iogauge("run", "--help").stdout
    assert "best way to read a file" in iogauge("any.csv", "-h").stdout


def test_a_shell_completes_commands_and_values(iogauge_process):
    def completed(line: str) -> list[str]:
        words = line.split(" ")
        done = iogauge_process(
            _IOGAUGE_COMPLETE="complete_bash",
            COMP_WORDS=line,
            COMP_CWORD=str(len(words) - 1),
            _TYPER_COMPLETE_ARGS=line,
        )
        return done.stdout.split()

    assert "doctor" in completed("iogauge d")
    assert completed("iogauge run qui") == ["quick"]
    assert completed("iogauge run --only go/mmap-random-") == [
        "go/mmap-random-copy",
        "go/mmap-random-each",
    ]
    assert completed("iogauge advise --language ko") == ["kotlin"]
    assert completed("iogauge run --runtime j") == ["jvm="]
