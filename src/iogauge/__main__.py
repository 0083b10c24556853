"""`python -m iogauge` is the command line."""

from iogauge.commands.cli import main

if __name__ == "__main__":
    main()
