"""What disturbed a run, as its records tell it."""

from __future__ import annotations

import random

import pytest

from iogauge.analysis import disturbance
from iogauge.analysis.data import all_data
from iogauge.model.plan import ReplicateId
from iogauge.runfile.records import Canary, Round, in_part
from tests.runs import CALM, add_sample, empty_run, end_replicate, replanned

MS = 1_000_000
PACE, SLOWER = 200_000, 260_000
BUSY = {**CALM, "busy_ns": MS}


def a_run(
    fake, *, replicates=12, by_place=0.0, noise=0.03, machine=CALM, canary=lambda at: PACE, seed=1
):
    """Three cases with their own levels, in random order in each round; `by_place` is how much
    slower the last one of a round is.
    """
    run, rng = empty_run(fake, 10, 20), random.Random(seed)
    cases = list(range(len(run.plan.cases)))
    for replicate in range(replicates):
        where = in_part(ReplicateId(0, replicate, 0), 0)
        for number in range(6):
            pace = Canary(canary(replicate), 300_000)
            run.add(Round(**where, group=0, round=number, canary=pace))
            for position, case in enumerate(rng.sample(cases, len(cases))):
                slower = 1 + by_place * position / (len(cases) - 1)
                ns = MS * (1 + case) * slower * rng.lognormvariate(0, noise)
                add_sample(run, case, replicate, number, position, [ns], machine=machine)
        end_replicate(run, replicate)
    return run


def observe(run):
    return disturbance.observe(run, all_data(run))


def test_a_calm_run_has_no_caveat(fake):
    found = observe(a_run(fake))
    assert disturbance.caveats(found) == []
    assert found.stolen == found.others == 0
    assert found.canary == {"compute_ns": (PACE, PACE), "memory_ns": (300_000, 300_000)}
    (effect,) = found.place.values()
    assert effect.lo < 0 < effect.hi and abs(effect.center) < 0.01


def test_a_place_that_matters_is_seen(fake):
    found = observe(a_run(fake, by_place=0.1))
    (effect,) = found.place.values()
    assert effect.lo < 0.1 < effect.hi and effect.lo > 0.05
    assert disturbance.caveats(found) == [
        f"fakes: what came last in a round was {effect.center:.1%} slower than what came first"
    ]


def test_places_are_not_confused_with_levels(fake):
    """A slow case that happens to be last in each round of a replicate is no effect of the place."""
    run = empty_run(fake, 10, 20)
    for replicate in range(12):
        for number in range(6):
            for position, case in enumerate(range(len(run.plan.cases))):
                add_sample(run, case, replicate, number, position, [MS * (1 + case)])
        end_replicate(run, replicate)
    assert observe(run).place == {}


def test_a_quiet_place_effect_is_rarely_claimed(fake):
    """At 99 %, over several seeds: a false claim in more than one of twelve runs would be a defect."""
    claims = 0
    for seed in range(12):
        (effect,) = observe(a_run(fake, noise=0.1, seed=seed)).place.values()
        claims += effect.lo > 0 or effect.hi < 0
    assert claims <= 1


@pytest.mark.parametrize(
    ("machine", "says"),
    [
        ({**CALM, "steal_ns": 50_000}, "the hypervisor gave 2"),
        (BUSY, "something else was running: "),
    ],
)
def test_time_that_others_took(fake, machine, says):
    (caveat,) = disturbance.caveats(observe(a_run(fake, machine=machine)))
    assert caveat.startswith(says)


def test_a_fork_that_uses_the_processor_itself_is_no_other(fake):
    run = a_run(fake, machine=BUSY)
    for sample in run.samples:
        sample.evidence = {"user_ns": 900_000, "system_ns": 100_000}
    assert observe(run).others == 0


def test_a_machine_that_changes_its_pace_is_seen(fake):
    found = observe(a_run(fake, canary=lambda replicate: PACE if replicate < 6 else SLOWER))
    assert found.canary["compute_ns"] == (PACE, SLOWER)
    (caveat,) = disturbance.caveats(found)
    assert "fixed work (hashing) took 1.3x as long" in caveat


def test_its_pace_is_looked_at_in_the_order_of_the_run(fake):
    """Replicates are numbered within their bundle, and one bundle may be far ahead of another."""
    run = a_run(fake, canary=lambda replicate: PACE if replicate % 2 else SLOWER)
    low, high = observe(run).canary["compute_ns"]
    assert high < 1.2 * low, "up and down all the time is no stretch"
    run.rounds.sort(key=lambda each: each.replicate % 2)
    assert observe(run).canary["compute_ns"] == (PACE, SLOWER)


def test_what_was_not_observed_is_not_known(fake):
    run = a_run(fake, machine=None, replicates=3)
    run.rounds.clear()
    found = observe(run)
    assert (found.canary, found.stolen, found.others, found.place) == ({}, None, None, {})
    assert disturbance.caveats(found) == []


@pytest.mark.parametrize("conditions", [{"cache": "cold"}, {"cache": None, "durability": "fsync"}])
def test_what_the_kernel_does_for_a_sample_that_waits_is_no_other(fake, conditions):
    run = a_run(fake, machine=BUSY)
    (group,) = run.plan.groups
    waits = {"conditions": group.conditions.model_copy(update=conditions)}
    assert observe(replanned(run, groups=(group.model_copy(update=waits),))).others is None
