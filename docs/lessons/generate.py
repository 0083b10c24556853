"""Writes the outputs of the lessons.

    python docs/lessons/generate.py [NUMBER …]

It runs the commands of each page (the lines of its `sh` blocks) and puts what they print into the
`text` block that follows. It measures, so nothing else may run meanwhile.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BLOCK = re.compile(r"```sh\n(?P<commands>.*?)```\n(?:\n```text\n.*?```\n)?", re.DOTALL)


def pages() -> list[Path]:
    return sorted(HERE.glob("[0-9]*.md"))


def commands(page: Path) -> list[str]:
    return [
        line
        for block in BLOCK.finditer(page.read_text())
        for line in block["commands"].splitlines()
    ]


def measured(page: Path) -> str:
    """The page with what its commands print now. Run files go to a folder of the page's own."""
    with tempfile.TemporaryDirectory() as data:
        environment = {
            **os.environ,
            "XDG_DATA_HOME": data,
            "NO_COLOR": "1",
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }

        def printed(command: str) -> str:
            done = subprocess.run(
                command,
                shell=True,
                cwd=ROOT,
                env=environment,
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )  # noqa: S602
            lines = [
                line.rstrip()
                for line in done.stdout.splitlines()
                if not line.startswith("run file: ")
            ]
            return "\n".join([f"$ {command}", *lines]).rstrip()

        def shown(block: re.Match[str]) -> str:
            said = "\n\n".join(map(printed, block["commands"].splitlines()))
            return f"```sh\n{block['commands']}```\n\n```text\n{said}\n```\n"

        return BLOCK.sub(shown, page.read_text())


def main(numbers: list[str]) -> None:
    for page in pages():
        if not numbers or page.name.partition("-")[0].lstrip("0") in numbers:
            page.write_text(measured(page))
            print(page.name)


if __name__ == "__main__":
    main(sys.argv[1:])
