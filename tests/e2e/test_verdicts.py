"""Published numbers and claims through the whole pipeline, on the fake runner: a sound run, one as
published, the scoreboard.
"""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from iogauge.claims import measured, printed
from iogauge.claims.scoring import Scored, score
from iogauge.claims.verdicts import verdict
from iogauge.model.errors import UserError
from iogauge.outputs import scoreboard
from iogauge.outputs.document import Document
from iogauge.runfile import reading
from iogauge.study import loading
from tests.fake_study import measure

SWEEP = """
[[group]]
id = "sweep"
question = "?"
size = "64K"
case = [{ strategy = "fake/steady", parameters = { speed = [20, 100, 101, 215, 290], scatter = 60 } }]
"""
STUDY = """

[published_protocol]
operations = 50

[[group]]
id = "sound"
question = "?"
size = "64K"
case = [
  { strategy = "fake/steady", parameters = { speed = [100, 200, 205], scatter = 1 } },
  { strategy = "fake/refuses" },
]

[[group]]
id = "published"
protocol = "published"
question = "?"
size = "64K"
cache = "warm"
case = [{ strategy = "fake/steady", parameters = { speed = [100, 200], scatter = 0 } }]

[[published]]
table = "Table 1"
group = "published"
strategy = "fake/steady"
parameters = { scatter = 0 }
along = "speed"
unit = "us"
values = [[100, 65.0625], [200, 60.0]]

[[claim]]
id = "less-is-faster"
says = "A speed of 100 is faster than one of 200, about twice."
test = [{ kind = "faster-than", cases = "*speed=100)", than = "*speed=200)", factor = [1.5, 3] }]

[[claim]]
id = "more-is-faster"
says = "A speed of 200 is fastest."
why = "it takes {ns_per_op|fake/steady(*speed=200)}"
test = [{ kind = "fastest", cases = "fake/steady(*speed=200)" }]

[[claim]]
id = "it-refuses"
says = "One of them refuses."
test = [{ kind = "fails-with", groups = "sound", cases = "fake/refuses*", reason = "not this file" }]

[[claim]]
id = "nearly-alike"
says = "200 and 205 are alike within 10 %."
test = [
  { kind = "about-equal", groups = "sound", cases = "*speed=205)", than = "*speed=200)", margin = "10%" },
]
"""


@pytest.fixture(scope="module")
def scored(fake, tmp_path_factory):
    folder = tmp_path_factory.mktemp("verdicts")
    found = {}
    for protocol in ("sound", "published"):
        done = measure(STUDY, fake, folder, seed=1, name=protocol, protocol=protocol)
        found[protocol] = score(reading.read(done.path))
    return found


def on_a_terminal(run) -> str:
    out = io.StringIO()
    console = Console(file=out, width=80, markup=False, highlight=False)
    console.print(scoreboard.render(Document(run)))
    return out.getvalue()


def answers(of: Scored) -> dict[str, str]:
    return {each.claim.id: each.measured.answer for each in of.judged}


@pytest.mark.parametrize(
    ("protocol", "only_there"),
    [
        ("sound", {"it-refuses": "holds", "nearly-alike": "holds"}),
        ("published", {"it-refuses": "not-testable", "nearly-alike": "not-testable"}),
    ],
)
def test_verdicts_of_a_run(scored, protocol, only_there):
    assert answers(scored[protocol]) == {
        "less-is-faster": "holds",
        "more-is-faster": "refuted",
        **only_there,
    }


def test_the_same_tests_are_put_to_the_publication(scored):
    """Its two numbers lie the other way round, and how far they can be trusted is not known:
    nothing was measured twice.
    """
    own = {each.claim.id: each.own.answer if each.own else None for each in scored["sound"].judged}
    assert own == {
        "less-is-faster": "undecided",
        "more-is-faster": "undecided",
        "it-refuses": None,
        "nearly-alike": None,
    }


def test_a_contradiction_is_explained_with_figures_of_the_run(scored):
    (why,) = [each.why for each in scored["sound"].judged if each.claim.id == "more-is-faster"]
    assert re.fullmatch(r"it takes 13\d µs", why), why


@pytest.mark.parametrize("state", ["suspended", "provisional"])
def test_no_verdict_rests_on_a_group_without_one(scored, state):
    """Whatever kind of test asks: identical code came out different there, or the run is not over."""
    made = scored["sound"].report
    doubtful = replace(made, groups=tuple(replace(group, **{state: True}) for group in made.groups))
    of = {
        claim.id: verdict(claim, measured.comparables(doubtful), {"sound"}).answer
        for claim in scored["sound"].study.claim
    }
    assert of == {
        "less-is-faster": "undecided",
        "more-is-faster": "undecided",
        "it-refuses": "holds",
        "nearly-alike": "undecided",
    }


def test_what_is_below_the_noise_floor_refutes_nothing(scored):
    made = scored["sound"].report
    (comparable,) = measured.comparables(made)
    at = {entry.parameters.get("speed"): n for n, entry in enumerate(comparable.entries)}
    alike, faster = at[205], at[200]
    assert comparable.compare(alike, faster).lo > 1.0
    (group,) = made.groups
    loud = replace(group.decision, noise=replace(group.decision.noise, hi=0.2))
    (comparable,) = measured.comparables(replace(made, groups=(replace(group, decision=loud),)))
    found = comparable.compare(alike, faster)
    assert (found.lo, found.outcome) == (1.0, "undecided")


def test_what_was_dropped_early_tells_in_both_directions(fake, tmp_path):
    text = STUDY.replace("speed = [100, 200, 205]", "speed = [100, 200, 205, 900]")
    (comparable,) = measured.comparables(score(measure(text, fake, tmp_path, seed=1).run).report)
    at = {entry.parameters.get("speed"): n for n, entry in enumerate(comparable.entries)}
    slow, fast = at[900], at[100]
    behind, ahead = comparable.compare(slow, fast), comparable.compare(fast, slow)
    assert 5 < behind.lo < 9 < behind.hi and behind.outcome == "slower"
    assert ahead.outcome == "faster"
    found = (ahead.center, ahead.lo, ahead.hi)
    assert found == pytest.approx((1 / behind.center, 1 / behind.hi, 1 / behind.lo))


def test_evidence_is_named_by_key(scored):
    keys = {
        key
        for each in scored["sound"].judged
        for finding in each.measured.findings
        for key in finding.keys
    }
    assert keys <= {case.key for case in scored["sound"].report.run.plan.cases}


def test_the_scoreboard_fits_a_terminal(scored):
    text = on_a_terminal(scored["published"].report.run)
    assert "…" not in text, "nothing was cut"
    assert re.search(r"steady 0/100\s+65\.0625\s+6\d\.\d", text), text
    assert "refuted      A speed of 200 is fastest." in text
    assert "in its own data: undecided" in text


BESIDE_A_SOUND_GROUP = """
max_size = "64K"

[[group]]
id = "sound"
question = "?"
size = ["64K", "128K"]
case = [{ strategy = "fake/steady", parameters = { speed = [100, 300], scatter = 0 } }]

[[published]]
table = "Table 1"
group = "sound"
strategy = "fake/steady"
parameters = { speed = 100, scatter = 0 }
along = "size"
unit = "us"
values = [["64K", 65], ["128K", 131]]

[[claim]]
id = "less-is-faster"
says = "A speed of 100 is faster than one of 300."
test = [{ kind = "faster-than", cases = "*speed=100)", than = "*speed=300)" }]
"""


def test_a_run_of_some_of_the_sizes_says_so_beside_published_numbers(fake, tmp_path):
    text = on_a_terminal(measure(BESIDE_A_SOUND_GROUP, fake, tmp_path, seed=1).run)
    assert re.search(r"steady 100/0 64KiB\s+65\s+6\d\.\d", text), "beside a sound group"
    assert "128KiB" not in text and "1 more published number, not measured in this run" in text
    says = "holds (1 of 2 sizes measured)\n             A speed of 100 is faster than one of 300.\n"
    assert says in text


def test_numbers_and_what_was_measured_stand_side_by_side(scored):
    (first, _) = printed.cells(scored["published"].study)
    (case,) = measured.measured_beside(first, scored["published"].report)
    assert first.ns == 65_062.5 and case.ns_per_op.center == pytest.approx(65_536, rel=0.01)
    assert measured.measured_beside(first, scored["sound"].report) == []


def test_what_was_dropped_early_is_told_from_what_is_far_from_it(fake, tmp_path):
    """All but 20 are far behind, and dropped after a few replicates: 290 is far from 100 in each of
    them, and 101 is not.
    """
    made = score(measure(SWEEP, fake, tmp_path, seed=1).run).report
    (comparable,) = measured.comparables(made)
    at = {entry.parameters["speed"]: n for n, entry in enumerate(comparable.entries)}
    far, near = comparable.compare(at[290], at[100]), comparable.compare(at[101], at[100])
    assert far.outcome == "slower" and far.replicates < 12
    assert comparable.compare(at[100], at[290]).outcome == "faster"
    assert near.outcome in ("undecided", "same") and near.lo < 1.01 < near.hi


def test_a_run_is_judged_by_a_later_version_of_its_study(fake, tmp_path):
    run = measure(STUDY, fake, tmp_path, seed=1).run
    text = run.header.study_source
    test = 'test = [{ kind = "faster-than", cases = "*speed=100)", than = "*speed=200)" }]'
    claim = f'[[claim]]\nid = "later"\nsays = "New."\n{test}\n\n[[claim]]'
    later = loading.parse(text.replace("[[claim]]", claim, 1), "s")
    found = score(run, later)
    assert found.judged[0].claim.id == "later" and found.judged[0].measured.answer == "holds"
    other = loading.parse(text.replace('size = "64K"', 'size = "32K"', 1), "s")
    with pytest.raises(UserError, match="--study .*: measures something else than this run"):
        score(run, other)
