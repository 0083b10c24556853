"""What all nouns have in common: they are frozen, and unknown keys are refused."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Noun(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
