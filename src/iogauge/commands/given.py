"""What the command line says of a measurement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

from iogauge.commands.options import budget_of, named, parsed
from iogauge.measuring import session
from iogauge.model.errors import UserError
from iogauge.model.plan import Compare, Protocol
from iogauge.model.units import parse_share, parse_size
from iogauge.planning.options import Options
from iogauge.runners import manifest


@dataclass(frozen=True)
class Given:
    """What the command line said, unparsed."""

    only: list[str] | None = None
    budget: str | None = None
    precision: str | None = None
    tolerance: str | None = None
    compare: str | None = None
    max_size: str | None = None
    runtime: list[str] | None = None
    own: list[str] | None = None
    runtime_option: list[str] | None = None
    seed: int | None = None
    protocol: str | None = None
    fresh_limits: bool = False
    question: list[str] | None = None

    def options(self) -> Options:
        return Options(
            only=tuple(self.only or ()),
            questions=tuple(self.question or ()),
            max_size=_parsed("--max-size", parse_size, self.max_size),
            budget=_parsed("--budget", budget_of, self.budget),
            precision=_parsed("--precision", parse_share, self.precision),
            tolerance=_parsed("--tolerance", parse_share, self.tolerance),
            compare=_one_of("--compare", self.compare, get_args(Compare)),
            seed=session.random_seed() if self.seed is None else self.seed,
            protocol=_one_of("--protocol", self.protocol, get_args(Protocol)) or "sound",
            settings=_settings(self.runtime_option),
        )

    def recorded(self) -> dict[str, Any]:
        """What the run file keeps. The paths of runtimes are left out: their names say which they
        were.
        """
        return {
            "only": self.only,
            "question": self.question,
            "budget": self.budget,
            "precision": self.precision,
            "tolerance": self.tolerance,
            "compare": self.compare,
            "max_size": self.max_size,
            "runtime_option": self.runtime_option,
            "protocol": self.protocol,
        }


def _parsed(option: str, parse: Any, text: str | None) -> Any:
    return None if text is None else parsed(option, parse, text)


def _one_of(option: str, given: str | None, allowed: Sequence[str]) -> Any:
    if given not in (None, *allowed):
        raise UserError(f"{option} {given}: allowed: {', '.join(allowed)}")
    return given


def _settings(given: list[str] | None) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """`jvm=-XX:+UseZGC` arguments: per argument the runner and its options, separated by blanks."""
    settings = []
    known = {runner.name for runner in manifest.all_runners()} if given else set()
    for text in given or []:
        name, options = named("--runtime-option", text, "NAME=OPTION, e.g. jvm=-XX:+UseZGC")
        if name not in known:
            raise UserError(
                f"--runtime-option {text}: no runner is called {name!r}; there are: "
                f"{', '.join(sorted(known))}"
            )
        settings.append((name, tuple(options.split())))
    return tuple(settings)
