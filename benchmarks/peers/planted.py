"""Runners with one more strategy, whose slow-down is known, so that a tool's verdict can be judged.

`go/planted-read` and `java/planted-read` do what `go/file-read` and `java/file-input-stream` do,
with two more parameters. `extra` bytes of the file (at most all) are read once more, in blocks of
the same size through the same descriptor, and not consumed. `label` does nothing, so that the same
code can be several cases.

    runners.all_runners = planted.runners    # from here on iogauge and the peers know them
"""

from __future__ import annotations

import contextlib
import functools
import sys

from iogauge.runners import catalogue, manifest
from iogauge.runners.manifest import Runner

from . import building

_ADDED = {
    "go": ("planted_read.go", "strategies"),
    "jvm": ("PlantedRead.java", "src/main/java/iogauge/runner/strategies/planted"),
}
_own_runners = manifest.all_runners  # as long as nobody has put ours in their place


@functools.cache
def _assembled() -> tuple[Runner, ...]:
    made = []
    for runner in (each for each in _own_runners() if each.name in _ADDED):
        source, place = _ADDED[runner.name]
        files = building.folder_files(runner.folder, ["runner.toml", *runner.file.build.inputs])
        files[f"{place}/{source}"] = building.HERE / "planted_sources" / source
        folder = building.built(f"planted-{runner.name}", files)
        if not (folder / catalogue.NAME).exists():
            with contextlib.redirect_stdout(sys.stderr):
                catalogue.main([str(folder)])
        made.append(manifest.load(folder))
    return tuple(made)


def runners() -> list[Runner]:
    """Our copies of the Go and the JVM runner, assembled in the cache folder; iogauge builds them
    like any other.
    """
    return list(_assembled())
