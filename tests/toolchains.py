"""Which toolchains of others are here."""

from __future__ import annotations

import shutil
import subprocess


def cargo_works() -> bool:
    """rustup's launcher is there without a toolchain, too."""
    return (
        bool(shutil.which("cargo"))
        and subprocess.run(["cargo", "--version"], capture_output=True, check=False).returncode == 0
    )
