"""The catalogue of a runner: its strategies, in a file of its folder, for a plan without a build.

`python -m iogauge.runners.catalogue [FOLDER…]` builds each runner, asks it for its strategies and
writes its `catalogue.json`. Whether a strategy can run depends on the host, so it is left out. What
it trips on may depend on the version: a catalogue tells that of the one with which it was written.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ValidationError

from iogauge.model.errors import UserError, first_problem
from iogauge.model.strategy import Runtime, Strategy
from iogauge.runners import manifest, preparing
from iogauge.runners.finding import installed, version_key
from iogauge.runners.manifest import Runner, load
from iogauge.runners.preparing import Missing

NAME = "catalogue.json"
REGENERATE = "python -m iogauge.runners.catalogue"


class Catalogue(BaseModel):
    """A catalogue.json: what `list` says (docs/wire.md), without `unavailable`, sorted by name."""

    strategies: list[Strategy]


def of_runtime(runtime: Runtime) -> Catalogue:
    """What a built runner declares."""
    found = sorted(runtime.strategies.values(), key=lambda each: each.name)
    return Catalogue(strategies=[each.model_copy(update={"unavailable": None}) for each in found])


def read(runner: Runner) -> Catalogue:
    """The catalogue of a runner. Raises UserError where there is none that can be read."""
    path = runner.folder / NAME
    try:
        return Catalogue.model_validate_json(path.read_text("utf-8"))
    except OSError as error:
        raise UserError(
            f"{path}: {error.strerror}; {REGENERATE} {runner.folder} makes it"
        ) from None
    except ValidationError as error:
        raise UserError(f"{path}: {first_problem(error)}; {REGENERATE} makes it anew") from None


def problem(runner: Runner, runtime: Runtime) -> str | None:
    """What is wrong with the catalogue of a runner that was built as this runtime, in a line."""
    try:
        if _anywhere(read(runner)) == _anywhere(of_runtime(runtime)):
            return None
    except UserError as error:
        return str(error)
    return (
        f"{runner.folder / NAME}: not what the runner declares; "
        f"{REGENERATE} {runner.folder} writes it anew"
    )


def _anywhere(catalogue: Catalogue) -> list[Strategy]:
    """What all versions have in common."""
    return [each.model_copy(update={"trips_on": ()}) for each in catalogue.strategies]


def everywhere() -> tuple[list[Runtime], list[Missing]]:
    """A runtime of each runner, whether or not it can be measured here, with the strategies of its
    catalogue. Its version is that of the first runtime found here, else the smallest allowed.
    Runners without a catalogue are missing.
    """
    found, missing = [], []
    for runner in manifest.all_runners():
        here = [each.version for each in installed(runner)[:1]]
        try:
            found.append(runtime(runner, here[0] if here else None))
        except UserError as error:
            missing.append(Missing(runner.name, tuple(runner.file.languages), str(error)))
    return found, missing


def runtime(runner: Runner, version: str | None) -> Runtime:
    """A runtime of this version by the catalogue; without one, new enough for all strategies."""
    strategies = []
    for each in read(runner).strategies:
        needed, lacks = each.needs.runtime, None
        if version and needed and version_key(version) < version_key(needed):
            lacks = f"needs {runner.name} {needed} or newer, this is {version}"
        strategies.append(each.model_copy(update={"unavailable": lacks}))
    shown, title = version or runner.file.runtime.minimum, runner.name
    own = {"name": f"{title}-{shown}", "version": shown, "title": title, "build": ""}
    return preparing.runtime_of(runner, strategies, **own, clock_resolution_ns=1)


def main(folders: Sequence[str]) -> int:
    """Write the catalogues of these runners, or of all. Returns the exit status."""
    try:
        for runner in [load(Path(each)) for each in folders] or manifest.all_runners():
            ready, missing = preparing.prepare({}, print, [runner])
            for absent in missing:
                print(f"{absent.why}; its catalogue stays as it is", file=sys.stderr)
            for each in ready:
                path = runner.folder / NAME
                told = of_runtime(each.runtime).model_dump_json(indent=1, exclude_defaults=True)
                path.write_text(f"{told}\n", "utf-8")
                print(path)
    except UserError as error:
        print(f"iogauge: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
