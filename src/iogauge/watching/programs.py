"""What to change on the command line of well-known programs, whose source the user does not change:
programs.toml.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from iogauge.model.errors import UserError, first_problem
from iogauge.model.watched import Change, FindingKind

NOTHING: Literal["nothing"] = "nothing"
"""Of a program that is known, and has no option for that."""
Nothing = Literal["nothing"]

_NAME = "programs.toml"


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _ChangeTable(_Table):
    kinds: Annotated[list[FindingKind], Field(min_length=1)]
    text: Annotated[str, Field(min_length=1)]
    code: str


class _ProgramTable(_Table):
    names: Annotated[list[str], Field(min_length=1)]
    change: list[_ChangeTable] = []


class _File(_Table):
    program: list[_ProgramTable]

    @model_validator(mode="after")
    def _names_are_there_once(self) -> _File:
        names = [name for each in self.program for name in each.names]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"{twice} is named twice")
        return self


Known = dict[str, dict[FindingKind, Change]]
"""By the name of a program and the kind of a finding."""


def parse(text: str, name: str) -> Known:
    """The programs of a text that errors call `name`. Raises UserError, in one line."""
    try:
        found = _File.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{name}: not TOML: {error}") from None
    except ValidationError as error:
        raise UserError(f"{name}: {first_problem(error)}") from None
    return {
        program: {
            kind: Change(text=row.text, code=row.code) for row in each.change for kind in row.kinds
        }
        for each in found.program
        for program in each.names
    }


def change(name: str, kind: FindingKind) -> Change | Nothing | None:
    """What to change where a program of this name (`tar`) has such a finding. `nothing` where it
    is known and cannot be changed from outside; None where the program is not known.
    """
    program = _known().get(name)
    return None if program is None else program.get(kind, NOTHING)


@cache
def _known() -> Known:
    path = resources.files("iogauge.watching") / _NAME
    return parse(path.read_text("utf-8"), _NAME)
