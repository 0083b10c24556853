"""Two functions compared from within a program: what follows from a run, and from failures."""

from __future__ import annotations

from html import unescape
from types import SimpleNamespace

import pytest

import iogauge as library
from iogauge.api import comparing
from iogauge.api.results import Results
from iogauge.commands import gating
from iogauge.measuring.first_calls import Choice, FirstCall
from iogauge.model.errors import UserError
from iogauge.model.plan import Versions
from iogauge.outputs.document import Document
from tests.fake_study import group, steady

VERSIONS = Versions(old="old", new="new", max_slowdown=0.05)


def call(label: str, failure: str | None = None):
    return SimpleNamespace(
        runtime=SimpleNamespace(label=label),
        strategy=SimpleNamespace(known_as="read(path)"),
        function="python/own-read",
        failure=failure,
    )


@pytest.mark.parametrize(
    ("old", "new", "outcome"),
    [(None, "no luck", "slower"), ("no luck", None, "not slower"), ("no luck", "none", "failed")],
)
def test_a_version_that_fails_at_its_first_call_is_told(old, new, outcome):
    failed, _ = gating.failed_calls([call("old", old), call("new", new)], VERSIONS)
    found = comparing.judged(None, VERSIONS, failed)
    assert (found.outcome, found.results) == (outcome, None)
    assert "read(path)" in found.says and "luck" in found.says or "none" in found.says


def test_what_has_no_pair_cannot_be_compared(measured_once):
    measured = measured_once(group(steady(10, 20)))
    results = Results((measured.path,), (Document(measured.run),))
    with pytest.raises(UserError, match="return different things"):
        comparing.judged(results, VERSIONS)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"max_slowdown": "much"}, "max_slowdown: 'much' is not a share"),
        ({"max_slowdown": "-1%"}, "max_slowdown"),
        ({"file": "a", "size": "1K"}, "give one of them"),
        ({"cache": "hot"}, "cache hot: allowed: warm, cold"),
        ({"budget": "0.1s"}, "budget: .* too short"),
        ({"limit": "never"}, "not a duration"),
    ],
)
def test_wrong_options_are_errors_of_one_line(options, why):
    mine = f"{__file__}:call"
    with pytest.raises(UserError, match=why) as error:
        comparing.compare(mine, mine, **options)
    assert "\n" not in str(error.value)


def first(label: str, sums: str, *, declared: bool = False) -> FirstCall:
    """The first call of a function whose strategy reports such sums."""
    own = {name: SimpleNamespace(name=name, sums=sums) for name in (label, f"{label}-as-result")}
    for name, each in own.items():
        each.instead_of = None if name == label else label
        each.sums = sums if name == label else "nothing"
        each.is_checked = each.sums != "nothing"
    if declared or sums == "nothing":
        del own[f"{label}-as-result"]
    runtime = SimpleNamespace(name=f"python-{label}", label=label, strategies=own)
    return FirstCall(runtime, own[label], 0.1)  # type: ignore[arg-type]


def test_of_different_things_both_are_results():
    for one, two, kept in (
        ("byte", "line-byte", {"old-as-result", "new-as-result"}),
        ("byte", "nothing", {"old-as-result", "new"}),
        ("byte", "byte", {"old", "new"}),
        ("nothing", "nothing", {"old", "new"}),
    ):
        calls = [first("old", one), first("new", two)]
        choice = Choice()
        for each in calls:
            if each.as_result:
                choice.left_out.add((each.runtime.name, each.as_result.name))
        comparing._make_alike(calls, choice)
        every = {name for each in calls for name in each.runtime.strategies}
        assert every - {name for _, name in choice.left_out} == kept, (one, two)
    with pytest.raises(UserError, match="let both return the same"):
        comparing._make_alike(
            [first("old", "byte", declared=True), first("new", "line-byte")], Choice()
        )


def test_two_versions_are_told_and_drawn_as_such(study):
    ways = steady(100, scatter=50) + steady(100, scatter=50).replace("steady", "allocating")
    sides = ("fake/steady", "fake/allocating")
    timed = {"budget": 6.0, "step": 0.01, "seed": 1}
    path = study(group(ways), versions=VERSIONS, sides=sides, **timed).path
    loaded = library.load(path)
    (pair,) = loaded.groups[0].versions
    assert pair.ratio is not None and loaded.runs[0].versions.says in repr(loaded)
    assert "new / old" in repr(loaded) and pair.says in repr(loaded)
    html = unescape(loaded._repr_html_())
    assert html.count("<circle") == 1 and "new / old" in html and pair.says in html
    assert loaded.runs[0].versions.says in html and "best" not in html
