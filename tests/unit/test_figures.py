"""What figures are drawn of an export, and what they say: documents made by hand."""

from __future__ import annotations

import base64
import gzip
import sys
from functools import cache

import pytest
import vl_convert
from altair.vegalite.v6.schema.core import TopLevelLayerSpec
from jsonschema import ValidationError
from msgspec.structs import replace

from iogauge.advice.explanations import Knee
from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.model.plan import ReplicateId
from iogauge.model.workload import Conditions, Workload
from iogauge.outputs.contract import Ceiling, Export, Level, Published, RatioToCase
from iogauge.outputs.html import charts, drawing, figures, vega
from iogauge.outputs.side_by_side import state_name
from iogauge.runfile.records import Caveat, in_replicate
from tests.reports import ROLES
from tests.runs import empty_run, end_replicate
from tests.unit.test_cards import RUN, case, group

MIB = 1 << 20
WARM = Conditions(cache="warm")


def measured(name, ms, *, size=MIB, conditions=WARM, operation="read", **more):
    """A case `ms` per MiB; what else is given is a parameter, unless it is a field of a case."""
    ns = ms * 1e6 * size / MIB
    params = {key: more.pop(key) for key in ROLES.keys() & more.keys()}
    label = " ".join([name, "/".join(map(str, params.values()))]).strip()
    runtime = more.setdefault("runtime", "x-1")
    return case(
        name,
        None,
        **{"key": f"{label} {size} {runtime}", "label": label, "display": None, "params": params},
        roles={name: ROLES[name] for name in params},
        workload=Workload(operation=operation, size=size),
        conditions=conditions,
        ns_per_op=Level(center=ns, lo=ns, hi=ns),
        bytes_per_s=Level(**dict.fromkeys(("center", "lo", "hi"), size / ns * 1e9)),
        **more,
    )


def in_group(name, *cases, **more):
    return replace(group(*cases, name=name), **more)


def over_block(strategy, *times, **more):
    """Cases by the block, from 1, or from (block, ms) each."""
    pairs = [each if isinstance(each, tuple) else (each, each) for each in times]
    return [measured(strategy, ms, block=block, **more) for block, ms in pairs]


def document(*groups, published=()):
    return Export(runs=(RUN,), groups=groups, published=tuple(published))


def of_kind(figure, kind):
    return [row for row in figure.rows if row["kind"] == kind]


def test_a_ring_stands_on_a_line_whose_fastest_point_is_of_its_sweep():
    slow = over_block("x/a", (1, 9), (32, 5.1), (64, 5))
    fast = measured("x/b", 1, block=256)
    knees = (Knee("x/a", "x-1", {}, "block", (), 64, (), 32),)
    (alone,) = figures.blocks(document(in_group("g", *slow, knees=knees)))
    (ring,) = of_kind(alone, "knee")
    says = "x/a 32: smallest value tried that is within 5 % of this sweep's best"
    assert (ring["at"], ring["label"]) == (32, says)
    assert "A ring is the smallest value tried" in alone.says
    (together,) = figures.blocks(document(in_group("g", *slow, fast, knees=knees)))
    assert of_kind(together, "knee") == [] and "ring" not in together.says


@pytest.mark.parametrize(
    ("ceiling", "says", "column", "layers"),
    [
        (None, "interval.", "throughput", 2),
        (
            Ceiling(bytes_per_s=9e9, least=8e9, most=9e9, strategy="rust/x", runtime="rust-1"),
            "the dashed line is the ceiling.",
            "of the ceiling",
            3,
        ),
    ],
)
def test_of_a_ceiling_nothing_is_said_where_there_is_none(ceiling, says, column, layers):
    cases = measured("x/a", 1), measured("x/b", 2)
    (figure,) = figures.rankings(document(in_group("g", *cases, ceiling=ceiling)))
    assert figure.says.endswith(says) and figure.columns[-1].title == column
    assert len(figure.spec["layer"]) == layers


def test_a_point_without_an_interval_is_explained():
    known, alone = measured("x/a", 1), measured("x/b", 2)
    (figure,) = figures.rankings(document(in_group("g", known, alone)))
    assert "seldom" not in figure.says
    alone = replace(alone, ns_per_op=Level(center=2e6))
    (figure,) = figures.rankings(document(in_group("g", known, alone)))
    assert figure.says.endswith("interval, which a point alone was measured too seldom for.")


def test_groups_are_not_merged_into_one_line():
    first, second = over_block("x/a", (1, 9), (2, 8), (4, 7)), over_block("x/a", (2, 4), (8, 3))
    (figure,) = figures.blocks(document(in_group("g", *first), in_group("h", *second)))
    assert [row["group"] for row in figure.rows if row["at"] == 2] == ["g", "h"]
    more = in_group("h", *second, measured("x/a", 1, block=16), question="And which else?")
    other = figures.blocks(document(in_group("g", *first), more))
    assert [each.says.partition("?")[0] for each in other] == ["Which", "And which else"]


def test_two_blocks_are_enough_where_there_is_nothing_better():
    two = in_group("two", *over_block("x/a", 1, 2))
    (figure,) = figures.blocks(document(two))
    assert {row["at"] for row in figure.rows} == {1, 2}
    more = in_group("three", *over_block("x/a", 1, 2, 3), question="Of three?")
    (figure,) = figures.blocks(document(two, more))
    assert {row["at"] for row in figure.rows} == {1, 2, 3}


def test_blocks_and_buffers_are_not_mixed():
    """Records written with a buffer and without are no points of a line."""

    def found(*cases):
        return {
            figure.title.partition(":")[0].split()[-1]: {row["at"] for row in figure.rows}
            for figure in figures.blocks(document(in_group("records", *cases)))
        }

    def buffered(ms, block, buffer):
        return measured("x/buffered", ms, block=block, buffer=buffer)

    records = [buffered(1, 100, 8192), measured("x/plain", 50, block=100)]
    assert found(*records) == {}
    several = found(*records, buffered(2, 100, 512), buffered(3, 4096, 1024))
    assert several["buffer"] == {512, 8192}, "a block beyond the buffer goes past it"
    assert list(found(*(buffered(each, each, each) for each in (1, 2, 3)))) == ["block"]


def test_published_points_stand_beside_a_sound_line_of_the_same_workload_and_strategy():
    cases = over_block("x/a", 1, 2, 3)
    cell = Published(
        **{"group": "as-published", "table": "Theirs", "strategy": "x/a", "params": {"block": 2}},
        **{"size": MIB, "along": None, "value": 7.0, "error": None, "unit": "ms"},
        workload=cases[0].workload,
        conditions=cases[0].conditions,
        ns_per_op=7e6,
        **{"approximate": False, "doubtful": False, "measured": ()},
    )
    others = [
        replace(cell, **change)
        for change in (
            {"group": "h"},
            {"strategy": "x/published-a"},
            {"doubtful": True},
            {"workload": Workload(size=MIB, consume="sum")},
            {"conditions": Conditions(cache="cold")},
        )
    ]
    groups = in_group("g", *cases), in_group("h", replace(cases[0], params={}))
    (figure,) = figures.blocks(document(*groups, published=[cell, *others]))
    (point,) = of_kind(figure, "published")
    found = point["at"], point["per_mib"], point["label"]
    assert found == (2, 7e6, "x/a 2, published") and "Grey points" in figure.says


def test_all_conditions_are_told():
    states = (("none", "operation"), ("fsync", "operation"), ("fsync", "run"))
    groups = []
    for durability, lifetime in states:
        conditions = Conditions(durability=durability, lifetime=lifetime)
        cases = over_block("x/a", 1, 2, operation="write", conditions=conditions)
        groups.append(in_group(f"{durability} {lifetime}", *cases))
    (figure,) = figures.blocks(document(*groups))
    assert list(dict.fromkeys(row["state"] for row in figure.rows)) == [
        "fsync, a file per operation",
        "fsync, a file per run",
        "not made durable, a file per operation",
    ]
    both = Conditions(cache="cold", durability="fsync", lifetime="operation")
    copied = state_name(Workload(operation="copy", size=1), both)
    assert copied == "cold, fsync, a file per operation"


def crossing(outcome, **of_large):
    """a is faster in small files, and b in large ones, where that is decided."""
    small, large = 1024, MIB
    behind = {"ratio": 2.0, "lo": 1.5, "hi": 2.5}
    of_a = RatioToCase(**behind, outcome=outcome, reference=f"x/b {large} x-1")
    of_b = RatioToCase(**behind, outcome="slower", reference=f"x/a {small} x-1")
    found = document(
        in_group("s", measured("x/a", 1, size=small), measured("x/b", 2, size=small, vs_best=of_b)),
        in_group("l", measured("x/a", 2, vs_best=of_a), measured("x/b", 1), **of_large),
    )
    (figure,) = figures.over_size(found)
    return figure.says


def test_those_that_change_places_over_the_size_are_named_where_both_sides_are_decided():
    assert "They change places: x/a is faster than x/b at 1K and slower at 1M." in crossing(
        "slower"
    )
    assert "change places" not in crossing("undecided")
    says = crossing("slower", suspended=True)
    differs = "at 1 MiB: the A/A control differs from its baseline there."
    assert "change places" not in says and differs in says


def test_suspended_states_are_named_over_blocks():
    cases = over_block("x/a", 1, 2, 3)
    (figure,) = figures.blocks(document(in_group("g", *cases, suspended=True)))
    assert "No valid comparison of what was measured in the state warm" in figure.says


def test_runtimes_of_a_language_are_told_apart_over_sizes():
    sizes = [
        in_group(
            f"g{size}", *(measured("x/a", 1, size=size, runtime=each) for each in ("x-1", "x-2"))
        )
        for size in (1024, MIB)
    ]
    (figure,) = figures.over_size(document(*sizes))
    assert {row["name"] for row in figure.rows} == {"x/a @x-1", "x/a @x-2"}
    assert "name" in charts.fields(figure.spec)


def test_caveats_stand_on_the_time_line_or_under_it(fake):
    run = empty_run(fake, 10)
    end_replicate(run, 0)
    run.add(Caveat(about="run", text="a cloud passed", **in_replicate(ReplicateId(0, 0, 0))))
    about = run.plan.cases[0].key
    run.add(Caveat(about=about, text="of none", **in_replicate(ReplicateId(0, 7, 0))))
    run.add(Caveat(about="run", text="it rains"))
    (figure,) = figures.schedule(run)
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


@pytest.fixture
def library(monkeypatch, tmp_path):
    """Makes the library of charts anew, with a folder of its own to keep it in."""
    monkeypatch.setattr(folders, "cache", lambda: tmp_path)

    def made() -> str:
        vega.library.cache_clear()
        return vega.library()

    yield made
    vega.library.cache_clear()


def test_without_what_draws_charts_a_command_says_what_to_install(monkeypatch, library):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    for command in (library, vega.converter):
        with pytest.raises(UserError, match=r"pip install 'iogauge\[chart\]'$"):
            command()


def test_a_wheel_has_the_library_of_charts_inside(monkeypatch, library, tmp_path):
    built = tmp_path / "vega.txt"
    built.write_text("packed")
    monkeypatch.setattr(vega, "_BUILT", built)
    assert library() == "packed"


def test_the_library_of_charts_is_bundled_once(monkeypatch, library, tmp_path):
    bundled, bundle = [], cache(vl_convert.javascript_bundle)  # the second time is the same
    monkeypatch.setattr(
        vl_convert, "javascript_bundle", lambda *given: (bundled.append(given), bundle(*given))[1]
    )
    first = library()
    assert library() == first and len(bundled) == 1
    assert "vegaEmbed" in gzip.decompress(base64.b64decode(first)).decode() and "<" not in first
    assert folders.remove("page") > 100_000 and not (tmp_path / "page").exists()
    (tmp_path / "page").write_text("a file where a folder should be")
    assert library() == first and len(bundled) == 2
