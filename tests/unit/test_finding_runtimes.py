"""Finding runtimes: what is said of those that are there and cannot be used."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace

from iogauge.commands import machine
from iogauge.runners import finding, manifest, preparing
from iogauge.runners.building import target_of
from iogauge.runners.manifest import Runner

FAKE = manifest.load(Path(__file__).parents[1] / "runners/fake")


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def looking_for(*candidates: object, **more: object) -> Runner:
    """The fake runner with these candidates for its runtime."""
    changed = {"candidates": list(map(str, candidates)), **more}
    table = FAKE.file.runtime.model_copy(update=changed)
    return Runner(FAKE.folder, FAKE.file.model_copy(update={"runtime": table}))


def why_missing(*candidates: object) -> str:
    ready, (missing,) = preparing.prepare({}, lambda text: None, [looking_for(*candidates)])
    assert not ready
    return missing.why


def why(tmp_path: Path, says: str) -> str:
    """Of a runner whose only runtime answers so when it is asked for its version."""
    launcher = program(tmp_path / "launcher", f"echo '{says}' >&2\nexit 1")
    return why_missing(launcher, "/no/such/launcher").replace(str(launcher), "LAUNCHER")


def test_what_a_launcher_says_that_has_nothing_to_launch(tmp_path):
    """As rustup's does without a toolchain: the launcher is there, so `install it` alone would not
    help.
    """
    said = why(tmp_path, "error: no default is configured")
    assert said == (
        "fake: skipped, no python3 3.11 or newer (LAUNCHER does not say its version to '--version',"
        " but: error: no default is configured); install Python"
    )
    said = why(tmp_path, "\x1b[2J" + "x" * 500)  # it cannot move the cursor, and is not long
    assert "\x1b" not in said and "\\u001b[2J" in said and "x…)" in said and len(said) < 380
    old = why(tmp_path, "Python 2.7.18")
    assert old == "fake: skipped, no python3 3.11 or newer; install Python"


def test_a_launcher_is_asked_by_the_name_that_it_goes_by(tmp_path):
    """rustup's are links to one program."""
    launcher = tmp_path / "launcher"
    launcher.symlink_to(program(tmp_path / "all", 'echo "error: no $(basename $0) to launch"'))
    assert "but: error: no launcher to launch" in why_missing(launcher)


def found(*candidates: Path, **more: str) -> list[finding.Installed]:
    ours = {"IOGAUGE_OF_OURS": "1", "OF_THE_USER_*": False}
    return finding.installed(looking_for(*candidates, **more, environment=ours))


def test_a_launcher_that_knows_what_to_launch_from_its_name_is_used_by_that_name(tmp_path):
    """As those of snap, mise and volta: links to one program."""
    answers = "case $0 in */python3) echo Python 3.12.1;; *) exit 1; esac"
    shared = program(tmp_path / "shared", answers)
    shim = tmp_path / "shims" / "python3"
    shim.parent.mkdir()
    shim.symlink_to(shared)
    (one,) = found(shim)
    assert (one.executable, one.version) == (shim, "3.12.1")


def test_behind_a_launcher_is_the_runtime_that_it_tells(tmp_path):
    """In another folder the launcher might choose another one."""
    real = program(tmp_path / "versions" / "3.12.1" / "python3", "echo Python 3.12.1")
    shim = program(tmp_path / "shims" / "python3", f"echo home = {real.parent}; echo Python 3.12.1")
    (one,) = found(shim, real, home="^home = (.+)$")
    assert (one.executable, one.home) == (real, real.parent)
    program(real, "echo it lacks what its launcher sets >&2")
    (one,) = found(shim, home="^home = (.+)$")
    assert (one.executable, one.home) == (shim, real.parent)


def test_one_that_is_found_again_stays_where_it_was_first(tmp_path):
    """The first one is what a run takes: not the second, because the first is found once more."""
    first = program(tmp_path / "3.12" / "python3", "echo Python 3.12.1")
    second = program(tmp_path / "3.13" / "python3", "echo Python 3.13.1")
    shim = program(tmp_path / "shims" / "python3", f"echo home = {first.parent}; exec {first}")
    versions = [each.version for each in found(shim, second, first, home="^home = (.+)$")]
    assert versions == ["3.12.1", "3.13.1"]


def test_one_that_is_linked_twice_is_one(tmp_path):
    """As a toolchain of rustup is that has the names of its channel and of its version."""
    real = program(tmp_path / "real" / "python3", "echo Python 3.12.1")
    (tmp_path / "python3").symlink_to(real)
    (one,) = found(tmp_path / "python3", real)
    assert (one.executable, one.home) == (tmp_path / "python3", real.parent)
    first = program(tmp_path / "stable" / "bin" / "python3", "echo Python 3.12.1")
    (tmp_path / "1.95").symlink_to("stable")
    (one,) = found(first, tmp_path / "1.95" / "bin" / "python3")
    assert one.executable == first


def test_two_kinds_of_one_version_are_two_and_have_a_build_each(tmp_path):
    """As gcc and clang: in one folder, and perhaps of one version."""
    kinds = ("gcc", "clang")
    both = [program(tmp_path / each, f"echo '{each} (Debian) version 14.2.0'") for each in kinds]
    one, two = found(*both, kind=r"\A(\w+)", pattern=r"version (\S+)")
    assert [each.name(FAKE) for each in (one, two)] == ["fake-gcc-14.2.0", "fake-clang-14.2.0"]
    assert one.home == two.home and target_of(FAKE, one) != target_of(FAKE, two)
    (one,) = found(*both, pattern=r"version (\S+)")
    assert one.name(FAKE) == "fake-14.2.0"


def test_one_that_hangs_is_not_waited_for_with_all_that_it_started(tmp_path, monkeypatch):
    monkeypatch.setattr(finding, "_VERSION_SECONDS", 0.5)
    hanging = program(tmp_path / "hanging", "sleep 1000 & sleep 1000; wait")
    good = program(tmp_path / "good" / "python3", "echo Python 3.12.1")
    began = time.monotonic()
    (one,) = found(hanging, good)
    assert one.executable == good
    says = why_missing(hanging)
    assert f"({hanging} does not answer '--version' within 0.5 s); install" in says
    assert time.monotonic() - began < 20


def test_it_is_asked_in_an_environment_of_ours(tmp_path, monkeypatch):
    monkeypatch.setenv("OF_THE_USER_A", "1")
    answers = '[ "$IOGAUGE_OF_OURS-$OF_THE_USER_A" = 1- ] && echo Python 3.12.1'
    assert found(program(tmp_path / "python3", answers))


def test_another_runtime_is_told_by_a_path_that_can_be_typed(tmp_path, monkeypatch):
    """Its home folder; or its program, where that has another name than is looked for there."""
    usual = FAKE.file.runtime.executable
    homes = {usual: tmp_path / "1.0", "bin/another": tmp_path / "2.0"}
    for name, home in homes.items():
        (home / name).parent.mkdir(parents=True)
        (home / name).touch(0o755)
    others = [
        (FAKE, finding.Installed(home / name, home, home.name)) for name, home in homes.items()
    ]
    here = SimpleNamespace(missing=[], ready=[], executables={}, runtimes=[], others=others)
    monkeypatch.setattr(machine, "Runtimes", lambda *given: here)
    told = [machine._about(each) for each in machine._runtimes({})]
    typed = tmp_path / "1.0", tmp_path / "2.0" / "bin/another"
    assert told == [f"also found: --runtime fake={path}" for path in typed]
