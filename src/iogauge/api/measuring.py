"""A study, measured from within a program."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from iogauge.api import code
from iogauge.api.code import Own
from iogauge.api.results import Results
from iogauge.commands import arguments as arg
from iogauge.commands.options import chosen_runtimes, limit_of, must_not_be_told, planned, recorded
from iogauge.commands.statuses import JUDGE
from iogauge.corpus.own_file import OwnFile
from iogauge.measuring import session
from iogauge.measuring.bench import Progress
from iogauge.measuring.session import Prepared
from iogauge.model.errors import UserError
from iogauge.outputs.document import Document
from iogauge.runfile import writing
from iogauge.runfile.run import Run
from iogauge.runners import manifest
from iogauge.runners import own as own_code
from iogauge.study import loading
from iogauge.study.schema import Study

Words = str | Sequence[str] | None
"""What an option takes that may be given several times."""
Number = str | float | None
"""`"2m"`, `"5%"`, `"64M"`, or the number in seconds, of 1, in bytes."""
_WITHIN = "IOGAUGE_MEASURES"
"""A variable in the environment of processes that are started meanwhile."""


def measure(
    study: str | os.PathLike[str] | Mapping[str, Any] = "quick",
    *,
    budget: Number = None,
    only: Words = None,
    question: Words = None,
    protocol: str | None = None,
    precision: Number = None,
    tolerance: Number = None,
    compare: str | None = None,
    max_size: Number = None,
    cached_by: Words = None,
    runtime: Words | Mapping[str, str | os.PathLike[str]] = None,
    runtime_option: Words = None,
    seed: int | None = None,
    own: Own = None,
    own_flags: Words = None,
    own_path: Words = None,
    limit: Number = None,
    fresh_limits: bool = False,
    directory: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> Results:
    """Measure a study: a built-in one by its name, the path of a TOML file, its text, or its keys.

    The options are those of `iogauge run` (docs/command-line.md). `own` is code as `--own` takes
    it, a function of this program, several of these, or several by name; functions run in the
    interpreter of this program. `runtime` may be paths by runner: {"jvm:new": "/opt/jdk"}.
    `progress` tells on standard error how it goes; otherwise nothing is printed.

    Raises UserError, in one line, where something cannot be measured, and KeyboardInterrupt after
    Ctrl-C: what was measured until then is kept, and a note of the exception says where. A case
    that fails is no error: it is in `.cases`, with its `failures`.
    """
    given = arg.Run(
        budget=text_of(budget),
        only=words(only),
        question=words(question),
        protocol=protocol,
        precision=text_of(precision),
        tolerance=text_of(tolerance),
        compare=compare,
        max_size=text_of(max_size),
        cached_by=",".join(words(cached_by) or []) or None,
        runtime_option=words(runtime_option),
        seed=seed,
        own=code.words(own) or None,
        own_flags=words(own_flags),
        own_path=words(own_path),
        limit=text_of(limit),
    )
    path = new_file(out)
    asked = _Asked(given, runtimes(runtime), callable_in(own), progress, fresh_limits)
    with begun():
        return _measured(*_study(study), asked, Path(directory) if directory else None, path)


@dataclass(frozen=True)
class _Asked:
    """What is asked for besides the study. `ours`: functions of this program are among the code."""

    given: arg.Run
    runtimes: list[str]
    ours: bool
    progress: bool
    fresh_limits: bool


def _measured(
    study: Study, where: str, asked: _Asked, directory: Path | None, out: Path | None
) -> Results:
    loading.must_not_be_own(study, where)
    given, say = asked.given, said if asked.progress else quiet
    folder = session.data_folder(directory)
    theirs = own_runners(given, say)
    chosen = code.interpreters(theirs, asked.runtimes) if asked.ours else asked.runtimes
    runners = own_code.beside(theirs, manifest.all_runners())
    here = session.found_here(chosen_runtimes(chosen), say, runners)
    options = planned(given)
    prepared = session.planned(lambda: study, where, here, options, folder)
    session.try_settings(prepared, options)
    return carried_out(
        prepared,
        folder,
        recorded(given),
        out,
        progress=asked.progress,
        fresh_limits=asked.fresh_limits,
        extends=given.budget is None,
    )


def carried_out(
    prepared: Prepared,
    folder: Path,
    kept: dict[str, Any],
    out: Path | None,
    *,
    own: OwnFile | None = None,
    progress: bool = False,
    fresh_limits: bool = False,
    extends: bool = False,
) -> Results:
    """What is planned, measured; see session.measure. Raises KeyboardInterrupt after Ctrl-C."""
    with _shown(prepared, progress) as show:
        run, path, reason = session.measure(
            prepared,
            folder,
            out,
            kept,
            show,
            JUDGE,
            own,
            fresh_limits=fresh_limits,
            extends=extends,
        )
    if reason == "interrupted":
        _interrupted(run, path)
    with contextlib.suppress(OSError, UserError):  # without a seal it can be read, too
        writing.seal(path, lambda length: None)
    return Results((path,), (Document(run),))


def own_runners(given: arg.Run, say: Callable[[str], None]) -> list[manifest.Runner]:
    """The runners with the user's code. Raises UserError."""
    if not given.own:
        must_not_be_told(given, "is for code of yours: give own, or leave it out")
    more = own_code.More(given.own_flags or (), given.own_path or (), say)
    return own_code.runners(given.own or (), limit_of(given), more)


@contextlib.contextmanager
def begun() -> Iterator[None]:
    """While something is measured. Raises UserError in a thread other than the main one, because
    Ctrl-C comes to that one alone, and processes that a thread has started end with it; and where
    this program is itself what is measured: a script whose function is, is imported for that.
    """
    if threading.current_thread() is not threading.main_thread():
        raise UserError("measure in the main thread of the program: Ctrl-C reaches no other one")
    if os.environ.get(_WITHIN):
        raise UserError(
            "this module is imported to measure a function in it, and measures itself; put that "
            "behind: if __name__ == '__main__'"
        )
    os.environ[_WITHIN] = "1"
    try:
        yield
    finally:
        del os.environ[_WITHIN]


def new_file(out: str | os.PathLike[str] | None) -> Path | None:
    """A run file to write. Raises UserError where it is there, or its folder is not."""
    path = None if out is None else Path(out)
    if path and (path.exists() or not path.parent.is_dir()):
        raise UserError(f"out={str(path)!r}: exists already, or its folder does not; give another")
    return path


def said(text: str) -> None:
    """Tell the person what takes long."""
    print(text, file=sys.stderr, flush=True)


def quiet(_: object) -> None:
    """Say nothing."""


@contextlib.contextmanager
def _shown(prepared: Prepared, progress: bool) -> Iterator[Callable[[Progress], None]]:
    if not progress:
        yield quiet
        return
    from iogauge.outputs.progress import Display

    with Display(prepared.plan, [each.runtime for each in prepared.ready]) as display:
        yield display


def _interrupted(run: Run, path: Path) -> NoReturn:
    error = KeyboardInterrupt()
    if len(run.columns.case):
        error.add_note(f"what was measured until then is in {path}")
    else:
        path.unlink(missing_ok=True)
    raise error


def _study(given: str | os.PathLike[str] | Mapping[str, Any]) -> tuple[Study, str]:
    """The study, and what messages call it."""
    if isinstance(given, Mapping):
        about = {name: value for name, value in given.items() if name != "group"}
        return loading.made("the study", about, *given.get("group", ())), "the study"
    text = os.fspath(given)
    if "\n" in text or "=" in text:
        return loading.parse(text, "the study"), "the study"
    return loading.load(text), text if text.endswith(".toml") else f"{text}.toml"


def callable_in(own: Own) -> bool:
    """Whether there is a function of this program among the code."""
    if isinstance(own, Mapping):
        return any(map(callable, own.values()))
    return callable(own) or (isinstance(own, Sequence) and any(map(callable, own)))


def runtimes(given: Words | Mapping[str, str | os.PathLike[str]]) -> list[str]:
    if isinstance(given, Mapping):
        return [f"{name}={os.fspath(path)}" for name, path in given.items()]
    return words(given) or []


def words(given: Words) -> list[str] | None:
    if given is None:
        return None
    return [given] if isinstance(given, str) else [*given]


def text_of(given: Number) -> str | None:
    return None if given is None else str(given)
