"""Functions in Go: the package that the user names becomes a test binary whose `TestMain` is the
runner. Glue, and the runner itself, are laid over their module by `-overlay`; what lies in no
module is copied, and gets one.
"""

from __future__ import annotations

from iogauge.sources.language import Given, Glue
from iogauge.sources.languages.go import building, choosing


def glue(given: Given) -> Glue:
    """A build of the package in which the functions are."""
    return building.glue(choosing.chosen(given), given)
