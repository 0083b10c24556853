"""Ceilings in the whole pipeline, on the fake runner: measured beside the cases, competing with
none of them.
"""

from __future__ import annotations

import datetime
import json
import math
import re

import msgspec
import pytest

from iogauge.analysis import report
from iogauge.claims import scoring
from iogauge.host import pagecache
from iogauge.host.evidence import MachineCounters
from iogauge.measuring import known_ceilings
from iogauge.model.method import METHOD
from iogauge.outputs import json as exported
from iogauge.outputs.document import Document
from iogauge.runfile import reading
from iogauge.runfile.header import KnownCeiling
from tests.fake_study import Clock, group, make_plan, steady
from tests.runs import replanned


def summed(*speeds: int, scatter: int = 5) -> str:
    """A group that sums, and so has a ceiling: `fake/ceiling` takes 0.1 ns per byte."""
    return group(steady(*speeds, scatter=scatter), more='consume = "sum"\n')


def test_every_case_stands_beside_what_the_machine_can_do(measured_once):
    done = measured_once(summed(20, 40))
    (group_report,) = report.make(done.run).groups
    assert group_report.ceiling.bytes_per_s == pytest.approx(1e10, rel=0.01)
    assert group_report.ceiling.case.strategy == "fake/ceiling"
    by_speed = {each.case.parameters["speed"]: each for each in group_report.cases}
    assert by_speed[20].of_ceiling.center == pytest.approx(0.5, rel=0.02)
    assert by_speed[40].of_ceiling.center == pytest.approx(0.25, rel=0.02)
    assert {each.case.strategy for each in group_report.cases} == {"fake/steady"}
    caveats = [each for case in group_report.cases for each in case.caveats]
    assert not [each for each in caveats if "as fast as" in each]


def test_ceilings_are_measured_in_the_first_replicates_after_the_cases(study):
    run = study(summed(200, 201, scatter=40), seed=1, step=0.001, compare="all").run
    assert {each.replicate for each in run.ceilings} == {0, 1, 2}
    assert len(run.replicates) > 3
    of_cases = {each.fork for each in run.samples}
    for replicate in range(3):
        last = max(each.ended for each in run.samples if each.replicate == replicate)
        found = [each for each in run.ceilings if each.replicate == replicate]
        assert len(found) == 3 and all(each.ended > last for each in found)
        forks = {each.fork for each in found}
        assert len(forks) == 1 and not forks & of_cases, "in a process of its own"


@pytest.mark.parametrize(
    ("speeds", "share", "longer"), [((8, 9), 0, True), ((10, 11), 0, False), ((10, 11), 1, True)]
)
def test_ceilings_are_measured_on_while_a_case_seems_above_its_own_or_may_be_and_there_is_time(
    speeds, share, longer, study
):
    method = METHOD.model_copy(update={"ceiling_share": share})
    clock = Clock(step=0.001)
    done = study(summed(*speeds, scatter=120), seed=1, clock=clock, budget=1.4, method=method)
    assert len(done.run.replicates) > 3
    replicates = {each.replicate for each in done.run.ceilings}
    assert replicates <= set(range(8)) and replicates >= {0, 1, 2}
    assert (len(replicates) > 3) == longer


def test_a_candidate_that_fails_is_no_ceiling_and_no_failure_of_the_run(study):
    done = study(summed(20), seed=1)
    made = report.make(done.run)
    assert made.failures == 0
    reasons = [each.reason for each in done.run.failures]
    assert reasons and all("no, not this file" in each for each in reasons)
    assert made.groups[0].ceiling.case.strategy == "fake/ceiling"


def test_no_verdict_rests_on_a_case_that_is_faster_than_the_machine(measured_once):
    done = measured_once(summed(20, 5, 40))
    (found,) = report.make(done.run).groups
    by_speed = {each.case.parameters["speed"]: each for each in found.cases}
    (said,) = [each for each in by_speed[5].caveats if "as fast as" in each]
    assert re.match(r"\S+ \(\S+\) times as fast as its ceiling: no comparison uses it", said)
    assert by_speed[5].impossible and by_speed[5].of_ceiling.center == pytest.approx(2, rel=0.05)
    assert not by_speed[5].is_best and by_speed[5].vs_best is None
    assert by_speed[20].is_best and by_speed[40].vs_best.outcome == "slower"


def test_without_its_baseline_a_group_has_no_noise_floor_and_no_verdict(study):
    clock = Clock(step=0.01)  # nothing would ever decide it
    done = study(summed(5, 20, 40), seed=1, clock=clock, budget=3.0)
    assert len(done.run.replicates) > 3
    (found,) = report.make(done.run).groups
    assert not [each for each in found.cases if each.is_best or each.vs_best or each.vs_baseline]


CLAIM = """
[[claim]]
id = "c"
says = "5 is faster than 20."
[[claim.test]]
kind = "faster-than"
cases = "fake/steady(*speed={fast})"
than = "fake/steady(*speed=40)"
"""


@pytest.mark.parametrize(("fast", "answer"), [(20, "holds"), (5, "undecided")])
def test_no_claim_rests_on_it_either(measured_once, fast, answer):
    run = measured_once(summed(20, 5, 40)).run
    source = run.header.study_source + CLAIM.format(fast=fast)
    run.header = run.header.model_copy(update={"study_source": source})
    assert [each.measured.answer for each in scoring.score(run).judged] == [answer]


def test_the_export_has_them(measured_once, study):
    done = measured_once(summed(20, 40))
    found = json.loads(exported.render(Document(reading.read(done.path))))["groups"][0]
    assert found["ceiling"]["strategy"] == "fake/ceiling" and found["ceiling"]["replicates"] == 3
    assert found["ceiling"]["least"] <= found["ceiling"]["bytes_per_s"] <= found["ceiling"]["most"]
    case, interval = found["cases"][0], found["cases"][0]["of_ceiling_interval"]
    assert interval["lo"] < case["of_ceiling"] < interval["hi"]
    assert found["knees"][0]["parameter"] == "speed" and found["knees"][0]["best"] == 20
    assert found["parameters_without_effect"] == []
    (without,) = json.loads(exported.render(Document(study(group(steady(20)), seed=1).run)))[
        "groups"
    ]
    assert without["ceiling"] is None and without["cases"][0]["of_ceiling"] is None


def test_the_file_stays_where_it_was_for_the_cases(study, spied):
    """It is cached anew once per replicate, not once more for the candidates."""
    evicted = spied(pagecache, "evict")
    run = study(summed(20, 40), seed=1).run
    assert run.ceilings and len(evicted) == len(run.replicates)


def known_of(run, folder, minutes=0.0, **changed):
    """What a later run finds, so many minutes after this one, on a host that `changed`."""
    later = datetime.datetime.now(datetime.UTC) + datetime.timedelta(minutes=minutes, seconds=2)
    host = {**run.header.host, **changed}
    header = run.header.model_copy(update={"started": later.isoformat(), "host": host})
    return known_ceilings.find(header, folder)


@pytest.fixture
def calm(monkeypatch):
    """The machine's pace is steady, whatever else runs."""
    pace = {"compute_ns": 1000, "memory_ns": 2000}
    monkeypatch.setattr(MachineCounters, "canary", lambda self: dict(pace))
    return pace


def test_what_a_run_measured_of_the_machine_is_known_to_later_ones(study, tmp_path, calm):
    run = study(summed(20, 40), seed=1).run
    assert known_of(run, tmp_path) == {}
    known_ceilings.keep(run, tmp_path)
    (found,) = known_of(run, tmp_path, minutes=30).values()
    (levels,) = found.ns_per_op.values()
    assert len(levels) == 3 and levels[0] == pytest.approx(0.1 * 65536, rel=0.2)
    assert known_of(run, tmp_path, minutes=25 * 60) == {}  # too old
    assert known_of(run, tmp_path, kernel="1") == {}
    calm["memory_ns"] = 2150
    assert known_of(run, tmp_path)
    calm["memory_ns"] = 2300  # another pace
    assert known_of(run, tmp_path) == {}


def written(run):
    """The run as if its first group had written into the cache."""
    (first, *others) = run.plan.groups
    workload = first.workload.model_copy(update={"operation": "write"})
    conditions = first.conditions.model_copy(update={"cache": None, "durability": "none"})
    first = first.model_copy(update={"workload": workload, "conditions": conditions})
    return replanned(run, groups=(first, *others))


def test_a_writing_ceiling_is_known_to_later_runs_only_where_it_was_steady(study, tmp_path, calm):
    run = written(study(summed(20, 40), seed=1).run)
    known_ceilings.keep(run, tmp_path)
    assert known_of(run, tmp_path), "it was"
    for index, each in enumerate(run.ceilings):
        if each.replicate == 2:
            halves = {key: [ns / 2 for ns in getattr(each, key)] for key in ("ns", "prelude_ns")}
            run.ceilings[index] = msgspec.structs.replace(each, **halves)
    known_ceilings.keep(run, tmp_path)
    assert not known_of(run, tmp_path)
    run.ceilings = [each for each in run.ceilings if each.replicate == 0]
    known_ceilings.keep(run, tmp_path)
    assert not known_of(run, tmp_path), "one replicate does not show it"


def test_the_fastest_span_tells_what_the_machine_can_write_into_its_cache(study):
    """A sample gets slower the more it has written, whose spans are of 100 operations here."""
    run = study(summed(20, 40), seed=1).run
    slower = {"prelude_ns": [1e5, 2e5], "ns": [3e5, 4e5], "operations": [100, 100]}
    run.ceilings = [msgspec.structs.replace(each, **slower) for each in run.ceilings]
    for change, level in ((lambda run: run, 3500), (written, 1000)):
        (levels,) = change(run).measured_ceiling(run.plan.groups[0]).values()
        assert math.exp(levels[0]) == pytest.approx(level)


def with_known(study, fake, ns_per_op):
    """A run that knows the ceiling of its group from an earlier one."""
    text = summed(20, 40)
    cases = make_plan(text, fake, seed=1).cases
    (ceiling,) = [each.key for each in cases if each.strategy == "fake/ceiling"]
    measured, canary = "2025-12-31T21:00:00+00:00", {"compute_ns": 1, "memory_ns": 1}
    known = KnownCeiling(measured=measured, canary=canary, ns_per_op={ceiling: [ns_per_op] * 3})
    return study(text, seed=1, known_ceilings={0: known})


def test_a_known_ceiling_is_not_measured_and_its_age_is_told(study, fake):
    done = with_known(study, fake, 6553.6)
    assert not done.run.ceilings
    again = reading.read(done.path)
    (made,) = report.make(again).groups
    assert made.ceiling.age == 3 * 3600
    assert made.ceiling.case.strategy == "fake/ceiling"
    share = next(each for each in made.cases if each.case.parameters["speed"] == 20).of_ceiling
    assert share.n == 3 and share.center == pytest.approx(0.5, rel=0.1)


def test_what_seems_faster_than_a_known_ceiling_has_it_measured_anew(study, fake):
    """A stored figure alone never makes a case impossible."""
    done = with_known(study, fake, 65536.0)
    (made,) = report.make(done.run).groups
    assert done.run.ceilings and made.ceiling.age is None
    assert not any(each.impossible for each in made.cases)
    before = [each for each in done.run.replicates if each.replicate == 0]
    assert before and not [each for each in done.run.ceilings if each.replicate == 0]
