"""Whole processes, timed by hyperfine."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from iogauge.model.errors import UserError

from .running import run as run_program


def run(
    command: Sequence[str],
    runs: int,
    prepare: Sequence[str] | None = None,
    environment: Mapping[str, str] | None = None,
    warmup: int = 0,
) -> list[float]:
    """Seconds of each run, after `warmup` ones and without a shell; `prepare` is done before each.
    Raises UserError.
    """
    tool = shutil.which("hyperfine")
    if tool is None:
        raise UserError("hyperfine is not on the PATH; install it, e.g. apt-get install hyperfine")
    with tempfile.TemporaryDirectory(prefix="iogauge-peer-") as folder:
        result = Path(folder) / "times.json"
        words = [
            tool,
            "--shell=none",
            "--style=none",
            "--runs",
            str(runs),
            "--warmup",
            str(warmup),
            "--export-json",
            str(result),
        ]
        words += ["--prepare", shlex.join(prepare)] if prepare else []
        run_program(
            "hyperfine",
            [*words, shlex.join(command)],
            os.environ if environment is None else environment,
        )
        return json.loads(result.read_text())["results"][0]["times"]
