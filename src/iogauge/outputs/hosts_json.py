"""What is known over hosts as JSON (docs/export-json.md)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from iogauge.analysis.hosts import Cell, OnOne, SetOverHosts
from iogauge.decision.hosts import GoesWith, OverHosts
from iogauge.outputs import headings, versions_over_hosts
from iogauge.outputs.advice_over_hosts import AdvisedOverHosts
from iogauge.outputs.hosts import OverHostsDocument
from iogauge.outputs.versions_over_hosts import finite

_VERSION = 1


def render(document: OverHostsDocument | AdvisedOverHosts) -> str:
    found = _advised(document) if isinstance(document, AdvisedOverHosts) else _of(document)
    return json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False)


def _of(document: OverHostsDocument) -> dict[str, Any]:
    hosts = document.hosts
    versions, told = hosts.versions, document.versions
    return {
        "iogauge_hosts": _VERSION,
        "title": document.title,
        "missing": dict(document.missing),
        "hosts": [
            {
                "name": each.name,
                "run": each.id,
                "study": each.study,
                "started": each.started,
                "complete": each.complete,
                "facts": dict(each.facts),
            }
            for each in hosts.runs
        ],
        "questions": [] if versions else [_set(each) for each in hosts.sets],
        "versions": versions_over_hosts.as_json(versions, told) if versions and told else None,
    }


def _advised(document: AdvisedOverHosts) -> dict[str, Any]:
    return {
        "iogauge_hosts": _VERSION,
        "title": document.title,
        "missing": dict(document.missing),
        "hosts": [{"name": each} for each in document.names],
        "questions": [{**_set(each.found), "code": each.hint} for each in document.advice],
    }


def _set(found: SetOverHosts) -> dict[str, Any]:
    return {
        "group": found.asked.id,
        "question": headings.label(found.asked),
        "of": found.called,
        "use": found.use.key if found.use else None,
        "name": found.use.name if found.use else None,
        "holds": found.holds,
        "tolerance": found.asked.tolerance,
        "ways": [{"key": each.key, "name": each.name} for each in found.ways],
        "hosts": [_host(each) for each in found.hosts],
        "over_use": {way: _ratio(each) for way, each in found.over_use.items()},
        "rival": found.rival.key if found.rival else None,
        "goes_with": _goes_with(found.goes_with),
        "worst": found.worst.host if found.worst else None,
    }


def _host(on: OnOne) -> dict[str, Any]:
    return {
        "host": on.host,
        "kind": on.kind,
        "use": on.use,
        "sure": on.sure,
        "budget": on.budget,
        "costs": {way: _cell(each) for way, each in on.cells.items()},
    }


def _cell(cell: Cell) -> dict[str, Any]:
    return {"ratio": cell.cost, "lo": cell.lo, "hi": cell.hi}


def _ratio(found: OverHosts) -> dict[str, Any]:
    told = {name: finite(value) for name, value in found.ratios._asdict().items()}
    return {"ratio": told.pop("center"), **told, "hosts": found.hosts}


def _goes_with(found: Sequence[GoesWith]) -> list[dict[str, Any]]:
    return [
        {
            "facts": list(each.facts),
            "chance": each.chance,
            "parts": [{"values": list(values), **_ratio(ratio)} for values, ratio in each.parts],
        }
        for each in found
    ]
