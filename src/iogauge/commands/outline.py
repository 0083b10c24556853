"""Plans that nothing is built for: for commands that only say what would be measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from iogauge.commands.saying import say
from iogauge.measuring import session
from iogauge.model.plan import Plan
from iogauge.model.strategy import Runtime
from iogauge.planning import plan as planning
from iogauge.planning.options import Options
from iogauge.runners import catalogue
from iogauge.runners.finding import Choices
from iogauge.runners.here import Here
from iogauge.runners.preparing import Missing
from iogauge.study import loading
from iogauge.study.schema import Study


def everywhere(of: Study, where: str, options: Options) -> Plan:
    """The plan of a study in all languages, whether or not they can be measured here. Messages call
    the study `where`. Raises UserError.
    """
    loading.must_not_be_own(of, where)
    return _plan(of, where, *catalogue.everywhere(), options)


def here(name: str, chosen: Choices, options: Options) -> tuple[Plan, list[Runtime]]:
    """The plan of a study as `run` would measure it here, and its runtimes. Runners that are not
    built yet are taken from their catalogues, and a line says so. Raises UserError.
    """
    here = Here(chosen, say)
    here.need_any()
    of, where = loading.load(name), name if name.endswith(".toml") else f"{name}.toml"
    loading.must_not_be_own(of, where)
    made = _plan(of, where, here.runtimes, here.missing, options)
    if not_built := here.not_built({fork.runtime for fork in made.forks}):
        say(
            f"not built yet: {', '.join(not_built)}; what they can do is taken from their "
            "catalogues, and iogauge run builds them"
        )
    else:
        session.try_settings(session.Prepared(of, made, here.ready), options)
    return made, here.runtimes


def _plan(
    of: Study,
    where: str,
    runtimes: Sequence[Runtime],
    missing: Iterable[Missing],
    options: Options,
) -> Plan:
    return planning.make(of, where, session.machine(runtimes, missing), options)
