"""`iogauge gate --prove`: does a gate fire here when it should, and is it silent when it should?

A runner may have code in its folder `proof` that reads a file, and a share of it once more. It is
measured as old and as new by the very command that users give, and only the exit statuses count.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from iogauge.commands import answering, gating
from iogauge.commands import arguments as arg
from iogauge.commands.exits import BAD_INPUT, DONE, INTERRUPTED, NO, SOMETHING_FAILED, UNDECIDED
from iogauge.commands.options import budget_of, known_language, parsed
from iogauge.commands.output import print_json, say
from iogauge.decision.proof import Proved, proof_of
from iogauge.decision.versions import GateKind
from iogauge.measuring import session
from iogauge.model.errors import UserError
from iogauge.model.units import parse_size, parse_slowdown
from iogauge.outputs import proof
from iogauge.runners import manifest
from iogauge.runners.manifest import Runner

_EXTRA = re.compile(r"(?i)\bextra = 0\.0")
_KINDS: dict[int, GateKind] = {
    DONE: "not slower",
    NO: "slower",
    SOMETHING_FAILED: "failed",
    UNDECIDED: "undecided",
}
_STATUSES = {"proved": DONE, "refuted": NO, "undecided": UNDECIDED}


@dataclass(frozen=True)
class _Asked:
    """What is proved, and how. Shares are fractions, the size is in bytes."""

    runner: Runner
    allowed: float
    planted: float
    runs: int
    budget: str
    size: int


def prove(given: arg.Gate) -> int:
    """Measure identical code and slower code; 0 if only the latter is called slower, 1 if not."""
    if not given.prove:
        raise UserError(
            "gate: give --prove; a gate itself is --max-slowdown of run, FILE --own, command and "
            "compare (docs/gate.md)"
        )
    asked, folder = _asked(given), session.data_folder(given.directory)
    found: list[Proved] = []
    with session.scratch(folder) as scratch:
        file = scratch / "data.bin"
        _write(file, asked.size)
        (scratch / "data").mkdir()
        for planted in (0.0, asked.planted):
            proved = Proved(planted, asked.allowed)
            for number in range(asked.runs):
                status, says = _one(asked, planted, scratch / f"{len(found)}-{number}", file)
                if status in (INTERRUPTED, BAD_INPUT):
                    return status
                proved = proved.with_one(_KINDS[status])
                say(proof.progress(proved, asked.runs, says))
            found.append(proved)
    if given.as_json:
        print_json(list(map(proof.as_json, found)))
    else:
        print("\n".join(proof.lines(found, manifest.name_of(given.language), asked.size)))
    return _STATUSES[proof_of(*found)]


def _asked(given: arg.Gate) -> _Asked:
    """Raises UserError."""
    known_language(given.language)
    runner = next(each for each in manifest.all_runners() if given.language in each.file.languages)
    if not list((runner.folder / "proof").glob("*")):
        able = sorted(
            language
            for each in manifest.all_runners()
            if list((each.folder / "proof").glob("*"))
            for language in each.file.languages[:1]
        )
        raise UserError(f"--language {given.language}: has no such code; there is {able}")
    planted = parsed("--planted", parse_slowdown, given.planted) or 0.0
    allowed = parsed("--max-slowdown", parse_slowdown, given.max_slowdown) or 0.0
    if not allowed < planted <= 1:
        raise UserError("--planted: give more than --max-slowdown, and at most 100%")
    if given.runs < 1:
        raise UserError("--runs: give 1 at least")
    budget = given.budget or gating.BUDGET
    parsed("--budget", budget_of, budget)
    size = parsed("--size", parse_size, given.size) or 0
    if not size:
        raise UserError("--size 0: give at least 1 byte")
    return _Asked(runner, allowed, planted, given.runs, budget, size)


def _one(asked: _Asked, planted: float, folder: Path, file: Path) -> tuple[int, str]:
    """The exit status of one gate, and the line that it said first. Its data files lie beside the
    file: the lock of the usual folder is ours.
    """
    both = {
        label: code(asked.runner, folder / label, share)
        for label, share in (("old", 0.0), ("new", planted))
    }
    command = arg.FileAnswer(
        file=file,
        own=[f"{label}={path}" for label, path in both.items()],
        max_slowdown=repr(asked.allowed),
        budget=asked.budget,
        directory=file.parent / "data",
        out=folder / "run.jsonl",
    )
    status, told = _quietly(lambda: answering.file_answer(command))
    (folder / "run.jsonl").unlink(missing_ok=True)
    headline = next((each for each in told if re.match(r"[A-Z ]+: ", each)), "")
    return status, headline


def _quietly(do: Callable[[], int]) -> tuple[int, list[str]]:
    """What a command returns, and the lines that it printed. Errors are passed on."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        status = do()
    return status, out.getvalue().splitlines()


def code(runner: Runner, folder: Path, extra: float) -> Path:
    """The code of a runner that reads so large a share of a file once more."""
    folder.mkdir(parents=True)
    (source,) = sorted((runner.folder / "proof").iterdir())
    path = folder / source.name
    text, changed = _EXTRA.subn(
        lambda found: found[0].replace("0.0", repr(extra)), source.read_text("utf-8")
    )
    assert changed == 1, source
    path.write_text(text, "utf-8")
    return path


def _write(path: Path, size: int) -> None:
    block = bytes(range(256)) * 4096
    with path.open("wb") as file:
        for at in range(0, size, len(block)):
            file.write(block[: size - at])
