"""Code hints compile, in their language, and say what their strategy does: all of them, so that
nobody is advised to write what is none.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from iogauge.model.errors import UserError
from iogauge.runners import finding, hints, manifest, preparing
from tests.toolchains import cargo_works

RUNNERS = Path(__file__).parents[2] / "runners"
HINTS = {
    name: sorted(path for path in (RUNNERS / runner / "hints" / name).glob("*.txt"))
    for runner, name in (("jvm", "java"), ("jvm", "kotlin"), ("go", "go"), ("rust", "rust"))
}
VALUES = {"block": 4096, "buffer": 65536}
SINCE_JAVA_22 = ("memory-segment",)

JAVA = """
import java.io.*;
import java.nio.*;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.util.stream.Stream;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.*;
%s
class Hints {
    static void use(Object all) {}
    static void use(Object some, int n) {}
    %s
}
"""
JAVA_METHOD = "static void hint%d(Path path, byte[] data, String text, Iterable<byte[]> pieces, Iterable<String> parts) throws IOException {\n%s\n}"
KOTLIN = """
import java.io.File
fun use(all: Any) {}
fun use(some: Any, n: Int) {}
%s
"""
KOTLIN_FUNCTION = "fun hint%d(file: File, data: ByteArray, text: String, pieces: List<ByteArray>, parts: List<String>) {\n%s\n}"
GO = """package main

import (
	"bufio"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

var _, _, _, _, _ = bufio.NewReader, io.EOF, os.Open, strings.TrimSuffix, unix.Mmap

func use([]byte)     {}
func useText(string) {}
func main()          {}
%s
"""
GO_FUNCTION = (
    "func hint%d(path string, data []byte, pieces [][]byte) error {\n{\n%s\n}\nreturn nil\n}"
)
RUST = """
#![allow(unused, dead_code)]
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::FileExt;
fn use_bytes(_: &[u8]) {}
fn use_text(_: &str) {}
fn main() {}
%s
"""
RUST_FUNCTION = "fn hint%d(path: &str, to: &str, data: &[u8], pieces: &[&[u8]]) -> std::io::Result<()> {\n%s\nOk(())\n}"


def program(frame: str, function: str, language: str, names: list[str], *more: str) -> str:
    return frame % (
        *more,
        "\n".join(
            function % (number, hints.of(f"{language}/{name}", VALUES))
            for number, name in enumerate(names)
        ),
    )


def run(command: list[str], folder: Path, **environment: str) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def homes(name: str) -> list[Path]:
    """Of the runtimes here, the newest first."""
    try:
        return [
            each.home
            for each in finding.installed(
                next(each for each in manifest.all_runners() if each.name == name)
            )
        ]
    except UserError:
        return []


def test_java(tmp_path):
    found = [home for home in homes("jvm") if (home / "bin" / "javac").exists()]
    if not found:
        pytest.skip("no JDK")
    newest = max(found, key=lambda home: _java(home))
    for since, names in (
        (17, [path.stem for path in HINTS["java"] if path.stem not in SINCE_JAVA_22]),
        (22, list(SINCE_JAVA_22)),
    ):
        if _java(newest) < since:
            continue
        imports = "import java.lang.foreign.Arena;" if since >= 22 else ""
        (tmp_path / "Hints.java").write_text(program(JAVA, JAVA_METHOD, "java", names, imports))
        run(
            [
                str(newest / "bin" / "javac"),
                "--release",
                str(since),
                "-Xlint:all,-try",
                "-Werror",
                "Hints.java",
            ],
            tmp_path,
        )


def _java(home: Path) -> int:
    said = subprocess.run(
        [home / "bin" / "javac", "-version"], capture_output=True, text=True, check=True
    )
    return int(re.search(r"(\d+)", said.stdout + said.stderr)[1])


def test_kotlin(tmp_path):
    if not shutil.which("mvn"):
        pytest.skip("no Maven")
    shutil.copy(RUNNERS / "jvm" / "pom.xml", tmp_path)
    sources = tmp_path / "src" / "main" / "kotlin"
    sources.mkdir(parents=True)
    (sources / "Hints.kt").write_text(
        program(KOTLIN, KOTLIN_FUNCTION, "kotlin", [path.stem for path in HINTS["kotlin"]])
    )
    run(["mvn", "-q", "-B", "compile"], tmp_path)
    assert (tmp_path / "target" / "classes" / "HintsKt.class").exists()


def test_go(tmp_path):
    if not shutil.which("go"):
        pytest.skip("no Go")
    for name in ("go.mod", "go.sum"):
        shutil.copy(RUNNERS / "go" / name, tmp_path)
    (tmp_path / "main.go").write_text(
        program(GO, GO_FUNCTION, "go", [path.stem for path in HINTS["go"]])
    )
    run(["go", "vet", "."], tmp_path)


def test_rust(tmp_path):
    if not cargo_works():
        pytest.skip("no cargo, or a launcher of it without a toolchain")
    for name in ("Cargo.toml", "crates.lock", "restore-lock.sh"):
        shutil.copy(RUNNERS / "rust" / name, tmp_path)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.rs").write_text(
        program(RUST, RUST_FUNCTION, "rust", [path.stem for path in HINTS["rust"]])
    )
    for command in (
        ["cargo", "generate-lockfile", "--quiet"],
        ["sh", "restore-lock.sh"],
        ["cargo", "check", "--locked", "--quiet"],
    ):
        run(command, tmp_path)


@pytest.mark.parametrize("language", HINTS)
def test_a_hint_has_its_strategys_parameters_and_fits_the_screen(language):
    ready, _ = preparing.prepare({}, lambda text: None)
    known = {name: strategy for each in ready for name, strategy in each.runtime.strategies.items()}
    if not any(name.startswith(f"{language}/") for name in known):
        pytest.skip(f"no {language} here")
    assert HINTS[language]
    for path in HINTS[language]:
        strategy = known[f"{language}/{path.stem}"]
        assert strategy.role == "contestant" and strategy.medium == "file"
        text = path.read_text()
        shown = hints.of(strategy.name, {"block": 131072, "buffer": 131072})
        assert {name for name in VALUES if re.search(rf"\b{name.upper()}\b", text)} == set(
            strategy.parameters
        ) & set(VALUES), path
        assert max(map(len, shown.expandtabs(4).splitlines())) <= 76, path


def test_values_stand_in_the_place_of_their_names():
    assert "new byte[4096]" in hints.of("java/file-input-stream", {"block": 4096})
    assert hints.of("java/no-such-strategy", {}) is None
