"""Tests that runners bring in their own language, and their code hints, compiled."""

from __future__ import annotations

import gzip
import hashlib
import importlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Literal

import pytest

from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.runners import finding, manifest
from iogauge.runners.programs import environment
from tests import hints
from tests.toolchains import cargo_works

RUNNERS = Path(__file__).parents[2] / "runners"
QUICK_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""For programs that end before it pays to compile them well."""


def run(command: list[str], folder: Path, **variables: str | Literal[False]) -> str:
    own = environment(variables)
    done = subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def go_as_built():
    """Variables with which Go finds the standard library as the runner's build has compiled it."""
    if not shutil.which("go"):
        pytest.skip("no Go")
    table = tomllib.loads((RUNNERS / "go" / "runner.toml").read_text())["build"]
    (command,) = table["commands"]
    assert "-trimpath" in command
    return {**table["environment"], "GOFLAGS": table["environment"]["GOFLAGS"] + " -trimpath"}


@pytest.fixture(scope="session")
def rust_as_tested(tmp_path_factory):
    """A copy of the Rust runner with its lock file, and the folder for what cargo makes of it and
    of its libraries, which cargo compiles once.
    """
    if not cargo_works():
        pytest.skip("no cargo, or a launcher of it without a toolchain")
    folder = tmp_path_factory.mktemp("cargo")
    shutil.copytree(RUNNERS / "rust", folder / "rust")
    run(["sh", "restore-lock.sh", "cargo"], folder / "rust")
    return folder / "rust", {
        "CARGO_TARGET_DIR": str(folders.cache() / "dist" / "cargo-tests"),
        "CARGO_INCREMENTAL": "0",
        "CARGO_PROFILE_DEV_DEBUG": "0",
    }


@pytest.mark.early
def test_go(go_as_built):
    """The consumer against a naive loop, in every alignment and length; and the wire."""
    run(["go", "test", "./..."], RUNNERS / "go", **go_as_built)
    run(["go", "vet", "./..."], RUNNERS / "go", **go_as_built)


def test_hints_in_go(go_as_built, tmp_path):
    for name in ("go.mod", "go.sum"):
        shutil.copy(RUNNERS / "go" / name, tmp_path)
    (tmp_path / "main.go").write_text(hints.program("go"))
    run(["go", "vet", "."], tmp_path, **go_as_built)


@pytest.mark.long
@pytest.mark.early
def test_rust(rust_as_tested):
    """The consumer against a naive loop, in every alignment and length."""
    folder, environment = rust_as_tested
    told = run(["cargo", "test", "--locked", "--quiet"], folder, **environment)
    assert "test result: ok" in told and "running 0 tests" not in told.splitlines()[0]


def test_hints_in_rust(rust_as_tested, tmp_path):
    folder, environment = rust_as_tested
    for name in ("Cargo.toml", "Cargo.lock"):
        shutil.copy(folder / name, tmp_path)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.rs").write_text(hints.program("rust"))
    run(["cargo", "build", "--locked", "--quiet"], tmp_path, **environment)


@pytest.mark.parametrize(
    "name, text", [pytest.param(*each, id=each[0]) for each in hints.variants("python").items()]
)
def test_hints_in_python(name, text, tmp_path, monkeypatch):
    """Each is run: it uses all that it reads, writes all that there is, and waits as it says."""
    if "numpy" in name:
        pytest.importorskip("numpy")
    if name == "read-text" and sys.version_info < (3, 13):
        pytest.skip("read_text has no newline before Python 3.13")
    content = "".join(f"line {number}, größer\n" for number in range(1000))
    data, block = content.encode(), hints.VALUES["block"]
    path, to = tmp_path / "file", tmp_path / "copy"
    used: list[bytes] = []
    synced: list[str] = []
    for each in ("fsync", "fdatasync"):
        monkeypatch.setattr(os, each, lambda file, each=each: synced.append(each))
    modules = ("gzip", "mmap", "numpy", "os", "shutil", "zlib")
    known = {each: importlib.import_module(each) for each in modules}
    known |= {"Path": Path, "path": path, "to": to, "data": data}
    known |= {"text": content, "pieces": [data[:block], data[block:]], "parts": [content]}
    known |= {"offsets": range(0, len(data), block)}
    known |= {"use": lambda some: used.append(bytes(some))}
    known |= {"use_text": lambda some: used.append(some.encode())}
    writes = "write" in name
    before = b"before" if "append" in name else b""
    if writes:
        path.write_bytes(before)
    else:
        path.write_bytes(gzip.compress(data) if "zip" in name or "zlib" in name else data)
    exec(compile(text, name, "exec"), known)  # as a reader would paste it
    if writes or to.exists():
        assert (path if writes else to).read_bytes() == before + data and not used
    else:
        assert b"".join(used) == (data.replace(b"\n", b"") if "line" in name else data)
    assert synced == [each for each in ("fsync", "fdatasync") if each in name.split()]


@pytest.mark.parametrize("language, standard", [("c", "gnu11"), ("c++", "gnu++17")])
def test_hints_in_c_and_cpp(language, standard, tmp_path):
    compiler = shutil.which("g++" if language == "c++" else "gcc") or shutil.which("clang")
    if not compiler:
        pytest.skip(f"no compiler of {language}")
    source = tmp_path / "hints"
    source.write_text(hints.program(language.replace("c++", "cpp")))
    strict = ["-Wall", "-Wextra", "-Werror", "-O2"]
    run([compiler, "-x", language, f"-std={standard}", *strict, "-c", str(source)], tmp_path)


def test_hints_in_node(tmp_path):
    """They run, and use or copy all of a file, or its lines without their ends."""
    if not homes("node"):
        pytest.skip("no Node")
    (tmp_path / "hints.mjs").write_text(hints.program("node"))
    node = str(homes("node")[0] / "bin" / "node")
    used = run([node, "hints.mjs", "file", "copy"], tmp_path).split()
    told = dict(zip(hints.variants("node"), map(int, used), strict=True))
    by_line = {"readline", "readline-event", "read-lines", "split-file", "gunzip-readline"}
    for name, count in told.items():
        writes = "write" in name or "append" in name
        whole = 6000 if name in by_line else 0 if writes else 7000
        assert count == whole, name


def test_node(tmp_path):
    """The consumer against a naive loop, in every alignment and many lengths; and what is found
    out of functions of the user's own.
    """
    if not homes("node"):
        pytest.skip("no Node")
    node = str(homes("node")[0] / "bin" / "node")
    run([node, "--test", "harness/tally.test.mjs", "harness/own.test.mjs"], RUNNERS / "node")


def homes(name: str) -> list[Path]:
    """Of the runtimes here, the newest first."""
    runner = next(each for each in manifest.all_runners() if each.name == name)
    try:
        return [each.home for each in finding.installed(runner)]
    except UserError:
        return []


def java_version(home: Path) -> int:
    said = subprocess.run(
        [home / "bin" / "javac", "-version"], capture_output=True, text=True, check=True
    )
    return int(re.search(r"(\d+)", said.stdout + said.stderr)[1])


def test_hints_in_java(tmp_path):
    found = [home for home in homes("jvm") if (home / "bin" / "javac").exists()]
    if not found:
        pytest.skip("no JDK")
    newest = max(found, key=java_version)
    for since, program in hints.java_programs():
        if java_version(newest) < since:
            continue
        (tmp_path / "Hints.java").write_text(program)
        quick = [f"-J{option}" for option in QUICK_JVM.split()]
        strict = ["--release", str(since), "-Xlint:all,-try", "-Werror"]
        run([str(newest / "bin" / "javac"), *quick, *strict, "Hints.java"], tmp_path)


@pytest.mark.long
def test_hints_in_kotlin(tmp_path):
    """It takes Maven long: each state of them is compiled once, with each Maven and its Java."""
    if not shutil.which("mvn"):
        pytest.skip("no Maven")
    shutil.copy(RUNNERS / "jvm" / "pom.xml", tmp_path)
    program = hints.program("kotlin")
    version = run(["mvn", "-q", "-B", "--version"], tmp_path, MAVEN_OPTS=QUICK_JVM)
    state = hashlib.sha256(f"{version}{(tmp_path / 'pom.xml').read_text()}{program}".encode())
    compiled = folders.cache() / "dist" / f"hints-in-kotlin-{state.hexdigest()[:12]}"
    if compiled.exists():
        return
    sources = tmp_path / "src" / "main" / "kotlin"
    sources.mkdir(parents=True)
    (sources / "Hints.kt").write_text(program)
    run(["mvn", "-q", "-B", "compile"], tmp_path, MAVEN_OPTS=QUICK_JVM)
    assert (tmp_path / "target" / "classes" / "HintsKt.class").exists()
    compiled.parent.mkdir(parents=True, exist_ok=True)
    compiled.touch()
