"""Runners that cannot be built where they are to be, and settings of a user's that would change a
build.
"""

from __future__ import annotations

import re
import subprocess
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.runners import building, finding, manifest, preparing
from tests import two_runners
from tests.anywhere import conditions
from tests.toolchains import cargo_works

RUNNERS = Path(__file__).parents[2] / "runners"


@pytest.fixture
def cache(tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir()
    return folder


@pytest.fixture
def measured(tmp_path):
    """Measures a study of two languages under a condition, of which one has a runner built so."""

    def run(
        iogauge: conditions.Command, cache: Path, build: str, **more: Any
    ) -> subprocess.CompletedProcess[str]:
        other = two_runners.other(tmp_path, build, **more)
        study, place = tmp_path / "both.toml", tmp_path / "place"
        study.write_text(two_runners.BOTH)
        place.mkdir()
        script = Path(__file__).with_name("with_runners.py")
        return iogauge.after(XDG_CACHE_HOME=str(cache)).python(
            *(script, two_runners.FAKE, other, "--", "run", study, "--dir", place)
        )

    return run


def on_tmpfs(cache: Path, options: str):
    return conditions.mounted(f"mount -t tmpfs -o {options} tmpfs {cache}")


def the_others_are_measured(done, why: str) -> None:
    """Exit status 3, one line that says why the language is missing, and an answer for the rest."""
    assert done.stderr.count("cannot be built") == 1 and f"{why}\n" in done.stderr, done.stderr
    assert done.returncode == 3 and "fake" in done.stdout


def test_a_cache_folder_that_is_mounted_noexec(measured, cache, told):
    with on_tmpfs(cache, "noexec") as iogauge:
        done = measured(iogauge, cache, "true", starts="{build}/program")
    why = f"not measured: other/*: the Other runner cannot be built: {cache}/iogauge/runners is mounted noexec: no program starts there; set XDG_CACHE_HOME to a folder elsewhere"
    the_others_are_measured(done, why)
    happened = (
        "a line says so and where to build; languages whose programs lie elsewhere are measured"
    )
    told("a cache folder that is mounted noexec", happened)


def test_a_disk_that_is_full(measured, cache, told):
    with on_tmpfs(cache, "size=3M") as iogauge:
        done = measured(iogauge, cache, "head -c 8M /dev/zero > large")
    why = f"the Other runner cannot be built: no space is left in {cache}/iogauge/runners; free some, or set XDG_CACHE_HOME to a folder that has more; log: {cache}/iogauge/runners/other.log"
    the_others_are_measured(done, why)
    happened = "a line says so and where the log is; the other languages are measured"
    told("a cache folder without space for a build", happened)


def test_a_cache_folder_that_is_read_only(measured, cache, told):
    with on_tmpfs(cache, "ro") as iogauge:
        done = measured(iogauge, cache, "true")
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert f"{cache}/iogauge/runners cannot be written (Read-only file system)" in done.stderr
    told("a cache folder that is read-only", "a line says so and what to set")


def test_a_cache_folder_whose_path_tools_cannot_take(measured, tmp_path, told):
    cache = tmp_path / "a:b"
    cache.mkdir()
    done = measured(conditions.Command(), cache, "true", unfit=":")
    has = f"its tools take no path with ':' in it, as {cache}/iogauge/runners has"
    why = f"the Other runner cannot be built: {has}; set XDG_CACHE_HOME to a folder without it"
    the_others_are_measured(done, why)
    happened = "a line says which, and what to set; the other languages are measured"
    told("a cache folder whose path has a character that a tool cannot take", happened)


@pytest.mark.long
@pytest.mark.real
@pytest.mark.parametrize("character", [":", " ", ",", "%", ";", "'", "#"])
def test_characters_in_the_path_of_the_cache_folder(disk_folder, tmp_path, character):
    """Each language gets an answer, or a line: what a manifest calls unfit is all that fails."""
    cache, file = disk_folder / f"a{character}b", tmp_path / "some.txt"
    file.write_text("a line of some length\n" * 4000)
    iogauge = conditions.Command().after(XDG_CACHE_HOME=str(cache))
    done = iogauge(file, "--all", "--budget", "2s", "--dir", disk_folder, seconds=900)
    for runner in manifest.all_runners():
        found, _ = finding.look(runner, [])
        if not found:
            continue
        unfit = f"the {runner.called} runner cannot be built: its tools take no path with"
        assert (unfit in done.stderr) == (character in runner.file.unfit), done.stderr
    assert done.stderr.count("cannot be built") == done.stderr.count("take no path with")
    assert "Traceback" not in done.stderr and done.returncode in (0, 3)


@pytest.mark.long
def test_a_study_of_go_without_a_network_and_without_maven_s_libraries(tmp_path, told):
    both = [manifest.load(RUNNERS / each) for each in ("go", "rust")]
    ready, _ = preparing.prepare({}, print, both)
    if "go" not in {each.runtime.runner for each in ready}:
        pytest.skip("no Go")
    conditions.need_root()
    conditions.need("unshare")
    study = tmp_path / "go.toml"
    cases = '"fake/steady", "other/steady"', '"go/read-file", "go/file-read"'
    study.write_text(two_runners.BOTH.replace(*cases))
    options = f"-Dmaven.repo.local={tmp_path}/m2"
    iogauge = conditions.Command().after("unshare", "--net", MAVEN_OPTS=options)
    done = iogauge("run", study, "--dir", tmp_path)
    assert done.returncode == 0 and "jvm" not in done.stderr, done.stderr
    assert not (tmp_path / "m2").exists()
    told("no network, and nothing of Maven's here", "a study of Go is measured; nobody asks Maven")


def built_small(name: str, folder: Path, sources: dict[str, str], monkeypatch) -> Path:
    """What the last command of a runner's build makes of these sources in place of its own."""
    monkeypatch.setattr(folders, "cache", lambda: folder / "cache")
    runner = manifest.load(RUNNERS / name)
    (found, *_) = finding.installed(runner) or pytest.skip(f"no {name}")
    for file, text in sources.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text)
    commands = runner.file.build.commands[-1:]
    small = runner.with_build(inputs=list(sources), commands=commands, layouts=1)
    return building.build(replace(small, folder=folder), found, print)


@pytest.mark.long
def test_a_cargo_configuration_of_another_target(tmp_path, monkeypatch, told):
    if not cargo_works():
        pytest.skip("no cargo, or a launcher of it without a toolchain")
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text(
        """
        [build]
        target = "wasm32-unknown-unknown"
        rustflags = ["-Cno-such"]
        rustc-wrapper = "no-such"
        [profile.release]
        debug-assertions = true
        [profile.release.package."*"]
        debug-assertions = true
        [profile.release.package.dependency]
        debug-assertions = true
        [target.'cfg(unix)']
        rustflags = ["-Cno-such"]
        """
    )
    monkeypatch.setenv("CARGO_HOME", str(home))
    monkeypatch.setenv("CARGO_BUILD_TARGET", "wasm32-unknown-unknown")
    monkeypatch.setenv("CARGO_PROFILE_RELEASE_PANIC", "no-such")
    package = 'name = "iogauge-runner"\nversion = "1.0.0"\n'
    other = 'name = "dependency"\nversion = "1.0.0"\n'
    sources = {
        "build.sh": (RUNNERS / "rust" / "build.sh").read_text(),
        "Cargo.toml": f'[package]\n{package}[dependencies]\ndependency = {{ path = "dependency" }}\n',
        "Cargo.lock": f'version = 3\n[[package]]\n{other}[[package]]\n{package}dependencies = ["dependency"]\n',
        "src/main.rs": "fn main() { assert!(!cfg!(debug_assertions) && !dependency::CHECKED) }",
        "dependency/Cargo.toml": f"[package]\n{other}",
        "dependency/src/lib.rs": "pub const CHECKED: bool = cfg!(debug_assertions);",
    }
    built = built_small("rust", tmp_path, sources, monkeypatch)
    subprocess.run([built / "iogauge-runner"], check=True)
    told("settings of cargo for another target and profile", "the runner is built as ever")


def test_go_behind_a_proxy(tmp_path, monkeypatch, told):
    """The build asks this machine's proxy for a mirror that only the proxy could know."""
    asked: list[str] = []

    class Refusing(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *words):
            pass

    runner = manifest.load(RUNNERS / "go")
    (found, *_) = finding.installed(runner) or pytest.skip("no Go")
    monkeypatch.setattr(folders, "cache", lambda: tmp_path / "cache")
    for name in ("no_proxy", "NO_PROXY", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.server_port}")
        monkeypatch.setenv("GOPROXY", "http://mirror.invalid")
        monkeypatch.setenv("GOMODCACHE", str(tmp_path / "modules"))
        with pytest.raises(UserError, match="the Go runner cannot be built"):
            building.build(runner, found, print)
        proxy.shutdown()
    assert any(each.startswith("http://mirror.invalid/golang.org/x/sys/@v/") for each in asked)
    assert not (tmp_path / "modules").exists()
    told("Go behind a proxy, with a mirror", "the build asks both, and a line tells what they say")


def test_settings_of_go_for_another_system(tmp_path, monkeypatch, told):
    (tmp_path / "goenv").write_text("GOOS=windows\nGOFLAGS=-no-such\nGOAMD64=v9\n")
    monkeypatch.setenv("GOENV", str(tmp_path / "goenv"))
    monkeypatch.setenv("GOEXPERIMENT", "no-such")
    sources = {"go.mod": "module small\ngo 1.22\n", "main.go": "package main\nfunc main() {}\n"}
    built = built_small("go", tmp_path, sources, monkeypatch)
    subprocess.run([built / "iogauge-runner-0"], check=True)
    told("settings of Go for another system", "the runner is built as ever")


def test_a_profile_of_the_user_s_maven_settings():
    """It could give any property another value: it cannot where the pom names none of its own."""
    named = re.findall(r"\$\{(.+?)\}", (RUNNERS / "jvm" / "pom.xml").read_text())
    assert named and all(each.startswith("project.") for each in named)


def test_options_for_every_jvm(iogauge_process, tmp_path, told):
    done = iogauge_process("list", "runtimes", JAVA_TOOL_OPTIONS="-javaagent:/nope.jar")
    if not finding.installed(manifest.load(RUNNERS / "jvm")):
        pytest.skip("no JDK")
    assert done.returncode == 0 and "jvm-" in done.stdout, done.stderr
    assert "jvm: skipped" not in done.stderr
    told("JAVA_TOOL_OPTIONS with which no JVM starts", "is measured as ever")
