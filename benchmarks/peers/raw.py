"""The plainest reading, beside which ceilings are measured: a C program of this folder, and fio."""

from __future__ import annotations

import json
import os
import shutil
import statistics
from pathlib import Path

from iogauge.model.errors import UserError

from .building import HERE, built
from .running import run

LEAST_SECONDS = 0.5  # of a run of fio, which tells milliseconds


def c_speed(path: Path, way: str, block: int, turns: int) -> float:
    """Bytes per second of the C program, by its median turn. Raises UserError."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise UserError("there is no C compiler; install one, e.g. apt-get install gcc")
    source = HERE / "raw" / "raw_reader.c"
    commands = [[compiler, "-O3", "-march=native", "-o", "raw_reader", "raw_reader.c"]]
    program = (
        built(
            "raw-reader",
            {source.name: source},
            commands,
            made_with=run("the compiler", [compiler, "--version"], os.environ),
        )
        / "raw_reader"
    )
    said = run("the C program", [str(program), str(path), way, str(block), str(turns)], os.environ)
    return path.stat().st_size / statistics.median(map(int, said.split())) * 1e9


def fio_speed(
    path: Path, engine: str, block: int, *, direct: bool, depth: int, loops: int
) -> float:
    """Bytes per second of fio over so many loops. Raises UserError."""
    tool = shutil.which("fio")
    if tool is None:
        raise UserError("fio is not on the PATH; install it, e.g. apt-get install fio")
    words = [
        tool,
        "--name=read",
        "--rw=read",
        f"--filename={path}",
        f"--ioengine={engine}",
        f"--bs={block}",
        f"--iodepth={depth}",
        f"--loops={loops}",
    ]
    words += [
        f"--direct={int(direct)}",
        "--invalidate=0",
        "--output-format=json",
        "--group_reporting",
    ]
    read = json.loads(run("fio", words, os.environ))["jobs"][0]["read"]
    if read["runtime"] < 1e3 * LEAST_SECONDS:
        return fio_speed(path, engine, block, direct=direct, depth=depth, loops=2 * loops)
    return read["io_bytes"] / read["runtime"] * 1e3
