"""`iogauge FILE`: the best way to read a file, and what is no file."""

import gzip
import json
import re
import shutil

import pytest

from iogauge.model import folders
from iogauge.runners import manifest
from tests.conftest import TESTS
from tests.e2e.test_advice import seen, table  # noqa: F401

EVERY = [f"{what}-{cache}" for what in ("lines", "whole") for cache in ("warm", "cold")]
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
    assert questions() == EVERY
    for number, label in enumerate(("by lines, cached", "by lines, from disk", "cached"), 1):
        assert re.search(rf"^{number} Read [\d.]+ KiB,? {label}$", done.stdout, re.MULTILINE)
    code = done.stdout.partition("\nGo, ")[2]
    assert "os.Open(path)" in code or "os.ReadFile(path)" in code
    # On a busy machine a question may have no answer, and then nothing to copy.
    suspended = "the same code, run twice" in done.stdout
    assert len(re.findall(r"\buse(?:Text)?\(", code)) >= (1 if suspended else 2)
    assert "java" not in done.stdout.lower()
    assert f"advise --file {table} --dir {data} --language go --run" in done.stdout
    assert seen(table) == before and not list(data.rglob("*own*"))
    (run_file,) = folders.runs_by_age()
    assert str(run_file) in done.stdout
    assert table.stem not in run_file.read_text()
    assert "advise" not in iogauge().stdout, "stored runs of a file advise on no other file"


@pytest.fixture
def project(disk_folder, monkeypatch):
    """Gives the current folder, outside of a repository: that of a Python project, with a text."""
    folder = disk_folder / "project"
    (folder / "deep").mkdir(parents=True)
    (folder / ".git").touch()
    (folder / "pyproject.toml").touch()
    (folder / "log.csv").write_text("".join(f"{n},a line of a log,{n * 37}\n" for n in range(9000)))
    monkeypatch.chdir(folder)
    yield folder
    shutil.rmtree(folder)


def header() -> dict:
    """That of the newest run."""
    return json.loads(folders.newest_run().read_text().partition("\n")[0])


def questions() -> list[str]:
    """What the newest run asked, in its order."""
    return [each["id"] for each in header()["plan"]["groups"]]


@pytest.mark.long
@pytest.mark.real
def test_how_a_file_was_cached_is_told_whatever_state_is_asked_for(iogauge, disk_folder):
    data = disk_folder / "just-written"
    data.write_bytes(bytes(range(256)) * 4096)
    words = (data, "--language", "python", "--cached-by", "read-random", "--budget", "2s")
    done = iogauge(*words, "--dir", disk_folder)
    assert "all of it cached" in " ".join(done.stderr.split()), done.stderr


@pytest.mark.long
@pytest.mark.real
def test_the_language_of_the_project_is_asked_first_by_line_then_as_bytes(iogauge, project):
    # It was just written, so it is first read as it was left, by forks of their own.
    done = iogauge("log.csv", "--budget", "12s", "--dir", ".")
    assert done.returncode == 0, done.stdout + done.stderr
    first, *_ = done.stdout.splitlines()
    others = "; the others: iogauge log.csv --dir . --all"
    assert first.partition(";")[0] == "Python first: pyproject.toml is here"
    assert first.endswith("is here") or first.endswith(others)
    assert questions() == EVERY
    assert "reading its" not in done.stderr, "nothing but ways was left out"
    assert max(map(len, done.stdout.splitlines()[:-1])) <= 80
    assert "iogauge advise --file log.csv --dir . --language python --run" in done.stdout
    found = header()
    assert found["options"] == {"file": ["YOUR-FILE", "--language", "python"]}
    plan = found["plan"]
    compared = {
        plan["cases"][case]["strategy"] for each in plan["groups"] for case in each["cases"]
    }
    assert {each.partition("/")[0] for each in compared} == {"python"}


@pytest.mark.long
@pytest.mark.real
def test_where_time_is_short_a_text_is_asked_for_its_lines_and_what_is_left_out_is_said(
    iogauge, project, monkeypatch
):
    monkeypatch.chdir("deep")
    done = iogauge("../log.csv", "--budget", "1s", "--dir", "..")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("Python first: pyproject.toml is in ..")
    assert {each.partition("-")[0] for each in questions()} == {"lines"}
    assert "not measured, as there is no time for it: reading its bytes; " in done.stderr


@needs_go
@pytest.mark.long
@pytest.mark.real
def test_with_all_every_language_is_asked(iogauge, project):
    done = iogauge("log.csv", "--all", "--budget", "2s", "--dir", ".")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "first:" not in done.stdout and re.search("^  go  ", done.stdout, re.MULTILINE)
    assert {each.partition("-")[0] for each in questions()} == {"lines"}
    assert "iogauge log.csv --all --dir . --budget" in done.stdout


@pytest.mark.long
@needs_go
@pytest.mark.real
def test_a_go_module_asks_for_go_first_and_the_option_for_another_language_wins(iogauge, project):
    (project / "pyproject.toml").rename(project / "go.mod")
    done = iogauge("log.csv", "--budget", "2s", "--dir", ".")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("Go first: go.mod is here") and "python" not in done.stdout
    done = iogauge("log.csv", "--language", "python", "--budget", "1s", "--dir", ".")
    assert done.returncode == 0 and "Go" not in done.stdout, done.stdout


@pytest.mark.real
def test_where_the_language_of_the_project_is_missing_the_others_are_asked(
    iogauge, project, tmp_path, monkeypatch
):
    text = (TESTS / "runners" / "fake" / "runner.toml").read_text()
    text = text.replace("fake", "absent").replace('["python3"]', '["/no/such/program"]')
    (tmp_path / "runner.toml").write_text(f'{text}\n[project.markers]\n"absent.mod" = ["absent"]\n')
    runners = [manifest.load(tmp_path), manifest.load(manifest.sources_folder() / "python")]
    monkeypatch.setattr(manifest, "all_runners", lambda: runners)
    (project / "pyproject.toml").rename(project / "absent.mod")
    done = iogauge("log.csv", "--budget", "1s", "--dir", ".")
    assert done.returncode == 0, done.stdout + done.stderr
    says = "absent: skipped, no python3 3.11 or newer; install Python (absent.mod is here)\n"
    assert says in done.stderr and done.stderr.count("absent") == 2
    assert "first:" not in done.stdout and "python" in done.stdout


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
