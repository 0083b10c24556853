"""The priors of variances: estimated from runs whose truth is known, shipped, and chosen by kind."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path

import numpy as np
import pytest

from iogauge.decision import priors as known_priors
from iogauge.decision.best import pairs_of
from iogauge.decision.priors import ANY, Kind, Known, kind_of
from iogauge.model.errors import UserError
from iogauge.model.plan import PublishedProtocol
from iogauge.model.workload import Conditions
from iogauge.statistics.paired import variance_of_rounds
from tests.fake_study import group, make_plan, measure, steady
from tests.scripts import module_at

priors = module_at(Path(__file__).parents[2] / "benchmarks" / "priors.py")
WARM = Conditions(cache="warm")


def found(rng, cases, sd, *, replicates=8, within=0.0, rounds=4, ways=("plain",)):
    """A group of these cases whose forks have these SDs, and their rounds another one."""
    forks = rng.normal(0, sd, (replicates, 1, cases))
    log_ns = forks + rng.normal(0, within, (replicates, rounds, cases))
    pairs = pairs_of(log_ns, 0, None)
    variances = pairs.standard_errors**2 * pairs.counts
    noise = [variance_of_rounds(log_ns, each) for each in range(cases)]
    return [
        priors.Row("m", "g", "go", "warm", "-", one, other, ways[one % len(ways)],
                   ways[other % len(ways)], int(pairs.degrees[one, other]),
                   float(variances[one, other]), float(noise[other][one]))
        for one in range(cases) for other in range(one)
    ]  # fmt: skip


def known(groups) -> Known:
    return priors._known([priors._matrices(each) for each in groups])


def test_the_level_of_groups_that_are_alike_is_found():
    rng = np.random.default_rng(1)
    prior = known([found(rng, 8, np.full(8, 0.05)) for _ in range(60)]).prior
    assert prior.log_variance == pytest.approx(math.log(2 * 0.05**2), abs=0.2)
    assert prior.degrees > 15, "pairs that are alike say so"
    assert prior.spread == pytest.approx(math.log(3)), "never less than another machine may differ"


def test_groups_whose_cases_are_unlike_say_less():
    rng = np.random.default_rng(2)
    unlike = [found(rng, 8, 0.05 * np.exp(rng.normal(0, 1, 8))) for _ in range(60)]
    assert known(unlike).prior.degrees < 5


def test_few_groups_say_less_than_many():
    rng = np.random.default_rng(3)
    groups = [found(rng, 6, np.full(6, 0.05)) for _ in range(60)]
    assert known(groups[:4]).prior.degrees < known(groups).prior.degrees


def test_groups_of_two_cases_tell_nothing_of_how_alike_pairs_are():
    rng = np.random.default_rng(4)
    prior = known([found(rng, 2, np.full(2, 0.05)) for _ in range(20)]).prior
    assert prior.degrees == pytest.approx(2, abs=0.1)


def test_the_noise_of_rounds_explains_why_groups_differ():
    """Forks differ by 2 or 6 % by way; rounds by 2 to 60 % from group to group."""
    rng = np.random.default_rng(5)
    sd, ways = np.tile([0.02, 0.06], 4), ("plain", "mapped")
    groups = [found(rng, 8, sd, within=noise, ways=ways) for noise in np.geomspace(0.02, 0.6, 40)]
    made = known(groups)
    assert made.explained.inflation == pytest.approx(1, abs=0.3)
    assert made.explained.forks["plain"] == pytest.approx(math.log(2 * 0.02**2), abs=0.8)
    assert made.explained.forks["mapped"] == pytest.approx(math.log(2 * 0.06**2), abs=0.5)
    assert made.explained.degrees > 2 * made.prior.degrees
    assert made.explained.spread < made.prior.spread


def test_noise_of_rounds_that_goes_with_nothing_explains_nothing():
    rng = np.random.default_rng(6)
    assert known([found(rng, 6, np.full(6, 0.2), within=0.02) for _ in range(20)]).explained is None


@pytest.mark.parametrize("cases", [2, 3, 6, 7])
def test_a_round_robin_pairs_all_with_all_once(cases):
    ways = priors._round_robin(cases)
    pairs = [frozenset(pair) for way in ways for pair in way]
    assert len(set(pairs)) == len(pairs) == cases * (cases - 1) // 2
    for way in ways:
        assert len({case for pair in way for case in pair}) == 2 * len(way)


def test_what_is_shipped_has_something_for_everything():
    """An unknown kind falls back to its conditions, then to anything."""
    known = known_priors.shipped()
    assert Kind("any", "any", "any") in known and kind_of("java", WARM) in known
    for each in known.values():
        assert each.prior.degrees > 0 and each.prior.spread >= math.log(3) - 0.01
        assert -12 < each.prior.log_variance < 0
        if left := each.explained:
            assert left.degrees > 0 and left.spread >= math.log(3) - 0.01
            assert left.inflation >= 0 and all(-12 < log < 0 for log in left.forks.values())
    assert known_priors._known("cobol", WARM) == known[Kind("any", "warm", "-")]
    nowhere = Conditions(cache="as-left")
    assert known_priors._known("cobol", nowhere) == known[Kind("any", "any", "any")]


def test_synchronous_writes_are_one_kind():
    kinds = {kind_of("go", Conditions(durability=each)) for each in ("fsync", "dsync")}
    assert kinds == {Kind("go", "-", "durable")}
    assert kind_of("go", Conditions(durability="none")) == Kind("go", "-", "none")


def test_a_group_of_several_languages_takes_the_most_careful(fake):
    plan, names = make_plan(group(steady(20, 30)), fake), ("go", "java")
    cases = [plan.cases[0].model_copy(update={"strategy": f"{each}/x"}) for each in names]
    of_both = plan.groups[0].model_copy(update={"cases": (0, 1), "conditions": WARM})
    known = [known_priors._known(each, WARM).prior for each in names]
    both = known_priors.of_group(plan.model_copy(update={"cases": tuple(cases)}), of_both)
    assert both is not None
    assert both.degrees == min(each.degrees for each in known)
    assert both.spread == max(each.spread for each in known)
    assert both.log_variance == pytest.approx(np.mean([each.log_variance for each in known]))
    as_published = plan.model_copy(update={"published": PublishedProtocol()})
    assert known_priors.of_group(as_published, of_both) is None, "authors had none"


def test_the_command_writes_what_the_product_reads(fake, tmp_path, capsys):
    paths, rows = [], tmp_path / "pairs.csv"
    for seed in range(4):
        made = measure(group(steady(20, 21, 22, 23)), fake, tmp_path, seed=seed, name=f"r{seed}")
        paths.append(str(made.path))
    assert priors.main(paths) == 0
    rows.write_text(capsys.readouterr().out)
    assert priors.main([str(rows)]) == 0
    table = tomllib.loads(capsys.readouterr().out)
    kinds = {(each["language"], each["groups"]) for each in table["kind"]}
    assert kinds == {("any", 4), ("fake", 4)}


def test_the_command_refuses_what_is_no_run(tmp_path, capsys):
    (tmp_path / "x.jsonl").write_text("nothing\n")
    assert priors.main([str(tmp_path / "x.jsonl")]) == 2
    assert "x.jsonl" in capsys.readouterr().err
    with pytest.raises(UserError):
        priors.reading.read(tmp_path / "missing.jsonl")


def test_a_prior_with_rounds_needs_rounds_that_explain_something(fake, monkeypatch):
    plan = make_plan(group(steady(20, 30), cache='"warm"'), fake)
    of, ways = plan.groups[0], ("plain", "mapped", "plain")
    alone = Known(known_priors.Prior(-6.0, 1.2, 2.0))
    left = known_priors.Explained({"plain": -8.0, "mapped": -5.0}, 1.5, 1.1, 3.0)
    both = Known(alone.prior, left)
    for known, explained in ((alone, False), (both, True)):
        monkeypatch.setattr(
            known_priors, "shipped", lambda known=known: {Kind(ANY, "warm", "-"): known}
        )
        found = known_priors.with_rounds(plan, of, ways)
        assert (found.forks is not None) == explained
        assert (found.spread, found.degrees) == ((1.1, 3.0) if explained else (1.2, 2.0))
    assert found.inflation == 1.5 and np.diag(found.forks).tolist() == [-8.0, -5.0, -8.0]
    assert found.forks[0, 1] == pytest.approx(math.log((math.exp(-8) + math.exp(-5)) / 2))
    assert left.of_forks("decoding") == -5.0, "as noisy as the noisiest"
    everything = {known_priors.EVERYTHING: both}
    monkeypatch.setattr(known_priors, "shipped", lambda: everything)
    assert known_priors.with_rounds(plan, of, ways).forks is None, "of other conditions"
