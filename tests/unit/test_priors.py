"""The priors of variances: estimated from runs whose truth is known, shipped, and chosen by kind."""

from __future__ import annotations

import math
import tomllib

import numpy as np
import pytest
from scipy.special import digamma

from iogauge.analysis import priors
from iogauge.analysis.priors import Found
from iogauge.decision import priors as known_priors
from iogauge.decision.best import pairs_of
from iogauge.decision.priors import Kind, kind_of
from iogauge.model.errors import UserError
from iogauge.model.plan import PublishedProtocol
from iogauge.model.workload import Conditions
from tests.fake_study import group, make_plan, measure, steady

WARM = Conditions(cache="warm")


def found(rng: np.random.Generator, cases: int, sd: float | np.ndarray) -> Found:
    """A group of these cases, whose forks in eight replicates have these SDs."""
    pairs = pairs_of(rng.normal(0, sd, (8, 1, cases)), 0, None)
    with np.errstate(divide="ignore"):
        logs = np.log(pairs.standard_errors**2 * pairs.counts)
    logs = logs - digamma(pairs.degrees / 2) + np.log(pairs.degrees / 2)
    np.fill_diagonal(logs, np.nan)
    return Found(logs, pairs.degrees)


def test_the_level_of_groups_that_are_alike_is_found():
    rng = np.random.default_rng(1)
    prior = priors._prior([found(rng, 8, 0.05) for _ in range(60)])
    assert prior.log_variance == pytest.approx(math.log(2 * 0.05**2), abs=0.2)
    assert prior.degrees > 15, "pairs that are alike say so"
    assert prior.spread == pytest.approx(math.log(3)), "never less than another machine may differ"


def test_groups_whose_cases_are_unlike_few_groups_and_groups_of_two_say_less():
    rng = np.random.default_rng(2)
    unlike = [found(rng, 8, 0.05 * np.exp(rng.normal(0, 1, 8))) for _ in range(60)]
    assert priors._prior(unlike).degrees < 5
    groups = [found(rng, 6, 0.05) for _ in range(60)]
    assert priors._prior(groups[:4]).degrees < priors._prior(groups).degrees
    of_two = priors._prior([found(rng, 2, 0.05) for _ in range(20)])
    assert of_two.degrees == pytest.approx(2, abs=0.1), "nothing of how alike pairs are"


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
        assert each.degrees > 0 and each.spread >= math.log(3) - 0.01
        assert -12 < each.log_variance < 0
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
    known = [known_priors.shipped()[kind_of(each, WARM)] for each in names]
    both = known_priors.of_group(plan.model_copy(update={"cases": tuple(cases)}), of_both)
    assert both is not None
    assert both.degrees == min(each.degrees for each in known)
    assert both.spread == max(each.spread for each in known)
    assert both.log_variance == pytest.approx(np.mean([each.log_variance for each in known]))
    as_published = plan.model_copy(update={"published": PublishedProtocol()})
    assert known_priors.of_group(as_published, of_both) is None, "authors had none"


def test_the_command_writes_what_the_product_reads(fake, tmp_path, capsys):
    paths = []
    for seed in range(4):
        made = measure(group(steady(20, 21, 22, 23)), fake, tmp_path, seed=seed, name=f"r{seed}")
        paths.append(str(made.path))
    assert priors.main(paths) == 0
    table = tomllib.loads(capsys.readouterr().out)
    kinds = {(each["language"], each["groups"]) for each in table["kind"]}
    assert kinds == {("any", 4), ("fake", 4)}


def test_the_command_refuses_what_is_no_run(tmp_path, capsys):
    (tmp_path / "x.jsonl").write_text("nothing\n")
    assert priors.main([str(tmp_path / "x.jsonl")]) == 2
    assert "x.jsonl" in capsys.readouterr().err
    with pytest.raises(UserError):
        priors.reading.read(tmp_path / "missing.jsonl")
