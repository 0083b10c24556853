"""Code in Kotlin as strangers write it: each file or project of tests/strangers/kotlin gives the
numbers, or the one line, that tests/strangers/expected-kotlin.toml has for it.
"""

import os
import shutil

import pytest
from strangers import cases, check, elsewhere, named, put, read_only, said

pytestmark = pytest.mark.skipif(
    not (shutil.which("javac") and shutil.which("mvn")), reason="no JDK and Maven"
)
QUICK = ("top-level",)  # of `make test`


@pytest.fixture
def here(folder, monkeypatch):
    """The folder in which a stranger works: the code, and a file of each kind."""
    put(folder, "kotlin")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.real
@pytest.mark.parametrize("name", named("kotlin", QUICK))
def test_kotlin_of_a_stranger(iogauge, here, name):
    check(iogauge, here, "kotlin", name)


@pytest.mark.real
@pytest.mark.long
def test_a_second_run_starts_neither_the_compiler_of_kotlin_nor_maven(iogauge, here, monkeypatch):
    first = iogauge("log", "--own", "Named.kt", "--dir", ".", "--budget", "1s")
    assert first.returncode == 0, said(first)
    tools = here / "tools"
    tools.mkdir()
    (tools / "mvn").write_text("#!/bin/sh\nexit 1\n")
    (tools / "mvn").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    second = iogauge("log", "--own", "Named.kt", "--dir", ".", "--budget", "1s")
    assert second.returncode == 0 and "preparing" not in second.stderr, said(second)
    assert all(cases(iogauge)["lines(path)"])


@pytest.mark.real
@pytest.mark.long
def test_functions_of_java_and_kotlin_are_measured_side_by_side(iogauge, here):
    done = iogauge(
        "csv", "--own", "stats/src/main/kotlin/stats/Mean.kt", "--budget", "1s", "--dir", "."
    )
    assert done.returncode == 0, said(done)
    assert all(cases(iogauge)["mean(csv)"])


@pytest.mark.real
@pytest.mark.long
def test_nothing_is_written_beside_kotlin_where_nobody_can(here):
    done = read_only(here, "log", "--own", "mvn", "--dir", str(elsewhere(here)), "--budget", "1s")
    assert done.returncode == 0, said(done)
