"""Writes the outputs of the lessons.

    python docs/lessons/generate.py [NUMBER …]

It runs the commands of each page (the lines of its `sh` blocks) and puts what they print into the
`text` block that follows. The page then ends in a sentence with the figures of these very runs,
which says whether they show the trap (endings.toml). A page that has a picture (NAME.svg) gets it
from the same runs. It measures, so nothing else may run meanwhile.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "studies")]
import short  # noqa: E402  (docs/studies)
from endings import DECLARED, ending  # noqa: E402  (a neighbour of this script)

from iogauge.outputs import contract  # noqa: E402
from iogauge.outputs.contract import Export  # noqa: E402

HERE = Path(__file__).parent
SHOWS = "**What this run shows.** "
ROOT = HERE.parents[1]
ENDING = re.compile(rf"\n{re.escape(SHOWS)}[^\n]*\n\Z")
MEANS = "**What it means.**"
PICTURE = re.compile(r"!\[[^\n]*\]\([^\n]*\.svg\)\n\n")
BLOCK = re.compile(r"```sh\n(?P<commands>.*?)```\n(?:\n```text\n.*?```\n)?", re.DOTALL)


def pages() -> list[Path]:
    return sorted(HERE.glob("[0-9]*.md"))


def commands(page: Path) -> list[str]:
    return [
        line
        for block in BLOCK.finditer(page.read_text(encoding="utf-8"))
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

        text = BLOCK.sub(shown, page.read_text(encoding="utf-8"))
        lesson, exports = f"lesson-{int(page.name[:2])}", exports_in(Path(data), environment)
        return ended(pictured(text, page, lesson, exports), lesson, exports)


def exports_in(data: Path, environment: dict[str, str]) -> list[Export]:
    """Of all runs that were stored there."""
    return [
        contract.read(
            json.loads(
                subprocess.run(
                    ["iogauge", "export", str(run), "--format", "json"],
                    cwd=ROOT,
                    env=environment,
                    stdout=subprocess.PIPE,
                    check=True,
                ).stdout
            )
        )
        for run in sorted(data.glob("iogauge/runs/*.jsonl"))
    ]


def pictured(text: str, page: Path, lesson: str, exports: list[Export]) -> str:
    """The page with its picture of the last run, if it has one; writes that beside the page."""
    says = DECLARED[lesson].get("picture")
    if not says or not exports:
        return text
    picture = page.with_suffix(".svg")
    picture.write_bytes(short.picture_of(exports[-1]))
    return PICTURE.sub("", text).replace(MEANS, f"![{says}]({picture.name})\n\n{MEANS}")


def ended(text: str, lesson: str, exports: list[Export]) -> str:
    """The page with what these runs show as its last paragraph."""
    try:
        says = ending(lesson, exports)
    except LookupError as error:
        says = f"They lack what the lesson compares: {error.args[0]}."
    return f"{ENDING.sub('', text).rstrip()}\n\n{SHOWS}{says}\n"


def main(numbers: list[str]) -> None:
    for page in pages():
        if not numbers or page.name.partition("-")[0].lstrip("0") in numbers:
            page.write_text(measured(page))
            print(page.name)


if __name__ == "__main__":
    main(sys.argv[1:])
