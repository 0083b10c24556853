"""What figures are drawn of an export, and what they say: documents made by hand."""

from __future__ import annotations

import pytest
from altair.vegalite.v6.schema.core import TopLevelLayerSpec
from jsonschema import ValidationError

from iogauge.model.plan import ReplicateId
from iogauge.outputs import contract
from iogauge.outputs.html import charts, drawing, figures
from iogauge.outputs.html.figures import schedule
from iogauge.outputs.side_by_side import state_name
from iogauge.runfile.records import Caveat, in_replicate
from tests.reports import ROLES
from tests.runs import empty_run, end_replicate

MIB = 1 << 20
NOT_KNOWN = dict.fromkeys(("ratio", "lo", "hi", "outcome"))


def case(
    strategy,
    ms,
    *,
    size=MIB,
    runtime="x-1",
    operation="read",
    conditions=None,
    vs_best=None,
    **params,
):
    """One that was measured, `ms` per MiB."""
    ns = ms * 1e6 * size / MIB
    workload = {"operation": operation, "size": size, "content": "bytes", "consume": "touch"}
    label = " ".join([strategy, "/".join(map(str, params.values()))]).strip()
    return {
        "key": f"{label} {size} {runtime}",
        "strategy": strategy,
        "language": strategy.partition("/")[0],
        "label": label,
        "params": params,
        "roles": {name: ROLES[name] for name in params},
        "runtime": runtime,
        "options": [],
        "workload": {**workload, "mode": None, "medium": "file", "accesses": None},
        "conditions": conditions or {"cache": "warm", "durability": None, "lifetime": None},
        "ns_per_op": {"center": ns, "lo": ns, "hi": ns},
        "bytes_per_s": dict.fromkeys(("center", "lo", "hi"), size / ns * 1e9),
        "of_ceiling": None,
        **dict.fromkeys(("best", "eliminated", "impossible"), False),
        "vs_best": vs_best or NOT_KNOWN,
        "vs_baseline": NOT_KNOWN,
    }


def group(identifier, *cases, knees=(), **more):
    return {
        "id": identifier,
        "question": "Which?",
        "title": "",
        "cases": list(cases),
        "knees": list(knees),
        "suspended": False,
        "ceiling": None,
        "baseline": None,
        **more,
    }


def document(*groups, published=()):
    plain = {
        "runs": [{"id": "r", "protocol": "sound"}],
        "groups": list(groups),
        "published": list(published),
    }
    return contract.read(plain)


def knee(strategy, best, near, parameter="block", **others):
    return {
        "strategy": strategy,
        "setting": "x-1",
        "others": others,
        "parameter": parameter,
        "values": [],
        "best": best,
        "level": [],
        "near": near,
    }


def of_kind(figure, kind):
    return [row for row in figure.rows if row["kind"] == kind]


def test_a_ring_stands_on_a_line_whose_fastest_point_is_of_its_sweep():
    slow = [case("x/a", ms, block=block) for block, ms in ((1, 9), (32, 5.1), (64, 5))]
    fast = case("x/b", 1, block=256)
    (alone,) = figures.blocks(document(group("g", *slow, knees=[knee("x/a", 64, 32)])))
    (ring,) = of_kind(alone, "knee")
    assert (ring["at"], ring["label"]) == (
        32,
        "x/a 32: smallest value tried that is within 5 % of this sweep's best",
    )
    assert "A ring is the smallest value tried" in alone.says
    (together,) = figures.blocks(document(group("g", *slow, fast, knees=[knee("x/a", 64, 32)])))
    assert of_kind(together, "knee") == [] and "ring" not in together.says


def test_of_a_ceiling_nothing_is_said_where_there_is_none():
    cases = case("x/a", 1), case("x/b", 2)
    ceiling = {"least": 8e9, "most": 9e9, "strategy": "rust/x", "runtime": "rust-1"}
    ceiling["bytes_per_s"] = 9e9
    for known, says, column, layers in (
        (None, "interval.", "throughput", 2),
        (ceiling, "the dashed line is the ceiling.", "of the ceiling", 3),
    ):
        (figure,) = figures.rankings(document(group("g", *cases, ceiling=known)))
        assert figure.says.endswith(says) and figure.columns[-1].title == column
        assert len(figure.spec["layer"]) == layers


def test_a_point_without_an_interval_is_explained():
    (figure,) = figures.rankings(document(group("g", case("x/a", 1), case("x/b", 2), ceiling=None)))
    assert "seldom" not in figure.says
    alone = {**case("x/b", 2), "ns_per_op": {"center": 2e6, "lo": None, "hi": None}}
    (figure,) = figures.rankings(document(group("g", case("x/a", 1), alone, ceiling=None)))
    assert figure.says.endswith("interval, which a point alone was measured too seldom for.")


def test_groups_are_not_merged_into_one_line():
    first, second = (
        [case("x/a", ms, block=block) for block, ms in values]
        for values in (((1, 9), (2, 8), (4, 7)), ((2, 4), (8, 3)))
    )
    (figure,) = figures.blocks(document(group("g", *first), group("h", *second)))
    assert [(row["group"], row["at"]) for row in figure.rows if row["at"] == 2] == [
        ("g", 2),
        ("h", 2),
    ]
    more = group("h", *second, case("x/a", 1, block=16), question="And which else?")
    other = figures.blocks(document(group("g", *first), more))
    assert [each.says.partition("?")[0] for each in other] == ["Which", "And which else"]


def test_two_blocks_are_enough_where_there_is_nothing_better():
    two, three = ([case("x/a", ms, block=ms) for ms in range(1, 1 + count)] for count in (2, 3))
    (figure,) = figures.blocks(document(group("two", *two)))
    assert {row["at"] for row in figure.rows} == {1, 2}
    more = group("three", *three, question="Of three?")
    (figure,) = figures.blocks(document(group("two", *two), more))
    assert {row["at"] for row in figure.rows} == {1, 2, 3}


def test_blocks_and_buffers_are_not_mixed():
    """Records written with a buffer and without are no points of a line."""
    records = [case("x/buffered", 1, block=100, buffer=8192), case("x/plain", 50, block=100)]
    assert figures.blocks(document(group("records", *records))) == []
    more = [
        case("x/buffered", 2, block=100, buffer=512),
        case("x/buffered", 3, block=4096, buffer=1024),
    ]
    figure = next(
        each
        for each in figures.blocks(document(group("records", *records, *more)))
        if each.title.startswith("Time per MiB over the buffer")
    )
    assert {row["at"] for row in figure.rows} == {512, 8192}, (
        "a block beyond the buffer goes past it"
    )
    bound = [case("x/buffered", ms, block=ms, buffer=ms) for ms in (1, 2, 3)]
    (figure,) = figures.blocks(document(group("bound", *bound)))
    assert figure.title.startswith("Time per MiB over the block")


def test_published_points_stand_beside_a_sound_line_of_the_same_workload_and_strategy():
    cases = [case("x/a", ms, block=ms) for ms in (1, 2, 3)]
    cell = {
        "group": "as-published",
        "table": "Theirs",
        "strategy": "x/a",
        "params": {"block": 2},
        "size": MIB,
        "along": None,
        "value": 7.0,
        "error": None,
        "unit": "ms",
        "approximate": False,
        "workload": cases[0]["workload"],
        "conditions": cases[0]["conditions"],
        "ns_per_op": 7e6,
        "doubtful": False,
        "measured": [],
    }
    others = [
        cell | {"group": "h"},
        cell | {"strategy": "x/published-a"},
        cell | {"doubtful": True},
        cell | {"workload": cell["workload"] | {"consume": "sum"}},
        cell | {"conditions": cell["conditions"] | {"cache": "cold"}},
    ]
    (figure,) = figures.blocks(document(group("g", *cases), group("h"), published=[cell, *others]))
    (point,) = of_kind(figure, "published")
    found = point["at"], point["per_mib"], point["label"]
    assert found == (2, 7e6, "x/a 2, published") and "Grey points" in figure.says


def test_all_conditions_are_told():
    states = [
        {"cache": None, "durability": durability, "lifetime": lifetime}
        for durability, lifetime in (
            ("none", "operation"),
            ("fsync", "operation"),
            ("fsync", "run"),
        )
    ]
    groups = [
        group(
            f"g{place}",
            *(case("x/a", ms, operation="write", conditions=each, block=ms) for ms in (1, 2)),
        )
        for place, each in enumerate(states)
    ]
    (figure,) = figures.blocks(document(*groups))
    assert list(dict.fromkeys(row["state"] for row in figure.rows)) == [
        "fsync, a file per operation",
        "fsync, a file per run",
        "not made durable, a file per operation",
    ]
    both = {"cache": "cold", "durability": "fsync", "lifetime": "operation"}
    copied = case("x/a", 1, operation="copy", conditions=both)
    (copied,) = document(group("g", copied)).groups[0].cases
    assert state_name(copied.workload, copied.conditions) == "cold, fsync, a file per operation"


def crossing(outcome, **of_large):
    """a is faster in small files, and b in large ones, where that is decided."""
    small, large = 1024, MIB
    behind = {"ratio": 2.0, "lo": 1.5, "hi": 2.5}
    of_a = behind | {"outcome": outcome, "reference": f"x/b {large} x-1"}
    of_b = behind | {"outcome": "slower", "reference": "x/a 1024 x-1"}
    return document(
        group("small", case("x/a", 1, size=small), case("x/b", 2, size=small, vs_best=of_b)),
        group(
            "large",
            case("x/a", 2, size=large, vs_best=of_a),
            case("x/b", 1, size=large),
            **of_large,
        ),
    )


def test_those_that_change_places_over_the_size_are_named_where_both_sides_are_decided():
    (figure,) = figures.over_size(crossing("slower"))
    assert "They change places: x/a is faster than x/b at 1K and slower at 1M." in figure.says
    (figure,) = figures.over_size(crossing("undecided"))
    assert "change places" not in figure.says
    (figure,) = figures.over_size(crossing("slower", suspended=True))
    assert "change places" not in figure.says
    assert (
        "No valid comparison of what was measured at 1 MiB: the A/A control differs from its baseline there."
        in figure.says
    )


def test_suspended_states_are_named_over_blocks():
    cases = [case("x/a", ms, block=ms) for ms in (1, 2, 3)]
    (figure,) = figures.blocks(document(group("g", *cases, suspended=True)))
    assert "No valid comparison of what was measured in the state warm" in figure.says


def test_runtimes_of_a_language_are_told_apart_over_sizes():
    sizes = [
        group(
            f"g{size}", *(case("x/a", 1, size=size, runtime=runtime) for runtime in ("x-1", "x-2"))
        )
        for size in (1024, MIB)
    ]
    (figure,) = figures.over_size(document(*sizes))
    assert {row["name"] for row in figure.rows} == {
        "x/a @x-1",
        "x/a @x-2",
    } and '"field": "name"' in str(figure.spec).replace("'", '"')


def test_caveats_stand_on_the_time_line_or_under_it(fake):
    run = empty_run(fake, 10)
    end_replicate(run, 0)
    run.add(Caveat(about="run", text="a cloud passed", **in_replicate(ReplicateId(0, 0, 0))))
    about = run.plan.cases[0].key
    run.add(Caveat(about=about, text="of none", **in_replicate(ReplicateId(0, 7, 0))))
    run.add(Caveat(about="run", text="it rains"))
    (figure,) = schedule(run)
    (mark,) = of_kind(figure, "caveat")
    assert (mark["what"], mark["middle"]) == ("a cloud passed", 0.5)
    assert (
        f"Noted outside of all replicates: {run.plan.cases[0].label}: of none; it rains."
        in figure.says
    )


@pytest.mark.parametrize(
    "spec",
    [
        charts.blocks("block", {"ceiling", "published", "measured", "knee"}, [1024, 4096]),
        charts.ranking(5, ceiling=True),
        charts.side_by_side(3, 2),
        charts.over_size([1, 1024]),
        charts.dumbbells(4),
        charts.strip(3),
        charts.schedule(3),
    ],
)
def test_charts_are_what_the_schema_of_vega_lite_allows(spec):
    TopLevelLayerSpec.from_dict(spec, validate=True)
    spec["layer"][0]["mark"]["type"] = "smudge"
    with pytest.raises(ValidationError):
        TopLevelLayerSpec.from_dict(spec, validate=True)


@pytest.mark.parametrize("ground", [drawing.LIGHT["ground"], drawing.DARK["ground"]])
def test_colours_are_seen_on_light_and_on_dark(ground):
    for colour in (*drawing.MORE_COLOURS, drawing.GREY):
        dark, light = sorted((luminance(colour), luminance(ground)))
        assert (light + 0.05) / (dark + 0.05) >= 3, colour


def luminance(colour):
    """As the guidelines for contrast on the web define it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
