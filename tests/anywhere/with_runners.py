"""iogauge with these runners only: `with_runners.py FOLDER… -- ARGUMENT…`."""

import sys
from pathlib import Path

from iogauge.commands import cli
from iogauge.runners import manifest

if __name__ == "__main__":
    end = sys.argv.index("--")
    runners = [manifest.load(Path(each)) for each in sys.argv[1:end]]
    manifest.all_runners = lambda: runners
    sys.argv[1 : end + 1] = []
    cli.main()
