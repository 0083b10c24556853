"""A whole command that is measured as a black box."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from iogauge.model.noun import Noun

Output = Literal["null", "pipe"]


class Words(Noun):
    """An argument list with `{file}` and parameters left open. With `shell` the last word is a text
    for a shell, where a path has to be quoted.
    """

    words: Annotated[tuple[str, ...], Field(min_length=1)]
    shell: bool = False


class Command(Noun):
    """What a strategy runs once for each operation, as `run`; nobody can know what that reads.

    `text` is what the user wrote. `prepare` runs before each operation, untimed. What takes longer
    than `limit` seconds is ended. `output` says where the command writes to: the null device, or a
    pipe that is emptied. With `any_status` it does not fail by its exit status.
    """

    text: str
    run: Words
    prepare: Words | None = None
    limit: Annotated[float, Field(gt=0)] = 60.0
    output: Output = "null"
    any_status: bool = False
