"""The channel and the verbs, whatever the strategies are."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from iogauge.model.strategy import Strategy
from iogauge.runners import wire

from . import data
from .subject import SECONDS, Subject, must, must_have


def checks() -> list[tuple[str, Callable[[Subject], None]]]:
    return [
        ("hello", _hello),
        ("list", _list),
        ("bad requests", _bad_requests),
        ("request costs", _request_costs),
        ("end of input", _end_of_input),
    ]


def _hello(subject: Subject) -> None:
    said = subject.fork.ask(wire.hello(), SECONDS)
    must(said.wire == wire.WIRE, f"speaks wire version {said.wire}")
    must(
        said.runtime == f"{said.runner}-{said.version}",
        f"runtime {said.runtime!r} is not RUNNER-VERSION",
    )
    subject.fork.ask({**wire.hello(), "sugar": [1, {}]}, SECONDS)  # unknown keys are ignored


def _list(subject: Subject) -> None:
    listing = subject.fork.ask(wire.list_strategies(), SECONDS)
    strategies = listing.strategies
    unknown = ", ".join(listing.unknown)
    must(not unknown, f"keys that docs/wire.md does not know, and that are ignored: {unknown}")
    names = [each.name for each in strategies]
    must(len(set(names)) == len(names), f"names are not unique: {sorted(names)}")
    languages = {name.partition("/")[0] for name in names}
    must(
        languages == set(subject.ready.runtime.languages),
        f"strategies of {languages}, runner.toml names {subject.ready.runtime.languages}",
    )
    _calls(strategies)
    _null(subject)


def _calls(strategies: Sequence[Strategy]) -> None:
    """People can tell strategies that stand in one table apart by what they are called."""
    known: dict[tuple[str, ...], str] = {}
    for each in strategies:
        if each.role not in ("contestant", "published"):
            continue
        must(bool(each.call), f"{each.name} declares no call")
        place = each.language, each.operation, each.access, each.call
        other = known.setdefault(place, each.name)
        must(other == each.name, f"{other} and {each.name} have the same call {each.call!r}")


def _bad_requests(subject: Subject) -> None:
    strategy = next(each for each in subject.strategies if not each.unavailable)
    opening = subject.opening(strategy)
    subject.refused(wire.sample(1, 1, ["/"]), "sample before open")
    subject.refused({"verb": "dance"}, "an unknown verb")
    subject.refused({}, "a request without a verb")
    subject.refused({**opening, "strategy": "none/such"}, "an unknown strategy", "none/such")
    for garbage in (b"not json\n", b"\n", b"[]\n", b'"hello"\n', b"\xff\xfe{}\n"):
        subject.refused(garbage, f"the line {garbage!r}")


def _request_costs(subject: Subject) -> None:
    """The host takes the calls of a request out of its evidence, so most requests must cost the
    same.
    """
    subject.open(_null(subject))
    path = str(subject.path(data.plain("byte", 64)))
    fork = subject.fork
    seen = []
    for _ in range(5):
        before = fork.counters.read()
        fork.ask(wire.sample(10, 1, [path]), SECONDS)
        gained = fork.counters.read().since(before)
        seen.append((gained["syscr"], gained["syscw"]))
    most = max(map(seen.count, seen))
    must(2 * most > len(seen), f"equal requests cost {seen} (reads, writes), not the same calls")


def _end_of_input(subject: Subject) -> None:
    fork = subject.fork
    fork.ask(wire.hello(), SECONDS)
    start = time.monotonic()
    fork.close_input()
    fork.wait(timeout=4)
    must(time.monotonic() - start < 2, "does not end within 2 s of the end of its input")


def _null(subject: Subject) -> Strategy:
    null = next((each for each in subject.strategies if each.role == "null"), None)
    return must_have(null, "no strategy with the role null")
