"""Files of format 6: the same facts under older names. From format 7 on nothing is renamed."""

from __future__ import annotations

from typing import Any

FORMAT = 6
_KEYS = {
    "twin": "control",
    "companion": "compute_only",
    "companion_replicates": "compute_only_replicates",
    "companion_warm_up": "compute_only_warm_up",
    "companion_spans": "compute_only_spans",
    "companion_span": "compute_only_span",
    "companion_bytes": "compute_only_bytes",
    "rested": "untouched",
}
_KINDS = {"record", "role"}
"""Keys whose value is a word that was renamed, too."""
_CONTROL = " twin"  # ended the key of a case


def renamed(found: Any) -> Any:
    """A header or a record of format 6 as format 7 has it."""
    if isinstance(found, list):
        return [renamed(each) for each in found]
    if not isinstance(found, dict):
        return found
    made = {_KEYS.get(key, key): renamed(value) for key, value in found.items()}
    words = {key: made[key] for key in _KINDS & made.keys() if isinstance(made[key], str)}
    made |= {key: _KEYS.get(word, word) for key, word in words.items()}
    about = made.get("about")
    if isinstance(about, str) and about.endswith(_CONTROL):
        made["about"] = f"{about.removesuffix(_CONTROL)} control"
    return made
