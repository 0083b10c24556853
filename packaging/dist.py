"""Builds a wheel that has the runners inside, so that who installs it needs no toolchain.

    make dist                    for this kind of machine
    make dist MACHINE=aarch64    for another one

The same commit gives the same bytes: nothing in the wheel tells where or when it was built.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.outputs.html import vega
from iogauge.runners import manifest, prebuilt
from iogauge.runners.building import build, identity
from iogauge.runners.preparing import Missing, usable

ROOT = Path(__file__).parents[1]
LOCK = Path(__file__).with_name("requirements.lock")
MACHINES = ("x86_64", "aarch64")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--machine", choices=MACHINES, default=platform.machine())
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    given = parser.parse_args()
    try:
        wheel = made(given.machine, given.out.absolute())
    except UserError as error:
        say(str(error))
        return 2
    print(f"{wheel} ({wheel.stat().st_size / 1e6:.1f} MB)")
    return 0


def made(machine: str, out: Path) -> Path:
    """The wheel for a kind of machine. Raises UserError."""
    os.environ.update(tools())
    with tempfile.TemporaryDirectory(prefix="iogauge-dist-") as temporary:
        copy = Path(temporary) / "copy"
        copy_sources(copy)
        for manifest_of in sorted(copy.glob("runners/*/runner.toml")):
            put_runner(manifest.load(manifest_of.parent), machine)
        packed = copy / "src/iogauge/outputs/html/vega.txt"
        packed.write_text(vega.library(), encoding="ascii")
        return wheel_of(copy, machine, out)


def copy_sources(copy: Path) -> None:
    """What git knows, as it is in the work tree; nothing else may get into a wheel."""
    if git("status", "--porcelain"):
        say("the work tree differs from the commit, and so will the wheel")
    listed = git("ls-files", "--cached", "--others", "--exclude-standard", "-z")
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)


def put_runner(runner: manifest.Runner, machine: str) -> None:
    """Build a runner and put it beside its manifest. For another kind of machine than this one a
    compiler may be missing: the runner is left out then.
    """
    table = runner.file.prebuilt
    if table is None:
        return
    kind = prebuilt.ANY if prebuilt.ANY in table.machines else machine
    found = usable(runner, [])
    if isinstance(found, Missing):
        raise UserError(found.why)
    builder = found.wanted[0].builder
    try:
        built = build(prebuilt.for_machine(runner, kind), builder, say)
    except UserError as error:
        if machine == platform.machine():
            raise
        say(f"{error}; the wheel for {machine} is without the {runner.name} runner")
        return
    folder = runner.folder / prebuilt.FOLDER
    for path in (path for name in table.files for path in built.glob(name)):
        target = folder / path.relative_to(built)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(path, target) if path.is_dir() else shutil.copy(path, target)
    about = prebuilt.About(
        machine=kind,
        compiler=builder.release,
        identity=identity(prebuilt.as_prebuilt(runner), builder.release),
    )
    (folder / prebuilt.ABOUT).write_text(about.model_dump_json() + "\n", encoding="utf-8")


def wheel_of(copy: Path, machine: str, out: Path) -> Path:
    environment = {
        **os.environ,
        "SOURCE_DATE_EPOCH": git("log", "-1", "--format=%ct").strip(),
        "IOGAUGE_PLATFORM": f"manylinux_2_17_{machine}",
    }
    into = copy.with_name("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(into)]
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise UserError(f"hatchling fails: {done.stderr[-2000:]}")
    (wheel,) = into.glob("*.whl")
    out.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(wheel, out))


def tools() -> dict[str, str]:
    """zig and cargo-zigbuild, which link Rust's programs against an old C library, as variables of
    the environment. They are fetched once.
    """
    name = f"tools-{hashlib.sha256(LOCK.read_bytes()).hexdigest()[:12]}"
    target = folders.cache() / "dist" / name
    if not target.is_dir():
        say("fetching zig (once)")
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(dir=target.parent))
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        options = ["--no-compile", "--require-hashes", "--target", str(partial)]
        done = subprocess.run([*pip, *options, "--requirement", str(LOCK)])
        if done.returncode:
            shutil.rmtree(partial)
            raise UserError("zig cannot be fetched")
        with contextlib.suppress(OSError):  # another process was quicker
            partial.rename(target)
        shutil.rmtree(partial, ignore_errors=True)
    return {
        "PATH": f"{target / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "CARGO_ZIGBUILD_ZIG_PATH": str(target / "ziglang" / "zig"),
    }


def git(*arguments: str) -> str:
    try:
        command = ["git", "-C", str(ROOT), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        raise UserError(f"{ROOT}: not a git repository; a wheel is made of a commit") from None


def say(text: str) -> None:
    print(text, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
