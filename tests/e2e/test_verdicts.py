"""Published numbers and claims through the whole pipeline, on the fake runner: a sound run, one as
published, the scoreboard.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from iogauge.claims import measured, printed
from iogauge.claims.scoring import Scored, score
from iogauge.claims.verdicts import verdict
from iogauge.model.errors import UserError
from iogauge.outputs import scoreboard
from iogauge.outputs.document import Document
from iogauge.runfile import reading
from iogauge.study import loading
from tests.fake_study import STUDIES, measure
from tests.reports import on_console

SWEEP = (STUDIES / "sweep.toml").read_text()
STUDY = (STUDIES / "verdicts.toml").read_text()


@pytest.fixture(scope="module")
def scored(fake, tmp_path_factory):
    folder = tmp_path_factory.mktemp("verdicts")
    found = {}
    for protocol in ("sound", "published"):
        done = measure(STUDY, fake, folder, seed=1, name=protocol, protocol=protocol)
        found[protocol] = score(reading.read(done.path))
    return found


def on_a_terminal(run) -> str:
    return on_console(scoreboard.render(Document(run)))


def answers(of: Scored) -> dict[str, str]:
    return {each.claim.id: each.measured.answer for each in of.judged}


@pytest.mark.parametrize(
    ("protocol", "only_sound"), [("sound", "holds"), ("published", "not-testable")]
)
def test_verdicts_of_a_run(scored, protocol, only_sound):
    found = {"less-is-faster": "holds", "more-is-faster": "refuted"}
    found |= dict.fromkeys(("it-refuses", "nearly-alike"), only_sound)
    assert answers(scored[protocol]) == found


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
    found = measured.comparables(doubtful)
    of = {each.id: verdict(each, found, {"sound"}).answer for each in scored["sound"].study.claim}
    open_ = ("less-is-faster", "more-is-faster", "nearly-alike")
    assert of == {**dict.fromkeys(open_, "undecided"), "it-refuses": "holds"}


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


def test_what_was_dropped_early_is_told_from_what_is_far_from_it_in_both_directions(fake, tmp_path):
    """All but 20 are far behind, and dropped after a few replicates: 58 is far from 30 in each of
    them, and 31 is not.
    """
    made = score(measure(SWEEP, fake, tmp_path, seed=1).run).report
    (comparable,) = measured.comparables(made)
    at = {entry.parameters["speed"]: n for n, entry in enumerate(comparable.entries)}
    far, near = comparable.compare(at[58], at[30]), comparable.compare(at[31], at[30])
    assert far.outcome == "slower" and far.replicates < 12 and far.lo < 1.93 < far.hi
    assert near.outcome in ("undecided", "same") and near.lo < 1.03 < near.hi
    ahead = comparable.compare(at[30], at[58])
    found = (ahead.center, ahead.lo, ahead.hi)
    assert ahead.outcome == "faster"
    assert found == pytest.approx((1 / far.center, 1 / far.hi, 1 / far.lo))


def test_evidence_is_named_by_key(scored):
    findings = [f for each in scored["sound"].judged for f in each.measured.findings]
    keys = {key for finding in findings for key in finding.keys}
    assert keys <= {case.key for case in scored["sound"].report.run.plan.cases}


def test_the_scoreboard_fits_a_terminal(scored):
    text = on_a_terminal(scored["published"].report.run)
    assert "…" not in text, "nothing was cut"
    assert re.search(r"steady 0/100\s+65\.0625\s+6\d\.\d", text), text
    assert "refuted      A speed of 200 is fastest." in text
    assert "in its own data: undecided" in text


BESIDE_A_SOUND_GROUP = (STUDIES / "numbers-beside-a-sound-group.toml").read_text()


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
