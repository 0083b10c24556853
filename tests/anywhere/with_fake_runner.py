"""iogauge with the fake runner only: nothing has to be built, and no toolchain to be there.

With `--in-turn WORDS`, several commands in one process, because that is quicker: the words of each
as JSON. A line with a form feed follows the output of each; the last line has the status of each.
"""

import json
import sys
from pathlib import Path

from iogauge.commands import cli
from iogauge.runners import manifest

FAKE = manifest.load(Path(__file__).parents[1] / "runners" / "fake")


def in_turn(commands: list[list[str]]) -> None:
    ended = []
    for words in commands:
        sys.argv[1:] = words
        try:
            cli.main()
        except SystemExit as end:
            ended.append((words[0], end.code))
        print("\f", flush=True)
    print(json.dumps(ended))


if __name__ == "__main__":
    manifest.all_runners = lambda: [FAKE]
    if sys.argv[1:2] == ["--in-turn"]:
        in_turn(json.loads(sys.argv[2]))
    else:
        cli.main()
