"""The runners of benchmarks whose strategies have a known slow-down."""

import shutil
import sys
from pathlib import Path

import pytest

from iogauge.runners import preparing

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))


@pytest.mark.long
@pytest.mark.real
@pytest.mark.parametrize("runner", ["go", "jvm"])
def test_planted_strategies_compile_and_are_declared_as_others_are(runner):
    from peers import planted

    if not shutil.which({"go": "go", "jvm": "mvn"}[runner]):
        pytest.skip(f"nothing builds {runner} here")
    ready, missing = preparing.prepare(
        {}, print, [r for r in planted.runners() if r.name == runner]
    )
    assert not missing
    (found,) = [
        each
        for one in ready
        for name, each in one.runtime.strategies.items()
        if name.endswith("/planted-read")
    ]
    assert {"block", "extra", "label"} == set(found.parameters) and found.unavailable is None
