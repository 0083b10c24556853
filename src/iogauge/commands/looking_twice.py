"""What `advise --run` measures: a first look at few values of each parameter, then a closer one."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from iogauge.advice.closer_look import closer_look
from iogauge.advice.study_to_run import closer_study_text
from iogauge.advice.wanted import Wanted
from iogauge.commands.saying import say
from iogauge.commands.statuses import JUDGE
from iogauge.corpus.own_file import OwnFile
from iogauge.measuring import session
from iogauge.model.text import visible
from iogauge.planning.options import Options
from iogauge.runfile.run import Run
from iogauge.runners.here import Here
from iogauge.study import loading

FIRST_LOOK = 0.5  # of the time
_SHORTEST = 4.0  # seconds: less is not worth a closer look


@dataclass(frozen=True)
class Looking:
    """What is wanted, on which file (None for one of ours), where, and of what is here."""

    wanted: Wanted
    own: OwnFile | None
    folder: Path
    here: Here

    def planned(self, text: Callable[[], str]) -> session.Prepared:
        """The plan of a study, whose text may change with what is here."""
        options = Options(seed=session.random_seed())
        return session.planned(
            lambda: loading.parse(text(), "advise"), "advise", self.here, options
        )

    def twice(self, prepared: session.Prepared, seconds: float) -> tuple[Path, str]:
        """Carries out a plan, then looks closer as long as time is left of so many seconds.

        Gives the run file to advise from and why the last run ended.
        """
        began = time.monotonic()
        run, path, reason = self._measure(prepared)
        left = seconds - (time.monotonic() - began)
        text = self._closer(run, left) if reason != "interrupted" and left >= _SHORTEST else None
        if text is None:
            return path, reason
        closer = self.planned(lambda: text)
        ways = len(closer.plan.groups[0].cases) - 1  # without the control
        say(f"first look: {visible(str(path))}\nA closer look at {ways} ways.")
        _, nearer, reason = self._measure(closer)
        return nearer, reason

    def _measure(self, prepared: session.Prepared) -> tuple[Run, Path, str]:
        from iogauge.outputs.progress import Display

        asked = [*(["--file", "YOUR-FILE"] if self.own else []), *self.wanted.options]
        with Display(prepared.plan, [each.runtime for each in prepared.ready]) as display:
            return session.measure(
                prepared, self.folder, None, {"advise": asked}, display, JUDGE, self.own
            )

    def _closer(self, run: Run, seconds: float) -> str | None:
        """The study of the closer look. None if the first one left nothing open, or no choice."""
        from iogauge.advice.recommendations import recommend
        from iogauge.analysis import report

        made = report.make(run)
        chosen = closer_look(made.groups[0])
        tried = [(each.strategy, each.parameters) for each in run.plan.cases]
        advice = recommend(made, self.wanted)
        sure = advice and all(each.sure for each in advice.values())
        if not chosen or (sure and all(each in tried for each in chosen)):
            return None
        return closer_study_text(self.wanted, chosen, seconds)
