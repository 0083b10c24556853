"""How cases are named for people."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from iogauge.model.case import Variant, worth_showing
from iogauge.model.strategy import Strategy
from tests.reports import declared, parameter

STREAM = declared("x/stream", ["block"], call="Stream.read")
BUFFERED = declared("x/buffered", ["buffer", "block"], call="Buffered.read")
LINES = declared("x/lines", ["buffer"], call="Buffered.readLine")
WHOLE = declared("x/whole", call="readAll")
MAPPED = declared(
    "x/mapped",
    call="map",
    parameters={
        "populate": parameter("populate", default=0, min=0, max=1),
        "threads": parameter("threads", default=1),
    },
)
PIECES = {"block": parameter("block"), "depth": parameter("depth", default=8)}
RING = declared("x/ring", call="ring", parameters=PIECES)


def variant(strategy: Strategy, **parameters: int) -> Variant:
    return Variant(strategy=strategy.name, parameters=parameters, runtime="x-1.0")


@pytest.mark.parametrize(
    ("strategy", "parameters", "says"),
    [
        (WHOLE, {}, "readAll"),
        (STREAM, {"block": 128 << 10}, "Stream.read 128K"),
        (STREAM, {"block": 8192}, "Stream.read 8K"),  # a program has to choose it
        (LINES, {"buffer": 8192}, "Buffered.readLine"),
        (LINES, {"buffer": 64 << 10}, "Buffered.readLine 64K"),
        (BUFFERED, {"buffer": 64 << 10, "block": 100}, "Buffered.read 64K, pieces of 100 bytes"),
        (BUFFERED, {"buffer": 8192, "block": 100}, "Buffered.read, pieces of 100 bytes"),
        (MAPPED, {"populate": 0, "threads": 1}, "map"),
        (MAPPED, {"populate": 1, "threads": 4}, "map, populate, 4 threads"),
        (RING, {"block": 1 << 20, "depth": 32}, "ring 1M, 32 in flight"),
        (declared("x/new", ["zoom"], call="new"), {"zoom": 3}, "new, zoom 3 bytes"),
    ],
)
def test_a_case_alone(strategy, parameters, says):
    assert variant(strategy, **parameters).display(strategy) == says


def test_chosen_parameters_are_shown_and_no_others():
    case = variant(MAPPED, populate=1, threads=1)
    assert case.display(MAPPED, {"threads"}) == "map, 1 thread"
    assert case.display(MAPPED, ()) == "map"


def test_a_switch_that_is_on_by_default_says_that_it_is_off():
    switched = declared("x/s", call="s", parameters={"populate": parameter("populate", default=1)})
    assert variant(switched, populate=0).display(switched) == "s, no populate"
    assert variant(switched, populate=1).display(switched) == "s"


PIECE, RINGED = {"block": 4096}, {"block": 4096, "depth": 8}


@pytest.mark.parametrize(
    ("cases", "says"),
    [
        # What all share is left out.
        ([(STREAM, PIECE), (RING, RINGED)], ["Stream.read", "ring"]),
        (
            [(BUFFERED, {"buffer": 4096, "block": 100}), (LINES, {"buffer": 4096})],
            ["Buffered.read, pieces of 100 bytes", "Buffered.readLine"],
        ),
        # What varies is shown at its default too.
        (
            [(LINES, {"buffer": 8192}), (LINES, {"buffer": 65536}), (WHOLE, {})],
            ["Buffered.readLine 8K", "Buffered.readLine 64K", "readAll"],
        ),
        # What only some have is shown where it tells something.
        ([(LINES, {"buffer": 8192}), (WHOLE, {})], ["Buffered.readLine", "readAll"]),
        ([(LINES, {"buffer": 4096}), (WHOLE, {})], ["Buffered.readLine 4K", "readAll"]),
        ([(STREAM, {"block": 8192}), (WHOLE, {})], ["Stream.read 8K", "readAll"]),
    ],
)
def test_cases_beside_each_other(cases, says):
    made = [(variant(strategy, **parameters), strategy) for strategy, parameters in cases]
    shown = worth_showing(made)
    assert [case.display(strategy, shown) for case, strategy in made] == says


def test_strategies_of_old_run_files_are_known_by_their_title():
    told = STREAM.model_dump(exclude={"call"}) | {"title": "Stream, read into a block"}
    assert Strategy.model_validate(told).known_as == "Stream, read into a block"
    assert STREAM.known_as == "Stream.read"


def test_a_name_is_short():
    with pytest.raises(ValidationError, match="call"):
        declared("x/a", call="x" * 35)
