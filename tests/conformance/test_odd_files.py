"""Each way to read a file, on files of all shapes (tests/odd_files.py): it reads the file right, or is
left out beforehand.
"""

from __future__ import annotations

import pytest

from iogauge.advice import studies
from iogauge.corpus.own_file import OwnFile
from iogauge.runners import wire
from iogauge.runners.fork import alone
from iogauge.runners.wire import Refusal
from tests import odd_files

MEMORY = 8 << 30
SECONDS = 60.0


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("odd")
    odd_files.write(folder)
    names = [name for name, odd in odd_files.FILES.items() if not odd.refused]
    return [OwnFile(folder / name, unpacked=True) for name in [*names, odd_files.HOLES]]


def wrong(fork, strategy, file: OwnFile) -> str | None:
    """What is wrong with how a strategy reads a file."""
    consume = strategy.consumes[-1]
    fork.ask(wire.open_strategy(strategy.name, strategy.defaults, "read", consume), SECONDS)
    try:
        reply = fork.ask(wire.sample(1, 1, [str(file.path)]), SECONDS)
    except Refusal as refusal:
        return str(refusal)
    due = file.manifest().due(consume, strategy.sums)
    return None if (reply.count[0], reply.sum[0]) == due else f"{reply.count}, {reply.sum}: {due}"


@pytest.mark.long
@pytest.mark.real
def test_what_is_not_left_out_reads_every_file_right(real, files):
    problems = {}
    for ready in real:
        with alone(ready.launch, ready.runtime.heap_minimum_mib) as fork:
            for file in files:
                for strategy in studies._able(file, [ready.runtime], MEMORY):
                    fits = strategy.role == "contestant" and studies._fits(strategy, file)
                    if fits and (file.is_text or strategy.sums == "byte"):
                        why = wrong(fork, strategy, file)
                        problems |= {(file.given.name, strategy.name): why} if why else {}
    assert not problems
