"""Prebuilt runners: used where no toolchain is found, and nowhere else."""

from __future__ import annotations

import platform
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from iogauge.measuring import session
from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.runners import building, manifest, prebuilt, preparing
from iogauge.runners.building import identity
from iogauge.runners.finding import Choice, Installed, installed
from iogauge.runners.preparing import Missing

FAKE = Path(__file__).parents[1] / "runners" / "fake"
RUNNERS = Path(__file__).parents[2] / "runners"
TABLE = '\n[prebuilt]\nfiles = ["python3", "layout-0"]\nlayouts = 1\ninstall = "any Python"\n'


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setattr(folders, "cache", lambda: tmp_path / "cache")


@pytest.fixture
def runner(tmp_path):
    """Builds of a runner as a wheel has them, for a host without a tool that builds it."""

    def made(builder: str = "newest", **about: str) -> manifest.Runner:
        folder = tmp_path / "fake"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(FAKE, folder)
        text = (FAKE / "runner.toml").read_text().replace('install = "Python"', 'install = "tool"')
        text = text.replace("[build]", f'[build]\nwith = "{builder}"') + TABLE
        (folder / "runner.toml").write_text(text)
        runner = manifest.load(folder)
        compiler = installed(runner)[0]
        built = building.build(prebuilt.for_machine(runner, "any"), compiler, lambda text: None)
        shutil.copytree(built, folder / "prebuilt")
        (folder / "prebuilt" / "python3").symlink_to(sys.executable)  # as if compiled in
        known = {"machine": "any", "compiler": "3.99", "identity": identity(runner, "3.99")}
        said = prebuilt.About(**(known | about)).model_dump_json()
        (folder / "prebuilt" / "prebuilt.json").write_text(said)
        return changed(runner, tools=["no-such-tool"])

    return made


def changed(runner, **tables):
    """The runner with other values in its manifest."""
    return replace(runner, file=runner.file.model_copy(update=tables))


def prepared(runner, chosen=None):
    return preparing.prepare({"fake": chosen} if chosen else {}, lambda text: None, [runner])


def test_without_a_toolchain_the_prebuilt_runner_is_used_and_marked(runner):
    one = runner()
    before = sorted(one.folder.rglob("*"))
    (ready,), missing = prepared(one)
    assert not missing and "null" in {each.role for each in ready.runtime.strategies.values()}
    assert ready.runtime.title.endswith("(runner prebuilt with 3.99)")
    assert ready.launch.layouts == 1
    assert sorted(one.folder.rglob("*")) == before, "an installation may be read-only"
    (ready,), _ = prepared(manifest.load(one.folder))
    assert "prebuilt" not in ready.runtime.title and ready.launch.layouts == 2


def test_where_the_runtime_is_compiled_in_it_is_the_runtime_too(runner, monkeypatch):
    found = preparing.usable(runner("each"), [])
    assert not isinstance(found, Missing)
    (candidate,) = found.wanted
    assert candidate.found is candidate.builder and candidate.found.version == "3.99"
    # A chosen toolchain is not replaced by another one.
    chosen = preparing.usable(runner("each"), [Choice(sys.executable)])
    assert isinstance(chosen, Missing)


@pytest.mark.parametrize("builder", ["newest", "each"])
def test_what_a_toolchain_would_build_alike_is_not_built(runner, builder):
    able = as_if_built_here(runner(builder))
    said: list[str] = []
    (ready,), _ = preparing.prepare({}, said.append, [able])
    assert not said and ready.launch.layouts == 1
    version = installed(able)[0].version
    assert ready.runtime.title.endswith(f"(runner prebuilt with {version})")
    # Two toolchains of one version may differ: a chosen one builds, where it is compiled in.
    (ready,), _ = preparing.prepare({"fake": [Choice(sys.executable)]}, said.append, [able])
    assert bool(said) == (builder == "each") == ("prebuilt" not in ready.runtime.title)
    # What is built already has more layouts, perhaps.
    (ready,), _ = prepared(able)
    assert ready.launch.layouts == (2 if builder == "each" else 1)


def as_if_built_here(runner):
    """The prebuilt runner, as if it were of the version that is here."""
    able = manifest.load(runner.folder)
    version = installed(able)[0].version
    about = prebuilt.About(machine="any", compiler=version, identity=identity(able, version))
    (able.folder / "prebuilt" / "prebuilt.json").write_text(about.model_dump_json())
    return able


@pytest.mark.parametrize("about", [{"identity": "0123456789ab"}, {"machine": "pdp11"}])
def test_one_of_other_sources_or_for_another_machine_is_not_used(runner, about):
    ready, (missing,) = prepared(runner(**about))
    assert not ready
    assert missing.why == "fake: skipped, no no-such-tool on the PATH; install tool"
    assert prepared(runner(machine=platform.machine()))[0]
    one = runner()
    source = one.folder / "fake_runner.py"
    source.write_text(source.read_text() + "\n# changed\n")
    assert not prepared(one)[0]


@pytest.mark.parametrize(
    "builder, title", [("newest", "(runner prebuilt with 3.99)"), ("each", "(prebuilt)")]
)
def test_where_a_build_fails_the_prebuilt_runner_is_used(runner, builder, title):
    one = broken(manifest.load(runner(builder).folder))
    said: list[str] = []
    (ready,), missing = preparing.prepare({}, said.append, [one])
    assert not missing and ready.runtime.title.endswith(title)
    assert said[-1].endswith("; instead, the prebuilt runner is used (fake 3.99)")
    if builder == "each":  # a chosen toolchain is not replaced
        ready, (missing,) = prepared(one, [Choice(sys.executable)])
        assert not ready and missing.broken


def test_a_prebuilt_runner_that_a_runtime_starts_is_left_out_where_that_trips_on_its_path(
    runner, monkeypatch, tmp_path
):
    one = changed(runner(), unfit="!")
    assert prepared(one)[0]
    monkeypatch.setattr(folders, "cache", lambda: tmp_path / "a!b")
    ready, (missing,) = prepared(one)
    assert not ready and "its tools take no path with '!' in it" in missing.why
    itself = one.file.launch.model_copy(update={"command": ["{build}/runner"]})
    builder = prebuilt.candidates(one)[0].builder
    assert building.why_unusable(changed(one, launch=itself), builder) is None


def test_the_version_of_zig_is_part_of_what_the_rust_runner_in_a_wheel_is_known_by():
    lock = RUNNERS.parent / "packaging" / "requirements.lock"
    (version,) = re.findall(r"^ziglang==(\S+)", lock.read_text("utf-8"), re.M)
    commands = prebuilt.as_prebuilt(manifest.load(RUNNERS / "rust")).file.build.commands
    assert commands[-1][-1] == version


def broken(runner):
    """It cannot be built, as for want of a network; the prebuilt one is of these sources."""
    one = runner.with_build(commands=[["false"]])
    about = runner.folder / "prebuilt" / "prebuilt.json"
    said = prebuilt.About.model_validate_json(about.read_text())
    known = said.model_copy(update={"identity": identity(one, said.compiler)})
    about.write_text(known.model_dump_json())
    return one


def test_what_runs_a_prebuilt_runner_is_what_is_to_be_installed(runner):
    one = runner()
    runtime = one.file.runtime.model_copy(update={"candidates": ["/nowhere/python3"]})
    ready, (missing,) = prepared(changed(one, runtime=runtime, tools=[]))
    assert not ready and missing.why.endswith("; install any Python")
    with pytest.raises(UserError, match="--runtime fake="):
        prepared(one, [Choice("/nowhere")])


def test_a_run_on_it_goes_on_with_it_where_a_toolchain_is_found_since(runner, monkeypatch):
    one = runner("each")
    ((ready,), _) = prepared(one)
    monkeypatch.setattr(manifest, "all_runners", lambda: [changed(one, tools=[])])

    def found(build: str) -> list[preparing.Ready]:
        builds = {ready.runtime.name: build}
        run = SimpleNamespace(header=SimpleNamespace(runtimes=[ready.runtime], builds=builds))
        return session.same_runtimes(
            run, {ready.runtime.name}, {}, Path("run"), lambda text: None, "resumed"
        )

    assert found(ready.runtime.build) == [ready]
    with pytest.raises(UserError, match="has changed since"):
        found("another")


def test_to_clean_frees_links_to_an_installation_alone(runner):
    one = runner()
    assert prepared(one)[0]
    kept = folders.cache() / "runners"
    files = [path for path in kept.rglob("*") if path.is_file()]
    assert any(path.is_symlink() for path in files)
    blocks = sum(path.lstat().st_blocks for path in files)
    assert building.remove_builds() == 512 * blocks
    assert (one.folder / "prebuilt" / "prebuilt.json").is_file()


def test_one_that_cannot_be_kept_is_used_and_a_damaged_one_is_not_removed(
    runner, monkeypatch, tmp_path
):
    one = runner()
    (tmp_path / "file").touch()
    with monkeypatch.context() as without:
        without.setattr(folders, "cache", lambda: tmp_path / "file")
        assert prepared(one)[0]
    for each in (one.folder / "prebuilt").rglob("*.pyc"):
        each.write_bytes(b"damaged")
    ready, (missing,) = prepared(one)
    assert not ready and missing.broken
    assert (one.folder / "prebuilt" / "prebuilt.json").is_file()


@pytest.mark.parametrize("name", ["go", "jvm", "rust"])
def test_built_here_or_elsewhere_with_the_same_flags_and_libraries_it_is_the_same(name):
    runner = manifest.load(RUNNERS / name)
    same = identity(prebuilt.as_prebuilt(runner), "1.2") == identity(runner, "1.2")
    assert same == (name != "rust"), "which is built against another C library"
    homes = (Installed(Path(home) / "tool", Path(home), "1.2") for home in ("/one", "/other"))
    one, other = (building.target_of(runner, each) for each in homes)
    assert one != other and one.name.split("-")[1] == other.name.split("-")[1]


def test_a_runtime_in_a_package_is_found_last_and_has_its_name(runner, tmp_path, monkeypatch):
    package = tmp_path / "site" / "pythonbox"
    (package / "inside").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "inside" / "python3").symlink_to(sys.executable)
    monkeypatch.syspath_prepend(str(package.parent))
    one = runner()
    table = one.file.runtime.model_copy(update={"package": "pythonbox/inside"})
    alone = table.model_copy(update={"candidates": ["/nowhere/python3"]})
    (found,) = installed(changed(one, runtime=alone))
    assert found.name(one) == f"fake-pythonbox-{found.version}"
    assert installed(changed(one, runtime=table))[0].label == ""


def test_of_several_runtimes_of_one_version_a_resumed_run_takes_the_first(runner, monkeypatch):
    named = [("a", "3.1"), ("b", "3.2"), ("c", "3.1")]
    found = [SimpleNamespace(executable=Path(name), version=version) for name, version in named]
    monkeypatch.setattr(session.finding, "installed", lambda runner: found)
    assert [each.path for each in session._likely(runner(), {"3.1"})] == ["a"]
    assert [each.path for each in session._likely(runner(), {"4"})] == ["a", "b"]
