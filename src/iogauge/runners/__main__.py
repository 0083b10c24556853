"""Build every runner whose toolchain is here: `python -m iogauge.runners`, for `make setup`."""

from __future__ import annotations

import sys
import textwrap

from iogauge.model.errors import UserError
from iogauge.model.text import for_stream
from iogauge.runners.preparing import prepare


def main() -> int:
    """Returns the exit status: 2 where no runner can be used."""
    try:
        ready, missing = prepare({}, lambda text: print(for_stream(text, sys.stdout), flush=True))
    except UserError as error:
        print(for_stream(f"iogauge: {error}", sys.stderr), file=sys.stderr)
        return 2
    for each in missing:
        print(for_stream(each.why, sys.stderr), file=sys.stderr)
    if not ready:
        print("iogauge: no language can be measured here", file=sys.stderr)
        return 2
    names = f"ready: {', '.join(each.runtime.name for each in ready)}"
    print(textwrap.fill(names, 80, subsequent_indent="  ", break_on_hyphens=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
