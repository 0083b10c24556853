"""What parameters declare, and that nobody in the package knows one by its name."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from iogauge.model.strategy import UNITS, Parameter
from tests.reports import declared, parameter

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "iogauge"
NOT_PARAMETERS = {
    "outputs.jmh": {"threads"},  # a key of JMH
    "runfile.imports.jmh": {"threads"},
    "model.strategy": {"block"},  # what a program handles at a time
    "runfile.bulk": {"threads"},  # of the database
    "history.database": {"threads"},
    # A verdict on a case:
    "decision.verdict": {"ahead"},
    "outputs.phrases": {"ahead"},
    "outputs.sentences": {"ahead"},
}
"""Words of other meanings, by module."""


CHUNKED = {"workers": "threads", "chunk": "block", "zoom": "buffer"}
CHUNKED = declared("x/a", parameters={name: parameter(role) for name, role in CHUNKED.items()})


def names_of_parameters() -> set[str]:
    """Every name that one of our runners declares."""
    catalogues = [json.loads(path.read_text()) for path in ROOT.glob("runners/*/catalogue.json")]
    strategies = [each for found in catalogues for each in found["strategies"]]
    return {name for each in strategies for name in each.get("parameters", {})}


def by_name(source: str, names: set[str]) -> set[str]:
    """Those of the names that a program looks up in parameters, or just uses as a text that is no
    role.
    """
    found = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Subscript(value=of, slice=ast.Constant(value=str(name))):
                pass
            case ast.Call(func=ast.Attribute(value=of), args=[ast.Constant(value=str(name)), *_]):
                pass
            case ast.Compare(left=ast.Constant(value=str(name)), comparators=[of]):
                pass
            case ast.Constant(value=str(name)) if name not in UNITS:
                of = None
            case _:
                continue
        if name in names and (of is None or ast.unparse(of).endswith(("parameters", "params"))):
            found.add(name)
    return found


def test_no_module_knows_a_parameter_by_name():
    names, wrong = names_of_parameters(), {}
    assert {"block", "buffer", "threads", "depth", "lasting", "preallocate"} <= names
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        # Help texts give examples, and languages have words of their own.
        if not module.startswith(("commands.", "sources.languages.")):
            wrong[module] = by_name(path.read_text(), names) - NOT_PARAMETERS.get(module, set())
    assert not {module: found for module, found in wrong.items() if found}


@pytest.mark.parametrize(
    "source",
    [
        'case.parameters["buffer"]',
        'parameters.get("buffer", 1)',
        '"buffer" in strategy.parameters',
        'row["params"].get("chunk")',
        'NAMES = ("chunk", 1)',
    ],
)
def test_the_use_of_a_name_is_seen(source):
    names = {"buffer", "chunk"}
    assert by_name(source.replace('row["params"]', "row.params"), names)
    assert not by_name(source.replace("buffer", "other").replace("chunk", "other"), names)
    assert not by_name('strategy.value("buffer", case.parameters, 1)', names), "that is a role"


def test_a_value_is_found_by_its_role():
    given = {"zoom": 1, "chunk": 2, "workers": 3}
    found = [CHUNKED.value(role, given, otherwise=0) for role in ("buffer", "piece", "parallel")]
    assert found == [1, 2, 3]
    assert CHUNKED.value("depth", given, otherwise=7) == 7
    assert CHUNKED.value("depth", given, otherwise=None) is None
    assert CHUNKED.parameter("piece") == "chunk" and CHUNKED.parameter("depth") is None


def test_values_are_shown_in_the_order_of_their_roles():
    given = {"chunk": 2, "workers": 3, "zoom": 1}
    assert list(CHUNKED.ordered(given).items()) == [("zoom", 1), ("chunk", 2), ("workers", 3)]


@pytest.mark.parametrize("missing", ["unit", "role"])
def test_unit_and_role_are_required(missing):
    given = {"default": 1, "min": 1, "max": 2, "unit": "bytes", "role": "piece"}
    assert Parameter(**given).role == "piece"
    with pytest.raises(ValidationError, match=missing):
        Parameter(**{key: value for key, value in given.items() if key != missing})


def test_the_most_special_occasion_decides_what_is_tried():
    found = parameter("block", tried={"warm": (1, 2), "synchronous": (3,)})
    assert found.to_try(["synchronous", "device", "warm"]) == (3,)
    assert found.to_try(["device", "warm"]) == (1, 2)
    assert parameter("block", default=5).to_try(["warm"]) == (5,)
