"""Code of strangers: a folder with it and with a file of each kind, and what must come out."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

_TOO_LONG = "an answer takes about"
STRANGERS = Path(__file__).parents[1] / "strangers"


def expected(family: str) -> dict[str, dict[str, Any]]:
    """What tests/strangers/expected-FAMILY.toml says, by name."""
    return tomllib.loads((STRANGERS / f"expected-{family}.toml").read_text("utf-8"))[family]


def named(family: str, quick: tuple[str, ...]) -> list[Any]:
    """Each name of a family as a parameter of a test; all but the `quick` ones are long."""
    return [
        pytest.param(each, marks=[] if each in quick else [pytest.mark.long])
        for each in expected(family)
    ]


def put(folder: Path, family: str) -> None:
    """The code of a family, and a file of each kind: `log`, `csv` and `jsonl`."""
    shutil.copytree(STRANGERS / family, folder, dirs_exist_ok=True)
    lines = (f"2026-01-01 {'ERROR' if i % 7 else 'INFO'} request {i % 90}\n" for i in range(9000))
    (folder / "log").write_text("".join(lines))
    rows = (f"{i % 90},{i / 8}\n" for i in range(9000))
    (folder / "csv").write_text("id,amount\n" + "".join(rows))
    objects = (json.dumps({"id": i, "name": "x" * (i % 30)}) for i in range(9000))
    (folder / "jsonl").write_text("\n".join(objects) + "\n")


def said(done: Any) -> str:
    return " ".join(f"{done.stdout} {done.stderr}".split())


def cases(iogauge: Any) -> dict[str, list[float | None]]:
    """By what functions are called the times of the newest run, cached and from disk."""
    found: dict[str, list[float | None]] = {}
    for group in json.loads(iogauge("show", "--json").stdout)["groups"]:
        for case in group["cases"]:
            center = case["ns_per_op"]["center"] if case["ns_per_op"] else None
            found.setdefault(case["known_as"], []).append(center)
    return found


def everything(folder: Path) -> dict[str, int]:
    """All that lies in a folder, and when it was changed: what must be the same afterwards."""
    every = (folder, *folder.rglob("*"))
    return {str(each.relative_to(folder)): os.lstat(each).st_mtime_ns for each in every}


def must_be_as_it_was(folder: Path, before: dict[str, int]) -> None:
    """Nothing in a folder is new, changed or gone."""
    now = everything(folder)
    touched = sorted(each for each in before.keys() | now if before.get(each) != now.get(each))
    assert not touched, f"written beside the code: {touched}"


def elsewhere(folder: Path) -> Path:
    """A folder for data files, on the same disk, which is not that of the code."""
    made = folder.with_name(f"{folder.name}-data")
    made.mkdir(exist_ok=True)
    return made


def read_only(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """What iogauge does with these words, in a folder that is mounted so that nobody can write there.
    Permissions would not stop root.
    """
    mount = f"mount --bind {folder} {folder} && mount -o remount,ro,bind {folder}"
    started = ["unshare", "--mount", "sh", "-c"]
    if subprocess.run([*started, mount], capture_output=True, check=False).returncode:
        pytest.skip("nobody may mount here")
    asked = shlex.join([sys.executable, "-m", "iogauge", *words])
    script = f"{mount} && cd {folder} && ! touch x 2> /dev/null && {asked}"
    return subprocess.run([*started, script], capture_output=True, text=True, check=False)


def check(iogauge: Any, folder: Path, family: str, name: str) -> None:
    """One of a family, as `iogauge FILE --own CODE` measures it from this folder, in which `put` has
    put it: `numbers` has functions that must get a number, `says` a part of the line where none
    does, `told` a part of what is said beside numbers.
    """
    due = expected(family)[name]
    before, data = everything(folder), elsewhere(folder)
    more = [str(each) for each in due.get("options", ())]
    words = (due["file"], "--own", due["own"], *more, "--dir", data)
    done = iogauge(*words, "--budget", "1s")
    if _TOO_LONG in done.stderr and _TOO_LONG not in due.get("says", ""):
        done = iogauge(*words)  # a call took long, as others were at work here
    assert "Traceback" not in said(done), said(done)
    must_be_as_it_was(folder, before)
    if "says" in due:
        # What shows only as it is measured stands in the answer.
        reason = said(done) if done.stdout else done.stderr.splitlines()[-1]
        assert done.returncode in (2, 3) and due["says"] in reason, said(done)
        return
    assert done.returncode in ((0, 3) if "told" in due else (0,)), said(done)  # 3: one was left out
    assert due.get("told", "") in said(done), said(done)
    found = cases(iogauge)
    for function in due["numbers"]:
        times = [times for known, times in found.items() if known.partition("(")[0] == function]
        assert times and all(times[0]), (function, found)
