"""iogauge with the fake runner only, several commands in one process, because that is quicker: the
words of each as JSON. A line with a form feed follows what each said; the last line says the status
with which each ended.
"""

import json
import sys

from with_fake_runner import FAKE

from iogauge.commands import cli
from iogauge.runners import manifest

if __name__ == "__main__":
    manifest.all_runners = lambda: [FAKE]
    ended = []
    for words in json.loads(sys.argv[1]):
        sys.argv[1:] = words
        try:
            cli.main()
        except SystemExit as end:
            ended.append((words[0], end.code))
        print("\f", flush=True)
    print(json.dumps(ended))
