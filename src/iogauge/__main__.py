"""`iogauge` and `python -m iogauge`: the command line. From its first import on, Ctrl-C ends it
without a word, and so does a polite kill, or a terminal that is closed.
"""

import signal
import sys

from iogauge.commands.exits import INTERRUPTED


def main() -> None:
    try:
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)  # not everywhere
            if number and signal.getsignal(number) is signal.SIG_DFL:  # nohup ignores it
                signal.signal(number, _interrupt)
        from iogauge.commands import cli

        cli.main()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    finally:  # nothing is left to be interrupted: what comes now ends the process at once
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
