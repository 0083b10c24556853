"""Published numbers and claims through the whole pipeline, on the fake runner: a sound run, one as published, the scoreboard."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from iogauge import claims, numbers, runfile
from iogauge.outputs import scoreboard
from tests.fake_study import measure

STUDY = """

[published_protocol]
operations = 50

[[group]]
id = "sound"
question = "?"
size = "64K"

[[group.case]]
strategy = "fake/steady"
parameters = { speed = [100, 200, 205], scatter = 1 }

[[group.case]]
strategy = "fake/refuses"

[[group]]
id = "published"
protocol = "published"
question = "?"
size = "64K"
cache = "warm"

[[group.case]]
strategy = "fake/steady"
parameters = { speed = [100, 200], scatter = 0 }

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
[[claim.test]]
kind = "faster-than"
cases = "fake/steady(*speed=100)"
than = "fake/steady(*speed=200)"
factor = [1.5, 3]

[[claim]]
id = "more-is-faster"
says = "A speed of 200 is fastest."
why = "it takes {ns_per_op|fake/steady(*speed=200)} ns"
[[claim.test]]
kind = "fastest"
cases = "fake/steady(*speed=200)"

[[claim]]
id = "it-refuses"
says = "One of them refuses."
[[claim.test]]
kind = "fails-with"
groups = "sound"
cases = "fake/refuses*"
reason = "not this file"

[[claim]]
id = "nearly-alike"
says = "200 and 205 are alike within 10 %."
[[claim.test]]
kind = "about-equal"
groups = "sound"
cases = "fake/steady(*speed=205)"
than = "fake/steady(*speed=200)"
margin = "10%"
"""


@pytest.fixture(scope="module")
def scored(fake, tmp_path_factory):
    folder = tmp_path_factory.mktemp("verdicts")
    found = {}
    for protocol in ("sound", "published"):
        done = measure(STUDY, fake, folder, seed=1, name=protocol, protocol=protocol)
        found[protocol] = claims.score(runfile.read(done.path))
    return found


def answers(of: claims.Scored) -> dict[str, str]:
    return {each.claim.id: each.measured.answer for each in of.judged}


@pytest.mark.parametrize(
    ("protocol", "only_there"),
    [("sound", {"it-refuses": "holds", "nearly-alike": "holds"}), ("published", {"it-refuses": "not-testable", "nearly-alike": "not-testable"})],
)
def test_verdicts_of_a_run(scored, protocol, only_there):
    assert answers(scored[protocol]) == {"less-is-faster": "holds", "more-is-faster": "refuted", **only_there}


def test_the_same_tests_are_put_to_the_publication(scored):
    """Its two numbers lie the other way round, and how far they can be trusted is not known: nothing was measured twice."""
    own = {each.claim.id: each.own.answer if each.own else None for each in scored["sound"].judged}
    assert own == {"less-is-faster": "undecided", "more-is-faster": "undecided", "it-refuses": None, "nearly-alike": None}


def test_a_contradiction_is_explained_with_figures_of_the_run(scored):
    (why,) = [each.why for each in scored["sound"].judged if each.claim.id == "more-is-faster"]
    assert re.fullmatch(r"it takes 13\d{4} ns", why), why


def test_evidence_is_named_by_key(scored):
    keys = {key for each in scored["sound"].judged for finding in each.measured.findings for key in finding.keys}
    assert keys <= {case.key for case in scored["sound"].report.run.plan.cases}


def test_the_scoreboard_fits_a_terminal(scored):
    out = io.StringIO()
    Console(file=out, width=80, markup=False, highlight=False).print(scoreboard.render(scored["published"]))
    text = out.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    assert re.search(r"steady 0/100\s+65\.0625\s+6\d\.\d", text), text
    assert "refuted      A speed of 200 is fastest." in text
    assert "in its own data: undecided" in text


def test_numbers_and_what_was_measured_stand_side_by_side(scored):
    (first, _) = numbers.cells(scored["published"].study)
    (case,) = numbers.measured_beside(first, scored["published"].report)
    assert first.ns == 65_062.5 and case.ns_per_op.center == pytest.approx(65_536, rel=0.01)
    assert numbers.measured_beside(first, scored["sound"].report) == []
