"""Files of format 6: the same facts under older names. From format 7 on nothing is renamed."""

from __future__ import annotations

from typing import Any

from iogauge.model.caveats import CaveatKind

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
_RENAMED_VALUES = {"record", "role"}
"""Keys whose value is a word that was renamed, too."""
_CAVEATS: dict[str, CaveatKind] = {
    "the CPU quota ": "cpu-quota",
    "this processor takes ": "slow-alignment",
    "it returns something else than ": "other-result",
    "it does not return the same each time": "changing-result",
}
"""How the texts of caveats began that have a kind now."""
_WHOLE_LANGUAGE = "/*"
_CONTROL = " twin"  # ended the key of a case


def renamed(found: Any) -> Any:
    """A header or a record of format 6 as format 7 has it."""
    if isinstance(found, list):
        return [renamed(each) for each in found]
    if not isinstance(found, dict):
        return found
    made = {_KEYS.get(key, key): renamed(value) for key, value in found.items()}
    words = {key: made[key] for key in _RENAMED_VALUES & made.keys() if isinstance(made[key], str)}
    made |= {key: _KEYS.get(word, word) for key, word in words.items()}
    about = made.get("about")
    if isinstance(about, str) and about.endswith(_CONTROL):
        made["about"] = f"{about.removesuffix(_CONTROL)} control"
    if made.get("record") == "caveat" and "kind" not in made:
        text = str(made.get("text"))
        made["kind"] = next((kind for old, kind in _CAVEATS.items() if text.startswith(old)), None)
    what = made.get("what")
    if "why" in made and isinstance(what, str) and what.endswith(_WHOLE_LANGUAGE):
        made["language"] = what.removesuffix(_WHOLE_LANGUAGE)  # skipped as a whole
    return made
