"""Code in C as strangers write it, and what comes out."""

import os
import subprocess
from pathlib import Path

import pytest

from iogauge.runners import own, preparing, wire
from iogauge.runners.fork import alone
from tests.e2e import strangers

QUICK = ("count",)  # of `make test`


@pytest.fixture
def here(folder, monkeypatch):
    """The folder in which a stranger works."""
    strangers.put(folder, "c")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.real
@pytest.mark.parametrize("name", strangers.named("c", QUICK))
def test_code_in_c_of_a_stranger(iogauge, here, name):
    strangers.check(iogauge, here, "c", name)


@pytest.mark.long
@pytest.mark.real
def test_a_second_run_compiles_nothing_and_two_versions_are_compared(iogauge, here):
    """A version has its own name."""
    (here / "old").mkdir(), (here / "new").mkdir()
    text = (here / "count.c").read_text()
    (here / "old" / "count.c").write_text(text)
    (here / "new" / "count.c").write_text(text.replace("getc(", "getc_unlocked("))
    given = ("log", "--own", "old=old/count.c", "--own", "new=new/count.c", "--dir", ".")
    done = iogauge(*given, "--budget", "4s")
    said = strangers.said(done)
    assert done.returncode == 0 and "C (old)" in said and "C (new)" in said, said
    assert "other result" not in said and "Results differ" not in said, said
    done = iogauge(
        "log",
        "--own",
        "new=new/count.c",
        "--own",
        "old=old/count.c",
        "--dir",
        ".",
        "--budget",
        "1s",
    )
    assert done.returncode == 0 and "preparing" not in done.stderr, strangers.said(done)


@pytest.mark.long
@pytest.mark.real
def test_a_header_or_a_library_that_flags_name_is_an_input(iogauge, here, tmp_path):
    """Wherever it lies: if it changes, the code is built anew."""
    (here / "mine.c").write_text(
        "#include <size.h>\nlong f(const char *path) { return size(path); }\n"
    )
    (header := tmp_path / "size.h").write_text("long size(const char *path);\n")
    source, library = tmp_path / "size.c", tmp_path / "libsize.a"

    def archived(end: str) -> None:
        source.write_text(
            "#include <stdio.h>\nlong size(const char *path) {\n"
            'FILE *file = fopen(path, "r"); long n = 0; while (getc(file) != EOF) n++;\n'
            f"fclose(file); return n{end}; }}\n"
        )
        subprocess.run(["cc", "-O2", "-c", source, "-o", tmp_path / "size.o"], check=True)
        subprocess.run(["ar", "rcs", library, tmp_path / "size.o"], check=True)

    def prepared() -> bool:
        given = f"-I{tmp_path} -L{tmp_path} -lsize"
        done = iogauge(
            "log", "--own", "mine.c", "--own-flags", given, "--dir", ".", "--budget", "1s"
        )
        assert done.returncode == 0, strangers.said(done)
        return "preparing" in done.stderr

    archived("")
    assert prepared() and not prepared()
    archived(" + 1")
    assert prepared()
    header.write_text(f"#define MORE 1\n{header.read_text()}")
    assert prepared()


@pytest.mark.long
@pytest.mark.real
def test_code_that_cannot_be_written_beside_is_measured(here):
    """A file alone, one of a project, and a folder, on a read-only mount."""
    out = str(strangers.elsewhere(here))
    for code in ("count.c", "built/src/scan.c", "wordcount"):
        done = strangers.read_only(here, "log", "--own", code, "--dir", out, "--budget", "1s")
        assert done.returncode == 0, strangers.said(done)


def test_where_one_source_does_not_compile_the_build_ends_after_all_compilers(tmp_path):
    """Or they would write into a folder that is being removed."""
    programs = {
        "nproc": "echo 2",
        "cc": 'case $1 in *1.args) exit 1 ;; esac; sleep 0.3; touch "$(dirname "$0")/ended"',
    }
    for name, text in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "own").mkdir()
    for number in (1, 2):
        (tmp_path / "own" / f"linked-{number}.args").touch()
    script = Path(__file__).parents[2] / "runners" / "c" / "own.sh"
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = subprocess.run(["sh", script, tmp_path / "cc"], cwd=tmp_path, env={"PATH": path})
    assert done.returncode == 1 and (tmp_path / "ended").exists()


@pytest.mark.long
@pytest.mark.real
def test_on_a_full_disk_no_function_changes_the_file(here):
    """As iogauge cannot write the small file with which it tries functions."""
    (runner,) = own.runners(["count.c"])
    (ready,), _ = preparing.prepare({}, lambda text: None, [runner])
    (program,) = ready.launch.command
    for each in (Path(program).parent / "own").glob("tried-*"):
        each.unlink()
    full = ["sh", "-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\"", program]
    done = subprocess.run(full, input='{"verb":"list"}\n', capture_output=True, text=True)
    assert "count_lines(path)" in done.stdout and "changes the file" not in done.stdout, done


@pytest.mark.long
@pytest.mark.real
def test_functions_that_return_other_things_are_told(iogauge, here):
    less = '\nlong start(const char *path) { return getc(fopen(path, "r")) > 0 ? 8999 : 0; }\n'
    (here / "mine.c").write_text((here / "count.c").read_text() + less)
    done = iogauge("log", "--own", "mine.c", "--dir", ".", "--budget", "2s")
    assert done.returncode == 0, strangers.said(done)
    assert "Results differ: " in strangers.said(done), strangers.said(done)


@pytest.mark.long
@pytest.mark.real
def test_what_the_linker_does_not_find_is_told_in_a_line(iogauge, here):
    text = "int elsewhere(void);\nint f(const char *path) { return *path + elsewhere(); }\n"
    (here / "mine.c").write_text(text)
    done = iogauge("log", "--own", "mine.c")
    says = "--own mine.c: nothing defines elsewhere; give what has it to the linker"
    assert done.returncode == 2 and says in done.stderr, done.stderr


@pytest.mark.long
@pytest.mark.real
def test_what_a_function_gives_is_freed(iogauge, here):
    """Calls of some MiB each would take all memory otherwise."""
    (here / "large").write_text("x" * 99 + "\n")
    (here / "mine.c").write_text(
        "#include <stdlib.h>\n#include <string.h>\n"
        "char *f(const char *path) { char *p = malloc(8 << 20); return memset(p, 1, 8 << 20); }\n"
    )
    (runner,) = own.runners(["mine.c"])
    (ready,), _ = preparing.prepare({}, lambda text: None, [runner])
    (strategy,) = (each for each in ready.runtime.strategies.values() if each.is_own)
    with alone(ready.launch, 0) as fork:
        fork.ask(wire.open_strategy(strategy.name, {}, "read", "none"), 60)
        fork.ask(wire.sample(300, 1, [str(here / "large")]), 60)
        used = Path(f"/proc/{fork.pid}/statm").read_text("ascii").split()[1]
    assert int(used) * 4096 < 1 << 29
