"""What the first word of a command line is: a command, or a file."""

from __future__ import annotations

import os
from typing import Any

from typer.core import TyperGroup

FILE = "FILE"
"""The name of the command that takes a file and has no word of its own."""


class Words(TyperGroup):
    """The commands by their names. Any other word that is there as a file, or looks like the path
    of one, is `iogauge FILE`.
    """

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        word = args[0]
        if word not in self.commands and (os.path.lexists(word) or os.sep in word or "." in word):
            args = [FILE, f"./{word}" if word.startswith("-") else word, *args[1:]]
        return super().resolve_command(ctx, args)
