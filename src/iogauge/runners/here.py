"""What can be measured on this host. A runner is built once a plan needs it, and never before."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from functools import partial

from iogauge.model.errors import UserError
from iogauge.model.strategy import Runtime
from iogauge.runners import catalogue, manifest, preparing, programs
from iogauge.runners.finding import Choices, Installed
from iogauge.runners.manifest import Runner
from iogauge.runners.preparing import Candidate, Missing, Ready


class Here:
    """The runtimes that a plan may use: the chosen ones, or the first of each runner.

    Those whose runner is built are ready. Of the others a catalogue tells what they can do, until
    `build` makes them ready. `missing` has the runners that cannot be used. Raises UserError where
    a choice cannot be met.
    """

    def __init__(
        self,
        chosen: Choices,
        say: Callable[[str], None],
        only: Iterable[Runner] | None = None,
    ):
        self._say = say
        self._began = time.monotonic()
        self.building_seconds = 0.0
        self.missing: list[Missing] = []
        self._untold: dict[Candidate, Missing] = {}
        self.others: list[tuple[Runner, Installed]] = []
        """Runtimes that are here, too."""
        self._known: dict[Candidate, Ready | Runtime] = {}
        runners = preparing.named(chosen, manifest.all_runners() if only is None else only)
        found = programs.side_by_side(  # some runtimes take long to answer
            partial(preparing.usable, each, chosen.get(each.name, [])) for each in runners
        )
        for runner, usable in zip(runners, (each.result() for each in found), strict=True):
            if isinstance(usable, Missing):
                _must_not_be_own(runner, usable)
                self.missing.append(usable)
                continue
            self.others += [(runner, each) for each in usable.others]
            self._learn(usable.wanted)
        preparing.must_differ(self.runtimes)

    @property
    def seconds(self) -> float:
        """Since the runtimes were first looked for."""
        return time.monotonic() - self._began

    @property
    def runtimes(self) -> list[Runtime]:
        return [each.runtime if isinstance(each, Ready) else each for each in self._known.values()]

    @property
    def ready(self) -> list[Ready]:
        return [each for each in self._known.values() if isinstance(each, Ready)]

    @property
    def executables(self) -> dict[str, str]:
        """Of each runtime, by its name."""
        both = zip(self.runtimes, self._known, strict=True)
        return {runtime.name: str(each.found.executable) for runtime, each in both}

    def need_any(self) -> None:
        """Raises UserError, with the reasons, where no runtime can be measured."""
        if not self.runtimes:
            why = "; ".join(each.why for each in self.missing)
            raise UserError(f"no language can be measured here: {why}")

    def not_built(self, names: Collection[str]) -> list[str]:
        """Those of the named runtimes whose runner is not built."""
        ready = {each.runtime.name for each in self.ready}
        return [
            each.name for each in self.runtimes if each.name in names and each.name not in ready
        ]

    def build(self, names: Collection[str]) -> bool:
        """Build the runners of the named runtimes that are not built. Whether there were any: then
        a plan must be made anew, because only now it is known what they can do.
        """
        unbuilt = {one: of for one, of in self._known.items() if isinstance(of, Runtime)}
        wanted = [each for each, known in unbuilt.items() if known.name in names]
        self._obtain(wanted)
        return bool(wanted)

    def build_untold(self) -> None:
        """Build the runners that have no catalogue: nothing else tells what they can do."""
        untold, self._untold = self._untold, {}
        self.missing = [each for each in self.missing if each not in untold.values()]
        self._obtain(list(untold))

    def _obtain(self, wanted: list[Candidate]) -> None:
        builds, began = any(not each.built for each in wanted), self.seconds
        obtained = preparing.obtain(wanted, self._say)
        self.building_seconds += self.seconds - began if builds else 0.0
        for each, made in zip(wanted, obtained, strict=True):
            if isinstance(made, Ready):
                self._known[each] = made
                continue
            _must_not_be_own(each.runner, made)
            self._known.pop(each, None)
            if made not in self.missing:
                self.missing.append(made)
        preparing.must_differ(self.runtimes)

    def _learn(self, candidates: Iterable[Candidate]) -> None:
        """What the candidates can do, as they say, or as their catalogue says."""
        for each in candidates:
            try:
                if each.built:
                    self._known[each] = preparing.ask(each)
                    continue
            except UserError:  # the build is damaged; it is made anew when it is needed
                pass
            if own := each.runner.own:
                self._untold[each] = Missing(each.runner.name, (), f"{own.given}: not built yet")
                continue
            try:
                known = catalogue.runtime(each.runner, each.found.version)
            except UserError as error:
                languages = tuple(each.runner.file.languages)
                self._untold[each] = Missing(each.runner.name, languages, str(error))
            else:
                name = each.found.name(each.runner)
                self._known[each] = known.model_copy(update={"name": name})
        self.missing += [each for each in self._untold.values() if each not in self.missing]


def _must_not_be_own(runner: Runner, missing: Missing) -> None:
    """Raises UserError where code that the user named cannot be measured."""
    if own := runner.own:
        raise UserError(f"{own.given}: {missing.why}")
