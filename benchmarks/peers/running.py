"""Runs a program and waits for its end. If it fails, the error has what it printed."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from iogauge.model.errors import UserError


def run(
    what: str, command: Sequence[str], environment: Mapping[str, str], folder: Path | None = None
) -> str:
    """What the program wrote to its standard output. `what` is what an error calls it. Raises
    UserError.
    """
    try:
        done = subprocess.run(
            command,
            check=False,
            env=environment,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
    except OSError as error:
        raise UserError(f"{what}: cannot be started: {error}") from None
    if done.returncode:
        raise UserError(
            f"{what}: status {done.returncode}:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        )
    return done.stdout
