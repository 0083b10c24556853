"""Which of iogauge and `go test` is beside a program of neither where they disagree: reading by
blocks.
"""

from __future__ import annotations

from pathlib import Path

from peers import works

from effects.three_tools import RATIOS, beside_each_other, of_all_tools
from iogauge.model.units import short_size

PROCESSES = 32
WORKS = (("go/file-read", 256 << 20, {"block": 8192}), ("go/file-read", 4 << 20, {"block": 8192}))


def show(folder: Path) -> None:
    """Which of two tools that disagree is beside a program of neither: processes of all three in
    turns, without a pause.
    """
    print(f"| strategy, size | {RATIOS} |")
    print("|---|---|---|---|")
    for strategy, size, parameters in WORKS:
        found = of_all_tools(
            works.make(strategy, size, folder, parameters=parameters), PROCESSES, folder
        )
        print(f"| {strategy}, {short_size(size)} | {beside_each_other(found)} |", flush=True)
