"""What can be measured on this host. A runner is built once a plan needs it, and never before."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial

from iogauge.model.errors import BuildFailed, UserError
from iogauge.model.strategy import Runtime
from iogauge.runners import catalogue, preparing, programs
from iogauge.runners.building import Candidate
from iogauge.runners.finding import Choices, Installed
from iogauge.runners.manifest import Runner
from iogauge.runners.preparing import Missing, Ready


class Runtimes:
    """The runtimes that a plan may use: the chosen ones, or the first of each runner.

    Those whose runner is built are ready. Of the others a catalogue tells what they can do, until
    `build` makes them ready. `missing` has the runners that cannot be used, `others` more runtimes
    that are here. Raises UserError where a choice cannot be met.
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
        self.others: list[tuple[Runner, Installed]] = []
        # What is known of each candidate, or of a runner that has none. One that is missing, but
        # not broken, was not built yet, and nothing else tells what it can do.
        self._known: dict[Candidate | str, Ready | Runtime | Missing] = {}
        runners = preparing.named(chosen, only)
        found = programs.side_by_side(  # some runtimes take long to answer
            partial(preparing.usable, each, chosen.get(each.name, [])) for each in runners
        )
        for runner, usable in zip(runners, (each.result() for each in found), strict=True):
            if isinstance(usable, Missing):
                _must_not_be_own(runner, usable)
                self._known[runner.name] = usable
                continue
            self.others += [(runner, each) for each in usable.others]
            self._known |= {each: _told(each, say) for each in usable.wanted}
        preparing.must_differ(self.runtimes)

    @property
    def seconds(self) -> float:
        """Since the runtimes were first looked for."""
        return time.monotonic() - self._began

    @property
    def runtimes(self) -> list[Runtime]:
        return list(self._by_candidate.values())

    @property
    def ready(self) -> list[Ready]:
        return [each for each in self._known.values() if isinstance(each, Ready)]

    @property
    def missing(self) -> list[Missing]:
        missing = [each for each in self._known.values() if isinstance(each, Missing)]
        return list(dict.fromkeys(missing))

    @property
    def executables(self) -> dict[str, str]:
        """Of each runtime, by its name."""
        return {of.name: str(each.found.executable) for each, of in self._by_candidate.items()}

    @property
    def _by_candidate(self) -> dict[Candidate, Runtime]:
        return {
            each: known.runtime if isinstance(known, Ready) else known
            for each, known in self._known.items()
            if isinstance(each, Candidate) and not isinstance(known, Missing)
        }

    def need_any(self) -> None:
        """Raises UserError, with the reasons, where no runtime can be measured."""
        if not self.runtimes:
            why = "; ".join(each.why for each in self.missing)
            raise UserError(f"no language can be measured here: {why}")

    def not_built(self, names: Collection[str]) -> list[str]:
        """Those of the named runtimes whose runner is not built."""
        unbuilt = [each for each in self._known.values() if isinstance(each, Runtime)]
        return [each.name for each in unbuilt if each.name in names]

    def build(self, names: Collection[str]) -> bool:
        """Build the runners of the named runtimes that are not built. Whether there were any: then
        a plan must be made anew, because only now it is known what they can do.
        """
        unbuilt = self.not_built(names)
        wanted = [each for each, of in self._by_candidate.items() if of.name in unbuilt]
        self._obtain(wanted)
        return bool(wanted)

    def leave_out(self, strategies: Collection[tuple[str, str]]) -> None:
        """Plan without these strategies of runtimes that are ready, by the names of both."""
        for each, known in self._known.items():
            if isinstance(known, Ready):
                runtime = known.runtime
                kept = {
                    name: one
                    for name, one in runtime.strategies.items()
                    if (runtime.name, name) not in strategies
                }
                runtime = runtime.model_copy(update={"strategies": kept})
                self._known[each] = replace(known, runtime=runtime)

    def build_untold(self) -> None:
        """Build the runners that have no catalogue: nothing else tells what they can do."""
        known = [(each, of) for each, of in self._known.items() if isinstance(each, Candidate)]
        self._obtain([each for each, of in known if isinstance(of, Missing) and not of.broken])

    def _obtain(self, wanted: Sequence[Candidate]) -> None:
        builds, began = any(not each.built for each in wanted), self.seconds
        obtained = preparing.obtain(wanted, self._say)
        self.building_seconds += self.seconds - began if builds else 0.0
        pairs = list(zip(wanted, obtained, strict=True))
        _own_must_work([(each.runner, made) for each, made in pairs if isinstance(made, Missing)])
        self._known |= dict(pairs)
        preparing.must_differ(self.runtimes)


def _told(candidate: Candidate, say: Callable[[str], None]) -> Ready | Runtime | Missing:
    """What a candidate can do, as it says itself if it is built, else as its catalogue says. Code
    of the user's is asked once, when it is obtained.
    """
    runner = candidate.runner
    try:
        if candidate.built and not runner.own:
            return preparing.ask(candidate, say)
    except UserError:  # the build is damaged; it is made anew when it is needed
        pass
    if own := runner.own:
        return Missing(runner.name, (), f"{own.given}: not built yet")
    try:
        known = catalogue.runtime(runner, candidate.found.version)
    except UserError as error:
        return Missing(runner.name, tuple(runner.file.languages), str(error))
    return known.model_copy(update={"name": candidate.found.name(runner)})


def _must_not_be_own(runner: Runner, missing: Missing) -> None:
    """Raises UserError where code that the user named cannot be measured."""
    if own := runner.own:
        raise UserError(f"{own.given}: {own.spoken(missing.why)}")


def _own_must_work(failed: Sequence[tuple[Runner, Missing]]) -> None:
    """Raises BuildFailed where code that the user named is among what could not be built."""
    theirs = [(runner.own, missing) for runner, missing in failed if runner.own]
    if theirs:
        own, missing = theirs[0]
        labels = dict.fromkeys(each.label for each, _ in theirs)
        raise BuildFailed(f"{own.given}: {own.spoken(missing.why)}", list(labels))
