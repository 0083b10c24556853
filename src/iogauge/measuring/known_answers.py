"""What two ways take, as it was measured here within a day: a question that is asked again needs no
new measurement. Each answer has a file of its own in the data folder, whose name follows from all
that it depends on: another kernel, device, runtime or build of a runner has another file.
"""

from __future__ import annotations

import datetime
import hashlib
import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from iogauge.model import folders
from iogauge.model.noun import Noun
from iogauge.model.watched import Difference

KEPT = 86_400.0
"""s: An older answer does not count."""


class _Kept(Noun):
    measured: str
    answer: Difference


def path_of(depends_on: dict[str, Any]) -> Path:
    """Where the answer is, or would be, that depends on these values of JSON."""
    text = json.dumps(depends_on, sort_keys=True)
    return folders.two_ways() / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"


def find(path: Path) -> Difference | None:
    """The answer of a file, if it is recent."""
    try:
        kept = _Kept.model_validate_json(path.read_bytes())
        age = (_now() - datetime.datetime.fromisoformat(kept.measured)).total_seconds()
    except (OSError, ValidationError, ValueError, TypeError):
        return None
    return kept.answer if 0 <= age <= KEPT else None


def keep(path: Path, answer: Difference) -> None:
    kept = _Kept(measured=_now().isoformat(timespec="seconds"), answer=answer)
    folders.keep(path, kept.model_dump_json())


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)
