"""How noisy are pairs of ways, on several kinds of machine? The runs that the priors come from.

    python benchmarks/noise.py FOLDER

measures `noise.toml` on ext4, xfs, btrfs and tmpfs, each quiet and beside a load, into
FOLDER/KIND.jsonl; what is there is not measured again. It needs root, to mount file systems in
files of 2 GiB in FOLDER, and `mkfs.xfs` and `mkfs.btrfs`. It takes three quarters of an hour.

`benchmarks/priors.py` makes the priors of these runs.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ledger import METHOD, measured

MAKE = {
    "ext4": ["mkfs.ext4", "-q", "-F"],
    "xfs": ["mkfs.xfs", "-q", "-f"],
    "btrfs": ["mkfs.btrfs", "-q", "-f"],
}
LENGTH = 2 << 30
STUDY = Path(__file__).with_name("noise.toml")
# Eight rounds in each replicate, whatever they cost: so many show how noisy rounds are.
FIXED = METHOD.model_copy(update={"fewest_rounds": 8, "behind": 1e9, "long_sample": 1e9})
LOAD = """
import random, time
block = bytearray(32 << 20)
while True:
    end = time.monotonic() + random.expovariate(2)
    while time.monotonic() < end:
        bytes(block)
    time.sleep(random.expovariate(2))
"""


@contextlib.contextmanager
def mounted(kind: str, folder: Path) -> Iterator[Path]:
    """A new file system of this kind."""
    with tempfile.TemporaryDirectory(prefix="iogauge-noise-", dir=folder) as name:
        place, image = Path(name) / "mount", folder / f"{kind}.image"
        place.mkdir()
        if kind == "tmpfs":
            source = ["-t", "tmpfs", "-o", "size=2g", "tmpfs"]
        else:
            with image.open("wb") as file:
                file.truncate(LENGTH)
            subprocess.run([*MAKE[kind], image], check=True, stdout=subprocess.DEVNULL)
            source = ["-o", "loop", str(image)]
        subprocess.run(["mount", *source, place], check=True)
        try:
            yield place
        finally:
            subprocess.run(["umount", place], check=True)
            image.unlink(missing_ok=True)


@contextlib.contextmanager
def load() -> Iterator[None]:
    """Something else that copies memory half of the time."""
    process = subprocess.Popen([sys.executable, "-c", LOAD])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def collect(folder: Path) -> None:
    for number, (beside, kind) in enumerate(
        (beside, kind) for beside in (False, True) for kind in (*MAKE, "tmpfs")
    ):
        out = folder / f"{kind}-{'load' if beside else 'quiet'}.jsonl"
        if out.exists():
            continue
        with mounted(kind, folder) as place, load() if beside else contextlib.nullcontext():
            run = measured(STUDY.read_text("utf-8"), place, seed=number, method=FIXED)
            shutil.copy(place / "run.jsonl", out.with_suffix(".partial"))
        out.with_suffix(".partial").rename(out)
        print(f"{out.name}: {len(run.replicates)} replicates", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    collect(given.folder)


if __name__ == "__main__":
    main()
