"""Does a runner keep the contract of docs/wire.md? One suite for all of them: `iogauge check
FOLDER`, tests/conformance/.

What is expected of a strategy follows from its declaration alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from iogauge.runners.preparing import Ready
from iogauge.runners.wire import Refusal, WireError

from . import protocol, strategies
from .subject import Broken, Subject


@dataclass(frozen=True)
class Check:
    """One promise of the contract. `run` returns, or raises Broken, Refusal or WireError."""

    name: str
    run: Callable[[], None]


def problem(check: Check) -> str | None:
    """What is wrong according to a check; None where the promise is kept."""
    try:
        check.run()
    except (Broken, Refusal, WireError, OSError) as error:
        return str(error) or type(error).__name__
    return None


def suite(ready: Ready) -> Iterator[tuple[str, str | None]]:
    """The name of each check, and what is wrong; None where the promise is kept."""
    subject = Subject(ready)
    try:
        for check in checks(subject):
            yield check.name, problem(check)
    finally:
        subject.close()


def checks(subject: Subject) -> list[Check]:
    """Every check for this runtime."""
    made = [Check(name, partial(check, subject)) for name, check in protocol.checks()]
    results = _results(subject)
    for strategy in subject.strategies:
        of_strategy = [*protocol.of_strategy(strategy)]
        if not strategy.unavailable and strategy.name not in results:
            of_strategy += strategies.checks(strategy)
        made += [
            Check(f"{strategy.name}: {name}", partial(check, subject, strategy))
            for name, check in of_strategy
        ]
    return made


def _results(subject: Subject) -> set[str]:
    """Functions of the user's that were only tried out, and return something else than what files
    hold: results, which nobody can check.
    """
    tried = {each.instead_of for each in subject.strategies}
    able = [each for each in subject.strategies if each.name in tried and not each.unavailable]
    found = {each.name for each in able if strategies.reads_otherwise(subject, each)}
    if able:
        subject.fork.end()  # the checks begin with one of which nothing was asked
    return found
